// SPDX-License-Identifier: MIT
#include "device/ethosu/resize.h"

#include "device/ethosu/feature_map.h"
#include "device/ethosu/output.h"

enum {
	BILINEAR = 0,
	REPLICATE = 1,
	NEAREST = 2,
};

#define FRACTION_BITS 16 /* of results, which the OFM's shift takes away */
#define DEPTH_MAX 65536u

/* The scratch memory of a thread. */
struct scratch {
	int32_t corners[4][DEPTH_MAX];
	int64_t values[DEPTH_MAX];
};
_Static_assert(sizeof(struct scratch) <= ETHOSU_SCRATCH_SIZE, "it fits");

struct resize {
	struct ethosu_machine *machine;
	const struct ethosu_operation *op;
};

/**
 * struct place - where along an axis a result lies
 * @at: elements left and right of it
 * @part: its distance from the left one, in parts
 * @whole: parts from one to the other
 */
struct place {
	uint32_t at[2];
	int64_t part;
	int64_t whole;
};

static uint32_t clamp(int64_t at, uint32_t size)
{
	return at < 0 ? 0 : at >= size ? size - 1 : (uint32_t)at;
}

static struct place place_of(const struct ethosu_operation *op, uint32_t axis, uint32_t index,
			     uint32_t size)
{
	int64_t n = op->resize[axis].numerator;
	int64_t position = (int64_t)index * op->resize[axis].step + op->resize[axis].offset;
	int64_t at = position >= 0 ? position / n : -((-position + n - 1) / n);

	return (struct place){ { clamp(at, size), clamp(at + 1, size) }, position - at * n, n };
}

/* Modes other than BILINEAR take one element. Return: whether it is the right one of two. */
static bool takes_second(const struct ethosu_operation *op, const struct place *place)
{
	return op->mode == NEAREST && place->part * 2 >= place->whole;
}

/* The results of a pixel, with FRACTION_BITS, from the four around it. */
static void blend(const struct ethosu_operation *op, const struct place *py, const struct place *px,
		  uint32_t depth, struct scratch *s)
{
	const int32_t *one = s->corners[2 * takes_second(op, py) + takes_second(op, px)];
	int64_t zero = op->ifm.zero_point, right = px->part, left = px->whole - right;
	int64_t low = py->part, top = py->whole - low;

	for (uint32_t c = 0; op->mode != BILINEAR && c < depth; c++)
		s->values[c] = (one[c] - zero) * (1 << FRACTION_BITS);
	for (uint32_t c = 0; op->mode == BILINEAR && c < depth; c++) {
		int64_t upper = (s->corners[0][c] - zero) * left +
				(s->corners[1][c] - zero) * right;
		int64_t lower = (s->corners[2][c] - zero) * left +
				(s->corners[3][c] - zero) * right;

		s->values[c] = (upper * top + lower * low) * (1 << FRACTION_BITS);
	}
}

static uint32_t run_box(void *context, const struct ethosu_box *box, uint32_t thread)
{
	const struct resize *r = context;
	const struct ethosu_operation *op = r->op;
	struct scratch *s = (struct scratch *)r->machine->scratch[thread];
	struct ethosu_output output = ethosu_output(r->machine, op, ETHOSU_SCALED, NULL);
	struct ethosu_port port = ethosu_port(r->machine->bus, ETHOSU_CHANNEL_IFM);
	struct place py = place_of(op, 1, box->y, op->ifm.height), before = py;
	uint32_t status = 0;

	for (uint32_t x = box->x; x < box->x + box->width && !status; x++) {
		struct place px = place_of(op, 0, x, op->ifm.width);
		/* Neighbours mostly lie between the same four. */
		bool same = x > box->x && px.at[0] == before.at[0] && px.at[1] == before.at[1];

		for (uint32_t i = 0; i < 4 && !same && !status; i++)
			status = ethosu_map_read(&op->ifm, r->machine, &port, py.at[i >> 1],
						 px.at[i & 1], box->c, box->depth, s->corners[i]);
		if (status)
			break;
		before = px;
		blend(op, &py, &px, box->depth, s);
		status = ethosu_output_put(&output, box->y, x, box->c, box->depth, s->values);
	}
	return status;
}

uint32_t ethosu_resize_run(struct ethosu_machine *machine, const struct ethosu_operation *op)
{
	struct resize r = { machine, op };
	struct ethosu_grid grid = {
		op->ofm.height, op->ofm.width, op->ofm.depth, 1, 1, op->ofm.depth,
	};
	uint32_t status;

	if (op->ifm.depth < op->ofm.depth)
		return ETHOSU_PARSE;
	status = ethosu_output_prepare(machine, op);
	if (status)
		return status;
	grid.box_width = DEPTH_MAX / grid.depth;
	if (grid.box_width > grid.width)
		grid.box_width = grid.width;
	return ethosu_machine_run(machine, &grid, run_box, &r);
}
