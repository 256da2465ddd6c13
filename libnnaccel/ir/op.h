/* SPDX-License-Identifier: MIT */
/*
 * The operations of the ir, which a backend is asked to do; they resemble TOSA.
 *
 * An operation has a kind, typed parameters, and operands by value number. The values have type,
 * scale, zero point and scales per channel. So a quantised convolution has real scales, from which
 * a backend derives the multipliers of its hardware; only RESCALE has an integer multiplier. Where
 * NNAPI and TFLite round differently, @rounding of the operation says which rule holds. No
 * parameter concerns memory, which is planned later.
 *
 *	kind		operands (? may be absent)		result
 *	CONV2D		out [b,h,w,N], in [b,h,w,C], weights	convolution in groups; a depthwise
 *			[N,kh,kw,C/groups], bias? [N],		one has as many groups as channels.
 *			private?, residual?			With scales: exact sum, rescaled, or
 *								of S8 as F32 what it is
 *	MATMUL		out [B,M,N], a [B,M,K], b [B,K,N],	product of matrices
 *			bias? [N], private?, residual?
 *	POOL		out, in [b,h,w,C]			average, maximum, L2 norm of windows
 *	UNARY		out, a					a function of each element
 *	BINARY		out, a, b				the same of two
 *	MUL_ADD		out, a, b, c				a * b + c, rounded once; of integer
 *								LSTMs: see enum nna_ir_rounding
 *	SELECT		out, a, b, c				a ? b : c
 *	ROWS		out, 2 more?, in, 5 more?		steps on each row, made by a pass:
 *								struct nna_ir_rows
 *	RESCALE		out, in					stored integers times 2^-shift *
 *								multiplier, zero points aside
 *	CLAMP		out, in					within bounds, same quantisation
 *	COPY		out, in					the same bits
 *	FILL		out					one element everywhere
 *	REDUCE		out, in					sum, mean ... along axes
 *	ARG		out, in					index of an extreme along an axis
 *	TOPK		values, indices, in			the largest along the last axis
 *	SOFTMAX		out, in					along an axis, or its logarithm
 *	NORM16		out, in [rows,n], weights, bias [n]	layer norm of 16-bit integers
 *	NORM8		out, in [rows,n]			rows of 8 bits over their length
 *	RESIZE		out, in [b,h,w,C]			images of another size
 *	ROI		out, in, regions, batches		bins of regions of images
 *	GATHER		out, in, indices			slices along an axis by number
 *	LSH		out, seeds, items, weights?		locality-sensitive hashes
 *	MULTINOMIAL	out, in, seeds				samples of distributions
 *	KEYPOINT	scores, keypoints, heatmaps, boxes	peaks of heat maps
 *	NMS		see enum nna_nms_operand		non-maximum suppression
 *	JUMP					goes on at a label
 *	BRANCH		condition				goes on at a label where it is false
 *
 * Element-wise operands have the dims of the result; broadcast is a stride of 0. docs/hardware.md
 * defines the arithmetic of each kind to the bit, as the NNA does it. Another backend may refuse an
 * operation that it cannot do with the same result.
 */
#ifndef NNA_IR_OP_H
#define NNA_IR_OP_H

#include <stdbool.h>
#include <stdint.h>

#include "libnnaccel/ir/type.h"

/* The most dims of an operand; the builder merges those of copies and fills with more. */
#define NNA_IR_MAX_RANK 8u
#define NNA_IR_MAX_OPERANDS 9u
/* The most scores in operations on boxes, so that sizes fit into 32 bits. */
#define NNA_IR_MAX_BOXES 0x200000u
/* The most elements of a window, for the same reason. */
#define NNA_IR_MAX_WINDOW 0x100000u

