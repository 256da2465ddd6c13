// SPDX-License-Identifier: MIT
/* CONV on 8-bit types with vectors. MATMUL and operands that are not dense are in ref/. */
#define LEAST_VECTOR FIRST_NATIVE
#include "tests/unit/device/nna/engine/vector/conv.h"

static void test_sums(void **state)
{
	compare_convs(false, (const uint8_t[]){ NNAHW_TYPE_U8, NNAHW_TYPE_S8 });
}

static void test_roundings(void **state)
{
	compare_all_roundings(false);
}

/* Every instruction set has a kernel of its own for the command, which does what the others do. */
static void compare_kernels(const char *what)
{
	assert_true(compare_all(what));
	for_each_isa(isa, LEAST_VECTOR)
		assert_true(kernels_differ(isa, nnadev_engine_isa_below(isa)));
}

/* A product of any sizes, in blocks and channels that are not all in use, with any epilogue. */
static void product(uint32_t type, uint32_t out)
{
	const uint32_t rows = (uint32_t)rng_range(&r, 1, 20),
		       k = (uint32_t)rng_range(&r, 1, rng_next(&r) % 8 ? 40 : 300),
		       n = (uint32_t)rng_range(&r, 1, 150), blocks = (n + 15) / 16;
	const bool wide = out == NNAHW_TYPE_S16, sums = out == NNAHW_TYPE_F32;
	const int32_t low = type == NNAHW_TYPE_S8 ? -128 : 0;
	const bool residual = !sums && rng_next(&r) & 1;
	struct nnahw_cmd_conv *p = (struct nnahw_cmd_conv *)c.raw;
	struct nnahw_channel *ch;
	char what[80];

	call_init(&c, NNAHW_OP_CONV, sizeof(*p), 6);
	call_operand(&c, &r, NNAHW_CONV_OUTPUT, out, 4, (uint32_t[]){ 1, 1, rows, n }, 0);
	call_operand(&c, &r, NNAHW_CONV_INPUT, type, 4, (uint32_t[]){ 1, 1, rows, k }, 0);
	call_operand(&c, &r, NNAHW_CONV_WEIGHTS, NNAHW_TYPE_S8, 4,
		     (uint32_t[]){ blocks, (k + 3) / 4, 16, 4 }, 0);
	ch = call_operand(&c, &r, NNAHW_CONV_CHANNELS, NNAHW_TYPE_S32, 2, (uint32_t[]){ n, 4 }, 0)
		     ->data;
	for (uint32_t i = 0; i < n; i++)
		ch[i] = (struct nnahw_channel){ .bias = (int32_t)rng_range(&r, -50000, 50000),
						.multiplier = (int32_t)rng_range(&r, 1 << 30,
										 INT32_MAX),
						.shift = (int32_t)rng_range(&r, wide ? 31 : 36,
										wide ? 40 : 46),
						.weight_sum = (int32_t)rng_next(&r) };
	p->layout = NNAHW_LAYOUT_PACKED8;
	p->groups = p->kernel_h = p->kernel_w = 1;
	p->stride_h = p->stride_w = p->dilation_h = p->dilation_w = 1;
	random_epilogue(&p->epilogue, &r, !sums, residual, type == NNAHW_TYPE_S8);
	if (wide)
		widen_epilogue(&p->epilogue, &r, residual);
	if (residual) {
		call_operand(&c, &r, NNAHW_CONV_RESIDUAL, out, 4, (uint32_t[]){ 1, 1, rows, n },
			     0);
		operand_quantise(&c.cmd.operands[NNAHW_CONV_RESIDUAL], 0.5f,
				 (int32_t)rng_range(&r, low, low + 255));
		/* Half of each number: every other sum is a half, to be rounded away from 0. */
		if (!wide && !p->epilogue.staged && rng_next(&r) & 1) {
			p->epilogue.add_shift = 24;
			p->epilogue.own_scale = p->epilogue.residual_scale = 1 << 23;
		}
	}
	for (uint32_t i = sums ? 1 : 0; i < 3; i++)
		operand_quantise(&c.cmd.operands[i], 0.5f,
				 i == 2 ? (int32_t)rng_range(&r, -128, 127)
					: (int32_t)rng_range(&r, low, low + 255));
	if (!residual && !sums)
		c.cmd.operands[0].desc.zero_point = p->epilogue.zero_point;
	snprintf(what, sizeof(what), "%u x %u x %u of type %u%s", rows, k, n, out,
		 !residual	    ? "" :
		 p->epilogue.staged ? ", staged sum" :
				      ", sum");
	compare_kernels(what);
	call_free(&c);
}

static void test_products(void **state)
{
	if (nnadev_engine_isa_detect() < LEAST_VECTOR)
		skip();
	r.state = 55;
	for (uint32_t i = 0; i < shapes(150); i++) {
		const uint32_t type = i & 1 ? NNAHW_TYPE_U8 : NNAHW_TYPE_S8;

		product(type, type);
	}
}

/* Sums of 16 bits: the gates of an LSTM. */
static void test_wide_products(void **state)
{
	if (nnadev_engine_isa_detect() < LEAST_VECTOR)
		skip();
	r.state = 58;
	for (uint32_t i = 0; i < shapes(150); i++)
		product(i & 1 ? NNAHW_TYPE_U8 : NNAHW_TYPE_S8, NNAHW_TYPE_S16);
}

/* Sums as F32: hybrid layers. */
static void test_sum_products(void **state)
{
	if (nnadev_engine_isa_detect() < LEAST_VECTOR)
		skip();
	r.state = 59;
	for (uint32_t i = 0; i < shapes(150); i++)
		product(i & 1 ? NNAHW_TYPE_U8 : NNAHW_TYPE_S8, NNAHW_TYPE_F32);
}

