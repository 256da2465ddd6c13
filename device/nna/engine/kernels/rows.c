// SPDX-License-Identifier: MIT
/*
 * ROWS with vectors. A piece of work is as many rows as fit the first cache, one at least. Its
 * values lie in slots of scratch memory: a step reads slots and writes one, and a slot is used
 * again when the last step that reads it is done. Values with one element a row lie side by side,
 * so that a register of rows is computed at once; where a step of whole rows reads them they are
 * repeated.
 * With one row in a piece they are a register of equal numbers instead. The last step writes its
 * result where it is to be, if rows lie there as in a slot.
 */
#include "device/nna/engine/kernels/steps.h"
#include "device/nna/engine/program.h"

#define PIECE 6144u /* numbers of all slots */
#define TILE_STEPS ((1u << 18) / NNADEV_SLOWER) /* elements times steps */
#define VALUES (NNAHW_ROWS_STEPS + NNADEV_PROGRAM_INPUTS)
#define NONE 0xffu

/**
 * struct rows - a command
 * @p: the decoded program
 * @together: rows of a piece
 * @room: numbers of a slot
 * @slot: of each value, steps first, then inputs: where it lies; NONE for an input that no step
 *	reads
 * @wide: where a value with one element a row is repeated; NONE if no step reads it so
 * @narrow_input: of each input: it has one element a row
 */
struct rows {
	struct nnadev_program p;
	uint32_t together, room;
	uint8_t slot[VALUES], wide[VALUES];
	bool narrow_input[NNADEV_PROGRAM_INPUTS];
};

/**
 * struct piece - a piece of work
 * @s: the command
 * @cmd: the same, with operands
 * @scratch: the slots
 * @first: the first row
 * @rows: number of rows
 * @repeated: bit set of the values that are repeated already
 * @at: where each value lies; NULL if it is not computed yet
 */
struct piece {
	const struct rows *s;
	const struct nnadev_engine_command *cmd;
	float *scratch;
	uint32_t first, rows, repeated;
	const float *at[VALUES];
};

/* Return: the number of the value that an argument names. */
static uint32_t value_of(uint32_t from)
{
	return from < NNAHW_ROWS_INPUT ? from : from - NNAHW_ROWS_INPUT + NNAHW_ROWS_STEPS;
}

static bool is_narrow(const struct rows *s, uint32_t value)
{
	return value < NNAHW_ROWS_STEPS ? s->p.narrow[value] :
					  s->narrow_input[value - NNAHW_ROWS_STEPS];
}

static float *slot_of(const struct piece *w, uint32_t slot)
{
	return w->scratch + (size_t)slot * w->s->room;
}

/* True if the rows of an operand follow each other without gaps, as in a slot. */
static bool is_dense(const struct rows *s, uint32_t operand, uint32_t rows)
{
	if (s->p.step[operand] != 1)
		return false;
	return rows == 1 || (s->p.rank == 1 &&
			     s->p.strides[operand][0] == (int64_t)s->p.params->length);
}

/* Loads one element of each row. A piece of one row has it in a register. */
static void load_narrow(const struct piece *w, uint32_t operand, float *to)
{
	const struct nnadev_engine_operand *o = &w->cmd->operands[operand];

	for (uint32_t r = 0; r < w->rows; r++)
		to[r] = nnadev_load_value(o, nnadev_program_row(&w->s->p, operand, w->first + r));
	for (uint32_t r = w->rows; r < NNADEV_FLOATS && w->rows == 1; r++)
		to[r] = to[0];
}

/* Loads an input, or points to it where it lies. */
static const float *load(const struct piece *w, uint32_t value)
{
	const uint32_t operand = value - NNAHW_ROWS_STEPS + NNAHW_ROWS_A;
	const uint32_t n = w->s->p.params->length, step = (uint32_t)w->s->p.step[operand];
	const struct nnadev_engine_operand *o = &w->cmd->operands[operand];
	float *to = slot_of(w, w->s->slot[value]);

	if (is_narrow(w->s, value)) {
		load_narrow(w, operand, to);
		return to;
	}
	if (o->desc.type == NNAHW_TYPE_F32 && is_dense(w->s, operand, w->rows)) {
		const float *from = (const float *)o->data +
				    nnadev_program_row(&w->s->p, operand, w->first);

		/* Registers would reach behind its end. */
		if (w->rows * n % NNADEV_FLOATS)
			return memcpy(to, from, (size_t)w->rows * n * sizeof(*to));
		return from;
	}
	for (uint32_t r = 0; r < w->rows; r++) {
		const int64_t at = nnadev_program_row(&w->s->p, operand, w->first + r);

		if (o->desc.type == NNAHW_TYPE_F32 && step == 1) {
			memcpy(to + (size_t)r * n, (const float *)o->data + at, n * sizeof(*to));
			continue;
		}
		for (uint32_t i = 0; i < n; i++)
			to[(size_t)r * n + i] =
				nnadev_load_value(o, at + (int64_t)i * (int32_t)step);
	}
	return to;
}

