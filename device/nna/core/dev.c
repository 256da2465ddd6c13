// SPDX-License-Identifier: MIT
/*
 * The device's interface (nnadev.h): creation, registers, DMA mappings, injections. It runs in
 * threads of the device's user. Work that takes time is left to the command processor.
 */
#include "device/nna/core/cp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "device/nna/core/clock.h"
#include "device/nna/core/rate.h"
#include "device/host/pages.h"
#include "device/host/thread.h"

static int choose_isa(enum nnadev_isa wanted, enum nnadev_engine_isa *isa)
{
	switch (wanted) {
	case NNADEV_ISA_AUTO:
		*isa = nnadev_engine_isa_detect();
		return 0;
	case NNADEV_ISA_SCALAR:
		*isa = NNADEV_ENGINE_SCALAR;
		break;
	case NNADEV_ISA_VECTOR:
		*isa = NNADEV_ENGINE_VECTOR;
		break;
#ifdef __aarch64__
	case NNADEV_ISA_NEON:
		*isa = NNADEV_ENGINE_NEON;
		break;
	case NNADEV_ISA_DOTPROD:
		*isa = NNADEV_ENGINE_DOTPROD;
		break;
	case NNADEV_ISA_I8MM:
		*isa = NNADEV_ENGINE_I8MM;
		break;
#else
	case NNADEV_ISA_AVX2:
		*isa = NNADEV_ENGINE_AVX2;
		break;
	case NNADEV_ISA_AVXVNNI:
		*isa = NNADEV_ENGINE_AVXVNNI;
		break;
	case NNADEV_ISA_AVX512:
		*isa = NNADEV_ENGINE_AVX512;
		break;
#endif
	default:
		return wanted > NNADEV_ISA_VECTOR ? -EINVAL : -ENOTSUP;
	}
	return nnadev_engine_isa_has(*isa) ? 0 : -ENOTSUP;
}

/* ---- life ------------------------------------------------------------------------------------ */

static void drop_bus(void *model, uint64_t address, uint64_t size)
{
	struct nnadev *dev = model;

	nnadev_mmu_drop_bus(&dev->exec.mmu, address, size);
}

static bool owns_address(void *model, const void *address)
{
	struct nnadev *dev = model;

	return nnadev_mmu_break(&dev->exec.mmu, address);
}

static const struct nnadev_bus_ops bus_ops = { drop_bus, owns_address };

static bool params_fit(const struct nnadev_params *params)
{
	return params->job_limit_ns <= NNAHW_JOB_LIMIT_NS &&
	       (!params->tick_hz ||
		(params->tick_hz >= NNADEV_TICK_HZ_MIN && params->tick_hz <= NNADEV_TICK_HZ_MAX));
}

/* Set up a zeroed device, except its lock, its kept commands and its thread. */
static void set_up(struct nnadev *dev, struct nnadev_bus *bus, struct nnadev_workers *workers,
		   uint32_t threads, const struct nnadev_params *params)
{
	dev->base.bus = bus;
	dev->base.params = *params;
	dev->base.params.threads = threads;
	if (!dev->base.params.tick_hz)
		dev->base.params.tick_hz = NNAHW_TICK_HZ;
	dev->age_ns = NNADEV_CP_AGE_NS;
	dev->slice_ns = NNADEV_CP_SLICE_NS;
	dev->slice = NNADEV_CP_NO_SLICE;
	atomic_init(&dev->status, NNAHW_REG_STATUS_READY);
	dev->exec.base = &dev->base;
	dev->exec.bus = bus;
	dev->exec.threads = threads;
	dev->exec.workers = workers;
	dev->exec.prepare = nnadev_engine_prepare;
	dev->exec.cpu_since = nnadev_workers_cpu_since;
	dev->exec.job_limit = params->job_limit_ns ? params->job_limit_ns : NNAHW_JOB_LIMIT_NS;
	dev->exec.operand_bytes = NNADEV_OPERAND_BYTES;
	nnadev_mmu_init(&dev->exec.mmu, &bus->memory);
	for (uint32_t i = 0; i < NNAHW_RINGS; i++) {
		dev->rings[i].index = i;
		nnadev_ring_reset(&dev->rings[i]);
	}
	for (uint32_t i = 0; i < NNAHW_JOB_RINGS; i++)
		dev->jobs[i].ring = &dev->rings[i];
}

