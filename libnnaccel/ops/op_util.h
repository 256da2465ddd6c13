/* SPDX-License-Identifier: MIT */
/*
 * Functions that operations share: rules that signatures do not state (nna_check_*, nna_require_*,
 * nna_param_*), shapes of outputs (nna_set_*, nna_infer_*), views, and functions that emit
 * operations of the ir (nna_do_*).
 *
 * Checks return 0 or the error of nna_op_refuse(), so they chain: return a ?: b ?: c. nna_check_*
 * accept ranks and dims that are not known, nna_require_* are called with complete shapes.
 * nna_view_* and those nna_do_* that return int64_t return the number of a value or a negative
 * errno; NNA_VALUE() takes the number out.
 */
#ifndef NNA_OP_UTIL_H
#define NNA_OP_UTIL_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/ir/builder.h"
#include "libnnaccel/ops/lower.h"
#include "libnnaccel/ops/op.h"

/*
 * Declares the value number @name and sets it to @expression. If that is an error, the function
 * that uses the macro returns it.
 */
#define NNA_VALUE(name, expression) \
	uint32_t name; \
	do { \
		int64_t number_ = (expression); \
		if (number_ < 0) \
			return (int)number_; \
		name = (uint32_t)number_; \
	} while (0)

/* --------------------------------------------------------------------------------------- checks */

/* Input @i has this type. For types that follow from a subgraph, which no signature states. */
int nna_check_in_type(const struct nna_op_context *op, uint32_t i, enum nna_operand_type type);
/* The same of output @i. */
int nna_check_out_type(const struct nna_op_context *op, uint32_t i, enum nna_operand_type type);
/* Output @i has the scale and zero point of input @like, if its type is quantised. */
int nna_check_out_quant(const struct nna_op_context *op, uint32_t i, uint32_t like);
/* The same of input @i. */
int nna_check_in_quant(const struct nna_op_context *op, uint32_t i, uint32_t like);
/* Input @i has this rank, if it is given and its rank is known. */
int nna_check_rank(const struct nna_op_context *op, uint32_t i, uint32_t rank);
/* Dimension @axis of input @i is @value, if both are known: 0 is unknown. */
int nna_check_dim(const struct nna_op_context *op, uint32_t i, uint32_t axis, uint32_t value);
/*
 * With complete shapes: dimension @axis of input @i is @value; the message ends with @why, a noun
 * phrase.
 */
int nna_require_dim(const struct nna_op_context *op, uint32_t i, uint32_t axis, uint64_t value,
		    const char *why);
/* With complete shapes: no dimension of input @i in @axes, a bit set, is 0. */
int nna_require_elements(const struct nna_op_context *op, uint32_t i, uint32_t axes);
/* With complete shapes: the number of elements of input @i, which fits in 64 bits. */
int nna_require_count(const struct nna_op_context *op, uint32_t i, uint64_t *elements);
/* A dimension of output @i, @size, fits in an int32_t. */
int nna_require_size(const struct nna_op_context *op, uint32_t i, uint64_t size);
/* @operand, NNA_IN(i) or NNA_OUT(i), has this scale and zero point. */
int nna_check_quant(const struct nna_op_context *op, uint32_t operand, float scale,
		    int32_t zero_point);
/* Input @i is omitted; the message ends with @why. */
int nna_check_omitted(const struct nna_op_context *op, uint32_t i, const char *why);
/* Input @i is given if input @other is. */
int nna_check_goes_with(const struct nna_op_context *op, uint32_t i, uint32_t other);
/* Inputs @a and @b are both given or both omitted. */
int nna_check_both(const struct nna_op_context *op, uint32_t a, uint32_t b);

/* Return: dimension @axis if it is known, else 0. */
static inline uint32_t nna_known_dim(const struct nna_shape *shape, uint32_t axis)
{
	return shape->rank_known && axis < shape->rank ? shape->dims[axis] : 0;
}

/* ----------------------------------------------------------------------------------- parameters */

