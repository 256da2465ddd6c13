// SPDX-License-Identifier: MIT
/*
 * libFuzzer target of the NN HAL in HIDL: sequences of calls by a client that sends whatever it
 * likes, on a service without a kernel. An input is a list of calls of objects that the service has
 * handed out; a prepared model and a buffer are there from the beginning. Each call's parcel is
 * made by the tables of its method, of values at random or of a model or request that the service
 * accepts, and then changed: sizes, kinds, parents and places of buffers, their contents, and the
 * stream. The driver's part (nnb_hw_deliver()) is the tree's own, which refuses what the driver
 * would. A run that is not interrupted says at its end how many parcels have been delivered to the
 * service.
 *
 * Any call may fail; none may crash, hang, or read what it has not been sent.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hal-bridge/hidl/call.h"
#include "hal-bridge/hidl/gen/nn.h"
#include "hal-bridge/service/hidl/face.h"
#include "hal-bridge/service/service.h"
#include "libnnaccel/support/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_OBJECTS 8u
#define FUZZ_CALLS 6
#define FUZZ_SLACK 256u /* above what a change makes of a buffer's size */
/* Bytes behind each value: a buffer gets a size, and then grows, in 3 changes. */
#define FUZZ_BEHIND (FUZZ_SLACK + 3 * 64)
#define FUZZ_FILES 3

/**
 * struct fuzz - the client
 * @service: made once
 * @device: IDevice
 * @client: what the service knows of the client, a reference: without one it would open the device
 *	again for each input
 * @objects: what the service has handed out, references: first what each input begins with, then
 *	what it has got itself
 * @kept: entries of @objects that each input begins with
 * @count: entries of @objects
 * @lock: of both: the service's workers tell callbacks
 * @files: of the client: two memfds, of which one cannot shrink, and a pipe
 * @data: what is left of the input
 * @size: bytes of @data
 * @delivered: parcels that have reached the service
 */
static struct fuzz {
	struct nnb_service *service;
	struct nnb_object *device, *objects[FUZZ_OBJECTS];
	struct nnb_client *client;
	uint32_t kept, count;
	pthread_mutex_t lock;
	int files[FUZZ_FILES];
	const uint8_t *data;
	size_t size;
	uint64_t delivered;
} fuzz = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint32_t fuzz_take(uint32_t limit)
{
	uint32_t value = 0;

	for (uint32_t room = limit; room > 1 && fuzz.size; room = (room + 255) / 256) {
		value = value << 8 | *fuzz.data++;
		fuzz.size--;
	}
	return limit ? value % limit : value;
}

/* ------------------------------------------------------------------------------------- callback */

static void fuzz_keep(struct nnb_object *object)
{
	pthread_mutex_lock(&fuzz.lock);
	if (object && fuzz.count < FUZZ_OBJECTS)
		fuzz.objects[fuzz.count++] = nnb_object_ref(object);
	pthread_mutex_unlock(&fuzz.lock);
}

/* Callbacks of any interface; what a model's is told is kept. */
static int fuzz_answer(struct nnb_object *object, const struct nnb_caller *caller,
		       const char *descriptor, uint32_t code, struct nnb_hw *in,
		       struct nnb_arena *arena, struct nnb_hw *out)
{
	struct nnb_object *model;
	int32_t status;

	if (strstr(descriptor, "IPreparedModelCallback") && !nnb_hw_read_int(in, &status) &&
	    !nnb_hw_read_object(in, &model))
		fuzz_keep(model);
	return strstr(descriptor, "IBurst") ? -EIO : 0;
}

static void fuzz_release(struct nnb_object *object)
{
}

static struct nnb_object *fuzz_callback(void)
{
	static const struct nnb_object_ops ops = {
		.descriptor = "android.hardware.neuralnetworks@1.3::IPreparedModelCallback",
		.release = fuzz_release,
		.answer = fuzz_answer,
	};
	static struct nnb_object callback;

	if (!callback.ops)
		nnb_object_init(&callback, &ops);
	return &callback;
}

/* --------------------------------------------------------------------------------------- values */

static void *fuzz_alloc(struct nnb_arena *arena, size_t size)
{
	void *at = nnb_arena_alloc(arena, 1, size + FUZZ_BEHIND);

	if (!at)
		abort();
	return at;
}

static struct nnb_hidl_fds *fuzz_fds(struct nnb_arena *arena)
{
	const uint32_t fd_count = fuzz_take(3), int_count = fuzz_take(5);
	struct nnb_hidl_fds *fds = fuzz_alloc(arena, sizeof(*fds) + (fd_count + int_count) * 4);

