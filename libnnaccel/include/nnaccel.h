/* SPDX-License-Identifier: MIT */
/*
 * libnnaccel: neural networks on the NNA.
 *
 * Data and ownership
 *
 *	nna_device	an open accelerator: a DRM node, or the loopback (the same model in this
 *			process)
 *	nna_graph	operands and operations in NNAPI's terms; immutable once finished;
 *			reference-counted
 *	nna_program	a graph compiled for a device: commands, packed weights, memory plan;
 *			immutable
 *	nna_execution	one run of a program at a time: its bindings and its scratch memory
 *	nna_buffer	device memory that a caller fills or shares (own, dma-buf, memfd)
 *	nna_fence	the end of a submitted execution
 *
 * A program holds its graph and needs its device open; an execution needs its program; a fence
 * outlives its execution. The creator of an object destroys it, in any order that respects this;
 * destroying NULL does nothing. Destroying an execution waits for the device.
 *
 * Thread-safety: a device, a finished graph, a program and a buffer may be used from any number of
 * threads at once. A graph under construction and an execution belong to one thread at a time, a
 * fence to any number that wait. An object must not be destroyed while another thread uses it.
 * These rules hold for each function unless its comment says otherwise. Runs that wait in the
 * library (nna_execution_submit_after()) need a thread of its own, one or two for each device. No
 * thread of the library takes the process's signals.
 *
 * man/generate.py makes manual pages of these comments, one for each section of this file; "man
 * nna_device_open" finds the page with that function. The node of a function in libnnaccel.map is
 * the version that introduced it.
 *
 * Versions: this interface is stable. The soname libnnaccel.so.1 has the first number of the
 * version: a program that was built with 1.x runs with every later 1.y, and a change that would
 * break it makes the first number 2. A new function gets a version node of its own in
 * libnnaccel.map, so that a program which needs it is refused by an older library when it starts.
 * tests/install/abi compares with libnnaccel.abi, which is written for each release.
 *
 * Structs grow at their end. So that a program and a library of different versions understand each
 * other, functions that take such a struct are exported as NAME_sized(), with the size that the
 * program knows, and NAME() is an inline function that passes sizeof. Members that the program does
 * not know are 0 for the library, which is the default. Members that the library does not know
 * become 0 in the program's struct. A program that sets a member which the library does not know
 * gets -E2BIG. The size is an argument rather than the first member, so that no program can forget
 * to set it. There are structs rather than accessors, because the members of a description, or the
 * times of a run, belong together. Bindings of other languages call NAME_sized(). Structs without
 * it (struct nna_log, struct nna_blob_writer, struct nna_blob_reader, struct nna_graph_piece) do
 * not grow.
 *
 * Errors are negative errno values; nna_log gets a line that names the thing and what to do:
 *
 *	-EINVAL		malformed graph or argument
 *	-E2BIG		a struct has a member set that this library is too old for
 *	-ENOTSUP	not possible on this device
 *	-ENOMEM		no memory
 *	-ENODEV		the device is gone
 *	-ETIMEDOUT	deadline or loop limit
 *	-ENOSPC		output too small
 *	-EIO		the device failed
 *	-ECANCELED	lost through another's fault
 *
 * Floats in quantisation are the model's; no inference arithmetic happens in this library.
 */
#ifndef NNACCEL_H
#define NNACCEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NNACCEL_API __attribute__((visibility("default")))

/* The most dimensions that a tensor has. */
#define NNACCEL_MAX_RANK 16

struct nna_device;
struct nna_graph;
struct nna_program;
struct nna_execution;
struct nna_buffer;
struct nna_fence;

/**
 * nna_version() - the version of the library that the program runs with
 *
 * `pkg-config --modversion nnaccel` prints the version of this header. From any thread.
 *
 * Return: "MAJOR.MINOR.PATCH", which lives as long as the process.
 */
NNACCEL_API const char *nna_version(void);

/* Severity of a message. */
enum nna_log_level { NNA_LOG_ERROR, NNA_LOG_WARNING, NNA_LOG_INFO };

/**
 * struct nna_log - where messages go
 * @line: called with one line without a newline, from the thread that called the library; several
 *	threads may call it at the same time. NULL is silence
 * @user: handed to @line
 */
struct nna_log {
	void (*line)(void *user, enum nna_log_level level, const char *text);
	void *user;
};

/* --------------------------------------------------------------------------------------- device */

/*
 * Priorities of executions, relative to each other. The device ages jobs, so that jobs of LOW
 * priority end, too.
 */
enum nna_priority { NNA_PRIORITY_LOW, NNA_PRIORITY_MEDIUM, NNA_PRIORITY_HIGH };

/* Instruction sets that the loopback computes with. */
enum nna_isa {
	NNA_ISA_AUTO = 0, /* the best that this machine has */
	NNA_ISA_SCALAR = 1, /* portable C: the kernels that define each command */
	NNA_ISA_AVX2 = 2,
	NNA_ISA_AVX512 = 3, /* with VNNI */
	NNA_ISA_NEON = 4, /* of 64-bit Arm */
	NNA_ISA_DOTPROD = 5, /* with the dot products of Armv8.2 */
	NNA_ISA_AVXVNNI = 6, /* AVX2 with AVX-VNNI */
	NNA_ISA_I8MM = 7, /* with the products of 8-bit matrices of Armv8.6 */
	NNA_ISA_VECTOR = 8, /* portable C: the vector kernels, for tests */
};

/**
 * struct nna_device_options - how to open a device; zeros are the defaults
 * @log: where messages of the device, its programs and executions go
 * @threads: loopback: threads that compute, at most 64; 0 is one for each CPU
 * @isa: loopback: the kernels to compute with; -ENOTSUP when this machine cannot
 * @charge: called before @bytes more of memory are taken for the device: for its buffers, own and
 *	imported, its programs and its executions, and while a program is compiled or loaded. It
 *	returns false to refuse the memory: what needs it fails with -ENOMEM. NULL allows all of it
 * @discharge: called after @bytes of that memory were given back; NULL only if @charge is
 * @account: handed to @charge, @discharge and @opened. Any thread may call the first two, with
 *	locks of the library held: they must not call the library
 * @opened: called with the open file of a device node, before anything is created in it; the
 *	loopback has none. A service that opens the device for its clients says there for whom, by
 *	the driver's FILE_SET_USER (drm/nna_accel.h): the device is shared among users. The file
 *	stays the library's. Returns 0, or a negative errno with which nna_device_open() fails.
 *	NULL does nothing
 */
struct nna_device_options {
	struct nna_log log;
	uint32_t threads;
	enum nna_isa isa;
	bool (*charge)(void *account, uint64_t bytes);
	void (*discharge)(void *account, uint64_t bytes);
	void *account;
	int (*opened)(void *account, int fd);
};

/**
 * struct nna_device_info - properties of a device
 * @name: "/dev/accel/accel0", "/dev/dri/renderD128" or "loopback"
 * @driver: name and version of the driver, "nna 1.0", or "loopback"
 * @engine: kernels in use ("avx2"), empty if unknown
 * @loopback: the device is in this process
 * @sync_files: fences can be exported and imported as sync_file fds
 * @abi_major: version of the hardware's registers
 * @abi_minor: version of the hardware's registers
 * @stream_version: version of command streams
 * @layout_version: version of packed layouts
 * @job_rings: rings, which are the priorities of the hardware
 * @va_bits: bits of a device address
 * @max_slots: entries of a job's base table
 * @job_limit_ns: run time after which the device ends any job, ns of device time
 */
