/* SPDX-License-Identifier: MIT */
/* The vector layer with NEON: what simd.h describes. */
#ifndef NNADEV_SIMD_NEON_H
#define NNADEV_SIMD_NEON_H

#include <arm_neon.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define NNADEV_SET neon
#define NNADEV_SET_ISA NNADEV_ENGINE_NEON

#define NNADEV_FLOATS 8u
typedef struct {
	float32x4_t low, high;
} nnadev_floats;
typedef struct {
	int32x4_t low, high;
} nnadev_ints;
typedef struct {
	uint32x4_t low, high;
} nnadev_lanes;

/* Applies a function of 4 lanes to both registers. */
#define NNADEV_BOTH1(type, f, x) ((type){ f((x).low), f((x).high) })
#define NNADEV_BOTH2(type, f, a, b) ((type){ f((a).low, (b).low), f((a).high, (b).high) })

/* ---- loads and stores ------------------------------------------------------------------------ */

static inline nnadev_floats nnadev_floats_load(const float *from)
{
	return (nnadev_floats){ vld1q_f32(from), vld1q_f32(from + 4) };
}

static inline void nnadev_floats_store(float *to, nnadev_floats x)
{
	vst1q_f32(to, x.low);
	vst1q_f32(to + 4, x.high);
}

static inline nnadev_floats nnadev_floats_of(float x)
{
	return (nnadev_floats){ vdupq_n_f32(x), vdupq_n_f32(x) };
}

static inline nnadev_floats nnadev_floats_zero(void)
{
	return nnadev_floats_of(0);
}

/* Loads @count numbers, less than a register has. The lanes that are left become @other's. */
static inline nnadev_floats nnadev_floats_load_or(const float *from, uint32_t count,
						  nnadev_floats other)
{
	float x[NNADEV_FLOATS];

	nnadev_floats_store(x, other);
	memcpy(x, from, count * sizeof(*x));
	return nnadev_floats_load(x);
}

/* Loads @count numbers and no memory behind them. The lanes that are left become 0. */
static inline nnadev_floats nnadev_floats_load_some(const float *from, uint32_t count)
{
	return nnadev_floats_load_or(from, count, nnadev_floats_zero());
}

/* Stores the first @count lanes, less than a register has. */
static inline void nnadev_floats_store_some(float *to, uint32_t count, nnadev_floats x)
{
	float all[NNADEV_FLOATS];

	nnadev_floats_store(all, x);
	memcpy(to, all, count * sizeof(*to));
}

static inline nnadev_floats nnadev_floats_load_halves(const uint16_t *from)
{
	const float16x8_t halves = vreinterpretq_f16_u16(vld1q_u16(from));

	return (nnadev_floats){ vcvt_f32_f16(vget_low_f16(halves)), vcvt_high_f32_f16(halves) };
}

