#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Checks the sources without running them:   style.sh SOURCE KDIR COCCINELLE
# SOURCE has the kernel's own checkers, KDIR the headers to build against, COCCINELLE the
# kernel's rules for spatch. Runs all checks, reports each result, and fails if one failed.
# shellcheck disable=SC2317,SC2154 # the checks are called by look

set -uo pipefail

# shellcheck source=SCRIPTDIR/../vm/arguments.sh
. "$(dirname "$0")/../vm/arguments.sh"
takes "SOURCE KDIR COCCINELLE" "$@"
cd "$here/../.." || exit
work=$(mktemp -d) failed=0
at_end "rm -rf '$work'"

# The project's files that match, including new files that git doesn't track yet.
files()
{
	git ls-files --cached --others --exclude-standard -- "$@"
}

# Runs a check and reports the result, with its output if it failed.
look()
{
	local what=$1 output
	shift
	if output=$("$@" 2>&1); then
		echo "ok: $what"
	else
		echo "$output"
		echo "not ok: $what"
		failed=1
	fi
}

checkpatch()
{
	local ignore=$1
	shift
	"$source/scripts/checkpatch.pl" --no-tree --strict --quiet --no-summary --show-types \
		${ignore:+--ignore "$ignore"} --file "$@"
	local status=$?
	# checkpatch leaves this file behind.
	rm -f .checkpatch-camelcase.*
	return "$status"
}

# Builds a copy, to leave this tree as it is.
build_module()
{
	local copy
	copy=$(mktemp -d -p "$work")
	cp -a Kbuild kmod uapi "$copy"
	make -s -C "$kdir" M="$copy" W=1 "$@" modules
}

sparse_and_warnings()
{
	build_module C=2 CHECK="sparse -Wsparse-error" KCFLAGS=-Werror
}

# Builds as for a kernel made by clang: turns off the options of this kernel that only gcc has.
clang_warnings()
{
	build_module LLVM=1 CC=clang CONFIG_CC_IS_CLANG=y CONFIG_CC_IS_GCC= CONFIG_RETPOLINE= \
		CONFIG_RETHUNK= CONFIG_SLS= CONFIG_FTRACE_MCOUNT_USE_CC= CONFIG_INIT_STACK_ALL_ZERO= \
		CONFIG_DEBUG_INFO_BTF_MODULES= CONFIG_CC_IMPLICIT_FALLTHROUGH=-Wimplicit-fallthrough \
		KCFLAGS="-Werror -Wno-unknown-warning-option"
}

# Runs the kernel's rules that can report, except for those that need an OCaml compiler.
coccinelle_rules()
{
	local rule found found_any=0 rules=0

	while read -r rule; do
		rules=$((rules + 1))
		found=$(spatch -D report --very-quiet --no-show-diff --cocci-file "$rule" \
			--no-includes --include-headers --dir kmod 2>/dev/null) || found="$rule failed"
		[[ -z $found ]] || { echo "$found"; found_any=1; }
	done < <(grep -lr '^virtual report' "$coccinelle" | xargs grep -L ':ocaml')
	(( rules > 40 )) || { echo "only $rules rules found in $coccinelle"; return 1; }
	return "$found_any"
}

analyzer()
{
	local file status=0

	for file in "$@"; do
		gcc -std=gnu11 -D_GNU_SOURCE -O2 -Wall -Wextra -Wno-unused-parameter -fanalyzer -Werror -Iuapi -Ikmod \
			-Iuserspace/libkuid -Iuserspace/service -I"$(pg_config --includedir)" -c -o /dev/null "$file" || status=1
	done
	return "$status"
}

# Fails if the pattern is found.
nowhere()
{
	! git grep --untracked -nE "$@"
}

licence_named()
{
	local file found=0
	while read -r file; do
		head -n 3 "$file" | grep -q SPDX-License-Identifier || { echo "$file"; found=1; }
	# Three files of Debian's packaging have no comments.
	done < <(files ':!LICENSES' ':!debian/changelog' ':!debian/copyright' ':!debian/source/format')
	return "$found"
}

