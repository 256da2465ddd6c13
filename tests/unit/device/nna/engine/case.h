/* SPDX-License-Identifier: MIT */
/*
 * For tests of one command: the command under test and its random numbers, which all helpers use,
 * and what random cases and their checks have in common.
 */
#ifndef TEST_ENGINE_CASE_H
#define TEST_ENGINE_CASE_H

#include "tests/unit/device/nna/engine/engine.h"

static struct call c; /* the command under test */
static struct rng r;

/* One of a list. */
static inline uint32_t pick(const uint32_t *list, size_t n)
{
	return list[rng_next(&r) % n];
}

#define PICK(...)                                                                                  \
	pick((uint32_t[]){ __VA_ARGS__ },                                                          \
	     sizeof((uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t))

/* Now and then: the strides of an operand are to be other than row-major. */
static inline int spread(void)
{
	return rng_next(&r) % 3 == 0;
}

static inline int is_float(uint32_t type)
{
	return type == NNAHW_TYPE_F16 || type == NNAHW_TYPE_F32;
}

/* Numbers that a type can hold; of floats nothing that matters. */
static inline void range_of(uint32_t type, int64_t *low, int64_t *high)
{
	*low = type == NNAHW_TYPE_S8  ? -128 :
	       type == NNAHW_TYPE_S16 ? -32768 :
	       type == NNAHW_TYPE_S32 ? INT32_MIN :
					0;
	*high = type == NNAHW_TYPE_S8	 ? 127 :
		type == NNAHW_TYPE_U8	 ? 255 :
		type == NNAHW_TYPE_S16	 ? 32767 :
		type == NNAHW_TYPE_U16	 ? 65535 :
		type == NNAHW_TYPE_BOOL8 ? 1 :
		type == NNAHW_TYPE_U32	 ? UINT32_MAX :
					   INT32_MAX;
	if (type == NNAHW_TYPE_S64)
		*low = INT64_MIN, *high = INT64_MAX;
}

/* Gives operand i a scale and a random zero point. */
static inline void quantise(uint32_t i, float scale)
{
	int64_t low, high;

	range_of(c.cmd.operands[i].desc.type, &low, &high);
	operand_quantise(&c.cmd.operands[i], scale, (int32_t)rng_range(&r, low, high));
}

/* Broadcasts operand i along random dims: their strides become 0. */
static inline void broadcast(uint32_t i)
{
	struct nnadev_engine_operand *o = &c.cmd.operands[i];

	for (uint32_t k = 0; k < o->desc.rank; k++)
		if (rng_next(&r) % 5 == 0 && o->desc.dims[k] > 1)
			o->desc.strides[k] = 0, o->contiguous = false;
}

/* Writes random dims, the innermost at most largest. Return: the rank, at most 5. */
static inline uint32_t random_dims(uint32_t *dims, uint32_t low_rank, uint32_t largest)
{
	uint32_t rank = (uint32_t)rng_range(&r, low_rank, 5);

	for (uint32_t k = 0; k < rank; k++)
		dims[k] = (uint32_t)rng_range(&r, 1, k + 1 == rank ? largest : 5);
	return rank;
}

/*
 * A number of 32 bits times a multiplier, rounded to 31 fewer bits, halves up, and then to the rest
 * of the shift, halves away from zero; in numbers wide enough.
 */
static inline int64_t in_stages(int64_t x, int32_t multiplier, int32_t shift)
{
	__int128 p = (__int128)(int32_t)(uint32_t)x * multiplier, half;
	int first = shift < 31 ? shift : 31;
	bool below;

	p = (p + ((__int128)1 << (first - 1))) >> first; /* rounds down: the sum rounds halves up */
	if (shift == first)
		return (int64_t)p;
	half = (__int128)1 << (shift - 32);
	below = p < 0;
	p = ((below ? -p : p) + half) / (2 * half);
	return (int64_t)(below ? -p : p);
}

/*
 * Whether `got` is what `want` becomes in the type of `out`, with an error of `slack` in the value
 * and one last place for floats; quantised: exact unless the value lies within slack of a rounding
 * boundary.
 */
static inline void check(const struct nnadev_engine_operand *out, const uint32_t *index,
			 double want, double slack, const char *what)
{
	double got = number(out, index), scale = out->desc.scale != 0 && !is_float(out->desc.type)
							 ? (double)out->desc.scale
							 : 0;
	int64_t low, high;

	range_of(out->desc.type, &low, &high);
	if (isnan(want)) {
		assert_true(is_float(out->desc.type) ? isnan(got) : 1);
		return;
	}
	if (out->desc.type == NNAHW_TYPE_F32 || out->desc.type == NNAHW_TYPE_F16) {
		double last = fabs(want) * (out->desc.type == NNAHW_TYPE_F32 ? 0x1p-22 : 0x1p-11);

		if (out->desc.type == NNAHW_TYPE_F16 && fabs(want) > 65500)
			return;
		slack += last + (out->desc.type == NNAHW_TYPE_F32 ? 1e-44 : 0x1p-25);
		if (!(fabs(got - want) <= slack) && got != want)
			fail_msg("%s: got %.9g, not %.9g", what, got, want);
		return;
	}
	if (scale != 0) {
		double q = fmin(fmax(want / scale + out->desc.zero_point, (double)low),
				(double)high);

		if (!(fabs(got - q) <= 0.5 + slack / scale + 1e-3))
			fail_msg("%s: got %g, not %g", what, got, q);
		return;
	}
	if (out->desc.type == NNAHW_TYPE_BOOL8)
		want = want != 0;
	want = fmin(fmax(want, (double)low), (double)high);
	if (!(fabs(got - trunc(want)) <= (slack > 0 ? 1 + fabs(want) * 0x1p-22 : 0)))
		fail_msg("%s: got %g, not %g", what, got, want);
}

/* Runs with every kernel set; `verify` looks at each result. Integer outputs must not differ. */
static inline void run_all(void (*verify)(void))
{
	const struct nnadev_engine_operand *out = &c.cmd.operands[0];
	void *scalar = malloc(c.sizes[0] + 1), *before = malloc(c.sizes[0] + 1);

	memcpy(before, c.buffers[0], c.sizes[0]);
	for_each_isa(isa, NNADEV_ENGINE_SCALAR) {
		memcpy(c.buffers[0], before, c.sizes[0]);
		assert_int_equal(call_run(&c, &r, isa), NNAHW_STATUS_OK);
		verify();
		if (isa == NNADEV_ENGINE_SCALAR)
			memcpy(scalar, c.buffers[0], c.sizes[0]);
		else if (!is_float(out->desc.type) && memcmp(scalar, c.buffers[0], c.sizes[0]))
			fail_msg("opcode %u kind %u types %u -> %u: isa %d differs from scalar",
				 c.cmd.raw->opcode, c.raw[16 + 96 * c.cmd.operand_count],
				 c.cmd.operands[1].desc.type, out->desc.type, isa);
	}
	free(scalar);
	free(before);
}

static inline bool flip(void)
{
	return rng_next(&r) & 1;
}

/* Stores a number as the type of the operand has it. */
static inline void set_number(const struct nnadev_engine_operand *o, const uint32_t *index,
			      double x)
{
	float f = (float)x;

	switch (o->desc.type) {
	case NNAHW_TYPE_F32:
		memcpy(element(o, index), &f, sizeof(f));
		break;
	case NNAHW_TYPE_S32:
		memcpy(element(o, index), &(int32_t){ (int32_t)x }, sizeof(int32_t));
		break;
	case NNAHW_TYPE_U16:
		memcpy(element(o, index), &(uint16_t){ (uint16_t)x }, sizeof(uint16_t));
		break;
	default:
		*(uint8_t *)element(o, index) = (uint8_t)x;
		break;
	}
}

/*
 * Runs the command with any bytes in its operands and any parameters; operands [first, last] may
 * get another dimension. Return: the status.
 */
static inline uint32_t run_hostile(uint32_t size, uint32_t first, uint32_t last)
{
	static const uint32_t odd[] = {
		0, 1, 2, 255, 0x7fffffff, 0x80000000, 0xffffffff, 0x3f800000, 0xff800000, 0x7fc00000
	};

	for (uint32_t k = 0; k < c.cmd.operand_count; k++)
		for (size_t at = 0; at < c.sizes[k]; at++)
			((uint8_t *)c.buffers[k])[at] = (uint8_t)(rng_next(&r) &
								  (flip() ? 1 : 0xff));
	for (uint32_t at = 16 + 96 * c.cmd.operand_count + 4; at + 4 <= size; at += 4) {
		uint32_t v = rng_next(&r) % 3 ? (uint32_t)rng_range(&r, 0, 3)
					      : odd[rng_next(&r) % 10];

		memcpy(c.raw + at, &v, 4);
	}
	c.raw[16 + 96 * c.cmd.operand_count] = rng_next(&r) % 5;
	/* Others must have the same dimension: refused before anything is touched. */
	if (rng_next(&r) % 4 == 0) {
		uint32_t k = (uint32_t)rng_range(&r, first, last);

		c.cmd.operands[k].desc.dims[rng_next(&r) % 4] ^= 1;
	}
	return call_run(&c, &r, NNADEV_ENGINE_SCALAR);
}

#endif
