// SPDX-License-Identifier: MIT
/*
 * Splitting a graph: operations that have different owners become graphs of their own
 * (nna_graph_split()).
 *
 * Operations enter the queue of their owner when they are ready. One owner's queue is emptied,
 * which makes one piece, before the next owner's queue is. The time is linear in the operations and
 * operands of the graph, and of each piece.
 *
 * A piece states the shapes that could be inferred in the whole graph. If only a run tells the
 * number of rows, it states what the model states.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/graph/graph.h"

/**
 * struct split - the state of splitting a graph
 * @sg: the main subgraph
 * @owners: of its operations
 * @first: for each operand the index of its first reader in @readers; one entry more
 * @readers: numbers of operations
 * @waits: for each operation how many of its inputs have not been computed yet
 * @next: for each operation that is ready: the next one in its owner's queue
 * @heads: for each owner: the first operation that is ready
 * @tails: for each owner: the last one
 * @piece: for each operation: the number of its piece
 * @order: all operations, piece by piece
 * @count: pieces
 */
struct split {
	const struct nna_subgraph *sg;
	const uint32_t *owners;
	uint32_t *first, *readers, *waits, *next, *heads, *tails, *piece, *order;
	uint32_t count;
};

static void split_fini(struct split *s)
{
	free(s->first);
	free(s->readers);
	free(s->waits);
	free(s->next);
	free(s->heads);
	free(s->tails);
	free(s->piece);
	free(s->order);
}

/* True if another operation computes input @operand of an operation. */
static bool is_computed(const struct nna_subgraph *sg, uint32_t operand)
{
	return sg->operands[operand].producer != NNA_NONE;
}

static int split_init(struct split *s, const struct nna_subgraph *sg, const uint32_t *owners,
		      uint32_t owner_count)
{
	size_t operations = (size_t)sg->operation_count + 1, edges = 1;

	*s = (struct split){ .sg = sg, .owners = owners };
	for (uint32_t i = 0; i < sg->operation_count; i++)
		edges += sg->operations[i].input_count;
	s->first = calloc((size_t)sg->operand_count + 2, sizeof(*s->first));
	s->readers = calloc(edges, sizeof(*s->readers));
	s->waits = calloc(operations, sizeof(*s->waits));
	s->next = calloc(operations, sizeof(*s->next));
	s->heads = malloc(owner_count * sizeof(*s->heads));
	s->tails = malloc(owner_count * sizeof(*s->tails));
	s->piece = calloc(operations, sizeof(*s->piece));
	s->order = calloc(operations, sizeof(*s->order));
	if (!s->first || !s->readers || !s->waits || !s->next || !s->heads || !s->tails ||
	    !s->piece || !s->order) {
		split_fini(s);
		return -ENOMEM;
	}
	memset(s->heads, 0xff, owner_count * sizeof(*s->heads));
	for (uint32_t i = 0; i < sg->operation_count; i++) {
		const struct nna_operation *operation = &sg->operations[i];

		for (uint32_t k = 0; k < operation->input_count; k++) {
			s->first[operation->inputs[k] + 2]++;
			s->waits[i] += is_computed(sg, operation->inputs[k]);
		}
	}
	for (uint32_t i = 0; i < sg->operand_count; i++)
		s->first[i + 2] += s->first[i + 1];
	/* Each list is filled from its beginning, which first[n + 1] holds until then. */
	for (uint32_t i = 0; i < sg->operation_count; i++) {
		const struct nna_operation *operation = &sg->operations[i];

		for (uint32_t k = 0; k < operation->input_count; k++)
			s->readers[s->first[operation->inputs[k] + 1]++] = i;
	}
	return 0;
}

/* Appends an operation that is ready to its owner's queue. */
static void push(struct split *s, uint32_t operation)
{
	uint32_t owner = s->owners[operation];

	s->next[operation] = NNA_NONE;
	if (s->heads[owner] == NNA_NONE)
		s->heads[owner] = operation;
	else
		s->next[s->tails[owner]] = operation;
	s->tails[owner] = operation;
}

/* Assigns each operation to a piece, and orders them. */
static void deal(struct split *s, uint32_t owner_count)
{
	const struct nna_subgraph *sg = s->sg;
	uint32_t owner = 0, done = 0;

	for (uint32_t p = 0; p < sg->operation_count; p++) {
		if (!s->waits[sg->order[p]])
			push(s, sg->order[p]);
	}
	while (done < sg->operation_count) {
		for (owner = 0; owner < owner_count && s->heads[owner] == NNA_NONE;)
			owner++;
		while (s->heads[owner] != NNA_NONE) {
			uint32_t i = s->heads[owner];
			const struct nna_operation *operation = &sg->operations[i];

			s->heads[owner] = s->next[i];
			s->piece[i] = s->count;
			s->order[done++] = i;
			for (uint32_t k = 0; k < operation->output_count; k++) {
				uint32_t o = operation->outputs[k];

				/* An optional output that is omitted has no readers. */
				if (!is_computed(sg, o))
					continue;
				for (uint32_t r = s->first[o]; r < s->first[o + 1]; r++) {
					if (!--s->waits[s->readers[r]])
						push(s, s->readers[r]);
				}
			}
		}
		s->count++;
	}
}

