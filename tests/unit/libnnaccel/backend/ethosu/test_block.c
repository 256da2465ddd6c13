// SPDX-License-Identifier: MIT
/*
 * The choice of blocks, and BLOCKDEP: operations that are drawn at random become streams, in which
 * the device model's strict checks find nothing, neither blocks without room nor settings that were
 * left out. Each operation has a block, and those of large convolutions are large. BLOCKDEP is as
 * high as the checks allow.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "device/ethosu/config.h"
#include "device/ethosu/strict.h"
#include "libnnaccel/backend/ethosu/ethosu.h"

#define OPERATIONS 400u

static uint64_t seed = 88172645463325252u;

static uint32_t below(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 20) % n;
}

/* A size that is often small. */
static uint32_t size(uint32_t most)
{
	return 1 + below(below(3) ? 1 + most / 8 : most);
}

static uint32_t reports;
static bool quiet;

static void report(void *owner, const char *line)
{
	if (!quiet)
		print_message("%s\n", line);
	reports++;
}

static void draw_map(struct nna_ethosu_map *map, uint8_t bytes)
{
	map->bytes = bytes;
	map->is_signed = true;
	map->brick = below(2);
	map->height = size(250);
	map->width = size(250);
	map->depth = size(300);
	map->stride_x = (uint64_t)map->depth * bytes;
	map->stride_c = (uint64_t)map->width * 16 * bytes;
	map->stride_y = map->brick ? map->stride_c * ((map->depth + 15) / 16)
				   : map->stride_x * map->width;
}

/* An operation, all but its block. Regions are all apart. */
static void draw(const struct nna_ethosu_target *target, struct nna_ethosu_operation *op)
{
	static const uint8_t codes[] = { ETHOSU_OP_CONV, ETHOSU_OP_DEPTHWISE, ETHOSU_OP_POOL,
					 ETHOSU_OP_ELEMENTWISE };
	const uint8_t bytes = (uint8_t)(1 + below(2));

	*op = (struct nna_ethosu_operation){
		.code = codes[below(4)],
		.window = { .height = 1, .width = 1, .stride_y = 1 + below(3),
			    .stride_x = 1 + below(3), .dilation_y = 1 + below(2),
			    .dilation_x = 1 + below(2) },
		.scale = { .scale = 1 },
		.a = { .scale = 1 },
		.b = { .scale = 1 },
		.min = -128,
		.max = 127,
	};
	draw_map(&op->ofm, bytes);
	draw_map(&op->ifm, bytes);
	op->ifm.region = 1;
	if (op->code == ETHOSU_OP_ELEMENTWISE) {
		op->mode = NNA_ETHOSU_ADD;
		op->one_scale = true;
		op->ifm = op->ofm;
		op->ifm.region = 1;
		op->ifm2 = op->ofm;
		op->ifm2.region = 2;
		op->scalar = !below(4);
		if (!below(3))
			op->ifm2.height = 1;
		if (!below(3))
			op->ifm2.depth = 1;
		return;
	}
	op->window.height = size(32);
	op->window.width = size(32);
	if (op->code == ETHOSU_OP_POOL) {
		op->mode = (uint8_t)below(2);
		op->one_scale = true;
		op->window.height = 1 + below(8);
		op->window.width = 1 + below(8);
		op->window.dilation_y = 1;
		op->window.dilation_x = 1;
	}
	if (op->code != ETHOSU_OP_CONV)
		op->ifm.depth = op->ofm.depth;
	op->ifm.stride_x = (uint64_t)op->ifm.depth * bytes;
	if (op->code == ETHOSU_OP_CONV)
		op->window.part_kernel =
			nna_ethosu_block_part_kernel(target, op->ifm.depth, bytes,
						     op->window.height, op->window.width);
	for (uint32_t i = 0; i < target->streams; i++)
		op->weights[i] = (struct nna_ethosu_range){ 3, 4096 * i, 16 };
	op->scales[0] = (struct nna_ethosu_range){ 3, 65536, 16 };
	op->scales[1] = (struct nna_ethosu_range){ 3, 69632, 16 };
}

/* Gives a stream to the strict checks. Return: its operations. */
static uint32_t judge(const struct ethosu_config *config, const uint32_t *words, uint32_t count)
{
	static struct ethosu_strict strict;
	static struct ethosu_state state;
	uint64_t regions[ETHOSU_REGIONS];
	struct ethosu_operation op;
	uint32_t operations = 0;

	for (uint32_t i = 0; i < ETHOSU_REGIONS; i++)
		regions[i] = (uint64_t)i << 36;
	state = (struct ethosu_state){ 0 };
	strict.report = report;
	ethosu_strict_begin(&strict, config);
	for (uint32_t at = 0; at < count;) {
		struct ethosu_command command;

		assert_true(ethosu_command_decode(&command, words + at, count - at));
		ethosu_strict_command(&strict, &state, &command, at * 4);
		at += command.words;
		if (command.sets) {
			assert_true(ethosu_state_set(&state, &command));
		} else if (command.opcode != ETHOSU_OP_STOP) {
			assert_true(ethosu_operation_take(&op, config, &state, regions,
							  command.opcode, command.parameter));
			ethosu_strict_kernel(&strict, &state, &op);
			operations++;
		}
	}
	return operations;
}

