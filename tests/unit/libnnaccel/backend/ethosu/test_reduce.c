// SPDX-License-Identifier: MIT
/*
 * REDUCE: which views are feature maps; means and sums on the device model, by TFLite's rule to the
 * bit.
 */
#include <errno.h>
#include <stdlib.h>

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

/**
 * struct mean - a case
 * @height: of the input
 * @width: likewise
 * @depth: likewise
 * @axes: that are reduced
 * @sum: and not divided
 * @in: scale of the input
 */
struct mean {
	uint32_t height, width, depth, axes;
	bool sum;
	float in;
};

#define ROWS (1u << 1)
#define COLUMNS (1u << 2)
#define BATCH 2u
#define OUT_SCALE 0.31f
#define IN_ZERO (-11)
#define OUT_ZERO 5

static const struct mean means[] = {
	{ 7, 7, 40, ROWS | COLUMNS, false, 0.27f },
	{ 7, 7, 8, ROWS | COLUMNS, false, 0.0027f },
	{ 9, 8, 21, ROWS, false, 0.5f },
	{ 9, 8, 21, COLUMNS, false, 0.31f },
	{ 1, 30, 130, COLUMNS, false, 1.7f },
	{ 4, 4, 16, ROWS | COLUMNS, true, 0.01f },
	{ 33, 20, 5, ROWS | COLUMNS, false, 0.31f },
};

/* TFLite's: a multiplier of 31 bits, divided by the number of elements; rounded twice. */
static int32_t by_tflite(const struct mean *m, int64_t sum, uint32_t count)
{
	int32_t multiplier, shift, up = 0;
	int64_t result;

	nna_requantize_from((double)m->in / OUT_SCALE, &multiplier, &shift);
	while ((2u << up) <= count)
		up++;
	result = ((int64_t)multiplier << up) / count;
	shift += up;
	result *= sum;
	if (shift > 31) {
		const int64_t half = (int64_t)1 << (shift - 32);

		result = (result + (1 << 30)) >> 31;
		result = result < 0 ? -((-result + half) >> (shift - 31)) :
				      (result + half) >> (shift - 31);
	} else {
		result = (result + ((int64_t)1 << (shift - 1))) >> shift;
	}
	result += OUT_ZERO;
	return result < INT8_MIN ? INT8_MIN : result > INT8_MAX ? INT8_MAX : (int32_t)result;
}

static void check_mean(const char *name, const struct mean *m)
{
	static const struct nna_log silent;
	const struct ethosu_config *config = ethosu_config_find(name);
	const uint32_t tall = m->axes & ROWS ? m->height : 1;
	const uint32_t wide = m->axes & COLUMNS ? m->width : 1;
	const uint32_t dims[2][4] = {
		{ BATCH, m->height / tall, m->width / wide, m->depth },
		{ BATCH, m->height, m->width, m->depth },
	};
	const uint32_t size = BATCH * m->height * m->width * m->depth;
	struct nna_ir_op op = {
		.kind = NNA_IR_REDUCE,
		.rounding = NNA_IR_ROUNDS_AS_TFLITE,
		.reduce = { .function = m->sum ? NNA_REDUCE_SUM : NNA_REDUCE_MEAN,
			    .axes = m->axes },
		.bounds = { INT8_MIN, INT8_MAX },
	};
	int8_t *input = malloc(size), *got = malloc(size);
	struct nna_ethosu_target target;
	struct nna_ethosu_writer writer;
	uint32_t numbers[2], *words, count, at = 0;
	char reason[256] = "";
	struct nna_lower *l;

	assert_true(input && got);
	assert_true(nna_ethosu_target_read(config->config, &target));
	assert_int_equal(nna_lower_create(NULL, &silent, &l), 0);
	for (uint32_t i = 0; i < 2; i++) {
		struct nna_value v;

		assert_int_equal(nna_value_plain(&v, NNA_TYPE_S8, 4, dims[i], i ? m->in : OUT_SCALE,
						 i ? IN_ZERO : OUT_ZERO), 0);
		numbers[i] = (uint32_t)nna_value_in_storage(l, &v, i ? NNA_STORAGE_INPUT :
							    NNA_STORAGE_OUTPUT, 0, NULL, NULL);
	}
	for (uint32_t i = 0; i < size; i++)
		input[i] = (int8_t)(i * 2654435761u >> 13);
	assert_int_equal(nna_ir_add(l, &op, numbers), 0);
	assert_int_equal(nna_ethosu_reduce.accepts(l, &target, &l->ops[0], reason, sizeof(reason)),
			 0);
	assert_int_equal(nna_ethosu_reduce.pack(l, &target, 0), 0);
	/* A second time changes nothing. */
	assert_int_equal(nna_ethosu_reduce.pack(l, &target, 0), 0);
	run_plan(l);
	nna_ethosu_writer_begin(&writer, &target);
	assert_int_equal(nna_ethosu_reduce.emit(l, &target, &l->ops[0], &writer), 0);
	assert_int_equal(nna_ethosu_writer_finish(&writer, &words, &count), 0);
	run_stream(config, l, numbers, input, words, count, (uint8_t *)got);
	for (uint32_t b = 0; b < BATCH; b++)
		for (uint32_t y = 0; y < m->height; y += tall)
			for (uint32_t x = 0; x < m->width; x += wide)
				for (uint32_t c = 0; c < m->depth; c++) {
					int64_t sum = 0;

					for (uint32_t k = 0; k < tall * wide; k++)
						sum += input[((b * m->height + y + k / wide) *
							      m->width + x + k % wide) * m->depth +
							     c] - IN_ZERO;
					assert_int_equal(got[at++],
							 by_tflite(m, sum, m->sum ? 1 :
								   tall * wide));
				}
	free(words);
	free(input);
	free(got);
	nna_lower_destroy(l);
}

static void test_means(void **state)
{
	for (uint32_t i = 0; i < sizeof(means) / sizeof(means[0]); i++) {
		check_mean("ethos-u65-256", &means[i]);
		check_mean("ethos-u85-256", &means[i]);
		check_mean("ethos-u85-2048", &means[i]);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_means),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
