// SPDX-License-Identifier: MIT
/* IDs of libkuid as objects of Python, for its stable ABI. */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030a0000
#include <Python.h>

#include <endian.h>
#include <errno.h>
#include <kuid.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#define NR_FORMATS (KUID_FORMAT_SNOWFLAKE + 1)

/* IDs of a batch that are made at once. */
#define CHUNK 256

enum source {
	UNDECIDED,
	AUTO,
	DEVICE,
	PRIVATE,
	LOCAL
};

static const char *const source_names[] = {
	[AUTO] = "auto",
	[DEVICE] = "device",
	[PRIVATE] = "private",
	[LOCAL] = "local",
};

static const char *const order_names[] = {
	[KUID_ORDER_DEFAULT] = "file",
	[KUID_ORDER_CPU] = "cpu",
	[KUID_ORDER_HOST] = "host",
};

/**
 * struct state - what a module needs, in each interpreter
 * @uuid: the class uuid.UUID
 * @alloc: allocates a UUID without its constructor, which takes longer than all
 *	else
 * @int_of: descriptor of UUID.int
 * @set_int: its setter
 * @safe_of: descriptor of UUID.is_safe
 * @set_safe: its setter
 * @safe: SafeUUID.safe, for IDs that the kernel guards
 * @unknown: SafeUUID.unknown
 * @shift: 64
 * @ids: the generator of the functions of the module itself
 */
struct state {
	PyObject *uuid;
	allocfunc alloc;
	PyObject *int_of;
	descrsetfunc set_int;
	PyObject *safe_of;
	descrsetfunc set_safe;
	PyObject *safe;
	PyObject *unknown;
	PyObject *shift;
	PyObject *ids;
};

/**
 * struct generator - kuid.Generator
 * @state: of the module
 * @asked: the source that was asked for
 * @source: the one that AUTO has become; UNDECIDED before the first ID
 * @order: KUID_ORDER_*
 * @forks: value of @forks when @source was decided
 * @warned: the user knows about LOCAL
 * @handles: by format, opened when they are used
 */
struct generator {
	PyObject_HEAD struct state *state;
	enum source asked;
	enum source source;
	unsigned int order;
	unsigned int forks;
	bool warned;
	struct kuid *handles[NR_FORMATS];
};

/* How often this process and its parents were forked. */
static unsigned int forks;

static void count_fork(void)
{
	forks++;
}

static void watch_forks(void)
{
	pthread_atfork(NULL, NULL, count_fork);
}

/* Raise the error in errno, with what helps. */
static PyObject *fail(unsigned int format)
{
	int err = errno;
	const char *advice = kuid_error_advice(err);
	PyObject *args, *class = PyExc_OSError;

	if (!advice)
		return PyErr_SetFromErrnoWithFilename(
			class, kuid_format_device(format));
	args = Py_BuildValue("(iNs)", err,
			     PyUnicode_FromFormat("%s. %s", strerror(err),
						  advice),
			     kuid_format_device(format));
	if (args)
		PyErr_SetObject(class, args);
	Py_XDECREF(args);
	return NULL;
}

static bool may_be_absent(int err)
{
	return err == ENODEV || err == EACCES || err == EPERM;
}

/* Only the device makes the other formats. */
static bool is_stamp(unsigned int format)
{
	return kuid_format_made_from(format) == KUID_MADE_FROM_STAMPS;
}

static bool has_lane(const struct generator *self, unsigned int format)
{
	return self->asked == PRIVATE || self->asked == LOCAL ||
	       (self->source == LOCAL && is_stamp(format));
}

static int warn(struct generator *self, int err)
{
	if (self->warned)
		return 0;
	self->warned = true;
	return PyErr_WarnFormat(PyExc_RuntimeWarning, 1,
				"kuid: no device (%s): this process makes "
				"UUIDs by itself, and only random bits tell "
				"them from those of others",
				strerror(err));
}

