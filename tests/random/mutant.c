// SPDX-License-Identifier: MIT
/*
 * Changes a valid graph in one place, so that it is or may be invalid. The library then has to
 * refuse it with a message that names an operation or operand, or to run it; it must not crash,
 * hang or refuse it without such a message.
 */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/random/random.h"

struct mutation {
	struct nnr_graph *graph;
	struct nnr_random *r;
	struct nnr_operation *operation;
	uint32_t in, out; /* places of operands of @operation */
};

static struct nnr_operand *input_of(struct mutation *m)
{
	return m->graph->operands[m->operation->in[m->in]];
}

static struct nnr_operand *output_of(struct mutation *m)
{
	return m->graph->operands[m->operation->out[m->out]];
}

/* Changes; each returns false where it cannot be made. The first ones make any graph invalid. */

static bool no_inputs(struct mutation *m)
{
	m->operation->input_count = 0;
	return true;
}

static bool no_outputs(struct mutation *m)
{
	m->operation->output_count = 0;
	return true;
}

static bool input_beyond(struct mutation *m)
{
	m->operation->in[m->in] = m->graph->operand_count +
				  (nnr_once_in(m->r, 2) ? 0 : (uint32_t)(nnr_next(m->r) >> 33));
	return true;
}

static bool output_beyond(struct mutation *m)
{
	m->operation->out[m->out] = nnr_once_in(m->r, 2) ? UINT32_MAX : m->graph->operand_count;
	return true;
}

static bool unknown_operation(struct mutation *m)
{
	m->operation->type = nnr_once_in(m->r, 2) ? 106 + nnr_below(m->r, 100)
						  : 0x1000 + 50 + (uint32_t)(nnr_next(m->r) >> 33);
	return true;
}

static bool rank_too_high(struct mutation *m)
{
	if (!nnr_is_tensor(input_of(m)->type))
		return false;
	input_of(m)->rank = nnr_once_in(m->r, 2) ? NNACCEL_MAX_RANK + 1 : UINT32_MAX;
	return true;
}

static bool unknown_type(struct mutation *m)
{
	input_of(m)->type =
		nnr_once_in(m->r, 2) ? 16 + nnr_below(m->r, 40) : UINT32_MAX - nnr_below(m->r, 10);
	return true;
}

static bool bad_scale(struct mutation *m)
{
	static const float scales[] = { 0, -1, NAN, INFINITY, -INFINITY };

	if (!nnr_is_quantised(input_of(m)->type) || input_of(m)->channel_count)
		return false;
	input_of(m)->scale = scales[nnr_below(m->r, 5)];
	return true;
}

static bool bad_output_scale(struct mutation *m)
{
	static const float scales[] = { 0, -0.5f, NAN, INFINITY };

	if (!nnr_is_quantised(output_of(m)->type))
		return false;
	output_of(m)->scale = scales[nnr_below(m->r, 4)];
	return true;
}

static bool bad_zero_point(struct mutation *m)
{
	static const int32_t points[] = { -129, 256, INT_MAX, INT_MIN };

	if (!nnr_is_quantised(input_of(m)->type))
		return false;
	input_of(m)->zero_point = points[nnr_below(m->r, 4)];
	return true;
}

static bool scale_of_float(struct mutation *m)
{
	if (!nnr_is_float(input_of(m)->type))
		return false;
	input_of(m)->scale = NAN;
	return true;
}

static bool wrong_size(struct mutation *m)
{
	struct nnr_operand *operand = input_of(m);

	if (operand->kind != NNR_CONSTANT || !operand->size)
		return false;
	operand->size -= 1;
	return true;
}

static bool own_output(struct mutation *m)
{
	m->operation->in[m->in] = m->operation->out[m->out];
	return true;
}

static bool two_writers(struct mutation *m)
{
	struct nnr_operation *other =
		&m->graph->operations[nnr_below(m->r, m->graph->operation_count)];

	if (other == m->operation)
		return false;
	other->out[0] = m->operation->out[m->out];
	return true;
}

