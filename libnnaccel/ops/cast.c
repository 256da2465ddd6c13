// SPDX-License-Identifier: MIT
/*
 * CAST: the stored numbers in another type; scale and zero point have no effect. Integers beyond
 * the range of a quantised type saturate.
 *
 *	in 0	input	ANY [...]
 *	out 0	output	ANY [...]
 *
 * QUANTIZE: the nearest numbers that the output can store. As in TFLite, the input may be
 * quantised.
 *
 *	in 0	input	FLOAT, QUANT8 [...]
 *	out 0	output	QUANT8, QUANT16_SYMM [...]
 *
 * DEQUANTIZE: the real numbers that the input stores.
 *
 *	in 0	input	QUANT8, QUANT8_SYMM, QUANT8_SYMM_PER_CHANNEL, QUANT16_SYMM, FLOAT16 [...]
 *	out 0	output	FLOAT [...]
 *
 * Lowered to one CAST of the ir. Scales per channel need one CAST for each channel, because an
 * operand of CAST has one scale.
 */
#include "libnnaccel/ops/op_util.h"

#define PER_CHANNEL NNA_BIT(NNA_OPERAND_TENSOR_QUANT8_SYMM_PER_CHANNEL)
#define SYMM8 NNA_BIT(NNA_OPERAND_TENSOR_QUANT8_SYMM)
#define SYMM16 NNA_BIT(NNA_OPERAND_TENSOR_QUANT16_SYMM)
#define FLOAT16 NNA_BIT(NNA_OPERAND_TENSOR_FLOAT16)

static int dequantize_channels(struct nna_lower *l, uint32_t out, uint32_t in,
			       const struct nna_shape *shape)
{
	for (uint32_t c = 0; c < shape->channel_count; c++) {
		NNA_VALUE(part, nna_view_range(l, in, shape->channel_dim, c, 1));
		NNA_VALUE(scaled,
			  nna_view_retype(l, part, NNA_TYPE_S8, shape->channel_scales[c], 0));
		NNA_VALUE(result, nna_view_range(l, out, shape->channel_dim, c, 1));
		int ret = nna_emit_ewise(l, NNA_FN_IDENTITY, result, scaled, NNA_NO_VALUE,
					 NNA_NO_VALUE, NNA_ACT_NONE, 0);

		if (ret)
			return ret;
	}
	return 0;
}

/* Emits a clamp to the range of @type before the CAST, which would keep the low bits. */
static int cast_saturating(struct nna_lower *l, uint32_t out, uint32_t in,
			   enum nna_operand_type type)
{
	int64_t low, high;
	int32_t bounds[2];
	uint32_t one = 1;
	int ret;

	nna_operand_type_range(type, &low, &high);
	bounds[0] = (int32_t)low;
	bounds[1] = (int32_t)high;
	NNA_VALUE(least, nna_lower_constant(l, NNA_TYPE_S32, 1, &one, 0, 0, &bounds[0]));
	NNA_VALUE(most, nna_lower_constant(l, NNA_TYPE_S32, 1, &one, 0, 0, &bounds[1]));
	NNA_VALUE(below, nna_do_scratch_like(l, nna_lower_value(l, in)->type, in));
	NNA_VALUE(within, nna_do_scratch_like(l, nna_lower_value(l, in)->type, in));
	ret = nna_emit_ewise(l, NNA_FN_MINIMUM, below, in, most, NNA_NO_VALUE,
			     NNA_ACT_NONE, 0) ?:
	      nna_emit_ewise(l, NNA_FN_MAXIMUM, within, below, least, NNA_NO_VALUE,
			     NNA_ACT_NONE, 0);
	return ret ?: nna_emit_ewise(l, NNA_FN_CAST, out, within, NNA_NO_VALUE, NNA_NO_VALUE,
				     NNA_ACT_NONE, 0);
}

static int lower(struct nna_op_context *op)
{
	uint8_t kind = op->operation->type == NNA_OPERATION_CAST ? NNA_FN_CAST :
								   NNA_FN_IDENTITY;

	NNA_VALUE(in, nna_lower_in(op, 0));
	NNA_VALUE(out, nna_lower_out(op, 0));
	if (nna_value_is_empty(op->lower, out))
		return 0;
	if (op->in[0].type == NNA_OPERAND_TENSOR_QUANT8_SYMM_PER_CHANNEL)
		return dequantize_channels(op->lower, out, in, &op->in[0]);
	if (kind == NNA_FN_CAST && NNA_BIT(op->in[0].type) & (NNA_T_INT32 | NNA_T_INT64) &&
	    nna_operand_type_is_quantised(op->out[0].type))
		return cast_saturating(op->lower, out, in, op->out[0].type);
	if (op->operation->type == NNA_OPERATION_QUANTIZE)
		return nna_emit_requantize(op->lower, out, in);
	return nna_emit_ewise(op->lower, kind, out, in, NNA_NO_VALUE, NNA_NO_VALUE,
			      NNA_ACT_NONE, 0);
}

#define CAST(name, number) \
	const struct nna_op nna_op_##name = { \
		.type = number, \
		.infer = nna_infer_like_first, .lower = lower, \
	}

CAST(cast, NNA_OPERATION_CAST);
CAST(quantize, NNA_OPERATION_QUANTIZE);
CAST(dequantize, NNA_OPERATION_DEQUANTIZE);
