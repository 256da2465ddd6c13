/* SPDX-License-Identifier: MIT */
/*
 * An aperture: a range of host address space into which pages of files are mapped next to each
 * other, so that memory that is scattered becomes contiguous. It is reserved without memory behind
 * it. Each run of pages takes up to two of the process's mappings (vm.max_map_count); the caller
 * counts them.
 */
#ifndef NNADEV_APERTURE_H
#define NNADEV_APERTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "device/host/file.h"

/* Reserve @size bytes of address space; NULL when there is no room. */
uint8_t *nnadev_aperture_reserve(uint64_t size);

void nnadev_aperture_release(uint8_t *aperture, uint64_t size);

/* Map @size bytes of @file from @offset on at @at; all page aligned. Return: whether it worked. */
bool nnadev_aperture_map(uint8_t *at, struct nnadev_file *file, uint64_t offset, uint64_t size,
		       bool writable);

/* Unmap a range of an aperture. Return: whether it was done; if not, release the aperture. */
bool nnadev_aperture_unmap(uint8_t *at, uint64_t size);

#endif
