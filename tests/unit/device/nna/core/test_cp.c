// SPDX-License-Identifier: MIT
/*
 * The command processor: preemption, aging, abort, and what waits for tiles. The engine is a
 * stand-in whose tiles stop where the test says, so that every order of events is made, not hoped
 * for.
 *
 * A FILL's value tells the stand-in what to be: bits 7..0 a name, 23..8 tiles, 27..24
 * phases, 28 the status that the last tile returns is BAD_INDEX, 32 the first phase has rounds
 * without end.
 */
#include <fenv.h>
#include <math.h>
#include <pthread.h>
#include <sys/mman.h>

#include "tests/unit/device/nna/core/device.h"

#define MAX_TILES 512u
#define NOBODY UINT32_MAX

static struct rig rig;
static struct rig_space spaces[NNAHW_JOB_RINGS];

/* What the stand-in does and has seen. */
static struct {
	struct nnadev_event event;
	_Atomic uint32_t hold_name,
		hold_tile;     /* tiles from this one on stop until one of these changes */
	_Atomic uint32_t held; /* tiles that stand still */
	_Atomic uint32_t logged;
	_Atomic uint32_t log[65536]; /* name << 16 | tile, as they began */
	_Atomic uint32_t runs[256][3][MAX_TILES];
	_Atomic uint32_t planned[256];
	_Atomic bool timed; /* @cpu is the CPU time of all threads */
	_Atomic uint64_t cpu;
	_Atomic uint32_t read; /* how often it was read */
	_Atomic uint32_t early; /* tiles that ran before all of the phase before had */
} fake;

static bool is_held(uint32_t name, uint32_t tile)
{
	return atomic_load(&fake.hold_name) == name && tile >= atomic_load(&fake.hold_tile);
}

static uint32_t fake_run(const struct nnadev_engine_command *cmd,
			 const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			 void *scratch, void *shared)
{
	const uint64_t value = *(const uint64_t *)(const void *)plan->state;
	uint32_t name = value & 0xff, tiles = plan->phase_tiles[phase];

	atomic_store(&fake.log[atomic_fetch_add(&fake.logged, 1) % 65536], name << 16 | tile);
	nnadev_event_raise(&fake.event);
	for (uint32_t i = 0; phase && i < plan->phase_tiles[phase - 1]; i++)
		if (!atomic_load(&fake.runs[name][phase - 1][i]))
			atomic_fetch_add(&fake.early, 1);
	memset(scratch, (int)tile, plan->scratch_size);
	((_Atomic uint8_t *)shared)[tile] = (uint8_t)tile;
	if (is_held(name, tile)) {
		atomic_fetch_add(&fake.held, 1);
		for (;;) {
			uint32_t seq = nnadev_event_read(&fake.event);

			nnadev_event_raise(&fake.event);
			seq++;
			if (!is_held(name, tile))
				break;
			nnadev_event_wait(&fake.event, seq, nnadev_clock_now() + 1000000);
		}
		atomic_fetch_sub(&fake.held, 1);
	}
	atomic_store((_Atomic uint8_t *)cmd->operands[0].data, (uint8_t)name);
	atomic_fetch_add(&fake.runs[name][phase][tile], 1);
	return value >> 28 & 1 && tile == tiles - 1 ? NNAHW_STATUS_BAD_INDEX : NNAHW_STATUS_OK;
}

static uint32_t fake_prepare(enum nnadev_engine_isa isa, uint32_t threads,
			     const struct nnadev_engine_command *cmd,
			     struct nnadev_engine_plan *plan)
{
	const struct nnahw_cmd_fill *fill = (const void *)cmd->raw;

	must(fill->head.opcode == NNAHW_OP_FILL);
	memset(plan, 0, sizeof(*plan));
	plan->run = fake_run;
	plan->phases = fill->value >> 24 & 15;
	for (uint32_t p = 0; p < plan->phases; p++)
		plan->phase_tiles[p] = fill->value >> 8 & 0xffff;
	if (fill->value >> 32 & 1)
		plan->rounds[0] = UINT64_MAX;
	plan->scratch_size = 1000;
	plan->shared_size = MAX_TILES;
	memcpy(plan->state, &fill->value, sizeof(fill->value));
	atomic_fetch_add(&fake.planned[fill->value & 0xff], 1);
	nnadev_event_raise(&fake.event);
	return NNAHW_STATUS_OK;
}

static uint64_t fake_cpu_since(const struct nnadev_workers *pool,
			       struct nnadev_cpu_times *times)
{
	uint64_t before = times->ns[0];

	if (!atomic_load(&fake.timed))
		return nnadev_workers_cpu_since(pool, times);
	times->ns[0] = atomic_load(&fake.cpu);
	atomic_fetch_add(&fake.read, 1);
	nnadev_event_raise(&fake.event);
	return times->ns[0] - before;
}

static int set_up_threads(uint32_t threads)
{
	rig_init(&rig, threads);
	rig.dev->exec.prepare = fake_prepare;
	rig.dev->exec.cpu_since = fake_cpu_since;
	memset(&fake, 0, sizeof(fake));
	fake.hold_name = NOBODY;
	for (uint32_t i = 0; i < NNAHW_JOB_RINGS; i++) {
		rig_space_init(&rig, &spaces[i], i);
		rig_slot(&rig, &spaces[i], 0, RIG_VA_DATA, RIG_PAGE);
		rig_stream_begin(&rig, &spaces[i]);
	}
	return 0;
}

static int set_up(void **state)
{
	return set_up_threads(1);
}

static int set_up_three(void **state)
{
	return set_up_threads(3);
}

static int tear_down(void **state)
{
	fake.hold_name = NOBODY;
	rig_fini(&rig);
	return 0;
}

static void add(uint32_t ring, uint32_t name, uint32_t tiles, uint32_t phases, bool fails)
{
	struct nnahw_cmd_fill *c = rig_command(&rig, &spaces[ring], NNAHW_OP_FILL, sizeof(*c));

	c->output = rig_tensor(NNAHW_TYPE_U8, 0, 0, 1, 0, 0, 0);
	c->value = name | tiles << 8 | phases << 24 | (uint32_t)fails << 28;
}

static struct nnahw_ring_entry submit(uint32_t ring)
{
	struct nnahw_ring_entry e = rig_job(&rig, &spaces[ring]);

	rig_submit(&rig, ring, &e);
	return e;
}

static void expect(uint32_t ring, uint32_t status)
{
	struct nnahw_completion c = rig_wait(&rig, ring);

	assert_int_equal(c.status, status);
}

static void hold(uint32_t name, uint32_t tile)
{
	fake.hold_tile = tile;
	fake.hold_name = name;
}

static void wait_for(const _Atomic uint32_t *count, uint32_t least)
{
	uint64_t until = nnadev_clock_now() + RIG_WAIT;

	for (;;) {
		uint32_t seq = nnadev_event_read(&fake.event);

		if (atomic_load(count) >= least)
			return;
		must(nnadev_clock_now() < until);
		nnadev_event_wait(&fake.event, seq, nnadev_clock_now() + 1000000);
	}
}

/*
 * Until the job cannot go on. If tiles are held from the first one on, each thread holds one. Later
 * tiles may be held by fewer: a thread that has had no CPU for NNADEV_STOPWATCH_SHORT ends the
 * round after an earlier tile, and waits for the others.
 */
static void wait_held(void)
{
	wait_for(&fake.held, atomic_load(&fake.hold_tile) ? 1 : rig.dev->exec.threads);
}

static void release(void)
{
	fake.hold_name = NOBODY;
	nnadev_event_raise(&fake.event);
}

/* The names in the order in which tiles began, one for each run of equal ones. */
static void expect_order(const char *order)
{
	char seen[256] = "";
	size_t n = 0;

	for (uint32_t i = 0; i < atomic_load(&fake.logged) && n < sizeof(seen) - 1; i++) {
		char name = (char)(fake.log[i] >> 16);

		if (!n || seen[n - 1] != name)
			seen[n++] = name;
	}
	assert_string_equal(seen, order);
}

