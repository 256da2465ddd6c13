// SPDX-License-Identifier: MIT
/*
 * The signatures of all operations (signature.h has the data model). A row reads like a definition
 * in NeuralNetworks.h:
 *
 *	T(4) FILTER(4) BIAS(1) INT(7)		a tensor of T with 4 dimensions, weights of T or
 *						quantised per channel, a bias, seven INT32 scalars
 *	T_FROM(1) T_UP_TO(4)			tensors of at least 1, of 1 to 4 dimensions
 *	OPTIONAL(...)				may be without a value
 *	LAST(...)				the operands may end here, or be without a value
 *	MANY(...)				one or more
 */
#include "hal-bridge/common/signature_table.h"

#include <stdio.h>
#include <string.h>

#include "hal-bridge/common/signature_call.h"

#define TYPE(name) NNB_BIT(NNA_OPERAND_##name)
#define PLACE(what, n, low, high, ...) \
	{ .count = (n), .kind = NNB_KIND_##what, .min_rank = (low), .max_rank = (high), \
	  __VA_ARGS__ }

#define T(rank) PLACE(T, 1, rank, rank, 0)
#define T_FROM(low) PLACE(T, 1, low, NNB_ANY_RANK, 0)
#define T_UP_TO(high) PLACE(T, 1, 1, high, 0)
#define T_BETWEEN(low, high) PLACE(T, 1, low, high, 0)
#define T_TIMES(n, rank) PLACE(T, n, rank, rank, 0)
#define T_OPTIONAL(n, rank) PLACE(T, n, rank, rank, .flags = NNB_OPTIONAL)
#define T_LAST(n, rank) PLACE(T, n, rank, rank, .flags = NNB_LAST)
#define T_LAST_OPTIONAL(n, rank) PLACE(T, n, rank, rank, .flags = NNB_LAST | NNB_OPTIONAL)
#define MANY_T(low, high) PLACE(T, NNB_MANY, low, high, 0)
#define FILTER(rank) PLACE(FILTER, 1, rank, rank, 0)
#define BIAS(rank) PLACE(BIAS, 1, rank, rank, 0)
#define BOX(rank) PLACE(BOX, 1, rank, rank, 0)
#define ANCHOR(rank) PLACE(ANCHOR, 1, rank, rank, 0)
#define DELTA(rank) PLACE(DELTA, 1, rank, rank, 0)
#define FLOAT(n) PLACE(FLOAT, n, 0, 0, 0)
#define ELEMENT() PLACE(ELEMENT, 1, 0, 0, 0)
#define FIXED(n, low, high, set) PLACE(FIXED, n, low, high, .types = (set))
#define FIXED_OPTIONAL(n, rank, set) \
	PLACE(FIXED, n, rank, rank, .flags = NNB_OPTIONAL, .types = (set))
#define TENSOR(name, n, rank) FIXED(n, rank, rank, TYPE(TENSOR_##name))
#define TENSOR_FROM(name, low) FIXED(1, low, NNB_ANY_RANK, TYPE(TENSOR_##name))
#define TENSOR_OPTIONAL(name, n, rank) FIXED_OPTIONAL(n, rank, TYPE(TENSOR_##name))
#define SCALAR(name, n) FIXED(n, 0, 0, TYPE(name))
#define SCALAR_OPTIONAL(name, n) FIXED_OPTIONAL(n, 0, TYPE(name))
#define SCALAR_LAST(name, n) \
	PLACE(FIXED, n, 0, 0, .flags = NNB_LAST | NNB_OPTIONAL, .types = TYPE(name))
#define INT(n) SCALAR(INT32, n)
#define BOOLEAN(n) SCALAR(BOOL, n)

#define PLACES(...) (const struct nnb_place[]) { __VA_ARGS__, { .count = 0 } }
#define IN(...) .inputs = PLACES(__VA_ARGS__)
#define OUT(...) .outputs = PLACES(__VA_ARGS__)
#define FORM(set, ...) { .types = (set), __VA_ARGS__ }
#define FORMS(...) .forms = (const struct nnb_form[]) { __VA_ARGS__, { .inputs = NULL } }

/* Sets of types for T that many operations have. */
#define FQ (NNB_FLOAT | NNB_QUANT8_ASYMM)
#define FQI (FQ | TYPE(TENSOR_INT32))
#define FI (NNB_FLOAT | TYPE(TENSOR_INT32))

/* Forms of operations that differ only in their types. */
#define UNARY(set, high) FORMS(FORM(set, IN(T_BETWEEN(1, high)), OUT(T_BETWEEN(1, high))))
#define BINARY(set) FORMS(FORM(set, IN(T_FROM(1), T_FROM(1)), OUT(T_FROM(1))))
#define ARITHMETIC(set) \
	FORMS(FORM(set, IN(T_UP_TO(4), T_UP_TO(4), INT(1)), OUT(T_UP_TO(4))))
#define COMPARISON() \
	FORMS(FORM(FQI | TYPE(TENSOR_BOOL8), IN(T_FROM(1), T_FROM(1)), \
		   OUT(TENSOR_FROM(BOOL8, 1))))
#define POOL(set) \
	FORMS(FORM(set, IN(T(4), INT(9), SCALAR_LAST(BOOL, 1)), OUT(T(4))), \
	      FORM(set, IN(T(4), INT(6), SCALAR_LAST(BOOL, 1)), OUT(T(4))))
