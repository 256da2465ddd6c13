// SPDX-License-Identifier: MIT
/*
 * Models of front ends: what a finished one is, and that it holds nothing twice.
 *
 * The linker sends every allocation of model.c and the library here, where bytes are counted.
 */
#include <errno.h>
#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "hal-bridge/common/model.h"
#include "libnnaccel/graph/graph.h"
#include "libnnaccel/support/message.h"

/* ---------------------------------------------------------------------------------- allocations */

/* Bytes that are allocated, and the most that there have been since it was last set. */
static size_t held, peak;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_reallocarray(void *old, size_t count, size_t size);
void __real_free(void *memory);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_reallocarray(void *old, size_t count, size_t size);
void __wrap_free(void *memory);

/* Counts @memory, which replaces something of @old bytes unless it is NULL. */
static void *count(void *memory, size_t old)
{
	if (!memory)
		return NULL;
	held += malloc_usable_size(memory) - old;
	if (held > peak)
		peak = held;
	return memory;
}

void *__wrap_malloc(size_t size)
{
	return count(__real_malloc(size), 0);
}

void *__wrap_calloc(size_t n, size_t size)
{
	return count(__real_calloc(n, size), 0);
}

void *__wrap_realloc(void *old, size_t size)
{
	size_t before = malloc_usable_size(old);

	return count(__real_realloc(old, size), before);
}

void *__wrap_reallocarray(void *old, size_t n, size_t size)
{
	size_t before = malloc_usable_size(old);

	return count(__real_reallocarray(old, n, size), before);
}

void __wrap_free(void *memory)
{
	held -= malloc_usable_size(memory);
	__real_free(memory);
}

/* --------------------------------------------------------------------------------------- models */

/* A chain of additions: x + constant + constant ..., each of @size bytes. */
static const struct nna_operand_desc activation = { .type = NNA_OPERAND_INT32 };

static struct nna_operand_desc floats(const uint32_t *elements)
{
	return (struct nna_operand_desc){
		.type = NNA_OPERAND_TENSOR_FLOAT32,
		.rank = 1,
		.dims = elements,
	};
}

/* Operands: 0 the activation, 1 the input, then a constant and a sum for each addition. */
static void collect_chain(struct nnb_model *model, uint32_t length, const void *data, size_t size,
			  bool by_reference)
{
	const uint32_t elements = size / sizeof(float), in = 1, out = 2 * length + 1;
	const struct nna_operand_desc tensor = floats(&elements);
	const int32_t none = 0;

	assert_int_equal(nnb_model_add_operand(model, &activation), 0);
	assert_int_equal(nnb_model_set_value(model, 0, &none, sizeof(none), false), 0);
	assert_int_equal(nnb_model_add_operand(model, &tensor), 0);
	for (uint32_t i = 0; i < length; i++) {
		const uint32_t inputs[] = { 2 * i + 1, 2 * i + 2, 0 }, output = 2 * i + 3;

		assert_int_equal(nnb_model_add_operand(model, &tensor), 0);
		assert_int_equal(nnb_model_set_value(model, 2 * i + 2, data, size, by_reference),
				 0);
		assert_int_equal(nnb_model_add_operand(model, &tensor), 0);
		assert_int_equal(nnb_model_add_operation(model, NNA_OPERATION_ADD, 3, inputs, 1,
							 &output), 0);
	}
	assert_int_equal(nnb_model_set_io(model, 1, &in, 1, &out), 0);
}

/* The same as a graph of the library. */
static struct nna_graph *build_chain(uint32_t length, const void *data, size_t size)
{
	const uint32_t elements = size / sizeof(float), in = 1, out = 2 * length + 1;
	const struct nna_operand_desc tensor = floats(&elements);
	const int32_t none = 0;
	struct nna_graph *graph;

