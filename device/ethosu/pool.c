// SPDX-License-Identifier: MIT
#include "device/ethosu/pool.h"

#include <stdlib.h>

#include "device/ethosu/byte_table.h"
#include "device/ethosu/feature_map.h"
#include "device/ethosu/kernel.h"
#include "device/ethosu/output.h"
#include "device/ethosu/patch.h"

enum {
	POOL_MAX = 0,
	POOL_AVERAGE = 1,
	POOL_REDUCE_SUM = 2,
	POOL_SUM = 3,
	POOL_NONE = 4,
	POOL_MIN = 5,
	POOL_ARGMAX_X = 6,
	POOL_ARGMAX_Y = 7,
};

#define PATCH_MAX (1u << 20) /* elements of a patch */
#define SUMS_MAX (1u << 17)  /* results of a tile */
#define WORK_MAX (8u << 20)  /* elements that a tile looks at, unless one pixel has more */

/* The scratch memory of a thread. */
struct scratch {
	int32_t patch[PATCH_MAX];
	int64_t sums[SUMS_MAX];
	int32_t row[ETHOSU_PATCH_ROW];
};
_Static_assert(sizeof(struct scratch) <= ETHOSU_SCRATCH_SIZE, "it fits");

/**
 * struct pool - an operation while it runs
 * @machine: the machine
 * @op: the operation
 * @scales: records, or NULL
 * @scaling: how results are scaled
 */
struct pool {
	struct ethosu_machine *machine;
	const struct ethosu_operation *op;
	struct ethosu_channel_scale *scales;
	enum ethosu_scaling scaling;
};

/* A sum over @n elements, halves away from zero. */
static int64_t divide(int64_t sum, int64_t n)
{
	if (!n)
		return 0;
	return sum < 0 ? -((-sum + n / 2) / n) : (sum + n / 2) / n;
}

static bool has_padding(const struct ethosu_window *w)
{
	return w->top || w->left || w->bottom || w->right;
}

/* Take @v into the results of @n channels. @first: there is nothing in them yet. */
static void join(const struct pool *pool, const int32_t *v, uint32_t n, bool first, int64_t *to)
{
	switch (first ? (uint32_t)POOL_NONE : pool->op->mode) {
	case POOL_NONE:
		for (uint32_t c = 0; c < n; c++)
			to[c] = v[c];
		break;
	case POOL_MAX:
		for (uint32_t c = 0; c < n; c++)
			to[c] = v[c] > to[c] ? v[c] : to[c];
		break;
	case POOL_MIN:
		for (uint32_t c = 0; c < n; c++)
			to[c] = v[c] < to[c] ? v[c] : to[c];
		break;
	default:
		for (uint32_t c = 0; c < n; c++)
			to[c] += v[c];
		break;
	}
}

/* What is done with results of windows in which @n elements lie. */
static void finish(const struct pool *pool, int64_t n, uint32_t depth, int64_t *to)
{
	bool divides = pool->op->mode == POOL_AVERAGE &&
		       (pool->machine->config->generation == ETHOSU_U85 ||
			has_padding(&pool->op->window));

	for (uint32_t c = 0; divides && c < depth; c++)
		to[c] = divide(to[c], n);
}

/* The channels of one result, for the window whose corner is at (@y, @x) of the patch. */
static void reduce(const struct pool *pool, const struct ethosu_patch *patch, const int32_t *values,
		   uint32_t y, uint32_t x, int64_t *to)
{
	const struct ethosu_window *w = &pool->op->window;
	int64_t n = 0;

	for (uint32_t c = 0; c < patch->depth; c++)
		to[c] = 0;
	for (uint32_t ky = 0; ky < w->height; ky++)
		for (uint32_t kx = 0; kx < w->width; kx++) {
			uint32_t py = y + ky * w->dilation_y, px = x + kx * w->dilation_x;

			if (ethosu_patch_inside(w, patch->y + py, patch->x + px))
				join(pool,
				     values + ((uint64_t)py * patch->width + px) * patch->depth,
				     patch->depth, n++ == 0, to);
		}
	finish(pool, n, patch->depth, to);
}

/* The same of the places of the first maximum. */
static void find(const struct pool *pool, const struct ethosu_patch *patch, const int32_t *values,
		 uint32_t y, uint32_t x, int64_t *to)
{
	const struct ethosu_window *w = &pool->op->window;

	for (uint32_t c = 0; c < patch->depth; c++) {
		int64_t most = INT64_MIN;

		to[c] = 0;
		for (uint32_t ky = 0; ky < w->height; ky++)
			for (uint32_t kx = 0; kx < w->width; kx++) {
				uint32_t py = y + ky * w->dilation_y, px = x + kx * w->dilation_x;
				uint64_t at = (uint64_t)py * patch->width + px;
				int64_t v = values[at * patch->depth + c];

				if (!ethosu_patch_inside(w, patch->y + py, patch->x + px) ||
				    v <= most)
					continue;
				most = v;
				to[c] = pool->op->mode == POOL_ARGMAX_X ? kx : ky;
			}
	}
}

