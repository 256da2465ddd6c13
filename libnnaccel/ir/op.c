// SPDX-License-Identifier: MIT
/* The kinds of operations as data. */
#include "libnnaccel/ir/op.h"

static const struct {
	const char *name;
	uint8_t operands, outputs;
} kinds[NNA_IR_KINDS] = {
	[NNA_IR_CONV2D] = { "CONV2D", 6, 1 },
	[NNA_IR_MATMUL] = { "MATMUL", 6, 1 },
	[NNA_IR_POOL] = { "POOL", 2, 1 },
	[NNA_IR_UNARY] = { "UNARY", 2, 1 },
	[NNA_IR_BINARY] = { "BINARY", 3, 1 },
	[NNA_IR_MUL_ADD] = { "MUL_ADD", 4, 1 },
	[NNA_IR_SELECT] = { "SELECT", 4, 1 },
	[NNA_IR_ROWS] = { "ROWS", 9, 7 },
	[NNA_IR_RESCALE] = { "RESCALE", 2, 1 },
	[NNA_IR_CLAMP] = { "CLAMP", 2, 1 },
	[NNA_IR_COPY] = { "COPY", 2, 1 },
	[NNA_IR_FILL] = { "FILL", 1, 1 },
	[NNA_IR_REDUCE] = { "REDUCE", 2, 1 },
	[NNA_IR_ARG] = { "ARG", 2, 1 },
	[NNA_IR_TOPK] = { "TOPK", 3, 3 },
	[NNA_IR_SOFTMAX] = { "SOFTMAX", 2, 1 },
	[NNA_IR_NORM16] = { "NORM16", 4, 1 },
	[NNA_IR_NORM8] = { "NORM8", 2, 1 },
	[NNA_IR_RESIZE] = { "RESIZE", 2, 1 },
	[NNA_IR_ROI] = { "ROI", 4, 1 },
	[NNA_IR_GATHER] = { "GATHER", 3, 1 },
	[NNA_IR_LSH] = { "LSH", 4, 1 },
	[NNA_IR_MULTINOMIAL] = { "MULTINOMIAL", 3, 1 },
	[NNA_IR_KEYPOINT] = { "KEYPOINT", 4, 3 },
	[NNA_IR_NMS] = { "NMS", 9, 0x1f },
	[NNA_IR_JUMP] = { "JUMP", 0, 0 },
	[NNA_IR_BRANCH] = { "BRANCH", 1, 0 },
};

const char *nna_ir_kind_name(uint8_t kind)
{
	return kind < NNA_IR_KINDS ? kinds[kind].name : "?";
}

uint32_t nna_ir_kind_operands(uint8_t kind, uint32_t *outputs)
{
	*outputs = kinds[kind].outputs;
	return kinds[kind].operands;
}
