// SPDX-License-Identifier: MIT
/* ROI, by definition. */
#include "device/nna/engine/kernel.h"

#define TILE_WORK 8192u /* samples (or pixels) times channels */

/**
 * struct span - the rows (or the columns) of a region
 * @start: where it starts in the input
 * @step: size of a bin
 * @samples: MEAN: samples of a bin
 * @size: rows (or columns) of the input
 */
struct span {
	float start, step;
	uint32_t samples;
	uint32_t size;
};

/* Partial result of a bin: the sum of its samples, or the largest of its pixels. */
struct bin {
	float value;
	bool any;
};

/* Two neighbouring rows (or columns) and the weight of the second. */
struct sample {
	uint32_t low, high;
	float fraction;
};

static float larger(float a, float b)
{
	return a < b ? b : a;
}

/* Rounds halves up. Requires 0 <= x <= the size of an input. */
static float round_up_halves(float x)
{
	const float whole = nnadev_floorf(x);

	return x - whole >= 0.5f ? whole + 1 : whole;
}

/* Requires 0 <= x <= 2^32. */
static uint32_t ceiling(float x)
{
	const float whole = nnadev_floorf(x);

	return (uint32_t)(int64_t)(whole < x ? whole + 1 : whole);
}

/*
 * Computes the span of a region from corners as read, before scaling. Return: false if they are not
 * in the input.
 */
static bool roi_span(const struct nnahw_cmd_roi *p, float first, float last, float scale,
		     uint32_t size, uint32_t bins, uint32_t samples, struct span *s)
{
	float end = last * scale;

	s->start = first * scale;
	s->size = size;
	if (!(first >= 0 && first <= last && s->start >= 0 && s->start <= end &&
	      end <= (float)size))
		return false;
	if (p->kind == NNAHW_ROI_MAX) {
		s->start = round_up_halves(s->start);
		end = round_up_halves(end) + 1;
	}
	s->step = larger(end - s->start, 1) / (float)bins;
	s->samples = samples ? samples : ceiling(s->step);
	return true;
}

static struct sample roi_sample(const struct span *s, uint32_t bin, uint32_t k)
{
	const float part = s->step / (float)s->samples;
	const float at = s->step * (float)bin + s->start + part / 2 + part * (float)k,
		    whole = nnadev_floorf(at);

	if (whole >= (float)(s->size - 1))
		return (struct sample){ s->size - 1, s->size - 1, 0 };
	return (struct sample){ (uint32_t)(int64_t)whole, (uint32_t)(int64_t)whole + 1,
				at - whole };
}

/* Return: pixels [*begin, *end) of a bin. */
static void roi_pixels(const struct span *s, uint32_t bin, uint32_t *begin, uint32_t *end)
{
	const uint32_t first = (uint32_t)(int64_t)nnadev_floorf(s->step * (float)bin + s->start);
	const uint32_t last = ceiling(s->step * (float)(bin + 1) + s->start);

	*begin = first < s->size ? first : s->size;
	*end = last < s->size ? last : s->size;
}

static float roi_pixel(const struct nnadev_engine_operand *input, uint32_t image, uint32_t y,
		       uint32_t x, uint32_t channel)
{
	return nnadev_load_value(input,
				 nnadev_offset(&input->desc, (uint32_t[]){ image, y, x, channel }));
}

/* Adds samples [begin, end) of a bin, in row-major order. Return: true if the bin has more. */
static bool roi_mean(const struct nnadev_engine_operand *input, uint32_t image,
		     const struct span *y, const struct span *x, const uint32_t *index,
		     uint64_t begin, uint64_t end, struct bin *bin)
{
	const uint64_t size = (uint64_t)y->samples * x->samples;
	const uint32_t channel = index[3];

	for (; begin < end && begin < size; begin++) {
		const struct sample v = roi_sample(y, index[1], (uint32_t)(begin / x->samples));
		const struct sample u = roi_sample(x, index[2], (uint32_t)(begin % x->samples));

		bin->value += (1 - u.fraction) * (1 - v.fraction) *
			      roi_pixel(input, image, v.low, u.low, channel);
		bin->value += u.fraction * (1 - v.fraction) *
			      roi_pixel(input, image, v.low, u.high, channel);
		bin->value += (1 - u.fraction) * v.fraction *
			      roi_pixel(input, image, v.high, u.low, channel);
		bin->value += u.fraction * v.fraction *
			      roi_pixel(input, image, v.high, u.high, channel);
	}
	return end < size;
}

