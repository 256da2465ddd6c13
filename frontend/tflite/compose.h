/* SPDX-License-Identifier: MIT */
/*
 * Operators as small expressions of NNAPI's operations.
 *
 * A struct tflite_value is an operand with its type and shape at hand. Functions that compute add
 * an operation and return its result, a new operand; tflite_result() makes one the output of the
 * operator:
 *
 *	x = tflite_real(t, 0);
 *	tflite_result(t, tflite_binary(t, NNA_OPERATION_MUL, x, x), 0);
 *
 * Errors are kept in the translation, as everywhere (translation.h).
 */
#ifndef TFLITE_COMPOSE_H
#define TFLITE_COMPOSE_H

#include "frontend/tflite/translation.h"

/**
 * struct tflite_value - an operand
 * @operand: its number in the sink
 * @o: what it is
 */
struct tflite_value {
	uint32_t operand;
	struct tflite_operand_desc o;
};

/* Input @index as it is. */
struct tflite_value tflite_value(struct tflite_translation *t, uint32_t index);
/* The same; where it is quantised, the real numbers that it stands for. */
struct tflite_value tflite_real(struct tflite_translation *t, uint32_t index);

/* Constants: one FLOAT32, one INT32, and tensors of either, or of INT64, with dims of their own. */
struct tflite_value tflite_float(struct tflite_translation *t, float value);
struct tflite_value tflite_int(struct tflite_translation *t, int32_t value);
struct tflite_value tflite_float_tensor(struct tflite_translation *t, uint32_t rank,
					const uint32_t *dims, const float *values);
struct tflite_value tflite_int_tensor(struct tflite_translation *t, uint32_t rank,
				      const uint32_t *dims, const int32_t *values);

struct tflite_value tflite_long_tensor(struct tflite_translation *t, uint32_t rank,
				       const uint32_t *dims, const int64_t *values);

/* A new operand of another type and without quantisation, in the dims of @x. */
struct tflite_value tflite_like(struct tflite_translation *t, const struct tflite_value *x,
				uint32_t type);

/* An operation of one input without parameters; the result is like @x. */
struct tflite_value tflite_unary(struct tflite_translation *t, uint32_t type,
				 struct tflite_value x);
/*
 * An operation of two inputs, which are broadcast, without activation; the result has the type of
 * @a, comparisons give BOOL8.
 */
struct tflite_value tflite_binary(struct tflite_translation *t, uint32_t type,
				  struct tflite_value a, struct tflite_value b);
/* Copies of @x along its dimensions of 1, and along new ones in front. */
struct tflite_value tflite_broadcast(struct tflite_translation *t, struct tflite_value x,
				     uint32_t rank, const uint32_t *dims);
/* @condition ? @a : @b, which are broadcast. */
struct tflite_value tflite_select(struct tflite_translation *t, struct tflite_value condition,
				  struct tflite_value a, struct tflite_value b);
/* CAST to a type without quantisation. */
struct tflite_value tflite_cast(struct tflite_translation *t, struct tflite_value x,
				uint32_t type);
struct tflite_value tflite_reshaped(struct tflite_translation *t, struct tflite_value x,
				    uint32_t rank, const uint32_t *dims);
struct tflite_value tflite_transposed(struct tflite_translation *t, struct tflite_value x,
				      const int32_t *axes);
/* Elements [@begin, @begin + @size) of one axis. */
struct tflite_value tflite_part(struct tflite_translation *t, struct tflite_value x, uint32_t axis,
				uint32_t begin, uint32_t size);
/* Zeros before and behind: @pads has two numbers for each dimension. */
struct tflite_value tflite_padded(struct tflite_translation *t, struct tflite_value x,
				  const int32_t *pads);
/* Slices of @x along @axis; the indices' dims stand in the place of that dim. */
struct tflite_value tflite_gathered(struct tflite_translation *t, struct tflite_value x,
				    uint32_t axis, struct tflite_value indices);
