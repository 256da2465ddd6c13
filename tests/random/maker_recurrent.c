// SPDX-License-Identifier: MIT
/* Makers of recurrent layers. */
#include <string.h>

#include "tests/random/maker.h"

static int pick(struct nnr_maker *m, uint32_t rank)
{
	return nnr_pick(m, &(struct nnr_wanted){ NNR_FLOATS, rank, rank, false });
}

/* A tensor of moderate values, with which a recurrent layer stays in its range. */
static int new_moderate(struct nnr_maker *m, uint32_t type, uint32_t rank, uint32_t a, uint32_t b)
{
	uint32_t dims[2] = { a, b };
	int number = nnr_new_tensor(m, type, rank, dims);

	for (size_t i = 0; number >= 0 && i < nnr_elements(nnr_at(m, number)); i++)
		nnr_store(type, nnr_at(m, number)->data, i, nnr_uniform(&m->r, -1, 1));
	return number;
}

static void input_moderate(struct nnr_maker *m, uint32_t type, uint32_t rank, uint32_t a,
			   uint32_t b)
{
	nnr_input(m, new_moderate(m, type, rank, a, b));
}

bool nnr_make_rnn(struct nnr_maker *m, uint32_t type)
{
	static const int32_t activations[] = { 0, 1, 3, 4, 6 };
	bool sequence = type == NNA_OPERATION_UNIDIRECTIONAL_SEQUENCE_RNN,
	     major = sequence && nnr_once_in(&m->r, 2);
	int in = pick(m, 2 + sequence);
	uint32_t t = nnr_at(m, in)->type, batch = nnr_at(m, in)->dims[major ? 1 : 0];
	uint32_t size = nnr_at(m, in)->dims[1 + sequence];
	uint32_t units = nnr_random_dim(m),
		 rank = type == NNA_OPERATION_SVDF ? (uint32_t)nnr_small(m, 2) : 1,
		 memory = 1 + (uint32_t)nnr_small(m, 4);

	nnr_input(m, in);
	input_moderate(m, t, 2, units * rank, size);
	if (type == NNA_OPERATION_SVDF) {
		input_moderate(m, t, 2, units * rank, memory);
		if (nnr_once_in(&m->r, 3))
			nnr_input_none(m, t);
		else
			input_moderate(m, t, 1, units, 0);
		input_moderate(m, t, 2, batch, memory * units * rank);
		nnr_input_i32(m, (int32_t)rank);
	} else {
		input_moderate(m, t, 2, units, units);
		input_moderate(m, t, 1, units, 0);
		input_moderate(m, t, 2, batch, units);
	}
	/* A long sequence without bounds grows beyond all numbers. */
	nnr_input_i32(m, activations[sequence ? 2 + nnr_below(&m->r, 3) : nnr_below(&m->r, 5)]);
	nnr_output(m, t);
	if (sequence)
		nnr_input_i32(m, major);
	if (!sequence || nnr_once_in(&m->r, 2))
		nnr_output(m, t);
	return true;
}

static void input_optional(struct nnr_maker *m, bool given, uint32_t type, uint32_t rank,
			   uint32_t a, uint32_t b)
{
	if (given)
		input_moderate(m, type, rank, a, b);
	else
		nnr_input_none(m, type);
}

/* weights, recurrent weights, bias, state */
static void input_rnn_cell(struct nnr_maker *m, uint32_t type, uint32_t batch, uint32_t size,
			   uint32_t units)
{
	input_moderate(m, type, 2, units, size);
	input_moderate(m, type, 2, units, units);
	input_moderate(m, type, 1, units, 0);
	input_moderate(m, type, 2, batch, units);
}

/* The auxiliary input of a layer with two directions. */
enum link { NO_LINK, CROSS_LINK, PARALLEL_LINK };

static enum link random_link(struct nnr_maker *m)
{
	return (enum link)nnr_below(&m->r, 3);
}

/* One like @in; cross-linked ones may have another size. Return: that size. */
static uint32_t input_aux(struct nnr_maker *m, int in, enum link link)
{
	struct nnr_operand *x = nnr_at(m, in);
	uint32_t dims[3] = { x->dims[0], x->dims[1], x->dims[2] };

	if (link == CROSS_LINK)
		dims[2] = nnr_random_dim(m);
	if (link == NO_LINK)
		nnr_input_none(m, x->type);
	else
		nnr_input(m, nnr_new_tensor(m, x->type, 3, dims));
	return dims[2];
}

