// SPDX-License-Identifier: MIT
/* The reader of conformance vectors refuses what is not sound. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/conformance/case.h"

/* A file with one case: ADD of two float tensors of 2 elements and a scalar; a subgraph operand. */
struct sample {
	struct nnv_header header;
	struct nnv_case item;
	struct nnv_subgraph subgraphs[2];
	struct nnv_operand operands[5];
	struct nnv_operation operation;
	uint32_t inputs[4];
	uint32_t outputs[2];
	uint32_t dims[2];
	float data[2];
	float scales[2];
	uint32_t which[2];
	char strings[16];
};

#define AT(field) ((uint32_t)offsetof(struct sample, field))

static void sample_fill(struct sample *s)
{
	static const uint8_t magic[8] = { 'N', 'N', 'V', 'E', 'C', '\r', '\n', 0x1a };

	memset(s, 0, sizeof(*s));
	memcpy(s->header.magic, magic, sizeof(magic));
	s->header.version = 1;
	s->header.header_size = sizeof(s->header);
	s->header.file_size = sizeof(*s);
	s->header.case_count = 1;
	s->header.cases_off = AT(item);
	s->header.strings_off = AT(strings);
	s->header.strings_size = sizeof(s->strings);
	s->header.spec_name = 1;
	memcpy(s->strings, "\0spec\0case", 11);
	s->item.name = 6;
	s->item.subgraph_count = 2;
	s->item.subgraphs_off = AT(subgraphs);
	s->subgraphs[0] = (struct nnv_subgraph){
		.operand_count = 5,
		.operands_off = AT(operands),
		.operation_count = 1,
		.operations_off = AT(operation),
		.input_count = 2,
		.inputs_off = AT(inputs),
		.output_count = 1,
		.outputs_off = AT(outputs),
	};
	s->operation = (struct nnv_operation){
		.input_count = 3,
		.inputs_off = AT(inputs),
		.output_count = 1,
		.outputs_off = AT(outputs),
	};
	for (int i = 0; i < 4; i++)
		s->operands[i] = (struct nnv_operand){
			.type = NNA_OPERAND_TENSOR_FLOAT32,
			.lifetime = NNV_INPUT,
			.rank = 1,
			.dims_off = AT(dims),
			.data_off = AT(data),
			.data_size = 8,
		};
	s->operands[2] = (struct nnv_operand){
		.type = NNA_OPERAND_INT32,
		.lifetime = NNV_CONSTANT_COPY,
		.data_off = AT(data),
		.data_size = 4,
		.channel_scale_count = 2,
		.channel_scales_off = AT(scales),
	};
	s->operands[3].lifetime = NNV_OUTPUT;
	s->operands[4] = (struct nnv_operand){
		.type = NNA_OPERAND_SUBGRAPH,
		.lifetime = NNV_SUBGRAPH,
		.data_off = AT(which),
		.data_size = 4,
	};
	s->inputs[0] = 0;
	s->inputs[1] = 1;
	s->inputs[2] = 2;
	s->outputs[0] = 3;
	s->dims[0] = 2;
}

static int parse(const void *data, size_t size)
{
	struct nnv_file file;
	char error[128] = "";
	/* A copy of exactly the size, so that a read behind the end is seen by the sanitizer. */
	void *copy = malloc(size ? size : 1);
	int ret;

	assert_non_null(copy);
	memcpy(copy, data, size);
	ret = nnv_file_parse(copy, size, &file, error, sizeof(error));
	if (ret)
		assert_int_not_equal(error[0], 0);
	free(copy);
	return ret;
}

static void test_sound(void **state)
{
	struct sample s;
	struct nnv_file file;

	sample_fill(&s);
	assert_int_equal(nnv_file_parse(&s, sizeof(s), &file, NULL, 0), 0);
	assert_string_equal(nnv_file_string(&file, nnv_file_case(&file, 0)->name), "case");
	assert_string_equal(nnv_file_string(&file, nnv_file_header(&file)->spec_name), "spec");
	assert_null(nnv_file_at(&file, 0));
}

static void test_truncated(void **state)
{
	struct sample s;

	sample_fill(&s);
	for (size_t size = 0; size < sizeof(s); size++) {
		assert_int_not_equal(parse(&s, size), 0);
		/* Also if the header agrees with the size. */
		s.header.file_size = size;
		assert_int_not_equal(parse(&s, size), 0);
		s.header.file_size = sizeof(s);
	}
}

#define REFUSED(field, value) \
	do { \
		struct sample s; \
 \
		sample_fill(&s); \
		s.field = (value); \
		assert_int_not_equal(parse(&s, sizeof(s)), 0); \
	} while (0)

