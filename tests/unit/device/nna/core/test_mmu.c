// SPDX-License-Identifier: MIT
/* Page tables, faults, invalidation, DMA mappings and the ways in which operands are reached. */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <time.h>

#include "tests/unit/device/nna/core/device.h"

static struct rig rig;
static struct rig_space space;

static int set_up(void **state)
{
	rig_init(&rig, 1);
	rig_space_init(&rig, &space, 1);
	rig_slot(&rig, &space, 0, RIG_VA_DATA, RIG_DATA_PAGES * RIG_PAGE);
	return 0;
}

static int tear_down(void **state)
{
	rig_fini(&rig);
	return 0;
}

/* A stream of one COPY of @size bytes from one slot and offset to another. */
static void copy_stream(struct rig_space *s, uint32_t to_slot, uint64_t to, uint32_t from_slot,
			uint64_t from, uint32_t size)
{
	struct nnahw_cmd_copy *c;

	rig_stream_begin(&rig, s);
	c = rig_command(&rig, s, NNAHW_OP_COPY, sizeof(*c));
	c->output = rig_tensor(NNAHW_TYPE_U8, to_slot, to, size, 0, 0, 0);
	c->input = rig_tensor(NNAHW_TYPE_U8, from_slot, from, size, 0, 0, 0);
	rig_end(&rig, s);
}

static struct nnahw_completion run(struct rig_space *s)
{
	struct nnahw_ring_entry e = rig_job(&rig, s);
	struct nnahw_completion c = rig_run(&rig, 0, &e);

	/* After this the test may look at what the command processor keeps. */
	nnadev_gate_visit(&rig.dev->base.bus->gate, &rig.dev->exec.event);
	nnadev_gate_part(&rig.dev->base.bus->gate);
	return c;
}

static void expect(struct rig_space *s, uint32_t status)
{
	struct nnahw_completion c = run(s);

	assert_int_equal(c.status, status);
}

static void expect_fault(struct rig_space *s, uint32_t status, uint32_t kind, uint64_t address)
{
	struct nnahw_completion c = run(s);

	assert_int_equal(c.status, status);
	assert_int_equal(c.detail, address);
	assert_int_equal(rig_report(&rig, s)->status, status);
	assert_int_equal(rig_report(&rig, s)->fault, kind);
	assert_int_equal(rig_report(&rig, s)->fault_address, address);
}

static void pattern(uint8_t *p, uint32_t n, uint32_t seed)
{
	for (uint32_t i = 0; i < n; i++)
		p[i] = (uint8_t)((i + seed) * 2654435761u >> 13);
}

/* Pages of the data area come in reverse order, so that no two of them lie in one piece. */
static void scatter_pages(void)
{
	for (uint32_t i = 0; i < RIG_DATA_PAGES; i++)
		rig_map(&rig, space.root, RIG_VA_DATA + i * RIG_PAGE,
			space.data + (RIG_DATA_PAGES - 1 - i) * RIG_PAGE, 1, NNAHW_PTE_WRITE);
}

static uint8_t *scattered(uint32_t offset)
{
	return (uint8_t *)rig_at(&rig,
				 space.data + (RIG_DATA_PAGES - 1 - offset / RIG_PAGE) * RIG_PAGE) +
	       offset % RIG_PAGE;
}

static void test_copy_contiguous(void **state)
{
	uint8_t *data = rig_at(&rig, space.data);

	pattern(data, 10000, 1);
	copy_stream(&space, 0, 20000, 0, 3, 9000);
	expect(&space, NNAHW_STATUS_OK);
	assert_memory_equal(data + 20000, data + 3, 9000);
	assert_int_equal(data[29000], 0);
}

static void check_scattered(uint32_t from, uint32_t to, uint32_t size)
{
	for (uint32_t i = 0; i < RIG_DATA_PAGES * RIG_PAGE; i++)
		*scattered(i) = (uint8_t)(i * 2654435761u >> 11);
	copy_stream(&space, 0, to, 0, from, size);
	expect(&space, NNAHW_STATUS_OK);
	for (uint32_t i = 0; i < RIG_DATA_PAGES * RIG_PAGE; i++) {
		uint32_t source = i >= to && i < to + size ? i - to + from : i;

		assert_int_equal(*scattered(i), (uint8_t)(source * 2654435761u >> 11));
	}
}

static void test_copy_windows(void **state)
{
	scatter_pages();
	check_scattered(100, 50001, 40000);
	check_scattered(4096, 3 * 4096, 2 * 4096);
	check_scattered(0, 32 * 4096, 32 * 4096);
	assert_true(rig.dev->exec.mmu.runs >= RIG_DATA_PAGES);
	/* Again, without a walk. */
	uint64_t walks = nnadev_reg_read(rig.dev, NNAHW_REG_COUNT_WALKS, 8);

	check_scattered(0, 32 * 4096, 32 * 4096);
	assert_int_equal(nnadev_reg_read(rig.dev, NNAHW_REG_COUNT_WALKS, 8), walks);
	rig_invalidate(&rig, space.asid);
	assert_int_equal(rig.dev->exec.mmu.runs, 0);
	check_scattered(100, 50001, 40000);
}

/* With room for few mappings windows are evicted, with room for none everything is gathered. */
static void test_copy_gathered(void **state)
{
	struct rig_space other;

	scatter_pages();
	rig.dev->exec.mmu.max_runs = 0;
	check_scattered(100, 50001, 40000);
	assert_int_equal(rig.dev->exec.mmu.runs, 0);
	rig.dev->exec.mmu.max_runs = 8;
	check_scattered(100, 50001, 40000);
	rig.dev->exec.mmu.max_runs = 40;
	rig_space_init(&rig, &other, 2);
	rig_slot(&rig, &other, 0, RIG_VA_DATA, RIG_DATA_PAGES * RIG_PAGE);
	for (uint32_t i = 0; i < 8; i++)
		rig_map(&rig, other.root, RIG_VA_DATA + i * RIG_PAGE,
			other.data + (7 - i) * RIG_PAGE, 1, NNAHW_PTE_WRITE);
	for (int i = 0; i < 4; i++) {
		check_scattered(8192, 20 * 4096, 4 * 4096);
		copy_stream(&other, 0, 0, 0, 4 * 4096, 4 * 4096);
		expect(&other, NNAHW_STATUS_OK);
	}
}

