/* SPDX-License-Identifier: MIT */
/*
 * A host for the two libraries: the part of LiteRT that they call, over a TFLite file that
 * frontend/tflite has read.
 *
 *	host_model	a file as LiteRT's model, subgraph, operators and tensors
 *	host_library	the functions of both libraries, of one generation
 *	host_buffer	a tensor buffer
 *
 * The host makes no new files: the partition of a model is the model, so all of its operators have
 * to be in one partition.
 */
#ifndef LITERT_HOST_H
#define LITERT_HOST_H

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "frontend/litert/litert_abi.h"
#include "frontend/tflite/tflite.h"

#define PLUGIN "libLiteRtCompilerPlugin_NNAccel.so"
#define DISPATCH "libLiteRtDispatch_NNAccel.so"

struct LiteRtTensorT {
	const struct tflite_tensor *tensor;
};

struct LiteRtOpT {
	const struct tflite_operator *op;
	struct LiteRtSubgraphT *sub;
};

struct LiteRtSubgraphT {
	const struct tflite_subgraph *sub;
	struct LiteRtTensorT *tensors;
	struct LiteRtOpT *ops;
};

/* @count: subgraphs that the host tells of */
struct LiteRtModelT {
	struct tflite_model *model;
	const uint8_t *file;
	size_t size, count;
	struct LiteRtSubgraphT sub;
};

struct LiteRtOpListT {
	size_t count, partitions[64];
	const struct LiteRtOpT *ops[64];
};

struct LiteRtTensorBufferRequirementsT {
	int count, types[8];
	size_t size;
};

struct LiteRtTensorBufferT {
	int type;
	struct LiteRtRankedTensorType shape;
	size_t size, offset;
	void *host;
	struct LiteRtHwMemoryInfo *info;
};

struct LiteRtEventT {
	int type, fd, waits;
};

struct litert_plugin;
struct litert_result;

/* ------------------------------------------------------------------------------ models' getters */

static inline int host_num_subgraphs(struct LiteRtModelT *model, size_t *count)
{
	*count = model->count;
	return LITERT_OK;
}

static inline int host_subgraph(struct LiteRtModelT *model, size_t index,
				struct LiteRtSubgraphT **out)
{
	*out = &model->sub;
	return index ? LITERT_INVALID_ARGUMENT : LITERT_OK;
}

static inline int host_num_ops(struct LiteRtSubgraphT *sub, size_t *count)
{
	*count = sub->sub->operator_count;
	return LITERT_OK;
}

static inline int host_op(struct LiteRtSubgraphT *sub, size_t index, struct LiteRtOpT **out)
{
	*out = &sub->ops[index];
	return LITERT_OK;
}

static inline int host_at(struct LiteRtSubgraphT *sub, const struct tflite_ints *list, size_t index,
			  struct LiteRtTensorT **out)
{
	if (index >= list->count)
		return LITERT_INVALID_ARGUMENT;
	*out = list->at[index] < 0 ? NULL : &sub->tensors[list->at[index]];
	return LITERT_OK;
}

#define HOST_LIST(name, owner, list, sub) \
static inline int host_num_##name(owner, size_t *count) \
{ \
	*count = (list)->count; \
	return LITERT_OK; \
} \
static inline int host_##name(owner, size_t index, struct LiteRtTensorT **out) \
{ \
	return host_at(sub, list, index, out); \
}

HOST_LIST(sub_inputs, struct LiteRtSubgraphT *s, &s->sub->inputs, s)
HOST_LIST(sub_outputs, struct LiteRtSubgraphT *s, &s->sub->outputs, s)
HOST_LIST(op_inputs, struct LiteRtOpT *o, &o->op->inputs, o->sub)
HOST_LIST(op_outputs, struct LiteRtOpT *o, &o->op->outputs, o->sub)

static inline int host_code(struct LiteRtOpT *op, int *code)
{
	*code = (int)op->op->code;
	return LITERT_OK;
}

static inline int host_custom_code(struct LiteRtOpT *op, const char **code)
{
	*code = op->op->custom;
	return LITERT_OK;
}

