// SPDX-License-Identifier: MIT
/*
 * The device's interface (nnadev.h): life, registers, DMA mappings, injections. It runs in the
 * transport's threads; what takes time is left to the command processor.
 */
#include "device/nna/core/cp.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "device/nna/core/clock.h"
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
		return wanted > NNADEV_ISA_I8MM ? -EINVAL : -ENOTSUP;
	}
	return nnadev_engine_isa_has(*isa) ? 0 : -ENOTSUP;
}

int nnadev_create(const struct nnadev_params *params, struct nnadev **out)
{
	struct nnadev *dev;
	int r;

	if (!params || !out || params->threads > NNADEV_EXEC_THREADS ||
	    params->job_limit_ns > NNAHW_JOB_LIMIT_NS ||
	    (params->tick_hz &&
	     (params->tick_hz < NNADEV_TICK_HZ_MIN || params->tick_hz > NNADEV_TICK_HZ_MAX)))
		return -EINVAL;
	dev = aligned_alloc(_Alignof(struct nnadev), sizeof(*dev));
	if (!dev)
		return -ENOMEM;
	memset(dev, 0, sizeof(*dev));
	dev->bus.params = *params;
	if (!dev->bus.params.threads)
		dev->bus.params.threads = nnadev_workers_cpus();
	if (!dev->bus.params.tick_hz)
		dev->bus.params.tick_hz = NNAHW_TICK_HZ;
	dev->exec.bus = &dev->bus;
	dev->exec.threads = dev->bus.params.threads;
	dev->exec.prepare = nnadev_engine_prepare;
	dev->age_ns = NNADEV_CP_AGE_NS;
	dev->slice_ns = NNADEV_CP_SLICE_NS;
	dev->exec.job_limit = params->job_limit_ns ? params->job_limit_ns : NNAHW_JOB_LIMIT_NS;
	dev->exec.operand_bytes = NNADEV_OPERAND_BYTES;
	r = choose_isa(params->isa, &dev->exec.isa);
	if (r)
		goto err_free;
	atomic_init(&dev->status, NNAHW_REG_STATUS_READY);
	nnadev_mmu_init(&dev->exec.mmu, &dev->bus.memory);
	for (uint32_t i = 0; i < NNAHW_RINGS; i++) {
		dev->rings[i].index = i;
		nnadev_ring_reset(&dev->rings[i]);
	}
	for (uint32_t i = 0; i < NNAHW_JOB_RINGS; i++)
		dev->jobs[i].ring = &dev->rings[i];
	r = -pthread_mutex_init(&dev->bus.lock, NULL);
	if (r)
		goto err_free;
	r = nnadev_gate_init(&dev->gate);
	if (r)
		goto err_lock;
	r = nnadev_workers_create(dev->bus.params.threads, dev->bus.params.spin_ns,
				  &dev->exec.workers);
	if (r)
		goto err_gate;
	dev->slice = NNADEV_CP_NO_SLICE;
	dev->exec.known = nnadev_pages_create(NNADEV_JOB_KNOWN_SIZE, true);
	if (!params->lent)
		r = nnadev_thread_create(&dev->processor, nnadev_cp_main, dev);
	if (r)
		goto err_pool;
	*out = dev;
	return 0;

err_pool:
	nnadev_pages_destroy(dev->exec.known, NNADEV_JOB_KNOWN_SIZE);
	nnadev_workers_destroy(dev->exec.workers);
err_gate:
	nnadev_gate_fini(&dev->gate);
err_lock:
	pthread_mutex_destroy(&dev->bus.lock);
err_free:
	free(dev);
	return r;
}

void nnadev_destroy(struct nnadev *dev)
{
	if (!dev)
		return;
	atomic_store(&dev->quit, true);
	nnadev_event_raise(&dev->exec.event);
	if (!dev->bus.params.lent)
		pthread_join(dev->processor, NULL);
	nnadev_cp_fini(dev);
	nnadev_workers_destroy(dev->exec.workers);
	for (uint32_t i = 0; i < NNAHW_JOB_RINGS; i++)
		nnadev_job_fini(&dev->jobs[i]);
	nnadev_pages_destroy(dev->exec.known, NNADEV_JOB_KNOWN_SIZE);
	for (uint32_t i = 0; i < NNADEV_EXEC_THREADS; i++)
		free(dev->exec.scratch[i].data);
	nnadev_mmu_fini(&dev->exec.mmu);
	nnadev_memory_fini(&dev->bus.memory);
	nnadev_gate_fini(&dev->gate);
	pthread_mutex_destroy(&dev->bus.lock);
	free(dev);
}

/* Value of the 64-bit register at @offset (a multiple of 8), if there is one. */
static bool read64(struct nnadev *dev, uint64_t offset, uint64_t *value)
{
	struct nnadev_counters *c = &dev->bus.counters;
	uint64_t hz = dev->bus.params.tick_hz;

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
		return NNADEV_BUS_VECTORS;
	case NNAHW_REG_CONTROL:
		return atomic_load(&dev->exec.enabled) ? NNAHW_REG_CONTROL_ENABLE : 0;
	case NNAHW_REG_STATUS:
		return atomic_load(&dev->status);
	case NNAHW_REG_WORKERS:
		return dev->bus.params.threads;
	case NNAHW_REG_TIMESTAMP:
		value = nnadev_clock_to_ticks(dev->bus.params.tick_hz, nnadev_clock_now());
		atomic_store(&dev->latch, (uint32_t)(value >> 32));
		return (uint32_t)value;
	case NNAHW_REG_TIMESTAMP + 4:
		return atomic_load(&dev->latch);
	default:
		break;
	}
	if (offset >= NNAHW_RING_REGS &&
	    offset < NNAHW_RING_REGS + NNAHW_RINGS * NNAHW_RING_STRIDE) {
		pthread_mutex_lock(&dev->bus.lock);
		value = nnadev_ring_read(
			&dev->rings[(offset - NNAHW_RING_REGS) / NNAHW_RING_STRIDE],
			(offset - NNAHW_RING_REGS) % NNAHW_RING_STRIDE,
			dev->bus.params.tick_hz);
		pthread_mutex_unlock(&dev->bus.lock);
		return (uint32_t)value;
	}
	if (read64(dev, offset & ~7ull, &value))
		return (uint32_t)(offset & 4 ? value >> 32 : value);
	return 0;
}

