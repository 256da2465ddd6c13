/* SPDX-License-Identifier: MIT */
/*
 * The ir as the passes see it: the tables behind builder.h.
 *
 * A struct nna_lower owns four growing tables: storages, values, operations, labels. Numbers never
 * change and nothing is removed: a pass that drops an operation marks it dead. A value is not
 * changed once an operation names it; a pass makes a new value and renames the operand. The planner
 * may give storages a common place.
 *
 * One lowering belongs to one thread. Errors are negative errno; the tables are consistent after
 * one, so that nna_lower_destroy() frees all.
 */
#ifndef NNA_IR_H
#define NNA_IR_H

#include "libnnaccel/ir/builder.h"

#define NNA_IR_MAX_OPS (1u << 20)

/* Writes the bytes of a constant, @owned being that of its storage. It cannot fail. */
typedef void (*nna_storage_fill)(const void *owned, void *to);

/**
 * struct nna_storage - a run of bytes
 * @kind: what it is
 * @size: bytes
 * @index: INPUT, OUTPUT: number among those of the main subgraph; VARIABLE: number of the operand
 * @data: CONSTANT: its bytes, the graph's, the caller's, or @owned; NULL where @fill writes them
 * @fill: CONSTANT: writes its bytes to memory that is all zero, by what @owned says; else NULL. What
 *	is large is written once so, to where the device reads it.
 * @owned: freed with the lowering, or with the code that it has been handed on to, or NULL
 * @parent: the storage whose place it shares, or NNA_NONE; set by the planner
 * @slot: the area of memory that it lies in; set when memory is planned
 * @offset: bytes from the start of its area; set when memory is planned
 * @count: OUTPUT of a bounded shape: number of the value that holds the number of rows; else
 *	NNA_NO_VALUE
 * @used: a live operation touches it; set by the planner
 */
struct nna_storage {
	enum nna_storage_kind kind;
	uint64_t size;
	uint32_t index;
	const void *data;
	nna_storage_fill fill;
	void *owned;
	uint32_t parent;
	uint32_t slot;
	uint64_t offset;
	uint32_t count;
	bool used;
};

/**
 * struct nna_lower - a program in the making
 * @graph: for messages; may be NULL
 * @log: where errors go
 * @debug: flags of enum nna_debug
 * @storages: @storage_count of them, by number; room for @storage_room
 * @values: @value_count of them, by number; room for @value_room
 * @ops: @op_count of them, in execution order; room for @op_room
 * @rounding: enum nna_ir_rounding of the operations that are added
 * @labels: index of the operation that follows, NNA_NONE until placed
 * @shared: storages plus 1 of constants that operations share, by numbers that ops/ gives out
 * @origin: operation of the main subgraph that is being lowered
 * @synchronous: there are loops, so that a run may exceed the job limit
 * @trial: it is made to see whether it can be, and thrown away: what constants hold does not matter
 */
struct nna_lower {
	const struct nna_graph *graph;
	uint8_t rounding;
	struct nna_log log;
	uint32_t debug;
	struct nna_storage *storages;
	uint32_t storage_count, storage_room;
	struct nna_value *values;
	uint32_t value_count, value_room;
	struct nna_ir_op *ops;
	uint32_t op_count, op_room;
	uint32_t *labels;
	uint32_t label_count, label_room;
	uint32_t shared[16];
	uint32_t origin;
	bool synchronous;
	bool trial;
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

/* A value that covers a new storage. */
int64_t nna_value_in_storage(struct nna_lower *l, struct nna_value *v, enum nna_storage_kind kind,
			     uint32_t index, const void *data, void *owned);

/* A row-major value without storage. */
int nna_value_plain(struct nna_value *v, uint8_t type, uint32_t rank, const uint32_t *dims,
		    float scale, int32_t zero_point);
/* Product of dims; 0 when it overflows. */
uint32_t nna_value_elements(const struct nna_value *v);
/* Stored integers of 8 or 16 bits with a scale. */
bool nna_value_is_quantised(const struct nna_value *v);
/* Scales per channel are the same, or neither has any. */
bool nna_value_same_channels(const struct nna_value *a, const struct nna_value *b);
void nna_value_take_channels(struct nna_value *to, const struct nna_value *from);
/*
 * Says that @what would lose the scales per channel of a value, which are part of what its numbers
 * mean. Return: -EINVAL.
 */
int nna_scales_lost(const struct nna_lower *l, const char *what);
/* Product of dims; false on overflow of 2^31 - 1 elements. */
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

/* Some operation among [from, to) is a jump or branch, or a label points into (from, to]. */
bool nna_ir_has_flow(const struct nna_lower *l, uint32_t from, uint32_t to);
/*
 * Whether a live operation in [from, to) other than @except may touch bytes of @value; with
 * @writes_only, may write them.
 */
bool nna_ir_touched(const struct nna_lower *l, uint32_t from, uint32_t to, uint32_t except,
		    const struct nna_value *value, bool writes_only);
/* Whether an operation is live and writes storage @s. */
bool nna_ir_writes(const struct nna_lower *l, const struct nna_ir_op *c, uint32_t s);

/**
 * struct nna_ir_use - how live operations use a storage
 * @reads: operands that read it
 * @writes: operands that write it
 * @writers: sum of the numbers of their operations; of one, its number
 */
struct nna_ir_use {
	uint32_t reads, writes, writers;
};

/*
 * The uses of all storages by number, for the caller to free; NULL without memory. Whoever changes
 * the operands of an operation, or marks it dead, takes its uses away before that, and adds those
 * that it has after it.
 */
struct nna_ir_use *nna_ir_uses_get(const struct nna_lower *l);
void nna_ir_uses_add(const struct nna_lower *l, struct nna_ir_use *uses, uint32_t op);
void nna_ir_uses_remove(const struct nna_lower *l, struct nna_ir_use *uses, uint32_t op);
/*
 * The operation with the one operand that writes to storage @s, if that is its first one; else
 * NNA_NONE.
 */
uint32_t nna_ir_only_writer(const struct nna_lower *l, const struct nna_ir_use *uses, uint32_t s);

/* The flags named in the environment variable NNACCEL_DEBUG, separated by commas. */
uint32_t nna_debug_flags(void);
/* One line to the log, or to stderr where there is none. */
void nna_debug_print(const struct nna_lower *l, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
