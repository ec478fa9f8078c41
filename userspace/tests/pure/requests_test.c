// SPDX-License-Identifier: MIT
/*
 * The requests to the kernel, the answers that the library hands back, and the
 * words for them.
 */
#include <errno.h>
#include <kuid.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "../fails.h"
#include "cases.h"
#include "handle.h"

#define FD 1234

int __wrap_ioctl(int fd, unsigned long request, void *data);

static struct kuid handle = { .fd = FD };

/* The request that the next call must make, and its answer. */
static struct {
	unsigned long request;
	size_t size;
	unsigned char want[1024];
	unsigned char give[1024];
	int error;
	int calls;
} kernel;

int __wrap_ioctl(int fd, unsigned long request, void *data)
{
	assert_int_equal(fd, FD);
	assert_int_equal(request, kernel.request);
	assert_memory_equal(data, kernel.want, kernel.size);
	kernel.calls++;
	/* A kernel that fails may have written nevertheless. */
	memcpy(data, kernel.give, kernel.size);
	errno = kernel.error;
	return kernel.error ? -1 : 0;
}

static void expect_call(unsigned long request, size_t size, const void *want,
			const void *give, int error)
{
	assert_true(size <= sizeof(kernel.want));
	assert_int_equal(_IOC_SIZE(request), size);
	memset(&kernel, 0, sizeof(kernel));
	kernel.request = request;
	kernel.size = size;
	kernel.error = error;
	memcpy(kernel.want, want, size);
	memcpy(kernel.give, give, size);
}

#define EXPECT(request, want, give, error) \
	expect_call(request, sizeof(want), &(want), &(give), error)

static void assert_failed(int result, int error)
{
	assert_int_equal(result, -1);
	assert_int_equal(errno, error);
	assert_int_equal(kernel.calls, 1);
}

/* The answer to a call is the kernel's; a call that fails writes nothing. */
#define ASSERT_ANSWERS(request, want, call, got, error)         \
	do {                                                    \
		__typeof__(got) all;                            \
                                                                \
		memset(&all, 0x5a, sizeof(all));                \
		memset(&(got), 0xcc, sizeof(got));              \
		EXPECT(request, want, all, error);              \
		if (error) {                                    \
			assert_failed(call, error);             \
			memset(&all, 0xcc, sizeof(all));        \
		} else {                                        \
			assert_int_equal(call, 0);              \
		}                                               \
		assert_memory_equal(&(got), &all, sizeof(got)); \
	} while (0)

TEST(answers_are_the_kernels)
{
	struct kuid_query query = { .format = KUID_FORMAT_LEX }, limits;
	struct kuid_status no_status = { 0 }, status;
	struct kuid_state no_state = { 0 }, saved;

	ASSERT_ANSWERS(KUID_IOC_STATUS, no_status,
		       kuid_read_status(&handle, &status), status, 0);
	ASSERT_ANSWERS(KUID_IOC_STATUS, no_status,
		       kuid_read_status(&handle, &status), status, ENOTTY);
	ASSERT_ANSWERS(KUID_IOC_GET_STATE, no_state,
		       kuid_read_state(&handle, &saved), saved, 0);
	ASSERT_ANSWERS(KUID_IOC_GET_STATE, no_state,
		       kuid_read_state(&handle, &saved), saved, EAGAIN);
	ASSERT_ANSWERS(KUID_IOC_QUERY, query,
		       kuid_read_limits(&handle, KUID_FORMAT_LEX, &limits),
		       limits, 0);
	/* Unknown formats are the kernel's to refuse: it may be newer. */
	query.format = KUID_ANY_UUID;
	ASSERT_ANSWERS(KUID_IOC_QUERY, query,
		       kuid_read_limits(&handle, KUID_ANY_UUID, &limits),
		       limits, EINVAL);
}

TEST(order_is_the_only_thing_that_is_set)
{
	struct kuid_set_format host = { .order = KUID_ORDER_HOST };
	struct kuid_set_format unknown = { .order = 77 };

	EXPECT(KUID_IOC_SET_FORMAT, host, host, 0);
	assert_ok(kuid_set_order(&handle, KUID_ORDER_HOST));
	EXPECT(KUID_IOC_SET_FORMAT, host, host, EBUSY);
	assert_failed(kuid_set_order(&handle, KUID_ORDER_HOST), EBUSY);
	EXPECT(KUID_IOC_SET_FORMAT, unknown, unknown, EINVAL);
	assert_failed(kuid_set_order(&handle, 77), EINVAL);
}

/* These fail without a request to the kernel. */
TEST(handle_status_is_the_librarys)
{
	struct kuid_handle_status want = { .made_by = KUID_MADE_BY_KERNEL };
	struct kuid_handle_status got;

	kernel.calls = 0;
	memset(&got, 0xcc, sizeof(got));
	assert_int_equal(sizeof(got), 64);
	assert_ok(kuid_read_handle_status(&handle, &got));
	assert_memory_equal(&got, &want, sizeof(got));
	assert_int_equal(kernel.calls, 0);
}

/*
 * A struct is passed to the kernel. What comes back are the epoch and, if
 * @more, what it says; a call that fails changes nothing.
 */
#define ASSERT_PASSES(ioc, type, call, more)                        \
	do {                                                        \
		type request, answer, want;                         \
                                                                    \
		memset(&request, 0x3c, sizeof(request));            \
		memset(&answer, 0x5a, sizeof(answer));              \
		want = request;                                     \
		EXPECT(ioc, request, answer, ESTALE);               \
		assert_failed(call(&handle, &request), ESTALE);     \
		assert_memory_equal(&request, &want, sizeof(want)); \
		EXPECT(ioc, request, answer, 0);                    \
		assert_ok(call(&handle, &request));                 \
		want.epoch = answer.epoch;                          \
		more;                                               \
		assert_memory_equal(&request, &want, sizeof(want)); \
	} while (0)

