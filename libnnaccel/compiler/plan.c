// SPDX-License-Identifier: MIT
/*
 * Memory planning: sets the offset of each storage in its area (constants, scratch memory,
 * variables).
 *
 * It reads the operations in their final order, and sets the offset and the @used flag of each
 * storage. Constants and variables are laid out one after the other. Scratch memory is reused: a
 * storage is live from the first operation that uses it to the last one. The largest storages are
 * placed first, at an offset that is free during their life: in the middle of a larger storage if
 * possible, else behind all others, else at the lowest free offset. If such a plan needs more
 * memory than the lowest offsets for all storages, those are used. An element-wise result takes the
 * memory of an input that dies with the operation, if the elements of both have the same layout.
 *
 * The middle suits devices whose threads divide the rows of an image: each thread has one section
 * of every tensor in its caches, in the same order. If a tensor lies in the middle of a larger one,
 * the sections of both overlap more, so a thread that writes the tensor takes fewer cache lines
 * from other threads.
 *
 * A storage that is used inside a loop is live during the whole loop, because an iteration may read
 * what the previous one has written.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/compiler/passes.h"

/* Alignment of storages in bytes, the size of the engine's vectors. */
#define ALIGN 64u

/**
 * struct life - when a storage is in use, and where
 * @storage: its number
 * @first: the first operation that touches it, NNA_NONE if there is none
 * @last: the last operation that touches it
 * @size: bytes, a multiple of ALIGN
 * @offset: its offset in the area
 */
struct life {
	uint32_t storage;
	uint32_t first, last;
	uint64_t size;
	uint64_t offset;
};

static uint64_t align_up(uint64_t size)
{
	return (size + ALIGN - 1) & ~(uint64_t)(ALIGN - 1);
}

/*
 * Orders by size, largest first, then by time, then by number, so that plans do not depend on
 * qsort().
 */
static int by_size(const void *a, const void *b)
{
	const struct life *x = a, *y = b;

	if (x->size != y->size)
		return x->size < y->size ? 1 : -1;
	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	return x->storage < y->storage ? -1 : x->storage > y->storage;
}

/* Computes the life of each storage, and whether it is used. */
static void find_lives(struct nna_lower *l, struct life *lives)
{
	for (uint32_t s = 0; s < l->storage_count; s++) {
		lives[s] = (struct life){ .storage = s,
					  .first = NNA_NONE,
					  .size = align_up(l->storages[s].size) };
		l->storages[s].used = false;
		l->storages[s].parent = NNA_NONE;
	}
	for (uint32_t i = 0; i < l->op_count; i++) {
		const struct nna_ir_op *c = &l->ops[i];

		if (c->dead)
			continue;
		for (uint32_t k = 0; k < c->operand_count; k++) {
			uint32_t s;

			if (c->values[k] == NNA_NO_VALUE)
				continue;
			s = l->values[c->values[k]].storage;
			l->storages[s].used = true;
			if (lives[s].first == NNA_NONE)
				lives[s].first = i;
			lives[s].last = i;
		}
	}
	/* The runtime reads the counts of bounded outputs after the run. */
	for (uint32_t s = 0; s < l->storage_count; s++)
		if (l->storages[s].count != NNA_NO_VALUE)
			lives[l->values[l->storages[s].count].storage].last = l->op_count;
}

/* Repeated until nothing changes, because loops may nest. */
static void extend_over_loops(const struct nna_lower *l, struct life *lives)
{
	bool changed = l->label_count > 0;

	while (changed) {
		changed = false;
		for (uint32_t i = 0; i < l->op_count; i++) {
			const struct nna_ir_op *c = &l->ops[i];
			uint32_t start;

			if (c->dead || c->label == NNA_NONE)
				continue;
			start = l->labels[c->label];
			if (start > i)
				continue;
			for (uint32_t s = 0; s < l->storage_count; s++) {
				if (lives[s].first == NNA_NONE || lives[s].last < start ||
				    lives[s].first > i)
					continue;
				if (lives[s].first > start) {
					lives[s].first = start;
					changed = true;
				}
				if (lives[s].last < i) {
					lives[s].last = i;
					changed = true;
				}
			}
		}
	}
}

/*
 * True if each element of @a and the same element of @b have one address, once their storages have
 * one offset.
 */
