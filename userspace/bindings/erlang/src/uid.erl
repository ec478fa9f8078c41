%% SPDX-License-Identifier: MIT
%% @doc The interface of fogfish/uid over the device: unique over all programs of the host,
%% also at more than 16,384 IDs a millisecond and after the clock was set back.
%%
%% The types are that library's: a local ID has its time, cut to 1,024 us, and its number
%% within that; a global one has an Erlang node besides, and is encoded with 32 bits of a
%% hash of its name. So two nodes share these bits by chance; {@link kuid:k96/0} has the
%% host's own number, which can be claimed. What can't be an ID is badarg.
-module(uid).

-export([z/0, l/0, l/1, g/0, g/1, gtol/1, d/2, t/1]).
-export([encode/1, encode/2, decode/1, decode/2, encode64/1, encode64/2, decode64/1, decode64/2]).
-export([vclock/0, vclock/1, join/2, descend/2, descend/3, diff/2]).
-export_type([uid/0, l/0, g/0, t/0, seq/0, id/0, vclock/0]).

-type uid() :: l() | g().
-type l() :: {uid, t(), seq()}.
-type g() :: {uid, id(), t(), seq()}.
-type t() :: {integer(), integer(), integer()}.
-type seq() :: integer().
-type id() :: node() | <<_:32>>.
-type vclock() :: [g()].

-define(INTERVAL, 8).
-define(MEGA, 1000000).

%% @doc The lowest local ID.
-spec z() -> l().
z() -> {uid, {0, 0, 0}, 0}.

%% @doc A local ID. IDs increase over all processes of this VM.
-spec l() -> l().
l() -> local(<<(kuid:k64()):64>>).

%% @doc The local ID of a global one that is of this node.
-spec l(uid()) -> l().
l({uid, _, _} = Uid) ->
    Uid;
l({uid, Node, T, Seq}) ->
    case id(Node) =:= id(node()) of
        true -> {uid, T, Seq};
        false -> exit(badarg)
    end.

%% @doc A global ID.
-spec g() -> g().
g() -> g(l()).

-spec g(uid()) -> g().
g({uid, T, Seq}) -> {uid, node(), T, Seq};
g({uid, _, _, _} = Uid) -> Uid.

%% @doc The local ID of a global one of any node; it may be that of another.
-spec gtol(g()) -> l().
gtol({uid, _, T, Seq}) -> {uid, T, Seq}.

local(<<A:20, B:20, C:10, Seq:14>>) -> {uid, {A, B, C bsl 10}, Seq}.

id(Node) when is_atom(Node) -> <<(erlang:phash2(Node, 1 bsl 32)):32>>;
id(<<_:32>> = Id) -> Id;
id(_) -> error(badarg).

%% Bits before the node.
before(Interval) when is_integer(Interval), Interval >= 5, Interval =< 10 -> 40 - Interval;
before(_) -> error(badarg).

%% @doc The bytes of an ID: 8 of a local one, 12 of a global one.
-spec encode(uid()) -> binary().
encode(Uid) -> encode(?INTERVAL, Uid).

-spec encode(integer(), uid()) -> binary().
encode(_, {uid, {A, B, C}, Seq}) when
    A >= 0, A < 1 bsl 20, B >= 0, B < 1 bsl 20, C >= 0, C < 1 bsl 20, Seq >= 0, Seq < 1 bsl 14
->
    <<A:20, B:20, (C bsr 10):10, Seq:14>>;
encode(Interval, {uid, Node, T, Seq}) ->
    Before = before(Interval),
    <<High:Before, Low/bitstring>> = encode(Interval, {uid, T, Seq}),
    <<High:Before, (id(Node))/binary, Low/bitstring>>;
encode(_, _) ->
    error(badarg).

-spec decode(binary()) -> uid().
decode(Bytes) -> decode(?INTERVAL, Bytes).