/* A gathered output with gaps: what lies in them is not written, not even with what was there. */
static void test_gather_leaves_gaps(void **state)
{
	struct nnahw_cmd_copy *c;

	scatter_pages();
	rig.dev->exec.mmu.max_runs = 0;
	for (uint32_t i = 0; i < RIG_DATA_PAGES * RIG_PAGE; i++)
		*scattered(i) = (uint8_t)(i * 7);
	rig_stream_begin(&rig, &space);
	c = rig_command(&rig, &space, NNAHW_OP_COPY, sizeof(*c));
	c->input = rig_tensor(NNAHW_TYPE_U16, 0, 0, 3, 50, 20, 0);
	c->output = rig_tensor(NNAHW_TYPE_U16, 0, 60000, 3, 50, 20, 0);
	c->output.strides[0] = 4000;
	c->output.strides[1] = -60;
	c->output.strides[2] = 3;
	expect(&space, NNAHW_STATUS_OK);
	for (uint32_t i = 0; i < RIG_DATA_PAGES * RIG_PAGE; i += 2) {
		uint8_t low = (uint8_t)(i * 7), high = (uint8_t)((i + 1) * 7);

		for (uint32_t a = 0; a < 3; a++) {
			int64_t rest = ((int64_t)i - 60000) / 2 - 4000 * (int64_t)a;

			/* rest = -60 * b + 3 * k, 0 <= k < 20, 0 <= b < 50 */
			if (rest % 3 || rest > 57 || rest < -60 * 49)
				continue;
			int64_t b = rest > 0 ? 0 : (-rest + 59) / 60, k = (rest + 60 * b) / 3;

			if (b < 50 && k >= 0 && k < 20) {
				uint32_t source = (uint32_t)((a * 1000 + b * 20 + k) * 2);

				low = (uint8_t)(source * 7);
				high = (uint8_t)((source + 1) * 7);
			}
		}
		assert_int_equal(*scattered(i), low);
		assert_int_equal(*scattered(i + 1), high);
	}
}

static void test_large_pages(void **state)
{
	uint64_t bus = rig_pages(&rig, 512, 2u << 20);
	uint64_t va = 0x7fff40000000ull - (2u << 20);
	uint8_t *data = rig_at(&rig, bus);

	*rig_pte(&rig, space.root, va, 1) = bus | NNAHW_PTE_VALID | NNAHW_PTE_WRITE |
					    NNAHW_PTE_LARGE;
	/* The small page that follows is elsewhere: one range over both kinds. */
	rig_map(&rig, space.root, va + (2u << 20), space.data, 1, NNAHW_PTE_WRITE);
	rig_slot(&rig, &space, 1, va, (2u << 20) + RIG_PAGE);
	pattern(data, 2u << 20, 5);
	copy_stream(&space, 1, 1u << 20, 1, 64, 1000000);
	expect(&space, NNAHW_STATUS_OK);
	assert_memory_equal(data + (1u << 20), data + 64, 1000000);
	copy_stream(&space, 1, (2u << 20) - 3000, 1, 0, 6000);
	expect(&space, NNAHW_STATUS_OK);
	assert_memory_equal(data + (2u << 20) - 3000, data, 3000);
	assert_memory_equal(rig_at(&rig, space.data), data + 3000, 3000);
	/* Not aligned. */
	*rig_pte(&rig, space.root, va, 1) += RIG_PAGE;
	rig_invalidate(&rig, space.asid);
	expect_fault(&space, NNAHW_STATUS_FAULT_MMU, NNAHW_FAULT_KIND_ENTRY,
		     va + (2u << 20) - 3000);
}

static void test_faults(void **state)
{
	uint64_t out = RIG_VA_DATA + 8 * RIG_PAGE, in = RIG_VA_DATA;
	uint64_t *pte, good;

	copy_stream(&space, 0, 8 * RIG_PAGE + 16, 0, 32, 3 * RIG_PAGE);
	pte = rig_pte(&rig, space.root, in + 2 * RIG_PAGE, 0);
	good = *pte;
	*pte = 0;
	expect_fault(&space, NNAHW_STATUS_FAULT_MMU, NNAHW_FAULT_KIND_UNMAPPED, in + 2 * RIG_PAGE);
	assert_int_equal(rig_report(&rig, &space)->operand, NNAHW_COPY_INPUT);
	assert_int_equal(rig_report(&rig, &space)->command, 64);
	/* What is not there is not cached. */
	*pte = good;
	expect(&space, NNAHW_STATUS_OK);
	for (int bit = 2; bit < 64; bit++) {
		if (NNAHW_PTE_ADDRESS >> bit & 1)
			continue;
		rig_invalidate(&rig, space.asid);
		*pte = good | 1ull << bit;
		expect_fault(&space, NNAHW_STATUS_FAULT_MMU, NNAHW_FAULT_KIND_ENTRY,
			     in + 2 * RIG_PAGE);
	}
	*pte = (RIG_BUS + RIG_SIZE) | NNAHW_PTE_VALID;
	expect_fault(&space, NNAHW_STATUS_FAULT_BUS, NNAHW_FAULT_KIND_BUS, RIG_BUS + RIG_SIZE);
	*pte = NNAHW_PTE_ADDRESS | NNAHW_PTE_VALID;
	expect_fault(&space, NNAHW_STATUS_FAULT_BUS, NNAHW_FAULT_KIND_BUS, NNAHW_PTE_ADDRESS);
	*pte = good;
	/* Outputs need PTE_WRITE; the first byte at fault is named. */
	pte = rig_pte(&rig, space.root, out, 0);
	*pte &= ~NNAHW_PTE_WRITE;
	rig_invalidate(&rig, space.asid);
	expect_fault(&space, NNAHW_STATUS_FAULT_MMU, NNAHW_FAULT_KIND_READ_ONLY, out + 16);
	assert_int_equal(rig_report(&rig, &space)->operand, NNAHW_COPY_OUTPUT);
	*pte |= NNAHW_PTE_WRITE;
	/* Upper levels: WRITE is not looked at there, unknown bits are. */
	for (int level = 1; level < 4; level++) {
		pte = rig_pte(&rig, space.root, in, level);
		good = *pte;
		rig_invalidate(&rig, space.asid);
		*pte = good | NNAHW_PTE_WRITE;
		expect(&space, NNAHW_STATUS_OK);
		rig_invalidate(&rig, space.asid);
		*pte = good | 1ull << 60;
		/* The base table, or the stream below level 3, may share the entry. */
		expect(&space, NNAHW_STATUS_FAULT_MMU);
		*pte = RIG_BUS - RIG_PAGE + NNAHW_PTE_VALID;
		expect(&space, NNAHW_STATUS_FAULT_BUS);
		*pte = good;
	}
	pte = rig_pte(&rig, space.root, in, 2);
	good = *pte;
	*pte |= NNAHW_PTE_LARGE;
	rig_invalidate(&rig, space.asid);
	expect(&space, NNAHW_STATUS_FAULT_MMU);
	*pte = good;
	expect(&space, NNAHW_STATUS_OK);
}

