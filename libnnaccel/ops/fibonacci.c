// SPDX-License-Identifier: MIT
/*
 * FIBONACCI: the first n Fibonacci numbers, 1, 1, 2, 3 ...
 *
 *	in 0	n	INT64 [1], FLOAT32 [1]	1 to MAX_COUNT
 *	in 1	scaling	INT64 [3]		multiplier, divisor, offset: constants; 1, 1, 0 for
 *						numbers of FLOAT32
 *	out 0	numbers	INT64 [n], FLOAT32 [n]	number * multiplier / divisor + offset, the quotient
 *						rounded down
 *
 * An example of a vendor's operation, which NNAPI does not have (hal-bridge/examples/). The device
 * runs a loop: each iteration shifts the row of numbers by one element and appends the next number.
 * Sums wrap around in 64 bits.
 */
#include <math.h>

#include "libnnaccel/ops/op_util.h"

#define MAX_COUNT 4096

/**
 * struct scaling - how numbers are stored: number * multiplier / divisor + offset
 * @multiplier: 1 or more
 * @divisor: 1 or more
 * @offset: any number
 */
struct scaling {
	int64_t multiplier, divisor, offset;
};

static int read_scaling(const struct nna_op_context *op, struct scaling *scaling)
{
	const int64_t *values = nna_op_data(op, 1);

	if (!values)
		return -EAGAIN;
	memcpy(scaling, values, sizeof(*scaling));
	if (scaling->multiplier < 1 || scaling->divisor < 1)
		return nna_op_refuse(op, NNA_IN(1), "multiplier %lld and divisor %lld",
				     "1 or more", (long long)scaling->multiplier,
				     (long long)scaling->divisor);
	if (op->out[0].type != NNA_OPERAND_TENSOR_INT64 &&
	    (scaling->multiplier != 1 || scaling->divisor != 1 || scaling->offset))
		return nna_op_refuse(op, NNA_IN(1), "elements %lld, %lld and %lld",
				     "1, 1 and 0, because output 0 has floats",
				     (long long)scaling->multiplier, (long long)scaling->divisor,
				     (long long)scaling->offset);
	return 0;
}

/* Reads the number of Fibonacci numbers. */
static int read_count(const struct nna_op_context *op, uint32_t *count)
{
	const void *data = nna_op_data(op, 0);
	double n;
	float real;
	int64_t whole;

	if (!data)
		return -EAGAIN;
	if (op->in[0].type == NNA_OPERAND_TENSOR_INT64) {
		memcpy(&whole, data, sizeof(whole));
		n = (double)whole;
	} else {
		memcpy(&real, data, sizeof(real));
		n = trunc((double)real);
	}
	if (!(n >= 1 && n <= MAX_COUNT))
		return nna_op_refuse(op, NNA_IN(0), "the value is %g", "a count of 1 to %d", n,
				     MAX_COUNT);
	*count = (uint32_t)n;
	return 0;
}

static int check(struct nna_op_context *op)
{
	struct scaling scaling;
	uint32_t count;

	return nna_check_dim(op, 0, 0, 1) ?: nna_check_dim(op, 1, 0, 3) ?:
	       nna_later(read_scaling(op, &scaling)) ?: nna_later(read_count(op, &count));
}

static int infer(struct nna_op_context *op)
{
	uint32_t count;

	return read_count(op, &count) ?: nna_set_dims(op, 0, 1, &count);
}

/* Emits a FILL of @count elements with @bits. Return: its value, scratch memory. */
static int64_t filled(struct nna_lower *l, uint8_t type, uint32_t count, uint64_t bits)
{
	int ret;

	NNA_VALUE(value, nna_lower_scratch(l, type, 1, &count, 0, 0));
	ret = nna_emit_fill(l, value, bits);
	return ret ? ret : (int64_t)value;
}

/* Shifts @row by one element and appends @last. @moved: scratch memory of the size of @row. */
static int move_on(struct nna_lower *l, uint32_t row, uint32_t moved, uint32_t last)
{
	uint32_t count = nna_lower_value(l, row)->dims[0];
	int ret = 0;

	if (count > 1) {
		NNA_VALUE(from, nna_view_range(l, row, 0, 1, count - 1));
		NNA_VALUE(to, nna_view_range(l, moved, 0, 0, count - 1));
		ret = nna_emit_copy(l, to, from);
	}
	if (ret)
		return ret;
	NNA_VALUE(end, nna_view_range(l, moved, 0, count - 1, 1));
	return nna_emit_copy(l, end, last) ?: nna_emit_copy(l, row, moved);
}

