// SPDX-License-Identifier: MIT
/*
 * The functions that TFLite looks up in an external delegate, and the choice of operators.
 *
 * The delegate first tries to take a subgraph whole: a value that one operator alone knows only at
 * run time may be a constant in the whole subgraph. If that fails, it tries each operator alone,
 * and then the partitions that TFLite forms from the accepted ones. TFLite keeps the refused
 * operators, and a line in the log says why.
 */
#include "frontend/delegate/delegate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/delegate/log.h"
#include "frontend/vela/arena.h"
#include "libnnaccel/support/coverage.h"

/* Return: the operator's name, such as "CONV_2D", or the name of a custom operator. */
static const char *name_of(struct TfLiteContext *context, int index)
{
	struct TfLiteRegistration *registration = NULL;
	struct TfLiteNode *node = NULL;
	const char *name;

	if (context->GetNodeAndRegistration(context, index, &node, &registration) || !registration)
		return "?";
	if (registration->builtin_code == TFLITE_CUSTOM && registration->custom_name)
		return registration->custom_name;
	name = tflite_code_name((uint32_t)registration->builtin_code);
	return name ? name : "?";
}

static void tell_left(const struct delegate *delegate, struct TfLiteContext *context, int index,
		      const char *reason)
{
	char name[64];

	delegate_log(delegate, NNA_LOG_WARNING, "node %d (%s) is left to TFLite: %s", index,
		     tflite_printable(name_of(context, index), name, sizeof(name)), reason);
}

static bool has(const int *list, int count, int number)
{
	for (int i = 0; i < count; i++)
		if (list[i] == number)
			return true;
	return false;
}

/*
 * A partition keeps the state of its variables in its execution, so no operator outside of @part
 * may use a variable of @part. Return: true if none does.
 */
static bool owns_variables(struct TfLiteContext *context, const struct TfLiteIntArray *plan,
			   const struct delegate_part *part)
{
	struct TfLiteRegistration *registration;
	struct TfLiteNode *node;

	for (int i = 0; i < part->input_count; i++) {
		int tensor = part->inputs[i];

		if (tensor < 0 || (size_t)tensor >= context->tensors_size ||
		    !context->tensors[tensor].is_variable)
			continue;
		for (int k = 0; k < plan->size; k++) {
			if (has(part->nodes, part->node_count, plan->data[k]))
				continue;
			if (context->GetNodeAndRegistration(context, plan->data[k], &node,
							    &registration) ||
			    has(node->inputs->data, node->inputs->size, tensor) ||
			    has(node->outputs->data, node->outputs->size, tensor))
				return false;
		}
	}
	return true;
}

/* Return: true if the device can run this operator alone. */
static bool check_node(const struct delegate *delegate, struct TfLiteContext *context, int index)
{
	struct TfLiteRegistration *registration = NULL;
	char error[TFLITE_ERROR_SIZE];
	struct TfLiteNode *node = NULL;
	struct delegate_part part = { .nodes = &index, .node_count = 1 };
	int *inputs, ret;

	if (context->GetNodeAndRegistration(context, index, &node, &registration) || !node)
		return false;
	inputs = calloc((size_t)node->inputs->size + 1, sizeof(*inputs));
	if (!inputs)
		return false;
	part.inputs = inputs;
	for (int i = 0; i < node->inputs->size; i++)
		if (node->inputs->data[i] != TFLITE_OPTIONAL_TENSOR)
			inputs[part.input_count++] = node->inputs->data[i];
	part.outputs = node->outputs->data;
	part.output_count = node->outputs->size;
	ret = delegate_part_check(delegate, context, &part, error);
	free(inputs);
	if (ret)
		tell_left(delegate, context, index, error);
	return !ret;
}

/**
 * try_nodes() - try operators as the partitions that TFLite makes of them
 * @taken: the operators; those of refused partitions are removed
 * @quiet: stop at the first refused partition, without a message and without removing operators
 *
 * Return: the number of refused partitions; negative if TFLite fails.
 */
