// SPDX-License-Identifier: MIT
/*
 * libFuzzer target of the NN HAL: sequences of calls by a client that sends whatever it likes, on a
 * service without a kernel. Any call may fail; none may crash, hang or leave anything behind.
 *
 * An input is a list of calls. What each sends is one of
 *
 *	bytes	as they stand in the input
 *	values	of the method's types at random
 *	a model, a request	valid ones, for the methods that take them
 *
 * with some words overwritten. Objects that replies contain can be called later on.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hal-bridge/binder/flat.h"
#include "tests/unit/hal-bridge/aidl/value.h"
#include "tests/unit/hal-bridge/service/fixture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_OBJECTS 8
#define FUZZ_CALLS 32

/**
 * struct fuzz - a run of the fuzzer
 * @data: the rest of the input, @left bytes
 * @service: lives as long as the process
 * @objects: what can be called, references; the first is IDevice
 * @object_count: entries of @objects
 * @model: a valid model
 * @request: a valid request of it
 * @callback: whom prepareModel tells
 */
struct fuzz {
	const uint8_t *data;
	size_t left;
	struct nnb_service *service;
	struct nnb_object *objects[FUZZ_OBJECTS];
	uint32_t object_count;
	struct hal_model model;
	struct hal_request request;
	struct hal_callback *callback;
};

static uint32_t fuzz_take(struct fuzz *fuzz, size_t bytes)
{
	uint32_t value = 0;

	for (; bytes && fuzz->left; bytes--, fuzz->left--)
		value = value << 8 | *fuzz->data++;
	return value;
}

/* Keeps an object for later calls, or drops the reference. */
static void fuzz_keep(struct fuzz *fuzz, struct nnb_object *object)
{
	if (!object)
		return;
	if (fuzz->object_count < FUZZ_OBJECTS)
		fuzz->objects[fuzz->object_count++] = object;
	else
		nnb_object_unref(object);
}

/* Overwrites some words of what is sent. */
static void fuzz_patch(struct fuzz *fuzz, struct nnb_flat *flat)
{
	static const int32_t values[] = {
		0, 1, -1, 2, 4, 16, 0x7fffffff, INT32_MIN, 100, 0x10000, 3, 5, 6, 7, 8, 96,
	};
	uint32_t count = fuzz_take(fuzz, 1) & 3;

	for (; count && flat->size; count--) {
		size_t at = fuzz_take(fuzz, 2) % (flat->size / 4) * 4;
		uint32_t how = fuzz_take(fuzz, 1);
		int32_t value = values[how & 15];

		if (how & 16)
			value = (int32_t)fuzz_take(fuzz, 4);
		memcpy(flat->data + at, &value, sizeof(value));
	}
	if (fuzz_take(fuzz, 1) == 255 && flat->size)
		flat->size = fuzz_take(fuzz, 2) % (flat->size / 4) * 4;
}

static void fuzz_send_bytes(struct fuzz *fuzz, struct nnb_flat *flat)
{
	size_t size = fuzz_take(fuzz, 1) * 4;

	if (size > fuzz->left)
		size = fuzz->left;
	nnb_flat_set(flat, fuzz->data, size);
	fuzz->data += size;
	fuzz->left -= size;
	for (size_t at = 0; at < flat->size && fuzz_take(fuzz, 1) & 1; at += 24) {
		at += (fuzz_take(fuzz, 1) & 63) * 4;
		nnb_flat_place(flat, at, value_fd(), NULL);
	}
}

/* The parameters of a method: valid ones where a model or a request is among them. */
static void fuzz_send_method(struct fuzz *fuzz, const struct nnb_aidl_method *method, bool valid,
			     struct nnb_flat *flat)
{
	struct nnb_arena arena = {0};
	uint64_t seed = fuzz_take(fuzz, 2);
	unsigned char *in;

