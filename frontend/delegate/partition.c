// SPDX-License-Identifier: MIT
/*
 * A partition: operators of an interpreter's subgraph that run as one program.
 *
 *	init	records the partition's operators, inputs and outputs
 *	prepare	compiles them for the present shapes of the inputs, unless that is done already, and
 *		tells TFLite the shapes of the outputs; runs again whenever inputs are resized
 *	invoke	runs the program: inputs and outputs are bound to TFLite's memory, so each is copied
 *		once, or to the buffers of their tensors' handles, which are not copied
 *	free	frees everything
 *
 * A partition with operators of Vela's is a program of Vela's instead (npu.h), of fixed shapes.
 *
 * The execution keeps the state of variable tensors, not TFLite's memory. Each run leaves a mark in
 * that memory. An interpreter that resets its variables overwrites the mark.
 */
#include "frontend/delegate/cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/delegate/log.h"
#include "frontend/vela/operator.h"
#include "frontend/split/program.h"
#include "frontend/tflite/supported.h"

/**
 * struct bound - an input or output
 * @tensor: its number in the interpreter
 * @rank: number of dimensions
 * @dims: the dimensions that it was compiled with
 * @data: the memory that it is bound to, NULL for none yet; for a buffer its mapping
 * @size: of @data
 * @handle: of the buffer, DELEGATE_NO_HANDLE for TFLite's memory
 */
struct bound {
	int tensor;
	uint32_t rank;
	int dims[TFLITE_MAX_RANK];
	void *data;
	size_t size;
	int handle;
};

/**
 * struct partition - the kernel's data
 * @whole: the operators, with the tensor shapes at the time when TFLite made the partition
 * @vela: the program, with operators of Vela's; then @graph, @program and @execution are NULL
 * @context: of the subgraph, with @vela
 * @model: the source of @program: @whole with the present shapes of the inputs; NULL with @vela
 * @inputs, @outputs: of @program
 * @variables: state that @execution keeps: @variable_count tensors of the interpreter
 */
struct partition {
	struct delegate *delegate;
	struct delegate_model whole;
	struct split_program *vela;
	struct TfLiteContext *context;
	struct tflite_model *model;
	struct nna_graph *graph;
	struct nna_program *program;
	struct nna_execution *execution;
	struct bound *inputs, *outputs;
	uint32_t input_count, output_count;
	int *variables;
	uint32_t variable_count;
};

/* Makes the graph of a model. Fails if the device does not support all of its operations. */
static int make_graph(const struct delegate *delegate, struct tflite_model *model,
		      struct nna_graph **out, char *error)
{
	const struct nna_log log = { delegate_log_line, (void *)delegate };

	return tflite_to_supported_graph(model, delegate->device, &log, out, error);
}

/*
 * Makes the graph with TFLite's shapes. If these contradict each other, uses the shapes that follow
 * from the inputs: TFLite's inner shapes are out of date after inputs were resized and before the
 * interpreter is prepared again.
 */
static int translate(const struct delegate *delegate, struct TfLiteContext *context,
		     const struct delegate_model *from, struct tflite_model **model,
		     struct nna_graph **graph, char *error)
{
	char second[TFLITE_ERROR_SIZE];
	int ret;

	ret = delegate_model_copy(context, from, false, model, error);
	if (ret)
		return ret;
	ret = make_graph(delegate, *model, graph, error);
	if (ret) {
		tflite_free(*model);
		*model = NULL;
	}
	if (ret != -EINVAL)
		return ret;
	if (delegate_model_copy(context, from, true, model, second))
		return ret;
	if (!make_graph(delegate, *model, graph, second))
		return 0;
	/* The first attempt's message tells more. */
	tflite_free(*model);
	*model = NULL;
	return ret;
}

