#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The verbs of kuid(1) that need no device, as a user meets them: what they print, their messages
# and their exit statuses. Prints KTAP. Needs kuid on PATH, KUID_VERSION, and must be given with its
# path.

# shellcheck source=SCRIPTDIR/../tap.sh
. "${0%/*}/../tap.sh"

# shellcheck source=SCRIPTDIR/../formats.sh
. "${0%/*}/../formats.sh"

v1=c232ab00-9414-11ec-b3c8-9f6bdeced846
v6=1ec9414c-232a-6b00-b3c8-9f6bdeced846
ulid=01FWHE4YDGFK1SHH6W1G60EECF
v7=017f22e2-79b0-7cc3-98c4-dc0c0c07398f
last_v7=017f22e2-79b0-7fff-bfff-ffffffffffff
v4=919108f7-52d1-4320-9bac-f847db4148a8
lex=00060a24-1820-2078-db3f053403ad937a
cf=C232AB00-9414-11EC-B3C89F6BDECED846
hex=c232ab00941411ecb3c89f6bdeced846
decimal=27084864703004673
k64=.5.tXbhdV.3
later_k64=.5.tXbheV.3
k96=.5.tXVEf8n8vPN.0
k128=.5.tXhgz0IF2fOCuTqa..F

run()
{
	kuid "$@"
}

# STATUS TEXT INPUT OUTPUT ARGUMENT...: of INPUT it prints OUTPUT, says the lines of TEXT, if any, of
# standard input and nothing else, and exits with STATUS. "\n" ends a line in each of them.
filters()
{
	status=$1 text=$2 input=$3
	printf '%b' "${4:+$4\n}" >"$work/want"
	shift 4
	printf '%b' "$input" | kuid "$@" >"$out" 2>"$err"
	[ $? -eq "$status" ] && cmp "$out" "$work/want" && printf '%b' "${text:+$text\n}" |
		sed 's/^/kuid: standard input, /' | cmp "$err"
}

# STATUS LINES INPUT ARGUMENT...: as a log has it, where output and messages go to one file.
logs()
{
	status=$1
	printf '%b\n' "$2" >"$work/want"
	printf '%b' "$3" >"$work/in"
	shift 3
	kuid "$@" <"$work/in" >"$out" 2>&1
	[ $? -eq "$status" ] && cmp "$out" "$work/want"
}

prints_nothing()
{
	kuid "$@" </dev/null >"$out" 2>"$err" && [ ! -s "$err" ] && [ ! -s "$out" ]
}

# Prints TEXT among other lines.
tells()
{
	text=$1
	shift
	kuid "$@" >"$out" 2>"$err" </dev/null && [ ! -s "$err" ] && grep -qxF -- "$text" "$out"
}

# Fails with STATUS, prints nothing and says LINE first, and nothing more than it and the way to help.
says_line()
{
	status=$1 line=$2
	shift 2
	kuid "$@" >"$out" 2>"$err" </dev/null
	[ $? -eq "$status" ] && [ ! -s "$out" ] && [ "$(sed '/^Try /d' "$err")" = "$line" ]
}

# Fails with STATUS and says TEXT, and no character that a terminal could obey.
quotes()
{
	fails "$@" && ! LC_ALL=C grep -q '[^ -~]' "$err"
}

# As fails, with INPUT on standard input; the lines before the wrong one are dealt with.
fails_from()
{
	status=$1 text=$2
	printf '%b' "$3" >"$work/in"
	shift 3
	kuid "$@" <"$work/in" >"$out" 2>"$err"
	[ $? -eq "$status" ] && grep -qF -- "$text" "$err"
}

# STATUS ORDER ARGUMENT...: prints ORDER of two IDs.
compares()
{
	status=$1 order=$2
	shift 2
	filters "$status" '' '' "$order" compare "$@"
}

from_directory()
{
	kuid "$@" <"$work" >"$out" 2>"$err"
	[ $? -eq 1 ] && [ ! -s "$out" ] && [ "$(cat "$err")" = 'kuid: standard input: Is a directory' ]
}

# Where SIGPIPE is ignored a reader that has gone is not worth a message.
to_closed_pipe()
{
	rm -f "$work/pipe"
	mkfifo "$work/pipe" || return
	(
		trap '' PIPE
		# shellcheck disable=SC2094 # a pipe
		kuid "$@" 3<>"$work/pipe" >"$work/pipe" 3>&- 2>"$err"
	)
	[ $? -eq 1 ] && [ ! -s "$err" ]
}

begins_with()
{
	text=$1
	shift
	kuid "$@" >"$out" 2>"$err" && [ ! -s "$err" ] && head -n 1 "$out" | grep -q "^$text"
}

# The help of a verb, its lines joined, has TEXT.
explains()
{
	kuid "$1" --help >"$out" 2>"$err" && tr -s '\n ' '  ' <"$out" | grep -qF -- "$2"
}

inspected_v1='text          c232ab00-9414-11ec-b3c8-9f6bdeced846
hex           c232ab00941411ecb3c89f6bdeced846
format        v1
name          time-based
version       1
variant       RFC 9562
time          2022-02-22T19:22:22.0000000Z
unix_ns       1645557742000000000
resolution_ns 100
ticks         138648505420000000
clock_seq     13256
lane          72
node          9f6bdeced846'
inspected_k64='text          .5.tXbhdV.3
hex           0060398a7b698001
format        k64
time          2018-10-15T17:41:15.432128Z
unix_ns       1539625275432128000
resolution_ns 1024000
a             1539
b             625275
c             422
seq           1'
json_v7='{"text": "017f22e2-79b0-7cc3-98c4-dc0c0c07398f", "hex":'
json_v7="$json_v7 \"017f22e279b07cc398c4dc0c0c07398f\""
json_v7="$json_v7, \"format\": \"v7\", \"name\": \"Unix time-based\", \"version\": 7,"
json_v7="$json_v7 \"variant\": \"RFC 9562\", \"time\":"
json_foreign_v7="$json_v7 \"2022-02-22T19:22:22.000Z\", \"unix_ns\": \"1645557742000000000\","
json_foreign_v7="$json_foreign_v7 \"resolution_ns\": 1000000, \"ticks\": \"1645557742000\","
json_foreign_v7="$json_foreign_v7 \"fraction_ns_if_kuid\": 797702}"
json_v7="$json_v7 \"2022-02-22T19:22:22.000797702Z\", \"unix_ns\": \"1645557742000797702\","
json_v7="$json_v7 \"resolution_ns\": 1, \"ticks\": \"1645557742000\", \"fraction\": 836451,"
json_v7="$json_v7 \"lane\": 9, \"random\": \"5c0c0c07398f\"}"
two_ids="$inspected_v1

$inspected_k64"