static void expect_runs(uint32_t name, uint32_t phases, uint32_t tiles)
{
	for (uint32_t p = 0; p < phases; p++)
		for (uint32_t t = 0; t < MAX_TILES; t++)
			assert_int_equal(fake.runs[name][p][t], t < tiles);
}

static uint64_t counter(uint32_t reg)
{
	return nnadev_reg_read(rig.dev, reg, 8);
}

/*
 * A command whose first phase has rounds without end, each of a single tile: it makes way between
 * them, and ends when it is aborted, when its budget is used up, and at a reset.
 */
static void test_rounds_make_way(void **state)
{
	struct nnahw_ring_entry e;
	struct nnahw_cmd_fill *c;

	for (uint32_t how = 0; how < 3; how++) {
		rig_stream_begin(&rig, &spaces[0]);
		c = rig_command(&rig, &spaces[0], NNAHW_OP_FILL, sizeof(*c));
		c->output = rig_tensor(NNAHW_TYPE_U8, 0, 0, 1, 0, 0, 0);
		c->value = 'A' | 1 << 8 | 2 << 24 | 1ull << 32;
		rig_end(&rig, &spaces[0]);
		e = rig_job(&rig, &spaces[0]);
		e.budget = how == 1 ? 1000000 : 0;
		rig_submit(&rig, 0, &e);
		/* A job of a higher ring comes between, and then the first one goes on. */
		if (how != 1) {
			rig_stream_begin(&rig, &spaces[1]);
			add(1, 'b' + how, 1, 1, false);
			rig_end(&rig, &spaces[1]);
			submit(1);
			expect(1, NNAHW_STATUS_OK);
		}
		if (how == 2) {
			nnadev_reset(rig.dev);
			break;
		}
		if (how == 0)
			rig_control(&rig, NNAHW_ENTRY_ABORT, 0, 0, e.seqno, 0);
		expect(0, how ? NNAHW_STATUS_BUDGET : NNAHW_STATUS_ABORTED);
	}
}

static void test_every_tile_once(void **state)
{
	for (uint32_t i = 0; i < 60; i++)
		add(0, 'A' + i, 1 + i * 8, 1 + i % 3, false);
	submit(0);
	expect(0, NNAHW_STATUS_OK);
	for (uint32_t i = 0; i < 60; i++)
		expect_runs('A' + i, 1 + i % 3, 1 + i * 8);
	assert_int_equal(fake.early, 0);
	assert_int_equal(rig_report(&rig, &spaces[0])->commands, 60);
	/* Commands without phases or tiles. */
	rig_stream_begin(&rig, &spaces[0]);
	add(0, 200, 5, 0, false);
	add(0, 201, 0, 2, false);
	submit(0);
	expect(0, NNAHW_STATUS_OK);
	expect_runs(200, 1, 0);
	expect_runs(201, 1, 0);
}

static void test_preempt_between_tiles(void **state)
{
	add(0, 'l', 100, 2, false);
	add(3, 'h', 20, 1, false);
	hold('l', 3);
	submit(0);
	wait_held();
	submit(3);
	release();
	expect(3, NNAHW_STATUS_OK);
	expect(0, NNAHW_STATUS_OK);
	expect_order("lhl");
	expect_runs('l', 2, 100);
	expect_runs('h', 1, 20);
	assert_int_equal(fake.early, 0);
	assert_int_equal(counter(NNAHW_REG_COUNT_PREEMPTIONS), 1);
	if (rig.dev->exec.threads == 1) /* what others had begun by then is not known */
		assert_int_equal(fake.log[4] >> 16, 'h');
}

static void test_preempt_between_commands(void **state)
{
	add(1, 'a', rig.dev->exec.threads, 1, false); /* none is left to be begun */
	add(1, 'b', 1, 1, false);
	add(2, 'x', 1, 1, false);
	hold('a', 0);
	submit(1);
	wait_held();
	submit(2);
	submit(2);
	release();
	expect(2, NNAHW_STATUS_OK);
	expect(2, NNAHW_STATUS_OK);
	expect(1, NNAHW_STATUS_OK);
	expect_order("axb");
}

/*
 * A job of 'a' and @next, as far as that the command processor has done its part of 'a', whose
 * other tiles stand still, and so has planned @next. Of 'a' the last tile may fail.
 */
static struct nnahw_ring_entry stand_ahead(uint32_t next, bool fails)
{
	struct nnahw_ring_entry e;

	add(1, 'a', rig.dev->exec.threads, 1, fails);
	add(1, next, 10, 2, false);
	rig_end(&rig, &spaces[1]);
	hold('a', 0);
	e = submit(1);
	wait_held();
	assert_int_equal(fake.planned[next], 0);
	hold('a', 1);
	nnadev_event_raise(&fake.event);
	wait_for(&fake.planned[next], 1);
	assert_int_equal(fake.runs[next][0][0], 0);
	return e;
}

static void test_ahead(void **state)
{
	stand_ahead('b', false);
	release();
	expect(1, NNAHW_STATUS_OK);
	expect_order("ab");
	expect_runs('b', 2, 10);
	assert_int_equal(fake.early, 0);
	assert_int_equal(fake.planned['b'], 1);
	assert_int_equal(rig_report(&rig, &spaces[1])->commands, 3);
}

/* What was planned ahead keeps when the job is set aside. */
static void test_ahead_preempted(void **state)
{
	stand_ahead('b', false);
	add(2, 'x', 1, 1, false);
	submit(2);
	release();
	expect(2, NNAHW_STATUS_OK);
	expect(1, NNAHW_STATUS_OK);
	expect_order("axb");
	expect_runs('b', 2, 10);
	assert_int_equal(fake.planned['b'], 1);
}

/* Makes a command of one phase and 3 tiles, 'c', of the second one of ring 1. */
static void change_second(void)
{
	uint8_t *stream = rig_at(&rig, spaces[1].stream + sizeof(struct nnahw_stream_header));

	((struct nnahw_cmd_fill *)(void *)(stream + sizeof(struct nnahw_cmd_fill)))->value =
		'c' | 3 << 8 | 1 << 24;
}

/* A command may write the next one: it is what it is when its turn comes. */
static void test_ahead_changed(void **state)
{
	stand_ahead('b', false);
	change_second();
	release();
	expect(1, NNAHW_STATUS_OK);
	expect_order("ac");
	expect_runs('c', 1, 3);
}

/* Where translations have changed in between, nothing of it is used: the command is another. */
static void test_ahead_invalidated(void **state)
{
	stand_ahead('b', false);
	change_second();
	rig_submit(&rig, NNAHW_CONTROL_RING,
		   &(struct nnahw_ring_entry){ .type = NNAHW_ENTRY_INVALIDATE,
					       .asid = spaces[1].asid,
					       .target = NNAHW_ENTRY_ALL });
	release();
	expect(NNAHW_CONTROL_RING, NNAHW_STATUS_OK);
	expect(1, NNAHW_STATUS_OK);
	expect_order("ac");
	expect_runs('c', 1, 3);
}

/* A job that ends before takes nothing over into the next one. */
static void test_ahead_ended(void **state)
{
	struct nnahw_ring_entry e;

	stand_ahead('b', true);
	release();
	expect(1, NNAHW_STATUS_BAD_INDEX);
	assert_int_equal(rig_report(&rig, &spaces[1])->commands, 0);
	rig_stream_begin(&rig, &spaces[1]);
	e = stand_ahead('c', false);
	rig_submit(&rig, NNAHW_CONTROL_RING,
		   &(struct nnahw_ring_entry){ .type = NNAHW_ENTRY_ABORT,
					       .target = 1,
					       .address = e.seqno });
	release();
	expect(NNAHW_CONTROL_RING, NNAHW_STATUS_OK);
	expect(1, NNAHW_STATUS_ABORTED);
	rig_stream_begin(&rig, &spaces[1]);
	add(1, 'd', 1, 1, false);
	rig_end(&rig, &spaces[1]);
	submit(1);
	expect(1, NNAHW_STATUS_OK);
	expect_order("ad");
}