	assert_int_equal(nna_graph_create(NULL, &graph), 0);
	assert_int_equal(nna_graph_add_operand(graph, 0, &activation), 0);
	assert_int_equal(nna_graph_set_constant(graph, 0, 0, &none, sizeof(none), false), 0);
	assert_int_equal(nna_graph_add_operand(graph, 0, &tensor), 1);
	for (uint32_t i = 0; i < length; i++) {
		const uint32_t inputs[] = { 2 * i + 1, 2 * i + 2, 0 }, output = 2 * i + 3;

		assert_true(nna_graph_add_operand(graph, 0, &tensor) > 0);
		assert_int_equal(nna_graph_set_constant(graph, 0, 2 * i + 2, data, size, false), 0);
		assert_true(nna_graph_add_operand(graph, 0, &tensor) > 0);
		assert_int_equal(nna_graph_add_operation(graph, 0, NNA_OPERATION_ADD, 3, inputs, 1,
							 &output), 0);
	}
	assert_int_equal(nna_graph_set_io(graph, 0, 1, &in, 1, &out), 0);
	assert_int_equal(nna_graph_finish(graph), 0);
	return graph;
}

/* Large constants: 4 MiB in all, beside which the tables of eight additions are nothing. */
#define LENGTH 8u
#define SIZE (512u << 10)
#define TABLES (64u << 10)

/* Constants that are copied are held once, at no time twice; those by reference not at all. */
static void constants_exist_once(void **state)
{
	float *data = calloc(1, SIZE);

	assert_non_null(data);
	for (int by_reference = 0; by_reference < 2; by_reference++) {
		const size_t before = held, constants = by_reference ? 0 : LENGTH * SIZE;
		struct nnb_model model = { 0 };

		collect_chain(&model, LENGTH, data, SIZE, by_reference);
		peak = held;
		assert_int_equal(nnb_model_finish(&model), 0);
		print_message("%s: %zu bytes of constants; %zu held, %zu at most in finish\n",
			      by_reference ? "by reference" : "copied", constants, held - before,
			      peak - before);
		assert_true(held - before >= constants);
		assert_true(held - before < constants + TABLES);
		assert_true(peak - before < constants + (by_reference ? 0 : SIZE) + TABLES);
		nnb_model_fini(&model);
		assert_int_equal(held, before);
	}
	free(data);
}

/*
 * Beside its graph a finished model holds its arguments and little else; malloc's rounding is in
 * this. The tables of one addition alone have 400 bytes.
 */
static void check_beside_graph(uint32_t length)
{
	/* As long as a front end copies. */
	static const float data[32];
	struct nnb_model model = { 0 };
	struct nna_graph *graph;
	size_t before = held, with_model, with_graph;

	collect_chain(&model, length, data, sizeof(data), false);
	assert_int_equal(nnb_model_finish(&model), 0);
	with_model = held - before;
	nnb_model_fini(&model);
	assert_int_equal(held, before);
	graph = build_chain(length, data, sizeof(data));
	with_graph = held - before;
	nna_graph_unref(graph);
	assert_int_equal(held, before);
	print_message("%u additions: a model of %zu bytes, %zu of them the graph\n", length,
		      with_model, with_graph);
	assert_true(with_model < with_graph + 1024);
}

static void tables_are_dropped(void **state)
{
	check_beside_graph(1);
	check_beside_graph(1000);
}

static void arguments_are_kept(void **state)
{
	static const float data[4];
	const struct nnb_operand *argument;
	struct nnb_model model = { 0 };

	collect_chain(&model, 2, data, sizeof(data), false);
	assert_null(nnb_model_argument(&model, false, 0));
	assert_int_equal(nnb_model_finish(&model), 0);
	for (int output = 0; output < 2; output++) {
		argument = nnb_model_argument(&model, output, 0);
		assert_non_null(argument);
		assert_int_equal(argument->type, NNA_OPERAND_TENSOR_FLOAT32);
		assert_int_equal(argument->rank, 1);
		assert_int_equal(argument->dims[0], 4);
		assert_null(nnb_model_argument(&model, output, 1));
	}
	nnb_model_fini(&model);
}

/* A model that breaks a rule is empty once it is finished. */
static void invalid_models_hold_nothing(void **state)
{
	static const float data[64];
	const size_t before = held;
	struct nnb_model model = { 0 };

	collect_chain(&model, 2, data, sizeof(data), false);
	assert_int_equal(nnb_model_add_operand(&model, &activation), 0);
	assert_int_equal(nnb_model_finish(&model), -EINVAL);
	assert_null(model.graph);
	assert_int_equal(held, before);
	nnb_model_fini(&model);
}