/* Stream, table and report are virtual too. */
static void test_faults_of_the_job(void **state)
{
	struct nnahw_ring_entry e;
	struct nnahw_completion c;

	copy_stream(&space, 0, 64, 0, 0, 64);
	e = rig_job(&rig, &space);
	e.stream += 1ull << 40;
	c = rig_run(&rig, 0, &e);
	assert_int_equal(c.status, NNAHW_STATUS_FAULT_MMU);
	assert_int_equal(c.detail, e.stream);
	e = rig_job(&rig, &space);
	e.base_table = RIG_VA_TABLE + RIG_PAGE - 16;
	c = rig_run(&rig, 0, &e);
	assert_int_equal(c.status, NNAHW_STATUS_FAULT_MMU);
	assert_int_equal(c.detail, RIG_VA_TABLE + RIG_PAGE);
	e = rig_job(&rig, &space);
	e.report = RIG_VA_TABLE + 1024;
	c = rig_run(&rig, 0, &e);
	assert_int_equal(c.status, NNAHW_STATUS_FAULT_MMU);
	assert_int_equal(c.detail, e.report);
	e.report = RIG_VA_REPORT + RIG_PAGE - 64;
	c = rig_run(&rig, 0, &e);
	assert_int_equal(c.status, NNAHW_STATUS_FAULT_MMU);
	assert_int_equal(c.detail, RIG_VA_REPORT + RIG_PAGE);
	/* A job that failed keeps its own status. */
	rig_slot(&rig, &space, 0, 0x500000000000ull, 4096);
	c = rig_run(&rig, 0, &e);
	assert_int_equal(c.status, NNAHW_STATUS_FAULT_MMU);
	assert_int_equal(c.detail, 0x500000000040ull);
	e.root = RIG_BUS + RIG_SIZE;
	e.asid = 99;
	c = rig_run(&rig, 0, &e);
	assert_int_equal(c.status, NNAHW_STATUS_FAULT_BUS);
}

static void test_invalidate(void **state)
{
	uint8_t *data = rig_at(&rig, space.data);
	uint64_t spare = rig_pages(&rig, 1, RIG_PAGE);
	uint64_t *pte = rig_pte(&rig, space.root, RIG_VA_DATA + 3 * RIG_PAGE, 0);
	uint64_t good = *pte;

	copy_stream(&space, 0, 20 * RIG_PAGE, 0, 0, 8 * RIG_PAGE);
	pattern(data, 8 * RIG_PAGE, 3);
	memset(rig_at(&rig, spare), 0x5a, RIG_PAGE);
	expect(&space, NNAHW_STATUS_OK);
	/* A page in the middle is replaced; each round through another cached form. */
	for (int round = 0; round < 3; round++) {
		*pte = spare | NNAHW_PTE_VALID;
		rig_control(&rig, NNAHW_ENTRY_INVALIDATE, space.asid, 0,
			    RIG_VA_DATA + 3 * RIG_PAGE + 5, 1);
		expect(&space, NNAHW_STATUS_OK);
		assert_memory_equal(data + 20 * RIG_PAGE, data, 3 * RIG_PAGE);
		assert_int_equal(data[23 * RIG_PAGE], 0x5a);
		assert_int_equal(data[24 * RIG_PAGE - 1], 0x5a);
		assert_memory_equal(data + 24 * RIG_PAGE, data + 4 * RIG_PAGE, 4 * RIG_PAGE);
		*pte = 0;
		rig_control(&rig, NNAHW_ENTRY_INVALIDATE, space.asid, 0, 0, 1ull << 48);
		expect(&space, NNAHW_STATUS_FAULT_MMU);
		*pte = good;
		expect(&space, NNAHW_STATUS_OK);
		assert_memory_equal(data + 20 * RIG_PAGE, data, 8 * RIG_PAGE);
		*pte = 0;
		rig_control(&rig, NNAHW_ENTRY_INVALIDATE, space.asid, 0, RIG_VA_DATA + RIG_PAGE,
			    3 * RIG_PAGE);
		expect(&space, NNAHW_STATUS_FAULT_MMU);
		*pte = good;
		/* Another address space's invalidation changes nothing here. */
		rig_invalidate(&rig, space.asid + 256);
	}
}

