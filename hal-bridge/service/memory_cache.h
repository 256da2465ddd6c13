/* SPDX-License-Identifier: MIT */
/*
 * A cache of open memories that a client's calls bring repeatedly. A burst or a reusable execution
 * names the memories that it keeps. A synchronous or fenced execution brings the descriptors of its
 * memories each time. Examining, importing and mapping them again would cost more than the rest of
 * a small request.
 *
 * Contents: fixed memory (memory.h) that is shared with the device or mapped, from the second call
 * that brings it. Many clients make new memory for every call, which is not worth keeping. Files
 * that may be truncated are read and written at each call and their size is checked, so the cache
 * could not help.
 *
 * Equality: the range and the protection are equal, and the kernel says that both descriptors, the
 * parcel's and the kept duplicate, refer to one open file (F_DUPFD_QUERY). Access mode and inode
 * belong to the open file while it exists. The numbers of descriptors and of inodes are reused, so
 * neither is compared (inode numbers of dma-bufs have 32 bits and come from a counter shared with
 * pipes and sockets). An inode that is opened again, read-only for instance, is another memory. An
 * open file's seals can change, so they are read each time. A memory whose seals have changed is
 * dropped, because its mapping may allow more than the descriptor does now. An older kernel cannot
 * compare descriptors; then the cache stays empty.
 *
 * Owner: one client, for its own device. Other clients cannot find an entry, and it goes with the
 * client. It is also dropped after some seconds without use (idle.h). A file cannot be sealed
 * against writing while it is mapped, so a client that wants to do so may have to wait that long.
 *
 * Size: NNB_MEMORY_CACHE_ENTRIES per client, and the quota's number per user, because each entry
 * takes a descriptor and all clients share those. Beyond the client's limit a new entry replaces an
 * old one; beyond the user's limit no entry is added.
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
 * struct nnb_memory_entry - a kept memory
 * @range: the client's description; its descriptor is a duplicate, owned
 * @memory: a reference
 * @used: since the last sweep
 */
struct nnb_memory_entry {
	struct nnb_memory_range range;
	struct nnb_memory *memory;
	bool used;
};

/**
 * struct nnb_memory_cache - the kept memories of a client
 * @lock: guards the fields below
 * @entries: @count of them
 * @count: entries of @entries
 * @next: where a search starts: after the last found entry, because calls bring memories in turn
 * @seen: files of recent calls: a hint, which may be wrong
 * @next_seen: index of the oldest entry of @seen
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
/* Drops all entries. Return: their number. */
uint32_t nnb_memory_cache_fini(struct nnb_memory_cache *cache);

/*
 * Gets a reference to the memory @from, kept or newly opened. With @borrow the caller does not need
 * it after @call. Return: 0 or an ErrorStatus, with a message.
 */
int nnb_memory_cache_open(struct nnb_client *client, struct nnb_aidl_call *call,
			  const struct nnb_aidl_memory *from, bool borrow, struct nnb_memory **out);

/*
 * Release unused entries in two steps. nnb_memory_cache_begin_sweep() moves the entries that were
 * not used since the last sweep to @entries, which has room for NNB_MEMORY_CACHE_ENTRIES, takes
 * @lock, and returns their number. nnb_memory_cache_end_sweep() drops them and releases @lock,
 * after which the client may be freed. So the caller can release the service's lock, with which it
 * found the client, before memory is freed.
 */
uint32_t nnb_memory_cache_begin_sweep(struct nnb_memory_cache *cache,
				      struct nnb_memory_entry *entries);
void nnb_memory_cache_end_sweep(struct nnb_memory_cache *cache,
				const struct nnb_memory_entry *entries, uint32_t count);

#endif
