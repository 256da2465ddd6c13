// SPDX-License-Identifier: MIT
/* Descriptors of the NNAPI C API: roles and dimensions that agree, and what is made of them. */
#include "tests/unit/hal-bridge/nnapi/fixture.h"

static void test_desc(void **state)
{
	static const uint32_t four[] = { 4 }, five[] = { 5 };
	ANeuralNetworksMemoryDesc *desc = NULL;
	ANeuralNetworksMemory *memory = NULL;
	ANeuralNetworksCompilation *raw = NULL;
	ANeuralNetworksModel *model = add_model(4);
	ANeuralNetworksCompilation *compilation = compile(model);

	IS(UNEXPECTED_NULL, ANeuralNetworksMemoryDesc_create(NULL));
	OK(ANeuralNetworksMemoryDesc_create(&desc));
	IS(UNEXPECTED_NULL, ANeuralNetworksMemoryDesc_addInputRole(NULL, compilation, 0, 1.0f));
	IS(UNEXPECTED_NULL, ANeuralNetworksMemoryDesc_addInputRole(desc, NULL, 0, 1.0f));
	IS(BAD_DATA, ANeuralNetworksMemoryDesc_addInputRole(desc, compilation, 2, 1.0f));
	IS(BAD_DATA, ANeuralNetworksMemoryDesc_addOutputRole(desc, compilation, 1, 1.0f));
	IS(BAD_DATA, ANeuralNetworksMemoryDesc_addInputRole(desc, compilation, 0, 0.0f));
	IS(BAD_DATA, ANeuralNetworksMemoryDesc_addInputRole(desc, compilation, 0, 1.5f));
	IS(BAD_DATA,
	   ANeuralNetworksMemoryDesc_addInputRole(desc, compilation, 0, __builtin_nanf("")));
	IS(BAD_DATA, ANeuralNetworksMemoryDesc_finish(desc));
	OK(ANeuralNetworksCompilation_create(model, &raw));
	IS(BAD_DATA, ANeuralNetworksMemoryDesc_addInputRole(desc, raw, 0, 1.0f));
	ANeuralNetworksCompilation_free(raw);
	OK(ANeuralNetworksMemoryDesc_addInputRole(desc, compilation, 0, 1.0f));
	IS(BAD_DATA, ANeuralNetworksMemoryDesc_addInputRole(desc, compilation, 0, 1.0f));
	OK(ANeuralNetworksMemoryDesc_addOutputRole(desc, compilation, 0, 0.5f));
	IS(BAD_DATA, ANeuralNetworksMemoryDesc_setDimensions(desc, 1, five));
	IS(UNEXPECTED_NULL, ANeuralNetworksMemoryDesc_setDimensions(desc, 1, NULL));
	OK(ANeuralNetworksMemoryDesc_setDimensions(desc, 1, four));
	IS(BAD_STATE, ANeuralNetworksMemory_createFromDesc(desc, &memory));
	OK(ANeuralNetworksMemoryDesc_finish(desc));
	IS(BAD_STATE, ANeuralNetworksMemoryDesc_finish(desc));
	IS(BAD_STATE, ANeuralNetworksMemoryDesc_addInputRole(desc, compilation, 1, 1.0f));
	IS(BAD_STATE, ANeuralNetworksMemoryDesc_setDimensions(desc, 1, four));
	IS(UNEXPECTED_NULL, ANeuralNetworksMemory_createFromDesc(NULL, &memory));
	IS(UNEXPECTED_NULL, ANeuralNetworksMemory_createFromDesc(desc, NULL));
	OK(ANeuralNetworksMemory_createFromDesc(desc, &memory));
	ANeuralNetworksMemoryDesc_free(desc);
	ANeuralNetworksMemoryDesc_free(NULL);
	ANeuralNetworksMemory_free(memory);
	ANeuralNetworksCompilation_free(compilation);
	ANeuralNetworksModel_free(model);
}

/* A role of another type than the first one's is refused, in either order. */
static void check_other_role(const ANeuralNetworksOperandType *one,
			     const ANeuralNetworksOperandType *other)
{
	ANeuralNetworksModel *models[2];
	ANeuralNetworksCompilation *a = compile_type(one, &models[0]);
	ANeuralNetworksCompilation *b = compile_type(other, &models[1]);
	ANeuralNetworksMemoryDesc *desc = NULL;

	OK(ANeuralNetworksMemoryDesc_create(&desc));
	OK(ANeuralNetworksMemoryDesc_addInputRole(desc, a, 0, 1.0f));
	IS(BAD_DATA, ANeuralNetworksMemoryDesc_addInputRole(desc, b, 0, 1.0f));
	IS(BAD_DATA, ANeuralNetworksMemoryDesc_addOutputRole(desc, b, 0, 1.0f));
	OK(ANeuralNetworksMemoryDesc_addOutputRole(desc, a, 0, 1.0f));
	ANeuralNetworksMemoryDesc_free(desc);
	ANeuralNetworksCompilation_free(a);
	ANeuralNetworksCompilation_free(b);
	ANeuralNetworksModel_free(models[0]);
	ANeuralNetworksModel_free(models[1]);
}