/* The same VA in two address spaces, and one ASID that gets a new root. */
static void test_isolation(void **state)
{
	struct rig_space other;
	uint8_t *a = rig_at(&rig, space.data), *b;

	rig_space_init(&rig, &other, space.asid);
	rig_slot(&rig, &other, 0, RIG_VA_DATA, RIG_DATA_PAGES * RIG_PAGE);
	b = rig_at(&rig, other.data);
	copy_stream(&space, 0, 4096, 0, 0, 4096);
	copy_stream(&other, 0, 4096, 0, 0, 4096);
	memset(a, 1, 4096);
	memset(b, 2, 4096);
	expect(&space, NNAHW_STATUS_OK);
	expect(&other, NNAHW_STATUS_OK);
	other.asid += 256;
	expect(&other, NNAHW_STATUS_OK);
	assert_int_equal(a[4096], 1);
	assert_int_equal(b[4096], 2);
}

static void test_many_spaces(void **state)
{
	copy_stream(&space, 0, 4096, 0, 0, 4096);
	for (uint32_t i = 0; i < 3000; i++) {
		space.asid = i * 7919;
		expect(&space, NNAHW_STATUS_OK);
	}
	assert_true(rig.dev->exec.mmu.spaces <= NNADEV_MMU_SPACES);
}

static void test_dma_map(void **state)
{
	uint32_t rw = NNADEV_PROT_READ | NNADEV_PROT_WRITE;
	uint64_t far = 0x4000000000ull;

	assert_int_equal(nnadev_dma_map(rig.dev, far, 0, rig.fd, 0, rw), -EINVAL);
	assert_int_equal(nnadev_dma_map(rig.dev, far + 1, 4096, rig.fd, 0, rw), -EINVAL);
	assert_int_equal(nnadev_dma_map(rig.dev, far, 100, rig.fd, 0, rw), -EINVAL);
	assert_int_equal(nnadev_dma_map(rig.dev, far, 4096, rig.fd, 7, rw), -EINVAL);
	assert_int_equal(nnadev_dma_map(rig.dev, far, 4096, rig.fd, 0, 0), -EINVAL);
	assert_int_equal(nnadev_dma_map(rig.dev, far, 4096, rig.fd, 0, 4), -EINVAL);
	assert_int_equal(nnadev_dma_map(rig.dev, far, 4096, -1, 0, rw), -EBADF);
	assert_int_equal(nnadev_dma_map(rig.dev, UINT64_MAX - 4095, 8192, rig.fd, 0, rw), -EINVAL);
	assert_int_equal(nnadev_dma_map(rig.dev, far, 8192, rig.fd, UINT64_MAX - 4095, rw),
			 -EINVAL);
	assert_int_not_equal(nnadev_dma_map(rig.dev, far, 1ull << 62, rig.fd, 0, rw), 0);
	assert_int_equal(nnadev_dma_map(rig.dev, RIG_BUS + RIG_SIZE - 4096, 8192, rig.fd, 0, rw),
			 -EEXIST);
	assert_int_equal(nnadev_dma_map(rig.dev, RIG_BUS - 4096, 8192, rig.fd, 0, rw), -EEXIST);
	assert_int_equal(nnadev_dma_map(rig.dev, UINT64_MAX - 4095, 4096, rig.fd, 0, rw), 0);
	assert_int_equal(nnadev_dma_unmap(rig.dev, far, 4096), -ENOENT);
	assert_int_equal(nnadev_dma_unmap(rig.dev, RIG_BUS, 4096), -ENOENT);
	assert_int_equal(nnadev_dma_unmap(rig.dev, RIG_BUS + 4096, 1ull << 40), -ENOENT);
	assert_int_equal(nnadev_dma_unmap(rig.dev, UINT64_MAX - 4095, 4096), 0);
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(nnadev_dma_map(rig.dev, far + (i * 37 % 1000) * 8192ull, 4096,
						rig.fd, i * 4096ull, rw),
				 0);
	assert_int_equal(nnadev_dma_unmap(rig.dev, far, 1000 * 8192), 0);
	assert_int_equal(nnadev_dma_unmap(rig.dev, far, 1000 * 8192), -ENOENT);
}

static void test_dma_unmap(void **state)
{
	uint64_t far = 0x4000000000ull, offset = space.data - RIG_BUS;
	uint8_t *data = rig_at(&rig, space.data);

	/* The data pages through a mapping of their own, with windows and without. */
	for (int windows = 0; windows < 2; windows++) {
		assert_int_equal(nnadev_dma_map(rig.dev, far, RIG_DATA_PAGES * RIG_PAGE, rig.fd,
						offset, NNADEV_PROT_READ | NNADEV_PROT_WRITE),
				 0);
		for (uint32_t i = 0; i < RIG_DATA_PAGES; i++)
			rig_map(&rig, space.root, RIG_VA_DATA + i * RIG_PAGE,
				far + (windows ? i ^ 1 : i) * RIG_PAGE, 1, NNAHW_PTE_WRITE);
		rig_invalidate(&rig, space.asid);
		pattern(data, 4 * RIG_PAGE, 9);
		copy_stream(&space, 0, 8 * RIG_PAGE, 0, 0, 4 * RIG_PAGE);
		expect(&space, NNAHW_STATUS_OK);
		assert_memory_equal(data + 8 * RIG_PAGE, data, 4 * RIG_PAGE);
		assert_int_equal(nnadev_dma_unmap(rig.dev, far, RIG_DATA_PAGES * RIG_PAGE), 0);
		expect_fault(&space, NNAHW_STATUS_FAULT_BUS, NNAHW_FAULT_KIND_BUS,
			     windows ? far + 9 * RIG_PAGE : far + 8 * RIG_PAGE);
	}
	/* Read only on the bus. */
	assert_int_equal(nnadev_dma_map(rig.dev, far, RIG_DATA_PAGES * RIG_PAGE, rig.fd, offset,
					NNADEV_PROT_READ),
			 0);
	expect_fault(&space, NNAHW_STATUS_FAULT_BUS, NNAHW_FAULT_KIND_BUS, far + 9 * RIG_PAGE);
}

