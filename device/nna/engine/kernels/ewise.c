// SPDX-License-Identifier: MIT
/*
 * EWISE. Rows pass through buffers of PIECE elements: inputs are widened to fp32 (for the
 * integer rules to 32-bit integers), computed, and narrowed to the output. All steps round as the
 * scalar kernel's do, so results have the same bits. A function of one 8-bit input becomes a table
 * of 256 entries. Vector code fills the table if it supports the command, the scalar kernel
 * otherwise.
 */
#include <math.h>

#include "device/nna/engine/kernels/doubles.h"
#include "device/nna/engine/kernels/ewise_integer.h"
#include "device/nna/engine/kernels/steps.h"
#include "device/nna/engine/kernels/values.h"

#define PIECE 256u
#define TABLE_TILE 131072u
#define TABLE_LEAST 256u /* elements that are worth a table */
#define REPEATED_MOST NNADEV_EWISE_REPEATED_MOST

/* The kernels of this file. */
enum form { FORM_UNDECIDED, FORM_NONE, FORM_TABLE, FORM_INTEGER, FORM_VALUES };

/* The scalar kernel. It fills the tables of commands that have no vector code. */
extern NNADEV_KERNEL(ewise);

/* Loads a row of an input that repeats @period elements, beginning with number @phase of these. */
static void load_repeated(float *to, const struct nnadev_engine_operand *o, int64_t at,
			  uint32_t period, uint32_t phase, uint32_t n)
{
	float repeated[REPEATED_MOST];

	nnadev_load_values(repeated, o, at, 1, period);
	for (uint32_t i = 0; i < n; i++) {
		to[i] = repeated[phase];
		phase = phase + 1 < period ? phase + 1 : 0;
	}
}

/* True if a command is a CAST to a float from a type whose numbers fp32 holds exactly. */
static bool is_cast_to_float(const struct nnadev_engine_command *cmd)
{
	const struct nnahw_cmd_ewise *p = (const struct nnahw_cmd_ewise *)cmd->raw;
	const uint32_t from = cmd->operands[1].desc.type;

	return p->op == NNAHW_EWISE_CAST && nnadev_type_is_float(cmd->operands[0].desc.type) &&
	       (nnadev_type_is_float(from) || nnahw_type_size(from) <= 2);
}

/* True if compute() knows an operation in fp32. */
static bool is_computed(uint32_t op)
{
	return op != NNAHW_EWISE_CAST && nnadev_step_is_known(op);
}

#define EACH(f)                                                                                    \
	do {                                                                                       \
		for (uint32_t i = 0; i < n; i += NNADEV_FLOATS)                                    \
			nnadev_floats_store(x[0] + i, f(nnadev_floats_load(x[0] + i)));            \
	} while (0)

/*
 * x[0] = operation of the arguments @x, with the roundings of the scalar kernel but for ERF. @n
 * numbers, rounded up to a register. @p0: parameter of the operation.
 */
static void compute(uint32_t op, float p0, float (*x)[PIECE], uint32_t n)
{
	switch (op) {
	case NNAHW_EWISE_EXP:
		EACH(nnadev_exact_exp);
		break;
	case NNAHW_EWISE_TANH:
		EACH(nnadev_exact_tanh);
		break;
	case NNAHW_EWISE_LOGISTIC:
		EACH(nnadev_exact_logistic);
		break;
	case NNAHW_EWISE_ELU:
		for (uint32_t i = 0; i < n; i += NNADEV_FLOATS) {
			const nnadev_floats a = nnadev_floats_load(x[0] + i);
			const nnadev_floats y = nnadev_floats_mul(nnadev_floats_of(p0),
								  nnadev_exact_expm1(a));

			nnadev_floats_store(
				x[0] + i,
				nnadev_floats_select(y, a,
						     nnadev_floats_at_most(nnadev_floats_zero(),
									   a)));
		}
		break;
	default:
		nnadev_step_compute(op, p0, x[0],
				    (const struct nnadev_numbers[]){ { x[0], UINT32_MAX },
								     { x[1], UINT32_MAX },
								     { x[2], UINT32_MAX } },
				    n);
		break;
	}
}

