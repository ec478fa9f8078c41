// SPDX-License-Identifier: MIT
/*
 * libkuid for index.js, which chooses the source and words the errors. Nothing
 * here waits. All arguments are checked here, since any code may call this. A
 * call that libkuid fails returns a negative errno, as Node.js numbers errors.
 */
#include <endian.h>
#include <errno.h>
#include <kuid.h>
#include <math.h>
#include <node_api.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#define ARGUMENTS_MAX 6

/* IDs of a call. */
#define COUNT_MAX 256

/* Flags of kuid_open_flags() by the number of a source. */
static const unsigned int flags[] = { 0, KUID_LOCAL, KUID_PRIVATE };

#define NR_SOURCES (sizeof(flags) / sizeof(flags[0]))

/* All threads of the process share the handles, and none is ever closed. */
static struct kuid *handles[NR_SOURCES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/*
 * The handle of a source; NULL and errno. If @lost is the one in use, another
 * is opened: a program may have closed its file. Another thread may be using
 * the former one still.
 */
static struct kuid *handle_of(uint32_t source, const struct kuid *lost)
{
	struct kuid *handle =
		__atomic_load_n(&handles[source], __ATOMIC_ACQUIRE);

	if (handle && handle != lost)
		return handle;
	pthread_mutex_lock(&lock);
	handle = handles[source];
	if (!handle || handle == lost) {
		handle = kuid_open_flags(KUID_FORMAT_V1, flags[source]);
		if (handle)
			__atomic_store_n(&handles[source], handle,
					 __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&lock);
	return handle;
}

/**
 * struct call - a call and its arguments, as far as they were read
 * @env: of the call
 * @args: undefined where there is no argument
 * @bad: an exception was thrown
 */
struct call {
	napi_env env;
	napi_value args[ARGUMENTS_MAX];
	bool bad;
};

static struct call call_of(napi_env env, napi_callback_info info)
{
	struct call call = { .env = env };
	size_t count = ARGUMENTS_MAX;

	napi_get_cb_info(env, info, &count, call.args, NULL, NULL);
	return call;
}

static void refuse(struct call *call)
{
	if (!call->bad)
		napi_throw_range_error(call->env, "ERR_OUT_OF_RANGE",
				       "kuid: an argument is out of range");
	call->bad = true;
}

/* A whole number from 0 to @most. */
static uint32_t number(struct call *call, int at, uint32_t most)
{
	double value;

	if (napi_get_value_double(call->env, call->args[at], &value) ==
		    napi_ok &&
	    value >= 0 && value <= most && value == floor(value))
		return value;
	refuse(call);
	return 0;
}

static int64_t integer(struct call *call, int at)
{
	int64_t value = 0;
	bool whole = false;

	if (napi_get_value_bigint_int64(call->env, call->args[at], &value,
					&whole) != napi_ok ||
	    !whole)
		refuse(call);
	return value;
}

static bool truth(struct call *call, int at)
{
	bool value = false;

	if (napi_get_value_bool(call->env, call->args[at], &value) != napi_ok)
		refuse(call);
	return value;
}

/* A format, or also KUID_ANY_UUID. */
static uint32_t format_of(struct call *call, int at)
{
	uint32_t format = number(call, at, KUID_ANY_UUID);

	if (!format || !kuid_format_name(format))
		refuse(call);
	return format;
}

/* A format that IDs are made of. */
static uint32_t made_format(struct call *call, int at)
{
	uint32_t format = format_of(call, at);

	if (!kuid_format_device(format))
		refuse(call);
	return format;
}

/* The bytes of an ID of a format: a Uint8Array, which a Proxy of one is not. */
static const void *id_of(struct call *call, int at, uint32_t format)
{
	napi_typedarray_type type = napi_int8_array;
	void *data = NULL;
	size_t size = 0;

	if (napi_get_typedarray_info(call->env, call->args[at], &type, &size,
				     &data, NULL, NULL) != napi_ok ||
	    type != napi_uint8_array ||
	    (!call->bad && size != kuid_format_id_size(format)))
		refuse(call);
	return data;
}

static napi_value number_to(napi_env env, int32_t value)
{
	napi_value to = NULL;

	napi_create_int32(env, value, &to);
	return to;
}

static napi_value text_to(napi_env env, uint32_t format, const void *id)
{
	char text[KUID_TEXT_MAX];
	napi_value to = NULL;

	if (kuid_text(format, id, text, sizeof(text)))
		return number_to(env, -errno);
	napi_create_string_latin1(env, text, NAPI_AUTO_LENGTH, &to);
	return to;
}

static napi_value bytes_to(napi_env env, uint32_t format, const void *id)
{
	napi_value to = NULL;

	napi_create_buffer_copy(env, kuid_format_id_size(format), id, NULL,
				&to);
	return to;
}

/* An ID in the type that IDs of its format have. */
static napi_value id_to(napi_env env, uint32_t format, const void *id)
{
	napi_value to = NULL;
	uint64_t number;

	if (format <= KUID_FORMAT_V7 || format == KUID_ANY_UUID)
		return text_to(env, format, id);
	if (kuid_format_id_size(format) != sizeof(number))
		return bytes_to(env, format, id);
	memcpy(&number, id, sizeof(number));
	napi_create_bigint_uint64(env, be64toh(number), &to);
	return to;
}

/* make(source, format, order, count): an array of IDs; count 0 only opens. */
static napi_value make(napi_env env, napi_callback_info info)
{
	struct call call = call_of(env, info);
	uint32_t source = number(&call, 0, NR_SOURCES - 1);
	uint32_t format = made_format(&call, 1);
	uint32_t order = number(&call, 2, KUID_ORDER_HOST);
	uint32_t count = number(&call, 3, COUNT_MAX);
	unsigned char ids[COUNT_MAX * KUID_ID_MAX];
	struct kuid *handle = call.bad ? NULL : handle_of(source, NULL);
	bool again = true;
	napi_value to = NULL;
	ssize_t made = count ? -1 : 0;

	while (handle && made < 0) {
		made = kuid_make(handle, format, order, KUID_NOWAIT, ids,
				 count);
		if (made >= 0 || errno == EINTR)
			continue;
		if ((errno != EBADF && errno != ENODEV) || !again)
			break;
		again = false;
		handle = handle_of(source, handle);
	}
	if (call.bad)
		return NULL;
	if (!handle || made < 0)
		return number_to(env, -errno);
	napi_create_array_with_length(env, made, &to);
	for (ssize_t i = 0; i < made; i++)
		napi_set_element(env, to, i,
				 id_to(env, format,
				       ids + i * kuid_format_id_size(format)));
	return to;
}

/* text(format, bytes) */
static napi_value text(napi_env env, napi_callback_info info)
{
	struct call call = call_of(env, info);
	uint32_t format = format_of(&call, 0);
	const void *id = id_of(&call, 1, format);

	return call.bad ? NULL : text_to(env, format, id);
}

/* parse(format, text): [format, bytes, ID], or where the text is wrong. */
static napi_value parse(napi_env env, napi_callback_info info)
{
	struct call call = call_of(env, info);
	uint32_t format = number(&call, 0, KUID_ANY_UUID);
	char text[KUID_TEXT_MAX + 1];
	unsigned char id[KUID_ID_MAX];
	size_t size = 0, where = 0;
	napi_value result = NULL;
	int found;

	/* A longer text is cut, and still too long. */
	if (napi_get_value_string_utf8(env, call.args[1], text, sizeof(text),
				       &size) != napi_ok ||
	    (format && !kuid_format_name(format)))
		refuse(&call);
	if (call.bad)
		return NULL;
	if (format)
		found = kuid_parse(format, text, size, id, &where)
				? -1
				: (int)format;
	else
		found = kuid_recognise(text, size, id, &where);
	if (found < 0)
		return number_to(env, where);
	napi_create_array_with_length(env, 3, &result);
	napi_set_element(env, result, 0, number_to(env, found));
	napi_set_element(env, result, 1, bytes_to(env, found, id));
	napi_set_element(env, result, 2, id_to(env, found, id));
	return result;
}

/* time(format, bytes, setting, madeByKuid): nanoseconds since 1970. */
static napi_value time_of(napi_env env, napi_callback_info info)
{
	struct call call = call_of(env, info);
	uint32_t format = format_of(&call, 0);
	const void *id = id_of(&call, 1, format);
	uint64_t setting = integer(&call, 2);
	bool ours = truth(&call, 3);
	struct kuid_fields fields;
	napi_value to = NULL;
	uint64_t words[2];
	__int128 ns;

	if (call.bad)
		return NULL;
	if (kuid_decode(format, id, setting, ours ? KUID_FROM_KUID : 0,
			&fields) ||
	    !(fields.has & KUID_HAS_TIME))
		return number_to(env, -EINVAL);
	ns = (__int128)fields.sec * 1000000000 + fields.nsec;
	words[0] = ns < 0 ? -ns : ns;
	words[1] = (ns < 0 ? -ns : ns) >> 64;
	napi_create_bigint_words(env, ns < 0, 2, words, &to);
	return to;
}

/* edge(high, format, sec, nsec, setting, madeByKuid): an ID. */
static napi_value edge(napi_env env, napi_callback_info info)
{
	struct call call = call_of(env, info);
	bool high = truth(&call, 0);
	uint32_t format = format_of(&call, 1);
	int64_t sec = integer(&call, 2);
	uint32_t nsec = number(&call, 3, 999999999);
	uint64_t setting = integer(&call, 4);
	unsigned int ours = truth(&call, 5) ? KUID_FROM_KUID : 0;
	unsigned char id[KUID_ID_MAX];

	if (call.bad)
		return NULL;
	if ((high ? kuid_highest_at : kuid_lowest_at)(format, sec, nsec,
						      setting, ours, id))
		return number_to(env, -errno);
	return id_to(env, format, id);
}

/* status(source, format): bits. */
static napi_value status_of(napi_env env, napi_callback_info info)
{
	struct call call = call_of(env, info);
	uint32_t source = number(&call, 0, NR_SOURCES - 1);
	uint32_t format = made_format(&call, 1);
	struct kuid *handle = call.bad ? NULL : handle_of(source, NULL);
	struct kuid_status status;

	if (call.bad)
		return NULL;
	if (!handle || kuid_read_status(handle, &status))
		return number_to(env, -errno);
	if (flags[source] == KUID_PRIVATE)
		status.clones = kuid_lane_clones(&status);
	return number_to(env, (status.unique >> format & 1) |
				      (status.ordered >> format & 1) << 1 |
				      (status.reboot_safe >> format & 1) << 2 |
				      (status.clones & 3) << 3);
}

/* advice(errno): a sentence, or undefined. */
static napi_value advice(napi_env env, napi_callback_info info)
{
	struct call call = call_of(env, info);
	const char *sentence = kuid_error_advice(number(&call, 0, INT32_MAX));
	napi_value to = NULL;

	if (!call.bad && sentence)
		napi_create_string_latin1(env, sentence, NAPI_AUTO_LENGTH, &to);
	return to;
}

static napi_value init(napi_env env, napi_value exports)
{
	static const struct {
		const char *name;
		napi_callback call;
	} functions[] = {
		{ "make", make },     { "text", text }, { "parse", parse },
		{ "time", time_of },  { "edge", edge }, { "status", status_of },
		{ "advice", advice },
	};
	napi_value formats, function;
	const char *name;

	napi_create_object(env, &formats);
	for (int format = 1; (name = kuid_format_name(format)); format++)
		napi_set_named_property(env, formats, name,
					number_to(env, format));
	napi_set_named_property(env, exports, "formats", formats);
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		napi_create_function(env, functions[i].name, NAPI_AUTO_LENGTH,
				     functions[i].call, NULL, &function);
		napi_set_named_property(env, exports, functions[i].name,
					function);
	}
	return exports;
}

NAPI_MODULE(kuid, init)
