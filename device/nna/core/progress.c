// SPDX-License-Identifier: MIT
#include "device/nna/core/progress.h"

void nnadev_progress_note(struct nnadev_base *base, struct nnadev_progress *progress, uint32_t ring,
			  uint64_t now)
{
	struct nnahw_progress *p;
	uint64_t at;

	if (now < progress->due[ring])
		return;
	progress->due[ring] = now + NNADEV_PROGRESS_NS;
	at = atomic_load(&base->progress);
	if (!at)
		return;
	p = nnadev_memory_at(&base->bus->memory, at, sizeof(*p), true);
	if (p)
		__atomic_store_n(&p->counts[ring], ++progress->counts[ring], __ATOMIC_RELAXED);
}
