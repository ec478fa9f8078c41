#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs the tests as selftests.sh does, with its arguments, and prints gcov's counts for the module: an archive in base64
# between two marks. The kernel keeps the counts when the module is reloaded.

/guest/selftests.sh "$@"
status=$?

gcov=/sys/kernel/debug/gcov
mkdir /tmp/gcda
# Files in debugfs have size 0, and tar would store nothing of them.
find $gcov -name '*.gcda' | while read -r file; do
	copy=/tmp/gcda${file#"$gcov"}
	mkdir -p "${copy%/*}"
	cat "$file" >"$copy"
done
echo "# gcda begins"
tar -c -C /tmp/gcda . | gzip | base64
echo "# gcda ends"
exit $status
