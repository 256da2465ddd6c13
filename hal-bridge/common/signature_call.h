/* SPDX-License-Identifier: MIT */
/* An operation with its operands, as signatures look at them (signature.h). */
#ifndef NNB_SIGNATURE_CALL_H
#define NNB_SIGNATURE_CALL_H

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

#endif
