// SPDX-License-Identifier: MIT
/* What helps against errors. */
#include <errno.h>
#include <stddef.h>

#include "kuid.h"

const char *kuid_error_advice(int error)
{
	switch (error) {
	case ENODEV:
		return "Load the module on the host (modprobe kuid). In a container, or a "
		       "service with PrivateDevices=, make the device files visible.";
	case EACCES:
	case EPERM:
		return "Let this user read the device file.";
	case ENOTTY:
		return "The module is older than libkuid. Load the one of its version.";
	case EPROTONOSUPPORT:
		return "The module is newer than libkuid. Install the library of its version.";
	case ESTALE:
		return "This machine may be a clone. An administrator must confirm or change "
		       "its node or worker. A claimed number must be claimed again.";
	case ENODATA:
		return "The module was loaded with state=required. An administrator must "
		       "restore the saved state and keep it saved.";
	case ENOKEY:
		return "An administrator must give this host a number that no other host "
		       "has, or claim one.";
	case EKEYEXPIRED:
		return "The claim of this host's number has ended. Look if the daemon that "
		       "claims it runs and reaches its store.";
	default:
		return NULL;
	}
}
