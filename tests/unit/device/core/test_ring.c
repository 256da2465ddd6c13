// SPDX-License-Identifier: MIT
/* Registers, rings, entries and completions of the device model. */
#include "tests/unit/device/core/device.h"

static struct rig rig;
static struct rig_space space;

static int set_up(void **state)
{
	rig_init(&rig, 1);
	rig_space_init(&rig, &space, 1);
	rig_stream_begin(&rig, &space);
	rig_end(&rig, &space);
	return 0;
}

static int tear_down(void **state)
{
	rig_fini(&rig);
	return 0;
}

static void expect(uint32_t ring, const struct nnahw_ring_entry *e, uint32_t status)
{
	struct nnahw_completion c = rig_run(&rig, ring, e);

	assert_int_equal(c.seqno, e->seqno);
	assert_int_equal(c.status, status);
}

static void expect_null_job(void)
{
	struct nnahw_ring_entry e = rig_job(&rig, &space);

	expect(0, &e, NNAHW_STATUS_OK);
}

static void wait_read(uint32_t offset, uint32_t value)
{
	uint64_t until = nnadev_clock_now() + RIG_WAIT;

	while (rig_read(&rig, offset) != value) {
		rig_must(nnadev_clock_now() < until);
		usleep(100);
	}
}

static void test_registers(void **state)
{
	uint32_t low, high;
	uint64_t t;

	assert_int_equal(rig_read(&rig, NNAHW_REG_ID), NNAHW_ID_MAGIC);
	assert_int_equal(rig_read(&rig, NNAHW_REG_VERSION),
			 NNAHW_ABI_MAJOR << 16 | NNAHW_ABI_MINOR);
	assert_int_equal(nnadev_reg_read(rig.dev, NNAHW_REG_ID, 8),
			 (uint64_t)(NNAHW_ABI_MAJOR << 16 | NNAHW_ABI_MINOR) << 32 |
				 NNAHW_ID_MAGIC);
	assert_int_equal(rig_read(&rig, NNAHW_REG_STREAM_VERSION),
			 NNAHW_LAYOUT_ABI << 16 | NNAHW_STREAM_ABI);
	assert_int_equal(rig_read(&rig, NNAHW_REG_JOB_RING_COUNT), NNAHW_JOB_RINGS);
	assert_int_equal(rig_read(&rig, NNAHW_REG_RING_SIZE_LIMIT), NNAHW_RING_SIZE_MAX);
	assert_int_equal(rig_read(&rig, NNAHW_REG_MSIX_COUNT), NNAHW_RINGS);
	assert_int_equal(nnadev_reg_read(rig.dev, NNAHW_REG_JOB_LIMIT, 8), NNAHW_JOB_LIMIT_NS);
	assert_int_equal(rig_read(&rig, NNAHW_REG_JOB_LIMIT + 4), NNAHW_JOB_LIMIT_NS >> 32);
	assert_int_equal(nnadev_reg_read(rig.dev, NNAHW_REG_TIMESTAMP_HZ, 8), NNAHW_TICK_HZ);
	assert_int_equal(rig_read(&rig, NNAHW_REG_STATUS), NNAHW_REG_STATUS_READY);
	assert_int_equal(rig_read(&rig, NNAHW_REG_CONTROL), NNAHW_REG_CONTROL_ENABLE);
	assert_int_equal(rig_read(&rig, NNAHW_REG_WORKERS), 1);
	t = nnadev_clock_now();
	assert_true(nnadev_reg_read(rig.dev, NNAHW_REG_TIMESTAMP, 8) >= t);
	low = rig_read(&rig, NNAHW_REG_TIMESTAMP);
	high = rig_read(&rig, NNAHW_REG_TIMESTAMP + 4);
	assert_true(((uint64_t)high << 32 | low) >= t);
	/* No register, wrong size, not aligned. */
	assert_int_equal(rig_read(&rig, 0x50), 0);
	assert_int_equal(rig_read(&rig, 0xfffc), 0);
	assert_int_equal(nnadev_reg_read(rig.dev, UINT64_MAX - 7, 8), 0);
	assert_int_equal(nnadev_reg_read(rig.dev, NNAHW_REG_ID + 2, 4), 0);
	assert_int_equal(nnadev_reg_read(rig.dev, NNAHW_REG_ID, 1), 0);
	nnadev_reg_write(rig.dev, NNAHW_REG_ID, 4, 7);
	nnadev_reg_write(rig.dev, UINT64_MAX - 3, 4, 7);
	nnadev_reg_write(rig.dev, NNAHW_REG_CONTROL, 2, 0);
	assert_int_equal(rig_read(&rig, NNAHW_REG_ID), NNAHW_ID_MAGIC);
	assert_int_equal(rig_read(&rig, NNAHW_REG_CONTROL), NNAHW_REG_CONTROL_ENABLE);
	assert_true(nnadev_reg_read(rig.dev, NNAHW_REG_COUNT_MMIO_READS, 8) >= 15);
	assert_true(nnadev_reg_read(rig.dev, NNAHW_REG_COUNT_MMIO_WRITES, 8) >= 5);
	/* Ring registers. */
	assert_int_equal(nnadev_reg_read(rig.dev, rig_ring_reg(2, NNAHW_RING_REG_BASE), 8),
			 rig.rings[2].base);
	assert_int_equal(rig_read(&rig, rig_ring_reg(2, NNAHW_RING_REG_CQ_BASE + 4)),
			 rig.rings[2].cq >> 32);
	assert_int_equal(rig_read(&rig, rig_ring_reg(2, NNAHW_RING_REG_SIZE)), RIG_RING);
	assert_int_equal(rig_read(&rig, rig_ring_reg(2, NNAHW_RING_REG_VECTOR)), 2);
	assert_int_equal(rig_read(&rig, rig_ring_reg(2, NNAHW_RING_REG_STATUS)),
			 NNAHW_RING_REG_STATUS_RUNNING);
	rig_write(&rig, rig_ring_reg(2, NNAHW_RING_REG_SIZE), 8);
	assert_int_equal(rig_read(&rig, rig_ring_reg(2, NNAHW_RING_REG_SIZE)), RIG_RING);
}

