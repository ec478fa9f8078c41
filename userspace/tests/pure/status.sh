#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# kuid status with a device that is not there: what it says to people, and the two forms that other
# programs read. Prints KTAP. Needs what fake_device.sh does, and must be given with its path.

# shellcheck source=SCRIPTDIR/../fake_device.sh
. "${0%/*}/../fake_device.sh"

# shellcheck source=SCRIPTDIR/../formats.sh
. "${0%/*}/../formats.sh"

# All is well.
begin_test()
{
	begin_device <<-DEVICE
		unique 510
		ordered 510
		reboot_safe 510
		reasons 0
		epoch 2
		load_id 1311768467463790320
		wall_ns 1795162500000000000
		slot_ns 1795162502500000000
		floor_ns 1795162440000000000
		ceiling_ns 1795162560000000000
		claim_ceiling_ns 0
		made 10
		waits 9
		vm_forks 1
		clones 3
	DEVICE
	rm -f "$FAKE/vmclock"
}

run()
{
	LD_PRELOAD=$FAKE_DEVICE kuid status "$@"
}

status()
{
	run "$@" >"$out" 2>"$err"
}

# Prints something in any case, and exits with STATUS: UNIQUE ORDERED REBOOT_SAFE OPTION...
checks()
{
	result=$1
	set_field unique "$2" ordered "$3" reboot_safe "$4"
	shift 4
	status "$@"
	[ $? -eq "$result" ] && [ ! -s "$err" ] && [ -s "$out" ]
}

# One line, whatever reasons there are that concern no promise.
is_one_line()
{
	prints 'unique, ordered and reboot-safe' --check || return
	set_field reasons 36
	prints 'unique, ordered and reboot-safe, but not if this machine is cloned' --check || return
	set_field ceiling_ns 1795162532499999999
	status --check && grep -q '^near_ceiling: ' "$out" || return
	set_field ceiling_ns 0 reboot_safe 14
	status --check && grep -q '^reboot-safe  yes: v1 v6 v7; no: ' "$out"
}

# Without a device, what other programs read is not empty.
tells_absence()
{
	while_set FAKE_OPEN 2 run --json >"$out" 2>"$err"
	[ $? -eq 1 ] && python3 -c 'import json, sys; sys.exit("modprobe kuid" not in json.load(sys.stdin)["error"])' <"$out" &&
		grep -q 'modprobe kuid' "$err" || return
	while_set FAKE_OPEN 2 run --prometheus >"$out" 2>"$err"
	[ $? -eq 1 ] && grep -qx 'kuid_up 0' "$out" && grep -q 'modprobe kuid' "$err" &&
		status --prometheus && grep -qx 'kuid_up 1' "$out"
}

# A reason by its bit is told alone, in each form.
tells_reason()
{
	set_field reasons "$1"
	status && [ "$(grep -v "^refused: " "$out" | grep -c "^[a-z_]*: ")" -eq 1 ] && grep -q "^$2: [A-Z]" "$out" &&
		! grep -qE '^.{80}' "$out" &&
		status --json && [ "$(grep -o '"name": "[a-z_]*", "text": "[A-Z][^"]*\."' "$out" |
			sed 's/", "text.*//')" = "\"name\": \"$2" ] &&
		status --prometheus && grep -qxF "kuid_reason{reason=\"$2\"} 1" "$out" &&
		[ "$(grep -c '^kuid_reason{.*} 1$' "$out")" -eq 1 ]
}

# The first line, which a hurried reader takes for all.
excepts_clones()
{
	set_field reasons 32
	status && head -n 1 "$out" | grep -qx 'unique       yes, but not if this machine is cloned'
}

# A promise that is held for some formats only, in each form.
tells_formats()
{
	set_field reboot_safe 270
	status && grep -qx 'reboot-safe  yes: v1 v6 v7 snowflake; no: lex k64 k96 k128' "$out" &&
		grep -qx 'unique       yes' "$out" && status --json &&
		grep -qF '"reboot_safe": ["v1", "v6", "v7", "snowflake"], ' "$out" &&
		status --prometheus && grep -qxF 'kuid_reboot_safe{format="k64"} 0' "$out" &&
		grep -qxF 'kuid_reboot_safe{format="snowflake"} 1' "$out" &&
		grep -qxF 'kuid_unique{format="k64"} 1' "$out" || return
	set_field reboot_safe 0
	status && grep -qx 'reboot-safe  no' "$out"
}

tells_unknown_reason()
{
	set_field reasons 4096
	status && grep -qF 'does not know (0x1000)' "$out" && status --json &&
		grep -qF '"reasons": [], "unknown_reasons": [12], ' "$out" && status --prometheus &&
		grep -qxF 'kuid_reason{reason="unknown"} 1' "$out"
}

