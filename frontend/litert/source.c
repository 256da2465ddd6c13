// SPDX-License-Identifier: MIT
/*
 * Converts LiteRT's tensors and operators to the structures of frontend/tflite/tflite.h. What
 * cannot be converted is the reason why operators that use it are left to LiteRT, no error.
 */
#include "frontend/litert/source.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/litert/numbers.h"
#include "frontend/litert/options.h"
#include "frontend/tflite/packed.h"
#include "frontend/tflite/slice.h"
#include "libnnaccel/support/array.h"

/**
 * struct build - a source under construction
 * @numbers: of the tensors
 * @room: allocated entries of @sub->tensors
 * @flaws: for each tensor why it cannot be used, or NULL
 * @flaw_room: allocated entries of @flaws
 */
struct build {
	const struct LiteRtCompilerContext *context;
	struct litert_source *out;
	struct tflite_subgraph *sub;
	struct litert_numbers numbers;
	uint32_t room, flaw_room;
	char **flaws;
};

/* Return: -ENOTSUP with the reason at *@to, or -ENOMEM. */
static __attribute__((format(printf, 2, 3))) int refuse(char **to, const char *format, ...)
{
	va_list ap;
	int ret;

	va_start(ap, format);
	ret = vasprintf(to, format, ap);
	va_end(ap);
	if (ret >= 0)
		return -ENOTSUP;
	*to = NULL;
	return -ENOMEM;
}

static int read_shape(struct build *b, struct LiteRtTensorT *from, struct tflite_tensor *to,
		      char **flaw)
{
	struct LiteRtRankedTensorType type = { 0 };
	int unranked = 0;

	if (b->context->get_tensor_type_id(from, &unranked) || unranked ||
	    b->context->get_ranked_tensor_type(from, &type))
		return refuse(flaw, "it has no shape");
	to->type = tflite_runtime_type(type.element_type);
	if (type.rank > TFLITE_MAX_RANK)
		return refuse(flaw, "it has %u dimensions, at most %u are possible", type.rank,
			      TFLITE_MAX_RANK);
	to->rank = type.rank;
	for (uint32_t i = 0; i < to->rank; i++) {
		if (type.dimensions[i] < 0)
			return refuse(flaw, "dimension %u is open", i);
		to->dims[i] = (uint32_t)type.dimensions[i];
	}
	if (!tflite_count_elements(to->rank, to->dims, &to->elements))
		return refuse(flaw, "it is too large");
	return 0;
}

static int read_per_tensor(struct build *b, struct LiteRtTensorT *from, struct tflite_tensor *to,
			   char **flaw)
{
	struct LiteRtQuantizationPerTensor q = { 0 };
	int64_t *points = tflite_derive(b->out->model, sizeof(*points));
	float *scales = tflite_derive(b->out->model, sizeof(*scales));

	if (!points || !scales)
		return -ENOMEM;
	if (b->context->get_per_tensor_quantization(from, &q))
		return refuse(flaw, "its quantisation cannot be read");
	*scales = q.scale;
	*points = q.zero_point;
	to->scales = scales;
	to->zero_points = points;
	to->scale_count = 1;
	to->zero_point_count = 1;
	return 0;
}

static int read_per_channel(struct build *b, struct LiteRtTensorT *from, struct tflite_tensor *to,
			    char **flaw)
{
	struct LiteRtQuantizationPerChannel q = { 0 };

	if (b->context->get_per_channel_quantization(from, &q) || !q.scales)
		return refuse(flaw, "its quantisation cannot be read");
	if (q.num_channels > 1 &&
	    (q.quantized_dimension < 0 || (uint32_t)q.quantized_dimension >= to->rank ||
	     q.num_channels != to->dims[q.quantized_dimension]))
		return refuse(flaw, "it has %llu scales, which fit no dimension",
			      (unsigned long long)q.num_channels);
	to->scales = q.scales;
	to->scale_count = (uint32_t)q.num_channels;
	to->zero_points = q.zero_points;
	to->zero_point_count = q.zero_points ? to->scale_count : 0;
	to->channel_dim = (uint32_t)q.quantized_dimension;
	return 0;
}

