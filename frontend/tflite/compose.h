/* SPDX-License-Identifier: MIT */
/*
 * Operators as small expressions of NNAPI's operations.
 *
 * A struct tflite_value is an operand with its type and shape. Each function below adds an
 * operation and returns its result, a new operand; tflite_result() makes a value the output of the
 * operator:
 *
 *	x = tflite_real(t, 0);
 *	tflite_result(t, tflite_binary(t, NNA_OPERATION_MUL, x, x), 0);
 *
 * The translation stores errors (translation.h).
 */
#ifndef TFLITE_COMPOSE_H
#define TFLITE_COMPOSE_H

#include "frontend/tflite/translation.h"

/**
 * struct tflite_value - an operand
 * @operand: its number in the sink
 * @o: its type and shape
 */
struct tflite_value {
	uint32_t operand;
	struct tflite_operand_desc o;
};

/* Input @index. */
struct tflite_value tflite_value(struct tflite_translation *t, uint32_t index);
/* The same; a quantised input is dequantised to FLOAT32. */
struct tflite_value tflite_real(struct tflite_translation *t, uint32_t index);

/* Constants: one FLOAT32, one INT32, and tensors of FLOAT32, INT32 or INT64. */
struct tflite_value tflite_float(struct tflite_translation *t, float value);
struct tflite_value tflite_int(struct tflite_translation *t, int32_t value);
struct tflite_value tflite_float_tensor(struct tflite_translation *t, uint32_t rank,
					const uint32_t *dims, const float *values);
struct tflite_value tflite_int_tensor(struct tflite_translation *t, uint32_t rank,
				      const uint32_t *dims, const int32_t *values);

struct tflite_value tflite_long_tensor(struct tflite_translation *t, uint32_t rank,
				       const uint32_t *dims, const int64_t *values);

/* The INT32 numbers 0 to @count - 1, [@count]. */
struct tflite_value tflite_positions(struct tflite_translation *t, uint32_t count);
/* @v [n] as [1, ..., n, ..., 1]: n elements of dimension @k of @rank. */
struct tflite_value tflite_along(struct tflite_translation *t, struct tflite_value v, uint32_t k,
				 uint32_t rank);

/* A new operand of type @type, without quantisation, with the dims of @x. */
struct tflite_value tflite_like(struct tflite_translation *t, const struct tflite_value *x,
				uint32_t type);

/* An operation of one input without parameters; the result is like @x. */
struct tflite_value tflite_unary(struct tflite_translation *t, uint32_t type,
				 struct tflite_value x);
/*
 * An operation of two inputs, which are broadcast, without activation. The result has the type of
 * @a; that of a comparison is BOOL8.
 */
struct tflite_value tflite_binary(struct tflite_translation *t, uint32_t type,
				  struct tflite_value a, struct tflite_value b);
/* Repeats @x along its dimensions of size 1, and along new ones in front. */
struct tflite_value tflite_broadcast(struct tflite_translation *t, struct tflite_value x,
				     uint32_t rank, const uint32_t *dims);
/* @condition ? @a : @b, which are broadcast. */
struct tflite_value tflite_select(struct tflite_translation *t, struct tflite_value condition,
				  struct tflite_value a, struct tflite_value b);
/* CAST to a type without quantisation. */
struct tflite_value tflite_cast(struct tflite_translation *t, struct tflite_value x,
				uint32_t type);
/*
 * @x, INT32 or INT64, as the number that TFLite's type @type, INT8, UINT8 or INT16, makes of its
 * low bits (ops/quantize.c).
 */
struct tflite_value tflite_wrapped(struct tflite_translation *t, struct tflite_value x,
				   uint32_t type);
/*
 * Makes @x output 0. Of stored numbers @x holds the sums in INT32: the bits that the output has no
 * place for are lost, as in C.
 */
void tflite_sums_result(struct tflite_translation *t, struct tflite_value x);
struct tflite_value tflite_reshaped(struct tflite_translation *t, struct tflite_value x,
				    uint32_t rank, const uint32_t *dims);
/*
 * @x with three dimensions: those before @axis are one, and so are those behind it. CONCATENATION
 * has 4 dimensions at most.
 */
struct tflite_value tflite_folded(struct tflite_translation *t, struct tflite_value x,
				  uint32_t axis);
struct tflite_value tflite_transposed(struct tflite_translation *t, struct tflite_value x,
				      const int32_t *axes);
