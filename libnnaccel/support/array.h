/* SPDX-License-Identifier: MIT */
/* Arrays that grow: the one place where their new size is computed and checked. */
#ifndef NNA_SUPPORT_ARRAY_H
#define NNA_SUPPORT_ARRAY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/**
 * nna_array_reserve() - make room in an array on the heap
 * @array: the array; NULL when @room is 0
 * @wanted: how many elements must fit, at least 1
 * @room: how many elements fit; grows by a factor of at least two, so that an array of n elements
 *	is moved O(log n) times
 * @size: bytes of an element, at least 1
 *
 * New elements are not initialised. The caller replaces its pointer by the returned one:
 *
 *	grown = nna_array_reserve(list, count + 1, &room, sizeof(*list));
 *	if (!grown)
 *		return -ENOMEM;
 *	list = grown;
 *
 * Return: the array, which may have moved; or NULL when there is no memory or the size overflows,
 * and then @array and @room are as before.
 */
static inline void *nna_array_reserve(void *array, uint64_t wanted, uint32_t *room, size_t size)
{
	uint64_t more = *room ? (uint64_t)*room * 2 : 16;
	size_t bytes;
	void *grown;

	if (wanted <= *room)
		return array;
	if (more < wanted)
		more = wanted;
	if (more > UINT32_MAX || __builtin_mul_overflow(more, size, &bytes))
		return NULL;
	grown = realloc(array, bytes);
	if (grown)
		*room = (uint32_t)more;
	return grown;
}

#endif