TEST(requests_are_passed_and_their_results_come_back)
{
	ASSERT_PASSES(KUID_IOC_COVER, struct kuid_cover, kuid_set_cover,
		      want.load_id = answer.load_id);
	ASSERT_PASSES(KUID_IOC_SET_IDENTITY, struct kuid_set_identity,
		      kuid_change_identity, );
	ASSERT_PASSES(KUID_IOC_CLAIM, struct kuid_claim, kuid_claim_numbers, );
}

TEST(a_claim_is_dropped)
{
	struct kuid_claim drop = { .replaces = { 5, 6 }, .load_id = 7 };
	struct kuid_claim answer = { .epoch = 77 };
	uint64_t epoch = 9;

	EXPECT(KUID_IOC_CLAIM, drop, answer, ENOMEM);
	assert_failed(kuid_drop_claim(&handle, 7, drop.replaces, &epoch),
		      ENOMEM);
	assert_int_equal(epoch, 9);
	EXPECT(KUID_IOC_CLAIM, drop, answer, 0);
	assert_ok(kuid_drop_claim(&handle, 7, drop.replaces, &epoch));
	assert_int_equal(epoch, 77);
	assert_ok(kuid_drop_claim(&handle, 7, drop.replaces, NULL));
}

TEST(a_claim_is_raised_or_ended)
{
	struct kuid_claim_ceiling raise = {
		.ceiling_ns = 1ULL << 62,
		.load_id = 7,
		.token = { 5, 6 },
	};
	struct kuid_claim_ceiling end = {
		.flags = KUID_CLAIM_END,
		.load_id = 7,
		.token = { 5, 6 },
	};
	struct kuid_claim_ceiling answer = { .ceiling_ns = 77 };
	uint64_t time = 9;

	EXPECT(KUID_IOC_CLAIM_CEILING, raise, answer, 0);
	assert_ok(kuid_raise_claim(&handle, 7, raise.token, 1ULL << 62));
	EXPECT(KUID_IOC_CLAIM_CEILING, raise, answer, ESTALE);
	assert_failed(kuid_raise_claim(&handle, 7, raise.token, 1ULL << 62),
		      ESTALE);

	EXPECT(KUID_IOC_CLAIM_CEILING, end, answer, ESTALE);
	assert_failed(kuid_end_claim(&handle, 7, end.token, &time), ESTALE);
	assert_int_equal(time, 9);
	EXPECT(KUID_IOC_CLAIM_CEILING, end, answer, 0);
	assert_ok(kuid_end_claim(&handle, 7, end.token, &time));
	assert_int_equal(time, 77);
	assert_ok(kuid_end_claim(&handle, 7, end.token, NULL));
}

static const char *(*const words[])(uint64_t) = {
	kuid_reason_name,
	kuid_reason_text,
	kuid_reason_advice,
};

/* Each reason has a sentence of its own. */
static void assert_words(const char *(*of)(uint64_t), unsigned int bit)
{
	const char *text = of(1ULL << bit);
	const char *unknown = of(1ULL << 55);

	assert_non_null(text);
	assert_int_equal(text[strlen(text) - 1], '.');
	assert_in_range(text[0], 'A', 'Z');
	assert_null(strstr(text, "  "));
	if (kuid_reason_name(1ULL << bit))
		assert_string_not_equal(text, unknown);
	else
		assert_string_equal(text, unknown);
}

TEST(reasons_have_words)
{
	uint64_t kernels = 0xfff;

	for (unsigned int bit = 0; bit < 64; bit++) {
		const char *name;

		errno = 0;
		name = kuid_reason_name(1ULL << bit);
		assert_int_equal(!!name, kernels >> bit & 1);
		assert_int_equal(errno, name ? 0 : EINVAL);
		assert_words(words[1], bit);
		assert_words(words[2], bit);
		for (unsigned int other = 0; name && other < bit; other++) {
			for (int i = 0; i < 3; i++)
				assert_string_not_equal(words[i](1ULL << bit),
							words[i](1ULL
								 << other));
		}
	}
}

TEST(what_is_not_one_reason_is_einval)
{
	const uint64_t wrong[] = { 0, 3, ~0ULL };

	for (int i = 0; i < 9; i++) {
		errno = 0;
		assert_null(words[i / 3](wrong[i % 3]));
		assert_int_equal(errno, EINVAL);
	}
}

/* The lowest number that no format has. */
static unsigned int no_format(void)
{
	unsigned int format = 1;

	while (kuid_format_name(format))
		format++;
	return format;
}

/* Each format is in one of the sentences, in the order of the numbers. */
TEST(reasons_name_the_formats)
{
	char stamps[256] = "The clock of", slots[256] = "The clock of";

	for (unsigned int format = 1; format < no_format(); format++) {
		char *of = kuid_format_made_from(format) ==
					   KUID_MADE_FROM_STAMPS
				   ? stamps
				   : slots;

		strcat(of, " ");
		strcat(of, kuid_format_name(format));
	}
	strcat(stamps, " goes");
	strcat(slots, " goes");
	assert_non_null(strstr(kuid_reason_text(KUID_REASON_STAMPS_HALF_SPEED),
			       stamps));
	assert_non_null(
		strstr(kuid_reason_text(KUID_REASON_SLOTS_HALF_SPEED), slots));
}

int main(void)
{
	return run_cases("requests", NULL, NULL);
}
