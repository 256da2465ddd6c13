// SPDX-License-Identifier: MIT
/*
 * Constant folding: while a variant is compiled, the device runs operations whose inputs are all
 * constant, because the library computes nothing. The compiler decides which ones and when
 * (libnnaccel/compiler/fold.h); this file runs one job of them.
 */
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/runtime/context.h"
#include "libnnaccel/runtime/device.h"
#include "libnnaccel/runtime/fold.h"
#include "libnnaccel/runtime/program.h"
#include "libnnaccel/winsys/job.h"

/* Waits for the job of @fence. If it has failed, the operation at fault is logged. */
static int wait_for_end(const struct nna_program *program, const struct nna_context *c,
			const struct nna_code *code, struct nna_fence *fence,
			struct nna_report *report)
{
	struct nna_device *d = program->device;
	int ret = d->ws->ops->fence_wait(d->ws, fence, INT64_MAX);

	if (ret)
		return ret;
	ret = nna_context_job_error(d, c, fence);
	nna_context_read_report(d, c, code, report);
	if (ret && report->reported)
		nna_context_log_failure(d, program->graph, report);
	return ret;
}

/* Submits a job, and others behind it that go on where it yields. Return: 0 or an error. */
static int run_to_end(const struct nna_program *program, const struct nna_context *c,
		      const struct nna_code *code, struct nna_job *job)
{
	struct nna_device *d = program->device;
	struct nna_winsys *ws = d->ws;
	struct nna_report report;
	struct nna_fence *fence;
	int ret;

	do {
		report = (struct nna_report){ 0 };
		d->backend->clear_report(nna_context_report(c));
		ret = ws->ops->queue_submit(ws, c->queue,
					    &(struct nna_winsys_job){ .job = job, .waited = true },
					    &fence);
		if (ret)
			break;
		ret = wait_for_end(program, c, code, fence, &report);
		nna_fence_put(fence);
		job->start = report.resume;
	} while (!ret && report.yielded);
	return ret;
}

static int run_job(const struct nna_program *program, const struct nna_code *code,
		   const struct nna_winsys_bo *image, void *const *outputs)
{
	struct nna_device *d = program->device;
	struct nna_winsys *ws = d->ws;
	struct nna_context *c;
	struct nna_area areas[NNA_BACKEND_MAX_SLOTS] = { { 0 } };
	struct nna_job job;
	uint64_t *places = NULL, staging_size;
	int ret = nna_context_place_io(code, &places, &staging_size);

	if (ret)
		goto out;
	ret = nna_context_create(d, program->priority, code, &c);
	if (!ret) {
		ret = nna_winsys_bo_create(ws, staging_size ? staging_size : 64, 0, &c->staging);
		if (ret)
			nna_context_destroy(d, c);
	}
	if (ret)
		goto out;
	for (uint32_t i = 0; i < code->slot_count; i++) {
		const struct nna_slot *s = &code->slots[i];
		uint64_t at = 0;

		switch (s->kind) {
		case NNA_SLOT_CONSTANTS:
			at = image->va + code->constants;
			break;
		case NNA_SLOT_SCRATCH:
			at = c->memory->va + NNA_CONTEXT_SCRATCH;
			break;
		case NNA_SLOT_VARIABLES:
			/* Operations on state are not folded. */
			break;
		case NNA_SLOT_SHARED:
			at = c->staging->va;
			break;
		case NNA_SLOT_INPUT:
			at = c->staging->va + places[s->index];
			break;
		case NNA_SLOT_OUTPUT:
			at = c->staging->va + places[code->input_count + s->index];
			break;
		}
		areas[i] = (struct nna_area){ at, s->size };
	}
	d->backend->prepare_job((char *)c->memory->map + NNA_CONTEXT_TABLE, areas,
				code->slot_count);
	job = (struct nna_job){
		.stream_va = image->va,
		.stream_size = code->stream_size,
		.base_table_va = c->memory->va + NNA_CONTEXT_TABLE,
		.slot_count = code->slot_count,
		.report_va = c->memory->va + NNA_CONTEXT_REPORT,
		.budget_ns = ws->slice_ns,
		.slice = ws->slice_ns,
	};
	ret = run_to_end(program, c, code, &job);
	for (uint32_t i = 0; !ret && i < code->output_count; i++)
		memcpy(outputs[i], (char *)c->staging->map + places[code->input_count + i],
		       code->outputs[i].size);
	nna_context_destroy(d, c);
out:
	free(places);
	return ret;
}

int nna_fold_run(struct nna_program *program, const struct nna_code *code, void *const *outputs)
{
	struct nna_device *d = program->device;
	struct nna_winsys_bo *bo;
	int ret = nna_winsys_bo_create(d->ws, code->image_size, NNA_WINSYS_BO_DEVICE_READ_ONLY,
				       &bo);

	if (ret)
		return ret;
	nna_code_write(code, bo->map);
	ret = run_job(program, code, bo, outputs);
	nna_winsys_bo_destroy(d->ws, bo);
	return ret;
}
