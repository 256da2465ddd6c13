// SPDX-License-Identifier: MIT
/*
 * CONV and DWCONV. The scalar kernel gathers, the reference here scatters: every input element is
 * added to the outputs that it reaches, in integers or double. The vector kernels are compared with
 * the scalar one.
 */
#include "tests/unit/device/nna/engine/epilogue.h"

enum shape { SHAPE_ANY, SHAPE_ONE_BY_ONE, SHAPE_DEEP, SHAPE_DEPTHWISE_LIKE };

/* A convolution with its weights also in logical order. */
struct conv_case {
	struct call call;
	int depthwise, quantised, half, residual, has_bias, sums;
	uint32_t layout, batch, h, w, c, n, kh, kw, sh, sw, dh, dw, pt, pl, oh, ow, groups,
		group_in, group_out;
	int32_t weight_zero;
	/* [n][kh][kw][group_in], zero point subtracted; quantised: exact integers */
	double *weights;
	double *bias; /* [n] */
};

static double *weight(struct conv_case *t, uint32_t n, uint32_t ky, uint32_t kx, uint32_t c)
{
	return &t->weights[((n * t->kh + ky) * t->kw + kx) * t->group_in + c];
}

static uint32_t round_up(uint32_t x, uint32_t y)
{
	return (x + y - 1) / y * y;
}

/* Where weight k of channel i of a block is in PACKED8, if a block has k_size of each channel. */
static uint64_t packed8_at(uint32_t block, uint32_t k_size, uint32_t k, uint32_t i)
{
	return ((block * (k_size / 4) + k / 4) * 16 + i % 16) * 4 + k % 4;
}

static void fill_weights(struct conv_case *t, struct rng *r)
{
	struct nnadev_engine_operand *o = &t->call.cmd.operands[NNAHW_CONV_WEIGHTS];
	uint32_t k_size = t->kh * t->kw * t->group_in, blocks = round_up(t->group_out, 16) / 16;

	if (t->layout != NNAHW_LAYOUT_PLAIN)
		memset(o->data, 0, t->call.sizes[NNAHW_CONV_WEIGHTS]);
	for (uint32_t n = 0; n < t->n; n++)
		for (uint32_t ky = 0; ky < t->kh; ky++)
			for (uint32_t kx = 0; kx < t->kw; kx++)
				for (uint32_t c = 0; c < t->group_in; c++) {
					uint32_t k = (ky * t->kw + kx) * t->group_in + c,
						 i = n % t->group_out;
					uint32_t block = n / t->group_out * blocks + i / 16;
					int64_t q = o->desc.type == NNAHW_TYPE_U8
							    ? rng_range(r, 0, 255)
							    : rng_range(r, -128, 127);
					float f = (float)rng_range(r, -64, 64) / 64;
					uint64_t at;

					if (t->layout == NNAHW_LAYOUT_PLAIN && t->depthwise)
						at = (uint64_t)((uint8_t *)element(
									o, (uint32_t[]){ 0, ky, kx,
											 n }) -
								(uint8_t *)o->data);
					else if (t->layout == NNAHW_LAYOUT_PLAIN)
						at = (uint64_t)((uint8_t *)element(
									o, (uint32_t[]){ n, ky, kx,
											 c }) -
								(uint8_t *)o->data);
					else if (t->depthwise)
						at = ((n / 16) * k_size + k) * 16 + n % 16;
					else if (t->layout == NNAHW_LAYOUT_PACKED_FLOAT)
						at = (block * k_size + k) * 16 + i % 16;
					else
						at = packed8_at(block, round_up(k_size, 4), k, i);
					if (t->quantised) {
						((uint8_t *)o->data)[at] = (uint8_t)q;
						*weight(t, n, ky, kx, c) = q - t->weight_zero;
					} else {
						if (t->layout != NNAHW_LAYOUT_PLAIN)
							at *= nnahw_type_size(o->desc.type);
						if (o->desc.type == NNAHW_TYPE_F32) {
							*(float *)((uint8_t *)o->data + at) = f;
						} else {
							*(uint16_t *)((uint8_t *)o->data + at) =
								half_of(f);
						}
						*weight(t, n, ky, kx, c) = f;
					}
				}
}

