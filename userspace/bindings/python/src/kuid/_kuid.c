// SPDX-License-Identifier: MIT
/* IDs of libkuid as objects of Python, for its stable ABI. */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030a0000
#include <Python.h>

#include <endian.h>
#include <errno.h>
#include <kuid.h>
#include <stdbool.h>
#include <string.h>

/* IDs of a batch that are made at once. */
#define CHUNK 256

enum source {
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
 * @maker: the class Maker
 * @ids: the generator of the functions of the package
 * @host: that of the functions of kuid.host
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
	PyObject *maker;
	PyObject *ids;
	PyObject *host;
};

/**
 * struct generator - kuid.Generator
 * @state: of the module
 * @asked: the source that was asked for
 * @source: the one that it has become; AUTO before the first ID
 * @order: KUID_ORDER_*
 * @told: the user knows about LOCAL, or has asked
 * @handle: makes all formats; opened when it is used
 */
struct generator {
	PyObject_HEAD struct state *state;
	enum source asked;
	enum source source;
	unsigned int order;
	bool told;
	struct kuid *handle;
};

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

static bool tell(struct generator *self, int err)
{
	if (self->told)
		return true;
	self->told = true;
	return !PyErr_WarnFormat(PyExc_RuntimeWarning, 1,
				 "kuid: no device (%s): this process makes "
				 "UUIDs by itself, and only random bits tell "
				 "them from those of others",
				 strerror(err));
}

/* False and an exception. The first ID decides what AUTO becomes. */
static bool open_handle(struct generator *self, unsigned int format)
{
	static const unsigned int flags[] = {
		[PRIVATE] = KUID_PRIVATE,
		[LOCAL] = KUID_LOCAL,
	};
	int err;

	self->handle = kuid_open_flags(KUID_FORMAT_V1, flags[self->asked]);
	if (self->handle) {
		self->source = self->asked == AUTO ? DEVICE : self->asked;
		return true;
	}
	err = errno;
	if (self->asked == AUTO && self->source == AUTO &&
	    self->order == KUID_ORDER_DEFAULT && may_be_absent(err) &&
	    kuid_format_made_from(format) == KUID_MADE_FROM_STAMPS)
		self->handle = kuid_open_flags(KUID_FORMAT_V1, KUID_LOCAL);
	if (self->handle) {
		self->source = LOCAL;
		return tell(self, err);
	}
	errno = err;
	fail(KUID_FORMAT_V1);
	return false;
}

/*
 * Make IDs; how many, or -1 and an exception. A single ID is tried first without
 * releasing the interpreter's lock, which takes about as long as the ID.
 *
 * A program may close the device behind Python's back, as daemons do, and its
 * number may be that of another file. Then another handle is opened. The former
 * one stays, because another thread may be using it.
 */
