// SPDX-License-Identifier: MIT
/* The engine as a whole: its choice of kernels, and hostile commands. */
#include "tests/unit/device/nna/engine/case.h"

/*
 * Random parameters and dims for every command: nothing may be read or written outside the
 * operands.
 */
static void test_hostile(void **state)
{
	static const struct {
		uint16_t opcode, size, operands;
	} commands[] = {
		{ NNAHW_OP_POOL, sizeof(struct nnahw_cmd_pool), 2 },
		{ NNAHW_OP_EWISE, sizeof(struct nnahw_cmd_ewise), 4 },
		{ NNAHW_OP_COPY, sizeof(struct nnahw_cmd_copy), 2 },
		{ NNAHW_OP_REDUCE, sizeof(struct nnahw_cmd_reduce), 2 },
		{ NNAHW_OP_ARG, sizeof(struct nnahw_cmd_arg), 2 },
		{ NNAHW_OP_SOFTMAX, sizeof(struct nnahw_cmd_softmax), 2 },
		{ NNAHW_OP_RESIZE, sizeof(struct nnahw_cmd_resize), 2 },
		{ NNAHW_OP_GATHER, sizeof(struct nnahw_cmd_gather), 3 },
		{ NNAHW_OP_MATMUL, sizeof(struct nnahw_cmd_matmul), 6 },
		{ NNAHW_OP_TOPK, sizeof(struct nnahw_cmd_topk), 3 },
		{ NNAHW_OP_NORM16, sizeof(struct nnahw_cmd_norm16), 4 },
		{ NNAHW_OP_LSH, sizeof(struct nnahw_cmd_lsh), 4 },
		{ NNAHW_OP_KEYPOINT, sizeof(struct nnahw_cmd_keypoint), 4 },
		{ NNAHW_OP_MULTINOMIAL, sizeof(struct nnahw_cmd_multinomial), 3 },
	};
	static const uint32_t odd[] = { 0,	  1,	      2,	  3,
					16,	  0x7fffffff, 0x80000000, 0xffffffff,
					0x100000, 0x3f800000, 0x7fc00000 };
	int ok = 0, refused = 0;

	r.state = 32;
	for (int i = 0; i < 20000; i++) {
		size_t which = rng_next(&r) % (sizeof(commands) / sizeof(commands[0]));
		uint32_t dims[NNAHW_MAX_RANK],
			rank = rng_next(&r) & 1 ? 4 : random_dims(dims, 0, 9), status;
		uint32_t type = PICK(NNAHW_TYPE_U8, NNAHW_TYPE_S8, NNAHW_TYPE_F32, NNAHW_TYPE_F16,
				     NNAHW_TYPE_S32, NNAHW_TYPE_S64);
		uint32_t start = 16 + 96u * commands[which].operands;

		call_init(&c, commands[which].opcode, commands[which].size,
			  commands[which].operands);
		for (uint32_t at = start; at + 4 <= commands[which].size; at += 4) {
			uint32_t v = rng_next(&r) % 3 ? (uint32_t)rng_range(&r, 0, 3)
						      : odd[rng_next(&r) % 11];

			memcpy(c.raw + at, &v, 4);
		}
		for (uint32_t k = 0; k < commands[which].operands; k++) {
			struct nnadev_engine_operand *o;

			if (k >= 2 && rng_next(&r) & 1)
				continue;
			for (uint32_t d = 0; d < 4 && rank == 4; d++)
				dims[d] = k == 0 || rng_next(&r) % 8 == 0
						  ? (uint32_t)rng_range(&r, 0, 6)
						  : dims[d];
			o = call_operand(&c, &r, k,
					 rng_next(&r) % 8 ? type :
							    PICK(NNAHW_TYPE_U8, NNAHW_TYPE_S32,
								 NNAHW_TYPE_BOOL8),
					 rank, dims, spread());
			if (rng_next(&r) & 1)
				operand_quantise(o, rng_next(&r) & 1 ? 0.5f : NAN,
						 rng_next(&r) & 1 ? 0 : (int32_t)rng_next(&r));
			if (rng_next(&r) % 8 == 0) {
				free(c.buffers[k]);
				c.buffers[k] = o->data = NULL;
				o->count = 0;
				for (uint32_t d = 0; d < rank; d++)
					o->desc.dims[d] = odd[rng_next(&r) % 11];
				if (rank)
					o->desc.dims[rng_next(&r) % rank] = 0;
				else
					call_operand(&c, &r, k, type, 0, dims, 0);
			}
		}
		for_each_isa(isa, NNADEV_ENGINE_SCALAR) {
			status = call_run(&c, &r, isa);
			ok += status == NNAHW_STATUS_OK;
			refused += status != NNAHW_STATUS_OK;
		}
		call_free(&c);
	}
	print_message("%d ran, %d refused\n", ok, refused);
	assert_true(ok > 500 && refused > 500);
}

/* Each thread gets the same number of tiles of much work; one thread has a moment's work alone. */
static void test_shares(void **state)
{
	for (uint32_t size = 64; size <= 1u << 20; size *= 2) {
		for_each_isa(isa, NNADEV_ENGINE_SCALAR) {
			for (uint32_t threads = 1; threads <= 8; threads *= 2) {
				struct nnadev_engine_plan plan;

				call_init(&c, NNAHW_OP_COPY, sizeof(struct nnahw_cmd_copy), 2);
				call_operand(&c, &r, 0, NNAHW_TYPE_U8, 1, &size, 0);
				call_operand(&c, &r, 1, NNAHW_TYPE_U8, 1, &size, 0);
				assert_int_equal(nnadev_engine_prepare(isa, threads, &c.cmd, &plan),
						 NNAHW_STATUS_OK);
				assert_int_equal(plan.phases, 1);
				if (size == 64)
					assert_int_equal(plan.phase_tiles[0], 1);
				if (size >= 1u << 17)
					assert_int_equal(plan.phase_tiles[0] % threads, 0);
				call_free(&c);
			}
		}
	}
}

/* A machine that has an instruction set has those below it; none is better than the best one. */
static void test_sets(void **state)
{
	const enum nnadev_engine_isa best = nnadev_engine_isa_detect();

	assert_true(nnadev_engine_isa_has(best));
	for_each_isa(isa, LEAST_VECTOR) {
		assert_true(isa <= best);
		assert_true(nnadev_engine_isa_below(isa) < isa);
		assert_true(nnadev_engine_isa_has(nnadev_engine_isa_below(isa)));
	}
#ifdef __x86_64__
	/* A CPU may have either without the other. */
	assert_int_equal(nnadev_engine_isa_below(NNADEV_ENGINE_AVXVNNI), NNADEV_ENGINE_AVX2);
	assert_int_equal(nnadev_engine_isa_below(NNADEV_ENGINE_AVX512), NNADEV_ENGINE_AVX2);
#endif
}

/* NNA_TEST_ISA is the name of the best instruction set that this machine is known to have. */
static void test_isa(void **state)
{
	const char *known = getenv("NNA_TEST_ISA");

	if (!known)
		skip();
	assert_string_equal(nnadev_engine_isa_name(nnadev_engine_isa_detect()), known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_shares),
		cmocka_unit_test(test_sets),
		cmocka_unit_test(test_isa),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
