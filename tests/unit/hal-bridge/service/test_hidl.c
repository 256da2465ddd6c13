// SPDX-License-Identifier: MIT
/*
 * The service's face in HIDL, by parcels in memory: what nnv_run --api=hidl does not ask. Models,
 * requests, bursts and buffers are its.
 */
#include <errno.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "hal-bridge/binder/hw.h"
#include "hal-bridge/hidl/call.h"
#include "hal-bridge/hidl/fmq.h"
#include "hal-bridge/hidl/gen/nn.h"
#include "hal-bridge/service/cache.h"
#include "hal-bridge/service/hidl/face.h"
#include "hal-bridge/service/service.h"

#define STATUS(name) NNB_AIDL_ERROR_STATUS_##name

static const struct nnb_caller me = {.euid = 1000, .pid = 1000};

struct state {
	struct nnb_service *service;
	struct nnb_object *device;
	struct nnb_arena arena;
};

static int setup(void **state)
{
	const struct nnb_service_options options = {
		.device = "loopback",
		.version = 1,
		.hidl = true,
	};
	struct state *self = calloc(1, sizeof(*self));

	*state = self;
	if (!self || nnb_service_create(&options, &self->service))
		return -1;
	self->device = nnb_hidl_device_create(&self->service->devices[0]);
	return self->device ? 0 : -1;
}

static int teardown(void **state)
{
	struct state *self = *state;

	nnb_arena_fini(&self->arena);
	nnb_object_unref(self->device);
	nnb_service_destroy(self->service);
	free(self);
	return 0;
}

/* Calls a method of IDevice by its name. */
static void ask(struct state *self, const struct nnb_hidl_interface *interface, const char *name,
		const void *in, void *out)
{
	for (uint32_t i = 0; i < interface->method_count; i++) {
		if (strcmp(interface->methods[i].name, name))
			continue;
		assert_int_equal(nnb_hidl_call(self->device, &me, &interface->methods[i], in,
					       &self->arena, out), 0);
		return;
	}
	fail_msg("there is no method %s", name);
}

/* ---------------------------------------------------------------------------------------- IBase */

static void test_chain(void **state)
{
	static const char *const names[] = {
		"android.hardware.neuralnetworks@1.3::IDevice",
		"android.hardware.neuralnetworks@1.2::IDevice",
		"android.hardware.neuralnetworks@1.1::IDevice",
		"android.hardware.neuralnetworks@1.0::IDevice",
		"android.hidl.base@1.0::IBase",
	};
	struct state *self = *state;
	struct nnb_hidl_base_chain_out chain;
	struct nnb_hidl_base_hashes_out hashes;
	struct nnb_hidl_base_descriptor_out descriptor;
	struct nnb_hidl_base_info_out info;
	const struct nnb_hidl_string *strings;

	assert_int_equal(nnb_hidl_call(self->device, &me, &nnb_hidl_base_chain, NULL, &self->arena,
				       &chain), 0);
	assert_int_equal(chain.descriptors->count, 5);
	strings = chain.descriptors->data;
	for (int i = 0; i < 5; i++)
		assert_string_equal(strings[i].data, names[i]);
	assert_int_equal(nnb_hidl_call(self->device, &me, &nnb_hidl_base_hashes, NULL, &self->arena,
				       &hashes), 0);
	assert_int_equal(hashes.hashes->count, 5);
	/* Each begins as Android's frozen one does; all chains end with IBase's. */
	for (int i = 0; i < 5; i++)
		assert_int_equal(((const uint8_t *)hashes.hashes->data)[i * 32],
				 ((const uint8_t[]){0x27, 0xfb, 0x76, 0x58, 0xec})[i]);
	assert_int_equal(nnb_hidl_call(self->device, &me, &nnb_hidl_base_descriptor, NULL,
				       &self->arena, &descriptor), 0);
	assert_string_equal(descriptor.descriptor->data, names[0]);
	assert_int_equal(nnb_hidl_call(self->device, &me, &nnb_hidl_base_info, NULL, &self->arena,
				       &info), 0);
	assert_int_equal(info.info->architecture, 1);
	assert_int_equal(nnb_hidl_call(self->device, &me, &nnb_hidl_base_ping, NULL, &self->arena,
				       NULL), 0);
}

