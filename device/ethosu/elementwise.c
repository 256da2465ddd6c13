// SPDX-License-Identifier: MIT
#include "device/ethosu/elementwise.h"

#include "device/ethosu/feature_map.h"
#include "device/ethosu/output.h"
#include "device/ethosu/rounding.h"

enum {
	MUL = 0,
	ADD = 1,
	SUB = 2,
	MIN = 3,
	MAX = 4,
	LRELU = 5,
	ABS = 6,
	CLZ = 7,
	SHR = 8,
	SHL = 9,
	LSR = 10,
	DIV = 11,
	CMP_EQ = 16,
	CMP_NE = 17,
	CMP_GE = 18,
	CMP_GT = 19,
	AND = 33,
	OR = 34,
	XOR = 35,
	NOT = 36,
	AND_NOT = 42,
};

#define BOX_MAX 65536u /* elements of a tile */

/* The scratch memory of a thread. */
struct scratch {
	int32_t a[BOX_MAX];
	int32_t b[BOX_MAX];
	int64_t values[BOX_MAX];
};
_Static_assert(sizeof(struct scratch) <= ETHOSU_SCRATCH_SIZE, "it fits");

/**
 * struct elementwise - an operation while it runs
 * @machine: the machine
 * @op: the operation
 * @scaling: how results are scaled
 * @unary: it has one operand
 */
struct elementwise {
	struct ethosu_machine *machine;
	const struct ethosu_operation *op;
	enum ethosu_scaling scaling;
	bool unary;
};

static bool is_unary(uint32_t mode)
{
	return mode == LRELU || mode == ABS || mode == CLZ || mode == NOT;
}

/* Bits by which operands of a U65 are shifted left before one is scaled. */
static uint32_t headroom(const struct ethosu_operation *op)
{
	return op->ifm.bytes == 1 ? 20 : 15;
}

/* ADD and SUB of a U65: operand A is @a, of any order. */
static void scale_u65(const struct ethosu_operation *op, int64_t *a, int64_t *b)
{
	struct ethosu_scale scale = {
		.scale = op->operand_a,
		.shift = (uint8_t)op->operand_a_shift,
		.extra = (uint8_t)headroom(op),
		.rounding = ETHOSU_ROUND_DOUBLE,
	};

	if (op->ifm.bytes > 2)
		return;
	switch (op->operand) {
	case 0:
		*a *= op->operand_a;
		*b *= op->operand_b;
		break;
	case 1:
		*a = ethosu_scale_apply(&scale, *a);
		*b *= 1 << (scale.extra - 1);
		break;
	default:
		*b = ethosu_scale_apply(&scale, *b);
		*a *= 1 << (scale.extra - 1);
		break;
	}
}

/* Wraps at 32 bits. */
static int64_t wrap(int64_t value)
{
	return (int32_t)(uint32_t)value;
}

static int64_t clamp32(int64_t value)
{
	return value < INT32_MIN ? INT32_MIN : value > INT32_MAX ? INT32_MAX : value;
}

static int64_t multiply(const struct ethosu_operation *op, int64_t a, int64_t b)
{
	/* Of operands of 32 bits the shift alone counts. */
	if (op->ifm.bytes == 4)
		return ethosu_round((__int128)a * b, op->ofm_scale.shift, op->ofm_scale.rounding);
	return ethosu_scale_apply(&op->ofm_scale, a * b);
}

static int64_t sum(const struct elementwise *e, int64_t a, int64_t b)
{
	const struct ethosu_operation *op = e->op;

	if (e->machine->config->generation == ETHOSU_U65)
		scale_u65(op, &a, &b);
	a = op->mode == ADD ? a + b : a - b;
	return op->ifm.bytes == 4 ? clamp32(a) : a;
}

static int64_t leaky(const struct elementwise *e, int64_t a)
{
	const struct ethosu_operation *op = e->op;

	if (e->machine->config->generation == ETHOSU_U65)
		return a < 0 ? ethosu_scale_apply(&op->ofm_scale, a) : a;
	return ethosu_scale_apply(a < 0 ? &op->ifm2_scale : &op->ifm_scale, a);
}

