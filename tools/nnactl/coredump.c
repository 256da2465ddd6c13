// SPDX-License-Identifier: MIT
/*
 * nnactl dump --coredump: what the driver recorded when it found a job guilty or reset the device.
 * The file starts with a struct drm_nna_coredump, whose offsets are checked against its size.
 */
#include "tools/nnactl/nnactl.h"

#include <drm/nna_accel.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/backend/nna/commands.h"
#include "hw/gen/nnahw_decode.h"

#define COREDUMP_MAX ((size_t)16 << 20)

static bool inside(size_t size, uint64_t offset, uint64_t bytes)
{
	return offset <= size && bytes <= size - offset;
}

static const char *reason_name(uint32_t reason)
{
	switch (reason) {
	case DRM_NNA_COREDUMP_FAULT:
		return "a job was found guilty";
	case DRM_NNA_COREDUMP_HANG:
		return "the device did not end a job";
	case DRM_NNA_COREDUMP_RESET:
		return "the device made no sense and was reset";
	default:
		return "unknown";
	}
}

static const char *status_name(uint32_t status)
{
	const char *name = nnahw_status_name(status);

	return name ? name : "?";
}

static const char *fault_name(uint32_t kind)
{
	static const char *const names[] = {
		"none",
		"nothing is mapped there",
		"read-only",
		"malformed page table entry",
		"no memory at the bus address",
	};

	return kind < sizeof(names) / sizeof(names[0]) ? names[kind] : "?";
}

static void print_entry(const struct nnahw_ring_entry *e, const char *indent)
{
	printf("%stype %u, seqno %u, asid %u, flags %#x\n", indent, e->type, e->seqno, e->asid,
	       e->flags);
	printf("%sroot %#" PRIx64 ", stream %#" PRIx64 " + %#x (start %#x), base table %#" PRIx64
	       " (%u slots), report %#" PRIx64 "\n",
	       indent, e->root, e->stream, e->stream_size, e->start, e->base_table, e->slot_count,
	       e->report);
	printf("%sdeadline %" PRIu64 ", budget %" PRIu64 ", loop limit %" PRIu64
	       ", profile %#" PRIx64 " + %#" PRIx64 "\n",
	       indent, e->deadline, e->budget, e->loop_limit, e->profile, e->profile_size);
}

/* Whether the job ended before its first command: it had only come to the header of the stream. */
static bool is_at_header(const struct drm_nna_coredump *d)
{
	return d->command < sizeof(struct nnahw_stream_header);
}

/* Whether the dump has the command that the job had come to. */
static bool has_command(const struct drm_nna_coredump *d, size_t size)
{
	return d->command != UINT32_MAX && !is_at_header(d) && d->command_size &&
	       inside(size, d->command_offset, d->command_size);
}

static void print_job(const struct drm_nna_coredump *d, const uint8_t *data, size_t size)
{
	struct nnahw_ring_entry entry;
	struct nnahw_report report;

	memcpy(&entry, d->entry, sizeof(entry));
	memcpy(&report, d->report, sizeof(report));
	printf("job              ring %u, of process %u (%.*s)\n", d->ring, d->pid,
	       (int)sizeof(d->comm), (const char *)d->comm);
	if (d->status)
		printf("status           %u %s, detail %#" PRIx64 "\n", d->status,
		       status_name(d->status), (uint64_t)d->detail);
	else
		printf("status           none: it did not end\n");
	print_entry(&entry, "  ");
	if (d->report_valid) {
		printf("report           status %u %s, command at %#x, operand %d, %u commands, "
		       "ran %" PRIu64 " ticks\n",
		       report.status, status_name(report.status), report.command,
		       (int)report.operand, report.commands, report.run_time);
		if (report.fault)
			printf("fault            %s, address %#" PRIx64 "\n",
			       fault_name(report.fault), report.fault_address);
	}
	if (is_at_header(d)) {
		printf("last command     none: the job ended before its first command\n");
		return;
	}
	if (!has_command(d, size)) {
		printf("last command     unknown\n");
		return;
	}
	printf("last command\n");
	if (nna_command_print(stdout, data + d->command_offset, d->command_size, d->command, NULL,
			      0) < 0) {
		for (uint32_t i = 0; i < d->command_size && i < 64; i++)
			printf("%s%02x", i % 16 ? " " : "    ", data[d->command_offset + i]);
		printf("\n");
	}
}