/* The state of the service, in a file of the caller's; it needs no options, nor a file. */
static void test_debug(void **state)
{
	struct {
		struct nnb_hidl_fds fds;
		int32_t data[1];
	} handle = {.fds = {.version = NNB_HIDL_FDS_VERSION, .fd_count = 1}};
	static const struct nnb_hidl_vec none;
	const struct nnb_hidl_base_debug_in in = {&handle.fds, &none}, nowhere = {NULL, &none};
	struct state *self = *state;
	char text[512] = "";

	handle.fds.data[0] = memfd_create("debug", MFD_CLOEXEC);
	assert_int_equal(nnb_hidl_call(self->device, &me, &nnb_hidl_base_debug, &in, &self->arena,
				       NULL), 0);
	assert_true(pread(handle.fds.data[0], text, sizeof(text) - 1, 0) > 0);
	assert_non_null(strstr(text, ", driver "));
	assert_non_null(strstr(text, ", HIDL 1.0 to 1.3\n"));
	assert_int_equal(nnb_hidl_call(self->device, &me, &nnb_hidl_base_debug, &nowhere,
				       &self->arena, NULL), 0);
	close(handle.fds.data[0]);
}

/* There is nothing to switch on or to notice, and nobody waits for an answer. */
static void test_oneway(void **state)
{
	static const uint32_t codes[] = {NNB_HIDL_BASE_INSTRUMENT, NNB_HIDL_BASE_SYSPROPS};
	struct state *self = *state;

	for (int i = 0; i < 2; i++) {
		struct nnb_hw in, out;

		nnb_hw_init(&in);
		nnb_hw_init(&out);
		assert_int_equal(self->device->ops->answer(self->device, &me, NNB_HIDL_BASE,
							   codes[i], &in, &self->arena, &out), 0);
		assert_int_equal(out.size, 0);
		nnb_hw_fini(&in);
		nnb_hw_fini(&out);
	}
}

/* A method is called in the name of the interface that declares it, and of no other. */
static void test_names(void **state)
{
	const struct nnb_hidl_method *method = &nnb_hidl_1_0_device.methods[0];
	struct state *self = *state;
	struct nnb_hw in, out;

	nnb_hw_init(&in);
	nnb_hw_init(&out);
	assert_int_equal(self->device->ops->answer(self->device, &me,
						   nnb_hidl_1_3_device.descriptor, method->code,
						   &in, &self->arena, &out), NNB_BAD_TYPE);
	assert_int_equal(self->device->ops->answer(self->device, &me,
						   nnb_hidl_1_3_device.descriptor, 21, &in,
						   &self->arena, &out), NNB_UNKNOWN_TRANSACTION);
	nnb_hw_fini(&in);
	nnb_hw_fini(&out);
}

/* ------------------------------------------------------------------------------------ questions */

static void test_questions(void **state)
{
	struct state *self = *state;
	struct nnb_hidl_1_0_device_get_capabilities_out first;
	struct nnb_hidl_1_1_device_get_capabilities_1_1_out second;
	struct nnb_hidl_1_2_device_get_capabilities_1_2_out third;
	struct nnb_hidl_1_3_device_get_capabilities_1_3_out fourth;
	struct nnb_hidl_1_0_device_get_status_out status;
	struct nnb_hidl_1_2_device_get_version_string_out version;
	struct nnb_hidl_1_2_device_get_type_out type;
	struct nnb_hidl_1_2_device_get_supported_extensions_out extensions;
	struct nnb_hidl_1_2_device_get_number_of_cache_files_needed_out files;

	ask(self, &nnb_hidl_1_0_device, "getCapabilities", NULL, &first);
	assert_int_equal(first.status, 0);
	assert_true(first.capabilities->float32_performance.exec_time > 0);
	ask(self, &nnb_hidl_1_1_device, "getCapabilities_1_1", NULL, &second);
	assert_true(second.capabilities->relaxed_float32to_float16_performance.exec_time > 0);
	assert_true(second.capabilities->float32_performance.exec_time ==
		    first.capabilities->float32_performance.exec_time);
	ask(self, &nnb_hidl_1_2_device, "getCapabilities_1_2", NULL, &third);
	/* The types that 1.2 has. */
	assert_int_equal(third.capabilities->operand_performance.count, 14);
	ask(self, &nnb_hidl_1_3_device, "getCapabilities_1_3", NULL, &fourth);
	assert_int_equal(fourth.capabilities->operand_performance.count, 15);
	assert_int_equal(fourth.capabilities->operand_performance.data[14].type, 14);
	assert_true(fourth.capabilities->while_performance.exec_time > 0);
	ask(self, &nnb_hidl_1_0_device, "getStatus", NULL, &status);
	assert_int_equal(status.status, NNB_HIDL_1_0_DEVICE_STATUS_AVAILABLE);
	ask(self, &nnb_hidl_1_2_device, "getVersionString", NULL, &version);
	assert_memory_equal(version.version->data, "nnaccel ", 8);
	ask(self, &nnb_hidl_1_2_device, "getType", NULL, &type);
	assert_int_equal(type.type, NNB_AIDL_DEVICE_TYPE_ACCELERATOR);
	ask(self, &nnb_hidl_1_2_device, "getSupportedExtensions", NULL, &extensions);
	assert_int_equal(extensions.status, 0);
	assert_true(extensions.extensions->count > 0);
	ask(self, &nnb_hidl_1_2_device, "getNumberOfCacheFilesNeeded", NULL, &files);
	assert_int_equal(files.num_model_cache, NNB_MODEL_CACHE_FILES);
	assert_int_equal(files.num_data_cache, NNB_DATA_CACHE_FILES);
}

