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

static void widen(const struct ethosu_feature_map *map, const uint8_t *from, uint32_t n, int32_t *to)
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

static uint32_t read_chain(const struct ethosu_feature_map *map,
			   const struct ethosu_machine *machine, uint32_t y, uint32_t x, uint32_t c,
			   uint32_t n, int32_t *values)
{
	const struct ethosu_chain *chain = &machine->chains[map->chain];

	if (y >= chain->height || x >= chain->width || c >= chain->depth || n > chain->depth - c)
		return ETHOSU_PARSE;
	memcpy(values, chain->values + ((uint64_t)y * chain->width + x) * chain->depth + c,
	       n * sizeof(*values));
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

static void narrow(const struct ethosu_feature_map *map, const int64_t *from, uint32_t n, uint8_t *to)
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
	default:
		for (i = 0; i < n; i++)
			memcpy(to + (size_t)i * map->bytes, &from[i], map->bytes);
		break;
	}
}

static uint32_t write_chain(const struct ethosu_feature_map *map, struct ethosu_machine *machine,
			    uint32_t y, uint32_t x, uint32_t c, uint32_t n, const int64_t *values)
{
	struct ethosu_chain *chain = &machine->chains[map->chain];
	int32_t *to;

	if (y >= chain->height || x >= chain->width || c >= chain->depth || n > chain->depth - c)
		return ETHOSU_PARSE;
	to = chain->values + ((uint64_t)y * chain->width + x) * chain->depth + c;
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
