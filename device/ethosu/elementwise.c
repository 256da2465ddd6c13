// SPDX-License-Identifier: MIT
#include "device/ethosu/elementwise.h"

#include "device/ethosu/byte_elementwise.h"
#include "device/ethosu/byte_table.h"
#include "device/ethosu/feature_map.h"
#include "device/ethosu/output.h"
#include "device/ethosu/rounding.h"

#define BOX_MAX 65536u /* elements of a tile */

/* The scratch memory of a thread. */
struct scratch {
	int32_t a[BOX_MAX];
	int32_t b[BOX_MAX];
	int64_t first[BOX_MAX];
	int64_t second[BOX_MAX];
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
	return mode == ETHOSU_ELEMENTWISE_LRELU || mode == ETHOSU_ELEMENTWISE_ABS ||
	       mode == ETHOSU_ELEMENTWISE_CLZ || mode == ETHOSU_ELEMENTWISE_NOT;
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
	int64_t product;

	/* Of operands of 32 bits the shift alone counts. */
	if (op->ifm.bytes == 4 && op->ofm_scale.shift < 63 &&
	    !__builtin_mul_overflow(a, b, &product) && product >> 62 == product >> 63)
		return ethosu_round_short(product, op->ofm_scale.shift, op->ofm_scale.rounding);
	if (op->ifm.bytes == 4)
		return ethosu_round((__int128)a * b, op->ofm_scale.shift, op->ofm_scale.rounding);
	return ethosu_scale_apply(&op->ofm_scale, a * b);
}

