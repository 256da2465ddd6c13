// SPDX-License-Identifier: MIT
/*
 * Streams of weights and records of scales, judged by the device model's decoder: values and
 * kernels that are drawn at random come back byte for byte, for each configuration.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/ethosu/order.h"
#include "device/ethosu/weights.h"
#include "hw/ethosu/opcode.h"
#include "libnnaccel/backend/ethosu/weights.h"

#define VALUES_MAX 70000u
#define KERNELS 60u

static uint64_t seed = 88172645463325252u;

static uint32_t below(uint32_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 20) % n;
}

/* A value whose magnitude is often small: the sum of @n numbers. */
static int16_t drawn(uint32_t n, uint32_t range)
{
	int32_t sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += (int32_t)below(2 * range / n + 1) - (int32_t)(range / n);
	return (int16_t)sum;
}

/* Encodes, decodes and compares. Return: bytes of the stream. */
static uint32_t there_and_back(const int16_t *values, uint32_t count, bool fast)
{
	int16_t *got = malloc((count + 1) * sizeof(*got));
	uint8_t *bytes = NULL;
	uint32_t size = 0;

	assert_non_null(got);
	assert_int_equal(nna_ethosu_values_encode(values, count, fast, &bytes, &size), 0);
	assert_int_equal(size % NNA_ETHOSU_STREAM_UNIT, 0);
	assert_int_equal(ethosu_weights_decode(bytes, size, fast, got, count, NULL, NULL), count);
	assert_memory_equal(got, values, count * sizeof(*got));
	/* A stream of slices has an end, so that there is not one value more. FWD has none. */
	if (!fast)
		assert_int_equal(ethosu_weights_decode(bytes, size, fast, got, count + 1, NULL,
						       NULL), count);
	free(bytes);
	free(got);
	return size;
}

static void test_one_value(void **state)
{
	static const int16_t values[] = { 0, 1, -1, 15, -16, 127, -128, 255, -255 };
	static int16_t same[33000];

	for (uint32_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		for (uint32_t k = 0; k < 33000; k++)
			same[k] = values[i];
		there_and_back(same, 1, false);
		there_and_back(same, 1, true);
		there_and_back(same, 100, false);
		there_and_back(same, 100, true);
		/* More than a slice holds. */
		there_and_back(same, 33000, false);
	}
	there_and_back(same, 0, false);
}

/* Values of many distributions, with runs of zeros of all lengths. */
static void test_values(void **state)
{
	int16_t *values = malloc(VALUES_MAX * sizeof(*values));

	assert_non_null(values);
	for (uint32_t n = 0; n < 200; n++) {
		uint32_t count = 1 + below(n % 20 ? 3000 : VALUES_MAX);
		uint32_t terms = 1 + below(6), range = 1 + below(n % 3 ? 20 : 255);
		uint32_t zeros = below(4) ? 0 : 1 + below(300), fits = 0;

		for (uint32_t i = 0; i < count;) {
			uint32_t run = zeros ? below(zeros) : 0;

			for (; run && i < count; run--)
				values[i++] = 0;
			if (i < count)
				values[i++] = drawn(terms, range);
			/* Another distribution from here on. */
			if (!below(2000))
				range = 1 + below(255);
		}
		for (uint32_t i = 0; i < count; i++)
			fits += values[i] >= -128 && values[i] <= 127;
		there_and_back(values, count, false);
		if (fits == count)
			there_and_back(values, count, true);
	}
	free(values);
}

/* What does not compress takes little more than its bits. */
static void test_size(void **state)
{
	static int16_t values[40000];
	uint32_t size;

	for (uint32_t i = 0; i < 40000; i++)
		values[i] = (int16_t)((int32_t)below(511) - 255);
	size = there_and_back(values, 40000, false);
	assert_in_range(size, 44000, 45000 + 100);
	/* Zeros alone take an eighth of a bit. */
	memset(values, 0, sizeof(values));
	assert_true(there_and_back(values, 40000, false) < 40000 / 64 + 64);
	/* Two values, with a palette. */
	for (uint32_t i = 0; i < 40000; i++)
		values[i] = below(2) ? 200 : -77;
	assert_true(there_and_back(values, 40000, false) < 40000 / 8 + 64);
	/* Two halves that are unlike each other. */
	for (uint32_t i = 0; i < 40000; i++)
		values[i] = i < 20000 ? (below(2) ? 3 : -100) : (below(2) ? 90 : -8);
	assert_true(there_and_back(values, 40000, false) < 40000 / 8 + 128);
}

