// SPDX-License-Identifier: MIT
/*
 * Convolutions of 8 bits by the NNA's engine against their definition, on shapes and values that
 * are drawn at random: layouts, tiles, padding, dilation, strides, tables, one thread and several.
 */
#define MEMORY (1u << 20) /* of each region */

#include "device/ethosu/byte_convolution.h"
#include "device/ethosu/convolution.h"
#include "hw/ethosu/opcode.h"
#include "device/ethosu/order.h"
#include "tests/unit/device/ethosu/drawn.h"

#define CASES 400
#define FWD_HEADER 32u

enum { IFM = 0, OFM = 1, WEIGHTS = 2, SCALES = 3 };

static void draw(struct ethosu_operation *op, const struct test_ethosu *test)
{
	struct ethosu_window *w = &op->window;

	memset(op, 0, sizeof(*op));
	op->code = below(3) ? ETHOSU_OP_CONV : ETHOSU_OP_DEPTHWISE;
	op->ofm.height = 1 + below(9);
	op->ofm.width = 1 + below(12);
	op->ofm.depth = 1 + below(70);
	op->ifm.depth = op->code == ETHOSU_OP_CONV ? 1 + below(70) : op->ofm.depth;
	w->height = 1 + below(4);
	w->width = 1 + below(4);
	w->stride_y = 1 + below(3);
	w->stride_x = 1 + below(3);
	w->dilation_y = 1 + below(2);
	w->dilation_x = 1 + below(2);
	w->top = below(3);
	w->left = below(3);
	w->view_height = (op->ofm.height - 1) * w->stride_y + (w->height - 1) * w->dilation_y + 1;
	w->view_width = (op->ofm.width - 1) * w->stride_x + (w->width - 1) * w->dilation_x + 1;
	w->view_height -= w->top + below(3);
	w->view_width -= w->left + below(3);
	w->view_height = w->view_height < 1 ? 1 : w->view_height;
	w->view_width = w->view_width < 1 ? 1 : w->view_width;
	op->ifm.height = (uint32_t)w->view_height;
	op->ifm.width = (uint32_t)w->view_width;
	op->ifm.is_signed = op->ofm.is_signed = below(2);
	op->ifm.zero_point = (int32_t)below(256) - (op->ifm.is_signed ? 128 : 0);
	op->ofm.zero_point = (int32_t)below(256) - (op->ifm.is_signed ? 128 : 0);
	op->min = op->ofm.is_signed ? -128 : 0;
	op->max = op->min + 255;
	op->min += (int32_t)below(40);
	op->max -= (int32_t)below(40);
	lay_out(&op->ifm, test->address[IFM], MEMORY);
	lay_out(&op->ofm, test->address[OFM], MEMORY);
	op->part_kernel = below(2);
	op->block_depth = 16 * (1 + below(4));
	op->microblock_height = op->microblock_width = 2;
	op->fast_weights = true;
	op->ofm_scale.rounding = below(2) ? ETHOSU_ROUND_DOUBLE : ETHOSU_ROUND_NATURAL;
	if (below(4) == 0) /* a table */
		op->activation = op->ofm.is_signed ? 4 : 1;
}

/* Weights as FWD has them: raw bytes less an adjustment; and scales that keep results in range. */
static void draw_kernel(struct ethosu_operation *op, struct test_ethosu *test,
			const struct ethosu_config *config)
{
	uint8_t *weights = test->memory[WEIGHTS], *scales = test->memory[SCALES];
	uint64_t count = ethosu_order_length(config, op, 0, MEMORY, NULL);
	uint32_t adjust = below(256) << 8, width = 8 + below(248);

	assert_true(count + FWD_HEADER <= MEMORY);
	memset(weights, 0, FWD_HEADER);
	weights[0] = 1;
	weights[13] = (uint8_t)(adjust >> 8);
	for (uint64_t i = 0; i < count; i++)
		weights[FWD_HEADER + i] = (uint8_t)(below(width) - width / 2);
	op->weights[0] = (struct ethosu_range){ test->address[WEIGHTS], FWD_HEADER + count };
	for (uint32_t c = 0; c < op->ofm.depth; c++) {
		int32_t bias = (int32_t)below(200000) - 100000;
		uint32_t scale = below(20) ? 1u << 30 | below(1u << 30) : 0;

		memcpy(scales + 10 * c, &bias, 4);
		memcpy(scales + 10 * c + 4, &scale, 4);
		scales[10 * c + 8] =
			(uint8_t)(op->ofm_scale.rounding == ETHOSU_ROUND_NATURAL ? 1 + below(31)
										 : 30 + below(20));
		scales[10 * c + 9] = 0;
	}
	op->scales[0] = (struct ethosu_range){ test->address[SCALES], 10ull * op->ofm.depth };
}

