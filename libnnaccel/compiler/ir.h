/* SPDX-License-Identifier: MIT */
/*
 * The low-level IR as the compiler's passes see it: the tables behind lower.h.
 *
 * A struct nna_lower owns four growing tables: storages, values, commands, labels. Numbers never
 * change and nothing is removed: a pass that drops a command marks it dead. A value is not changed
 * once a command names it; a pass makes a new value and renames the operand. The planner may give
 * storages a common place.
 *
 * A frame maps the operands of one subgraph to values and shapes while its operations are lowered.
 *
 * One lowering belongs to one thread. Errors are negative errno; the tables are consistent after
 * one, so that nna_lower_destroy() frees all.
 */
#ifndef NNA_IR_H
#define NNA_IR_H

#include "libnnaccel/compiler/commands.h"
#include "libnnaccel/compiler/lower.h"

/* Bounds what a hostile model can make of a lowering; no other has as many commands. */
#define NNA_IR_MAX_COMMANDS (1u << 20)

/**
 * struct nna_storage - a run of bytes
 * @kind: what it is
 * @size: bytes
 * @index: INPUT, OUTPUT: number among those of the main subgraph; VARIABLE: number of the operand
 * @data: CONSTANT: its bytes, the graph's, the caller's, or @owned
 * @owned: freed with the lowering, or NULL
 * @parent: the storage whose place it shares, or NNA_NONE; set by the planner
 * @offset: bytes from the start of its area; set by the planner
 * @count: OUTPUT of a bounded shape: number of the value that holds the number of rows; else
 *	NNA_NO_VALUE
 * @used: a live command touches it; set by the planner
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
 * @raw: a struct nnahw_cmd_* of its opcode, owned; its descriptors have no meaning yet
 * @operand_count: operands that the opcode has
 * @outputs: bit k: it writes operand k
 * @values: a value number for each operand, or NNA_NO_VALUE
 * @label: JUMP, BRANCH: number of the label that it goes to; else NNA_NONE
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
 * struct nna_frame - operands of a subgraph while it is lowered; whoever makes it owns the arrays
 * @subgraph: number of the subgraph
 * @values: value number of each operand, NNA_NO_VALUE until it has one
 * @shapes: shape of each operand, final for those with a value
 * @bound: @bound_count operands whose bytes are known though they are no constants
 * @bound_count: entries of @bound
 * @bound_room: entries that fit
 * @outer: the frame of the operation that lowers this subgraph; NULL for the main one
 */
struct nna_frame {
	uint32_t subgraph;
	uint32_t *values;
	struct nna_shape *shapes;
	struct nna_bound_value *bound;
	uint32_t bound_count, bound_room;
	struct nna_frame *outer;
};

/**
 * struct nna_lower - a lowering: the tables, and what is under way
 * @graph: what is lowered; the caller's
 * @log: where messages go
 * @debug: enum nna_debug
 * @storages: @storage_count storages
 * @storage_count: entries of @storages
 * @storage_room: entries that fit
 * @values: @value_count values
 * @value_count: entries of @values
 * @value_room: entries that fit
 * @commands: @command_count commands in their order
 * @command_count: entries of @commands
 * @command_room: entries that fit
 * @labels: for each label the number of the command that follows it, NNA_NONE until it is placed
 * @label_count: entries of @labels
 * @label_room: entries that fit
 * @frame: the current frame
 * @fixed_tables: storage of each nna_fixed_table() plus 1, by function and integer bits; 0 for
 *	those not made
 * @origin: number of the operation that is being lowered, noted in its commands
 * @synchronous: there are loops, so a run may exceed the job limit
 */
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
	uint32_t *labels;
	uint32_t label_count, label_room;
	struct nna_frame *frame;
	uint32_t fixed_tables[2][8];
	uint32_t origin;
	bool synchronous;
};