static struct kuid *open_device(const struct generator *self,
				unsigned int format)
{
	struct kuid *handle = kuid_open(format);
	int err;

	if (handle && self->order != KUID_ORDER_DEFAULT &&
	    kuid_set_order(handle, self->order)) {
		err = errno;
		kuid_close(handle);
		handle = NULL;
		errno = err;
	}
	return handle;
}

/* NULL and an exception. The first ID decides what AUTO becomes. */
static struct kuid *open_handle(struct generator *self, unsigned int format)
{
	struct kuid *handle;
	int err;

	if (has_lane(self, format)) {
		handle = kuid_open_flags(format, self->asked == PRIVATE
							 ? KUID_PRIVATE
							 : KUID_LOCAL);
		self->source = self->asked == PRIVATE ? PRIVATE : LOCAL;
	} else {
		handle = open_device(self, format);
		err = errno;
		if (handle && self->source == UNDECIDED)
			self->source = DEVICE;
		if (!handle && self->source == UNDECIDED &&
		    self->asked == AUTO && self->order == KUID_ORDER_DEFAULT &&
		    is_stamp(format) && may_be_absent(err)) {
			handle = kuid_open_flags(format, KUID_LOCAL);
			if (handle) {
				self->source = LOCAL;
				self->handles[format] = handle;
				if (warn(self, err))
					return NULL;
			}
			errno = err;
		}
	}
	self->handles[format] = handle;
	return handle ? handle : (void *)fail(format);
}

static void close_all(struct generator *self)
{
	for (int format = 0; format < NR_FORMATS; format++) {
		kuid_close(self->handles[format]);
		self->handles[format] = NULL;
	}
}

/*
 * Called first in a child: AUTO that became LOCAL looks for the device again. A
 * handle of the device serves children, too.
 */
static void decide_again(struct generator *self)
{
	self->forks = forks;
	if (self->asked == AUTO && self->source == LOCAL) {
		close_all(self);
		self->source = UNDECIDED;
	}
}

/*
 * Make IDs; 0, or -1 and an exception. A program may close the device behind
 * Python's back, as daemons do. Its number may then be that of another file, so
 * IDs come by an ioctl, which fails there, and the handle is left as it is:
 * closing it would close the other file. libkuid checks that for lanes.
 */
static int make(struct generator *self, unsigned int format, void *ids,
		Py_ssize_t count)
{
	Py_ssize_t size = kuid_format_id_size(format), done = 0;
	bool again = true;

	if (self->forks != forks)
		decide_again(self);
	while (done < count) {
		struct kuid *handle = self->handles[format];
		char *to = (char *)ids + done * size;
		ssize_t made;

		if (!handle && !(handle = open_handle(self, format)))
			return -1;
		if (has_lane(self, format)) {
			if (count == 1)
				made = kuid_one(handle, to) ? -1 : 1;
			else
				made = kuid_many(handle, to, count - done);
		} else {
			Py_BEGIN_ALLOW_THREADS made =
				kuid_many(handle, to, count - done);
			Py_END_ALLOW_THREADS
		}
		if (made > 0) {
			done += made;
			continue;
		}
		if (errno == EINTR) {
			if (PyErr_CheckSignals())
				return -1;
		} else if ((errno == EBADF || errno == ENODEV) && again) {
			again = false;
			if (self->handles[format] == handle)
				self->handles[format] = NULL;
		} else {
			fail(format);
			return -1;
		}
	}
	return 0;
}

static PyObject *number(const unsigned char *id)
{
	uint64_t value;

	memcpy(&value, id, sizeof(value));
	return PyLong_FromUnsignedLongLong(be64toh(value));
}

static PyObject *wide_number(const struct state *state, const unsigned char *id)
{
	PyObject *high = number(id), *low = number(id + 8), *wide = NULL;
	PyObject *raised = high ? PyNumber_Lshift(high, state->shift) : NULL;

	if (raised && low)
		wide = PyNumber_Or(raised, low);
	Py_XDECREF(high);
	Py_XDECREF(low);
	Py_XDECREF(raised);
	return wide;
}

