#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Checks that the documents have all of the interface and nothing else:   documented.sh
# Each check compares a list from the sources with one from the documents, and reports what only one
# of them has. Fields of structs stand in uapi/linux/kuid.h alone, where kernel-doc misses none.
# tests/pure/manual.sh does the same for the verbs and options of the tool, from its
# help.

set -uo pipefail
export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit
man=Documentation/man
abi=Documentation/ABI/sysfs-class-kuid
guide=Documentation/operating.md
mapfile -t markdown < <(git ls-files --cached --others --exclude-standard -- '*.md')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# compare same|within WHAT SOURCE DOCUMENT NAMES NAMES: the files of names, of the source and of the
# document, are the same, or the document has all of the source and may have more.
compare()
{
	sort -u "$5" >"$work/sources"
	sort -u "$6" >"$work/documents"
	{
		[[ -s $work/sources ]] || echo "$3: no $2 found"
		comm -23 "$work/sources" "$work/documents" | sed "s|^|$4 lacks the $2 of $3: |"
		[[ $1 == within ]] || comm -13 "$work/sources" "$work/documents" |
			sed "s|^|$4 has a $2 that $3 lacks: |"
	} >"$work/differences"
	[[ ! -s $work/differences ]] || { cat "$work/differences"; status=1; }
}

# names EXPRESSION FILE...: what is in the brackets of the lines that match
names()
{
	sed -nE "s/$1/\\1/p" "${@:2}"
}

# The lines of a manual page from one that matches to the next heading.
part()
{
	awk -v from="$2" '/^\.S[hs] / { on = $0 ~ from } on' "$1"
}

