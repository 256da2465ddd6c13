// SPDX-License-Identifier: MIT
/*
 * Which vector kernels are taken, and that they equal the scalar ones where the tests of commands
 * (ref/) do not look: special numbers, sizes beyond a block.
 */
#include "tests/unit/device/engine/engine.h"

static struct call c; /* the command under test */
static struct rng r;

static int is_float(uint32_t type)
{
	return type == NNAHW_TYPE_F16 || type == NNAHW_TYPE_F32;
}

/* Numbers at the ends of what floats can be, and any bits. */
static void special_floats(uint32_t i)
{
	static const float edges[] = { 0,	  -0.f,	   1,	      -1,	  INFINITY,
				       -INFINITY, NAN,	   0x1p-149f, -0x1p-130f, 0x1p-126f,
				       3e38f,	  -3e38f,  0x1p-24f,  65504,	  65520,
				       88.8f,	  -88.8f,  0.5f,      -0.5f,	  2.5f,
				       1e-3f,	  -103.9f, 8388609,   16777216 };
	static const uint16_t halves[] = { 0,	   0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00,
					   0x7e00, 1,	   0x8001, 0x3ff,  0x400,  0x7bff };
	const uint32_t type = c.cmd.operands[i].desc.type;
	const size_t size = nnahw_type_size(type);

	for (size_t k = 0; is_float(type) && k < c.sizes[i] / size; k++) {
		uint32_t bits = (uint32_t)rng_next(&r);
		float x = rng_next(&r) & 1 ? edges[bits % (sizeof(edges) / sizeof(edges[0]))]
					   : rng_float(&r, -100, 100);

		if (rng_next(&r) % 8 == 0)
			continue; /* the random bytes it has */
		if (type == NNAHW_TYPE_F32)
			((float *)c.buffers[i])[k] = x;
		else
			((uint16_t *)c.buffers[i])[k] =
				halves[bits % (sizeof(halves) / sizeof(halves[0]))];
	}
}

/* Which kernel is taken. Return: true when it is not the scalar one. */
static bool is_vector(enum nnadev_engine_isa isa)
{
	struct nnadev_engine_plan scalar, plan;

	call_finish(&c);
	assert_int_equal(nnadev_engine_prepare(NNADEV_ENGINE_SCALAR, 2, &c.cmd, &scalar),
			 NNAHW_STATUS_OK);
	assert_int_equal(nnadev_engine_prepare(isa, 2, &c.cmd, &plan), NNAHW_STATUS_OK);
	return plan.run != scalar.run;
}

/* The same number, or no number in both; a zero of either sign. */
static bool same_number(const struct nnadev_engine_operand *o, const void *a, const void *b,
			size_t k)
{
	const size_t size = nnahw_type_size(o->desc.type);
	double x, y;

	if (!is_float(o->desc.type))
		return !memcmp((const uint8_t *)a + k * size, (const uint8_t *)b + k * size, size);
	x = size == 4 ? (double)((const float *)a)[k] : half_to_double(((const uint16_t *)a)[k]);
	y = size == 4 ? (double)((const float *)b)[k] : half_to_double(((const uint16_t *)b)[k]);
	return x == y || (isnan(x) && isnan(y));
}

/*
 * Runs the command with every kernel set; the output, which is dense, must be the same. Return:
 * vector kernels taken.
 */
