// SPDX-License-Identifier: MIT
#include "device/ethosu/patch.h"

#include <string.h>

#include "device/ethosu/feature_map.h"

#define UPSCALE_ZEROS 2u

struct ethosu_patch ethosu_patch_of(const struct ethosu_window *w, const struct ethosu_box *box,
				    uint32_t c, uint32_t depth)
{
	return (struct ethosu_patch){
		.y = (int64_t)box->y * w->stride_y - w->top,
		.x = (int64_t)box->x * w->stride_x - w->left,
		.c = c,
		.height = (box->height - 1) * w->stride_y + (w->height - 1) * w->dilation_y + 1,
		.width = (box->width - 1) * w->stride_x + (w->width - 1) * w->dilation_x + 1,
		.depth = depth,
	};
}

/**
 * struct pixels - where pixels go
 */
struct pixels {
	int32_t *values;
	int16_t *halves;
};

static void put(struct pixels *to, const int32_t *row, uint32_t n, int32_t zero_point)
{
	if (to->values) {
		for (uint32_t i = 0; i < n; i++)
			to->values[i] = (int32_t)((uint32_t)row[i] - (uint32_t)zero_point);
		to->values += n;
	} else {
		for (uint32_t i = 0; i < n; i++)
			to->halves[i] = (int16_t)(row[i] - zero_point);
		to->halves += n;
	}
}

static void fill(struct pixels *to, int32_t value, uint32_t n)
{
	if (to->values) {
		for (uint32_t i = 0; i < n; i++)
			to->values[i] = value;
		to->values += n;
	} else {
		for (uint32_t i = 0; i < n; i++)
			to->halves[i] = (int16_t)value;
		to->halves += n;
	}
}

static void put_bytes(struct pixels *to, const uint8_t *bytes, uint32_t n, bool is_signed,
		      int32_t zero_point)
{
	int16_t values[256];

	while (n) {
		uint32_t count = n < 256 ? n : 256;

		for (uint32_t i = 0; i < count; i++)
			values[i] = is_signed ? (int8_t)bytes[i] : bytes[i];
		if (to->values) {
			for (uint32_t i = 0; i < count; i++)
				to->values[i] = values[i] - zero_point;
			to->values += count;
		} else {
			for (uint32_t i = 0; i < count; i++)
				to->halves[i] = (int16_t)(values[i] - zero_point);
			to->halves += count;
		}
		bytes += count;
		n -= count;
	}
}

/* Row @y of a patch of a map of bytes that is not upscaled. */
static uint32_t read_bytes(struct ethosu_machine *machine, const struct ethosu_operation *op,
			   const struct ethosu_patch *patch, struct ethosu_port *port, int64_t y,
			   int32_t pad, int32_t *row, struct pixels *to)
{
	int64_t x = patch->x, end = patch->x + patch->width, view = op->window.view_width;

	while (x < end) {
		uint32_t columns = ETHOSU_PATCH_ROW * sizeof(*row) / patch->depth, status;
		int64_t left = (x < 0 && end > 0 ? 0 : x < view && end > view ? view : end) - x;

		if (columns > left)
			columns = (uint32_t)left;
		if (!ethosu_patch_inside(&op->window, y, x)) {
			fill(to, pad, columns * patch->depth);
			x += columns;
			continue;
		}
		status = ethosu_map_read_bytes(&op->ifm, machine, port, (uint32_t)y, (uint32_t)x,
					       columns, patch->c, patch->depth, (uint8_t *)row);
		if (status)
			return status;
		put_bytes(to, (const uint8_t *)row, columns * patch->depth, op->ifm.is_signed,
			  op->ifm.zero_point);
		x += columns;
	}
	return 0;
}

uint32_t ethosu_patch_read(struct ethosu_machine *machine, const struct ethosu_operation *op,
			   const struct ethosu_patch *patch, int32_t pad, int32_t *values,
			   int16_t *halves, int32_t *row)
{
	struct ethosu_port port = ethosu_port(machine->bus, ETHOSU_CHANNEL_IFM);
	const struct ethosu_window *w = &op->window;
	struct pixels to = { values, halves };
	bool bytes = op->ifm.bytes == 1 && op->ifm.storage <= ETHOSU_IN_COLUMN && !w->upscale;

	for (uint32_t j = 0; j < patch->height; j++) {
		if (bytes) {
			uint32_t status = read_bytes(machine, op, patch, &port, patch->y + j, pad,
						     row, &to);

			if (status)
				return status;
			continue;
		}
		for (uint32_t i = 0; i < patch->width; i++) {
			int64_t y = patch->y + j, x = patch->x + i;
			uint32_t status;

			if (!ethosu_patch_inside(w, y, x)) {
				fill(&to, pad, patch->depth);
				continue;
			}
			if (w->upscale == UPSCALE_ZEROS && ((y | x) & 1)) {
				fill(&to, 0, patch->depth);
				continue;
			}
			if (w->upscale) {
				y /= 2;
				x /= 2;
			}
			status = ethosu_map_read(&op->ifm, machine, &port, (uint32_t)y, (uint32_t)x,
						 patch->c, patch->depth, row);
			if (status)
				return status;
			put(&to, row, patch->depth, op->ifm.zero_point);
		}
	}
	return 0;
}
