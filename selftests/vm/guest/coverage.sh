#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the tests as selftests.sh does, and then prints which lines of the module were run: what gcov
# has, as an archive in base64 between two marks. A kernel keeps it over unloading and loading anew.

/guest/selftests.sh
status=$?

gcov=/sys/kernel/debug/gcov
mkdir /tmp/gcda
# Files of debugfs have no size, by which tar would go.
find $gcov -name '*.gcda' | while read -r file; do
	copy=/tmp/gcda${file#"$gcov"}
	mkdir -p "${copy%/*}"
	cat "$file" >"$copy"
done
echo "# gcda begins"
tar -c -C /tmp/gcda . | gzip | base64
echo "# gcda ends"
exit $status