enum nna_ir_kind {
	NNA_IR_CONV2D,
	NNA_IR_MATMUL,
	NNA_IR_POOL,
	NNA_IR_UNARY,
	NNA_IR_BINARY,
	NNA_IR_MUL_ADD,
	NNA_IR_SELECT,
	NNA_IR_ROWS,
	NNA_IR_RESCALE,
	NNA_IR_CLAMP,
	NNA_IR_COPY,
	NNA_IR_FILL,
	NNA_IR_REDUCE,
	NNA_IR_ARG,
	NNA_IR_TOPK,
	NNA_IR_SOFTMAX,
	NNA_IR_NORM16,
	NNA_IR_NORM8,
	NNA_IR_RESIZE,
	NNA_IR_ROI,
	NNA_IR_GATHER,
	NNA_IR_LSH,
	NNA_IR_MULTINOMIAL,
	NNA_IR_KEYPOINT,
	NNA_IR_NMS,
	NNA_IR_JUMP,
	NNA_IR_BRANCH,
	NNA_IR_KINDS,
};

/* Operand 0 is the result, if there is one. */
#define NNA_IR_OUT 0u
#define NNA_IR_IN 1u

/* Operands of CONV2D (MATMUL: a and b). @PRIVATE is the backend's: a table that it computes. */
enum nna_conv2d_operand {
	NNA_CONV2D_OUTPUT,
	NNA_CONV2D_INPUT,
	NNA_CONV2D_WEIGHTS,
	NNA_CONV2D_BIAS,
	NNA_CONV2D_PRIVATE,
	NNA_CONV2D_RESIDUAL,
};

enum nna_elementwise_operand { NNA_ELEMENTWISE_OUT, NNA_ELEMENTWISE_A, NNA_ELEMENTWISE_B,
			       NNA_ELEMENTWISE_C };
enum nna_rows_operand { NNA_ROWS_OUT, NNA_ROWS_IN = 3 };
enum nna_topk_operand { NNA_TOPK_VALUES, NNA_TOPK_INDICES, NNA_TOPK_INPUT };
enum nna_norm16_operand { NNA_NORM16_OUTPUT, NNA_NORM16_INPUT, NNA_NORM16_WEIGHTS,
			  NNA_NORM16_BIAS };
enum nna_roi_operand { NNA_ROI_OUTPUT, NNA_ROI_INPUT, NNA_ROI_REGIONS, NNA_ROI_BATCHES };
enum nna_gather_operand { NNA_GATHER_OUTPUT, NNA_GATHER_INPUT, NNA_GATHER_INDICES };
enum nna_lsh_operand { NNA_LSH_OUTPUT, NNA_LSH_SEEDS, NNA_LSH_ITEMS, NNA_LSH_WEIGHTS };
enum nna_multinomial_operand { NNA_MULTINOMIAL_OUTPUT, NNA_MULTINOMIAL_INPUT,
			       NNA_MULTINOMIAL_SEEDS };
enum nna_keypoint_operand { NNA_KEYPOINT_SCORES, NNA_KEYPOINT_KEYPOINTS, NNA_KEYPOINT_HEATMAPS,
			    NNA_KEYPOINT_BOXES };

/* Of b sets of n rows of k classes; at most m rows are kept of each set. */
enum nna_nms_operand {
	NNA_NMS_COUNT, /* out [b]: how many are kept */
	NNA_NMS_KEPT_SCORES, /* out [b,m] */
	NNA_NMS_KEPT_BOXES, /* out [b,m,4] */
	NNA_NMS_KEPT_CLASSES, /* out [b,m], may be absent */
	NNA_NMS_KEPT_GROUPS, /* out [b,m], may be absent */
	NNA_NMS_SCORES, /* [b,n,k] */
	NNA_NMS_BOXES, /* [b,n,k,4], two corners each */
	NNA_NMS_GROUPS, /* [b,n], may be absent: runs of equal numbers compete */
	NNA_NMS_MASK, /* [b,n], may be absent: false removes a row */
};

