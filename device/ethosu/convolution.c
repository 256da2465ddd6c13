// SPDX-License-Identifier: MIT
#include "device/ethosu/convolution.h"

#include <stdlib.h>

#include "device/ethosu/byte_convolution.h"
#include "device/ethosu/feature_map.h"
#include "device/ethosu/kernel.h"
#include "hw/ethosu/opcode.h"
#include "device/ethosu/output.h"
#include "device/ethosu/patch.h"

#define PATCH_MAX (1u << 20)  /* elements of a patch */
#define SUMS_MAX (1u << 17)   /* accumulators of a tile */
#define MACS_MAX (8u << 20)   /* products of a tile, unless one pixel has more */
#define CHANNELS_MIN 4u	      /* of a box */
#define LENGTH_MAX (1u << 22) /* products of a sum */
#define SAFE_PRODUCTS 128u    /* of 16 by 9 bits, that 32 bits can sum */

/* The scratch memory of a thread. */
struct scratch {
	int16_t patch[PATCH_MAX];
	int64_t sums[SUMS_MAX];
	int32_t row[ETHOSU_PATCH_ROW];
	int64_t values[ETHOSU_PATCH_ROW];
};
_Static_assert(sizeof(struct scratch) <= ETHOSU_SCRATCH_SIZE, "it fits");

/**
 * struct convolution - an operation while it runs
 * @machine: the machine
 * @op: the operation
 * @weights: as ethosu_order_place() puts them
 * @scales: records, or NULL for the OFM scale
 * @ifm_depth: IFM channels of a weight
 * @wide: weights have 16 bits
 */
struct convolution {
	struct ethosu_machine *machine;
	const struct ethosu_operation *op;
	const int16_t *weights;
	struct ethosu_channel_scale *scales;
	uint32_t ifm_depth;
	bool wide;
};

static int64_t dot(const int16_t *a, const int16_t *b, uint32_t n)
{
	int64_t sum = 0;

	while (n) {
		uint32_t count = n < SAFE_PRODUCTS ? n : SAFE_PRODUCTS;
		int32_t part = 0;

		for (uint32_t i = 0; i < count; i++)
			part += a[i] * b[i];
		sum += part;
		a += count;
		b += count;
		n -= count;
	}
	return sum;
}

/* The same of factors of 16 bits. */
static int64_t dot_wide(const int16_t *a, const int16_t *b, uint32_t n)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += (int64_t)a[i] * b[i];
	return sum;
}

/* What sums begin with is the guest's: they wrap. */
static int64_t add(int64_t sum, int64_t product)
{
	return (int64_t)((uint64_t)sum + (uint64_t)product);
}

/*
 * Add the products of a patch to the sums of a box. A patch has some or all channels of the IFM,
 * @whole says which: with all of them, and no dilation, a row of the kernel is one run.
 */
static void add_products(const struct convolution *conv, const struct ethosu_box *box,
			 const struct ethosu_patch *patch, struct scratch *s)
{
	const struct ethosu_window *w = &conv->op->window;
	bool whole = patch->depth == conv->ifm_depth && w->dilation_x == 1;
	uint64_t kernel = (uint64_t)w->height * w->width * conv->ifm_depth;
	int64_t (*sum_of)(const int16_t *, const int16_t *, uint32_t) = conv->wide ? dot_wide : dot;
	int64_t *sum = s->sums;

	for (uint32_t y = 0; y < box->height; y++)
		for (uint32_t x = 0; x < box->width; x++)
			for (uint32_t o = box->c; o < box->c + box->depth; o++, sum++) {
				const int16_t *weights = conv->weights + o * kernel + patch->c;

				for (uint32_t ky = 0; ky < w->height; ky++) {
					const int16_t *from =
						s->patch +
						((uint64_t)(y * w->stride_y + ky * w->dilation_y) *
							 patch->width +
						 x * w->stride_x) *
							patch->depth;

					if (whole) {
						*sum = add(*sum, sum_of(from, weights,
							       w->width * patch->depth));
						weights += (uint64_t)w->width * patch->depth;
						continue;
					}
					for (uint32_t kx = 0; kx < w->width; kx++) {
						*sum = add(*sum, sum_of(from, weights,
							       patch->depth));
						from += (uint64_t)w->dilation_x * patch->depth;
						weights += conv->ifm_depth;
					}
				}
			}
}