static void test_null_job(void **state)
{
	struct nnahw_ring_entry e = rig_job(&rig, &space);
	struct nnahw_completion c;

	for (uint32_t ring = 0; ring < NNAHW_JOB_RINGS; ring++) {
		memset(rig_at(&rig, space.report), 0xff, sizeof(struct nnahw_report));
		c = rig_run(&rig, ring, &e);
		assert_int_equal(c.status, NNAHW_STATUS_OK);
		assert_int_equal(c.seqno, e.seqno);
		assert_int_equal(c.flags, NNAHW_COMPLETION_PHASE);
		assert_int_equal(rig_report(&rig, &space)->status, NNAHW_STATUS_OK);
		assert_int_equal(rig_report(&rig, &space)->commands, 1);
		assert_int_equal(rig_report(&rig, &space)->command, 64);
		assert_int_equal(rig_report(&rig, &space)->operand, UINT32_MAX);
		assert_int_equal(rig_report(&rig, &space)->run_time, c.detail);
		assert_true(rig_report(&rig, &space)->end >= rig_report(&rig, &space)->begin);
		assert_int_equal(rig_report(&rig, &space)->reserved[7], 0);
	}
	assert_int_equal(nnadev_reg_read(rig.dev, NNAHW_REG_COUNT_JOBS, 8), NNAHW_JOB_RINGS);
	assert_int_equal(nnadev_reg_read(rig.dev, NNAHW_REG_COUNT_COMMANDS, 8), NNAHW_JOB_RINGS);
	assert_int_equal(nnadev_reg_read(rig.dev, NNAHW_REG_COUNT_FAULTS, 8), 0);
	assert_true(nnadev_reg_read(rig.dev, NNAHW_REG_COUNT_BUSY, 8) > 0);
	assert_true(nnadev_reg_read(rig.dev, NNAHW_REG_COUNT_WALKS, 8) >= 3);
}