/* A command with an error is planned ahead in vain, and at fault in its turn. */
static void test_ahead_bad(void **state)
{
	struct nnahw_cmd_fill *c;

	for (uint32_t how = 0; how < 2; how++) {
		rig_stream_begin(&rig, &spaces[1]);
		add(1, 'a', rig.dev->exec.threads, 1, false);
		c = rig_command(&rig, &spaces[1], NNAHW_OP_FILL, sizeof(*c));
		c->output = rig_tensor(NNAHW_TYPE_U8, how ? 7 : 0, 0, 1, 0, 0, 0);
		c->value = 'b';
		c->head.flags = !how;
		submit(1);
		expect(1, how ? NNAHW_STATUS_BAD_OPERAND : NNAHW_STATUS_BAD_COMMAND);
		assert_int_equal(rig_report(&rig, &spaces[1])->commands, 1);
	}
}

/* Fill the stream of ring 1 with commands, each of a value of its own. */
static void add_many(uint32_t count)
{
	rig_stream_begin(&rig, &spaces[1]);
	for (uint32_t i = 0; i < count; i++)
		add(1, 'A' + i % 20, 1 + i % 7, 1, false);
	rig_end(&rig, &spaces[1]);
}

static uint32_t run_planned(void)
{
	uint32_t planned = 0;

	memset(fake.planned, 0, sizeof(fake.planned));
	submit(1);
	expect(1, NNAHW_STATUS_OK);
	for (uint32_t i = 0; i < 256; i++)
		planned += fake.planned[i];
	return planned;
}

/* A job that comes again is not planned again, as long as nothing is another. */
static void test_known(void **state)
{
	struct nnahw_cmd_fill *c;

	add_many(40);
	assert_int_equal(run_planned(), 40);
	memset(fake.runs, 0, sizeof(fake.runs));
	assert_int_equal(run_planned(), 0);
	for (uint32_t i = 0; i < 20; i++)
		assert_int_equal(fake.runs['A' + i][0][0], 2);
	/* A command that has changed. */
	c = rig_at(&rig, spaces[1].stream + sizeof(struct nnahw_stream_header) + 7 * sizeof(*c));
	c->value = 'z' | 3 << 8 | 1 << 24;
	assert_int_equal(run_planned(), 1);
	expect_runs('z', 1, 3);
	/* The base table. */
	rig_slot(&rig, &spaces[1], 0, RIG_VA_DATA + 64, RIG_PAGE);
	assert_int_equal(run_planned(), 40);
	assert_int_equal(((uint8_t *)rig_at(&rig, spaces[1].data))[64], 'A' + 19);
	assert_int_equal(run_planned(), 0);
	/* Translations. */
	rig_control(&rig, NNAHW_ENTRY_INVALIDATE, spaces[1].asid, NNAHW_ENTRY_ALL, 0, 0);
	assert_int_equal(run_planned(), 40);
	assert_int_equal(run_planned(), 0);
	/* A stream that ends within what was a command. */
	((struct nnahw_stream_header *)rig_at(&rig, spaces[1].stream))->size -= 128;
	submit(1);
	expect(1, NNAHW_STATUS_BAD_STREAM);
}

/* Another address space with the same stream, of other data. */
static void test_known_elsewhere(void **state)
{
	struct nnahw_ring_entry e;

	add_many(5);
	memcpy(rig_at(&rig, spaces[2].stream), rig_at(&rig, spaces[1].stream),
	       RIG_STREAM_PAGES * RIG_PAGE);
	spaces[2].stream_size = spaces[1].stream_size;
	assert_int_equal(run_planned(), 5);
	e = rig_job(&rig, &spaces[2]);
	rig_submit(&rig, 1, &e);
	expect(1, NNAHW_STATUS_OK);
	assert_int_equal(*(uint8_t *)rig_at(&rig, spaces[2].data), 'A' + 4);
	for (uint32_t i = 0; i < 5; i++)
		assert_int_equal(fake.planned['A' + i], 2);
}

/* A first job finds the memory there in which its commands are kept. */
static void test_known_is_there(void **state)
{
	uint8_t *known = (uint8_t *)rig.dev->exec.known;
	unsigned char resident;

	assert_non_null(known);
	for (uint32_t at = 0; at < NNADEV_JOB_KNOWN_SIZE; at += RIG_PAGE) {
		assert_int_equal(mincore(known + at, 1, &resident), 0);
		if (!(resident & 1))
			skip(); /* Linux before 5.14 */
	}
}

/* A job that makes way for one with the same stream address finds what was made of its command. */
static void test_known_under_way(void **state)
{
	add(0, 'l', 100, 1, false);
	rig_end(&rig, &spaces[0]);
	add(3, 'h', 20, 1, false);
	rig_end(&rig, &spaces[3]);
	for (uint32_t round = 1; round <= 2; round++) {
		hold('l', 3);
		submit(0);
		wait_held();
		submit(3);
		release();
		expect(3, NNAHW_STATUS_OK);
		expect(0, NNAHW_STATUS_OK);
		assert_int_equal(fake.planned['l'], 1);
		assert_int_equal(fake.planned['h'], round);
		for (uint32_t t = 0; t < 100; t++)
			assert_int_equal(fake.runs['l'][0][t], round);
		for (uint32_t t = 0; t < 20; t++)
			assert_int_equal(fake.runs['h'][0][t], round);
	}
	assert_int_equal(counter(NNAHW_REG_COUNT_PREEMPTIONS), 2);
	/* One that is over has to make room. */
	submit(3);
	expect(3, NNAHW_STATUS_OK);
	submit(0);
	expect(0, NNAHW_STATUS_OK);
	assert_int_equal(fake.planned['l'], 2);
	assert_int_equal(fake.planned['h'], 3);
}

/*
 * Between two tiles an operand stops being in one piece, and is copied from there on: what tiles do
 * not write of it keeps its value.
 */
static void test_gathered_midway(void **state)
{
	struct rig_space *s = &spaces[1];
	struct nnahw_cmd_fill *c;
	uint8_t *data = rig_at(&rig, s->data);

	memset(data, 0x5a, 2 * RIG_PAGE);
	rig_slot(&rig, s, 0, RIG_VA_DATA, 2 * RIG_PAGE);
	c = rig_command(&rig, s, NNAHW_OP_FILL, sizeof(*c));
	c->output = rig_tensor(NNAHW_TYPE_U8, 0, 0, 2 * RIG_PAGE, 0, 0, 0);
	c->value = 'a' | 3 << 8 | 1 << 24;
	rig_end(&rig, s);
	hold('a', 1);
	submit(1);
	wait_held();
	rig.dev->exec.mmu.max_runs = 0;
	rig.dev->exec.operand_bytes = RIG_PAGE;
	for (uint32_t i = 0; i < 2; i++)
		rig_map(&rig, s->root, RIG_VA_DATA + i * RIG_PAGE, s->data + (1 - i) * RIG_PAGE, 1,
			NNAHW_PTE_WRITE);
	rig_submit(&rig, NNAHW_CONTROL_RING,
		   &(struct nnahw_ring_entry){ .type = NNAHW_ENTRY_INVALIDATE,
					       .asid = s->asid,
					       .target = NNAHW_ENTRY_ALL });
	release();
	expect(NNAHW_CONTROL_RING, NNAHW_STATUS_OK);
	expect(1, NNAHW_STATUS_OK);
	expect_runs('a', 1, 3);
	for (uint32_t i = 0; i < 2 * RIG_PAGE; i++)
		assert_int_equal(data[i], i % RIG_PAGE ? 0x5a : 'a');
}

