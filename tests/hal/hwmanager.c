// SPDX-License-Identifier: MIT
/*
 * hwmanager: a service manager of HIDL for tests (node.h). It knows what libgbinder asks one
 * (android.hidl.manager@1.0::IServiceManager):
 *
 *	1 get		interface, name -> object, or null
 *	2 add		name, object -> whether it could; it asks the object for its interfaces, and
 *			keeps it under each of them
 *	4 list		-> names
 *	ping (IBase)
 *
 *	hwmanager [NODE]	prints "ready" when it serves
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tests/hal/node.h"

#define BASE "android.hidl.base@1.0::IBase"

enum { GET = 1, ADD = 2, LIST = 4, PING = 0x0f504e47, CHAIN = 0x0f43484e };

/* A string in memory; a vec looks alike, with the number of elements. */
struct hidl_string {
	const void *data;
	uint32_t size;
	uint32_t owned;
};

/* Reads a buffer of at least @size bytes, which the driver has put into this process. */
static const void *read_buffer(struct parcel *parcel, size_t size)
{
	struct binder_buffer_object buffer;
	const void *at = parcel_move(parcel, sizeof(buffer));

	if (!at)
		return NULL;
	memcpy(&buffer, at, sizeof(buffer));
	if (buffer.hdr.type == BINDER_TYPE_PTR && buffer.length >= size)
		return (const void *)(uintptr_t)buffer.buffer;
	parcel->bad = true;
	return NULL;
}

/* Appends the text of a string to a name. */
static void take_text(struct parcel *parcel, const struct hidl_string *string, struct service *to)
{
	const void *text = string ? read_buffer(parcel, string->size) : NULL;

	if (!text || string->size > NODE_NAME - to->size) {
		parcel->bad = true;
		return;
	}
	memcpy(to->name + to->size, text, string->size);
	to->size += string->size;
}

static void take_slash(struct parcel *parcel, struct service *to)
{
	if (to->size == NODE_NAME)
		parcel->bad = true;
	else
		to->name[to->size++] = '/';
}

static void read_string(struct parcel *parcel, struct service *to)
{
	const struct hidl_string *string = read_buffer(parcel, sizeof(*string));

	take_text(parcel, string, to);
}

static void write_buffer(struct parcel *parcel, const void *data, size_t size, int parent,
			 size_t offset)
{
	struct binder_buffer_object buffer = {
		.hdr.type = BINDER_TYPE_PTR,
		.buffer = (uintptr_t)data,
		.length = size,
	};

	if (parent >= 0) {
		buffer.flags = BINDER_BUFFER_FLAG_HAS_PARENT;
		buffer.parent = (binder_size_t)parent;
		buffer.parent_offset = offset;
	}
	parcel_write_object(parcel, &buffer, sizeof(buffer));
	parcel->buffers += (size + 7) & ~(size_t)7;
}

static void write_header(struct parcel *parcel, const char *interface)
{
	void *at = parcel_move(parcel, strlen(interface) + 1);

	if (at)
		memcpy(at, interface, strlen(interface) + 1);
}

/* Keeps an object under all names of its interfaces. Return: false if it has none. */
static bool add(uint32_t handle, const struct service *instance)
{
	const struct hidl_string *vec, *names;
	struct parcel request, reply;
	uint8_t room[64] = {0};
	bool done = false;

	request = (struct parcel){ .data = room, .size = sizeof(room) };
	write_header(&request, BASE);
	if (!node_call(handle, CHAIN, &request, &reply))
		return false;
	if (!parcel_read(&reply)) {
		vec = read_buffer(&reply, sizeof(*vec));
		names = vec ? read_buffer(&reply, vec->size * sizeof(*names)) : NULL;
		for (uint32_t i = 0; names && i < vec->size && !reply.bad; i++) {
			struct service wanted = { .handle = handle };

			take_text(&reply, &names[i], &wanted);
			take_slash(&reply, &wanted);
			if (reply.bad || instance->size > NODE_NAME - wanted.size)
				break;
			memcpy(wanted.name + wanted.size, instance->name, instance->size);
			wanted.size += instance->size;
			done = service_add(&wanted);
		}
	}
	done &= !reply.bad;
	node_free(&reply);
	return done;
}

static void answer_add(struct parcel *request, struct parcel *reply)
{
	struct service instance = {0};
	struct flat_binder_object flat;
	const void *at;

	read_string(request, &instance);
	at = parcel_move(request, sizeof(flat));
	if (!at)
		return;
	memcpy(&flat, at, sizeof(flat));
	parcel_write(reply, flat.hdr.type == BINDER_TYPE_HANDLE && add(flat.handle, &instance));
}

static void answer_get(struct parcel *request, struct parcel *reply)
{
	struct service wanted = {0};

	read_string(request, &wanted);
	take_slash(request, &wanted);
	read_string(request, &wanted);
	parcel_write_handle(reply, request->bad ? NULL : service_find(&wanted));
}

static void answer_list(struct parcel *reply)
{
	static struct hidl_string vec, names[NODE_SERVICES];
	static char texts[NODE_SERVICES][NODE_NAME + 1];

	vec = (struct hidl_string){ .data = names };
	for (int i = 0; i < NODE_SERVICES; i++) {
		if (!services[i].handle)
			continue;
		memset(texts[vec.size], 0, sizeof(texts[0]));
		memcpy(texts[vec.size], services[i].name, services[i].size);
		names[vec.size] = (struct hidl_string){ texts[vec.size],
							(uint32_t)services[i].size, 0 };
		vec.size++;
	}
	write_buffer(reply, &vec, sizeof(vec), -1, 0);
	write_buffer(reply, names, vec.size * sizeof(names[0]), 0, 0);
	for (uint32_t i = 0; i < vec.size; i++)
		write_buffer(reply, names[i].data, names[i].size + 1, 1, i * sizeof(names[0]));
}

static int32_t answer(uint32_t code, struct parcel *request, struct parcel *reply)
{
	/* The name of the interface. */
	while (request->at < request->size && request->data[request->at])
		request->at++;
	request->at = (request->at + 4) & ~(size_t)3;
	if (request->at > request->size)
		return -EINVAL;
	parcel_write(reply, 0);
	switch (code) {
	case PING:
		break;
	case GET:
		answer_get(request, reply);
		break;
	case ADD:
		answer_add(request, reply);
		break;
	case LIST:
		answer_list(reply);
		break;
	default:
		return -EBADMSG;
	}
	return request->bad || reply->bad ? -EINVAL : 0;
}

int main(int argc, char **argv)
{
	return node_serve(argc > 1 ? argv[1] : "/dev/hwbinder", answer);
}
