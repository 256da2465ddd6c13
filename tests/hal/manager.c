// SPDX-License-Identifier: MIT
/*
 * manager: a service manager for tests, on binder's raw device. It knows what libgbinder and
 * libbinder_ndk ask one at API level 34 (android.os.IServiceManager):
 *
 *	1 getService, 2 checkService	name -> object, or null
 *	3 addService			name, object, ... -> nothing
 *	4 listServices			priorities -> names
 *	7 isDeclared			name -> whether it is there
 *
 * A service whose process ends is forgotten. It serves on one thread, which is enough for tests.
 *
 *	manager [NODE]		prints "ready" when it serves
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/android/binder.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAP_BYTES (128 << 10)
#define NAME_BYTES 256 /* of a name in UTF-16 */
#define SERVICES 32
#define STABILITY_VINTF 0x3f

enum { GET = 1, CHECK, ADD, LIST, IS_DECLARED = 7 };

/**
 * struct service - an entry
 * @handle: of the object; 0 for none
 * @units: of @name
 * @name: UTF-16, not terminated
 */
struct service {
	uint32_t handle;
	uint32_t units;
	uint16_t name[NAME_BYTES / 2];
};

/**
 * struct parcel - what is read or written
 * @data: @size bytes
 * @at: the next byte
 * @bad: it was too short, or there was no room
 * @offset: of the one object, when there is @objects 1
 */
struct parcel {
	uint8_t *data;
	size_t size, at;
	bool bad;
	binder_size_t offset;
	uint32_t objects;
};

static struct service services[SERVICES];
static int node;

/* -------------------------------------------------------------------------------------- parcels */

static void *parcel_move(struct parcel *parcel, size_t bytes)
{
	void *at = parcel->data + parcel->at;

	bytes = (bytes + 3) & ~(size_t)3;
	if (parcel->bad || bytes > parcel->size - parcel->at) {
		parcel->bad = true;
		return NULL;
	}
	parcel->at += bytes;
	return at;
}

static int32_t parcel_read(struct parcel *parcel)
{
	int32_t value = 0, *at = parcel_move(parcel, 4);

	if (at)
		memcpy(&value, at, 4);
	return value;
}

static void parcel_write(struct parcel *parcel, int32_t value)
{
	int32_t *at = parcel_move(parcel, 4);

	if (at)
		memcpy(at, &value, 4);
}

/* A string that is not null. */
static bool parcel_read_name(struct parcel *parcel, struct service *to)
{
	int32_t units = parcel_read(parcel);
	const void *at;

	if (units < 0 || units >= NAME_BYTES / 2) {
		parcel->bad = true;
		return false;
	}
	at = parcel_move(parcel, ((size_t)units + 1) * 2);
	if (!at)
		return false;
	to->units = (uint32_t)units;
	memcpy(to->name, at, (size_t)units * 2);
	return true;
}

static void parcel_write_name(struct parcel *parcel, const struct service *from)
{
	void *at;

	parcel_write(parcel, (int32_t)from->units);
	at = parcel_move(parcel, ((size_t)from->units + 1) * 2);
	if (at)
		memcpy(at, from->name, (size_t)from->units * 2);
}

static void parcel_write_object(struct parcel *parcel, uint32_t handle)
{
	struct flat_binder_object flat = { .hdr.type = BINDER_TYPE_BINDER };
	void *at;

	if (handle) {
		flat.hdr.type = BINDER_TYPE_HANDLE;
		flat.handle = handle;
		parcel->offset = parcel->at;
		parcel->objects = 1;
	}
	at = parcel_move(parcel, sizeof(flat));
	if (at)
		memcpy(at, &flat, sizeof(flat));
	parcel_write(parcel, handle ? STABILITY_VINTF : 0);
}

/* --------------------------------------------------------------------------------------- driver */

static void command(const void *data, size_t size)
{
	struct binder_write_read request = {
		.write_size = size, .write_buffer = (uintptr_t)data,
	};

	if (ioctl(node, BINDER_WRITE_READ, &request) < 0) {
		perror("manager: BINDER_WRITE_READ");
		exit(1);
	}
}

/* A command and what follows it. */
struct __attribute__((packed)) command_handle {
	uint32_t command, handle;
};

struct __attribute__((packed)) command_cookie {
	uint32_t command;
	struct binder_handle_cookie what;
};

struct __attribute__((packed)) command_pointer {
	uint32_t command;
	binder_uintptr_t pointer;
};

struct __attribute__((packed)) command_transaction {
	uint32_t command;
	struct binder_transaction_data what;
};

/* ------------------------------------------------------------------------------------- services */

static struct service *find(const struct service *wanted)
{
	for (int i = 0; i < SERVICES; i++) {
		if (services[i].handle && services[i].units == wanted->units &&
		    !memcmp(services[i].name, wanted->name, wanted->units * 2))
			return &services[i];
	}
	return NULL;
}

static void forget(struct service *service)
{
	const struct command_handle release = { BC_RELEASE, service->handle };

	service->handle = 0;
	command(&release, sizeof(release));
}

