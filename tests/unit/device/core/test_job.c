// SPDX-License-Identifier: MIT
/* Jobs: bad entries, and how those end that do not end by themselves. */
#include "tests/unit/device/core/case.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_bad_entries),
		TEST(test_hang),
		TEST(test_deadline_before_start),
		TEST(test_stuck),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
