/* SPDX-License-Identifier: MIT */
/*
 * For tests of the engine: commands built by hand over buffers of exactly the needed size (so that
 * a sanitizer sees every access beyond them), run tile by tile in random order.
 */
#ifndef TEST_ENGINE_H
#define TEST_ENGINE_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/nna/engine/engine.h"

/*
 * The first set that has the kernels under test. A test of kernels that are not written over the
 * vector layer defines it as FIRST_NATIVE.
 */
#ifndef LEAST_VECTOR
#define LEAST_VECTOR NNADEV_ENGINE_VECTOR
#endif
/* The first set of vectors of this architecture. */
#define FIRST_NATIVE ((enum nnadev_engine_isa)(NNADEV_ENGINE_VECTOR + 1))

/* Every instruction set that this machine has, from @first on. */
#define for_each_isa(isa, first)                                                                   \
	for (enum nnadev_engine_isa isa = (first); isa < NNADEV_ENGINE_ISAS; isa++)                \
		if (nnadev_engine_isa_has(isa))

struct rng {
	uint64_t state;
};

static inline uint64_t rng_next(struct rng *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

/* In [low, high]. */
static inline int64_t rng_range(struct rng *r, int64_t low, int64_t high)
{
	return low + (int64_t)(rng_next(r) % (uint64_t)(high - low + 1));
}

static inline float rng_float(struct rng *r, float low, float high)
{
	return low + (high - low) * (float)(rng_next(r) >> 40) * 0x1p-24f;
}

/* A command with its operands; buffers belong to it. */
struct call {
	_Alignas(64) uint8_t raw[NNAHW_MAX_COMMAND_SIZE];
	struct nnadev_engine_command cmd;
	void *buffers[NNAHW_MAX_OPERANDS];
	size_t sizes[NNAHW_MAX_OPERANDS];
};

static inline void call_init(struct call *c, uint32_t opcode, uint32_t size, uint32_t operands)
{
	memset(c, 0, sizeof(*c));
	((struct nnahw_command *)c->raw)->opcode = (uint16_t)opcode;
	((struct nnahw_command *)c->raw)->size = size;
	c->cmd.raw = (struct nnahw_command *)c->raw;
	c->cmd.operand_count = operands;
	for (uint32_t i = 0; i < operands; i++)
		c->cmd.operands[i].desc.slot = NNAHW_SLOT_NONE;
}

static inline void call_free(struct call *c)
{
	for (uint32_t i = 0; i < NNAHW_MAX_OPERANDS; i++) {
		free(c->buffers[i]);
		c->buffers[i] = NULL;
	}
}

/*
 * Gives operand i a type and dims. spread: 0 row-major; otherwise some random order of dims with
 * gaps between. The buffer is filled with random bytes. Returns the operand.
 */
static inline struct nnadev_engine_operand *call_operand(struct call *c, struct rng *r, uint32_t i,
							 uint32_t type, uint32_t rank,
							 const uint32_t *dims, int spread)
{
	struct nnadev_engine_operand *o = &c->cmd.operands[i];
	struct nnahw_tensor *t = &o->desc;
	uint32_t order[NNAHW_MAX_RANK], size = nnahw_type_size(type);
	int64_t step = 1, row_major = 1;
	uint64_t count = 1;

	memset(o, 0, sizeof(*o));
	t->type = (uint8_t)type;
	t->rank = (uint8_t)rank;
	for (uint32_t k = 0; k < rank; k++) {
		t->dims[k] = dims[k];
		order[k] = rank - 1 - k;
		count *= dims[k];
	}
	if (spread && rank > 1)
		for (uint32_t k = rank - 1; k > 0; k--) {
			uint32_t j = (uint32_t)rng_range(r, 0, k), swap = order[j];

			order[j] = order[k];
			order[k] = swap;
		}
	if (spread)
		step = rng_range(r, 1, 3);
	for (uint32_t k = 0; k < rank; k++) {
		t->strides[order[k]] = (int32_t)step;
		step *= dims[order[k]] ? dims[order[k]] : 1;
		step += spread ? rng_range(r, 0, 2) : 0;
	}
	o->contiguous = true;
	for (uint32_t k = rank; k-- > 0; row_major *= dims[k])
		o->contiguous = o->contiguous && t->strides[k] == row_major;
	o->count = (uint32_t)count;
	free(c->buffers[i]);
	c->buffers[i] = NULL;
	c->sizes[i] = 0;
	if (count) {
		int64_t last = 0;

		for (uint32_t k = 0; k < rank; k++)
			last += (int64_t)(dims[k] - 1) * t->strides[k];
		c->sizes[i] = (size_t)(last + 1) * size;
		c->buffers[i] = malloc(c->sizes[i]);
		assert_non_null(c->buffers[i]);
		for (size_t b = 0; b < c->sizes[i]; b++)
			((uint8_t *)c->buffers[i])[b] = (uint8_t)rng_next(r);
	}
	o->data = c->buffers[i];
	return o;
}

static inline void operand_quantise(struct nnadev_engine_operand *o, float scale,
				    int32_t zero_point)
{
	o->desc.scale = scale;
	o->desc.zero_point = zero_point;
}

/*
 * Copies the descriptors into the raw command, as the command processor would have read them from
 * there.
 */
static inline void call_finish(struct call *c)
{
	struct nnahw_tensor *t = (struct nnahw_tensor *)(c->raw + sizeof(struct nnahw_command));

	for (uint32_t i = 0; i < c->cmd.operand_count; i++)
		t[i] = c->cmd.operands[i].desc;
}

/* Prepares and runs all tiles, in random order within a phase. */
static inline uint32_t call_run(struct call *c, struct rng *r, enum nnadev_engine_isa isa)
{
	struct nnadev_engine_plan plan;
	void *scratch, *shared;
	uint32_t status;

	call_finish(c);
	status = nnadev_engine_prepare(isa, 1 + (uint32_t)(rng_next(r) & 3), &c->cmd, &plan);
	if (status != NNAHW_STATUS_OK)
		return status;
	assert_true(plan.phases <= NNADEV_ENGINE_MAX_PHASES);
	assert_true(plan.scratch_size <= NNADEV_ENGINE_MAX_SCRATCH &&
		    plan.shared_size <= NNADEV_ENGINE_MAX_SCRATCH);
	if (posix_memalign(&scratch, 64, plan.scratch_size ? plan.scratch_size : 1) ||
	    posix_memalign(&shared, 64, plan.shared_size ? plan.shared_size : 1))
		fail_msg("no memory");
	memset(scratch, 0xa5, plan.scratch_size);
	memset(shared, 0xa5, plan.shared_size);
	for (uint32_t phase = 0; phase < plan.phases && status == NNAHW_STATUS_OK;) {
		uint32_t n = plan.phase_tiles[phase], first = n ? (uint32_t)(rng_next(r) % n) : 0;
		uint32_t step = n > 1 && n % 2 == 0 && rng_next(r) & 1 ? n - 1 : 1;

		for (uint32_t i = 0; i < n && status == NNAHW_STATUS_OK; i++)
			status = plan.run(&c->cmd, &plan, phase,
					  (uint32_t)((first + (uint64_t)i * step) % n), scratch,
					  shared);
		if (nnadev_engine_round_is_last(&plan, phase, shared)) {
			plan.round = 0;
			phase++;
		} else {
			plan.round++;
		}
	}
	free(scratch);
	free(shared);
	return status;
}

/* Address of the element at index. */
static inline void *element(const struct nnadev_engine_operand *o, const uint32_t *index)
{
	int64_t at = 0;

	for (uint32_t k = 0; k < o->desc.rank; k++)
		at += (int64_t)index[k] * o->desc.strides[k];
	return (uint8_t *)o->data + at * (int64_t)nnahw_type_size(o->desc.type);
}

static inline double half_to_double(uint16_t h)
{
	int e = h >> 10 & 31;
	double m = h & 0x3ff, s = h >> 15 ? -1 : 1;

	if (e == 31)
		return m ? NAN : s * INFINITY;
	return s * (e ? ldexp(m + 1024, e - 25) : ldexp(m, -24));
}

/* A float as binary16, by its fields: rounded towards zero, and 0 where it would be denormal. */
static inline uint16_t half_of(float x)
{
	int e;
	float m = frexpf(fabsf(x), &e);
	uint16_t h = 0;

	if (e > -13 && m > 0)
		h = (uint16_t)((e + 14) << 10 | ((int)(m * 2048) & 0x3ff));
	return (uint16_t)(h | (x < 0 ? 0x8000 : 0));
}

/* The stored number. */
static inline double number(const struct nnadev_engine_operand *o, const uint32_t *index)
{
	const void *p = element(o, index);

	switch (o->desc.type) {
	case NNAHW_TYPE_U8:
		return *(const uint8_t *)p;
	case NNAHW_TYPE_S8:
		return *(const int8_t *)p;
	case NNAHW_TYPE_U16:
		return *(const uint16_t *)p;
	case NNAHW_TYPE_S16:
		return *(const int16_t *)p;
	case NNAHW_TYPE_S32:
		return *(const int32_t *)p;
	case NNAHW_TYPE_U32:
		return *(const uint32_t *)p;
	case NNAHW_TYPE_S64:
		return (double)*(const int64_t *)p;
	case NNAHW_TYPE_BOOL8:
		return *(const uint8_t *)p != 0;
	case NNAHW_TYPE_F16:
		return half_to_double(*(const uint16_t *)p);
	default:
		return *(const float *)p;
	}
}

static inline double value(const struct nnadev_engine_operand *o, const uint32_t *index)
{
	double x = number(o, index);

	if (o->desc.scale != 0 && o->desc.type != NNAHW_TYPE_F16 && o->desc.type != NNAHW_TYPE_F32)
		x = (x - o->desc.zero_point) * (double)o->desc.scale;
	return x;
}

/*
 * Fills floats with numbers in [low, high]; halves with multiples of 1/64. Other types keep their
 * random bytes.
 */
static inline void operand_floats(struct call *c, struct rng *r, uint32_t i, float low, float high)
{
	const uint32_t type = c->cmd.operands[i].desc.type;

	if (type == NNAHW_TYPE_F32) {
		for (size_t k = 0; k < c->sizes[i] / 4; k++)
			((float *)c->buffers[i])[k] = rng_float(r, low, high);
	} else if (type == NNAHW_TYPE_F16) {
		for (size_t k = 0; k < c->sizes[i] / 2; k++)
			((uint16_t *)c->buffers[i])[k] = half_of(rng_float(r, low, high));
	}
}

/* Next index in row-major order; false after the last. */
static inline int next_index(const struct nnahw_tensor *t, uint32_t *index)
{
	for (uint32_t k = t->rank; k-- > 0;) {
		if (++index[k] < t->dims[k])
			return 1;
		index[k] = 0;
	}
	return 0;
}

#endif