int delegate_part_check(const struct delegate *delegate, struct TfLiteContext *context,
			const struct delegate_part *part, char *error)
{
	struct split_program *vela;
	struct tflite_model *model;
	struct delegate_model from;
	struct nna_graph *graph;
	int ret;

	ret = delegate_model_create(context, part, &from, error);
	if (ret)
		return ret;
	if (vela_is_model(from.model)) {
		ret = delegate_npu_create(delegate, context, &from, &vela, error);
		if (!ret)
			delegate_npu_release(delegate, context, vela);
	} else if (!delegate->device) {
		snprintf(error, TFLITE_ERROR_SIZE, "there is no NNA");
		ret = -ENODEV;
	} else {
		ret = translate(delegate, context, &from, &model, &graph, error);
		if (!ret) {
			nna_graph_unref(graph);
			tflite_free(model);
		}
	}
	delegate_model_destroy(&from);
	return ret;
}

static bool same_dims(const struct bound *bound, const struct TfLiteTensor *tensor)
{
	return tensor->dims && tensor->dims->size >= 0 &&
	       (uint32_t)tensor->dims->size == bound->rank &&
	       !memcmp(bound->dims, tensor->dims->data, bound->rank * sizeof(bound->dims[0]));
}

/* The subgraph that runs. */
static const struct tflite_subgraph *sub_of(const struct partition *p)
{
	return tflite_main(p->model ?: p->whole.model);
}

static void drop_program(struct partition *p)
{
	delegate_npu_release(p->delegate, p->context, p->vela);
	p->vela = NULL;
	nna_execution_destroy(p->execution);
	nna_program_destroy(p->program);
	nna_graph_unref(p->graph);
	tflite_free(p->model);
	free(p->inputs);
	free(p->outputs);
	free(p->variables);
	p->execution = NULL;
	p->program = NULL;
	p->graph = NULL;
	p->model = NULL;
	p->inputs = NULL;
	p->outputs = NULL;
	p->variables = NULL;
	p->variable_count = 0;
}

static void partition_free(struct TfLiteContext *context, void *buffer)
{
	struct partition *p = buffer;

	if (!p)
		return;
	drop_program(p);
	delegate_model_destroy(&p->whole);
	free(p);
}

static void *partition_init(struct TfLiteContext *context, const char *buffer, size_t length)
{
	const struct TfLiteDelegateParams *params = (const void *)buffer;
	const struct delegate_part part = {
		.nodes = params->nodes_to_replace->data,
		.node_count = params->nodes_to_replace->size,
		.inputs = params->input_tensors->data,
		.input_count = params->input_tensors->size,
		.outputs = params->output_tensors->data,
		.output_count = params->output_tensors->size,
	};
	struct partition *p = calloc(1, sizeof(*p));
	char error[TFLITE_ERROR_SIZE];

	if (!p)
		return NULL;
	p->delegate = params->delegate->data_;
	if (delegate_model_create(context, &part, &p->whole, error)) {
		delegate_log(p->delegate, NNA_LOG_ERROR, "%s", error);
		free(p);
		return NULL;
	}
	return p;
}

static int describe_io(struct partition *p, const struct tflite_ints *list, struct bound **out)
{
	const struct tflite_subgraph *sub = sub_of(p);
	struct bound *bound = calloc((size_t)list->count + 1, sizeof(*bound));

	*out = bound;
	if (!bound)
		return -ENOMEM;
	for (uint32_t i = 0; i < list->count; i++) {
		const struct tflite_tensor *x = &sub->tensors[list->at[i]];

		bound[i].tensor = p->whole.tensors[list->at[i]];
		bound[i].rank = x->rank;
		bound[i].handle = DELEGATE_NO_HANDLE;
		for (uint32_t k = 0; k < x->rank; k++)
			bound[i].dims[k] = (int)x->dims[k];
	}
	return 0;
}

static int find_variables(struct partition *p)
{
	const struct tflite_subgraph *sub = sub_of(p);

	p->variables = calloc((size_t)sub->tensor_count + 1, sizeof(*p->variables));
	if (!p->variables)
		return -ENOMEM;
	for (uint32_t i = 0; i < sub->tensor_count; i++)
		if (sub->tensors[i].variable)
			p->variables[p->variable_count++] = p->whole.tensors[i];
	return 0;
}

