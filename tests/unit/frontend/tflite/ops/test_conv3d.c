// SPDX-License-Identifier: MIT
/*
 * Convolutions in three dimensions on the loopback, against their definition: every element of the
 * input times every element of the filter is added to the element of the output that it belongs to.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/frontend/tflite/one_operator.h"

enum { SAME, VALID };
enum { OPTIONS = 106, MOST = 4096 };

/**
 * struct volume - a convolution to be run
 * @x, @w, @y: dims of input, filter and output as TFLite has them; one image of the batch is @x[0]
 * @padding: SAME or VALID
 * @stride: by depth, height and width
 * @relu: negative results become 0
 */
struct volume {
	int32_t x[5], w[5], y[5], padding, stride[3];
	bool relu;
};

static float in[MOST], filter[MOST], bias[16], out[MOST], want[MOST];

static uint32_t size_of(const int32_t *dims)
{
	uint32_t n = 1;

	for (int i = 0; i < 5; i++)
		n *= (uint32_t)dims[i];
	assert_true(n <= MOST);
	return n;
}

static size_t at(const int32_t *dims, int32_t n, const int32_t *p, int32_t c)
{
	return ((((size_t)n * dims[1] + p[0]) * dims[2] + p[1]) * dims[3] + p[2]) * dims[4] + c;
}

/* Small whole numbers, so that sums are exact in any order. */
static void fill(float *to, uint32_t count, uint32_t seed)
{
	for (uint32_t i = 0; i < count; i++) {
		seed = seed * 1664525 + 1013904223;
		to[i] = (float)(int32_t)(seed >> 28) - 8;
	}
}

/* Padding before dimension @k of @large elements, which becomes @small by strides. */
static int32_t padding(const struct volume *v, int k, int32_t large, int32_t small)
{
	int32_t steps = v->padding == SAME ? (large + v->stride[k] - 1) / v->stride[k] : small;
	int32_t all = (steps - 1) * v->stride[k] + v->w[k] - large;

	return v->padding == SAME && all > 0 ? all / 2 : 0;
}

/* The products of element @where of the filter with position @s of the small dims. */
static void add_products(const struct volume *v, bool transpose, int32_t n, const int32_t *s,
			 uint32_t where)
{
	const int32_t *small = transpose ? v->x : v->y, *large = transpose ? v->y : v->x;
	const float *f = filter + where * (uint32_t)(v->w[3] * v->w[4]);
	int32_t l[3];

	for (int d = 2; d >= 0; d--) {
		l[d] = s[d] * v->stride[d] + (int32_t)(where % (uint32_t)v->w[d]) -
		       padding(v, d, large[d + 1], small[d + 1]);
		where /= (uint32_t)v->w[d];
		if (l[d] < 0 || l[d] >= large[d + 1])
			return;
	}
	for (int32_t a = 0; a < v->w[3]; a++) {
		for (int32_t b = 0; b < v->w[4]; b++, f++) {
			if (transpose)
				want[at(v->y, n, l, a)] += in[at(v->x, n, s, b)] * *f;
			else
				want[at(v->y, n, s, b)] += in[at(v->x, n, l, a)] * *f;
		}
	}
}

static void compute(const struct volume *v, bool transpose)
{
	const int32_t *small = transpose ? v->x : v->y;
	uint32_t outputs = size_of(v->y), places = size_of(small) / (uint32_t)small[4];
	uint32_t elements = size_of(v->w) / (uint32_t)(v->w[3] * v->w[4]);

	for (uint32_t i = 0; i < outputs; i++)
		want[i] = bias[i % (uint32_t)v->y[4]];
	for (uint32_t i = 0; i < places; i++) {
		uint32_t rest = i;
		int32_t s[3];

		for (int d = 2; d >= 0; d--) {
			s[d] = (int32_t)(rest % (uint32_t)small[d + 1]);
			rest /= (uint32_t)small[d + 1];
		}
		for (uint32_t j = 0; j < elements; j++)
			add_products(v, transpose, (int32_t)rest, s, j);
	}
	for (uint32_t i = 0; i < outputs && v->relu; i++)
		want[i] = fmaxf(want[i], 0);
}

static struct tensor_spec tensor(const int32_t *dims, const float *data)
{
	return (struct tensor_spec){
		.type = TFLITE_FLOAT32,
		.rank = 5,
		.dims = { dims[0], dims[1], dims[2], dims[3], dims[4] },
		.data = data,
		.size = data ? size_of(dims) * 4 : 0,
	};
}

static void check_volume(const struct volume *v, bool transpose)
{
	struct one_operator m = {
		.code = transpose ? TFLITE_CONV_3D_TRANSPOSE : TFLITE_CONV_3D,
		.tensors = { tensor(v->x, NULL), tensor(v->w, filter),
			     F32(1, { v->y[4] }, bias, (uint32_t)v->y[4] * 4), tensor(v->y, NULL),
			     S32(1, { 5 }, v->y, sizeof(v->y)) },
		.tensor_count = 5,
		.inputs = { 0, 1, 2, -1 },
		.outputs = { 3, -1 },
		.options = OPTIONS,
		.fields = { v->padding, v->stride[0], v->stride[2], v->stride[1], v->relu },
		.field_count = 5,
	};

	if (transpose)
		memcpy(m.inputs, (int32_t[]){ 4, 1, 0, 2, -1 }, 5 * sizeof(int32_t));
	fill(in, size_of(v->x), 1);
	fill(filter, size_of(v->w), 2);
	fill(bias, (uint32_t)v->y[4], 3);
	compute(v, transpose);
	run(&m, (const void *[]){ in }, (void *[]){ out });
	check_floats(out, want, size_of(v->y));
}

static void test_convolution(void **state)
{
	check_volume(&(struct volume){ { 2, 4, 5, 6, 2 }, { 3, 2, 3, 2, 3 }, { 2, 2, 4, 4, 3 },
				       VALID, { 1, 1, 1 }, false }, false);
	check_volume(&(struct volume){ { 1, 5, 4, 6, 3 }, { 3, 3, 2, 3, 2 }, { 1, 3, 2, 3, 2 },
				       SAME, { 2, 2, 2 }, true }, false);
}

static void test_transpose(void **state)
{
	/* As Keras' Conv3DTranspose makes it: SAME, stride 2. */
	check_volume(&(struct volume){ { 1, 3, 4, 4, 3 }, { 2, 2, 2, 5, 3 }, { 1, 6, 8, 8, 5 },
				       SAME, { 2, 2, 2 }, false }, true);
	/* A filter that is larger than its stride, so that planes overlap and stick out. */
	check_volume(&(struct volume){ { 2, 3, 2, 3, 2 }, { 3, 3, 3, 2, 2 }, { 2, 5, 3, 6, 2 },
				       SAME, { 2, 2, 2 }, true }, true);
	/* One plane of the filter for each step, and planes of zeros between. */
	check_volume(&(struct volume){ { 1, 2, 2, 2, 2 }, { 1, 2, 3, 3, 2 }, { 1, 4, 3, 4, 3 },
				       VALID, { 3, 1, 1 }, false }, true);
	check_volume(&(struct volume){ { 2, 3, 2, 2, 1 }, { 4, 2, 2, 2, 1 }, { 2, 6, 3, 4, 2 },
				       VALID, { 1, 1, 2 }, false }, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_convolution),
		cmocka_unit_test(test_transpose),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
