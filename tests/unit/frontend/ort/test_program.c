// SPDX-License-Identifier: MIT
/*
 * Groups that were saved, with a stub of the runtime in this test: bytes that are damaged, and ones
 * that are right beside a model that is not, whose tensors have other sizes than the program's; and
 * how often a run asks the runtime.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "frontend/onnx/onnx.h"
#include "frontend/ort/program.h"
#include "tests/unit/frontend/ort/status.h"
#include "tests/unit/libnnaccel/loopback.h"

#define COLUMNS 3u
#define ELEMENTS (2 * COLUMNS)
#define HEAD (sizeof(struct ort_program_head))

/**
 * struct tensor - an input or output of the stub's runtime
 * @size: bytes that @data has room for
 */
struct tensor {
	int type;
	size_t rank;
	int64_t dims[4];
	size_t size;
	float data[ELEMENTS];
};

/* The fused node, and what it is run with. */
static struct {
	size_t inputs, outputs;
	struct tensor in, out;
	size_t asked_rank;
	unsigned int calls, descriptions;
} node;

static struct ort_status *node_name(const void *of, const char **to)
{
	*to = "group";
	return NULL;
}

static struct ort_status *node_inputs(const void *of, size_t *to)
{
	*to = node.inputs;
	return NULL;
}

static struct ort_status *node_outputs(const void *of, size_t *to)
{
	*to = node.outputs;
	return NULL;
}

static struct ort_status *context_input(void *context, size_t index, const void **to)
{
	assert_true(index < node.inputs);
	node.calls++;
	*to = &node.in;
	return NULL;
}

static struct ort_status *context_output(void *context, size_t index, const int64_t *dims,
					 size_t rank, void **to)
{
	assert_true(index < node.outputs);
	node.calls++;
	node.asked_rank = rank;
	*to = &node.out;
	return NULL;
}

static struct ort_status *value_info(const struct tensor *of, const void **to)
{
	node.descriptions++;
	*to = of;
	return NULL;
}

static void release_info(void *info)
{
}

static struct ort_status *info_type(const struct tensor *of, int *to)
{
	*to = of->type;
	return NULL;
}

static struct ort_status *info_rank(const struct tensor *of, size_t *to)
{
	*to = of->rank;
	return NULL;
}

static struct ort_status *info_dims(const struct tensor *of, int64_t *to, size_t rank)
{
	memcpy(to, of->dims, rank * sizeof(*to));
	return NULL;
}

static struct ort_status *tensor_shape(const struct tensor *of, int *type, const int64_t **dims,
				       size_t *rank)
{
	node.calls++;
	*type = of->type;
	*dims = of->dims;
	*rank = of->rank;
	return NULL;
}

static struct ort_status *tensor_size(const struct tensor *of, size_t *to)
{
	node.calls++;
	*to = of->size;
	return NULL;
}

static struct ort_status *tensor_data(struct tensor *of, void **to)
{
	node.calls++;
	*to = of->data;
	return NULL;
}

typedef void slot(void);

static slot *const TABLE[ORT_TENSOR_SHAPE + 1] = {
	[ORT_CREATE_STATUS] = (slot *)create_status,
	[ORT_GET_ERROR_MESSAGE] = (slot *)status_text,
	[ORT_RELEASE_STATUS] = (slot *)release_status,
	[ORT_NODE_NAME] = (slot *)node_name,
	[ORT_NODE_INPUTS] = (slot *)node_inputs,
	[ORT_NODE_OUTPUTS] = (slot *)node_outputs,
	[ORT_CONTEXT_INPUT] = (slot *)context_input,
	[ORT_CONTEXT_OUTPUT] = (slot *)context_output,
	[ORT_VALUE_INFO] = (slot *)value_info,
	[ORT_RELEASE_INFO] = (slot *)release_info,
	[ORT_INFO_TYPE] = (slot *)info_type,
	[ORT_INFO_RANK] = (slot *)info_rank,
	[ORT_INFO_DIMS] = (slot *)info_dims,
	[ORT_TENSOR_SIZE] = (slot *)tensor_size,
	[ORT_TENSOR_DATA] = (slot *)tensor_data,
	[ORT_TENSOR_SHAPE] = (slot *)tensor_shape,
};

static const struct ort_api API = { .table = TABLE }, NEWER = { .table = TABLE, .shapes = true };
static struct ort_log log_of = { .api = &API };

/* Bytes of a saved group. */
struct bytes {
	uint8_t at[1 << 16];
	size_t size;
};

static int append(void *user, const void *data, size_t size)
{
	struct bytes *to = user;

	assert_true(size <= sizeof(to->at) - to->size);
	memcpy(to->at + to->size, data, size);
	to->size += size;
	return 0;
}

/* y [2, COLUMNS] = floor(x), as ort_program_save() writes it. */
static void save(struct nna_device *device, struct bytes *to)
{
	const struct ort_program_head head = { ORT_PROGRAM_MAGIC, 1, 1 };
	const struct nna_blob_writer writer = { append, to };
	const uint32_t dims[] = { 2, COLUMNS }, first[] = { 0, 0 };
	const struct nna_operand_desc desc = { .type = NNA_OPERAND_TENSOR_FLOAT32, .rank = 2,
					       .dims = dims };
	struct nna_program *program;
	struct nna_graph *g;
	uint32_t x, y;

	assert_int_equal(nna_graph_create(&test_log, &g), 0);
	x = (uint32_t)nna_graph_add_operand(g, 0, &desc);
	y = (uint32_t)nna_graph_add_operand(g, 0, &desc);
	assert_int_equal(nna_graph_add_operation(g, 0, NNA_OPERATION_FLOOR, 1, &x, 1, &y), 0);
	assert_int_equal(nna_graph_set_io(g, 0, 1, &x, 1, &y), 0);
	assert_int_equal(nna_graph_finish(g), 0);
	assert_int_equal(nna_program_create(device, g, NULL, &program), 0);
	to->size = 0;
	append(to, &head, sizeof(head));
	append(to, first, sizeof(first));
	assert_int_equal(nna_program_save(program, &writer), 0);
	nna_program_destroy(program);
	nna_graph_unref(g);
}

