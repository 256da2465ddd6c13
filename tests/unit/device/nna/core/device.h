/* SPDX-License-Identifier: MIT */
/*
 * A rig for tests of the device model: a device over a memfd as bus memory, with page tables, rings
 * and streams as a driver would set them up. Everything that goes wrong in the rig itself ends the
 * process.
 */
#ifndef TEST_DEVICE_H
#define TEST_DEVICE_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "device/nna/core/cp.h"
#include "tests/must.h"

#define RIG_BUS 0x100000000ull /* bus address of the first byte of the memfd */
#define RIG_SIZE (24u << 20)
#define RIG_PAGE 4096u
#define RIG_RING 16u		/* entries */
#define RIG_WAIT 60000000000ull /* ns after which a wait is given up: a hang, not a measurement */

/* Virtual addresses of what every address space of the rig has. */
#define RIG_VA_STREAM 0x10000000ull
#define RIG_VA_TABLE 0x20000000ull
#define RIG_VA_REPORT 0x30000000ull
#define RIG_VA_DATA 0x40000000ull
#define RIG_DATA_PAGES 64u
#define RIG_STREAM_PAGES 16u

struct rig_ring {
	uint64_t base, cq;
	uint32_t size, posted, seen;
};

struct rig {
	struct nnadev *dev;
	int fd;
	uint8_t *mem;
	uint64_t next;
	struct nnadev_event irq;
	_Atomic uint32_t irqs[NNAHW_RINGS];
	_Atomic uint32_t lines;
	struct rig_ring rings[NNAHW_RINGS];
	uint32_t seqno;
};

/* An address space with a stream, a base table, a report and data, each mapped by small pages. */
struct rig_space {
	uint32_t asid;
	uint64_t root;
	uint64_t stream, table, report, data; /* bus addresses */
	uint32_t stream_size;
};

static inline void *rig_at(struct rig *rig, uint64_t bus)
{
	must(bus >= RIG_BUS && bus < RIG_BUS + RIG_SIZE);
	return rig->mem + (bus - RIG_BUS);
}

static inline uint64_t rig_pages(struct rig *rig, uint32_t n, uint64_t align)
{
	uint64_t at = (rig->next + align - 1) & ~(align - 1);

	rig->next = at + (uint64_t)n * RIG_PAGE;
	must(rig->next <= RIG_BUS + RIG_SIZE);
	return at;
}

static inline void rig_irq(void *user, uint32_t vector)
{
	struct rig *rig = user;

	must(vector < NNAHW_RINGS);
	atomic_fetch_add(&rig->irqs[vector], 1);
	nnadev_event_raise(&rig->irq);
}

static inline void rig_log(void *user, const char *line)
{
	struct rig *rig = user;

	must(line[0]);
	atomic_fetch_add(&rig->lines, 1);
}

static inline uint32_t rig_ring_reg(uint32_t ring, uint32_t reg)
{
	return NNAHW_RING_REGS + ring * NNAHW_RING_STRIDE + reg;
}

static inline void rig_write(struct rig *rig, uint32_t offset, uint32_t value)
{
	nnadev_reg_write(rig->dev, offset, 4, value);
}

static inline uint32_t rig_read(struct rig *rig, uint32_t offset)
{
	return (uint32_t)nnadev_reg_read(rig->dev, offset, 4);
}

static inline void rig_ring_enable(struct rig *rig, uint32_t ring, uint32_t size)
{
	struct rig_ring *r = &rig->rings[ring];

	if (!r->base) {
		r->base = rig_pages(rig, (NNAHW_RING_SIZE_MAX * 128) / RIG_PAGE, RIG_PAGE);
		r->cq = rig_pages(rig, (NNAHW_RING_SIZE_MAX * 16) / RIG_PAGE, RIG_PAGE);
	}
	memset(rig_at(rig, r->base), 0, NNAHW_RING_SIZE_MAX * 128);
	memset(rig_at(rig, r->cq), 0, NNAHW_RING_SIZE_MAX * 16);
	r->size = size;
	r->posted = 0;
	r->seen = 0;
	nnadev_reg_write(rig->dev, rig_ring_reg(ring, NNAHW_RING_REG_BASE), 8, r->base);
	nnadev_reg_write(rig->dev, rig_ring_reg(ring, NNAHW_RING_REG_CQ_BASE), 8, r->cq);
	rig_write(rig, rig_ring_reg(ring, NNAHW_RING_REG_SIZE), size);
	rig_write(rig, rig_ring_reg(ring, NNAHW_RING_REG_VECTOR), ring);
	rig_write(rig, rig_ring_reg(ring, NNAHW_RING_REG_CONTROL), NNAHW_RING_REG_CONTROL_ENABLE);
}

static inline void rig_enable(struct rig *rig)
{
	for (uint32_t i = 0; i < NNAHW_RINGS; i++)
		rig_ring_enable(rig, i, RIG_RING);
	rig_write(rig, NNAHW_REG_CONTROL, NNAHW_REG_CONTROL_ENABLE);
}

