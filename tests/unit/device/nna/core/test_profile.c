// SPDX-License-Identifier: MIT
/* Profiles: what is recorded of which commands, appending, no room, memory that is not there. */
#include "tests/unit/device/nna/core/case.h"

#define VA_PROFILE (RIG_VA_DATA + 32 * RIG_PAGE)
#define HEADER sizeof(struct nnahw_profile_header)
#define RECORD sizeof(struct nnahw_profile_record)
#define BYTES (100u * 1024)

static void fill(uint32_t count)
{
	struct nnahw_cmd_fill *c = rig_command(&rig, &space, NNAHW_OP_FILL, sizeof(*c));

	c->output = rig_tensor(NNAHW_TYPE_U8, 0, 0, count, 0, 0, 0);
	c->value = 7;
}

static struct nnahw_profile_header *header(void)
{
	return rig_at(&rig, space.data + 32 * RIG_PAGE);
}

static const struct nnahw_profile_record *record(uint32_t i)
{
	return (const struct nnahw_profile_record *)(header() + 1) + i;
}

static void begin_stream(void)
{
	rig_stream_begin(&rig, &space);
	rig_slot(&rig, &space, 0, RIG_VA_DATA, 32 * RIG_PAGE);
}

/* The entry that runs the stream, which ends here, with a profile. */
static struct nnahw_ring_entry end_stream(uint32_t records)
{
	struct nnahw_ring_entry e;

	rig_end(&rig, &space);
	e = rig_job(&rig, &space);
	e.profile = VA_PROFILE;
	e.profile_size = HEADER + records * RECORD;
	return e;
}

/* A stream of two FILLs with a JUMP in between. */
static struct nnahw_ring_entry make_job(uint32_t records)
{
	struct nnahw_cmd_jump *c;

	begin_stream();
	fill(BYTES);
	c = rig_command(&rig, &space, NNAHW_OP_JUMP, sizeof(*c));
	c->target = space.stream_size;
	fill(1);
	return end_stream(records);
}

static void expect_counts(uint32_t written, uint32_t dropped)
{
	assert_int_equal(header()->written, written);
	assert_int_equal(header()->dropped, dropped);
}

static void test_records(void **state)
{
	struct nnahw_ring_entry e = make_job(8);
	const uint32_t second = space.stream_size - 64 - sizeof(struct nnahw_cmd_fill);

	expect(0, &e, NNAHW_STATUS_OK);
	expect_counts(2, 0);
	assert_int_equal(record(0)->command, 64);
	assert_int_equal(record(1)->command, second);
	assert_true(record(0)->tiles > 1);
	assert_int_equal(record(1)->tiles, 1);
	assert_true(record(0)->begin >= rig_report(&rig, &space)->begin);
	assert_true(record(1)->end <= rig_report(&rig, &space)->end);
	assert_true(record(0)->end <= record(1)->begin);
	for (uint32_t i = 0; i < 2; i++) {
		const struct nnahw_profile_record *r = record(i);

		assert_true(r->end >= r->begin);
		assert_true(r->run_time <= r->end - r->begin);
		/* There is one worker. */
		assert_true(r->busy[0] > 0 && r->busy[0] <= r->run_time);
		assert_int_equal(r->busy[1], 0);
	}
}

/* Jobs append, with what there is room for, until somebody clears the header. */
static void test_appends(void **state)
{
	struct nnahw_ring_entry e = make_job(3);

	expect(0, &e, NNAHW_STATUS_OK);
	e.seqno = ++rig.seqno;
	expect(1, &e, NNAHW_STATUS_OK);
	expect_counts(3, 1);
	assert_int_equal(record(2)->command, 64);
	assert_true(record(2)->begin >= record(1)->end);
	assert_int_equal(record(3)->command, 0);
	header()->written = UINT32_MAX;
	e.seqno = ++rig.seqno;
	expect(1, &e, NNAHW_STATUS_OK);
	expect_counts(UINT32_MAX, 3);
	memset(header(), 0, HEADER);
	e.seqno = ++rig.seqno;
	expect(1, &e, NNAHW_STATUS_OK);
	expect_counts(2, 0);
}

/* Commands that follow one another do not overlap. */
static void test_in_turn(void **state)
{
	struct nnahw_ring_entry e;

	begin_stream();
	for (int i = 0; i < 4; i++)
		fill(64);
	e = end_stream(8);
	expect(0, &e, NNAHW_STATUS_OK);
	expect_counts(4, 0);
	for (uint32_t i = 1; i < 4; i++)
		assert_true(record(i - 1)->end <= record(i)->begin);
}

/* A job that faults leaves what it has done. */
static void test_fault(void **state)
{
	struct nnahw_ring_entry e = make_job(8);

	rig_slot(&rig, &space, 0, RIG_VA_DATA, BYTES);
	((struct nnahw_cmd_fill *)((uint8_t *)rig_at(&rig, space.stream) + space.stream_size - 64 -
				   sizeof(struct nnahw_cmd_fill)))->output.offset = BYTES;
	expect(0, &e, NNAHW_STATUS_BAD_OPERAND);
	expect_counts(1, 0);
}

static void test_bad_memory(void **state)
{
	struct nnahw_ring_entry e = make_job(8);

	e.profile = RIG_VA_DATA + RIG_DATA_PAGES * RIG_PAGE;
	expect(0, &e, NNAHW_STATUS_FAULT_MMU);
	/* The header can be read, but not written, nor can a record. */
	e.seqno = ++rig.seqno;
	e.profile = RIG_VA_TABLE + 1024;
	expect(0, &e, NNAHW_STATUS_FAULT_MMU);
	/* The last record has no memory. */
	e.seqno = ++rig.seqno;
	e.profile = RIG_VA_DATA + RIG_DATA_PAGES * RIG_PAGE - HEADER - RECORD - 32;
	e.profile &= ~63ull;
	expect(0, &e, NNAHW_STATUS_FAULT_MMU);
	expect_null_job();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_records, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_appends, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_in_turn, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_fault, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_bad_memory, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