static void test_fits(void **state)
{
	for (uint32_t i = 0; i < ETHOSU_CONFIGS; i++) {
		struct nna_ethosu_target target;
		uint32_t without = 0;

		assert_true(nna_ethosu_target_read(ethosu_configs[i].config, &target));
		for (uint32_t n = 0; n < OPERATIONS; n++) {
			struct nna_ethosu_operation op, again;
			struct nna_ethosu_writer writer;
			uint32_t *words, count;

			draw(&target, &op);
			again = op;
			again.ifm.offset = 4096;
			nna_ethosu_block_choose(&target, &op);
			nna_ethosu_block_choose(&target, &again);
			/* Some large kernels of 16 bits and large strides have no room. */
			if (!op.block.height) {
				assert_true(op.ifm.bytes == 2 && op.window.stride_y *
					    op.window.stride_x > 4);
				without++;
				continue;
			}
			assert_true(op.block.width && op.block.depth);
			assert_int_equal(op.block.height, again.block.height);
			assert_int_equal(op.block.depth, again.block.depth);
			nna_ethosu_writer_begin(&writer, &target);
			nna_ethosu_writer_operation(&writer, &op);
			assert_int_equal(nna_ethosu_writer_finish(&writer, &words, &count), 0);
			assert_int_equal(judge(&ethosu_configs[i], words, count), 1);
			if (reports)
				print_message("%s: code %u, %ux%ux%u, block %ux%ux%u\n",
					      ethosu_configs[i].name, op.code, op.ofm.height,
					      op.ofm.width, op.ofm.depth, op.block.height,
					      op.block.width, op.block.depth);
			assert_int_equal(reports, 0);
			free(words);
		}
		assert_true(without < OPERATIONS / 50);
	}
}

/* An operation that reads the result of @op, and has one of the same size. */
static void draw_next(const struct nna_ethosu_target *target,
		      const struct nna_ethosu_operation *op, struct nna_ethosu_operation *next)
{
	*next = *op;
	next->code = below(2) ? ETHOSU_OP_CONV : ETHOSU_OP_ELEMENTWISE;
	next->mode = next->code == ETHOSU_OP_CONV ? 0 : NNA_ETHOSU_ADD;
	next->one_scale = next->code == ETHOSU_OP_ELEMENTWISE;
	next->scalar = false;
	next->ifm = op->ofm;
	next->ofm.region = 4;
	next->ifm2 = op->ofm;
	next->ifm2.region = 5;
	if (below(2)) {
		next->ifm.region = 5;
		next->ifm2.region = op->ofm.region;
	}
	next->window = (struct nna_ethosu_window){
		.height = 1 + below(5), .width = 1 + below(5), .stride_y = 1, .stride_x = 1,
		.dilation_y = 1, .dilation_x = 1,
	};
	next->window.top = (next->window.height - 1) / 2;
	next->window.left = (next->window.width - 1) / 2;
	next->window.bottom = next->window.height - 1 - next->window.top;
	next->window.right = next->window.width - 1 - next->window.left;
	for (uint32_t i = 0; i < target->streams; i++)
		next->weights[i] = (struct nna_ethosu_range){ 3, 4096 * i, 16 };
	next->scales[0] = (struct nna_ethosu_range){ 3, 65536, 16 };
	next->scales[1] = (struct nna_ethosu_range){ 3, 69632, 16 };
	nna_ethosu_block_choose(target, next);
}

/* Raises the last BLOCKDEP of a stream by one. Return: what it was; -1 for none. */
static int raise(uint32_t *words, uint32_t count)
{
	struct ethosu_command command;
	int was = -1;
	uint32_t last = 0;

	for (uint32_t at = 0; at < count; at += command.words) {
		assert_true(ethosu_command_decode(&command, words + at, count - at));
		if (!command.sets || command.words > 1 || command.opcode != ETHOSU_SET_BLOCKDEP)
			continue;
		was = command.parameter;
		last = at;
	}
	words[last] += 1u << 16;
	return was;
}

