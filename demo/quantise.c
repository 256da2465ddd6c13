// SPDX-License-Identifier: MIT
#include "demo/quantise.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The limits of activations. Weights are symmetric: their lower limit is -HIGH. */
#define LOW (-128)
#define HIGH 127
/* The bias leaves the sum of products room in 32 bits. */
#define MOST_BIAS (1 << 29)

#define NONE UINT32_MAX

/**
 * struct quantiser - a network on its way to 8 bits
 * @ranges: of its operands
 * @class: for each operand its parent in a tree of operands of one scale; a root is its own
 * @error: for a line
 */
struct quantiser {
	struct network *network;
	struct range *ranges;
	uint32_t *class;
	char *error;
};

__attribute__((format(printf, 3, 4)))
static int refuse(const struct quantiser *q, uint32_t operation, const char *format, ...)
{
	char why[TFLITE_ERROR_SIZE / 2];
	va_list ap;

	va_start(ap, format);
	vsnprintf(why, sizeof(why), format, ap);
	va_end(ap);
	snprintf(q->error, TFLITE_ERROR_SIZE, "operation %u (%s) has no form of 8 bits: %s",
		 operation, network_name(q->network, operation), why);
	return -ENOTSUP;
}

static bool is_convolution(uint32_t type)
{
	return type == NNA_OPERATION_CONV_2D || type == NNA_OPERATION_DEPTHWISE_CONV_2D;
}

/* ---------------------------------------------------------------------------------- activations */

/* Which input of an operation is its activation; NONE if it has none. */
static uint32_t find_activation(const struct network *n, const struct network_operation *o)
{
	const uint32_t count = o->input_count;

	if (o->type == NNA_OPERATION_ADD)
		return count == 3 ? 2 : NONE;
	/* The translation writes all that may follow: layout, dilations. */
	if (is_convolution(o->type) && count > 4 &&
	    n->operands[o->inputs[count - 3]].desc.type == NNA_OPERAND_BOOL)
		return count - 4;
	return NONE;
}

static bool is_none(const struct network_operand *o)
{
	int32_t value;

	if (o->desc.type != NNA_OPERAND_INT32 || !o->data || o->size != sizeof(value))
		return false;
	memcpy(&value, o->data, sizeof(value));
	return value == NNA_ACT_NONE;
}

/* How often a tensor is read, by operations and by the caller. */
static uint32_t count_readers(const struct network *n, uint32_t operand)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < n->operation_count; i++)
		for (uint32_t k = 0; k < n->operations[i].input_count; k++)
			count += n->operations[i].inputs[k] == operand;
	for (uint32_t i = 0; i < n->output_count; i++)
		count += n->outputs[i] == operand;
	return count;
}

/* The operation before @end that writes a tensor, or NONE. */
static uint32_t find_writer(const struct network *n, uint32_t end, uint32_t operand)
{
	for (uint32_t i = 0; i < end; i++)
		for (uint32_t k = 0; k < n->operations[i].output_count; k++)
			if (n->operations[i].outputs[k] == operand)
				return i;
	return NONE;
}

static void remove_operation(struct network *n, uint32_t i)
{
	free(n->operations[i].inputs);
	free(n->operations[i].outputs);
	n->operation_count--;
	memmove(&n->operations[i], &n->operations[i + 1],
		(n->operation_count - i) * sizeof(*n->operations));
}

static void remove_operand(struct quantiser *q, uint32_t operand)
{
	struct network *n = q->network;

	free(n->operands[operand].scales);
	free(n->operands[operand].owned);
	n->operand_count--;
	memmove(&n->operands[operand], &n->operands[operand + 1],
		(n->operand_count - operand) * sizeof(*n->operands));
	memmove(&q->ranges[operand], &q->ranges[operand + 1],
		(n->operand_count - operand) * sizeof(*q->ranges));
	for (uint32_t i = 0; i < n->operation_count; i++) {
		struct network_operation *o = &n->operations[i];

		for (uint32_t k = 0; k < o->input_count; k++)
			o->inputs[k] -= o->inputs[k] > operand;
		for (uint32_t k = 0; k < o->output_count; k++)
			o->outputs[k] -= o->outputs[k] > operand;
	}
	for (uint32_t i = 0; i < n->input_count; i++)
		n->inputs[i] -= n->inputs[i] > operand;
	for (uint32_t i = 0; i < n->output_count; i++)
		n->outputs[i] -= n->outputs[i] > operand;
}

/* Makes RELU @i the activation of the operation before it, where that has none. */
static bool fold_relu(struct quantiser *q, uint32_t i)
{
	static const int32_t relu = NNA_ACT_RELU;
	struct network *n = q->network;
	const uint32_t between = n->operations[i].inputs[0];
	const uint32_t writer = find_writer(n, i, between);
	struct network_operand *activation;
	uint32_t at;

	if (writer == NONE || count_readers(n, between) != 1)
		return false;
	at = find_activation(n, &n->operations[writer]);
	if (at == NONE)
		return false;
	activation = &n->operands[n->operations[writer].inputs[at]];
	if (!is_none(activation) || count_readers(n, n->operations[writer].inputs[at]) != 1)
		return false;
	activation->data = &relu;
	n->operations[writer].outputs[0] = n->operations[i].outputs[0];
	remove_operation(n, i);
	remove_operand(q, between);
	return true;
}

