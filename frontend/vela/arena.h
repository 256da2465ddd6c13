/* SPDX-License-Identifier: MIT */
/*
 * The memory of a model's operators on the NPU: buffers of a node, by the regions of the streams.
 *
 *	region 0	constants, one buffer for those that operators share
 *	region 1	the scratch memory, with all values
 *	region 2	the fast scratch memory: the NPU's SRAM where the driver has as much, else a
 *			buffer
 *
 * Each buffer has room for the marker (libnnaccel/backend/ethosu/marker.h) behind its own bytes. An
 * arena is of one model, whose operators run one after the other: they leave values for later ones
 * in the scratch memory.
 */
#ifndef VELA_ARENA_H
#define VELA_ARENA_H

#include "frontend/vela/operator.h"
#include "libnnaccel/winsys/ethosu/node.h"

#define VELA_REGION_CONSTANTS 0u
#define VELA_REGION_SCRATCH 1u
#define VELA_REGION_FAST 2u
#define VELA_REGIONS 3u

/**
 * struct vela_memory - a buffer for a region
 * @buffer: without memory for a region that has none
 * @tail: where the marker's constant is, 0 for a region without memory
 */
struct vela_memory {
	struct nna_ethosu_buffer buffer;
	uint64_t tail;
};

struct vela_constants;

/**
 * struct vela_arena - the memory
 * @node: open
 * @scratch_size: bytes of region 1 without the marker
 * @fast_size: bytes of region 2
 * @sram: region 2 is the NPU's SRAM
 * @scratch: region 1
 * @fast: region 2, unless @sram
 * @constants: list of buffers for region 0
 */
struct vela_arena {
	struct nna_ethosu_node node;
	uint64_t scratch_size, fast_size;
	bool sram;
	struct vela_memory scratch, fast;
	struct vela_constants *constants;
};

/* Whether a path is that of an NPU's node. */
bool vela_is_npu(const char *path);

/* The sizes that the operators of the main subgraph need. Return: 0 or -EINVAL with a line. */
int vela_arena_sizes(const struct tflite_model *model, uint64_t *scratch, uint64_t *fast,
		     char *error);

/**
 * vela_arena_create() - open a node and make the memory
 * @path: of the node, NULL for the first one
 * @error: TFLITE_ERROR_SIZE bytes for a line
 *
 * Return: 0 or a negative errno; -ENOENT and -ENODEV where there is no such NPU.
 */
int vela_arena_create(const char *path, uint64_t scratch, uint64_t fast, struct vela_arena **out,
		      char *error);
void vela_arena_destroy(struct vela_arena *arena);

/*
 * The memory that has the constants @data, which stay there as long as the arena: made, or an
 * earlier one of the same bytes in the same place. Return: 0 or a negative errno.
 */
int vela_arena_constants(struct vela_arena *arena, const void *data, size_t size,
			 const struct vela_memory **out);

#endif
