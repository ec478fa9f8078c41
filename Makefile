# SPDX-License-Identifier: GPL-2.0-only
# Builds and tests everything; "make help" lists the targets. Built files go to
# build/, downloads to the cache described in selftests/vm/fetch.sh.

.DEFAULT_GOAL := all
# Targets run one at a time, because they install packages; what they build is
# built in parallel.
.NOTPARALLEL:
BUILD	:= $(CURDIR)/build$(CROSS:%=/cross/%)
VM	:= selftests/vm

# The headers or the build directory of the kernel to build the module for. Some
# build systems, Yocto for one, pass the source here and the build directory as O.
RUNNING	:= $(shell uname -r)
KERNEL_SRC ?= /lib/modules/$(RUNNING)/build

# Evaluated on first use, which may download files.
TEST_KERNEL = $(eval TEST_KERNEL := $(or $(shell $(VM)/fetch.sh \
	      6.1$(CROSS:%=-%)),$(error no kernel to test with)))$(TEST_KERNEL)
TEST_KDIR = $(TEST_KERNEL)/headers
LINUX_SOURCE = $(eval LINUX_SOURCE := $(or $(shell $(VM)/fetch.sh source-6.1),\
	       $(error no kernel source)))$(LINUX_SOURCE)
UUID_RUNTIME = $(eval UUID_RUNTIME := $(or $(shell $(VM)/fetch.sh uuid-runtime),\
	       $(error no uuidgen and uuidparse)))$(UUID_RUNTIME)
UUID_RUNTIME_TRIXIE = $(eval UUID_RUNTIME_TRIXIE := $(or $(shell \
		      $(VM)/fetch.sh uuid-runtime-trixie),$(error \
		      no uuidgen and uuidparse of trixie)))$(UUID_RUNTIME_TRIXIE)
GOOGLE_UUID = $(eval GOOGLE_UUID := $(or $(shell $(VM)/fetch.sh google-uuid),\
	      $(error no google/uuid of trixie)))$(GOOGLE_UUID)
UTIL_LINUX = $(eval UTIL_LINUX := $(or $(shell $(VM)/fetch.sh util-linux-tests),\
	     $(error no tests of util-linux)))$(UTIL_LINUX)
UUID_RS = $(eval UUID_RS := $(or $(shell $(VM)/fetch.sh uuid-rs),$(error no \
	  uuid-rs of trixie)))$(UUID_RS)
# The rules are extracted from the full kernel source.
COCCINELLE = $(eval COCCINELLE := $(or $(shell $(VM)/fetch.sh tree-6.1 >&2 && \
	     $(VM)/fetch.sh coccinelle-6.1),$(error no rules for \
	     coccinelle)))$(COCCINELLE)
CMOCKA_32 = $(eval CMOCKA_32 := $(or $(shell $(VM)/fetch.sh cmocka-i386),$(error \
	    no cmocka of 32 bits)))$(CMOCKA_32)
MUSL = $(eval MUSL := $(or $(shell $(VM)/fetch.sh musl),$(error no libraries \
       for musl)))$(MUSL)
FUZZERS = $(eval FUZZERS := $(or $(shell $(VM)/fetch.sh fuzzers),$(error no \
	  trinity and stress-ng)))$(FUZZERS)

