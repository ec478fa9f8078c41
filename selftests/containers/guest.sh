#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Tests of the device in containers, units and AppArmor profiles, to be run in a machine that
# run/check_containers.sh has made:   guest.sh
# Prints KTAP. The containers are podman's: of root, and of the user somebody. What
# Documentation/containers.md shows is taken from there.

set -uo pipefail
export LC_ALL=C
cd /
# shellcheck source=SCRIPTDIR/../../userspace/tests/tap.sh
. /host/tap.sh
# shellcheck disable=SC2154 # work and out are set there
document=/host/containers.md
chmod 755 "$work"

# The indented lines of a part of the document.
shown()
{
	awk -v part="$1" '
		/^## / { on = $0 == "## " part }
		on && sub(/^    /, "")' "$document"
}

# as root|somebody COMMAND...: in a directory that both may enter.
as()
{
	local user=$1 id
	shift
	if [[ $user == root ]]; then
		"$@"
	else
		id=$(id -u "$user")
		setpriv --reuid="$id" --regid="$(id -g "$user")" --init-groups --reset-env \
			env "XDG_RUNTIME_DIR=/run/user/$id" \
			"DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/$id/bus" "$@"
	fi
}

# box USER "OPTION..." COMMAND...: runs it in a new container of the user.
box()
{
	local user=$1 options
	read -ra options <<<"$2"
	shift 2
	as "$user" podman run --rm "${options[@]}" box "$@"
}

cdi_at_boot()
{
	[[ $(systemctl show -P Result kuid-cdi) == success &&
		$(systemctl show -P ExecMainStartTimestampMonotonic kuid-cdi) != 0 &&
		$(stat -c '%U %a' /run/cdi/kuid.json) == "root 644" ]] || return
	kuid cdi | diff - /run/cdi/kuid.json
}

import()
{
	as "$1" podman import --quiet - box </host/image.tar
}

# The files that a way gives, each as look.sh prints it. Their numbers are those on the host.
files_of()
{
	local devices

	case $1 in
	kuid/id=all)
		mapfile -t devices < <(find /dev/kuid /dev/kuids -type c)
		set -- "${devices[@]}"
		;;
	kuid/id=*) set -- /dev/kuids/{,host/}"${1#*=}"{,.txt} ;;
	*) set -- "${1%%:*}" ;;
	esac
	stat -c 'file %n 444 %t:%T' "$@"
}

has_none()
{
	grep -q '^file /dev/null ' "$1" && ! grep '^file.*kuid' "$1"
}

# gives WHERE WAY: look.sh saw the files of the way there, besides those that are there anyway.
gives()
{
	diff <({ files_of "$2"; grep '^file' "$work/without.$1"; } | sort) \
		<(grep '^file' "$work/look")
}