/*
 * Return: the data of an input that has one row for all rows. Steps read this row in place again
 * for each row. NULL if @value is not such an input.
 */
static const float *repeats(const struct piece *w, uint32_t value)
{
	const uint32_t operand = value - NNAHW_ROWS_STEPS + NNAHW_ROWS_A;
	const struct nnadev_engine_operand *o = &w->cmd->operands[operand];
	const uint32_t n = w->s->p.params->length;

	if (value < NNAHW_ROWS_STEPS || n % NNADEV_FLOATS || n & (n - 1) ||
	    o->desc.type != NNAHW_TYPE_F32 || w->s->p.step[operand] != 1 || w->s->p.rank != 1 ||
	    w->s->p.strides[operand][0])
		return NULL;
	return o->data;
}

/* Gives an argument of a step. @one: a register of room for its own number. */
static struct nnadev_numbers argument(struct piece *w, uint32_t step, uint32_t k, bool narrow,
				      float *one)
{
	const struct nnahw_cmd_rows *p = w->s->p.params;
	const uint32_t from = nnadev_program_argument(p, step, k), value = value_of(from);
	const uint32_t n = p->length;
	float *wide;

	if (from == NNAHW_ROWS_VALUE) {
		nnadev_floats_store(one, nnadev_floats_of(p->number[step]));
		return (struct nnadev_numbers){ one, 0 };
	}
	if (!narrow && repeats(w, value))
		return (struct nnadev_numbers){ repeats(w, value), n - 1 };
	if (!w->at[value])
		w->at[value] = load(w, value);
	if (is_narrow(w->s, value) == narrow)
		return (struct nnadev_numbers){ w->at[value], UINT32_MAX };
	if (w->rows == 1)
		return (struct nnadev_numbers){ w->at[value], 0 };
	wide = slot_of(w, w->s->wide[value]);
	for (uint32_t r = 0; r < w->rows && !(w->repeated >> value & 1); r++) {
		const nnadev_floats x = nnadev_floats_of(w->at[value][r]);

		/* The last store may write past the end of a row. The next row overwrites that. */
		for (uint32_t i = 0; i < n; i += NNADEV_FLOATS)
			nnadev_floats_store(wide + (size_t)r * n + i, x);
	}
	w->repeated |= 1u << value;
	return (struct nnadev_numbers){ wide, UINT32_MAX };
}

static void reduce(const struct piece *w, uint32_t op, const float *x, float *to)
{
	const uint32_t n = w->s->p.params->length;

	for (uint32_t r = 0; r < w->rows; r++, x += n) {
		switch (op) {
		case NNAHW_ROW_SUM:
			to[r] = (float)nnadev_row_sum(x, n);
			break;
		case NNAHW_ROW_MEAN:
			to[r] = (float)(nnadev_row_sum(x, n) / n);
			break;
		default:
			to[r] = nnadev_row_extreme(x, n, op == NNAHW_ROW_MAX ? 0.0f : -0.0f);
			break;
		}
	}
	for (uint32_t r = w->rows; r < NNADEV_FLOATS && w->rows == 1; r++)
		to[r] = to[0];
}

/* Return: where the last step writes; NULL if rows of its result do not lie there as in a slot. */
static float *place_of(const struct piece *w, uint32_t step)
{
	const struct nnadev_program *p = &w->s->p;
	const struct nnadev_engine_operand *o = &w->cmd->operands[NNAHW_ROWS_OUTPUT];

	if (step + 1u != p->params->count || p->params->result[0] != step || p->narrow[step] ||
	    o->desc.type != NNAHW_TYPE_F32 || w->rows * p->params->length % NNADEV_FLOATS ||
	    !is_dense(w->s, NNAHW_ROWS_OUTPUT, w->rows))
		return NULL;
	return (float *)o->data + nnadev_program_row(p, NNAHW_ROWS_OUTPUT, w->first);
}

