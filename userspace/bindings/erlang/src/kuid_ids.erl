%% SPDX-License-Identifier: MIT
%% @private Prints IDs, one a line, as canonical text:
%%   ids [-from SOURCE] [-host] [-turns] [-threads N] [FORMAT [COUNT]]
%% -turns prints one, or its error, for each line of the standard input. -threads begins
%% processes of this VM, which print COUNT each after one ID that is not printed. Each ID is
%% read by its text and its time. The source is printed to the standard error in the end.
-module(kuid_ids).

-export([main/0, bench/0]).

main() ->
    ok = logger:remove_handler(default),
    ok = logger:add_handler(default, logger_std_h, #{config => #{type => standard_error}}),
    {Options, Rest} = options(init:get_plain_arguments(), #{"-from" => "auto", "-threads" => "0"}),
    application:set_env(kuid, from, list_to_atom(maps:get("-from", Options))),
    [Format, Count] = Rest ++ lists:nthtail(length(Rest), ["v7", "1"]),
    Kuid = case Options of #{"-host" := _} -> kuid_host; _ -> kuid end,
    Next = fun() -> next(Kuid, list_to_atom(Format)) end,
    Print = fun() -> io:put_chars([[Next(), $\n] || _ <- lists:seq(1, list_to_integer(Count))]) end,
    try
        case {Options, list_to_integer(maps:get("-threads", Options))} of
            {#{"-turns" := _}, _} -> turns(Next);
            {_, 0} -> Print();
            {_, Threads} -> Next(), threads(Print, Threads)
        end,
        io:format(standard_error, "source: ~s~n", [kuid:source()])
    catch
        error:{kuid, _, _, _} = Error ->
            io:format(standard_error, "~s~n", [said(Error)]),
            halt(1)
    end,
    halt(0).

%% @private Prints nanoseconds of an ID of the device, and of the runtime's own reads.
bench() ->
    Read = fun(Path) ->
        {ok, File} = file:open(Path, [read, raw, binary]),
        fun() -> {ok, _} = file:read(File, 16) end
    end,
    [io:format("~s ~b ns~n", [Name, measure(Call)]) || {Name, Call} <- [
        {"device v7", fun kuid:v7/0}, {"device v6", fun kuid:v6/0},
        {"read /dev/urandom", Read("/dev/urandom")}, {"read /dev/zero", Read("/dev/zero")}]],
    halt(0).

measure(Call) ->
    Rounds = [element(1, timer:tc(fun() -> [Call() || _ <- lists:seq(1, 2000)] end)) div 2 || _ <- lists:seq(1, 31)],
    lists:nth(16, lists:sort(Rounds)).

options([Option | Rest], Options) when Option =:= "-host"; Option =:= "-turns" ->
    options(Rest, Options#{Option => true});
options([[$- | _] = Option, Value | Rest], Options) when is_map_key(Option, Options) ->
    options(Rest, Options#{Option := Value});
options(Rest, Options) ->
    {Options, Rest}.

said({kuid, Path, Reason, Advice}) ->
    io_lib:format("~s: ~s. ~s", [Path, file:format_error(Reason), Advice]).

next(Kuid, Format) ->
    [Id] = Kuid:batch(Format, 1),
    Text = kuid:text(Format, Id),
    {ok, Id} = kuid:parse(Format, Text),
    Age = abs(erlang:system_time(nanosecond) - kuid:time(Format, Id)),
    true = Age < 10000000000,
    Text.

turns(Next) ->
    io:get_line("") =:= eof orelse begin
        try
            io:put_chars([Next(), $\n])
        catch
            error:{kuid, _, _, _} = Error -> io:format("error: ~s~n", [said(Error)])
        end,
        turns(Next)
    end.

threads(Print, Threads) ->
    Started = [spawn_monitor(Print) || _ <- lists:seq(1, Threads)],
    [receive {'DOWN', Ref, process, Pid, Reason} -> normal = Reason end || {Pid, Ref} <- Started].