static void fill_channels(struct conv_case *t, struct rng *r)
{
	struct nnahw_channel *channels = t->call.cmd.operands[NNAHW_CONV_CHANNELS].data;
	struct nnadev_engine_operand *to = &t->call.cmd.operands[NNAHW_CONV_BIAS];
	uint32_t k_size = t->kh * t->kw * t->group_in;
	int32_t input_zero = t->call.cmd.operands[NNAHW_CONV_INPUT].desc.zero_point;

	for (uint32_t n = 0; n < t->n; n++) {
		int64_t sum = 0, bias = rng_range(r, -100000, 100000);

		for (uint32_t k = 0; k < k_size; k++)
			sum += (int64_t)t->weights[n * k_size + k];
		t->bias[n] = (double)bias;
		channels[n].multiplier = rng_next(r) % 50
						 ? (int32_t)rng_range(r, 1 << 30, INT32_MAX)
						 : 0;
		channels[n].shift = (int32_t)rng_range(r, 30, 50);
		channels[n].weight_sum = (int32_t)(sum + (int64_t)k_size * t->weight_zero);
		channels[n].bias = t->layout == NNAHW_LAYOUT_PACKED8
					   ? (int32_t)(bias - input_zero * sum)
					   : 0;
		if (t->layout != NNAHW_LAYOUT_PACKED8) {
			if (t->has_bias)
				*(int32_t *)element(to, &n) = (int32_t)bias;
			else
				channels[n].bias = (int32_t)bias;
		}
	}
}

