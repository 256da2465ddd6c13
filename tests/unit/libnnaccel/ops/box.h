/* SPDX-License-Identifier: MIT */
/*
 * For tests of operations on boxes: a model of one such operation as data, so that a test is the
 * model with one operand replaced.
 */
#ifndef TEST_BOX_H
#define TEST_BOX_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/libnnaccel/loopback.h"

/* A tensor, or with rank 0 a constant scalar. */
struct operand {
	uint32_t type, rank, dims[4];
	float scale;
	int32_t zero_point;
	double value;
};

struct model {
	uint32_t type, in_count, out_count;
	struct operand in[14], out[4];
};

#define COUNT(...) (sizeof((uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t))
#define QUANTISED(type_, scale_, zero_point_, ...) \
	{ .type = (type_), .rank = COUNT(__VA_ARGS__), .dims = { __VA_ARGS__ }, \
	  .scale = (scale_), .zero_point = (zero_point_) }
#define TENSOR(type_, ...) QUANTISED(type_, 0, 0, __VA_ARGS__)
#define QUANT8(...) QUANTISED(NNA_OPERAND_TENSOR_QUANT8_ASYMM, 0.5f, 0, __VA_ARGS__)
/* Coordinates are in steps of 1/8. */
#define BOXES16(type_, ...) QUANTISED(type_, 0.125f, 0, __VA_ARGS__)
#define F32(...) TENSOR(NNA_OPERAND_TENSOR_FLOAT32, __VA_ARGS__)
#define S32(...) TENSOR(NNA_OPERAND_TENSOR_INT32, __VA_ARGS__)
#define REAL(x) { .type = NNA_OPERAND_FLOAT32, .value = (x) }
#define INT(x) { .type = NNA_OPERAND_INT32, .value = (x) }
#define BOOLEAN(x) { .type = NNA_OPERAND_BOOL, .value = (x) }

static inline uint32_t box_add_operand(struct nna_graph *g, uint32_t s, const struct operand *o)
{
	struct nna_operand_desc desc = { .type = o->type, .rank = o->rank, .dims = o->dims,
					 .scale = o->scale, .zero_point = o->zero_point };
	int ret = nna_graph_add_operand(g, s, &desc), error = 0;

	assert_true(ret >= 0);
	if (o->type == NNA_OPERAND_FLOAT32)
		error = nna_graph_set_constant(g, s, ret, &(float){ (float)o->value }, 4, false);
	else if (o->type == NNA_OPERAND_INT32)
		error = nna_graph_set_constant(g, s, ret, &(int32_t){ (int32_t)o->value }, 4,
					       false);
	else if (o->type == NNA_OPERAND_BOOL)
		error = nna_graph_set_constant(g, s, ret, &(uint8_t){ o->value != 0 }, 1, false);
	assert_int_equal(error, 0);
	return ret;
}

/* Makes the graph of a model, which is the caller's. Return: what nna_graph_finish() did. */
static inline int box_build(const struct model *m, struct nna_graph **graph)
{
	uint32_t in[14], out[4], inputs[14], count = 0;
	struct nna_graph *g;

	last_line[0] = '\0';
	assert_int_equal(nna_graph_create(&test_log, &g), 0);
	for (uint32_t i = 0; i < m->in_count; i++) {
		in[i] = box_add_operand(g, 0, &m->in[i]);
		if (m->in[i].rank)
			inputs[count++] = in[i];
	}
	for (uint32_t i = 0; i < m->out_count; i++)
		out[i] = box_add_operand(g, 0, &m->out[i]);
	assert_int_equal(nna_graph_add_operation(g, 0, m->type, m->in_count, in, m->out_count, out),
			 0);
	assert_int_equal(nna_graph_set_io(g, 0, count, inputs, m->out_count, out), 0);
	*graph = g;
	return nna_graph_finish(g);
}

/* Checks that a model is accepted and its operation supported. */
static inline void box_check_good(const struct model *m)
{
	struct nna_graph *g;
	bool supported = false;

	if (box_build(m, &g))
		fail_msg("%s: %s", nna_operation_name(m->type), last_line);
	assert_int_equal(nna_graph_get_supported(g, NULL, &supported), 0);
	assert_true(supported);
	nna_graph_unref(g);
}

/* One operand of a good model, and what it is replaced by. */
struct replaced {
	const struct model *model;
	bool out;
	uint32_t i;
	struct operand operand;
};

/* Checks that it is refused by a message that names the operation. */
static inline void box_check_replaced(const struct replaced *r)
{
	const char *name = nna_operation_name(r->model->type);
	struct model m = *r->model;
	struct nna_graph *g;
	int ret;

	*(r->out ? &m.out[r->i] : &m.in[r->i]) = r->operand;
	ret = box_build(&m, &g);
	if (ret != -EINVAL || !strstr(last_line, name))
		fail_msg("%s, %s %u of type %u and rank %u: %d %s", name,
			 r->out ? "output" : "input", r->i, r->operand.type, r->operand.rank, ret,
			 last_line);
	nna_graph_unref(g);
}

#endif
