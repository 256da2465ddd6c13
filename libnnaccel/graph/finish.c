// SPDX-License-Identifier: MIT
/*
 * Finishing the structure of a graph. Each step is one function, which looks for one kind of fault
 * and provides data for the next step:
 *
 *	lifetimes	inputs and outputs of each subgraph; every operand has at most one writer,
 *			and only where it may have one
 *	order		an execution order, which there is only without a cycle
 *	nesting		subgraphs that are referred to exist, without recursion, within bounds
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/graph/graph.h"

#define FAIL(graph, ...) (nna_log_print(&(graph)->log, NNA_LOG_ERROR, __VA_ARGS__), -EINVAL)

/*
 * Limits of the nesting of subgraphs, and of the subgraphs that run for one run of the graph, so
 * that hostile graphs stay small.
 */
#define MAX_NESTING 32u
#define MAX_INSTANCES 4096u

/*
 * Sets the lifetime of the operands of a list, which have none yet, to that of an input or output.
 */
static int mark(struct nna_graph *graph, uint32_t s, uint32_t count, const uint32_t *list,
		enum nna_lifetime lifetime, const char *what)
{
	struct nna_subgraph *sg = &graph->subgraphs[s];

	for (uint32_t i = 0; i < count; i++) {
		struct nna_operand *operand = &sg->operands[list[i]];

		if (operand->lifetime != NNA_LIFETIME_TEMPORARY)
			return FAIL(graph, "subgraph %u: %s %u is operand %u, "
				    "which has another role already", s, what, i, list[i]);
		if (operand->stated.type == NNA_OPERAND_SUBGRAPH)
			return FAIL(graph, "subgraph %u: %s %u is a subgraph, it must be data", s,
				    what, i);
		operand->lifetime = lifetime;
	}
	return 0;
}

static bool may_be_written(const struct nna_operand *operand)
{
	return operand->lifetime == NNA_LIFETIME_TEMPORARY ||
	       operand->lifetime == NNA_LIFETIME_OUTPUT ||
	       operand->lifetime == NNA_LIFETIME_VARIABLE;
}

/* Sets producer and consumers of each operand. Every operand that is read must have a writer. */
static int find_producers(struct nna_graph *graph, uint32_t s)
{
	struct nna_subgraph *sg = &graph->subgraphs[s];

	for (uint32_t i = 0; i < sg->operation_count; i++) {
		const struct nna_operation *operation = &sg->operations[i];

		for (uint32_t k = 0; k < operation->output_count; k++) {
			struct nna_operand *operand = &sg->operands[operation->outputs[k]];

			/* The optional output is omitted. */
			if (operand->lifetime == NNA_LIFETIME_NO_VALUE)
				continue;
			if (!may_be_written(operand))
				return FAIL(graph, "subgraph %u: operation %u writes to operand "
					    "%u, which is an input or a constant", s, i,
					    operation->outputs[k]);
			if (operand->producer != NNA_NONE)
				return FAIL(graph, "subgraph %u: operations %u and %u both write "
					    "to operand %u", s, operand->producer, i,
					    operation->outputs[k]);
			operand->producer = i;
		}
		for (uint32_t k = 0; k < operation->input_count; k++)
			sg->operands[operation->inputs[k]].consumers++;
	}
	for (uint32_t i = 0; i < sg->operand_count; i++) {
		const struct nna_operand *operand = &sg->operands[i];
		bool needed = operand->consumers || operand->lifetime == NNA_LIFETIME_OUTPUT;

		if (operand->producer == NNA_NONE && needed &&
		    (operand->lifetime == NNA_LIFETIME_TEMPORARY ||
		     operand->lifetime == NNA_LIFETIME_OUTPUT))
			return FAIL(graph, "subgraph %u: no operation writes to operand %u, which "
				    "is read or an output", s, i);
	}
	return 0;
}

/*
 * True if input @k of operation @i requires that @first runs before @second. A reader runs after
 * the writer. Readers of a state variable that were added before its writer read the old state, so
 * they run before it.
 */
static bool orders(const struct nna_subgraph *sg, uint32_t i, uint32_t k, uint32_t *first,
		   uint32_t *second)
{
	const struct nna_operand *operand = &sg->operands[sg->operations[i].inputs[k]];
	bool state = operand->lifetime == NNA_LIFETIME_VARIABLE;
	bool before = state && i < operand->producer;

	*first = before ? i : operand->producer;
	*second = before ? operand->producer : i;
	return operand->producer != NNA_NONE && !(state && i == operand->producer);
}

/*
 * Computes the execution order of a subgraph with Kahn's algorithm: operations are ordered by the
 * time at which their last input is ready; operations without dependencies keep the order in which
 * they were added.
 */
