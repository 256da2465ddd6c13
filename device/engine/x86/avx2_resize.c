// SPDX-License-Identifier: MIT
/*
 * RESIZE with AVX2: 8 channels at a time, each by the scalar kernel's operations in their order, so
 * that results are the same. A tile is some rows of output; where the columns lie in the input is
 * computed once per tile.
 */
#include "device/engine/resize.h"
#include "device/engine/x86/avx2_epilogue.h"

#define TILE_ELEMENTS 65536u
#define MOST_COLUMNS (1u << 14)
#define COLUMN_ELEMENTS 16u /* a column takes as long as so many elements more */

/* Weights of the four corners that a pixel is blended from. */
struct blend {
	__m256 left, right, top, bottom;
};

/* One pixel: elements of its corners in the input, of the result in the output. */
struct pixel {
	int64_t corner[4], at;
};

static inline __m256 load8(uint32_t type, const uint8_t *from)
{
	switch (type) {
	case NNAHW_TYPE_F32:
		return _mm256_loadu_ps((const float *)from);
	case NNAHW_TYPE_F16:
		return _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)from));
	case NNAHW_TYPE_S8:
		return _mm256_cvtepi32_ps(
			_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)from)));
	default:
		return _mm256_cvtepi32_ps(
			_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)from)));
	}
}

