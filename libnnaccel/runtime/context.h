/* SPDX-License-Identifier: MIT */
/*
 * Contexts: the queue and the memory that one run at a time needs.
 *
 * A variant owns its spare contexts (spare.h). An execution borrows one, so that executions that
 * live for one run create neither BOs nor queues.
 */
#ifndef NNA_RUNTIME_CONTEXT_H
#define NNA_RUNTIME_CONTEXT_H

#include "libnnaccel/backend/backend.h"
#include "libnnaccel/compiler/compile.h"
#include "libnnaccel/graph/graph.h"
#include "libnnaccel/winsys/winsys.h"

/* Offsets in @memory of a context, in bytes. */
#define NNA_CONTEXT_TABLE 0u
#define NNA_CONTEXT_REPORT (NNA_CONTEXT_TABLE + NNA_BACKEND_TABLE_SIZE)
#define NNA_CONTEXT_SCRATCH (NNA_CONTEXT_REPORT + NNA_BACKEND_REPORT_SIZE)

/**
 * struct nna_context - the queue and memory of one run
 * @next: the next spare context of the variant
 * @spare_since_ns: of a spare context: when it became spare, CLOCK_MONOTONIC
 * @queue: NULL after a run that failed, which may have banned the queue
 * @memory: base table, report and scratch memory
 * @staging: staging memory for inputs and outputs that are not direct, at the offsets that
 *	@places of the variant states; NULL until a run needs it
 */
struct nna_context {
	struct nna_context *next;
	uint64_t spare_since_ns;
	struct nna_winsys_queue *queue;
	struct nna_winsys_bo *memory;
	struct nna_winsys_bo *staging;
};

/* Where the device writes the report of a job. */
static inline void *nna_context_report(const struct nna_context *context)
{
	return (char *)context->memory->map + NNA_CONTEXT_REPORT;
}

/* Creates a context for @code. Return: 0 or a negative errno. */
int nna_context_create(struct nna_device *device, enum nna_priority priority,
		       const struct nna_code *code, struct nna_context **out);
void nna_context_destroy(struct nna_device *device, struct nna_context *context);

/*
 * Computes where each input and output of @code lies in staging memory: *places, which the caller
 * frees also after a failure, has an offset for each input and then each output; *size is the
 * memory that they need, in bytes. Return: 0 or -ENOMEM.
 */
int nna_context_place_io(const struct nna_code *code, uint64_t **places, uint64_t *size);

/*
 * Reads the report of the job that ran in @context. @code is the code that the job ran, from which
 * the origin of a failure is derived.
 */
void nna_context_read_report(const struct nna_device *device, const struct nna_context *context,
			     const struct nna_code *code, struct nna_report *out);
/* Logs the operation at which a job failed, and the device's reason. */
void nna_context_log_failure(const struct nna_device *device, const struct nna_graph *graph,
			     const struct nna_report *report);
/*
 * The result of the job that has ended and has @fence: 0 or a negative errno. It is in the report;
 * a job without a report (an in-fence failed, the job was lost) has it in its fence.
 */
int nna_context_job_error(struct nna_device *device, const struct nna_context *context,
			  struct nna_fence *fence);

#endif
