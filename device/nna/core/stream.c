// SPDX-License-Identifier: MIT
#include "device/nna/core/stream.h"

#include <string.h>

#include "hw/gen/nnahw_decode.h"

static bool is_zero(const uint8_t *p, uint32_t size)
{
	uint8_t any = 0;

	for (uint32_t i = 0; i < size; i++)
		any |= p[i];
	return !any;
}

static bool fetch(struct nnadev_exec *exec, struct nnadev_job *job, uint64_t va, void *to,
		  uint64_t size)
{
	return nnadev_mmu_read(&exec->mmu, job->space, va, to, size, &job->fault);
}

uint32_t nnadev_stream_open(struct nnadev_exec *exec, struct nnadev_job *job)
{
	const struct nnahw_ring_entry *e = &job->entry;
	struct nnahw_base slots[NNAHW_MAX_SLOTS];
	const uint32_t slots_size = e->slot_count * sizeof(slots[0]);
	struct nnahw_stream_header header;

	job->offset = 0;
	if (!fetch(exec, job, e->stream, &header, sizeof(header)))
		return job->fault.status;
	if (header.magic != NNAHW_STREAM_MAGIC || header.version != NNAHW_STREAM_ABI ||
	    header.layout != NNAHW_LAYOUT_ABI || header.size < sizeof(header) ||
	    header.size % NNAHW_COMMAND_ALIGN || header.size > e->stream_size ||
	    !is_zero((const uint8_t *)header.reserved, sizeof(header.reserved)))
		return NNAHW_STATUS_BAD_STREAM;
	if (e->start > header.size)
		return NNAHW_STATUS_BAD_STREAM;
	if (e->slot_count && !fetch(exec, job, e->base_table, slots, slots_size))
		return job->fault.status;
	if (job->slot_count != e->slot_count || memcmp(job->slots, slots, slots_size)) {
		job->slot_count = e->slot_count;
		memcpy(job->slots, slots, slots_size);
		job->slots_stamp++;
	}
	job->stream_end = header.size;
	job->offset = e->start ? e->start : sizeof(header);
	return NNAHW_STATUS_OK;
}

static uint32_t field_bytes(const struct nnahw_field_info *f)
{
	switch (f->kind) {
	case NNAHW_FIELD_U8:
		return f->count;
	case NNAHW_FIELD_U16:
		return f->count * 2u;
	case NNAHW_FIELD_U64:
		return f->count * 8u;
	default:
		return f->count * 4u;
	}
}

uint32_t nnadev_stream_fetch(struct nnadev_exec *exec, struct nnadev_job *job,
			     struct nnadev_instruction *at, uint32_t offset)
{
	const struct nnahw_command *head = (const struct nnahw_command *)at->bytes;
	const struct nnahw_command_info *info;
	uint64_t va = job->entry.stream + offset;

	at->command.operand_count = 0;
	/* @offset and the stream's end are multiples of 64, and @offset is less than the end. */
	if (!fetch(exec, job, va, at->bytes, NNAHW_COMMAND_ALIGN))
		return job->fault.status;
	info = nnahw_command_find(head->opcode);
	if (!info || head->size != info->size || head->flags || head->reserved)
		return NNAHW_STATUS_BAD_COMMAND;
	if (info->size > job->stream_end - offset)
		return NNAHW_STATUS_BAD_STREAM;
	if (info->size > at->room)
		return NNADEV_STREAM_LONG;
	if (info->size > NNAHW_COMMAND_ALIGN &&
	    !fetch(exec, job, va + NNAHW_COMMAND_ALIGN, at->bytes + NNAHW_COMMAND_ALIGN,
		   info->size - NNAHW_COMMAND_ALIGN))
		return job->fault.status;
	if (!is_zero(at->bytes + info->used, info->size - info->used))
		return NNAHW_STATUS_BAD_COMMAND;
	for (uint32_t i = 0; i < info->field_count; i++) {
		const struct nnahw_field_info *f = &info->fields[i];

		if (!f->name && !is_zero(at->bytes + f->offset, field_bytes(f)))
			return NNAHW_STATUS_BAD_COMMAND;
	}
	at->info = info;
	at->command.raw = head;
	for (uint32_t i = 0; i < info->operand_count; i++) {
		const struct nnahw_tensor *tensor =
			(const struct nnahw_tensor *)(at->bytes + sizeof(*head) +
						      i * sizeof(*tensor));
		const struct nnahw_operand_info *o = &info->operands[i];
		uint32_t status = nnadev_operand_check(tensor, o->types, o->optional, o->is_output,
						       job->slots, job->entry.slot_count,
						       &at->command.operands[i], &at->ranges[i]);

		at->command.operand_count = i + 1;
		if (status) {
			job->operand = i;
			return status;
		}
	}
	return NNAHW_STATUS_OK;
}
