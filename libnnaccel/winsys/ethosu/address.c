// SPDX-License-Identifier: MIT
/* Device addresses of BOs: they are names, by which the areas of a job find their BO. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/winsys/ethosu/device.h"
#include "libnnaccel/winsys/va.h"

/* The index of the first BO whose address is above @va. */
static uint32_t upper(const struct nna_ethosu_device *d, uint64_t va)
{
	uint32_t low = 0, high = d->bo_count;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (d->bos[middle]->base.va > va)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

struct nna_ethosu_bo *nna_ethosu_bo_find(const struct nna_ethosu_device *d, uint64_t va)
{
	const uint32_t i = upper(d, va);
	struct nna_ethosu_bo *bo = i ? d->bos[i - 1] : NULL;

	return bo && va - bo->base.va < bo->base.size ? bo : NULL;
}

int nna_ethosu_bo_insert(struct nna_ethosu_device *d, struct nna_ethosu_bo *bo)
{
	uint32_t i;
	int ret;

	if (d->bo_count == d->bo_room) {
		const uint32_t room = d->bo_room ? 2 * d->bo_room : 64;
		struct nna_ethosu_bo **bos = realloc(d->bos, room * sizeof(*bos));

		if (!bos)
			return -ENOMEM;
		d->bos = bos;
		d->bo_room = room;
	}
	/* A page that nobody has lies behind each, so that no address leads to the next BO. */
	bo->va_size = ((bo->base.size + NNA_VA_PAGE - 1) & ~(NNA_VA_PAGE - 1)) + NNA_VA_PAGE;
	ret = nna_va_take(d->va, bo->va_size, NNA_VA_PAGE, &bo->base.va);
	if (ret)
		return ret == -ENOSPC ? -ENOMEM : ret;
	i = upper(d, bo->base.va);
	memmove(&d->bos[i + 1], &d->bos[i], (d->bo_count - i) * sizeof(*d->bos));
	d->bos[i] = bo;
	d->bo_count++;
	return 0;
}

void nna_ethosu_bo_remove(struct nna_ethosu_device *d, const struct nna_ethosu_bo *bo)
{
	const uint32_t i = upper(d, bo->base.va) - 1;

	d->bo_count--;
	memmove(&d->bos[i], &d->bos[i + 1], (d->bo_count - i) * sizeof(*d->bos));
	nna_va_give(d->va, bo->base.va, bo->va_size);
}
