/* SPDX-License-Identifier: MIT */
/*
 * What LiteRT and its vendors' libraries exchange, of two generations:
 *
 *	2.2, 2.3	functions that the runtime looks up by name
 *	2.4		tables that the library hands out: LiteRtCompilerPluginQueryInterface() and
 *			LiteRtDispatchQueryInterface()
 *
 * This file declares the part that is used, under LiteRT's names. The layout is that of LiteRT's
 * libraries on 64-bit machines: tests/unit/frontend/litert/test_litert_abi.c states the offsets,
 * and tests/runtimes runs the libraries inside of LiteRT.
 *
 * The runtime's tables begin with a header and only grow. Before a member is called,
 * LITERT_HAS() looks whether the table has it. LiteRT 2.1 has tables without a header:
 * litert_is_known() is false for them, as the first word of such a table is the address of a
 * function, or zeros.
 *
 * Objects of the runtime are opaque. Those in the calls of one of its functions may be used only
 * within this call, by the calling thread; its tables live as long as the process.
 */
#ifndef LITERT_LITERT_ABI_H
#define LITERT_LITERT_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The runtime asks for this version and no other, in all of its releases so far. */
#define LITERT_API_VERSION { 0, 1, 0 }
/* The generation of tables that this file declares. */
#define LITERT_ABI_MAJOR 1

/* Status that functions return. */
enum {
	LITERT_OK = 0,
	LITERT_INVALID_ARGUMENT = 1,
	LITERT_NO_MEMORY = 2,
	LITERT_RUNTIME_FAILURE = 3,
	LITERT_UNSUPPORTED = 5,
	LITERT_NOT_FOUND = 6,
	LITERT_TIMEOUT = 7,
	LITERT_WRONG_VERSION = 8,
	LITERT_CANCELLED = 100,
	LITERT_COMPILATION = 504,
	LITERT_INCOMPATIBLE_BYTE_CODE = 4002,
};

/* Kinds of hardware, a set. */
#define LITERT_HARDWARE_NPU 4
/* What a dispatch library can do, a set. */
#define LITERT_CAN_BASIC 1
#define LITERT_CAN_ASYNC 2
/* Tables of a dispatch library, as QueryInterface() numbers them. */
enum { LITERT_BASIC_TABLE, LITERT_ASYNC_TABLE, LITERT_GRAPH_TABLE, LITERT_BUFFER_TABLE };
/* A partition as bytes. */
#define LITERT_EXECUTABLE_BYTES 2
/* Kinds of tensor buffers; a vendor's own are 100 to 199. */
enum { LITERT_HOST_MEMORY = 1, LITERT_DMA_BUF = 4, LITERT_VENDOR_FIRST = 100 };
/* Kinds of events. */
#define LITERT_SYNC_FENCE 1
/* An environment option that a buffer's functions do not need. */
#define LITERT_NO_TAG 255
/* Quantisation of a tensor. */
enum { LITERT_NOT_QUANTIZED, LITERT_PER_TENSOR, LITERT_PER_CHANNEL, LITERT_BLOCKWISE };
/* Bits of LiteRtSchedulingInfo.fields_mask. */
#define LITERT_HAS_PRIORITY 4
/* Types of a LiteRtAny. */
enum { LITERT_ANY_INT = 2, LITERT_ANY_REAL = 3 };

struct LiteRtModelT;
struct LiteRtSubgraphT;
struct LiteRtOpT;
struct LiteRtOpListT;
struct LiteRtTensorT;
struct LiteRtWeightsT;
struct LiteRtEnvironmentT;
struct LiteRtEnvironmentOptionsT;
struct LiteRtOptionsT;
struct LiteRtTensorBufferT;
struct LiteRtTensorBufferRequirementsT;
struct LiteRtEventT;

struct LiteRtApiVersion {
	int major, minor, patch;
};

/**
 * struct LiteRtAbiHeader - the head of a table
 * @struct_size: bytes of the table
 * @reserved: 0
 */
struct LiteRtAbiHeader {
	uint16_t struct_size, major_version, minor_version, reserved;
};

/**
 * struct LiteRtRankedTensorType - type and shape
 * @element_type: TFLite's number in memory, which is not the schema's (tflite_runtime_type())
 * @dimensions: -1 for one that is open
 */
struct LiteRtRankedTensorType {
	int element_type;
	unsigned int rank : 7;
	unsigned int has_strides : 1;
	int32_t dimensions[8];
	uint32_t strides[8];
};

struct LiteRtQuantizationPerTensor {
	float scale;
	int64_t zero_point;
};

struct LiteRtQuantizationPerChannel {
	int32_t quantized_dimension;
	uint64_t num_channels;
	float *scales;
	int64_t *zero_points;
};

