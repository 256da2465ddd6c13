// SPDX-License-Identifier: MIT
#include "device/nna/core/operand.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define VA_END (1ull << NNAHW_VA_BITS)

static bool zero_point_fits(uint32_t type, int32_t zero_point)
{
	switch (type) {
	case NNAHW_TYPE_U8:
		return zero_point >= 0 && zero_point <= UINT8_MAX;
	case NNAHW_TYPE_S8:
		return zero_point >= INT8_MIN && zero_point <= INT8_MAX;
	case NNAHW_TYPE_U16:
		return zero_point >= 0 && zero_point <= UINT16_MAX;
	case NNAHW_TYPE_S16:
		return zero_point >= INT16_MIN && zero_point <= INT16_MAX;
	default:
		return zero_point == 0;
	}
}

static bool scale_fits(uint32_t type, float scale)
{
	switch (type) {
	case NNAHW_TYPE_U8:
	case NNAHW_TYPE_S8:
	case NNAHW_TYPE_U16:
	case NNAHW_TYPE_S16:
	case NNAHW_TYPE_S32:
		return isfinite(scale) && scale >= 0;
	default:
		return scale == 0;
	}
}

static bool is_absent(const struct nnahw_tensor *tensor)
{
	static const struct nnahw_tensor none = { .slot = NNAHW_SLOT_NONE };

	return !memcmp(tensor, &none, sizeof(none));
}

uint32_t nnadev_operand_check(const struct nnahw_tensor *tensor, uint32_t types, bool optional,
			      bool output, const struct nnahw_base *slots, uint32_t slot_count,
			      struct nnadev_engine_operand *operand, struct nnadev_range *range)
{
	uint32_t size = nnahw_type_size(tensor->type);
	int64_t low = 0, high = 0;
	uint64_t count = 1, start, stop;
	const struct nnahw_base *slot;
	uint32_t behind = 0;
	bool empty = false;

	operand->desc = *tensor;
	operand->data = NULL;
	operand->count = 0;
	operand->contiguous = false;
	*range = (struct nnadev_range){ 0 };
	if (tensor->slot == NNAHW_SLOT_NONE)
		return optional && is_absent(tensor) ? NNAHW_STATUS_OK : NNAHW_STATUS_BAD_OPERAND;
	if (!size || !(types >> tensor->type & 1) || tensor->rank > NNAHW_MAX_RANK ||
	    tensor->flags || tensor->reserved[0] || tensor->reserved[1] || tensor->reserved[2] ||
	    tensor->slot >= slot_count || tensor->offset % size ||
	    !zero_point_fits(tensor->type, tensor->zero_point) ||
	    !scale_fits(tensor->type, tensor->scale))
		return NNAHW_STATUS_BAD_OPERAND;
	for (uint32_t i = tensor->rank; i < NNAHW_MAX_RANK; i++)
		behind |= tensor->dims[i] | (uint32_t)tensor->strides[i];
	if (behind)
		return NNAHW_STATUS_BAD_OPERAND;
	for (uint32_t i = 0; i < tensor->rank; i++)
		empty |= !tensor->dims[i];
	range->write = output;
	operand->contiguous = true;
	if (empty)
		return NNAHW_STATUS_OK;
	for (uint32_t k = tensor->rank; k-- > 0;) {
		const uint32_t dim = tensor->dims[k];
		const int32_t stride = tensor->strides[k];
		int64_t reach;

		if (dim > 1 && stride != (int64_t)count)
			operand->contiguous = false;
		if (output && !stride && dim > 1)
			return NNAHW_STATUS_BAD_OPERAND;
		count *= dim;
		if (count > INT32_MAX)
			return NNAHW_STATUS_BAD_OPERAND;
		/* The product of the dimensions has at most 31 bits, so this sum has at most 63. */
		reach = ((int64_t)dim - 1) * stride;
		*(reach < 0 ? &low : &high) += reach;
	}
	operand->count = (uint32_t)count;
	slot = &slots[tensor->slot];
	if (slot->address % 64 || slot->address >= VA_END || slot->size > VA_END - slot->address)
		return NNAHW_STATUS_BAD_OPERAND;
	if (__builtin_add_overflow(high, 1, &high) ||
	    __builtin_mul_overflow(low, (int64_t)size, &low) ||
	    __builtin_mul_overflow(high, (int64_t)size, &high) || tensor->offset > slot->size ||
	    __builtin_add_overflow(tensor->offset, (uint64_t)high, &stop) || stop > slot->size ||
	    (uint64_t)-low > tensor->offset)
		return NNAHW_STATUS_BAD_OPERAND;
	start = tensor->offset - (uint64_t)-low;
	range->va = slot->address + start;
	range->size = stop - start;
	range->lead = (uint64_t)-low;
	return NNAHW_STATUS_OK;
}

