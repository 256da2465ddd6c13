// SPDX-License-Identifier: MIT
/* Results at the limits of their type: see reach.h. */
#include <inttypes.h>

#include "tests/random/reach.h"

/* Graphs with a result from which on its limits have to have been reached. */
#define OFTEN 40

static void add_result(struct nnr_reach *reach, uint32_t type, const struct nnr_operand *result)
{
	int64_t low, high;
	uint32_t i = 0;

	while (i < reach->count &&
	       (reach->lines[i].type != type || reach->lines[i].result != result->type))
		i++;
	if (i == NNR_REACH_MOST)
		return;
	if (i == reach->count) {
		reach->lines[i].type = type;
		reach->lines[i].result = result->type;
		reach->count++;
	}
	nnr_type_range(result->type, &low, &high);
	reach->lines[i].graphs++;
	for (uint64_t n = 0; n < nnr_elements(result); n++) {
		const double v = nnr_load(result->type, result->data, n);

		reach->lines[i].elements++;
		reach->lines[i].low += v == (double)low;
		reach->lines[i].high += v == (double)high;
	}
}

void nnr_reach_add(struct nnr_reach *reach, const struct nnr_graph *graph)
{
	for (uint32_t k = 0; k < graph->operation_count; k++) {
		const struct nnr_operation *o = &graph->operations[k];

		for (uint32_t i = 0; i < o->output_count; i++)
			if (nnr_is_quantised(graph->operands[o->out[i]]->type))
				add_result(reach, o->type, graph->operands[o->out[i]]);
	}
}

/* Why the results of an operation need not reach both limits, or NULL if they have to. */
static const char *excuse(uint32_t type)
{
	switch (type) {
	case NNA_OPERATION_AXIS_ALIGNED_BBOX_TRANSFORM:
	case NNA_OPERATION_BOX_WITH_NMS_LIMIT:
	case NNA_OPERATION_GENERATE_PROPOSALS:
	case NNA_OPERATION_HEATMAP_MAX_KEYPOINT:
		return "boxes lie within a picture, scores above a threshold";
	default:
		return NULL;
	}
}

uint32_t nnr_reach_print(const struct nnr_reach *reach, FILE *to)
{
	uint32_t blind = 0;

	for (uint32_t i = 0; i < reach->count; i++) {
		const char *name = nna_operation_name(reach->lines[i].type), *why;
		const bool both = reach->lines[i].low && reach->lines[i].high;

		why = excuse(reach->lines[i].type);
		fprintf(to,
			"%-32s %-28s %6" PRIu64 " graphs %9" PRIu64 " elements %8" PRIu64
			" least %8" PRIu64 " greatest%s%s\n",
			name ? name : "?", nnr_type_text(reach->lines[i].result),
			reach->lines[i].graphs, reach->lines[i].elements, reach->lines[i].low,
			reach->lines[i].high, both ? "" : why ? ": " : ": not reached",
			!both && why ? why : "");
		blind += !both && !why && reach->lines[i].graphs >= OFTEN;
	}
	return blind;
}