is_none='"x" is no ID: no ID is of length 1'
no_id="line 2: $is_none"
v1_time=2022-02-22T19:22:22.0000000Z
it "inspect prints all fields of v1" prints "$inspected_v1" inspect $v1
it "inspect prints all fields of k64" prints "$inspected_k64" inspect $k64
it "inspect puts a line between IDs" prints "$two_ids" inspect $v1 $k64
it "inspect reads standard input" filters 0 '' "$v1\n$k64\n" "$two_ids" inspect
it "inspect needs no last end of line" filters 0 '' "$v1\n$k64" "$two_ids" inspect
it "inspect --json prints a line" prints "$json_foreign_v7" inspect --json $v7
it "inspect reads milliseconds of v7" tells 'time          2022-02-22T19:22:22.000Z' inspect $v7
it "inspect -f v7 reads no more" tells 'time          2022-02-22T19:22:22.000Z' inspect -f v7 $v7
it "inspect tells the fraction of v7 apart" tells 'fraction_ns_if_kuid 797702' inspect $v7
try prints "$(kuid inspect $last_v7)" inspect --from-kuid $last_v7
it "inspect --from-kuid reads nanoseconds of v7" prints "$json_v7" inspect --json --from-kuid $v7
it "inspect --from-kuid reads other formats alike" prints "$two_ids" inspect --from-kuid $v1 $k64
it "inspect takes ColdFusion's form" prints "$inspected_v1" inspect $cf
it "inspect -f takes hexadecimal" prints "$inspected_v1" inspect -f v1 $hex
it "inspect -f takes ColdFusion's form" prints "$inspected_v1" inspect -f v1 $cf
it "inspect -f uuid finds the version" prints "$inspected_v1" inspect -f uuid $hex
it "inspect tells the worker of lex" tells 'worker        db3f053403ad937a' inspect $lex
it "inspect tells the node of k96" tells 'node          03eb2732' inspect $k96
it "inspect tells the node of k128" tells 'node          db3f053403ad937a' inspect $k128
it "inspect -I takes the node from elsewhere" tells 'node          03eb2732' inspect -I 5 .5.tXa0xODOQPN.0
inspected_snowflake='text          175928847299117063
hex           0271065ac1020007
format        snowflake
time          2016-04-30T11:18:25.796Z
unix_ns       1462015105796000000
resolution_ns 1000000
ticks         41944705796
seq           7
worker        32
epoch_ms      1420070400000'
json_snowflake='{"text": "1724551110972215297", "hex": "17eed6192e811001", "format": "snowflake",'
json_snowflake="$json_snowflake \"time\": \"2023-11-14T22:13:20.123Z\", \"unix_ns\": \"1700000000123000000\","
json_snowflake="$json_snowflake \"resolution_ns\": 1000000, \"ticks\": \"411165025466\", \"seq\": 1, \"worker\": 17,"
json_snowflake="$json_snowflake \"epoch_ms\": 1288834974657}"
of_two='a decimal number is read with -f k64 or -f snowflake'
try prints "$inspected_snowflake" inspect -f snowflake --snowflake-epoch 1420070400000 175928847299117063
try tells 'time          2012-03-03T13:01:20.453Z' inspect -f snowflake 175928847299117063
try prints "$json_snowflake" inspect --json -f snowflake 1724551110972215297
try prints "$json_snowflake" inspect --json -f snowflake 17eed6192e811001
try tells 'hex           00038d7ea4c68001' inspect -f snowflake 1000000000000001
try tells 'text          1' inspect -f snowflake 0000000000000001
try fails 1 'no snowflake ID: character 19 is wrong' inspect -f snowflake 9223372036854775808
it "a snowflake has no sign" fails 1 'no snowflake ID: character 1 is wrong' inspect -f snowflake -- -1
it "a snowflake has no leading zeros" fails 1 'no snowflake ID: character 2 is wrong' inspect -f snowflake 017
it "a snowflake needs -f" fails 1 "is no ID: $of_two" inspect 1724551110972215297
try fails 2 '"8277292036001" is not an epoch' inspect -f snowflake --snowflake-epoch 8277292036001 1
try fails 2 '"1.5" is not an epoch' range -f snowflake --snowflake-epoch 1.5 --from @1 --to @2
try prints 17eed6192e811001 convert -f snowflake --to hex 1724551110972215297
try fails 2 'nothing is converted to "snowflake"' convert -f snowflake --to snowflake 1
try compares 3 undecided --bound 2000000 -f snowflake 1724551110972215297 1724551110976413713
try compares 0 before --bound 1000000 -f snowflake 1724551110972215297 1724551110976413713
try tells 'time          1582-10-15T00:00:00.0000001Z' inspect 00000001-0000-1000-8000-000000000000
try tells 'unix_ns       -12219292799999999900' inspect 00000001-0000-1000-8000-000000000000
try tells 'unix_ns       -100' inspect 13813fff-1dd2-11b2-8000-000000000000
try tells 'unix_ns       100' inspect 13814001-1dd2-11b2-8000-000000000000
it "inspect tells 1970" tells 'unix_ns       0' inspect 13814000-1dd2-11b2-8000-000000000000
try tells 'time          5236-03-31T21:21:00.6846975Z' inspect ffffffff-ffff-1fff-bfff-ffffffffffff
try tells 'unix_ns       103072857660684697500' inspect ffffffff-ffff-1fff-bfff-ffffffffffff
try tells 'time          +586524-01-19T08:01:49.551615Z' inspect ffffffff-ffff-ffff-ffffffffffffffff
it "inspect names version 4" tells 'name          random' inspect $v4
it "inspect names nil" tells 'name          nil' inspect 00000000-0000-0000-0000-000000000000
it "inspect names max" tells 'name          max' inspect ffffffff-ffff-ffff-ffff-ffffffffffff
it "inspect prints nothing for nothing" prints_nothing inspect

it "a text of no ID's length is refused" fails 1 '"abc" is no ID: no ID is of length 3' inspect abc
it "an empty ID is refused" fails 1 '"" is no ID: it is empty' inspect ''
it "a short decimal number is told" fails 1 "\"42\" is no ID: $of_two" inspect 42
it "- is standard input" filters 0 '' "$v1\n$k64\n" "$two_ids" inspect -
it "- is standard input among arguments" filters 0 '' "$v1\n" "$v6\n$v6\n$v6" convert --to v6 $v1 - $v1
it "compare - is standard input" filters 0 '' "$v1\n$v1\n" equal compare -
it "a wrong character is refused" fails 1 'is no ID: character 4 is wrong' inspect 'abc!'
it "an ID too long is refused" fails 1 'is no ID: character 37 is wrong' inspect ${v1}0
it "a UUID a digit too short is refused" fails 1 'is no ID: it ends too early' inspect ${v7%?}
it "a v7 a digit too short is refused" fails 1 'is no v7 ID: it has 35 characters of 36' inspect -f v7 ${v7%?}
try fails 1 'is no v7 ID: it has 32 characters of 36' inspect -f v7 ${v7%????}
it "bits beyond the ID are refused" fails 1 'is no ID: character 11 is wrong' inspect .5.tXbhdV.4
it "another version is refused" fails 1 "\"$v6\" is no v1 ID: character 15 is wrong" inspect -f v1 $v6
it "another version in hexadecimal is refused" fails 1 'is no v6 ID: character 13 is wrong' inspect -f v6 $hex
it "another format is refused" fails 1 'is no lex ID: character 24 is wrong' inspect -f lex $v1
it "hexadecimal of three formats is refused" fails 1 \
	'is no ID: 32 hexadecimal digits are read with -f lex or -f k128 or -f uuid' \
	inspect 00060a2418202078db3f053403ad937a
