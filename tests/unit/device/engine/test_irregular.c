// SPDX-License-Identifier: MIT
/* Commands of irregular operations, against what they mean and against hostile parameters. */
#include "tests/unit/device/engine/engine.h"

#include "device/engine/math.h"

static struct call c; /* the command under test */
static struct rng r;

static int spread(void)
{
	return rng_next(&r) % 3 == 0;
}

/* NORM16 */

static void norm16_init(uint32_t rows, uint32_t n)
{
	call_init(&c, NNAHW_OP_NORM16, sizeof(struct nnahw_cmd_norm16), 4);
	call_operand(&c, &r, 0, NNAHW_TYPE_S16, 2, (uint32_t[]){ rows, n }, spread());
	call_operand(&c, &r, 1, NNAHW_TYPE_S16, 2, (uint32_t[]){ rows, n }, spread());
	call_operand(&c, &r, 2, NNAHW_TYPE_S16, 1, &n, spread());
	call_operand(&c, &r, 3, NNAHW_TYPE_S32, 1, &n, spread());
}

static void verify_norm16(void)
{
	const struct nnahw_cmd_norm16 *p = (const void *)c.raw;
	const struct nnadev_engine_operand *out = &c.cmd.operands[0], *in = &c.cmd.operands[1],
					*weights = &c.cmd.operands[2], *bias = &c.cmd.operands[3];
	uint32_t index[2] = { 0 }, n = in->desc.dims[1];

	do {
		double mean = 0, variance = 0, want, slack, w = number(weights, index + 1);

		for (uint32_t k = 0; k < n; k++)
			mean += number(in, (uint32_t[]){ index[0], k }) / n;
		for (uint32_t k = 0; k < n; k++)
			variance += pow(number(in, (uint32_t[]){ index[0], k }) - mean, 2) / n;
		want = (number(in, index) - mean) / sqrt(fmax(variance, 1)) * w;
		/*
		 * Newton's method, the variance without its fraction, z in 1/1024, a whole number.
		 */
		slack = fabs(want) * (1e-4 + 1 / fmax(variance, 1)) + fabs(w) / 1024 + 1;
		want += number(bias, index + 1) / 1024;
		slack = ldexp(slack * p->multiplier, -p->shift) + 1;
		want = fmin(fmax(ldexp(want * p->multiplier, -p->shift), INT16_MIN), INT16_MAX);
		if (!(fabs(number(out, index) - want) <= slack))
			fail_msg("norm16: got %g, not %g (+- %g)", number(out, index), want, slack);
	} while (next_index(&out->desc, index));
}

static void test_norm16(void **state)
{
	struct nnahw_cmd_norm16 *p = (struct nnahw_cmd_norm16 *)c.raw;

	r.state = 40;
	for (int i = 0; i < 400; i++) {
		uint32_t n = 1u << rng_range(&r, 0, 9);
		int width = (int)rng_range(&r, 4, 16);

		norm16_init((uint32_t)rng_range(&r, 1, 4), n);
		for (size_t k = 0; k < c.sizes[1] / 2; k++)
			((int16_t *)c.buffers[1])[k] = (int16_t)rng_range(&r, -(1 << (width - 1)),
									  (1 << (width - 1)) - 1);
		p->multiplier = (int32_t)rng_range(&r, 1 << 30, INT32_MAX);
		p->shift = (int32_t)rng_range(&r, 32, 40);
		assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_OK);
		verify_norm16();
		call_free(&c);
	}
}

/* Rows whose norms can be computed by hand. */
static void test_norm16_exact(void **state)
{
	static const int16_t in[] = { 7, 7, 7, 7, -4, 4, -4, 4 },
			     weights[] = { 1000, 2000, -3000, 32767 };
	static const int32_t bias[] = { 1024, -1536, 0, 10240 };
	/* no variance: bias / 1024, halves away from zero; else -+weight and the bias */
	static const int16_t want[] = { 1, -2, 0, 10, -999, 1999, 3000, 32767 };
	struct nnahw_cmd_norm16 *p = (struct nnahw_cmd_norm16 *)c.raw;
	const uint32_t n = 4;

	call_init(&c, NNAHW_OP_NORM16, sizeof(*p), 4);
	call_operand(&c, &r, 0, NNAHW_TYPE_S16, 2, (uint32_t[]){ 2, n }, 0);
	call_operand(&c, &r, 1, NNAHW_TYPE_S16, 2, (uint32_t[]){ 2, n }, 0);
	call_operand(&c, &r, 2, NNAHW_TYPE_S16, 1, &n, 0);
	call_operand(&c, &r, 3, NNAHW_TYPE_S32, 1, &n, 0);
	memcpy(c.buffers[1], in, sizeof(in));
	memcpy(c.buffers[2], weights, sizeof(weights));
	memcpy(c.buffers[3], bias, sizeof(bias));
	p->multiplier = 1 << 30;
	p->shift = 30;
	assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_OK);
	assert_memory_equal(c.buffers[0], want, sizeof(want));
	call_free(&c);

	norm16_init(3, 5);
	c.cmd.operands[3].desc.dims[0] = 4;
	assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_BAD_SHAPE);
	call_free(&c);
	norm16_init(3, 0);
	assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_BAD_SHAPE);
	call_free(&c);
}