/*
 * Writes to four pages that may be read only, be it by the page table or on the bus: in one piece
 * and page by page, whether the device has read them before or not. The pages behind them may be
 * written all the same.
 */
static void check_read_only(bool bus, bool pieces, bool known)
{
	uint64_t far = 0x4000000000ull, offset = space.data - RIG_BUS, half = 4 * RIG_PAGE;
	uint8_t *data = rig_at(&rig, space.data), before[4 * RIG_PAGE];
	uint32_t first = pieces ? 1 : 0;

	assert_int_equal(nnadev_dma_map(rig.dev, far, half, rig.fd, offset,
					NNADEV_PROT_READ | (bus ? 0 : NNADEV_PROT_WRITE)),
			 0);
	assert_int_equal(nnadev_dma_map(rig.dev, far + half, half, rig.fd, offset + half,
					NNADEV_PROT_READ | NNADEV_PROT_WRITE),
			 0);
	for (uint32_t i = 0; i < 8; i++)
		rig_map(&rig, space.root, RIG_VA_DATA + i * RIG_PAGE,
			far + (i ^ first) * RIG_PAGE, 1, bus || i >= 4 ? NNAHW_PTE_WRITE : 0);
	rig_invalidate(&rig, space.asid);
	pattern(data, RIG_DATA_PAGES * RIG_PAGE, 9);
	memcpy(before, data, half);
	if (known) {
		copy_stream(&space, 0, 16 * RIG_PAGE, 0, 100, 7 * RIG_PAGE);
		expect(&space, NNAHW_STATUS_OK);
	}
	copy_stream(&space, 0, 100, 0, 24 * RIG_PAGE, 2 * RIG_PAGE);
	if (bus)
		expect_fault(&space, NNAHW_STATUS_FAULT_BUS, NNAHW_FAULT_KIND_BUS,
			     far + first * RIG_PAGE + 100);
	else
		expect_fault(&space, NNAHW_STATUS_FAULT_MMU, NNAHW_FAULT_KIND_READ_ONLY,
			     RIG_VA_DATA + 100);
	assert_memory_equal(data, before, half);
	copy_stream(&space, 0, half, 0, 24 * RIG_PAGE, half);
	expect(&space, NNAHW_STATUS_OK);
	for (uint32_t i = 0; i < 4; i++)
		assert_memory_equal(data + half + (i ^ first) * RIG_PAGE,
				    data + (24 + i) * RIG_PAGE, RIG_PAGE);
	assert_memory_equal(data, before, half);
	assert_int_equal(nnadev_dma_unmap(rig.dev, far, 2 * half), 0);
}

static void test_read_only(void **state)
{
	for (uint32_t i = 0; i < 8; i++)
		check_read_only(i & 1, i & 2, i & 4);
}

/* Memory of this process beside that of a file, until it is taken away, and nobody else's then. */
static void test_dma_memory(void **state)
{
	const uint64_t far = 0x4000000000ull, size = RIG_DATA_PAGES * RIG_PAGE;
	uint8_t *memory;

	assert_int_equal(posix_memalign((void **)&memory, RIG_PAGE, size), 0);
	pattern(memory, size, 9);
	memset(memory + 8 * RIG_PAGE, 0, 4 * RIG_PAGE);
	assert_int_equal(nnadev_dma_map_memory(rig.dev, far, 0, memory), -EINVAL);
	assert_int_equal(nnadev_dma_map_memory(rig.dev, far + 1, size, memory), -EINVAL);
	assert_int_equal(nnadev_dma_map_memory(rig.dev, far, size, memory + 8), -EINVAL);
	assert_int_equal(nnadev_dma_map_memory(rig.dev, RIG_BUS, size, memory), -EEXIST);
	assert_int_equal(nnadev_dma_map_memory(rig.dev, far, size, memory), 0);
	assert_int_equal(nnadev_dma_map_memory(rig.dev, far + size - RIG_PAGE, size, memory),
			 -EEXIST);
	for (uint32_t i = 0; i < RIG_DATA_PAGES; i++)
		rig_map(&rig, space.root, RIG_VA_DATA + i * RIG_PAGE, far + i * RIG_PAGE, 1,
			NNAHW_PTE_WRITE);
	rig_invalidate(&rig, space.asid);
	copy_stream(&space, 0, 8 * RIG_PAGE, 0, 0, 4 * RIG_PAGE);
	expect(&space, NNAHW_STATUS_OK);
	assert_memory_equal(memory + 8 * RIG_PAGE, memory, 4 * RIG_PAGE);
	/* A file that is mapped meanwhile is not taken for it. */
	assert_int_equal(nnadev_dma_map(rig.dev, far + size, RIG_PAGE, rig.fd, 0,
					NNADEV_PROT_READ | NNADEV_PROT_WRITE),
			 0);
	assert_int_equal(nnadev_dma_unmap(rig.dev, far + size, RIG_PAGE), 0);
	expect(&space, NNAHW_STATUS_OK);
	assert_int_equal(nnadev_dma_unmap(rig.dev, far, size), 0);
	expect_fault(&space, NNAHW_STATUS_FAULT_BUS, NNAHW_FAULT_KIND_BUS, far + 8 * RIG_PAGE);
	/* It is this process's still. */
	memset(memory, 1, size);
	free(memory);
}

/*
 * Cut off from memory nothing of it changes and nobody is interrupted; let in again, all is as it
 * was.
 */
