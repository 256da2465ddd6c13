// SPDX-License-Identifier: MIT
/*
 * Models that are sound by their form and ask for what cannot be: each is refused with a line that
 * names the node, and nothing is read beyond a list's end. What sound models compute is tests/onnx.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "frontend/onnx/translate.h"

/* A model of one operator that gives y. */
static struct onnx_model *make(const char *op, uint32_t inputs, uint32_t attributes)
{
	struct onnx_model *m = onnx_model_create();
	struct onnx_node *node;
	uint32_t y;

	assert_non_null(m);
	m->opset = 21;
	node = onnx_model_add_node(m, inputs, 1, attributes);
	assert_non_null(node);
	node->op = op;
	node->version = 21;
	y = onnx_model_value(m, "y");
	node->outputs[node->output_count++] = y;
	assert_true(onnx_model_add_output(m, y));
	return m;
}

/* An input of the node: a constant with @data, else one of the model. */
static void add(struct onnx_model *m, uint32_t type, const void *data, size_t size, uint32_t rank,
		const int64_t *dims)
{
	struct onnx_node *node = &m->nodes[0];
	struct onnx_value *value;
	uint32_t number;
	char name[8];

	snprintf(name, sizeof(name), "x%u", node->input_count);
	number = onnx_model_value(m, name);
	node->inputs[node->input_count++] = number;
	value = &m->values[number];
	value->shaped = true;
	value->tensor = (struct onnx_tensor){ .type = type, .rank = rank, .data = data,
					      .size = size };
	memcpy(value->tensor.dims, dims, rank * sizeof(*dims));
	if (!data)
		assert_true(onnx_model_add_input(m, number));
}

#define DIMS(...) (const int64_t[]){ __VA_ARGS__ }

static void put_ints(struct onnx_model *m, const char *name, const int64_t *ints, uint32_t count)
{
	struct onnx_node *node = &m->nodes[0];

	node->attributes[node->attribute_count++] = (struct onnx_attribute){
		.name = name, .kind = ONNX_KIND_INTS, .ints = ints, .count = count };
}

static void refused(struct onnx_model *m, const char *words)
{
	char error[ONNX_ERROR_SIZE] = "";
	struct nna_graph *graph;
	struct onnx_origin origin;

	assert_int_equal(onnx_model_complete(m, error), 0);
	assert_int_not_equal(onnx_to_graph(m, NULL, NULL, &graph, NULL, error), 0);
	if (!strstr(error, words))
		fail_msg("\"%s\" does not say \"%s\"", error, words);
	/* Where it is asked what can be translated, it is the node's reason. */
	if (!onnx_to_partial_graph(m, NULL, NULL, &graph, &origin, error)) {
		assert_non_null(origin.why[0]);
		onnx_origin_free(&origin);
		nna_graph_unref(graph);
	}
	onnx_model_free(m);
}

static const float FLOATS[64];

static void perm_that_names_an_axis_twice(void **state)
{
	struct onnx_model *m = make("Transpose", 1, 1);

	add(m, ONNX_FLOAT, FLOATS, 16, 2, DIMS(2, 2));
	put_ints(m, "perm", DIMS(1, 1), 2);
	refused(m, "");
}

static void lists_that_are_too_short(void **state)
{
	struct onnx_model *m = make("Slice", 1, 0);

	add(m, ONNX_INT64, FLOATS, 16, 1, DIMS(2));
	refused(m, "node 0 (Slice)");
	m = make("Range", 3, 0);
	for (int i = 0; i < 3; i++)
		add(m, ONNX_INT64, "", 0, 1, DIMS(0));
	refused(m, "node 0 (Range)");
	m = make("Gather", 1, 0);
	add(m, ONNX_FLOAT, NULL, 0, 1, DIMS(4));
	refused(m, "node 0 (Gather): it has no input 1");
	m = make("Gemm", 1, 0);
	add(m, ONNX_FLOAT, NULL, 0, 2, DIMS(4, 4));
	refused(m, "node 0 (Gemm): it has no input 1");
	m = make("QuantizeLinear", 0, 0);
	refused(m, "node 0 (QuantizeLinear)");
}