# CLONES CALLS LANES: how clones are noticed, in each form.
tells_clones()
{
	set_field clones "$1"
	status && grep -qxF "clones       $2 by calls, $3 for private lanes" "$out" &&
		status --json &&
		grep -qF "\"clones_calls\": \"${2%% *}\", \"clones_lanes\": \"${3%% *}\"" "$out"
}

# A process that can read the device's page, and one that finds none or another one.
tells_clones_of_vmclock()
{
	printf 'VCLK\0\20\0\0\1' >"$FAKE/vmclock"
	tells_clones 3 'seen at once' 'told later' || return
	truncate -s 4096 "$FAKE/vmclock"
	tells_clones 3 'seen at once' 'seen at once' && tells_clones 2 'told later' 'told later' &&
		printf '\2' | dd of="$FAKE/vmclock" bs=1 seek=8 conv=notrunc status=none &&
		tells_clones 3 'seen at once' 'told later'
}

# CEILING LINES SECONDS JSON: how near it is, in each form.
tells_ceiling()
{
	set_field ceiling_ns "$1"
	status && [ "$(grep -c '^near_ceiling: ' "$out")" -eq "$2" ] &&
		! grep -qE '^.{80}' "$out" && { [ "$1" -eq 0 ] ||
		grep -qxF "             $3 s: until IDs come to the ceiling" "$out"; } &&
		status --json && grep -qF "\"ceiling_left_ns\": $4, " "$out" &&
		status --prometheus &&
		[ "$(sed -n 's/^kuid_ceiling_left_seconds //p' "$out")" = "$3" ]
}

tells_claim()
{
	set_field claim_ceiling_ns 1795162562500000000
	status && grep -A 1 '^of the claim 2026-11-20T08:16:02.500000000Z$' "$out" |
		grep -qxF '             60 s: until IDs that show a claimed number come to it' &&
		status --json && grep -qF '"claim_ceiling_ns": 1795162562500000000' "$out" &&
		grep -qF '"claim_ceiling_left_ns": 60000000000, ' "$out" &&
		status --prometheus &&
		grep -qxF 'kuid_claim_ceiling_timestamp_seconds 1795162562.5' "$out"
}

# The kernel's own reason says it all.
tells_past_ceiling()
{
	set_field reasons 256
	tells_ceiling 1795162502000000000 0 0 0 && status && grep -q '^past_ceiling: ' "$out"
}

# "kuid keep" begins no cover where one has begun.
advises_no_restart()
{
	set_field reasons 2048
	status && tr -s '\n ' '  ' <"$out" >"$FAKE/advice" && grep -q 'k64_may_repeat: ' "$FAKE/advice" &&
		! grep -qF 'restart kuid' "$FAKE/advice"
}

# Whatever it says to run is a verb with these options.
advises_what_there_is()
{
	set_field reasons 4095
	status || return
	tr '\n' ' ' <"$out" | sed 's/   */ /g' | grep -oE '"kuid [a-z][^"]*"' | tr -d '"' >"$FAKE/advice"
	[ "$(wc -l <"$FAKE/advice")" -ge 10 ] || return
	while read -r _ verb words; do
		kuid "$verb" --help >"$FAKE/help" || return
		for word in $words; do
			case $word in
			--*) grep -qE -- "^ .*$word([ =]|$)" "$FAKE/help" || return ;;
			esac
		done
	done <"$FAKE/advice"
}

# The text exposition format, strictly: each metric once, HELP, TYPE and then its samples; counters
# and no others end in _total; times are in seconds; no label value comes twice.
is_exposition()
{
	awk '
		function wrong(why) { print "line " NR ": " why ": " $0 | "cat >&2"; bad = 1 }
		/^# HELP / {
			if (expect == "type" || expect == "first") wrong("no sample before it")
			name = $3
			if (name !~ /^kuid_[a-z][a-z_]*[a-z]$/) wrong("name")
			if (seen[name]++) wrong("twice")
			if (NF < 4 || $0 !~ /\.$/ || /\\/) wrong("no sentence")
			expect = "type"
			next
		}
		/^# TYPE / {
			if (expect != "type" || $3 != name || NF != 4) wrong("not behind its HELP")
			if ($4 != "gauge" && $4 != "counter") wrong("type")
			if (($4 == "counter") != (name ~ /_total$/)) wrong("_total")
			if (name ~ /(_ns|_ms|_nanoseconds)(_|$)/) wrong("unit")
			expect = "first"
			next
		}
		{
			if (expect != "first" && expect != "more") wrong("sample without TYPE")
			if (!match($0, /^[a-z_]+(\{[a-z_]+="[a-z0-9_.]+"\})? /)) wrong("form")
			sample = substr($0, 1, RLENGTH - 1)
			rest = substr($0, RLENGTH + 1)
			if (rest !~ /^([0-9]+(\.[0-9]+)?|\+Inf)$/) wrong("value")
			if (sample != name && index(sample, name "{") != 1) wrong("of another metric")
			if (samples[sample]++) wrong("sample twice")
			expect = "more"
			total++
		}
		END { if (expect != "more" || total < 40) wrong("ends early"); exit bad }' "$1"
}

