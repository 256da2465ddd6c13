// SPDX-License-Identifier: MIT
/* Programs, their variants by signature, and the contexts that executions borrow. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/runtime/runtime.h"

#define MAX_VARIANTS 32u
#define MAX_SPARE_CONTEXTS 4u
/* Inputs of at most this many bytes may decide about shapes. */
#define MAX_PARAMETER 4096u

/* ------------------------------------------------------------------------------------- contexts */

static void context_destroy(struct nna_device *d, struct nna_context *c)
{
	if (!c)
		return;
	if (c->queue)
		d->ws->ops->queue_destroy(d->ws, c->queue);
	if (c->memory)
		d->ws->ops->bo_destroy(d->ws, c->memory);
	if (c->staging)
		d->ws->ops->bo_destroy(d->ws, c->staging);
	free(c);
}

static uint64_t align_up(uint64_t size)
{
	return (size + 63) & ~63ull;
}

static int context_create(struct nna_device *d, enum nna_priority priority,
			  const struct nna_code *code, struct nna_context **out)
{
	struct nna_context *c = calloc(1, sizeof(*c));
	int ret;

	if (!c)
		return -ENOMEM;
	ret = d->ws->ops->bo_create(d->ws, NNA_CONTEXT_SCRATCH + align_up(code->scratch_size), 0,
				    &c->memory);
	if (!ret)
		ret = d->ws->ops->queue_create(d->ws, priority, &c->queue);
	if (ret) {
		context_destroy(d, c);
		return ret;
	}
	*out = c;
	return 0;
}

int nna_context_get(struct nna_program *program, struct nna_variant *variant,
		    struct nna_context **out)
{
	struct nna_context *c;

	pthread_mutex_lock(&program->lock);
	c = variant->spare;
	if (c) {
		variant->spare = c->next;
		variant->spare_count--;
	}
	pthread_mutex_unlock(&program->lock);
	if (!c)
		return context_create(program->device, program->priority, variant->code, out);
	*out = c;
	return 0;
}

void nna_context_put(struct nna_program *program, struct nna_variant *variant,
		     struct nna_context *context)
{
	if (!context)
		return;
	if (context->queue) {
		pthread_mutex_lock(&program->lock);
		if (variant->spare_count < MAX_SPARE_CONTEXTS) {
			context->next = variant->spare;
			variant->spare = context;
			variant->spare_count++;
			context = NULL;
		}
		pthread_mutex_unlock(&program->lock);
	}
	context_destroy(program->device, context);
}

/* ------------------------------------------------------------------------------------- variants */

static void variant_destroy(struct nna_device *d, struct nna_variant *v)
{
	if (!v)
		return;
	while (v->spare) {
		struct nna_context *next = v->spare->next;

		context_destroy(d, v->spare);
		v->spare = next;
	}
	if (v->bo)
		d->ws->ops->bo_destroy(d->ws, v->bo);
	nna_code_destroy(v->code);
	free(v->places);
	free(v->key);
	free(v);
}

void nna_variant_put(struct nna_program *program, struct nna_variant *variant)
{
	if (variant && atomic_fetch_sub(&variant->references, 1) == 1)
		variant_destroy(program->device, variant);
}

/* Moves the image to a BO; what stays in this process is the stream, for people. */
static int upload(struct nna_device *d, struct nna_code *code, struct nna_winsys_bo **bo)
{
	uint8_t *kept;
	int ret = d->ws->ops->bo_create(d->ws, code->image_size, NNA_WINSYS_BO_DEVICE_READ_ONLY,
					bo);

	if (ret)
		return ret;
	memcpy((*bo)->map, code->image, code->image_size);
	kept = realloc(code->image, code->stream_size);
	if (kept)
		code->image = kept;
	return 0;
}

/* Where inputs and outputs lie when they are copied: those of the staging slot first. */
static int place_io(struct nna_variant *v)
{
	const struct nna_code *code = v->code;
	uint64_t at = code->staging_size;

	v->places = calloc((size_t)code->input_count + code->output_count + 1, sizeof(*v->places));
	if (!v->places)
		return -ENOMEM;
	for (uint32_t i = 0; i < code->input_count + code->output_count; i++) {
		const struct nna_code_io *io = i < code->input_count
						       ? &code->inputs[i]
						       : &code->outputs[i - code->input_count];

		if (io->staged) {
			v->places[i] = io->offset;
			continue;
		}
		v->places[i] = at;
		if (__builtin_add_overflow(at, align_up(io->size), &at))
			return -ENOMEM;
	}
	v->staging_size = at;
	return 0;
}