static int try_nodes(const struct delegate *delegate, struct TfLiteContext *context,
		     const struct TfLiteIntArray *plan, struct TfLiteIntArray *taken, bool quiet)
{
	struct TfLiteDelegateParams *partitions = NULL;
	int count = 0, refused = 0, kept;

	if (context->PreviewDelegatePartitioning(context, taken, &partitions, &count))
		return -1;
	for (int i = 0; i < count; i++) {
		const struct TfLiteDelegateParams *q = &partitions[i];
		char error[TFLITE_ERROR_SIZE];
		struct delegate_part part = {
			.nodes = q->nodes_to_replace->data,
			.node_count = q->nodes_to_replace->size,
			.inputs = q->input_tensors->data,
			.input_count = q->input_tensors->size,
			.outputs = q->output_tensors->data,
			.output_count = q->output_tensors->size,
		};

		if (!owns_variables(context, plan, &part))
			snprintf(error, sizeof(error),
				 "another operator that is left uses its state as well");
		else if (!delegate_part_check(delegate, context, &part, error))
			continue;
		refused++;
		if (quiet)
			return refused;
		kept = 0;
		for (int k = 0; k < taken->size; k++) {
			if (has(part.nodes, part.node_count, taken->data[k]))
				tell_left(delegate, context, taken->data[k], error);
			else
				taken->data[kept++] = taken->data[k];
		}
		taken->size = kept;
	}
	return refused;
}

static struct TfLiteIntArray *copy_plan(const struct TfLiteIntArray *plan)
{
	struct TfLiteIntArray *copy;

	copy = malloc(sizeof(*copy) + (size_t)plan->size * sizeof(copy->data[0]));
	if (copy) {
		copy->size = plan->size;
		memcpy(copy->data, plan->data, (size_t)plan->size * sizeof(copy->data[0]));
	}
	return copy;
}

/* The operators of Vela's would run in another order than Vela has compiled them for. */
static void leave_npu(const struct delegate *delegate, struct TfLiteContext *context,
		      struct TfLiteIntArray *taken)
{
	int kept = 0;

	for (int i = 0; i < taken->size; i++) {
		if (delegate_npu_has(context, taken->data[i]))
			tell_left(delegate, context, taken->data[i],
				  "operators that are left would change the order of those that "
				  "Vela has compiled");
		else
			taken->data[kept++] = taken->data[i];
	}
	taken->size = kept;
}

/* Reduces @taken, which starts as a copy of @plan, to the operators that the delegate takes. */
static int choose(const struct delegate *delegate, struct TfLiteContext *context,
		  const struct TfLiteIntArray *plan, struct TfLiteIntArray *taken)
{
	int refused, kept = 0;

	refused = try_nodes(delegate, context, plan, taken, true);
	if (refused <= 0)
		return refused;
	for (int i = 0; i < plan->size; i++)
		if (check_node(delegate, context, plan->data[i]))
			taken->data[kept++] = plan->data[i];
	taken->size = kept;
	/* Each round removes an operator or ends the loop. */
	do
		refused = taken->size ? try_nodes(delegate, context, plan, taken, false) : 0;
	while (refused > 0);
	if (!refused && taken->size && !delegate_npu_in_order(context, taken))
		leave_npu(delegate, context, taken);
	return refused;
}

static bool has_npu(struct TfLiteContext *context, const struct TfLiteIntArray *plan)
{
	for (int i = 0; i < plan->size; i++)
		if (delegate_npu_has(context, plan->data[i]))
			return true;
	return false;
}

static void log_coverage(const struct delegate *delegate, uint32_t taken, uint32_t all)
{
	struct nna_device_info info = { .name = "the NPU" };
	char line[NNA_COVERAGE_SIZE];

	if (delegate->device)
		nna_device_get_info(delegate->device, &info);
	delegate_log(delegate, NNA_LOG_INFO, "%s",
		     nna_coverage_describe(taken, all, info.name, "with TFLite on the CPU", line));
}

static int delegate_prepare(struct TfLiteContext *context, struct TfLiteDelegate *base)
{
	const struct delegate *delegate = base->data_;
	struct TfLiteIntArray *given, *plan, *taken;
	int ret = TFLITE_STATUS_ERROR;

	if (context->GetExecutionPlan(context, &given))
		return TFLITE_STATUS_ERROR;
	/* TFLite's list is valid only until the next call for it, so keep a copy. */
	plan = copy_plan(given);
	if (plan && !delegate->device && !has_npu(context, plan)) {
		free(plan);
		return TFLITE_STATUS_OK;
	}
	taken = plan ? copy_plan(plan) : NULL;
	if (plan && taken && !choose(delegate, context, plan, taken)) {
		log_coverage(delegate, (uint32_t)taken->size, (uint32_t)plan->size);
		ret = !taken->size ? TFLITE_STATUS_OK :
		      context->ReplaceNodeSubsetsWithDelegateKernels(context, DELEGATE_KERNEL,
								     taken, base);
	}
	free(plan);
	free(taken);
	return ret;
}