static inline int host_custom_options(struct LiteRtOpT *op, const void **bytes, int32_t *size)
{
	*bytes = op->op->custom_data;
	*size = (int32_t)op->op->custom_size;
	return LITERT_OK;
}

static inline int host_name(struct LiteRtTensorT *tensor, const char **name)
{
	*name = tensor->tensor->name;
	return LITERT_OK;
}

static inline int host_type_id(struct LiteRtTensorT *tensor, int *unranked)
{
	*unranked = 0;
	return LITERT_OK;
}

static inline void host_shape(const struct tflite_tensor *from, struct LiteRtRankedTensorType *to)
{
	*to = (struct LiteRtRankedTensorType){ .rank = from->rank & 127 };
	while (tflite_runtime_type(to->element_type) != from->type)
		to->element_type++;
	for (uint32_t i = 0; i < from->rank; i++)
		to->dimensions[i] = (int32_t)from->dims[i];
}

static inline int host_ranked_type(struct LiteRtTensorT *tensor,
				   struct LiteRtRankedTensorType *type)
{
	host_shape(tensor->tensor, type);
	return LITERT_OK;
}

static inline int host_quantization(struct LiteRtTensorT *tensor, int *type)
{
	uint32_t count = tensor->tensor->scale_count;

	*type = count > 1 ? LITERT_PER_CHANNEL : count ? LITERT_PER_TENSOR : LITERT_NOT_QUANTIZED;
	return LITERT_OK;
}

static inline int host_per_tensor(struct LiteRtTensorT *tensor,
				  struct LiteRtQuantizationPerTensor *q)
{
	q->scale = tensor->tensor->scales[0];
	q->zero_point = tensor->tensor->zero_point_count ? tflite_zero_point_at(tensor->tensor, 0) :
			0;
	return LITERT_OK;
}

static inline int host_per_channel(struct LiteRtTensorT *tensor,
				   struct LiteRtQuantizationPerChannel *q)
{
	q->quantized_dimension = (int32_t)tensor->tensor->channel_dim;
	q->num_channels = tensor->tensor->scale_count;
	q->scales = (float *)tensor->tensor->scales;
	q->zero_points = (int64_t *)tensor->tensor->zero_points;
	return LITERT_OK;
}

static inline int host_weights(struct LiteRtTensorT *tensor, struct LiteRtWeightsT **weights)
{
	*weights = (struct LiteRtWeightsT *)tensor;
	return LITERT_OK;
}

static inline int host_weights_bytes(struct LiteRtWeightsT *weights, const void **bytes,
				     size_t *size)
{
	const struct tflite_tensor *tensor = ((struct LiteRtTensorT *)weights)->tensor;

	*bytes = tensor->data;
	*size = tensor->data ? tensor->size : 0;
	return LITERT_OK;
}

static inline int host_push(struct LiteRtOpListT *list, struct LiteRtOpT *op, size_t partition)
{
	assert_true(list->count < sizeof(list->ops) / sizeof(list->ops[0]));
	list->partitions[list->count] = partition;
	list->ops[list->count++] = op;
	return LITERT_OK;
}

static inline int host_serialize(struct LiteRtModelT *model, uint8_t **buf, size_t *size,
				 size_t *offset, bool destroy_model, char **signatures,
				 size_t count, struct LiteRtModelSerializationOptions options)
{
	/* LiteRT leaves room in front, which is not the file's. */
	*offset = options.bytecode_alignment;
	*size = *offset + model->size;
	*buf = malloc(*size);
	assert_non_null(*buf);
	memcpy(*buf + *offset, model->file, model->size);
	return LITERT_OK;
}

/* Getters of options, of the operators that the tests' models have. */
#define HOST_OPTION(name, kind, member) \
static inline int host_##name(struct LiteRtOpT *op, kind *value) \
{ \
	if (!op->op->options.type) \
		return LITERT_NOT_FOUND; \
	*value = (kind)op->op->options.member; \
	return LITERT_OK; \
}