static inline void rig_init_at(struct rig *rig, uint32_t threads, uint64_t tick_hz, bool lent)
{
	struct nnadev_params params = {
		.threads = threads,
		.tick_hz = tick_hz,
		.lent = lent,
		.isa = NNADEV_ISA_AUTO,
		.raise_irq = rig_irq,
		.log = rig_log,
		.user = rig,
	};

	memset(rig, 0, sizeof(*rig));
	rig->fd = memfd_create("bus", MFD_CLOEXEC);
	must(rig->fd >= 0 && !ftruncate(rig->fd, RIG_SIZE));
	rig->mem = mmap(NULL, RIG_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, rig->fd, 0);
	must(rig->mem != MAP_FAILED);
	rig->next = RIG_BUS + RIG_PAGE;
	must(!nnadev_create(&params, &rig->dev));
	must(!nnadev_dma_map(rig->dev, RIG_BUS, RIG_SIZE, rig->fd, 0,
				 NNADEV_PROT_READ | NNADEV_PROT_WRITE));
	rig_enable(rig);
}

static inline void rig_init(struct rig *rig, uint32_t threads)
{
	rig_init_at(rig, threads, 0, false);
}

static inline void rig_fini(struct rig *rig)
{
	nnadev_destroy(rig->dev);
	munmap(rig->mem, RIG_SIZE);
	close(rig->fd);
}

/* Address of the entry that maps @va at @level, with the tables above it made. */
static inline uint64_t *rig_pte(struct rig *rig, uint64_t root, uint64_t va, int level)
{
	uint64_t table = root;

	for (int l = NNAHW_PT_LEVELS - 1;; l--) {
		uint64_t *e = (uint64_t *)rig_at(rig, table) + (va >> (12 + 9 * l) & 511);

		if (l == level)
			return e;
		if (!(*e & NNAHW_PTE_VALID))
			*e = rig_pages(rig, 1, RIG_PAGE) | NNAHW_PTE_VALID;
		table = *e & NNAHW_PTE_ADDRESS;
	}
}

static inline void rig_map(struct rig *rig, uint64_t root, uint64_t va, uint64_t bus,
			   uint32_t pages, uint64_t flags)
{
	for (uint32_t i = 0; i < pages; i++)
		*rig_pte(rig, root, va + i * RIG_PAGE, 0) =
			(bus + i * RIG_PAGE) | NNAHW_PTE_VALID | flags;
}

static inline void rig_space_init(struct rig *rig, struct rig_space *s, uint32_t asid)
{
	s->asid = asid;
	s->root = rig_pages(rig, 1, RIG_PAGE);
	s->stream = rig_pages(rig, RIG_STREAM_PAGES, RIG_PAGE);
	s->table = rig_pages(rig, 1, RIG_PAGE);
	s->report = rig_pages(rig, 1, RIG_PAGE);
	s->data = rig_pages(rig, RIG_DATA_PAGES, RIG_PAGE);
	s->stream_size = 0;
	rig_map(rig, s->root, RIG_VA_STREAM, s->stream, RIG_STREAM_PAGES, 0);
	rig_map(rig, s->root, RIG_VA_TABLE, s->table, 1, 0);
	rig_map(rig, s->root, RIG_VA_REPORT, s->report, 1, NNAHW_PTE_WRITE);
	rig_map(rig, s->root, RIG_VA_DATA, s->data, RIG_DATA_PAGES, NNAHW_PTE_WRITE);
}

/* Starts an empty stream in the space. */
static inline void rig_stream_begin(struct rig *rig, struct rig_space *s)
{
	struct nnahw_stream_header *h = rig_at(rig, s->stream);

	memset(h, 0, RIG_STREAM_PAGES * RIG_PAGE);
	h->magic = NNAHW_STREAM_MAGIC;
	h->version = NNAHW_STREAM_ABI;
	h->layout = NNAHW_LAYOUT_ABI;
	h->size = sizeof(*h);
	s->stream_size = sizeof(*h);
}

/* Appends a command of @size bytes, zero but for its head. */
static inline void *rig_command(struct rig *rig, struct rig_space *s, uint16_t opcode,
				uint32_t size)
{
	struct nnahw_stream_header *h = rig_at(rig, s->stream);
	struct nnahw_command *c = (void *)((uint8_t *)h + h->size);

	must(h->size + size <= RIG_STREAM_PAGES * RIG_PAGE);
	memset(c, 0, size);
	c->opcode = opcode;
	c->size = size;
	h->size += size;
	h->command_count++;
	s->stream_size = h->size;
	return c;
}

static inline void rig_slot(struct rig *rig, struct rig_space *s, uint32_t slot, uint64_t va,
			    uint64_t size)
{
	struct nnahw_base *b = (struct nnahw_base *)rig_at(rig, s->table) + slot;

	b->address = va;
	b->size = size;
}

