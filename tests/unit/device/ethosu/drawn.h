/* SPDX-License-Identifier: MIT */
/*
 * Operations that are drawn at random, for comparisons of a fast path with the definition: numbers,
 * layouts of feature maps, a machine.
 */
#ifndef TESTS_UNIT_DEVICE_ETHOSU_DRAWN_H
#define TESTS_UNIT_DEVICE_ETHOSU_DRAWN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/ethosu/kernel.h"
#include "device/ethosu/machine.h"
#include "tests/ethosu/machine.h"

static uint64_t seed = 88172645463325252u;

static inline uint32_t below(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 20) % n;
}

static inline void fill(uint8_t *to, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		to[i] = (uint8_t)below(256);
}

/* Lay a map of bytes out, in up to four tiles, somewhere in its @memory bytes at @address. */
static inline void lay_out(struct ethosu_feature_map *map, uint64_t address, uint64_t memory)
{
	uint32_t bricks = (map->depth + 15) / 16, gap = below(3) * 16;

	map->bytes = 1;
	map->brick = below(2);
	map->stride_x = map->depth + below(4);
	map->stride_c = (int64_t)map->width * 16 + gap;
	map->stride_y = map->brick ? map->stride_c * bricks + gap
				   : map->stride_x * map->width + gap;
	map->width0 = below(3) ? map->width : 1 + below(map->width);
	map->height0 = below(3) ? map->height : 1 + below(map->height);
	map->height1 = below(3) ? map->height : 1 + below(map->height);
	for (uint32_t i = 0; i < 4; i++)
		map->base[i] = address + i * memory / 4 + below(16) * 16;
}

/* @test: from test_ethosu_create(), with @threads. */
static inline void make_machine(struct ethosu_machine *machine, struct test_ethosu *test,
				const char *config, uint32_t threads)
{
	*machine = (struct ethosu_machine){
		.config = ethosu_config_find(config),
		.bus = &test->bus,
		.workers = test->workers,
		.threads = threads,
		.kernels = ethosu_kernel_cache_create(),
	};
	assert_non_null(machine->kernels);
	assert_int_equal(ethosu_machine_init(machine), 0);
	fill(machine->internal, 2048);
}

#endif
