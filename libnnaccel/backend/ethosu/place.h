/* SPDX-License-Identifier: MIT */
/*
 * Where the areas of a job lie: a stream of the compiler names areas by the numbers of slots, and a
 * job of the NPU has regions that begin where memory does.
 */
#ifndef NNA_ETHOSU_PLACE_H
#define NNA_ETHOSU_PLACE_H

#include "libnnaccel/backend/ethosu/stream.h"

/**
 * struct nna_ethosu_place - where an area begins
 * @offset: bytes from the start of the region
 */
struct nna_ethosu_place {
	uint32_t region;
	uint64_t offset;
};

/**
 * nna_ethosu_stream_place() - let a stream name regions instead of areas
 * @stream: a stream that sets a region before the addresses in it
 * @places: by area; NNA_ETHOSU_REGIONS of them
 * @used: bit set of the regions that operations use
 */
void nna_ethosu_stream_place(struct nna_ethosu_stream *stream,
			     const struct nna_ethosu_place *places, uint32_t *used);

#endif
