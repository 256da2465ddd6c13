/* SPDX-License-Identifier: MIT */
/*
 * What pack() makes of the weights of an operation of CONV or DEPTHWISE: two constants of bytes.
 *
 *	streams		for each group the sizes of its streams, NNA_ETHOSU_SIZES_SIZE bytes; then
 *			the streams of all groups, one after the other
 *	records		for each group and core records of its channels, rounded up to
 *			NNA_ETHOSU_STREAM_UNIT bytes
 *
 * Ownership: the memory of struct nna_ethosu_bytes is its user's, who frees @data, until
 * nna_ethosu_bytes_constant() gives it to the graph.
 */
#ifndef NNA_ETHOSU_PACKED_H
#define NNA_ETHOSU_PACKED_H

#include "libnnaccel/backend/ethosu/ethosu.h"
#include "libnnaccel/backend/ethosu/weights.h"

/**
 * struct nna_ethosu_bytes - a constant that grows; all zeros is an empty one
 * @data: @size of them, from malloc()
 */
struct nna_ethosu_bytes {
	uint8_t *data;
	uint64_t size;
};

/* Adds @size bytes, zeros where @from is NULL. Return: 0, -E2BIG or -ENOMEM. */
int nna_ethosu_bytes_add(struct nna_ethosu_bytes *to, const void *from, uint64_t size);

/*
 * Makes a constant of bytes, which belong to the graph then. Pointers into @l's lists do not hold
 * any more. Return: its value, or a negative errno.
 */
int64_t nna_ethosu_bytes_constant(struct nna_lower *l, struct nna_ethosu_bytes *bytes);

/*
 * Adds the streams of group @group to a constant that begins with room for the sizes of all groups.
 * Return: 0, or an error of nna_ethosu_weights_encode().
 */
int nna_ethosu_packed_add_streams(struct nna_ethosu_bytes *to,
				  const struct nna_ethosu_weights *weights, uint32_t group);

/* Cores that have records of their own. */
uint32_t nna_ethosu_packed_cores(const struct nna_ethosu_target *target);

/* Bytes of the records of core @core, of a group of @depth channels. */
uint32_t nna_ethosu_packed_records_size(const struct nna_ethosu_target *target, uint32_t depth,
					uint32_t core);

/**
 * struct nna_ethosu_packed - the constants of an operation that is packed, when it is written
 * @streams: its streams
 * @records: its records
 * @depth: channels of a group
 * @streams_at, @records_at: where those of the next group begin, in bytes
 */
struct nna_ethosu_packed {
	const struct nna_value *streams, *records;
	uint32_t depth;
	uint64_t streams_at, records_at;
};

/* Says where the streams and records of group @group are, the groups one after the other. */
void nna_ethosu_packed_place(const struct nna_lower *l, const struct nna_ethosu_target *target,
			     struct nna_ethosu_packed *packed, uint32_t group,
			     struct nna_ethosu_operation *to);

#endif
