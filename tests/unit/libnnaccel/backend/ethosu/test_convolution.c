// SPDX-License-Identifier: MIT
/*
 * Convolutions that are drawn at random: what the backend makes of them runs on the device model,
 * whose results are those of the definition in docs/hardware.md to the byte, for each
 * configuration. The strict checks report nothing.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "libnnaccel/backend/ethosu/ethosu.h"
#include "tests/unit/libnnaccel/backend/ethosu/run.h"

#define DRAWN 40u

static uint64_t seed = 88172645463325252u;

static uint32_t below(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 20) % n;
}

static uint32_t size(uint32_t most)
{
	return 1 + below(below(3) ? 1 + most / 4 : most);
}

/**
 * struct drawn - a convolution
 * @l: has it as its only operation
 * @dims: of output, input and weights
 * @kinds: types of them
 * @params: parameters
 * @numbers: values of output, input, weights, bias
 * @weights, @biases, @input: bytes
 * @scales: of channels; NULL for one scale
 */
struct drawn {
	struct nna_lower *l;
	uint32_t dims[3][4];
	struct nna_value values[3];
	struct nna_conv_params params;
	uint32_t numbers[4];
	uint8_t *weights, *input;
	int32_t *biases;
	float *scales;
};

static uint64_t count_of(const uint32_t *dims)
{
	return (uint64_t)dims[0] * dims[1] * dims[2] * dims[3];
}

static uint8_t *draw_bytes(uint64_t n)
{
	uint8_t *bytes = malloc(n + 1);

	assert_non_null(bytes);
	for (uint64_t i = 0; i < n; i++)
		bytes[i] = (uint8_t)below(256);
	return bytes;
}

static uint32_t out_of(uint32_t in, uint32_t pad, uint32_t kernel, uint32_t dilation,
		       uint32_t stride)
{
	uint32_t seen = in + pad, needs = (kernel - 1) * dilation + 1;

	return seen < needs ? 1 : (seen - needs) / stride + 1;
}

static int32_t draw_zero(uint8_t type)
{
	return type == NNA_TYPE_S8 ? (int32_t)below(256) - 128 : (int32_t)below(256);
}

