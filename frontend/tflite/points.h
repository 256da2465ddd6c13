/* SPDX-License-Identifier: MIT */
/*
 * TFLite's tables of 16-bit functions: 513 points, the ends of 512 equal parts of the range of the
 * input. The lower 7 bits of an input interpolate between two points.
 *
 * A point is the value of the function, minus half the error of the interpolation in the middle of
 * its part, in whole numbers. Every rounding shows in the result, so the points are computed in
 * FLOAT32, or in FLOAT64 if TFLite uses that; the functions are the C library's, as in TFLite.
 */
#ifndef TFLITE_POINTS_H
#define TFLITE_POINTS_H

#include <stdint.h>

#define TFLITE_POINTS 513

/**
 * struct tflite_points_range - quantisation of the input and of the output
 * @in_scale, @out_scale: the scales
 * @in_zero: zero point of the input; that of the output is 0
 */
struct tflite_points_range {
	double in_scale, out_scale;
	int32_t in_zero;
};

/* The points of @function in FLOAT32; scales are rounded to FLOAT32 first. */
void tflite_points_make(const struct tflite_points_range *range,
			float (*function)(float x, float out_scale), int16_t *points);
/* The same in FLOAT64. */
void tflite_points_make_double(const struct tflite_points_range *range,
			       double (*function)(double x), int16_t *points);

/* The interpolated value at @q. */
int16_t tflite_points_look_up(const int16_t *points, int16_t q);

#endif