struct nna_device_info {
	char name[64];
	char driver[32];
	char engine[16];
	bool loopback;
	bool sync_files;
	uint32_t abi_major, abi_minor;
	uint32_t stream_version, layout_version;
	uint32_t job_rings;
	uint32_t va_bits;
	uint32_t max_slots;
	uint64_t job_limit_ns;
};

/**
 * nna_device_open() - open an accelerator
 * @name: a node's path; "loopback"; an Ethos-U such as "ethos-u65-256", whose model is in this
 *	process, too; "backend-nna" or "backend-ethos-u65-256", for which programs compile, and none
 *	runs; or "auto" or NULL: the first node of the nna driver, an accel node or a render node,
 *	else the first one of the ethosu driver, else the loopback (with an INFO line that says so)
 * @options: NULL for the defaults
 * @out: the device; nna_device_close() gives it back
 *
 * The shared library opens the loopback as a plug-in, nnaccel/libnnaccel-loopback.so in its own
 * directory or, where the program does not run with another's privileges, in $NNACCEL_PLUGIN_DIR,
 * an absolute path.
 *
 * Return: 0, -EINVAL (@options has one of @charge and @discharge alone), -ENOENT (no such node),
 * -ENODEV (not an NNA), -EACCES, -EPROTO (another ABI), -ENOTSUP (this machine cannot run
 * @options->isa), -ELIBACC (the plug-in is missing), -ELIBBAD (the plug-in is of another build),
 * -ENOMEM, or an error of @options->opened.
 */
static inline int nna_device_open(const char *name, const struct nna_device_options *options,
				  struct nna_device **out);
NNACCEL_API int nna_device_open_sized(const char *name, const struct nna_device_options *options,
				      size_t size, struct nna_device **out);
/**
 * nna_device_find() - find the accelerators of this machine
 * @index: 0 for the first one, 1 for the next: in the order of their nodes' numbers
 * @name: filled in with the path of the node, which nna_device_open() takes
 * @size: room in @name, bytes; 64 are enough
 *
 * Nodes that the process cannot open do not count, nor does the loopback.
 *
 * Return: 0, -ENOENT (there are not that many), or -ENOSPC (no room).
 */
NNACCEL_API int nna_device_find(uint32_t index, char *name, size_t size);
/**
 * nna_device_close() - close a device
 * @device: has no programs, executions and buffers any more; NULL does nothing
 *
 * A child of fork() can use neither its parent's device nor objects that were created for it. In a
 * child this function does nothing.
 */
NNACCEL_API void nna_device_close(struct nna_device *device);
/**
 * nna_device_get_info() - the properties of a device
 * @device: the device
 * @info: filled in; the caller's
 */
static inline void nna_device_get_info(const struct nna_device *device,
				       struct nna_device_info *info);
NNACCEL_API void nna_device_get_info_sized(const struct nna_device *device,
					   struct nna_device_info *info, size_t size);
/**
 * nna_device_check() - ask the driver whether the device is still there
 * @device: the device. A device that was unbound or unplugged stays gone: close it, and open it
 *	again
 *
 * Return: 0 or -ENODEV.
 */
NNACCEL_API int nna_device_check(const struct nna_device *device);

/* ---------------------------------------------------------------------------------------- graph */

/*
 * Operand types: NNAPI's codes, and from 64 on our own: types that only TFLite has, and OPAQUE for
 * a type that the library cannot represent. A graph may have OPAQUE operands, but no operation on
 * them is supported.
 */
enum nna_operand_type {
	NNA_OPERAND_FLOAT32 = 0,
	NNA_OPERAND_INT32 = 1,
	NNA_OPERAND_UINT32 = 2,
	NNA_OPERAND_TENSOR_FLOAT32 = 3,
	NNA_OPERAND_TENSOR_INT32 = 4,
	NNA_OPERAND_TENSOR_QUANT8_ASYMM = 5,
	NNA_OPERAND_BOOL = 6,
	NNA_OPERAND_TENSOR_QUANT16_SYMM = 7,
	NNA_OPERAND_TENSOR_FLOAT16 = 8,
	NNA_OPERAND_TENSOR_BOOL8 = 9,
	NNA_OPERAND_FLOAT16 = 10,
	NNA_OPERAND_TENSOR_QUANT8_SYMM_PER_CHANNEL = 11,
	NNA_OPERAND_TENSOR_QUANT16_ASYMM = 12,
	NNA_OPERAND_TENSOR_QUANT8_SYMM = 13,
	NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED = 14,
	NNA_OPERAND_SUBGRAPH = 15,
	NNA_OPERAND_TENSOR_INT64 = 64,
	NNA_OPERAND_OPAQUE = 65,
};

/*
 * Operations: NNAPI's codes 0 to 105 with NNAPI's operands; and our own from
 * NNA_OPERATION_EXTENSION on, with the operands that are listed beside them.
 */
