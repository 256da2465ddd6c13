/* SPDX-License-Identifier: MIT */
/*
 * Bus memory: which bus addresses reach which bytes of which file.
 *
 * The table is part of the bus (bus.h). Nothing here locks: the model, which reads it, and the
 * owner of the bus, who changes it, exclude each other by the gate of the bus.
 */
#ifndef NNADEV_MEMORY_H
#define NNADEV_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "device/host/file.h"

#define NNADEV_MEMORY_MAPPINGS 65536u /* at most */

/* What a DMA mapping allows. */
enum nnadev_prot {
	NNADEV_PROT_READ = 1,
	NNADEV_PROT_WRITE = 2,
};

/**
 * struct nnadev_mapping - a DMA mapping
 * @iova: first bus address, page aligned
 * @size: bytes, page aligned, not 0
 * @offset: bytes from the start of the file, page aligned
 * @file: the mapping holds one use of it
 * @writable: the device may write
 */
struct nnadev_mapping {
	uint64_t iova;
	uint64_t size;
	uint64_t offset;
	struct nnadev_file *file;
	bool writable;
};

/**
 * struct nnadev_memory - all DMA mappings
 * @mappings: sorted by iova, disjoint
 * @count: entries of @mappings
 * @capacity: entries that @mappings has room for
 * @files: list of the files of all mappings
 * @off: the device is no bus master, so it reaches nothing
 */
struct nnadev_memory {
	struct nnadev_mapping *mappings;
	uint32_t count;
	uint32_t capacity;
	struct nnadev_file *files;
	_Atomic bool off;
};

/**
 * struct nnadev_reach - what a bus address reaches
 * @data: host address
 * @size: bytes reachable from there on, in one file
 * @file: that file
 * @writable: the mapping allows writes
 */
struct nnadev_reach {
	uint8_t *data;
	uint64_t size;
	struct nnadev_file *file;
	bool writable;
};

/* See nnadev_bus_map(). Return: 0 or a negative errno. */
int nnadev_memory_map(struct nnadev_memory *memory, uint64_t iova, uint64_t size, int fd,
		      uint64_t offset, bool writable);

/* See nnadev_bus_map_data(). Return: 0 or a negative errno. */
int nnadev_memory_map_data(struct nnadev_memory *memory, uint64_t iova, uint64_t size, void *data);

/* Whether [@iova, @iova + @size) covers one mapping or more, and none in part: 0 or -ENOENT. */
int nnadev_memory_covers(const struct nnadev_memory *memory, uint64_t iova, uint64_t size);

/*
 * Remove the mappings of a range that nnadev_memory_covers() accepts. No thread uses their memory
 * any more. Return: the files that have no use left, to be given to nnadev_file_free().
 */
struct nnadev_file *nnadev_memory_unmap(struct nnadev_memory *memory, uint64_t iova,
					uint64_t size);

/*
 * Find the file whose mapping contains @address, and mark it as broken. Async-signal-safe. Return:
 * whether there is one.
 */
bool nnadev_memory_break(struct nnadev_memory *memory, const void *address);

void nnadev_memory_fini(struct nnadev_memory *memory);

/* Look up bus address @bus. Return: whether it reaches memory; then @reach->size is not 0. */
bool nnadev_memory_find(struct nnadev_memory *memory, uint64_t bus, struct nnadev_reach *reach);

/* Host address of @size bytes at @bus, NULL unless they are contiguous in one file. */
void *nnadev_memory_at(struct nnadev_memory *memory, uint64_t bus, uint64_t size, bool write);

#endif
