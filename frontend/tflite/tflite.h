/* SPDX-License-Identifier: MIT */
/*
 * TFLite models (flatbuffer schema version 3) as plain structures.
 *
 * Data and ownership
 *
 *	tflite_model	a whole file, read into memory that the model owns
 *	  tflite_subgraph	tensors, operators, inputs and outputs
 *	    tflite_tensor	type, shape, quantisation, and the bytes of a constant
 *	    tflite_operator	code, tensor numbers, options
 *	  tflite_signature	a name for a subgraph, and names for its inputs and outputs
 *
 * Names, shapes, scales, tensor numbers and constants point into the file's bytes and live as long
 * as the model. After a successful tflite_parse() every number that refers to something (tensor,
 * buffer, subgraph) is in range, and every constant has exactly the bytes of its type and shape.
 * The translation of an operator checks its tensors (translate.h). Names come from the file: print
 * them through tflite_printable().
 *
 * A model is immutable, and any number of threads may read it, except during a translation: that
 * stores the constants that it derives in the model.
 */
#ifndef TFLITE_H
#define TFLITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frontend/tflite/type.h"

#define TFLITE_MAX_RANK 8
#define TFLITE_ERROR_SIZE 512
/* No real model has more. The limit bounds the work for a small hostile file. */
#define TFLITE_MAX_SIGNATURES 1024u
/* The same for the branches of all STABLEHLO_CASE. */
#define TFLITE_MAX_BRANCHES 1024u
/* Added to the numbers of tables of options in the schema's second union, BuiltinOptions2. */
#define TFLITE_OPTIONS_2 128

enum tflite_activation {
	TFLITE_ACT_NONE,
	TFLITE_ACT_RELU,
	TFLITE_ACT_RELU_N1_TO_1,
	TFLITE_ACT_RELU6,
	TFLITE_ACT_TANH,
	TFLITE_ACT_SIGN_BIT,
};

enum tflite_padding {
	TFLITE_SAME,
	TFLITE_VALID,
};

/* How REDUCE_WINDOW makes two elements one. */
enum tflite_reduction {
	TFLITE_WINDOW_NOTHING,
	TFLITE_WINDOW_ADD,
	TFLITE_WINDOW_MUL,
	TFLITE_WINDOW_MINIMUM,
	TFLITE_WINDOW_MAXIMUM,
	TFLITE_WINDOW_ALL,
	TFLITE_WINDOW_ANY,
};

/* Codes of the built-in operators: TFLITE_ADD = 0 and so on. */
enum tflite_code {
#define TFLITE_OP(code, name, translation, operation, shape) TFLITE_##name = (code),
#define TFLITE_MADE(code, name, translation, operation, shape) TFLITE_##name = (code),
#define TFLITE_NAME(code, name) TFLITE_##name = (code),
#include "frontend/tflite/operator_list.h"
};

/**
 * struct tflite_ints - a list of numbers in the file
 * @at: @count values, 4-byte aligned
 */
struct tflite_ints {
	const int32_t *at;
	uint32_t count;
};

/**
 * struct tflite_longs - a list of 64-bit numbers in the file
 * @at: @count values, which need not be aligned: tflite_long_at() reads them
 */
struct tflite_longs {
	const void *at;
	uint32_t count;
};

/**
 * struct tflite_tensor - a value
 * @name: may be ""; from the file, unchecked characters
 * @type: enum tflite_type, or a number that the enum does not have; INT8 for constants of INT4 and
 *	INT2, whose @data is unpacked
 * @rank: at most TFLITE_MAX_RANK; 0 is a scalar
 * @dims: @rank values, 0 or more
 * @elements: their product
 * @data: constants: the bytes, aligned to an element; else NULL
 * @size: of @data
 * @variable: it keeps its value from one run to the next; no operator has it as an output
 * @dynamic: the file leaves dimensions open; @dims holds the file's example
 * @changed: @dims differs from the file's (shapes.h)
 * @folded: shape inference computed @data (shapes.h)
 * @bfloat: BFLOAT16 in the file, and FLOAT32 here (bfloat.h)
 * @disguised: an INT16 tensor that has type FLOAT32 while its operator is translated (reals.c)
 * @invariant: NULL, or the bytes that an input of a subgraph has in every run, laid out as @data,
 *	which is NULL then (shapes.h)
 * @scale_count: 0 for none, 1 for the whole tensor, or one per slice of @channel_dim
 * @block_size: of elements of the last dimension that share a scale; 0 for none. Such a tensor has
 *	no @scales
 * @block_scales: the tensor of those scales
 * @zero_point_count: 0, 1 or @scale_count
 * @zero_points: @zero_point_count numbers of 64 bits, which need not be aligned:
 *	tflite_zero_point_at() reads them
 */
