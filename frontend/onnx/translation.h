/* SPDX-License-Identifier: MIT */
/*
 * What translations of operators (ops/) are built from.
 *
 * translate.c walks the model and calls one function for each node. That function takes operands of
 * the node's inputs, adds operations, and makes an operand an output:
 *
 *	x = onnx_plain(t, 0);
 *	onnx_set(t, 0, onnx_unary(t, NNA_OPERATION_ABS, x), ONNX_PLAIN);
 *
 * Functions store errors rather than return them: the translation holds the first one and its
 * message, and every later call does nothing and returns a harmless value. A translation therefore
 * checks t->ret only before it computes with numbers of the model.
 */
#ifndef ONNX_TRANSLATION_H
#define ONNX_TRANSLATION_H

#include <errno.h>

#include "frontend/onnx/translate.h"

/* Elements of all constants that a translation computes: a few bytes may ask for gigabytes. */
#define ONNX_MAX_FOLDED (1u << 26)

/**
 * enum onnx_order - of the dimensions of an operand
 * @ONNX_PLAIN: ONNX' own: [N, C, ...]
 * @ONNX_LAST: channels last: [N, ..., C]; of rank 3 or more
 */
enum onnx_order { ONNX_PLAIN, ONNX_LAST };

/**
 * struct onnx_operand - an operand of the graph
 * @number: ONNX_ABSENT for none
 * @type: enum nna_operand_type
 * @rank: 0 for a scalar, which is [1] in the graph
 * @scale: of quantised types
 * @zero: the zero point, likewise
 */
struct onnx_operand {
	uint32_t number, type, rank;
	uint32_t dims[ONNX_MAX_RANK];
	float scale;
	int32_t zero;
};

/**
 * struct onnx_state - a value during a translation
 * @known: type and shape are
 * @tensor: its type and shape; @tensor.data is NULL unless it is a constant
 * @real: operands in both orders, as far as there are any
 * @stored: of a value that DequantizeLinear gives: the quantised numbers
 * @dequantizer: the node that gives it, if that is a DequantizeLinear of a constant
 * @reader: the one node that reads it, ONNX_ABSENT if it is none or several
 */
struct onnx_state {
	bool known;
	struct onnx_tensor tensor;
	struct onnx_operand real[2], stored[2];
	uint32_t dequantizer, reader;
};

/**
 * struct onnx_translation - one run
 * @sub: the graph
 * @states: of each value of the model
 * @made: memory that lives as long as the translation
 * @node: that is being translated
 * @number: its number
 * @done: nodes that have been translated with another one
 * @partial: onnx_to_partial_graph()
 * @folded: elements of constants so far
 * @error: ONNX_ERROR_SIZE bytes
 * @ret: the first error
 * @in: inputs of the operation that is being built
 */
struct onnx_translation {
	const struct onnx_model *model;
	struct nna_graph *graph;
	struct onnx_state *states;
	struct onnx_model *made;
	const struct onnx_node *node;
	uint32_t number;
	bool *done, partial;
	struct onnx_origin origin;
	uint32_t origin_room;
	uint64_t folded;
	char *error;
	int ret;
	uint32_t *in, in_count, in_room;
	uint32_t *inputs, input_count, input_room;
};

typedef void onnx_translate_fn(struct onnx_translation *t);

/**
 * struct onnx_operator - a row of operator_list.h
 * @oldest: the first version that is translated
 * @newest: the last one that is known
 * @attributes: those that are translated, with spaces around each; any other one is refused
 * @fold: computes the outputs if all inputs are constants; NULL for none
 */
struct onnx_operator {
	const char *domain, *name;
	int64_t oldest, newest;
	const char *attributes;
	onnx_translate_fn *translate;
	bool (*fold)(struct onnx_translation *t);
};

const struct onnx_operator *onnx_operator_find(const char *domain, const char *op);

/* --------------------------------------------------------------------------------------- errors */

/* Stores -ENOTSUP, or -EINVAL for a model that is wrong, and a line that begins with the node. */
__attribute__((format(printf, 2, 3))) void onnx_unsupported(struct onnx_translation *t,
							    const char *format, ...);
__attribute__((format(printf, 2, 3))) void onnx_wrong(struct onnx_translation *t,
						      const char *format, ...);
