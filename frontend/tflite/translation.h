/* SPDX-License-Identifier: MIT */
/*
 * What the translations of operators (ops/) are written with.
 *
 * translate.c walks the model and calls one function for each operator. That function checks the
 * operator's tensors, pushes the inputs of an NNAPI operation one by one, and emits it:
 *
 *	tflite_need(t, 1, 1);
 *	tflite_push_input(t, 0);
 *	tflite_push_i32(t, t->op->options.block_size);
 *	tflite_emit_outputs(t, type);
 *
 * Errors are kept rather than returned: the first one is stored in the translation with its
 * message, and every call after it does nothing and returns a harmless value. A translation
 * therefore looks at t->ret only where it computes with what the file states.
 *
 * A struct tflite_translation belongs to one call of tflite_translate() and to its thread.
 */
#ifndef TFLITE_TRANSLATION_H
#define TFLITE_TRANSLATION_H

#include "frontend/tflite/translate.h"

#define TFLITE_NO_OPERAND UINT32_MAX

struct tflite_resource;

/**
 * struct tflite_translation - one run of tflite_translate()
 * @model: what is translated; constants that are made are stored in it
 * @ops: functions of the sink
 * @sink: their first argument
 * @origin: where the main subgraph's operations come from, NULL when nobody asks
 * @origin_room: elements that @origin has memory for
 * @error: the caller's memory for a message, TFLITE_ERROR_SIZE bytes
 * @ret: the first error, a negative errno; everything after it does nothing
 * @graphs: the sink's number of each of the model's subgraphs, TFLITE_NO_OPERAND for an unused one
 * @sub: the subgraph that is being translated
 * @graph: its number in the sink
 * @operands: the sink's operand of each tensor of @sub, TFLITE_NO_OPERAND until it is needed
 * @known: for each tensor of @sub, whether its operand is a constant that the translation has made
 * @real: the operator's INT16 tensors stand for real numbers (reals.c): no other way of computing
 *	with 8-bit weights is wanted
 * @made: elements of the tables that were made of constants so far
 * @ran: BOOL8 variable: whether there was a run before this one; TFLITE_NO_OPERAND until needed
 * @resources: @resource_count resource variables (ops/variable.c); memory for @resource_room
 * @op: the operator that is being translated, NULL before the first and after the last one
 * @op_index: its number in @sub
 * @in: inputs of the operation that is being built
 * @in_count: how many there are so far
 * @in_room: how many @in has memory for
 */
struct tflite_translation {
	struct tflite_model *model;
	const struct tflite_sink *ops;
	void *sink;
	struct tflite_origin *origin;
	uint32_t origin_room;
	char *error;
	int ret;

	uint32_t *graphs;
	struct tflite_subgraph *sub;
	uint32_t graph;
	uint32_t *operands;
	bool *known;
	bool real;
	uint64_t made;
	uint32_t ran;
	struct tflite_resource *resources;
	uint32_t resource_count, resource_room;

	const struct tflite_operator *op;
	uint32_t op_index;
	uint32_t *in;
	uint32_t in_count, in_room;
};

/**
 * struct tflite_operand_desc - a type and a shape that can be changed before they become an operand
 * @desc: its dims point at @dims after tflite_describe(); tflite_add_operand() sets them anyway
 * @dims: one more than a tensor can have
 */
struct tflite_operand_desc {
	struct nna_operand_desc desc;
	uint32_t dims[TFLITE_MAX_RANK + 1];
};

/* --------------------------------------------------------------------------------------- errors */

/* Keep an error, unless there is one already; the message names the current operator. */
__attribute__((format(printf, 3, 4))) void tflite_fail(struct tflite_translation *t, int ret,
						       const char *format, ...);

/* Keep what the sink returned for @what ("an operand was") when that is an error. */
void tflite_check(struct tflite_translation *t, int ret, const char *what);

/* An error unless the operator has at least @inputs and exactly @outputs. */
void tflite_need(struct tflite_translation *t, uint32_t inputs, uint32_t outputs);
void tflite_need_rank(struct tflite_translation *t, const struct tflite_tensor *x, uint32_t rank);

/* For operators whose options have no useful defaults. */
void tflite_need_options(struct tflite_translation *t);

