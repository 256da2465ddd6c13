/* SPDX-License-Identifier: MIT */
/*
 * The resources of one call: memory, file descriptors and references to objects that decoding a
 * parcel or answering a call needs. They are released together at the end of the call.
 *
 * Memory comes from a list of blocks. A limit bounds the memory that a hostile parcel can use. An
 * arena belongs to one thread at a time.
 */
#ifndef NNB_ARENA_H
#define NNB_ARENA_H

#include <stddef.h>
#include <stdint.h>

/*
 * The default limit of a call's memory in bytes, many times the largest parcel that binder carries.
 */
#define NNB_ARENA_LIMIT (64u << 20)

struct nnb_object;

/**
 * struct nnb_arena - memory, fds and references of a call; all zero is an empty one
 * @block: the newest block, which points to the previous one; NULL for none
 * @used: used bytes of @block
 * @room: all bytes of @block
 * @total: bytes of all blocks
 * @limit: the limit of @total, 0 for NNB_ARENA_LIMIT
 * @deferred: actions at the end, the newest first; NULL for none
 */
struct nnb_arena {
	void *block;
	size_t used, room, total, limit;
	struct nnb_deferred *deferred;
};

/* Runs the deferred actions, frees the memory, and leaves an empty arena. */
void nnb_arena_fini(struct nnb_arena *arena);

/*
 * Allocates @count * @size zero bytes, aligned for any type. Return: NULL without memory, if the
 * product overflows, or beyond the limit; a valid pointer for 0 bytes.
 */
void *nnb_arena_alloc(struct nnb_arena *arena, size_t count, size_t size);

/*
 * Calls @undo(@data) at the end, in reverse order of deferral. Without memory it calls @undo at
 * once. Return: 0 or -ENOMEM.
 */
int nnb_arena_defer(struct nnb_arena *arena, void (*undo)(void *data), void *data);
/* Passes a descriptor or a reference to the arena, also after an error. Return: 0 or -ENOMEM. */
int nnb_arena_own_fd(struct nnb_arena *arena, int fd);
int nnb_arena_own_object(struct nnb_arena *arena, struct nnb_object *object);

#endif