/* MEAN, REDUCE_SUM ... along one axis, which stays with a size of 1. */
struct tflite_value tflite_reduced(struct tflite_translation *t, uint32_t type,
				   struct tflite_value x, uint32_t axis);

/*
 * Layers with INT8 weights as input 1 and a float input 0 (ops/hybrid.c): whether the operator is
 * one; the input as integers [@rows, ...], each row by its own @scale [@rows, 1]; the weights as
 * integers; and the output out of the sum of products, which has its elements, and of the scale,
 * which broadcasts with the sum. The bias is input 2, if any.
 */
bool tflite_is_hybrid(struct tflite_translation *t);
struct tflite_value tflite_hybrid_input(struct tflite_translation *t, uint32_t rows,
					bool asymmetric, struct tflite_value *scale);
/* The same for any value [rows, n]. */
struct tflite_value tflite_hybrid_rows(struct tflite_translation *t, struct tflite_value x,
				       bool asymmetric, struct tflite_value *scale);
struct tflite_value tflite_hybrid_weights(struct tflite_translation *t, uint32_t index);
void tflite_finish_hybrid(struct tflite_translation *t, struct tflite_value sum,
			  struct tflite_value scale);

/*
 * Layers with an INT16 input 0 and constant INT8 weights as input 1 (ops/wide.c): whether the
 * operator is one; the upper (@high) or lower part of the input as whole numbers in FLOAT32, of the
 * dims of the input; and the output out of the sums of products of both parts.
 */
bool tflite_is_wide(const struct tflite_translation *t);
struct tflite_value tflite_wide_input(struct tflite_translation *t, bool high);
/* The same of any INT16 value; and 256 * @high + @low in INT64. */
struct tflite_value tflite_wide_part(struct tflite_translation *t, struct tflite_value x, bool high);
struct tflite_value tflite_wide_sum(struct tflite_translation *t, struct tflite_value high,
				    struct tflite_value low);
void tflite_finish_wide(struct tflite_translation *t, struct tflite_value high,
			struct tflite_value low, uint32_t units);

/*
 * Functions of one INT16 as a table of all results (ops/table.c): whether the operator is one, as
 * TFLite computes it; and its translation.
 */
bool tflite_has_table(const struct tflite_translation *t);
void tflite_translate_table(struct tflite_translation *t);

/* Whether the operator is a SOFTMAX of INT16 (ops/softmax16.c), and its translation. */
bool tflite_is_softmax16(const struct tflite_translation *t);
void tflite_translate_softmax16(struct tflite_translation *t);

/*
 * Whether the operator compares or divides stored numbers of INT16, whatever they mean
 * (ops/plain.c); is a MEAN or SUM of INT16 (ops/reduce.c).
 */
bool tflite_is_stored16(const struct tflite_translation *t);
bool tflite_is_sum16(const struct tflite_translation *t);
/* Whether it is a PRELU of INT16 by INT8 (ops/activation.c). */
bool tflite_is_prelu16(const struct tflite_translation *t);
/* Whether it is a RESIZE_BILINEAR of INT16 for a sink that rounds as TFLite (ops/resize.c). */
bool tflite_is_resize16(const struct tflite_translation *t);

/* Whether the operator is a BATCH_MATMUL of INT16 with INT16 or INT8 (ops/matmul.c). */
bool tflite_is_matmul16(const struct tflite_translation *t);

/* Whether the operator is an ADD, SUB or MUL of INT16 that the sink computes as TFLite does. */
bool tflite_is_arithmetic16(const struct tflite_translation *t);

/*
 * The entries of a table at the stored numbers of @x minus @least. @values, which live as long as
 * the model, are @count elements of @desc, @size bytes; a number of @x beyond them ends a run.
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
 * The output @index of the operator is @x: of the same type, or real numbers for a quantised
 * output. The shape is the output's.
 */
void tflite_result(struct tflite_translation *t, struct tflite_value x, uint32_t index);

#endif