/* Without a report; and without END: a stream ends where its last command does. */
static void test_empty_stream(void **state)
{
	struct nnahw_ring_entry e;

	rig_stream_begin(&rig, &space);
	e = rig_job(&rig, &space);
	e.report = 0;
	e.slot_count = 0;
	e.base_table = 0;
	expect(1, &e, NNAHW_STATUS_OK);
}

/*
 * Many laps, several entries per doorbell; in order, and the interrupts are as many as the
 * completions.
 */
static void test_laps(void **state)
{
	uint32_t seen = 0, posted = 0, first = rig.seqno + 1;

	rig_write(&rig, rig_ring_reg(1, NNAHW_RING_REG_CONTROL), 0);
	wait_read(rig_ring_reg(1, NNAHW_RING_REG_STATUS), 0);
	rig_ring_enable(&rig, 1, 8);
	while (seen < 1000) {
		uint32_t n = 1 + seen % 8;

		for (uint32_t i = 0; i < n; i++) {
			struct nnahw_ring_entry e = rig_job(&rig, &space);

			if (posted % 3 == 0)
				e.type = NNAHW_ENTRY_NOP;
			rig_put(&rig, 1, &e);
			posted++;
		}
		rig_ring_bell(&rig, 1);
		while (seen < posted) {
			struct nnahw_completion c = rig_wait(&rig, 1);

			assert_int_equal(c.seqno, first + seen);
			assert_int_equal(c.status, NNAHW_STATUS_OK);
			seen++;
		}
	}
	wait_read(rig_ring_reg(1, NNAHW_RING_REG_DONE), seen);
	assert_int_equal(rig_read(&rig, rig_ring_reg(1, NNAHW_RING_REG_HEAD)), seen);
	assert_int_equal(rig_read(&rig, rig_ring_reg(1, NNAHW_RING_REG_DOORBELL_SHADOW)), seen);
	while (atomic_load(&rig.irqs[1]) != seen)
		usleep(100);
	assert_int_equal(nnadev_reg_read(rig.dev, NNAHW_REG_COUNT_IRQS, 8), seen);
}

static void test_no_irq(void **state)
{
	struct nnahw_ring_entry e = rig_job(&rig, &space);
	struct nnahw_completion c;
	uint32_t irqs;

	e.flags = NNAHW_ENTRY_FLAG_NO_IRQ;
	rig_submit(&rig, 0, &e);
	while (!rig_poll(&rig, 0, &c))
		usleep(100);
	irqs = atomic_load(&rig.irqs[0]);
	expect_null_job();
	assert_int_equal(irqs, 0);
}

static void test_bad_entries(void **state)
{
	struct nnahw_ring_entry good = rig_job(&rig, &space), e;
	static const struct {
		size_t offset;
		uint32_t size;
		uint64_t value;
	} bad[] = {
#define BAD(field, v) { offsetof(struct nnahw_ring_entry, field), sizeof(good.field), v }
		BAD(type, 0),
		BAD(type, 77),
		BAD(type, NNAHW_ENTRY_INVALIDATE),
		BAD(type, NNAHW_ENTRY_ABORT),
		BAD(flags, 2),
		BAD(flags, 1u << 31),
		BAD(root, 8),
		BAD(root, 1ull << 52),
		BAD(root, UINT64_MAX),
		BAD(stream, RIG_VA_STREAM + 32),
		BAD(stream, 1ull << 48),
		BAD(stream, UINT64_MAX - 63),
		BAD(stream, (1ull << 48) - 64),
		BAD(base_table, RIG_VA_TABLE + 8),
		BAD(base_table, 1ull << 48),
		BAD(base_table, (1ull << 48) - 16),
		BAD(report, RIG_VA_REPORT + 32),
		BAD(report, (1ull << 48) - 64),
		BAD(stream_size, 63),
		BAD(stream_size, 0),
		BAD(stream_size, NNAHW_MAX_STREAM_SIZE + 1),
		BAD(stream_size, UINT32_MAX),
		BAD(slot_count, 65),
		BAD(slot_count, UINT32_MAX),
		BAD(start, 32),
		BAD(start, 1024),
		BAD(start, UINT32_MAX & ~63u),
		BAD(target, 1),
		BAD(address, 1),
		BAD(length, 1),
#undef BAD
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		e = good;
		e.seqno = ++rig.seqno;
		memcpy((uint8_t *)&e + bad[i].offset, &bad[i].value, bad[i].size);
		expect(i % NNAHW_JOB_RINGS, &e, NNAHW_STATUS_BAD_ENTRY);
	}
	for (int i = 0; i < 3; i++) {
		e = good;
		e.reserved[i] = 1ull << 40;
		expect(0, &e, NNAHW_STATUS_BAD_ENTRY);
		e.type = NNAHW_ENTRY_NOP;
		expect(0, &e, NNAHW_STATUS_BAD_ENTRY);
		expect(NNAHW_CONTROL_RING, &e, NNAHW_STATUS_BAD_ENTRY);
	}
	/* An interrupt comes even when the flags make no sense. */
	e = good;
	e.flags = UINT32_MAX;
	expect(0, &e, NNAHW_STATUS_BAD_ENTRY);
	expect_null_job();
	assert_true(atomic_load(&rig.lines) > 0);
}

