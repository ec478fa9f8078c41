# SPDX-License-Identifier: GPL-2.0-only
#
# Fills the tables of a document:   awk -v word=WORD -v from=DIR -f fill.awk DOCUMENT
# Between the comments "WORD: NAME" and "WORD: end" the text becomes that of DIR/NAME.md. Prints the
# document, and fails if a file or an end is missing.
index($0, "<!-- " word ": end") == 1 { inside = 0 }
!inside { print }
index($0, "<!-- " word ": ") == 1 && $3 != "end" {
	inside = 1
	file = from "/" $3 ".md"
	print ""
	while ((got = (getline line < file)) > 0)
		print line
	if (got < 0) {
		print "no table " $3 >"/dev/stderr"
		exit
	}
	close(file)
	print ""
}
END { exit inside }
