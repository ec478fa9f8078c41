/* SPDX-License-Identifier: GPL-2.0-only */
/* The exit statuses of kuid(1) and kuid-claim(8). */
#ifndef KUID_SERVICE_EXIT_STATUS_H
#define KUID_SERVICE_EXIT_STATUS_H

#define EXIT_FAILED    1  /* the program could not do what it was asked for */
#define EXIT_USAGE     2  /* the command line is wrong */
#define EXIT_UNDECIDED 3  /* the question has no answer */
#define EXIT_NOT_HELD  4  /* --check: uniqueness or order is not held */
#define EXIT_WRONG_IDS 5  /* --keep-going: some IDs are wrong */
#define EXIT_LATER     75 /* the same may succeed later: EX_TEMPFAIL */

#endif /* KUID_SERVICE_EXIT_STATUS_H */
