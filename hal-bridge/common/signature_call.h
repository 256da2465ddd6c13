/* SPDX-License-Identifier: MIT */
/* An operation with its operands: the argument of a signature check (signature.h). */
#ifndef NNB_SIGNATURE_CALL_H
#define NNB_SIGNATURE_CALL_H

#include <stdbool.h>
#include <stdint.h>

/* OEM_OPERATION, and the type OEM_SCALAR; the next number is TENSOR_OEM_BYTE. */
#define NNB_OEM 10000u

/**
 * struct nnb_signature_operand - an operand, for a signature check
 * @type: enum nna_operand_type, or an OEM type
 * @rank: number of dimensions; 0 for scalars, and for tensors of unknown rank
 * @dims: @rank dimensions, 0 for an unknown one; the caller's
 * @scale: of quantised types, otherwise 0
 * @zero_point: of quantised types, otherwise 0
 * @channel_dim: the dimension of @scales
 * @scale_count: entries of @scales; 0 for none
 * @scales: scales per channel; the caller's
 * @omitted: it has no value
 * @subgraph: of type SUBGRAPH: the caller's handle of the model, NULL until it is set
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
 * @count: returns the number of inputs or outputs of a subgraph
 * @argument: returns input or output @index of a subgraph; its pointers stay valid during the check
 */
struct nnb_signature_call {
	uint32_t operation;
	uint32_t input_count, output_count;
	const struct nnb_signature_operand *inputs, *outputs;
	uint32_t (*count)(const void *subgraph, bool output);
	struct nnb_signature_operand (*argument)(const void *subgraph, bool output, uint32_t index);
};

#endif
