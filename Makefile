# SPDX-License-Identifier: GPL-2.0-only
# Builds, installs and runs everything; "make help" lists the targets. Built files
# go to build/. Tests, style and benchmarks are targets of selftests/Makefile,
# packages of selftests/install/Makefile.

.DEFAULT_GOAL := all
# Targets run one at a time, because they install packages; what they build is
# built in parallel.
.NOTPARALLEL:
JOBS	= $(if $(findstring -j,$(MAKEFLAGS)),,-j$(shell nproc))
BUILD	:= $(CURDIR)/build$(CROSS:%=/cross/%)
VM	:= selftests/vm

# The headers or the build directory of the kernel to build the module for. Some
# build systems, Yocto for one, pass the source here and the build directory as O.
RUNNING	:= $(shell uname -r)
KERNEL_SRC ?= /lib/modules/$(RUNNING)/build

.PHONY: help
help:
	@echo 'make build-deps install the packages that "make" needs, on Debian'
	@echo 'make            library, tool and module'
	@echo 'make module     the module, for the running kernel or KERNEL_SRC'
	@echo 'make userspace  libkuid, the kuid tool and the examples'
	@echo 'make install    library, tool and drop-in; make modules_install the module'
	@echo 'make run        count repeats of kuid and others in a booted machine and its clones'
	@echo 'make check      what each change has to pass, in minutes; T=NAME runs one test'
	@echo 'make check-all  all that is tested here for each change'
	@echo 'make check-here load the module here, as root; test it, and unload it'
	@echo 'make packages   the Debian packages, in build/packages'
	@echo
	@echo 'Documentation/building.md explains these and others that build and install,'
	@echo 'Documentation/testing.md those that test and measure.'

.PHONY: all build-deps module modules modules_install userspace claim clean
all: userspace module

build-deps:
	@$(VM)/setup.sh build
	@test -e $(KERNEL_SRC)/Makefile || $(VM)/setup.sh headers

# The message names packages of the running kernel, so it differs for a
# KERNEL_SRC that somebody gave.
ifeq ($(origin KERNEL_SRC),file)
define NO_HEADERS
echo 'No headers of the running kernel, $(RUNNING). Install them:' >&2; \
echo '  Debian, Ubuntu  apt install linux-headers-$(RUNNING)' >&2; \
echo '  Fedora, RHEL    dnf install kernel-devel-$(RUNNING)' >&2; \
echo 'or build for another kernel: make module KERNEL_SRC=DIR' >&2
endef
else
NO_HEADERS = echo 'KERNEL_SRC=$(KERNEL_SRC): no Makefile of a kernel there' >&2
endif

# There may be builds for several kernels, and a build writes into the sources:
# each MODULE is a copy of them. Kbuild doesn't see that the kernel is another
# one, so a build for another kernel starts anew.
MODULE	:= $(BUILD)/module
MODULE_SOURCES := Kbuild kmod uapi
BUILT_FOR = $(realpath $(KERNEL_SRC)) $(O)$(KBUILD_OUTPUT)
module:
	@test -e $(KERNEL_SRC)/Makefile || { $(NO_HEADERS); exit 1; }
	@echo '$(BUILT_FOR)' | cmp -s - $(MODULE)/built-for || \
		{ rm -rf $(MODULE) && mkdir -p $(MODULE) && \
		echo '$(BUILT_FOR)' >$(MODULE)/built-for; }
	@cp -au $(MODULE_SOURCES) $(MODULE)
	$(MAKE) $(JOBS) -C $(KERNEL_SRC) M=$(MODULE) modules
	@echo "built $(MODULE)/kmod/kuid.ko for Linux $$(tr '\0' '\n' \
		<$(MODULE)/kmod/kuid.ko | sed -n 's/^vermagic=\([^ ]*\).*/\1/p')"

# The names of the kernel's own targets, for build systems that call these.
modules: module
modules_install:
	@echo '$(BUILT_FOR)' | cmp -s - $(MODULE)/built-for && \
		test -e $(MODULE)/kmod/kuid.ko || { echo 'No module was built' \
		'for $(KERNEL_SRC) yet: make module' >&2; exit 1; }
	$(MAKE) -C $(KERNEL_SRC) M=$(MODULE) modules_install

userspace:
	$(MAKE) $(JOBS) -C userspace O=$(BUILD)/userspace

INSTALLS := install uninstall $(addprefix install-,lib tool dropin system \
	    claim)
.PHONY: $(INSTALLS)
claim $(INSTALLS):
	$(MAKE) -C userspace O=$(BUILD)/userspace $@

# The source of the module, where DKMS looks for it: what Kbuild needs. DKMS would
# call a Makefile at the top in its place.
VERSION	:= $(shell sed -n 's/.*KUID_VERSION "\(.*\)"/\1/p' kmod/version.h)
.PHONY: install-dkms
install-dkms: TO = $(DESTDIR)/usr/src/kuid-$(VERSION)
install-dkms:
	@find Kbuild kmod uapi \( -name '*.[ch]' -o -name Kbuild \) \
		-exec install -D -m 644 {} $(TO)/{} \;
	@sed 's/#MODULE_VERSION#/$(VERSION)/' debian/kuid-dkms.dkms >$(TO)/dkms.conf
	@echo 'install $(TO)'

clean:
	rm -rf $(BUILD)

# On the machine itself, which loads the module for it.
.PHONY: check-here
check-here: module userspace
	@userspace/tests/here.sh $(MODULE)/kmod/kuid.ko \
		$(BUILD)/userspace/bin/kuid $(BUILD)/here.txt

# A package of the module alone, for the kernel of KERNEL_SRC.
module-package: module
PACKAGING := dist packages module-package rpms check-packages check-rpms \
	     check-install
.PHONY: $(PACKAGING)
$(PACKAGING):
	@BUILD=$(BUILD) MODULE=$(MODULE) KERNEL_SRC=$(KERNEL_SRC) \
		$(MAKE) --no-print-directory -C selftests/install $@

# All others are targets of selftests/Makefile. make would remake this file.
Makefile: ;
.DEFAULT:
	@$(MAKE) --no-print-directory -C selftests $@