static PyObject *uuid_of(const struct generator *self, const unsigned char *id)
{
	const struct state *state = self->state;
	PyObject *safe = self->source == LOCAL ? state->unknown : state->safe;
	PyObject *uuid, *value = wide_number(state, id);

	if (!value)
		return NULL;
	uuid = state->alloc((PyTypeObject *)state->uuid, 0);
	if (uuid && (state->set_int(state->int_of, uuid, value) ||
		     state->set_safe(state->safe_of, uuid, safe))) {
		Py_DECREF(uuid);
		uuid = NULL;
	}
	Py_DECREF(value);
	return uuid;
}

static PyObject *object_of(const struct generator *self, unsigned int format,
			   const unsigned char *id)
{
	switch (format) {
	case KUID_FORMAT_V1:
	case KUID_FORMAT_V6:
	case KUID_FORMAT_V7:
		return uuid_of(self, id);
	case KUID_FORMAT_K64:
	case KUID_FORMAT_SNOWFLAKE:
		return number(id);
	default:
		return PyBytes_FromStringAndSize((const char *)id,
						 kuid_format_id_size(format));
	}
}

static PyObject *one(PyObject *self, unsigned int format)
{
	unsigned char id[KUID_ID_MAX];

	if (make((struct generator *)self, format, id, 1))
		return NULL;
	return object_of((struct generator *)self, format, id);
}

/* The arguments of uuid.uuid1(), which nobody may choose here. */
static bool chooses_none(PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "node", "clock_seq", NULL };
	PyObject *node = Py_None, *clock_seq = Py_None;

	if (!kwargs && !PyTuple_Size(args))
		return true;
	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|OO", names, &node,
					 &clock_seq))
		return false;
	if (node == Py_None && clock_seq == Py_None)
		return true;
	PyErr_SetString(PyExc_ValueError,
			"kuid chooses node and clock_seq, which keep UUIDs "
			"unique: leave them out, or use the module uuid");
	return false;
}

static PyObject *uuid1(PyObject *self, PyObject *args, PyObject *kwargs)
{
	return chooses_none(args, kwargs) ? one(self, KUID_FORMAT_V1) : NULL;
}

static PyObject *uuid6(PyObject *self, PyObject *args, PyObject *kwargs)
{
	return chooses_none(args, kwargs) ? one(self, KUID_FORMAT_V6) : NULL;
}

#define MAKER(name, NAME)                                       \
	static PyObject *name(PyObject *self, PyObject *unused) \
	{                                                       \
		return one(self, KUID_FORMAT_##NAME);           \
	}
MAKER(uuid7, V7)
MAKER(lex, LEX)
MAKER(k64, K64)
MAKER(k96, K96)
MAKER(k128, K128)
MAKER(snowflake, SNOWFLAKE)

/* The number of a format, or 0 and an exception. */
static unsigned int format_named(const char *name)
{
	int format = kuid_format_number(name);

	if (format > 0 && format < NR_FORMATS)
		return format;
	PyErr_Format(PyExc_ValueError, "\"%s\" is no format of kuid", name);
	return 0;
}

static PyObject *batch(PyObject *self, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "n", "format", NULL };
	unsigned char ids[CHUNK * KUID_ID_MAX];
	const char *name = "v7";
	Py_ssize_t count;
	unsigned int format;
	PyObject *list;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "n|s", names, &count,
					 &name))
		return NULL;
	format = format_named(name);
	if (!format)
		return NULL;
	if (count < 0) {
		PyErr_SetString(PyExc_ValueError, "n must not be negative");
		return NULL;
	}
	list = PyList_New(0);
	while (list && count > 0) {
		Py_ssize_t now = count < CHUNK ? count : CHUNK;
		Py_ssize_t size = kuid_format_id_size(format);

		if (make((struct generator *)self, format, ids, now))
			goto failed;
		for (Py_ssize_t i = 0; i < now; i++) {
			PyObject *id = object_of((struct generator *)self,
						 format, ids + i * size);
			int err = id ? PyList_Append(list, id) : -1;

			Py_XDECREF(id);
			if (err)
				goto failed;
		}
		count -= now;
	}
	return list;
