// SPDX-License-Identifier: MIT
/*
 * The conformance runner sees what goes wrong: a sum of two tensors, through both APIs in every
 * mode, as it is and with one thing changed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/conformance/case.h"

#define TIMEOUT_NS 30000000000ull

/* A file with one case: out = a + b, of two bytes each; as QUANT8_ASYMM. */
struct sum {
	struct nnv_header header;
	struct nnv_case item;
	struct nnv_subgraph subgraph;
	struct nnv_operand operands[4];
	struct nnv_operation operation;
	uint32_t inputs[4], outputs[2]; /* 4 so that everything begins at a multiple of 8 */
	uint32_t dims[2];
	uint32_t activation[2];
	uint8_t a[8], b[8], out[8];
	char strings[16];
};

#define AT(field) ((uint32_t)offsetof(struct sum, field))

static void sum_fill(struct sum *s)
{
	static const uint8_t magic[8] = { 'N', 'N', 'V', 'E', 'C', '\r', '\n', 0x1a };
	const uint32_t data[] = { AT(a), AT(b), 0, AT(out) };

	memset(s, 0, sizeof(*s));
	memcpy(s->header.magic, magic, sizeof(magic));
	s->header.version = 1;
	s->header.header_size = sizeof(s->header);
	s->header.file_size = sizeof(*s);
	s->header.case_count = 1;
	s->header.cases_off = AT(item);
	s->header.strings_off = AT(strings);
	s->header.strings_size = sizeof(s->strings);
	memcpy(s->strings, "\0case", 5);
	s->item.name = 1;
	s->item.flags = NNV_CASE_DYNAMIC_OUTPUT_OK | NNV_CASE_QUANT_COUPLING_OK |
			NNV_CASE_DEVICE_MEMORY_OK;
	s->item.subgraph_count = 1;
	s->item.subgraphs_off = AT(subgraph);
	s->subgraph = (struct nnv_subgraph){ 4, AT(operands), 1, AT(operation),
					     2, AT(inputs),   1, AT(outputs) };
	s->operation =
		(struct nnv_operation){ NNA_OPERATION_ADD, 0, 3, 1, AT(inputs), AT(outputs) };
	for (int i = 0; i < 4; i++)
		s->operands[i] = (struct nnv_operand){
			.type = NNA_OPERAND_TENSOR_QUANT8_ASYMM,
			.lifetime = i < 3 ? NNV_INPUT : NNV_OUTPUT,
			.scale = 1.0f,
			.zero_point = 1,
			.rank = 1,
			.dims_off = AT(dims),
			.data_off = data[i],
			.data_size = 2,
		};
	s->operands[2] = (struct nnv_operand){
		.type = NNA_OPERAND_INT32,
		.lifetime = NNV_CONSTANT_COPY,
		.data_off = AT(activation),
		.data_size = 4,
	};
	s->inputs[1] = 1;
	s->inputs[2] = 2;
	s->outputs[0] = 3;
	s->dims[0] = 2;
	s->a[0] = 11;
	s->a[1] = 21;
	s->b[0] = 31;
	s->b[1] = 41;
	s->out[0] = 41; /* zero points are 1 */
	s->out[1] = 61;
}

static struct nnv_device devices[2];

static int open_devices(void **state)
{
	devices[0].api = &nnv_api_nnaccel;
	devices[1].api = &nnv_api_nnapi;
	for (int i = 0; i < 2; i++) {
		if (devices[i].api->open("loopback", 0, &devices[i]))
			return -1;
	}
	return 0;
}

static int close_devices(void **state)
{
	for (int i = 0; i < 2; i++)
		devices[i].api->close(&devices[i]);
	return 0;
}

static void run(const struct sum *sum, int device, enum nnv_mode mode, struct nnv_result *result)
{
	struct nnv_runner runner;
	struct nnv_file file;

	assert_int_equal(nnv_file_parse(sum, sizeof(*sum), &file, NULL, 0), 0);
	assert_int_equal(nnv_runner_init(&runner, &devices[device], mode, TIMEOUT_NS), 0);
	nnv_case_run(&runner, &file, nnv_file_case(&file, 0), result);
	nnv_runner_fini(&runner);
}