/* Elements [@begin, @begin + @size) of one axis. */
struct tflite_value tflite_part(struct tflite_translation *t, struct tflite_value x, uint32_t axis,
				uint32_t begin, uint32_t size);
/* Pads @x with zeros: @pads has two numbers for each dimension, before and after. */
struct tflite_value tflite_padded(struct tflite_translation *t, struct tflite_value x,
				  const int32_t *pads);
struct tflite_gap;

/*
 * @x with copies of @pad, one number [1, 1, 1], between the elements along @axis and around them,
 * or with fewer elements, as @gap (shapes.h) has it (ops/interior.c).
 */
struct tflite_value tflite_spread(struct tflite_translation *t, struct tflite_value x,
				  uint32_t axis, const struct tflite_gap *gap,
				  struct tflite_value pad);
/* Slices of @x along @axis; the dims of @indices replace that dimension. */
struct tflite_value tflite_gathered(struct tflite_translation *t, struct tflite_value x,
				    uint32_t axis, struct tflite_value indices);
/* Slices of @a along dimension 0, then those of @b; their other dimensions are the same. */
struct tflite_value tflite_stacked(struct tflite_translation *t, struct tflite_value a,
				   struct tflite_value b);
/* MEAN, REDUCE_SUM ... along @axis, which keeps a size of 1. */
struct tflite_value tflite_reduced(struct tflite_translation *t, uint32_t type,
				   struct tflite_value x, uint32_t axis);

/*
 * Layers with INT8 weights as input 1 and a float input 0 (ops/hybrid.c):
 *
 *	tflite_is_hybrid()	whether the operator is one
 *	tflite_hybrid_input()	the input as integers [@rows, n]; @scale gets a scale for each row,
 *				[@rows, 1]. The zero point is taken off, unless @asymmetric rows
 *				give it as @zero_points, [@rows, 1]
 *	tflite_hybrid_sums()	the sums of the weights of each channel; false if the zero point
 *				has to be taken off the input
 *	tflite_hybrid_centred()	@sum as if the zero point had been taken off; all broadcast
 *	tflite_hybrid_weights()	the weights as integers
 *	tflite_finish_hybrid()	the output: @sum, the sums of products, in the order of the output's
 *				elements, times @scale, which broadcasts, plus the bias, input 2
 */
bool tflite_is_hybrid(struct tflite_translation *t);
/* The output: @sum, scaled, in the output's shape; the bias of input 2; the fused activation. */
void tflite_finish_biased(struct tflite_translation *t, struct tflite_value sum);
/* Whether @w has scales that differ; TFLite takes equal ones for a single scale. */
bool tflite_has_scales(const struct tflite_tensor *w);
struct tflite_value tflite_hybrid_input(struct tflite_translation *t, uint32_t rows,
					bool asymmetric, struct tflite_value *scale,
					struct tflite_value *zero_points);
/* tflite_hybrid_input() for any value [rows, n]. */
struct tflite_value tflite_hybrid_rows(struct tflite_translation *t, struct tflite_value x,
				       bool asymmetric, struct tflite_value *scale,
				       struct tflite_value *zero_points);

/**
 * struct tflite_weights - where the weights of a channel lie, [outer, count, inner]
 * @count: of a channel
 * @inner: channels side by side: the distance of two weights of one
 * @rank: number of dims of the sums, one for each channel
 * @dims: their product is outer * inner
 */
struct tflite_weights {
	uint32_t count, inner, rank;
	const uint32_t *dims;
};

bool tflite_hybrid_sums(struct tflite_translation *t, const struct tflite_weights *shape,
			struct tflite_value *sums);
struct tflite_value tflite_hybrid_centred(struct tflite_translation *t, struct tflite_value sum,
					  struct tflite_value zero_points,
					  struct tflite_value sums);
struct tflite_value tflite_hybrid_weights(struct tflite_translation *t, uint32_t index);
void tflite_finish_hybrid(struct tflite_translation *t, struct tflite_value sum,
			  struct tflite_value scale);
/*
 * @x [rows, n] as whole numbers times @weights [units, n] as whole numbers, times both scales;
 * input @index has the scale of the weights.
 */
struct tflite_value tflite_hybrid_product(struct tflite_translation *t, struct tflite_value x,
					  struct tflite_value scale,
					  struct tflite_value weights, uint32_t index);

