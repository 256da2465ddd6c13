// SPDX-License-Identifier: MIT
/*
 * The device model against a hostile guest: the input is a program of register writes, ring
 * entries, page-table entries, commands, bytes anywhere in bus memory, and DMA mappings that come
 * and go. The model must not crash, and it must not stall, which is measured in work, not in time
 * (work.h):
 *
 *   tiles     tiles.h
 *   RESET     the work until it is done, whatever runs
 *   rings     while what the input has made of its program runs in the lowest ring, an entry of the
 *             highest ring, and ABORT, are done in time
 *
 * At the end a reset must work and a good job must run.
 *
 * A libFuzzer target; fuzz_stream.c and fuzz_mmu.c are the same with fewer kinds of steps, and the
 * unit test includes it and feeds it seeded noise.
 */
#include "tests/unit/device/nna/core/device.h"

#include "hw/gen/nnahw_decode.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/tiles.h"
#include "tests/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Kinds of steps of the input: those of step(), which an input's byte counts modulo this. */
#ifndef FUZZ_STEPS
#define FUZZ_STEPS 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
#endif

static struct rig fuzz_rig;
static struct rig_space fuzz_space;

/* ---- the input ------------------------------------------------------------------------------- */

/* The level-0 table of the data area. The way to it by walking may have been spoiled. */
static uint64_t *fuzz_leaf;

/* A number that is often near something that matters. */
static uint64_t value(struct input *in)
{
	static const uint64_t near[] = {
		0,
		1,
		63,
		64,
		4096,
		RIG_BUS,
		RIG_BUS + RIG_SIZE,
		RIG_VA_STREAM,
		RIG_VA_DATA,
		1ull << 47,
		1ull << 48,
		INT32_MAX,
		UINT32_MAX,
		INT64_MAX,
		UINT64_MAX,
		NNAHW_PTE_ADDRESS,
	};
	uint64_t how = take(in, 1);

	if (how < 64)
		return take(in, 8);
	if (how < 128)
		return take(in, 2);
	return near[how % 16] + (how & 0x40 ? (uint64_t)(int64_t)(int8_t)take(in, 1) : 0);
}

/* Waits until the rings have nothing left to do, but not for long. */
static void settle(struct rig *rig)
{
	for (int i = 0; i < 30; i++) {
		bool busy = false;

		for (uint32_t r = 0; r < NNAHW_RINGS; r++)
			busy |= rig_read(rig, rig_ring_reg(r, NNAHW_RING_REG_STATUS)) ==
					NNAHW_RING_REG_STATUS_RUNNING &&
				rig_read(rig, rig_ring_reg(r, NNAHW_RING_REG_DONE)) !=
					rig_read(rig,
						 rig_ring_reg(r, NNAHW_RING_REG_DOORBELL_SHADOW));
		if (!busy || !rig_read(rig, NNAHW_REG_CONTROL))
			return;
		usleep(i < 20 ? 20 : 500);
	}
}

/*
 * Operands that have to fit together more closely than by chance: equal letters are equal dims; F32
 * where it can be.
 */
static const struct {
	uint16_t opcode;
	const char *dims[NNAHW_MAX_OPERANDS];
} shapes[] = {
	{ NNAHW_OP_ROI, { "nhwc", "bHWc", "n4", "n" } },
	{ NNAHW_OP_NMS, { "b", "bm", "bm4", "bm", "bm", "bnc", "bnc4", "bn", "bn" } },
};

static void fit_shape(struct nnahw_tensor *t, uint32_t types, uint16_t opcode, uint32_t operand,
		      uint32_t shape)
{
	const char *dims = NULL;
	int32_t stride = 1;

	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		if (shapes[i].opcode == opcode)
			dims = shapes[i].dims[operand];
	if (!dims)
		return;
	if (types >> NNAHW_TYPE_F32 & 1) {
		t->type = NNAHW_TYPE_F32;
		t->scale = 0;
	}
	memset(t->dims, 0, sizeof(t->dims));
	memset(t->strides, 0, sizeof(t->strides));
	t->rank = (uint8_t)strlen(dims);
	for (uint32_t k = t->rank; k-- > 0;) {
		t->dims[k] = dims[k] == '4' ? 4 : 1 + shape % (2 + (uint8_t)dims[k] % 5);
		t->strides[k] = stride;
		stride *= (int32_t)t->dims[k];
	}
}