/* Each ring sets aside the one below; preempted time is not run time. */
static void test_nested(void **state)
{
	struct nnahw_ring_entry e[NNAHW_JOB_RINGS];

	for (uint32_t i = 0; i < NNAHW_JOB_RINGS; i++)
		add(i, 'a' + i, 4, 1, false);
	for (uint32_t i = 0; i < NNAHW_JOB_RINGS; i++) {
		uint64_t until = nnadev_clock_now() + RIG_WAIT;

		/* The job below stands in a tile until the one above is there. */
		if (i)
			e[i] = submit(i);
		hold('a' + i, 1);
		if (!i)
			e[i] = submit(i);
		nnadev_event_raise(&fake.event);
		while (!fake.logged || fake.log[fake.logged - 1] != (('a' + i) << 16 | 1)) {
			must(nnadev_clock_now() < until);
			usleep(200);
		}
	}
	usleep(3000);
	release();
	for (uint32_t i = NNAHW_JOB_RINGS; i-- > 0;) {
		struct nnahw_completion c = rig_wait(&rig, i);

		assert_int_equal(c.status, NNAHW_STATUS_OK);
		assert_int_equal(c.seqno, e[i].seqno);
	}
	expect_order("abcdcba");
	assert_int_equal(counter(NNAHW_REG_COUNT_PREEMPTIONS), 3);
	for (uint32_t i = 0; i + 1 < NNAHW_JOB_RINGS; i++) {
		const struct nnahw_report *r = rig_report(&rig, &spaces[i]),
					*above = rig_report(&rig, &spaces[i + 1]);

		assert_true(r->begin < above->begin && r->end > above->end);
		assert_true(r->run_time <= (r->end - r->begin) - (above->end - above->begin));
	}
}

static void aging(uint64_t age, const char *order)
{
	rig.dev->age_ns = age;
	rig.dev->slice_ns = RIG_WAIT;
	add(0, 'l', 10, 1, false);
	add(3, 'h', 10, 1, false);
	hold('h', 0);
	submit(3);
	wait_held();
	submit(0);
	submit(3);
	/* One look around between the tiles of the first job: the low ring is seen to wait. */
	release();
	expect(3, NNAHW_STATUS_OK);
	expect(3, NNAHW_STATUS_OK);
	expect(0, NNAHW_STATUS_OK);
	expect_order(order);
}

static void test_no_aging(void **state)
{
	aging(RIG_WAIT, "hl");
}

static void test_aging(void **state)
{
	aging(1, "hlh");
}

/* A long job of a higher ring makes way, too: at a tile once the ring below has waited. */
static void test_aging_within_job(void **state)
{
	rig.dev->age_ns = 1;
	rig.dev->slice_ns = RIG_WAIT;
	add(0, 'l', 10, 1, false);
	add(3, 'h', 10, 1, false);
	hold('h', 0);
	submit(3);
	wait_held();
	submit(0);
	release();
	expect(0, NNAHW_STATUS_OK);
	expect(3, NNAHW_STATUS_OK);
	expect_order("hlh");
	expect_runs('h', 1, 10);
}

/* It does so when the time has come, without an event that makes the command processor look. */
static void test_aging_by_time(void **state)
{
	rig.dev->age_ns = 50000000;
	rig.dev->slice_ns = RIG_WAIT;
	add(0, 'l', 10, 1, false);
	add(3, 'h', 10, 1, false);
	hold('h', 0);
	submit(3);
	wait_held();
	submit(0);
	hold('h', 5);
	nnadev_event_raise(&fake.event);
	/* The low ring has been seen to wait at one of these tiles. */
	while (!fake.runs['h'][0][4])
		usleep(200);
	wait_held();
	usleep(100000);
	release();
	expect(0, NNAHW_STATUS_OK);
	expect(3, NNAHW_STATUS_OK);
	expect_order("hlh");
}

/* A ring that is to boost has its turn after an eighth of the time. */
static void test_boost(void **state)
{
	struct nnahw_ring_entry boost = { .type = NNAHW_ENTRY_BOOST };

	rig.dev->age_ns = 1600000000;
	rig.dev->slice_ns = RIG_WAIT;
	add(0, 'l', 10, 1, false);
	add(2, 'm', 10, 1, false);
	add(3, 'h', 10, 1, false);
	hold('h', 0);
	submit(3);
	wait_held();
	boost.address = submit(0).seqno;
	rig_submit(&rig, NNAHW_CONTROL_RING, &boost);
	submit(2);
	submit(2);
	/* Between the tiles of the first job the low ring is seen to wait. */
	hold('m', 0);
	expect(3, NNAHW_STATUS_OK);
	expect(NNAHW_CONTROL_RING, NNAHW_STATUS_OK);
	wait_held();
	usleep(250000);
	release();
	expect(0, NNAHW_STATUS_OK);
	expect(2, NNAHW_STATUS_OK);
	expect(2, NNAHW_STATUS_OK);
	expect_order("hmlm");
	/* The command processor stands still while this looks at what is its own. */
	hold('m', 0);
	submit(2);
	wait_held();
	assert_false(rig.dev->rings[0].boosted);
	release();
	expect(2, NNAHW_STATUS_OK);
}

/* A boost lasts until the last job that it is for has ended, also if others of its ring follow. */
static void test_boost_ends(void **state)
{
	struct nnahw_ring_entry boost = { .type = NNAHW_ENTRY_BOOST }, e[3];

	for (uint32_t i = 0; i < 3; i++)
		add(i, 'a' + i, 10, 1, false);
	hold('a', 0);
	for (uint32_t i = 0; i < 3; i++) {
		e[i] = rig_job(&rig, &spaces[i]);
		rig_submit(&rig, 0, &e[i]);
	}
	wait_held();
	/* That of the first job does not shorten that of the second one. */
	for (uint32_t i = 2; i-- > 0;) {
		boost.address = e[i].seqno;
		rig_submit(&rig, NNAHW_CONTROL_RING, &boost);
	}
	hold('b', 0);
	nnadev_event_raise(&fake.event);
	expect(NNAHW_CONTROL_RING, NNAHW_STATUS_OK);
	expect(NNAHW_CONTROL_RING, NNAHW_STATUS_OK);
	expect(0, NNAHW_STATUS_OK);
	wait_for(&fake.logged, 11);
	wait_held();
	assert_true(rig.dev->rings[0].boosted);
	hold('c', 0);
	nnadev_event_raise(&fake.event);
	expect(0, NNAHW_STATUS_OK);
	wait_for(&fake.logged, 21);
	wait_held();
	assert_false(rig.dev->rings[0].boosted);
	/* One for a job that never comes ends when the ring is empty. */
	boost.address = e[2].seqno + 100;
	rig_submit(&rig, NNAHW_CONTROL_RING, &boost);
	release();
	expect(NNAHW_CONTROL_RING, NNAHW_STATUS_OK);
	expect(0, NNAHW_STATUS_OK);
	hold('b', 0);
	submit(1);
	wait_held();
	assert_false(rig.dev->rings[0].boosted);
	release();
	expect(1, NNAHW_STATUS_OK);
}

/* A slice that is over ends between tiles. */
static void test_slice(void **state)
{
	uint32_t turns = 0;

	rig.dev->age_ns = 1;
	rig.dev->slice_ns = 1;
	add(0, 'l', 50, 1, false);
	add(3, 'h', 10, 1, false);
	hold('h', 0);
	submit(3);
	wait_held();
	submit(0);
	for (int i = 0; i < 5; i++)
		submit(3);
	release();
	for (int i = 0; i < 6; i++)
		expect(3, NNAHW_STATUS_OK);
	expect(0, NNAHW_STATUS_OK);
	for (uint32_t i = 1; i < fake.logged; i++)
		turns += fake.log[i] >> 16 != fake.log[i - 1] >> 16;
	assert_true(turns > 2);
	expect_runs('l', 1, 50);
}

static void test_abort_running(void **state)
{
	struct nnahw_ring_entry e, abort = { .type = NNAHW_ENTRY_ABORT };

	add(1, 'r', 400, 1, false);
	hold('r', 5);
	e = submit(1);
	wait_held();
	abort.target = 1;
	abort.address = e.seqno;
	rig_submit(&rig, NNAHW_CONTROL_RING, &abort);
	release();
	expect(NNAHW_CONTROL_RING, NNAHW_STATUS_OK);
	expect(1, NNAHW_STATUS_ABORTED);
	assert_true(fake.logged < 400);
	assert_int_equal(rig_report(&rig, &spaces[1])->commands, 0);
	rig_stream_begin(&rig, &spaces[1]);
	add(1, 'n', 4, 1, false);
	submit(1);
	expect(1, NNAHW_STATUS_OK);
}

