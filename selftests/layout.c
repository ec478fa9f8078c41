// SPDX-License-Identifier: GPL-2.0-only
/*
 * The binary interface as numbers, which never change once released. Compiled
 * for 64-bit and 32-bit programs, and has nothing in it to run.
 */
#include <stddef.h>

#include <linux/kuid.h>

#define FIELD(type, field, offset, size)				\
	_Static_assert(offsetof(struct type, field) == (offset) &&	\
		       sizeof(((struct type *)0)->field) == (size),	\
		       #type "." #field)

FIELD(kuid_query, format, 0, 4);
FIELD(kuid_query, flags, 4, 4);
FIELD(kuid_query, formats, 8, 8);
FIELD(kuid_query, orders, 16, 8);
FIELD(kuid_query, id_size, 24, 4);
FIELD(kuid_query, batch_max, 28, 4);
FIELD(kuid_query, clock_resolution_ns, 32, 4);
FIELD(kuid_query, text_size, 36, 4);
FIELD(kuid_query, rate_max, 40, 8);
FIELD(kuid_query, max_ahead_ns, 48, 8);
FIELD(kuid_query, batch_ahead_ns, 56, 8);
FIELD(kuid_query, step_limit_ns, 64, 8);
FIELD(kuid_query, order, 72, 4);
FIELD(kuid_query, reserved0, 76, 4);
FIELD(kuid_query, reserved, 80, 48);
_Static_assert(sizeof(struct kuid_query) == 128, "struct kuid_query");

FIELD(kuid_generate, buffer, 0, 8);
FIELD(kuid_generate, format, 8, 4);
FIELD(kuid_generate, order, 12, 4);
FIELD(kuid_generate, count, 16, 4);
FIELD(kuid_generate, flags, 20, 4);
FIELD(kuid_generate, done, 24, 4);
FIELD(kuid_generate, reserved0, 28, 4);
FIELD(kuid_generate, epoch, 32, 8);
FIELD(kuid_generate, reserved, 40, 24);
_Static_assert(sizeof(struct kuid_generate) == 64, "struct kuid_generate");

FIELD(kuid_set_format, format, 0, 4);
FIELD(kuid_set_format, order, 4, 4);
FIELD(kuid_set_format, reserved, 8, 24);
_Static_assert(sizeof(struct kuid_set_format) == 32, "struct kuid_set_format");

FIELD(kuid_status, flags, 0, 4);
FIELD(kuid_status, held, 4, 4);
FIELD(kuid_status, reasons, 8, 8);
FIELD(kuid_status, epoch, 16, 8);
FIELD(kuid_status, stamp_lag_ns, 24, 8);
FIELD(kuid_status, slot_lag_ns, 32, 8);
FIELD(kuid_status, stamp_ahead_ns, 40, 8);
FIELD(kuid_status, lex_ahead_ns, 48, 8);
FIELD(kuid_status, grid_ahead_ns, 56, 8);
FIELD(kuid_status, waits, 64, 8);
FIELD(kuid_status, would_blocks, 72, 8);
FIELD(kuid_status, steps_back, 80, 8);
FIELD(kuid_status, steps_forward, 88, 8);
FIELD(kuid_status, ids, 96, 128);
FIELD(kuid_status, vm_forks, 224, 8);
FIELD(kuid_status, floor_ns, 232, 8);
FIELD(kuid_status, ceiling_ns, 240, 8);
FIELD(kuid_status, reserved, 248, 264);
_Static_assert(sizeof(struct kuid_status) == 512, "struct kuid_status");

FIELD(kuid_force_clock, flags, 0, 4);
FIELD(kuid_force_clock, reserved0, 4, 4);
FIELD(kuid_force_clock, epoch, 8, 8);
FIELD(kuid_force_clock, reserved, 16, 16);
_Static_assert(sizeof(struct kuid_force_clock) == 32,
	       "struct kuid_force_clock");

FIELD(kuid_state, flags, 0, 4);
FIELD(kuid_state, required, 4, 4);
FIELD(kuid_state, restored, 8, 4);
FIELD(kuid_state, interval, 12, 4);
FIELD(kuid_state, wall_ns, 16, 8);
FIELD(kuid_state, slot_ns, 24, 8);
FIELD(kuid_state, stamp_ns, 32, 8);
FIELD(kuid_state, floor_ns, 40, 8);
FIELD(kuid_state, ceiling_ns, 48, 8);
FIELD(kuid_state, deadline_ns, 56, 8);
FIELD(kuid_state, node_from, 64, 4);
FIELD(kuid_state, worker_from, 68, 4);
FIELD(kuid_state, k96_node_from, 72, 4);
FIELD(kuid_state, k128_node_from, 76, 4);
FIELD(kuid_state, node, 80, 8);
FIELD(kuid_state, worker, 88, 8);
FIELD(kuid_state, k128_node, 96, 8);
FIELD(kuid_state, k96_node, 104, 4);
FIELD(kuid_state, reserved0, 108, 4);
FIELD(kuid_state, reserved, 112, 144);
_Static_assert(sizeof(struct kuid_state) == 256, "struct kuid_state");

FIELD(kuid_restore, floor_ns, 0, 8);
FIELD(kuid_restore, flags, 8, 4);
FIELD(kuid_restore, reserved0, 12, 4);
FIELD(kuid_restore, epoch, 16, 8);
FIELD(kuid_restore, reserved, 24, 40);
_Static_assert(sizeof(struct kuid_restore) == 64, "struct kuid_restore");

FIELD(kuid_acknowledge, ceiling_ns, 0, 8);
FIELD(kuid_acknowledge, flags, 8, 4);
FIELD(kuid_acknowledge, reserved0, 12, 4);
FIELD(kuid_acknowledge, reserved, 16, 16);
_Static_assert(sizeof(struct kuid_acknowledge) == 32,
	       "struct kuid_acknowledge");

FIELD(kuid_set_identity, flags, 0, 4);
FIELD(kuid_set_identity, interval, 4, 4);
FIELD(kuid_set_identity, node_from, 8, 4);
FIELD(kuid_set_identity, worker_from, 12, 4);
FIELD(kuid_set_identity, k96_node_from, 16, 4);
FIELD(kuid_set_identity, k128_node_from, 20, 4);
FIELD(kuid_set_identity, node, 24, 8);
FIELD(kuid_set_identity, worker, 32, 8);
FIELD(kuid_set_identity, k128_node, 40, 8);
FIELD(kuid_set_identity, k96_node, 48, 4);
FIELD(kuid_set_identity, reserved0, 52, 4);
FIELD(kuid_set_identity, deadline_ns, 56, 8);
FIELD(kuid_set_identity, epoch, 64, 8);
FIELD(kuid_set_identity, reserved, 72, 56);
_Static_assert(sizeof(struct kuid_set_identity) == 128,
	       "struct kuid_set_identity");

_Static_assert(KUID_FORMAT_DEFAULT == 0, "KUID_FORMAT_DEFAULT");
_Static_assert(KUID_FORMAT_V1 == 1, "KUID_FORMAT_V1");
_Static_assert(KUID_FORMAT_V6 == 2, "KUID_FORMAT_V6");
_Static_assert(KUID_FORMAT_V7 == 3, "KUID_FORMAT_V7");
_Static_assert(KUID_FORMAT_LEX == 4, "KUID_FORMAT_LEX");
_Static_assert(KUID_FORMAT_K64 == 5, "KUID_FORMAT_K64");
_Static_assert(KUID_FORMAT_K96 == 6, "KUID_FORMAT_K96");
_Static_assert(KUID_FORMAT_K128 == 7, "KUID_FORMAT_K128");
_Static_assert(KUID_ORDER_DEFAULT == 0, "KUID_ORDER_DEFAULT");
_Static_assert(KUID_ORDER_CPU == 1, "KUID_ORDER_CPU");
_Static_assert(KUID_ORDER_FILE == 2, "KUID_ORDER_FILE");
_Static_assert(KUID_ORDER_HOST == 3, "KUID_ORDER_HOST");

_Static_assert(KUID_HELD_UNIQUE == 0x1, "KUID_HELD_UNIQUE");
_Static_assert(KUID_HELD_ORDER == 0x2, "KUID_HELD_ORDER");
_Static_assert(KUID_HELD_REBOOT_SAFE == 0x4, "KUID_HELD_REBOOT_SAFE");
_Static_assert(KUID_REASON_STAMPS_HALF_SPEED == 0x01,
	       "KUID_REASON_STAMPS_HALF_SPEED");
_Static_assert(KUID_REASON_SLOTS_HALF_SPEED == 0x02,
	       "KUID_REASON_SLOTS_HALF_SPEED");
_Static_assert(KUID_REASON_COARSE_CLOCK == 0x04, "KUID_REASON_COARSE_CLOCK");
_Static_assert(KUID_REASON_NO_STATE == 0x08, "KUID_REASON_NO_STATE");
_Static_assert(KUID_REASON_FIXED_NODE == 0x10, "KUID_REASON_FIXED_NODE");
_Static_assert(KUID_REASON_NO_VM_FORK == 0x20, "KUID_REASON_NO_VM_FORK");
_Static_assert(KUID_REASON_RANDOM_NOT_READY == 0x40,
	       "KUID_REASON_RANDOM_NOT_READY");
_Static_assert(KUID_REASON_FORCED_CLOCK == 0x80, "KUID_REASON_FORCED_CLOCK");
_Static_assert(KUID_REASON_PAST_CEILING == 0x100, "KUID_REASON_PAST_CEILING");
_Static_assert(KUID_REASON_STALE_IDENTITY == 0x200,
	       "KUID_REASON_STALE_IDENTITY");
_Static_assert(KUID_REASON_EXPIRED_CLAIM == 0x400, "KUID_REASON_EXPIRED_CLAIM");
_Static_assert(KUID_FROM_GIVEN == 1, "KUID_FROM_GIVEN");
_Static_assert(KUID_FROM_RANDOM == 2, "KUID_FROM_RANDOM");
_Static_assert(KUID_FROM_MAC == 3, "KUID_FROM_MAC");
_Static_assert(KUID_FROM_HOST == 4, "KUID_FROM_HOST");
_Static_assert(KUID_FROM_WORKER == 5, "KUID_FROM_WORKER");
_Static_assert(KUID_RESTORE_FRESH == 0x1, "KUID_RESTORE_FRESH");
_Static_assert(KUID_IDENTITY_CONFIRM == 0x1, "KUID_IDENTITY_CONFIRM");
_Static_assert(KUID_DEADLINE_NONE == 0xffffffffffffffff, "KUID_DEADLINE_NONE");
_Static_assert(KUID_FORCE_CLOCK_MAY_REPEAT == 0x1,
	       "KUID_FORCE_CLOCK_MAY_REPEAT");

_Static_assert(KUID_IOC_MAGIC == 0xe9, "KUID_IOC_MAGIC");
/* Where the direction's and the size's bits lie differs between machines. */
#if _IOC_SIZEBITS == 14 && _IOC_WRITE == 1
_Static_assert(KUID_IOC_QUERY == 0xc080e900, "KUID_IOC_QUERY");
_Static_assert(KUID_IOC_GENERATE == 0xc040e901, "KUID_IOC_GENERATE");
_Static_assert(KUID_IOC_SET_FORMAT == 0x4020e902, "KUID_IOC_SET_FORMAT");
_Static_assert(KUID_IOC_STATUS == 0xc200e903, "KUID_IOC_STATUS");
_Static_assert(KUID_IOC_FORCE_CLOCK == 0xc020e920, "KUID_IOC_FORCE_CLOCK");
_Static_assert(KUID_IOC_GET_STATE == 0xc100e921, "KUID_IOC_GET_STATE");
_Static_assert(KUID_IOC_RESTORE == 0xc040e922, "KUID_IOC_RESTORE");
_Static_assert(KUID_IOC_ACKNOWLEDGE == 0x4020e923, "KUID_IOC_ACKNOWLEDGE");
_Static_assert(KUID_IOC_SET_IDENTITY == 0xc080e924, "KUID_IOC_SET_IDENTITY");
#endif