int nnadev_dev_create(struct nnadev_bus *bus, struct nnadev_workers *workers, uint32_t threads,
		      const struct nnadev_params *params, struct nnadev **out)
{
	enum nnadev_engine_isa isa;
	struct nnadev *dev;
	int r;

	if (threads > NNADEV_EXEC_THREADS || !params_fit(params))
		return -EINVAL;
	r = choose_isa(params->isa, &isa);
	if (r)
		return r;
	dev = aligned_alloc(_Alignof(struct nnadev), sizeof(*dev));
	if (!dev)
		return -ENOMEM;
	memset(dev, 0, sizeof(*dev));
	set_up(dev, bus, workers, threads, params);
	dev->exec.isa = isa;
	dev->work_rate = nnadev_rate_measure(isa);
	r = -pthread_mutex_init(&dev->base.lock, NULL);
	if (r)
		goto err_free;
	dev->exec.known = nnadev_pages_create(NNADEV_JOB_KNOWN_SIZE, true);
	nnadev_bus_attach(bus, &bus_ops, dev, &dev->exec.event);
	if (!params->lent)
		r = nnadev_thread_create(&dev->processor, nnadev_cp_main, dev);
	if (r)
		goto err_known;
	*out = dev;
	return 0;

err_known:
	nnadev_pages_destroy(dev->exec.known, NNADEV_JOB_KNOWN_SIZE);
	pthread_mutex_destroy(&dev->base.lock);
err_free:
	free(dev);
	return r;
}

int nnadev_create(const struct nnadev_params *params, struct nnadev **out)
{
	struct nnadev_bus_host host;
	struct nnadev_workers *workers;
	struct nnadev_bus *bus;
	uint32_t threads;
	int r;

	if (!params || !out)
		return -EINVAL;
	host = (struct nnadev_bus_host){ params->raise_irq, params->log, params->user };
	threads = params->threads ? params->threads : nnadev_workers_cpus();
	bus = malloc(sizeof(*bus));
	if (!bus)
		return -ENOMEM;
	r = nnadev_bus_init(bus, &host);
	if (r)
		goto err_bus;
	r = nnadev_workers_create(threads, params->spin_ns, &workers);
	if (r)
		goto err_fini;
	r = nnadev_dev_create(bus, workers, threads, params, out);
	if (r)
		goto err_workers;
	(*out)->owner = true;
	return 0;

err_workers:
	nnadev_workers_destroy(workers);
err_fini:
	nnadev_bus_fini(bus);
err_bus:
	free(bus);
	return r;
}

void nnadev_destroy(struct nnadev *dev)
{
	struct nnadev_workers *workers;
	struct nnadev_bus *bus;
	bool owner;

	if (!dev)
		return;
	bus = dev->base.bus;
	workers = dev->exec.workers;
	owner = dev->owner;
	atomic_store(&dev->quit, true);
	nnadev_event_raise(&dev->exec.event);
	if (!dev->base.params.lent)
		pthread_join(dev->processor, NULL);
	nnadev_cp_fini(dev);
	for (uint32_t i = 0; i < NNAHW_JOB_RINGS; i++)
		nnadev_job_fini(&dev->jobs[i]);
	nnadev_pages_destroy(dev->exec.known, NNADEV_JOB_KNOWN_SIZE);
	for (uint32_t i = 0; i < NNADEV_EXEC_THREADS; i++)
		free(dev->exec.scratch[i].data);
	nnadev_mmu_fini(&dev->exec.mmu);
	pthread_mutex_destroy(&dev->base.lock);
	free(dev);
	if (!owner)
		return;
	nnadev_workers_destroy(workers);
	nnadev_bus_fini(bus);
	free(bus);
}

/* ---- registers ------------------------------------------------------------------------------- */

/* Read the 64-bit register at @offset, a multiple of 8. Return: whether there is one. */
static bool read64(struct nnadev *dev, uint64_t offset, uint64_t *value)
{
	struct nnadev_counters *c = &dev->base.counters;
	uint64_t hz = dev->base.params.tick_hz;

	switch (offset) {
	case NNAHW_REG_JOB_LIMIT:
		*value = nnadev_clock_to_ticks(hz, dev->exec.job_limit);
		return true;
	case NNAHW_REG_TIMESTAMP:
		*value = nnadev_clock_to_ticks(hz, nnadev_clock_now());
		return true;
	case NNAHW_REG_TIMESTAMP_HZ:
		*value = hz;
		return true;
	case NNAHW_REG_WORK_RATE:
		*value = dev->work_rate;
		return true;
	case NNAHW_REG_PROGRESS:
		*value = atomic_load(&dev->base.progress);
		return true;
	case NNAHW_REG_COUNT_JOBS:
		*value = atomic_load(&c->jobs);
		return true;
	case NNAHW_REG_COUNT_COMMANDS:
		*value = atomic_load(&c->commands);
		return true;
	case NNAHW_REG_COUNT_IRQS:
		*value = atomic_load(&c->irqs);
		return true;
	case NNAHW_REG_COUNT_MMIO_READS:
		*value = atomic_load(&c->mmio_reads);
		return true;
	case NNAHW_REG_COUNT_MMIO_WRITES:
		*value = atomic_load(&c->mmio_writes);
		return true;
	case NNAHW_REG_COUNT_PREEMPTIONS:
		*value = atomic_load(&c->preemptions);
		return true;
	case NNAHW_REG_COUNT_FAULTS:
		*value = atomic_load(&c->faults);
		return true;
	case NNAHW_REG_COUNT_BUSY:
		*value = nnadev_clock_to_ticks(hz, atomic_load(&c->busy));
		return true;
	case NNAHW_REG_COUNT_WALKS:
		*value = atomic_load(&dev->exec.mmu.walks);
		return true;
	case NNAHW_REG_LONGEST_TILE:
		*value = nnadev_clock_to_ticks(hz, nnadev_workers_longest(dev->exec.workers));
		return true;
	default:
		return false;
	}
}

