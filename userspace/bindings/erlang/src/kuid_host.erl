%% SPDX-License-Identifier: MIT
%% @doc The functions of {@link kuid} that make IDs, in order over all programs of the host
%% that use this order. They need the device.
-module(kuid_host).

-define(ORDER, host).
-include("kuid_makers.hrl").