/* With @halves, the factor is a quarter, and sums are rounded once. */
static void draw(struct drawn *d, uint8_t rounding, bool halves)
{
	static const struct nna_log silent;
	uint8_t type = below(2) ? NNA_TYPE_S8 : NNA_TYPE_U8;
	uint8_t weights = below(3) ? type : NNA_TYPE_S8;
	uint32_t kernel[2] = { size(7), size(7) }, in[2] = { size(24), size(24) };
	uint32_t groups = 1, depth = size(70), units = size(70), images = size(3);
	int64_t number;

	memset(d, 0, sizeof(*d));
	assert_int_equal(nna_lower_create(NULL, &silent, &d->l), 0);
	if (!below(3)) {
		/* A depthwise one. */
		groups = depth;
		units = depth;
	} else if (!below(4)) {
		groups = size(4);
		depth *= groups;
		units *= groups;
	} else if (!below(4)) {
		/* Rows of a matrix. */
		memcpy(kernel, (uint32_t[]){ 1, 1 }, sizeof(kernel));
		memcpy(in, (uint32_t[]){ 1, 1 }, sizeof(in));
		images = size(80);
		depth = size(500);
	}
	d->params = nna_conv_plain;
	d->params.groups = groups;
	d->params.stride_h = 1 + below(3);
	d->params.stride_w = 1 + below(3);
	d->params.dilation_h = 1 + below(2);
	d->params.dilation_w = 1 + below(2);
	d->params.pad_top = below(kernel[0]);
	d->params.pad_left = below(kernel[1]);
	d->params.once = rounding == NNA_IR_ROUNDS_AS_TFLITE && below(2);
	d->l->rounding = rounding;
	memcpy(d->dims[0], (uint32_t[]){
		images, out_of(in[0], d->params.pad_top + below(2), kernel[0],
			       d->params.dilation_h, d->params.stride_h),
		out_of(in[1], d->params.pad_left + below(2), kernel[1], d->params.dilation_w,
		       d->params.stride_w), units }, sizeof(d->dims[0]));
	memcpy(d->dims[1], (uint32_t[]){ images, in[0], in[1], depth }, sizeof(d->dims[1]));
	memcpy(d->dims[2], (uint32_t[]){ units, kernel[0], kernel[1], depth / groups },
	       sizeof(d->dims[2]));
	for (uint32_t i = 0; i < 3; i++) {
		struct nna_value *v = &d->values[i];
		uint8_t own = i == 2 ? weights : type;

		assert_int_equal(nna_value_plain(v, own, 4, d->dims[i],
						 0.001f + (float)below(1000) / 20000,
						 draw_zero(own)), 0);
	}
	/* The result has the range that sums have. */
	d->values[0].scale *= 40 * (1 + (float)below(8));
	if (halves) {
		d->values[0].scale = 1;
		d->values[1].scale = 0.5f;
		d->values[2].scale = 0.5f;
		d->params.once = true;
	}
	d->input = draw_bytes(count_of(d->dims[1]));
	d->weights = draw_bytes(count_of(d->dims[2]));
	d->biases = (int32_t *)draw_bytes((uint64_t)units * 4);
	for (uint32_t i = 0; i < units; i++)
		d->biases[i] = d->biases[i] >> 18;
	if (!halves && below(2)) {
		d->scales = calloc(units, sizeof(*d->scales));
		assert_non_null(d->scales);
		for (uint32_t i = 0; i < units; i++)
			d->scales[i] = 0.001f + (float)below(1000) / 20000;
		d->values[2].channel_scales = d->scales;
		d->values[2].channel_count = units;
		d->values[2].zero_point = 0;
	}
	number = nna_value_in_storage(d->l, &d->values[0], NNA_STORAGE_OUTPUT, 0, NULL, NULL);
	d->numbers[0] = (uint32_t)number;
	number = nna_value_in_storage(d->l, &d->values[1], NNA_STORAGE_INPUT, 0, NULL, NULL);
	d->numbers[1] = (uint32_t)number;
	number = nna_value_in_storage(d->l, &d->values[2], NNA_STORAGE_CONSTANT, 0, d->weights,
				      NULL);
	d->numbers[2] = (uint32_t)number;
	number = nna_lower_constant(d->l, NNA_TYPE_S32, 1, &units, 0, 0, d->biases);
	assert_true(number >= 0);
	d->numbers[3] = (uint32_t)number;
	assert_int_equal(nna_emit_conv2d(d->l, d->numbers[0], d->numbers[1], d->numbers[2],
					 d->numbers[3], &d->params), 0);
	assert_int_equal(d->l->op_count, 1);
}

static void drop(struct drawn *d)
{
	nna_lower_destroy(d->l);
	free(d->weights);
	free(d->biases);
	free(d->input);
	free(d->scales);
}

static int32_t number_of(uint8_t type, uint8_t byte)
{
	return type == NNA_TYPE_S8 ? (int8_t)byte : byte;
}

/* docs/hardware.md: requantize, and once. */
static int64_t scaled(int64_t sum, int32_t multiplier, int32_t shift, bool once)
{
	int64_t p = sum * multiplier, half = 1ll << (shift - 1);

	if (once)
		return p < 0 ? -((-p + half) >> shift) : (p + half) >> shift;
	if (shift >= 32)
		half += p < 0 ? -(1 << 30) : 1 << 30;
	return (p + half) >> shift;
}

