# SPDX-License-Identifier: GPL-2.0-only
#
# Makes tables and points of plots from results:   awk -v out=DIR -f report.awk tables.list RESULTS...
# A line of the results has table, row, column and value between tabs, and perhaps "held" as a fifth
# field. Each table of tables.list that has a value becomes DIR/NAME.md, with the rows that documents
# show, and DIR/NAME.gp if it has a plot. All of them go to DIR/report.md and DIR/report.csv. Fails if the results have a table or
# column that the list lacks. With -v complete=1 it also fails if a table of the list has no value,
# or a row that is made of values of other tables lacks one.

BEGIN { FS = "\t" }

function fail(what)
{
	print "report: " what >"/dev/stderr"
	bad = 1
}

function trim(text)
{
	gsub(/^[ \t]+|[ \t]+$/, "", text)
	return text
}

# The next line of the list: "key: value", or more of the last value.
function read_list(    at)
{
	if ($0 ~ /^#/ || $0 == "")
		return
	if ($0 !~ /^[ \t]/) {
		at = index($0, ":")
		key = substr($0, 1, at - 1)
		if (key == "table")
			tables[++nr_tables] = name = trim(substr($0, at + 1))
		else if (key == "row")
			made[name, ++nr_made[name]] = trim(substr($0, at + 1))
		else if (key ~ /^(title|caption|head|columns|rows|unit|plot|plotted|finding|x|y|log)$/)
			set[name, key] = trim(substr($0, at + 1))
		else
			fail("tables.list: unknown key " key)
		known[name] = 1
	} else if (key == "row") {
		made[name, nr_made[name]] = made[name, nr_made[name]] " " trim($0)
	} else {
		set[name, key] = set[name, key] " " trim($0)
	}
}

function read_columns(    n, i, j, column)
{
	for (i = 1; i <= nr_tables; i++) {
		name = tables[i]
		n = split(set[name, "columns"], column, / *\| */)
		for (j = 1; j <= n; j++)
			add_column(name, column[j])
		given[name] = n
	}
}

function add_column(name, column)
{
	columns[name, ++nr_columns[name]] = column
	has_column[name, column] = 1
}

function add(name, row, column, value)
{
	if (!((name, row) in has_row)) {
		has_row[name, row] = 1
		rows[name, ++nr_rows[name]] = row
	}
	if (!((name, column) in has_column)) {
		if (given[name])
			fail("tables.list: table " name " has no column " column)
		add_column(name, column)
	}
	values[name, row, column] = value
}

NR == FNR { read_list(); next }
FNR == 1 && !are_read++ { read_columns() }
/^#/ { next }
NF != 4 && NF != 5 {
	fail(FILENAME ": " FNR ": not a result: " $0)
	next
}
!($1 in known) {
	fail("tables.list: no table " $1)
	next
}
{
	nr_results++
	add($1, $2, $3, $4)
}

# A row "NAME | CELL | ...", of which a cell is "TABLE > ROW > COLUMN" or text. A run of some parts
# only may lack all values of a row.
function make_row(name, text,    n, i, cell, part, value, found, lacking)
{
	n = split(text, cell, / *\| */)
	for (i = 2; i <= n; i++) {
		value[i] = cell[i]
		if (split(cell[i], part, / > /) != 3)
			continue
		value[i] = "-"
		if ((part[1], part[2], part[3]) in values) {
			value[i] = values[part[1], part[2], part[3]]
			found = 1
		} else {
			lacking = 1
			if (complete)
				fail("no value " cell[i])
		}
	}
	for (i = 2; i <= n && (found || !lacking); i++)
		add(name, cell[1], columns[name, i - 1], value[i])
}

# 46570 as 46,570; with fewer digits behind the point the larger the number is.
function number(value,    digits, tail)
{
	if (value !~ /^-?[0-9]+(\.[0-9]+)?$/)
		return value
	if (value ~ /\./)
		value = sprintf(value + 0 >= 100 ? "%.0f" : value + 0 >= 10 ? "%.1f" : "%.2f", value)
	digits = value
	tail = ""
	if (match(value, /\./)) {
		digits = substr(value, 1, RSTART - 1)
		tail = substr(value, RSTART)
	}
	while (digits ~ /[0-9][0-9][0-9][0-9]/) {
		tail = "," substr(digits, length(digits) - 2) tail
		digits = substr(digits, 1, length(digits) - 3)
	}
	return digits tail
}

function value_of(name, i, j)
{
	if (!((name, rows[name, i], columns[name, j]) in values))
		return "-"
	return values[name, rows[name, i], columns[name, j]]
}

# Whether a plot would have a point: not if only other columns were measured.
function has_points(name,    i, j, n, plotted, wanted)
{
	n = split(set[name, "plotted"], plotted, / *\| */)
	for (j = 1; j <= n; j++)
		wanted[plotted[j]] = 1
	for (i = 1; i <= nr_rows[name]; i++)
		for (j = 1; j <= nr_columns[name]; j++)
			if ((!n || columns[name, j] in wanted) && value_of(name, i, j) != "-")
				return 1
	return 0
}

# "all": also the rows that documents don't show.
function write_table(name, all,    file, line, i, j, n, shown, is_shown, text)
{
	file = out "/" name ".md"
	n = all ? 0 : split(set[name, "rows"], shown, / *\| */)
	for (i = 1; i <= n; i++)
		is_shown[shown[i]] = 1
	line = trim(set[name, "caption"] " " (set[name, "unit"] ? "Unit: " set[name, "unit"] "." : ""))
	if (line)
		print line "\n" >file
	line = "| " set[name, "head"] " |"
	for (j = 1; j <= nr_columns[name]; j++)
		line = line " " columns[name, j] " |"
	print line >file
	gsub(/[^|]+/, "---", line)
	print line >file
	for (i = 1; i <= nr_rows[name]; i++) {
		if (n && !(rows[name, i] in is_shown))
			continue
		line = "| " rows[name, i] " |"
		for (j = 1; j <= nr_columns[name]; j++)
			line = line " " number(value_of(name, i, j)) " |"
		print line >file
	}
	if (set[name, "plot"] && has_points(name))
		print "\n![" set[name, "finding"] "](performance/" name ".svg)" >file
	close(file)
	text = ""
	while ((getline line <file) > 0)
		text = text line "\n"
	close(file)
	return text
}

function write_csv(name,    i, j)
{
	for (i = 1; i <= nr_rows[name]; i++)
		for (j = 1; j <= nr_columns[name]; j++)
			if ((name, rows[name, i], columns[name, j]) in values)
				printf "%s,\"%s\",\"%s\",\"%s\"\n", name, rows[name, i], columns[name, j],
					values[name, rows[name, i], columns[name, j]] >(out "/report.csv")
}

# Variables and points for plot.gp.
function write_points(name,    file, i, j, n, plotted, wanted, shown, names, colours)
{
	file = out "/" name ".gp"
	if (set[name, "plot"] == "bars") {
		write_bars(name, file, set[name, "plotted"] ? set[name, "plotted"] : columns[name, 1])
		return
	}
	n = split(set[name, "plotted"], plotted, / *\| */)
	for (j = 1; j <= n; j++)
		wanted[plotted[j]] = 1
	printf "title_text = \"%s\"\nkind = \"%s\"\nx_label = \"%s\"\ny_label = \"%s\"\nlog_axes = \"%s\"\n",
		set[name, "finding"], set[name, "plot"], set[name, "x"], set[name, "y"], set[name, "log"] >file
	printf "$points << END\nrow" >file
	for (j = 1; j <= nr_columns[name]; j++)
		if (!n || columns[name, j] in wanted) {
			printf "\t%s", columns[name, j] >file
			names = names " " columns[name, j]
			colours = colours " " (is_kuid(columns[name, j]) ? "#2060c0" : "#999999")
			shown++
		}
	for (i = 1; i <= nr_rows[name]; i++) {
		printf "\n%s", rows[name, i] >file
		for (j = 1; j <= nr_columns[name]; j++)
			if (!n || columns[name, j] in wanted)
				printf "\t%s", value_of(name, i, j) >file
	}
	printf "\nEND\nnr_columns = %d\nnames = \"%s\"\ncolours = \"%s\"\n", shown, names, colours >file
	close(file)
}

function is_kuid(name)
{
	return name ~ /kuid/ || name ~ /^(v1|v6|v7|lex|k64|snowflake)$/
}

# Of a bar: the row, its value, whether it is of kuid, and the value as it is written.
function write_bars(name, file, column,    i, value)
{
	printf "title_text = \"%s\"\nkind = \"bars\"\nx_label = \"%s\"\n", set[name, "finding"],
		set[name, "x"] >file
	printf "$points << END" >file
	for (i = 1; i <= nr_rows[name]; i++) {
		value = values[name, rows[name, i], column]
		if (value ~ /^[0-9]/)
			printf "\n%s\t%s\t%d\t%s", rows[name, i], value, is_kuid(rows[name, i]),
				number(value) >file
	}
	printf "\nEND\n" >file
	close(file)
}

END {
	if (!nr_results)
		fail("no results")
	for (i = 1; i <= nr_tables; i++)
		for (j = 1; j <= nr_made[tables[i]]; j++)
			make_row(tables[i], made[tables[i], j])
	printf "# Benchmarks of kuid\n" >(out "/report.md")
	printf "table,row,column,value\n" >(out "/report.csv")
	for (i = 1; i <= nr_tables; i++) {
		name = tables[i]
		if (!nr_rows[name]) {
			if (complete)
				fail("table " name " has no value")
			continue
		}
		printf "\n## %s\n\n%s", set[name, "title"], write_table(name, 1) >(out "/report.md")
		write_table(name, 0)
		write_csv(name)
		if (set[name, "plot"] && has_points(name))
			write_points(name)
	}
	exit bad
}