failed:
	Py_DECREF(list);
	return NULL;
}

static PyObject *source_of(PyObject *object, void *unused)
{
	struct generator *self = (struct generator *)object;

	if (self->forks != forks)
		decide_again(self);
	if (self->source != UNDECIDED)
		return PyUnicode_FromString(source_names[self->source]);
	return PyUnicode_FromString(source_names[self->asked]);
}

static PyObject *order_of(PyObject *self, void *unused)
{
	return PyUnicode_FromString(
		order_names[((struct generator *)self)->order]);
}

/* The index of a name, or -1 and an exception. */
static int index_of(const char *const *names, int count, const char *name,
		    const char *what)
{
	for (int i = 0; i < count; i++) {
		if (names[i] && !strcmp(names[i], name))
			return i;
	}
	PyErr_Format(PyExc_ValueError, "\"%s\" is no %s of kuid", name, what);
	return -1;
}

static PyObject *new_generator(PyTypeObject *type, PyObject *args,
			       PyObject *kwargs)
{
	static char *names[] = { "source", "order", NULL };
	const char *source_name = "auto", *order_name = "file";
	struct generator *self;
	int source, order;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "|ss", names,
					 &source_name, &order_name))
		return NULL;
	source = index_of(source_names, LOCAL + 1, source_name, "source");
	if (source < 0)
		return NULL;
	order = index_of(order_names, KUID_ORDER_HOST + 1, order_name, "order");
	if (order < 0)
		return NULL;
	if (order != KUID_ORDER_DEFAULT &&
	    (source == PRIVATE || source == LOCAL)) {
		PyErr_Format(PyExc_ValueError,
			     "only the device has the order "
			     "\"%s\"",
			     order_name);
		return NULL;
	}
	self = (struct generator *)PyType_GenericNew(type, NULL, NULL);
	if (!self)
		return NULL;
	self->state = PyType_GetModuleState(type);
	self->asked = source;
	self->order = order;
	self->forks = forks;
	return (PyObject *)self;
}

