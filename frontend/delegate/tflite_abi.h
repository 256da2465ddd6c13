/* SPDX-License-Identifier: MIT */
/*
 * The structures that TFLite and an external delegate exchange.
 *
 * This file declares the part that the delegate uses, under TFLite's names, so that TFLite's
 * documentation can be read beside it. TFLite only appends members, so one declaration serves
 * tflite-runtime 2.14, TensorFlow 2.21 and LiteRT 2. The layout is that of these libraries on
 * 64-bit machines: tests/unit/frontend/delegate/test_tflite_abi.c states the offsets, and
 * tests/clients runs the delegate inside of the libraries.
 *
 * TFLite owns all of the structures except struct TfLiteDelegate, which the delegate owns. A
 * context and all that it points to may be used only within a call from TFLite, by the calling
 * thread.
 */
#ifndef DELEGATE_TFLITE_ABI_H
#define DELEGATE_TFLITE_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Return values of functions: 0, or one of these. */
enum { TFLITE_STATUS_OK = 0, TFLITE_STATUS_ERROR = 1, TFLITE_STATUS_DELEGATE_ERROR = 2 };

/* TfLiteDelegate.flags: the delegate also takes tensors whose shapes are known only at run time. */
#define TFLITE_DELEGATE_ALLOW_DYNAMIC_TENSORS 1

/* TfLiteTensor.allocation_type: a constant of the model. */
#define TFLITE_ALLOCATION_MMAP_RO 1

/* TfLiteQuantization.type: params points to a struct TfLiteAffineQuantization. */
#define TFLITE_QUANTIZATION_AFFINE 1
/* The same; params points to a struct TfLiteBlockwiseQuantization. */
#define TFLITE_QUANTIZATION_BLOCKWISE 2

/* The number of an omitted optional tensor in a list of inputs. */
#define TFLITE_OPTIONAL_TENSOR (-1)

struct TfLiteContext;
struct TfLiteDelegate;

struct TfLiteIntArray {
	int size;
	int data[];
};

struct TfLiteFloatArray {
	int size;
	float data[];
};

/** struct TfLiteAffineQuantization - one scale, or one per slice of @quantized_dimension */
struct TfLiteAffineQuantization {
	struct TfLiteFloatArray *scale;
	struct TfLiteIntArray *zero_point;
	int32_t quantized_dimension;
};

/* @scale, @zero_point: tensors, -1 for none. */
struct TfLiteBlockwiseQuantization {
	int32_t scale, zero_point, blocksize, quantized_dimension;
};

/**
 * struct TfLiteTensor - a value
 * @type: TFLite's number of the type, which is not the schema's (tflite_runtime_type()); 0 for none
 * @data: NULL until TFLite has placed the tensor
 * @params: the scale of the whole tensor; @quantization has the scales per channel too
 * @bytes: of @data
 * @dims_signature: the dimensions, -1 for each that is open; NULL or empty if none is open
 */
struct TfLiteTensor {
	int type;
	void *data;
	struct TfLiteIntArray *dims;
	struct {
		float scale;
		int32_t zero_point;
	} params;
	int allocation_type;
	size_t bytes;
	const void *allocation;
	const char *name;
	struct TfLiteDelegate *delegate;
	int buffer_handle;
	bool data_is_stale;
	bool is_variable;
	struct {
		int type;
		void *params;
	} quantization;
	void *sparsity;
	const struct TfLiteIntArray *dims_signature;
};

/**
 * struct TfLiteNode - an operator: the numbers of its tensors, and its options
 * @user_data: the return value of the registration's init()
 * @builtin_data: options of a built-in operator, a structure for each kind (parameters.h)
 */
struct TfLiteNode {
	struct TfLiteIntArray *inputs, *outputs, *intermediates, *temporaries;
	void *user_data;
	void *builtin_data;
	const void *custom_initial_data;
	int custom_initial_data_size;
	struct TfLiteDelegate *delegate;
	bool might_have_side_effect;
};