static bool same_places(const struct nna_value *a, const struct nna_value *b)
{
	return a->offset == b->offset && nna_type_size(a->type) == nna_type_size(b->type) &&
	       nna_value_same_dims(a, b) && !memcmp(a->strides, b->strides, sizeof(a->strides));
}

/* Lets results take the memory of an input, where the backend can compute them in place. */
static void share_in_place(struct nna_lower *l, const struct nna_backend *backend,
			   struct life *lives)
{
	for (uint32_t i = 0; i < l->op_count; i++) {
		const struct nna_ir_op *c = &l->ops[i];
		uint32_t inputs, out;

		if (c->dead)
			continue;
		inputs = backend->in_place(c);
		if (!inputs)
			continue;
		out = l->values[c->values[0]].storage;
		if (l->storages[out].kind != NNA_STORAGE_SCRATCH || lives[out].first != i ||
		    l->storages[out].parent != NNA_NONE)
			continue;
		for (uint32_t k = 1; k < c->operand_count; k++) {
			const struct nna_value *in;
			uint32_t root;
			bool other = false;

			if (!(inputs >> k & 1) || c->values[k] == NNA_NO_VALUE)
				continue;
			in = &l->values[c->values[k]];
			root = in->storage;
			while (l->storages[root].parent != NNA_NONE)
				root = l->storages[root].parent;
			if (root == out || l->storages[root].kind != NNA_STORAGE_SCRATCH ||
			    lives[root].last != i || lives[root].size != lives[out].size ||
			    !same_places(&l->values[c->values[0]], in))
				continue;
			/*
			 * No other operand may be in that memory, except that an EWISE may read the
			 * same elements twice.
			 */
			for (uint32_t j = 1; j < c->operand_count; j++) {
				uint32_t s;

				if (j == k || c->values[j] == NNA_NO_VALUE)
					continue;
				if (inputs >> j & 1 &&
				    same_places(in, &l->values[c->values[j]]) &&
				    in->storage == l->values[c->values[j]].storage)
					continue;
				s = l->values[c->values[j]].storage;
				while (l->storages[s].parent != NNA_NONE)
					s = l->storages[s].parent;
				other |= s == root;
			}
			if (other)
				continue;
			l->storages[out].parent = root;
			lives[root].last = lives[out].last;
			break;
		}
	}
}

/* Return: the lowest free offset for @life. @placed is in the order of offsets. */
static uint64_t find_place(const struct life *life, const struct life *placed, uint32_t count)
{
	uint64_t at = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct life *p = &placed[i];

		if (p->last < life->first || p->first > life->last)
			continue;
		if (p->offset >= at && p->offset - at >= life->size)
			break;
		if (p->offset + p->size > at)
			at = p->offset + p->size;
	}
	return at;
}

/* True if @life fits at offset @at, given the storages @placed. */
static bool is_free(const struct life *life, const struct life *placed, uint32_t count, uint64_t at)
{
	for (uint32_t i = 0; i < count && placed[i].offset < at + life->size; i++)
		if (placed[i].last >= life->first && placed[i].first <= life->last &&
		    placed[i].offset + placed[i].size > at)
			return false;
	return true;
}

/* The number of larger storages whose middles are tried, which bounds the time for a plan. */
#define MIDDLES 32u

/*
 * Finds an offset for @life in the middle of one of the storages @larger, which are in the order of
 * their sizes. Usually that is the middle of the largest one, so all storages have the same middle.
 */
static bool find_middle(const struct life *life, const struct life *larger,
			const struct life *placed, uint32_t count, uint64_t *at)
{
	for (uint32_t i = 0, looked = 0; i < count && looked < MIDDLES; i++) {
		const struct life *p = &larger[i];

		if (p->last >= life->first && p->first <= life->last)
			continue;
		*at = p->offset + ((p->size - life->size) / 2 & ~(uint64_t)(ALIGN - 1));
		if (is_free(life, placed, count, *at))
			return true;
		looked++;
	}
	return false;
}

/*
 * Places each storage of @order: at the lowest free offset, or, if @most is not 0, in the middle of
 * another one or behind all others, within @most bytes. Return: bytes of the area.
 */
