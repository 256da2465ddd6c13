// SPDX-License-Identifier: MIT
/* Packed weights and channels, against the definition of the layouts. */
#include "tests/unit/libnnaccel/ir.h"

#include <stdlib.h>

#include "hw/gen/nnahw.h"
#include "libnnaccel/backend/backend.h"

/* What the compiler has the backend do before emission. */
static int pack(struct nna_lower *l)
{
	const struct nna_backend *nna = nna_backend_find("nna");

	return nna->select(l) ?: nna->pack(l);
}

/* What the image gets of a packed constant; the caller frees it. */
static void *written(const struct nna_lower *l, uint32_t value)
{
	const struct nna_storage *s = &l->storages[l->values[value].storage];
	void *bytes = calloc(1, s->size);

	assert_non_null(bytes);
	assert_non_null(s->fill);
	s->fill(s->owned, bytes);
	return bytes;
}

/* Packed weights by their definition, element by element. */
static void check_packed(struct nna_lower *l, const struct nna_ir_op *c,
			 const uint8_t *weights, uint32_t n, uint32_t kernel, uint32_t depth,
			 uint32_t groups, bool depthwise, bool is_unsigned, const int32_t *bias,
			 int32_t in_zero)
{
	const struct nna_value *v = nna_lower_value(l, c->values[NNA_CONV2D_WEIGHTS]);
	int8_t *packed = written(l, c->values[NNA_CONV2D_WEIGHTS]);
	const struct nnahw_channel *channels =
		nna_lower_constant_data(l, c->values[NNA_CONV2D_PRIVATE]);
	uint32_t per_group = n / groups, blocks = (per_group + 15) / 16, k_count = kernel * depth;
	uint32_t quads = (k_count + 3) / 4;
	uint32_t seen = 0, count;

	assert_int_equal(v->dims[0], groups * blocks);
	assert_int_equal(v->dims[1], depthwise ? k_count : quads);
	assert_int_equal(v->dims[2], 16);
	assert_int_equal(c->values[NNA_CONV2D_BIAS], NNA_NO_VALUE);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t block = i / per_group * blocks + i % per_group / 16,
			 lane = i % per_group % 16;
		int64_t sum = 0;

		for (uint32_t k = 0; k < k_count; k++) {
			uint8_t stored = depthwise ? weights[k * n + i] : weights[i * k_count + k];
			int expected = is_unsigned ? stored - 128 : (int8_t)stored;
			size_t at = depthwise ? ((size_t)block * k_count + k) * 16 + lane
					      : (((size_t)block * quads + k / 4) * 16 + lane) * 4 +
							k % 4;

			assert_int_equal(packed[at], expected);
			sum += expected;
			seen += expected != 0;
		}
		assert_int_equal(channels[i].weight_sum, sum);
		assert_int_equal(channels[i].bias,
				 bias[i] - in_zero * (sum - (int64_t)k_count * v->zero_point));
	}
	/* All else is zero. */
	assert_true(nna_value_count(v, &count));
	for (uint32_t at = 0; at < count; at++)
		seen -= packed[at] != 0;
	assert_int_equal(seen, 0);
	free(packed);
}