static int compile_nna(struct partition *p, struct TfLiteContext *context, char *error)
{
	struct nna_program_options options = { .priority = p->delegate->options.priority };
	int ret;

	ret = translate(p->delegate, context, &p->whole, &p->model, &p->graph, error);
	if (ret)
		return ret;
	ret = delegate_program_create(p->delegate, p->graph, &options, &p->program);
	if (!ret)
		ret = nna_execution_create(p->program, &p->execution);
	if (!ret && p->delegate->options.duration_ns)
		ret = nna_execution_set_duration(p->execution, p->delegate->options.duration_ns);
	if (ret)
		snprintf(error, TFLITE_ERROR_SIZE, "cannot compile: %s", strerror(-ret));
	return ret;
}

static int compile_vela(struct partition *p, struct TfLiteContext *context, char *error)
{
	int ret;

	p->context = context;
	ret = delegate_npu_create(p->delegate, context, &p->whole, &p->vela, error);
	if (!ret && delegate_npu_hide_memory(context, &p->whole)) {
		snprintf(error, TFLITE_ERROR_SIZE, "TFLite keeps memory that is the NPU's");
		ret = -EINVAL;
	}
	return ret;
}

/* Whether the inputs are as large as Vela has compiled them. */
static bool has_sizes(const struct partition *p, const struct TfLiteContext *context)
{
	struct nna_io_info info;

	for (uint32_t i = 0; i < p->input_count; i++) {
		split_program_io(p->vela, true, i, &info);
		if (context->tensors[p->inputs[i].tensor].bytes != info.size)
			return false;
	}
	return true;
}

static int compile(struct partition *p, struct TfLiteContext *context, char *error)
{
	const struct tflite_subgraph *sub;
	int ret;

	ret = vela_is_model(p->whole.model) ? compile_vela(p, context, error) :
	      compile_nna(p, context, error);
	if (ret)
		return ret;
	sub = sub_of(p);
	p->input_count = sub->inputs.count;
	p->output_count = sub->outputs.count;
	ret = describe_io(p, &sub->inputs, &p->inputs);
	if (!ret)
		ret = describe_io(p, &sub->outputs, &p->outputs);
	if (!ret)
		ret = find_variables(p);
	if (ret)
		snprintf(error, TFLITE_ERROR_SIZE, "cannot compile: %s", strerror(-ret));
	if (!ret && p->vela && !has_sizes(p, context)) {
		snprintf(error, TFLITE_ERROR_SIZE,
			 "the model has the shapes that Vela has compiled it for: its inputs cannot "
			 "be resized");
		ret = -EINVAL;
	}
	return ret;
}

static bool is_compiled(const struct partition *p, const struct TfLiteContext *context)
{
	if (p->vela)
		return has_sizes(p, context);
	if (!p->execution)
		return false;
	for (uint32_t i = 0; i < p->input_count; i++)
		if (!same_dims(&p->inputs[i], &context->tensors[p->inputs[i].tensor]))
			return false;
	return true;
}

/* Tells TFLite the shape of an output. TFLite takes over the array. */
static int resize(struct TfLiteContext *context, const struct bound *bound)
{
	struct TfLiteIntArray *dims = malloc(sizeof(*dims) + bound->rank * sizeof(dims->data[0]));

	if (!dims) {
		context->ReportError(context, "nnaccel: out of memory");
		return TFLITE_STATUS_ERROR;
	}
	dims->size = (int)bound->rank;
	memcpy(dims->data, bound->dims, bound->rank * sizeof(dims->data[0]));
	return context->ResizeTensor(context, &context->tensors[bound->tensor], dims);
}

