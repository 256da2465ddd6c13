// SPDX-License-Identifier: MIT
/*
 * The work of a stream: a bound of its run time, with the work that a device does in a second
 * (register WORK_RATE, which says how work is counted).
 */
#include <string.h>

#include "hw/gen/nnahw_decode.h"
#include "libnnaccel/backend/nna/nna.h"

#define PRODUCT 1u
#define PLAIN_PRODUCT 4u
#define ELEMENT 16u

static uint64_t times(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint64_t plus(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static uint64_t elements_of(const struct nnahw_tensor *t)
{
	uint64_t count = 1;

	if (t->slot == NNAHW_SLOT_NONE)
		return 0;
	for (uint32_t i = 0; i < t->rank && i < NNAHW_MAX_RANK; i++)
		count = times(count, t->dims[i]);
	return count;
}

/* The work of the sums of products that a command makes for each element of its output. */
static uint64_t sums_of(uint32_t opcode, const void *bytes)
{
	const struct nnahw_cmd_conv *conv = bytes;
	const struct nnahw_cmd_dwconv *dwconv = bytes;
	const struct nnahw_cmd_matmul *matmul = bytes;
	const struct nnahw_cmd_pool *pool = bytes;
	uint64_t window, product;

	switch (opcode) {
	case NNAHW_OP_CONV:
		product = conv->layout == NNAHW_LAYOUT_PLAIN ? PLAIN_PRODUCT : PRODUCT;
		window = times(conv->kernel_h, conv->kernel_w);
		window = times(window, conv->input.dims[3] / (conv->groups ? conv->groups : 1));
		return times(window, product);
	case NNAHW_OP_DWCONV:
		product = dwconv->layout == NNAHW_LAYOUT_PLAIN ? PLAIN_PRODUCT : PRODUCT;
		window = times(dwconv->kernel_h, dwconv->kernel_w);
		return times(window, product);
	case NNAHW_OP_MATMUL:
		window = matmul->a.rank && matmul->a.rank <= NNAHW_MAX_RANK ?
				 matmul->a.dims[matmul->a.rank - 1] : 1;
		return times(window, PLAIN_PRODUCT);
	case NNAHW_OP_POOL:
		return times(times(pool->kernel_h, pool->kernel_w), ELEMENT);
	default:
		return 0;
	}
}

uint64_t nna_hw_work(const struct nnahw_command_info *info, const void *bytes)
{
	const struct nnahw_tensor *operands =
		(const void *)((const char *)bytes + sizeof(struct nnahw_command));
	uint64_t work = 0;

	for (uint32_t i = 0; i < info->operand_count; i++)
		work = plus(work, elements_of(&operands[i]));
	/* Weights are read for the products. */
	if (info->opcode == NNAHW_OP_CONV || info->opcode == NNAHW_OP_DWCONV)
		work = elements_of(&operands[0]);
	work = times(work, ELEMENT);
	if (info->operand_count)
		work = plus(work, times(elements_of(&operands[0]), sums_of(info->opcode, bytes)));
	return work;
}

uint64_t nna_hw_measure(const void *stream, size_t size)
{
	uint64_t work = 0;
	size_t at = sizeof(struct nnahw_stream_header);

	while (at < size && size - at >= sizeof(struct nnahw_command)) {
		const struct nnahw_command_info *info;
		struct nnahw_command head;

		memcpy(&head, (const char *)stream + at, sizeof(head));
		info = nnahw_command_find(head.opcode);
		if (!info || head.size < info->size || head.size > size - at)
			break;
		work = plus(work, nna_hw_work(info, (const char *)stream + at));
		at += head.size;
	}
	return work;
}
