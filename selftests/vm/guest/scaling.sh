#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the program scaling in the guest, with longer rounds for more CPUs than a small host has. The
# large window keeps slots from running out.

insmod /lib/kuid.ko snowflake_worker=17 max_ahead_ms=1000 &&
	/bench/scaling 2 110 500 &&
	/bench/scaling 4 45 5000 &&
	/bench/scaling 8 45 5000