static void test_abort_suspended(void **state)
{
	struct nnahw_ring_entry low, abort = { .type = NNAHW_ENTRY_ABORT };
	struct nnahw_completion c;

	add(0, 'l', 50, 1, false);
	add(2, 'h', 50, 1, false);
	hold('l', 2);
	low = submit(0);
	wait_held();
	submit(2);
	hold('h', 3);
	wait_held();
	while (fake.log[fake.logged - 1] >> 16 != 'h')
		usleep(100);
	wait_held();
	abort.target = 0;
	abort.address = low.seqno;
	rig_submit(&rig, NNAHW_CONTROL_RING, &abort);
	assert_false(rig_poll(&rig, 0, &c));
	release();
	expect(0, NNAHW_STATUS_ABORTED);
	expect(2, NNAHW_STATUS_OK);
	expect_order("lh");
}

/* Ask the jobs of a ring up to @seqno to yield; the command processor stands in a tile. */
static void ask_to_yield(uint32_t ring, uint32_t seqno)
{
	struct nnahw_ring_entry yield = {
		.type = NNAHW_ENTRY_YIELD, .target = ring, .address = seqno,
	};

	rig_submit(&rig, NNAHW_CONTROL_RING, &yield);
}

/* An entry of a ring, as it is in memory. */
static struct nnahw_ring_entry entry_at(uint32_t ring, uint32_t slot)
{
	return ((struct nnahw_ring_entry *)rig_at(&rig, rig.rings[ring].base))[slot];
}

/*
 * A job yields before its next command, the one behind it at once; both go on with the entries that
 * are in the ring's memory then. Each command runs once.
 */
static void test_yield(void **state)
{
	struct nnahw_ring_entry first, second, rest;
	struct nnahw_completion c;

	add(1, 'a', 40, 1, false);
	add(1, 'b', 4, 1, false);
	add(1, 'c', 4, 1, false);
	hold('a', 5);
	first = rig_job(&rig, &spaces[1]);
	first.budget = 1000000000;
	first.loop_limit = 2000000000;
	rig_submit(&rig, 1, &first);
	wait_held();
	second = submit(1);
	ask_to_yield(1, second.seqno);
	release();
	expect(NNAHW_CONTROL_RING, NNAHW_STATUS_OK);
	c = rig_wait(&rig, 1);
	assert_int_equal(c.status, NNAHW_STATUS_YIELDED);
	assert_int_equal(c.seqno, first.seqno);
	expect_runs('a', 1, 40);
	expect_runs('b', 1, 0);
	rest = entry_at(1, 0);
	assert_int_equal(rest.start, 64 + sizeof(struct nnahw_cmd_fill));
	assert_true(c.detail > 0);
	assert_int_equal(rest.budget, first.budget - c.detail);
	assert_int_equal(rest.loop_limit, first.loop_limit);
	first.start = rest.start;
	first.budget = rest.budget;
	assert_memory_equal(&rest, &first, sizeof(rest));

	c = rig_wait(&rig, 1);
	assert_int_equal(c.status, NNAHW_STATUS_YIELDED);
	assert_int_equal(c.seqno, second.seqno);
	rest = entry_at(1, 1);
	assert_memory_equal(&rest, &second, sizeof(rest));
	assert_int_equal(rig_report(&rig, &spaces[1])->status, NNAHW_STATUS_YIELDED);
	assert_int_equal(counter(NNAHW_REG_COUNT_JOBS), 0);
	assert_int_equal(counter(NNAHW_REG_COUNT_FAULTS), 0);

	/* Jobs with later numbers do not yield. */
	first.seqno = second.seqno + 1;
	rig_submit(&rig, 1, &first);
	expect(1, NNAHW_STATUS_OK);
	expect_runs('a', 1, 40);
	expect_runs('b', 1, 4);
	expect_runs('c', 1, 4);
	assert_int_equal(rig_report(&rig, &spaces[1])->commands, 2);
	assert_int_equal(counter(NNAHW_REG_COUNT_JOBS), 1);
}

static void test_yield_report(void **state)
{
	const struct nnahw_report *report = rig_report(&rig, &spaces[1]);
	struct nnahw_ring_entry e;

	add(1, 'a', 2 * rig.dev->exec.threads, 1, false);
	add(1, 'b', 1, 1, false);
	hold('a', 0);
	e = submit(1);
	wait_held();
	ask_to_yield(1, e.seqno);
	release();
	expect(1, NNAHW_STATUS_YIELDED);
	assert_int_equal(report->status, NNAHW_STATUS_YIELDED);
	assert_int_equal(report->resume, entry_at(1, 0).start);
	assert_int_equal(report->commands, 1);
}

/* A job that is in its last command ends; one whose tile fails fails. */
static void test_yield_too_late(void **state)
{
	for (uint32_t fails = 0; fails < 2; fails++) {
		struct nnahw_ring_entry e, now;

		rig_stream_begin(&rig, &spaces[1]);
		add(1, 'a' + fails, 40, 1, fails);
		if (fails)
			add(1, 'n', 1, 1, false);
		hold('a' + fails, 5);
		e = submit(1);
		wait_held();
		ask_to_yield(1, e.seqno);
		release();
		expect(NNAHW_CONTROL_RING, NNAHW_STATUS_OK);
		expect(1, fails ? NNAHW_STATUS_BAD_INDEX : NNAHW_STATUS_OK);
		now = entry_at(1, fails);
		assert_memory_equal(&now, &e, sizeof(e));
	}
	expect_runs('n', 1, 0);
}

/* A job that has been preempted yields once its command has ended, and no other ring's job does. */
static void test_yield_preempted(void **state)
{
	struct nnahw_ring_entry low;

	add(0, 'l', 50, 1, false);
	add(0, 'n', 1, 1, false);
	add(2, 'h', 50, 1, false);
	add(2, 'i', 1, 1, false);
	hold('l', 2);
	low = submit(0);
	wait_held();
	submit(2);
	hold('h', 3);
	wait_held();
	while (fake.log[fake.logged - 1] >> 16 != 'h')
		usleep(100);
	wait_held();
	ask_to_yield(0, low.seqno);
	release();
	expect(2, NNAHW_STATUS_OK);
	expect(0, NNAHW_STATUS_YIELDED);
	expect_order("lhil");
	expect_runs('l', 1, 50);
	expect_runs('n', 1, 0);
}

/* A loop yields within an iteration, and goes on for the rest of its limit. */
static void test_yield_in_loop(void **state)
{
	struct nnahw_cmd_jump *jump;
	struct nnahw_ring_entry e;
	uint64_t limit = 50000000;

	add(1, 'a', 1, 1, false);
	jump = rig_command(&rig, &spaces[1], NNAHW_OP_JUMP, sizeof(*jump));
	jump->target = 64;
	jump->loop = 1;
	e = rig_job(&rig, &spaces[1]);
	e.loop_limit = limit;
	rig_submit(&rig, 1, &e);
	wait_for(&fake.logged, 10);
	ask_to_yield(1, e.seqno);
	expect(1, NNAHW_STATUS_YIELDED);
	e = entry_at(1, 0);
	assert_true(e.loop_limit < limit);
	assert_int_equal(e.loop_limit, limit - rig_report(&rig, &spaces[1])->loop_time);
	assert_true(e.start == 64 || e.start == 64 + sizeof(struct nnahw_cmd_fill));
	e.seqno++;
	rig_submit(&rig, 1, &e);
	expect(1, NNAHW_STATUS_LOOP_LIMIT);
	assert_true(rig_report(&rig, &spaces[1])->loop_time > e.loop_limit);
}

/* A reset ends what was asked for. */
static void test_yield_reset(void **state)
{
	struct nnahw_ring_entry e;

	add(1, 'a', 1, 1, false);
	rig_end(&rig, &spaces[1]);
	rig_control(&rig, NNAHW_ENTRY_YIELD, 0, 1, UINT32_MAX >> 1, 0);
	e = submit(1);
	expect(1, NNAHW_STATUS_YIELDED);
	assert_int_equal(entry_at(1, 0).start, e.start);
	nnadev_reset(rig.dev);
	rig_enable(&rig);
	submit(1);
	expect(1, NNAHW_STATUS_OK);
}

