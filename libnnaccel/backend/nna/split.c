// SPDX-License-Identifier: MIT
/*
 * Commands of much work as several of less: a job yields only between two commands, so none may
 * take as long as the job limit. Each does a part of the output's batches, rows or columns, from
 * the same inputs, and computes each element as the whole command would.
 */
#include <string.h>

#include "hw/gen/nnahw_decode.h"
#include "libnnaccel/backend/nna/nna.h"

/* Work of a command that is not split: a fraction of a slice, also of a slow device. */
#define MOST_WORK 500000000u

/* The axis of the output that has the most parts, of the first @count ones. */
static uint32_t longest_axis(const struct nnahw_tensor *output, uint32_t count)
{
	uint32_t axis = 0;

	for (uint32_t i = 1; i < count; i++)
		if (output->dims[i] > output->dims[axis])
			axis = i;
	return axis;
}

/* The window along an axis of the output; NULL where a window of the input has no meaning. */
static uint32_t *window_of(void *command, uint32_t opcode, uint32_t axis, uint32_t *stride)
{
	struct nnahw_cmd_conv *conv = command;
	struct nnahw_cmd_pool *pool = command;

	if (opcode == NNAHW_OP_MATMUL || !axis)
		return NULL;
	if (opcode == NNAHW_OP_POOL) {
		*stride = axis == 1 ? pool->stride_h : pool->stride_w;
		return axis == 1 ? &pool->pad_top : &pool->pad_left;
	}
	/* DWCONV has the same members at the same places. */
	*stride = axis == 1 ? conv->stride_h : conv->stride_w;
	return axis == 1 ? &conv->pad_top : &conv->pad_left;
}

static uint32_t first_of(uint32_t extent, uint32_t pieces, uint32_t piece)
{
	return (uint32_t)((uint64_t)extent * piece / pieces);
}

uint32_t nna_hw_split(const void *command, uint32_t *axis)
{
	const struct nnahw_command *head = command;
	const struct nnahw_command_info *info = nnahw_command_find(head->opcode);
	const struct nnahw_tensor *operands = (const void *)(head + 1);
	const uint64_t work = info ? nna_hw_work(info, command) : 0;
	uint32_t extent, stride, last, *pad;
	uint64_t pieces = work / MOST_WORK + 1;

	switch (head->opcode) {
	case NNAHW_OP_CONV:
	case NNAHW_OP_DWCONV:
	case NNAHW_OP_POOL:
		*axis = longest_axis(&operands[0], 3);
		break;
	case NNAHW_OP_MATMUL:
		*axis = longest_axis(&operands[0], 2);
		break;
	default:
		return 1;
	}
	extent = operands[0].dims[*axis];
	if (pieces > extent)
		pieces = extent;
	if (pieces < 2)
		return 1;
	/* A window of the last piece that begins behind the input would leave it no input. */
	pad = window_of((void *)(uintptr_t)command, head->opcode, *axis, &stride);
	last = first_of(extent, (uint32_t)pieces, (uint32_t)pieces - 1);
	if (pad && (uint64_t)last * stride >= (uint64_t)operands[1].dims[*axis] + *pad)
		return 1;
	return (uint32_t)pieces;
}

/* Leaves of a tensor the parts [@first, @end) of an axis. */
static void cut(struct nnahw_tensor *t, uint32_t axis, uint32_t first, uint32_t end)
{
	static const uint8_t sizes[] = {
		[NNAHW_TYPE_U8] = 1,  [NNAHW_TYPE_S8] = 1,  [NNAHW_TYPE_U16] = 2,
		[NNAHW_TYPE_S16] = 2, [NNAHW_TYPE_S32] = 4, [NNAHW_TYPE_S64] = 8,
		[NNAHW_TYPE_F16] = 2, [NNAHW_TYPE_F32] = 4, [NNAHW_TYPE_BOOL8] = 1,
		[NNAHW_TYPE_U32] = 4,
	};

	if (t->slot == NNAHW_SLOT_NONE)
		return;
	t->offset += (uint64_t)((int64_t)first * t->strides[axis] * sizes[t->type]);
	t->dims[axis] = end - first;
}

void nna_hw_cut(void *command, uint32_t axis, uint32_t piece, uint32_t pieces)
{
	struct nnahw_command *head = command;
	struct nnahw_tensor *operands = (void *)(head + 1);
	const uint32_t extent = operands[0].dims[axis];
	const uint32_t first = first_of(extent, pieces, piece);
	const uint32_t end = first_of(extent, pieces, piece + 1);
	uint32_t stride, begin, *pad = window_of(command, head->opcode, axis, &stride);

	cut(&operands[0], axis, first, end);
	if (head->opcode != NNAHW_OP_POOL)
		cut(&operands[NNAHW_CONV_RESIDUAL], axis, first, end);
	if (!pad) {
		cut(&operands[1], axis, first, end);
		/* Of MATMUL the second factor has batches, too. */
		if (head->opcode == NNAHW_OP_MATMUL && !axis)
			cut(&operands[2], axis, first, end);
		return;
	}
	/* The input begins with the first window, and goes on to its end. */
	begin = (uint64_t)first * stride > *pad ? first * stride - *pad : 0;
	*pad -= *pad < (uint64_t)first * stride ? *pad : first * stride;
	cut(&operands[1], axis, begin, operands[1].dims[axis]);
}
