// SPDX-License-Identifier: MIT
/*
 * Resize of images. The nearest pixel is found as ONNX says for each row and column here, and two
 * GATHERs take them; NNAPI's own rules for the nearest pixel are others. Interpolation is
 * RESIZE_BILINEAR where the rule for coordinates is one of its three.
 */
#include "frontend/onnx/translation.h"

#include <math.h>
#include <string.h>

#define MAX_SIZE (1 << 16)

/**
 * struct resize - of one image
 * @in: sizes of the input: height and width
 * @out: of the output
 * @scale: output over input, as the model states it, or as the sizes do
 */
struct resize {
	uint32_t in[2], out[2];
	double scale[2];
	const char *mode, *coordinates, *nearest;
};

/* Sizes and scales of all dimensions; those of batch and channels do not change. */
static void read_sizes(struct onnx_translation *t, struct resize *r)
{
	const struct onnx_tensor *x = onnx_tensor(t, 0);
	const bool by_scale = onnx_has(t, 2) && onnx_elements(onnx_tensor(t, 2)) > 0;
	const struct onnx_tensor *list = onnx_constant(t, by_scale ? 2 : 3);
	int64_t axes[ONNX_MAX_RANK];
	uint32_t count = x->rank;

	if (t->ret)
		return;
	for (uint32_t k = 0; k < ONNX_MAX_RANK; k++)
		axes[k] = k;
	if (onnx_node_attribute(t->node, "axes"))
		count = onnx_list(t, ONNX_ABSENT, "axes", axes, ONNX_MAX_RANK);
	if (t->ret || onnx_elements(list) != count) {
		onnx_wrong(t, "it has not a size for each dimension");
		return;
	}
	for (uint32_t i = 0; i < count && !t->ret; i++) {
		const uint32_t k = onnx_axis(t, axes[i], x->rank);
		const double size = (double)x->dims[k];
		const double scale = by_scale ? onnx_real_at(list, i) :
						(double)onnx_int_at(list, i) / size;
		const double out = by_scale ? floor(size * scale) : (double)onnx_int_at(list, i);

		if (!(out >= 1 && out <= MAX_SIZE))
			onnx_unsupported(t, "a size of %g", out);
		else if (k < 2 && out != size)
			onnx_unsupported(t, "another size of dimension %u", k);
		else if (k >= 2) {
			r->out[k + 2 - x->rank] = (uint32_t)out;
			r->scale[k + 2 - x->rank] = scale;
		}
	}
}

/* Where an output pixel lies among those of the input. */
static double position(const struct resize *r, uint32_t k, uint32_t i)
{
	const char *c = r->coordinates;

	if (!strcmp(c, "asymmetric"))
		return i / r->scale[k];
	if (!strcmp(c, "align_corners"))
		return r->out[k] > 1 ? (double)i * (r->in[k] - 1) / (r->out[k] - 1) : 0;
	if (!strcmp(c, "pytorch_half_pixel") && r->out[k] <= 1)
		return 0;
	return (i + 0.5) / r->scale[k] - 0.5;
}

static double nearest_of(const struct resize *r, double x)
{
	if (!strcmp(r->nearest, "floor"))
		return floor(x);
	if (!strcmp(r->nearest, "ceil"))
		return ceil(x);
	if (!strcmp(r->nearest, "round_prefer_ceil"))
		return floor(x + 0.5);
	return ceil(x - 0.5);
}

/* @x with the pixels of @axis that are nearest to those of dimension @k of the output. */
static struct onnx_operand choose(struct onnx_translation *t, const struct resize *r, uint32_t k,
				  struct onnx_operand x, uint32_t axis)
{
	int32_t *at = onnx_make(t, (uint64_t)r->out[k] * sizeof(*at));
	bool same = r->in[k] == r->out[k];

	for (uint32_t i = 0; at && i < r->out[k]; i++) {
		const double near = nearest_of(r, position(r, k, i));

		at[i] = near < 0 ? 0 : near > r->in[k] - 1 ? (int32_t)r->in[k] - 1 : (int32_t)near;
		same &= at[i] == (int32_t)i;
	}
	if (!at || same)
		return x;
	return onnx_gather(t, x, axis, onnx_ints(t, r->out[k], at));
}