#define REDUCTION(set) \
	FORMS(FORM(set, IN(T_UP_TO(4), TENSOR(INT32, 1, 1), BOOLEAN(1)), OUT(T_UP_TO(4))))
#define ARG() FORMS(FORM(FQI, IN(T_FROM(1), INT(1)), OUT(TENSOR_FROM(INT32, 1))))

/* Weights, peephole weights, biases and projection of an LSTM cell, after its input. */
#define CELL() \
	T_OPTIONAL(1, 2), T_TIMES(3, 2), T_OPTIONAL(1, 2), T_TIMES(3, 2), T_OPTIONAL(3, 1), \
		T_OPTIONAL(1, 1), T_TIMES(3, 1), T_OPTIONAL(1, 2), T_OPTIONAL(1, 1)

/*
 * The operands of a QUANT8_ASYMM_SIGNED cell, with the states. They follow TFLite's NNAPI delegate,
 * because NNAPI's text is silent: the delegate gives omitted operands the type TENSOR_FLOAT32.
 */
#define CELL8_WEIGHTS (TYPE(TENSOR_QUANT8_ASYMM_SIGNED) | TYPE(TENSOR_QUANT8_SYMM))
#define CELL8_OPTIONAL(n, rank, types) FIXED_OPTIONAL(n, rank, (types) | TYPE(TENSOR_FLOAT32))
#define CELL8() \
	CELL8_OPTIONAL(1, 2, CELL8_WEIGHTS), FIXED(3, 2, 2, CELL8_WEIGHTS), \
		CELL8_OPTIONAL(1, 2, CELL8_WEIGHTS), FIXED(3, 2, 2, CELL8_WEIGHTS), \
		CELL8_OPTIONAL(3, 1, TYPE(TENSOR_QUANT16_SYMM)), \
		CELL8_OPTIONAL(1, 1, TYPE(TENSOR_INT32)), TENSOR(INT32, 3, 1), \
		CELL8_OPTIONAL(1, 2, CELL8_WEIGHTS), CELL8_OPTIONAL(1, 1, TYPE(TENSOR_INT32)), \
		T(2), TENSOR(QUANT16_SYMM, 1, 2)

#define BIDIRECTIONAL_LSTM_IN() \
	IN(T(3), CELL(), CELL(), T_TIMES(4, 2), T_OPTIONAL(1, 3), T_OPTIONAL(8, 2), INT(1), \
	   FLOAT(2), BOOLEAN(2), T_OPTIONAL(8, 1))
#define BIDIRECTIONAL_RNN_IN() \
	IN(T(3), T_TIMES(2, 2), T(1), T_TIMES(3, 2), T(1), T(2), T_OPTIONAL(1, 3), \
	   T_OPTIONAL(2, 2), INT(1), BOOLEAN(2))

/* ---------------------------------------------------------------------------------------- rules */

#define SAY(...) (snprintf(text, size, __VA_ARGS__), false)

static bool nnb_same_quantisation(const struct nnb_signature_operand *a,
				  const struct nnb_signature_operand *b)
{
	return a->scale == b->scale && a->zero_point == b->zero_point;
}

/*
 * Return: true if two operands that are bound to each other have the same type and quantisation,
 * and their known dimensions are equal.
 */
static bool nnb_compatible(const struct nnb_signature_operand *a,
			   const struct nnb_signature_operand *b)
{
	if (a->type != b->type || !nnb_same_quantisation(a, b) ||
	    a->scale_count != b->scale_count ||
	    (a->scale_count &&
	     (a->channel_dim != b->channel_dim ||
	      memcmp(a->scales, b->scales, a->scale_count * sizeof(*a->scales)))))
		return false;
	if (!a->rank || !b->rank)
		return true;
	if (a->rank != b->rank)
		return false;
	for (uint32_t i = 0; i < a->rank; i++) {
		if (a->dims[i] && b->dims[i] && a->dims[i] != b->dims[i])
			return false;
	}
	return true;
}

static bool nnb_rule_mul(const struct nnb_signature_call *call, char *text, size_t size)
{
	if (call->inputs[0].type != NNA_OPERAND_TENSOR_QUANT8_ASYMM ||
	    call->outputs[0].scale > call->inputs[0].scale * call->inputs[1].scale)
		return true;
	return SAY("output 0 has scale %g, which is not above the product of the inputs' %g and %g",
		   call->outputs[0].scale, call->inputs[0].scale, call->inputs[1].scale);
}

static bool nnb_rule_channel_axis(const struct nnb_signature_call *call, uint32_t axis, char *text,
				  size_t size)
{
	const struct nnb_signature_operand *filter = &call->inputs[1];

	if (!filter->scale_count || filter->channel_dim == axis)
		return true;
	return SAY("input 1 has scales along dimension %u instead of %u", filter->channel_dim,
		   axis);
}

static bool nnb_rule_conv(const struct nnb_signature_call *call, char *text, size_t size)
{
	return nnb_rule_channel_axis(call, 0, text, size);
}

static bool nnb_rule_depthwise_conv(const struct nnb_signature_call *call, char *text, size_t size)
{
	return nnb_rule_channel_axis(call, 3, text, size);
}