static bool written_input(struct mutation *m)
{
	if (input_of(m)->kind == NNR_TEMPORARY)
		return false;
	m->operation->out[m->out] = m->operation->in[m->in];
	return true;
}

static bool nobody_writes(struct mutation *m)
{
	uint32_t k = nnr_below(m->r, m->graph->operation_count);
	const struct nnr_operation *gone = &m->graph->operations[k];
	bool read = false;

	for (uint32_t i = 0; i < gone->output_count; i++) {
		for (uint32_t j = k + 1; j < m->graph->operation_count; j++) {
			for (uint32_t n = 0; n < m->graph->operations[j].input_count; n++)
				read |= m->graph->operations[j].in[n] == gone->out[i];
		}
	}
	if (!read)
		return false;
	memmove(&m->graph->operations[k], &m->graph->operations[k + 1],
		(--m->graph->operation_count - k) * sizeof(m->graph->operations[0]));
	m->operation = &m->graph->operations[0];
	return true;
}

/* Whether parameters come with the run: until then only the model's dimensions can be checked. */
static bool has_late_parameters(const struct mutation *m)
{
	for (uint32_t i = 0; i < m->operation->input_count; i++) {
		const struct nnr_operand *operand = m->graph->operands[m->operation->in[i]];

		if (operand->kind == NNR_INPUT &&
		    (!nnr_is_tensor(operand->type) || operand->type == NNA_OPERAND_TENSOR_INT32))
			return true;
	}
	return false;
}

static bool other_output_dims(struct mutation *m)
{
	struct nnr_operand *operand = output_of(m);
	uint32_t k;

	if (!operand->rank || operand->hidden || !nnr_elements(operand) || has_late_parameters(m))
		return false;
	k = nnr_below(m->r, operand->rank);
	operand->dims[k] += 1 + nnr_below(m->r, 3);
	return true;
}

static bool other_output_rank(struct mutation *m)
{
	struct nnr_operand *operand = output_of(m);

	if (!operand->rank || operand->rank == NNACCEL_MAX_RANK || operand->hidden ||
	    !nnr_elements(operand) || has_late_parameters(m))
		return false;
	operand->dims[operand->rank++] = 1;
	return true;
}

static bool huge_dims(struct mutation *m)
{
	struct nnr_operand *operand = input_of(m);

	if (operand->kind != NNR_INPUT || !nnr_is_tensor(operand->type))
		return false;
	operand->rank = 2;
	operand->dims[0] = operand->dims[1] = nnr_once_in(m->r, 2) ? UINT32_MAX : 1u << 20;
	return true;
}

static bool channel_scales(struct mutation *m)
{
	struct nnr_operand *operand = NULL;

	for (uint32_t i = 0; i < m->operation->input_count; i++) {
		if (m->graph->operands[m->operation->in[i]]->channel_count)
			operand = m->graph->operands[m->operation->in[i]];
	}
	if (!operand)
		return false;
	switch (nnr_below(m->r, 3)) {
	case 0:
		operand->channel_dim = 4 + nnr_below(m->r, 10);
		break;
	case 1:
		operand->channel_count++;
		operand->channel_count %= NNR_MAX_CHANNELS + 1;
		break;
	default:
		operand->channel_scales[nnr_below(m->r, operand->channel_count)] =
			nnr_once_in(m->r, 2) ? NAN : 0;
		break;
	}
	return true;
}

/* After these changes a graph may still be valid. */

static bool other_input(struct mutation *m)
{
	m->operation->in[m->in] = nnr_below(m->r, m->graph->operand_count);
	return true;
}

static bool fewer_inputs(struct mutation *m)
{
	m->operation->input_count--;
	return true;
}

static bool more_inputs(struct mutation *m)
{
	if (m->operation->input_count == NNR_MAX_IN)
		return false;
	m->operation->in[m->operation->input_count++] = m->operation->in[m->in];
	return true;
}

static bool more_outputs(struct mutation *m)
{
	if (m->operation->output_count == NNR_MAX_OUT)
		return false;
	m->operation->out[m->operation->output_count++] = nnr_below(m->r, m->graph->operand_count);
	return true;
}