/* As nna_op_scalar_*(), with the value @missing if the input is not given. */
int nna_param_i32(const struct nna_op_context *op, uint32_t i, int32_t missing, int32_t *value);
int nna_param_f32(const struct nna_op_context *op, uint32_t i, float missing, float *value);
int nna_param_bool(const struct nna_op_context *op, uint32_t i, bool missing, bool *value);
/* Reads input @i, a fused activation; NONE if it is not given. */
int nna_param_activation(const struct nna_op_context *op, uint32_t i, enum nna_activation *act);
/*
 * Reads INT32 scalar @i, which is in [@least, @most]; INT32_MAX is no limit. @what names the
 * parameter in the message: "the stride".
 */
int nna_param_number(const struct nna_op_context *op, uint32_t i, const char *what, int32_t least,
		     int32_t most, uint32_t *value);
/* Reads float scalar @i, which is above 0. @what: as for nna_param_number(). */
int nna_param_positive(const struct nna_op_context *op, uint32_t i, const char *what, float *value);
/* Reads tensor @i of exactly @count INT32; the message ends with @why, a noun phrase. */
int nna_param_numbers(const struct nna_op_context *op, uint32_t i, uint32_t count, const char *why,
		      int32_t *numbers);
/* Converts @axis in [-rank, rank), which input @i states, to one in [0, rank). */
int nna_param_axis(const struct nna_op_context *op, uint32_t i, int32_t axis, uint32_t rank,
		   uint32_t *out);
/* Reads input @i, an axis of input 0, by default the last. -EAGAIN: the rank is not known. */
int nna_param_input_axis(const struct nna_op_context *op, uint32_t i, uint32_t *axis);
/* For check(), where an unknown value is no error: converts -EAGAIN to 0. */
static inline int nna_later(int ret)
{
	return ret == -EAGAIN ? 0 : ret;
}

/* --------------------------------------------------------------------------------------- shapes */

/* Sets the dims of output @i. */
int nna_set_dims(struct nna_op_context *op, uint32_t i, uint32_t rank, const uint32_t *dims);
/*
 * The same with an upper bound as dims[0]. lower() states which value holds the number of rows:
 * nna_lower_set_count().
 */
int nna_set_bound(struct nna_op_context *op, uint32_t i, uint32_t rank, const uint32_t *dims);
/* Sets the dims of output @i to those of input @like. */
int nna_set_like(struct nna_op_context *op, uint32_t i, uint32_t like);
/* Broadcasts the dims of @a and @b as numpy does. */
int nna_broadcast_dims(const struct nna_op_context *op, const struct nna_shape *a,
		       const struct nna_shape *b, uint32_t *rank, uint32_t *dims);
/* infer() of operations whose output 0 has the dims of input 0. */
int nna_infer_like_first(struct nna_op_context *op);
/* infer() of operations whose output 0 is input 0 broadcast with input 1. */
int nna_infer_broadcast(struct nna_op_context *op);

/* ---------------------------------------------------------------------------------------- views */

/* Views an image, of either layout, as [batch, height, width, channels]. */
int64_t nna_view_nhwc(struct nna_lower *l, uint32_t value, bool nchw);
/* Views elements [@start, @start + @count) of an axis. */
int64_t nna_view_range(struct nna_lower *l, uint32_t value, uint32_t axis, uint32_t start,
		       uint32_t count);

/* ------------------------------------------------------------------------------------- lowering */

/* Adds scratch memory of the dims of @like; also of its quantisation if @type is its type. */
int64_t nna_do_scratch_like(struct nna_lower *l, uint8_t type, uint32_t like);
/* Adds a constant of one F32: [1]. */
int64_t nna_do_constant_f32(struct nna_lower *l, float value);
/* lower() of operations whose output 0 has the bytes of input 0 and other dims. Emits nothing. */
int nna_do_reshape(struct nna_op_context *op);
/* Emits an element-wise function (enum nna_function) without activation and parameters. */
int nna_do_ewise(struct nna_lower *l, uint8_t kind, uint32_t out, uint32_t a, uint32_t b,
		 uint32_t c);
/* Emits a COPY; if type, scale or zero point differ, an EWISE that converts. */
int nna_do_move(struct nna_lower *l, uint32_t out, uint32_t in);
/* Emits a FILL with 0, which is the zero point if the value is quantised. */
int nna_do_zero(struct nna_lower *l, uint32_t out);
/* Return: true if a value has no elements, so that no operation has to write it. */
bool nna_value_is_empty(const struct nna_lower *l, uint32_t value);

#endif
