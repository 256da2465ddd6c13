// SPDX-License-Identifier: MIT
/* Feature maps of values. */
#include "libnnaccel/backend/ethosu/ethosu.h"

static bool is_signed(uint8_t type)
{
	return type == NNA_TYPE_S8 || type == NNA_TYPE_S16 || type == NNA_TYPE_S32;
}

void nna_ethosu_map_place(const struct nna_lower *l, uint32_t value, uint32_t bytes,
			  struct nna_ethosu_map *map)
{
	const struct nna_value *v = &l->values[value];

	map->region = l->storages[v->storage].slot;
	map->offset += l->storages[v->storage].offset;
	map->bytes = (uint8_t)(bytes ? bytes : nna_type_size(v->type));
	map->is_signed = !bytes && is_signed(v->type);
}

void nna_ethosu_map_view(const struct nna_value *v, uint32_t batch, struct nna_ethosu_map *map)
{
	const uint64_t size = nna_type_size(v->type);

	*map = (struct nna_ethosu_map){
		.offset = v->offset + (uint64_t)v->strides[0] * size * batch,
		.height = v->dims[1],
		.width = v->dims[2],
		.depth = v->dims[3],
		.stride_y = v->dims[1] > 1 ? (uint64_t)v->strides[1] * size : 0,
		.stride_x = v->dims[2] > 1 ? (uint64_t)v->strides[2] * size : 0,
		.zero_point = v->zero_point,
	};
	/* See layout.c: no other view has columns that overlap. */
	map->brick = v->dims[2] > 1 && v->dims[3] > NNA_ETHOSU_BRICK &&
		     v->strides[2] == (int32_t)NNA_ETHOSU_BRICK;
	if (map->brick)
		map->stride_c = v->dims[2] * NNA_ETHOSU_BRICK * size;
}

void nna_ethosu_map_image(const struct nna_lower *l, uint32_t value, uint32_t batch,
			  struct nna_ethosu_map *map)
{
	nna_ethosu_map_view(&l->values[value], batch, map);
	nna_ethosu_map_place(l, value, 0, map);
}

bool nna_ethosu_map_view_refuses(const struct nna_value *v, char *reason, size_t size)
{
	for (uint32_t k = 0; k < 4; k++) {
		if (k && v->dims[k] > NNA_ETHOSU_SIZE_MOST) {
			nna_ethosu_refuse(reason, size, "%u elements along a dimension, the NPU "
					  "takes %u at most", v->dims[k], NNA_ETHOSU_SIZE_MOST);
			return true;
		}
		if (v->dims[k] > 1 && v->strides[k] <= 0) {
			nna_ethosu_refuse(reason, size, "a view that goes backwards or repeats");
			return true;
		}
	}
	if (v->dims[3] > 1 && v->strides[3] != 1) {
		nna_ethosu_refuse(reason, size, "channels with gaps between them");
		return true;
	}
	return false;
}

bool nna_ethosu_map_refuses(const struct nna_lower *l, uint32_t value, char *reason, size_t size)
{
	return nna_ethosu_map_view_refuses(&l->values[value], reason, size);
}

uint32_t nna_ethosu_padding_behind(uint32_t out, uint32_t in, uint32_t kernel, uint32_t stride,
				   uint32_t before)
{
	const uint64_t needs = (uint64_t)(out - 1) * stride + kernel;
	const uint64_t has = (uint64_t)in + before;

	return needs > has ? (uint32_t)(needs - has) : 0;
}

void nna_ethosu_pass(struct nna_ethosu_operation *op)
{
	*op = (struct nna_ethosu_operation){
		.code = ETHOSU_OP_POOL,
		.mode = NNA_ETHOSU_POOL_AVERAGE,
		.window = { .height = 1, .width = 1, .stride_y = 1, .stride_x = 1,
			    .dilation_y = 1, .dilation_x = 1 },
		.one_scale = true,
		.scale = { .scale = 1 },
		.rounding = NNA_ETHOSU_ROUND_NATURAL,
		.min = 0,
		.max = UINT8_MAX,
	};
}
