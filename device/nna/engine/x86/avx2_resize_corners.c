// SPDX-License-Identifier: MIT
/*
 * RESIZE with AVX2 as sums of four corners, 8 channels at a time, with the scalar kernel's
 * operations in their order. If all weights are whole sixteenths, avx2_resize.c accepts the command
 * and computes the same bits faster.
 */
#include <immintrin.h>

#include "device/nna/engine/resize.h"

#define TILE_ELEMENTS 16384u
#define MOST_CHANNELS (1u << 20)

/*
 * Return: 8 channels of a corner, @n of which are present, times the weights of the corner's row
 * and column.
 */
static inline __m256 corner8(const uint8_t *from, uint32_t n, __m256 row, __m256 column)
{
	uint64_t bytes = 0;
	__m256 x;

	if (n >= 8)
		memcpy(&bytes, from, 8);
	else
		memcpy(&bytes, from, n);
	x = _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_cvtsi64_si128((int64_t)bytes)));
	return _mm256_mul_ps(_mm256_mul_ps(x, row), column);
}

/* Computes the channels of one pixel. @from: the corners in the order of the sum. */
static void pixel(uint8_t *to, const uint8_t *const *from, uint32_t channels, float fy, float fx)
{
	const __m256 top = _mm256_set1_ps(1 - fy), bottom = _mm256_set1_ps(fy),
		     left = _mm256_set1_ps(1 - fx), right = _mm256_set1_ps(fx),
		     half = _mm256_set1_ps(0.5f);

	for (uint32_t i = 0; i < channels; i += 8) {
		const uint32_t n = channels - i;
		__m256 sum = _mm256_add_ps(corner8(from[0] + i, n, top, left),
					   corner8(from[1] + i, n, bottom, left));
		__m128i words;
		uint64_t bytes;
		__m256i q;

		sum = _mm256_add_ps(sum, corner8(from[2] + i, n, top, right));
		sum = _mm256_add_ps(sum, corner8(from[3] + i, n, bottom, right));
		/* A NaN gives 0. */
		sum = _mm256_max_ps(_mm256_add_ps(sum, half), _mm256_setzero_ps());
		q = _mm256_cvttps_epi32(_mm256_min_ps(sum, _mm256_set1_ps(UINT8_MAX)));
		words = _mm_packus_epi32(_mm256_castsi256_si128(q),
					 _mm256_extracti128_si256(q, 1));
		bytes = (uint64_t)_mm_cvtsi128_si64(_mm_packus_epi16(words, words));
		if (n >= 8)
			memcpy(to + i, &bytes, 8);
		else
			memcpy(to + i, &bytes, n);
	}
}

static uint32_t corners_tile(const struct nnadev_engine_command *cmd,
			     const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			     void *scratch, void *shared)
{
	const struct nnahw_cmd_resize *p = (const struct nnahw_cmd_resize *)cmd->raw;
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_RESIZE_OUTPUT],
					*input = &cmd->operands[NNAHW_RESIZE_INPUT];
	const uint32_t *in = input->desc.dims, *out = output->desc.dims;
	uint32_t index[3], begin, end;

	nnadev_tile_range(plan, tile, out[0] * out[1] * out[2], &begin, &end);
	nnadev_unflatten(out, 3, begin, index);
	for (uint32_t i = begin; i < end; i++, nnadev_advance(out, 3, index)) {
		const struct nnadev_position y = nnadev_resize_corners(p, index[1], p->scale_h,
								       in[1]),
					     x = nnadev_resize_corners(p, index[2], p->scale_w,
								       in[2]);
		const uint8_t *from[4];

		for (uint32_t k = 0; k < 4; k++)
			from[k] = (const uint8_t *)input->data +
				  nnadev_offset(&input->desc,
						(uint32_t[]){ index[0], k & 1 ? y.high : y.low,
							      k & 2 ? x.high : x.low, 0 });
		pixel((uint8_t *)output->data +
			      nnadev_offset(&output->desc, (uint32_t[]){ index[0], index[1],
									 index[2], 0 }),
		      from, out[3], y.fraction, x.fraction);
	}
	return NNAHW_STATUS_OK;
}

/* Accepts contiguous channels, if the channels of a pixel are not too many for a tile. */
static uint32_t corners_accepts(const struct nnadev_engine_command *cmd,
				struct nnadev_engine_plan *plan)
{
	const struct nnahw_cmd_resize *p = (const struct nnahw_cmd_resize *)cmd->raw;

	return nnadev_accept(p->corners &&
			     cmd->operands[NNAHW_RESIZE_OUTPUT].desc.dims[3] <= MOST_CHANNELS &&
			     nnadev_innermost_dense(&cmd->operands[NNAHW_RESIZE_OUTPUT]) &&
			     nnadev_innermost_dense(&cmd->operands[NNAHW_RESIZE_INPUT]));
}

static void corners_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
			 struct nnadev_engine_plan *plan)
{
	const uint32_t *out = cmd->operands[NNAHW_RESIZE_OUTPUT].desc.dims;

	nnadev_cut(plan, out[0] * out[1] * out[2], TILE_ELEMENTS / (out[3] + 8) + 1);
}

NNADEV_KERNEL(avx2_resize_corners) = { NNAHW_OP_RESIZE, NNADEV_ENGINE_AVX2, corners_accepts,
				       corners_plan, corners_tile };
