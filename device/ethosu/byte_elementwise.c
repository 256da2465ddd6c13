// SPDX-License-Identifier: MIT
#include "device/ethosu/byte_elementwise.h"

#include <string.h>

#include "device/ethosu/byte_output.h"
#include "device/ethosu/elementwise.h"
#include "device/ethosu/engine.h"
#include "device/ethosu/feature_map.h"

#define BOX_MAX 65536u	       /* elements of a tile */
#define ENGINE_MAX (4u << 20)  /* bytes of the engine's scratch and shared memory */
#define SLACK 256u	       /* bytes behind a buffer that a kernel may read */
#define HEADROOM 20u	       /* bits by which EWISE shifts operands of a sum to the left */
#define ONE (1u << 30)	       /* times 2^-30 */
#define SHIFT_MAX 62u

/* The scratch memory of a thread. */
struct scratch {
	_Alignas(64) uint8_t first[BOX_MAX + SLACK];
	_Alignas(64) uint8_t second[BOX_MAX + SLACK];
	_Alignas(64) uint8_t results[BOX_MAX + SLACK];
	_Alignas(64) uint8_t engine[ENGINE_MAX];
};
_Static_assert(sizeof(struct scratch) <= ETHOSU_SCRATCH_SIZE, "it fits");

/**
 * struct operand - an operand of the engine
 * @map: where it is
 * @scalar: it is the constant of the operation
 * @broadcast: dimensions of size 1: bits h 0, w 1, c 2
 */
struct operand {
	const struct ethosu_feature_map *map;
	bool scalar;
	uint32_t broadcast;
};

/**
 * struct bytes - an operation while it runs
 * @machine: the machine
 * @op: the operation
 * @a: first operand
 * @b: second operand
 * @raw: parameters of the command
 * @output: output stage
 */
struct bytes {
	struct ethosu_machine *machine;
	const struct ethosu_operation *op;
	struct operand a;
	struct operand b;
	struct nnahw_cmd_ewise raw;
	struct ethosu_byte_output output;
};

/* ---- what EWISE can say ---------------------------------------------------------------------- */

/**
 * struct stage - a stage of EWISE: a number times @multiplier * 2^-@shift
 */
struct stage {
	uint32_t multiplier;
	uint32_t shift;
};

/*
 * The stage that multiplies a number, which EWISE has shifted by @shifted to the left, by @scale.
 * Return: whether there is one that rounds alike.
 */
static bool stage_of(const struct ethosu_scale *scale, uint32_t shifted, struct stage *stage)
{
	if (scale->scale == 1 && !scale->shift && !scale->extra) {
		*stage = (struct stage){ ONE, 30 + shifted };
		return true;
	}
	stage->multiplier = scale->scale;
	stage->shift = (uint32_t)scale->shift + scale->extra;
	return scale->extra == shifted && scale->scale >= ONE && !(scale->scale >> 31) &&
	       stage->shift >= 1 && stage->shift <= SHIFT_MAX &&
	       (scale->rounding == ETHOSU_ROUND_DOUBLE ||
		(scale->rounding == ETHOSU_ROUND_NATURAL && stage->shift <= 31));
}

/* A factor of a U65, which is exact if it is a power of two. */
static bool stage_of_factor(uint32_t factor, struct stage *stage)
{
	if (!factor || factor & (factor - 1) || factor > 1u << 15)
		return false;
	*stage = (struct stage){ ONE, 30 + HEADROOM - (uint32_t)__builtin_ctz(factor) };
	return true;
}

/* The operands' stages of ADD and SUB of a U65. */
static bool stages_of_u65(const struct ethosu_operation *op, struct stage *a, struct stage *b)
{
	/* The other operand is halved: both are shifted by one less. */
	const struct stage half = { ONE, 31 };
	const struct ethosu_scale scale = {
		.scale = op->operand_a,
		.shift = (uint8_t)op->operand_a_shift,
		.extra = HEADROOM,
		.rounding = ETHOSU_ROUND_DOUBLE,
	};

	switch (op->operand) {
	case 0:
		return stage_of_factor(op->operand_a, a) && stage_of_factor(op->operand_b, b);
	case 1:
		*b = half;
		return stage_of(&scale, HEADROOM, a);
	default:
		*a = half;
		return stage_of(&scale, HEADROOM, b);
	}
}

/* The same of both generations: no intermediate result has more than 31 bits. */
static bool take_sum(struct bytes *e, const struct ethosu_scale *last)
{
	const struct ethosu_operation *op = e->op;
	bool u65 = e->machine->config->generation == ETHOSU_U65;
	struct stage a, b, sum;

	if (u65 ? !stages_of_u65(op, &a, &b)
		: !stage_of(&op->ifm_scale, HEADROOM, &a) ||
			  !stage_of(&op->ifm2_scale, HEADROOM, &b))
		return false;
	if (!stage_of(last, 0, &sum) || a.shift < 31 || b.shift < 31 || sum.shift < 30)
		return false;
	e->raw.op = op->mode == ETHOSU_ELEMENTWISE_ADD ? NNAHW_EWISE_ADD : NNAHW_EWISE_SUB;
	e->raw.a_scale = (int32_t)a.multiplier;
	e->raw.a_shift = (uint8_t)a.shift;
	e->raw.b_scale = (int32_t)b.multiplier;
	e->raw.b_shift = (uint8_t)b.shift;
	e->raw.multiplier = (int32_t)sum.multiplier;
	e->raw.shift = (int32_t)sum.shift;
	return true;
}

