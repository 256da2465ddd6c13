// SPDX-License-Identifier: MIT
/*
 * Bindings: what inputs and outputs are bound to, and how they get to the device and back.
 *
 * The route of an argument is decided here, once (runtime.h says what follows from it): route_of().
 */
#include <errno.h>
#include <string.h>

#include "libnnaccel/runtime/runtime.h"

/*
 * The one place where a route is decided (runtime.h says who asks for it). All that counts is
 * known when an argument is bound: which slots there are depends on the number of arguments, not on
 * the variant. There is one exception, for which the variant's @io is looked at, too, when there is
 * one: an output whose rows are counted by the run needs room for as many as there could be, or
 * it is copied. Such a program runs synchronously, so nobody has asked before.
 */
static enum nna_route route_of(const struct nna_execution *e, bool output, uint32_t index,
			       const struct nna_binding *b, const struct nna_code_io *io)
{
	uint32_t position = output ? nna_program_input_count(e->program) + index : index;

	if (position >= e->program->own_slots)
		return NNA_ROUTE_STAGED;
	if (!b->buffer || b->va % 64 || (io && b->size < io->size))
		return NNA_ROUTE_COPIED;
	return NNA_ROUTE_DIRECT;
}

/* Checks what the caller binds, and replaces the binding. */
static int bind(struct nna_execution *e, bool output, uint32_t index, uint32_t rank,
		const uint32_t *dims, void *data, struct nna_buffer *buffer, size_t offset,
		size_t size)
{
	const struct nna_subgraph *sub = &e->program->graph->subgraphs[0];
	const struct nna_shape *shape;
	struct nna_binding b = {
		.bound = true,
		.data = data,
		.buffer = buffer,
		.offset = offset,
		.size = size,
		.has_dims = dims != NULL,
		.rank = rank,
	};
	struct nna_binding *place;

	if (index >= (output ? sub->output_count : sub->input_count))
		return -EINVAL;
	if (nna_execution_is_running(e))
		return -EBUSY;
	shape = &sub->operands[output ? sub->outputs[index] : sub->inputs[index]].shape;
	place = output ? &e->outputs[index] : &e->inputs[index];
	if (buffer && (offset > buffer->size || size > buffer->size - offset ||
		       buffer->device != e->program->device))
		return -EINVAL;
	if (dims) {
		if (rank > NNACCEL_MAX_RANK ||
		    (shape->rank_known && shape->rank && shape->rank != rank))
			return -EINVAL;
		for (uint32_t k = 0; k < rank; k++) {
			b.dims[k] = dims[k];
			if (shape->rank == rank && shape->dims[k] && dims[k] &&
			    shape->dims[k] != dims[k])
				return -EINVAL;
		}
	}
	if (buffer)
		b.va = buffer->bo->va + offset;
	b.omitted = !output && !data && !buffer && !size;
	if (!data && !buffer && size)
		return -EINVAL;
	/* Another address in the caller's own memory changes neither signature nor base table. */
	if (!place->bound || place->omitted != b.omitted || place->has_dims != b.has_dims ||
	    place->rank != b.rank || memcmp(place->dims, b.dims, sizeof(b.dims)) ||
	    place->size != b.size || place->buffer != buffer || place->va != b.va ||
	    !data != !place->data)
		e->dirty = true;
	b.route = route_of(e, output, index, &b, NULL);
	b.short_of = place->short_of;
	*place = b;
	return 0;
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
	return buffer ? bind(execution, false, index, rank, dims, NULL, buffer, offset, size) :
			-EINVAL;
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
	return buffer ? bind(execution, true, index, rank, dims, NULL, buffer, offset, size) :
			-EINVAL;
}

int nna_execution_get_input_route(const struct nna_execution *execution, uint32_t index)
{
	if (index >= nna_program_input_count(execution->program) || !execution->inputs[index].bound)
		return -EINVAL;
	return execution->inputs[index].route;
}

const void *nna_binding_data(const struct nna_binding *b)
{
	if (b->buffer)
		return (const char *)b->buffer->bo->map + b->offset;
	return b->data;
}

int nna_bindings_get_shapes(struct nna_execution *e, struct nna_shape *shapes, const void **data)
{
	const struct nna_subgraph *sub = &e->program->graph->subgraphs[0];
	const struct nna_log *log = &e->program->device->log;

	for (uint32_t i = 0; i < sub->input_count; i++) {
		const struct nna_binding *b = &e->inputs[i];
		struct nna_shape *s = &shapes[i];
		uint64_t bytes;

		*s = sub->operands[sub->inputs[i]].shape;
		data[i] = nna_binding_data(b);
		if (!b->bound) {
			nna_log_print(log, NNA_LOG_ERROR, "input %u is not bound", i);
			return -EINVAL;
		}
		if (b->omitted) {
			s->omitted = true;
			s->final = true;
			continue;
		}
		if (b->has_dims) {
			/* A dimension that the caller leaves open is as the model states it. */
			for (uint32_t k = 0; k < b->rank; k++)
				s->dims[k] = b->dims[k] ? b->dims[k] :
					     s->rank == b->rank ? s->dims[k] : 0;
			s->rank = b->rank;
			s->rank_known = true;
			s->final = true;
		}
		bytes = nna_operand_type_size(s->type);
		for (uint32_t k = 0; s->final && k < s->rank; k++)
			if (__builtin_mul_overflow(bytes, (uint64_t)s->dims[k], &bytes))
				return -EINVAL;
		if (!s->final) {
			nna_log_print(log, NNA_LOG_ERROR, "input %u has unknown dimensions", i);
			return -EINVAL;
		}
		if (bytes != b->size) {
			nna_log_print(log, NNA_LOG_ERROR,
				      "input %u has %zu bytes, its dimensions ask for %llu", i,
				      b->size, (unsigned long long)bytes);
			return -EINVAL;
		}
	}
	return 0;
}