try fails 1 '"a\x1b[1m\x5c" is no ID: character 2 is wrong' inspect "$(printf 'a\033[1m\134')"
forty=0123456789012345678901234567890123456789
try says_line 1 "kuid: \"$forty...\" is no ID: character 37 is wrong" inspect ${forty}0
try says_line 1 "kuid: \"$forty\" is no ID: character 37 is wrong" inspect $forty
it "an escape is quoted whole or not at all" says_line 1 \
	"kuid: \"012345678901234567890123456789012345678...\" is no ID: character 37 is wrong" \
	inspect "$(printf '012345678901234567890123456789012345678\033')"
it "a wrong line is named" fails_from 1 'standard input, line 2: "x" is no ID' "$v1\nx\n" inspect
it "an empty line is refused" fails_from 1 'line 2: "" is no ID' "$v1\n\n$v1\n" inspect
it "a carriage return is refused" fails_from 1 'character 37 is wrong' "$v1\r\n" inspect
it "a NUL is refused" fails_from 1 'character 3 is wrong' 'ab\000cdefghij\n' inspect

it "standard input that can't be read is told" from_directory inspect

it "an unknown format is refused" fails 2 '"v2" is not a format: v1 v6' inspect -f v2 $v1
it "-I 4 is refused" fails 2 '"4" is not an interval: a whole number from 5 to 10' inspect -I 4 $k96
it "-I 11 is refused" fails 2 '"11" is not an interval' inspect -I 11 $k96
it "-I 8x is refused" fails 2 '"8x" is not an interval' inspect -I 8x $k96
it "an unknown option is refused" fails 2 "invalid option -- 'z'" inspect -z

it "convert makes v6 of v1" prints $v6 convert --to v6 $v1
it "convert makes v1 of v6" prints $v1 convert --to v1 $v6
it "convert makes k96 of k64" prints $k96 convert --to k96 --node 03eb2732 $k64
it "convert makes k128 of k64" prints $k128 convert --to k128 --node DB3F053403AD937A $k64
it "convert makes k64 of k96" prints $k64 convert --to k64 --node 3eb2732 $k96
it "convert makes k64 of k128 of any node" prints $k64 convert --to k64 --node any $k128
# As Erlang/OTP 25 prints erlang:phash2(NAME, 1 bsl 32).
for node in nonode@nohost=70306884 a@b=25954 kuid@host.example.org=233706199 räksmörgås@höst=249242692 \
	€@日本=252744556; do
	it "convert takes the name of the Erlang node ${node%=*}" \
		prints "$(kuid convert --to k96 --node "$(printf %x "${node#*=}")" $k64)" \
		convert --to k96 --node "erlang:${node%=*}" $k64
done
it "convert minds the interval" prints .5.tXa0xODOQPN.0 convert --to k96 --node 3eb2732 -I 5 $k64
it "convert makes ColdFusion's form" prints $cf convert --to cf $v1
it "convert makes text of ColdFusion's form" prints $v1 convert --to text $cf
it "convert makes hexadecimal" prints $hex convert --to hex $v1
it "convert makes text of hexadecimal" prints $v1 convert --to text -f v1 $hex
it "convert makes hexadecimal of k96" prints 0060398a03eb27327b698001 convert --to hex $k96
it "convert makes k96 of hexadecimal" prints $k96 convert --to text -f k96 0060398a03eb27327b698001
it "convert makes GUIDs" prints 00ab32c21494ec11b3c89f6bdeced846 convert --to guid $v1
it "convert makes UUIDs of GUIDs" prints $hex convert --to guid -f uuid 00ab32c21494ec11b3c89f6bdeced846
it "convert makes decimal" prints $decimal convert --to decimal $k64
it "convert makes a ULID" prints $ulid convert --to ulid $v7
it "convert makes braces" prints "{$v6}" convert --to braces $v6
it "convert makes a URN" prints "urn:uuid:$v4" convert --to urn $v4
it "a decimal number too great is refused" fails 1 'is no k64 ID: ' inspect -f k64 18446744073709551616
try fails 1 'is no v6 ID: ' inspect -f v6 "urn:uuid:$v1"
it "convert takes hexadecimal of 8 bytes" prints $k64 convert -f k64 --to text 0060398a7b698001
it "convert takes a URN of version 4" prints $v4 convert --to text "urn:uuid:$v4"
it "a format tells a decimal number" prints "$inspected_k64" inspect -f k64 $decimal
it "a format tells a ULID" prints $v7 convert -f v7 --to text $ulid
it "a format tells a URN" prints $v1 convert -f v1 --to text "urn:uuid:$v1"
it "a format tells braces" prints $v1 convert -f uuid --to text "{$v1}"
for form in hex cf ulid braces urn; do
	it "a v7 is told in form $form" prints $v7 convert --to text "$(kuid convert --to $form $v7)"
done
it "hexadecimal of 24 digits is a k96" prints $k96 convert --to text 0060398a03eb27327b698001
it "forms of one ID are equal" compares 0 equal "{$v1}" $hex
it "convert to ULID of v6 is refused" fails 1 'v6 has no form "ulid"' convert --to ulid $v6
it "convert to ULID of version 4 is refused" fails 1 'uuid has no form "ulid"' convert --to ulid $v4
it "convert of any UUID knows v7" prints $ulid convert -f uuid --to ulid $v7
it "convert of any UUID knows v1" prints $v6 convert -f uuid --to v6 $v1
it "convert of any UUID tells what it knows" fails 1 'v6 has no form "ulid"' convert -f uuid --to ulid $v6
it "convert to decimal of k96 is refused" fails 1 'k96 has no form "decimal"' convert --to decimal $k96
it "convert reads standard input" filters 0 '' "$v1\n$v1\n" "$v6\n$v6" convert --to v6
try filters 1 "$no_id" "$v1\nx\n$v1\n" "$v6" convert --to v6
try filters 1 "line 2: v7 can't be converted to v6" "$v1\n$v7\n$v1\n" "$v6" convert --to v6
try filters 1 'line 2: k64 has no form "cf"' "$v1\n$k64\n" $cf convert --to cf
it "convert needs --to" fails 2 '--to is needed' convert $v1
it "convert to v7 is refused" fails 2 'nothing is converted to "v7"' convert --to v7 $v1
it "convert to two formats is refused" fails 2 'nothing is converted to "v1 v6"' convert --to "v1 v6" $v1
it "convert v7 to v1 is refused" fails 1 "v7 can't be converted to v1" convert --to v1 $v7
it "convert k64 to v1 is refused" fails 1 "k64 can't be converted to v1" convert --to v1 $k64
it "convert lex to k64 is refused" fails 1 "lex can't be converted to k64" convert --to k64 $lex
it "convert k64 to cf is refused" fails 1 'k64 has no form "cf"' convert --to cf $k64
it "convert lex to guid is refused" fails 1 'lex has no form "guid"' convert --to guid $lex
# This test needs no device, and there is none.
if [ ! -e /dev/kuid ]; then
	try fails 1 "as this host's is not known: there is no /dev/kuid" convert --to k96 $k64
	it "convert k96 to k64 needs a node" fails 1 "its node may be another host's" convert --to k64 $k96