static void test_other_roles(void **state)
{
	static const uint32_t two[] = { 2 }, three[] = { 3 }, both[] = { 2, 1 };
	const ANeuralNetworksOperandType base = { ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 1, two, 1,
						  0 };
	ANeuralNetworksOperandType other = base;

	other.type = ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED;
	check_other_role(&base, &other);
	other = base;
	other.scale = 0.5f;
	check_other_role(&base, &other);
	other = base;
	other.zeroPoint = 128;
	check_other_role(&base, &other);
	other = base;
	other.dimensions = three;
	check_other_role(&base, &other);
	other.dimensionCount = 2;
	other.dimensions = both;
	check_other_role(&base, &other);
}

/* A convolution whose weights, of one channel with a scale, are an input, and so is its stride. */
static ANeuralNetworksCompilation *compile_weights(float scale, ANeuralNetworksModel **model)
{
	static const uint32_t image[] = { 1, 4, 4, 1 }, filter[] = { 1, 1, 1, 1 }, one[] = { 1 };
	static const uint32_t in[] = { 0, 1, 2, 3, 4, 5, 6 }, out[] = { 7 };
	const ANeuralNetworksSymmPerChannelQuantParams scales = { 0, 1, &scale };
	const ANeuralNetworksOperandType q = { ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, 4, image, 1,
					       0 };
	const int32_t valid = ANEURALNETWORKS_PADDING_VALID, step = 1, none = 0;

	OK(ANeuralNetworksModel_create(model));
	OK(ANeuralNetworksModel_addOperand(*model, &q));
	add_tensor(*model, ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL, 4, filter);
	OK(ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(*model, 1, &scales));
	add_tensor(*model, ANEURALNETWORKS_TENSOR_INT32, 1, one);
	for (int i = 0; i < 4; i++)
		add_tensor(*model, ANEURALNETWORKS_INT32, 0, NULL);
	OK(ANeuralNetworksModel_addOperand(*model, &q));
	OK(ANeuralNetworksModel_setOperandValue(*model, 3, &valid, sizeof(valid)));
	OK(ANeuralNetworksModel_setOperandValue(*model, 4, &step, sizeof(step)));
	OK(ANeuralNetworksModel_setOperandValue(*model, 5, &step, sizeof(step)));
	OK(ANeuralNetworksModel_setOperandValue(*model, 6, &none, sizeof(none)));
	OK(ANeuralNetworksModel_addOperation(*model, ANEURALNETWORKS_CONV_2D, 7, in, 1, out));
	OK(ANeuralNetworksModel_identifyInputsAndOutputs(*model, 3, in, 1, out));
	OK(ANeuralNetworksModel_finish(*model));
	return compile(*model);
}

static void test_roles_with_scales(void **state)
{
	ANeuralNetworksModel *models[3];
	ANeuralNetworksCompilation *a = compile_weights(1.0f, &models[0]);
	ANeuralNetworksCompilation *same = compile_weights(1.0f, &models[1]);
	ANeuralNetworksCompilation *other = compile_weights(0.5f, &models[2]);
	ANeuralNetworksMemoryDesc *desc = NULL;

	OK(ANeuralNetworksMemoryDesc_create(&desc));
	OK(ANeuralNetworksMemoryDesc_addInputRole(desc, a, 1, 1.0f));
	IS(BAD_DATA, ANeuralNetworksMemoryDesc_addInputRole(desc, other, 1, 1.0f));
	OK(ANeuralNetworksMemoryDesc_addInputRole(desc, same, 1, 1.0f));
	ANeuralNetworksMemoryDesc_free(desc);
	ANeuralNetworksCompilation_free(a);
	ANeuralNetworksCompilation_free(same);
	ANeuralNetworksCompilation_free(other);
	for (int i = 0; i < 3; i++)
		ANeuralNetworksModel_free(models[i]);
}

