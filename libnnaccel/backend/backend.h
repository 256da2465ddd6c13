/* SPDX-License-Identifier: MIT */
/*
 * What a kind of accelerator is to the compiler: one table of functions in a folder of its own.
 *
 * The compiler lowers a graph to the ir, asks accepts() about every operation, fuses what
 * can_fuse() allows, lets the backend change operations and constants into its own forms (select,
 * pack), plans memory, and has the backend write the stream. The runtime has it write what a job is
 * given besides and read what a job reports.
 *
 * A backend knows the ir and its hardware, nothing else: neither graph nor compiler nor runtime.
 * All functions may be called from any thread; a struct nna_lower belongs to one.
 */
#ifndef NNA_BACKEND_H
#define NNA_BACKEND_H

#include <stdio.h>

#include "libnnaccel/ir/ir.h"

/**
 * struct nna_stream - what a job of the hardware executes
 * @bytes: @size of them, from malloc()
 * @commands: how many
 */
struct nna_stream {
	uint8_t *bytes;
	uint32_t size;
	uint32_t commands;
};

/* Bytes that a job has for the table of its areas, and for its report. */
#define NNA_BACKEND_TABLE_SIZE 1024u
#define NNA_BACKEND_REPORT_SIZE 1024u

/** struct nna_area - a run of device memory that a stream names by its number; 0 bytes for none */
struct nna_area {
	uint64_t address, size;
};

/**
 * struct nna_report - how a job ended
 * @reported: the device has written the report; else all else means nothing
 * @yielded: the job ended before its end, it goes on at @resume
 * @error: 0 or a negative errno, the one that the job's fence carries
 * @status_name: the device's word for it, or NULL
 * @begin, @end: when, in ticks of the device
 * @run_time, @loop_time: nanoseconds, of these in loops
 * @commands: commands done
 * @resume: where a job that has yielded goes on, in bytes of the stream
 * @place: where it failed, in bytes of the stream
 * @origin: operation of the main subgraph there, or -1
 * @operand: of the command, or -1
 * @fault_address: of a fault
 */
struct nna_report {
	bool reported, yielded;
	int error;
	const char *status_name;
	uint64_t begin, end;
	uint64_t run_time, loop_time;
	uint32_t commands, resume;
	uint32_t place;
	int32_t origin, operand;
	uint64_t fault_address;
};

/**
 * struct nna_backend - a kind of accelerator
 * @name: of the kind of accelerator, as a winsys says it of a device
 *
 * @accepts: whether the hardware can do an operation; its operands are complete, with plain
 *	constants, some of which may have no bytes yet. Return: 0, or -ENOTSUP with the reason as
 *	text of at most @size bytes.
 *
 * @can_fuse: whether one command can do the work of both. Of CLAMP and RESCALE (in one scale):
 *	@first takes over the bounds and the zero point; of BINARY: @first is a CONV2D or MATMUL,
 *	the other operand becomes its residual; of CONV2D with a COPY into zeros before it: the
 *	convolution pads.
 *
 * @in_place: bit set of the inputs whose elements are read before those of the result at the same
 *	places are written, and never again, so that both may lie in the same memory.
 *
 * @select: always, before @pack: completes operations with what the hardware needs besides
 *	(constants for the private operand).
 *
 * @pack: unless switched off for debugging: brings constant operands into the layouts that the
 *	hardware reads fastest; may change an operation into an equal one. NULL: nothing to do.
 *
 * @emit: writes the stream. Storages that are used have slot and offset.
 *
 * @print: a stream as text. Return: 0, -EINVAL (malformed, which has been said) or -EIO.
 *
 * @abi_major, @stream_version, @layout_version: what a device has to speak
 *
 * @prepare_job: writes the table of a job's areas, NNA_BACKEND_TABLE_SIZE bytes that the device
 *	reads.
 *
 * @clear_report, @read_report: of a job's report, NNA_BACKEND_REPORT_SIZE bytes that the device
 *	writes last. It is cleared before each submission; read_report() takes the stream to find
 *	out the origin of a failure, or NULL. @tick_hz is of the clock that the device counts in.
 *
 * @profile_size: bytes of memory for a profile of @commands commands; 0 for too many. This and what
 *	follows are asked only where the winsys has profiles.
 *
 * @clear_profile, @count_profile, @read_profile: of such memory of @size bytes, to which the device
 *	appends. It is cleared before each run. count_profile() says how many commands it holds and
 *	how many more have run, read_profile() tells of one of them, with @begin and @end in ticks.
 *
 * All but @accepts return 0 or a negative errno where they return int.
 */
struct nna_backend {
	const char *name;
	uint32_t abi_major, stream_version, layout_version;
	int (*accepts)(const struct nna_lower *l, const struct nna_ir_op *op, char *reason,
		       size_t size);
	bool (*can_fuse)(const struct nna_lower *l, const struct nna_ir_op *first,
			 const struct nna_ir_op *second);
	uint32_t (*in_place)(const struct nna_ir_op *op);
	int (*select)(struct nna_lower *l);
	int (*pack)(struct nna_lower *l);
	int (*emit)(const struct nna_lower *l, struct nna_stream *out);
	int (*print)(FILE *to, const void *stream, size_t size, const char *const *slot_names,
		     uint32_t slot_count);
	void (*prepare_job)(void *table, const struct nna_area *areas, uint32_t count);
	void (*clear_report)(void *report);
	void (*read_report)(const void *report, uint64_t tick_hz, const void *stream, size_t size,
			    struct nna_report *out);
	size_t (*profile_size)(uint32_t commands);
	void (*clear_profile)(void *profile);
	uint32_t (*count_profile)(const void *profile, size_t size, uint32_t *dropped);
	void (*read_profile)(const void *profile, uint64_t tick_hz, uint32_t index,
			     struct nna_profile_command *out);
};

/* Areas of memory that a stream may name, whatever the device says it takes. */
#define NNA_BACKEND_MAX_SLOTS 64u

/* All backends, up to a NULL (table.c). */
extern const struct nna_backend *const nna_backends[];

/* The backend of a kind of accelerator; NULL for one that is not built in. */
const struct nna_backend *nna_backend_find(const char *name);

#endif
