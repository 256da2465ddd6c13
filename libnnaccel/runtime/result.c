// SPDX-License-Identifier: MIT
/* Results of the last run: dimensions that depended on data, and times. */
#include <errno.h>
#include <string.h>

#include "libnnaccel/runtime/device.h"
#include "libnnaccel/runtime/execution.h"
#include "libnnaccel/runtime/variant.h"
#include "libnnaccel/support/sized.h"

int nna_execution_get_output_dims(const struct nna_execution *execution, uint32_t index,
				  uint32_t *rank, uint32_t dims[NNACCEL_MAX_RANK])
{
	struct nna_execution *e = (struct nna_execution *)execution;
	const struct nna_log *log = &e->program->device->log;
	const struct nna_code_io *io;

	if (index >= nna_program_output_count(e->program)) {
		nna_log_print(log, NNA_LOG_ERROR,
			      "output %u has no dimensions: the program has %u outputs, numbered "
			      "from 0", index, nna_program_output_count(e->program));
		return -EINVAL;
	}
	if (!(e->variant || e->results) || e->run != NNA_RUN_ENDED) {
		nna_log_print(log, NNA_LOG_ERROR,
			      "the dimensions of output %u are not known: no run has ended since "
			      "the execution was created or changed", index);
		return -EINVAL;
	}
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
		nna_log_print(&e->program->device->log, NNA_LOG_ERROR,
			      "there are no times: no run of this execution has ended");
		ret = -EINVAL;
	} else {
		own = e->timing;
		/* Converted only when asked for, because that may need a system call. */
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