static void test_failing_tile(void **state)
{
	add(0, 'a', 200, 2, true);
	add(0, 'b', 1, 1, false);
	submit(0);
	expect(0, NNAHW_STATUS_BAD_INDEX);
	assert_int_equal(rig_report(&rig, &spaces[0])->command, 64);
	expect_runs('b', 1, 0);
	assert_int_equal(fake.runs['a'][1][0], 0);
}

static void *unmap_thread(void *arg)
{
	_Atomic bool *done = arg;

	must(!nnadev_dma_unmap(rig.dev, 0x4000000000ull, RIG_PAGE));
	atomic_store(done, true);
	return NULL;
}

/* A range stays mapped until the tile that uses it has retired; then the job ends. */
static void test_unmap_waits(void **state)
{
	_Atomic bool done = false;
	struct nnahw_completion c;
	uint64_t until;
	uint32_t knocks;
	pthread_t t;

	must(!nnadev_dma_map(rig.dev, 0x4000000000ull, RIG_PAGE, rig.fd,
				 spaces[0].data - RIG_BUS, 3));
	rig_map(&rig, spaces[0].root, RIG_VA_DATA, 0x4000000000ull, 1, NNAHW_PTE_WRITE);
	add(0, 'l', 50, 1, false);
	hold('l', 2);
	submit(0);
	wait_held();
	knocks = nnadev_event_read(&rig.dev->exec.event);
	pthread_create(&t, NULL, unmap_thread, &done);
	/* It has asked the command processor to make way, and waits. */
	until = nnadev_clock_now() + RIG_WAIT;
	while (nnadev_event_read(&rig.dev->exec.event) == knocks) {
		must(nnadev_clock_now() < until);
		usleep(100);
	}
	assert_false(atomic_load(&done));
	/* Registers do not wait. */
	assert_int_equal(rig_read(&rig, NNAHW_REG_STATUS), NNAHW_REG_STATUS_READY);
	rig_write(&rig, NNAHW_DOORBELLS, rig.rings[0].posted);
	release();
	pthread_join(t, NULL);
	c = rig_wait(&rig, 0);
	assert_int_equal(c.status, NNAHW_STATUS_FAULT_BUS);
	assert_int_equal(c.detail, 0x4000000000ull);
	assert_true(fake.logged < 50);
}

/*
 * An invalidation is acknowledged when no tile holds the old translation; what follows uses the new
 * one.
 */
static void test_invalidate_waits(void **state)
{
	uint64_t spare = rig_pages(&rig, 1, RIG_PAGE);
	struct nnahw_ring_entry inv = { .type = NNAHW_ENTRY_INVALIDATE,
					.asid = 0,
					.target = NNAHW_ENTRY_ALL };
	struct nnahw_completion c;

	add(0, 'l', 50, 1, false);
	hold('l', 2);
	submit(0);
	wait_held();
	rig_map(&rig, spaces[0].root, RIG_VA_DATA, spare, 1, NNAHW_PTE_WRITE);
	rig_submit(&rig, NNAHW_CONTROL_RING, &inv);
	usleep(3000);
	assert_false(rig_poll(&rig, NNAHW_CONTROL_RING, &c));
	release();
	expect(NNAHW_CONTROL_RING, NNAHW_STATUS_OK);
	expect(0, NNAHW_STATUS_OK);
	assert_int_equal(*(uint8_t *)rig_at(&rig, spare), 'l');
	expect_runs('l', 1, 50);
}

/* Switched off, the device brings the running command to its end, and no more. */
static void test_switch_off(void **state)
{
	uint64_t until = nnadev_clock_now() + RIG_WAIT;
	struct nnahw_completion c;

	add(0, 'a', 30, 1, false);
	add(0, 'b', 30, 1, false);
	hold('a', 2);
	submit(0);
	wait_held();
	rig_write(&rig, NNAHW_REG_CONTROL, 0);
	release();
	while (counter(NNAHW_REG_COUNT_COMMANDS) < 1) {
		must(nnadev_clock_now() < until);
		usleep(200);
	}
	usleep(2000);
	assert_false(rig_poll(&rig, 0, &c));
	expect_runs('a', 1, 30);
	expect_runs('b', 1, 0);
	rig_write(&rig, NNAHW_REG_CONTROL, NNAHW_REG_CONTROL_ENABLE);
	expect(0, NNAHW_STATUS_OK);
	expect_runs('b', 1, 30);
}

static void test_reset_in_tile(void **state)
{
	struct nnahw_completion c;

	add(0, 'a', 300, 1, false);
	hold('a', 2);
	submit(0);
	wait_held();
	rig_write(&rig, NNAHW_REG_RESET, NNAHW_RESET_MAGIC);
	assert_int_equal(rig_read(&rig, NNAHW_REG_STATUS), NNAHW_REG_STATUS_RESETTING);
	release();
	nnadev_reset(rig.dev);
	assert_int_equal(rig_read(&rig, NNAHW_REG_STATUS), NNAHW_REG_STATUS_READY);
	assert_false(rig_poll(&rig, 0, &c));
	assert_true(fake.logged < 300);
	rig_enable(&rig);
	rig_stream_begin(&rig, &spaces[0]);
	add(0, 'n', 4, 1, false);
	submit(0);
	expect(0, NNAHW_STATUS_OK);
}

/* Submits a job with a budget, and holds its second tile until more than that has passed. */
static void submit_slow(uint64_t budget, uint32_t flags)
{
	uint64_t until = nnadev_clock_now() + budget;
	struct nnahw_ring_entry e = rig_job(&rig, &spaces[0]);

	hold('a', 2);
	e.budget = budget;
	e.flags = flags;
	rig_submit(&rig, 0, &e);
	wait_held();
	while (nnadev_clock_now() <= until + budget)
		usleep(1000);
	/* Go on to another tile, in front of which the CPU time is read. */
	atomic_store(&fake.read, 0);
	hold('a', 4);
	wait_for(&fake.read, 1);
}

/* A job whose threads have no CPU is not ended, however long that takes; one that has it is. */
static void test_budget_in_tiles(void **state)
{
	const uint64_t budget = 50000000;
	struct nnahw_ring_entry e;
	uint64_t shown;

	fake.timed = true;
	add(0, 'a', 300, 1, false);
	submit_slow(budget, 0);
	/* Nothing is known of the first tiles: they count as a little, not as what they took. */
	shown = rig_read(&rig, rig_ring_reg(0, NNAHW_RING_REG_RUN_TIME));
	assert_true(shown << NNAHW_RUN_TIME_SHIFT < 2 * budget);
	while (nnadev_clock_now() - rig.dev->jobs[0].begin <= 4 * budget)
		usleep(1000);
	release();
	expect(0, NNAHW_STATUS_OK);
	expect_runs('a', 1, 300);
	assert_true(rig_report(&rig, &spaces[0])->run_time < budget);
	assert_true(rig_report(&rig, &spaces[0])->end >
		    rig_report(&rig, &spaces[0])->begin + 4 * budget);
	/* The same job, of whose time the threads have a CPU all but for the first tiles. */
	memset(fake.runs, 0, sizeof(fake.runs));
	fake.logged = 0;
	submit_slow(budget, 0);
	fake.cpu += 2 * budget;
	while (nnadev_clock_now() - rig.dev->jobs[0].begin <= 5 * budget)
		usleep(1000);
	release();
	expect(0, NNAHW_STATUS_BUDGET);
	assert_true(fake.logged < 300);
	fake.timed = false;
	/* A deadline that passes while the job runs. */
	memset(fake.runs, 0, sizeof(fake.runs));
	fake.logged = 0;
	hold('a', 2);
	e = rig_job(&rig, &spaces[0]);
	e.deadline = nnadev_clock_now() + 2000000000;
	rig_submit(&rig, 0, &e);
	wait_held();
	while (nnadev_clock_now() < e.deadline)
		usleep(10000);
	release();
	expect(0, NNAHW_STATUS_DEADLINE);
	assert_true(fake.logged < 300);
}