static int64_t sum(const struct elementwise *e, int64_t a, int64_t b)
{
	const struct ethosu_operation *op = e->op;

	if (e->machine->config->generation == ETHOSU_U65)
		scale_u65(op, &a, &b);
	a = op->mode == ETHOSU_ELEMENTWISE_ADD ? a + b : a - b;
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

static inline __attribute__((always_inline)) int64_t
compute(const struct elementwise *e, const uint32_t mode, int64_t a, int64_t b)
{
	switch (mode) {
	case ETHOSU_ELEMENTWISE_MUL:
		return multiply(e->op, a, b);
	case ETHOSU_ELEMENTWISE_ADD:
	case ETHOSU_ELEMENTWISE_SUB:
		return sum(e, a, b);
	case ETHOSU_ELEMENTWISE_MIN:
		return a < b ? a : b;
	case ETHOSU_ELEMENTWISE_MAX:
		return a > b ? a : b;
	case ETHOSU_ELEMENTWISE_LRELU:
		return leaky(e, a);
	case ETHOSU_ELEMENTWISE_ABS:
		return a < 0 ? -a : a;
	case ETHOSU_ELEMENTWISE_CLZ:
		return (uint32_t)a ? __builtin_clz((uint32_t)a) : 32;
	case ETHOSU_ELEMENTWISE_SHR:
		/* A number of 32 bits less a zero point is far below 2^62. */
		return ethosu_round_short(a, shift_of(b), e->op->ofm_scale.rounding);
	case ETHOSU_ELEMENTWISE_SHL:
		return b < 0 || b > 31 ? 0 : wrap((int64_t)((uint64_t)a << b));
	case ETHOSU_ELEMENTWISE_LSR:
		return b < 0 || b > 31 ? 0 : (int64_t)((uint32_t)a >> b);
	case ETHOSU_ELEMENTWISE_DIV:
		return quotient(a, b);
	case ETHOSU_ELEMENTWISE_CMP_EQ:
		return mask(e->op, a == b);
	case ETHOSU_ELEMENTWISE_CMP_NE:
		return mask(e->op, a != b);
	case ETHOSU_ELEMENTWISE_CMP_GE:
		return mask(e->op, a >= b);
	case ETHOSU_ELEMENTWISE_CMP_GT:
		return mask(e->op, a > b);
	case ETHOSU_ELEMENTWISE_AND:
		return a & b;
	case ETHOSU_ELEMENTWISE_OR:
		return a | b;
	case ETHOSU_ELEMENTWISE_XOR:
		return a ^ b;
	case ETHOSU_ELEMENTWISE_NOT:
		return ~a;
	default:
		return a & ~b;
	}
}

static inline __attribute__((always_inline)) void
compute_each(const struct elementwise *e, const uint32_t mode, uint32_t n, const int64_t *a,
	     const int64_t *b, int64_t *to)
{
	for (uint32_t i = 0; i < n; i++)
		to[i] = compute(e, mode, a[i], b[i]);
}

/* @n results. The modes of long rows, those of a SOFTMAX, have loops of their own. */
static void compute_row(const struct elementwise *e, uint32_t n, const int64_t *a, const int64_t *b,
			int64_t *to)
{
	switch (e->op->mode) {
	case ETHOSU_ELEMENTWISE_MUL:
		compute_each(e, ETHOSU_ELEMENTWISE_MUL, n, a, b, to);
		break;
	case ETHOSU_ELEMENTWISE_ADD:
		compute_each(e, ETHOSU_ELEMENTWISE_ADD, n, a, b, to);
		break;
	case ETHOSU_ELEMENTWISE_SUB:
		compute_each(e, ETHOSU_ELEMENTWISE_SUB, n, a, b, to);
		break;
	case ETHOSU_ELEMENTWISE_SHR:
		compute_each(e, ETHOSU_ELEMENTWISE_SHR, n, a, b, to);
		break;
	case ETHOSU_ELEMENTWISE_SHL:
		compute_each(e, ETHOSU_ELEMENTWISE_SHL, n, a, b, to);
		break;
	default:
		compute_each(e, e->op->mode, n, a, b, to);
		break;
	}
}

static bool is_comparison(uint32_t mode)
{
	return mode >= ETHOSU_ELEMENTWISE_CMP_EQ && mode <= ETHOSU_ELEMENTWISE_CMP_GT;
}

static bool is_known(const struct ethosu_config *config, uint32_t mode)
{
	if (mode <= ETHOSU_ELEMENTWISE_SHL)
		return true;
	return config->generation == ETHOSU_U85 &&
	       (mode <= ETHOSU_ELEMENTWISE_DIV || is_comparison(mode) ||
		(mode >= ETHOSU_ELEMENTWISE_AND && mode <= ETHOSU_ELEMENTWISE_NOT) ||
		mode == ETHOSU_ELEMENTWISE_AND_NOT);
}

/* Operands of a U85 are scaled, each by its own scale. */
static bool scales_operands(const struct elementwise *e)
{
	uint32_t mode = e->op->mode;

	return e->machine->config->generation == ETHOSU_U85 &&
	       (mode == ETHOSU_ELEMENTWISE_ADD || mode == ETHOSU_ELEMENTWISE_SUB ||
		mode == ETHOSU_ELEMENTWISE_MIN || mode == ETHOSU_ELEMENTWISE_MAX ||
		mode == ETHOSU_ELEMENTWISE_ABS || is_comparison(mode));
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

/* The values of @n channels of a pixel, less the zero point, and scaled. */
static void take_values(const struct operand *o, uint32_t x, uint32_t n, int64_t *to)
{
	const int32_t *from = o->values ? o->values + (size_t)x * o->step_x : &o->constant;
	uint32_t step = o->values ? o->step_c : 0;

	for (uint32_t c = 0; c < n; c++, from += step)
		to[c] = (int64_t)*from - o->zero_point;
	for (uint32_t c = 0; o->scale && c < n; c++)
		to[c] = ethosu_scale_apply(o->scale, to[c]);
}

static struct operand operand(const struct elementwise *e, const struct ethosu_feature_map *map,
			      bool scalar, uint32_t broadcast, uint32_t depth,
			      const int32_t *values, const struct ethosu_scale *scale)
{
	uint32_t n = broadcast & 4 ? 1 : depth;

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
	struct operand a = operand(e, &op->ifm, op->scalar, op->broadcast, box->depth, s->a,
				   &op->ifm_scale);
	struct operand b = operand(e, &op->ifm2, op->scalar2, op->broadcast2, box->depth, s->b,
				   &op->ifm2_scale);
	uint32_t status = 0;

	for (uint32_t y = box->y; y < box->y + box->height && !status; y++) {
		if (!op->scalar)
			status = read_operand(e, &op->ifm, op->broadcast, box, y, s->a);
		if (!status && !op->scalar2 && !e->unary)
			status = read_operand(e, &op->ifm2, op->broadcast2, box, y, s->b);
		for (uint32_t x = 0; x < box->width && !status; x++) {
			take_values(&a, x, box->depth, s->first);
			if (!e->unary)
				take_values(&b, x, box->depth, s->second);
			if (op->reversed && !e->unary)
				compute_row(e, box->depth, s->second, s->first, s->values);
			else
				compute_row(e, box->depth, s->first, s->second, s->values);
			status = ethosu_output_put(&output, y, box->x + x, box->c, box->depth,
						   s->values);
		}
	}
	return status;
}

/* Look results up, where one operand varies and has bytes. */
static uint32_t look_up(const struct elementwise *e, bool *done)
{
	const struct ethosu_operation *op = e->op;
	bool first = e->unary || op->scalar2;
	struct ethosu_byte_table table = { .ifm = first ? &op->ifm : &op->ifm2 };
	const struct ethosu_scale *scales[2] = { &op->ifm_scale, &op->ifm2_scale };
	struct ethosu_output output = ethosu_output(e->machine, op, e->scaling, NULL);
	struct operand varying, constant;
	int32_t values[256];
	int64_t a[256], b[256] = { 0 };

	*done = false;
	if (!(first ? !op->scalar && !op->broadcast : op->scalar && !op->broadcast2) ||
	    !ethosu_byte_table_fits(e->machine, op, table.ifm))
		return 0;
	for (uint32_t i = 0; i < 256; i++)
		values[i] = ethosu_byte_table_value(&table, i);
	varying = operand(e, table.ifm, false, 0, 256, values, scales[!first]);
	constant = operand(e, first ? &op->ifm2 : &op->ifm, true, 0, 256, NULL, scales[first]);
	take_values(&varying, 0, 256, a);
	if (!e->unary)
		take_values(&constant, 0, 256, b);
	if (e->unary || first != op->reversed)
		compute_row(e, 256, a, b, table.results);
	else
		compute_row(e, 256, b, a, table.results);
	return ethosu_byte_table_run(&output, &table, done);
}

static enum ethosu_scaling scaling_of(const struct ethosu_config *config,
				      const struct ethosu_operation *op)
{
	bool scaled = op->mode == ETHOSU_ELEMENTWISE_ADD || op->mode == ETHOSU_ELEMENTWISE_SUB ||
		      op->mode == ETHOSU_ELEMENTWISE_MIN || op->mode == ETHOSU_ELEMENTWISE_MAX ||
		      op->mode == ETHOSU_ELEMENTWISE_ABS ||
		      (op->mode == ETHOSU_ELEMENTWISE_LRELU && config->generation == ETHOSU_U85);

	return scaled && op->global_scale ? ETHOSU_SCALED : ETHOSU_UNSCALED;
}

uint32_t ethosu_elementwise_run(struct ethosu_machine *machine, const struct ethosu_operation *op)
{
	struct elementwise e = {
		.machine = machine,
		.op = op,
		.scaling = scaling_of(machine->config, op),
		.unary = is_unary(op->mode),
	};
	struct ethosu_grid grid = ethosu_grid_of_rows(&op->ofm, BOX_MAX);
	bool done = false;
	uint32_t status;

	if (!is_known(machine->config, op->mode) || (op->scalar && op->scalar2 && !e.unary))
		return ETHOSU_PARSE;
	status = ethosu_output_prepare(machine, op);
	if (status)
		return status;
	status = ethosu_byte_elementwise_run(machine, op, e.scaling, &done);
	if (!done)
		status = look_up(&e, &done);
	if (!done)
		status = ethosu_machine_run(machine, &grid, run_box, &e);
	return status;
}
