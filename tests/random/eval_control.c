// SPDX-License-Identifier: MIT
/*
 * IF and WHILE. Their subgraphs run operation by operation; a result that another one reads must be
 * one that every device computes alike (moved, chosen, integers, rounded once), so that no errors
 * add up here. -EDOM where one is not.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/random/eval.h"

#define MOST_ROUNDS 50

static bool is_certain(const struct nnr_eval_tensor *t)
{
	int64_t low, high;

	nnr_type_range(t->type, &low, &high);
	for (size_t i = 0; i < t->count; i++) {
		if (t->err[i] != 0 || isnan(t->v[i]))
			return false;
		if (low < high && !nnr_is_quantised(t->type) &&
		    (t->v[i] < (double)low || t->v[i] > (double)high))
			return false;
	}
	return t->exact || !nnr_is_quantised(t->type);
}

/* Number of the @n-th input of a subgraph or, if @output, of its @n-th output; -1: it has none. */
static int find_place(const struct nnr_graph *sub, bool output, uint32_t n)
{
	for (uint32_t i = 0; i < sub->operand_count; i++) {
		const struct nnr_operand *operand = sub->operands[i];

		if (output ? operand->kind == NNR_TEMPORARY && operand->output
			   : operand->kind == NNR_INPUT) {
			if (!n--)
				return (int)i;
		}
	}
	return -1;
}

static bool is_read(const struct nnr_graph *sub, uint32_t number)
{
	for (uint32_t k = 0; k < sub->operation_count; k++) {
		for (uint32_t i = 0; i < sub->operations[k].input_count; i++) {
			if (sub->operations[k].in[i] == number)
				return true;
		}
	}
	return false;
}

/* Runs @sub. @results: what its operations computed, by number of operand; the caller's then. */
static int run_subgraph(struct nnr_graph *sub, struct nnr_eval_tensor *results)
{
	int ret = 0;

	for (uint32_t k = 0; k < sub->operation_count && !ret; k++) {
		const struct nnr_operation *o = &sub->operations[k];
		struct nnr_eval e;

		ret = nnr_eval_operation(sub, o, &e);
		for (uint32_t i = 0; i < o->output_count && !ret; i++) {
			struct nnr_operand *operand = sub->operands[o->out[i]];

			if (is_read(sub, o->out[i]) && !is_certain(&e.out[i]))
				ret = -EDOM;
			else
				nnr_eval_store_result(operand, &e.out[i]);
			if (!ret && operand->output) {
				results[o->out[i]] = e.out[i];
				e.out[i].v = e.out[i].err = NULL;
			}
		}
		nnr_eval_end(&e);
	}
	return ret;
}

/* A run of a subgraph; on the heap because of its size. */
struct run {
	struct nnr_graph *sub;
	struct nnr_eval_tensor results[NNR_MAX_OPERANDS];
};

static void end_run(struct run *run)
{
	for (uint32_t i = 0; run && i < NNR_MAX_OPERANDS; i++) {
		free(run->results[i].v);
		free(run->results[i].err);
	}
	if (run)
		nnr_graph_free(run->sub);
	free(run);
}

/* Runs the subgraph that is input @which with @inputs, one for each of its own. */
static int run_with(const struct nnr_eval *e, uint32_t which, uint32_t count,
		    const struct nnr_operand *const *inputs, struct run **out)
{
	const struct nnr_operand *operand = e->graph->operands[e->operation->in[which]];
	struct run *run;
	int ret = 0;

	*out = NULL;
	if (operand->type != NNA_OPERAND_SUBGRAPH || operand->subgraph >= e->graph->subgraph_count)
		return -EINVAL;
	run = calloc(1, sizeof(*run));
	if (run)
		run->sub = nnr_graph_copy(e->graph->subgraphs[operand->subgraph]);
	if (!run || !run->sub) {
		end_run(run);
		return -ENOMEM;
	}
	if (find_place(run->sub, false, count) >= 0)
		ret = -EINVAL;
	for (uint32_t i = 0; i < count && !ret; i++) {
		int place = find_place(run->sub, false, i);
		struct nnr_operand *to = place < 0 ? NULL : run->sub->operands[place];

		if (!to || to->type != inputs[i]->type || to->scale != inputs[i]->scale ||
		    to->zero_point != inputs[i]->zero_point) {
			ret = -EINVAL;
			break;
		}
		to->rank = inputs[i]->rank;
		memcpy(to->dims, inputs[i]->dims, sizeof(to->dims));
		nnr_set_data(to, inputs[i]->data, inputs[i]->size);
	}
	if (!ret)
		ret = run_subgraph(run->sub, run->results);
	if (ret)
		end_run(run);
	else
		*out = run;
	return ret;
}

