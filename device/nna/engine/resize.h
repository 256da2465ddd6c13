/* SPDX-License-Identifier: MIT */
/*
 * Positions at which RESIZE samples its input, in fp32 and in fixed point. All its kernels share
 * them.
 */
#ifndef NNADEV_RESIZE_H
#define NNADEV_RESIZE_H

#include "device/nna/engine/kernel.h"

/**
 * struct nnadev_position - two neighbouring rows (or columns)
 * @low: number of the first
 * @high: number of the second; equal to @low at the last row
 * @fraction: weight of the second, 0 to 1
 */
struct nnadev_position {
	uint32_t low, high;
	float fraction;
};

/**
 * struct nnadev_fixed_position - two neighbouring rows (or columns), in fixed point
 * @low: number of the first
 * @high: number of the second; equal to @low at the last row, where @weight is 0
 * @weight: of the second, 0 to NNAHW_RESIZE_ONE; the first has the rest
 */
struct nnadev_fixed_position {
	uint32_t low, high;
	int32_t weight;
};

static inline float nnadev_clamp_position(float at, uint32_t size)
{
	/* A NaN gives 0. */
	return at > 0 ? (at < (float)(size - 1) ? at : (float)(size - 1)) : 0;
}

/* Return: the input rows that output row @i is blended from. @size: rows of the input. */
static inline struct nnadev_position nnadev_resize_position(const struct nnahw_cmd_resize *p,
							    uint32_t i, float scale, uint32_t size)
{
	const float half = p->half_pixel_centers ? 0.5f : 0;
	float at = ((float)i + half) * scale;
	struct nnadev_position r;

	if (p->kind == NNAHW_RESAMPLE_NEAREST) {
		at = nnadev_floorf(p->align_corners ? at + 0.5f : at);
		at = nnadev_clamp_position(at, size);
		r.low = (uint32_t)(int64_t)at;
		r.low = r.low < size ? r.low : size - 1; /* fp32 may have rounded size - 1 up */
		r.high = r.low;
		r.fraction = 0;
		return r;
	}
	at = nnadev_clamp_position(at - half, size);
	r.low = (uint32_t)(int64_t)at;
	r.low = r.low < size ? r.low : size - 1;
	r.high = r.low + 1 < size ? r.low + 1 : r.low;
	r.fraction = at - (float)r.low;
	return r;
}

/*
 * Return: as nnadev_resize_position(), for sums of corners. The fraction may be outside of 0 to 1
 * at the edges.
 */
static inline struct nnadev_position nnadev_resize_corners(const struct nnahw_cmd_resize *p,
							   uint32_t i, float scale, uint32_t size)
{
	const float half = p->half_pixel_centers ? 0.5f : 0;
	const float at = ((float)i + half) * scale - half, below = nnadev_floorf(at);
	struct nnadev_position r;

	r.low = (uint32_t)(int64_t)nnadev_clamp_position(below, size);
	r.low = r.low < size ? r.low : size - 1;
	r.high = (uint32_t)(int64_t)nnadev_clamp_position(at > below ? below + 1 : below, size);
	r.high = r.high < size ? r.high : size - 1;
	r.fraction = at - (float)r.low;
	return r;
}

/*
 * Return: the input rows that output row @i of @out is blended from, in fixed point. @size: rows of
 * the input. Sizes have 32 bits, so positions fit into 64 bits.
 */
static inline struct nnadev_fixed_position
nnadev_resize_fixed_position(const struct nnahw_cmd_resize *p, uint32_t i, uint32_t size,
			     uint32_t out)
{
	const int64_t one = NNAHW_RESIZE_ONE, last = one * ((int64_t)size - 1);
	const int64_t scale = p->align_corners && out > 1 ? (last + (out - 1) / 2) / (out - 1)
							  : (one * size + out / 2) / out;
	int64_t at = i * scale;
	struct nnadev_fixed_position r;

	if (p->half_pixel_centers)
		at += scale / 2 - one / 2;
	at = nnadev_clamp_s64(at, 0, last);
	r.low = (uint32_t)(at / one);
	r.high = r.low + 1 < size ? r.low + 1 : r.low;
	r.weight = (int32_t)(at % one);
	return r;
}

#endif
