/* SPDX-License-Identifier: MIT */
/*
 * A model as front ends hand it over, before libnnaccel sees it.
 *
 * libnnaccel's graph holds all subgraphs from the start, while NNAPI's models refer to other,
 * finished models, and set the values of operands in any order. So a model is collected in tables
 * here and becomes a graph when it is finished: every model that it refers to, directly or not,
 * becomes one subgraph. What is checked here is what the structure needs, what an operand's type
 * says by itself and, when an operation is added, its signature (signature.h). What else the rules
 * of operations say is libnnaccel's business, and no error of the model: an operation that breaks
 * them is one that the device does not support. OEM operands and operations, and operands that are
 * too large for the library, are taken into the model and never supported. Types and operations of
 * extensions (extension.h) stand in it by their codes; the graph has what they mean.
 *
 * A finished model is its graph and what describes its arguments. The tables, and the values that
 * were copied into them, are gone: the graph has them. A model that refers to a finished one takes
 * the subgraph from there.
 *
 * Ownership: everything is copied, except values set by reference, which the caller keeps until the
 * last graph that has them is gone, and referenced models, which must outlive this one. A model
 * that is finished may be read from any number of threads. Errors are -EINVAL (with a line in the
 * log) and -ENOMEM.
 */
#ifndef NNB_MODEL_H
#define NNB_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nnaccel.h"

#define NNB_ARCH_SIZE 32 /* bytes of a digest of a model's architecture */

/**
 * enum nnb_value - where the value of an operand comes from
 * @NNB_VALUE_NONE: computed by an operation, or an input
 * @NNB_VALUE_COPIED: a constant, in @data
 * @NNB_VALUE_REFERENCE: a constant in the caller's memory, at @data
 * @NNB_VALUE_OMITTED: an optional operand that is left out
 * @NNB_VALUE_MODEL: @model, for a body or condition of control flow
 */
enum nnb_value {
	NNB_VALUE_NONE,
	NNB_VALUE_COPIED,
	NNB_VALUE_REFERENCE,
	NNB_VALUE_OMITTED,
	NNB_VALUE_MODEL,
};

/**
 * struct nnb_operand - an operand
 * @type: enum nna_operand_type
 * @rank: 0 for scalars, and for tensors of unknown rank
 * @dims: @rank values, 0 is unknown; owned
 * @scale: of quantised types, else 0, as @zero_point is
 * @channel_dim: the dimension that @scales run along
 * @scale_count: entries of @scales, 0 for none
 * @scales: owned; NULL for none
 * @argument: it has been named as an input or output of the model
 * @value: what of the following is set
 * @data: @size bytes; owned when copied
 * @size: bytes
 * @model: not owned
 * @extension_data: of an extension's type that has such; owned, NULL for none
 */
struct nnb_operand {
	uint32_t type;
	uint32_t rank;
	uint32_t *dims;
	float scale;
	int32_t zero_point;
	uint32_t channel_dim;
	uint32_t scale_count;
	float *scales;
	bool argument;
	enum nnb_value value;
	const void *data;
	size_t size;
	const struct nnb_model *model;
	void *extension_data;
};

/**
 * struct nnb_operation - an operation
 * @type: enum nna_operation_type
 * @inputs: @input_count numbers of operands; the allocation, which holds @outputs, too
 * @outputs: @output_count numbers of operands
 */
struct nnb_operation {
	uint32_t type;
	uint32_t input_count, output_count;
	uint32_t *inputs, *outputs;
};

/**
 * struct nnb_model - a model; all zero is an empty one
 * @operands: until it is finished: @operand_count of them, and room for @operand_room
 * @operations: until it is finished: likewise
 * @inputs: until it is finished: numbers of operands, as an operation's; NULL until they are set
 * @outputs: until it is finished: numbers of operands
 * @vendor: an operation is a vendor's (OEM, or of an extension): nobody but its device can compute
 *	it
 * @vendors: of a finished model with @vendor: whether each operation is one, or refers to a model
 *	that has one; owned
 * @arch: of a finished model: a digest of its operations and operand types, not of values
 * @drawing: what nnb_dot_draw() has made of its tables; owned, NULL for none
 * @number: of @drawing
 * @relaxed: float32 may be computed with the range and precision of float16
 * @arguments: of a finished model: its @input_count inputs and @output_count outputs, owned
 * @graph: of a finished model, a reference; NULL until then, and for one that breaks a rule
 * @parts: of a finished model: the models that the subgraphs of @graph were made of, itself first;
 *	@part_count of them, the array is owned
 */
