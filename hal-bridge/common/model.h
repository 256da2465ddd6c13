/* SPDX-License-Identifier: MIT */
/*
 * A model as a front end builds it, before libnnaccel sees it.
 *
 * libnnaccel's graph has all subgraphs from the start. NNAPI's models refer to other, finished
 * models, and set the values of operands in any order. So this file collects a model in tables and
 * makes a graph of them when the model is finished. Each model that it refers to, directly or
 * indirectly, becomes one subgraph.
 *
 * Three things are checked here: the structure, the limits that an operand's type sets by itself,
 * and the signature of each added operation (signature.h). libnnaccel checks the other rules of
 * operations. An operation that breaks one of those is no error of the model; the device just does
 * not support it. OEM operands and operations, and operands that are too large for the library, are
 * accepted and never supported. A model has codes for types and operations of extensions
 * (extension.h); the graph has the library's types and operations instead.
 *
 * A finished model consists of its graph and the description of its arguments. The tables and the
 * values in them are freed, because the graph has them. A model that refers to a finished model
 * takes the subgraph from its graph.
 *
 * Ownership: everything is copied, with two exceptions. The caller keeps a value that is set by
 * reference until the last graph that uses it is gone. A referenced model must outlive this one.
 * Any number of threads may read a finished model. Errors are -EINVAL, with a line in the log, and
 * -ENOMEM.
 */
#ifndef NNB_MODEL_H
#define NNB_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nnaccel.h"

#define NNB_ARCH_SIZE 32 /* bytes of a digest of a model's structure */

/**
 * enum nnb_value - the source of an operand's value
 * @NNB_VALUE_NONE: an operation computes it, or it is an input
 * @NNB_VALUE_COPIED: a constant, copied to @data
 * @NNB_VALUE_REFERENCE: a constant in the caller's memory, at @data
 * @NNB_VALUE_FILE: a constant at @offset of the file @fd, which is read when the model is finished
 * @NNB_VALUE_OMITTED: an omitted optional operand
 * @NNB_VALUE_MODEL: @model, the body or condition of a control flow operation
 */
enum nnb_value {
	NNB_VALUE_NONE,
	NNB_VALUE_COPIED,
	NNB_VALUE_REFERENCE,
	NNB_VALUE_FILE,
	NNB_VALUE_OMITTED,
	NNB_VALUE_MODEL,
};

/**
 * struct nnb_operand - an operand
 * @type: enum nna_operand_type
 * @rank: 0 for scalars, and for tensors of unknown rank
 * @dims: @rank values, 0 for an unknown one; owned
 * @scale: of quantised types, otherwise 0
 * @zero_point: of quantised types, otherwise 0
 * @channel_dim: the dimension of @scales
 * @scale_count: entries of @scales, 0 for none
 * @scales: scales per channel, owned; NULL for none
 * @argument: it is an input or output of the model
 * @value: selects which of the following members are set
 * @data: @size bytes; owned if copied
 * @size: bytes
 * @fd: not owned
 * @offset: of the first byte in the file
 * @model: not owned
 * @extension_data: of a type of an extension that has such data; owned, NULL for none
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
	int fd;
	uint64_t offset;
	const struct nnb_model *model;
	void *extension_data;
};

/**
 * struct nnb_operation - an operation
 * @type: enum nna_operation_type
 * @input_count: entries of @inputs
 * @output_count: entries of @outputs
 * @inputs: numbers of operands; owned, and one allocation with @outputs
 * @outputs: numbers of operands
 */
struct nnb_operation {
	uint32_t type;
	uint32_t input_count, output_count;
	uint32_t *inputs, *outputs;
};

/**
 * struct nnb_model - a model; all zero is an empty one
 * @operands: until it is finished: @operand_count of them, with room for @operand_room
 * @operations: until it is finished: @operation_count of them, with room for @operation_room
 * @inputs: until it is finished: numbers of operands, one allocation with @outputs; NULL until they
 *	are set
 * @outputs: until it is finished: numbers of operands
 * @vendor: it has a vendor's operation (OEM, or of an extension), which only its device can compute
 * @vendors: of a finished model with @vendor: for each operation true if it is a vendor's, or
 *	refers to a model that has one; owned
 * @arch: of a finished model: a digest of its operations and operand types, without values
 * @drawing: made by nnb_dot_draw() from the tables; owned, NULL for none
 * @number: of @drawing
 * @relaxed: float32 may be computed with the range and precision of float16
 * @arguments: of a finished model: its @input_count inputs and @output_count outputs, owned
 * @graph: of a finished model, a reference; NULL before that, and for an invalid model
 * @parts: of a finished model: the model of each subgraph of @graph, itself first; @part_count of
 *	them, the array is owned
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

/* Frees the model's contents and leaves an empty model. */
void nnb_model_fini(struct nnb_model *model);

