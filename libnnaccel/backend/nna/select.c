// SPDX-License-Identifier: MIT
/* Adds the channels tables to quantised convolutions and products. */
#include <errno.h>
#include <stdlib.h>

#include "libnnaccel/backend/nna/nna.h"

/*
 * Makes the channels table of @n entries, whose factors are in.scale * weights.scale / out.scale;
 * sums, which are F32, have none.
 * One entry suffices if all channels have one scale and the command accepts that.
 */
static int64_t channels_table(struct nna_lower *l, const struct nna_value *in,
			      const struct nna_value *weights, const struct nna_value *out,
			      uint32_t n, uint8_t rounding)
{
	uint32_t dims[2] = { n, 4 };
	struct nnahw_channel *table;
	int64_t value;

	table = calloc(n ? n : 1, sizeof(*table));
	if (!table)
		return -ENOMEM;
	for (uint32_t c = 0; c < n && !nna_type_is_float(out->type); c++)
		nna_requantize_from(nna_channel_factor(in, weights, out, c, rounding),
				    &table[c].multiplier, &table[c].shift);
	value = nna_lower_constant(l, NNA_TYPE_S32, 2, dims, 0, 0, table);
	free(table);
	return value;
}

int nna_hw_select(struct nna_lower *l)
{
	for (uint32_t i = 0; i < l->op_count; i++) {
		struct nna_ir_op *op = &l->ops[i];
		struct nna_value in, weights, out;
		uint32_t n;
		int64_t table;

		if (op->dead || (op->kind != NNA_IR_CONV2D && op->kind != NNA_IR_MATMUL) ||
		    op->values[NNA_CONV2D_PRIVATE] != NNA_NO_VALUE)
			continue;
		out = l->values[op->values[NNA_CONV2D_OUTPUT]];
		if (nna_type_is_float(out.type) && !nna_hw_has_sums(l, op))
			continue;
		/* The result before a residual is added may have a scale of its own. */
		if (op->values[NNA_CONV2D_RESIDUAL] != NNA_NO_VALUE)
			out.scale = op->sum.scale;
		in = l->values[op->values[NNA_CONV2D_INPUT]];
		weights = l->values[op->values[NNA_CONV2D_WEIGHTS]];
		n = op->kind == NNA_IR_CONV2D ? weights.dims[0] :
		    weights.channel_scales    ? out.dims[2] :
						1;
		table = channels_table(l, &in, &weights, &out, n,
				       op->rounding);
		if (table < 0)
			return table;
		op->values[NNA_CONV2D_PRIVATE] = table;
	}
	return 0;
}
