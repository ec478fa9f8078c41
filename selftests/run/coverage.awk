# SPDX-License-Identifier: GPL-2.0-only
#
# Prints the lines of kmod/ that didn't run without a reason in coverage.tsv, from lcov's trace file:
#   awk -f coverage.awk coverage.tsv TRACEFILE
# The file names in it are relative to the current directory. Fails if there are such lines, or if
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

sub(/^SF:/, "") {
	file = $0
	if (!(file in files))
		order[++nr_files] = file
	files[file]
	next
}

/^DA:/ {
	split(substr($0, 4), of, ",")
	runs[file, of[1]] += of[2]
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

END {
	for (i = 1; i <= nr_files; i++)
		look_at(order[i])
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
	if (!nr_files) {
		print "no coverage data for kmod"
		failed = 1
	}
	exit failed
}
