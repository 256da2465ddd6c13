/* SPDX-License-Identifier: MIT */
/*
 * The backend of Arm's Ethos-U65 and U85.
 *
 *	target		the NPU, from the configuration of the device
 *	command		an operation of the NPU, and the stream that operations become
 *	map		views of the ir as feature maps
 *	block		the part of a result that is computed at a time
 *	weights		constants in the layouts that the NPU reads
 *	packed		the constants of an operation with weights
 *	ones		sums of windows by an operation with weights
 *	rule		factors of results, as the NPU can round them
 *	convolution, elementwise, unary, pool, reduce, copy, resize
 *			kinds of operations: whether the NPU does them, constants, commands
 *	backend		the functions of struct nna_backend, which go through the kinds
 *
 * A region of a stream is a slot of the job, by its number. The NPU has eight regions, so that is
 * the most slots of a device.
 *
 * A kind has up to three functions. accepts() is asked before anything is known of memory, and also
 * of constants without bytes. pack() may replace constant operands, and add others; it knows no
 * addresses. emit() gives the writer the operations. Whatever pack() decides that emit() has to
 * know follows from the operation and its operands again: the block above all.
 */
#ifndef NNA_ETHOSU_H
#define NNA_ETHOSU_H

#include "libnnaccel/backend/backend.h"
#include "libnnaccel/backend/ethosu/command.h"

/**
 * struct nna_ethosu_kind - what a kind of operations needs
 * @accepts: Return: 0, or -ENOTSUP with the reason as text of at most @size bytes
 * @pack: completes operation @index with the constants that its commands need; NULL for none
 * @emit: writes the commands. Return: 0, -ENOTSUP or -ENOMEM
 */
struct nna_ethosu_kind {
	int (*accepts)(const struct nna_lower *l, const struct nna_ethosu_target *target,
		       const struct nna_ir_op *op, char *reason, size_t size);
	int (*pack)(struct nna_lower *l, const struct nna_ethosu_target *target, uint32_t index);
	int (*emit)(const struct nna_lower *l, const struct nna_ethosu_target *target,
		    const struct nna_ir_op *op, struct nna_ethosu_writer *w);
};

extern const struct nna_ethosu_kind nna_ethosu_convolution, nna_ethosu_copy, nna_ethosu_elementwise,
	nna_ethosu_fill, nna_ethosu_pool, nna_ethosu_reduce, nna_ethosu_resize, nna_ethosu_unary;

#define NNA_ETHOSU_BRICK 16u /* channels of a brick */

/*
 * Gives maps that only convolutions use the layout NHCWB16; before pack() and before memory is
 * planned. Return: 0 or -ENOMEM.
 */
int nna_ethosu_layout(struct nna_lower *l);

/* Writes a reason. Return: -ENOTSUP. */
int nna_ethosu_refuse(char *reason, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Completes the map of a value with what its storage and type tell: the region, and the bytes from
 * its start; elements of @bytes, or with 0 those of the value.
 */
void nna_ethosu_map_place(const struct nna_lower *l, uint32_t value, uint32_t bytes,
			  struct nna_ethosu_map *map);
/* Image @batch of a view [b, h, w, c], with an offset in its storage, without region and type. */
void nna_ethosu_map_view(const struct nna_value *view, uint32_t batch, struct nna_ethosu_map *map);
/* Image @batch of a value [b, h, w, c], which nna_ethosu_map_refuses() has not refused. */
void nna_ethosu_map_image(const struct nna_lower *l, uint32_t value, uint32_t batch,
			  struct nna_ethosu_map *map);
/* Whether a view [b, h, w, c] is no feature map, or a value; then the reason is written. */
bool nna_ethosu_map_view_refuses(const struct nna_value *view, char *reason, size_t size);
bool nna_ethosu_map_refuses(const struct nna_lower *l, uint32_t value, char *reason, size_t size);

/* Rows or columns of padding behind, of a @kernel with its dilation and @before rows in front. */
uint32_t nna_ethosu_padding_behind(uint32_t out, uint32_t in, uint32_t kernel, uint32_t stride,
				   uint32_t before);

/* A POOL that changes nothing, of what will be its maps. */
void nna_ethosu_pass(struct nna_ethosu_operation *op);

/*
 * Chooses @block of an operation, of which all else is complete but the addresses and sizes of
 * weights. The same operation gets the same block. Its height stays 0 where none has room.
 */
void nna_ethosu_block_choose(const struct nna_ethosu_target *target,
			     struct nna_ethosu_operation *op);
/* Elements of a microblock of one channel, by its code in a block; 0 on a U65. */
uint32_t nna_ethosu_block_elements(const struct nna_ethosu_target *target, uint8_t code);
/*
 * Whether weights are better ordered by elements of the kernel, of @height x @width, than by
 * channels of the IFM, which has @depth of @bytes each.
 */
bool nna_ethosu_block_part_kernel(const struct nna_ethosu_target *target, uint32_t depth,
				  uint32_t bytes, uint32_t height, uint32_t width);

#endif