static bool is_place(uint32_t mode)
{
	return mode == POOL_ARGMAX_X || mode == POOL_ARGMAX_Y;
}

static uint32_t window_box(const struct pool *pool, const struct ethosu_box *box,
			   struct scratch *s)
{
	const struct ethosu_window *w = &pool->op->window;
	struct ethosu_patch patch = ethosu_patch_of(w, box, box->c, box->depth);
	int64_t *sum = s->sums;
	uint32_t status = ethosu_patch_read(pool->machine, pool->op, &patch, 0, s->patch, NULL,
					    s->row);

	if (status)
		return status;
	for (uint32_t y = 0; y < box->height; y++)
		for (uint32_t x = 0; x < box->width; x++, sum += box->depth) {
			if (is_place(pool->op->mode))
				find(pool, &patch, s->patch, y * w->stride_y, x * w->stride_x, sum);
			else
				reduce(pool, &patch, s->patch, y * w->stride_y, x * w->stride_x,
				       sum);
		}
	return 0;
}

/* The sum of the channels of an element of a patch. */
static int64_t sum_of(const struct ethosu_window *w, const struct ethosu_patch *patch,
		      const int32_t *values, uint32_t y, uint32_t x)
{
	int64_t sum = 0;

	if (!ethosu_patch_inside(w, patch->y + y, patch->x + x))
		return 0;
	values += ((uint64_t)y * patch->width + x) * patch->depth;
	for (uint32_t k = 0; k < patch->depth; k++)
		sum += values[k];
	return sum;
}

/* Sums over the depth: all channels of a result are the same. */
static uint32_t depth_box(const struct pool *pool, const struct ethosu_box *box, struct scratch *s)
{
	const struct ethosu_operation *op = pool->op;
	struct ethosu_patch patch = ethosu_patch_of(&op->window, box, 0, 1);
	uint64_t room = PATCH_MAX / ((uint64_t)patch.height * patch.width);
	uint64_t pixels = (uint64_t)box->height * box->width;

	if (room > ETHOSU_PATCH_ROW)
		room = ETHOSU_PATCH_ROW;
	for (uint64_t i = 0; i < pixels * box->depth; i++)
		s->sums[i] = 0;
	for (uint32_t c = 0; c < op->ifm.depth; c += patch.depth) {
		uint32_t status;

		if (ethosu_machine_stopped(pool->machine))
			return ETHOSU_STOPPED;
		patch.c = c;
		patch.depth = op->ifm.depth - c < room ? op->ifm.depth - c : (uint32_t)room;
		status = ethosu_patch_read(pool->machine, op, &patch, 0, s->patch, NULL, s->row);
		if (status)
			return status;
		for (uint64_t i = 0; i < pixels; i++) {
			uint32_t y = (uint32_t)(i / box->width), x = (uint32_t)(i % box->width);
			int64_t sum = sum_of(&op->window, &patch, s->patch, y * op->window.stride_y,
					     x * op->window.stride_x);

			for (uint32_t k = 0; k < box->depth; k++)
				s->sums[i * box->depth + k] += sum;
		}
	}
	return 0;
}

/* What accumulators begin with, if not with 0. */
static uint32_t copy_box(const struct pool *pool, const struct ethosu_box *box, struct scratch *s)
{
	const struct ethosu_operation *op = pool->op;
	struct ethosu_port port = ethosu_port(pool->machine->bus, ETHOSU_CHANNEL_IFM);
	int64_t *sum = s->sums;
	uint32_t status = 0;

	for (uint32_t y = 0; y < box->height && !status; y++)
		for (uint32_t x = 0; x < box->width && !status; x++, sum += box->depth) {
			status = ethosu_map_read_wide(&op->ifm2, pool->machine, &port, box->y + y,
						      box->x + x, box->c, box->depth, sum);
			for (uint32_t c = 0; c < box->depth && !status; c++)
				sum[c] = (int64_t)((uint64_t)sum[c] -
						   (uint64_t)(int64_t)op->ifm2.zero_point);
		}
	return status;
}

static uint32_t run_box(void *context, const struct ethosu_box *box, uint32_t thread)
{
	const struct pool *pool = context;
	struct scratch *s = (struct scratch *)pool->machine->scratch[thread];
	struct ethosu_output output = ethosu_output(pool->machine, pool->op, pool->scaling,
						    pool->scales);
	int64_t *sum = s->sums;
	uint32_t status;

	if (pool->op->accumulators == ETHOSU_ACC_IFM2)
		status = copy_box(pool, box, s);
	else if (pool->op->mode == POOL_REDUCE_SUM)
		status = depth_box(pool, box, s);
	else
		status = window_box(pool, box, s);
	for (uint32_t y = 0; y < box->height && !status; y++)
		for (uint32_t x = 0; x < box->width && !status; x++, sum += box->depth)
			status = ethosu_output_put(&output, box->y + y, box->x + x, box->c,
						   box->depth, sum);
	return status;
}

