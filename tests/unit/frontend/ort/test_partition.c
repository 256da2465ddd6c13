// SPDX-License-Identifier: MIT
/* Groups of nodes: each convex, units whole, and as few as that allows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/ort/partition.h"

#define MOST 40

/**
 * struct net - a model of nodes that have one output each
 * @taken: of each node
 */
struct net {
	struct onnx_model *model;
	bool taken[MOST];
	uint32_t units[MOST], groups[MOST], count;
};

static struct net make_net(void)
{
	struct net n = { .model = onnx_model_create() };

	assert_non_null(n.model);
	return n;
}

/* A node that reads those of @from, which end with -1, or the input of the model. */
static void add(struct net *n, bool taken, const int *from)
{
	const uint32_t number = n->model->node_count;
	struct onnx_node *node = onnx_model_add_node(n->model, 4, 1, 0);
	char name[16];

	assert_non_null(node);
	for (; *from >= 0; from++)
		node->inputs[node->input_count++] = n->model->nodes[*from].outputs[0];
	if (!node->input_count) {
		node->inputs[node->input_count++] = onnx_model_value(n->model, "x");
		if (!n->model->input_count)
			assert_true(onnx_model_add_input(n->model, node->inputs[0]));
	}
	snprintf(name, sizeof(name), "v%u", number);
	node->outputs[node->output_count++] = onnx_model_value(n->model, name);
	n->taken[number] = taken;
	n->units[number] = number;
}

#define ADD(n, taken, ...) add(n, taken, (const int[]){ __VA_ARGS__ __VA_OPT__(,) -1 })

/* Whether a way from node @from leads out of its group and back. */
static bool leaves(const struct net *n, uint32_t group, uint32_t node, bool outside)
{
	const struct onnx_model *m = n->model;

	for (uint32_t i = node + 1; i < m->node_count; i++)
		for (uint32_t k = 0; k < m->nodes[i].input_count; k++) {
			const bool is_ours = n->groups[i] == group;

			if (m->values[m->nodes[i].inputs[k]].writer != node)
				continue;
			if ((outside && is_ours) || leaves(n, group, i, outside || !is_ours))
				return true;
		}
	return false;
}

static void check(struct net *n, uint32_t wanted)
{
	char error[ONNX_ERROR_SIZE];

	assert_int_equal(onnx_model_complete(n->model, error), 0);
	assert_int_equal(ort_partition(n->model, n->units, n->taken, n->groups, &n->count), 0);
	for (uint32_t i = 0; i < n->model->node_count; i++) {
		assert_int_equal(n->groups[i] != ORT_NO_GROUP, n->taken[i]);
		assert_int_equal(n->groups[i], n->groups[n->units[i]]);
		if (n->taken[i])
			assert_false(leaves(n, n->groups[i], i, false));
	}
	if (wanted != UINT32_MAX)
		assert_int_equal(n->count, wanted);
	onnx_model_free(n->model);
}

static void all_of_it(void **state)
{
	struct net n = make_net();

	ADD(&n, true);
	ADD(&n, true, 0);
	ADD(&n, true, 0, 1);
	check(&n, 1);
}

static void none_of_it(void **state)
{
	struct net n = make_net();

	ADD(&n, false);
	ADD(&n, false, 0);
	check(&n, 0);
}

/* A node between two others, beside a way that does not lead through it. */
static void one_between(void **state)
{
	struct net n = make_net();

	ADD(&n, true);
	ADD(&n, false, 0);
	ADD(&n, true, 0);
	ADD(&n, true, 1, 2);
	check(&n, 2);
}

/* One at the beginning, and one at the end, part nothing. */
static void ones_at_the_ends(void **state)
{
	struct net n = make_net();

	ADD(&n, false);
	ADD(&n, true, 0);
	ADD(&n, true);
	ADD(&n, true, 1, 2);
	ADD(&n, false, 3);
	check(&n, 1);
}

/* A part of a unit that is not taken takes the unit along. */
static void unit_that_is_not_whole(void **state)
{
	struct net n = make_net();

	ADD(&n, true);
	ADD(&n, true, 0);
	ADD(&n, false, 1);
	n.units[0] = n.units[2] = 1;
	check(&n, 0);
}

/* The first node of a unit is ready before the others are. */
static void unit_across_levels(void **state)
{
	struct net n = make_net();

	ADD(&n, true);
	ADD(&n, false, 0);
	ADD(&n, true);		/* DequantizeLinear of an input */
	ADD(&n, true, 1, 2);
	ADD(&n, true, 3);
	n.units[2] = n.units[4] = 3;
	check(&n, 2);
}

static void random_nets(void **state)
{
	srand(38);
	for (int round = 0; round < 300; round++) {
		struct net n = make_net();
		const int count = 2 + rand() % 18;

		for (int i = 0; i < count; i++) {
			int from[4] = { -1, -1, -1, -1 };

			for (int k = 0; k < 3 && i; k++)
				from[k] = rand() % 4 ? rand() % i : -1;
			add(&n, rand() % 3, from);
		}
		check(&n, UINT32_MAX);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_of_it),
		cmocka_unit_test(none_of_it),
		cmocka_unit_test(one_between),
		cmocka_unit_test(ones_at_the_ends),
		cmocka_unit_test(unit_that_is_not_whole),
		cmocka_unit_test(unit_across_levels),
		cmocka_unit_test(random_nets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
