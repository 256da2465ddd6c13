// SPDX-License-Identifier: MIT
/*
 * The HAL's rules of models: one thing at a time is wrong, and both getSupportedOperations and
 * prepareModel refuse it, the callback being told once.
 */
#include <math.h>

#include "tests/unit/hal-bridge/service/fixture.h"

static void valid(void **state)
{
	struct nnb_aidl_device_prepare_model_in in;
	struct nnb_object *model;
	struct hal_model m;
	uint32_t count;

	hal_model_init(&m);
	assert_int_equal(hal_supported(*state, &m, &count), 0);
	assert_int_equal(count, 2);
	in = hal_prepare_in(&m);
	assert_int_equal(hal_prepare(*state, &hal_me, &in, &model), 0);
	nnb_object_unref(model);
	hal_model_fini(&m);
}

/* All tensors are integers; the input has this scale and zero point. */
static void make_int32(struct hal_model *m, float scale, int32_t zero_point)
{
	for (int i = 0; i < HAL_OPERANDS; i++) {
		if (i != HAL_ACT)
			m->operands[i].type = NNB_AIDL_OPERAND_TYPE_TENSOR_INT32;
	}
	m->operands[HAL_IN].scale = scale;
	m->operands[HAL_IN].zero_point = zero_point;
}

