/* SPDX-License-Identifier: MIT */
/*
 * One description for CONV and DWCONV: a depthwise convolution is a grouped convolution with one
 * group per input channel.
 */
#ifndef NNADEV_CONV_H
#define NNADEV_CONV_H

#include "device/nna/engine/epilogue.h"
#include "device/nna/engine/window.h"

/**
 * struct nnadev_conv - a convolution that has passed the checks
 * @output, @input, @weights, @bias, @channels, @residual: operands of the command
 * @epilogue: of the command
 * @window: geometry
 * @layout: of the weights
 * @depthwise: the command is DWCONV, whose weights have other layouts
 * @batch, @out_h, @out_w, @out_c: dims of the output
 * @group_in, @group_out: input and output channels of a group
 * @k: products of an output element: kernel_h * kernel_w * group_in
 * @blocks: packed blocks of 16 output channels per group (depthwise: not used)
 */
struct nnadev_conv {
	const struct nnadev_engine_operand *output, *input, *weights, *bias, *channels, *residual;
	const struct nnahw_epilogue *epilogue;
	struct nnadev_window window;
	uint32_t layout;
	bool depthwise;
	uint32_t batch, out_h, out_w, out_c;
	uint32_t group_in, group_out, k, blocks;
};

/* Decodes a command. Derived counts are valid only if the command has passed the checks. */
void nnadev_conv_get(const struct nnadev_engine_command *cmd, struct nnadev_conv *g);

/*
 * Decodes CONV or MATMUL as independent matrix products: groups of a convolution, batches of a
 * matrix product. MATMUL has its operands in the places of CONV's in @g, and nothing else of @g.
 * @rows, @k, @n: dims of one product. Return: true for MATMUL.
 */
static inline bool nnadev_product_get(const struct nnadev_engine_command *cmd,
				      struct nnadev_conv *g, uint32_t *sets, uint32_t *rows,
				      uint32_t *k, uint32_t *n)
{
	if (cmd->raw->opcode != NNAHW_OP_MATMUL) {
		nnadev_conv_get(cmd, g);
		*sets = ((const struct nnahw_cmd_conv *)cmd->raw)->groups;
		*rows = g->batch * g->out_h * g->out_w;
		*k = g->k;
		*n = g->group_out;
		return false;
	}
	*g = (struct nnadev_conv){
		.output = &cmd->operands[NNAHW_MATMUL_OUTPUT],
		.input = &cmd->operands[NNAHW_MATMUL_A],
		.weights = &cmd->operands[NNAHW_MATMUL_B],
		.bias = &cmd->operands[NNAHW_MATMUL_BIAS],
		.channels = &cmd->operands[NNAHW_MATMUL_CHANNELS],
		.residual = &cmd->operands[NNAHW_MATMUL_RESIDUAL],
		.epilogue = &((const struct nnahw_cmd_matmul *)cmd->raw)->epilogue,
	};
	*sets = g->output->desc.dims[0];
	*rows = g->output->desc.dims[1];
	*k = g->input->desc.dims[2];
	*n = g->output->desc.dims[2];
	return true;
}

/*
 * Return: the element of the weights at (@ky, @kx) and channel @c of its group, for output channel
 * @n.
 */
static inline int64_t nnadev_conv_weight(const struct nnadev_conv *g, uint32_t n, uint32_t ky,
					 uint32_t kx, uint32_t c)
{
	const int32_t *s = g->weights->desc.strides;
	int64_t k = ((int64_t)ky * g->window.kernel_w + kx) * g->group_in + c;
	uint32_t group = n / g->group_out, i = n % g->group_out;

	if (g->layout == NNAHW_LAYOUT_PLAIN)
		return g->depthwise ? (int64_t)ky * s[1] + (int64_t)kx * s[2] + (int64_t)n * s[3]
				    : (int64_t)n * s[0] + (int64_t)ky * s[1] + (int64_t)kx * s[2] +
					      (int64_t)c * s[3];
	if (g->depthwise)
		return ((int64_t)(n / 16) * g->k + k) * 16 + n % 16;
	if (g->layout == NNAHW_LAYOUT_PACKED_FLOAT)
		return (((int64_t)group * g->blocks + i / 16) * g->k + k) * 16 + i % 16;
	return ((((int64_t)group * g->blocks + i / 16) * nnadev_div_up(g->k, 4) + k / 4) * 16 +
		i % 16) *
		       4 +
	       k % 4;
}

#endif
