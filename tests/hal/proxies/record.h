/* SPDX-License-Identifier: MIT */
/*
 * What a Parcel of the C++ that hidl-gen makes has recorded, in the form of binder/hw.h, for C
 * and C++: tests/hal/hidl-proxies.
 */
#ifndef TEST_HAL_RECORD_H
#define TEST_HAL_RECORD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum record_kind { RECORD_BUFFER, RECORD_FDS, RECORD_OBJECT };

#define RECORD_NO_PARENT UINT32_MAX
#define RECORD_ENTRIES 4096
#define RECORD_BYTES (1 << 20)

/* An object, its place in the stream, and what it refers to. */
struct record_entry {
	enum record_kind kind;
	size_t offset;
	uint32_t parent;
	size_t parent_offset;
	const void *data;
	size_t size;
	const void *object;
};

/**
 * struct record - a parcel
 * @descriptor: of the interface in its header; empty for a reply
 * @stream: bytes behind the header; those of objects are zero
 * @size: bytes of @stream
 * @entries: in the order of the stream
 * @count: entries of @entries
 */
struct record {
	const char *descriptor;
	unsigned char stream[RECORD_BYTES];
	size_t size;
	struct record_entry entries[RECORD_ENTRIES];
	uint32_t count;
};

/**
 * struct proxy - a method of a proxy
 * @interface: that declares it
 * @method: its name
 * @code: of the transaction
 * @oneway: it is sent without waiting for a reply
 * @write: writes the request. @in: a struct of arguments, each at its entry of @offsets
 * @reply: the same for the reply and results; NULL if it is sent without waiting for one
 */
struct proxy {
	const char *interface, *method;
	uint32_t code;
	int oneway;
	void (*write)(struct record *record, const char *in, const uint32_t *offsets);
	void (*reply)(struct record *record, const char *in, const uint32_t *offsets);
};

/* All of them; the last has no interface. */
extern const struct proxy proxies[];

#ifdef __cplusplus
}
#endif

#endif
