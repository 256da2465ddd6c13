// SPDX-License-Identifier: MIT
/* Products of plain 8-bit matrices with AVX2, by the order of the second one's bytes. */
#define LEAST_VECTOR FIRST_NATIVE
#include "tests/unit/device/nna/engine/epilogue.h"
#include "tests/unit/device/nna/engine/vector/compare.h"

static void swap(uint32_t *a, uint32_t *b)
{
	const uint32_t first = *a;

	*a = *b;
	*b = first;
}

/*
 * A product of matrices whose second one has contiguous columns, as the keys of an attention, or
 * rows, as its values, with gaps or without, or neither; of one row, as a decoder's step, or more.
 */
static void matrices(uint32_t type, uint32_t weights, bool columns)
{
	const uint32_t sets = (uint32_t)rng_range(&r, 1, 3), n = (uint32_t)rng_range(&r, 1, 70),
		       rows = (uint32_t)rng_range(&r, 1, rng_next(&r) % 2 ? 1 : 20),
		       k = (uint32_t)rng_range(&r, 1, rng_next(&r) % 4 ? 80 : 2100);
	const int32_t low = type == NNAHW_TYPE_S8 ? -128 : 0,
		      weights_low = weights == NNAHW_TYPE_S8 ? -128 : 0;
	struct nnahw_cmd_matmul *p = (struct nnahw_cmd_matmul *)c.raw;
	struct nnadev_engine_operand *o = c.cmd.operands;
	struct nnahw_tensor *b;
	char what[120];

	call_init(&c, NNAHW_OP_MATMUL, sizeof(*p), 6);
	call_operand(&c, &r, NNAHW_MATMUL_OUTPUT, type, 3, (uint32_t[]){ sets, rows, n }, 0);
	call_operand(&c, &r, NNAHW_MATMUL_A, type, 3, (uint32_t[]){ sets, rows, k }, 0);
	b = &call_operand(&c, &r, NNAHW_MATMUL_B, weights, 3,
			  columns ? (uint32_t[]){ sets, n, k } : (uint32_t[]){ sets, k, n },
			  rng_next(&r) % 4 == 0)
		     ->desc;
	if (columns) {
		swap(&b->dims[1], &b->dims[2]);
		swap((uint32_t *)&b->strides[1], (uint32_t *)&b->strides[2]);
	}
	((struct nnahw_channel *)call_operand(&c, &r, NNAHW_MATMUL_CHANNELS, NNAHW_TYPE_S32, 2,
					      (uint32_t[]){ 1, 4 }, 0)
		 ->data)[0] = (struct nnahw_channel){
		.multiplier = (int32_t)rng_range(&r, 1 << 30, INT32_MAX),
		.shift = (int32_t)rng_range(&r, 36, 44),
	};
	random_epilogue(&p->epilogue, &r, 1, false, type == NNAHW_TYPE_S8);
	operand_quantise(&o[0], 1, p->epilogue.zero_point);
	operand_quantise(&o[1], 1, (int32_t)rng_range(&r, low, low + 255));
	operand_quantise(&o[2], 1, (int32_t)rng_range(&r, weights_low, weights_low + 255));
	snprintf(what, sizeof(what), "%u x (%u x %u by %u) of types %u, %u, strides %d, %d", sets,
		 rows, k, n, type, weights, b->strides[1], b->strides[2]);
	compare_all(what);
	assert_true(is_vector(NNADEV_ENGINE_AVX2));
	call_free(&c);
}

static void test_matrices(void **state)
{
	if (nnadev_engine_isa_detect() < NNADEV_ENGINE_AVX2)
		skip();
	r.state = 59;
	for (uint32_t i = 0; i < shapes(400); i++)
		matrices(i & 1 ? NNAHW_TYPE_U8 : NNAHW_TYPE_S8,
			 i & 2 ? NNAHW_TYPE_U8 : NNAHW_TYPE_S8, i & 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_matrices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
