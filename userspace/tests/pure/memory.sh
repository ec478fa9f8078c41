#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Each verb under valgrind, which sees what is used without having been set. Prints KTAP; skips all
# where there is no valgrind. Needs the tool without sanitizers as KUID_PLAIN, what fake_device.sh
# does, what dropin.sh does, and must be given with its path.

if ! command -v valgrind >/dev/null; then
	echo "1..0 # SKIP no valgrind"
	exit 0
fi
# shellcheck source=SCRIPTDIR/../fake_device.sh
. "${0%/*}/../fake_device.sh"

# shellcheck source=SCRIPTDIR/../formats.sh
. "${0%/*}/../formats.sh"

# says_nothing COMMAND...: valgrind has nothing to say about it. Returns its exit status.
says_nothing()
{
	valgrind -q --error-exitcode=86 --leak-check=full --errors-for-leak-kinds=definite \
		--log-file="$FAKE/valgrind" "$@" >"$out" 2>"$err"
	result=$?
	[ ! -s "$FAKE/valgrind" ] && return $result
	cat "$FAKE/valgrind"
	return 86
}

# A program of libuuid, with the drop-in and another device that is not there.
drop_in_is_clean()
{
	head -c 24 /dev/zero >"$FAKE/made"
	echo load_id 7 >"$FAKE/device"
	LD_PRELOAD="$FAKE_DEVICE $DROPIN" says_nothing "$DROPIN_TESTS/libuuid_user" "$@" &&
		[ "$(grep -c '00000000-0000-[17]000-8000-00000000000' "$out")" -eq 3 ]
	result=$?
	rm "$FAKE/made"
	return $result
}

# An example with IDs in a local variable, which no one has set before.
example_is_clean()
{
	: >"$FAKE/device"
	LD_PRELOAD=$FAKE_DEVICE says_nothing "$COMPILED/many" --fallback
}

# The same for MemorySanitizer, which only clang has, with a library that clang has compiled, too.
example_is_sanitized()
{
	userspace=${0%/*}/../..
	: >"$FAKE/device"
	"$userspace/bindings/vendor.sh" "$FAKE/library" &&
		clang -std=gnu11 -D_GNU_SOURCE -fsanitize=memory -rdynamic -I "$FAKE/library" \
			-o "$FAKE/many" "$userspace/examples/many.c" "$FAKE"/library/*.c &&
		LD_PRELOAD=$FAKE_DEVICE "$FAKE/many" --fallback
}

# Exits with STATUS, and valgrind has nothing to say.
is_clean()
{
	status=$1
	shift
	cat >"$FAKE/device" <<-DEVICE
		held 7
		reasons 4095
		epoch 2
		node_from 1
		node 1
		wall_ns 1795162500000000000
		slot_ns 1795162502500000000
		made 10
	DEVICE
	printf '%s\n' c232ab00-9414-11ec-b3c8-9f6bdeced846 .5.tXbhdV.3 |
		LD_PRELOAD=$FAKE_DEVICE says_nothing "$KUID_PLAIN" "$@"
	[ $? -eq "$status" ]
}

clean()
{
	it "$*" is_clean "$@"
}

clean 0 --help
clean 2 frobnicate
for format in $formats; do
	clean 0 gen -f "$format" -n 5000
done
clean 0 gen --binary -n 2
clean 0 gen --cf -f v7
clean 0 gen --guid -o host
clean 0 gen --local -n 5000
clean 0 gen --private -n 5000
clean 0 inspect
clean 0 inspect --json
clean 1 convert --to v6
clean 0 convert --to hex
clean 1 compare
clean 0 compare .5.tXbhdV.3 .5.tXbhdV.7
clean 0 status
clean 0 status --json
clean 0 status --prometheus
clean 0 restore --first "$FAKE/state"
clean 0 restore "$FAKE/state"
clean 0 restore --may-repeat "$FAKE/state"
clean 0 clock
clean 0 clock --json
clean 0 node
clean 0 node --node 123 --json
clean 0 cdi
clean 0 cdi --output "$FAKE/kuid.json"
clean 1 cdi --output "$FAKE/none/kuid.json"
for function in time time_safe time_v7; do
	it "the drop-in, $function" drop_in_is_clean $function 3
done
it "kuid_many()" example_is_clean
if command -v clang >/dev/null; then
	it "kuid_many(), for MemorySanitizer" example_is_sanitized
else
	skip "kuid_many(), for MemorySanitizer" "no clang"
fi
# Not bench: its threads race each other, of which valgrind runs one at a time, and may go on for ever.
finish
