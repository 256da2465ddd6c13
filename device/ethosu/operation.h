/* SPDX-License-Identifier: MIT */
/*
 * Ethos-U: an operation with all that it takes from the state, in its own units.
 *
 * Sizes are sizes, not sizes less one. Addresses are bus addresses: the base of the region is in
 * them. What only one generation has is neutral for the other: e.g. a U65 transposes nothing.
 */
#ifndef ETHOSU_OPERATION_H
#define ETHOSU_OPERATION_H

#include <stdbool.h>
#include <stdint.h>

#include "device/ethosu/config.h"
#include "device/ethosu/stream.h"

#define ETHOSU_CHAINS 8u

enum ethosu_storage {
	ETHOSU_IN_MEMORY = 0, /* tiles 2x2 */
	ETHOSU_IN_COLUMN = 1, /* tiles 3x1 */
	ETHOSU_IN_CHAIN = 2,  /* a chain buffer */
	ETHOSU_NOWHERE = 3,   /* a scalar; as OFM, no output */
};

/**
 * struct ethosu_feature_map - where the elements of a feature map are
 * @height: of the map, in elements
 * @width: of the map, in elements
 * @depth: of the map, in channels
 * @base: bus addresses of its tiles
 * @stride_y: bytes from row to row
 * @stride_x: bytes from column to column; NHWC only
 * @stride_c: bytes from brick to brick; bricks only
 * @width0: columns of tiles 0 and 2
 * @height0: rows of tile 0
 * @height1: rows of tile 1
 * @zero_point: of its elements
 * @bytes: of an element: 1, 2, 4 or 8
 * @is_signed: elements have a sign
 * @brick: NHCWB16; else NHWC
 * @storage: where
 * @chain: chain buffer
 */
struct ethosu_feature_map {
	uint32_t height;
	uint32_t width;
	uint32_t depth;
	uint64_t base[4];
	int64_t stride_y;
	int64_t stride_x;
	int64_t stride_c;
	uint32_t width0;
	uint32_t height0;
	uint32_t height1;
	int32_t zero_point;
	uint8_t bytes;
	bool is_signed;
	bool brick;
	enum ethosu_storage storage;
	uint8_t chain;
};

enum ethosu_rounding {
	ETHOSU_ROUND_DOUBLE = 0,	    /* as TFLite: twice where the shift exceeds 31 */
	ETHOSU_ROUND_NATURAL = 1,	    /* once, halves up */
	ETHOSU_ROUND_DOUBLE_ASYMMETRIC = 2, /* not known: taken as natural */
	ETHOSU_ROUND_SYMMETRIC = 3,	    /* once, halves away from zero */
	ETHOSU_ROUND_TO_ZERO = 4,
	ETHOSU_ROUND_DOWN = 5,
};

/**
 * struct ethosu_scale - a multiplication by scale / 2^shift
 * @scale: factor
 * @shift: 0 to 63
 * @extra: bits by which the value is shifted left, and the product back right
 * @rounding: of the product
 */
struct ethosu_scale {
	uint32_t scale;
	uint8_t shift;
	uint8_t extra;
	enum ethosu_rounding rounding;
};

/**
 * struct ethosu_range - bytes of bus memory
 * @address: of the first
 * @size: number of them
 */
struct ethosu_range {
	uint64_t address;
	uint64_t size;
};

/**
 * struct ethosu_window - a kernel as it moves over the IFM
 * @height: rows, without dilation
 * @width: columns, without dilation
 * @stride_y: rows per row of the OFM
 * @stride_x: columns per column of the OFM
 * @dilation_y: rows from one to the next
 * @dilation_x: columns from one to the next
 * @top: rows of padding above the IFM
 * @left: columns of padding
 * @bottom: rows of padding below
 * @right: columns of padding
 * @view_height: rows of the IFM as the kernel sees it, after upscaling
 * @view_width: columns likewise
 * @upscale: 0 none, 1 nearest, 2 zeros between
 */
struct ethosu_window {
	uint32_t height;
	uint32_t width;
	uint32_t stride_y;
	uint32_t stride_x;
	uint32_t dilation_y;
	uint32_t dilation_x;
	uint32_t top;
	uint32_t left;
	uint32_t bottom;
	uint32_t right;
	int64_t view_height;
	int64_t view_width;
	uint32_t upscale;
};