/** struct TfLiteRegistration - the kind of an operator, and the functions that run it */
struct TfLiteRegistration {
	void *(*init)(struct TfLiteContext *context, const char *buffer, size_t length);
	void (*free)(struct TfLiteContext *context, void *buffer);
	int (*prepare)(struct TfLiteContext *context, struct TfLiteNode *node);
	int (*invoke)(struct TfLiteContext *context, struct TfLiteNode *node);
	const char *(*profiling_string)(const struct TfLiteContext *context,
					const struct TfLiteNode *node);
	int32_t builtin_code;
	const char *custom_name;
	int version;
	void *registration_external;
	void *async_kernel;
	uint64_t inplace_operator;
};

/** struct TfLiteDelegateParams - a partition: the argument of the delegate registration's init() */
struct TfLiteDelegateParams {
	struct TfLiteDelegate *delegate;
	struct TfLiteIntArray *nodes_to_replace;
	struct TfLiteIntArray *input_tensors;
	struct TfLiteIntArray *output_tensors;
};

/**
 * struct TfLiteContext - a subgraph of an interpreter
 * @ResizeTensor: takes over the array and frees it with free()
 * @ReplaceNodeSubsetsWithDelegateKernels: may move @tensors
 * @ResizeTensorExplicit: NULL in LiteRT, although it is declared
 * @PreviewDelegatePartitioning: TFLite owns the array, which is valid until the next call
 * @GetModelMetadata: the bytes are the model's, and live as long as the interpreter
 */
struct TfLiteContext {
	size_t tensors_size;
	int (*GetExecutionPlan)(struct TfLiteContext *context, struct TfLiteIntArray **plan);
	struct TfLiteTensor *tensors;
	void *impl_;
	int (*ResizeTensor)(struct TfLiteContext *context, struct TfLiteTensor *tensor,
			    struct TfLiteIntArray *size);
	void (*ReportError)(struct TfLiteContext *context, const char *format, ...);
	int (*AddTensors)(struct TfLiteContext *context, int count, int *first);
	int (*GetNodeAndRegistration)(struct TfLiteContext *context, int index,
				      struct TfLiteNode **node,
				      struct TfLiteRegistration **registration);
	int (*ReplaceNodeSubsetsWithDelegateKernels)(struct TfLiteContext *context,
						     struct TfLiteRegistration registration,
						     const struct TfLiteIntArray *nodes,
						     struct TfLiteDelegate *delegate);
	int recommended_num_threads;
	void *(*GetExternalContext)(struct TfLiteContext *context, int type);
	void (*SetExternalContext)(struct TfLiteContext *context, int type, void *external);
	bool allow_fp32_relax_to_fp16;
	void *profiler;
	void *(*AllocatePersistentBuffer)(struct TfLiteContext *context, size_t bytes);
	int (*AllocateBufferForEval)(struct TfLiteContext *context, size_t bytes, void **buffer);
	int (*RequestScratchBufferInArena)(struct TfLiteContext *context, size_t bytes, int *index);
	void *(*GetScratchBuffer)(struct TfLiteContext *context, int index);
	int (*ResizeTensorExplicit)(struct TfLiteContext *context, struct TfLiteTensor *tensor,
				    int rank, const int *dims);
	int (*PreviewDelegatePartitioning)(struct TfLiteContext *context,
					   const struct TfLiteIntArray *nodes,
					   struct TfLiteDelegateParams **partitions, int *count);
	struct TfLiteTensor *(*GetTensor)(const struct TfLiteContext *context, int index);
	void *(*GetEvalTensor)(const struct TfLiteContext *context, int index);
	int (*GetModelMetadata)(const struct TfLiteContext *context, const char *name,
				const char **data, size_t *size);
};

/**
 * struct TfLiteDelegate - TFLite's view of a delegate
 * @data_: the delegate's own
 * @Prepare: chooses the operators of a subgraph that the delegate takes
 * @flags: TFLITE_DELEGATE_*
 */
struct TfLiteDelegate {
	void *data_;
	int (*Prepare)(struct TfLiteContext *context, struct TfLiteDelegate *delegate);
	int (*CopyFromBufferHandle)(struct TfLiteContext *context, struct TfLiteDelegate *delegate,
				    int handle, struct TfLiteTensor *tensor);
	int (*CopyToBufferHandle)(struct TfLiteContext *context, struct TfLiteDelegate *delegate,
				  int handle, struct TfLiteTensor *tensor);
	void (*FreeBufferHandle)(struct TfLiteContext *context, struct TfLiteDelegate *delegate,
				 int *handle);
	int64_t flags;
	void *opaque_delegate_builder;
};

#endif