/*
 * A window of a few bytes to some hundred, in groups, with any strides, gaps and padding, so also
 * one that lies in the padding alone; and one of which rows lie in the input, of some images, with
 * gaps between them or, if they are @dense, without.
 */
static void window(uint32_t type, bool in_place, bool dense)
{
	const uint32_t groups = (uint32_t)rng_range(&r, 1, rng_next(&r) % 4 ? 1 : 3),
		       in = dense    ? 4 * (uint32_t)rng_range(&r, 1, 5) :
			    in_place ? 4 * (uint32_t)rng_range(&r, 1, 40) :
				       (uint32_t)rng_range(&r, 1, rng_next(&r) % 4 ? 8 : 40),
		       n = (uint32_t)rng_range(&r, 1, 70), blocks = (n + 15) / 16,
		       height = (uint32_t)rng_range(&r, 1, 12),
		       width = (uint32_t)rng_range(&r, 1, 12);
	const int32_t low = type == NNAHW_TYPE_S8 ? -128 : 0;
	const bool residual = rng_next(&r) % 4 == 0;
	struct nnahw_cmd_conv *p = (struct nnahw_cmd_conv *)c.raw;
	uint32_t k, out_h, out_w;
	struct nnahw_channel *ch;
	char what[120];

	call_init(&c, NNAHW_OP_CONV, sizeof(*p), 6);
	p->layout = NNAHW_LAYOUT_PACKED8;
	p->groups = groups;
	p->kernel_h = in_place ? 1 : (uint32_t)rng_range(&r, 1, 4);
	p->kernel_w = in_place ? 1 : (uint32_t)rng_range(&r, 1, 4);
	p->stride_h = dense ? 1 : (uint32_t)rng_range(&r, 1, 3);
	p->stride_w = dense ? 1 : (uint32_t)rng_range(&r, 1, 3);
	p->dilation_h = rng_next(&r) % 4 ? 1 : 2;
	p->dilation_w = rng_next(&r) % 4 ? 1 : 2;
	p->pad_top = in_place ? 0 : (uint32_t)rng_range(&r, 0, 5);
	p->pad_left = in_place ? 0 : (uint32_t)rng_range(&r, 0, 5);
	out_h = (height - 1) / p->stride_h + 1 + (in_place ? 0 : (uint32_t)rng_range(&r, 0, 3));
	out_w = (width - 1) / p->stride_w + 1 + (in_place ? 0 : (uint32_t)rng_range(&r, 0, 3));
	k = p->kernel_h * p->kernel_w * in;
	call_operand(&c, &r, NNAHW_CONV_OUTPUT, type, 4,
		     (uint32_t[]){ 2, out_h, out_w, groups * n }, 0);
	call_operand(&c, &r, NNAHW_CONV_INPUT, type, 4,
		     (uint32_t[]){ 2, height, width, groups * in }, 0);
	call_operand(&c, &r, NNAHW_CONV_WEIGHTS, NNAHW_TYPE_S8, 4,
		     (uint32_t[]){ groups * blocks, (k + 3) / 4, 16, 4 }, 0);
	ch = call_operand(&c, &r, NNAHW_CONV_CHANNELS, NNAHW_TYPE_S32, 2,
			  (uint32_t[]){ groups * n, 4 }, 0)
		     ->data;
	for (uint32_t i = 0; i < groups * n; i++)
		ch[i] = (struct nnahw_channel){ .bias = (int32_t)rng_range(&r, -50000, 50000),
						.multiplier = (int32_t)rng_range(&r, 1 << 30,
										 INT32_MAX),
						.shift = (int32_t)rng_range(&r, 36, 44),
						.weight_sum = (int32_t)rng_next(&r) };
	random_epilogue(&p->epilogue, &r, 1, residual, type == NNAHW_TYPE_S8);
	if (residual) {
		call_operand(&c, &r, NNAHW_CONV_RESIDUAL, type, 4,
			     (uint32_t[]){ 2, out_h, out_w, groups * n }, 0);
		operand_quantise(&c.cmd.operands[NNAHW_CONV_RESIDUAL], 0.5f,
				 (int32_t)rng_range(&r, low, low + 255));
	}
	for (uint32_t i = 0; i < 3; i++)
		operand_quantise(&c.cmd.operands[i], 0.5f,
				 i == 2 ? rng_next(&r) & 1 ? (int32_t)rng_range(&r, -128, 127) : 0
					: (int32_t)rng_range(&r, low, low + 255));
	if (!residual)
		c.cmd.operands[0].desc.zero_point = p->epilogue.zero_point;
	snprintf(what, sizeof(what), "%u x %u x %u in %u groups, %u x %u, to %u, of type %u",
		 height, width, in, groups, p->kernel_h, p->kernel_w, n, type);
	compare_kernels(what);
	call_free(&c);
}

static void test_windows(void **state)
{
	if (nnadev_engine_isa_detect() < LEAST_VECTOR)
		skip();
	r.state = 56;
	for (uint32_t i = 0; i < shapes(400); i++)
		window(i & 1 ? NNAHW_TYPE_U8 : NNAHW_TYPE_S8, i % 4 > 1, false);
}

static void test_dense_rows(void **state)
{
	if (nnadev_engine_isa_detect() < LEAST_VECTOR)
		skip();
	r.state = 57;
	for (uint32_t i = 0; i < shapes(200); i++)
		window(i & 1 ? NNAHW_TYPE_U8 : NNAHW_TYPE_S8, true, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_roundings),
		cmocka_unit_test(test_products),
		cmocka_unit_test(test_wide_products),
		cmocka_unit_test(test_sum_products),
		cmocka_unit_test(test_windows),
		cmocka_unit_test(test_dense_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