/* An operand that nothing writes is named, whichever it is. */
static void unwritten_operands_are_named(void **state)
{
	const uint32_t elements = 4;
	const struct nna_operand_desc tensor = floats(&elements);
	static const float data[4];
	static const int32_t none;
	const uint32_t inputs[] = { 2, 1, 3 }, output = 4, in = 2;

	for (uint32_t missing = 0; missing < 4; missing++) {
		struct nnb_model model = { 0 };
		char wanted[32], *text = NULL;
		size_t length;
		FILE *to = open_memstream(&text, &length);

		/* 0 and 1 constants, 2 the input, 3 the activation, 4 the sum. */
		for (uint32_t i = 0; i < 5; i++)
			assert_int_equal(nnb_model_add_operand(&model, i == 3 ? &activation
									      : &tensor), 0);
		for (uint32_t i = 0; i < 4; i++)
			if (i == 3 && i != missing)
				assert_int_equal(nnb_model_set_value(&model, i, &none,
								     sizeof(none), false), 0);
			else if (i != missing && i != 2)
				assert_int_equal(nnb_model_set_value(&model, i, data,
								     sizeof(data), false), 0);
		assert_int_equal(nnb_model_add_operation(&model, NNA_OPERATION_ADD, 3, inputs, 1,
							 &output), 0);
		assert_int_equal(nnb_model_set_io(&model, missing != 2, &in, 1, &output), 0);
		assert_int_equal(nnb_model_finish(&model), -EINVAL);
		nna_message_print_recent(to);
		fclose(to);
		snprintf(wanted, sizeof(wanted), "operand %u is no input", missing);
		if (!strstr(text, wanted))
			fail_msg("\"%s\" is not in:\n%s", wanted, text);
		free(text);
		nnb_model_fini(&model);
	}
}

/* -------------------------------------------------------------------------------------- nesting */

/* IF: inputs are a condition and four numbers, one output; both are passed on to the branches. */
static void collect_branch(struct nnb_model *model, const struct nnb_model *yes,
			   const struct nnb_model *no)
{
	static const uint32_t one = 1, four = 4;
	static const uint32_t operands[] = { 0, 3, 4, 0, 1 }, inputs[] = { 0, 1 }, output = 2;
	const struct nna_operand_desc tensor = floats(&four);
	const struct nna_operand_desc subgraph = { .type = NNA_OPERAND_SUBGRAPH };
	const struct nna_operand_desc condition = {
		.type = NNA_OPERAND_TENSOR_BOOL8,
		.rank = 1,
		.dims = &one,
	};

	assert_int_equal(nnb_model_add_operand(model, &condition), 0);
	assert_int_equal(nnb_model_add_operand(model, &tensor), 0);
	assert_int_equal(nnb_model_add_operand(model, &tensor), 0);
	if (yes) {
		assert_int_equal(nnb_model_add_operand(model, &subgraph), 0);
		assert_int_equal(nnb_model_add_operand(model, &subgraph), 0);
		assert_int_equal(nnb_model_set_model(model, 3, yes), 0);
		assert_int_equal(nnb_model_set_model(model, 4, no), 0);
		assert_int_equal(nnb_model_add_operation(model, NNA_OPERATION_IF, 5, operands, 1,
							 &output), 0);
	} else {
		assert_int_equal(nnb_model_add_operation(model, NNA_OPERATION_LOGISTIC, 1,
							 &inputs[1], 1, &output), 0);
	}
	assert_int_equal(nnb_model_set_io(model, 2, inputs, 1, &output), 0);
}

/* The subgraph that a branch of the IF in @subgraph refers to. */
static uint32_t branch(const struct nna_graph *graph, uint32_t subgraph, uint32_t operand)
{
	assert_true(subgraph < graph->subgraph_count);
	assert_int_equal(graph->subgraphs[subgraph].operands[operand].lifetime,
			 NNA_LIFETIME_SUBGRAPH);
	return graph->subgraphs[subgraph].operands[operand].subgraph;
}

