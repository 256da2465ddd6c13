/* SPDX-License-Identifier: MIT */
/*
 * The proof that a job of an Ethos-U has run to its end.
 *
 * The driver's ABI waits for a job and does not say whether it failed. So a stream gets some more
 * commands before its STOP: they wait for all that is under way, then copy a constant of 16 bytes
 * by DMA from each region into slots in one region, which whoever starts the job has cleared. When
 * the slots have the constant, everything before them has been done.
 *
 * The regions are read from because the driver refuses a buffer for a region that no command uses,
 * and a compiler gives memory to regions that its stream leaves alone.
 *
 *	region n	its own bytes, up to @tails[n]; then the constant
 *	region to	likewise; behind it a slot for each region
 */
#ifndef NNA_ETHOSU_MARKER_H
#define NNA_ETHOSU_MARKER_H

#include "libnnaccel/backend/ethosu/stream.h"

/* Bytes of a constant and of a slot, and their alignment. */
#define NNA_ETHOSU_MARKER_SIZE 16u
/* Bytes that a region needs behind its own, and that the region with the slots needs. */
#define NNA_ETHOSU_MARKER_TAIL NNA_ETHOSU_MARKER_SIZE
#define NNA_ETHOSU_MARKER_SLOTS (NNA_ETHOSU_MARKER_SIZE * (1 + NNA_ETHOSU_REGIONS))

/* The constant. */
extern const uint8_t nna_ethosu_marker[NNA_ETHOSU_MARKER_SIZE];

/**
 * nna_ethosu_marker_append() - add those commands to a stream
 * @stream: ends with STOP
 * @tails: where the constant is in each region, a multiple of 16; 0 for a region without memory
 * @to: the region with the slots, which has a tail
 *
 * Return: 0 or -ENOMEM, with the stream as it was.
 */
int nna_ethosu_marker_append(struct nna_ethosu_stream *stream,
			     const uint64_t tails[NNA_ETHOSU_REGIONS], uint32_t to);

/**
 * nna_ethosu_marker_append_one() - the same for a job whose regions are all used
 * @region: where the constant and one slot are
 * @from: where the constant is in it, a multiple of 16
 * @to: where the slot is, likewise
 *
 * Return: 0 or -ENOMEM, with the stream as it was.
 */
int nna_ethosu_marker_append_one(struct nna_ethosu_stream *stream, uint32_t region, uint64_t from,
				 uint64_t to);

/* Clear the slots of a region whose memory is @memory, and whose tail is @tail. */
void nna_ethosu_marker_clear(uint8_t *memory, uint64_t tail);
/* Whether they all have the constant, for the regions that have a tail. */
bool nna_ethosu_marker_is_set(const uint8_t *memory, uint64_t tail,
			      const uint64_t tails[NNA_ETHOSU_REGIONS]);

#endif
