// SPDX-License-Identifier: MIT
/*
 * Elementwise operations and pools of bytes by the NNA's engine and by tables against their
 * definitions, on shapes, scales and values drawn at random: layouts, tiles, chain buffers,
 * broadcast, scalars, tables of the activation, of a U65 and a U85.
 */
#define MEMORY (1u << 17) /* of each region */

#include "device/ethosu/byte_elementwise.h"
#include "device/ethosu/byte_table.h"
#include "device/ethosu/elementwise.h"
#include "device/ethosu/pool.h"
#include "hw/ethosu/opcode.h"
#include "tests/unit/device/ethosu/drawn.h"

#define CASES 1500

enum { IFM = 0, IFM2 = 1, OFM = 2 };

/**
 * struct result - what an operation has left
 */
struct result {
	uint32_t status;
	uint8_t memory[MEMORY];
	int32_t chain[1u << 14];
};

static bool is_u85(const struct ethosu_machine *machine)
{
	return machine->config->generation == ETHOSU_U85;
}

/* Sign, zero point and layout; a U85's may be a chain buffer, with bytes in it or with numbers. */
static void draw_map(struct ethosu_machine *machine, struct ethosu_feature_map *map,
		     uint64_t address, uint8_t chain)
{
	uint64_t count = (uint64_t)map->height * map->width * map->depth;
	int32_t spread = below(8) ? 256 : 300;

	map->is_signed = below(2);
	map->zero_point = (int32_t)below(256) - (map->is_signed ? 128 : 0);
	lay_out(map, address, MEMORY);
	if (!is_u85(machine) || below(3))
		return;
	map->storage = ETHOSU_IN_CHAIN;
	map->chain = chain;
	assert_int_equal(ethosu_machine_chain(machine, chain, map->height, map->width, map->depth),
			 0);
	for (uint64_t i = 0; i < count; i++)
		machine->chains[chain].values[i] =
			(int32_t)below(spread) - (map->is_signed ? 128 : 0);
}

static void draw_output(struct ethosu_machine *machine, struct ethosu_operation *op,
			const struct test_ethosu *test)
{
	op->ofm.height = 1 + below(9);
	op->ofm.width = 1 + below(12);
	op->ofm.depth = 1 + below(70);
	draw_map(machine, &op->ofm, test->address[OFM], OFM);
	op->min = (op->ofm.is_signed ? -128 : 0) + (int32_t)below(40);
	op->max = op->min + 255 - 80 + (int32_t)below(40);
	op->global_scale = below(8);
	if (below(4) == 0) /* a table */
		op->activation = is_u85(machine) ? (op->ofm.is_signed ? 4 : 1) : 16 + below(3);
}

/* Mostly as Vela has them: a factor of 31 bits, the headroom of TFLite's sums. */
static struct ethosu_scale draw_scale(uint32_t extra, uint32_t least_shift)
{
	struct ethosu_scale scale = {
		.scale = below(10) ? 1u << 30 | below(1u << 30) : below(1u << 20),
		.shift = (uint8_t)(least_shift + below(12)),
		.extra = (uint8_t)(below(10) ? extra : below(20)),
		.rounding = below(4) ? ETHOSU_ROUND_DOUBLE : (enum ethosu_rounding)below(6),
	};

	if (below(6) == 0)
		scale = (struct ethosu_scale){ .scale = 1 };
	return scale;
}