/* Computes a tile by value, in fp32. */
static uint32_t values_tile(const struct nnadev_engine_command *cmd,
			    const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			    void *scratch, void *shared)
{
	const struct nnahw_cmd_ewise *p = (const struct nnahw_cmd_ewise *)cmd->raw;
	const uint32_t inputs = nnadev_ewise_inputs(p->op);
	const bool clamped = nnadev_type_is_float(cmd->operands[0].desc.type) &&
			     (p->clamp_min > -INFINITY || p->clamp_max < INFINITY);
	const nnadev_floats low = nnadev_floats_of(p->clamp_min),
			    high = nnadev_floats_of(p->clamp_max);
	const struct nnadev_rows *rows = nnadev_state(plan);
	/* IDENTITY from fp32 to a quantised type needs no buffer. */
	const bool direct = p->op == NNAHW_EWISE_IDENTITY &&
			    nnadev_is_quantised(&cmd->operands[0].desc) &&
			    cmd->operands[1].desc.type == NNAHW_TYPE_F32 &&
			    nnadev_rows_step(rows, 1) == 1 && !rows->period[1];
	struct nnadev_engine_operand o[4];
	float x[3][PIECE] = { { 0 } };
	uint32_t begin, end;
	struct nnadev_run run;

	for (uint32_t i = 0; i <= inputs; i++) {
		o[i] = cmd->operands[i];
		/* CAST ignores scales. */
		if (p->op == NNAHW_EWISE_CAST)
			o[i].desc.scale = 0;
	}
	nnadev_tile_range(plan, tile, o[0].count, &begin, &end);
	nnadev_run_start(&run, rows, begin, end);
	while (nnadev_run_next(&run, rows, PIECE)) {
		if (direct) {
			nnadev_store_values(&o[0], run.offset[0],
					    (const float *)o[1].data + run.offset[1], run.count,
					    p->q_min, p->q_max);
			continue;
		}
		for (uint32_t i = 1; i <= inputs; i++) {
			if (rows->period[i])
				load_repeated(x[i - 1], &o[i], run.offset[i], rows->period[i],
					      run.phase[i], run.count);
			else
				nnadev_load_values(x[i - 1], &o[i], run.offset[i],
						   nnadev_rows_step(rows, i), run.count);
		}
		if (p->op != NNAHW_EWISE_CAST)
			compute(p->op, p->p0, x, run.count);
		if (clamped)
			for (uint32_t i = 0; i < run.count; i += NNADEV_FLOATS)
				nnadev_floats_store(
					x[0] + i, nnadev_floats_clamp(nnadev_floats_load(x[0] + i),
								      low, high));
		nnadev_store_values(&o[0], run.offset[0], x[0], run.count, p->q_min,
				    p->q_max);
	}
	return NNAHW_STATUS_OK;
}

/**
 * struct source - an input of the integer rules, as numbers minus the zero point
 * @o: the operand
 * @at: the next element
 * @step: distance of neighbouring elements
 * @period: number of elements that the input repeats; 0 if it does not repeat
 * @phase: index in the period of the next element
 * @advance: NNADEV_FLOATS modulo @period
 * @repeated: the repeated elements and as many more as a register has
 */
struct source {
	const struct nnadev_engine_operand *o;
	int64_t at, step;
	uint32_t period, phase, advance;
	int32_t repeated[REPEATED_MOST + NNADEV_FLOATS];
};

static void source_start(struct source *s, const struct nnadev_engine_operand *o,
			 const struct nnadev_rows *rows, const struct nnadev_run *run,
			 uint32_t operand)
{
	s->o = o;
	s->at = run->offset[operand];
	s->step = nnadev_rows_step(rows, operand);
	s->period = rows->period[operand];
	if (!s->period)
		return;
	s->phase = run->phase[operand];
	s->advance = NNADEV_FLOATS % s->period;
	for (uint32_t i = 0; i < s->period + NNADEV_FLOATS; i++)
		s->repeated[i] = i < s->period ?
					 (int32_t)nnadev_load_centred(o, s->at + i) :
					 s->repeated[i - s->period];
}

/* Return: the next @n elements, at most a register; lanes behind them are unspecified. */
static inline nnadev_ints source_next(struct source *s, uint32_t n)
{
	const uint32_t size = nnahw_type_size(s->o->desc.type);
	const uint8_t *from = (const uint8_t *)s->o->data + s->at * size;
	uint8_t last[2 * NNADEV_FLOATS] = { 0 };

	if (s->period) {
		const nnadev_ints v = nnadev_ints_load(s->repeated + s->phase);

		s->phase += s->advance;
		s->phase -= s->phase >= s->period ? s->period : 0;
		return v;
	}
	if (s->step == 0)
		return nnadev_ints_of((int32_t)nnadev_load_centred(s->o, s->at));
	if (n < NNADEV_FLOATS)
		from = memcpy(last, from, (size_t)n * size);
	s->at += NNADEV_FLOATS;
	return nnadev_ints_load_centred(s->o, from);
}

/* Stores numbers that are within the range of a type of @size bytes. */
static inline void store(uint32_t size, uint8_t *to, nnadev_ints x)
{
	if (size == 1)
		nnadev_ints_store_u8(to, x);
	else
		nnadev_ints_store_u16((uint16_t *)(void *)to, x);
}