/* -------------------------------------------------------------------------------------- tensors */

bool tflite_is_float(uint32_t type);
bool tflite_is_quant8(uint32_t type);
bool tflite_is_quantised(uint32_t type);

/* Whether a tensor is INT16 with one scale, and no zero point. */
bool tflite_is_symmetric16(const struct tflite_tensor *x);

/* Of a whole tensor: 1 and 0 when the file states none. */
float tflite_scale(const struct tflite_tensor *x);
int32_t tflite_zero_point(const struct tflite_tensor *x);

/* Whether both of a quantised type, as whole tensors, mean the same by the same numbers. */
bool tflite_same_quantisation(const struct tflite_tensor *x, const struct tflite_tensor *y);

/* Tensor of input or output @index; an empty one after an error. */
const struct tflite_tensor *tflite_input(struct tflite_translation *t, uint32_t index);
const struct tflite_tensor *tflite_output(struct tflite_translation *t, uint32_t index);
bool tflite_has_input(const struct tflite_translation *t, uint32_t index);

/*
 * The values of an input that must be a constant of INT32 or INT64; INT64 is clamped to INT32.
 * Return: how many there are, at most @room; 0 after an error.
 */
uint32_t tflite_constant_ints(struct tflite_translation *t, uint32_t index, int32_t *to,
			      uint32_t room);
int32_t tflite_constant_int(struct tflite_translation *t, uint32_t index);

/* @axis, counted from the end when it is negative, as a number from 0 to @rank - 1. */
int32_t tflite_axis(struct tflite_translation *t, int32_t axis, uint32_t rank);

/* ------------------------------------------------------------------------------------- operands */

/* What a tensor is in NNAPI's terms; COMPLEX64 has one more dimension, of two FLOAT32. */
void tflite_describe(struct tflite_translation *t, const struct tflite_tensor *x,
		     struct tflite_operand_desc *o);

uint32_t tflite_add_operand(struct tflite_translation *t, const struct tflite_operand_desc *o);

/* One like output 0, but of input 0's quantisation; @o becomes its description. */
uint32_t tflite_add_as_input(struct tflite_translation *t, struct tflite_operand_desc *o);

/* @data must live as long as the model. */
void tflite_set_constant(struct tflite_translation *t, uint32_t operand, const void *data,
			 size_t size);

/* A new operand with a copy of @data, which the model owns; zeros when @data is NULL. */
uint32_t tflite_add_constant(struct tflite_translation *t, const struct tflite_operand_desc *o,
			     const void *data, size_t size);

/*
 * Note that a table of @elements is to be made out of what the file states; an error where they are
 * more than TFLITE_MAX_TABLE, or too many together: a few bytes can ask for a lot.
 */
#define TFLITE_MAX_TABLE (1u << 24)
void tflite_make_room(struct tflite_translation *t, uint64_t elements);

/*
 * Make output @index of the operator a constant: @data, which must live as long as the model. An
 * error when something has used the output already.
 */
void tflite_define(struct tflite_translation *t, uint32_t index, const void *data, size_t size);

/* The operand of a tensor, of an input, of an output; each is made when it is first needed. */
uint32_t tflite_tensor_operand(struct tflite_translation *t, uint32_t tensor);
uint32_t tflite_input_operand(struct tflite_translation *t, uint32_t index);
uint32_t tflite_output_operand(struct tflite_translation *t, uint32_t index);

/* --------------------------------------------------------------------------------------- inputs */

void tflite_push(struct tflite_translation *t, uint32_t operand);
void tflite_push_input(struct tflite_translation *t, uint32_t index);
void tflite_push_omitted(struct tflite_translation *t, uint32_t type);
void tflite_push_input_or_omit(struct tflite_translation *t, uint32_t index, uint32_t type);

/* New constant scalars; @type is of enum nna_operand_type. */
void tflite_push_scalar(struct tflite_translation *t, uint32_t type, const void *value,
			size_t size);
void tflite_push_i32(struct tflite_translation *t, int32_t value);
void tflite_push_bool(struct tflite_translation *t, bool value);

/* A FLOAT32 scalar; libnnaccel takes one in operations on FLOAT16 as well. */
void tflite_push_f32(struct tflite_translation *t, float value);

