// SPDX-License-Identifier: MIT
/* Bindings: routes, shapes, the base table, and the copies before and after a run (binding.h). */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "libnnaccel/runtime/binding.h"
#include "libnnaccel/runtime/buffer.h"
#include "libnnaccel/runtime/context.h"
#include "libnnaccel/runtime/device.h"
#include "libnnaccel/runtime/execution.h"
#include "libnnaccel/runtime/variant.h"

/* Whether a job can work on the caller's buffer itself. */
static bool can_be_direct(const struct nna_execution *e, const struct nna_binding *b)
{
	struct nna_winsys *ws = e->program->device->ws;

	if (!b->buffer)
		return false;
	if (ws->ops->bo_is_direct)
		return ws->ops->bo_is_direct(ws, b->buffer->bo, b->offset);
	return b->va % 64 == 0;
}

/*
 * Decides the route of input or output @index. It is known when an argument is bound, because slots
 * depend on the number of arguments and not on the variant. The exception is an output whose rows
 * the run counts: it is staged unless it has room for the largest number of rows, which @io of the
 * variant tells. Such a program runs synchronously, so no caller has asked for that route before.
 */
static enum nna_route route_of(const struct nna_execution *e, bool output, uint32_t index,
			       const struct nna_binding *b, const struct nna_code_io *io)
{
	uint32_t position = output ? nna_program_input_count(e->program) + index : index;

	if (position >= e->program->own_slots)
		return NNA_ROUTE_STAGED_SHARED;
	if (!can_be_direct(e, b) || (io && b->size < io->size))
		return NNA_ROUTE_STAGED_OWN;
	return NNA_ROUTE_DIRECT;
}

/* Logs what is wrong with input or output @index. Return: -EINVAL. */
__attribute__((format(printf, 4, 5))) static int refuse(const struct nna_execution *e, bool output,
							uint32_t index, const char *format, ...)
{
	const struct nna_subgraph *sub = &e->program->graph->subgraphs[0];
	const uint32_t operand = output ? sub->outputs[index] : sub->inputs[index];
	char reason[256];
	va_list args;

	va_start(args, format);
	vsnprintf(reason, sizeof(reason), format, args);
	va_end(args);
	nna_log_print(&e->program->device->log, NNA_LOG_ERROR, "%s %u (operand %u, %s): %s",
		      output ? "output" : "input", index, operand,
		      nna_operand_type_name(sub->operands[operand].shape.type), reason);
	return -EINVAL;
}

/* Compares dimensions that the caller gives with the graph's, where both are known. */
static int check_dims(const struct nna_execution *e, bool output, uint32_t index, uint32_t rank,
		      const uint32_t *dims)
{
	const struct nna_subgraph *sub = &e->program->graph->subgraphs[0];
	const struct nna_shape *shape =
		&sub->operands[output ? sub->outputs[index] : sub->inputs[index]].shape;

	if (rank > NNACCEL_MAX_RANK)
		return refuse(e, output, index,
			      "%u dimensions are given, a tensor has at most %u: give those of the "
			      "model", rank, NNACCEL_MAX_RANK);
	if (shape->rank_known && shape->rank && shape->rank != rank)
		return refuse(e, output, index,
			      "%u dimensions are given, the model states %u: give that many, or "
			      "NULL for the model's", rank, shape->rank);
	for (uint32_t k = 0; k < rank; k++)
		if (shape->rank == rank && shape->dims[k] && dims[k] && shape->dims[k] != dims[k])
			return refuse(e, output, index,
				      "dimension %u is given as %u, the model states %u: give "
				      "that, or 0", k, dims[k], shape->dims[k]);
	return 0;
}

