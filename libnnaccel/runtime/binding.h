/* SPDX-License-Identifier: MIT */
/*
 * Bindings: the memory that an input or output is bound to, and how its bytes reach the device.
 *
 * Every bound input and output takes one of three routes (enum nna_route in nnaccel.h):
 *
 *	direct		the device works on the caller's buffer itself
 *	staged-own	it has a slot of its own in the base table, which leads to staging memory
 *	staged-shared	it has no slot of its own: it lies in the shared slot, which leads to
 *			staging memory, too
 *
 * nna_binding_set() decides the route when an argument is bound, and the route is kept in the
 * struct nna_binding. No other code decides it:
 *
 *	- an argument that is not direct is copied: an input before its run, an output after it;
 *	- an input that is copied out of a buffer is read when all in-fences have signalled without
 *	  an error. The waiter waits for them (dependent.c), as it does for an input in a buffer
 *	  whose value the compiler needs. Inputs in the caller's own memory are read at the
 *	  submission;
 *	- a run has a fence to export only if all its outputs are direct, because the device's fence
 *	  signals before the outputs are copied.
 */
#ifndef NNA_RUNTIME_BINDING_H
#define NNA_RUNTIME_BINDING_H

#include "libnnaccel/compiler/compile.h"
#include "nnaccel.h"

/**
 * struct nna_binding - the memory that an input or output is bound to
 * @bound: the caller has bound it
 * @omitted: the caller leaves out this optional input
 * @data: the caller's memory, or NULL
 * @buffer: the caller's buffer, or NULL; borrowed
 * @offset: in @buffer, in bytes
 * @size: bytes at @data, or in @buffer from @offset on
 * @has_dims: the caller has given dimensions: @rank of them, 0 is what the graph states
 * @rank: length of @dims
 * @dims: dimensions
 * @va: device address in @buffer, else 0
 * @route: how its bytes reach the device
 * @short_of: an output that was too small in the last run
 * @rows: @dims[0] of an output whose rows the last run has counted; 0 before
 */
struct nna_binding {
	bool bound;
	bool omitted;
	void *data;
	struct nna_buffer *buffer;
	size_t offset, size;
	bool has_dims;
	uint32_t rank;
	uint32_t dims[NNACCEL_MAX_RANK];
	uint64_t va;
	enum nna_route route;
	bool short_of;
	uint32_t rows;
};

/**
 * enum nna_inputs - inputs by the kind of memory that they are bound to
 * @NNA_INPUTS_OWN: in the caller's own memory
 * @NNA_INPUTS_BUFFERS: in buffers
 */
enum nna_inputs { NNA_INPUTS_OWN = 1, NNA_INPUTS_BUFFERS = 2 };

/* Bytes of a binding, in this process. */
const void *nna_binding_data(const struct nna_binding *b);
/**
 * nna_binding_set() - check and replace the binding of an input or output, and decide its route
 * @execution: does not run
 * @output: @index numbers an output, else an input
 * @index: an existing one
 * @rank: length of @dims
 * @dims: dimensions, where 0 is what the graph states; NULL: all are
 * @data: the caller's memory, or NULL
 * @buffer: the caller's buffer, or NULL
 * @offset: of the first byte in @buffer
 * @size: bytes
 *
 * Return: 0 or -EINVAL, which is logged.
 */
int nna_binding_set(struct nna_execution *execution, bool output, uint32_t index, uint32_t rank,
		    const uint32_t *dims, void *data, struct nna_buffer *buffer, size_t offset,
		    size_t size);

/*
 * Gives the shapes of all inputs as they are bound, and the addresses of their bytes. Return: 0 or
 * -EINVAL, which is logged.
 */
int nna_bindings_get_shapes(struct nna_execution *execution, struct nna_shape *shapes,
			    const void **data);
/*
 * Compares the bindings of outputs with the shapes that a run writes. Return: 0; -EINVAL, which is
 * logged; or -ENOSPC: some are too small, and marked as such.
 */
int nna_bindings_check_outputs(struct nna_execution *execution, const struct nna_code_io *wanted);
/*
 * True if an input is in a buffer, so that its bytes may depend on in-fences; with @read only if
 * this process is known to read one of those buffers.
 */
bool nna_bindings_have_buffers(const struct nna_execution *execution, bool read);
bool nna_bindings_outputs_are_direct(const struct nna_execution *execution);
/* Writes the base table of the execution's context, and creates staging memory if it is needed. */
int nna_bindings_write_table(struct nna_execution *execution);
/*
 * Copies inputs that are not direct to staging memory. @which: of enum nna_inputs, one of them or
 * both.
 */
void nna_bindings_copy_inputs(struct nna_execution *execution, uint32_t which);
/*
 * After a run: takes the numbers of rows that the run has counted, and copies the outputs that are
 * not direct. Return: 0, -ENOSPC (an output is too small), -EINVAL (rows other than stated; it is
 * logged) or -EIO.
 */
int nna_bindings_take_outputs(struct nna_execution *execution);

#endif