.PHONY: help
help:
	@echo 'make build-deps  install the packages that "make" needs'
	@echo 'make            library, tool and module'
	@echo 'make module     the module, for the running kernel or KERNEL_SRC'
	@echo 'make userspace  libkuid, the kuid tool and the examples'
	@echo 'make modules_install  the module; takes INSTALL_MOD_PATH'
	@echo 'make install    library, tool and drop-in; or one of them: install-lib,'
	@echo '                install-tool, install-dropin; install-system adds the units,'
	@echo '                install-claim kuid-claim. Documentation/building.md lists'
	@echo '                what they take'
	@echo 'make install-dkms  the source of the module, for DKMS'
	@echo 'make uninstall  remove what these installed'
	@echo 'make run        count repeats of kuid and others in a booted machine and its'
	@echo '                clones; on a terminal it ends in a shell of such a machine'
	@echo 'make check      all tests: the core in userspace, the rest in a booted kernel'
	@echo 'make check-here  load the module here, as root; test it, unload it, write a report'
	@echo 'make check-debug  tests on a kernel built to check itself, with faults'
	@echo 'make check-uml  tests in User Mode Linux, once a kernel is built'
	@echo 'make check-kcsan  tests on a kernel that finds data races'
	@echo 'make dist       the sources as a tarball, in build/dist'
	@echo 'make packages   the Debian packages, in build/packages; make rpms for Fedora'
	@echo 'make module-package  a Debian package of the module for KERNEL_SRC, for hosts'
	@echo '                without a compiler; SIGN_KEY and SIGN_CERT sign the module'
	@echo 'make check-packages  install them in roots of Debian'
	@echo 'make check-rpms  check these, and compare their files with those of Debian'
	@echo 'make check-install  install them, and boot, upgrade and clone the machine'
	@echo 'make claim      kuid-claim, which needs libcurl and libpq'
	@echo 'make check-claim  kuid-claim with stores that fail; clones of machines'
	@echo 'make check-containers  as root, containers and sandboxes on a booted Debian'
	@echo 'make check-postgresql  the extension in a booted server of PG="15 17"'
	@echo 'make bindings   the packages for LANGUAGES="python ..."; check-bindings tests them,'
	@echo '                here and in a booted machine'
	@echo 'make cross-arm64, cross-s390x  module and tests of that architecture, to boot'
	@echo 'make check-kernels  compile the module for the kernels of Debian 12, 13 and sid;'
	@echo '                KERNELS="sid-arm64" for some of them. make kernels-record records'
	@echo '                the results in Documentation'
	@echo 'make check-matrix  tests on each of many kernels, and with 1 to 8 CPUs;'
	@echo '                ROWS="6.12 7.x-rt:4" for some of them only'
	@echo 'make matrix-record  record the results of these rows in Documentation'
	@echo 'make fleet      check-claim, then simulate thousands of hosts with the core in'
	@echo '                userspace'
	@echo 'make fleet-record  write the results in Documentation, and draw its plots'
	@echo 'make soak       all disturbances at once for SECONDS (60), and'
	@echo '                then as a clone'
	@echo 'make coverage   which lines the tests run, in the kernel and outside'
	@echo 'make bench      measures the cost of IDs, compared with that of others, and writes a'
	@echo '                report; QUICK=1 for the instructions that are held to the record,'
	@echo '                PARTS="counts native" for some of it'
	@echo 'make bench-record  record the results of the last make bench in Documentation'
	@echo 'make style      checkpatch, sparse, W=1, clang-format and more'
	@echo 'make uapi-record, abi-record  record the binary interface of the kernel, or of the'
	@echo '                library, after an addition'
	@echo 'make picture    draw the picture of the design after its text was changed'
	@echo 'make format-tables  write the tables of formats in the documents'
	@echo 'make clean      remove build/'

.PHONY: all build-deps module modules modules_install userspace clean
all: userspace module

build-deps:
	@$(VM)/setup.sh build
	@test -e $(KERNEL_SRC)/Makefile || $(VM)/setup.sh headers

# There may be builds for several kernels, and a build writes into the sources:
# each kernel gets its own copy.
MODULE_SOURCES := Kbuild kmod uapi
define build_module
	@mkdir -p $(1)
	@cp -au $(MODULE_SOURCES) $(1)
	$(MAKE) -C $(2) M=$(1) $(3) modules
endef

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

# Kbuild doesn't see that the kernel is another one, so a build for another kernel
# starts anew.
MODULE	:= $(BUILD)/module
BUILT_FOR = $(realpath $(KERNEL_SRC)) $(O)$(KBUILD_OUTPUT)
module:
	@test -e $(KERNEL_SRC)/Makefile || { $(NO_HEADERS); exit 1; }
	@echo '$(BUILT_FOR)' | cmp -s - $(MODULE)/built-for || \
		{ rm -rf $(MODULE) && mkdir -p $(MODULE) && \
		echo '$(BUILT_FOR)' >$(MODULE)/built-for; }
	$(call build_module,$(MODULE),$(KERNEL_SRC))
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
	$(MAKE) -C userspace O=$(BUILD)/userspace

.PHONY: claim check-claim
claim:
	$(MAKE) -C userspace O=$(BUILD)/userspace claim