/* TOPK */

/* Whether a comes before b. */
static bool before(double x, uint32_t a, double y, uint32_t b)
{
	if (isnan(x) || isnan(y))
		return isnan(x) && isnan(y) ? a > b : isnan(y);
	return x > y || (x == y && a > b);
}

static void verify_topk(void)
{
	const struct nnadev_engine_operand *values = &c.cmd.operands[0],
					   *indices = &c.cmd.operands[1], *in = &c.cmd.operands[2];
	uint32_t index[NNAHW_MAX_RANK] = { 0 }, last = in->desc.rank - 1;

	/* The place of an element is how many come before it. */
	do {
		uint32_t at[NNAHW_MAX_RANK], place = 0;
		double x = number(in, index);

		memcpy(at, index, sizeof(at));
		for (at[last] = 0; at[last] < in->desc.dims[last]; at[last]++)
			place += before(number(in, at), at[last], x, index[last]);
		at[last] = place;
		if (place >= values->desc.dims[last])
			continue;
		assert_int_equal((int64_t)number(indices, at), index[last]);
		assert_memory_equal(element(values, at), element(in, index),
				    nnahw_type_size(in->desc.type));
	} while (next_index(&in->desc, index));
}

static void test_topk(void **state)
{
	static const uint32_t types[] = { NNAHW_TYPE_F32, NNAHW_TYPE_F16, NNAHW_TYPE_U8,
					  NNAHW_TYPE_S8,	NNAHW_TYPE_S32, NNAHW_TYPE_S64 };

	r.state = 41;
	for (int i = 0; i < 600; i++) {
		uint32_t dims[4], k[4], rank = (uint32_t)rng_range(&r, 1, 4),
					type = types[rng_next(&r) % 6];
		const struct nnadev_engine_operand *in;

		for (uint32_t d = 0; d < rank; d++)
			k[d] = dims[d] = (uint32_t)rng_range(&r, 1, d + 1 == rank ? 40 : 3);
		k[rank - 1] = (uint32_t)rng_range(&r, 1, dims[rank - 1]);
		call_init(&c, NNAHW_OP_TOPK, sizeof(struct nnahw_cmd_topk), 3);
		call_operand(&c, &r, 0, type, rank, k, spread());
		call_operand(&c, &r, 1, NNAHW_TYPE_S32, rank, k, spread());
		in = call_operand(&c, &r, 2, type, rank, dims, spread());
		/* Floats keep their random bits: NaNs of all kinds. Now and then many are equal. */
		if (i % 2)
			memset(c.buffers[2], (int)rng_next(&r), c.sizes[2] / 2);
		assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_OK);
		assert_true(in->count);
		verify_topk();
		c.cmd.operands[1].desc.dims[rank - 1]++;
		assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_BAD_SHAPE);
		call_free(&c);
	}
}

/* LSH */

/*
 * Signs of the fingerprints of items of `size` bytes, byte i being 37 i + 11, by the seeds j / 4 -
 * 3.
 */
static const struct {
	uint32_t size, signs;
} prints[] = {
	{ 0, 0x8dbf69b7 },   { 1, 0x970dbab0 },	  { 3, 0x06c79c32 },	{ 4, 0x13bce52a },
	{ 5, 0x5f449cdf },   { 8, 0xfa43f6ea },	  { 11, 0xcefa2c7b },	{ 12, 0xd72144a6 },
	{ 13, 0xa6ab76f9 },  { 28, 0xaa7e76e1 },  { 29, 0x9aac13cf },	{ 60, 0x12000310 },
	{ 61, 0xb7015f82 },  { 64, 0xd7d3785c },  { 124, 0xde2459cd },	{ 125, 0xa996df29 },
	{ 188, 0x2bbe9cb2 }, { 200, 0x0c15ab94 }, { 1000, 0xb9f1212a },
};