static void test_bus_master(void **state)
{
	uint32_t status = rig_ring_reg(0, NNAHW_RING_REG_STATUS), irqs;
	struct nnahw_ring_entry e;
	uint8_t *data = rig_at(&rig, space.data);

	pattern(data, 4 * RIG_PAGE, 9);
	copy_stream(&space, 0, 8 * RIG_PAGE, 0, 0, 4 * RIG_PAGE);
	expect(&space, NNAHW_STATUS_OK);
	memset(data + 8 * RIG_PAGE, 0, 4 * RIG_PAGE);
	nnadev_bus_master(rig.dev, false);
	irqs = rig.irqs[0];
	e = rig_job(&rig, &space);
	rig_submit(&rig, 0, &e);
	/* It cannot even be fetched. */
	while (!(rig_read(&rig, status) & NNAHW_RING_REG_STATUS_ERROR))
		sched_yield();
	assert_int_equal(data[8 * RIG_PAGE], 0);
	assert_int_equal(rig.irqs[0], irqs);
	nnadev_bus_master(rig.dev, true);
	nnadev_reset(rig.dev);
	rig_enable(&rig);
	expect(&space, NNAHW_STATUS_OK);
	assert_memory_equal(data + 8 * RIG_PAGE, data, 4 * RIG_PAGE);
}

/* A file that is shorter than its mapping, and grows. */
static void test_short_file(void **state)
{
	uint64_t far = 0x4000000000ull;
	int fd = memfd_create("short", MFD_CLOEXEC);
	uint64_t *p;

	assert_int_equal(ftruncate(fd, 2 * RIG_PAGE + 100), 0);
	assert_int_equal(nnadev_dma_map(rig.dev, far, RIG_DATA_PAGES * RIG_PAGE, fd, 0,
					NNADEV_PROT_READ | NNADEV_PROT_WRITE),
			 0);
	rig_map(&rig, space.root, RIG_VA_DATA, far, 8, NNAHW_PTE_WRITE);
	copy_stream(&space, 0, 16 * RIG_PAGE, 0, 0, 3 * RIG_PAGE);
	expect(&space, NNAHW_STATUS_OK);
	copy_stream(&space, 0, 16 * RIG_PAGE, 0, 0, 4 * RIG_PAGE);
	expect_fault(&space, NNAHW_STATUS_FAULT_BUS, NNAHW_FAULT_KIND_BUS, far + 3 * RIG_PAGE);
	assert_int_equal(ftruncate(fd, 4 * RIG_PAGE), 0);
	p = mmap(NULL, 4 * RIG_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	p[3 * RIG_PAGE / 8] = 42;
	munmap(p, 4 * RIG_PAGE);
	expect(&space, NNAHW_STATUS_OK);
	assert_int_equal(((uint64_t *)rig_at(&rig, space.data + 16 * RIG_PAGE))[3 * RIG_PAGE / 8],
			 42);
	close(fd);
}

static uint32_t noise(uint64_t *state, uint32_t below)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (uint32_t)(*state >> 33) % below;
}

/* What is cached is sorted, disjoint, joined where it can be, and counted. */
static void check_extents(void)
{
	uint32_t n = 0;

	for (uint32_t b = 0; b < 256; b++) {
		for (const struct nnadev_space *s = rig.dev->exec.mmu.table[b]; s; s = s->next) {
			for (uint32_t i = 0; i < s->count; i++) {
				const struct nnadev_extent *e = &s->extents[i], *p = e - 1;

				assert_true(e->size && !((e->va | e->size | e->bus) % RIG_PAGE));
				assert_ptr_equal(e->data, e->file->data + (e->bus - RIG_BUS));
				if (i)
					assert_true(p->va + p->size <= e->va);
			}
			n += s->count;
		}
	}
	assert_int_equal(rig.dev->exec.mmu.extents, n);
}

/*
 * Random changes of the page table, each with its invalidation, and random copies out of the area.
 * Every page of bus memory is full of its own number, so that a stale or wrong translation shows.
 */
static void random_changes(uint32_t runs, uint64_t seed)
{
	enum { VA_PAGES = 96, BUS_PAGES = 40 };
	uint64_t out = rig_pages(&rig, VA_PAGES, RIG_PAGE),
		 bus = rig_pages(&rig, BUS_PAGES, RIG_PAGE);
	uint64_t in_va = 0x3fff0000ull + (1ull << 30) - 48 * RIG_PAGE, out_va = 0x555500000000ull;
	int32_t map[VA_PAGES];

	rig.dev->exec.mmu.max_runs = runs;
	rig_map(&rig, space.root, out_va, out, VA_PAGES, NNAHW_PTE_WRITE);
	for (uint32_t i = 0; i < VA_PAGES; i++) {
		rig_map(&rig, space.root, in_va + i * RIG_PAGE, bus, 1, 0);
		*rig_pte(&rig, space.root, in_va + i * RIG_PAGE, 0) = 0;
		map[i] = -1;
	}
	for (uint32_t i = 0; i < BUS_PAGES; i++)
		memset(rig_at(&rig, bus + i * RIG_PAGE), (int)i + 1, RIG_PAGE);
	rig_invalidate(&rig, space.asid);
	rig_slot(&rig, &space, 1, in_va, VA_PAGES * RIG_PAGE);
	rig_slot(&rig, &space, 2, out_va, VA_PAGES * RIG_PAGE);
	for (int round = 0; round < 1500; round++) {
		uint32_t first = noise(&seed, VA_PAGES), n = 1 + noise(&seed, VA_PAGES - first);
		uint32_t how = noise(&seed, 8), from = noise(&seed, BUS_PAGES), size;
		struct nnahw_completion c;
		uint8_t *got;

		if (n > 30 && noise(&seed, 4))
			n = 1 + n % 5;
		for (uint32_t i = first; i < first + n; i++) {
			map[i] = !how	   ? -1
				 : how < 4 ? (int32_t)((from + i - first) % BUS_PAGES)
					   : (int32_t)noise(&seed, BUS_PAGES);
			*rig_pte(&rig, space.root, in_va + i * RIG_PAGE, 0) =
				map[i] < 0 ? 0
					   : (bus + (uint32_t)map[i] * RIG_PAGE) | NNAHW_PTE_VALID;
		}
		rig_control(&rig, NNAHW_ENTRY_INVALIDATE, space.asid, 0,
			    in_va + first * RIG_PAGE + noise(&seed, 2), n * RIG_PAGE - 1);
		first = noise(&seed, VA_PAGES * RIG_PAGE);
		size = 1 + noise(&seed, VA_PAGES * RIG_PAGE - first);
		copy_stream(&space, 2, 0, 1, first, size);
		c = run(&space);
		check_extents();
		for (uint32_t at = first / RIG_PAGE; at <= (first + size - 1) / RIG_PAGE; at++) {
			if (map[at] < 0) {
				assert_int_equal(c.status, NNAHW_STATUS_FAULT_MMU);
				assert_int_equal(
					c.detail,
					in_va + (at * RIG_PAGE > first ? at * RIG_PAGE : first));
				break;
			}
			if (at == (first + size - 1) / RIG_PAGE)
				assert_int_equal(c.status, NNAHW_STATUS_OK);
		}
		got = rig_at(&rig, out);
		for (uint32_t i = 0; !c.status && i < size; i++)
			if (got[i] != map[(first + i) / RIG_PAGE] + 1)
				fail_msg("round %d: byte %u is %u", round, i, got[i]);
	}
}