struct tflite_tensor {
	const char *name;
	uint32_t type;
	uint32_t rank;
	uint32_t dims[TFLITE_MAX_RANK];
	uint64_t elements;
	const void *data;
	size_t size;
	bool variable, dynamic, changed, folded, disguised, bfloat;
	const void *invariant;
	uint32_t scale_count, zero_point_count, block_size, block_scales;
	const float *scales;
	const void *zero_points;
	uint32_t channel_dim;
};

/**
 * struct tflite_options - the options of all operators; an absent option has the schema's default
 * @type: the table of options in the file, by its number in the schema's union;
 *	TFLITE_OPTIONS_2 more in the second union; 0 for none
 * @activation: enum tflite_activation
 * @padding: enum tflite_padding
 * @keep_dims: of reductions
 * @keep_num_dims: of FULLY_CONNECTED
 * @num: outputs of SPLIT and UNPACK, inputs of PACK
 * @subgraph_b: IF: else; WHILE: body
 * @ints: RESHAPE: new shape; SQUEEZE: dimensions; BUCKETIZE: the bits of FLOAT32 boundaries;
 *	STABLEHLO_CASE: the subgraph of each branch
 * @axis: of REVERSE_SEQUENCE the dimension of the sequences, and @batch_dims that of the batches
 * @subgraph_a: IF: then; WHILE: condition; CALL_ONCE: the initialiser; STABLEHLO_COMPOSITE: the
 *	decomposition; STABLEHLO_SCATTER: how an element and an update become one;
 *	STABLEHLO_REDUCE_WINDOW: how two elements become one
 * @name: STABLEHLO_COMPOSITE: of the function; NULL elsewhere
 * @window_dims, @inserted_dims, @scatter_dims, @vector_dim: STABLEHLO_SCATTER: the dimensions of
 *	updates that are windows; those of the operand that windows lack; those that indices state;
 *	that of the indices which holds an index
 *	STABLEHLO_GATHER: the dimensions of the output that are of slices; those of the operand that
 *	slices lack; those that indices state; that of the indices which holds an index
 * @slice_sizes: STABLEHLO_GATHER: elements of a slice along each dimension of the operand
 * @window_strides, @base_dilations, @window_dilations, @paddings: STABLEHLO_REDUCE_WINDOW: of each
 *	dimension, as @window_dims; @paddings has two for each. An empty list is ones, or zeros
 * @pads_before, @pads_after, @pads_between: STABLEHLO_PAD: of each dimension; less than 0 takes
 *	elements away
 * @reduction: REDUCE_WINDOW: enum tflite_reduction
 * @asymmetric: layers with quantised weights: the float input is quantised with a zero point
 * @power_scales: ADD, SUB of INT16: apply the rule for scales that are powers of two
 * @bias_type: TRANSPOSE_CONV of INT16: type of the bias and of the sums; 0 if the file has none
 * @container, @shared_name: VAR_HANDLE: the name of the variable; NULL elsewhere
 */
struct tflite_options {
	uint32_t type;
	int8_t activation, padding;
	int32_t stride_w, stride_h, dilation_w, dilation_h, filter_w, filter_h, depth_multiplier;
	int32_t axis, batch_dims, block_size, num, radius, rank;
	int32_t begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask;
	int32_t subgraph_a, subgraph_b, num_bits, stride_d, dilation_d, reduction;
	int8_t weights_format, kernel_type, mirror_mode, out_type, bias_type;
	float alpha, beta, bias, cell_clip, proj_clip, min, max;
	bool keep_dims, keep_num_dims, align_corners, half_pixel_centers, time_major, merge_outputs;
	bool adj_x, adj_y, end_is_offset, approximate, exclusive, reverse, narrow_range, asymmetric;
	bool power_scales;
	const char *container, *shared_name, *name;
	struct tflite_ints ints;
	struct tflite_longs window_dims, inserted_dims, scatter_dims, window_strides;
	struct tflite_longs base_dilations, window_dilations, paddings, slice_sizes;
	struct tflite_longs pads_before, pads_after, pads_between;
	int64_t vector_dim;
};

/**
 * struct tflite_operator - an operation
 * @code: enum tflite_code, or a number that the enum does not have
 * @version: of the operator, at least 1
 * @custom: name of a CUSTOM operator, else ""
 * @custom_data: options of a CUSTOM operator, @custom_size bytes of its own format
 * @inputs: tensors of the subgraph; -1 for an optional one that is omitted
 * @outputs: tensors of the subgraph
 * @intermediates: tensors that carry the quantisation of inner values (LSTM)
 * @number: of the operator in its subgraph of the file
 * @subgraph: the number of that subgraph
 * @composite: the composite that has it in its decomposition (composite.h), or NULL
 */