/* Stores another error, which a function of libnnaccel returned. */
__attribute__((format(printf, 3, 4))) void onnx_fail(struct onnx_translation *t, int ret,
						     const char *format, ...);
void onnx_no_memory(struct onnx_translation *t);

/* Memory for @size bytes, zeroed, that lives as long as the translation; NULL after an error. */
void *onnx_make(struct onnx_translation *t, uint64_t size);

/* Room for one element more in a list on the heap. Return: false after an error. */
bool onnx_grow(struct onnx_translation *t, uint32_t **list, uint32_t count, uint32_t *room);

/* ------------------------------------------------------------------------ values and parameters */

bool onnx_has(const struct onnx_translation *t, uint32_t input);
/* The state of an input; an empty one after an error, also where the input is left out. */
struct onnx_state *onnx_input(struct onnx_translation *t, uint32_t input);
/* Its type and shape. */
const struct onnx_tensor *onnx_tensor(struct onnx_translation *t, uint32_t input);
/* The same; an error unless it is a constant. */
const struct onnx_tensor *onnx_constant(struct onnx_translation *t, uint32_t input);
void onnx_need_float(struct onnx_translation *t, uint32_t input);
void onnx_need_rank(struct onnx_translation *t, uint32_t input, uint32_t least, uint32_t most);

/* A constant of that type and shape with memory for its elements. Return: false after an error. */
bool onnx_make_tensor(struct onnx_translation *t, struct onnx_tensor *to);
/* Elements of a constant as numbers, whatever their type. @index is within it. */
/* Sets an element of a constant that is being made. */
void onnx_put_real(const struct onnx_tensor *tensor, uint64_t index, double value);
void onnx_put_int(const struct onnx_tensor *tensor, uint64_t index, int64_t value);
double onnx_real_at(const struct onnx_tensor *tensor, uint64_t index);
int64_t onnx_int_at(const struct onnx_tensor *tensor, uint64_t index);
uint64_t onnx_elements(const struct onnx_tensor *tensor);

int64_t onnx_attribute_int(struct onnx_translation *t, const char *name, int64_t fallback);
float onnx_attribute_float(struct onnx_translation *t, const char *name, float fallback);
const char *onnx_attribute_text(struct onnx_translation *t, const char *name,
				const char *fallback);
/* Numbers of an attribute, @count of them, or @fallback for each if there is none. */
void onnx_attribute_ints(struct onnx_translation *t, const char *name, int64_t *to, uint32_t count,
			 int64_t fallback);
/*
 * A list of numbers of input @input, or of the attribute @name. Return: how many, at most @room;
 * ONNX_ABSENT where there are none.
 */
uint32_t onnx_list(struct onnx_translation *t, uint32_t input, const char *name, int64_t *to,
		   uint32_t room);
/* An axis, which counts from the end if it is negative, below @rank; 0 after an error. */
uint32_t onnx_axis(struct onnx_translation *t, int64_t axis, uint32_t rank);

/* ------------------------------------------------------------------------------------- operands */

/* An input in ONNX' order, or with the channels last; constants become operands. */
struct onnx_operand onnx_plain(struct onnx_translation *t, uint32_t input);
struct onnx_operand onnx_last(struct onnx_translation *t, uint32_t input);
struct onnx_operand onnx_in_order(struct onnx_translation *t, uint32_t input,
				  enum onnx_order order);
/* The order in which an input is there without a TRANSPOSE. */
enum onnx_order onnx_order_of(struct onnx_translation *t, uint32_t input);
/*
 * What only moves elements takes the stored numbers of a value that DequantizeLinear gives, and
 * onnx_set() makes its output one of the same kind.
 */
struct onnx_operand onnx_movable(struct onnx_translation *t, uint32_t input,
				 enum onnx_order order);
enum onnx_order onnx_movable_order(struct onnx_translation *t, uint32_t input);
/* The dimension of an operand in @order that is dimension @axis of ONNX' order. */
uint32_t onnx_place(enum onnx_order order, uint32_t rank, uint32_t axis);

/* Makes an operand output @output of the node. */
void onnx_set(struct onnx_translation *t, uint32_t output, struct onnx_operand x,
	      enum onnx_order order);
/* The same, for what moves elements of input @input. */
void onnx_set_moved(struct onnx_translation *t, uint32_t output, struct onnx_operand x,
		    enum onnx_order order, uint32_t input);
