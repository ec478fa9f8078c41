%% SPDX-License-Identifier: MIT
%% What needs no device: the formats, a plain version 7, and the interface of uid over a file
%% of k64 that stands for the device.
-module(kuid_tests).
-export([log/2]).
-include_lib("eunit/include/eunit.hrl").

-define(V7, <<"017f22e2-79b0-7cc3-98c4-dc0c0c07398f">>).

%% The rows of a table of published IDs, by the names in the first one.
rows(Name) ->
    {ok, Text} = file:read_file(filename:join(os:getenv("VECTORS"), Name)),
    Lines = [binary:split(Line, <<"\t">>, [global]) || Line <- binary:split(Text, <<"\n">>, [global, trim]), binary:first(Line) =/= $#],
    [maps:from_list(lists:zip(hd(Lines), Row)) || Row <- tl(Lines)].

int(Name, Row) -> binary_to_integer(maps:get(Name, Row)).

id(Format, Hex) ->
    Bytes = binary:decode_hex(Hex),
    case lists:member(Format, [k64, snowflake]) of
        true -> binary:decode_unsigned(Bytes);
        false -> Bytes
    end.

%% An ID has its text and its time, and lies within the bounds of that time.
published(Format, Id, Text, Time, Setting) ->
    ?assertEqual(Text, kuid:text(Format, Id)),
    ?assertEqual({ok, Id}, kuid:parse(Format, Text)),
    [?assertMatch({error, _}, kuid:parse(Format, Wrong)) || Wrong <- [<<>>, <<"0", Text/binary>>, <<Text/binary, "-">>, <<Text/binary, " ">>]],
    ?assertEqual(Time, kuid:time(Format, Id, Setting)),
    {Low, High} = {kuid:lowest(Format, Time, Setting), kuid:highest(Format, Time, Setting)},
    ?assert(Format =:= v1 orelse Low =< Id andalso Id =< High),
    [?assertEqual(Time div 1000000, kuid:time(Format, Bound, Setting) div 1000000) || Bound <- [Low, High]].

published_test() ->
    lists:foreach(fun(#{<<"version">> := Version, <<"text">> := Text} = Row) ->
        Format = maps:get(Version, #{<<"1">> => v1, <<"6">> => v6, <<"7">> => v7}),
        {ok, Id} = kuid:parse(Format, Text),
        Time = case Format of v7 -> kuid:time(v7, Id); _ -> int(<<"unix_ns">>, Row) div 100 * 100 end,
        ?assertEqual(int(<<"unix_ns">>, Row) div 1000000, Time div 1000000),
        published(Format, Id, Text, Time, 8),
        ?assertEqual({ok, Id}, kuid:parse(Format, string:uppercase(Text)))
    end, rows("uuid.tsv")),
    [published(Format, id(Format, Hex), Text, ((Mega * 1000000 + Sec) * 1000000 + Us div 1024 * 1024) * 1000, Setting)
     || #{<<"kind">> := Kind, <<"hex">> := Hex, <<"text">> := Text, <<"interval">> := Interval} = Row <- rows("kordered.tsv"),
        Format <- [maps:get(Kind, #{<<"l">> => k64, <<"g">> => k96, <<"h">> => k128})],
        Setting <- [case Interval of <<"-">> -> 8; _ -> binary_to_integer(Interval) end],
        {Mega, Sec, Us} <- [{int(<<"mega">>, Row), int(<<"sec">>, Row), int(<<"usec">>, Row)}],
        Sec < 1000000, Us < 1000000],
    [published(snowflake, id(snowflake, Hex), Text, int(<<"unix_ms">>, Row) * 1000000, int(<<"epoch_ms">>, Row))
     || #{<<"hex">> := Hex, <<"decimal">> := Text} = Row <- rows("snowflake.tsv")],
    [published(lex, id(lex, Hex), Text, binary_to_integer(Us, 16) * 1000, 8)
     || #{<<"bytes">> := Hex, <<"text">> := Text, <<"timestamp">> := Us} <- rows("lexical.tsv")].

wrong_text_says_where_test() ->
    [?assertEqual({error, Where}, kuid:parse(Format, Text)) || {Format, Text, Where} <- [
        {v7, <<>>, 0}, {v7, binary_part(?V7, 0, 20), 20}, {v7, <<?V7/binary, "0">>, 36}, {v6, ?V7, 14},
        {v7, <<"017f22e2-79b0-7cc3-18c4-dc0c0c07398f">>, 19}, {v7, <<"017f22e2_">>, 8},
        {lex, <<"00060A24-1820-2078-db3f053403ad937a">>, 5}, {k64, <<"zzzzzzzzzz0">>, 10}, {k64, <<"zzz-">>, 3},
        {snowflake, <<>>, 0}, {snowflake, <<"01">>, 1}, {snowflake, <<"1x">>, 1},
        {snowflake, <<"9999999999999999999">>, 18}, {snowflake, <<"99999999999999999999">>, 19}]].

bad_calls_test() ->
    [?assertError(badarg, Call()) || Call <- [
        fun() -> kuid:batch(v4, 1) end, fun() -> kuid:batch(v7, -1) end, fun() -> kuid:text(v7, <<0:128>>) end,
        fun() -> kuid:text(k64, 1 bsl 64) end, fun() -> kuid:text(snowflake, 1 bsl 63) end,
        fun() -> kuid:lowest(v7, -1) end, fun() -> kuid:highest(v7, 1 bsl 70) end, fun() -> kuid:lowest(v1, -(1 bsl 64)) end,
        fun() -> kuid:lowest(k96, 0, 4) end, fun() -> kuid:time(k128, <<0:128>>, 11) end]].

with_devices(Directory, Test) ->
    application:set_env(kuid, devices, Directory),
    persistent_term:erase({kuid_file, source}),
    persistent_term:erase({kuid_file, warned}),
    [stop(Name) || Name <- registered(), lists:prefix("kuid_", atom_to_list(Name))],
    Test().

stop(Name) ->
    Monitor = monitor(process, Name),
    exit(whereis(Name), kill),
    receive {'DOWN', Monitor, process, _, _} -> ok end.

plain_test() ->
    logger:add_handler(?MODULE, ?MODULE, #{pid => self()}),
    with_devices("/nowhere/", fun() ->
        ?assertMatch({error, {kuid, "/nowhere/host/v7", enoent, "Load the module" ++ _}}, catch_error(fun kuid_host:v7/0)),
        ?assertMatch({error, {kuid, "/nowhere/k64", enoent, _}}, catch_error(fun uid:l/0)),
        ?assertEqual(auto, kuid:source()),
        Singles = [kuid:v7() || _ <- lists:seq(1, 1000)],
        Ids = Singles ++ kuid:batch(v7, 5000),
        ?assertEqual(lists:usort(Ids), Ids),
        ?assert(abs(kuid:time(v7, hd(Ids)) - erlang:system_time(nanosecond)) < 10000000000),
        ?assertEqual(plain, kuid:source()),
        ?assertMatch(#{source := plain, order := file, clones := never}, kuid:guarantees(v7))
    end),
    ?assertEqual(1, warnings(0)),
    with_devices("/nowhere/", fun() -> kuid:guarantees(v7), kuid:v7() end),
    ?assertEqual(0, warnings(0)),
    logger:remove_handler(?MODULE).

catch_error(Call) ->
    try Call() catch Class:Reason -> {Class, Reason} end.

%% A handler of the logger.
log(#{level := warning}, #{pid := Pid}) -> Pid ! warning;
log(_, _) -> ok.

warnings(N) ->
    receive warning -> warnings(N + 1) after 0 -> N end.

%% After the clock was set back, and within a nanosecond, times go on. A clock that no version
%% 7 can tell makes none.
plain_increases_test() ->
    Last = erlang:system_time(nanosecond) + 1000000000,
    {ok, [First, Second], Last2} = kuid_file:plain(Last - 1000000000, Last, 2),
    ?assertEqual([Last + 1, Last + 2], [kuid:time(v7, First), kuid:time(v7, Second)]),
    ?assertEqual(Last + 2, Last2),
    End = 1000000 bsl 48,
    ?assertMatch({ok, [_], _}, kuid_file:plain(End - 1, 0, 1)),
    [?assertEqual({error, clock}, kuid_file:plain(Now, Before, N)) || {Now, Before, N} <-
        [{-1, 0, 1}, {End, 0, 1}, {End - 1, 0, 2}, {0, End - 1, 1}]].

%% A pipe that is empty in place of the device: waits end, and take no ID that comes later.
timeout_test() ->
    Directory = string:trim(os:cmd("mktemp -d")) ++ "/",
    os:cmd("mkfifo " ++ Directory ++ "v7"),
    Writer = open_port({spawn, "sh -c 'cat >&3' 3>" ++ Directory ++ "v7"}, [binary]),
    with_devices(Directory, fun() ->
        {Killed, Monitor} = spawn_monitor(fun kuid:v7/0),
        [?assertEqual({error, eagain}, kuid:batch(v7, 2, 20)) || _ <- [1, 2]],
        exit(Killed, kill),
        receive {'DOWN', Monitor, process, Killed, Reason} -> ?assertEqual(killed, Reason) end,
        port_command(Writer, <<1:128, 2:128>>),
        ?assertEqual({ok, [<<2:128>>]}, kuid:batch(v7, 1, 60000)),
        port_command(Writer, <<0:(128 * 1024)>>),
        {ok, Ready} = kuid:batch(v7, 1025, 1000),
        ?assertEqual(1024, length(Ready)),
        [?assertError(badarg, kuid:batch(v7, 1, Timeout)) || Timeout <- [0, -1, 1.5, now]]
    end),
    port_close(Writer),
    os:cmd("rm -r " ++ Directory).

%% A file of k64 in place of the device.
uid_test() ->
    Directory = string:trim(os:cmd("mktemp -d")) ++ "/",
    {A, B, C} = {1539, 625275, 422},
    ok = file:write_file(Directory ++ "k64", <<<<A:20, B:20, C:10, Seq:14>> || Seq <- lists:seq(1, 100)>>),
    with_devices(Directory, fun uid/0),
    os:cmd("rm -r " ++ Directory).

uid() ->
    Local = {uid, {1539, 625275, 432128}, 1},
    ?assertEqual(Local, uid:l()),
    Global = uid:g(),
    ?assertEqual({uid, node(), {1539, 625275, 432128}, 2}, Global),
    %% As fogfish/uid writes them.
    ?assertEqual(<<".5.tXbhdV.3">>, uid:encode64(Local)),
    ?assertEqual(<<0, 96, 57, 138, 3, 235, 39, 49, 123, 105, 128, 1>>, uid:encode(uid:g(setelement(2, uid:g(Local), 'uid@127.0.0.1')))),
    ?assertEqual(1539625275432, uid:t(Local)),
    ?assertEqual(uid:t(Local), uid:t(Global)),
    [?assertEqual(Uid, uid:decode(Interval, uid:encode(Interval, Uid))) || Uid <- [Local, Global], Interval <- lists:seq(5, 10)],
    [?assertEqual(Uid, uid:decode64(Interval, uid:encode64(Interval, Uid))) || Uid <- [Local, Global, uid:z()], Interval <- lists:seq(5, 10)],
    Other = uid:decode(uid:encode({uid, 'a@b', {1, 2, 3072}, 4})),
    ?assertMatch({uid, <<_:32>>, {1, 2, 3072}, 4}, Other),
    ?assertExit(badarg, uid:l(Other)),
    ?assertEqual({uid, {1, 2, 3072}, 4}, uid:gtol(Other)),
    ?assertEqual(Local, uid:l(uid:g(Local))),
    ?assertEqual(Local, uid:l(uid:decode(uid:encode(uid:g(Local))))),
    ?assertEqual({uid, {0, 0, 1024}, -2}, uid:d({uid, {1, 0, 0}, 1}, {uid, {0, 999999, 998976}, 3})),
    ?assertEqual({uid, n, {0, -1, -1024}, 0}, uid:d({uid, n, {1, 1, 0}, 0}, {uid, n, {1, 2, 1024}, 0})),
    [?assertError(badarg, Call()) || Call <- [
        fun() -> uid:encode(11, Global) end, fun() -> uid:encode(4, Global) end, fun() -> uid:decode(4, <<0:96>>) end,
        fun() -> uid:decode(<<0:72>>) end, fun() -> uid:decode64(<<"!">>) end, fun() -> uid:decode64(<<>>) end,
        fun() -> uid:encode({uid, {1 bsl 20, 0, 0}, 0}) end, fun() -> uid:encode({uid, {0, 0, 0}, 1 bsl 14}) end,
        fun() -> uid:d(Local, Global) end]],
    vclock().

vclock() ->
    A = uid:vclock(),
    B = uid:vclock(A),
    [C, D] = [[setelement(2, uid:g(), Node) | B] || Node <- ['a@b', 'c@d']],
    E = uid:join(C, D),
    ?assertEqual(3, length(E)),
    ?assertEqual([false, true, true, true, false, false, true, true], [uid:descend(X, Y) || {X, Y} <-
        [{A, B}, {B, A}, {C, B}, {D, B}, {C, D}, {D, C}, {E, C}, {E, D}]]),
    ?assert(uid:descend('c@d', C, D)),
    ?assertEqual([], uid:diff(B, A)),
    ?assertMatch([{uid, _, {0, 0, 0}, 1}], uid:diff(A, B)),
    ?assertEqual([hd(C)], uid:diff(B, C)).
