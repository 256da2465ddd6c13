/* SPDX-License-Identifier: MIT */
/*
 * For tests of CONV, DWCONV and MATMUL: random epilogues, and what they make of an accumulator.
 */
#ifndef TEST_ENGINE_EPILOGUE_H
#define TEST_ENGINE_EPILOGUE_H

#include "tests/unit/device/nna/engine/engine.h"

#define CASES 1500

static inline void random_epilogue(struct nnahw_epilogue *e, struct rng *r, int quantised,
				   int residual, int is_signed)
{
	const int32_t low = is_signed ? -128 : 0;

	e->clamp_min = rng_next(r) & 1 ? -INFINITY : 0;
	e->clamp_max = rng_next(r) & 1 ? INFINITY : 6;
	e->residual_min = rng_next(r) & 1 ? -INFINITY : -1;
	e->residual_max = rng_next(r) & 1 ? INFINITY : 3;
	if (!quantised)
		return;
	e->q_min = rng_next(r) & 1 ? low : (int32_t)rng_range(r, low, low + 100);
	e->q_max = rng_next(r) & 1 ? low + 255 : (int32_t)rng_range(r, low + 100, low + 255);
	e->zero_point = (int32_t)rng_range(r, low, low + 255);
	if (residual) {
		e->residual_q_min = rng_next(r) & 1 ? low : (int32_t)rng_range(r, low, low + 100);
		e->residual_q_max = rng_next(r) & 1 ? low + 255
						    : (int32_t)rng_range(r, low + 100, low + 255);
		e->add_shift = (int32_t)rng_range(r, 20, 34);
		e->own_scale = (int32_t)rng_range(r, 0, 1u << (e->add_shift - 4));
		e->residual_scale = (int32_t)rng_range(r, 0, 1u << (e->add_shift - 4));
		if (rng_next(r) % 20 == 0)
			e->own_scale = INT32_MAX, e->residual_scale = INT32_MIN;
	}
	e->once = rng_next(r) & 1;
	if (residual && rng_next(r) & 1) {
		e->staged = 1;
		e->own_scale = (int32_t)rng_range(r, 1 << 30, INT32_MAX);
		e->residual_scale = rng_next(r) & 1 ? 1 << 30
						    : (int32_t)rng_range(r, 1 << 30, INT32_MAX);
		e->add_multiplier = (int32_t)rng_range(r, 1 << 30, INT32_MAX);
		e->own_shift = (uint8_t)rng_range(r, rng_next(r) % 8 ? 31 : 29, 36);
		e->residual_shift = (uint8_t)rng_range(r, 31, 36);
		e->add_shift = (int32_t)rng_range(r, 48, 53);
	}
}

/*
 * Turns a random epilogue into one of S16: the limits, and where there is a residual the sum of an
 * LSTM's gate, in which what is added may lie far beyond 16 bits by itself.
 */
static inline void widen_epilogue(struct nnahw_epilogue *e, struct rng *r, int residual)
{
	e->q_min = rng_next(r) & 1 ? INT16_MIN : (int32_t)rng_range(r, INT16_MIN, 0);
	e->q_max = rng_next(r) & 1 ? INT16_MAX : (int32_t)rng_range(r, 0, INT16_MAX);
	if (!residual)
		return;
	e->residual_q_min = e->q_min;
	e->residual_q_max = e->q_max;
	if (e->staged || rng_next(r) % 3 == 0)
		return;
	e->zero_point = 0;
	e->q_min = -(1 << 17);
	e->q_max = 1 << 17;
	e->add_shift = (int32_t)rng_range(r, 1, 30);
	e->own_scale = e->residual_scale = 1 << e->add_shift;
}

static inline int64_t clamp(int64_t x, int64_t low, int64_t high)
{
	return x < low ? low : x > high ? high : x;
}

/* floor(x * m / 2^s + 1/2) */
static inline int64_t scaled(int64_t x, int64_t m, int s)
{
	__int128 v = (__int128)x * m * 2 + ((__int128)1 << s), d = (__int128)1 << (s + 1),
		 q = v / d;

	return (int64_t)(q - (v % d < 0));
}