static void random_case(struct conv_case *t, struct rng *r, enum shape shape)
{
	struct nnahw_cmd_conv *p = (struct nnahw_cmd_conv *)t->call.raw;
	struct nnadev_engine_operand *o;
	uint32_t type, out_type, weight_type, k_size;
	int spread = rng_next(r) % 3 == 0, zero_low;

	memset(t, 0, sizeof(*t));
	t->depthwise = shape == SHAPE_DEPTHWISE_LIKE ||
		       (shape == SHAPE_ANY && rng_next(r) % 3 == 0);
	t->quantised = rng_next(r) % 3 != 0;
	t->half = !t->quantised && rng_next(r) % 3 == 0;
	t->residual = rng_next(r) % 3 == 0;
	t->has_bias = rng_next(r) & 1;
	t->batch = (uint32_t)rng_range(r, 1, 3);
	t->h = (uint32_t)rng_range(r, 1, 12);
	t->w = (uint32_t)rng_range(r, 1, 12);
	t->kh = (uint32_t)rng_range(r, 1, 4);
	t->kw = (uint32_t)rng_range(r, 1, 4);
	t->sh = (uint32_t)rng_range(r, 1, 3);
	t->sw = (uint32_t)rng_range(r, 1, 3);
	t->dh = rng_next(r) % 4 ? 1 : (uint32_t)rng_range(r, 1, 3);
	t->dw = rng_next(r) % 4 ? 1 : (uint32_t)rng_range(r, 1, 3);
	t->pt = (uint32_t)rng_range(r, 0, 3);
	t->pl = (uint32_t)rng_range(r, 0, 3);
	if (t->depthwise) {
		t->groups = rng_next(r) % 3 ? (uint32_t)rng_range(r, 1, 40)
					    : (uint32_t)rng_range(r, 1, 6) * 16;
		t->group_in = 1;
		t->group_out = rng_next(r) % 3 ? 1 : (uint32_t)rng_range(r, 1, 5);
	} else {
		t->groups = rng_next(r) % 4 ? 1 : (uint32_t)rng_range(r, 2, 5);
		t->group_in = (uint32_t)rng_range(r, 1, 20);
		t->group_out = (uint32_t)rng_range(r, 1, 40);
	}
	if (shape == SHAPE_ONE_BY_ONE) {
		t->kh = t->kw = 1;
		t->pt = t->pl = 0;
		if (rng_next(r) & 1)
			t->sh = t->sw = 1;
		t->group_in = (uint32_t)rng_range(r, 1, 70);
	} else if (shape == SHAPE_DEEP) {
		t->batch = 1;
		t->h = (uint32_t)rng_range(r, 1, 4);
		t->w = (uint32_t)rng_range(r, 1, 4);
		t->groups = 1;
		t->group_in = (uint32_t)rng_range(r, 100, 1500);
		t->group_out = (uint32_t)rng_range(r, 1, 100);
	} else if (shape == SHAPE_DEPTHWISE_LIKE) {
		t->kh = t->kw = 3;
		t->pt = (uint32_t)rng_range(r, 0, 1);
		t->pl = (uint32_t)rng_range(r, 0, 1);
		t->sh = t->sw = (uint32_t)rng_range(r, 1, 2);
		t->dh = t->dw = 1;
		t->h = (uint32_t)rng_range(r, 3, 20);
		t->w = (uint32_t)rng_range(r, 3, 20);
	}
	t->c = t->groups * t->group_in;
	t->n = t->groups * t->group_out;
	t->oh = (uint32_t)rng_range(r, 1, t->h / t->sh + 2);
	t->ow = (uint32_t)rng_range(r, 1, t->w / t->sw + 2);
	t->layout = rng_next(r) % 4 == 0 ? NNAHW_LAYOUT_PLAIN
		    : t->quantised	 ? NNAHW_LAYOUT_PACKED8
					 : NNAHW_LAYOUT_PACKED_FLOAT;
	type = t->half		 ? NNAHW_TYPE_F16
	       : !t->quantised	 ? NNAHW_TYPE_F32
	       : rng_next(r) & 1 ? NNAHW_TYPE_U8
				 : NNAHW_TYPE_S8;
	weight_type = !t->quantised ? (rng_next(r) % 4 ? type : NNAHW_TYPE_F16)
		      : t->layout == NNAHW_LAYOUT_PACKED8 || rng_next(r) & 1 ? NNAHW_TYPE_S8
									     : NNAHW_TYPE_U8;
	/* 8-bit numbers may make 16-bit ones, or sums. */
	out_type = type;
	if (t->quantised && !t->depthwise && rng_next(r) % 3 == 0)
		out_type = rng_next(r) & 1 ? NNAHW_TYPE_F32 : NNAHW_TYPE_S16;
	t->sums = out_type == NNAHW_TYPE_F32 && t->quantised;
	t->residual = t->residual && !t->sums;
	k_size = t->kh * t->kw * t->group_in;
	call_init(&t->call, t->depthwise ? NNAHW_OP_DWCONV : NNAHW_OP_CONV, sizeof(*p), 6);
	call_operand(&t->call, r, NNAHW_CONV_OUTPUT, out_type, 4,
		     (uint32_t[]){ t->batch, t->oh, t->ow, t->n }, spread);
	o = call_operand(&t->call, r, NNAHW_CONV_INPUT, type, 4,
			 (uint32_t[]){ t->batch, t->h, t->w, t->c }, rng_next(r) % 3 == 0);
	zero_low = type == NNAHW_TYPE_S8 ? -128 : 0;
	if (t->quantised) {
		operand_quantise(o, 0.5f, (int32_t)rng_range(r, zero_low, zero_low + 255));
		if (!t->sums)
			operand_quantise(&t->call.cmd.operands[NNAHW_CONV_OUTPUT], 0.25f,
					 (int32_t)rng_range(r, zero_low, zero_low + 255));
	} else {
		operand_floats(&t->call, r, NNAHW_CONV_INPUT, -2, 2);
	}
	if (t->layout == NNAHW_LAYOUT_PLAIN)
		o = call_operand(&t->call, r, NNAHW_CONV_WEIGHTS, weight_type, 4,
				 t->depthwise ? (uint32_t[]){ 1, t->kh, t->kw, t->n }
					      : (uint32_t[]){ t->n, t->kh, t->kw, t->group_in },
				 spread);
	else if (t->depthwise)
		o = call_operand(&t->call, r, NNAHW_CONV_WEIGHTS, weight_type, 3,
				 (uint32_t[]){ round_up(t->n, 16) / 16, k_size, 16 }, 0);
	else if (t->layout == NNAHW_LAYOUT_PACKED8)
		o = call_operand(&t->call, r, NNAHW_CONV_WEIGHTS, weight_type, 4,
				 (uint32_t[]){ t->groups * (round_up(t->group_out, 16) / 16),
					       round_up(k_size, 4) / 4, 16, 4 },
				 0);
	else
		o = call_operand(
			&t->call, r, NNAHW_CONV_WEIGHTS, weight_type, 3,
			(uint32_t[]){ t->groups * (round_up(t->group_out, 16) / 16), k_size, 16 },
			0);
	if (t->quantised) {
		t->weight_zero = rng_next(r) & 1
					 ? 0
					 : (int32_t)rng_range(
						   r, weight_type == NNAHW_TYPE_S8 ? -128 : 0, 127);
		operand_quantise(o, 0.125f, t->weight_zero);
	}
	if (t->has_bias && t->layout != NNAHW_LAYOUT_PACKED8) {
		call_operand(&t->call, r, NNAHW_CONV_BIAS,
			     t->quantised      ? NNAHW_TYPE_S32
			     : rng_next(r) & 1 ? NNAHW_TYPE_F32
					       : NNAHW_TYPE_F16,
			     1, &t->n, spread);
		operand_floats(&t->call, r, NNAHW_CONV_BIAS, -1, 1);
	}
	if (t->quantised)
		call_operand(&t->call, r, NNAHW_CONV_CHANNELS, NNAHW_TYPE_S32, 2,
			     (uint32_t[]){ t->n, 4 }, 0);
	if (t->residual) {
		o = call_operand(&t->call, r, NNAHW_CONV_RESIDUAL, out_type, 4,
				 (uint32_t[]){ t->batch, t->oh, t->ow, t->n },
				 rng_next(r) % 3 == 0);
		if (t->quantised)
			operand_quantise(o, 0.5f, (int32_t)rng_range(r, zero_low, zero_low + 255));
		operand_floats(&t->call, r, NNAHW_CONV_RESIDUAL, -2, 2);
	}
	p->layout = (uint8_t)t->layout;
	p->groups = t->depthwise ? t->group_out : t->groups;
	p->kernel_h = t->kh, p->kernel_w = t->kw;
	p->stride_h = t->sh, p->stride_w = t->sw;
	p->dilation_h = t->dh, p->dilation_w = t->dw;
	p->pad_top = t->pt, p->pad_left = t->pl;
	random_epilogue(&p->epilogue, r, t->quantised && !t->sums, t->residual,
			type == NNAHW_TYPE_S8);
	if (t->sums) {
		/* Sums are thousands. */
		p->epilogue.clamp_min *= 1000;
		p->epilogue.clamp_max *= rng_next(r) & 1 ? 5000 : 100;
	}
	if (out_type == NNAHW_TYPE_S16)
		widen_epilogue(&p->epilogue, r, t->residual);
	t->weights = calloc((size_t)t->n * k_size, sizeof(double));
	t->bias = calloc(t->n, sizeof(double));
	fill_weights(t, r);
	if (t->quantised)
		fill_channels(t, r);
	else if (t->has_bias)
		for (uint32_t n = 0; n < t->n; n++)
			t->bias[n] = number(&t->call.cmd.operands[NNAHW_CONV_BIAS], &n);
	call_finish(&t->call);
}