static int partition_prepare(struct TfLiteContext *context, struct TfLiteNode *node)
{
	struct partition *p = node->user_data;
	char error[TFLITE_ERROR_SIZE];
	int ret;

	if (!p) {
		context->ReportError(context, "nnaccel: the operators could not be read");
		return TFLITE_STATUS_ERROR;
	}
	if (!is_compiled(p, context)) {
		drop_program(p);
		ret = compile(p, context, error);
		if (ret) {
			drop_program(p);
			context->ReportError(context, "nnaccel: %s", error);
			return TFLITE_STATUS_ERROR;
		}
	}
	for (uint32_t i = 0; i < p->output_count; i++) {
		const struct bound *o = &p->outputs[i];

		if (same_dims(o, &context->tensors[o->tensor]))
			continue;
		if (resize(context, o))
			return TFLITE_STATUS_ERROR;
	}
	return TFLITE_STATUS_OK;
}

/* Return: the tensor's handle of this delegate. */
static int handle_of(const struct partition *p, const struct TfLiteTensor *tensor)
{
	return tensor->delegate == &p->delegate->base ? tensor->buffer_handle : DELEGATE_NO_HANDLE;
}

/* Binds an input or output to a buffer. Return: 0 or a negative errno. */
static int bind_buffer(struct partition *p, const struct TfLiteTensor *tensor, uint32_t index,
		       bool input)
{
	struct bound *bound = input ? &p->inputs[index] : &p->outputs[index];
	int handle = tensor->buffer_handle, ret;
	struct nna_buffer *buffer = delegate_buffer_find(&p->delegate->buffers, handle);

	if (!buffer)
		return -EBADF;
	if (bound->handle == handle && bound->size == tensor->bytes)
		return 0;
	ret = input ? nna_execution_set_input_buffer(p->execution, index, 0, NULL, buffer, 0,
						     tensor->bytes)
		    : nna_execution_set_output_buffer(p->execution, index, 0, NULL, buffer, 0,
						      tensor->bytes);
	if (ret)
		return ret;
	bound->data = nna_buffer_map(buffer);
	bound->size = tensor->bytes;
	bound->handle = handle;
	return 0;
}

/* Binds an input or output to its present memory in TFLite. Return: 0 or a negative errno. */
static int bind(struct partition *p, struct TfLiteContext *context, uint32_t index, bool input)
{
	struct bound *bound = input ? &p->inputs[index] : &p->outputs[index];
	const struct TfLiteTensor *tensor = &context->tensors[bound->tensor];
	int ret;

	if (handle_of(p, tensor) != DELEGATE_NO_HANDLE)
		return bind_buffer(p, tensor, index, input);
	if (tensor->data == bound->data && tensor->bytes == bound->size && bound->data &&
	    bound->handle == DELEGATE_NO_HANDLE)
		return 0;
	if (!tensor->data && tensor->bytes)
		return -EFAULT;
	ret = input ? nna_execution_set_input(p->execution, index, 0, NULL, tensor->data,
					      tensor->bytes)
		    : nna_execution_set_output(p->execution, index, 0, NULL, tensor->data,
					       tensor->bytes);
	if (ret)
		return ret;
	bound->data = tensor->data;
	bound->size = tensor->bytes;
	bound->handle = DELEGATE_NO_HANDLE;
	return 0;
}

/* Tells TFLite which outputs are in buffers instead of its own memory. */
static void mark_stale(struct partition *p, struct TfLiteContext *context)
{
	for (uint32_t i = 0; i < p->output_count; i++)
		context->tensors[p->outputs[i].tensor].data_is_stale =
			p->outputs[i].handle != DELEGATE_NO_HANDLE;
}

/*
 * The mark in a variable's memory: a value that a reset, to zeros or to the zero point, does not
 * write.
 */
static uint8_t mark_of(const struct TfLiteTensor *tensor)
{
	uint8_t zero = (uint8_t)tensor->params.zero_point;

	return zero == 0xa5 ? 0x5a : 0xa5;
}