/* Rounds to the nearest fp16, halves to even. */
static inline void nnadev_floats_store_halves(uint16_t *to, nnadev_floats x)
{
	vst1q_u16(to, vreinterpretq_u16_f16(vcvt_high_f16_f32(vcvt_f16_f32(x.low), x.high)));
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

static inline nnadev_floats nnadev_floats_add(nnadev_floats a, nnadev_floats b)
{
	return NNADEV_BOTH2(nnadev_floats, vaddq_f32, a, b);
}

static inline nnadev_floats nnadev_floats_sub(nnadev_floats a, nnadev_floats b)
{
	return NNADEV_BOTH2(nnadev_floats, vsubq_f32, a, b);
}

static inline nnadev_floats nnadev_floats_mul(nnadev_floats a, nnadev_floats b)
{
	return NNADEV_BOTH2(nnadev_floats, vmulq_f32, a, b);
}

static inline nnadev_floats nnadev_floats_div(nnadev_floats a, nnadev_floats b)
{
	return NNADEV_BOTH2(nnadev_floats, vdivq_f32, a, b);
}

static inline nnadev_floats nnadev_floats_sqrt(nnadev_floats x)
{
	return NNADEV_BOTH1(nnadev_floats, vsqrtq_f32, x);
}

/* c + a * b, rounded once */
static inline nnadev_floats nnadev_floats_fma(nnadev_floats a, nnadev_floats b, nnadev_floats c)
{
	return (nnadev_floats){ vfmaq_f32(c.low, a.low, b.low), vfmaq_f32(c.high, a.high, b.high) };
}

/* Rounds to an integer: to the nearest one, halves to even. */
static inline nnadev_floats nnadev_floats_round(nnadev_floats x)
{
	return NNADEV_BOTH1(nnadev_floats, vrndnq_f32, x);
}

static inline nnadev_floats nnadev_floats_floor(nnadev_floats x)
{
	return NNADEV_BOTH1(nnadev_floats, vrndmq_f32, x);
}

static inline nnadev_floats nnadev_floats_truncate(nnadev_floats x)
{
	return NNADEV_BOTH1(nnadev_floats, vrndq_f32, x);
}

/* 2^@k, for @k from -126 to 127. */
static inline float32x4_t nnadev_power4(int32x4_t k)
{
	return vreinterpretq_f32_s32(vshlq_n_s32(vaddq_s32(k, vdupq_n_s32(127)), 23));
}

/*
 * 4 lanes of nnadev_floats_scale(). 2^@k may be outside of the range of fp32. Two factors, each
 * about 2^(@k / 2), are inside of it.
 */
static inline float32x4_t nnadev_scale4(float32x4_t x, float32x4_t k)
{
	const int32x4_t whole = vcvtnq_s32_f32(k), half = vshrq_n_s32(whole, 1);

	return vmulq_f32(vmulq_f32(x, nnadev_power4(half)),
			 nnadev_power4(vsubq_s32(whole, half)));
}

/* @x * 2^@k, for whole numbers @k from -252 to 254. */
static inline nnadev_floats nnadev_floats_scale(nnadev_floats x, nnadev_floats k)
{
	return NNADEV_BOTH2(nnadev_floats, nnadev_scale4, x, k);
}

/* ---- bits ------------------------------------------------------------------------------------ */

static inline float32x4_t nnadev_and4(float32x4_t a, float32x4_t b)
{
	return vreinterpretq_f32_u32(
		vandq_u32(vreinterpretq_u32_f32(a), vreinterpretq_u32_f32(b)));
}

static inline float32x4_t nnadev_or4(float32x4_t a, float32x4_t b)
{
	return vreinterpretq_f32_u32(
		vorrq_u32(vreinterpretq_u32_f32(a), vreinterpretq_u32_f32(b)));
}

static inline float32x4_t nnadev_xor4(float32x4_t a, float32x4_t b)
{
	return vreinterpretq_f32_u32(
		veorq_u32(vreinterpretq_u32_f32(a), vreinterpretq_u32_f32(b)));
}

static inline nnadev_floats nnadev_floats_and(nnadev_floats a, nnadev_floats b)
{
	return NNADEV_BOTH2(nnadev_floats, nnadev_and4, a, b);
}

static inline nnadev_floats nnadev_floats_or(nnadev_floats a, nnadev_floats b)
{
	return NNADEV_BOTH2(nnadev_floats, nnadev_or4, a, b);
}

static inline nnadev_floats nnadev_floats_xor(nnadev_floats a, nnadev_floats b)
{
	return NNADEV_BOTH2(nnadev_floats, nnadev_xor4, a, b);
}

/* ---- lanes ----------------------------------------------------------------------------------- */

/* Comparisons with a NaN are false, but for nnadev_floats_differ(). */
static inline nnadev_lanes nnadev_floats_equal(nnadev_floats a, nnadev_floats b)
{
	return NNADEV_BOTH2(nnadev_lanes, vceqq_f32, a, b);
}

static inline nnadev_lanes nnadev_floats_differ(nnadev_floats a, nnadev_floats b)
{
	const nnadev_lanes equal = nnadev_floats_equal(a, b);

	return NNADEV_BOTH1(nnadev_lanes, vmvnq_u32, equal);
}

static inline nnadev_lanes nnadev_floats_less(nnadev_floats a, nnadev_floats b)
{
	return NNADEV_BOTH2(nnadev_lanes, vcltq_f32, a, b);
}

static inline nnadev_lanes nnadev_floats_at_most(nnadev_floats a, nnadev_floats b)
{
	return NNADEV_BOTH2(nnadev_lanes, vcleq_f32, a, b);
}

static inline nnadev_lanes nnadev_lanes_or(nnadev_lanes a, nnadev_lanes b)
{
	return NNADEV_BOTH2(nnadev_lanes, vorrq_u32, a, b);
}

static inline nnadev_lanes nnadev_lanes_and(nnadev_lanes a, nnadev_lanes b)
{
	return NNADEV_BOTH2(nnadev_lanes, vandq_u32, a, b);
}

static inline bool nnadev_lanes_any(nnadev_lanes a)
{
	return vmaxvq_u32(vorrq_u32(a.low, a.high)) != 0;
}

static inline bool nnadev_lanes_all(nnadev_lanes a)
{
	return vminvq_u32(vandq_u32(a.low, a.high)) != 0;
}

/* @yes in the lanes @where, @no in the others. */
static inline nnadev_floats nnadev_floats_select(nnadev_floats no, nnadev_floats yes,
						 nnadev_lanes where)
{
	return (nnadev_floats){ vbslq_f32(where.low, yes.low, no.low),
				vbslq_f32(where.high, yes.high, no.high) };
}

/* a > b ? a : b; the instruction would give a NaN where one is a NaN. */
static inline nnadev_floats nnadev_floats_max(nnadev_floats a, nnadev_floats b)
{
	return nnadev_floats_select(b, a, nnadev_floats_less(b, a));
}

/* a < b ? a : b */
static inline nnadev_floats nnadev_floats_min(nnadev_floats a, nnadev_floats b)
{
	return nnadev_floats_select(b, a, nnadev_floats_less(a, b));
}

/* @a, with all bits set, which makes a NaN, where @x is a NaN. */
static inline nnadev_floats nnadev_floats_or_nan(nnadev_floats a, nnadev_floats x)
{
	const nnadev_lanes nan = nnadev_floats_differ(x, x);

	return nnadev_floats_or(a, NNADEV_BOTH1(nnadev_floats, vreinterpretq_f32_u32, nan));
}

/* ---- integers -------------------------------------------------------------------------------- */

static inline nnadev_ints nnadev_ints_of(int32_t x)
{
	return (nnadev_ints){ vdupq_n_s32(x), vdupq_n_s32(x) };
}

static inline nnadev_ints nnadev_ints_load(const int32_t *from)
{
	return (nnadev_ints){ vld1q_s32(from), vld1q_s32(from + 4) };
}

static inline void nnadev_ints_store(int32_t *to, nnadev_ints x)
{
	vst1q_s32(to, x.low);
	vst1q_s32(to + 4, x.high);
}

/* Loads NNADEV_FLOATS numbers of a narrower type. */
static inline nnadev_ints nnadev_ints_load_u8(const uint8_t *from)
{
	const uint16x8_t words = vmovl_u8(vld1_u8(from));

	return (nnadev_ints){ vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(words))),
			      vreinterpretq_s32_u32(vmovl_high_u16(words)) };
}