enum nna_operation_type {
	NNA_OPERATION_ADD = 0,
	NNA_OPERATION_AVERAGE_POOL_2D = 1,
	NNA_OPERATION_CONCATENATION = 2,
	NNA_OPERATION_CONV_2D = 3,
	NNA_OPERATION_DEPTHWISE_CONV_2D = 4,
	NNA_OPERATION_DEPTH_TO_SPACE = 5,
	NNA_OPERATION_DEQUANTIZE = 6,
	NNA_OPERATION_EMBEDDING_LOOKUP = 7,
	NNA_OPERATION_FLOOR = 8,
	NNA_OPERATION_FULLY_CONNECTED = 9,
	NNA_OPERATION_HASHTABLE_LOOKUP = 10,
	NNA_OPERATION_L2_NORMALIZATION = 11,
	NNA_OPERATION_L2_POOL_2D = 12,
	NNA_OPERATION_LOCAL_RESPONSE_NORMALIZATION = 13,
	NNA_OPERATION_LOGISTIC = 14,
	NNA_OPERATION_LSH_PROJECTION = 15,
	NNA_OPERATION_LSTM = 16,
	NNA_OPERATION_MAX_POOL_2D = 17,
	NNA_OPERATION_MUL = 18,
	NNA_OPERATION_RELU = 19,
	NNA_OPERATION_RELU1 = 20,
	NNA_OPERATION_RELU6 = 21,
	NNA_OPERATION_RESHAPE = 22,
	NNA_OPERATION_RESIZE_BILINEAR = 23,
	NNA_OPERATION_RNN = 24,
	NNA_OPERATION_SOFTMAX = 25,
	NNA_OPERATION_SPACE_TO_DEPTH = 26,
	NNA_OPERATION_SVDF = 27,
	NNA_OPERATION_TANH = 28,
	NNA_OPERATION_BATCH_TO_SPACE_ND = 29,
	NNA_OPERATION_DIV = 30,
	NNA_OPERATION_MEAN = 31,
	NNA_OPERATION_PAD = 32,
	NNA_OPERATION_SPACE_TO_BATCH_ND = 33,
	NNA_OPERATION_SQUEEZE = 34,
	NNA_OPERATION_STRIDED_SLICE = 35,
	NNA_OPERATION_SUB = 36,
	NNA_OPERATION_TRANSPOSE = 37,
	NNA_OPERATION_ABS = 38,
	NNA_OPERATION_ARGMAX = 39,
	NNA_OPERATION_ARGMIN = 40,
	NNA_OPERATION_AXIS_ALIGNED_BBOX_TRANSFORM = 41,
	NNA_OPERATION_BIDIRECTIONAL_SEQUENCE_LSTM = 42,
	NNA_OPERATION_BIDIRECTIONAL_SEQUENCE_RNN = 43,
	NNA_OPERATION_BOX_WITH_NMS_LIMIT = 44,
	NNA_OPERATION_CAST = 45,
	NNA_OPERATION_CHANNEL_SHUFFLE = 46,
	NNA_OPERATION_DETECTION_POSTPROCESSING = 47,
	NNA_OPERATION_EQUAL = 48,
	NNA_OPERATION_EXP = 49,
	NNA_OPERATION_EXPAND_DIMS = 50,
	NNA_OPERATION_GATHER = 51,
	NNA_OPERATION_GENERATE_PROPOSALS = 52,
	NNA_OPERATION_GREATER = 53,
	NNA_OPERATION_GREATER_EQUAL = 54,
	NNA_OPERATION_GROUPED_CONV_2D = 55,
	NNA_OPERATION_HEATMAP_MAX_KEYPOINT = 56,
	NNA_OPERATION_INSTANCE_NORMALIZATION = 57,
	NNA_OPERATION_LESS = 58,
	NNA_OPERATION_LESS_EQUAL = 59,
	NNA_OPERATION_LOG = 60,
	NNA_OPERATION_LOGICAL_AND = 61,
	NNA_OPERATION_LOGICAL_NOT = 62,
	NNA_OPERATION_LOGICAL_OR = 63,
	NNA_OPERATION_LOG_SOFTMAX = 64,
	NNA_OPERATION_MAXIMUM = 65,
	NNA_OPERATION_MINIMUM = 66,
	NNA_OPERATION_NEG = 67,
	NNA_OPERATION_NOT_EQUAL = 68,
	NNA_OPERATION_PAD_V2 = 69,
	NNA_OPERATION_POW = 70,
	NNA_OPERATION_PRELU = 71,
	NNA_OPERATION_QUANTIZE = 72,
	NNA_OPERATION_QUANTIZED_16BIT_LSTM = 73,
	NNA_OPERATION_RANDOM_MULTINOMIAL = 74,
	NNA_OPERATION_REDUCE_ALL = 75,
	NNA_OPERATION_REDUCE_ANY = 76,
	NNA_OPERATION_REDUCE_MAX = 77,
	NNA_OPERATION_REDUCE_MIN = 78,
	NNA_OPERATION_REDUCE_PROD = 79,
	NNA_OPERATION_REDUCE_SUM = 80,
	NNA_OPERATION_ROI_ALIGN = 81,
	NNA_OPERATION_ROI_POOLING = 82,
	NNA_OPERATION_RSQRT = 83,
	NNA_OPERATION_SELECT = 84,
	NNA_OPERATION_SIN = 85,
	NNA_OPERATION_SLICE = 86,
	NNA_OPERATION_SPLIT = 87,
	NNA_OPERATION_SQRT = 88,
	NNA_OPERATION_TILE = 89,
	NNA_OPERATION_TOPK_V2 = 90,
	NNA_OPERATION_TRANSPOSE_CONV_2D = 91,
	NNA_OPERATION_UNIDIRECTIONAL_SEQUENCE_LSTM = 92,
	NNA_OPERATION_UNIDIRECTIONAL_SEQUENCE_RNN = 93,
	NNA_OPERATION_RESIZE_NEAREST_NEIGHBOR = 94,
	NNA_OPERATION_QUANTIZED_LSTM = 95,
	NNA_OPERATION_IF = 96,
	NNA_OPERATION_WHILE = 97,
	NNA_OPERATION_ELU = 98,
	NNA_OPERATION_HARD_SWISH = 99,
	NNA_OPERATION_FILL = 100,
	NNA_OPERATION_RANK = 101,
	NNA_OPERATION_BATCH_MATMUL = 102,
	NNA_OPERATION_PACK = 103,
	NNA_OPERATION_MIRROR_PAD = 104,
	NNA_OPERATION_REVERSE = 105,

	NNA_OPERATION_EXTENSION = 0x1000,
	NNA_OPERATION_GATHER_ND = 0x1000,	/* input, indices [..., n] -> output */
	NNA_OPERATION_FLOOR_DIV,		/* a, b -> output */
	NNA_OPERATION_UNPACK,			/* input, axis (INT32) -> outputs */
	NNA_OPERATION_LEAKY_RELU,		/* input, alpha (FLOAT32) -> output */
	NNA_OPERATION_ARGMAX_INT64,		/* as ARGMAX, output TENSOR_INT64 */
	NNA_OPERATION_COS,			/* input -> output */
	NNA_OPERATION_SQUARED_DIFFERENCE,	/* a, b -> output */
	NNA_OPERATION_BITCAST,			/* input -> output, of the same bytes and dims */
	NNA_OPERATION_BITWISE_XOR,		/* a, b -> output */
	NNA_OPERATION_RIGHT_SHIFT,		/* input, bits -> output */
	NNA_OPERATION_FIBONACCI,		/* n, scaling (TENSOR_INT64 [3]) -> numbers */
	NNA_OPERATION_FLOOR_MOD,		/* a, b -> output, exact, of the sign of b */
};

/* Activations that operations apply to their results, as operands of type INT32 hold them. */
enum nna_activation {
	NNA_ACT_NONE = 0,
	NNA_ACT_RELU = 1, /* at least 0 */
	NNA_ACT_RELU1 = 2, /* from -1 to 1 */
	NNA_ACT_RELU6 = 3, /* from 0 to 6 */
};

/* The same of recurrent layers (RNN, LSTM). */
enum nna_cell_act {
	NNA_CELL_NONE = 0,
	NNA_CELL_RELU = 1,
	NNA_CELL_RELU1 = 2,
	NNA_CELL_RELU6 = 3,
	NNA_CELL_TANH = 4,
	NNA_CELL_SIGMOID = 6,
};

/* Padding schemes of convolutions and poolings, likewise. */
enum nna_padding {
	NNA_PADDING_SAME = 1, /* as many zeros as an output of the size input / stride needs */
	NNA_PADDING_VALID = 2, /* none */
};

/**
 * nna_operation_name() - the name of an operation
 * @type: any number
 *
 * Return: as in NNAPI ("CONV_2D"), for as long as the process lives; NULL for an unknown one. From
 * any thread.
 */
NNACCEL_API const char *nna_operation_name(enum nna_operation_type type);
/**
 * nna_operand_type_name() - the name of an operand type
 * @type: any number
 *
 * Return: as in NNAPI ("TENSOR_FLOAT32"), for as long as the process lives; NULL for an unknown
 * one. From any thread.
 */
NNACCEL_API const char *nna_operand_type_name(enum nna_operand_type type);

/**
 * nna_operand_type_size() - the bytes of an element
 * @type: any number
 *
 * Return: bytes; 0 for NNA_OPERAND_SUBGRAPH and unknown types. From any thread.
 */
NNACCEL_API uint32_t nna_operand_type_size(enum nna_operand_type type);

/**
 * struct nna_operand_desc - type, dimensions and quantisation of an operand
 * @type: of its elements
 * @rank: number of dimensions; 0 for scalars, and for tensors of unknown rank
 * @dims: @rank dimensions, outermost first; 0 is unknown. Read during the call
 * @scale: of quantised types, and of TENSOR_INT32 that is a bias; else 0
 * @zero_point: of quantised types, else 0
 * @channel_dim: QUANT8_SYMM_PER_CHANNEL: the dimension of the channels
 * @channel_count: QUANT8_SYMM_PER_CHANNEL: entries of @channel_scales; else 0
 * @channel_scales: a scale for each index of @channel_dim. Read during the call
 */
struct nna_operand_desc {
	enum nna_operand_type type;
	uint32_t rank;
	const uint32_t *dims;
	float scale;
	int32_t zero_point;
	uint32_t channel_dim;
	uint32_t channel_count;
	const float *channel_scales;
};

/**
 * nna_graph_create() - make an empty graph
 * @log: where messages go; copied, NULL is silence
 * @out: the graph, with one subgraph, number 0, the main one; with one reference, which
 *	nna_graph_unref() gives back
 *
 * Return: 0 or -ENOMEM.
 */
