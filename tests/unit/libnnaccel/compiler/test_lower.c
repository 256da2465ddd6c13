// SPDX-License-Identifier: MIT
/* The compiler's tables and passes, without a device. */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "libnnaccel/compiler/compile.h"
#include "libnnaccel/compiler/ir.h"

static uint32_t seed = 1;

static uint32_t next(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

static int begin(void **state)
{
	struct nna_graph *g;
	struct nna_lower *l;

	if (nna_graph_create(NULL, &g) || nna_lower_create(g, NULL, &l))
		return -1;
	nna_graph_unref(g);
	l->graph = NULL;
	*state = l;
	return 0;
}

static int end(void **state)
{
	nna_lower_destroy(*state);
	return 0;
}

static uint32_t scratch(struct nna_lower *l, uint8_t type, uint32_t rank, const uint32_t *dims)
{
	int64_t v = nna_lower_scratch(l, type, rank, dims, 0, 0);

	assert_true(v >= 0);
	return v;
}

static uint32_t ok(int64_t value)
{
	assert_true(value >= 0);
	return value;
}

static void test_requantize(void **state)
{
	int32_t multiplier, shift;

	nna_requantize_from(1, &multiplier, &shift);
	assert_int_equal(multiplier, 1 << 30);
	assert_int_equal(shift, 30);
	nna_requantize_from(0.5, &multiplier, &shift);
	assert_int_equal(shift, 31);
	nna_requantize_from(0, &multiplier, &shift);
	assert_int_equal(multiplier, 0);
	nna_requantize_from(NAN, &multiplier, &shift);
	assert_int_equal(multiplier, 0);
	nna_requantize_from(INFINITY, &multiplier, &shift);
	assert_int_equal(multiplier, 0);
	nna_requantize_from(1e30, &multiplier, &shift);
	assert_int_equal(multiplier, INT32_MAX);
	assert_int_equal(shift, 1);
	nna_requantize_from(1e-30, &multiplier, &shift);
	assert_true(shift == 62 && multiplier == 0);
	/* Just below a power of two: the mantissa rounds up to the next. */
	nna_requantize_from(nextafter(1, 0), &multiplier, &shift);
	assert_int_equal(multiplier, 1 << 30);
	assert_int_equal(shift, 30);
	for (int i = 0; i < 10000; i++) {
		double factor = ldexp(1 + next(1 << 20) / 1048576.0, (int)next(60) - 31);
		double back;

		nna_requantize_from(factor, &multiplier, &shift);
		assert_in_range(shift, 1, 62);
		back = ldexp(multiplier, -shift);
		if (shift < 62 && shift > 1) {
			assert_true(multiplier >= 1 << 30);
			assert_true(fabs(back - factor) <= factor * ldexp(1, -31));
		}
	}
}

/* Address of the element with linear index @at, in elements of the storage. */
static int64_t address(const struct nna_value *v, uint64_t at)
{
	int64_t offset = v->offset / nnahw_type_size(v->type);

	for (uint32_t k = v->rank; k-- > 0;) {
		offset += (int64_t)(at % v->dims[k]) * v->strides[k];
		at /= v->dims[k];
	}
	return offset;
}

static void test_views(void **state)
{
	struct nna_lower *l = *state;
	uint32_t a = scratch(l, NNAHW_TYPE_F32, 3, (uint32_t[]){ 4, 5, 6 });
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
	/* Without a copy where strides allow it: the outer dims of a slice. */
	commands = l->command_count;
	s = ok(nna_view_slice(l, a, 2, 1, 1, 3));
	r = ok(nna_view_reshape(l, s, 3, (uint32_t[]){ 2, 10, 3 }));
	assert_int_equal(l->command_count, commands);
	for (uint32_t at = 0; at < 60; at++)
		assert_int_equal(address(nna_lower_value(l, r), at),
				 address(nna_lower_value(l, s), at));
	/* With one where they do not. */
	r = ok(nna_view_reshape(l, s, 1, (uint32_t[]){ 60 }));
	assert_int_equal(l->command_count, commands + 1);
	assert_true(nna_value_contiguous(nna_lower_value(l, r)));
	/* Dims of 1 come and go. */
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
	assert_int_equal(nna_view_retype(l, a, NNAHW_TYPE_U8, 0, 0), -EINVAL);
	assert_int_equal(nna_view_reshape(l, 100000, 1, (uint32_t[]){ 1 }), -EINVAL);
	assert_int_equal(
		nna_lower_scratch(l, NNAHW_TYPE_F32, 2, (uint32_t[]){ 1 << 20, 1 << 20 }, 0, 0),
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
			values[i] = scratch(l, NNAHW_TYPE_S32, rank, large);
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

/* Ten dims: copies where they fold, no other command. */
static void test_many_dims(void **state)
{
	struct nna_lower *l = *state;
	uint32_t dims[10] = { 2, 2, 2, 2, 2, 2, 2, 2, 2, 2 }, wide[10];
	uint32_t a = scratch(l, NNAHW_TYPE_F32, 10, dims), b = scratch(l, NNAHW_TYPE_F32, 10, dims),
		 c;

	assert_int_equal(nna_emit_copy(l, b, a), 0);
	assert_int_equal(l->values[l->commands[l->command_count - 1].values[0]].rank, 1);
	assert_int_equal(nna_emit_fill(l, b, 0), 0);
	assert_int_equal(
		nna_emit_ewise(l, NNAHW_EWISE_MAXIMUM, b, a, a, NNA_NO_VALUE, NNA_ACT_NONE, 0, 0),
		-ENOTSUP);
	for (uint32_t k = 0; k < 10; k++)
		wide[k] = 3;
	c = scratch(l, NNAHW_TYPE_F32, 10, wide);
	for (uint32_t k = 0; k < 10; k++)
		c = ok(nna_view_slice(l, c, k, 0, 1, 2));
	assert_int_equal(nna_emit_copy(l, b, c), -ENOTSUP);
	assert_int_equal(nna_emit_fill(l, c, 0), -ENOTSUP);
}

/* Random reshapes of random slices tell the same elements in the same order. */
static void test_random_reshape(void **state)
{
	struct nna_lower *l = *state;

	for (int round = 0; round < 2000; round++) {
		uint32_t dims[4], new[4], total = 1, rest, rank = 1 + next(4), v, r;

		for (uint32_t k = 0; k < rank; k++)
			dims[k] = 1 + next(5);
		v = scratch(l, NNAHW_TYPE_U8, rank, dims);
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
		r = l->command_count;
		v = ok(v);
		{
			uint32_t out = ok(nna_view_reshape(l, v, 4, new));
			const struct nna_value *a = nna_lower_value(l, v),
					       *b = nna_lower_value(l, out);

			if (l->command_count != r)
				continue; /* by a copy */
			for (uint32_t at = 0; at < total; at++)
				assert_int_equal(address(a, at), address(b, at));
		}
	}
}

/*
 * nna_value_overlap() may say yes where there is no common element, but never no where there is
 * one.
 */
static void test_overlap(void **state)
{
	struct nna_lower *l = *state;
	uint32_t base = scratch(l, NNAHW_TYPE_U16, 3, (uint32_t[]){ 4, 5, 6 }), apart = 0, told = 0;

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
	/* And it tells most of them apart, or concatenations would be copied. */
	assert_true(told * 10 > apart * 9);
}

/* Storages that live at the same time do not share bytes; memory is reused, though. */
static void test_plan(void **state)
{
	struct nna_lower *l = *state;
	enum { COUNT = 200 };
	uint32_t values[COUNT], first[COUNT], last[COUNT];
	struct nna_areas areas;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < COUNT; i++) {
		values[i] = scratch(l, NNAHW_TYPE_U8, 1, (uint32_t[]){ 1 + next(5000) });
		first[i] = UINT32_MAX;
	}
	for (uint32_t i = 0; i < COUNT; i++) {
		/*
		 * Each is written once, from one of the last ten, by something that works on two
		 * places.
		 */
		struct nnahw_cmd_reduce c = { .head.opcode = NNAHW_OP_REDUCE };
		uint32_t in = i ? i - 1 - next(i < 10 ? i : 10) : 0;

		if (!i) {
			assert_int_equal(nna_emit_fill(l, values[0], 0), 0);
		} else {
			assert_int_equal(
				nna_lower_command(l, &c, (uint32_t[]){ values[i], values[in] }), 0);
		}
		first[i] = last[i] = l->command_count - 1;
		last[in] = l->command_count - 1;
	}
	assert_int_equal(nna_pass_plan(l, &areas), 0);
	for (uint32_t i = 0; i < COUNT; i++) {
		const struct nna_storage *a = &l->storages[l->values[values[i]].storage];

		sum += a->size;
		assert_int_equal(a->offset % 64, 0);
		assert_true(a->offset + a->size <= areas.scratch);
		for (uint32_t j = 0; j < i; j++) {
			const struct nna_storage *b = &l->storages[l->values[values[j]].storage];

			if (last[i] < first[j] || last[j] < first[i])
				continue;
			assert_true(a->offset + a->size <= b->offset ||
				    b->offset + b->size <= a->offset);
		}
	}
	assert_true(areas.scratch * 4 < sum);
}

static void test_plan_in_place(void **state)
{
	struct nna_lower *l = *state;
	uint32_t dims[1] = { 1000 }, v[5];
	struct nna_areas areas;

	for (int i = 0; i < 5; i++)
		v[i] = scratch(l, NNAHW_TYPE_F32, 1, dims);
	assert_int_equal(nna_emit_fill(l, v[0], 0), 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(nna_emit_ewise(l, NNAHW_EWISE_EXP, v[i + 1], v[i], NNA_NO_VALUE,
						NNA_NO_VALUE, 0, 0, 0),
				 0);
	/* The first is read again at the end, so that it has to stay. */
	assert_int_equal(
		nna_emit_ewise(l, NNAHW_EWISE_ADD, v[4], v[4], v[0], NNA_NO_VALUE, 0, 0, 0), 0);
	assert_int_equal(nna_pass_plan(l, &areas), 0);
	assert_int_equal(areas.scratch, 2 * 4032);
}

/* What a loop reads was perhaps left by the pass before. */
static void test_plan_loop(void **state)
{
	struct nna_lower *l = *state;
	uint32_t dims[1] = { 256 }, carried, inside, after, condition, top, out;
	struct nna_areas areas;
	const struct nna_storage *a, *b;

	carried = scratch(l, NNAHW_TYPE_F32, 1, dims);
	inside = scratch(l, NNAHW_TYPE_F32, 1, dims);
	after = scratch(l, NNAHW_TYPE_F32, 1, dims);
	condition = scratch(l, NNAHW_TYPE_BOOL8, 0, NULL);
	assert_int_equal(nna_emit_fill(l, carried, 0), 0);
	assert_int_equal(nna_emit_fill(l, condition, 1), 0);
	top = ok(nna_lower_label(l));
	out = ok(nna_lower_label(l));
	assert_int_equal(nna_lower_place(l, top), 0);
	assert_int_equal(nna_emit_branch_unless(l, condition, out), 0);
	assert_int_equal(nna_emit_ewise(l, NNAHW_EWISE_EXP, inside, carried, NNA_NO_VALUE,
					NNA_NO_VALUE, 0, 0, 0),
			 0);
	assert_int_equal(nna_emit_copy(l, carried, inside), 0);
	assert_int_equal(nna_emit_jump(l, top), 0);
	assert_int_equal(nna_lower_place(l, out), 0);
	assert_int_equal(nna_lower_place(l, out), -EINVAL);
	assert_int_equal(nna_emit_copy(l, after, carried), 0);
	assert_true(l->synchronous);
	assert_int_equal(nna_pass_elide(l), 0);
	assert_int_equal(nna_pass_plan(l, &areas), 0);
	a = &l->storages[l->values[carried].storage];
	b = &l->storages[l->values[inside].storage];
	assert_true(a->offset != b->offset);
	for (uint32_t i = 0; i < l->command_count; i++)
		assert_false(l->commands[i].dead && l->commands[i].raw->opcode != NNAHW_OP_COPY);
	/* The copy that closes the loop stays. */
	assert_false(l->commands[4].dead);
}

/* Packed weights by their definition, element by element. */
static void check_packed(struct nna_lower *l, const struct nna_ir_command *c,
			 const uint8_t *weights, uint32_t n, uint32_t kernel, uint32_t depth,
			 uint32_t groups, bool depthwise, bool is_unsigned, const int32_t *bias,
			 int32_t in_zero)
{
	const struct nna_value *v = nna_lower_value(l, c->values[NNAHW_CONV_WEIGHTS]);
	const int8_t *packed = nna_lower_constant_data(l, c->values[NNAHW_CONV_WEIGHTS]);
	const struct nnahw_channel *channels =
		nna_lower_constant_data(l, c->values[NNAHW_CONV_CHANNELS]);
	uint32_t per_group = n / groups, blocks = (per_group + 15) / 16, k_count = kernel * depth;
	uint32_t quads = (k_count + 3) / 4;
	uint32_t seen = 0, count;

	assert_non_null(packed);
	assert_int_equal(v->dims[0], groups * blocks);
	assert_int_equal(v->dims[1], depthwise ? k_count : quads);
	assert_int_equal(v->dims[2], 16);
	assert_int_equal(c->values[NNAHW_CONV_BIAS], NNA_NO_VALUE);
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
}

static void test_pack(void **state)
{
	struct nna_lower *l = *state;

	for (int round = 0; round < 60; round++) {
		bool depthwise = round % 3 == 2, is_unsigned = round & 1;
		uint32_t groups = depthwise ? 1 : 1 + next(3), kernel_h = 1 + next(3),
			 kernel_w = 1 + next(3);
		uint32_t depth = depthwise ? 1 : 1 + next(9), n = groups * (1 + next(40));
		uint32_t total = n * kernel_h * kernel_w * depth,
			 in_channels = depthwise ? n : depth * groups;
		uint32_t wdims[4] = { depthwise ? 1 : n, kernel_h, kernel_w,
				      depthwise ? n : depth };
		uint32_t idims[4] = { 1, 4, 4, in_channels }, odims[4] = { 1, 4, 4, n };
		uint8_t type = is_unsigned ? NNAHW_TYPE_U8 : NNAHW_TYPE_S8;
		struct nna_conv_params params = { groups, 1, 1, 1, 1, 1, 0, 0, NNA_ACT_NONE, 0 };
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
		b = ok(nna_lower_constant(l, NNAHW_TYPE_S32, 1, &n, 0, 0, bias));
		assert_int_equal(nna_emit_conv(l, depthwise, out, in, w, b, &params), 0);
		assert_int_equal(nna_pass_pack(l), 0);
		assert_int_equal(
			((struct nnahw_cmd_conv *)l->commands[l->command_count - 1].raw)->layout,
			NNAHW_LAYOUT_PACKED8);
		check_packed(l, &l->commands[l->command_count - 1], weights, n, kernel_h * kernel_w,
			     depth, groups, depthwise, is_unsigned, bias, is_unsigned ? 100 : -3);
		free(weights);
		free(bias);
	}
}

static void test_pack_float(void **state)
{
	struct nna_lower *l = *state;
	struct nna_conv_params params = { 1, 1, 1, 1, 1, 1, 0, 0, NNA_ACT_RELU, false };
	float weights[21][2][3][5];
	uint32_t in = scratch(l, NNAHW_TYPE_F32, 4, (uint32_t[]){ 1, 4, 4, 5 });
	uint32_t out = scratch(l, NNAHW_TYPE_F32, 4, (uint32_t[]){ 1, 3, 2, 21 });
	uint32_t w, again;
	const float *packed;
	const struct nna_ir_command *c;

	for (size_t i = 0; i < sizeof(weights) / 4; i++)
		(&weights[0][0][0][0])[i] = next(1000) + 1;
	w = ok(nna_lower_constant(l, NNAHW_TYPE_F32, 4, (uint32_t[]){ 21, 2, 3, 5 }, 0, 0,
				  weights));
	assert_int_equal(nna_emit_conv(l, false, out, in, w, NNA_NO_VALUE, &params), 0);
	again = scratch(l, NNAHW_TYPE_F32, 4, (uint32_t[]){ 1, 3, 2, 21 });
	assert_int_equal(nna_emit_conv(l, false, again, in, w, NNA_NO_VALUE, &params), 0);
	assert_int_equal(nna_pass_pack(l), 0);
	c = &l->commands[0];
	packed = nna_lower_constant_data(l, c->values[NNAHW_CONV_WEIGHTS]);
	for (uint32_t b = 0; b < 2; b++)
		for (uint32_t k = 0; k < 30; k++)
			for (uint32_t lane = 0; lane < 16; lane++) {
				uint32_t n = b * 16 + lane;
				float expected = n < 21 ? (&weights[0][0][0][0])[n * 30 + k] : 0;

				assert_true(packed[(b * 30 + k) * 16 + lane] == expected);
			}
	/* Shared weights are packed once. */
	assert_int_equal(c->values[NNAHW_CONV_WEIGHTS], l->commands[1].values[NNAHW_CONV_WEIGHTS]);
}

/* Writes of two scratch tensors into halves of a third go there at once. */
static void test_elide(void **state)
{
	struct nna_lower *l = *state;
	uint32_t part[2], whole = scratch(l, NNAHW_TYPE_F32, 4, (uint32_t[]){ 1, 3, 3, 10 });
	uint32_t out = scratch(l, NNAHW_TYPE_F32, 1, (uint32_t[]){ 90 });

	for (uint32_t i = 0; i < 2; i++) {
		part[i] = scratch(l, NNAHW_TYPE_F32, 4, (uint32_t[]){ 1, 3, 3, i ? 6 : 4 });
		assert_int_equal(nna_emit_fill(l,
					       ok(nna_view_reshape(l, part[i], 2,
								   (uint32_t[]){ 9, i ? 6 : 4 })),
					       i),
				 0);
	}
	for (uint32_t i = 0; i < 2; i++)
		assert_int_equal(nna_emit_copy(l,
					       ok(nna_view_slice(l, whole, 3, i * 4, 1, i ? 6 : 4)),
					       part[i]),
				 0);
	assert_int_equal(nna_emit_ewise(l, NNAHW_EWISE_EXP, out,
					ok(nna_view_reshape(l, whole, 1, (uint32_t[]){ 90 })),
					NNA_NO_VALUE, NNA_NO_VALUE, 0, 0, 0),
			 0);
	assert_int_equal(nna_pass_elide(l), 0);
	assert_true(l->commands[2].dead && l->commands[3].dead);
	for (uint32_t i = 0; i < 2; i++) {
		const struct nna_value *v = nna_lower_value(l, l->commands[i].values[0]);
		uint32_t width = i ? 6 : 4;

		assert_int_equal(v->storage, nna_lower_value(l, whole)->storage);
		for (uint32_t at = 0; at < 9 * width; at++)
			assert_int_equal(address(v, at), at / width * 10 + i * 4 + at % width);
	}
}

/* The same, but the place is read in between, or the part is written again: the copy stays. */
static void test_elide_not(void **state)
{
	struct nna_lower *l = *state;
	uint32_t dims[1] = { 10 };
	uint32_t part = scratch(l, NNAHW_TYPE_F32, 1, dims),
		 place = scratch(l, NNAHW_TYPE_F32, 1, dims);
	uint32_t other = scratch(l, NNAHW_TYPE_F32, 1, dims),
		 third = scratch(l, NNAHW_TYPE_F32, 1, dims);

	assert_int_equal(nna_emit_fill(l, place, 1), 0);
	assert_int_equal(nna_emit_fill(l, part, 2), 0);
	assert_int_equal(nna_emit_ewise(l, NNAHW_EWISE_EXP, other, place, NNA_NO_VALUE,
					NNA_NO_VALUE, 0, 0, 0),
			 0);
	assert_int_equal(nna_emit_copy(l, place, part), 0);
	assert_int_equal(nna_emit_fill(l, third, 3), 0);
	assert_int_equal(nna_emit_copy(l, other, third), 0);
	assert_int_equal(nna_emit_fill(l, third, 4), 0);
	assert_int_equal(
		nna_emit_ewise(l, NNAHW_EWISE_ADD, place, third, other, NNA_NO_VALUE, 0, 0, 0), 0);
	assert_int_equal(nna_pass_elide(l), 0);
	assert_false(l->commands[3].dead);
	assert_false(l->commands[5].dead);
}

static void test_commands(void **state)
{
	struct nna_lower *l = *state;
	struct nnahw_command bad = { .opcode = 0x7777 };
	struct nnahw_cmd_fill fill = { .head.opcode = NNAHW_OP_FILL };
	char text[4096] = "";
	struct nna_code *code;
	FILE *to;

	assert_int_equal(nna_lower_command(l, &bad, NULL), -EINVAL);
	assert_int_equal(nna_lower_command(l, &fill, (uint32_t[]){ 5 }), -EINVAL);
	assert_int_equal(nna_emit_fill(l, scratch(l, NNAHW_TYPE_U8, 1, (uint32_t[]){ 5 }), 0x1ff),
			 0);
	assert_int_equal(((struct nnahw_cmd_fill *)l->commands[0].raw)->value, 0xff);
	assert_int_equal(nna_emit_code(l, 0, 0, NNAHW_MAX_SLOTS, &code), 0);
	to = fmemopen(text, sizeof(text), "w");
	assert_int_equal(nna_code_print(code, to), 0);
	fclose(to);
	assert_non_null(strstr(text, "FILL (operation 0) value=0xff"));
	assert_non_null(strstr(text, "scratch+0x0 U8[5]"));
	assert_non_null(strstr(text, "END"));
	/* A damaged stream is refused, wherever it is cut. */
	to = fopen("/dev/null", "w");
	for (uint32_t size = 0; size < code->stream_size; size += 7)
		assert_int_equal(nna_commands_print(to, code->image, size, NULL, 0), -EINVAL);
	fclose(to);
	nna_code_destroy(code);
}

/* A value of @dims with a scale per index of dim @axis. */
static uint32_t with_channels(struct nna_lower *l, uint32_t rank, const uint32_t *dims,
			      uint32_t axis)
{
	static const float scales[] = { 0.5f, 0.25f, 2, 1, 3, 4, 5, 6 };
	uint32_t v = scratch(l, NNAHW_TYPE_S8, rank, dims);

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
	uint32_t plain = scratch(l, NNAHW_TYPE_S8, 2, (uint32_t[]){ 4, 6 });
	uint32_t like = with_channels(l, 2, (uint32_t[]){ 4, 6 }, 0), cut, commands;
	struct nna_value v = *nna_lower_value(l, rows), w = *nna_lower_value(l, columns);
	struct nna_value m = *nna_lower_value(l, middle);
	uint32_t image =
		ok(nna_lower_scratch(l, NNAHW_TYPE_S8, 4, (uint32_t[]){ 1, 1, 1, 6 }, 1, 0));
	uint32_t out = ok(nna_lower_scratch(l, NNAHW_TYPE_S8, 4, (uint32_t[]){ 1, 1, 1, 4 }, 1, 0));
	uint32_t wrong = with_channels(l, 4, (uint32_t[]){ 4, 1, 1, 6 }, 3);
	uint32_t none = scratch(l, NNAHW_TYPE_S8, 4, (uint32_t[]){ 4, 1, 1, 6 });

	check_channels(l, nna_view_reshape(l, rows, 4, (uint32_t[]){ 4, 1, 1, 6 }), &v, 0);
	check_channels(l, nna_view_reshape(l, rows, 3, (uint32_t[]){ 4, 2, 3 }), &v, 0);
	check_channels(l, nna_view_reshape(l, columns, 4, (uint32_t[]){ 2, 2, 1, 6 }), &w, 3);
	check_channels(l, nna_view_reshape(l, middle, 4, (uint32_t[]){ 2, 3, 2, 2 }), &m, 1);
	check_channels(l, nna_view_permute(l, columns, (uint32_t[]){ 1, 0 }), &w, 0);
	check_channels(l, nna_view_expand(l, rows, 0), &v, 1);
	/* By a copy, which has the scales as well. */
	cut = ok(nna_view_slice(l, rows, 1, 0, 1, 4));
	commands = l->command_count;
	check_channels(l, nna_view_reshape(l, cut, 3, (uint32_t[]){ 4, 1, 4 }), &v, 0);
	cut = ok(nna_view_permute(l, middle, (uint32_t[]){ 1, 0, 2 }));
	check_channels(l, nna_view_reshape(l, cut, 2, (uint32_t[]){ 3, 8 }), &m, 0);
	assert_int_equal(l->command_count, commands + 1);
	assert_int_equal(nna_emit_copy(l, like, rows), 0);

	assert_int_equal(nna_view_reshape(l, rows, 1, (uint32_t[]){ 24 }), -EINVAL);
	assert_int_equal(nna_view_reshape(l, rows, 2, (uint32_t[]){ 6, 4 }), -EINVAL);
	assert_int_equal(nna_view_reshape(l, middle, 2, (uint32_t[]){ 6, 4 }), -EINVAL);
	assert_int_equal(nna_view_retype(l, rows, NNAHW_TYPE_S8, 0.5f, 0), -EINVAL);
	cut = ok(nna_view_slice(l, rows, 0, 1, 1, 1));
	assert_int_equal(nna_view_retype(l, cut, NNAHW_TYPE_S8, 0.5f, 0), -EINVAL);
	cut = ok(nna_view_retype(l, cut, NNAHW_TYPE_S8, 0.25f, 0)); /* the scale of channel 1 */
	assert_null(nna_lower_value(l, cut)->channel_scales);
	assert_int_equal(nna_emit_copy(l, plain, rows), -EINVAL);
	assert_int_equal(nna_emit_copy(l, rows, plain), -EINVAL);
	assert_int_equal(nna_emit_copy(l, rows, columns), -EINVAL);
	assert_int_equal(nna_emit_ewise(l, NNAHW_EWISE_IDENTITY, plain, rows, NNA_NO_VALUE,
					NNA_NO_VALUE, NNA_ACT_NONE, 0, 0), -EINVAL);
	/* Weights with scales along another dim, and without any. */
	assert_int_equal(nna_emit_conv(l, false, out, image, wrong, NNA_NO_VALUE, &nna_conv_plain),
			 -EINVAL);
	assert_int_equal(nna_emit_conv(l, false, out, image, none, NNA_NO_VALUE, &nna_conv_plain),
			 -EINVAL);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
	const struct CMUnitTest tests[] = {
		TEST(test_requantize), TEST(test_views),	  TEST(test_fold),
		TEST(test_many_dims),  TEST(test_random_reshape), TEST(test_overlap),
		TEST(test_plan),       TEST(test_plan_in_place),  TEST(test_plan_loop),
		TEST(test_pack),       TEST(test_pack_float),	  TEST(test_elide),
		TEST(test_elide_not),  TEST(test_commands),	  TEST(test_channel_scales),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
