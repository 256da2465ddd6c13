// SPDX-License-Identifier: MIT
/* Arguments: binding inputs and outputs to the caller's memory and buffers. */
#include <errno.h>

#include "libnnaccel/runtime/binding.h"
#include "libnnaccel/runtime/device.h"
#include "libnnaccel/runtime/submit.h"
#include "libnnaccel/runtime/execution.h"

/* Binds input or output @index of an execution that does not run. */
static int bind(struct nna_execution *e, bool output, uint32_t index, uint32_t rank,
		const uint32_t *dims, void *data, struct nna_buffer *buffer, size_t offset,
		size_t size)
{
	const uint32_t count = output ? nna_program_output_count(e->program) :
					nna_program_input_count(e->program);

	if (index >= count) {
		nna_log_print(&e->program->device->log, NNA_LOG_ERROR,
			      "%s %u cannot be bound: the program has %u %ss, numbered from 0",
			      output ? "output" : "input", index, count,
			      output ? "output" : "input");
		return -EINVAL;
	}
	if (nna_execution_is_running(e))
		return -EBUSY;
	return nna_binding_set(e, output, index, rank, dims, data, buffer, offset, size);
}

/* The same with a buffer, which must not be NULL. */
static int bind_buffer(struct nna_execution *e, bool output, uint32_t index, uint32_t rank,
		       const uint32_t *dims, struct nna_buffer *buffer, size_t offset, size_t size)
{
	if (!buffer) {
		nna_log_print(&e->program->device->log, NNA_LOG_ERROR,
			      "%s %u cannot be bound: its buffer is NULL; create one with "
			      "nna_buffer_create(), or bind memory with nna_execution_set_%s()",
			      output ? "output" : "input", index, output ? "output" : "input");
		return -EINVAL;
	}
	return bind(e, output, index, rank, dims, NULL, buffer, offset, size);
}

int nna_execution_set_input(struct nna_execution *execution, uint32_t index, uint32_t rank,
			    const uint32_t *dims, const void *data, size_t size)
{
	return bind(execution, false, index, rank, dims, (void *)data, NULL, 0, size);
}

int nna_execution_set_input_buffer(struct nna_execution *execution, uint32_t index, uint32_t rank,
				   const uint32_t *dims, struct nna_buffer *buffer, size_t offset,
				   size_t size)
{
	return bind_buffer(execution, false, index, rank, dims, buffer, offset, size);
}

int nna_execution_set_output(struct nna_execution *execution, uint32_t index, uint32_t rank,
			     const uint32_t *dims, void *data, size_t size)
{
	return bind(execution, true, index, rank, dims, data, NULL, 0, size);
}

int nna_execution_set_output_buffer(struct nna_execution *execution, uint32_t index, uint32_t rank,
				    const uint32_t *dims, struct nna_buffer *buffer, size_t offset,
				    size_t size)
{
	return bind_buffer(execution, true, index, rank, dims, buffer, offset, size);
}

int nna_execution_get_input_route(const struct nna_execution *execution, uint32_t index)
{
	const uint32_t count = nna_program_input_count(execution->program);

	if (index >= count || !execution->inputs[index].bound) {
		nna_log_print(&execution->program->device->log, NNA_LOG_ERROR,
			      "input %u has no route: bind it first, as one of the program's %u "
			      "inputs",
			      index, count);
		return -EINVAL;
	}
	return execution->inputs[index].route;
}
