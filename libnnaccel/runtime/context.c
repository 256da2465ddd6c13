// SPDX-License-Identifier: MIT
/* Contexts: queue and memory of one run at a time (context.h). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "libnnaccel/runtime/context.h"
#include "libnnaccel/runtime/device.h"

/* Bytes rounded up to the alignment of an address in the base table. */
static uint64_t align_up(uint64_t size)
{
	return (size + 63) & ~63ull;
}

void nna_context_destroy(struct nna_device *d, struct nna_context *c)
{
	if (!c)
		return;
	if (c->queue)
		d->ws->ops->queue_destroy(d->ws, c->queue);
	if (c->memory)
		nna_winsys_bo_destroy(d->ws, c->memory);
	if (c->staging)
		nna_winsys_bo_destroy(d->ws, c->staging);
	free(c);
}

int nna_context_create(struct nna_device *d, enum nna_priority priority,
		       const struct nna_code *code, struct nna_context **out)
{
	struct nna_context *c = calloc(1, sizeof(*c));
	int ret;

	if (!c)
		return -ENOMEM;
	ret = nna_winsys_bo_create(d->ws, NNA_CONTEXT_SCRATCH + align_up(code->scratch_size), 0,
				   &c->memory);
	if (!ret)
		ret = d->ws->ops->queue_create(d->ws, priority, &c->queue);
	if (ret) {
		nna_context_destroy(d, c);
		return ret;
	}
	*out = c;
	return 0;
}

/* Arguments in the shared slot have their offsets already; the others follow that slot. */
int nna_context_place_io(const struct nna_code *code, uint64_t **places, uint64_t *size)
{
	uint64_t at = code->shared_size;

	*places = calloc((size_t)code->input_count + code->output_count + 1, sizeof(**places));
	if (!*places)
		return -ENOMEM;
	for (uint32_t i = 0; i < code->input_count + code->output_count; i++) {
		const struct nna_code_io *io = i < code->input_count ?
						       &code->inputs[i] :
						       &code->outputs[i - code->input_count];

		if (io->shared) {
			(*places)[i] = io->offset;
			continue;
		}
		(*places)[i] = at;
		if (__builtin_add_overflow(at, align_up(io->size), &at))
			return -ENOMEM;
	}
	*size = at;
	return 0;
}

void nna_context_read_report(const struct nna_device *device, const struct nna_context *context,
			     const struct nna_code *code, struct nna_report *out)
{
	device->backend->read_report(nna_context_report(context), device->ws->tick_hz, code->stream,
				     code->stream_size, out);
}

int nna_context_job_error(struct nna_device *device, const struct nna_context *context,
			  struct nna_fence *fence)
{
	struct nna_report report;
	int ret;

	device->backend->read_report(nna_context_report(context), device->ws->tick_hz, NULL, 0,
				     &report);
	if (report.reported)
		return report.error;
	ret = device->ws->ops->fence_status(device->ws, fence);
	return ret ? ret : -EIO;
}

void nna_context_log_failure(const struct nna_device *device, const struct nna_graph *graph,
			     const struct nna_report *report)
{
	const struct nna_subgraph *sg = &graph->subgraphs[0];
	const char *name = NULL, *status = report->status_name;
	char place[64] = "before the first operation";

	if (report->origin >= 0) {
		if ((uint32_t)report->origin < sg->operation_count)
			name = nna_operation_name(sg->operations[report->origin].type);
		snprintf(place, sizeof(place), "%s (operation %d)", name ? name : "?",
			 report->origin);
	}
	nna_log_print(&device->log, NNA_LOG_ERROR,
		      "%s: the device says %s "
		      "(byte 0x%x of the stream, operand %d, address 0x%llx)",
		      place, status ? status : "?", report->place, report->operand,
		      (unsigned long long)report->fault_address);
}