static void add_depthwise(const struct convolution *conv, const struct ethosu_box *box,
			  const struct ethosu_patch *patch, struct scratch *s)
{
	const struct ethosu_window *w = &conv->op->window;
	uint32_t depth = conv->op->ofm.depth;

	for (uint32_t y = 0; y < box->height; y++)
		for (uint32_t x = 0; x < box->width; x++) {
			int64_t *sum = s->sums + ((uint64_t)y * box->width + x) * box->depth;

			for (uint32_t ky = 0; ky < w->height; ky++)
				for (uint32_t kx = 0; kx < w->width; kx++) {
					const int16_t *from =
						s->patch +
						((uint64_t)(y * w->stride_y + ky * w->dilation_y) *
							 patch->width +
						 x * w->stride_x + kx * w->dilation_x) *
							patch->depth;
					const int16_t *weights =
						conv->weights +
						((uint64_t)ky * w->width + kx) * depth + box->c;

					for (uint32_t c = 0; c < box->depth; c++)
						sum[c] = add(sum[c], from[c] * weights[c]);
				}
		}
}

/* The values that accumulators begin with. */
static uint32_t begin_sums(const struct convolution *conv, const struct ethosu_box *box,
			   struct scratch *s)
{
	const struct ethosu_operation *op = conv->op;
	struct ethosu_port port = ethosu_port(conv->machine->bus, ETHOSU_CHANNEL_IFM);
	int64_t *sum = s->sums;
	uint32_t status = 0;

	for (uint32_t y = 0; y < box->height && !status; y++)
		for (uint32_t x = 0; x < box->width && !status; x++, sum += box->depth) {
			if (op->accumulators == ETHOSU_ACC_IFM2) {
				status = ethosu_map_read_wide(&op->ifm2, conv->machine, &port,
							      box->y + y, box->x + x, box->c,
							      box->depth, sum);
				continue;
			}
			for (uint32_t c = 0; c < box->depth; c++)
				sum[c] = 0;
		}
	return status;
}

static uint32_t put_sums(const struct convolution *conv, const struct ethosu_box *box,
			 struct scratch *s)
{
	struct ethosu_output output = ethosu_output(
		conv->machine, conv->op, conv->scales ? ETHOSU_BY_CHANNEL : ETHOSU_SCALED,
		conv->scales);
	int64_t *sum = s->sums;
	uint32_t status = 0;

	for (uint32_t y = 0; y < box->height && !status; y++)
		for (uint32_t x = 0; x < box->width && !status; x++, sum += box->depth)
			status = ethosu_output_put(&output, box->y + y, box->x + x, box->c,
						   box->depth, sum);
	return status;
}

static uint32_t run_box(void *context, const struct ethosu_box *box, uint32_t thread)
{
	const struct convolution *conv = context;
	const struct ethosu_operation *op = conv->op;
	struct scratch *s = (struct scratch *)conv->machine->scratch[thread];
	bool depthwise = op->code == ETHOSU_OP_DEPTHWISE;
	uint32_t first = depthwise ? box->c : 0, end = depthwise ? box->c + box->depth
								  : op->ifm.depth;
	struct ethosu_patch patch = ethosu_patch_of(&op->window, box, 0, 1);
	uint64_t room = PATCH_MAX / ((uint64_t)patch.height * patch.width);
	uint32_t status = begin_sums(conv, box, s);

	if (room > ETHOSU_PATCH_ROW)
		room = ETHOSU_PATCH_ROW;
	for (uint32_t c = first; c < end && !status; c += patch.depth) {
		if (ethosu_machine_stopped(conv->machine))
			return ETHOSU_STOPPED;
		patch.c = c;
		patch.depth = end - c < room ? end - c : (uint32_t)room;
		status = ethosu_patch_read(conv->machine, op, &patch, 0, NULL, s->patch, s->row);
		if (status)
			break;
		if (depthwise)
			add_depthwise(conv, box, &patch, s);
		else
			add_products(conv, box, &patch, s);
	}
	return status ? status : put_sums(conv, box, s);
}

/* The size of boxes: a patch and the sums fit into scratch memory, and a box is done soon. */
static struct ethosu_grid cut(const struct convolution *conv)
{
	const struct ethosu_operation *op = conv->op;
	const struct ethosu_window *w = &op->window;
	bool depthwise = op->code == ETHOSU_OP_DEPTHWISE;
	struct ethosu_grid grid = {
		op->ofm.height, op->ofm.width, op->ofm.depth, 1, 1, op->ofm.depth,
	};
	uint64_t area = (uint64_t)w->height * w->width;
	uint64_t macs = area * (depthwise ? 1 : op->ifm.depth); /* of an element */
	uint64_t tall = (uint64_t)(w->height - 1) * w->dilation_y + 1;
	uint64_t broad = (uint64_t)(w->width - 1) * w->dilation_x + 1;
	uint64_t depth, wide;

