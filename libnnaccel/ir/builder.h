/* SPDX-License-Identifier: MIT */
/*
 * The interface with which operations build the ir: values, views of values, and operations on
 * them.
 *
 * A storage is a run of bytes: a constant, an input or output of the model, scratch memory, or a
 * state variable. A value is a typed, strided view of a storage: type, dims, strides, quantisation.
 * Values have numbers, and struct nna_lower owns them. Views cost nothing: reshape, permute, slice
 * and broadcast make values, not operations. An operation (struct nna_ir_op, op.h) names its
 * operands by value numbers; it knows no hardware. Memory is planned after the last operation was
 * added.
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
 * enum nna_storage_kind - the use of a storage
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
 * @rank: number of dims. Operations have at most NNA_IR_MAX_RANK; nna_emit_copy() and
 *	nna_emit_fill() accept more if they can be merged
 * @dims: outermost first
 * @strides: in elements
 * @scale: of quantised types; 0: stored numbers are the values
 * @zero_point: of quantised types, else 0
 * @channel_scales: @channel_count scales of weights with one per channel, owned by the graph or a
 *	storage; else NULL
 * @channel_count: entries of @channel_scales
 * @channel_dim: the dimension of the channels
 * @joined: the weights were joined from weights with one scale each, so factors are derived as for
 *	weights with one scale
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

/*
 * Return: a value by number, valid until the next value is made; NULL for a number that does not
 * exist.
 */
const struct nna_value *nna_lower_value(const struct nna_lower *l, uint32_t value);
/* Makes a row-major value in scratch memory. */
int64_t nna_lower_scratch(struct nna_lower *l, uint8_t type, uint32_t rank, const uint32_t *dims,
			  float scale, int32_t zero_point);
/* Makes a row-major constant. The bytes at @data are copied. */
int64_t nna_lower_constant(struct nna_lower *l, uint8_t type, uint32_t rank, const uint32_t *dims,
			   float scale, int32_t zero_point, const void *data);
/* Return: the bytes of a contiguous constant; NULL for other values. */
const void *nna_lower_constant_data(const struct nna_lower *l, uint32_t value);

/* Makes a view of the same elements with other dims; NNA_NO_VALUE if no strides express it. */
int64_t nna_view_reshape(struct nna_lower *l, uint32_t value, uint32_t rank, const uint32_t *dims);
/* Makes a view whose axis k is axis @axes[k] of the value. */
int64_t nna_view_permute(struct nna_lower *l, uint32_t value, const uint32_t *axes);
/*
 * Makes a view of @count elements along an axis: @start, @start + @step, ...; @step may be
 * negative.
 */
int64_t nna_view_slice(struct nna_lower *l, uint32_t value, uint32_t axis, uint32_t start,
		       int32_t step, uint32_t count);
/* Makes a view that is broadcast to @dims as in numpy; -EINVAL if the dims are not compatible. */
int64_t nna_view_broadcast(struct nna_lower *l, uint32_t value, uint32_t rank,
			   const uint32_t *dims);
/* Makes a view of the same bytes with another type of the same size, or another quantisation. */
int64_t nna_view_retype(struct nna_lower *l, uint32_t value, uint8_t type, float scale,
			int32_t zero_point);
/*
 * Makes a view as weights that were joined along @axis and had one scale each: @scales, which are
 * copied, has one scale for each element along @axis.
 */
int64_t nna_view_joined(struct nna_lower *l, uint32_t value, uint32_t axis, const float *scales);
/* Makes a view with a dim of 1 inserted before @axis. */
int64_t nna_view_expand(struct nna_lower *l, uint32_t value, uint32_t axis);
/* Makes a view without @axis, which has a size of 1. */
int64_t nna_view_drop(struct nna_lower *l, uint32_t value, uint32_t axis);

/* ----------------------------------------------------------------------------------- operations */

/**
 * nna_ir_add() - add an operation
 * @l: where to
 * @op: kind, parameters, bounds and rounding, which are copied; other members are ignored
 * @values: a value number for each operand of the kind, NNA_NO_VALUE for those left out
 *
 * Return: 0, -EINVAL, -ENOTSUP (more than NNA_IR_MAX_RANK dims, too many operations), or -ENOMEM.
 */
int nna_ir_add(struct nna_lower *l, const struct nna_ir_op *op, const uint32_t *values);

/* Return: the rounding that the graph asks for, with which operations are built. */
uint8_t nna_ir_rounding(const struct nna_lower *l);