static void test_refused(void **state)
{
	int16_t values[600];
	uint8_t *bytes = NULL;
	uint32_t size = 0;

	values[0] = 256;
	assert_int_equal(nna_ethosu_values_encode(values, 1, false, &bytes, &size), -EINVAL);
	values[0] = -256;
	assert_int_equal(nna_ethosu_values_encode(values, 1, false, &bytes, &size), -EINVAL);
	/* FWD has 8 bits, or a table. */
	for (uint32_t i = 0; i < 511; i++)
		values[i] = (int16_t)((int32_t)i - 255);
	assert_int_equal(nna_ethosu_values_encode(values, 511, true, &bytes, &size), -EINVAL);
	assert_int_equal(nna_ethosu_values_encode(values, NNA_ETHOSU_VALUES_MAX + 1, false, &bytes,
						  &size), -E2BIG);
	assert_null(bytes);
}

/* ---- kernels --------------------------------------------------------------------------------- */

/* A convolution for @config, and the same as an operation of the device. */
static void draw_kernel(const struct ethosu_config *config,
			const struct nna_ethosu_target *target, struct nna_ethosu_weights *w,
			struct ethosu_operation *op)
{
	static const uint8_t heights[] = { 1, 1, 2, 2, 4 }, widths[] = { 2, 4, 2, 4, 4 };
	bool u85 = config->generation == ETHOSU_U85;
	uint32_t micro = below(5);

	if (u85)
		while (config->macs / 8 / (heights[micro] * widths[micro]) % 4 ||
		       config->macs / 8 / (heights[micro] * widths[micro]) < 4)
			micro = below(5);
	*w = (struct nna_ethosu_weights){
		.target = target,
		.depthwise = !below(3),
		.ifm_bytes = 1 + below(2),
		.ofm_depth = 1 + below(90),
		.ifm_depth = 1 + below(150),
		.height = 1 + below(below(4) ? 4 : 11),
		.width = 1 + below(below(4) ? 4 : 11),
		.stride_y = 1 + below(3),
		.stride_x = 1 + below(3),
		.dilation_y = 1 + below(2),
		.dilation_x = 1 + below(2),
		.block_depth = 8 * (1 + below(16)),
		.microblock = u85 ? heights[micro] * widths[micro] : 0,
		.is_signed = below(2),
	};
	w->part_kernel = !w->depthwise && below(2);
	if (w->depthwise)
		w->ifm_depth = 1;
	w->zero_point = w->is_signed ? (int32_t)below(256) - 128 : (int32_t)below(256);
	*op = (struct ethosu_operation){
		.code = w->depthwise ? ETHOSU_OP_DEPTHWISE : ETHOSU_OP_CONV,
		.ifm = { .depth = w->depthwise ? w->ofm_depth : w->ifm_depth,
			 .bytes = (uint8_t)w->ifm_bytes },
		.ofm = { .depth = w->ofm_depth },
		.window = { w->height, w->width, w->stride_y, w->stride_x, w->dilation_y,
			    w->dilation_x },
		.part_kernel = w->part_kernel,
		.block_depth = w->block_depth,
		.microblock_height = heights[micro],
		.microblock_width = widths[micro],
	};
}

/* The weight that the device has at a place, of the element that the ir has there. */
static void compare(const struct nna_ethosu_weights *w, const int16_t *got)
{
	for (uint32_t o = 0; o < w->ofm_depth; o++)
		for (uint32_t y = 0; y < w->height; y++)
			for (uint32_t x = 0; x < w->width; x++)
				for (uint32_t i = 0; i < w->ifm_depth; i++) {
					const uint8_t *at = (const uint8_t *)w->data +
						o * w->strides[0] + y * w->strides[1] +
						x * w->strides[2] + i * w->strides[3];
					uint64_t place = w->depthwise ?
						((uint64_t)y * w->width + x) * w->ofm_depth + o :
						(((uint64_t)o * w->height + y) * w->width + x) *
							w->ifm_depth + i;

					assert_int_equal(got[place], (w->is_signed ? (int8_t)*at :
								      *at) - w->zero_point);
				}
}

