# SPDX-License-Identifier: GPL-2.0-only
#
# Prints results of promises, lines of table, row, column and value between tabs, as the table of
# "make run" and a sentence on it. Rows of kuid come last. Fails if one of these has a number that is
# not 0, or if a number is missing.

BEGIN { FS = "\t" }

NF == 4 {
	if (!($2 in nr_failed))
		rows[++nr_rows] = $2
	values[$2, $3] = $4
	nr_failed[$2] += $4 > 0
}

# 46570 as 46,570
function number(row, column,    value)
{
	value = values[row, column]
	missing += value == ""
	while (match(value, /[0-9][0-9][0-9][0-9](,|$)/))
		value = substr(value, 1, RSTART) "," substr(value, RSTART + 1)
	return value
}

function print_row(row, fork, clone, disorder)
{
	printf "%-39s%12s%12s%16s\n", row, fork, clone, disorder
}

function print_rows(of_kuid,    i, row)
{
	for (i = 1; i <= nr_rows; i++) {
		row = rows[i]
		if ((row ~ /^kuid/) != of_kuid)
			continue
		print_row(row, number(row, "repeats, forked children"), number(row, "repeats, cloned machine"),
			number(row, "disorder, two processes"))
		nr[of_kuid]++
		failed[of_kuid] += nr_failed[row] > 0
	}
}

END {
	print_row("", "repeats", "repeats", "out of order")
	print_row("made by", "after fork", "in a clone", "over processes")
	print_rows(0)
	print_rows(1)
	if (missing || !nr_rows || failed[1]) {
		print "\nkuid has broken a promise, or a number is missing."
		exit 1
	}
	printf "\nNo ID of kuid is a repeat or out of order; %s of the %d others fail in a case or more.\n",
		failed[0] == nr[0] ? "all" : failed[0], nr[0]
}