static uint32_t compare_all(const char *what)
{
	const struct nnadev_engine_operand *out = &c.cmd.operands[0];
	const size_t size = nnahw_type_size(out->desc.type);
	void *scalar = malloc(c.sizes[0] + 1);
	uint32_t taken = 0;

	assert_int_equal(call_run(&c, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_OK);
	memcpy(scalar, c.buffers[0], c.sizes[0]);
	for (enum nnadev_engine_isa isa = NNADEV_ENGINE_AVX2; isa <= nnadev_engine_isa_detect();
	     isa++) {
		memset(c.buffers[0], 0x5a, c.sizes[0]);
		assert_int_equal(call_run(&c, &r, isa), NNAHW_STATUS_OK);
		taken += is_vector(isa);
		for (size_t k = 0; k < c.sizes[0] / size; k++) {
			if (!same_number(out, scalar, c.buffers[0], k))
				fail_msg("%s, isa %d: element %zu of %zu is 0x%x, not 0x%x", what,
					 isa, k, c.sizes[0] / size,
					 size == 4   ? ((uint32_t *)c.buffers[0])[k]
					 : size == 2 ? ((uint16_t *)c.buffers[0])[k]
						     : ((uint8_t *)c.buffers[0])[k],
					 size == 4   ? ((uint32_t *)scalar)[k]
					 : size == 2 ? ((uint16_t *)scalar)[k]
						     : ((uint8_t *)scalar)[k]);
		}
	}
	free(scalar);
	return taken;
}

static uint32_t inputs_of(uint32_t op)
{
	call_init(&c, NNAHW_OP_EWISE, sizeof(struct nnahw_cmd_ewise), 4);
	((struct nnahw_cmd_ewise *)c.raw)->op = (uint8_t)op;
	/* The engine says how many by what it refuses. */
	for (uint32_t n = 1; n <= 3; n++) {
		struct nnadev_engine_plan plan;
		uint32_t one = 8;

		call_operand(&c, &r, 0, NNAHW_TYPE_F32, 1, &one, 0);
		call_operand(&c, &r, n, NNAHW_TYPE_F32, 1, &one, 0);
		call_finish(&c);
		if (nnadev_engine_prepare(NNADEV_ENGINE_SCALAR, 1, &c.cmd, &plan) ==
		    NNAHW_STATUS_OK) {
			call_free(&c);
			return n;
		}
	}
	fail_msg("operation %u takes no number of inputs", op);
	return 0;
}

/*
 * Element-wise functions of numbers that are no ordinary ones: no arithmetic is reordered, so all
 * are the same.
 */
static void test_ewise_special(void **state)
{
	uint32_t taken = 0;

	r.state = 51;
	for (uint32_t i = 0; i < 60 * (NNAHW_EWISE_MUL_ADD + 1); i++) {
		struct nnahw_cmd_ewise *p = (struct nnahw_cmd_ewise *)c.raw;
		uint32_t op = i % (NNAHW_EWISE_MUL_ADD + 1), inputs = inputs_of(op),
			 type = NNAHW_TYPE_F16 + (i / 64 & 1);
		uint32_t dims[2] = { (uint32_t)rng_range(&r, 1, 3),
				     (uint32_t)rng_range(&r, 1, 700) };
		char what[64];

		call_init(&c, NNAHW_OP_EWISE, sizeof(*p), 4);
		p->op = (uint8_t)op;
		p->clamp_min = rng_next(&r) & 1 ? -INFINITY : 0;
		p->clamp_max = rng_next(&r) & 1 ? INFINITY : 6;
		p->p0 = rng_float(&r, 0, 2);
		call_operand(&c, &r, 0, type, 2, dims, 0);
		for (uint32_t k = 1; k <= inputs; k++) {
			call_operand(&c, &r, k, type, 2, dims, 0);
			special_floats(k);
		}
		snprintf(what, sizeof(what), "EWISE %u of type %u", op, type);
		taken += compare_all(what);
		call_free(&c);
	}
	if (nnadev_engine_isa_detect() > NNADEV_ENGINE_SCALAR)
		assert_true(taken > 1000);
}

/* Pooling of such numbers: sums run in the order of the window in all kernels. */
static void test_pool_special(void **state)
{
	uint32_t taken = 0;

	r.state = 52;
	for (uint32_t i = 0; i < 600; i++) {
		struct nnahw_cmd_pool *p = (struct nnahw_cmd_pool *)c.raw;
		uint32_t type = NNAHW_TYPE_F16 + (i & 1), h = (uint32_t)rng_range(&r, 3, 12),
			 w = (uint32_t)rng_range(&r, 3, 12);
		uint32_t ch = (uint32_t)rng_range(&r, 1, 70);
		char what[64];

		call_init(&c, NNAHW_OP_POOL, sizeof(*p), 2);
		p->kind = (uint8_t)rng_range(&r, 0, 2);
		p->kernel_h = (uint32_t)rng_range(&r, 1, 3);
		p->kernel_w = (uint32_t)rng_range(&r, 1, 3);
		p->stride_h = p->stride_w = 1;
		p->pad_top = (uint32_t)rng_range(&r, 0, p->kernel_h - 1);
		p->pad_left = (uint32_t)rng_range(&r, 0, p->kernel_w - 1);
		p->clamp_min = rng_next(&r) & 1 ? -INFINITY : 0;
		p->clamp_max = rng_next(&r) & 1 ? INFINITY : 6;
		call_operand(&c, &r, 0, type, 4, (uint32_t[]){ 1, h, w, ch }, 0);
		call_operand(&c, &r, 1, type, 4, (uint32_t[]){ 1, h, w, ch }, 0);
		special_floats(1);
		snprintf(what, sizeof(what), "POOL %u of type %u", p->kind, type);
		taken += compare_all(what);
		call_free(&c);
	}
	if (nnadev_engine_isa_detect() > NNADEV_ENGINE_SCALAR)
		assert_true(taken > 200);
}

/* Resizing of such numbers, and of all others; each result is made in one order by all kernels. */
static void test_resize(void **state)
{
	static const uint8_t types[] = { NNAHW_TYPE_U8, NNAHW_TYPE_S8, NNAHW_TYPE_F16,
					 NNAHW_TYPE_F32 };
	uint32_t taken = 0;

	r.state = 55;
	for (uint32_t i = 0; i < 800; i++) {
		struct nnahw_cmd_resize *p = (struct nnahw_cmd_resize *)c.raw;
		const uint32_t type = types[i % 4], channels = (uint32_t)rng_range(&r, 1, 40),
			       images = (uint32_t)rng_range(&r, 1, 2);
		const uint32_t in[2] = { (uint32_t)rng_range(&r, 1, 30),
					 (uint32_t)rng_range(&r, 1, 30) };
		const uint32_t out[2] = { (uint32_t)rng_range(&r, 1, 90),
					  (uint32_t)rng_range(&r, 1, 90) };
		char what[64];

		call_init(&c, NNAHW_OP_RESIZE, sizeof(*p), 2);
		p->kind = (uint8_t)(i / 4 & 1);
		p->align_corners = rng_next(&r) & 1;
		p->half_pixel_centers = rng_next(&r) & 1;
		p->scale_h = (float)in[0] / (float)out[0];
		/* Whatever it says, nothing beyond the input is read. */
		p->scale_w = rng_next(&r) % 4 ? (float)in[1] / (float)out[1]
					      : rng_float(&r, -10, 1e9f);
		call_operand(&c, &r, 0, type, 4, (uint32_t[]){ images, out[0], out[1], channels },
			     0);
		call_operand(&c, &r, 1, type, 4, (uint32_t[]){ images, in[0], in[1], channels }, 0);
		special_floats(1);
		snprintf(what, sizeof(what), "RESIZE %u of type %u, %u channels", p->kind, type,
			 channels);
		taken += compare_all(what);
		call_free(&c);
	}
	if (nnadev_engine_isa_detect() > NNADEV_ENGINE_SCALAR)
		assert_true(taken > 700);
}

/* The first of the largest and smallest: of few numbers, so that there are many as good. */
static void test_arg(void **state)
{
	uint32_t taken = 0;

	r.state = 56;
	for (uint32_t i = 0; i < 600; i++) {
		struct nnahw_cmd_arg *p = (struct nnahw_cmd_arg *)c.raw;
		const uint32_t type = i & 1 ? NNAHW_TYPE_U8 : NNAHW_TYPE_S8,
			       spread = i % 3 ? 255 : 3, rows = (uint32_t)rng_range(&r, 1, 50),
			       length = (uint32_t)rng_range(&r, 1, i % 8 ? 40 : 400);
		char what[64];

		call_init(&c, NNAHW_OP_ARG, sizeof(*p), 2);
		p->axis = 2;
		p->minimum = rng_next(&r) & 1;
		call_operand(&c, &r, 0, i & 2 ? NNAHW_TYPE_S32 : NNAHW_TYPE_S64, 3,
			     (uint32_t[]){ 2, rows, 1 }, 0);
		call_operand(&c, &r, 1, type, 3, (uint32_t[]){ 2, rows, length }, 0);
		for (size_t k = 0; k < c.sizes[1]; k++)
			((uint8_t *)c.buffers[1])[k] &= spread;
		snprintf(what, sizeof(what), "ARG of type %u, %u of %u", type, p->minimum, length);
		taken += compare_all(what);
		call_free(&c);
	}
	if (nnadev_engine_isa_detect() > NNADEV_ENGINE_SCALAR)
		assert_true(taken > 500);
}

/* Integers in sizes beyond every block, with tails: copies, fills, tables, quantised sums. */
static void test_large(void **state)
{
	static const struct {
		uint16_t opcode, size;
		uint8_t operands, inputs, op;
	} commands[] = {
		{ NNAHW_OP_COPY, sizeof(struct nnahw_cmd_copy), 2, 1, 0 },
		{ NNAHW_OP_FILL, sizeof(struct nnahw_cmd_fill), 1, 0, 0 },
		{ NNAHW_OP_EWISE, sizeof(struct nnahw_cmd_ewise), 4, 1, NNAHW_EWISE_LOGISTIC },
		{ NNAHW_OP_EWISE, sizeof(struct nnahw_cmd_ewise), 4, 2, NNAHW_EWISE_ADD },
		{ NNAHW_OP_EWISE, sizeof(struct nnahw_cmd_ewise), 4, 2, NNAHW_EWISE_MUL },
	};
	uint32_t taken[5] = { 0 };

	r.state = 53;
	for (uint32_t i = 0; i < 150; i++) {
		const uint32_t which = i % 5, type = NNAHW_TYPE_U8 + (i / 5 & 1);
		const int32_t low = type == NNAHW_TYPE_S8 ? -128 : 0;
		uint32_t dims[2] = { (uint32_t)rng_range(&r, 1, 40),
				     (uint32_t)rng_range(&r, 500, 5000) };
		char what[64];

		call_init(&c, commands[which].opcode, commands[which].size,
			  commands[which].operands);
		for (uint32_t k = 0; k <= commands[which].inputs; k++) {
			call_operand(&c, &r, k, type, 2, dims, 0);
			operand_quantise(&c.cmd.operands[k], 0.05f,
					 (int32_t)rng_range(&r, low, low + 255));
		}
		if (commands[which].opcode == NNAHW_OP_FILL)
			((struct nnahw_cmd_fill *)c.raw)->value = rng_next(&r);
		if (commands[which].opcode == NNAHW_OP_EWISE) {
			struct nnahw_cmd_ewise *p = (struct nnahw_cmd_ewise *)c.raw;

			p->op = commands[which].op;
			p->shift = 30;
			p->a_scale = p->op == NNAHW_EWISE_LOGISTIC
					       ? 0
					       : (int32_t)rng_range(&r, 1, 1 << 30);
			p->b_scale = (int32_t)rng_range(&r, 1, 1 << 30);
			p->q_min = low;
			p->q_max = low + 255;
		}
		snprintf(what, sizeof(what), "command %u of type %u", which, type);
		taken[which] += compare_all(what);
		call_free(&c);
	}
	for (uint32_t k = 0; k < 5 && nnadev_engine_isa_detect() > NNADEV_ENGINE_SCALAR; k++)
		assert_true(taken[k] > 10);
}

/*
 * Convolutions and products of every type take a vector kernel when operands are dense and weights
 * packed; results are those of the scalar kernel to the bit where they are integers.
 */
static void test_sums(void **state)
{
	uint32_t taken[2][4] = { { 0 } };

	r.state = 54;
	for (uint32_t i = 0; i < 200; i++) {
		static const uint8_t types[] = { NNAHW_TYPE_U8, NNAHW_TYPE_S8, NNAHW_TYPE_F16,
						 NNAHW_TYPE_F32 };
		struct nnahw_cmd_conv *p = (struct nnahw_cmd_conv *)c.raw;
		const uint32_t depthwise = i & 1, type = types[i / 2 % 4],
			       blocks = (uint32_t)rng_range(&r, 1, 5);
		const uint32_t in = depthwise ? blocks * 16 : (uint32_t)rng_range(&r, 1, 90),
			       out = blocks * 16;
		const uint32_t kernel = (uint32_t)rng_range(&r, 1, 3),
			       k = kernel * kernel * (depthwise ? 1 : in);
		const uint32_t h = (uint32_t)rng_range(&r, 3, 20),
			       w = (uint32_t)rng_range(&r, 3, 20);
		const bool quantised = !is_float(type);
		const int32_t low = type == NNAHW_TYPE_S8 ? -128 : 0;
		char what[80];

		call_init(&c, depthwise ? NNAHW_OP_DWCONV : NNAHW_OP_CONV, sizeof(*p), 6);
		call_operand(&c, &r, NNAHW_CONV_OUTPUT, type, 4, (uint32_t[]){ 1, h, w, out }, 0);
		call_operand(&c, &r, NNAHW_CONV_INPUT, type, 4, (uint32_t[]){ 1, h, w, in }, 0);
		if (!quantised || depthwise)
			call_operand(&c, &r, NNAHW_CONV_WEIGHTS, quantised ? NNAHW_TYPE_S8 : type,
				     3, (uint32_t[]){ blocks, k, 16 }, 0);
		else
			call_operand(&c, &r, NNAHW_CONV_WEIGHTS, NNAHW_TYPE_S8, 4,
				     (uint32_t[]){ blocks, (k + 3) / 4, 16, 4 }, 0);
		operand_floats(&c, &r, NNAHW_CONV_INPUT, -2, 2);
		operand_floats(&c, &r, NNAHW_CONV_WEIGHTS, -2, 2);
		p->layout = quantised ? NNAHW_LAYOUT_PACKED8 : NNAHW_LAYOUT_PACKED_FLOAT;
		p->groups = 1;
		p->kernel_h = p->kernel_w = kernel;
		p->stride_h = p->stride_w = p->dilation_h = p->dilation_w = 1;
		p->pad_top = p->pad_left = kernel / 2;
		p->epilogue.clamp_min = -INFINITY;
		p->epilogue.clamp_max = INFINITY;
		if (quantised) {
			struct nnahw_channel *ch =
				call_operand(&c, &r, NNAHW_CONV_CHANNELS, NNAHW_TYPE_S32, 2,
					     (uint32_t[]){ out, 4 }, 0)
					->data;

			for (uint32_t n = 0; n < out; n++)
				ch[n] = (struct nnahw_channel){ (int32_t)rng_range(&r, -5000, 5000),
								(int32_t)rng_range(&r, 1 << 30,
										   INT32_MAX),
								(int32_t)rng_range(&r, 34, 44),
								(int32_t)rng_range(&r, -500, 500) };
			for (uint32_t n = 0; n < 3; n++)
				operand_quantise(&c.cmd.operands[n], 0.5f,
						 n == 2 ? 0
							: (int32_t)rng_range(&r, low, low + 255));
			p->epilogue.q_min = low;
			p->epilogue.q_max = low + 255;
			p->epilogue.zero_point = c.cmd.operands[0].desc.zero_point;
		}
		snprintf(what, sizeof(what), "%s of type %u, %u channels to %u, kernel %u",
			 depthwise ? "DWCONV" : "CONV", type, in, out, kernel);
		/* Floats may be added in another order: ref/test_conv.c allows for that. */
		if (quantised)
			taken[depthwise][i / 2 % 4] += compare_all(what);
		else
			for (enum nnadev_engine_isa isa = NNADEV_ENGINE_AVX2;
			     isa <= nnadev_engine_isa_detect(); isa++)
				taken[depthwise][i / 2 % 4] += is_vector(isa);
		call_free(&c);
	}
	for (uint32_t k = 0; k < 8 && nnadev_engine_isa_detect() > NNADEV_ENGINE_SCALAR; k++) {
		if (taken[k / 4][k % 4] < 10)
			fail_msg("%s of type %u: %u vector kernels", k / 4 ? "DWCONV" : "CONV",
				 k % 4, taken[k / 4][k % 4]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ewise_special),
		cmocka_unit_test(test_pool_special),
		cmocka_unit_test(test_resize),
		cmocka_unit_test(test_arg),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
