// SPDX-License-Identifier: MIT
/* Extensions in the HAL (extension.h). */
#include "hal-bridge/service/extension.h"

#include <errno.h>

#include "hal-bridge/common/extension.h"

/* The number of no extension in the registry. */
#define NNB_EXTENSION_NONE (0xffffu << NNB_EXTENSION_BITS)

static int nnb_extension_get_types(struct nnb_arena *arena, uint32_t index,
				   struct nnb_aidl_extension *out)
{
	const uint32_t count = nnb_extension_operand_count(index);

	out->name = nnb_extension_name(index);
	out->operand_types.count = count;
	out->operand_types.data = nnb_arena_alloc(arena, count, sizeof(*out->operand_types.data));
	if (!out->operand_types.data)
		return -ENOMEM;
	for (uint16_t i = 0; i < count; i++) {
		const struct nnb_extension_operand *type =
			nnb_extension_operand(nnb_extension_code(out->name, i));

		out->operand_types.data[i].type = i;
		out->operand_types.data[i].is_tensor = type->tensor;
		out->operand_types.data[i].byte_size = (int32_t)type->size;
	}
	return 0;
}

int nnb_extensions_get(struct nnb_arena *arena,
		       struct nnb_aidl_device_get_supported_extensions_out *out)
{
	const uint32_t count = nnb_extension_count();
	int ret = 0;

	out->result.count = count;
	out->result.data = nnb_arena_alloc(arena, count, sizeof(*out->result.data));
	if (!out->result.data)
		return -ENOMEM;
	for (uint32_t i = 0; i < count && !ret; i++)
		ret = nnb_extension_get_types(arena, i, &out->result.data[i]);
	return ret;
}

/* Return: the name of the extension with the prefix of a type; NULL if the model names none. */
static const char *nnb_extension_find(const struct nnb_aidl_model *model, int32_t type)
{
	for (uint32_t i = 0; i < model->extension_name_to_prefix.count; i++) {
		if (model->extension_name_to_prefix.data[i].prefix == type >> NNB_EXTENSION_BITS)
			return model->extension_name_to_prefix.data[i].name;
	}
	return NULL;
}

bool nnb_extension_is_named(const struct nnb_aidl_model *model, int32_t type)
{
	return type >= NNB_EXTENSION_FIRST && nnb_extension_find(model, type);
}

uint32_t nnb_extension_translate(const struct nnb_aidl_model *model, int32_t type)
{
	const char *name;
	uint32_t code = 0;

	if (type < NNB_EXTENSION_FIRST)
		return (uint32_t)type;
	name = nnb_extension_find(model, type);
	if (name)
		code = nnb_extension_code(name, (uint16_t)type);
	return code ? code : NNB_EXTENSION_NONE | (uint16_t)type;
}
