// SPDX-License-Identifier: MIT
/*
 * Commands in several pieces: each element of the output belongs to one of them, and reads what it
 * reads of the whole command.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hw/gen/nnahw_decode.h"
#include "libnnaccel/backend/nna/nna.h"

static uint32_t state_of_random = 1;

static uint32_t below(uint32_t n)
{
	state_of_random = state_of_random * 1664525 + 1013904223;
	return (state_of_random >> 8) % n;
}

static struct nnahw_tensor tensor(uint32_t type, uint32_t rank, const uint32_t *dims)
{
	struct nnahw_tensor t = { .type = (uint8_t)type, .rank = (uint8_t)rank, .slot = 3,
				  .offset = 64 * below(100) };
	int32_t stride = 1 + (int32_t)below(3);

	for (uint32_t i = rank; i--;) {
		t.dims[i] = dims[i];
		t.strides[i] = stride;
		stride *= (int32_t)(dims[i] + below(3));
	}
	return t;
}

static struct nnahw_cmd_conv random_conv(void)
{
	const uint32_t in[] = { 1 + below(5), 1 + below(20), 1 + below(20), 4 };
	const uint32_t out[] = { in[0], 2 + below(20), 2 + below(20), 8 };
	struct nnahw_cmd_conv c = {
		.head = { .opcode = NNAHW_OP_CONV, .size = sizeof(c) },
		.output = tensor(NNAHW_TYPE_F32, 4, out),
		.input = tensor(NNAHW_TYPE_F16, 4, in),
		.bias.slot = NNAHW_SLOT_NONE,
		.channels.slot = NNAHW_SLOT_NONE,
		.residual = tensor(NNAHW_TYPE_F32, 4, out),
		.groups = 1,
		.kernel_h = 1 + below(4),
		.kernel_w = 1 + below(4),
		.stride_h = 1 + below(3),
		.stride_w = 1 + below(3),
		.dilation_h = 1 + below(3),
		.dilation_w = 1 + below(3),
		.pad_top = below(5),
		.pad_left = below(5),
	};

	return c;
}

/* The address of an element, in bytes; @index: of the first three axes. */
static int64_t place(const struct nnahw_tensor *t, uint32_t size, const int64_t *index)
{
	int64_t at = 0;

	for (uint32_t i = 0; i < 3; i++)
		at += index[i] * t->strides[i];
	return (int64_t)t->offset + at * size;
}

/* Where a kernel position of an output reads the input, -1 for outside of it. */
static int64_t read_place(const struct nnahw_cmd_conv *c, const int64_t *at, uint32_t ky,
			  uint32_t kx)
{
	const int64_t index[] = {
		at[0],
		at[1] * c->stride_h + (int64_t)ky * c->dilation_h - c->pad_top,
		at[2] * c->stride_w + (int64_t)kx * c->dilation_w - c->pad_left,
	};

	for (uint32_t i = 1; i < 3; i++)
		if (index[i] < 0 || index[i] >= c->input.dims[i])
			return -1;
	return place(&c->input, 2, index);
}

/* Compares a piece with the whole command, whose output it continues at @from along @axis. */
static void compare(const struct nnahw_cmd_conv *whole, const struct nnahw_cmd_conv *piece,
		    uint32_t axis, uint32_t from)
{
	const uint32_t *dims = piece->output.dims;

	for (uint32_t i = 0; i < dims[0] * dims[1] * dims[2]; i++) {
		int64_t at[] = { i / dims[2] / dims[1], i / dims[2] % dims[1], i % dims[2] };
		int64_t before[] = { at[0], at[1], at[2] };

		before[axis] += from;
		assert_int_equal(place(&piece->output, 4, at), place(&whole->output, 4, before));
		assert_int_equal(place(&piece->residual, 4, at),
				 place(&whole->residual, 4, before));
		for (uint32_t k = 0; k < whole->kernel_h * whole->kernel_w; k++)
			assert_int_equal(
				read_place(piece, at, k / whole->kernel_w, k % whole->kernel_w),
				read_place(whole, before, k / whole->kernel_w,
					   k % whole->kernel_w));
	}
}

static void test_windows(void **state)
{
	for (uint32_t round = 0; round < 3000; round++) {
		const struct nnahw_cmd_conv whole = random_conv();
		const uint32_t axis = below(3), extent = whole.output.dims[axis];
		const uint32_t pieces = 1 + below(extent);
		const uint32_t stride = axis == 1 ? whole.stride_h : whole.stride_w;
		const uint32_t pad = axis == 1 ? whole.pad_top : whole.pad_left;
		uint32_t from = 0;

		/* Windows that all lie behind the input are not split. */
		if (axis && (extent - 1) * stride >= whole.input.dims[axis] + pad)
			continue;
		for (uint32_t i = 0; i < pieces; i++) {
			struct nnahw_cmd_conv piece = whole;

			nna_hw_cut(&piece, axis, i, pieces);
			assert_true(piece.output.dims[axis] > 0);
			assert_true(piece.input.dims[axis] > 0);
			compare(&whole, &piece, axis, from);
			from += piece.output.dims[axis];
		}
		assert_int_equal(from, extent);
	}
}

