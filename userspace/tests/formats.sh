# shellcheck shell=sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The formats that the tests of the tool expect, in the order of their numbers. The lists are
# written by hand: a list from the tool would miss what the tool misses.
# shellcheck disable=SC2034 # the scripts that source this use them

formats='v1 v6 v7 lex k64 k96 k128 snowflake'

# By what they are made from: stamps, or slots of one of the three grids.
stamp_formats='v1 v6 v7'
slot_formats='lex k64 k96 k128 snowflake'
lex_formats='lex'
grid_formats='k64 k96 k128'
snowflake_formats='snowflake'

# By the part of the identity that they show.
node_formats='v1 v6'
worker_formats='lex k96 k128'
interval_formats='k96 k128'

# Those whose bytes sort by time, whatever the node is, and those whose text does, too.
by_time_formats='v6 v7 lex k64 snowflake'
text_by_time_formats='v6 v7 lex k64'

# Those that "convert" converts to.
target_formats='v1 v6 k64 k96 k128'
