// SPDX-License-Identifier: MIT
#include "device/ethosu/kernel.h"

#include <stdlib.h>
#include <string.h>

#include "hw/ethosu/opcode.h"
#include "device/ethosu/order.h"
#include "device/ethosu/weights.h"

#define RECORD 10u /* bytes of a scale record */
#define PACK_BETWEEN (1u << 20) /* weights between two pauses */

/**
 * struct shape - what the order of weights depends on
 */
struct shape {
	uint32_t code, ofm_depth, ifm_depth, ifm_bytes, block_depth;
	uint32_t height, width, stride_y, stride_x, dilation_y, dilation_x;
	uint32_t microblock_height, microblock_width;
	uint32_t part_kernel, fast, sparse;
	uint64_t sizes[ETHOSU_WEIGHT_STREAMS];
};

/**
 * struct entry - weights that were decoded
 * @next: in the cache, from the one that was used last on
 * @shape: their order
 * @bytes: compressed streams, one after the other
 * @size: of all of them
 * @weights: decoded
 * @count: of them
 * @packed: the same, packed, once it was asked for
 * @wide: they cannot be packed
 */
struct entry {
	struct entry *next;
	struct shape shape;
	uint8_t *bytes;
	uint64_t size;
	int16_t *weights;
	uint64_t count;
	struct ethosu_packed packed;
	bool wide;
};

/**
 * struct ethosu_kernel_cache - weights that were decoded
 * @entries: list, from the one that was used last on
 * @size: bytes of all entries
 */
struct ethosu_kernel_cache {
	struct entry *entries;
	uint64_t size;
};

struct ethosu_kernel_cache *ethosu_kernel_cache_create(void)
{
	return calloc(1, sizeof(struct ethosu_kernel_cache));
}

static uint64_t entry_size(const struct entry *entry)
{
	/* Packed weights, which come later, are counted from the start. */
	return sizeof(*entry) + entry->size + entry->count * (sizeof(*entry->weights) + 1);
}

static void entry_free(struct entry *entry)
{
	if (!entry)
		return;
	free(entry->bytes);
	free(entry->weights);
	free(entry->packed.weights);
	free(entry->packed.sums);
	free(entry);
}

void ethosu_kernel_cache_clear(struct ethosu_kernel_cache *cache)
{
	while (cache->entries) {
		struct entry *entry = cache->entries;

		cache->entries = entry->next;
		entry_free(entry);
	}
	cache->size = 0;
}

void ethosu_kernel_cache_destroy(struct ethosu_kernel_cache *cache)
{
	if (!cache)
		return;
	ethosu_kernel_cache_clear(cache);
	free(cache);
}

/* Put @entry first. Free the least recently used entries beyond the limit. */
static void cache_add(struct ethosu_kernel_cache *cache, struct entry *entry)
{
	struct entry **last = &cache->entries;
	uint64_t size = entry_size(entry);

	while (*last && size + entry_size(*last) <= ETHOSU_KERNEL_CACHE_MAX) {
		size += entry_size(*last);
		last = &(*last)->next;
	}
	while (*last) {
		struct entry *old = *last;

		*last = old->next;
		entry_free(old);
	}
	entry->next = cache->entries;
	cache->entries = entry;
	cache->size = size;
}

static struct shape shape_of(const struct ethosu_operation *op)
{
	struct shape shape;

	memset(&shape, 0, sizeof(shape)); /* it is compared by its bytes */
	shape.code = op->code;
	shape.ofm_depth = op->ofm.depth;
	shape.ifm_depth = op->ifm.depth;
	shape.ifm_bytes = op->ifm.bytes;
	shape.block_depth = op->block_depth;
	shape.height = op->window.height;
	shape.width = op->window.width;
	shape.stride_y = op->window.stride_y;
	shape.stride_x = op->window.stride_x;
	shape.dilation_y = op->window.dilation_y;
	shape.dilation_x = op->window.dilation_x;
	shape.microblock_height = op->microblock_height;
	shape.microblock_width = op->microblock_width;
	shape.part_kernel = op->part_kernel;
	shape.fast = op->fast_weights;
	shape.sparse = op->sparse_weights;
	for (uint32_t i = 0; i < ETHOSU_WEIGHT_STREAMS; i++)
		shape.sizes[i] = op->weights[i].size;
	return shape;
}

