// SPDX-License-Identifier: MIT
/*
 * Makers of operations on boxes, and of those that hash and draw. Scores differ and thresholds lie
 * between them: what is decided by a rounding cannot be tested.
 */
#include <math.h>
#include <string.h>

#include "tests/random/maker.h"

/* Scores are multiples of this, thresholds are not. */
#define SCORE_STEP 0x1p-8
/* Distinct scores, four steps from each other. */
#define MOST_SCORES 60

/* Coordinates of boxes; where scores have 8 bits they have 16 bits, in steps of 1/8. */
static int new_coordinates(struct nnr_maker *m, uint32_t beside, uint32_t rows, uint32_t columns)
{
	uint32_t dims[2] = { rows, columns };

	if (nnr_is_quantised(beside))
		return nnr_new_scaled(m, NNA_OPERAND_TENSOR_QUANT16_ASYMM, 2, dims, 0.125f, 0);
	return nnr_new_tensor(m, beside, 2, dims);
}

/* Multiples of 1/8. */
static double eighths(struct nnr_maker *m, double low, double high)
{
	return nnr_range(&m->r, (int32_t)ceil(8 * low), (int32_t)floor(8 * high)) / 8.0;
}

/* A box within @width and @height, at least 1 in each direction, as elements @i to @i + 3. */
static void put_box(struct nnr_maker *m, int number, size_t i, double width, double height)
{
	double most[2] = { width, height };

	for (size_t k = 0; k < 2; k++) {
		double low = eighths(m, 0, most[k] - 1);

		nnr_put(m, number, i + k, low);
		nnr_put(m, number, i + k + 2, eighths(m, low + 1, most[k]));
	}
}

static int new_boxes(struct nnr_maker *m, uint32_t beside, uint32_t rows, uint32_t classes,
		     double width, double height)
{
	int number = new_coordinates(m, beside, rows, 4 * classes);

	for (size_t i = 0; number >= 0 && i < (size_t)rows * classes; i++)
		put_box(m, number, 4 * i, width, height);
	return number;
}

/* Distinct scores, shuffled for each @run of them. */
static int new_scores(struct nnr_maker *m, uint32_t type, uint32_t rank, const uint32_t *dims,
		      size_t run)
{
	bool is_signed = type == NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED;
	int number =
		nnr_new_scaled(m, type, rank, dims, nnr_is_quantised(type) ? (float)SCORE_STEP : 0,
			       is_signed ? -128 : 0);
	uint8_t order[MOST_SCORES];

	if (number < 0 || run > MOST_SCORES)
		return -1;
	for (size_t i = 0; i < nnr_elements(nnr_at(m, number)); i++) {
		for (uint32_t k = 0; !(i % run) && k < MOST_SCORES; k++) {
			uint32_t other = nnr_below(&m->r, k + 1);

			order[k] = order[other];
			order[other] = (uint8_t)k;
		}
		nnr_put(m, number, i, (4 * order[i % run] + 4) * SCORE_STEP);
	}
	return number;
}

static double random_threshold(struct nnr_maker *m)
{
	return (4 * nnr_below(&m->r, MOST_SCORES / 2) + 2) * SCORE_STEP;
}

/* The image that each box is on, in ascending order. */
static void input_images(struct nnr_maker *m, uint32_t rows, uint32_t images)
{
	int number = nnr_new_tensor(m, NNA_OPERAND_TENSOR_INT32, 1, &rows);
	uint32_t image = nnr_below(&m->r, images);

	for (uint32_t i = 0; number >= 0 && i < rows; i++) {
		nnr_store(NNA_OPERAND_TENSOR_INT32, nnr_at(m, number)->data, i, image);
		if (nnr_once_in(&m->r, 3) && image + 1 < images)
			image++;
	}
	nnr_input(m, number);
}

/* Heights and widths of images that boxes of @width and @height are in. */
static void input_sizes(struct nnr_maker *m, uint32_t beside, uint32_t images, double width,
			double height)
{
	int number = new_coordinates(m, beside, images, 2);

	for (size_t i = 0; number >= 0 && i < images; i++) {
		nnr_put(m, number, 2 * i, eighths(m, height / 2, height));
		nnr_put(m, number, 2 * i + 1, eighths(m, width / 2, width));
	}
	nnr_input(m, number);
}

