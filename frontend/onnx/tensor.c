// SPDX-License-Identifier: MIT
/* Errors of a translation, and the numbers of constants. */
#include "frontend/onnx/translation.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "libnnaccel/support/array.h"

__attribute__((format(printf, 3, 0))) static void say(struct onnx_translation *t, int ret,
						      const char *format, va_list args)
{
	char label[ONNX_LABEL_SIZE];
	int n = 0;

	if (t->ret)
		return;
	t->ret = ret;
	if (t->node)
		n = snprintf(t->error, ONNX_ERROR_SIZE, "%s: ",
			     onnx_node_label(t->model, t->number, label));
	vsnprintf(t->error + n, ONNX_ERROR_SIZE - (size_t)n, format, args);
}

void onnx_unsupported(struct onnx_translation *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(t, -ENOTSUP, format, args);
	va_end(args);
}

void onnx_wrong(struct onnx_translation *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(t, -EINVAL, format, args);
	va_end(args);
}

void onnx_fail(struct onnx_translation *t, int ret, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(t, ret, format, args);
	va_end(args);
}

void onnx_no_memory(struct onnx_translation *t)
{
	onnx_fail(t, -ENOMEM, "no memory");
}

void *onnx_make(struct onnx_translation *t, uint64_t size)
{
	void *to;

	if (t->ret)
		return NULL;
	t->folded += size;
	if (t->folded > (uint64_t)ONNX_MAX_FOLDED * 16) {
		onnx_unsupported(t, "the model computes more than %u MiB of constants",
				 ONNX_MAX_FOLDED >> 16);
		return NULL;
	}
	to = onnx_model_allocate(t->made, (size_t)size + 1);
	if (!to)
		onnx_no_memory(t);
	return to;
}

bool onnx_grow(struct onnx_translation *t, uint32_t **list, uint32_t count, uint32_t *room)
{
	uint32_t *grown = nna_array_reserve(*list, (uint64_t)count + 1, room, sizeof(*grown));

	if (!grown) {
		onnx_no_memory(t);
		return false;
	}
	*list = grown;
	return true;
}

static float half_to_float(uint16_t half)
{
	const uint32_t sign = (uint32_t)(half & 0x8000) << 16, fraction = half & 0x3ff;
	int32_t exponent = half >> 10 & 0x1f;
	uint32_t bits;
	float f;

	if (exponent == 31) {
		bits = sign | 0x7f800000 | fraction << 13;
	} else if (exponent) {
		bits = sign | (uint32_t)(exponent + 112) << 23 | fraction << 13;
	} else {
		f = (float)fraction * 0x1p-24f;
		return sign ? -f : f;
	}
	memcpy(&f, &bits, sizeof(f));
	return f;
}

static uint16_t float_to_half(float f)
{
	uint32_t bits, sign, shift;
	int32_t exponent;
	uint64_t fraction;

	memcpy(&bits, &f, sizeof(bits));
	sign = bits >> 16 & 0x8000;
	exponent = (int32_t)(bits >> 23 & 0xff) - 127;
	fraction = (bits & 0x7fffff) | 0x800000;
	if (exponent == 128)
		return (uint16_t)(sign | 0x7c00 | (bits & 0x7fffff ? 0x200 : 0));
	if (exponent > 15)
		return (uint16_t)(sign | 0x7c00);
	if (exponent < -25)
		return (uint16_t)sign;
	/* Round to the nearest, halves to even; a carry goes on into the exponent. */
	shift = exponent < -14 ? (uint32_t)(-1 - exponent) : 13;
	fraction = (fraction >> shift) + ((fraction >> (shift - 1) & 1) &&
		   ((fraction & ((1ull << (shift - 1)) - 1)) || (fraction >> shift & 1)));
	if (exponent >= -14)
		fraction += (uint64_t)(exponent + 14) << 10;
	return (uint16_t)(sign | (uint32_t)fraction);
}

