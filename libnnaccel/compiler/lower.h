/* SPDX-License-Identifier: MIT */
/*
 * The low-level IR: commands of the NNA over values, before they have addresses.
 *
 * A storage is a run of bytes: a constant, an input or output of the model, scratch memory, or a
 * state variable. A value is a typed, strided view of a storage: type, dims, strides, quantisation.
 * Values are numbers (struct nna_lower owns both tables), so views cost nothing: reshape, permute,
 * slice, broadcast make values, not commands. A command is one of the hardware's structs with its
 * parameters filled in and its operands named by value numbers; descriptors (slot, offset) are
 * written at emission, after memory has been planned.
 *
 * Life: nna_lower_create(shapes bound) -> every operation's lower() -> passes (fuse, elide copies,
 * pack, plan) -> emit. All functions return a value number >= 0 or a negative errno, so a lowering
 * checks each call; NNA_NO_VALUE (-1 as uint32_t) stands for an absent operand of a command.
 *
 * The compiler runs with every dim known. An operand of the graph has one value; its producer
 * decides what it is:
 *  - nna_lower_out() gives a fresh contiguous value to write to (directly in the output's storage
 *    for model outputs), or
 *  - nna_lower_alias() says that the operand is a view of an existing value (RESHAPE, SPLIT ...);
 *    when the operand is a model output, or the view is of a model input and is not contiguous, the
 *    builder inserts the COPY.
 */
#ifndef NNA_LOWER_H
#define NNA_LOWER_H

#include "libnnaccel/graph/graph.h"
#include "hw/gen/nnahw.h"
#include "libnnaccel/ops/op.h"

#define NNA_NO_VALUE UINT32_MAX

struct nna_lower;

enum nna_storage_kind {
	NNA_STORAGE_CONSTANT,
	NNA_STORAGE_INPUT,
	NNA_STORAGE_OUTPUT,
	NNA_STORAGE_SCRATCH,
	NNA_STORAGE_VARIABLE,
};

/**
 * struct nna_value - a view of a storage
 * @storage: number
 * @offset: bytes to element (0, 0, ...)
 * @type: enum nnahw_type
 * @dims, @strides: as in struct nnahw_tensor, strides in elements; but for copies and fills, which
 *	fold them, commands take NNAHW_MAX_RANK of them
 * @scale, @zero_point: as in struct nnahw_tensor
 * @channel_scales: per-channel weights: @channel_count values, owned by the graph; else NULL
 * @unsigned_weights: packed by us from U8 (set by the packing pass)
 */
struct nna_value {
	uint32_t storage;
	uint64_t offset;
	uint8_t type;
	uint8_t rank;
	uint32_t dims[NNACCEL_MAX_RANK];
	int32_t strides[NNACCEL_MAX_RANK];
	float scale;
	int32_t zero_point;
	const float *channel_scales;
	uint32_t channel_count;
	uint32_t channel_dim;
};

/* enum nnahw_type of an enum nna_operand_type; NNAHW_TYPE_NONE for NNA_OPERAND_SUBGRAPH. */
uint8_t nna_lower_type(enum nna_operand_type type);

/* -------------------------------------------------------------------- operands of the operation */

/* The value of input @i of the operation. Scalars are values of rank 0. */
int64_t nna_lower_in(struct nna_op_context *op, uint32_t i);
/* A fresh value for output @i, with the inferred shape. */
int64_t nna_lower_out(struct nna_op_context *op, uint32_t i);
/*
 * The number of rows of output @i, whose shape is bounded, is in @count: one S32 in scratch memory.
 */
int nna_lower_set_count(struct nna_op_context *op, uint32_t i, uint32_t count);
/*
 * Output @i is (a reinterpretation of the dims of) @value: same element order, same element count.
 */
int nna_lower_alias(struct nna_op_context *op, uint32_t i, uint32_t value);

/* ----------------------------------------------------------------------------- values and views */

const struct nna_value *nna_lower_value(const struct nna_lower *l, uint32_t value);
/* Scratch memory, row-major. */
int64_t nna_lower_scratch(struct nna_lower *l, uint8_t type, uint32_t rank, const uint32_t *dims,
			  float scale, int32_t zero_point);
/* A constant: bytes are copied. */
int64_t nna_lower_constant(struct nna_lower *l, uint8_t type, uint32_t rank, const uint32_t *dims,
			   float scale, int32_t zero_point, const void *data);
/* Bytes of a value that is wholly constant and contiguous; NULL otherwise. */
const void *nna_lower_constant_data(const struct nna_lower *l, uint32_t value);

/* Same elements in other dims; a non-contiguous value is copied into scratch first. */
int64_t nna_view_reshape(struct nna_lower *l, uint32_t value, uint32_t rank, const uint32_t *dims);
int64_t nna_view_permute(struct nna_lower *l, uint32_t value, const uint32_t *axes);
/* Elements start, start + step, ... (count of them) along an axis; step may be negative. */
int64_t nna_view_slice(struct nna_lower *l, uint32_t value, uint32_t axis, uint32_t start,
		       int32_t step, uint32_t count);
