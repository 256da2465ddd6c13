// SPDX-License-Identifier: MIT
/*
 * What Android's addOperation() checks beyond types and ranks of single operands (signature.h), a
 * rule for each operation that has one. The rules are those of its operations' validation
 * (common/operations of packages/modules/NeuralNetworks).
 */
#include "hal-bridge/common/signature_rule.h"

#include <stdio.h>
#include <string.h>

#include "nnaccel.h"

#define SAY(...) (snprintf(text, size, __VA_ARGS__), false)

static bool nnb_same_quantisation(const struct nnb_signature_operand *a,
				  const struct nnb_signature_operand *b)
{
	return a->scale == b->scale && a->zero_point == b->zero_point;
}

static bool nnb_is_quant8(const struct nnb_signature_operand *operand)
{
	return operand->type == NNA_OPERAND_TENSOR_QUANT8_ASYMM ||
	       operand->type == NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED;
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

/* A rank is looked at only if both are known. */
static bool nnb_rule_arithmetic(const struct nnb_signature_call *call, char *text, size_t size)
{
	const uint32_t a = call->inputs[0].rank, b = call->inputs[1].rank;

	if (!a || !b || (a <= 4 && b <= 4))
		return true;
	return SAY("inputs 0 and 1 have ranks %u and %u, expected 4 at most", a, b);
}

static bool nnb_rule_mul(const struct nnb_signature_call *call, char *text, size_t size)
{
	if (!nnb_rule_arithmetic(call, text, size))
		return false;
	/* Of the signed type it does not look at scales. */
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

/* Return: true if the output has the input's quantisation and, where both are known, its rank. */
static bool nnb_rule_alike(const struct nnb_signature_call *call, char *text, size_t size)
{
	const struct nnb_signature_operand *in = &call->inputs[0], *out = &call->outputs[0];

	if (nnb_is_quant8(in) && !nnb_same_quantisation(in, out))
		return SAY("output 0 must have the scale and zero point of input 0");
	if (in->rank && out->rank && in->rank != out->rank)
		return SAY("output 0 has rank %u, but input 0 has %u", out->rank, in->rank);
	return true;
}

static bool nnb_rule_reverse(const struct nnb_signature_call *call, char *text, size_t size)
{
	const struct nnb_signature_operand *axis = &call->inputs[1];

	if (axis->rank && axis->dims[0] > 1)
		return SAY("input 1 has %u axes instead of 1", axis->dims[0]);
	return nnb_rule_alike(call, text, size);
}

static bool nnb_rule_mirror_pad(const struct nnb_signature_call *call, char *text, size_t size)
{
	const struct nnb_signature_operand *in = &call->inputs[0], *paddings = &call->inputs[1];

	if (paddings->rank && paddings->dims[1] && paddings->dims[1] != 2)
		return SAY("input 1 has %u paddings for a dimension instead of 2",
			   paddings->dims[1]);
	if (in->rank && paddings->rank && paddings->dims[0] && paddings->dims[0] != in->rank)
		return SAY("input 1 pads %u dimensions, but input 0 has %u", paddings->dims[0],
			   in->rank);
	return nnb_rule_alike(call, text, size);
}

static bool nnb_rule_pack(const struct nnb_signature_call *call, char *text, size_t size)
{
	const struct nnb_signature_operand *output = &call->outputs[0];
	uint32_t rank = output->rank ? output->rank - 1 : 0;

	if (output->rank == 1)
		return SAY("output 0 has rank 1 instead of the inputs' rank plus 1");
	for (uint32_t i = 1; i < call->input_count; i++) {
		const struct nnb_signature_operand *input = &call->inputs[i];

		if (nnb_is_quant8(output) && !nnb_same_quantisation(input, output))
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

	/* Ranks are looked at only if all are known. */
	if (!in->rank || !weights->rank || !bias->rank)
		return true;
	if (in->rank < 2 || in->rank > 4 || weights->rank != 2 || bias->rank != 1)
		return SAY("inputs 0 to 2 have ranks %u, %u and %u, expected 2 to 4, 2 and 1",
			   in->rank, weights->rank, bias->rank);
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

static const struct {
	uint32_t operation;
	nnb_signature_rule rule;
} nnb_rules[] = {
	{ NNA_OPERATION_ADD, nnb_rule_arithmetic },
	{ NNA_OPERATION_CAST, nnb_rule_cast },
	{ NNA_OPERATION_CONV_2D, nnb_rule_conv },
	{ NNA_OPERATION_DEPTHWISE_CONV_2D, nnb_rule_depthwise_conv },
	{ NNA_OPERATION_DIV, nnb_rule_arithmetic },
	{ NNA_OPERATION_FULLY_CONNECTED, nnb_rule_fully_connected },
	{ NNA_OPERATION_GROUPED_CONV_2D, nnb_rule_conv },
	{ NNA_OPERATION_IF, nnb_rule_if },
	{ NNA_OPERATION_MIRROR_PAD, nnb_rule_mirror_pad },
	{ NNA_OPERATION_MUL, nnb_rule_mul },
	{ NNA_OPERATION_PACK, nnb_rule_pack },
	{ NNA_OPERATION_REVERSE, nnb_rule_reverse },
	{ NNA_OPERATION_SUB, nnb_rule_arithmetic },
	{ NNA_OPERATION_TRANSPOSE_CONV_2D, nnb_rule_conv },
	{ NNA_OPERATION_WHILE, nnb_rule_while },
};

nnb_signature_rule nnb_signature_rule_find(uint32_t operation)
{
	for (size_t i = 0; i < sizeof(nnb_rules) / sizeof(nnb_rules[0]); i++) {
		if (nnb_rules[i].operation == operation)
			return nnb_rules[i].rule;
	}
	return NULL;
}
