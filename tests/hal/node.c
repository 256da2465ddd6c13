// SPDX-License-Identifier: MIT
/* What service managers of tests have in common (node.h). */
#include "tests/hal/node.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#define MAP_BYTES (128 << 10)

struct service services[NODE_SERVICES];
static int node;
static int32_t (*node_answer)(uint32_t code, struct parcel *request, struct parcel *reply);

/* -------------------------------------------------------------------------------------- parcels */

void *parcel_move(struct parcel *parcel, size_t bytes)
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

int32_t parcel_read(struct parcel *parcel)
{
	int32_t value = 0, *at = parcel_move(parcel, 4);

	if (at)
		memcpy(&value, at, 4);
	return value;
}

void parcel_write(struct parcel *parcel, int32_t value)
{
	int32_t *at = parcel_move(parcel, 4);

	if (at)
		memcpy(at, &value, 4);
}

void parcel_write_object(struct parcel *parcel, const void *object, size_t bytes)
{
	const size_t offset = parcel->at;
	void *at = parcel_move(parcel, bytes);

	if (!at || parcel->objects == NODE_OBJECTS) {
		parcel->bad = true;
		return;
	}
	memcpy(at, object, bytes);
	parcel->offsets[parcel->objects++] = offset;
}

void parcel_write_handle(struct parcel *parcel, const struct service *service)
{
	struct flat_binder_object flat = { .hdr.type = BINDER_TYPE_BINDER };
	void *at;

	if (service) {
		flat.hdr.type = BINDER_TYPE_HANDLE;
		flat.handle = service->handle;
		parcel_write_object(parcel, &flat, sizeof(flat));
		return;
	}
	at = parcel_move(parcel, sizeof(flat));
	if (at)
		memcpy(at, &flat, sizeof(flat));
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
	struct binder_transaction_data_sg what;
};

/* A transaction or a reply of a parcel. */
static void send_parcel(uint32_t what, uint32_t handle, uint32_t code, const struct parcel *parcel)
{
	struct command_transaction sent = { .command = what };

	sent.what.transaction_data.target.handle = handle;
	sent.what.transaction_data.code = code;
	sent.what.transaction_data.data_size = parcel->at;
	sent.what.transaction_data.data.ptr.buffer = (uintptr_t)parcel->data;
	sent.what.transaction_data.offsets_size = parcel->objects * sizeof(parcel->offsets[0]);
	sent.what.transaction_data.data.ptr.offsets = (uintptr_t)parcel->offsets;
	sent.what.buffers_size = parcel->buffers;
	command(&sent, sizeof(sent));
}

static void send_status(int32_t status)
{
	struct __attribute__((packed)) {
		uint32_t command;
		struct binder_transaction_data what;
	} sent = { .command = BC_REPLY };

	sent.what.flags = TF_STATUS_CODE;
	sent.what.data_size = sizeof(status);
	sent.what.data.ptr.buffer = (uintptr_t)&status;
	command(&sent, sizeof(sent));
}

/* ------------------------------------------------------------------------------------- services */

struct service *service_find(const struct service *wanted)
{
	for (int i = 0; i < NODE_SERVICES; i++) {
		if (services[i].handle && services[i].size == wanted->size &&
		    !memcmp(services[i].name, wanted->name, wanted->size))
			return &services[i];
	}
	return NULL;
}

static bool service_has(uint32_t handle)
{
	for (int i = 0; i < NODE_SERVICES; i++) {
		if (services[i].handle == handle)
			return true;
	}
	return false;
}

static void forget(struct service *service)
{
	const struct command_handle release = { BC_RELEASE, service->handle };

	service->handle = 0;
	command(&release, sizeof(release));
}

/* The last one that was added under a name counts. */
bool service_add(const struct service *wanted)
{
	const bool known = service_has(wanted->handle);
	struct service *service = service_find(wanted);

	command(&(struct command_handle){ BC_ACQUIRE, wanted->handle },
		sizeof(struct command_handle));
	if (service)
		forget(service);
	for (service = services; service < services + NODE_SERVICES && service->handle; service++)
		;
	if (service == services + NODE_SERVICES)
		return false;
	*service = *wanted;
	if (!known)
		command(&(struct command_cookie){ BC_REQUEST_DEATH_NOTIFICATION,
						  { wanted->handle, wanted->handle } },
			sizeof(struct command_cookie));
	return true;
}

