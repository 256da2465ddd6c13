// SPDX-License-Identifier: MIT
/* Preparation of a run: variant, context, state and base table (prepare.h). */
#include <errno.h>
#include <stdlib.h>

#include "libnnaccel/runtime/binding.h"
#include "libnnaccel/runtime/device.h"
#include "libnnaccel/runtime/submit.h"
#include "libnnaccel/runtime/prepare.h"
#include "libnnaccel/runtime/spare.h"
#include "libnnaccel/runtime/variant.h"

int nna_execution_begin(struct nna_execution *e)
{
	if (nna_execution_is_running(e))
		return -EBUSY;
	if (nna_execution_is_cancelled(e))
		return -ECANCELED;
	if (e->fence) {
		nna_fence_put(e->fence);
		e->fence = NULL;
	}
	e->run = NNA_RUN_IDLE;
	e->timing = (struct nna_timing){ 0 };
	e->begin_tick = 0;
	if (e->profile)
		e->program->device->backend->clear_profile(e->profile->map);
	free(e->results);
	e->results = NULL;
	for (uint32_t i = 0; i < e->program->graph->subgraphs[0].output_count; i++)
		e->outputs[i].rows = 0;
	return 0;
}

void nna_execution_drop_variant(struct nna_execution *e)
{
	if (!e->variant)
		return;
	nna_spares_put(e->program, e->variant, e->context);
	nna_variant_put(e->program, e->variant);
	e->context = NULL;
	e->variant = NULL;
}

/*
 * Creates memory for the state, if there is none. Every variant and every part of a graph has the
 * same variables at the same offsets, so all of them share it.
 */
static int need_state(struct nna_execution *e)
{
	struct nna_winsys *ws = e->program->device->ws;
	struct nna_execution *owner = e->parent ? e->parent : e;
	uint64_t size = e->variant->code->variables_size;
	int ret = 0;

	if (owner->state && owner->state->size < size) {
		nna_log_print(&e->program->device->log, NNA_LOG_ERROR,
			      "the state of the execution has %llu bytes, this variant of its "
			      "program needs %llu: create a new execution",
			      (unsigned long long)owner->state->size, (unsigned long long)size);
		return -EINVAL;
	}
	if (size && !owner->state)
		ret = nna_winsys_bo_create(ws, size, 0, &owner->state);
	e->state = owner->state;
	return ret;
}

static bool is_cancelled(void *user)
{
	return nna_execution_is_cancelled(user);
}

int nna_execution_choose_variant(struct nna_execution *e, bool readable, uint32_t *stop)
{
	const uint32_t count = e->program->graph->subgraphs[0].input_count;
	const struct nna_compile_limit limit = {
		.deadline_ns = e->deadline_ns,
		.is_cancelled = is_cancelled,
		.user = e,
	};
	struct nna_variant *variant;
	struct nna_shape *shapes;
	const void **data;
	int ret;

	if (!e->dirty && e->variant && !nna_execution_has_parameters(e))
		return 0;
	data = calloc((size_t)count + 1, sizeof(*data) + sizeof(*shapes));
	shapes = (struct nna_shape *)(data + count + 1);
	ret = data ? nna_bindings_get_shapes(e, shapes, data) : -ENOMEM;
	if (!ret)
		ret = nna_variant_get(e->program, shapes, readable ? data : NULL, &limit, stop,
				      &variant);
	free(data);
	if (ret) {
		if (ret == -EAGAIN)
			nna_execution_drop_variant(e);
		return ret;
	}
	if (variant == e->variant) {
		nna_variant_put(e->program, variant);
		return 0;
	}
	nna_execution_drop_variant(e);
	e->variant = variant;
	e->dirty = true;
	return 0;
}

int nna_execution_prepare(struct nna_execution *e, bool readable, uint32_t *stop)
{
	int ret = nna_execution_choose_variant(e, readable, stop);

	if (ret)
		return ret;
	if (!e->context) {
		ret = nna_spares_get(e->program, e->variant, &e->context);
		if (ret)
			return ret;
		e->dirty = true;
	}
	if (!e->dirty)
		return 0;
	ret = nna_bindings_check_outputs(e, e->variant->code->outputs);
	if (!ret)
		ret = need_state(e);
	if (!ret)
		ret = nna_bindings_write_table(e);
	e->dirty = ret != 0;
	return ret;
}