static void fold_activations(struct quantiser *q)
{
	for (uint32_t i = 0; i < q->network->operation_count;)
		if (q->network->operations[i].type != NNA_OPERATION_RELU || !fold_relu(q, i))
			i++;
}

/* -------------------------------------------------------------------------------------- classes */

static uint32_t class_of(const struct quantiser *q, uint32_t operand)
{
	while (q->class[operand] != operand)
		operand = q->class[operand];
	return operand;
}

static void unite(struct quantiser *q, uint32_t a, uint32_t b)
{
	struct range *into = &q->ranges[class_of(q, a)];
	const struct range *other = &q->ranges[class_of(q, b)];

	into->low = fminf(into->low, other->low);
	into->high = fmaxf(into->high, other->high);
	q->class[class_of(q, b)] = class_of(q, a);
}

/* How many inputs of operation @i are computed tensors: the first ones. */
static int count_tensors(const struct quantiser *q, uint32_t i, uint32_t *count)
{
	const struct network_operation *o = &q->network->operations[i];

	switch (o->type) {
	case NNA_OPERATION_CONV_2D:
	case NNA_OPERATION_DEPTHWISE_CONV_2D:
	case NNA_OPERATION_MAX_POOL_2D:
	case NNA_OPERATION_PAD:
	case NNA_OPERATION_RELU:
	case NNA_OPERATION_RESHAPE:
		*count = 1;
		break;
	case NNA_OPERATION_ADD:
		*count = 2;
		break;
	case NNA_OPERATION_CONCATENATION:
		*count = o->input_count - 1;
		break;
	default:
		return refuse(q, i, "this program knows none");
	}
	return o->input_count < *count || o->output_count != 1 ?
		       refuse(q, i, "it has %u inputs and %u outputs", o->input_count,
			      o->output_count) : 0;
}

static int check_operands(const struct quantiser *q, uint32_t i)
{
	const struct network_operation *o = &q->network->operations[i];
	uint32_t tensors = 0;
	int ret = count_tensors(q, i, &tensors);

	for (uint32_t k = 0; !ret && k < o->input_count; k++) {
		const struct network_operand *x = &q->network->operands[o->inputs[k]];
		const bool is_float = x->desc.type == NNA_OPERAND_TENSOR_FLOAT32;

		if (k < tensors && (!is_float || x->data || x->no_value))
			ret = refuse(q, i, "its input %u is not computed from the network's", k);
		else if (k >= tensors && !(is_convolution(o->type) && k < 3) &&
			 (is_float || x->desc.type == NNA_OPERAND_FLOAT32))
			ret = refuse(q, i, "its input %u is a constant of floats", k);
	}
	if (!ret && q->network->operands[o->outputs[0]].desc.type != NNA_OPERAND_TENSOR_FLOAT32)
		ret = refuse(q, i, "its output has no floats");
	return ret;
}

static int find_classes(struct quantiser *q)
{
	struct network *n = q->network;

	for (uint32_t i = 0; i < n->operand_count; i++)
		q->class[i] = i;
	for (uint32_t i = 0; i < n->operation_count; i++) {
		const struct network_operation *o = &n->operations[i];
		int ret = check_operands(q, i);

		if (ret)
			return ret;
		if (o->type == NNA_OPERATION_ADD)
			unite(q, o->inputs[0], o->inputs[1]);
		else if (o->type != NNA_OPERATION_CONCATENATION && !is_convolution(o->type))
			unite(q, o->inputs[0], o->outputs[0]);
	}
	return 0;
}

/* ------------------------------------------------------------------------------------- numbers */

/* A computed tensor, or the network's input. @operation names it in the error. */
static int set_tensor(struct quantiser *q, uint32_t operation, uint32_t operand)
{
	const struct range *measured = &q->ranges[class_of(q, operand)];
	struct nna_operand_desc *desc = &q->network->operands[operand].desc;
	const float low = fminf(measured->low, 0), high = fmaxf(measured->high, 0);
	float zero;

	if (!(measured->low <= measured->high) || !isfinite(high - low))
		return refuse(q, operation, "no run has measured its numbers, or they are infinite");
	desc->type = NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED;
	desc->scale = high > low ? (high - low) / (HIGH - LOW) : 1;
	if (!(desc->scale > 0))
		return refuse(q, operation, "its numbers are too small for a scale");
	zero = roundf(LOW - low / desc->scale);
	desc->zero_point = (int32_t)fmaxf(LOW, fminf(HIGH, zero));
	return 0;
}

/*
 * The scale of a channel: that of the greatest weight, or a larger one where the bias needs it. A
 * channel of zeros has any.
 */
