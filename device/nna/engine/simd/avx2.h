/* SPDX-License-Identifier: MIT */
/* The vector layer with AVX2, FMA and F16C: what simd.h describes. */
#ifndef NNADEV_SIMD_AVX2_H
#define NNADEV_SIMD_AVX2_H

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

#define NNADEV_SET avx2
#define NNADEV_SET_ISA NNADEV_ENGINE_AVX2

#define NNADEV_FLOATS 8u
typedef __m256 nnadev_floats;
typedef __m256i nnadev_ints;
typedef __m256 nnadev_lanes;

/* ---- loads and stores ------------------------------------------------------------------------ */

static inline nnadev_floats nnadev_floats_load(const float *from)
{
	return _mm256_loadu_ps(from);
}

static inline void nnadev_floats_store(float *to, nnadev_floats x)
{
	_mm256_storeu_ps(to, x);
}

static inline nnadev_floats nnadev_floats_of(float x)
{
	return _mm256_set1_ps(x);
}

static inline nnadev_floats nnadev_floats_zero(void)
{
	return _mm256_setzero_ps();
}

/* Return: a mask of the first @count lanes. */
static inline __m256i nnadev_first8(uint32_t count)
{
	return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)count),
				  _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

/* Loads @count numbers and no memory behind them. The lanes that are left become 0. */
static inline nnadev_floats nnadev_floats_load_some(const float *from, uint32_t count)
{
	return _mm256_maskload_ps(from, nnadev_first8(count));
}

/* Loads @count numbers, less than a register has. The lanes that are left become @other's. */
static inline nnadev_floats nnadev_floats_load_or(const float *from, uint32_t count,
						  nnadev_floats other)
{
	const __m256i mask = nnadev_first8(count);

	return _mm256_blendv_ps(other, _mm256_maskload_ps(from, mask), _mm256_castsi256_ps(mask));
}

/*
 * Stores the first @count lanes, less than a register has. It branches on @count, which is the same
 * for many calls and so well predicted. A masked store takes some CPUs 40 cycles and more.
 */
static inline void nnadev_floats_store_some(float *to, uint32_t count, nnadev_floats x)
{
	__m128 next = _mm256_castps256_ps128(x);

	if (count & 4) {
		_mm_storeu_ps(to, next);
		next = _mm256_extractf128_ps(x, 1);
		to += 4;
	}
	if (count & 2) {
		_mm_storel_pi((__m64 *)to, next);
		next = _mm_movehl_ps(next, next);
		to += 2;
	}
	if (count & 1)
		_mm_store_ss(to, next);
}

static inline nnadev_floats nnadev_floats_load_halves(const uint16_t *from)
{
	return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)from));
}

