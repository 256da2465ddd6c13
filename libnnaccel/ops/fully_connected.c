// SPDX-License-Identifier: MIT
/*
 * FULLY_CONNECTED: each row of the input times a matrix, plus a bias.
 *
 *	in 0	input		FLOAT, QUANT8 [...]	taken as [batch, K]
 *	in 1	weights		as for CONV_2D [N, K]
 *	in 2	bias?		as for CONV_2D [N]
 *	in 3	activation?	INT32			fused
 *	out 0	output		T0 [batch, N]
 *
 * Lowered to a convolution of images of one pixel, so that the compiler packs weights and fuses
 * epilogues as for CONV_2D.
 */
#include "libnnaccel/ops/conv.h"

static int check(struct nna_op_context *op)
{
	enum nna_activation act;

	return nna_conv_check_scales(op, 0) ?:
	       nna_check_dim(op, 2, 0, nna_known_dim(&op->in[1], 0)) ?:
	       nna_later(nna_param_activation(op, 3, &act));
}

static int infer(struct nna_op_context *op)
{
	uint32_t units = op->in[1].dims[0], size = op->in[1].dims[1], dims[2];
	uint64_t elements;
	int ret = nna_require_elements(op, 1, 3) ?: nna_require_count(op, 0, &elements);

	if (ret)
		return ret;
	if (elements % size)
		return nna_op_refuse(op, NNA_IN(0), "%llu elements",
				     "a multiple of %u, dimension 1 of input 1",
				     (unsigned long long)elements, size);
	dims[0] = (uint32_t)(elements / size);
	dims[1] = units;
	return nna_set_dims(op, 0, 2, dims);
}

static int lower(struct nna_op_context *op)
{
	uint32_t batch = op->out[0].dims[0], units = op->out[0].dims[1], size = op->in[1].dims[1];
	struct nna_conv_params params = nna_conv_plain;
	int ret = nna_param_activation(op, 3, &params.act);

	if (ret)
		return ret;
	/* LiteRT 2 rounds once; TFLite before it rounded twice, as in convolutions. */
	params.once = true;
	NNA_VALUE(in, nna_lower_in(op, 0));
	NNA_VALUE(weights, nna_lower_in(op, 1));
	NNA_VALUE(bias, nna_op_has_input(op, 2) ? nna_lower_in(op, 2) : NNA_NO_VALUE);
	NNA_VALUE(out, nna_lower_out(op, 0));
	if (!batch)
		return 0;
	NNA_VALUE(rows, nna_emit_reshape(op->lower, in, 4, (uint32_t[]){ batch, 1, 1, size }));
	NNA_VALUE(filter,
		  nna_emit_reshape(op->lower, weights, 4, (uint32_t[]){ units, 1, 1, size }));
	NNA_VALUE(result, nna_emit_reshape(op->lower, out, 4, (uint32_t[]){ batch, 1, 1, units }));
	return nna_emit_conv2d(op->lower, result, rows, filter, bias, &params);
}

const struct nna_op nna_op_fully_connected = {
	.type = NNA_OPERATION_FULLY_CONNECTED,
	.check = check, .infer = infer, .lower = lower,
};