static float scale_of(float weight, float bias, float input_scale)
{
	const float scale = fmaxf(weight / HIGH, bias / input_scale / MOST_BIAS);

	return scale > 0 && isfinite(scale) ? scale : 1;
}

static int set_weights(struct quantiser *q, uint32_t operation)
{
	const struct network_operation *o = &q->network->operations[operation];
	const bool depthwise = o->type == NNA_OPERATION_DEPTHWISE_CONV_2D;
	const float input_scale = q->network->operands[o->inputs[0]].desc.scale;
	struct network_operand *w = &q->network->operands[o->inputs[1]];
	struct network_operand *b = &q->network->operands[o->inputs[2]];
	const uint32_t dim = depthwise ? 3 : 0;
	uint32_t channels;
	size_t elements, each;
	int32_t *biases;
	int8_t *weights;

	if (w->desc.type != NNA_OPERAND_TENSOR_FLOAT32 || w->desc.rank != 4 || !w->data ||
	    b->desc.type != NNA_OPERAND_TENSOR_FLOAT32 || !b->data)
		return refuse(q, operation, "its weights and its bias are not constants of its own");
	channels = w->dims[dim];
	elements = network_elements(w);
	if (!channels || !elements || w->size != elements * sizeof(float) ||
	    b->size != channels * sizeof(float))
		return refuse(q, operation, "its weights and its bias do not go together");
	each = elements / channels;
	w->owned = weights = calloc(elements, 1);
	b->owned = biases = calloc(channels, sizeof(*biases));
	w->scales = calloc(channels, sizeof(*w->scales));
	if (!weights || !biases || !w->scales)
		return -ENOMEM;
	for (uint32_t c = 0; c < channels; c++) {
		const size_t first = depthwise ? c : c * each, step = depthwise ? channels : 1;
		float greatest = 0, bias, value;

		memcpy(&bias, (const float *)b->data + c, sizeof(bias));
		for (size_t i = 0; i < each; i++) {
			memcpy(&value, (const float *)w->data + first + i * step, sizeof(value));
			greatest = fmaxf(greatest, fabsf(value));
		}
		if (!isfinite(greatest) || !isfinite(bias))
			return refuse(q, operation, "weights of channel %u are infinite", c);
		w->scales[c] = scale_of(greatest, fabsf(bias), input_scale);
		for (size_t i = 0; i < each; i++) {
			memcpy(&value, (const float *)w->data + first + i * step, sizeof(value));
			weights[first + i * step] = (int8_t)lroundf(value / w->scales[c]);
		}
		biases[c] = (int32_t)lroundf(bias / input_scale / w->scales[c]);
	}
	w->desc.type = NNA_OPERAND_TENSOR_QUANT8_SYMM_PER_CHANNEL;
	w->desc.channel_dim = dim;
	w->desc.channel_count = channels;
	w->data = weights;
	w->size = elements;
	b->desc.type = NNA_OPERAND_TENSOR_INT32;
	b->data = biases;
	return 0;
}

static int set_numbers(struct quantiser *q)
{
	struct network *n = q->network;
	int ret = 0;

	for (uint32_t i = 0; !ret && i < n->operation_count; i++) {
		const struct network_operation *o = &n->operations[i];

		/* What an operation before it has computed is done. */
		for (uint32_t k = 0; !ret && k < o->input_count; k++)
			if (n->operands[o->inputs[k]].desc.type == NNA_OPERAND_TENSOR_FLOAT32 &&
			    !n->operands[o->inputs[k]].data)
				ret = set_tensor(q, i, o->inputs[k]);
		if (!ret)
			ret = set_tensor(q, i, o->outputs[0]);
		if (!ret && is_convolution(o->type))
			ret = set_weights(q, i);
	}
	return ret;
}

int quantise_network(struct network *network, const struct range *ranges, char *error)
{
	struct quantiser q = {
		.network = network,
		.ranges = calloc(network->operand_count + 1, sizeof(*q.ranges)),
		.class = calloc(network->operand_count + 1, sizeof(*q.class)),
		.error = error,
	};
	int ret = -ENOMEM;

	snprintf(error, TFLITE_ERROR_SIZE, "no memory for the network of 8 bits");
	if (q.ranges && q.class) {
		memcpy(q.ranges, ranges, network->operand_count * sizeof(*ranges));
		fold_activations(&q);
		ret = find_classes(&q) ?: set_numbers(&q);
	}
	free(q.ranges);
	free(q.class);
	return ret;
}

void quantise_floats(const struct nna_operand_desc *desc, const float *from, size_t count,
		     int8_t *to)
{
	for (size_t i = 0; i < count; i++) {
		const float number = roundf(from[i] / desc->scale) + (float)desc->zero_point;

		to[i] = (int8_t)fmaxf(LOW, fminf(HIGH, number));
	}
}

void quantise_to_floats(const struct nna_operand_desc *desc, const int8_t *from, size_t count,
			float *to)
{
	for (size_t i = 0; i < count; i++)
		to[i] = desc->scale * (float)(from[i] - desc->zero_point);
}
