// SPDX-License-Identifier: MIT
/* The Ethos-U as a driver sees it: probe, jobs that end well, in errors, and not at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "hw/ethosu/opcode.h"
#include "device/ethosu/pmu.h"
#include "device/ethosu/registers.h"
#include "tests/ethosu/machine.h"

#define LONG_WORD 0x4000u
#define SIZE 0x10000u
#define ANSWER 0x5au
#define LONG_STREAM 16384u /* bytes */

/* What a test puts into a stream. */
struct script {
	uint32_t *words;
	uint32_t count;
};

static void op(struct script *s, uint32_t code, uint32_t parameter)
{
	s->words[s->count++] = code | parameter << 16;
}

static void set_long(struct script *s, uint32_t code, uint64_t value)
{
	s->words[s->count++] = code | LONG_WORD | (uint32_t)(value >> 32) << 16;
	s->words[s->count++] = (uint32_t)value;
}

static struct script begin(struct test_ethosu *t)
{
	if (!t->memory[ETHOSU_REGIONS])
		test_ethosu_memory(t, ETHOSU_REGIONS, 4096);
	memset(t->memory[ETHOSU_REGIONS], 0, 4096);
	return (struct script){ (uint32_t *)t->memory[ETHOSU_REGIONS], 0 };
}

static uint32_t run(struct test_ethosu *t, const struct script *s)
{
	t->size[ETHOSU_REGIONS] = s->count * 4;
	test_ethosu_start(t);
	return test_ethosu_wait(t);
}

static void add_copy(struct script *s, uint32_t from, uint32_t to, uint64_t target, uint64_t length)
{
	op(s, ETHOSU_SET_DMA_SOURCE_REGION, from);
	op(s, ETHOSU_SET_DMA_TARGET_REGION, to);
	set_long(s, ETHOSU_SET_DMA_SOURCE, 0);
	set_long(s, ETHOSU_SET_DMA_TARGET, target);
	set_long(s, ETHOSU_SET_DMA_LENGTH, length);
	op(s, ETHOSU_OP_DMA_START, 0);
}

static int setup(void **state)
{
	static struct test_ethosu t;

	test_ethosu_create(&t, ethosu_config_find("ethos-u85-256"), 2);
	test_ethosu_memory(&t, 0, SIZE);
	test_ethosu_memory(&t, 1, SIZE);
	test_ethosu_reset(&t);
	*state = &t;
	return 0;
}

static int teardown(void **state)
{
	test_ethosu_destroy(*state);
	return 0;
}

static void test_configs(void **state)
{
	for (uint32_t i = 0; i < ETHOSU_CONFIGS; i++) {
		const struct ethosu_config *config = &ethosu_configs[i];
		uint32_t pmu = config->generation == ETHOSU_U65 ? ETHOSU_REG_PMU_U65
								: ETHOSU_REG_PMU_U85;
		struct test_ethosu t;

		test_ethosu_create(&t, config, 1);
		assert_int_equal(ethosu_device_read(t.device, ETHOSU_REG_PROT), 0);
		test_ethosu_reset(&t);
		assert_int_equal(ethosu_device_read(t.device, ETHOSU_REG_PROT),
				 ETHOSU_PROT_NONSECURE);
		assert_int_equal(ethosu_device_read(t.device, ETHOSU_REG_ID), config->id);
		assert_int_equal(ethosu_device_read(t.device, ETHOSU_REG_CONFIG), config->config);
		assert_int_equal(1u << (config->config & 0xf), config->macs);
		assert_int_equal(ethosu_device_read(t.device, pmu) >> ETHOSU_PMCR_COUNTERS_SHIFT,
				 config->counters);
		assert_int_equal(ethosu_device_read(t.device, ETHOSU_REG_STATUS), 0);
		test_ethosu_destroy(&t);
	}
	assert_null(ethosu_config_find("ethos-u55-128"));
}

/* What the upstream driver writes to a U65 at probe, when it takes it for a U85, is accepted. */
static void test_probe(void **state)
{
	static const struct {
		uint32_t offset, value;
	} writes[] = {
		{ ETHOSU_REG_REGIONCFG, 0xaa8a }, { 0x50, 0x21f3f }, { 0x54, 0x21f3f },
		{ 0x40, 0 },			  { 0x48, 0xb7 },
	};
	struct test_ethosu *t = *state;

	for (size_t i = 0; i < sizeof(writes) / sizeof(writes[0]); i++) {
		ethosu_device_write(t->device, writes[i].offset, writes[i].value);
		assert_int_equal(ethosu_device_read(t->device, writes[i].offset), writes[i].value);
	}
	test_ethosu_reset(t);
	assert_int_equal(ethosu_device_read(t->device, ETHOSU_REG_REGIONCFG), 0);
}