/* Aligned at the innermost dim as numpy does; dims of 1 repeat. -EINVAL when it does not fit. */
int64_t nna_view_broadcast(struct nna_lower *l, uint32_t value, uint32_t rank,
			   const uint32_t *dims);
/* The same bytes under another type of the same size, or other quantisation. */
int64_t nna_view_retype(struct nna_lower *l, uint32_t value, uint8_t type, float scale,
			int32_t zero_point);
/* A dim of 1 inserted at / removed from axis. */
int64_t nna_view_expand(struct nna_lower *l, uint32_t value, uint32_t axis);
int64_t nna_view_drop(struct nna_lower *l, uint32_t value, uint32_t axis);

/* ------------------------------------------------------------------------------------- commands */

/**
 * nna_lower_command() - add a command
 * @command: a struct nna_cmd_* with head.opcode and all parameters set; its operands are ignored
 *	(written at emission)
 * @values: one value number per operand of the opcode, NNA_NO_VALUE for absent ones
 *
 * Return: 0 or a negative errno; the command is copied.
 */
int nna_lower_command(struct nna_lower *l, const void *command, const uint32_t *values);

/*
 * Shorthands for the frequent commands. Ranges of quantised clamps come from the activation
 * (nna_activation_*).
 */

/* enum of NNAPI's FusedActivationFunc. */
enum nna_activation { NNA_ACT_NONE, NNA_ACT_RELU, NNA_ACT_RELU1, NNA_ACT_RELU6 };
/* Float bounds, and bounds of the quantised type of @value. */
void nna_activation_range(const struct nna_lower *l, uint32_t value, enum nna_activation act,
			  float *fmin, float *fmax, int32_t *qmin, int32_t *qmax);

int nna_emit_copy(struct nna_lower *l, uint32_t out, uint32_t in);
int nna_emit_fill(struct nna_lower *l, uint32_t out, uint64_t bits);
/*
 * b, c: NNA_NO_VALUE when unused. Inputs are broadcast to out's dims by this function. Chooses
 * integer rules where they apply.
 */
int nna_emit_ewise(struct nna_lower *l, uint8_t op, uint32_t out, uint32_t a, uint32_t b,
		   uint32_t c, enum nna_activation act, float p0, float p1);
/* QUANTIZE: IDENTITY, between 8-bit types in the rounding of the graph. Not of empty values. */
int nna_emit_requantize(struct nna_lower *l, uint32_t out, uint32_t in);
int nna_emit_reduce(struct nna_lower *l, uint8_t kind, uint32_t out, uint32_t in, uint32_t axes);

/**
 * struct nna_conv_params - geometry of CONV and DWCONV
 */
struct nna_conv_params {
	uint32_t groups; /* CONV */
	uint32_t multiplier; /* DWCONV */
	uint32_t stride_h, stride_w, dilation_h, dilation_w, pad_top, pad_left;
	enum nna_activation act;
	bool once; /* quantised: TFLite rounds the accumulator once, see nna_emit_conv() */
};

/** nna_conv_plain - one group, no steps between elements, no padding, no activation */
extern const struct nna_conv_params nna_conv_plain;

/*
 * Convolutions on values [b, h, w, c], weights [n, kh, kw, c/groups] ([1, kh, kw, n]), bias [n] or
 * NNA_NO_VALUE. Makes the channels table from the scales; the packing pass packs constant weights
 * and folds the bias. @depthwise chooses DWCONV. @once only counts where the graph wants TFLite's
 * rounding.
 */
int nna_emit_conv(struct nna_lower *l, bool depthwise, uint32_t out, uint32_t in, uint32_t weights,
		  uint32_t bias, const struct nna_conv_params *params);
/*
 * out[B,M,N] = a[B,M,K] x b[B,K,N] + bias; residual NNA_NO_VALUE or a value of out's shape (float).
 */
int nna_emit_matmul(struct nna_lower *l, uint32_t out, uint32_t a, uint32_t b, uint32_t bias,
		    uint32_t residual, enum nna_activation act);

/* Control flow inside a lowering. */
int64_t nna_lower_label(struct nna_lower *l); /* Return: a label's number; not placed yet */
int nna_lower_place(struct nna_lower *l, uint32_t label);
int nna_emit_jump(struct nna_lower *l, uint32_t label);
int nna_emit_branch_unless(struct nna_lower *l, uint32_t condition, uint32_t label);

/*
 * A real factor > 0 as multiplier and shift (struct nnahw_requantize); exact rounding, double
 * arithmetic.
 */
void nna_requantize_from(double factor, int32_t *multiplier, int32_t *shift);

#endif
