// SPDX-License-Identifier: MIT
/* Memory, descriptors and references of one call (arena.h). */
#include "hal-bridge/binder/arena.h"

#include <errno.h>
#include <stdalign.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hal-bridge/binder/object.h"

#define NNB_ARENA_BLOCK 4096

struct nnb_block {
	struct nnb_block *before;
	alignas(max_align_t) unsigned char data[];
};

/* An action at the end of the arena, which lies in the arena itself. */
struct nnb_deferred {
	struct nnb_deferred *before;
	void (*undo)(void *data);
	void *data;
};

void nnb_arena_fini(struct nnb_arena *arena)
{
	struct nnb_block *block, *before;

	for (struct nnb_deferred *at = arena->deferred; at; at = at->before)
		at->undo(at->data);
	for (block = arena->block; block; block = before) {
		before = block->before;
		free(block);
	}
	*arena = (struct nnb_arena){ .limit = arena->limit };
}

void *nnb_arena_alloc(struct nnb_arena *arena, size_t count, size_t size)
{
	const size_t align = alignof(max_align_t);
	size_t limit = arena->limit ? arena->limit : NNB_ARENA_LIMIT;
	struct nnb_block *block;
	size_t bytes, room;
	void *at;

	if (__builtin_mul_overflow(count, size, &bytes) || bytes > limit)
		return NULL;
	bytes = (bytes + align - 1) & ~(align - 1);
	if (!arena->block || bytes > arena->room - arena->used) {
		room = bytes > NNB_ARENA_BLOCK ? bytes : NNB_ARENA_BLOCK;
		if (room > limit - arena->total)
			return NULL;
		block = malloc(sizeof(*block) + room);
		if (!block)
			return NULL;
		block->before = arena->block;
		arena->block = block;
		arena->used = 0;
		arena->room = room;
		arena->total += room;
	}
	block = arena->block;
	at = block->data + arena->used;
	arena->used += bytes;
	memset(at, 0, bytes);
	return at;
}

int nnb_arena_defer(struct nnb_arena *arena, void (*undo)(void *data), void *data)
{
	struct nnb_deferred *deferred = nnb_arena_alloc(arena, 1, sizeof(*deferred));

	if (!deferred) {
		undo(data);
		return -ENOMEM;
	}
	deferred->before = arena->deferred;
	deferred->undo = undo;
	deferred->data = data;
	arena->deferred = deferred;
	return 0;
}

static void nnb_arena_close(void *data)
{
	close((int)(intptr_t)data);
}

int nnb_arena_own_fd(struct nnb_arena *arena, int fd)
{
	return nnb_arena_defer(arena, nnb_arena_close, (void *)(intptr_t)fd);
}

static void nnb_arena_unref(void *data)
{
	nnb_object_unref(data);
}

int nnb_arena_own_object(struct nnb_arena *arena, struct nnb_object *object)
{
	return nnb_arena_defer(arena, nnb_arena_unref, object);
}
