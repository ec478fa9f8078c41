#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Boots a kernel in QEMU, runs a program in it, and exits with that program's status; with 124 if it
# timed out, with 125 if the machine ended in another way, such as a panic:
#   boot.sh --kernel DIR --initrd FILE [OPTION...] PROGRAM [ARG...]
# DIR is from fetch.sh or kernel.sh, FILE from initramfs.sh. The console goes to stdout and to the log file.
#   --append "WORD..."   words to add to the kernel command line
#   --smp N              processors (2)
#   --mem M              memory as QEMU takes it (1G, of User Mode Linux 512M)
#   --timeout SECS       of real time, 0 for none (120; none with --shell)
#   --clocksource NAME   jiffies, or one of the architecture's own: of amd64 tsc (the default),
#                        hpet or acpi_pm, of arm64 arch_sys_counter, of s390x tod
#   --icount             guest time counts instructions, repeatably; one processor
#   --shell              leave a shell on the terminal after PROGRAM, which is optional then, and
#                        whose status is ignored
#   --log FILE           write the console to this file
#   --qemu "ARG..."      more arguments for QEMU, without spaces in them
#   --known-as ID        nonce of the last line; a restored machine needs that of the saved one
# A kernel that stands still before init is booted once more; each boot has the whole timeout.
# User Mode Linux is a program, which runs without QEMU and takes --append, --mem, --timeout and --log.

set -euo pipefail

# shellcheck source=SCRIPTDIR/arguments.sh
. "$(dirname "$0")/arguments.sh"

say()
{
	echo "boot.sh: $*" >&2
}

kernel='' initrd='' append='' smp='' mem='' timeout='' clocksource='' icount='' shell='' log='' qemu=''
known_as=$$.$RANDOM$RANDOM
options "kernel= initrd= append= smp= mem= timeout= clocksource= log= qemu= known-as= icount shell" "$@"
# shellcheck disable=SC2154 # options() sets rest
set -- "${rest[@]}"
(( $# )) || [[ -n $shell ]] || usage "no program to run"
(( $# )) || set -- true
[[ -n $kernel ]] || usage "--kernel is missing"
[[ -n $initrd ]] || usage "--initrd is missing"
[[ -r $kernel/vmlinuz ]] || usage "no vmlinuz in $kernel"
[[ -r $initrd ]] || usage "can't read $initrd"
# init couldn't undo any quoting on the kernel command line.
[[ "$append $*" != *[\"\'\\$'\n\t']* ]] || usage "quotes, backslashes, tabs and newlines can't be passed on"
[[ " $append " != *" -- "* ]] || usage "--append must not hold --"
for word in "$@"; do
	[[ -n $word && $word != *' '* ]] || usage "'$word': empty words and spaces can't be passed on"
done
[[ ${timeout:=${shell:+0}} =~ ^[0-9]*$ ]] || usage "--timeout $timeout is not a number of seconds"
: "${timeout:=120}"
[[ $mem =~ ^([1-9][0-9]*[MG]?)?$ ]] || usage "--mem $mem is not a size"
[[ -z $icount || ${smp:=1} == 1 ]] || usage "--icount needs --smp 1"
[[ ${smp:=2} =~ ^[1-9][0-9]*$ ]] || usage "--smp $smp is not a number of processors"

# Values that depend on the architecture: QEMU's name for it, machine, console, more of the kernel
# command line, and clock sources with the default first.
arch=amd64
[[ ! -r $kernel/arch ]] || arch=$(<"$kernel/arch")
! grep -q ^CONFIG_UML=y "$kernel/config" || arch=um
case $arch in
# no_timer_check: a slow guest may miss its first timer interrupts, and the kernel would panic.
amd64)	system=x86_64 machine=(-cpu max) console=ttyS0 told=no_timer_check clocks=(tsc hpet acpi_pm) ;;
# QEMU's own pointer authentication: emulating the architected one takes most of the time.
arm64)	system=aarch64 machine=(-M virt -cpu "max,pauth-impdef=on") console=ttyAMA0 told=''
	clocks=(arch_sys_counter) ;;
s390x)	system=s390x machine=(-M s390-ccw-virtio -cpu max) console=ttysclp0 told='' clocks=(tod) ;;
# Without root= and console=, this kernel adds them behind the arguments of the program.
um)	system='' console=tty0 told='con0=null,fd:1 con=null ssl=null root=98:0' clocks=('') mem=${mem:-512M} ;;
*) usage "$kernel has the unknown architecture $arch" ;;
esac
case ${clocksource:=${clocks[0]}} in
tsc) told+=" tsc=reliable clocksource=tsc" ;;
# The kernel accepts jiffies only without high-resolution timers.
jiffies) told+=" clocksource=jiffies highres=off nohz=off" ;;
?*) told+=" clocksource=$clocksource" ;;
esac
clocks+=(jiffies)
[[ " ${clocks[*]} " == *" $clocksource "* ]] ||
	usage "--clocksource $clocksource is none of those that $arch has: ${clocks[*]}"