static void interpolate(struct onnx_translation *t, const struct resize *r)
{
	const bool corners = !strcmp(r->coordinates, "align_corners");
	const bool half = strstr(r->coordinates, "half_pixel");
	struct onnx_operand x, out;

	for (uint32_t k = 0; k < 2; k++) {
		const double scale = (double)r->out[k] / r->in[k];

		/* NNAPI's scale is the one of the sizes. */
		if (fabs(scale - r->scale[k]) > 1e-6 * scale)
			onnx_unsupported(t, "a scale of %g for sizes of %u and %u", r->scale[k],
					 r->in[k], r->out[k]);
		if (!strcmp(r->coordinates, "pytorch_half_pixel") && r->out[k] == 1 &&
		    r->in[k] > 1)
			onnx_unsupported(t, "pytorch_half_pixel for one pixel");
	}
	onnx_need_float(t, 0);
	x = onnx_last(t, 0);
	if (t->ret)
		return;
	if (x.rank == 3)
		x = onnx_reshape(t, x, 4, (uint32_t[]){ x.dims[0], 1, x.dims[1], x.dims[2] });
	out = onnx_like(&x, x.type);
	out.dims[1] = r->out[0];
	out.dims[2] = r->out[1];
	onnx_push(t, x.number);
	onnx_push_i32(t, (int32_t)r->out[1]);
	onnx_push_i32(t, (int32_t)r->out[0]);
	onnx_push_bool(t, false);
	onnx_push_bool(t, corners);
	onnx_push_bool(t, half);
	x = onnx_emit(t, NNA_OPERATION_RESIZE_BILINEAR, out);
	if (onnx_tensor(t, 0)->rank == 3)
		x = onnx_reshape(t, x, 3, (uint32_t[]){ x.dims[0], x.dims[2], x.dims[3] });
	onnx_set(t, 0, x, ONNX_LAST);
}

void onnx_translate_resize(struct onnx_translation *t)
{
	struct resize r = { .in = { 1, 1 }, .out = { 1, 1 }, .scale = { 1, 1 } };
	const struct onnx_tensor *x = onnx_tensor(t, 0);
	enum onnx_order order;
	struct onnx_operand y;

	onnx_need_rank(t, 0, 3, 4);
	r.mode = onnx_attribute_text(t, "mode", "nearest");
	r.coordinates = onnx_attribute_text(t, "coordinate_transformation_mode", "half_pixel");
	r.nearest = onnx_attribute_text(t, "nearest_mode", "round_prefer_floor");
	if (strcmp(r.coordinates, "half_pixel") && strcmp(r.coordinates, "asymmetric") &&
	    strcmp(r.coordinates, "align_corners") && strcmp(r.coordinates, "pytorch_half_pixel"))
		onnx_unsupported(t, "coordinate_transformation_mode \"%.32s\"", r.coordinates);
	if (onnx_attribute_int(t, "antialias", 0))
		onnx_unsupported(t, "antialias");
	if (strcmp(onnx_attribute_text(t, "keep_aspect_ratio_policy", "stretch"), "stretch"))
		onnx_unsupported(t, "keep_aspect_ratio_policy");
	if (onnx_attribute_int(t, "exclude_outside", 0))
		onnx_unsupported(t, "exclude_outside");
	if (t->ret)
		return;
	for (uint32_t k = 2; k < x->rank; k++)
		r.in[k + 2 - x->rank] = r.out[k + 2 - x->rank] = (uint32_t)x->dims[k];
	read_sizes(t, &r);
	if (t->ret)
		return;
	if (!strcmp(r.mode, "linear")) {
		interpolate(t, &r);
		return;
	}
	if (strcmp(r.mode, "nearest")) {
		onnx_unsupported(t, "mode \"%.16s\"; supported: nearest and linear", r.mode);
		return;
	}
	order = onnx_movable_order(t, 0);
	y = onnx_movable(t, 0, order);
	for (uint32_t k = 2; k < x->rank; k++)
		y = choose(t, &r, k + 2 - x->rank, y, onnx_place(order, x->rank, k));
	onnx_set_moved(t, 0, y, order, 0);
}
