%% SPDX-License-Identifier: MIT
%% @private Prints IDs, one a line, as canonical text:
%%   ids [-from SOURCE] [-host] [-turns] [-check] [-workers N] [-threads N] [FORMAT [COUNT]]
%% -turns prints one, or its error, for each line of the standard input. -check reads each by
%% its text. After one ID that is not printed, -workers begins programs, and -threads processes
%% of this VM, which print COUNT each. The source is printed to the standard error in the end.
-module(kuid_ids).

-export([main/0, bench/0]).

main() ->
    ok = logger:remove_handler(default),
    ok = logger:add_handler(default, logger_std_h, #{config => #{type => standard_error}}),
    Args = init:get_plain_arguments(),
    {Options, Rest} = options(Args, #{"-from" => "auto", "-workers" => "0", "-threads" => "0"}),
    application:set_env(kuid, from, list_to_atom(maps:get("-from", Options))),
    {Format, Count} =
        case Rest of
            [] -> {v7, 1};
            [Name] -> {list_to_atom(Name), 1};
            [Name, Number] -> {list_to_atom(Name), list_to_integer(Number)}
        end,
    Order = case Options of #{"-host" := _} -> host; _ -> file end,
    Next = fun() -> next(Order, Format, Options) end,
    Print = fun() -> io:put_chars([[Next(), $\n] || _ <- lists:seq(1, Count)]) end,
    Workers = list_to_integer(maps:get("-workers", Options)),
    Threads = list_to_integer(maps:get("-threads", Options)),
    try
        case Options of
            #{"-turns" := _} -> turns(Next);
            _ when Workers > 0 -> Next(), work(Args -- ["-workers", integer_to_list(Workers)], Workers);
            _ when Threads > 0 -> Next(), threads(Print, Threads);
            _ -> Print()
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

options([Option | Rest], Options) when Option =:= "-host"; Option =:= "-turns"; Option =:= "-check" ->
    options(Rest, Options#{Option => true});
options([[$- | _] = Option, Value | Rest], Options) when is_map_key(Option, Options) ->
    options(Rest, Options#{Option := Value});
options(Rest, Options) ->
    {Options, Rest}.

said({kuid, Path, Reason, Advice}) ->
    io_lib:format("~s: ~s. ~s", [Path, file:format_error(Reason), Advice]).

next(Order, Format, Options) ->
    [Id] = kuid_file:many(Order, Format, 1),
    Text = kuid:text(Format, Id),
    {ok, Id} = kuid:parse(Format, Text),
    Age = abs(erlang:system_time(nanosecond) - kuid:time(Format, Id)),
    true = not is_map_key("-check", Options) orelse Age < 10000000000,
    Text.

turns(Next) ->
    case io:get_line("") of
        eof ->
            ok;
        _ ->
            try
                io:put_chars([Next(), $\n])
            catch
                error:{kuid, _, _, _} = Error -> io:format("error: ~s~n", [said(Error)])
            end,
            turns(Next)
    end.

work(Args, Workers) ->
    Self = os:getenv("KUID_IDS"),
    Ports = [open_port({spawn_executable, Self}, [{args, Args}, binary, exit_status]) || _ <- lists:seq(1, Workers)],
    [copy(Port) || Port <- Ports].

copy(Port) ->
    receive
        {Port, {data, Lines}} -> io:put_chars(Lines), copy(Port);
        {Port, {exit_status, 0}} -> ok
    end.

threads(Print, Threads) ->
    Started = [spawn_monitor(Print) || _ <- lists:seq(1, Threads)],
    [receive {'DOWN', Ref, process, Pid, Reason} -> normal = Reason end || {Pid, Ref} <- Started].
