/* SPDX-License-Identifier: MIT */
/*
 * Functions that the translations of operators (ops/) are built from.
 *
 * translate.c walks the model and calls one function for each operator. That function checks the
 * operator's tensors, pushes the inputs of an NNAPI operation one by one, and emits it:
 *
 *	tflite_need(t, 1, 1);
 *	tflite_push_input(t, 0);
 *	tflite_push_i32(t, t->op->options.block_size);
 *	tflite_emit_outputs(t, type);
 *
 * Functions store errors rather than return them: the translation holds the first one and its
 * message, and every later call does nothing and returns a harmless value. A translation therefore
 * checks t->ret only before it computes with numbers of the file.
 *
 * A struct tflite_translation belongs to one call of tflite_translate() and to its thread.
 */
#ifndef TFLITE_TRANSLATION_H
#define TFLITE_TRANSLATION_H

#include <errno.h>

#include "frontend/tflite/translate.h"

#define TFLITE_NO_OPERAND UINT32_MAX
#define TFLITE_CALLER (UINT32_MAX - 1)

struct tflite_resource;

/**
 * struct tflite_translation - one run of tflite_translate()
 * @model: the model; it owns the constants that the translation computes
 * @ops: functions of the sink
 * @sink: their first argument
 * @origin: the operator of each operation of the main subgraph; NULL if the caller wants none
 * @origin_room: elements that @origin has memory for
 * @error: the caller's memory for a message, TFLITE_ERROR_SIZE bytes
 * @ret: the first error, a negative errno, after which every function does nothing
 * @graphs: the sink's number of each of the model's subgraphs, TFLITE_NO_OPERAND for an unused one
 * @spare: the sink's number of the next subgraph for the choice between branches (ops/control.c)
 * @sub: the subgraph that is being translated
 * @graph: its number in the sink
 * @operands: the sink's operand of each tensor of @sub, TFLITE_NO_OPERAND until it is needed
 * @writers: the operator of @sub that writes each tensor; TFLITE_CALLER for an input of @sub,
 *	TFLITE_NO_OPERAND if nothing writes it
 * @callers: for each input of @sub the operand that the caller sets; that of a BFLOAT16 tensor is
 *	rounded first (bfloat.h)
 * @known: for each tensor of @sub, whether its operand is a constant that the translation computed
 * @real: the operator's INT16 tensors are disguised as FLOAT32 (reals.c), so a layer with INT8
 *	weights is not a hybrid one
 * @made: elements of all tables that the translation has computed (tflite_make_room())
 * @ran: a BOOL8 variable that is true from the second run on; TFLITE_NO_OPERAND until needed
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

	uint32_t *graphs, spare;
	struct tflite_subgraph *sub;
	uint32_t graph;
	uint32_t *operands, *writers, *callers;
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
 * struct tflite_operand_desc - type and shape of an operand, to be changed before it is added
 * @desc: its dims point at @dims after tflite_describe(); tflite_add_operand() sets that pointer
 * @dims: room for one dimension more than a tensor can have
 */
struct tflite_operand_desc {
	struct nna_operand_desc desc;
	uint32_t dims[TFLITE_MAX_RANK + 1];
};

/* --------------------------------------------------------------------------------------- errors */

/*
 * Refuses an operator that breaks a rule of TFLite: stores -EINVAL and one line.
 *
 *	tflite_refuse(t, w, "%u dimensions", "%u", w->rank, 4);
 *	operator 3 (CONV_2D): input 1 (tensor 5 "conv/w", INT8 [8, 27]): 2 dimensions; expected 4
 *
 * The first text says what the tensor @x has, the second what it must have. Both are string
 * literals, and the arguments of both follow. @x is NULL if the line is about the operator.
 * tests/unit/frontend/tflite/test_refusals.c has a row for each call.
 */
#define tflite_refuse(t, x, wrong, ...) \
	tflite_say(t, -EINVAL, x, wrong "; expected " __VA_ARGS__)
/*
 * Refuses an operator that TFLite runs and this translation does not: stores -ENOTSUP and one line.
 * The second text says what is supported.
 */
#define tflite_unsupported(t, x, wrong, ...) \
	tflite_say(t, -ENOTSUP, x, wrong "; supported: " __VA_ARGS__)
/* The function of both. The first error counts; later ones are ignored. */
__attribute__((format(printf, 4, 5))) void tflite_say(struct tflite_translation *t, int ret,
						      const struct tflite_tensor *x,
						      const char *format, ...);

/* Stores -ENOMEM. */
void tflite_no_memory(struct tflite_translation *t);

/* Stores the sink's result @ret if it is an error; @what begins the message ("an operand was"). */
void tflite_check(struct tflite_translation *t, int ret, const char *what);

/* An error unless the operator has at least @inputs and exactly @outputs. */
void tflite_need(struct tflite_translation *t, uint32_t inputs, uint32_t outputs);
void tflite_need_rank(struct tflite_translation *t, const struct tflite_tensor *x, uint32_t rank);
void tflite_need_least_rank(struct tflite_translation *t, const struct tflite_tensor *x,
			    uint32_t rank);

/* An error unless @x has @elements; @whose, a noun phrase, is part of the message. */
void tflite_need_elements(struct tflite_translation *t, const struct tflite_tensor *x,
			  uint64_t elements, const char *whose);

/* An error unless @fits, which says whether the type of @x is one of @types: "INT32 or INT64". */
void tflite_need_type(struct tflite_translation *t, const struct tflite_tensor *x, bool fits,
		      const char *types);
void tflite_need_constant(struct tflite_translation *t, const struct tflite_tensor *x);

/* An error unless @x has one scale, or one for each of @units. */
void tflite_need_scales(struct tflite_translation *t, const struct tflite_tensor *x,
			uint32_t units);