NNACCEL_API int nna_graph_create(const struct nna_log *log, struct nna_graph **out);
/**
 * nna_graph_ref() - take a reference
 * @graph: the graph
 *
 * From any thread.
 *
 * Return: @graph.
 */
NNACCEL_API struct nna_graph *nna_graph_ref(struct nna_graph *graph);
/**
 * nna_graph_unref() - give a reference back
 * @graph: freed with its last reference; NULL does nothing
 *
 * From any thread.
 */
NNACCEL_API void nna_graph_unref(struct nna_graph *graph);

/*
 * The functions that build a graph return -EINVAL, with a message, for an argument that is invalid
 * by itself, for a number that does not exist, and for a graph that is finished; and -ENOMEM.
 */

/**
 * nna_graph_add_subgraph() - add a subgraph, as operations like IF have them
 * @graph: under construction
 *
 * Return: the number of the new subgraph (1, 2, ...), or an error.
 */
NNACCEL_API int nna_graph_add_subgraph(struct nna_graph *graph);
/**
 * nna_graph_add_operand() - add an operand
 * @graph: under construction
 * @subgraph: number of the subgraph that it belongs to
 * @desc: its description; read during the call
 *
 * Return: the number of the new operand of @subgraph (0, 1, ...), or an error.
 */
static inline int nna_graph_add_operand(struct nna_graph *graph, uint32_t subgraph,
					const struct nna_operand_desc *desc);
NNACCEL_API int nna_graph_add_operand_sized(struct nna_graph *graph, uint32_t subgraph,
					    const struct nna_operand_desc *desc, size_t size);

/**
 * nna_graph_set_constant() - make an operand a constant
 * @graph: under construction
 * @subgraph: number of the subgraph
 * @operand: number of the operand, whose dimensions are all known
 * @data: its bytes
 * @size: how many, exactly those of its dimensions
 * @by_reference: the bytes are not copied, unless they are few, and are read until the last
 *	reference to the graph is dropped
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
NNACCEL_API int nna_graph_set_constant(struct nna_graph *graph, uint32_t subgraph, uint32_t operand,
				       const void *data, size_t size, bool by_reference);
/**
 * nna_graph_set_no_value() - make an operand one that is omitted
 * @graph: under construction
 * @subgraph: number of the subgraph
 * @operand: number of the operand, for an optional input or output of an operation
 *
 * Return: 0 or -EINVAL.
 */
NNACCEL_API int nna_graph_set_no_value(struct nna_graph *graph, uint32_t subgraph,
				       uint32_t operand);
/**
 * nna_graph_set_subgraph() - make an operand refer to a subgraph
 * @graph: under construction
 * @subgraph: number of the subgraph of the operand
 * @operand: number of the operand, of type NNA_OPERAND_SUBGRAPH
 * @which: number of the subgraph to which it refers
 *
 * Return: 0 or -EINVAL.
 */
NNACCEL_API int nna_graph_set_subgraph(struct nna_graph *graph, uint32_t subgraph, uint32_t operand,
				       uint32_t which);
/**
 * nna_graph_set_variable() - make a tensor a state variable
 * @graph: under construction
 * @subgraph: 0, the main one
 * @operand: number of a tensor whose dimensions are all known
 *
 * An execution keeps its value from one run to the next, and zeros at first. One operation may
 * write it. Operations that were added before that one read the old state, those after it the new
 * state.
 *
 * Return: 0 or -EINVAL.
 */
NNACCEL_API int nna_graph_set_variable(struct nna_graph *graph, uint32_t subgraph,
				       uint32_t operand);

/**
 * nna_graph_add_operation() - add an operation
 * @graph: under construction
 * @subgraph: number of the subgraph
 * @type: of the operation; nnaccel-operations(7) lists the types with their operands
 * @input_count: entries of @inputs
 * @inputs: numbers of operands that exist, in the order of that list; read during the call
 * @output_count: entries of @outputs
 * @outputs: likewise
 *
 * Operations may be added in any order.
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
NNACCEL_API int nna_graph_add_operation(struct nna_graph *graph, uint32_t subgraph,
					enum nna_operation_type type, uint32_t input_count,
					const uint32_t *inputs, uint32_t output_count,
					const uint32_t *outputs);
/**
 * nna_graph_set_io() - state the inputs and outputs of a subgraph, once
 * @graph: under construction
 * @subgraph: number of the subgraph
 * @input_count: entries of @inputs
 * @inputs: numbers of operands, each of which becomes an input; read during the call
 * @output_count: entries of @outputs
 * @outputs: numbers of operands that operations write; likewise
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
NNACCEL_API int nna_graph_set_io(struct nna_graph *graph, uint32_t subgraph, uint32_t input_count,
				 const uint32_t *inputs, uint32_t output_count,
				 const uint32_t *outputs);
/**
 * nna_graph_copy_subgraph() - fill a subgraph with a copy of another graph's subgraph
 * @graph: the graph that is built
 * @subgraph: its number there; it has no operands yet
 * @from: a graph that is finished
 * @from_subgraph: number of the subgraph to copy
 * @numbers: for each subgraph of @from the number that replaces it in operands that refer to it
 *
 * Operands keep their numbers, and operations their order. Constants that @from reads in the
 * caller's memory are read there by both graphs; all others are copied.
 *
 * Return: 0, -EINVAL or -ENOMEM.
 */
NNACCEL_API int nna_graph_copy_subgraph(struct nna_graph *graph, uint32_t subgraph,
					const struct nna_graph *from, uint32_t from_subgraph,
					const uint32_t *numbers);
/**
 * nna_graph_set_relaxed() - allow float32 to be computed with the precision of float16
 * @graph: under construction
 * @relaxed: the range and precision of float16 suffice
 *
 * Return: 0 or -EINVAL.
 */
NNACCEL_API int nna_graph_set_relaxed(struct nna_graph *graph, bool relaxed);

/**
 * enum nna_rounding - whose rules hold where NNAPI and TFLite differ
 * @NNA_ROUNDING_NNAPI: the default; a signed result is the unsigned one minus 128
 * @NNA_ROUNDING_TFLITE: as the reference kernels of the newest TFLite do with 8-bit types:
 *	AVERAGE_POOL_2D, MEAN, SUM, ADD, SUB, MUL, LEAKY_RELU, PRELU, SQUARED_DIFFERENCE,
 *	L2_NORMALIZATION along the last axis, REDUCE_PROD of signed numbers, FULLY_CONNECTED,
 *	QUANTIZE of quantised tensors; RESIZE_BILINEAR of signed numbers, whose weights then have 10
 *	bits, and of unsigned ones, as a sum of four corners; ADD, SUB and MUL of 16-bit types, too.
 *	TFLite's functions of one 8-bit number are a GATHER of a table of 256. DIV of integers
 *	rounds towards zero, not down; of equal elements TOPK_V2 takes that with the lower index
 *	first
 * @NNA_ROUNDING_ONNX: as TFLITE, but what ONNX computes with floats and then rounds is rounded
 *	once, and not in stages: ADD, SUB, MUL, CONV_2D, DEPTHWISE_CONV_2D, GROUPED_CONV_2D,
 *	TRANSPOSE_CONV_2D, FULLY_CONNECTED and BATCH_MATMUL of 8-bit types. Halves are rounded away
 *	from zero, where ONNX rounds them to even
 */
enum nna_rounding { NNA_ROUNDING_NNAPI, NNA_ROUNDING_TFLITE, NNA_ROUNDING_ONNX };

