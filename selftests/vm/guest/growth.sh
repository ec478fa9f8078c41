#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the program growth in the guest, which must have been booted with boot.sh --icount.

insmod /lib/kuid.ko snowflake_worker=17 && /bench/growth
