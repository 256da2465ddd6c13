// SPDX-License-Identifier: MIT
#include "device/ethosu/feature_map.h"

#include <string.h>

#define BRICK 16u

/* Address of channel 0 of a pixel; of NHCWB16, of the first brick. */
static uint64_t pixel(const struct ethosu_feature_map *map, uint32_t y, uint32_t x)
{
	uint32_t tile = 0;

	if (map->storage == ETHOSU_IN_COLUMN) {
		if (y >= map->height0) {
			y -= map->height0;
			tile = 1;
			if (y >= map->height1) {
				y -= map->height1;
				tile = 2;
			}
		}
	} else if (x >= map->width0) {
		x -= map->width0;
		tile = 1;
		if (y >= map->height1) {
			y -= map->height1;
			tile = 3;
		}
	} else if (y >= map->height0) {
		y -= map->height0;
		tile = 2;
	}
	return map->base[tile] + (uint64_t)y * (uint64_t)map->stride_y +
	       (map->brick ? (uint64_t)x * BRICK * map->bytes
			   : (uint64_t)x * (uint64_t)map->stride_x);
}

/* Where channel @c of a pixel is, and how many of @n follow it there. */
static uint64_t run(const struct ethosu_feature_map *map, uint64_t pixel, uint32_t c, uint32_t *n)
{
	if (!map->brick)
		return pixel + (uint64_t)c * map->bytes;
	if (*n > BRICK - c % BRICK)
		*n = BRICK - c % BRICK;
	return pixel + (uint64_t)(c / BRICK) * (uint64_t)map->stride_c +
	       (uint64_t)(c % BRICK) * map->bytes;
}

static void widen(const struct ethosu_feature_map *map, const uint8_t *from, uint32_t n,
		  int32_t *to)
{
	uint32_t i;

	switch (map->bytes * 2 + map->is_signed) {
	case 2:
		for (i = 0; i < n; i++)
			to[i] = from[i];
		break;
	case 3:
		for (i = 0; i < n; i++)
			to[i] = (int8_t)from[i];
		break;
	case 4:
		for (i = 0; i < n; i++)
			to[i] = from[2 * i] | from[2 * i + 1] << 8;
		break;
	case 5:
		for (i = 0; i < n; i++)
			to[i] = (int16_t)(from[2 * i] | from[2 * i + 1] << 8);
		break;
	default:
		for (i = 0; i < n; i++)
			memcpy(&to[i], from + (size_t)i * map->bytes, sizeof(to[i]));
		break;
	}
}

/* Where channels of a pixel are in a chain buffer; NULL if one of them is outside. */
static int32_t *in_chain(const struct ethosu_feature_map *map, const struct ethosu_machine *machine,
			 uint32_t y, uint32_t x, uint32_t c, uint32_t n)
{
	const struct ethosu_chain *chain = &machine->chains[map->chain];

	if (y >= chain->height || x >= chain->width || c >= chain->depth || n > chain->depth - c)
		return NULL;
	return chain->values + ((uint64_t)y * chain->width + x) * chain->depth + c;
}

static uint32_t read_chain(const struct ethosu_feature_map *map,
			   const struct ethosu_machine *machine, uint32_t y, uint32_t x, uint32_t c,
			   uint32_t n, int32_t *values)
{
	const int32_t *from = in_chain(map, machine, y, x, c, n);

	if (!from)
		return ETHOSU_PARSE;
	memcpy(values, from, n * sizeof(*values));
	return 0;
}

uint32_t ethosu_map_read(const struct ethosu_feature_map *map,
			 const struct ethosu_machine *machine, struct ethosu_port *port, uint32_t y,
			 uint32_t x, uint32_t c, uint32_t n, int32_t *values)
{
	uint64_t at = pixel(map, y, x);

	if (map->storage == ETHOSU_IN_CHAIN)
		return read_chain(map, machine, y, x, c, n, values);
	while (n) {
		uint8_t bounce[BRICK * 8];
		uint32_t count = n;
		uint64_t address = run(map, at, c, &count);
		const uint8_t *from = ethosu_port_at(port, address, (uint64_t)count * map->bytes);

		if (!from) {
			if (count > BRICK)
				count = BRICK;
			if (!ethosu_port_read(port, address, bounce, count * map->bytes))
				return ETHOSU_BUS(port->channel);
			from = bounce;
		}
		widen(map, from, count, values);
		values += count;
		c += count;
		n -= count;
	}
	return 0;
}