/* Rounds to the nearest fp16, halves to even. */
static inline void nnadev_floats_store_halves(uint16_t *to, nnadev_floats x)
{
	_mm_storeu_si128((__m128i *)to, _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

static inline nnadev_floats nnadev_floats_add(nnadev_floats a, nnadev_floats b)
{
	return _mm256_add_ps(a, b);
}

static inline nnadev_floats nnadev_floats_sub(nnadev_floats a, nnadev_floats b)
{
	return _mm256_sub_ps(a, b);
}

static inline nnadev_floats nnadev_floats_mul(nnadev_floats a, nnadev_floats b)
{
	return _mm256_mul_ps(a, b);
}

static inline nnadev_floats nnadev_floats_div(nnadev_floats a, nnadev_floats b)
{
	return _mm256_div_ps(a, b);
}

static inline nnadev_floats nnadev_floats_sqrt(nnadev_floats x)
{
	return _mm256_sqrt_ps(x);
}

/* c + a * b, rounded once */
static inline nnadev_floats nnadev_floats_fma(nnadev_floats a, nnadev_floats b, nnadev_floats c)
{
	return _mm256_fmadd_ps(a, b, c);
}

/* a > b ? a : b */
static inline nnadev_floats nnadev_floats_max(nnadev_floats a, nnadev_floats b)
{
	return _mm256_max_ps(a, b);
}

/* a < b ? a : b */
static inline nnadev_floats nnadev_floats_min(nnadev_floats a, nnadev_floats b)
{
	return _mm256_min_ps(a, b);
}

/* 2^@k, for @k from -126 to 127. */
static inline nnadev_floats nnadev_power8(__m256i k)
{
	return _mm256_castsi256_ps(
		_mm256_slli_epi32(_mm256_add_epi32(k, _mm256_set1_epi32(127)), 23));
}

/*
 * @x * 2^@k, for whole numbers @k from -252 to 254. 2^@k may be outside of the range of fp32. Two
 * factors, each about 2^(@k / 2), are inside of it.
 */
static inline nnadev_floats nnadev_floats_scale(nnadev_floats x, nnadev_floats k)
{
	const __m256i whole = _mm256_cvtps_epi32(k), half = _mm256_srai_epi32(whole, 1);

	x = _mm256_mul_ps(x, nnadev_power8(half));
	return _mm256_mul_ps(x, nnadev_power8(_mm256_sub_epi32(whole, half)));
}

/* Rounds to an integer: to the nearest one, halves to even. */
static inline nnadev_floats nnadev_floats_round(nnadev_floats x)
{
	return _mm256_round_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

static inline nnadev_floats nnadev_floats_floor(nnadev_floats x)
{
	return _mm256_round_ps(x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}

static inline nnadev_floats nnadev_floats_truncate(nnadev_floats x)
{
	return _mm256_round_ps(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}

/* ---- bits ------------------------------------------------------------------------------------ */

static inline nnadev_floats nnadev_floats_and(nnadev_floats a, nnadev_floats b)
{
	return _mm256_and_ps(a, b);
}

static inline nnadev_floats nnadev_floats_or(nnadev_floats a, nnadev_floats b)
{
	return _mm256_or_ps(a, b);
}

static inline nnadev_floats nnadev_floats_xor(nnadev_floats a, nnadev_floats b)
{
	return _mm256_xor_ps(a, b);
}

/* ---- lanes ----------------------------------------------------------------------------------- */

/* Comparisons with a NaN are false, but for nnadev_floats_differ(). */
static inline nnadev_lanes nnadev_floats_equal(nnadev_floats a, nnadev_floats b)
{
	return _mm256_cmp_ps(a, b, _CMP_EQ_OQ);
}

static inline nnadev_lanes nnadev_floats_differ(nnadev_floats a, nnadev_floats b)
{
	return _mm256_cmp_ps(a, b, _CMP_NEQ_UQ);
}

static inline nnadev_lanes nnadev_floats_less(nnadev_floats a, nnadev_floats b)
{
	return _mm256_cmp_ps(a, b, _CMP_LT_OQ);
}

static inline nnadev_lanes nnadev_floats_at_most(nnadev_floats a, nnadev_floats b)
{
	return _mm256_cmp_ps(a, b, _CMP_LE_OQ);
}

static inline nnadev_lanes nnadev_lanes_or(nnadev_lanes a, nnadev_lanes b)
{
	return _mm256_or_ps(a, b);
}

static inline nnadev_lanes nnadev_lanes_and(nnadev_lanes a, nnadev_lanes b)
{
	return _mm256_and_ps(a, b);
}

static inline bool nnadev_lanes_any(nnadev_lanes a)
{
	return _mm256_movemask_ps(a);
}

static inline bool nnadev_lanes_all(nnadev_lanes a)
{
	return _mm256_movemask_ps(a) == 0xff;
}

/* @yes in the lanes @where, @no in the others. */
static inline nnadev_floats nnadev_floats_select(nnadev_floats no, nnadev_floats yes,
						 nnadev_lanes where)
{
	return _mm256_blendv_ps(no, yes, where);
}

/* @a, with all bits set, which makes a NaN, where @x is a NaN. */
static inline nnadev_floats nnadev_floats_or_nan(nnadev_floats a, nnadev_floats x)
{
	return _mm256_or_ps(a, _mm256_cmp_ps(x, x, _CMP_UNORD_Q));
}

/* ---- integers -------------------------------------------------------------------------------- */

static inline nnadev_ints nnadev_ints_of(int32_t x)
{
	return _mm256_set1_epi32(x);
}

static inline nnadev_ints nnadev_ints_load(const int32_t *from)
{
	return _mm256_loadu_si256((const __m256i *)from);
}

static inline void nnadev_ints_store(int32_t *to, nnadev_ints x)
{
	_mm256_storeu_si256((__m256i *)to, x);
}

/* Loads NNADEV_FLOATS numbers of a narrower type. */
static inline nnadev_ints nnadev_ints_load_u8(const uint8_t *from)
{
	return _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)from));
}

static inline nnadev_ints nnadev_ints_load_s8(const int8_t *from)
{
	return _mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)from));
}