/* Emits the loop that fills @row. @one: the number 1 in the bits of @type. */
static int loop(struct nna_lower *l, uint8_t type, uint32_t row, uint64_t one)
{
	const uint32_t single = 1, count = nna_lower_value(l, row)->dims[0];
	int ret;

	NNA_VALUE(moved, filled(l, type, count, 0));
	NNA_VALUE(a, filled(l, type, 1, one));
	NNA_VALUE(b, filled(l, type, 1, one));
	NNA_VALUE(sum, filled(l, type, 1, 0));
	NNA_VALUE(done, filled(l, NNA_TYPE_S64, 1, 0));
	NNA_VALUE(next, filled(l, NNA_TYPE_S64, 1, 0));
	NNA_VALUE(step, filled(l, NNA_TYPE_S64, 1, 1));
	NNA_VALUE(limit, filled(l, NNA_TYPE_S64, 1, count));
	NNA_VALUE(goes_on, nna_lower_scratch(l, nna_lower_type(NNA_OPERAND_TENSOR_BOOL8), 1,
					     &single, 0, 0));
	NNA_VALUE(start, nna_lower_label(l));
	NNA_VALUE(end, nna_lower_label(l));
	ret = nna_lower_place(l, start) ?:
	      nna_do_ewise(l, NNA_FN_LESS, goes_on, done, limit, NNA_NO_VALUE) ?:
	      nna_emit_branch_unless(l, goes_on, end) ?: move_on(l, row, moved, a) ?:
	      nna_do_ewise(l, NNA_FN_ADD, sum, a, b, NNA_NO_VALUE) ?:
	      nna_emit_copy(l, a, b) ?: nna_emit_copy(l, b, sum) ?:
	      nna_do_ewise(l, NNA_FN_ADD, next, done, step, NNA_NO_VALUE) ?:
	      nna_emit_copy(l, done, next);
	return ret ?: nna_emit_jump(l, start) ?: nna_lower_place(l, end);
}

/* Emits @function(row, @number). Return: its value, scratch memory. */
static int64_t scaled(struct nna_lower *l, uint8_t function, uint32_t row, int64_t number)
{
	int ret;

	NNA_VALUE(by, filled(l, NNA_TYPE_S64, 1, (uint64_t)number));
	NNA_VALUE(out, nna_do_scratch_like(l, NNA_TYPE_S64, row));
	ret = nna_do_ewise(l, function, out, row, by, NNA_NO_VALUE);
	return ret ? ret : (int64_t)out;
}

static int lower(struct nna_op_context *op)
{
	bool whole = op->out[0].type == NNA_OPERAND_TENSOR_INT64;
	uint8_t type = whole ? NNA_TYPE_S64 : NNA_TYPE_F32;
	struct nna_lower *l = op->lower;
	const float real_one = 1;
	struct scaling scaling;
	uint32_t bits;
	int ret = read_scaling(op, &scaling);

	if (ret)
		return ret;
	memcpy(&bits, &real_one, sizeof(bits));
	NNA_VALUE(out, nna_lower_out(op, 0));
	NNA_VALUE(row, filled(l, type, op->out[0].dims[0], 0));
	ret = loop(l, type, row, whole ? 1 : bits);
	if (ret || !whole)
		return ret ?: nna_emit_copy(l, out, row);
	NNA_VALUE(product, scaled(l, NNA_FN_MUL, row, scaling.multiplier));
	NNA_VALUE(quotient, scaled(l, NNA_FN_FLOOR_DIV, product, scaling.divisor));
	NNA_VALUE(sum, scaled(l, NNA_FN_ADD, quotient, scaling.offset));
	return nna_emit_copy(l, out, sum);
}

const struct nna_op nna_op_fibonacci = {
	.type = NNA_OPERATION_FIBONACCI,
	.asks_data = true, /* a run whose n is not the size of the output fails */
	.asks_floats = true,
	.check = check, .infer = infer, .lower = lower,
};