	if (!method->in)
		return;
	in = nnb_arena_alloc(&arena, 1, method->in->size);
	value_fill(&seed, &arena, &fuzz->callback->object, method->in, in);
	for (uint32_t i = 0; valid && i < method->in->field_count; i++) {
		const struct nnb_aidl_field *field = &method->in->fields[i];

		if (field->type == &nnb_aidl_type_model)
			memcpy(in + field->offset, &fuzz->model.model, sizeof(fuzz->model.model));
		else if (field->type == &nnb_aidl_type_request)
			memcpy(in + field->offset, &fuzz->request.request,
			       sizeof(fuzz->request.request));
		else if (field->kind == NNB_AIDL_LONG)
			memset(in + field->offset, 0xff, 8);
		else if (field->kind == NNB_AIDL_INT)
			memset(in + field->offset, 0, 4);
		else if (field->kind == NNB_AIDL_FDS || field->kind == NNB_AIDL_LONGS)
			memset(in + field->offset, 0, sizeof(struct nnb_fds));
	}
	nnb_aidl_write_fields(&flat->writer, method->in, in);
	nnb_arena_fini(&arena);
}

static void fuzz_call(struct fuzz *fuzz)
{
	struct nnb_object *object = fuzz->objects[fuzz_take(fuzz, 1) % fuzz->object_count];
	const uint32_t which = fuzz_take(fuzz, 1) % 7, how = fuzz_take(fuzz, 1);
	const struct nnb_aidl_interface *interface = nnb_aidl_interfaces[which];
	uint32_t code = fuzz_take(fuzz, 1);
	struct nnb_arena arena = {0};
	struct nnb_flat request, reply;

	nnb_flat_init(&request);
	nnb_flat_init(&reply);
	if (code < 64)
		code = code % interface->method_count + 1;
	if (how % 4 == 0 || code > interface->method_count)
		fuzz_send_bytes(fuzz, &request);
	else
		fuzz_send_method(fuzz, &interface->methods[code - 1], how % 4 > 1, &request);
	fuzz_patch(fuzz, &request);
	if (object->ops->transact)
		object->ops->transact(object, &hal_me, code, &request.reader, &arena,
				      &reply.writer);
	for (uint32_t i = 0; i < reply.entry_count; i++) {
		if (reply.entries[i].object)
			fuzz_keep(fuzz, nnb_object_ref(reply.entries[i].object));
	}
	nnb_flat_fini(&request);
	nnb_flat_fini(&reply);
	nnb_arena_fini(&arena);
	/* What was prepared is there now. */
	nnb_workers_drain(&fuzz->service->workers);
	fuzz_keep(fuzz, fuzz->callback->model);
	fuzz->callback->model = NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct nnb_service *service;
	static struct nnb_object *anchor;
	struct fuzz fuzz = {.data = data, .left = size};

	if (!service) {
		const struct nnb_quota quota = {.models = 16, .bytes = 1 << 20, .jobs = 4};

		service = hal_service(NNB_AIDL_VERSION, &quota);
		/* Keeps the client, whose device takes its time to open. */
		anchor = hal_prepared(service, &hal_me);
	}
	fuzz.service = service;
	fuzz.objects[fuzz.object_count++] = &service->object;
	fuzz.objects[fuzz.object_count++] = nnb_object_ref(anchor);
	hal_model_init(&fuzz.model);
	hal_request_init(&fuzz.request, size & 1);
	fuzz.callback = hal_callback_new();
	for (int i = 0; i < FUZZ_CALLS && fuzz.left; i++)
		fuzz_call(&fuzz);
	for (uint32_t i = 1; i < fuzz.object_count; i++)
		nnb_object_unref(fuzz.objects[i]);
	nnb_object_unref(&fuzz.callback->object);
	hal_model_fini(&fuzz.model);
	hal_request_fini(&fuzz.request);
	if (nnb_service_count_clients(service) != 1 || service->users->used.models != 1 ||
	    service->users->used.bytes || service->users->used.jobs) {
		fprintf(stderr, "something of the client is left\n");
		abort();
	}
	return 0;
}
