/* SPDX-License-Identifier: MIT */
/*
 * A backend, which is a kind of accelerator: one table of functions, in a folder of its own.
 *
 * The compiler lowers a graph to the ir, asks accepts() about every operation, fuses what
 * can_fuse() allows, lets the backend change operations and constants into its own forms (select,
 * pack), plans memory, and has the backend write the stream. The runtime has it write a job's base
 * table and read a job's report.
 *
 * A backend uses the ir and its hardware's description, and neither graph nor compiler nor runtime.
 * All functions may be called from any thread; a struct nna_lower belongs to one.
 */
#ifndef NNA_BACKEND_H
#define NNA_BACKEND_H

#include <stdio.h>

#include "libnnaccel/ir/ir.h"

/**
 * struct nna_stream - the commands that a job executes
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
 * @reported: the device has written the report; else all other members are invalid
 * @yielded: the job ended before the end of its stream, and can go on at @resume
 * @error: 0 or a negative errno, the one that the job's fence carries
 * @status_name: the device's name for the status, or NULL
 * @begin, @end: when, in ticks of the device
 * @run_time, @loop_time: run time, and the part of it in loops, in ns
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

/** struct nna_backend_configuration - a size in which an accelerator is built */
struct nna_backend_configuration {
	const char *name; /* as "ethos-u65-256" */
	uint32_t number; /* as @configuration of struct nna_winsys */
};

/**
 * struct nna_backend - a kind of accelerator
 * @name: of the kind of accelerator, as @accelerator of struct nna_winsys
 *
 * @accepts: tells whether the hardware can do an operation. Its operands are complete, with
 *	constants in their plain layout, some of which may have no bytes yet. Return: 0, or -ENOTSUP
 *	with the reason as text of at most @size bytes.
 *
 * @can_fuse: tells whether one command can do two operations. CLAMP and RESCALE (with one scale):
 *	@first takes over the bounds and the zero point. BINARY: @first is a CONV2D or MATMUL, and
 *	the other operand becomes its residual. CONV2D after a COPY into zeros: the convolution
 *	pads.
 *
 * @in_place: bit set of the inputs whose elements are read before those of the result at the same
 *	places are written, and never again, so that both may lie in the same memory.
 *
 * @select: called before @pack: completes operations with the constants of the private operand that
 *	the hardware needs.
 *
 * @pack: brings constant operands into the layouts that the hardware reads fastest, and may replace
 *	an operation by an equivalent one. Not called with NNACCEL_DEBUG=no-pack. NULL: nothing to
 *	do.
 *
 * @emit: writes the stream. Storages with @used have a slot and an offset.
 *
 * @measure: the work of a stream's commands, each counted once, as @work_limit of a winsys counts
 *	it; UINT64_MAX for more. NULL: not known.
 *
 * @print: writes a stream as text. Return: 0, -EINVAL (malformed; the text says so) or -EIO.
 *
 * @abi_major, @stream_version, @layout_version: versions that a device must have
 *
 * @abi_minor, @max_slots, @configurations: what compiling for the accelerator takes of a device,
 *	where there is none (winsys/none/): the newest minor version; the most areas that a stream
 *	may name, 0 for NNA_BACKEND_MAX_SLOTS; the sizes in which it is built, up to one without a
 *	name, the usual one first. NULL: there is one size, 0
 *
 * @takes_unknown: an operation whose ir depends on values that only a run has, so that @accepts
 *	cannot be asked yet, counts as supported. For hardware that does nearly all operations; else
 *	such a run might find that it cannot be done.
 *
 * @prepare_job: writes the table of a job's areas, NNA_BACKEND_TABLE_SIZE bytes that the device
 *	reads.
 *
 * @clear_report, @read_report: clear and read a job's report, NNA_BACKEND_REPORT_SIZE bytes that
 *	the device writes last. It is cleared before each submission. read_report() derives the
 *	origin of a failure from the stream, which may be NULL. @tick_hz is the frequency of the
 *	device's clock.
 *
 * @profile_size: bytes of memory for a profile of @commands commands; 0 for too many. This function
 *	and the following ones are called only if the winsys has profiles.
 *
 * @clear_profile, @count_profile, @read_profile: clear and read a profile of @size bytes, to which
 *	the device appends. It is cleared before each run. count_profile() returns how many commands
 *	it holds and how many more have run; read_profile() reads one command, with @begin and @end
 *	in ticks.
 *
 * Functions that return int, except @accepts, return 0 or a negative errno.
 */
struct nna_backend {
	const char *name;
	uint32_t abi_major, stream_version, layout_version;
	uint32_t abi_minor, max_slots;
	const struct nna_backend_configuration *configurations;
	bool takes_unknown;
	int (*accepts)(const struct nna_lower *l, const struct nna_ir_op *op, char *reason,
		       size_t size);
	bool (*can_fuse)(const struct nna_lower *l, const struct nna_ir_op *first,
			 const struct nna_ir_op *second);
	uint32_t (*in_place)(const struct nna_ir_op *op);
	int (*select)(struct nna_lower *l);
	int (*pack)(struct nna_lower *l);
	int (*emit)(const struct nna_lower *l, struct nna_stream *out);
	uint64_t (*measure)(const void *stream, size_t size);
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

/* The most areas of memory that a stream may name, also if the device supports more. */
#define NNA_BACKEND_MAX_SLOTS 64u

/* All backends, terminated by NULL (table.c). */
extern const struct nna_backend *const nna_backends[];

/* The backend of a kind of accelerator; NULL for one that is not built in. */
const struct nna_backend *nna_backend_find(const char *name);

#endif