struct tflite_operator {
	uint32_t code;
	int32_t version;
	const char *custom;
	const uint8_t *custom_data;
	size_t custom_size;
	struct tflite_ints inputs, outputs, intermediates;
	struct tflite_options options;
	uint32_t number, subgraph;
	const char *composite;
};

/**
 * struct tflite_subgraph - operators that are run together; struct tflite_model says which is main
 * @inputs: tensors
 * @outputs: tensors
 */
struct tflite_subgraph {
	const char *name;
	uint32_t tensor_count, operator_count;
	struct tflite_tensor *tensors;
	struct tflite_operator *operators;
	struct tflite_ints inputs, outputs;
};

/**
 * struct tflite_named - a name that a signature gives to an input or output of its subgraph
 * @tensor: of the subgraph; not checked to be an input or output
 */
struct tflite_named {
	const char *name;
	uint32_t tensor;
};

/**
 * struct tflite_signature - a subgraph that a program can call by a name (signature.h)
 * @key: its name; from the file, unchecked characters
 * @subgraph: its number
 * @inputs: @input_count names, in any order
 * @outputs: @output_count names, in any order
 */
struct tflite_signature {
	const char *key;
	uint32_t subgraph, input_count, output_count;
	const struct tflite_named *inputs, *outputs;
};

struct tflite_derived;

/**
 * struct tflite_model - a file
 * @description: the file's own description, "" if it has none
 * @subgraphs: @subgraph_count, at least one; owned, with their tensors and operators
 * @main: the subgraph that is run, 0 unless tflite_choose_signature() chose another
 * @signatures: @signature_count, mostly 0 or 1; owned
 * @names: of all signatures, owned
 * @bytes: the file, 64-byte aligned, owned
 * @size: of the file
 * @derived: list of the constants that a translation computed, owned
 */
struct tflite_model {
	const char *description;
	uint32_t subgraph_count;
	struct tflite_subgraph *subgraphs;
	uint32_t main, signature_count;
	struct tflite_signature *signatures;
	struct tflite_named *names;
	void *bytes;
	size_t size;
	struct tflite_derived *derived;
};

/**
 * tflite_load() - read a model file
 * @path: of the file
 * @out: the model, freed by tflite_free()
 * @error: TFLITE_ERROR_SIZE bytes for one line that says what is wrong, without the path
 *
 * Return: 0, a negative errno of reading, -ENOMEM, or -EINVAL when it is not a sound model.
 */
int tflite_load(const char *path, struct tflite_model **out, char *error);

/* The same from memory, which is copied and need not be aligned. */
int tflite_parse(const void *data, size_t size, struct tflite_model **out, char *error);
void tflite_free(struct tflite_model *model);

/*
 * Gives input @index another shape of the same rank. Call it before the translation, which infers
 * all shapes that depend on it. Return: 0, or -EINVAL with a line at @error.
 */
int tflite_set_input_shape(struct tflite_model *model, uint32_t index, uint32_t rank,
			   const uint32_t *dims, char *error);

/* The subgraph that is run. */
static inline struct tflite_subgraph *tflite_main(const struct tflite_model *model)
{
	return &model->subgraphs[model->main];
}

/* The product of @rank dims; false if it exceeds 32 bits. */
bool tflite_count_elements(uint32_t rank, const uint32_t *dims, uint64_t *elements);

/* Zeroed memory that lives as long as the model, 64-byte aligned; NULL without memory. */
void *tflite_derive(struct tflite_model *model, size_t size);

/* How many subgraphs an IF, WHILE or STABLEHLO_CASE runs; 0 for any other operator. */
static inline uint32_t tflite_called_count(const struct tflite_operator *op)
{
	if (op->code == TFLITE_STABLEHLO_CASE)
		return op->options.ints.count;
	return op->code == TFLITE_IF || op->code == TFLITE_WHILE ? 2 : 0;
}

/* The number of subgraph @i of these. */
static inline int32_t tflite_called(const struct tflite_operator *op, uint32_t i)
{
	if (op->code == TFLITE_STABLEHLO_CASE)
		return op->options.ints.at[i];
	return i ? op->options.subgraph_b : op->options.subgraph_a;
}

/* "CONV_2D"; NULL for a code that is not in the schema. */
const char *tflite_code_name(uint32_t code);

/* Zero point @index, less than @tensor->zero_point_count. */
int64_t tflite_zero_point_at(const struct tflite_tensor *tensor, uint32_t index);

/* Number @index, less than @list->count. */
int64_t tflite_long_at(const struct tflite_longs *list, uint32_t index);

/* The value of a FLOAT16, which a float holds exactly. */
float tflite_half_to_float(uint16_t half);

/* Copy at most @size - 1 characters, with '?' for control characters. Return: @to. */
const char *tflite_printable(const char *text, char *to, size_t size);

#endif
