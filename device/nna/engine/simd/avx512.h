/* SPDX-License-Identifier: MIT */
/* The vector layer with AVX-512: what simd.h describes. */
#ifndef NNADEV_SIMD_AVX512_H
#define NNADEV_SIMD_AVX512_H

#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

#define NNADEV_SET avx512
#define NNADEV_SET_ISA NNADEV_ENGINE_AVX512

#define NNADEV_FLOATS 16u
typedef __m512 nnadev_floats;
typedef __m512i nnadev_ints;
typedef __mmask16 nnadev_lanes;

/* ---- loads and stores ------------------------------------------------------------------------ */

static inline nnadev_floats nnadev_floats_load(const float *from)
{
	return _mm512_loadu_ps(from);
}

static inline void nnadev_floats_store(float *to, nnadev_floats x)
{
	_mm512_storeu_ps(to, x);
}

static inline nnadev_floats nnadev_floats_of(float x)
{
	return _mm512_set1_ps(x);
}

static inline nnadev_floats nnadev_floats_zero(void)
{
	return _mm512_setzero_ps();
}

/* Loads @count numbers and no memory behind them. The lanes that are left become 0. */
static inline nnadev_floats nnadev_floats_load_some(const float *from, uint32_t count)
{
	return _mm512_maskz_loadu_ps((__mmask16)((1u << count) - 1), from);
}

/* Loads @count numbers, less than a register has. The lanes that are left become @other's. */
static inline nnadev_floats nnadev_floats_load_or(const float *from, uint32_t count,
						  nnadev_floats other)
{
	return _mm512_mask_loadu_ps(other, (__mmask16)((1u << count) - 1), from);
}

/* Stores the first @count lanes, less than a register has. */
static inline void nnadev_floats_store_some(float *to, uint32_t count, nnadev_floats x)
{
	_mm512_mask_storeu_ps(to, (__mmask16)((1u << count) - 1), x);
}

static inline nnadev_floats nnadev_floats_load_halves(const uint16_t *from)
{
	return _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)from));
}

