// SPDX-License-Identifier: MIT
/* IF and WHILE, decided in this process between parts of a run. */
#include <errno.h>
#include <stdlib.h>

#include "libnnaccel/runtime/parts.h"

/* Inputs of the operations, by number; *_INPUTS is the first of those that the subgraphs get. */
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
		ret = nna_parts_run_frame(run, &f, NNA_NONE);
	for (uint32_t i = 0; !ret && i < f.subgraph->output_count; i++)
		outputs[i] = nna_parts_tensor_ref(f.tensors[f.subgraph->outputs[i]]);
	nna_parts_frame_end(run, &f);
	return ret;
}

/* What IF and WHILE ask: the one byte of their condition. */
static int decide(struct nna_parts *run, const struct nna_parts_tensor *condition, bool *truth)
{
	if (condition->omitted || condition->size != 1) {
		nna_log_print(nna_parts_log(run), NNA_LOG_ERROR, "a condition has not one element");
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
 * The values that go around are in @inputs, which each round replaces. @outputs receives what they
 * are in the end.
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

int nna_parts_run_control(struct nna_parts *run, struct nna_parts_frame *f, uint32_t index)
{
	const struct nna_operation *operation = &f->subgraph->operations[index];
	bool is_while = operation->type == NNA_OPERATION_WHILE;
	uint32_t first = is_while ? WHILE_INPUTS : IF_INPUTS, count = operation->input_count;
	struct nna_parts_tensor **inputs, **outputs, *t;
	int ret = 0;

	if (!is_while && operation->type != NNA_OPERATION_IF) {
		const char *name = nna_operation_name(operation->type);

		nna_log_print(nna_parts_log(run), NNA_LOG_ERROR,
			      "operation %u of subgraph %u: %s needs a value that is too large "
			      "to decide about shapes",
			      index, f->number, name ? name : "unknown");
		return -ENOTSUP;
	}
	/* For what a body gives, too, which is no more than the operation has inputs. */
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