/* Deltas of boxes, of type @type, up to @most. */
static void input_deltas(struct nnr_maker *m, uint32_t type, uint32_t rank, const uint32_t *dims,
			 double most)
{
	int number = nnr_new_tensor(m, type, rank, dims);
	struct nnr_operand *operand = nnr_at(m, number);

	if (nnr_is_quantised(type)) {
		operand->scale = (float)(most / nnr_range(&m->r, 60, 120));
		operand->zero_point = type == NNA_OPERAND_TENSOR_QUANT8_ASYMM ? 128 : 0;
	}
	for (size_t i = 0; number >= 0 && i < nnr_elements(operand); i++)
		nnr_put(m, number, i, nnr_uniform(&m->r, -most, most));
	nnr_input(m, number);
}

/* Boxes as an output; their type goes with @type, that of the scores. */
static void output_boxes(struct nnr_maker *m, uint32_t type)
{
	if (nnr_is_quantised(type))
		nnr_output_fixed(m, NNA_OPERAND_TENSOR_QUANT16_ASYMM, 0.125f, 0);
	else
		nnr_output(m, type);
}

bool nnr_make_transform(struct nnr_maker *m, uint32_t type)
{
	uint32_t t = nnr_random_type(m, NNR_USUAL), rows = nnr_small(m, 6),
		 classes = nnr_small(m, 3), images = nnr_small(m, 3),
		 dims[2] = { rows, 4 * classes };

	nnr_input(m, new_boxes(m, t, rows, 1, 60, 40));
	input_deltas(m, t, 2, dims, 0.8);
	input_images(m, rows, images);
	input_sizes(m, t, images, 60, 40);
	output_boxes(m, t);
	return true;
}

/* A place on an image that no rounding puts halfway between two pixels. */
static double pixel_place(struct nnr_maker *m, double low, double high)
{
	double place = eighths(m, low, high);

	return place - floor(place) == 0.5 ? place + 0.125 : place;
}

bool nnr_make_roi(struct nnr_maker *m, uint32_t type)
{
	static const double ratios[] = { 1, 2, 4, 8, 3, 1.7 };
	bool align = type == NNA_OPERATION_ROI_ALIGN, nchw = nnr_once_in(&m->r, 3);
	uint32_t t = nnr_random_type(m, NNR_USUAL), rows = nnr_small(m, 4);
	uint32_t h = 3 + nnr_small(m, 10), w = 3 + nnr_small(m, 10), c = nnr_random_dim(m),
		 images = nnr_small(m, 3);
	uint32_t nhwc_dims[] = { images, h, w, c }, nchw_dims[] = { images, c, h, w };
	double ratio = ratios[nnr_below(&m->r, 6)];
	int in = nnr_new_tensor(m, t, 4, nchw ? nchw_dims : nhwc_dims), regions;

	nnr_input(m, in);
	regions = new_coordinates(m, t, rows, 4);
	for (uint32_t i = 0; i < rows; i++) {
		double x = pixel_place(m, 0, w - 3), y = pixel_place(m, 0, h - 3);

		nnr_put(m, regions, 4 * i, x * ratio);
		nnr_put(m, regions, 4 * i + 1, y * ratio);
		nnr_put(m, regions, 4 * i + 2, pixel_place(m, x + 1.25, w - 1) * ratio);
		nnr_put(m, regions, 4 * i + 3, pixel_place(m, y + 1.25, h - 1) * ratio);
	}
	nnr_input(m, regions);
	input_images(m, rows, images);
	nnr_input_i32(m, (int32_t)nnr_small(m, 5));
	nnr_input_i32(m, (int32_t)nnr_small(m, 5));
	nnr_input_float(m, in, ratio);
	nnr_input_float(m, in, ratio);
	for (int k = 0; k < 2 && align; k++)
		nnr_input_i32(m, nnr_range(&m->r, 0, 4));
	nnr_input_bool(m, nchw);
	if (align)
		nnr_output(m, t);
	else
		nnr_output_like(m, in);
	return true;
}