/* Functions of UNARY and BINARY, and names of other kinds for nna_emit_ewise(). */
enum nna_function {
	NNA_FN_IDENTITY, /* the value in another type or quantisation; as UNARY between types */
	NNA_FN_CAST, /* the stored number in another type */
	NNA_FN_ABS,
	NNA_FN_NEG,
	NNA_FN_EXP,
	NNA_FN_LOG,
	NNA_FN_SQRT,
	NNA_FN_RSQRT,
	NNA_FN_SIN,
	NNA_FN_COS,
	NNA_FN_FLOOR,
	NNA_FN_TANH,
	NNA_FN_LOGISTIC,
	NNA_FN_ELU, /* a >= 0 ? a : alpha * (e^a - 1) */
	NNA_FN_HARD_SWISH, /* a * clamp(a + 3, 0, 6) / 6 */
	NNA_FN_LEAKY_RELU, /* a >= 0 ? a : alpha * a */
	NNA_FN_LOGICAL_NOT,
	NNA_FN_ADD,
	NNA_FN_SUB,
	NNA_FN_MUL,
	NNA_FN_DIV,
	NNA_FN_MAXIMUM,
	NNA_FN_MINIMUM,
	NNA_FN_POW,
	NNA_FN_EQUAL,
	NNA_FN_NOT_EQUAL,
	NNA_FN_LESS,
	NNA_FN_LESS_EQUAL,
	NNA_FN_GREATER,
	NNA_FN_GREATER_EQUAL,
	NNA_FN_LOGICAL_AND,
	NNA_FN_LOGICAL_OR,
	NNA_FN_PRELU, /* a >= 0 ? a : a * b */
	NNA_FN_FLOOR_DIV,
	NNA_FN_SQUARED_DIFFERENCE,
	NNA_FN_BITWISE_XOR, /* of integers without a scale */
	NNA_FN_SHIFT_RIGHT,
	NNA_FN_TRUNCATE_DIV, /* of integers without a scale; DIV rounds down */
	NNA_FN_FLOOR_MOD, /* the remainder, exact, with the sign of the divisor */
	NNA_FN_ERF, /* the error function, made by a pass */
	NNA_FN_SELECT,
	NNA_FN_MUL_ADD,
	NNA_FN_COUNT,
};

/*
 * The rule that rounds a quantised result, where NNAPI and TFLite differ. ONCE, for a convolution:
 * the accumulator is scaled by one exact factor and rounded once.
 *
 * The other rules are those of integer LSTMs: of CONV2D, and of MUL and MUL_ADD with 16-bit
 * operands. The addend of a sum has the scale of the result, and is added to the rounded product:
 *
 *	IN_TWO		by a factor that is a float, to 31 bits fewer with halves up, then to the
 *			rest with halves away from zero
 *	BY_SHIFT	by a power of two, once, halves away from zero
 *	IN_Q15		by a power of two of 2^-15 or less, to 15 bits fewer with halves up, then to
 *			the rest with halves away from zero: numbers of 15 bits behind the point are
 *			multiplied and then rescaled
 */
enum nna_ir_rounding { NNA_IR_ROUNDS_AS_NNAPI, NNA_IR_ROUNDS_AS_TFLITE,
		       NNA_IR_ROUNDS_AS_TFLITE_ONCE, NNA_IR_ROUNDS_IN_TWO, NNA_IR_ROUNDS_BY_SHIFT,
		       NNA_IR_ROUNDS_IN_Q15 };

/**
 * struct nna_ir_bounds - bounds to which a result is clamped
 * @min, @max: of float results; infinite for none
 * @q_min, @q_max: of stored integers; the range of the type for none
 */
struct nna_ir_bounds {
	float min, max;
	int32_t q_min, q_max;
};

/* Functions of a step of ROWS beside those of enum nna_function. */
enum nna_row_function {
	NNA_ROW_SUM = NNA_FN_COUNT, /* along the row: one element */
	NNA_ROW_MEAN,
	NNA_ROW_MAX,
	NNA_ROW_MIN,
	NNA_ROW_ROUND, /* to the nearest integer, halves away from zero; 0 for NaN */
};