/* What NNACCEL_DEBUG asks for: prints each step of a pass, or leaves a pass out. */
enum nna_debug {
	NNA_DEBUG_LOWER = 1,
	NNA_DEBUG_FUSE = 2,
	NNA_DEBUG_ELIDE = 4,
	NNA_DEBUG_PACK = 8,
	NNA_DEBUG_PLAN = 16,
	NNA_DEBUG_EMIT = 32,
	NNA_DEBUG_ALL = 63,
	/* Leave a pass out, to find the one at fault: results stay the same. */
	NNA_DEBUG_NO_FUSE = 256,
	NNA_DEBUG_NO_ELIDE = 512,
	NNA_DEBUG_NO_PACK = 1024,
	NNA_DEBUG_NO_REUSE = 2048,
	NNA_DEBUG_NO_FOLD = 4096,
};

/* An empty lowering of @graph, which has to outlive it. */
int nna_lower_create(const struct nna_graph *graph, const struct nna_log *log,
		     struct nna_lower **out);
void nna_lower_destroy(struct nna_lower *l);

/*
 * A new storage; see struct nna_storage. @owned is freed in any case. Return: its number, or a
 * negative errno.
 */
int64_t nna_storage_add(struct nna_lower *l, enum nna_storage_kind kind, uint64_t size,
			uint32_t index, const void *data, void *owned);
/* A new value, a copy of @value. Return: its number, or a negative errno. */
int64_t nna_value_add(struct nna_lower *l, const struct nna_value *value);

/*
 * The value of an operand of the current frame. Constants, and what else has bytes or a storage
 * from the start, get theirs when first asked for. Return: its number, NNA_NO_VALUE for an operand
 * that is omitted, or a negative errno.
 */
int64_t nna_frame_value(struct nna_lower *l, const struct nna_subgraph *sub, uint32_t operand,
			const struct nna_shape *shape);

/* The number of elements; false where it exceeds 2^31 - 1. */
bool nna_value_count(const struct nna_value *v, uint32_t *count);
/* Whether elements follow each other in row-major order. */
bool nna_value_contiguous(const struct nna_value *v);
/* The bytes [@begin, @end) of its storage that a value's elements span; equal when it has none. */
void nna_value_extent(const struct nna_value *v, uint64_t *begin, uint64_t *end);
/* Whether a value is contiguous and covers its storage. */
bool nna_value_whole(const struct nna_lower *l, const struct nna_value *v);
bool nna_value_same_dims(const struct nna_value *a, const struct nna_value *b);
/* Drops dims of 1 of two views with the same dims, and merges neighbours where both allow it. */
void nna_value_fold(struct nna_value *a, struct nna_value *b);
/* Gives a value the row-major strides of its dims. */
void nna_value_set_strides(struct nna_value *v);
/* Whether two values may have a byte in common. */
bool nna_value_overlap(const struct nna_value *a, const struct nna_value *b);

static inline bool nna_ir_is_output(const struct nna_ir_command *c, uint32_t operand)
{
	return c->outputs >> operand & 1;
}

/* Whether a live command in [from, to) is a jump or branch, or a label lies in (from, to]. */
bool nna_ir_has_flow(const struct nna_lower *l, uint32_t from, uint32_t to);
/*
 * Whether a live command in [from, to) other than @except may touch bytes of @value; with
 * @writes_only, may write them.
 */
bool nna_ir_touched(const struct nna_lower *l, uint32_t from, uint32_t to, uint32_t except,
		    const struct nna_value *value, bool writes_only);
/* Whether a command is live and writes to storage @s. */
bool nna_ir_writes(const struct nna_lower *l, const struct nna_ir_command *c, uint32_t s);
/*
 * The one live command that writes to storage @s, with its first operand; NNA_NONE if there is
 * none, or more than one.
 */
uint32_t nna_ir_only_writer(const struct nna_lower *l, uint32_t s);

/* The passes in their order; each file opens with what its pass does. Return: 0 or an error. */
int nna_pass_fuse(struct nna_lower *l);
int nna_pass_elide(struct nna_lower *l);
int nna_pass_pack(struct nna_lower *l);

/**
 * struct nna_areas - the areas that a plan lays out, in bytes
 * @constants: of those constants that a command reads
 * @scratch: scratch memory of a run
 * @variables: all state variables
 */
struct nna_areas {
	uint64_t constants, scratch, variables;
};

/* Return: 0 or -ENOMEM. */
int nna_pass_plan(struct nna_lower *l, struct nna_areas *areas);

/* One line to the log, or to stderr where there is no log. */
void nna_debug_print(const struct nna_lower *l, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