static void test_copy(void **state)
{
	struct test_ethosu *t = *state;
	struct script s = begin(t);
	uint32_t status;

	memset(t->memory[0], ANSWER, SIZE);
	add_copy(&s, 0, 1, 16, SIZE - 16);
	op(&s, ETHOSU_OP_STOP, 0x1234);
	status = run(t, &s);
	assert_int_equal(status & 0xffff, ETHOSU_STATUS_IRQ | ETHOSU_STATUS_END);
	assert_int_equal(status >> ETHOSU_STATUS_HISTORY_SHIFT, 0x1234);
	assert_int_equal(ethosu_device_read(t->device, ETHOSU_REG_QREAD), s.count * 4);
	assert_int_equal(t->memory[1][15], 0);
	assert_int_equal(t->memory[1][16], ANSWER);
	assert_int_equal(t->memory[1][SIZE - 1], ANSWER);
	/* The end stays to be seen; the interrupt does not. */
	assert_int_equal(ethosu_device_read(t->device, ETHOSU_REG_STATUS) & 0xffff,
			 ETHOSU_STATUS_END);
}

static void test_bus_error(void **state)
{
	struct test_ethosu *t = *state;
	struct script s = begin(t);
	uint32_t status;

	add_copy(&s, 0, 1, 16, SIZE);
	op(&s, ETHOSU_OP_STOP, 0xffff);
	status = run(t, &s);
	assert_int_equal(status & (ETHOSU_STATUS_BUS | ETHOSU_STATUS_PARSE | ETHOSU_STATUS_END |
				   ETHOSU_STATUS_RUNNING),
			 ETHOSU_STATUS_BUS);
	assert_int_equal(status >> ETHOSU_STATUS_CHANNEL_SHIFT & 0xf, 9);
	/* The next run begins without the error of the last one. */
	s = begin(t);
	op(&s, ETHOSU_OP_STOP, 0);
	assert_int_equal(run(t, &s), ETHOSU_STATUS_IRQ | ETHOSU_STATUS_END);
}

/* What the device may only read it does not write. */
static void test_read_only(void **state)
{
	static const uint32_t targets[] = { 16, SIZE - 2048 };
	const uint64_t far = 0x7000000000ull;
	struct test_ethosu *t = *state;
	uint64_t address = t->address[1];
	struct script s = begin(t);
	uint8_t byte;
	int fd = memfd_create("read-only", MFD_CLOEXEC);

	assert_int_equal(ftruncate(fd, SIZE), 0);
	/* The file is mapped for writing elsewhere, so that no page table of this process helps. */
	assert_int_equal(nnadev_bus_map(&t->bus, far + SIZE, SIZE, fd, 0,
					NNADEV_PROT_READ | NNADEV_PROT_WRITE),
			 0);
	assert_int_equal(nnadev_bus_map(&t->bus, far, SIZE, fd, 0, NNADEV_PROT_READ), 0);
	memset(t->memory[0], ANSWER, SIZE);
	t->address[1] = far;
	/* Also where it ends in what it may write. */
	for (uint32_t k = 0; k < 2; k++) {
		s = begin(t);
		test_ethosu_reset(t);
		add_copy(&s, 0, 1, targets[k], 4096);
		op(&s, ETHOSU_OP_STOP, 0);
		assert_true(run(t, &s) & ETHOSU_STATUS_BUS);
		for (uint32_t i = 0; i < SIZE; i++) {
			assert_int_equal(pread(fd, &byte, 1, i), 1);
			assert_int_equal(byte, 0);
		}
	}
	t->address[1] = address;
	assert_int_equal(nnadev_bus_unmap(&t->bus, far, 2 * SIZE), 0);
	close(fd);
}