/* To the nearest integer, halves away from zero. */
static inline __m256i round8(__m256 x)
{
	const __m256 sign = _mm256_set1_ps(-0.f),
		     whole = _mm256_round_ps(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
	const __m256 rest = _mm256_andnot_ps(sign, _mm256_sub_ps(x, whole));
	const __m256 one = _mm256_or_ps(_mm256_and_ps(x, sign), _mm256_set1_ps(1));
	const __m256 up = _mm256_cmp_ps(rest, _mm256_set1_ps(0.5f), _CMP_GE_OQ);

	return _mm256_cvtps_epi32(_mm256_add_ps(whole, _mm256_and_ps(up, one)));
}

static inline void store8(uint32_t type, uint8_t *to, __m256 x)
{
	__m128i words;
	__m256i n;

	switch (type) {
	case NNAHW_TYPE_F32:
		_mm256_storeu_ps((float *)to, x);
		return;
	case NNAHW_TYPE_F16:
		_mm_storeu_si128((__m128i *)to, _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
		return;
	}
	n = round8(x);
	words = _mm_packs_epi32(_mm256_castsi256_si128(n), _mm256_extracti128_si256(n, 1));
	_mm_storel_epi64((__m128i *)to, type == NNAHW_TYPE_S8 ? _mm_packs_epi16(words, words)
							      : _mm_packus_epi16(words, words));
}

static inline __m256 blend8(const struct blend *w, const __m256 corner[4])
{
	const __m256 top = _mm256_add_ps(_mm256_mul_ps(corner[0], w->left),
					 _mm256_mul_ps(corner[1], w->right));
	const __m256 bottom = _mm256_add_ps(_mm256_mul_ps(corner[2], w->left),
					    _mm256_mul_ps(corner[3], w->right));

	return _mm256_add_ps(_mm256_mul_ps(top, w->top), _mm256_mul_ps(bottom, w->bottom));
}

static inline __attribute__((always_inline)) void blend_channels(uint32_t type, uint8_t *output,
								 const uint8_t *input,
								 const struct pixel *p,
								 const struct blend *w, uint32_t c)
{
	const int64_t size = nnahw_type_size(type);
	__m256 corner[4];

	for (uint32_t k = 0; k < 4; k++)
		corner[k] = load8(type, input + (p->corner[k] + c) * size);
	store8(type, output + (p->at + c) * size, blend8(w, corner));
}

/* Fewer than 8 channels. */
static void blend_few(uint32_t type, uint8_t *output, const uint8_t *input, const struct pixel *p,
		      const struct blend *w, uint32_t channels)
{
	const int64_t size = nnahw_type_size(type);
	uint8_t part[32] = { 0 };
	__m256 corner[4];

	for (uint32_t k = 0; k < 4; k++) {
		memcpy(part, input + p->corner[k] * size, channels * (size_t)size);
		corner[k] = load8(type, part);
	}
	store8(type, part, blend8(w, corner));
	memcpy(output + p->at * size, part, channels * (size_t)size);
}

/* All channels of a pixel; the last 8 overlap those before them when there are not 8 left. */
static inline __attribute__((always_inline)) void blend_pixel(uint32_t type, uint8_t *output,
							      const uint8_t *input,
							      const struct pixel *p,
							      const struct blend *w,
							      uint32_t channels)
{
	if (channels < 8) {
		blend_few(type, output, input, p, w, channels);
		return;
	}
	for (uint32_t c = 0; c + 8 <= channels; c += 8)
		blend_channels(type, output, input, p, w, c);
	if (channels % 8)
		blend_channels(type, output, input, p, w, channels - 8);
}

static void bilinear_pixel(uint32_t type, uint8_t *output, const uint8_t *input,
			   const struct pixel *p, const struct blend *w, uint32_t channels)
{
	switch (type) {
	case NNAHW_TYPE_F32:
		blend_pixel(NNAHW_TYPE_F32, output, input, p, w, channels);
		break;
	case NNAHW_TYPE_F16:
		blend_pixel(NNAHW_TYPE_F16, output, input, p, w, channels);
		break;
	case NNAHW_TYPE_S8:
		blend_pixel(NNAHW_TYPE_S8, output, input, p, w, channels);
		break;
	default:
		blend_pixel(NNAHW_TYPE_U8, output, input, p, w, channels);
		break;
	}
}

/*
 * 8 channels in fixed point: left and right are one madd of 16 bits, whose sums have 18 bits; those
 * of all four have 28. RESIZE_ONE is 2^10.
 */
static inline __attribute__((always_inline)) __m128i
fixed8(uint32_t type, const uint8_t *const corner[4], __m256i columns, __m256i top, __m256i bottom)
{
	const __m256i half = _mm256_set1_epi32(1 << 19);
	__m256i sum[2], all;
	__m128i words;

	for (uint32_t k = 0; k < 2; k++) {
		const __m128i left = _mm_loadl_epi64((const __m128i *)corner[2 * k]);
		const __m128i right = _mm_loadl_epi64((const __m128i *)corner[2 * k + 1]);
		const __m128i pairs = _mm_unpacklo_epi8(left, right);

		sum[k] = _mm256_madd_epi16(type == NNAHW_TYPE_S8 ? _mm256_cvtepi8_epi16(pairs)
								 : _mm256_cvtepu8_epi16(pairs),
					   columns);
	}
	all = _mm256_add_epi32(_mm256_mullo_epi32(sum[0], top),
			       _mm256_mullo_epi32(sum[1], bottom));
	/* Halves away from zero: the magnitude is rounded, and gets its sign back. */
	sum[0] = _mm256_srli_epi32(_mm256_add_epi32(_mm256_abs_epi32(all), half), 20);
	all = _mm256_sign_epi32(sum[0], all);
	words = _mm_packs_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
	return type == NNAHW_TYPE_S8 ? _mm_packs_epi16(words, words)
				     : _mm_packus_epi16(words, words);
}

/* All channels of a pixel of 8-bit numbers in fixed point; as blend_pixel(). */
static inline __attribute__((always_inline)) void
fixed_pixel(uint32_t type, uint8_t *to, const uint8_t *const corner[4], __m256i columns,
	    __m256i top, __m256i bottom, uint32_t channels)
{
	const uint8_t *from[4];

	if (channels < 8) {
		uint8_t part[4][8] = { 0 }, result[8];

		for (uint32_t k = 0; k < 4; k++) {
			memcpy(part[k], corner[k], channels);
			from[k] = part[k];
		}
		_mm_storel_epi64((__m128i *)result, fixed8(type, from, columns, top, bottom));
		memcpy(to, result, channels);
		return;
	}
	for (uint32_t c = 0; c < channels; c += 8) {
		c = c + 8 <= channels ? c : channels - 8;
		for (uint32_t k = 0; k < 4; k++)
			from[k] = corner[k] + c;
		_mm_storel_epi64((__m128i *)(to + c), fixed8(type, from, columns, top, bottom));
	}
}

/* Row y of an image in fixed point; columns: where those of the output lie. */
static void fixed_row(const struct nnadev_engine_command *cmd, uint32_t image, uint32_t y,
		      const struct nnadev_fixed_position *columns)
{
	const struct nnahw_cmd_resize *p = (const struct nnahw_cmd_resize *)cmd->raw;
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_RESIZE_OUTPUT],
					*input = &cmd->operands[NNAHW_RESIZE_INPUT];
	const uint32_t width = output->desc.dims[2], channels = output->desc.dims[3];
	const struct nnadev_fixed_position row = nnadev_resize_fixed_position(
		p, y, input->desc.dims[1], output->desc.dims[1]);
	const uint8_t *top = (const uint8_t *)input->data +
			     nnadev_offset(&input->desc, (uint32_t[]){ image, row.low, 0, 0 });
	const uint8_t *bottom = (const uint8_t *)input->data +
				nnadev_offset(&input->desc, (uint32_t[]){ image, row.high, 0, 0 });
	uint8_t *to = (uint8_t *)output->data +
		      nnadev_offset(&output->desc, (uint32_t[]){ image, y, 0, 0 });
	const int64_t step = input->desc.strides[2], out_step = output->desc.strides[2];
	const int32_t one = NNAHW_RESIZE_ONE;
	const __m256i above = _mm256_set1_epi32(one - row.weight),
		      below = _mm256_set1_epi32(row.weight);

	for (uint32_t x = 0; x < width; x++) {
		const struct nnadev_fixed_position *at = &columns[x];
		const uint8_t *const corner[4] = { top + at->low * step, top + at->high * step,
						   bottom + at->low * step,
						   bottom + at->high * step };
		/* A pair of 16 bits: the left one's weight is the lower half. */
		const __m256i pair = _mm256_set1_epi32(at->weight << 16 | (one - at->weight));

		if (output->desc.type == NNAHW_TYPE_S8)
			fixed_pixel(NNAHW_TYPE_S8, to + x * out_step, corner, pair, above, below,
				    channels);
		else
			fixed_pixel(NNAHW_TYPE_U8, to + x * out_step, corner, pair, above, below,
				    channels);
	}
}

/* Row y of an image; columns: where those of the output lie. */
static void resize_row(const struct nnadev_engine_command *cmd, uint32_t image, uint32_t y,
		       const struct nnadev_position *columns)
{
	const struct nnahw_cmd_resize *p = (const struct nnahw_cmd_resize *)cmd->raw;
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_RESIZE_OUTPUT],
					*input = &cmd->operands[NNAHW_RESIZE_INPUT];
	const uint32_t type = output->desc.type, width = output->desc.dims[2],
		       channels = output->desc.dims[3];
	const struct nnadev_position row = nnadev_resize_position(p, y, p->scale_h,
								  input->desc.dims[1]);
	const int64_t top = nnadev_offset(&input->desc, (uint32_t[]){ image, row.low, 0, 0 });
	const int64_t bottom = nnadev_offset(&input->desc, (uint32_t[]){ image, row.high, 0, 0 });
	const int64_t to = nnadev_offset(&output->desc, (uint32_t[]){ image, y, 0, 0 });
	const int64_t step = input->desc.strides[2], out_step = output->desc.strides[2];
	struct blend w = { .top = _mm256_set1_ps(1 - row.fraction),
			   .bottom = _mm256_set1_ps(row.fraction) };

	for (uint32_t x = 0; x < width; x++) {
		const struct pixel pixel = {
			.corner = { top + columns[x].low * step, top + columns[x].high * step,
				    bottom + columns[x].low * step,
				    bottom + columns[x].high * step },
			.at = to + x * out_step,
		};

		if (p->kind == NNAHW_RESAMPLE_NEAREST) {
			const int64_t size = nnahw_type_size(type);

			memcpy((uint8_t *)output->data + pixel.at * size,
			       (const uint8_t *)input->data + pixel.corner[0] * size,
			       channels * (size_t)size);
			continue;
		}
		w.left = _mm256_set1_ps(1 - columns[x].fraction);
		w.right = _mm256_set1_ps(columns[x].fraction);
		bilinear_pixel(type, output->data, input->data, &pixel, &w, channels);
	}
}

