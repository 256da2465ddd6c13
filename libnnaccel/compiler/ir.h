/* SPDX-License-Identifier: MIT */
/*
 * Inside of the compiler: the tables behind lower.h, and the passes over them.
 *
 * A struct nna_lower owns four growing tables: storages, values, commands, labels. Numbers never
 * change and nothing is removed: a pass that drops a command marks it dead. Values are never edited
 * once a command names them, a pass makes a new value and renames the operand. Storages may be
 * redirected (elision) or share memory (planner).
 *
 * A frame maps the operands of one subgraph to values and shapes while its operations are lowered.
 *
 * One lowering belongs to one thread. Errors are negative errno; passes leave the tables
 * consistent.
 */
#ifndef NNA_IR_H
#define NNA_IR_H

#include "libnnaccel/compiler/commands.h"
#include "libnnaccel/compiler/lower.h"

#define NNA_IR_MAX_COMMANDS (1u << 20)

/**
 * struct nna_storage - a run of bytes
 * @kind: what it is
 * @size: bytes
 * @index: INPUT, OUTPUT: number among those of the main subgraph; VARIABLE: operand
 * @data: CONSTANT: its bytes, of the graph or @owned
 * @owned: freed with the table, or NULL
 * @parent: planned at the place of this storage, or NNA_NONE
 * @offset: planned: bytes from the start of its area
 * @count: OUTPUT of a bounded shape: the value that says how many rows there are, else NNA_NO_VALUE
 * @used: a live command touches it
 */
struct nna_storage {
	enum nna_storage_kind kind;
	uint64_t size;
	uint32_t index;
	const void *data;
	void *owned;
	uint32_t parent;
	uint64_t offset;
	uint32_t count;
	bool used;
};

/**
 * struct nna_ir_command - a command before it has addresses
 * @raw: of its opcode's struct, owned
 * @operand_count: as in the description
 * @outputs: bit set of the operands that it writes
 * @values: numbers, or NNA_NO_VALUE
 * @label: JUMP, BRANCH: where to; else NNA_NONE
 * @dead: dropped by a pass
 */
struct nna_ir_command {
	struct nnahw_command *raw;
	uint32_t operand_count;
	uint32_t outputs;
	uint32_t values[NNAHW_MAX_OPERANDS];
	uint32_t label;
	bool dead;
};

/**
 * struct nna_frame - operands of a subgraph while it is lowered
 * @values: value of each operand, NNA_NO_VALUE until there is one
 * @shapes: complete shape of each operand with a value
 * @bound, @bound_count, @bound_room: operands whose bytes are known though the graph does not state
 *	them
 * @outer: the frame of the operation that lowers this subgraph
 */
struct nna_frame {
	uint32_t subgraph;
	uint32_t *values;
	struct nna_shape *shapes;
	struct nna_bound_value *bound;
	uint32_t bound_count, bound_room;
	struct nna_frame *outer;
};

struct nna_lower {
	const struct nna_graph *graph;
	struct nna_log log;
	uint32_t debug;
	struct nna_storage *storages;
	uint32_t storage_count, storage_room;
	struct nna_value *values;
	uint32_t value_count, value_room;
	struct nna_ir_command *commands;
	uint32_t command_count, command_room;
	uint32_t *labels; /* index of the command that follows, NNA_NONE until placed */
	uint32_t label_count, label_room;
	struct nna_frame *frame;
	/* storages of nna_fixed_table() plus 1, by function and bits */
	uint32_t fixed_tables[2][8];
	uint32_t origin;
	bool synchronous; /* loops: may exceed the job limit */
};

enum nna_debug {
	NNA_DEBUG_LOWER = 1,
	NNA_DEBUG_FUSE = 2,
	NNA_DEBUG_ELIDE = 4,
	NNA_DEBUG_PACK = 8,
	NNA_DEBUG_PLAN = 16,
	NNA_DEBUG_EMIT = 32,
	NNA_DEBUG_ALL = 63,
	/* Leave a pass out, to find the one at fault; results stay the same. */
	NNA_DEBUG_NO_FUSE = 256,
	NNA_DEBUG_NO_ELIDE = 512,
	NNA_DEBUG_NO_PACK = 1024,
	NNA_DEBUG_NO_REUSE = 2048,
	NNA_DEBUG_NO_FOLD = 4096,
};

/* Flags named in the environment's NNACCEL_DEBUG (comma separated, or "all"). */
uint32_t nna_debug_flags(void);

/* An empty lowering of @graph. */
int nna_lower_create(const struct nna_graph *graph, const struct nna_log *log,
		     struct nna_lower **out);
void nna_lower_destroy(struct nna_lower *l);

/* Return: a number, or a negative errno. */
int64_t nna_storage_add(struct nna_lower *l, enum nna_storage_kind kind, uint64_t size,
			uint32_t index, const void *data, void *owned);
int64_t nna_value_add(struct nna_lower *l, const struct nna_value *value);

/* The value of an operand of the current frame; constants get one when they are asked for. */
int64_t nna_frame_value(struct nna_lower *l, const struct nna_subgraph *sub, uint32_t operand,
			const struct nna_shape *shape);

/* Product of dims; false on overflow of 2^31 - 1 elements. */
bool nna_value_count(const struct nna_value *v, uint32_t *count);
bool nna_value_contiguous(const struct nna_value *v);
/* First and last byte (exclusive) of a value's elements in its storage; equal when it has none. */
void nna_value_extent(const struct nna_value *v, uint64_t *begin, uint64_t *end);
/* It covers its storage and is contiguous. */
bool nna_value_whole(const struct nna_lower *l, const struct nna_value *v);
bool nna_value_same_dims(const struct nna_value *a, const struct nna_value *b);
/* Drops the dims of 1 of two views of the same dims, and merges neighbours where both allow it. */
void nna_value_fold(struct nna_value *a, struct nna_value *b);
/* Row-major strides of the value's dims. */
void nna_value_set_strides(struct nna_value *v);
/* May touch a common byte. */
bool nna_value_overlap(const struct nna_value *a, const struct nna_value *b);

static inline bool nna_ir_is_output(const struct nna_ir_command *c, uint32_t operand)
{
	return c->outputs >> operand & 1;
}

/* Some command among [from, to) is a jump or branch, or a label points into (from, to]. */
bool nna_ir_has_flow(const struct nna_lower *l, uint32_t from, uint32_t to);
/*
 * A live command among [from, to) other than @except touches bytes of @value. @writes_only: only
 * writers count.
 */
bool nna_ir_touched(const struct nna_lower *l, uint32_t from, uint32_t to, uint32_t except,
		    const struct nna_value *value, bool writes_only);
/* Whether a command is live and writes storage @s. */
bool nna_ir_writes(const struct nna_lower *l, const struct nna_ir_command *c, uint32_t s);
/*
 * The live command that writes storage @s, as its first operand, if there is exactly one; NNA_NONE
 * otherwise.
 */
uint32_t nna_ir_only_writer(const struct nna_lower *l, uint32_t s);

/* The passes, in their order. */
int nna_pass_fuse(struct nna_lower *l);
int nna_pass_elide(struct nna_lower *l);
int nna_pass_pack(struct nna_lower *l);

/**
 * struct nna_areas - bytes of the areas that a plan lays out
 */
struct nna_areas {
	uint64_t constants, scratch, variables;
};

int nna_pass_plan(struct nna_lower *l, struct nna_areas *areas);

void nna_debug_print(const struct nna_lower *l, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
