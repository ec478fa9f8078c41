%% SPDX-License-Identifier: MIT
%% @doc Makes time-ordered unique IDs of the whole host, by the kernel module kuid.
%%
%% IDs are in order over all processes of this Erlang VM, those of {@link kuid_host}
%% over all programs of the host that use that order. If there is no device, the VM
%% makes a plain version 7 itself, which is logged once. All else is an error:
%% `{kuid, Path, Reason, Advice}'. The application's environment `from' is auto, device
%% or plain.
%%
%% A call waits if IDs have run 100 ms in front of their clock, or up to 30 s for an
%% administrator if the module was loaded with state=required. {@link batch/3} waits no
%% longer than it is told.
-module(kuid).

-export([v1/0, v6/0, v7/0, lex/0, k64/0, k96/0, k128/0, snowflake/0]).
-export([batch/2, batch/3, guarantees/1]).
-export([text/2, parse/2, time/2, time/3, lowest/2, lowest/3, highest/2, highest/3]).
-export([source/0, id_size/1]).
-export_type([format/0, id/0, setting/0, guarantees/0]).

-type format() :: v1 | v6 | v7 | lex | k64 | k96 | k128 | snowflake.

%% The bytes of an ID; k64 and snowflake are numbers.
-type id() :: binary() | non_neg_integer().

%% What an ID doesn't say: I of k96 and k128, the milliseconds since 1970 that snowflakes count
%% from, and of a v7 that kuid made it, so that it has nanoseconds.
-type setting() :: non_neg_integer() | made_by_kuid.

%% What holds now. Order between programs is lost if the order or source of one differs.
-type guarantees() :: #{
    source := device | plain,
    order := file | host,
    unique := boolean(),
    ordered := boolean(),
    reboot_safe := boolean(),
    clones := seen | told | never
}.