static inline nnadev_ints nnadev_ints_load_u16(const uint16_t *from)
{
	return _mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)from));
}

static inline nnadev_ints nnadev_ints_load_s16(const int16_t *from)
{
	return _mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)from));
}

/* Stores the low 8 bits of each integer. */
static inline void nnadev_ints_store_u8(uint8_t *to, nnadev_ints x)
{
	const __m256i order = _mm256_set1_epi32(0x0c080400);
	const __m256i y = _mm256_shuffle_epi8(x, order);
	const __m128i low = _mm256_castsi256_si128(y), high = _mm256_extracti128_si256(y, 1);

	_mm_storel_epi64((__m128i *)to, _mm_unpacklo_epi32(low, high));
}

/* Stores the low 16 bits of each integer. */
static inline void nnadev_ints_store_u16(uint16_t *to, nnadev_ints x)
{
	x = _mm256_shuffle_epi8(x, _mm256_set1_epi64x(0x0d0c090805040100));
	_mm_storeu_si128((__m128i *)to, _mm256_castsi256_si128(_mm256_permute4x64_epi64(x, 0x08)));
}

static inline nnadev_ints nnadev_ints_add(nnadev_ints a, nnadev_ints b)
{
	return _mm256_add_epi32(a, b);
}

static inline nnadev_ints nnadev_ints_sub(nnadev_ints a, nnadev_ints b)
{
	return _mm256_sub_epi32(a, b);
}

/* The low 32 bits of the product. */
static inline nnadev_ints nnadev_ints_mul(nnadev_ints a, nnadev_ints b)
{
	return _mm256_mullo_epi32(a, b);
}

/* The product of integers of 16 bits; @b is not negative. */
static inline nnadev_ints nnadev_ints_mul16(nnadev_ints a, nnadev_ints b)
{
	return _mm256_madd_epi16(a, b);
}

static inline nnadev_ints nnadev_ints_min(nnadev_ints a, nnadev_ints b)
{
	return _mm256_min_epi32(a, b);
}

static inline nnadev_ints nnadev_ints_max(nnadev_ints a, nnadev_ints b)
{
	return _mm256_max_epi32(a, b);
}

static inline nnadev_ints nnadev_ints_abs(nnadev_ints x)
{
	return _mm256_abs_epi32(x);
}

static inline nnadev_ints nnadev_ints_shift_left(nnadev_ints x, uint32_t by)
{
	return _mm256_sll_epi32(x, _mm_cvtsi32_si128((int)by));
}

/* Shifts in zeros. */
static inline nnadev_ints nnadev_ints_shift_right(nnadev_ints x, uint32_t by)
{
	return _mm256_srl_epi32(x, _mm_cvtsi32_si128((int)by));
}

static inline nnadev_lanes nnadev_ints_less(nnadev_ints a, nnadev_ints b)
{
	return _mm256_castsi256_ps(_mm256_cmpgt_epi32(b, a));
}

/* @yes in the lanes @where, @no in the others. */
static inline nnadev_ints nnadev_ints_select(nnadev_ints no, nnadev_ints yes, nnadev_lanes where)
{
	return _mm256_castps_si256(
		_mm256_blendv_ps(_mm256_castsi256_ps(no), _mm256_castsi256_ps(yes), where));
}

/* @x, which is not negative, with the sign of @of; where @of is 0, @x is 0. */
static inline nnadev_ints nnadev_ints_with_sign(nnadev_ints x, nnadev_ints of)
{
	return _mm256_sign_epi32(x, of);
}

/* Rounds towards zero. A number that does not fit gives any integer. */
static inline nnadev_ints nnadev_ints_truncate(nnadev_floats x)
{
	return _mm256_cvttps_epi32(x);
}

/* Rounds to the nearest integer, halves to even. A number that does not fit gives INT32_MIN. */
static inline nnadev_ints nnadev_ints_round(nnadev_floats x)
{
	return _mm256_cvtps_epi32(x);
}

