// SPDX-License-Identifier: MIT
/* COPY and FILL by rows. */
#include "device/nna/engine/shape/rows.h"
#include "device/nna/engine/simd/simd.h"

#define TILE_BYTES (256u << 10) /* of dense rows */
#define TILE_ELEMENTS 32768u /* of others */
#define SHORT_ROW 256u /* bytes; finding a row and calling memmove() takes longer than moving it */

/* Moves elements one by one. Elements wider than a byte are aligned to their size. */
#define MOVE(type)                                              \
	do {                                                    \
		const type *f = (const type *)from;             \
		type *t = (type *)to;                           \
		for (uint32_t i = 0; i < count; i++, f += from_step, t += to_step) \
			*t = *f;                                \
	} while (0)

static void move_strided(void *to, int64_t to_step, const void *from, int64_t from_step,
			 uint32_t count, uint32_t size)
{
	switch (size) {
	case 1:
		MOVE(uint8_t);
		break;
	case 2:
		MOVE(uint16_t);
		break;
	case 4:
		MOVE(uint32_t);
		break;
	default:
		MOVE(uint64_t);
		break;
	}
}

/* Rows are moved in parts of 16 bytes: each set has registers of that size. */
struct part {
	uint64_t low, high;
};
#define WIDTH sizeof(struct part)

static inline struct part load(const uint8_t *from)
{
	struct part x;

	memcpy(&x, from, sizeof(x));
	return x;
}

/* Moves rows of WIDTH to SHORT_ROW bytes, which are @to_step and @from_step bytes apart. */
static void move_short_rows(uint8_t *to, int64_t to_step, const uint8_t *from, int64_t from_step,
			    uint32_t rows, size_t bytes)
{
	const size_t last = bytes - WIDTH;

	for (; rows; rows--, to += to_step, from += from_step) {
		/* The last part overlaps those before, and is loaded before they are stored. */
		const struct part tail = load(from + last);

		for (size_t k = 0; k < last; k += WIDTH) {
			const struct part x = load(from + k);

			memcpy(to + k, &x, WIDTH);
		}
		memcpy(to + last, &tail, WIDTH);
	}
}

static uint32_t copy_tile(const struct nnadev_engine_command *cmd,
			  const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			  void *scratch, void *shared)
{
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_COPY_OUTPUT],
					*input = &cmd->operands[NNAHW_COPY_INPUT];
	const int64_t size = nnahw_type_size(output->desc.type);
	const struct nnadev_rows *rows = nnadev_state(plan);
	const bool dense = nnadev_rows_step(rows, 0) == 1 && nnadev_rows_step(rows, 1) == 1;
	const uint32_t length = nnadev_rows_length(rows);
	const size_t bytes = (size_t)length * (size_t)size;
	const bool short_rows = dense && rows->rank > 1 && bytes >= WIDTH && bytes <= SHORT_ROW;
	const int64_t to_step = short_rows ? rows->strides[0][rows->rank - 2] * size : 0;
	const int64_t from_step = short_rows ? rows->strides[1][rows->rank - 2] * size : 0;
	uint32_t begin, end;
	struct nnadev_run run;

	nnadev_tile_range(plan, tile, output->count, &begin, &end);
	nnadev_run_start(&run, rows, begin, end);
	while (nnadev_run_next(&run, rows, UINT32_MAX)) {
		uint8_t *to = (uint8_t *)output->data + run.offset[0] * size;
		const uint8_t *from = (const uint8_t *)input->data + run.offset[1] * size;

		if (short_rows && run.count == length)
			move_short_rows(to, to_step, from, from_step, nnadev_run_rows(&run, rows),
					bytes);
		else if (dense)
			memmove(to, from, (size_t)run.count * (size_t)size);
		else
			move_strided(to, nnadev_rows_step(rows, 0), from,
				     nnadev_rows_step(rows, 1), run.count, (uint32_t)size);
	}
	return NNAHW_STATUS_OK;
}

/* Accepts every command. */
static uint32_t accepts(const struct nnadev_engine_command *cmd, struct nnadev_engine_plan *plan)
{
	return nnadev_accept(true);
}

static void copy_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
		      struct nnadev_engine_plan *plan)
{
	const uint32_t size = nnahw_type_size(cmd->operands[0].desc.type);
	struct nnadev_rows *rows = nnadev_state_new(plan);

	nnadev_rows_get(rows, cmd, 2);
	nnadev_cut(plan, cmd->operands[0].count,
		   nnadev_rows_step(rows, 0) == 1 && nnadev_rows_step(rows, 1) == 1 &&
				nnadev_rows_length(rows) * size >= 64
			? TILE_BYTES / size
			: TILE_ELEMENTS);
}

NNADEV_STATE_FITS(struct nnadev_rows);
NNADEV_VECTOR_KERNEL(copy) = { NNAHW_OP_COPY, NNADEV_SET_ISA, accepts, copy_plan, copy_tile };

/* True if all @size bytes of a value are the same, as those of 0 are. */
static bool is_one_byte(uint64_t value, int64_t size)
{
	const uint64_t all = ~0ull >> (64 - 8 * size);

	return !((value ^ (value & 255) * 0x0101010101010101ull) & all);
}

static uint32_t fill_tile(const struct nnadev_engine_command *cmd,
			  const struct nnadev_engine_plan *plan, uint32_t phase, uint32_t tile,
			  void *scratch, void *shared)
{
	const struct nnahw_cmd_fill *p = (const struct nnahw_cmd_fill *)cmd->raw;
	const struct nnadev_engine_operand *output = &cmd->operands[NNAHW_FILL_OUTPUT];
	const int64_t size = nnahw_type_size(output->desc.type);
	const uint64_t value = p->value;
	const struct nnadev_rows *rows = nnadev_state(plan);
	const bool by_bytes = nnadev_rows_step(rows, 0) == 1 && is_one_byte(value, size);
	uint32_t begin, end;
	struct nnadev_run run;

	nnadev_tile_range(plan, tile, output->count, &begin, &end);
	nnadev_run_start(&run, rows, begin, end);
	while (nnadev_run_next(&run, rows, UINT32_MAX)) {
		uint8_t *to = (uint8_t *)output->data + run.offset[0] * size;

		if (by_bytes)
			memset(to, (int)(value & 255), (size_t)run.count * (size_t)size);
		else
			move_strided(to, nnadev_rows_step(rows, 0), &value, 0, run.count,
				     (uint32_t)size);
	}
	return NNAHW_STATUS_OK;
}

static void fill_plan(const struct nnadev_engine_command *cmd, uint32_t threads,
		      struct nnadev_engine_plan *plan)
{
	nnadev_rows_get(nnadev_state_new(plan), cmd, 1);
	nnadev_cut(plan, cmd->operands[0].count, TILE_ELEMENTS);
}

NNADEV_VECTOR_KERNEL(fill) = { NNAHW_OP_FILL, NNADEV_SET_ISA, accepts, fill_plan, fill_tile };
