/* SPDX-License-Identifier: MIT */
/*
 * Ethos-U: elements of a feature map.
 *
 * An element of NHWC lies at base + y * stride_y + x * stride_x + c * bytes; of NHCWB16 at
 * base + y * stride_y + c / 16 * stride_c + (16 * x + c % 16) * bytes. The base is the tile's:
 *
 *	columns from width0 on are in tile 1 (rows up to height1) or 3, else in tile 0 (rows up to
 *	height0) or 2; coordinates count from where the tile begins. Tiles 3x1: the first height0
 *	rows are in tile 0, the next height1 rows in tile 1, all others in tile 2.
 *
 * Coordinates must lie within the map.
 */
#ifndef ETHOSU_FEATURE_MAP_H
#define ETHOSU_FEATURE_MAP_H

#include "device/ethosu/machine.h"
#include "device/ethosu/operation.h"
#include "device/ethosu/port.h"

/**
 * ethosu_map_read() - channels of a pixel
 * @map: the map
 * @machine: holds its chain buffer
 * @port: a port that reads
 * @y: row
 * @x: column
 * @c: first channel
 * @n: channels
 * @values: written; the zero point is in them
 *
 * Return: 0 or a status.
 */
uint32_t ethosu_map_read(const struct ethosu_feature_map *map,
			 const struct ethosu_machine *machine, struct ethosu_port *port, uint32_t y,
			 uint32_t x, uint32_t c, uint32_t n, int32_t *values);

/* The same, of values of 64 bits. */
uint32_t ethosu_map_read_wide(const struct ethosu_feature_map *map,
			      const struct ethosu_machine *machine, struct ethosu_port *port,
			      uint32_t y, uint32_t x, uint32_t c, uint32_t n, int64_t *values);

/* Write channels of a pixel; of a value, the low bytes are written. */
uint32_t ethosu_map_write(const struct ethosu_feature_map *map, struct ethosu_machine *machine,
			  struct ethosu_port *port, uint32_t y, uint32_t x, uint32_t c, uint32_t n,
			  const int64_t *values);

/* Return: whether all values are bytes of the map's type; those of a chain buffer may be wider. */
bool ethosu_map_has_bytes(const struct ethosu_feature_map *map,
			  const struct ethosu_machine *machine);

/**
 * ethosu_map_read_bytes() - a row of pixels of elements of one byte
 * @map: the map: see ethosu_map_has_bytes()
 * @machine: holds its chain buffer
 * @port: a port that reads
 * @y: row
 * @x: first column
 * @columns: pixels
 * @c: first channel
 * @n: channels
 * @to: written: pixels of @n bytes, without gaps
 *
 * Return: 0 or a status.
 */
uint32_t ethosu_map_read_bytes(const struct ethosu_feature_map *map,
			       const struct ethosu_machine *machine, struct ethosu_port *port,
			       uint32_t y, uint32_t x, uint32_t columns, uint32_t c, uint32_t n,
			       uint8_t *to);

/* Write a row of pixels likewise. */
uint32_t ethosu_map_write_bytes(const struct ethosu_feature_map *map,
				struct ethosu_machine *machine, struct ethosu_port *port,
				uint32_t y, uint32_t x, uint32_t columns, uint32_t c, uint32_t n,
				const uint8_t *from);

#endif
