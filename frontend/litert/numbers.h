/* SPDX-License-Identifier: MIT */
/* Numbers of objects that are known by their addresses. */
#ifndef LITERT_NUMBERS_H
#define LITERT_NUMBERS_H

#include <stdint.h>

/**
 * struct litert_numbers - a hash table; zeros are an empty one
 * @keys: @room entries, a power of two, of which at most half are not NULL
 * @numbers: of the keys
 */
struct litert_numbers {
	const void **keys;
	int32_t *numbers;
	uint32_t count, room;
};

/* Return: the number of @key, which is not NULL; -1 if it has none. */
int32_t litert_numbers_find(const struct litert_numbers *numbers, const void *key);
/* Adds a key that is not there. Return: 0 or -ENOMEM. */
int litert_numbers_add(struct litert_numbers *numbers, const void *key, int32_t number);
void litert_numbers_free(struct litert_numbers *numbers);

#endif