static int64_t quotient(int64_t a, int64_t b)
{
	return b ? a / b : 0;
}

/* @b is a shift; of one that is not less than 32, 31 stays. */
static uint32_t shift_of(int64_t b)
{
	return b < 0 ? 0 : b > 31 ? 31 : (uint32_t)b;
}

/* The result of a comparison: all bits of the OFM's type, or none. AND and AND_NOT select by it. */
static int64_t mask(const struct ethosu_operation *op, bool holds)
{
	if (!holds)
		return 0;
	return op->ofm.is_signed || op->ofm.bytes == 8 ? -1 : (1ll << 8 * op->ofm.bytes) - 1;
}

static int64_t compute(const struct elementwise *e, int64_t a, int64_t b)
{
	switch (e->op->mode) {
	case MUL:
		return multiply(e->op, a, b);
	case ADD:
	case SUB:
		return sum(e, a, b);
	case MIN:
		return a < b ? a : b;
	case MAX:
		return a > b ? a : b;
	case LRELU:
		return leaky(e, a);
	case ABS:
		return a < 0 ? -a : a;
	case CLZ:
		return (uint32_t)a ? __builtin_clz((uint32_t)a) : 32;
	case SHR:
		return ethosu_round(a, shift_of(b), e->op->ofm_scale.rounding);
	case SHL:
		return b < 0 || b > 31 ? 0 : wrap((int64_t)((uint64_t)a << b));
	case LSR:
		return b < 0 || b > 31 ? 0 : (int64_t)((uint32_t)a >> b);
	case DIV:
		return quotient(a, b);
	case CMP_EQ:
		return mask(e->op, a == b);
	case CMP_NE:
		return mask(e->op, a != b);
	case CMP_GE:
		return mask(e->op, a >= b);
	case CMP_GT:
		return mask(e->op, a > b);
	case AND:
		return a & b;
	case OR:
		return a | b;
	case XOR:
		return a ^ b;
	case NOT:
		return ~a;
	default:
		return a & ~b;
	}
}

static bool is_known(const struct ethosu_config *config, uint32_t mode)
{
	if (mode <= SHL)
		return true;
	return config->generation == ETHOSU_U85 &&
	       (mode <= DIV || (mode >= CMP_EQ && mode <= CMP_GT) || (mode >= AND && mode <= NOT) ||
		mode == AND_NOT);
}

/* Operands of a U85 are scaled, each by its own scale. */
static bool scales_operands(const struct elementwise *e)
{
	uint32_t mode = e->op->mode;

	return e->machine->config->generation == ETHOSU_U85 &&
	       (mode == ADD || mode == SUB || mode == MIN || mode == MAX || mode == ABS ||
		(mode >= CMP_EQ && mode <= CMP_GT));
}

/* Read an operand of a row of pixels: @values has as many channels as the box, or 1. */
static uint32_t read_operand(const struct elementwise *e, const struct ethosu_feature_map *map,
			     uint32_t broadcast, const struct ethosu_box *box, uint32_t y,
			     int32_t *values)
{
	struct ethosu_port port = ethosu_port(e->machine->bus, ETHOSU_CHANNEL_IFM);
	uint32_t n = broadcast & 4 ? 1 : box->depth, c = broadcast & 4 ? 0 : box->c;
	uint32_t columns = broadcast & 2 ? 1 : box->width, x = broadcast & 2 ? 0 : box->x;
	uint32_t status = 0;

	for (uint32_t i = 0; i < columns && !status; i++, values += n)
		status = ethosu_map_read(map, e->machine, &port, broadcast & 1 ? 0 : y, x + i, c, n,
					 values);
	return status;
}

/**
 * struct operand - how an operand's values are found in what was read
 * @values: values of a row; NULL for a scalar
 * @constant: value of a scalar
 * @zero_point: subtracted
 * @step_x: values per column
 * @step_c: values per channel
 * @scale: of a U85, or NULL
 */
struct operand {
	const int32_t *values;
	int32_t constant;
	int32_t zero_point;
	uint32_t step_x;
	uint32_t step_c;
	const struct ethosu_scale *scale;
};

