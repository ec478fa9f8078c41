/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The only definition of the version of module, library and tool. */
#ifndef KUID_VERSION_H
#define KUID_VERSION_H

#define KUID_VERSION "0.1.0"

#endif /* KUID_VERSION_H */
