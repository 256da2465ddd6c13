/* SPDX-License-Identifier: MIT */
/* Convolutions, for the tests of vector kernels. */
#ifndef TEST_CONV_H
#define TEST_CONV_H

#include <math.h>

#include "device/nna/engine/element.h"
#include "tests/unit/device/nna/engine/epilogue.h"
#include "tests/unit/device/nna/engine/vector/compare.h"

/*
 * Convolutions of two types take a vector kernel when operands are dense and weights packed;
 * results are those of the scalar kernel to the bit where they are integers.
 */
static inline void compare_convs(bool depthwise, const uint8_t *types)
{
	uint32_t taken[2] = { 0 };

	r.state = 54;
	for (uint32_t i = 0; i < shapes(60); i++) {
		struct nnahw_cmd_conv *p = (struct nnahw_cmd_conv *)c.raw;
		const uint32_t type = types[i & 1], blocks = (uint32_t)rng_range(&r, 1, 5);
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
			taken[i & 1] += compare_all(what);
		else
			for_each_isa(isa, LEAST_VECTOR)
				taken[i & 1] += is_vector(isa);
		call_free(&c);
	}
	for (uint32_t k = 0; k < 2 && nnadev_engine_isa_detect() > NNADEV_ENGINE_SCALAR; k++)
		if (taken[k] < 10)
			fail_msg("%s of type %u: %u vector kernels", depthwise ? "DWCONV" : "CONV",
				 types[k], taken[k]);
}

/* Small whole numbers, sums of which are exact in any order. */
static inline void operand_whole(uint32_t i)
{
	const struct nnadev_engine_operand *o = &c.cmd.operands[i];

	for (size_t k = 0; k < c.sizes[i] / nnahw_type_size(o->desc.type); k++)
		nnadev_store_value(o, (int64_t)k, (float)rng_range(&r, -4, 4), 0, 0);
}

/* A convolution of floats of any size; of whole numbers, or of others. */
static inline void random_float_conv(bool depthwise, uint32_t type, bool whole)
{
	struct nnahw_cmd_conv *p = (struct nnahw_cmd_conv *)c.raw;
	const uint32_t n = (uint32_t)rng_range(&r, 1, 80), blocks = (n + 15) / 16,
		       in = depthwise ? n : (uint32_t)rng_range(&r, 1, 60),
		       kernel = (uint32_t)rng_range(&r, 1, depthwise ? 5 : 3),
		       k = kernel * kernel * (depthwise ? 1 : in),
		       h = (uint32_t)rng_range(&r, 1, 4), w = (uint32_t)rng_range(&r, 1, 40);

	call_init(&c, depthwise ? NNAHW_OP_DWCONV : NNAHW_OP_CONV, sizeof(*p), 6);
	call_operand(&c, &r, NNAHW_CONV_OUTPUT, type, 4, (uint32_t[]){ 1, h, w, n }, 0);
	call_operand(&c, &r, NNAHW_CONV_INPUT, type, 4, (uint32_t[]){ 1, h, w, in }, 0);
	call_operand(&c, &r, NNAHW_CONV_WEIGHTS, type, 3, (uint32_t[]){ blocks, k, 16 }, 0);
	p->layout = NNAHW_LAYOUT_PACKED_FLOAT;
	p->groups = 1;
	p->kernel_h = p->kernel_w = kernel;
	/* Windows may lie outside of the input: of that there need not be more. */
	p->stride_h = (uint32_t)rng_range(&r, 1, 3);
	p->stride_w = (uint32_t)rng_range(&r, 1, 3);
	p->dilation_h = p->dilation_w = (uint32_t)rng_range(&r, 1, 2);
	p->pad_top = p->pad_left = kernel / 2;
	p->epilogue.clamp_min = -1.5f;
	p->epilogue.clamp_max = 20;
	if (whole) {
		p->epilogue.clamp_min = -300;
		p->epilogue.clamp_max = 400;
	}
	if (rng_next(&r) & 1) {
		call_operand(&c, &r, NNAHW_CONV_BIAS, type, 1, (uint32_t[]){ n }, 0);
		whole ? operand_whole(NNAHW_CONV_BIAS) :
			operand_floats(&c, &r, NNAHW_CONV_BIAS, -2, 2);
	}
	if (rng_next(&r) & 1) {
		call_operand(&c, &r, NNAHW_CONV_RESIDUAL, type, 4, (uint32_t[]){ 1, h, w, n }, 0);
		whole ? operand_whole(NNAHW_CONV_RESIDUAL) :
			operand_floats(&c, &r, NNAHW_CONV_RESIDUAL, -2, 2);
		p->epilogue.residual_min = -INFINITY;
		p->epilogue.residual_max = 19;
	}
	for (uint32_t i = NNAHW_CONV_INPUT; i <= NNAHW_CONV_WEIGHTS; i++)
		whole ? operand_whole(i) : operand_floats(&c, &r, i, -2, 2);
}

