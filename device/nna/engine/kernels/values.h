/* SPDX-License-Identifier: MIT */
/*
 * Loads and stores rows of operands as fp32 values, with the roundings of nnadev_load_value() and
 * nnadev_store_value().
 */
#ifndef NNADEV_VALUES_H
#define NNADEV_VALUES_H

#include "device/nna/engine/simd/simd.h"
#include "device/nna/engine/vector/finish.h"

/*
 * Loads elements of one type as fp32 values, a register at a time. Each type has its own loop, so
 * that the type is not tested per element.
 */
#define NNADEV_VALUES_EACH(value)                                                                  \
	do {                                                                                       \
		for (; i + NNADEV_FLOATS <= n; i += NNADEV_FLOATS)                                 \
			nnadev_floats_store(to + i, (value));                                      \
	} while (0)
#define NNADEV_VALUES_SCALED(numbers)                                                              \
	NNADEV_VALUES_EACH(nnadev_floats_mul(                                                      \
		nnadev_floats_from(nnadev_ints_sub(numbers, zero)), scale))

/* Loads a row of an input as fp32 values. @to has room for @n of them, rounded up to a register. */
static inline void nnadev_load_values(float *to, const struct nnadev_engine_operand *o, int64_t at,
				      int64_t step, uint32_t n)
{
	const bool quantised = nnadev_is_quantised(&o->desc);
	const nnadev_ints zero = nnadev_ints_of(quantised ? o->desc.zero_point : 0);
	const nnadev_floats scale = nnadev_floats_of(quantised ? o->desc.scale : 1);
	const uint8_t *bytes = (const uint8_t *)o->data + at;
	const uint16_t *words = (const uint16_t *)o->data + at;
	uint32_t i = 0;

	if (step == 0) {
		const nnadev_floats v = nnadev_floats_of(nnadev_load_value(o, at));

		for (; i < n; i += NNADEV_FLOATS)
			nnadev_floats_store(to + i, v);
		return;
	}
	switch (step == 1 ? o->desc.type : NNAHW_TYPE_NONE) {
	case NNAHW_TYPE_F32:
		memcpy(to, (const float *)o->data + at, n * sizeof(*to));
		return;
	case NNAHW_TYPE_F16:
		NNADEV_VALUES_EACH(nnadev_floats_load_halves(words + i));
		break;
	case NNAHW_TYPE_U8:
		NNADEV_VALUES_SCALED(nnadev_ints_load_u8(bytes + i));
		break;
	case NNAHW_TYPE_S8:
		NNADEV_VALUES_SCALED(nnadev_ints_load_s8((const int8_t *)bytes + i));
		break;
	case NNAHW_TYPE_BOOL8:
		NNADEV_VALUES_SCALED(
			nnadev_ints_min(nnadev_ints_load_u8(bytes + i), nnadev_ints_of(1)));
		break;
	case NNAHW_TYPE_U16:
		NNADEV_VALUES_SCALED(nnadev_ints_load_u16(words + i));
		break;
	case NNAHW_TYPE_S16:
		NNADEV_VALUES_SCALED(nnadev_ints_load_s16((const int16_t *)words + i));
		break;
	default:
		break;
	}
	for (; i < n; i++)
		to[i] = nnadev_load_value(o, at + i * step);
}

/**
 * struct nnadev_quantiser - how values are quantised to 8 or 16 bits
 * @scale, @zero: scale and zero point of the type
 * @low, @high: limits of numbers minus the zero point
 * @reciprocal: of the scale
 * @estimated: the product with @reciprocal is a valid estimate for 8-bit types
 *
 * The reciprocal, the product and the exact quotient have a relative error of at most 2^-24 each.
 * For numbers below 256, the estimate is off by less than NNADEV_UNPROVEN.
 */
struct nnadev_quantiser {
	nnadev_floats scale, low, high, reciprocal;
	nnadev_ints zero;
	bool estimated;
};

static inline void nnadev_quantiser_get(struct nnadev_quantiser *by,
					const struct nnahw_tensor *t, int32_t q_min, int32_t q_max)
{
	int64_t low, high;

	nnadev_type_range(t->type, &low, &high);
	by->scale = nnadev_floats_of(t->scale);
	by->low = nnadev_floats_of((float)(nnadev_clamp_s64(q_min, low, high) - t->zero_point));
	by->high = nnadev_floats_of((float)(nnadev_clamp_s64(q_max, low, high) - t->zero_point));
	by->zero = nnadev_ints_of(t->zero_point);
	by->reciprocal = nnadev_floats_of(1 / t->scale);
	by->estimated = nnadev_type_is_quant8(t->type) && t->scale >= 0x1p-100f &&
			t->scale <= 0x1p100f;
}