static void check_kernel(const struct ethosu_config *config)
{
	struct ethosu_stream_values streams[ETHOSU_WEIGHT_STREAMS] = { 0 };
	struct nna_ethosu_encoded encoded = { 0 };
	struct nna_ethosu_target target;
	struct nna_ethosu_weights w;
	struct ethosu_operation op;
	uint64_t area, at = 0;
	int16_t *got;
	uint8_t *data;

	assert_true(nna_ethosu_target_read(config->config, &target));
	draw_kernel(config, &target, &w, &op);
	area = (uint64_t)w.height * w.width;
	data = malloc(w.ofm_depth * area * w.ifm_depth);
	got = calloc(w.ofm_depth * area * w.ifm_depth, sizeof(*got));
	assert_true(data && got);
	for (uint64_t i = 0; i < w.ofm_depth * area * w.ifm_depth; i++)
		data[i] = below(2) ? (uint8_t)drawn(3, 60) : (uint8_t)w.zero_point;
	w.data = data;
	/* The ir's order, or another one. */
	w.strides[3] = 1;
	w.strides[2] = w.ifm_depth;
	w.strides[1] = (int64_t)w.width * w.ifm_depth;
	w.strides[0] = (int64_t)area * w.ifm_depth;
	if (!below(4)) {
		w.data = data + (area - 1) * w.ifm_depth;
		w.strides[2] = -w.strides[2];
		w.strides[1] = -w.strides[1];
	}
	assert_int_equal(nna_ethosu_weights_encode(&w, &encoded), 0);
	for (uint32_t i = 0; i < config->streams; i++) {
		uint64_t count = ethosu_order_length(config, &op, i, UINT64_MAX, NULL);
		int16_t *values = malloc((count + 1) * sizeof(*values));

		assert_non_null(values);
		assert_int_equal(nna_ethosu_order_count(&w, i), count);
		assert_int_equal(ethosu_weights_decode(encoded.bytes + at, encoded.sizes[i],
						       encoded.fast, values, count, NULL, NULL),
				 count);
		streams[i] = (struct ethosu_stream_values){ .values = values, .count = count };
		at += encoded.sizes[i];
	}
	ethosu_order_place(config, &op, streams, got, NULL);
	for (uint32_t i = 0; i < config->streams; i++) {
		assert_int_equal(streams[i].at, streams[i].count);
		free((void *)streams[i].values);
	}
	compare(&w, got);
	free(encoded.bytes);
	free(data);
	free(got);
}

static void test_kernels(void **state)
{
	for (uint32_t i = 0; i < ETHOSU_CONFIGS; i++)
		for (uint32_t n = 0; n < KERNELS; n++)
			check_kernel(&ethosu_configs[i]);
}

/* Bytes that are drawn do not compress: where there is one decoder, FWD is taken. */
static void test_fast(void **state)
{
	static uint8_t data[64 * 64];
	struct nna_ethosu_encoded encoded = { 0 };
	struct nna_ethosu_target target = { .generation = NNA_ETHOSU_U85, .macs = 256,
					    .streams = 1 };
	struct nna_ethosu_weights w = {
		.target = &target, .ifm_bytes = 1,
		.ofm_depth = 64, .ifm_depth = 64, .height = 1, .width = 1, .stride_y = 1,
		.stride_x = 1, .dilation_y = 1, .dilation_x = 1, .block_depth = 64,
		.microblock = 4, .is_signed = true, .data = data, .strides = { 64, 64, 64, 1 },
	};

	for (uint32_t i = 0; i < sizeof(data); i++)
		data[i] = (uint8_t)below(256);
	assert_int_equal(nna_ethosu_weights_encode(&w, &encoded), 0);
	assert_true(encoded.fast);
	assert_int_equal(encoded.sizes[0], sizeof(data) + 32);
	free(encoded.bytes);
	target.macs = 512;
	target.streams = 2;
	assert_int_equal(nna_ethosu_weights_encode(&w, &encoded), 0);
	assert_false(encoded.fast);
	free(encoded.bytes);
	memset(data, 0, sizeof(data));
	target.macs = 256;
	target.streams = 1;
	assert_int_equal(nna_ethosu_weights_encode(&w, &encoded), 0);
	assert_false(encoded.fast);
	free(encoded.bytes);
}