static void print_ring(const struct drm_nna_coredump_ring *r, uint32_t index, const uint8_t *data,
		       size_t size)
{
	printf("ring %u           %s, size %u, tail %u, done %u, next seqno %u, %" PRIu64
	       " completions\n",
	       index, r->running ? "running" : "stopped", r->size, r->tail, r->done, r->seqno,
	       (uint64_t)r->completions);
	printf("  registers      control %#x, status %#x, head %u, done %u, doorbell %u, "
	       "run time %u\n",
	       r->reg_control, r->reg_status, r->reg_head, r->reg_done, r->reg_doorbell,
	       r->reg_run_time);
	for (uint32_t i = 0; i < r->entry_count; i++) {
		struct nnahw_ring_entry entry;
		uint64_t offset = r->entries_offset + (uint64_t)i * sizeof(entry);

		if (!inside(size, offset, sizeof(entry))) {
			printf("  entries beyond the end of the dump\n");
			return;
		}
		memcpy(&entry, data + offset, sizeof(entry));
		printf("  entry %u\n", r->done + i);
		print_entry(&entry, "    ");
	}
}

static json_t *entry_json(const struct nnahw_ring_entry *e)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}",
			 "type", (json_int_t)e->type, "seqno", (json_int_t)e->seqno, "asid",
			 (json_int_t)e->asid, "flags", (json_int_t)e->flags, "root",
			 (json_int_t)e->root, "stream", (json_int_t)e->stream, "stream_size",
			 (json_int_t)e->stream_size, "base_table", (json_int_t)e->base_table,
			 "deadline", (json_int_t)e->deadline, "budget", (json_int_t)e->budget,
			 "loop_limit", (json_int_t)e->loop_limit, "profile",
			 (json_int_t)e->profile, "profile_size", (json_int_t)e->profile_size);
}

/* That command: its offset in the stream, and its text as it is printed. */
static json_t *command_json(const struct drm_nna_coredump *d, const uint8_t *data)
{
	char *text = NULL;
	json_t *command;
	size_t length;
	FILE *to = open_memstream(&text, &length);

	if (!to)
		return json_null();
	nna_command_print(to, data + d->command_offset, d->command_size, d->command, NULL, 0);
	fclose(to);
	command = json_pack("{s:I, s:o?}", "offset", (json_int_t)d->command, "text",
			    nnactl_json_text(text ? text : ""));
	free(text);
	return command;
}

static json_t *job_json(const struct drm_nna_coredump *d, const uint8_t *data, size_t size)
{
	struct nnahw_ring_entry entry;
	struct nnahw_report report;
	char comm[sizeof(d->comm) + 1];
	json_t *job;

	memcpy(&entry, d->entry, sizeof(entry));
	memcpy(&report, d->report, sizeof(report));
	snprintf(comm, sizeof(comm), "%.*s", (int)sizeof(d->comm), (const char *)d->comm);
	job = json_pack("{s:I, s:I, s:o?, s:I, s:s, s:I, s:o?}", "ring", (json_int_t)d->ring, "pid",
			(json_int_t)d->pid, "process", nnactl_json_text(comm), "status",
			(json_int_t)d->status, "status_name",
			d->status ? status_name(d->status) : "none", "detail",
			(json_int_t)d->detail, "entry", entry_json(&entry));
	if (d->report_valid)
		json_object_set_new(job, "report", json_pack(
			"{s:I, s:I, s:I, s:I, s:I, s:s, s:I}", "status", (json_int_t)report.status,
			"command", (json_int_t)report.command, "operand",
			(json_int_t)(int)report.operand, "commands", (json_int_t)report.commands,
			"run_time", (json_int_t)report.run_time, "fault", fault_name(report.fault),
			"fault_address", (json_int_t)report.fault_address));
	if (has_command(d, size))
		json_object_set_new(job, "command", command_json(d, data));
	return job;
}

