// SPDX-License-Identifier: MIT
#include "tools/nnactl/model.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tflite/label.h"

uint32_t nnactl_model_count(const struct nnactl_session *s, bool input)
{
	if (s->onnx)
		return input ? s->onnx->input_count : s->onnx->output_count;
	return (input ? &tflite_main(s->model)->inputs : &tflite_main(s->model)->outputs)->count;
}

/* Open dimensions of an output are those that the program has found. */
static void onnx_tensor_of(const struct nnactl_session *s, bool input, uint32_t index,
			   struct nnactl_tensor *to)
{
	const struct onnx_model *m = s->onnx;
	const struct onnx_value *value = &m->values[(input ? m->inputs : m->outputs)[index]];
	const struct onnx_shape *shape = input ? &s->shapes[index] : NULL;
	struct nna_io_info info = { .rank = 0 };

	to->name = value->name;
	to->type = onnx_type_name(value->tensor.type);
	to->open = !value->shaped;
	to->rank = value->tensor.rank;
	for (uint32_t k = 0; k < to->rank; k++) {
		to->open |= value->tensor.dims[k] == ONNX_OPEN;
		to->dims[k] = value->tensor.dims[k] == ONNX_OPEN ? 1 :
			      (uint32_t)value->tensor.dims[k];
	}
	if (shape && shape->stated) {
		to->rank = shape->rank;
		memcpy(to->dims, shape->dims, sizeof(to->dims));
	}
	if (to->open && !input && s->program && !nna_program_get_output(s->program, index, &info) &&
	    info.rank <= TFLITE_MAX_RANK) {
		to->rank = info.rank;
		memcpy(to->dims, info.dims, sizeof(to->dims));
	}
}

void nnactl_model_tensor(const struct nnactl_session *s, bool input, uint32_t index,
			 struct nnactl_tensor *to)
{
	const struct tflite_subgraph *sub;
	const struct tflite_tensor *x;

	*to = (struct nnactl_tensor){ .name = "?", .type = "?" };
	if (index >= nnactl_model_count(s, input))
		return;
	if (s->onnx) {
		onnx_tensor_of(s, input, index, to);
		return;
	}
	sub = tflite_main(s->model);
	x = &sub->tensors[(input ? &sub->inputs : &sub->outputs)->at[index]];
	*to = (struct nnactl_tensor){ .name = x->name, .type = tflite_type_name(x->type),
				      .rank = x->rank, .open = x->dynamic };
	memcpy(to->dims, x->dims, sizeof(to->dims));
}

int nnactl_model_reshape(struct nnactl_session *s, uint32_t index, uint32_t rank,
			 const uint32_t *dims, char *error)
{
	struct nnactl_tensor x;
	bool fits;

	if (!s->onnx)
		return tflite_set_input_shape(s->model, index, rank, dims, error);
	if (index >= s->onnx->input_count) {
		snprintf(error, ONNX_ERROR_SIZE, "it has %u inputs", s->onnx->input_count);
		return -EINVAL;
	}
	nnactl_model_tensor(s, true, index, &x);
	fits = rank == x.rank || !s->onnx->values[s->onnx->inputs[index]].shaped;
	for (uint32_t k = 0; k < rank && fits; k++) {
		const struct onnx_value *value = &s->onnx->values[s->onnx->inputs[index]];

		fits = !value->shaped || value->tensor.dims[k] == ONNX_OPEN ||
		       value->tensor.dims[k] == (int64_t)dims[k];
	}
	if (!fits) {
		snprintf(error, ONNX_ERROR_SIZE,
			 "input %u has another shape, which the model does not leave open", index);
		return -EINVAL;
	}
	s->shapes[index].stated = true;
	s->shapes[index].rank = rank;
	memcpy(s->shapes[index].dims, dims, rank * sizeof(*dims));
	return 0;
}

uint32_t nnactl_model_operators(const struct nnactl_session *s)
{
	return s->onnx ? s->onnx->node_count : tflite_main(s->model)->operator_count;
}

const char *nnactl_model_operator(const struct nnactl_session *s, uint32_t number)
{
	const struct tflite_operator *op;

	if (s->onnx)
		return s->onnx->nodes[number].op;
	op = &tflite_main(s->model)->operators[number];
	return *op->custom ? op->custom : tflite_code_name(op->code);
}

const char *nnactl_model_result(const struct nnactl_session *s, uint32_t number)
{
	const struct tflite_subgraph *sub;
	const struct tflite_operator *op;

	if (s->onnx) {
		const struct onnx_node *node = &s->onnx->nodes[number];

		return node->output_count && node->outputs[0] != ONNX_ABSENT ?
			       s->onnx->values[node->outputs[0]].name : NULL;
	}
	sub = tflite_main(s->model);
	op = &sub->operators[number];
	return op->outputs.count && op->outputs.at[0] >= 0 ?
		       sub->tensors[op->outputs.at[0]].name : NULL;
}

const char *nnactl_model_label(const struct nnactl_session *s, uint32_t number,
			       char to[TFLITE_LABEL_SIZE])
{
	char label[ONNX_LABEL_SIZE];

	if (!s->onnx)
		return tflite_operator_label(&tflite_main(s->model)->operators[number], to);
	snprintf(to, TFLITE_LABEL_SIZE, "%s", onnx_node_label(s->onnx, number, label));
	return to;
}

int nnactl_model_graph(struct nnactl_session *s, const struct nna_log *log, char *error)
{
	struct onnx_origin origin;
	int ret;

	if (!s->onnx)
		return tflite_to_rounded_graph(s->model, s->rounding, log, &s->graph, &s->origin,
					       error);
	ret = onnx_to_graph(s->onnx, s->shapes, log, &s->graph, &origin, error);
	if (ret)
		return ret;
	s->origin = (struct tflite_origin){ origin.count, origin.nodes };
	origin.nodes = NULL;
	onnx_origin_free(&origin);
	return 0;
}
