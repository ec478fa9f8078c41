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

# same WHAT SOURCE DOCUMENT: the lists in the files "sources" and "documents" are the same.
same()
{
	sort -u "$work/sources" -o "$work/sources"
	sort -u "$work/documents" -o "$work/documents"
	if [[ ! -s $work/sources ]]; then
		echo "$2: no $1 found"
		status=1
	fi
	comm -23 "$work/sources" "$work/documents" | sed "s|^|$3 lacks the $1 of $2: |" >"$work/lacking"
	comm -13 "$work/sources" "$work/documents" |
		sed "s|^|$3 has a $1 that $2 lacks: |" >>"$work/lacking"
	[[ ! -s $work/lacking ]] || { cat "$work/lacking"; status=1; }
}

# within WHAT SOURCE DOCUMENT: the documents may have more than the sources.
within()
{
	sort -u "$work/sources" "$work/documents" -o "$work/both"
	if [[ ! -s $work/sources ]]; then
		echo "$2: no $1 found"
		status=1
	fi
	comm -13 <(sort -u "$work/documents") "$work/both" |
		sed "s|^|$3 lacks the $1 of $2: |" >"$work/lacking"
	[[ ! -s $work/lacking ]] || { cat "$work/lacking"; status=1; }
}

# The lines of a manual page from one that matches to the next heading.
part()
{
	awk -v from="$2" '/^\.S[hs] / { on = $0 ~ from } on' "$1"
}

ioctls()
{
	sed -nE '/MAGIC/d; s/^(KUID_IOC_[A-Z_]+) .*/\1/p' uapi/kuid.record >"$work/sources"
	sed -nE 's/^\.It Dv (KUID_IOC_[A-Z_]+) .*/\1/p' "$man"/kuid.4 >"$work/documents"
	same ioctl uapi/kuid.record kuid.4
}

# A comment of the header or a page names each constant. Reasons have their names in sysfs, and formats
# a generated table.
constants()
{
	sed -nE '/^KUID_(IOC|REASON|FORMAT)_/d; s/^(KUID_[A-Z0-9_]+) += .*/\1/p' uapi/kuid.record >"$work/sources"
	{ grep -vE '^#define [^/]*$' uapi/linux/kuid.h; cat "$man"/kuid.4 "$man"/*.3; } |
		grep -o 'KUID_[A-Z0-9_]*' >"$work/documents"
	within constant uapi/kuid.record "$man, or a comment of uapi/linux/kuid.h,"
	# Bits and variants of a decoded ID are named by their prefix.
	sed -nE 's/^#define (KUID_[A-Z0-9_]+).*/\1/p' userspace/libkuid/kuid.h |
		grep -vE '^KUID_(HAS|VARIANT)_' | grep -vx KUID_H >"$work/sources"
	grep -oh 'KUID_[A-Z0-9_]*' "$man"/*.3 >"$work/documents"
	within constant userspace/libkuid/kuid.h "$man/*.3"
}

parameters()
{
	sed -nE 's/^module_param[a-z_]*\(([a-z0-9_]+),.*/\1/p' kmod/*.c >"$work/sources"
	part "$man"/kuid.4 'MODULE PARAMETERS' | sed -n 's/^\.It Va //p' >"$work/documents"
	same parameter kmod/param.c kuid.4
}

sysfs()
{
	awk -F '[(,)]' '
		/^\t\[KUID_SYSFS_[A-Z]+\] = "/ {
			line = $0
			while (match(line, /KUID_SYSFS_[A-Z]+\] = "[a-z]+"/)) {
				split(substr(line, RSTART + 11, RLENGTH - 12), dir, /\] = "/)
				dirs[dir[1]] = dir[2] "/"
				line = substr(line, RSTART + RLENGTH)
			}
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
		}' kmod/sysfs.c >"$work/sources"
	sed -n 's|^What:\t*/sys/class/kuid/kuid/||p' "$abi" >"$work/documents"
	same file kmod/sysfs.c "$abi"
}

reasons()
{
	sed -nE 's/^\tKUID_SYSFS_REASON\([A-Z0-9_]+, "([a-z0-9_]+)"\),$/\1/p' kmod/sysfs.c >"$work/sources"
	sed -n '/status\/reasons$/,$p' "$abi" | grep -oE '[a-z0-9]+(_[a-z]+)+' |
		grep -v '^\(KUID\|linux\)' >"$work/documents"
	same reason kmod/sysfs.c "$abi"
}