/* A command of good form, over small tensors in slot 0, in which the input then spoils some bytes.
 */
static void add_command(struct rig *rig, struct rig_space *s, struct input *in)
{
	const struct nnahw_command_info *info = &nnahw_commands[take(in, 1) % NNAHW_COMMAND_COUNT];
	uint32_t spoil = take(in, 1) % 4, shape = take(in, 1);
	uint8_t *p;

	if (s->stream_size + info->size > RIG_STREAM_PAGES * RIG_PAGE)
		return;
	p = rig_command(rig, s, info->opcode, info->size);
	for (uint32_t i = 0; i < info->operand_count; i++) {
		struct nnahw_tensor *t = (struct nnahw_tensor *)(p + 16) + i;
		uint32_t type = 1 + take(in, 1) % 10;

		if (info->operands[i].optional && shape & 0x40) {
			t->slot = NNAHW_SLOT_NONE;
			continue;
		}
		while (!(info->operands[i].types >> type & 1))
			type = type % 10 + 1;
		*t = rig_tensor(type, take(in, 1) % 4, take(in, 1) * 8, 1 + shape % 3,
				1 + shape / 3 % 5, 1 + shape % 7, 1 + shape % 4);
		t->scale = type <= NNAHW_TYPE_S16 && shape & 0x80 ? 0.5f : 0;
		fit_shape(t, info->operands[i].types, info->opcode, i, shape);
	}
	for (uint32_t i = 0; i < info->field_count; i++)
		if (info->fields[i].name)
			memset(p + info->fields[i].offset,
			       info->fields[i].kind == NNAHW_FIELD_U32 ? 1 : 0, 1);
	while (spoil--) {
		uint32_t at = take(in, 2) % info->size;
		uint64_t v = value(in);

		memcpy(p + at, &v, at + 8 <= info->size ? 8 : info->size - at);
	}
}

static void submit(struct rig *rig, const struct rig_space *s, struct input *in)
{
	struct nnahw_ring_entry e = rig_job(rig, s);
	uint32_t ring = take(in, 1) % NNAHW_RINGS, spoil = take(in, 1) % 4;

	if (ring == NNAHW_CONTROL_RING) {
		memset(&e, 0, sizeof(e));
		e.type = NNAHW_ENTRY_NOP + take(in, 1) % 4;
		e.asid = (uint32_t)take(in, 1) % 3;
		e.target = (uint32_t)take(in, 1) % 4;
		e.address = e.type >= NNAHW_ENTRY_ABORT ? rig->seqno - take(in, 1) % 4 : value(in);
		e.length = e.type == NNAHW_ENTRY_INVALIDATE ? value(in) : 0;
	}
	while (spoil-- > 1) {
		uint32_t at = take(in, 1) % (sizeof(e) - 7);
		uint64_t v = value(in);

		memcpy((uint8_t *)&e + at, &v, 8);
	}
	rig_put(rig, ring, &e);
	rig_ring_bell(rig, ring);
}