struct LiteRtQuantizationBlockWise {
	struct LiteRtTensorT *scales, *zero_points;
	int32_t block_size;
};

struct LiteRtModelSerializationOptions {
	size_t bytecode_alignment;
};

/* The getters of operators' options in struct LiteRtCompilerContext. */
#define LITERT_OPTION_GETTERS 91

/**
 * struct LiteRtCompilerContext - what a compiler plug-in may call
 * @get_op_input: gives NULL for an omitted optional tensor
 * @get_weights_bytes: a size of 0: the tensor is no constant
 * @options: int (*)(struct LiteRtOpT *op, TYPE *value), with types of their own (options.c)
 * @serialize_model_with_signatures: gives a TFLite file in (*buf)[*offset] to (*buf)[*size], which
 *	the caller frees. It moves constants out of the model: it must be the last call
 */
struct LiteRtCompilerContext {
	struct LiteRtAbiHeader header;
	int (*get_num_model_subgraphs)(struct LiteRtModelT *model, size_t *count);
	int (*get_model_subgraph)(struct LiteRtModelT *model, size_t index,
				  struct LiteRtSubgraphT **out);
	int (*get_num_subgraph_ops)(struct LiteRtSubgraphT *subgraph, size_t *count);
	int (*get_subgraph_op)(struct LiteRtSubgraphT *subgraph, size_t index,
			       struct LiteRtOpT **out);
	int (*get_num_subgraph_inputs)(struct LiteRtSubgraphT *subgraph, size_t *count);
	int (*get_subgraph_input)(struct LiteRtSubgraphT *subgraph, size_t index,
				  struct LiteRtTensorT **out);
	int (*get_num_subgraph_outputs)(struct LiteRtSubgraphT *subgraph, size_t *count);
	int (*get_subgraph_output)(struct LiteRtSubgraphT *subgraph, size_t index,
				   struct LiteRtTensorT **out);
	int (*get_op_code)(struct LiteRtOpT *op, int *code);
	int (*get_custom_code)(struct LiteRtOpT *op, const char **code);
	int (*get_num_op_inputs)(struct LiteRtOpT *op, size_t *count);
	int (*get_op_input)(struct LiteRtOpT *op, size_t index, struct LiteRtTensorT **out);
	int (*get_num_op_outputs)(struct LiteRtOpT *op, size_t *count);
	int (*get_op_output)(struct LiteRtOpT *op, size_t index, struct LiteRtTensorT **out);
	int (*get_tensor_name)(struct LiteRtTensorT *tensor, const char **name);
	void *get_tensor_index;
	int (*get_tensor_type_id)(struct LiteRtTensorT *tensor, int *unranked);
	int (*get_ranked_tensor_type)(struct LiteRtTensorT *tensor,
				      struct LiteRtRankedTensorType *type);
	void *get_unranked_tensor_type;
	int (*get_quantization_type_id)(struct LiteRtTensorT *tensor, int *type);
	int (*get_per_tensor_quantization)(struct LiteRtTensorT *tensor,
					   struct LiteRtQuantizationPerTensor *quantization);
	int (*get_per_channel_quantization)(struct LiteRtTensorT *tensor,
					    struct LiteRtQuantizationPerChannel *quantization);
	void *get_num_tensor_uses, *get_tensor_use, *get_tensor_defining_op;
	int (*get_tensor_weights)(struct LiteRtTensorT *tensor, struct LiteRtWeightsT **weights);
	void *get_weights_buffer_id;
	int (*get_weights_bytes)(struct LiteRtWeightsT *weights, const void **bytes, size_t *size);
	void *composites[4];
	int (*push_op)(struct LiteRtOpListT *list, struct LiteRtOpT *op, size_t partition);
	void *get_opaque_options, *find_opaque_options_data, *destroy_options;
	void *get_environment_options_value;
	void (*options[LITERT_OPTION_GETTERS])(void);
	int (*get_custom_options)(struct LiteRtOpT *op, const void **bytes, int32_t *size);
	int (*serialize_model_with_signatures)(struct LiteRtModelT *model, uint8_t **buf,
					       size_t *size, size_t *offset, bool destroy_model,
					       char **signatures, size_t count,
					       struct LiteRtModelSerializationOptions options);
	void *builder[6];
	int (*get_blockwise_quantization)(struct LiteRtTensorT *tensor,
					  struct LiteRtQuantizationBlockWise *quantization);
};

/**
 * struct LiteRtRuntimeContext - what a dispatch library may call
 * @create_tensor_buffer_requirements: the first of @types is what the runtime creates itself
 * @lock_tensor_buffer: gives the bytes of a buffer of any kind
 * @get_tensor_buffer_custom_tensor_buffer_handle: the memory_handle of a struct LiteRtHwMemoryInfo
 */