static struct ethosu_grid cut(const struct ethosu_operation *op)
{
	const struct ethosu_window *w = &op->window;
	struct ethosu_grid grid = {
		op->ofm.height, op->ofm.width, op->ofm.depth, 1, 1, op->ofm.depth,
	};
	uint64_t area = (uint64_t)w->height * w->width, wide;
	uint64_t tall = (uint64_t)(w->height - 1) * w->dilation_y + 1;
	uint64_t broad = (uint64_t)(w->width - 1) * w->dilation_x + 1;

	if (op->mode == POOL_REDUCE_SUM) {
		area *= op->ifm.depth;
		wide = PATCH_MAX / (tall * broad * op->ifm.depth);
		if (wide > 1) {
			uint64_t most = 1 + (wide - 1) * broad / w->stride_x;

			grid.box_width = most < grid.width ? (uint32_t)most : grid.width;
		}
		while (grid.box_depth > 1 && (uint64_t)grid.box_depth * grid.box_width > SUMS_MAX)
			grid.box_depth = (grid.box_depth + 1) / 2;
		return grid;
	}
	while (grid.box_depth > 1 && tall * broad * grid.box_depth > PATCH_MAX)
		grid.box_depth = (grid.box_depth + 1) / 2;
	while (grid.box_depth > 1 && area * grid.box_depth > WORK_MAX)
		grid.box_depth = (grid.box_depth + 1) / 2;
	for (wide = grid.width; wide > 1; wide = (wide + 1) / 2)
		if (((wide - 1) * w->stride_x + broad) * tall * grid.box_depth <= PATCH_MAX &&
		    wide * grid.box_depth <= SUMS_MAX && wide * grid.box_depth * area <= WORK_MAX)
			break;
	grid.box_width = (uint32_t)wide;
	while (grid.box_height < grid.height &&
	       ((wide - 1) * w->stride_x + broad) * (grid.box_height * w->stride_y + tall) *
			       grid.box_depth <= PATCH_MAX / 2 &&
	       (grid.box_height + 1) * wide * grid.box_depth <= SUMS_MAX / 2 &&
	       (grid.box_height + 1) * wide * grid.box_depth * area <= WORK_MAX)
		grid.box_height++;
	return grid;
}

/* Windows of one byte: look results up. */
static uint32_t look_up(const struct pool *pool, bool *done)
{
	const struct ethosu_operation *op = pool->op;
	const struct ethosu_window *w = &op->window;
	struct ethosu_byte_table table = { .ifm = &op->ifm };
	struct ethosu_output output = ethosu_output(pool->machine, op, pool->scaling, NULL);

	*done = false;
	if (w->height * w->width != 1 || w->stride_y * w->stride_x != 1 || has_padding(w) ||
	    w->upscale || pool->scaling != ETHOSU_SCALED || op->mode == POOL_REDUCE_SUM ||
	    op->accumulators != ETHOSU_ACC_NEW ||
	    !ethosu_byte_table_fits(pool->machine, op, table.ifm))
		return 0;
	for (uint32_t i = 0; i < 256; i++)
		table.results[i] = ethosu_byte_table_value(&table, i) - op->ifm.zero_point;
	finish(pool, 1, 256, table.results);
	return ethosu_byte_table_run(&output, &table, done);
}

uint32_t ethosu_pool_run(struct ethosu_machine *machine, const struct ethosu_operation *op)
{
	struct pool pool = { .machine = machine, .op = op, .scaling = ETHOSU_SCALED };
	struct ethosu_grid grid;
	uint32_t status = 0;
	bool done = false;

	if (op->mode == POOL_NONE && op->accumulators != ETHOSU_ACC_IFM2)
		return ETHOSU_PARSE;
	if (op->accumulators == ETHOSU_ACC_KEEP ||
	    (op->mode == POOL_REDUCE_SUM && op->window.height * op->window.width > 1))
		return ETHOSU_PARSE;
	if (is_place(op->mode)) {
		/* The scale keeps values and places apart inside the hardware. */
		pool.scaling = ETHOSU_UNSCALED;
	} else if (!op->global_scale) {
		pool.scaling = ETHOSU_BY_CHANNEL;
		status = ethosu_kernel_scales(machine, op, &pool.scales);
	}
	if (!status)
		status = ethosu_output_prepare(machine, op);
	if (!status)
		status = look_up(&pool, &done);
	if (!status && !done) {
		grid = cut(op);
		status = ethosu_machine_run(machine, &grid, run_box, &pool);
	}
	free(pool.scales);
	return status;
}
