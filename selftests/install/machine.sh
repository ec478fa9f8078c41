# shellcheck shell=sh disable=SC2154 # tap.sh and the scripts set the variables
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests in a booted machine that has the packages, for scripts of check_install.sh: they set life, to
# the name of this boot, source this, call one of the functions at the end, and "finish". IDs that were
# given in a life are kept outside the machine, in /host/lives/LIFE/FORMAT.

# shellcheck source=SCRIPTDIR/../../userspace/tests/tap.sh
. /host/tap.sh
ids=/host/lives/${life:?}
mkdir -p "$ids"
# Earlier warnings are not looked at.
since=@0

explain()
{
	tail -n 20 "$out" "$err" "$work/said"
	journalctl -b -q -n 20 --no-hostname -u 'kuid*'
}

formats()
{
	for device in /dev/kuids/*.txt; do
		basename "$device" .txt
	done
}

takes_ids()
{
	[ "$(formats | wc -l)" -ge 8 ] || return
	for format in $(formats); do
		kuid gen -f "$format" -n 1000 >>"$ids/$format" || return
	done
}

# differs_from LIFE [FORMAT...]: both lives have IDs of these formats, or all, and none in common.
differs_from()
{
	former=$1
	shift
	# shellcheck disable=SC2046 # these are words
	[ $# -gt 0 ] || set -- $(formats)
	for format; do
		[ -s "/host/lives/$former/$format" ] && [ -s "$ids/$format" ] || return
		sort "/host/lives/$former/$format" "$ids/$format" | uniq -d >"$out"
		[ ! -s "$out" ] || return
	done
}

# goes_on_after LIFE: IDs whose text is in the order of time are all greater than in that life.
goes_on_after()
{
	for format in lex k64 snowflake; do
		{
			LC_ALL=C sort "/host/lives/$1/$format" | tail -n 1
			LC_ALL=C sort "$ids/$format" | head -n 1
		} >"$out"
		[ "$(wc -l <"$out")" = 2 ] && LC_ALL=C sort -cu "$out" || return
	done
}

clock_is_behind()
{
	[ "$(date +%s)" -lt "$(cat "/host/lives/$1/clock")" ]
}

units_active()
{
	for unit in kuid.service dev-kuid.device dev-kuids-v7.device; do
		systemctl is-active $unit || return
	done
}

none_failed()
{
	systemctl list-units --failed --plain --no-legend 'kuid*' >"$out"
	[ ! -s "$out" ]
}

# It needs a store, which most machines don't have.
claims_on_request()
{
	[ "$(systemctl is-enabled kuid-claim)" = disabled ] &&
		[ "$(systemctl is-active kuid-claim)" = inactive ]
}

holds()
{
	grep -qx 'v1 v6 v7 lex k64 k96 k128 snowflake' "/sys/class/kuid/kuid/status/$1"
}

# The kernel warns of each module from outside its tree, and of one whose key it doesn't know.
journal_is_clean()
{
	journalctl -b -q --no-hostname -p warning --since="$since" | grep -i kuid |
		grep -v -e 'loading out-of-tree module' -e 'module verification failed' >"$out"
	[ ! -s "$out" ]
}

journal_says()
{
	journalctl -b -q -o cat -u 'kuid*' | grep -F "$1"
}

kernel_says()
{
	journalctl -b -q -o cat -k | grep -F "$1"
}

# The daemon saves at the next wakeup.
works()
{
	it "the units are active" units_active
	it "none failed" none_failed
	it "kuid-claim.service is neither enabled nor started" claims_on_request
	it "each format gives IDs" takes_ids
	it "they are unique" holds unique
	it "ordered" holds ordered
	it "and safe from reboots" holds reboot_safe
	it "the state is saved" test -s /var/lib/kuid/state
	it "the mark of a first start is gone" test ! -e /var/lib/kuid/state.unused
	it "the devices are described for containers" grep -q /dev/kuids/v7 /run/cdi/kuid.json
	it "the journal has no warning of kuid" journal_is_clean
	date +%s >"$ids/clock"
}

# The marks of systemd-analyze are from 0, which is best, to 10.
hardened()
{
	for unit in kuid kuid-cdi kuid-metrics; do
		systemd-analyze security --no-pager $unit.service | tail -n 1 | sed 's/^/# /'
		it "$unit.service is hardened" systemd-analyze security --threshold=20 $unit.service
	done
	# It has the network as well.
	it "kuid-claim.service is hardened" systemd-analyze security --threshold=25 kuid-claim.service
}

# kuid-claim has the device, and waits for a store that there is not. A unit after it waits for the number.
number_is_waited_for()
{
	systemctl show -P After kuid-claim | grep -w dev-kuid.device &&
		systemctl start --no-block kuid-claim && systemd-run -p After=kuid-claim.service --no-block \
			touch "$work/started" && eventually journal_says 'onnect to' &&
		[ "$(systemctl is-active kuid-claim)" = activating ] && [ ! -e "$work/started" ] &&
		systemctl stop kuid-claim && eventually [ -e "$work/started" ]
}

# The packages of the next version. DKMS calls this make for each kernel of the machine. apt runs
# programs in a path of its own.
installs()
{
	mkdir -p "$work/bin"
	cat >"$work/bin/make" <<-'END'
	#!/bin/sh
	for word; do
		case $word in
		M=*) cp /host/kuid.ko "${word#M=}/kmod" ;;
		esac
	done
	END
	chmod +x "$work/bin/make"
	DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Path="$work/bin:$PATH" install -y \
		--no-install-recommends /host/next/*.deb >"$work/apt" 2>&1
	status=$?
	cat "$work/apt"
	return $status
}

gives_until()
{
	while [ ! -e "$1" ]; do
		kuid gen -f k64 -n 10 >>"$ids/k64" || return
		sleep 1
	done
}

# Reads from a file descriptor that was open all the time.
file_goes_on()
{
	head -c 120 <&8 >"$out" && [ "$(wc -l <"$out")" = 10 ] && LC_ALL=C sort -cu "$out" &&
		cat "$out" >>"$ids/k64"
}

daemon()
{
	systemctl show -P MainPID kuid
}

# upgrades FROM TO
upgrades()
{
	daemon=$(daemon)
	exec 8</dev/kuids/k64.txt
	gives_until "$work/end" 2>"$work/gives" &
	giver=$!
	it "the packages can be upgraded" installs
	touch "$work/end"
	it "IDs can be had all the time" wait $giver
	it "the module is the old one" grep -qFx "$1" /sys/module/kuid/version
	it "which is told" grep -q "stays version $1 until the next boot" "$work/apt"
	it "with who holds it" grep -qE "^ *$$ .* 1 open" "$work/apt"
	it "the next boot has the new one" matches "^$2\$" modinfo -F version kuid
	it "the tool is the new one" matches " $2\$" kuid --version
	it "the daemon is another one" test "$daemon" != "$(daemon)"
	it "an open file goes on" file_goes_on
	exec 8<&-
}

purges()
{
	it "the packages can be purged" apt-get -q purge -y '~i~nkuid'
	it "the module is gone" test ! -e /dev/kuid -a ! -e /dev/kuids -a ! -e /sys/module/kuid
	systemctl list-units --all --plain --no-legend '*kuid*' | grep -v kuid-test >"$work/left"
	it "no unit is left" diff /dev/null "$work/left"
	# Without what the test itself put there.
	{
		find / -xdev \( -path /host -o -path /var/log -o -path /var/tmp -o -path /tmp \) -prune \
			-o -name '*kuid*' ! -path '*/initramfs-tools/*' -print
		find /run -name '*kuid*'
	} | grep -v kuid-test >"$work/left"
	it "no file is left" diff /dev/null "$work/left"
}

# The lives of a machine.

first()
{
	works
	hardened
	it "a unit can be ordered after the claim of a number" number_is_waited_for
	printf '#!/bin/sh\n' >/tmp/autopkgtest-reboot
	chmod +x /tmp/autopkgtest-reboot
	it "the test of the package passes its first half" /host/autopkgtest
}

clock_back()
{
	it "the clock is behind that of the life before" clock_is_behind first
	works
	it "IDs go on after that life" goes_on_after first
	it "they are other ones" differs_from first
	it "the test of the package passes its second half" env AUTOPKGTEST_REBOOT_MARK=2 /host/autopkgtest
	upgrades "$version" "$next"
	works
	it "IDs still are after the first life" goes_on_after first
}

after_power_cut()
{
	it "the clock is behind that of the life before the last one" clock_is_behind first
	it "the module is the new one" grep -qFx "$next" /sys/module/kuid/version
	works
	for former in first clock_back; do
		it "IDs go on after $former" goes_on_after $former
		it "they are other ones" differs_from $former
	done
}

# The image of the machine was copied before this.
twin()
{
	works
	it "IDs with a node are other ones than those of after_power_cut" \
		differs_from after_power_cut v1 v6 v7 k96 k128
	it "IDs go on after clock_back" goes_on_after clock_back
}

# The same, and it knows that it is a copy.
clone()
{
	it "the state is known to be that of another machine" journal_says 'is of another machine'
	twin
	purges
	it "the kernel has warned of what a reload may repeat" kernel_says 'it may repeat IDs'
	since=@$(date +%s)
	it "the packages can be installed while the machine runs" installs
	works
}

# refuses TEXT COMMAND...: the command fails and says TEXT.
refuses()
{
	text=$1
	shift
	! "$@" >"$out" 2>&1 && grep -qF "$text" "$out"
}

# loads_not REASON COMMAND...: the kernel refuses the module, and logs why.
loads_not()
{
	reason=$1
	shift
	refuses 'Key was rejected by service' "$@" && kernel_says "Loading of $reason is rejected"
}

# With module.sig_enforce=1. DKMS has not signed the module, because this machine has no openssl.
enforced()
{
	it "an unsigned module is refused" loads_not 'unsigned module' modprobe kuid
	xz -dc "$(modinfo -F filename kuid)" >"$work/kuid.ko"
	it "it can be signed" "/lib/modules/$(uname -r)/build/scripts/sign-file" sha256 /host/key /host/cert \
		"$work/kuid.ko"
	it "with an unknown key it is refused" loads_not 'module with unavailable key' insmod "$work/kuid.ko"
	it "the unit that loads modules has failed" systemctl is-failed systemd-modules-load
	it "the journal has the reason" eval \
		'journalctl -b -q -t systemd-modules-load | grep "kuid.*Key was rejected"'
	it "no unit of kuid has failed" none_failed
	it "kuid status says what helps" refuses 'only if a key that it knows has signed it' kuid status
	it "the state is left as it was" test -e /var/lib/kuid/state.unused
}

other_release()
{
	works
	purges
}