static uint32_t read32(struct nnadev *dev, uint64_t offset)
{
	uint64_t value;

	switch (offset) {
	case NNAHW_REG_ID:
		return NNAHW_ID_MAGIC;
	case NNAHW_REG_VERSION:
		return NNAHW_ABI_MAJOR << 16 | NNAHW_ABI_MINOR;
	case NNAHW_REG_STREAM_VERSION:
		return NNAHW_LAYOUT_ABI << 16 | NNAHW_STREAM_ABI;
	case NNAHW_REG_JOB_RING_COUNT:
		return NNAHW_JOB_RINGS;
	case NNAHW_REG_RING_SIZE_LIMIT:
		return NNAHW_RING_SIZE_MAX;
	case NNAHW_REG_MSIX_COUNT:
		return NNADEV_BASE_VECTORS;
	case NNAHW_REG_CONTROL:
		return atomic_load(&dev->exec.enabled) ? NNAHW_REG_CONTROL_ENABLE : 0;
	case NNAHW_REG_STATUS:
		return atomic_load(&dev->status);
	case NNAHW_REG_WORKERS:
		return dev->base.params.threads;
	case NNAHW_REG_TIMESTAMP:
		value = nnadev_clock_to_ticks(dev->base.params.tick_hz, nnadev_clock_now());
		atomic_store(&dev->latch, (uint32_t)(value >> 32));
		return (uint32_t)value;
	case NNAHW_REG_TIMESTAMP + 4:
		return atomic_load(&dev->latch);
	default:
		break;
	}
	if (offset >= NNAHW_RING_REGS &&
	    offset < NNAHW_RING_REGS + NNAHW_RINGS * NNAHW_RING_STRIDE) {
		pthread_mutex_lock(&dev->base.lock);
		value = nnadev_ring_read(
			&dev->rings[(offset - NNAHW_RING_REGS) / NNAHW_RING_STRIDE],
			(offset - NNAHW_RING_REGS) % NNAHW_RING_STRIDE, dev->base.params.tick_hz);
		pthread_mutex_unlock(&dev->base.lock);
		return (uint32_t)value;
	}
	if (read64(dev, offset & ~7ull, &value))
		return (uint32_t)(offset & 4 ? value >> 32 : value);
	return 0;
}

uint64_t nnadev_reg_read(struct nnadev *dev, uint64_t offset, uint32_t size)
{
	uint64_t value;

	nnadev_count(&dev->base.counters.mmio_reads, 1);
	if (atomic_load_explicit(&dev->base.inject[NNADEV_INJECT_DEAD], memory_order_relaxed))
		return size == 4 ? UINT32_MAX : UINT64_MAX;
	if ((size != 4 && size != 8) || offset % size)
		return 0;
	if (size == 4)
		return read32(dev, offset);
	if (read64(dev, offset, &value))
		return value;
	value = read32(dev, offset);
	return value | (uint64_t)read32(dev, offset + 4) << 32;
}

static void begin_reset(struct nnadev *dev)
{
	pthread_mutex_lock(&dev->base.lock);
	atomic_store(&dev->status, NNAHW_REG_STATUS_RESETTING);
	atomic_store(&dev->exec.enabled, false);
	atomic_store(&dev->base.progress, 0);
	for (uint32_t i = 0; i < NNAHW_RINGS; i++)
		nnadev_ring_reset(&dev->rings[i]);
	atomic_store(&dev->reset, true);
	pthread_mutex_unlock(&dev->base.lock);
	nnadev_event_raise(&dev->exec.event);
}