static inline nnadev_ints nnadev_ints_load_s8(const int8_t *from)
{
	const int16x8_t words = vmovl_s8(vld1_s8(from));

	return (nnadev_ints){ vmovl_s16(vget_low_s16(words)), vmovl_high_s16(words) };
}

static inline nnadev_ints nnadev_ints_load_u16(const uint16_t *from)
{
	const uint16x8_t words = vld1q_u16(from);

	return (nnadev_ints){ vreinterpretq_s32_u32(vmovl_u16(vget_low_u16(words))),
			      vreinterpretq_s32_u32(vmovl_high_u16(words)) };
}

static inline nnadev_ints nnadev_ints_load_s16(const int16_t *from)
{
	const int16x8_t words = vld1q_s16(from);

	return (nnadev_ints){ vmovl_s16(vget_low_s16(words)), vmovl_high_s16(words) };
}

/* Stores the low 8 bits of each integer. */
static inline void nnadev_ints_store_u8(uint8_t *to, nnadev_ints x)
{
	const uint32x4_t low = vreinterpretq_u32_s32(x.low), high = vreinterpretq_u32_s32(x.high);

	vst1_u8(to, vmovn_u16(vmovn_high_u32(vmovn_u32(low), high)));
}

/* Stores the low 16 bits of each integer. */
static inline void nnadev_ints_store_u16(uint16_t *to, nnadev_ints x)
{
	const uint32x4_t low = vreinterpretq_u32_s32(x.low), high = vreinterpretq_u32_s32(x.high);

	vst1q_u16(to, vmovn_high_u32(vmovn_u32(low), high));
}

static inline nnadev_ints nnadev_ints_add(nnadev_ints a, nnadev_ints b)
{
	return NNADEV_BOTH2(nnadev_ints, vaddq_s32, a, b);
}

