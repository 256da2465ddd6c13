// SPDX-License-Identifier: MIT
/*
 * Points of 16-bit functions (points.h). Both precisions are the same steps; a macro has them once.
 *
 * Functions that leave the range of the type give infinities, whose differences are NaN. TFLite
 * converts those as the machine does, which makes them 0; so does this.
 */
#include "frontend/tflite/points.h"

#include <math.h>

#define PARTS (TFLITE_POINTS - 1)
#define PER_PART 128

/* In the type @real with its function @nearest; @value is the function at a number. */
#define MAKE(real, nearest, value) \
	do { \
		const real low = (real)range->in_scale * (real)(INT16_MIN - range->in_zero); \
		const real high = (real)range->in_scale * (real)(INT16_MAX - range->in_zero); \
		const real step = (high - low) / PARTS, half = step / 2; \
		const real inverse = (real)65536 / ((real)range->out_scale * INT16_MAX - \
						    (real)range->out_scale * INT16_MIN); \
		for (int i = 0; i < PARTS; i++) { \
			const real at = (real)i * step, next = (real)(i + 1) * step; \
			const real here = nearest(value(low + at) * inverse); \
			const real middle = nearest(value(low + at + half) * inverse); \
			const real line = \
				nearest((value(low + next) * inverse + here) / 2); \
			points[i] = saturate((double)(here - nearest((line - middle) / 2))); \
		} \
		points[PARTS] = saturate((double)nearest(value(high) * inverse)); \
	} while (0)

static int16_t saturate(double x)
{
	if (isnan(x))
		return 0;
	return x < INT16_MIN ? INT16_MIN : x > INT16_MAX ? INT16_MAX : (int16_t)x;
}

void tflite_points_make(const struct tflite_points_range *range,
			float (*function)(float x, float out_scale), int16_t *points)
{
	const float out_scale = (float)range->out_scale;

#define VALUE(x) function(x, out_scale)
	MAKE(float, roundf, VALUE);
#undef VALUE
}

void tflite_points_make_double(const struct tflite_points_range *range,
			       double (*function)(double x), int16_t *points)
{
	MAKE(double, round, function);
}

int16_t tflite_points_look_up(const int16_t *points, int16_t q)
{
	const int32_t part = (q - INT16_MIN) / PER_PART, rest = (q - INT16_MIN) % PER_PART;
	/* A difference of 16 bits that wraps. */
	const int16_t slope = (int16_t)(uint16_t)(points[part + 1] - points[part]);

	return (int16_t)(uint16_t)(points[part] +
				   ((slope * rest + PER_PART / 2) >> 7));
}