static void free_generator(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);

	close_all((struct generator *)self);
	((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
	Py_DECREF(type);
}

#define WITH_ARGUMENTS (METH_VARARGS | METH_KEYWORDS)
static PyMethodDef generator_methods[] = {
	{ "uuid1", (PyCFunction)(void *)uuid1, WITH_ARGUMENTS,
	  "A UUID of version 1." },
	{ "uuid6", (PyCFunction)(void *)uuid6, WITH_ARGUMENTS,
	  "A UUID of version 6." },
	{ "uuid7", uuid7, METH_NOARGS, "A UUID of version 7." },
	{ "lex", lex, METH_NOARGS, "A lexical UUID, 16 bytes." },
	{ "k64", k64, METH_NOARGS, "A k-ordered ID of this host, an integer." },
	{ "k96", k96, METH_NOARGS, "A k-ordered ID, 12 bytes." },
	{ "k128", k128, METH_NOARGS, "A k-ordered ID, 16 bytes." },
	{ "snowflake", snowflake, METH_NOARGS, "A snowflake, an integer." },
	{ "batch", (PyCFunction)(void *)batch, WITH_ARGUMENTS,
	  "A list of n IDs of a format, which increase." },
	{ NULL }
};

static PyGetSetDef generator_properties[] = {
	{ "source", source_of, NULL,
	  "Where IDs are made: device, private or local; auto before the "
	  "first one." },
	{ "order", order_of, NULL, "The order that was asked for." },
	{ NULL }
};

static PyType_Slot generator_slots[] = {
	{ Py_tp_doc, "Generator(source='auto', order='file')" },
	{ Py_tp_new, new_generator },
	{ Py_tp_dealloc, free_generator },
	{ Py_tp_methods, generator_methods },
	{ Py_tp_getset, generator_properties },
	{ 0, NULL }
};

static PyType_Spec generator_spec = {
	.name = "kuid.Generator",
	.basicsize = sizeof(struct generator),
	.flags = Py_TPFLAGS_DEFAULT,
	.slots = generator_slots,
};

/* An ID of a format as the bytes at id; false and an exception. */
static bool bytes_of(unsigned int format, const char *id, Py_ssize_t size)
{
	if (size == (Py_ssize_t)kuid_format_id_size(format))
		return true;
	PyErr_Format(PyExc_ValueError, "an ID of %s has %zu bytes, not %zd",
		     kuid_format_name(format), kuid_format_id_size(format),
		     size);
	return false;
}

static PyObject *text(PyObject *self, PyObject *args)
{
	char text[KUID_TEXT_MAX];
	unsigned int format;
	Py_ssize_t size;
	const char *name, *id;

	if (!PyArg_ParseTuple(args, "sy#", &name, &id, &size))
		return NULL;
	format = format_named(name);
	if (!format || !bytes_of(format, id, size))
		return NULL;
	if (kuid_text(format, id, text, sizeof(text)))
		return PyErr_Format(PyExc_ValueError, "not an ID of %s", name);
	return PyUnicode_FromString(text);
}

static PyObject *time_ns(PyObject *self, PyObject *args)
{
	struct kuid_fields fields;
	unsigned long long setting;
	unsigned int format;
	Py_ssize_t size;
	const char *name, *id;
	PyObject *sec, *nsec, *billion, *scaled = NULL, *time = NULL;
	int ours;

	if (!PyArg_ParseTuple(args, "sy#Kp", &name, &id, &size, &setting,
			      &ours))
		return NULL;
	format = format_named(name);
	if (!format || !bytes_of(format, id, size))
		return NULL;
	if (kuid_decode(format, id, setting, ours ? KUID_FROM_KUID : 0,
			&fields))
		return PyErr_Format(PyExc_ValueError, "not an ID of %s", name);
	sec = PyLong_FromLongLong(fields.sec);
	nsec = PyLong_FromUnsignedLong(fields.nsec);
	billion = PyLong_FromLong(1000000000);
	if (sec && billion)
		scaled = PyNumber_Multiply(sec, billion);
	if (scaled && nsec)
		time = PyNumber_Add(scaled, nsec);
	Py_XDECREF(sec);
	Py_XDECREF(nsec);
	Py_XDECREF(billion);
	Py_XDECREF(scaled);
	return time;
}

/*
 * The functions of the module itself. Methods of a generator would do, but
 * can't be named in a pickle or in a migration of Django's.
 */
static PyObject *ids_of(PyObject *module)
{
	return ((struct state *)PyModule_GetState(module))->ids;
}

#define OF_MODULE(name)                                                    \
	static PyObject *module_##name(PyObject *module, PyObject *unused) \
	{                                                                  \
		return name(ids_of(module), NULL);                         \
	}
OF_MODULE(uuid7)
OF_MODULE(lex)
OF_MODULE(k64)
OF_MODULE(k96)
OF_MODULE(k128)
OF_MODULE(snowflake)

#define OF_MODULE_WITH(name)                                             \
	static PyObject *module_##name(PyObject *module, PyObject *args, \
				       PyObject *kwargs)                 \
	{                                                                \
		return name(ids_of(module), args, kwargs);               \
	}
OF_MODULE_WITH(uuid1)
OF_MODULE_WITH(uuid6)
OF_MODULE_WITH(batch)

static PyMethodDef public_methods[] = {
	{ "uuid1", (PyCFunction)(void *)module_uuid1, WITH_ARGUMENTS,
	  "A UUID of version 1." },
	{ "uuid6", (PyCFunction)(void *)module_uuid6, WITH_ARGUMENTS,
	  "A UUID of version 6." },
	{ "uuid7", module_uuid7, METH_NOARGS, "A UUID of version 7." },
	{ "lex", module_lex, METH_NOARGS, "A lexical UUID, 16 bytes." },
	{ "k64", module_k64, METH_NOARGS,
	  "A k-ordered ID of this host, an integer." },
	{ "k96", module_k96, METH_NOARGS, "A k-ordered ID, 12 bytes." },
	{ "k128", module_k128, METH_NOARGS, "A k-ordered ID, 16 bytes." },
	{ "snowflake", module_snowflake, METH_NOARGS,
	  "A snowflake, an integer." },
	{ "batch", (PyCFunction)(void *)module_batch, WITH_ARGUMENTS,
	  "A list of n IDs of a format, which increase." },
	{ NULL }
};

