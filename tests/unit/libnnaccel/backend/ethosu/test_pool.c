// SPDX-License-Identifier: MIT
/* POOL: averages of windows on the device model, by TFLite's and by NNAPI's rule to the bit. */
#include <errno.h>
#include <stdlib.h>

#include "libnnaccel/backend/ethosu/ethosu.h"
#include "tests/unit/libnnaccel/backend/ethosu/run.h"

#define BATCH 2u

/**
 * struct average - a case: a window without padding
 * @height: of the input
 * @width: likewise
 * @depth: likewise
 * @tall: rows of the window
 * @wide: columns of it
 * @stride: rows and columns from one to the next
 */
struct average {
	uint32_t height, width, depth, tall, wide, stride;
};

static const struct average averages[] = {
	{ 33, 33, 40, 33, 33, 1 }, /* an odd number, as in deeplabv3 */
	{ 16, 16, 21, 16, 16, 1 }, /* a power of two */
	{ 12, 14, 8, 10, 9, 1 },   /* an even number */
	{ 21, 19, 17, 9, 12, 2 },  /* windows that overlap */
	{ 1, 64, 130, 1, 64, 1 },
	{ 5, 5, 16, 3, 3, 2 },	   /* that the NPU divides */
};

/* Halves away from zero by TFLite's rule, up by NNAPI's. */
static int32_t divide(int64_t sum, int64_t count, bool away)
{
	const int64_t twice = 2 * sum + count, whole = 2 * count;

	if (away && sum < 0)
		return (int32_t)-((-sum + count / 2) / count);
	if (away)
		return (int32_t)((sum + count / 2) / count);
	return (int32_t)(twice < 0 ? -((-twice + whole - 1) / whole) : twice / whole);
}

static void check(const char *name, const struct average *a, enum nna_type type, bool nnapi)
{
	static const struct nna_log silent;
	const struct ethosu_config *config = ethosu_config_find(name);
	const bool is_signed = type == NNA_TYPE_S8;
	const uint32_t rows = (a->height - a->tall) / a->stride + 1;
	const uint32_t columns = (a->width - a->wide) / a->stride + 1;
	const uint32_t dims[2][4] = {
		{ BATCH, rows, columns, a->depth },
		{ BATCH, a->height, a->width, a->depth },
	};
	const uint32_t size = BATCH * a->height * a->width * a->depth;
	struct nna_ir_op op = {
		.kind = NNA_IR_POOL,
		.rounding = nnapi ? NNA_IR_ROUNDS_AS_NNAPI : NNA_IR_ROUNDS_AS_TFLITE,
		.pool = { .function = NNA_POOL_AVERAGE, .kernel_h = a->tall, .kernel_w = a->wide,
			  .stride_h = a->stride, .stride_w = a->stride },
		.bounds = { .q_min = is_signed ? INT8_MIN : 0,
			    .q_max = is_signed ? INT8_MAX : UINT8_MAX },
	};
	uint8_t *input = malloc(size), *got = malloc(size);
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

		assert_int_equal(nna_value_plain(&v, type, 4, dims[i], 0.5f, 3), 0);
		numbers[i] = (uint32_t)nna_value_in_storage(l, &v, i ? NNA_STORAGE_INPUT :
							    NNA_STORAGE_OUTPUT, 0, NULL, NULL);
	}
	/* The first two channels give 1/2 and -1/2 where windows have even rows. */
	for (uint32_t i = 0; i < size; i++) {
		const uint8_t odd = i / a->depth % 2;

		input[i] = i % a->depth == 0 ? odd : i % a->depth == 1 ? (uint8_t)-odd :
			   (uint8_t)(i * 2654435761u >> 13);
	}
	assert_int_equal(nna_ir_add(l, &op, numbers), 0);
	assert_int_equal(nna_ethosu_pool.accepts(l, &target, &l->ops[0], reason, sizeof(reason)),
			 0);
	assert_int_equal(nna_ethosu_pool.pack(l, &target, 0), 0);
	/* A second time changes nothing. */
	assert_int_equal(nna_ethosu_pool.pack(l, &target, 0), 0);
	run_plan(l);
	nna_ethosu_writer_begin(&writer, &target);
	assert_int_equal(nna_ethosu_pool.emit(l, &target, &l->ops[0], &writer), 0);
	assert_int_equal(nna_ethosu_writer_finish(&writer, &words, &count), 0);
	run_stream(config, l, numbers, input, words, count, got);
	for (uint32_t n = 0; n < BATCH * rows * columns; n++)
		for (uint32_t c = 0; c < a->depth; c++, at++) {
			const uint32_t y = n / columns % rows * a->stride;
			const uint32_t x = n % columns * a->stride, b = n / (columns * rows);
			int64_t sum = 0;

			for (uint32_t k = 0; k < a->tall * a->wide; k++) {
				const uint32_t row = b * a->height + y + k / a->wide;
				const uint8_t v = input[(row * a->width + x + k % a->wide) *
							a->depth + c];

				sum += is_signed ? (int8_t)v : v;
			}
			assert_int_equal((uint8_t)divide(sum, a->tall * a->wide, !nnapi), got[at]);
		}
	free(words);
	free(input);
	free(got);
	nna_lower_destroy(l);
}

static void test_averages(void **state)
{
	static const char *const names[] = { "ethos-u85-128", "ethos-u85-256", "ethos-u85-2048" };

	for (uint32_t i = 0; i < sizeof(averages) / sizeof(averages[0]); i++)
		for (uint32_t n = 0; n < 3; n++) {
			check(names[n], &averages[i], NNA_TYPE_U8, false);
			check(names[n], &averages[i], NNA_TYPE_S8, false);
			check(names[n], &averages[i], NNA_TYPE_S8, true);
		}
}

/* A sum of ones that is a half: both rules, both signs. */
static void test_halves(void **state)
{
	assert_int_equal(divide(5, 2, true), 3);
	assert_int_equal(divide(-5, 2, true), -3);
	assert_int_equal(divide(5, 2, false), 3);
	assert_int_equal(divide(-5, 2, false), -2);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_halves),
		cmocka_unit_test(test_averages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