static int32_t find_tensor(struct build *b, struct LiteRtTensorT *from);

/* The tensor of the scales may move those that are there, so @number says where they go. */
static int read_blocks(struct build *b, struct LiteRtTensorT *from, uint32_t number, char **flaw)
{
	struct LiteRtQuantizationBlockWise q = { 0 };
	int type = LITERT_NOT_QUANTIZED;
	int32_t scales;

	if (!LITERT_HAS(b->context, get_blockwise_quantization) ||
	    b->context->get_blockwise_quantization(from, &q) || !q.scales || q.block_size < 1 ||
	    b->context->get_quantization_type_id(q.scales, &type))
		return refuse(flaw, "the scales of its blocks cannot be read");
	/* Before they are converted: a chain of them would be one of calls, and may be a ring. */
	if (type == LITERT_BLOCKWISE)
		return refuse(flaw, "the scales of its blocks have blocks");
	scales = find_tensor(b, q.scales);
	if (scales < 0)
		return scales;
	b->sub->tensors[number].block_size = (uint32_t)q.block_size;
	b->sub->tensors[number].block_scales = (uint32_t)scales;
	return 0;
}

static int read_quantisation(struct build *b, struct LiteRtTensorT *from, uint32_t number,
			     char **flaw)
{
	struct tflite_tensor *to = &b->sub->tensors[number];
	int type = LITERT_NOT_QUANTIZED;

	if (b->context->get_quantization_type_id(from, &type))
		return refuse(flaw, "its quantisation cannot be read");
	switch (type) {
	case LITERT_NOT_QUANTIZED:
		return 0;
	case LITERT_PER_TENSOR:
		return read_per_tensor(b, from, to, flaw);
	case LITERT_PER_CHANNEL:
		return read_per_channel(b, from, to, flaw);
	case LITERT_BLOCKWISE:
		return read_blocks(b, from, number, flaw);
	default:
		return refuse(flaw, "quantisation of type %d is not supported", type);
	}
}

/* Constants as the reader of files has them: aligned, and packed types unpacked. */
static int read_constant(struct build *b, struct tflite_tensor *to, const void *bytes, size_t size,
			 char **flaw)
{
	const uint32_t bits = tflite_packed_bits(to->type);
	const uint32_t wide = bits ? tflite_unpacked_type(bits) : to->type;
	const uint32_t element = tflite_type_size(wide);
	const uint64_t needed = bits ? (to->elements * bits + 7) / 8 : to->elements * element;
	void *copy;

	if (size < needed)
		return refuse(flaw, "it has %zu bytes, its shape needs %llu: sparse constants are "
			      "not supported", size, (unsigned long long)needed);
	to->data = bytes;
	to->size = element ? needed : size;
	if (!bits && (!element || !((uintptr_t)bytes % element)))
		return 0;
	copy = tflite_derive(b->out->model, to->elements * element);
	if (!copy)
		return -ENOMEM;
	if (bits)
		tflite_unpack(bytes, bits, to->elements, copy);
	else
		memcpy(copy, bytes, needed);
	to->type = wide;
	to->data = copy;
	to->size = to->elements * element;
	return 0;
}

static int read_tensor(struct build *b, struct LiteRtTensorT *from, uint32_t number, char **flaw)
{
	struct LiteRtWeightsT *weights = NULL;
	const void *bytes = NULL;
	const char *name = NULL;
	size_t size = 0;
	int ret;

	if (!b->context->get_tensor_name(from, &name) && name)
		b->sub->tensors[number].name = name;
	ret = read_shape(b, from, &b->sub->tensors[number], flaw);
	if (!ret)
		ret = read_quantisation(b, from, number, flaw);
	if (ret || b->context->get_tensor_weights(from, &weights) || !weights ||
	    b->context->get_weights_bytes(weights, &bytes, &size) || !bytes || !size)
		return ret;
	return read_constant(b, &b->sub->tensors[number], bytes, size, flaw);
}