/* Return: a value of whole rows, in a slot or where it lies as in one. */
static const float *whole(struct piece *w, uint32_t value)
{
	if (!w->at[value])
		w->at[value] = load(w, value);
	return w->at[value];
}

static void run_step(struct piece *w, uint32_t step)
{
	const struct nnahw_cmd_rows *p = w->s->p.params;
	const uint32_t op = p->op[step], arguments = nnadev_program_arguments(op);
	float *place = place_of(w, step), *to = slot_of(w, w->s->slot[step]);
	float one[NNADEV_FLOATS];
	const bool narrow = w->s->p.narrow[step];
	const uint32_t n = narrow ? w->rows : w->rows * p->length;
	struct nnadev_numbers x[3];

	if (nnadev_program_reduces(op)) {
		reduce(w, op, whole(w, value_of(p->x[step])), to);
		w->at[step] = to;
		return;
	}
	for (uint32_t k = 0; k < arguments; k++)
		x[k] = argument(w, step, k, narrow, one);
	if (place)
		to = place;
	nnadev_step_compute(op, p->number[step], to, x, n);
	w->at[step] = to;
}

/* Stores @n numbers as S8: truncated, within the range of the type, 0 for a NaN. */
static void store_bytes(const float *x, uint32_t n, int8_t *to)
{
	uint32_t i = 0;

	for (; i + NNADEV_FLOATS <= n; i += NNADEV_FLOATS) {
		nnadev_floats v = nnadev_floats_load(x + i);

		v = nnadev_floats_select(v, nnadev_floats_zero(), nnadev_floats_is_nan(v));
		v = nnadev_floats_clamp(v, nnadev_floats_of(INT8_MIN), nnadev_floats_of(INT8_MAX));
		nnadev_ints_store_u8((uint8_t *)to + i, nnadev_ints_truncate(v));
	}
	for (; i < n; i++)
		to[i] = (int8_t)nnadev_clamp_s64(nnadev_truncate(x[i]), INT8_MIN, INT8_MAX);
}

static void store(const struct piece *w, uint32_t k)
{
	const struct nnadev_engine_operand *o = &w->cmd->operands[k];
	const struct nnadev_program *p = &w->s->p;
	const uint32_t from = p->params->result[k], n = o->desc.dims[o->desc.rank - 1];
	const bool narrow = p->narrow[from];
	const float *x = w->at[from];

	if (!narrow && o->desc.type == NNAHW_TYPE_F32 && is_dense(w->s, k, w->rows)) {
		float *to = (float *)o->data + nnadev_program_row(p, k, w->first);

		if (to != x)
			memcpy(to, x, (size_t)w->rows * n * sizeof(*x));
		return;
	}
	for (uint32_t r = 0; r < w->rows; r++) {
		const int64_t at = nnadev_program_row(p, k, w->first + r);

		if (!narrow && o->desc.type == NNAHW_TYPE_F32 && p->step[k] == 1) {
			memcpy((float *)o->data + at, x + (size_t)r * n, n * sizeof(*x));
			continue;
		}
		if (!narrow && o->desc.type == NNAHW_TYPE_S8 && p->step[k] == 1) {
			store_bytes(x + (size_t)r * n, n, (int8_t *)o->data + at);
			continue;
		}
		for (uint32_t i = 0; i < n; i++)
			nnadev_store_value(o, at + (int64_t)i * p->step[k],
					   narrow ? x[r] : x[(size_t)r * n + i], INT32_MIN,
					   INT32_MAX);
	}
}

static uint32_t rows_tile(const struct nnadev_engine_command *cmd,
			  const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			  void *scratch, void *shared)
{
	const struct rows *s = nnadev_state(plan);
	uint32_t begin, end;

	nnadev_tile_range(plan, tile, s->p.rows, &begin, &end);
	while (begin < end) {
		struct piece w = { .s = s, .cmd = cmd, .scratch = scratch, .first = begin };

		w.rows = end - begin < s->together ? end - begin : s->together;
		for (uint32_t i = 0; i < s->p.params->count; i++)
			run_step(&w, i);
		for (uint32_t k = 0; k < NNADEV_PROGRAM_OUTPUTS; k++)
			if (nnadev_present(&cmd->operands[k]))
				store(&w, k);
		begin += w.rows;
	}
	return NNAHW_STATUS_OK;
}

