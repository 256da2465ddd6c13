// SPDX-License-Identifier: MIT
#include "frontend/tflite/composite.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tflite/label.h"

/* The number of a tensor of the decomposition that has none in the subgraph yet. */
#define UNKNOWN (-2)

enum state { NEW, ACTIVE, DONE };

/**
 * struct inliner - one call of tflite_inline_composites()
 * @states: of each subgraph
 * @total: operators, tensors and tensor numbers that have been added
 */
struct inliner {
	struct tflite_model *model;
	uint8_t *states;
	uint64_t total;
	char *error;
};

/**
 * struct target - a subgraph while the decompositions are put into it
 * @sub: the new lists; tensors keep their numbers
 * @operator_room: operators that @sub has memory for
 * @tensor_room: likewise
 * @map: for each tensor of a decomposition its number in @sub, or UNKNOWN
 */
struct target {
	struct tflite_subgraph sub;
	uint32_t operator_room, tensor_room;
	int32_t *map;
};

#define refuse(in, op, wrong, ...) say(in, op, wrong "; expected " __VA_ARGS__)

/* Writes a line that names the composite @op. Return: -EINVAL. */
static __attribute__((format(printf, 3, 4))) int
say(struct inliner *in, const struct tflite_operator *op, const char *format, ...)
{
	char label[TFLITE_LABEL_SIZE];
	size_t n = (size_t)snprintf(in->error, TFLITE_ERROR_SIZE, "%s: ",
				    tflite_operator_label(op, label));
	va_list ap;

	va_start(ap, format);
	vsnprintf(in->error + n, TFLITE_ERROR_SIZE - n, format, ap);
	va_end(ap);
	return -EINVAL;
}

/* Counts @parts that are to be added. */
static int take(struct inliner *in, const struct tflite_operator *op, uint64_t parts)
{
	in->total += parts;
	if (in->total > TFLITE_MAX_INLINED)
		return refuse(in, op, "more than %u operators and tensors in all decompositions",
			      "fewer", TFLITE_MAX_INLINED);
	return 0;
}

static struct tflite_operator *add_operator(struct target *to)
{
	struct tflite_operator *grown;

	if (to->sub.operator_count == to->operator_room) {
		to->operator_room = to->operator_room ? 2 * to->operator_room : 16;
		grown = realloc(to->sub.operators, to->operator_room * sizeof(*grown));
		if (!grown)
			return NULL;
		to->sub.operators = grown;
	}
	return &to->sub.operators[to->sub.operator_count++];
}

/* Return: the number of a copy of @x in the subgraph, -1 without memory. */
static int32_t add_tensor(struct target *to, const struct tflite_tensor *x)
{
	struct tflite_tensor *grown;

	if (to->sub.tensor_count == to->tensor_room) {
		to->tensor_room = to->tensor_room ? 2 * to->tensor_room : 16;
		grown = realloc(to->sub.tensors, to->tensor_room * sizeof(*grown));
		if (!grown)
			return -1;
		to->sub.tensors = grown;
	}
	to->sub.tensors[to->sub.tensor_count] = *x;
	return (int32_t)to->sub.tensor_count++;
}

/* Whether two tensors mean the same by the same bytes. */
static bool is_alike(const struct tflite_tensor *a, const struct tflite_tensor *b)
{
	if (a->block_size || b->block_size || a->scale_count != b->scale_count ||
	    a->zero_point_count != b->zero_point_count ||
	    (a->scale_count > 1 && a->channel_dim != b->channel_dim))
		return false;
	for (uint32_t i = 0; i < a->zero_point_count; i++)
		if (tflite_zero_point_at(a, i) != tflite_zero_point_at(b, i))
			return false;
	return !a->scale_count || !memcmp(a->scales, b->scales, a->scale_count * sizeof(float));
}

/* Adds a copy of tensor @from to tensor @into, which is what is left of the composite @op. */
static int add_copy(struct inliner *in, struct target *to, const struct tflite_operator *op,
		    int32_t from, int32_t into)
{
	int32_t *list = tflite_derive(in->model, 2 * sizeof(*list));
	struct tflite_operator *copy = list ? add_operator(to) : NULL;

	if (!copy)
		return -ENOMEM;
	list[0] = from;
	list[1] = into;
	*copy = *op;
	copy->inputs = (struct tflite_ints){ list, 1 };
	copy->outputs = (struct tflite_ints){ list + 1, 1 };
	copy->intermediates = (struct tflite_ints){ 0 };
	return take(in, op, 3);
}