/* True if a piece other than the one that computes an operand reads it, or if it is an output. */
static bool leaves(const struct split *s, uint32_t operand, uint32_t piece)
{
	if (s->sg->operands[operand].lifetime == NNA_LIFETIME_OUTPUT)
		return true;
	for (uint32_t r = s->first[operand]; r < s->first[operand + 1]; r++) {
		if (s->piece[s->readers[r]] != piece)
			return true;
	}
	return false;
}

/* Return: the shape that a piece states for an operand. */
static const struct nna_shape *shape_of(const struct nna_operand *operand)
{
	const struct nna_shape *shape = &operand->shape;

	if (!shape->rank_known || !shape->final || shape->bounded)
		return &operand->stated;
	for (uint32_t k = 0; k < shape->rank; k++) {
		if (!shape->dims[k])
			return &operand->stated;
	}
	return shape;
}

/**
 * struct builder - a piece that is built
 * @piece: the result
 * @numbers: for each operand of the whole its number in the piece, or NNA_NONE
 * @list: room for the operands of one operation
 * @same: for each subgraph its own number, because subgraphs keep their numbers
 * @nested: an operation refers to a subgraph
 */
struct builder {
	struct nna_graph_piece *piece;
	uint32_t *numbers, *list, *same;
	bool nested;
};

/* Adds the operands of one list of an operation to the piece, and to its inputs or outputs. */
static int add_operands(const struct split *s, struct builder *b, uint32_t count,
			const uint32_t *operands, bool output, uint32_t number, uint32_t *list)
{
	for (uint32_t k = 0; k < count; k++) {
		const struct nna_operand *operand = &s->sg->operands[operands[k]];
		uint32_t *known = &b->numbers[operands[k]];
		bool computed = is_computed(s->sg, operands[k]);
		int ret;

		if (*known == NNA_NONE) {
			ret = nna_graph_copy_operand(b->piece->graph, 0, operand, shape_of(operand),
						     b->same);
			if (ret < 0)
				return ret;
			*known = ret;
			b->nested |= operand->lifetime == NNA_LIFETIME_SUBGRAPH;
			if (!output && (computed || operand->lifetime == NNA_LIFETIME_INPUT))
				b->piece->inputs[b->piece->input_count++] = operands[k];
		}
		if (output && computed && leaves(s, operands[k], number))
			b->piece->outputs[b->piece->output_count++] = operands[k];
		list[k] = *known;
	}
	return 0;
}

/*
 * Adds an operation. Operands that it reads and that no operation of this piece writes are inputs.
 */
static int add_operation(const struct split *s, struct builder *b, uint32_t i, uint32_t number)
{
	const struct nna_operation *operation = &s->sg->operations[i];
	uint32_t *outputs = b->list + operation->input_count;
	int ret;

	ret = add_operands(s, b, operation->input_count, operation->inputs, false, number, b->list);
	if (!ret)
		ret = add_operands(s, b, operation->output_count, operation->outputs, true, number,
				   outputs);
	if (ret)
		return ret;
	return nna_graph_add_operation(b->piece->graph, 0, operation->type, operation->input_count,
				       b->list, operation->output_count, outputs);
}

/* States inputs and outputs by their numbers in the piece. */
static int set_io(struct builder *b)
{
	struct nna_graph_piece *piece = b->piece;
	uint32_t *io = calloc((size_t)piece->input_count + piece->output_count + 1, sizeof(*io));
	int ret;

	if (!io)
		return -ENOMEM;
	for (uint32_t i = 0; i < piece->input_count; i++)
		io[i] = b->numbers[piece->inputs[i]];
	for (uint32_t i = 0; i < piece->output_count; i++)
		io[piece->input_count + i] = b->numbers[piece->outputs[i]];
	ret = nna_graph_set_io(piece->graph, 0, piece->input_count, io, piece->output_count,
			       io + piece->input_count);
	free(io);
	return ret;
}

/*
 * Builds the piece of operations @order[@from, @to). A piece whose results are not used has no
 * outputs.
 */