static void draw_elementwise(struct ethosu_machine *machine, struct ethosu_operation *op,
			     const struct test_ethosu *test)
{
	static const uint32_t modes[] = {
		ETHOSU_ELEMENTWISE_MUL, ETHOSU_ELEMENTWISE_ADD, ETHOSU_ELEMENTWISE_SUB,
		ETHOSU_ELEMENTWISE_ADD, ETHOSU_ELEMENTWISE_MIN, ETHOSU_ELEMENTWISE_LRELU,
		ETHOSU_ELEMENTWISE_ABS,
	};
	struct ethosu_feature_map *maps[2] = { &op->ifm, &op->ifm2 };
	uint32_t broadcasts[2];

	memset(op, 0, sizeof(*op));
	op->code = ETHOSU_OP_ELEMENTWISE;
	op->mode = modes[below(7)];
	draw_output(machine, op, test);
	op->broadcast = is_u85(machine) && below(4) == 0 ? below(8) : 0;
	op->broadcast2 = below(3) == 0 ? below(8) : 0;
	op->scalar2 = below(6) == 0;
	op->scalar = is_u85(machine) && !op->scalar2 && below(6) == 0;
	op->reversed = !is_u85(machine) && below(4) == 0;
	broadcasts[0] = op->broadcast;
	broadcasts[1] = op->broadcast2;
	for (uint32_t i = 0; i < 2; i++) {
		maps[i]->height = broadcasts[i] & 1 ? 1 : op->ofm.height;
		maps[i]->width = broadcasts[i] & 2 ? 1 : op->ofm.width;
		maps[i]->depth = broadcasts[i] & 4 ? 1 : op->ofm.depth;
		draw_map(machine, maps[i], test->address[i], (uint8_t)i);
	}
	op->constant = (int32_t)below(256) - (op->ifm2.is_signed ? 128 : 0);
	op->ifm_scale = draw_scale(20, 11);
	op->ifm2_scale = draw_scale(20, 11);
	op->operand = below(4) ? 1 + below(2) : 0;
	op->operand_a = op->operand ? 1u << 30 | below(1u << 30) : 1u << below(17);
	op->operand_a_shift = 11 + below(12);
	op->operand_b = below(3) ? 1u << below(16) : below(1u << 16);
	op->ofm_scale = draw_scale(0, op->mode == ETHOSU_ELEMENTWISE_MUL ? 32 : 44);
}

static void draw_pool(struct ethosu_machine *machine, struct ethosu_operation *op,
		      const struct test_ethosu *test)
{
	struct ethosu_window *w = &op->window;

	memset(op, 0, sizeof(*op));
	op->code = ETHOSU_OP_POOL;
	op->mode = is_u85(machine) && below(2) ? 3 + 2 * below(2) : below(2);
	draw_output(machine, op, test);
	op->global_scale = true;
	w->height = w->width = w->stride_y = w->stride_x = w->dilation_y = w->dilation_x = 1;
	w->view_height = op->ifm.height = op->ofm.height;
	w->view_width = op->ifm.width = op->ofm.width;
	op->ifm.depth = op->ofm.depth;
	draw_map(machine, &op->ifm, test->address[IFM], IFM);
	op->ofm_scale = draw_scale(0, 28);
}

static void run(struct ethosu_machine *machine, const struct ethosu_operation *op,
		struct test_ethosu *test, bool scalar, struct result *result)
{
	const struct ethosu_chain *chain = &machine->chains[OFM];
	uint64_t count;

	memset(result, 0, sizeof(*result));
	memset(test->memory[OFM], 0, MEMORY);
	machine->scalar = scalar;
	result->status = op->code == ETHOSU_OP_POOL ? ethosu_pool_run(machine, op)
						    : ethosu_elementwise_run(machine, op);
	memcpy(result->memory, test->memory[OFM], MEMORY);
	if (op->ofm.storage != ETHOSU_IN_CHAIN)
		return;
	count = (uint64_t)chain->height * chain->width * chain->depth;
	assert_true(count <= sizeof(result->chain) / sizeof(result->chain[0]));
	memcpy(result->chain, chain->values, count * sizeof(result->chain[0]));
}

/* Return: whether the engine takes it. */
static bool is_quick(struct ethosu_machine *machine, const struct ethosu_operation *op)
{
	bool scaled = op->global_scale && op->mode != ETHOSU_ELEMENTWISE_MUL, done = false;

	if (op->code == ETHOSU_OP_ELEMENTWISE)
		assert_int_equal(ethosu_byte_elementwise_run(machine, op,
							     scaled ? ETHOSU_SCALED
								    : ETHOSU_UNSCALED,
							     &done),
				 0);
	return done;
}

