/* SPDX-License-Identifier: MIT */
/*
 * For tests of the ir and the compiler, which need no device: a struct nna_lower as the state of
 * each test, with begin() and end() as its set-up and tear-down; values in it; random numbers that
 * are the same in every run.
 */
#ifndef TEST_IR_H
#define TEST_IR_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "libnnaccel/compiler/compile.h"
#include "libnnaccel/compiler/passes.h"

/* 0 to @below - 1. */
static inline uint32_t next(uint32_t below)
{
	static uint32_t seed = 1;

	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

static inline int begin(void **state)
{
	struct nna_graph *g;
	struct nna_lower *l;

	if (nna_graph_create(NULL, &g) || nna_lower_create(g, NULL, &l))
		return -1;
	nna_graph_unref(g);
	l->graph = NULL;
	*state = l;
	return 0;
}

static inline int end(void **state)
{
	nna_lower_destroy(*state);
	return 0;
}

/* A new value in scratch memory, without a quantisation. */
static inline uint32_t scratch(struct nna_lower *l, uint8_t type, uint32_t rank,
			       const uint32_t *dims)
{
	int64_t v = nna_lower_scratch(l, type, rank, dims, 0, 0);

	assert_true(v >= 0);
	return v;
}

/* A number of a value or a label, which is no error. */
static inline uint32_t ok(int64_t value)
{
	assert_true(value >= 0);
	return value;
}

/* Address of the element with linear index @at, in elements of the storage. */
static inline int64_t address(const struct nna_value *v, uint64_t at)
{
	int64_t offset = v->offset / nna_type_size(v->type);

	for (uint32_t k = v->rank; k-- > 0;) {
		offset += (int64_t)(at % v->dims[k]) * v->strides[k];
		at /= v->dims[k];
	}
	return offset;
}

#endif
