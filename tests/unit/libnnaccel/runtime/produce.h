/* SPDX-License-Identifier: MIT */
/* For tests: writing what a thread of the library reads behind a gate. */
#ifndef TEST_PRODUCE_H
#define TEST_PRODUCE_H

#include <stddef.h>

/*
 * Copies @size bytes. A gate that is opened afterwards orders this before the reads behind it, but
 * ThreadSanitizer does not know that of fds that are polled, so it must not see the writes.
 */
static __attribute__((no_sanitize_thread, noipa, unused)) void
produce_bytes(void *to, const void *from, size_t size)
{
	volatile char *out = to;
	const volatile char *in = from;

	for (size_t i = 0; i < size; i++)
		out[i] = in[i];
}

#endif
