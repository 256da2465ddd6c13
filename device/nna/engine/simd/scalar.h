/* SPDX-License-Identifier: MIT */
/*
 * The vector layer in plain C, with the compiler's generic vectors: what simd.h describes, on every
 * CPU. It is there for sanitizers, fuzzers and CPUs to come, so it is simple rather than fast.
 */
#ifndef NNADEV_SIMD_SCALAR_H
#define NNADEV_SIMD_SCALAR_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "device/nna/engine/element.h"

#define NNADEV_SET vector
#define NNADEV_SET_ISA NNADEV_ENGINE_VECTOR
/* An operation on registers is a loop here, and two registers of floats by six rows are many. */
#define NNADEV_SLOWER 128u

#define NNADEV_FLOATS 8u
typedef float nnadev_floats __attribute__((vector_size(32)));
typedef int32_t nnadev_ints __attribute__((vector_size(32)));
typedef uint32_t nnadev_uints __attribute__((vector_size(32)));
typedef nnadev_ints nnadev_lanes; /* all bits of a lane are set, or none */

/* y = f(x) for each lane. */
#define NNADEV_EACH(y, x, f)                                                                       \
	do {                                                                                       \
		for (uint32_t i_ = 0; i_ < NNADEV_FLOATS; i_++)                                    \
			(y)[i_] = f((x)[i_]);                                                      \
	} while (0)

/* ---- loads and stores ------------------------------------------------------------------------ */

static inline nnadev_floats nnadev_floats_load(const float *from)
{
	nnadev_floats x;

	memcpy(&x, from, sizeof(x));
	return x;
}

static inline void nnadev_floats_store(float *to, nnadev_floats x)
{
	memcpy(to, &x, sizeof(x));
}

static inline nnadev_floats nnadev_floats_of(float x)
{
	return (nnadev_floats){ x, x, x, x, x, x, x, x };
}

static inline nnadev_floats nnadev_floats_zero(void)
{
	return nnadev_floats_of(0);
}

/* Loads @count numbers, less than a register has. The lanes that are left become @other's. */
static inline nnadev_floats nnadev_floats_load_or(const float *from, uint32_t count,
						  nnadev_floats other)
{
	memcpy(&other, from, count * sizeof(*from));
	return other;
}

/* Loads @count numbers and no memory behind them. The lanes that are left become 0. */
static inline nnadev_floats nnadev_floats_load_some(const float *from, uint32_t count)
{
	return nnadev_floats_load_or(from, count, nnadev_floats_zero());
}

/* Stores the first @count lanes, less than a register has. */
static inline void nnadev_floats_store_some(float *to, uint32_t count, nnadev_floats x)
{
	memcpy(to, &x, count * sizeof(*to));
}

static inline nnadev_floats nnadev_floats_load_halves(const uint16_t *from)
{
	nnadev_floats x;

	NNADEV_EACH(x, from, nnadev_half_to_float);
	return x;
}