/* Return: the bounds of an activation, as real numbers and as stored numbers of @value's type. */
void nna_activation_bounds(const struct nna_lower *l, uint32_t value, enum nna_activation act,
			   struct nna_ir_bounds *bounds);

/*
 * Reshapes a value to be read: makes a view, or a view of a copy in scratch memory if there is no
 * such view.
 */
int64_t nna_emit_reshape(struct nna_lower *l, uint32_t value, uint32_t rank, const uint32_t *dims);
/* Copies elements; both values have the same dims, and types of the same size. */
int nna_emit_copy(struct nna_lower *l, uint32_t out, uint32_t in);
/* Sets every element to the low bits of @bits. */
int nna_emit_fill(struct nna_lower *l, uint32_t out, uint64_t bits);
/*
 * Adds an element-wise function of one to three operands, which are broadcast to the dims of @out;
 * @b and @c may be NNA_NO_VALUE. @alpha: parameter of the function. NNA_FN_IDENTITY becomes CLAMP,
 * RESCALE or a conversion, depending on the types of both values.
 */
int nna_emit_ewise(struct nna_lower *l, enum nna_function function, uint32_t out, uint32_t a,
		   uint32_t b, uint32_t c, enum nna_activation act, float alpha);
/*
 * Adds NNA_FN_ADD, NNA_FN_SUB, NNA_FN_MUL or NNA_FN_DIV with the rounding of the graph, also for
 * types of 16 bits. nna_emit_ewise() rounds 16-bit results once, as cells of LSTMs need it.
 */
int nna_emit_arithmetic(struct nna_lower *l, enum nna_function function, uint32_t out, uint32_t a,
			uint32_t b, enum nna_activation act);
/*
 * Adds an IDENTITY for QUANTIZE, between 8-bit types with the rounding of the graph. Neither value
 * is empty.
 */
int nna_emit_requantize(struct nna_lower *l, uint32_t out, uint32_t in);
/* Adds a reduction along the axes in the bit set @axes. */
int nna_emit_reduce(struct nna_lower *l, enum nna_reduce function, uint32_t out, uint32_t in,
		    uint32_t axes);

/**
 * struct nna_conv_params - parameters of CONV2D; sizes in pixels
 * @groups: groups of channels
 * @stride_h: vertical stride
 * @stride_w: horizontal stride
 * @dilation_h: vertical dilation
 * @dilation_w: horizontal dilation
 * @pad_top: padding; the padding at the bottom follows from the size of the output
 * @pad_left: padding; the padding at the right follows from the size of the output
 * @act: fused activation
 * @once: for a quantised result with TFLite's rounding: the accumulator is rounded once
 */
struct nna_conv_params {
	uint32_t groups;
	uint32_t stride_h, stride_w, dilation_h, dilation_w, pad_top, pad_left;
	enum nna_activation act;
	bool once;
};

/* Return: one group, strides and dilations of 1, no padding, no activation. */
extern const struct nna_conv_params nna_conv_plain;

/*
 * Adds a convolution of values [b, h, w, c] with weights [n, kh, kw, c / groups]; @bias is [n] or
 * NNA_NO_VALUE.
 */
int nna_emit_conv2d(struct nna_lower *l, uint32_t out, uint32_t in, uint32_t weights,
		    uint32_t bias, const struct nna_conv_params *params);
/* out [B, M, N] = a [B, M, K] x b [B, K, N]. */
int nna_emit_matmul(struct nna_lower *l, uint32_t out, uint32_t a, uint32_t b);

/* Makes a label, which is not placed yet. Return: its number, or a negative errno. */
int64_t nna_lower_label(struct nna_lower *l);
/* Places a label before the next operation. A label is placed once. */
int nna_lower_place(struct nna_lower *l, uint32_t label);
/* Adds a jump to a label. A jump to a label that is placed already makes a loop. */
int nna_emit_jump(struct nna_lower *l, uint32_t label);
/* Adds a branch to a label, taken if the condition, one BOOL8, is false. */
int nna_emit_branch_unless(struct nna_lower *l, uint32_t condition, uint32_t label);

/*
 * Converts a real factor above 0 to a multiplier below 2^31 and a right shift of 1 to 62, rounded
 * to the nearest.
 */
void nna_requantize_from(double factor, int32_t *multiplier, int32_t *shift);

/*
 * Return: the factor of channel @channel of the result of a quantised convolution or product, from
 * the scales of its operands, by the rule of @rounding.
 */
double nna_channel_factor(const struct nna_value *in, const struct nna_value *weights,
			  const struct nna_value *out, uint32_t channel, uint8_t rounding);

#endif