#define NNA_IR_ROWS_STEPS 24u
#define NNA_IR_ROWS_OUTPUTS 3u
#define NNA_IR_ROWS_INPUTS 6u
/* What an argument of a step is beside the number of an earlier step. */
#define NNA_ROWS_ARGUMENT_INPUT 64u /* plus the index of an input */
#define NNA_ROWS_ARGUMENT_NUMBER 255u /* @number of the step */

/**
 * struct nna_ir_rows - a short program on rows of F32 or BOOL8, which lie along the last dim.
 * Results may also be S8 without a scale
 * @count: number of steps
 * @result: of each output, the step whose result it takes
 * @has_bytes: a result is S8
 * @length: elements of a row. The last dim of an operand is that, or 1 for one element a row
 * @steps: what is computed, in F32
 */
struct nna_ir_rows {
	uint8_t count;
	uint8_t result[NNA_IR_ROWS_OUTPUTS];
	bool has_bytes;
	uint32_t length;
	struct nna_ir_rows_step {
		uint8_t function; /* enum nna_function or enum nna_row_function */
		uint8_t from[3];
		float number; /* also the parameter alpha */
	} steps[NNA_IR_ROWS_STEPS];
};

/**
 * struct nna_ir_sum - the result of CONV2D or MATMUL before its residual is added
 * @bounds: to which it is clamped
 * @scale, @zero_point: its quantisation
 * @rounding: enum nna_ir_rounding, of the sum
 * @residual_first: the residual is the first operand of the sum, for rules that are not symmetric
 */
struct nna_ir_sum {
	struct nna_ir_bounds bounds;
	float scale;
	int32_t zero_point;
	uint8_t rounding;
	bool residual_first;
};

/** struct nna_ir_conv2d - positions outside the image are zeros (the input's zero point) */
struct nna_ir_conv2d {
	uint32_t groups;
	uint32_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w;
	uint32_t pad_top, pad_left;
};

enum nna_pool { NNA_POOL_AVERAGE, NNA_POOL_MAX, NNA_POOL_L2 };

/* * struct nna_ir_pool - positions outside the image are ignored */
struct nna_ir_pool {
	uint8_t function; /* enum nna_pool */
	uint32_t kernel_h, kernel_w, stride_h, stride_w;
	uint32_t pad_top, pad_left;
};

struct nna_ir_elementwise {
	uint8_t function; /* UNARY, BINARY: enum nna_function */
	float alpha; /* ELU, LEAKY_RELU */
};

/** struct nna_ir_rescale - a factor as a 31-bit multiplier and a shift to the right */
struct nna_ir_rescale {
	int32_t multiplier, shift;
};

/** struct nna_ir_topk - the order of equal elements */
struct nna_ir_topk {
	bool lower_first; /* of equal elements the one with the lower index comes first */
};

struct nna_ir_fill {
	uint64_t bits; /* of one element, the rest 0 */
};

enum nna_reduce { NNA_REDUCE_SUM, NNA_REDUCE_MEAN, NNA_REDUCE_PROD, NNA_REDUCE_MAX, NNA_REDUCE_MIN,
		  NNA_REDUCE_ALL, NNA_REDUCE_ANY };

struct nna_ir_reduce {
	uint8_t function; /* enum nna_reduce */
	uint32_t axes; /* bit set */
};

struct nna_ir_arg {
	uint32_t axis;
	bool minimum;
};

struct nna_ir_softmax {
	float beta;
	uint32_t axis;
	bool log;
};

enum nna_resize { NNA_RESIZE_NEAREST, NNA_RESIZE_BILINEAR };

struct nna_ir_resize {
	uint8_t mode; /* enum nna_resize */
	bool align_corners, half_pixel_centers;
	float scale_h, scale_w; /* size of the input divided by size of the output */
};

enum nna_roi { NNA_ROI_MAX, NNA_ROI_MEAN };