static inline nnadev_ints nnadev_ints_sub(nnadev_ints a, nnadev_ints b)
{
	return NNADEV_BOTH2(nnadev_ints, vsubq_s32, a, b);
}

/* The low 32 bits of the product. */
static inline nnadev_ints nnadev_ints_mul(nnadev_ints a, nnadev_ints b)
{
	return NNADEV_BOTH2(nnadev_ints, vmulq_s32, a, b);
}

/* The product of integers of 16 bits; @b is not negative. */
static inline nnadev_ints nnadev_ints_mul16(nnadev_ints a, nnadev_ints b)
{
	return nnadev_ints_mul(a, b);
}

static inline nnadev_ints nnadev_ints_min(nnadev_ints a, nnadev_ints b)
{
	return NNADEV_BOTH2(nnadev_ints, vminq_s32, a, b);
}

static inline nnadev_ints nnadev_ints_max(nnadev_ints a, nnadev_ints b)
{
	return NNADEV_BOTH2(nnadev_ints, vmaxq_s32, a, b);
}

static inline nnadev_ints nnadev_ints_abs(nnadev_ints x)
{
	return NNADEV_BOTH1(nnadev_ints, vabsq_s32, x);
}

static inline nnadev_ints nnadev_ints_shift_left(nnadev_ints x, uint32_t by)
{
	const int32x4_t count = vdupq_n_s32((int32_t)by);

	return (nnadev_ints){ vshlq_s32(x.low, count), vshlq_s32(x.high, count) };
}

/* Shifts in zeros. */
static inline nnadev_ints nnadev_ints_shift_right(nnadev_ints x, uint32_t by)
{
	const int32x4_t count = vdupq_n_s32(-(int32_t)by);

	return (nnadev_ints){
		vreinterpretq_s32_u32(vshlq_u32(vreinterpretq_u32_s32(x.low), count)),
		vreinterpretq_s32_u32(vshlq_u32(vreinterpretq_u32_s32(x.high), count)),
	};
}

static inline nnadev_lanes nnadev_ints_less(nnadev_ints a, nnadev_ints b)
{
	return NNADEV_BOTH2(nnadev_lanes, vcltq_s32, a, b);
}

/* @yes in the lanes @where, @no in the others. */
static inline nnadev_ints nnadev_ints_select(nnadev_ints no, nnadev_ints yes, nnadev_lanes where)
{
	return (nnadev_ints){ vbslq_s32(where.low, yes.low, no.low),
			      vbslq_s32(where.high, yes.high, no.high) };
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
	return NNADEV_BOTH1(nnadev_ints, vcvtq_s32_f32, x);
}

/* Rounds to the nearest integer, halves to even. A number that does not fit is saturated. */
static inline nnadev_ints nnadev_ints_round(nnadev_floats x)
{
	return NNADEV_BOTH1(nnadev_ints, vcvtnq_s32_f32, x);
}

