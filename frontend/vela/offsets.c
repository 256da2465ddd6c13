// SPDX-License-Identifier: MIT
#include "frontend/vela/offsets.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tflite/metadata.h"

#define HEADER 3u /* numbers before the offsets */

static uint32_t number_at(const void *data, size_t index)
{
	uint32_t number;

	memcpy(&number, (const uint8_t *)data + index * 4, sizeof(number));
	return le32toh(number);
}

int vela_offsets_read(const void *data, size_t size, uint32_t first, uint32_t count, int64_t **out,
		      char *error)
{
	uint32_t tensors;
	int64_t *offsets;

	if (!data) {
		snprintf(error, TFLITE_ERROR_SIZE, "the file has no metadata " VELA_OFFSETS_NAME
			 ": compile it with Vela again");
		return -EINVAL;
	}
	tensors = size / 4 < HEADER ? 0 : number_at(data, HEADER - 1);
	if (size / 4 < HEADER || tensors > size / 4 - HEADER || first > tensors) {
		snprintf(error, TFLITE_ERROR_SIZE, "the metadata " VELA_OFFSETS_NAME " of %zu "
			 "bytes ends before its %u offsets", size, tensors);
		return -EINVAL;
	}
	offsets = calloc((size_t)count + 1, sizeof(*offsets));
	if (!offsets) {
		snprintf(error, TFLITE_ERROR_SIZE, "out of memory");
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < count; i++) {
		int32_t offset = -1;

		if (i < tensors - first)
			offset = (int32_t)number_at(data, HEADER + first + i);
		offsets[i] = offset < 0 ? -1 : offset;
	}
	*out = offsets;
	return 0;
}

int vela_offsets_of(const struct tflite_model *model, int64_t **out, char *error)
{
	uint32_t first = 0;
	const void *data;
	size_t size = 0;

	for (uint32_t i = 0; i < model->main; i++)
		first += model->subgraphs[i].tensor_count;
	data = tflite_metadata(model, VELA_OFFSETS_NAME, &size);
	return vela_offsets_read(data, size, first, tflite_main(model)->tensor_count, out, error);
}