/* Rounds to the nearest fp16, halves to even. */
static inline void nnadev_floats_store_halves(uint16_t *to, nnadev_floats x)
{
	_mm256_storeu_si256((__m256i *)to, _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

static inline nnadev_floats nnadev_floats_add(nnadev_floats a, nnadev_floats b)
{
	return _mm512_add_ps(a, b);
}

static inline nnadev_floats nnadev_floats_sub(nnadev_floats a, nnadev_floats b)
{
	return _mm512_sub_ps(a, b);
}

static inline nnadev_floats nnadev_floats_mul(nnadev_floats a, nnadev_floats b)
{
	return _mm512_mul_ps(a, b);
}

static inline nnadev_floats nnadev_floats_div(nnadev_floats a, nnadev_floats b)
{
	return _mm512_div_ps(a, b);
}

static inline nnadev_floats nnadev_floats_sqrt(nnadev_floats x)
{
	return _mm512_sqrt_ps(x);
}

/* c + a * b, rounded once */
static inline nnadev_floats nnadev_floats_fma(nnadev_floats a, nnadev_floats b, nnadev_floats c)
{
	return _mm512_fmadd_ps(a, b, c);
}

/* a > b ? a : b */
static inline nnadev_floats nnadev_floats_max(nnadev_floats a, nnadev_floats b)
{
	return _mm512_max_ps(a, b);
}

/* a < b ? a : b */
static inline nnadev_floats nnadev_floats_min(nnadev_floats a, nnadev_floats b)
{
	return _mm512_min_ps(a, b);
}

/* @x * 2^@k, for whole numbers @k from -252 to 254. */
static inline nnadev_floats nnadev_floats_scale(nnadev_floats x, nnadev_floats k)
{
	return _mm512_scalef_ps(x, k);
}

/* Rounds to an integer: to the nearest one, halves to even. */
static inline nnadev_floats nnadev_floats_round(nnadev_floats x)
{
	return _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

static inline nnadev_floats nnadev_floats_floor(nnadev_floats x)
{
	return _mm512_roundscale_ps(x, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
}

static inline nnadev_floats nnadev_floats_truncate(nnadev_floats x)
{
	return _mm512_roundscale_ps(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
}

/* ---- bits ------------------------------------------------------------------------------------ */

static inline nnadev_floats nnadev_floats_and(nnadev_floats a, nnadev_floats b)
{
	return _mm512_and_ps(a, b);
}

static inline nnadev_floats nnadev_floats_or(nnadev_floats a, nnadev_floats b)
{
	return _mm512_or_ps(a, b);
}

static inline nnadev_floats nnadev_floats_xor(nnadev_floats a, nnadev_floats b)
{
	return _mm512_xor_ps(a, b);
}

/* ---- lanes ----------------------------------------------------------------------------------- */

/* Comparisons with a NaN are false, but for nnadev_floats_differ(). */
static inline nnadev_lanes nnadev_floats_equal(nnadev_floats a, nnadev_floats b)
{
	return _mm512_cmp_ps_mask(a, b, _CMP_EQ_OQ);
}

static inline nnadev_lanes nnadev_floats_differ(nnadev_floats a, nnadev_floats b)
{
	return _mm512_cmp_ps_mask(a, b, _CMP_NEQ_UQ);
}

static inline nnadev_lanes nnadev_floats_less(nnadev_floats a, nnadev_floats b)
{
	return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ);
}

static inline nnadev_lanes nnadev_floats_at_most(nnadev_floats a, nnadev_floats b)
{
	return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ);
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
	return a;
}

static inline bool nnadev_lanes_all(nnadev_lanes a)
{
	return a == 0xffff;
}

/* @yes in the lanes @where, @no in the others. */
static inline nnadev_floats nnadev_floats_select(nnadev_floats no, nnadev_floats yes,
						 nnadev_lanes where)
{
	return _mm512_mask_blend_ps(where, no, yes);
}

/* @a, with all bits set, which makes a NaN, where @x is a NaN. */
static inline nnadev_floats nnadev_floats_or_nan(nnadev_floats a, nnadev_floats x)
{
	const __m512i bits = _mm512_castps_si512(a);

	return _mm512_castsi512_ps(_mm512_mask_ternarylogic_epi32(
		bits, _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q), bits, bits, 0xff));
}

/* ---- integers -------------------------------------------------------------------------------- */

static inline nnadev_ints nnadev_ints_of(int32_t x)
{
	return _mm512_set1_epi32(x);
}

static inline nnadev_ints nnadev_ints_load(const int32_t *from)
{
	return _mm512_loadu_si512(from);
}

static inline void nnadev_ints_store(int32_t *to, nnadev_ints x)
{
	_mm512_storeu_si512(to, x);
}

/* Loads NNADEV_FLOATS numbers of a narrower type. */
static inline nnadev_ints nnadev_ints_load_u8(const uint8_t *from)
{
	return _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)from));
}

static inline nnadev_ints nnadev_ints_load_s8(const int8_t *from)
{
	return _mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)from));
}

static inline nnadev_ints nnadev_ints_load_u16(const uint16_t *from)
{
	return _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)from));
}

static inline nnadev_ints nnadev_ints_load_s16(const int16_t *from)
{
	return _mm512_cvtepi16_epi32(_mm256_loadu_si256((const __m256i *)from));
}

/* Stores the low 8 bits of each integer. */
static inline void nnadev_ints_store_u8(uint8_t *to, nnadev_ints x)
{
	_mm_storeu_si128((__m128i *)to, _mm512_cvtepi32_epi8(x));
}

/* Stores the low 16 bits of each integer. */
static inline void nnadev_ints_store_u16(uint16_t *to, nnadev_ints x)
{
	_mm256_storeu_si256((__m256i *)to, _mm512_cvtepi32_epi16(x));
}

static inline nnadev_ints nnadev_ints_add(nnadev_ints a, nnadev_ints b)
{
	return _mm512_add_epi32(a, b);
}