/* Whether memory still holds the streams that @entry was decoded from. */
static bool holds(struct ethosu_machine *machine, const struct entry *entry,
		  const struct ethosu_operation *op)
{
	struct ethosu_port port = ethosu_port(machine->bus, ETHOSU_CHANNEL_WEIGHTS);
	const uint8_t *bytes = entry->bytes;

	for (uint32_t i = 0; i < ETHOSU_WEIGHT_STREAMS; i++) {
		const uint8_t *now;

		if (!op->weights[i].size)
			continue;
		now = ethosu_port_at(&port, op->weights[i].address, op->weights[i].size);
		if (!now || memcmp(now, bytes, op->weights[i].size))
			return false;
		bytes += op->weights[i].size;
	}
	return true;
}

static struct entry *cache_find(struct ethosu_machine *machine, const struct ethosu_operation *op,
				const struct shape *shape)
{
	struct ethosu_kernel_cache *cache = machine->kernels;

	for (struct entry **at = &cache->entries; *at; at = &(*at)->next) {
		struct entry *entry = *at;

		if (memcmp(&entry->shape, shape, sizeof(*shape)) || !holds(machine, entry, op))
			continue;
		*at = entry->next;
		entry->next = cache->entries;
		cache->entries = entry;
		return entry;
	}
	return NULL;
}

static uint32_t read_streams(struct ethosu_machine *machine, const struct ethosu_operation *op,
			     struct entry *entry)
{
	struct ethosu_port port = ethosu_port(machine->bus, ETHOSU_CHANNEL_WEIGHTS);
	uint8_t *to;

	for (uint32_t i = 0; i < ETHOSU_WEIGHT_STREAMS; i++) {
		if (op->weights[i].size > ETHOSU_KERNEL_STREAM_MAX - entry->size)
			return ETHOSU_PARSE;
		entry->size += op->weights[i].size;
	}
	entry->bytes = malloc(entry->size + 1);
	if (!entry->bytes)
		return ETHOSU_MEMORY;
	to = entry->bytes;
	for (uint32_t i = 0; i < ETHOSU_WEIGHT_STREAMS; i++) {
		if (!ethosu_port_read(&port, op->weights[i].address, to, op->weights[i].size))
			return ETHOSU_BUS(ETHOSU_CHANNEL_WEIGHTS);
		to += op->weights[i].size;
	}
	return 0;
}

/* FWD has one stream, in which blocks of what the decoders would read take turns. */
static void deal(const struct ethosu_config *config, const struct ethosu_operation *op,
		 const int16_t *values, uint64_t count, int16_t *to)
{
	uint32_t area = op->microblock_height * op->microblock_width, streams = config->streams;
	bool half = op->ifm.bytes == 2, sparse = op->sparse_weights;
	uint64_t micro = area ? config->macs / 8 / area : 0, ifm = 64, round = 1, block;
	uint64_t share = count / streams;

	if (op->part_kernel) {
		ifm = half && !sparse ? 8 : 16;
		round = half || sparse ? 10 : 5;
	} else if (config->macs <= 256 && micro == 16 && !sparse) {
		ifm = 32;
	} else if (sparse && !half) {
		ifm = 128;
	}
	block = micro * ifm * round / streams;
	for (uint64_t i = 0; block && i < count; i++) {
		uint64_t stream = i / block % streams, at = i / block / streams * block + i % block;

		if (at < share)
			to[stream * share + at] = values[i];
	}
}

/* Decode the streams into @values, one after the other. */
static uint32_t decode(const struct ethosu_config *config, const struct ethosu_operation *op,
		       const struct ethosu_ask *ask, const struct entry *entry, int16_t *values,
		       struct ethosu_stream_values *streams, uint64_t total)
{
	const uint8_t *bytes = entry->bytes;
	uint64_t at = 0;

	if (op->fast_weights && config->streams > 1) {
		int16_t *dealt = malloc(total * sizeof(*dealt) + 1);

		if (!dealt)
			return ETHOSU_MEMORY;
		if (ethosu_weights_decode(bytes, op->weights[0].size, true, dealt, total,
					  ask->go_on, ask->context) < total) {
			free(dealt);
			return ETHOSU_BUS(ETHOSU_CHANNEL_WEIGHTS);
		}
		deal(config, op, dealt, total, values);
		free(dealt);
	}
	for (uint32_t i = 0; i < config->streams; i++) {
		streams[i].values = values + at;
		if (!(op->fast_weights && config->streams > 1) &&
		    ethosu_weights_decode(bytes, op->weights[i].size, op->fast_weights, values + at,
					  streams[i].count, ask->go_on, ask->context) <
			    streams[i].count)
			return ETHOSU_BUS(ETHOSU_CHANNEL_WEIGHTS);
		bytes += op->weights[i].size;
		at += streams[i].count;
	}
	return 0;
}