/* Return: the number of a tensor, which is converted on its first use; or -ENOMEM. */
static int32_t find_tensor(struct build *b, struct LiteRtTensorT *from)
{
	uint32_t at = b->sub->tensor_count;
	struct tflite_tensor *tensors;
	int32_t known = litert_numbers_find(&b->numbers, from);
	char **flaws, *flaw = NULL;
	int ret;

	if (known >= 0)
		return known;
	tensors = nna_array_reserve(b->sub->tensors, (uint64_t)at + 1, &b->room, sizeof(*tensors));
	if (!tensors)
		return -ENOMEM;
	b->sub->tensors = tensors;
	flaws = nna_array_reserve(b->flaws, (uint64_t)at + 1, &b->flaw_room, sizeof(*flaws));
	if (!flaws || at == INT32_MAX || litert_numbers_add(&b->numbers, from, (int32_t)at)) {
		b->flaws = flaws ?: b->flaws;
		return -ENOMEM;
	}
	b->flaws = flaws;
	b->sub->tensors[at] = (struct tflite_tensor){ .name = "" };
	b->flaws[at] = NULL;
	b->sub->tensor_count++;
	ret = read_tensor(b, from, at, &flaw);
	b->flaws[at] = flaw;
	return ret && ret != -ENOTSUP ? ret : (int32_t)at;
}

/* A list of tensors: the inputs or outputs of @op, or of @subgraph if @op is NULL. */
struct list {
	struct LiteRtOpT *op;
	struct LiteRtSubgraphT *subgraph;
	bool outputs;
};

static int count_of(const struct LiteRtCompilerContext *c, const struct list *list, size_t *count)
{
	if (list->op)
		return list->outputs ? c->get_num_op_outputs(list->op, count) :
		       c->get_num_op_inputs(list->op, count);
	return list->outputs ? c->get_num_subgraph_outputs(list->subgraph, count) :
	       c->get_num_subgraph_inputs(list->subgraph, count);
}

static int get_tensor(const struct LiteRtCompilerContext *c, const struct list *list, size_t index,
		      struct LiteRtTensorT **out)
{
	if (list->op)
		return list->outputs ? c->get_op_output(list->op, index, out) :
		       c->get_op_input(list->op, index, out);
	return list->outputs ? c->get_subgraph_output(list->subgraph, index, out) :
	       c->get_subgraph_input(list->subgraph, index, out);
}

static int read_list(struct build *b, struct list from, struct tflite_ints *to)
{
	struct LiteRtTensorT *tensor;
	size_t count = 0;
	int32_t *list;

	*to = (struct tflite_ints){ 0 };
	if (count_of(b->context, &from, &count) || count > INT32_MAX)
		return -EINVAL;
	list = tflite_derive(b->out->model, (count + 1) * sizeof(*list));
	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		tensor = NULL;
		if (get_tensor(b->context, &from, i, &tensor))
			return -EINVAL;
		list[i] = tensor ? find_tensor(b, tensor) : -1;
		if (tensor && list[i] < 0)
			return list[i];
	}
	*to = (struct tflite_ints){ list, (uint32_t)count };
	return 0;
}

/* Return: -ENOTSUP with a reason at *@to if a tensor of @list cannot be used. */
static int check_list(const struct build *b, const struct tflite_ints *list, bool outputs,
		      char **to)
{
	char name[64];

	for (uint32_t i = 0; i < list->count; i++) {
		int32_t at = list->at[i];

		if (at < 0 && outputs)
			return refuse(to, "output %u is omitted", i);
		if (at >= 0 && b->flaws[at])
			return refuse(to, "tensor \"%s\": %s",
				      tflite_printable(b->sub->tensors[at].name, name,
						       sizeof(name)), b->flaws[at]);
	}
	return 0;
}

