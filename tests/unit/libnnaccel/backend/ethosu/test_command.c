// SPDX-License-Identifier: MIT
/*
 * What the writer makes of an operation is what the model takes from the stream, on both
 * generations; settings that do not change are left out, and areas find their places.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/ethosu/operation.h"
#include "device/ethosu/stream.h"
#include "libnnaccel/backend/ethosu/command.h"
#include "libnnaccel/backend/ethosu/place.h"

#define U65 0x10003008u
#define U85 0x20000118u

static const struct ethosu_config *config_of(uint32_t config)
{
	return ethosu_config_find(config == U65 ? "ethos-u65-256" : "ethos-u85-256");
}

/* The operation that the model takes at command @number of those that start a kernel. */
static struct ethosu_operation taken(uint32_t config, const uint32_t *words, uint32_t count,
				     uint32_t number)
{
	uint64_t regions[ETHOSU_REGIONS];
	struct ethosu_state state = { 0 };
	struct ethosu_operation op;

	for (uint32_t i = 0; i < ETHOSU_REGIONS; i++)
		regions[i] = (uint64_t)i << 32;
	for (uint32_t at = 0; at < count;) {
		struct ethosu_command c;

		assert_true(ethosu_command_decode(&c, words + at, count - at));
		at += c.words;
		if (c.sets) {
			assert_true(ethosu_state_set(&state, &c));
		} else if (c.opcode >= ETHOSU_OP_CONV && c.opcode <= ETHOSU_OP_ELEMENTWISE &&
			   !number--) {
			assert_true(ethosu_operation_take(&op, config_of(config), &state, regions,
							  c.opcode, c.parameter));
			return op;
		}
	}
	fail_msg("the stream has no such operation");
	return op;
}

static struct nna_ethosu_operation convolution(void)
{
	return (struct nna_ethosu_operation){
		.code = ETHOSU_OP_CONV,
		.ifm = { .region = 1, .offset = 0x1234567890, .bytes = 1, .is_signed = true,
			 .depth = 19, .stride_y = 190, .stride_x = 19, .zero_point = -5 },
		.ofm = { .region = 2, .offset = 0x40, .bytes = 2, .is_signed = true, .brick = true,
			 .height = 5, .width = 6, .depth = 40, .stride_y = 576, .stride_c = 192,
			 .zero_point = 7 },
		.window = { .height = 3, .width = 2, .stride_y = 2, .stride_x = 3, .dilation_y = 2,
			    .dilation_x = 1, .top = 1, .left = 1, .bottom = 2,
			    .part_kernel = true },
		.weights = { { 0, 0x100, 0x200 } },
		.scales = { { 0, 0x300, 0x190 } },
		.min = -100,
		.max = 3000,
		.block = { .height = 4, .width = 6, .depth = 16, .input_end = 20, .sums_at = 30,
			   .microblock = 3, .wide = true },
	};
}

static void compare_convolution(uint32_t config)
{
	const struct nna_ethosu_operation op = convolution();
	struct nna_ethosu_target target;
	struct nna_ethosu_writer w;
	struct ethosu_operation got;
	uint32_t *words, count;

	assert_true(nna_ethosu_target_read(config, &target));
	nna_ethosu_writer_begin(&w, &target);
	nna_ethosu_writer_operation(&w, &op);
	assert_int_equal(nna_ethosu_writer_finish(&w, &words, &count), 0);
	got = taken(config, words, count, 0);
	assert_true(got.ifm.base[0] == (1ull << 32) + 0x1234567890);
	assert_int_equal(got.ifm.depth, 19);
	/* Four steps of two rows, three rows with a gap, less the padding. */
	assert_int_equal(got.ifm.height, 4 * 2 + 5 - 3);
	assert_int_equal(got.ifm.width, 5 * 3 + 2 - 1);
	assert_int_equal(got.ifm.stride_y, 190);
	assert_int_equal(got.ifm.zero_point, -5);
	assert_true(got.ifm.is_signed && !got.ifm.brick && got.ofm.brick);
	assert_int_equal(got.ofm.bytes, 2);
	assert_int_equal(got.ofm.stride_c, 192);
	assert_int_equal(got.ofm.zero_point, 7);
	assert_int_equal(got.window.height, 3);
	assert_int_equal(got.window.width, 2);
	assert_int_equal(got.window.stride_y, 2);
	assert_int_equal(got.window.stride_x, 3);
	assert_int_equal(got.window.dilation_y, 2);
	assert_int_equal(got.window.bottom, 2);
	assert_true(got.part_kernel && !got.global_scale && got.wide);
	assert_int_equal(got.weights[0].size, 0x200);
	assert_int_equal(got.scales[0].address, 0x300);
	assert_int_equal(got.block_depth, 16);
	assert_int_equal(got.min, -100);
	assert_int_equal(got.max, 3000);
	free(words);
}

static void test_convolution(void **state)
{
	compare_convolution(U65);
	compare_convolution(U85);
}