static bool go_on(void *context)
{
	return ethosu_machine_go_on(context);
}

static uint32_t decode_entry(struct ethosu_machine *machine, const struct ethosu_operation *op,
			     struct entry *entry)
{
	const struct ethosu_config *config = machine->config;
	struct ethosu_stream_values streams[ETHOSU_WEIGHT_STREAMS] = { { 0 } };
	const struct ethosu_ask ask = { go_on, machine };
	uint64_t total = 0, area = (uint64_t)op->window.height * op->window.width;
	uint64_t depth = op->code == ETHOSU_OP_DEPTHWISE ? 1 : op->ifm.depth;
	uint32_t status = read_streams(machine, op, entry);
	int16_t *values;

	if (status)
		return status;
	if (area * depth > ETHOSU_KERNEL_WEIGHTS_MAX / op->ofm.depth)
		return ETHOSU_PARSE;
	entry->count = area * depth * op->ofm.depth;
	for (uint32_t i = 0; i < config->streams; i++) {
		streams[i].count =
			ethosu_order_length(config, op, i, ETHOSU_KERNEL_WEIGHTS_MAX - total, &ask);
		if (streams[i].count > ETHOSU_KERNEL_WEIGHTS_MAX - total)
			return ethosu_machine_stopped(machine) ? ETHOSU_STOPPED : ETHOSU_PARSE;
		total += streams[i].count;
	}
	values = malloc(total * sizeof(*values) + 1);
	entry->weights = calloc(entry->count, sizeof(*entry->weights));
	if (values && entry->weights)
		status = decode(config, op, &ask, entry, values, streams, total);
	else
		status = ETHOSU_MEMORY;
	if (!status)
		ethosu_order_place(config, op, streams, entry->weights, &ask);
	free(values);
	/* What was stopped may be incomplete. */
	return ethosu_machine_go_on(machine) ? status : ETHOSU_STOPPED;
}

uint32_t ethosu_kernel_get(struct ethosu_machine *machine, const struct ethosu_operation *op,
			   const int16_t **weights)
{
	struct shape shape = shape_of(op);
	struct entry *entry = cache_find(machine, op, &shape);
	uint32_t status;

	if (!entry) {
		entry = calloc(1, sizeof(*entry));
		if (!entry)
			return ETHOSU_MEMORY;
		entry->shape = shape;
		status = decode_entry(machine, op, entry);
		if (status) {
			entry_free(entry);
			return status;
		}
		cache_add(machine->kernels, entry);
	}
	*weights = entry->weights;
	return 0;
}

/* ---- packed weights -------------------------------------------------------------------------- */

/* Return: whether one zero point brings all weights into 8 bits. */
static bool find_zero_point(const struct entry *entry, int32_t *zero_point)
{
	int32_t least = 0, most = 0;

	for (uint64_t i = 0; i < entry->count; i++) {
		least = entry->weights[i] < least ? entry->weights[i] : least;
		most = entry->weights[i] > most ? entry->weights[i] : most;
	}
	if (most - least > 255)
		return false;
	*zero_point = least < -128 ? -128 - least : most > 127 ? 127 - most : 0;
	return true;
}

/* Where the weight of OFM channel @o at place @k of its sum is. */
static uint64_t packed_at(bool depthwise, uint64_t length, uint64_t o, uint64_t k)
{
	if (depthwise)
		return (o / 16 * length + k) * 16 + o % 16;
	return ((o / 16 * ((length + 3) / 4) + k / 4) * 16 + o % 16) * 4 + k % 4;
}