bool nnr_make_rnn_both(struct nnr_maker *m, uint32_t type)
{
	bool major = nnr_once_in(&m->r, 2), merge = nnr_once_in(&m->r, 2);
	int in = pick(m, 3);
	uint32_t t = nnr_at(m, in)->type, batch = nnr_at(m, in)->dims[major ? 1 : 0];
	uint32_t size = nnr_at(m, in)->dims[2], forward = nnr_random_dim(m),
		 backward = nnr_random_dim(m), aux;
	enum link link = random_link(m);

	nnr_input(m, in);
	input_rnn_cell(m, t, batch, size, forward);
	input_rnn_cell(m, t, batch, size, backward);
	aux = input_aux(m, in, link);
	input_optional(m, link == CROSS_LINK, t, 2, forward, aux);
	input_optional(m, link == CROSS_LINK, t, 2, backward, aux);
	nnr_input_i32(m, nnr_once_in(&m->r, 2) ? 4 : 6);
	nnr_input_bool(m, major);
	nnr_input_bool(m, merge);
	for (int i = (nnr_once_in(&m->r, 2) ? 3 : 1) + !merge; i > 0; i--)
		nnr_output(m, t);
	return true;
}

/**
 * struct cell - what an LSTM cell has
 * @full: an input gate of its own
 * @peephole, @projects, @norm: these weights
 */
struct cell {
	bool full, peephole, projects, norm;
	uint32_t units, outputs;
};

static struct cell random_cell(struct nnr_maker *m)
{
	struct cell cell = {
		.full = nnr_once_in(&m->r, 2),
		.peephole = nnr_once_in(&m->r, 2),
		.projects = nnr_once_in(&m->r, 3),
		.norm = nnr_once_in(&m->r, 3),
		.units = nnr_small(m, 12),
	};

	/* A norm of one unit is 0 divided by 0. */
	if (cell.norm)
		cell.units++;
	cell.outputs = cell.projects ? nnr_small(m, 8) : cell.units;
	return cell;
}

static void input_cell(struct nnr_maker *m, const struct cell *cell, uint32_t t, uint32_t size)
{
	for (int g = 0; g < 4; g++)
		input_optional(m, g || cell->full, t, 2, cell->units, size);
	for (int g = 0; g < 4; g++)
		input_optional(m, g || cell->full, t, 2, cell->units, cell->outputs);
	input_optional(m, cell->peephole && cell->full, t, 1, cell->units, 0);
	input_optional(m, cell->peephole, t, 1, cell->units, 0);
	input_optional(m, cell->peephole, t, 1, cell->units, 0);
	for (int g = 0; g < 4; g++)
		input_optional(m, g || cell->full, t, 1, cell->units, 0);
	input_optional(m, cell->projects, t, 2, cell->outputs, cell->units);
	input_optional(m, cell->projects && nnr_once_in(&m->r, 2), t, 1, cell->outputs, 0);
}

static void input_states(struct nnr_maker *m, const struct cell *cell, uint32_t t, uint32_t batch)
{
	input_moderate(m, t, 2, batch, cell->outputs);
	input_moderate(m, t, 2, batch, cell->units);
}

static void input_norm(struct nnr_maker *m, const struct cell *cell, uint32_t t)
{
	for (int g = 0; g < 4; g++)
		input_optional(m, cell->norm && (g || cell->full), t, 1, cell->units, 0);
}

/* Activation and two clips. */
static void input_lstm_params(struct nnr_maker *m, int in)
{
	nnr_input_i32(m, nnr_once_in(&m->r, 3) ? 1 : 4);
	for (int k = 0; k < 2; k++)
		nnr_input_float(m, in, nnr_once_in(&m->r, 2) ? 0 : nnr_uniform(&m->r, 0.1, 1));
}

bool nnr_make_lstm(struct nnr_maker *m, uint32_t type)
{
	bool sequence = type == NNA_OPERATION_UNIDIRECTIONAL_SEQUENCE_LSTM,
	     major = sequence && nnr_once_in(&m->r, 2);
	int in = pick(m, 2 + sequence);
	const struct nnr_operand *x = nnr_at(m, in);
	uint32_t t = x->type;
	struct cell cell = random_cell(m);

	nnr_input(m, in);
	input_cell(m, &cell, t, x->dims[1 + sequence]);
	input_states(m, &cell, t, x->dims[major]);
	input_lstm_params(m, in);
	if (sequence)
		nnr_input_bool(m, major);
	if (cell.norm || nnr_once_in(&m->r, 2))
		input_norm(m, &cell, t);
	for (int i = !sequence ? 4 : nnr_once_in(&m->r, 2) ? 3 : 1; i > 0; i--)
		nnr_output(m, t);
	return true;
}

