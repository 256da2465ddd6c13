// SPDX-License-Identifier: MIT
/* Comparison of results within the tolerances of the vectors, element by element. */
#include "tests/conformance/case.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double nnv_half(uint16_t bits)
{
	int exponent = bits >> 10 & 31;
	int mantissa = bits & 1023;
	double value;

	if (exponent == 31)
		value = mantissa ? NAN : INFINITY;
	else if (exponent)
		value = ldexp(1024 + mantissa, exponent - 25);
	else
		value = ldexp(mantissa, -24);
	return bits >> 15 ? -value : value;
}

static bool nnv_is_float(uint32_t type)
{
	return type == NNA_OPERAND_FLOAT32 || type == NNA_OPERAND_TENSOR_FLOAT32 ||
	       type == NNA_OPERAND_FLOAT16 || type == NNA_OPERAND_TENSOR_FLOAT16;
}

static double nnv_load_float(uint32_t type, const void *data, size_t index)
{
	uint16_t half;
	float single;

	if (type == NNA_OPERAND_FLOAT16 || type == NNA_OPERAND_TENSOR_FLOAT16) {
		memcpy(&half, (const uint8_t *)data + index * sizeof(half), sizeof(half));
		return nnv_half(half);
	}
	memcpy(&single, (const uint8_t *)data + index * sizeof(single), sizeof(single));
	return single;
}

static int64_t nnv_load_integer(uint32_t type, const void *data, size_t index)
{
	const uint8_t *bytes = data;
	union {
		int32_t s32;
		uint32_t u32;
		int16_t s16;
		uint16_t u16;
	} word;

	switch (type) {
	case NNA_OPERAND_INT32:
	case NNA_OPERAND_TENSOR_INT32:
		memcpy(&word.s32, bytes + index * 4, 4);
		return word.s32;
	case NNA_OPERAND_UINT32:
		memcpy(&word.u32, bytes + index * 4, 4);
		return word.u32;
	case NNA_OPERAND_TENSOR_QUANT16_SYMM:
		memcpy(&word.s16, bytes + index * 2, 2);
		return word.s16;
	case NNA_OPERAND_TENSOR_QUANT16_ASYMM:
		memcpy(&word.u16, bytes + index * 2, 2);
		return word.u16;
	case NNA_OPERAND_TENSOR_QUANT8_ASYMM:
		return bytes[index];
	case NNA_OPERAND_BOOL:
	case NNA_OPERAND_TENSOR_BOOL8:
		return bytes[index] != 0;
	default:
		return (int8_t)bytes[index];
	}
}

struct nnv_tolerance nnv_case_tolerance(const struct nnv_case *item, uint32_t type)
{
	const double half = 5.0 / 1024, single = 5.0 / (1 << 23);
	struct nnv_tolerance tolerance = { .absolute = 1e-5, .relative = single, .steps = 1 };

	if (type == NNA_OPERAND_FLOAT16 || type == NNA_OPERAND_TENSOR_FLOAT16 ||
	    item->flags & (NNV_CASE_RELAXED | NNV_CASE_HAS_FLOAT16_TENSOR)) {
		tolerance.absolute = half;
		tolerance.relative = half;
	}
	if (type == NNA_OPERAND_BOOL || type == NNA_OPERAND_TENSOR_BOOL8)
		tolerance.steps = 0;
	else if (item->flags & NNV_CASE_QUANT8_TOLERANCE_3)
		tolerance.steps = 3;
	return tolerance;
}

static bool nnv_float_close(double expected, double got, const struct nnv_tolerance *tolerance)
{
	if (isnan(expected) || isnan(got))
		return isnan(expected) && isnan(got);
	if (isinf(expected) || isinf(got))
		return expected == got;
	return fabs(expected - got) <= tolerance->absolute + tolerance->relative * fabs(expected);
}

size_t nnv_compare(uint32_t type, const void *expected, const void *got, size_t count,
		   const struct nnv_tolerance *tolerance, char *text, size_t text_size)
{
	size_t wrong = 0;

	if (nnv_is_float(type)) {
		for (size_t i = 0; i < count; i++) {
			double e = nnv_load_float(type, expected, i);
			double g = nnv_load_float(type, got, i);

			if (nnv_float_close(e, g, tolerance))
				continue;
			if (!wrong++)
				snprintf(text, text_size,
					 "element %zu: expected %.9g, got %.9g (tolerance %.3g)", i,
					 e, g, tolerance->absolute + tolerance->relative * fabs(e));
		}
		return wrong;
	}
	for (size_t i = 0; i < count; i++) {
		int64_t e = nnv_load_integer(type, expected, i);
		int64_t g = nnv_load_integer(type, got, i);

		if (llabs(e - g) <= tolerance->steps)
			continue;
		if (!wrong++)
			snprintf(text, text_size,
				 "element %zu: expected %" PRId64 ", got %" PRId64
				 " (tolerance %" PRId64 ")",
				 i, e, g, tolerance->steps);
	}
	return wrong;
}

size_t nnv_compare_multinomial(uint32_t type, const void *logits, uint32_t batches,
			       uint32_t classes, const int32_t *samples, uint32_t sample_count,
			       double tolerance, char *text, size_t text_size)
{
	size_t wrong = 0;
	double *share;

	share = calloc(classes ? classes : 1, sizeof(*share));
	if (!share || !sample_count) {
		free(share);
		snprintf(text, text_size, "no memory, or no samples");
		return 1;
	}
	for (uint32_t b = 0; b < batches; b++) {
		double sum = 0.0;

		memset(share, 0, classes * sizeof(*share));
		for (uint32_t i = 0; i < sample_count; i++) {
			int32_t class = samples[(size_t)b * sample_count + i];

			if (class >= 0 && (uint32_t) class < classes)
				share[class] += 1.0 / sample_count;
			else if (!wrong++)
				snprintf(text, text_size, "batch %u sample %u: no class %d", b, i,
					 class);
		}
		for (uint32_t i = 0; i < classes; i++)
			sum += exp(nnv_load_float(type, logits, (size_t)b * classes + i));
		for (uint32_t i = 0; i < classes; i++) {
			double e = exp(nnv_load_float(type, logits, (size_t)b * classes + i)) / sum;

			if (fabs(e - share[i]) <= tolerance)
				continue;
			if (!wrong++)
				snprintf(text, text_size,
					 "batch %u class %u: expected a share of %.4f, got %.4f "
					 "(tolerance %.4f)",
					 b, i, e, share[i], tolerance);
		}
	}
	free(share);
	return wrong;
}
