/* SPDX-License-Identifier: MIT */
/*
 * The MMU: device virtual addresses to host memory.
 *
 * Data and ownership
 *
 * A struct nnadev_space caches the translations of an address space. It has
 *
 *   extents   runs of pages that are contiguous in one file; sorted, disjoint
 *   segments  each mirrors 1 GiB of virtual addresses, and the 1 GiB after it, in reserved host
 *             address space (host/aperture.h); pages are mapped there as they are needed, so that a
 *             range that is scattered in the guest is contiguous for the engine
 *
 * Every page in a segment is covered by an extent. So when extents are dropped, they say which
 * pages to unmap.
 *
 * The MMU owns the spaces; a job holds a reference to its space. One thread at a time calls these
 * functions: the one that is inside the gate of the bus.
 *
 * A host pointer from nnadev_mmu_range() is valid until @generation changes. A caller that keeps
 * one while others may run compares @generation, and calls again if it has changed.
 */
#ifndef NNADEV_MMU_H
#define NNADEV_MMU_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "device/host/memory.h"

#define NNADEV_MMU_SPACES 1024u /* cached at a time, not counting those of running jobs */
#define NNADEV_MMU_BUCKETS 256u /* of the table of spaces, by ASID */
#define NNADEV_MMU_SEGMENTS 128u
/* Runs of pages that are mapped in segments; each takes up to two mappings of the process. */
#define NNADEV_MMU_RUNS 20000u
#define NNADEV_MMU_EXTENTS (1u << 20)
/* Extents that one access may add. More can be neither mapped nor gathered in a short time. */
#define NNADEV_MMU_PIECES 32768u
#define NNADEV_MMU_MAX_RANGE (4ull << 30) /* bytes of one operand */
/* Walks per call of nnadev_mmu_range(); mapping a run of pages counts as NNADEV_MMU_MAP_COST. */
#define NNADEV_MMU_STEP 16384u
#define NNADEV_MMU_MAP_COST 32u
/*
 * A status that is not a fault. Either the access has used up NNADEV_MMU_STEP and continues when it
 * is repeated, or the MMU is frozen.
 */
#define NNADEV_MMU_AGAIN UINT32_MAX

/**
 * struct nnadev_fault - why an access failed
 * @status: NNAHW_STATUS_FAULT_MMU, FAULT_BUS or NO_MEMORY; NNADEV_MMU_AGAIN
 * @kind: NNAHW_FAULT_KIND_*
 * @address: VA (FAULT_MMU) or bus address (FAULT_BUS)
 */
struct nnadev_fault {
	uint32_t status;
	uint32_t kind;
	uint64_t address;
};

/**
 * struct nnadev_extent - contiguous pages
 * @va: first address
 * @size: bytes
 * @bus: bus address of @va
 * @data: host address of @va
 * @file: the file that @data is a mapping of
 * @pte_write: the page table allows writes
 * @bus_write: the DMA mapping allows writes
 */
struct nnadev_extent {
	uint64_t va;
	uint64_t size;
	uint64_t bus;
	uint8_t *data;
	struct nnadev_file *file;
	bool pte_write;
	bool bus_write;
};

struct nnadev_segment;

/**
 * struct nnadev_space - cached translations of an address space
 * @asid: its tag
 * @refs: number of jobs that use it
 * @root: bus address of the root of its page table
 * @used: stamp of the last use
 * @extents: sorted by va, disjoint
 * @count: entries of @extents
 * @capacity: entries that @extents has room for
 * @segments: list
 * @next: in the MMU's table
 */
struct nnadev_space {
	uint32_t asid;
	uint32_t refs;
	uint64_t root;
	uint64_t used;
	struct nnadev_extent *extents;
	uint32_t count;
	uint32_t capacity;
	struct nnadev_segment *segments;
	struct nnadev_space *next;
};

/**
 * struct nnadev_mmu - all cached translations
 * @memory: the bus
 * @generation: changes when host pointers become stale
 * @stamp: counts uses, for least-recently-used replacement
 * @max_runs: NNADEV_MMU_RUNS; tests lower it
 * @step: NNADEV_MMU_STEP; tests lower it
 * @left: walks that the current access may still do
 * @frozen: see nnadev_mmu_freeze()
 * @spaces: number of spaces
 * @segments: number of segments of all spaces
 * @runs: number of runs of pages mapped in all segments
 * @extents: number of extents of all spaces
 * @walks: page table walks; register COUNT_WALKS
 * @fresh: extents that the current access has found, not yet in the space
 * @fresh_count: entries of @fresh
 * @fresh_capacity: entries that @fresh has room for
 * @table: lists of spaces by asid % NNADEV_MMU_BUCKETS
 */
