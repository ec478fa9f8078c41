%% SPDX-License-Identifier: MIT
%% @doc The functions of {@link kuid} that make IDs, in order over all programs of the host
%% that use this order. They need the device.
-module(kuid_host).

-export([v1/0, v6/0, v7/0, lex/0, k64/0, k96/0, k128/0, snowflake/0]).
-export([batch/2, batch/3, guarantees/1]).

-spec v1() -> <<_:128>>.
v1() -> kuid_file:one(host, v1).

-spec v6() -> <<_:128>>.
v6() -> kuid_file:one(host, v6).

-spec v7() -> <<_:128>>.
v7() -> kuid_file:one(host, v7).

-spec lex() -> <<_:128>>.
lex() -> kuid_file:one(host, lex).

-spec k64() -> non_neg_integer().
k64() -> kuid_file:one(host, k64).

-spec k96() -> <<_:96>>.
k96() -> kuid_file:one(host, k96).

-spec k128() -> <<_:128>>.
k128() -> kuid_file:one(host, k128).

-spec snowflake() -> non_neg_integer().
snowflake() -> kuid_file:one(host, snowflake).

-spec batch(kuid:format(), non_neg_integer()) -> [kuid:id()].
batch(Format, N) ->
    {ok, Ids} = kuid_file:many(host, Format, N, infinity),
    Ids.

-spec batch(kuid:format(), pos_integer(), pos_integer()) -> {ok, [kuid:id()]} | {error, eagain}.
batch(Format, N, Timeout) -> kuid_file:many(host, Format, N, Timeout).

-spec guarantees(kuid:format()) -> kuid:guarantees().
guarantees(Format) -> kuid_file:guarantees(host, Format).