fi
try fails 1 'its node 3eb2732 is not 3eb2733, and the same k64 may exist there' convert --to k64 --node 3eb2733 $k96
try fails 1 '--node any is not for k64 to k96' convert --to k96 --node any $k64
it "a node too wide is refused" fails 1 'the node is too wide for k96' convert --to k96 --node 100000000 $k64
it "a node of k128 too wide for k96 is refused" fails 1 'the node is too wide for k96' convert --to k96 $k128
it "a node that is none is refused" fails 2 '"0x1" is not a node' convert --to k96 --node 0x1 $k64
try fails 2 'is not a node: 1 to 16 hexadecimal digits' convert --to k128 --node 00000000000000001 $k64
try fails 2 '"kuid" is not the name of an Erlang node' convert --to k96 --node erlang:kuid $k64
it "a node for v6 is refused" fails 2 "--node is for $grid_formats" convert --to v6 --node 1 $v1
it "a second node is refused" fails 1 '--node is not for k96 to k128' convert --to k128 --node 1 $k96

it "compare: before" compares 0 before $k64 .5.tXbhdV.7
it "compare: after" compares 0 after .5.tXbhdV.7 $k64
tab=$(printf '\t')
it "compare --ticks: of one tick" compares 0 "before${tab}0" --ticks $k64 .5.tXbhdV.7
it "compare --ticks: over a second, and back" \
	filters 0 '' '0000000000f40000\n0000000001000000\n0000000000f40000\n0000000001f40000\n' \
	'before\t1\nafter\t-1\nbefore\t977' compare --ticks -f k64
try compares 0 "before${tab}1" --ticks -f k64 00000f423ff40000 0000100000000000
it "compare --ticks: the order of nodes is another" compares 0 "after${tab}4" --ticks \
	"$(kuid convert --to k128 --node 2 $k64)" "$(kuid convert --to k128 --node 1 $later_k64)"
it "compare --ticks: v7 has none" fails 1 'v7 has no grid ticks' compare --ticks $v7 $v7
try compares 0 after --signed 00060a24-1820-2078-0000000000000001 00060a24-1820-2078-8000000000000000
it "compare --signed: v7 is refused" fails 1 'v7 is not compared as signed numbers' compare --signed $v7 $v7
try fails 2 'only one of --bound and --signed' compare --signed --bound 1 $lex $lex
it "compare: equal" compares 0 equal $v1 $v1
it "compare: equal in another form" compares 0 equal $v1 $cf
try compares 0 before ffffffff-0000-1000-8000-000000000000 00000000-0001-1000-8000-000000000000
try compares 0 before --bound 100 00000001-0000-1000-8000-000000000001 00000002-0000-1000-8000-000000000000
try compares 3 undecided --bound 101 00000001-0000-1000-8000-000000000001 00000002-0000-1000-8000-000000000000
later_v7=017f22e2-79b0-7cc4-98c4-dc0c0c07398f
it "compare: two v7 of a millisecond are undecided" compares 3 undecided --bound 1 $v7 $later_v7
try compares 0 before --bound 243 --from-kuid $v7 $later_v7
it "compare: two v7 of kuid can be undecided" compares 3 undecided --bound 245 --from-kuid $v7 $later_v7
it "compare: --from-kuid needs a bound" fails 2 '--from-kuid is for --bound' compare --from-kuid $v7 $later_v7
it "compare: one node is decided" compares 0 after --bound 18446744073709551615 \
	00000002-0000-1000-8000-000000000001 00000001-0000-1000-8000-000000000001
it "compare: hexadecimal with -f" compares 0 equal -f v1 $hex $v1
it "compare: version 4 as bytes" compares 0 equal $v4 $v4
try filters 0 '' "$k64\n.5.tXbhdV.7\n.5.tXbhdV.7\n$k64\n" 'before\nequal\nafter' compare
it "compare says nothing of one line" filters 0 '' "$v1\n" '' compare
it "compare says nothing of no line" filters 0 '' '' '' compare
near=00000001-0000-1000-8000-000000000001
try filters 3 '' "$near\n00000002-0000-1000-8000-000000000000\n$v1\n" 'undecided\nbefore' compare --bound 101
try filters 1 "line 3: $is_none" "$v1\n$v1\nx\n$v1\n" equal compare
it "compare: a line of another format ends it" \
	filters 1 "line 3: they are of different formats: \"$v1\" of v1, \"$k64\" of k64" \
	"$v1\n$v1\n$k64\n" equal compare
it "compare: two formats are refused" fails 1 'they are of different formats' compare $v1 $k64
it "compare: version 4 has no time" fails 1 'have no time' compare --bound 1 $v4 $v4
it "compare: one ID is refused" fails 2 'two IDs are needed' compare $v1
it "compare: three IDs are refused" fails 2 "unexpected argument \"$v7\"" compare $v1 $v1 $v7
it "compare: a wrong ID is refused" fails 1 '"x" is no ID' compare $v1 x
it "compare: a wrong bound is refused" fails 2 '"-1" is not a bound' compare --bound=-1 $v1 $v1

it "inspect --keep-going tells what is wrong in its place" \
	filters 5 "$no_id" "$v1\nx\n$k64\n" \
	"$inspected_v1\n\nerror         standard input, $no_id\n\n$inspected_k64" inspect --keep-going
it "inspect -k --json tells what is wrong as JSON" \
	filters 5 "$no_id" "$v7\nx\n$v7\n" \
	"$json_v7\n{\"error\": \"standard input, line 2: \\\"x\\\" is no ID: no ID is of length 1\"}\n$json_v7" \
	inspect -k --json --from-kuid
try logs 5 "$v6\nkuid: standard input, $no_id\n-\n$v6" "$v1\nx\n$v1\n" convert -k --to v6
try logs 5 "$v1_time\nkuid: standard input, $no_id\n-\n$v1_time" "$v1\nx\n$v1\n" inspect -k --time
try logs 5 "equal\nkuid: standard input, line 3: $is_none\n-" "$v1\n$v1\nx\n" compare -k
try logs 1 "$v6\nkuid: standard input, $no_id" "$v1\nx\n$v1\n" convert --to v6
it "inspect --keep-going: nothing is wrong" prints "$inspected_v1" inspect --keep-going $v1
try filters 5 "$no_id" "$v1\nx\n$v1\n" "$v6\n-\n$v6" convert --keep-going --to v6
it "convert --keep-going goes on after the first line and the last" \
	filters 5 'line 1: "" is no ID: it is empty; --lenient would skip it\nline 3: "-" is no ID: no ID is of length 1' \
	"\n$v1\n-" "-\n$v6\n-" convert -k --to v6
it "convert --keep-going: what has no such form" \
	filters 5 'line 2: k64 has no form "cf"' "$v1\n$k64\n$v1\n" "$cf\n-\n$cf" convert --keep-going --to cf
