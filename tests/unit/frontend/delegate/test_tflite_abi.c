// SPDX-License-Identifier: MIT
/*
 * The layout of the structures that TFLite and the delegate exchange, on 64-bit machines: the bytes
 * at which TFLite's libraries have each member. tests/clients runs the delegate inside of those.
 */
#include "frontend/delegate/tflite_abi.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define AT(type, member, offset) assert_int_equal(offsetof(struct type, member), offset)

static void tensors_and_nodes(void **state)
{
	AT(TfLiteTensor, type, 0);
	AT(TfLiteTensor, data, 8);
	AT(TfLiteTensor, dims, 16);
	AT(TfLiteTensor, params, 24);
	AT(TfLiteTensor, allocation_type, 32);
	AT(TfLiteTensor, bytes, 40);
	AT(TfLiteTensor, name, 56);
	AT(TfLiteTensor, delegate, 64);
	AT(TfLiteTensor, buffer_handle, 72);
	AT(TfLiteTensor, data_is_stale, 76);
	AT(TfLiteTensor, is_variable, 77);
	AT(TfLiteTensor, quantization, 80);
	AT(TfLiteTensor, sparsity, 96);
	AT(TfLiteTensor, dims_signature, 104);
	assert_int_equal(sizeof(struct TfLiteTensor), 112);
	AT(TfLiteNode, user_data, 32);
	AT(TfLiteNode, builtin_data, 40);
	AT(TfLiteNode, custom_initial_data, 48);
	AT(TfLiteNode, custom_initial_data_size, 56);
	AT(TfLiteNode, delegate, 64);
	AT(TfLiteAffineQuantization, quantized_dimension, 16);
}

static void contexts_and_delegates(void **state)
{
	AT(TfLiteContext, GetExecutionPlan, 8);
	AT(TfLiteContext, tensors, 16);
	AT(TfLiteContext, ResizeTensor, 32);
	AT(TfLiteContext, ReportError, 40);
	AT(TfLiteContext, GetNodeAndRegistration, 56);
	AT(TfLiteContext, ReplaceNodeSubsetsWithDelegateKernels, 64);
	AT(TfLiteContext, allow_fp32_relax_to_fp16, 96);
	AT(TfLiteContext, ResizeTensorExplicit, 144);
	AT(TfLiteContext, PreviewDelegatePartitioning, 152);
	AT(TfLiteContext, GetModelMetadata, 176);
	AT(TfLiteRegistration, builtin_code, 40);
	AT(TfLiteRegistration, custom_name, 48);
	AT(TfLiteRegistration, version, 56);
	AT(TfLiteRegistration, inplace_operator, 80);
	assert_int_equal(sizeof(struct TfLiteRegistration), 88);
	AT(TfLiteDelegate, Prepare, 8);
	AT(TfLiteDelegate, FreeBufferHandle, 32);
	AT(TfLiteDelegate, flags, 40);
	AT(TfLiteDelegate, opaque_delegate_builder, 48);
	assert_int_equal(sizeof(struct TfLiteDelegate), 56);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tensors_and_nodes),
		cmocka_unit_test(contexts_and_delegates),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
