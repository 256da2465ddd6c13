// SPDX-License-Identifier: MIT
/*
 * ROWS with AVX2. A piece of work is as many rows as have PIECE elements together, one at least.
 * Its values lie in slots of scratch memory, which stay in the first cache: a step reads slots and
 * writes one, and a slot is used again when the last step that reads it is done. Values with one
 * element a row lie side by side, so that 8 rows are computed at once; where a step of whole rows
 * reads them they are repeated. With one row in a piece they are 8 equal numbers instead.
 */
#include "device/nna/engine/program.h"
#include "device/nna/engine/x86/avx2_compute.h"

#define PIECE 512u
#define TILE_STEPS (1u << 18) /* elements times steps */
#define VALUES (NNAHW_ROWS_STEPS + NNADEV_PROGRAM_INPUTS)
#define NONE 0xffu

/**
 * struct rows - a command
 * @p: the decoded program
 * @together: rows of a piece
 * @room: numbers of a slot
 * @slots: number of slots
 * @slot: of each value, steps first, then inputs: where it lies; NONE for an input that no step
 *	reads
 * @wide: where a value with one element a row is repeated; NONE if no step reads it so
 * @narrow_input: of each input: it has one element a row
 */
struct rows {
	struct nnadev_program p;
	uint32_t together, room, slots;
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

/* Loads one element of each row. A piece of one row has it 8 times. */
static void load_narrow(const struct piece *w, uint32_t operand, float *to)
{
	const struct nnadev_engine_operand *o = &w->cmd->operands[operand];

	for (uint32_t r = 0; r < w->rows; r++)
		to[r] = nnadev_load_value(o, nnadev_program_row(&w->s->p, operand, w->first + r));
	for (uint32_t r = w->rows; r < 8 && w->rows == 1; r++)
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
		if (w->rows * n % 8)
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

/* Gives an argument of a step. @one: 8 numbers of room for its own number. */
static struct nnadev_numbers argument(struct piece *w, uint32_t step, uint32_t k, bool narrow,
				      float *one)
{
	const struct nnahw_cmd_rows *p = w->s->p.params;
	const uint32_t from = nnadev_program_argument(p, step, k), value = value_of(from);
	const uint32_t n = p->length;
	float *wide;

	if (from == NNAHW_ROWS_VALUE) {
		_mm256_storeu_ps(one, _mm256_set1_ps(p->number[step]));
		return (struct nnadev_numbers){ one, 0 };
	}
	if (!w->at[value])
		w->at[value] = load(w, value);
	if (is_narrow(w->s, value) == narrow)
		return (struct nnadev_numbers){ w->at[value], UINT32_MAX };
	if (w->rows == 1)
		return (struct nnadev_numbers){ w->at[value], 0 };
	wide = slot_of(w, w->s->wide[value]);
	for (uint32_t r = 0; r < w->rows && !(w->repeated >> value & 1); r++) {
		const __m256 x = _mm256_broadcast_ss(w->at[value] + r);

		/* What is written behind a row the next one replaces. */
		for (uint32_t i = 0; i < n; i += 8)
			_mm256_storeu_ps(wide + (size_t)r * n + i, x);
	}
	w->repeated |= 1u << value;
	return (struct nnadev_numbers){ wide, UINT32_MAX };
}

/* Return: the sum of @n numbers, in 8 partial sums of fp64. */
static double sum_row(const float *x, uint32_t n)
{
	__m256d low = _mm256_setzero_pd(), high = _mm256_setzero_pd();
	double part[4], sum;
	uint32_t i = 0;

	for (; i + 8 <= n; i += 8) {
		low = _mm256_add_pd(low, _mm256_cvtps_pd(_mm_loadu_ps(x + i)));
		high = _mm256_add_pd(high, _mm256_cvtps_pd(_mm_loadu_ps(x + i + 4)));
	}
	_mm256_storeu_pd(part, _mm256_add_pd(low, high));
	sum = (part[0] + part[1]) + (part[2] + part[3]);
	for (; i < n; i++)
		sum += x[i];
	return sum;
}

/* Return: the largest (@sign 0) or smallest (@sign -0) of @n numbers; a NaN if there is one. */
static float extreme_row(const float *x, uint32_t n, float sign)
{
	const __m256 flip = _mm256_set1_ps(sign);
	__m256 most = _mm256_xor_ps(_mm256_set1_ps(x[0]), flip), odd = _mm256_setzero_ps();
	float part[8], one;
	uint32_t i = 0;

	for (; i + 8 <= n; i += 8) {
		const __m256 v = _mm256_xor_ps(_mm256_loadu_ps(x + i), flip);

		odd = _mm256_or_ps(odd, _mm256_cmp_ps(v, v, _CMP_UNORD_Q));
		most = _mm256_max_ps(v, most);
	}
	if (_mm256_movemask_ps(odd))
		return __builtin_nanf("");
	_mm256_storeu_ps(part, _mm256_xor_ps(most, flip));
	one = part[0];
	for (uint32_t k = 1; k < 8; k++)
		if (nnadev_float_bits(sign) ? part[k] < one : part[k] > one)
			one = part[k];
	for (; i < n; i++)
		if ((nnadev_float_bits(sign) ? x[i] < one : x[i] > one) || x[i] != x[i])
			one = x[i];
	return one;
}

static void reduce(const struct piece *w, uint32_t op, const float *x, float *to)
{
	const uint32_t n = w->s->p.params->length;

	for (uint32_t r = 0; r < w->rows; r++, x += n) {
		switch (op) {
		case NNAHW_ROW_SUM:
			to[r] = (float)sum_row(x, n);
			break;
		case NNAHW_ROW_MEAN:
			to[r] = (float)(sum_row(x, n) / n);
			break;
		default:
			to[r] = extreme_row(x, n, op == NNAHW_ROW_MAX ? 0.0f : -0.0f);
			break;
		}
	}
	for (uint32_t r = w->rows; r < 8 && w->rows == 1; r++)
		to[r] = to[0];
}

/* As nnadev_round_whole(). */
static void round_whole(float *to, const struct nnadev_numbers *x, uint32_t n)
{
	const __m256 sign = _mm256_set1_ps(-0.0f), half = _mm256_set1_ps(0x1.fffffep-2f);

	for (uint32_t i = 0; i < n; i += 8) {
		const __m256 v = _mm256_loadu_ps(x->first + (i & x->mask));
		const __m256 whole = _mm256_round_ps(
			_mm256_add_ps(v, _mm256_or_ps(half, _mm256_and_ps(v, sign))),
			_MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);

		/* The sum turns -0 into 0. */
		_mm256_storeu_ps(to + i,
				 _mm256_add_ps(_mm256_setzero_ps(),
					       _mm256_and_ps(whole,
							     _mm256_cmp_ps(v, v, _CMP_ORD_Q))));
	}
}

/*
 * e^x in fp32: 2^k * e^r with |r| <= ln(2) / 2, e^r by a polynomial with an error of 2^-23. The
 * exponential of EWISE is computed in double, for the last bit, and takes four times as long.
 */
static inline __m256 exp_single8(__m256 x)
{
	static const float factors[] = { 1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f,
					 1.6666665459e-1f, 5.0000001201e-1f };
	/* Beyond these limits the result is 0 or infinity already. */
	const __m256 most = nnadev_clamp8(x, -105, 89);
	const __m256 k = _mm256_round_ps(_mm256_mul_ps(most, _mm256_set1_ps(1.44269504f)),
					 _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
	__m256 r = _mm256_fnmadd_ps(k, _mm256_set1_ps(0.693359375f), most);
	__m256 y = _mm256_set1_ps(1.9875691500e-4f);
	__m256i half, whole = _mm256_cvtps_epi32(k);

	r = _mm256_fnmadd_ps(k, _mm256_set1_ps(-2.12194440e-4f), r);
	for (uint32_t i = 0; i < 5; i++)
		y = _mm256_fmadd_ps(y, r, _mm256_set1_ps(factors[i]));
	y = _mm256_add_ps(_mm256_fmadd_ps(y, _mm256_mul_ps(r, r), r), _mm256_set1_ps(1));
	/* In two factors, because 2^k may be too small or too large for a number. */
	half = _mm256_srai_epi32(whole, 1);
	whole = _mm256_sub_epi32(whole, half);
	half = _mm256_slli_epi32(_mm256_add_epi32(half, _mm256_set1_epi32(127)), 23);
	whole = _mm256_slli_epi32(_mm256_add_epi32(whole, _mm256_set1_epi32(127)), 23);
	y = _mm256_mul_ps(_mm256_mul_ps(y, _mm256_castsi256_ps(half)), _mm256_castsi256_ps(whole));
	return nnadev_keep_nan8(y, x);
}

static void compute_exp(float *to, const struct nnadev_numbers *x, uint32_t n)
{
	for (uint32_t i = 0; i < n; i += 8)
		_mm256_storeu_ps(to + i,
				 exp_single8(_mm256_loadu_ps(x->first + (i & x->mask))));
}

static void compute_logistic(float *to, const struct nnadev_numbers *x, uint32_t n)
{
	const __m256 one = _mm256_set1_ps(1), sign = _mm256_set1_ps(-0.0f);

	for (uint32_t i = 0; i < n; i += 8) {
		const __m256 v = _mm256_loadu_ps(x->first + (i & x->mask));

		_mm256_storeu_ps(to + i,
				 _mm256_div_ps(one, _mm256_add_ps(one, exp_single8(_mm256_xor_ps(
								       v, sign)))));
	}
}

static void run_step(struct piece *w, uint32_t step)
{
	const struct nnahw_cmd_rows *p = w->s->p.params;
	const uint32_t op = p->op[step], arguments = nnadev_program_arguments(op);
	float *to = slot_of(w, w->s->slot[step]), one[8];
	const bool narrow = w->s->p.narrow[step];
	const uint32_t n = narrow ? w->rows : w->rows * p->length;
	struct nnadev_numbers x[3];

	if (nnadev_program_reduces(op)) {
		reduce(w, op, argument(w, step, 0, false, one).first, to);
		w->at[step] = to;
		return;
	}
	for (uint32_t k = 0; k < 3; k++)
		x[k] = k < arguments ? argument(w, step, k, narrow, one) : x[0];
	if (op == NNAHW_ROW_ROUND)
		round_whole(to, x, n);
	else if (op == NNAHW_EWISE_EXP)
		compute_exp(to, x, n);
	else if (op == NNAHW_EWISE_LOGISTIC)
		compute_logistic(to, x, n);
	else
		nnadev_compute8(op, p->number[step], to, x, n);
	w->at[step] = to;
}

static void store(const struct piece *w, uint32_t k)
{
	const struct nnadev_engine_operand *o = &w->cmd->operands[k];
	const struct nnadev_program *p = &w->s->p;
	const uint32_t from = p->params->result[k], n = o->desc.dims[o->desc.rank - 1];
	const bool narrow = p->narrow[from];
	const float *x = w->at[from];

	if (!narrow && o->desc.type == NNAHW_TYPE_F32 && is_dense(w->s, k, w->rows)) {
		memcpy((float *)o->data + nnadev_program_row(p, k, w->first), x,
		       (size_t)w->rows * n * sizeof(*x));
		return;
	}
	for (uint32_t r = 0; r < w->rows; r++) {
		const int64_t at = nnadev_program_row(p, k, w->first + r);

		if (!narrow && o->desc.type == NNAHW_TYPE_F32 && p->step[k] == 1) {
			memcpy((float *)o->data + at, x + (size_t)r * n, n * sizeof(*x));
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
		if (p->op[i] < NNAHW_ROW_SUM && !nnadev_computes8(p->op[i]))
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
	s->together = PIECE / p->length ? PIECE / p->length : 1;
	s->together = s->together < s->p.rows ? s->together : s->p.rows;
	/* A number is repeated up to a register behind the last row. */
	s->room = (s->together * p->length + 15) & ~7u;
	s->slots = all.count;
	plan->scratch_size = s->slots * s->room * (uint32_t)sizeof(float);
	nnadev_cut(plan, s->p.rows, TILE_STEPS / ((p->length + 32) * (p->count + 8)));
}

NNADEV_STATE_FITS(struct rows);
NNADEV_KERNEL(avx2_rows) = { NNAHW_OP_ROWS, NNADEV_ENGINE_AVX2, rows_accepts, rows_plan,
			     rows_tile };