HOST_OPTION(padding, uint32_t, padding)
HOST_OPTION(activation, uint32_t, activation)
HOST_OPTION(stride_w, int32_t, stride_w)
HOST_OPTION(stride_h, int32_t, stride_h)
HOST_OPTION(dilation_w, int32_t, dilation_w)
HOST_OPTION(dilation_h, int32_t, dilation_h)
HOST_OPTION(multiplier, int32_t, depth_multiplier)
HOST_OPTION(filter_w, int32_t, filter_w)
HOST_OPTION(filter_h, int32_t, filter_h)
HOST_OPTION(beta, float, beta)

static inline int host_new_shape(struct LiteRtOpT *op, const int32_t **list, int32_t *count)
{
	*list = op->op->options.ints.at;
	*count = (int32_t)op->op->options.ints.count;
	return LITERT_OK;
}

/* The place of a getter, by its byte in LiteRT's table. */
static inline void host_set_option(struct LiteRtCompilerContext *c, size_t byte, void *getter)
{
	c->options[(byte - offsetof(struct LiteRtCompilerContext, options)) / sizeof(void *)] =
		(void (*)(void))getter;
}

static inline struct LiteRtCompilerContext host_compiler(void)
{
	struct LiteRtCompilerContext c = {
		.header = { 1048, LITERT_ABI_MAJOR, 0, 0 },
		.get_num_model_subgraphs = host_num_subgraphs,
		.get_model_subgraph = host_subgraph,
		.get_num_subgraph_ops = host_num_ops,
		.get_subgraph_op = host_op,
		.get_num_subgraph_inputs = host_num_sub_inputs,
		.get_subgraph_input = host_sub_inputs,
		.get_num_subgraph_outputs = host_num_sub_outputs,
		.get_subgraph_output = host_sub_outputs,
		.get_op_code = host_code,
		.get_custom_code = host_custom_code,
		.get_num_op_inputs = host_num_op_inputs,
		.get_op_input = host_op_inputs,
		.get_num_op_outputs = host_num_op_outputs,
		.get_op_output = host_op_outputs,
		.get_tensor_name = host_name,
		.get_tensor_type_id = host_type_id,
		.get_ranked_tensor_type = host_ranked_type,
		.get_quantization_type_id = host_quantization,
		.get_per_tensor_quantization = host_per_tensor,
		.get_per_channel_quantization = host_per_channel,
		.get_tensor_weights = host_weights,
		.get_weights_bytes = host_weights_bytes,
		.push_op = host_push,
		.get_custom_options = host_custom_options,
		.serialize_model_with_signatures = host_serialize,
	};
	void *const conv[] = { host_padding, host_stride_w, host_stride_h, host_activation,
			       host_dilation_w, host_dilation_h };
	void *const depthwise[] = { host_padding, host_stride_w, host_stride_h, host_multiplier,
				    host_activation, host_dilation_w, host_dilation_h };
	void *const pool[] = { host_padding, host_stride_w, host_stride_h, host_filter_w,
			       host_filter_h, host_activation };

	for (size_t i = 0; i < sizeof(conv) / sizeof(conv[0]); i++)
		host_set_option(&c, 368 + 8 * i, conv[i]);
	for (size_t i = 0; i < sizeof(depthwise) / sizeof(depthwise[0]); i++)
		host_set_option(&c, 416 + 8 * i, depthwise[i]);
	for (size_t i = 0; i < sizeof(pool) / sizeof(pool[0]); i++)
		host_set_option(&c, 672 + 8 * i, pool[i]);
	host_set_option(&c, 568, host_beta);
	host_set_option(&c, 776, host_new_shape);
	return c;
}

/* ------------------------------------------------------------------------------ buffers, events */

static inline int host_requirements(int count, const int *types, size_t size, int strides_count,
				    const uint32_t *strides,
				    struct LiteRtTensorBufferRequirementsT **out)
{
	*out = calloc(1, sizeof(**out));
	assert_non_null(*out);
	assert_in_range(count, 1, 8);
	(*out)->count = count;
	memcpy((*out)->types, types, (size_t)count * sizeof(*types));
	(*out)->size = size;
	return LITERT_OK;
}

static inline int host_buffer_type(struct LiteRtTensorBufferT *buffer, int *type)
{
	*type = buffer->type;
	return LITERT_OK;
}

static inline int host_buffer_shape(struct LiteRtTensorBufferT *buffer,
				    struct LiteRtRankedTensorType *type)
{
	*type = buffer->shape;
	return LITERT_OK;
}

