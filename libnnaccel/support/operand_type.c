// SPDX-License-Identifier: MIT
/* Names and properties of operand types: a constant table, for any thread. */
#include "libnnaccel/support/operand_type.h"

/**
 * struct type_facts - an operand type
 * @name: NNAPI's name
 * @size: bytes of an element, 0 for SUBGRAPH and OPAQUE
 * @tensor: a tensor, else a scalar
 * @quantised: has a scale, or one for each channel
 * @low: lowest number that it stores; 0 for floats
 * @high: highest number that it stores; 0 for floats
 */
struct type_facts {
	const char *name;
	uint32_t size;
	bool tensor;
	bool quantised;
	int64_t low, high;
};

#define TYPE(name, ...) [NNA_OPERAND_##name] = { #name, __VA_ARGS__ }

static const struct type_facts types[] = {
	/*   name				size	tensor	quant.	low, high */
	TYPE(FLOAT32,				4,	false,	false,	0, 0),
	TYPE(INT32,				4,	false,	false,	INT32_MIN, INT32_MAX),
	TYPE(UINT32,				4,	false,	false,	0, UINT32_MAX),
	TYPE(TENSOR_FLOAT32,			4,	true,	false,	0, 0),
	TYPE(TENSOR_INT32,			4,	true,	false,	INT32_MIN, INT32_MAX),
	TYPE(TENSOR_QUANT8_ASYMM,		1,	true,	true,	0, UINT8_MAX),
	TYPE(BOOL,				1,	false,	false,	0, 1),
	TYPE(TENSOR_QUANT16_SYMM,		2,	true,	true,	INT16_MIN, INT16_MAX),
	TYPE(TENSOR_FLOAT16,			2,	true,	false,	0, 0),
	TYPE(TENSOR_BOOL8,			1,	true,	false,	0, 1),
	TYPE(FLOAT16,				2,	false,	false,	0, 0),
	TYPE(TENSOR_QUANT8_SYMM_PER_CHANNEL,	1,	true,	true,	INT8_MIN, INT8_MAX),
	TYPE(TENSOR_QUANT16_ASYMM,		2,	true,	true,	0, UINT16_MAX),
	TYPE(TENSOR_QUANT8_SYMM,		1,	true,	true,	INT8_MIN, INT8_MAX),
	TYPE(TENSOR_QUANT8_ASYMM_SIGNED,	1,	true,	true,	INT8_MIN, INT8_MAX),
	TYPE(SUBGRAPH,				0,	false,	false,	0, 0),
	TYPE(TENSOR_INT64,			8,	true,	false,	INT64_MIN, INT64_MAX),
	TYPE(OPAQUE,				0,	false,	false,	0, 0),
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct type_facts *facts(enum nna_operand_type type)
{
	return type < COUNT(types) && types[type].name ? &types[type] : NULL;
}

const char *nna_operand_type_name(enum nna_operand_type type)
{
	const struct type_facts *f = facts(type);

	return f ? f->name : NULL;
}

uint32_t nna_operand_type_size(enum nna_operand_type type)
{
	const struct type_facts *f = facts(type);

	return f ? f->size : 0;
}

bool nna_operand_type_is_tensor(enum nna_operand_type type)
{
	const struct type_facts *f = facts(type);

	return f && f->tensor;
}

bool nna_operand_type_is_quantised(enum nna_operand_type type)
{
	const struct type_facts *f = facts(type);

	return f && f->quantised;
}

void nna_operand_type_range(enum nna_operand_type type, int64_t *low, int64_t *high)
{
	const struct type_facts *f = facts(type);

	*low = f ? f->low : 0;
	*high = f ? f->high : 0;
}
