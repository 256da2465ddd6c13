/* SPDX-License-Identifier: MIT */
/*
 * A service manager for tests, on binder's raw device: parcels, the driver's commands, and the
 * table of services. manager.c is that of AIDL, hwmanager.c that of HIDL. It serves on one thread,
 * which is enough for tests. A service whose process ends is forgotten.
 */
#ifndef TEST_HAL_NODE_H
#define TEST_HAL_NODE_H

#include <linux/android/binder.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NODE_NAME 256 /* bytes of a name */
#define NODE_SERVICES 32
#define NODE_OBJECTS 64 /* of a parcel that is written */

/**
 * struct service - an entry; a process may have several
 * @handle: of the object; 0 for none
 * @size: bytes of @name
 * @name: in the form of the service manager, not terminated
 */
struct service {
	uint32_t handle;
	size_t size;
	uint8_t name[NODE_NAME];
};

/**
 * struct parcel - what is read or written
 * @data: @size bytes
 * @size: bytes
 * @at: the next byte
 * @bad: it was too short, or there was no room
 * @offsets: where objects are, when it is written; @objects of them
 * @objects: entries of @offsets
 * @buffers: bytes of the buffers that objects refer to
 */
struct parcel {
	uint8_t *data;
	size_t size, at;
	bool bad;
	binder_size_t offsets[NODE_OBJECTS];
	uint32_t objects;
	size_t buffers;
};

/* The next @bytes, rounded up to a word; NULL if there are less. */
void *parcel_move(struct parcel *parcel, size_t bytes);
int32_t parcel_read(struct parcel *parcel);
void parcel_write(struct parcel *parcel, int32_t value);
/* Writes an object of @bytes, which the driver has to know of. */
void parcel_write_object(struct parcel *parcel, const void *object, size_t bytes);
/* Writes the object of a service, NULL for null. */
void parcel_write_handle(struct parcel *parcel, const struct service *service);

extern struct service services[NODE_SERVICES];

/* The entry of the same name; NULL for none. */
struct service *service_find(const struct service *wanted);
/* Adds an entry, in the place of one of the same name. Return: false if there is no room. */
bool service_add(const struct service *wanted);

/*
 * Calls an object and waits for the answer. *@reply belongs to the driver until node_free().
 * Return: false if there is none.
 */
bool node_call(uint32_t handle, uint32_t code, const struct parcel *request, struct parcel *reply);
void node_free(const struct parcel *reply);

/*
 * Answers calls for ever, after a line "ready". @answer reads a request and writes the reply, and
 * gives 0 or a status. Return: only when @path cannot be used, after a message.
 */
int node_serve(const char *path,
	       int32_t (*answer)(uint32_t code, struct parcel *request, struct parcel *reply));

#endif
