// SPDX-License-Identifier: MIT
#include "libnnaccel/backend/ethosu/packed.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int nna_ethosu_bytes_add(struct nna_ethosu_bytes *to, const void *from, uint64_t size)
{
	uint8_t *data;

	if (to->size + size > INT32_MAX)
		return -E2BIG;
	data = realloc(to->data, to->size + size + 1);
	if (!data)
		return -ENOMEM;
	if (from)
		memcpy(data + to->size, from, size);
	else
		memset(data + to->size, 0, size);
	to->data = data;
	to->size += size;
	return 0;
}

int64_t nna_ethosu_bytes_constant(struct nna_lower *l, struct nna_ethosu_bytes *bytes)
{
	const uint32_t dims[1] = { (uint32_t)bytes->size };
	uint8_t *data = bytes->data;
	struct nna_value v;
	int ret = nna_value_plain(&v, NNA_TYPE_U8, 1, dims, 0, 0) ?:
		  nna_lower_charge(l, bytes->size);

	if (ret)
		return ret;
	bytes->data = NULL;
	return nna_value_in_storage(l, &v, NNA_STORAGE_CONSTANT, NNA_NONE, data, data);
}

int nna_ethosu_packed_add_streams(struct nna_ethosu_bytes *to,
				  const struct nna_ethosu_weights *weights, uint32_t group)
{
	struct nna_ethosu_encoded encoded;
	uint64_t total = 0;
	int ret = nna_ethosu_weights_encode(weights, &encoded);

	if (ret)
		return ret;
	for (uint32_t i = 0; i < NNA_ETHOSU_STREAMS; i++)
		total += encoded.sizes[i];
	nna_ethosu_sizes_write(&encoded, to->data + (uint64_t)group * NNA_ETHOSU_SIZES_SIZE);
	ret = nna_ethosu_bytes_add(to, encoded.bytes, total);
	free(encoded.bytes);
	return ret;
}

uint32_t nna_ethosu_packed_cores(const struct nna_ethosu_target *target)
{
	return target->generation == NNA_ETHOSU_U65 ? target->streams : 1;
}

uint32_t nna_ethosu_packed_records_size(const struct nna_ethosu_target *target, uint32_t depth,
					uint32_t core)
{
	const uint32_t cores = nna_ethosu_packed_cores(target);
	const uint32_t channels = (depth + cores - 1 - core) / cores;

	return (channels * NNA_ETHOSU_RECORD_SIZE + NNA_ETHOSU_STREAM_UNIT - 1) /
	       NNA_ETHOSU_STREAM_UNIT * NNA_ETHOSU_STREAM_UNIT;
}

static struct nna_ethosu_range range_of(const struct nna_lower *l, const struct nna_value *v,
					uint64_t at, uint64_t size)
{
	const struct nna_storage *s = &l->storages[v->storage];

	return (struct nna_ethosu_range){ s->slot, s->offset + v->offset + at, size };
}

void nna_ethosu_packed_place(const struct nna_lower *l, const struct nna_ethosu_target *target,
			     struct nna_ethosu_packed *packed, uint32_t group,
			     struct nna_ethosu_operation *to)
{
	const struct nna_value *streams = packed->streams;
	struct nna_ethosu_encoded encoded;

	nna_ethosu_sizes_read((const uint8_t *)l->storages[streams->storage].data +
			      streams->offset + (uint64_t)group * NNA_ETHOSU_SIZES_SIZE, &encoded);
	to->fast_weights = encoded.fast;
	for (uint32_t i = 0; i < target->streams; i++) {
		to->weights[i] = range_of(l, streams, packed->streams_at, encoded.sizes[i]);
		packed->streams_at += encoded.sizes[i];
	}
	for (uint32_t core = 0; core < nna_ethosu_packed_cores(target); core++) {
		const uint32_t size = nna_ethosu_packed_records_size(target, packed->depth, core);

		to->scales[core] = range_of(l, packed->records, packed->records_at, size);
		packed->records_at += size;
	}
}