static void lists_that_are_not_there(void **state)
{
	static const struct {
		const char *op, *words;
	} cases[] = {
		{ "Reshape", "node 0 (Reshape): it has no input 1" },
		{ "Expand", "node 0 (Expand): it has no input 1" },
		{ "Tile", "node 0 (Tile)" },
		{ "Unsqueeze", "node 0 (Unsqueeze)" },
		{ "Pad", "node 0 (Pad)" },
		{ "Slice", "node 0 (Slice)" },
		{ "Resize", "node 0 (Resize)" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct onnx_model *m = make(cases[i].op, 1, 0);

		add(m, ONNX_FLOAT, NULL, 0, 4, DIMS(1, 2, 2, 4));
		refused(m, cases[i].words);
	}
}

static void dilation_of_a_filter_that_is_too_large(void **state)
{
	struct onnx_model *m = make("ConvTranspose", 2, 1);

	add(m, ONNX_FLOAT, NULL, 0, 4, DIMS(1, 1, 8, 8));
	add(m, ONNX_FLOAT, FLOATS, 16, 4, DIMS(1, 1, 2, 2));
	put_ints(m, "dilations", DIMS(16000000, 16000000), 2);
	refused(m, "dilation");
}

static void sizes_beyond_the_input(void **state)
{
	static const int64_t sizes[] = { INT64_MAX, INT64_MAX };
	struct onnx_model *m = make("Split", 2, 0);

	m->nodes[0].outputs = onnx_model_allocate(m, 2 * sizeof(uint32_t));
	m->nodes[0].outputs[0] = onnx_model_value(m, "y");
	m->nodes[0].outputs[1] = onnx_model_value(m, "z");
	m->nodes[0].output_count = 2;
	add(m, ONNX_FLOAT, NULL, 0, 1, DIMS(4));
	add(m, ONNX_INT64, sizes, 16, 1, DIMS(2));
	refused(m, "node 0 (Split)");
	m = make("Tile", 2, 0);
	add(m, ONNX_FLOAT, NULL, 0, 1, DIMS(4));
	add(m, ONNX_INT64, sizes, 8, 1, DIMS(1));
	refused(m, "node 0 (Tile)");
	m = make("ConvTranspose", 2, 1);
	add(m, ONNX_FLOAT, NULL, 0, 4, DIMS(1, 1, 8, 8));
	add(m, ONNX_FLOAT, FLOATS, 16, 4, DIMS(1, 1, 2, 2));
	put_ints(m, "output_shape", sizes, 2);
	refused(m, "output_shape");
}

static void operators_and_attributes_that_are_not_known(void **state)
{
	struct onnx_model *m = make("Flip", 1, 0);

	add(m, ONNX_FLOAT, NULL, 0, 1, DIMS(4));
	refused(m, "node 0 (Flip): there is no translation of this operator");
	m = make("Relu", 1, 1);
	add(m, ONNX_FLOAT, NULL, 0, 1, DIMS(4));
	put_ints(m, "slope", DIMS(1), 1);
	refused(m, "node 0 (Relu): the attribute slope");
	m = make("Relu", 1, 0);
	add(m, ONNX_DOUBLE, NULL, 0, 1, DIMS(4));
	refused(m, "DOUBLE");
}

static void type_of_a_result_that_is_not_the_scale_s(void **state)
{
	static const float scale = 1;
	struct onnx_model *m = make("DequantizeLinear", 2, 1);
	struct onnx_node *node = &m->nodes[0];

	node->version = 23;
	add(m, ONNX_INT8, NULL, 0, 1, DIMS(4));
	add(m, ONNX_FLOAT, &scale, sizeof(scale), 0, DIMS(0));
	node->attributes[node->attribute_count++] = (struct onnx_attribute){
		.name = "output_dtype", .kind = ONNX_KIND_INT, .i = ONNX_FLOAT16 };
	refused(m, "an output_dtype of FLOAT16 with scales of FLOAT");
}

/* A node behind those that there are, which reads the values of these names and gives the last. */
static struct onnx_node *chain(struct onnx_model *m, const char *op, const char *const *inputs,
			       uint32_t count, const char *output)
{
	struct onnx_node *node = onnx_model_add_node(m, count, 1, 0);

	assert_non_null(node);
	node->op = op;
	node->version = 21;
	for (uint32_t i = 0; i < count; i++)
		node->inputs[node->input_count++] = onnx_model_value(m, inputs[i]);
	node->outputs[node->output_count++] = onnx_model_value(m, output);
	return node;
}

#define NAMES(...) (const char *const[]){ __VA_ARGS__ }

/*
 * A sum of dequantised numbers, Relu and QuantizeLinear, which are one operation. The model's node
 * @number is given the domain @domain.
 */
static struct onnx_model *quantised_sum(uint32_t number, const char *domain)
{
	static const float scale = 1;
	static const int8_t zero;
	struct onnx_model *m = make("DequantizeLinear", 3, 0);
	uint32_t z;

	add(m, ONNX_INT8, NULL, 0, 1, DIMS(4));
	add(m, ONNX_FLOAT, &scale, sizeof(scale), 0, DIMS(0));
	add(m, ONNX_INT8, &zero, sizeof(zero), 0, DIMS(0));
	chain(m, "DequantizeLinear", NAMES("x0", "x1", "x2"), 3, "b");
	chain(m, "Add", NAMES("y", "b"), 2, "sum");
	chain(m, "Relu", NAMES("sum"), 1, "r");
	chain(m, "QuantizeLinear", NAMES("r", "x1", "x2"), 3, "z");
	z = onnx_model_value(m, "z");
	m->outputs[0] = z;
	m->nodes[number].domain = domain;
	return m;
}

/* Operators of another domain are none of ours, whatever their names are. */
static void unit_with_a_node_of_another_domain(void **state)
{
	static const char *const words[] = { "node 3 (Relu): there is no translation",
					     "node 4 (QuantizeLinear): there is no translation" };
	struct onnx_model *m = quantised_sum(0, "");
	char error[ONNX_ERROR_SIZE] = "";
	struct onnx_origin origin;
	struct nna_graph *graph;

	assert_int_equal(onnx_model_complete(m, error), 0);
	assert_int_equal(onnx_to_graph(m, NULL, NULL, &graph, &origin, error), 0);
	/* Else nothing below is a unit. */
	assert_int_equal(origin.units[3], 2);
	assert_int_equal(origin.units[4], 2);
	onnx_origin_free(&origin);
	nna_graph_unref(graph);
	onnx_model_free(m);
	for (uint32_t i = 0; i < 2; i++) {
		m = quantised_sum(3 + i, "example.com");
		assert_int_equal(onnx_model_complete(m, error), 0);
		assert_int_equal(onnx_to_graph(m, NULL, NULL, &graph, NULL, error), -ENOTSUP);
		if (!strstr(error, words[i]))
			fail_msg("\"%s\" does not say \"%s\"", error, words[i]);
		onnx_model_free(m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(perm_that_names_an_axis_twice),
		cmocka_unit_test(lists_that_are_too_short),
		cmocka_unit_test(lists_that_are_not_there),
		cmocka_unit_test(dilation_of_a_filter_that_is_too_large),
		cmocka_unit_test(sizes_beyond_the_input),
		cmocka_unit_test(operators_and_attributes_that_are_not_known),
		cmocka_unit_test(type_of_a_result_that_is_not_the_scale_s),
		cmocka_unit_test(unit_with_a_node_of_another_domain),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