/**
 * nna_graph_set_rounding() - whose rules hold where NNAPI and TFLite differ
 * @graph: under construction
 * @rounding: NNA_ROUNDING_NNAPI unless this is called
 *
 * Return: 0, or -EINVAL (finished, or there is no such rounding).
 */
NNACCEL_API int nna_graph_set_rounding(struct nna_graph *graph, enum nna_rounding rounding);

/**
 * nna_graph_finish() - check the whole graph and freeze it
 * @graph: a graph for which this has not been called before
 *
 * Checks that every operand has a writer, that operations can be ordered without a cycle, and the
 * rules of every operation, and infers shapes as far as they are known. An operation that the
 * library does not know or support is no error here: nna_graph_get_supported() reports it.
 *
 * Return: 0, -EINVAL with a message that names operation, operand and rule, or -ENOMEM. After an
 * error the graph cannot be used.
 */
NNACCEL_API int nna_graph_finish(struct nna_graph *graph);
/**
 * nna_graph_finish_leniently() - the same, but an operation that breaks its rules is no error
 * @graph: as for nna_graph_finish()
 *
 * As in NNAPI, nna_graph_get_supported() reports an operation that breaks its rules, or whose
 * results have other shapes than the graph states, as not supported, and nna_program_create()
 * refuses the graph. The log says why.
 *
 * Return: as nna_graph_finish().
 */
NNACCEL_API int nna_graph_finish_leniently(struct nna_graph *graph);

/**
 * nna_graph_operation_count() - the number of operations of a subgraph
 * @graph: the graph
 * @subgraph: number of the subgraph
 *
 * Return: how many; 0 for a subgraph that does not exist.
 */
NNACCEL_API uint32_t nna_graph_operation_count(const struct nna_graph *graph, uint32_t subgraph);

/**
 * nna_graph_identify() - a digest of the contents of a graph
 * @graph: finished
 * @identity: the digest. Programs of graphs with one digest are equal, so it can name a saved
 *	program. It is no signature
 *
 * It covers the constants, so it takes as long as reading them.
 */
NNACCEL_API void nna_graph_identify(const struct nna_graph *graph, uint64_t identity[2]);

/**
 * nna_graph_get_supported() - which operations of the main subgraph can be compiled
 * @graph: finished
 * @device: for which
 * @supported: nna_graph_operation_count() entries; entry i is about the operation that was added as
 *	number i
 *
 * Return: 0, -EINVAL for a graph that is not finished, or -ENOMEM.
 */
NNACCEL_API int nna_graph_get_supported(const struct nna_graph *graph,
					const struct nna_device *device, bool *supported);

/**
 * nna_graph_operand_count() - the number of operands of the main subgraph
 * @graph: the graph
 *
 * Return: how many.
 */
NNACCEL_API uint32_t nna_graph_operand_count(const struct nna_graph *graph);
/**
 * nna_graph_argument() - which operand an input or output of the main subgraph is
 * @graph: the graph
 * @output: @index numbers an output, else an input
 * @index: number of the input or output
 *
 * Return: the number of the operand; UINT32_MAX when there is none.
 */
NNACCEL_API uint32_t nna_graph_argument(const struct nna_graph *graph, bool output, uint32_t index);

/**
 * struct nna_graph_piece - a graph of those operations of another graph that have one owner
 * @graph: finished; with a reference
 * @owner: the number of the owner that was given to nna_graph_split()
 * @inputs: for each input of @graph the number of its operand in the graph that was split
 * @outputs: likewise
 * @input_count: entries of @inputs
 * @output_count: entries of @outputs
 */
struct nna_graph_piece {
	struct nna_graph *graph;
	uint32_t owner;
	uint32_t *inputs, *outputs;
	uint32_t input_count, output_count;
};

/**
 * nna_graph_split() - divide the operations of a graph among owners
 * @graph: finished, without state variables
 * @owners: of each operation of the main subgraph, as they were added
 * @owner_count: numbers of owners are below this
 * @pieces: the pieces in an order in which they can be computed; nna_graph_pieces_free() gives
 *	them back. An output of a piece may be an input of any number of later pieces
 * @count: how many pieces there are
 *
 * Each piece contains all operations of its owner that are ready, so pieces are few. Operations
 * whose results are not used may be missing. A piece reads constants where @graph does, which must
 * outlive it.
 *
 * Return: 0, -EINVAL, -ENOTSUP (there are state variables) or -ENOMEM.
 */
NNACCEL_API int nna_graph_split(const struct nna_graph *graph, const uint32_t *owners,
				uint32_t owner_count, struct nna_graph_piece **pieces,
				uint32_t *count);
/**
 * nna_graph_pieces_free() - free the pieces of nna_graph_split()
 * @pieces: with their references to graphs; NULL does nothing
 * @count: how many there are
 */
NNACCEL_API void nna_graph_pieces_free(struct nna_graph_piece *pieces, uint32_t count);

/* -------------------------------------------------------------------------------------- program */

/*
 * Preferences of the caller. A device frees the memory for runs of a program that was not used for
 * some seconds, unless the program is for sustained speed.
 */
enum nna_preference {
	NNA_PREFER_LOW_POWER,
	NNA_PREFER_FAST_SINGLE_ANSWER,
	NNA_PREFER_SUSTAINED_SPEED,
};

/**
 * struct nna_program_options - options for compiling; zeros are the defaults, except @priority
 * @priority: of all its executions
 * @deadline_ns: CLOCK_MONOTONIC time in ns after which compiling gives up with -ETIMEDOUT; 0 is
 *	never
 * @preference: of enum nna_preference; it does not change the program, but a saved program can only
 *	be loaded with the same preference
 * @is_cancelled: called repeatedly by the thread that compiles; when it returns true, compiling
 *	ends with -ECANCELED. NULL is never
 * @user: for @is_cancelled
 */
struct nna_program_options {
	enum nna_priority priority;
	uint64_t deadline_ns;
	uint32_t preference;
	bool (*is_cancelled)(void *user);
	void *user;
};

/**
 * nna_program_create() - compile a graph for a device
 * @device: open for as long as the program lives
 * @graph: finished; the program takes a reference
 * @options: NULL for the defaults, with NNA_PRIORITY_MEDIUM
 * @out: the program; nna_program_destroy() gives it back
 *
 * If the graph leaves dimensions open, it is compiled when they are first bound.
 *
 * Return: 0, -EINVAL, -ENOTSUP (an operation or size is not supported), -ETIMEDOUT, -ENOMEM, or an
 * error of the device.
 */
static inline int nna_program_create(struct nna_device *device, struct nna_graph *graph,
				     const struct nna_program_options *options,
				     struct nna_program **out);
NNACCEL_API int nna_program_create_sized(struct nna_device *device, struct nna_graph *graph,
					 const struct nna_program_options *options, size_t size,
					 struct nna_program **out);
/**
 * nna_program_destroy() - free a program
 * @program: has no executions any more; NULL does nothing
 */
NNACCEL_API void nna_program_destroy(struct nna_program *program);

/**
 * struct nna_blob_writer - where a program is saved
 * @write: writes all @size bytes, which follow those of the previous call. Return: 0 or a negative
 *	errno, which ends the saving
 * @user: handed to @write
 */
struct nna_blob_writer {
	int (*write)(void *user, const void *data, size_t size);
	void *user;
};

/**
 * struct nna_blob_reader - where a program is loaded from
 * @read: copies the next @size bytes to @data. Return: 0 or a negative errno, which ends the
 *	loading
 * @user: handed to @read
 * @size: total number of bytes
 */
struct nna_blob_reader {
	int (*read)(void *user, void *data, size_t size);
	void *user;
	uint64_t size;
};

