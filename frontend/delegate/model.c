// SPDX-License-Identifier: MIT
/*
 * Converts TFLite's tensors and nodes to the structures of frontend/tflite/tflite.h. Tensors get
 * new numbers, since a part uses few of the interpreter's. TFLite does not check all numbers of a
 * model, so this file checks each number again.
 */
#include "frontend/delegate/model.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/delegate/npu.h"
#include "frontend/delegate/parameters.h"
#include "frontend/tflite/packed.h"
#include "frontend/tflite/slice.h"
#include "libnnaccel/support/array.h"

/**
 * struct build - a model under construction
 * @numbers: for each of the interpreter's tensors its number in the model, -1 for none yet
 * @room: allocated entries of @sub->tensors
 * @origin_room: allocated entries of @out->tensors
 */
struct build {
	struct TfLiteContext *context;
	struct delegate_model *out;
	struct tflite_subgraph *sub;
	int32_t *numbers;
	uint32_t room, origin_room;
	char *error;
};

static __attribute__((format(printf, 3, 4))) int refuse(struct build *b, int ret,
							const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(b->error, TFLITE_ERROR_SIZE, format, ap);
	va_end(ap);
	return ret;
}

static int no_memory(struct build *b)
{
	return refuse(b, -ENOMEM, "out of memory");
}

bool delegate_is_constant(const struct TfLiteTensor *tensor)
{
	return tensor->allocation_type == TFLITE_ALLOCATION_MMAP_RO && tensor->data;
}

/* Scales of blocks are a tensor of the interpreter; find_tensor() gives it its number. */
static int read_blocks(struct build *b, const struct TfLiteTensor *from, struct tflite_tensor *to)
{
	const struct TfLiteBlockwiseQuantization *q = from->quantization.params;

	if (!q || q->blocksize < 1 || q->scale < 0 ||
	    (size_t)q->scale >= b->context->tensors_size ||
	    b->context->tensors[q->scale].quantization.type == TFLITE_QUANTIZATION_BLOCKWISE)
		return refuse(b, -EINVAL, "blocks without scales");
	to->block_size = (uint32_t)q->blocksize;
	to->block_scales = (uint32_t)q->scale;
	return 0;
}

static int read_quantisation(struct build *b, const struct TfLiteTensor *from,
			     struct tflite_tensor *to)
{
	const struct TfLiteAffineQuantization *q = from->quantization.params;
	int64_t *points;
	int i;

	if (!from->quantization.type)
		return 0;
	if (from->quantization.type == TFLITE_QUANTIZATION_BLOCKWISE)
		return read_blocks(b, from, to);
	if (from->quantization.type != TFLITE_QUANTIZATION_AFFINE)
		return refuse(b, -ENOTSUP, "quantisation of type %d is not supported",
			      (int)from->quantization.type);
	if (!q || !q->scale || q->scale->size <= 0)
		return 0;
	if (q->zero_point && q->zero_point->size > 1 && q->zero_point->size != q->scale->size)
		return refuse(b, -EINVAL, "%d scales but %d zero points", q->scale->size,
			      q->zero_point->size);
	if (q->scale->size > 1 && (q->quantized_dimension < 0 ||
				   (uint32_t)q->quantized_dimension >= to->rank ||
				   (uint32_t)q->scale->size != to->dims[q->quantized_dimension]))
		return refuse(b, -EINVAL, "%d scales, which fit no dimension", q->scale->size);
	to->scale_count = (uint32_t)q->scale->size;
	to->scales = q->scale->data;
	to->channel_dim = (uint32_t)q->quantized_dimension;
	if (!q->zero_point || q->zero_point->size <= 0)
		return 0;
	points = tflite_derive(b->out->model, (size_t)q->zero_point->size * sizeof(*points));
	if (!points)
		return no_memory(b);
	for (i = 0; i < q->zero_point->size; i++)
		points[i] = q->zero_point->data[i];
	to->zero_points = points;
	to->zero_point_count = (uint32_t)q->zero_point->size;
	return 0;
}