static uint8_t defined(const struct drawn *d, uint32_t b, uint32_t y, uint32_t x, uint32_t n)
{
	const struct nna_conv_params *p = &d->params;
	const struct nna_value *in = &d->values[1], *w = &d->values[2], *out = &d->values[0];
	const uint32_t depth = d->dims[2][3], first = n / (d->dims[0][3] / p->groups) * depth;
	const struct nna_ir_op *op = &d->l->ops[0];
	int64_t sum = d->biases[n];
	int32_t multiplier, shift;

	for (uint32_t ky = 0; ky < d->dims[2][1]; ky++)
		for (uint32_t kx = 0; kx < d->dims[2][2]; kx++) {
			int64_t iy = (int64_t)y * p->stride_h + ky * p->dilation_h - p->pad_top;
			int64_t ix = (int64_t)x * p->stride_w + kx * p->dilation_w - p->pad_left;

			if (iy < 0 || ix < 0 || iy >= d->dims[1][1] || ix >= d->dims[1][2])
				continue;
			for (uint32_t c = 0; c < depth; c++) {
				uint64_t from = ((b * d->dims[1][1] + iy) * d->dims[1][2] + ix) *
						d->dims[1][3] + first + c;
				uint64_t weight = ((n * d->dims[2][1] + ky) * d->dims[2][2] + kx) *
						  depth + c;

				sum += (int64_t)(number_of(in->type, d->input[from]) -
						 in->zero_point) *
				       (number_of(w->type, d->weights[weight]) - w->zero_point);
			}
		}
	nna_requantize_from(nna_channel_factor(in, w, out, n, op->rounding), &multiplier, &shift);
	sum = scaled(sum, multiplier, shift, op->rounding == NNA_IR_ROUNDS_AS_TFLITE_ONCE) +
	      out->zero_point;
	sum = sum < op->bounds.q_min ? op->bounds.q_min : sum;
	return (uint8_t)(sum > op->bounds.q_max ? op->bounds.q_max : sum);
}

static bool check(const struct ethosu_config *config, const struct nna_ethosu_target *target,
		  uint8_t rounding, bool halves)
{
	struct nna_ethosu_writer writer;
	uint32_t *words, count;
	char reason[256];
	struct drawn d;
	uint8_t *got;
	bool done;

	draw(&d, rounding, halves);
	done = !nna_ethosu_convolution.accepts(d.l, target, &d.l->ops[0], reason, sizeof(reason));
	if (!done) {
		drop(&d);
		return false;
	}
	assert_int_equal(nna_ethosu_convolution.pack(d.l, target, 0), 0);
	run_plan(d.l);
	nna_ethosu_writer_begin(&writer, target);
	assert_int_equal(nna_ethosu_convolution.emit(d.l, target, &d.l->ops[0], &writer), 0);
	assert_int_equal(nna_ethosu_writer_finish(&writer, &words, &count), 0);
	got = malloc(count_of(d.dims[0]));
	assert_non_null(got);
	run_stream(config, d.l, d.numbers, d.input, words, count, got);
	for (uint32_t b = 0, i = 0; b < d.dims[0][0]; b++)
		for (uint32_t y = 0; y < d.dims[0][1]; y++)
			for (uint32_t x = 0; x < d.dims[0][2]; x++)
				for (uint32_t n = 0; n < d.dims[0][3]; n++, i++)
					assert_int_equal(got[i], defined(&d, b, y, x, n));
	free(got);
	free(words);
	drop(&d);
	return true;
}

static void test_bytes(void **state)
{
	for (uint32_t i = 0; i < ETHOSU_CONFIGS; i++) {
		struct nna_ethosu_target target;
		uint32_t done = 0;

		assert_true(nna_ethosu_target_read(ethosu_configs[i].config, &target));
		for (uint32_t n = 0; n < DRAWN; n++)
			done += check(&ethosu_configs[i], &target,
				      n % 2 ? NNA_IR_ROUNDS_AS_TFLITE : NNA_IR_ROUNDS_AS_NNAPI,
				      false);
		assert_true(done > DRAWN * 2 / 3);
	}
}

/* Halves are rounded away from zero: a U65 refuses factors that give some. */
static void test_halves(void **state)
{
	for (uint32_t i = 0; i < ETHOSU_CONFIGS; i++) {
		const bool u85 = ethosu_configs[i].generation == ETHOSU_U85;
		struct nna_ethosu_target target;
		uint32_t done = 0;

		assert_true(nna_ethosu_target_read(ethosu_configs[i].config, &target));
		for (uint32_t n = 0; n < DRAWN / 4; n++)
			done += check(&ethosu_configs[i], &target, NNA_IR_ROUNDS_AS_TFLITE, true);
		assert_int_equal(done != 0, u85);
	}
}

/* ---- layouts --------------------------------------------------------------------------------- */