static inline nnadev_floats nnadev_floats_from(nnadev_ints x)
{
	return _mm256_cvtepi32_ps(x);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/* As many bytes as 4 registers have integers. */
typedef __m256i nnadev_bytes;
#define NNADEV_BYTES 32u

static inline nnadev_bytes nnadev_bytes_of(uint8_t x)
{
	return _mm256_set1_epi8((char)x);
}

static inline void nnadev_bytes_store(uint8_t *to, nnadev_bytes x)
{
	_mm256_storeu_si256((__m256i *)to, x);
}

/* Clamps unsigned bytes. */
static inline nnadev_bytes nnadev_bytes_clamp(nnadev_bytes x, nnadev_bytes low, nnadev_bytes high)
{
	return _mm256_min_epu8(_mm256_max_epu8(x, low), high);
}

static inline nnadev_bytes nnadev_bytes_xor(nnadev_bytes a, nnadev_bytes b)
{
	return _mm256_xor_si256(a, b);
}

/* Orders what packing has put into the halves of a register. */
static inline __m256i nnadev_unpacked(__m256i x)
{
	return _mm256_permutevar8x32_epi32(x, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}

/* The integers of 4 registers, saturated to S8 or U8. */
static inline nnadev_bytes nnadev_bytes_pack(const nnadev_ints *x, const bool is_signed)
{
	const __m256i a = _mm256_packs_epi32(x[0], x[1]), b = _mm256_packs_epi32(x[2], x[3]);

	return nnadev_unpacked(is_signed ? _mm256_packs_epi16(a, b) : _mm256_packus_epi16(a, b));
}

/* The upper halves of the integers of 4 registers, saturated to U8. */
static inline nnadev_bytes nnadev_bytes_pack_upper(const nnadev_ints *x)
{
	const __m256i apart = _mm256_broadcastsi128_si256(
		_mm_setr_epi8(0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15));
	/* Words in turns of two registers. */
	const __m256i a = _mm256_blend_epi16(_mm256_srli_epi32(x[0], 16), x[1], 0xaa),
		      b = _mm256_blend_epi16(_mm256_srli_epi32(x[2], 16), x[3], 0xaa);

	return nnadev_unpacked(_mm256_shuffle_epi8(_mm256_packus_epi16(a, b), apart));
}

/* True if the lower halves of the integers of 4 registers are at least @least, 16 bits. */
static inline bool nnadev_ints_lower_reach(const nnadev_ints *x, nnadev_ints least)
{
	const __m256i low = _mm256_min_epu16(_mm256_min_epu16(x[0], x[1]),
					     _mm256_min_epu16(x[2], x[3]));

	return _mm256_movemask_epi8(_mm256_cmpeq_epi16(_mm256_max_epu16(low, least), low)) == -1;
}

/* Where nnadev_ints_spread() puts a byte. */
typedef __m256i nnadev_spread;

/* The lowest byte of an integer, or, if @high, the uppermost one. */
static inline nnadev_spread nnadev_spread_of(bool high)
{
	const __m256i number = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);

	/* A byte of the shuffle's control whose uppermost bit is set gives 0. */
	return high ? _mm256_or_si256(_mm256_slli_epi32(number, 24), _mm256_set1_epi32(0x808080)) :
		      _mm256_or_si256(number, _mm256_set1_epi32((int32_t)0x80808000));
}

/* Integers with a byte of @from in each; their other bits are 0. */
static inline nnadev_ints nnadev_ints_spread(const uint8_t *from, nnadev_spread spread)
{
	return _mm256_shuffle_epi8(
		_mm256_broadcastq_epi64(_mm_loadl_epi64((const __m128i *)from)), spread);
}

/* ---- integers of 64 bits --------------------------------------------------------------------- */

/* @even has the integers of lanes 0, 2, 4 and so on, @odd those of the lanes between them. */
typedef struct {
	__m256i even, odd;
} nnadev_longs;

static inline nnadev_longs nnadev_longs_of(int64_t x)
{
	return (nnadev_longs){ _mm256_set1_epi64x(x), _mm256_set1_epi64x(x) };
}

/* The products of all lanes. */
static inline nnadev_longs nnadev_longs_mul(nnadev_ints a, nnadev_ints b)
{
	return (nnadev_longs){ _mm256_mul_epi32(a, b),
			       _mm256_mul_epi32(_mm256_srli_epi64(a, 32),
						_mm256_srli_epi64(b, 32)) };
}

static inline nnadev_longs nnadev_longs_add(nnadev_longs a, nnadev_longs b)
{
	return (nnadev_longs){ _mm256_add_epi64(a.even, b.even), _mm256_add_epi64(a.odd, b.odd) };
}

/* @mask where @x is negative, else 0. */
static inline nnadev_longs nnadev_longs_negative(nnadev_longs x, int64_t mask)
{
	const __m256i all = _mm256_set1_epi64x(mask), zero = _mm256_setzero_si256();

	return (nnadev_longs){ _mm256_and_si256(_mm256_cmpgt_epi64(zero, x.even), all),
			       _mm256_and_si256(_mm256_cmpgt_epi64(zero, x.odd), all) };
}

/* The low 32 bits of @x + @round after an arithmetic shift to the right by 1 to 62. */
static inline nnadev_ints nnadev_longs_shift(nnadev_longs x, int64_t round, uint32_t by)
{
	/* Only a logical shift exists, so 2^63 is added before it and subtracted after it. */
	const __m256i first = _mm256_set1_epi64x((int64_t)((uint64_t)round + (1ull << 63))),
		      later = _mm256_set1_epi32((int32_t)(uint32_t)(1ull << (63 - by)));
	const __m128i count = _mm_cvtsi32_si128((int)by);

	x.even = _mm256_srl_epi64(_mm256_add_epi64(x.even, first), count);
	x.odd = _mm256_srl_epi64(_mm256_add_epi64(x.odd, first), count);
	return _mm256_sub_epi32(
		_mm256_blend_epi32(x.even, _mm256_slli_epi64(x.odd, 32), 0xaa), later);
}

/* ---- fp64 ------------------------------------------------------------------------------------ */

/* @low has the numbers of the lower half of the lanes, @high those of the upper half. */
typedef struct {
	__m256d low, high;
} nnadev_doubles;

static inline nnadev_doubles nnadev_doubles_of(double x)
{
	return (nnadev_doubles){ _mm256_set1_pd(x), _mm256_set1_pd(x) };
}

static inline void nnadev_doubles_store(double *to, nnadev_doubles x)
{
	_mm256_storeu_pd(to, x.low);
	_mm256_storeu_pd(to + 4, x.high);
}

static inline nnadev_doubles nnadev_doubles_from(nnadev_floats x)
{
	return (nnadev_doubles){ _mm256_cvtps_pd(_mm256_castps256_ps128(x)),
				 _mm256_cvtps_pd(_mm256_extractf128_ps(x, 1)) };
}

static inline nnadev_doubles nnadev_doubles_from_ints(nnadev_ints x)
{
	return (nnadev_doubles){ _mm256_cvtepi32_pd(_mm256_castsi256_si128(x)),
				 _mm256_cvtepi32_pd(_mm256_extracti128_si256(x, 1)) };
}

/* Rounds to fp32. */
static inline nnadev_floats nnadev_doubles_narrow(nnadev_doubles x)
{
	return _mm256_set_m128(_mm256_cvtpd_ps(x.high), _mm256_cvtpd_ps(x.low));
}

static inline nnadev_doubles nnadev_doubles_add(nnadev_doubles a, nnadev_doubles b)
{
	return (nnadev_doubles){ _mm256_add_pd(a.low, b.low), _mm256_add_pd(a.high, b.high) };
}

static inline nnadev_doubles nnadev_doubles_sub(nnadev_doubles a, nnadev_doubles b)
{
	return (nnadev_doubles){ _mm256_sub_pd(a.low, b.low), _mm256_sub_pd(a.high, b.high) };
}

static inline nnadev_doubles nnadev_doubles_mul(nnadev_doubles a, nnadev_doubles b)
{
	return (nnadev_doubles){ _mm256_mul_pd(a.low, b.low), _mm256_mul_pd(a.high, b.high) };
}

static inline nnadev_doubles nnadev_doubles_div(nnadev_doubles a, nnadev_doubles b)
{
	return (nnadev_doubles){ _mm256_div_pd(a.low, b.low), _mm256_div_pd(a.high, b.high) };
}

/* Rounds towards zero, to an integer of 32 bits. */
static inline nnadev_ints nnadev_doubles_truncate(nnadev_doubles x)
{
	return _mm256_set_m128i(_mm256_cvttpd_epi32(x.high), _mm256_cvttpd_epi32(x.low));
}

/* Rounds down, to an integer of 32 bits. */
static inline nnadev_ints nnadev_doubles_floor(nnadev_doubles x)
{
	return _mm256_set_m128i(_mm256_cvtpd_epi32(_mm256_floor_pd(x.high)),
				_mm256_cvtpd_epi32(_mm256_floor_pd(x.low)));
}

/* @a, which is not negative, with the sign of @b. */
static inline nnadev_doubles nnadev_doubles_or_sign(nnadev_doubles a, nnadev_doubles b)
{
	const __m256d sign = _mm256_set1_pd(-0.0);

	return (nnadev_doubles){ _mm256_or_pd(a.low, _mm256_and_pd(b.low, sign)),
				 _mm256_or_pd(a.high, _mm256_and_pd(b.high, sign)) };
}

/* 2^@k, for @k from -1022 to 1023. */
static inline nnadev_doubles nnadev_doubles_power(nnadev_ints k)
{
	k = _mm256_add_epi32(k, _mm256_set1_epi32(1023));
	return (nnadev_doubles){
		_mm256_castsi256_pd(_mm256_slli_epi64(
			_mm256_cvtepi32_epi64(_mm256_castsi256_si128(k)), 52)),
		_mm256_castsi256_pd(_mm256_slli_epi64(
			_mm256_cvtepi32_epi64(_mm256_extracti128_si256(k, 1)), 52)),
	};
}

/* ---- functions of a byte --------------------------------------------------------------------- */

/* A function of a byte: its values, of which there are 256. */
typedef const uint8_t *nnadev_table;

static inline nnadev_table nnadev_table_of(const uint8_t *values)
{
	return values;
}

/* The values of row @row of 16, for 32 bytes whose lower halves are @low. */
static inline __m256i nnadev_table_row(nnadev_table table, uint32_t row, __m256i low)
{
	const __m128i values = _mm_loadu_si128((const __m128i *)(table + 16 * row));

	return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(values), low);
}