static bool swapped_inputs(struct mutation *m)
{
	uint32_t other = nnr_below(m->r, m->operation->input_count),
		 number = m->operation->in[m->in];

	if (other == m->in)
		return false;
	m->operation->in[m->in] = m->operation->in[other];
	m->operation->in[other] = number;
	return true;
}

static bool missing_input(struct mutation *m)
{
	if (input_of(m)->kind == NNR_TEMPORARY)
		return false;
	input_of(m)->kind = NNR_NO_VALUE;
	return true;
}

static bool other_operation(struct mutation *m)
{
	m->operation->type = nnr_below(m->r, 106);
	return true;
}

/* Bytes for what the operand says it is now. */
static void fit_data(struct mutation *m, struct nnr_operand *operand)
{
	uint64_t size = nnr_elements(operand);
	uint8_t *bytes;

	if (operand->kind != NNR_INPUT && operand->kind != NNR_CONSTANT)
		return;
	if (size > 1 << 20)
		return;
	size *= nna_operand_type_size(operand->type);
	bytes = calloc(1, size + 1);
	if (!bytes)
		return;
	for (uint64_t i = 0; i < size; i++)
		bytes[i] = i < operand->size ? operand->data[i] : (uint8_t)nnr_next(m->r);
	free(operand->data);
	operand->data = bytes;
	operand->size = size;
}

static bool other_type(struct mutation *m)
{
	struct nnr_operand *operand = nnr_once_in(m->r, 3) ? output_of(m) : input_of(m);

	operand->type = nnr_below(m->r, 16);
	if (!nnr_is_tensor(operand->type))
		operand->rank = 0;
	if (nnr_once_in(m->r, 2)) {
		operand->scale = nnr_is_quantised(operand->type) ? 0.25f : 0;
		operand->zero_point = 0;
	}
	fit_data(m, operand);
	return true;
}

static bool other_dims(struct mutation *m)
{
	struct nnr_operand *operand = input_of(m);

	if (!operand->rank || operand->kind == NNR_TEMPORARY)
		return false;
	operand->dims[nnr_below(m->r, operand->rank)] = nnr_below(m->r, 12);
	fit_data(m, operand);
	return true;
}

static bool other_rank(struct mutation *m)
{
	struct nnr_operand *operand = input_of(m);

	if (!nnr_is_tensor(operand->type) || operand->kind == NNR_TEMPORARY)
		return false;
	operand->rank = nnr_below(m->r, NNACCEL_MAX_RANK + 1);
	for (uint32_t k = 0; k < operand->rank; k++) {
		if (!operand->dims[k])
			operand->dims[k] = 1 + nnr_below(m->r, 3);
	}
	fit_data(m, operand);
	return true;
}

/* Another number among scalars and lists: an axis, a stride, a size... */
static bool other_number(struct mutation *m)
{
	static const int32_t edges[] = { -1,	0, INT_MAX, INT_MIN, 1 << 30, -(1 << 30),
					 65536, 2, 3,	    7,	     -2,      255 };
	struct nnr_operand *operand = input_of(m);
	uint64_t count = nnr_elements(operand);

	if (operand->kind == NNR_TEMPORARY || operand->kind == NNR_NO_VALUE || !operand->data ||
	    !count ||
	    (operand->type != NNA_OPERAND_INT32 && operand->type != NNA_OPERAND_TENSOR_INT32 &&
	     operand->type != NNA_OPERAND_BOOL))
		return false;
	if (operand->type == NNA_OPERAND_BOOL)
		operand->data[0] = (uint8_t)nnr_next(m->r);
	else
		nnr_store(operand->type, operand->data, nnr_below(m->r, (uint32_t)count),
			  edges[nnr_below(m->r, 12)]);
	return true;
}

static bool other_float(struct mutation *m)
{
	static const double edges[] = { 0, -1, NAN, INFINITY, -INFINITY, 1e30, 1e-40, -0.5 };
	struct nnr_operand *operand = input_of(m);

	if (nnr_is_tensor(operand->type) || !nnr_is_float(operand->type) || !operand->data)
		return false;
	nnr_store(operand->type, operand->data, 0, edges[nnr_below(m->r, 8)]);
	return true;
}