/* Writes the numbers that a list of the decomposition has in the subgraph. */
static int map_list(struct inliner *in, const struct target *to, struct tflite_ints *list)
{
	int32_t *mapped;

	if (!list->count)
		return 0;
	mapped = tflite_derive(in->model, list->count * sizeof(*mapped));
	if (!mapped)
		return -ENOMEM;
	for (uint32_t i = 0; i < list->count; i++)
		mapped[i] = list->at[i] < 0 ? -1 : to->map[list->at[i]];
	list->at = mapped;
	return 0;
}

/* Gives the inputs of the decomposition @d the numbers of the composite's. */
static int bind_inputs(struct inliner *in, struct target *to, const struct tflite_operator *op,
		       const struct tflite_subgraph *d)
{
	for (uint32_t i = 0; i < d->inputs.count; i++) {
		int32_t inner = d->inputs.at[i], outer = op->inputs.at[i];
		const struct tflite_tensor *x = &d->tensors[inner];

		if (to->map[inner] != UNKNOWN || x->data || x->variable)
			return refuse(in, op, "input %u of its decomposition has a value",
				      "each input once, without data", i);
		if (outer >= 0 && to->sub.tensors[outer].type != x->type)
			return refuse(in, op, "input %u has type %u", "%u, as in its decomposition",
				      i, to->sub.tensors[outer].type, x->type);
		if (outer >= 0 && !is_alike(x, &to->sub.tensors[outer])) {
			int ret;

			to->map[inner] = add_tensor(to, x);
			if (to->map[inner] < 0)
				return -ENOMEM;
			ret = add_copy(in, to, op, outer, to->map[inner]);
			if (ret)
				return ret;
		} else {
			to->map[inner] = outer;
		}
	}
	return 0;
}

/* Gives those results of @d that are nothing else the numbers of the composite's outputs. */
static int bind_outputs(struct inliner *in, struct target *to, const struct tflite_operator *op,
			const struct tflite_subgraph *d)
{
	for (uint32_t i = 0; i < d->outputs.count; i++) {
		int32_t inner = d->outputs.at[i], outer = op->outputs.at[i];
		const struct tflite_tensor *y = &d->tensors[inner];

		if (to->sub.tensors[outer].type != y->type)
			return refuse(in, op, "output %u has type %u",
				      "%u, as in its decomposition", i,
				      to->sub.tensors[outer].type, y->type);
		if (to->map[inner] == UNKNOWN && !y->data && !y->variable &&
		    is_alike(y, &to->sub.tensors[outer]))
			to->map[inner] = outer;
	}
	return 0;
}

static int add_others(struct target *to, const struct tflite_subgraph *d)
{
	const uint32_t before = to->sub.tensor_count;

	for (uint32_t i = 0; i < d->tensor_count; i++) {
		if (to->map[i] != UNKNOWN)
			continue;
		to->map[i] = add_tensor(to, &d->tensors[i]);
		if (to->map[i] < 0)
			return -ENOMEM;
	}
	for (uint32_t i = before; i < to->sub.tensor_count; i++) {
		struct tflite_tensor *x = &to->sub.tensors[i];

		if (x->block_size && to->map[x->block_scales] >= 0)
			x->block_scales = (uint32_t)to->map[x->block_scales];
	}
	return 0;
}

/* An error if an operator of the decomposition of @op writes a tensor that is omitted. */
static int check_written(struct inliner *in, const struct tflite_operator *op,
			 const struct tflite_operator *copy)
{
	const struct tflite_ints lists[] = { copy->outputs, copy->intermediates };

	for (int k = 0; k < 2; k++)
		for (uint32_t i = 0; i < lists[k].count; i++)
			if (lists[k].at[i] < 0)
				return refuse(in, op, "operator %u of its decomposition writes an "
					      "input that is omitted", "a tensor", copy->number);
	return 0;
}

static int add_operators(struct inliner *in, struct target *to, const struct tflite_operator *op,
			 const struct tflite_subgraph *d)
{
	int ret = 0;

	for (uint32_t i = 0; i < d->operator_count && !ret; i++) {
		struct tflite_operator *copy = add_operator(to);

		if (!copy)
			return -ENOMEM;
		*copy = d->operators[i];
		if (!copy->composite)
			copy->composite = op->options.name;
		ret = take(in, op, 1ull + copy->inputs.count + copy->outputs.count +
			   copy->intermediates.count);
		if (!ret)
			ret = map_list(in, to, &copy->inputs);
		if (!ret)
			ret = map_list(in, to, &copy->outputs);
		if (!ret)
			ret = map_list(in, to, &copy->intermediates);
		if (!ret)
			ret = check_written(in, op, copy);
	}
	return ret;
}

