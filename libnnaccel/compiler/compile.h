/* SPDX-License-Identifier: MIT */
/*
 * The compiler: turns a finished graph and final shapes of its inputs into code, which the runtime
 * can run, and which contains no addresses.
 *
 * The compiler knows no device: it folds constants through a callback that runs code. A struct
 * nna_code is immutable and self-contained, and belongs to the caller of nna_compile(). The device
 * reads its image, which is the stream followed by the constants. The runtime fills in the base
 * table according to the slots.
 *
 * nna_code_write() writes the image once, to the memory that the device reads: the code holds the
 * stream, and the source of the bytes of each constant. The source may be the graph, which must
 * exist until then; nna_code_drop_constants() frees the sources.
 *
 * Any number of threads may compile one graph at the same time.
 */
#ifndef NNA_COMPILE_H
#define NNA_COMPILE_H

#include <stdio.h>

#include "libnnaccel/backend/backend.h"
#include "libnnaccel/graph/graph.h"
#include "libnnaccel/ir/ir.h"
#include "libnnaccel/ops/infer.h"

/**
 * enum nna_slot_kind - the memory that an entry of the base table addresses
 * @NNA_SLOT_CONSTANTS: the constants in the image
 * @NNA_SLOT_SCRATCH: scratch memory of a run
 * @NNA_SLOT_VARIABLES: the state variables of an execution
 * @NNA_SLOT_SHARED: staging memory for the inputs and outputs that have no slot of their own
 * @NNA_SLOT_INPUT: an input
 * @NNA_SLOT_OUTPUT: an output
 */
enum nna_slot_kind {
	NNA_SLOT_CONSTANTS,
	NNA_SLOT_SCRATCH,
	NNA_SLOT_VARIABLES,
	NNA_SLOT_SHARED,
	NNA_SLOT_INPUT,
	NNA_SLOT_OUTPUT,
};

/**
 * struct nna_slot - an entry of the base table
 * @kind: the memory that it addresses
 * @index: INPUT, OUTPUT: number of the input or output; else 0
 * @size: bytes
 */
struct nna_slot {
	enum nna_slot_kind kind;
	uint32_t index;
	uint64_t size;
};

/**
 * struct nna_code_io - an input or output
 * @slot: its own slot, or the shared slot
 * @shared: it has no slot of its own, and lies in the shared slot
 * @used: commands touch it
 * @counted: @dims[0] and @size are upper bounds: a run writes the number of rows to @count
 * @offset: if @shared: bytes from the start of the shared slot
 * @size: bytes
 * @count: if counted: offset in scratch memory of an S32
 * @type: of the operand
 * @rank: number of dims
 * @dims: final
 */
struct nna_code_io {
	uint32_t slot;
	bool shared;
	bool used;
	bool counted;
	uint64_t offset;
	uint64_t size;
	uint64_t count;
	enum nna_operand_type type;
	uint32_t rank;
	uint32_t dims[NNACCEL_MAX_RANK];
};

/**
 * struct nna_code_constant - a constant in the image
 * @offset: bytes from the start of the constants
 * @size: bytes; 0: it is not in the image, but another constant may be written from @owned
 * @data: its bytes, unless @fill writes them from @owned
 * @fill: as in struct nna_storage
 * @owned: freed with it, or NULL
 */
struct nna_code_constant {
	uint64_t offset, size;
	const void *data;
	nna_storage_fill fill;
	void *owned;
};

/**
 * struct nna_code - a compiled graph
 * @backend: the backend that wrote the stream, and can print it
 * @stream: @stream_size bytes
 * @image_size: bytes of stream and constants
 * @pieces: @piece_count constants; none after nna_code_drop_constants()
 * @stream_size: bytes of the stream
 * @constants: offset of the constants in the image, a multiple of 4096
 * @slots: @slot_count entries
 * @shared_size: bytes of the shared slot
 * @synchronous: it may exceed the job limit, or shapes depend on data
 * @account: to which @charged bytes are charged for what @pieces own
 * @charged: 0 after nna_code_drop_constants()
 */
struct nna_code {
	const struct nna_backend *backend;
	void *stream;
	uint64_t image_size;
	struct nna_code_constant *pieces;
	uint32_t piece_count;
	uint64_t constants, constants_size;
	uint32_t stream_size, command_count;
	uint64_t scratch_size, variables_size, shared_size;
	uint32_t slot_count;
	struct nna_slot slots[NNA_BACKEND_MAX_SLOTS];
	uint32_t input_count, output_count;
	struct nna_code_io *inputs, *outputs;
	bool synchronous;
	const struct nna_account *account;
	uint64_t charged;
};

