// SPDX-License-Identifier: MIT
/*
 * Which products read S8 in place of F32: those of numbers that an operation has made of S8, by
 * constants that are whole. What they give tests of clients show (tests/clients).
 */
#include "tests/unit/libnnaccel/ir.h"

#include <math.h>
#include <string.h>

#include "hw/gen/nnahw.h"

#define NONE NNA_NO_VALUE
#define K 8u
#define N 3u

/**
 * struct layer - what a test changes of a layer
 * @scale, @zero: of the S8
 * @weight: one of the weights
 * @bias: one of the biases
 * @minor: of the device
 * @written: the S8 is written in between
 * @variable: the weights are no constant
 */
struct layer {
	float scale, weight, bias;
	int32_t zero;
	uint32_t minor;
	bool written, variable;
};

static const struct layer plain = { .scale = 1, .weight = -128, .minor = NNAHW_SUMS_ABI_MINOR };

static uint32_t count_live(const struct nna_lower *l)
{
	uint32_t live = 0;

	for (uint32_t i = 0; i < l->op_count; i++)
		live += !l->ops[i].dead;
	return live;
}

/* A layer of 4 rows of 8 bits. Return: the number of its convolution. */
static uint32_t make(struct nna_lower *l, const struct layer *s)
{
	const uint32_t bytes = ok(nna_lower_scratch(l, NNA_TYPE_S8, 2, (uint32_t[]){ 4, K },
						    s->scale, s->zero));
	const uint32_t wide = scratch(l, NNA_TYPE_F32, 2, (uint32_t[]){ 4, K });
	float weights[N * K] = { 1, 2, s->weight, 127, -7 }, biases[N] = { 0, s->bias };
	uint32_t in, w, bias, out = scratch(l, NNA_TYPE_F32, 4, (uint32_t[]){ 4, 1, 1, N }), conv;

	w = s->variable ? scratch(l, NNA_TYPE_F32, 4, (uint32_t[]){ N, 1, 1, K }) :
			  ok(nna_lower_constant(l, NNA_TYPE_F32, 4, (uint32_t[]){ N, 1, 1, K }, 0,
						0, weights));
	bias = ok(nna_lower_constant(l, NNA_TYPE_F32, 1, (uint32_t[]){ N }, 0, 0, biases));
	assert_int_equal(nna_emit_ewise(l, NNA_FN_CAST, wide, bytes, NONE, NONE, NNA_ACT_NONE, 0),
			 0);
	if (s->written)
		assert_int_equal(nna_emit_fill(l, bytes, 0), 0);
	in = ok(nna_view_reshape(l, wide, 4, (uint32_t[]){ 4, 1, 1, K }));
	conv = l->op_count;
	assert_int_equal(nna_emit_conv2d(l, out, in, w, bias, &nna_conv_plain), 0);
	l->abi_minor = s->minor;
	assert_int_equal(nna_pass_whole(l, nna_backend_find("nna")), 0);
	return conv;
}

static void test_layer(void **state)
{
	static const int8_t want[] = { 1, 2, -128, 127, -7, 0, 0, 0 };
	struct nna_lower *l = *state;
	const uint32_t conv = make(l, &plain);
	const struct nna_ir_op *op = &l->ops[conv];
	const struct nna_value *in = &l->values[op->values[NNA_CONV2D_INPUT]],
			       *w = &l->values[op->values[NNA_CONV2D_WEIGHTS]];

	assert_int_equal(count_live(l), 1);
	assert_int_equal(in->type, NNA_TYPE_S8);
	assert_int_equal(in->storage, l->values[0].storage);
	assert_int_equal(in->dims[0], 4);
	assert_int_equal(in->strides[0], K);
	assert_int_equal(w->type, NNA_TYPE_S8);
	assert_memory_equal(l->storages[w->storage].data, want, sizeof(want));
	assert_int_equal(op->values[NNA_CONV2D_BIAS], NONE);
}