/* A job of its own for code without inputs. */
static int run_once(struct nna_device *d, enum nna_priority priority, const struct nna_code *code,
		    const struct nna_winsys_bo *image, void *const *outputs)
{
	struct nna_winsys *ws = d->ws;
	struct nna_context *c;
	struct nna_winsys_fence *fence;
	struct nnahw_base *table;
	struct nnahw_report *report;
	struct nna_winsys_job job;
	struct nna_variant v = { .code = (struct nna_code *)code };
	int ret = place_io(&v);

	if (ret)
		return ret;
	ret = context_create(d, priority, code, &c);
	if (!ret) {
		ret = ws->ops->bo_create(ws, v.staging_size ? v.staging_size : 64, 0, &c->staging);
		if (ret)
			context_destroy(d, c);
	}
	if (ret) {
		free(v.places);
		return ret;
	}
	table = (void *)((char *)c->memory->map + NNA_CONTEXT_TABLE);
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
		case NNA_SLOT_STAGING:
			at = c->staging->va;
			break;
		case NNA_SLOT_INPUT:
			at = c->staging->va + v.places[s->index];
			break;
		case NNA_SLOT_OUTPUT:
			at = c->staging->va + v.places[code->input_count + s->index];
			break;
		}
		table[i] = (struct nnahw_base){ s->size ? at : 0, s->size };
	}
	report = (void *)((char *)c->memory->map + NNA_CONTEXT_REPORT);
	job = (struct nna_winsys_job){
		.stream_va = image->va,
		.stream_size = code->stream_size,
		.base_table_va = c->memory->va + NNA_CONTEXT_TABLE,
		.slot_count = code->slot_count,
		.report_va = c->memory->va + NNA_CONTEXT_REPORT,
	};
	ret = ws->ops->queue_submit(ws, c->queue, &job, &fence);
	if (!ret) {
		ret = ws->ops->fence_wait(ws, fence, INT64_MAX);
		ws->ops->fence_destroy(ws, fence);
	}
	if (!ret)
		ret = nna_status_error(report->status);
	for (uint32_t i = 0; !ret && i < code->output_count; i++)
		memcpy(outputs[i], (char *)c->staging->map + v.places[code->input_count + i],
		       code->outputs[i].size);
	context_destroy(d, c);
	free(v.places);
	return ret;
}

int nna_program_run_once(struct nna_program *program, const struct nna_code *code,
			 void *const *outputs)
{
	struct nna_device *d = program->device;
	struct nna_winsys_bo *bo;
	int ret = d->ws->ops->bo_create(d->ws, code->image_size, NNA_WINSYS_BO_DEVICE_READ_ONLY,
					&bo);

	if (ret)
		return ret;
	memcpy(bo->map, code->image, code->image_size);
	ret = run_once(d, program->priority, code, bo, outputs);
	d->ws->ops->bo_destroy(d->ws, bo);
	return ret;
}

static int run_for_compiler(void *user, const struct nna_code *code, void *const *outputs)
{
	return nna_program_run_once(user, code, outputs);
}

static uint64_t shape_bytes(const struct nna_shape *shape)
{
	uint64_t bytes = nna_operand_type_size(shape->type);

	for (uint32_t k = 0; k < shape->rank; k++)
		if (__builtin_mul_overflow(bytes, (uint64_t)shape->dims[k], &bytes))
			return UINT64_MAX;
	return bytes;
}

/*
 * Signature: dims of all inputs, then the bytes of those that are parameters. NULL without memory.
 */