# kuid-claim with its stores on this machine, with the kernel and etcd in a booted
# machine, and in machines that are cloned.
check-claim: vm-root
	@$(VM)/setup.sh claim
	@selftests/run/check_claim.sh $(BUILD) $(TEST_KERNEL) $(ROOT)

INSTALLS := install uninstall $(addprefix install-,lib tool dropin system \
	    claim)
.PHONY: $(INSTALLS)
$(INSTALLS):
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

# The files of the test machine, in the layout of its root directory.
ROOT	:= $(BUILD)/vm/root
TESTS	:= $(BUILD)/vm/tests
KSELFTEST := $(BUILD)/vm/kselftest/tools/testing/selftests
INITRD	:= $(BUILD)/vm/initrd.cpio

.PHONY: vm-packages vm-root vm-modules vm-util-linux vm-programs vm-tests
vm-packages:
	@$(VM)/setup.sh build boot

vm-root: vm-packages
	$(call build_module,$(BUILD)/vm/module,$(TEST_KDIR))
	$(MAKE) -C userspace O=$(BUILD)/userspace DESTDIR=$(ROOT) PREFIX= \
		all install
	@mkdir -p $(ROOT)/lib $(ROOT)/examples
	@cp -u $(BUILD)/vm/module/kmod/kuid.ko $(ROOT)/lib/
	@cp -u $(BUILD)/userspace/examples/many $(ROOT)/examples/

# Modules for the tests, built beside the copy of the module that they use: one
# checks the published vectors when it is loaded, three take IDs, hold up grace
# periods or change the generation ID in the kernel, and one, for kernels with
# KUnit, has the unit tests. kuid_few is kuid itself, with 20 nodes for private
# lanes in an epoch. (4) are more arguments for make.
define build_test_modules
	@mkdir -p $(addprefix $(1)/selftests/,vectors callers kunit few) $(3)
	@cp -au selftests/vectors/Kbuild selftests/vectors/*.c \
		selftests/unit/vectors.[ch] $(1)/selftests/vectors
	@awk -f selftests/vectors/rows.awk selftests/vectors/*.tsv \
		> $(1)/selftests/vectors/rows.h
	@cp -au selftests/callers/Kbuild selftests/callers/*.c \
		$(1)/selftests/callers
	@cp -au selftests/kunit/Kbuild selftests/kunit/*.c selftests/unit/*.[ch] \
		$(1)/selftests/kunit
	@cp $(1)/selftests/vectors/rows.h $(1)/selftests/kunit/
	$(MAKE) -C $(2) M=$(1)/selftests/vectors $(4) modules
	$(MAKE) -C $(2) M=$(1)/selftests/callers \
		KBUILD_EXTRA_SYMBOLS=$(1)/Module.symvers $(4) modules
	$(MAKE) -C $(2) M=$(1)/selftests/kunit $(4) modules
	@cp -au $(MODULE_SOURCES) $(1)/selftests/few
	$(MAKE) -C $(2) M=$(1)/selftests/few KCFLAGS=-DKUID_NODE_LAST=20 $(4) \
		modules
	@cp -u $(1)/selftests/*/*.ko $(3)/
	@cp -u $(1)/selftests/few/kmod/kuid.ko $(3)/kuid_few.ko
endef

vm-modules: vm-root
	$(call build_test_modules,$(BUILD)/vm/module,$(TEST_KDIR),$(TESTS)/lib)

