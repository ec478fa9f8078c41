%% SPDX-License-Identifier: MIT
%% What needs no device: the formats, a plain version 7, and the interface of uid over a file
%% of k64 that stands for the device.
-module(kuid_tests).
-export([log/2]).
-include_lib("eunit/include/eunit.hrl").

%% On a busy machine a test takes longer than the 5 s that eunit gives it.
all_test_() ->
    [{timeout, 300, Test} || Test <- [
        fun published/0, fun bad_calls/0, fun plain/0, fun plain_increases/0, fun timeouts/0, fun uid/0]].

%% Each published ID has its text, its time, and the bounds of that time. Each wrong text is
%% refused.
published() ->
    {ok, Table} = file:read_file("../ids.tsv"),
    [row(binary:split(Line, <<"\t">>, [global])) || Line <- binary:split(Table, <<"\n">>, [global, trim]), binary:first(Line) =/= $#].

row([Format, _, Text, _]) ->
    ?assertEqual(error, kuid:parse(binary_to_atom(Format), Text));
row([Name, Setting, Text, Hex, Time, Low, High]) ->
    Format = binary_to_atom(Name),
    {ok, Id} = kuid:parse(Format, Text),
    ?assertEqual({Hex, Text}, {hex(Format, Id), kuid:text(Format, Id)}),
    Of = case Setting of <<"-">> -> []; <<"made_by_kuid">> -> [made_by_kuid]; _ -> [binary_to_integer(Setting)] end,
    Call = fun(Function, Value) -> apply(kuid, Function, [Format, Value | Of]) end,
    [begin
        Ns = binary_to_integer(Time),
        ?assertEqual(Ns, Call(time, Id)),
        ?assertEqual({Low, High}, {hex(Format, Call(lowest, Ns)), hex(Format, Call(highest, Ns))})
    end || Time =/= <<"-">>].

hex(Format, Id) when is_integer(Id) -> hex(Format, <<Id:64>>);
hex(_, Id) -> string:lowercase(binary:encode_hex(Id)).

bad_calls() ->
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

plain() ->
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
plain_increases() ->
    Last = erlang:system_time(nanosecond) + 1000000000,
    {ok, [First, Second], Last2} = kuid_file:plain(Last - 1000000000, Last, 2),
    ?assertEqual([Last + 1, Last + 2], [kuid:time(v7, Id, made_by_kuid) || Id <- [First, Second]]),
    ?assertEqual(Last + 2, Last2),
    End = 1000000 bsl 48,
    ?assertMatch({ok, [_], _}, kuid_file:plain(End - 1, 0, 1)),
    [?assertEqual({error, clock}, kuid_file:plain(Now, Before, N)) || {Now, Before, N} <-
        [{-1, 0, 1}, {End, 0, 1}, {End - 1, 0, 2}, {0, End - 1, 1}]].

%% A pipe that is empty in place of the device: waits end, and take no ID that comes later.
timeouts() ->
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
uid() ->
    Directory = string:trim(os:cmd("mktemp -d")) ++ "/",
    {A, B, C} = {1539, 625275, 422},
    ok = file:write_file(Directory ++ "k64", <<<<A:20, B:20, C:10, Seq:14>> || Seq <- lists:seq(1, 100)>>),
    with_devices(Directory, fun with_k64/0),
    os:cmd("rm -r " ++ Directory).

with_k64() ->
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
