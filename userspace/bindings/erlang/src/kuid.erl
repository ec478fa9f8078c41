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

-export([text/2, parse/2, time/2, time/3, lowest/2, lowest/3, highest/2, highest/3]).
-export([source/0]).
-export_type([format/0, id/0, guarantees/0]).

-type format() :: v1 | v6 | v7 | lex | k64 | k96 | k128 | snowflake.

%% The bytes of an ID; k64 and snowflake are numbers.
-type id() :: binary() | non_neg_integer().

%% What holds now. Order between programs is lost if the order or source of one differs.
-type guarantees() :: #{
    source := device | plain,
    order := file | host,
    unique := boolean(),
    ordered := boolean(),
    reboot_safe := boolean(),
    clones := seen | told | never
}.

-define(ORDER, file).
-include("kuid_makers.hrl").

%% @doc The canonical text of an ID.
-spec text(format(), id()) -> binary().
text(Format, Id) -> kuid_format:text(Format, Id).

%% @doc Reads the canonical text of an ID, and nothing else. The error is the offset of
%% the first byte that is wrong.
-spec parse(format(), binary()) -> {ok, id()} | {error, non_neg_integer()}.
parse(Format, Text) -> kuid_format:parse(Format, Text).

%% @doc The nanoseconds since 1970 of an ID, rounded down to what its format tells apart.
-spec time(format(), id()) -> integer().
time(Format, Id) -> time(Format, Id, kuid_format:setting(Format)).

%% @doc The same for another I of k96 and k128, or milliseconds that snowflakes count from.
-spec time(format(), id(), non_neg_integer()) -> integer().
time(Format, Id, Setting) -> kuid_format:time(Format, Id, Setting).

%% @doc The lowest ID of a format at a time in nanoseconds since 1970. All IDs made from
%% one time to another lie between the lowest of the first and the highest of the other.
-spec lowest(format(), integer()) -> id().
lowest(Format, Time) -> lowest(Format, Time, kuid_format:setting(Format)).

-spec lowest(format(), integer(), non_neg_integer()) -> id().
lowest(Format, Time, Setting) -> kuid_format:edge(Format, Time, Setting, 0).

%% @doc The highest ID of a format at a time.
-spec highest(format(), integer()) -> id().
highest(Format, Time) -> highest(Format, Time, kuid_format:setting(Format)).

-spec highest(format(), integer(), non_neg_integer()) -> id().
highest(Format, Time, Setting) -> kuid_format:edge(Format, Time, Setting, -1).

%% @doc Where IDs are made; auto until the first ID has decided.
-spec source() -> auto | device | plain.
source() -> kuid_file:source().
