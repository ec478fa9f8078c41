# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# For scripts that source this, to make the directory $result once and keep it in the directory $cache.
# It is there as it should be if its file key has $key, or by a have_it of their own.
# shellcheck disable=SC2154 # variables of the sourcing script

# shellcheck source=SCRIPTDIR/arguments.sh
. "$(dirname "${BASH_SOURCE[0]}")/arguments.sh"

say()
{
	echo "${0##*/}: $*" >&2
}

# A result appears by one rename, so an existing result is complete.
have_it()
{
	[[ -r $result/key && $(<"$result/key") == "$key" ]]
}

end_if_there()
{
	if have_it; then
		echo "$result"
		exit 0
	fi
}

# begin_result LOCK WORK: if the result is there, prints it and ends the script. Otherwise takes the lock
# of this name, and makes the empty directory $new in $tmp, whose name begins with WORK.
begin_result()
{
	end_if_there
	exec {lock}>"$cache/$1" || die "can't write to $cache"
	flock --nonblock "$lock" || { say "waiting for another one into $cache"; flock "$lock"; }
	end_if_there
	# Leftovers are of an interrupted script, as this one holds the lock.
	rm -rf "$cache/$2".*
	tmp=$(mktemp -d "$cache/$2.XXXXXX")
	at_end "rm -rf '$tmp'"
	new=$tmp/result
	mkdir "$new"
}

# logged COMMAND...: runs it without the lock, and shows the end of its output if it fails.
logged()
{
	nice "$@" >"$tmp/log" 2>&1 {lock}>&- || {
		tail -n 40 "$tmp/log" >&2
		die "${result##*/} can't be made: $1 failed"
	}
}

# Only renames: if killed between the two, there is no result, and the next run makes it again.
end_result()
{
	[[ ! ${key:-} ]] || echo "$key" >"$new/key"
	chmod -R a+rX "$new"
	[[ ! -d $result ]] || mv "$result" "$tmp/old"
	mv "$new" "$result"
	say "${result##*/} is in $result"
	echo "$result"
}