static uint64_t place_all(struct life *order, struct life *placed, uint32_t count, uint64_t most)
{
	uint64_t total = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct life *life = &order[i];
		uint32_t at = i;

		if (!most || !find_middle(life, order, placed, i, &life->offset))
			life->offset = total + life->size <= most ? total :
								    find_place(life, placed, i);
		if (life->offset + life->size > total)
			total = life->offset + life->size;
		while (at > 0 && placed[at - 1].offset > life->offset)
			at--;
		memmove(&placed[at + 1], &placed[at], sizeof(*placed) * (i - at));
		placed[at] = *life;
	}
	return total;
}

/* Places all scratch storages; @total: bytes of the area. */
static int place_scratch(struct nna_lower *l, struct life *lives, uint64_t *total)
{
	const size_t size = sizeof(struct life) * (l->storage_count + 1);
	struct life *lowest = malloc(size), *better = malloc(size), *placed = malloc(size);
	const struct life *chosen = better;
	uint32_t count = 0;
	uint64_t most;
	int ret = -ENOMEM;

	if (!lowest || !better || !placed)
		goto out;
	for (uint32_t s = 0; s < l->storage_count; s++)
		if (l->storages[s].kind == NNA_STORAGE_SCRATCH && l->storages[s].used &&
		    l->storages[s].parent == NNA_NONE)
			lowest[count++] = lives[s];
	qsort(lowest, count, sizeof(*lowest), by_size);
	memcpy(better, lowest, sizeof(*better) * count);
	most = place_all(lowest, placed, count, 0);
	*total = place_all(better, placed, count, most);
	/* The better offsets must not need more memory. */
	if (*total > most) {
		chosen = lowest;
		*total = most;
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct life *life = &chosen[i];

		l->storages[life->storage].offset = life->offset;
		if (l->debug & NNA_DEBUG_PLAN)
			nna_debug_print(l,
					"plan: storage %u, %llu bytes at 0x%llx, commands %u to %u",
					life->storage, (unsigned long long)life->size,
					(unsigned long long)life->offset, life->first, life->last);
	}
	ret = 0;
out:
	free(lowest);
	free(better);
	free(placed);
	return ret;
}

int nna_pass_plan(struct nna_lower *l, const struct nna_backend *backend, struct nna_areas *areas)
{
	struct life *lives = malloc(sizeof(*lives) * (l->storage_count + 1));
	uint64_t total = 0;
	int ret;

	if (!lives)
		return -ENOMEM;
	*areas = (struct nna_areas){ 0 };
	find_lives(l, lives);
	extend_over_loops(l, lives);
	if (l->debug & NNA_DEBUG_NO_REUSE) {
		for (uint32_t s = 0; s < l->storage_count; s++)
			if (lives[s].first != NNA_NONE) {
				lives[s].first = 0;
				lives[s].last = l->op_count;
			}
	} else {
		share_in_place(l, backend, lives);
	}
	ret = place_scratch(l, lives, &areas->scratch);
	for (uint32_t s = 0; s < l->storage_count; s++) {
		struct nna_storage *storage = &l->storages[s];
		uint64_t *area = storage->kind == NNA_STORAGE_CONSTANT ? &areas->constants :
				 storage->kind == NNA_STORAGE_VARIABLE ? &areas->variables : NULL;

		total += lives[s].size;
		/*
		 * A variable has the same offset in all variants, so it has one even if it is
		 * unused.
		 */
		if (!area || (!storage->used && storage->kind == NNA_STORAGE_CONSTANT))
			continue;
		storage->offset = *area;
		if (__builtin_add_overflow(*area, lives[s].size, area))
			ret = -ENOMEM;
	}
	/* Storages that share an offset, over any number of parents. */
	for (uint32_t s = 0; s < l->storage_count; s++) {
		uint32_t root = s;

		while (l->storages[root].parent != NNA_NONE)
			root = l->storages[root].parent;
		if (root != s)
			l->storages[s].offset = l->storages[root].offset;
	}
	if (l->debug & NNA_DEBUG_PLAN)
		nna_debug_print(l, "plan: constants %llu, scratch %llu, variables %llu bytes; "
				"%llu unshared",
				(unsigned long long)areas->constants,
				(unsigned long long)areas->scratch,
				(unsigned long long)areas->variables, (unsigned long long)total);
	free(lives);
	return ret;
}
