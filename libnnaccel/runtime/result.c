// SPDX-License-Identifier: MIT
/* Results: outputs that are copied, dimensions that depended on data, and times. */
#include <errno.h>
#include <string.h>

#include "libnnaccel/runtime/runtime.h"
#include "libnnaccel/support/sized.h"

/*
 * Takes the number of rows that the run has counted for output @i, and checks it against what the
 * model states and what is bound.
 */
static int count_rows(struct nna_execution *e, uint32_t i, size_t *size)
{
	const struct nna_subgraph *sub = &e->program->graph->subgraphs[0];
	const struct nna_shape *stated = &sub->operands[sub->outputs[i]].stated;
	const struct nna_code_io *io = &e->variant->code->outputs[i];
	struct nna_binding *b = &e->outputs[i];
	uint32_t rows, want = b->has_dims && b->rank ? b->dims[0] : 0;

	memcpy(&rows, (char *)e->context->memory->map + NNA_CONTEXT_SCRATCH + io->count,
	       sizeof(rows));
	if (rows > io->dims[0])
		return -EIO;
	if (!want && stated->rank)
		want = stated->dims[0];
	b->rows = rows;
	*size = io->size / io->dims[0] * rows;
	b->short_of = b->size < *size;
	if (want && want != rows) {
		nna_log_print(&e->program->device->log, NNA_LOG_ERROR,
			      "output %u has %u rows instead of %u", i, rows, want);
		return -EINVAL;
	}
	return b->short_of ? -ENOSPC : 0;
}

int nna_execution_take_outputs(struct nna_execution *e)
{
	const struct nna_code *code = e->variant->code;
	int ret = 0;

	for (uint32_t i = 0; i < code->output_count; i++) {
		size_t size = code->outputs[i].size;
		int error = code->outputs[i].counted ? count_rows(e, i, &size) : 0;

		if (error)
			ret = error;
		else if (e->outputs[i].route != NNA_ROUTE_DIRECT && size)
			memcpy((void *)nna_binding_data(&e->outputs[i]),
			       (char *)e->context->staging->map +
				       e->variant->places[code->input_count + i],
			       size);
	}
	return ret;
}

int nna_execution_get_output_dims(const struct nna_execution *execution, uint32_t index,
				  uint32_t *rank, uint32_t dims[NNACCEL_MAX_RANK])
{
	struct nna_execution *e = (struct nna_execution *)execution;
	const struct nna_code_io *io;

	if (index >= nna_program_output_count(e->program) || !(e->variant || e->results) ||
	    e->run != NNA_RUN_ENDED)
		return -EINVAL;
	io = e->results ? &e->results[index] : &e->variant->code->outputs[index];
	*rank = io->rank;
	memcpy(dims, io->dims, sizeof(io->dims));
	if (io->counted)
		dims[0] = e->outputs[index].rows;
	return e->outputs[index].short_of ? -ENOSPC : 0;
}

int nna_execution_get_timing_sized(const struct nna_execution *execution,
				   struct nna_timing *timing, size_t size)
{
	struct nna_execution *e = (struct nna_execution *)execution;
	struct nna_winsys *ws = e->program->device->ws;
	struct nna_timing own;
	int ret = 0;

	pthread_mutex_lock(&e->lock);
	if (e->run != NNA_RUN_ENDED) {
		ret = -EINVAL;
	} else {
		own = e->timing;
		/* Only now: to convert them may need a call to the kernel. */
		if (e->begin_tick) {
			own.begin = ws->ops->tick_to_ns(ws, e->begin_tick);
			own.end = ws->ops->tick_to_ns(ws, e->end_tick);
			own.span = own.end - own.begin;
		}
		nna_sized_write(timing, size, &own, sizeof(own));
	}
	pthread_mutex_unlock(&e->lock);
	return ret;
}
