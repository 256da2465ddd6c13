/* SPDX-License-Identifier: MIT */
/*
 * Elements of operands: their addresses, and how they are read and written.
 *
 *   number   of an element: the stored integer or float
 *   centred  number: minus the zero point
 *   value    scale * (number - zero point), or the number itself if scale is 0 or the type is a
 *            float
 *   offset   in elements from (0, 0, ...), signed; exact in 64 bits, because dims and strides
 *            have 32
 */
#ifndef NNADEV_ELEMENT_H
#define NNADEV_ELEMENT_H

#include "device/nna/engine/engine.h"
#include "device/nna/engine/math.h"

static inline bool nnadev_type_is_float(uint32_t type)
{
	return type == NNAHW_TYPE_F16 || type == NNAHW_TYPE_F32;
}

static inline bool nnadev_type_is_quant8(uint32_t type)
{
	return type == NNAHW_TYPE_U8 || type == NNAHW_TYPE_S8;
}

static inline bool nnadev_is_quantised(const struct nnahw_tensor *t)
{
	return t->scale != 0 && !nnadev_type_is_float(t->type);
}

static inline bool nnadev_present(const struct nnadev_engine_operand *o)
{
	return o->desc.type != NNAHW_TYPE_NONE;
}

/* Range of an integer type. */
static inline void nnadev_type_range(uint32_t type, int64_t *min, int64_t *max)
{
	switch (type) {
	case NNAHW_TYPE_U8:
		*min = 0, *max = UINT8_MAX;
		break;
	case NNAHW_TYPE_S8:
		*min = INT8_MIN, *max = INT8_MAX;
		break;
	case NNAHW_TYPE_U16:
		*min = 0, *max = UINT16_MAX;
		break;
	case NNAHW_TYPE_S16:
		*min = INT16_MIN, *max = INT16_MAX;
		break;
	case NNAHW_TYPE_S32:
		*min = INT32_MIN, *max = INT32_MAX;
		break;
	case NNAHW_TYPE_U32:
		*min = 0, *max = UINT32_MAX;
		break;
	case NNAHW_TYPE_BOOL8:
		*min = 0, *max = 1;
		break;
	default:
		*min = INT64_MIN, *max = INT64_MAX;
		break;
	}
}

static inline int64_t nnadev_clamp_s64(int64_t x, int64_t min, int64_t max)
{
	return x < min ? min : x > max ? max : x;
}

/* A NaN stays a NaN. */
static inline float nnadev_clamp_float(float x, float min, float max)
{
	return x < min ? min : x > max ? max : x;
}

/* Coordinates of element number `flat` in row-major order. */
static inline void nnadev_unflatten(const uint32_t *dims, uint32_t rank, uint32_t flat,
				    uint32_t *index)
{
	for (uint32_t k = rank; k-- > 0;) {
		index[k] = flat % dims[k];
		flat /= dims[k];
	}
}

/* Advances to the next coordinates in row-major order; the last ones wrap to the first. */
static inline void nnadev_advance(const uint32_t *dims, uint32_t rank, uint32_t *index)
{
	for (uint32_t k = rank; k-- > 0;) {
		if (++index[k] < dims[k])
			return;
		index[k] = 0;
	}
}

static inline int64_t nnadev_offset(const struct nnahw_tensor *t, const uint32_t *index)
{
	int64_t at = 0;

	for (uint32_t k = 0; k < t->rank; k++)
		at += (int64_t)index[k] * t->strides[k];
	return at;
}

/*
 * Return: the number of an element. A float is rounded towards zero and saturated; a NaN gives 0.
 */
static inline int64_t nnadev_load_integer(const struct nnadev_engine_operand *o, int64_t at);

static inline float nnadev_load_float(const struct nnadev_engine_operand *o, int64_t at)
{
	switch (o->desc.type) {
	case NNAHW_TYPE_F32:
		return ((const float *)o->data)[at];
	case NNAHW_TYPE_F16:
		return nnadev_half_to_float(((const uint16_t *)o->data)[at]);
	default:
		return (float)nnadev_load_integer(o, at);
	}
}

/* Rounds towards zero and saturates; a NaN gives 0. */
static inline int64_t nnadev_truncate(float x)
{
	if (x != x)
		return 0;
	return x >= 0x1p63f ? INT64_MAX : x < -0x1p63f ? INT64_MIN : (int64_t)x;
}

/* Rounds to nearest, halves away from zero, and saturates to +-2^32; a NaN gives 0. */
static inline int64_t nnadev_round(float x)
{
	double d = x;

	if (x != x)
		return 0;
	d = d < 0 ? d - 0.5 : d + 0.5;
	return d > 0x1p32 ? 1ll << 32 : d < -0x1p32 ? -(1ll << 32) : (int64_t)d;
}