it "convert --keep-going: what can't be converted" \
	filters 5 "line 2: v7 can't be converted to v6\nline 4: k64 can't be converted to v6" \
	"$v1\n$v7\n$v1\n$k64\n" "$v6\n-\n$v6\n-" convert --keep-going --to v6
it "convert --keep-going: what has no place for the node" \
	filters 5 'line 2: --node is not for k128 to k96' "$k64\n$k128\n" \
	"$k96\n-" convert --keep-going --to k96 --node 03eb2732
it "convert --keep-going: what is of another node" \
	filters 5 'line 1: its node 3eb2732 is not 1, and the same k64 may exist there: --node any converts it' \
	"$k96\n$(kuid convert --to k96 --node 1 $k64)\n" "-\n$k64" convert --keep-going --to k64 --node 1
try logs 5 "$v6\nkuid: $is_none\n-" '' convert --keep-going --to v6 $v1 x
it "convert --keep-going: a full disk ends it" to_full_disk convert --keep-going --to v6 $v1
try filters 5 "$no_id" "$v1\nx\n$v1\n$v1\n" "-\n-\nequal" compare --keep-going
it "compare --keep-going: the first line" \
	filters 5 "line 1: $is_none" "x\n$v1\n$v1\n" "-\nequal" compare --keep-going
it "compare --keep-going: two formats are in one pair" \
	filters 5 "line 2: they are of different formats: \"$v1\" of v1, \"$k64\" of k64" "$v1\n$k64\n$k64\n" \
	"-\nequal" compare --keep-going
it "compare --keep-going: UUIDs without a time" \
	filters 5 'line 2: these UUIDs have no time to compare' "$v4\n$v4\n" - compare --keep-going --bound 1
it "compare --keep-going: a wrong line comes before an undecided one" \
	filters 5 "line 3: $is_none" "$near\n00000002-0000-1000-8000-000000000000\nx\n" \
	"undecided\n-" compare --keep-going --bound 101
it "compare --keep-going: undecided, and nothing wrong" compares 3 undecided --keep-going --bound 101 \
	00000001-0000-1000-8000-000000000001 00000002-0000-1000-8000-000000000000

heading='TEXT	FORMAT	NAME	TIME	UNIX_NS	CLOCK_SEQ	SEQ	NODE	WORKER'
v1_row="$v1	v1	time-based	2022-02-22T19:22:22.0000000Z	1645557742000000000	13256	-	9f6bdeced846	-"
k64_row="$k64	k64	-	2018-10-15T17:41:15.432128Z	1539625275432128000	-	1	-	-"
lex_row="$lex	lex	-	2023-11-14T22:13:20.123000Z	1700000000123000000	-	-	-	db3f053403ad937a"
v4_row="$v4	uuid	random	-	-	-	-	-	-"
it "inspect --columns prints a line an ID" prints "$heading
$v1_row
$k64_row
$lex_row
$v4_row" inspect --columns $v1 $k64 $lex $v4
it "inspect -c -n leaves the names out" prints "$v1_row" inspect -c -n $v1
it "inspect --columns prints the names if there is no ID" filters 0 '' '' "$heading" inspect --columns
it "inspect --columns --keep-going marks a wrong line" \
	filters 5 "$no_id" "$v1\nx\n$v1\n" \
	"$v1_row\n-	-	-	-	-	-	-	-	-\n$v1_row" inspect --columns --noheadings --keep-going
it "inspect --time prints the time alone" prints '2022-02-22T19:22:22.0000000Z
2022-02-22T19:22:22.000Z' inspect --time $v1 $v7
try prints 2022-02-22T19:22:22.000797702Z inspect -t --from-kuid $v7
it "inspect --time: a UUID without one is told" \
	filters 1 'line 2: a UUID without a time: random' "$v1\n$v4\n$v1\n" $v1_time inspect --time
it "inspect --time --keep-going marks a UUID without one" \
	filters 5 'line 2: a UUID without a time: random' "$v1\n$v4\n$v1\n" \
	"$v1_time\n-\n$v1_time" inspect --time --keep-going
try fails 2 'only one of --json, --columns and --time' inspect --columns --json $v1
try fails 2 'only one of --json, --columns and --time' inspect --columns --time $v1
try fails 2 '--noheadings is for --columns' inspect --noheadings --time $v1

# OUTPUT INPUT ARGUMENT...: "%" is a newline in the output, and each line one that a NUL ends.
prints_null()
{
	want=$1 input=$2
	shift 2
	printf '%b' "$input" | kuid "$@" >"$work/null" 2>"$err" && [ ! -s "$err" ] &&
		tr '\n\0' '%\n' <"$work/null" >"$out" && [ "$(cat "$out")" = "$want" ] &&
		[ "$(tail -c 1 "$work/null" | od -A n -t x1)" = ' 00' ]
}

it "inspect -0 --json" prints_null "$json_v7
$json_v7" "$v7\0000$v7\0000" inspect -0 --json --from-kuid
it "inspect --null --columns" prints_null "$heading
$v1_row" "$v1\0000" inspect --null --columns
it "inspect --null --time" prints_null 2022-02-22T19:22:22.0000000Z "$v1\0000" inspect -0 -t
it "inspect --null ends the fields of an ID" prints_null "$(echo "$inspected_v1" | tr '\n' %)
$(echo "$inspected_k64" | tr '\n' %)" "$v1\0000$k64\0000" inspect --null
it "inspect --null needs no last NUL" prints_null "$v1_row" "$v1" inspect -0cn
it "convert --null" prints_null "$v6
$v6" "$v1\0000$v1\0000" convert --null --to v6
it "convert --null prints arguments so" prints_null "$v6" '' convert -0 --to v6 $v1
it "compare --null" prints_null 'equal
before' "$k64\0000$k64\0000.5.tXbhdV.7\0000" compare --null
it "--null: a newline is part of an ID" fails_from 1 \
	"kuid: standard input, ID 2: \"$v1\\x0a\" is no ID: character 37 is wrong" \
	"$v1\000$v1\n\000" convert -0 --to v6
try fails_from 1 'character 37 is wrong' "$v1\000$v1\000" convert --to v6

# OUTPUT TEXT...: each of the texts is taken by --lenient as OUTPUT, on standard input, too, and
# without it is refused with that advice.
takes_leniently()
{
	want=$1
	shift
	for given; do
		prints "$want" convert --lenient --to text "$given" &&
			fails 1 '; --lenient would take it' convert --to text "$given" &&
			filters 0 '' "$given\n" "$want" convert --lenient --to text || return
	done
}

cr=$(printf '\r')
it "--lenient takes space around braces" takes_leniently $v1 " {$v1}"
it "--lenient takes space around a URN" takes_leniently $v1 "urn:uuid:$v1 " " URN:UUID:$v1"
try takes_leniently 00060a24-1820-2078-db3f-053403ad937a 00060a2418202078db3f053403ad937a
it "--lenient takes space around a ULID" takes_leniently $v7 " $ulid"
it "--lenient takes space" takes_leniently $k64 " $k64" "$k64	" "$k64$cr"
it "--lenient takes canonical text" prints $v1 convert --lenient --to text $v1
it "--lenient takes upper case" prints $v1 convert --lenient --to text C232AB00-9414-11EC-B3C8-9F6BDECED846
it "--lenient takes ColdFusion's form" prints $v1 convert --lenient --to text $cf
it "--lenient takes decimal of a format" prints $k64 convert --lenient -f k64 --to text " $decimal "
try prints $k96 convert --lenient -f k96 --to text 0060398A03EB27327B698001
try prints $lex convert --lenient -f lex --to text 00060a24-1820-2078-db3f-053403ad937a
try prints $k128 convert --lenient -f k128 --to text "$(kuid convert --to hex $k128 |
		sed -E 's/^(.{8})(.{4})(.{4})(.{4})/\1-\2-\3-\4-/')"
