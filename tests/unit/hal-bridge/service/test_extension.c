// SPDX-License-Identifier: MIT
/* Extensions: what IDevice says of them, models that use them, and their operands' data. */
#include "hal-bridge/include/fibonacci_extension.h"
#include "hal-bridge/include/nnaccel_ops.h"
#include "tests/unit/hal-bridge/service/fixture.h"

static void told(void **state)
{
	struct nnb_service *service = *state;
	struct nnb_aidl_device_get_supported_extensions_out out;
	const struct nnb_aidl_extension *extension;
	struct nnb_arena arena = {0};

	assert_int_equal(HAL_CALL(hal_dev(service), &hal_me, device,
				  NNB_AIDL_DEVICE_GET_SUPPORTED_EXTENSIONS, NULL, &arena, &out),
			 0);
	assert_true(out.result.count >= 1);
	extension = &out.result.data[0];
	assert_string_equal(extension->name, NNACCEL_OPS_NAME);
	assert_int_equal(extension->operand_types.count, 1);
	assert_int_equal(extension->operand_types.data[0].type, NNACCEL_OPS_TENSOR_INT64);
	assert_int_equal(extension->operand_types.data[0].byte_size, 8);
	assert_true(extension->operand_types.data[0].is_tensor);
	nnb_arena_fini(&arena);
}

/* The model's ADD becomes another operation of an extension with this name. */
static void use_extension(struct hal_model *m, const char *name, int32_t number)
{
	m->model.extension_name_to_prefix.count = 1;
	m->extensions[0] = (struct nnb_aidl_extension_name_and_prefix){name, 7};
	m->operations[0].type = 7 << 16 | number;
	m->operations[0].inputs.count = 2;
}

static void operation_runs(void **state)
{
	static const float expected[] = {10, 10, 10, 10};
	struct nnb_aidl_device_prepare_model_in in;
	struct nnb_object *model;
	struct hal_request r;
	struct hal_model m;
	uint32_t count;
	float out[4];

	hal_model_init(&m);
	use_extension(&m, NNACCEL_OPS_NAME, NNACCEL_OPS_SQUARED_DIFFERENCE);
	assert_int_equal(hal_supported(*state, &m, &count), 0);
	assert_int_equal(count, 2);
	in = hal_prepare_in(&m);
	assert_int_equal(hal_prepare(*state, &hal_me, &in, &model), 0);
	hal_request_init(&r, true);
	assert_int_equal(hal_execute(model, &r), 0);
	assert_int_equal(pread(r.fd, out, sizeof(out), 64), sizeof(out));
	assert_memory_equal(out, expected, sizeof(out));
	hal_request_fini(&r);
	nnb_object_unref(model);
	hal_model_fini(&m);
}

/* A model that is valid, and has an operation that nobody here knows. */
static void not_supported(void **state)
{
	static const struct {
		const char *name;
		int32_t number;
	} unknown[] = {{"com.example.none", 0}, {NNACCEL_OPS_NAME, 99}};

	for (size_t i = 0; i < 2; i++) {
		struct nnb_aidl_device_prepare_model_in in;
		struct nnb_object *model;
		struct hal_model m;
		uint32_t count;

		hal_model_init(&m);
		use_extension(&m, unknown[i].name, unknown[i].number);
		assert_int_equal(hal_supported(*state, &m, &count), 0);
		assert_int_equal(count, 1);
		in = hal_prepare_in(&m);
		assert_int_equal(hal_prepare(*state, &hal_me, &in, &model), HAL_FAILURE);
		m.operations[0].type = 8 << 16;
		assert_int_equal(hal_supported(*state, &m, &count), HAL_INVALID);
		hal_model_fini(&m);
	}
}

/* A type that nobody here knows, of a constant, too: what does not use it is supported. */
static void unknown_type(void **state)
{
	struct hal_model m;
	uint32_t count;

	hal_model_init(&m);
	use_extension(&m, "com.example.none", 0);
	m.operands[HAL_POOLED].type = 7 << 16 | 5;
	m.operands[HAL_POOLED].dimensions.count = 0;
	m.operands[HAL_POOLED].location.length = 3;
	assert_int_equal(hal_supported(*state, &m, &count), 0);
	assert_int_equal(count, 1);
	hal_model_fini(&m);
}

#define FIBONACCI 6

/**
 * struct fibonacci - Android's example: n -> the first n numbers, in halves
 * @model: what is sent
 * @operands: n, and the numbers
 * @extra: how these are stored
 */
struct fibonacci {
	struct nnb_aidl_model model;
	struct nnb_aidl_operand operands[2];
	struct nnb_aidl_operation operation;
	struct nnb_aidl_operand_extra_params extra;
	struct nnb_aidl_extension_name_and_prefix extension;
	ExampleQuant64AsymmParams params;
	int32_t in, out, count;
};

