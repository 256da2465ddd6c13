// SPDX-License-Identifier: MIT
/*
 * RANDOM_MULTINOMIAL: classes drawn at random.
 *
 *	in 0	logits	FLOAT [batch, classes]	logarithms of probabilities, up to a constant
 *	in 1	samples	INT32			0 or more
 *	in 2	seeds	INT32 [2]
 *	out 0	classes	INT32 [batch, samples]
 *
 * Lowered to MULTINOMIALs of the ir, each of as many rows as the ir allows. The random numbers of a
 * row depend on the seeds and the index of the row only, so the split does not change the result.
 */
#include "libnnaccel/ops/op_util.h"

/* The limit of rows times classes of one MULTINOMIAL. */
#define MOST_SUMS (1u << 23)

static int read_samples(const struct nna_op_context *op, uint32_t *samples)
{
	return nna_param_number(op, 1, "the number of samples", 0, INT32_MAX, samples);
}

static int check(struct nna_op_context *op)
{
	uint32_t samples;

	return nna_check_dim(op, 2, 0, 2) ?: nna_later(read_samples(op, &samples));
}

static int infer(struct nna_op_context *op)
{
	uint32_t samples;

	return read_samples(op, &samples) ?:
	       nna_require_dim(op, 2, 0, 2, "the number of seeds") ?:
	       nna_require_elements(op, 0, 1u << 1) ?:
	       nna_set_dims(op, 0, 2, (uint32_t[]){ op->in[0].dims[0], samples });
}

static int lower(struct nna_op_context *op)
{
	struct nna_ir_op command = { .kind = NNA_IR_MULTINOMIAL };
	uint32_t batch = op->in[0].dims[0], classes = op->in[0].dims[1];
	uint32_t samples = op->out[0].dims[1], values[3];
	uint32_t most = classes < MOST_SUMS ? MOST_SUMS / classes : 1, count;
	int ret = 0;

	NNA_VALUE(in, nna_lower_in(op, 0));
	NNA_VALUE(seeds, nna_lower_in(op, 2));
	NNA_VALUE(out, nna_lower_out(op, 0));
	if (nna_value_is_empty(op->lower, out))
		return 0;
	values[NNA_MULTINOMIAL_SEEDS] = seeds;
	for (uint32_t row = 0; row < batch && !ret; row += count) {
		count = batch - row < most ? batch - row : most;
		NNA_VALUE(rows_in, nna_view_range(op->lower, in, 0, row, count));
		NNA_VALUE(rows_out, nna_view_range(op->lower, out, 0, row, count));
		values[NNA_MULTINOMIAL_INPUT] = rows_in;
		values[NNA_MULTINOMIAL_OUTPUT] = rows_out;
		command.multinomial.first = (uint64_t)row * samples;
		ret = nna_ir_add(op->lower, &command, values);
	}
	return ret;
}

const struct nna_op nna_op_multinomial = {
	.type = NNA_OPERATION_RANDOM_MULTINOMIAL,
	.check = check, .infer = infer, .lower = lower,
};
