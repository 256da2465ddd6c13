// SPDX-License-Identifier: MIT
/* Values and views of them: which elements they name, whether two may share one. */
#include "tests/unit/libnnaccel/ir.h"

#include <errno.h>
#include <stdlib.h>

static void test_views(void **state)
{
	struct nna_lower *l = *state;
	uint32_t a = scratch(l, NNA_TYPE_F32, 3, (uint32_t[]){ 4, 5, 6 });
	uint32_t p = ok(nna_view_permute(l, a, (uint32_t[]){ 2, 0, 1 }));
	uint32_t s = ok(nna_view_slice(l, p, 0, 5, -2, 3));
	uint32_t b = ok(nna_view_broadcast(l, ok(nna_view_slice(l, a, 0, 3, 1, 1)), 4,
					   (uint32_t[]){ 2, 9, 5, 6 }));
	uint32_t r = ok(nna_view_reshape(l, a, 2, (uint32_t[]){ 20, 6 }));
	const struct nna_value *v;
	uint32_t commands;

	v = nna_lower_value(l, s);
	assert_int_equal(v->dims[0], 3);
	/* [5 - 2i][j][k] of the permuted one is [j][k][5 - 2i] of the first. */
	for (uint32_t i = 0; i < 3; i++)
		for (uint32_t j = 0; j < 4; j++)
			for (uint32_t k = 0; k < 5; k++)
				assert_int_equal(address(v, (i * 4 + j) * 5 + k),
						 (j * 5 + k) * 6 + 5 - 2 * i);
	v = nna_lower_value(l, b);
	for (uint32_t at = 0; at < 2 * 9 * 30; at++)
		assert_int_equal(address(v, at), 90 + at % 30);
	for (uint32_t at = 0; at < 120; at++)
		assert_int_equal(address(nna_lower_value(l, r), at), at);
	/* A reshape that strides allow is no copy: the outer dims of a slice. */
	commands = l->op_count;
	s = ok(nna_view_slice(l, a, 2, 1, 1, 3));
	r = ok(nna_view_reshape(l, s, 3, (uint32_t[]){ 2, 10, 3 }));
	assert_int_equal(l->op_count, commands);
	for (uint32_t at = 0; at < 60; at++)
		assert_int_equal(address(nna_lower_value(l, r), at),
				 address(nna_lower_value(l, s), at));
	/* One that they do not allow is a copy. */
	assert_int_equal(nna_view_reshape(l, s, 1, (uint32_t[]){ 60 }), NNA_NO_VALUE);
	assert_int_equal(l->op_count, commands);
	r = ok(nna_emit_reshape(l, s, 1, (uint32_t[]){ 60 }));
	assert_int_equal(l->op_count, commands + 1);
	assert_true(nna_value_contiguous(nna_lower_value(l, r)));
	/* Dims of 1 are added and dropped. */
	r = ok(nna_view_expand(l, a, 0));
	r = ok(nna_view_expand(l, r, 4));
	assert_int_equal(nna_lower_value(l, r)->rank, 5);
	assert_true(nna_value_contiguous(nna_lower_value(l, r)));
	r = ok(nna_view_drop(l, ok(nna_view_drop(l, r, 4)), 0));
	assert_true(nna_value_same_dims(nna_lower_value(l, r), nna_lower_value(l, a)));
	/* What does not fit. */
	assert_int_equal(nna_view_drop(l, a, 0), -EINVAL);
	assert_int_equal(nna_view_drop(l, a, 3), -EINVAL);
	assert_int_equal(nna_view_slice(l, a, 0, 4, 1, 1), -EINVAL);
	assert_int_equal(nna_view_slice(l, a, 0, 0, 2, 3), -EINVAL);
	assert_int_equal(nna_view_slice(l, a, 0, 1, -1, 3), -EINVAL);
	assert_int_equal(nna_view_permute(l, a, (uint32_t[]){ 0, 0, 1 }), -EINVAL);
	assert_int_equal(nna_view_permute(l, a, (uint32_t[]){ 0, 1, 3 }), -EINVAL);
	assert_int_equal(nna_view_reshape(l, a, 1, (uint32_t[]){ 121 }), -EINVAL);
	assert_int_equal(nna_view_broadcast(l, a, 3, (uint32_t[]){ 4, 5, 7 }), -EINVAL);
	assert_int_equal(nna_view_broadcast(l, a, 2, (uint32_t[]){ 5, 6 }), -EINVAL);
	assert_int_equal(nna_view_retype(l, a, NNA_TYPE_U8, 0, 0), -EINVAL);
	assert_int_equal(nna_view_reshape(l, 100000, 1, (uint32_t[]){ 1 }), -EINVAL);
	assert_int_equal(
		nna_lower_scratch(l, NNA_TYPE_F32, 2, (uint32_t[]){ 1 << 20, 1 << 20 }, 0, 0),
		-ENOTSUP);
}