static inline int host_buffer_size(struct LiteRtTensorBufferT *buffer, size_t *size)
{
	*size = buffer->size;
	return LITERT_OK;
}

static inline int host_buffer_offset(struct LiteRtTensorBufferT *buffer, size_t *offset)
{
	*offset = buffer->offset;
	return LITERT_OK;
}

static inline int host_buffer_memory(struct LiteRtTensorBufferT *buffer, void **memory)
{
	*memory = buffer->host;
	return LITERT_OK;
}

static inline int host_buffer_handle(struct LiteRtTensorBufferT *buffer, void **handle)
{
	*handle = buffer->info->memory_handle;
	return LITERT_OK;
}

static inline int host_no_dma_buf(struct LiteRtTensorBufferT *buffer, void **memory, int *fd)
{
	return LITERT_UNSUPPORTED;
}

static inline int host_event_type(struct LiteRtEventT *event, int *type)
{
	*type = event->type;
	return LITERT_OK;
}

static inline int host_event_fd(struct LiteRtEventT *event, int *fd)
{
	*fd = event->fd;
	return LITERT_OK;
}

static inline int host_wait(struct LiteRtEventT *event, int64_t timeout_ms)
{
	event->waits++;
	return LITERT_OK;
}

static inline int host_new_event(struct LiteRtEnvironmentT *environment, int fd, bool owns_fd,
				 struct LiteRtEventT **out)
{
	return LITERT_UNSUPPORTED;
}

static inline struct LiteRtRuntimeContext host_runtime(void)
{
	return (struct LiteRtRuntimeContext){
		.header = { 416, LITERT_ABI_MAJOR, 0, 0 },
		.create_tensor_buffer_requirements = host_requirements,
		.get_tensor_buffer_type = host_buffer_type,
		.get_tensor_buffer_tensor_type = host_buffer_shape,
		.get_tensor_buffer_size = host_buffer_size,
		.get_tensor_buffer_packed_size = host_buffer_size,
		.get_tensor_buffer_offset = host_buffer_offset,
		.get_tensor_buffer_host_memory = host_buffer_memory,
		.get_tensor_buffer_custom_tensor_buffer_handle = host_buffer_handle,
		.get_tensor_buffer_dma_buf_buffer = host_no_dma_buf,
		.create_event_from_sync_fence_fd = host_new_event,
		.get_event_event_type = host_event_type,
		.get_event_sync_fence_fd = host_event_fd,
		.wait_event = host_wait,
	};
}

/* ------------------------------------------------------------------------------------ libraries */

/**
 * struct host_library - the functions of both libraries
 * @basic: of the dispatch library
 */
struct host_library {
	int (*create)(const struct LiteRtCompilerContext *context, struct litert_plugin **out,
		      struct LiteRtEnvironmentOptionsT *environment,
		      struct LiteRtOptionsT *options);
	void (*destroy)(struct litert_plugin *plugin);
	int (*partition)(struct litert_plugin *plugin, const char *soc,
			 struct LiteRtSubgraphT *subgraph, struct LiteRtOpListT *list);
	int (*compile)(struct litert_plugin *plugin, const char *soc, struct LiteRtModelT *model,
		       struct litert_result **out);
	void (*destroy_result)(struct litert_result *result);
	int (*get_byte_code)(struct litert_result *result, size_t index, const void **bytes,
			     size_t *size);
	int (*get_call)(struct litert_result *result, size_t index, const void **name,
			size_t *size, size_t *module);
	const struct LiteRtDispatchInterface *basic;
	const struct LiteRtDispatchAsyncInterface *async;
	const struct LiteRtBufferHandlers *buffers;
};

static inline void *host_symbol(const char *file, const char *name)
{
	void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL), *symbol;

	if (!library)
		fail_msg("%s", dlerror());
	symbol = dlsym(library, name);
	if (!symbol)
		fail_msg("%s", dlerror());
	return symbol;
}