static uint32_t resize_tile(const struct nnadev_engine_command *cmd,
			    const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			    void *scratch, void *shared)
{
	const struct nnahw_cmd_resize *p = (const struct nnahw_cmd_resize *)cmd->raw;
	const uint32_t *in = cmd->operands[NNAHW_RESIZE_INPUT].desc.dims,
		       *out = cmd->operands[NNAHW_RESIZE_OUTPUT].desc.dims;
	struct nnadev_fixed_position *fixed = scratch;
	struct nnadev_position *columns = scratch;
	uint32_t begin, end;

	nnadev_tile_range(plan, tile, out[0] * out[1], &begin, &end);
	if (p->fixed_point) {
		for (uint32_t x = 0; x < out[2]; x++)
			fixed[x] = nnadev_resize_fixed_position(p, x, in[2], out[2]);
		for (uint32_t i = begin; i < end; i++)
			fixed_row(cmd, i / out[1], i % out[1], fixed);
		return NNAHW_STATUS_OK;
	}
	for (uint32_t x = 0; x < out[2]; x++)
		columns[x] = nnadev_resize_position(p, x, p->scale_w, in[2]);
	for (uint32_t i = begin; i < end; i++)
		resize_row(cmd, i / out[1], i % out[1], columns);
	return NNAHW_STATUS_OK;
}

/* Channels are contiguous, and a row is not too long for a tile. */
static uint32_t resize_accepts(const struct nnadev_engine_command *cmd,
			       struct nnadev_engine_plan *plan)
{
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_RESIZE_OUTPUT];
	const uint32_t *out = output->desc.dims;

	return nnadev_accept(nnadev_innermost_dense(output) &&
			     nnadev_innermost_dense(&cmd->operands[NNAHW_RESIZE_INPUT]) &&
			     out[2] <= MOST_COLUMNS &&
			     (uint64_t)out[2] * out[3] <= 16 * TILE_ELEMENTS);
}

static void resize_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
			struct nnadev_engine_plan *plan)
{
	const uint32_t *out = cmd->operands[NNAHW_RESIZE_OUTPUT].desc.dims;

	/* Positions of either kind have one size. */
	_Static_assert(sizeof(struct nnadev_position) == sizeof(struct nnadev_fixed_position),
		       "scratch memory is too small for one of them");
	plan->scratch_size = out[2] * (uint32_t)sizeof(struct nnadev_position);
	nnadev_cut(plan, out[0] * out[1],
		   TILE_ELEMENTS / (out[2] * (out[3] + COLUMN_ELEMENTS)));
}

NNADEV_KERNEL(avx2_resize) = { NNAHW_OP_RESIZE, NNADEV_ENGINE_AVX2, resize_accepts, resize_plan,
			       resize_tile };