int nna_bindings_check_outputs(struct nna_execution *e, const struct nna_code_io *wanted)
{
	const struct nna_log *log = &e->program->device->log;
	int ret = 0;

	for (uint32_t i = 0; i < nna_program_output_count(e->program); i++) {
		const struct nna_code_io *io = &wanted[i];
		struct nna_binding *b = &e->outputs[i];

		b->short_of = false;
		if (!b->bound) {
			nna_log_print(log, NNA_LOG_ERROR, "output %u is not bound", i);
			return -EINVAL;
		}
		for (uint32_t k = io->counted; b->has_dims && k < b->rank; k++) {
			if (b->rank != io->rank || (b->dims[k] && b->dims[k] != io->dims[k])) {
				nna_log_print(
					log, NNA_LOG_ERROR,
					"output %u is bound with other dimensions than it has", i);
				return -EINVAL;
			}
		}
		if (!io->counted && b->size < io->size) {
			b->short_of = true;
			ret = -ENOSPC;
		}
	}
	return ret;
}

bool nna_bindings_have_buffers(const struct nna_execution *e, bool read)
{
	bool all = !read || nna_execution_has_parameters(e);

	for (uint32_t i = 0; i < nna_program_input_count(e->program); i++)
		if (e->inputs[i].buffer && (all || e->inputs[i].route != NNA_ROUTE_DIRECT))
			return true;
	return false;
}

bool nna_bindings_outputs_are_direct(const struct nna_execution *e)
{
	for (uint32_t i = 0; i < nna_program_output_count(e->program); i++)
		if (e->outputs[i].route != NNA_ROUTE_DIRECT)
			return false;
	return true;
}

static int need_staging(struct nna_execution *e)
{
	struct nna_winsys *ws = e->program->device->ws;

	if (e->context->staging)
		return 0;
	return ws->ops->bo_create(ws, e->variant->staging_size ? e->variant->staging_size : 64, 0,
				  &e->context->staging);
}

/* Where a bound input or output lies for the device. */
static int place_binding(struct nna_execution *e, const struct nna_binding *b, uint64_t place,
			 uint64_t *va)
{
	int ret;

	if (b->route == NNA_ROUTE_DIRECT) {
		*va = b->va;
		return 0;
	}
	ret = need_staging(e);
	if (ret)
		return ret;
	*va = e->context->staging->va + place;
	return 0;
}

int nna_bindings_write_table(struct nna_execution *e)
{
	const struct nna_variant *v = e->variant;
	const struct nna_code *code = v->code;
	struct nna_context *c = e->context;
	struct nna_area areas[NNA_BACKEND_MAX_SLOTS] = { { 0 } };

	for (uint32_t i = 0; i < code->input_count + code->output_count; i++) {
		bool input = i < code->input_count;
		uint32_t k = input ? i : i - code->input_count;
		const struct nna_code_io *io = input ? &code->inputs[k] : &code->outputs[k];
		struct nna_binding *b = input ? &e->inputs[k] : &e->outputs[k];
		uint64_t va;
		int ret;

		b->route = route_of(e, !input, k, b, io);
		ret = place_binding(e, b, v->places[i], &va);
		if (ret)
			return ret;
		if (b->route != NNA_ROUTE_STAGED)
			areas[io->slot] = (struct nna_area){ va, io->size };
	}
	for (uint32_t i = 0; i < code->slot_count; i++) {
		const struct nna_slot *s = &code->slots[i];
		uint64_t va;

		switch (s->kind) {
		case NNA_SLOT_CONSTANTS:
			va = v->bo->va + code->constants;
			break;
		case NNA_SLOT_SCRATCH:
			va = c->memory->va + NNA_CONTEXT_SCRATCH;
			break;
		case NNA_SLOT_VARIABLES:
			va = s->size ? e->state->va : 0;
			break;
		case NNA_SLOT_STAGING:
			va = c->staging->va;
			break;
		default:
			continue;
		}
		areas[i] = (struct nna_area){ va, s->size };
	}
	e->program->device->backend->prepare_job((char *)c->memory->map + NNA_CONTEXT_TABLE, areas,
						 code->slot_count);
	return 0;
}

void nna_bindings_copy_inputs(struct nna_execution *e, uint32_t which)
{
	const struct nna_code *code = e->variant->code;

	for (uint32_t i = 0; i < code->input_count; i++) {
		const struct nna_binding *b = &e->inputs[i];

		if (which & (b->buffer ? NNA_INPUTS_BUFFERS : NNA_INPUTS_OWN) &&
		    b->route != NNA_ROUTE_DIRECT && code->inputs[i].used && code->inputs[i].size &&
		    !b->omitted)
			memcpy((char *)e->context->staging->map + e->variant->places[i],
			       nna_binding_data(b), code->inputs[i].size);
	}
}
