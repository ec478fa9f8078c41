# SPDX-License-Identifier: GPL-2.0-only
#
# Prints the lines of kmod/ that didn't run without a reason in coverage.tsv, from lcov's trace file:
#   awk -f coverage.awk coverage.tsv TRACEFILE.info FILE...
# The FILEs are those that the trace file names. Fails if there are such lines, or if coverage.tsv has a
# reason for a line that doesn't exist.

BEGIN { FS = "\t" }

# Columns: file, function, line or * for the whole function, reason.
FILENAME ~ /\.tsv$/ {
	if ($0 ~ /^#/ || $0 == "")
		next
	if (NF != 4 || $4 == "") {
		print FILENAME ":" FNR ": needs file, function, line and reason"
		failed = 1
	}
	reason[$1, $2, $3] = FILENAME ":" FNR
	next
}

FILENAME ~ /\.info$/ {
	if (sub(/^SF:/, ""))
		file = $0
	else if (sub(/^DA:/, "")) {
		split($0, of, ",")
		runs[file, of[1]] += of[2]
	}
	next
}

# A function's name is at the begin of a line.
FNR == 1 { name = "" }
/^[a-z_].*[a-z0-9_]+\(/ {
	name = $0
	sub(/\(.*/, "", name)
	sub(/.*[^A-Za-z0-9_]/, "", name)
}

{
	text = $0
	gsub(/^[ \t]+|[ \t]+$/, "", text)
	gsub(/\t/, " ", text)
	there[FILENAME, name, text]
	there[FILENAME, name, "*"]
	if (runs[FILENAME, FNR] != "0")
		next
	if ((FILENAME, name, text) in reason || (FILENAME, name, "*") in reason)
		justified++
	else {
		print FILENAME ":" FNR ": " name "(): not run: " text
		failed = 1
	}
}

END {
	for (key in reason) {
		if (key in there)
			continue
		split(key, what, SUBSEP)
		print reason[key] ": " what[1] " has no such line in " what[2] "(), or no data"
		failed = 1
	}
	print justified + 0 " lines of kmod that were not run have a reason in coverage.tsv"
	exit failed
}