struct nnadev_mmu {
	struct nnadev_memory *memory;
	uint64_t generation;
	uint64_t stamp;
	uint32_t max_runs;
	uint32_t step;
	uint32_t left;
	bool frozen;
	uint32_t spaces;
	uint32_t segments;
	uint32_t runs;
	uint32_t extents;
	_Atomic uint64_t walks;
	struct nnadev_extent *fresh;
	uint32_t fresh_count;
	uint32_t fresh_capacity;
	struct nnadev_space *table[NNADEV_MMU_BUCKETS];
};

void nnadev_mmu_init(struct nnadev_mmu *mmu, struct nnadev_memory *memory);
void nnadev_mmu_fini(struct nnadev_mmu *mmu);

/* The space of (@asid, @root), to be given to nnadev_mmu_put(); NULL if there is no memory. */
struct nnadev_space *nnadev_mmu_get(struct nnadev_mmu *mmu, uint32_t asid, uint64_t root);
void nnadev_mmu_put(struct nnadev_mmu *mmu, struct nnadev_space *space);

/*
 * Copy between private memory and VAs. Nothing is written when any byte faults. Return: true, or
 * false with @fault written.
 */
bool nnadev_mmu_read(struct nnadev_mmu *mmu, struct nnadev_space *space, uint64_t va, void *to,
		     uint64_t size, struct nnadev_fault *fault);
bool nnadev_mmu_write(struct nnadev_mmu *mmu, struct nnadev_space *space, uint64_t va,
		      const void *from, uint64_t size, struct nnadev_fault *fault);

/*
 * Freeze the MMU while tiles run that use its mappings: the cache does not change. An access that
 * needs another translation fails with NNADEV_MMU_AGAIN.
 */
static inline void nnadev_mmu_freeze(struct nnadev_mmu *mmu, bool frozen)
{
	mmu->frozen = frozen;
}

/*
 * As nnadev_mmu_range() for reading, but from the cache alone, which does not change. Return: the
 * host address, or NULL.
 */
const void *nnadev_mmu_peek(struct nnadev_mmu *mmu, struct nnadev_space *space, uint64_t va,
			    uint64_t size);

/* Start a group of calls of nnadev_mmu_range() whose pointers are valid at the same time. */
void nnadev_mmu_begin(struct nnadev_mmu *mmu);

/**
 * nnadev_mmu_range() - reach a range as contiguous host memory
 * @size: bytes, not 0; va + size is at most 2^48
 * @write: pages must be writable
 * @data: the host address; NULL when the range is accessible but cannot be made contiguous: use
 *	nnadev_mmu_read() and nnadev_mmu_write()
 *
 * A large range takes several calls, between which other jobs run. Then the fault's status is
 * NNADEV_MMU_AGAIN, and the translations that were found are cached.
 *
 * Return: whether every page of the range is accessible; else @fault is written.
 */
bool nnadev_mmu_range(struct nnadev_mmu *mmu, struct nnadev_space *space, uint64_t va,
		      uint64_t size, bool write, void **data, struct nnadev_fault *fault);

/* Drop [@va, @va + @size) of all spaces of @asid; @all: everything. */
void nnadev_mmu_invalidate(struct nnadev_mmu *mmu, uint32_t asid, uint64_t va, uint64_t size,
			   bool all);

/* Drop all translations to bus addresses in a range, and possibly others. */
void nnadev_mmu_drop_bus(struct nnadev_mmu *mmu, uint64_t bus, uint64_t size);

/*
 * If @address is in a segment, mark the file that is mapped there as broken. Async-signal-safe in
 * the command processor and in tiles. Return: whether it is in one.
 */
bool nnadev_mmu_break(struct nnadev_mmu *mmu, const void *address);

/* Drop everything that is cached. */
void nnadev_mmu_reset(struct nnadev_mmu *mmu);

#endif