/* FILL of [2] with a value that is an input: a scalar. */
static void test_scalar_roles(void **state)
{
	static const uint32_t one[] = { 1 }, two[] = { 2 }, in[] = { 0, 1 }, out[] = { 2 };
	ANeuralNetworksCompilation *compilation;
	ANeuralNetworksMemoryDesc *desc = NULL;
	ANeuralNetworksModel *model = NULL;
	const int32_t size = 2;

	OK(ANeuralNetworksModel_create(&model));
	add_tensor(model, ANEURALNETWORKS_TENSOR_INT32, 1, one);
	add_tensor(model, ANEURALNETWORKS_INT32, 0, NULL);
	add_tensor(model, ANEURALNETWORKS_TENSOR_INT32, 1, two);
	OK(ANeuralNetworksModel_setOperandValue(model, 0, &size, sizeof(size)));
	OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_FILL, 2, in, 1, out));
	OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &in[1], 1, out));
	OK(ANeuralNetworksModel_finish(model));
	compilation = compile(model);

	OK(ANeuralNetworksMemoryDesc_create(&desc));
	OK(ANeuralNetworksMemoryDesc_setDimensions(desc, 1, two));
	IS(BAD_DATA, ANeuralNetworksMemoryDesc_addInputRole(desc, compilation, 0, 1.0f));
	ANeuralNetworksMemoryDesc_free(desc);
	OK(ANeuralNetworksMemoryDesc_create(&desc));
	OK(ANeuralNetworksMemoryDesc_addInputRole(desc, compilation, 0, 1.0f));
	OK(ANeuralNetworksMemoryDesc_setDimensions(desc, 0, NULL));
	IS(BAD_DATA, ANeuralNetworksMemoryDesc_setDimensions(desc, 1, two));
	OK(ANeuralNetworksMemoryDesc_finish(desc));
	ANeuralNetworksMemoryDesc_free(desc);
	ANeuralNetworksCompilation_free(compilation);
	ANeuralNetworksModel_free(model);
}

/* Dimensions that only the descriptor knows. */
static void test_described_dimensions(void **state)
{
	static const uint32_t four[] = { 4 }, five[] = { 5 };
	ANeuralNetworksOperandType type = { ANEURALNETWORKS_TENSOR_FLOAT32, 1, four, 0, 0 };
	ANeuralNetworksModel *model = add_model(0);
	ANeuralNetworksCompilation *compilation = compile(model);
	ANeuralNetworksMemory *memory = NULL, *file = file_memory(16);
	const float a[4] = { 1, 2, 3, 4 };
	ANeuralNetworksExecution *execution = NULL;
	ANeuralNetworksMemoryDesc *desc = NULL;
	float out[4] = { 0 };

	OK(ANeuralNetworksMemoryDesc_create(&desc));
	OK(ANeuralNetworksMemoryDesc_addInputRole(desc, compilation, 0, 1.0f));
	OK(ANeuralNetworksMemoryDesc_finish(desc));
	IS(OP_FAILED, ANeuralNetworksMemory_createFromDesc(desc, &memory));
	assert_null(memory);
	ANeuralNetworksMemoryDesc_free(desc);

	OK(ANeuralNetworksMemoryDesc_create(&desc));
	OK(ANeuralNetworksMemoryDesc_setDimensions(desc, 1, four));
	IS(BAD_DATA, ANeuralNetworksMemoryDesc_setDimensions(desc, 1, five));
	OK(ANeuralNetworksMemoryDesc_addInputRole(desc, compilation, 0, 1.0f));
	OK(ANeuralNetworksMemoryDesc_finish(desc));
	OK(ANeuralNetworksMemory_createFromDesc(desc, &memory));
	ANeuralNetworksMemoryDesc_free(desc);
	OK(ANeuralNetworksMemory_copy(file, memory));

	OK(ANeuralNetworksExecution_create(compilation, &execution));
	type.dimensions = five;
	IS(BAD_DATA,
	   ANeuralNetworksExecution_setInputFromMemory(execution, 0, &type, memory, 0, 0));
	type.dimensions = four;
	OK(ANeuralNetworksExecution_setInputFromMemory(execution, 0, &type, memory, 0, 0));
	IS(BAD_STATE,
	   ANeuralNetworksExecution_setInputFromMemory(execution, 0, &type, memory, 0, 0));
	OK(ANeuralNetworksExecution_setInput(execution, 1, &type, a, sizeof(a)));
	OK(ANeuralNetworksExecution_setOutput(execution, 0, &type, out, sizeof(out)));
	OK(ANeuralNetworksExecution_compute(execution));
	for (int i = 0; i < 4; i++)
		assert_true(out[i] == a[i]);
	ANeuralNetworksExecution_free(execution);
	ANeuralNetworksMemory_free(memory);
	ANeuralNetworksMemory_free(file);
	ANeuralNetworksCompilation_free(compilation);
	ANeuralNetworksModel_free(model);
}