static void test_products(void **state)
{
	const uint32_t out[] = { 6, 10, 3 }, a[] = { 6, 10, 7 }, b[] = { 6, 7, 3 };
	struct nnahw_cmd_matmul whole = {
		.head = { .opcode = NNAHW_OP_MATMUL, .size = sizeof(whole) },
		.output = tensor(NNAHW_TYPE_F32, 3, out),
		.a = tensor(NNAHW_TYPE_F32, 3, a),
		.b = tensor(NNAHW_TYPE_F32, 3, b),
		.bias.slot = NNAHW_SLOT_NONE,
		.channels.slot = NNAHW_SLOT_NONE,
		.residual.slot = NNAHW_SLOT_NONE,
	};

	for (uint32_t axis = 0; axis < 2; axis++) {
		for (uint32_t i = 0; i < 4; i++) {
			struct nnahw_cmd_matmul piece = whole;
			uint32_t first = out[axis] * i / 4, end = out[axis] * (i + 1) / 4;

			nna_hw_cut(&piece, axis, i, 4);
			assert_int_equal(piece.output.dims[axis], end - first);
			assert_int_equal(piece.a.dims[axis], end - first);
			assert_int_equal(piece.output.offset - whole.output.offset,
					 first * 4 * (uint32_t)whole.output.strides[axis]);
			assert_int_equal(piece.a.offset - whole.a.offset,
					 first * 4 * (uint32_t)whole.a.strides[axis]);
			assert_int_equal(piece.b.dims[0], axis ? 6 : end - first);
			assert_int_equal(piece.b.offset - whole.b.offset,
					 axis ? 0 : first * 4 * (uint32_t)whole.b.strides[0]);
			assert_int_equal(piece.residual.slot, NNAHW_SLOT_NONE);
		}
	}
}

/* Much work makes pieces of less, as far as an axis has parts; little work makes none. */
static void test_pieces(void **state)
{
	const struct nnahw_command_info *info = nnahw_command_find(NNAHW_OP_CONV);
	struct nnahw_cmd_conv c = random_conv();
	struct nnahw_cmd_ewise ewise = { .head = { .opcode = NNAHW_OP_EWISE } };
	uint32_t axis, pieces;
	uint64_t whole;

	assert_int_equal(nna_hw_split(&c, &axis), 1);
	/* 155 GMAC. */
	c.output = tensor(NNAHW_TYPE_F32, 4, (uint32_t[]){ 1, 512, 512, 256 });
	c.input = tensor(NNAHW_TYPE_F32, 4, (uint32_t[]){ 1, 512, 512, 256 });
	c.layout = NNAHW_LAYOUT_PACKED_FLOAT;
	c.kernel_h = c.kernel_w = 3;
	c.stride_h = c.stride_w = 1;
	c.pad_top = c.pad_left = 1;
	whole = nna_hw_work(info, &c);
	pieces = nna_hw_split(&c, &axis);
	assert_true(axis == 1 || axis == 2);
	assert_true(pieces > 100 && pieces <= 512);
	for (uint32_t i = 0; i < pieces; i++) {
		struct nnahw_cmd_conv piece = c;

		nna_hw_cut(&piece, axis, i, pieces);
		assert_true(nna_hw_work(info, &piece) <= 2 * (whole / pieces));
	}
	/* No axis has that many parts. */
	c.output.dims[1] = c.output.dims[2] = 3;
	c.input.dims[1] = c.input.dims[2] = 3;
	c.input.dims[3] = 1u << 30;
	assert_int_equal(nna_hw_split(&c, &axis), 3);
	/* The window of the last piece begins behind the input. */
	c.stride_h = c.stride_w = 100;
	assert_int_equal(nna_hw_split(&c, &axis), 1);
	ewise.output = tensor(NNAHW_TYPE_F32, 1, (uint32_t[]){ UINT32_MAX });
	assert_int_equal(nna_hw_split(&ewise, &axis), 1);
	/* A tensor without elements has nothing to be split. */
	c.output.dims[0] = c.output.dims[1] = c.output.dims[2] = 0;
	assert_int_equal(nna_hw_split(&c, &axis), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_windows),
		cmocka_unit_test(test_products),
		cmocka_unit_test(test_pieces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