# The kernel's own selftests with ours as another target, as in the kernel tree;
# and the tests of library and tool, run in the same way.
vm-programs: vm-packages vm-modules
	@$(VM)/setup.sh test
	@mkdir -p $(KSELFTEST)/kuid \
		$(addprefix $(BUILD)/vm/kselftest/usr/include/,kuid linux)
	@cp -au $(LINUX_SOURCE)/tools $(LINUX_SOURCE)/scripts $(BUILD)/vm/kselftest
	@cp -au uapi/linux/kuid.h $(BUILD)/vm/kselftest/usr/include/linux/
	@cp -au uapi/linux/kuid.h \
		$(BUILD)/vm/kselftest/usr/include/kuid/uapi.h
	@cp -au selftests/. $(KSELFTEST)/kuid
	$(MAKE) -C userspace O=$(BUILD)/userspace \
		$(BUILD)/userspace/lib/libkuid.a
	$(MAKE) -C $(KSELFTEST) TARGETS=kuid USERLDFLAGS=-static \
		LIBKUID=$(BUILD)/userspace/lib/libkuid.a \
		LIBKUID_SOURCE=$(CURDIR)/userspace/libkuid \
		INSTALL_PATH=$(TESTS)/selftests install
	$(MAKE) -C userspace O=$(BUILD)/userspace tests
	@mkdir -p $(TESTS)/selftests/userspace
	@cp -u $(BUILD)/userspace/tests/library_test \
		$(BUILD)/userspace/tests/admin_test \
		$(BUILD)/userspace/tests/lane_test \
		$(BUILD)/userspace/tests/only_sys_time \
		README.md \
		$(BUILD)/userspace/tests/dropin/libuuid_user userspace/tests/*.sh \
		selftests/settings $(TESTS)/selftests/userspace/
	@printf 'userspace:%s\n' library_test admin_test lane_test dropin.sh readme.sh \
		tool.sh tool_state.sh tool_keep.sh \
		>> $(TESTS)/selftests/kselftest-list.txt

# The examples in all languages that this machine has, and 32-bit tests of the
# library.
vm-tests: vm-programs vm-util-linux
	$(MAKE) -C userspace O=$(BUILD)/userspace CMOCKA_32=$(CMOCKA_32) \
		tests_32 examples
	$(MAKE) -C userspace/sqlite O=$(BUILD)/userspace DESTDIR=$(TESTS) \
		PREFIX= install
	@mkdir -p $(TESTS)/bin
	@cp -uL $$(command -v sqlite3) $(TESTS)/bin/
	@$(VM)/interpreters.sh $(TESTS)
	@mkdir -p $(TESTS)/examples $(TESTS)/selftests/userspace/lib
	@cp -u $(BUILD)/userspace/examples/many* \
		$(addprefix userspace/examples/many.,sh pl py) $(TESTS)/examples/
	@for test in library_test admin_test; do \
		cp -u $(BUILD)/userspace/32/tests/$$test \
			$(TESTS)/selftests/userspace/$${test}_32; \
	done
	@cp -u $(BUILD)/userspace/32/lib/libkuid.so.0 \
		$(CMOCKA_32)/libcmocka.so.0 $(TESTS)/selftests/userspace/lib/
	@printf 'userspace:%s\n' examples.sh sqlite.sh library_test_32 admin_test_32 \
		>> $(TESTS)/selftests/kselftest-list.txt

# util-linux' own tests of libuuid need bash and a program. UTIL_LINUX_HAVE are
# the answers that its configure script would find.
UTIL_LINUX_HAVE := ERR_H NANOSLEEP REALLOCARRAY

vm-util-linux: vm-packages
	@$(VM)/setup.sh test
	@mkdir -p $(TESTS)/util-linux $(TESTS)/bin
	@cp -u /bin/bash $(TESTS)/bin/
	$(CC) -O2 -D_GNU_SOURCE $(UTIL_LINUX_HAVE:%=-DHAVE_%) \
		-I$(UTIL_LINUX)/util-linux/include \
		-I$(UTIL_LINUX)/util-linux/libuuid/src \
		-o $(TESTS)/util-linux/test_uuid_parser \
		$(UTIL_LINUX)/util-linux/libuuid/src/test_uuid.c -luuid

# The programs of the benchmark, and the machine that some of them run in.
BENCH	:= $(BUILD)/bench
.PHONY: bench-programs
bench-programs: vm-modules
	@$(VM)/setup.sh test peers
	@$(MAKE) -s -C selftests/bench O=$(BENCH) LIBKUID=$(BUILD)/userspace/lib \
		GO_NEW=$(GOOGLE_UUID)/usr/share/gocode \
		RUST_NEW=$(UUID_RS)/usr/share/cargo/registry
	@mkdir -p $(BENCH)/root/lib
	@cp -u $(TESTS)/lib/kuid_cost.ko $(BENCH)/root/lib/
	@$(VM)/initramfs.sh -o $(BENCH)/initrd.cpio $(ROOT) $(BENCH)/root \
		$(UUID_RUNTIME) $(UUID_RUNTIME_TRIXIE)

.PHONY: run demo-machine check bench style
run:
	@selftests/run/demo.sh $(BUILD)

# Programs of the benchmark that need no other language.
DEMO	:= $(BUILD)/demo
demo-machine: vm-root
	$(MAKE) -C selftests/bench O=$(DEMO) LIBKUID=$(BUILD)/userspace/lib \
		$(DEMO)/root/bench/promises $(DEMO)/root/bench/twin
	$(VM)/initramfs.sh -o $(DEMO)/initrd.cpio $(ROOT) $(DEMO)/root $(UUID_RUNTIME) \
		$(UUID_RUNTIME_TRIXIE)

# QUICK=1 measures what is held to the record; PARTS names parts of the benchmark.
QUICK	?=
PARTS	?=

bench: bench-programs
	@$(VM)/setup.sh picture
	@selftests/bench/bench.sh $(if $(QUICK),--quick) $(BENCH) $(TEST_KERNEL) \
		$(PARTS)

.PHONY: bench-record
bench-record:
	@$(VM)/setup.sh picture
	@selftests/bench/report.sh record $(BENCH)

check: vm-root vm-tests
	@$(VM)/setup.sh claim
	@$(VM)/initramfs.sh -o $(INITRD) $(ROOT) $(TESTS) $(TEST_KERNEL)/nic \
		$(UUID_RUNTIME) $(UUID_RUNTIME_TRIXIE) $(UTIL_LINUX)
	@CMOCKA_32=$(CMOCKA_32) selftests/run/check.sh $(BUILD) $(TEST_KERNEL) \
		$(INITRD) $(MUSL)

# Duration of the test, more arguments for it, such as --seed N, and the clock
# source of its machine.
SECONDS ?= 60
SOAK	?=
CLOCKSOURCE ?= tsc

.PHONY: soak
soak: vm-root vm-tests
	@$(VM)/initramfs.sh -o $(INITRD) $(ROOT) $(TESTS)
	@CLOCKSOURCE=$(CLOCKSOURCE) selftests/run/soak.sh $(BUILD) $(TEST_KERNEL) \
		$(INITRD) $(SECONDS) $(SOAK)

# Many hosts at once, compared with the tables of the document.
FLEET	:= selftests/fleet O=$(BUILD)/fleet TOOL=$(BUILD)/userspace

.PHONY: fleet fleet-record
fleet: check-claim
	@$(MAKE) -s -C $(FLEET) full
fleet-record:
	@$(VM)/setup.sh build picture
	@$(MAKE) -s -C $(FLEET) record

.PHONY: check-mutants
check-mutants: ; @$(MAKE) -s -C selftests/unit O=$(BUILD)/unit mutants

# QUICK=1 leaves out what takes minutes.
.PHONY: check-proofs
check-proofs:
	@$(VM)/setup.sh proofs
	@selftests/run/check_proofs.sh $(BUILD) $(if $(QUICK),quick,full)

.PHONY: uapi-record abi-record
abi-record:
	@$(VM)/setup.sh build style
	@mkdir -p $(BUILD)
	@selftests/run/abi.sh > $(BUILD)/libkuid.abi
	@mv $(BUILD)/libkuid.abi userspace/libkuid/libkuid.abi

uapi-record: vm-packages
	@$(VM)/setup.sh style
	@mkdir -p $(BUILD)
	@selftests/run/uapi.sh record 64 > $(BUILD)/kuid.record
	@mv $(BUILD)/kuid.record uapi/kuid.record

# The SVG contains the checksum of its source, by which make style recognizes an
# old drawing. Drawings can't be compared, because fonts differ between machines.
.PHONY: picture
picture: DOT := Documentation/design.dot
picture:
	@$(VM)/setup.sh picture
	@mkdir -p $(BUILD)
	@hash=$$(sha256sum <$(DOT)); dot -Tsvg $(DOT) | sed \
		-e '1a <!-- SPDX-License-Identifier: GPL-2.0-only -->' \
		-e "1a <!-- drawn from sha256 $${hash%% *} -->" \
		>$(BUILD)/design.svg
	@mv $(BUILD)/design.svg $(DOT:.dot=.svg)

.PHONY: format-tables
format-tables:
	@Documentation/formats.sh write

# Module and tests for another architecture: the targets above with a cross
# compiler, into build/cross/ARCH, and the tests of the core. Interpreters and
# the like of this machine are left out.
cross-arm64: KERNEL_ARCH := arm64
cross-arm64: TRIPLET := aarch64-linux-gnu
cross-s390x: KERNEL_ARCH := s390
cross-s390x: TRIPLET := s390x-linux-gnu

vm-core: vm-programs
	$(MAKE) -C selftests/unit O=$(BUILD)/unit plain
	@mkdir -p $(TESTS)/selftests/unit
	@cp -u $(BUILD)/unit/plain/*_test selftests/settings \
		$(TESTS)/selftests/unit/
	@cd $(TESTS)/selftests/unit && printf 'unit:%s\n' *_test >> \
		../kselftest-list.txt

.PHONY: vm-core cross-arm64 cross-s390x
cross-arm64 cross-s390x: cross-%: vm-packages
	@$(VM)/setup.sh cross
	@set -e; sysroot=$$($(VM)/fetch.sh sysroot-$*); \
	$(MAKE) vm-core CROSS=$* ARCH=$(KERNEL_ARCH) \
		CROSS_COMPILE=$(TRIPLET)- AR=$(TRIPLET)-ar \
		CC="$(TRIPLET)-gcc --sysroot=$$sysroot"
	@set -e; $(VM)/initramfs.sh -o $(BUILD)/cross/$*/initrd.cpio \
		$(addprefix $(BUILD)/cross/$*/vm/,root tests) \
		$$($(VM)/fetch.sh sysroot-$*) $$($(VM)/fetch.sh 6.1-$*)/nic