/*
 * State of recurrent layers (ops/recurrent.c):
 *
 *	tflite_next_state()	the operand that gets the new state of input @index: the input
 *				itself if it is a variable, else a new operand that nothing reads,
 *				so that each run starts from the same state
 *	tflite_keep_state()	copies @x to the variable of input @index, if it is one
 */
uint32_t tflite_next_state(struct tflite_translation *t, uint32_t index);
void tflite_keep_state(struct tflite_translation *t, uint32_t index, struct tflite_value x);

/* The LSTM of kernel type 1 (ops/basic_lstm.c). */
void tflite_translate_basic_lstm(struct tflite_translation *t);

/*
 * Layers with an INT16 input 0 and constant INT8 weights as input 1 (ops/wide.c):
 *
 *	tflite_is_wide()	whether the operator is one
 *	tflite_wide_input()	the upper (@high) or lower part of the input as whole numbers in
 *				FLOAT32, with the dims of the input
 *	tflite_finish_wide()	the output: @high and @low are the sums of products of both parts
 */
bool tflite_is_wide(const struct tflite_translation *t);
struct tflite_value tflite_wide_input(struct tflite_translation *t, bool high);
/* tflite_wide_input() for any INT16 value; and 256 * @high + @low in INT64. */
struct tflite_value tflite_wide_part(struct tflite_translation *t, struct tflite_value x,
				     bool high);
struct tflite_value tflite_wide_sum(struct tflite_translation *t, struct tflite_value high,
				    struct tflite_value low);
void tflite_finish_wide(struct tflite_translation *t, struct tflite_value high,
			struct tflite_value low, uint32_t units);

/*
 * Functions of one INT16 as a table of all results (ops/table.c): whether the operator is one that
 * TFLite computes like that; and its translation.
 */
bool tflite_has_table(const struct tflite_translation *t);
void tflite_translate_table(struct tflite_translation *t);

/* Whether the operator is a SOFTMAX of INT16 (ops/softmax16.c), and its translation. */
bool tflite_is_softmax16(const struct tflite_translation *t);
void tflite_translate_softmax16(struct tflite_translation *t);

/* Whether the operator is a LOG_SOFTMAX of 8 bits (ops/log_softmax8.c), and its translation. */
bool tflite_is_log_softmax8(const struct tflite_translation *t);
void tflite_translate_log_softmax8(struct tflite_translation *t);

/*
 * Whether the operator compares the stored numbers of INT16 tensors, or divides those of INT16 or
 * INT8, without regard to their scales (ops/plain.c).
 */
bool tflite_is_stored_short(const struct tflite_translation *t);
/* Whether the operator is a MEAN or SUM of INT16 (ops/reduce.c). */
bool tflite_is_sum16(const struct tflite_translation *t);
/* Whether it is a PRELU of INT16 by INT8 (ops/activation.c). */
bool tflite_is_prelu16(const struct tflite_translation *t);
/* Whether it is a RESIZE_BILINEAR of INT16 for a sink that rounds as TFLite (ops/resize.c). */
bool tflite_is_resize16(const struct tflite_translation *t);

/* Whether the operator is a BATCH_MATMUL of INT16 with INT16 or INT8 (ops/matmul.c). */
bool tflite_is_matmul16(const struct tflite_translation *t);

/* Whether it is a FULLY_CONNECTED of INT16 by INT16 without a bias (ops/matmul.c). */
bool tflite_is_full16(const struct tflite_translation *t);

/* Whether the operator is an ADD, SUB or MUL of INT16 that the sink computes as TFLite does. */
bool tflite_is_arithmetic16(const struct tflite_translation *t);

/*
 * Looks up the stored numbers of @x minus @least in a table: @values, @count elements of @desc in
 * @size bytes, which live as long as the model. A number beyond the table ends the run with an
 * error.
 */
struct tflite_value tflite_looked_up(struct tflite_translation *t, struct tflite_value x,
				     const struct nna_operand_desc *desc, int32_t least,
				     uint32_t count, const void *values, size_t size);

/*
 * Functions of 8-bit numbers as a table of all results (ops/lookup.c): whether the operator is one,
 * and its translation.
 */
bool tflite_has_lookup(const struct tflite_translation *t);
void tflite_translate_lookup(struct tflite_translation *t, uint32_t type);

/*
 * Makes @x output @index of the operator. @x has the type of the output, or holds real numbers that
 * a QUANTIZE turns into a quantised output; a RESHAPE gives it the shape of the output.
 */
void tflite_result(struct tflite_translation *t, struct tflite_value x, uint32_t index);

#endif