/*
 * The user's device is the node of an NPU, for operators that Vela has compiled. Others are the
 * NNA's if there is one, and else TFLite's.
 */
static void open_npu(struct delegate *delegate)
{
	const struct nna_device_options options = { 0 };
	struct nna_device_info info;

	delegate->npu->path = delegate->options.device;
	if (nna_device_open("auto", &options, &delegate->device)) {
		delegate->device = NULL;
		return;
	}
	nna_device_get_info(delegate->device, &info);
	if (!info.loopback)
		return;
	nna_device_close(delegate->device);
	delegate->device = NULL;
}

/*
 * A device that cannot be opened is a wrong option as others are: with "auto" there is always one.
 * Return: 0, or a negative errno with a line at @error, of DELEGATE_ERROR_SIZE bytes.
 */
static int open_device(struct delegate *delegate, char *error)
{
	const struct nna_device_options options = {
		.log = { delegate_log_line, delegate },
		.threads = delegate->options.threads,
	};
	int ret;

	if (vela_is_npu(delegate->options.device)) {
		open_npu(delegate);
		return 0;
	}
	ret = nna_device_open(delegate->options.device, &options, &delegate->device);
	if (!ret)
		return 0;
	delegate->device = NULL;
	snprintf(error, DELEGATE_ERROR_SIZE,
		 "device \"%.100s\" cannot be opened: %s: give a node, auto or loopback",
		 delegate->options.device, strerror(-ret));
	return ret;
}

DELEGATE_API struct TfLiteDelegate *
tflite_plugin_create_delegate(const char *const *keys, const char *const *values, size_t count,
			      void (*report_error)(const char *message));
DELEGATE_API void tflite_plugin_destroy_delegate(struct TfLiteDelegate *base);

/**
 * tflite_plugin_create_delegate() - make a delegate
 * @keys: names of @count options
 * @values: their values
 * @report_error: NULL, or called with a message before NULL is returned
 *
 * Some hosts use the returned pointer without a check. Without @report_error a wrong option
 * therefore gives a delegate that takes no operator, and a line on stderr says why.
 */
struct TfLiteDelegate *tflite_plugin_create_delegate(const char *const *keys,
						     const char *const *values, size_t count,
						     void (*report_error)(const char *message))
{
	struct delegate *delegate = calloc(1, sizeof(*delegate));
	char error[DELEGATE_ERROR_SIZE];
	int ret;

	if (delegate)
		delegate->npu = calloc(1, sizeof(*delegate->npu));
	if (!delegate || !delegate->npu) {
		free(delegate);
		if (report_error)
			report_error("nnaccel: out of memory");
		return NULL;
	}
	delegate->base = (struct TfLiteDelegate){
		.data_ = delegate,
		.Prepare = delegate_prepare,
		.CopyFromBufferHandle = delegate_buffer_read,
		.CopyToBufferHandle = delegate_buffer_write,
		.FreeBufferHandle = delegate_buffer_forget,
		.flags = TFLITE_DELEGATE_ALLOW_DYNAMIC_TENSORS,
	};
	delegate_buffers_init(&delegate->buffers);
	delegate_npu_init(delegate->npu);
	ret = delegate_options_read(&delegate->options, keys, values, count, error) ?:
	      open_device(delegate, error);
	if (ret && report_error) {
		report_error(error);
		delegate_buffers_destroy(&delegate->buffers);
		delegate_npu_destroy(delegate->npu);
		free(delegate->npu);
		free(delegate);
		return NULL;
	}
	if (ret)
		delegate_log(delegate, NNA_LOG_ERROR, "%s: everything is left to TFLite", error);
	return &delegate->base;
}

/**
 * tflite_plugin_destroy_delegate() - destroy a delegate, after the last interpreter that uses it
 */
void tflite_plugin_destroy_delegate(struct TfLiteDelegate *base)
{
	struct delegate *delegate;

	if (!base)
		return;
	delegate = base->data_;
	delegate_buffers_destroy(&delegate->buffers);
	delegate_npu_destroy(delegate->npu);
	nna_device_close(delegate->device);
	free(delegate->npu);
	free(delegate);
}