/* A new constant tensor of INT32 with one dimension. */
void tflite_push_list(struct tflite_translation *t, const int32_t *values, uint32_t count);

/* Elements of padding before and behind each of @rank dimensions. */
void tflite_push_pads(struct tflite_translation *t, const int32_t *pads, uint32_t rank);

/* Input @index; a constant of INT64 becomes one of INT32, which is what NNAPI takes. */
void tflite_push_ints(struct tflite_translation *t, uint32_t index);

/* The one value of input @index, a constant, as the scalar that belongs to its type. */
void tflite_push_value(struct tflite_translation *t, uint32_t index);

/* Inputs of layers (ops/layer.c): weights, bias, and padding with strides. */
void tflite_push_weights(struct tflite_translation *t, uint32_t index,
			 const struct tflite_tensor *x);
void tflite_push_bias(struct tflite_translation *t, uint32_t index, const struct tflite_tensor *x,
		      const struct tflite_tensor *w, uint32_t units);
void tflite_push_window(struct tflite_translation *t, const struct tflite_options *o);

/* ----------------------------------------------------------------------------------- operations */

/* Add the operation whose inputs have been pushed; @type is of enum nna_operation_type. */
void tflite_emit(struct tflite_translation *t, uint32_t type, const uint32_t *out,
		 uint32_t out_count);
void tflite_emit_to(struct tflite_translation *t, uint32_t type, uint32_t operand);

/* The same with all outputs of the operator. */
void tflite_emit_outputs(struct tflite_translation *t, uint32_t type);

/* NNAPI's code of the operator's activation; 0 for one that tflite_finish() must add. */
int32_t tflite_fused(const struct tflite_translation *t);

/* Emit with the operator's one output, and add an activation that could not be fused. */
void tflite_finish(struct tflite_translation *t, uint32_t type);

/* Add a RESHAPE of operand @from to operand @to, which @o describes. */
void tflite_emit_reshape(struct tflite_translation *t, uint32_t from, uint32_t to,
			 const struct tflite_operand_desc *o);

/* Emit to a new operand @o, and a RESHAPE from there to the operator's one output. */
void tflite_finish_reshaped(struct tflite_translation *t, uint32_t type,
			    const struct tflite_operand_desc *o);

/* A whole operator: @inputs inputs as they are, no parameters, one output (ops/plain.c). */
void tflite_plain(struct tflite_translation *t, uint32_t type, uint32_t inputs);

/* --------------------------------------------------------------------------------- translations */

/*
 * Whether the operator has INT16 tensors that it does not merely move; then it is translated by
 * @translate on real numbers: its inputs dequantised, its outputs quantised again.
 */
bool tflite_needs_reals(const struct tflite_translation *t);
void tflite_translate_on_reals(struct tflite_translation *t,
			       void (*translate)(struct tflite_translation *t, uint32_t type),
			       uint32_t type);

/*
 * Whether the operator moves, chooses or orders stored numbers between different quantisations
 * (stored.c); @translate then translates it with that of output 0 in all its tensors.
 */
bool tflite_is_stored(const struct tflite_translation *t);
void tflite_translate_stored(struct tflite_translation *t,
			     void (*translate)(struct tflite_translation *t));

/* Of the custom operator TFLite_Detection_PostProcess. */
void tflite_translate_detection(struct tflite_translation *t, uint32_t type);

/*
 * The state that variable tensor @tensor holds when the run begins. TFLite's state begins as the
 * number 0, the graph's as bytes of 0, which is another number where there is a zero point.
 */
uint32_t tflite_state(struct tflite_translation *t, uint32_t tensor);

/* After the operators of the main subgraph: what has been assigned becomes the graph's state. */
void tflite_end_variables(struct tflite_translation *t);

/* One for each name in the list; several rows may name the same one. */
#define TFLITE_OP(code, name, translation, operation) \
	void tflite_translate_##translation(struct tflite_translation *t, uint32_t type);
#define TFLITE_MADE(code, name, translation, operation) \
	void tflite_translate_##translation(struct tflite_translation *t, uint32_t type);
#define TFLITE_NAME(code, name)
#include "frontend/tflite/operator_list.h"

#endif
