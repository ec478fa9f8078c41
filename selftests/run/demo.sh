#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Shows kuid to somebody who has just cloned it:   demo.sh BUILD
# Builds what it needs, counts in booted machines the IDs of kuid and of others that repeat or are
# out of order, and prints a table of them. On a terminal it ends in a shell of such a machine.

set -euo pipefail

# shellcheck source=SCRIPTDIR/totals.sh
. "$(dirname "$0")/totals.sh"
takes_build "" "$@"
logs=$build/demo/logs
mkdir -p "$logs"

# part NAME WHAT COMMAND...: runs it; its output goes to a log, which is named if it fails.
part()
{
	local log=$logs/$1.log
	echo "  $2"
	shift 2
	"$@" >"$log" 2>"$log.errors" || {
		tail -n 5 "$log" "$log.errors" >&2
		echo "failed: all of it is in $log and $log.errors" >&2
		exit 1
	}
}

# Without the options and the targets of the make that runs this.
make_part()
{
	part "$1" "$2" env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL make -C "$top" --no-print-directory \
		BUILD="$build" "${@:3}"
}

echo "Building what is shown; the first time takes minutes."
make_part packages "packages of this machine that are missing" vm-packages
part kernel "a kernel of Debian 12" "$vm/fetch.sh" 6.1
kernel=$(<"$logs/kernel.log")
make_part kuid "module, library and tool" vm-root
make_part machine "the machine, with libuuid of Debian 12 and 13" demo-machine
part promises "IDs made in it, and in two clones of it" \
	"$here/../bench/parts/promises.sh" "$build/demo" "$kernel" demo

cat <<END

Linux $(<"$kernel/release") was booted in QEMU. Each generator made 20,000 IDs in each case:
- A process makes an ID, and 8 children of it make the others.
- A process makes an ID. Its machine is saved and restored twice; both of these go on.
- Two processes make IDs. An ID is out of order if a higher one was returned before its call began.

END
awk -f "$here/demo.awk" "$logs/promises.log"
cat <<'END'

To try it:
  kuid gen                              an ID; kuid inspect ID tells its parts
  head -n 3 /dev/kuids/host/v7.txt      IDs in one order for all programs
  kuid status                           which promises hold now
END
if [[ ! -t 0 || ! -t 1 ]]; then
	echo 'Called on a terminal, "make run" ends in a shell of such a machine.'
	exit
fi
echo 'A machine with the module is booted for it; "exit" ends it.'
exec "$vm/boot.sh" --kernel "$kernel" --initrd "$build/demo/initrd.cpio" --shell insmod /lib/kuid.ko