uint32_t ethosu_map_read_wide(const struct ethosu_feature_map *map,
			      const struct ethosu_machine *machine, struct ethosu_port *port,
			      uint32_t y, uint32_t x, uint32_t c, uint32_t n, int64_t *values)
{
	uint64_t at = pixel(map, y, x);

	for (uint32_t i = 0; i < n; i++) {
		uint32_t one = 1, status;
		int32_t value;

		if (map->bytes == 8 && map->storage != ETHOSU_IN_CHAIN) {
			if (!ethosu_port_read(port, run(map, at, c + i, &one), &values[i], 8))
				return ETHOSU_BUS(port->channel);
			continue;
		}
		status = ethosu_map_read(map, machine, port, y, x, c + i, 1, &value);
		if (status)
			return status;
		values[i] = value;
	}
	return 0;
}

static void narrow(const struct ethosu_feature_map *map, const int64_t *from, uint32_t n,
		   uint8_t *to)
{
	uint32_t i;

	switch (map->bytes) {
	case 1:
		for (i = 0; i < n; i++)
			to[i] = (uint8_t)from[i];
		break;
	case 2:
		for (i = 0; i < n; i++) {
			to[2 * i] = (uint8_t)from[i];
			to[2 * i + 1] = (uint8_t)(from[i] >> 8);
		}
		break;
	case 4:
		for (i = 0; i < n; i++)
			memcpy(to + (size_t)i * 4, &from[i], 4);
		break;
	default:
		memcpy(to, from, (size_t)n * 8);
		break;
	}
}

static uint32_t write_chain(const struct ethosu_feature_map *map,
			    const struct ethosu_machine *machine, uint32_t y, uint32_t x,
			    uint32_t c, uint32_t n, const int64_t *values)
{
	int32_t *to = in_chain(map, machine, y, x, c, n);

	if (!to)
		return ETHOSU_PARSE;
	for (uint32_t i = 0; i < n; i++)
		to[i] = (int32_t)values[i];
	return 0;
}

uint32_t ethosu_map_write(const struct ethosu_feature_map *map, struct ethosu_machine *machine,
			  struct ethosu_port *port, uint32_t y, uint32_t x, uint32_t c, uint32_t n,
			  const int64_t *values)
{
	uint64_t at = pixel(map, y, x);

	if (map->storage == ETHOSU_IN_CHAIN)
		return write_chain(map, machine, y, x, c, n, values);
	while (n) {
		uint8_t bounce[BRICK * 8];
		uint32_t count = n;
		uint64_t address = run(map, at, c, &count);
		uint8_t *to = ethosu_port_at(port, address, (uint64_t)count * map->bytes);

		if (to) {
			narrow(map, values, count, to);
		} else {
			if (count > BRICK)
				count = BRICK;
			narrow(map, values, count, bounce);
			if (!ethosu_port_write(port, address, bounce, count * map->bytes))
				return ETHOSU_BUS(port->channel);
		}
		values += count;
		c += count;
		n -= count;
	}
	return 0;
}

/* ---- rows of bytes --------------------------------------------------------------------------- */

/**
 * struct strip - a part of a row: in one tile and, of NHCWB16, in one column of bricks
 * @address: of the first byte
 * @stride: bytes from pixel to pixel in memory
 * @columns: pixels
 * @n: bytes of a pixel
 * @at: of the first byte in a row without gaps
 * @pitch: bytes from pixel to pixel in it
 */
struct strip {
	uint64_t address;
	int64_t stride;
	uint32_t columns;
	uint32_t n;
	uint64_t at;
	uint32_t pitch;
};

/* Host address of a strip, if it lies in one piece and its pixels ascend. */
static uint8_t *strip_at(const struct strip *strip, struct ethosu_port *port)
{
	uint64_t gaps;

	if (strip->stride < 0 ||
	    __builtin_mul_overflow((uint64_t)strip->stride, (uint64_t)strip->columns - 1, &gaps))
		return NULL;
	return ethosu_port_at(port, strip->address, gaps + strip->n);
}

static void copy_strip(uint8_t *to, uint64_t to_stride, const uint8_t *from, uint64_t from_stride,
		       uint32_t columns, uint32_t n)
{
	if (to_stride == n && from_stride == n) {
		memcpy(to, from, (size_t)columns * n);
		return;
	}
	/* A brick is copied by two instructions. */
	for (uint32_t i = 0; i < columns; i++, to += to_stride, from += from_stride) {
		if (n == BRICK)
			memcpy(to, from, BRICK);
		else
			memcpy(to, from, n);
	}
}

static uint32_t read_strip(const struct strip *strip, struct ethosu_port *port, uint8_t *row)
{
	const uint8_t *from = strip_at(strip, port);

	row += strip->at;
	if (from) {
		copy_strip(row, strip->pitch, from, (uint64_t)strip->stride, strip->columns,
			   strip->n);
		return 0;
	}
	for (uint32_t i = 0; i < strip->columns; i++)
		if (!ethosu_port_read(port, strip->address + i * (uint64_t)strip->stride,
				      row + (uint64_t)i * strip->pitch, strip->n))
			return ETHOSU_BUS(port->channel);
	return 0;
}

