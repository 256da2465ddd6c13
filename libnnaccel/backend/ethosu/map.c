// SPDX-License-Identifier: MIT
/* Views of the ir as feature maps. */
#include <errno.h>
#include <stdarg.h>

#include "libnnaccel/backend/ethosu/ethosu.h"

#define SIZE_MOST 65536u /* rows, columns, channels */
#define STRIDE_MOST (1ull << 39)

int nna_ethosu_refuse(char *reason, size_t size, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(reason, size, format, args);
	va_end(args);
	return -ENOTSUP;
}

void nna_ethosu_map_image(const struct nna_lower *l, uint32_t value, uint32_t batch,
			  struct nna_ethosu_map *map)
{
	const struct nna_value *v = &l->values[value];
	const struct nna_storage *s = &l->storages[v->storage];
	const uint32_t bytes = nna_type_size(v->type);

	*map = (struct nna_ethosu_map){
		.region = s->slot,
		.offset = s->offset + v->offset + (uint64_t)batch * v->strides[0] * bytes,
		.bytes = (uint8_t)bytes,
		.is_signed = v->type == NNA_TYPE_S8 || v->type == NNA_TYPE_S16 ||
			     v->type == NNA_TYPE_S32,
		.height = v->dims[1],
		.width = v->dims[2],
		.depth = v->dims[3],
		.stride_y = (uint64_t)v->strides[1] * bytes,
		.stride_x = (uint64_t)v->strides[2] * bytes,
		.zero_point = v->zero_point,
	};
	/* See layout.c: no other view has columns that overlap. */
	map->brick = v->dims[2] > 1 && v->dims[3] > NNA_ETHOSU_BRICK &&
		     v->strides[2] == (int32_t)NNA_ETHOSU_BRICK;
	if (map->brick)
		map->stride_c = (uint64_t)v->dims[2] * NNA_ETHOSU_BRICK * bytes;
}

bool nna_ethosu_map_refuses(const struct nna_lower *l, uint32_t value, char *reason, size_t size)
{
	const struct nna_value *v = &l->values[value];
	const uint32_t bytes = nna_type_size(v->type);

	for (uint32_t i = 1; i < 4; i++)
		if (v->dims[i] > SIZE_MOST)
			return nna_ethosu_refuse(reason, size, "a size of %u, the NPU has at most %u",
						 v->dims[i], SIZE_MOST);
	if (v->dims[3] > 1 && v->strides[3] != 1)
		return nna_ethosu_refuse(reason, size, "channels are not contiguous");
	for (uint32_t i = 0; i < 3; i++)
		if (v->dims[i] > 1 && (v->strides[i] < 0 ||
				       (uint64_t)v->strides[i] * bytes >= STRIDE_MOST))
			return nna_ethosu_refuse(reason, size, "rows or columns go backwards");
	return false;
}
