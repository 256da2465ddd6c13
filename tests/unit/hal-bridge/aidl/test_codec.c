// SPDX-License-Identifier: MIT
/*
 * The codec: every type comes back as it was written, some are what AIDL's own encoder makes of
 * them (the words below were read off that), and nothing that is cut, changed or made up is
 * believed.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "hal-bridge/aidl/gen/nn.h"
#include "hal-bridge/binder/flat.h"
#include "hal-bridge/binder/object.h"
#include "tests/unit/hal-bridge/aidl/value.h"

static void release(struct nnb_object *object)
{
}

static const struct nnb_object_ops object_ops = { .release = release };
static struct nnb_object object;

/* Bytes of the largest C struct. */
#define LARGEST 1024

static void counts(void **state)
{
	unsigned int types = 0, methods = 0, interfaces = 0;

	for (; nnb_aidl_types[types]; types++)
		assert_true(nnb_aidl_types[types]->size <= LARGEST);
	for (; nnb_aidl_interfaces[interfaces]; interfaces++)
		methods += nnb_aidl_interfaces[interfaces]->method_count;
	assert_int_equal(types, 34);
	assert_int_equal(interfaces, 7);
	assert_int_equal(methods, 25);
}

static void round_trip(void **state)
{
	for (uint32_t i = 0; nnb_aidl_types[i]; i++) {
		const struct nnb_aidl_type *type = nnb_aidl_types[i];

		for (uint64_t n = 0; n < 200; n++) {
			_Alignas(16) unsigned char value[LARGEST], back[LARGEST];
			struct nnb_arena arena = { 0 };
			uint64_t seed = i * 1000 + n;
			struct nnb_flat flat;

			nnb_flat_init(&flat);
			value_fill(&seed, &arena, &object, type, value);
			assert_int_equal(nnb_aidl_write(&flat.writer, type, value), 0);
			assert_int_equal(nnb_aidl_read(&flat.reader, &arena, type, back), 0);
			assert_int_equal(flat.reader.ops->left(&flat.reader), 0);
			if (!value_equal(type, value, back))
				fail_msg("%s differs, seed %u", type->name, (unsigned int)n);
			nnb_flat_fini(&flat);
			nnb_arena_fini(&arena);
		}
	}
	assert_int_equal(atomic_load(&object.refs), 1);
}

/* A parcel of words. */
static void words(struct nnb_flat *flat, uint32_t count, const int32_t *from)
{
	nnb_flat_init(flat);
	assert_int_equal(nnb_flat_set(flat, from, count * 4), 0);
}

#define WORDS(flat, ...) \
	words(flat, sizeof((int32_t[]){ __VA_ARGS__ }) / 4, (int32_t[]){ __VA_ARGS__ })

static void assert_words(const struct nnb_flat *flat, uint32_t count, const int32_t *expected)
{
	assert_int_equal(flat->size, count * 4);
	assert_memory_equal(flat->data, expected, flat->size);
}

#define ASSERT_WORDS(flat, ...) \
	assert_words(flat, sizeof((int32_t[]){ __VA_ARGS__ }) / 4, (int32_t[]){ __VA_ARGS__ })

static void known_bytes(void **state)
{
	const int32_t dims[] = { 5, 6 };
	struct nnb_aidl_operand operand = {
		.type = 3, .dimensions = { 2, dims }, .scale = 1.0f, .zero_point = -1,
		.lifetime = 1, .location = { 1, 2, 3, 4 },
	};
	struct nnb_aidl_operand_extra_params extra = {
		.tag = NNB_AIDL_OPERAND_EXTRA_PARAMS_EXTENSION,
		.extension = { 5, (uint8_t *)"abcde" },
	};
	struct nnb_aidl_extension_name_and_prefix name = { "hi!", 7 };
	struct nnb_aidl_device_buffer buffer = { NULL, 9 };
	struct nnb_flat flat;

	nnb_flat_init(&flat);
	assert_int_equal(nnb_aidl_write(&flat.writer, &nnb_aidl_type_operand, &operand), 0);
	ASSERT_WORDS(&flat, 1, 72, 3, 2, 5, 6, 0x3f800000, -1, 1, 1, 32, 1, 2, 0, 3, 0, 4, 0, 0);
	nnb_flat_fini(&flat);

	operand.dimensions.count = 0;
	operand.extra_params = &extra;
	assert_int_equal(nnb_aidl_write(&flat.writer, &nnb_aidl_type_operand, &operand), 0);
	ASSERT_WORDS(&flat, 1, 80, 3, 0, 0x3f800000, -1, 1, 1, 32, 1, 2, 0, 3, 0, 4, 0, 1, 1, 5,
		     0x64636261, 0x65);
	nnb_flat_fini(&flat);

	assert_int_equal(nnb_aidl_write(&flat.writer,
					&nnb_aidl_type_extension_name_and_prefix, &name), 0);
	ASSERT_WORDS(&flat, 1, 20, 3, 'h' | 'i' << 16, '!', 7);
	nnb_flat_fini(&flat);

	assert_int_equal(nnb_aidl_write(&flat.writer, &nnb_aidl_type_device_buffer, &buffer), 0);
	ASSERT_WORDS(&flat, 1, 36, 0x73622a85, 0, 0, 0, 0, 0, 0, 9);
	nnb_flat_fini(&flat);
}