prints_metrics()
{
	status --prometheus && [ ! -s "$err" ] && is_exposition "$out" &&
		[ -z "$(tail -c 1 "$out" | tr -d '\n')" ]
}

# Prints TEXT for each format, with its name, the IDs that the fake device has made, the IDs a
# second that are possible, and where. The device derives both figures from the format's number.
each_format()
{
	number=0
	for format in $formats; do
		number=$((number + 1)) where=
		case " $stamp_formats " in
		*" $format "*) where=' on a CPU' ;;
		esac
		printf '%b' "$1" | sed "s/FORMAT/$format/; s/IDS/$((9 + number))/
			s/RATE/$((1000000000 / number))/; s/WHERE/$where/"
	done
}

# Metrics have the values of the device.
has_metrics()
{
	status --prometheus || return
	while read -r line; do
		grep -qxF "$line" "$out" || { echo "no $line" >"$err"; return 1; }
	done <<-LINES
		kuid_tool_info{version="$KUID_VERSION"} 1
		$(each_format 'kuid_unique{format="FORMAT"} 1\n')
		$(each_format 'kuid_ordered{format="FORMAT"} 1\n')
		$(each_format 'kuid_reboot_safe{format="FORMAT"} 1\n')
		kuid_epoch 2
		kuid_load_info{load_id="123456789abcdef0"} 1
		kuid_lag_seconds{clock="stamp"} 0.000000001
		kuid_lag_seconds{clock="slot"} 2.5
		kuid_ahead_seconds{ids="stamp"} 0.000000003
		kuid_ahead_seconds{ids="lex"} 0.000000004
		kuid_ahead_seconds{ids="grid"} 0.000000005
		kuid_ahead_seconds{ids="snowflake"} 0.000000009
		kuid_floor_timestamp_seconds 1795162440
		kuid_ceiling_timestamp_seconds 1795162560
		kuid_ceiling_left_seconds 57.5
		kuid_claim_ceiling_timestamp_seconds 0
		$(each_format 'kuid_ids_total{format="FORMAT"} IDS\n')
		kuid_waits_total 9
		kuid_would_blocks_total 6
		kuid_clock_steps_total{direction="back"} 7
		kuid_clock_steps_total{direction="forward"} 8
		kuid_vm_forks_total 1
		kuid_clock_resolution_seconds 0.000000001
		kuid_max_ahead_seconds 0.1
		kuid_batch_ahead_seconds 0.05
		kuid_step_limit_seconds 10
		$(each_format 'kuid_ids_per_second_limit{format="FORMAT"} RATE\n')
	LINES
}

accepted_by_promtool()
{
	status --prometheus && promtool check metrics <"$out" >"$err" 2>&1
}

lines="unique       yes
ordered      yes
reboot-safe  yes

epoch        2
load ID      123456789abcdef0
lag          0.000000001 s: $stamp_formats
             2.5 s: $slot_formats
run-ahead    0.000000003 s: $stamp_formats
             0.000000004 s: $lex_formats
             0.000000005 s: $grid_formats
             0.000000009 s: $snowflake_formats
floor        2026-11-20T08:14:00.000000000Z
ceiling      2026-11-20T08:16:00.000000000Z
             57.5 s: until IDs come to the ceiling
of the claim none
IDs made     $(each_format '             IDS FORMAT\n' | sed '1s/^ *//')
waits        9, and 6 where a call may not wait
clock set    7 times back, 8 forward
VM forks     1
clones       seen at once by calls, told later for private lanes
limits       0.1 s: run-ahead of one ID
             0.05 s: run-ahead in a batch
             10 s: clock set back until a new epoch of $stamp_formats
             0.000000001 s: resolution of the clock