static void test_pack(void **state)
{
	struct nna_lower *l = *state;

	for (int round = 0; round < 60; round++) {
		bool depthwise = round % 3 == 2, is_unsigned = round & 1;
		uint32_t groups = depthwise ? 1 : 1 + next(3), kernel_h = 1 + next(3),
			 kernel_w = 1 + next(3);
		uint32_t depth = depthwise ? 1 : round % 10 ? 2 + next(8) : 1020 + next(20);
		uint32_t n = groups * (1 + depthwise + next(40));
		uint32_t total = n * kernel_h * kernel_w * depth,
			 in_channels = depthwise ? n : depth * groups;
		uint32_t wdims[4] = { depthwise ? 1 : n, kernel_h, kernel_w,
				      depthwise ? n : depth };
		uint32_t idims[4] = { 1, 4, 4, in_channels }, odims[4] = { 1, 4, 4, n };
		uint8_t type = is_unsigned ? NNA_TYPE_U8 : NNA_TYPE_S8;
		struct nna_conv_params params = { depthwise ? n : groups, 1, 1, 1, 1, 0, 0,
						  NNA_ACT_NONE, 0 };
		uint8_t *weights = malloc(total);
		int32_t *bias = malloc(n * 4);
		uint32_t in, out, w, b;

		for (uint32_t i = 0; i < total; i++)
			weights[i] = next(256);
		for (uint32_t i = 0; i < n; i++)
			bias[i] = (int32_t)next(20000) - 10000;
		in = ok(nna_lower_scratch(l, type, 4, idims, 0.5f, is_unsigned ? 100 : -3));
		out = ok(nna_lower_scratch(l, type, 4, odims, 0.5f, 2));
		w = ok(nna_lower_constant(l, type, 4, wdims, 0.25f, is_unsigned ? 77 : 0, weights));
		b = ok(nna_lower_constant(l, NNA_TYPE_S32, 1, &n, 0, 0, bias));
		if (depthwise)
			w = ok(nna_view_permute(l, w, (uint32_t[]){ 3, 1, 2, 0 }));
		assert_int_equal(nna_emit_conv2d(l, out, in, w, b, &params), 0);
		assert_int_equal(pack(l), 0);
		assert_int_equal(l->ops[l->op_count - 1].form, NNAHW_LAYOUT_PACKED8);
		check_packed(l, &l->ops[l->op_count - 1], weights, n, kernel_h * kernel_w,
			     depth, groups, depthwise, is_unsigned, bias, is_unsigned ? 100 : -3);
		free(weights);
		free(bias);
	}
}

static void test_pack_float(void **state)
{
	struct nna_lower *l = *state;
	struct nna_conv_params params = { 1, 1, 1, 1, 1, 0, 0, NNA_ACT_RELU, false };
	float weights[21][2][3][5];
	uint32_t in = scratch(l, NNA_TYPE_F32, 4, (uint32_t[]){ 1, 4, 4, 5 });
	uint32_t out = scratch(l, NNA_TYPE_F32, 4, (uint32_t[]){ 1, 3, 2, 21 });
	uint32_t w, again;
	const struct nna_ir_op *c;
	float *packed;

	for (size_t i = 0; i < sizeof(weights) / 4; i++)
		(&weights[0][0][0][0])[i] = next(1000) + 1;
	w = ok(nna_lower_constant(l, NNA_TYPE_F32, 4, (uint32_t[]){ 21, 2, 3, 5 }, 0, 0,
				  weights));
	assert_int_equal(nna_emit_conv2d(l, out, in, w, NNA_NO_VALUE, &params), 0);
	again = scratch(l, NNA_TYPE_F32, 4, (uint32_t[]){ 1, 3, 2, 21 });
	assert_int_equal(nna_emit_conv2d(l, again, in, w, NNA_NO_VALUE, &params), 0);
	assert_int_equal(pack(l), 0);
	c = &l->ops[0];
	packed = written(l, c->values[NNA_CONV2D_WEIGHTS]);
	for (uint32_t b = 0; b < 2; b++)
		for (uint32_t k = 0; k < 30; k++)
			for (uint32_t lane = 0; lane < 16; lane++) {
				uint32_t n = b * 16 + lane;
				float expected = n < 21 ? (&weights[0][0][0][0])[n * 30 + k] : 0;

				assert_true(packed[(b * 30 + k) * 16 + lane] == expected);
			}
	free(packed);
	/* Shared weights are packed once. */
	assert_int_equal(c->values[NNA_CONV2D_WEIGHTS], l->ops[1].values[NNA_CONV2D_WEIGHTS]);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(test_pack),
		TEST(test_pack_float),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