static inline nnadev_ints nnadev_ints_sub(nnadev_ints a, nnadev_ints b)
{
	return _mm512_sub_epi32(a, b);
}

/* The low 32 bits of the product. */
static inline nnadev_ints nnadev_ints_mul(nnadev_ints a, nnadev_ints b)
{
	return _mm512_mullo_epi32(a, b);
}

/* The product of integers of 16 bits; @b is not negative. */
static inline nnadev_ints nnadev_ints_mul16(nnadev_ints a, nnadev_ints b)
{
	return _mm512_madd_epi16(a, b);
}

static inline nnadev_ints nnadev_ints_min(nnadev_ints a, nnadev_ints b)
{
	return _mm512_min_epi32(a, b);
}

static inline nnadev_ints nnadev_ints_max(nnadev_ints a, nnadev_ints b)
{
	return _mm512_max_epi32(a, b);
}

static inline nnadev_ints nnadev_ints_abs(nnadev_ints x)
{
	return _mm512_abs_epi32(x);
}

static inline nnadev_ints nnadev_ints_shift_left(nnadev_ints x, uint32_t by)
{
	return _mm512_sll_epi32(x, _mm_cvtsi32_si128((int)by));
}

/* Shifts in zeros. */
static inline nnadev_ints nnadev_ints_shift_right(nnadev_ints x, uint32_t by)
{
	return _mm512_srl_epi32(x, _mm_cvtsi32_si128((int)by));
}

static inline nnadev_lanes nnadev_ints_less(nnadev_ints a, nnadev_ints b)
{
	return _mm512_cmplt_epi32_mask(a, b);
}

/* @yes in the lanes @where, @no in the others. */
static inline nnadev_ints nnadev_ints_select(nnadev_ints no, nnadev_ints yes, nnadev_lanes where)
{
	return _mm512_mask_blend_epi32(where, no, yes);
}

/* @x, which is not negative, with the sign of @of; where @of is 0, @x is 0. */
static inline nnadev_ints nnadev_ints_with_sign(nnadev_ints x, nnadev_ints of)
{
	return _mm512_mask_sub_epi32(x, _mm512_movepi32_mask(of), _mm512_setzero_si512(), x);
}

/* Rounds towards zero. A number that does not fit gives any integer. */
static inline nnadev_ints nnadev_ints_truncate(nnadev_floats x)
{
	return _mm512_cvttps_epi32(x);
}

/* Rounds to the nearest integer, halves to even. A number that does not fit gives INT32_MIN. */
static inline nnadev_ints nnadev_ints_round(nnadev_floats x)
{
	return _mm512_cvtps_epi32(x);
}