struct nnb_model {
	struct nnb_operand *operands;
	uint32_t operand_count, operand_room;
	struct nnb_operation *operations;
	uint32_t operation_count, operation_room;
	uint32_t *inputs, *outputs;
	uint32_t input_count, output_count;
	bool vendor;
	bool *vendors;
	uint8_t arch[NNB_ARCH_SIZE];
	char *drawing;
	uint32_t number;
	bool relaxed;
	struct nnb_operand *arguments;
	struct nna_graph *graph;
	const struct nnb_model **parts;
	uint32_t part_count, part_room;
};

/* Frees what the model owns, and leaves an empty one. */
void nnb_model_fini(struct nnb_model *model);

/* Operands are numbered in the order in which they are added. */
int nnb_model_add_operand(struct nnb_model *model, const struct nna_operand_desc *desc);
/* Operand @index is constant; a later value replaces an earlier one. */
int nnb_model_set_value(struct nnb_model *model, uint32_t index, const void *data, size_t size,
			bool by_reference);
int nnb_model_set_omitted(struct nnb_model *model, uint32_t index);
/* The operand is @value, which is finished. */
int nnb_model_set_model(struct nnb_model *model, uint32_t index, const struct nnb_model *value);
/* Scales of a tensor that is quantised per channel, copied. */
int nnb_model_set_scales(struct nnb_model *model, uint32_t index, uint32_t channel_dim,
			 uint32_t count, const float *scales);
/* Data for an operand of an extension's type, copied: as much as the type has; none drops it. */
int nnb_model_set_extension_data(struct nnb_model *model, uint32_t index, const void *data,
				 size_t size);
int nnb_model_add_operation(struct nnb_model *model, uint32_t type, uint32_t input_count,
			    const uint32_t *inputs, uint32_t output_count, const uint32_t *outputs);
/*
 * Inputs and outputs of the model; replaces what was set before, of which none can be named again.
 */
int nnb_model_set_io(struct nnb_model *model, uint32_t input_count, const uint32_t *inputs,
		     uint32_t output_count, const uint32_t *outputs);

/**
 * nnb_model_finish() - make a graph of the model, and drop the tables
 * @model: a model for which this has not been called before
 *
 * Whether it is relaxed is what the main model says. Nothing can be added afterwards; after an
 * error the model is empty.
 *
 * Return: 0, -EINVAL when the model breaks a rule, -ENOMEM.
 */
int nnb_model_finish(struct nnb_model *model);

/*
 * Whether operation @index of a finished model, as they were added, is a vendor's; always false
 * when the model has none.
 */
bool nnb_model_operation_is_vendors(const struct nnb_model *model, uint32_t index);

/* An input or output of a finished model; NULL when there is none of that number. */
const struct nnb_operand *nnb_model_argument(const struct nnb_model *model, bool output,
					     uint32_t index);

/*
 * Bytes of a tensor with @rank dimensions or of a scalar. Return: false when one is unknown or it
 * overflows.
 */
bool nnb_type_bytes(uint32_t type, uint32_t rank, const uint32_t *dims, size_t *bytes);

bool nnb_type_is_tensor(uint32_t type);
/* Whether the library has the type: it is no OEM type. */
bool nnb_type_may_be_computed(uint32_t type);
/*
 * Whether the library can hold an operand: all but OEM types, types of extensions that are not
 * known here, many dimensions, and 2 GiB.
 */
bool nnb_type_fits(uint32_t type, uint32_t rank, const uint32_t *dims);

/* The scale that the library is told: of an INT32 tensor only what may be that of a bias. */
float nnb_type_scale(uint32_t type, float scale);

/*
 * -EINVAL, with a line in the log that names operand @index, when type, rank, dimensions, scale and
 * zero point do not fit together.
 */
int nnb_type_check(const struct nna_operand_desc *desc, uint32_t index);

#endif