/* Later versions append fields, earlier ones lack some. */
static void other_versions(void **state)
{
	struct nnb_aidl_output_shape shape;
	struct nnb_aidl_ashmem ashmem;
	struct nnb_aidl_timing timing;
	struct nnb_arena arena = { 0 };
	struct nnb_flat flat;
	int32_t after;

	WORDS(&flat, 1, 24, 1, 0, 2, 0, 3, 77);
	assert_int_equal(nnb_aidl_read(&flat.reader, &arena, &nnb_aidl_type_timing, &timing), 0);
	assert_int_equal(timing.time_on_device_ns, 1);
	assert_int_equal(timing.time_in_driver_ns, 2);
	assert_int_equal(flat.reader.ops->read_int(&flat.reader, &after), 0);
	assert_int_equal(after, 77);
	nnb_flat_fini(&flat);

	WORDS(&flat, 1, 12, 1, 0, 77);
	assert_int_equal(nnb_aidl_read(&flat.reader, &arena, &nnb_aidl_type_timing, &timing), 0);
	assert_int_equal(timing.time_on_device_ns, 1);
	assert_int_equal(timing.time_in_driver_ns, 0);
	assert_int_equal(flat.reader.ops->left(&flat.reader), 4);
	nnb_flat_fini(&flat);

	WORDS(&flat, 1, 4);
	assert_int_equal(nnb_aidl_read(&flat.reader, &arena, &nnb_aidl_type_ashmem, &ashmem), 0);
	assert_int_equal(ashmem.fd, -1);
	nnb_flat_fini(&flat);

	WORDS(&flat, 1, 4);
	assert_int_equal(nnb_aidl_read(&flat.reader, &arena, &nnb_aidl_type_output_shape, &shape),
			 0);
	assert_int_equal(shape.dimensions.count, 0);
	nnb_flat_fini(&flat);
	nnb_arena_fini(&arena);
}

static int read_words(const struct nnb_aidl_type *type, uint32_t count, const int32_t *from)
{
	_Alignas(16) unsigned char value[LARGEST];
	struct nnb_arena arena = { 0 };
	struct nnb_flat flat;
	int ret;

	words(&flat, count, from);
	ret = nnb_aidl_read(&flat.reader, &arena, type, value);
	nnb_flat_fini(&flat);
	nnb_arena_fini(&arena);
	return ret;
}

#define READ(type, ...) \
	read_words(&nnb_aidl_type_##type, sizeof((int32_t[]){ __VA_ARGS__ }) / 4, \
		   (int32_t[]){ __VA_ARGS__ })