static bool pack(struct ethosu_machine *machine, struct entry *entry,
		 const struct ethosu_operation *op)
{
	bool depthwise = op->code == ETHOSU_OP_DEPTHWISE;
	uint64_t depth = op->ofm.depth, length = entry->count / depth;
	uint64_t size = (depth + 15) / 16 * 16 * (depthwise ? length : (length + 3) / 4 * 4);
	struct ethosu_packed *packed = &entry->packed;

	if (!find_zero_point(entry, &packed->zero_point))
		return false;
	packed->weights = calloc(size, 1);
	packed->sums = calloc(depth, sizeof(*packed->sums));
	if (!packed->weights || !packed->sums) {
		free(packed->weights);
		free(packed->sums);
		*packed = (struct ethosu_packed){ 0 };
		return false;
	}
	for (uint64_t o = 0; o < depth; o++) {
		for (uint64_t k = 0; k < length; k++) {
			int16_t weight = entry->weights[depthwise ? k * depth + o : o * length + k];
			int8_t stored = (int8_t)(weight + packed->zero_point);

			packed->weights[packed_at(depthwise, length, o, k)] = stored;
			packed->sums[o] += stored;
		}
		/* The operation asks again, and ends. */
		if (length > PACK_BETWEEN || o % (PACK_BETWEEN / length + 1) == 0)
			ethosu_machine_go_on(machine);
	}
	return true;
}

const struct ethosu_packed *ethosu_kernel_packed(struct ethosu_machine *machine,
						 const struct ethosu_operation *op)
{
	struct entry *entry = machine->kernels->entries;

	if (!entry->packed.weights && !entry->wide)
		entry->wide = !pack(machine, entry, op);
	return entry->wide ? NULL : &entry->packed;
}

/* ---- scale records --------------------------------------------------------------------------- */

static uint64_t little(const uint8_t *from, uint32_t bytes)
{
	uint64_t value = 0;

	for (uint32_t i = bytes; i-- > 0;)
		value = value << 8 | from[i];
	return value;
}

static int64_t extend(uint64_t value, uint32_t bits)
{
	return (int64_t)(value << (64 - bits)) >> (64 - bits);
}

static struct ethosu_channel_scale record_of(const uint8_t *from, bool u65, bool wide)
{
	if (u65)
		return (struct ethosu_channel_scale){ extend(little(from, 5), 40),
						      (uint32_t)little(from + 5, 4),
						      from[9] & 0x3f };
	if (wide)
		return (struct ethosu_channel_scale){ extend(little(from, 6), 48),
						      (uint32_t)little(from + 6, 2) & 0x7fff,
						      from[8] & 0x3f };
	return (struct ethosu_channel_scale){ (int32_t)little(from, 4),
					      (uint32_t)little(from + 4, 4) & 0x7fffffff,
					      from[8] & 0x3f };
}

/* The records of @core, which has every channel whose number is @core modulo @cores. */
static bool take_records(struct ethosu_machine *machine, const struct ethosu_operation *op,
			 uint32_t core, uint32_t cores, struct ethosu_channel_scale *scales)
{
	struct ethosu_port port = ethosu_port(machine->bus, ETHOSU_CHANNEL_SCALES);
	const struct ethosu_range *range = &op->scales[core];
	uint32_t count = (op->ofm.depth - core + cores - 1) / cores;
	uint64_t size = (uint64_t)count * RECORD;
	bool u65 = machine->config->generation == ETHOSU_U65;
	const uint8_t *from;

	if (size > range->size)
		return false;
	/* Where they do not lie in one piece, they are read one by one. */
	from = ethosu_port_at(&port, range->address, size);
	for (uint32_t i = 0; i < count; i++) {
		uint8_t record[RECORD];

		if (from)
			memcpy(record, from + (size_t)i * RECORD, RECORD);
		else if (!ethosu_port_read(&port, range->address + (uint64_t)i * RECORD, record,
					   RECORD))
			return false;
		scales[core + (size_t)i * cores] = record_of(record, u65, op->wide);
	}
	return true;
}

uint32_t ethosu_kernel_scales(struct ethosu_machine *machine, const struct ethosu_operation *op,
			      struct ethosu_channel_scale **scales)
{
	bool u65 = machine->config->generation == ETHOSU_U65;
	uint32_t cores = u65 ? machine->config->streams : 1;
	struct ethosu_channel_scale *to = malloc(op->ofm.depth * sizeof(*to));

	if (!to)
		return ETHOSU_MEMORY;
	for (uint32_t core = 0; core < cores && core < op->ofm.depth; core++) {
		if (!take_records(machine, op, core, cores, to)) {
			free(to);
			return ETHOSU_BUS(ETHOSU_CHANNEL_SCALES);
		}
	}
	*scales = to;
	return 0;
}