	fds->version = NNB_HIDL_FDS_VERSION;
	fds->fd_count = fd_count;
	fds->int_count = int_count;
	for (uint32_t i = fd_count; i < fd_count + int_count; i++)
		fds->data[i] = (int32_t)fuzz_take(8);
	return fds;
}

static void fuzz_fill(struct nnb_arena *arena, const struct nnb_hidl_type *type, unsigned char *at)
{
	static const char *const names[] = {"mmap_fd", "ashmem", "hardware_buffer_blob", "x", ""};
	struct nnb_hidl_memory *memory = (void *)at;
	struct nnb_hidl_queue *queue = (void *)at;
	struct nnb_hidl_string *string = (void *)at;
	struct nnb_hidl_grantor *grantors;
	struct nnb_hidl_vec *vec = (void *)at;
	unsigned char *data;
	const char *name;

	switch (type->kind) {
	case NNB_HIDL_PLAIN:
		for (uint32_t i = 0; i < type->size; i += 4)
			at[i] = (uint8_t)fuzz_take(256);
		break;
	case NNB_HIDL_STRUCT:
		for (uint32_t i = 0; i < type->field_count; i++)
			fuzz_fill(arena, type->fields[i].type, at + type->fields[i].offset);
		break;
	case NNB_HIDL_UNION:
		*at = (uint8_t)fuzz_take(type->field_count);
		fuzz_fill(arena, type->fields[*at].type, at + type->fields[*at].offset);
		break;
	case NNB_HIDL_VEC:
		vec->count = fuzz_take(4);
		data = fuzz_alloc(arena, (size_t)vec->count * type->element->size);
		vec->data = data;
		for (uint32_t i = 0; i < vec->count; i++)
			fuzz_fill(arena, type->element, data + (size_t)i * type->element->size);
		break;
	case NNB_HIDL_STRING:
		name = names[fuzz_take(5)];
		data = fuzz_alloc(arena, strlen(name) + 1);
		memcpy(data, name, strlen(name));
		*string = nnb_hidl_string_of((char *)data, strlen(name));
		break;
	case NNB_HIDL_HANDLE:
		((struct nnb_hidl_handle *)at)->fds = fuzz_take(4) ? fuzz_fds(arena) : NULL;
		break;
	case NNB_HIDL_MEMORY:
		memory->handle.fds = fuzz_take(8) ? fuzz_fds(arena) : NULL;
		memory->size = fuzz_take(8192);
		fuzz_fill(arena, &nnb_hidl_string, (unsigned char *)&memory->name);
		break;
	case NNB_HIDL_QUEUE:
		grantors = fuzz_alloc(arena, 4 * sizeof(*grantors));
		grantors[0] = (struct nnb_hidl_grantor){.extent = 8};
		grantors[1] = (struct nnb_hidl_grantor){.offset = 8, .extent = 8};
		grantors[2] =
			(struct nnb_hidl_grantor){.offset = 16, .extent = 24 * fuzz_take(100)};
		grantors[3] = (struct nnb_hidl_grantor){.offset = 4000, .extent = 4};
		queue->grantors.data = grantors;
		queue->grantors.count = 3 + fuzz_take(2);
		queue->fds = fuzz_fds(arena);
		queue->quantum = 24;
		queue->flags = 1;
		break;
	}
}

/* A model of one ADD that the service accepts, as 1.0 has it; later versions begin alike. */
static void fuzz_model(struct nnb_arena *arena, const struct nnb_hidl_type *type, unsigned char *at)
{
	static const uint32_t dims[] = {4}, in[] = {0, 1, 2}, out[] = {3}, inputs[] = {0, 1};
	const bool first = type == &nnb_hidl_1_0_model || type == &nnb_hidl_1_1_model;
	const size_t size =
		first ? sizeof(struct nnb_hidl_1_0_operand) : sizeof(struct nnb_hidl_1_3_operand);
	unsigned char *operands = fuzz_alloc(arena, 4 * size);
	struct nnb_hidl_1_0_operation *operation = fuzz_alloc(arena, sizeof(*operation));
	struct nnb_hidl_1_3_subgraph *main = (void *)at;
	struct nnb_hidl_vec *values =
		(void *)(at + (type == &nnb_hidl_1_3_model
				       ? offsetof(struct nnb_hidl_1_3_model, operand_values)
				       : offsetof(struct nnb_hidl_1_0_model, operand_values)));
	void *copy;

#define FUZZ_COPY(from) (copy = fuzz_alloc(arena, sizeof(from)), memcpy(copy, from, sizeof(from)))
	for (int i = 0; i < 4; i++) {
		struct nnb_hidl_1_0_operand *operand = (void *)(operands + (size_t)i * size);

		operand->type = i == 2 ? 1 : 3;
		if (i != 2) {
			operand->dimensions.data = FUZZ_COPY(dims);
			operand->dimensions.count = 1;
		}
		operand->number_of_consumers = i < 3;
		operand->lifetime = i < 2 ? 1 : i == 2 ? 3 : 2;
		operand->location.length = i == 2 ? 4 : 0;
	}
	operation->inputs.data = FUZZ_COPY(in);
	operation->inputs.count = 3;
	operation->outputs.data = FUZZ_COPY(out);
	operation->outputs.count = 1;
	main->operands.data = (void *)operands;
	main->operands.count = 4;
	main->operations.data = (void *)operation;
	main->operations.count = 1;
	main->input_indexes.data = FUZZ_COPY(inputs);
	main->input_indexes.count = 2;
	main->output_indexes.data = FUZZ_COPY(out);
	main->output_indexes.count = 1;
	values->data = fuzz_alloc(arena, 4);
	values->count = 4;
}

