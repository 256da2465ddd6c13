/* SPDX-License-Identifier: MIT */
/*
 * Reads and writes the types of the NN HAL in HIDL by tables, which generate.py makes from nn.toml.
 *
 * HIDL has no encoding of structs: what goes over the wire is the struct as it lies in memory, in a
 * buffer of its own, and then a buffer for everything that it points to (binder/hw.h). So the C
 * structs have the layout of Android's on a 64-bit machine, and reading copies nothing: it checks
 * that each pointer of a received struct is one that the kernel has put there, to a buffer of the
 * right size, and hands out the struct.
 *
 *	scalar		inline in the parcel, 4 or 8 bytes
 *	struct, union	a buffer; then, in the order of fields, what the fields embed
 *	vec<T>		embeds its elements, then what each of them embeds
 *	string		embeds its characters with a terminating zero
 *	handle		embeds its size, the native handle and its descriptors
 *	memory		a handle, a size and a string
 *	queue		a vec of grantors and a handle: what opens a fast message queue (fmq.h)
 *	interface	an object of the parcel
 *
 * No data that are read are trusted: a count is compared with the size of its buffer, a tag with
 * the table, a pointer with the kernel's. Numbers are not checked, nor that a bool is 0 or 1.
 *
 * Ownership: the parcel owns what is read, until the call is over, and nobody may write to it. The
 * caller keeps what is written. The tables are constant. Calls on different parcels may run at the
 * same time.
 */
#ifndef NNB_HIDL_CODEC_H
#define NNB_HIDL_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hal-bridge/binder/arena.h"
#include "hal-bridge/binder/hw.h"

_Static_assert(sizeof(void *) == 8, "the layout of HIDL's structs is that of 64-bit machines");

/* A vec of any type: @count elements. */
struct nnb_hidl_vec {
	const void *data;
	uint32_t count;
	uint8_t owned;
};

/* @size characters and a terminating zero. */
struct nnb_hidl_string {
	const char *data;
	uint32_t size;
	uint8_t owned;
};

/* A handle; NULL is null. */
struct nnb_hidl_handle {
	const struct nnb_hidl_fds *fds;
	uint8_t owned;
};

/* Memory: "ashmem", "mmap_fd" or "hardware_buffer_blob" of @size bytes. */
struct nnb_hidl_memory {
	struct nnb_hidl_handle handle;
	uint64_t size;
	struct nnb_hidl_string name;
};

/* A part of a queue's memory: a counter, the ring, the event flag. */
struct nnb_hidl_grantor {
	uint32_t flags;
	uint32_t fd_index;
	uint32_t offset;
	uint64_t extent;
};

/* The descriptor of a fast message queue. */
struct nnb_hidl_queue {
	struct {
		const struct nnb_hidl_grantor *data;
		uint32_t count;
		uint8_t owned;
	} grantors;
	const struct nnb_hidl_fds *fds;
	uint32_t quantum;
	uint32_t flags;
};

/* An argument that is a vec of interfaces, in the arena. */
struct nnb_hidl_objects {
	struct nnb_object **data;
	uint32_t count;
};

/**
 * enum nnb_hidl_kind - what a type embeds
 * @NNB_HIDL_PLAIN: nothing
 * @NNB_HIDL_STRUCT: what its fields do
 * @NNB_HIDL_UNION: what the field of its tag does, which is the first byte
 * @NNB_HIDL_VEC: struct nnb_hidl_vec
 * @NNB_HIDL_STRING: struct nnb_hidl_string
 * @NNB_HIDL_HANDLE: struct nnb_hidl_handle
 * @NNB_HIDL_MEMORY: struct nnb_hidl_memory
 * @NNB_HIDL_QUEUE: struct nnb_hidl_queue
 */
enum nnb_hidl_kind {
	NNB_HIDL_PLAIN,
	NNB_HIDL_STRUCT,
	NNB_HIDL_UNION,
	NNB_HIDL_VEC,
	NNB_HIDL_STRING,
	NNB_HIDL_HANDLE,
	NNB_HIDL_MEMORY,
	NNB_HIDL_QUEUE,
};

struct nnb_hidl_type;

/**
 * struct nnb_hidl_field - a field of a struct or union
 * @name: as in the .hal
 * @offset: bytes from the start of the struct
 * @type: its table
 */
struct nnb_hidl_field {
	const char *name;
	uint32_t offset;
	const struct nnb_hidl_type *type;
};

