/* SPDX-License-Identifier: MIT */
/* For tests of graphs: operands in a few words, and what was last said in the graph's log. */
#ifndef TEST_GRAPH_FIXTURE_H
#define TEST_GRAPH_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "libnnaccel/graph/graph.h"

/* What the log of the graph that new_graph() made last was told. */
struct record {
	unsigned int lines;
	char last[256];
};

static struct record record;

static inline void record_line(void *user, enum nna_log_level level, const char *text)
{
	struct record *record = user;

	record->lines++;
	strncpy(record->last, text, sizeof(record->last) - 1);
}

static inline struct nna_graph *new_graph(void)
{
	struct nna_log log = { record_line, &record };
	struct nna_graph *graph;

	memset(&record, 0, sizeof(record));
	assert_int_equal(nna_graph_create(&log, &graph), 0);
	return graph;
}

static inline int tensor(struct nna_graph *graph, uint32_t type, uint32_t rank,
			 const uint32_t *dims)
{
	struct nna_operand_desc desc = { .type = type, .rank = rank, .dims = dims };

	if (nna_operand_type_is_quantised(type))
		desc.scale = 0.5f;
	return nna_graph_add_operand(graph, 0, &desc);
}

/* A constant INT32. */
static inline int scalar(struct nna_graph *graph, int32_t value)
{
	int operand = tensor(graph, NNA_OPERAND_INT32, 0, NULL);

	assert_int_equal(nna_graph_set_constant(graph, 0, operand, &value, sizeof(value), false),
			 0);
	return operand;
}

#endif