static inline nnadev_floats nnadev_floats_from(nnadev_ints x)
{
	return NNADEV_BOTH1(nnadev_floats, vcvtq_f32_s32, x);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/* As many bytes as 4 registers have integers. */
typedef struct {
	uint8x16_t low, high;
} nnadev_bytes;
#define NNADEV_BYTES 32u

static inline nnadev_bytes nnadev_bytes_of(uint8_t x)
{
	return (nnadev_bytes){ vdupq_n_u8(x), vdupq_n_u8(x) };
}

static inline void nnadev_bytes_store(uint8_t *to, nnadev_bytes x)
{
	vst1q_u8(to, x.low);
	vst1q_u8(to + 16, x.high);
}

/* Clamps unsigned bytes. */
static inline nnadev_bytes nnadev_bytes_clamp(nnadev_bytes x, nnadev_bytes low, nnadev_bytes high)
{
	x = NNADEV_BOTH2(nnadev_bytes, vmaxq_u8, x, low);
	return NNADEV_BOTH2(nnadev_bytes, vminq_u8, x, high);
}

static inline nnadev_bytes nnadev_bytes_xor(nnadev_bytes a, nnadev_bytes b)
{
	return NNADEV_BOTH2(nnadev_bytes, veorq_u8, a, b);
}

/* 8 integers, saturated to S8 or U8. */
static inline uint8x8_t nnadev_pack8(nnadev_ints x, const bool is_signed)
{
	const int16x8_t words = vqmovn_high_s32(vqmovn_s32(x.low), x.high);

	return is_signed ? vreinterpret_u8_s8(vqmovn_s16(words)) : vqmovun_s16(words);
}

/* The integers of 4 registers, saturated to S8 or U8. */
static inline nnadev_bytes nnadev_bytes_pack(const nnadev_ints *x, const bool is_signed)
{
	return (nnadev_bytes){
		vcombine_u8(nnadev_pack8(x[0], is_signed), nnadev_pack8(x[1], is_signed)),
		vcombine_u8(nnadev_pack8(x[2], is_signed), nnadev_pack8(x[3], is_signed)),
	};
}

/* The upper halves of the integers of 4 registers, saturated to U8. */
static inline nnadev_bytes nnadev_bytes_pack_upper(const nnadev_ints *x)
{
	uint8x8_t y[4];

	for (uint32_t i = 0; i < 4; i++)
		y[i] = vqmovun_s16(vshrn_high_n_s32(vshrn_n_s32(x[i].low, 16), x[i].high, 16));
	return (nnadev_bytes){ vcombine_u8(y[0], y[1]), vcombine_u8(y[2], y[3]) };
}

/* True if the lower halves of the integers of 4 registers are at least @least, 16 bits. */
static inline bool nnadev_ints_lower_reach(const nnadev_ints *x, nnadev_ints least)
{
	uint32x4_t reach = vdupq_n_u32(UINT32_MAX);

	for (uint32_t i = 0; i < 4; i++) {
		const int32x4_t half = vdupq_n_s32(UINT16_MAX);

		reach = vandq_u32(reach, vcgeq_s32(vandq_s32(x[i].low, half), least.low));
		reach = vandq_u32(reach, vcgeq_s32(vandq_s32(x[i].high, half), least.high));
	}
	return vminvq_u32(reach);
}

/* Where nnadev_ints_spread() puts a byte. */
typedef struct {
	uint8x16_t low, high;
} nnadev_spread;

/* The lowest byte of an integer, or, if @high, the uppermost one. */
static inline nnadev_spread nnadev_spread_of(bool high)
{
	uint32_t from[NNADEV_FLOATS];

	/* A byte that the look-up has not gives 0. */
	for (uint32_t i = 0; i < NNADEV_FLOATS; i++)
		from[i] = high ? i << 24 | 0x808080 : i | 0x80808000;
	return (nnadev_spread){ vreinterpretq_u8_u32(vld1q_u32(from)),
				vreinterpretq_u8_u32(vld1q_u32(from + 4)) };
}

/* Integers with a byte of @from in each; their other bits are 0. */
static inline nnadev_ints nnadev_ints_spread(const uint8_t *from, nnadev_spread spread)
{
	const uint8x16_t bytes = vcombine_u8(vld1_u8(from), vdup_n_u8(0));

	return (nnadev_ints){ vreinterpretq_s32_u8(vqtbl1q_u8(bytes, spread.low)),
			      vreinterpretq_s32_u8(vqtbl1q_u8(bytes, spread.high)) };
}

/* ---- integers of 64 bits --------------------------------------------------------------------- */

/* Each part has the numbers of two lanes. */
typedef struct {
	int64x2_t part[4];
} nnadev_longs;

static inline nnadev_longs nnadev_longs_of(int64_t x)
{
	nnadev_longs y;

	for (uint32_t i = 0; i < 4; i++)
		y.part[i] = vdupq_n_s64(x);
	return y;
}

/* The products of all lanes. */
static inline nnadev_longs nnadev_longs_mul(nnadev_ints a, nnadev_ints b)
{
	return (nnadev_longs){ {
		vmull_s32(vget_low_s32(a.low), vget_low_s32(b.low)),
		vmull_high_s32(a.low, b.low),
		vmull_s32(vget_low_s32(a.high), vget_low_s32(b.high)),
		vmull_high_s32(a.high, b.high),
	} };
}

static inline nnadev_longs nnadev_longs_add(nnadev_longs a, nnadev_longs b)
{
	nnadev_longs y;

	for (uint32_t i = 0; i < 4; i++)
		y.part[i] = vaddq_s64(a.part[i], b.part[i]);
	return y;
}

/* @mask where @x is negative, else 0. */
static inline nnadev_longs nnadev_longs_negative(nnadev_longs x, int64_t mask)
{
	nnadev_longs y;

	for (uint32_t i = 0; i < 4; i++)
		y.part[i] = vandq_s64(vshrq_n_s64(x.part[i], 63), vdupq_n_s64(mask));
	return y;
}

/* The low 32 bits of @x + @round after an arithmetic shift to the right by 1 to 62. */
static inline nnadev_ints nnadev_longs_shift(nnadev_longs x, int64_t round, uint32_t by)
{
	const int64x2_t count = vdupq_n_s64(-(int64_t)by);

	for (uint32_t i = 0; i < 4; i++)
		x.part[i] = vshlq_s64(vaddq_s64(x.part[i], vdupq_n_s64(round)), count);
	return (nnadev_ints){ vmovn_high_s64(vmovn_s64(x.part[0]), x.part[1]),
			      vmovn_high_s64(vmovn_s64(x.part[2]), x.part[3]) };
}

/* ---- fp64 ------------------------------------------------------------------------------------ */

/* Each part has the numbers of two lanes. */
typedef struct {
	float64x2_t part[4];
} nnadev_doubles;

static inline nnadev_doubles nnadev_doubles_of(double x)
{
	nnadev_doubles y;

	for (uint32_t i = 0; i < 4; i++)
		y.part[i] = vdupq_n_f64(x);
	return y;
}

static inline void nnadev_doubles_store(double *to, nnadev_doubles x)
{
	for (uint32_t i = 0; i < 4; i++)
		vst1q_f64(to + 2 * i, x.part[i]);
}

static inline nnadev_doubles nnadev_doubles_from(nnadev_floats x)
{
	return (nnadev_doubles){ {
		vcvt_f64_f32(vget_low_f32(x.low)),
		vcvt_high_f64_f32(x.low),
		vcvt_f64_f32(vget_low_f32(x.high)),
		vcvt_high_f64_f32(x.high),
	} };
}

static inline nnadev_doubles nnadev_doubles_from_ints(nnadev_ints x)
{
	return (nnadev_doubles){ {
		vcvtq_f64_s64(vmovl_s32(vget_low_s32(x.low))),
		vcvtq_f64_s64(vmovl_high_s32(x.low)),
		vcvtq_f64_s64(vmovl_s32(vget_low_s32(x.high))),
		vcvtq_f64_s64(vmovl_high_s32(x.high)),
	} };
}

/* Rounds to fp32. */
static inline nnadev_floats nnadev_doubles_narrow(nnadev_doubles x)
{
	return (nnadev_floats){ vcvt_high_f32_f64(vcvt_f32_f64(x.part[0]), x.part[1]),
				vcvt_high_f32_f64(vcvt_f32_f64(x.part[2]), x.part[3]) };
}

static inline nnadev_doubles nnadev_doubles_add(nnadev_doubles a, nnadev_doubles b)
{
	nnadev_doubles y;

	for (uint32_t i = 0; i < 4; i++)
		y.part[i] = vaddq_f64(a.part[i], b.part[i]);
	return y;
}

static inline nnadev_doubles nnadev_doubles_sub(nnadev_doubles a, nnadev_doubles b)
{
	nnadev_doubles y;

	for (uint32_t i = 0; i < 4; i++)
		y.part[i] = vsubq_f64(a.part[i], b.part[i]);
	return y;
}

static inline nnadev_doubles nnadev_doubles_mul(nnadev_doubles a, nnadev_doubles b)
{
	nnadev_doubles y;

	for (uint32_t i = 0; i < 4; i++)
		y.part[i] = vmulq_f64(a.part[i], b.part[i]);
	return y;
}

static inline nnadev_doubles nnadev_doubles_div(nnadev_doubles a, nnadev_doubles b)
{
	nnadev_doubles y;

	for (uint32_t i = 0; i < 4; i++)
		y.part[i] = vdivq_f64(a.part[i], b.part[i]);
	return y;
}

/* Rounds towards zero, to an integer of 32 bits. */
static inline nnadev_ints nnadev_doubles_truncate(nnadev_doubles x)
{
	return (nnadev_ints){ vmovn_high_s64(vmovn_s64(vcvtq_s64_f64(x.part[0])),
					     vcvtq_s64_f64(x.part[1])),
			      vmovn_high_s64(vmovn_s64(vcvtq_s64_f64(x.part[2])),
					     vcvtq_s64_f64(x.part[3])) };
}

/* Rounds down, to an integer of 32 bits. */
static inline nnadev_ints nnadev_doubles_floor(nnadev_doubles x)
{
	for (uint32_t i = 0; i < 4; i++)
		x.part[i] = vrndmq_f64(x.part[i]);
	return nnadev_doubles_truncate(x);
}

/* @a, which is not negative, with the sign of @b. */
static inline nnadev_doubles nnadev_doubles_or_sign(nnadev_doubles a, nnadev_doubles b)
{
	const uint64x2_t sign = vdupq_n_u64(1ull << 63);

	for (uint32_t i = 0; i < 4; i++)
		a.part[i] = vbslq_f64(sign, b.part[i], a.part[i]);
	return a;
}

/* 2^@k, for @k from -1022 to 1023. */
static inline nnadev_doubles nnadev_doubles_power(nnadev_ints k)
{
	const int64x2_t one = vdupq_n_s64(1023);

	return (nnadev_doubles){ {
		vreinterpretq_f64_s64(
			vshlq_n_s64(vaddq_s64(vmovl_s32(vget_low_s32(k.low)), one), 52)),
		vreinterpretq_f64_s64(vshlq_n_s64(vaddq_s64(vmovl_high_s32(k.low), one), 52)),
		vreinterpretq_f64_s64(
			vshlq_n_s64(vaddq_s64(vmovl_s32(vget_low_s32(k.high)), one), 52)),
		vreinterpretq_f64_s64(vshlq_n_s64(vaddq_s64(vmovl_high_s32(k.high), one), 52)),
	} };
}

/* ---- functions of a byte --------------------------------------------------------------------- */

/* A function of a byte: its 256 values. */
typedef struct {
	uint8x16x4_t part[4];
} nnadev_table;

static inline nnadev_table nnadev_table_of(const uint8_t *values)
{
	nnadev_table table;

	for (uint32_t i = 0; i < 4; i++)
		table.part[i] = vld1q_u8_x4(values + 64 * i);
	return table;
}

/* A look-up leaves a value as it is where the number is 64 or more. */
static inline uint8x16_t nnadev_table_find(const nnadev_table *table, uint8x16_t x)
{
	uint8x16_t v = vqtbl4q_u8(table->part[0], x);

	for (uint32_t i = 1; i < 4; i++)
		v = vqtbx4q_u8(v, table->part[i], vsubq_u8(x, vdupq_n_u8((uint8_t)(64 * i))));
	return v;
}

/* Replaces @count bytes by their values. */
static inline void nnadev_table_look_up(const nnadev_table *table, uint8_t *to,
					const uint8_t *from, uint32_t count)
{
	uint8_t last[16] = { 0 };
	uint32_t i = 0;

	for (; i + 16 <= count; i += 16)
		vst1q_u8(to + i, nnadev_table_find(table, vld1q_u8(from + i)));
	memcpy(last, from + i, count - i);
	vst1q_u8(last, nnadev_table_find(table, vld1q_u8(last)));
	memcpy(to + i, last, count - i);
}

/* ---- across lanes ---------------------------------------------------------------------------- */

/* Return: the largest number; there is no NaN. */
static inline float nnadev_floats_largest(nnadev_floats x)
{
	return vmaxvq_f32(vmaxq_f32(x.low, x.high));
}

typedef struct {
	float64x2_t part[4];
} nnadev_sums;

static inline nnadev_sums nnadev_sums_zero(void)
{
	const float64x2_t zero = vdupq_n_f64(0);

	return (nnadev_sums){ { zero, zero, zero, zero } };
}

static inline void nnadev_sums_add(nnadev_sums *s, nnadev_floats x)
{
	s->part[0] = vaddq_f64(s->part[0], vcvt_f64_f32(vget_low_f32(x.low)));
	s->part[1] = vaddq_f64(s->part[1], vcvt_high_f64_f32(x.low));
	s->part[2] = vaddq_f64(s->part[2], vcvt_f64_f32(vget_low_f32(x.high)));
	s->part[3] = vaddq_f64(s->part[3], vcvt_high_f64_f32(x.high));
}

static inline double nnadev_sums_total(const nnadev_sums *s)
{
	return vaddvq_f64(vaddq_f64(vaddq_f64(s->part[0], s->part[2]),
				    vaddq_f64(s->part[1], s->part[3])));
}

#endif
