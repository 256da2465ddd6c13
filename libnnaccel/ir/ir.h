/* SPDX-License-Identifier: MIT */
/*
 * The interface of the ir for passes: the tables behind builder.h.
 *
 * A struct nna_lower owns four growing tables: storages, values, operations, labels. Numbers never
 * change and no entry is removed: a pass that drops an operation marks it dead. A value is not
 * changed once it is an operand of an operation; a pass makes a new value and replaces the operand.
 * The planner may give several storages one offset.
 *
 * One lowering belongs to one thread. Errors are negative errno. The tables are consistent after an
 * error, so that nna_lower_destroy() frees all memory.
 */
#ifndef NNA_IR_H
#define NNA_IR_H

#include "libnnaccel/ir/builder.h"
#include "libnnaccel/support/account.h"

#define NNA_IR_MAX_OPS (1u << 20)

/* Writes the bytes of a constant. @owned is that of its storage. Cannot fail. */
typedef void (*nna_storage_fill)(const void *owned, void *to);

/**
 * struct nna_storage - a run of bytes
 * @kind: the use of the storage
 * @size: bytes
 * @index: INPUT, OUTPUT: number among those of the main subgraph; VARIABLE: number of the operand
 * @data: CONSTANT: its bytes, which belong to the graph, the caller, or @owned; NULL if @fill
 *	writes them
 * @fill: CONSTANT: writes its bytes, as @owned describes them, to memory that is all zero; else
 *	NULL. So a large constant is written once, to the memory that the device reads.
 * @owned: freed with the lowering, or with the code that has taken it over, or NULL
 * @parent: the storage whose offset it shares, or NNA_NONE; set by the planner
 * @slot: the area of memory that contains it; set when memory is planned
 * @offset: bytes from the start of its area; set when memory is planned
 * @count: OUTPUT of a bounded shape: number of the value that holds the number of rows; else
 *	NNA_NO_VALUE
 * @used: a live operation uses it; set by the planner
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
 * struct nna_lower - the ir of a program while it is compiled
 * @graph: for messages; may be NULL
 * @log: where errors go
 * @debug: flags of enum nna_debug
 * @storages: @storage_count of them, by number; room for @storage_room
 * @values: @value_count of them, by number; room for @value_room
 * @ops: @op_count of them, in execution order; room for @op_room
 * @rounding: enum nna_ir_rounding of the operations that are added
 * @once: sums and products, also those of convolutions and matrices, are rounded once instead
 * @labels: index of the operation that follows, NNA_NONE until placed
 * @shared: numbers plus 1 of the storages of constants that operations share, by indices that ops/
 *	defines
 * @origin: operation of the main subgraph that is being lowered
 * @synchronous: there are loops, so that a run may exceed the job limit
 * @abi_minor: minor version of the device; 0 if it is not known
 * @configuration: of the device (winsys.h); 0 if it is not known
 * @trial: the ir is built only to see whether that succeeds, so the bytes of constants do not
 *	matter
 * @account: to which the bytes of constants that are made are charged; NULL for nobody
 * @charged: bytes that were charged for the constants that storages own
 * @tables_charged: bytes that were charged for the tables
 */
struct nna_lower {
	const struct nna_graph *graph;
	uint8_t rounding;
	bool once;
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
	uint32_t abi_minor, configuration;
	bool trial;
	const struct nna_account *account;
	uint64_t charged, tables_charged;
};

/* Flags of NNACCEL_DEBUG: print each step of a pass, or leave a pass out. */
enum nna_debug {
	NNA_DEBUG_LOWER = 1,
	NNA_DEBUG_FUSE = 2,
	NNA_DEBUG_ELIDE = 4,
	NNA_DEBUG_PACK = 8,
	NNA_DEBUG_PLAN = 16,
	NNA_DEBUG_EMIT = 32,
	NNA_DEBUG_JOIN = 64,
	NNA_DEBUG_MATCH = 1 << 14,
	NNA_DEBUG_REPEAT = 1 << 15,
	NNA_DEBUG_ALL = 127 | NNA_DEBUG_MATCH | NNA_DEBUG_REPEAT,
	/* Leave a pass out, to find a faulty one: results stay the same. */
	NNA_DEBUG_NO_FUSE = 256,
	NNA_DEBUG_NO_ELIDE = 512,
	NNA_DEBUG_NO_PACK = 1024,
	NNA_DEBUG_NO_REUSE = 2048,
	NNA_DEBUG_NO_FOLD = 4096,
	NNA_DEBUG_NO_JOIN = 8192,
	NNA_DEBUG_NO_MATCH = 1 << 16,
	NNA_DEBUG_NO_REPEAT = 1 << 17,
};

/* Makes an empty lowering of @graph, which must outlive it. */
int nna_lower_create(const struct nna_graph *graph, const struct nna_log *log,
		     struct nna_lower **out);
void nna_lower_destroy(struct nna_lower *l);
/*
 * Charges @bytes that storages of @l will own, before they are taken; nna_emit_code() moves the
 * charge to the code, and nna_lower_destroy() takes it back. Return: 0 or -ENOMEM.
 */