tracepoints()
{
	sed -nE 's/^(TRACE_EVENT\(|DEFINE_EVENT\(kuid_claim, )([a-z_]*),$/\2/p' kmod/trace.h >"$work/sources"
	sed -n '/kernel\/tracing/,/^\.Sh/s/^\.It Sq //p' "$man"/kuid.4 | grep -oE 'kuid_[a-z_]+' \
		>"$work/documents"
	same tracepoint kmod/trace.h kuid.4
	# The names that a reader of the trace sees, and the values that have names.
	sed -nE '/TP_printk/,/\);$/p' kmod/trace.h | grep -oE '[a-z_]+=%|"[a-z]+" \}' |
		grep -oE '[a-z_]+' >"$work/sources"
	sed -n '/kernel\/tracing/,/proc\/PID/p' "$man"/kuid.4 | grep -oE '[a-z_]+' >"$work/documents"
	within "word of a trace" kmod/trace.h kuid.4
}

fdinfo()
{
	grep -ohE '"kuid-[a-z]+' kmod/*.c | tr -d '"' >"$work/sources"
	sed -nE "s/^\.Sq (kuid-[a-z]+).*/\1/p" "$man"/kuid.4 >"$work/documents"
	same "line of fdinfo" kmod kuid.4
}

functions()
{
	sed -n 's/^\t\(kuid_[a-z0-9_]*\);$/\1/p' userspace/libkuid/libkuid.map >"$work/sources"
	sed -n '/^\.Sh SYNOPSIS/,/^\.Sh DESC/s/^\.F[no] \(kuid_[a-z0-9_]*\).*/\1/p' "$man"/*.3 \
		>"$work/documents"
	same function libkuid.map "the synopsis of $man/*.3"
}

metrics()
{
	sed -nE 's/.*(metric|plain|plain_seconds|promise)\("([a-z_]+)",.*/kuid_\2/p' \
		userspace/kuid/prometheus.c >"$work/documents"
	sed -n 's/^ *expr: //p' userspace/prometheus/kuid.rules.yml | grep -oE '\bkuid_[a-z_]+' >"$work/sources"
	within metric userspace/prometheus/kuid.rules.yml userspace/kuid/prometheus.c
}

# The guide names each unit and rule that is installed.
system_files()
{
	local file

	for file in userspace/systemd/*.{service.in,timer} userspace/udev/*.rules; do
		[[ -e $file ]] || continue
		file=${file##*/}
		grep -qF "${file%.in}" "$guide" || { echo "$guide lacks ${file%.in}"; status=1; }
	done
}

packages()
{
	sed -n 's/^Package: //p' debian/control >"$work/sources"
	# shellcheck disable=SC2016 # backquotes of Markdown
	sed -n '/^| package /,/^$/s/^| `\([a-z0-9-]*\)`.*/\1/p' "$guide" >"$work/documents"
	same package debian/control "$guide"
}

# Indented lines and code of the documents that begin with COMMAND, one command a line.
quoted()
{
	grep -ohE "(^    (\\$ |# )?|\`)(sudo )?$1 [^\`]*" "${markdown[@]}" |
		sed -E 's/^( {4}|`)(\$ |# )?(sudo )?//; s/ +(#|\||>|&&).*//'
}

# Verbs and options of the tool in the documents are those of its page.
tool()
{
	local verb words word

	awk '
		/^\.S[hs] / { verb = /^\.Ss / ? $2 : "" }
		verb { print verb }
		verb && /^\.It Fl/ {
			n = split($0, word, /[ ,]+/)
			for (i = 2; i < n; i++)
				if (word[i] == "Fl")
					print verb, "-" word[i + 1]
		}' "$man"/kuid.1 >"$work/documents"
	while read -r _ verb words; do
		if [[ $verb == -* ]]; then
			words="$verb $words"
			verb=gen
		fi
		echo "$verb"
		for word in $words; do
			[[ $word != -[-a-zA-Z]* || $word == --help || $word == --version ]] || echo "$verb ${word%%=*}"
		done
	done < <(quoted kuid) >"$work/sources"
	within command "the documents" kuid.1
}

# Targets of make in the documents are those of a Makefile.
targets()
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
	done < <(quoted make) >"$work/sources"
	# make -q fails where something is to be made.
	while read -r from; do
		make -C "$from" -pRrq : 2>/dev/null | sed -nE "s|^([a-z][a-z0-9_-]*):.*|$from \1|p"
	done < <(cut -d ' ' -f 1 "$work/sources" | sort -u) >"$work/documents"
	within "target of make" "the documents" "the Makefile"
}

ioctls
constants
parameters
sysfs
reasons
tracepoints
fdinfo
functions
metrics
system_files
packages
tool
targets
exit "$status"