/* An error if the file has no options: the defaults of this operator's are useless. */
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

/* Whether two quantised tensors have the same scale and the same zero point. */
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
/* Exactly @count values; @whose as for tflite_need_elements(). Return: whether @to has them. */
bool tflite_exact_ints(struct tflite_translation *t, uint32_t index, int32_t *to, uint32_t count,
		       const char *whose);

/* @axis, counted from the end when it is negative, as a number from 0 to @rank - 1. */
int32_t tflite_axis(struct tflite_translation *t, int32_t axis, uint32_t rank);

/* ------------------------------------------------------------------------------------- operands */

/* Describes a tensor in NNAPI's terms; COMPLEX64 gets one more dimension, of two FLOAT32. */
void tflite_describe(struct tflite_translation *t, const struct tflite_tensor *x,
		     struct tflite_operand_desc *o);

uint32_t tflite_add_operand(struct tflite_translation *t, const struct tflite_operand_desc *o);

/* Adds an operand like output 0 with the quantisation of input 0; @o gets its description. */
uint32_t tflite_add_as_input(struct tflite_translation *t, struct tflite_operand_desc *o);

/* @data must live as long as the model. */
void tflite_set_constant(struct tflite_translation *t, uint32_t operand, const void *data,
			 size_t size);

/* A new operand with a copy of @data, which the model owns; zeros when @data is NULL. */
uint32_t tflite_add_constant(struct tflite_translation *t, const struct tflite_operand_desc *o,
			     const void *data, size_t size);

/*
 * Accounts for a table of @elements before it is computed. An error if it has more than
 * TFLITE_MAX_TABLE, or if all tables have more than four times that: without a limit a few bytes of
 * a file could ask for gigabytes.
 */
#define TFLITE_MAX_TABLE (1u << 24)
void tflite_make_room(struct tflite_translation *t, uint64_t elements);

/*
 * Makes output @index of the operator the constant @data, which must live as long as the model. An
 * error if an earlier operator reads the output.
 */
void tflite_define(struct tflite_translation *t, uint32_t index, const void *data, size_t size);

/* An error if an earlier operator reads output @index, or if it has a value. */
void tflite_need_unused(struct tflite_translation *t, uint32_t index);

/* The operand of a tensor, an input or an output; the first call adds it. */
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

/* A constant [@rank, 2]: elements of padding before and after each dimension. */
void tflite_push_pads(struct tflite_translation *t, const int32_t *pads, uint32_t rank);

/* Input @index; a constant of INT64 becomes one of INT32, the type that NNAPI takes. */
void tflite_push_ints(struct tflite_translation *t, uint32_t index);

/* The one value of input @index, a constant, as a scalar of its type. */
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

/* The same; the operation's outputs are the operator's. */
void tflite_emit_outputs(struct tflite_translation *t, uint32_t type);

/* NNAPI's code of the operator's activation; 0 for one that tflite_finish() adds. */
int32_t tflite_fused(const struct tflite_translation *t);

/* Emits to the operator's one output, and adds an activation that NNAPI cannot fuse. */
void tflite_finish(struct tflite_translation *t, uint32_t type);

/* Add a RESHAPE of operand @from to operand @to, which @o describes. */
void tflite_emit_reshape(struct tflite_translation *t, uint32_t from, uint32_t to,
			 const struct tflite_operand_desc *o);

/* Emits to a new operand @o, and a RESHAPE from it to the operator's one output. */
void tflite_finish_reshaped(struct tflite_translation *t, uint32_t type,
			    const struct tflite_operand_desc *o);

/* Translates an operator of @inputs inputs, no parameters and one output (ops/plain.c). */
void tflite_plain(struct tflite_translation *t, uint32_t type, uint32_t inputs);

/* --------------------------------------------------------------------------------- translations */

/*
 * Whether the operator computes with INT16 tensors and has no exact translation. Then @translate
 * translates it on real numbers: its inputs are dequantised, its outputs quantised again.
 */
bool tflite_needs_reals(const struct tflite_translation *t);
void tflite_translate_on_reals(struct tflite_translation *t,
			       void (*translate)(struct tflite_translation *t, uint32_t type),
			       uint32_t type);

/*
 * Whether the operator moves, chooses or orders stored numbers of tensors that differ in their
 * quantisation (stored.c). Then @translate translates it with that of output 0 in all its tensors.
 */
bool tflite_is_stored(const struct tflite_translation *t);
void tflite_translate_stored(struct tflite_translation *t,
			     void (*translate)(struct tflite_translation *t));

/* Of the custom operator TFLite_Detection_PostProcess. */
void tflite_translate_detection(struct tflite_translation *t, uint32_t type);

/*
 * The value of the variable tensor @tensor at the start of a run. TFLite's state is the real number
 * 0 at first, the graph's is zero bytes: with a zero point that is another number.
 */
uint32_t tflite_state(struct tflite_translation *t, uint32_t tensor);

/* Branches of a STABLEHLO_CASE as its translation counts them: a power of two, 2 or more. */
static inline uint32_t tflite_case_room(uint32_t branches)
{
	uint32_t room = 2;

	while (room < branches)
		room *= 2;
	return room;
}

/* Called after the operators of the main subgraph: copies assigned values to the graph's state. */
void tflite_end_variables(struct tflite_translation *t);

/* One prototype for each name in the list; several rows may name the same one. */
#define TFLITE_OP(code, name, translation, operation, shape) \
	void tflite_translate_##translation(struct tflite_translation *t, uint32_t type);
#define TFLITE_MADE(code, name, translation, operation, shape) \
	void tflite_translate_##translation(struct tflite_translation *t, uint32_t type);
#define TFLITE_NAME(code, name)
#include "frontend/tflite/operator_list.h"

#endif
