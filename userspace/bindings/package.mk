# SPDX-License-Identifier: MIT
# What the Makefiles of all packages share.

TOP	:= $(realpath $(dir $(lastword $(MAKEFILE_LIST)))../..)
O	?= $(TOP)/build/bindings
override O := $(abspath $(O))
VERSION	:= $(shell sed -n 's/.*KUID_VERSION "\(.*\)"/\1/p' \
	   $(TOP)/kmod/version.h)
# Where a publisher has the packages, as https://HOST/OWNER/NAME.
PUBLISHED := $(or $(HOMEPAGE),https://kuid.example)
# What vendor.sh copies.
LIBKUID_SOURCES := ../vendor.sh $(TOP)/LICENSES/MIT.txt \
	$(wildcard $(TOP)/userspace/libkuid/*.[ch] $(TOP)/kmod/core/*.h \
	$(TOP)/uapi/linux/*.h)

.PHONY: all check bench stage
all:

# A kernel for tests without one, and the library that it is preloaded with.
LIBKUID	:= $(O)/userspace/lib/libkuid.so
FAKE_DEVICE := $(O)/userspace/tests/pure/fake_device.so
$(FAKE_DEVICE):
	$(MAKE) -C $(TOP)/userspace O=$(O)/userspace $@ $(LIBKUID)