static void refused(void **state)
{
	assert_int_equal(READ(timing, 0), -EINVAL); /* null */
	assert_int_equal(READ(timing, 1), -ENODATA);
	assert_int_equal(READ(timing, 1, 0), -EINVAL); /* sizes */
	assert_int_equal(READ(timing, 1, -4, 1, 0, 2, 0), -EINVAL);
	assert_int_equal(READ(timing, 1, 18, 1, 0, 2, 0), -EINVAL);
	assert_int_equal(READ(timing, 1, 24, 1, 0, 2, 0), -ENODATA);
	assert_int_equal(READ(timing, 1, 8, 1, 0, 2, 0), -ENODATA); /* half a field */
	assert_int_equal(READ(timing, 1, INT32_MAX - 3, 1, 0, 2, 0), -ENODATA);
	/* A parcelable that is larger than the one around it. */
	assert_int_equal(READ(request_argument, 1, 20, 0, 1, 32, 0, 0, 0, 0, 0, 0, 0, 0), -ENODATA);
	assert_int_equal(READ(buffer_desc, 1, 8, -1), -EINVAL); /* counts */
	assert_int_equal(READ(buffer_desc, 1, 8, INT32_MIN), -EINVAL);
	assert_int_equal(READ(buffer_desc, 1, 8, 1), -ENODATA);
	assert_int_equal(READ(buffer_desc, 1, 8, 1, 1), -ENODATA);
	assert_int_equal(READ(buffer_desc, 1, 12, 0x40000000, 1), -ENODATA);
	assert_int_equal(READ(buffer_desc, 1, 12, INT32_MAX, 1), -ENODATA);
	assert_int_equal(READ(request, 1, 16, INT32_MAX, 0, 0), -ENODATA);
	assert_int_equal(READ(request, 1, 16, -1, 0, 0), -EINVAL);
	assert_int_equal(READ(token_value_pair, 1, 12, 1, -1), -EINVAL);
	assert_int_equal(READ(token_value_pair, 1, 12, 1, -2), -EINVAL);
	assert_int_equal(READ(token_value_pair, 1, 12, 1, 1), -ENODATA);
	assert_int_equal(READ(token_value_pair, 1, 12, 1, INT32_MAX), -ENODATA);
	assert_int_equal(READ(memory, 1, -1), -EINVAL); /* tags */
	assert_int_equal(READ(memory, 1, 3), -EINVAL);
	assert_int_equal(READ(memory, 1, 0, 0), -EINVAL);
	assert_int_equal(READ(memory, 0), -EINVAL);
	assert_int_equal(READ(ashmem, 1, 16, 0, 1, 0), -EINVAL); /* descriptors and objects */
	assert_int_equal(READ(ashmem, 1, 44, 1, 1, 1, 2, 3, 4, 5, 6, 0, 0), -EINVAL);
	assert_int_equal(READ(ashmem, 1, 44, 1, 0, 1, 2, 3, 4, 5, 6, 0, 0), -EINVAL);
	assert_int_equal(READ(ashmem, 1, 16, 1, 0, 1), -EINVAL);
	assert_int_equal(READ(device_buffer, 1, 36, 1, 2, 3, 4, 5, 6, 7, 8), -EINVAL);
	assert_int_equal(READ(device_buffer, 1, 12, 0, 0), -ENODATA);
	/* strings: null, negative, no zero at the end, lone surrogate, too long */
	assert_int_equal(READ(extension_name_and_prefix, 1, 12, -1, 0), -EINVAL);
	assert_int_equal(READ(extension_name_and_prefix, 1, 12, -2, 0), -EINVAL);
	assert_int_equal(READ(extension_name_and_prefix, 1, 16, 1, 'a' | 'b' << 16, 0), -EINVAL);
	assert_int_equal(READ(extension_name_and_prefix, 1, 16, 1, 0xd800, 0), -EINVAL);
	assert_int_equal(READ(extension_name_and_prefix, 1, 16, INT32_MAX, 0, 0), -ENODATA);
	assert_int_equal(READ(extension_name_and_prefix, 1, 16, 1, 'a', 0), 0);
}

static void not_written(void **state)
{
	struct nnb_aidl_extension_name_and_prefix name = { NULL, 1 };
	struct nnb_aidl_mappable_file file = { .fd = -1 };
	struct nnb_aidl_memory memory = { .tag = 3 };
	const int fds[] = { -1 };
	struct nnb_aidl_native_handle handle = { .fds = { 1, fds } };
	struct nnb_flat flat;

	nnb_flat_init(&flat);
	assert_int_equal(nnb_aidl_write(&flat.writer, &nnb_aidl_type_extension_name_and_prefix,
					&name), -EINVAL);
	assert_int_equal(nnb_aidl_write(&flat.writer, &nnb_aidl_type_mappable_file, &file),
			 -EINVAL);
	assert_int_equal(nnb_aidl_write(&flat.writer, &nnb_aidl_type_memory, &memory), -EINVAL);
	assert_int_equal(nnb_aidl_write(&flat.writer, &nnb_aidl_type_native_handle, &handle),
			 -EINVAL);
	nnb_flat_fini(&flat);
}

