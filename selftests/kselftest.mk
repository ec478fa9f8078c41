# SPDX-License-Identifier: GPL-2.0-only
# What the Makefiles of these directories share: each is a target of the kernel's
# tools/testing/selftests. PROGS_32 are programs that are also built for 32 bits if
# WITH_32 is set, URING use liburing, and WITH_LIBKUID libkuid: LIBKUID is the
# static library, with its header beside its sources in LIBKUID_SOURCE.

# The harness compares values regardless of their signs, and doesn't use all the
# parameters it passes.
CFLAGS += -Wall -Wextra -Wno-sign-compare -Wno-unused-parameter -O2 \
	  $(KHDR_INCLUDES)
LDLIBS += -lpthread
LOCAL_HDRS += $(wildcard *.h ../lib/*.h ../../../../../usr/include/linux/kuid.h)

TEST_GEN_PROGS += $(if $(WITH_32),$(PROGS_32:%=%_32))
TEST_GEN_PROGS_EXTENDED += $(if $(LIBKUID),$(WITH_LIBKUID))

include ../../lib.mk

# For 32-bit programs the kernel has another entry to the ioctls, and the structs
# could have another layout. The harness casts pointers to 64-bit numbers. If the
# compiler keeps the kernel's headers in a directory of the 64-bit architecture,
# they are the same for 32 bits.
FLAGS_32 := -m32 -D_TIME_BITS=64 -D_FILE_OFFSET_BITS=64 \
	    -Wno-pointer-to-int-cast \
	    $(addprefix -idirafter /usr/include/,$(shell $(CC) -print-multiarch))
$(OUTPUT)/%_32: %.c $(LOCAL_HDRS)
	$(LINK.c) $(FLAGS_32) $(filter %.c,$^) $(LDLIBS) -o $@

# ../lib/patience.c extends the timeout of the harness on slow machines.
PATIENT := $(TEST_GEN_PROGS) $(addprefix $(OUTPUT)/,$(PATIENT))
$(PATIENT): ../lib/patience.c
$(PATIENT): LDFLAGS += -Wl,--wrap=alarm

$(addprefix $(OUTPUT)/,$(URING)): LDLIBS += -luring

WITH_LIBKUID := $(addprefix $(OUTPUT)/,$(WITH_LIBKUID))
$(WITH_LIBKUID): CPPFLAGS += -I$(LIBKUID_SOURCE)
$(WITH_LIBKUID): LDLIBS += $(LIBKUID)
