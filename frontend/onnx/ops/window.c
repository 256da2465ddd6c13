// SPDX-License-Identifier: MIT
#include "frontend/onnx/ops/window.h"

#include <string.h>

#define MAX_SIZE (1 << 24)

/* A list of sizes, of one or two dimensions, as height and width. */
static void read_sizes(struct onnx_translation *t, const char *name, uint32_t spatial, uint32_t *to)
{
	int64_t list[2];

	onnx_attribute_ints(t, name, list, spatial, 1);
	to[0] = 1;
	for (uint32_t k = 0; k < spatial && !t->ret; k++) {
		if (list[k] < 1 || list[k] > MAX_SIZE)
			onnx_wrong(t, "the attribute %s has %lld", name, (long long)list[k]);
		to[2 - spatial + k] = (uint32_t)list[k];
	}
}

/* Padding of one dimension, by its scheme, and the size of the output. */
static void place(struct onnx_translation *t, struct onnx_window *w, uint32_t k, const char *scheme,
		  bool round_up)
{
	const int64_t size = (int64_t)(w->filter[k] - 1) * w->dilation[k] + 1;
	int64_t total, span, out;

	if (!strncmp(scheme, "SAME", 4)) {
		out = (w->in[k] + w->stride[k] - 1) / w->stride[k];
		total = (out - 1) * w->stride[k] + size - w->in[k];
		total = total > 0 ? total : 0;
		w->before[k] = (int32_t)(strcmp(scheme, "SAME_LOWER") ? total / 2 :
								      total - total / 2);
		w->after[k] = (int32_t)(total - w->before[k]);
	}
	span = (int64_t)w->in[k] + w->before[k] + w->after[k] - size;
	out = span < 0 ? 0 : span / w->stride[k] + 1;
	if (round_up && span >= 0 && span % w->stride[k] &&
	    /* No window begins behind the input and the padding before it. */
	    out * w->stride[k] < (int64_t)w->in[k] + w->before[k]) {
		w->ceil[k] = (int32_t)(w->stride[k] - span % w->stride[k]);
		w->after[k] += w->ceil[k];
		out++;
	}
	w->out[k] = (uint32_t)out;
	if (out < 1 && !t->ret)
		onnx_wrong(t, "the window is larger than the input");
}

void onnx_window_read(struct onnx_translation *t, struct onnx_window *w,
		      const struct onnx_tensor *x, const int64_t *filter)
{
	const char *scheme = onnx_attribute_text(t, "auto_pad", "NOTSET");
	const uint32_t spatial = x->rank - 2, first = 2 - spatial;
	const bool round_up = onnx_attribute_int(t, "ceil_mode", 0);
	const bool transposed = onnx_node_attribute(t->node, "output_padding") ||
				!strcmp(t->node->op, "ConvTranspose");
	int64_t pads[4], sizes[2];

	*w = (struct onnx_window){ .filter = { 1, 1 }, .in = { 1, 1 }, .out = { 1, 1 },
				   .flat = spatial == 1 };
	if (t->ret || spatial < 1 || spatial > 2) {
		onnx_unsupported(t, "an input of %u dimensions; supported: 3 and 4", x->rank);
		return;
	}
	read_sizes(t, "strides", spatial, w->stride);
	read_sizes(t, "dilations", spatial, w->dilation);
	onnx_attribute_ints(t, "kernel_shape", sizes, spatial, 0);
	onnx_attribute_ints(t, "pads", pads, 2 * spatial, 0);
	for (uint32_t k = 0; k < spatial && !t->ret; k++) {
		const int64_t size = filter ? filter[k] : sizes[k];

		if (size < 1 || size > MAX_SIZE || (filter && sizes[k] && sizes[k] != size))
			onnx_wrong(t, "kernel_shape has %lld", (long long)sizes[k]);
		if (pads[k] < 0 || pads[k] > MAX_SIZE || pads[k + spatial] < 0 ||
		    pads[k + spatial] > MAX_SIZE)
			onnx_unsupported(t, "pads of %lld and %lld", (long long)pads[k],
					 (long long)pads[k + spatial]);
		if (!t->ret && (size - 1) * w->dilation[first + k] > MAX_SIZE)
			onnx_unsupported(t, "a dilation of %u", w->dilation[first + k]);
		w->filter[first + k] = (uint32_t)size;
		w->in[first + k] = (uint32_t)x->dims[2 + k];
		if (!strcmp(scheme, "NOTSET")) {
			w->before[first + k] = (int32_t)pads[k];
			w->after[first + k] = (int32_t)pads[k + spatial];
		} else if (strcmp(scheme, "VALID") && strncmp(scheme, "SAME", 4)) {
			onnx_wrong(t, "an unknown auto_pad");
		}
		if (!t->ret && !transposed)
			place(t, w, first + k, scheme, round_up);
	}
}

struct onnx_operand onnx_window_image(struct onnx_translation *t, struct onnx_operand x)
{
	return x.rank == 3 ? onnx_reshape(t, x, 4, (uint32_t[]){ x.dims[0], 1, x.dims[1],
								  x.dims[2] }) : x;
}

struct onnx_operand onnx_window_result(struct onnx_translation *t, struct onnx_operand x)
{
	return onnx_tensor(t, 0)->rank == 3 ?
		       onnx_reshape(t, x, 3, (uint32_t[]){ x.dims[0], x.dims[2], x.dims[3] }) : x;
}