/* Finds the largest of pixels [begin, end) of a bin. Return: true if the bin has more. */
static bool roi_max(const struct nnadev_engine_operand *input, uint32_t image,
		    const struct span *y, const struct span *x, const uint32_t *index,
		    uint64_t begin, uint64_t end, struct bin *bin)
{
	uint32_t top, bottom, left, right;
	uint64_t size, width;

	roi_pixels(y, index[1], &top, &bottom);
	roi_pixels(x, index[2], &left, &right);
	width = right > left ? right - left : 0;
	size = bottom > top ? (bottom - top) * width : 0;
	for (; begin < end && begin < size; begin++) {
		const float pixel = roi_pixel(input, image, top + (uint32_t)(begin / width),
					      left + (uint32_t)(begin % width), index[3]);

		bin->value = !bin->any || pixel > bin->value ? pixel : bin->value;
		bin->any = true;
	}
	return end < size;
}

/* Reads region @i, each number once. Return: false if the region is not in the input. */
static bool roi_read(const struct nnadev_engine_command *cmd, uint32_t i, uint32_t *image,
		     struct span *y, struct span *x)
{
	const struct nnahw_cmd_roi *p = (const struct nnahw_cmd_roi *)cmd->raw;
	const struct nnadev_engine_operand *regions = &cmd->operands[NNAHW_ROI_REGIONS],
					*batches = &cmd->operands[NNAHW_ROI_BATCHES];
	const uint32_t *in = cmd->operands[NNAHW_ROI_INPUT].desc.dims,
		       *out = cmd->operands[NNAHW_ROI_OUTPUT].desc.dims;
	const int64_t number = nnadev_load_integer(batches, nnadev_offset(&batches->desc, &i));
	float corner[4];

	if (number < 0 || number >= in[0])
		return false;
	*image = (uint32_t)number;
	for (uint32_t k = 0; k < 4; k++)
		corner[k] = nnadev_load_value(regions,
					      nnadev_offset(&regions->desc, (uint32_t[]){ i, k }));
	return roi_span(p, corner[1], corner[3], p->scale_h, in[1], out[1], p->samples_h, y) &&
	       roi_span(p, corner[0], corner[2], p->scale_w, in[2], out[2], p->samples_w, x);
}

/* Processes [begin, end) of a bin and stores its element when the bin is complete. */
static void roi_bin(const struct nnadev_engine_command *cmd, uint32_t image, const struct span *y,
		    const struct span *x, const uint32_t *index, uint64_t begin, uint64_t end,
		    struct bin *bin)
{
	const struct nnahw_cmd_roi *p = (const struct nnahw_cmd_roi *)cmd->raw;
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_ROI_OUTPUT],
					*input = &cmd->operands[NNAHW_ROI_INPUT];
	float value;
	bool more;

	more = (p->kind == NNAHW_ROI_MAX ? roi_max : roi_mean)(input, image, y, x, index, begin,
								end, bin);
	if (more)
		return;
	value = p->kind == NNAHW_ROI_MAX ? bin->value
					 : bin->value / (float)(y->samples * x->samples);
	nnadev_store_value(output, nnadev_offset(&output->desc, index), value, INT32_MIN,
			   INT32_MAX);
}

