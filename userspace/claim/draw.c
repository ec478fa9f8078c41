// SPDX-License-Identifier: GPL-2.0-only
/* See draw.h. */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/random.h>

#include "draw.h"
#include "exit_status.h"

static void draw(void *bytes, size_t size)
{
	if (getrandom(bytes, size, 0) != (ssize_t)size)
		err(EXIT_FAILED, "getrandom");
}

uint64_t draw_below(uint64_t limit)
{
	uint64_t number;

	draw(&number, sizeof(number));
	return number % limit;
}

void draw_token(uint64_t load_id, char token[TOKEN_SIZE])
{
	uint64_t words[2];

	draw(words, sizeof(words));
	snprintf(token, TOKEN_SIZE, "%016" PRIx64 "%016" PRIx64,
		 words[0] ^ load_id, words[1]);
}
