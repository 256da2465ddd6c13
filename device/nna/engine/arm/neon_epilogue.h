/* SPDX-License-Identifier: MIT */
/*
 * Quantised epilogue for blocks of 16 output channels with NEON, bit-exact with
 * device/nna/engine/epilogue.h. Products, their sums and shifts have 64 bits.
 */
#ifndef NNADEV_NEON_EPILOGUE_H
#define NNADEV_NEON_EPILOGUE_H

#include <arm_neon.h>

#include "device/nna/engine/vector/finish.h"

/**
 * struct nnadev_neon_block - constants of a block of 16 channels
 * @multiplier: of each channel
 * @right: shifts, negated because vshl shifts left
 * @round: half of the result's unit before the shift
 * @first: added to products of 0 and more by the rounding at bit 31, see nnadev_requantize()
 * @channel: constants as read, each once; those beyond @count are not used
 * @count: channels in use, 1 to 16
 */
struct nnadev_neon_block {
	int32_t multiplier[16];
	int64_t right[16], round[16], first[16];
	struct nnahw_channel channel[16];
	uint32_t count;
};

/* Sets the constants of @count channels. */
static inline void nnadev_neon_block_get(struct nnadev_neon_block *b,
					 const struct nnadev_finish *f,
					 const struct nnahw_channel *channels, uint32_t count)
{
	b->count = count;
	for (uint32_t i = 0; i < 16; i++) {
		const struct nnahw_channel c = i < count ? channels[i] :
							   (struct nnahw_channel){ .shift = 62 };
		const int32_t shift = c.shift < 1 ? 1 : c.shift > 62 ? 62 : c.shift;

		b->channel[i] = c;
		b->multiplier[i] = c.multiplier;
		b->right[i] = -shift;
		b->round[i] = (int64_t)1 << (shift - 1);
		b->first[i] = shift >= 32 ? 1 << 30 : 0;
	}
}

/* Requantises two accumulators, saturated to 32 bits. */
static inline int32x2_t nnadev_neon_scale2(const struct nnadev_neon_block *b, uint32_t i,
					   int32x2_t acc, bool once)
{
	const int64x2_t product = vmull_s32(acc, vld1_s32(b->multiplier + i)),
			below = vshrq_n_s64(product, 63);
	/*
	 * One step: halves of negative products round down. Two steps: the first adds 2^30 with the
	 * product's sign.
	 */
	const int64x2_t first =
		once ? below :
		       vsubq_s64(veorq_s64(vld1q_s64(b->first + i), below), below);
	const int64x2_t sum = vaddq_s64(vaddq_s64(product, vld1q_s64(b->round + i)), first);

	return vqmovn_s64(vshlq_s64(sum, vld1q_s64(b->right + i)));
}

/* Requantises and clamps 4 accumulators. */
static inline int16x4_t nnadev_neon_scale4(const struct nnadev_finish *f,
					   const struct nnadev_neon_block *b, uint32_t i,
					   int32x4_t acc)
{
	int32x4_t q = vcombine_s32(nnadev_neon_scale2(b, i, vget_low_s32(acc), f->e->once),
				   nnadev_neon_scale2(b, i + 2, vget_high_s32(acc), f->e->once));

	q = vqaddq_s32(q, vdupq_n_s32(f->out_zero));
	q = vmaxq_s32(q, vdupq_n_s32(f->out_low));
	return vmovn_s32(vminq_s32(q, vdupq_n_s32(f->out_high)));
}

/* Rounds the sums of a block to fp32, clamps and stores them. */
static inline void nnadev_neon_finish_sums(const struct nnadev_finish *f,
					   const struct nnadev_neon_block *b, const int32x4_t *acc,
					   int64_t at)
{
	const float32x4_t low = vdupq_n_f32(f->e->clamp_min), high = vdupq_n_f32(f->e->clamp_max);
	float *to = (float *)f->output->data + at, part[16];

	for (uint32_t i = 0; i < 4; i++) {
		const float32x4_t x = vcvtq_f32_s32(acc[i]);
		/* Bounds may be any numbers: as nnadev_clamp_float(). */
		const float32x4_t y = vbslq_f32(vcltq_f32(x, low), low,
						vbslq_f32(vcgtq_f32(x, high), high, x));

		vst1q_f32(b->count == 16 ? to + i * 4 : part + i * 4, y);
	}
	if (b->count != 16)
		memcpy(to, part, b->count * sizeof(*to));
}

/* Finishes blocks with a residual or an output of 16 bits. */
static inline void nnadev_neon_finish_any(const struct nnadev_finish *f,
					  const struct nnadev_neon_block *b, const int32x4_t *acc,
					  int64_t at, int64_t rat)
{
	int32_t sums[16];

	for (uint32_t i = 0; i < 4; i++)
		vst1q_s32(sums + i * 4, acc[i]);
	for (uint32_t i = 0; i < b->count; i++)
		nnadev_epilogue_integer(f->e, sums[i], &b->channel[i], f->output, at + i,
					f->residual, rat + i);
}

/*
 * Finishes and stores the accumulators of a block, bias included. @acc has 4 channels per vector.
 */
static inline void nnadev_neon_finish(const struct nnadev_finish *f,
				      const struct nnadev_neon_block *b, const int32x4_t *acc,
				      int64_t at, int64_t rat)
{
	uint8_t *to = (uint8_t *)f->output->data + at, part[16];
	int8x16_t bytes;

	if (f->is_sum) {
		nnadev_neon_finish_sums(f, b, acc, at);
		return;
	}
	if (f->has_residual || f->is_wide) {
		nnadev_neon_finish_any(f, b, acc, at, rat);
		return;
	}
	bytes = vcombine_s8(vmovn_s16(vcombine_s16(nnadev_neon_scale4(f, b, 0, acc[0]),
						   nnadev_neon_scale4(f, b, 4, acc[1]))),
			    vmovn_s16(vcombine_s16(nnadev_neon_scale4(f, b, 8, acc[2]),
						   nnadev_neon_scale4(f, b, 12, acc[3]))));
	if (b->count == 16) {
		vst1q_u8(to, vreinterpretq_u8_s8(bytes));
		return;
	}
	vst1q_u8(part, vreinterpretq_u8_s8(bytes));
	memcpy(to, part, b->count);
}

#endif
