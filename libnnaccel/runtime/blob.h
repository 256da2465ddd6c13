/* SPDX-License-Identifier: MIT */
/*
 * Blobs: a compiled program as bytes that are kept outside of the process.
 *
 * A blob is the output of the compiler, without addresses, so that it can be loaded at any address:
 *
 *	struct nna_blob_header		its program, its device, and all sizes
 *	struct nna_blob_io [inputs, then outputs]
 *	uint32_t [operations]		types, as they were added; messages name them
 *	stream
 *	constants			packed as the device reads them
 *	uint64_t [2]			checksum: the digest of all that is above
 *
 * All members are plain data in the byte order of this machine, without gaps and without alignment.
 * Each row above the checksum is one piece of the digest. Data that can be computed from the rest
 * is left out: slots, the offsets of arguments, the base table.
 *
 * A program can be saved if it was compiled for the shapes that its graph states. Programs that are
 * compiled when inputs are bound, whose shapes depend on values of inputs, or that run in parts
 * cannot be saved: they have one stream per signature or part.
 *
 * Ownership: no object keeps a blob. Saving reads the program's variant, to which it holds a
 * reference meanwhile. Loading copies: stream and constants are read directly into the BO that the
 * new program owns, all other data into its struct nna_code. No pointer to the reader's memory is
 * kept, and a file is never mapped, so it may change or vanish at any time.
 *
 * Trust: none. A blob of another build, kind of device, preference or graph is refused before its
 * tables are read. Every count, size and offset is checked against the size that the reader states,
 * the device and the graph, before memory of that size is allocated. The checksum is compared
 * before the program can run. It detects damage, not malice: an attacker who writes a blob with a
 * valid checksum can have the device execute a stream in the address space of the process that
 * loads it. The device checks such a stream like any other.
 *
 * Locking: programs may be saved and loaded from any thread. No other thread knows a program before
 * it is returned.
 */
#ifndef NNA_BLOB_H
#define NNA_BLOB_H

#include <stdint.h>

#include "nnaccel.h"

#define NNA_BLOB_MAGIC 0x414e4e42u /* differs in the other byte order */
#define NNA_BLOB_VERSION 1u

/**
 * struct nna_blob_header - the beginning of a blob
 * @magic: NNA_BLOB_MAGIC
 * @version: NNA_BLOB_VERSION
 * @build_id: of the library that compiled the program
 * @abi_major, @stream_version, @layout_version: versions of the device that the program is for
 * @preference: of struct nna_program_options
 * @device: digest of all other properties of the device and this process that the compiler depends
 *	on
 * @graph: nna_graph_identify()
 * @size: bytes of the blob
 * @constants_size: bytes
 * @scratch_size: bytes that a run needs
 * @variables_size: bytes of an execution's state
 * @stream_size: bytes
 * @command_count: in the stream
 * @operation_count: of the graph's main subgraph
 * @synchronous: 0 or 1
 */
struct nna_blob_header {
	uint32_t magic, version;
	char build_id[40];
	uint32_t abi_major, stream_version, layout_version;
	uint32_t preference;
	uint64_t device[2];
	uint64_t graph[2];
	uint64_t size;
	uint64_t constants_size, scratch_size, variables_size;
	uint32_t stream_size, command_count;
	uint32_t input_count, output_count;
	uint32_t operation_count;
	uint32_t synchronous;
};

/* Of @flags in struct nna_blob_io. */
#define NNA_BLOB_USED 1u
#define NNA_BLOB_COUNTED 2u
#define NNA_BLOB_RANK_KNOWN 4u
#define NNA_BLOB_STATED 8u /* the graph states all dimensions */

/**
 * struct nna_blob_io - an input or output
 * @type: enum nna_operand_type
 * @flags: NNA_BLOB_*; @used and @counted are those of struct nna_code_io
 * @rank: of @dims
 * @stated_rank: of @stated
 * @dims: for which it is compiled; 0 beyond @rank
 * @stated: dimensions that the graph states, or that its operations give, 0 is unknown
 * @scale: of quantised types
 * @zero_point: of quantised types
 * @size: bytes, which follow from @type and @dims
 * @count: if counted: offset of the number of rows in scratch memory
 */
struct nna_blob_io {
	uint32_t type, flags;
	uint32_t rank, stated_rank;
	uint32_t dims[NNACCEL_MAX_RANK];
	uint32_t stated[NNACCEL_MAX_RANK];
	float scale;
	int32_t zero_point;
	uint64_t size, count;
};

_Static_assert(sizeof(struct nna_blob_header) == 12 * 4 + 40 + 8 * 8, "a header has no gaps");
_Static_assert(sizeof(struct nna_blob_io) == 4 * 4 + 2 * 4 * NNACCEL_MAX_RANK + 8 + 16,
	       "an argument has no gaps");

/*
 * Begins a header for this device. The caller fills in the graph and the sizes.
 */
struct nna_blob_header nna_blob_header_begin(const struct nna_device *device, uint32_t preference);
/* Bytes of a blob. The sum does not overflow for sizes that have been checked. */
uint64_t nna_blob_size(const struct nna_blob_header *header);

#endif