-define(SORTABLE, ".0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz").
-define(IS_UUID(Format), (Format =:= v1 orelse Format =:= v6 orelse Format =:= v7)).
-define(IS_K(Format), (Format =:= k64 orelse Format =:= k96 orelse Format =:= k128)).
-define(UNIX_TICKS, 16#01B21DD213814000).
-define(MEGA, 1000000).

%% @doc A UUID version 1.
-spec v1() -> <<_:128>>.
v1() -> kuid_file:one(file, v1).

%% @doc A UUID version 6.
-spec v6() -> <<_:128>>.
v6() -> kuid_file:one(file, v6).

%% @doc A UUID version 7.
-spec v7() -> <<_:128>>.
v7() -> kuid_file:one(file, v7).

-spec lex() -> <<_:128>>.
lex() -> kuid_file:one(file, lex).

-spec k64() -> non_neg_integer().
k64() -> kuid_file:one(file, k64).

-spec k96() -> <<_:96>>.
k96() -> kuid_file:one(file, k96).

-spec k128() -> <<_:128>>.
k128() -> kuid_file:one(file, k128).

-spec snowflake() -> non_neg_integer().
snowflake() -> kuid_file:one(file, snowflake).

%% @doc A number of IDs, which increase.
-spec batch(format(), non_neg_integer()) -> [id()].
batch(Format, N) ->
    {ok, Ids} = kuid_file:many(file, Format, N, infinity),
    Ids.

%% @doc The IDs of a batch that are had within some milliseconds, at least one.
-spec batch(format(), pos_integer(), pos_integer()) -> {ok, [id()]} | {error, eagain}.
batch(Format, N, Timeout) -> kuid_file:many(file, Format, N, Timeout).

%% @doc What holds now for IDs of a format. It opens the device if no ID has decided yet
%% where they are made, and then there is no warning if there is none.
-spec guarantees(format()) -> guarantees().
guarantees(Format) -> kuid_file:guarantees(file, Format).

%% @doc Where IDs are made; auto until the first ID has decided.
-spec source() -> auto | device | plain.
source() -> kuid_file:source().

%% Bytes of an ID, nanoseconds of a unit of its time, and the ID's parts from the most
%% significant on: bits of the time above so many, bits that are always the same, or any.
layout(v1, _) -> {16, 100, [{32, time, 0}, {16, time, 32}, {4, is, 1}, {12, time, 48}, {2, is, 2}, {62, any, 0}]};
layout(v6, _) -> {16, 100, [{48, time, 12}, {4, is, 6}, {12, time, 0}, {2, is, 2}, {62, any, 0}]};
layout(v7, made_by_kuid) ->
    {16, ?MEGA, [{48, time, 20}, {4, is, 7}, {12, time, 8}, {2, is, 2}, {8, time, 0}, {54, any, 0}]};
layout(v7, _) -> {16, ?MEGA, [{48, time, 0}, {4, is, 7}, {12, any, 0}, {2, is, 2}, {62, any, 0}]};
layout(lex, _) -> {16, 1000, [{64, time, 0}, {64, any, 0}]};
layout(snowflake, Epoch) when is_integer(Epoch) -> {8, ?MEGA, [{1, is, 0}, {41, time, 0}, {22, any, 0}]};
layout(Format, I) when ?IS_K(Format), is_integer(I), I >= 5, I =< 10 ->
    Node = maps:get(Format, #{k64 => 0, k96 => 32, k128 => 64}),
    {8 + Node div 8, 1000000000, [{40 - I, time, 10 + I}, {Node, any, 0}, {10 + I, time, 0}, {14, any, 0}]};
layout(_, _) -> error(badarg).

%% @private
id_size(Format) -> element(1, layout(Format, 8)).

%% What an ID doesn't say, unless the module was loaded with another one.
setting(snowflake) -> 1288834974657;
setting(_) -> 8.

id(Format, <<Id:64>>) when Format =:= k64; Format =:= snowflake -> Id;
id(_, Id) -> Id.

%% The bytes of an ID of the format and its time in units; all else is badarg.
units(Format, Id, Setting) ->
    {Size, _, Parts} = layout(Format, Setting),
    case Id of
        <<_:Size/binary>> -> {Id, units(Parts, Id)};
        _ when is_integer(Id), Id >= 0, Id < 1 bsl 64, Size =:= 8 -> units(Format, <<Id:64>>, Setting);
        _ -> error(badarg)
    end.

units([], <<>>) ->
    0;
units([{Bits, Kind, Of} | Parts], Id) ->
    <<Value:Bits, Rest/bitstring>> = Id,
    Kind =/= is orelse Value =:= Of orelse error(badarg),
    units(Parts, Rest) bor case Kind of time -> Value bsl Of; _ -> 0 end.

%% @doc The canonical text of an ID.
-spec text(format(), id()) -> binary().
text(Format, Id) ->
    {Bytes, _} = units(Format, Id, setting(Format)),
    case Format of
        snowflake -> integer_to_binary(binary:decode_unsigned(Bytes));
        lex -> hex([4, 2, 2, 8], Bytes);
        _ when ?IS_UUID(Format) -> hex([4, 2, 2, 2, 6], Bytes);
        _ -> <<<<(lists:nth(Digit + 1, ?SORTABLE))>> || <<Digit:6>> <= pad(Bytes)>>
    end.

pad(Bytes) -> <<Bytes/binary, 0:(5 - (bit_size(Bytes) + 5) rem 6)>>.

hex([], <<>>) -> <<>>;
hex([Size | Sizes], Bytes) ->
    <<Part:Size/binary, Rest/binary>> = Bytes,
    Dash = [$- || Sizes =/= []],
    iolist_to_binary([string:lowercase(binary:encode_hex(Part)), Dash, hex(Sizes, Rest)]).

%% @doc Reads the canonical text of an ID, and nothing else.
-spec parse(format(), binary()) -> {ok, id()} | error.
parse(Format, Text) when is_binary(Text) ->
    Canonical = case ?IS_UUID(Format) of true -> string:lowercase(Text); false -> Text end,
    Size = id_size(Format),
    try
        <<Bytes:Size/binary, _/bitstring>> = read(Format, Text),
        %% Nothing else has this text.
        Canonical = text(Format, Bytes),
        {ok, id(Format, Bytes)}
    catch
        error:badarg -> error;
        error:{badmatch, _} -> error
    end.

read(snowflake, Text) -> <<(binary_to_integer(Text)):64>>;
read(Format, Text) when ?IS_K(Format) -> <<<<(string:chr(?SORTABLE, Byte) - 1):6>> || <<Byte>> <= Text>>;
read(_, Text) -> binary:decode_hex(binary:replace(Text, <<"-">>, <<>>, [global])).

%% @doc The nanoseconds since 1970 of an ID, rounded down to what it knows.
-spec time(format(), id()) -> integer().
time(Format, Id) -> time(Format, Id, setting(Format)).

%% @doc The same for another I of k96 and k128, or milliseconds that snowflakes count from, or
%% a v7 of which kuid made the nanoseconds, too.
-spec time(format(), id(), setting()) -> integer().
time(Format, Id, Setting) ->
    case units(Format, Id, Setting) of
        {_, Units} when Format =:= v7, Setting =:= made_by_kuid ->
            Fraction = Units band 16#fffff,
            Ns = (Fraction * ?MEGA + 16#fffff) bsr 20,
            %% kuid doesn't make all fractions.
            Known = case (Ns bsl 20) div ?MEGA of Fraction -> Ns; _ -> 0 end,
            (Units bsr 20) * ?MEGA + Known;
        {_, Ms} when Format =:= v7 -> Ms * ?MEGA;
        {_, Ticks} when ?IS_UUID(Format) -> (Ticks - ?UNIX_TICKS) * 100;
        {_, Us} when Format =:= lex -> Us * 1000;
        {_, Ms} when Format =:= snowflake -> (Ms + Setting) * ?MEGA;
        {_, K} -> (((K bsr 30) * ?MEGA + ((K bsr 10) band 16#fffff)) * ?MEGA + (K band 16#3ff) * 1024) * 1000
    end.

%% @doc The lowest ID of a format at a time in nanoseconds since 1970. All IDs made from
%% one time to another lie between the lowest of the first and the highest of the other.
-spec lowest(format(), integer()) -> id().
lowest(Format, Time) -> lowest(Format, Time, setting(Format)).

-spec lowest(format(), integer(), setting()) -> id().
lowest(Format, Time, Setting) -> edge(Format, Time, Setting, 0).

%% @doc The highest ID of a format at a time.
-spec highest(format(), integer()) -> id().
highest(Format, Time) -> highest(Format, Time, setting(Format)).

-spec highest(format(), integer(), setting()) -> id().
highest(Format, Time, Setting) -> edge(Format, Time, Setting, -1).

%% The ID of a time whose other bits are those of Rest.
edge(Format, Time, Setting, Rest) ->
    {_, Unit, Parts} = layout(Format, Setting),
    Floor = Time div Unit - case Time rem Unit < 0 of true -> 1; false -> 0 end,
    Units = case Format of
        snowflake -> Floor - Setting;
        v7 when Setting =:= made_by_kuid -> Floor bsl 20 + (Time rem ?MEGA bsl 20) div ?MEGA;
        _ when ?IS_K(Format) ->
            ((Floor div ?MEGA) bsl 20 + Floor rem ?MEGA) bsl 10 + Time rem Unit div 1024000;
        _ when Unit =:= 100 -> Floor + ?UNIX_TICKS;
        _ -> Floor
    end,
    Bits = lists:sum([Bits || {Bits, time, _} <- Parts]),
    (Units >= 0 andalso Units < 1 bsl Bits) orelse error(badarg),
    Value = fun(time, Of) -> Units bsr Of; (is, Of) -> Of; (any, _) -> Rest end,
    id(Format, <<<<(Value(Kind, Of)):N>> || {N, Kind, Of} <- Parts>>).