/* The @n-th output of @run as output @n of the operation. */
static int take(struct nnr_eval *e, uint32_t n, struct run *run)
{
	int place = find_place(run->sub, true, n);
	struct nnr_eval_tensor *from = &run->results[place < 0 ? 0 : place], *to = &e->out[n];

	if (place < 0 || !from->v || from->type != to->type || from->scale != to->scale ||
	    from->zero_point != to->zero_point)
		return -EINVAL;
	*to = *from;
	from->v = from->err = NULL;
	return 0;
}

/* condition, subgraph if it is true, subgraph if not, their inputs */
static int eval_if(struct nnr_eval *e)
{
	const struct nnr_operand *inputs[NNR_MAX_IN];
	uint32_t count = e->input_count - 3;
	struct run *run;
	int ret;

	if (e->input_count < 3 || e->in[0].count != 1)
		return -EINVAL;
	for (uint32_t i = 0; i < count; i++)
		inputs[i] = e->graph->operands[e->operation->in[3 + i]];
	ret = run_with(e, e->in[0].v[0] != 0 ? 1 : 2, count, inputs, &run);
	for (uint32_t i = 0; i < e->output_count && !ret; i++)
		ret = take(e, i, run);
	end_run(run);
	return ret;
}

/* A copy of what @from holds as output @n. */
static int keep(struct nnr_eval *e, uint32_t n, const struct nnr_operand *from)
{
	struct nnr_eval_tensor *out = &e->out[n];
	int ret = nnr_eval_out(e, n, from->rank, from->dims);

	out->exact = true;
	if (from->type != out->type || from->scale != out->scale ||
	    from->zero_point != out->zero_point)
		return -EINVAL;
	for (size_t i = 0; i < out->count && !ret; i++)
		out->v[i] = nnr_real(from, i);
	return ret;
}

/*
 * One round of the body. Its results replace the first of @state's operands; they live as long as
 * its run, *last.
 */
static int go_round(const struct nnr_eval *e, uint32_t inputs, const struct nnr_operand **state,
		    struct run **last)
{
	struct run *body;
	int ret = run_with(e, 1, inputs, state, &body);

	for (uint32_t i = 0; !ret; i++) {
		int place = find_place(body->sub, true, i);

		if (place < 0)
			break;
		if (i >= inputs || !body->results[place].v)
			ret = -EINVAL;
		else if (!is_certain(&body->results[place]))
			ret = -EDOM;
		else
			state[i] = body->sub->operands[place];
	}
	end_run(*last);
	*last = body;
	return ret;
}

/* condition, body, state that is an output, state that is not, constants */
static int eval_while(struct nnr_eval *e)
{
	const struct nnr_operand *state[NNR_MAX_IN];
	uint32_t count = e->input_count - 2, rounds = 0;
	struct run *last = NULL;
	bool goes_on = true;
	int ret = 0;

	if (e->input_count < 3)
		return -EINVAL;
	for (uint32_t i = 0; i < count; i++)
		state[i] = e->graph->operands[e->operation->in[2 + i]];
	while (!ret) {
		struct run *condition;
		int place;

		ret = run_with(e, 0, count, state, &condition);
		if (ret)
			break;
		place = find_place(condition->sub, true, 0);
		if (place < 0 || condition->results[place].count != 1 ||
		    !is_certain(&condition->results[place]))
			ret = -EDOM;
		else
			goes_on = condition->results[place].v[0] != 0;
		end_run(condition);
		if (!goes_on || ret)
			break;
		ret = rounds++ < MOST_ROUNDS ? go_round(e, count, state, &last) : -E2BIG;
	}
	for (uint32_t i = 0; i < e->output_count && !ret; i++)
		ret = i < count ? keep(e, i, state[i]) : -EINVAL;
	end_run(last);
	return ret;
}

int nnr_eval_control(struct nnr_eval *e)
{
	switch (e->type) {
	case NNA_OPERATION_IF:
		return eval_if(e);
	case NNA_OPERATION_WHILE:
		return eval_while(e);
	default:
		return -ENOTSUP;
	}
}