/* X(name, statement): makes one thing of struct hal_model *m wrong. */
#define MUTATIONS(X)                                                                               \
	X(no_operands, m->model.main.operands.count = 0)                                           \
	X(no_operations, m->model.main.operations.count = 0)                                       \
	X(no_outputs, m->model.main.output_indexes.count = 0)                                      \
	X(type_unknown, m->operands[HAL_IN].type = 16)                                             \
	X(type_negative, m->operands[HAL_IN].type = -1)                                            \
	X(type_extension, m->operands[HAL_IN].type = 0x10001)                                      \
	X(type_oem, m->operands[HAL_IN].type = 10001)                                              \
	X(dimension_negative, m->dims[0] = -2)                                                     \
	X(dimensions_too_large, m->dims[0] = m->dims[1] = 0x10000)                                 \
	X(scalar_with_dimensions, m->operands[HAL_ACT].dimensions.count = 1)                       \
	X(scale_of_float, m->operands[HAL_IN].scale = 1.0f)                                        \
	X(scale_nan, m->operands[HAL_IN].scale = NAN)                                              \
	X(zero_point_of_float, m->operands[HAL_TMP].zero_point = 1)                                \
	X(scale_of_activation, m->operands[HAL_ACT].scale = 1.0f)                                  \
	X(scale_nan_of_activation, m->operands[HAL_ACT].scale = NAN)                               \
	X(zero_point_of_activation, m->operands[HAL_ACT].zero_point = 1)                           \
	X(int32_scale_nan, make_int32(m, NAN, 0))                                                  \
	X(int32_scale_negative, make_int32(m, -1.0f, 0))                                           \
	X(int32_zero_point, make_int32(m, 1.0f, 1))                                                \
	X(int32_zero_point_alone, make_int32(m, 0.0f, -1))                                         \
	X(extra_of_float, m->operands[HAL_IN].extra_params = &m->extra)                            \
	X(per_channel_without,                                                                     \
	  m->operands[HAL_IN].type = NNB_AIDL_OPERAND_TYPE_TENSOR_QUANT8_SYMM_PER_CHANNEL)         \
	X(lifetime_unknown, m->operands[HAL_TMP].lifetime = 7)                                     \
	X(lifetime_negative, m->operands[HAL_TMP].lifetime = -1)                                   \
	X(lifetime_tmp_as_input,                                                                   \
	  m->operands[HAL_TMP].lifetime = NNB_AIDL_OPERAND_LIFE_TIME_SUBGRAPH_INPUT)               \
	X(lifetime_tmp_as_output,                                                                  \
	  m->operands[HAL_TMP].lifetime = NNB_AIDL_OPERAND_LIFE_TIME_SUBGRAPH_OUTPUT)              \
	X(lifetime_input_as_tmp, m->operands[HAL_IN].lifetime = 0)                                 \
	X(lifetime_input_as_no_value,                                                              \
	  m->operands[HAL_IN].lifetime = NNB_AIDL_OPERAND_LIFE_TIME_NO_VALUE)                      \
	X(lifetime_output_as_tmp, m->operands[HAL_OUT].lifetime = 0)                               \
	X(lifetime_constant_as_tmp, m->operands[HAL_COPIED].lifetime = 0)                          \
	X(lifetime_pool_as_copy,                                                                   \
	  m->operands[HAL_POOLED].lifetime = NNB_AIDL_OPERAND_LIFE_TIME_CONSTANT_COPY)             \
	X(lifetime_subgraph, m->operands[HAL_IN].lifetime = NNB_AIDL_OPERAND_LIFE_TIME_SUBGRAPH)   \
	X(type_subgraph, m->operands[HAL_ACT].type = NNB_AIDL_OPERAND_TYPE_SUBGRAPH)               \
	X(place_of_input, m->operands[HAL_IN].location.length = 4)                                 \
	X(place_of_tmp, m->operands[HAL_TMP].location.offset = 4)                                  \
	X(place_of_output, m->operands[HAL_OUT].location.pool_index = 1)                           \
	X(place_padding, m->operands[HAL_TMP].location.padding = 1)                                \
	X(copy_with_pool, m->operands[HAL_COPIED].location.pool_index = 1)                         \
	X(copy_offset_negative, m->operands[HAL_COPIED].location.offset = -8)                      \
	X(copy_offset, m->operands[HAL_COPIED].location.offset = 9)                                \
	X(copy_offset_overflow, m->operands[HAL_COPIED].location.offset = INT64_MAX)               \
	X(copy_length, m->operands[HAL_COPIED].location.length = 12)                               \
	X(copy_length_zero, m->operands[HAL_COPIED].location.length = 0)                           \
	X(copy_length_negative, m->operands[HAL_COPIED].location.length = -16)                     \
	X(copy_padding, m->operands[HAL_COPIED].location.padding = 1)                              \
	X(copy_padding_negative, m->operands[HAL_COPIED].location.padding = -1)                    \
	X(values_short, m->model.operand_values.count = 23)                                        \
	X(pool_index, m->operands[HAL_POOLED].location.pool_index = 1)                             \
	X(pool_index_negative, m->operands[HAL_POOLED].location.pool_index = -1)                   \
	X(pool_none, m->model.pools.count = 0)                                                     \
	X(pool_offset, m->operands[HAL_POOLED].location.offset = 49)                               \
	X(pool_length, m->operands[HAL_POOLED].location.length = 20)                               \
	X(pool_padding, m->operands[HAL_POOLED].location.padding = 33)                             \
	X(pool_short, m->pool.mappable_file.length = 31)                                           \
	X(pool_longer_than_file, m->pool.mappable_file.length = 65)                                \
	X(pool_length_zero, m->pool.mappable_file.length = 0)                                      \
	X(pool_file_offset, m->pool.mappable_file.offset = -1)                                     \
	X(pool_protection, m->pool.mappable_file.prot = PROT_EXEC)                                 \
	X(pool_unreadable, m->pool.mappable_file.prot = PROT_WRITE)                                \
	X(constant_of_unknown_size, m->operands[HAL_COPIED].dimensions.count = 0)                  \
	X(input_index, m->in = HAL_OPERANDS)                                                       \
	X(input_index_negative, m->in = -1)                                                        \
	X(input_index_of_other, m->in = HAL_TMP)                                                   \
	X(input_missing, m->model.main.input_indexes.count = 0)                                    \
	X(output_index, m->out = HAL_OPERANDS)                                                     \
	X(output_index_of_other, m->out = HAL_TMP)                                                 \
	X(operation_unknown, m->operations[0].type = 106)                                          \
	X(operation_negative, m->operations[0].type = -1)                                          \
	X(operation_extension, m->operations[0].type = 0x10000)                                    \
	X(operand_of_operation, m->add[0] = HAL_OPERANDS)                                          \
	X(operand_of_operation_negative, m->add[1] = -1)                                           \
	X(reads_what_comes_later, m->add[0] = HAL_TMP)                                             \
	X(reads_its_own_output, m->mul[0] = HAL_OUT)                                               \
	X(writes_twice, m->out = HAL_TMP)                                                          \
	X(writes_input, m->tmp = HAL_IN)                                                           \
	X(writes_constant, m->tmp = HAL_COPIED)                                                    \
	X(never_written, m->model.main.operations.count = 1)                                       \
	X(operations_reversed, {                                                                   \
		struct nnb_aidl_operation first = m->operations[0];                                \
		m->operations[0] = m->operations[1];                                               \
		m->operations[1] = first;                                                          \
	})                                                                                         \
	X(too_few_inputs, m->operations[0].inputs.count = 1)                                       \
	X(too_many_inputs, {                                                                       \
		static const int32_t four[] = {HAL_IN, HAL_POOLED, HAL_ACT, HAL_ACT};              \
		m->operations[0].inputs = (struct nnb_ints){4, four};                              \
	})                                                                                         \
	X(types_differ, m->operands[HAL_TMP].type = NNB_AIDL_OPERAND_TYPE_TENSOR_FLOAT16)          \
	X(referenced_empty, m->model.referenced.count = 1)                                         \
	X(extension_without_name, {                                                                \
		m->model.extension_name_to_prefix.count = 1;                                       \
		m->extensions[0] = (struct nnb_aidl_extension_name_and_prefix){"", 1};             \
	})                                                                                         \
	X(extension_prefix_zero, {                                                                 \
		m->model.extension_name_to_prefix.count = 1;                                       \
		m->extensions[0] = (struct nnb_aidl_extension_name_and_prefix){"a", 0};            \
	})                                                                                         \
	X(extension_prefix_twice, {                                                                \
		m->model.extension_name_to_prefix.count = 2;                                       \
		m->extensions[0] = (struct nnb_aidl_extension_name_and_prefix){"a", 1};            \
		m->extensions[1] = (struct nnb_aidl_extension_name_and_prefix){"b", 1};            \
	})                                                                                         \
	X(extension_name_twice, {                                                                  \
		m->model.extension_name_to_prefix.count = 2;                                       \
		m->extensions[0] = (struct nnb_aidl_extension_name_and_prefix){"a", 1};            \
		m->extensions[1] = (struct nnb_aidl_extension_name_and_prefix){"a", 2};            \
	})