static inline nnadev_floats nnadev_floats_from(nnadev_ints x)
{
	return _mm512_cvtepi32_ps(x);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/* As many bytes as 4 registers have integers. */
typedef __m512i nnadev_bytes;
#define NNADEV_BYTES 64u

static inline nnadev_bytes nnadev_bytes_of(uint8_t x)
{
	return _mm512_set1_epi8((char)x);
}

static inline void nnadev_bytes_store(uint8_t *to, nnadev_bytes x)
{
	_mm512_storeu_si512(to, x);
}

/* Clamps unsigned bytes. */
static inline nnadev_bytes nnadev_bytes_clamp(nnadev_bytes x, nnadev_bytes low, nnadev_bytes high)
{
	return _mm512_min_epu8(_mm512_max_epu8(x, low), high);
}

static inline nnadev_bytes nnadev_bytes_xor(nnadev_bytes a, nnadev_bytes b)
{
	return _mm512_xor_si512(a, b);
}

/* Orders what packing has put into the quarters of a register. */
static inline __m512i nnadev_unpacked(__m512i x)
{
	return _mm512_permutexvar_epi32(_mm512_setr_epi32(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3,
							  7, 11, 15),
					x);
}

/* The integers of 4 registers, saturated to S8 or U8. */
static inline nnadev_bytes nnadev_bytes_pack(const nnadev_ints *x, const bool is_signed)
{
	const __m512i a = _mm512_packs_epi32(x[0], x[1]), b = _mm512_packs_epi32(x[2], x[3]);

	return nnadev_unpacked(is_signed ? _mm512_packs_epi16(a, b) : _mm512_packus_epi16(a, b));
}

/* The upper halves of the integers of 4 registers, saturated to U8. */
static inline nnadev_bytes nnadev_bytes_pack_upper(const nnadev_ints *x)
{
	const __m512i apart = _mm512_broadcast_i32x4(
		_mm_setr_epi8(0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15));
	/* Words in turns of two registers. */
	const __m512i a = _mm512_mask_blend_epi16(0xaaaaaaaa, _mm512_srli_epi32(x[0], 16), x[1]),
		      b = _mm512_mask_blend_epi16(0xaaaaaaaa, _mm512_srli_epi32(x[2], 16), x[3]);

	return nnadev_unpacked(_mm512_shuffle_epi8(_mm512_packus_epi16(a, b), apart));
}

/* True if the lower halves of the integers of 4 registers are at least @least, 16 bits. */
static inline bool nnadev_ints_lower_reach(const nnadev_ints *x, nnadev_ints least)
{
	const __m512i low = _mm512_min_epu16(_mm512_min_epu16(x[0], x[1]),
					     _mm512_min_epu16(x[2], x[3]));

	return !_mm512_cmplt_epu16_mask(low, least);
}

/* Where nnadev_ints_spread() puts a byte. */
typedef __m512i nnadev_spread;

/* The lowest byte of an integer, or, if @high, the uppermost one. */
static inline nnadev_spread nnadev_spread_of(bool high)
{
	const __m512i number = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,
						 15);

	/* A byte of the shuffle's control whose uppermost bit is set gives 0. */
	return high ? _mm512_or_si512(_mm512_slli_epi32(number, 24), _mm512_set1_epi32(0x808080)) :
		      _mm512_or_si512(number, _mm512_set1_epi32((int32_t)0x80808000));
}

/* Integers with a byte of @from in each; their other bits are 0. */
static inline nnadev_ints nnadev_ints_spread(const uint8_t *from, nnadev_spread spread)
{
	return _mm512_shuffle_epi8(
		_mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)from)), spread);
}

/* ---- integers of 64 bits --------------------------------------------------------------------- */

/* @even has the integers of lanes 0, 2, 4 and so on, @odd those of the lanes between them. */
typedef struct {
	__m512i even, odd;
} nnadev_longs;

static inline nnadev_longs nnadev_longs_of(int64_t x)
{
	return (nnadev_longs){ _mm512_set1_epi64(x), _mm512_set1_epi64(x) };
}

/* The products of all lanes. */
static inline nnadev_longs nnadev_longs_mul(nnadev_ints a, nnadev_ints b)
{
	return (nnadev_longs){ _mm512_mul_epi32(a, b),
			       _mm512_mul_epi32(_mm512_srli_epi64(a, 32),
						_mm512_srli_epi64(b, 32)) };
}

static inline nnadev_longs nnadev_longs_add(nnadev_longs a, nnadev_longs b)
{
	return (nnadev_longs){ _mm512_add_epi64(a.even, b.even), _mm512_add_epi64(a.odd, b.odd) };
}

/* @mask where @x is negative, else 0. */
static inline nnadev_longs nnadev_longs_negative(nnadev_longs x, int64_t mask)
{
	const __m512i all = _mm512_set1_epi64(mask);

	return (nnadev_longs){ _mm512_and_si512(_mm512_srai_epi64(x.even, 63), all),
			       _mm512_and_si512(_mm512_srai_epi64(x.odd, 63), all) };
}