uint64_t nnadev_reg_read(struct nnadev *dev, uint64_t offset, uint32_t size)
{
	uint64_t value;

	nnadev_count(&dev->bus.counters.mmio_reads, 1);
	if (atomic_load_explicit(&dev->bus.inject[NNADEV_INJECT_DEAD], memory_order_relaxed))
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
	pthread_mutex_lock(&dev->bus.lock);
	atomic_store(&dev->status, NNAHW_REG_STATUS_RESETTING);
	atomic_store(&dev->exec.enabled, false);
	for (uint32_t i = 0; i < NNAHW_RINGS; i++)
		nnadev_ring_reset(&dev->rings[i]);
	atomic_store(&dev->reset, true);
	pthread_mutex_unlock(&dev->bus.lock);
	nnadev_event_raise(&dev->exec.event);
}

static void write32(struct nnadev *dev, uint64_t offset, uint32_t value)
{
	bool changed = false;

	/* The first case is the hot one. */
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
	pthread_mutex_lock(&dev->bus.lock);
	if (atomic_load(&dev->status) & NNAHW_REG_STATUS_READY) {
		if (offset == NNAHW_REG_CONTROL) {
			atomic_store(&dev->exec.enabled, value & NNAHW_REG_CONTROL_ENABLE);
			changed = true;
		} else if (offset >= NNAHW_RING_REGS &&
			   offset < NNAHW_RING_REGS + NNAHW_RINGS * NNAHW_RING_STRIDE) {
			uint32_t at = (offset - NNAHW_RING_REGS) % NNAHW_RING_STRIDE;

			nnadev_ring_write(
				&dev->rings[(offset - NNAHW_RING_REGS) / NNAHW_RING_STRIDE], at,
				value);
			changed = at == NNAHW_RING_REG_CONTROL;
		}
	}
	pthread_mutex_unlock(&dev->bus.lock);
	if (changed)
		nnadev_event_raise(&dev->exec.event);
}

void nnadev_reg_write(struct nnadev *dev, uint64_t offset, uint32_t size, uint64_t value)
{
	nnadev_count(&dev->bus.counters.mmio_writes, 1);
	if (atomic_load_explicit(&dev->bus.inject[NNADEV_INJECT_DEAD], memory_order_relaxed))
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

int nnadev_dma_map(struct nnadev *dev, uint64_t iova, uint64_t size, int fd, uint64_t offset,
		   uint32_t prot)
{
	int r;

	/* What may only be written can be read as well: a PCI bus knows no such protection. */
	if (!prot || prot & ~(uint32_t)(NNADEV_PROT_READ | NNADEV_PROT_WRITE))
		return -EINVAL;
	nnadev_gate_visit(&dev->gate, &dev->exec.event);
	r = nnadev_memory_map(&dev->bus.memory, iova, size, fd, offset, prot & NNADEV_PROT_WRITE);
	nnadev_gate_part(&dev->gate);
	return r;
}

int nnadev_dma_map_memory(struct nnadev *dev, uint64_t iova, uint64_t size, void *data)
{
	int r;

	nnadev_gate_visit(&dev->gate, &dev->exec.event);
	r = nnadev_memory_map_data(&dev->bus.memory, iova, size, data);
	nnadev_gate_part(&dev->gate);
	return r;
}

int nnadev_dma_unmap(struct nnadev *dev, uint64_t iova, uint64_t size)
{
	struct nnadev_file *gone = NULL;
	int r;

	nnadev_gate_visit(&dev->gate, &dev->exec.event);
	r = nnadev_memory_covers(&dev->bus.memory, iova, size);
	if (!r) {
		nnadev_mmu_drop_bus(&dev->exec.mmu, iova, size);
		gone = nnadev_memory_unmap(&dev->bus.memory, iova, size);
	}
	nnadev_gate_part(&dev->gate);
	/* That can take long, and jobs need not wait for it. */
	nnadev_file_free(gone);
	return r;
}

void nnadev_bus_master(struct nnadev *dev, bool on)
{
	nnadev_gate_visit(&dev->gate, &dev->exec.event);
	dev->bus.memory.off = !on;
	if (!on)
		nnadev_mmu_drop_bus(&dev->exec.mmu, 0, UINT64_MAX);
	nnadev_gate_part(&dev->gate);
}

const char *nnadev_isa_name(const struct nnadev *dev)
{
	return nnadev_engine_isa_name(dev->exec.isa);
}

bool nnadev_sigbus(void *address)
{
	return nnadev_exec_sigbus(address);
}

int nnadev_inject(struct nnadev *dev, enum nnadev_inject what, uint64_t value)
{
	if (what < NNADEV_INJECT_HANG || what > NNADEV_INJECT_DEAD)
		return -EINVAL;
	if (what == NNADEV_INJECT_SPURIOUS_IRQ) {
		for (; value; value--)
			for (uint32_t v = 0; v < NNADEV_BUS_VECTORS; v++)
				nnadev_bus_interrupt(&dev->bus, v);
		return 0;
	}
	atomic_store(&dev->bus.inject[what], value);
	return 0;
}