/* Folded views name the same elements in the same order, in as few dims as both allow. */
static void test_fold(void **state)
{
	struct nna_lower *l = *state;
	uint32_t dims[10], values[2];

	srand(7);
	for (int round = 0; round < 300; round++) {
		uint32_t rank = 1 + rand() % 10;
		struct nna_value a, b, x, y;
		uint32_t count;

		for (uint32_t k = 0; k < rank; k++)
			dims[k] = 1 + rand() % 3;
		for (int i = 0; i < 2; i++) {
			uint32_t large[10];

			for (uint32_t k = 0; k < rank; k++)
				large[k] = dims[k] + rand() % 2;
			values[i] = scratch(l, NNA_TYPE_S32, rank, large);
			for (uint32_t k = 0; k < rank; k++)
				values[i] = ok(nna_view_slice(l, values[i], k, 0, 1, dims[k]));
		}
		a = x = *nna_lower_value(l, values[0]);
		b = y = *nna_lower_value(l, values[1]);
		nna_value_fold(&x, &y);
		assert_true(x.rank == y.rank && x.rank <= rank);
		assert_true(nna_value_count(&a, &count));
		for (uint32_t at = 0; at < count; at++) {
			assert_int_equal(address(&x, at), address(&a, at));
			assert_int_equal(address(&y, at), address(&b, at));
		}
		for (uint32_t k = 0; k < x.rank; k++) {
			assert_true(x.dims[k] > 1);
			assert_false(k && x.strides[k - 1] == (int32_t)(x.strides[k] * x.dims[k]) &&
				     y.strides[k - 1] == (int32_t)(y.strides[k] * x.dims[k]));
		}
	}
}

/* Random reshapes of random slices name the same elements in the same order. */
static void test_random_reshape(void **state)
{
	struct nna_lower *l = *state;

	for (int round = 0; round < 2000; round++) {
		uint32_t dims[4], new[4], total = 1, rest, rank = 1 + next(4), v, r;

		for (uint32_t k = 0; k < rank; k++)
			dims[k] = 1 + next(5);
		v = scratch(l, NNA_TYPE_U8, rank, dims);
		for (uint32_t k = 0; k < rank; k++) {
			uint32_t count = 1 + next(dims[k]), start = next(dims[k] - count + 1);

			v = ok(nna_view_slice(l, v, k, start, 1, count));
			total *= count;
		}
		rest = total;
		for (uint32_t k = 0; k < 3; k++) {
			new[k] = 1 + next(6);
			if (rest % new[k])
				new[k] = 1;
			rest /= new[k];
		}
		new[3] = rest;
		r = l->op_count;
		v = ok(v);
		{
			uint32_t out = ok(nna_emit_reshape(l, v, 4, new));
			const struct nna_value *a = nna_lower_value(l, v),
					       *b = nna_lower_value(l, out);

			if (l->op_count != r)
				continue; /* by a copy */
			for (uint32_t at = 0; at < total; at++)
				assert_int_equal(address(a, at), address(b, at));
		}
	}
}

/* nna_value_overlap() may be wrong where it says yes, but not where it says no. */
static void test_overlap(void **state)
{
	struct nna_lower *l = *state;
	uint32_t base = scratch(l, NNA_TYPE_U16, 3, (uint32_t[]){ 4, 5, 6 }), apart = 0, told = 0;

	for (int round = 0; round < 5000; round++) {
		uint32_t v[2];
		bool marks[120] = { false }, common = false;

		for (int i = 0; i < 2; i++) {
			v[i] = base;
			for (uint32_t k = 0; k < 3; k++) {
				uint32_t dim = nna_lower_value(l, base)->dims[k];
				uint32_t count = 1 + next(dim), start = next(dim - count + 1);

				v[i] = ok(nna_view_slice(l, v[i], k, start, 1, count));
			}
		}
		for (int i = 0; i < 2; i++) {
			const struct nna_value *x = nna_lower_value(l, v[i]);
			uint32_t count;

			assert_true(nna_value_count(x, &count));
			for (uint32_t at = 0; at < count; at++) {
				int64_t a = address(x, at);

				common |= i && marks[a];
				marks[a] |= !i;
			}
		}
		apart += !common;
		told += !nna_value_overlap(nna_lower_value(l, v[0]), nna_lower_value(l, v[1]));
		if (common)
			assert_true(nna_value_overlap(nna_lower_value(l, v[0]),
						      nna_lower_value(l, v[1])));
	}
	/* It has to tell most of them apart, or concatenations would be copied. */
	assert_true(told * 10 > apart * 9);
}

/* A value of @dims with a scale per index of dim @axis. */
static uint32_t with_channels(struct nna_lower *l, uint32_t rank, const uint32_t *dims,
			      uint32_t axis)
{
	static const float scales[] = { 0.5f, 0.25f, 2, 1, 3, 4, 5, 6 };
	uint32_t v = scratch(l, NNA_TYPE_S8, rank, dims);

	l->values[v].channel_scales = scales;
	l->values[v].channel_count = dims[axis];
	l->values[v].channel_dim = axis;
	return v;
}

