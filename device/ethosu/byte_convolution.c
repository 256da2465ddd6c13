// SPDX-License-Identifier: MIT
#include "device/ethosu/byte_convolution.h"

#include <stdlib.h>
#include <string.h>

#include "device/ethosu/byte_output.h"
#include "device/ethosu/engine.h"
#include "device/ethosu/feature_map.h"
#include "device/ethosu/kernel.h"
#include "hw/ethosu/opcode.h"
#include "device/ethosu/patch.h"

#define PATCH_MAX (2u << 20)	/* bytes of a patch */
#define RESULTS_MAX (1u << 20)	/* bytes of results */
#define ENGINE_MAX (4u << 20)	/* bytes of the engine's scratch and shared memory */
#define MACS_MAX (4u << 20)	/* products of a tile, unless one pixel has more */
#define BLOCK 16u		/* channels of a block of packed weights */
#define LENGTH_MAX 32768u	/* products of a sum, so that 32 bits hold it */
#define SLACK 256u		/* bytes behind a buffer that a kernel may read */

/* The scratch memory of a thread. */
struct scratch {
	_Alignas(64) uint8_t patch[PATCH_MAX + SLACK];
	_Alignas(64) uint8_t results[RESULTS_MAX + SLACK];
	_Alignas(64) uint8_t engine[ENGINE_MAX];
};
_Static_assert(sizeof(struct scratch) <= ETHOSU_SCRATCH_SIZE, "it fits");

/**
 * struct bytes - an operation while it runs
 * @machine: the machine
 * @op: the operation
 * @packed: its weights
 * @channels: the engine's parameters of channels
 * @depthwise: the operation is
 * @length: products of a sum
 * @output: output stage
 */
struct bytes {
	struct ethosu_machine *machine;
	const struct ethosu_operation *op;
	const struct ethosu_packed *packed;
	struct nnahw_channel *channels;
	bool depthwise;
	uint32_t length;
	struct ethosu_byte_output output;
};

/* ---- what the engine's commands can say ------------------------------------------------------ */

static bool fits(const struct ethosu_machine *machine, const struct ethosu_operation *op)
{
	const struct ethosu_window *w = &op->window;
	uint64_t length = (uint64_t)w->height * w->width *
			  (op->code == ETHOSU_OP_DEPTHWISE ? 1 : op->ifm.depth);

	return op->ifm.is_signed == op->ofm.is_signed && !w->upscale &&
	       op->accumulators == ETHOSU_ACC_NEW && !op->global_scale && length <= LENGTH_MAX &&
	       ethosu_engine_has(&op->ifm, op->ifm.zero_point) &&
	       op->ofm.zero_point >= -32768 && op->ofm.zero_point <= 65535 &&
	       ethosu_byte_output_fits(machine, op) && ethosu_map_has_bytes(&op->ifm, machine);
}

/* Return: whether the engine's rounding is the channel's. */
static bool take_channel(const struct bytes *b, const struct ethosu_channel_scale *scale,
			 uint32_t c)
{
	enum ethosu_rounding rounding = b->op->ofm_scale.rounding;
	struct nnahw_channel *channel = &b->channels[c];
	int64_t fold = (int64_t)b->op->ifm.zero_point *
		       (b->packed->sums[c] - (int64_t)b->length * b->packed->zero_point);

	if (scale->bias != (int32_t)scale->bias || scale->shift < 1 || scale->shift > 62 ||
	    scale->scale >> 31 || (scale->scale && scale->scale < 1u << 30))
		return false;
	if (rounding != ETHOSU_ROUND_DOUBLE &&
	    !(rounding == ETHOSU_ROUND_NATURAL && scale->shift <= 31))
		return false;
	channel->bias = (int32_t)(uint32_t)(scale->bias - fold);
	channel->multiplier = (int32_t)scale->scale;
	channel->shift = scale->shift;
	channel->weight_sum = b->packed->sums[c];
	return true;
}

/* ---- a box as a command ---------------------------------------------------------------------- */

static void fill_epilogue(const struct ethosu_operation *op, struct nnahw_epilogue *epilogue)
{
	epilogue->q_min = op->min;
	epilogue->q_max = op->max;
	epilogue->zero_point = op->ofm.zero_point;
}

/**
 * union raw - the parameters of a command
 */
union raw {
	struct nnahw_command head;
	struct nnahw_cmd_conv conv;
	struct nnahw_cmd_dwconv dwconv;
};

