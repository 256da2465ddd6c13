// SPDX-License-Identifier: MIT
#include "device/nna/core/base.h"

bool nnadev_base_injected(struct nnadev_base *base, enum nnadev_inject what)
{
	uint64_t n = atomic_load_explicit(&base->inject[what], memory_order_relaxed);

	while (n)
		if (atomic_compare_exchange_weak(&base->inject[what], &n, n - 1))
			return true;
	return false;
}

void nnadev_base_interrupt(struct nnadev_base *base, uint32_t vector)
{
	/* Without bus mastering no interrupt is raised, so none is dropped by injection either. */
	if (base->bus->memory.off || nnadev_base_injected(base, NNADEV_INJECT_DROP_IRQ))
		return;
	/* Count first: the handler of the interrupt may read the counter. */
	nnadev_count(&base->counters.irqs, 1);
	nnadev_bus_interrupt(base->bus, vector);
}