/* Adds an operand. Operands are numbered in the order of addition. */
int nnb_model_add_operand(struct nnb_model *model, const struct nna_operand_desc *desc);
/* Makes operand @index a constant. A later value replaces an earlier one. */
int nnb_model_set_value(struct nnb_model *model, uint32_t index, const void *data, size_t size,
			bool by_reference);
/*
 * Makes operand @index a constant in a file that may shrink. Its bytes are read when the model is
 * finished, which fails with -EINVAL if the file does not have them then; those of scalars are read
 * at once. The caller keeps @fd open until then.
 */
int nnb_model_set_file(struct nnb_model *model, uint32_t index, int fd, uint64_t offset,
		       size_t size);
int nnb_model_set_omitted(struct nnb_model *model, uint32_t index);
/* Sets the value of an operand to a model. @value is finished. */
int nnb_model_set_model(struct nnb_model *model, uint32_t index, const struct nnb_model *value);
/* Sets the scales of a tensor that is quantised per channel; they are copied. */
int nnb_model_set_scales(struct nnb_model *model, uint32_t index, uint32_t channel_dim,
			 uint32_t count, const float *scales);
/* Sets an operand's extension data, copied. Its size is the type's; NULL drops the data. */
int nnb_model_set_extension_data(struct nnb_model *model, uint32_t index, const void *data,
				 size_t size);
int nnb_model_add_operation(struct nnb_model *model, uint32_t type, uint32_t input_count,
			    const uint32_t *inputs, uint32_t output_count, const uint32_t *outputs);
/*
 * Sets the inputs and outputs of the model. Replaces earlier lists, whose operands cannot be inputs
 * or outputs again.
 */
int nnb_model_set_io(struct nnb_model *model, uint32_t input_count, const uint32_t *inputs,
		     uint32_t output_count, const uint32_t *outputs);

/**
 * nnb_model_finish() - make a graph of the model, and free the tables
 * @model: a model that has not been finished before
 *
 * The graph is relaxed if the main model is. Nothing can be added afterwards; after an error the
 * model is empty.
 *
 * Return: 0, -EINVAL if the model breaks a rule, -ENOMEM.
 */
int nnb_model_finish(struct nnb_model *model);

/*
 * Return: true if operation @index of a finished model, in the order of addition, is a vendor's;
 * false if the model has no such operation.
 */
bool nnb_model_operation_is_vendors(const struct nnb_model *model, uint32_t index);

/* Return: an input or output of a finished model; NULL if there is none of that number. */
const struct nnb_operand *nnb_model_argument(const struct nnb_model *model, bool output,
					     uint32_t index);

/*
 * Computes the bytes of a tensor with @rank dimensions, or of a scalar. Return: false if a
 * dimension is unknown or the product overflows.
 */
bool nnb_type_bytes(uint32_t type, uint32_t rank, const uint32_t *dims, size_t *bytes);

/*
 * Computes the bytes of a value. A dimension of 0 means no elements here; in a model it would be
 * unknown. Return: false on overflow.
 */
bool nnb_value_bytes(uint32_t type, uint32_t rank, const uint32_t *dims, size_t *bytes);

bool nnb_type_is_tensor(uint32_t type);
/* Return: true if the library has the type, which is so for all types but OEM. */
bool nnb_type_may_be_computed(uint32_t type);
/*
 * Return: true if the library can hold an operand. It cannot hold OEM types, types of unknown
 * extensions, too many dimensions, and 2 GiB or more.
 */
bool nnb_type_fits(uint32_t type, uint32_t rank, const uint32_t *dims);

/* Return: the scale for the library: 0 for an INT32 tensor whose scale cannot be that of a bias. */
float nnb_type_scale(uint32_t type, float scale);

/*
 * Checks that type, rank, dimensions, scale and zero point fit together. Return: 0, or -EINVAL with
 * a line in the log that names operand @index.
 */
int nnb_type_check(const struct nna_operand_desc *desc, uint32_t index);

#endif
