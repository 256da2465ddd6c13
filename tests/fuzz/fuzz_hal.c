// SPDX-License-Identifier: MIT
/*
 * libFuzzer target of the NN HAL: sequences of calls by a client that sends whatever it likes, on a
 * service without a kernel. Any call may fail; none may crash, hang or leave anything behind, which
 * is looked for after each input.
 *
 * An input is a list of calls, each of an object that the service has handed out. What a call sends
 * is one of
 *
 *	bytes	as they stand in the input
 *	random	values of the method's types at random
 *	valid	likewise, but with what the service would accept wherever the method takes a
 *		model, a request, memory, a prepared model, cache files, fences or times
 *
 * with some words overwritten. The client's memory may have another size at every call. The input's
 * last byte says, too, which version of the interface the service claims to have.
 *
 * What takes time and does not depend on the rest of the input is made once: the service, the
 * client's files, and the parcels of values (fuzz_parcels), which an input shares with those that
 * it is a mutation of. This file is built without coverage (tests/hal.mk), so that only what the
 * service does counts as something new.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "hal-bridge/binder/flat.h"
#include "tests/fuzz/input.h"
#include "tests/unit/hal-bridge/aidl/value.h"
#include "tests/unit/hal-bridge/service/fixture.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_OBJECTS 8
#define FUZZ_CALLS 32
#define FUZZ_PARCELS 4096
#define FUZZ_MEMORY 128 /* bytes of a request's memory */
/*
 * Descriptors that may be open beside those at first: the library's waiter has one, which comes and
 * goes, and libFuzzer two for its symbolizer. What an input leaves open adds up until it is seen.
 */
#define FUZZ_FILES 4
/* What the anchor's program keeps for its next runs: contexts with memory that holds operands. */
#define FUZZ_KEPT_BYTES 65536u

enum fuzz_how { FUZZ_BYTES, FUZZ_RANDOM, FUZZ_VALID, FUZZ_VALID_TOKEN };

/**
 * struct fuzz_parcel - a parcel that calls begin with
 * @key: method, seed, and how it was made; 0 is none
 * @data: @size bytes. Both arrays are in memory that is mapped: libFuzzer would take what is
 *	allocated during an input and not freed for a leak
 * @size: bytes of @data
 * @entries: @entry_count of them, with the client's own files and objects
 * @entry_count: of @entries
 * @room: bytes that are mapped, 0 for none
 */
struct fuzz_parcel {
	uint64_t key;
	unsigned char *data;
	size_t size;
	struct nnb_flat_entry *entries;
	uint32_t entry_count;
	size_t room;
};

/**
 * struct fuzz - the client, as long as the process lives
 * @service: whose client it is
 * @anchor: a prepared model that keeps the client, whose device takes its time to open
 * @callback: whom prepareModel tells
 * @any: stands in parcels for an object that the service has handed out
 * @model: a valid model
 * @requests: valid requests of it, the second of memory that cannot shrink
 * @cache: a cache file
 * @folder: of the process's descriptors
 * @files: how many there were before the first input
 * @bytes: charged to the client for @anchor alone: its program and what that loads
 * @objects: what the input can call, references; the first is IDevice
 * @object_count: entries of @objects
 * @in: the rest of the input
 */
struct fuzz {
	struct nnb_service *service;
	struct nnb_object *anchor;
	struct hal_callback *callback;
	struct nnb_object any;
	struct hal_model model;
	struct hal_request requests[2];
	int cache;
	int folder;
	off_t files;
	uint64_t bytes;
	struct nnb_object *objects[FUZZ_OBJECTS];
	uint32_t object_count;
	struct input in;
};

static struct fuzz_parcel fuzz_parcels[FUZZ_PARCELS];