static uint8_t *make_key(const struct nna_program *p, const struct nna_shape *inputs,
			 const void *const *data, size_t *size)
{
	uint32_t count = p->graph->subgraphs[0].input_count;
	size_t bytes = 1;
	uint8_t *key, *at;

	for (uint32_t i = 0; i < count; i++) {
		bytes += 1 + sizeof(inputs[i].rank) + sizeof(inputs[i].dims);
		if (p->parameters[i] && data && data[i] && !inputs[i].omitted)
			bytes += shape_bytes(&inputs[i]);
	}
	key = calloc(1, bytes);
	if (!key)
		return NULL;
	at = key + 1;
	for (uint32_t i = 0; i < count; i++) {
		*at++ = inputs[i].omitted;
		if (inputs[i].omitted) {
			at += sizeof(inputs[i].rank) + sizeof(inputs[i].dims);
			continue;
		}
		memcpy(at, &inputs[i].rank, sizeof(inputs[i].rank));
		at += sizeof(inputs[i].rank);
		memcpy(at, inputs[i].dims, sizeof(inputs[i].dims[0]) * inputs[i].rank);
		at += sizeof(inputs[i].dims);
		if (p->parameters[i] && data && data[i]) {
			memcpy(at, data[i], shape_bytes(&inputs[i]));
			at += shape_bytes(&inputs[i]);
		}
	}
	*size = bytes;
	return key;
}

/* Under @lock: moves a hit to the front. */
static struct nna_variant *find_variant(struct nna_program *p, const uint8_t *key, size_t size)
{
	for (struct nna_variant **link = &p->variants; *link; link = &(*link)->next) {
		struct nna_variant *v = *link;

		if (v->key_size != size || memcmp(v->key, key, size))
			continue;
		*link = v->next;
		v->next = p->variants;
		p->variants = v;
		atomic_fetch_add(&v->references, 1);
		return v;
	}
	return NULL;
}

/* The list beyond @keep entries, unlinked, for the caller to put. */
static struct nna_variant *trim_variants(struct nna_program *p, uint32_t keep)
{
	struct nna_variant **link = &p->variants, *rest;

	for (uint32_t i = 0; i < keep && *link; i++)
		link = &(*link)->next;
	rest = *link;
	*link = NULL;
	if (p->variant_count > keep)
		p->variant_count = keep;
	return rest;
}

static void put_list(struct nna_program *p, struct nna_variant *v)
{
	while (v) {
		struct nna_variant *next = v->next;

		nna_variant_put(p, v);
		v = next;
	}
}

/*
 * Operation @stop needs a value: its small inputs from the caller become part of the signature.
 * False when there is no input that was not one before.
 */
static bool add_parameters(struct nna_program *p, uint32_t stop)
{
	const struct nna_subgraph *sub = &p->graph->subgraphs[0];
	const struct nna_operation *o;
	struct nna_variant *stale = NULL;
	bool added = false;

	if (stop == NNA_NONE)
		return false;
	o = &sub->operations[stop];
	pthread_mutex_lock(&p->lock);
	for (uint32_t i = 0; i < sub->input_count; i++) {
		enum nna_operand_type type = sub->operands[sub->inputs[i]].stated.type;

		if (p->parameters[i] || type == NNA_OPERAND_TENSOR_FLOAT32 ||
		    type == NNA_OPERAND_TENSOR_FLOAT16 || nna_operand_type_is_quantised(type))
			continue;
		for (uint32_t k = 0; k < o->input_count && !p->parameters[i]; k++)
			if (o->inputs[k] == sub->inputs[i])
				p->parameters[i] = added = true;
	}
	/* Keys have changed their meaning. */
	if (added) {
		atomic_store_explicit(&p->has_parameters, true, memory_order_relaxed);
		p->stated = NULL;
		stale = trim_variants(p, 0);
	}
	pthread_mutex_unlock(&p->lock);
	put_list(p, stale);
	return added;
}