/* Without a callback nobody could be told. */
static void test_no_callback(void **state)
{
	static const struct nnb_hidl_1_0_model model;
	static const struct nnb_hidl_vec none;
	static const uint8_t token[32];
	static const struct nnb_hidl_1_3_optional_time_point never;
	const struct nnb_hidl_1_0_device_prepare_model_in prepare = {&model, NULL};
	const struct nnb_hidl_1_2_device_prepare_model_from_cache_in load = {&none, &none, token,
									     NULL};
	const struct nnb_hidl_1_3_device_prepare_model_from_cache_1_3_in late = {
		&never, &none, &none, token, NULL};
	struct nnb_hidl_1_3_device_prepare_model_1_3_out out;
	struct state *self = *state;

	ask(self, &nnb_hidl_1_0_device, "prepareModel", &prepare, &out);
	assert_int_equal(out.status, STATUS(INVALID_ARGUMENT));
	ask(self, &nnb_hidl_1_2_device, "prepareModelFromCache", &load, &out);
	assert_int_equal(out.status, STATUS(INVALID_ARGUMENT));
	ask(self, &nnb_hidl_1_3_device, "prepareModelFromCache_1_3", &late, &out);
	assert_int_equal(out.status, STATUS(INVALID_ARGUMENT));
}

/* -------------------------------------------------------------------------------------- parcels */

/* Parcels that the driver would carry, but whose pointers are not what they seem. */
static void test_hostile_parcels(void **state)
{
	static const int32_t numbers[4] = {1, 2, 3, 4};
	struct nnb_hidl_vec vec = {.data = numbers, .count = 4};
	const struct nnb_hidl_1_2_burst_callback_get_memories_in in = {&vec};
	const struct nnb_hidl_arguments *arguments =
		&nnb_hidl_1_2_burst_callback.methods[0].in;
	struct nnb_hidl_1_2_burst_callback_get_memories_in read;
	struct nnb_arena arena = {0};

	for (int change = 0; change < 6; change++) {
		struct nnb_hw sent, received;
		int ret;

		nnb_hw_init(&sent);
		nnb_hw_init(&received);
		assert_int_equal(nnb_hidl_write(&sent, arguments, &in), 0);
		assert_int_equal(sent.count, 2);
		switch (change) {
		case 1: /* fewer elements than the vec says */
			sent.entries[1].size = 12;
			break;
		case 2: /* no buffer for the pointer, which stays the sender's */
			sent.count = 1;
			break;
		case 3: /* the buffer of another place */
			sent.entries[1].parent_offset = 8;
			break;
		case 4: /* a buffer without a parent */
			sent.entries[1].parent = NNB_HW_NO_PARENT;
			break;
		case 5: /* not in the driver's list at its place in the stream */
			sent.entries[1].offset += 4;
			break;
		default:
			break;
		}
		assert_int_equal(nnb_hw_deliver(&sent, &received), 0);
		ret = nnb_hidl_read(&received, &arena, arguments, &read);
		if (change)
			assert_true(ret < 0);
		else
			assert_memory_equal(read.slots->data, numbers, sizeof(numbers));
		nnb_hw_fini(&received);
		nnb_hw_fini(&sent);
	}
	nnb_arena_fini(&arena);
}