static void lsh_case(uint32_t size, uint32_t signs, uint32_t seed_type, bool inverted)
{
	const uint32_t one = 1;

	call_init(&c, NNAHW_OP_LSH, sizeof(struct nnahw_cmd_lsh), 4);
	call_operand(&c, &r, 0, NNAHW_TYPE_S32, 2, (uint32_t[]){ 4, 8 }, spread());
	call_operand(&c, &r, 1, seed_type, 2, (uint32_t[]){ 4, 8 }, 0);
	call_operand(&c, &r, 2, NNAHW_TYPE_U8, 2, (uint32_t[]){ 1, size }, 0);
	for (uint32_t j = 0; j < 32; j++) {
		if (seed_type == NNAHW_TYPE_F16)
			((uint16_t *)c.buffers[1])[j] = nnadev_float_to_half((float)j / 4 - 3);
		else
			((float *)c.buffers[1])[j] = (float)j / 4 - 3;
	}
	for (uint32_t i = 0; i < size; i++)
		((uint8_t *)c.buffers[2])[i] = (uint8_t)(37 * i + 11);
	if (inverted) {
		call_operand(&c, &r, 3, NNAHW_TYPE_F32, 1, &one, 0);
		*(float *)c.buffers[3] = -0.5f;
	}
	assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_OK);
	for (uint32_t j = 0; j < 32; j++)
		assert_int_equal((int)number(&c.cmd.operands[0], (uint32_t[]){ j / 8, j % 8 }),
				 (signs >> j & 1) != inverted);
	call_free(&c);
}

static void test_lsh(void **state)
{
	r.state = 42;
	for (size_t i = 0; i < sizeof(prints) / sizeof(prints[0]); i++) {
		lsh_case(prints[i].size, prints[i].signs, NNAHW_TYPE_F32, false);
		lsh_case(prints[i].size, prints[i].signs, NNAHW_TYPE_F16, false);
		lsh_case(prints[i].size, prints[i].signs, NNAHW_TYPE_F32, true);
	}
}

/* Of many items the heaviest decides. */
static void test_lsh_items(void **state)
{
	const uint32_t n = 5;

	call_init(&c, NNAHW_OP_LSH, sizeof(struct nnahw_cmd_lsh), 4);
	call_operand(&c, &r, 0, NNAHW_TYPE_S32, 2, (uint32_t[]){ 1, 3 }, 0);
	call_operand(&c, &r, 1, NNAHW_TYPE_F32, 2, (uint32_t[]){ 1, 3 }, 0);
	call_operand(&c, &r, 2, NNAHW_TYPE_U8, 2, (uint32_t[]){ n, 12 }, 0);
	call_operand(&c, &r, 3, NNAHW_TYPE_F32, 1, &n, 0);
	for (uint32_t heavy = 0; heavy < n; heavy++) {
		for (uint32_t j = 0; j < 3; j++)
			((float *)c.buffers[1])[j] = (float)j / 4 - 3;
		for (uint32_t i = 0; i < n; i++)
			((float *)c.buffers[3])[i] = i == heavy ? 1e20f : 1e-20f;
		for (uint32_t i = 0; i < 12; i++)
			((uint8_t *)c.buffers[2])[12 * heavy + i] = (uint8_t)(37 * i + 11);
		assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_OK);
		for (uint32_t j = 0; j < 3; j++)
			assert_int_equal(((int32_t *)c.buffers[0])[j], 0xd72144a6 >> j & 1);
	}
	c.cmd.operands[2].contiguous = false;
	assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_BAD_OPERAND);
	c.cmd.operands[2].contiguous = true;
	c.cmd.operands[3].desc.dims[0] = 4;
	assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_BAD_SHAPE);
	call_free(&c);
}

/* MULTINOMIAL */

static void philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
	uint32_t k[2] = { key[0], key[1] }, next[4];

	memcpy(out, counter, 16);
	for (int i = 0; i < 10; i++) {
		uint64_t p0 = 0xd2511f53ull * out[0], p1 = 0xcd9e8d57ull * out[2];

		next[0] = (uint32_t)(p1 >> 32) ^ out[1] ^ k[0];
		next[1] = (uint32_t)p1;
		next[2] = (uint32_t)(p0 >> 32) ^ out[3] ^ k[1];
		next[3] = (uint32_t)p0;
		memcpy(out, next, 16);
		k[0] += 0x9e3779b9;
		k[1] += 0xbb67ae85;
	}
}