bool nnr_make_keypoint(struct nnr_maker *m, uint32_t type)
{
	bool nchw = nnr_once_in(&m->r, 3);
	uint32_t t = nnr_random_type(m, NNR_USUAL), rows = nnr_small(m, 4),
		 size = 1 + nnr_small(m, 11), channels = nnr_small(m, 5), index[4];
	uint32_t nhwc_dims[] = { rows, size, size, channels },
		 nchw_dims[] = { rows, channels, size, size };
	int in = nnr_new_scaled(m, t, 4, nchw ? nchw_dims : nhwc_dims,
				nnr_is_quantised(t) ? 0x1p-6f : 0,
				t == NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED ? -100 : 0);

	for (uint32_t map = 0; map < rows * channels && in >= 0; map++) {
		double y = nnr_uniform(&m->r, 0, size - 1), x = nnr_uniform(&m->r, 0, size - 1);
		double width = nnr_uniform(&m->r, 0.1, 0.6);

		for (uint32_t i = 0; i < size * size; i++) {
			double dy = i / size - y, dx = i % size - x;

			index[0] = map / channels;
			index[nchw ? 1 : 3] = map % channels;
			index[nchw ? 2 : 1] = i / size;
			index[nchw ? 3 : 2] = i % size;
			nnr_put(m, in, nnr_eval_ravel(4, nnr_at(m, in)->dims, index),
				3 * exp(-width * (dy * dy + dx * dx)) + nnr_uniform(&m->r, 0, 0.2));
		}
	}
	nnr_input(m, in);
	nnr_input(m, new_boxes(m, t, rows, 1, 60, 60));
	nnr_input_bool(m, nchw);
	nnr_output(m, t);
	output_boxes(m, t);
	return true;
}

bool nnr_make_nms_limit(struct nnr_maker *m, uint32_t type)
{
	uint32_t t = nnr_random_type(m, NNR_USUAL), rows = nnr_small(m, 15),
		 classes = 1 + nnr_small(m, 3), dims[2] = { rows, classes };
	int scores = new_scores(m, t, 2, dims, rows * classes);

	nnr_input(m, scores);
	nnr_input(m, new_boxes(m, t, rows, classes, 20, 20));
	input_images(m, rows, 3);
	nnr_input_float(m, scores, random_threshold(m));
	nnr_input_i32(m, nnr_range(&m->r, -1, 6));
	nnr_input_i32(m, nnr_range(&m->r, 0, 2));
	nnr_input_float(m, scores, nnr_uniform(&m->r, 0.1, 0.7));
	nnr_input_float(m, scores, nnr_uniform(&m->r, 0.2, 1));
	nnr_input_float(m, scores, nnr_uniform(&m->r, 0.05, 0.3));
	nnr_output_like(m, scores);
	output_boxes(m, t);
	nnr_output(m, NNA_OPERAND_TENSOR_INT32);
	nnr_output(m, NNA_OPERAND_TENSOR_INT32);
	return true;
}

/* Centres and sizes: y, x, h, w. */
static void input_centres(struct nnr_maker *m, uint32_t type, uint32_t rows)
{
	uint32_t dims[2] = { rows, 4 };
	int number = nnr_new_tensor(m, type, 2, dims);

	for (size_t i = 0; number >= 0 && i < 4ull * rows; i++)
		nnr_put(m, number, i, i % 4 < 2 ? eighths(m, 0, 8) : eighths(m, 1, 6));
	nnr_input(m, number);
}

bool nnr_make_detection(struct nnr_maker *m, uint32_t type)
{
	uint32_t t = nnr_random_type(m, NNR_FLOATS), batch = nnr_small(m, 2),
		 rows = nnr_small(m, 12), classes = 1 + nnr_small(m, 4),
		 dims[3] = { batch, rows, classes };
	int scores = new_scores(m, t, 3, dims, rows * classes);

	nnr_input(m, scores);
	dims[2] = 3 + nnr_small(m, 3);
	input_deltas(m, t, 3, dims, 1.5);
	input_centres(m, t, rows);
	for (int k = 0; k < 4; k++)
		nnr_input_float(m, scores, nnr_uniform(&m->r, 1, 5));
	nnr_input_bool(m, nnr_once_in(&m->r, 2));
	nnr_input_i32(m, nnr_range(&m->r, 1, 8));
	nnr_input_i32(m, (int32_t)nnr_small(m, 3));
	nnr_input_i32(m, nnr_range(&m->r, 1, 6));
	nnr_input_float(m, scores, random_threshold(m));
	nnr_input_float(m, scores, nnr_uniform(&m->r, 0.1, 0.7));
	nnr_input_bool(m, nnr_once_in(&m->r, 2));
	nnr_output(m, t);
	nnr_output(m, t);
	nnr_output(m, NNA_OPERAND_TENSOR_INT32);
	nnr_output(m, NNA_OPERAND_TENSOR_INT32);
	return true;
}