static void test_random_changes(void **state)
{
	random_changes(NNADEV_MMU_RUNS, 1);
	random_changes(12, 2);
	random_changes(0, 3);
}

static void on_sigbus(int signal, siginfo_t *info, void *context)
{
	if (!nnadev_sigbus(info->si_addr))
		abort();
}

/*
 * A file that is truncated under the model, reached directly and through windows; the process lives
 * on.
 */
static void test_lost_pages(void **state)
{
	struct sigaction action = { .sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO }, old;
	uint64_t far = 0x4000000000ull;
	uint8_t *data = rig_at(&rig, space.data);

	sigaction(SIGBUS, &action, &old);
	assert_false(nnadev_sigbus(rig.mem));
	for (int windows = 0; windows < 2; windows++) {
		int fd = memfd_create("lost", MFD_CLOEXEC);

		assert_int_equal(ftruncate(fd, 16 * RIG_PAGE), 0);
		assert_int_equal(nnadev_dma_map(rig.dev, far, 16 * RIG_PAGE, fd, 0,
						NNADEV_PROT_READ | NNADEV_PROT_WRITE),
				 0);
		for (uint32_t i = 0; i < 16; i++)
			rig_map(&rig, space.root, RIG_VA_DATA + i * RIG_PAGE,
				far + (windows ? i ^ 1 : i) * RIG_PAGE, 1, NNAHW_PTE_WRITE);
		rig_invalidate(&rig, space.asid);
		copy_stream(&space, 0, 32 * RIG_PAGE, 0, 0, 4 * RIG_PAGE);
		expect(&space, NNAHW_STATUS_OK);
		assert_int_equal(ftruncate(fd, 0), 0);
		expect(&space, NNAHW_STATUS_FAULT_BUS);
		expect(&space, NNAHW_STATUS_FAULT_BUS);
		/* Others go on; and the file is as good as new when it is mapped anew. */
		copy_stream(&space, 0, 32 * RIG_PAGE, 0, 36 * RIG_PAGE, 4 * RIG_PAGE);
		data[36 * RIG_PAGE] = 7;
		expect(&space, NNAHW_STATUS_OK);
		assert_int_equal(data[32 * RIG_PAGE], 7);
		assert_int_equal(nnadev_dma_unmap(rig.dev, far, 16 * RIG_PAGE), 0);
		assert_int_equal(ftruncate(fd, 16 * RIG_PAGE), 0);
		assert_int_equal(nnadev_dma_map(rig.dev, far, 16 * RIG_PAGE, fd, 0,
						NNADEV_PROT_READ | NNADEV_PROT_WRITE),
				 0);
		copy_stream(&space, 0, 32 * RIG_PAGE, 0, 0, 4 * RIG_PAGE);
		expect(&space, NNAHW_STATUS_OK);
		assert_int_equal(data[32 * RIG_PAGE], 0);
		assert_int_equal(nnadev_dma_unmap(rig.dev, far, 16 * RIG_PAGE), 0);
		close(fd);
	}
	sigaction(SIGBUS, &old, NULL);
}

/* Times that the file of test_unmap_outside() was unmapped; with the command processor kept out. */
static atomic_uint unmapped, unmapped_inside;

int __real_munmap(void *address, size_t size);
int __wrap_munmap(void *address, size_t size);

int __wrap_munmap(void *address, size_t size)
{
	if (size == 19 * RIG_PAGE) {
		unmapped++;
		if (atomic_load(&rig.dev->base.bus->gate.guests))
			unmapped_inside++;
	}
	return __real_munmap(address, size);
}

/* Memory can take long to unmap: jobs that do not use it go on meanwhile. */
static void test_unmap_outside(void **state)
{
	int fd = memfd_create("unmapped", MFD_CLOEXEC);

	assert_int_equal(ftruncate(fd, 19 * RIG_PAGE), 0);
	assert_int_equal(nnadev_dma_map(rig.dev, 0x4000000000ull, 19 * RIG_PAGE, fd, 0,
					NNADEV_PROT_READ),
			 0);
	assert_int_equal(nnadev_dma_unmap(rig.dev, 0x4000000000ull, 19 * RIG_PAGE), 0);
	assert_int_equal(unmapped, 1);
	assert_int_equal(unmapped_inside, 0);
	close(fd);
}

/* CPU time, in ns, that it takes to drop @count extents whose pages are all apart. */
static uint64_t time_to_drop(uint32_t count)
{
	struct nnadev_mmu *mmu = &rig.dev->exec.mmu;
	struct nnadev_space *s;
	struct timespec a, b;

	nnadev_gate_visit(&rig.dev->base.bus->gate, &rig.dev->exec.event);
	s = nnadev_mmu_get(mmu, 77, RIG_PAGE);
	assert_non_null(s);
	s->extents = calloc(count, sizeof(*s->extents));
	assert_non_null(s->extents);
	for (uint32_t i = 0; i < count; i++)
		s->extents[i] = (struct nnadev_extent){ .va = i * RIG_PAGE,
							.size = RIG_PAGE,
							.bus = 2ull * i * RIG_PAGE };
	s->count = count;
	s->capacity = count;
	mmu->extents += count;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
	nnadev_mmu_drop_bus(mmu, 2 * RIG_PAGE, UINT64_MAX);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
	assert_int_equal(s->count, 1);
	nnadev_mmu_put(mmu, s);
	nnadev_mmu_invalidate(mmu, 77, 0, 0, true);
	assert_int_equal(mmu->extents, 0);
	nnadev_gate_part(&rig.dev->base.bus->gate);
	return (uint64_t)(b.tv_sec - a.tv_sec) * 1000000000u + (uint64_t)(b.tv_nsec - a.tv_nsec);
}

