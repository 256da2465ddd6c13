// SPDX-License-Identifier: MIT
/*
 * The account of costs: of a pointwise convolution and of a depthwise one it is what Vela 5.2.0
 * says of the same; a memory that is slow, short bursts and chained maps change what they have to;
 * and the clock lets DMAs run beside kernels until a command waits. cost.py compares whole
 * models.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "device/ethosu/cost.h"
#include "hw/ethosu/opcode.h"

#define REGION(n) ((uint64_t)(n) << ETHOSU_COST_REGION_SHIFT)

static const enum ethosu_memory all_sram[ETHOSU_REGIONS]; /* zeros */

static struct ethosu_feature_map map_of(uint32_t height, uint32_t width, uint32_t depth)
{
	return (struct ethosu_feature_map){
		.height = height, .width = width, .depth = depth, .base = { REGION(1) },
		.bytes = 1, .brick = true,
	};
}

/* Of mobilenet_v1_0.25_128 on a U65-256: its second and third layer. */
static struct ethosu_operation pointwise(void)
{
	return (struct ethosu_operation){
		.code = ETHOSU_OP_CONV,
		.ifm = map_of(64, 64, 8),
		.ofm = map_of(64, 64, 16),
		.window = { .height = 1, .width = 1, .stride_y = 1, .stride_x = 1,
			    .dilation_y = 1, .dilation_x = 1 },
		.weights = { { REGION(0), 128 } },
		.scales = { { REGION(0), 160 } },
		.part_kernel = true,
		.block_height = 4, .block_width = 64, .block_depth = 16,
	};
}

static struct ethosu_operation depthwise(void)
{
	struct ethosu_operation op = pointwise();

	op.code = ETHOSU_OP_DEPTHWISE;
	op.ifm = map_of(64, 64, 16);
	op.ofm = map_of(32, 32, 16);
	op.window = (struct ethosu_window){ .height = 3, .width = 3, .stride_y = 2, .stride_x = 2,
					    .dilation_y = 1, .dilation_x = 1, .bottom = 1,
					    .right = 1 };
	op.weights[0].size = 176;
	op.part_kernel = false;
	op.block_height = 8;
	op.block_width = 16;
	return op;
}

static struct ethosu_cost cost_of(const char *config, const struct ethosu_operation *op,
				  const enum ethosu_memory *memories)
{
	return ethosu_cost_kernel(ethosu_config_find(config), op, memories);
}

static void as_vela(void **state)
{
	const struct ethosu_operation first = pointwise(), second = depthwise();
	struct ethosu_cost cost = cost_of("ethos-u65-256", &first, all_sram);

	assert_int_equal(cost.macs, 524288);
	assert_int_equal(cost.bytes[ETHOSU_SRAM], 135680);
	assert_int_equal(cost.ports[ETHOSU_SRAM], 8480);
	assert_int_equal(cost.npu, 17344);
	assert_int_equal(ethosu_cost_cycles(&cost), 17344);
	cost = cost_of("ethos-u65-256", &second, all_sram);
	assert_int_equal(cost.macs, 147456);
	assert_int_equal(cost.npu, 7460);
	/* Two cores share the channels. */
	cost = cost_of("ethos-u65-512", &second, all_sram);
	assert_in_range(cost.npu, 3700, 4400);
}

static void constants_in_dram(void **state)
{
	const enum ethosu_memory memories[ETHOSU_REGIONS] = { ETHOSU_DRAM };
	const struct ethosu_operation op = pointwise();
	const struct ethosu_cost cost = cost_of("ethos-u65-256", &op, memories);

	assert_int_equal(cost.bytes[ETHOSU_SRAM], 2 * 65536);
	assert_int_equal(cost.bytes[ETHOSU_DRAM], 16 * (128 + 160)); /* for each block of rows */
	assert_int_equal(cost.ports[ETHOSU_DRAM], 16 * (128 + 160) / 12);
}

static void short_bursts(void **state)
{
	struct ethosu_operation op = pointwise();
	const uint64_t before = cost_of("ethos-u65-256", &op, all_sram).ports[ETHOSU_SRAM];
	struct ethosu_cost cost;

	/* Pixels of 16 of 32 channels: half a burst each. */
	op.ofm.brick = false;
	op.ofm.depth = 32;
	cost = cost_of("ethos-u65-256", &op, all_sram);
	assert_int_equal(cost.bytes[ETHOSU_SRAM], 2 * 65536 + 64 * 64 * 32 + 16 * 288);
	assert_true(cost.ports[ETHOSU_SRAM] > before + 65536 / 16 + 64 * 64 * 32 / 16);
}

static void chains_pass_no_port(void **state)
{
	struct ethosu_operation op = pointwise();
	struct ethosu_cost cost;

	op.microblock_height = 1;
	op.microblock_width = 4;
	op.ofm.storage = ETHOSU_IN_CHAIN;
	cost = cost_of("ethos-u85-256", &op, all_sram);
	assert_int_equal(cost.bytes[ETHOSU_SRAM], 65536 + 16 * 288);
}

static void copies(void **state)
{
	const enum ethosu_memory memories[ETHOSU_REGIONS] = { ETHOSU_DRAM };
	static struct ethosu_state settings;
	struct ethosu_cost cost;

	settings.shorts[ETHOSU_SET_DMA_TARGET_REGION - 0x100] = 1;
	settings.payloads[ETHOSU_SET_DMA_LENGTH] = 4800;
	cost = ethosu_cost_dma(ethosu_config_find("ethos-u65-256"), &settings, memories);
	assert_int_equal(cost.bytes[ETHOSU_DRAM], 4800);
	assert_int_equal(cost.bytes[ETHOSU_SRAM], 4800);
	assert_int_equal(ethosu_cost_cycles(&cost), 400);
	/* Into internal memory. */
	settings.shorts[ETHOSU_SET_DMA_TARGET_REGION - 0x100] = 0x100;
	cost = ethosu_cost_dma(ethosu_config_find("ethos-u65-256"), &settings, memories);
	assert_int_equal(cost.bytes[ETHOSU_SRAM], 0);
}

static void time_of_a_stream(void **state)
{
	const struct ethosu_config *u65 = ethosu_config_find("ethos-u65-256");
	struct ethosu_clock clock = { 0 };

	ethosu_clock_kernel(&clock, 100);
	ethosu_clock_dma(&clock, u65, 60); /* beside the kernel */
	ethosu_clock_wait_dmas(&clock, 0);
	ethosu_clock_kernel(&clock, 10);
	assert_int_equal(ethosu_clock_end(&clock), 110);
	ethosu_clock_wait_kernels(&clock, 0);
	ethosu_clock_dma(&clock, u65, 5); /* after both */
	ethosu_clock_wait_dmas(&clock, 0);
	ethosu_clock_kernel(&clock, 1);
	assert_int_equal(ethosu_clock_end(&clock), 116);
	/* A third DMA is looked at when the first has ended. */
	clock = (struct ethosu_clock){ 0 };
	for (uint32_t i = 0; i < 3; i++)
		ethosu_clock_dma(&clock, u65, 50);
	ethosu_clock_kernel(&clock, 1);
	assert_int_equal(clock.kernels[1], 51);
	assert_int_equal(ethosu_clock_end(&clock), 150);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_vela),
		cmocka_unit_test(constants_in_dram),
		cmocka_unit_test(short_bursts),
		cmocka_unit_test(chains_pass_no_port),
		cmocka_unit_test(copies),
		cmocka_unit_test(time_of_a_stream),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
