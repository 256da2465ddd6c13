// SPDX-License-Identifier: MIT
/* What a model in memory gives its users: names, numbers of the file, derived constants. */
#include "frontend/tflite/tflite.h"

#include <stdlib.h>
#include <string.h>

#define ALIGNMENT 64

struct tflite_derived {
	struct tflite_derived *next;
	void *data;
};

const char *tflite_code_name(uint32_t code)
{
	static const char *const names[] = {
#define TFLITE_OP(code, name, translation, operation, shape) [code] = #name,
#define TFLITE_MADE(code, name, translation, operation, shape) [code] = #name,
#define TFLITE_NAME(code, name) [code] = #name,
#include "frontend/tflite/operator_list.h"
	};

	return code < sizeof(names) / sizeof(names[0]) ? names[code] : NULL;
}

int64_t tflite_zero_point_at(const struct tflite_tensor *tensor, uint32_t index)
{
	int64_t value;

	memcpy(&value, (const uint8_t *)tensor->zero_points + (size_t)index * sizeof(value),
	       sizeof(value));
	return value;
}

int64_t tflite_long_at(const struct tflite_longs *list, uint32_t index)
{
	int64_t value;

	memcpy(&value, (const uint8_t *)list->at + (size_t)index * sizeof(value), sizeof(value));
	return value;
}

float tflite_half_to_float(uint16_t half)
{
	uint32_t sign = (uint32_t)(half >> 15) << 31, exponent = half >> 10 & 31,
		 fraction = half & 1023;
	uint32_t bits;
	float value;

	if (exponent == 31) {
		bits = sign | 0x7f800000 | fraction << 13;
	} else if (exponent) {
		bits = sign | (exponent + 112) << 23 | fraction << 13;
	} else {
		value = (float)fraction * 0x1p-24f;
		return sign ? -value : value;
	}
	memcpy(&value, &bits, sizeof(value));
	return value;
}

const char *tflite_printable(const char *text, char *to, size_t size)
{
	size_t n;

	for (n = 0; n + 1 < size && text[n]; n++)
		to[n] = (unsigned char)text[n] < 0x20 || text[n] == 0x7f ? '?' : text[n];
	if (size)
		to[n] = 0;
	return to;
}

void *tflite_derive(struct tflite_model *model, size_t size)
{
	struct tflite_derived *d = calloc(1, sizeof(*d));
	size_t padded;

	if (!d || __builtin_add_overflow(size, ALIGNMENT, &padded))
		goto fail;
	padded -= padded % ALIGNMENT;
	d->data = aligned_alloc(ALIGNMENT, padded);
	if (!d->data)
		goto fail;
	memset(d->data, 0, padded);
	d->next = model->derived;
	model->derived = d;
	return d->data;
fail:
	free(d);
	return NULL;
}

bool tflite_count_elements(uint32_t rank, const uint32_t *dims, uint64_t *elements)
{
	*elements = 1;
	for (uint32_t i = 0; i < rank; i++)
		if (__builtin_mul_overflow(*elements, (uint64_t)dims[i], elements) ||
		    *elements > UINT32_MAX)
			return false;
	return true;
}

void tflite_free(struct tflite_model *model)
{
	struct tflite_derived *d, *next;
	uint32_t i;

	if (!model)
		return;
	for (i = 0; i < model->subgraph_count; i++) {
		free(model->subgraphs[i].tensors);
		free(model->subgraphs[i].operators);
	}
	for (d = model->derived; d; d = next) {
		next = d->next;
		free(d->data);
		free(d);
	}
	free(model->names);
	free(model->signatures);
	free(model->subgraphs);
	free(model->bytes);
	free(model);
}