/* A product of two bytes less zero points has 17 bits. */
static bool take_product(struct bytes *e)
{
	struct stage stage;

	if (!stage_of(&e->op->ofm_scale, 0, &stage) || stage.shift < 17)
		return false;
	e->raw.op = NNAHW_EWISE_MUL;
	e->raw.a_scale = (int32_t)stage.multiplier;
	e->raw.shift = (int32_t)stage.shift;
	return true;
}

static bool has_bytes(const struct bytes *e, const struct operand *operand)
{
	if (!ethosu_engine_has(operand->map, operand->map->zero_point))
		return false;
	return operand->scalar ? operand->map->bytes == 1 &&
					 ethosu_engine_has(operand->map, e->op->constant)
			       : ethosu_map_has_bytes(operand->map, e->machine);
}

/* Return: whether EWISE describes the operation. */
static bool take(struct bytes *e, enum ethosu_scaling scaling)
{
	static const struct ethosu_scale one = { .scale = 1 };
	const struct ethosu_operation *op = e->op;

	e->raw.head.opcode = NNAHW_OP_EWISE;
	e->raw.head.size = sizeof(e->raw);
	e->raw.staged = 1;
	e->raw.q_min = op->min;
	e->raw.q_max = op->max;
	switch (op->mode) {
	case ETHOSU_ELEMENTWISE_ADD:
	case ETHOSU_ELEMENTWISE_SUB:
		if (!take_sum(e, scaling == ETHOSU_SCALED ? &op->ofm_scale : &one))
			return false;
		break;
	case ETHOSU_ELEMENTWISE_MUL:
		if (!take_product(e))
			return false;
		break;
	default:
		return false;
	}
	return ethosu_byte_output_fits(e->machine, op) &&
	       ethosu_engine_has(&op->ofm, op->ofm.zero_point) && has_bytes(e, &e->a) &&
	       has_bytes(e, &e->b);
}

/* ---- a box as a command ---------------------------------------------------------------------- */

/* Read what a box needs of an operand, and describe it to the engine. */
static uint32_t read_operand(const struct bytes *e, const struct operand *operand,
			     const struct ethosu_box *box, uint8_t *to,
			     struct nnadev_engine_operand *o)
{
	struct ethosu_port port = ethosu_port(e->machine->bus, ETHOSU_CHANNEL_IFM);
	const uint32_t dims[] = { box->height, box->width, box->depth };
	uint32_t broadcast = operand->scalar ? 7 : operand->broadcast;
	uint32_t rows = broadcast & 1 ? 1 : box->height, columns = broadcast & 2 ? 1 : box->width;
	uint32_t n = broadcast & 4 ? 1 : box->depth, status = 0;

	*o = ethosu_engine_operand(ethosu_engine_type(operand->map), operand->map->zero_point, to,
				   3, dims);
	o->desc.scale = 1;
	o->desc.strides[0] = broadcast & 1 ? 0 : (int32_t)(columns * n);
	o->desc.strides[1] = broadcast & 2 ? 0 : (int32_t)n;
	o->desc.strides[2] = broadcast & 4 ? 0 : 1;
	o->contiguous = !broadcast;
	if (operand->scalar)
		*to = (uint8_t)e->op->constant;
	for (uint32_t y = 0; y < rows && !operand->scalar && !status; y++)
		status = ethosu_map_read_bytes(operand->map, e->machine, &port,
					       broadcast & 1 ? 0 : box->y + y,
					       broadcast & 2 ? 0 : box->x, columns,
					       broadcast & 4 ? 0 : box->c, n,
					       to + (size_t)y * columns * n);
	return status;
}

static uint32_t run_box(void *context, const struct ethosu_box *box, uint32_t thread)
{
	const struct bytes *e = context;
	struct scratch *s = (struct scratch *)e->machine->scratch[thread];
	const uint32_t dims[] = { box->height, box->width, box->depth };
	struct nnadev_engine_command command = {
		.raw = &e->raw.head,
		.operand_count = NNAHW_EWISE_C + 1,
	};
	struct nnadev_engine_operand *o = command.operands;
	uint32_t status = read_operand(e, &e->a, box, s->first, &o[NNAHW_EWISE_A]);

	if (!status)
		status = read_operand(e, &e->b, box, s->second, &o[NNAHW_EWISE_B]);
	if (status)
		return status;
	o[NNAHW_EWISE_C] = ethosu_engine_absent();
	o[NNAHW_EWISE_OUTPUT] = ethosu_engine_operand(ethosu_engine_type(&e->op->ofm),
						      e->op->ofm.zero_point, s->results, 3, dims);
	o[NNAHW_EWISE_OUTPUT].desc.scale = 1;
	return ethosu_engine_run(e->machine, &command, s->engine, ENGINE_MAX)
		       ? ethosu_byte_output_put(&e->output, box, s->results)
		       : ETHOSU_MEMORY;
}

uint32_t ethosu_byte_elementwise_run(struct ethosu_machine *machine,
				     const struct ethosu_operation *op,
				     enum ethosu_scaling scaling, bool *done)
{
	const struct operand ifm = { &op->ifm, op->scalar, op->broadcast };
	const struct operand ifm2 = { &op->ifm2, op->scalar2, op->broadcast2 };
	struct ethosu_grid grid = ethosu_grid_of_rows(&op->ofm, BOX_MAX);
	struct bytes e = {
		.machine = machine,
		.op = op,
		.a = op->reversed ? ifm2 : ifm,
		.b = op->reversed ? ifm : ifm2,
	};

	*done = !machine->scalar && take(&e, scaling);
	if (!*done)
		return 0;
	e.output = ethosu_byte_output(machine, op);
	return ethosu_machine_run(machine, &grid, run_box, &e);
}