int nna_lower_charge(struct nna_lower *l, uint64_t bytes);

/*
 * Adds a storage; see struct nna_storage. @owned is freed also after a failure. Return: its number,
 * or a negative errno.
 */
int64_t nna_storage_add(struct nna_lower *l, enum nna_storage_kind kind, uint64_t size,
			uint32_t index, const void *data, void *owned);
/* Adds a value, a copy of @value. Return: its number, or a negative errno. */
int64_t nna_value_add(struct nna_lower *l, const struct nna_value *value);

/* Adds a value that covers a new storage. Return: its number, or a negative errno. */
int64_t nna_value_in_storage(struct nna_lower *l, struct nna_value *v, enum nna_storage_kind kind,
			     uint32_t index, const void *data, void *owned);

/* Makes a row-major value without a storage. */
int nna_value_plain(struct nna_value *v, uint8_t type, uint32_t rank, const uint32_t *dims,
		    float scale, int32_t zero_point);
/* Return: the product of the dims, 0 on overflow. */
uint32_t nna_value_elements(const struct nna_value *v);
/* True for stored integers of 8 or 16 bits with a scale. */
bool nna_value_is_quantised(const struct nna_value *v);
/* True if both values have the same scales per channel, or none. */
bool nna_value_same_channels(const struct nna_value *a, const struct nna_value *b);
void nna_value_take_channels(struct nna_value *to, const struct nna_value *from);
/*
 * Logs that @what would lose the scales per channel of a value. Return: -EINVAL.
 */
int nna_scales_lost(const struct nna_lower *l, const char *what);
/* Gives the product of the dims. Return: false if it exceeds 2^31 - 1 elements. */
bool nna_value_count(const struct nna_value *v, uint32_t *count);
/* True if the elements are contiguous in row-major order. */
bool nna_value_contiguous(const struct nna_value *v);
/*
 * Gives the bytes [@begin, @end) of its storage that the elements of a value span; @begin is @end
 * for a value without elements.
 */
void nna_value_extent(const struct nna_value *v, uint64_t *begin, uint64_t *end);
/* True if a value is contiguous and covers its storage. */
bool nna_value_whole(const struct nna_lower *l, const struct nna_value *v);
bool nna_value_same_dims(const struct nna_value *a, const struct nna_value *b);
/* True if two values are views of the same elements in the same order, scales per channel aside. */
bool nna_value_same_view(const struct nna_value *a, const struct nna_value *b);
/* True if all elements of a value are one F32 number that is known: *@number. */
bool nna_value_number(const struct nna_lower *l, const struct nna_value *v, float *number);
/*
 * Drops dims of 1 of two views with the same dims, and merges neighbouring dims if the strides of
 * both allow it.
 */
void nna_value_fold(struct nna_value *a, struct nna_value *b);
/*
 * Gives a view of the same elements with other dims and without scales per channel. Return: false
 * if no strides express it.
 */
bool nna_value_reshape(const struct nna_value *v, uint32_t rank, const uint32_t *dims,
		       struct nna_value *to);
/* Gives a value the row-major strides of its dims. */
void nna_value_set_strides(struct nna_value *v);
/* True if two values may have a byte in common. */
bool nna_value_overlap(const struct nna_value *a, const struct nna_value *b);

/* True if an operation in [from, to) is a jump or branch, or a label points into (from, to]. */
bool nna_ir_has_flow(const struct nna_lower *l, uint32_t from, uint32_t to);
/*
 * True if a live operation in [from, to) other than @except may read or write bytes of @value; with
 * @writes_only, may write them.
 */
bool nna_ir_touched(const struct nna_lower *l, uint32_t from, uint32_t to, uint32_t except,
		    const struct nna_value *value, bool writes_only);
/* True if an operation is live and writes storage @s. */
bool nna_ir_writes(const struct nna_lower *l, const struct nna_ir_op *c, uint32_t s);

/**
 * struct nna_ir_use - how live operations use a storage
 * @reads: operands that read it
 * @writes: operands that write it
 * @writers: sum of the numbers of the operations that write it; for one writer, its number
 */
struct nna_ir_use {
	uint32_t reads, writes, writers;
};

/*
 * Return: the uses of all storages by number, which the caller frees; NULL without memory. A pass
 * that changes the operands of an operation, or marks it dead, first subtracts its uses, and adds
 * its new uses afterwards.
 */
struct nna_ir_use *nna_ir_uses_get(const struct nna_lower *l);
void nna_ir_uses_add(const struct nna_lower *l, struct nna_ir_use *uses, uint32_t op);
void nna_ir_uses_remove(const struct nna_lower *l, struct nna_ir_use *uses, uint32_t op);
/*
 * Return: the operation whose first operand is the only one that writes to storage @s; else
 * NNA_NONE.
 */
uint32_t nna_ir_only_writer(const struct nna_lower *l, const struct nna_ir_use *uses, uint32_t s);

/* Return: the flags that the environment variable NNACCEL_DEBUG names, separated by commas. */
uint32_t nna_debug_flags(void);
/* Writes one line to the log, or to stderr without a log. */
void nna_debug_print(const struct nna_lower *l, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