/* Makes a constant output @output; the bytes are in memory of onnx_make(), or the model's. */
void onnx_set_constant(struct onnx_translation *t, uint32_t output,
		       const struct onnx_tensor *tensor);
/* The value that output @output of the node is; ONNX_ABSENT if it is left out. */
uint32_t onnx_output(const struct onnx_translation *t, uint32_t output);

struct onnx_operand onnx_no_operand(void);
/* An operand of that type and shape, without a number yet. */
struct onnx_operand onnx_like(const struct onnx_operand *x, uint32_t type);
/* A new operand of the graph for a description. */
struct onnx_operand onnx_add(struct onnx_translation *t, struct onnx_operand x);
/* A constant of the graph, copied unless @lasting: the bytes then live as long as the model. */
struct onnx_operand onnx_add_constant(struct onnx_translation *t, struct onnx_operand x,
				      const void *data, uint64_t size, bool lasting);
/* NNAPI's type of an ONNX type; an error for one that there is not. */
uint32_t onnx_operand_type(struct onnx_translation *t, uint32_t type);
uint32_t onnx_count(const struct onnx_operand *x);

/* ----------------------------------------------------------------------------------- operations */

void onnx_push(struct onnx_translation *t, uint32_t operand);
void onnx_push_omitted(struct onnx_translation *t, uint32_t type);
void onnx_push_i32(struct onnx_translation *t, int32_t value);
void onnx_push_bool(struct onnx_translation *t, bool value);
void onnx_push_f32(struct onnx_translation *t, float value);
void onnx_push_list(struct onnx_translation *t, const int32_t *values, uint32_t count);
void onnx_push_table(struct onnx_translation *t, const int32_t *values, uint32_t rows,
		     uint32_t columns);
/* Add an operation of what was pushed; its one result is a new operand like @out. */
struct onnx_operand onnx_emit(struct onnx_translation *t, uint32_t type, struct onnx_operand out);
void onnx_emit_all(struct onnx_translation *t, uint32_t type, const uint32_t *out, uint32_t count);

struct onnx_operand onnx_unary(struct onnx_translation *t, uint32_t type, struct onnx_operand x);
/* Both inputs are broadcast; comparisons give BOOL8. */
struct onnx_operand onnx_binary(struct onnx_translation *t, uint32_t type, struct onnx_operand a,
				struct onnx_operand b);
struct onnx_operand onnx_select(struct onnx_translation *t, struct onnx_operand condition,
				struct onnx_operand a, struct onnx_operand b);
struct onnx_operand onnx_cast(struct onnx_translation *t, struct onnx_operand x, uint32_t type);
/* The same bytes in another quantisation, or another type of the same size. */
struct onnx_operand onnx_bitcast(struct onnx_translation *t, struct onnx_operand x, uint32_t type,
				 float scale, int32_t zero);
/* One number of the type of @like, which is float, half, INT32 or INT64. */
struct onnx_operand onnx_number(struct onnx_translation *t, const struct onnx_operand *like,
				double value);
struct onnx_operand onnx_ints(struct onnx_translation *t, uint32_t count, const int32_t *values);
struct onnx_operand onnx_reshape(struct onnx_translation *t, struct onnx_operand x, uint32_t rank,
				 const uint32_t *dims);
struct onnx_operand onnx_transpose(struct onnx_translation *t, struct onnx_operand x,
				   const uint32_t *axes);
/* Elements [@begin, @begin + @size) of one axis. */
struct onnx_operand onnx_part(struct onnx_translation *t, struct onnx_operand x, uint32_t axis,
			      uint32_t begin, uint32_t size);
struct onnx_operand onnx_gather(struct onnx_translation *t, struct onnx_operand x, uint32_t axis,
				struct onnx_operand indices);
/* Pads with zeros: two numbers for each dimension. */
struct onnx_operand onnx_pad(struct onnx_translation *t, struct onnx_operand x,
			     const int32_t *pads);
/* Repeats @x along its dimensions of size 1, and along new ones in front. */
struct onnx_operand onnx_expand(struct onnx_translation *t, struct onnx_operand x, uint32_t rank,
				const uint32_t *dims);
/* MEAN, REDUCE_SUM ... along axes, bits of @axes. */
struct onnx_operand onnx_reduce(struct onnx_translation *t, uint32_t type, struct onnx_operand x,
				uint32_t axes, bool keep);