/* Write a half of register PROGRESS, whose lower bits are 0. */
static void write_progress(struct nnadev *dev, bool high, uint32_t half)
{
	uint64_t value = atomic_load(&dev->base.progress);

	if (high)
		value = (uint32_t)value | (uint64_t)half << 32;
	else
		value = (value & ~(uint64_t)UINT32_MAX) |
			(half & ~(uint32_t)(sizeof(struct nnahw_progress) - 1));
	atomic_store(&dev->base.progress, value);
}

static void write32(struct nnadev *dev, uint64_t offset, uint32_t value)
{
	bool changed = false;

	/* Doorbells first: this is the hot path. */
	if (offset >= NNAHW_DOORBELLS && offset < NNAHW_DOORBELLS + 4 * NNAHW_RINGS) {
		struct nnadev_ring *ring = &dev->rings[(offset - NNAHW_DOORBELLS) / 4];

		if (!atomic_load(&ring->enabled))
			return;
		atomic_store(&ring->doorbell, value);
		nnadev_event_raise(&dev->exec.event);
		return;
	}
	if (offset == NNAHW_REG_RESET) {
		if (value == NNAHW_RESET_MAGIC)
			begin_reset(dev);
		return;
	}
	pthread_mutex_lock(&dev->base.lock);
	if (atomic_load(&dev->status) & NNAHW_REG_STATUS_READY) {
		if (offset == NNAHW_REG_CONTROL) {
			atomic_store(&dev->exec.enabled, value & NNAHW_REG_CONTROL_ENABLE);
			changed = true;
		} else if (offset == NNAHW_REG_PROGRESS || offset == NNAHW_REG_PROGRESS + 4) {
			write_progress(dev, offset != NNAHW_REG_PROGRESS, value);
		} else if (offset >= NNAHW_RING_REGS &&
			   offset < NNAHW_RING_REGS + NNAHW_RINGS * NNAHW_RING_STRIDE) {
			uint32_t at = (offset - NNAHW_RING_REGS) % NNAHW_RING_STRIDE;

			nnadev_ring_write(
				&dev->rings[(offset - NNAHW_RING_REGS) / NNAHW_RING_STRIDE], at,
				value);
			changed = at == NNAHW_RING_REG_CONTROL;
		}
	}
	pthread_mutex_unlock(&dev->base.lock);
	if (changed)
		nnadev_event_raise(&dev->exec.event);
}

void nnadev_reg_write(struct nnadev *dev, uint64_t offset, uint32_t size, uint64_t value)
{
	nnadev_count(&dev->base.counters.mmio_writes, 1);
	if (atomic_load_explicit(&dev->base.inject[NNADEV_INJECT_DEAD], memory_order_relaxed))
		return;
	if ((size != 4 && size != 8) || offset % size)
		return;
	write32(dev, offset, (uint32_t)value);
	if (size == 8)
		write32(dev, offset + 4, (uint32_t)(value >> 32));
}

void nnadev_reset(struct nnadev *dev)
{
	uint32_t seq = nnadev_event_read(&dev->reset_done);

	begin_reset(dev);
	while (atomic_load(&dev->reset)) {
		nnadev_event_wait(&dev->reset_done, seq, NNADEV_FOREVER);
		seq = nnadev_event_read(&dev->reset_done);
	}
}

/* ---- what else the interface has ------------------------------------------------------------- */

int nnadev_dma_map(struct nnadev *dev, uint64_t iova, uint64_t size, int fd, uint64_t offset,
		   uint32_t prot)
{
	return nnadev_bus_map(dev->base.bus, iova, size, fd, offset, prot);
}

int nnadev_dma_map_memory(struct nnadev *dev, uint64_t iova, uint64_t size, void *data)
{
	return nnadev_bus_map_data(dev->base.bus, iova, size, data);
}

int nnadev_dma_unmap(struct nnadev *dev, uint64_t iova, uint64_t size)
{
	return nnadev_bus_unmap(dev->base.bus, iova, size);
}

void nnadev_bus_master(struct nnadev *dev, bool on)
{
	nnadev_bus_set_master(dev->base.bus, on);
}

const char *nnadev_isa_name(const struct nnadev *dev)
{
	return nnadev_engine_isa_name(dev->exec.isa);
}

bool nnadev_sigbus(void *address)
{
	return nnadev_bus_sigbus(address);
}

int nnadev_inject(struct nnadev *dev, enum nnadev_inject what, uint64_t value)
{
	if (what < NNADEV_INJECT_HANG || what > NNADEV_INJECT_DEAD)
		return -EINVAL;
	if (what == NNADEV_INJECT_SPURIOUS_IRQ) {
		for (; value; value--)
			for (uint32_t v = 0; v < NNADEV_BASE_VECTORS; v++)
				nnadev_base_interrupt(&dev->base, v);
		return 0;
	}
	atomic_store(&dev->base.inject[what], value);
	return 0;
}