enum ethosu_accumulators {
	ETHOSU_ACC_NEW = 0,
	ETHOSU_ACC_KEEP = 1,
	ETHOSU_ACC_IFM2 = 2,
};

/**
 * struct ethosu_operation - an operation
 * @code: enum ethosu_operation_code: CONV, DEPTHWISE, POOL, ELEMENTWISE or RESIZE
 * @mode: parameter of the command
 * @ifm: first input. The depth of an elementwise operation's is the OFM's
 * @ifm2: second input of those that have one
 * @ofm: output, with its size before it is transposed
 * @window: kernel
 * @weights: compressed weights, by stream; of size 0 where there is none
 * @scales: scale records, by core; a U85 has one range
 * @part_kernel: weights are ordered kernel first
 * @fast_weights: weights are in the FWD format
 * @sparse_weights: weights are sparse 2:4
 * @block_height: rows of OFM blocks
 * @block_width: columns of OFM blocks
 * @block_depth: channels of OFM blocks
 * @microblock_height: rows of a microblock; U85
 * @microblock_width: columns of a microblock; U85
 * @wide: accumulators of more than 32 bits
 * @accumulators: where they begin
 * @ofm_scale: scale of the OFM
 * @global_scale: @ofm_scale is used; else each channel has a record
 * @ifm_scale: of the first operand, U85
 * @ifm2_scale: of the second operand, U85
 * @operand: U65: 0 both operands are scaled, 1 A, 2 B
 * @operand_a: U65: factor of operand A
 * @operand_a_shift: U65: shift of operand A
 * @operand_b: U65: factor of operand B
 * @reversed: U65: IFM2 is the first operand
 * @broadcast: dimensions of IFM that are of size 1: bits h 0, w 1, c 2
 * @broadcast2: likewise of IFM2
 * @scalar: IFM is @constant
 * @scalar2: IFM2 is @constant
 * @constant: value of a scalar operand
 * @activation: function
 * @table: table of a U85
 * @clip: range of the activation: raw bits
 * @min: least value
 * @max: greatest value
 * @reverse: OFM is written backwards: 1 h, 2 w, 3 c
 * @transpose: OFM is transposed
 * @resize: factors of RESIZE: x, y
 */
struct ethosu_operation {
	uint32_t code;
	uint32_t mode;
	struct ethosu_feature_map ifm;
	struct ethosu_feature_map ifm2;
	struct ethosu_feature_map ofm;
	struct ethosu_window window;
	struct ethosu_range weights[ETHOSU_WEIGHT_STREAMS];
	struct ethosu_range scales[2];
	bool part_kernel;
	bool fast_weights;
	bool sparse_weights;
	uint32_t block_height;
	uint32_t block_width;
	uint32_t block_depth;
	uint32_t microblock_height;
	uint32_t microblock_width;
	bool wide;
	enum ethosu_accumulators accumulators;
	struct ethosu_scale ofm_scale;
	bool global_scale;
	struct ethosu_scale ifm_scale;
	struct ethosu_scale ifm2_scale;
	uint32_t operand;
	uint32_t operand_a;
	uint32_t operand_a_shift;
	uint32_t operand_b;
	bool reversed;
	uint32_t broadcast;
	uint32_t broadcast2;
	bool scalar;
	bool scalar2;
	int32_t constant;
	uint32_t activation;
	uint32_t table;
	uint32_t clip;
	int32_t min;
	int32_t max;
	uint32_t reverse;
	uint32_t transpose;
	struct {
		int32_t numerator;
		int32_t step;
		int32_t offset;
	} resize[2];
};

/**
 * ethosu_operation_take() - what an operation takes from the state
 * @operation: written
 * @config: the configuration
 * @state: the state
 * @regions: bus addresses of the regions
 * @code: opcode
 * @mode: parameter of the command
 *
 * Return: whether the model knows how to do it: sizes are consistent, encodings are not reserved.
 */
bool ethosu_operation_take(struct ethosu_operation *operation, const struct ethosu_config *config,
			   const struct ethosu_state *state,
			   const uint64_t regions[ETHOSU_REGIONS], uint32_t code, uint32_t mode);

#endif