struct LiteRtRuntimeContext {
	struct LiteRtAbiHeader header;
	int (*create_tensor_buffer_requirements)(int count, const int *types, size_t size,
						 int strides_count, const uint32_t *strides,
						 struct LiteRtTensorBufferRequirementsT **out);
	void *external_buffers[8];
	void *get_opaque_options, *find_opaque_options_data, *destroy_options;
	void *get_environment_options, *get_environment_options_value;
	void *gpu[3], *delegates[2];
	void *create_tensor_buffer_from_host_memory, *create_managed_tensor_buffer;
	void *destroy_tensor_buffer;
	int (*get_tensor_buffer_type)(struct LiteRtTensorBufferT *buffer, int *type);
	int (*get_tensor_buffer_tensor_type)(struct LiteRtTensorBufferT *buffer,
					     struct LiteRtRankedTensorType *type);
	int (*get_tensor_buffer_size)(struct LiteRtTensorBufferT *buffer, size_t *size);
	int (*get_tensor_buffer_packed_size)(struct LiteRtTensorBufferT *buffer, size_t *size);
	int (*get_tensor_buffer_offset)(struct LiteRtTensorBufferT *buffer, size_t *offset);
	void *lock_tensor_buffer, *unlock_tensor_buffer;
	int (*get_tensor_buffer_host_memory)(struct LiteRtTensorBufferT *buffer, void **memory);
	void *get_tensor_buffer_opencl_memory, *get_tensor_buffer_gl_buffer;
	int (*get_tensor_buffer_custom_tensor_buffer_handle)(struct LiteRtTensorBufferT *buffer,
							     void **handle);
	void *get_tensor_buffer_ahwb;
	int (*get_tensor_buffer_dma_buf_buffer)(struct LiteRtTensorBufferT *buffer, void **memory,
						int *fd);
	void *get_tensor_buffer_fast_rpc_buffer;
	void *has_tensor_buffer_event, *get_tensor_buffer_event, *set_tensor_buffer_event;
	void *create_managed_event;
	int (*create_event_from_sync_fence_fd)(struct LiteRtEnvironmentT *environment, int fd,
					       bool owns_fd, struct LiteRtEventT **out);
	int (*get_event_event_type)(struct LiteRtEventT *event, int *type);
	int (*get_event_sync_fence_fd)(struct LiteRtEventT *event, int *fd);
	void *create_event_from_opencl_event, *get_event_opencl_event;
	void *set_custom_event, *get_custom_event;
	int (*wait_event)(struct LiteRtEventT *event, int64_t timeout_ms);
};

/**
 * struct LiteRtMemBuffer - the bytes of a partition
 * @fd: the file that they lie in, or -1
 * @base_addr: they begin at @base_addr + @offset
 */
struct LiteRtMemBuffer {
	int fd;
	const void *base_addr;
	size_t offset, size, alloc_base_file_offset;
};

/**
 * struct LiteRtSchedulingInfo - how a run is scheduled
 * @fields_mask: which members are set
 * @job_priority: 0, the highest, to 1000
 */
struct LiteRtSchedulingInfo {
	uint32_t fields_mask;
	int32_t original_uid;
	const char *debug_feature_id;
	int32_t job_priority;
	uint8_t group_id[16];
};

struct LiteRtAny {
	int type;
	union {
		int64_t int_value;
		double real_value;
		const void *pointer;
	};
};

struct LiteRtMetric {
	const char *name;
	struct LiteRtAny value;
};

/* What the dispatch library hands out as its own objects. */
struct litert_context;
struct litert_invocation;
struct litert_metrics;

/**
 * struct LiteRtDispatchInterface - the basic functions of a dispatch library
 * @register_tensor_buffer: the handle is valid in this device context
 * @invocation_context_create: @exec_type is LITERT_EXECUTABLE_BYTES; @function is the name that the
 *	compiler plug-in gave to the partition. The bytes live as long as the context
 * @invocation_context_set_scheduling_info: called before every run, with NULL for the default
 * @rest: members of later versions, NULL
 */
