#!/usr/bin/env escript
%% SPDX-License-Identifier: MIT
%% Reads a batch of IDs from kuid, and one more as text, and prints them:
%%
%%     many.erl [--fallback] [DEVICE]
%%
%% If there is no device, it fails, or with --fallback makes the IDs itself.
%%
%% The device is opened "raw" and without read_ahead. Otherwise Erlang reads more IDs
%% than it returns, and a process reads them for all others.

-define(COUNT, 5).
-define(SIZE, 16).
-define(LINE_SIZE, 37).

main(Arguments) ->
    Fallback = lists:member("--fallback", Arguments),
    Path = case Arguments -- ["--fallback"] of
        [Given] -> Given;
        [] -> "/dev/kuids/v7"
    end,
    case read(Path, ?COUNT * ?SIZE) of
        {error, enoent} when Fallback ->
            [print(without_kuid()) || _ <- lists:seq(1, ?COUNT)];
        {error, enoent} ->
            fail("no ~ts: load the module kuid, or use --fallback", [Path]);
        Result ->
            Batch = whole(Path, ?COUNT * ?SIZE, Result),
            Line = whole(Path, ?LINE_SIZE, read(Path ++ ".txt", ?LINE_SIZE)),
            print(Batch),
            io:put_chars(Line)
    end.

read(Path, Size) ->
    case file:open(Path, [read, raw, binary]) of
        {ok, File} ->
            Read = file:read(File, Size),
            file:close(File),
            Read;
        Error ->
            Error
    end.

%% A signal may end a read early.
whole(_, Size, {ok, Data}) when byte_size(Data) =:= Size ->
    Data;
whole(Path, _, {error, Reason}) ->
    fail("~ts: ~ts", [Path, file:format_error(Reason)]);
whole(Path, Size, _) ->
    fail("~ts gave less than ~b bytes", [Path, Size]).

print(Ids) ->
    [io:format("~8.16.0b-~4.16.0b-~4.16.0b-~4.16.0b-~12.16.0b~n", [A, B, C, D, E]) ||
        <<A:32, B:16, C:16, D:16, E:48>> <= Ids].

%% A UUID version 7: a random one that begins with the time in milliseconds.
without_kuid() ->
    {ok, <<A:12, B:62, _:6>>} = read("/dev/urandom", 10),
    <<(os:system_time(millisecond)):48, 7:4, A:12, 2:2, B:62>>.

-spec fail(string(), list()) -> no_return().
fail(Format, Arguments) ->
    io:format(standard_error, "many.erl: " ++ Format ++ "~n", Arguments),
    halt(1).