static struct nna_ethosu_operation sum(void)
{
	return (struct nna_ethosu_operation){
		.code = ETHOSU_OP_ELEMENTWISE,
		.mode = NNA_ETHOSU_SUB,
		.ifm = { .region = 3, .bytes = 1, .height = 4, .width = 5, .depth = 6,
			 .stride_y = 30, .stride_x = 6, .zero_point = 128 },
		.ifm2 = { .region = 4, .bytes = 1, .height = 1, .width = 5, .depth = 1,
			  .stride_x = 1, .zero_point = 3 },
		.ofm = { .region = 5, .bytes = 1, .height = 4, .width = 5, .depth = 6,
			 .stride_y = 30, .stride_x = 6 },
		.one_scale = true,
		.scale = { 1 << 30, 49, 0 },
		.rounding = NNA_ETHOSU_ROUND_NATURAL,
		.a = { 1 << 30, 11, 20 },
		.b = { 1 << 29, 11, 20 },
		.scaled = NNA_ETHOSU_SCALED_B,
		.reversed = true,
		.max = 255,
		.table = true,
		.table_slot = 2,
		.block = { .height = 4, .width = 4, .depth = 8, .microblock = 3 },
	};
}

static void compare_sum(uint32_t config)
{
	const struct nna_ethosu_operation op = sum();
	struct nna_ethosu_target target;
	struct nna_ethosu_writer w;
	struct ethosu_operation got;
	uint32_t *words, count;

	assert_true(nna_ethosu_target_read(config, &target));
	nna_ethosu_writer_begin(&w, &target);
	nna_ethosu_writer_operation(&w, &op);
	assert_int_equal(nna_ethosu_writer_finish(&w, &words, &count), 0);
	got = taken(config, words, count, 0);
	assert_int_equal(got.mode, NNA_ETHOSU_SUB);
	assert_int_equal(got.broadcast2, 5);
	assert_int_equal(got.ifm2.width, 5);
	assert_int_equal(got.ifm2.depth, 1);
	assert_true(got.global_scale);
	assert_int_equal(got.ofm_scale.scale, 1 << 30);
	assert_int_equal(got.ofm_scale.shift, 49);
	assert_int_equal(got.ofm_scale.rounding, ETHOSU_ROUND_NATURAL);
	if (config == U65) {
		assert_true(got.reversed);
		assert_int_equal(got.operand, 2);
		/* The factor of the operand that is multiplied. */
		assert_int_equal(got.operand_a, 1 << 29);
		assert_int_equal(got.operand_a_shift, 11);
		assert_int_equal(got.activation, 18);
	} else {
		assert_int_equal(got.ifm_scale.extra, 20);
		assert_int_equal(got.ifm2_scale.scale, 1 << 29);
		assert_int_equal(got.activation, 1);
		assert_int_equal(got.table, 2);
	}
	free(words);
}

static void test_sum(void **state)
{
	compare_sum(U65);
	compare_sum(U85);
}

/* The same operation once more is one word; in another region its address is written again. */
static void test_unchanged(void **state)
{
	struct nna_ethosu_operation op = sum();
	struct nna_ethosu_target target;
	struct nna_ethosu_writer w;
	uint32_t *words, count, before;

	assert_true(nna_ethosu_target_read(U65, &target));
	nna_ethosu_writer_begin(&w, &target);
	nna_ethosu_writer_operation(&w, &op);
	/* The second one follows another kernel, which BLOCKDEP says. */
	nna_ethosu_writer_operation(&w, &op);
	before = w.count;
	nna_ethosu_writer_operation(&w, &op);
	assert_int_equal(w.count, before + 1);
	op.ofm.region = 6;
	nna_ethosu_writer_operation(&w, &op);
	/* The region, four bases of two words, the operation. */
	assert_int_equal(w.count, before + 1 + 1 + 4 * 2 + 1);
	assert_int_equal(nna_ethosu_writer_finish(&w, &words, &count), 0);
	assert_true(taken(U65, words, count, 3).ofm.base[0] == 6ull << 32);
	free(words);
}

static void test_places(void **state)
{
	struct nna_ethosu_place places[NNA_ETHOSU_REGIONS] = {
		[0] = { 1, 0x1000 }, [1] = { 0, 0x800 }, [2] = { 0, 0x100000000 },
	};
	const struct nna_ethosu_operation op = convolution();
	struct nna_ethosu_stream stream = { .config = U65 };
	struct nna_ethosu_target target;
	struct nna_ethosu_writer w;
	struct ethosu_operation got;
	uint32_t used;

	assert_true(nna_ethosu_target_read(U65, &target));
	nna_ethosu_writer_begin(&w, &target);
	nna_ethosu_writer_copy(&w, NNA_ETHOSU_INTERNAL, target.tables, 0, 0x20, 256);
	nna_ethosu_writer_operation(&w, &op);
	assert_int_equal(nna_ethosu_writer_finish(&w, &stream.words, &stream.count), 0);
	nna_ethosu_stream_place(&stream, places, &used);
	assert_int_equal(used, 3);
	got = taken(U65, stream.words, stream.count, 0);
	assert_true(got.ifm.base[0] == 0x1234567890 + 0x800);
	assert_true(got.ofm.base[0] == 0x40 + 0x100000000);
	assert_true(got.weights[0].address == (1ull << 32) + 0x100 + 0x1000);
	assert_true(got.scales[0].address == (1ull << 32) + 0x300 + 0x1000);
	nna_ethosu_stream_free(&stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_convolution),
		cmocka_unit_test(test_sum),
		cmocka_unit_test(test_unchanged),
		cmocka_unit_test(test_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