/* What an ended job of submit_slow() left to be done in its entry is submitted as another one. */
static void go_on(uint32_t slot)
{
	struct nnahw_ring_entry e = entry_at(0, slot);

	e.seqno = ++rig.seqno;
	rig_submit(&rig, 0, &e);
}

/*
 * A job with a slice yields before its next command when the slice is used up, not within one, and
 * not when no command is left; each job runs a command at least. Only the job limit ends it.
 */
static void test_slice_of_job(void **state)
{
	const uint64_t budget = 50000000;
	struct nnahw_ring_entry e;

	fake.timed = true;
	add(0, 'a', 30, 1, false);
	add(0, 'b', 30, 1, false);
	add(0, 'c', 30, 1, false);
	submit_slow(budget, NNAHW_ENTRY_FLAG_SLICE);
	fake.cpu += 2 * budget;
	while (nnadev_clock_now() - rig.dev->jobs[0].begin <= 5 * budget)
		usleep(1000);
	release();
	expect(0, NNAHW_STATUS_YIELDED);
	expect_runs('a', 1, 30);
	expect_runs('b', 1, 0);
	e = entry_at(0, 0);
	assert_int_equal(e.start, 64 + sizeof(struct nnahw_cmd_fill));
	assert_int_equal(e.budget, 1);
	assert_int_equal(rig_report(&rig, &spaces[0])->status, NNAHW_STATUS_YIELDED);
	assert_int_equal(rig_report(&rig, &spaces[0])->resume, e.start);
	assert_int_equal(counter(NNAHW_REG_COUNT_JOBS), 0);
	assert_int_equal(counter(NNAHW_REG_COUNT_FAULTS), 0);
	/* What is left of the slice suffices for no command, and one is run. */
	go_on(0);
	expect(0, NNAHW_STATUS_YIELDED);
	expect_runs('b', 1, 30);
	expect_runs('c', 1, 0);
	go_on(1);
	expect(0, NNAHW_STATUS_OK);
	expect_runs('a', 1, 30);
	expect_runs('b', 1, 30);
	expect_runs('c', 1, 30);
	assert_int_equal(counter(NNAHW_REG_COUNT_JOBS), 1);
	/* In a command that takes the machine's time for longer than the job limit. */
	memset(fake.runs, 0, sizeof(fake.runs));
	fake.logged = 0;
	rig.dev->exec.job_limit = 2 * budget;
	submit_slow(budget, NNAHW_ENTRY_FLAG_SLICE);
	fake.cpu += 3 * budget;
	while (nnadev_clock_now() - rig.dev->jobs[0].begin <= 6 * budget)
		usleep(1000);
	release();
	expect(0, NNAHW_STATUS_BUDGET);
	assert_true(fake.logged < 30);
	fake.timed = false;
}

/*
 * The count in memory of a job's ring grows while its tiles end, and stands still in a tile that
 * does not end.
 */
static void test_progress(void **state)
{
	const uint64_t at = rig_pages(&rig, 1, RIG_PAGE);
	const struct nnahw_progress *p = rig_at(&rig, at);
	uint64_t seen = 0, before;

	assert_int_equal(nnadev_reg_read(rig.dev, NNAHW_REG_PROGRESS, 8), 0);
	nnadev_reg_write(rig.dev, NNAHW_REG_PROGRESS, 8, at + 1);
	assert_int_equal(nnadev_reg_read(rig.dev, NNAHW_REG_PROGRESS, 8), at);
	/* The first count is written at once, and the next when its time has come. */
	add(2, 'a', 200, 1, false);
	hold('a', 1);
	submit(2);
	wait_held();
	seen = p->counts[2];
	assert_true(seen > 0);
	for (uint32_t tile = 2; tile < 6; tile++) {
		uint64_t due = nnadev_clock_now() + NNADEV_STOPWATCH_LONG + NNADEV_PROGRESS_NS;

		while (nnadev_clock_now() <= due)
			usleep(1000);
		/* No tile has ended meanwhile. */
		before = __atomic_load_n(&p->counts[2], __ATOMIC_RELAXED);
		assert_true(before == seen);
		hold('a', tile);
		due = nnadev_clock_now() + RIG_WAIT;
		while (__atomic_load_n(&p->counts[2], __ATOMIC_RELAXED) == before)
			must(nnadev_clock_now() < due);
		seen = before + 1;
		wait_held();
	}
	release();
	expect(2, NNAHW_STATUS_OK);
	for (uint32_t i = 0; i < NNAHW_JOB_RINGS; i++)
		assert_true(i == 2 ? p->counts[i] >= seen : !p->counts[i]);
	/* A reset ends that: what was the driver's memory may be another's now. */
	nnadev_reset(rig.dev);
	assert_int_equal(nnadev_reg_read(rig.dev, NNAHW_REG_PROGRESS, 8), 0);
	before = p->counts[2];
	rig_enable(&rig);
	usleep(2 * NNADEV_PROGRESS_NS / 1000);
	submit(2);
	expect(2, NNAHW_STATUS_OK);
	assert_int_equal(p->counts[2], before);
	/* Memory that is not there is no error. */
	nnadev_reg_write(rig.dev, NNAHW_REG_PROGRESS, 8, RIG_BUS + RIG_SIZE);
	usleep(2 * NNADEV_PROGRESS_NS / 1000);
	submit(2);
	expect(2, NNAHW_STATUS_OK);
}

/* Many jobs on all rings at once, and mappings that come and go. */
static void test_crowd(void **state)
{
	uint32_t left[NNAHW_JOB_RINGS], pending[NNAHW_JOB_RINGS] = { 0 };
	bool more = true;

	for (uint32_t i = 0; i < NNAHW_JOB_RINGS; i++) {
		add(i, 'a' + i, 6, 2, false);
		add(i, 'k' + i, 1, 1, false);
		left[i] = 300;
	}
	while (more) {
		struct nnahw_completion c;

		more = false;
		for (uint32_t i = 0; i < NNAHW_JOB_RINGS; i++) {
			while (left[i] && pending[i] < RIG_RING) {
				struct nnahw_ring_entry e = rig_job(&rig, &spaces[i]);

				rig_put(&rig, i, &e);
				pending[i]++;
				left[i]--;
			}
			rig_ring_bell(&rig, i);
		}
		must(!nnadev_dma_map(rig.dev, 0x4000000000ull, RIG_PAGE, rig.fd, 0, 3));
		rig_invalidate(&rig, 1);
		must(!nnadev_dma_unmap(rig.dev, 0x4000000000ull, RIG_PAGE));
		for (uint32_t i = 0; i < NNAHW_JOB_RINGS; i++) {
			while (pending[i] && rig_poll(&rig, i, &c)) {
				assert_int_equal(c.status, NNAHW_STATUS_OK);
				pending[i]--;
			}
			more |= left[i] || pending[i];
		}
	}
	assert_int_equal(fake.early, 0);
	for (uint32_t i = 0; i < NNAHW_JOB_RINGS; i++)
		for (uint32_t tile = 0; tile < 6; tile++)
			assert_int_equal(fake.runs['a' + i][1][tile], 300);
	assert_int_equal(counter(NNAHW_REG_COUNT_JOBS), 300 * NNAHW_JOB_RINGS);
}

/* A job that adds @b to @a as F32. */
static struct nnahw_ring_entry make_sum(struct rig *lent, struct rig_space *s, float a, float b)
{
	struct nnahw_cmd_ewise *sum;
	float *data;

