#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the program scaling in the guest. The large window keeps slots from running out.

insmod /lib/kuid.ko snowflake_worker=17 max_ahead_ms=1000 && /bench/scaling