static int read_shape(struct build *b, const struct TfLiteTensor *from, struct tflite_tensor *to)
{
	const struct TfLiteIntArray *dims = from->dims;
	int i;

	if (!dims || dims->size < 0 || dims->size > TFLITE_MAX_RANK)
		return refuse(b, -ENOTSUP, "a tensor has %d dimensions, at most %u are possible",
			      dims ? dims->size : 0, TFLITE_MAX_RANK);
	to->rank = (uint32_t)dims->size;
	for (i = 0; i < dims->size; i++) {
		if (dims->data[i] < 0)
			return refuse(b, -ENOTSUP, "a tensor has no shape yet");
		to->dims[i] = (uint32_t)dims->data[i];
	}
	if (!tflite_count_elements(to->rank, to->dims, &to->elements))
		return refuse(b, -ENOTSUP, "a tensor is too large");
	return 0;
}

/* Unpacks a constant of a packed type, as the reader of files does. */
static int unpack(struct build *b, const struct TfLiteTensor *from, struct tflite_tensor *to)
{
	const uint32_t bits = tflite_packed_bits(to->type);
	const uint64_t bytes = (to->elements * bits + 7) / 8;
	const uint32_t wide = tflite_unpacked_type(bits);
	void *numbers;

	if (from->bytes < bytes)
		return refuse(b, -EINVAL, "a constant has %zu bytes, its shape needs %llu",
			      from->bytes, (unsigned long long)bytes);
	numbers = tflite_derive(b->out->model, to->elements * tflite_type_size(wide));
	if (!numbers)
		return no_memory(b);
	tflite_unpack(from->data, bits, to->elements, numbers);
	to->type = wide;
	to->data = numbers;
	to->size = to->elements * tflite_type_size(wide);
	return 0;
}

static int read_tensor(struct build *b, const struct TfLiteTensor *from, struct tflite_tensor *to)
{
	const struct TfLiteIntArray *signature = from->dims_signature;
	uint32_t element;
	void *copy;
	int i, ret;

	to->name = from->name ? from->name : "";
	to->type = tflite_runtime_type(from->type);
	to->variable = from->is_variable;
	ret = read_shape(b, from, to);
	if (ret)
		return ret;
	for (i = 0; signature && i < signature->size; i++)
		to->dynamic |= signature->data[i] < 0;
	ret = read_quantisation(b, from, to);
	if (ret || !delegate_is_constant(from) || to->variable)
		return ret;
	if (from->sparsity)
		return refuse(b, -ENOTSUP, "sparse constants are not supported");
	if (tflite_packed_bits(to->type))
		return unpack(b, from, to);
	element = tflite_type_size(to->type);
	to->data = from->data;
	to->size = from->bytes;
	if (!element)
		return 0;
	if (from->bytes < to->elements * element)
		return refuse(b, -EINVAL, "a constant has %zu bytes, its shape needs %llu",
			      from->bytes, (unsigned long long)to->elements * element);
	to->size = to->elements * element;
	if ((uintptr_t)from->data % element) {
		copy = tflite_derive(b->out->model, to->size);
		if (!copy)
			return no_memory(b);
		memcpy(copy, from->data, to->size);
		to->data = copy;
	}
	return 0;
}

