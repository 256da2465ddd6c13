// SPDX-License-Identifier: MIT
#include "device/nna/core/mmu.h"

#include <stdlib.h>
#include <string.h>

#include "device/host/aperture.h"
#include "hw/gen/nnahw.h"

#define PAGE (1ull << NNAHW_PAGE_SHIFT)
#define LARGE_PAGE (1ull << NNAHW_LARGE_PAGE_SHIFT)
#define VA_END (1ull << NNAHW_VA_BITS)
#define SEGMENT (1ull << 30)
#define SEGMENT_PAGES (2 * SEGMENT / PAGE)

/**
 * struct nnadev_segment - a mirror of [va, va + 2 * SEGMENT)
 * @va: multiple of SEGMENT; serves ranges that start in the first half
 * @data: the aperture
 * @runs: number of runs of pages mapped since it was empty
 * @used: stamp of the last use
 * @next: of the space's segments
 * @present: a bit per page that is mapped
 * @writable: a bit per page that is mapped for writing
 */
struct nnadev_segment {
	uint64_t va;
	uint8_t *data;
	uint32_t runs;
	uint64_t used;
	struct nnadev_segment *next;
	uint64_t present[SEGMENT_PAGES / 64];
	uint64_t writable[SEGMENT_PAGES / 64];
};

static bool fail(struct nnadev_fault *fault, uint32_t status, uint32_t kind, uint64_t address)
{
	*fault = (struct nnadev_fault){ status, kind, address };
	return false;
}

/* ---- segments -------------------------------------------------------------------------------- */

static void segment_free(struct nnadev_mmu *mmu, struct nnadev_space *space,
			 struct nnadev_segment *segment)
{
	struct nnadev_segment **at;

	for (at = &space->segments; *at != segment; at = &(*at)->next)
		;
	*at = segment->next;
	nnadev_aperture_release(segment->data, 2 * SEGMENT);
	mmu->runs -= segment->runs;
	mmu->segments--;
	mmu->generation++;
	free(segment);
}

/* Free the least recently used segment, but none that was used since nnadev_mmu_begin(). */
static bool segment_evict(struct nnadev_mmu *mmu)
{
	struct nnadev_segment *oldest = NULL;
	struct nnadev_space *owner = NULL;

	for (uint32_t i = 0; i < NNADEV_MMU_BUCKETS; i++) {
		for (struct nnadev_space *space = mmu->table[i]; space; space = space->next) {
			for (struct nnadev_segment *s = space->segments; s; s = s->next) {
				if (s->used != mmu->stamp && (!oldest || s->used < oldest->used)) {
					oldest = s;
					owner = space;
				}
			}
		}
	}
	if (!oldest)
		return false;
	segment_free(mmu, owner, oldest);
	return true;
}

static struct nnadev_segment *segment_find(struct nnadev_space *space, uint64_t va)
{
	struct nnadev_segment *s;

	va &= ~(SEGMENT - 1);
	for (s = space->segments; s; s = s->next)
		if (s->va == va)
			return s;
	return NULL;
}

static struct nnadev_segment *segment_make(struct nnadev_mmu *mmu, struct nnadev_space *space,
					   uint64_t va)
{
	struct nnadev_segment *s;

	if (mmu->segments >= NNADEV_MMU_SEGMENTS && !segment_evict(mmu))
		return NULL;
	s = calloc(1, sizeof(*s));
	if (!s)
		return NULL;
	s->data = nnadev_aperture_reserve(2 * SEGMENT);
	if (!s->data) {
		free(s);
		return NULL;
	}
	s->va = va & ~(SEGMENT - 1);
	s->next = space->segments;
	space->segments = s;
	mmu->segments++;
	return s;
}

/* The bits [@first, @last] that lie in word @w. */
static uint64_t bits_mask(uint64_t w, uint64_t first, uint64_t last)
{
	uint64_t mask = ~0ull;

	if (w == first / 64)
		mask &= ~0ull << (first % 64);
	if (w == last / 64)
		mask &= ~0ull >> (63 - last % 64);
	return mask;
}