static uint32_t write_strip(const struct strip *strip, struct ethosu_port *port,
			    const uint8_t *row)
{
	uint8_t *to = strip_at(strip, port);

	row += strip->at;
	if (to) {
		copy_strip(to, (uint64_t)strip->stride, row, strip->pitch, strip->columns,
			   strip->n);
		return 0;
	}
	for (uint32_t i = 0; i < strip->columns; i++)
		if (!ethosu_port_write(port, strip->address + i * (uint64_t)strip->stride,
				       row + (uint64_t)i * strip->pitch, strip->n))
			return ETHOSU_BUS(port->channel);
	return 0;
}

/**
 * struct row - a row of pixels
 */
struct row {
	const struct ethosu_feature_map *map;
	struct ethosu_port *port;
	uint32_t y, x, columns, c, n;
};

/* Cut a row into strips; bytes go to @to, or come from @from. */
static uint32_t move_row(const struct row *row, uint8_t *to, const uint8_t *from)
{
	const struct ethosu_feature_map *map = row->map;
	uint32_t status = 0;

	for (uint32_t i = 0, columns; i < row->columns && !status; i += columns) {
		uint32_t x = row->x + i;
		uint64_t at = pixel(map, row->y, x);

		columns = row->columns - i;
		if (map->storage != ETHOSU_IN_COLUMN && x < map->width0 &&
		    columns > map->width0 - x)
			columns = map->width0 - x;
		for (uint32_t k = 0, n; k < row->n && !status; k += n) {
			struct strip strip = { .columns = columns, .pitch = row->n };

			n = row->n - k;
			strip.address = run(map, at, row->c + k, &n);
			strip.stride = map->brick ? BRICK : map->stride_x;
			strip.n = n;
			strip.at = (uint64_t)i * row->n + k;
			status = to ? read_strip(&strip, row->port, to)
				    : write_strip(&strip, row->port, from);
		}
	}
	return status;
}

bool ethosu_map_has_bytes(const struct ethosu_feature_map *map,
			  const struct ethosu_machine *machine)
{
	const struct ethosu_chain *chain = &machine->chains[map->chain];
	int32_t low = map->is_signed ? -128 : 0, least = low, most = low;
	uint64_t count = (uint64_t)chain->height * chain->width * chain->depth;

	if (map->bytes != 1)
		return false;
	if (map->storage != ETHOSU_IN_CHAIN)
		return map->storage <= ETHOSU_IN_COLUMN;
	for (uint64_t i = 0; i < count; i++) {
		int32_t value = chain->values[i];

		least = value < least ? value : least;
		most = value > most ? value : most;
	}
	return least >= low && most <= low + 255;
}

/* Rows of chain buffers. */
static uint32_t read_chain_bytes(const struct ethosu_feature_map *map,
				 const struct ethosu_machine *machine, uint32_t y, uint32_t x,
				 uint32_t columns, uint32_t c, uint32_t n, uint8_t *to)
{
	for (uint32_t i = 0; i < columns; i++, to += n) {
		const int32_t *from = in_chain(map, machine, y, x + i, c, n);

		if (!from)
			return ETHOSU_PARSE;
		for (uint32_t k = 0; k < n; k++)
			to[k] = (uint8_t)from[k];
	}
	return 0;
}

static uint32_t write_chain_bytes(const struct ethosu_feature_map *map,
				  const struct ethosu_machine *machine, uint32_t y, uint32_t x,
				  uint32_t columns, uint32_t c, uint32_t n, const uint8_t *from)
{
	for (uint32_t i = 0; i < columns; i++, from += n) {
		int32_t *to = in_chain(map, machine, y, x + i, c, n);

		if (!to)
			return ETHOSU_PARSE;
		widen(map, from, n, to);
	}
	return 0;
}

uint32_t ethosu_map_read_bytes(const struct ethosu_feature_map *map,
			       const struct ethosu_machine *machine, struct ethosu_port *port,
			       uint32_t y, uint32_t x, uint32_t columns, uint32_t c, uint32_t n,
			       uint8_t *to)
{
	if (map->storage == ETHOSU_IN_CHAIN)
		return read_chain_bytes(map, machine, y, x, columns, c, n, to);
	return move_row(&(struct row){ map, port, y, x, columns, c, n }, to, NULL);
}

uint32_t ethosu_map_write_bytes(const struct ethosu_feature_map *map,
				struct ethosu_machine *machine, struct ethosu_port *port,
				uint32_t y, uint32_t x, uint32_t columns, uint32_t c, uint32_t n,
				const uint8_t *from)
{
	if (map->storage == ETHOSU_IN_CHAIN)
		return write_chain_bytes(map, machine, y, x, columns, c, n, from);
	return move_row(&(struct row){ map, port, y, x, columns, c, n }, NULL, from);
}