$(each_format '             RATE FORMAT a secondWHERE\n')"
names=$(each_format '"FORMAT", ')
json="{\"unique\": [${names%, }], \"ordered\": [${names%, }], \"reboot_safe\": [${names%, }],"
json="$json \"reasons\": [],"
json="$json \"unknown_reasons\": [], \"epoch\": 2, \"load_id\": \"123456789abcdef0\","
json="$json \"stamp_lag_ns\": 1,"
json="$json \"slot_lag_ns\": 2500000000, \"stamp_ahead_ns\": 3, \"lex_ahead_ns\": 4,"
json="$json \"grid_ahead_ns\": 5, \"snowflake_ahead_ns\": 9,"
json="$json \"floor\": \"2026-11-20T08:14:00.000000000Z\","
json="$json \"floor_ns\": 1795162440000000000, \"ceiling\": \"2026-11-20T08:16:00.000000000Z\","
json="$json \"ceiling_ns\": 1795162560000000000, \"ceiling_left_ns\": 57500000000,"
json="$json \"claim_ceiling\": \"none\", \"claim_ceiling_ns\": 0,"
json="$json \"claim_ceiling_left_ns\": null,"
json="$json \"ids\": {$(each_format '"FORMAT": IDS, ')"
json="${json%, }}, \"waits\": 9,"
json="$json \"would_blocks\": 6, \"steps_back\": 7, \"steps_forward\": 8, \"vm_forks\": 1,"
json="$json \"clones_calls\": \"seen\", \"clones_lanes\": \"told\","
json="$json \"limits\": {\"max_ahead_ns\": 100000000, \"batch_ahead_ns\": 50000000,"
json="$json \"step_limit_ns\": 10000000000, \"clock_resolution_ns\": 1, \"ids_per_second\":"
json="$json {$(each_format '"FORMAT": RATE, ')"
json="${json%, }}}}"

it "lines for people" prints "$lines"
it "--json prints a line" prints "$json" --json
it "-j is the same" prints "$json" -j
it "--prometheus prints metrics" prints_metrics
it "all is among the metrics" has_metrics
if command -v promtool >/dev/null; then
	it "promtool has nothing to say of them" accepted_by_promtool
else
	skip "promtool has nothing to say of them" "no promtool"
fi
it "half speed of stamps is told" tells_reason 1 stamps_half_speed
it "half speed of slots is told" tells_reason 2 slots_half_speed
it "a coarse clock is told" tells_reason 4 coarse_clock
it "no state is told" tells_reason 8 no_state
it "a given node is told" tells_reason 16 fixed_node
it "no notification of clones is told" tells_reason 32 no_vm_fork
it "so does the first line" excepts_clones
it "no random numbers are told" tells_reason 64 random_not_ready
it "times that may come again are told" tells_reason 128 may_repeat
it "the ceiling is told" tells_reason 256 past_ceiling
it "a ceiling that is near is told" tells_ceiling 1795162532499999999 1 29.999999999 29999999999
it "a ceiling that is not near is not" tells_ceiling 1795162532500000000 0 30 30000000000
it "a ceiling that is reached is near" tells_ceiling 1795162502500000000 1 0 0
it "no ceiling is not near" tells_ceiling 0 0 '' null
it "a ceiling that the kernel tells is told once" tells_past_ceiling
it "the ceiling of a claim is told" tells_claim
it "a clone is told" tells_reason 512 stale_identity
it "clones that nobody tells of are told" tells_clones 0 'never told' 'never told'
it "clones that the kernel tells of are told" tells_clones 2 'told later' 'told later'
it "clones that calls see are told" tells_clones 1 'seen at once' 'never told'
it "clones that lanes see are told" tells_clones_of_vmclock
it "what only a newer module knows is told" tells_unknown_reason
it "what it says to run there is" advises_what_there_is
it "status: a restart is no help where k64 may repeat" advises_no_restart

it "the formats of a promise are told" tells_formats
it "what is not held is no failure" checks 0 0 0 0
it "--check is one line if all is held" is_one_line
it "without a device, JSON and metrics tell that" tells_absence
it "--check: all held" checks 0 510 510 510 --check
it "--check: not safe over reboots" checks 0 510 510 14 --check
it "--check: one format is not unique" checks 4 494 510 510 --check
it "--check: one format is not ordered" checks 4 510 508 510 --check
it "--check --json: not unique" checks 4 0 510 510 --check --json
it "--check --prometheus: not ordered" checks 4 510 0 510 --check --prometheus

it "no device: how to load the module" while_set FAKE_OPEN 2 fails 1 'modprobe kuid'
it "no permission" while_set FAKE_OPEN 13 fails 1 '/dev/kuid: Permission denied'
it "an old module, status" while_set FAKE_FAIL 'status 1 25' fails 1 'reading the status: The module is older'
it "limits of a format fail" while_set FAKE_FAIL 'query 6 5' fails 1 'reading the limits: Input/output error'
it "two forms are refused" fails 2 'only one of --json, --prometheus and --holders' --json --prometheus
it "an argument is refused" fails 2 'unexpected argument "now"' now
it "a full disk is told" to_full_disk
it "a full disk is told, JSON" to_full_disk --json
it "a full disk is told, metrics" to_full_disk --prometheus
finish
