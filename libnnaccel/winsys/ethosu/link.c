// SPDX-License-Identifier: MIT
/*
 * Links: a stream of the compiler names areas {slot, offset}, a job of the NPU has a buffer for
 * each region. A link gives each buffer a region, adds to addresses where areas begin in their
 * buffer, and adds the marker.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/backend/ethosu/marker.h"
#include "libnnaccel/backend/ethosu/place.h"
#include "libnnaccel/backend/ethosu/table.h"
#include "libnnaccel/winsys/ethosu/device.h"
#include "libnnaccel/winsys/job.h"

_Static_assert(NNA_ETHOSU_REGIONS == NNA_ETHOSU_NODE_REGIONS, "streams and jobs have one number");

/* Of a stream; the oldest is given up for another one. */
#define MOST_LINKS 16u

/**
 * struct places - where the areas of a job are, and its report; without gaps
 */
struct places {
	uint64_t offsets[NNA_ETHOSU_REGIONS + 1];
	uint32_t regions[NNA_ETHOSU_REGIONS + 1];
	uint32_t count;
};

#define REPORT NNA_ETHOSU_REGIONS

/**
 * struct nna_ethosu_link - a stream for areas in given places
 * @offset, @size: of the stream in its BO
 * @stream: handle of the NPU
 * @used: bit set of regions
 */
struct nna_ethosu_link {
	struct nna_ethosu_link *next;
	uint64_t offset;
	uint32_t size;
	struct places places;
	uint32_t stream, used;
};

static void destroy(struct nna_ethosu_device *d, struct nna_ethosu_link *link)
{
	d->npu->ops->stream_destroy(d->npu, link->stream);
	free(link);
}

void nna_ethosu_links_destroy(struct nna_ethosu_device *d, struct nna_ethosu_bo *bo)
{
	while (bo->links) {
		struct nna_ethosu_link *next = bo->links->next;

		destroy(d, bo->links);
		bo->links = next;
	}
}

/* The region of a buffer, a new one if it has none. Return: -EINVAL for no buffer of the NPU. */
static int region_of(const struct nna_ethosu_device *d, uint64_t address, uint32_t *handles,
		     uint32_t *count, uint32_t *region, uint64_t *offset)
{
	const struct nna_ethosu_bo *bo = nna_ethosu_bo_find(d, address);

	if (!bo || !bo->buffer.handle)
		return -EINVAL;
	*offset = address - bo->base.va;
	for (*region = 0; *region < *count; ++*region)
		if (handles[*region] == bo->buffer.handle)
			return 0;
	if (*count == NNA_ETHOSU_REGIONS)
		return -EINVAL;
	handles[(*count)++] = bo->buffer.handle;
	return 0;
}

static int find_places(const struct nna_ethosu_device *d, const struct nna_job *what,
		       struct places *places, uint32_t *handles)
{
	const struct nna_ethosu_bo *bo = nna_ethosu_bo_find(d, what->base_table_va);
	struct nna_ethosu_table table;
	uint32_t count = 0;
	int ret = 0;

	memset(places, 0, sizeof(*places));
	if (!bo || what->slot_count > NNA_ETHOSU_REGIONS ||
	    bo->base.size - (what->base_table_va - bo->base.va) < sizeof(table))
		return -EINVAL;
	memcpy(&table, (const char *)bo->base.map + (what->base_table_va - bo->base.va),
	       sizeof(table));
	ret = region_of(d, what->report_va, handles, &count, &places->regions[REPORT],
			&places->offsets[REPORT]);
	for (uint32_t i = 0; i < what->slot_count && !ret; i++)
		if (table.areas[i].size)
			ret = region_of(d, table.areas[i].address, handles, &count,
					&places->regions[i], &places->offsets[i]);
	places->count = count;
	return ret;
}

static int make_stream(struct nna_ethosu_device *d, const void *bytes,
		       struct nna_ethosu_link *link)
{
	const uint64_t report = link->places.offsets[REPORT];
	struct nna_ethosu_place places[NNA_ETHOSU_REGIONS];
	char why[NNA_ETHOSU_ERROR_SIZE];
	struct nna_ethosu_stream stream;
	int ret;

	ret = nna_ethosu_payload_read(bytes, link->size, &stream, why);
	if (ret) {
		nna_log_print(&d->base.log, NNA_LOG_ERROR, "%s: %s", d->npu->name, why);
		return ret;
	}
	for (uint32_t i = 0; i < NNA_ETHOSU_REGIONS; i++)
		places[i] = (struct nna_ethosu_place){ link->places.regions[i],
						       link->places.offsets[i] };
	nna_ethosu_stream_place(&stream, places, &link->used);
	link->used |= 1u << link->places.regions[REPORT];
	ret = nna_ethosu_marker_append_one(&stream, link->places.regions[REPORT],
					   report + NNA_ETHOSU_REPORT_CONSTANT,
					   report + NNA_ETHOSU_REPORT_MARKER);
	if (!ret)
		ret = d->npu->ops->stream_create(d->npu, stream.words, stream.count,
						 &link->stream);
	if (ret == -EINVAL)
		nna_log_print(&d->base.log, NNA_LOG_ERROR,
			      "%s: the driver refuses the command stream (nnactl dump prints it)",
			      d->npu->name);
	nna_ethosu_stream_free(&stream);
	return ret;
}

static int get(struct nna_ethosu_device *d, struct nna_ethosu_bo *bo, uint64_t offset,
	       uint32_t size, const struct places *places, struct nna_ethosu_link **out)
{
	struct nna_ethosu_link **at, *link;
	uint32_t count = 0;
	int ret;

	for (at = &bo->links; *at; at = &(*at)->next, count++) {
		link = *at;
		if (link->offset != offset || link->size != size ||
		    memcmp(&link->places, places, sizeof(*places)))
			continue;
		*at = link->next;
		link->next = bo->links;
		bo->links = link;
		*out = link;
		return 0;
	}
	link = calloc(1, sizeof(*link));
	if (!link)
		return -ENOMEM;
	link->offset = offset;
	link->size = size;
	link->places = *places;
	ret = make_stream(d, (const char *)bo->base.map + offset, link);
	if (ret) {
		free(link);
		return ret;
	}
	if (count >= MOST_LINKS) {
		for (at = &bo->links; (*at)->next; at = &(*at)->next)
			;
		destroy(d, *at);
		*at = NULL;
	}
	link->next = bo->links;
	bo->links = link;
	*out = link;
	return 0;
}

int nna_ethosu_link_get(struct nna_ethosu_device *d, const struct nna_job *what,
			struct nna_ethosu_job *job, uint32_t *written)
{
	struct nna_ethosu_bo *bo = nna_ethosu_bo_find(d, what->stream_va);
	uint32_t handles[NNA_ETHOSU_REGIONS] = { 0 };
	struct nna_ethosu_link *link;
	struct places places;
	int ret;

	if (!bo || what->stream_size > bo->base.size - (what->stream_va - bo->base.va))
		return -EINVAL;
	ret = find_places(d, what, &places, handles);
	if (!ret)
		ret = get(d, bo, what->stream_va - bo->base.va, what->stream_size, &places, &link);
	if (ret)
		return ret;
	*job = (struct nna_ethosu_job){ .stream = link->stream };
	for (uint32_t i = 0; i < NNA_ETHOSU_REGIONS; i++)
		job->regions[i] = link->used >> i & 1 ? handles[i] : 0;
	*written = places.regions[REPORT];
	return 0;
}