/* No command; a payload that is cut; an end without STOP; sizes that fit nothing. */
static void test_parse_errors(void **state)
{
	static const uint32_t streams[][4] = {
		{ 0x8000 },		      /* bits 15:14 */
		{ 0x0020 },		      /* no operation */
		{ ETHOSU_SET_DMA_SOURCE | LONG_WORD }, /* no payload */
		{ ETHOSU_SET_IFM_DEPTH },     /* no STOP */
		{ ETHOSU_SET_KERNEL_WIDTH | 0xffffu << 16, ETHOSU_SET_KERNEL_HEIGHT | 0xffffu << 16,
		  ETHOSU_OP_POOL },
		{ ETHOSU_OP_ELEMENTWISE | 12u << 16 },
		{ ETHOSU_OP_BRANCH | LONG_WORD, 4096 },
		{ ETHOSU_OP_BRANCH | LONG_WORD, 2 },
	};
	static const uint32_t counts[] = { 1, 1, 1, 1, 3, 1, 2, 2 };
	struct test_ethosu *t = *state;

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct script s = begin(t);

		test_ethosu_reset(t);
		memcpy(s.words, streams[i], sizeof(streams[i]));
		s.count = counts[i];
		assert_int_equal(run(t, &s), ETHOSU_STATUS_IRQ | ETHOSU_STATUS_PARSE);
	}
}

/* A branch to itself: QREAD moves, no interrupt comes, and a reset ends it. */
static void test_endless(void **state)
{
	struct test_ethosu *t = *state;
	struct script s = begin(t);
	uint32_t first;

	s.words[s.count++] = ETHOSU_OP_BRANCH | LONG_WORD;
	s.words[s.count++] = 0;
	t->size[ETHOSU_REGIONS] = s.count * 4;
	test_ethosu_start(t);
	first = ethosu_device_read(t->device, ETHOSU_REG_QREAD);
	while (ethosu_device_read(t->device, ETHOSU_REG_QREAD) == first)
		assert_int_equal(ethosu_device_read(t->device, ETHOSU_REG_STATUS),
				 ETHOSU_STATUS_RUNNING);
	test_ethosu_reset(t);
	assert_int_equal(ethosu_device_read(t->device, ETHOSU_REG_STATUS), 0);
	s = begin(t);
	op(&s, ETHOSU_OP_STOP, 0);
	assert_int_equal(run(t, &s), ETHOSU_STATUS_IRQ | ETHOSU_STATUS_END);
}

/* A pool of 2^36 elements, which all lie at one place: it takes minutes. */
static void add_long_pool(struct script *s)
{
	op(s, ETHOSU_SET_OFM_WIDTH, 0xffff);
	op(s, ETHOSU_SET_OFM_HEIGHT, 0xffff);
	op(s, ETHOSU_SET_OFM_DEPTH, 15);
	op(s, ETHOSU_SET_IFM_DEPTH, 15);
	op(s, ETHOSU_SET_IFM_WIDTH0, 0xffff);
	op(s, ETHOSU_SET_IFM_HEIGHT0, 0xffff);
	op(s, ETHOSU_SET_OFM_WIDTH0, 0xffff);
	op(s, ETHOSU_SET_OFM_HEIGHT0, 0xffff);
	op(s, ETHOSU_SET_OFM_PRECISION, 0x100);
	op(s, ETHOSU_SET_OFM_REGION, 1);
	op(s, ETHOSU_SET_ACTIVATION_MAX, 0xff);
	set_long(s, ETHOSU_SET_OFM_SCALE, 1);
	op(s, ETHOSU_OP_POOL, 0);
	op(s, ETHOSU_OP_STOP, 0);
}

/*
 * Within an operation QREAD moves, memory can be mapped and unmapped, and a reset ends it: what is
 * written to memory afterwards stays.
 */
static void test_long(void **state)
{
	struct test_ethosu *t = *state;
	struct script s = begin(t);
	uint32_t first;

	memset(t->memory[0], ANSWER, SIZE);
	add_long_pool(&s);
	t->size[ETHOSU_REGIONS] = s.count * 4;
	test_ethosu_start(t);
	while (((volatile uint8_t *)t->memory[1])[0] != ANSWER)
		;
	first = ethosu_device_read(t->device, ETHOSU_REG_QREAD);
	while (ethosu_device_read(t->device, ETHOSU_REG_QREAD) == first)
		assert_int_equal(ethosu_device_read(t->device, ETHOSU_REG_STATUS),
				 ETHOSU_STATUS_RUNNING);
	test_ethosu_memory(t, 2, SIZE);
	ethosu_device_reset(t->device);
	t->memory[1][0] = 0;
	assert_int_equal(ethosu_device_read(t->device, ETHOSU_REG_STATUS), 0);
	s = begin(t);
	op(&s, ETHOSU_OP_STOP, 0);
	assert_int_equal(run(t, &s), ETHOSU_STATUS_IRQ | ETHOSU_STATUS_END);
	assert_int_equal(t->memory[1][0], 0);
}