/* The last one that was added under a name counts. */
static void add(struct parcel *request)
{
	struct service *service, wanted;
	struct flat_binder_object flat;
	const void *at;

	if (!parcel_read_name(request, &wanted))
		return;
	at = parcel_move(request, sizeof(flat));
	if (!at)
		return;
	memcpy(&flat, at, sizeof(flat));
	if (flat.hdr.type != BINDER_TYPE_HANDLE) {
		request->bad = true;
		return;
	}
	service = find(&wanted);
	if (service)
		forget(service);
	for (service = services; service < services + SERVICES && service->handle; service++)
		;
	if (service == services + SERVICES) {
		request->bad = true;
		return;
	}
	*service = wanted;
	service->handle = flat.handle;
	command(&(struct command_handle){ BC_ACQUIRE, flat.handle },
		sizeof(struct command_handle));
	command(&(struct command_cookie){ BC_REQUEST_DEATH_NOTIFICATION,
					  { flat.handle, flat.handle } },
		sizeof(struct command_cookie));
}

static void list(struct parcel *reply)
{
	int32_t count = 0;

	for (int i = 0; i < SERVICES; i++)
		count += services[i].handle != 0;
	parcel_write(reply, count);
	for (int i = 0; i < SERVICES; i++) {
		if (services[i].handle)
			parcel_write_name(reply, &services[i]);
	}
}

/* Strict mode, work source, 'SYST', the interface. */
static void read_header(struct parcel *request)
{
	struct service interface;

	parcel_read(request);
	parcel_read(request);
	parcel_read(request);
	parcel_read_name(request, &interface);
}

static int32_t answer(uint32_t code, struct parcel *request, struct parcel *reply)
{
	const struct service *service;
	struct service wanted;

	if (code == B_PACK_CHARS('_', 'P', 'N', 'G'))
		return 0;
	read_header(request);
	parcel_write(reply, 0);
	switch (code) {
	case GET:
	case CHECK:
	case IS_DECLARED:
		if (!parcel_read_name(request, &wanted))
			break;
		service = find(&wanted);
		if (code == IS_DECLARED)
			parcel_write(reply, !!service);
		else
			parcel_write_object(reply, service ? service->handle : 0);
		break;
	case ADD:
		add(request);
		break;
	case LIST:
		list(reply);
		break;
	default:
		return -EBADMSG;
	}
	return request->bad || reply->bad ? -EINVAL : 0;
}

static void transact(const struct binder_transaction_data *call)
{
	static uint8_t room[16 << 10];
	struct parcel request = { .data = (uint8_t *)(uintptr_t)call->data.ptr.buffer,
				  .size = call->data_size };
	struct parcel reply = { .data = memset(room, 0, sizeof(room)), .size = sizeof(room) };
	struct command_transaction answered = { .command = BC_REPLY };
	const struct command_pointer free_buffer = { BC_FREE_BUFFER, call->data.ptr.buffer };
	int32_t status = answer(call->code, &request, &reply);

	if (status) {
		answered.what.flags = TF_STATUS_CODE;
		answered.what.data_size = sizeof(status);
		answered.what.data.ptr.buffer = (uintptr_t)&status;
	} else {
		answered.what.data_size = reply.at;
		answered.what.data.ptr.buffer = (uintptr_t)reply.data;
		answered.what.offsets_size = reply.objects * sizeof(reply.offset);
		answered.what.data.ptr.offsets = (uintptr_t)&reply.offset;
	}
	if (!(call->flags & TF_ONE_WAY))
		command(&answered, sizeof(answered));
	command(&free_buffer, sizeof(free_buffer));
}

static void died(binder_uintptr_t cookie)
{
	const struct command_pointer done = { BC_DEAD_BINDER_DONE, cookie };

	for (int i = 0; i < SERVICES; i++) {
		if (services[i].handle && services[i].handle == cookie)
			forget(&services[i]);
	}
	command(&done, sizeof(done));
}

static void handle(uint32_t what, const void *data)
{
	struct binder_transaction_data call;
	binder_uintptr_t cookie;

	switch (what) {
	case BR_TRANSACTION:
		memcpy(&call, data, sizeof(call));
		transact(&call);
		break;
	case BR_DEAD_BINDER:
		memcpy(&cookie, data, sizeof(cookie));
		died(cookie);
		break;
	default: /* nothing that has to be answered */
		break;
	}
}

static void serve(void)
{
	const uint32_t enter = BC_ENTER_LOOPER;
	uint32_t read[256];

	command(&enter, sizeof(enter));
	puts("ready");
	fflush(stdout);
	for (;;) {
		struct binder_write_read request = {
			.read_size = sizeof(read), .read_buffer = (uintptr_t)read,
		};
		const uint8_t *at = (const uint8_t *)read;

		if (ioctl(node, BINDER_WRITE_READ, &request) < 0) {
			if (errno == EINTR)
				continue;
			perror("manager: BINDER_WRITE_READ");
			exit(1);
		}
		while (at < (const uint8_t *)read + request.read_consumed) {
			uint32_t what;

			memcpy(&what, at, sizeof(what));
			handle(what, at + sizeof(what));
			at += sizeof(what) + _IOC_SIZE(what);
		}
	}
}

int main(int argc, char **argv)
{
	const char *path = argc > 1 ? argv[1] : "/dev/binder";

	node = open(path, O_RDWR | O_CLOEXEC);
	if (node < 0 || mmap(NULL, MAP_BYTES, PROT_READ, MAP_PRIVATE, node, 0) == MAP_FAILED ||
	    ioctl(node, BINDER_SET_CONTEXT_MGR, 0) < 0) {
		fprintf(stderr, "manager: %s: %s\n", path, strerror(errno));
		return 1;
	}
	serve();
}
