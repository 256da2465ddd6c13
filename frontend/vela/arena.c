// SPDX-License-Identifier: MIT
#include "frontend/vela/arena.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/backend/ethosu/marker.h"

_Static_assert(NNA_ETHOSU_REGIONS == NNA_ETHOSU_NODE_REGIONS, "streams and jobs have one number");

#define ALIGNMENT 16u
/* 40 bits of address. */
#define LARGEST ((uint64_t)1 << 40)

/**
 * struct vela_constants - a buffer of constants
 * @data: where they come from
 * @size: bytes
 */
struct vela_constants {
	struct vela_constants *next;
	const void *data;
	size_t size;
	struct vela_memory memory;
};

bool vela_is_npu(const char *path)
{
	char why[NNA_ETHOSU_NODE_ERROR];
	struct nna_ethosu_node node;

	if (path[0] != '/' || nna_ethosu_node_open(&node, path, why))
		return false;
	nna_ethosu_node_close(&node);
	return true;
}

int vela_arena_sizes(const struct tflite_model *model, uint64_t *scratch, uint64_t *fast,
		     char *error)
{
	const struct tflite_subgraph *sub = tflite_main(model);
	struct vela_operator op;
	int ret;

	*scratch = 0;
	*fast = 0;
	for (uint32_t i = 0; i < sub->operator_count; i++) {
		if (!vela_is_operator(&sub->operators[i]))
			continue;
		ret = vela_operator_read(model, i, &op, error);
		if (ret)
			return ret;
		*scratch = op.scratch_size > *scratch ? op.scratch_size : *scratch;
		*fast = op.fast_size > *fast ? op.fast_size : *fast;
	}
	return 0;
}

/* @extra: bytes from the tail on. */
static int make(struct vela_arena *arena, uint64_t size, uint64_t extra, struct vela_memory *memory)
{
	uint64_t tail;
	int ret;

	if (size > LARGEST)
		return -ENOMEM;
	tail = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
	tail = tail ? tail : ALIGNMENT;
	ret = nna_ethosu_buffer_create(&arena->node, tail + extra, &memory->buffer);
	if (ret)
		return ret;
	memory->tail = tail;
	memcpy(memory->buffer.memory + tail, nna_ethosu_marker, sizeof(nna_ethosu_marker));
	return 0;
}

int vela_arena_create(const char *path, uint64_t scratch, uint64_t fast, struct vela_arena **out,
		      char *error)
{
	char why[NNA_ETHOSU_NODE_ERROR];
	struct vela_arena *arena = calloc(1, sizeof(*arena));
	int ret;

	if (!arena) {
		snprintf(error, TFLITE_ERROR_SIZE, "out of memory");
		return -ENOMEM;
	}
	ret = nna_ethosu_node_open(&arena->node, path, why);
	if (ret) {
		snprintf(error, TFLITE_ERROR_SIZE, "%s", why);
		free(arena);
		return ret;
	}
	arena->scratch_size = scratch;
	arena->fast_size = fast;
	arena->sram = fast && fast <= arena->node.sram_size;
	ret = make(arena, scratch, NNA_ETHOSU_MARKER_SLOTS, &arena->scratch);
	if (!ret && fast && !arena->sram)
		ret = make(arena, fast, NNA_ETHOSU_MARKER_TAIL, &arena->fast);
	if (ret) {
		snprintf(error, TFLITE_ERROR_SIZE, "%s has no %llu bytes of contiguous memory: %s: "
			 "boot with a larger cma=", arena->node.path,
			 (unsigned long long)(scratch + fast), strerror(-ret));
		vela_arena_destroy(arena);
		return ret;
	}
	*out = arena;
	return 0;
}

void vela_arena_destroy(struct vela_arena *arena)
{
	struct vela_constants *constants, *next;

	if (!arena)
		return;
	for (constants = arena->constants; constants; constants = next) {
		next = constants->next;
		nna_ethosu_buffer_destroy(&arena->node, &constants->memory.buffer);
		free(constants);
	}
	nna_ethosu_buffer_destroy(&arena->node, &arena->fast.buffer);
	nna_ethosu_buffer_destroy(&arena->node, &arena->scratch.buffer);
	nna_ethosu_node_close(&arena->node);
	free(arena);
}

int vela_arena_constants(struct vela_arena *arena, const void *data, size_t size,
			 const struct vela_memory **out)
{
	struct vela_constants *constants;
	int ret;

	for (constants = arena->constants; constants; constants = constants->next)
		if (constants->data == data && constants->size == size) {
			*out = &constants->memory;
			return 0;
		}
	constants = calloc(1, sizeof(*constants));
	if (!constants)
		return -ENOMEM;
	ret = make(arena, size, NNA_ETHOSU_MARKER_TAIL, &constants->memory);
	if (ret) {
		free(constants);
		return ret;
	}
	memcpy(constants->memory.buffer.memory, data, size);
	constants->data = data;
	constants->size = size;
	constants->next = arena->constants;
	arena->constants = constants;
	*out = &constants->memory;
	return 0;
}