/*
 * A shuffle by the lower half of a byte selects a value of every row. Each bit of the upper half
 * then selects half of the remaining rows.
 */
static inline __m256i nnadev_table_find(nnadev_table table, __m256i x)
{
	const __m256i low = _mm256_and_si256(x, _mm256_set1_epi8(15));
	/* vpblendvb selects by the uppermost bit; the shifts move bits 4, 5 and 6 there. */
	const __m256i bit4 = _mm256_slli_epi16(x, 3), bit5 = _mm256_slli_epi16(x, 2),
		      bit6 = _mm256_slli_epi16(x, 1);
	__m256i v[8];

#pragma GCC unroll 8
	for (uint32_t i = 0; i < 8; i++)
		v[i] = _mm256_blendv_epi8(nnadev_table_row(table, 2 * i, low),
					  nnadev_table_row(table, 2 * i + 1, low), bit4);
#pragma GCC unroll 4
	for (uint32_t i = 0; i < 4; i++)
		v[i] = _mm256_blendv_epi8(v[2 * i], v[2 * i + 1], bit5);
	v[0] = _mm256_blendv_epi8(v[0], v[1], bit6);
	v[1] = _mm256_blendv_epi8(v[2], v[3], bit6);
	return _mm256_blendv_epi8(v[0], v[1], x);
}