static void free_case(struct conv_case *t)
{
	call_free(&t->call);
	free(t->weights);
	free(t->bias);
}

/* The output against the scattered sums. */
static void check_case(struct conv_case *t, const char *what)
{
	struct nnadev_engine_operand *ops = t->call.cmd.operands, *out = &ops[NNAHW_CONV_OUTPUT],
				     *in = &ops[NNAHW_CONV_INPUT];
	const struct nnahw_epilogue *e = &((struct nnahw_cmd_conv *)t->call.raw)->epilogue;
	const struct nnahw_channel *channels = ops[NNAHW_CONV_CHANNELS].data;
	size_t count = (size_t)t->batch * t->oh * t->ow * t->n, i = 0;
	double *acc = calloc(count, sizeof(double)), *magnitude = calloc(count, sizeof(double));
	uint32_t index[4] = { 0 };

	do {
		double x = number(in, index) - (t->quantised ? in->desc.zero_point : 0);
		uint32_t group = index[3] / t->group_in;

		for (uint32_t ky = 0; ky < t->kh; ky++)
			for (uint32_t kx = 0; kx < t->kw; kx++) {
				int64_t y = (int64_t)index[1] + t->pt - ky * t->dh,
					z = (int64_t)index[2] + t->pl - kx * t->dw;

				if (y < 0 || z < 0 || y % t->sh || z % t->sw ||
				    y / t->sh >= t->oh || z / t->sw >= t->ow)
					continue;
				for (uint32_t n = group * t->group_out;
				     n < (group + 1) * t->group_out; n++) {
					double product = x * *weight(t, n, ky, kx,
								     index[3] % t->group_in);
					size_t at = (((size_t)index[0] * t->oh + y / t->sh) *
							     t->ow +
						     z / t->sw) *
							    t->n +
						    n;

					acc[at] += product;
					magnitude[at] += fabs(product);
				}
			}
	} while (next_index(&in->desc, index));
	do {
		uint32_t n = index[3];

		check_output(what, out, index, number(out, index),
			     after(e, acc[i] + t->bias[n], t->quantised ? &channels[n] : NULL, out,
				   &ops[NNAHW_CONV_RESIDUAL], index),
			     t->quantised ? 0 : magnitude[i] + fabs(t->bias[n]));
		i++;
	} while (next_index(&out->desc, index));
	free(acc);
	free(magnitude);
}

