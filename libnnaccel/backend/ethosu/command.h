/* SPDX-License-Identifier: MIT */
/*
 * Operations of an Ethos-U as the compiler makes them, and the stream that they become.
 *
 *	operation	all that an NPU is told for a kernel, in sizes, bytes and elements; memory
 *			is {region, offset}, and a region is a slot of the job (backend.h)
 *	writer		a stream that grows; it remembers what the NPU's registers hold, and
 *			leaves out what has not changed
 *
 * A module makes a struct nna_ethosu_operation, in which all that it does not need is 0, and gives
 * it to nna_ethosu_writer_operation(). No other code knows an encoding. What only one generation
 * has is said of each member; the writer ignores it on the other.
 *
 * A writer that has no memory left stays as it is; nna_ethosu_writer_finish() tells.
 */
#ifndef NNA_ETHOSU_COMMAND_H
#define NNA_ETHOSU_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include "hw/ethosu/opcode.h"
#include "libnnaccel/backend/ethosu/target.h"

#define NNA_ETHOSU_STREAMS 4u /* of weights, at most */
#define NNA_ETHOSU_SIZE_MOST 65536u /* elements of a map along a dim: a setting has 16 bits */

/* Parameters of ETHOSU_OP_POOL. */
enum nna_ethosu_pool {
	NNA_ETHOSU_POOL_MAX,
	NNA_ETHOSU_POOL_AVERAGE,
	NNA_ETHOSU_POOL_REDUCE_SUM,
};

/* Parameters of ETHOSU_OP_ELEMENTWISE. */
enum nna_ethosu_elementwise {
	NNA_ETHOSU_MUL = 0,
	NNA_ETHOSU_ADD = 1,
	NNA_ETHOSU_SUB = 2,
	NNA_ETHOSU_MIN = 3,
	NNA_ETHOSU_MAX = 4,
	NNA_ETHOSU_LRELU = 5,
	NNA_ETHOSU_ABS = 6,
	NNA_ETHOSU_CLZ = 7,
	NNA_ETHOSU_SHR = 8,
	NNA_ETHOSU_SHL = 9,
};

/**
 * enum nna_ethosu_rounding - how a product is shifted right
 * @NNA_ETHOSU_ROUND_DOUBLE: as TFLite: halves up; of shifts above 31, first by 31, then the rest
 *	with halves away from zero
 * @NNA_ETHOSU_ROUND_NATURAL: once, halves up
 * @NNA_ETHOSU_ROUND_TRUNCATE: towards zero
 * @NNA_ETHOSU_ROUND_SYMMETRIC: U85: once, halves away from zero
 */
enum nna_ethosu_rounding {
	NNA_ETHOSU_ROUND_DOUBLE,
	NNA_ETHOSU_ROUND_NATURAL,
	NNA_ETHOSU_ROUND_TRUNCATE,
	NNA_ETHOSU_ROUND_SYMMETRIC,
};

/* Which operand of ADD and SUB of a U65 is multiplied; the other one is shifted left. */
enum nna_ethosu_scaled { NNA_ETHOSU_SCALED_BOTH, NNA_ETHOSU_SCALED_A, NNA_ETHOSU_SCALED_B };

/**
 * struct nna_ethosu_range - bytes of a region
 */
struct nna_ethosu_range {
	uint32_t region;
	uint64_t offset, size;
};

/**
 * struct nna_ethosu_map - a feature map
 * @region: where
 * @offset: bytes from the start of the region to element (0, 0, 0)
 * @bytes: of an element: 1, 2 or 4
 * @is_signed: elements have a sign
 * @brick: NHCWB16: bricks of 16 channels; else NHWC
 * @height, @width, @depth: of a kernel's IFM only @depth counts: the others follow from the OFM.
 *	Of an elementwise operation's input, 1 where the OFM has more: it is broadcast
 * @stride_y: bytes from row to row
 * @stride_x: bytes from column to column; NHWC
 * @stride_c: bytes from brick to brick; bricks
 * @zero_point: of the elements
 */
struct nna_ethosu_map {
	uint32_t region;
	uint64_t offset;
	uint8_t bytes;
	bool is_signed, brick;
	uint32_t height, width, depth;
	uint64_t stride_y, stride_x, stride_c;
	int32_t zero_point;
};

/**
 * struct nna_ethosu_scale - a factor, scale / 2^shift
 * @shift: 0 to 63
 * @left: U85, of inputs: bits by which the input is shifted left before
 */
struct nna_ethosu_scale {
	uint32_t scale;
	uint8_t shift, left;
};

/**
 * struct nna_ethosu_window - the kernel, as it moves over the IFM; of CONV, DEPTHWISE and POOL
 * @height, @width: without dilation
 * @upscale: 0 none, 1 nearest, 2 zeros between
 * @part_kernel: the order of the weights
 */
struct nna_ethosu_window {
	uint32_t height, width, stride_y, stride_x, dilation_y, dilation_x;
	uint32_t top, left, bottom, right;
	uint8_t upscale;
	bool part_kernel;
};