/* Replaces @count bytes by their values. */
static inline void nnadev_table_look_up(const nnadev_table *table, uint8_t *to,
					const uint8_t *from, uint32_t count)
{
	uint32_t i = 0;

	for (; i + 32 <= count; i += 32)
		_mm256_storeu_si256(
			(__m256i *)(to + i),
			nnadev_table_find(*table,
					  _mm256_loadu_si256((const __m256i *)(from + i))));
	for (; i < count; i++)
		to[i] = (*table)[from[i]];
}

/* ---- across lanes ---------------------------------------------------------------------------- */

/* Return: the largest number; there is no NaN. */
static inline float nnadev_floats_largest(nnadev_floats x)
{
	__m128 four = _mm_max_ps(_mm256_castps256_ps128(x), _mm256_extractf128_ps(x, 1));

	four = _mm_max_ps(four, _mm_movehl_ps(four, four));
	return _mm_cvtss_f32(_mm_max_ss(four, _mm_movehdup_ps(four)));
}

typedef struct {
	__m256d low, high;
} nnadev_sums;

static inline nnadev_sums nnadev_sums_zero(void)
{
	return (nnadev_sums){ _mm256_setzero_pd(), _mm256_setzero_pd() };
}

static inline void nnadev_sums_add(nnadev_sums *s, nnadev_floats x)
{
	s->low = _mm256_add_pd(s->low, _mm256_cvtps_pd(_mm256_castps256_ps128(x)));
	s->high = _mm256_add_pd(s->high, _mm256_cvtps_pd(_mm256_extractf128_ps(x, 1)));
}

static inline double nnadev_sums_total(const nnadev_sums *s)
{
	const __m256d four = _mm256_add_pd(s->low, s->high);
	const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four),
				       _mm256_extractf128_pd(four, 1));

	return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}

#endif
