// SPDX-License-Identifier: MIT
/*
 * REDUCE: SUM and MEAN of 8-bit types and floats if the innermost dim is kept, as in the
 * mean of an image per channel. A piece of work is up to PIECE neighbouring outputs, FLOAT_PIECE
 * for floats. Their sums stay in registers while the piece walks over the reduced axes. Integer
 * sums do not depend on the order. Floats are added in the order of the scalar kernel, in double
 * and block by block.
 */
#include "device/nna/engine/kernels/floats.h"
#include "device/nna/engine/reduce.h"

#define PIECE 64u
#define FLOAT_PIECE 32u
#define FLOAT_PARTS (FLOAT_PIECE / NNADEV_FLOATS)
#define TILE_WORK (1u << 18) /* input elements; a piece counts as if all its outputs were in use */
#define SHORTEST_ROW 8u
#define STORE_WORK 64u /* additions that take as long as storing the outputs of a piece */

/**
 * struct reduce - a command
 * @r: the decoded command
 * @dims: of the output, with pieces instead of elements innermost
 * @innermost: the innermost axis
 * @piece: most outputs of a piece of work
 * @pieces: number of pieces
 * @zero: zero point to subtract from each number
 */
struct reduce {
	struct nnadev_reduce r;
	uint32_t dims[NNAHW_MAX_RANK];
	uint32_t innermost;
	uint32_t piece;
	uint32_t pieces;
	int32_t zero;
};

/* Return: offset of the element at @inner of the reduced axes from the first one. */
static inline int64_t inner_offset(const struct nnadev_reduce *r, const uint32_t *inner)
{
	int64_t at = 0;

	for (uint32_t k = 0; k < r->rank; k++)
		at += (int64_t)inner[k] * r->input->desc.strides[r->axes[k]];
	return at;
}

/* Loads a register of numbers; if fewer than a register are @left, the others are 0. */
static inline nnadev_ints load_bytes(const uint8_t *from, uint32_t left, bool is_signed)
{
	uint8_t tail[NNADEV_FLOATS] = { 0 };

	if (left < NNADEV_FLOATS)
		from = memcpy(tail, from, left);
	return is_signed ? nnadev_ints_load_s8((const int8_t *)from) : nnadev_ints_load_u8(from);
}

/*
 * Prefetches the input of the next piece, which follows that of this piece and is as long. Another
 * thread may have written it, and its parts are too far apart for the CPU's prefetcher.
 */
static inline void fetch_next(const void *next, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes; i += 64)
		__builtin_prefetch((const uint8_t *)next + i);
}

/* Sums the inputs of @count outputs at @index. */
static inline void sum_piece(const struct reduce *s, const uint32_t *index, uint32_t count,
			     bool is_signed, int32_t *sums)
{
	const struct nnahw_tensor *t = &s->r.input->desc;
	const uint8_t *first = (const uint8_t *)s->r.input->data + nnadev_offset(t, index);
	uint32_t inner[NNAHW_MAX_RANK] = { 0 };
	nnadev_ints v[PIECE / NNADEV_FLOATS];

	for (uint32_t i = 0; i < PIECE / NNADEV_FLOATS; i++)
		v[i] = nnadev_ints_of(0);
	for (uint32_t n = 0; n < s->r.size; n++, nnadev_advance(s->r.dims, s->r.rank, inner)) {
		const uint8_t *from = first + inner_offset(&s->r, inner);

		if (count == PIECE)
			fetch_next(from + PIECE, PIECE);
		for (uint32_t i = 0; i < PIECE / NNADEV_FLOATS; i++) {
			const uint32_t at = i * NNADEV_FLOATS;

			if (at < count)
				v[i] = nnadev_ints_add(v[i], load_bytes(from + at, count - at,
									is_signed));
		}
	}
	for (uint32_t i = 0; i < PIECE / NNADEV_FLOATS; i++)
		nnadev_ints_store(sums + i * NNADEV_FLOATS, v[i]);
}

/* Adds the floats of @count outputs from element @at on to their sums @v. */
static inline __attribute__((always_inline)) void
add_floats(const struct nnadev_engine_operand *o, int64_t at, const uint32_t count, const bool f32,
	   nnadev_doubles *v)
{
	for (uint32_t i = 0; i * NNADEV_FLOATS < count; i++, at += NNADEV_FLOATS) {
		const uint32_t left = count - i * NNADEV_FLOATS;

		v[i] = nnadev_doubles_add(
			v[i], nnadev_doubles_from(nnadev_floats_load_any(
				      o, at, left < NNADEV_FLOATS ? left : NNADEV_FLOATS, f32)));
	}
}

