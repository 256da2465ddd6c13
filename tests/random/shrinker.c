// SPDX-License-Identifier: MIT
/*
 * A failing graph made smaller: operations cut off, dimensions, scalars and data simplified, as
 * long as it still fails in the same way.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/random/eval.h"

#define MAX_TRIES 600

struct shrinker {
	const struct nnr_device *device;
	const struct nnr_options *options;
	struct nnr_graph *best;
	struct nnr_report report;
	uint32_t type; /* of the operation that fails */
	unsigned int tries;
};

static uint32_t failing_type(const struct nnr_graph *graph, const struct nnr_report *report)
{
	return report->operation < 0 ? UINT32_MAX : graph->operations[report->operation].type;
}

/* Keeps @candidate, which it takes over, in place of the best when it fails in the same way. */
static bool consider(struct shrinker *s, struct nnr_graph *candidate)
{
	struct nnr_report report;
	bool alike = false;

	if (s->tries++ < MAX_TRIES && candidate->operation_count) {
		nnr_judge(s->device, candidate, s->options, &report);
		alike = report.verdict == s->report.verdict &&
			failing_type(candidate, &report) == s->type &&
			(s->report.verdict != NNR_REFUSED || !strcmp(report.text, s->report.text));
	}
	if (!alike) {
		nnr_graph_free(candidate);
		return false;
	}
	nnr_graph_free(s->best);
	s->best = candidate;
	s->report = report;
	return true;
}

bool nnr_reinfer(struct nnr_graph *graph)
{
	for (uint32_t k = 0; k < graph->operation_count; k++) {
		const struct nnr_operation *o = &graph->operations[k];
		struct nnr_eval e;
		bool done = !nnr_eval_operation(graph, o, &e);

		for (uint32_t i = 0; i < o->output_count && done; i++)
			nnr_eval_store_result(graph->operands[o->out[i]], &e.out[i]);
		nnr_eval_end(&e);
		if (!done)
			return false;
	}
	return true;
}

/* Without operation @k: its results become inputs, results that nothing reads outputs. */
static struct nnr_graph *without(const struct nnr_graph *graph, uint32_t k)
{
	struct nnr_graph *cut = nnr_graph_copy(graph);
	bool read[NNR_MAX_OPERANDS] = { false };

	if (!cut)
		return NULL;
	for (uint32_t i = 0; i < cut->operations[k].output_count; i++) {
		struct nnr_operand *operand = cut->operands[cut->operations[k].out[i]];

		operand->kind = NNR_INPUT;
		operand->output = operand->hidden = false;
	}
	memmove(&cut->operations[k], &cut->operations[k + 1],
		(--cut->operation_count - k) * sizeof(cut->operations[0]));
	for (uint32_t j = 0; j < cut->operation_count; j++) {
		for (uint32_t i = 0; i < cut->operations[j].input_count; i++)
			read[cut->operations[j].in[i]] = true;
	}
	for (uint32_t i = 0; i < cut->operand_count; i++) {
		if (cut->operands[i]->kind == NNR_TEMPORARY && !read[i])
			cut->operands[i]->output = true;
	}
	nnr_compact(cut);
	return cut;
}

static bool cut_operations(struct shrinker *s)
{
	bool progress = false;

	for (uint32_t k = s->best->operation_count; k-- > 0;) {
		struct nnr_graph *cut = k < s->best->operation_count ? without(s->best, k) : NULL;

		if (cut && consider(s, cut))
			progress = true;
	}
	return progress;
}

/* Makes dimension @k smaller, @to; the elements beyond are dropped. */
static void crop(struct nnr_operand *operand, uint32_t k, uint32_t to)
{
	uint32_t element = nna_operand_type_size(operand->type), from = operand->dims[k];
	size_t outer = 1, inner = element;

	for (uint32_t i = 0; i < k; i++)
		outer *= operand->dims[i];
	for (uint32_t i = k + 1; i < operand->rank; i++)
		inner *= operand->dims[i];
	for (size_t i = 0; i < outer && operand->data; i++)
		memmove(operand->data + i * to * inner, operand->data + i * from * inner,
			to * inner);
	operand->dims[k] = to;
	operand->size = outer * to * inner;
	if (operand->channel_count && k == operand->channel_dim)
		operand->channel_count = to;
}

