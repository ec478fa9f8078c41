# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Shared by tests that are shell scripts: they source this, say "it" for each test, and "finish" in
# the end. Prints KTAP. $work is a directory of theirs, gone when they are; $out and $err in it are
# what a command has printed and said.

work=$(mktemp -d) || exit
trap 'rm -rf "$work"' EXIT
out=$work/out
err=$work/err
nr=0
failed=0
skipped=0
newline='
'

# Functions that a script may redefine: what to do before each test, to explain a failure, and
# what is run by the tests below.
begin_test()
{
	: >"$out"
	: >"$err"
}

explain()
{
	tail -n 20 "$out" "$err" "$work/said"
}

run()
{
	"$@"
}

# it WHAT COMMAND...: a test, which passes if its command succeeds.
it()
{
	nr=$((nr + 1))
	what=$1
	shift
	begin_test
	if "$@" >"$work/said" 2>&1; then
		printf '%s\n' "ok $nr $what"
	else
		printf '%s\n' "not ok $nr $what"
		explain | sed 's/^/# /'
		failed=$((failed + 1))
	fi
}

# try COMMAND...: a test with the first line of its command as its name.
try()
{
	words=$*
	it "${words%%"$newline"*}" "$@"
}

# not COMMAND...: it fails.
not()
{
	! "$@"
}

# matches REGEX COMMAND...: it succeeds, and a line of its output matches.
matches()
{
	regex=$1
	shift
	"$@" >"$work/output" 2>&1 && grep -E -- "$regex" "$work/output"
}

# skip WHAT WHY: a test that can't be done here.
skip()
{
	nr=$((nr + 1))
	skipped=$((skipped + 1))
	echo "ok $nr $1 # SKIP $2"
}

finish()
{
	echo "1..$nr"
	[ $failed -eq 0 ]
}

# eventually COMMAND...: waits until the command succeeds; fails if it never does.
eventually()
{
	for _ in $(seq $((300 * ${KUID_PATIENCE:-1}))); do
		! "$@" || return 0
		sleep 0.2
	done
	return 1
}

# begin_steps COMMAND...: starts a program that prints a line for each line that it gets.
begin_steps()
{
	rm -f "$work/steps"
	mkfifo "$work/steps" || return
	"$@" <"$work/steps" >"$out" 2>"$err" &
	steps=$!
	exec 3>"$work/steps"
	lines=0
}

has_lines()
{
	[ "$(wc -l <"$out")" -eq "$lines" ]
}

# step LINE: gives it a line, and waits until it has printed one.
step()
{
	lines=$((lines + 1))
	echo "$1" >&3 && eventually has_lines
}

# Its exit status.
end_steps()
{
	exec 3>&- && wait "$steps"
}

# ends SIGNAL PID: the exit status of a child that is told to end; it is killed if it never does.
ends()
{
	kill "-$1" "$2" || return
	eventually has_ended "$2" || kill -KILL "$2"
	wait "$2"
}

# Its status can still be asked for.
has_ended()
{
	! grep -qs '^State:[^Z]*(' "/proc/$1/status"
}

# prints TEXT ARGUMENT...: run with them succeeds, prints just that and says nothing.
prints()
{
	printf '%s\n' "$1" >"$work/want"
	shift
	run "$@" >"$out" 2>"$err" </dev/null && [ ! -s "$err" ] && cmp "$out" "$work/want"
}

# fails STATUS TEXT ARGUMENT...: it exits with STATUS, prints nothing and says TEXT.
fails()
{
	status=$1 text=$2
	shift 2
	run "$@" >"$out" 2>"$err" </dev/null
	[ $? -eq "$status" ] && [ ! -s "$out" ] && grep -qF -- "$text" "$err"
}

# to_full_disk ARGUMENT...: it fails because of that, and says so.
to_full_disk()
{
	run "$@" >/dev/full 2>"$err" </dev/null
	[ $? -eq 1 ] && [ "$(cat "$err")" = 'kuid: standard output: No space left on device' ]
}