struct LiteRtDispatchInterface {
	int (*initialize)(const struct LiteRtRuntimeContext *runtime,
			  struct LiteRtEnvironmentT *environment, struct LiteRtOptionsT *options);
	int (*get_vendor_id)(const char **id);
	int (*get_build_id)(const char **id);
	int (*get_capabilities)(int *capabilities);
	int (*device_context_create)(const struct LiteRtRuntimeContext *runtime,
				     struct LiteRtOptionsT *options, struct litert_context **out);
	int (*device_context_destroy)(struct litert_context *context);
	int (*get_input_requirements)(struct litert_invocation *invocation, int index,
				      const struct LiteRtRankedTensorType *type,
				      struct LiteRtTensorBufferRequirementsT **out);
	int (*get_output_requirements)(struct litert_invocation *invocation, int index,
				       const struct LiteRtRankedTensorType *type,
				       struct LiteRtTensorBufferRequirementsT **out);
	int (*register_tensor_buffer)(struct litert_context *context,
				      struct LiteRtTensorBufferT *buffer, uint64_t *handle);
	int (*unregister_tensor_buffer)(struct litert_context *context, uint64_t handle);
	int (*invocation_context_create)(const struct LiteRtRuntimeContext *runtime,
					 struct litert_context *context, int exec_type,
					 const struct LiteRtMemBuffer *bytes, const char *function,
					 int input_count, int output_count,
					 struct litert_invocation **out);
	int (*invocation_context_destroy)(struct litert_invocation *invocation);
	int (*invocation_context_set_scheduling_info)(struct litert_invocation *invocation,
						      const struct LiteRtSchedulingInfo *info);
	int (*attach_input)(struct litert_invocation *invocation, int index, uint64_t handle);
	int (*attach_output)(struct litert_invocation *invocation, int index, uint64_t handle);
	int (*detach_input)(struct litert_invocation *invocation, int index, uint64_t handle);
	int (*detach_output)(struct litert_invocation *invocation, int index, uint64_t handle);
	int (*invoke)(struct litert_invocation *invocation);
	int (*start_metrics_collection)(struct litert_invocation *invocation, int level);
	int (*stop_metrics_collection)(struct litert_invocation *invocation,
				       struct litert_metrics **out);
	int (*get_num_metrics)(struct litert_metrics *metrics, int *count);
	int (*get_metric)(struct litert_metrics *metrics, int index, struct LiteRtMetric *metric);
	int (*destroy_metrics)(struct litert_metrics *metrics);
	int (*check_runtime_compatibility)(struct LiteRtApiVersion version,
					   struct LiteRtEnvironmentOptionsT *environment,
					   struct LiteRtOptionsT *options);
	int (*invocation_context_set_options)(struct litert_invocation *invocation,
					      struct LiteRtOptionsT *options);
	int (*get_hooks)(void *hooks);
	void *rest[6];
};

/* Its asynchronous functions. invoke_async() returns when outputs without an event are complete. */
struct LiteRtDispatchAsyncInterface {
	int (*attach_input_event)(struct litert_invocation *invocation, int index,
				  struct LiteRtEventT *event);
	int (*invoke_async)(struct litert_invocation *invocation, int count,
			    struct LiteRtEventT **events);
	void *rest[2];
};

/**
 * struct LiteRtHwMemoryInfo - a buffer of a vendor's kind, allocated by create()
 * @memory_handle: what the runtime gives out as the buffer's handle
 * @raw_handle: what a program that imports the buffer gave
 */
struct LiteRtHwMemoryInfo {
	void *memory_handle, *raw_handle;
};

/* Functions of buffers of a vendor's kinds. */
struct LiteRtBufferHandlers {
	struct LiteRtAbiHeader header;
	int (*create)(void *device, void *queue, const struct LiteRtRankedTensorType *type,
		      int buffer_type, size_t bytes, size_t packed_bytes,
		      struct LiteRtHwMemoryInfo **out);
	int (*destroy)(struct LiteRtHwMemoryInfo *info);
	int (*lock)(struct LiteRtHwMemoryInfo *info, int mode, void **memory);
	int (*unlock)(struct LiteRtHwMemoryInfo *info);
	int (*clear)(struct LiteRtHwMemoryInfo *info);
	int (*import)(void *device, void *queue, const struct LiteRtRankedTensorType *type,
		      int buffer_type, void *handle, size_t bytes, size_t packed_bytes,
		      struct LiteRtHwMemoryInfo **out);
	int device_tag, queue_tag;
	size_t count;
	int types[16];
};

/* The runtime's, which a dispatch library fills, up to 2.3. */
struct LiteRtDispatchApi {
	struct LiteRtAbiHeader header;
	struct LiteRtApiVersion version;
	const struct LiteRtDispatchInterface *interface;
	const struct LiteRtDispatchAsyncInterface *async;
	const void *graph;
	const struct LiteRtBufferHandlers *buffers;
};

/* Whether a table is of the generation above. */
static inline bool litert_is_known(const struct LiteRtAbiHeader *header)
{
	return header && header->major_version == LITERT_ABI_MAJOR && !header->reserved &&
	       header->struct_size >= sizeof(*header);
}

/* Whether a table of that generation has @member, and it is not NULL. */
#define LITERT_HAS(table, member) \
	((table)->header.struct_size >= \
		 offsetof(__typeof__(*(table)), member) + sizeof((table)->member) && \
	 (table)->member)

#endif
