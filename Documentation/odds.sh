#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Writes the table of odds in fleets.md from its formulas, or checks that it matches them, and that
# the formulas give values that were computed in another way:   odds.sh write|check
# The table lies between the comments "odds" and "odds: end".

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
document=fleets.md

# tabulate: prints the document with the table that it should have.
tabulate()
{
	awk '
		# Repeats a year of hosts that make IDs at a rate, with so many random bits beside
		# the nanosecond: pairs of IDs that are of one nanosecond, and those that agree.
		function by_chance(hosts, rate, bits,    pairs)
		{
			pairs = (hosts * rate) ^ 2 / 2 / 1e9
			return pairs / 2 ^ bits * 365.25 * 86400
		}

		# The odds that two of some random numbers are the same.
		function shared(count, bits,    pairs)
		{
			pairs = count * (count - 1) / 2 / 2 ^ bits
			return pairs < 1e-6 ? pairs : 1 - exp(-pairs)
		}

		function number(x)
		{
			return sprintf(x < 10 ? "%.1e" : "%.0f", x)
		}

		function odds(x)
		{
			return x > 0.9999 ? "certain" : number(x)
		}

		function check(what, is, wanted)
		{
			if (is > wanted * 0.95 && is < wanted * 1.05)
				return
			print "odds.sh: " what " is " is ", not " wanted >"/dev/stderr"
			failed = 1
		}

		function print_table(    i, j, n, r, hosts, rates)
		{
			print "| hosts | IDs a second of each | v1, v6, v7: repeats a year | v1, v6: a shared node | k96: a shared node | lex, k128: a shared worker |"
			print "|---|---|---|---|---|---|"
			split("10 1e4 1e6", hosts, " ")
			split("100 1e4", rates, " ")
			for (i = 1; i <= 3; i++)
				for (j = 1; j <= 2; j++) {
					n = hosts[i] + 0
					r = rates[j] + 0
					printf "| %d | %d | %s | %s | %s | %s |\n", n, r, \
						number(by_chance(n, r, 54)), odds(shared(n, 47)), \
						odds(shared(n, 32)), odds(shared(n, 64))
				}
		}

		BEGIN {
			check("v7, 10^4 hosts", by_chance(1e4, 1e4, 54), 8.8e-3)
			check("v7, 10^6 hosts", by_chance(1e6, 1e4, 54), 88)
			check("k96, 10^4 hosts", shared(1e4, 32), 0.012)
			# Twenty-three people and their birthdays.
			check("birthdays", shared(23, log(365) / log(2)), 0.5)
			if (failed)
				exit 1
		}
		/^<!-- odds: end -->$/ { inside = 0; ended++ }
		!inside { print }
		/^<!-- odds -->$/ { inside = 1; print ""; print_table(); print "" }
		END { exit failed || inside || ended != 1 }' "$document"
}

work=$(mktemp)
trap 'rm -f "$work"' EXIT
tabulate >"$work"
case ${1:-} in
write) cat "$work" >"$document" ;;
check) diff -u "$document" "$work" ;;
*)
	echo "usage: odds.sh write|check" >&2
	exit 2 ;;
esac
