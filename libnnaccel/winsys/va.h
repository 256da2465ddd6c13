/* SPDX-License-Identifier: MIT */
/*
 * An allocator of ranges of addresses. Both backends hand out device addresses with it, and the
 * loopback hands out parts of its memory.
 *
 * A struct nna_va is its creator's. It takes no lock: the owner's lock keeps callers apart.
 * nna_va_give() allocates nothing, so it cannot fail.
 */
#ifndef NNA_WINSYS_VA_H
#define NNA_WINSYS_VA_H

#include <stdint.h>

/*
 * How device addresses are divided: a BO of NNA_VA_LARGE_PAGE and more begins at a multiple of it,
 * so that the device can map it with large pages. Large BOs have a range of addresses of their own,
 * because small BOs would soon leave no aligned range free.
 *
 *	[NNA_VA_SMALL_START, NNA_VA_LARGE_START)  BOs below NNA_VA_LARGE_PAGE
 *	[NNA_VA_LARGE_START, NNA_VA_END)          the others
 *
 * The first 4 GiB stay free, so that a small number used as an address faults.
 */
#define NNA_VA_PAGE 4096ull
#define NNA_VA_LARGE_PAGE (2ull << 20)
#define NNA_VA_SMALL_START 0x100000000ull
#define NNA_VA_LARGE_START 0x10000000000ull
#define NNA_VA_END 0x800000000000ull

struct nna_va;

/* Return: an allocator of [@start, @start + @size), all of it free; NULL without memory. */
struct nna_va *nna_va_create(uint64_t start, uint64_t size);
/* Frees the allocator, even if ranges are still taken; NULL is allowed. */
void nna_va_destroy(struct nna_va *va);

/**
 * nna_va_take_from() - take the lowest free range that fits
 * @va: the allocator
 * @from: the lowest address at which the range may begin
 * @size: bytes, not 0
 * @align: a power of two; @at is a multiple of it
 * @at: the range's first address
 *
 * Return: 0, -ENOSPC when no free range is large enough, or -ENOMEM.
 */
int nna_va_take_from(struct nna_va *va, uint64_t from, uint64_t size, uint64_t align, uint64_t *at);
/* The same with a @from of 0. */
int nna_va_take(struct nna_va *va, uint64_t size, uint64_t align, uint64_t *at);
/* Gives back a range with the @at and @size with which it was taken. */
void nna_va_give(struct nna_va *va, uint64_t at, uint64_t size);

#endif