/* Their names begin with that of the package. */
static int add_functions(PyObject *module)
{
	PyObject *name = PyUnicode_FromString("kuid");

	for (PyMethodDef *method = public_methods; name && method->ml_name;
	     method++) {
		PyObject *function = PyCFunction_NewEx(method, module, name);

		if (!function ||
		    PyModule_AddObject(module, method->ml_name, function)) {
			Py_XDECREF(function);
			Py_CLEAR(name);
		}
	}
	Py_XDECREF(name);
	return name ? 0 : -1;
}

static PyMethodDef module_methods[] = { { "text", text, METH_VARARGS, NULL },
					{ "time_ns", time_ns, METH_VARARGS,
					  NULL },
					{ NULL } };

/* A descriptor of a class and its setter; NULL and an exception. */
static PyObject *descriptor(PyObject *class, const char *name,
			    descrsetfunc *set)
{
	PyObject *found = PyObject_GetAttrString(class, name);

	*set = found ? PyType_GetSlot(Py_TYPE(found), Py_tp_descr_set) : NULL;
	if (found && !*set)
		PyErr_Format(PyExc_ImportError, "UUID.%s is no slot", name);
	return *set ? found : NULL;
}

static int execute(PyObject *module)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct state *state = PyModule_GetState(module);
	PyObject *uuid = PyImport_ImportModule("uuid");
	PyObject *safe, *type;

	if (!uuid)
		return -1;
	pthread_once(&once, watch_forks);
	state->uuid = PyObject_GetAttrString(uuid, "UUID");
	safe = PyObject_GetAttrString(uuid, "SafeUUID");
	Py_DECREF(uuid);
	if (!state->uuid || !safe)
		return -1;
	state->alloc = PyType_GetSlot((PyTypeObject *)state->uuid, Py_tp_alloc);
	state->int_of = descriptor(state->uuid, "int", &state->set_int);
	state->safe_of = descriptor(state->uuid, "is_safe", &state->set_safe);
	state->safe = PyObject_GetAttrString(safe, "safe");
	state->unknown = PyObject_GetAttrString(safe, "unknown");
	Py_DECREF(safe);
	state->shift = PyLong_FromLong(64);
	if (!state->int_of || !state->safe_of || !state->safe ||
	    !state->unknown || !state->shift)
		return -1;
	type = PyType_FromModuleAndSpec(module, &generator_spec, NULL);
	if (!type)
		return -1;
	state->ids = PyObject_CallObject(type, NULL);
	if (!state->ids || PyModule_AddObject(module, "Generator", type)) {
		Py_DECREF(type);
		return -1;
	}
	if (PyModule_AddObject(module, "ids", state->ids))
		return -1;
	Py_INCREF(state->ids);
	return add_functions(module);
}

static void free_module(void *module)
{
	struct state *state = PyModule_GetState(module);

	Py_CLEAR(state->uuid);
	Py_CLEAR(state->int_of);
	Py_CLEAR(state->safe_of);
	Py_CLEAR(state->safe);
	Py_CLEAR(state->unknown);
	Py_CLEAR(state->shift);
	Py_CLEAR(state->ids);
}

static PyModuleDef_Slot module_slots[] = { { Py_mod_exec, execute },
					   { 0, NULL } };

static struct PyModuleDef module = {
	PyModuleDef_HEAD_INIT,		.m_name = "kuid._kuid",
	.m_size = sizeof(struct state), .m_methods = module_methods,
	.m_slots = module_slots,	.m_free = free_module,
};

PyMODINIT_FUNC PyInit__kuid(void);
PyMODINIT_FUNC PyInit__kuid(void)
{
	return PyModuleDef_Init(&module);
}