static void step(struct rig *rig, struct rig_space *s, struct input *in)
{
	static const uint64_t areas[] = { RIG_VA_DATA, RIG_VA_STREAM, RIG_VA_TABLE, RIG_VA_REPORT };
	static const uint8_t kinds[] = { FUZZ_STEPS };
	uint64_t v, at;

	switch (kinds[take(in, 1) % sizeof(kinds)]) {
	case 0: /* anywhere in bus memory */
		at = take(in, 4) % (RIG_SIZE - 8);
		v = value(in);
		memcpy(rig->mem + at, &v, 8);
		break;
	case 1:
		at = take(in, 2);
		nnadev_reg_write(rig->dev,
				 at & 0x8000 ? at & 0xfff8
					     : (at & 0x40 ? 0x1000 : 0x2000) + (at & 0x1fc),
				 at & 0x8000 ? 8 : 4, value(in));
		break;
	case 2:
		nnadev_reg_read(rig->dev, take(in, 2), at = take(in, 1) & 8 ? 8 : 4);
		break;
	case 3: /* a page-table entry of what is used */
		at = areas[take(in, 1) % 4] + take(in, 1) % 16 * RIG_PAGE;
		v = take(in, 1) & 1 ? value(in)
				    : (RIG_BUS + take(in, 2) % (RIG_SIZE / RIG_PAGE) * RIG_PAGE) |
					      NNAHW_PTE_VALID;
		*(uint64_t *)(void *)((uint8_t *)rig_at(rig, s->root) +
				      RIG_PAGE * (take(in, 1) % 6) * (v & 1) +
				      (at >> 12 & 511) * 8) = v;
		break;
	case 4:
		v = (s->data + take(in, 1) % 64 * RIG_PAGE) | NNAHW_PTE_VALID |
		    (take(in, 1) & 1 ? NNAHW_PTE_WRITE : 0);
		fuzz_leaf[take(in, 1) % 64] = v;
		break;
	case 5:
		rig_slot(rig, s, take(in, 1) % 8, RIG_VA_DATA + take(in, 1) % 64 * 64, value(in));
		break;
	case 6:
		rig_stream_begin(rig, s);
		break;
	case 7:
		nnadev_dma_map(rig->dev, value(in) & ~0xfffull, take(in, 2) * RIG_PAGE, rig->fd,
			       take(in, 2) * RIG_PAGE, (uint32_t)take(in, 1) % 4);
		break;
	case 8:
		v = value(in) & ~0xfffull;
		if (v >= RIG_BUS + RIG_SIZE)
			nnadev_dma_unmap(rig->dev, v, take(in, 2) * RIG_PAGE);
		break;
	case 9:
		v = 1 + take(in, 1) % 7;
		nnadev_inject(rig->dev, v,
			      v == NNADEV_INJECT_SLOW_NS ? take(in, 1) * 100 : take(in, 1) % 2);
		break;
	case 10:
		if (take(in, 1) < 16)
			nnadev_reset(rig->dev);
		break;
	case 11:
		settle(rig);
		break;
	case 12:
	case 13:
		add_command(rig, s, in);
		break;
	default:
		submit(rig, s, in);
		break;
	}
}

/* ---- how soon the device answers ------------------------------------------------------------- */

/* Work when each vector was last raised. */
static _Atomic uint64_t raised[NNAHW_RINGS];

static void note_irq(void *user, uint32_t vector)
{
	atomic_store(&raised[vector], work_everywhere());
	rig_irq(user, vector);
}

/* Waits until a register of a ring has a value; what never comes is a hang. */
static void await_register(struct rig *rig, uint32_t offset, uint32_t value)
{
	uint64_t until = nnadev_clock_now() + RIG_WAIT;

	while (rig_read(rig, offset) != value) {
		must(nnadev_clock_now() < until);
		usleep(20);
	}
}

/*
 * One entry that needs no memory but its ring's: whoever is served before it does not matter, but
 * how much. The count begins when the doorbell has been written, so that it is never too high.
 */
static void check_entry(struct rig *rig, uint32_t ring, const struct nnahw_ring_entry *e,
			const char *what)
{
	uint64_t before;

	rig_submit(rig, ring, e);
	before = work_everywhere();
	await_register(rig, rig_ring_reg(ring, NNAHW_RING_REG_DONE), rig->rings[ring].posted);
	tiles_check_answer(what, before, atomic_load(&raised[ring]));
}

static void disarm(struct rig *rig)
{
	for (int i = NNADEV_INJECT_HANG; i <= NNADEV_INJECT_DEAD; i++)
		if (i != NNADEV_INJECT_SPURIOUS_IRQ)
			nnadev_inject(rig->dev, (enum nnadev_inject)i, 0);
}

/*
 * What the input has made of its program, page tables and data runs in the lowest ring; the other
 * rings are good ones. What is looked at are registers, since the program may write to any memory.
 */
