/* SPDX-License-Identifier: MIT */
/*
 * Ethos-U: the part of an IFM that a tile reads, as its kernel sees it: upscaled, with padding, in
 * rows of pixels without gaps, and less its zero point.
 */
#ifndef ETHOSU_PATCH_H
#define ETHOSU_PATCH_H

#include "device/ethosu/machine.h"
#include "device/ethosu/operation.h"

#define ETHOSU_PATCH_ROW 65536u /* values of the row that reading needs: channels of a pixel */

/**
 * struct ethosu_patch - a part of an IFM
 * @y: first row, from the first of the IFM, so below 0 in padding
 * @x: first column
 * @c: first channel
 * @height: rows
 * @width: columns
 * @depth: channels
 */
struct ethosu_patch {
	int64_t y;
	int64_t x;
	uint32_t c;
	uint32_t height;
	uint32_t width;
	uint32_t depth;
};

/* What channels @c to @c + @depth of the IFM of @box of the OFM are read from. */
struct ethosu_patch ethosu_patch_of(const struct ethosu_window *window,
				    const struct ethosu_box *box, uint32_t c, uint32_t depth);

/* Whether the kernel sees an element there that is not padding. */
static inline bool ethosu_patch_inside(const struct ethosu_window *window, int64_t y, int64_t x)
{
	return y >= 0 && x >= 0 && y < window->view_height && x < window->view_width;
}

/**
 * ethosu_patch_read() - read a part of the IFM
 * @machine: the machine
 * @op: the operation
 * @patch: which part
 * @pad: the value of padding
 * @values: written, of 32 bits; or NULL
 * @halves: written, of 16 bits; or NULL
 * @row: room for ETHOSU_PATCH_ROW values, which @patch->depth does not exceed
 *
 * Return: 0 or a status.
 */
uint32_t ethosu_patch_read(struct ethosu_machine *machine, const struct ethosu_operation *op,
			   const struct ethosu_patch *patch, int32_t pad, int32_t *values,
			   int16_t *halves, int32_t *row);

#endif