/* The model that the group was saved from. */
static void reset_node(void)
{
	const struct tensor tensor = {
		.type = ONNX_FLOAT,
		.rank = 2,
		.dims = { 2, COLUMNS },
		.size = ELEMENTS * sizeof(float),
	};

	node.inputs = node.outputs = 1;
	node.in = node.out = tensor;
	for (uint32_t i = 0; i < ELEMENTS; i++) {
		node.in.data[i] = (float)i + 0.5f;
		node.out.data[i] = -1;
	}
}

static struct ort_status *load(struct nna_device *device, const struct bytes *from,
			       struct ort_compute **out)
{
	*out = NULL;
	return ort_program_load(&log_of, device, NULL, NNA_PRIORITY_MEDIUM, from->at, from->size,
				out);
}

static void refused(struct nna_device *device, const struct bytes *from)
{
	struct ort_compute *compute;

	assert_status(load(device, from, &compute), ORT_EP_FAIL, "make the model again");
	assert_null(compute);
}

static void test_right(void **state)
{
	static struct bytes bytes;
	struct ort_compute *compute;

	reset_node();
	save(*state, &bytes);
	assert_null(load(*state, &bytes, &compute));
	assert_null(compute->compute(compute, compute, NULL));
	assert_int_equal(node.asked_rank, 2);
	for (uint32_t i = 0; i < ELEMENTS; i++)
		assert_true(node.out.data[i] == (float)i);
	ort_program_destroy(compute);
}

/* Bytes that end early, and lists that are no orders of the node's. */
static void test_damaged(void **state)
{
	static struct bytes whole, bytes;
	const uint32_t wrong[] = { 1, UINT32_MAX };

	reset_node();
	save(*state, &whole);
	for (size_t size = 0; size < whole.size; size += 1 + size / 16) {
		bytes = whole;
		bytes.size = size;
		refused(*state, &bytes);
	}
	for (uint32_t i = 0; i < 2 * 2; i++) {
		bytes = whole;
		memcpy(bytes.at + HEAD + i % 2 * sizeof(*wrong), &wrong[i / 2], sizeof(*wrong));
		refused(*state, &bytes);
	}
	node.inputs = 2;
	refused(*state, &whole);
	node.inputs = 0;
	refused(*state, &whole);
	reset_node();
	node.outputs = 2;
	refused(*state, &whole);
}

static void fails(struct nna_device *device, const struct bytes *from, const char *words)
{
	struct ort_compute *compute;

	assert_null(load(device, from, &compute));
	assert_status(compute->compute(compute, compute, NULL), ORT_INVALID_ARGUMENT, words);
	for (uint32_t i = 0; i < ELEMENTS; i++)
		assert_true(node.out.data[i] == -1);
	ort_program_destroy(compute);
}

/* A runtime has only as much memory for an output as the model says. */
static void test_smaller_output(void **state)
{
	static struct bytes bytes;
	uint32_t scalar = ORT_PROGRAM_SCALAR;

	reset_node();
	save(*state, &bytes);
	node.out.size = ELEMENTS;
	fails(*state, &bytes, "output 0");
	reset_node();
	memcpy(bytes.at + HEAD + sizeof(scalar), &scalar, sizeof(scalar));
	node.out.size = sizeof(float);
	fails(*state, &bytes, "output 0");
	assert_int_equal(node.asked_rank, 0);
}

static void test_other_input(void **state)
{
	static struct bytes bytes;

	reset_node();
	save(*state, &bytes);
	node.in.dims[0] = 1;
	node.in.size /= 2;
	fails(*state, &bytes, "the shapes of its inputs");
	/* As many bytes, but not as they are meant. */
	reset_node();
	node.in.dims[0] = COLUMNS;
	node.in.dims[1] = 2;
	fails(*state, &bytes, "the shapes of its inputs");
}

/*
 * What a run asks for: of each input and output the tensor, its memory and its bytes, and of an
 * input whose shape can differ that one, which makes a description in the runtime before 1.24 only.
 */
static void test_calls(void **state)
{
	static struct bytes bytes;
	struct ort_compute *compute;

	for (int newer = 0; newer < 2; newer++) {
		reset_node();
		save(*state, &bytes);
		log_of.api = newer ? &NEWER : &API;
		assert_null(load(*state, &bytes, &compute));
		assert_null(compute->compute(compute, compute, NULL));
		node.calls = node.descriptions = 0;
		assert_null(compute->compute(compute, compute, NULL));
		assert_int_equal(node.descriptions, newer ? 0 : 1);
		assert_int_equal(node.calls, 2 * 3 + 1 + newer);
		/* The dims count in either way. */
		node.in.dims[0] = COLUMNS;
		node.in.dims[1] = 2;
		assert_status(compute->compute(compute, compute, NULL), ORT_INVALID_ARGUMENT,
			      "the shapes of its inputs");
		ort_program_destroy(compute);
	}
	log_of.api = &API;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_right),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_smaller_output),
		cmocka_unit_test(test_other_input),
		cmocka_unit_test(test_calls),
	};

	return cmocka_run_group_tests(tests, open_device, close_device);
}
