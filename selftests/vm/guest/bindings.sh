#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the benchmarks of the packages for other languages. Each line begins with its language.

insmod /lib/kuid.ko || exit
for bench in /bindings/bench-*; do
	"$bench" 2>&1 | sed "s/^/${bench##*-} /"
done