static void fill_raw(const struct bytes *b, union raw *raw)
{
	const struct ethosu_window *w = &b->op->window;

	memset(raw, 0, sizeof(*raw));
	if (b->depthwise) {
		raw->head.opcode = NNAHW_OP_DWCONV;
		raw->head.size = sizeof(raw->dwconv);
		raw->dwconv.layout = NNAHW_LAYOUT_PACKED8;
		raw->dwconv.multiplier = 1;
		raw->dwconv.kernel_h = w->height;
		raw->dwconv.kernel_w = w->width;
		raw->dwconv.stride_h = w->stride_y;
		raw->dwconv.stride_w = w->stride_x;
		raw->dwconv.dilation_h = w->dilation_y;
		raw->dwconv.dilation_w = w->dilation_x;
		fill_epilogue(b->op, &raw->dwconv.epilogue);
		return;
	}
	raw->head.opcode = NNAHW_OP_CONV;
	raw->head.size = sizeof(raw->conv);
	raw->conv.layout = NNAHW_LAYOUT_PACKED8;
	raw->conv.groups = 1;
	raw->conv.kernel_h = w->height;
	raw->conv.kernel_w = w->width;
	raw->conv.stride_h = w->stride_y;
	raw->conv.stride_w = w->stride_x;
	raw->conv.dilation_h = w->dilation_y;
	raw->conv.dilation_w = w->dilation_x;
	fill_epilogue(b->op, &raw->conv.epilogue);
}

_Static_assert((int)NNAHW_CONV_WEIGHTS == (int)NNAHW_DWCONV_WEIGHTS &&
		       (int)NNAHW_CONV_CHANNELS == (int)NNAHW_DWCONV_CHANNELS &&
		       (int)NNAHW_CONV_RESIDUAL == (int)NNAHW_DWCONV_RESIDUAL,
	       "operands of both are alike");

static void fill_command(const struct bytes *b, const struct ethosu_box *box,
			 const struct ethosu_patch *patch, const union raw *raw,
			 struct scratch *s, struct nnadev_engine_command *command)
{
	uint8_t type = ethosu_engine_type(&b->op->ifm);
	uint32_t blocks = (box->depth + BLOCK - 1) / BLOCK, steps = (b->length + 3) / 4;
	const uint32_t output[] = { 1, box->height, box->width, box->depth };
	const uint32_t input[] = { 1, patch->height, patch->width, patch->depth };
	const uint32_t conv[] = { blocks, steps, BLOCK, 4 };
	const uint32_t dwconv[] = { blocks, b->length, BLOCK };
	const uint32_t channels[] = { box->depth, 4 };
	uint64_t first = (uint64_t)box->c / BLOCK * BLOCK *
			 (b->depthwise ? b->length : (uint64_t)steps * 4);

	command->raw = &raw->head;
	command->operand_count = NNAHW_CONV_RESIDUAL + 1;
	command->entropy = 0;
	command->operands[NNAHW_CONV_OUTPUT] =
		ethosu_engine_operand(type, 0, s->results, 4, output);
	command->operands[NNAHW_CONV_INPUT] =
		ethosu_engine_operand(type, b->op->ifm.zero_point, s->patch, 4, input);
	command->operands[NNAHW_CONV_WEIGHTS] =
		ethosu_engine_operand(NNAHW_TYPE_S8, b->packed->zero_point,
				      b->packed->weights + first, b->depthwise ? 3 : 4,
				      b->depthwise ? dwconv : conv);
	command->operands[NNAHW_CONV_BIAS] = ethosu_engine_absent();
	command->operands[NNAHW_CONV_CHANNELS] =
		ethosu_engine_operand(NNAHW_TYPE_S32, 0, b->channels + box->c, 2, channels);
	command->operands[NNAHW_CONV_RESIDUAL] = ethosu_engine_absent();
}

/* ---- boxes ----------------------------------------------------------------------------------- */

/* Copy the part of the IFM that a box sees; padding is its zero point. */
static uint32_t read_patch(const struct bytes *b, const struct ethosu_patch *patch, uint8_t *to)
{
	struct ethosu_port port = ethosu_port(b->machine->bus, ETHOSU_CHANNEL_IFM);
	const struct ethosu_window *w = &b->op->window;
	int64_t first = patch->x < 0 ? 0 : patch->x, end = patch->x + patch->width;
	size_t row = (size_t)patch->width * patch->depth;

	if (end > w->view_width)
		end = w->view_width;
	for (uint32_t j = 0; j < patch->height; j++, to += row) {
		int64_t y = patch->y + j;
		uint32_t status;

		if (y < 0 || y >= w->view_height || first >= end) {
			memset(to, b->op->ifm.zero_point & 0xff, row);
			continue;
		}
		if (first != patch->x || end != patch->x + patch->width)
			memset(to, b->op->ifm.zero_point & 0xff, row);
		status = ethosu_map_read_bytes(&b->op->ifm, b->machine, &port, (uint32_t)y,
					       (uint32_t)first,
					       (uint32_t)(end - first), patch->c, patch->depth,
					       to + (size_t)(first - patch->x) * patch->depth);
		if (status)
			return status;
	}
	return 0;
}