/* A request for that model, of two inputs and an output in memory of the client. */
static void fuzz_request(struct nnb_arena *arena, const struct nnb_hidl_type *type,
			 unsigned char *at)
{
	const bool first = type == &nnb_hidl_1_0_request;
	struct nnb_hidl_1_0_request_argument *arguments = fuzz_alloc(arena, 3 * sizeof(*arguments));
	struct nnb_hidl_1_3_request_memory_pool *pool = fuzz_alloc(arena, sizeof(*pool));
	struct nnb_hidl_1_3_request *request = (void *)at;
	struct nnb_hidl_memory *memory = first ? (void *)pool : &pool->hidl_memory;
	struct nnb_hidl_fds *fds = fuzz_alloc(arena, sizeof(*fds) + 4 * sizeof(fds->data[0]));
	char *name = fuzz_alloc(arena, sizeof("mmap_fd"));

	strcpy(name, "mmap_fd");
	fds->version = NNB_HIDL_FDS_VERSION;
	fds->fd_count = 1;
	fds->int_count = 3;
	fds->data[1] = PROT_READ | PROT_WRITE;
	memory->handle.fds = fds;
	memory->size = 4096;
	memory->name = nnb_hidl_string_of(name, strlen(name));
	for (uint32_t i = 0; i < 3; i++) {
		arguments[i].location.offset = 16 * i;
		arguments[i].location.length = 16;
	}
	request->inputs.data = arguments;
	request->inputs.count = 2;
	request->outputs.data = arguments + 2;
	request->outputs.count = 1;
	request->pools.data = pool;
	request->pools.count = 1;
}

static void fuzz_argument(struct nnb_arena *arena, const struct nnb_hidl_argument *argument,
			  unsigned char *at)
{
	struct nnb_hidl_objects *objects = (void *)at;
	void *value;

	switch (argument->passing) {
	case NNB_HIDL_SCALAR:
		*at = (uint8_t)fuzz_take(4);
		return;
	case NNB_HIDL_FDS:
		value = fuzz_fds(arena);
		break;
	case NNB_HIDL_OBJECT:
		value = fuzz_take(8) ? fuzz_callback() : fuzz.device;
		break;
	case NNB_HIDL_OBJECTS:
		objects->count = fuzz_take(3);
		objects->data = fuzz_alloc(arena, 3 * sizeof(value));
		for (uint32_t i = 0; i < objects->count; i++)
			objects->data[i] =
				fuzz.count ? fuzz.objects[fuzz_take(fuzz.count)] : fuzz.device;
		return;
	default:
		value = fuzz_alloc(arena, argument->type->size);
		if (!strcmp(argument->name, "model") && fuzz_take(4))
			fuzz_model(arena, argument->type, value);
		else if (!strcmp(argument->name, "request") && fuzz_take(4))
			fuzz_request(arena, argument->type, value);
		else
			fuzz_fill(arena, argument->type, value);
		break;
	}
	memcpy(at, &value, sizeof(value));
}

/*
 * ---------------------------------------------------------------------------------------- parcel
 */