/* In all modes and through both APIs; @text is part of the message of a failure. */
static void expect(const struct sum *sum, enum nnv_status status, const char *text)
{
	struct nnv_result result;

	for (int device = 0; device < 2; device++) {
		for (int mode = NNV_MODE_SYNC; mode < NNV_MODE_INSUFFICIENT; mode++) {
			run(sum, device, mode, &result);
			if (result.status != status)
				print_error("mode %d through %s: %s\n", mode,
					    devices[device].api->name, result.message);
			assert_int_equal(result.status, status);
			assert_string_equal(result.operation,
					    mode == NNV_MODE_QUANT_COUPLING ?
						    "ADD TENSOR_QUANT8_ASYMM_SIGNED" :
						    "ADD TENSOR_QUANT8_ASYMM");
			if (status == NNV_FAILED)
				assert_non_null(strstr(result.message, text));
		}
	}
}

static void test_right(void **state)
{
	struct sum sum;

	sum_fill(&sum);
	expect(&sum, NNV_PASSED, NULL);
	sum.out[1]++; /* within the tolerance */
	expect(&sum, NNV_PASSED, NULL);
}

static void test_wrong_result(void **state)
{
	struct sum sum;

	sum_fill(&sum);
	sum.out[1] += 2;
	expect(&sum, NNV_FAILED, "element 1: expected");
	sum.item.flags |= NNV_CASE_QUANT8_TOLERANCE_3;
	expect(&sum, NNV_PASSED, NULL);
	sum.out[1] += 2;
	sum.operands[3].flags = NNV_OPERAND_IGNORED;
	expect(&sum, NNV_PASSED, NULL);
}

static void test_refusals(void **state)
{
	struct nnv_result result;
	struct sum sum;

	sum_fill(&sum);
	sum.operands[2].type = NNA_OPERAND_FLOAT32;
	expect(&sum, NNV_FAILED, "model: ");
	sum.operands[2].type = NNA_OPERAND_INT32;
	/* In NNAPI a wrong value is no error of the model, but it cannot be compiled. */
	sum.activation[0] = 99;
	run(&sum, 0, NNV_MODE_SYNC, &result);
	assert_int_equal(result.status, NNV_FAILED);
	run(&sum, 1, NNV_MODE_SYNC, &result);
	assert_int_equal(result.status, NNV_SKIPPED);
	sum.item.flags |= NNV_CASE_EXPECT_FAILURE;
	expect(&sum, NNV_PASSED, NULL);
	sum.activation[0] = 0;
	expect(&sum, NNV_FAILED, "expected to fail");
	sum.item.flags &= ~NNV_CASE_EXPECT_FAILURE;
	sum.item.flags |= NNV_CASE_INFINITE_LOOP;
	expect(&sum, NNV_FAILED, "an endless loop ended with");
}

static void test_insufficient(void **state)
{
	struct nnv_result result;
	struct sum sum;

	sum_fill(&sum);
	for (int device = 0; device < 2; device++) {
		run(&sum, device, NNV_MODE_INSUFFICIENT, &result);
		assert_int_equal(result.status, NNV_PASSED);
	}
}

/* In modes with a flag only the cases that carry it are run. */
static void test_flags(void **state)
{
	static const enum nnv_mode flagged[] = {
		NNV_MODE_FENCED,	NNV_MODE_DYNAMIC_OUTPUT, NNV_MODE_QUANT_COUPLING,
		NNV_MODE_DEVICE_MEMORY, NNV_MODE_INSUFFICIENT,
	};
	struct nnv_result result;
	struct sum sum;

	sum_fill(&sum);
	sum.item.flags = 0;
	for (size_t i = 0; i < sizeof(flagged) / sizeof(flagged[0]); i++) {
		run(&sum, 0, flagged[i], &result);
		assert_int_equal(result.status, NNV_NOT_IN_MODE);
	}
	run(&sum, 0, NNV_MODE_SYNC, &result);
	assert_int_equal(result.status, NNV_PASSED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_right),
		cmocka_unit_test(test_wrong_result),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_insufficient),
		cmocka_unit_test(test_flags),
	};

	return cmocka_run_group_tests(tests, open_devices, close_devices);
}
