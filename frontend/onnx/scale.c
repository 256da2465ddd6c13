// SPDX-License-Identifier: MIT
/* Parameters of QuantizeLinear and DequantizeLinear, and constants that the latter gives. */
#include "frontend/onnx/translation.h"

#include <string.h>

const struct onnx_tensor *onnx_constant_of(const struct onnx_translation *t,
					   const struct onnx_node *node, uint32_t input)
{
	const struct onnx_state *s;

	if (input >= node->input_count || node->inputs[input] == ONNX_ABSENT)
		return NULL;
	s = &t->states[node->inputs[input]];
	return s->known && s->tensor.data ? &s->tensor : NULL;
}

static int64_t number_of(const struct onnx_node *node, const char *name, int64_t fallback)
{
	const struct onnx_attribute *a = onnx_node_attribute(node, name);

	return a && a->kind == ONNX_KIND_INT ? a->i : fallback;
}

bool onnx_quantisation_of(struct onnx_translation *t, uint32_t number, struct onnx_quantisation *q)
{
	const struct onnx_node *node = &t->model->nodes[number];
	const struct onnx_tensor *scale = onnx_constant_of(t, node, 1);
	const struct onnx_tensor *zero = onnx_constant_of(t, node, 2);
	const bool has_zero = node->input_count > 2 && node->inputs[2] != ONNX_ABSENT;
	const bool quantizes = !strcmp(node->op, "QuantizeLinear");
	const struct onnx_state *x;
	uint64_t count;
	float *scales;
	int32_t *zeros;

	if (!node->input_count || node->inputs[0] == ONNX_ABSENT)
		return false;
	x = &t->states[node->inputs[0]];
	if (!scale || (has_zero && !zero) || !onnx_elements(scale) ||
	    (zero && onnx_elements(zero) != onnx_elements(scale)) ||
	    (scale->type != ONNX_FLOAT && scale->type != ONNX_FLOAT16))
		return false;
	count = onnx_elements(scale);
	*q = (struct onnx_quantisation){ .count = (uint32_t)count, .real = scale->type };
	q->type = zero ? zero->type : quantizes ?
		  (uint32_t)number_of(node, "output_dtype", ONNX_UINT8) : x->tensor.type;
	if (!q->type)
		q->type = ONNX_UINT8;
	q->block = (uint32_t)number_of(node, "block_size", 0);
	if (count > 1 || q->block) {
		const int64_t axis = number_of(node, "axis", 1);

		if (!x->known && !quantizes)
			return false;
		q->axis = (uint32_t)(axis < 0 ? axis + x->tensor.rank : axis);
		if (x->known && q->axis >= x->tensor.rank)
			return false;
	}
	scales = onnx_make(t, count * sizeof(*scales));
	zeros = onnx_make(t, count * sizeof(*zeros));
	if (!scales || !zeros)
		return false;
	for (uint64_t i = 0; i < count; i++) {
		scales[i] = (float)onnx_real_at(scale, i);
		zeros[i] = zero ? (int32_t)onnx_int_at(zero, i) : 0;
		if (!(scales[i] > 0))
			return false;
	}
	q->scales = scales;
	q->zeros = zeros;
	return true;
}

/* Numbers of 4 bits as those of 8. */
static bool unpack(struct onnx_translation *t, struct onnx_tensor *x)
{
	struct onnx_tensor to = *x;

	if (x->type != ONNX_INT4 && x->type != ONNX_UINT4)
		return true;
	to.type = x->type == ONNX_INT4 ? ONNX_INT8 : ONNX_UINT8;
	if (!onnx_make_tensor(t, &to))
		return false;
	for (uint64_t i = 0; i < to.size; i++)
		((uint8_t *)to.data)[i] = (uint8_t)onnx_int_at(x, i);
	*x = to;
	return true;
}

bool onnx_dequantized(struct onnx_translation *t, uint32_t number, struct onnx_quantisation *q,
		      struct onnx_tensor *numbers)
{
	const struct onnx_tensor *x = onnx_constant_of(t, &t->model->nodes[number], 0);

	if (!x || !onnx_quantisation_of(t, number, q))
		return false;
	*numbers = *x;
	if (!unpack(t, numbers))
		return false;
	q->type = numbers->type;
	return true;
}

bool onnx_dequantize(struct onnx_translation *t, const struct onnx_tensor *x,
		     const struct onnx_quantisation *q, struct onnx_tensor *out)
{
	uint64_t inner = 1, axis = 1, blocks, elements = onnx_elements(x);
	struct onnx_tensor to = *x;

	if (q->count > 1 || q->block) {
		axis = (uint64_t)x->dims[q->axis];
		for (uint32_t k = q->axis + 1; k < x->rank; k++)
			inner *= (uint64_t)x->dims[k];
	}
	blocks = q->block ? (axis + q->block - 1) / q->block : axis;
	if (q->block ? q->count != elements / (axis ? axis : 1) * blocks :
		       q->count > 1 && q->count != axis) {
		onnx_wrong(t, "there are %u scales for %llu elements of the axis", q->count,
			   (unsigned long long)axis);
		return false;
	}
	to.type = q->real;
	if (!onnx_make_tensor(t, &to))
		return false;
	for (uint64_t i = 0; i < elements; i++) {
		const uint64_t k = i / inner % axis, before = i / inner / axis;
		const uint64_t at = !q->block ? (q->count > 1 ? k : 0) :
				    (before * blocks + k / q->block) * inner + i % inner;

		/* As ONNX Runtime computes it: a difference of integers, then a product. */
		onnx_put_real(&to, i, (double)((float)(onnx_int_at(x, i) - q->zeros[at]) *
					       q->scales[at]));
	}
	*out = to;
	return true;
}