static uint32_t integer_tile(const struct nnadev_engine_command *cmd,
			     const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			     void *scratch, void *shared)
{
	const struct nnahw_cmd_ewise *p = (const struct nnahw_cmd_ewise *)cmd->raw;
	const struct nnadev_engine_operand *o = cmd->operands;
	const uint32_t inputs = nnadev_ewise_inputs(p->op), size = nnahw_type_size(o[0].desc.type);
	const struct nnadev_rows *rows = nnadev_state(plan);
	const uint32_t bits = nnadev_ewise_staged_bits(&o[0].desc);
	uint32_t begin, end;
	struct nnadev_run run;
	struct source a, b, c;
	nnadev_ints zero, least, most;
	int64_t low, high;

	nnadev_type_range(o[0].desc.type, &low, &high);
	least = nnadev_ints_of((int32_t)nnadev_clamp_s64(p->q_min, low, high));
	most = nnadev_ints_of((int32_t)nnadev_clamp_s64(p->q_max, low, high));
	zero = nnadev_ints_of(o[0].desc.zero_point);
	nnadev_tile_range(plan, tile, o[0].count, &begin, &end);
	nnadev_run_start(&run, rows, begin, end);
	while (nnadev_run_next(&run, rows, UINT32_MAX)) {
		uint8_t *to = (uint8_t *)o[0].data + run.offset[0] * size;
		uint8_t last[2 * NNADEV_FLOATS];

		source_start(&a, &o[1], rows, &run, 1);
		if (inputs > 1)
			source_start(&b, &o[2], rows, &run, 2);
		if (inputs > 2)
			source_start(&c, &o[3], rows, &run, 3);
		for (uint32_t i = 0; i < run.count;
		     i += NNADEV_FLOATS, to += NNADEV_FLOATS * size) {
			const uint32_t n = run.count - i;
			nnadev_ints x = source_next(&a, n), y = nnadev_ints_of(0);

			if (inputs > 1)
				y = source_next(&b, n);
			x = nnadev_ints_add(nnadev_ints_ewise(p, bits, x, y), zero);
			if (inputs > 2)
				x = nnadev_ints_add(x, source_next(&c, n));
			x = nnadev_ints_min(nnadev_ints_max(x, least), most);
			store(size, n < NNADEV_FLOATS ? last : to, x);
			if (n < NNADEV_FLOATS)
				memcpy(to, last, (size_t)n * size);
		}
	}
	return NNAHW_STATUS_OK;
}

/* Looks up a tile of one 8-bit input to an 8-bit output. */
static uint32_t table_tile(const struct nnadev_engine_command *cmd,
			   const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			   void *scratch, void *shared)
{
	const struct nnadev_engine_operand *output = &cmd->operands[0], *input = &cmd->operands[1];
	const struct nnadev_ewise_table *state = nnadev_state(plan);
	const nnadev_table table = nnadev_table_of(state->output);
	const int64_t step = nnadev_rows_step(&state->rows, 1);
	uint32_t begin, end;
	struct nnadev_run run;

	nnadev_tile_range(plan, tile, output->count, &begin, &end);
	nnadev_run_start(&run, &state->rows, begin, end);
	while (nnadev_run_next(&run, &state->rows, UINT32_MAX)) {
		const uint8_t *from = (const uint8_t *)input->data + run.offset[1];
		uint8_t *to = (uint8_t *)output->data + run.offset[0];

		if (step == 1) {
			nnadev_table_look_up(&table, to, from, run.count);
			continue;
		}
		for (uint32_t i = 0; i < run.count; i++)
			to[i] = state->output[from[i * step]];
	}
	return NNAHW_STATUS_OK;
}

/*
 * Return: how a command's elements are computed. @dense: the rows are contiguous and can be loaded
 * as vectors. Integer rules on two inputs of bytes belong to ewise8.c.
 */
static enum form form_of_elements(const struct nnadev_engine_command *cmd, bool dense)
{
	const struct nnahw_cmd_ewise *p = (const struct nnahw_cmd_ewise *)cmd->raw;
	const enum nnadev_ewise_rule rule = nnadev_ewise_rule(cmd);

	for (uint32_t i = 0; i <= nnadev_ewise_inputs(p->op); i++)
		dense = dense && nnahw_type_size(cmd->operands[i].desc.type) <= 2;
	if (rule == NNADEV_RULE_QUANTISED && dense && nnadev_ewise_fits_in_32(cmd))
		return nnadev_ewise_joins_bytes(cmd) ? FORM_NONE : FORM_INTEGER;
	if (is_cast_to_float(cmd))
		return FORM_VALUES;
	return rule == NNADEV_RULE_FLOAT && is_computed(p->op) ? FORM_VALUES : FORM_NONE;
}