int nna_binding_set(struct nna_execution *e, bool output, uint32_t index, uint32_t rank,
		    const uint32_t *dims, void *data, struct nna_buffer *buffer, size_t offset,
		    size_t size)
{
	struct nna_binding *place = output ? &e->outputs[index] : &e->inputs[index];
	struct nna_binding b = {
		.bound = true,
		.omitted = !output && !data && !buffer && !size,
		.data = data,
		.buffer = buffer,
		.offset = offset,
		.size = size,
		.has_dims = dims != NULL,
		.rank = rank,
		.va = buffer ? buffer->bo->va + offset : 0,
		.short_of = place->short_of,
	};

	if (buffer && buffer->device != e->program->device)
		return refuse(e, output, index,
			      "its buffer is another device's: create or import one for the "
			      "program's device");
	if (buffer && (offset > buffer->size || size > buffer->size - offset))
		return refuse(e, output, index,
			      "%zu bytes at offset %zu lie beyond the end of its buffer, which has "
			      "%zu bytes", size, offset, buffer->size);
	if (!data && !buffer && size)
		return refuse(e, output, index,
			      "its memory is NULL, but its size is %zu; an input is omitted with "
			      "a size of 0", size);
	if (dims) {
		int ret = check_dims(e, output, index, rank, dims);

		if (ret)
			return ret;
		memcpy(b.dims, dims, rank * sizeof(*dims));
	}
	/* Another address in the caller's own memory changes neither signature nor base table. */
	if (!place->bound || place->omitted != b.omitted || place->has_dims != b.has_dims ||
	    place->rank != b.rank || memcmp(place->dims, b.dims, sizeof(b.dims)) ||
	    place->size != b.size || place->buffer != buffer || place->va != b.va ||
	    !data != !place->data)
		e->dirty = true;
	b.route = route_of(e, output, index, &b, NULL);
	*place = b;
	return 0;
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

	for (uint32_t i = 0; i < sub->input_count; i++) {
		const struct nna_binding *b = &e->inputs[i];
		struct nna_shape *s = &shapes[i];
		uint64_t bytes;

		*s = sub->operands[sub->inputs[i]].shape;
		data[i] = nna_binding_data(b);
		if (!b->bound)
			return refuse(e, false, i,
				      "it is not bound: call nna_execution_set_input() or "
				      "nna_execution_set_input_buffer() before a run");
		if (b->omitted) {
			s->omitted = true;
			s->final = true;
			continue;
		}
		if (b->has_dims) {
			/* The model's dimension replaces one that the caller leaves open. */
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
				return refuse(e, false, i, "its dimensions exceed 2^64 bytes: "
					      "bind it with smaller ones");
		if (!s->final)
			return refuse(e, false, i, "the model leaves dimensions open: give all of "
				      "them when it is bound");
		if (bytes != b->size)
			return refuse(e, false, i, "%zu bytes are bound, its dimensions need %llu: "
				      "bind exactly those", b->size, (unsigned long long)bytes);
	}
	return 0;
}

int nna_bindings_check_outputs(struct nna_execution *e, const struct nna_code_io *wanted)
{
	int ret = 0;

	for (uint32_t i = 0; i < nna_program_output_count(e->program); i++) {
		const struct nna_code_io *io = &wanted[i];
		struct nna_binding *b = &e->outputs[i];

		b->short_of = false;
		if (!b->bound)
			return refuse(e, true, i,
				      "it is not bound: call nna_execution_set_output() or "
				      "nna_execution_set_output_buffer() before a run");
		for (uint32_t k = io->counted; b->has_dims && k < b->rank; k++) {
			if (b->rank != io->rank)
				return refuse(e, true, i, "it is bound with %u dimensions, a run "
					      "writes %u: bind that many, or NULL", b->rank,
					      io->rank);
			if (b->dims[k] && b->dims[k] != io->dims[k])
				return refuse(e, true, i, "its dimension %u is bound as %u, a run "
					      "writes %u: bind that, or 0", k, b->dims[k],
					      io->dims[k]);
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
	return nna_winsys_bo_create(ws, e->variant->staging_size ? e->variant->staging_size : 64, 0,
				    &e->context->staging);
}

/* Gives the device address of a bound input or output. */
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
		if (b->route != NNA_ROUTE_STAGED_SHARED)
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
		case NNA_SLOT_SHARED:
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

/*
 * Reads the number of rows that the run has counted for output @i, and checks it against the model
 * and the binding.
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
	if (want && want != rows)
		return refuse(e, true, i, "it has %u rows instead of %u, which the model states or "
			      "its binding gives: leave that dimension 0", rows, want);
	return b->short_of ? -ENOSPC : 0;
}

int nna_bindings_take_outputs(struct nna_execution *e)
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