static uint32_t rows_accepts(const struct nnadev_engine_command *cmd,
			     struct nnadev_engine_plan *plan)
{
	const struct nnahw_cmd_rows *p = (const struct nnahw_cmd_rows *)cmd->raw;

	for (uint32_t i = 0; i < p->count; i++)
		if (p->op[i] < NNAHW_ROW_SUM && !nnadev_step_is_known(p->op[i]))
			return nnadev_accept(false);
	return nnadev_accept(true);
}

/* The slots that are in use while they are given out. */
struct slots {
	bool taken[2 * VALUES];
	uint32_t count;
};

static uint8_t take_slot(struct slots *all)
{
	uint32_t i = 0;

	while (all->taken[i])
		i++;
	all->taken[i] = true;
	all->count = i < all->count ? all->count : i + 1;
	return (uint8_t)i;
}

/* Finds the last step that reads each value; results that are stored are read behind all steps. */
static void find_last_reads(const struct nnadev_engine_command *cmd, uint8_t *last)
{
	const struct nnahw_cmd_rows *p = (const struct nnahw_cmd_rows *)cmd->raw;

	for (uint32_t i = 0; i < p->count; i++) {
		last[i] = (uint8_t)i;
		for (uint32_t k = 0; k < nnadev_program_arguments(p->op[i]); k++)
			if (nnadev_program_argument(p, i, k) != NNAHW_ROWS_VALUE)
				last[value_of(nnadev_program_argument(p, i, k))] = (uint8_t)i;
	}
	for (uint32_t k = 0; k < NNADEV_PROGRAM_OUTPUTS; k++)
		if (nnadev_present(&cmd->operands[k]))
			last[p->result[k]] = NONE;
}

/* Gives a slot to the values that step @i reads for the first time, and to its result. */
static void take_slots(struct rows *s, struct slots *all, uint32_t i)
{
	const struct nnahw_cmd_rows *p = s->p.params;

	for (uint32_t k = 0; k < nnadev_program_arguments(p->op[i]); k++) {
		const uint32_t from = nnadev_program_argument(p, i, k), value = value_of(from);

		if (from == NNAHW_ROWS_VALUE)
			continue;
		if (s->slot[value] == NONE)
			s->slot[value] = take_slot(all);
		if (s->wide[value] == NONE && is_narrow(s, value) && !s->p.narrow[i])
			s->wide[value] = take_slot(all);
	}
	s->slot[i] = take_slot(all);
}

static void rows_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
		      struct nnadev_engine_plan *plan)
{
	const struct nnahw_cmd_rows *p = (const struct nnahw_cmd_rows *)cmd->raw;
	struct rows *s = nnadev_state_new(plan);
	struct slots all = { .count = 0 };
	uint8_t last[VALUES] = { 0 };

	nnadev_program_get(&s->p, cmd);
	memset(s->slot, NONE, sizeof(s->slot));
	memset(s->wide, NONE, sizeof(s->wide));
	for (uint32_t k = 0; k < NNADEV_PROGRAM_INPUTS; k++)
		s->narrow_input[k] = nnadev_present(&cmd->operands[NNAHW_ROWS_A + k]) &&
				     nnadev_program_is_narrow(cmd, NULL, NNAHW_ROWS_INPUT + k);
	find_last_reads(cmd, last);
	for (uint32_t i = 0; i < p->count; i++) {
		take_slots(s, &all, i);
		for (uint32_t v = 0; v < VALUES; v++) {
			if (s->slot[v] == NONE || last[v] != i)
				continue;
			all.taken[s->slot[v]] = false;
			if (s->wide[v] != NONE)
				all.taken[s->wide[v]] = false;
		}
	}
	s->together = PIECE / (all.count * p->length);
	s->together = s->together ? s->together : 1;
	s->together = s->together < s->p.rows ? s->together : s->p.rows;
	/* A number is repeated up to a register behind the last row. */
	s->room = (s->together * p->length + 2 * NNADEV_FLOATS - 1) & ~(NNADEV_FLOATS - 1);
	plan->scratch_size = all.count * s->room * (uint32_t)sizeof(float);
	nnadev_cut(plan, s->p.rows, TILE_STEPS / ((p->length + 32) * (p->count + 8)));
}

NNADEV_STATE_FITS(struct rows);
NNADEV_VECTOR_KERNEL(rows) = { NNAHW_OP_ROWS, NNADEV_SET_ISA, rows_accepts, rows_plan, rows_tile };