/* As LiteRT 2.2 and 2.3 find them. */
static inline struct host_library host_by_name(void)
{
	int (*get_api)(struct LiteRtDispatchApi *) = host_symbol(DISPATCH, "LiteRtDispatchGetApi");
	struct LiteRtDispatchApi api = { .header = { sizeof(api), LITERT_ABI_MAJOR, 0, 0 } };

	assert_int_equal(get_api(&api), LITERT_OK);
	assert_int_equal(api.version.minor, 1);
	return (struct host_library){
		.create = host_symbol(PLUGIN, "LiteRtCreateCompilerPlugin"),
		.destroy = host_symbol(PLUGIN, "LiteRtDestroyCompilerPlugin"),
		.partition = host_symbol(PLUGIN, "LiteRtCompilerPluginPartition"),
		.compile = host_symbol(PLUGIN, "LiteRtCompilerPluginCompile"),
		.destroy_result = host_symbol(PLUGIN, "LiteRtDestroyCompiledResult"),
		.get_byte_code = host_symbol(PLUGIN, "LiteRtGetCompiledResultByteCode"),
		.get_call = host_symbol(PLUGIN, "LiteRtGetCompiledResultCallInfo"),
		.basic = api.interface,
		.async = api.async,
		.buffers = api.buffers,
	};
}

/* As LiteRT 2.4 does. */
static inline struct host_library host_by_table(void)
{
	const struct LiteRtApiVersion version = { 1, 0, 0 };
	int (*plugin)(int, struct LiteRtApiVersion, const void **) =
		host_symbol(PLUGIN, "LiteRtCompilerPluginQueryInterface");
	int (*dispatch)(int, struct LiteRtApiVersion, const void **) =
		host_symbol(DISPATCH, "LiteRtDispatchQueryInterface");
	const struct LiteRtAbiHeader *basic, *async;
	const void *table, *buffers;
	void *const *at;

	assert_int_equal(plugin(0, version, &table), LITERT_OK);
	assert_int_equal(((const struct LiteRtAbiHeader *)table)->struct_size, 152);
	at = (void *const *)table + 1;
	assert_int_equal(plugin(1, version, &table), LITERT_UNSUPPORTED);
	assert_int_equal(dispatch(LITERT_BASIC_TABLE, version, &table), LITERT_OK);
	basic = table;
	assert_int_equal(dispatch(LITERT_ASYNC_TABLE, version, &table), LITERT_OK);
	async = table;
	assert_int_equal(dispatch(LITERT_GRAPH_TABLE, version, &table), LITERT_UNSUPPORTED);
	assert_int_equal(dispatch(LITERT_BUFFER_TABLE, version, &buffers), LITERT_OK);
	assert_true(litert_is_known(basic) && litert_is_known(async) && litert_is_known(buffers));
	return (struct host_library){
		.create = at[2],
		.destroy = at[3],
		.partition = at[7],
		.compile = at[8],
		.destroy_result = at[9],
		.get_byte_code = at[10],
		.get_call = at[12],
		.basic = (const void *)(basic + 1),
		.async = (const void *)(async + 1),
		.buffers = buffers,
	};
}

static inline void host_open(struct LiteRtModelT *to, const uint8_t *file, size_t size)
{
	char error[TFLITE_ERROR_SIZE];
	const struct tflite_subgraph *sub;

	*to = (struct LiteRtModelT){ .file = file, .size = size, .count = 1 };
	assert_int_equal(tflite_parse(file, size, &to->model, error), 0);
	sub = &to->model->subgraphs[0];
	to->sub.sub = sub;
	to->sub.tensors = calloc(sub->tensor_count + 1, sizeof(*to->sub.tensors));
	to->sub.ops = calloc(sub->operator_count + 1, sizeof(*to->sub.ops));
	assert_non_null(to->sub.tensors);
	assert_non_null(to->sub.ops);
	for (uint32_t i = 0; i < sub->tensor_count; i++)
		to->sub.tensors[i].tensor = &sub->tensors[i];
	for (uint32_t i = 0; i < sub->operator_count; i++)
		to->sub.ops[i] = (struct LiteRtOpT){ &sub->operators[i], &to->sub };
}

static inline void host_close(struct LiteRtModelT *model)
{
	tflite_free(model->model);
	free(model->sub.tensors);
	free(model->sub.ops);
}

#endif