/* Numbers that no descriptors stand behind are not taken for some. */
static void test_hostile_handle(void **state)
{
	struct {
		struct nnb_hidl_fds fds;
		int32_t data[1];
	} handle = {.fds = {.version = NNB_HIDL_FDS_VERSION, .fd_count = 1}};

	for (int change = 0; change < 4; change++) {
		const struct nnb_hidl_fds *fds;
		struct nnb_hw sent, received;
		int ret;

		handle.fds.data[0] = STDIN_FILENO;
		nnb_hw_init(&sent);
		nnb_hw_init(&received);
		assert_int_equal(nnb_hw_write_fds(&sent, &handle.fds, NNB_HW_NO_PARENT, 0), 0);
		switch (change) {
		case 1: /* the driver has replaced none */
			sent.entries[1].size = 0;
			break;
		case 2: /* it has not seen any */
			sent.count = 1;
			break;
		case 3: /* another place */
			sent.entries[1].parent_offset = 0;
			sent.entries[1].size = 0;
			break;
		default:
			break;
		}
		assert_int_equal(nnb_hw_deliver(&sent, &received), 0);
		ret = nnb_hw_read_fds(&received, NNB_HW_NO_PARENT, 0, &fds);
		if (change)
			assert_true(ret < 0);
		else
			assert_int_not_equal(fds->data[0], STDIN_FILENO);
		nnb_hw_fini(&received);
		nnb_hw_fini(&sent);
	}
}

/* --------------------------------------------------------------------------------------- queues */

#define QUEUE_BYTES 4096

/* A queue of 24 elements of 24 bytes; @change makes it one that is none. */
static int open_queue(int fd, int change, struct nnb_fmq *queue)
{
	struct nnb_hidl_grantor grantors[5] = {
		{.offset = 0, .extent = 8},	{.offset = 8, .extent = 8},
		{.offset = 16, .extent = 24 * 24}, {.offset = 1024, .extent = 4},
		{.offset = 2048, .extent = 4},
	};
	struct {
		struct nnb_hidl_fds fds;
		int32_t data[1];
	} handle = {.fds = {.version = NNB_HIDL_FDS_VERSION, .fd_count = 1}};
	struct nnb_hidl_queue from = {
		.grantors = {grantors, 4, 0}, .fds = &handle.fds, .quantum = 24, .flags = 1,
	};

	handle.fds.data[0] = fd;
	switch (change) {
	case 1: from.quantum = 23; break;
	case 2: from.grantors.count = 2; break;
	case 3: from.grantors.count = 5; break;
	case 4: grantors[2].fd_index = 1; break;
	case 5: grantors[2].extent = 24 * 24 + 1; break;
	case 6: grantors[2].extent = QUEUE_BYTES; break;
	case 7: grantors[2].offset = UINT32_MAX - 7; break;
	case 8: grantors[2].extent = UINT64_MAX - 15; break;
	case 9: grantors[0].offset = 4; break;
	case 10: grantors[1].extent = 4; break;
	case 11: grantors[3].offset = QUEUE_BYTES; break;
	case 12: grantors[3].offset = 1022; break;
	case 13: from.fds = NULL; break;
	case 14: grantors[2].extent = 0; break;
	case 15: from.flags = 2; break;
	default: break;
	}
	return nnb_fmq_open(&from, QUEUE_BYTES, 24, true, queue);
}

