// SPDX-License-Identifier: MIT
/* The heap of the service's process (heap.h). */
#include "hal-bridge/service/heap.h"

#include <limits.h>
#include <malloc.h>
#include <unistd.h>

/* From here on a block is a mapping of its own, which goes back when it is freed. */
#define NNB_HEAP_LARGE (256 << 10)

void nnb_heap_limit(void)
{
#ifdef M_ARENA_MAX
	const long processors = sysconf(_SC_NPROCESSORS_ONLN);

	/*
	 * An arena keeps what its busiest time has needed, and glibc makes eight for each
	 * processor. No more threads run at a time than there are processors.
	 */
	mallopt(M_ARENA_MAX, processors > 0 && processors < INT_MAX ? (int)processors : 1);
	/*
	 * glibc takes larger and larger blocks from arenas, up to 32 MiB, once it has seen that
	 * such blocks are freed. A small block behind one keeps all of it from going back.
	 */
	mallopt(M_MMAP_THRESHOLD, NNB_HEAP_LARGE);
	mallopt(M_TRIM_THRESHOLD, NNB_HEAP_LARGE);
#endif
}
