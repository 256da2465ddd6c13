/* SPDX-License-Identifier: MIT */
/*
 * What lives as long as one call: memory, file descriptors and references to objects that decoding
 * a parcel or answering a call needs, given back together when the call is over.
 *
 * Memory is taken from a block that grows by further blocks; a limit bounds what a hostile parcel
 * can make it take. An arena belongs to one thread at a time.
 */
#ifndef NNB_ARENA_H
#define NNB_ARENA_H

#include <stddef.h>
#include <stdint.h>

/* Bytes that a call may take by default: many times the largest parcel that binder carries. */
#define NNB_ARENA_LIMIT (64u << 20)

struct nnb_object;

/**
 * struct nnb_arena - memory, fds and references of a call; all zero is an empty one
 * @block: the newest block, with a pointer to the one before; NULL for none
 * @used: bytes taken of @block
 * @room: bytes that @block has
 * @total: bytes of all blocks
 * @limit: the most that @total may become, 0 for NNB_ARENA_LIMIT
 * @deferred: what to do at the end, the newest first; NULL for nothing
 */
struct nnb_arena {
	void *block;
	size_t used, room, total, limit;
	struct nnb_deferred *deferred;
};

/* Does what was deferred, frees the memory, and leaves an empty arena. */
void nnb_arena_fini(struct nnb_arena *arena);

/*
 * @count * @size bytes of zeros, aligned for any type. Return: NULL when there is no memory, the
 * product overflows or the limit is reached; a valid pointer for 0 bytes.
 */
void *nnb_arena_alloc(struct nnb_arena *arena, size_t count, size_t size);

/*
 * Calls @undo(@data) at the end, the last deferred first; without memory at once. Return: 0 or
 * -ENOMEM.
 */
int nnb_arena_defer(struct nnb_arena *arena, void (*undo)(void *data), void *data);
/* Hands a descriptor or a reference to the arena, also after an error. Return: 0 or -ENOMEM. */
int nnb_arena_own_fd(struct nnb_arena *arena, int fd);
int nnb_arena_own_object(struct nnb_arena *arena, struct nnb_object *object);

#endif
