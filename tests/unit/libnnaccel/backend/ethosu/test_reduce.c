// SPDX-License-Identifier: MIT
/* REDUCE: which views are feature maps. */
#include <errno.h>

#include "libnnaccel/backend/ethosu/ethosu.h"
#include "tests/unit/libnnaccel/backend/ethosu/run.h"

/* A mean over rows and columns of @depth channels. Return: what accepts() says. */
static int accepts(uint32_t depth, char *reason, size_t size)
{
	static const struct nna_log silent;
	const struct ethosu_config *config = ethosu_config_find("ethos-u65-256");
	const uint32_t dims[2][4] = { { 1, 1, 1, depth }, { 1, 2, 2, depth } };
	struct nna_ir_op op = {
		.kind = NNA_IR_REDUCE,
		.rounding = NNA_IR_ROUNDS_AS_TFLITE,
		.reduce = { .function = NNA_REDUCE_MEAN, .axes = 1u << 1 | 1u << 2 },
	};
	struct nna_ethosu_target target;
	struct nna_lower *l;
	uint32_t numbers[2];
	int ret;

	assert_true(nna_ethosu_target_read(config->config, &target));
	assert_int_equal(nna_lower_create(NULL, &silent, &l), 0);
	for (uint32_t i = 0; i < 2; i++) {
		struct nna_value v;

		assert_int_equal(nna_value_plain(&v, NNA_TYPE_S8, 4, dims[i], 0.5f, 7), 0);
		numbers[i] = (uint32_t)nna_value_in_storage(l, &v, i ? NNA_STORAGE_INPUT :
							    NNA_STORAGE_OUTPUT, 0, NULL, NULL);
	}
	assert_int_equal(nna_ir_add(l, &op, numbers), 0);
	ret = nna_ethosu_reduce.accepts(l, &target, &l->ops[0], reason, size);
	nna_lower_destroy(l);
	return ret;
}

/* The setting has 16 bits: of more channels the NPU would compute the first ones only. */
static void test_depth(void **state)
{
	char reason[256] = "";

	assert_int_equal(accepts(65536, reason, sizeof(reason)), 0);
	assert_string_equal(reason, "");
	assert_int_equal(accepts(65537, reason, sizeof(reason)), -ENOTSUP);
	assert_non_null(strstr(reason, "65537 elements along a dimension"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_depth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
