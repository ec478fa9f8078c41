// SPDX-License-Identifier: MIT
/*
 * Handles of libkuid for index.js, which chooses the source and tells errors.
 * All threads of the process share the handles, and none is ever closed.
 */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <kuid.h>
#include <node_api.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NR_FLAGS   (KUID_PRIVATE + 1)
#define NR_ORDERS  (KUID_ORDER_HOST + 1)
#define NR_FORMATS (KUID_FORMAT_SNOWFLAKE + 1)

struct source {
	struct kuid *handle;
	unsigned int format;
	size_t size;
	bool lane;
};

static struct source *sources[NR_FLAGS][NR_ORDERS][NR_FORMATS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Throw an error with the name and the number of an errno, and what helps. */
static napi_value fail(napi_env env, unsigned int format, int err)
{
	const char *advice = kuid_error_advice(err);
	const char *path = kuid_format_device(format);
	napi_value error, text, name, number;
	char message[512];

	snprintf(message, sizeof(message), "%s: %s%s%s", path ? path : "kuid",
		 strerror(err), advice ? ". " : "", advice ? advice : "");
	napi_create_string_utf8(env, message, NAPI_AUTO_LENGTH, &text);
	napi_create_string_utf8(env, strerrorname_np(err), NAPI_AUTO_LENGTH,
				&name);
	napi_create_int32(env, -err, &number);
	napi_create_error(env, name, text, &error);
	napi_set_named_property(env, error, "errno", number);
	napi_throw(env, error);
	return NULL;
}

/*
 * Make IDs; 0, or an errno. The device is asked by an ioctl and not by a read:
 * a program may close its file, whose number may then be that of another file.
 */
static int make(const struct source *source, void *ids, size_t count)
{
	size_t done = 0;

	while (done < count) {
		char *to = (char *)ids + done * source->size;
		ssize_t made;

		if (source->lane && count == 1)
			made = kuid_one(source->handle, to) ? -1 : 1;
		else
			made = kuid_many(source->handle, to, count - done);
		if (made > 0)
			done += made;
		else if (errno != EINTR)
			return errno;
	}
	return 0;
}

/* The arguments, and the source that belongs to the function. */
static struct source *arguments(napi_env env, napi_callback_info info,
				size_t count, napi_value *args)
{
	void *source = NULL;

	napi_get_cb_info(env, info, &count, args, NULL, &source);
	return source;
}

static napi_value one_text(napi_env env, napi_callback_info info)
{
	const struct source *source = arguments(env, info, 0, NULL);
	unsigned char id[KUID_ID_MAX];
	char text[KUID_TEXT_MAX];
	napi_value string = NULL;
	int err = make(source, id, 1);

	if (err)
		return fail(env, source->format, err);
	kuid_text(source->format, id, text, sizeof(text));
	napi_create_string_latin1(env, text, NAPI_AUTO_LENGTH, &string);
	return string;
}

static napi_value one_number(napi_env env, napi_callback_info info)
{
	const struct source *source = arguments(env, info, 0, NULL);
	napi_value number = NULL;
	uint64_t id;
	int err = make(source, &id, 1);

	if (err)
		return fail(env, source->format, err);
	napi_create_bigint_uint64(env, be64toh(id), &number);
	return number;
}

/* fill(bytes, offset, count): index.js has checked them. */
static napi_value fill(napi_env env, napi_callback_info info)
{
	napi_value args[3];
	const struct source *source = arguments(env, info, 3, args);
	uint32_t offset = 0, count = 0;
	void *bytes = NULL;
	int err;

	napi_get_typedarray_info(env, args[0], NULL, NULL, &bytes, NULL, NULL);
	napi_get_value_uint32(env, args[1], &offset);
	napi_get_value_uint32(env, args[2], &count);
	err = make(source, (char *)bytes + offset, count);
	return err ? fail(env, source->format, err) : args[0];
}

struct waiter {
	const struct source *source;
	napi_async_work work;
	napi_deferred deferred;
};

static void wait_for_ids(napi_env env, void *data)
{
	struct waiter *waiter = data;
	struct pollfd file = {
		.fd = kuid_fd(waiter->source->handle),
		.events = POLLIN,
	};

	while (poll(&file, 1, -1) < 0 && errno == EINTR)
		;
}

static void stop_waiting(napi_env env, napi_status status, void *data)
{
	struct waiter *waiter = data;
	napi_value undefined;

	napi_get_undefined(env, &undefined);
	napi_resolve_deferred(env, waiter->deferred, undefined);
	napi_delete_async_work(env, waiter->work);
	free(waiter);
}

/* A promise that an ID can be had, or that the error is another one. */
static napi_value ready(napi_env env, napi_callback_info info)
{
	const struct source *source = arguments(env, info, 0, NULL);
	struct waiter *waiter = malloc(sizeof(*waiter));
	napi_value name, promise = NULL;

	if (!waiter)
		return fail(env, source->format, ENOMEM);
	waiter->source = source;
	napi_create_promise(env, &waiter->deferred, &promise);
	napi_create_string_utf8(env, "kuid", NAPI_AUTO_LENGTH, &name);
	napi_create_async_work(env, NULL, name, wait_for_ids, stop_waiting,
			       waiter, &waiter->work);
	napi_queue_async_work(env, waiter->work);
	return promise;
}

/* NULL and errno. */
static struct source *open_source(unsigned int format, unsigned int flags,
				  unsigned int order)
{
	struct source *source = calloc(1, sizeof(*source));
	struct kuid *handle = kuid_open_flags(format, flags);
	int err = 0;

	if (!handle || !source)
		err = errno;
	else if (order && kuid_set_order(handle, order))
		err = errno;
	/* A call must not stop all else that the program does. */
	else if (!(flags & KUID_LOCAL) &&
		 fcntl(kuid_fd(handle), F_SETFL, O_NONBLOCK))
		err = errno;
	if (err) {
		kuid_close(handle);
		free(source);
		errno = err;
		return NULL;
	}
	*source = (struct source) {
		.handle = handle,
		.format = format,
		.size = kuid_id_size(handle),
		.lane = flags,
	};
	return source;
}

static void add(napi_env env, napi_value object, const char *name,
		napi_callback call, void *data)
{
	napi_value function;

	napi_create_function(env, name, NAPI_AUTO_LENGTH, call, data,
			     &function);
	napi_set_named_property(env, object, name, function);
}

/* open(format, flags, order, again): an object with functions for one format. */
static napi_value open_format(napi_env env, napi_callback_info info)
{
	uint32_t format = 0, flags = 0, order = 0;
	struct source **place, *source;
	napi_value args[4], object;
	bool again = false;
	int err;

	arguments(env, info, 4, args);
	napi_get_value_uint32(env, args[0], &format);
	napi_get_value_uint32(env, args[1], &flags);
	napi_get_value_uint32(env, args[2], &order);
	napi_get_value_bool(env, args[3], &again);
	if (format >= NR_FORMATS || flags >= NR_FLAGS || order >= NR_ORDERS)
		return fail(env, format, EINVAL);
	pthread_mutex_lock(&lock);
	place = &sources[flags][order][format];
	/* Another thread may still use one that was closed under it. */
	if (!*place || again)
		*place = open_source(format, flags, order);
	source = *place;
	err = errno;
	pthread_mutex_unlock(&lock);
	if (!source)
		return fail(env, format, err);
	napi_create_object(env, &object);
	add(env, object, "text", one_text, source);
	add(env, object, "number", one_number, source);
	add(env, object, "fill", fill, source);
	add(env, object, "ready", ready, source);
	return object;
}

/* The bytes of an ID; NULL and an exception. */
static const void *bytes_of(napi_env env, napi_value value, unsigned int format)
{
	size_t size = 0;
	void *bytes = NULL;
	char message[64];

	napi_get_typedarray_info(env, value, NULL, &size, &bytes, NULL, NULL);
	if (bytes && size == kuid_format_id_size(format))
		return bytes;
	snprintf(message, sizeof(message), "an ID of %s has %zu bytes, not %zu",
		 kuid_format_name(format), kuid_format_id_size(format), size);
	napi_throw_range_error(env, NULL, message);
	return NULL;
}

/* text(format, bytes) */
static napi_value text_of(napi_env env, napi_callback_info info)
{
	char text[KUID_TEXT_MAX];
	uint32_t format = 0;
	napi_value args[2], string = NULL;
	const void *id;

	arguments(env, info, 2, args);
	napi_get_value_uint32(env, args[0], &format);
	id = bytes_of(env, args[1], format);
	if (!id)
		return NULL;
	if (kuid_text(format, id, text, sizeof(text)))
		return fail(env, format, errno);
	napi_create_string_latin1(env, text, NAPI_AUTO_LENGTH, &string);
	return string;
}

/* time(format, bytes, setting, fromKuid): nanoseconds since 1970. */
static napi_value time_of(napi_env env, napi_callback_info info)
{
	struct kuid_fields fields;
	uint32_t format = 0;
	int64_t setting = 0;
	bool ours = false;
	napi_value args[4], number = NULL;
	const void *id;

	arguments(env, info, 4, args);
	napi_get_value_uint32(env, args[0], &format);
	napi_get_value_int64(env, args[2], &setting);
	napi_get_value_bool(env, args[3], &ours);
	id = bytes_of(env, args[1], format);
	if (!id)
		return NULL;
	if (kuid_decode(format, id, setting, ours ? KUID_FROM_KUID : 0,
			&fields))
		return fail(env, format, errno);
	napi_create_bigint_int64(env, fields.sec * 1000000000 + fields.nsec,
				 &number);
	return number;
}

static napi_value init(napi_env env, napi_value exports)
{
	napi_value formats, number;
	const char *name;

	napi_create_object(env, &formats);
	for (int format = 1; (name = kuid_format_name(format)); format++) {
		napi_create_uint32(env, format, &number);
		napi_set_named_property(env, formats, name, number);
	}
	napi_set_named_property(env, exports, "formats", formats);
	add(env, exports, "open", open_format, NULL);
	add(env, exports, "text", text_of, NULL);
	add(env, exports, "time", time_of, NULL);
	return exports;
}

NAPI_MODULE(kuid, init)
