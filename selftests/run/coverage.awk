# SPDX-License-Identifier: GPL-2.0-only
#
# Reports which lines and branches ran, from lcov's trace files:
#   awk -f coverage.awk coverage.tsv TRACEFILE...
# The file names in them are relative to the current directory. Prints a table, and the lines of
# kmod/ that didn't run without a reason in coverage.tsv. Fails if there are such lines, or if
# coverage.tsv has a reason for a line that doesn't exist.

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

sub(/^SF:/, "") { file = $0; files[file]; next }

{ split(substr($0, index($0, ":") + 1), of, ",") }

/^DA:/ {
	if (!((file, of[1]) in runs)) {
		runs[file, of[1]] = 0
		lines[file]++
	}
	if (!runs[file, of[1]] && of[2] > 0)
		lines_run[file]++
	runs[file, of[1]] += of[2]
}

/^BRDA:/ {
	branch = file SUBSEP of[1] SUBSEP of[2] SUBSEP of[3]
	if (!(branch in taken)) {
		taken[branch] = 0
		branches[file]++
	}
	if (!taken[branch] && of[4] != "-" && of[4] > 0) {
		branches_run[file]++
		taken[branch] = 1
	}
}

# Reads a file and reports its lines that didn't run. A function's name is at the begin of a line.
function look_at(file,	name, text, nr, line)
{
	nr = 0
	while ((getline line <file) > 0) {
		nr++
		if (line ~ /^[a-z_].*[a-z0-9_]+\(/) {
			name = line
			sub(/\(.*/, "", name)
			sub(/.*[^A-Za-z0-9_]/, "", name)
		}
		text = line
		gsub(/^[ \t]+|[ \t]+$/, "", text)
		gsub(/\t/, " ", text)
		there[file, name, text]
		there[file, name, "*"]
		if (runs[file, nr] != "0")
			continue
		if ((file, name, text) in reason || (file, name, "*") in reason)
			justified++
		else {
			print file ":" nr ": " name "(): not run: " text
			failed = 1
		}
	}
	close(file)
}

function percent(part, all)
{
	return all ? sprintf("%5.1f %% of %5d", 100 * part / all, all) : "             -"
}

function row(name, l, lr, b, br)
{
	printf "%-34s %s %s\n", name, percent(lr, l), percent(br, b)
}

# Sorts the file names, because awk's arrays have no order.
function sort_files(	n, i, j, file)
{
	for (file in files)
		sorted[++n] = file
	for (i = 2; i <= n; i++) {
		file = sorted[i]
		for (j = i - 1; j && sorted[j] > file; j--)
			sorted[j + 1] = sorted[j]
		sorted[j + 1] = file
	}
	return n
}

END {
	n = sort_files()
	printf "%-34s %-16s %s\n", "", "lines", "branches"
	for (i = 1; i <= n; i++) {
		file = sorted[i]
		row(file, lines[file], lines_run[file], branches[file], branches_run[file])
		part = file
		sub(/\/.*/, "", part)
		parts[part]
		all_lines[part] += lines[file]
		all_lines_run[part] += lines_run[file]
		all_branches[part] += branches[file]
		all_branches_run[part] += branches_run[file]
	}
	for (part in parts)
		row(part " in all", all_lines[part], all_lines_run[part], all_branches[part],
		    all_branches_run[part])
	for (i = 1; i <= n; i++) {
		if (sorted[i] ~ /^kmod\//)
			look_at(sorted[i])
	}
	for (key in reason) {
		split(key, what, SUBSEP)
		if ((what[1] in files) && !(key in there)) {
			print reason[key] ": " what[1] " has no such line in " what[2] "()"
			failed = 1
		} else if (!(what[1] in files)) {
			print reason[key] ": no coverage data for " what[1]
			failed = 1
		}
	}
	print justified + 0 " lines of kmod that were not run have a reason in coverage.tsv"
	if (!("kmod" in parts)) {
		print "no coverage data for kmod"
		failed = 1
	}
	exit failed
}
