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

static uint32_t run_box(void *context, const struct ethosu_box *box, uint32_t thread)
{
	const struct resize *r = context;
	const struct ethosu_operation *op = r->op;
	struct scratch *s = (struct scratch *)r->machine->scratch[thread];
	struct ethosu_output output = ethosu_output(r->machine, op, ETHOSU_SCALED, NULL);
	struct ethosu_port port = ethosu_port(r->machine->bus, ETHOSU_CHANNEL_IFM);

	for (uint32_t x = box->x; x < box->x + box->width; x++) {
		struct place py = place_of(op, 1, box->y, op->ifm.height);
		struct place px = place_of(op, 0, x, op->ifm.width);
		uint32_t status = 0;

		if (op->mode == NEAREST) {
			py.part = py.part * 2 >= py.whole ? py.whole : 0;
			px.part = px.part * 2 >= px.whole ? px.whole : 0;
		} else if (op->mode == REPLICATE) {
			py.part = 0;
			px.part = 0;
		}
		for (uint32_t i = 0; i < 4 && !status; i++)
			status = ethosu_map_read(&op->ifm, r->machine, &port, py.at[i >> 1],
						 px.at[i & 1], box->c, box->depth, s->corners[i]);
		if (status)
			return status;
		for (uint32_t c = 0; c < box->depth; c++) {
			int64_t zero = op->ifm.zero_point;
			int64_t top = (s->corners[0][c] - zero) * (px.whole - px.part) +
				      (s->corners[1][c] - zero) * px.part;
			int64_t low = (s->corners[2][c] - zero) * (px.whole - px.part) +
				      (s->corners[3][c] - zero) * px.part;
			int64_t sum = top * (py.whole - py.part) + low * py.part;

			if (op->mode != BILINEAR)
				sum /= px.whole * py.whole;
			s->values[c] = sum * (1 << FRACTION_BITS);
		}
		status = ethosu_output_put(&output, box->y, x, box->c, box->depth, s->values);
		if (status)
			return status;
	}
	return 0;
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