static void run_cases(uint32_t threads)
{
	static struct ethosu_machine machine;
	static uint8_t expected[MEMORY];
	struct test_ethosu test;
	uint32_t done = 0;

	test_ethosu_create(&test, ethosu_config_find("ethos-u85-256"), threads);
	for (uint32_t i = IFM; i <= SCALES; i++)
		test_ethosu_memory(&test, i, MEMORY);
	make_machine(&machine, &test, "ethos-u85-256", threads);
	nnadev_bus_enter(&test.bus);
	for (uint32_t i = 0; i < CASES; i++) {
		struct ethosu_channel_scale *scales;
		struct ethosu_operation op;
		const int16_t *weights;
		bool quick;

		draw(&op, &test);
		draw_kernel(&op, &test, machine.config);
		fill(test.memory[IFM], MEMORY);
		memset(test.memory[OFM], 0, MEMORY);
		machine.scalar = true;
		assert_int_equal(ethosu_convolution_run(&machine, &op), 0);
		memcpy(expected, test.memory[OFM], MEMORY);
		memset(test.memory[OFM], 0, MEMORY);
		machine.scalar = false;
		assert_int_equal(ethosu_kernel_get(&machine, &op, &weights), 0);
		assert_int_equal(ethosu_kernel_scales(&machine, &op, &scales), 0);
		assert_int_equal(ethosu_byte_convolution_run(&machine, &op, scales, &quick), 0);
		free(scales);
		done += quick;
		if (quick && memcmp(expected, test.memory[OFM], MEMORY))
			fail_msg("case %u differs", i);
	}
	nnadev_bus_leave(&test.bus);
	/* All but those whose weights span more than 8 bits. */
	assert_true(done > CASES / 2);
	ethosu_machine_fini(&machine);
	ethosu_kernel_cache_destroy(machine.kernels);
	test_ethosu_destroy(&test);
}

/* A map that ends outside of memory is a bus error, whichever box of the operation reaches it. */
static void test_no_memory(void **state)
{
	static struct ethosu_machine machine;
	struct test_ethosu test;
	uint32_t failed = 0;

	test_ethosu_create(&test, ethosu_config_find("ethos-u85-256"), 1);
	for (uint32_t i = IFM; i <= SCALES; i++)
		test_ethosu_memory(&test, i, MEMORY);
	make_machine(&machine, &test, "ethos-u85-256", 1);
	nnadev_bus_enter(&test.bus);
	for (uint32_t i = 0; i < CASES; i++) {
		struct ethosu_channel_scale *scales;
		struct ethosu_operation op;
		struct ethosu_feature_map *map = i & 1 ? &op.ofm : &op.ifm;
		uint64_t end = test.address[i & 1 ? OFM : IFM] + MEMORY - below(8192);
		const int16_t *weights;
		uint32_t expected, status;
		bool quick;

		draw(&op, &test);
		draw_kernel(&op, &test, machine.config);
		fill(test.memory[IFM], MEMORY);
		for (uint32_t k = 0; k < 4; k++)
			map->base[k] = end & ~15ull;
		machine.scalar = true;
		expected = ethosu_convolution_run(&machine, &op);
		machine.scalar = false;
		assert_int_equal(ethosu_kernel_get(&machine, &op, &weights), 0);
		assert_int_equal(ethosu_kernel_scales(&machine, &op, &scales), 0);
		status = ethosu_byte_convolution_run(&machine, &op, scales, &quick);
		free(scales);
		if (!quick)
			continue;
		assert_int_equal(status, expected);
		failed += status != 0;
	}
	nnadev_bus_leave(&test.bus);
	assert_true(failed > CASES / 10);
	ethosu_machine_fini(&machine);
	ethosu_kernel_cache_destroy(machine.kernels);
	test_ethosu_destroy(&test);
}

static void test_one(void **state)
{
	run_cases(1);
}

static void test_threads(void **state)
{
	run_cases(3);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
