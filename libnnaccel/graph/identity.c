// SPDX-License-Identifier: MIT
/*
 * The identity of a graph: a digest of all data that the compiler reads, including constants.
 *
 * Structures have padding, so their members are copied to arrays of numbers first.
 */
#include <string.h>

#include "libnnaccel/support/digest.h"
#include "libnnaccel/graph/graph.h"

static void add_numbers(struct nna_digest *d, const uint32_t *numbers, uint32_t count)
{
	nna_digest_add(d, numbers, count * sizeof(*numbers));
}

static void add_shape(struct nna_digest *d, const struct nna_shape *s)
{
	uint32_t numbers[9 + NNACCEL_MAX_RANK] = {
		s->type,	s->rank_known, s->final, s->rank, 0, (uint32_t)s->zero_point,
		s->channel_dim, s->channel_count,
	};

	memcpy(&numbers[4], &s->scale, sizeof(s->scale));
	for (uint32_t k = 0; k < s->rank && k < NNACCEL_MAX_RANK; k++)
		numbers[9 + k] = s->dims[k];
	add_numbers(d, numbers, sizeof(numbers) / sizeof(numbers[0]));
	if (s->channel_count)
		nna_digest_add(d, s->channel_scales, s->channel_count * sizeof(*s->channel_scales));
}

static void add_operand(struct nna_digest *d, const struct nna_operand *o)
{
	const bool refers = o->lifetime == NNA_LIFETIME_SUBGRAPH;
	const uint32_t numbers[] = { o->lifetime, refers ? o->subgraph : 0 };

	add_numbers(d, numbers, 2);
	add_shape(d, &o->stated);
	if (o->lifetime == NNA_LIFETIME_CONSTANT)
		nna_digest_add(d, o->data, o->size);
}

static void add_subgraph(struct nna_digest *d, const struct nna_subgraph *s)
{
	const uint32_t counts[] = { s->operand_count, s->operation_count, s->input_count,
				    s->output_count };

	add_numbers(d, counts, 4);
	for (uint32_t i = 0; i < s->operand_count; i++)
		add_operand(d, &s->operands[i]);
	for (uint32_t i = 0; i < s->operation_count; i++) {
		const struct nna_operation *o = &s->operations[i];
		const uint32_t numbers[] = { o->type, o->input_count, o->output_count };

		add_numbers(d, numbers, 3);
		add_numbers(d, o->inputs, o->input_count);
		add_numbers(d, o->outputs, o->output_count);
	}
	add_numbers(d, s->inputs, s->input_count);
	add_numbers(d, s->outputs, s->output_count);
}

void nna_graph_identify(const struct nna_graph *graph, uint64_t identity[2])
{
	const uint32_t numbers[] = { graph->relaxed, graph->rounding, graph->subgraph_count };
	struct nna_digest d;

	nna_digest_begin(&d);
	add_numbers(&d, numbers, 3);
	for (uint32_t i = 0; i < graph->subgraph_count; i++)
		add_subgraph(&d, &graph->subgraphs[i]);
	nna_digest_end(&d, identity);
}
