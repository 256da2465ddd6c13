// SPDX-License-Identifier: MIT
/* Memories that calls bring repeatedly (memory_cache.h). */
#include "hal-bridge/service/memory_cache.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "hal-bridge/service/quota.h"
#include "hal-bridge/service/service.h"

#ifndef F_DUPFD_QUERY
#define F_DUPFD_QUERY 1027
#endif

static const struct nnb_quota nnb_one_kept = {.kept = 1};

/* -------------------------------------------------------------------------------------- entries */

static void nnb_memory_entry_drop(const struct nnb_memory_entry *entry)
{
	nnb_memory_unref(entry->memory);
	close(entry->range.fd);
}

/* Called with the lock. */
static struct nnb_memory_entry nnb_memory_cache_take(struct nnb_memory_cache *cache, uint32_t index)
{
	struct nnb_memory_entry entry = cache->entries[index];

	cache->entries[index] = cache->entries[--cache->count];
	return entry;
}

/* Releases an entry that was removed from the client's cache; an empty entry is allowed. */
static void nnb_memory_cache_forget(struct nnb_client *client, const struct nnb_memory_entry *entry)
{
	if (!entry->memory)
		return;
	nnb_memory_entry_drop(entry);
	nnb_quota_discharge(client, &nnb_one_kept);
}

static bool nnb_is_same_file(int fd, int other)
{
	return fcntl(fd, F_DUPFD_QUERY, other) == 1;
}

static bool nnb_memory_entry_is(const struct nnb_memory_entry *entry,
				const struct nnb_memory_range *range)
{
	return entry->range.offset == range->offset && entry->range.size == range->size &&
	       entry->range.protect == range->protect &&
	       nnb_is_same_file(range->fd, entry->range.fd);
}

/*
 * Return: the kept memory of a range, a reference; NULL for none. An entry whose seals have changed
 * is moved to @gone.
 */
static struct nnb_memory *nnb_memory_cache_find(struct nnb_memory_cache *cache,
						const struct nnb_memory_range *range,
						struct nnb_memory_entry *gone)
{
	struct nnb_memory *memory = NULL;

	pthread_mutex_lock(&cache->lock);
	for (uint32_t i = 0; i < cache->count; i++) {
		uint32_t index = (cache->next + i) % cache->count;
		struct nnb_memory_entry *entry = &cache->entries[index];

		if (!nnb_memory_entry_is(entry, range))
			continue;
		if (entry->memory->seals >= 0 &&
		    entry->memory->seals != fcntl(range->fd, F_GET_SEALS)) {
			*gone = nnb_memory_cache_take(cache, index);
		} else {
			entry->used = true;
			cache->next = index + 1;
			memory = nnb_memory_ref(entry->memory);
		}
		break;
	}
	pthread_mutex_unlock(&cache->lock);
	return memory;
}

/* Return: true if a recent call has brought the memory's file. Records the file as recent. */
static bool nnb_memory_cache_has_seen(struct nnb_memory_cache *cache,
				      const struct nnb_memory *memory)
{
	bool seen = false;

	pthread_mutex_lock(&cache->lock);
	for (uint32_t i = 0; i < NNB_MEMORY_CACHE_ENTRIES && !seen; i++)
		seen = cache->seen[i].device == memory->device &&
		       cache->seen[i].inode == memory->inode;
	if (!seen) {
		cache->seen[cache->next_seen].device = memory->device;
		cache->seen[cache->next_seen].inode = memory->inode;
		cache->next_seen = (cache->next_seen + 1) % NNB_MEMORY_CACHE_ENTRIES;
	}
	pthread_mutex_unlock(&cache->lock);
	return seen;
}

/* Keeps the memory. Without quota or a descriptor, the next call opens it again. */
static void nnb_memory_cache_keep(struct nnb_client *client, const struct nnb_memory_range *range,
				  struct nnb_memory *memory)
{
	struct nnb_memory_cache *cache = &client->memories;
	struct nnb_memory_entry entry = {.range = *range, .memory = memory, .used = true};
	struct nnb_memory_entry gone = {0}, *at;

	if (nnb_quota_charge(client, &nnb_one_kept))
		return;
	nnb_memory_ref(memory);
	entry.range.fd = fcntl(range->fd, F_DUPFD_CLOEXEC, 0);
	if (!nnb_is_same_file(range->fd, entry.range.fd)) {
		nnb_memory_cache_forget(client, &entry);
		return;
	}
	pthread_mutex_lock(&cache->lock);
	if (cache->count == NNB_MEMORY_CACHE_ENTRIES)
		gone = nnb_memory_cache_take(cache, cache->next % cache->count);
	at = cache->entries + cache->count++;
	*at = entry;
	pthread_mutex_unlock(&cache->lock);
	nnb_memory_cache_forget(client, &gone);
	nnb_idle_watch(&client->service->idle);
}

/* ---------------------------------------------------------------------------------------- cache */

void nnb_memory_cache_init(struct nnb_memory_cache *cache)
{
	memset(cache, 0, sizeof(*cache));
	pthread_mutex_init(&cache->lock, NULL);
}

uint32_t nnb_memory_cache_fini(struct nnb_memory_cache *cache)
{
	/* A sweep may be in its last part, which holds the lock. */
	pthread_mutex_lock(&cache->lock);
	for (uint32_t i = 0; i < cache->count; i++)
		nnb_memory_entry_drop(&cache->entries[i]);
	pthread_mutex_unlock(&cache->lock);
	pthread_mutex_destroy(&cache->lock);
	return cache->count;
}

int nnb_memory_cache_open(struct nnb_client *client, struct nnb_aidl_call *call,
			  const struct nnb_aidl_memory *from, bool borrow, struct nnb_memory **out)
{
	struct nnb_memory_entry gone = {0};
	struct nnb_memory_range range;
	struct nnb_memory *lasting;
	int ret = nnb_memory_find_range(call, from, &range);

	*out = NULL;
	if (ret)
		return ret;
	*out = nnb_memory_cache_find(&client->memories, &range, &gone);
	nnb_memory_cache_forget(client, &gone);
	if (*out)
		return 0;
	ret = nnb_memory_open(client, call, &range, borrow, out);
	if (ret || !(*out)->fixed || !nnb_memory_cache_has_seen(&client->memories, *out))
		return ret;
	if ((*out)->borrowed && !nnb_memory_open(client, call, &range, false, &lasting)) {
		nnb_memory_unref(*out);
		*out = lasting;
	}
	if ((*out)->buffer || (*out)->map)
		nnb_memory_cache_keep(client, &range, *out);
	return 0;
}

uint32_t nnb_memory_cache_begin_sweep(struct nnb_memory_cache *cache,
				      struct nnb_memory_entry *entries)
{
	uint32_t count = 0;

	pthread_mutex_lock(&cache->lock);
	for (uint32_t i = cache->count; i--;) {
		if (!cache->entries[i].used)
			entries[count++] = nnb_memory_cache_take(cache, i);
		else
			cache->entries[i].used = false;
	}
	return count;
}

void nnb_memory_cache_end_sweep(struct nnb_memory_cache *cache,
				const struct nnb_memory_entry *entries, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		nnb_memory_entry_drop(&entries[i]);
	pthread_mutex_unlock(&cache->lock);
}