/* Dimensions of @from become @to, of operand @only or of all. */
static bool try_dims(struct shrinker *s, int only, uint32_t from, uint32_t to)
{
	struct nnr_graph *candidate = nnr_graph_copy(s->best);
	bool changed = false;

	for (uint32_t i = 0; candidate && i < candidate->operand_count; i++) {
		struct nnr_operand *operand = candidate->operands[i];

		if (operand->kind == NNR_TEMPORARY || !nnr_is_tensor(operand->type) ||
		    (only >= 0 && (uint32_t)only != i))
			continue;
		for (uint32_t k = 0; k < operand->rank; k++) {
			if (operand->dims[k] == from) {
				crop(operand, k, to);
				changed = true;
			}
		}
	}
	if (!changed || !nnr_reinfer(candidate)) {
		nnr_graph_free(candidate);
		return false;
	}
	return consider(s, candidate);
}

static bool shrink_dims(struct shrinker *s)
{
	bool progress = false;

	for (uint32_t v = 40; v > 1; v--) {
		if (try_dims(s, -1, v, 1) || try_dims(s, -1, v, v / 2) || try_dims(s, -1, v, v - 1))
			progress = true;
	}
	for (uint32_t i = 0; i < s->best->operand_count; i++) {
		for (uint32_t k = 0; k < s->best->operands[i]->rank; k++) {
			uint32_t v = s->best->operands[i]->dims[k];

			if (v > 1 && (try_dims(s, (int)i, v, 1) || try_dims(s, (int)i, v, v / 2)))
				progress = true;
		}
	}
	return progress;
}

/*
 * Every element of operand @i becomes @value, in stored numbers; NAN rounds each to a whole number.
 */
static bool try_data(struct shrinker *s, uint32_t i, double value)
{
	struct nnr_graph *candidate = nnr_graph_copy(s->best);
	struct nnr_operand *operand;
	bool changed = false;

	if (!candidate)
		return false;
	operand = candidate->operands[i];
	for (size_t n = 0; n < nnr_elements(operand); n++) {
		double old = nnr_load(operand->type, operand->data, n),
		       next = isnan(value) ? round(old) : value;

		changed |= old != next;
		nnr_store(operand->type, operand->data, n, next);
	}
	if (!changed || !nnr_reinfer(candidate)) {
		nnr_graph_free(candidate);
		return false;
	}
	return consider(s, candidate);
}

static bool simplify_data(struct shrinker *s)
{
	bool progress = false;

	for (uint32_t i = 0; i < s->best->operand_count; i++) {
		const struct nnr_operand *operand = s->best->operands[i];

		if ((operand->kind != NNR_INPUT && operand->kind != NNR_CONSTANT) || !operand->data)
			continue;
		if (try_data(s, i, 0) || try_data(s, i, 1) ||
		    (nnr_is_float(operand->type) && try_data(s, i, NAN)))
			progress = true;
	}
	return progress;
}

struct nnr_graph *nnr_shrink(const struct nnr_device *device, const struct nnr_graph *graph,
			     const struct nnr_options *options, struct nnr_report *report)
{
	struct shrinker s = {
		.device = device,
		.options = options,
		.best = nnr_graph_copy(graph),
		.report = *report,
		.type = failing_type(graph, report),
	};
	bool progress = s.best != NULL;

	while (progress && s.tries < MAX_TRIES) {
		progress = cut_operations(&s);
		progress |= shrink_dims(&s);
		progress |= simplify_data(&s);
	}
	*report = s.report;
	return s.best;
}