/**
 * struct nnb_hidl_type - a type
 * @name: as in the .hal
 * @kind: enum nnb_hidl_kind
 * @size: bytes
 * @element: of a vec
 * @field_count: entries of @fields
 * @fields: of a struct or union
 */
struct nnb_hidl_type {
	const char *name;
	enum nnb_hidl_kind kind;
	uint32_t size;
	const struct nnb_hidl_type *element;
	uint32_t field_count;
	const struct nnb_hidl_field *fields;
};

/**
 * enum nnb_hidl_passing - how a parameter or result is passed, and its type in C
 * @NNB_HIDL_SCALAR: inline; its value
 * @NNB_HIDL_BUFFER: a buffer; a pointer to the C struct
 * @NNB_HIDL_FDS: a handle; struct nnb_hidl_fds *, NULL is null
 * @NNB_HIDL_OBJECT: an interface; struct nnb_object *, NULL is null
 * @NNB_HIDL_OBJECTS: a vec of interfaces; struct nnb_hidl_objects
 */
enum nnb_hidl_passing {
	NNB_HIDL_SCALAR,
	NNB_HIDL_BUFFER,
	NNB_HIDL_FDS,
	NNB_HIDL_OBJECT,
	NNB_HIDL_OBJECTS,
};

/**
 * struct nnb_hidl_argument - a parameter or result
 * @name: as in the .hal
 * @passing: enum nnb_hidl_passing
 * @offset: bytes from the start of the C struct of all arguments
 * @type: of SCALAR and BUFFER; NULL for interfaces
 */
struct nnb_hidl_argument {
	const char *name;
	enum nnb_hidl_passing passing;
	uint32_t offset;
	const struct nnb_hidl_type *type;
};

/**
 * struct nnb_hidl_arguments - the parameters, or the results, of a method
 * @list: @count of them
 * @count: entries of @list
 * @size: bytes of the C struct; 0 for none
 */
struct nnb_hidl_arguments {
	const struct nnb_hidl_argument *list;
	uint32_t count;
	uint32_t size;
};

/**
 * struct nnb_hidl_method - a method
 * @name: as in the .hal
 * @interface: that declares it, whose name goes with each call
 * @code: of the transaction
 * @oneway: it has no reply
 * @in: its parameters
 * @out: its results
 */
struct nnb_hidl_method {
	const char *name;
	const struct nnb_hidl_interface *interface;
	uint32_t code;
	bool oneway;
	struct nnb_hidl_arguments in, out;
};

/**
 * struct nnb_hidl_interface - an interface of a version
 * @descriptor: its full name
 * @parent: the interface that it extends; NULL for IBase
 * @hash: of Android's frozen text; zeros for interfaces of clients
 * @method_count: entries of @methods
 * @methods: its own, in the order of their codes
 */
struct nnb_hidl_interface {
	const char *descriptor;
	const struct nnb_hidl_interface *parent;
	uint8_t hash[32];
	uint32_t method_count;
	const struct nnb_hidl_method *methods;
};

/* Types without a struct of their own. */
extern const struct nnb_hidl_type nnb_hidl_bool, nnb_hidl_uint8, nnb_hidl_uint16, nnb_hidl_uint32,
	nnb_hidl_int32, nnb_hidl_uint64, nnb_hidl_float, nnb_hidl_monostate, nnb_hidl_bytes_32,
	nnb_hidl_string, nnb_hidl_handle, nnb_hidl_memory, nnb_hidl_queue, nnb_hidl_vec_string,
	nnb_hidl_vec_bytes_32;

/**
 * nnb_hidl_read() - read the parameters or results of a method
 * @reader: at their start
 * @arena: owns what does not lie in the parcel
 * @arguments: their tables
 * @value: the C struct, overwritten
 *
 * Return: 0; -ENODATA or -EINVAL if the parcel does not hold them, -ENOMEM.
 */
int nnb_hidl_read(struct nnb_hw *reader, struct nnb_arena *arena,
		  const struct nnb_hidl_arguments *arguments, void *value);
/* Writes parameters or results. Return: 0, -EINVAL for a tag that does not exist, or -ENOMEM. */
int nnb_hidl_write(struct nnb_hw *writer, const struct nnb_hidl_arguments *arguments,
		   const void *value);

/* Return: the method of an object of @interface with @code; NULL if there is none. */
const struct nnb_hidl_method *nnb_hidl_method(const struct nnb_hidl_interface *interface,
					      uint32_t code);
/* Return: true if @interface is @other, or extends it. */
bool nnb_hidl_is(const struct nnb_hidl_interface *interface,
		 const struct nnb_hidl_interface *other);

#endif