static void multinomial_init(uint32_t rows, uint32_t classes, uint32_t samples, int32_t seed,
			     int32_t seed2)
{
	const uint32_t two = 2;

	call_init(&c, NNAHW_OP_MULTINOMIAL, sizeof(struct nnahw_cmd_multinomial), 3);
	call_operand(&c, &r, 0, NNAHW_TYPE_S32, 2, (uint32_t[]){ rows, samples }, spread());
	call_operand(&c, &r, 1, NNAHW_TYPE_F32, 2, (uint32_t[]){ rows, classes }, 0);
	call_operand(&c, &r, 2, NNAHW_TYPE_S32, 1, &two, 0);
	if (classes)
		memset(c.buffers[1], 0, c.sizes[1]);
	((int32_t *)c.buffers[2])[0] = seed;
	((int32_t *)c.buffers[2])[1] = seed2;
}

static uint32_t sample(uint32_t row, uint32_t i)
{
	return (uint32_t)number(&c.cmd.operands[0], (uint32_t[]){ row, i });
}

/* Of 1024 equal classes the one that is drawn is the number's first ten bits. */
static void test_multinomial_generator(void **state)
{
	static const uint32_t ones[4] = { ~0u, ~0u, ~0u, ~0u },
			      known[4] = { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd };
	static const int32_t seeds[][2] = {
		{ 37, 42 }, { -1, 5 }, { 0, -7 }, { INT32_MIN, INT32_MAX }
	};
	static const uint64_t firsts[] = { 0, 3, 0x1fffffffeull, UINT64_MAX - 5 };
	uint32_t block[4];

	philox(ones, ones, block);
	assert_memory_equal(block, known, sizeof(known));
	r.state = 43;
	for (int i = 0; i < 16; i++) {
		const int32_t *seed = seeds[i % 4];

		multinomial_init(2, 1024, 2001, seed[0], seed[1]);
		((struct nnahw_cmd_multinomial *)c.raw)->first = firsts[i / 4];
		assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_OK);
		for (uint32_t k = 0; k < 4002; k++) {
			uint64_t q = firsts[i / 4] + k;
			uint32_t counter[4] = { (uint32_t)(q / 2), (uint32_t)(q / 2 >> 32),
						(uint32_t)seed[1], seed[1] < 0 ? ~0u : 0 };
			uint32_t key[2] = { (uint32_t)seed[0], seed[0] < 0 ? ~0u : 0 };

			philox(counter, key, block);
			assert_int_equal(sample(k / 2001, k % 2001),
					 (block[2 * (q % 2)] & 0xfffff) >> 10);
		}
		call_free(&c);
	}
}

static void test_multinomial_distribution(void **state)
{
	static const double share[] = { 0.125, 0, 0.25, 0.625, 0 };
	enum { SAMPLES = 20000 };

	multinomial_init(3, 5, SAMPLES, 1, 2);
	for (uint32_t k = 0; k < 15; k++)
		((float *)c.buffers[1])[k] = k < 10 ? logf((float)share[k % 5]) +
							      (k < 5 ? 80.f : -3000.f)
						    : NAN;
	((float *)c.buffers[1])[4] = NAN;
	((float *)c.buffers[1])[1] = INFINITY; /* not finite: no share */
	assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_OK);
	for (uint32_t row = 0; row < 2; row++) {
		uint32_t drawn[5] = { 0 };

		for (uint32_t i = 0; i < SAMPLES; i++)
			drawn[sample(row, i)]++;
		for (uint32_t k = 0; k < 5; k++)
			assert_true(fabs(drawn[k] - share[k] * SAMPLES) <=
				    5 * sqrt(share[k] * (1 - share[k]) * SAMPLES));
	}
	for (uint32_t i = 0; i < SAMPLES; i++)
		assert_int_equal(sample(2, i), 4);
	call_free(&c);
}

/* Two seeds of 0 are another generator in each run. */
static void test_multinomial_entropy(void **state)
{
	int32_t drawn[3][64];

	for (uint32_t i = 0; i < 3; i++) {
		multinomial_init(1, 1000, 64, 0, 0);
		c.cmd.entropy = i < 2 ? 123456789 : 123456790;
		assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_OK);
		for (uint32_t k = 0; k < 64; k++)
			drawn[i][k] = (int32_t)sample(0, k);
		call_free(&c);
	}
	assert_memory_equal(drawn[0], drawn[1], sizeof(drawn[0]));
	assert_memory_not_equal(drawn[0], drawn[2], sizeof(drawn[0]));
	multinomial_init(1, 0, 64, 0, 0);
	assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_BAD_SHAPE);
	call_free(&c);
}

/* KEYPOINT */