#define MUTATION(name, ...)                                                                        \
	static void mutate_##name(struct hal_model *m)                                             \
	{                                                                                          \
		__VA_ARGS__;                                                                       \
	}
MUTATIONS(MUTATION)

#define ENTRY(name, ...) {#name, mutate_##name},
static const struct {
	const char *name;
	void (*mutate)(struct hal_model *m);
} mutations[] = {MUTATIONS(ENTRY)};

static void refused(void **state)
{
	for (size_t i = 0; i < sizeof(mutations) / sizeof(mutations[0]); i++) {
		struct nnb_aidl_device_prepare_model_in in;
		struct nnb_object *model;
		struct hal_model m;
		uint32_t count;
		int asked, told;

		hal_model_init(&m);
		mutations[i].mutate(&m);
		asked = hal_supported(*state, &m, &count);
		in = hal_prepare_in(&m);
		told = hal_prepare(*state, &hal_me, &in, &model);
		if (asked != HAL_INVALID || told != HAL_INVALID)
			fail_msg("%s: asked %d, prepared %d", mutations[i].name, asked, told);
		hal_model_fini(&m);
	}
}

/* Subgraphs that refer to each other. The IF's own signature does not matter: it comes later. */
static void circle(void **state)
{
	struct nnb_aidl_operand operands[2][3] = {0};
	struct nnb_aidl_operation operation = {.type = NNB_AIDL_OPERATION_TYPE_IF};
	const int32_t in = 0, out = 2, inputs[] = {0, 1};
	struct hal_model m;
	uint32_t count;

	hal_model_init(&m);
	operation.inputs = (struct nnb_ints){2, inputs};
	operation.outputs = (struct nnb_ints){1, &out};
	for (int i = 0; i < 2; i++) {
		struct nnb_aidl_subgraph *subgraph = &m.referenced[i];

		operands[i][0] = m.operands[HAL_IN];
		operands[i][1].type = NNB_AIDL_OPERAND_TYPE_SUBGRAPH;
		operands[i][1].lifetime = NNB_AIDL_OPERAND_LIFE_TIME_SUBGRAPH;
		operands[i][1].location.offset = 1 - i;
		operands[i][2] = m.operands[HAL_OUT];
		subgraph->operands.count = 3;
		subgraph->operands.data = operands[i];
		subgraph->operations.count = 1;
		subgraph->operations.data = &operation;
		subgraph->input_indexes = (struct nnb_ints){1, &in};
		subgraph->output_indexes = (struct nnb_ints){1, &out};
	}
	m.model.referenced.count = 2;
	assert_int_equal(hal_supported(*state, &m, &count), HAL_INVALID);
	operands[0][1].location.offset = 0;
	operands[1][1].location.offset = 1;
	assert_int_equal(hal_supported(*state, &m, &count), HAL_INVALID);
	operands[0][1].location.offset = 2;
	assert_int_equal(hal_supported(*state, &m, &count), HAL_INVALID);
	hal_model_fini(&m);
}

