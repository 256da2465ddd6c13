/* SPDX-License-Identifier: MIT */
/* The sum of two float vectors: a graph, and an execution of it on the loopback. */
#ifndef TEST_SUM_H
#define TEST_SUM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "libnnaccel/runtime/buffer.h"
#include "libnnaccel/runtime/context.h"
#include "libnnaccel/runtime/device.h"
#include "libnnaccel/runtime/execution.h"
#include "libnnaccel/runtime/variant.h"
#include "tests/unit/libnnaccel/loopback.h"

static inline uint32_t operand(struct nna_graph *g, uint32_t type, uint32_t rank,
			       const uint32_t *dims, float scale, int32_t zero_point)
{
	struct nna_operand_desc desc = {
		.type = type,
		.rank = rank,
		.dims = dims,
		.scale = scale,
		.zero_point = zero_point,
	};
	int ret = nna_graph_add_operand(g, 0, &desc);

	assert_true(ret >= 0);
	return ret;
}

static inline uint32_t scalar(struct nna_graph *g, int32_t value)
{
	uint32_t o = operand(g, NNA_OPERAND_INT32, 0, NULL, 0, 0);

	assert_int_equal(nna_graph_set_constant(g, 0, o, &value, sizeof(value), false), 0);
	return o;
}

/* out = a + b on float vectors of @n, or of unknown length for 0. */
static inline struct nna_graph *add_graph(uint32_t n)
{
	struct nna_graph *g;
	uint32_t a, b, act, out;

	assert_int_equal(nna_graph_create(&test_log, &g), 0);
	a = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 1, &n, 0, 0);
	b = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 1, &n, 0, 0);
	act = scalar(g, 0);
	out = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 1, &n, 0, 0);
	assert_int_equal(nna_graph_add_operation(g, 0, NNA_OPERATION_ADD, 3,
						 (uint32_t[]){ a, b, act }, 1, &out),
			 0);
	assert_int_equal(nna_graph_set_io(g, 0, 2, (uint32_t[]){ a, b }, 1, &out), 0);
	assert_int_equal(nna_graph_finish(g), 0);
	return g;
}

/* An execution of a + b on @n floats, with everything bound. */
struct sum {
	struct nna_graph *graph;
	struct nna_program *program;
	struct nna_execution *execution;
	uint32_t n;
	float *a, *b, *out;
};

/* @options: of the program; NULL for the usual ones */
static inline void sum_begin_with(struct sum *s, struct nna_device *device, uint32_t n,
				  const struct nna_program_options *options)
{
	s->n = n;
	s->graph = add_graph(n);
	s->a = calloc(n, sizeof(float));
	s->b = calloc(n, sizeof(float));
	s->out = calloc(n, sizeof(float));
	for (uint32_t i = 0; i < n; i++) {
		s->a[i] = i % 1000;
		s->b[i] = 0.25f * (i % 77);
	}
	assert_int_equal(nna_program_create(device, s->graph, options, &s->program), 0);
	assert_int_equal(nna_execution_create(s->program, &s->execution), 0);
	assert_int_equal(nna_execution_set_input(s->execution, 0, 0, NULL, s->a, n * sizeof(float)),
			 0);
	assert_int_equal(nna_execution_set_input(s->execution, 1, 0, NULL, s->b, n * sizeof(float)),
			 0);
	assert_int_equal(
		nna_execution_set_output(s->execution, 0, 0, NULL, s->out, n * sizeof(float)), 0);
}

static inline void sum_begin(struct sum *s, struct nna_device *device, uint32_t n)
{
	sum_begin_with(s, device, n, NULL);
}

static inline void sum_check(const struct sum *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		assert_true(s->out[i] == s->a[i] + s->b[i]);
}

static inline void sum_end(struct sum *s)
{
	nna_execution_destroy(s->execution);
	nna_program_destroy(s->program);
	nna_graph_unref(s->graph);
	free(s->a);
	free(s->b);
	free(s->out);
}

/* out = a + (c + c): the sum of the constants is computed by the device when this is compiled. */
static inline struct nna_graph *folded_graph(const float *c, uint32_t n)
{
	uint32_t a, constant, twice, act, out;
	struct nna_graph *g;

	assert_int_equal(nna_graph_create(&test_log, &g), 0);
	a = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 1, &n, 0, 0);
	constant = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 1, &n, 0, 0);
	assert_int_equal(nna_graph_set_constant(g, 0, constant, c, n * sizeof(*c), false), 0);
	act = scalar(g, 0);
	twice = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 1, &n, 0, 0);
	out = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 1, &n, 0, 0);
	assert_int_equal(nna_graph_add_operation(g, 0, NNA_OPERATION_ADD, 3,
						 (uint32_t[]){ constant, constant, act }, 1,
						 &twice), 0);
	assert_int_equal(nna_graph_add_operation(g, 0, NNA_OPERATION_ADD, 3,
						 (uint32_t[]){ a, twice, act }, 1, &out), 0);
	assert_int_equal(nna_graph_set_io(g, 0, 1, &a, 1, &out), 0);
	assert_int_equal(nna_graph_finish(g), 0);
	return g;
}

#endif
