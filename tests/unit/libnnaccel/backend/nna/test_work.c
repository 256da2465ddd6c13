// SPDX-License-Identifier: MIT
/* The work of streams: what each command counts, sums that do not fit, and what is no command. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "libnnaccel/backend/nna/nna.h"

static uint8_t stream[4096];
static size_t size;

static void begin(void)
{
	memset(stream, 0, sizeof(stream));
	size = sizeof(struct nnahw_stream_header);
}

static void *add(uint16_t opcode, size_t bytes, uint32_t operands)
{
	struct nnahw_command *head = (void *)(stream + size);
	struct nnahw_tensor *t = (void *)(head + 1);

	assert_true(size + bytes <= sizeof(stream));
	head->opcode = opcode;
	head->size = (uint32_t)bytes;
	for (uint32_t i = 0; i < operands; i++)
		t[i].slot = NNAHW_SLOT_NONE;
	size += bytes;
	return head;
}

static struct nnahw_tensor tensor(uint32_t rank, uint32_t d0, uint32_t d1, uint32_t d2, uint32_t d3)
{
	return (struct nnahw_tensor){ .rank = (uint8_t)rank, .dims = { d0, d1, d2, d3 } };
}

static struct nnahw_cmd_conv *add_conv(uint32_t layout)
{
	struct nnahw_cmd_conv *c = add(NNAHW_OP_CONV, sizeof(*c), 6);

	c->output = tensor(4, 1, 10, 10, 32);
	c->input = tensor(4, 1, 12, 12, 64);
	c->weights = tensor(3, 2, 288, 16, 0);
	c->layout = (uint8_t)layout;
	c->groups = 2;
	c->kernel_h = 3;
	c->kernel_w = 3;
	return c;
}

static void test_commands(void **state)
{
	const uint64_t products = 3200 * 9 * 32;
	struct nnahw_cmd_dwconv *dwconv;
	struct nnahw_cmd_matmul *matmul;
	struct nnahw_cmd_ewise *ewise;

	begin();
	assert_int_equal(nna_hw_measure(stream, size), 0);
	add_conv(NNAHW_LAYOUT_PACKED8);
	assert_int_equal(nna_hw_measure(stream, size), products + 16 * 3200);
	add_conv(NNAHW_LAYOUT_PLAIN);
	assert_int_equal(nna_hw_measure(stream, size), 5 * products + 2 * 16 * 3200);
	begin();
	dwconv = add(NNAHW_OP_DWCONV, sizeof(*dwconv), 6);
	dwconv->output = tensor(4, 1, 10, 10, 32);
	dwconv->layout = NNAHW_LAYOUT_PACKED8;
	dwconv->kernel_h = 5;
	dwconv->kernel_w = 3;
	assert_int_equal(nna_hw_measure(stream, size), 3200 * 15 + 16 * 3200);
	begin();
	matmul = add(NNAHW_OP_MATMUL, sizeof(*matmul), 6);
	matmul->output = tensor(2, 10, 20, 0, 0);
	matmul->a = tensor(2, 10, 30, 0, 0);
	matmul->b = tensor(2, 30, 20, 0, 0);
	assert_int_equal(nna_hw_measure(stream, size), 4 * 6000 + 16 * (200 + 300 + 600));
	begin();
	ewise = add(NNAHW_OP_EWISE, sizeof(*ewise), 4);
	ewise->output = tensor(1, 100, 0, 0, 0);
	ewise->a = tensor(1, 100, 0, 0, 0);
	assert_int_equal(nna_hw_measure(stream, size), 16 * 200);
}

static void test_too_much(void **state)
{
	struct nnahw_cmd_conv *c;

	begin();
	c = add_conv(NNAHW_LAYOUT_PLAIN);
	c->output = tensor(4, UINT32_MAX, UINT32_MAX, UINT32_MAX, 1);
	add_conv(NNAHW_LAYOUT_PLAIN);
	assert_int_equal(nna_hw_measure(stream, size), UINT64_MAX);
}

/* Nothing is read behind a command that is none, or that does not fit. */
static void test_malformed(void **state)
{
	struct nnahw_cmd_conv *c;
	uint64_t one;

	begin();
	add_conv(NNAHW_LAYOUT_PACKED8);
	one = nna_hw_measure(stream, size);
	c = add_conv(NNAHW_LAYOUT_PACKED8);
	c->head.size = 64;
	assert_int_equal(nna_hw_measure(stream, size), one);
	c->head.size = UINT32_MAX;
	assert_int_equal(nna_hw_measure(stream, size), one);
	c->head.size = sizeof(*c);
	assert_int_equal(nna_hw_measure(stream, size), 2 * one);
	assert_int_equal(nna_hw_measure(stream, size - 1), one);
	c->head.opcode = 0xffff;
	assert_int_equal(nna_hw_measure(stream, size), one);
	assert_int_equal(nna_hw_measure(stream, 8), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_commands),
		cmocka_unit_test(test_too_much),
		cmocka_unit_test(test_malformed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
