%% SPDX-License-Identifier: MIT
%% @private IDs as bits: their texts, times and bounds. Needs no device.
-module(kuid_format).

-export([size/1, setting/1, text/2, parse/2, time/3, edge/4]).

-define(SORTABLE, ".0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz").
-define(IS_UUID(Format), (Format =:= v1 orelse Format =:= v6 orelse Format =:= v7)).
-define(UNIX_TICKS, 16#01B21DD213814000).

%% Bytes of an ID.
size(Format) when Format =:= k64; Format =:= snowflake -> 8;
size(k96) -> 12;
size(Format) when Format =:= v1; Format =:= v6; Format =:= v7; Format =:= lex; Format =:= k128 -> 16;
size(_) -> error(badarg).

%% What an ID doesn't say, unless the module was loaded with another one.
setting(snowflake) -> 1288834974657;
setting(_) -> 8.

%% The bytes of an ID of the format; all else is badarg.
bytes(Format, Id) when is_integer(Id), Id >= 0, Id < 1 bsl 64 -> bytes(Format, <<Id:64>>);
bytes(snowflake, <<0:1, _:63>> = Id) -> Id;
bytes(v1, <<_:48, 1:4, _:12, 2:2, _:62>> = Id) -> Id;
bytes(v6, <<_:48, 6:4, _:12, 2:2, _:62>> = Id) -> Id;
bytes(v7, <<_:48, 7:4, _:12, 2:2, _:62>> = Id) -> Id;
bytes(Format, <<_:128>> = Id) when Format =:= lex; Format =:= k128 -> Id;
bytes(k96, <<_:96>> = Id) -> Id;
bytes(k64, <<_:64>> = Id) -> Id;
bytes(_, _) -> error(badarg).

id(Format, <<Id:64>>) when Format =:= k64; Format =:= snowflake -> Id;
id(_, Id) -> Id.

text(Format, Id) ->
    Bytes = bytes(Format, Id),
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

%% The text that an ID would have is compared with the one that was given.
parse(Format, Text) when is_binary(Text) ->
    case wrong(shape(Format, Text), Text, 0) of
        none ->
            Bytes = read(Format, Text),
            Canonical = case ?IS_UUID(Format) of true -> string:lowercase(Text); false -> Text end,
            try text(Format, Bytes) of
                Canonical -> {ok, id(Format, Bytes)};
                _ -> {error, byte_size(Text) - 1}
            catch
                error:badarg when ?IS_UUID(Format) ->
                    [$v, Version] = atom_to_list(Format),
                    {error, case binary:at(Text, 14) of Version -> 19; _ -> 14 end};
                error:badarg ->
                    {error, byte_size(Text) - 1}
            end;
        Where ->
            {error, Where}
    end.

%% The digits that may stand at each place.
shape(Format, Text) ->
    Parts = fun(Digits, Sizes) ->
        lists:append(lists:join(["-"], [lists:duplicate(Size, Digits) || Size <- Sizes]))
    end,
    case Format of
        lex -> Parts("0123456789abcdef", [8, 4, 4, 16]);
        _ when ?IS_UUID(Format) -> Parts("0123456789abcdefABCDEF", [8, 4, 4, 4, 12]);
        snowflake when binary_part(Text, 0, 1) =:= <<"0">> -> ["0"];
        snowflake -> lists:duplicate(max(1, min(19, byte_size(Text))), "0123456789");
        _ -> lists:duplicate((kuid_format:size(Format) * 8 + 5) div 6, ?SORTABLE)
    end.

wrong([], <<>>, _) -> none;
wrong([Digits | Shape], <<Byte, Text/binary>>, Where) ->
    case lists:member(Byte, Digits) of
        true -> wrong(Shape, Text, Where + 1);
        false -> Where
    end;
wrong(_, _, Where) -> Where.

read(snowflake, Text) ->
    <<(binary_to_integer(Text)):64>>;
read(Format, Text) when Format =:= k64; Format =:= k96; Format =:= k128 ->
    Size = kuid_format:size(Format),
    <<Bytes:Size/binary, _/bitstring>> =
        <<<<(string:chr(?SORTABLE, Byte) - 1):6>> || <<Byte>> <= Text>>,
    Bytes;
read(_, Text) ->
    binary:decode_hex(binary:replace(Text, <<"-">>, <<>>, [global])).

%% Bits of a k-ordered ID before its node.
before(Interval) when is_integer(Interval), Interval >= 5, Interval =< 10 -> 40 - Interval;
before(_) -> error(badarg).

time(Format, Id, Setting) ->
    case {Format, bytes(Format, Id)} of
        {v1, <<Low:32, Middle:16, 1:4, High:12, _/binary>>} ->
            (((High bsl 16 + Middle) bsl 32) + Low - ?UNIX_TICKS) * 100;
        {v6, <<High:48, 6:4, Low:12, _/binary>>} ->
            ((High bsl 12) + Low - ?UNIX_TICKS) * 100;
        {v7, <<Ms:48, 7:4, High:12, 2:2, Low:8, _:54>>} ->
            Ms * 1000000 + min(999999, ((High bsl 8 + Low) * 1000000 + 16#fffff) bsr 20);
        {lex, <<Us:64, _/binary>>} ->
            Us * 1000;
        {snowflake, <<Ms:42, _:22>>} ->
            (Ms + Setting) * 1000000;
        {_, Bytes} ->
            Before = before(Setting),
            Node = bit_size(Bytes) - 64,
            <<High:Before, _:Node, Low/bitstring>> = Bytes,
            <<A:20, B:20, C:10, _:14>> = <<High:Before, Low/bitstring>>,
            (A * 1000000 + B) * 1000000000 + C * 1024000
    end.

%% The ID of a time whose other bits are those of Rest, 0 or -1.
edge(Format, Time, Setting, Rest) ->
    {Bytes, Reached, Bits} =
        case Format of
            v1 ->
                Ticks = floor_div(Time, 100) + ?UNIX_TICKS,
                <<High:12, Middle:16, Low:32>> = <<Ticks:60>>,
                {<<Low:32, Middle:16, 1:4, High:12, 2:2, Rest:62>>, Ticks, 60};
            v6 ->
                Ticks = floor_div(Time, 100) + ?UNIX_TICKS,
                {<<(Ticks bsr 12):48, 6:4, Ticks:12, 2:2, Rest:62>>, Ticks, 60};
            v7 ->
                Ms = floor_div(Time, 1000000),
                {<<Ms:48, 7:4, Rest:12, 2:2, Rest:62>>, Ms, 48};
            lex ->
                Us = floor_div(Time, 1000),
                {<<Us:64, Rest:64>>, Us, 64};
            snowflake ->
                Ms = floor_div(Time, 1000000) - Setting,
                {<<0:1, Ms:41, Rest:22>>, Ms, 41};
            _ ->
                Second = floor_div(Time, 1000000000),
                C = (Time - Second * 1000000000) div 1024000,
                Before = before(Setting),
                Node = kuid_format:size(Format) * 8 - 64,
                A = floor_div(Second, 1000000),
                <<High:Before, Low/bitstring>> = <<A:20, (Second - A * 1000000):20, C:10, Rest:14>>,
                {<<High:Before, Rest:Node, Low/bitstring>>, A, 20}
        end,
    (Reached >= 0 andalso Reached < 1 bsl Bits) orelse error(badarg),
    id(Format, Bytes).

floor_div(A, B) when A >= 0 -> A div B;
floor_div(A, B) -> -((B - 1 - A) div B).
