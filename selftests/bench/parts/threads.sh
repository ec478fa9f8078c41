#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Threads that make IDs in a process, on this machine.

[ "$3" = quick ] || exec "$1/native" threads
