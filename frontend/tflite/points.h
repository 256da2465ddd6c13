/* SPDX-License-Identifier: MIT */
/*
 * TFLite's tables of 16-bit functions: 513 points, the ends of 512 equal parts of the range of the
 * input, between which numbers are interpolated by their lower 7 bits.
 *
 * A point is the function's value less half of what the middle of its part would be off by, in
 * whole numbers. Every rounding is part of the result, so the points are computed in FLOAT32, or in
 * FLOAT64 where TFLite does; the functions are the C library's, as in TFLite.
 */
#ifndef TFLITE_POINTS_H
#define TFLITE_POINTS_H

#include <stdint.h>

#define TFLITE_POINTS 513

/**
 * struct tflite_points_range - what the numbers of the input and of the output mean
 * @in_scale, @out_scale: of one step
 * @in_zero: number of the input that means 0; that of the output is 0
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

/* The function of @q. */
int16_t tflite_points_look_up(const int16_t *points, int16_t q);

#endif