/* Changes one thing of a parcel that has been written. */
static void fuzz_change(struct nnb_hw *hw)
{
	static unsigned char zeros[2 * FUZZ_SLACK];
	struct nnb_hw_entry *entry;
	uint32_t value;
	size_t at;

	if (!hw->count || !fuzz_take(5)) {
		if (hw->size < 4)
			return;
		at = fuzz_take((uint32_t)hw->size / 4) * 4;
		value = fuzz_take(2) ? fuzz_take(16) : fuzz_take(0xffffffff);
		memcpy(hw->data + at, &value, 4);
		return;
	}
	entry = &hw->entries[fuzz_take(hw->count)];
	switch (fuzz_take(8)) {
	case 0:
		if (entry->kind == NNB_HW_OBJECT)
			return;
		value = fuzz_take(FUZZ_SLACK);
		/* What is empty may have no address. */
		if (!entry->data)
			entry->data = zeros;
		entry->size = fuzz_take(2) || entry->kind == NNB_HW_FDS
				      ? value
				      : entry->size + (entry->data != zeros ? value % 64 : 0);
		if (entry->kind == NNB_HW_FDS)
			entry->size %= 8;
		return;
	case 1:
		entry->parent = fuzz_take(4) ? fuzz_take(hw->count) : NNB_HW_NO_PARENT;
		return;
	case 2:
		entry->parent_offset = fuzz_take(2) ? fuzz_take(200) : fuzz_take(0xffffffff);
		return;
	case 3:
		nnb_object_unref(entry->object);
		entry->object = NULL;
		entry->kind = fuzz_take(2) ? NNB_HW_BUFFER : NNB_HW_FDS;
		entry->data = zeros;
		entry->size = fuzz_take(entry->kind == NNB_HW_FDS ? 4 : FUZZ_SLACK);
		return;
	case 4:
		nnb_object_unref(entry->object);
		memmove(entry, entry + 1,
			(size_t)(hw->entries + hw->count - entry - 1) * sizeof(*entry));
		hw->count--;
		return;
	case 5:
		entry->offset += 4 * (size_t)fuzz_take(3);
		return;
	case 6:
		hw->size = fuzz_take((uint32_t)hw->size / 4 + 1) * 4;
		return;
	default:
		if (entry->kind != NNB_HW_BUFFER || !entry->size || entry->data == zeros)
			return;
		at = fuzz_take((uint32_t)entry->size);
		((unsigned char *)(uintptr_t)entry->data)[at] = (uint8_t)fuzz_take(256);
		return;
	}
}

/* Which descriptors the client has is nothing that an input decides. */
static void fuzz_place_files(struct nnb_hw *hw)
{
	for (uint32_t i = 0; i < hw->count; i++) {
		const struct nnb_hw_entry *entry = &hw->entries[i], *parent;

		if (entry->kind != NNB_HW_FDS || entry->parent >= hw->count)
			continue;
		parent = &hw->entries[entry->parent];
		for (size_t k = 0; parent->kind == NNB_HW_BUFFER && k < entry->size; k++) {
			const size_t at = entry->parent_offset + k * 4;

			if (at < entry->parent_offset || parent->size < 4 || at > parent->size - 4)
				break;
			memcpy((char *)(uintptr_t)parent->data + at,
			       &fuzz.files[(i + k) % FUZZ_FILES], 4);
		}
	}
}

static const struct nnb_caller fuzz_caller = {.euid = 1000, .pid = 1000};

/* Return: mostly an interface that the object has. */
static const struct nnb_hidl_interface *fuzz_interface(const struct nnb_object *object)
{
	const struct nnb_hidl_interface *interface = NULL;
	const bool other = !fuzz_take(8);
	uint32_t count = 0;

	for (; nnb_hidl_interfaces[count]; count++) {
		if (!strcmp(nnb_hidl_interfaces[count]->descriptor, object->ops->descriptor))
			interface = nnb_hidl_interfaces[count];
	}
	if (other || !interface)
		return nnb_hidl_interfaces[fuzz_take(count)];
	for (uint32_t up = fuzz_take(4); up && interface->parent; up--)
		interface = interface->parent;
	return interface;
}

