// SPDX-License-Identifier: MIT
/* Reads modules (module.h). */
#include "frontend/litert/module.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers in a module are little-endian");

static bool lies_within(uint64_t offset, uint64_t length, uint64_t size)
{
	return offset <= size && length <= size - offset;
}

void litert_module_get(const struct litert_module *module, uint32_t index,
		       struct litert_module_part *part)
{
	memcpy(part, module->bytes + sizeof(module->head) + (size_t)index * sizeof(*part),
	       sizeof(*part));
}

int litert_module_open(const void *bytes, size_t size, struct litert_module *out)
{
	struct litert_module_head *head = &out->head;
	struct litert_module_part part;

	*out = (struct litert_module){ .bytes = bytes };
	if (!bytes || size < sizeof(*head))
		return -EBADMSG;
	memcpy(head, bytes, sizeof(*head));
	if (memcmp(head->magic, LITERT_MODULE_MAGIC, sizeof(head->magic)) ||
	    head->count > (size - sizeof(*head)) / sizeof(part) ||
	    !lies_within(head->model_offset, head->model_size, size))
		return -EBADMSG;
	for (uint32_t i = 0; i < head->count; i++) {
		litert_module_get(out, i, &part);
		if (!lies_within(part.offset, part.size, size))
			return -EBADMSG;
	}
	return 0;
}

int litert_module_find(const struct litert_module *module, const char *name, uint32_t *index)
{
	char known[LITERT_PARTITION_NAME];

	for (uint32_t i = 0; name && i < module->head.count; i++) {
		litert_module_name(i, known);
		if (!strcmp(name, known)) {
			*index = i;
			return 0;
		}
	}
	return -ENOENT;
}

void litert_module_name(uint32_t index, char *name)
{
	snprintf(name, LITERT_PARTITION_NAME, "partition_%u", index);
}
