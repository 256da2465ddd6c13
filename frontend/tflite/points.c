// SPDX-License-Identifier: MIT
/*
 * Points of 16-bit functions (points.h). A macro holds the steps, which are the same in FLOAT32 and
 * in FLOAT64.
 *
 * A function that overflows gives infinities, whose differences are NaN. TFLite's conversion of NaN
 * to an integer gives 0 on the machines that it runs on; saturate() returns 0 too.
 */
#include "frontend/tflite/points.h"

#include <math.h>

#define PARTS (TFLITE_POINTS - 1)
#define PER_PART 128

/* @real is the type, @nearest its rounding function, @value the function of the table. */
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
	/* The difference wraps in 16 bits, as TFLite's does. */
	const int16_t slope = (int16_t)(uint16_t)(points[part + 1] - points[part]);

	return (int16_t)(uint16_t)(points[part] +
				   ((slope * rest + PER_PART / 2) >> 7));
}