static void test_control_ring(void **state)
{
	struct nnahw_ring_entry e = { .type = NNAHW_ENTRY_NOP, .seqno = 5 };

	expect(NNAHW_CONTROL_RING, &e, NNAHW_STATUS_OK);
	e.type = NNAHW_ENTRY_JOB;
	expect(NNAHW_CONTROL_RING, &e, NNAHW_STATUS_BAD_ENTRY);
	e.type = NNAHW_ENTRY_INVALIDATE;
	e.target = 2;
	expect(NNAHW_CONTROL_RING, &e, NNAHW_STATUS_BAD_ENTRY);
	e.target = 0;
	e.address = UINT64_MAX;
	e.length = UINT64_MAX;
	expect(NNAHW_CONTROL_RING, &e, NNAHW_STATUS_OK);
	e.address = 0;
	expect(NNAHW_CONTROL_RING, &e, NNAHW_STATUS_OK);
	for (e.type = NNAHW_ENTRY_BOOST; e.type >= NNAHW_ENTRY_ABORT; e.type--) {
		e.target = NNAHW_JOB_RINGS;
		e.address = 0;
		expect(NNAHW_CONTROL_RING, &e, NNAHW_STATUS_BAD_ENTRY);
		e.target = 0;
		e.address = 1ull << 32;
		expect(NNAHW_CONTROL_RING, &e, NNAHW_STATUS_BAD_ENTRY);
	}
	e.type = NNAHW_ENTRY_ABORT;
	/*
	 * Of a job that is not there: nothing happens, also not to the one that comes next under
	 * that number.
	 */
	e.address = rig.seqno + 1;
	expect(NNAHW_CONTROL_RING, &e, NNAHW_STATUS_OK);
	expect_null_job();
}