-spec decode(integer(), binary()) -> uid().
decode(_, <<_:64>> = Bytes) ->
    local(Bytes);
decode(Interval, <<_:96>> = Bytes) ->
    Before = before(Interval),
    <<High:Before, Id:4/binary, Low/bitstring>> = Bytes,
    {uid, T, Seq} = local(<<High:Before, Low/bitstring>>),
    case id(node()) of
        Id -> {uid, node(), T, Seq};
        _ -> {uid, Id, T, Seq}
    end;
decode(_, _) ->
    error(badarg).

%% @doc The text of an ID, whose order is that of the bytes.
-spec encode64(uid()) -> binary().
encode64(Uid) -> encode64(?INTERVAL, Uid).

-spec encode64(integer(), uid()) -> binary().
encode64(Interval, Uid) ->
    Bytes = encode(Interval, Uid),
    kuid:text(format(byte_size(Bytes)), Bytes).

format(8) -> k64;
format(12) -> k96.

-spec decode64(binary()) -> uid().
decode64(Text) -> decode64(?INTERVAL, Text).

-spec decode64(integer(), binary()) -> uid().
decode64(Interval, Text) ->
    case {kuid:parse(k64, Text), kuid:parse(k96, Text)} of
        {{ok, Number}, _} -> decode(Interval, <<Number:64>>);
        {_, {ok, Bytes}} -> decode(Interval, Bytes);
        _ -> error(badarg)
    end.

%% @doc How far one ID is from another of the same kind.
-spec d(uid(), uid()) -> uid().
d({uid, A, SeqA}, {uid, B, SeqB}) -> {uid, difference(A, B), SeqA - SeqB};
d({uid, Node, A, SeqA}, {uid, Node, B, SeqB}) -> {uid, Node, difference(A, B), SeqA - SeqB};
d(_, _) -> error(badarg).

difference(A, B) ->
    Us = us(A) - us(B),
    {Us div (?MEGA * ?MEGA), Us div ?MEGA rem ?MEGA, Us rem ?MEGA}.

us({A, B, C}) -> (A * ?MEGA + B) * ?MEGA + C.

%% @doc The milliseconds of an ID since 1970.
-spec t(uid()) -> integer().
t({uid, T, _}) -> us(T) div 1000;
t({uid, _, T, _}) -> us(T) div 1000.

%% @doc A vector clock: the last ID of each node.
-spec vclock() -> vclock().
vclock() -> [g()].

%% @doc The clock after one more event on this node.
-spec vclock(vclock()) -> vclock().
vclock(Clock) -> [g() | lists:keydelete(node(), 2, Clock)].

%% @doc The clock that descends from both.
-spec join(vclock(), vclock()) -> vclock().
join(A, B) ->
    Merge = fun({uid, Node, _, _} = Uid, Clock) ->
        maps:update_with(Node, fun(Other) -> max(Uid, Other) end, Uid, Clock)
    end,
    maps:values(lists:foldl(Merge, #{}, A ++ B)).

%% @doc Whether the first clock is that of the second, or descends from it.
-spec descend(vclock(), vclock()) -> boolean().
descend(A, B) ->
    lists:all(fun({uid, Node, _, _} = Uid) -> Uid =< lists:keyfind(Node, 2, A) end, B).

%% @doc The same, whatever a node has done.
-spec descend(node(), vclock(), vclock()) -> boolean().
descend(Node, A, B) when is_atom(Node) ->
    descend(lists:keydelete(Node, 2, A), lists:keydelete(Node, 2, B)).

%% @doc By what the second clock is ahead of the first, node by node.
-spec diff(vclock(), vclock()) -> [g()].
diff(A, B) ->
    lists:append([ahead(Uid, lists:keyfind(Node, 2, A)) || {uid, Node, _, _} = Uid <- B]).

ahead(Uid, false) -> [Uid];
ahead(Uid, Other) when Uid =< Other -> [];
ahead(Uid, Other) -> [d(Uid, Other)].