it "--lenient does not take decimal of no format" fails 1 'is no ID' inspect --lenient $decimal
try says_line 1 "kuid: $is_none" inspect x
try says_line 1 "kuid: \"{$v1\" is no ID: it ends too early" inspect --lenient "{$v1"
try fails 1 'is no v6 ID: character ' inspect --lenient -f v6 "{$v1}"
it "--lenient skips blank lines" filters 0 '' "\n$v1\r\n \r\n\t\n$v1\n\n" "$v6\n$v6" convert --lenient --to v6
try filters 0 '' "\n$v1\n \r\n$v1\n" "-\n$v6\n-\n$v6" convert --lenient --keep-going --to v6
try filters 0 '' "$v1\n\n" "$v1_time\n-" inspect --lenient -k --time
try filters 0 '' "\n" '{"error": "a blank line"}' inspect --lenient -k --json
try filters 0 '' "$v1\n$v1\n\n$v1\n" "equal\n-\n-" compare --lenient -k
try fails_from 1 'standard input, line 3: "x" is no ID' "\n\nx\n" inspect --lenient
try fails_from 1 'line 2: "" is no ID: it is empty; --lenient would skip it' "$v1\n\n" inspect
it "--lenient would skip a line of space" fails_from 1 '--lenient would skip it' " \r\n" inspect
it "--lenient takes no empty argument" says_line 1 'kuid: "" is no ID: it is empty' inspect --lenient ''
other_ulid=01ARZ3NDEKTSV4RRFFQ69G5FAV
only_v7='is no ID: it looks like a ULID, of which only those of a v7 are read'
it "a ULID of no v7 is told" fails 1 "$only_v7" inspect $other_ulid
it "--lenient tells a ULID of no v7" fails 1 "$only_v7" inspect --lenient $other_ulid
try says_line 1 "kuid: \"${other_ulid%?}U\" is no ID: no ID is of length 26" inspect ${other_ulid%?}U
it "--lenient: decimal of no format gets advice" fails 1 "is no ID: $of_two" inspect --lenient $decimal
try says_line 1 'kuid: "18446744073709551616" is no ID: no ID is of length 20' inspect 18446744073709551616
try fails 1 'is wrong; the IDs in that file are read from < FILE' inspect "$work/in"
try logs 1 'kuid: standard input, line 1: "/dev/null" is no ID: character 1 is wrong' '/dev/null' inspect
it "compare --lenient" compares 0 equal --lenient "{$v1}" "urn:uuid:$v1"
it "inspect --lenient" prints "$inspected_v1" inspect --lenient "{$v1}"

range_v7="lowest          01a19467-e800-7000-8000-000000000000
highest         01a22ee6-afff-7fff-bfff-ffffffffffff
end             01a22ee6-b000-7000-8000-000000000000
lowest_hex      01a19467e80070008000000000000000
highest_hex     01a22ee6afff7fffbfffffffffffffff
end_hex         01a22ee6b00070008000000000000000
lowest_cf       01A19467-E800-7000-8000000000000000
highest_cf      01A22EE6-AFFF-7FFF-BFFFFFFFFFFFFFFF
end_cf          01A22EE6-B000-7000-8000000000000000
lowest_ulid     01M6A6FT00E008000000000000
highest_ulid    01M8QEDBZZFZZVZZZZZZZZZZZZ
end_ulid        01M8QEDC00E008000000000000
lowest_braces   {01a19467-e800-7000-8000-000000000000}
highest_braces  {01a22ee6-afff-7fff-bfff-ffffffffffff}
end_braces      {01a22ee6-b000-7000-8000-000000000000}
lowest_urn      urn:uuid:01a19467-e800-7000-8000-000000000000
highest_urn     urn:uuid:01a22ee6-afff-7fff-bfff-ffffffffffff
end_urn         urn:uuid:01a22ee6-b000-7000-8000-000000000000"
range_k64='{"lowest": ".6.MUg.....", "highest": ".600GEzoEzw", "end": ".600GF.....",'
range_k64="$range_k64 \"lowest_hex\": \"0070177ec0000000\", \"highest_hex\": \"00704144fff43fff\","
range_k64="$range_k64 \"end_hex\": \"0070414500000000\", \"lowest_decimal\": \"31551030546137088\","
range_k64="$range_k64 \"highest_decimal\": \"31596961999372287\", \"end_decimal\": \"31596962000142336\"}"
it "range prints all forms" prints "$range_v7" range -f v7 --from 2026-11-01 --to 2026-12-01
try prints "$range_k64" range -f k64 --from 2026-11-01T00:00:00Z --to 2026-12-01 --json

note='kuid: note: v1 does not sort by time as bytes, so BETWEEN does not find its IDs where bytes are'
note="$note compared; $by_time_formats do"

# The command before said that a database may find nothing by this range, and no more.
notes_order()
{
	[ "$(cat "$err")" = "$note" ]
}

# FORMAT FROM TO WHAT TIME ORDER: the ID of a range that is called so is of a time.
range_has_time()
{
	format=$1 from=$2 to=$3 name=$4 time=$5
	shift 5
	kuid range -f "$format" --from "$from" --to "$to" "$@" >"$out" 2>"$err" &&
		if [ "$format" = v1 ]; then notes_order; else [ ! -s "$err" ]; fi &&
		id=$(sed -n "s/^$name  *//p" "$out") && prints "$time" inspect --time -f "$format" "$@" "$id"
}

# FORMAT TIME: the lowest ID of a second is the end of the second before, and above its highest.
ranges_meet()
{
	range_has_time "$1" 2026-11-23T08:15:00Z 2026-11-23T08:15:01Z lowest "$2" &&
		kuid range -f "$1" --from @1795421699 --to @1795421700 >"$out" &&
		grep -qx "end  *$id" "$out" &&
		[ "$(kuid compare "$(sed -n 's/^highest  *//p' "$out")" "$id")" = before ]
}

has_no_end()
{
	kuid range -f "$1" --from @0 --to @1 >"$out" && grep -q '^highest ' "$out" &&
		! grep '^end' "$out"
}

it "ranges of v1 meet" ranges_meet v1 2026-11-23T08:15:00.0000000Z
it "ranges of v6 meet" ranges_meet v6 2026-11-23T08:15:00.0000000Z
it "ranges of v7 meet" ranges_meet v7 2026-11-23T08:15:00.000Z
it "ranges of lex meet" ranges_meet lex 2026-11-23T08:15:00.000000Z
it "ranges of k64 meet" ranges_meet k64 2026-11-23T08:15:00.000000Z
for format in $interval_formats; do
	it "a range of $format has no end" has_no_end "$format"
	try range_has_time "$format" 2026-11-23 @1795421700 lowest 2026-11-23T00:00:00.000000Z
