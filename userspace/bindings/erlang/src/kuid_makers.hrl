%% SPDX-License-Identifier: MIT
%% The functions that make IDs, in kuid and kuid_host. ORDER is file or host.

-export([v1/0, v6/0, v7/0, lex/0, k64/0, k96/0, k128/0, snowflake/0]).
-export([batch/2, batch/3, guarantees/1]).

%% @doc A UUID version 1.
-spec v1() -> <<_:128>>.
v1() -> kuid_file:one(?ORDER, v1).

%% @doc A UUID version 6.
-spec v6() -> <<_:128>>.
v6() -> kuid_file:one(?ORDER, v6).

%% @doc A UUID version 7.
-spec v7() -> <<_:128>>.
v7() -> kuid_file:one(?ORDER, v7).

-spec lex() -> <<_:128>>.
lex() -> kuid_file:one(?ORDER, lex).

-spec k64() -> non_neg_integer().
k64() -> kuid_file:one(?ORDER, k64).

-spec k96() -> <<_:96>>.
k96() -> kuid_file:one(?ORDER, k96).

-spec k128() -> <<_:128>>.
k128() -> kuid_file:one(?ORDER, k128).

-spec snowflake() -> non_neg_integer().
snowflake() -> kuid_file:one(?ORDER, snowflake).

%% @doc A number of IDs, which increase.
-spec batch(kuid:format(), non_neg_integer()) -> [kuid:id()].
batch(Format, N) ->
    {ok, Ids} = kuid_file:many(?ORDER, Format, N, infinity),
    Ids.

%% @doc The IDs of a batch that are had within some milliseconds, at least one.
-spec batch(kuid:format(), pos_integer(), pos_integer()) -> {ok, [kuid:id()]} | {error, eagain}.
batch(Format, N, Timeout) -> kuid_file:many(?ORDER, Format, N, Timeout).

%% @doc What holds now for IDs of a format. It opens the device if no ID has decided yet
%% where they are made, and then there is no warning if there is none.
-spec guarantees(kuid:format()) -> kuid:guarantees().
guarantees(Format) -> kuid_file:guarantees(?ORDER, Format).