/*
 * In two roundings: to 31 fewer bits with halves up, then to the rest with halves away from zero.
 */
static inline int64_t requantised(int64_t x, int64_t m, int s)
{
	int64_t once, size;

	if (s < 32)
		return scaled(x, m, s);
	once = scaled(x, m, 31);
	size = once < 0 ? -once : once;
	size = (size + ((int64_t)1 << (s - 32))) >> (s - 31);
	return once < 0 ? -size : size;
}

/* What the epilogue makes of an accumulator; for quantised types exactly. */
static inline double after(const struct nnahw_epilogue *e, double acc,
			   const struct nnahw_channel *ch, const struct nnadev_engine_operand *out,
			   const struct nnadev_engine_operand *res, const uint32_t *index)
{
	int64_t q, wide = out->desc.type == NNAHW_TYPE_S16;
	int64_t low = wide ? INT16_MIN : out->desc.type == NNAHW_TYPE_S8 ? -128 : 0;

	if (!ch) {
		acc = fmin(fmax(acc, (double)e->clamp_min), (double)e->clamp_max);
		if (res->data)
			acc = fmin(fmax(acc + number(res, index), (double)e->residual_min),
				   (double)e->residual_max);
		return acc;
	}
	q = (int32_t)(uint32_t)(int64_t)acc;
	if (out->desc.type == NNAHW_TYPE_F32)
		return fmin(fmax((double)(float)q, (double)e->clamp_min), (double)e->clamp_max);
	if (e->once) {
		int32_t s = ch->shift < 1 ? 1 : ch->shift > 62 ? 62 : ch->shift;
		__int128 p = (__int128)q * ch->multiplier, half = (__int128)1 << (s - 1);

		/* Halves away from zero: the quotient of magnitudes. */
		q = (int64_t)((p < 0 ? -p : p) + half) >> s;
		q = p < 0 ? -q : q;
	} else {
		q = requantised((int32_t)q, ch->multiplier, ch->shift);
	}
	q = clamp(q + e->zero_point, e->q_min, e->q_max);
	if (res->data) {
		__int128 s = (__int128)(q - e->zero_point) * e->own_scale +
			     (__int128)((int64_t)number(res, index) - res->desc.zero_point) *
				     e->residual_scale;

		s = (s + ((__int128)1 << (e->add_shift - 1)) - (s < 0)) >> e->add_shift;
		if (e->staged) {
			int64_t own = (q - e->zero_point) * (1 << 20);
			int64_t other = ((int64_t)number(res, index) - res->desc.zero_point) *
					(1 << 20);

			own = requantised((int32_t)(uint32_t)own, e->own_scale, e->own_shift);
			own += requantised((int32_t)other, e->residual_scale, e->residual_shift);
			s = requantised((int32_t)(uint32_t)own, e->add_multiplier, e->add_shift);
		}
		q = clamp((int64_t)s + out->desc.zero_point, e->residual_q_min, e->residual_q_max);
	}
	return (double)clamp(q, low, low + (wide ? UINT16_MAX : 255));
}

/* magnitude: sum of the absolute products, which bounds the error of a float sum in any order. */
static inline void check_output(const char *what, const struct nnadev_engine_operand *out,
				const uint32_t *index, double got, double want, double magnitude)
{
	double error = 0;

	if (out->desc.type == NNAHW_TYPE_F32)
		error = magnitude * 0x1p-20 + fabs(want) * 0x1p-22;
	else if (out->desc.type == NNAHW_TYPE_F16)
		error = magnitude * 0x1p-20 + fabs(want) * 0x1p-10 + 0x1p-24;
	if (!(fabs(got - want) <= error))
		fail_msg("%s: [%u %u %u %u] is %.9g, not %.9g", what, index[0], index[1], index[2],
			 out->desc.rank > 3 ? index[3] : 0, got, want);
}

#endif