/* Memory that goes while an operation uses it: a bus error, and the device goes on. */
static void test_unmap(void **state)
{
	struct test_ethosu *t = *state;
	struct script s = begin(t);
	uint32_t status;

	add_long_pool(&s);
	t->size[ETHOSU_REGIONS] = s.count * 4;
	test_ethosu_start(t);
	assert_int_equal(nnadev_bus_unmap(&t->bus, t->address[1], SIZE), 0);
	status = test_ethosu_wait(t);
	assert_int_equal(status & (ETHOSU_STATUS_BUS | ETHOSU_STATUS_END), ETHOSU_STATUS_BUS);
	assert_int_equal(status >> ETHOSU_STATUS_CHANNEL_SHIFT & 0xf, 8);
	assert_int_equal(nnadev_bus_map_data(&t->bus, t->address[1], SIZE, t->memory[1]), 0);
	s = begin(t);
	op(&s, ETHOSU_OP_STOP, 0);
	assert_int_equal(run(t, &s), ETHOSU_STATUS_IRQ | ETHOSU_STATUS_END);
}

static void test_faults(void **state)
{
	struct test_ethosu *t = *state;
	struct script s = begin(t);

	op(&s, ETHOSU_OP_STOP, 0);
	ethosu_device_inject(t->device, ETHOSU_INJECT_BUS_ERROR, 1);
	assert_true(run(t, &s) & ETHOSU_STATUS_BUS);
	ethosu_device_inject(t->device, ETHOSU_INJECT_PARSE_ERROR, 1);
	assert_true(run(t, &s) & ETHOSU_STATUS_PARSE);
	/* An interrupt that is lost: STATUS has it. */
	ethosu_device_inject(t->device, ETHOSU_INJECT_DROP_IRQ, 1);
	test_ethosu_start(t);
	while (!(ethosu_device_read(t->device, ETHOSU_REG_STATUS) & ETHOSU_STATUS_IRQ))
		;
	ethosu_device_write(t->device, ETHOSU_REG_CMD, ETHOSU_CMD_CLEAR_IRQ);
	/* A hang ends by a function level reset as well. */
	ethosu_device_inject(t->device, ETHOSU_INJECT_HANG, 1);
	test_ethosu_start(t);
	ethosu_device_reset(t->device);
	assert_int_equal(ethosu_device_read(t->device, ETHOSU_REG_STATUS), 0);
	ethosu_device_inject(t->device, ETHOSU_INJECT_HANG, 0);
	assert_int_equal(run(t, &s), ETHOSU_STATUS_IRQ | ETHOSU_STATUS_END);
	ethosu_device_inject(t->device, ETHOSU_INJECT_REFUSE_RESET, 1);
	ethosu_device_reset(t->device);
	assert_int_equal(ethosu_device_read(t->device, ETHOSU_REG_STATUS), ETHOSU_STATUS_RESET);
	test_ethosu_reset(t);
}

/* The counters as the upstream perfmon uses them. */
static void test_pmu(void **state)
{
	struct test_ethosu *t = *state;
	struct script s = begin(t);
	uint32_t pmu = ETHOSU_REG_PMU_U85, last;

	op(&s, ETHOSU_OP_STOP, 0);
	ethosu_device_write(t->device, pmu, ETHOSU_PMCR_ENABLE);
	ethosu_device_write(t->device, pmu + ETHOSU_PMU_CCNTR_CFG, 0x11);
	ethosu_device_write(t->device, pmu + ETHOSU_PMU_EVTYPER, 0x23);
	ethosu_device_write(t->device, pmu + ETHOSU_PMU_EVTYPER + 4, 0x21);
	ethosu_device_write(t->device, pmu + ETHOSU_PMU_CNTENSET, 1u << 31 | 3);
	ethosu_device_write(t->device, pmu, 7);
	run(t, &s);
	assert_true(ethosu_device_read(t->device, pmu + ETHOSU_PMU_EVCNTR) > 0);
	assert_int_equal(ethosu_device_read(t->device, pmu + ETHOSU_PMU_EVCNTR + 4), 0);
	last = ethosu_device_read(t->device, pmu + ETHOSU_PMU_CCNTR);
	assert_true(last >= ethosu_device_read(t->device, pmu + ETHOSU_PMU_EVCNTR));
	ethosu_device_write(t->device, pmu + ETHOSU_PMU_CNTENCLR, ~0u);
	last = ethosu_device_read(t->device, pmu + ETHOSU_PMU_CCNTR);
	assert_int_equal(ethosu_device_read(t->device, pmu + ETHOSU_PMU_CCNTR), last);
	ethosu_device_write(t->device, pmu, 0);
}