static int64_t value_of(const struct operand *o, uint32_t x, uint32_t c)
{
	int64_t value = o->values ? o->values[x * o->step_x + c * o->step_c] : o->constant;

	value -= o->zero_point;
	return o->scale ? ethosu_scale_apply(o->scale, value) : value;
}

static struct operand operand(const struct elementwise *e, const struct ethosu_feature_map *map,
			      bool scalar, uint32_t broadcast, const struct ethosu_box *box,
			      const int32_t *values, const struct ethosu_scale *scale)
{
	uint32_t n = broadcast & 4 ? 1 : box->depth;

	return (struct operand){
		.values = scalar ? NULL : values,
		.constant = e->op->constant,
		.zero_point = map->zero_point,
		.step_x = broadcast & 2 ? 0 : n,
		.step_c = broadcast & 4 ? 0 : 1,
		.scale = scales_operands(e) ? scale : NULL,
	};
}

static uint32_t run_box(void *context, const struct ethosu_box *box, uint32_t thread)
{
	const struct elementwise *e = context;
	const struct ethosu_operation *op = e->op;
	struct scratch *s = (struct scratch *)e->machine->scratch[thread];
	struct ethosu_output output = ethosu_output(e->machine, op, e->scaling, NULL);
	struct operand a = operand(e, &op->ifm, op->scalar, op->broadcast, box, s->a,
				   &op->ifm_scale);
	struct operand b = operand(e, &op->ifm2, op->scalar2, op->broadcast2, box, s->b,
				   &op->ifm2_scale);
	uint32_t status = 0;

	for (uint32_t y = box->y; y < box->y + box->height && !status; y++) {
		if (!op->scalar)
			status = read_operand(e, &op->ifm, op->broadcast, box, y, s->a);
		if (!status && !op->scalar2 && !e->unary)
			status = read_operand(e, &op->ifm2, op->broadcast2, box, y, s->b);
		for (uint32_t x = 0; x < box->width && !status; x++) {
			for (uint32_t c = 0; c < box->depth; c++) {
				int64_t first = value_of(&a, x, c);
				int64_t second = e->unary ? 0 : value_of(&b, x, c);

				s->values[c] = op->reversed ? compute(e, second, first)
							    : compute(e, first, second);
			}
			status = ethosu_output_put(&output, y, box->x + x, box->c, box->depth,
						   s->values);
		}
	}
	return status;
}

static enum ethosu_scaling scaling_of(const struct ethosu_config *config,
				      const struct ethosu_operation *op)
{
	bool u65 = config->generation == ETHOSU_U65;

	if (op->mode == MUL || op->mode == CLZ || op->mode == SHR || op->mode == SHL ||
	    op->mode == LSR || op->mode == DIV || op->mode >= CMP_EQ || (u65 && op->mode == LRELU))
		return ETHOSU_UNSCALED;
	return op->global_scale ? ETHOSU_SCALED : ETHOSU_UNSCALED;
}

uint32_t ethosu_elementwise_run(struct ethosu_machine *machine, const struct ethosu_operation *op)
{
	struct elementwise e = {
		.machine = machine,
		.op = op,
		.scaling = scaling_of(machine->config, op),
		.unary = is_unary(op->mode),
	};
	struct ethosu_grid grid = {
		op->ofm.height, op->ofm.width, op->ofm.depth, 1, 1, op->ofm.depth,
	};
	uint32_t status;

	if (!is_known(machine->config, op->mode) || (op->scalar && op->scalar2 && !e.unary))
		return ETHOSU_PARSE;
	status = ethosu_output_prepare(machine, op);
	if (status)
		return status;
	grid.box_width = BOX_MAX / grid.depth;
	if (grid.box_width > grid.width)
		grid.box_width = grid.width;
	/* Rows are read one by one, so a box may have some. */
	grid.box_height = BOX_MAX / (grid.box_width * grid.depth);
	if (grid.box_height > grid.height)
		grid.box_height = grid.height;
	return ethosu_machine_run(machine, &grid, run_box, &e);
}
