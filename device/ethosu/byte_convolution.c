// SPDX-License-Identifier: MIT
#include "device/ethosu/byte_convolution.h"

#include <stdlib.h>
#include <string.h>

#include "device/ethosu/feature_map.h"
#include "device/ethosu/kernel.h"
#include "device/ethosu/lut.h"
#include "hw/ethosu/opcode.h"
#include "device/ethosu/patch.h"
#include "device/nna/engine/engine.h"

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
 * @isa: of the engine
 * @depthwise: the operation is
 * @length: products of a sum
 * @lut: the activation of each byte, if it has a table
 * @has_lut: it has
 */
struct bytes {
	struct ethosu_machine *machine;
	const struct ethosu_operation *op;
	const struct ethosu_packed *packed;
	struct nnahw_channel *channels;
	enum nnadev_engine_isa isa;
	bool depthwise;
	uint32_t length;
	uint8_t lut[256];
	bool has_lut;
};

/* ---- what the engine's commands can say ------------------------------------------------------ */

static bool in_type(const struct ethosu_feature_map *map, int32_t value)
{
	return map->is_signed ? value >= -128 && value <= 127 : value >= 0 && value <= 255;
}

static bool fits(const struct ethosu_machine *machine, const struct ethosu_operation *op)
{
	const struct ethosu_window *w = &op->window;
	uint64_t length = (uint64_t)w->height * w->width *
			  (op->code == ETHOSU_OP_DEPTHWISE ? 1 : op->ifm.depth);

	return op->ifm.bytes == 1 && op->ofm.bytes == 1 &&
	       op->ifm.is_signed == op->ofm.is_signed && op->ifm.storage <= ETHOSU_IN_COLUMN &&
	       op->ofm.storage <= ETHOSU_IN_COLUMN && !w->upscale && !op->reverse &&
	       !op->transpose && op->accumulators == ETHOSU_ACC_NEW && !op->global_scale &&
	       length <= LENGTH_MAX && in_type(&op->ifm, op->ifm.zero_point) &&
	       in_type(&op->ofm, op->min) && in_type(&op->ofm, op->max) && op->min <= op->max &&
	       !(machine->config->generation == ETHOSU_U85 && op->clip & 1) &&
	       !ethosu_lut_is_function(machine->config, op) &&
	       op->ofm.zero_point >= -32768 && op->ofm.zero_point <= 65535;
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

static void take_lut(struct bytes *b)
{
	b->has_lut = ethosu_lut_used(b->machine->config, b->op);
	for (uint32_t i = 0; b->has_lut && i < 256; i++)
		b->lut[i] = (uint8_t)ethosu_lut_apply(b->machine, b->op,
						      b->op->ofm.is_signed ? (int8_t)i
									   : (int32_t)i);
}

/* ---- a box as a command ---------------------------------------------------------------------- */

static struct nnadev_engine_operand operand(uint8_t type, int32_t zero_point, void *data,
					    uint32_t rank, const uint32_t *dims)
{
	struct nnadev_engine_operand o = { .data = data, .count = 1, .contiguous = true };

	o.desc.type = type;
	o.desc.rank = (uint8_t)rank;
	o.desc.zero_point = zero_point;
	for (uint32_t k = rank; k-- > 0;) {
		o.desc.dims[k] = dims[k];
		o.desc.strides[k] = (int32_t)o.count;
		o.count *= dims[k];
	}
	return o;
}

static struct nnadev_engine_operand absent(void)
{
	return (struct nnadev_engine_operand){ .desc.slot = NNAHW_SLOT_NONE };
}

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
	uint8_t type = b->op->ifm.is_signed ? NNAHW_TYPE_S8 : NNAHW_TYPE_U8;
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
	command->operands[NNAHW_CONV_OUTPUT] = operand(type, 0, s->results, 4, output);
	command->operands[NNAHW_CONV_INPUT] =
		operand(type, b->op->ifm.zero_point, s->patch, 4, input);
	command->operands[NNAHW_CONV_WEIGHTS] =
		operand(NNAHW_TYPE_S8, b->packed->zero_point, b->packed->weights + first,
			b->depthwise ? 3 : 4, b->depthwise ? dwconv : conv);
	command->operands[NNAHW_CONV_BIAS] = absent();
	command->operands[NNAHW_CONV_CHANNELS] =
		operand(NNAHW_TYPE_S32, 0, b->channels + box->c, 2, channels);
	command->operands[NNAHW_CONV_RESIDUAL] = absent();
}

/* All tiles of a command, one after the other. Return: whether the engine did them. */
static bool run_command(const struct bytes *b, const struct nnadev_engine_command *command,
			struct scratch *s)
{
	struct nnadev_engine_plan plan;
	uint64_t shared;

	if (nnadev_engine_prepare(b->isa, 1, command, &plan) != NNAHW_STATUS_OK || plan.counted)
		return false;
	shared = ((uint64_t)plan.scratch_size + 63) / 64 * 64;
	if (shared + plan.shared_size > ENGINE_MAX)
		return false;
	for (uint32_t phase = 0; phase < plan.phases; phase++) {
		uint64_t rounds = plan.rounds[phase] ? plan.rounds[phase] : 1;

		for (plan.round = 0; plan.round < rounds; plan.round++)
			for (uint32_t tile = 0; tile < plan.phase_tiles[phase]; tile++)
				if (plan.run(command, &plan, phase, tile, s->engine,
					     s->engine + shared) != NNAHW_STATUS_OK)
					return false;
	}
	return true;
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
		status = ethosu_map_read_bytes(&b->op->ifm, &port, (uint32_t)y, (uint32_t)first,
					       (uint32_t)(end - first), patch->c, patch->depth,
					       to + (size_t)(first - patch->x) * patch->depth);
		if (status)
			return status;
	}
	return 0;
}

static uint32_t write_results(const struct bytes *b, const struct ethosu_box *box, uint8_t *from)
{
	struct ethosu_port port = ethosu_port(b->machine->bus, ETHOSU_CHANNEL_OFM);
	size_t row = (size_t)box->width * box->depth;
	uint32_t status = 0;

	for (size_t i = 0; b->has_lut && i < row * box->height; i++)
		from[i] = b->lut[from[i]];
	for (uint32_t y = 0; y < box->height && !status; y++)
		status = ethosu_map_write_bytes(&b->op->ofm, &port, box->y + y, box->x, box->width,
						box->c, box->depth, from + y * row);
	return status;
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
	return run_command(b, &command, s) ? write_results(b, box, s->results) : ETHOSU_MEMORY;
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
	struct nnadev_engine_plan plan;
	union raw raw;

	fill_raw(b, &raw);
	fill_command(b, &box, &patch, &raw, s, &command);
	return nnadev_engine_prepare(b->isa, 1, &command, &plan) == NNAHW_STATUS_OK &&
	       !plan.counted &&
	       (uint64_t)plan.scratch_size + 64 + plan.shared_size <= ENGINE_MAX;
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
	b.isa = nnadev_engine_isa_detect();
	b.length = op->window.height * op->window.width * (b.depthwise ? 1 : op->ifm.depth);
	good = b.packed && b.channels;
	for (uint32_t c = 0; c < op->ofm.depth && good; c++)
		good = take_channel(&b, &scales[c], c);
	if (good && cut(&b, &grid) && is_taken(&b, &grid)) {
		*done = true;
		take_lut(&b);
		status = ethosu_machine_run(machine, &grid, run_box, &b);
	}
	free(b.channels);
	return status;
}
