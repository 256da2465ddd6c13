// SPDX-License-Identifier: MIT
#include "frontend/tflite/metadata.h"

#include <string.h>

#include "frontend/tflite/flatbuffer.h"

/* Fields of the tables, by their numbers in the schema. */
#define MODEL_BUFFERS 4u
#define MODEL_METADATA 6u
#define METADATA_NAME 0u
#define METADATA_BUFFER 1u
#define BUFFER_DATA 0u

static const void *read(const struct flatbuffer *fb, const struct flatbuffer_table *root,
			const struct flatbuffer_table *entry, size_t *size)
{
	struct flatbuffer_vector buffers, data;
	struct flatbuffer_table buffer;
	uint32_t number = 0;

	if (!flatbuffer_scalar(fb, entry, METADATA_BUFFER, 4, &number) ||
	    !flatbuffer_vector(fb, root, MODEL_BUFFERS, 4, &buffers) || number >= buffers.count ||
	    !flatbuffer_element(fb, &buffers, number, &buffer) ||
	    !flatbuffer_vector(fb, &buffer, BUFFER_DATA, 1, &data) || !data.count)
		return NULL;
	*size = data.count;
	return fb->base + data.at;
}

const void *tflite_metadata(const struct tflite_model *model, const char *name, size_t *size)
{
	const struct flatbuffer fb = { model->bytes, model->size };
	struct flatbuffer_table root, entry;
	struct flatbuffer_vector list;
	const char *own;

	if (!fb.base || !flatbuffer_root(&fb, &root) ||
	    !flatbuffer_vector(&fb, &root, MODEL_METADATA, 4, &list))
		return NULL;
	for (uint32_t i = 0; i < list.count; i++)
		if (flatbuffer_element(&fb, &list, i, &entry) &&
		    flatbuffer_string(&fb, &entry, METADATA_NAME, &own) && !strcmp(own, name))
			return read(&fb, &root, &entry, size);
	return NULL;
}