static void fibonacci_init(struct fibonacci *f)
{
	memset(f, 0, sizeof(*f));
	f->out = 1;
	f->count = FIBONACCI;
	f->params.scale = 0.5;
	f->extra.tag = NNB_AIDL_OPERAND_EXTRA_PARAMS_EXTENSION;
	f->extra.extension = (struct nnb_bytes){sizeof(f->params), (uint8_t *)&f->params};
	f->operands[0].type = 3 << 16 | EXAMPLE_INT64;
	f->operands[0].lifetime = NNB_AIDL_OPERAND_LIFE_TIME_SUBGRAPH_INPUT;
	f->operands[1].type = 3 << 16 | EXAMPLE_TENSOR_QUANT64_ASYMM;
	f->operands[1].lifetime = NNB_AIDL_OPERAND_LIFE_TIME_SUBGRAPH_OUTPUT;
	f->operands[1].dimensions = (struct nnb_ints){1, &f->count};
	f->operands[1].extra_params = &f->extra;
	f->operation.type = 3 << 16 | EXAMPLE_FIBONACCI;
	f->operation.inputs = (struct nnb_ints){1, &f->in};
	f->operation.outputs = (struct nnb_ints){1, &f->out};
	f->extension =
		(struct nnb_aidl_extension_name_and_prefix){EXAMPLE_FIBONACCI_EXTENSION_NAME, 3};
	f->model.main.operands.count = 2;
	f->model.main.operands.data = f->operands;
	f->model.main.operations.count = 1;
	f->model.main.operations.data = &f->operation;
	f->model.main.input_indexes = (struct nnb_ints){1, &f->in};
	f->model.main.output_indexes = (struct nnb_ints){1, &f->out};
	f->model.extension_name_to_prefix.count = 1;
	f->model.extension_name_to_prefix.data = &f->extension;
}

static int fibonacci_prepare(struct nnb_service *service, const struct fibonacci *f,
			     struct nnb_object **model)
{
	const struct hal_model m = {.model = f->model};
	const struct nnb_aidl_device_prepare_model_in in = hal_prepare_in(&m);

	return hal_prepare(service, &hal_me, &in, model);
}

/* Types with 64-bit elements as arguments, a scalar, and an operand's data that counts. */
static void fibonacci_runs(void **state)
{
	static const int64_t n = FIBONACCI, halves[FIBONACCI] = {2, 2, 4, 6, 10, 16};
	int64_t out[FIBONACCI];
	struct nnb_object *model;
	struct hal_request r;
	struct fibonacci f;

	fibonacci_init(&f);
	assert_int_equal(fibonacci_prepare(*state, &f, &model), 0);
	for (int sealed = 0; sealed < 2; sealed++) {
		const int32_t dims[] = {FIBONACCI};

		hal_request_init(&r, sealed);
		assert_int_equal(pwrite(r.fd, &n, sizeof(n), 0), sizeof(n));
		r.in.location.length = sizeof(n);
		r.out.location.length = sizeof(out);
		r.out.dimensions = (struct nnb_ints){sealed, dims};
		assert_int_equal(hal_execute(model, &r), 0);
		assert_int_equal(pread(r.fd, out, sizeof(out), 64), sizeof(out));
		assert_memory_equal(out, halves, sizeof(out));
		hal_request_fini(&r);
	}
	nnb_object_unref(model);
}

static void bad_operands(void **state)
{
	static const uint8_t data[sizeof(ExampleQuant64AsymmParams)];
	const struct {
		int32_t tag;
		uint32_t size;
		float scale;
		int32_t type;
	} wrong[] = {
		{NNB_AIDL_OPERAND_EXTRA_PARAMS_EXTENSION, 3, 0, EXAMPLE_TENSOR_QUANT64_ASYMM},
		{NNB_AIDL_OPERAND_EXTRA_PARAMS_CHANNEL_QUANT, 0, 0, EXAMPLE_TENSOR_QUANT64_ASYMM},
		{NNB_AIDL_OPERAND_EXTRA_PARAMS_EXTENSION, sizeof(data), 1,
		 EXAMPLE_TENSOR_QUANT64_ASYMM},
		/* A scalar with dimensions. */
		{NNB_AIDL_OPERAND_EXTRA_PARAMS_EXTENSION, 0, 0, EXAMPLE_INT64},
	};
	struct nnb_object *model;
	struct fibonacci f;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		fibonacci_init(&f);
		memset(&f.extra, 0, sizeof(f.extra));
		f.extra.tag = wrong[i].tag;
		if (wrong[i].size)
			f.extra.extension = (struct nnb_bytes){wrong[i].size, data};
		f.operands[1].scale = wrong[i].scale;
		f.operands[1].type = 3 << 16 | wrong[i].type;
		assert_int_equal(fibonacci_prepare(*state, &f, &model), HAL_INVALID);
	}
	/* Of a type that the extension does not have nobody knows whether it is right. */
	fibonacci_init(&f);
	f.operands[1].type = 3 << 16 | 99;
	assert_int_equal(fibonacci_prepare(*state, &f, &model), HAL_FAILURE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(told),		cmocka_unit_test(operation_runs),
		cmocka_unit_test(not_supported), cmocka_unit_test(unknown_type),
		cmocka_unit_test(fibonacci_runs), cmocka_unit_test(bad_operands),
	};

	return cmocka_run_group_tests(tests, hal_setup, hal_teardown);
}