static int read_operator(struct build *b, struct LiteRtOpT *op, uint32_t number, char **refusal)
{
	struct tflite_operator *to = &b->sub->operators[number];
	const struct LiteRtCompilerContext *c = b->context;
	const char *custom = NULL, *reason;
	const void *data = NULL;
	int32_t size = 0;
	int code = 0, ret;

	if (c->get_op_code(op, &code))
		return -EINVAL;
	to->number = number;
	to->code = (uint32_t)code;
	to->version = 1;
	to->custom = "";
	if (to->code == TFLITE_CUSTOM) {
		if (!c->get_custom_code(op, &custom) && custom)
			to->custom = custom;
		if (LITERT_HAS(c, get_custom_options) &&
		    !c->get_custom_options(op, &data, &size) && data && size > 0) {
			to->custom_data = data;
			to->custom_size = (size_t)size;
		}
	}
	ret = read_list(b, (struct list){ .op = op }, &to->inputs) ?:
	      read_list(b, (struct list){ .op = op, .outputs = true }, &to->outputs);
	if (ret)
		return ret;
	reason = tflite_slice_refusal(to->code);
	if (reason)
		return refuse(refusal, "%s", reason);
	litert_options_read(c, op, to);
	litert_options_guess(b->sub, to);
	return check_list(b, &to->inputs, false, refusal) ?:
	       check_list(b, &to->outputs, true, refusal);
}

static int read_operators(struct build *b, struct LiteRtSubgraphT *subgraph)
{
	size_t count = 0;
	int ret = 0;

	if (b->context->get_num_subgraph_ops(subgraph, &count) || count > INT32_MAX)
		return -EINVAL;
	b->sub->operators = calloc(count + 1, sizeof(*b->sub->operators));
	b->out->ops = calloc(count + 1, sizeof(struct LiteRtOpT *));
	b->out->refusals = calloc(count + 1, sizeof(char *));
	if (!b->sub->operators || !b->out->ops || !b->out->refusals)
		return -ENOMEM;
	b->sub->operator_count = (uint32_t)count;
	for (uint32_t i = 0; i < count && !ret; i++) {
		if (b->context->get_subgraph_op(subgraph, i, &b->out->ops[i]) || !b->out->ops[i])
			return -EINVAL;
		ret = read_operator(b, b->out->ops[i], i, &b->out->refusals[i]);
		if (ret == -ENOTSUP)
			ret = 0;
	}
	return ret;
}

int litert_source_read(const struct LiteRtCompilerContext *context,
		       struct LiteRtSubgraphT *subgraph, struct litert_source *out, char *error)
{
	struct build b = { .context = context, .out = out };
	int ret = -ENOMEM;

	*out = (struct litert_source){ .model = calloc(1, sizeof(*out->model)) };
	b.sub = calloc(1, sizeof(*b.sub));
	if (!out->model || !b.sub) {
		free(b.sub);
		goto out;
	}
	out->model->description = "";
	out->model->subgraphs = b.sub;
	out->model->subgraph_count = 1;
	b.sub->name = "";
	ret = read_operators(&b, subgraph);
	if (!ret)
		ret = read_list(&b, (struct list){ .subgraph = subgraph }, &b.sub->inputs) ?:
		      read_list(&b, (struct list){ .subgraph = subgraph, .outputs = true },
				&b.sub->outputs);
out:
	for (uint32_t i = 0; b.flaws && i < b.sub->tensor_count; i++)
		free(b.flaws[i]);
	free(b.flaws);
	litert_numbers_free(&b.numbers);
	if (ret) {
		snprintf(error, TFLITE_ERROR_SIZE, "%s", ret == -ENOMEM ? "out of memory" :
			 "LiteRT does not give its operators and tensors");
		litert_source_free(out);
	}
	return ret;
}

void litert_source_free(struct litert_source *source)
{
	if (source->refusals)
		for (uint32_t i = 0; i < source->model->subgraphs[0].operator_count; i++)
			free(source->refusals[i]);
	free(source->refusals);
	free(source->ops);
	tflite_free(source->model);
	*source = (struct litert_source){ 0 };
}