	while (grid.box_depth > CHANNELS_MIN &&
	       (grid.box_depth * macs > MACS_MAX ||
		(depthwise && tall * broad * grid.box_depth > PATCH_MAX)))
		grid.box_depth = (grid.box_depth + 1) / 2;
	if (depthwise && tall * broad * grid.box_depth > PATCH_MAX)
		grid.box_depth = (uint32_t)(PATCH_MAX / (tall * broad));
	/* Few pixels: let threads share the channels. */
	if ((uint64_t)grid.height * grid.width < 16 && conv->machine->threads > 1)
		while (grid.box_depth > 4 * CHANNELS_MIN)
			grid.box_depth = (grid.box_depth + 1) / 2;
	depth = depthwise ? grid.box_depth : op->ifm.depth;
	for (wide = grid.width; wide > 1; wide = (wide + 1) / 2)
		if (((wide - 1) * w->stride_x + broad) * tall * depth <= PATCH_MAX / 2 &&
		    wide * grid.box_depth <= SUMS_MAX / 2 &&
		    wide * grid.box_depth * macs <= MACS_MAX)
			break;
	grid.box_width = (uint32_t)wide;
	while (grid.box_height < grid.height &&
	       ((wide - 1) * w->stride_x + broad) * (grid.box_height * w->stride_y + tall) *
			       depth <=
		       PATCH_MAX / 2 &&
	       (grid.box_height + 1) * wide * grid.box_depth <= SUMS_MAX / 2 &&
	       (grid.box_height + 1) * wide * grid.box_depth * macs <= MACS_MAX)
		grid.box_height++;
	return grid;
}

/* The elements of IFM2 as weights. */
static uint32_t take_ifm2(struct convolution *conv, int16_t **weights)
{
	const struct ethosu_operation *op = conv->op;
	struct ethosu_port port = ethosu_port(conv->machine->bus, ETHOSU_CHANNEL_WEIGHTS);
	uint64_t count = (uint64_t)op->ofm.depth * op->ifm.depth;
	uint32_t status = 0;
	int32_t *row;

	if (op->window.height * op->window.width != 1 || count > ETHOSU_KERNEL_WEIGHTS_MAX)
		return ETHOSU_PARSE;
	*weights = malloc(count * sizeof(**weights));
	row = malloc(op->ifm.depth * sizeof(*row));
	if (!*weights || !row)
		status = ETHOSU_MEMORY;
	for (uint32_t o = 0; o < op->ofm.depth && !status; o++) {
		if (o % 1024 == 1023 && !ethosu_machine_go_on(conv->machine))
			status = ETHOSU_STOPPED;
		port.size = 0; /* what it has found may have gone in a pause */
		if (!status)
			status = ethosu_map_read(&op->ifm2, conv->machine, &port, 0, o, 0,
						 op->ifm.depth, row);
		for (uint32_t i = 0; i < op->ifm.depth && !status; i++)
			(*weights)[(uint64_t)o * op->ifm.depth + i] =
				(int16_t)(row[i] - op->ifm2.zero_point);
	}
	free(row);
	return status;
}

uint32_t ethosu_convolution_run(struct ethosu_machine *machine, const struct ethosu_operation *op)
{
	bool depthwise = op->code == ETHOSU_OP_DEPTHWISE;
	struct convolution conv = {
		.machine = machine,
		.op = op,
		.ifm_depth = depthwise ? 1 : op->ifm.depth,
	};
	bool product = op->code == ETHOSU_OP_CONV && op->mode & 1, done = false;
	int16_t *own = NULL;
	struct ethosu_grid grid;
	uint32_t status;

	if (depthwise && op->ifm.depth < op->ofm.depth)
		return ETHOSU_PARSE;
	if (op->accumulators == ETHOSU_ACC_KEEP ||
	    (uint64_t)op->window.height * op->window.width * conv.ifm_depth > LENGTH_MAX)
		return ETHOSU_PARSE;
	if (product) {
		status = take_ifm2(&conv, &own);
		conv.weights = own;
		conv.wide = op->ifm2.bytes == 2;
	} else {
		status = ethosu_kernel_get(machine, op, &conv.weights);
	}
	if (!status && !op->global_scale)
		status = ethosu_kernel_scales(machine, op, &conv.scales);
	if (!status)
		status = ethosu_output_prepare(machine, op);
	if (!status && !product && conv.scales)
		status = ethosu_byte_convolution_run(machine, op, conv.scales, &done);
	if (!status && !done) {
		grid = cut(&conv);
		status = ethosu_machine_run(machine, &grid, run_box, &conv);
	}
	if (!status) {
		machine->macs += (uint64_t)op->ofm.height * op->ofm.width * op->ofm.depth *
				 op->window.height * op->window.width * conv.ifm_depth;
	}
	free(conv.scales);
	free(own);
	return status;
}
