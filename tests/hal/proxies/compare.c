// SPDX-License-Identifier: MIT
/*
 * Compares the parcels of our codec with those that the proxies of hidl-gen write of the same
 * arguments, and the service's side of the same results, for every method: the stream, the table of
 * objects with its parents and places, and what each buffer holds. Arguments and results are made
 * at random by our tables of types.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hal-bridge/binder/arena.h"
#include "hal-bridge/binder/hw.h"
#include "hal-bridge/binder/object.h"
#include "hal-bridge/hidl/codec.h"
#include "hal-bridge/hidl/gen/nn.h"
#include "tests/hal/proxies/record.h"

#define ROUNDS 200 /* of each method, and of its reply */

static unsigned int seed = 1;
static struct nnb_object callbacks[3];

static uint32_t draw(uint32_t limit)
{
	return (uint32_t)rand_r(&seed) % limit;
}

static void *take(struct nnb_arena *arena, size_t count, size_t size)
{
	void *at = nnb_arena_alloc(arena, count ? count : 1, size);

	if (!at)
		abort();
	return at;
}

/* ------------------------------------------------------------------------------------ arguments */

static struct nnb_hidl_fds *make_fds(struct nnb_arena *arena)
{
	const uint32_t fds = draw(3), ints = draw(4);
	struct nnb_hidl_fds *to = take(arena, 1, sizeof(*to) + (fds + ints) * 4);

	*to = (struct nnb_hidl_fds){NNB_HIDL_FDS_VERSION, fds, ints};
	for (uint32_t i = 0; i < fds + ints; i++)
		to->data[i] = (int32_t)draw(100);
	return to;
}

static void fill(struct nnb_arena *arena, const struct nnb_hidl_type *type, unsigned char *at)
{
	struct nnb_hidl_memory *memory = (void *)at;
	struct nnb_hidl_queue *queue = (void *)at;
	struct nnb_hidl_string *string = (void *)at;
	struct nnb_hidl_vec *vec = (void *)at;
	unsigned char *data;

	switch (type->kind) {
	case NNB_HIDL_PLAIN:
		for (uint32_t i = 0; i < type->size; i++)
			at[i] = (unsigned char)draw(256);
		break;
	case NNB_HIDL_STRUCT:
		for (uint32_t i = 0; i < type->field_count; i++)
			fill(arena, type->fields[i].type, at + type->fields[i].offset);
		break;
	case NNB_HIDL_UNION:
		*at = (unsigned char)draw(type->field_count);
		fill(arena, type->fields[*at].type, at + type->fields[*at].offset);
		break;
	case NNB_HIDL_VEC:
		vec->count = draw(4);
		data = take(arena, vec->count, type->element->size);
		vec->data = data;
		for (uint32_t i = 0; i < vec->count; i++)
			fill(arena, type->element, data + (size_t)i * type->element->size);
		break;
	case NNB_HIDL_STRING:
		string->size = draw(9);
		string->data = memset(take(arena, 1, string->size + 1), 0, string->size + 1);
		memset((char *)(uintptr_t)string->data, 'x', string->size);
		break;
	case NNB_HIDL_HANDLE:
		((struct nnb_hidl_handle *)at)->fds = draw(3) ? make_fds(arena) : NULL;
		break;
	case NNB_HIDL_MEMORY:
		memory->handle.fds = draw(3) ? make_fds(arena) : NULL;
		memory->size = draw(1000);
		fill(arena, &nnb_hidl_string, (unsigned char *)&memory->name);
		break;
	case NNB_HIDL_QUEUE:
		queue->grantors.count = draw(5);
		queue->grantors.data = take(arena, queue->grantors.count,
					    sizeof(*queue->grantors.data));
		queue->fds = draw(3) ? make_fds(arena) : NULL;
		queue->quantum = draw(100);
		break;
	}
}

static struct nnb_object *pick(void)
{
	const uint32_t which = draw(4);

	return which < 3 ? &callbacks[which] : NULL;
}

static void make(struct nnb_arena *arena, const struct nnb_hidl_argument *argument,
		 unsigned char *at)
{
	struct nnb_hidl_objects *objects = (void *)at;
	void *value;

	switch (argument->passing) {
	case NNB_HIDL_SCALAR:
		fill(arena, argument->type, at);
		if (argument->type == &nnb_hidl_bool)
			*at &= 1;
		return;
	case NNB_HIDL_OBJECTS:
		objects->count = draw(4);
		objects->data = take(arena, objects->count, sizeof(*objects->data));
		for (uint32_t i = 0; i < objects->count; i++)
			objects->data[i] = pick();
		return;
	case NNB_HIDL_OBJECT:
		value = pick();
		break;
	case NNB_HIDL_FDS:
		value = draw(3) ? make_fds(arena) : NULL;
		break;
	default:
		value = take(arena, 1, argument->type->size);
		fill(arena, argument->type, value);
		break;
	}
	memcpy(at, &value, sizeof(value));
}