static int compile_variant(struct nna_program *p, const struct nna_shape *inputs,
			   const void *const *data, uint64_t deadline_ns, const struct nna_log *log,
			   uint32_t *stop, struct nna_variant **out)
{
	const struct nna_subgraph *sub = &p->graph->subgraphs[0];
	struct nna_bound_value *values = calloc((size_t)sub->input_count + 1, sizeof(*values));
	struct nna_variant *v = calloc(1, sizeof(*v));
	struct nna_compile_options options = {
		.inputs = inputs,
		.values = values,
		.max_slots = p->device->info.max_slots,
		.deadline_ns = deadline_ns,
		.log = log,
		.run = run_for_compiler,
		.user = p,
	};
	int ret = -ENOMEM;

	if (!values || !v)
		goto out;
	for (uint32_t i = 0; data && i < sub->input_count; i++) {
		uint64_t bytes = shape_bytes(&inputs[i]);

		if (p->parameters[i] && data[i] && !inputs[i].omitted && bytes <= MAX_PARAMETER)
			values[options.value_count++] =
				(struct nna_bound_value){ sub->inputs[i], data[i], bytes };
	}
	atomic_init(&v->references, 1);
	ret = nna_compile(p->graph, &options, stop, &v->code);
	if (!ret)
		ret = place_io(v);
	if (!ret)
		ret = upload(p->device, v->code, &v->bo);
out:
	free(values);
	if (ret) {
		variant_destroy(p->device, v);
		return ret;
	}
	*out = v;
	return 0;
}

static int get_variant(struct nna_program *p, const struct nna_shape *inputs,
		       const void *const *data, uint64_t deadline_ns, struct nna_variant **out)
{
	struct nna_variant *v, *stale = NULL;
	uint32_t stop = NNA_NONE;
	size_t size;
	uint8_t *key;
	int ret;

	for (;;) {
		pthread_mutex_lock(&p->lock);
		key = make_key(p, inputs, data, &size);
		v = key ? find_variant(p, key, size) : NULL;
		pthread_mutex_unlock(&p->lock);
		if (v || !key)
			break;
		ret = compile_variant(p, inputs, data, deadline_ns, &p->device->log, &stop, &v);
		if (!ret)
			break;
		if (ret != -EAGAIN || !add_parameters(p, stop)) {
			v = ret == -EAGAIN && data ? calloc(1, sizeof(*v)) : NULL;
			if (v) {
				atomic_init(&v->references, 1);
				v->stop = stop;
				break;
			}
			free(key);
			return ret;
		}
		free(key);
	}
	if (!key)
		return -ENOMEM;
	if (v->key) {
		free(key);
		*out = v;
		return 0;
	}
	v->key = key;
	v->key_size = size;
	pthread_mutex_lock(&p->lock);
	v->next = p->variants;
	p->variants = v;
	p->variant_count++;
	atomic_fetch_add(&v->references, 1);
	stale = trim_variants(p, MAX_VARIANTS);
	for (struct nna_variant *s = stale; s; s = s->next)
		if (s == p->stated)
			p->stated = NULL;
	pthread_mutex_unlock(&p->lock);
	put_list(p, stale);
	*out = v;
	return 0;
}

int nna_program_get_variant(struct nna_program *program, const struct nna_shape *inputs,
			    const void *const *data, uint64_t deadline_ns, uint32_t *stop,
			    struct nna_variant **out)
{
	uint8_t *key;
	size_t size;
	int ret = 0;

	/* The usual case does not wait for another thread that compiles. */
	pthread_mutex_lock(&program->lock);
	key = make_key(program, inputs, data, &size);
	*out = key ? find_variant(program, key, size) : NULL;
	pthread_mutex_unlock(&program->lock);
	free(key);
	if (!key)
		return -ENOMEM;
	if (!*out) {
		pthread_mutex_lock(&program->compiling);
		ret = get_variant(program, inputs, data, deadline_ns, out);
		pthread_mutex_unlock(&program->compiling);
	}
	if (ret || (*out)->code)
		return ret;
	*stop = (*out)->stop;
	nna_variant_put(program, *out);
	return -EAGAIN;
}

/* -------------------------------------------------------------------------------------- program */