static void died(binder_uintptr_t cookie)
{
	const struct command_pointer done = { BC_DEAD_BINDER_DONE, cookie };

	for (int i = 0; i < NODE_SERVICES; i++) {
		if (services[i].handle && services[i].handle == cookie)
			forget(&services[i]);
	}
	command(&done, sizeof(done));
}

/* ---------------------------------------------------------------------------------------- calls */

static void transact(const struct binder_transaction_data *call)
{
	static uint8_t room[16 << 10];
	struct parcel request = { .data = (uint8_t *)(uintptr_t)call->data.ptr.buffer,
				  .size = call->data_size };
	struct parcel reply = { .data = memset(room, 0, sizeof(room)), .size = sizeof(room) };
	int32_t status = node_answer(call->code, &request, &reply);

	if (!(call->flags & TF_ONE_WAY)) {
		if (status)
			send_status(status);
		else
			send_parcel(BC_REPLY_SG, 0, 0, &reply);
	}
	node_free(&request);
}

/**
 * struct answer - what a call waits for
 * @there: it has come
 * @failed: it is none
 * @data: of the driver
 */
struct answer {
	bool there, failed;
	struct binder_transaction_data data;
};

static void handle(uint32_t what, const void *data, struct answer *answer)
{
	struct binder_transaction_data call;
	binder_uintptr_t cookie;

	switch (what) {
	case BR_TRANSACTION:
		memcpy(&call, data, sizeof(call));
		transact(&call);
		break;
	case BR_REPLY:
		answer->there = true;
		memcpy(&answer->data, data, sizeof(answer->data));
		break;
	case BR_DEAD_REPLY:
	case BR_FAILED_REPLY:
		answer->there = true;
		answer->failed = true;
		break;
	case BR_DEAD_BINDER:
		memcpy(&cookie, data, sizeof(cookie));
		died(cookie);
		break;
	default: /* nothing that has to be answered */
		break;
	}
}

/* Reads commands of the driver until the answer is there. */
static void receive(struct answer *answer)
{
	uint32_t read[256];

	while (!answer->there) {
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
			handle(what, at + sizeof(what), answer);
			at += sizeof(what) + _IOC_SIZE(what);
		}
	}
}

bool node_call(uint32_t handle, uint32_t code, const struct parcel *request, struct parcel *reply)
{
	struct answer answer = {0};

	send_parcel(BC_TRANSACTION_SG, handle, code, request);
	receive(&answer);
	*reply = (struct parcel){ .data = (uint8_t *)(uintptr_t)answer.data.data.ptr.buffer,
				  .size = answer.data.data_size };
	if (!answer.failed && !(answer.data.flags & TF_STATUS_CODE))
		return true;
	if (!answer.failed)
		node_free(reply);
	return false;
}

void node_free(const struct parcel *reply)
{
	const struct command_pointer free_buffer = { BC_FREE_BUFFER, (uintptr_t)reply->data };

	command(&free_buffer, sizeof(free_buffer));
}

int node_serve(const char *path,
	       int32_t (*answer)(uint32_t code, struct parcel *request, struct parcel *reply))
{
	const uint32_t enter = BC_ENTER_LOOPER;
	struct answer never = {0};

	node_answer = answer;
	node = open(path, O_RDWR | O_CLOEXEC);
	if (node < 0 || mmap(NULL, MAP_BYTES, PROT_READ, MAP_PRIVATE, node, 0) == MAP_FAILED ||
	    ioctl(node, BINDER_SET_CONTEXT_MGR, 0) < 0) {
		fprintf(stderr, "manager: %s: %s\n", path, strerror(errno));
		return 1;
	}
	command(&enter, sizeof(enter));
	puts("ready");
	fflush(stdout);
	receive(&never);
	return 1;
}