static void check_pair(const struct ethosu_config *config, const struct nna_ethosu_target *target,
		       uint32_t *highest, uint32_t *tight)
{
	const uint32_t most = target->generation == NNA_ETHOSU_U65 ? 3 : 7;
	struct nna_ethosu_operation op, next;
	struct nna_ethosu_writer writer;
	uint32_t *words, count, allowed;
	bool reads;

	draw(target, &op);
	nna_ethosu_block_choose(target, &op);
	draw_next(target, &op, &next);
	if (!op.block.height || !next.block.height)
		return;
	allowed = nna_ethosu_dependency(target, &op, &next);
	reads = next.ifm.region == op.ofm.region || next.code == ETHOSU_OP_ELEMENTWISE;
	if (!reads)
		assert_int_equal(allowed, most);
	nna_ethosu_writer_begin(&writer, target);
	nna_ethosu_writer_operation(&writer, &op);
	nna_ethosu_writer_operation(&writer, &next);
	assert_int_equal(nna_ethosu_writer_finish(&writer, &words, &count), 0);
	assert_int_equal(judge(config, words, count), 2);
	assert_int_equal(reports, 0);
	*highest = allowed > *highest && reads ? allowed : *highest;
	if (allowed && allowed < most) {
		assert_int_equal(raise(words, count), allowed);
		quiet = true;
		judge(config, words, count);
		quiet = false;
		assert_int_not_equal(reports, 0);
		reports = 0;
		(*tight)++;
	}
	free(words);
}

static void test_dependencies(void **state)
{
	for (uint32_t i = 0; i < ETHOSU_CONFIGS; i++) {
		struct nna_ethosu_target target;
		uint32_t highest = 0, tight = 0;

		assert_true(nna_ethosu_target_read(ethosu_configs[i].config, &target));
		for (uint32_t n = 0; n < OPERATIONS; n++)
			check_pair(&ethosu_configs[i], &target, &highest, &tight);
		/* Large maps of small blocks have the most, others less. */
		assert_int_equal(highest, target.generation == NNA_ETHOSU_U65 ? 3 : 7);
		assert_true(tight > 5);
	}
}

/* Elements of the block of a convolution of 56 x 56 x 64 to as many, with a kernel of 3 x 3. */
static uint32_t block_of(const char *name)
{
	struct nna_ethosu_operation op = {
		.code = ETHOSU_OP_CONV,
		.ifm = { .bytes = 1, .depth = 64 },
		.ofm = { .bytes = 1, .height = 56, .width = 56, .depth = 64 },
		.window = { .height = 3, .width = 3, .stride_y = 1, .stride_x = 1,
			    .dilation_y = 1, .dilation_x = 1 },
	};
	struct nna_ethosu_target target;

	assert_true(nna_ethosu_target_read(ethosu_config_find(name)->config, &target));
	nna_ethosu_block_choose(&target, &op);
	/* Blocks of other than all channels have a multiple of 16. */
	assert_true(op.block.depth == 64 || op.block.depth % 16 == 0);
	return op.block.height * op.block.width * op.block.depth;
}

static void test_large(void **state)
{
	/* Accumulators of 8 KiB each, of the greatest that a U65 could have. */
	assert_true(block_of("ethos-u65-256") >= 2048);
	assert_true(block_of("ethos-u85-128") >= 512);
	assert_true(block_of("ethos-u85-256") >= 1024);
	assert_true(block_of("ethos-u85-2048") >= 8192);
}

/* A microblock has the elements that the model says, and a U65 has none. */
static void test_microblocks(void **state)
{
	struct nna_ethosu_target target;

	assert_true(nna_ethosu_target_read(ethosu_config_find("ethos-u85-256")->config, &target));
	assert_int_equal(nna_ethosu_block_elements(&target, 1), 2);
	assert_int_equal(nna_ethosu_block_elements(&target, 2), 4);
	assert_int_equal(nna_ethosu_block_elements(&target, 3), 4);
	assert_int_equal(nna_ethosu_block_elements(&target, 5), 0);
	assert_true(nna_ethosu_target_read(ethosu_config_find("ethos-u65-256")->config, &target));
	assert_int_equal(nna_ethosu_block_elements(&target, 1), 0);
}

static void test_order(void **state)
{
	struct nna_ethosu_target u65 = { .generation = NNA_ETHOSU_U65 };
	struct nna_ethosu_target u85 = { .generation = NNA_ETHOSU_U85 };

	/* An image's three channels; a convolution of 1 x 1 of many. */
	assert_true(nna_ethosu_block_part_kernel(&u65, 3, 1, 3, 3));
	assert_true(nna_ethosu_block_part_kernel(&u85, 3, 1, 3, 3));
	assert_false(nna_ethosu_block_part_kernel(&u65, 64, 1, 1, 1));
	assert_false(nna_ethosu_block_part_kernel(&u85, 64, 1, 1, 1));
	/* 9 elements are rounded up to 12, or 10 of a U85. */
	assert_true(nna_ethosu_block_part_kernel(&u65, 40, 1, 3, 3));
	assert_false(nna_ethosu_block_part_kernel(&u65, 64, 1, 3, 3));
	assert_true(nna_ethosu_block_part_kernel(&u85, 16, 1, 3, 3));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fits),
		cmocka_unit_test(test_dependencies),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_microblocks),
		cmocka_unit_test(test_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