/* Return: the model's number of a tensor, which is converted on its first use; or an error. */
static int32_t find_tensor(struct build *b, int tensor)
{
	uint32_t at = b->sub->tensor_count;
	struct tflite_tensor *tensors;
	int *origins, ret;

	if (tensor < 0 || (size_t)tensor >= b->context->tensors_size)
		return refuse(b, -EINVAL, "tensor %d does not exist", tensor);
	if (b->numbers[tensor] >= 0)
		return b->numbers[tensor];
	tensors = nna_array_reserve(b->sub->tensors, (uint64_t)at + 1, &b->room, sizeof(*tensors));
	if (!tensors)
		return no_memory(b);
	b->sub->tensors = tensors;
	origins = nna_array_reserve(b->out->tensors, (uint64_t)at + 1, &b->origin_room,
				    sizeof(*origins));
	if (!origins)
		return no_memory(b);
	b->out->tensors = origins;
	b->sub->tensors[at] = (struct tflite_tensor){ 0 };
	ret = read_tensor(b, &b->context->tensors[tensor], &b->sub->tensors[at]);
	if (ret)
		return ret;
	b->out->tensors[at] = tensor;
	b->numbers[tensor] = (int32_t)at;
	b->sub->tensor_count++;
	if (b->sub->tensors[at].block_size) {
		int32_t scales = find_tensor(b, (int)b->sub->tensors[at].block_scales);

		if (scales < 0)
			return scales;
		b->sub->tensors[at].block_scales = (uint32_t)scales;
	}
	return (int32_t)at;
}

/* Converts tensor numbers to the model's. With @keep only tensors that it accepts, each once. */
static int read_list(struct build *b, const int *from, int count, bool optional,
		     bool (*keep)(const struct tflite_tensor *tensor), struct tflite_ints *to)
{
	int32_t *list;
	uint32_t k;
	int i;

	*to = (struct tflite_ints){ 0 };
	if (count <= 0)
		return 0;
	list = tflite_derive(b->out->model, (size_t)count * sizeof(*list));
	if (!list)
		return no_memory(b);
	to->at = list;
	for (i = 0; i < count; i++) {
		int32_t number = -1;

		if (from[i] != TFLITE_OPTIONAL_TENSOR || !optional) {
			number = find_tensor(b, from[i]);
			if (number < 0)
				return number;
		}
		if (keep) {
			if (!keep(&b->sub->tensors[number]))
				continue;
			for (k = 0; k < to->count && list[k] != number; k++)
				;
			if (k < to->count)
				continue;
		}
		list[to->count++] = number;
	}
	return 0;
}

static bool changes(const struct tflite_tensor *tensor)
{
	return !tensor->data && !tensor->variable;
}

/* @index: of the node in the interpreter; @number: of the operator in the model. */
static int read_operator(struct build *b, int index, uint32_t number, struct tflite_operator *op)
{
	struct TfLiteRegistration *registration = NULL;
	struct TfLiteNode *node = NULL;
	const char *reason;
	int ret;

	if (b->context->GetNodeAndRegistration(b->context, index, &node, &registration) ||
	    !node || !registration || !node->inputs || !node->outputs)
		return refuse(b, -EINVAL, "node %d does not exist", index);
	op->number = number;
	op->code = (uint32_t)registration->builtin_code;
	op->version = registration->version;
	op->custom = registration->custom_name ? registration->custom_name : "";
	op->custom_data = node->custom_initial_data;
	op->custom_size = node->custom_initial_data_size > 0 ?
			  (size_t)node->custom_initial_data_size : 0;
	reason = tflite_slice_refusal(op->code);
	if (reason)
		return refuse(b, -ENOTSUP, "%s", reason);
	delegate_parameters_read(op->code, node->builtin_data, &op->options);
	ret = read_list(b, node->inputs->data, node->inputs->size, true, NULL, &op->inputs);
	if (!ret)
		ret = read_list(b, node->outputs->data, node->outputs->size, false, NULL,
				&op->outputs);
	if (!ret && node->intermediates)
		ret = read_list(b, node->intermediates->data, node->intermediates->size, false,
				NULL, &op->intermediates);
	return ret;
}

int delegate_model_create(struct TfLiteContext *context, const struct delegate_part *part,
			  struct delegate_model *out, char *error)
{
	struct build b = { .context = context, .out = out, .error = error };
	size_t i;
	int ret;

