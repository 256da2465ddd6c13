/* SPDX-License-Identifier: MIT */
/* For tests that give entries to rings: a device for each case, and what becomes of its jobs. */
#ifndef TEST_CORE_CASE_H
#define TEST_CORE_CASE_H

#include "tests/unit/device/nna/core/device.h"

static struct rig rig;
static struct rig_space space;

static inline int set_up(void **state)
{
	rig_init(&rig, 1);
	rig_space_init(&rig, &space, 1);
	rig_stream_begin(&rig, &space);
	rig_end(&rig, &space);
	return 0;
}

static inline int tear_down(void **state)
{
	rig_fini(&rig);
	return 0;
}

static inline void expect(uint32_t ring, const struct nnahw_ring_entry *e, uint32_t status)
{
	struct nnahw_completion c = rig_run(&rig, ring, e);

	assert_int_equal(c.seqno, e->seqno);
	assert_int_equal(c.status, status);
}

static inline void expect_null_job(void)
{
	struct nnahw_ring_entry e = rig_job(&rig, &space);

	expect(0, &e, NNAHW_STATUS_OK);
}

static inline void wait_read(uint32_t offset, uint32_t value)
{
	uint64_t until = nnadev_clock_now() + RIG_WAIT;

	while (rig_read(&rig, offset) != value) {
		must(nnadev_clock_now() < until);
		usleep(100);
	}
}

static inline void start_hanging(uint32_t ring, struct nnahw_ring_entry *e)
{
	nnadev_inject(rig.dev, NNADEV_INJECT_HANG, 1);
	*e = rig_job(&rig, &space);
	rig_submit(&rig, ring, e);
	wait_read(rig_ring_reg(ring, NNAHW_RING_REG_HEAD), rig.rings[ring].posted);
}

static inline void abort_job(uint32_t ring, uint32_t seqno)
{
	rig_control(&rig, NNAHW_ENTRY_ABORT, 0, ring, seqno, 0);
}

static inline void after_reset(void)
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif
