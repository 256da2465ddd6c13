// SPDX-License-Identifier: MIT
/*
 * POOL with AVX2: 16 channels at a time, each in the order of its window, so that floats too equal
 * the scalar kernel's.
 */
#include "device/engine/window.h"
#include "device/engine/x86/avx2_epilogue.h"

#define TILE_WORK (1u << 20) /* input elements */

/* The part of a window that lies in the input. */
struct part {
	int64_t top, left;
	uint32_t rows, columns;
};

static struct part get_part(const struct nnadev_window *w, uint32_t y, uint32_t x)
{
	int64_t top = nnadev_window_row(w, y, 0), left = nnadev_window_column(w, x, 0);
	int64_t bottom = top + w->kernel_h, right = left + w->kernel_w;

	top = top < 0 ? 0 : top;
	left = left < 0 ? 0 : left;
	bottom = bottom > w->height ? w->height : bottom;
	right = right > w->width ? w->width : right;
	return (struct part){ top, left, (uint32_t)(bottom - top), (uint32_t)(right - left) };
}

/*
 * floor((sum + floor(n / 2)) / n) of 8 sums; with away the same of |sum|, with the sign of sum.
 * Division in double is exact enough: a quotient is an integer, or at least 2^-20 below the next
 * one.
 */
static __m256i mean8(__m256i sum, uint32_t n, bool away)
{
	const __m256d divisor = _mm256_set1_pd(n);
	const __m256i sign = sum;
	__m256d low, high;

	if (away)
		sum = _mm256_abs_epi32(sum);
	sum = _mm256_add_epi32(sum, _mm256_set1_epi32((int32_t)(n / 2)));
	low = _mm256_div_pd(_mm256_cvtepi32_pd(_mm256_castsi256_si128(sum)), divisor);
	high = _mm256_div_pd(_mm256_cvtepi32_pd(_mm256_extracti128_si256(sum, 1)), divisor);
	sum = _mm256_set_m128i(_mm256_cvtpd_epi32(_mm256_floor_pd(high)),
			       _mm256_cvtpd_epi32(_mm256_floor_pd(low)));
	return away ? _mm256_sign_epi32(sum, sign) : sum;
}

static void pool_integer(const struct nnahw_cmd_pool *p, const struct nnadev_engine_operand *output,
			 int64_t at, const struct nnadev_engine_operand *input, int64_t from,
			 const struct part *part, uint32_t count)
{
	const bool max = p->kind == NNAHW_POOL_MAX, is_signed = input->desc.type == NNAHW_TYPE_S8;
	__m256i r0 = _mm256_set1_epi32(max ? -256 : 0), r1 = r0;
	int32_t result[16];
	int64_t low, high;

	for (uint32_t y = 0; y < part->rows; y++) {
		const uint8_t *row = (const uint8_t *)input->data + from +
				     y * (int64_t)input->desc.strides[1];

		for (uint32_t x = 0; x < part->columns; x++, row += input->desc.strides[2]) {
			uint8_t tail[16] = { 0 };
			__m256i v0, v1;
			__m128i v;

			if (count < 16)
				memcpy(tail, row, count);
			v = _mm_loadu_si128((const __m128i *)(count < 16 ? tail : row));
			v0 = is_signed ? _mm256_cvtepi8_epi32(v) : _mm256_cvtepu8_epi32(v);
			v = _mm_srli_si128(v, 8);
			v1 = is_signed ? _mm256_cvtepi8_epi32(v) : _mm256_cvtepu8_epi32(v);
			r0 = max ? _mm256_max_epi32(r0, v0) : _mm256_add_epi32(r0, v0);
			r1 = max ? _mm256_max_epi32(r1, v1) : _mm256_add_epi32(r1, v1);
		}
	}
	if (!max) {
		r0 = mean8(r0, part->rows * part->columns, p->away);
		r1 = mean8(r1, part->rows * part->columns, p->away);
	}
	_mm256_storeu_si256((__m256i *)result, r0);
	_mm256_storeu_si256((__m256i *)(result + 8), r1);
	nnadev_type_range(output->desc.type, &low, &high);
	low = nnadev_clamp_s64(p->q_min, low, high);
	high = nnadev_clamp_s64(p->q_max, low, high);
	for (uint32_t i = 0; i < count; i++)
		((uint8_t *)output->data)[at + i] = (uint8_t)nnadev_clamp_s64(result[i], low, high);
}

