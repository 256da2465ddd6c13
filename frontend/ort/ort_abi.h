/* SPDX-License-Identifier: MIT */
/*
 * ONNX Runtime's C interface, as far as a plug-in execution provider of API 23 uses it. Its wheel
 * has no header. Tables of function pointers are append-only, so that numbers of slots hold for
 * every later version; structs that the provider fills begin with the version that it was written
 * for.
 *
 * Objects are opaque. A function that may fail returns a status, NULL for success, which the caller
 * releases.
 */
#ifndef ORT_ABI_H
#define ORT_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ORT_VERSION 23u
#define ORT_VERSION_SHAPES 24u

enum ort_error {
	ORT_FAIL = 1,
	ORT_INVALID_ARGUMENT = 2,
	ORT_NOT_IMPLEMENTED = 9,
	ORT_EP_FAIL = 11,
};

enum ort_hardware { ORT_CPU = 0, ORT_GPU = 1, ORT_NPU = 2 };
enum ort_severity { ORT_INFO = 1, ORT_WARNING = 2, ORT_ERROR = 3 };

/* Kinds of attributes. */
enum ort_attribute {
	ORT_INT = 1,
	ORT_INTS = 2,
	ORT_FLOAT = 3,
	ORT_FLOATS = 4,
	ORT_STRING = 5,
	ORT_TENSOR = 8,
};

/* Slots of OrtApi. */
enum ort_slot {
	ORT_CREATE_STATUS = 0,
	ORT_GET_ERROR_MESSAGE = 2,
	ORT_TENSOR_DATA = 51,
	ORT_TYPE_TENSOR = 55,
	ORT_INFO_TYPE = 60,
	ORT_INFO_RANK = 61,
	ORT_INFO_DIMS = 62,
	ORT_INFO_SYMBOLS = 63,
	ORT_VALUE_INFO = 65,
	ORT_CONTEXT_INPUTS = 88,
	ORT_CONTEXT_OUTPUTS = 89,
	ORT_CONTEXT_INPUT = 90,
	ORT_CONTEXT_OUTPUT = 91,
	ORT_RELEASE_STATUS = 93,
	ORT_RELEASE_INFO = 99,
	ORT_CREATE_ATTRIBUTE = 211,
	ORT_RELEASE_ATTRIBUTE = 212,
	ORT_HAS_CONFIG = 237,
	ORT_GET_CONFIG = 238,
	ORT_LOG = 247,
	ORT_READ_ATTRIBUTE = 272,
	ORT_VALUE_NAME = 289,
	ORT_VALUE_TYPE = 290,
	ORT_EDITOR_API = 291,
	ORT_CREATE_PAIRS = 295,
	ORT_ADD_PAIR = 296,
	ORT_GET_PAIR = 297,
	ORT_RELEASE_PAIRS = 300,
	ORT_HARDWARE_TYPE = 307,
	ORT_HARDWARE_VENDOR = 308,
	ORT_HARDWARE_DEVICE = 310,
	ORT_HARDWARE_METADATA = 311,
	ORT_EP_API = 317,
	ORT_TENSOR_SIZE = 318,
	ORT_INITIALIZER_VALUE = 326,
	ORT_IS_CONSTANT = 331,
	ORT_GRAPH_PATH = 334, /* of the model's file, "" for one in memory */
	ORT_GRAPH_INPUTS = 338, /* the number; the list is in the next slot, as below */
	ORT_GRAPH_OUTPUTS = 340,
	ORT_GRAPH_INITIALIZERS = 342,
	ORT_GRAPH_NODES = 344,
	ORT_NODE_NAME = 349,
	ORT_NODE_OPERATOR = 350,
	ORT_NODE_DOMAIN = 351,
	ORT_NODE_VERSION = 352,
	ORT_NODE_INPUTS = 353,
	ORT_NODE_OUTPUTS = 355,
	ORT_NODE_IMPLICIT_INPUTS = 357, /* what its subgraphs read */
	ORT_NODE_ATTRIBUTES = 359,
	ORT_ATTRIBUTE_TENSOR = 362,
	ORT_ATTRIBUTE_KIND = 363,
	ORT_ATTRIBUTE_NAME = 364,
	/* Since ORT_VERSION_SHAPES: a tensor's type, and its dims where the runtime has them. */
	ORT_TENSOR_SHAPE = 414,
};