static inline int64_t nnadev_load_integer(const struct nnadev_engine_operand *o, int64_t at)
{
	switch (o->desc.type) {
	case NNAHW_TYPE_U8:
		return ((const uint8_t *)o->data)[at];
	case NNAHW_TYPE_S8:
		return ((const int8_t *)o->data)[at];
	case NNAHW_TYPE_U16:
		return ((const uint16_t *)o->data)[at];
	case NNAHW_TYPE_S16:
		return ((const int16_t *)o->data)[at];
	case NNAHW_TYPE_S32:
		return ((const int32_t *)o->data)[at];
	case NNAHW_TYPE_U32:
		return ((const uint32_t *)o->data)[at];
	case NNAHW_TYPE_S64:
		return ((const int64_t *)o->data)[at];
	case NNAHW_TYPE_BOOL8:
		return ((const uint8_t *)o->data)[at] != 0;
	default:
		return nnadev_truncate(nnadev_load_float(o, at));
	}
}

static inline int64_t nnadev_load_centred(const struct nnadev_engine_operand *o, int64_t at)
{
	return nnadev_load_integer(o, at) - o->desc.zero_point;
}

static inline float nnadev_load_value(const struct nnadev_engine_operand *o, int64_t at)
{
	if (nnadev_is_quantised(&o->desc))
		return (float)nnadev_load_centred(o, at) * o->desc.scale;
	return nnadev_load_float(o, at);
}

/* Stores the low bits of an integer; BOOL8 stores whether it is not 0. Not for float types. */
static inline void nnadev_store_integer(const struct nnadev_engine_operand *o, int64_t at,
					int64_t x)
{
	switch (o->desc.type) {
	case NNAHW_TYPE_U8:
	case NNAHW_TYPE_S8:
		((uint8_t *)o->data)[at] = (uint8_t)x;
		break;
	case NNAHW_TYPE_U16:
	case NNAHW_TYPE_S16:
		((uint16_t *)o->data)[at] = (uint16_t)x;
		break;
	case NNAHW_TYPE_S32:
	case NNAHW_TYPE_U32:
		((uint32_t *)o->data)[at] = (uint32_t)x;
		break;
	case NNAHW_TYPE_S64:
		((int64_t *)o->data)[at] = x;
		break;
	case NNAHW_TYPE_BOOL8:
		((uint8_t *)o->data)[at] = x != 0;
		break;
	}
}

/*
 * Adds the zero point to a quantised number, clamps it to q_min and q_max and to the type, and
 * stores it.
 */
static inline void nnadev_store_centred(const struct nnadev_engine_operand *o, int64_t at,
					int64_t x, int32_t q_min, int32_t q_max)
{
	int64_t min, max;

	nnadev_type_range(o->desc.type, &min, &max);
	x = nnadev_clamp_s64(x + o->desc.zero_point, q_min, q_max);
	nnadev_store_integer(o, at, nnadev_clamp_s64(x, min, max));
}

/*
 * Stores a value: floats unchanged, quantised types by scale and zero point, other integers rounded
 * towards zero and saturated. BOOL8 stores whether the value is not 0.
 */
static inline void nnadev_store_value(const struct nnadev_engine_operand *o, int64_t at, float x,
				      int32_t q_min, int32_t q_max)
{
	int64_t min, max;

	if (o->desc.type == NNAHW_TYPE_F32) {
		((float *)o->data)[at] = x;
	} else if (o->desc.type == NNAHW_TYPE_F16) {
		((uint16_t *)o->data)[at] = nnadev_float_to_half(x);
	} else if (nnadev_is_quantised(&o->desc)) {
		nnadev_store_centred(o, at, nnadev_round(x / o->desc.scale), q_min, q_max);
	} else if (o->desc.type == NNAHW_TYPE_BOOL8) {
		nnadev_store_integer(o, at, x != 0);
	} else {
		nnadev_type_range(o->desc.type, &min, &max);
		nnadev_store_integer(o, at, nnadev_clamp_s64(nnadev_truncate(x), min, max));
	}
}

/*
 * x >> shift with halves rounded away from zero, wrapping in 64 bits. The shift is clamped to [1,
 * 62].
 */
static inline int64_t nnadev_round_shift(uint64_t x, int32_t shift)
{
	shift = shift < 1 ? 1 : shift > 62 ? 62 : shift;
	return (int64_t)(x + (1ull << (shift - 1)) - (x >> 63)) >> shift;
}

/* x * multiplier * 2^-shift, halves rounded away from zero. */
static inline int64_t nnadev_scale_s64(int64_t x, int32_t multiplier, int32_t shift)
{
	return nnadev_round_shift((uint64_t)x * (uint64_t)(int64_t)multiplier, shift);
}

/*
 * (x * x_scale + y * y_scale) * 2^-shift, halves rounded away from zero: the sum of two quantised
 * numbers.
 */
static inline int64_t nnadev_scale_sum(int64_t x, int32_t x_scale, int64_t y, int32_t y_scale,
				       int32_t shift)
{
	uint64_t sum = (uint64_t)x * (uint64_t)(int64_t)x_scale +
		       (uint64_t)y * (uint64_t)(int64_t)y_scale;

	return nnadev_round_shift(sum, shift);
}

#endif