/*
 * What a client unmaps goes from the translations at once: eight times as many take about eight
 * times as long. One by one it would be 64 times.
 */
static void test_drop_many(void **state)
{
	uint64_t few = time_to_drop(1u << 12), many = time_to_drop(1u << 15);

	print_message("4 Ki extents %.3f ms, 32 Ki %.3f ms\n", (double)few / 1e6,
		      (double)many / 1e6);
	assert_true(many < 32 * few);
}

/* An operand of huge extent over tables that map themselves: no more than a failed job. */
static void test_huge_range(void **state)
{
	uint64_t pt = rig_pages(&rig, 1, RIG_PAGE), *e = rig_at(&rig, pt);
	struct nnahw_cmd_copy *c;
	uint64_t va = 0x600000000000ull;

	for (int i = 0; i < 512; i++)
		e[i] = pt | NNAHW_PTE_VALID | NNAHW_PTE_WRITE;
	*rig_pte(&rig, space.root, va, 3) = pt | NNAHW_PTE_VALID;
	rig_slot(&rig, &space, 1, va, 1ull << 39);
	rig_stream_begin(&rig, &space);
	c = rig_command(&rig, &space, NNAHW_OP_COPY, sizeof(*c));
	c->output = rig_tensor(NNAHW_TYPE_S64, 0, 0, 2, 0, 0, 0);
	c->input = rig_tensor(NNAHW_TYPE_S64, 1, 0, 2, 0, 0, 0);
	c->input.strides[0] = INT32_MAX;
	expect(&space, NNAHW_STATUS_NO_MEMORY);
	c->input.strides[0] =
		(100 << 20) / 8; /* more runs than windows may have, more bytes than are gathered */
	expect(&space, NNAHW_STATUS_NO_MEMORY);
	c->input.strides[0] = (32 << 20) / 8;
	expect(&space, NNAHW_STATUS_OK);
	c->input.strides[0] = (1u << 30) / 8;
	expect(&space, NNAHW_STATUS_NO_MEMORY);
	/* Over and over, each time with more that is cached: it stays bounded. */
	for (int i = 0; i < 40; i++) {
		c->input.offset = (uint64_t)i << 30;
		expect(&space, NNAHW_STATUS_NO_MEMORY);
	}
	c->input.offset = 0;
	assert_true(rig.dev->exec.mmu.extents <= NNADEV_MMU_EXTENTS);
	c->input.strides[0] = 100;
	expect(&space, NNAHW_STATUS_OK);
}

/* A job that comes again has its operands copied again. */
static void test_gathered_again(void **state)
{
	scatter_pages();
	rig.dev->exec.mmu.max_runs = 0;
	for (int i = 0; i < 3; i++)
		check_scattered(100, 50001, 40000);
}

/* A frozen MMU finds what is cached, and neither walks nor maps for more. */
static void test_frozen(void **state)
{
	struct nnadev_mmu *mmu = &rig.dev->exec.mmu;
	struct nnadev_fault fault;
	struct nnadev_space *s;
	void *data;

	nnadev_gate_visit(&rig.dev->base.bus->gate, &rig.dev->exec.event);
	s = nnadev_mmu_get(mmu, space.asid, space.root);
	assert_null(nnadev_mmu_peek(mmu, s, RIG_VA_DATA, 100));
	assert_true(nnadev_mmu_range(mmu, s, RIG_VA_DATA, 5000, true, &data, &fault));
	assert_ptr_equal(nnadev_mmu_peek(mmu, s, RIG_VA_DATA + 10, 4990), (uint8_t *)data + 10);
	assert_null(nnadev_mmu_peek(mmu, s, RIG_VA_STREAM, 64));
	nnadev_mmu_freeze(mmu, true);
	assert_true(nnadev_mmu_range(mmu, s, RIG_VA_DATA, 5000, true, &data, &fault));
	assert_false(nnadev_mmu_range(mmu, s, RIG_VA_STREAM, 64, false, &data, &fault));
	assert_int_equal(fault.status, NNADEV_MMU_AGAIN);
	assert_false(nnadev_mmu_read(mmu, s, RIG_VA_STREAM, &fault, 8, &fault));
	assert_int_equal(fault.status, NNADEV_MMU_AGAIN);
	nnadev_mmu_freeze(mmu, false);
	assert_true(nnadev_mmu_range(mmu, s, RIG_VA_STREAM, 64, false, &data, &fault));
	nnadev_mmu_put(mmu, s);
	nnadev_gate_part(&rig.dev->base.bus->gate);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(test_copy_contiguous),    TEST(test_copy_windows), TEST(test_copy_gathered),
		TEST(test_gather_leaves_gaps), TEST(test_large_pages),	TEST(test_faults),
		TEST(test_faults_of_the_job),  TEST(test_invalidate),	TEST(test_isolation),
		TEST(test_many_spaces),	       TEST(test_dma_map),	TEST(test_dma_unmap),
		TEST(test_dma_memory),	       TEST(test_read_only),
		TEST(test_short_file),	       TEST(test_bus_master),	TEST(test_lost_pages),
		TEST(test_random_changes),     TEST(test_huge_range),	TEST(test_drop_many),
		TEST(test_unmap_outside),      TEST(test_gathered_again), TEST(test_frozen),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