static void test_ring_set_up(void **state)
{
	static const struct {
		uint32_t reg;
		uint64_t value;
	} bad[] = {
		{ NNAHW_RING_REG_BASE, RIG_BUS + 64 },
		{ NNAHW_RING_REG_CQ_BASE, RIG_BUS + 64 },
		{ NNAHW_RING_REG_BASE, 1ull << 52 },
		{ NNAHW_RING_REG_CQ_BASE, UINT64_MAX & ~0xfffull },
		{ NNAHW_RING_REG_SIZE, 0 },
		{ NNAHW_RING_REG_SIZE, 4 },
		{ NNAHW_RING_REG_SIZE, 12 },
		{ NNAHW_RING_REG_SIZE, 2048 },
		{ NNAHW_RING_REG_SIZE, UINT32_MAX },
		{ NNAHW_RING_REG_VECTOR, NNAHW_RINGS },
	};
	struct nnahw_ring_entry e;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		rig_write(&rig, rig_ring_reg(0, NNAHW_RING_REG_CONTROL), 0);
		rig_ring_enable(&rig, 0, RIG_RING);
		rig_write(&rig, rig_ring_reg(0, NNAHW_RING_REG_CONTROL), 0);
		assert_int_equal(rig_read(&rig, rig_ring_reg(0, NNAHW_RING_REG_STATUS)) &
					 NNAHW_RING_REG_STATUS_ERROR,
				 0);
		nnadev_reg_write(rig.dev, rig_ring_reg(0, bad[i].reg),
				 bad[i].reg < NNAHW_RING_REG_SIZE ? 8 : 4, bad[i].value);
		rig_write(&rig, rig_ring_reg(0, NNAHW_RING_REG_CONTROL),
			  NNAHW_RING_REG_CONTROL_ENABLE);
		assert_true(rig_read(&rig, rig_ring_reg(0, NNAHW_RING_REG_STATUS)) &
			    NNAHW_RING_REG_STATUS_ERROR);
		e = rig_job(&rig, &space);
		rig_submit(&rig, 0, &e);
		rig_control(&rig, NNAHW_ENTRY_NOP, 0, 0, 0, 0);
		assert_int_equal(rig_read(&rig, rig_ring_reg(0, NNAHW_RING_REG_HEAD)), 0);
	}
	rig_write(&rig, rig_ring_reg(0, NNAHW_RING_REG_CONTROL), 0);
	rig_ring_enable(&rig, 0, RIG_RING);
	assert_int_equal(rig_read(&rig, rig_ring_reg(0, NNAHW_RING_REG_STATUS)),
			 NNAHW_RING_REG_STATUS_RUNNING);
	expect_null_job();
}

static void ring_recovers(uint32_t ring)
{
	wait_read(rig_ring_reg(ring, NNAHW_RING_REG_STATUS),
		  NNAHW_RING_REG_STATUS_RUNNING | NNAHW_RING_REG_STATUS_ERROR);
	rig_write(&rig, rig_ring_reg(ring, NNAHW_RING_REG_CONTROL), 0);
	wait_read(rig_ring_reg(ring, NNAHW_RING_REG_STATUS), 0);
	rig_ring_enable(&rig, ring, RIG_RING);
	if (ring == NNAHW_CONTROL_RING)
		rig_control(&rig, NNAHW_ENTRY_NOP, 0, 0, 0, 0);
	expect_null_job();
}

static void test_hostile_doorbells(void **state)
{
	static const uint32_t values[] = { RIG_RING + 1, UINT32_MAX, 0x80000000u, 1000 };

	for (uint32_t ring = 0; ring < NNAHW_RINGS; ring++) {
		for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
			rig_write(&rig, NNAHW_DOORBELLS + 4 * ring, values[i]);
			ring_recovers(ring);
		}
	}
	/* Backwards. */
	for (int i = 0; i < 3; i++)
		expect_null_job();
	rig_write(&rig, NNAHW_DOORBELLS, 1);
	ring_recovers(0);
	/* No such ring, and a ring that is off. */
	rig_write(&rig, NNAHW_DOORBELLS + 4 * NNAHW_RINGS, 1);
	nnadev_reg_write(rig.dev, NNAHW_DOORBELLS, 8, 1);
	rig_write(&rig, rig_ring_reg(3, NNAHW_RING_REG_CONTROL), 0);
	rig_write(&rig, NNAHW_DOORBELLS + 12, 1);
	rig_control(&rig, NNAHW_ENTRY_NOP, 0, 0, 0, 0);
}

static void test_unreachable_rings(void **state)
{
	struct nnahw_ring_entry e = rig_job(&rig, &space);

	for (int cq = 0; cq < 2; cq++) {
		rig_write(&rig, rig_ring_reg(0, NNAHW_RING_REG_CONTROL), 0);
		wait_read(rig_ring_reg(0, NNAHW_RING_REG_STATUS), 0);
		rig_ring_enable(&rig, 0, RIG_RING);
		rig_write(&rig, rig_ring_reg(0, NNAHW_RING_REG_CONTROL), 0);
		nnadev_reg_write(rig.dev,
				 rig_ring_reg(0, cq ? NNAHW_RING_REG_CQ_BASE : NNAHW_RING_REG_BASE),
				 8, RIG_BUS + RIG_SIZE);
		rig_write(&rig, rig_ring_reg(0, NNAHW_RING_REG_CONTROL),
			  NNAHW_RING_REG_CONTROL_ENABLE);
		rig_submit(&rig, 0, &e);
		ring_recovers(0);
	}
}