/* Device memory of [2, 3] floats for an argument. */
static ANeuralNetworksMemory *memory_of_shape(const ANeuralNetworksCompilation *compilation,
					      bool output)
{
	static const uint32_t dims[] = { 2, 3 };
	ANeuralNetworksMemoryDesc *desc = NULL;
	ANeuralNetworksMemory *memory = NULL;

	OK(ANeuralNetworksMemoryDesc_create(&desc));
	OK(ANeuralNetworksMemoryDesc_setDimensions(desc, 2, dims));
	if (output)
		OK(ANeuralNetworksMemoryDesc_addOutputRole(desc, compilation, 0, 1.0f));
	else
		OK(ANeuralNetworksMemoryDesc_addInputRole(desc, compilation, 0, 1.0f));
	OK(ANeuralNetworksMemoryDesc_finish(desc));
	OK(ANeuralNetworksMemory_createFromDesc(desc, &memory));
	ANeuralNetworksMemoryDesc_free(desc);
	return memory;
}

/* As many bytes in another shape are not what device memory was made for. */
static void test_other_shape_than_described(void **state)
{
	static const uint32_t open[] = { 0, 0 }, right[] = { 2, 3 }, wrong[] = { 3, 2 };
	static const uint32_t in[] = { 0, 1, 2 }, out[] = { 3 };
	const int32_t none = ANEURALNETWORKS_FUSED_NONE;
	ANeuralNetworksOperandType type = { ANEURALNETWORKS_TENSOR_FLOAT32, 2, wrong, 0, 0 };
	const float x[6] = { 1, 2, 3, 4, 5, 6 };
	ANeuralNetworksMemory *file = file_memory(sizeof(x)), *input, *output;
	ANeuralNetworksCompilation *compilation;
	ANeuralNetworksModel *model = NULL;

	OK(ANeuralNetworksModel_create(&model));
	add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 2, open);
	add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 2, open);
	add_tensor(model, ANEURALNETWORKS_INT32, 0, NULL);
	add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 2, open);
	OK(ANeuralNetworksModel_setOperandValue(model, 2, &none, sizeof(none)));
	OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, in, 1, out));
	OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 2, in, 1, out));
	OK(ANeuralNetworksModel_finish(model));
	compilation = compile(model);
	input = memory_of_shape(compilation, false);
	output = memory_of_shape(compilation, true);
	OK(ANeuralNetworksMemory_copy(file, input));
	for (int fits = 0; fits < 2; fits++) {
		ANeuralNetworksExecution *execution = NULL;

		OK(ANeuralNetworksExecution_create(compilation, &execution));
		type.dimensions = wrong;
		IS(BAD_DATA,
		   ANeuralNetworksExecution_setInputFromMemory(execution, 0, &type, input, 0, 0));
		IS(BAD_DATA,
		   ANeuralNetworksExecution_setOutputFromMemory(execution, 0, &type, output, 0, 0));
		/* What is computed is known only at the end. */
		OK(ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, output, 0, 0));
		type.dimensions = fits ? right : wrong;
		OK(ANeuralNetworksExecution_setInput(execution, 1, &type, x, sizeof(x)));
		if (fits)
			OK(ANeuralNetworksExecution_setInputFromMemory(execution, 0, &type, input,
								       0, 0));
		else
			OK(ANeuralNetworksExecution_setInput(execution, 0, &type, x, sizeof(x)));
		if (fits)
			OK(ANeuralNetworksExecution_compute(execution));
		else
			IS(OP_FAILED, ANeuralNetworksExecution_compute(execution));
		ANeuralNetworksExecution_free(execution);
		if (fits)
			OK(ANeuralNetworksMemory_copy(output, file));
		else
			IS(BAD_DATA, ANeuralNetworksMemory_copy(output, file));
	}
	ANeuralNetworksMemory_free(input);
	ANeuralNetworksMemory_free(output);
	ANeuralNetworksMemory_free(file);
	ANeuralNetworksCompilation_free(compilation);
	ANeuralNetworksModel_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_desc),
		cmocka_unit_test(test_other_roles),
		cmocka_unit_test(test_roles_with_scales),
		cmocka_unit_test(test_scalar_roles),
		cmocka_unit_test(test_described_dimensions),
		cmocka_unit_test(test_other_shape_than_described),
	};

	use_loopback();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
