// SPDX-License-Identifier: MIT
/* Random values, encoded (values.h). */
#include "tests/aosp/values.h"

#include <stdlib.h>
#include <string.h>

#include "hal-bridge/aidl/gen/nn.h"
#include "hal-bridge/binder/flat.h"
#include "tests/unit/hal-bridge/aidl/value.h"

const char *values_name(uint32_t index)
{
	return nnb_aidl_types[index] ? nnb_aidl_types[index]->name : NULL;
}

size_t values_encode(uint32_t index, uint64_t seed, unsigned char **data)
{
	const struct nnb_aidl_type *type = nnb_aidl_types[index];
	struct nnb_arena arena = { 0 };
	void *value = nnb_arena_alloc(&arena, 1, type->size);
	struct nnb_flat flat;
	size_t size = 0;

	nnb_flat_init(&flat);
	value_fill(&seed, &arena, NULL, type, value);
	if (!nnb_aidl_write(&flat.writer, type, value)) {
		for (uint32_t i = 0; i < flat.entry_count; i++)
			memset(flat.data + flat.entries[i].offset + 8, 0, 8);
		*data = malloc(flat.size);
		size = *data ? flat.size : 0;
		if (size)
			memcpy(*data, flat.data, size);
	}
	nnb_flat_fini(&flat);
	nnb_arena_fini(&arena);
	return size;
}