static bool scalar_as_input(struct mutation *m)
{
	if (input_of(m)->kind != NNR_CONSTANT)
		return false;
	input_of(m)->kind = NNR_INPUT;
	return true;
}

static bool other_scale(struct mutation *m)
{
	struct nnr_operand *operand = nnr_once_in(m->r, 2) ? output_of(m) : input_of(m);

	operand->scale = ldexpf(1, nnr_range(m->r, -140, 120));
	if (nnr_once_in(m->r, 2))
		operand->zero_point = (int32_t)nnr_below(m->r, 128);
	return true;
}

static bool unknown_dims(struct mutation *m)
{
	struct nnr_operand *operand = output_of(m);

	operand->hidden = true;
	if (nnr_once_in(m->r, 4))
		operand->rank = 0;
	return true;
}

static bool special_data(struct mutation *m)
{
	struct nnr_operand *operand = input_of(m);

	if (!operand->data || operand->kind == NNR_TEMPORARY)
		return false;
	for (size_t i = 0; i < operand->size; i++)
		operand->data[i] = (uint8_t)nnr_next(m->r);
	return true;
}

static const struct {
	const char *name;
	bool (*change)(struct mutation *m);
	bool invalid;
} changes[] = {
	{ "no inputs", no_inputs, true },
	{ "no outputs", no_outputs, true },
	{ "an input that does not exist", input_beyond, true },
	{ "an output that does not exist", output_beyond, true },
	{ "an unknown operation", unknown_operation, true },
	{ "a rank too high", rank_too_high, true },
	{ "an unknown type", unknown_type, true },
	{ "a bad scale", bad_scale, true },
	{ "a bad scale of an output", bad_output_scale, true },
	{ "a bad zero point", bad_zero_point, true },
	{ "a float with a scale of NaN", scale_of_float, true },
	{ "a constant too short", wrong_size, true },
	{ "an operation that reads its result", own_output, true },
	{ "a result with two writers", two_writers, true },
	{ "an input that is written", written_input, true },
	{ "a temporary that nobody writes", nobody_writes, true },
	{ "other dimensions of an output", other_output_dims, true },
	{ "another rank of an output", other_output_rank, true },
	{ "huge dimensions", huge_dims, false },
	{ "channel scales that do not fit", channel_scales, true },
	{ "another input", other_input, false },
	{ "one input fewer", fewer_inputs, false },
	{ "one input more", more_inputs, false },
	{ "one output more", more_outputs, false },
	{ "two inputs swapped", swapped_inputs, false },
	{ "an input left out", missing_input, false },
	{ "another operation", other_operation, false },
	{ "another type", other_type, false },
	{ "other dimensions", other_dims, false },
	{ "another rank", other_rank, false },
	{ "another number", other_number, false },
	{ "another float", other_float, false },
	{ "a constant as input", scalar_as_input, false },
	{ "another scale", other_scale, false },
	{ "unknown dimensions", unknown_dims, false },
	{ "any bits as data", special_data, false },
};

#define CHANGES (sizeof(changes) / sizeof(changes[0]))

bool nnr_mutate(struct nnr_graph *graph, struct nnr_random *random, const char **what)
{
	struct mutation m = { .graph = graph, .r = random };

	*what = "nothing";
	for (uint32_t tries = 0; tries < 100 && graph->operation_count; tries++) {
		/* Changes of values, the last ones, find most and are made more often. */
		uint32_t i = nnr_once_in(random, 4) ? CHANGES - 1 - nnr_below(random, 6)
						    : nnr_below(random, CHANGES);

		m.operation = &graph->operations[nnr_below(random, graph->operation_count)];
		if (!m.operation->input_count)
			continue;
		m.in = nnr_below(random, m.operation->input_count);
		m.out = nnr_below(random, m.operation->output_count);
		if (!changes[i].change(&m))
			continue;
		*what = changes[i].name;
		return changes[i].invalid;
	}
	return false;
}
