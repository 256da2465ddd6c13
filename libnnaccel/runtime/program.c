// SPDX-License-Identifier: MIT
/* Programs: a graph for a device. If it states all shapes it is compiled at once, else at a run. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/runtime/device.h"
#include "libnnaccel/runtime/program.h"
#include "libnnaccel/runtime/spare.h"
#include "libnnaccel/runtime/variant.h"
#include "libnnaccel/support/sized.h"

/* True, and logged, if an argument has a type that the library cannot represent. */
static bool takes_opaque(const struct nna_device *device, const struct nna_subgraph *sub)
{
	for (uint32_t i = 0; i < sub->input_count + sub->output_count; i++) {
		bool output = i >= sub->input_count;
		uint32_t k = output ? i - sub->input_count : i;

		if (sub->operands[output ? sub->outputs[k] : sub->inputs[k]].stated.type !=
		    NNA_OPERAND_OPAQUE)
			continue;
		nna_log_print(&device->log, NNA_LOG_ERROR,
			      "%s %u is larger than the library can represent, or of a vendor's "
			      "type",
			      output ? "output" : "input", k);
		return true;
	}
	return false;
}

/*
 * Return: 0 if the compiler supports all operations of the graph; else -ENOTSUP, which is logged.
 */
static int check_supported(const struct nna_device *device, const struct nna_graph *graph)
{
	const struct nna_subgraph *sub = &graph->subgraphs[0];
	bool *supported = calloc(sub->operation_count, sizeof(*supported));
	int ret = supported ? nna_graph_get_supported(graph, device, supported) : -ENOMEM;

	for (uint32_t i = 0; i < sub->operation_count && !ret; i++) {
		const char *name = nna_operation_name(sub->operations[i].type);

		if (supported[i])
			continue;
		nna_log_print(&device->log, NNA_LOG_ERROR, "operation %u: %s is not supported", i,
			      name ? name : "unknown");
		ret = -ENOTSUP;
	}
	free(supported);
	return ret;
}

struct nna_program *nna_program_begin(struct nna_device *device, struct nna_graph *graph,
				      const struct nna_program_options *options)
{
	const struct nna_subgraph *sub = &graph->subgraphs[0];
	struct nna_program *p = calloc(1, sizeof(*p));

	if (p)
		p->parameters = calloc((size_t)sub->input_count + 1, sizeof(*p->parameters));
	if (!p || !p->parameters) {
		free(p);
		return NULL;
	}
	p->device = device;
	p->graph = nna_graph_ref(graph);
	p->priority = options ? options->priority : NNA_PRIORITY_MEDIUM;
	p->preference = options ? options->preference : 0;
	p->own_slots = nna_code_own_slots(sub->input_count + sub->output_count,
					  device->info.max_slots);
	pthread_mutex_init(&p->lock, NULL);
	pthread_mutex_init(&p->compiling, NULL);
	nna_spares_add(p);
	return p;
}

struct nna_compile_limit nna_program_limit(const struct nna_program_options *options)
{
	if (!options)
		return (struct nna_compile_limit){ 0 };
	return (struct nna_compile_limit){
		.deadline_ns = options->deadline_ns,
		.is_cancelled = options->is_cancelled,
		.user = options->user,
	};
}

/* --------------------------------------------------------------------------------------- parts */

static void destroy_parts(struct nna_part *parts)
{
	while (parts) {
		struct nna_part *next = parts->next;

		nna_program_destroy(parts->program);
		nna_graph_unref(parts->graph);
		free(parts);
		parts = next;
	}
}

/* Return: an existing part, or NULL. A @to of 0 matches every end. */
static struct nna_part *find_part(struct nna_program *p, uint32_t subgraph, uint32_t from,
				  uint32_t to)
{
	struct nna_part *part;

	pthread_mutex_lock(&p->lock);
	for (part = p->parts; part; part = part->next)
		if (part->subgraph == subgraph && part->from == from && (!to || part->to == to))
			break;
	pthread_mutex_unlock(&p->lock);
	return part;
}

int nna_program_get_part(struct nna_program *p, uint32_t subgraph, uint32_t from, uint32_t to,
			 const struct nna_compile_limit *limit, struct nna_part **out)
{
	struct nna_program_options options = {
		.priority = p->priority,
		.preference = p->preference,
		.deadline_ns = limit ? limit->deadline_ns : 0,
		.is_cancelled = limit ? limit->is_cancelled : NULL,
		.user = limit ? limit->user : NULL,
	};
	struct nna_part *part = find_part(p, subgraph, from, to);
	int ret;

	*out = part;
	if (part)
		return 0;
	part = calloc(1, sizeof(*part));
	if (!part)
		return -ENOMEM;
	part->subgraph = subgraph;
	part->from = from;
	part->to = to ? to : p->graph->subgraphs[subgraph].operation_count;
	ret = nna_graph_create_part(p->graph, subgraph, from, part->to, &part->graph);
	if (!ret)
		ret = nna_program_create(p->device, part->graph, &options, &part->program);
	if (ret) {
		destroy_parts(part);
		return ret;
	}
	pthread_mutex_lock(&p->lock);
	part->next = p->parts;
	p->parts = part;
	pthread_mutex_unlock(&p->lock);
	*out = part;
	return 0;
}

