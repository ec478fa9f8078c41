# SPDX-License-Identifier: GPL-2.0-only
#
# Compares results with a record:   awk -v tolerance=PERCENT -f hold.awk RECORD RESULTS
# Only lines with the fifth field "held" count. Each of them must be in both files.
BEGIN { FS = "\t" }
$5 != "held" { next }
{ id = $1 ": " $2 ", " $3 }
FILENAME == ARGV[1] {
	recorded[id] = $4
	next
}
!(id in recorded) {
	print id ": not recorded, measured " $4
	bad = 1
	next
}
{
	held++
	off = ($4 / recorded[id] - 1) * 100
	if (off > tolerance || off < -tolerance) {
		printf "%s: recorded %s, measured %s, %+.1f %%\n", id, recorded[id], $4, off
		bad = 1
	}
	delete recorded[id]
}
END {
	for (id in recorded) {
		print id ": recorded " recorded[id] ", not measured"
		bad = 1
	}
	if (held && !bad)
		printf "%d values are within %g %% of the record\n", held, tolerance
	exit bad
}