/* Sizes that no walk should begin with. */
static void test_no_order(void **state)
{
	static const uint8_t data[1];
	const struct nna_ethosu_target target = { .generation = NNA_ETHOSU_U85, .macs = 256,
						  .streams = 1 };
	const struct nna_ethosu_weights good = {
		.target = &target, .ifm_bytes = 1,
		.ofm_depth = 1, .ifm_depth = 1, .height = 1, .width = 1, .stride_y = 1,
		.stride_x = 1, .dilation_y = 1, .dilation_x = 1, .block_depth = 8, .microblock = 4,
		.data = data,
	};
	struct nna_ethosu_encoded encoded = { 0 };
	struct nna_ethosu_weights w = good;

	w.microblock = 0;
	assert_int_equal(nna_ethosu_weights_encode(&w, &encoded), -EINVAL);
	w = good;
	w.block_depth = 0;
	assert_int_equal(nna_ethosu_weights_encode(&w, &encoded), -EINVAL);
	w = good;
	w.dilation_x = 3;
	assert_int_equal(nna_ethosu_weights_encode(&w, &encoded), -EINVAL);
	w = good;
	w.stride_y = 0;
	assert_int_equal(nna_ethosu_weights_encode(&w, &encoded), -EINVAL);
	w = good;
	w.ofm_depth = 1u << 20;
	w.ifm_depth = 1u << 20;
	assert_int_equal(nna_ethosu_weights_encode(&w, &encoded), -EINVAL);
	w = good;
	w.ofm_depth = 1u << 13;
	w.ifm_depth = 1u << 13;
	w.height = 8;
	assert_int_equal(nna_ethosu_weights_encode(&w, &encoded), -E2BIG);
	assert_null(encoded.bytes);
}

/* ---- records --------------------------------------------------------------------------------- */

static void check_record(enum nna_ethosu_generation generation, bool wide,
			 struct nna_ethosu_record scale, const uint8_t *expected)
{
	uint8_t record[NNA_ETHOSU_RECORD_SIZE];

	assert_int_equal(nna_ethosu_record_write(generation, wide, &scale, record), 0);
	assert_memory_equal(record, expected, sizeof(record));
}

static void test_records(void **state)
{
	static const uint8_t u65[] = { 0xfe, 0xff, 0xff, 0xff, 0xff, 4, 3, 2, 0x81, 38 };
	static const uint8_t u85[] = { 0xfe, 0xff, 0xff, 0xff, 4, 3, 2, 0x71, 63, 0 };
	static const uint8_t wide[] = { 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 4, 0x73, 5, 0 };
	uint8_t record[NNA_ETHOSU_RECORD_SIZE];
	struct nna_ethosu_record scale = { -2, 0x81020304, 38 };

	check_record(NNA_ETHOSU_U65, false, scale, u65);
	check_record(NNA_ETHOSU_U65, true, scale, u65);
	assert_int_equal(nna_ethosu_record_write(NNA_ETHOSU_U85, false, &scale, record), -ERANGE);
	check_record(NNA_ETHOSU_U85, false, (struct nna_ethosu_record){ -2, 0x71020304, 63 }, u85);
	check_record(NNA_ETHOSU_U85, true, (struct nna_ethosu_record){ -2, 0x7304, 5 }, wide);
	scale = (struct nna_ethosu_record){ -2, 0x8000, 5 };
	assert_int_equal(nna_ethosu_record_write(NNA_ETHOSU_U85, true, &scale, record), -ERANGE);
	scale = (struct nna_ethosu_record){ 1ll << 39, 1, 1 };
	assert_int_equal(nna_ethosu_record_write(NNA_ETHOSU_U65, false, &scale, record), -ERANGE);
	scale = (struct nna_ethosu_record){ -(1ll << 31) - 1, 1, 1 };
	assert_int_equal(nna_ethosu_record_write(NNA_ETHOSU_U85, false, &scale, record), -ERANGE);
	scale = (struct nna_ethosu_record){ 0, 1, 64 };
	assert_int_equal(nna_ethosu_record_write(NNA_ETHOSU_U65, false, &scale, record), -ERANGE);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_value),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_kernels),
		cmocka_unit_test(test_fast),
		cmocka_unit_test(test_no_order),
		cmocka_unit_test(test_records),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