static void test_switched_off(void **state)
{
	struct nnahw_ring_entry e = rig_job(&rig, &space);
	struct nnahw_completion c;

	rig_write(&rig, NNAHW_REG_CONTROL, 0);
	rig_submit(&rig, 0, &e);
	usleep(2000);
	assert_false(rig_poll(&rig, 0, &c));
	rig_write(&rig, NNAHW_REG_CONTROL, NNAHW_REG_CONTROL_ENABLE);
	assert_int_equal(rig_wait(&rig, 0).status, NNAHW_STATUS_OK);
}

static void start_hanging(uint32_t ring, struct nnahw_ring_entry *e)
{
	nnadev_inject(rig.dev, NNADEV_INJECT_HANG, 1);
	*e = rig_job(&rig, &space);
	rig_submit(&rig, ring, e);
	wait_read(rig_ring_reg(ring, NNAHW_RING_REG_HEAD), rig.rings[ring].posted);
}

static void test_ring_off_while_busy(void **state)
{
	struct nnahw_ring_entry e;
	struct nnahw_completion c;

	start_hanging(2, &e);
	rig_write(&rig, rig_ring_reg(2, NNAHW_RING_REG_CONTROL), 0);
	wait_read(rig_ring_reg(2, NNAHW_RING_REG_STATUS), 0);
	assert_false(rig_poll(&rig, 2, &c));
	rig_ring_enable(&rig, 2, RIG_RING);
	e = rig_job(&rig, &space);
	expect(2, &e, NNAHW_STATUS_OK);
}

static void after_reset(void)
{
	struct nnahw_completion c;

	assert_int_equal(rig_read(&rig, NNAHW_REG_STATUS), NNAHW_REG_STATUS_READY);
	assert_int_equal(rig_read(&rig, NNAHW_REG_CONTROL), 0);
	for (uint32_t i = 0; i < NNAHW_RINGS; i++) {
		assert_int_equal(rig_read(&rig, rig_ring_reg(i, NNAHW_RING_REG_STATUS)), 0);
		assert_int_equal(nnadev_reg_read(rig.dev, rig_ring_reg(i, NNAHW_RING_REG_BASE), 8),
				 0);
		assert_false(rig_poll(&rig, i, &c));
	}
	assert_int_equal(nnadev_reg_read(rig.dev, NNAHW_REG_COUNT_JOBS, 8), 0);
	rig_enable(&rig);
	expect_null_job();
}

static void test_reset(void **state)
{
	struct nnahw_ring_entry e;

	start_hanging(1, &e);
	rig_write(&rig, NNAHW_REG_RESET, 1);
	assert_int_equal(rig_read(&rig, NNAHW_REG_STATUS), NNAHW_REG_STATUS_READY);
	rig_write(&rig, NNAHW_REG_RESET, NNAHW_RESET_MAGIC);
	wait_read(NNAHW_REG_STATUS, NNAHW_REG_STATUS_READY);
	after_reset();
	start_hanging(1, &e);
	nnadev_reset(rig.dev);
	after_reset();
}

static void test_reset_refused(void **state)
{
	nnadev_inject(rig.dev, NNADEV_INJECT_REFUSE_RESET, 1);
	nnadev_reset(rig.dev);
	assert_int_equal(rig_read(&rig, NNAHW_REG_STATUS), NNAHW_REG_STATUS_RESETTING);
	rig_write(&rig, NNAHW_REG_CONTROL, NNAHW_REG_CONTROL_ENABLE);
	assert_int_equal(rig_read(&rig, NNAHW_REG_CONTROL), 0);
	nnadev_reset(rig.dev);
	after_reset();
}

static void abort_job(uint32_t ring, uint32_t seqno)
{
	rig_control(&rig, NNAHW_ENTRY_ABORT, 0, ring, seqno, 0);
}

