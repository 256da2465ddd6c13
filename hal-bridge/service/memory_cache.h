/* SPDX-License-Identifier: MIT */
/*
 * Memories that a client's calls bring again and again, opened once. A burst or a reusable
 * execution names what it keeps; a synchronous or fenced execution brings the descriptors of its
 * memories each time, and to look at them, import them and map them anew costs more than the rest
 * of a small request.
 *
 * What is kept: memory that is fixed (memory.h), shared with the device or mapped, when a second
 * call brings it. Many clients make new memory for every call, which is not worth being kept. The
 * contents of files that may be cut are read and written at each call, their sizes checked, so
 * there would be nothing to keep of them.
 *
 * When it is the same: the range and the protection are the same, and the kernel says that both
 * descriptors, the parcel's and a duplicate that is kept, are of one open file (F_DUPFD_QUERY).
 * Access mode and inode are the open file's, for as long as it is there. So neither the number of a
 * descriptor nor that of an inode, both of which are used again, is ever believed (the numbers of
 * dma-bufs' inodes have 32 bits and come from a counter that all pipes and sockets share); and the
 * same inode opened for reading only is another memory. What can change of an open file are its
 * seals: they are asked for each time, and a memory whose seals have changed is forgotten, as its
 * mapping may be able to do what the descriptor cannot any more. An older kernel, which does not
 * compare descriptors, keeps nothing.
 *
 * Who has it: one client, for its own device. Nobody else finds it, and it goes with the client. It
 * goes, too, when it has not been used for some seconds (idle.h), so a client that seals its memory
 * against all writing may have to wait that long: it cannot be done while anybody has mapped it.
 *
 * How much: NNB_MEMORY_CACHE_ENTRIES of a client, and as many of a user as the quota says, each
 * with a descriptor, since descriptors are everybody's. A client that has as many loses one for
 * each that is new; a user that has, gets no more.
 */
#ifndef NNB_MEMORY_CACHE_H
#define NNB_MEMORY_CACHE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "hal-bridge/service/memory.h"

struct nnb_client;

#define NNB_MEMORY_CACHE_ENTRIES 16u

/**
 * struct nnb_memory_entry - memory that is kept
 * @range: what the client says of it; its descriptor is a duplicate, owned
 * @memory: a reference
 * @used: since the last sweep
 */
struct nnb_memory_entry {
	struct nnb_memory_range range;
	struct nnb_memory *memory;
	bool used;
};

/**
 * struct nnb_memory_cache - memories of a client
 * @lock: of what follows
 * @entries: @count of them
 * @count: of @entries
 * @next: where to look first: after the one that was found last, as calls bring several in turn
 * @seen: of what calls have brought lately: a hint that need not be right
 * @next_seen: of @seen is the oldest
 */
struct nnb_memory_cache {
	pthread_mutex_t lock;
	struct nnb_memory_entry entries[NNB_MEMORY_CACHE_ENTRIES];
	uint32_t count, next;
	struct {
		dev_t device;
		ino_t inode;
	} seen[NNB_MEMORY_CACHE_ENTRIES];
	uint32_t next_seen;
};

void nnb_memory_cache_init(struct nnb_memory_cache *cache);
/* Forgets everything. Return: how many memories that was. */
uint32_t nnb_memory_cache_fini(struct nnb_memory_cache *cache);

/*
 * A reference to the memory that @from says, kept or opened; where @borrow is set the caller needs
 * it for no longer than @call. Return: 0 or an ErrorStatus, with a message.
 */
int nnb_memory_cache_open(struct nnb_client *client, struct nnb_aidl_call *call,
			  const struct nnb_aidl_memory *from, bool borrow, struct nnb_memory **out);

/*
 * Gives back what has not been used since the last time: takes it out of the cache, to @entries of
 * NNB_MEMORY_CACHE_ENTRIES, whose count is returned, and takes @lock; then drops it and gives @lock
 * back, which lets the client go. So whoever holds the service's lock to find the client need not
 * hold it any longer while memory is freed.
 */
uint32_t nnb_memory_cache_begin_sweep(struct nnb_memory_cache *cache,
				      struct nnb_memory_entry *entries);
void nnb_memory_cache_end_sweep(struct nnb_memory_cache *cache,
				const struct nnb_memory_entry *entries, uint32_t count);

#endif