/**
 * nna_program_save() - save a program, so that it need not be compiled again
 * @program: one whose shapes are known without inputs
 * @writer: gets a blob of nna_program_saved_size() bytes, in pieces
 *
 * The blob is for the same build of this library and the same kind of device.
 *
 * Return: 0; -ENOTSUP (shapes depend on bindings; nothing was written); -ENOMEM; or the error of
 * @writer, whose output is then incomplete.
 */
NNACCEL_API int nna_program_save(const struct nna_program *program,
				 const struct nna_blob_writer *writer);
/**
 * nna_program_saved_size() - the number of bytes that nna_program_save() writes
 * @program: as for nna_program_save()
 * @size: bytes
 *
 * Return: 0 or -ENOTSUP.
 */
NNACCEL_API int nna_program_saved_size(const struct nna_program *program, uint64_t *size);
/**
 * nna_program_load() - load a saved program
 * @device: open for as long as the program lives
 * @graph: the graph of the program; the program takes a reference. With NULL it is not compared,
 *	and the program runs only with all inputs bound and with the shapes that it states
 * @options: as for nna_program_create(); NULL for the defaults
 * @reader: the bytes, which are not trusted: damaged ones are refused
 * @out: the program; nna_program_destroy() gives it back
 *
 * An error has no side effects; the caller then calls nna_program_create().
 *
 * Return: 0, -ESTALE (of another build, device, preference or graph), -EBADMSG (no blob, or a
 * damaged one), -ETIMEDOUT, -ENOMEM, or an error of the device or of @reader.
 */
static inline int nna_program_load(struct nna_device *device, struct nna_graph *graph,
				   const struct nna_program_options *options,
				   const struct nna_blob_reader *reader, struct nna_program **out);
NNACCEL_API int nna_program_load_sized(struct nna_device *device, struct nna_graph *graph,
				       const struct nna_program_options *options, size_t size,
				       const struct nna_blob_reader *reader,
				       struct nna_program **out);

/**
 * struct nna_io_info - an input or output of the main subgraph
 * @type: of the operand
 * @rank: number of dimensions, 0 for a scalar or an unknown rank
 * @dims: outermost first, 0 is unknown
 * @scale: of quantised types, else 0
 * @zero_point: of quantised types, else 0
 * @size: bytes, 0 while a dimension is unknown
 * @stated: the model states all dimensions; else operations may have given some of @dims
 * @parameter: of an input: a run reads its value before it is submitted, because commands depend on
 *	it (an axis, a shape). Set from the first run on that has found this out
 */
struct nna_io_info {
	enum nna_operand_type type;
	uint32_t rank;
	uint32_t dims[NNACCEL_MAX_RANK];
	float scale;
	int32_t zero_point;
	size_t size;
	bool stated, parameter;
};

/**
 * nna_program_input_count() - how many inputs there are
 * @program: the program
 *
 * Return: those of the main subgraph.
 */
NNACCEL_API uint32_t nna_program_input_count(const struct nna_program *program);
/**
 * nna_program_output_count() - how many outputs there are
 * @program: the program
 *
 * Return: those of the main subgraph.
 */
NNACCEL_API uint32_t nna_program_output_count(const struct nna_program *program);
/**
 * nna_program_get_input() - type and shape of an input
 * @program: the program
 * @index: number of the input
 * @info: filled in; the caller's
 *
 * Return: 0 or -EINVAL.
 */
static inline int nna_program_get_input(const struct nna_program *program, uint32_t index,
					struct nna_io_info *info);
NNACCEL_API int nna_program_get_input_sized(const struct nna_program *program, uint32_t index,
					    struct nna_io_info *info, size_t size);
/**
 * nna_program_get_output() - type and shape of an output
 * @program: the program
 * @index: number of the output
 * @info: filled in; the caller's
 *
 * Return: 0 or -EINVAL.
 */
static inline int nna_program_get_output(const struct nna_program *program, uint32_t index,
					 struct nna_io_info *info);
NNACCEL_API int nna_program_get_output_sized(const struct nna_program *program, uint32_t index,
					     struct nna_io_info *info, size_t size);

/**
 * nna_program_dump() - write commands and memory plan as text
 * @program: its commands for the shapes that its graph states, or that ran last, are written
 * @to: where
 *
 * Return: 0 or -EIO.
 */
NNACCEL_API int nna_program_dump(const struct nna_program *program, FILE *to);

/* --------------------------------------------------------------------------------------- buffer */

/**
 * nna_buffer_create() - make device memory
 * @device: open for as long as the buffer lives
 * @size: bytes; zeros at first
 * @out: the buffer, mapped into this process; nna_buffer_destroy() gives it back
 *
 * Return: 0, -EINVAL, -ENOMEM or an error of the device.
 */
NNACCEL_API int nna_buffer_create(struct nna_device *device, size_t size, struct nna_buffer **out);
/**
 * nna_buffer_import() - share memory of another device or process
 * @device: open for as long as the buffer lives
 * @fd: of a dma-buf (loopback: a memfd); it stays the caller's
 * @size: number of bytes to share, from the first one on
 * @out: the buffer; nna_buffer_destroy() gives it back
 *
 * Return: 0, -ENOTSUP when it cannot be shared, or another error.
 */
NNACCEL_API int nna_buffer_import(struct nna_device *device, int fd, size_t size,
				  struct nna_buffer **out);
/**
 * nna_buffer_export() - give a buffer to another device or process
 * @buffer: the buffer
 *
 * Return: a new fd of a dma-buf (loopback: memfd) of the buffer, which the caller closes, or an
 * error.
 */
NNACCEL_API int nna_buffer_export(struct nna_buffer *buffer);
/**
 * nna_buffer_map() - the bytes of a buffer in this process
 * @buffer: the buffer
 *
 * Return: where they are, for as long as the buffer lives.
 */
NNACCEL_API void *nna_buffer_map(struct nna_buffer *buffer);
/**
 * nna_buffer_size() - the size of a buffer
 * @buffer: the buffer
 *
 * Return: the size in bytes with which it was created or imported.
 */
NNACCEL_API size_t nna_buffer_size(const struct nna_buffer *buffer);
/**
 * nna_buffer_destroy() - free a buffer
 * @buffer: bound to no execution any more; NULL does nothing
 */
NNACCEL_API void nna_buffer_destroy(struct nna_buffer *buffer);

/* ------------------------------------------------------------------------------------ execution */

/**
 * enum nna_route - how an argument gets to the device and back
 * @NNA_ROUTE_DIRECT: the device works on the buffer itself, which is bound at an offset that is a
 *	multiple of 64
 * @NNA_ROUTE_STAGED_SHARED: through staging memory, in the slot that the last of very many
 *	arguments share. If the inputs and outputs together are at most @max_slots - 3 (struct
 *	nna_device_info), none of them shares a slot; else the first @max_slots - 4 do not, counting
 *	inputs first
 * @NNA_ROUTE_STAGED_OWN: through staging memory, in a slot of its own, because it is bound in the
 *	caller's own memory or at another offset
 *
 * The route is decided when the argument is bound, and stays as long as the binding. An argument
 * that is not direct is copied, and the sync_file of a run would signal before outputs are copied:
 * see nna_execution_submit() and nna_fence_export().
 */
enum nna_route { NNA_ROUTE_DIRECT, NNA_ROUTE_STAGED_SHARED, NNA_ROUTE_STAGED_OWN };

/**
 * nna_execution_create() - make an execution
 * @program: must outlive the execution
 * @out: the execution; nna_execution_destroy() gives it back
 *
 * Return: 0 or -ENOMEM.
 */
NNACCEL_API int nna_execution_create(struct nna_program *program, struct nna_execution **out);
/**
 * nna_execution_destroy() - free an execution
 * @execution: NULL does nothing
 *
 * A run that still waits in the library for its dependencies ends with -ECANCELED. If the device
 * has the job of a run, this waits for it.
 */