static void test_hang(void **state)
{
	struct nnahw_ring_entry e;
	struct nnahw_completion c;

	/* Ended by ABORT of its own number only. */
	start_hanging(1, &e);
	abort_job(1, e.seqno + 1);
	abort_job(2, e.seqno);
	assert_false(rig_poll(&rig, 1, &c));
	abort_job(1, e.seqno);
	c = rig_wait(&rig, 1);
	assert_int_equal(c.status, NNAHW_STATUS_ABORTED);
	assert_int_equal(rig_report(&rig, &space)->status, NNAHW_STATUS_ABORTED);
	/* By its budget. */
	nnadev_inject(rig.dev, NNADEV_INJECT_HANG, 1);
	e = rig_job(&rig, &space);
	e.budget = 20000000;
	expect(0, &e, NNAHW_STATUS_BUDGET);
	assert_true(rig_report(&rig, &space)->run_time > e.budget);
	/* By its deadline. */
	nnadev_inject(rig.dev, NNADEV_INJECT_HANG, 1);
	e = rig_job(&rig, &space);
	e.deadline = nnadev_clock_now() + 20000000;
	expect(0, &e, NNAHW_STATUS_DEADLINE);
	/* It keeps nobody of a higher ring, whose time is not its own. */
	nnadev_inject(rig.dev, NNADEV_INJECT_HANG, 1);
	e = rig_job(&rig, &space);
	e.budget = 50000000;
	rig_submit(&rig, 0, &e);
	wait_read(rig_ring_reg(0, NNAHW_RING_REG_HEAD), rig.rings[0].posted);
	for (int i = 0; i < 10; i++) {
		struct nnahw_ring_entry high = rig_job(&rig, &space);

		expect(3, &high, NNAHW_STATUS_OK);
	}
	assert_int_equal(rig_wait(&rig, 0).status, NNAHW_STATUS_BUDGET);
	expect_null_job();
}

static void test_abort_queued(void **state)
{
	struct nnahw_ring_entry e[4];
	static const uint32_t expected[4] = { NNAHW_STATUS_ABORTED, NNAHW_STATUS_OK,
					      NNAHW_STATUS_ABORTED, NNAHW_STATUS_OK };

	start_hanging(1, &e[0]);
	for (int i = 1; i < 4; i++) {
		e[i] = rig_job(&rig, &space);
		rig_submit(&rig, 1, &e[i]);
	}
	abort_job(1, e[2].seqno);
	abort_job(1, e[0].seqno);
	for (int i = 0; i < 4; i++) {
		struct nnahw_completion c = rig_wait(&rig, 1);

		assert_int_equal(c.seqno, e[i].seqno);
		assert_int_equal(c.status, expected[i]);
	}
}

static void test_deadline_before_start(void **state)
{
	struct nnahw_ring_entry e = rig_job(&rig, &space);

	e.deadline = nnadev_clock_now() - 1;
	expect(0, &e, NNAHW_STATUS_DEADLINE);
	assert_int_equal(rig_report(&rig, &space)->commands, 0);
	e.deadline = nnadev_clock_now() + RIG_WAIT;
	expect(0, &e, NNAHW_STATUS_OK);
}

static void test_stuck(void **state)
{
	struct nnahw_ring_entry e = rig_job(&rig, &space);
	struct nnahw_completion c;

	nnadev_inject(rig.dev, NNADEV_INJECT_STUCK, 1);
	e.budget = 1000;
	rig_submit(&rig, 0, &e);
	wait_read(rig_ring_reg(0, NNAHW_RING_REG_HEAD), 1);
	abort_job(0, e.seqno);
	usleep(5000);
	assert_false(rig_poll(&rig, 0, &c));
	nnadev_reset(rig.dev);
	after_reset();
}