/* Appends a convolution of 1 x 1 that reads the result of @d, which becomes scratch memory. */
static void draw_second(struct drawn *d)
{
	const struct nna_value first = d->l->values[d->numbers[0]];
	const uint32_t dims[4] = { first.dims[0], first.dims[1], first.dims[2], 1 + below(40) };
	const uint32_t kernel[4] = { dims[3], 1, 1, first.dims[3] };
	uint8_t *bytes = draw_bytes(count_of(kernel));
	struct nna_value v;
	int64_t out, weights;

	d->l->storages[first.storage].kind = NNA_STORAGE_SCRATCH;
	assert_int_equal(nna_value_plain(&v, first.type, 4, dims, first.scale * 30, 0), 0);
	out = nna_value_in_storage(d->l, &v, NNA_STORAGE_OUTPUT, 0, NULL, NULL);
	weights = nna_lower_constant(d->l, NNA_TYPE_S8, 4, kernel, 0.5f, 3, bytes);
	assert_true(out >= 0 && weights >= 0);
	free(bytes);
	assert_int_equal(nna_emit_conv2d(d->l, (uint32_t)out, d->numbers[0], (uint32_t)weights,
					 NNA_NO_VALUE, &nna_conv_plain), 0);
	d->numbers[0] = (uint32_t)out;
	memcpy(d->dims[0], dims, sizeof(dims));
}

/* Compiles and runs both convolutions. *@bricks: maps with bricks. */
static void run_both(const struct ethosu_config *config, const struct nna_ethosu_target *target,
		     struct drawn *d, uint32_t *bricks, uint8_t *got)
{
	struct nna_ethosu_writer writer;
	uint32_t *words, count;

	for (uint32_t i = 0; i < 2; i++)
		assert_int_equal(nna_ethosu_convolution.pack(d->l, target, i), 0);
	run_plan(d->l);
	nna_ethosu_writer_begin(&writer, target);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(nna_ethosu_convolution.emit(d->l, target, &d->l->ops[i], &writer),
				 0);
		*bricks += writer.before.ifm.brick + writer.before.ofm.brick;
	}
	assert_int_equal(nna_ethosu_writer_finish(&writer, &words, &count), 0);
	run_stream(config, d->l, d->numbers, d->input, words, count, got);
	free(words);
}

/* A map between two convolutions has bricks where it has more than 16 channels: the same bytes. */
static void test_bricks(void **state)
{
	const struct ethosu_config *config = ethosu_config_find("ethos-u65-256");
	struct nna_ethosu_target target;
	uint32_t with = 0, without = 0;
	char reason[256];

	assert_true(nna_ethosu_target_read(config->config, &target));
	for (uint32_t n = 0; n < DRAWN; n++) {
		uint32_t plain = 0, bricks = 0;
		uint8_t *got[2];
		struct drawn d;

		for (uint32_t i = 0; i < 2; i++) {
			uint64_t before = seed;

			draw(&d, NNA_IR_ROUNDS_AS_NNAPI, false);
			draw_second(&d);
			got[i] = malloc(count_of(d.dims[0]));
			assert_non_null(got[i]);
			if (nna_ethosu_convolution.accepts(d.l, &target, &d.l->ops[0], reason,
							   sizeof(reason)))
				memset(got[i], 0, count_of(d.dims[0]));
			else if (i)
				run_both(config, &target, &d, &plain, got[i]);
			else if (!nna_ethosu_layout(d.l))
				run_both(config, &target, &d, &bricks, got[i]);
			if (!i)
				seed = before;
			if (i)
				assert_memory_equal(got[0], got[1], count_of(d.dims[0]));
			drop(&d);
		}
		assert_int_equal(plain, 0);
		with += bricks != 0;
		without += !bricks;
		free(got[0]);
		free(got[1]);
	}
	assert_true(with > DRAWN / 8 && without);
}

