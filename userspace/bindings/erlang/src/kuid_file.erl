%% SPDX-License-Identifier: MIT
%% @private A process for each device file, which reads it for all others: only the process
%% that has opened a file may read it, and one open file gives one order to the VM. It is
%% started by the first call.
-module(kuid_file).
-behaviour(gen_server).

-export([one/2, many/4, guarantees/2, source/0]).
-export([init/1, handle_call/3, handle_cast/2, plain/3]).

-include_lib("kernel/include/file.hrl").

%% IDs of a read, so that those who want one don't wait for a long batch.
-define(CHUNK, 1024).
-define(STATUS, "/sys/class/kuid/kuid/status/").

one(Order, Format) ->
    {ok, [Id]} = many(Order, Format, 1, infinity),
    Id.

many(Order, Format, N, Timeout) when
    is_integer(N), N >= 0, Timeout =:= infinity orelse is_integer(Timeout), Timeout > 0
->
    Size = kuid:id_size(Format),
    Deadline = Timeout =:= infinity orelse erlang:monotonic_time(millisecond) + Timeout,
    case chunks(Order, Format, Size, N, Deadline) of
        [] when N > 0 -> {error, eagain};
        Chunks -> {ok, split(Format, Size, iolist_to_binary(Chunks))}
    end;
many(_, _, _, _) ->
    error(badarg).

chunks(_, _, _, 0, _) ->
    [];
chunks(Order, Format, Size, N, Deadline) ->
    Count = min(N, ?CHUNK),
    case ask(open(Order, Format), Count * Size, Deadline) of
        {ok, Ids} -> [Ids | chunks(Order, Format, Size, N - Count, Deadline)];
        timeout -> [];
        {error, Reason} -> fail(Order, Format, Reason)
    end.

%% The process of the file drops a request whose deadline has passed.
ask(File, Size, true) ->
    gen_server:call(File, {Size, true}, infinity);
ask(File, Size, Deadline) ->
    Rest = max(0, Deadline - erlang:monotonic_time(millisecond)),
    try
        gen_server:call(File, {Size, Deadline}, Rest)
    catch
        exit:{timeout, _} -> timeout
    end.

split(Format, Size, Bytes) when Format =:= k64; Format =:= snowflake ->
    [Id || <<Id:Size/unit:8>> <= Bytes];
split(_, Size, Bytes) ->
    [Id || <<Id:Size/binary>> <= Bytes].

open(Order, Format) ->
    Name = list_to_atom(lists:concat([kuid_, Order, "_", Format])),
    case whereis(Name) of
        undefined ->
            MayBePlain = Order =:= file andalso Format =:= v7 andalso source() =/= device,
            case gen_server:start({local, Name}, ?MODULE, {path(Order, Format), MayBePlain}, []) of
                {ok, File} -> File;
                {error, {already_started, File}} -> File;
                {error, {shutdown, Reason}} -> fail(Order, Format, Reason)
            end;
        File ->
            File
    end.

path(Order, Format) ->
    Host = #{file => "", host => "host/"},
    lists:concat([application:get_env(kuid, devices, "/dev/kuids/"), maps:get(Order, Host), Format]).

%% The first ID decides, for good, unless the application was told.
source() ->
    case application:get_env(kuid, from, auto) of
        auto -> persistent_term:get({?MODULE, source}, auto);
        From -> From
    end.

decide(Source) ->
    source() =/= auto orelse persistent_term:put({?MODULE, source}, Source).

warn_once(Warn) ->
    Warned = persistent_term:get({?MODULE, warned}, false),
    persistent_term:put({?MODULE, warned}, true),
    Warned orelse Warn().

guarantees(Order, Format) ->
    open(Order, Format),
    case source() of
        plain when Order =:= file, Format =:= v7 ->
            warn_once(fun() -> ok end),
            #{source => plain, order => file, unique => true, ordered => true,
              reboot_safe => true, clones => never};
        _ ->
            Clones = [{"clones_seen", seen}, {"clones_told", told}],
            #{source => device, order => Order, unique => says("unique", Format),
              ordered => says("ordered", Format), reboot_safe => says("reboot_safe", Format),
              clones => hd([How || {Name, How} <- Clones, says(Name, 1)] ++ [never])}
    end.

%% Whether a value of the status has a word.
says(Name, Word) ->
    {ok, Words} = file:read_file(?STATUS ++ Name),
    lists:member(lists:concat([Word]), string:lexemes(binary_to_list(Words), " \n")).