# The kernel that checks itself, and the files added for it: the module, with
# the options that such a kernel leaves to each Makefile.
DEBUG_KERNEL = $(eval DEBUG_KERNEL := $(or $(shell $(VM)/kernel.sh debug-6.1),\
	       $(error no kernel that checks itself)))$(DEBUG_KERNEL)
DEBUG	:= $(BUILD)/vm/debug
DEBUG_INITRD := $(BUILD)/vm/debug.cpio

.PHONY: debug-packages debug-modules check-debug
debug-packages: vm-packages
	@$(VM)/setup.sh kernel

debug-modules: debug-packages
	$(call build_module,$(BUILD)/vm/debug-module,$(DEBUG_KERNEL)/headers,\
		UBSAN_SANITIZE=y KCOV_INSTRUMENT=y)
	$(call build_test_modules,$(BUILD)/vm/debug-module,\
		$(DEBUG_KERNEL)/headers,$(DEBUG)/lib)
	@cp -u $(BUILD)/vm/debug-module/kmod/kuid.ko $(DEBUG)/lib/

check-debug: vm-root vm-tests debug-modules
	@$(VM)/initramfs.sh -o $(DEBUG_INITRD) $(ROOT) $(TESTS) $(DEBUG) \
		$(DEBUG_KERNEL)/nic $(FUZZERS)
	@selftests/run/check_debug.sh $(BUILD) $(DEBUG_KERNEL) \
		$(DEBUG_INITRD) debug