done
it "range: to is exclusive" range_has_time v6 @0 @1 highest 1970-01-01T00:00:00.9999999Z
it "range: to is exclusive within a second" range_has_time v7 @0 @1.5 highest 1970-01-01T00:00:01.499Z
it "range: from is rounded down" range_has_time v7 @0.0019 @1 lowest 1970-01-01T00:00:00.001Z
it "range: to is rounded down" range_has_time v7 @0 @0.0029 end 1970-01-01T00:00:00.002Z
it "range: to that is rounded down is exclusive" range_has_time v7 @0 @0.0029 highest 1970-01-01T00:00:00.001Z
try range_has_time v7 @0.000000019 @1 lowest 1970-01-01T00:00:00.000000019Z --from-kuid
it "range: seconds before 1970" range_has_time v1 @-0.25 @0 lowest 1969-12-31T23:59:59.7500000Z
it "range: whole seconds before 1970" range_has_time v1 @-2 @0 lowest 1969-12-31T23:59:58.0000000Z
it "range: a leap day" range_has_time v6 2024-02-29 2024-03-01 lowest 2024-02-29T00:00:00.0000000Z
it "range: the year 10000" range_has_time lex +10000-01-01 +10001-01-01 lowest +10000-01-01T00:00:00.000000Z
try range_has_time lex @0 +586524-01-19T08:01:49.551615Z end +586524-01-19T08:01:49.551615Z
range_k96='{"lowest": "................", "highest": ".....zzzzzk.x2zz", "lowest_hex":'
range_k96="$range_k96 \"000000000000000000000000\", \"highest_hex\": \"00000003fffffffc00f43fff\"}"
it "range minds the interval" prints "$range_k96" range -f k96 -I 10 --from @0 --to @1 --json
for time in 2026-11-23T08:15:00Z 2026-11-23t08:15:00z '2026-11-23 08:15:00Z' \
	2026-11-23T08:15:00+00:00 '2026-11-23 08:15:00+00' 2026-11-23T08:15:00-00:00 \
	2026-11-23T09:15:00+01:00 2026-11-22T20:30:00-11:45 '2026-11-24 07:15:00.0+23' \
	2026-11-23T08:16:00.000000000+00:01; do
	it "range: '$time' is a time" range_has_time v7 "$time" 2026-12-01 lowest 2026-11-23T08:15:00.000Z
done
try range_has_time v6 '2026-11-23 09:15:00.1234567+01' 2026-12-01 lowest 2026-11-23T08:15:00.1234567Z
try range_has_time v7 2024-03-01T00:30:00+01:00 2026-12-01 lowest 2024-02-29T23:30:00.000Z
for time in 2016-12-31T23:59:60Z 2017-01-01T05:29:60+05:30; do
	try range_has_time v7 "$time" 2026-12-01 lowest 2017-01-01T00:00:00.000Z
done
try range_has_time v7 "$(TZ=XYZ-5:45 date -Is -d @1795421700)" 2026-12-01 lowest 2026-11-23T08:15:00.000Z
for time in 2026-02-30 2023-02-29 2026-00-01 2026-13-01 2026-11-00 2026-11-23T24:00:00Z \
	2026-11-23T08:60:00Z 2026-11-23T08:15:60Z 2026-11-23T23:59:60Z 2016-12-31T23:58:60Z \
	2016-12-31T23:59:61Z 2017-01-01T00:00:60Z 2016-12-31T23:59:60+01:00 2026-02-29T00:00:00+01:00; do
	try fails 2 "\"$time\" does not exist: no calendar has that date" range -f v7 --from "$time" --to 2026-12-01
done
for time in '' 2026 2026-11 2026-1-1 ' 2026-11-23' 2026-11-23Z 2026-11-23T08:15Z \
	2026-11-23T08:15:00 2026-11-23T08:15:00.Z 2026-11-23T08:15:00.1234567890Z \
	2026-11-23T08:15:00+1 2026-11-23T08:15:00+24:00 2026-11-23T08:15:00+01:60 \
	2026-11-23T08:15:00+01:0 2026-11-23T08:15:00+0100 2026-11-23T08:15:00+01:00Z \
	2026-11-23T08:15:00Z+01:00 '2026-11-23  08:15:00Z' '2026-11-23T08:15:00 Z' 2026-11-23+01:00 \
	2026-11-23_08:15:00Z 2026-11-23T08:15:00+-1:00 2026-02-30x \
	+2026-11-23 +02026-11-23 -2026-11-23 +2147485548-01-01 99999-01-01 @ @- @+1 '@ 1' @1. @.5 \
	@1.1234567890 @1x @--1 @9223372036854775808 1795421700; do
	try fails 2 "\"$time\" is not a time: a date as 2026-11-23" range -f v7 --from "$time" --to 2026-12-01
done
try fails 2 '--from: v7 does not reach that time' range -f v7 --from @-1 --to @1
try fails 2 '--to: v1 does not reach that time' range -f v1 --from @0 --to 5236-04-01
try fails 2 '--to: lex does not reach that time' range -f lex --from @0 --to @9223372036854775807.999999999
try fails 2 '--from: lex does not reach that time' range -f lex --from @-9223372036854775807.999999999 --to @1
try fails 2 '--to is not after --from' range -f v7 --from @1 --to @0.999999999
it "range: --to at --from is refused" fails 2 '--to is not after --from' range -f v7 --from @1.5 --to @1.500
it "range: times that are one to v7 are refused" fails 2 \
	'v7 does not tell these times apart: its times are 1000000 ns from one to the next' \
	range -f v7 --from @1.0001 --to @1.0002
it "range needs a format" fails 2 '--format, --from and --to are needed' range --from @1 --to @2
it "range needs --from" fails 2 '--format, --from and --to are needed' range -f v7 --to @2
it "range needs --to" fails 2 '--format, --from and --to are needed' range -f v7 --from @2
it "range of any UUID is refused" fails 2 '"uuid" is not a format to make' range -f uuid --from @1 --to @2
it "range: a full disk is told" to_full_disk range -f v7 --from @1 --to @2

it "gen: an unknown format is refused" fails 2 '"v5" is not a format' gen -f v5
it "gen: any UUID is refused" fails 2 '"uuid" is not a format to make' gen -f uuid
it "gen: --cf of k64 is refused" fails 2 "--cf is for $stamp_formats, not k64" gen -f k64 --cf
it "gen: --guid of lex is refused" fails 2 "--guid is for $stamp_formats, not lex" gen --guid -f lex
it "gen: --json of bytes is refused" fails 2 '--json is for text, not for --binary' gen --json --binary
it "gen: two forms are refused" fails 2 'only one of --hex and --cf' gen --hex --cf