bool nnr_make_lstm_both(struct nnr_maker *m, uint32_t type)
{
	bool major = nnr_once_in(&m->r, 2), merge = nnr_once_in(&m->r, 2);
	int in = pick(m, 3);
	uint32_t t = nnr_at(m, in)->type, batch = nnr_at(m, in)->dims[major ? 1 : 0], aux;
	struct cell cells[2] = { random_cell(m), random_cell(m) };
	enum link link = random_link(m);

	nnr_input(m, in);
	for (int k = 0; k < 2; k++)
		input_cell(m, &cells[k], t, nnr_at(m, in)->dims[2]);
	for (int k = 0; k < 2; k++)
		input_states(m, &cells[k], t, batch);
	aux = input_aux(m, in, link);
	for (int k = 0; k < 2; k++) {
		for (int g = 0; g < 4; g++)
			input_optional(m, link == CROSS_LINK && (g || cells[k].full), t, 2,
				       cells[k].units, aux);
	}
	input_lstm_params(m, in);
	nnr_input_bool(m, merge);
	nnr_input_bool(m, major);
	for (int k = 0; k < 2; k++)
		input_norm(m, &cells[k], t);
	for (int i = (nnr_once_in(&m->r, 2) ? 5 : 1) + !merge; i > 0; i--)
		nnr_output(m, t);
	return true;
}

/* ---- quantised ones */

static int new_scaled(struct nnr_maker *m, uint32_t type, uint32_t rank, uint32_t a, uint32_t b,
		      float scale, int32_t zero_point)
{
	uint32_t dims[2] = { a, b };

	return nnr_new_scaled(m, type, rank, dims, scale, zero_point);
}

/* A bias; @product: its scale, which is that of the products it is added to. */
static void input_bias(struct nnr_maker *m, uint32_t units, double product)
{
	int number = new_scaled(m, NNA_OPERAND_TENSOR_INT32, 1, units, 0, (float)product, 0);

	for (uint32_t i = 0; i < units; i++)
		nnr_put(m, number, i, nnr_uniform(&m->r, -1, 1));
	nnr_input(m, number);
}

/* Numbers of 16 bits up to @most. */
static int new_16bit(struct nnr_maker *m, uint32_t rank, uint32_t a, uint32_t b, float scale,
		     double most)
{
	int number = new_scaled(m, NNA_OPERAND_TENSOR_QUANT16_SYMM, rank, a, b, scale, 0);

	for (size_t i = 0; number >= 0 && i < nnr_elements(nnr_at(m, number)); i++)
		nnr_put(m, number, i, nnr_uniform(&m->r, -most, most));
	return number;
}

bool nnr_make_16bit_lstm(struct nnr_maker *m, uint32_t type)
{
	uint32_t batch = nnr_small(m, 4), size = nnr_small(m, 12), units = nnr_small(m, 12);
	/* A loud one, of which gates, cell states and outputs reach their limits. */
	const bool loud = nnr_once_in(&m->r, 2);
	float scale = (float)exp2(nnr_uniform(&m->r, loud ? -4 : -9, loud ? -2 : -5));
	int32_t zero = nnr_range(&m->r, 80, 180);

	nnr_input(m, new_scaled(m, NNA_OPERAND_TENSOR_QUANT8_ASYMM, 2, batch, size, 0x1p-7f, 128));
	for (int g = 0; g < 8; g++)
		nnr_input(m, new_scaled(m, NNA_OPERAND_TENSOR_QUANT8_ASYMM, 2, units,
					g < 4 ? size : units, scale, zero));
	for (int g = 0; g < 4; g++)
		input_bias(m, units, ldexp((double)scale, -7));
	nnr_input(m, new_16bit(m, 2, batch, units, 0x1p-11f, loud ? 16 : 2));
	nnr_input(m, new_scaled(m, NNA_OPERAND_TENSOR_QUANT8_ASYMM, 2, batch, units, 0x1p-7f, 128));
	nnr_output_fixed(m, NNA_OPERAND_TENSOR_QUANT16_SYMM, 0x1p-11f, 0);
	nnr_output_fixed(m, NNA_OPERAND_TENSOR_QUANT8_ASYMM, 0x1p-7f, 128);
	return true;
}

