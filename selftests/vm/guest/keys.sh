#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Makes the keys of bench/parts/locality.sh, in memory that the host shares as the PCI device 10.

device=/sys/bus/pci/devices/0000:00:10.0
insmod /lib/kuid.ko snowflake_worker=17 && echo 1 >$device/enable && /bench/makers keys $device/resource2
