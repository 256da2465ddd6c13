// SPDX-License-Identifier: MIT
/* DWCONV on 8-bit types with AVX-512. Epilogues and operands that are not dense are in ref/. */
#define LEAST_VECTOR FIRST_NATIVE
#include "tests/unit/device/nna/engine/vector/conv.h"

/* Weights around where one byte does not hold them, or far from there. */
static void fill_weights(int32_t zero_point, bool wide)
{
	const int32_t low = zero_point < -64 ? -128 : zero_point - 64,
		      high = zero_point > 63 ? 127 : zero_point + 64;
	int8_t *weights = c.buffers[NNAHW_CONV_WEIGHTS];

	for (size_t i = 0; i < c.sizes[NNAHW_CONV_WEIGHTS]; i++)
		if (!wide || rng_next(&r) % 8)
			weights[i] = (int8_t)rng_range(&r, low, high);
}

static void depthwise(uint32_t type, bool wide)
{
	const uint32_t n = (uint32_t)rng_range(&r, 1, 150), blocks = (n + 15) / 16;
	const bool three = rng_next(&r) & 1;
	const uint32_t kh = three ? 3 : (uint32_t)rng_range(&r, 1, 6),
		       kw = three ? 3 : (uint32_t)rng_range(&r, 1, 5),
		       stride_h = (uint32_t)rng_range(&r, 1, 3),
		       stride_w = (uint32_t)rng_range(&r, 1, 3),
		       dilation_h = (uint32_t)rng_range(&r, 1, 3),
		       dilation_w = (uint32_t)rng_range(&r, 1, 3);
	const uint32_t h = (uint32_t)rng_range(&r, 1, 12),
		       w = (uint32_t)rng_range(&r, 1, rng_next(&r) % 4 ? 12 : 300),
		       in_h = (h - 1) * stride_h + (kh - 1) * dilation_h + 1,
		       in_w = (w - 1) * stride_w + (kw - 1) * dilation_w + 1;
	const uint32_t top = (uint32_t)rng_range(&r, 0, in_h - 1),
		       left = (uint32_t)rng_range(&r, 0, in_w - 1);
	const int32_t low = type == NNAHW_TYPE_S8 ? -128 : 0,
		      weight_zero = (int32_t)rng_range(&r, -127, 127);
	struct nnahw_cmd_conv *p = (struct nnahw_cmd_conv *)c.raw;
	struct nnahw_channel *ch;
	char what[120];

	call_init(&c, NNAHW_OP_DWCONV, sizeof(*p), 6);
	call_operand(&c, &r, NNAHW_CONV_OUTPUT, type, 4, (uint32_t[]){ 2, h, w, n }, 0);
	call_operand(&c, &r, NNAHW_CONV_INPUT, type, 4,
		     (uint32_t[]){ 2, in_h - top, in_w - left, n }, 0);
	call_operand(&c, &r, NNAHW_CONV_WEIGHTS, NNAHW_TYPE_S8, 3,
		     (uint32_t[]){ blocks, kh * kw, 16 }, 0);
	fill_weights(weight_zero, wide);
	ch = call_operand(&c, &r, NNAHW_CONV_CHANNELS, NNAHW_TYPE_S32, 2, (uint32_t[]){ n, 4 }, 0)
		     ->data;
	for (uint32_t i = 0; i < n; i++)
		ch[i] = (struct nnahw_channel){ .bias = (int32_t)rng_range(&r, -5000, 5000),
						.multiplier =
							(int32_t)rng_range(&r, 1 << 30, INT32_MAX),
						.shift = (int32_t)rng_range(&r, 31, 44) };
	/* A channel that the estimate does not take. */
	if (rng_next(&r) % 4 == 0)
		ch[rng_next(&r) % n] = (struct nnahw_channel){
			.multiplier = (int32_t)rng_next(&r),
			.shift = (int32_t)rng_range(&r, -3, 70),
		};
	p->layout = NNAHW_LAYOUT_PACKED8;
	p->groups = 1;
	p->kernel_h = kh;
	p->kernel_w = kw;
	p->stride_h = stride_h;
	p->stride_w = stride_w;
	p->dilation_h = dilation_h;
	p->dilation_w = dilation_w;
	p->pad_top = top;
	p->pad_left = left;
	p->epilogue.clamp_min = -INFINITY;
	p->epilogue.clamp_max = INFINITY;
	for (uint32_t i = 0; i < 3; i++)
		operand_quantise(&c.cmd.operands[i], 0.5f,
				 i == 2 ? weight_zero : (int32_t)rng_range(&r, low, low + 255));
	/* Any limits, and those of a rectifier. */
	random_epilogue(&p->epilogue, &r, 1, 0, type == NNAHW_TYPE_S8);
	p->epilogue.zero_point = c.cmd.operands[0].desc.zero_point;
	if (rng_next(&r) & 1) {
		p->epilogue.q_min = p->epilogue.zero_point;
		p->epilogue.q_max = low + 255;
	}
	snprintf(what, sizeof(what),
		 "%ux%ux%u of type %u, kernel %ux%u, stride %ux%u, dilation %ux%u", h, w, n, type,
		 kh, kw, stride_h, stride_w, dilation_h, dilation_w);
	assert_true(compare_all(what));
	assert_true(kernels_differ(NNADEV_ENGINE_AVX512, NNADEV_ENGINE_AVX2));
	call_free(&c);
}

static void test_shapes(void **state)
{
	if (nnadev_engine_isa_detect() < NNADEV_ENGINE_AVX512)
		skip();
	r.state = 56;
	for (uint32_t i = 0; i < shapes(400); i++)
		depthwise(i & 1 ? NNAHW_TYPE_U8 : NNAHW_TYPE_S8, i & 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shapes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
