// SPDX-License-Identifier: MIT
/* One part of a run, which is an execution of its own (parts.h). */
#include <errno.h>

#include "libnnaccel/runtime/execution.h"
#include "libnnaccel/runtime/parts.h"
#include "libnnaccel/runtime/prepare.h"
#include "libnnaccel/runtime/program.h"
#include "libnnaccel/runtime/submit.h"
#include "libnnaccel/runtime/variant.h"
#include "libnnaccel/support/clock.h"

/* Operands of a part have the same numbers in the subgraph, and so in the frame. */
static int bind_inputs(struct nna_parts *run, struct nna_execution *e,
		       const struct nna_subgraph *part, struct nna_parts_frame *f)
{
	int ret = 0;

	for (uint32_t i = 0; i < part->input_count && !ret; i++) {
		struct nna_parts_tensor *t;

		ret = nna_parts_frame_get(run, f, part->inputs[i], &t);
		if (ret)
			break;
		ret = nna_binding_set(e, false, i, t->rank, t->omitted ? NULL : t->dims,
				      (void *)t->data, t->data ? NULL : t->buffer,
				      t->data ? 0 : t->offset, t->size);
	}
	return ret;
}

static int bind_outputs(struct nna_parts *run, struct nna_execution *e,
			const struct nna_subgraph *part, struct nna_parts_frame *f)
{
	int ret = 0;

	for (uint32_t i = 0; i < part->output_count && !ret; i++) {
		size_t size = e->variant->code->outputs[i].size;
		struct nna_parts_tensor *t = nna_parts_tensor_create(run, &size);

		if (!t)
			return -ENOMEM;
		nna_parts_tensor_put(run, f->tensors[part->outputs[i]]);
		f->tensors[part->outputs[i]] = t;
		ret = nna_binding_set(e, true, i, 0, NULL, NULL, t->buffer, 0, size);
	}
	return ret;
}

/* Takes the shapes of the part's outputs after its run. */
static int take_shapes(struct nna_parts *run, struct nna_execution *e,
		       const struct nna_subgraph *part, struct nna_parts_frame *f)
{
	int ret = 0;

	for (uint32_t i = 0; i < part->output_count && !ret; i++) {
		struct nna_parts_tensor *t = f->tensors[part->outputs[i]];

		ret = nna_execution_get_output_dims(e, i, &t->rank, t->dims);
		t->size = nna_operand_type_size(part->operands[part->outputs[i]].stated.type);
		for (uint32_t k = 0; k < t->rank; k++)
			t->size *= t->dims[k];
	}
	return ret;
}

static void add_timing(struct nna_timing *sum, const struct nna_timing *part)
{
	if (!sum->commands) {
		sum->submit = part->submit;
		sum->begin = part->begin;
	}
	sum->end = part->end;
	sum->run += part->run;
	sum->span += part->span;
	sum->commands += part->commands;
}

/*
 * Limits a part to the time that is left for the run, and for the loop around it. The limit of the
 * run is one that nna_execution_set_loop_limit() allows.
 */
static int set_limits(struct nna_parts *run, struct nna_execution *e)
{
	uint64_t limit = run->execution->loop_limit_ns, now = nna_now_ns();

	if (run->loop_end) {
		if (now >= run->loop_end) {
			nna_log_print(
				nna_parts_log(run), NNA_LOG_ERROR,
				"WHILE (operation %u of subgraph %u) took longer than %llu ms: "
				"see nna_execution_set_loop_limit()",
				run->loop, run->loop_subgraph, (unsigned long long)limit / 1000000);
			return -ETIMEDOUT;
		}
		limit = run->loop_end - now;
	}
	e->deadline_ns = run->deadline_ns;
	e->loop_limit_ns = limit;
	return 0;
}

static int run_execution(struct nna_parts *run, struct nna_execution *e,
			 const struct nna_subgraph *part, struct nna_parts_frame *f, uint32_t *stop)
{
	struct nna_timing timing;
	int ret = bind_inputs(run, e, part, f) ?: set_limits(run, e) ?:
		  nna_execution_choose_variant(e, true, stop);

	if (ret || !part->output_count)
		return ret;
	ret = bind_outputs(run, e, part, f) ?: nna_execution_begin(e) ?:
	      nna_execution_prepare(e, true, stop) ?: nna_execution_run(e);
	if (e->run == NNA_RUN_ENDED && !nna_execution_get_timing(e, &timing))
		add_timing(&run->execution->timing, &timing);
	return ret ?: take_shapes(run, e, part, f);
}

int nna_parts_run_part(struct nna_parts *run, struct nna_parts_frame *f,
		       const struct nna_part *part, uint32_t *stop)
{
	struct nna_execution *e;
	int ret = nna_execution_create(part->program, &e);

	if (ret)
		return ret;
	e->parent = run->execution;
	ret = run_execution(run, e, &part->graph->subgraphs[0], f, stop);
	nna_execution_destroy(e);
	return ret;
}