static void check_channels(const struct nna_lower *l, int64_t value, const struct nna_value *from,
			   uint32_t axis)
{
	const struct nna_value *v = nna_lower_value(l, ok(value));

	assert_ptr_equal(v->channel_scales, from->channel_scales);
	assert_int_equal(v->channel_count, from->channel_count);
	assert_int_equal(v->channel_dim, axis);
}

/* Scales per channel go with the value or stop the compilation; nothing drops them. */
static void test_channel_scales(void **state)
{
	struct nna_lower *l = *state;
	uint32_t rows = with_channels(l, 2, (uint32_t[]){ 4, 6 }, 0);
	uint32_t columns = with_channels(l, 2, (uint32_t[]){ 4, 6 }, 1);
	uint32_t middle = with_channels(l, 3, (uint32_t[]){ 2, 3, 4 }, 1);
	uint32_t plain = scratch(l, NNA_TYPE_S8, 2, (uint32_t[]){ 4, 6 });
	uint32_t like = with_channels(l, 2, (uint32_t[]){ 4, 6 }, 0), cut, commands;
	struct nna_value v = *nna_lower_value(l, rows), w = *nna_lower_value(l, columns);
	struct nna_value m = *nna_lower_value(l, middle);
	uint32_t image =
		ok(nna_lower_scratch(l, NNA_TYPE_S8, 4, (uint32_t[]){ 1, 1, 1, 6 }, 1, 0));
	uint32_t out = ok(nna_lower_scratch(l, NNA_TYPE_S8, 4, (uint32_t[]){ 1, 1, 1, 4 }, 1, 0));
	uint32_t wrong = with_channels(l, 4, (uint32_t[]){ 4, 1, 1, 6 }, 3);
	uint32_t none = scratch(l, NNA_TYPE_S8, 4, (uint32_t[]){ 4, 1, 1, 6 });

	check_channels(l, nna_view_reshape(l, rows, 4, (uint32_t[]){ 4, 1, 1, 6 }), &v, 0);
	check_channels(l, nna_view_reshape(l, rows, 3, (uint32_t[]){ 4, 2, 3 }), &v, 0);
	check_channels(l, nna_view_reshape(l, columns, 4, (uint32_t[]){ 2, 2, 1, 6 }), &w, 3);
	check_channels(l, nna_view_reshape(l, middle, 4, (uint32_t[]){ 2, 3, 2, 2 }), &m, 1);
	check_channels(l, nna_view_permute(l, columns, (uint32_t[]){ 1, 0 }), &w, 0);
	check_channels(l, nna_view_expand(l, rows, 0), &v, 1);
	/* By a copy, which has the scales as well. */
	cut = ok(nna_view_slice(l, rows, 1, 0, 1, 4));
	commands = l->op_count;
	check_channels(l, nna_emit_reshape(l, cut, 3, (uint32_t[]){ 4, 1, 4 }), &v, 0);
	cut = ok(nna_view_permute(l, middle, (uint32_t[]){ 1, 0, 2 }));
	check_channels(l, nna_emit_reshape(l, cut, 2, (uint32_t[]){ 3, 8 }), &m, 0);
	assert_int_equal(l->op_count, commands + 1);
	assert_int_equal(nna_emit_copy(l, like, rows), 0);

	assert_int_equal(nna_view_reshape(l, rows, 1, (uint32_t[]){ 24 }), -EINVAL);
	assert_int_equal(nna_view_reshape(l, rows, 2, (uint32_t[]){ 6, 4 }), -EINVAL);
	assert_int_equal(nna_view_reshape(l, middle, 2, (uint32_t[]){ 6, 4 }), -EINVAL);
	assert_int_equal(nna_view_retype(l, rows, NNA_TYPE_S8, 0.5f, 0), -EINVAL);
	cut = ok(nna_view_slice(l, rows, 0, 1, 1, 1));
	assert_int_equal(nna_view_retype(l, cut, NNA_TYPE_S8, 0.5f, 0), -EINVAL);
	cut = ok(nna_view_retype(l, cut, NNA_TYPE_S8, 0.25f, 0)); /* the scale of channel 1 */
	assert_null(nna_lower_value(l, cut)->channel_scales);
	assert_int_equal(nna_emit_copy(l, plain, rows), -EINVAL);
	assert_int_equal(nna_emit_copy(l, rows, plain), -EINVAL);
	assert_int_equal(nna_emit_copy(l, rows, columns), -EINVAL);
	assert_int_equal(nna_emit_ewise(l, NNA_FN_IDENTITY, plain, rows, NNA_NO_VALUE,
					NNA_NO_VALUE, NNA_ACT_NONE, 0),
			 -EINVAL);
	/* Weights with scales along another dim, and without any. */
	assert_int_equal(nna_emit_conv2d(l, out, image, wrong, NNA_NO_VALUE, &nna_conv_plain),
			 -EINVAL);
	assert_int_equal(nna_emit_conv2d(l, out, image, none, NNA_NO_VALUE, &nna_conv_plain),
			 -EINVAL);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(test_views),
		TEST(test_fold),
		TEST(test_random_reshape),
		TEST(test_overlap),
		TEST(test_channel_scales),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