static void run_cases(enum shape shape, uint64_t seed)
{
	struct rng r = { seed };
	static struct conv_case t;

	for (int i = 0; i < (shape == SHAPE_DEEP ? CASES / 10 : CASES); i++) {
		struct nnadev_engine_operand *out = &t.call.cmd.operands[NNAHW_CONV_OUTPUT];
		char what[256];

		random_case(&t, &r, shape);
		snprintf(what, sizeof(what),
			 "case %d %s type %u layout %u [%u %u %u %u] -> [%u %u %u] "
			 "kernel %ux%u stride %u %u dilation %u %u pad %u %u groups %u "
			 "residual %d zero %d",
			 i, t.depthwise ? "dw" : "conv", out->desc.type, t.layout, t.batch, t.h,
			 t.w, t.c, t.oh, t.ow, t.n, t.kh, t.kw, t.sh, t.sw, t.dh, t.dw, t.pt, t.pl,
			 t.groups, t.residual, t.weight_zero);
		assert_int_equal(call_run(&t.call, &r, NNADEV_ENGINE_SCALAR), NNAHW_STATUS_OK);
		check_case(&t, what);
		for_each_isa(isa, LEAST_VECTOR) {
			void *scalar = malloc(t.call.sizes[NNAHW_CONV_OUTPUT]);

			memcpy(scalar, out->data, t.call.sizes[NNAHW_CONV_OUTPUT]);
			for (size_t b = 0; b < t.call.sizes[NNAHW_CONV_OUTPUT] && out->contiguous;
			     b++)
				((uint8_t *)out->data)[b] ^= 0x55;
			assert_int_equal(call_run(&t.call, &r, isa), NNAHW_STATUS_OK);
			if (t.quantised &&
			    memcmp(scalar, out->data, t.call.sizes[NNAHW_CONV_OUTPUT]))
				fail_msg("%s: isa %d differs from scalar", what, isa);
			check_case(&t, what);
			free(scalar);
		}
		free_case(&t);
	}
}

static void test_any(void **state)
{
	run_cases(SHAPE_ANY, 11);
}

static void test_one_by_one(void **state)
{
	run_cases(SHAPE_ONE_BY_ONE, 12);
}

static void test_deep(void **state)
{
	run_cases(SHAPE_DEEP, 13);
}