static void test_injections(void **state)
{
	struct nnahw_ring_entry e = rig_job(&rig, &space);
	struct nnahw_completion c;

	assert_int_equal(nnadev_inject(rig.dev, 0, 1), -EINVAL);
	assert_int_equal(nnadev_inject(rig.dev, 99, 1), -EINVAL);
	nnadev_inject(rig.dev, NNADEV_INJECT_DROP_IRQ, 1);
	rig_submit(&rig, 0, &e);
	while (!rig_poll(&rig, 0, &c))
		usleep(100);
	rig_control(&rig, NNAHW_ENTRY_NOP, 0, 0, 0, 0);
	assert_int_equal(atomic_load(&rig.irqs[0]), 0);
	nnadev_inject(rig.dev, NNADEV_INJECT_SPURIOUS_IRQ, 2);
	assert_int_equal(atomic_load(&rig.irqs[0]), 2);
	nnadev_inject(rig.dev, NNADEV_INJECT_CORRUPT, 1);
	c = rig_run(&rig, 0, &e);
	assert_int_not_equal(c.seqno, e.seqno);
	nnadev_inject(rig.dev, NNADEV_INJECT_SLOW_NS, 3000000);
	c = rig_run(&rig, 0, &e);
	assert_int_equal(c.status, NNAHW_STATUS_OK);
	assert_true(c.detail >= 3000000);
	nnadev_inject(rig.dev, NNADEV_INJECT_SLOW_NS, 0);
	nnadev_inject(rig.dev, NNADEV_INJECT_DEAD, 1);
	assert_int_equal(rig_read(&rig, NNAHW_REG_ID), UINT32_MAX);
	assert_int_equal(nnadev_reg_read(rig.dev, NNAHW_REG_TIMESTAMP, 8), UINT64_MAX);
	rig_write(&rig, NNAHW_REG_CONTROL, 0);
	nnadev_inject(rig.dev, NNADEV_INJECT_DEAD, 0);
	expect_null_job();
}

static void test_create(void **state)
{
	struct nnadev_params params = { .threads = NNADEV_DEV_THREADS + 1 };
	struct nnadev *dev = NULL;

	assert_int_equal(nnadev_create(&params, &dev), -EINVAL);
	params.threads = 0;
	params.isa = 99;
	assert_int_equal(nnadev_create(&params, &dev), -EINVAL);
	params.isa = NNADEV_ISA_SCALAR;
	params.job_limit_ns = NNAHW_JOB_LIMIT_NS + 1;
	assert_int_equal(nnadev_create(&params, &dev), -EINVAL);
	params.job_limit_ns = NNAHW_JOB_LIMIT_NS / 2;
	assert_int_equal(nnadev_create(&params, &dev), 0);
	assert_int_equal(nnadev_reg_read(dev, NNAHW_REG_JOB_LIMIT, 8), NNAHW_JOB_LIMIT_NS / 2);
	nnadev_destroy(dev);
	params.job_limit_ns = 0;
	assert_int_equal(nnadev_create(&params, &dev), 0);
	assert_int_equal(nnadev_reg_read(dev, NNAHW_REG_JOB_LIMIT, 8), NNAHW_JOB_LIMIT_NS);
	assert_string_equal(nnadev_isa_name(dev), "scalar");
	assert_int_equal(nnadev_reg_read(dev, NNAHW_REG_WORKERS, 4), nnadev_workers_cpus());
	nnadev_destroy(dev);
	nnadev_destroy(NULL);
}

/* Destroyed with jobs of all sorts under way. */
static void test_destroy_busy(void **state)
{
	struct nnahw_ring_entry e;

	start_hanging(0, &e);
	start_hanging(2, &e);
	nnadev_inject(rig.dev, NNADEV_INJECT_STUCK, 1);
	e = rig_job(&rig, &space);
	rig_submit(&rig, 3, &e);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_registers),
		TEST(test_null_job),
		TEST(test_empty_stream),
		TEST(test_laps),
		TEST(test_no_irq),
		TEST(test_bad_entries),
		TEST(test_control_ring),
		TEST(test_ring_set_up),
		TEST(test_hostile_doorbells),
		TEST(test_unreachable_rings),
		TEST(test_switched_off),
		TEST(test_ring_off_while_busy),
		TEST(test_reset),
		TEST(test_reset_refused),
		TEST(test_hang),
		TEST(test_abort_queued),
		TEST(test_deadline_before_start),
		TEST(test_stuck),
		TEST(test_injections),
		TEST(test_create),
		TEST(test_destroy_busy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