/* Boxes around (0, 0), signed 16 bits where boxes are unsigned ones. */
static void input_anchors(struct nnr_maker *m, uint32_t beside, uint32_t count)
{
	uint32_t dims[2] = { count, 4 };
	int number = nnr_is_quantised(beside) ? nnr_new_scaled(m, NNA_OPERAND_TENSOR_QUANT16_SYMM,
							       2, dims, 0.125f, 0) :
						nnr_new_tensor(m, beside, 2, dims);

	for (size_t i = 0; number >= 0 && i < 4ull * count; i++)
		nnr_put(m, number, i, i % 4 < 2 ? eighths(m, -8, 0) : eighths(m, 1, 9));
	nnr_input(m, number);
}

bool nnr_make_proposals(struct nnr_maker *m, uint32_t type)
{
	bool nchw = nnr_once_in(&m->r, 3);
	uint32_t t = nnr_random_type(m, NNR_USUAL), images = nnr_small(m, 2), h = nnr_small(m, 4),
		 w = nnr_small(m, 4), anchors = nnr_small(m, 3), c = nchw ? 1 : 3;
	uint32_t nhwc_dims[] = { images, h, w, anchors }, nchw_dims[] = { images, anchors, h, w };
	uint32_t *dims = nchw ? nchw_dims : nhwc_dims;
	int scores = new_scores(m, t, 4, dims, h * w * anchors);

	nnr_input(m, scores);
	dims[c] *= 4;
	input_deltas(m, t, 4, dims, 0.5);
	input_anchors(m, t, anchors);
	input_sizes(m, t, images, 40, 40);
	nnr_input_float(m, scores, nnr_range(&m->r, 1, 10));
	nnr_input_float(m, scores, nnr_range(&m->r, 1, 10));
	nnr_input_i32(m, nnr_range(&m->r, -1, 20));
	nnr_input_i32(m, nnr_range(&m->r, -1, 10));
	nnr_input_float(m, scores, nnr_uniform(&m->r, 0.2, 0.8));
	nnr_input_float(m, scores, nnr_uniform(&m->r, 0.5, 4));
	nnr_input_bool(m, nchw);
	nnr_output_like(m, scores);
	output_boxes(m, t);
	nnr_output(m, NNA_OPERAND_TENSOR_INT32);
	return true;
}

/* ---- LSH_PROJECTION, RANDOM_MULTINOMIAL */

bool nnr_make_lsh(struct nnr_maker *m, uint32_t type)
{
	static const nnr_types types = NNR_F32 | NNR_F16 | NNR_I32 | NNR_U8;
	uint32_t t = nnr_random_type(m, NNR_FLOATS), item = nnr_random_type(m, types),
		 n = nnr_random_dim(m);
	uint32_t functions[2] = { nnr_small(m, 6), nnr_small(m, 8) },
		 dims[2] = { n, nnr_small(m, 7) };

	nnr_input(m, nnr_new_tensor(m, t, 2, functions));
	nnr_input(m, nnr_new_tensor(m, item, 2, dims));
	if (nnr_once_in(&m->r, 2))
		nnr_input(m, nnr_new_tensor(m, t, 1, &n));
	else
		nnr_input_none(m, t);
	nnr_input_i32(m, nnr_range(&m->r, 1, 3));
	nnr_output(m, NNA_OPERAND_TENSOR_INT32);
	return true;
}

bool nnr_make_multinomial(struct nnr_maker *m, uint32_t type)
{
	uint32_t dims[2] = { nnr_random_dim(m), nnr_random_dim(m) };
	/* With two seeds of 0 the device chooses its own. */
	int32_t seeds[2] = { nnr_range(&m->r, 1, 1000), nnr_range(&m->r, -1000, 1000) };
	int in = nnr_new_tensor(m, nnr_random_type(m, NNR_FLOATS), 2, dims);

	nnr_input(m, in);
	nnr_input_i32(m, (int32_t)nnr_small(m, 40));
	nnr_input_list(m, 2, seeds);
	nnr_output(m, NNA_OPERAND_TENSOR_INT32);
	return true;
}
