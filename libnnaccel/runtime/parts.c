// SPDX-License-Identifier: MIT
/*
 * Runs in parts: the operations of a subgraph in their order, IF and WHILE with the subgraphs that
 * they run, and the main subgraph with the caller's bindings (parts.h).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/runtime/execution.h"
#include "libnnaccel/runtime/parts.h"
#include "libnnaccel/runtime/program.h"
#include "libnnaccel/support/clock.h"

static int run_frame(struct nna_parts *run, struct nna_parts_frame *f, uint32_t stop);

/* --------------------------------------------------------------------------------- control flow */

/*
 * Inputs of the operations, by number; *_INPUTS is the first input that is passed to the subgraphs.
 */
enum { IF_CONDITION, IF_THEN, IF_ELSE, IF_INPUTS };
enum { WHILE_CONDITION, WHILE_BODY, WHILE_INPUTS };

/*
 * Runs the subgraph that input @which of the operation refers to. @outputs receives references.
 */
static int run_subgraph(struct nna_parts *run, struct nna_parts_frame *outer,
			const struct nna_operation *operation, uint32_t which,
			struct nna_parts_tensor *const *inputs, struct nna_parts_tensor **outputs)
{
	struct nna_parts_frame f;
	int ret = nna_parts_frame_begin(
		run, &f, outer->subgraph->operands[operation->inputs[which]].subgraph);

	for (uint32_t i = 0; !ret && i < f.subgraph->input_count; i++)
		ret = nna_parts_frame_set(run, &f, f.subgraph->inputs[i],
					  nna_parts_tensor_ref(inputs[i]));
	if (!ret)
		ret = run_frame(run, &f, NNA_NONE);
	for (uint32_t i = 0; !ret && i < f.subgraph->output_count; i++)
		outputs[i] = nna_parts_tensor_ref(f.tensors[f.subgraph->outputs[i]]);
	nna_parts_frame_end(run, &f);
	return ret;
}

/* Reads the one byte of the condition of IF or WHILE. */
static int decide(struct nna_parts *run, const struct nna_parts_tensor *condition, bool *truth)
{
	if (condition->omitted || condition->size != 1) {
		nna_log_print(nna_parts_log(run), NNA_LOG_ERROR,
			      "the condition of an IF or WHILE must be a BOOL8 tensor with exactly "
			      "one element");
		return -EINVAL;
	}
	*truth = *(const uint8_t *)nna_parts_tensor_data(condition) != 0;
	return 0;
}

static int run_if(struct nna_parts *run, struct nna_parts_frame *f,
		  const struct nna_operation *operation, struct nna_parts_tensor **inputs,
		  struct nna_parts_tensor **outputs)
{
	struct nna_parts_tensor *condition;
	bool truth;
	int ret = nna_parts_frame_get(run, f, operation->inputs[IF_CONDITION], &condition) ?:
		  decide(run, condition, &truth);

	return ret ?: run_subgraph(run, f, operation, truth ? IF_THEN : IF_ELSE, inputs, outputs);
}

/*
 * Runs a loop. Each iteration replaces the values in @inputs; @outputs receives the final values.
 */
static int run_while(struct nna_parts *run, struct nna_parts_frame *f,
		     const struct nna_operation *operation, struct nna_parts_tensor **inputs,
		     struct nna_parts_tensor **outputs)
{
	uint32_t body = f->subgraph->operands[operation->inputs[WHILE_BODY]].subgraph;
	uint32_t count = run->program->graph->subgraphs[body].output_count;
	uint64_t outer = run->loop_end, end = nna_now_ns() + run->execution->loop_limit_ns;
	bool goes_on = true;
	int ret = 0;

	if (!outer || end < outer) {
		run->loop_end = end;
		run->loop = (uint32_t)(operation - f->subgraph->operations);
		run->loop_subgraph = f->number;
	}
	while (!ret && goes_on) {
		struct nna_parts_tensor *condition = NULL;

		ret = run_subgraph(run, f, operation, WHILE_CONDITION, inputs, &condition);
		if (!ret)
			ret = decide(run, condition, &goes_on);
		nna_parts_tensor_put(run, condition);
		if (ret || !goes_on)
			break;
		ret = run_subgraph(run, f, operation, WHILE_BODY, inputs, outputs);
		for (uint32_t i = 0; !ret && i < count; i++) {
			nna_parts_tensor_put(run, inputs[i]);
			inputs[i] = outputs[i];
			outputs[i] = NULL;
		}
	}
	for (uint32_t i = 0; !ret && i < operation->output_count; i++)
		outputs[i] = nna_parts_tensor_ref(inputs[i]);
	run->loop_end = outer;
	return ret;
}

