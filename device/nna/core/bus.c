// SPDX-License-Identifier: MIT
/* Interrupts, the log and injections; bus memory is memory.c. */
#include "device/nna/core/bus.h"

#include <stdarg.h>
#include <stdio.h>

void nnadev_bus_log(struct nnadev_bus *bus, const char *format, ...)
{
	char line[256];
	va_list args;

	if (!bus->params.log)
		return;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	bus->params.log(bus->params.user, line);
}

bool nnadev_bus_injected(struct nnadev_bus *bus, enum nnadev_inject what)
{
	uint64_t n = atomic_load_explicit(&bus->inject[what], memory_order_relaxed);

	while (n)
		if (atomic_compare_exchange_weak(&bus->inject[what], &n, n - 1))
			return true;
	return false;
}

void nnadev_bus_interrupt(struct nnadev_bus *bus, uint32_t vector)
{
	/* A message to an interrupt controller is a write as well. */
	if (bus->memory.off || nnadev_bus_injected(bus, NNADEV_INJECT_DROP_IRQ))
		return;
	nnadev_count(&bus->counters.irqs, 1);
	if (bus->params.raise_irq)
		bus->params.raise_irq(bus->params.user, vector);
}