	error[0] = 0;
	*out = (struct delegate_model){ .model = calloc(1, sizeof(*out->model)) };
	if (!out->model)
		return no_memory(&b);
	out->model->description = "";
	b.sub = calloc(1, sizeof(*b.sub));
	b.numbers = malloc((context->tensors_size + 1) * sizeof(*b.numbers));
	if (!b.sub || !b.numbers) {
		free(b.sub);
		ret = no_memory(&b);
		goto done;
	}
	out->model->subgraphs = b.sub;
	out->model->subgraph_count = 1;
	b.sub->name = "";
	for (i = 0; i < context->tensors_size; i++)
		b.numbers[i] = -1;
	b.sub->operators = calloc((size_t)part->node_count + 1, sizeof(*b.sub->operators));
	if (!b.sub->operators) {
		ret = no_memory(&b);
		goto done;
	}
	b.sub->operator_count = (uint32_t)part->node_count;
	ret = 0;
	for (i = 0; i < b.sub->operator_count && !ret; i++)
		ret = read_operator(&b, part->nodes[i], (uint32_t)i, &b.sub->operators[i]);
	/* As in the reader of files: a tensor that an operator writes in each run is no state. */
	for (i = 0; i < b.sub->operator_count && !ret; i++)
		for (uint32_t k = 0; k < b.sub->operators[i].outputs.count; k++)
			b.sub->tensors[b.sub->operators[i].outputs.at[k]].variable = false;
	if (!ret)
		ret = read_list(&b, part->inputs, part->input_count, false, changes,
				&b.sub->inputs);
	if (!ret)
		ret = read_list(&b, part->outputs, part->output_count, false, NULL,
				&b.sub->outputs);
	if (!ret && delegate_npu_strip(out->model))
		ret = no_memory(&b);
done:
	free(b.numbers);
	if (ret)
		delegate_model_destroy(out);
	return ret;
}

/* Return: a copy of @count elements of @size bytes; NULL without memory. */
static void *copy_of(const void *from, size_t count, size_t size)
{
	void *to = calloc(count + 1, size);

	if (to && count)
		memcpy(to, from, count * size);
	return to;
}

int delegate_model_copy(struct TfLiteContext *context, const struct delegate_model *from,
			bool infer, struct tflite_model **out, char *error)
{
	const struct tflite_subgraph *old = &from->model->subgraphs[0];
	struct build b = { .context = context, .error = error };
	struct tflite_model *model = calloc(1, sizeof(*model));
	struct tflite_subgraph *sub = calloc(1, sizeof(*sub));
	int ret = 0;

	if (!model || !sub) {
		free(model);
		free(sub);
		return no_memory(&b);
	}
	model->description = "";
	model->subgraphs = sub;
	model->subgraph_count = 1;
	/* The copy shares the lists of tensors and similar lists with @from. */
	*sub = *old;
	sub->tensors = copy_of(old->tensors, old->tensor_count, sizeof(*old->tensors));
	sub->operators = copy_of(old->operators, old->operator_count, sizeof(*old->operators));
	if (!sub->tensors || !sub->operators)
		ret = no_memory(&b);
	for (uint32_t i = 0; i < sub->inputs.count && !ret; i++) {
		int32_t at = sub->inputs.at[i];
		struct tflite_tensor *x = &sub->tensors[at];
		const struct tflite_tensor *before = &old->tensors[at];

		ret = read_shape(&b, &context->tensors[from->tensors[at]], x);
		x->changed = infer || x->rank != before->rank ||
			     memcmp(x->dims, before->dims, x->rank * sizeof(x->dims[0]));
	}
	if (ret)
		tflite_free(model);
	else
		*out = model;
	return ret;
}

void delegate_model_destroy(struct delegate_model *model)
{
	tflite_free(model->model);
	free(model->tensors);
	*model = (struct delegate_model){ 0 };
}