/* 1024 channels, each with a kernel of its own, are no product of 1024 times 1024. */
static void test_deep(void **state)
{
	static const struct nna_log silent;
	static const uint32_t dims[3][4] = { { 1, 7, 7, 1024 }, { 1, 7, 7, 1024 },
					     { 1024, 3, 3, 1 } };
	struct nna_conv_params params = nna_conv_plain;
	uint8_t *weights = draw_bytes(count_of(dims[2]));
	struct nna_ethosu_target target;
	char reason[256] = "";
	uint32_t numbers[3];
	struct nna_lower *l;

	assert_true(nna_ethosu_target_read(ethosu_config_find("ethos-u65-256")->config, &target));
	assert_int_equal(nna_lower_create(NULL, &silent, &l), 0);
	for (uint32_t k = 0; k < 3; k++) {
		struct nna_value v;

		assert_int_equal(nna_value_plain(&v, NNA_TYPE_U8, 4, dims[k], 0.1f, 3), 0);
		numbers[k] = (uint32_t)nna_value_in_storage(l, &v, k < 2 ? NNA_STORAGE_SCRATCH :
							    NNA_STORAGE_CONSTANT, 0,
							    k < 2 ? NULL : weights, NULL);
	}
	params.groups = 1024;
	params.pad_top = 1;
	params.pad_left = 1;
	assert_int_equal(nna_emit_conv2d(l, numbers[0], numbers[1], numbers[2], NNA_NO_VALUE,
					 &params), 0);
	assert_int_equal(nna_ethosu_convolution.accepts(l, &target, &l->ops[0], reason,
							sizeof(reason)), 0);
	nna_lower_destroy(l);
	free(weights);
}

/* Operations of which something is beyond the NPU: the reason says what. */
static void test_refused(void **state)
{
	static const struct {
		const char *reason;
		uint32_t stride, dilation, kernel, pad, groups;
		uint8_t rounding;
	} cases[] = {
		{ "strides of 4x4", 4, 1, 3, 0, 1, NNA_IR_ROUNDS_AS_NNAPI },
		{ "dilation of 3x3", 1, 3, 3, 0, 1, NNA_IR_ROUNDS_AS_NNAPI },
		{ "a kernel of 65x65", 1, 1, 65, 0, 1, NNA_IR_ROUNDS_AS_NNAPI },
		{ "padding of 128", 1, 1, 3, 128, 1, NNA_IR_ROUNDS_AS_NNAPI },
		{ "65 groups", 1, 1, 3, 0, 65, NNA_IR_ROUNDS_AS_NNAPI },
		{ "no such rounding", 1, 1, 3, 0, 1, NNA_IR_ROUNDS_BY_SHIFT },
	};
	static const struct nna_log silent;
	struct nna_ethosu_target target;

	assert_true(nna_ethosu_target_read(ethosu_config_find("ethos-u65-256")->config, &target));
	for (uint32_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const uint32_t depth = 2 * cases[i].groups, kernel = cases[i].kernel;
		const uint32_t dims[3][4] = { { 1, 20, 20, depth }, { 1, 90, 90, depth },
					      { depth, kernel, kernel, 2 } };
		struct nna_conv_params params = nna_conv_plain;
		char reason[256] = "";
		uint32_t numbers[3];
		struct nna_lower *l;
		uint8_t *weights;

		assert_int_equal(nna_lower_create(NULL, &silent, &l), 0);
		weights = draw_bytes(count_of(dims[2]));
		l->rounding = cases[i].rounding;
		for (uint32_t k = 0; k < 3; k++) {
			enum nna_storage_kind kind = k < 2 ? NNA_STORAGE_SCRATCH
							   : NNA_STORAGE_CONSTANT;
			struct nna_value v;

			assert_int_equal(nna_value_plain(&v, NNA_TYPE_S8, 4, dims[k], 0.1f, 0), 0);
			numbers[k] = (uint32_t)nna_value_in_storage(l, &v, kind, 0,
								    k < 2 ? NULL : weights, NULL);
		}
		params.stride_h = cases[i].stride;
		params.stride_w = cases[i].stride;
		params.dilation_h = cases[i].dilation;
		params.dilation_w = cases[i].dilation;
		params.pad_top = cases[i].pad;
		params.pad_left = cases[i].pad;
		params.groups = cases[i].groups;
		assert_int_equal(nna_emit_conv2d(l, numbers[0], numbers[1], numbers[2],
						 NNA_NO_VALUE, &params), 0);
		assert_int_not_equal(nna_ethosu_convolution.accepts(l, &target, &l->ops[0], reason,
								    sizeof(reason)), 0);
		assert_non_null(strstr(reason, cases[i].reason));
		nna_lower_destroy(l);
		free(weights);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_halves),
		cmocka_unit_test(test_bricks),
		cmocka_unit_test(test_deep),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