# User Mode Linux in the same way: the fastest kernel to run the tests in.
UML_KERNEL = $(eval UML_KERNEL := $(or $(shell $(VM)/kernel.sh uml-6.1),$(error \
	     no User Mode Linux)))$(UML_KERNEL)
UML	:= $(BUILD)/vm/uml
UML_INITRD := $(BUILD)/vm/uml.cpio

.PHONY: uml-modules check-uml
uml-modules: debug-packages
	$(call build_module,$(BUILD)/vm/uml-module,$(UML_KERNEL)/headers,\
		ARCH=um UBSAN_SANITIZE=y)
	$(call build_test_modules,$(BUILD)/vm/uml-module,$(UML_KERNEL)/headers,\
		$(UML)/lib,ARCH=um)
	@cp -u $(BUILD)/vm/uml-module/kmod/kuid.ko $(UML)/lib/

check-uml: vm-root vm-tests uml-modules
	@$(VM)/initramfs.sh -o $(UML_INITRD) $(ROOT) $(TESTS) $(UML)
	@selftests/run/check_uml.sh $(BUILD) $(UML_KERNEL) $(UML_INITRD)

# The kernel that finds data races, in the same way.
KCSAN_KERNEL = $(eval KCSAN_KERNEL := $(or $(shell $(VM)/kernel.sh kcsan-6.1),\
	       $(error no kernel that finds data races)))$(KCSAN_KERNEL)