/* What is a little different stays as it is. */
static void test_stays(void **state)
{
	static const struct layer cases[] = {
		{ .scale = 0.5f, .weight = 1, .minor = NNAHW_SUMS_ABI_MINOR },
		{ .scale = 1, .zero = 1, .weight = 1, .minor = NNAHW_SUMS_ABI_MINOR },
		{ .scale = 1, .weight = 128, .minor = NNAHW_SUMS_ABI_MINOR },
		{ .scale = 1, .weight = 0.5f, .minor = NNAHW_SUMS_ABI_MINOR },
		{ .scale = 1, .weight = NAN, .minor = NNAHW_SUMS_ABI_MINOR },
		{ .scale = 1, .weight = 1, .bias = 1, .minor = NNAHW_SUMS_ABI_MINOR },
		{ .scale = 1, .weight = 1, .minor = NNAHW_SUMS_ABI_MINOR - 1 },
		{ .scale = 1, .minor = NNAHW_SUMS_ABI_MINOR, .written = true },
		{ .scale = 1, .minor = NNAHW_SUMS_ABI_MINOR, .variable = true },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		void *own = NULL;
		struct nna_lower *l;
		uint32_t conv;

		assert_int_equal(begin(&own), 0);
		l = own;
		conv = make(l, &cases[i]);
		assert_int_equal(count_live(l), l->op_count);
		assert_int_equal(l->values[l->ops[conv].values[NNA_CONV2D_INPUT]].type,
				 NNA_TYPE_F32);
		end(&own);
	}
}

/* A product of matrices, whose weights are transposed; another one reads the numbers as F32. */
static void test_product(void **state)
{
	struct nna_lower *l = *state;
	const uint32_t bytes = ok(nna_lower_scratch(l, NNA_TYPE_S8, 3, (uint32_t[]){ 1, 4, K }, 1,
						    0)),
		       wide = scratch(l, NNA_TYPE_F32, 3, (uint32_t[]){ 1, 4, K }),
		       out = scratch(l, NNA_TYPE_F32, 3, (uint32_t[]){ 1, 4, N }),
		       copy = scratch(l, NNA_TYPE_F32, 3, (uint32_t[]){ 1, 4, K });
	const float weights[N * K] = { 3, -4 };
	uint32_t w = ok(nna_lower_constant(l, NNA_TYPE_F32, 3, (uint32_t[]){ 1, N, K }, 0, 0,
					   weights));

	w = ok(nna_view_permute(l, w, (uint32_t[]){ 0, 2, 1 }));
	assert_int_equal(nna_emit_ewise(l, NNA_FN_CAST, wide, bytes, NONE, NONE, NNA_ACT_NONE, 0),
			 0);
	assert_int_equal(nna_emit_matmul(l, out, wide, w), 0);
	assert_int_equal(nna_emit_copy(l, copy, wide), 0);
	l->abi_minor = NNAHW_SUMS_ABI_MINOR;
	assert_int_equal(nna_pass_whole(l, nna_backend_find("nna")), 0);
	assert_int_equal(count_live(l), 3);
	assert_int_equal(l->values[l->ops[1].values[NNA_CONV2D_INPUT]].type, NNA_TYPE_S8);
	assert_int_equal(l->values[l->ops[1].values[NNA_CONV2D_WEIGHTS]].strides[1], 1);
	assert_int_equal(l->values[l->ops[1].values[NNA_CONV2D_WEIGHTS]].strides[2], K);
}

/* Weights that an operation has made F32 of a constant of S8, as without a device to fold them. */
static void test_not_folded(void **state)
{
	static const int8_t weights[N * K] = { 5, -6 };
	struct nna_lower *l = *state;
	const uint32_t dims[] = { N, 1, 1, K }, rows[] = { 4, 1, 1, K };
	const uint32_t bytes = ok(nna_lower_scratch(l, NNA_TYPE_S8, 4, rows, 1, 0)),
		       wide = scratch(l, NNA_TYPE_F32, 4, rows),
		       constant = ok(nna_lower_constant(l, NNA_TYPE_S8, 4, dims, 1, 0, weights)),
		       w = scratch(l, NNA_TYPE_F32, 4, dims),
		       out = scratch(l, NNA_TYPE_F32, 4, (uint32_t[]){ 4, 1, 1, N });

	assert_int_equal(nna_emit_ewise(l, NNA_FN_IDENTITY, w, constant, NONE, NONE, NNA_ACT_NONE,
					0), 0);
	assert_int_equal(nna_emit_ewise(l, NNA_FN_CAST, wide, bytes, NONE, NONE, NNA_ACT_NONE, 0),
			 0);
	assert_int_equal(nna_emit_conv2d(l, out, wide, w, NONE, &nna_conv_plain), 0);
	l->abi_minor = NNAHW_SUMS_ABI_MINOR;
	assert_int_equal(nna_pass_whole(l, nna_backend_find("nna")), 0);
	assert_int_equal(count_live(l), 1);
	assert_int_equal(l->values[l->ops[2].values[NNA_CONV2D_WEIGHTS]].storage,
			 l->values[constant].storage);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(test_layer),
		cmocka_unit_test(test_stays),
		TEST(test_product),
		TEST(test_not_folded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