/**
 * struct nna_compile_limit - when compiling is aborted; all zero is never
 * @deadline_ns: absolute CLOCK_MONOTONIC, 0 is never: with -ETIMEDOUT
 * @is_cancelled: called repeatedly; when it returns true, compiling ends with -ECANCELED. NULL is
 *	never
 * @user: handed to @is_cancelled
 */
struct nna_compile_limit {
	uint64_t deadline_ns;
	bool (*is_cancelled)(void *user);
	void *user;
};

/**
 * struct nna_compile_options - the target of a compilation
 * @backend: kind of accelerator
 * @inputs: final shapes of the main subgraph's inputs, by position
 * @values: values of inputs that are known, by operand
 * @max_slots: of the device
 * @abi_minor: of the device
 * @configuration: of the device
 * @limit: when to give up
 * @log: never NULL
 * @account: to which the constants are charged that the compiler makes; must outlive the code. NULL
 *	for nobody
 * @run: runs @code, which has no inputs, and copies its outputs to @outputs. NULL: constants are
 *	not folded
 * @user: handed to @run
 */
struct nna_compile_options {
	const struct nna_backend *backend;
	const struct nna_shape *inputs;
	const struct nna_bound_value *values;
	uint32_t value_count;
	uint32_t max_slots, abi_minor, configuration;
	struct nna_compile_limit limit;
	const struct nna_log *log;
	const struct nna_account *account;
	int (*run)(void *user, const struct nna_code *code, void *const *outputs);
	void *user;
};

/**
 * nna_compile() - compile a finished graph
 * @stop: with -EAGAIN: the operation (of the main subgraph) that needs a value that is not known
 *
 * Return: 0, -EAGAIN, -EINVAL, -ENOTSUP, -ENOMEM, -ETIMEDOUT, -ECANCELED or an error of @run.
 */
int nna_compile(const struct nna_graph *graph, const struct nna_compile_options *options,
		uint32_t *stop, struct nna_code **out);
void nna_code_destroy(struct nna_code *code);
/* Writes the image to @to, @image_size bytes that are all zero. */
void nna_code_write(const struct nna_code *code, void *to);
/* Frees the sources of constants: the image cannot be written again. */
void nna_code_drop_constants(struct nna_code *code);
/* Checks whether to abort now. Return: 0, -ETIMEDOUT or -ECANCELED. */
int nna_compile_check_limit(const struct nna_compile_limit *limit);

/**
 * nna_compile_get_supported() - which operations of the main subgraph can be compiled
 * @graph: finished
 * @backend: kind of accelerator
 * @configuration: of the device; 0 if it is not known
 * @supported: one answer per operation, in the order in which they were added
 *
 * Each operation is checked. If the shapes and values that it needs are known, it is also lowered
 * alone and shown to the backend, so that the answer is that of nna_compile().
 *
 * Return: 0 or -ENOMEM.
 */
int nna_compile_get_supported(const struct nna_graph *graph, const struct nna_backend *backend,
			      uint32_t configuration, bool *supported);

/*
 * How many of @total inputs and outputs, counted inputs first, have a slot of their own on a device
 * with @max_slots. All that come after them lie in the shared slot, whatever the shapes are.
 */
uint32_t nna_code_own_slots(uint32_t total, uint32_t max_slots);

/*
 * Makes the slots of @code, whose other sizes are known. Each input and output gets its own slot;
 * those that exceed the limit get the shared slot. Return: 0, -ENOTSUP (the device has too few), or
 * -EINVAL (sizes overflow).
 */
int nna_code_assign_slots(struct nna_code *code, uint32_t max_slots);
/*
 * Computes the offset of the constants in the image. The sizes of stream and constants are known.
 */
void nna_code_place_constants(struct nna_code *code);

/* Writes commands and memory plan as text. Return: 0 or -EIO. */
int nna_code_print(const struct nna_code *code, FILE *to);

/*
 * The last step of compiling: plans memory (nna_pass_plan()) and writes the stream. Storages of @l
 * name the @input_count inputs and @output_count outputs by number; the code takes over what
 * storages of constants own. Return: 0 and code that belongs to the caller, -EINVAL, -ENOTSUP
 * (beyond the device's limits), or -ENOMEM.
 */
int nna_emit_code(struct nna_lower *l, const struct nna_backend *backend, uint32_t input_count,
		  uint32_t output_count, uint32_t max_slots, struct nna_code **out);

#endif
