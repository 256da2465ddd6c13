/* SPDX-License-Identifier: MIT */
/*
 * A model of two operators, to be read, damaged and translated, and a sink that records what a
 * translation tells it.
 */
#ifndef TFLITE_CONV_MODEL_H
#define TFLITE_CONV_MODEL_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/frontend/tflite/writer.h"
#include "frontend/tflite/translate.h"

/*
 * input	UINT8 [1, 4, 4, 2]
 * CONV_2D	3 filters of 3x3, SAME, stride 2, RELU6; [1, 2, 2, 3]
 * RESHAPE	[1, 12]
 *
 * Signature "serve" names the input "x" and the output "y".
 *
 * When @code is not 0, the first operator has this code instead of CONV_2D's.
 */
static inline void write_model(struct writer *w, int32_t code)
{
	static const uint8_t weights[3 * 3 * 3 * 2] = { 1, 2, 3 };
	static const int32_t bias[3] = { 10, 20, 30 }, shape[2] = { 1, 12 };
	const struct tensor_spec tensors[] = {
		{ TFLITE_UINT8, 4, { 1, 4, 4, 2 }, NULL, 0, 0.5f, 128, .variable = false },
		{ TFLITE_UINT8, 4, { 3, 3, 3, 2 }, weights, sizeof(weights), 0.25f, 3,
		  .variable = false },
		{ TFLITE_INT32, 1, { 3 }, bias, sizeof(bias), 0.125f, 0, .variable = false },
		{ TFLITE_UINT8, 4, { 1, 2, 2, 3 }, NULL, 0, 1.0f, 0, .variable = false },
		{ TFLITE_INT32, 1, { 2 }, shape, sizeof(shape), 0, 0, .variable = false },
		{ TFLITE_UINT8, 2, { 1, 12 }, NULL, 0, 1.0f, 0, .variable = false },
	};
	const uint32_t tensor_count = sizeof(tensors) / sizeof(tensors[0]);
	static const int32_t in0[] = { 0, 1, 2 }, out0[] = { 3 }, in1[] = { 3, 4 }, out1[] = { 5 };
	size_t root, list, at, sub, op, options;
	uint32_t i;

	root = model_begin(w);
	list = vector(w, root, 1, 2, 4, NULL);
	for (i = 0; i < 2; i++) {
		at = table(w, 4);
		refer(w, list + 4 * i, at);
		scalar(w, at, 3, i ? TFLITE_RESHAPE : code ? code : TFLITE_CONV_2D, 4);
		scalar(w, at, 2, 1, 4);
	}
	list = vector(w, root, 2, 1, 4, NULL);
	sub = table(w, 5);
	refer(w, list, sub);
	write_tensors(w, sub, tensors, tensor_count);
	vector(w, sub, 1, 1, 4, in0);
	vector(w, sub, 2, 1, 4, out1);
	list = vector(w, sub, 3, 2, 4, NULL);
	op = table(w, 9);
	refer(w, list, op);
	scalar(w, op, 0, 0, 4);
	vector(w, op, 1, 3, 4, in0);
	vector(w, op, 2, 1, 4, out0);
	scalar(w, op, 3, 1, 1);
	options = table(w, 6);
	refer(w, field(w, op, 4), options);
	scalar(w, options, 0, TFLITE_SAME, 1);
	scalar(w, options, 1, 2, 4);
	scalar(w, options, 2, 2, 4);
	scalar(w, options, 3, TFLITE_ACT_RELU6, 1);
	op = table(w, 9);
	refer(w, list + 4, op);
	scalar(w, op, 0, 1, 4);
	vector(w, op, 1, 2, 4, in1);
	vector(w, op, 2, 1, 4, out1);
	write_signatures(w, root, &(struct signature_spec){ "serve", 0, 0, 5 }, 1);
	write_buffers(w, root, tensors, tensor_count);
}

static inline struct writer *conv_model(int32_t code)
{
	struct writer *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	write_model(w, code);
	return w;
}

#define MAX_THINGS 4096

struct record {
	int operands, operations, constants;
	uint32_t types[MAX_THINGS];
	uint32_t operand_types[MAX_THINGS];
	float scales[MAX_THINGS];
	int64_t values[MAX_THINGS];
	uint32_t inputs[MAX_THINGS][16];
	uint32_t input_counts[MAX_THINGS];
	uint64_t bytes;
};

static inline int sink_subgraph(void *opaque)
{
	return 1;
}

static inline int sink_operand(void *opaque, uint32_t subgraph, const struct nna_operand_desc *desc)
{
	struct record *r = opaque;
	uint32_t i;

	for (i = 0; i < desc->rank; i++)
		r->bytes += desc->dims[i] != 0;
	for (i = 0; i < desc->channel_count; i++)
		r->bytes += desc->channel_scales[i] > 0;
	if (r->operands < MAX_THINGS) {
		r->operand_types[r->operands] = desc->type;
		r->scales[r->operands] = desc->scale;
	}
	return r->operands++;
}

static inline int sink_constant(void *opaque, uint32_t subgraph, uint32_t operand, const void *data,
			 size_t size)
{
	struct record *r = opaque;
	const uint8_t *bytes = data;
	int64_t value = 0;
	size_t i;

	/* Read all of it, so that a range outside the file is found out. */
	for (i = 0; i < size; i++)
		r->bytes += bytes[i];
	if (size <= 4)
		memcpy(&value, data, size);
	if (operand < MAX_THINGS)
		r->values[operand] = value;
	r->constants++;
	return 0;
}

static inline int sink_mark(void *opaque, uint32_t subgraph, uint32_t operand)
{
	return 0;
}

static inline int sink_ref(void *opaque, uint32_t subgraph, uint32_t operand, uint32_t which)
{
	return 0;
}

static inline int sink_operation(void *opaque, uint32_t subgraph, uint32_t type,
				 uint32_t input_count, const uint32_t *inputs,
				 uint32_t output_count, const uint32_t *outputs)
{
	struct record *r = opaque;
	uint32_t i;

	for (i = 0; i < output_count; i++)
		if (outputs[i] >= (uint32_t)r->operands)
			return -EINVAL;
	if (r->operations < MAX_THINGS) {
		r->types[r->operations] = type;
		r->input_counts[r->operations] = input_count;
		for (i = 0; i < input_count && i < 16; i++)
			r->inputs[r->operations][i] = inputs[i];
	}
	r->operations++;
	return 0;
}

static inline int sink_io(void *opaque, uint32_t subgraph, uint32_t input_count,
			  const uint32_t *inputs, uint32_t output_count, const uint32_t *outputs)
{
	return 0;
}

static const struct tflite_sink SINK = {
	.add_subgraph = sink_subgraph, .add_operand = sink_operand, .set_constant = sink_constant,
	.set_no_value = sink_mark, .set_variable = sink_mark, .set_subgraph = sink_ref,
	.add_operation = sink_operation, .set_io = sink_io,
};

static inline struct record *record_of(const void *data, size_t size, int *ret)
{
	struct record *r = calloc(1, sizeof(*r));
	char error[TFLITE_ERROR_SIZE];
	struct tflite_origin origin;
	struct tflite_model *model;

	assert_non_null(r);
	*ret = tflite_parse(data, size, &model, error);
	if (*ret) {
		assert_true(*ret == -EINVAL);
		assert_true(error[0]);
		return r;
	}
	*ret = tflite_translate(model, &SINK, r, &origin, error);
	if (*ret)
		assert_true(error[0]);
	else
		tflite_origin_free(&origin);
	tflite_free(model);
	return r;
}

#endif