	rig_space_init(lent, s, 1);
	data = rig_at(lent, s->data);
	data[0] = a;
	data[1] = b;
	rig_slot(lent, s, 0, RIG_VA_DATA, RIG_PAGE);
	rig_stream_begin(lent, s);
	sum = rig_command(lent, s, NNAHW_OP_EWISE, sizeof(*sum));
	sum->a = rig_tensor(NNAHW_TYPE_F32, 0, 0, 1, 0, 0, 0);
	sum->b = rig_tensor(NNAHW_TYPE_F32, 0, 4, 1, 0, 0, 0);
	sum->c.slot = NNAHW_SLOT_NONE;
	sum->output = rig_tensor(NNAHW_TYPE_F32, 0, 8, 1, 0, 0, 0);
	sum->op = NNAHW_EWISE_ADD;
	sum->shift = 1;
	sum->clamp_min = -INFINITY;
	sum->clamp_max = INFINITY;
	rig_end(lent, s);
	return rig_job(lent, s);
}

/* Whether ring 0 of a rig has completed as many jobs as @jobs. */
struct progress {
	struct rig *rig;
	uint32_t jobs;
};

static bool has_completed(const void *context)
{
	const struct progress *p = context;

	return atomic_load(&p->rig->irqs[0]) >= p->jobs;
}

static bool is_set(const void *context)
{
	return atomic_load((const _Atomic bool *)context);
}

/* A lent device runs where it is run, in the default rounding mode, and says what is left. */
static void test_lent(void **state)
{
	const struct progress one = { &rig, 1 }, two = { &rig, 2 }, more = { &rig, 3 };
	struct nnahw_completion done;
	struct nnahw_ring_entry e;
	struct rig_space s;
	_Atomic bool now = true;

	rig_init_at(&rig, 1, 0, true);
	e = make_sum(&rig, &s, 1, 0x1p-30f);
	assert_false(nnadev_run(rig.dev, has_completed, &one, NNADEV_FOREVER));
	rig_submit(&rig, 0, &e);
	e.seqno = ++rig.seqno;
	rig_submit(&rig, 0, &e);
	/* Nobody has run it; nor does who is to stop, or has no time left. */
	assert_true(nnadev_run(rig.dev, is_set, &now, NNADEV_FOREVER));
	assert_true(nnadev_run(rig.dev, has_completed, &one, 1));
	assert_int_equal(rig.irqs[0], 0);
	fesetround(FE_UPWARD);
	assert_true(nnadev_run(rig.dev, has_completed, &one, NNADEV_FOREVER));
	assert_int_equal(fegetround(), FE_UPWARD);
	fesetround(FE_TONEAREST);
	assert_int_equal(rig.irqs[0], 1);
	assert_true(rig_poll(&rig, 0, &done));
	assert_int_equal(done.status, NNAHW_STATUS_OK);
	assert_true(((float *)rig_at(&rig, s.data))[2] == 1);
	assert_false(nnadev_run(rig.dev, has_completed, &two, NNADEV_FOREVER));
	assert_true(rig_poll(&rig, 0, &done));
	assert_false(nnadev_run(rig.dev, has_completed, &more, NNADEV_FOREVER));
	rig_fini(&rig);
}

/* What another thread does while a job hangs in test_knock(). */
struct knock {
	_Atomic bool stop;
	struct nnadev_event asked;
	_Atomic bool was_asked;
};

static bool is_knocked(const void *context)
{
	struct knock *k = (struct knock *)(uintptr_t)context;

	if (!atomic_exchange(&k->was_asked, true))
		nnadev_event_raise(&k->asked);
	return atomic_load(&k->stop);
}

static void *knock(void *arg)
{
	struct knock *k = arg;

	/* The other thread is in nnadev_run(). */
	for (;;) {
		uint32_t seq = nnadev_event_read(&k->asked);

		if (atomic_load(&k->was_asked))
			break;
		nnadev_event_wait(&k->asked, seq, NNADEV_FOREVER);
	}
	atomic_store(&k->stop, true);
	nnadev_knock(rig.dev);
	return NULL;
}

/* Who runs a job that makes no progress is called back by a knock; another goes on with the job. */
static void test_knock(void **state)
{
	const struct progress one = { &rig, 1 };
	struct knock k = { 0 };
	struct nnahw_completion done;
	struct nnahw_ring_entry e;
	struct rig_space s;
	pthread_t other;

	rig_init_at(&rig, 1, 0, true);
	e = make_sum(&rig, &s, 1, 2);
	assert_int_equal(nnadev_inject(rig.dev, NNADEV_INJECT_HANG, 1), 0);
	rig_submit(&rig, 0, &e);
	assert_int_equal(pthread_create(&other, NULL, knock, &k), 0);
	assert_true(nnadev_run(rig.dev, is_knocked, &k, NNADEV_FOREVER));
	pthread_join(other, NULL);
	assert_int_equal(rig.irqs[0], 0);
	rig_submit(&rig, NNAHW_CONTROL_RING, &(struct nnahw_ring_entry){
		.type = NNAHW_ENTRY_ABORT, .seqno = ++rig.seqno, .address = e.seqno });
	nnadev_run(rig.dev, has_completed, &one, NNADEV_FOREVER);
	assert_true(rig_poll(&rig, 0, &done));
	assert_int_equal(done.status, NNAHW_STATUS_ABORTED);
	rig_fini(&rig);
}

static bool is_enough(const void *context)
{
	return true;
}

/* Who is called back before it has done anything leaves work: rings that nobody has looked at. */
static void test_leave(void **state)
{
	const struct progress one = { &rig, 1 };
	struct nnahw_completion done;
	struct nnahw_ring_entry e;
	struct rig_space s;

	rig_init_at(&rig, 1, 0, true);
	e = make_sum(&rig, &s, 1, 2);
	rig_submit(&rig, 0, &e);
	assert_true(nnadev_run(rig.dev, is_enough, NULL, NNADEV_FOREVER));
	nnadev_run(rig.dev, has_completed, &one, NNADEV_FOREVER);
	assert_true(rig_poll(&rig, 0, &done));
	assert_int_equal(done.status, NNAHW_STATUS_OK);
	rig_fini(&rig);
}

int main(void)
{
#define ONE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define THREE(name)                                                                                \
	{                                                                                          \
#name " (three threads)", name, set_up_three, tear_down, NULL                      \
	}
	const struct CMUnitTest tests[] = {
		ONE(test_rounds_make_way),
		ONE(test_every_tile_once),
		THREE(test_every_tile_once),
		ONE(test_preempt_between_tiles),
		ONE(test_preempt_between_commands),
		THREE(test_preempt_between_commands),
		THREE(test_ahead),
		THREE(test_ahead_preempted),
		THREE(test_ahead_changed),
		THREE(test_ahead_invalidated),
		THREE(test_ahead_ended),
		THREE(test_ahead_bad),
		ONE(test_known),
		THREE(test_known),
		ONE(test_known_elsewhere),
		THREE(test_known_elsewhere),
		ONE(test_known_is_there),
		ONE(test_known_under_way),
		THREE(test_known_under_way),
		ONE(test_gathered_midway),
		ONE(test_nested),
		ONE(test_no_aging),
		ONE(test_aging),
		ONE(test_aging_within_job),
		ONE(test_aging_by_time),
		ONE(test_boost),
		ONE(test_boost_ends),
		ONE(test_slice),
		ONE(test_abort_running),
		THREE(test_abort_running),
		ONE(test_abort_suspended),
		ONE(test_yield),
		THREE(test_yield),
		ONE(test_yield_report),
		THREE(test_yield_report),
		ONE(test_yield_too_late),
		ONE(test_yield_preempted),
		ONE(test_yield_in_loop),
		THREE(test_yield_in_loop),
		ONE(test_yield_reset),
		ONE(test_failing_tile),
		THREE(test_failing_tile),
		ONE(test_unmap_waits),
		THREE(test_unmap_waits),
		ONE(test_invalidate_waits),
		THREE(test_invalidate_waits),
		ONE(test_switch_off),
		THREE(test_switch_off),
		ONE(test_reset_in_tile),
		THREE(test_reset_in_tile),
		ONE(test_budget_in_tiles),
		ONE(test_progress),
		ONE(test_slice_of_job),
		ONE(test_crowd),
		THREE(test_crowd),
		cmocka_unit_test(test_lent),
		cmocka_unit_test(test_knock),
		cmocka_unit_test(test_leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