/* The low 32 bits of @x + @round after an arithmetic shift to the right by 1 to 62. */
static inline nnadev_ints nnadev_longs_shift(nnadev_longs x, int64_t round, uint32_t by)
{
	const __m128i count = _mm_cvtsi32_si128((int)by);

	x = nnadev_longs_add(x, nnadev_longs_of(round));
	return _mm512_mask_blend_epi32(
		0xaaaa, _mm512_sra_epi64(x.even, count),
		_mm512_slli_epi64(_mm512_sra_epi64(x.odd, count), 32));
}

/* ---- fp64 ------------------------------------------------------------------------------------ */

/* @low has the numbers of the lower half of the lanes, @high those of the upper half. */
typedef struct {
	__m512d low, high;
} nnadev_doubles;

static inline nnadev_doubles nnadev_doubles_of(double x)
{
	return (nnadev_doubles){ _mm512_set1_pd(x), _mm512_set1_pd(x) };
}

static inline void nnadev_doubles_store(double *to, nnadev_doubles x)
{
	_mm512_storeu_pd(to, x.low);
	_mm512_storeu_pd(to + 8, x.high);
}

static inline nnadev_doubles nnadev_doubles_from(nnadev_floats x)
{
	return (nnadev_doubles){ _mm512_cvtps_pd(_mm512_castps512_ps256(x)),
				 _mm512_cvtps_pd(_mm512_extractf32x8_ps(x, 1)) };
}

static inline nnadev_doubles nnadev_doubles_from_ints(nnadev_ints x)
{
	return (nnadev_doubles){ _mm512_cvtepi32_pd(_mm512_castsi512_si256(x)),
				 _mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(x, 1)) };
}

/* Rounds to fp32. */
static inline nnadev_floats nnadev_doubles_narrow(nnadev_doubles x)
{
	return _mm512_insertf32x8(_mm512_castps256_ps512(_mm512_cvtpd_ps(x.low)),
				  _mm512_cvtpd_ps(x.high), 1);
}

static inline nnadev_doubles nnadev_doubles_add(nnadev_doubles a, nnadev_doubles b)
{
	return (nnadev_doubles){ _mm512_add_pd(a.low, b.low), _mm512_add_pd(a.high, b.high) };
}

static inline nnadev_doubles nnadev_doubles_sub(nnadev_doubles a, nnadev_doubles b)
{
	return (nnadev_doubles){ _mm512_sub_pd(a.low, b.low), _mm512_sub_pd(a.high, b.high) };
}

static inline nnadev_doubles nnadev_doubles_mul(nnadev_doubles a, nnadev_doubles b)
{
	return (nnadev_doubles){ _mm512_mul_pd(a.low, b.low), _mm512_mul_pd(a.high, b.high) };
}

static inline nnadev_doubles nnadev_doubles_div(nnadev_doubles a, nnadev_doubles b)
{
	return (nnadev_doubles){ _mm512_div_pd(a.low, b.low), _mm512_div_pd(a.high, b.high) };
}

/* Rounds towards zero, to an integer of 32 bits. */
static inline nnadev_ints nnadev_doubles_truncate(nnadev_doubles x)
{
	return _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvttpd_epi32(x.low)),
				  _mm512_cvttpd_epi32(x.high), 1);
}

/* Rounds down, to an integer of 32 bits. */
static inline nnadev_ints nnadev_doubles_floor(nnadev_doubles x)
{
	x.low = _mm512_roundscale_pd(x.low, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
	x.high = _mm512_roundscale_pd(x.high, _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC);
	return nnadev_doubles_truncate(x);
}

/* @a, which is not negative, with the sign of @b. */
static inline nnadev_doubles nnadev_doubles_or_sign(nnadev_doubles a, nnadev_doubles b)
{
	const __m512d sign = _mm512_set1_pd(-0.0);

	return (nnadev_doubles){ _mm512_or_pd(a.low, _mm512_and_pd(b.low, sign)),
				 _mm512_or_pd(a.high, _mm512_and_pd(b.high, sign)) };
}

/* 2^@k, for @k from -1022 to 1023. */
static inline nnadev_doubles nnadev_doubles_power(nnadev_ints k)
{
	k = _mm512_add_epi32(k, _mm512_set1_epi32(1023));
	return (nnadev_doubles){
		_mm512_castsi512_pd(_mm512_slli_epi64(
			_mm512_cvtepi32_epi64(_mm512_castsi512_si256(k)), 52)),
		_mm512_castsi512_pd(_mm512_slli_epi64(
			_mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(k, 1)), 52)),
	};
}

