// SPDX-License-Identifier: GPL-2.0-only
/* Threads in userspace. See harness.h. */
#include <pthread.h>

#include "harness.h"

struct thread {
	pthread_t id;
	unsigned int n;
	void (*run)(unsigned int n);
};

static void *start(void *arg)
{
	const struct thread *thread = arg;

	random_thread(thread->n + 1);
	thread->run(thread->n);
	return NULL;
}

void together(unsigned int threads, void (*run)(unsigned int n))
{
	struct thread all[threads];

	for (unsigned int n = 0; n < threads; n++) {
		all[n].n = n;
		all[n].run = run;
		assert_int_equal(
			pthread_create(&all[n].id, NULL, start, &all[n]), 0);
	}
	for (unsigned int n = 0; n < threads; n++)
		pthread_join(all[n].id, NULL);
}
