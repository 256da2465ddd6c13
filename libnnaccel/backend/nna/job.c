// SPDX-License-Identifier: MIT
/*
 * A job's memory besides its stream: the base table that the NNA reads, and the report and profile
 * that it writes.
 */
#include <string.h>

#include "hw/gen/nnahw_decode.h"
#include "libnnaccel/backend/nna/nna.h"

/* A status that the device does not have: the report has not been written yet. */
#define NOT_REPORTED UINT32_MAX

_Static_assert(sizeof(struct nnahw_base) * NNAHW_MAX_SLOTS <= NNA_BACKEND_TABLE_SIZE &&
		       sizeof(struct nnahw_report) <= NNA_BACKEND_REPORT_SIZE,
	       "room for base table and report");

void nna_hw_prepare_job(void *table, const struct nna_area *areas, uint32_t count)
{
	struct nnahw_base *bases = table;

	for (uint32_t i = 0; i < count; i++)
		bases[i] = (struct nnahw_base){ areas[i].size ? areas[i].address : 0,
						areas[i].size };
}

void nna_hw_clear_report(void *report)
{
	struct nnahw_report *r = report;

	__atomic_store_n(&r->status, NOT_REPORTED, __ATOMIC_RELEASE);
}

/* Converts ticks of a clock of @hz to ns. Saturates, because the device is not trusted. */
static uint64_t ticks_to_ns(uint64_t ticks, uint64_t hz)
{
	unsigned __int128 ns = (unsigned __int128)ticks * 1000000000u / hz;

	return ns > UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

void nna_hw_read_report(const void *report, uint64_t tick_hz, const void *stream, size_t size,
			struct nna_report *out)
{
	const struct nnahw_report *r = report;
	/* The status is read first: the device writes it last. */
	uint32_t status = __atomic_load_n(&r->status, __ATOMIC_ACQUIRE);
	struct nnahw_command head;
	bool ban;

	*out = (struct nna_report){
		.reported = status != NOT_REPORTED,
		.yielded = status == NNAHW_STATUS_YIELDED,
		.error = nnahw_status_errno(status, &ban),
		.status_name = nnahw_status_name(status),
		.begin = r->begin,
		.end = r->end,
		.run_time = ticks_to_ns(r->run_time, tick_hz),
		.loop_time = ticks_to_ns(r->loop_time, tick_hz),
		.commands = r->commands,
		.resume = r->resume,
		.place = r->command,
		.origin = -1,
		.operand = (int32_t)r->operand,
		.fault_address = r->fault_address,
	};
	if (stream && size >= sizeof(head) && out->place >= sizeof(struct nnahw_stream_header) &&
	    out->place <= size - sizeof(head)) {
		memcpy(&head, (const char *)stream + out->place, sizeof(head));
		out->origin = (int32_t)head.origin;
	}
}

_Static_assert(NNA_PROFILE_WORKERS == NNAHW_PROFILE_WORKERS, "workers of a profile");
_Static_assert(NNAHW_MAX_STREAM_SIZE / NNAHW_COMMAND_ALIGN <
		       UINT32_MAX / sizeof(struct nnahw_profile_record), "bytes of a profile");

size_t nna_hw_profile_size(uint32_t commands)
{
	/* More commands than any stream has without loops. */
	if (commands > NNAHW_MAX_STREAM_SIZE / NNAHW_COMMAND_ALIGN)
		return 0;
	return sizeof(struct nnahw_profile_header) +
	       commands * sizeof(struct nnahw_profile_record);
}

void nna_hw_clear_profile(void *profile)
{
	memset(profile, 0, sizeof(struct nnahw_profile_header));
}

uint32_t nna_hw_count_profile(const void *profile, size_t size, uint32_t *dropped)
{
	struct nnahw_profile_header h;
	size_t room = (size - sizeof(h)) / sizeof(struct nnahw_profile_record);

	memcpy(&h, profile, sizeof(h));
	*dropped = h.dropped;
	return h.written < room ? h.written : (uint32_t)room;
}

void nna_hw_read_profile(const void *profile, uint64_t tick_hz, uint32_t index,
			 struct nna_profile_command *out)
{
	const struct nnahw_profile_header *header = profile;
	struct nnahw_profile_record r;

	memcpy(&r, (const struct nnahw_profile_record *)(header + 1) + index, sizeof(r));
	*out = (struct nna_profile_command){
		.place = r.command,
		.tiles = r.tiles,
		.begin = r.begin,
		.end = r.end,
		.run = ticks_to_ns(r.run_time, tick_hz),
	};
	for (uint32_t i = 0; i < NNA_PROFILE_WORKERS; i++)
		out->busy[i] = ticks_to_ns(r.busy[i], tick_hz);
}