/* Adds the operators of the decomposition of @op, which is free of composites. */
static int expand(struct inliner *in, struct target *to, const struct tflite_operator *op)
{
	const struct tflite_subgraph *d = &in->model->subgraphs[op->options.subgraph_a];
	int ret;

	if (d->inputs.count != op->inputs.count || d->outputs.count != op->outputs.count)
		return refuse(in, op, "%u inputs and %u outputs",
			      "%u and %u, those of its decomposition", op->inputs.count,
			      op->outputs.count, d->inputs.count, d->outputs.count);
	ret = take(in, op, (uint64_t)d->tensor_count + d->operator_count);
	if (ret)
		return ret;
	to->map = malloc(((size_t)d->tensor_count + 1) * sizeof(*to->map));
	if (!to->map)
		return -ENOMEM;
	for (uint32_t i = 0; i < d->tensor_count; i++)
		to->map[i] = UNKNOWN;
	ret = bind_inputs(in, to, op, d);
	if (!ret)
		ret = bind_outputs(in, to, op, d);
	if (!ret)
		ret = add_others(to, d);
	if (!ret)
		ret = add_operators(in, to, op, d);
	for (uint32_t i = 0; i < d->outputs.count && !ret; i++)
		if (to->map[d->outputs.at[i]] < 0)
			ret = refuse(in, op, "output %u is an input that is omitted",
				     "a tensor", i);
		else if (to->map[d->outputs.at[i]] != op->outputs.at[i])
			ret = add_copy(in, to, op, to->map[d->outputs.at[i]], op->outputs.at[i]);
	free(to->map);
	return ret;
}

static bool has_composites(const struct tflite_subgraph *sub)
{
	for (uint32_t i = 0; i < sub->operator_count; i++)
		if (sub->operators[i].code == TFLITE_STABLEHLO_COMPOSITE)
			return true;
	return false;
}

static int inline_subgraph(struct inliner *in, uint32_t index);

/* Takes the composites out of the decomposition of @op first. */
static int prepare(struct inliner *in, const struct tflite_operator *op)
{
	int32_t which = op->options.subgraph_a;

	if (!op->options.type)
		return refuse(in, op, "no decomposition", "the number of its subgraph");
	if (which < 0 || (uint32_t)which >= in->model->subgraph_count)
		return refuse(in, op, "subgraph %d", "less than %u", which,
			      in->model->subgraph_count);
	if (in->states[which] == ACTIVE)
		return refuse(in, op, "subgraph %d, which contains the operator",
			      "another decomposition", which);
	return in->states[which] == NEW ? inline_subgraph(in, (uint32_t)which) : 0;
}

static int inline_subgraph(struct inliner *in, uint32_t index)
{
	struct tflite_subgraph *s = &in->model->subgraphs[index];
	struct target to = { .sub = *s };
	int ret = 0;

	in->states[index] = DONE;
	if (!has_composites(s))
		return 0;
	in->states[index] = ACTIVE;
	for (uint32_t i = 0; i < s->operator_count && !ret; i++)
		if (s->operators[i].code == TFLITE_STABLEHLO_COMPOSITE)
			ret = prepare(in, &s->operators[i]);
	if (ret)
		return ret;
	to.tensor_room = s->tensor_count;
	to.sub.operators = NULL;
	to.sub.operator_count = 0;
	for (uint32_t i = 0; i < s->operator_count && !ret; i++) {
		struct tflite_operator *copy;

		if (s->operators[i].code == TFLITE_STABLEHLO_COMPOSITE) {
			ret = expand(in, &to, &s->operators[i]);
			continue;
		}
		copy = add_operator(&to);
		if (copy)
			*copy = s->operators[i];
		else
			ret = -ENOMEM;
	}
	/* The tensors have moved, whatever happened. */
	s->tensors = to.sub.tensors;
	s->tensor_count = to.sub.tensor_count;
	if (ret) {
		free(to.sub.operators);
		return ret;
	}
	free(s->operators);
	s->operators = to.sub.operators;
	s->operator_count = to.sub.operator_count;
	in->states[index] = DONE;
	return 0;
}

int tflite_inline_composites(struct tflite_model *model, char *error)
{
	struct inliner in = { .model = model, .error = error };
	int ret = 0;

	in.states = calloc(model->subgraph_count, sizeof(*in.states));
	if (!in.states)
		return -ENOMEM;
	for (uint32_t i = 0; i < model->subgraph_count && !ret; i++)
		if (in.states[i] == NEW)
			ret = inline_subgraph(&in, i);
	free(in.states);
	return ret;
}