/* ----------------------------------------------------------------------------------- comparison */

static int differ(const struct nnb_hidl_method *method, const char *what, uint32_t index)
{
	printf("%s.%s: %s of object %u differ\n", method->interface->descriptor, method->name, what,
	       index);
	return 1;
}

/* What hidl-gen's has written is the same in all that the driver sees. Return: 0 or 1. */
static int compare(const struct nnb_hidl_method *method, const struct nnb_hw *ours,
		   const struct record *theirs)
{
	if (ours->size != theirs->size || memcmp(ours->data, theirs->stream, ours->size))
		return differ(method, "streams", 0);
	if (ours->count != theirs->count)
		return differ(method, "numbers", ours->count);
	for (uint32_t i = 0; i < ours->count; i++) {
		const struct nnb_hw_entry *a = &ours->entries[i];
		const struct record_entry *b = &theirs->entries[i];

		if ((int)a->kind != (int)b->kind || a->offset != b->offset)
			return differ(method, "kinds or places", i);
		if (a->kind == NNB_HW_OBJECT) {
			if (a->object != b->object)
				return differ(method, "objects", i);
			continue;
		}
		if (a->parent != b->parent ||
		    (a->parent != NNB_HW_NO_PARENT && a->parent_offset != b->parent_offset))
			return differ(method, "parents", i);
		if (a->size != b->size)
			return differ(method, "sizes", i);
		if (a->kind == NNB_HW_BUFFER && a->size && a->data != b->data)
			return differ(method, "buffers", i);
	}
	return 0;
}

static const struct proxy *find(const struct nnb_hidl_method *method)
{
	const struct proxy *at = proxies;

	while (at->interface && (strcmp(at->interface, method->interface->descriptor) ||
				 strcmp(at->method, method->name)))
		at++;
	return at->interface ? at : NULL;
}

/* Compares calls of a method, or its replies. Return: 0 if all rounds are equal. */
static int check_parcels(const struct nnb_hidl_method *method, const struct proxy *proxy,
			 bool reply, uint32_t *objects)
{
	static struct record record;
	const struct nnb_hidl_arguments *arguments = reply ? &method->out : &method->in;
	uint32_t offsets[16];

	for (uint32_t i = 0; i < arguments->count; i++)
		offsets[i] = arguments->list[i].offset;
	for (int round = 0; round < ROUNDS; round++) {
		struct nnb_arena arena = {.limit = SIZE_MAX / 2};
		unsigned char *value = take(&arena, 1, arguments->size);
		struct nnb_hw ours;
		int wrong;

		for (uint32_t i = 0; i < arguments->count; i++)
			make(&arena, &arguments->list[i], value + offsets[i]);
		nnb_hw_init(&ours);
		record.size = 0;
		record.count = 0;
		record.descriptor = "";
		if ((reply && nnb_hw_write_int(&ours, 0)) ||
		    nnb_hidl_write(&ours, arguments, value))
			abort();
		if (reply)
			proxy->reply(&record, (const char *)value, offsets);
		else
			proxy->write(&record, (const char *)value, offsets);
		wrong = strcmp(record.descriptor, reply ? "" : method->interface->descriptor)
				? differ(method, "names", 0)
				: compare(method, &ours, &record);
		*objects += ours.count;
		nnb_hw_fini(&ours);
		nnb_arena_fini(&arena);
		if (wrong)
			return 1;
	}
	return 0;
}

/* Return: 0 if all rounds are equal. */
static int check(const struct nnb_hidl_method *method, uint32_t *objects, uint32_t *replies)
{
	const struct proxy *proxy = find(method);

	if (!proxy || proxy->code != method->code || proxy->oneway != method->oneway ||
	    !proxy->reply != method->oneway) {
		printf("%s.%s: no proxy, or another number\n", method->interface->descriptor,
		       method->name);
		return 1;
	}
	if (check_parcels(method, proxy, false, objects))
		return 1;
	if (method->oneway)
		return 0;
	++*replies;
	return check_parcels(method, proxy, true, objects);
}

static void keep(struct nnb_object *object)
{
}

int main(void)
{
	static const struct nnb_object_ops ops = {.release = keep};
	uint32_t passed = 0, failed = 0, objects = 0, replies = 0;

	for (int i = 0; i < 3; i++)
		nnb_object_init(&callbacks[i], &ops);
	for (uint32_t i = 0; nnb_hidl_interfaces[i]; i++) {
		for (uint32_t k = 0; k < nnb_hidl_interfaces[i]->method_count; k++) {
			if (check(&nnb_hidl_interfaces[i]->methods[k], &objects, &replies))
				failed++;
			else
				passed++;
		}
	}
	printf("%d calls of each method, as many replies of %u methods, %u objects in them\n",
	       ROUNDS, replies, objects);
	printf("%u passed, %u failed\n", passed, failed);
	return failed || !passed;
}
