/* SPDX-License-Identifier: MIT */
/*
 * A window: host address space in which pages of files can be laid side by side, so that memory
 * that is scattered becomes one contiguous range. Reserved without memory; each run of pages that
 * is laid out costs up to two of the process's mappings (vm.max_map_count), which the user of
 * windows counts.
 */
#ifndef NNADEV_APERTURE_H
#define NNADEV_APERTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "device/host/file.h"

/* Reserve @size bytes of address space; NULL when there is no room. */
uint8_t *nnadev_aperture_reserve(uint64_t size);

void nnadev_aperture_release(uint8_t *window, uint64_t size);

/*
 * Lay @size bytes of @file from @offset on at @at, all page aligned. Return: whether it could be
 * done.
 */
bool nnadev_aperture_map(uint8_t *at, struct nnadev_file *file, uint64_t offset, uint64_t size,
		       bool writable);

/* Make a range of a window empty again. Return: whether it could be done; else release the window.
 */
bool nnadev_aperture_unmap(uint8_t *at, uint64_t size);

#endif