/* A contiguous tensor of up to four dims (end with 0). */
static inline struct nnahw_tensor rig_tensor(uint32_t type, uint32_t slot, uint64_t offset,
					     uint32_t d0, uint32_t d1, uint32_t d2, uint32_t d3)
{
	struct nnahw_tensor t = { .type = (uint8_t)type, .slot = (uint8_t)slot, .offset = offset };
	uint32_t dims[4] = { d0, d1, d2, d3 };
	int32_t stride = 1;

	while (t.rank < 4 && dims[t.rank]) {
		t.dims[t.rank] = dims[t.rank];
		t.rank++;
	}
	for (uint32_t i = t.rank; i-- > 0;) {
		t.strides[i] = stride;
		stride *= (int32_t)t.dims[i];
	}
	return t;
}

static inline struct nnahw_ring_entry rig_job(struct rig *rig, const struct rig_space *s)
{
	struct nnahw_ring_entry e = {
		.type = NNAHW_ENTRY_JOB,
		.seqno = ++rig->seqno,
		.asid = s->asid,
		.root = s->root,
		.stream = RIG_VA_STREAM,
		.stream_size = s->stream_size,
		.base_table = RIG_VA_TABLE,
		.slot_count = 8,
		.report = RIG_VA_REPORT,
	};

	return e;
}

/* Writes an entry without ringing. */
static inline void rig_put(struct rig *rig, uint32_t ring, const struct nnahw_ring_entry *e)
{
	struct rig_ring *r = &rig->rings[ring];

	memcpy((struct nnahw_ring_entry *)rig_at(rig, r->base) + r->posted++ % r->size, e,
	       sizeof(*e));
}

static inline void rig_ring_bell(struct rig *rig, uint32_t ring)
{
	rig_write(rig, NNAHW_DOORBELLS + 4 * ring, rig->rings[ring].posted);
}

static inline void rig_submit(struct rig *rig, uint32_t ring, const struct nnahw_ring_entry *e)
{
	rig_put(rig, ring, e);
	rig_ring_bell(rig, ring);
}

/* Whether the next completion of a ring is there; it is copied and counted as seen. */
static inline bool rig_poll(struct rig *rig, uint32_t ring, struct nnahw_completion *out)
{
	struct rig_ring *r = &rig->rings[ring];
	struct nnahw_completion *c = (struct nnahw_completion *)rig_at(rig, r->cq) +
				     r->seen % r->size;
	uint32_t word = __atomic_load_n((uint32_t *)(void *)&c->status, __ATOMIC_ACQUIRE);
	uint32_t phase = r->seen & r->size ? 0 : NNAHW_COMPLETION_PHASE;

	if ((word >> 16 & NNAHW_COMPLETION_PHASE) != phase)
		return false;
	out->seqno = __atomic_load_n(&c->seqno, __ATOMIC_RELAXED);
	out->detail = __atomic_load_n(&c->detail, __ATOMIC_RELAXED);
	out->status = (uint16_t)word;
	out->flags = (uint16_t)(word >> 16);
	r->seen++;
	return true;
}

static inline struct nnahw_completion rig_wait(struct rig *rig, uint32_t ring)
{
	uint64_t until = nnadev_clock_now() + RIG_WAIT;
	struct nnahw_completion c = { 0 };

	for (;;) {
		uint32_t seq = nnadev_event_read(&rig->irq);

		if (rig_poll(rig, ring, &c))
			return c;
		must(nnadev_clock_now() < until);
		nnadev_event_wait(&rig->irq, seq, until);
	}
}

static inline struct nnahw_completion rig_run(struct rig *rig, uint32_t ring,
					      const struct nnahw_ring_entry *e)
{
	rig_submit(rig, ring, e);
	return rig_wait(rig, ring);
}

/* Runs one entry of the control ring and expects it to end well. */
static inline void rig_control(struct rig *rig, uint32_t type, uint32_t asid, uint32_t target,
			       uint64_t address, uint64_t length)
{
	struct nnahw_ring_entry e = {
		.type = type,
		.seqno = ++rig->seqno,
		.asid = asid,
		.target = target,
		.address = address,
		.length = length,
	};
	struct nnahw_completion c = rig_run(rig, NNAHW_CONTROL_RING, &e);

	must(c.seqno == e.seqno && !c.status);
}

static inline void rig_invalidate(struct rig *rig, uint32_t asid)
{
	rig_control(rig, NNAHW_ENTRY_INVALIDATE, asid, NNAHW_ENTRY_ALL, 0, 0);
}

static inline const struct nnahw_report *rig_report(struct rig *rig, const struct rig_space *s)
{
	return rig_at(rig, s->report);
}

static inline void rig_end(struct rig *rig, struct rig_space *s)
{
	rig_command(rig, s, NNAHW_OP_END, sizeof(struct nnahw_cmd_end));
}

#endif