/**
 * struct nna_ir_roi - bins of regions
 * @mode: enum nna_roi
 * @samples_h, @samples_w: MEAN: samples of a bin; 0: its height or width
 * @scale_h, @scale_w: pixels of the image per unit of a region
 */
struct nna_ir_roi {
	uint8_t mode;
	uint32_t samples_h, samples_w;
	float scale_h, scale_w;
};

struct nna_ir_gather {
	uint32_t axis;
};

struct nna_ir_multinomial {
	uint64_t first; /* number of the first sample */
};

struct nna_ir_keypoint {
	float tolerance; /* a smaller determinant counts as a flat peak */
};

/* The effect of an overlap (intersection over union) on a score. */
enum nna_nms { NNA_NMS_SUPPRESS, NNA_NMS_HARD, NNA_NMS_LINEAR, NNA_NMS_GAUSSIAN };

/**
 * struct nna_ir_nms - non-maximum suppression
 * @mode: enum nna_nms
 * @by_class: the rows that are kept of a group are ordered by class
 * @candidates: most rows of a group that compete in a class; 0 is all
 * @most_of_class, @most: the most rows that are kept of a class of a group, and of a group
 * @depth: 0: classes compete separately; else rows compete by their best class, and this many
 *	classes are reported
 * @class_base: number of class 0
 * @score_min: rows with a score that is not above it do not compete
 * @score_floor: rows whose score falls below it are removed
 * @threshold, @sigma: of the overlap
 */
struct nna_ir_nms {
	uint8_t mode;
	bool by_class;
	uint32_t candidates, most_of_class, most, depth;
	int32_t class_base;
	float score_min, score_floor, threshold, sigma;
};

/**
 * struct nna_ir_op - an operation
 * @kind: enum nna_ir_kind
 * @rounding: enum nna_ir_rounding
 * @form: the backend's: layout of its own form of constant operands; 0 is the ir's layout
 * @dead: dropped by a pass
 * @operand_count: of @kind
 * @outputs: bit set of the operands that it writes
 * @values: numbers, or NNA_NO_VALUE
 * @label: JUMP, BRANCH: the target; else NNA_NONE
 * @origin: operation of the main subgraph that it comes from
 * @bounds: of the result, for kinds that convert to the type of the result
 * @sum: CONV2D, MATMUL with a residual
 */
struct nna_ir_op {
	uint8_t kind;
	uint8_t rounding;
	uint8_t form;
	bool dead;
	uint32_t operand_count;
	uint32_t outputs;
	uint32_t values[NNA_IR_MAX_OPERANDS];
	uint32_t label;
	uint32_t origin;
	struct nna_ir_bounds bounds;
	struct nna_ir_sum sum;
	union {
		struct nna_ir_conv2d conv2d;
		struct nna_ir_pool pool;
		struct nna_ir_elementwise elementwise;
		struct nna_ir_rescale rescale;
		struct nna_ir_topk topk;
		struct nna_ir_fill fill;
		struct nna_ir_reduce reduce;
		struct nna_ir_arg arg;
		struct nna_ir_softmax softmax;
		struct nna_ir_rescale norm16; /* factor of the result */
		struct nna_ir_resize resize;
		struct nna_ir_roi roi;
		struct nna_ir_gather gather;
		struct nna_ir_multinomial multinomial;
		struct nna_ir_keypoint keypoint;
		struct nna_ir_nms nms;
		struct nna_ir_rows rows;
	};
};

/* Return: the name of a kind, as "CONV2D". */
const char *nna_ir_kind_name(uint8_t kind);
/* Return: the number of operands of a kind. *outputs: the bit set of those that it writes. */
uint32_t nna_ir_kind_operands(uint8_t kind, uint32_t *outputs);

static inline bool nna_ir_is_output(const struct nna_ir_op *op, uint32_t operand)
{
	return op->outputs >> operand & 1;
}

#endif
