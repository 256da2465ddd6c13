// SPDX-License-Identifier: MIT
/* Registers, rings, entries and completions of the device model. */
#include "test_device.h"

static void test_null_job(void **state)
{
	struct rig rig;
	struct rig_space s;
	struct nna_ring_entry e;
	struct nna_completion c;

	rig_init(&rig, 1);
	rig_space_init(&rig, &s, 1);
	rig_stream_begin(&rig, &s);
	rig_end(&rig, &s);
	e = rig_job(&rig, &s);
	c = rig_run(&rig, 0, &e);
	assert_int_equal(c.status, NNA_STATUS_OK);
	assert_int_equal(c.seqno, e.seqno);
	assert_int_equal(rig_report(&rig, &s)->commands, 1);
	assert_int_equal(rig_report(&rig, &s)->run_time, c.detail);
	rig_fini(&rig);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_null_job),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