files_of_sysfs()
{
	awk -F '[(,)]' '
		/^\t\[KUID_SYSFS_[A-Z]+\] = "/ {
			nr = split($0, part, /\[KUID_SYSFS_|\] = "|"/)
			for (i = 2; i < nr; i += 3)
				dirs[part[i]] = part[i + 1] "/"
		}
		/kuid_sysfs_files\[\] = \{/ { on = 1 }
		/^};/ { on = 0 }
		!on { next }
		/KUID_FORMATS\(/ { print "counters/<format>" }
		/KUID_SYSFS_PROMISE\(/ { print "status/" $2 }
		/KUID_SYSFS_OF_IDENTITY\(/ { print "identity/" $2 }
		/KUID_SYSFS_(OF_STATUS|OF_HOST|FILE)\(/ {
			gsub(/ /, "", $3)
			print dirs[$2] $3
		}' kmod/sysfs.c
}

compare same ioctl uapi/kuid.record kuid.4 \
	<(names '^(KUID_IOC_[A-Z_]+) .*' uapi/kuid.record | grep -v MAGIC) \
	<(names '^\.It Dv (KUID_IOC_[A-Z_]+) .*' "$man"/kuid.4)
# A comment of the header or a page names each constant. Reasons have their names in sysfs, and formats
# a generated table.
compare within constant uapi/kuid.record "$man, or a comment of uapi/linux/kuid.h," \
	<(names '^(KUID_[A-Z0-9_]+) += .*' uapi/kuid.record | grep -vE '^KUID_(IOC|REASON|FORMAT)_') \
	<({ grep -vE '^#define [^/]*$' uapi/linux/kuid.h; cat "$man"/kuid.4 "$man"/*.3; } |
		grep -o 'KUID_[A-Z0-9_]*')
# Bits and variants of a decoded ID are named by their prefix.
compare within constant userspace/libkuid/kuid.h "$man/*.3" \
	<(names '^#define (KUID_[A-Z0-9_]+).*' userspace/libkuid/kuid.h |
		grep -vE '^KUID_(HAS_.*|VARIANT_.*|H)$') \
	<(grep -oh 'KUID_[A-Z0-9_]*' "$man"/*.3)
compare same parameter kmod/param.c kuid.4 \
	<(names '^module_param[a-z_]*\(([a-z0-9_]+),.*' kmod/*.c) \
	<(part "$man"/kuid.4 'MODULE PARAMETERS' | names '^\.It Va (.*)')
compare same file kmod/sysfs.c "$abi" \
	<(files_of_sysfs) \
	<(names '^What:\t*\/sys\/class\/kuid\/kuid\/(.*)' "$abi")
compare same reason kmod/sysfs.c "$abi" \
	<(names '^\tKUID_SYSFS_REASON\([A-Z0-9_]+, "([a-z0-9_]+)"\),$' kmod/sysfs.c) \
	<(sed -n '/status\/reasons$/,$p' "$abi" | grep -oE '[a-z0-9]+(_[a-z]+)+' | grep -v '^\(KUID\|linux\)')
compare same tracepoint kmod/trace.h kuid.4 \
	<(sed -nE 's/^(TRACE_EVENT\(|DEFINE_EVENT\(kuid_claim, )([a-z_]*),$/\2/p' kmod/trace.h) \
	<(sed -n '/kernel\/tracing/,/^\.Sh/s/^\.It Sq //p' "$man"/kuid.4 | grep -oE 'kuid_[a-z_]+')
# The names that a reader of the trace sees, and the values that have names.
compare within "word of a trace" kmod/trace.h kuid.4 \
	<(sed -nE '/TP_printk/,/\);$/p' kmod/trace.h | grep -oE '[a-z_]+=%|"[a-z]+" \}' | grep -oE '[a-z_]+') \
	<(sed -n '/kernel\/tracing/,/proc\/PID/p' "$man"/kuid.4 | grep -oE '[a-z_]+')
compare same "line of fdinfo" kmod kuid.4 \
	<(grep -ohE '"kuid-[a-z]+' kmod/*.c | tr -d '"') \
	<(names '^\.Sq (kuid-[a-z]+).*' "$man"/kuid.4)
compare same function libkuid.map "the synopsis of $man/*.3" \
	<(names '^\t(kuid_[a-z0-9_]*);$' userspace/libkuid/libkuid.map) \
	<(sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESC/s/^\.F[no] \(kuid_[a-z0-9_]*\).*/\1/p' "$man"/*.3)
compare within metric userspace/prometheus/kuid.rules.yml userspace/kuid/prometheus.c \
	<(names '^ *expr: (.*)' userspace/prometheus/kuid.rules.yml | grep -oE '\bkuid_[a-z_]+') \
	<(sed -nE 's/.*(metric|plain|plain_seconds|promise)\("([a-z_]+)",.*/kuid_\2/p' userspace/kuid/prometheus.c)
# The guide names each unit and rule that is installed.
compare within "unit or rule" userspace "$guide" \
	<(find userspace/systemd userspace/udev -type f -printf '%f\n' | sed 's/\.in$//' |
		grep -E '\.(service|timer|rules)$') \
	<(grep -oE '[a-z0-9-]+\.(service|timer|rules)' "$guide")
# shellcheck disable=SC2016 # backquotes of Markdown
compare same package debian/control "$guide" \
	<(names '^Package: (.*)' debian/control) \
	<(sed -n '/^| package /,/^$/s/^| `\([a-z0-9-]*\)`.*/\1/p' "$guide")

# Indented lines and code of the documents that begin with COMMAND, one command a line.
quoted()
{
	grep -ohE "(^    (\\$ |# )?|\`)(sudo )?$1 [^\`]*" "${markdown[@]}" |
		sed -E 's/^( {4}|`)(\$ |# )?(sudo )?//; s/ +(#|\||>|&&).*//'
}

# Verbs and options of the tool, as its page has them
verbs()
{
	awk '
		/^\.S[hs] / { verb = /^\.Ss / ? $2 : "" }
		verb { print verb }
		verb && /^\.It Fl/ {
			n = split($0, word, /[ ,]+/)
			for (i = 2; i < n; i++)
				if (word[i] == "Fl")
					print verb, "-" word[i + 1]
		}' "$man"/kuid.1
}

quoted_verbs()
{
	local verb words word

	while read -r _ verb words; do
		if [[ $verb == -* ]]; then
			words="$verb $words"
			verb=gen
		fi
		echo "$verb"
		for word in $words; do
			[[ $word != -[-a-zA-Z]* || $word == --help || $word == --version ]] || echo "$verb ${word%%=*}"
		done
	done < <(quoted kuid)
}
compare within command "the documents" kuid.1 <(quoted_verbs) <(verbs)

quoted_targets()
{
	local words word from

	while read -r words; do
		from=.
		words=$(sed -E 's/[A-Z_]+="[^"]*"//g' <<<"${words#make}")
		for word in $words; do
			case $word in
			*=* | -s | -C | ...) continue ;;
			*/* | userspace | selftests) [[ $words != *"-C $word"* ]] || { from=$word; continue; } ;;
			esac
			echo "$from $word"
		done
	done < <(quoted make)
}

# Of the directories that the documents name. make -q fails where something is to be made.
targets()
{
	local from

	while read -r from; do
		make -C "$from" -pRrq : 2>/dev/null | sed -nE "s|^([a-z][a-z0-9_-]*):.*|$from \1|p"
	done < <(quoted_targets | cut -d ' ' -f 1 | sort -u)
}
compare within "target of make" "the documents" "the Makefile" <(quoted_targets) <(targets)
exit "$status"
