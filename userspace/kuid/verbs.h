/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The verbs of the tool, one file each. A verb gets its own name as argv[0],
 * parses its arguments and returns the tool's exit status.
 */
#ifndef KUID_TOOL_VERBS_H
#define KUID_TOOL_VERBS_H

/* Exit statuses, for all verbs. */
#define EXIT_FAILED    1 /* what was asked for could not be done */
#define EXIT_USAGE     2 /* it was asked for in the wrong way */
#define EXIT_UNDECIDED 3 /* what was asked has no answer */
#define EXIT_NOT_HELD  4 /* --check: uniqueness or order is not held */

/* For verbs that have no others. */
#define EXIT_HELP "Exit status: 0 done, 1 failed, 2 wrong usage."

int verb_gen(int argc, char **argv);
int verb_inspect(int argc, char **argv);
int verb_convert(int argc, char **argv);
int verb_compare(int argc, char **argv);
int verb_status(int argc, char **argv);
int verb_save(int argc, char **argv);
int verb_restore(int argc, char **argv);
int verb_clock(int argc, char **argv);
int verb_node(int argc, char **argv);
int verb_bench(int argc, char **argv);

#endif /* KUID_TOOL_VERBS_H */