# The interface of 64-bit or 32-bit programs is as recorded.
interface_kept()
{
	selftests/run/uapi.sh record "$1" | diff -u uapi/kuid.record - && return
	echo "What was released never changes. If this only adds to it: make uapi-record"
	return 1
}

# The binary interface of the library, likewise. abidiff overlooks changes if it is to drop private types
# itself, so it gets two records without these.
library_kept()
{
	selftests/run/abi.sh >"$work/abi" && abidiff userspace/libkuid/libkuid.abi "$work/abi" && return
	echo "What was released never changes. If this only adds to it: make abi-record"
	return 1
}

# debian/copyright gives each file the licence that its SPDX line names.
copyright_true()
{
	local file tag glob licence found status=0
	local -A names=([GPL-2]="GPL-2.0-only" [Expat]="MIT" ["GPL-2 or Expat"]="GPL-2.0-only OR MIT"
		["GPL-2 with Linux-syscall-note exception or Expat"]="((GPL-2.0-only WITH Linux-syscall-note) OR MIT)")

	while read -r file; do
		tag=$(head -n 3 "$file" |
			sed -nE 's/.*SPDX-License-Identifier: //; T; s/( [*][/)]| -->|",)$//; p')
		while IFS=$'\t' read -r glob licence; do
			# shellcheck disable=SC2053 # a pattern
			[[ $file != $glob ]] || found=${names[$licence]}
		done < <(awk '/^Files:/ { n = 0; on = 1; $1 = "" } /^Copyright:/ { on = 0 }
			on { for (i = 1; i <= NF; i++) glob[++n] = $i }
			/^License:/ { sub(/^License: /, ""); for (; n; n--) print glob[n] "\t" $0 }' debian/copyright)
		[[ ! $tag || $tag == "$found" ]] || { echo "$file: $tag, not $found"; status=1; }
	done < <(files)
	return "$status"
}

# The texts in a file of C, Erlang, Go or Java that are a sentence. Strings that follow one another are one.
sentences()
{
	tr -d '\n\t' <"$1" | sed 's/" *+* *"//g' | grep -o '"[A-Z][^"]*\."' | sort -u
}

# The packages that do without libkuid have its advice, but for what libkuid says of itself.
advice_agrees()
{
	local file missing status=0

	for file in erlang/src/kuid_file.erl go/device_linux.go java/src/kuid/Device.java; do
		missing=$(comm -23 <(sentences userspace/libkuid/advice.c | grep -v 'The module is') \
			<(sentences "userspace/bindings/$file"))
		[[ ! $missing ]] || { echo "$file lacks: $missing"; status=1; }
	done
	return "$status"
}

# Files that must have the version of kmod/version.h have it.
versions_agree()
{
	local version

	version=$(sed -n 's/.*KUID_VERSION "\(.*\)"/\1/p' kmod/version.h)
	[[ $(dpkg-parsechangelog -S Version) == "$version"-* ]] && grep -q "^## ${version}[, ]" CHANGELOG.md &&
		grep -qx "version = \"$version\"" userspace/bindings/rust/Cargo.toml &&
		[[ $(grep -lx "Version: *$version" rpm/*.spec | wc -l) == 2 ]] &&
		grep -q "\"version\": \"$version\"" userspace/bindings/node/package.json &&
		grep -qx "__version__ = \"$version\"" userspace/bindings/python/src/kuid/__init__.py &&
		grep -q "image: kuid-claim:$version\$" userspace/kubernetes/kuid-claim.yaml &&
		[[ $(awk '/^#define KUID_VERSION_[A-Z]+ [0-9]/ { printf "%s%s", n++ ? "." : "", $3 }' \
			userspace/libkuid/kuid.h) == "$version" ]] && return
	echo "not all of debian/changelog, CHANGELOG.md, Cargo.toml, package.json, __init__.py, the specs, kuid-claim.yaml and kuid.h have $version"
	return 1
}

# No struct in the record has padding or a type that differs between machines.
interface_portable()
{
	awk '
		/^\/\*|^KUID_[A-Z0-9_]+ += 0x[0-9a-f]+$|^$|^};$/ { next }
		/^struct kuid_[a-z0-9_]+ \{$/ { structs++; next }
		/^\t__u(8|16|32|64) +[a-z0-9_]+(\[[0-9]+\])?; +\/\*( +[0-9]+)( +[0-9]+) \*\/$/ { next }
		/^\t\/\* size: [0-9]+, members: [0-9]+ \*\/$/ && $3 % 8 == 0 { next }
		{ print; bad = 1 }
		END { exit bad || !structs }' uapi/kuid.record
}

# -Wno-long-long: C89 has no integer type as wide as one of the constants.
header_stands_alone()
{
	local compiler standard status=0

	for compiler in gcc clang; do
		for standard in c90 c99 c11 c17; do
			selftests/run/uapi.sh compile "$compiler" -x c -std="$standard" -Wno-long-long || status=1
		done
		for standard in c++11 c++14 c++17 c++20; do
			selftests/run/uapi.sh compile "$compiler" -x c++ -std="$standard" || status=1
		done
	done
	return "$status"
}

# No other driver has our ioctl numbers, according to the kernel's table.
ioctl_numbers_free()
{
	local magic

	magic=$(sed -n 's/^KUID_IOC_MAGIC *= //p' uapi/kuid.record)
	! grep ^KUID_IOC_ uapi/kuid.record | grep -vE "MAGIC|= 0x[0-9a-f]*${magic#0x}[0-2][0-9a-f]\$" || return
	# shellcheck disable=SC2059 # the character is an escape
	LC_ALL=C awk -v code="$magic" -v character="$(printf "'\\x${magic#0x}'")" '
		!/^(0x[0-9A-Fa-f]+|\047.\047) +(all|[0-9A-Fa-f]+(-[0-9A-Fa-f]+)?)( |$)/ { next }
		{ rows++ }
		(tolower($1) == code || $1 == character) && $2 ~ /^(all|[0-2]?[0-9A-Fa-f](-.*)?)$/ {
			print code " " $2 " is taken"
			taken = 1
		}
		END {
			print rows + 0 " rows found"
			exit taken || rows <= 200
		}' "$source/Documentation/userspace-api/ioctl/ioctl-number.rst"
}

# Whether each quotation mark of a text is one of a pair, and no quotation is in another one.
quotes_paired()
{
	LC_ALL=C.UTF-8 sed 's/.\x08//g' | awk '
		/""|\047\047|``/ { print "doubled: " $0; bad = 1 }
		{ text = text $0 "\n" }
		END {
			n = split(text, part, "“")
			for (i = 1; i <= n; i++) {
				if (gsub("”", "”", part[i]) == (i > 1))
					continue
				print "not paired: " substr(part[i], 1, 60)
				bad = 1
			}
			exit bad || !text
		}'
}

# Ignores the rules of another system, and references to pages that this machine doesn't have. man
# reports warnings on stderr only, so fail on any output.
manual_formats()
{
	local page device output status=0

	for page in "$@"; do
		output=$(mandoc -T lint "$page" 2>&1 | grep -vE 'explicitly specified: Os Linux \(NetBSD\)$' |
			grep -vE 'referenced manual not found|mandoc.db lacks')
		[[ -z $output ]] || { echo "$output"; status=1; }
		for device in ascii utf8; do
			mandoc -T "$device" "$page" | quotes_paired || { echo "$page: mandoc"; status=1; }
			groff -K utf8 -t -mdoc -T "$device" -P -cbou "$page" | quotes_paired ||
				{ echo "$page: groff"; status=1; }
		done
		output=$(MANROFFSEQ='' man --warnings --local-file --encoding=UTF-8 \
			--troff-device=utf8 --ditroff "$page" 2>&1 >/dev/null)
		[[ -z $output ]] || { echo "$output"; status=1; }
	done
	return "$status"
}

# As an administrator makes it.
selinux_compiles()
{
	make -s -C userspace/selinux O="$work" && [[ -s $work/kuid.pp ]]
}

# The picture was drawn from the current text.
picture_drawn()
{
	local hash

	hash=$(sha256sum <Documentation/design.dot)
	grep -q "sha256 ${hash%% *}" Documentation/design.svg && return
	echo "Documentation/design.svg is older than design.dot: make picture"
	return 1
}

# The names by which links lead to the headings of a document.
anchors()
{
	sed -n 's/^##* //p' "$1" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}

# Each link to a file or to a heading has a target.
links_lead()
{
	local file link to status=0

	for file in "$@"; do
		while read -r link; do
			to=$(dirname "$file")/${link%%#*}
			[[ $link != \#* ]] || to=$file
			if [[ ! -e $to ]] ||
				{ [[ $link == *\#* ]] && ! anchors "$to" | grep -qx "${link#*#}"; }; then
				echo "$file: there is no $link"
				status=1
			fi
		done < <(grep -oP '\]\(\K[^):]+(?=\))' "$file")
	done
	return "$status"
}

mapfile -t kernel < <(files 'kmod/*.[ch]' 'uapi/*.h' 'selftests/vectors/*.c' \
	'selftests/callers/*.c' 'selftests/kunit/*.c' \
	':!kmod/compat.h' ':!kmod/sysfs.c' ':!kmod/trace.h' \
	':!kmod/chrdev.c' ':!kmod/core/formats.h' ':!kmod/ioctl.c' \
	':!kmod/user.c')
mapfile -t kselftests < <(files 'selftests/*.[ch]' ':!selftests/'{callers,fleet,kunit,unit,vectors} \
	':!selftests/lib/'{commands,formats}.h ':!selftests/private/'{'*_test',fake_kernel,handles}.'[ch]')
# The kernel's test harness has macros followed by blocks, which clang-format doesn't understand.
mapfile -t formatted < <(files '*.[ch]' ':!selftests'
	files selftests/{bench,callers,fleet,kunit,unit,vectors}/'*.[ch]' \
		selftests/private/{'*_test',fake_kernel,handles}.'[ch]')
mapfile -t userspace < <(files 'userspace/libkuid/*.c' 'userspace/kuid/*.c' 'userspace/dropin/*.c' \
	'userspace/claim/*.c' 'userspace/service/*.c')
mapfile -t documented < <(files 'kmod/*.[ch]' 'uapi/*.h')
mapfile -t included < <(files 'kmod/*.[ch]' 'userspace/*.[ch]' 'selftests/*.[ch]')
mapfile -t written < <(files ':!LICENSES' ':!selftests/vectors')
mapfile -t manuals < <(files 'Documentation/man/*')
mapfile -t documents < <(files '*.md')
mapfile -t scripts < <(files '*.sh' .ci/run selftests/vm/guest/init)

look "checkpatch --strict" checkpatch '' "${kernel[@]}"
# compat.h is the one file that may compare kernel versions.
look "checkpatch --strict, compat.h" \
	checkpatch LINUX_VERSION_CODE,CONSTANT_COMPARISON kmod/compat.h
# It defines for programs what checkpatch wants used instead, or used with a comment.
look "checkpatch --strict, process.h" \
	checkpatch PREFER_DEFINED_ATTRIBUTE_MACRO,NEW_TYPEDEFS,MEMORY_BARRIER,MACRO_ARG_REUSE \
	userspace/libkuid/process.h
# The lists of formats and commands expand to rows, cases and functions, which no parentheses can
# enclose.
look "checkpatch --strict, users of lists" \
	checkpatch COMPLEX_MACRO,MULTISTATEMENT_MACRO_USE_DO_WHILE,TRAILING_SEMICOLON,MACRO_ARG_REUSE \
	kmod/chrdev.c kmod/core/formats.h kmod/ioctl.c kmod/user.c
# Macro arguments here are field names, used for offset and size, without side effects.
look "checkpatch --strict, sysfs.c" checkpatch MACRO_ARG_REUSE kmod/sysfs.c
# Tracepoints are written like this everywhere in the kernel.
look "checkpatch --strict, trace.h" \
	checkpatch OPEN_ENDED_LINE,PARENTHESIS_ALIGNMENT kmod/trace.h
# checkpatch takes the type FIXTURE_DATA() for a function. TEST_HARNESS_MAIN defines main().
look "checkpatch --strict, kselftests" \
	checkpatch SPACING,CAMELCASE,MACRO_ARG_REUSE,MACRO_WITH_FLOW_CONTROL "${kselftests[@]}"
# checkpatch takes lists of rows and declarations for statements.
look "checkpatch --strict, lists of the kselftests" \
	checkpatch MACRO_ARG_REUSE,COMPLEX_MACRO,MULTISTATEMENT_MACRO_USE_DO_WHILE,TRAILING_SEMICOLON \
	selftests/lib/commands.h selftests/lib/formats.h
look "sparse and W=1" sparse_and_warnings
look "W=1 of clang" clang_warnings
look "the kernel's rules for coccinelle" coccinelle_rules
look "gcc -fanalyzer" analyzer "${userspace[@]}"
look "cppcheck" cppcheck --quiet --error-exitcode=1 --std=c11 --language=c \
	--enable=warning,performance,portability -D_GNU_SOURCE -Iuapi -Ikmod -Iuserspace/libkuid \
	-Iuserspace/service "${userspace[@]}"
look "interface as recorded, 64 bits" interface_kept 64
look "interface as recorded, 32 bits" interface_kept 32
look "interface of the library as recorded" library_kept
look "interface the same on all machines" interface_portable
look "uapi/linux/kuid.h by itself in C and C++" header_stands_alone
look "ioctl numbers that no one has" ioctl_numbers_free
look "kernel-doc" "$source/scripts/kernel-doc" -none -Werror "${documented[@]}"
look "clang-format" clang-format --dry-run -Werror "${formatted[@]}"
look "no circles of includes" selftests/run/circles.sh "${included[@]}"
look "shellcheck" shellcheck -x "${scripts[@]}"
look "policy of SELinux" selinux_compiles
look "manual pages" manual_formats "${manuals[@]}"
look "documents of the interface" selftests/run/documented.sh
look "the picture of the design" picture_drawn
look "tables of formats in documents" Documentation/formats.sh check
look "tables of the benchmark in documents" selftests/bench/report.py check
# Figures that age are in the tables of the benchmark only.
# clang-format joins a line to its star when it fills a comment anew.
look "a space behind each star of a comment" nowhere '^ \*[A-Za-z]' -- '*.c' '*.h'
look "no measured figures in prose" nowhere '^[^|]*[0-9] (instructions|us|ns an ID)\b' -- README.md \
	Documentation/{why-kernel,choosing,bindings,moving,operating}.md
look "README has at most 170 lines" test "$(wc -l <README.md)" -le 170
look "links of documents" links_lead "${documents[@]}"
# fo and nd are macros of manual pages, te the suffix of a policy for SELinux.
look "codespell" codespell -L crate,fo,nd,te "${written[@]}"
look "a licence named in each file" licence_named
look "debian/copyright" copyright_true
look "one version" versions_agree
look "the same advice on errors" advice_agrees
look "no kernel version outside compat.h" \
	nowhere 'LINUX_VERSION_CODE|KERNEL_VERSION\(' -- kmod ':!kmod/compat.h'
look "no name of linux/uidgid.h" \
	nowhere '\b(kuid_t|make_kuid|from_kuid|__kuid_val|kuid_munge|kuid_has_mapping)\b' \
	-- kmod uapi userspace
exit "$failed"
