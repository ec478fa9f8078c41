#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Nanoseconds of IDs that a process makes, on this machine.

[ "$3" = quick ] || exec "$1/native"