static int run_control(struct nna_parts *run, struct nna_parts_frame *f, uint32_t index)
{
	const struct nna_operation *operation = &f->subgraph->operations[index];
	bool is_while = operation->type == NNA_OPERATION_WHILE;
	uint32_t first = is_while ? WHILE_INPUTS : IF_INPUTS, count = operation->input_count;
	struct nna_parts_tensor **inputs, **outputs, *t;
	int ret = 0;

	if (!is_while && operation->type != NNA_OPERATION_IF) {
		const char *name = nna_operation_name(operation->type);

		nna_log_print(nna_parts_log(run), NNA_LOG_ERROR,
			      "operation %u of subgraph %u: %s needs a value for its shapes that "
			      "has more than 4096 bytes: make it a constant",
			      index, f->number, name ? name : "unknown");
		return -ENOTSUP;
	}
	/*
	 * The results of a body fit as well: they are at most as many as the inputs of the
	 * operation.
	 */
	inputs = calloc((size_t)count + 1, sizeof(*inputs));
	outputs = calloc((size_t)count + operation->output_count + 1, sizeof(*outputs));
	if (!inputs || !outputs)
		ret = -ENOMEM;
	for (uint32_t i = first; i < count && !ret; i++) {
		ret = nna_parts_frame_get(run, f, operation->inputs[i], &t);
		if (!ret)
			inputs[i - first] = nna_parts_tensor_ref(t);
	}
	if (!ret)
		ret = is_while ? run_while(run, f, operation, inputs, outputs) :
				 run_if(run, f, operation, inputs, outputs);
	for (uint32_t i = 0; i < operation->output_count && !ret; i++) {
		ret = nna_parts_frame_set(run, f, operation->outputs[i], outputs[i]);
		outputs[i] = NULL;
	}
	for (uint32_t i = 0; inputs && i < count; i++)
		nna_parts_tensor_put(run, inputs[i]);
	for (uint32_t i = 0; outputs && i < count + operation->output_count; i++)
		nna_parts_tensor_put(run, outputs[i]);
	free(inputs);
	free(outputs);
	return ret;
}

/* --------------------------------------------------------------------------------------- frames */

/*
 * Runs all operations of a frame whose inputs are set. @stop: the operation before which the first
 * part ends, NNA_NONE is not known.
 */
static int run_frame(struct nna_parts *run, struct nna_parts_frame *f, uint32_t stop)
{
	const struct nna_subgraph *sg = f->subgraph;
	uint32_t from = 0;
	int ret = 0;

	while (!ret && from < sg->operation_count) {
		uint32_t to = stop == NNA_NONE ? 0 : nna_program_position_of(sg, stop);
		struct nna_part *part;

		if (stop != NNA_NONE && to == from) {
			ret = run_control(run, f, sg->order[from]);
			from++;
			stop = NNA_NONE;
			continue;
		}
		ret = nna_program_get_part(run->program, f->number, from, to, NULL, &part);
		if (ret)
			break;
		stop = NNA_NONE;
		ret = nna_parts_run_part(run, f, part, &stop);
		if (ret == -EAGAIN)
			ret = 0;
		else
			from = part->to;
	}
	return ret;
}

/* Begins a frame of the main subgraph, with the tensors that the inputs are bound to. */
static int begin_main(struct nna_parts *run, struct nna_parts_frame *f)
{
	int ret = nna_parts_frame_begin(run, f, 0);

	for (uint32_t i = 0; !ret && i < f->subgraph->input_count; i++) {
		const struct nna_binding *b = &run->execution->inputs[i];
		const struct nna_shape *shape =
			&f->subgraph->operands[f->subgraph->inputs[i]].shape;
		struct nna_parts_tensor *t = nna_parts_tensor_create(run, NULL);

		if (!t)
			return -ENOMEM;
		t->omitted = b->omitted;
		t->rank = b->has_dims ? b->rank : shape->rank;
		for (uint32_t k = 0; k < t->rank; k++)
			t->dims[k] = b->has_dims && b->dims[k] ? b->dims[k] : shape->dims[k];
		t->data = b->data;
		t->buffer = b->buffer;
		t->offset = b->offset;
		t->size = b->size;
		ret = nna_parts_frame_set(run, f, f->subgraph->inputs[i], t);
	}
	return ret;
}

/*
 * Sets the shapes of the outputs of the main subgraph, and copies the outputs, which is always
 * necessary.
 */
static int give_results(struct nna_execution *e, const struct nna_parts_frame *f)
{
	uint32_t count = f->subgraph->output_count;
	int ret;

	e->results = calloc((size_t)count + 1, sizeof(*e->results));
	if (!e->results)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		const struct nna_parts_tensor *t = f->tensors[f->subgraph->outputs[i]];
		struct nna_code_io *io = &e->results[i];

		io->size = t->size;
		io->rank = t->rank;
		memcpy(io->dims, t->dims, sizeof(io->dims));
	}
	ret = nna_bindings_check_outputs(e, e->results);
	for (uint32_t i = 0; i < count && (!ret || ret == -ENOSPC); i++) {
		const struct nna_parts_tensor *t = f->tensors[f->subgraph->outputs[i]];

		if (!e->outputs[i].short_of && t->size)
			memcpy((void *)nna_binding_data(&e->outputs[i]), nna_parts_tensor_data(t),
			       t->size);
	}
	return ret;
}

int nna_parts_run(struct nna_execution *e, uint32_t stop, uint64_t deadline_ns)
{
	struct nna_parts run = {
		.execution = e,
		.program = e->program,
		.deadline_ns = deadline_ns,
	};
	struct nna_parts_frame f = { 0 };
	int ret;

	ret = begin_main(&run, &f) ?: run_frame(&run, &f, stop) ?: give_results(e, &f);
	nna_parts_frame_end(&run, &f);
	while (run.spare_count)
		nna_buffer_destroy(run.spare[--run.spare_count]);
	return ret;
}