/* Sums the float inputs of @count outputs at @index. */
static inline void sum_floats(const struct reduce *s, const uint32_t *index, uint32_t count,
			      double *sums)
{
	const struct nnadev_engine_operand *input = s->r.input;
	const int64_t first = nnadev_offset(&input->desc, index);
	const uint32_t size = nnahw_type_size(input->desc.type);
	const bool f32 = input->desc.type == NNAHW_TYPE_F32;
	nnadev_doubles v[FLOAT_PARTS], total[FLOAT_PARTS];
	uint32_t inner[NNAHW_MAX_RANK] = { 0 }, n = 0;

	for (uint32_t i = 0; i < FLOAT_PARTS; i++)
		total[i] = nnadev_doubles_of(0);
	for (uint32_t block = 0; block < s->r.blocks; block++) {
		const uint32_t left = s->r.size - n,
			       end = n + (left < NNAHW_REDUCE_BLOCK ? left : NNAHW_REDUCE_BLOCK);

		for (uint32_t i = 0; i < FLOAT_PARTS; i++)
			v[i] = nnadev_doubles_of(0);
		for (; n < end; n++, nnadev_advance(s->r.dims, s->r.rank, inner)) {
			const int64_t at = first + inner_offset(&s->r, inner);

			if (count != FLOAT_PIECE) {
				add_floats(input, at, count, f32, v);
				continue;
			}
			fetch_next((const uint8_t *)input->data + (at + FLOAT_PIECE) * size,
				   FLOAT_PIECE * size);
			if (f32)
				add_floats(input, at, FLOAT_PIECE, true, v);
			else
				add_floats(input, at, FLOAT_PIECE, false, v);
		}
		for (uint32_t i = 0; i < FLOAT_PARTS; i++)
			total[i] = nnadev_doubles_add(total[i], v[i]);
	}
	for (uint32_t i = 0; i < FLOAT_PARTS; i++)
		nnadev_doubles_store(sums + i * NNADEV_FLOATS, total[i]);
}

static uint32_t reduce_tile(const struct nnadev_engine_command *cmd,
			     const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			     void *scratch, void *shared)
{
	const struct reduce *s = nnadev_state(plan);
	const struct nnahw_tensor *out = &s->r.output->desc;
	const uint32_t length = out->dims[s->innermost];
	const int64_t zero = (int64_t)s->zero * s->r.size, step = out->strides[s->innermost];
	uint32_t index[NNAHW_MAX_RANK], begin, end;

	nnadev_tile_range(plan, tile, s->pieces, &begin, &end);
	nnadev_unflatten(s->dims, out->rank, begin, index);
	for (uint32_t i = begin; i < end; i++, nnadev_advance(s->dims, out->rank, index)) {
		uint32_t at[NNAHW_MAX_RANK], count;
		double float_sums[FLOAT_PIECE];
		int32_t sums[PIECE];
		int64_t to;

		memcpy(at, index, sizeof(at[0]) * out->rank);
		at[s->innermost] *= s->piece;
		count = length - at[s->innermost];
		count = count < s->piece ? count : s->piece;
		if (s->r.in_float)
			sum_floats(s, at, count, float_sums);
		else if (s->r.input->desc.type == NNAHW_TYPE_S8)
			sum_piece(s, at, count, true, sums);
		else
			sum_piece(s, at, count, false, sums);
		to = nnadev_offset(out, at);
		for (uint32_t k = 0; k < count; k++) {
			union nnadev_reduction sum;

			if (s->r.in_float)
				sum.f = float_sums[k];
			else
				sum.i = sums[k] - zero;
			nnadev_reduce_finish(&s->r, to + k * step, sum);
		}
	}
	return NNAHW_STATUS_OK;
}

/* Return: outputs of a piece whose sums fit into registers. */
static uint32_t piece_of(const struct nnadev_engine_operand *input)
{
	return nnadev_type_is_float(input->desc.type) ? FLOAT_PIECE : PIECE;
}

/*
 * Accepts neighbouring outputs with neighbouring inputs, if sums fit into 32 bits and a piece into
 * a tile.
 */
static uint32_t reduce_accepts(const struct nnadev_engine_command *cmd,
				struct nnadev_engine_plan *plan)
{
	const struct nnahw_cmd_reduce *p = (const struct nnahw_cmd_reduce *)cmd->raw;
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_REDUCE_OUTPUT],
					*input = &cmd->operands[NNAHW_REDUCE_INPUT];
	const uint32_t rank = input->desc.rank;

	return nnadev_accept((p->kind == NNAHW_REDUCTION_SUM || p->kind == NNAHW_REDUCTION_MEAN) &&
			     (nnadev_type_is_quant8(input->desc.type) ||
			      nnadev_type_is_float(input->desc.type)) &&
			     rank &&
			     !(p->axes >> (rank - 1) & 1) &&
			     input->desc.dims[rank - 1] >= SHORTEST_ROW &&
			     input->desc.strides[rank - 1] == 1 &&
			     input->count / output->count <= TILE_WORK / piece_of(input));
}

static void reduce_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
			 struct nnadev_engine_plan *plan)
{
	struct reduce *s = nnadev_state_new(plan);
	const struct nnahw_tensor *in = &cmd->operands[NNAHW_REDUCE_INPUT].desc,
				  *out = &cmd->operands[NNAHW_REDUCE_OUTPUT].desc;

	nnadev_reduce_get(&s->r, cmd);
	s->innermost = out->rank - 1u;
	s->piece = piece_of(s->r.input);
	memcpy(s->dims, out->dims, sizeof(s->dims));
	s->dims[s->innermost] = nnadev_div_up(out->dims[s->innermost], s->piece);
	s->pieces = s->r.output->count / out->dims[s->innermost] * s->dims[s->innermost];
	s->zero = nnadev_is_quantised(in) ? in->zero_point : 0;
	nnadev_cut(plan, s->pieces, TILE_WORK / s->piece / (s->r.size + STORE_WORK));
}

NNADEV_STATE_FITS(struct reduce);
NNADEV_VECTOR_KERNEL(reduce) = { NNAHW_OP_REDUCE, NNADEV_SET_ISA, reduce_accepts, reduce_plan,
				 reduce_tile };