/* ---- functions of a byte --------------------------------------------------------------------- */

/* A function of a byte: its 256 values. A register has 32 words of two values. */
typedef struct {
	__m512i words[4];
} nnadev_table;

static inline nnadev_table nnadev_table_of(const uint8_t *values)
{
	nnadev_table table;

	for (uint32_t i = 0; i < 4; i++)
		table.words[i] = _mm512_loadu_si512(values + 64 * i);
	return table;
}

/* The words of the values of bytes 2 * @word and 2 * @word + 1. @upper: @word is 64 or more. */
static inline __m512i nnadev_table_words(const nnadev_table *table, __m512i word, __mmask32 upper)
{
	const __m512i *w = table->words;

	return _mm512_mask_blend_epi16(upper, _mm512_permutex2var_epi16(w[0], word, w[1]),
				       _mm512_permutex2var_epi16(w[2], word, w[3]));
}

static inline __m512i nnadev_table_find(const nnadev_table *table, __m512i x)
{
	const __m512i one = _mm512_set1_epi16(1), low = _mm512_set1_epi16(0xff);
	const __m512i even = _mm512_and_si512(x, low), odd = _mm512_srli_epi16(x, 8);
	__m512i a = nnadev_table_words(table, _mm512_srli_epi16(even, 1),
				       _mm512_test_epi16_mask(x, _mm512_set1_epi16(0x80)));
	__m512i b = nnadev_table_words(table, _mm512_srli_epi16(odd, 1), _mm512_movepi16_mask(x));

	/* An odd byte has the upper value of its word. */
	a = _mm512_srlv_epi16(a, _mm512_slli_epi16(_mm512_and_si512(even, one), 3));
	b = _mm512_sllv_epi16(b, _mm512_slli_epi16(_mm512_andnot_si512(odd, one), 3));
	return _mm512_mask_blend_epi8(0xaaaaaaaaaaaaaaaa, a, b);
}

/* Replaces @count bytes by their values. */
static inline void nnadev_table_look_up(const nnadev_table *table, uint8_t *to,
					const uint8_t *from, uint32_t count)
{
	uint32_t i = 0;

	for (; i + 64 <= count; i += 64)
		_mm512_storeu_si512(to + i,
				    nnadev_table_find(table, _mm512_loadu_si512(from + i)));
	if (i < count) {
		const __mmask64 mask = ~0ull >> (64 - (count - i));

		_mm512_mask_storeu_epi8(
			to + i, mask,
			nnadev_table_find(table, _mm512_maskz_loadu_epi8(mask, from + i)));
	}
}

/* ---- across lanes ---------------------------------------------------------------------------- */

/* Return: the largest number; there is no NaN. */
static inline float nnadev_floats_largest(nnadev_floats x)
{
	return _mm512_reduce_max_ps(x);
}

typedef struct {
	__m512d low, high;
} nnadev_sums;

static inline nnadev_sums nnadev_sums_zero(void)
{
	return (nnadev_sums){ _mm512_setzero_pd(), _mm512_setzero_pd() };
}

static inline void nnadev_sums_add(nnadev_sums *s, nnadev_floats x)
{
	s->low = _mm512_add_pd(s->low, _mm512_cvtps_pd(_mm512_castps512_ps256(x)));
	s->high = _mm512_add_pd(s->high, _mm512_cvtps_pd(_mm512_extractf32x8_ps(x, 1)));
}

static inline double nnadev_sums_total(const nnadev_sums *s)
{
	return _mm512_reduce_add_pd(_mm512_add_pd(s->low, s->high));
}

#endif
