/* SPDX-License-Identifier: MIT */
/*
 * What operations share: rules about types, shapes and parameters (nna_check_*, nna_param_*),
 * geometry, and short ways to lower (nna_do_*). Checks return 0 or the error of nna_op_fail(), so
 * they chain: return a ?: b ?: c. Unknown ranks and dims pass every check.
 */
#ifndef NNA_OP_UTIL_H
#define NNA_OP_UTIL_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/compiler/lower.h"
#include "libnnaccel/ops/op.h"

/* Sets of operand types. */
typedef uint64_t nna_types;
#define NNA_BIT(type) (1ull << ((type) < 63 ? (type) : 63))
#define NNA_T_FLOAT (NNA_BIT(NNA_OPERAND_TENSOR_FLOAT32) | NNA_BIT(NNA_OPERAND_TENSOR_FLOAT16))
#define NNA_T_QUANT8                                                                               \
	(NNA_BIT(NNA_OPERAND_TENSOR_QUANT8_ASYMM) | NNA_BIT(NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED))
#define NNA_T_INT32 NNA_BIT(NNA_OPERAND_TENSOR_INT32)
#define NNA_T_INT64 NNA_BIT(NNA_OPERAND_TENSOR_INT64)
#define NNA_T_BOOL NNA_BIT(NNA_OPERAND_TENSOR_BOOL8)
#define NNA_T_ALL                                                                                  \
	(NNA_T_FLOAT | NNA_T_QUANT8 | NNA_T_INT32 | NNA_T_INT64 | NNA_T_BOOL |                     \
	 NNA_BIT(NNA_OPERAND_TENSOR_QUANT16_SYMM) | NNA_BIT(NNA_OPERAND_TENSOR_QUANT16_ASYMM) |    \
	 NNA_BIT(NNA_OPERAND_TENSOR_QUANT8_SYMM))

/* Declares value @name, or returns the error from the function that it stands in. */
#define NNA_VALUE(name, expression) \
	uint32_t name; \
	do { \
		int64_t number_ = (expression); \
		if (number_ < 0) \
			return (int)number_; \
		name = (uint32_t)number_; \
	} while (0)

/* --------------------------------------------------------------------------------------- checks */

/* Input @i is given and its type is in @types. */
int nna_check_in(const struct nna_op_context *op, uint32_t i, nna_types types);
int nna_check_out(const struct nna_op_context *op, uint32_t i, nna_types types);
/* Input @i may be omitted. */
int nna_check_optional(const struct nna_op_context *op, uint32_t i, nna_types types);
/* Input @i has the type of input @like. */
int nna_check_in_like(const struct nna_op_context *op, uint32_t i, uint32_t like);
/* Output @i has the type of input @like. */
int nna_check_out_like(const struct nna_op_context *op, uint32_t i, uint32_t like);
/* ... and its scale and zero point. */
int nna_check_out_quant(const struct nna_op_context *op, uint32_t i, uint32_t like);
int nna_check_in_quant(const struct nna_op_context *op, uint32_t i, uint32_t like);
int nna_check_rank(const struct nna_op_context *op, uint32_t i, uint32_t least, uint32_t most);
/* Dimension @axis of input @i is @value, where known. */
int nna_check_dim(const struct nna_op_context *op, uint32_t i, uint32_t axis, uint32_t value);
/*
 * Scalar input @i of one of the (scalar) types; from the @least'th input on it may be missing
 * altogether.
 */
int nna_check_scalar(const struct nna_op_context *op, uint32_t i, nna_types types);

/* The dim if it is known, else 0. */
static inline uint32_t nna_known_dim(const struct nna_shape *shape, uint32_t axis)
{
	return shape->rank_known && axis < shape->rank ? shape->dims[axis] : 0;
}

/* ----------------------------------------------------------------------------------- parameters */

/* As nna_op_scalar_*(), with a default for inputs that are not given. */
int nna_param_i32(const struct nna_op_context *op, uint32_t i, int32_t missing, int32_t *value);
int nna_param_f32(const struct nna_op_context *op, uint32_t i, float missing, float *value);
int nna_param_bool(const struct nna_op_context *op, uint32_t i, bool missing, bool *value);
/* A FusedActivationFunc that commands know (0 to 3). */
int nna_param_activation(const struct nna_op_context *op, uint32_t i, enum nna_activation *act);
/* @axis in [-rank, rank) as [0, rank). */
int nna_param_axis(const struct nna_op_context *op, int32_t axis, uint32_t rank, uint32_t *out);
/* Input @i is an axis of input 0, the last one where it is not given. */
int nna_param_input_axis(const struct nna_op_context *op, uint32_t i, uint32_t *axis);
/* Turns "not known yet" into "passed": for check(). */
static inline int nna_later(int ret)
{
	return ret == -EAGAIN ? 0 : ret;
}

/* --------------------------------------------------------------------------------------- shapes */

int nna_set_dims(struct nna_op_context *op, uint32_t i, uint32_t rank, const uint32_t *dims);
/*
 * dims[0] is the most that there can be; lower() says by nna_lower_set_count() how many there are.
 */
int nna_set_bound(struct nna_op_context *op, uint32_t i, uint32_t rank, const uint32_t *dims);
/* Output @i has the dims of input @like. */
int nna_set_like(struct nna_op_context *op, uint32_t i, uint32_t like);
/* Dims of a and b broadcast as numpy does. */
int nna_broadcast_dims(const struct nna_op_context *op, const struct nna_shape *a,
		       const struct nna_shape *b, uint32_t *rank, uint32_t *dims);
/* infer() of operations whose output 0 has the dims of input 0. */
int nna_infer_like_first(struct nna_op_context *op);
/* infer() of operations whose output 0 is input 0 broadcast with input 1. */
int nna_infer_broadcast(struct nna_op_context *op);

/* ---------------------------------------------------------------------------------------- views */

/* [batch, height, width, channels], whatever the layout: a view of @value. */
int64_t nna_view_nhwc(struct nna_lower *l, uint32_t value, bool nchw);
/* Elements [start, start + count) of an axis. */
int64_t nna_view_range(struct nna_lower *l, uint32_t value, uint32_t axis, uint32_t start,
		       uint32_t count);

/* ------------------------------------------------------------------------------------- lowering */

/* Scratch of the shape of @like, and of its quantisation if the type is the same. */
int64_t nna_do_scratch_like(struct nna_lower *l, uint8_t type, uint32_t like);
/* A float of rank 0 ... as a constant of rank 1. */
int64_t nna_do_constant_f32(struct nna_lower *l, float value);
/* lower() of operations whose output 0 is the bytes of input 0 with other dims. */
int nna_do_reshape(struct nna_op_context *op);
/* Copies, requantising where scale or zero point differ. */
int nna_do_move(struct nna_lower *l, uint32_t out, uint32_t in);
/* Fills with what means zero. */
int nna_do_zero(struct nna_lower *l, uint32_t out);
/* Whether a value has no elements. */
bool nna_value_is_empty(const struct nna_lower *l, uint32_t value);

#endif