bool nnadev_operand_resolve(struct nnadev_mmu *mmu, struct nnadev_space *space,
			    struct nnadev_engine_operand *operand, struct nnadev_range *range,
			    uint64_t *room, struct nnadev_fault *fault)
{
	void *data;
	uint8_t *p;

	if (!range->size)
		return true;
	if (!nnadev_mmu_range(mmu, space, range->va, range->size, range->write, &data, fault))
		return false;
	if (range->gather)
		return true;
	if (data) {
		operand->data = (uint8_t *)data + range->lead;
		return true;
	}
	/* The copy has the guest's offset within 64 bytes: elements have the same alignment. */
	*fault = (struct nnadev_fault){ NNAHW_STATUS_NO_MEMORY, NNAHW_FAULT_KIND_NONE, 0 };
	if (range->size > *room)
		return false;
	p = aligned_alloc(64, (range->size + 127) & ~63ull);
	if (!p)
		return false;
	*room -= range->size;
	range->done = 0;
	range->gather = p;
	operand->data = p + range->va % 64 + range->lead;
	return true;
}

bool nnadev_operand_gather(struct nnadev_mmu *mmu, struct nnadev_space *space,
			   struct nnadev_range *range, uint64_t bytes, struct nnadev_fault *fault)
{
	uint64_t size;

	if (nnadev_operand_is_gathered(range))
		return true;
	size = range->size - range->done;
	size = size < bytes ? size : bytes;
	if (!nnadev_mmu_read(mmu, space, range->va + range->done,
			     range->gather + range->va % 64 + range->done, size, fault))
		return false;
	range->done += size;
	return true;
}

bool nnadev_operand_scatter(struct nnadev_mmu *mmu, struct nnadev_space *space,
			    const struct nnadev_engine_operand *operand,
			    struct nnadev_range *range, uint64_t bytes, struct nnadev_fault *fault)
{
	const struct nnahw_tensor *t = &operand->desc;
	uint32_t size = nnahw_type_size(t->type), rank = t->rank;
	uint64_t run = size, all = (uint64_t)operand->count * size;
	uint64_t stop = range->done + bytes;

	if (!range->gather || !range->write) {
		range->done = UINT64_MAX;
		return true;
	}
	/* Inner axes without gaps between their elements are written as one piece. */
	while (rank && (t->dims[rank - 1] == 1 ||
			(uint64_t)size * (uint64_t)(int64_t)t->strides[rank - 1] == run)) {
		rank--;
		run *= t->dims[rank];
	}
	for (uint32_t i = 0; i < NNADEV_OPERAND_PIECES && range->done < stop; i++) {
		uint64_t number = range->done / run, within = range->done % run;
		uint64_t n = run - within < stop - range->done ? run - within : stop - range->done;
		int64_t at = 0;

		for (uint32_t k = rank; k-- > 0; number /= t->dims[k])
			at += (int64_t)(number % t->dims[k]) * t->strides[k];
		at = at * size + (int64_t)within;
		if (!nnadev_mmu_write(mmu, space, range->va + range->lead + (uint64_t)at,
				      (const uint8_t *)operand->data + at, n, fault))
			return false;
		range->done += n;
		if (range->done == all)
			range->done = UINT64_MAX;
	}
	return true;
}

void nnadev_range_release(struct nnadev_range *range)
{
	free(range->gather);
	range->gather = NULL;
}
