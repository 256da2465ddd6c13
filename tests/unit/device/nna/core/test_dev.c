// SPDX-License-Identifier: MIT
/* The device: registers, reset, injected faults, creation and destruction. */
#include "tests/unit/device/nna/core/case.h"

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
	assert_true(nnadev_reg_read(rig.dev, NNAHW_REG_WORK_RATE, 8) > 0);
	t = nnadev_clock_now();
	assert_true(nnadev_reg_read(rig.dev, NNAHW_REG_TIMESTAMP, 8) >= t);
	low = rig_read(&rig, NNAHW_REG_TIMESTAMP);
	high = rig_read(&rig, NNAHW_REG_TIMESTAMP + 4);
	assert_true(((uint64_t)high << 32 | low) >= t);
	/* No register, wrong size, not aligned. */
	assert_int_equal(rig_read(&rig, 0x58), 0);
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

/* An instruction set of other machines. */
#ifdef __aarch64__
#define FOREIGN_ISA NNADEV_ISA_AVX512
#else
#define FOREIGN_ISA NNADEV_ISA_I8MM
#endif

static void test_create(void **state)
{
	struct nnadev_params params = { .threads = NNADEV_EXEC_THREADS + 1 };
	struct nnadev *dev = NULL;

	assert_int_equal(nnadev_create(&params, &dev), -EINVAL);
	params.threads = 0;
	params.isa = 99;
	assert_int_equal(nnadev_create(&params, &dev), -EINVAL);
	params.isa = FOREIGN_ISA;
	assert_int_equal(nnadev_create(&params, &dev), -ENOTSUP);
	params.isa = NNADEV_ISA_SCALAR;
	params.job_limit_ns = NNAHW_JOB_LIMIT_NS + 1;
	assert_int_equal(nnadev_create(&params, &dev), -EINVAL);
	params.tick_hz = NNADEV_TICK_HZ_MAX + 1ull;
	params.job_limit_ns = 0;
	assert_int_equal(nnadev_create(&params, &dev), -EINVAL);
	params.tick_hz = NNADEV_TICK_HZ_MIN - 1;
	assert_int_equal(nnadev_create(&params, &dev), -EINVAL);
	params.tick_hz = 0;
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
	const struct CMUnitTest tests[] = {
		TEST(test_registers),
		TEST(test_switched_off),
		TEST(test_reset),
		TEST(test_reset_refused),
		TEST(test_injections),
		TEST(test_create),
		TEST(test_destroy_busy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