/* Whether all bits [@first, @last] are set. */
static bool bits_full(const uint64_t *bits, uint64_t first, uint64_t last)
{
	for (uint64_t w = first / 64; w <= last / 64; w++) {
		uint64_t mask = bits_mask(w, first, last);

		if ((bits[w] & mask) != mask)
			return false;
	}
	return true;
}

/* Set or clear the bits [@first, @last]. Return: whether any of them was set. */
static bool bits_change(uint64_t *bits, uint64_t first, uint64_t last, bool set)
{
	bool any = false;

	for (uint64_t w = first / 64; w <= last / 64; w++) {
		uint64_t mask = bits_mask(w, first, last);

		any |= (bits[w] & mask) != 0;
		if (set)
			bits[w] |= mask;
		else
			bits[w] &= ~mask;
	}
	return any;
}

static bool bit(const uint64_t *bits, uint64_t at)
{
	return bits[at / 64] >> (at % 64) & 1;
}

/* Unmap pages of a range from all segments. */
static void segments_drop(struct nnadev_mmu *mmu, struct nnadev_space *space, uint64_t va,
			  uint64_t end)
{
	struct nnadev_segment *s, *next;

	for (s = space->segments; s; s = next) {
		uint64_t low = va > s->va ? va : s->va, high = end;

		next = s->next;
		if (high > s->va + 2 * SEGMENT)
			high = s->va + 2 * SEGMENT;
		if (low >= high)
			continue;
		low -= s->va;
		high -= s->va;
		if (!bits_change(s->present, low / PAGE, high / PAGE - 1, false))
			continue;
		bits_change(s->writable, low / PAGE, high / PAGE - 1, false);
		if (!nnadev_aperture_unmap(s->data + low, high - low))
			segment_free(mmu, space, s);
	}
}

/* Map the pages of an extent that a segment lacks. */
static bool segment_map(struct nnadev_mmu *mmu, struct nnadev_segment *s,
			const struct nnadev_extent *e)
{
	uint64_t low = e->va > s->va ? e->va : s->va, high = e->va + e->size, first, last, end;
	bool write = e->pte_write && e->bus_write;

	if (high > s->va + 2 * SEGMENT)
		high = s->va + 2 * SEGMENT;
	end = (high - s->va) / PAGE;
	for (first = (low - s->va) / PAGE; first < end; first = last) {
		uint64_t offset;

		last = first + 1;
		if (bit(s->present, first))
			continue;
		while (last < end && !bit(s->present, last))
			last++;
		while (mmu->runs >= mmu->max_runs)
			if (!segment_evict(mmu))
				return false;
		offset = (uint64_t)(e->data - e->file->data) + (s->va + first * PAGE - e->va);
		if (!nnadev_aperture_map(s->data + first * PAGE, e->file, offset,
				       (last - first) * PAGE, write))
			return false;
		s->runs++;
		mmu->runs++;
		mmu->left -= mmu->left < NNADEV_MMU_MAP_COST ? mmu->left : NNADEV_MMU_MAP_COST;
		bits_change(s->present, first, last - 1, true);
		if (write)
			bits_change(s->writable, first, last - 1, true);
	}
	return true;
}

/* ---- extents --------------------------------------------------------------------------------- */