/* Parts one behind the other along an axis; @parts is overwritten. */
struct onnx_operand onnx_joined(struct onnx_translation *t, uint32_t count,
				struct onnx_operand *parts, uint32_t axis);

/*
 * Both inputs of an operator that broadcasts, in one order. Return: the order. @rank is that of the
 * result.
 */
enum onnx_order onnx_pair(struct onnx_translation *t, uint32_t a, uint32_t b,
			  struct onnx_operand *x, struct onnx_operand *y);
/* All inputs from @first on, likewise. */
enum onnx_order onnx_common_order(struct onnx_translation *t, uint32_t first, uint32_t count,
				  struct onnx_operand *to);

/* ------------------------------------------------------------------------------------ quantised */

/**
 * struct onnx_quantisation - the parameters of a DequantizeLinear or QuantizeLinear
 * @type: ONNX' of the quantised tensor
 * @real: ONNX' type of the real numbers
 * @count: scales: 1, or those of dimension @axis
 * @block: elements along @axis that share a scale; 0 for none: then @scales and @zeros have the
 *	shape of the tensor with @axis divided by it
 * @scales: @count of them, in memory of the translation
 * @zeros: likewise
 */
struct onnx_quantisation {
	uint32_t type, real, count, axis, block;
	const float *scales;
	const int32_t *zeros;
};

/* A constant input of any node; NULL for none, or another one. */
const struct onnx_tensor *onnx_constant_of(const struct onnx_translation *t,
					   const struct onnx_node *node, uint32_t input);

/*
 * The parameters of node @number, a QuantizeLinear or DequantizeLinear. Return: false unless they
 * are constants; that is no error.
 */
bool onnx_quantisation_of(struct onnx_translation *t, uint32_t number,
			  struct onnx_quantisation *to);

/**
 * struct onnx_unit - a node between DequantizeLinear and QuantizeLinear
 * @out: the parameters of the result: of 8 bits, one scale
 * @activation: enum nna_activation of a node between, or NNA_ACT_NONE
 * @quantizer: the node that is QuantizeLinear
 * @between: the node of the activation, or ONNX_ABSENT
 */
struct onnx_unit {
	struct onnx_quantisation out;
	int32_t activation;
	uint32_t quantizer, between;
};

/*
 * Whether the node's inputs, the first @inputs, are dequantised from 8 bits, and all that reads its
 * one output is a QuantizeLinear to 8 bits of the same type. @fuse: an activation may be between.
 */
bool onnx_is_unit(struct onnx_translation *t, uint32_t inputs, bool fuse, struct onnx_unit *unit);
/* The quantised numbers of an input. */
struct onnx_operand onnx_stored(struct onnx_translation *t, uint32_t input, enum onnx_order order);
enum onnx_order onnx_stored_order(struct onnx_translation *t, uint32_t input);
/* A description of the unit's result with the dims of @x. */
struct onnx_operand onnx_unit_like(const struct onnx_unit *unit, const struct onnx_operand *x);
/* Makes an operand the result of the unit, which is the output of its QuantizeLinear. */
void onnx_set_unit(struct onnx_translation *t, const struct onnx_unit *unit,
		   struct onnx_operand x, enum onnx_order order);
/*
 * A DequantizeLinear of a constant that gives input @input: its numbers, unpacked, and parameters.
 * Return: false if it is no such input.
 */
bool onnx_weights(struct onnx_translation *t, uint32_t input, struct onnx_quantisation *q,
		  struct onnx_tensor *numbers);
/* The same of node @number, a DequantizeLinear. */
bool onnx_dequantized(struct onnx_translation *t, uint32_t number, struct onnx_quantisation *q,
		      struct onnx_tensor *numbers);
/* A constant that DequantizeLinear gives, as floats, computed here: part of folding. */
bool onnx_dequantize(struct onnx_translation *t, const struct onnx_tensor *x,
		     const struct onnx_quantisation *q, struct onnx_tensor *out);

/* ----------------------------------------------------------------------------- of each operator */

#define ONNX_OP(name, oldest, newest, attributes, translate, fold, test) \
	void onnx_translate_##translate(struct onnx_translation *t); \
	bool onnx_fold_##fold(struct onnx_translation *t);
#define ONNX_MICROSOFT ONNX_OP
#include "frontend/onnx/operator_list.h"

#endif