static int sort(struct nna_graph *graph, uint32_t s)
{
	struct nna_subgraph *sg = &graph->subgraphs[s];
	uint32_t n = sg->operation_count, head = 0, tail = 0, edges = 0, p, r;
	uint32_t *waits = calloc(n ? n : 1, sizeof(*waits));
	uint32_t *first = calloc((size_t)n + 1, sizeof(*first));
	uint32_t *readers = NULL;
	int ret = -ENOMEM;

	sg->order = malloc((n ? n : 1) * sizeof(*sg->order));
	if (!waits || !first || !sg->order)
		goto out;
	/*
	 * Counts the operations that each operation waits for (waits[r]) and its readers (first[p +
	 * 1]).
	 */
	for (uint32_t i = 0; i < n; i++) {
		const struct nna_operation *operation = &sg->operations[i];

		for (uint32_t k = 0; k < operation->input_count; k++) {
			if (orders(sg, i, k, &p, &r)) {
				first[p + 1]++;
				waits[r]++;
				edges++;
			}
		}
	}
	readers = malloc((edges ? edges : 1) * sizeof(*readers));
	if (!readers)
		goto out;
	for (uint32_t i = 0; i < n; i++)
		first[i + 1] += first[i];
	for (uint32_t i = n; i-- > 0;) {
		const struct nna_operation *operation = &sg->operations[i];

		for (uint32_t k = 0; k < operation->input_count; k++) {
			/* Filled from its end, p's list of readers starts at first[p + 1]. */
			if (orders(sg, i, k, &p, &r))
				readers[--first[p + 1]] = r;
		}
	}
	for (uint32_t i = 0; i < n; i++) {
		if (!waits[i])
			sg->order[tail++] = i;
	}
	while (head < tail) {
		uint32_t end;

		p = sg->order[head++];
		end = p + 1 < n ? first[p + 2] : edges;
		for (uint32_t k = first[p + 1]; k < end; k++) {
			if (!--waits[readers[k]])
				sg->order[tail++] = readers[k];
		}
	}
	ret = 0;
	for (uint32_t i = 0; i < n && tail < n && !ret; i++) {
		const char *name = nna_operation_name(sg->operations[i].type);

		if (waits[i])
			ret = FAIL(graph, "%s (operation %u) of subgraph %u waits for a cycle "
				   "of operations", name ? name : "?", i, s);
	}
out:
	free(waits);
	free(first);
	free(readers);
	return ret;
}

/*
 * Sets counts[@s] to the number of subgraphs that run for one run of @s, including @s. It is
 * UINT64_MAX before, and 0 while it is being computed.
 */
static int count_instances(struct nna_graph *graph, uint32_t s, uint32_t depth, uint64_t *counts)
{
	const struct nna_subgraph *sg = &graph->subgraphs[s];
	uint64_t sum = 1;

	if (depth > MAX_NESTING)
		return FAIL(graph, "subgraphs nest deeper than %u, the limit", MAX_NESTING);
	counts[s] = 0;
	for (uint32_t i = 0; i < sg->operand_count; i++) {
		const struct nna_operand *operand = &sg->operands[i];
		uint32_t which = operand->subgraph;
		int ret;

		if (operand->lifetime != NNA_LIFETIME_SUBGRAPH)
			continue;
		if (which >= graph->subgraph_count || !which)
			return FAIL(graph, "subgraph %u: operand %u refers to subgraph %u, which "
				    "is the main one or does not exist",
				    s, i, which);
		if (!counts[which])
			return FAIL(graph, "subgraph %u refers to itself by way of subgraph %u",
				    which, s);
		if (counts[which] == UINT64_MAX) {
			ret = count_instances(graph, which, depth + 1, counts);
			if (ret)
				return ret;
		}
		sum += counts[which] * (operand->consumers ? operand->consumers : 1);
		if (sum > MAX_INSTANCES)
			return FAIL(graph, "one run would run more than %u subgraphs, the limit",
				    MAX_INSTANCES);
	}
	counts[s] = sum;
	return 0;
}

static int check_nesting(struct nna_graph *graph)
{
	uint64_t *counts = malloc(graph->subgraph_count * sizeof(*counts));
	int ret = 0;

	if (!counts)
		return -ENOMEM;
	for (uint32_t s = 0; s < graph->subgraph_count; s++)
		counts[s] = UINT64_MAX;
	for (uint32_t s = 0; s < graph->subgraph_count && !ret; s++) {
		if (counts[s] == UINT64_MAX)
			ret = count_instances(graph, s, 0, counts);
	}
	free(counts);
	return ret;
}

static int finish_subgraph(struct nna_graph *graph, uint32_t s)
{
	struct nna_subgraph *sg = &graph->subgraphs[s];
	int ret;

	if (!sg->inputs)
		return FAIL(graph, "subgraph %u: its inputs and outputs are not stated: call "
			    "nna_graph_set_io()", s);
	if (!sg->operation_count || !sg->output_count)
		return FAIL(graph, "subgraph %u: it has no %s, it needs at least one of them", s,
			    sg->output_count ? "operations" : "outputs");
	ret = mark(graph, s, sg->input_count, sg->inputs, NNA_LIFETIME_INPUT, "input");
	if (!ret)
		ret = mark(graph, s, sg->output_count, sg->outputs, NNA_LIFETIME_OUTPUT, "output");
	if (!ret)
		ret = find_producers(graph, s);
	if (!ret)
		ret = sort(graph, s);
	return ret;
}

int nna_graph_settle(struct nna_graph *graph)
{
	int ret = 0;

	for (uint32_t s = 0; s < graph->subgraph_count && !ret; s++)
		ret = finish_subgraph(graph, s);
	return ret ? ret : check_nesting(graph);
}