/*
 * Quantises a register of values, halves rounded away from zero. Adds the largest number below 1/2
 * with the sign of the value and truncates: a fraction below 1/2 does not reach the next integer,
 * and a fraction of 1/2 is rounded up to it by the addition.
 */
static inline nnadev_ints nnadev_quantise(const struct nnadev_quantiser *by, nnadev_floats x)
{
	const nnadev_floats sign = nnadev_floats_of(-0.0f), half = nnadev_floats_of(0x1.fffffep-2f);
	nnadev_floats q = nnadev_floats_div(x, by->scale);

	q = nnadev_floats_select(q, nnadev_floats_zero(), nnadev_floats_is_nan(q));
	q = nnadev_floats_min(nnadev_floats_max(q, by->low), by->high);
	q = nnadev_floats_add(q, nnadev_floats_or(half, nnadev_floats_and(q, sign)));
	return nnadev_ints_add(nnadev_ints_truncate(q), by->zero);
}

/*
 * Stores 4 registers of quantised bytes by their estimates, or by exact divisions if one of them is
 * not proven exact. Requires @by->estimated.
 */
static inline void nnadev_store_bytes4(const struct nnadev_quantiser *by, const float *from,
				       uint8_t *to, const bool is_signed)
{
	const nnadev_floats sign = nnadev_floats_of(-0.0f),
			    most = nnadev_floats_of(NNADEV_UNPROVEN - 0.5f);
	nnadev_floats x, off;
	nnadev_lanes exact[4];
	nnadev_ints q[4];

	for (uint32_t k = 0; k < 4; k++) {
		x = nnadev_floats_mul(nnadev_floats_load(from + NNADEV_FLOATS * k),
				      by->reciprocal);
		x = nnadev_floats_clamp(x, by->low, by->high);
		q[k] = nnadev_ints_round(x);
		/* -|x - round(x)|; a NaN is not exact. */
		off = nnadev_floats_or(nnadev_floats_sub(x, nnadev_floats_from(q[k])), sign);
		exact[k] = nnadev_floats_less(most, off);
		q[k] = nnadev_ints_add(q[k], by->zero);
	}
	exact[0] = nnadev_lanes_and(nnadev_lanes_and(exact[0], exact[1]),
				    nnadev_lanes_and(exact[2], exact[3]));
	if (__builtin_expect(!nnadev_lanes_all(exact[0]), 0))
		for (uint32_t k = 0; k < 4; k++)
			q[k] = nnadev_quantise(by, nnadev_floats_load(from + NNADEV_FLOATS * k));
	nnadev_bytes_store(to, nnadev_bytes_pack(q, is_signed));
}

/*
 * Stores values: floats unchanged, quantised types of 8 and 16 bits with halves rounded away from
 * zero, all other types one by one.
 */
static inline void nnadev_store_values(const struct nnadev_engine_operand *o, int64_t at,
				       const float *from, uint32_t n, int32_t q_min, int32_t q_max)
{
	const uint32_t type = o->desc.type, size = nnahw_type_size(type), whole = NNADEV_FLOATS;
	uint8_t *bytes = (uint8_t *)o->data + at;
	uint16_t *words = (uint16_t *)o->data + at;
	uint32_t i = 0;

	if (type == NNAHW_TYPE_F32) {
		memcpy((float *)o->data + at, from, n * sizeof(*from));
		return;
	}
	if (type == NNAHW_TYPE_F16) {
		for (; i + whole <= n; i += whole)
			nnadev_floats_store_halves(words + i, nnadev_floats_load(from + i));
	} else if (type == NNAHW_TYPE_BOOL8) {
		for (; i + whole <= n; i += whole)
			nnadev_ints_store_u8(bytes + i,
					     nnadev_ints_select(
						     nnadev_ints_of(0), nnadev_ints_of(1),
						     nnadev_floats_differ(
							     nnadev_floats_load(from + i),
							     nnadev_floats_zero())));
	} else if (nnadev_is_quantised(&o->desc) && size <= 2) {
		struct nnadev_quantiser by;

		nnadev_quantiser_get(&by, &o->desc, q_min, q_max);
		for (; by.estimated && i + 4 * whole <= n; i += 4 * whole)
			nnadev_store_bytes4(&by, from + i, bytes + i, type == NNAHW_TYPE_S8);
		for (; size == 1 && i + whole <= n; i += whole)
			nnadev_ints_store_u8(bytes + i,
					     nnadev_quantise(&by, nnadev_floats_load(from + i)));
		for (; size == 2 && i + whole <= n; i += whole)
			nnadev_ints_store_u16(words + i,
					      nnadev_quantise(&by, nnadev_floats_load(from + i)));
	}
	for (; i < n; i++)
		nnadev_store_value(o, at + i, from[i], q_min, q_max);
}

#endif