static void fuzz_call(void)
{
	const struct nnb_hidl_interface *interface;
	const struct nnb_hidl_method *method;
	struct nnb_arena arena = {.limit = SIZE_MAX / 2}, inner = {0};
	struct nnb_hw request, in, out, reply;
	struct nnb_object *object = fuzz.device;
	void *value;

	if (fuzz.count && fuzz_take(4))
		object = fuzz.objects[fuzz_take(fuzz.count)];
	interface = fuzz_interface(object);
	method = &interface->methods[fuzz_take(interface->method_count)];
	nnb_hw_init(&request);
	nnb_hw_init(&in);
	nnb_hw_init(&out);
	nnb_hw_init(&reply);
	value = fuzz_alloc(&arena, method->in.size);
	for (uint32_t i = 0; i < method->in.count; i++)
		fuzz_argument(&arena, &method->in.list[i],
			      (unsigned char *)value + method->in.list[i].offset);
	if (!nnb_hidl_write(&request, &method->in, value)) {
		for (uint32_t i = fuzz_take(6); i > 2; i--)
			fuzz_change(&request);
		fuzz_place_files(&request);
		if (!nnb_hw_deliver(&request, &in) && ++fuzz.delivered &&
		    !object->ops->answer(object, &fuzz_caller,
					 fuzz_take(16) ? interface->descriptor : NNB_HIDL_BASE,
					 method->code, &in, &inner, &out) &&
		    !nnb_hw_deliver(&out, &reply)) {
			for (uint32_t i = 0; i < reply.count; i++) {
				if (reply.entries[i].kind == NNB_HW_OBJECT)
					fuzz_keep(reply.entries[i].object);
			}
		}
	}
	nnb_hw_fini(&reply);
	nnb_hw_fini(&out);
	nnb_hw_fini(&in);
	nnb_hw_fini(&request);
	nnb_arena_fini(&inner);
	nnb_arena_fini(&arena);
	nnb_workers_drain(&fuzz.service->workers);
}

/* The client, its model and its buffer, which inputs begin with. */
static void fuzz_begin(void)
{
	static const struct nnb_hidl_1_3_optional_time_point never;
	static const struct nnb_hidl_1_3_buffer_role role = {.frequency = 1};
	static const struct nnb_hidl_1_3_buffer_desc desc;
	static const struct nnb_hidl_vec none, roles = {&role, 1, 0};
	static const uint8_t token[32];
	struct nnb_arena arena = {0};
	struct nnb_hidl_1_3_model *model = fuzz_alloc(&arena, sizeof(*model));
	const struct nnb_hidl_1_3_device_prepare_model_1_3_in prepare = {
		.model = model,
		.priority = NNB_AIDL_PRIORITY_MEDIUM,
		.deadline = &never,
		.model_cache = &none,
		.data_cache = &none,
		.token = token,
		.callback = fuzz_callback(),
	};
	struct nnb_hidl_1_3_device_prepare_model_1_3_out prepared;
	struct nnb_hidl_1_3_device_allocate_in allocate = {&desc, {fuzz.objects, 1}, &roles, &none};
	struct nnb_hidl_1_3_device_allocate_out allocated;

	fuzz_model(&arena, &nnb_hidl_1_3_model, (unsigned char *)model);
	if (nnb_client_get(&fuzz.service->devices[0], &fuzz_caller, &fuzz.client) ||
	    nnb_hidl_call(fuzz.device, &fuzz_caller, &nnb_hidl_1_3_device.methods[2], &prepare,
			  &arena, &prepared) || prepared.status)
		abort();
	nnb_workers_drain(&fuzz.service->workers);
	if (fuzz.count != 1 ||
	    nnb_hidl_call(fuzz.device, &fuzz_caller, &nnb_hidl_1_3_device.methods[4], &allocate,
			  &arena, &allocated) || allocated.status)
		abort();
	fuzz_keep(allocated.buffer);
	fuzz.kept = fuzz.count;
	nnb_arena_fini(&arena);
}

static void fuzz_drop(uint32_t count)
{
	while (fuzz.count > count)
		nnb_object_unref(fuzz.objects[--fuzz.count]);
}

static void fuzz_end(void)
{
	fprintf(stderr, "stat::delivered_parcels:        %llu\n",
		(unsigned long long)fuzz.delivered);
}

static void fuzz_create(void)
{
	const struct nnb_service_options options = {.device = "loopback", .version = 1};
	int pipe_fds[2];

	nna_message_select("0");
	if (nnb_service_create(&options, &fuzz.service))
		abort();
	fuzz.device = nnb_hidl_device_create(&fuzz.service->devices[0]);
	for (int i = 0; i < 2; i++) {
		fuzz.files[i] = memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);
		if (fuzz.files[i] < 0 || ftruncate(fuzz.files[i], 8192))
			abort();
	}
	if (!fuzz.device || pipe(pipe_fds))
		abort();
	fuzz.files[2] = pipe_fds[0];
	fuzz_begin();
	atexit(fuzz_end);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!fuzz.service)
		fuzz_create();
	fuzz.data = data;
	fuzz.size = size;
	for (int i = 0; i < FUZZ_CALLS && fuzz.size; i++)
		fuzz_call();
	fuzz_drop(fuzz.kept);
	/* Some inputs end the client, with the last of what it has. */
	if (size && data[size - 1] == 0xa5) {
		fuzz_drop(0);
		nnb_client_put(fuzz.client);
		fuzz_begin();
	}
	return 0;
}