static uint32_t roi_tile(const struct nnadev_engine_command *cmd,
			 const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			 void *scratch, void *shared)
{
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_ROI_OUTPUT];
	const uint32_t *dims = output->desc.dims;
	uint32_t index[4], begin, end, step, image = 0;
	struct span y, x;

	if (plan->steps) { /* a bin is more than a tile; its region is read again in each step */
		struct bin *bin = (struct bin *)shared + tile;

		if (!nnadev_step_get(plan, tile, output->count, &begin, &step))
			return NNAHW_STATUS_OK;
		nnadev_unflatten(dims, 4, begin, index);
		if (!roi_read(cmd, index[0], &image, &y, &x))
			return NNAHW_STATUS_BAD_INDEX;
		if (!step)
			*bin = (struct bin){ 0 };
		roi_bin(cmd, image, &y, &x, index, (uint64_t)step * TILE_WORK,
			((uint64_t)step + 1) * TILE_WORK, bin);
		return NNAHW_STATUS_OK;
	}
	nnadev_tile_range(plan, tile, output->count, &begin, &end);
	nnadev_unflatten(dims, 4, begin, index);
	for (uint32_t i = begin; i < end; i++, nnadev_advance(dims, 4, index)) {
		struct bin bin = { 0 };

		if ((i == begin || !index[3]) && !roi_read(cmd, index[0], &image, &y, &x))
			return NNAHW_STATUS_BAD_INDEX;
		roi_bin(cmd, image, &y, &x, index, 0, UINT64_MAX, &bin);
	}
	return NNAHW_STATUS_OK;
}

/* Return: most samples or pixels of a bin. Requires bins and a non-empty input. */
static uint64_t roi_window(const struct nnadev_engine_command *cmd)
{
	const struct nnahw_cmd_roi *p = (const struct nnahw_cmd_roi *)cmd->raw;
	const uint32_t *in = cmd->operands[NNAHW_ROI_INPUT].desc.dims,
		       *out = cmd->operands[NNAHW_ROI_OUTPUT].desc.dims;
	const uint64_t rows = p->samples_h ? p->samples_h : in[1] / out[1] + 2,
		       columns = p->samples_w ? p->samples_w : in[2] / out[2] + 2;

	return rows * columns;
}

static uint32_t roi_accepts(const struct nnadev_engine_command *cmd,
			    struct nnadev_engine_plan *plan)
{
	const struct nnahw_cmd_roi *p = (const struct nnahw_cmd_roi *)cmd->raw;
	const struct nnahw_tensor *output = &cmd->operands[NNAHW_ROI_OUTPUT].desc,
				*input = &cmd->operands[NNAHW_ROI_INPUT].desc;
	const uint64_t n = output->dims[0], channels = output->dims[3];

	if (p->kind > NNAHW_ROI_MAX || p->samples_h > NNAHW_LIMIT_ROI_SAMPLES ||
	    p->samples_w > NNAHW_LIMIT_ROI_SAMPLES ||
	    (p->kind == NNAHW_ROI_MAX && (p->samples_h || p->samples_w)))
		return NNAHW_STATUS_BAD_COMMAND;
	if (input->type != output->type ||
	    (p->kind == NNAHW_ROI_MAX && !nnadev_same_quantisation(input, output)))
		return nnadev_bad_operand(plan, NNAHW_ROI_INPUT);
	if (output->rank != 4 || input->rank != 4 || input->dims[3] != channels ||
	    !nnadev_has_dims(&cmd->operands[NNAHW_ROI_REGIONS].desc, 2, (uint64_t[]){ n, 4 }) ||
	    !nnadev_has_dims(&cmd->operands[NNAHW_ROI_BATCHES].desc, 1, &n))
		return NNAHW_STATUS_BAD_SHAPE;
	if (!cmd->operands[NNAHW_ROI_OUTPUT].count)
		return NNAHW_STATUS_OK;
	if (!cmd->operands[NNAHW_ROI_INPUT].count || roi_window(cmd) > NNAHW_LIMIT_ROI_WINDOW)
		return NNAHW_STATUS_BAD_SHAPE;
	return NNAHW_STATUS_OK;
}

static void roi_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
		     struct nnadev_engine_plan *plan)
{
	const uint32_t count = cmd->operands[NNAHW_ROI_OUTPUT].count;

	uint32_t window;

	if (!count)
		return;
	window = (uint32_t)roi_window(cmd);
	if (window > TILE_WORK)
		nnadev_cut_steps(plan, count, nnadev_div_up(window, TILE_WORK) + 1,
				 sizeof(struct bin));
	else
		nnadev_cut(plan, count, TILE_WORK / (window + 2));
}

NNADEV_KERNEL(roi) = { NNAHW_OP_ROI, NNADEV_ENGINE_SCALAR, roi_accepts, roi_plan, roi_tile };