static bool nnb_rule_keep_quantisation(const struct nnb_signature_call *call, char *text,
				       size_t size)
{
	if (nnb_same_quantisation(&call->inputs[0], &call->outputs[0]))
		return true;
	return SAY("output 0 must have the scale and zero point of input 0");
}

static bool nnb_rule_pack(const struct nnb_signature_call *call, char *text, size_t size)
{
	const struct nnb_signature_operand *output = &call->outputs[0];
	uint32_t rank = output->rank ? output->rank - 1 : 0;

	if (output->rank == 1)
		return SAY("output 0 has rank 1 instead of the inputs' rank plus 1");
	for (uint32_t i = 1; i < call->input_count; i++) {
		const struct nnb_signature_operand *input = &call->inputs[i];

		if (!nnb_same_quantisation(input, output))
			return SAY("input %u must have the scale and zero point of output 0", i);
		if (rank && input->rank && input->rank != rank)
			return SAY("input %u has rank %u instead of %u", i, input->rank, rank);
		if (input->rank)
			rank = input->rank;
	}
	return true;
}

static bool nnb_rule_cast(const struct nnb_signature_call *call, char *text, size_t size)
{
	const struct nnb_signature_operand *in = &call->inputs[0], *out = &call->outputs[0];

	for (uint32_t i = 0; i < out->rank; i++) {
		if (!out->dims[i])
			return true;
	}
	if (!in->rank || !out->rank ||
	    (in->rank == out->rank && !memcmp(in->dims, out->dims, in->rank * sizeof(*in->dims))))
		return true;
	return SAY("output 0 must have the dimensions of input 0");
}

static bool nnb_rule_fully_connected(const struct nnb_signature_call *call, char *text, size_t size)
{
	const struct nnb_signature_operand *in = &call->inputs[0], *weights = &call->inputs[1];
	const struct nnb_signature_operand *bias = &call->inputs[2];
	uint64_t elements = 1;

	if (!in->rank || !weights->rank || !bias->rank)
		return true;
	/*
	 * Cannot overflow: every operand has less than 2^32 bytes. An unknown dimension makes it 0.
	 */
	for (uint32_t i = 0; i < in->rank; i++)
		elements *= in->dims[i];
	if (weights->dims[1] && elements > weights->dims[1] && elements % weights->dims[1])
		return SAY("input 0 has %llu elements, which is no multiple of the weights' %u",
			   (unsigned long long)elements, weights->dims[1]);
	if (weights->dims[0] && bias->dims[0] && weights->dims[0] != bias->dims[0])
		return SAY("input 2 has %u elements, but input 1 has %u units", bias->dims[0],
			   weights->dims[0]);
	return true;
}

/* Return: true for one element of BOOL8. */
static bool nnb_is_condition(const struct nnb_signature_operand *operand)
{
	return operand->type == NNA_OPERAND_TENSOR_BOOL8 && operand->rank == 1 &&
	       operand->dims[0] == 1;
}

/*
 * Return: true if the inputs, or the outputs, of the subgraph at input @which fit @count operands.
 */
static bool nnb_same_arguments(const struct nnb_signature_call *call, uint32_t which, bool output,
			       const struct nnb_signature_operand *operands, uint32_t count,
			       char *text, size_t size)
{
	const void *subgraph = call->inputs[which].subgraph;

	for (uint32_t i = 0; i < count; i++) {
		struct nnb_signature_operand inner = call->argument(subgraph, output, i);

		if (!nnb_compatible(&inner, &operands[i]))
			return SAY("%s %u of the model at input %u differs from the operation's",
				   output ? "output" : "input", i, which);
	}
	return true;
}

/*
 * Return: true if input @which refers to a model that takes the operation's inputs from @from on.
 */
static bool nnb_takes_inputs(const struct nnb_signature_call *call, uint32_t which, uint32_t from,
			     char *text, size_t size)
{
	const void *subgraph = call->inputs[which].subgraph;

	if (!subgraph)
		return SAY("input %u refers to no model", which);
	if (call->count(subgraph, false) != call->input_count - from)
		return SAY("the model at input %u has %u inputs, but the operation passes %u",
			   which, call->count(subgraph, false), call->input_count - from);
	return nnb_same_arguments(call, which, false, call->inputs + from,
				  call->input_count - from, text, size);
}

static bool nnb_rule_if(const struct nnb_signature_call *call, char *text, size_t size)
{
	if (!nnb_is_condition(&call->inputs[0]))
		return SAY("input 0, the condition, is not of shape [1]");
	for (uint32_t which = 1; which <= 2; which++) {
		const void *branch = call->inputs[which].subgraph;

		if (!nnb_takes_inputs(call, which, 3, text, size))
			return false;
		if (call->count(branch, true) != call->output_count)
			return SAY("the model at input %u has %u outputs, but the operation has %u",
				   which, call->count(branch, true), call->output_count);
		if (!nnb_same_arguments(call, which, true, call->outputs, call->output_count, text,
					size))
			return false;
	}
	return true;
}

