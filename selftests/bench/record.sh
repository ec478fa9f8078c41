#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Writes the figures of make bench into Documentation/results.md:   record.sh BUILD RELEASE
# BUILD has the logs of the program native and of the guest, in which RELEASE of the kernel ran.

set -euo pipefail
build=$1 release=$2
document=$(dirname "${BASH_SOURCE[0]}")/../../Documentation/results.md

# table MARK WIDTH HEADER CAPTION COLUMNS LOG: the lines of the log behind each line that matches
# HEADER, up to an empty line, become the table between two comments. The first column of the log
# has WIDTH characters, and two numbers of each line behind it are written.
table()
{
	awk -v mark="$1" -v width="$2" -v header="$3" -v caption="$4" -v columns="$5" '
		NR == FNR && $0 ~ header { on = 1; next }
		NR == FNR && NF == 0 { on = 0 }
		NR == FNR { if (on) rows[++n] = $0; next }
		$0 == "<!-- " mark ": end -->" { inside = 0 }
		!inside { print }
		$0 == "<!-- " mark " -->" {
			inside = 1
			print "\n" caption "\n\n" columns "\n|---|---|---|"
			for (i = 1; i <= n; i++) {
				name = substr(rows[i], 1, width)
				sub(/ +$/, "", name)
				split(substr(rows[i], width + 1), cell, " ")
				print "| " name " | " cell[1] " | " cell[2] " |"
			}
			print ""
		}
		END { exit !n || inside }' "$6" "$document" >"$build/results.md"
	mv "$build/results.md" "$document"
}

processor=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
table native 30 'ns an ID +clock reads' "$processor, $(tail -n 1 "$build/native.log"):" \
	'| made by | ns an ID | clock reads |' "$build/native.log"
table cost 28 'a call +an ID +budget' "Linux $release, instructions:" '| call | a call | an ID |' \
	"$build/bench.log"