/* A model that two others refer to becomes one subgraph of the model that refers to those. */
static void shared_models_are_one_subgraph(void **state)
{
	struct nnb_model leaf = { 0 }, left = { 0 }, right = { 0 }, model = { 0 }, raw = { 0 };
	const struct nna_operand_desc subgraph = { .type = NNA_OPERAND_SUBGRAPH };
	uint32_t a, b, last;

	collect_branch(&leaf, NULL, NULL);
	assert_int_equal(nnb_model_add_operand(&raw, &subgraph), 0);
	assert_int_equal(nnb_model_set_model(&raw, 0, &leaf), -EINVAL);
	nnb_model_fini(&raw);
	assert_int_equal(nnb_model_finish(&leaf), 0);
	collect_branch(&left, &leaf, &leaf);
	assert_int_equal(nnb_model_finish(&left), 0);
	assert_int_equal(left.graph->subgraph_count, 2);
	collect_branch(&right, &left, &leaf);
	assert_int_equal(nnb_model_finish(&right), 0);
	assert_int_equal(right.graph->subgraph_count, 3);
	collect_branch(&model, &right, &left);
	assert_int_equal(nnb_model_finish(&model), 0);

	assert_int_equal(model.graph->subgraph_count, 4);
	a = branch(model.graph, 0, 3);
	b = branch(model.graph, 0, 4);
	assert_int_not_equal(a, b);
	assert_int_equal(branch(model.graph, a, 3), b);
	last = branch(model.graph, a, 4);
	assert_int_equal(branch(model.graph, b, 3), last);
	assert_int_equal(branch(model.graph, b, 4), last);
	assert_int_equal(model.graph->subgraphs[last].operations[0].type, NNA_OPERATION_LOGISTIC);
	nnb_model_fini(&model);
	nnb_model_fini(&right);
	nnb_model_fini(&left);
	nnb_model_fini(&leaf);
}

/* Whether the last line of the log is this one. */
static bool has_said(const char *line)
{
	size_t length = strlen(line), size;
	char *text = NULL;
	bool same;
	FILE *log = open_memstream(&text, &size);

	assert_non_null(log);
	nna_message_print_recent(log);
	assert_int_equal(fclose(log), 0);
	assert_true(size > length);
	/* Behind it is a newline. */
	same = !memcmp(text + size - 1 - length, line, length);
	free(text);
	return same;
}

/* A refusal names the operation, and the operand, which may be the next one. */
static void refusals_name_operands(void **state)
{
	static const uint32_t two[2] = { 2, 2 };
	const struct nna_operand_desc tensor = {
		.type = NNA_OPERAND_TENSOR_FLOAT32, .rank = 2, .dims = two,
	};
	const uint32_t good = 0, far = 9;
	struct nna_operand_desc wrong = tensor;
	struct nnb_model model = { 0 };

	assert_int_equal(nnb_model_add_operand(&model, &tensor), 0);
	wrong.scale = 1;
	assert_int_equal(nnb_model_add_operand(&model, &wrong), -EINVAL);
	assert_true(has_said("operand 1: TENSOR_FLOAT32 does not allow scale 1 and zero point 0"));
	wrong.dims = NULL;
	assert_int_equal(nnb_model_add_operand(&model, &wrong), -EINVAL);
	assert_true(has_said("operand 1: 2 dimensions, but the pointer to them is NULL"));
	assert_int_equal(nnb_model_add_operation(&model, NNA_OPERATION_ABS, 1, &far, 1, &good),
			 -EINVAL);
	assert_true(has_said("ABS: input 0 is operand 9, but the model has only 1"));
	assert_int_equal(nnb_model_add_operation(&model, NNA_OPERATION_ABS, 1, &good, 1, &far),
			 -EINVAL);
	assert_true(has_said("ABS: output 0 is operand 9, but the model has only 1"));
	assert_int_equal(nnb_model_set_io(&model, 1, &far, 1, &good), -EINVAL);
	assert_true(has_said("the model: input 0 is operand 9, but the model has only 1"));
	nnb_model_fini(&model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(constants_exist_once),
		cmocka_unit_test(tables_are_dropped),
		cmocka_unit_test(arguments_are_kept),
		cmocka_unit_test(invalid_models_hold_nothing),
		cmocka_unit_test(unwritten_operands_are_named),
		cmocka_unit_test(shared_models_are_one_subgraph),
		cmocka_unit_test(refusals_name_operands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