/*
 * Return: the kernel of this file that runs a command. The output's rows must be contiguous and
 * long enough, and vector loads must exist for the types.
 */
static enum form decide(const struct nnadev_engine_command *cmd)
{
	const struct nnahw_cmd_ewise *p = (const struct nnahw_cmd_ewise *)cmd->raw;
	const uint32_t inputs = nnadev_ewise_inputs(p->op);
	bool bytes = inputs == 1;
	struct nnadev_rows rows;

	nnadev_ewise_rows_get(&rows, cmd);
	if (nnadev_rows_step(&rows, 0) != 1 ||
	    nnadev_rows_length(&rows) < NNADEV_EWISE_SHORTEST_ROW)
		return FORM_NONE;
	for (uint32_t i = 0; i <= inputs; i++)
		bytes = bytes && nnahw_type_size(cmd->operands[i].desc.type) == 1;
	if (bytes && cmd->operands[0].count >= TABLE_LEAST)
		return FORM_TABLE;
	return form_of_elements(cmd, nnadev_ewise_rows_are_dense(&rows));
}

static enum form form_of(const struct nnadev_engine_command *cmd, struct nnadev_engine_plan *plan)
{
	if (plan->form == FORM_UNDECIDED)
		plan->form = decide(cmd);
	return plan->form;
}

static uint32_t table_accepts(const struct nnadev_engine_command *cmd,
			      struct nnadev_engine_plan *plan)
{
	return nnadev_accept(form_of(cmd, plan) == FORM_TABLE);
}

static uint32_t integer_accepts(const struct nnadev_engine_command *cmd,
				struct nnadev_engine_plan *plan)
{
	return nnadev_accept(form_of(cmd, plan) == FORM_INTEGER);
}

static uint32_t values_accepts(const struct nnadev_engine_command *cmd,
			       struct nnadev_engine_plan *plan)
{
	return nnadev_accept(form_of(cmd, plan) == FORM_VALUES);
}

/* Fills the table by running the command on all 256 bytes. */
static void table_fill(uint8_t *output, const struct nnadev_engine_command *cmd)
{
	struct nnadev_engine_command bytes = { .raw = cmd->raw,
					       .operand_count = cmd->operand_count };
	nnadev_engine_tile_fn tile = nnadev_kernel_ewise.tile;
	struct nnadev_engine_plan whole;
	uint8_t all[256];

	for (uint32_t i = 0; i < 256; i++)
		all[i] = (uint8_t)i;
	for (uint32_t i = 0; i < 2; i++) {
		bytes.operands[i] = cmd->operands[i];
		bytes.operands[i].desc.rank = 1;
		bytes.operands[i].desc.dims[0] = 256;
		bytes.operands[i].desc.strides[0] = 1;
		bytes.operands[i].count = 256;
	}
	bytes.operands[0].data = output;
	bytes.operands[1].data = all;
	memset(&whole, 0, offsetof(struct nnadev_engine_plan, state));
	switch (form_of_elements(&bytes, true)) {
	case FORM_INTEGER:
		tile = integer_tile;
		break;
	case FORM_VALUES:
		tile = values_tile;
		break;
	default:
		break;
	}
	if (tile == nnadev_kernel_ewise.tile)
		nnadev_kernel_ewise.plan(&bytes, 1, &whole);
	else
		nnadev_ewise_rows_plan(&bytes, 1, &whole);
	for (uint32_t i = 0; i < whole.phase_tiles[0]; i++)
		tile(&bytes, &whole, 0, i, NULL, NULL);
}

static void table_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
		       struct nnadev_engine_plan *plan)
{
	struct nnadev_ewise_table *table = nnadev_state_new(plan);

	table_fill(table->output, cmd);
	nnadev_rows_get(&table->rows, cmd, 2);
	nnadev_cut(plan, cmd->operands[0].count, TABLE_TILE);
}

NNADEV_VECTOR_KERNEL(ewise_table) = { NNAHW_OP_EWISE, NNADEV_SET_ISA, table_accepts, table_plan,
				      table_tile };
NNADEV_VECTOR_KERNEL(ewise_integer) = { NNAHW_OP_EWISE, NNADEV_SET_ISA, integer_accepts,
					nnadev_ewise_rows_plan, integer_tile };
NNADEV_VECTOR_KERNEL(ewise_values) = { NNAHW_OP_EWISE, NNADEV_SET_ISA, values_accepts,
				       nnadev_ewise_rows_plan, values_tile };
