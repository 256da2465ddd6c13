/* SPDX-License-Identifier: MIT */
/*
 * The ir as operations build it: values, views of them, and operations over them.
 *
 * A storage is a run of bytes: a constant, an input or output of the model, scratch memory, or a
 * state variable. A value is a typed, strided view of a storage: type, dims, strides, quantisation.
 * Values go by number, and struct nna_lower owns them, so views cost nothing: reshape, permute,
 * slice and broadcast make values, not operations. An operation (struct nna_ir_op, op.h) names its
 * operands by value numbers; it knows no hardware, and memory is planned after the last one.
 *
 * Functions that return int64_t give a value number or a negative errno, those that return int give
 * 0 or a negative errno. NNA_NO_VALUE stands for an operand that an operation leaves out.
 */
#ifndef NNA_BUILDER_H
#define NNA_BUILDER_H

#include "libnnaccel/graph/graph.h"
#include "libnnaccel/ir/op.h"

#define NNA_NO_VALUE UINT32_MAX

struct nna_lower;

/**
 * enum nna_storage_kind - what the bytes of a storage are
 * @NNA_STORAGE_CONSTANT: known when the program is compiled
 * @NNA_STORAGE_INPUT: an input of the model
 * @NNA_STORAGE_OUTPUT: an output of the model
 * @NNA_STORAGE_SCRATCH: in use during a run only
 * @NNA_STORAGE_VARIABLE: a state variable
 */
enum nna_storage_kind {
	NNA_STORAGE_CONSTANT,
	NNA_STORAGE_INPUT,
	NNA_STORAGE_OUTPUT,
	NNA_STORAGE_SCRATCH,
	NNA_STORAGE_VARIABLE,
};

/**
 * struct nna_value - a view of a storage
 * @storage: number of the storage
 * @offset: bytes from its start to element (0, 0, ...)
 * @type: enum nna_type
 * @rank: number of dims. Operations take NNA_IR_MAX_RANK of them; nna_emit_copy() and
 *	nna_emit_fill() take more where they can be merged
 * @dims: outermost first
 * @strides: in elements
 * @scale: of quantised types, else 0: the number itself
 * @zero_point: of quantised types, else 0
 * @channel_scales: weights with scales per channel: @channel_count of them, owned by the graph or a
 *	storage; else NULL
 * @channel_count: entries of @channel_scales
 * @channel_dim: the dimension that they run along
 * @joined: each channel is of weights that had this one scale, so that factors follow from it as
 *	they do for weights with one scale
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
	bool joined;
};

/* ----------------------------------------------------------------------------- values and views */

/* Valid until the next value is made; NULL for a number that is none. */
const struct nna_value *nna_lower_value(const struct nna_lower *l, uint32_t value);
/* A new row-major value in scratch memory. */
int64_t nna_lower_scratch(struct nna_lower *l, uint8_t type, uint32_t rank, const uint32_t *dims,
			  float scale, int32_t zero_point);
/* A new row-major constant; the bytes at @data are copied. */
int64_t nna_lower_constant(struct nna_lower *l, uint8_t type, uint32_t rank, const uint32_t *dims,
			   float scale, int32_t zero_point, const void *data);
/* The bytes of a constant whose elements follow each other, else NULL. */
const void *nna_lower_constant_data(const struct nna_lower *l, uint32_t value);

/* The same elements in other dims; NNA_NO_VALUE where strides cannot express them. */
int64_t nna_view_reshape(struct nna_lower *l, uint32_t value, uint32_t rank, const uint32_t *dims);
/* Axis k of the view is axis @axes[k] of the value. */
int64_t nna_view_permute(struct nna_lower *l, uint32_t value, const uint32_t *axes);
/* @count elements along an axis: @start, @start + @step, ...; @step may be negative. */
int64_t nna_view_slice(struct nna_lower *l, uint32_t value, uint32_t axis, uint32_t start,
		       int32_t step, uint32_t count);
/* Broadcast to @dims as numpy does; -EINVAL when that does not fit. */
int64_t nna_view_broadcast(struct nna_lower *l, uint32_t value, uint32_t rank,
			   const uint32_t *dims);
/* The same bytes under another type of the same size, or another quantisation. */
int64_t nna_view_retype(struct nna_lower *l, uint32_t value, uint8_t type, float scale,
			int32_t zero_point);
/*
 * A value as weights that lay apart and had one scale each: @scales, which are copied, has one for
 * each element along @axis.
 */
int64_t nna_view_joined(struct nna_lower *l, uint32_t value, uint32_t axis, const float *scales);
/* With a dim of 1 inserted before @axis. */
int64_t nna_view_expand(struct nna_lower *l, uint32_t value, uint32_t axis);
/* Without @axis, which has a size of 1. */
int64_t nna_view_drop(struct nna_lower *l, uint32_t value, uint32_t axis);