int nna_program_create(struct nna_device *device, struct nna_graph *graph,
		       const struct nna_program_options *options, struct nna_program **out)
{
	const struct nna_subgraph *sub;
	struct nna_shape *inputs;
	struct nna_program *p;
	bool complete = true;
	int ret = 0;

	if (!device || !graph || !graph->finished || graph->failed)
		return -EINVAL;
	sub = &graph->subgraphs[0];
	p = calloc(1, sizeof(*p));
	inputs = calloc((size_t)sub->input_count + 1, sizeof(*inputs));
	if (p)
		p->parameters = calloc((size_t)sub->input_count + 1, sizeof(*p->parameters));
	if (!p || !inputs || !p->parameters) {
		free(inputs);
		if (p)
			free(p->parameters);
		free(p);
		return -ENOMEM;
	}
	p->device = device;
	p->graph = nna_graph_ref(graph);
	p->priority = options ? options->priority : NNA_PRIORITY_MEDIUM;
	p->own_slots = nna_code_own_slots(sub->input_count + sub->output_count,
					  device->info.max_slots);
	pthread_mutex_init(&p->lock, NULL);
	pthread_mutex_init(&p->compiling, NULL);
	for (uint32_t i = 0; i < sub->input_count; i++) {
		inputs[i] = sub->operands[sub->inputs[i]].shape;
		complete &= inputs[i].final;
	}
	if (complete) {
		struct nna_variant *v;

		pthread_mutex_lock(&p->compiling);
		ret = get_variant(p, inputs, NULL, options ? options->deadline_ns : 0, &v);
		pthread_mutex_unlock(&p->compiling);
		if (!ret) {
			p->stated = v;
			nna_variant_put(p, v);
		} else if (ret == -EAGAIN) {
			/* Values of inputs decide: they come with the first execution. */
			ret = 0;
		}
	}
	free(inputs);
	if (ret) {
		nna_program_destroy(p);
		return ret;
	}
	*out = p;
	return 0;
}

void nna_program_destroy(struct nna_program *program)
{
	if (!program)
		return;
	put_list(program, trim_variants(program, 0));
	nna_parts_destroy(program->parts);
	nna_graph_unref(program->graph);
	pthread_mutex_destroy(&program->lock);
	pthread_mutex_destroy(&program->compiling);
	free(program->parameters);
	free(program);
}

uint32_t nna_program_input_count(const struct nna_program *program)
{
	return program->graph->subgraphs[0].input_count;
}

uint32_t nna_program_output_count(const struct nna_program *program)
{
	return program->graph->subgraphs[0].output_count;
}

static int io_info(const struct nna_shape *shape, struct nna_io_info *info)
{
	*info = (struct nna_io_info){
		.type = shape->type,
		.rank = shape->rank,
		.scale = shape->scale,
		.zero_point = shape->zero_point,
	};
	memcpy(info->dims, shape->dims, sizeof(info->dims));
	if (shape->final)
		info->size = shape_bytes(shape);
	return 0;
}

int nna_program_get_input(const struct nna_program *program, uint32_t index,
			  struct nna_io_info *info)
{
	const struct nna_subgraph *sub = &program->graph->subgraphs[0];

	if (index >= sub->input_count)
		return -EINVAL;
	return io_info(&sub->operands[sub->inputs[index]].shape, info);
}

int nna_program_get_output(const struct nna_program *program, uint32_t index,
			   struct nna_io_info *info)
{
	const struct nna_subgraph *sub = &program->graph->subgraphs[0];

	if (index >= sub->output_count)
		return -EINVAL;
	return io_info(&sub->operands[sub->outputs[index]].shape, info);
}

static int dump_parts(struct nna_program *p, FILE *to)
{
	struct nna_part *part;
	int ret = 0;

	pthread_mutex_lock(&p->lock);
	part = p->parts;
	pthread_mutex_unlock(&p->lock);
	fprintf(to, "runs in parts: shapes depend on data\n");
	for (; part && !ret; part = part->next) {
		fprintf(to, "subgraph %u, operations %u to %u in their order:\n", part->subgraph,
			part->from, part->to);
		ret = nna_program_dump(part->program, to);
	}
	return ret;
}

int nna_program_dump(const struct nna_program *program, FILE *to)
{
	struct nna_program *p = (struct nna_program *)program;
	struct nna_variant *v;
	int ret;

	/* The one for the stated shapes, or what ran last. */
	pthread_mutex_lock(&p->lock);
	v = p->stated ? p->stated : p->variants;
	if (v)
		atomic_fetch_add(&v->references, 1);
	pthread_mutex_unlock(&p->lock);
	if (!v) {
		fprintf(to, "not compiled yet: shapes become known when inputs are bound\n");
		return ferror(to) ? -EIO : 0;
	}
	ret = v->code ? nna_code_print(v->code, to) : dump_parts(p, to);
	nna_variant_put(p, v);
	return ret;
}