static bool nnb_rule_while(const struct nnb_signature_call *call, char *text, size_t size)
{
	const void *condition = call->inputs[0].subgraph, *body = call->inputs[1].subgraph;
	struct nnb_signature_operand result;
	uint32_t outputs;

	if (!nnb_takes_inputs(call, 0, 2, text, size) || !nnb_takes_inputs(call, 1, 2, text, size))
		return false;
	if (call->count(condition, true) != 1)
		return SAY("the condition has %u outputs instead of 1",
			   call->count(condition, true));
	result = call->argument(condition, true, 0);
	if (!nnb_is_condition(&result))
		return SAY("the condition's output is not a TENSOR_BOOL8 of shape [1]");
	outputs = call->count(body, true);
	if (outputs < call->output_count || outputs > call->input_count - 2)
		return SAY("the body has %u outputs: the loop has %u, and the body takes %u inputs",
			   outputs, call->output_count, call->input_count - 2);
	if (!nnb_same_arguments(call, 1, true, call->outputs, call->output_count, text, size))
		return false;
	/* The outputs of the body are its inputs in the next iteration. */
	return nnb_same_arguments(call, 1, true, call->inputs + 2, outputs, text, size);
}

/* ---------------------------------------------------------------------------------------- table */

static const struct nnb_signature nnb_signatures[] = {
	[NNA_OPERATION_ADD] = { ARITHMETIC(FQI) },
	[NNA_OPERATION_AVERAGE_POOL_2D] = { POOL(FQ) },
	[NNA_OPERATION_CONCATENATION] = {
		FORMS(FORM(FQ, IN(MANY_T(1, 4), INT(1)), OUT(T_UP_TO(4)))),
	},
	[NNA_OPERATION_CONV_2D] = {
		FORMS(FORM(FQ,
			   IN(T(4), FILTER(4), BIAS(1), INT(7), SCALAR_LAST(BOOL, 1),
			      SCALAR_LAST(INT32, 2)),
			   OUT(T(4))),
		      FORM(FQ,
			   IN(T(4), FILTER(4), BIAS(1), INT(4), SCALAR_LAST(BOOL, 1),
			      SCALAR_LAST(INT32, 2)),
			   OUT(T(4)))),
		.rule = nnb_rule_conv,
	},
	[NNA_OPERATION_DEPTHWISE_CONV_2D] = {
		FORMS(FORM(FQ,
			   IN(T(4), FILTER(4), BIAS(1), INT(8), SCALAR_LAST(BOOL, 1),
			      SCALAR_LAST(INT32, 2)),
			   OUT(T(4))),
		      FORM(FQ,
			   IN(T(4), FILTER(4), BIAS(1), INT(5), SCALAR_LAST(BOOL, 1),
			      SCALAR_LAST(INT32, 2)),
			   OUT(T(4)))),
		.rule = nnb_rule_depthwise_conv,
	},
	[NNA_OPERATION_DEPTH_TO_SPACE] = {
		FORMS(FORM(FQ, IN(T(4), INT(1), SCALAR_LAST(BOOL, 1)), OUT(T(4)))),
	},
	[NNA_OPERATION_DEQUANTIZE] = {
		FORMS(FORM(NNB_QUANT8, IN(T_UP_TO(4)), OUT(FIXED(1, 1, 4, NNB_FLOAT)))),
	},
	[NNA_OPERATION_EMBEDDING_LOOKUP] = {
		FORMS(FORM(FQI, IN(TENSOR(INT32, 1, 1), T_FROM(2)), OUT(T_FROM(2)))),
	},
	[NNA_OPERATION_FLOOR] = { UNARY(NNB_FLOAT, 4) },
	[NNA_OPERATION_FULLY_CONNECTED] = {
		FORMS(FORM(FQ, IN(T_BETWEEN(2, 4), T(2), BIAS(1), INT(1)), OUT(T(2)))),
		.rule = nnb_rule_fully_connected,
	},
	[NNA_OPERATION_HASHTABLE_LOOKUP] = {
		FORMS(FORM(TYPE(TENSOR_FLOAT32) | TYPE(TENSOR_INT32) | TYPE(TENSOR_QUANT8_ASYMM),
			   IN(TENSOR(INT32, 2, 1), T_FROM(2)),
			   OUT(T_FROM(2), TENSOR(QUANT8_ASYMM, 1, 1)))),
	},
	[NNA_OPERATION_L2_NORMALIZATION] = {
		FORMS(FORM(FQ, IN(T_UP_TO(4), SCALAR_LAST(INT32, 1)), OUT(T_UP_TO(4)))),
	},
	[NNA_OPERATION_L2_POOL_2D] = { POOL(NNB_FLOAT) },
	[NNA_OPERATION_LOCAL_RESPONSE_NORMALIZATION] = {
		FORMS(FORM(NNB_FLOAT, IN(T_UP_TO(4), INT(1), FLOAT(3), SCALAR_LAST(INT32, 1)),
			   OUT(T_UP_TO(4)))),
	},
	[NNA_OPERATION_LOGISTIC] = { UNARY(FQ, 4) },
	[NNA_OPERATION_LSH_PROJECTION] = {
		FORMS(FORM(NNB_FLOAT,
			   IN(T(2),
			      FIXED(1, 1, NNB_ANY_RANK, FI | TYPE(TENSOR_QUANT8_ASYMM)),
			      T_OPTIONAL(1, 1), INT(1)),
			   OUT(TENSOR(INT32, 1, 1)))),
	},
	[NNA_OPERATION_LSTM] = {
		FORMS(FORM(NNB_FLOAT,
			   IN(T(2), CELL(), T_TIMES(2, 2), INT(1), FLOAT(2), T_LAST_OPTIONAL(4, 1)),
			   OUT(T_TIMES(4, 2)))),
	},
	[NNA_OPERATION_MAX_POOL_2D] = { POOL(FQ) },
	[NNA_OPERATION_MUL] = { ARITHMETIC(FQI), .rule = nnb_rule_mul },
	[NNA_OPERATION_RELU] = { UNARY(FQ, 4) },
	[NNA_OPERATION_RELU1] = { UNARY(FQ, 4) },
	[NNA_OPERATION_RELU6] = { UNARY(FQ, 4) },
	[NNA_OPERATION_RESHAPE] = {
		FORMS(FORM(FQI, IN(T_UP_TO(4), TENSOR(INT32, 1, 1)), OUT(T_UP_TO(4)))),
	},
	[NNA_OPERATION_RESIZE_BILINEAR] = {
		FORMS(FORM(FQ,
			   IN(T(4), INT(2), SCALAR_LAST(BOOL, 1), SCALAR_LAST(BOOL, 1),
			      SCALAR_LAST(BOOL, 1)),
			   OUT(T(4))),
		      FORM(FQ,
			   IN(T(4), FLOAT(2), SCALAR_LAST(BOOL, 1), SCALAR_LAST(BOOL, 1),
			      SCALAR_LAST(BOOL, 1)),
			   OUT(T(4)))),
	},
	[NNA_OPERATION_RNN] = {
		FORMS(FORM(NNB_FLOAT, IN(T_TIMES(3, 2), T(1), T(2), SCALAR_OPTIONAL(INT32, 1)),
			   OUT(T_TIMES(2, 2)))),
	},
	[NNA_OPERATION_SOFTMAX] = {
		FORMS(FORM(FQ, IN(T_UP_TO(4), FLOAT(1), SCALAR_LAST(INT32, 1)), OUT(T_UP_TO(4)))),
	},
	[NNA_OPERATION_SPACE_TO_DEPTH] = {
		FORMS(FORM(FQ, IN(T(4), INT(1), SCALAR_LAST(BOOL, 1)), OUT(T(4)))),
	},
	[NNA_OPERATION_SVDF] = {
		FORMS(FORM(NNB_FLOAT,
			   IN(T_TIMES(3, 2), T_OPTIONAL(1, 1), T(2), INT(1),
			      SCALAR_OPTIONAL(INT32, 1)),
			   OUT(T_TIMES(2, 2)))),
	},
	[NNA_OPERATION_TANH] = { UNARY(FQ, 4) },
	[NNA_OPERATION_BATCH_TO_SPACE_ND] = {
		FORMS(FORM(FQ, IN(T(4), TENSOR(INT32, 1, 1), SCALAR_LAST(BOOL, 1)), OUT(T(4)))),
	},
	[NNA_OPERATION_DIV] = { ARITHMETIC(FI) },
	[NNA_OPERATION_MEAN] = {
		FORMS(FORM(FQ, IN(T_UP_TO(4), TENSOR(INT32, 1, 1), INT(1)), OUT(T_UP_TO(4)))),
	},
	[NNA_OPERATION_PAD] = {
		FORMS(FORM(FQ, IN(T_UP_TO(4), TENSOR(INT32, 1, 2)), OUT(T_UP_TO(4)))),
	},
	[NNA_OPERATION_SPACE_TO_BATCH_ND] = {
		FORMS(FORM(FQ,
			   IN(T(4), TENSOR(INT32, 1, 1), TENSOR(INT32, 1, 2), SCALAR_LAST(BOOL, 1)),
			   OUT(T(4)))),
	},
	[NNA_OPERATION_SQUEEZE] = {
		FORMS(FORM(FQ, IN(T_UP_TO(4), TENSOR_OPTIONAL(INT32, 1, 1)), OUT(T_UP_TO(4)))),
	},
	[NNA_OPERATION_STRIDED_SLICE] = {
		FORMS(FORM(FQ, IN(T_UP_TO(4), TENSOR(INT32, 3, 1), INT(3)), OUT(T_UP_TO(4)))),
	},
	[NNA_OPERATION_SUB] = { ARITHMETIC(FQI) },
	[NNA_OPERATION_TRANSPOSE] = {
		FORMS(FORM(FQ, IN(T_UP_TO(4), TENSOR_OPTIONAL(INT32, 1, 1)), OUT(T_UP_TO(4)))),
	},
	[NNA_OPERATION_ABS] = { UNARY(FI, NNB_ANY_RANK) },
	[NNA_OPERATION_ARGMAX] = { ARG() },
	[NNA_OPERATION_ARGMIN] = { ARG() },
	[NNA_OPERATION_AXIS_ALIGNED_BBOX_TRANSFORM] = {
		FORMS(FORM(NNB_FLOAT | TYPE(TENSOR_QUANT16_ASYMM),
			   IN(T(2), DELTA(2), TENSOR(INT32, 1, 1), T(2)), OUT(T(2)))),
	},
	/* With or without state outputs, merged or not: 1, 2, 5 or 6 outputs. */
	[NNA_OPERATION_BIDIRECTIONAL_SEQUENCE_LSTM] = {
		FORMS(FORM(NNB_FLOAT, BIDIRECTIONAL_LSTM_IN(), OUT(T_TIMES(2, 3), T_LAST(4, 2))),
		      FORM(NNB_FLOAT, BIDIRECTIONAL_LSTM_IN(), OUT(T(3), T_LAST(4, 2)))),
	},
	[NNA_OPERATION_BIDIRECTIONAL_SEQUENCE_RNN] = {
		FORMS(FORM(NNB_FLOAT, BIDIRECTIONAL_RNN_IN(), OUT(T_TIMES(2, 3), T_LAST(2, 2))),
		      FORM(NNB_FLOAT, BIDIRECTIONAL_RNN_IN(), OUT(T(3), T_LAST(2, 2)))),
	},
	[NNA_OPERATION_BOX_WITH_NMS_LIMIT] = {
		FORMS(FORM(FQ, IN(T(2), BOX(2), TENSOR(INT32, 1, 1), FLOAT(1), INT(2), FLOAT(3)),
			   OUT(T(1), BOX(2), TENSOR(INT32, 2, 1)))),
	},
	[NNA_OPERATION_CAST] = {
		FORMS(FORM(FI | TYPE(TENSOR_QUANT8_ASYMM), IN(T_FROM(1)),
			   OUT(FIXED(1, 1, NNB_ANY_RANK, FI | TYPE(TENSOR_QUANT8_ASYMM)))),
		      FORM(NNB_QUANT16 | TYPE(TENSOR_BOOL8) | TYPE(TENSOR_QUANT8_ASYMM_SIGNED) |
				   TYPE(TENSOR_QUANT8_SYMM),
			   IN(T_FROM(1)), OUT(T_FROM(1)))),
		.rule = nnb_rule_cast,
	},
	[NNA_OPERATION_CHANNEL_SHUFFLE] = {
		FORMS(FORM(FQ, IN(T_UP_TO(4), INT(2)), OUT(T_UP_TO(4)))),
	},
	[NNA_OPERATION_DETECTION_POSTPROCESSING] = {
		FORMS(FORM(NNB_FLOAT,
			   IN(T_TIMES(2, 3), T(2), FLOAT(4), BOOLEAN(1), INT(3), FLOAT(2),
			      BOOLEAN(1)),
			   OUT(T(2), T(3), TENSOR(INT32, 1, 2), TENSOR(INT32, 1, 1)))),
	},
	[NNA_OPERATION_EQUAL] = { COMPARISON() },
	[NNA_OPERATION_EXP] = { UNARY(NNB_FLOAT, NNB_ANY_RANK) },
	[NNA_OPERATION_EXPAND_DIMS] = { FORMS(FORM(FQI, IN(T_FROM(1), INT(1)), OUT(T_FROM(1)))) },
	[NNA_OPERATION_GATHER] = {
		FORMS(FORM(FQI, IN(T_FROM(1), INT(1), TENSOR_FROM(INT32, 1)), OUT(T_FROM(1)))),
	},
	[NNA_OPERATION_GENERATE_PROPOSALS] = {
		FORMS(FORM(FQ,
			   IN(T_TIMES(2, 4), ANCHOR(2), BOX(2), FLOAT(2), INT(2), FLOAT(2),
			      BOOLEAN(1)),
			   OUT(T(1), BOX(2), TENSOR(INT32, 1, 1)))),
	},
	[NNA_OPERATION_GREATER] = { COMPARISON() },
	[NNA_OPERATION_GREATER_EQUAL] = { COMPARISON() },
	[NNA_OPERATION_GROUPED_CONV_2D] = {
		FORMS(FORM(FQ, IN(T(4), FILTER(4), BIAS(1), INT(8), BOOLEAN(1)), OUT(T(4))),
		      FORM(FQ, IN(T(4), FILTER(4), BIAS(1), INT(5), BOOLEAN(1)), OUT(T(4)))),
		.rule = nnb_rule_conv,
	},
	[NNA_OPERATION_HEATMAP_MAX_KEYPOINT] = {
		FORMS(FORM(FQ, IN(T(4), BOX(2), BOOLEAN(1)), OUT(T(2), BOX(3)))),
	},
	[NNA_OPERATION_INSTANCE_NORMALIZATION] = {
		FORMS(FORM(NNB_FLOAT, IN(T(4), FLOAT(3), BOOLEAN(1)), OUT(T(4)))),
	},
	[NNA_OPERATION_LESS] = { COMPARISON() },
	[NNA_OPERATION_LESS_EQUAL] = { COMPARISON() },
	[NNA_OPERATION_LOG] = { UNARY(NNB_FLOAT, NNB_ANY_RANK) },
	[NNA_OPERATION_LOGICAL_AND] = { BINARY(TYPE(TENSOR_BOOL8)) },
	[NNA_OPERATION_LOGICAL_NOT] = { UNARY(TYPE(TENSOR_BOOL8), NNB_ANY_RANK) },
	[NNA_OPERATION_LOGICAL_OR] = { BINARY(TYPE(TENSOR_BOOL8)) },
	[NNA_OPERATION_LOG_SOFTMAX] = {
		FORMS(FORM(NNB_FLOAT, IN(T_FROM(1), FLOAT(1), INT(1)), OUT(T_FROM(1)))),
	},
	[NNA_OPERATION_MAXIMUM] = { BINARY(FQI) },
	[NNA_OPERATION_MINIMUM] = { BINARY(FQI) },
	[NNA_OPERATION_NEG] = { UNARY(FI, NNB_ANY_RANK) },
	[NNA_OPERATION_NOT_EQUAL] = { COMPARISON() },
	[NNA_OPERATION_PAD_V2] = {
		FORMS(FORM(FQ, IN(T_UP_TO(4), TENSOR(INT32, 1, 2), ELEMENT()), OUT(T_UP_TO(4)))),
	},
	[NNA_OPERATION_POW] = { BINARY(NNB_FLOAT) },
	[NNA_OPERATION_PRELU] = { BINARY(FQ) },
	[NNA_OPERATION_QUANTIZE] = {
		FORMS(FORM(NNB_FLOAT, IN(T_FROM(1)),
			   OUT(FIXED(1, 1, NNB_ANY_RANK, NNB_QUANT8_ASYMM)))),
	},
	[NNA_OPERATION_QUANTIZED_16BIT_LSTM] = {
		FORMS(FORM(0,
			   IN(TENSOR(QUANT8_ASYMM, 9, 2), TENSOR(INT32, 4, 1),
			      TENSOR(QUANT16_SYMM, 1, 2), TENSOR(QUANT8_ASYMM, 1, 2)),
			   OUT(TENSOR(QUANT16_SYMM, 1, 2), TENSOR(QUANT8_ASYMM, 1, 2)))),
	},
	[NNA_OPERATION_RANDOM_MULTINOMIAL] = {
		FORMS(FORM(NNB_FLOAT, IN(T(2), INT(1), TENSOR(INT32, 1, 1)),
			   OUT(TENSOR(INT32, 1, 2)))),
	},
	[NNA_OPERATION_REDUCE_ALL] = { REDUCTION(TYPE(TENSOR_BOOL8)) },
	[NNA_OPERATION_REDUCE_ANY] = { REDUCTION(TYPE(TENSOR_BOOL8)) },
	[NNA_OPERATION_REDUCE_MAX] = { REDUCTION(FQ) },
	[NNA_OPERATION_REDUCE_MIN] = { REDUCTION(FQ) },
	[NNA_OPERATION_REDUCE_PROD] = { REDUCTION(NNB_FLOAT) },
	[NNA_OPERATION_REDUCE_SUM] = { REDUCTION(NNB_FLOAT) },
	[NNA_OPERATION_ROI_ALIGN] = {
		FORMS(FORM(FQ,
			   IN(T(4), BOX(2), TENSOR(INT32, 1, 1), INT(2), FLOAT(2), INT(2),
			      BOOLEAN(1)),
			   OUT(T(4)))),
	},
	[NNA_OPERATION_ROI_POOLING] = {
		FORMS(FORM(FQ, IN(T(4), BOX(2), TENSOR(INT32, 1, 1), INT(2), FLOAT(2), BOOLEAN(1)),
			   OUT(T(4)))),
	},
	[NNA_OPERATION_RSQRT] = { UNARY(FQ, NNB_ANY_RANK) },
	[NNA_OPERATION_SELECT] = {
		FORMS(FORM(FQI, IN(TENSOR_FROM(BOOL8, 1), T_FROM(1), T_FROM(1)), OUT(T_FROM(1)))),
	},
	[NNA_OPERATION_SIN] = { UNARY(NNB_FLOAT, NNB_ANY_RANK) },
	[NNA_OPERATION_SLICE] = {
		FORMS(FORM(FQI, IN(T_FROM(1), TENSOR(INT32, 2, 1)), OUT(T_FROM(1)))),
	},
	[NNA_OPERATION_SPLIT] = {
		FORMS(FORM(FQI, IN(T_FROM(1), INT(2)), OUT(MANY_T(1, NNB_ANY_RANK)))),
	},
	[NNA_OPERATION_SQRT] = { UNARY(NNB_FLOAT, NNB_ANY_RANK) },
	[NNA_OPERATION_TILE] = {
		FORMS(FORM(FQI, IN(T_FROM(1), TENSOR(INT32, 1, 1)), OUT(T_FROM(1)))),
	},
	[NNA_OPERATION_TOPK_V2] = {
		FORMS(FORM(FQI, IN(T_FROM(1), INT(1)), OUT(T_FROM(1), TENSOR_FROM(INT32, 1)))),
	},
	[NNA_OPERATION_TRANSPOSE_CONV_2D] = {
		FORMS(FORM(FQ, IN(T(4), FILTER(4), BIAS(1), INT(7), BOOLEAN(1)), OUT(T(4))),
		      FORM(FQ,
			   IN(T(4), FILTER(4), BIAS(1), TENSOR(INT32, 1, 1), INT(4), BOOLEAN(1)),
			   OUT(T(4)))),
		.rule = nnb_rule_conv,
	},
	[NNA_OPERATION_UNIDIRECTIONAL_SEQUENCE_LSTM] = {
		FORMS(FORM(NNB_FLOAT,
			   IN(T(3), CELL(), T_TIMES(2, 2), INT(1), FLOAT(2), BOOLEAN(1),
			      T_OPTIONAL(4, 1)),
			   OUT(T(3), T_LAST(2, 2))),
		      FORM(TYPE(TENSOR_QUANT8_ASYMM_SIGNED),
			   IN(T(3), CELL8(), INT(1), FLOAT(2), BOOLEAN(1),
			      CELL8_OPTIONAL(4, 1, TYPE(TENSOR_QUANT16_SYMM))),
			   OUT(T(3), T_LAST(1, 2), TENSOR(QUANT16_SYMM, 1, 2)))),
	},
	[NNA_OPERATION_UNIDIRECTIONAL_SEQUENCE_RNN] = {
		FORMS(FORM(NNB_FLOAT, IN(T(3), T_TIMES(2, 2), T(1), T(2), INT(2)),
			   OUT(T(3), T_LAST(1, 2)))),
	},
	[NNA_OPERATION_RESIZE_NEAREST_NEIGHBOR] = {
		FORMS(FORM(FQ,
			   IN(T(4), INT(2), BOOLEAN(1), SCALAR_LAST(BOOL, 1), SCALAR_LAST(BOOL, 1)),
			   OUT(T(4))),
		      FORM(FQ,
			   IN(T(4), FLOAT(2), BOOLEAN(1), SCALAR_LAST(BOOL, 1),
			      SCALAR_LAST(BOOL, 1)),
			   OUT(T(4)))),
	},
	[NNA_OPERATION_QUANTIZED_LSTM] = {
		FORMS(FORM(0,
			   IN(TENSOR(QUANT8_ASYMM_SIGNED, 1, 2), TENSOR_OPTIONAL(QUANT8_SYMM, 1, 2),
			      TENSOR(QUANT8_SYMM, 3, 2), TENSOR_OPTIONAL(QUANT8_SYMM, 1, 2),
			      TENSOR(QUANT8_SYMM, 3, 2), TENSOR_OPTIONAL(QUANT16_SYMM, 3, 1),
			      TENSOR_OPTIONAL(INT32, 1, 1), TENSOR(INT32, 3, 1),
			      TENSOR_OPTIONAL(QUANT8_SYMM, 1, 2), TENSOR_OPTIONAL(INT32, 1, 1),
			      TENSOR(QUANT8_ASYMM_SIGNED, 1, 2), TENSOR(QUANT16_SYMM, 1, 2),
			      TENSOR_OPTIONAL(QUANT16_SYMM, 4, 1), SCALAR_OPTIONAL(FLOAT32, 2),
			      SCALAR(FLOAT32, 4), INT(1), SCALAR(FLOAT32, 1)),
			   OUT(TENSOR(QUANT8_ASYMM_SIGNED, 1, 2), TENSOR(QUANT16_SYMM, 1, 2),
			       TENSOR(QUANT8_ASYMM_SIGNED, 1, 2)))),
	},
	[NNA_OPERATION_IF] = {
		FORMS(FORM(0,
			   IN(TENSOR(BOOL8, 1, 1), SCALAR(SUBGRAPH, 2),
			      PLACE(FIXED, NNB_MANY, 0, 0, .flags = NNB_OPTIONAL,
				    .none_will_do = true, .types = ~0u)),
			   OUT(FIXED(NNB_MANY, 0, 0, ~0u)))),
		.rule = nnb_rule_if,
	},
	[NNA_OPERATION_WHILE] = {
		FORMS(FORM(0,
			   IN(SCALAR(SUBGRAPH, 2),
			      PLACE(FIXED, NNB_MANY, 0, 0, .flags = NNB_OPTIONAL, .types = ~0u)),
			   OUT(FIXED(NNB_MANY, 0, 0, ~0u)))),
		.rule = nnb_rule_while,
	},
	[NNA_OPERATION_ELU] = { FORMS(FORM(NNB_FLOAT, IN(T_FROM(1), FLOAT(1)), OUT(T_FROM(1)))) },
	[NNA_OPERATION_HARD_SWISH] = { UNARY(FQ, NNB_ANY_RANK) },
	[NNA_OPERATION_FILL] = {
		FORMS(FORM(FI, IN(TENSOR(INT32, 1, 1), ELEMENT()), OUT(T_FROM(1)))),
	},
	[NNA_OPERATION_RANK] = {
		FORMS(FORM(NNB_TENSORS, IN(T_FROM(1)), OUT(INT(1)))),
	},
	[NNA_OPERATION_BATCH_MATMUL] = {
		FORMS(FORM(FI | TYPE(TENSOR_QUANT8_ASYMM_SIGNED),
			   IN(T_BETWEEN(2, 4), T_BETWEEN(2, 4), SCALAR_LAST(BOOL, 1),
			      SCALAR_LAST(BOOL, 1)),
			   OUT(T_BETWEEN(2, 4)))),
	},
	[NNA_OPERATION_PACK] = {
		FORMS(FORM(FQI, IN(INT(1), MANY_T(1, NNB_ANY_RANK)), OUT(T_FROM(1)))),
		.rule = nnb_rule_pack,
	},
	[NNA_OPERATION_MIRROR_PAD] = {
		FORMS(FORM(FQI, IN(T_FROM(1), TENSOR(INT32, 1, 2), INT(1)), OUT(T_FROM(1)))),
		.rule = nnb_rule_keep_quantisation,
	},
	[NNA_OPERATION_REVERSE] = {
		FORMS(FORM(FQI, IN(T_FROM(1), TENSOR(INT32, 1, 1)), OUT(T_FROM(1)))),
		.rule = nnb_rule_keep_quantisation,
	},
};

const struct nnb_signature *nnb_signature_find(uint32_t operation)
{
	if (operation >= sizeof(nnb_signatures) / sizeof(nnb_signatures[0]) ||
	    !nnb_signatures[operation].forms)
		return NULL;
	return &nnb_signatures[operation];
}
