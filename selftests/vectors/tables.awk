# SPDX-License-Identifier: GPL-2.0-only
# Prints the vectors as C tables, for kuid_vectors.c: awk -f tables.awk *.tsv

BEGIN { FS = "\t" }

function hex(digits) { return digits == "-" ? "0" : "0x" digits "ULL" }

FNR == 1 {
	file = FILENAME
	sub(/.*\//, "", file)
	sub(/\.tsv$/, "", file)
	columns = 0
}
/^#/ { next }
# The first line names the columns.
!columns { columns = NF; next }

file == "uuid" {
	row[file] = row[file] sprintf("\t{ %s, %sULL, %s, %s, %s, %s, \"%s\" },\n",
		$1, $2, hex($3), hex($4), hex($5), hex($6), $7)
}
file == "lexical" {
	row[file] = row[file] sprintf("\t{ %s, %s, \"%s\" },\n", hex($1), hex($2), $3)
}
file == "kordered" {
	row[file] = row[file] sprintf("\t{ '%s', %s, %s, %s, %s, %s, %s, \"%s\", \"%s\" },\n",
		$1, $2, $3, $4, $5, hex($6), $7 == "-" ? 8 : $7, $8, $9)
}
file == "fnv1a" {
	row[file] = row[file] sprintf("\t{ \"%s\", %s },\n", $1 == "-" ? "" : $1, hex($3))
}
file == "sortable64" {
	row[file] = row[file] sprintf("\t{ \"%s\", \"%s\" },\n", $1, $2)
}

END {
	for (name in row)
		printf "static const struct %s_vector %s_vectors[] = {\n%s};\n\n", name, name, row[name]
}