static void test_depthwise(void **state)
{
	run_cases(SHAPE_DEPTHWISE_LIKE, 14);
}

/* Commands of which many are bad: each is refused, or runs without complaint of a sanitizer. */
static void test_hostile(void **state)
{
	static const uint32_t odd[] = { 0,	 1,	     2,		 3,
					16,	 0x7fffffff, 0x80000000, 0xffffffff,
					0x10000, 0x100000,   0x40000000 };
	const size_t odds = sizeof(odd) / sizeof(odd[0]);
	static struct conv_case t;
	struct rng r = { 16 };
	int ok = 0, refused = 0;

	for (int i = 0; i < 6000; i++) {
		struct nnahw_cmd_conv *p = (struct nnahw_cmd_conv *)t.call.raw;
		struct nnadev_engine_operand *o = t.call.cmd.operands;
		uint32_t *fields[] = { &p->groups,     &p->kernel_h, &p->kernel_w,
				       &p->stride_h,   &p->stride_w, &p->dilation_h,
				       &p->dilation_w, &p->pad_top,  &p->pad_left };
		uint32_t status;

		random_case(&t, &r, (enum shape)(i % 2));
		switch (rng_next(&r) % 6) {
		case 0:
		case 1:
		case 2:
			for (uint64_t k = rng_next(&r) % 3 + 1; k > 0; k--)
				*fields[rng_next(&r) % 9] = odd[rng_next(&r) % odds];
			break;
		case 3: { /* another operand's dims do not fit */
			uint32_t k = (uint32_t)(rng_next(&r) % 3);

			call_operand(&t.call, &r, k, o[k].desc.type, 4,
				     (uint32_t[]){ (uint32_t)rng_range(&r, 0, 4),
						   (uint32_t)rng_range(&r, 0, 4),
						   (uint32_t)rng_range(&r, 0, 4),
						   (uint32_t)rng_range(&r, 0, 40) },
				     0);
			break;
		}
		case 4: { /* no elements, but huge dims */
			uint32_t k = (uint32_t)(rng_next(&r) % 3);

			free(t.call.buffers[k]);
			t.call.buffers[k] = NULL;
			o[k].data = NULL;
			o[k].count = 0;
			for (uint32_t d = 0; d < 4; d++)
				o[k].desc.dims[d] = odd[rng_next(&r) % odds];
			o[k].desc.dims[rng_next(&r) % 4] = 0;
			break;
		}
		default: /* types, absent operands, channels that say anything */
			if (rng_next(&r) & 1) {
				uint32_t k = (uint32_t)(rng_next(&r) % 6);

				call_operand(&t.call, &r, k,
					     rng_next(&r) & 1 ? NNAHW_TYPE_U8 : NNAHW_TYPE_F32,
					     o[k].desc.rank, o[k].desc.dims, 0);
			} else if (t.quantised) {
				for (size_t b = 0; b < t.call.sizes[NNAHW_CONV_CHANNELS]; b++)
					((uint8_t *)t.call.buffers[NNAHW_CONV_CHANNELS])[b] =
						(uint8_t)rng_next(&r);
			}
			for (uint32_t k = 0; k < 16 && rng_next(&r) & 1; k++)
				((uint8_t *)&p->epilogue)[rng_next(&r) % 56] =
					(uint8_t)rng_next(&r);
			break;
		}
		for_each_isa(isa, NNADEV_ENGINE_SCALAR) {
			status = call_run(&t.call, &r, isa);
			ok += status == NNAHW_STATUS_OK;
			refused += status != NNAHW_STATUS_OK;
			assert_true(status == NNAHW_STATUS_OK ||
				    status == NNAHW_STATUS_BAD_COMMAND ||
				    status == NNAHW_STATUS_BAD_OPERAND ||
				    status == NNAHW_STATUS_BAD_SHAPE ||
				    status == NNAHW_STATUS_NO_MEMORY);
		}
		free_case(&t);
	}
	print_message("%d ran, %d refused\n", ok, refused);
	assert_true(ok > 100 && refused > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any),
		cmocka_unit_test(test_one_by_one),
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_depthwise),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