static void keypoint_init(uint32_t n, uint32_t height, uint32_t width, uint32_t channels)
{
	call_init(&c, NNAHW_OP_KEYPOINT, sizeof(struct nnahw_cmd_keypoint), 4);
	((struct nnahw_cmd_keypoint *)c.raw)->tolerance = 1e-5f;
	call_operand(&c, &r, 0, NNAHW_TYPE_F32, 2, (uint32_t[]){ n, channels }, spread());
	call_operand(&c, &r, 1, NNAHW_TYPE_F32, 3, (uint32_t[]){ n, channels, 2 }, spread());
	call_operand(&c, &r, 2, NNAHW_TYPE_F32, 4, (uint32_t[]){ n, height, width, channels },
		     spread());
	call_operand(&c, &r, 3, NNAHW_TYPE_F32, 2, (uint32_t[]){ n, 4 }, spread());
}

static void set(uint32_t operand, const uint32_t *index, float x)
{
	*(float *)element(&c.cmd.operands[operand], index) = x;
}

/* The top of a paraboloid is found wherever it is, but at the edge. */
static void test_keypoint(void **state)
{
	r.state = 44;
	for (int i = 0; i < 300; i++) {
		uint32_t n = (uint32_t)rng_range(&r, 1, 3), h = (uint32_t)rng_range(&r, 5, 9),
			 w = (uint32_t)rng_range(&r, 5, 9);
		uint32_t channels = (uint32_t)rng_range(&r, 1, 4), index[4] = { 0 };
		float top[3][4][2];

		keypoint_init(n, h, w, channels);
		for (uint32_t k = 0; k < n * channels; k++) {
			top[k / channels][k % channels][0] = rng_float(&r, 1, (float)w - 2);
			top[k / channels][k % channels][1] = rng_float(&r, 1, (float)h - 2);
		}
		do {
			const float *t = top[index[0]][index[3]], x = (float)index[2] - t[0],
				    y = (float)index[1] - t[1];

			set(2, index, 3 + (float)index[3] - x * x - 0.5f * y * y - 0.25f * x * y);
		} while (next_index(&c.cmd.operands[2].desc, index));
		for (uint32_t k = 0; k < n; k++)
			for (uint32_t j = 0; j < 4; j++)
				set(3, (uint32_t[]){ k, j },
				    j < 2 ? 10.f * (float)k : 10.f * (float)k + 50);
		assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_OK);
		for (uint32_t k = 0; k < n; k++)
			for (uint32_t j = 0; j < channels; j++) {
				const float *t = top[k][j];

				assert_true(fabs(number(&c.cmd.operands[0], (uint32_t[]){ k, j }) -
						 3 - j) < 1e-4);
				assert_true(
					fabs(number(&c.cmd.operands[1], (uint32_t[]){ k, j, 0 }) -
					     (10 * k + 50 * (t[0] + 0.5) / w)) < 1e-3);
				assert_true(
					fabs(number(&c.cmd.operands[1], (uint32_t[]){ k, j, 1 }) -
					     (10 * k + 50 * (t[1] + 0.5) / h)) < 1e-3);
			}
		call_free(&c);
	}
}

static void test_keypoint_flat(void **state)
{
	uint32_t index[4] = { 0 };

	keypoint_init(1, 4, 8, 1);
	do {
		set(2, index, index[2] == 6 && index[1] == 2 ? NAN : 2);
	} while (next_index(&c.cmd.operands[2].desc, index));
	for (uint32_t j = 0; j < 4; j++)
		set(3, (uint32_t[]){ 0, j }, j < 2 ? 1.f : 9.f);
	assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_OK);
	assert_true(number(&c.cmd.operands[0], (uint32_t[]){ 0, 0 }) == 2);
	assert_true(number(&c.cmd.operands[1], (uint32_t[]){ 0, 0, 0 }) == 1.5);
	assert_true(number(&c.cmd.operands[1], (uint32_t[]){ 0, 0, 1 }) == 2);
	set(3, (uint32_t[]){ 0, 3 }, 0.5f);
	assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_BAD_INDEX);
	set(3, (uint32_t[]){ 0, 3 }, NAN);
	assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_BAD_INDEX);
	call_free(&c);
	keypoint_init(1, 1, 4, 1);
	assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_BAD_SHAPE);
	call_free(&c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_norm16),
		cmocka_unit_test(test_norm16_exact),
		cmocka_unit_test(test_topk),
		cmocka_unit_test(test_lsh),
		cmocka_unit_test(test_lsh_items),
		cmocka_unit_test(test_multinomial_generator),
		cmocka_unit_test(test_multinomial_distribution),
		cmocka_unit_test(test_multinomial_entropy),
		cmocka_unit_test(test_keypoint),
		cmocka_unit_test(test_keypoint_flat),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
