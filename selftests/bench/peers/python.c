// SPDX-License-Identifier: GPL-2.0-only
/* UUIDs of Python's own module, by functions that are called as libuuid's. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <err.h>
#include <string.h>

static int make(const char *name, unsigned char *id)
{
	static PyObject *module;
	PyObject *uuid, *bytes = NULL;

	if (!module) {
		Py_Initialize();
		module = PyImport_ImportModule("uuid");
	}
	uuid = module ? PyObject_CallMethod(module, name, NULL) : NULL;
	if (uuid)
		bytes = PyObject_GetAttrString(uuid, "bytes");
	if (!bytes || PyBytes_Size(bytes) != 16)
		errx(1, "Python has no %s", name);
	memcpy(id, PyBytes_AsString(bytes), 16);
	Py_DECREF(bytes);
	Py_DECREF(uuid);
	return 0;
}

int python_v1(unsigned char *id)
{
	return make("uuid1", id);
}

int python_v4(unsigned char *id)
{
	return make("uuid4", id);
}