static void run_cases(const char *config, uint32_t threads,
		      void (*draw)(struct ethosu_machine *, struct ethosu_operation *,
				   const struct test_ethosu *),
		      uint32_t engine_least, uint32_t table_least)
{
	static struct ethosu_machine machine;
	static struct result expected, got;
	struct test_ethosu test;
	uint32_t engine = 0, table = 0;

	test_ethosu_create(&test, ethosu_config_find(config), threads);
	for (uint32_t i = IFM; i <= OFM; i++)
		test_ethosu_memory(&test, i, MEMORY);
	make_machine(&machine, &test, config, threads);
	nnadev_bus_enter(&test.bus);
	for (uint32_t i = 0; i < CASES; i++) {
		struct ethosu_operation op;

		draw(&machine, &op, &test);
		fill(test.memory[IFM], MEMORY);
		fill(test.memory[IFM2], MEMORY);
		run(&machine, &op, &test, true, &expected);
		run(&machine, &op, &test, false, &got);
		if (memcmp(&expected, &got, sizeof(got)))
			fail_msg("%s: case %u differs, mode %u", config, i, op.mode);
		engine += is_quick(&machine, &op);
		table += ethosu_byte_table_fits(&machine, &op, &op.ifm);
	}
	nnadev_bus_leave(&test.bus);
	assert_true(engine >= engine_least && table >= table_least);
	ethosu_machine_fini(&machine);
	ethosu_kernel_cache_destroy(machine.kernels);
	test_ethosu_destroy(&test);
}

static void test_elementwise_u65(void **state)
{
	run_cases("ethos-u65-256", 1, draw_elementwise, CASES / 4, CASES / 2);
}

static void test_elementwise_u85(void **state)
{
	run_cases("ethos-u85-256", 1, draw_elementwise, CASES / 10, CASES / 2);
}

static void test_elementwise_threads(void **state)
{
	run_cases("ethos-u85-512", 3, draw_elementwise, CASES / 10, CASES / 2);
}

static void test_pool_u65(void **state)
{
	run_cases("ethos-u65-512", 1, draw_pool, 0, CASES / 2);
}

static void test_pool_u85(void **state)
{
	run_cases("ethos-u85-128", 1, draw_pool, 0, CASES / 2);
}

/* A map that ends outside of memory is a bus error of the same channel. */
static void test_no_memory(void **state)
{
	static struct ethosu_machine machine;
	static struct result expected, got;
	struct test_ethosu test;
	uint32_t failed = 0;

	test_ethosu_create(&test, ethosu_config_find("ethos-u65-256"), 1);
	for (uint32_t i = IFM; i <= OFM; i++)
		test_ethosu_memory(&test, i, MEMORY);
	make_machine(&machine, &test, "ethos-u65-256", 1);
	nnadev_bus_enter(&test.bus);
	for (uint32_t i = 0; i < CASES; i++) {
		struct ethosu_operation op;
		struct ethosu_feature_map *maps[3] = { &op.ifm, &op.ifm2, &op.ofm };

		(below(2) ? draw_elementwise : draw_pool)(&machine, &op, &test);
		for (uint32_t k = 0; k < 4; k++)
			maps[i % 3]->base[k] =
				(test.address[i % 3] + MEMORY - below(8192)) & ~15ull;
		run(&machine, &op, &test, true, &expected);
		run(&machine, &op, &test, false, &got);
		assert_int_equal(got.status, expected.status);
		failed += got.status != 0;
	}
	nnadev_bus_leave(&test.bus);
	assert_true(failed > CASES / 20);
	ethosu_machine_fini(&machine);
	ethosu_kernel_cache_destroy(machine.kernels);
	test_ethosu_destroy(&test);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_elementwise_u65),
		cmocka_unit_test(test_elementwise_u85),
		cmocka_unit_test(test_elementwise_threads),
		cmocka_unit_test(test_pool_u65),
		cmocka_unit_test(test_pool_u85),
		cmocka_unit_test(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
