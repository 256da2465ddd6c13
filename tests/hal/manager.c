// SPDX-License-Identifier: MIT
/*
 * manager: a service manager for tests (node.h). It knows what libgbinder and libbinder_ndk ask one
 * at API level 34 (android.os.IServiceManager):
 *
 *	1 getService, 2 checkService	name -> object, or null
 *	3 addService			name, object, ... -> nothing
 *	4 listServices			priorities -> names
 *	7 isDeclared			name -> whether it is there
 *
 *	manager [NODE]		prints "ready" when it serves
 */
#include <errno.h>
#include <string.h>

#include "tests/hal/node.h"

#define STABILITY_VINTF 0x3f

enum { GET = 1, CHECK, ADD, LIST, IS_DECLARED = 7 };

/* A string that is not null; a name is kept in UTF-16. */
static bool read_name(struct parcel *parcel, struct service *to)
{
	int32_t units = parcel_read(parcel);
	const void *at;

	if (units < 0 || units >= NODE_NAME / 2) {
		parcel->bad = true;
		return false;
	}
	at = parcel_move(parcel, ((size_t)units + 1) * 2);
	if (!at)
		return false;
	to->size = (size_t)units * 2;
	memcpy(to->name, at, to->size);
	return true;
}

static void write_name(struct parcel *parcel, const struct service *from)
{
	void *at;

	parcel_write(parcel, (int32_t)(from->size / 2));
	at = parcel_move(parcel, from->size + 2);
	if (at)
		memcpy(at, from->name, from->size);
}

static void add(struct parcel *request)
{
	struct flat_binder_object flat;
	struct service wanted;
	const void *at;

	if (!read_name(request, &wanted))
		return;
	at = parcel_move(request, sizeof(flat));
	if (!at)
		return;
	memcpy(&flat, at, sizeof(flat));
	wanted.handle = flat.handle;
	if (flat.hdr.type != BINDER_TYPE_HANDLE || !service_add(&wanted))
		request->bad = true;
}

static void list(struct parcel *reply)
{
	int32_t count = 0;

	for (int i = 0; i < NODE_SERVICES; i++)
		count += services[i].handle != 0;
	parcel_write(reply, count);
	for (int i = 0; i < NODE_SERVICES; i++) {
		if (services[i].handle)
			write_name(reply, &services[i]);
	}
}

/* Strict mode, work source, 'SYST', the interface. */
static void read_header(struct parcel *request)
{
	struct service interface;

	parcel_read(request);
	parcel_read(request);
	parcel_read(request);
	read_name(request, &interface);
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
		if (!read_name(request, &wanted))
			break;
		service = service_find(&wanted);
		if (code == IS_DECLARED) {
			parcel_write(reply, !!service);
			break;
		}
		parcel_write_handle(reply, service);
		parcel_write(reply, service ? STABILITY_VINTF : 0);
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

int main(int argc, char **argv)
{
	return node_serve(argc > 1 ? argv[1] : "/dev/binder", answer);
}
