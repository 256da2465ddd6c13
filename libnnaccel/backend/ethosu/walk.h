/* SPDX-License-Identifier: MIT */
/*
 * Views of the ir as feature maps.
 *
 * A view has up to eight dims with any strides; a feature map has three, of which channels are
 * contiguous and no stride is negative. A walk cuts views of the same dims, the operands of one
 * operation, into pieces that are feature maps. Dims that all operands have without a gap between
 * them become one.
 */
#ifndef NNA_ETHOSU_WALK_H
#define NNA_ETHOSU_WALK_H

#include "libnnaccel/backend/ethosu/command.h"
#include "libnnaccel/ir/ir.h"

#define NNA_ETHOSU_WALK_OPERANDS 3u
#define NNA_ETHOSU_WALK_RANK (NNA_IR_MAX_RANK + 1)
/* Pieces of an operation, so that a stream stays small. */
#define NNA_ETHOSU_WALK_PIECES 1024u

/**
 * struct nna_ethosu_walk - the way through an operation's operands
 * @count: operands
 * @rank: of @dims and strides
 * @dims: the last three are height, width and depth of a piece, or of what is left at an end
 * @strides: in bytes, by operand
 * @starts: bytes of element (0, 0, ...) in its storage
 * @sizes: of a piece along each dim; 1 for those in front
 * @steps: pieces along each dim
 * @pieces: their number
 */
struct nna_ethosu_walk {
	uint32_t count, rank;
	uint32_t dims[NNA_ETHOSU_WALK_RANK + 3];
	int64_t strides[NNA_ETHOSU_WALK_OPERANDS][NNA_ETHOSU_WALK_RANK + 3];
	uint64_t starts[NNA_ETHOSU_WALK_OPERANDS];
	uint32_t sizes[NNA_ETHOSU_WALK_RANK + 3];
	uint32_t steps[NNA_ETHOSU_WALK_RANK + 3];
	uint64_t pieces;
};

/**
 * nna_ethosu_walk_begin() - cut views into pieces
 * @values: @count of them, of the same dims
 * @broadcast: bit set of those that may be broadcast within a piece
 * @bytes: elements are taken as that many channels of a byte, for operations on bytes
 *
 * Return: false if there are more than NNA_ETHOSU_WALK_PIECES, also for the same dims with other
 * strides, as passes of the compiler make them.
 */
bool nna_ethosu_walk_begin(struct nna_ethosu_walk *walk, const struct nna_value *const *values,
			   uint32_t count, uint32_t broadcast, bool bytes);

/* The map of an operand in a piece, without region, type and zero point; offsets in the storage. */
void nna_ethosu_walk_map(const struct nna_ethosu_walk *walk, uint64_t piece, uint32_t operand,
			 struct nna_ethosu_map *map);

#endif
