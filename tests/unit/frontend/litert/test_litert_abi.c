// SPDX-License-Identifier: MIT
/*
 * The layout of the structures that LiteRT and its vendors' libraries exchange, on 64-bit machines:
 * the bytes at which LiteRT's libraries have each member. tests/runtimes runs the libraries inside
 * of those.
 */
#include "frontend/litert/litert_abi.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#define AT(type, member, offset) assert_int_equal(offsetof(struct type, member), offset)

static void compiler(void **state)
{
	AT(LiteRtCompilerContext, get_num_model_subgraphs, 8);
	AT(LiteRtCompilerContext, get_num_subgraph_ops, 24);
	AT(LiteRtCompilerContext, get_op_code, 72);
	AT(LiteRtCompilerContext, get_op_input, 96);
	AT(LiteRtCompilerContext, get_tensor_name, 120);
	AT(LiteRtCompilerContext, get_ranked_tensor_type, 144);
	AT(LiteRtCompilerContext, get_quantization_type_id, 160);
	AT(LiteRtCompilerContext, get_per_channel_quantization, 176);
	AT(LiteRtCompilerContext, get_tensor_weights, 208);
	AT(LiteRtCompilerContext, get_weights_bytes, 224);
	AT(LiteRtCompilerContext, push_op, 264);
	AT(LiteRtCompilerContext, get_environment_options_value, 296);
	AT(LiteRtCompilerContext, options, 304);
	AT(LiteRtCompilerContext, get_custom_options, 1032);
	AT(LiteRtCompilerContext, serialize_model_with_signatures, 1040);
	AT(LiteRtCompilerContext, get_blockwise_quantization, 1096);
}

static void runtime(void **state)
{
	AT(LiteRtRuntimeContext, create_tensor_buffer_requirements, 8);
	AT(LiteRtRuntimeContext, get_opaque_options, 80);
	AT(LiteRtRuntimeContext, get_environment_options, 104);
	AT(LiteRtRuntimeContext, get_tensor_buffer_type, 184);
	AT(LiteRtRuntimeContext, get_tensor_buffer_tensor_type, 192);
	AT(LiteRtRuntimeContext, get_tensor_buffer_size, 200);
	AT(LiteRtRuntimeContext, get_tensor_buffer_packed_size, 208);
	AT(LiteRtRuntimeContext, get_tensor_buffer_offset, 216);
	AT(LiteRtRuntimeContext, lock_tensor_buffer, 224);
	AT(LiteRtRuntimeContext, get_tensor_buffer_host_memory, 240);
	AT(LiteRtRuntimeContext, get_tensor_buffer_custom_tensor_buffer_handle, 264);
	AT(LiteRtRuntimeContext, get_tensor_buffer_dma_buf_buffer, 280);
	AT(LiteRtRuntimeContext, has_tensor_buffer_event, 296);
	AT(LiteRtRuntimeContext, create_event_from_sync_fence_fd, 328);
	AT(LiteRtRuntimeContext, get_event_event_type, 336);
	AT(LiteRtRuntimeContext, get_event_sync_fence_fd, 344);
	AT(LiteRtRuntimeContext, wait_event, 384);
}

static void structures(void **state)
{
	assert_int_equal(sizeof(struct LiteRtAbiHeader), 8);
	assert_int_equal(sizeof(struct LiteRtApiVersion), 12);
	assert_int_equal(sizeof(struct LiteRtRankedTensorType), 72);
	AT(LiteRtRankedTensorType, dimensions, 8);
	AT(LiteRtRankedTensorType, strides, 40);
	AT(LiteRtQuantizationPerTensor, zero_point, 8);
	AT(LiteRtQuantizationPerChannel, num_channels, 8);
	AT(LiteRtQuantizationPerChannel, scales, 16);
	AT(LiteRtQuantizationPerChannel, zero_points, 24);
	AT(LiteRtQuantizationBlockWise, block_size, 16);
	AT(LiteRtMemBuffer, base_addr, 8);
	AT(LiteRtMemBuffer, size, 24);
	AT(LiteRtSchedulingInfo, job_priority, 16);
	assert_int_equal(sizeof(struct LiteRtMetric), 24);
	AT(LiteRtMetric, value, 8);
	AT(LiteRtAny, int_value, 8);
}

static void dispatch(void **state)
{
	AT(LiteRtDispatchInterface, initialize, 0);
	AT(LiteRtDispatchInterface, register_tensor_buffer, 64);
	AT(LiteRtDispatchInterface, invocation_context_create, 80);
	AT(LiteRtDispatchInterface, invocation_context_set_scheduling_info, 96);
	AT(LiteRtDispatchInterface, attach_input, 104);
	AT(LiteRtDispatchInterface, invoke, 136);
	AT(LiteRtDispatchInterface, check_runtime_compatibility, 184);
	AT(LiteRtDispatchInterface, get_hooks, 200);
	AT(LiteRtDispatchAsyncInterface, invoke_async, 8);
	assert_int_equal(sizeof(struct LiteRtDispatchApi), 56);
	AT(LiteRtDispatchApi, version, 8);
	AT(LiteRtDispatchApi, interface, 24);
	AT(LiteRtDispatchApi, buffers, 48);
	assert_int_equal(sizeof(struct LiteRtBufferHandlers), 136);
	AT(LiteRtBufferHandlers, create, 8);
	AT(LiteRtBufferHandlers, import, 48);
	AT(LiteRtBufferHandlers, device_tag, 56);
	AT(LiteRtBufferHandlers, count, 64);
	AT(LiteRtBufferHandlers, types, 72);
}

static void tables(void **state)
{
	struct LiteRtCompilerContext c = { .header = { 264, 1, 0, 0 } };

	assert_true(litert_is_known(&c.header));
	/* Neither of them is there: the table ends before, or the runtime has none. */
	c.push_op = (void *)tables;
	assert_false(LITERT_HAS(&c, push_op));
	c.header.struct_size = 272;
	assert_true(LITERT_HAS(&c, push_op));
	assert_false(LITERT_HAS(&c, get_op_code));
	/* Of other generations, and of none: the address of a function, and zeros. */
	c.header.major_version = 2;
	assert_false(litert_is_known(&c.header));
	c.header = (struct LiteRtAbiHeader){ 0x1040, 0x5555, 0x7f12, 0 };
	assert_false(litert_is_known(&c.header));
	c.header = (struct LiteRtAbiHeader){ 0 };
	assert_false(litert_is_known(&c.header));
	assert_false(litert_is_known(NULL));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(compiler),
		cmocka_unit_test(runtime),
		cmocka_unit_test(structures),
		cmocka_unit_test(dispatch),
		cmocka_unit_test(tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