/* Operations that a version does not have yet. */
static void versions(void **state)
{
	static const struct {
		int version;
		int32_t type;
	} newer[] = {
		{1, NNB_AIDL_OPERATION_TYPE_BATCH_MATMUL},
		{1, NNB_AIDL_OPERATION_TYPE_REVERSE},
		{2, NNB_AIDL_OPERATION_TYPE_MIRROR_PAD},
	};

	for (size_t i = 0; i < sizeof(newer) / sizeof(newer[0]); i++) {
		struct nnb_service *service = hal_service(newer[i].version, NULL);
		struct hal_model m;
		uint32_t count;

		hal_model_init(&m);
		assert_int_equal(hal_supported(service, &m, &count), 0);
		assert_int_equal(count, 2);
		m.operations[0].type = newer[i].type;
		assert_int_equal(hal_supported(service, &m, &count), HAL_INVALID);
		hal_model_fini(&m);
		nnb_service_destroy(service);
	}
}

/* Only TENSOR_INT32 may have a scale, that of a bias. */
static void integers(void **state)
{
	struct hal_model m;
	uint32_t count;

	for (int scaled = 0; scaled < 2; scaled++) {
		hal_model_init(&m);
		make_int32(&m, scaled ? 0.5f : 0.0f, 0);
		assert_int_equal(hal_supported(*state, &m, &count), 0);
		hal_model_fini(&m);
	}
}