uint32_t nna_program_position_of(const struct nna_subgraph *sg, uint32_t index)
{
	uint32_t position = 0;

	while (position < sg->operation_count && sg->order[position] != index)
		position++;
	return position;
}

/*
 * Compiles the part that runs begin with: the operations before @stop, whose shapes depend on no
 * data.
 */
static int prepare_parts(struct nna_program *program, uint32_t stop,
		      const struct nna_compile_limit *limit)
{
	uint32_t to = nna_program_position_of(&program->graph->subgraphs[0], stop);
	struct nna_part *part;

	return to ? nna_program_get_part(program, 0, 0, to, limit, &part) : 0;
}

/* ---------------------------------------------------------------------------------------- life */

static int create(struct nna_device *device, struct nna_graph *graph,
		  const struct nna_program_options *options, struct nna_program **out)
{
	const struct nna_compile_limit limit = nna_program_limit(options);
	const struct nna_subgraph *sub;
	struct nna_shape *inputs;
	struct nna_program *p;
	bool complete = true;
	int ret = 0;

	if (!device)
		return -EINVAL;
	if (!graph || !graph->finished || graph->failed) {
		nna_log_print(&device->log, NNA_LOG_ERROR, "the graph %s: %s",
			      !graph ? "is NULL" : graph->failed ? "failed to finish" :
						   "is not finished",
			      graph && !graph->failed ? "call nna_graph_finish() first" :
							"build another one");
		return -EINVAL;
	}
	sub = &graph->subgraphs[0];
	if (takes_opaque(device, sub))
		return -ENOTSUP;
	p = nna_program_begin(device, graph, options);
	inputs = calloc((size_t)sub->input_count + 1, sizeof(*inputs));
	if (!p || !inputs) {
		free(inputs);
		nna_program_destroy(p);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < sub->input_count; i++) {
		inputs[i] = sub->operands[sub->inputs[i]].shape;
		complete &= inputs[i].final;
	}
	if (complete) {
		struct nna_variant *v;

		pthread_mutex_lock(&p->compiling);
		ret = nna_variant_make(p, inputs, NULL, &limit, &v);
		pthread_mutex_unlock(&p->compiling);
		if (!ret && v->code) {
			p->stated = v;
			nna_variant_put(p, v);
		} else if (!ret) {
			ret = check_supported(device, graph);
			if (!ret && !graph->whole)
				ret = prepare_parts(p, v->stop, &limit);
			nna_variant_put(p, v);
		} else if (ret == -EAGAIN) {
			/* Values of inputs decide about shapes. They are known at the first run. */
			ret = check_supported(device, graph);
		}
	} else {
		ret = check_supported(device, graph);
	}
	free(inputs);
	if (ret) {
		nna_program_destroy(p);
		return ret;
	}
	*out = p;
	return 0;
}

int nna_program_create_sized(struct nna_device *device, struct nna_graph *graph,
			     const struct nna_program_options *options, size_t size,
			     struct nna_program **out)
{
	struct nna_program_options own;
	int ret = nna_sized_read(&own, sizeof(own), options, size);

	return ret ? ret : create(device, graph, options ? &own : NULL, out);
}

void nna_program_destroy(struct nna_program *program)
{
	if (!program)
		return;
	nna_spares_remove(program);
	nna_variant_put_list(program, nna_variant_trim(program, 0));
	destroy_parts(program->parts);
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

static int give_info(const struct nna_operand *operand, bool parameter, struct nna_io_info *info,
		     size_t size)
{
	const struct nna_shape *shape = &operand->shape;
	struct nna_io_info own = {
		.type = shape->type,
		.rank = shape->rank,
		.scale = shape->scale,
		.zero_point = shape->zero_point,
		.stated = operand->stated.final,
		.parameter = parameter,
	};
	memcpy(own.dims, shape->dims, sizeof(own.dims));
	if (shape->final)
		own.size = nna_shape_bytes_saturated(shape);
	nna_sized_write(info, size, &own, sizeof(own));
	return 0;
}

static int refuse_index(const struct nna_program *program, const char *what, uint32_t index,
			uint32_t count)
{
	nna_log_print(&program->device->log, NNA_LOG_ERROR,
		      "%s %u does not exist: the program has %u, numbered from 0", what, index,
		      count);
	return -EINVAL;
}

int nna_program_get_input_sized(const struct nna_program *program, uint32_t index,
				struct nna_io_info *info, size_t size)
{
	const struct nna_subgraph *sub = &program->graph->subgraphs[0];
	bool parameter = false;

	if (index >= sub->input_count)
		return refuse_index(program, "input", index, sub->input_count);
	if (atomic_load_explicit(&program->has_parameters, memory_order_relaxed)) {
		struct nna_program *p = (struct nna_program *)program;

		pthread_mutex_lock(&p->lock);
		parameter = p->parameters[index];
		pthread_mutex_unlock(&p->lock);
	}
	return give_info(&sub->operands[sub->inputs[index]], parameter, info, size);
}

int nna_program_get_output_sized(const struct nna_program *program, uint32_t index,
				 struct nna_io_info *info, size_t size)
{
	const struct nna_subgraph *sub = &program->graph->subgraphs[0];

	if (index >= sub->output_count)
		return refuse_index(program, "output", index, sub->output_count);
	return give_info(&sub->operands[sub->outputs[index]], false, info, size);
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

	/* The variant for the stated shapes, or the one that ran last. */
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