static void check_answers(struct rig *rig, struct rig_space *s)
{
	struct nnahw_ring_entry nop = { .type = NNAHW_ENTRY_NOP, .seqno = 0x7ffffff0 };
	struct nnahw_ring_entry abort = { .type = NNAHW_ENTRY_ABORT, .seqno = 0x7ffffff1 };
	struct nnahw_ring_entry job = rig_job(rig, s);
	uint64_t before;

	disarm(rig);
	rig_write(rig, NNAHW_REG_RESET, NNAHW_RESET_MAGIC);
	before = work_everywhere();
	await_register(rig, NNAHW_REG_STATUS, NNAHW_REG_STATUS_READY);
	tiles_check_answer("RESET", before, work_everywhere());

	rig_enable(rig);
	rig_submit(rig, 0, &job);
	await_register(rig, rig_ring_reg(0, NNAHW_RING_REG_HEAD), 1);
	check_entry(rig, NNAHW_JOB_RINGS - 1, &nop, "a job of the highest ring");
	abort.address = job.seqno;
	check_entry(rig, NNAHW_CONTROL_RING, &abort, "ABORT");
	await_register(rig, rig_ring_reg(0, NNAHW_RING_REG_DONE), 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	struct nnahw_ring_entry e;
	uint32_t threads = 1 + take(&in, 1) % TILES_THREADS;
	bool scattered = take(&in, 1) & 1;

	rig_init(&fuzz_rig, threads);
	fuzz_rig.dev->base.bus->host.raise_irq = note_irq;
	tiles_watch(fuzz_rig.dev);
	fuzz_rig.dev->exec.job_limit = 3000000;
	fuzz_rig.dev->age_ns = 200000;
	fuzz_rig.dev->slice_ns = 50000;
	fuzz_rig.dev->exec.mmu.max_runs = scattered ? 40 : NNADEV_MMU_RUNS;
	rig_space_init(&fuzz_rig, &fuzz_space, 1);
	fuzz_leaf = rig_pte(&fuzz_rig, fuzz_space.root, RIG_VA_DATA, 0);
	for (uint32_t i = 0; scattered && i < RIG_DATA_PAGES; i++)
		rig_map(&fuzz_rig, fuzz_space.root, RIG_VA_DATA + i * RIG_PAGE,
			fuzz_space.data + (i ^ 1) * RIG_PAGE, 1, NNAHW_PTE_WRITE);
	for (uint32_t i = 0; i < 4; i++)
		rig_slot(&fuzz_rig, &fuzz_space, i, RIG_VA_DATA + i * 8192, 65536);
	rig_stream_begin(&fuzz_rig, &fuzz_space);
	while (in.size) {
		/*
		 * The builder's own view of the stream is not the guest's: memory may have been
		 * overwritten.
		 */
		((struct nnahw_stream_header *)rig_at(&fuzz_rig, fuzz_space.stream))->size =
			fuzz_space.stream_size;
		step(&fuzz_rig, &fuzz_space, &in);
	}
	check_answers(&fuzz_rig, &fuzz_space);

	/* Whatever was done, a reset and a set-up from scratch make it a good device again. */
	nnadev_reset(fuzz_rig.dev);
	fuzz_rig.next = RIG_BUS + RIG_PAGE;
	memset(fuzz_rig.mem, 0, 4u << 20);
	memset(fuzz_rig.rings, 0, sizeof(fuzz_rig.rings));
	fuzz_rig.dev->exec.job_limit = NNAHW_JOB_LIMIT_NS;
	rig_enable(&fuzz_rig);
	rig_space_init(&fuzz_rig, &fuzz_space, 2);
	rig_stream_begin(&fuzz_rig, &fuzz_space);
	rig_end(&fuzz_rig, &fuzz_space);
	e = rig_job(&fuzz_rig, &fuzz_space);
	must(rig_run(&fuzz_rig, 0, &e).status == NNAHW_STATUS_OK);
	rig_fini(&fuzz_rig);
	return 0;
}