void onnx_put_int(const struct onnx_tensor *x, uint64_t i, int64_t value)
{
	const uint32_t size = onnx_type_bits(x->type) / 8;

	if (x->type == ONNX_FLOAT || x->type == ONNX_FLOAT16 || x->type == ONNX_DOUBLE) {
		onnx_put_real(x, i, (double)value);
		return;
	}
	if (x->type == ONNX_BOOL)
		value = value != 0;
	memcpy((uint8_t *)x->data + size * i, &value, size);
}

void onnx_put_real(const struct onnx_tensor *x, uint64_t i, double value)
{
	uint8_t *at = (uint8_t *)x->data;
	const float f = (float)value;
	uint16_t half;

	switch (x->type) {
	case ONNX_FLOAT:
		memcpy(at + 4 * i, &f, sizeof(f));
		break;
	case ONNX_FLOAT16:
		half = float_to_half(f);
		memcpy(at + 2 * i, &half, sizeof(half));
		break;
	case ONNX_DOUBLE:
		memcpy(at + 8 * i, &value, sizeof(value));
		break;
	case ONNX_BOOL:
		at[i] = value != 0;
		break;
	default:
		onnx_put_int(x, i, value > -0x1p62 && value < 0x1p62 ? (int64_t)value : 0);
	}
}

bool onnx_make_tensor(struct onnx_translation *t, struct onnx_tensor *to)
{
	uint64_t elements;

	if (!onnx_count_elements(to->rank, to->dims, &elements) || elements > ONNX_MAX_FOLDED) {
		onnx_unsupported(t, "a constant of more than %u elements", ONNX_MAX_FOLDED);
		return false;
	}
	to->size = (size_t)onnx_type_bytes(to->type, elements);
	to->data = onnx_make(t, to->size);
	return to->data;
}

double onnx_real_at(const struct onnx_tensor *x, uint64_t i)
{
	const uint8_t *at = x->data;
	uint16_t half;
	uint32_t bits;
	double d;
	float f;

	switch (x->type) {
	case ONNX_FLOAT:
		memcpy(&f, at + 4 * i, sizeof(f));
		return (double)f;
	case ONNX_FLOAT16:
		memcpy(&half, at + 2 * i, sizeof(half));
		return (double)half_to_float(half);
	case ONNX_BFLOAT16:
		memcpy(&half, at + 2 * i, sizeof(half));
		bits = (uint32_t)half << 16;
		memcpy(&f, &bits, sizeof(f));
		return (double)f;
	case ONNX_DOUBLE:
		memcpy(&d, at + 8 * i, sizeof(d));
		return d;
	default:
		return (double)onnx_int_at(x, i);
	}
}

int64_t onnx_int_at(const struct onnx_tensor *x, uint64_t i)
{
	const uint8_t *at = x->data;
	uint32_t bits = onnx_type_bits(x->type), size = bits / 8;
	uint64_t value = 0;
	bool is_signed;
	double d;

	switch (x->type) {
	case ONNX_FLOAT:
	case ONNX_FLOAT16:
	case ONNX_BFLOAT16:
	case ONNX_DOUBLE:
		d = onnx_real_at(x, i);
		return d > -0x1p62 && d < 0x1p62 ? (int64_t)d : 0;
	case ONNX_BOOL:
		return at[i] != 0;
	case ONNX_INT4:
	case ONNX_UINT4:
		value = at[i / 2] >> (i % 2 * 4) & 0xf;
		return x->type == ONNX_INT4 && value > 7 ? (int64_t)value - 16 : (int64_t)value;
	}
	if (!size)
		return 0;
	memcpy(&value, at + size * i, size);
	is_signed = x->type == ONNX_INT8 || x->type == ONNX_INT16 || x->type == ONNX_INT32;
	if (is_signed && value >> (bits - 1))
		value |= ~0ull << bits;
	return (int64_t)value;
}

uint64_t onnx_elements(const struct onnx_tensor *x)
{
	uint64_t elements = 0;

	return onnx_count_elements(x->rank, x->dims, &elements) ? elements : 0;
}
