// SPDX-License-Identifier: MIT
/* Numbers of objects that are known by their addresses (numbers.h). */
#include "frontend/litert/numbers.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST_ROOM 64u

/* The entry of @key, or the free one where it belongs. */
static uint32_t place_of(const struct litert_numbers *n, const void *key)
{
	uint64_t hash = (uint64_t)(uintptr_t)key * 0x9e3779b97f4a7c15u;
	uint32_t at = (uint32_t)(hash >> 32) & (n->room - 1);

	while (n->keys[at] && n->keys[at] != key)
		at = (at + 1) & (n->room - 1);
	return at;
}

int32_t litert_numbers_find(const struct litert_numbers *n, const void *key)
{
	uint32_t at;

	if (!n->room)
		return -1;
	at = place_of(n, key);
	return n->keys[at] ? n->numbers[at] : -1;
}

static int grow(struct litert_numbers *n)
{
	struct litert_numbers to = { .count = n->count };

	if (n->room > UINT32_MAX / 4)
		return -ENOMEM;
	to.room = n->room ? n->room * 2 : FIRST_ROOM;
	to.keys = calloc(to.room, sizeof(*to.keys));
	to.numbers = calloc(to.room, sizeof(*to.numbers));
	if (!to.keys || !to.numbers) {
		litert_numbers_free(&to);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < n->room; i++) {
		uint32_t at;

		if (!n->keys[i])
			continue;
		at = place_of(&to, n->keys[i]);
		to.keys[at] = n->keys[i];
		to.numbers[at] = n->numbers[i];
	}
	litert_numbers_free(n);
	*n = to;
	return 0;
}

int litert_numbers_add(struct litert_numbers *n, const void *key, int32_t number)
{
	uint32_t at;

	if (n->count >= n->room / 2 && grow(n))
		return -ENOMEM;
	at = place_of(n, key);
	n->keys[at] = key;
	n->numbers[at] = number;
	n->count++;
	return 0;
}

void litert_numbers_free(struct litert_numbers *n)
{
	free(n->keys);
	free(n->numbers);
	*n = (struct litert_numbers){ 0 };
}