/* Two instruction sets give the same bits, by different kernels. */
static inline void compare_bits(enum nnadev_engine_isa one, enum nnadev_engine_isa other)
{
	void *bits;

	assert_int_equal(call_run(&c, &r, one), NNAHW_STATUS_OK);
	bits = malloc(c.sizes[0]);
	memcpy(bits, c.buffers[0], c.sizes[0]);
	memset(c.buffers[0], 0x5a, c.sizes[0]);
	assert_int_equal(call_run(&c, &r, other), NNAHW_STATUS_OK);
	assert_memory_equal(bits, c.buffers[0], c.sizes[0]);
	assert_true(kernels_differ(one, other));
	free(bits);
}

/* Convolutions of floats in all sizes: all sets of vectors give the same bits. */
static inline void compare_float_convs(bool depthwise)
{
	r.state = 57;
	for (uint32_t i = 0; i < shapes(300); i++) {
		random_float_conv(depthwise, i & 1 ? NNAHW_TYPE_F16 : NNAHW_TYPE_F32, false);
		for_each_isa(isa, FIRST_NATIVE)
			compare_bits(NNADEV_ENGINE_VECTOR, isa);
		call_free(&c);
	}
}

/* Those of whole numbers have exact sums, which are those of the scalar kernel to the bit. */
static inline void compare_whole_convs(bool depthwise)
{
	r.state = 58;
	for (uint32_t i = 0; i < shapes(300); i++) {
		random_float_conv(depthwise, i & 1 ? NNAHW_TYPE_F16 : NNAHW_TYPE_F32, true);
		for_each_isa(isa, NNADEV_ENGINE_VECTOR)
			compare_bits(NNADEV_ENGINE_SCALAR, isa);
		call_free(&c);
	}
}

/* One that is rounded to fp32 down or up by almost half of a unit there; or any; or 0. */
static inline int32_t random_multiplier(void)
{
	const int32_t any = (int32_t)rng_range(&r, 1 << 30, INT32_MAX);
	const uint64_t which = rng_next(&r) % 16;

	return which == 0 ? 0 : which < 5 ? (any & ~127) + 63 : which < 9 ? (any & ~127) + 65 : any;
}

/* An accumulator near which a channel's result changes, or one of the least and greatest. */
static inline int32_t turning_point(const struct nnahw_channel *ch)
{
	const int32_t shift = ch->shift < 1 ? 1 : ch->shift > 62 ? 62 : ch->shift;
	const double at = ((double)rng_range(&r, -400, 400) + 0.5) * ldexp(1, shift) /
			  ch->multiplier;

	if (rng_next(&r) % 8 == 0)
		return rng_next(&r) & 1 ? INT32_MAX - 100 : INT32_MIN + 100;
	return at > INT32_MAX ? INT32_MAX : at < INT32_MIN ? INT32_MIN : (int32_t)at;
}

/*
 * 256 neighbouring accumulators around a point where rounding changes, for each channel, or for one
 * of 16: where a result is not proven its neighbours may be computed anew, too, and so nobody would
 * see that they are wrong. Limits and zero point at random.
 */