/**
 * struct nna_ethosu_block - a part of the OFM that is computed at a time
 * @height, @width, @depth: in elements
 * @microblock: U85: bits 10:8 of ACC_FORMAT
 * @wide: accumulators of more than 32 bits
 * @input_end: U65: bank of SHRAM where the inputs' part ends
 * @input2_at: U65: bank where that of IFM2 begins
 * @sums_at: U65: bank where accumulators begin
 */
struct nna_ethosu_block {
	uint32_t height, width, depth;
	uint8_t microblock;
	bool wide;
	uint8_t input_end, input2_at, sums_at;
};

/**
 * struct nna_ethosu_operation - a kernel
 * @code: ETHOSU_OP_CONV, _DEPTHWISE, _POOL or _ELEMENTWISE
 * @mode: enum nna_ethosu_pool or nna_ethosu_elementwise; else 0
 * @ifm: input
 * @ifm2: second input of ELEMENTWISE with two; @bytes is 0 without one
 * @ofm: output
 * @window: of CONV, DEPTHWISE and POOL
 * @weights: of CONV and DEPTHWISE, one range for each stream; of size 0 where there is none.
 *	Offsets and sizes are multiples of 16
 * @fast_weights: U85: they are in the FWD format
 * @scales: records of the channels, for each core; U85: the first one. Unused with @one_scale
 * @one_scale: all channels have @scale; else they have records
 * @scale: factor of the result
 * @rounding: of @scale, or of the records' factors
 * @a, @b: factors of the operands of ADD and SUB. U65: of one of them, as @scaled says, or of 16
 *	bits for both. U85: LRELU has those of positive and of negative numbers here
 * @scaled: U65
 * @scalar: IFM2 is @constant, with the type and zero point of @ifm2, whose @bytes is set
 * @constant: U65: 16 bits
 * @reversed: U65: IFM2 is the first operand. On a U85 exchange them
 * @table: the OFM goes through the lookup table @table_slot, of results of 8 bits
 * @table_slot: 0 to 7
 * @min, @max: of the stored result, before the table
 * @block: height 0: nna_ethosu_block_choose() chooses
 */
struct nna_ethosu_operation {
	uint8_t code, mode;
	struct nna_ethosu_map ifm, ifm2, ofm;
	struct nna_ethosu_window window;
	struct nna_ethosu_range weights[NNA_ETHOSU_STREAMS], scales[2];
	bool fast_weights;
	bool one_scale;
	struct nna_ethosu_scale scale;
	uint8_t rounding;
	struct nna_ethosu_scale a, b;
	uint8_t scaled;
	bool scalar, reversed;
	int32_t constant;
	bool table;
	uint8_t table_slot;
	int32_t min, max;
	struct nna_ethosu_block block;
};

/* The IFM of an operation, with the size that follows from the OFM and the kernel. */
struct nna_ethosu_map nna_ethosu_operation_ifm(const struct nna_ethosu_operation *op);

/* The highest BLOCKDEP of operation @now, which follows @before without a kernel in between. */
uint32_t nna_ethosu_dependency(const struct nna_ethosu_target *target,
			       const struct nna_ethosu_operation *before,
			       const struct nna_ethosu_operation *now);

/* Where a DMA reads or writes that is in internal memory, as a region. */
#define NNA_ETHOSU_INTERNAL UINT32_MAX

/**
 * struct nna_ethosu_writer - a stream that grows
 * @target: for which NPU
 * @words: @count of them, with room for @room
 * @operations: that were written
 * @failed: there was no memory
 * @shorts, @longs: what registers hold, by opcode; where @short_set and @long_set say so
 * @before: the kernel before
 * @has_before: there is one
 * @kernel_pending: a kernel may be under way
 * @dma_pending: a DMA may be under way
 */
struct nna_ethosu_writer {
	struct nna_ethosu_target target;
	uint32_t *words;
	uint32_t count, room;
	uint32_t operations;
	bool failed;
	uint16_t shorts[0x100];
	uint64_t longs[0x100];
	bool short_set[0x100], long_set[0x100];
	struct nna_ethosu_operation before;
	bool has_before;
	bool kernel_pending, dma_pending;
};

void nna_ethosu_writer_begin(struct nna_ethosu_writer *w, const struct nna_ethosu_target *target);

/* A kernel. It waits for the DMAs before it; kernels see what kernels before them have written. */
void nna_ethosu_writer_operation(struct nna_ethosu_writer *w,
				 const struct nna_ethosu_operation *op);

/* A copy of @size bytes. It waits for the kernels before it. */
void nna_ethosu_writer_copy(struct nna_ethosu_writer *w, uint32_t to_region, uint64_t to,
			    uint32_t from_region, uint64_t from, uint64_t size);

/*
 * Ends the stream with STOP. Return: 0 and the stream, of which the caller frees the words; or
 * -ENOMEM.
 */
int nna_ethosu_writer_finish(struct nna_ethosu_writer *w, uint32_t **words, uint32_t *count);

#endif
