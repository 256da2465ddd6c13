// SPDX-License-Identifier: MIT
/* Operands as the numbers they mean, and the family that evaluates an operation. */
#include "tests/random/eval.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int (*const families[])(struct nnr_eval *e) = {
	nnr_eval_element, nnr_eval_window,	   nnr_eval_matrix,  nnr_eval_norm, nnr_eval_move,
	nnr_eval_reduce,  nnr_eval_recurrent,	   nnr_eval_lstm,    nnr_eval_box,  nnr_eval_nms,
	nnr_eval_hash,	  nnr_eval_quantized_lstm, nnr_eval_control,
};

static int describe(const struct nnr_operand *operand, struct nnr_eval_tensor *t)
{
	uint64_t count = nnr_elements(operand);

	t->type = operand->type;
	t->rank = operand->rank;
	memcpy(t->dims, operand->dims, sizeof(t->dims));
	t->scale = operand->scale;
	t->zero_point = operand->zero_point;
	t->channel_scales = operand->channel_count ? operand->channel_scales : NULL;
	t->given = operand->kind != NNR_NO_VALUE;
	if (!t->given || (t->type == NNA_OPERAND_SUBGRAPH && !operand->data))
		return 0;
	if (count > NNR_MAX_ELEMENTS || count * nna_operand_type_size(t->type) != operand->size)
		return -EINVAL;
	t->count = count;
	t->v = malloc((count ? count : 1) * sizeof(*t->v));
	if (!t->v)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		t->v[i] = nnr_real(operand, i);
	return 0;
}

int nnr_eval_operation(const struct nnr_graph *graph, const struct nnr_operation *operation,
		       struct nnr_eval *e)
{
	int ret = 0;

	memset(e, 0, sizeof(*e));
	e->graph = graph;
	e->operation = operation;
	e->type = operation->type;
	e->input_count = operation->input_count;
	e->output_count = operation->output_count;
	for (uint32_t i = 0; i < e->input_count && !ret; i++)
		ret = describe(graph->operands[operation->in[i]], &e->in[i]);
	for (uint32_t i = 0; i < e->output_count; i++) {
		const struct nnr_operand *out = graph->operands[operation->out[i]];

		e->out[i].type = out->type;
		e->out[i].scale = out->scale;
		e->out[i].zero_point = out->zero_point;
		e->out[i].steps = 1;
	}
	if (ret)
		return ret;
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
		ret = families[i](e);
		if (ret != -ENOTSUP)
			return ret;
	}
	return -ENOTSUP;
}

void nnr_eval_end(struct nnr_eval *e)
{
	for (uint32_t i = 0; i < e->input_count; i++)
		free(e->in[i].v);
	for (uint32_t i = 0; i < e->output_count; i++) {
		free(e->out[i].v);
		free(e->out[i].err);
	}
}

void nnr_eval_store_result(struct nnr_operand *operand, const struct nnr_eval_tensor *t)
{
	size_t size = t->count * nna_operand_type_size(operand->type);
	uint8_t *bytes = calloc(1, size ? size : 1);

	if (!bytes)
		abort();
	for (size_t i = 0; i < t->count; i++) {
		double v = t->v[i];

		if (nnr_is_quantised(operand->type))
			v = v / (double)operand->scale + operand->zero_point;
		nnr_store(operand->type, bytes, i, v);
	}
	operand->rank = t->rank;
	memcpy(operand->dims, t->dims, sizeof(operand->dims));
	free(operand->data);
	operand->data = bytes;
	operand->size = size;
}

int nnr_eval_out(struct nnr_eval *e, uint32_t i, uint32_t rank, const uint32_t *dims)
{
	struct nnr_eval_tensor *t = &e->out[i];
	size_t count = 1;

	if (rank > NNACCEL_MAX_RANK)
		return -EINVAL;
	t->given = true;
	t->rank = rank;
	for (uint32_t k = 0; k < rank; k++) {
		t->dims[k] = dims[k];
		if (dims[k] > NNR_MAX_ELEMENTS)
			return -E2BIG;
		count *= dims[k];
		if (count > NNR_MAX_ELEMENTS)
			return -E2BIG;
	}
	t->count = count;
	t->v = calloc(count ? count : 1, sizeof(*t->v));
	t->err = calloc(count ? count : 1, sizeof(*t->err));
	return t->v && t->err ? 0 : -ENOMEM;
}

void nnr_eval_unravel(size_t flat, uint32_t rank, const uint32_t *dims, uint32_t *index)
{
	for (uint32_t k = rank; k-- > 0;) {
		index[k] = (uint32_t)(flat % dims[k]);
		flat /= dims[k];
	}
}

size_t nnr_eval_ravel(uint32_t rank, const uint32_t *dims, const uint32_t *index)
{
	size_t flat = 0;

	for (uint32_t k = 0; k < rank; k++)
		flat = flat * dims[k] + index[k];
	return flat;
}
