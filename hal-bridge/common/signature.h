/* SPDX-License-Identifier: MIT */
/*
 * Signatures of NNAPI's operations: how many operands each takes, of which types and ranks, which
 * types go together, and what may be omitted. The C API asks when an operation is added to a model,
 * the HAL's validator for each operation of a model that it is given.
 *
 * The table is made from the text of the operations' definitions (NeuralNetworks.h, feature level
 * 8); where that is silent it follows Android's runtime. Its data model:
 *
 *	signature	of an operation: its forms, and a rule that no form can state
 *	form		inputs and outputs that go together, for instance those of a convolution
 *			with explicit padding; T, which other types follow, is one of its types
 *	place		one operand of a form, or several alike: its type (fixed ones, T, or what
 *			goes with T, as the bias does) and the ranks that it may have
 *
 * A call fits when it fits one of the forms. A tensor of unknown rank (no dimensions) fits every
 * rank. An optional place may be taken by an operand without a value, or by a tensor of whatever
 * rank with an unknown dimension, which an execution can leave out; the trailing optional places
 * may be missing altogether. Of values nothing is checked, of scales and dimensions only what
 * Android's runtime checks when an operation is added:
 *
 *	MUL			QUANT8_ASYMM: the output's scale is above the product of the inputs'
 *	PACK			scales and zero points are equal; so are the inputs' ranks, the
 *				output's is one more
 *	REVERSE, MIRROR_PAD	scale and zero point of input and output are equal
 *	convolutions		the axis of weights that are quantised per channel
 *	CAST			input and output have the same dimensions
 *	FULLY_CONNECTED		the sizes of input, weights and bias
 *	IF, WHILE		operands against the inputs and outputs of the models referred to
 *
 * Nothing here is kept: a check reads what the caller describes and returns. Thread-safe.
 */
#ifndef NNB_SIGNATURE_H
#define NNB_SIGNATURE_H

#include <stdbool.h>
#include <stdint.h>

/* OEM_OPERATION, and the type OEM_SCALAR; TENSOR_OEM_BYTE is the next number. */
#define NNB_OEM 10000u

/**
 * struct nnb_signature_operand - an operand as far as signatures look at it
 * @type: enum nna_operand_type, or an OEM type
 * @rank: number of dimensions; 0 for scalars, and for tensors of unknown rank
 * @dims: @rank dimensions, 0 is unknown; the caller's
 * @scale: of quantised types, else 0, as @zero_point is
 * @channel_dim: the dimension that @scales run along
 * @scale_count: entries of @scales; 0 for none
 * @scales: scales per channel; the caller's
 * @omitted: it is without a value
 * @subgraph: of type SUBGRAPH: the caller's handle of what it refers to, NULL while that is not set
 */
struct nnb_signature_operand {
	uint32_t type;
	uint32_t rank;
	const uint32_t *dims;
	float scale;
	int32_t zero_point;
	uint32_t channel_dim;
	uint32_t scale_count;
	const float *scales;
	bool omitted;
	const void *subgraph;
};

/**
 * struct nnb_signature_call - an operation with its operands
 * @operation: enum nna_operation_type
 * @input_count: entries of @inputs
 * @output_count: entries of @outputs
 * @inputs: the caller's
 * @outputs: the caller's
 * @count: how many inputs or outputs a subgraph has
 * @argument: input or output @index of a subgraph; what it points to stays valid during the check
 */
struct nnb_signature_call {
	uint32_t operation;
	uint32_t input_count, output_count;
	const struct nnb_signature_operand *inputs, *outputs;
	uint32_t (*count)(const void *subgraph, bool output);
	struct nnb_signature_operand (*argument)(const void *subgraph, bool output, uint32_t index);
};

/*
 * Whether the operands fit the operation. Return: 0, or -EINVAL with a line in the log that names
 * the operation, the operand and the rule.
 */
int nnb_signature_check(const struct nnb_signature_call *call);

#endif