static Py_ssize_t make(struct generator *self, unsigned int format, void *ids,
		       Py_ssize_t count, bool wait)
{
	bool again = true;

	for (;;) {
		struct kuid *handle;
		ssize_t made = -1;

		if (!self->handle && !open_handle(self, format))
			return -1;
		handle = self->handle;
		errno = EAGAIN;
		if (count == 1 || !wait)
			made = kuid_make(handle, format, self->order,
					 KUID_NOWAIT, ids, count);
		if (made < 0 && errno == EAGAIN && wait) {
			Py_BEGIN_ALLOW_THREADS made = kuid_make(
				handle, format, self->order, 0, ids, count);
			Py_END_ALLOW_THREADS
		}
		if (made > 0)
			return made;
		if (errno == EINTR) {
			if (PyErr_CheckSignals())
				return -1;
		} else if ((errno == EBADF || errno == ENODEV) && again) {
			again = false;
			if (self->handle == handle)
				self->handle = NULL;
		} else {
			/* Only the device makes the other formats. */
			if (errno == EOPNOTSUPP && self->asked == AUTO)
				errno = ENODEV;
			fail(format);
			return -1;
		}
	}
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

static PyObject *one(PyObject *object, unsigned int format, bool wait)
{
	struct generator *self = (struct generator *)object;
	unsigned char id[KUID_ID_MAX];

	return make(self, format, id, 1, wait) < 0
		       ? NULL
		       : object_of(self, format, id);
}

/* Those that have the arguments of uuid.uuid1(), which nobody may choose here. */
static PyObject *one_uuid(PyObject *self, unsigned int format, PyObject *args,
			  PyObject *kwargs)
{
	static char *names[] = { "node", "clock_seq", "wait", NULL };
	PyObject *node = Py_None, *clock_seq = Py_None;
	int wait = true;

	if ((kwargs || PyTuple_Size(args)) &&
	    !PyArg_ParseTupleAndKeywords(args, kwargs, "|OO$p", names, &node,
					 &clock_seq, &wait))
		return NULL;
	if (node == Py_None && clock_seq == Py_None)
		return one(self, format, wait);
	PyErr_SetString(PyExc_ValueError,
			"kuid chooses node and clock_seq, which keep UUIDs "
			"unique: leave them out, or use the module uuid");
	return NULL;
}

static PyObject *one_any(PyObject *self, unsigned int format, PyObject *args,
			 PyObject *kwargs)
{
	static char *names[] = { "wait", NULL };
	int wait = true;

	if ((kwargs || PyTuple_Size(args)) &&
	    !PyArg_ParseTupleAndKeywords(args, kwargs, "|$p", names, &wait))
		return NULL;
	return one(self, format, wait);
}

/* The number of a format, or of any UUID; 0 and an exception. */
static unsigned int format_known(const char *name)
{
	int format = kuid_format_number(name);

	if (format > 0)
		return format;
	PyErr_Format(PyExc_ValueError, "\"%s\" is no format of kuid", name);
	return 0;
}

/* The same, of a format that kuid makes. */
static unsigned int format_named(const char *name)
{
	return format_known(strcmp(name, "uuid") ? name : "any UUID");
}

static PyObject *batch_of(PyObject *object, PyObject *args, PyObject *kwargs)
{
	static char *names[] = { "n", "format", "wait", NULL };
	struct generator *self = (struct generator *)object;
	unsigned char ids[CHUNK * KUID_ID_MAX];
	const char *name = "v7";
	Py_ssize_t count, size;
	unsigned int format;
	int wait = true;
	PyObject *list;

	if (!PyArg_ParseTupleAndKeywords(args, kwargs, "n|s$p", names, &count,
					 &name, &wait))
		return NULL;
	format = format_named(name);
	if (!format)
		return NULL;
	if (count < 0) {
		PyErr_SetString(PyExc_ValueError, "n must not be negative");
		return NULL;
	}
	size = kuid_format_id_size(format);
	list = PyList_New(0);
	while (list && count > 0) {
		Py_ssize_t made = make(self, format, ids,
				       count < CHUNK ? count : CHUNK, wait);

		/* Those before the one that would have to wait are had. */
		if (made < 0 && PyList_Size(list) && !wait &&
		    PyErr_ExceptionMatches(PyExc_BlockingIOError)) {
			PyErr_Clear();
			break;
		}
		for (Py_ssize_t i = 0; i < made; i++) {
			PyObject *id = object_of(self, format, ids + i * size);

			if (!id || PyList_Append(list, id))
				made = -1;
			Py_XDECREF(id);
		}
		if (made < 0 || PyErr_CheckSignals())
			Py_CLEAR(list);
		count -= made;
	}
	return list;
}

static const char *notices(uint32_t clones)
{
	if (clones & KUID_CLONES_SEEN)
		return "seen";
	return clones & KUID_CLONES_TOLD ? "told" : "never";
}

static PyObject *source_of(PyObject *self, void *unused)
{
	return PyUnicode_FromString(
		source_names[((struct generator *)self)->source]);
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

static struct PyModuleDef module;

/* The state of the module whose type is the base of another one. */
static struct state *state_of(PyTypeObject *type)
{
	for (;;) {
		PyObject *of = PyType_GetModule(type);

		if (of && PyModule_GetDef(of) == &module)
			return PyModule_GetState(of);
		PyErr_Clear();
		type = PyType_GetSlot(type, Py_tp_base);
	}
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
	self->state = state_of(type);
	self->asked = source;
	self->order = order;
	self->source = AUTO;
	return (PyObject *)self;
}

static void free_generator(PyObject *self)
{
	PyTypeObject *type = Py_TYPE(self);

	kuid_close(((struct generator *)self)->handle);
	((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
	Py_DECREF(type);
}

/*
 * The functions, as methods of a generator, of the package, and of kuid.host:
 * methods can't be named in a pickle or in a migration of Django's.
 */
static PyObject *itself(PyObject *self)
{
	return self;
}

static PyObject *ids_of(PyObject *module)
{
	return ((struct state *)PyModule_GetState(module))->ids;
}

static PyObject *host_of(PyObject *module)
{
	return ((struct state *)PyModule_GetState(module))->host;
}

#define UUID_ARGUMENTS "$self, /, node=None, clock_seq=None, *, wait=True"
#define ID_ARGUMENTS   "$self, /, *, wait=True"
#define UUID(NAME)     one_uuid(self, KUID_FORMAT_##NAME, args, kwargs)
#define ANY(NAME)      one_any(self, KUID_FORMAT_##NAME, args, kwargs)
#define FUNCTIONS(X, prefix, of)                                               \
	X(prefix, of, uuid1, UUID(V1), UUID_ARGUMENTS, "A UUID of version 1.") \
	X(prefix, of, uuid6, UUID(V6), UUID_ARGUMENTS, "A UUID of version 6.") \
	X(prefix, of, uuid7, ANY(V7), ID_ARGUMENTS, "A UUID of version 7.")    \
	X(prefix, of, lex, ANY(LEX), ID_ARGUMENTS,                             \
	  "A lexical UUID, 16 bytes.")                                         \
	X(prefix, of, k64, ANY(K64), ID_ARGUMENTS, "A k-ordered integer.")     \
	X(prefix, of, k96, ANY(K96), ID_ARGUMENTS,                             \
	  "A k-ordered ID, 12 bytes.")                                         \
	X(prefix, of, k128, ANY(K128), ID_ARGUMENTS,                           \
	  "A k-ordered ID, 16 bytes.")                                         \
	X(prefix, of, snowflake, ANY(SNOWFLAKE), ID_ARGUMENTS,                 \
	  "A snowflake, an integer.")                                          \
	X(prefix, of, batch, batch_of(self, args, kwargs),                     \
	  "$self, /, n, format='v7', *, wait=True",                            \
	  "A list of n IDs, which increase; without waiting, of those ready.")

#define DEFINE(prefix, of, name, call, arguments, text)               \
	static PyObject *prefix##name(PyObject *self, PyObject *args, \
				      PyObject *kwargs)               \
	{                                                             \
		self = of(self);                                      \
		return call;                                          \
	}
FUNCTIONS(DEFINE, generator_, itself)
FUNCTIONS(DEFINE, module_, ids_of)
FUNCTIONS(DEFINE, host_, host_of)

#define METHOD(prefix, of, name, call, arguments, text) \
	{ #name, (PyCFunction)(void *)prefix##name,     \
	  METH_VARARGS | METH_KEYWORDS,                 \
	  #name "(" arguments ")\n--\n\n" text },
static PyMethodDef generator_methods[] = { FUNCTIONS(METHOD,
						     generator_, ) { NULL } };
static PyMethodDef module_functions[] = { FUNCTIONS(METHOD,
						    module_, ) { NULL } };
static PyMethodDef host_functions[] = { FUNCTIONS(METHOD, host_, ) { NULL } };

static PyGetSetDef generator_properties[] = {
	{ "source", source_of, NULL,
	  "Where IDs are made: device, private or local; auto before the "
	  "first one." },
	{ "order", order_of, NULL, "The order that was asked for." },
	{ NULL }
};

static PyType_Slot generator_slots[] = {
	{ Py_tp_doc, "Maker(source='auto', order='file')\n--\n\n" },
	{ Py_tp_new, new_generator },
	{ Py_tp_dealloc, free_generator },
	{ Py_tp_methods, generator_methods },
	{ Py_tp_getset, generator_properties },
	{ 0, NULL }
};

static PyType_Spec generator_spec = {
	.name = "kuid._kuid.Maker",
	.basicsize = sizeof(struct generator),
	.flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
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
	format = format_known(name);
	if (!format || !bytes_of(format, id, size))
		return NULL;
	if (kuid_text(format, id, text, sizeof(text)))
		return PyErr_Format(PyExc_ValueError, "not an ID of %s", name);
	return PyUnicode_FromString(text);
}

/* The format of a text and its bytes. */
static PyObject *parse(PyObject *self, PyObject *args)
{
	unsigned char id[KUID_ID_MAX];
	size_t where = 0;
	Py_ssize_t size;
	const char *name, *text;
	int format;

	if (!PyArg_ParseTuple(args, "zs#", &name, &text, &size))
		return NULL;
	if (!name) {
		format = kuid_recognise(text, size, id, &where);
	} else {
		format = format_known(name);
		if (!format)
			return NULL;
		if (kuid_parse(format, text, size, id, &where))
			format = -1;
	}
	if (format < 0)
		return PyErr_Format(PyExc_ValueError,
				    "no %s: it is wrong at character %zu",
				    name ? name : "ID", where);
	return Py_BuildValue("sy#", kuid_format_name(format), id,
			     (Py_ssize_t)kuid_format_id_size(format));
}

static PyObject *no_id(const char *name)
{
	return PyErr_Format(PyExc_ValueError, "no ID of %s with a time", name);
}

/* The seconds and nanoseconds of an ID. */
static PyObject *time_of(PyObject *self, PyObject *args)
{
	struct kuid_fields fields;
	unsigned long long setting;
	unsigned int format;
	Py_ssize_t size;
	const char *name, *id;
	int ours;

	if (!PyArg_ParseTuple(args, "sy#Kp", &name, &id, &size, &setting,
			      &ours))
		return NULL;
	format = format_known(name);
	if (!format || !bytes_of(format, id, size))
		return NULL;
	if (kuid_decode(format, id, setting, ours ? KUID_FROM_KUID : 0,
			&fields) ||
	    !(fields.has & KUID_HAS_TIME))
		return no_id(name);
	return Py_BuildValue("LI", (long long)fields.sec, fields.nsec);
}

/* The lowest or highest ID of a format at a time. */
static PyObject *edge(PyObject *self, PyObject *args)
{
	unsigned char id[KUID_ID_MAX];
	unsigned long long setting;
	unsigned int nsec, format;
	const char *name;
	long long sec;
	int high, ours;

	if (!PyArg_ParseTuple(args, "psLIKp", &high, &name, &sec, &nsec,
			      &setting, &ours))
		return NULL;
	format = format_named(name);
	if (!format)
		return NULL;
	if ((high ? kuid_highest_at : kuid_lowest_at)(
		    format, sec, nsec, setting, ours ? KUID_FROM_KUID : 0, id))
		return PyErr_Format(errno == ERANGE ? PyExc_OverflowError
						    : PyExc_ValueError,
				    "%s does not reach that time", name);
	return PyBytes_FromStringAndSize((const char *)id,
					 kuid_format_id_size(format));
}

/* Take the generators of the functions of the package and of kuid.host. */
static PyObject *use(PyObject *self, PyObject *args)
{
	struct state *state = PyModule_GetState(self);
	PyObject *ids, *host;

	if (!PyArg_ParseTuple(args, "O!O!", state->maker, &ids, state->maker,
			      &host))
		return NULL;
	Py_INCREF(ids);
	Py_XDECREF(state->ids);
	state->ids = ids;
	Py_INCREF(host);
	Py_XDECREF(state->host);
	state->host = host;
	Py_RETURN_NONE;
}

/* The fields of kuid.Guarantees, of a generator. */
static PyObject *guarantees(PyObject *module, PyObject *args)
{
	const struct state *state = PyModule_GetState(module);
	struct kuid_status status;
	struct generator *self;
	unsigned int format;
	const char *name;

	if (!PyArg_ParseTuple(args, "O!s", state->maker, &self, &name))
		return NULL;
	format = format_named(name);
	if (!format)
		return NULL;
	self->told = true;
	if (!self->handle && !open_handle(self, format))
		return NULL;
	if (kuid_read_status(self->handle, &status))
		return fail(format);
	if (self->source == PRIVATE)
		status.clones = kuid_lane_clones(&status);
	return Py_BuildValue("ssNNNs", source_names[self->source],
			     order_names[self->order],
			     PyBool_FromLong(status.unique >> format & 1),
			     PyBool_FromLong(status.ordered >> format & 1),
			     PyBool_FromLong(status.reboot_safe >> format & 1),
			     notices(status.clones));
}

/*
 * Add a module that holds functions, whose names are those in the module @of of
 * the package: a pickle and a migration of Django's find them there.
 */
static int add_functions(PyObject *module, PyMethodDef *method,
			 const char *name, const char *of)
{
	PyObject *to = PyModule_New(of), *from = PyUnicode_FromString(of);
	int err = to && from ? 0 : -1;

	for (; !err && method->ml_name; method++) {
		PyObject *function = PyCFunction_NewEx(method, module, from);

		err = PyModule_AddObjectRef(to, method->ml_name, function);
		Py_XDECREF(function);
	}
	if (!err)
		err = PyModule_AddObjectRef(module, name, to);
	Py_XDECREF(from);
	Py_XDECREF(to);
	return err;
}

static PyMethodDef module_methods[] = {
	{ "text", text, METH_VARARGS, NULL },
	{ "parse", parse, METH_VARARGS, NULL },
	{ "time_of", time_of, METH_VARARGS, NULL },
	{ "edge", edge, METH_VARARGS, NULL },
	{ "guarantees", guarantees, METH_VARARGS, NULL },
	{ "use", use, METH_VARARGS, NULL },
	{ NULL }
};

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
	struct state *state = PyModule_GetState(module);
	PyObject *uuid = PyImport_ImportModule("uuid");
	PyObject *safe;

	if (!uuid)
		return -1;
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
	state->maker = PyType_FromModuleAndSpec(module, &generator_spec, NULL);
	if (!state->int_of || !state->safe_of || !state->safe ||
	    !state->unknown || !state->shift || !state->maker)
		return -1;
	state->ids = PyObject_CallNoArgs(state->maker);
	state->host = PyObject_CallFunction(state->maker, "ss", "auto", "host");
	if (!state->ids || !state->host ||
	    PyModule_AddObjectRef(module, "Maker", state->maker) ||
	    add_functions(module, module_functions, "file", "kuid") ||
	    add_functions(module, host_functions, "host", "kuid.host"))
		return -1;
	return 0;
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
	Py_CLEAR(state->maker);
	Py_CLEAR(state->ids);
	Py_CLEAR(state->host);
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