static json_t *ring_json(const struct drm_nna_coredump_ring *r, const uint8_t *data, size_t size)
{
	json_t *entries = json_array();

	for (uint32_t i = 0; i < r->entry_count; i++) {
		struct nnahw_ring_entry entry;
		uint64_t offset = r->entries_offset + (uint64_t)i * sizeof(entry);

		if (!inside(size, offset, sizeof(entry)))
			break;
		memcpy(&entry, data + offset, sizeof(entry));
		json_array_append_new(entries, entry_json(&entry));
	}
	return json_pack("{s:b, s:I, s:I, s:I, s:I, s:I, s:o}", "running", (int)r->running, "size",
			 (json_int_t)r->size, "tail", (json_int_t)r->tail, "done",
			 (json_int_t)r->done, "seqno", (json_int_t)r->seqno, "completions",
			 (json_int_t)r->completions, "entries", entries);
}

static int print_json(const struct drm_nna_coredump *d, const uint8_t *data, size_t size)
{
	json_t *rings = json_array(), *all;

	for (uint32_t i = 0; i < d->ring_count; i++) {
		struct drm_nna_coredump_ring ring;

		memcpy(&ring, data + d->rings_offset + (size_t)i * d->ring_stride, sizeof(ring));
		json_array_append_new(rings, ring_json(&ring, data, size));
	}
	all = json_pack("{s:s, s:f, s:I, s:I, s:[I, I], s:I, s:o}", "reason",
			reason_name(d->reason), "seconds", (double)d->monotonic_ns / 1e9, "tick",
			(json_int_t)d->tick, "resets", (json_int_t)d->resets, "abi",
			(json_int_t)(d->abi >> 16), (json_int_t)(d->abi & 0xffff), "device_status",
			(json_int_t)d->device_status, "rings", rings);
	if (all && d->ring != DRM_NNA_COREDUMP_NO_JOB)
		json_object_set_new(all, "job", job_json(d, data, size));
	return nnactl_json_print(all);
}

int nnactl_coredump_print(const char *path)
{
	struct drm_nna_coredump d;
	struct drm_nna_coredump_ring ring;
	uint8_t *data;
	size_t size;
	int ret = 0;

	data = (uint8_t *)nnactl_file_read(path, COREDUMP_MAX, &size);
	if (!data)
		return 1;
	if (size < sizeof(d) || memcmp(data, DRM_NNA_COREDUMP_MAGIC, sizeof(d.magic))) {
		ret = nnactl_error("%s: not a core dump of an NNA", path);
		goto out;
	}
	memcpy(&d, data, sizeof(d));
	if (d.version != DRM_NNA_COREDUMP_VERSION) {
		ret = nnactl_error("%s: version %u, this nnactl knows %u", path, d.version,
				   DRM_NNA_COREDUMP_VERSION);
		goto out;
	}
	if (d.size > size || d.ring_stride < sizeof(ring) ||
	    !inside(size, d.rings_offset, (uint64_t)d.ring_count * d.ring_stride)) {
		ret = nnactl_error("%s: cut short, or damaged", path);
		goto out;
	}
	if (nnactl_json()) {
		ret = print_json(&d, data, size);
		goto out;
	}
	printf("core dump        %s\n", reason_name(d.reason));
	printf("made at          %.6f s, tick %" PRIu64 ", after %u resets\n",
	       (double)d.monotonic_ns / 1e9, (uint64_t)d.tick, d.resets);
	printf("device           ABI %u.%u, status %#x\n", d.abi >> 16, d.abi & 0xffff,
	       d.device_status);
	if (d.ring != DRM_NNA_COREDUMP_NO_JOB)
		print_job(&d, data, size);
	for (uint32_t i = 0; i < d.ring_count; i++) {
		memcpy(&ring, data + d.rings_offset + (size_t)i * d.ring_stride, sizeof(ring));
		print_ring(&ring, i, data, size);
	}
out:
	free(data);
	return ret;
}