/*
 * A parcel that is cut anywhere does not hold the value any more: a parcelable's size says so, and
 * every union's content is needed.
 */
static void cut(void **state)
{
	for (uint32_t i = 0; nnb_aidl_types[i]; i++) {
		const struct nnb_aidl_type *type = nnb_aidl_types[i];
		_Alignas(16) unsigned char value[LARGEST];
		struct nnb_arena arena = { 0 };
		struct nnb_flat flat, part;
		uint64_t seed = i;

		nnb_flat_init(&flat);
		nnb_flat_init(&part);
		value_fill(&seed, &arena, &object, type, value);
		assert_int_equal(nnb_aidl_write(&flat.writer, type, value), 0);
		for (size_t size = 0; size < flat.size; size += 4) {
			assert_int_equal(nnb_flat_set(&part, flat.data, size), 0);
			for (uint32_t e = 0; e < flat.entry_count; e++)
				nnb_flat_place(&part, flat.entries[e].offset, flat.entries[e].fd,
					       flat.entries[e].object);
			assert_int_not_equal(nnb_aidl_read(&part.reader, &arena, type, value), 0);
		}
		nnb_flat_fini(&part);
		nnb_flat_fini(&flat);
		nnb_arena_fini(&arena);
	}
	assert_int_equal(atomic_load(&object.refs), 1);
}

/* Whatever a word is changed to, reading ends, within the parcel: the sanitizers watch. */
static void changed(void **state)
{
	static const int32_t changes[] = { -1, 0, 1, 2, 4, 8, 1000, INT32_MAX, INT32_MIN };
	unsigned int good = 0, bad = 0;

	for (uint32_t i = 0; nnb_aidl_types[i]; i++) {
		const struct nnb_aidl_type *type = nnb_aidl_types[i];
		_Alignas(16) unsigned char value[LARGEST];
		struct nnb_arena arena = { 0 };
		uint64_t seed = i + 17;
		struct nnb_flat flat;

		nnb_flat_init(&flat);
		value_fill(&seed, &arena, &object, type, value);
		assert_int_equal(nnb_aidl_write(&flat.writer, type, value), 0);
		for (size_t at = 0; at < flat.size; at += 4) {
			for (uint32_t c = 0; c < sizeof(changes) / 4; c++) {
				int32_t old;

				memcpy(&old, flat.data + at, 4);
				memcpy(flat.data + at, &changes[c], 4);
				flat.at = 0;
				if (nnb_aidl_read(&flat.reader, &arena, type, value))
					bad++;
				else
					good++;
				nnb_arena_fini(&arena);
				memcpy(flat.data + at, &old, 4);
			}
		}
		nnb_flat_fini(&flat);
	}
	assert_true(good > 100 && bad > 100);
}

/* What a parcel claims to hold does not make us take memory for it. */
static void bounded(void **state)
{
	struct nnb_arena arena = { .limit = 1 << 20 };
	struct nnb_aidl_subgraph subgraph;
	int32_t head[] = { 1, 0, 0, 0 };
	const size_t size = 900000;
	unsigned char *data = calloc(1, size);
	struct nnb_flat flat;

	/* As many operands as the parcel could hold if they were as short as can be. */
	head[1] = (int32_t)size - 4;
	head[2] = (int32_t)(size - 12) / 8;
	memcpy(data, head, sizeof(head));
	for (size_t at = 12; at + 8 <= size; at += 8)
		memcpy(data + at, (int32_t[]){ 1, 4 }, 8);
	nnb_flat_init(&flat);
	assert_int_equal(nnb_flat_set(&flat, data, size), 0);
	assert_int_equal(nnb_aidl_read(&flat.reader, &arena, &nnb_aidl_type_subgraph, &subgraph),
			 -ENOMEM);
	nnb_flat_fini(&flat);
	nnb_arena_fini(&arena);
	free(data);
}

static int init(void **state)
{
	nnb_object_init(&object, &object_ops);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counts), cmocka_unit_test(round_trip),
		cmocka_unit_test(known_bytes), cmocka_unit_test(other_versions),
		cmocka_unit_test(refused), cmocka_unit_test(not_written), cmocka_unit_test(cut),
		cmocka_unit_test(changed), cmocka_unit_test(bounded),
	};

	return cmocka_run_group_tests(tests, init, NULL);
}
