// SPDX-License-Identifier: MIT
/* Jobs: bad entries, and how those end that do not end by themselves. */
#include "tests/unit/device/nna/core/case.h"

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
		BAD(flags, 4),
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
		BAD(profile, RIG_VA_TABLE),
		BAD(profile, 8),
		BAD(profile, 1ull << 48),
		BAD(profile_size, 64),
#undef BAD
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		e = good;
		e.seqno = ++rig.seqno;
		memcpy((uint8_t *)&e + bad[i].offset, &bad[i].value, bad[i].size);
		expect(i % NNAHW_JOB_RINGS, &e, NNAHW_STATUS_BAD_ENTRY);
	}
	for (int i = 0; i < 3; i++) {
		uint64_t *const words[] = { &e.profile, &e.profile_size, &e.reserved };

		e = good;
		*words[i] = 1ull << 40;
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

/* All that a driver sees is in ticks of the clock that the device says it has. */
static void test_clock(void **state)
{
	static const uint64_t clocks[] = { 19200000, 24000000, 2000000000 };

	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		uint64_t hz = clocks[i], begin, tick, busy;
		const struct nnahw_report *report;
		struct nnahw_completion c;
		struct nnahw_ring_entry e;
		uint32_t ran;

		rig_fini(&rig);
		rig_init_at(&rig, 1, hz, false);
		rig_space_init(&rig, &space, 1);
		rig_stream_begin(&rig, &space);
		rig_end(&rig, &space);
		report = rig_report(&rig, &space);
		assert_int_equal(nnadev_reg_read(rig.dev, NNAHW_REG_TIMESTAMP_HZ, 8), hz);
		assert_int_equal(nnadev_reg_read(rig.dev, NNAHW_REG_JOB_LIMIT, 8), 5 * hz);

		/* The timestamp, whole and in halves. */
		begin = nnadev_clock_now();
		tick = nnadev_reg_read(rig.dev, NNAHW_REG_TIMESTAMP, 8);
		assert_true(tick >= (unsigned __int128)begin * hz / 1000000000);
		assert_true(tick <= (unsigned __int128)nnadev_clock_now() * hz / 1000000000);
		tick = rig_read(&rig, NNAHW_REG_TIMESTAMP);
		tick |= (uint64_t)rig_read(&rig, NNAHW_REG_TIMESTAMP + 4) << 32;
		assert_true(tick >= (unsigned __int128)begin * hz / 1000000000);

		/* A budget of 50 ms: no less, and nothing like what another clock makes of it. */
		nnadev_inject(rig.dev, NNADEV_INJECT_HANG, 1);
		e = rig_job(&rig, &space);
		e.budget = hz / 20;
		begin = nnadev_clock_now();
		expect(0, &e, NNAHW_STATUS_BUDGET);
		assert_true(nnadev_clock_now() - begin >= 50000000);
		assert_true(report->run_time >= e.budget);
		assert_true(report->end - report->begin >= e.budget);
		assert_true(report->begin >= tick);
		assert_true(report->end <= nnadev_reg_read(rig.dev, NNAHW_REG_TIMESTAMP, 8));
		busy = nnadev_reg_read(rig.dev, NNAHW_REG_COUNT_BUSY, 8);
		assert_true(busy >= e.budget);
		assert_true(busy <= report->end - report->begin + 1);

		/* A deadline, before the start and after it. */
		e = rig_job(&rig, &space);
		e.deadline = tick;
		expect(0, &e, NNAHW_STATUS_DEADLINE);
		assert_int_equal(report->commands, 0);
		nnadev_inject(rig.dev, NNADEV_INJECT_HANG, 1);
		e = rig_job(&rig, &space);
		e.deadline = nnadev_reg_read(rig.dev, NNAHW_REG_TIMESTAMP, 8) + hz / 50;
		expect(0, &e, NNAHW_STATUS_DEADLINE);
		assert_true(report->end >= e.deadline);

		/* What lingers for 40 ms ran for that long, by report, completion and register. */
		nnadev_inject(rig.dev, NNADEV_INJECT_SLOW_NS, 40000000);
		e = rig_job(&rig, &space);
		e.budget = hz;
		c = rig_run(&rig, 0, &e);
		nnadev_inject(rig.dev, NNADEV_INJECT_SLOW_NS, 0);
		assert_int_equal(c.status, NNAHW_STATUS_OK);
		assert_int_equal(c.detail, report->run_time);
		assert_true(c.detail >= hz / 25);
		assert_true(c.detail <= report->end - report->begin + 1);
		begin = nnadev_clock_now();
		start_hanging(1, &e);
		do {
			assert_true(nnadev_clock_now() - begin < RIG_WAIT);
			usleep(1000);
			ran = rig_read(&rig, rig_ring_reg(1, NNAHW_RING_REG_RUN_TIME));
		} while (ran < 2);
		assert_true((uint64_t)ran << NNAHW_RUN_TIME_SHIFT <=
			    (unsigned __int128)(nnadev_clock_now() - begin) * hz / 1000000000);
		abort_job(1, e.seqno);
		assert_int_equal(rig_wait(&rig, 1).status, NNAHW_STATUS_ABORTED);
		assert_true(report->run_time >= (uint64_t)ran << NNAHW_RUN_TIME_SHIFT);
	}
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

/* A loop of a client: its scalars, at the start of its data, and the values behind them. */
struct loop {
	int32_t count, one, limit, factor;
	uint8_t more;
};

#define LOOP_FACTOR 1103515245
#define LOOP_LIMIT 30000
#define LOOP_YIELDS 10u
#define LOOP_VALUES 256u
#define LOOP_OFFSET 64u

static struct nnahw_tensor repeated(uint64_t offset)
{
	struct nnahw_tensor t = rig_tensor(NNAHW_TYPE_S32, 0, offset, LOOP_VALUES, 0, 0, 0);

	t.strides[0] = 0;
	return t;
}

static struct nnahw_tensor scalar(uint64_t offset)
{
	return rig_tensor(NNAHW_TYPE_S32, 0, offset, 1, 0, 0, 0);
}

static void ewise(uint8_t op, struct nnahw_tensor output, struct nnahw_tensor a,
		  struct nnahw_tensor b)
{
	struct nnahw_cmd_ewise *c = rig_command(&rig, &space, NNAHW_OP_EWISE, sizeof(*c));

	c->op = op;
	c->output = output;
	c->a = a;
	c->b = b;
	c->c.slot = NNAHW_SLOT_NONE;
}

/* While count < limit: each value = value * factor + count; count = count + one. */
static void write_loop(void)
{
	const uint64_t count = offsetof(struct loop, count), more = offsetof(struct loop, more);
	struct nnahw_tensor values = rig_tensor(NNAHW_TYPE_S32, 0, LOOP_OFFSET, LOOP_VALUES, 0, 0,
						0);
	struct nnahw_tensor condition = rig_tensor(NNAHW_TYPE_BOOL8, 0, more, 1, 0, 0, 0);
	struct nnahw_cmd_branch *branch;
	struct nnahw_cmd_jump *jump;

	rig_stream_begin(&rig, &space);
	rig_slot(&rig, &space, 0, RIG_VA_DATA, RIG_DATA_PAGES * RIG_PAGE);
	ewise(NNAHW_EWISE_MUL, values, values, repeated(offsetof(struct loop, factor)));
	ewise(NNAHW_EWISE_ADD, values, values, repeated(count));
	ewise(NNAHW_EWISE_ADD, scalar(count), scalar(count), scalar(offsetof(struct loop, one)));
	ewise(NNAHW_EWISE_LESS, condition, scalar(count), scalar(offsetof(struct loop, limit)));
	branch = rig_command(&rig, &space, NNAHW_OP_BRANCH, sizeof(*branch));
	branch->condition = condition;
	branch->target = space.stream_size + sizeof(*jump);
	jump = rig_command(&rig, &space, NNAHW_OP_JUMP, sizeof(*jump));
	jump->target = sizeof(struct nnahw_stream_header);
	jump->loop = 1;
	rig_end(&rig, &space);
}

/*
 * A job that yields again and again, and goes on by the entry that is in the ring then, gives the
 * bits that it gives without: each command of a loop runs once.
 */
static void test_yield_and_go_on(void **state)
{
	struct loop *loop = (struct loop *)rig_at(&rig, space.data);
	uint32_t *values = (uint32_t *)rig_at(&rig, space.data + LOOP_OFFSET);
	uint32_t yields = 0, factor = 1, sum = 0, slot;
	const volatile int32_t *count = &loop->count;
	uint64_t until = nnadev_clock_now() + RIG_WAIT;
	struct nnahw_ring_entry e, rest;
	struct nnahw_completion c;

	write_loop();
	*loop = (struct loop){ .one = 1, .limit = LOOP_LIMIT, .factor = LOOP_FACTOR };
	for (uint32_t i = 0; i < LOOP_VALUES; i++)
		values[i] = i;
	e = rig_job(&rig, &space);
	e.budget = NNAHW_JOB_LIMIT_NS;
	for (;;) {
		slot = rig.rings[0].posted % rig.rings[0].size;
		rig_submit(&rig, 0, &e);
		/* Every other time once it runs. */
		for (int32_t begin = *count; yields % 2 && *count == begin;)
			must(nnadev_clock_now() < until);
		rig_control(&rig, NNAHW_ENTRY_YIELD, 0, 0, e.seqno, 0);
		c = rig_wait(&rig, 0);
		if (c.status != NNAHW_STATUS_YIELDED)
			break;
		yields++;
		rest = ((struct nnahw_ring_entry *)rig_at(&rig, rig.rings[0].base))[slot];
		/* It has run, or had not begun: then the entry is as it was. */
		assert_true(rest.budget == e.budget - c.detail ||
			    !memcmp(&rest, &e, sizeof(e)));
		e = rest;
		e.seqno = ++rig.seqno;
		if (yields == LOOP_YIELDS) {
			c = rig_run(&rig, 0, &e);
			break;
		}
	}
	assert_int_equal(c.status, NNAHW_STATUS_OK);
	assert_int_equal(yields, LOOP_YIELDS);
	for (uint32_t i = 0; i < LOOP_LIMIT; i++) {
		factor *= LOOP_FACTOR;
		sum = sum * LOOP_FACTOR + i;
	}
	assert_int_equal(loop->count, LOOP_LIMIT);
	for (uint32_t i = 0; i < LOOP_VALUES; i++)
		assert_int_equal(values[i], i * factor + sum);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_bad_entries),
		TEST(test_hang),
		TEST(test_deadline_before_start),
		TEST(test_clock),
		TEST(test_stuck),
		TEST(test_yield_and_go_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