%% Advice as that of kuid_error_advice() in libkuid.
-spec fail(file | host, kuid:format(), term()) -> no_return().
fail(Order, Format, Reason) ->
    Load = "Load the module on the host (modprobe kuid). In a container, or a service with "
        "PrivateDevices=, make the device files visible.",
    Allow = "Let this user read the device file.",
    Advice = #{
        enoent => Load, enxio => Load, enodev => Load, eacces => Allow, eperm => Allow,
        plain => "A process makes v7 only, in no order over the host.",
        clock => "Set the clock: a version 7 has a time from 1970 to 10889.",
        estale => "This machine may be a clone. An administrator must confirm or change its node or "
            "worker. A claimed number must be claimed again.",
        enodata => "The module was loaded with state=required. An administrator must restore the saved "
            "state and keep it saved.",
        ekeyexpired => "The claim of this host's number has ended. Look if the daemon that claims it "
            "runs and reaches its store."
    },
    %% Erlang has no name for ENOKEY.
    Other = case Format of
        snowflake -> "An administrator must give this host a number that no other host has, or claim one.";
        _ -> "See kuid(4)."
    end,
    error({kuid, path(Order, Format), Reason, maps:get(Reason, Advice, Other)}).

init({Path, MayBePlain}) ->
    case source() =/= plain andalso file:open(Path, [read, raw, binary]) of
        false when MayBePlain ->
            {ok, {plain, Path, plain, 0}};
        false ->
            {stop, {shutdown, plain}};
        {ok, File} ->
            case is_kuid(Path) of
                true -> decide(device), {ok, {device, File}};
                false -> {stop, {shutdown, not_kuid}}
            end;
        {error, Reason} ->
            case MayBePlain andalso lists:member(Reason, [enoent, enxio, enodev, eacces, eperm]) of
                true -> decide(plain), {ok, {plain, Path, Reason, 0}};
                false -> {stop, {shutdown, Reason}}
            end
    end.

%% A device of the class kuid, as far as sysfs can tell; a sandbox may have none.
is_kuid("/dev/" ++ _ = Path) ->
    case file:read_file_info(Path, [raw]) of
        {ok, #file_info{type = device, minor_device = Number}} ->
            Major = ((Number bsr 8) band 16#fff) bor ((Number bsr 32) band bnot 16#fff),
            Minor = (Number band 16#ff) bor ((Number bsr 12) band 16#ffffff00),
            Driver = lists:concat(["/sys/dev/char/", Major, ":", Minor, "/subsystem"]),
            case file:read_link(Driver) of
                {ok, Class} -> filename:basename(Class) =:= "kuid";
                {error, _} -> not filelib:is_dir("/sys/dev/char")
            end;
        _ ->
            false
    end;
is_kuid(_) ->
    true.

%% No deadline is true, which is above all numbers.
handle_call({Size, Deadline}, _, State) ->
    case erlang:monotonic_time(millisecond) < Deadline of
        true -> make(Size, State);
        false -> {reply, timeout, State}
    end.

make(Size, {device, File} = State) ->
    {reply, read(File, Size, []), State};
make(Size, {plain, Path, Reason, Last} = State) ->
    Reason =:= plain orelse warn_once(fun() ->
        logger:warning("kuid: ~s: ~s: this VM makes UUIDs itself, in no order with others",
            [Path, file:format_error(Reason)])
    end),
    case plain(erlang:system_time(nanosecond), Last, Size div 16) of
        {ok, Ids, Next} -> {reply, {ok, Ids}, {plain, Path, Reason, Next}};
        Error -> {reply, Error, State}
    end.

%% @private N versions 7, and the nanosecond of the last one.
plain(Now, Last, N) ->
    First = max(Now, Last + 1),
    Next = First + N - 1,
    case Now >= 0 andalso Next < 1000000 bsl 48 of
        true -> {ok, [plain(Ns) || Ns <- lists:seq(First, Next)], Next};
        false -> {error, clock}
    end.

%% A version 7 of a nanosecond, and random bits below it.
plain(Ns) ->
    <<A:12, B:8>> = <<((Ns rem 1000000 bsl 20) div 1000000):20>>,
    <<Random:54, _:2>> = crypto:strong_rand_bytes(7),
    <<(Ns div 1000000):48, 7:4, A:12, 2:2, B:8, Random:54>>.

%% A device gives fewer bytes than it was asked for after a signal.
read(_, 0, Ids) ->
    {ok, lists:reverse(Ids)};
read(File, Size, Ids) ->
    case file:read(File, Size) of
        {ok, Bytes} -> read(File, Size - byte_size(Bytes), [Bytes | Ids]);
        eof -> {error, eof};
        {error, Reason} -> {error, Reason}
    end.

handle_cast(_, State) ->
    {noreply, State}.