/* Wait until the job has ended, with an interrupt or without. Return: STATUS. */
static uint32_t wait_ended(struct test_ethosu *t)
{
	uint32_t status;

	do
		status = ethosu_device_read(t->device, ETHOSU_REG_STATUS);
	while (status & ETHOSU_STATUS_RUNNING);
	ethosu_device_write(t->device, ETHOSU_REG_CMD, ETHOSU_CMD_CLEAR_IRQ);
	return status;
}

static void run_to_end(struct test_ethosu *t)
{
	struct script s = begin(t);

	/* More commands than are run before the device looks whether it is to stop. */
	for (uint32_t i = 0; i < LONG_STREAM / 4 - 1; i++)
		op(&s, ETHOSU_SET_DMA_SOURCE_REGION, 0);
	op(&s, ETHOSU_OP_STOP, 0);
	t->size[ETHOSU_REGIONS] = s.count * 4;
	test_ethosu_start(t);
	assert_int_equal(wait_ended(t) & (ETHOSU_STATUS_END | ETHOSU_STATUS_BUS |
					  ETHOSU_STATUS_PARSE),
			 ETHOSU_STATUS_END);
}

/* A job that is asked to stop ends without an interrupt; the next one runs to its end. */
static void test_stopped(void **state)
{
	struct test_ethosu *t = *state;
	struct script s;

	test_ethosu_memory(t, ETHOSU_REGIONS, LONG_STREAM);
	s = begin(t);
	s.words[s.count++] = ETHOSU_OP_BRANCH | LONG_WORD;
	s.words[s.count++] = 0;
	t->size[ETHOSU_REGIONS] = s.count * 4;
	test_ethosu_start(t);
	/* One that has not begun is not asked. */
	while (ethosu_device_read(t->device, ETHOSU_REG_STATUS) & ETHOSU_STATUS_RUNNING)
		ethosu_device_write(t->device, ETHOSU_REG_CMD, ETHOSU_CMD_STOP);
	assert_int_equal(wait_ended(t) & ETHOSU_STATUS_IRQ, 0);
	run_to_end(t);

	/* It is asked until it has ended in another way: the next one does not stop for that. */
	s = begin(t);
	op(&s, ETHOSU_OP_STOP, 0);
	t->size[ETHOSU_REGIONS] = s.count * 4;
	ethosu_device_inject(t->device, ETHOSU_INJECT_SLOW_NS, 20000000);
	ethosu_device_inject(t->device, ETHOSU_INJECT_PARSE_ERROR, 1);
	test_ethosu_start(t);
	while (ethosu_device_read(t->device, ETHOSU_REG_STATUS) & ETHOSU_STATUS_RUNNING)
		ethosu_device_write(t->device, ETHOSU_REG_CMD, ETHOSU_CMD_STOP);
	assert_int_equal(wait_ended(t) & ETHOSU_STATUS_PARSE, ETHOSU_STATUS_PARSE);
	ethosu_device_inject(t->device, ETHOSU_INJECT_SLOW_NS, 0);
	run_to_end(t);
}

/* A counter that overflows raises an interrupt of its own, if that is enabled, and once. */
static void test_overflow(void **state)
{
	struct test_ethosu *t = *state;
	uint32_t pmu = ETHOSU_REG_PMU_U85, seq = nnadev_event_read(&t->raised);

	for (uint32_t enabled = 0; enabled < 2; enabled++) {
		test_ethosu_reset(t);
		ethosu_device_write(t->device, pmu + ETHOSU_PMU_EVTYPER, ETHOSU_EVENT_CYCLE);
		ethosu_device_write(t->device, pmu + ETHOSU_PMU_EVCNTR, 0xffffffff);
		ethosu_device_write(t->device, pmu + ETHOSU_PMU_INTSET, enabled);
		ethosu_device_write(t->device, pmu + ETHOSU_PMU_CNTENSET, 1);
		ethosu_device_write(t->device, pmu, ETHOSU_PMCR_ENABLE);
		while (!ethosu_device_read(t->device, pmu + ETHOSU_PMU_OVSSET))
			;
		/* A write has the device look. */
		ethosu_device_write(t->device, pmu + ETHOSU_PMU_CNTENSET, 1);
		if (!enabled) {
			struct script s = begin(t);

			op(&s, ETHOSU_OP_STOP, 0);
			assert_int_equal(run(t, &s), ETHOSU_STATUS_IRQ | ETHOSU_STATUS_END);
			seq = nnadev_event_read(&t->raised);
			continue;
		}
		nnadev_event_wait(&t->raised, seq, NNADEV_FOREVER);
		assert_int_equal(ethosu_device_read(t->device, ETHOSU_REG_STATUS),
				 ETHOSU_STATUS_PMU_IRQ);
		ethosu_device_write(t->device, ETHOSU_REG_CMD, ETHOSU_CMD_CLEAR_IRQ);
		assert_int_equal(ethosu_device_read(t->device, ETHOSU_REG_STATUS), 0);
		assert_int_equal(ethosu_device_read(t->device, pmu + ETHOSU_PMU_OVSSET), 1);
		ethosu_device_write(t->device, pmu + ETHOSU_PMU_OVSCLR, 1);
		assert_int_equal(ethosu_device_read(t->device, pmu + ETHOSU_PMU_OVSSET), 0);
	}
}

