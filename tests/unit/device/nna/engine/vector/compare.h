/* SPDX-License-Identifier: MIT */
/*
 * For tests of vector kernels: whether one is taken, and that it equals the scalar one where the
 * tests of commands (ref/) do not look: special numbers, sizes beyond a block.
 */
#ifndef TEST_COMPARE_H
#define TEST_COMPARE_H

#include "tests/unit/device/nna/engine/engine.h"

static struct call c; /* the command under test */
static struct rng r;

/*
 * How many random shapes a test takes: so many, or, for a long run, as NNA_TEST_SHAPES says, if
 * that is more.
 */
static inline uint32_t shapes(uint32_t usual)
{
	const char *wanted = getenv("NNA_TEST_SHAPES");
	const unsigned long count = wanted ? strtoul(wanted, NULL, 10) : 0;

	return count > usual && count <= UINT32_MAX ? (uint32_t)count : usual;
}

/* @usual shapes, or @fewer on an emulated CPU, where @usual ones take very long; says so. */
static inline uint32_t shapes_here(uint32_t usual, uint32_t fewer)
{
	if (!getenv("NNA_TEST_EMULATED"))
		return shapes(usual);
	print_message("an emulated CPU: %u shapes, not %u\n", fewer, usual);
	return fewer;
}

static inline int is_float(uint32_t type)
{
	return type == NNAHW_TYPE_F16 || type == NNAHW_TYPE_F32;
}

/* Numbers at the ends of what floats can be, and any bits. */
static inline void special_floats(uint32_t i)
{
	static const float edges[] = { 0,	  -0.f,	   1,	      -1,	  INFINITY,
				       -INFINITY, NAN,	   0x1p-149f, -0x1p-130f, 0x1p-126f,
				       3e38f,	  -3e38f,  0x1p-24f,  65504,	  65520,
				       88.8f,	  -88.8f,  0.5f,      -0.5f,	  2.5f,
				       1e-3f,	  -103.9f, 8388609,   16777216 };
	static const uint16_t halves[] = { 0,	   0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00,
					   0x7e00, 1,	   0x8001, 0x3ff,  0x400,  0x7bff };
	const uint32_t type = c.cmd.operands[i].desc.type;
	const size_t size = nnahw_type_size(type);

	for (size_t k = 0; is_float(type) && k < c.sizes[i] / size; k++) {
		uint32_t bits = (uint32_t)rng_next(&r);
		float x = rng_next(&r) & 1 ? edges[bits % (sizeof(edges) / sizeof(edges[0]))]
					   : rng_float(&r, -100, 100);

		if (rng_next(&r) % 8 == 0)
			continue; /* the random bytes it has */
		if (type == NNAHW_TYPE_F32)
			((float *)c.buffers[i])[k] = x;
		else
			((uint16_t *)c.buffers[i])[k] =
				halves[bits % (sizeof(halves) / sizeof(halves[0]))];
	}
}

/* Whether two instruction sets have different kernels for the command. */
static inline bool kernels_differ(enum nnadev_engine_isa one, enum nnadev_engine_isa other)
{
	struct nnadev_engine_plan one_plan, other_plan;

	call_finish(&c);
	assert_int_equal(nnadev_engine_prepare(one, 2, &c.cmd, &one_plan), NNAHW_STATUS_OK);
	assert_int_equal(nnadev_engine_prepare(other, 2, &c.cmd, &other_plan), NNAHW_STATUS_OK);
	return one_plan.run != other_plan.run;
}

/* Which kernel is taken. Return: true when it is not the scalar one. */
static inline bool is_vector(enum nnadev_engine_isa isa)
{
	return kernels_differ(isa, NNADEV_ENGINE_SCALAR);
}

/* The same number, or no number in both; a zero of either sign. */
static inline bool same_number(const struct nnadev_engine_operand *o, const void *a,
			       const void *b, size_t k)
{
	const size_t size = nnahw_type_size(o->desc.type);
	double x, y;

	if (!is_float(o->desc.type))
		return !memcmp((const uint8_t *)a + k * size, (const uint8_t *)b + k * size, size);
	x = size == 4 ? (double)((const float *)a)[k] : half_to_double(((const uint16_t *)a)[k]);
	y = size == 4 ? (double)((const float *)b)[k] : half_to_double(((const uint16_t *)b)[k]);
	return x == y || (isnan(x) && isnan(y));
}

/*
 * Runs the command with every kernel set; the output, which is dense, must be the same. Return:
 * whether there are vector kernels, and all sets have taken one.
 */
static inline bool compare_all(const char *what)
{
	const struct nnadev_engine_operand *out = &c.cmd.operands[0];
	const size_t size = nnahw_type_size(out->desc.type);
	void *scalar = malloc(c.sizes[0] + 1);
	bool taken = nnadev_engine_isa_detect() > NNADEV_ENGINE_SCALAR;

	assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_OK);
	memcpy(scalar, c.buffers[0], c.sizes[0]);
	for_each_isa(isa, LEAST_VECTOR) {
		memset(c.buffers[0], 0x5a, c.sizes[0]);
		assert_int_equal(call_run(&c, &r, isa), NNAHW_STATUS_OK);
		taken = is_vector(isa) && taken;
		for (size_t k = 0; k < c.sizes[0] / size; k++) {
			if (!same_number(out, scalar, c.buffers[0], k))
				fail_msg("%s, isa %d: element %zu of %zu is 0x%x, not 0x%x", what,
					 isa, k, c.sizes[0] / size,
					 size == 4   ? ((uint32_t *)c.buffers[0])[k]
					 : size == 2 ? ((uint16_t *)c.buffers[0])[k]
						     : ((uint8_t *)c.buffers[0])[k],
					 size == 4   ? ((uint32_t *)scalar)[k]
					 : size == 2 ? ((uint16_t *)scalar)[k]
						     : ((uint8_t *)scalar)[k]);
		}
	}
	free(scalar);
	return taken;
}

#endif