it "inspect: a full disk is told" to_full_disk inspect $v1
it "inspect --json: a full disk is told" to_full_disk inspect --json $v1
it "convert: a full disk is told" to_full_disk convert --to v6 $v1
it "compare: a full disk is told" to_full_disk compare $v1 $v1
it "inspect: a reader that has gone is no error to tell" to_closed_pipe inspect $v1
it "convert: a reader that has gone is no error to tell" to_closed_pipe convert --to v6 $v1
it "compare: a reader that has gone is no error to tell" to_closed_pipe compare $v1 $v1
# The help, by other ways than COMMAND --help.
is_help_of()
{
	verb=$1
	shift
	# shellcheck disable=SC2086 # no word without a verb
	kuid $verb --help >"$work/want" && prints "$(cat "$work/want")" "$@"
}

# argp breaks lines that are nearly too long in the wrong places.
is_laid_out()
{
	kuid "$@" >"$out" && ! grep -E '.{80}|^ {8,}-' "$out"
}

examples_of()
{
	kuid "$1" --help | sed '1,/^Examples:$/d; s/^  //'
}

# Each example of a verb's help does something: their file "ids" is one of two IDs.
examples_work()
{
	cp "$work/examples" "$work/ids" && examples_of "$1" >"$work/lines" && [ -s "$work/lines" ] &&
		while read -r line; do
			(cd "$work" && sh -c "set -e; $line" >"$out" 2>"$err") && [ -s "$out" ] &&
				[ ! -s "$err" ] || return
		done <"$work/lines"
}

has_examples()
{
	[ "$(examples_of "$1" | grep -c "^kuid $1")" -ge 2 ]
}

printf '%s\n' $v7 01a19467-e800-7000-8000-000000000000 >"$work/examples"
for verb in inspect convert compare range; do
	it "examples of $verb work" examples_work $verb
done
for verb in gen status keep restore; do
	it "$verb --help has examples" has_examples $verb
done

it "--help is laid out" is_laid_out --help
# All verbs that --help lists, in its order, and nothing else.
usage_lists_verbs()
{
	kuid --usage >"$out" && sed '1d; s/^Verbs://' "$out" | grep -o '[a-z]*' >"$work/listed" &&
		kuid --help | sed -n '/^Verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p' >"$work/want" &&
		cmp "$work/listed" "$work/want"
}

it "--usage is laid out" is_laid_out --usage
it "--usage lists the verbs" usage_lists_verbs
it "--usage to a full disk is told" to_full_disk --usage
it "-h is --help" is_help_of '' -h
it "help is --help" is_help_of '' help
it "--help to a full disk is told" to_full_disk --help
it "help to a full disk is told" to_full_disk help
it "--version to a full disk is told" to_full_disk --version
for verb in $(kuid --help | sed -n '/^Verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
	it "$verb -h is $verb --help" is_help_of "$verb" "$verb" -h
	it "$verb -? is $verb --help" is_help_of "$verb" "$verb" '-?'
	it "help $verb is $verb --help" is_help_of "$verb" help "$verb"
	it "help begins with how $verb is called" begins_with "Usage: kuid $verb" "$verb" --help
	it "$verb --help is laid out" is_laid_out "$verb" --help
	it "$verb --help to a full disk is told" to_full_disk "$verb" --help
	it "$verb --usage to a full disk is told" to_full_disk "$verb" --usage
done
it "help of no verb is told" fails 2 'no verb "gne"; "kuid --help" lists them' help gne
it "help of two verbs is refused" fails 2 'unexpected argument "gen"' help gen gen
it "--version is the tool's" prints "kuid $KUID_VERSION" --version
it "--version of a verb is the tool's" prints "kuid $KUID_VERSION" compare --version
it "no verb of that name is told" fails 2 'no verb "gne"; "kuid --help" lists them' gne
hostile=$(printf 'a\033]0;b\007\n%s' $forty)
shown='"a\x1b]0;b\x07\x0a01234567890123456789012..."'
it "an unknown verb is quoted short" quotes 2 "no verb $shown; " "$hostile"
it "an unknown format is quoted short" quotes 2 "$shown is not a format: v1" inspect -f "$hostile" $v1
it "an unknown format to make is quoted short" quotes 2 "$shown is not a format: v1" gen -f "$hostile"
it "an unknown target is quoted short" quotes 2 "nothing is converted to $shown:" convert --to "$hostile" $v1
it "an unknown order is quoted short" quotes 2 "$shown is not an order" gen -o "$hostile"
it "a wrong count is quoted short" quotes 2 "$shown is not a count" gen -n "$hostile"
it "a wrong bound is quoted short" quotes 2 "$shown is not a bound" compare --bound "$hostile"
it "a wrong node is quoted short" quotes 2 "$shown is not a node" convert --to k96 --node "$hostile" $k64
it "an argument too many is quoted short" quotes 2 "unexpected argument $shown" gen "$hostile"
it "an ID too many is quoted short" quotes 2 "unexpected argument $shown" compare $v1 $v1 "$hostile"
try quotes 2 "$shown names no file" keep "$(printf 'a\033]0;b\007\n%s/' $forty)"
it "a file too many is quoted short" quotes 2 "unexpected argument $shown" keep a "$hostile"
it "a file for CDI is quoted short" quotes 2 "$shown does not end in .json" cdi --output "$hostile"
it "help lists formats by their clock" explains clock \
	"stamp is for $stamp_formats, slot for $slot_formats, lex for $lex_formats, grid for $grid_formats, snowflake for $snowflake_formats."
it "help lists formats by their node" explains node "Node of $node_formats: 48 bits"
it "help lists formats by their worker" explains node "Worker of $worker_formats: 64 bits"
it "help lists formats by their interval" explains range "Interval I of the hosts that make $interval_formats"
it "help names the default format" explains gen 'snowflake v7 by default'
try explains gen "Text sorts by time if it is that of $text_by_time_formats, compared byte by byte"
for verb in inspect convert compare; do
	it "$verb --help tells when IDs are wrong" explains $verb '5 some IDs wrong (--keep-going).'
	try explains $verb "Interval I of the host that made $interval_formats"
done
try compares 0 after "$(kuid convert --to k128 --node 2 $k64)" "$(kuid convert --to k128 --node 1 $later_k64)"
it "compare: --bound 0 is the order of times" compares 0 before --bound 0 \
	"$(kuid convert --to k128 --node 2 $k64)" "$(kuid convert --to k128 --node 1 $later_k64)"
try explains convert "--to=$(echo "$target_formats" | tr ' ' '|')|text|hex|cf|guid|decimal|ulid|braces|urn"
# FORMAT ORDER SIZE: the help has a line of the format, which ends in its use.
lists_format()
{
	kuid --help | grep -qE "^  $1 +$3 bytes, text [0-9]+ +$2 +[a-zA-Z0-9]"
}

for format in $text_by_time_formats; do
	it "--help lists $format" lists_format "$format" yes '(8|16)'
done
it "--help lists snowflake" lists_format snowflake bytes 8
for format in $interval_formats; do
	it "--help lists $format" lists_format "$format" nearly '(12|16)'
done
it "--help lists v1" lists_format v1 no 16
try tells '  v7        16 bytes, text 36  yes     UUIDs as keys of databases' --help
it "--help lists the verbs" tells '  convert    the same IDs in another format or form' --help
finish