/* What the stream has set can be read from 0x800 on, until a reset. */
static void test_state(void **state)
{
	static const struct {
		uint32_t code, offset;
	} settings[] = {
		{ ETHOSU_SET_IFM_PAD_TOP, 0x800 },     { ETHOSU_SET_IFM_REGION, 0x83c },
		{ ETHOSU_SET_OFM_WIDTH, 0x844 },       { ETHOSU_SET_BLOCKDEP, 0x8bc },
		{ ETHOSU_SET_DMA_INDEX_REGION, 0x8d0 }, { ETHOSU_SET_IFM2_BROADCAST, 0x900 },
		{ ETHOSU_SET_IFM2_REGION, 0x93c },
	}, longs[] = {
		{ ETHOSU_SET_IFM_BASE0, 0xa00 },      { ETHOSU_SET_OFM_STRIDE_C, 0xa70 },
		{ ETHOSU_SET_OFM_SCALE, 0xaa0 },      { ETHOSU_SET_DMA_INDEX, 0xaf8 },
		{ ETHOSU_SET_IFM2_BASE0, 0xb00 },     { ETHOSU_SET_WEIGHT3_LENGTH, 0xb68 },
		{ ETHOSU_SET_DMA_INDEX_MAX, 0xbc0 },
	};
	const uint32_t n = sizeof(settings) / sizeof(settings[0]);
	const uint32_t m = sizeof(longs) / sizeof(longs[0]);
	struct test_ethosu *t = *state;
	struct script s = begin(t);

	for (uint32_t i = 0; i < n; i++)
		op(&s, settings[i].code, 0x8001 + i);
	for (uint32_t i = 0; i < m; i++)
		set_long(&s, longs[i].code, ((uint64_t)(0x70 + i) << 32) + 0x90000000 + i);
	op(&s, ETHOSU_OP_STOP, 0);
	assert_int_equal(run(t, &s), ETHOSU_STATUS_IRQ | ETHOSU_STATUS_END);
	for (uint32_t reset = 0; reset < 2; reset++) {
		for (uint32_t i = 0; i < n; i++)
			assert_int_equal(ethosu_device_read(t->device, settings[i].offset),
					 reset ? 0 : 0x8001 + i);
		for (uint32_t i = 0; i < m; i++) {
			assert_int_equal(ethosu_device_read(t->device, longs[i].offset),
					 reset ? 0 : 0x90000000 + i);
			assert_int_equal(ethosu_device_read(t->device, longs[i].offset + 4),
					 reset ? 0 : 0x70 + i);
		}
		test_ethosu_reset(t);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_configs),
		cmocka_unit_test_setup_teardown(test_probe, setup, teardown),
		cmocka_unit_test_setup_teardown(test_copy, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bus_error, setup, teardown),
		cmocka_unit_test_setup_teardown(test_read_only, setup, teardown),
		cmocka_unit_test_setup_teardown(test_parse_errors, setup, teardown),
		cmocka_unit_test_setup_teardown(test_endless, setup, teardown),
		cmocka_unit_test_setup_teardown(test_stopped, setup, teardown),
		cmocka_unit_test_setup_teardown(test_long, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unmap, setup, teardown),
		cmocka_unit_test_setup_teardown(test_faults, setup, teardown),
		cmocka_unit_test_setup_teardown(test_pmu, setup, teardown),
		cmocka_unit_test_setup_teardown(test_overflow, setup, teardown),
		cmocka_unit_test_setup_teardown(test_state, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
