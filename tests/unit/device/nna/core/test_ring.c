// SPDX-License-Identifier: MIT
/* Rings: set-up, doorbells, completions, interrupts, control entries, good and bad ones. */
#include "tests/unit/device/nna/core/case.h"

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
	for (e.type = NNAHW_ENTRY_YIELD; e.type >= NNAHW_ENTRY_ABORT; e.type--) {
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

/* A completion queue that the device may not write to is unreachable, and stays as it is. */
static void test_read_only_completions(void **state)
{
	const uint64_t far = 0x4000000000ull, pages = rig_pages(&rig, 1, RIG_PAGE);
	struct nnahw_ring_entry e = rig_job(&rig, &space);
	uint8_t before[RIG_PAGE];

	assert_int_equal(nnadev_dma_map(rig.dev, far, RIG_PAGE, rig.fd, pages - RIG_BUS,
					NNADEV_PROT_READ),
			 0);
	memset(before, 0x5a, RIG_PAGE);
	memset(rig_at(&rig, pages), 0x5a, RIG_PAGE);
	rig_write(&rig, rig_ring_reg(0, NNAHW_RING_REG_CONTROL), 0);
	wait_read(rig_ring_reg(0, NNAHW_RING_REG_STATUS), 0);
	rig_ring_enable(&rig, 0, RIG_RING);
	rig_write(&rig, rig_ring_reg(0, NNAHW_RING_REG_CONTROL), 0);
	nnadev_reg_write(rig.dev, rig_ring_reg(0, NNAHW_RING_REG_CQ_BASE), 8, far);
	rig_write(&rig, rig_ring_reg(0, NNAHW_RING_REG_CONTROL), NNAHW_RING_REG_CONTROL_ENABLE);
	rig_submit(&rig, 0, &e);
	ring_recovers(0);
	assert_memory_equal(rig_at(&rig, pages), before, RIG_PAGE);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_null_job),
		TEST(test_empty_stream),
		TEST(test_laps),
		TEST(test_no_irq),
		TEST(test_control_ring),
		TEST(test_ring_set_up),
		TEST(test_hostile_doorbells),
		TEST(test_unreachable_rings),
		TEST(test_read_only_completions),
		TEST(test_ring_off_while_busy),
		TEST(test_abort_queued),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
