#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Boots a machine of root.sh in QEMU, runs a script in it as a systemd unit once it is up, prints
# what the script prints, and exits with its status: 124 if it timed out, 125 if the machine ended
# without the script:
#   system.sh [OPTION...] MACHINE SCRIPT
#     --share DIR      directory that the machine has as /host, writable (a temporary one)
#     --rtc TIME       the hardware clock at boot, as date -d takes it (now)
#     --append "WORD..."  words to add to the kernel command line
#     --cut            cut the power where the script ends, instead of shutting down
#     --timeout SECS   of real time (600)
#     --smp N, --mem M processors (2), memory (1G)
#     --qemu "ARG..."  more arguments for QEMU, without blanks in them
# The disk keeps all that the script writes. The console goes to MACHINE/console. SCRIPT may be any
# program; its working directory is /.
# shellcheck disable=SC2154 # takes() sets variables

set -euo pipefail

# shellcheck source=SCRIPTDIR/../vm/arguments.sh
. "$(dirname "$0")/../vm/arguments.sh"
share='' rtc=now append='' cut='' timeout=600 smp=2 mem=1G qemu=''
options "share= rtc= append= timeout= smp= mem= qemu= cut" "$@"
takes "MACHINE SCRIPT" "${rest[@]}"
for file in disk vmlinuz initrd; do
	[[ -r $machine/$file ]] || usage "$machine has no $file: root.sh image"
done
[[ -r $script ]] || usage "can't read $script"
clock=$(date -u -d "$rtc" +%FT%T) || usage "--rtc $rtc is no time"

temporary=
if [[ -z $share ]]; then
	temporary=$(mktemp -d)
	share=$temporary
fi
rm -f "$share"/{status,output,script} "$machine/pid"
install -m 755 "$script" "$share/script"
: >"$share/output"

read -ra more <<<"$qemu"
vm=
# shellcheck disable=SC2016 # the values of then
at_end '[[ -z $vm ]] || kill "$vm" 2>/dev/null || true; [[ -z $temporary ]] || rm -rf "$temporary"'
# As in boot.sh, a machine that gets little CPU time doesn't hang.
setpriv --pdeathsig TERM timeout --foreground --kill-after 5 "$timeout" \
	qemu-system-x86_64 -nodefaults -no-user-config -no-reboot -display none \
	-accel tcg,thread=multi -cpu max -smp "$smp" -m "$mem" -rtc "base=$clock" \
	-drive "file=$machine/disk,format=raw,if=virtio,cache=writethrough" \
	-virtfs "local,path=$share,mount_tag=host,security_model=none" \
	-device virtio-rng-pci "${more[@]}" \
	-kernel "$machine/vmlinuz" -initrd "$machine/initrd" -append \
	"root=/dev/vda rw console=ttyS0 panic=-1 no_timer_check tsc=reliable clocksource=tsc \
mitigations=off watchdog_thresh=60 rcupdate.rcu_cpu_stall_timeout=300 \
systemd.wants=kuid-test.service systemd.show_status=0 $append" \
	-pidfile "$machine/pid" -chardev "file,id=console,path=$machine/console" -serial chardev:console </dev/null &
vm=$!

# With --cut the machine is killed as soon as the script has ended.
if [[ $cut ]]; then
	while [[ ! -s $share/status ]] && kill -0 "$vm" 2>/dev/null; do
		sleep 0.2
	done
	kill -KILL "$(<"$machine/pid")" || true
fi
ended=0
wait "$vm" 2>/dev/null || ended=$?
vm=

cat "$share/output"
if [[ -s $share/status && $ended != 124 ]]; then
	exit "$(<"$share/status")"
fi
{
	if (( ended == 124 )); then
		echo "system.sh: not finished after $timeout seconds, killed; the console's last lines:"
	else
		echo "system.sh: the machine ended without the script (status $ended); the console's last lines:"
	fi
	tail -n 40 "$machine/console" | sed 's/^/  /'
} >&2
(( ended == 124 )) || ended=125
exit "$ended"