static int follow_reset(struct partition *p, struct TfLiteContext *context)
{
	bool reset = false;

	for (uint32_t i = 0; i < p->variable_count; i++) {
		const struct TfLiteTensor *tensor = &context->tensors[p->variables[i]];

		if (tensor->data && tensor->bytes)
			reset |= *(const uint8_t *)tensor->data != mark_of(tensor);
	}
	if (!reset)
		return 0;
	return p->vela ? split_program_reset(p->vela) : nna_execution_reset_state(p->execution);
}

static void leave_marks(struct partition *p, struct TfLiteContext *context)
{
	for (uint32_t i = 0; i < p->variable_count; i++) {
		struct TfLiteTensor *tensor = &context->tensors[p->variables[i]];

		if (tensor->data && tensor->bytes)
			*(uint8_t *)tensor->data = mark_of(tensor);
	}
}

/* The memory of an input or output: TFLite's, or that of the buffer whose handle it has. */
static void *memory_of(struct partition *p, struct TfLiteContext *context, struct bound *bound)
{
	const struct TfLiteTensor *tensor = &context->tensors[bound->tensor];
	struct nna_buffer *buffer;

	bound->handle = handle_of(p, tensor);
	if (bound->handle == DELEGATE_NO_HANDLE)
		return tensor->data;
	buffer = delegate_buffer_find(&p->delegate->buffers, bound->handle);
	return buffer ? nna_buffer_map(buffer) : NULL;
}

static int invoke_vela(struct partition *p, struct TfLiteContext *context, char *error)
{
	void **memory = calloc((size_t)p->input_count + p->output_count + 1, sizeof(*memory));
	void **outputs = memory ? memory + p->input_count : NULL;
	int ret = memory ? 0 : -ENOMEM;

	snprintf(error, TFLITE_ERROR_SIZE, "%s", memory ? "a tensor has no memory" :
		 "out of memory");
	for (uint32_t i = 0; i < p->input_count && !ret; i++) {
		memory[i] = memory_of(p, context, &p->inputs[i]);
		ret = memory[i] ? 0 : -EFAULT;
	}
	for (uint32_t i = 0; i < p->output_count && !ret; i++) {
		outputs[i] = memory_of(p, context, &p->outputs[i]);
		ret = outputs[i] ? 0 : -EFAULT;
	}
	if (!ret)
		ret = follow_reset(p, context);
	if (!ret)
		ret = split_program_run(p->vela, (const void *const *)memory, outputs, error);
	free(memory);
	return ret;
}

static int partition_invoke(struct TfLiteContext *context, struct TfLiteNode *node)
{
	struct partition *p = node->user_data;
	char error[TFLITE_ERROR_SIZE];
	int ret = 0;

	if (p->vela) {
		if (invoke_vela(p, context, error)) {
			context->ReportError(context, "nnaccel: the run failed: %s", error);
			return TFLITE_STATUS_ERROR;
		}
		mark_stale(p, context);
		leave_marks(p, context);
		return TFLITE_STATUS_OK;
	}
	for (uint32_t i = 0; i < p->input_count && !ret; i++)
		ret = bind(p, context, i, true);
	for (uint32_t i = 0; i < p->output_count && !ret; i++)
		ret = bind(p, context, i, false);
	if (!ret)
		ret = follow_reset(p, context);
	if (!ret)
		ret = nna_execution_compute(p->execution);
	if (ret) {
		context->ReportError(context, "nnaccel: the run failed: %s", strerror(-ret));
		return TFLITE_STATUS_ERROR;
	}
	mark_stale(p, context);
	leave_marks(p, context);
	return TFLITE_STATUS_OK;
}

const struct TfLiteRegistration DELEGATE_KERNEL = {
	.init = partition_init,
	.free = partition_free,
	.prepare = partition_prepare,
	.invoke = partition_invoke,
	.builtin_code = TFLITE_DELEGATE,
	.custom_name = "nnaccel",
	.version = 1,
};
