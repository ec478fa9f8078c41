#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Writes the tables of formats in the documents from the table of the core, or checks that they
# match it:   formats.sh write|check
# A table lies between two comments, "formats: names" and "formats: end". The comment's syntax tells
# a man page from markdown.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

table=kmod/core/formats.h
documents=(Documentation/choosing.md Documentation/man/kuid.4)

# Prints a document with the tables that it should have.
tabulate()
{
	awk '
		function fail(why)
		{
			print FILENAME ": " why >"/dev/stderr"
			failed = 1
			exit 1
		}

		# A cell that the core has as the name of a constant.
		function of(words, key)
		{
			if (!(key in words))
				fail("formats.sh has no words for " key)
			return words[key]
		}

		function print_row(row)
		{
			gsub(/\|/, man ? " Ta " : " | ", row)
			print man ? ".It " row : "| " row " |"
		}

		function print_table(    head, i)
		{
			head = "name|bytes|characters|made from|IDs a second|shows"
			if (man) {
				gsub(/[^|]* [^|]*/, "\"&\"", head)
				gsub(/(^|\|)/, "&Em ", head)
				print_row(head)
			} else {
				print ""
				print_row(head)
				gsub(/[^|]+/, "---", head)
				print "|" head "|"
			}
			for (i = 1; i <= rows; i++)
				print_row((man ? name[i] : "`" name[i] "`") "|" bytes[i] "|" \
					characters[i] "|" of(made, source[i]) "|" \
					of(rate, source[i]) "|" of(shown, part[i]))
			if (!man)
				print ""
		}

		BEGIN {
			made["STAMPS"] = "stamps"
			rate["STAMPS"] = "10^9 per CPU"
			made["LEX"] = "microseconds"
			rate["LEX"] = "10^6 per host"
			made["GRID"] = "grid"
			rate["GRID"] = "16 x 10^6 per host"
			made["SNOWFLAKE"] = "milliseconds"
			rate["SNOWFLAKE"] = "4.096 x 10^6 per host"
			shown["NONE"] = "-"
			shown["MASK"] = "-"
			shown["NODE"] = "node"
			shown["WORKER"] = "worker"
			shown["SNOWFLAKE"] = "own worker"
		}
		FNR == NR {
			if (/^\tFORMAT\(/) {
				rows++
				gsub(/^\tFORMAT\(|[ \t]/, "")
				split($0, cell, ",")
				name[rows] = cell[1]
				bytes[rows] = cell[3]
				source[rows] = cell[4]
				part[rows] = cell[5]
				characters[rows] = cell[7]
			}
			next
		}
		/^(\.\\"|<!--) formats: end/ { inside = 0 }
		!inside { print }
		/^(\.\\"|<!--) formats: names/ {
			inside = 1
			tables++
			man = /^\./
			print_table()
		}
		END {
			if (!failed && !rows)
				fail("no format found in the table of the core")
			if (!failed && (inside || !tables))
				fail("no table of formats, or one without an end")
		}' "$table" "$1"
}

status=0
work=$(mktemp)
trap 'rm -f "$work"' EXIT
for document in "${documents[@]}"; do
	tabulate "$document" >"$work"
	case ${1:-} in
	write)
		cmp -s "$work" "$document" || cat "$work" >"$document" ;;
	check)
		diff -u "$document" "$work" || status=1 ;;
	*)
		echo "usage: formats.sh write|check" >&2
		exit 2 ;;
	esac
done
exit "$status"
