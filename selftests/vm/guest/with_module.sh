#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Loads the module and runs a program:   with_module.sh PARAMETER[,PARAMETER...] PROGRAM [ARG...]

# shellcheck disable=SC2046 # parameters are words
insmod /lib/kuid.ko $(echo "$1" | tr , ' ') || exit
shift
exec "$@"