NNACCEL_API void nna_execution_destroy(struct nna_execution *execution);

/**
 * nna_execution_set_input() - bind an input to the caller's memory
 * @execution: one that does not run
 * @index: number of the input
 * @rank: entries of @dims
 * @dims: dimensions, for a graph that leaves some unknown; NULL: the graph's dimensions
 * @data: copied to the device when the execution is submitted; NULL with a size of 0 omits an
 *	optional input
 * @size: bytes, exactly those of the dimensions
 *
 * Bindings stay until they are replaced; an execution can run any number of times.
 *
 * Return: 0, -EINVAL, or -EBUSY while a run is under way.
 */
NNACCEL_API int nna_execution_set_input(struct nna_execution *execution, uint32_t index,
					uint32_t rank, const uint32_t *dims, const void *data,
					size_t size);
/**
 * nna_execution_set_input_buffer() - bind an input to device memory
 * @execution: one that does not run
 * @index: number of the input
 * @rank: entries of @dims
 * @dims: as for nna_execution_set_input()
 * @buffer: must live as long as the binding
 * @offset: of the first byte in it
 * @size: bytes, exactly those of the dimensions
 *
 * Nothing is copied if the route is direct; else the range is copied when all in-fences have
 * signalled.
 *
 * Return: 0, -EINVAL, or -EBUSY while a run is under way.
 */
NNACCEL_API int nna_execution_set_input_buffer(struct nna_execution *execution, uint32_t index,
					       uint32_t rank, const uint32_t *dims,
					       struct nna_buffer *buffer, size_t offset,
					       size_t size);
/**
 * nna_execution_set_output() - bind an output to the caller's memory
 * @execution: one that does not run
 * @index: number of the output
 * @rank: entries of @dims
 * @dims: as for nna_execution_set_input()
 * @data: written until the run's fence has been waited for
 * @size: bytes at @data, which may be more than are needed. If they are fewer, a run ends with
 *	-ENOSPC, and nna_execution_get_output_dims() returns the dimensions that are needed
 *
 * Return: 0, -EINVAL, or -EBUSY while a run is under way.
 */
NNACCEL_API int nna_execution_set_output(struct nna_execution *execution, uint32_t index,
					 uint32_t rank, const uint32_t *dims, void *data,
					 size_t size);
/**
 * nna_execution_set_output_buffer() - bind an output to device memory
 * @execution: one that does not run
 * @index: number of the output
 * @rank: entries of @dims
 * @dims: as for nna_execution_set_input()
 * @buffer: lives for as long as the binding
 * @offset: of the first byte in it
 * @size: as for nna_execution_set_output()
 *
 * Return: 0, -EINVAL, or -EBUSY while a run is under way.
 */
NNACCEL_API int nna_execution_set_output_buffer(struct nna_execution *execution, uint32_t index,
						uint32_t rank, const uint32_t *dims,
						struct nna_buffer *buffer, size_t offset,
						size_t size);

/**
 * nna_execution_get_input_route() - how an input gets to the device
 * @execution: the execution
 * @index: number of an input that is bound
 *
 * Return: an enum nna_route, or -EINVAL.
 */
NNACCEL_API int nna_execution_get_input_route(const struct nna_execution *execution,
					      uint32_t index);

/**
 * nna_execution_set_deadline() - set the time at which runs time out
 * @execution: one that does not run
 * @deadline_ns: a CLOCK_MONOTONIC time in ns, 0 for none
 *
 * Return: 0, or -EBUSY while a run is under way.
 */
NNACCEL_API int nna_execution_set_deadline(struct nna_execution *execution, uint64_t deadline_ns);
/**
 * nna_execution_set_duration() - limit the duration of a run
 * @execution: one that does not run
 * @duration_ns: ns from when all its in-fences have signalled, 0 for no limit
 *
 * Return: 0, or -EBUSY while a run is under way.
 */
NNACCEL_API int nna_execution_set_duration(struct nna_execution *execution, uint64_t duration_ns);
/**
 * nna_execution_set_loop_limit() - limit the duration of the loops of a run
 * @execution: one that does not run
 * @limit_ns: ns; 2 s by default, at most 15 s
 *
 * Return: 0, or -EBUSY while a run is under way.
 */
NNACCEL_API int nna_execution_set_loop_limit(struct nna_execution *execution, uint64_t limit_ns);
/**
 * nna_execution_reset_state() - set all state variables to zeros
 * @execution: one that does not run
 *
 * Return: 0, or -EBUSY while a run is under way.
 */
NNACCEL_API int nna_execution_reset_state(struct nna_execution *execution);

/**
 * nna_execution_compute() - run and wait for the end
 * @execution: with all inputs and outputs bound; one that does not run
 *
 * Return: 0, or the error of the submission (-EBUSY, -EINVAL, -ENOMEM) or of the run (see above).
 */
NNACCEL_API int nna_execution_compute(struct nna_execution *execution);

/**
 * nna_execution_submit() - run when the in-fences have signalled
 * @execution: with all inputs and outputs bound; one that does not run
 * @fds: @count sync_file fds (loopback: anything that polls readable when signalled); they stay the
 *	caller's
 * @count: entries of @fds
 * @out: the end of this run; nna_fence_destroy() gives it back. Outputs are valid once
 *	nna_fence_wait() returned 0 on it; when all of them are direct, also when its fd is
 *	signalled
 *
 * Inputs in the caller's memory are read during the call. An input in a buffer that is not direct
 * is copied when all in-fences have signalled. For such an input, or one in a buffer whose value
 * decides about shapes, a thread of the library waits for the in-fences. An in-fence that fails
 * during this wait ends the run with -ECANCELED, a deadline that passes with -ETIMEDOUT; @out
 * reports this error, and no input has been read. A duration counts from the end of the wait.
 *
 * A program whose shapes depend on data, or that may exceed the job limit, runs synchronously:
 * during the call if there are no in-fences, else in a thread of the library after they have
 * signalled.
 *
 * Return: 0, -EBUSY while a run is under way, or an error of the submission.
 */
NNACCEL_API int nna_execution_submit(struct nna_execution *execution, const int *fds,
				     uint32_t count, struct nna_fence **out);

/**
 * struct nna_dependencies - fences that a run waits for in the library
 * @fds: @fd_count fds, as nna_execution_submit() takes them
 * @fences: @fence_count fences of other runs, on any device of this process
 * @read_late: inputs in the caller's memory, too, are read when all dependencies have ended
 * @ready: NULL, or called when all dependencies have ended without an error, before inputs that
 *	depend on them are read. Return: 0, or the error with which the run ends
 * @ended: NULL, or called after the run has ended and its fence has signalled; it is the last call
 *	for this run
 * @user: passed to both callbacks
 *
 * A thread of the library calls the callbacks. Other runs wait for this thread, so the callbacks
 * must not wait for events that take time. nna_execution_destroy() and nna_execution_cancel() may
 * call @ended, too. @ended may destroy the execution, but must not close the device.
 */
struct nna_dependencies {
	const int *fds;
	uint32_t fd_count;
	struct nna_fence *const *fences;
	uint32_t fence_count;
	bool read_late;
	int (*ready)(void *user);
	void (*ended)(void *user, int error);
	void *user;
};

/**
 * nna_execution_submit_after() - run when other runs and fences have ended
 * @execution: with all inputs and outputs bound; one that does not run
 * @dependencies: read during the call only; its fences may be destroyed afterwards
 * @out: the end of this run, from which nothing can be exported; nna_fence_destroy() gives it back
 *
 * One thread of the library waits for the dependencies of all runs of the device.
 *
 * Return: as nna_execution_submit(); after an error no callback has been called and none will be.
 */