/* An IF whose condition has no value: nothing can run it, and the question has an answer. */
static void if_without_condition(void **state)
{
	static const int32_t one = 1, sub_in = 0, sub_out = 2, sub_add[] = {0, 0, 1};
	static const int32_t inputs[] = {0, 1, 1, 2}, in = 2, out = 3, act = 0;
	struct nnb_aidl_operand operands[4] = {0}, inner[3] = {0};
	struct nnb_aidl_operation operation = {.type = NNB_AIDL_OPERATION_TYPE_IF};
	struct nnb_aidl_operation add = {.type = NNB_AIDL_OPERATION_TYPE_ADD};
	struct nnb_aidl_device_prepare_model_in prepare;
	struct nnb_object *model;
	struct hal_model m;
	uint32_t count;

	hal_model_init(&m);
	memcpy(m.values, &act, sizeof(act));
	inner[0] = m.operands[HAL_IN];
	inner[1] = m.operands[HAL_ACT];
	inner[2] = m.operands[HAL_OUT];
	add.inputs = (struct nnb_ints){3, sub_add};
	add.outputs = (struct nnb_ints){1, &sub_out};
	m.referenced[0].operands.count = 3;
	m.referenced[0].operands.data = inner;
	m.referenced[0].operations.count = 1;
	m.referenced[0].operations.data = &add;
	m.referenced[0].input_indexes = (struct nnb_ints){1, &sub_in};
	m.referenced[0].output_indexes = (struct nnb_ints){1, &sub_out};
	m.model.referenced.count = 1;
	operands[0].type = NNB_AIDL_OPERAND_TYPE_TENSOR_BOOL8;
	operands[0].dimensions = (struct nnb_ints){1, &one};
	operands[0].lifetime = NNB_AIDL_OPERAND_LIFE_TIME_NO_VALUE;
	operands[1].type = NNB_AIDL_OPERAND_TYPE_SUBGRAPH;
	operands[1].lifetime = NNB_AIDL_OPERAND_LIFE_TIME_SUBGRAPH;
	operands[2] = m.operands[HAL_IN];
	operands[3] = m.operands[HAL_OUT];
	operation.inputs = (struct nnb_ints){4, inputs};
	operation.outputs = (struct nnb_ints){1, &out};
	m.model.main.operands.count = 4;
	m.model.main.operands.data = operands;
	m.model.main.operations.count = 1;
	m.model.main.operations.data = &operation;
	m.model.main.input_indexes = (struct nnb_ints){1, &in};
	m.model.main.output_indexes = (struct nnb_ints){1, &out};
	assert_int_equal(hal_supported(*state, &m, &count), 0);
	assert_int_equal(count, 0);
	prepare = hal_prepare_in(&m);
	assert_int_equal(hal_prepare(*state, &hal_me, &prepare, &model), HAL_FAILURE);
	hal_model_fini(&m);
}

/* What only values and shapes tell is not wrong: the operation is not supported. */
static void not_supported(void **state)
{
	const int32_t dims[] = {3, 2};
	struct nnb_aidl_device_prepare_model_in in;
	struct nnb_object *model;
	struct hal_model m;
	uint32_t count;

	hal_model_init(&m);
	m.operands[HAL_IN].dimensions.data = dims; /* 3, 2 and 2, 2: no broadcast */
	assert_int_equal(hal_supported(*state, &m, &count), 0);
	assert_true(count < 2);
	in = hal_prepare_in(&m);
	assert_int_equal(hal_prepare(*state, &hal_me, &in, &model), HAL_FAILURE);
	hal_model_fini(&m);
}

/* A model may name 256 extensions, and no more. */
static void extensions(void **state)
{
	struct nnb_aidl_extension_name_and_prefix list[257];
	char names[257][8];
	struct hal_model m;
	uint32_t count;

	for (uint32_t i = 0; i < 257; i++) {
		snprintf(names[i], sizeof(names[i]), "e%u", i);
		list[i] = (struct nnb_aidl_extension_name_and_prefix){names[i], (uint16_t)(i + 1)};
	}
	for (uint32_t n = 255; n <= 257; n++) {
		hal_model_init(&m);
		m.model.extension_name_to_prefix.data = list;
		m.model.extension_name_to_prefix.count = n;
		assert_int_equal(hal_supported(*state, &m, &count), n <= 256 ? 0 : HAL_INVALID);
		hal_model_fini(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(valid),	 cmocka_unit_test(refused),
		cmocka_unit_test(circle),	 cmocka_unit_test(versions),
		cmocka_unit_test(not_supported), cmocka_unit_test(extensions),
		cmocka_unit_test(integers),	 cmocka_unit_test(if_without_condition),
	};

	return cmocka_run_group_tests(tests, hal_setup, hal_teardown);
}