/* How many descriptors the process has; 0 where the kernel does not say. */
static off_t fuzz_count_files(const struct fuzz *fuzz)
{
	struct stat st;

	return fstat(fuzz->folder, &st) ? 0 : st.st_size;
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

static struct nnb_object *fuzz_any_object(struct fuzz *fuzz)
{
	return fuzz->objects[take(&fuzz->in, 1) % fuzz->object_count];
}

/* Overwrites some words of what is sent. */
static void fuzz_patch(struct fuzz *fuzz, struct nnb_flat *flat)
{
	static const int32_t values[] = {
		0, 1, -1, 2, 4, 16, 0x7fffffff, INT32_MIN, 100, 0x10000, 3, 5, 6, 7, 8, 96,
	};
	const uint32_t how = (uint32_t)take(&fuzz->in, 1);

	if (!flat->size)
		return;
	for (uint32_t count = how & 3; count; count--) {
		size_t at = take(&fuzz->in, 2) % (flat->size / 4) * 4;
		uint32_t which = (uint32_t)take(&fuzz->in, 1);
		int32_t value = values[which & 15];

		if (which & 16)
			value = (int32_t)take(&fuzz->in, 4);
		memcpy(flat->data + at, &value, sizeof(value));
	}
	if (how >> 4 == 15)
		flat->size = take(&fuzz->in, 2) % (flat->size / 4) * 4;
}

static void fuzz_send_bytes(struct fuzz *fuzz, struct nnb_flat *flat)
{
	size_t size = take(&fuzz->in, 1) * 4;

	if (size > fuzz->in.size)
		size = fuzz->in.size;
	nnb_flat_set(flat, fuzz->in.data, size);
	fuzz->in.data += size;
	fuzz->in.size -= size;
	for (size_t at = 0; at < flat->size && take(&fuzz->in, 1) & 1; at += 24) {
		at += (take(&fuzz->in, 1) & 63) * 4;
		nnb_flat_place(flat, at, value_fd(), NULL);
	}
}

/* ------------------------------------------------------------------------------ valid arguments */

/**
 * struct fuzz_valid - what valid arguments point to
 * @pool: the request's pools, where they are a token
 * @request: the request
 * @memory: as large as an input or output of the model
 * @prepared: a prepared model
 * @role: a role of it
 * @tokens: a burst's names of the request's memories
 * @cache_token: of a model in a cache file
 * @fd: a fence or a cache file
 */
struct fuzz_valid {
	struct nnb_aidl_request_memory_pool pool[2];
	struct nnb_aidl_request request;
	struct nnb_aidl_request_argument in, out;
	struct nnb_aidl_memory memory;
	struct nnb_aidl_i_prepared_model_parcel prepared;
	struct nnb_aidl_buffer_role role;
	int64_t tokens[2];
	uint8_t cache_token[32];
	int fd;
};

static void fuzz_valid_init(struct fuzz_valid *valid, struct fuzz *fuzz, uint32_t seed,
			    bool sealed, bool by_token)
{
	struct hal_request *request = &fuzz->requests[sealed];

	memset(valid, 0, sizeof(*valid));
	valid->in = request->in;
	valid->out = request->out;
	valid->pool[0] = request->pool;
	valid->request = request->request;
	valid->request.inputs.data = &valid->in;
	valid->request.outputs.data = &valid->out;
	valid->request.pools.data = valid->pool;
	if (by_token) {
		/* The input, the output or both are a device buffer. */
		valid->request.pools.count = 2;
		valid->pool[1].tag = NNB_AIDL_REQUEST_MEMORY_POOL_TOKEN;
		valid->pool[1].token = 1;
		valid->in.location.pool_index = seed & 1;
		valid->out.location.pool_index = !(seed & 1) || seed & 2;
		if (valid->in.location.pool_index)
			valid->in.location = (struct nnb_aidl_data_location){.pool_index = 1};
		if (valid->out.location.pool_index)
			valid->out.location = (struct nnb_aidl_data_location){.pool_index = 1};
	}
	hal_memory(&valid->memory, request->fd, 16);
	valid->prepared.prepared_model = &fuzz->any;
	valid->role.probability = 1.0f;
	valid->tokens[0] = (int64_t)(seed % 4) - 1;
	valid->tokens[1] = -1;
	valid->cache_token[0] = seed >> 3 & 1;
	valid->fd = fuzz->cache;
}

/* Sets a field of that name, which holds an array. Return: whether it has this name. */
static bool fuzz_set_array(const struct nnb_aidl_field *field, unsigned char *at, const char *name,
			   uint32_t count, const void *data)
{
	const struct value_array array = {count, (void *)data};

	if (strcmp(field->name, name))
		return false;
	memcpy(at, &array, sizeof(array));
	return true;
}

static bool fuzz_make_valid_array(const struct fuzz_valid *valid, uint32_t seed,
				  const struct nnb_aidl_field *field, unsigned char *at)
{
	return fuzz_set_array(field, at, "preparedModels", 1, &valid->prepared) ||
	       fuzz_set_array(field, at, "inputRoles", seed & 1, &valid->role) ||
	       fuzz_set_array(field, at, "outputRoles", !(seed & 1) || seed & 2, &valid->role) ||
	       fuzz_set_array(field, at, "memoryIdentifierTokens", valid->request.pools.count,
			      valid->tokens) ||
	       fuzz_set_array(field, at, "modelCache", seed & 1, &valid->fd) ||
	       fuzz_set_array(field, at, "waitFor", seed & 1, &valid->fd) ||
	       fuzz_set_array(field, at, "token", sizeof(valid->cache_token), valid->cache_token) ||
	       fuzz_set_array(field, at, "dataCache", 0, NULL) ||
	       fuzz_set_array(field, at, "dimensions", 0, NULL);
}

/* Replaces what the service would refuse of random values; other fields stay as they are. */
static void fuzz_make_valid(const struct fuzz *fuzz, const struct fuzz_valid *valid, uint32_t seed,
			    const struct nnb_aidl_type *type, unsigned char *in)
{
	for (uint32_t i = 0; i < type->field_count; i++) {
		const struct nnb_aidl_field *field = &type->fields[i];
		unsigned char *at = in + field->offset;

		if (fuzz_make_valid_array(valid, seed, field, at))
			continue;
		if (field->type == &nnb_aidl_type_model)
			memcpy(at, &fuzz->model.model, sizeof(fuzz->model.model));
		else if (field->type == &nnb_aidl_type_request)
			memcpy(at, &valid->request, sizeof(valid->request));
		else if (field->type == &nnb_aidl_type_memory)
			memcpy(at, &valid->memory, sizeof(valid->memory));
		else if (field->kind == NNB_AIDL_STRUCT)
			fuzz_make_valid(fuzz, valid, seed, field->type, at);
		else if (field->kind == NNB_AIDL_TOKEN)
			memcpy(at, valid->cache_token, sizeof(valid->cache_token));
		else if (field->kind == NNB_AIDL_LONG)
			memset(at, seed & 4 ? 0xff : 0, 8);
		else if (field->kind == NNB_AIDL_INT)
			memset(at, 0, 4);
		else if (field->kind == NNB_AIDL_STRUCTS)
			memset(at, 0, sizeof(struct value_array));
	}
}

/* -------------------------------------------------------------------------------------- parcels */

/* Keeps what was written, in place of what was there. */
static void fuzz_parcel_set(struct fuzz_parcel *parcel, const struct nnb_flat *flat)
{
	const size_t entries = flat->entry_count * sizeof(*flat->entries);
	uint64_t handle;
	void *map;

	if (parcel->room)
		munmap(parcel->entries, parcel->room);
	parcel->room = entries + flat->size + 1;
	map = mmap(NULL, parcel->room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		   0);
	assert_ptr_not_equal(map, MAP_FAILED);
	parcel->entries = map;
	parcel->entry_count = flat->entry_count;
	parcel->data = (unsigned char *)map + entries;
	parcel->size = flat->size;
	if (entries)
		memcpy(parcel->entries, flat->entries, entries);
	if (flat->size)
		memcpy(parcel->data, flat->data, flat->size);
	for (uint32_t i = 0; i < flat->entry_count; i++) {
		struct nnb_flat_entry *entry = &parcel->entries[i];

		/* The parcel has a duplicate; its bytes say what of. */
		memcpy(&handle, parcel->data + entry->offset + 8, sizeof(handle));
		if (entry->fd >= 0)
			entry->fd = (int)handle;
	}
}

static void fuzz_parcel_fill(struct fuzz_parcel *parcel, struct fuzz *fuzz,
			     const struct nnb_aidl_method *method, uint32_t seed, uint32_t how,
			     bool sealed)
{
	struct nnb_arena arena = {0};
	struct nnb_flat flat;
	struct fuzz_valid valid;
	uint64_t random = seed;
	unsigned char *in = nnb_arena_alloc(&arena, 1, method->in->size);

	nnb_flat_init(&flat);
	value_fill(&random, &arena, &fuzz->callback->object, method->in, in);
	if (how != FUZZ_RANDOM) {
		fuzz_valid_init(&valid, fuzz, seed, sealed, how == FUZZ_VALID_TOKEN);
		fuzz_make_valid(fuzz, &valid, seed, method->in, in);
	}
	nnb_aidl_write_fields(&flat.writer, method->in, in);
	fuzz_parcel_set(parcel, &flat);
	nnb_flat_fini(&flat);
	nnb_arena_fini(&arena);
}

/* The parcel of a method; another one that had its place is made anew when it is needed again. */
static const struct fuzz_parcel *fuzz_parcel(struct fuzz *fuzz,
					     const struct nnb_aidl_method *method, uint32_t seed,
					     uint32_t how, bool sealed)
{
	const uint64_t key = (uint64_t)(uintptr_t)method << 20 | seed << 4 | how << 1 | sealed;
	struct fuzz_parcel *parcel =
		&fuzz_parcels[key * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (FUZZ_PARCELS - 1)];

	if (parcel->key != key) {
		fuzz_parcel_fill(parcel, fuzz, method, seed, how, sealed);
		parcel->key = key;
	}
	return parcel;
}

static void fuzz_send_values(struct fuzz *fuzz, const struct nnb_aidl_method *method, uint32_t how,
			     bool sealed, struct nnb_flat *flat)
{
	const struct fuzz_parcel *parcel;

	if (!method->in)
		return;
	parcel = fuzz_parcel(fuzz, method, (uint32_t)take(&fuzz->in, 2), how, sealed);
	nnb_flat_set(flat, parcel->data, parcel->size);
	for (uint32_t i = 0; i < parcel->entry_count; i++) {
		const struct nnb_flat_entry *entry = &parcel->entries[i];

		nnb_flat_place(flat, entry->offset, entry->fd,
			       entry->object == &fuzz->any ? fuzz_any_object(fuzz) : entry->object);
	}
}

/* ---------------------------------------------------------------------------------------- calls */

static const struct nnb_aidl_interface *fuzz_interface_of(const struct nnb_object *object)
{
	const struct nnb_aidl_interface *const *at = nnb_aidl_interfaces;

	while (strcmp((*at)->descriptor, object->ops->descriptor))
		at++;
	return *at;
}

/*
 * Bits of how a call is made: 0 and 1 enum fuzz_how; 2: memory that cannot shrink; 3: of another
 * interface than the object has; 4 to 7: all set for a client that cuts its memory or makes it
 * longer before the call.
 */
static void fuzz_call(struct fuzz *fuzz)
{
	struct nnb_object *object = fuzz_any_object(fuzz);
	static const uint32_t codes[] = {
		NNB_AIDL_GET_VERSION, NNB_AIDL_GET_HASH, 0, 11, UINT32_MAX,
	};
	const uint32_t bits = (uint32_t)take(&fuzz->in, 1), how = bits & 3;
	const bool sealed = bits >> 2 & 1;
	const struct nnb_aidl_interface *interface =
		bits >> 3 & 1 ? nnb_aidl_interfaces[take(&fuzz->in, 1) % 7]
			      : fuzz_interface_of(object);
	uint32_t code = (uint32_t)take(&fuzz->in, 1);
	struct nnb_arena arena = {0};
	struct nnb_flat request, reply;

	nnb_flat_init(&request);
	nnb_flat_init(&reply);
	if (code < 240)
		code = code % interface->method_count + 1;
	else
		code = codes[code % (sizeof(codes) / sizeof(codes[0]))];
	if (how == FUZZ_BYTES || !code || code > interface->method_count)
		fuzz_send_bytes(fuzz, &request);
	else
		fuzz_send_values(fuzz, &interface->methods[code - 1], how, sealed, &request);
	fuzz_patch(fuzz, &request);
	/* What cannot shrink stays. */
	if (bits >> 4 == 15 && ftruncate(fuzz->requests[sealed].fd,
					 (off_t)(take(&fuzz->in, 1) % (2 * FUZZ_MEMORY))))
		assert_true(sealed);
	object->ops->transact(object, &hal_me, code, &request.reader, &arena, &reply.writer);
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

/* --------------------------------------------------------------------------------------- inputs */

static void fuzz_any_release(struct nnb_object *object)
{
}

static struct fuzz *fuzz_create(void)
{
	static const struct nnb_object_ops any_ops = {.release = fuzz_any_release};
	static const struct nnb_quota quota = {.models = 16, .bytes = 1 << 20, .objects = 12,
					       .jobs = 4};
	static struct fuzz fuzz;

	fuzz.service = hal_service(NNB_AIDL_VERSION, &quota);
	fuzz.anchor = hal_prepared(fuzz.service, &hal_me);
	fuzz.callback = hal_callback_new();
	nnb_object_init(&fuzz.any, &any_ops);
	hal_model_init(&fuzz.model);
	hal_request_init(&fuzz.requests[0], false);
	hal_request_init(&fuzz.requests[1], true);
	fuzz.cache = hal_memfd(0, false);
	value_fd();
	fuzz.folder = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	fuzz.files = fuzz_count_files(&fuzz);
	fuzz.bytes = fuzz.service->users->used.bytes;
	return &fuzz;
}

/* The client's files are as they were at first. */
static void fuzz_begin(struct fuzz *fuzz)
{
	static const float memory[FUZZ_MEMORY / sizeof(float)] = {0, 1, 2, 3};

	assert_int_equal(ftruncate(fuzz->cache, 0), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(pwrite(fuzz->requests[i].fd, memory, sizeof(memory), 0),
				 sizeof(memory));
	fuzz->object_count = 0;
	fuzz->objects[fuzz->object_count++] = &fuzz->service->devices[0].object;
	fuzz->objects[fuzz->object_count++] = nnb_object_ref(fuzz->anchor);
}

static void fuzz_end(struct fuzz *fuzz)
{
	const struct nnb_user *user = fuzz->service->users;

	for (uint32_t i = 1; i < fuzz->object_count; i++)
		nnb_object_unref(fuzz->objects[i]);
	/* What is kept for the next calls is given back when two sweeps in turn find it unused. */
	while (nnb_service_sweep(fuzz->service))
		;
	if (nnb_service_count_clients(fuzz->service) != 1 || user->used.models != 1 ||
	    user->used.bytes < fuzz->bytes ||
	    user->used.bytes > fuzz->bytes + FUZZ_KEPT_BYTES || user->used.objects ||
	    user->used.jobs || user->used.kept ||
	    atomic_load(&fuzz->callback->object.refs) != 1 ||
	    atomic_load(&fuzz->anchor->refs) != 1 ||
	    fuzz_count_files(fuzz) > fuzz->files + FUZZ_FILES) {
		fprintf(stderr,
			"something of the client is left: %u clients, %llu models, %llu bytes (%llu at first), "
			"%llu objects, %llu jobs, %llu kept, %u and %u references, "
			"%lld descriptors (%lld at first)\n",
			nnb_service_count_clients(fuzz->service),
			(unsigned long long)user->used.models, (unsigned long long)user->used.bytes,
			(unsigned long long)fuzz->bytes, (unsigned long long)user->used.objects,
			(unsigned long long)user->used.jobs, (unsigned long long)user->used.kept,
			(unsigned int)atomic_load(&fuzz->callback->object.refs),
			(unsigned int)atomic_load(&fuzz->anchor->refs),
			(long long)fuzz_count_files(fuzz), (long long)fuzz->files);
		abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct fuzz *fuzz;

	if (!fuzz)
		fuzz = fuzz_create();
	fuzz_begin(fuzz);
	/* No call is under way, and none reads it beside this thread's. */
	fuzz->service->options.version =
		NNB_AIDL_VERSION - (size ? data[size - 1] % NNB_AIDL_VERSION : 0);
	fuzz->in = (struct input){data, size};
	for (int i = 0; i < FUZZ_CALLS && fuzz->in.size; i++)
		fuzz_call(fuzz);
	fuzz_end(fuzz);
	return 0;
}