KCSAN	:= $(BUILD)/vm/kcsan
KCSAN_INITRD := $(BUILD)/vm/kcsan.cpio

.PHONY: kcsan-modules check-kcsan
kcsan-modules: debug-packages
	$(call build_module,$(BUILD)/vm/kcsan-module,$(KCSAN_KERNEL)/headers)
	$(call build_test_modules,$(BUILD)/vm/kcsan-module,\
		$(KCSAN_KERNEL)/headers,$(KCSAN)/lib)
	@cp -u $(BUILD)/vm/kcsan-module/kmod/kuid.ko $(KCSAN)/lib/

check-kcsan: vm-root vm-tests kcsan-modules
	@$(VM)/initramfs.sh -o $(KCSAN_INITRD) $(ROOT) $(TESTS) $(KCSAN) \
		$(KCSAN_KERNEL)/nic
	@selftests/run/check_debug.sh $(BUILD) $(KCSAN_KERNEL) \
		$(KCSAN_INITRD) kcsan

# The sources as a release has them, and the Debian packages that are built from
# these. HOMEPAGE is where a publisher has them, as https://..., for the packages.
HOMEPAGE ?=
export HOMEPAGE

.PHONY: dist packages check-packages check-install
dist:
	@selftests/install/dist.sh $(BUILD)/dist

# check-packages runs the tests of the source package.
packages check-install check-containers: export DEB_BUILD_OPTIONS ?= nocheck
packages:
	@$(VM)/setup.sh install build
	@selftests/install/packages.sh $(BUILD)/packages

# A Debian package of the module alone, for the kernel of KERNEL_SRC. SIGN_KEY and
# SIGN_CERT sign it. REVISION is that of the package.
.PHONY: module-package
module-package: module
	@SIGN_KEY=$(SIGN_KEY) SIGN_CERT=$(SIGN_CERT) REVISION=$(REVISION) \
		selftests/install/module_package.sh $(KERNEL_SRC) \
		$(MODULE)/kmod/kuid.ko $(BUILD)/packages

# The packages for Fedora and its kin, as far as Debian can build them.
.PHONY: rpms check-rpms
rpms:
	@$(VM)/setup.sh build rpm
	@selftests/install/rpms.sh $(BUILD)/rpms

check-rpms: packages rpms
	@selftests/run/check_rpms.sh $(BUILD)

# Debian 12 with Linux 6.1 and 6.12, Debian 13 with 6.12 and 7.x.
ROOTS	?= root-bookworm root-trixie
check-packages:
	@$(VM)/setup.sh install build boot
	@selftests/run/check_packages.sh $(BUILD) $(ROOTS)

check-install:
	@$(VM)/setup.sh install build boot
	@selftests/run/check_install.sh $(BUILD)

# Containers, on a Debian with podman and these packages. The program runs in an
# image of its own.
TOGETHER := $(BUILD)/vm/together
$(TOGETHER): selftests/containers/together.c $(wildcard selftests/lib/*.h) \
	     uapi/linux/kuid.h
	@mkdir -p $(@D)
	$(CC) -O2 -Wall -Wextra -Wno-sign-compare -D_GNU_SOURCE -static -Iuapi \
		-o $@ $<

.PHONY: check-containers
check-containers: packages vm-packages $(TOGETHER)
	@$(VM)/setup.sh images
	@selftests/run/check_images.sh $(BUILD)
	@selftests/run/check_containers.sh $(BUILD) $(TOGETHER)

# The PostgreSQL extension, in servers of these versions.
PG	?= 15 17

.PHONY: check-postgresql
check-postgresql: vm-root
	@selftests/run/check_postgresql.sh $(BUILD) $(TEST_KERNEL) $(ROOT) $(PG)

# The packages for other languages; DEBIAN=root-trixie builds and tests them in
# that root of fetch.sh.
LANGUAGES ?= $(patsubst userspace/bindings/%/Makefile,%,\
	     $(wildcard userspace/bindings/*/Makefile))

.PHONY: bindings check-bindings
bindings:
	@$(VM)/setup.sh $(LANGUAGES)
	@set -e; for language in $(LANGUAGES); do \
		$(MAKE) -C userspace/bindings/$$language O=$(BUILD)/bindings; \
	done