static inline void compare_roundings(bool depthwise, uint32_t out_type, int32_t shift, bool once)
{
	const uint32_t out = 16 * (uint32_t)rng_range(&r, 1, 5), in = depthwise ? out : 1;
	const uint32_t type = out_type == NNAHW_TYPE_S16 ? NNAHW_TYPE_S8 : out_type;
	const int32_t low = type == NNAHW_TYPE_S8 ? -128 : 0;
	const bool alone = rng_next(&r) & 1;
	struct nnahw_cmd_conv *p = (struct nnahw_cmd_conv *)c.raw;
	struct nnahw_channel *ch;
	uint32_t near = 0;
	char what[80];

	call_init(&c, depthwise ? NNAHW_OP_DWCONV : NNAHW_OP_CONV, sizeof(*p), 6);
	call_operand(&c, &r, NNAHW_CONV_OUTPUT, out_type, 4, (uint32_t[]){ 1, 16, 16, out }, 0);
	call_operand(&c, &r, NNAHW_CONV_INPUT, type, 4, (uint32_t[]){ 1, 16, 16, in }, 0);
	if (depthwise)
		call_operand(&c, &r, NNAHW_CONV_WEIGHTS, NNAHW_TYPE_S8, 3,
			     (uint32_t[]){ out / 16, 1, 16 }, 0);
	else
		call_operand(&c, &r, NNAHW_CONV_WEIGHTS, NNAHW_TYPE_S8, 4,
			     (uint32_t[]){ out / 16, 1, 16, 4 }, 0);
	ch = call_operand(&c, &r, NNAHW_CONV_CHANNELS, NNAHW_TYPE_S32, 2, (uint32_t[]){ out, 4 }, 0)
		     ->data;
	/* Weights of 1 and inputs that count: accumulators do, too. */
	memset(c.buffers[NNAHW_CONV_WEIGHTS], 1, c.sizes[NNAHW_CONV_WEIGHTS]);
	for (uint32_t i = 0; i < 256 * in; i++)
		((uint8_t *)c.buffers[NNAHW_CONV_INPUT])[i] = (uint8_t)(i / in);
	for (uint32_t i = 0; i < out; i++) {
		ch[i] = (struct nnahw_channel){
			.multiplier = random_multiplier(),
			.shift = shift,
			.weight_sum = depthwise ? 1 : 4,
		};
		if (i % 16 == 0)
			near = i + (uint32_t)rng_range(&r, 0, 15);
		if (!alone || i == near)
			ch[i].bias = turning_point(&ch[i]);
		if (type == NNAHW_TYPE_U8)
			ch[i].bias = (int32_t)((uint32_t)ch[i].bias - 128);
	}
	p->layout = NNAHW_LAYOUT_PACKED8;
	p->groups = p->kernel_h = p->kernel_w = 1;
	p->stride_h = p->stride_w = p->dilation_h = p->dilation_w = 1;
	p->epilogue.clamp_min = -INFINITY;
	p->epilogue.clamp_max = INFINITY;
	for (uint32_t n = 0; n < 3; n++)
		operand_quantise(&c.cmd.operands[n], 0.5f, 0);
	random_epilogue(&p->epilogue, &r, 1, 0, type == NNAHW_TYPE_S8);
	p->epilogue.once = once;
	if (out_type == NNAHW_TYPE_S16) {
		p->epilogue.q_min = rng_next(&r) & 1 ? INT16_MIN : (int32_t)rng_range(&r, -300, 0);
		p->epilogue.q_max = rng_next(&r) & 1 ? INT16_MAX : (int32_t)rng_range(&r, 0, 300);
	}
	c.cmd.operands[0].desc.zero_point = p->epilogue.zero_point =
		(int32_t)rng_range(&r, low, low + 255);
	/* One beyond the type's range makes no sense, but is allowed. */
	if (rng_next(&r) % 8 == 0)
		p->epilogue.zero_point = (int32_t)rng_range(&r, INT16_MIN, UINT16_MAX);
	snprintf(what, sizeof(what), "type %u, shift %d%s", out_type, shift, once ? ", once" : "");
	assert_int_equal(compare_all(what), nnadev_engine_isa_detect() > NNADEV_ENGINE_SCALAR);
	call_free(&c);
}

/* All types of output, of which DWCONV has two, and all shifts, in one rounding and in two. */
static inline void compare_all_roundings(bool depthwise)
{
	static const uint32_t types[] = { NNAHW_TYPE_S8, NNAHW_TYPE_U8, NNAHW_TYPE_S16 };

	r.state = 77;
	for (uint32_t times = 0; times < 8; times++)
		for (int32_t shift = -1; shift <= 64; shift++)
			for (uint32_t k = 0; k < (depthwise ? 2 : 3); k++)
				for (uint32_t once = 0; once < 2; once++)
					compare_roundings(depthwise, types[k], shift, once);
}

#endif