/* Slots of OrtEpApi. */
enum ort_ep_slot {
	ORT_EP_CREATE_DEVICE = 0,
	ORT_EP_RELEASE_DEVICE = 1,
	ORT_EP_FUSE = 2,
};

/* Slots of OrtModelEditorApi. */
enum ort_editor_slot {
	ORT_EDITOR_CREATE_NODE = 6,
};

struct ort_status;

/* A table of functions; the type of each is that of the call. */
typedef void (*const *ort_table)(void);

struct ort_api_base {
	ort_table (*get_api)(uint32_t version);
	const char *(*get_version)(void);
};

struct ort_fusion_options {
	uint32_t version;
	bool drop_constants;
};

/* What computes a fused node. */
struct ort_compute {
	uint32_t version;
	struct ort_status *(*create_state)(struct ort_compute *self, void *context, void **state);
	struct ort_status *(*compute)(struct ort_compute *self, void *state, void *context);
	void (*release_state)(struct ort_compute *self, void *state);
};

/* OrtEp */
struct ort_ep {
	uint32_t version;
	const char *(*get_name)(const struct ort_ep *self);
	struct ort_status *(*get_capability)(struct ort_ep *self, const void *graph, void *info);
	struct ort_status *(*compile)(struct ort_ep *self, const void **graphs, const void **nodes,
				      size_t count, struct ort_compute **computes,
				      void **context_nodes);
	void (*release_computes)(struct ort_ep *self, struct ort_compute **computes, size_t count);
	struct ort_status *(*get_layout)(struct ort_ep *self, int *layout);
	struct ort_status *(*converts_layout)(struct ort_ep *self, const char *domain,
					      const char *op, int layout, int *converts);
	struct ort_status *(*set_options)(struct ort_ep *self, const char *const *keys,
					  const char *const *values, size_t count);
	struct ort_status *(*run_starts)(struct ort_ep *self, const void *options);
	struct ort_status *(*run_ends)(struct ort_ep *self, const void *options, bool syncs);
	/* Optional, and left out: the memory is the host's, and there are no streams. */
	void *create_allocator, *create_stream, *get_compatibility;
	void *later[16];
};

/* OrtEpFactory */
struct ort_factory {
	uint32_t version;
	const char *(*get_name)(const struct ort_factory *self);
	const char *(*get_vendor)(const struct ort_factory *self);
	struct ort_status *(*get_devices)(struct ort_factory *self, const void *const *hardware,
					  size_t count, void **devices, size_t room, size_t *found);
	struct ort_status *(*create_ep)(struct ort_factory *self, const void *const *hardware,
					const void *const *metadata, size_t count,
					const void *options, const void *logger,
					struct ort_ep **ep);
	void (*release_ep)(struct ort_factory *self, struct ort_ep *ep);
	uint32_t (*get_vendor_id)(const struct ort_factory *self);
	const char *(*get_version)(const struct ort_factory *self);
	struct ort_status *(*validate)(struct ort_factory *self, const void *const *hardware,
				       size_t count, const char *info, int *compatibility);
	struct ort_status *(*create_allocator)(struct ort_factory *self, const void *memory,
					       const void *options, void **allocator);
	void (*release_allocator)(struct ort_factory *self, void *allocator);
	struct ort_status *(*create_transfer)(struct ort_factory *self, void **transfer);
	bool (*is_stream_aware)(const struct ort_factory *self);
	struct ort_status *(*create_stream)(struct ort_factory *self, const void *device,
					    const void *options, void **stream);
	void *later[16];
};

#endif