# Each file gives IDs, of its format and without a repeat among all that this script looks at.
makes_ids()
{
	local kind path text files=0

	while read -r kind path text; do
		files=$((files + 1))
		if [[ $kind == bytes ]]; then
			[[ $text == 48 ]] || { echo "$path: $text"; return 1; }
			continue
		fi
		path=${path##*/}
		kuid inspect -f "${path%.txt}" "$text" >/dev/null || return
		echo "$text" >>"$work/ids"
	done < <(grep -E '^(id|bytes)' "$work/look")
	(( files == $(grep -cE '^(id|bytes)' "$work/look") && files ))
}

# refuses WHAT REASON: all that look.sh has tried of that kind failed like this.
refuses()
{
	grep -q "^$1 " "$work/look" && ! grep "^$1 " "$work/look" | grep -v ": $2\$"
}

# Prints the error of a write. The device cgroup refuses it to root; rootless containers have none.
written()
{
	case $1:$2 in
	somebody:*) echo "Permission denied" ;;
	root:*:r | root:kuid/*) echo "Operation not permitted" ;;
	root:*) echo "Invalid argument" ;;
	esac
}

# Device files of the same major number, and of /dev/mem, made in the container.
own_nodes()
{
	local major=$((0x$(stat -c %t /dev/kuid)))

	# shellcheck disable=SC2016 # for the shell in the container
	box root "--device kuid/id=v7 --cap-add mknod" sh -c '
		mknod /given c "$0" "$(($(stat -c 0x%T /dev/kuids/v7)))"
		mknod /other c "$0" 0
		mknod /mem c 1 1
		for file in /given /other /mem; do
			head -c 16 "$file" 2>&1 >/dev/null && echo "$file"
		done' "$major" >"$out"
	diff "$out" - <<-'END'
	/given
	head: /other: Operation not permitted
	head: /mem: Operation not permitted
	END
}

# tool USER OPTIONS: verbs of the tool in one container.
tool()
{
	# shellcheck disable=SC2016 # for the shell in the container
	box "$1" "--device kuid/id=all $2" sh -c '
		for verb in "gen -f v7 -o host -n 20" status "node --new-epoch" \
				"restore --may-repeat /tmp/state"; do
			kuid $verb 2>&1
			echo "== ${verb%% *}: $?"
		done' >"$work/tool"
}

# printed VERB STATUS: what it printed there, if it ended with this status.
printed()
{
	awk -v end="== $1: $2" '
		$0 == end { printf "%s", text; found = 1 }
		/^== / { text = ""; next }
		{ text = text $0 "\n" }
		END { exit !found }' "$work/tool"
}

makes_in_order()
{
	printed gen 0 >"$out" && [[ $(wc -l <"$out") == 20 ]] && sort -cu "$out" &&
		cat "$out" >>"$work/ids"
}

refused_to()
{
	printed "$1" 1 | grep -F ": not permitted"
}

unknown_device()
{
	! box "$1" "--device kuid/id=v9" true 2>"$err" && grep -q "unresolvable.*kuid/id=v9" "$err"
}

mounted()
{
	box "$1" "-v /dev/kuids:/dev/kuids" head -n 1 /dev/kuids/v7.txt 2>&1
}

is_v7()
{
	kuid inspect -f v7 "$("$@")" >/dev/null
}

says()
{
	local text=$1
	shift
	"$@" >"$out" 2>&1
	grep -F "$text" "$out"
}

# With a mode that lets only a group read, to which the user belongs.
of_group()
{
	local status=0

	chgrp readers /dev/kuids/v7.txt
	chmod 440 /dev/kuids/v7.txt
	"$@" || status=1
	chmod 444 /dev/kuids/v7.txt
	chgrp root /dev/kuids/v7.txt
	return $status
}

# The commands that the document shows, as both users.
documented()
{
	local user=$1 commands=0 command

	while read -r command; do
		commands=$((commands + 1))
		command=${command//IMAGE/box}
		is_v7 as "$user" bash -c "$command" || { echo "$command"; return 1; }
	done < <({ shown "podman and Docker"; shown CDI; } | sed '/\\$/{N; s/\\\n//}' | grep '^podman run')
	(( commands == 2 ))
}

# unit NAME LINE...: the one that the document shows, with these lines more in [Service]; -WORD takes
# the lines that begin with WORD away.
unit()
{
	local name=$1 line file
	file=/run/systemd/system/$name.service
	shift
	shown "systemd units" >"$file"
	for line; do
		if [[ $line == -* ]]; then
			sed -i "/^${line#-}/d" "$file"
		else
			echo "$line" >>"$file"
		fi
	done
	systemctl daemon-reload
}

# look_in_unit LINE...: runs look.sh in the unit with these lines.
look_in_unit()
{
	rm -f "$work/look"
	unit reader Type=oneshot "StandardOutput=file:$work/look" ExecStart=look.sh "$@"
	systemctl start reader
}

# confined PROFILE FILE: reads a line of the file under an AppArmor profile, which allows no output
# to other files.
confined()
{
	aa-exec -p "kuid-$1" -- head -n 1 "$2" 2>&1 | cat
}

# Both may run and read programs and libraries; one has the lines of the document.
load_profiles()
{
	{
		echo 'profile kuid-without { /{,usr/}{bin,lib,lib64}/** mrix, /etc/ld.so.* r, }'
		echo 'profile kuid-named { /{,usr/}{bin,lib,lib64}/** mrix, /etc/ld.so.* r,'
		shown "AppArmor, snap, Flatpak"
		echo '}'
	} >"$work/profiles"
	apparmor_parser --replace "$work/profiles"
}

denied()
{
	local said

	said=$(confined without "$1") && return 1
	[[ $said == *": Permission denied" ]] || return
	# The line may come later.
	for _ in {1..300}; do
		dmesg | grep "apparmor=\"DENIED\".*profile=\"kuid-without\".*name=\"$1\"" && return
		sleep 0.2
	done
	return 1
}

# Half of the containers by CDI, half by a path, of both users; a unit; and the host.
takers()
{
	local user way file pid pids=() status=0

	rm -rf /run/together
	mkdir -m 755 /run/together
	together prepare /run/together/ids 10
	for user in root somebody; do
		for way in kuid/id=all:/dev/kuids/k64 kuid/id=v7:/dev/kuids/v7 \
				/dev/kuid:/dev/kuid /dev/kuids/v1:/dev/kuids/v1; do
			file=${way#*:}
			box "$user" "--device ${way%:*} -v /run/together:/run/together" \
				together take /run/together/ids "$file" &
			pids+=($!)
		done
	done
	unit taker Type=oneshot \
		"ExecStart=together take /run/together/ids /dev/kuid"
	systemctl start taker &
	pids+=($!)
	together take /run/together/ids /dev/kuids/lex &
	pids+=($!)
	for pid in "${pids[@]}"; do
		wait "$pid" || status=1
	done
	return $status
}

no_repeats()
{
	[[ -s $work/ids ]] && ! sort "$work/ids" | uniq -d | grep .
}

unload()
{
	systemctl stop kuid
	modprobe -r kuid
}

# Drivers that get the major number that was kuid's.
reload()
{
	local before after

	before=$(stat -c %t /dev/kuid)
	unload || return
	modprobe -a cuse nvme_core
	# The service will replace this.
	echo '{}' >/run/cdi/kuid.json
	modprobe kuid || return
	for _ in {1..600}; do
		grep -qx '{}' /run/cdi/kuid.json || break
		sleep 0.2
	done
	after=$(stat -c %t /dev/kuid)
	[[ $before != "$after" ]]
}

# kept USER NAME OPTIONS: a container that goes on.
kept()
{
	local options
	read -ra options <<<"$3"
	as "$1" podman run -d --name "$2" "${options[@]}" box sleep 100000
}

reads_again()
{
	as "$1" podman exec "$2" head -n 1 /dev/kuids/v7.txt
}

again()
{
	as "$1" podman stop -t 0 "$2" && as "$1" podman start "$2"
}

is_active()
{
	[[ $(systemctl is-active "$1") == "$2" ]]
}

without_device()
{
	unit early -BindsTo= -After= Type=oneshot ExecStart=/bin/true
	! systemctl start early && [[ $(systemctl show -P ExecMainStatus early) == 226 ]]
}

no_warnings()
{
	! dmesg | grep -E 'WARNING: |BUG: |Oops|Call Trace'
}

echo "KTAP version 1"
systemctl is-system-running --wait >/dev/null
systemctl start "user@$(id -u somebody)"
it "kuid-cdi.service has described the device files at boot" cdi_at_boot

for user in root somebody; do
	it "$user: an image is imported" import $user
	box $user "" look.sh >"$work/without.$user" 2>"$work/error"
	it "$user: a container has no device files of kuid by itself" has_none "$work/without.$user"
	it "$user: it can read sysfs" grep -x "load_id $(cat /sys/class/kuid/kuid/load_id)" \
		"$work/without.$user"
	for way in kuid/id={all,v7} /dev/kuid /dev/kuids/v7.txt:/dev/kuids/v7.txt:r; do
		box $user "--device $way" look.sh >"$work/look"
		name="$user, --device $way"
		it "$name: these device files, with mode 0444, and no others" gives $user "$way"
		it "$name: they give IDs" makes_ids
		it "$name: they can't be written" refuses write "$(written $user "$way")"
	done
	bare="--user 1000 --read-only --cap-drop all --security-opt no-new-privileges"
	box $user "--device kuid/id=v7 $bare" look.sh >"$work/look"
	it "$user: another user without capabilities gets IDs" makes_ids
	it "$user: it can't write" refuses write "Permission denied"
	tool $user ""
	it "$user: kuid gen makes IDs in order in a container" makes_in_order
	it "$user: kuid status works in a container" printed status 0
	it "$user: a container can't begin an epoch" refused_to node
	it "$user: a container can't take IDs back" refused_to restore
	it "$user: an unknown name is an error" unknown_device $user
	it "$user: the commands in the document make IDs" documented $user
done
it "root: other device files can't be opened, even if the container makes them" own_nodes
it "root: a file that is only mounted can't be opened" says "Operation not permitted" mounted root
it "somebody: a file that is only mounted can be read" is_v7 mounted somebody
tool somebody --privileged
it "somebody: a privileged container can't begin an epoch" refused_to node
it "somebody: it can't take IDs back" refused_to restore
it "somebody: a file of a group is refused to a container" of_group \
	says "Permission denied" box somebody "--device kuid/id=v7" head -n 1 /dev/kuids/v7.txt
it "somebody: --group-add keep-groups lets it read" of_group \
	is_v7 box somebody "--device kuid/id=v7 --group-add keep-groups" head -n 1 /dev/kuids/v7.txt

hardened=(DynamicUser=yes ProtectSystem=strict NoNewPrivileges=yes CapabilityBoundingSet=)
look_in_unit -BindReadOnlyPaths= -DeviceAllow=
it "a unit with PrivateDevices= has no device files of kuid by itself" has_none "$work/look"
mv "$work/look" "$work/without.unit"
look_in_unit
it "unit: the device files, and no others" gives unit kuid/id=all
it "unit: they give IDs" makes_ids
it "unit: they can't be written" refuses write "Operation not permitted"
look_in_unit "${hardened[@]}"
it "hardened unit: the device files, and no others" gives unit kuid/id=all
it "hardened unit: they give IDs" makes_ids
it "hardened unit: they can't be written" refuses write "Permission denied"
look_in_unit -DeviceAllow=
it "a unit without DeviceAllow= can't open them" refuses id "Operation not permitted"
look_in_unit -BindReadOnlyPaths= -PrivateDevices= DevicePolicy=closed
it "a unit with DevicePolicy=closed needs only DeviceAllow=" makes_ids

it "AppArmor profiles are loaded" load_profiles
it "a profile with the lines of the document may read a file of a format" \
	is_v7 confined named /dev/kuids/host/v7.txt
it "it may read /dev/kuid" confined named /dev/kuid
it "a profile without them may not read a file of a format" denied /dev/kuids/v7.txt
it "it may not read /dev/kuid" denied /dev/kuid

it "8 containers, a unit and the host take IDs at once, above all that were returned before" takers
it "no ID is there twice" together unique /run/together/ids
sed 's/^/# /' "$work/said"
it "nor among those that containers and units read" no_repeats

it "containers are started for a reload of the module" eval \
	'kept root path "--device /dev/kuids/v7.txt" && kept root cdi "--device kuid/id=v7" &&
	kept somebody path "--device /dev/kuids/v7.txt"'
unit bound ExecStart="/bin/sleep infinity"
systemctl start bound
it "the unit runs while there is a device" is_active bound active
it "the module is loaded again, with another major number" reload
it "kuid-cdi.service has described it again" cdi_at_boot
it "the unit was stopped with the device" is_active bound inactive
it "root: a running container has lost the device" \
	says "No such device or address" reads_again root cdi
it "root: if it was made by CDI, it can be started again" again root cdi
it "root: it reads IDs again" is_v7 reads_again root cdi
it "root: if it was made by --device, it can be started again" again root path
it "root: it has no device" says "No such device" reads_again root path
it "somebody: a running container has lost the device" \
	says "Permission denied" reads_again somebody path
it "somebody: it can be started again" again somebody path
it "somebody: it reads IDs again" is_v7 reads_again somebody path
look_in_unit
it "the unit reads IDs when it is started again" makes_ids
it "the module can be unloaded while containers are there" unload
it "a unit without BindsTo= fails with 226 if there is no device" without_device

it "the kernel log has no warnings" no_warnings
# Their programs ignore the signal that ends them with the machine.
for user in root somebody; do
	as $user podman rm --all --force --time 0 >/dev/null
done
finish