static float small_scale(struct nnr_maker *m)
{
	return (float)exp2(nnr_uniform(&m->r, -9, -5));
}

/* Of 8 bits, [units, columns]; its scale goes to @scale. */
static void input_weights(struct nnr_maker *m, bool given, bool loud, uint32_t units,
			  uint32_t columns, float *scale)
{
	*scale = small_scale(m) * (loud ? 16 : 1);
	if (given)
		nnr_input(m, new_scaled(m, NNA_OPERAND_TENSOR_QUANT8_SYMM, 2, units, columns,
					*scale, 0));
	else
		nnr_input_none(m, NNA_OPERAND_TENSOR_QUANT8_SYMM);
}

static void input_16bit(struct nnr_maker *m, bool given, uint32_t units, float scale)
{
	if (given)
		nnr_input(m, new_16bit(m, 1, units, 0, scale, 1));
	else
		nnr_input_none(m, NNA_OPERAND_TENSOR_QUANT16_SYMM);
}

bool nnr_make_quantized_lstm(struct nnr_maker *m, uint32_t type)
{
	struct cell cell = random_cell(m);
	uint32_t batch = nnr_small(m, 4), size = nnr_small(m, 12);
	float in_scale = small_scale(m), out_scale = small_scale(m), hidden = small_scale(m),
	      cell_scale = ldexpf(1, nnr_range(&m->r, -15, -9)), weights[4], other, projection;
	/* A loud one, of which products leave 16 bits by themselves, and states are at limits. */
	const bool loud = nnr_once_in(&m->r, 2);
	int32_t in_zero = nnr_range(&m->r, -40, 40), out_zero = nnr_range(&m->r, -40, 40);
	int like = -1;

	/* A norm of few units has little to show. */
	if (cell.norm)
		cell.units += 4;
	if (!cell.projects) {
		hidden = out_scale;
		cell.outputs = cell.units;
	}
	nnr_input(m, new_scaled(m, NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED, 2, batch, size, in_scale,
				in_zero));
	for (int g = 0; g < 4; g++)
		input_weights(m, g || cell.full, loud, cell.units, size, &weights[g]);
	for (int g = 0; g < 4; g++)
		input_weights(m, g || cell.full, loud, cell.units, cell.outputs, &other);
	for (int g = 0; g < 3; g++)
		input_16bit(m, cell.peephole && (g || cell.full), cell.units, 0x1p-14f);
	for (int g = 0; g < 4; g++) {
		if (!g && !cell.full)
			nnr_input_none(m, NNA_OPERAND_TENSOR_INT32);
		else
			input_bias(m, cell.units,
				   cell.norm ? 0x1p-24 : (double)in_scale * (double)weights[g]);
	}
	input_weights(m, cell.projects, false, cell.outputs, cell.units, &projection);
	if (cell.projects && nnr_once_in(&m->r, 2))
		input_bias(m, cell.outputs, (double)hidden * (double)projection);
	else
		nnr_input_none(m, NNA_OPERAND_TENSOR_INT32);
	nnr_input(m, new_scaled(m, NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED, 2, batch, cell.outputs,
				out_scale, out_zero));
	nnr_input(m, new_16bit(m, 2, batch, cell.units, cell_scale,
			       loud ? 32768 * (double)cell_scale :
				      fmin(2, 32767 * (double)cell_scale)));
	for (int g = 0; g < 4; g++)
		input_16bit(m, cell.norm && (g || cell.full), cell.units, 0x1p-14f);
	for (int k = 0; k < 2; k++)
		nnr_input_float(m, like, nnr_once_in(&m->r, 2) ? 0 : nnr_uniform(&m->r, 0.1, 0.9));
	for (int g = 0; g < 4; g++)
		nnr_input_float(m, like, exp2(nnr_uniform(&m->r, -12, -10)));
	nnr_input_i32(m, cell.projects ? nnr_range(&m->r, -40, 40) : out_zero);
	nnr_input_float(m, like, (double)hidden);
	nnr_output_fixed(m, NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED, out_scale, out_zero);
	nnr_output_fixed(m, NNA_OPERAND_TENSOR_QUANT16_SYMM, cell_scale, 0);
	nnr_output_fixed(m, NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED, out_scale, out_zero);
	return true;
}