static inline int nna_execution_submit_after(struct nna_execution *execution,
					     const struct nna_dependencies *dependencies,
					     struct nna_fence **out);
NNACCEL_API int nna_execution_submit_after_sized(struct nna_execution *execution,
						 const struct nna_dependencies *dependencies,
						 size_t size, struct nna_fence **out);

/**
 * nna_execution_cancel() - end the run that is under way, and all later runs
 * @execution: from any thread, while it lives
 *
 * The runs end with -ECANCELED; a run that ends by itself at the same time may have its own result.
 * They wait for nothing any more, not even in-fences. A job that the device has is aborted (the
 * loopback lets it end), and compiling a graph for new shapes is aborted. This function does not
 * wait for the end of the run, which its fence signals. Afterwards the execution can only be
 * destroyed.
 */
NNACCEL_API void nna_execution_cancel(struct nna_execution *execution);

/**
 * nna_execution_get_output_dims() - the dimensions of an output after a run
 * @execution: one whose last run has ended, also with -ENOSPC
 * @index: number of the output
 * @rank: number of dimensions
 * @dims: filled in
 *
 * Return: 0, -ENOSPC for an output that did not fit, or -EINVAL.
 */
NNACCEL_API int nna_execution_get_output_dims(const struct nna_execution *execution, uint32_t index,
					      uint32_t *rank, uint32_t dims[NNACCEL_MAX_RANK]);

/**
 * struct nna_timing - times of the last run, in CLOCK_MONOTONIC ns of this machine
 * @submit: when the submission returned
 * @begin: when the device took the first command; 0, as all that follows, if it does not say
 * @end: when the last command ended
 * @run: ns that the device worked on it, preempted time excluded
 * @span: ns from the begin to the end of its job, preempted time included; of several jobs, the sum
 * @commands: how many commands ran
 */
struct nna_timing {
	uint64_t submit, begin, end, run, span;
	uint32_t commands;
};

/**
 * nna_execution_get_timing() - times of the last run
 * @execution: the execution
 * @timing: filled in; the caller's
 *
 * Return: 0, or -EINVAL if no run has ended.
 */
static inline int nna_execution_get_timing(const struct nna_execution *execution,
					   struct nna_timing *timing);
NNACCEL_API int nna_execution_get_timing_sized(const struct nna_execution *execution,
					       struct nna_timing *timing, size_t size);

#define NNA_PROFILE_WORKERS 16u

/**
 * struct nna_profile_command - one run of a command of the device, in ns
 * @place: byte offset in the stream, as nna_program_dump() prints it
 * @tiles: pieces that the device cut it into
 * @begin: when it was fetched, in CLOCK_MONOTONIC
 * @end: when its results were there
 * @run: how long it took, preempted time excluded
 * @busy: for each of the first workers of the device, how long it worked on the command
 */
struct nna_profile_command {
	uint32_t place, tiles;
	uint64_t begin, end, run;
	uint64_t busy[NNA_PROFILE_WORKERS];
};

/**
 * nna_execution_set_profile() - record the commands of each later run
 * @execution: one that does not run
 * @commands: the most commands that are recorded; 0 ends recording
 *
 * A run that needs several jobs, because its shapes depend on data, records none.
 *
 * Return: 0, -EBUSY, -ENOTSUP (the device or its driver cannot), -EINVAL (too many) or -ENOMEM.
 */
NNACCEL_API int nna_execution_set_profile(struct nna_execution *execution, uint32_t commands);
/**
 * nna_execution_get_profile() - the commands that the last run recorded
 * @execution: the execution
 * @commands: filled in, in the order in which the commands ran; the caller's
 * @room: entries that fit into @commands
 * @count: how many have been recorded
 * @dropped: how many more have run
 *
 * Return: 0, or -EINVAL if no run has ended since nna_execution_set_profile().
 */
static inline int nna_execution_get_profile(const struct nna_execution *execution,
					    struct nna_profile_command *commands, uint32_t room,
					    uint32_t *count, uint32_t *dropped);
NNACCEL_API int nna_execution_get_profile_sized(const struct nna_execution *execution,
						struct nna_profile_command *commands, size_t size,
						uint32_t room, uint32_t *count, uint32_t *dropped);

/* ---------------------------------------------------------------------------------------- fence */

/**
 * nna_fence_wait() - wait for the end of a run
 * @fence: the fence of the run
 * @timeout_ns: how long to wait, in ns; negative is for ever
 *
 * From any number of threads.
 *
 * Return: 0, -ETIME (not yet), or the run's error.
 */
NNACCEL_API int nna_fence_wait(struct nna_fence *fence, int64_t timeout_ns);
/**
 * nna_fence_export() - the end of a run as a sync_file
 * @fence: the fence of the run
 *
 * Return: a new fd, which the caller closes; -ENOTSUP if the device has no sync_files, the run was
 * synchronous, the library waits for its in-fences, or an output is not direct, and so complete
 * only after nna_fence_wait(); or another error.
 */
NNACCEL_API int nna_fence_export(struct nna_fence *fence);
/**
 * nna_fence_destroy() - free a fence
 * @fence: no thread waits for it; the run goes on. NULL does nothing
 */
NNACCEL_API void nna_fence_destroy(struct nna_fence *fence);

/* ---------------------------------------------------------------- the size of structs that grow */

static inline int nna_device_open(const char *name, const struct nna_device_options *options,
				  struct nna_device **out)
{
	return nna_device_open_sized(name, options, options ? sizeof(*options) : 0, out);
}

static inline void nna_device_get_info(const struct nna_device *device,
				       struct nna_device_info *info)
{
	nna_device_get_info_sized(device, info, sizeof(*info));
}

static inline int nna_graph_add_operand(struct nna_graph *graph, uint32_t subgraph,
					const struct nna_operand_desc *desc)
{
	return nna_graph_add_operand_sized(graph, subgraph, desc, desc ? sizeof(*desc) : 0);
}

static inline int nna_program_create(struct nna_device *device, struct nna_graph *graph,
				     const struct nna_program_options *options,
				     struct nna_program **out)
{
	return nna_program_create_sized(device, graph, options, options ? sizeof(*options) : 0,
					out);
}

static inline int nna_program_load(struct nna_device *device, struct nna_graph *graph,
				   const struct nna_program_options *options,
				   const struct nna_blob_reader *reader, struct nna_program **out)
{
	return nna_program_load_sized(device, graph, options, options ? sizeof(*options) : 0,
				      reader, out);
}

static inline int nna_program_get_input(const struct nna_program *program, uint32_t index,
					struct nna_io_info *info)
{
	return nna_program_get_input_sized(program, index, info, sizeof(*info));
}

static inline int nna_program_get_output(const struct nna_program *program, uint32_t index,
					 struct nna_io_info *info)
{
	return nna_program_get_output_sized(program, index, info, sizeof(*info));
}

static inline int nna_execution_submit_after(struct nna_execution *execution,
					     const struct nna_dependencies *dependencies,
					     struct nna_fence **out)
{
	return nna_execution_submit_after_sized(execution, dependencies,
						dependencies ? sizeof(*dependencies) : 0, out);
}

static inline int nna_execution_get_timing(const struct nna_execution *execution,
					   struct nna_timing *timing)
{
	return nna_execution_get_timing_sized(execution, timing, sizeof(*timing));
}

static inline int nna_execution_get_profile(const struct nna_execution *execution,
					    struct nna_profile_command *commands, uint32_t room,
					    uint32_t *count, uint32_t *dropped)
{
	return nna_execution_get_profile_sized(execution, commands, sizeof(*commands), room, count,
					       dropped);
}

#ifdef __cplusplus
}
#endif

#endif