static int build(const struct nna_graph *graph, const struct split *s, struct builder *b,
		 uint32_t from, uint32_t to, uint32_t number)
{
	struct nna_graph_piece *piece = b->piece;
	size_t inputs = 1, outputs = 1, most = 1;
	int ret;

	for (uint32_t p = from; p < to; p++) {
		const struct nna_operation *operation = &s->sg->operations[s->order[p]];
		size_t all = (size_t)operation->input_count + operation->output_count;

		inputs += operation->input_count;
		outputs += operation->output_count;
		most = all > most ? all : most;
	}
	piece->owner = s->owners[s->order[from]];
	piece->inputs = calloc(inputs, sizeof(*piece->inputs));
	piece->outputs = calloc(outputs, sizeof(*piece->outputs));
	b->list = calloc(most, sizeof(*b->list));
	if (!piece->inputs || !piece->outputs || !b->list)
		return -ENOMEM;
	ret = nna_graph_create(&graph->log, &piece->graph);
	for (uint32_t p = from; p < to && !ret; p++)
		ret = add_operation(s, b, s->order[p], number);
	for (uint32_t i = 1; i < graph->subgraph_count && b->nested && !ret; i++) {
		ret = nna_graph_add_subgraph(piece->graph);
		ret = ret < 0 ? ret : nna_graph_copy_subgraph(piece->graph, i, graph, i, b->same);
	}
	if (ret || !piece->output_count)
		return ret;
	ret = set_io(b);
	if (!ret)
		ret = nna_graph_set_relaxed(piece->graph, graph->relaxed);
	if (!ret)
		ret = nna_graph_set_rounding(piece->graph, graph->rounding);
	if (!ret)
		ret = nna_graph_finish_leniently(piece->graph);
	return ret;
}

static void piece_free(struct nna_graph_piece *piece)
{
	nna_graph_unref(piece->graph);
	free(piece->inputs);
	free(piece->outputs);
}

void nna_graph_pieces_free(struct nna_graph_piece *pieces, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		piece_free(&pieces[i]);
	free(pieces);
}

static int build_all(const struct nna_graph *graph, const struct split *s,
		     struct nna_graph_piece **pieces, uint32_t *count)
{
	struct nna_graph_piece *all = calloc(s->count, sizeof(*all));
	struct builder b = {
		.numbers = malloc(((size_t)s->sg->operand_count + 1) * sizeof(*b.numbers)),
		.same = calloc(graph->subgraph_count, sizeof(*b.same)),
	};
	uint32_t made = 0, from = 0, to;
	int ret = all && b.numbers && b.same ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < graph->subgraph_count && !ret; i++)
		b.same[i] = i;
	for (uint32_t i = 0; i < s->count && !ret; i++, from = to) {
		for (to = from; to < s->sg->operation_count && s->piece[s->order[to]] == i;)
			to++;
		b.piece = &all[made];
		b.nested = false;
		memset(b.numbers, 0xff, s->sg->operand_count * sizeof(*b.numbers));
		ret = build(graph, s, &b, from, to, i);
		free(b.list);
		if (b.piece->output_count) {
			made++;
		} else {
			piece_free(b.piece);
			*b.piece = (struct nna_graph_piece){ 0 };
		}
	}
	free(b.numbers);
	free(b.same);
	if (ret) {
		if (all)
			nna_graph_pieces_free(all, made);
		return ret;
	}
	*pieces = all;
	*count = made;
	return 0;
}

int nna_graph_split(const struct nna_graph *graph, const uint32_t *owners, uint32_t owner_count,
		    struct nna_graph_piece **pieces, uint32_t *count)
{
	const struct nna_subgraph *sg;
	struct split s;
	int ret;

	if (!graph)
		return -EINVAL;
	if (!graph->finished || graph->failed || graph->whole || !owners || !owner_count) {
		nna_log_print(&graph->log, NNA_LOG_ERROR, "the graph cannot be split: %s",
			      !graph->finished ? "call nna_graph_finish() first" :
			      graph->failed ? "it failed to finish, build another one" :
			      graph->whole ? "it is a part of another graph" :
					     "there are no owners");
		return -EINVAL;
	}
	sg = &graph->subgraphs[0];
	for (uint32_t i = 0; i < sg->operation_count; i++) {
		const char *name = nna_operation_name(sg->operations[i].type);

		if (owners[i] < owner_count)
			continue;
		nna_log_print(&graph->log, NNA_LOG_ERROR,
			      "%s (operation %u) has owner %u: owners are numbered from 0 to %u",
			      name ? name : "?", i, owners[i], owner_count - 1);
		return -EINVAL;
	}
	for (uint32_t i = 0; i < sg->operand_count; i++) {
		if (sg->operands[i].lifetime == NNA_LIFETIME_VARIABLE)
			return -ENOTSUP;
	}
	ret = split_init(&s, sg, owners, owner_count);
	if (ret)
		return ret;
	deal(&s, owner_count);
	ret = build_all(graph, &s, pieces, count);
	split_fini(&s);
	return ret;
}
