# SPDX-License-Identifier: GPL-2.0-only
# Prints the rows of the vectors as C, for selftests/unit/vectors.c: awk -f rows.awk *.tsv

FNR == 1 {
	table = FILENAME
	sub(/.*\//, "", table)
	sub(/\.tsv$/, "", table)
	heading = 1
}
/^#/ || !NF { next }
# The first line names the columns.
heading { heading = 0; next }
{
	gsub(/[\\"]/, "\\\\&")
	gsub(/\t/, "\\t")
	printf "{ \"%s\", \"%s\" },\n", table, $0
}