static void pool_float(const struct nnahw_cmd_pool *p, const struct nnadev_engine_operand *output,
		       int64_t at, const struct nnadev_engine_operand *input, int64_t from,
		       const struct part *part, uint32_t count)
{
	const float n = (float)(part->rows * part->columns);
	const bool is_f32 = input->desc.type == NNAHW_TYPE_F32;
	const __m256i left = _mm256_sub_epi32(_mm256_set1_epi32((int32_t)count),
					      _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
	/* Of 16 numbers, those that are there. */
	const __m256i there[2] = { _mm256_cmpgt_epi32(left, _mm256_setzero_si256()),
				   _mm256_cmpgt_epi32(left, _mm256_set1_epi32(8)) };
	float result[16], v[16] = { 0 };
	__m256 r[2];

	r[0] = r[1] = _mm256_set1_ps(p->kind == NNAHW_POOL_MAX ? -__builtin_inff() : 0);
	for (uint32_t y = 0; y < part->rows; y++) {
		int64_t element = from + y * (int64_t)input->desc.strides[1];

		for (uint32_t x = 0; x < part->columns; x++, element += input->desc.strides[2]) {
			const float *values = is_f32 ? (const float *)input->data + element : v;

			if (!is_f32)
				nnadev_load_floats(v, input, element, count);
#pragma GCC unroll 2
			for (uint32_t i = 0; i < 2; i++) {
				const __m256 a = _mm256_maskload_ps(values + 8 * i, there[i]);

				if (p->kind == NNAHW_POOL_MAX)
					r[i] = _mm256_blendv_ps(
						_mm256_max_ps(r[i], a), _mm256_add_ps(r[i], a),
						_mm256_cmp_ps(r[i], a, _CMP_UNORD_Q));
				else
					r[i] = _mm256_add_ps(r[i], p->kind == NNAHW_POOL_L2
									   ? _mm256_mul_ps(a, a)
									   : a);
			}
		}
	}
#pragma GCC unroll 2
	for (uint32_t i = 0; i < 2; i++) {
		if (p->kind != NNAHW_POOL_MAX)
			r[i] = _mm256_div_ps(r[i], _mm256_set1_ps(n));
		if (p->kind == NNAHW_POOL_L2)
			r[i] = _mm256_sqrt_ps(r[i]);
		r[i] = _mm256_max_ps(_mm256_set1_ps(p->clamp_min), r[i]);
		r[i] = _mm256_min_ps(_mm256_set1_ps(p->clamp_max), r[i]);
		_mm256_storeu_ps(result + 8 * i, r[i]);
	}
	if (output->desc.type == NNAHW_TYPE_F32) {
		memcpy((float *)output->data + at, result,
		       count == 16 ? sizeof(result) : count * sizeof(*result));
		return;
	}
	for (uint32_t i = 0; i < count; i++)
		nnadev_store_value(output, at + i, result[i], 0, 0);
}

static uint32_t pool_tile(const struct nnadev_engine_command *cmd,
			  const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			  void *scratch, void *shared)
{
	const struct nnahw_cmd_pool *p = (const struct nnahw_cmd_pool *)cmd->raw;
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_POOL_OUTPUT],
					*input = &cmd->operands[NNAHW_POOL_INPUT];
	const uint32_t *out = output->desc.dims, blocks = nnadev_div_up(out[3], 16);
	const struct nnadev_window *w = nnadev_state(plan);
	const uint32_t dims[4] = { out[0], out[1], out[2], blocks };
	uint32_t index[4], begin, end;

	/* A piece of work is a position with a block of channels. */
	nnadev_tile_range(plan, tile, out[0] * out[1] * out[2] * blocks, &begin, &end);
	nnadev_unflatten(dims, 4, begin, index);
	for (uint32_t i = begin; i < end; i++, nnadev_advance(dims, 4, index)) {
		const struct part part = get_part(w, index[1], index[2]);
		const uint32_t first = index[3] * 16,
			       count = out[3] - first < 16 ? out[3] - first : 16;
		const int64_t at = nnadev_offset(
			&output->desc, (uint32_t[]){ index[0], index[1], index[2], first });
		const int64_t from = nnadev_offset(
			&input->desc,
			(uint32_t[]){ index[0], (uint32_t)part.top, (uint32_t)part.left, first });

		if (nnadev_type_is_quant8(output->desc.type))
			pool_integer(p, output, at, input, from, &part, count);
		else
			pool_float(p, output, at, input, from, &part, count);
	}
	return NNAHW_STATUS_OK;
}

/* Channels are contiguous, and a window is no more than a tile. */
static uint32_t pool_accepts(const struct nnadev_engine_command *cmd,
			     struct nnadev_engine_plan *plan)
{
	const struct nnahw_cmd_pool *p = (const struct nnahw_cmd_pool *)cmd->raw;

	return nnadev_accept(p->kernel_h * p->kernel_w <= TILE_WORK / 16 &&
			     nnadev_innermost_dense(&cmd->operands[NNAHW_POOL_OUTPUT]) &&
			     nnadev_innermost_dense(&cmd->operands[NNAHW_POOL_INPUT]));
}

static void pool_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
		      struct nnadev_engine_plan *plan)
{
	const struct nnahw_cmd_pool *p = (const struct nnahw_cmd_pool *)cmd->raw;
	const uint32_t *out = cmd->operands[NNAHW_POOL_OUTPUT].desc.dims;
	struct nnadev_window *w = nnadev_state_new(plan);

	*w = nnadev_window_of_pool(cmd);
	nnadev_cut(plan, out[0] * out[1] * out[2] * nnadev_div_up(out[3], 16),
		   TILE_WORK / 16 / (p->kernel_h * p->kernel_w + 16));
}

NNADEV_KERNEL(avx2_pool) = { NNAHW_OP_POOL, NNADEV_ENGINE_AVX2, pool_accepts, pool_plan,
			     pool_tile };
