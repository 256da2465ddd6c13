/* SPDX-License-Identifier: MIT */
/*
 * The MMU: device virtual addresses to host memory.
 *
 * Data and ownership
 *
 * What is cached of an address space is a struct nnadev_space. It has
 *
 *   extents   runs of pages that lie in one piece in one file; sorted, disjoint
 *   segments  each mirrors 1 GiB of virtual addresses, and the 1 GiB after it, in reserved host
 *             address space (host/aperture.h); pages are mapped there as they are needed, so that a
 *             range that is scattered in the guest is contiguous for the engine
 *
 * Every page in a segment is covered by an extent, so the extents that are dropped say which pages
 * to unmap.
 *
 * Spaces belong to the MMU; a job holds a use of its space. Only one thread at a time calls these
 * functions: the command processor, or one that is inside the device's gate in its place.
 *
 * A host pointer from nnadev_mmu_range() is good until @generation changes: who keeps one while
 * others may run compares, and asks again.
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
/* Runs of pages mapped in segments; each costs up to two mappings of the process. */
#define NNADEV_MMU_RUNS 20000u
#define NNADEV_MMU_EXTENTS (1u << 20)
/* Extents that one access may add: more could not be mapped or gathered, and would take long. */
#define NNADEV_MMU_PIECES 32768u
#define NNADEV_MMU_MAX_RANGE (4ull << 30) /* bytes of one operand */
/* Walks that nnadev_mmu_range() does at most; a run of pages that it maps counts as some. */
#define NNADEV_MMU_STEP 16384u
#define NNADEV_MMU_MAP_COST 32u
/*
 * Status of a fault that is none: the access took NNADEV_MMU_STEP, and gets further next time; or
 * the MMU is frozen.
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
 * struct nnadev_extent - pages that lie in one piece
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
 * struct nnadev_space - what is cached of an address space
 * @asid: its tag
 * @refs: jobs that use it
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
 * @stamp: counts uses, so that what was used longest ago is dropped first
 * @max_runs: NNADEV_MMU_RUNS; tests lower it
 * @step: NNADEV_MMU_STEP; tests lower it
 * @left: walks that the access under way may do
 * @frozen: see nnadev_mmu_freeze()
 * @spaces: how many there are
 * @segments: how many all spaces have
 * @runs: how many are mapped in all segments
 * @extents: how many all spaces have
 * @walks: page table walks; register COUNT_WALKS
 * @fresh: extents that the access under way has found, not yet in the space
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

/* The space of (@asid, @root), to be given to nnadev_mmu_put(); NULL without memory. */
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
 * While the MMU is frozen, what is cached stays as it is, so that tiles may run that use it: an
 * access that needs more fails with NNADEV_MMU_AGAIN.
 */
static inline void nnadev_mmu_freeze(struct nnadev_mmu *mmu, bool frozen)
{
	mmu->frozen = frozen;
}

/*
 * The host address of a range that is cached and may be read, in one piece, or NULL. As
 * nnadev_mmu_range(), but nothing changes.
 */
const void *nnadev_mmu_peek(struct nnadev_mmu *mmu, struct nnadev_space *space, uint64_t va,
			    uint64_t size);

/* Start a group of calls of nnadev_mmu_range() whose pointers are good at the same time. */
void nnadev_mmu_begin(struct nnadev_mmu *mmu);

/**
 * nnadev_mmu_range() - reach a range as contiguous host memory
 * @size: bytes, not 0; va + size is at most 2^48
 * @write: pages must be writable
 * @data: the host address; NULL when the range is good but cannot be made contiguous: use
 *	nnadev_mmu_read() and nnadev_mmu_write()
 *
 * What takes long takes several calls, with others' work between them: then the fault's status is
 * NNADEV_MMU_AGAIN, and what was found so far is cached.
 *
 * Return: whether every page of the range is there; else @fault is written.
 */
bool nnadev_mmu_range(struct nnadev_mmu *mmu, struct nnadev_space *space, uint64_t va,
		      uint64_t size, bool write, void **data, struct nnadev_fault *fault);

/* Drop [@va, @va + @size) of all spaces of @asid; @all: everything. */
void nnadev_mmu_invalidate(struct nnadev_mmu *mmu, uint32_t asid, uint64_t va, uint64_t size,
			   bool all);

/* Drop all translations to bus addresses in a range, and maybe some beside it. */
void nnadev_mmu_drop_bus(struct nnadev_mmu *mmu, uint64_t bus, uint64_t size);

/*
 * Mark the file behind @address, if that lies in a segment, as broken. Async-signal-safe in the
 * command processor and in tiles. Return: whether there is one.
 */
bool nnadev_mmu_break(struct nnadev_mmu *mmu, const void *address);

/* Drop everything that is cached. */
void nnadev_mmu_reset(struct nnadev_mmu *mmu);

#endif