/* Rounds to the nearest fp16, halves to even. */
static inline void nnadev_floats_store_halves(uint16_t *to, nnadev_floats x)
{
	NNADEV_EACH(to, x, nnadev_float_to_half);
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

static inline nnadev_floats nnadev_floats_add(nnadev_floats a, nnadev_floats b)
{
	return a + b;
}

static inline nnadev_floats nnadev_floats_sub(nnadev_floats a, nnadev_floats b)
{
	return a - b;
}

static inline nnadev_floats nnadev_floats_mul(nnadev_floats a, nnadev_floats b)
{
	return a * b;
}

static inline nnadev_floats nnadev_floats_div(nnadev_floats a, nnadev_floats b)
{
	return a / b;
}

static inline nnadev_floats nnadev_floats_sqrt(nnadev_floats x)
{
	NNADEV_EACH(x, x, __builtin_sqrtf);
	return x;
}

/* c + a * b, rounded once */
static inline nnadev_floats nnadev_floats_fma(nnadev_floats a, nnadev_floats b, nnadev_floats c)
{
	for (uint32_t i = 0; i < NNADEV_FLOATS; i++)
		c[i] = __builtin_fmaf(a[i], b[i], c[i]);
	return c;
}

/* Rounds to an integer: to the nearest one, halves to even. */
static inline nnadev_floats nnadev_floats_round(nnadev_floats x)
{
	NNADEV_EACH(x, x, __builtin_rintf);
	return x;
}

static inline nnadev_floats nnadev_floats_floor(nnadev_floats x)
{
	NNADEV_EACH(x, x, __builtin_floorf);
	return x;
}

static inline nnadev_floats nnadev_floats_truncate(nnadev_floats x)
{
	NNADEV_EACH(x, x, __builtin_truncf);
	return x;
}

/* @x * 2^@k, for whole numbers @k from -252 to 254. */
static inline nnadev_floats nnadev_floats_scale(nnadev_floats x, nnadev_floats k)
{
	for (uint32_t i = 0; i < NNADEV_FLOATS; i++)
		x[i] = __builtin_ldexpf(x[i], (int)k[i]);
	return x;
}

/* ---- bits ------------------------------------------------------------------------------------ */

static inline nnadev_floats nnadev_floats_and(nnadev_floats a, nnadev_floats b)
{
	return (nnadev_floats)((nnadev_ints)a & (nnadev_ints)b);
}

static inline nnadev_floats nnadev_floats_or(nnadev_floats a, nnadev_floats b)
{
	return (nnadev_floats)((nnadev_ints)a | (nnadev_ints)b);
}

static inline nnadev_floats nnadev_floats_xor(nnadev_floats a, nnadev_floats b)
{
	return (nnadev_floats)((nnadev_ints)a ^ (nnadev_ints)b);
}

/* ---- lanes ----------------------------------------------------------------------------------- */

/* Comparisons with a NaN are false, but for nnadev_floats_differ(). */
static inline nnadev_lanes nnadev_floats_equal(nnadev_floats a, nnadev_floats b)
{
	return a == b;
}

static inline nnadev_lanes nnadev_floats_differ(nnadev_floats a, nnadev_floats b)
{
	return a != b;
}

static inline nnadev_lanes nnadev_floats_less(nnadev_floats a, nnadev_floats b)
{
	return a < b;
}

static inline nnadev_lanes nnadev_floats_at_most(nnadev_floats a, nnadev_floats b)
{
	return a <= b;
}

static inline nnadev_lanes nnadev_lanes_or(nnadev_lanes a, nnadev_lanes b)
{
	return a | b;
}

static inline nnadev_lanes nnadev_lanes_and(nnadev_lanes a, nnadev_lanes b)
{
	return a & b;
}

static inline bool nnadev_lanes_any(nnadev_lanes a)
{
	int32_t any = 0;

	for (uint32_t i = 0; i < NNADEV_FLOATS; i++)
		any |= a[i];
	return any;
}

static inline bool nnadev_lanes_all(nnadev_lanes a)
{
	return !nnadev_lanes_any(~a);
}

static inline nnadev_ints nnadev_ints_pick(nnadev_ints no, nnadev_ints yes, nnadev_lanes where)
{
	return (yes & where) | (no & ~where);
}

/* @yes in the lanes @where, @no in the others. */
static inline nnadev_floats nnadev_floats_select(nnadev_floats no, nnadev_floats yes,
						 nnadev_lanes where)
{
	return (nnadev_floats)nnadev_ints_pick((nnadev_ints)no, (nnadev_ints)yes, where);
}

/* a > b ? a : b */
static inline nnadev_floats nnadev_floats_max(nnadev_floats a, nnadev_floats b)
{
	return nnadev_floats_select(b, a, a > b);
}

/* a < b ? a : b */
static inline nnadev_floats nnadev_floats_min(nnadev_floats a, nnadev_floats b)
{
	return nnadev_floats_select(b, a, a < b);
}

/* @a, with all bits set, which makes a NaN, where @x is a NaN. */
static inline nnadev_floats nnadev_floats_or_nan(nnadev_floats a, nnadev_floats x)
{
	return (nnadev_floats)((nnadev_ints)a | (x != x));
}

/* ---- integers -------------------------------------------------------------------------------- */

static inline nnadev_ints nnadev_ints_of(int32_t x)
{
	return (nnadev_ints){ x, x, x, x, x, x, x, x };
}

static inline nnadev_ints nnadev_ints_load(const int32_t *from)
{
	nnadev_ints x;

	memcpy(&x, from, sizeof(x));
	return x;
}

static inline void nnadev_ints_store(int32_t *to, nnadev_ints x)
{
	memcpy(to, &x, sizeof(x));
}

/* Loads NNADEV_FLOATS numbers of a narrower type. */
static inline nnadev_ints nnadev_ints_load_u8(const uint8_t *from)
{
	nnadev_ints y = { 0 };

	for (uint32_t i = 0; i < NNADEV_FLOATS; i++)
		y[i] = from[i];
	return y;
}

static inline nnadev_ints nnadev_ints_load_s8(const int8_t *from)
{
	nnadev_ints y = { 0 };

	for (uint32_t i = 0; i < NNADEV_FLOATS; i++)
		y[i] = from[i];
	return y;
}

static inline nnadev_ints nnadev_ints_load_u16(const uint16_t *from)
{
	nnadev_ints y = { 0 };

	for (uint32_t i = 0; i < NNADEV_FLOATS; i++)
		y[i] = from[i];
	return y;
}

static inline nnadev_ints nnadev_ints_load_s16(const int16_t *from)
{
	nnadev_ints y = { 0 };

	for (uint32_t i = 0; i < NNADEV_FLOATS; i++)
		y[i] = from[i];
	return y;
}

/* Stores the low 8 bits of each integer. */
static inline void nnadev_ints_store_u8(uint8_t *to, nnadev_ints x)
{
	for (uint32_t i = 0; i < NNADEV_FLOATS; i++)
		to[i] = (uint8_t)x[i];
}

/* Stores the low 16 bits of each integer. */
static inline void nnadev_ints_store_u16(uint16_t *to, nnadev_ints x)
{
	for (uint32_t i = 0; i < NNADEV_FLOATS; i++)
		to[i] = (uint16_t)x[i];
}

static inline nnadev_ints nnadev_ints_add(nnadev_ints a, nnadev_ints b)
{
	return (nnadev_ints)((nnadev_uints)a + (nnadev_uints)b);
}

static inline nnadev_ints nnadev_ints_sub(nnadev_ints a, nnadev_ints b)
{
	return (nnadev_ints)((nnadev_uints)a - (nnadev_uints)b);
}

/* The low 32 bits of the product. */
static inline nnadev_ints nnadev_ints_mul(nnadev_ints a, nnadev_ints b)
{
	return (nnadev_ints)((nnadev_uints)a * (nnadev_uints)b);
}

/* The product of integers of 16 bits; @b is not negative. */
static inline nnadev_ints nnadev_ints_mul16(nnadev_ints a, nnadev_ints b)
{
	return nnadev_ints_mul(a, b);
}

static inline nnadev_ints nnadev_ints_min(nnadev_ints a, nnadev_ints b)
{
	return nnadev_ints_pick(b, a, a < b);
}

static inline nnadev_ints nnadev_ints_max(nnadev_ints a, nnadev_ints b)
{
	return nnadev_ints_pick(b, a, a > b);
}

static inline nnadev_ints nnadev_ints_abs(nnadev_ints x)
{
	return nnadev_ints_pick(x, (nnadev_ints)(-(nnadev_uints)x), x < 0);
}

static inline nnadev_ints nnadev_ints_shift_left(nnadev_ints x, uint32_t by)
{
	return (nnadev_ints)((nnadev_uints)x << by);
}

/* Shifts in zeros. */
static inline nnadev_ints nnadev_ints_shift_right(nnadev_ints x, uint32_t by)
{
	return (nnadev_ints)((nnadev_uints)x >> by);
}

static inline nnadev_lanes nnadev_ints_less(nnadev_ints a, nnadev_ints b)
{
	return a < b;
}

/* @yes in the lanes @where, @no in the others. */
static inline nnadev_ints nnadev_ints_select(nnadev_ints no, nnadev_ints yes, nnadev_lanes where)
{
	return nnadev_ints_pick(no, yes, where);
}

/* @x, which is not negative, with the sign of @of; where @of is 0, @x is 0. */
static inline nnadev_ints nnadev_ints_with_sign(nnadev_ints x, nnadev_ints of)
{
	return nnadev_ints_select(x, nnadev_ints_sub(nnadev_ints_of(0), x),
				  nnadev_ints_less(of, nnadev_ints_of(0)));
}

/* Rounds towards zero. A number that does not fit gives any integer. */
static inline nnadev_ints nnadev_ints_truncate(nnadev_floats x)
{
	nnadev_ints y;

	for (uint32_t i = 0; i < NNADEV_FLOATS; i++)
		y[i] = x[i] >= -0x1p31f && x[i] < 0x1p31f ? (int32_t)x[i] : INT32_MIN;
	return y;
}

/* Rounds to the nearest integer, halves to even. A number that does not fit gives INT32_MIN. */
static inline nnadev_ints nnadev_ints_round(nnadev_floats x)
{
	return nnadev_ints_truncate(nnadev_floats_round(x));
}

static inline nnadev_floats nnadev_floats_from(nnadev_ints x)
{
	return __builtin_convertvector(x, nnadev_floats);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/* As many bytes as 4 registers have integers. */
typedef uint8_t nnadev_bytes __attribute__((vector_size(32)));
#define NNADEV_BYTES 32u

static inline nnadev_bytes nnadev_bytes_of(uint8_t x)
{
	nnadev_bytes y;

	memset(&y, x, sizeof(y));
	return y;
}

static inline void nnadev_bytes_store(uint8_t *to, nnadev_bytes x)
{
	memcpy(to, &x, sizeof(x));
}

/* Clamps unsigned bytes. */
static inline nnadev_bytes nnadev_bytes_clamp(nnadev_bytes x, nnadev_bytes low, nnadev_bytes high)
{
	for (uint32_t i = 0; i < NNADEV_BYTES; i++)
		x[i] = (uint8_t)nnadev_clamp_s64(x[i], low[i], high[i]);
	return x;
}

static inline nnadev_bytes nnadev_bytes_xor(nnadev_bytes a, nnadev_bytes b)
{
	return a ^ b;
}

/* The integers of 4 registers, saturated to S8 or U8. */
static inline nnadev_bytes nnadev_bytes_pack(const nnadev_ints *x, const bool is_signed)
{
	const int64_t low = is_signed ? INT8_MIN : 0, high = is_signed ? INT8_MAX : UINT8_MAX;
	nnadev_bytes y;

	for (uint32_t i = 0; i < NNADEV_BYTES; i++)
		y[i] = (uint8_t)nnadev_clamp_s64(x[i / NNADEV_FLOATS][i % NNADEV_FLOATS], low,
						 high);
	return y;
}

/* The upper halves of the integers of 4 registers, saturated to U8. */
static inline nnadev_bytes nnadev_bytes_pack_upper(const nnadev_ints *x)
{
	nnadev_ints y[4];

	for (uint32_t i = 0; i < 4; i++)
		y[i] = x[i] >> 16;
	return nnadev_bytes_pack(y, false);
}

/* True if the lower halves of the integers of 4 registers are at least @least, 16 bits. */
static inline bool nnadev_ints_lower_reach(const nnadev_ints *x, nnadev_ints least)
{
	nnadev_lanes less = { 0 };

	for (uint32_t i = 0; i < 4; i++)
		less |= (x[i] & UINT16_MAX) < least;
	return !nnadev_lanes_any(less);
}

/* Where nnadev_ints_spread() puts a byte: bits to the left. */
typedef uint32_t nnadev_spread;

/* The lowest byte of an integer, or, if @high, the uppermost one. */
static inline nnadev_spread nnadev_spread_of(bool high)
{
	return high ? 24 : 0;
}

/* Integers with a byte of @from in each; their other bits are 0. */
static inline nnadev_ints nnadev_ints_spread(const uint8_t *from, nnadev_spread spread)
{
	return (nnadev_ints)((nnadev_uints)nnadev_ints_load_u8(from) << spread);
}

/* ---- integers of 64 bits --------------------------------------------------------------------- */

typedef int64_t nnadev_longs __attribute__((vector_size(64)));

static inline nnadev_longs nnadev_longs_of(int64_t x)
{
	return (nnadev_longs){ x, x, x, x, x, x, x, x };
}

/* The products of all lanes. */
static inline nnadev_longs nnadev_longs_mul(nnadev_ints a, nnadev_ints b)
{
	return __builtin_convertvector(a, nnadev_longs) * __builtin_convertvector(b, nnadev_longs);
}

static inline nnadev_longs nnadev_longs_add(nnadev_longs a, nnadev_longs b)
{
	return a + b;
}

/* @mask where @x is negative, else 0. */
static inline nnadev_longs nnadev_longs_negative(nnadev_longs x, int64_t mask)
{
	return (x < 0) & nnadev_longs_of(mask);
}

/* The low 32 bits of @x + @round after an arithmetic shift to the right by 1 to 62. */
static inline nnadev_ints nnadev_longs_shift(nnadev_longs x, int64_t round, uint32_t by)
{
	return __builtin_convertvector((x + nnadev_longs_of(round)) >> by, nnadev_ints);
}

/* ---- fp64 ------------------------------------------------------------------------------------ */

typedef double nnadev_doubles __attribute__((vector_size(64)));

static inline nnadev_doubles nnadev_doubles_of(double x)
{
	return (nnadev_doubles){ x, x, x, x, x, x, x, x };
}

static inline void nnadev_doubles_store(double *to, nnadev_doubles x)
{
	memcpy(to, &x, sizeof(x));
}

static inline nnadev_doubles nnadev_doubles_from(nnadev_floats x)
{
	return __builtin_convertvector(x, nnadev_doubles);
}

static inline nnadev_doubles nnadev_doubles_from_ints(nnadev_ints x)
{
	return __builtin_convertvector(x, nnadev_doubles);
}

/* Rounds to fp32. */
static inline nnadev_floats nnadev_doubles_narrow(nnadev_doubles x)
{
	return __builtin_convertvector(x, nnadev_floats);
}

static inline nnadev_doubles nnadev_doubles_add(nnadev_doubles a, nnadev_doubles b)
{
	return a + b;
}

static inline nnadev_doubles nnadev_doubles_sub(nnadev_doubles a, nnadev_doubles b)
{
	return a - b;
}

static inline nnadev_doubles nnadev_doubles_mul(nnadev_doubles a, nnadev_doubles b)
{
	return a * b;
}

static inline nnadev_doubles nnadev_doubles_div(nnadev_doubles a, nnadev_doubles b)
{
	return a / b;
}

/* Rounds towards zero, to an integer of 32 bits. */
static inline nnadev_ints nnadev_doubles_truncate(nnadev_doubles x)
{
	nnadev_ints y;

	for (uint32_t i = 0; i < NNADEV_FLOATS; i++)
		y[i] = (int32_t)x[i];
	return y;
}

/* Rounds down, to an integer of 32 bits. */
static inline nnadev_ints nnadev_doubles_floor(nnadev_doubles x)
{
	nnadev_ints y = { 0 };

	for (uint32_t i = 0; i < NNADEV_FLOATS; i++)
		y[i] = (int32_t)__builtin_floor(x[i]);
	return y;
}

/* @a, which is not negative, with the sign of @b. */
static inline nnadev_doubles nnadev_doubles_or_sign(nnadev_doubles a, nnadev_doubles b)
{
	return (nnadev_doubles)((nnadev_longs)a | ((nnadev_longs)b & nnadev_longs_of(INT64_MIN)));
}

/* 2^@k, for @k from -1022 to 1023. */
static inline nnadev_doubles nnadev_doubles_power(nnadev_ints k)
{
	return (nnadev_doubles)((__builtin_convertvector(k, nnadev_longs) + 1023) << 52);
}

/* ---- functions of a byte --------------------------------------------------------------------- */

/* A function of a byte: its values, of which there are 256. */
typedef const uint8_t *nnadev_table;

static inline nnadev_table nnadev_table_of(const uint8_t *values)
{
	return values;
}

/* Replaces @count bytes by their values. */
static inline void nnadev_table_look_up(const nnadev_table *table, uint8_t *to,
					const uint8_t *from, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		to[i] = (*table)[from[i]];
}

/* ---- across lanes ---------------------------------------------------------------------------- */

/* Return: the largest number; there is no NaN. */
static inline float nnadev_floats_largest(nnadev_floats x)
{
	float most = x[0];

	for (uint32_t i = 1; i < NNADEV_FLOATS; i++)
		most = x[i] > most ? x[i] : most;
	return most;
}

typedef struct {
	double part[NNADEV_FLOATS];
} nnadev_sums;

static inline nnadev_sums nnadev_sums_zero(void)
{
	return (nnadev_sums){ { 0 } };
}

static inline void nnadev_sums_add(nnadev_sums *s, nnadev_floats x)
{
	for (uint32_t i = 0; i < NNADEV_FLOATS; i++)
		s->part[i] += (double)x[i];
}

static inline double nnadev_sums_total(const nnadev_sums *s)
{
	double total = 0;

	for (uint32_t i = 0; i < NNADEV_FLOATS; i++)
		total += s->part[i];
	return total;
}

#endif