static void test_hostile_fields(void **state)
{
	REFUSED(header.magic[0], 'M');
	REFUSED(header.version, 2);
	REFUSED(header.header_size, 60);
	REFUSED(header.file_size, sizeof(struct sample) - 1);
	REFUSED(header.reserved[4], 1);
	REFUSED(header.case_count, 2000);
	REFUSED(header.case_count, UINT32_MAX);
	REFUSED(header.cases_off, 4);
	REFUSED(header.cases_off, UINT32_MAX - 7);
	REFUSED(header.strings_off, sizeof(struct sample));
	REFUSED(header.strings_size, 0);
	REFUSED(header.strings_size, 3);
	REFUSED(header.spec_name, 16);
	REFUSED(header.spec_dir, UINT32_MAX);
	REFUSED(item.name, 400);
	REFUSED(item.reserved, 1);
	REFUSED(item.multinomial_tolerance, -1.0f);
	REFUSED(item.subgraph_count, 0);
	REFUSED(item.subgraph_count, 1);
	REFUSED(item.subgraph_count, UINT32_MAX);
	REFUSED(item.subgraphs_off, 0);
	REFUSED(subgraphs[0].operand_count, 3);
	REFUSED(subgraphs[0].operand_count, UINT32_MAX);
	REFUSED(subgraphs[0].operations_off, 12);
	REFUSED(subgraphs[0].input_count, 100000);
	REFUSED(subgraphs[0].outputs_off, 0);
	REFUSED(operands[0].type, 16);
	REFUSED(operands[0].lifetime, 7);
	REFUSED(operands[0].flags, 2);
	REFUSED(operands[0].rank, 17);
	REFUSED(operands[0].dims_off, 0);
	REFUSED(operands[0].dims_off, UINT32_MAX - 7);
	REFUSED(operands[0].data_size, 4);
	REFUSED(operands[0].data_size, UINT32_MAX);
	REFUSED(operands[0].data_off, sizeof(struct sample) - 4);
	REFUSED(operands[0].extension, 1);
	REFUSED(operands[0].reserved[1], 1);
	REFUSED(operands[2].data_size, 0);
	REFUSED(operands[2].channel_scale_count, 1u << 30);
	REFUSED(operands[4].type, NNA_OPERAND_INT32);
	REFUSED(operands[4].data_size, 8);
	REFUSED(which[0], 1);
	REFUSED(which[0], UINT32_MAX);
	REFUSED(operation.extension, 3);
	REFUSED(operation.input_count, 1000);
	REFUSED(inputs[0], 5);
	REFUSED(inputs[2], UINT32_MAX);
	REFUSED(outputs[0], 5);
	REFUSED(dims[0], 3);
}

/* No word, whatever its value, makes the reader leave the file: the sanitizer watches. */
static void test_every_word(void **state)
{
	static const uint32_t values[] = {
		0, 1, 8, 64, 255, 0x7fffffff, 0x80000000, 0xfffffff8, ~0u
	};
	struct sample s;
	uint32_t word;

	for (size_t at = 0; at < sizeof(s); at += 4) {
		for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
			sample_fill(&s);
			memcpy((char *)&s + at, &values[i], 4);
			parse(&s, sizeof(s));
		}
		for (uint32_t bit = 0; bit < 32; bit++) {
			sample_fill(&s);
			memcpy(&word, (char *)&s + at, 4);
			word ^= 1u << bit;
			memcpy((char *)&s + at, &word, 4);
			parse(&s, sizeof(s));
		}
	}
}

/* Shared ranges could describe far more records than the file has bytes. */
static void test_work_is_bounded(void **state)
{
	const uint32_t cases = 60000;
	size_t size = sizeof(struct sample) + cases * sizeof(struct nnv_case) + 65536;
	uint8_t *bytes = calloc(1, size);
	struct sample *s = (struct sample *)bytes;
	struct nnv_case *items = (struct nnv_case *)(bytes + sizeof(*s));

	assert_non_null(bytes);
	sample_fill(s);
	s->header.file_size = size;
	s->header.case_count = cases;
	s->header.cases_off = sizeof(*s);
	for (uint32_t i = 0; i < cases; i++) {
		items[i] = s->item;
		items[i].subgraph_count = 1000;
		items[i].subgraphs_off = sizeof(*s) + cases * sizeof(*items);
	}
	assert_int_not_equal(parse(bytes, size), 0);
	free(bytes);
}

static void test_open(void **state)
{
	char path[] = "/tmp/test_nnv.XXXXXX", error[128] = "";
	struct nnv_file file;
	struct sample s;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_not_equal(nnv_file_open(path, &file, error, sizeof(error)), 0);
	sample_fill(&s);
	assert_int_equal(write(fd, &s, sizeof(s)), sizeof(s));
	assert_int_equal(nnv_file_open(path, &file, error, sizeof(error)), 0);
	nnv_file_close(&file);
	assert_int_equal(ftruncate(fd, sizeof(s) - 8), 0);
	assert_int_not_equal(nnv_file_open(path, &file, error, sizeof(error)), 0);
	close(fd);
	unlink(path);
	assert_int_not_equal(nnv_file_open(path, &file, error, sizeof(error)), 0);
	assert_int_not_equal(nnv_file_open("/tmp", &file, error, sizeof(error)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sound),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_hostile_fields),
		cmocka_unit_test(test_every_word),
		cmocka_unit_test(test_work_is_bounded),
		cmocka_unit_test(test_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