static void test_queues(void **state)
{
	int fd = memfd_create("queue", MFD_CLOEXEC);
	struct nnb_fmq queue;
	uint64_t *counters;

	assert_int_equal(ftruncate(fd, QUEUE_BYTES), 0);
	counters = mmap(NULL, QUEUE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(counters, MAP_FAILED);
	for (int change = 1; change < 16; change++)
		assert_true(open_queue(fd, change, &queue) < 0);
	/* Counters that cannot be. */
	counters[1] = 24 * 25;
	assert_true(open_queue(fd, 0, &queue) < 0);
	counters[1] = 23;
	assert_true(open_queue(fd, 0, &queue) < 0);
	counters[0] = 24;
	counters[1] = 0;
	assert_true(open_queue(fd, 0, &queue) < 0);
	counters[0] = 0;
	assert_int_equal(open_queue(fd, 0, &queue), 0);
	assert_int_equal(nnb_fmq_readable(&queue), 0);
	counters[1] = 48;
	assert_int_equal(nnb_fmq_readable(&queue), 48);
	/* The reader's counter is the reader's: what stands there does not count. */
	counters[0] = UINT64_MAX;
	assert_int_equal(nnb_fmq_readable(&queue), 48);
	counters[1] = UINT64_MAX;
	assert_true(nnb_fmq_readable(&queue) < 0);
	counters[1] = 24 * 24;
	nnb_fmq_consume(&queue, 24);
	assert_int_equal(nnb_fmq_readable(&queue), 24 * 23);
	assert_int_equal(counters[0], 24);
	nnb_fmq_close(&queue);
	munmap(counters, QUEUE_BYTES);
	close(fd);
}

/* --------------------------------------------------------------------------------------- bursts */

/**
 * struct holder - a client whose IBurstCallback holds the service's call until it is told
 * @object: of HIDL: it is IPreparedModelCallback, too
 * @asked: the service has called getMemories()
 * @open: the call may return
 * @told: a model is prepared, or the last reference is gone
 * @model: what the service has prepared, a reference
 */
struct holder {
	struct nnb_object object;
	sem_t asked, open, told;
	struct nnb_object *model;
};

static int holder_answer(struct nnb_object *object, const struct nnb_caller *caller,
			 const char *descriptor, uint32_t code, struct nnb_hw *in,
			 struct nnb_arena *arena, struct nnb_hw *out)
{
	struct holder *self = (struct holder *)object;
	struct nnb_object *model;
	int32_t status;

	if (strstr(descriptor, "IPreparedModelCallback")) {
		assert_int_equal(nnb_hw_read_int(in, &status), 0);
		assert_int_equal(status, 0);
		assert_int_equal(nnb_hw_read_object(in, &model), 0);
		self->model = nnb_object_ref(model);
		sem_post(&self->told);
		return 0;
	}
	sem_post(&self->asked);
	sem_wait(&self->open);
	return -EIO;
}

static void holder_release(struct nnb_object *object)
{
	struct holder *self = (struct holder *)object;

	sem_post(&self->told);
}

/* A queue of a client: 24 elements and no event flag. */
static struct nnb_hidl_queue *make_queue(struct nnb_arena *arena, int *fd)
{
	struct nnb_hidl_grantor *grantors = nnb_arena_alloc(arena, 3, sizeof(*grantors));
	struct nnb_hidl_queue *queue = nnb_arena_alloc(arena, 1, sizeof(*queue));
	struct nnb_hidl_fds *fds = nnb_arena_alloc(arena, 1, sizeof(*fds) + 4);

	*fd = memfd_create("queue", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	assert_int_equal(ftruncate(*fd, QUEUE_BYTES), 0);
	grantors[0].extent = 8;
	grantors[1] = (struct nnb_hidl_grantor){.offset = 8, .extent = 8};
	grantors[2] = (struct nnb_hidl_grantor){.offset = 16, .extent = 24 * 24};
	*fds = (struct nnb_hidl_fds){.version = NNB_HIDL_FDS_VERSION, .fd_count = 1};
	fds->data[0] = *fd;
	*queue = (struct nnb_hidl_queue){
		.grantors = {grantors, 3, 0}, .fds = fds, .quantum = 24, .flags = 1,
	};
	return queue;
}

/* A request of a memory that the service does not have. */
static void send_request(int fd)
{
	const struct nnb_hidl_1_2_fmq_request_datum packet[] = {
		{
			.tag = NNB_HIDL_1_2_FMQ_REQUEST_DATUM_PACKET_INFORMATION,
			.packet_information = {.packet_size = 3, .number_of_pools = 1},
		},
		{.tag = NNB_HIDL_1_2_FMQ_REQUEST_DATUM_POOL_IDENTIFIER},
		{.tag = NNB_HIDL_1_2_FMQ_REQUEST_DATUM_MEASURE_TIMING},
	};
	char *map = mmap(NULL, QUEUE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	assert_ptr_not_equal(map, MAP_FAILED);
	memcpy(map + 16, packet, sizeof(packet));
	atomic_store((_Atomic uint64_t *)(void *)(map + 8), sizeof(packet));
	munmap(map, QUEUE_BYTES);
}

/* A model of one addition of floats, as 1.0 has it. */
static struct nnb_object *prepare_add(struct state *self, struct holder *holder)
{
	static const uint32_t dims[] = {4}, in[] = {0, 1, 2}, out[] = {3}, inputs[] = {0, 1};
	static const struct nnb_hidl_1_0_operand operands[] = {
		{.type = 3, .dimensions = {dims, 1, 0}, .number_of_consumers = 1, .lifetime = 1},
		{.type = 3, .dimensions = {dims, 1, 0}, .number_of_consumers = 1, .lifetime = 1},
		{.type = 1, .number_of_consumers = 1, .lifetime = 3, .location = {.length = 4}},
		{.type = 3, .dimensions = {dims, 1, 0}, .lifetime = 2},
	};
	static const struct nnb_hidl_1_0_operation operation = {
		.inputs = {in, 3, 0}, .outputs = {out, 1, 0},
	};
	static const uint8_t zeros[4];
	const struct nnb_hidl_1_0_model model = {
		.operands = {operands, 4, 0},
		.operations = {&operation, 1, 0},
		.input_indexes = {inputs, 2, 0},
		.output_indexes = {out, 1, 0},
		.operand_values = {zeros, 4, 0},
	};
	const struct nnb_hidl_1_0_device_prepare_model_in args = {&model, &holder->object};
	struct nnb_hidl_1_0_device_prepare_model_out results;

	ask(self, &nnb_hidl_1_0_device, "prepareModel", &args, &results);
	assert_int_equal(results.status, 0);
	sem_wait(&holder->told);
	return holder->model;
}

/* A context is released while the client holds the call of the burst's thread. */
static void test_burst_held(void **state)
{
	static const struct nnb_object_ops ops = {
		.descriptor = "android.hardware.neuralnetworks@1.2::IBurstCallback",
		.release = holder_release,
		.answer = holder_answer,
	};
	struct nnb_hidl_1_2_prepared_model_configure_execution_burst_in in;
	struct nnb_hidl_1_2_prepared_model_configure_execution_burst_out out;
	struct nnb_arena arena = {0};
	struct state *self = *state;
	struct holder holder = {0};
	int requests, results;

	nnb_object_init(&holder.object, &ops);
	sem_init(&holder.asked, 0, 0);
	sem_init(&holder.open, 0, 0);
	sem_init(&holder.told, 0, 0);
	prepare_add(self, &holder);
	in.callback = &holder.object;
	in.request_channel = make_queue(&arena, &requests);
	in.result_channel = make_queue(&arena, &results);
	assert_int_equal(nnb_hidl_call(holder.model, &me,
				       &nnb_hidl_1_2_prepared_model.methods[2], &in, &arena, &out),
			 0);
	assert_int_equal(out.status, 0);
	send_request(requests);
	sem_wait(&holder.asked);
	/* What waits for the thread never returns. */
	alarm(120);
	nnb_arena_fini(&arena);
	alarm(0);
	/* The thread has the callback until its call returns. */
	nnb_object_unref(&holder.object);
	assert_int_equal(sem_trywait(&holder.told), -1);
	sem_post(&holder.open);
	sem_wait(&holder.told);
	nnb_object_unref(holder.model);
	close(requests);
	close(results);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_chain, setup, teardown),
		cmocka_unit_test_setup_teardown(test_debug, setup, teardown),
		cmocka_unit_test_setup_teardown(test_oneway, setup, teardown),
		cmocka_unit_test_setup_teardown(test_names, setup, teardown),
		cmocka_unit_test_setup_teardown(test_questions, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_callback, setup, teardown),
		cmocka_unit_test(test_hostile_parcels),
		cmocka_unit_test(test_hostile_handle),
		cmocka_unit_test(test_queues),
		cmocka_unit_test_setup_teardown(test_burst_held, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