/* Index of the first extent that ends after @va. */
static uint32_t extent_search(const struct nnadev_space *space, uint64_t va)
{
	uint32_t low = 0, high = space->count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (space->extents[middle].va + space->extents[middle].size <= va)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool extent_joins(const struct nnadev_extent *a, const struct nnadev_extent *b)
{
	return a->va + a->size == b->va && a->bus + a->size == b->bus &&
	       a->data + a->size == b->data && a->file == b->file && a->pte_write == b->pte_write &&
	       a->bus_write == b->bus_write;
}

static bool grow(struct nnadev_extent **list, uint32_t *capacity, uint32_t need)
{
	uint32_t n = *capacity ? *capacity : 16;
	struct nnadev_extent *p;

	if (need <= *capacity)
		return true;
	while (n < need)
		n *= 2;
	p = realloc(*list, n * sizeof(*p));
	if (!p)
		return false;
	*list = p;
	*capacity = n;
	return true;
}

/* Insert the fresh extents into the space, between two of its extents. */
static bool extents_merge(struct nnadev_mmu *mmu, struct nnadev_space *space)
{
	uint32_t n = mmu->fresh_count, start, a, b, to, kept, stop = 0;
	struct nnadev_extent *e;

	mmu->fresh_count = 0;
	if (!n)
		return true;
	if (!grow(&space->extents, &space->capacity, space->count + n))
		return false;
	e = space->extents;
	start = extent_search(space, mmu->fresh[0].va);
	a = space->count;
	b = n;
	to = a + n;
	while (b) {
		if (a > start && e[a - 1].va > mmu->fresh[b - 1].va) {
			e[--to] = e[--a];
		} else {
			if (!stop)
				stop = to;
			e[--to] = mmu->fresh[--b];
		}
	}
	space->count += n;
	/* Join neighbours from the one before the first to the one after the last. */
	kept = start ? start - 1 : 0;
	if (stop < space->count)
		stop++;
	for (uint32_t i = kept + 1; i < stop; i++) {
		if (extent_joins(&e[kept], &e[i]))
			e[kept].size += e[i].size;
		else
			e[++kept] = e[i];
	}
	kept++;
	memmove(&e[kept], &e[stop], (space->count - stop) * sizeof(*e));
	mmu->extents += n - (stop - kept);
	space->count -= stop - kept;
	return true;
}

/**
 * struct walk - the table that the last walk ended in
 * @va: first address that @leaf maps
 * @leaf: bus address of a level-0 table, or 0
 */
struct walk {
	uint64_t va;
	uint64_t leaf;
};

static bool read_entry(struct nnadev_mmu *mmu, uint64_t bus, uint64_t *entry,
		       struct nnadev_fault *fault)
{
	const volatile uint64_t *p = nnadev_memory_at(mmu->memory, bus, sizeof(*p), false);

	if (!p)
		return fail(fault, NNAHW_STATUS_FAULT_BUS, NNAHW_FAULT_KIND_BUS, bus);
	*entry = *p;
	return true;
}

/* Walk the page table for @va. Writes the page's first VA, its bus address, size and @pte_write. */
static bool walk_page(struct nnadev_mmu *mmu, const struct nnadev_space *space, struct walk *walk,
		      uint64_t va, struct nnadev_extent *page, struct nnadev_fault *fault)
{
	uint64_t table = space->root, entry;
	int level = NNAHW_PT_LEVELS - 1;

	atomic_fetch_add_explicit(&mmu->walks, 1, memory_order_relaxed);
	if (va >= VA_END)
		return fail(fault, NNAHW_STATUS_FAULT_MMU, NNAHW_FAULT_KIND_UNMAPPED, va);
	if (walk->leaf && walk->va == (va & ~(LARGE_PAGE - 1))) {
		table = walk->leaf;
		level = 0;
	}
	for (;; level--) {
		uint32_t index = va >> (NNAHW_PAGE_SHIFT + 9 * level) & (NNAHW_PT_ENTRIES - 1);
		uint64_t allowed = NNAHW_PTE_VALID | NNAHW_PTE_WRITE | NNAHW_PTE_ADDRESS;

		if (!read_entry(mmu, table + index * 8, &entry, fault))
			return false;
		if (!(entry & NNAHW_PTE_VALID))
			return fail(fault, NNAHW_STATUS_FAULT_MMU, NNAHW_FAULT_KIND_UNMAPPED, va);
		if (level == 1)
			allowed |= NNAHW_PTE_LARGE;
		if (entry & ~allowed)
			return fail(fault, NNAHW_STATUS_FAULT_MMU, NNAHW_FAULT_KIND_ENTRY, va);
		table = entry & NNAHW_PTE_ADDRESS;
		if (!level || entry & NNAHW_PTE_LARGE)
			break;
		if (level == 1) {
			walk->va = va & ~(LARGE_PAGE - 1);
			walk->leaf = table;
		}
	}
	page->size = level ? LARGE_PAGE : PAGE;
	if (table & (page->size - 1))
		return fail(fault, NNAHW_STATUS_FAULT_MMU, NNAHW_FAULT_KIND_ENTRY, va);
	page->va = va & ~(page->size - 1);
	page->bus = table;
	page->pte_write = entry & NNAHW_PTE_WRITE;
	return true;
}

/* Make extents cover [@va, @end). Translations found before a fault are kept. */
static bool cover(struct nnadev_mmu *mmu, struct nnadev_space *space, uint64_t va, uint64_t end,
		  struct nnadev_fault *fault)
{
	uint64_t at = va & ~(PAGE - 1);
	uint32_t i = extent_search(space, at);
	struct walk walk = { 0 };
	bool ok = true;

	mmu->fresh_count = 0;
	while (ok && at < end) {
		struct nnadev_extent page, *last;
		struct nnadev_reach reach;
		uint64_t stop;

		if (i < space->count && space->extents[i].va <= at) {
			at = space->extents[i].va + space->extents[i].size;
			i++;
			continue;
		}
		if (!mmu->left || mmu->frozen) {
			ok = fail(fault, NNADEV_MMU_AGAIN, NNAHW_FAULT_KIND_NONE, 0);
			break;
		}
		mmu->left--;
		ok = walk_page(mmu, space, &walk, at > va ? at : va, &page, fault);
		if (!ok)
			break;
		stop = page.va + page.size;
		if (i < space->count && stop > space->extents[i].va)
			stop = space->extents[i].va;
		page.bus += at - page.va;
		page.va = at;
		if (!nnadev_memory_find(mmu->memory, page.bus, &reach)) {
			ok = fail(fault, NNAHW_STATUS_FAULT_BUS, NNAHW_FAULT_KIND_BUS, page.bus);
			break;
		}
		page.size = reach.size < stop - at ? reach.size : stop - at;
		page.data = reach.data;
		page.file = reach.file;
		page.bus_write = reach.writable;
		at += page.size;
		last = mmu->fresh_count ? &mmu->fresh[mmu->fresh_count - 1] : NULL;
		if (last && extent_joins(last, &page)) {
			last->size += page.size;
		} else if (mmu->fresh_count >= NNADEV_MMU_PIECES ||
			   mmu->extents + mmu->fresh_count >= NNADEV_MMU_EXTENTS ||
			   !grow(&mmu->fresh, &mmu->fresh_capacity, mmu->fresh_count + 1)) {
			ok = fail(fault, NNAHW_STATUS_NO_MEMORY, NNAHW_FAULT_KIND_NONE, 0);
		} else {
			mmu->fresh[mmu->fresh_count++] = page;
		}
	}
	if (!extents_merge(mmu, space))
		return fail(fault, NNAHW_STATUS_NO_MEMORY, NNAHW_FAULT_KIND_NONE, 0);
	return ok;
}

/* Check that [@va, @end), which extents cover, may be written. */
static bool check_write(struct nnadev_space *space, uint64_t va, uint64_t end,
			struct nnadev_fault *fault)
{
	for (uint32_t i = extent_search(space, va); i < space->count && space->extents[i].va < end;
	     i++) {
		const struct nnadev_extent *e = &space->extents[i];
		uint64_t at = va > e->va ? va : e->va;

		if (!e->pte_write)
			return fail(fault, NNAHW_STATUS_FAULT_MMU, NNAHW_FAULT_KIND_READ_ONLY, at);
		if (!e->bus_write)
			return fail(fault, NNAHW_STATUS_FAULT_BUS, NNAHW_FAULT_KIND_BUS,
				    e->bus + (at - e->va));
	}
	return true;
}

/* Drop the translations of [@va, @end), both page aligned. */
static void drop(struct nnadev_mmu *mmu, struct nnadev_space *space, uint64_t va, uint64_t end)
{
	uint32_t first = extent_search(space, va), last;
	struct nnadev_extent *e = space->extents, tail = { 0 };
	bool has_tail = false;

	segments_drop(mmu, space, va, end);
	mmu->generation++;
	if (first == space->count || e[first].va >= end)
		return;
	for (last = first; last < space->count && e[last].va < end; last++) {
		uint64_t stop = e[last].va + e[last].size;

		if (stop > end) {
			tail = e[last];
			tail.bus += end - tail.va;
			tail.data += end - tail.va;
			tail.va = end;
			tail.size = stop - end;
			has_tail = true;
		}
	}
	if (e[first].va < va) {
		e[first].size = va - e[first].va;
		first++;
		if (has_tail && first == last) {
			/*
			 * A hole in the middle splits an extent in two. If there is no memory for
			 * the second one, its translations are dropped as well.
			 */
			if (space->count < space->capacity ||
			    grow(&space->extents, &space->capacity, space->count + 1)) {
				e = space->extents;
				memmove(&e[first + 1], &e[first],
					(space->count - first) * sizeof(*e));
				e[first] = tail;
				space->count++;
				mmu->extents++;
			} else {
				segments_drop(mmu, space, tail.va, tail.va + tail.size);
			}
			return;
		}
	}
	if (has_tail)
		e[--last] = tail;
	if (first == last)
		return;
	memmove(&e[first], &e[last], (space->count - last) * sizeof(*e));
	space->count -= last - first;
	mmu->extents -= last - first;
}

static void space_clear(struct nnadev_mmu *mmu, struct nnadev_space *space)
{
	while (space->segments)
		segment_free(mmu, space, space->segments);
	mmu->extents -= space->count;
	space->count = 0;
	space->capacity = 0;
	free(space->extents);
	space->extents = NULL;
	mmu->generation++;
}

/* ---- spaces, and what others call ------------------------------------------------------------ */

void nnadev_mmu_init(struct nnadev_mmu *mmu, struct nnadev_memory *memory)
{
	memset(mmu, 0, sizeof(*mmu));
	mmu->memory = memory;
	mmu->max_runs = NNADEV_MMU_RUNS;
	mmu->step = NNADEV_MMU_STEP;
	mmu->generation = 1;
}

static void spaces_free(struct nnadev_mmu *mmu, struct nnadev_space **at, bool all, uint32_t asid)
{
	while (*at) {
		struct nnadev_space *space = *at;

		if (!all && space->asid != asid) {
			at = &space->next;
			continue;
		}
		space_clear(mmu, space);
		if (space->refs) {
			at = &space->next;
			continue;
		}
		*at = space->next;
		mmu->spaces--;
		free(space);
	}
}

void nnadev_mmu_reset(struct nnadev_mmu *mmu)
{
	for (uint32_t i = 0; i < NNADEV_MMU_BUCKETS; i++)
		spaces_free(mmu, &mmu->table[i], true, 0);
}

void nnadev_mmu_fini(struct nnadev_mmu *mmu)
{
	nnadev_mmu_reset(mmu);
	free(mmu->fresh);
	mmu->fresh = NULL;
}

/* Free the least recently used space that no job uses, if there is one. */
static void spaces_trim(struct nnadev_mmu *mmu)
{
	struct nnadev_space **oldest = NULL;

	for (uint32_t i = 0; i < NNADEV_MMU_BUCKETS; i++)
		for (struct nnadev_space **at = &mmu->table[i]; *at; at = &(*at)->next)
			if (!(*at)->refs && (!oldest || (*at)->used < (*oldest)->used))
				oldest = at;
	if (oldest) {
		struct nnadev_space *space = *oldest;

		space_clear(mmu, space);
		*oldest = space->next;
		mmu->spaces--;
		free(space);
	}
}

struct nnadev_space *nnadev_mmu_get(struct nnadev_mmu *mmu, uint32_t asid, uint64_t root)
{
	struct nnadev_space **bucket = &mmu->table[asid % NNADEV_MMU_BUCKETS], *space;

	for (space = *bucket; space; space = space->next)
		if (space->asid == asid && space->root == root)
			break;
	if (!space) {
		if (mmu->spaces >= NNADEV_MMU_SPACES)
			spaces_trim(mmu);
		space = calloc(1, sizeof(*space));
		if (!space)
			return NULL;
		space->asid = asid;
		space->root = root;
		space->next = *bucket;
		*bucket = space;
		mmu->spaces++;
	}
	space->refs++;
	space->used = ++mmu->stamp;
	return space;
}

void nnadev_mmu_put(struct nnadev_mmu *mmu, struct nnadev_space *space)
{
	if (space)
		space->refs--;
}

/* Cover a range that need not be contiguous. */
static bool reach(struct nnadev_mmu *mmu, struct nnadev_space *space, uint64_t va, uint64_t size,
		  bool write, struct nnadev_fault *fault)
{
	uint64_t end;

	if (__builtin_add_overflow(va, size, &end) || end > VA_END)
		return fail(fault, NNAHW_STATUS_FAULT_MMU, NNAHW_FAULT_KIND_UNMAPPED, va);
	return cover(mmu, space, va, end, fault) && (!write || check_write(space, va, end, fault));
}

/* Copy between private memory and a range: exactly one of @to and @from is given. */
static bool copy(struct nnadev_mmu *mmu, struct nnadev_space *space, uint64_t va, uint8_t *to,
		 const uint8_t *from, uint64_t size, struct nnadev_fault *fault)
{
	uint64_t done = 0;

	if (!size)
		return true;
	mmu->left = UINT32_MAX;
	if (!reach(mmu, space, va, size, from, fault))
		return false;
	for (uint32_t i = extent_search(space, va); done < size; i++) {
		const struct nnadev_extent *e = &space->extents[i];
		uint8_t *at = e->data + (va + done - e->va);
		uint64_t n = e->va + e->size - (va + done);

		if (n > size - done)
			n = size - done;
		if (from)
			memcpy(at, from + done, n);
		else
			memcpy(to + done, at, n);
		done += n;
	}
	return true;
}

bool nnadev_mmu_read(struct nnadev_mmu *mmu, struct nnadev_space *space, uint64_t va, void *to,
		     uint64_t size, struct nnadev_fault *fault)
{
	return copy(mmu, space, va, to, NULL, size, fault);
}

bool nnadev_mmu_write(struct nnadev_mmu *mmu, struct nnadev_space *space, uint64_t va,
		      const void *from, uint64_t size, struct nnadev_fault *fault)
{
	return copy(mmu, space, va, NULL, from, size, fault);
}

void nnadev_mmu_begin(struct nnadev_mmu *mmu)
{
	mmu->stamp++;
	if (mmu->extents > NNADEV_MMU_EXTENTS / 2 && !mmu->frozen)
		for (uint32_t i = 0; i < NNADEV_MMU_BUCKETS; i++)
			for (struct nnadev_space *space = mmu->table[i]; space; space = space->next)
				space_clear(mmu, space);
}

bool nnadev_mmu_range(struct nnadev_mmu *mmu, struct nnadev_space *space, uint64_t va,
		      uint64_t size, bool write, void **data, struct nnadev_fault *fault)
{
	uint64_t end = va + size, first, last;
	const struct nnadev_extent *e;
	struct nnadev_segment *s;
	uint32_t i;

	*data = NULL;
	i = extent_search(space, va);
	e = i < space->count ? &space->extents[i] : NULL;
	if (e && e->va <= va && end <= e->va + e->size) {
		if (write && !(e->pte_write && e->bus_write))
			return check_write(space, va, end, fault);
		*data = e->data + (va - e->va);
		return true;
	}
	s = segment_find(space, va);
	first = (va & (SEGMENT - 1)) / PAGE;
	last = first + ((end - 1) / PAGE - va / PAGE);
	if (s && size <= SEGMENT && bits_full(write ? s->writable : s->present, first, last)) {
		s->used = mmu->stamp;
		*data = s->data + (va - s->va);
		return true;
	}
	if (mmu->frozen)
		return fail(fault, NNADEV_MMU_AGAIN, NNAHW_FAULT_KIND_NONE, 0);
	if (size > NNADEV_MMU_MAX_RANGE)
		return fail(fault, NNAHW_STATUS_NO_MEMORY, NNAHW_FAULT_KIND_NONE, 0);
	mmu->left = mmu->step;
	if (!reach(mmu, space, va, size, write, fault))
		return false;
	i = extent_search(space, va);
	e = &space->extents[i];
	if (end <= e->va + e->size) {
		*data = e->data + (va - e->va);
		return true;
	}
	if (size > SEGMENT)
		return true;
	if (!s)
		s = segment_make(mmu, space, va);
	if (!s)
		return true;
	s->used = mmu->stamp;
	for (; i < space->count && space->extents[i].va < end; i++) {
		if (!mmu->left)
			return fail(fault, NNADEV_MMU_AGAIN, NNAHW_FAULT_KIND_NONE, 0);
		if (!segment_map(mmu, s, &space->extents[i]))
			return true;
	}
	*data = s->data + (va - s->va);
	return true;
}

const void *nnadev_mmu_peek(struct nnadev_mmu *mmu, struct nnadev_space *space, uint64_t va,
			    uint64_t size)
{
	const bool frozen = mmu->frozen;
	struct nnadev_fault ignored;
	void *data;

	mmu->frozen = true;
	nnadev_mmu_range(mmu, space, va, size, false, &data, &ignored);
	mmu->frozen = frozen;
	return data;
}

bool nnadev_mmu_break(struct nnadev_mmu *mmu, const void *address)
{
	const uint8_t *p = address;

	for (uint32_t b = 0; b < NNADEV_MMU_BUCKETS; b++) {
		for (struct nnadev_space *space = mmu->table[b]; space; space = space->next) {
			for (struct nnadev_segment *s = space->segments; s; s = s->next) {
				uint64_t va;
				uint32_t i;

				if (p < s->data || p >= s->data + 2 * SEGMENT)
					continue;
				va = s->va + (uint64_t)(p - s->data);
				i = extent_search(space, va);
				if (i == space->count || space->extents[i].va > va)
					return false;
				space->extents[i].file->broken = true;
				return true;
			}
		}
	}
	return false;
}

void nnadev_mmu_invalidate(struct nnadev_mmu *mmu, uint32_t asid, uint64_t va, uint64_t size,
			   bool all)
{
	struct nnadev_space *space;
	uint64_t end;

	if (all) {
		spaces_free(mmu, &mmu->table[asid % NNADEV_MMU_BUCKETS], false, asid);
		return;
	}
	if (!size || va >= VA_END)
		return;
	if (__builtin_add_overflow(va, size, &end) || end > VA_END)
		end = VA_END;
	va &= ~(PAGE - 1);
	end = (end + PAGE - 1) & ~(PAGE - 1);
	for (space = mmu->table[asid % NNADEV_MMU_BUCKETS]; space; space = space->next)
		if (space->asid == asid)
			drop(mmu, space, va, end);
}

/*
 * Drop the extents of a space that overlap [@bus, @last], in one pass. An extent that is only
 * partly inside is dropped as a whole: the next access to the rest walks the page table again.
 */
static void space_drop_bus(struct nnadev_mmu *mmu, struct nnadev_space *space, uint64_t bus,
			   uint64_t last)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < space->count; i++) {
		const struct nnadev_extent *e = &space->extents[i];

		if (e->bus + (e->size - 1) < bus || e->bus > last)
			space->extents[kept++] = *e;
		else
			segments_drop(mmu, space, e->va, e->va + e->size);
	}
	mmu->extents -= space->count - kept;
	space->count = kept;
}

void nnadev_mmu_drop_bus(struct nnadev_mmu *mmu, uint64_t bus, uint64_t size)
{
	uint64_t last = bus + (size - 1);

	if (last < bus)
		last = UINT64_MAX;
	for (uint32_t b = 0; b < NNADEV_MMU_BUCKETS; b++)
		for (struct nnadev_space *space = mmu->table[b]; space; space = space->next)
			space_drop_bus(mmu, space, bus, last);
	mmu->generation++;
}
