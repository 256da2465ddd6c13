// SPDX-License-Identifier: MIT
/* Executions: life and settings. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/runtime/binding.h"
#include "libnnaccel/runtime/cancel.h"
#include "libnnaccel/runtime/device.h"
#include "libnnaccel/runtime/execution.h"
#include "libnnaccel/runtime/prepare.h"
#include "libnnaccel/runtime/submit.h"

#define DEFAULT_LOOP_LIMIT_NS 2000000000ull
#define MAX_LOOP_LIMIT_NS 15000000000ull

/* ----------------------------------------------------------------------------------------- life */

int nna_execution_create(struct nna_program *program, struct nna_execution **out)
{
	struct nna_execution *e;
	size_t bytes, inputs;

	if (!program)
		return -EINVAL;
	inputs = nna_program_input_count(program);
	if (__builtin_mul_overflow(inputs + nna_program_output_count(program),
				   sizeof(e->bindings[0]), &bytes) ||
	    __builtin_add_overflow(bytes, sizeof(*e), &bytes))
		return -ENOMEM;
	e = calloc(1, bytes);
	if (!e)
		return -ENOMEM;
	e->program = program;
	e->inputs = e->bindings;
	e->outputs = e->bindings + inputs;
	e->dirty = true;
	e->loop_limit_ns = DEFAULT_LOOP_LIMIT_NS;
	pthread_mutex_init(&e->lock, NULL);
	pthread_mutex_init(&e->queue_lock, NULL);
	*out = e;
	return 0;
}

/* Takes the end of a run that no thread has waited for. */
static void settle(struct nna_execution *e)
{
	struct nna_fence *fence = e->fence;

	if (!fence)
		return;
	nna_execution_stop_waiting(e);
	nna_fence_wait(fence, -1);
	e->fence = NULL;
	nna_fence_put(fence);
}

void nna_execution_destroy(struct nna_execution *execution)
{
	struct nna_winsys *ws;

	if (!execution)
		return;
	ws = execution->program->device->ws;
	settle(execution);
	nna_execution_drop_variant(execution);
	if (execution->state && !execution->parent)
		nna_winsys_bo_destroy(ws, execution->state);
	nna_winsys_bo_destroy(ws, execution->profile);
	free(execution->results);
	pthread_mutex_destroy(&execution->queue_lock);
	pthread_mutex_destroy(&execution->lock);
	free(execution);
}

/* ------------------------------------------------------------------------------------- settings */

int nna_execution_set_deadline(struct nna_execution *execution, uint64_t deadline_ns)
{
	if (nna_execution_is_running(execution))
		return -EBUSY;
	execution->deadline_ns = deadline_ns;
	return 0;
}

int nna_execution_set_duration(struct nna_execution *execution, uint64_t duration_ns)
{
	if (nna_execution_is_running(execution))
		return -EBUSY;
	execution->duration_ns = duration_ns;
	return 0;
}

int nna_execution_set_loop_limit(struct nna_execution *execution, uint64_t limit_ns)
{
	if (nna_execution_is_running(execution))
		return -EBUSY;
	execution->loop_limit_ns = limit_ns < MAX_LOOP_LIMIT_NS ? limit_ns : MAX_LOOP_LIMIT_NS;
	return 0;
}

int nna_execution_reset_state(struct nna_execution *execution)
{
	if (nna_execution_is_running(execution))
		return -EBUSY;
	if (execution->state)
		memset(execution->state->map, 0, execution->state->size);
	return 0;
}