/* ----------------------------------------------------------------------------------- operations */

/**
 * nna_ir_add() - add an operation
 * @l: where to
 * @op: its kind, parameters, bounds and rounding, which are copied; all else is ignored
 * @values: a value number for each operand of the kind, NNA_NO_VALUE for those left out
 *
 * Return: 0, -EINVAL, -ENOTSUP (more than NNA_IR_MAX_RANK dims, too many operations), or -ENOMEM.
 */
int nna_ir_add(struct nna_lower *l, const struct nna_ir_op *op, const uint32_t *values);

/* The rounding that operations are built with, as the graph asks for it. */
uint8_t nna_ir_rounding(const struct nna_lower *l);

/* The bounds of an activation: real ones, and as stored numbers of @value's type. */
void nna_activation_bounds(const struct nna_lower *l, uint32_t value, enum nna_activation act,
			   struct nna_ir_bounds *bounds);

/*
 * The same elements in other dims: a view, or where there is none a view of a copy in scratch
 * memory. Not for values to write to.
 */
int64_t nna_emit_reshape(struct nna_lower *l, uint32_t value, uint32_t rank, const uint32_t *dims);
/* Copies elements; both values have the same dims, and types of the same size. */
int nna_emit_copy(struct nna_lower *l, uint32_t out, uint32_t in);
/* Sets every element to the low bits of @bits. */
int nna_emit_fill(struct nna_lower *l, uint32_t out, uint64_t bits);
/*
 * An element-wise function of one to three operands, which are broadcast to the dims of @out; @b
 * and @c may be NNA_NO_VALUE. @alpha: parameter of the function. NNA_FN_IDENTITY becomes CLAMP,
 * RESCALE or a conversion, as the types of both values say.
 */
int nna_emit_ewise(struct nna_lower *l, enum nna_function function, uint32_t out, uint32_t a,
		   uint32_t b, uint32_t c, enum nna_activation act, float alpha);
/*
 * NNA_FN_ADD, NNA_FN_SUB, NNA_FN_MUL or NNA_FN_DIV in the rounding of the graph, which holds for
 * types of 16 bits as well. nna_emit_ewise() rounds those once: cells of LSTMs are made of it.
 */
int nna_emit_arithmetic(struct nna_lower *l, enum nna_function function, uint32_t out, uint32_t a,
			uint32_t b, enum nna_activation act);
/*
 * An IDENTITY for QUANTIZE, between 8-bit types in the rounding of the graph; neither value is
 * empty.
 */
int nna_emit_requantize(struct nna_lower *l, uint32_t out, uint32_t in);
/* A reduction along the axes in the bit set @axes. */
int nna_emit_reduce(struct nna_lower *l, enum nna_reduce function, uint32_t out, uint32_t in,
		    uint32_t axes);

/**
 * struct nna_conv_params - parameters of CONV2D; sizes in pixels
 * @groups: groups of channels
 * @stride_h: vertical stride
 * @stride_w: horizontal stride
 * @dilation_h: vertical dilation
 * @dilation_w: horizontal dilation
 * @pad_top: padding; that at the bottom follows from the size of the output
 * @pad_left: padding; that at the right follows from the size of the output
 * @act: fused activation
 * @once: of a quantised result, where the graph wants TFLite's rounding: TFLite rounds the
 *	accumulator once
 */
struct nna_conv_params {
	uint32_t groups;
	uint32_t stride_h, stride_w, dilation_h, dilation_w, pad_top, pad_left;
	enum nna_activation act;
	bool once;
};

/* One group, strides and dilations of 1, no padding, no activation. */
extern const struct nna_conv_params nna_conv_plain;

/* On values [b, h, w, c] with weights [n, kh, kw, c / groups]; @bias is [n] or NNA_NO_VALUE. */
int nna_emit_conv2d(struct nna_lower *l, uint32_t out, uint32_t in, uint32_t weights,
		    uint32_t bias, const struct nna_conv_params *params);
/* out [B, M, N] = a [B, M, K] x b [B, K, N]. */
int nna_emit_matmul(struct nna_lower *l, uint32_t out, uint32_t a, uint32_t b);

/* A new label, which is not placed yet. Return: its number, or a negative errno. */
int64_t nna_lower_label(struct nna_lower *l);
/* Places a label before the next operation; once. */
int nna_lower_place(struct nna_lower *l, uint32_t label);
/* Goes on at a label; at one that is placed already, that is a loop. */
int nna_emit_jump(struct nna_lower *l, uint32_t label);
/* Goes on at a label if the condition, one BOOL8, is false. */
int nna_emit_branch_unless(struct nna_lower *l, uint32_t condition, uint32_t label);

/*
 * A real factor above 0 as a multiplier below 2^31 and a shift to the right of 1 to 62, rounded to
 * the nearest.
 */
void nna_requantize_from(double factor, int32_t *multiplier, int32_t *shift);

#endif
