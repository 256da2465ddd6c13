/* SPDX-License-Identifier: MIT */
/*
 * The low-level IR as operations use it: commands of the NNA over values, before they have
 * addresses.
 *
 * A storage is a run of bytes: a constant, an input or output of the model, scratch memory, or a
 * state variable. A value is a typed, strided view of a storage: type, dims, strides, quantisation.
 * Values go by number, and struct nna_lower owns them, so views cost nothing: reshape, permute,
 * slice and broadcast make values, not commands. A command is one of the hardware's structs with
 * its parameters filled in and its operands named by value numbers; descriptors (slot, offset) are
 * written when the code is emitted, after memory has been planned.
 *
 * The life of a lowering: nna_lower_create(), every operation's lower(), the passes (fuse, elide,
 * pack, plan), emission (compile.c). Functions that return int64_t give a value number or a
 * negative errno, those that return int give 0 or a negative errno. NNA_NO_VALUE stands for an
 * operand that a command leaves out.
 *
 * All dims are known. An operand of the graph has one value; the operation that produces it decides
 * which:
 *
 *	nna_lower_out()		gives a fresh contiguous value to write to, in the storage of the
 *				output where the operand is an output of the model
 *	nna_lower_alias()	makes the operand a view of an existing value (RESHAPE); where the
 *				operand has a storage of its own, that emits a COPY
 */
#ifndef NNA_LOWER_H
#define NNA_LOWER_H

#include "libnnaccel/graph/graph.h"
#include "hw/gen/nnahw.h"
#include "libnnaccel/ops/op.h"

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
 * @type: enum nnahw_type
 * @rank: number of dims. Commands take NNAHW_MAX_RANK of them; nna_emit_copy() and nna_emit_fill()
 *	take more where they can be merged
 * @dims: outermost first
 * @strides: in elements
 * @scale: of quantised types, else 0: the number itself
 * @zero_point: of quantised types, else 0
 * @channel_scales: weights with scales per channel: @channel_count of them, owned by the graph;
 *	else NULL
 * @channel_count: entries of @channel_scales
 * @channel_dim: the dimension that they run along
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

/* The enum nnahw_type of an operand's elements; NNAHW_TYPE_NONE for NNA_OPERAND_SUBGRAPH. */
uint8_t nna_lower_type(enum nna_operand_type type);

/* -------------------------------------------------------------------- operands of the operation */

/* The value of input @i, NNA_NO_VALUE where it is omitted. Scalars have rank 0. */
int64_t nna_lower_in(struct nna_op_context *op, uint32_t i);
/* The value to write output @i to, of the inferred shape. */
int64_t nna_lower_out(struct nna_op_context *op, uint32_t i);
/*
 * Names the value that holds the number of rows of output @i, whose shape is bounded: one S32 in
 * scratch memory.
 */
int nna_lower_set_count(struct nna_op_context *op, uint32_t i, uint32_t count);
/* Makes output @i a view of @value: the same elements in the same order, under its own dims. */
int nna_lower_alias(struct nna_op_context *op, uint32_t i, uint32_t value);

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

/*
 * The same elements in other dims. Where the strides do not allow that, the value is first copied
 * to scratch memory: not for values to write to.
 */
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
/* With a dim of 1 inserted before @axis. */
int64_t nna_view_expand(struct nna_lower *l, uint32_t value, uint32_t axis);
/* Without @axis, which has a size of 1. */
int64_t nna_view_drop(struct nna_lower *l, uint32_t value, uint32_t axis);

/* ------------------------------------------------------------------------------------- commands */

/**
 * nna_lower_command() - add a command
 * @l: where to
 * @command: a struct nnahw_cmd_* with its opcode and all parameters set, which is copied; its
 *	operands' descriptors are ignored
 * @values: a value number for each operand of the opcode, NNA_NO_VALUE for those left out
 *
 * Return: 0, -EINVAL, -ENOTSUP (beyond the device's limits; logged), or -ENOMEM.
 */
int nna_lower_command(struct nna_lower *l, const void *command, const uint32_t *values);

/* Fused activations, by the numbers that NNAPI gives them. */
enum nna_activation { NNA_ACT_NONE, NNA_ACT_RELU, NNA_ACT_RELU1, NNA_ACT_RELU6 };
/* The bounds of an activation: real ones, and as stored numbers of @value's type. */
void nna_activation_range(const struct nna_lower *l, uint32_t value, enum nna_activation act,
			  float *fmin, float *fmax, int32_t *qmin, int32_t *qmax);

/* Copies elements; both values have the same dims, and types of the same size. */
int nna_emit_copy(struct nna_lower *l, uint32_t out, uint32_t in);
/* Sets every element to the low bits of @bits. */
int nna_emit_fill(struct nna_lower *l, uint32_t out, uint64_t bits);
/*
 * An element-wise function @op (enum nnahw_ewise) of one to three operands, which are broadcast to
 * the dims of @out; @b and @c may be NNA_NO_VALUE. @p0 and @p1: parameters of the function. Uses
 * the integer rule where all operands are quantised and the function has one.
 */
int nna_emit_ewise(struct nna_lower *l, uint8_t op, uint32_t out, uint32_t a, uint32_t b,
		   uint32_t c, enum nna_activation act, float p0, float p1);
/*
 * An IDENTITY for QUANTIZE, between 8-bit types in the rounding of the graph; neither value is
 * empty.
 */
int nna_emit_requantize(struct nna_lower *l, uint32_t out, uint32_t in);
/* A reduction @kind (enum nnahw_reduction) along the axes in the bit set @axes. */
int nna_emit_reduce(struct nna_lower *l, uint8_t kind, uint32_t out, uint32_t in, uint32_t axes);

/**
 * struct nna_conv_params - parameters of CONV and DWCONV; sizes in pixels
 * @groups: CONV: groups of channels
 * @multiplier: DWCONV: output channels of each input channel
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
	uint32_t multiplier;
	uint32_t stride_h, stride_w, dilation_h, dilation_w, pad_top, pad_left;
	enum nna_activation act;
	bool once;
};

/* One group, strides and dilations of 1, no padding, no activation. */
extern const struct nna_conv_params nna_conv_plain;

/*
 * A CONV on values [b, h, w, c] with weights [n, kh, kw, c / groups], or with @depthwise a DWCONV
 * with weights [1, kh, kw, n]; @bias is [n] or NNA_NO_VALUE. The channels table comes from the
 * scales; the packing pass packs constant weights and folds the bias.
 */
int nna_emit_conv(struct nna_lower *l, bool depthwise, uint32_t out, uint32_t in, uint32_t weights,
		  uint32_t bias, const struct nna_conv_params *params);
/* out [B, M, N] = a [B, M, K] x b [B, K, N]. */
int nna_emit_matmul(struct nna_lower *l, uint32_t out, uint32_t a, uint32_t b);

/* A new label, which is not placed yet. Return: its number, or a negative errno. */
int64_t nna_lower_label(struct nna_lower *l);
/* Places a label before the next command; once. */
int nna_lower_place(struct nna_lower *l, uint32_t label);
/* Goes on at a label; at one that is placed already, that is a loop. */
int nna_emit_jump(struct nna_lower *l, uint32_t label);
/* Goes on at a label if the condition, one BOOL8, is false. */
int nna_emit_branch_unless(struct nna_lower *l, uint32_t condition, uint32_t label);

/*
 * A real factor above 0 as multiplier and shift (struct nnahw_requantize), rounded to the nearest.
 */
void nna_requantize_from(double factor, int32_t *multiplier, int32_t *shift);

#endif
