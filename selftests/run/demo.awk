# SPDX-License-Identifier: GPL-2.0-only
#
# Prints results of promises, lines of table, row, column and value between tabs, as the table of
# "make run" and a sentence on it. Rows of kuid come last. Fails if one of these has a number that is
# not 0, or if a number is missing.

BEGIN {
	FS = "\t"
	nr_columns = split("repeats, forked children|repeats, cloned machine|disorder, two processes",
		columns, "|")
	split("12 12 16", width, " ")
	split("repeats|repeats|out of order", above, "|")
	split("after fork|in a clone|over processes", below, "|")
}

NF == 4 {
	if (!($2 in nr_failed)) {
		rows[++nr_rows] = $2
		nr_failed[$2] = 0
	}
	values[$2, $3] = $4
	nr_failed[$2] += $4 > 0
}

# 46570 as 46,570
function number(value)
{
	while (match(value, /[0-9][0-9][0-9][0-9](,|$)/))
		value = substr(value, 1, RSTART) "," substr(value, RSTART + 1)
	return value
}

function print_heads(first, heads,    j)
{
	printf "%-39s", first
	for (j = 1; j <= nr_columns; j++)
		printf "%*s", width[j], heads[j]
	print ""
}

function print_rows(of_kuid,    i, j)
{
	for (i = 1; i <= nr_rows; i++) {
		if ((rows[i] ~ /^kuid/) != of_kuid)
			continue
		printf "%-39s", rows[i]
		for (j = 1; j <= nr_columns; j++) {
			printf "%*s", width[j], number(values[rows[i], columns[j]])
			missing += values[rows[i], columns[j]] == ""
		}
		print ""
		if (of_kuid)
			kuid_failed += nr_failed[rows[i]]
		else if (++others)
			others_failed += nr_failed[rows[i]] > 0
	}
}

END {
	print_heads("", above)
	print_heads("made by", below)
	print_rows(0)
	print_rows(1)
	if (missing || !nr_rows || kuid_failed) {
		print "\nkuid has broken a promise, or a number is missing."
		exit 1
	}
	printf "\nNo ID of kuid is a repeat or out of order; %s of the %d others fail in a case or more.\n",
		others_failed == others ? "all" : others_failed, others
}