vm='' temporary='' watch=''
# shellcheck disable=SC2317 # called at the end
clean_up()
{
	[[ -z $vm ]] || kill "$vm" || true
	[[ -z $watch ]] || kill "$watch" || true
	[[ -z $temporary ]] || rm -f "$log"
}
at_end clean_up
if [[ -z $log ]]; then
	temporary=1
	log=$(mktemp --tmpdir kuid-vm.XXXXXX.log)
fi
: >"$log" || usage "can't write to $log"
exec {input}</dev/null {output}>&1
tee='' errors=2

# Only this run's init knows the nonce, so no output of a program looks like the last line.
line="console=$console quiet loglevel=1 log_buf_len=2M $told ${append:+$append }${shell:+kuid.shell }\
kuid.exit=$known_as -- $*"
if [[ $arch == um ]]; then
	read -ra words <<<"$line"
	command=(timeout --kill-after 5 "$timeout" "$kernel/vmlinuz" "mem=$mem" "initrd=$initrd" "${words[@]}")
	exec {output}> >(exec tee "$log")
	tee=$! errors=$output
else
	# The console shows next to nothing, except for the whole log after a panic (panic_print). A machine
	# that gets little CPU time doesn't hang: what looks for hangs waits longer than usual.
	line="panic=-1 panic_print=0x20 watchdog_thresh=60 rcupdate.rcu_cpu_stall_timeout=300 \
sysctl.kernel.hung_task_timeout_secs=900 $line"
	command -v "qemu-system-$system" >/dev/null || {
		say "qemu is missing: run setup.sh boot, or cross for another architecture than amd64"
		exit 125
	}
	accel=tcg
	[[ -n $icount ]] || accel+=,thread=multi
	read -ra words <<<"${icount:+-icount shift=0,sleep=off }${shell:+-mon chardev=console }$qemu"
	[[ -z $shell ]] || exec {input}<&0
	command=(timeout --foreground --kill-after 5 "$timeout" "qemu-system-$system" -nodefaults -no-user-config
		-no-reboot -display none -smp "$smp" -m "${mem:-1G}" "${machine[@]}" -accel "$accel"
		-chardev "stdio,id=console,signal=off,${shell:+mux=on,}logfile=$log" -serial chardev:console
		"${words[@]}" -kernel "$kernel/vmlinuz" -initrd "$initrd" -append "$line")
fi

# Whether a processor is stuck in the kernel before init, so that nothing has run that is tested. QEMU may
# have missed that another processor changed the kernel's code, as happens most while it boots.
stands_still()
{
	grep -q 'BUG: soft lockup .* \[swapper/[0-9]*:1\]' "$log"
}

# The machine ends with this script: by the traps, or by the kernel if the script can't run them. In the
# background, because a trap has to wait until a foreground program ends.
run()
{
	setpriv --pdeathsig TERM "${command[@]}" <&"$input" >&"$output" 2>&"$errors" {output}>&- &
	vm=$!
	while setpriv --pdeathsig TERM sleep 10; do
		! stands_still || kill "$vm"
	done {output}>&- >/dev/null 2>&1 &
	watch=$!
	ended=0
	wait "$vm" || ended=$?
	vm=
	kill "$watch" 2>/dev/null || true
	watch=
}

run
if stands_still; then
	say "the kernel stood still before init, booting it again"
	run
fi
exec {output}>&-
[[ -z $tee ]] || wait "$tee"

status=$(sed -nE "s/^# exit status $known_as: ([0-9]+)\r?\$/\\1/p" "$log")
if [[ -n $status && $ended != 124 ]]; then
	exit "$status"
fi
[[ -z $shell ]] || (( ended )) || exit 0

temporary=
echo
if [[ $ended == 124 ]]; then
	say "not finished after $timeout seconds, killed; the console's last lines:"
elif (( ended )); then
	say "the machine failed (status $ended); the console's last lines:"
elif grep -q 'Kernel panic' "$log"; then
	say "the kernel panicked; the console's last lines:"
else
	say "the machine ended without an exit status of '$*'; the console's last lines:"
fi
tail -n 40 "$log" | sed 's/^/  /' >&2
say "the whole output is in $log"
(( ended == 124 )) || ended=125
exit "$ended"
