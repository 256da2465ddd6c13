// SPDX-License-Identifier: MIT
/*
 * Operands that take long to reach make way for others: pages that are walked to, runs of pages
 * that are mapped, and copies, both ways. The calls that do the work are wrapped (tests/unit.mk):
 * the first one rings for a job of a higher ring, and a later one finds that done.
 */
#include "tests/unit/device/nna/core/case.h"

#define SIZE (RIG_DATA_PAGES / 2 * RIG_PAGE)

bool __real_nnadev_mmu_range(struct nnadev_mmu *mmu, struct nnadev_space *space, uint64_t va,
			     uint64_t size, bool write, void **data, struct nnadev_fault *fault);
bool __wrap_nnadev_mmu_range(struct nnadev_mmu *mmu, struct nnadev_space *space, uint64_t va,
			     uint64_t size, bool write, void **data, struct nnadev_fault *fault);
bool __real_nnadev_mmu_read(struct nnadev_mmu *mmu, struct nnadev_space *space, uint64_t va,
			    void *to, uint64_t size, struct nnadev_fault *fault);
bool __wrap_nnadev_mmu_read(struct nnadev_mmu *mmu, struct nnadev_space *space, uint64_t va,
			    void *to, uint64_t size, struct nnadev_fault *fault);
bool __real_nnadev_mmu_write(struct nnadev_mmu *mmu, struct nnadev_space *space, uint64_t va,
			     const void *from, uint64_t size, struct nnadev_fault *fault);
bool __wrap_nnadev_mmu_write(struct nnadev_mmu *mmu, struct nnadev_space *space, uint64_t va,
			     const void *from, uint64_t size, struct nnadev_fault *fault);

enum work { RANGE, READ, WRITE, KINDS };

/* The command processor's own, but for @watched, which the test sets while that sleeps. */
static struct {
	enum work watched;
	uint32_t calls;
	uint32_t done_at; /* the first call that found the other job done, or 0 */
	uint64_t longest; /* bytes of a call */
} seen;

static void watch(enum work kind, uint64_t va, uint64_t size)
{
	if (kind != seen.watched || va < RIG_VA_DATA)
		return;
	if (size > seen.longest)
		seen.longest = size;
	if (!seen.calls++)
		rig_ring_bell(&rig, 1);
	else if (!seen.done_at && rig_read(&rig, rig_ring_reg(1, NNAHW_RING_REG_DONE)))
		seen.done_at = seen.calls;
}

bool __wrap_nnadev_mmu_range(struct nnadev_mmu *mmu, struct nnadev_space *space_, uint64_t va,
			     uint64_t size, bool write, void **data, struct nnadev_fault *fault)
{
	watch(RANGE, va, size);
	return __real_nnadev_mmu_range(mmu, space_, va, size, write, data, fault);
}

bool __wrap_nnadev_mmu_read(struct nnadev_mmu *mmu, struct nnadev_space *space_, uint64_t va,
			    void *to, uint64_t size, struct nnadev_fault *fault)
{
	watch(READ, va, size);
	return __real_nnadev_mmu_read(mmu, space_, va, to, size, fault);
}

bool __wrap_nnadev_mmu_write(struct nnadev_mmu *mmu, struct nnadev_space *space_, uint64_t va,
			     const void *from, uint64_t size, struct nnadev_fault *fault)
{
	watch(WRITE, va, size);
	return __real_nnadev_mmu_write(mmu, space_, va, from, size, fault);
}

/* Every other page changes its place with the one after it. */
static void scatter_pages(struct rig_space *s)
{
	for (uint32_t i = 0; i < RIG_DATA_PAGES; i++)
		rig_map(&rig, s->root, RIG_VA_DATA + i * RIG_PAGE, s->data + (i ^ 1) * RIG_PAGE, 1,
			NNAHW_PTE_WRITE);
	rig_invalidate(&rig, s->asid);
}

/*
 * Copy the first half of the data to the second, @stride elements apart, and watch one kind, of
 * which the ring that rang is served before call @latest.
 */
static void run_copy(enum work watched, uint32_t stride, uint32_t latest)
{
	struct nnahw_ring_entry nop = { .type = NNAHW_ENTRY_NOP, .seqno = 7 }, e;
	uint32_t count = SIZE / stride;
	struct nnahw_cmd_copy *c;

	memset(&seen, 0, sizeof(seen));
	seen.watched = watched;
	for (uint32_t i = 0; i < SIZE; i++)
		*((uint8_t *)rig_at(&rig, space.data) + (i ^ RIG_PAGE)) =
			(uint8_t)(i * 7 + i / 251);
	memset(rig_at(&rig, space.data + SIZE), 0xee, SIZE);
	rig_slot(&rig, &space, 0, RIG_VA_DATA, 2 * SIZE);
	rig_stream_begin(&rig, &space);
	c = rig_command(&rig, &space, NNAHW_OP_COPY, sizeof(*c));
	c->input = rig_tensor(NNAHW_TYPE_U8, 0, 0, count, 0, 0, 0);
	c->output = rig_tensor(NNAHW_TYPE_U8, 0, SIZE, count, 0, 0, 0);
	c->output.strides[0] = (int32_t)stride;
	rig_end(&rig, &space);

	rig_put(&rig, 1, &nop);
	e = rig_job(&rig, &space);
	expect(0, &e, NNAHW_STATUS_OK);
	assert_int_equal(rig_wait(&rig, 1).status, NNAHW_STATUS_OK);
	for (uint32_t i = 0; i < SIZE; i++) {
		const uint8_t *p = (uint8_t *)rig_at(&rig, space.data + SIZE) + (i ^ RIG_PAGE);
		uint32_t from = i / stride;

		assert_int_equal(*p, i % stride || from >= count ?
						     0xee :
						     (uint8_t)(from * 7 + from / 251));
	}
	assert_in_range(seen.done_at, 2, latest);
	assert_true(seen.calls > latest);
}

static void test_walks_make_way(void **state)
{
	scatter_pages(&space);
	rig.dev->exec.mmu.step = 4;
	run_copy(RANGE, 1, 3);
}

static void test_mapping_makes_way(void **state)
{
	scatter_pages(&space);
	rig.dev->exec.mmu.step = 3 * NNADEV_MMU_MAP_COST;
	run_copy(RANGE, 1, 3);
}

/* An operand is read or written two pages at a time. */
static void run_pieces(enum work watched)
{
	scatter_pages(&space);
	rig.dev->exec.mmu.max_runs = 2;
	rig.dev->exec.operand_bytes = 2 * RIG_PAGE;
	run_copy(watched, 1, 3);
	assert_int_equal(seen.longest, 2 * RIG_PAGE);
}

static void test_gathers_make_way(void **state)
{
	run_pieces(READ);
}

static void test_scatters_make_way(void **state)
{
	run_pieces(WRITE);
}

/* Single elements: not so many at a time. */
static void test_single_elements(void **state)
{
	scatter_pages(&space);
	rig.dev->exec.mmu.max_runs = 2;
	run_copy(WRITE, 3, NNADEV_OPERAND_PIECES + 1);
	assert_int_equal(seen.longest, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_walks_make_way, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_mapping_makes_way, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_gathers_make_way, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_scatters_make_way, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_single_elements, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