check-bindings: vm-root $(DEBIAN:%=$(BUILD)/%)
	@$(if $(DEBIAN),SHARE="$(CURDIR) $(TEST_KERNEL) /sys /etc/resolv.conf" \
		selftests/install/root.sh run $(BUILD)/$(DEBIAN)) \
		$(CURDIR)/selftests/run/check_bindings.sh \
		$(BUILD)$(DEBIAN:%=/%-build) $(TEST_KERNEL) $(ROOT) $(LANGUAGES)

$(BUILD)/root-%:
	@$(VM)/setup.sh install
	@selftests/install/root.sh new $@ $(@F)

# The tests on several kernels. Each kernel of fetch.sh has an initramfs of the
# files from vm-root and vm-tests, with its own modules.
MATRIX	:= $(BUILD)/matrix

.PHONY: check-matrix
check-matrix:
	@selftests/run/check_matrix.sh $(ROWS)

matrix-%: KERNEL = $(or $(shell $(VM)/fetch.sh $*),$(error no kernel $*))
matrix-%:
	$(call build_module,$(MATRIX)/$*/module,$(KERNEL)/headers)
	$(call build_test_modules,$(MATRIX)/$*/module,$(KERNEL)/headers,\
		$(MATRIX)/$*/root/lib)
	@cp -u $(MATRIX)/$*/module/kmod/kuid.ko $(MATRIX)/$*/root/lib/
	@$(VM)/initramfs.sh -o $(MATRIX)/$*/initrd.cpio $(ROOT) $(TESTS) \
		$(MATRIX)/$*/root $(KERNEL)/nic $(UUID_RUNTIME) \
		$(UUID_RUNTIME_TRIXIE) $(UTIL_LINUX)

# Each row that ran here and passed replaces its line of the table, which is at
# the end of the document.
.PHONY: matrix-record
matrix-record: TABLE := Documentation/results.md
matrix-record:
	@cat $(MATRIX)/*.result > $(MATRIX)/results
	@awk -F '|' 'NR == FNR { new[$$2] = $$0; next } \
		$$2 in new { $$0 = new[$$2]; delete new[$$2] } { print } \
		END { for (row in new) print new[row] }' \
		$(MATRIX)/results $(TABLE) > $(MATRIX)/results.md
	@mv $(MATRIX)/results.md $(TABLE)

# The module, compiled for all kernels that Debian has headers of. Needs root.
.PHONY: check-kernels kernels-record
check-kernels:
	@$(VM)/setup.sh build cross kernels
	@selftests/run/check_kernels.sh $(BUILD) $(KERNELS)

kernels-record: TABLE := Documentation/results.md
kernels-record:
	@awk -v word=kernels -v from=$(BUILD)/kernels -f selftests/run/fill.awk \
		$(TABLE) >$(BUILD)/kernels/results.md
	@mv $(BUILD)/kernels/results.md $(TABLE)

# The module once more, built to count executed lines.
COUNTED	:= $(BUILD)/vm/counted
COUNTED_MODULE := $(BUILD)/vm/counted-module

.PHONY: coverage
coverage: vm-root vm-tests debug-packages
	@$(VM)/setup.sh coverage
	$(call build_module,$(COUNTED_MODULE),$(DEBUG_KERNEL)/headers,\
		GCOV_PROFILE=y)
	$(call build_test_modules,$(COUNTED_MODULE),$(DEBUG_KERNEL)/headers,\
		$(COUNTED)/lib)
	@cp -u $(COUNTED_MODULE)/kmod/kuid.ko $(COUNTED)/lib/
	@$(VM)/initramfs.sh -o $(BUILD)/vm/counted.cpio $(ROOT) $(TESTS) \
		$(COUNTED) $(DEBUG_KERNEL)/nic
	$(MAKE) -C userspace O=$(BUILD)/userspace coverage
	@selftests/run/coverage.sh $(BUILD) $(DEBUG_KERNEL) $(BUILD)/vm/counted.cpio \
		$(COUNTED_MODULE) $(BUILD)/userspace/coverage.info

style: vm-packages
	@$(VM)/setup.sh style
	@selftests/run/style.sh $(LINUX_SOURCE) $(TEST_KDIR) $(COCCINELLE)