static uint32_t run_box(void *context, const struct ethosu_box *box, uint32_t thread)
{
	const struct bytes *b = context;
	struct scratch *s = (struct scratch *)b->machine->scratch[thread];
	struct ethosu_patch patch =
		ethosu_patch_of(&b->op->window, box, b->depthwise ? box->c : 0,
				b->depthwise ? box->depth : b->op->ifm.depth);
	struct nnadev_engine_command command;
	uint32_t status = read_patch(b, &patch, s->patch);
	union raw raw;

	if (status)
		return status;
	fill_raw(b, &raw);
	fill_command(b, box, &patch, &raw, s, &command);
	/* The first box has shown that the engine takes such commands. */
	return ethosu_engine_run(b->machine, &command, s->engine, ENGINE_MAX)
		       ? ethosu_byte_output_put(&b->output, box, s->results)
		       : ETHOSU_MEMORY;
}

/* Return: whether a box of at least one pixel and one block of channels fits. */
static bool cut(const struct bytes *b, struct ethosu_grid *grid)
{
	const struct ethosu_operation *op = b->op;
	const struct ethosu_window *w = &op->window;
	uint64_t tall = (uint64_t)(w->height - 1) * w->dilation_y + 1;
	uint64_t broad = (uint64_t)(w->width - 1) * w->dilation_x + 1;
	uint64_t depth, wide, threads = b->machine->threads;

	*grid = (struct ethosu_grid){
		op->ofm.height, op->ofm.width, op->ofm.depth, 1, 1, op->ofm.depth,
	};
	while (grid->box_depth > BLOCK &&
	       ((uint64_t)grid->box_depth * b->length > MACS_MAX ||
		grid->box_depth > RESULTS_MAX / 4 ||
		(b->depthwise && tall * broad * grid->box_depth > PATCH_MAX) ||
		/* Few pixels: threads share the channels. */
		(threads > 1 && (uint64_t)grid->height * grid->width < 16 &&
		 grid->box_depth > 8 * BLOCK)))
		grid->box_depth = (grid->box_depth / 2 + BLOCK - 1) / BLOCK * BLOCK;
	depth = b->depthwise ? grid->box_depth : op->ifm.depth;
	for (wide = grid->width; wide > 1; wide = (wide + 1) / 2)
		if (((wide - 1) * w->stride_x + broad) * tall * depth <= PATCH_MAX &&
		    wide * grid->box_depth <= RESULTS_MAX &&
		    wide * grid->box_depth * b->length <= MACS_MAX)
			break;
	grid->box_width = (uint32_t)wide;
	while (grid->box_height < grid->height &&
	       ((wide - 1) * w->stride_x + broad) * (grid->box_height * w->stride_y + tall) *
			       depth <= PATCH_MAX &&
	       (grid->box_height + 1) * wide * grid->box_depth <= RESULTS_MAX &&
	       (grid->box_height + 1) * wide * grid->box_depth * b->length <= MACS_MAX &&
	       (threads == 1 || (grid->box_height + 1) * 2 * threads <= grid->height))
		grid->box_height++;
	return ((wide - 1) * w->stride_x + broad) * tall * depth <= PATCH_MAX;
}

/* True if the engine takes a box of the grid. The last box may be smaller; it is taken, too. */
static bool is_taken(const struct bytes *b, const struct ethosu_grid *grid)
{
	struct ethosu_box box = { 0, 0, 0, grid->box_height, grid->box_width, grid->box_depth };
	struct ethosu_patch patch =
		ethosu_patch_of(&b->op->window, &box, 0,
				b->depthwise ? box.depth : b->op->ifm.depth);
	struct scratch *s = (struct scratch *)b->machine->scratch[0];
	struct nnadev_engine_command command;
	union raw raw;

	fill_raw(b, &raw);
	fill_command(b, &box, &patch, &raw, s, &command);
	return ethosu_engine_takes(b->machine, &command, ENGINE_MAX);
}

uint32_t ethosu_byte_convolution_run(struct ethosu_machine *machine,
				     const struct ethosu_operation *op,
				     const struct ethosu_channel_scale *scales, bool *done)
{
	struct bytes b = {
		.machine = machine,
		.op = op,
		.depthwise = op->code == ETHOSU_OP_DEPTHWISE,
	};
	struct ethosu_grid grid;
	uint32_t status = 0;
	bool good;

	*done = false;
	if (machine->scalar || !fits(machine, op))
		return 0;
	b.packed = ethosu_kernel_packed(machine, op);
	b.channels = calloc(op->ofm.depth, sizeof(*b.channels));
	b.length = op->window.height * op->window.width * (b.depthwise ? 1 : op->ifm.depth);
	good = b.packed && b.channels;
	for (uint32_t c = 0; c < op->ofm.depth && good; c++)
		good = take_channel(&b, &scales[c], c);
	if (good && cut(&b, &grid) && is_taken(&b, &grid)) {
		*done = true;
		b.output = ethosu_byte_output(machine, op);
		status = ethosu_machine_run(machine, &grid, run_box, &b);
	}
	free(b.channels);
	return status;
}
