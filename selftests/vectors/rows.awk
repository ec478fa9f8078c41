# SPDX-License-Identifier: GPL-2.0-only
# Makes C of the vectors' rows, for selftests/unit/: awk -f rows.awk *.tsv

FNR == 1 {
	table = FILENAME
	sub(/.*\//, "", table)
	sub(/\.tsv$/, "", table)
	heading = 1
}
/^#/ || !NF { next }
# The line that names the columns.
heading { heading = 0; next }
{
	gsub(/[\\"]/, "\\\\&")
	gsub(/\t/, "\\t")
	printf "{ \"%s\", \"%s\" },\n", table, $0
}
