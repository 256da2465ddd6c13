// SPDX-License-Identifier: MIT
/*
 * IBurstContext (face.h): a thread that reads requests from one queue and writes results to
 * another. Both consist of packets, whose first element says how many elements there are; the
 * client publishes a packet as a whole. Memory is named by slots: what a burst of the core keeps
 * under the slot's number is used again, what it does not is fetched from the client's
 * IBurstCallback.
 *
 * A packet that is none gets GENERAL_FAILURE for an answer. A counter that cannot be ends the
 * burst. The thread ends with the context, and with the client. The end of the context waits for
 * it, so that the quota is free again, but not while a client can hold it: in a call of
 * getMemories(), and until what that has brought is closed. Then the thread frees the burst.
 */
#include "hal-bridge/service/hidl/face.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hal-bridge/common/backing.h"
#include "hal-bridge/hidl/fmq.h"
#include "hal-bridge/service/burst.h"
#include "hal-bridge/service/file.h"
#include "hal-bridge/service/status.h"
#include "libnnaccel/support/message.h"
#include "libnnaccel/support/thread.h"

#define INVALID NNB_AIDL_ERROR_STATUS_INVALID_ARGUMENT
#define FAILURE NNB_AIDL_ERROR_STATUS_GENERAL_FAILURE
#define EXHAUSTED NNB_AIDL_ERROR_STATUS_RESOURCE_EXHAUSTED_TRANSIENT

#define NNB_HIDL_BURST_MS 200	  /* between looks at whether the client is dead */
#define NNB_HIDL_BURST_OBJECTS 64 /* of the quota of objects: a burst takes a thread */

typedef struct nnb_hidl_1_2_fmq_request_datum nnb_hidl_request_datum;
typedef struct nnb_hidl_1_2_fmq_result_datum nnb_hidl_result_datum;

/**
 * struct nnb_hidl_burst - a burst with queues
 * @object: IBurstContext
 * @model: a reference to its object
 * @charged: the charge of the client's user
 * @core: the core's IBurst, a reference
 * @callback: IBurstCallback, a reference
 * @caller: the client
 * @requests: read
 * @results: written
 * @packet: room for all elements of @requests
 * @answer: room for all elements of @results
 * @stop: the thread shall end
 * @lock: of the fields below
 * @changed: one of them has changed
 * @held: the thread is where the client can hold it
 * @ended: the thread has ended, and does not touch the burst any more
 * @left: the context has gone before, so the thread frees the burst
 */
struct nnb_hidl_burst {
	struct nnb_object object;
	struct nnb_prepared_model *model;
	struct nnb_quota charged;
	struct nnb_object *core, *callback;
	struct nnb_caller caller;
	struct nnb_fmq requests, results;
	nnb_hidl_request_datum *packet;
	nnb_hidl_result_datum *answer;
	atomic_bool stop;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool held, ended, left;
};

/* ------------------------------------------------------------------------------------- requests */

/**
 * struct nnb_hidl_packet - a request that is taken apart
 * @at: the next element
 * @left: elements that are left
 * @request: what it asks for
 * @slots: of its pools
 * @measure: durations are wanted
 */
struct nnb_hidl_packet {
	const nnb_hidl_request_datum *at;
	uint32_t left;
	struct nnb_aidl_request request;
	int64_t *slots;
	bool measure;
};

/* Return: the next element, which has to be of a kind; NULL if it is not. */
static const nnb_hidl_request_datum *nnb_hidl_packet_take(struct nnb_hidl_packet *packet,
							  uint8_t tag)
{
	if (!packet->left || packet->at->tag != tag)
		return NULL;
	packet->left--;
	return packet->at++;
}

/* Reads arguments, each followed by its dimensions. Return: NULL if they are none. */
static struct nnb_aidl_request_argument *nnb_hidl_packet_arguments(struct nnb_hidl_packet *packet,
								   struct nnb_arena *arena,
								   uint32_t count, uint8_t tag,
								   uint8_t dimension_tag)
{
	struct nnb_aidl_request_argument *to = NULL;

	/* Each takes an element at least. */
	if (count <= packet->left)
		to = nnb_arena_alloc(arena, count, sizeof(*to));
	for (uint32_t i = 0; to && i < count; i++) {
		const nnb_hidl_request_datum *from = nnb_hidl_packet_take(packet, tag);
		int32_t *dims;
		uint32_t rank;

		if (!from)
			return NULL;
		/* An input and an output are described alike. */
		rank = from->input_operand_information.number_of_dimensions;
		dims = rank <= packet->left ? nnb_arena_alloc(arena, rank, sizeof(*dims)) : NULL;
		if (!dims)
			return NULL;
		to[i].has_no_value = from->input_operand_information.has_no_value;
		nnb_hidl_to_location(&from->input_operand_information.location, &to[i].location);
		to[i].dimensions = (struct nnb_ints){rank, dims};
		for (uint32_t k = 0; k < rank; k++) {
			from = nnb_hidl_packet_take(packet, dimension_tag);
			if (!from)
				return NULL;
			dims[k] = (int32_t)from->input_operand_dimension_value;
		}
	}
	return to;
}

/* Return: true if the packet is a request. */
static bool nnb_hidl_packet_parse(struct nnb_hidl_packet *packet, struct nnb_arena *arena)
{
	const nnb_hidl_request_datum *from =
		nnb_hidl_packet_take(packet, NNB_HIDL_1_2_FMQ_REQUEST_DATUM_PACKET_INFORMATION);
	struct nnb_aidl_request *request = &packet->request;
	uint32_t pools;

	if (!from)
		return false;
	request->inputs.count = from->packet_information.number_of_input_operands;
	request->outputs.count = from->packet_information.number_of_output_operands;
	pools = from->packet_information.number_of_pools;
	request->inputs.data = nnb_hidl_packet_arguments(
		packet, arena, request->inputs.count,
		NNB_HIDL_1_2_FMQ_REQUEST_DATUM_INPUT_OPERAND_INFORMATION,
		NNB_HIDL_1_2_FMQ_REQUEST_DATUM_INPUT_OPERAND_DIMENSION_VALUE);
	if (!request->inputs.data)
		return false;
	request->outputs.data = nnb_hidl_packet_arguments(
		packet, arena, request->outputs.count,
		NNB_HIDL_1_2_FMQ_REQUEST_DATUM_OUTPUT_OPERAND_INFORMATION,
		NNB_HIDL_1_2_FMQ_REQUEST_DATUM_OUTPUT_OPERAND_DIMENSION_VALUE);
	if (!request->outputs.data || pools > packet->left)
		return false;
	packet->slots = nnb_arena_alloc(arena, pools, sizeof(*packet->slots));
	request->pools.data = nnb_arena_alloc(arena, pools, sizeof(*request->pools.data));
	if (!packet->slots || !request->pools.data)
		return false;
	request->pools.count = pools;
	for (uint32_t i = 0; i < pools; i++) {
		from = nnb_hidl_packet_take(packet, NNB_HIDL_1_2_FMQ_REQUEST_DATUM_POOL_IDENTIFIER);
		if (!from || from->pool_identifier < 0)
			return false;
		packet->slots[i] = from->pool_identifier;
	}
	from = nnb_hidl_packet_take(packet, NNB_HIDL_1_2_FMQ_REQUEST_DATUM_MEASURE_TIMING);
	packet->measure = from && from->measure_timing == NNB_HIDL_1_2_MEASURE_TIMING_YES;
	return from && !packet->left;
}

/* Says whether the client can hold the thread. */
static void nnb_hidl_burst_hold(struct nnb_hidl_burst *burst, bool held)
{
	pthread_mutex_lock(&burst->lock);
	burst->held = held;
	pthread_cond_broadcast(&burst->changed);
	pthread_mutex_unlock(&burst->lock);
}

/* Fetches the memories that the core does not keep. Return: 0 or an ErrorStatus. */
static int nnb_hidl_burst_fetch(struct nnb_hidl_burst *burst, struct nnb_aidl_call *core,
				struct nnb_hidl_packet *packet)
{
	static const struct nnb_caller self;
	const uint32_t count = packet->request.pools.count;
	int32_t *slots = nnb_arena_alloc(core->arena, count, sizeof(*slots));
	struct nnb_hidl_vec vec = {.data = slots};
	const struct nnb_hidl_1_2_burst_callback_get_memories_in in = {&vec};
	struct nnb_hidl_1_2_burst_callback_get_memories_out out;
	const struct nnb_hidl_memory *memories;
	uint32_t next = 0;
	int ret;

	if (!slots)
		return nnb_aidl_fail(core, EXHAUSTED, "out of memory");
	for (uint32_t i = 0; i < count; i++) {
		packet->request.pools.data[i].tag = NNB_AIDL_REQUEST_MEMORY_POOL_POOL;
		if (!nnb_burst_has(burst->core, packet->slots[i]))
			slots[vec.count++] = (int32_t)packet->slots[i];
	}
	if (!vec.count)
		return 0;
	nnb_hidl_burst_hold(burst, true);
	ret = nnb_hidl_call(burst->callback, &self, &nnb_hidl_1_2_burst_callback.methods[0], &in,
			    core->arena, &out);
	if (ret || out.status || out.buffers->count != vec.count)
		return nnb_aidl_fail(core, INVALID, "the client has no memory for %u slots",
				     vec.count);
	memories = out.buffers->data;
	for (uint32_t i = 0; i < count && !ret; i++) {
		if (next < vec.count && slots[next] == packet->slots[i])
			ret = nnb_hidl_to_memory(core, &memories[next++],
						 &packet->request.pools.data[i].pool);
	}
	return ret;
}

/* Runs a request. Return: 0 or an ErrorStatus. */
static int nnb_hidl_burst_execute(struct nnb_hidl_burst *burst, struct nnb_aidl_call *core,
				  uint32_t count, struct nnb_aidl_execution_result *result)
{
	struct nnb_hidl_packet packet = {.at = burst->packet, .left = count};
	struct nnb_aidl_burst_execute_synchronously_in in = {
		.deadline_ns = -1,
		.loop_timeout_duration_ns = -1,
	};
	struct nnb_aidl_burst_execute_synchronously_out out = {0};
	int ret;

	if (!nnb_hidl_packet_parse(&packet, core->arena))
		return nnb_aidl_fail(core, FAILURE, "a packet of %u elements is no request", count);
	ret = nnb_hidl_burst_fetch(burst, core, &packet);
	if (ret)
		return ret;
	in.request = packet.request;
	in.memory_identifier_tokens = (struct nnb_longs){packet.request.pools.count, packet.slots};
	in.measure_timing = packet.measure;
	ret = nnb_burst_handlers[NNB_AIDL_BURST_EXECUTE_SYNCHRONOUSLY - 1](burst->core, core, &in,
									   &out);
	*result = out.result;
	return ret;
}

/* -------------------------------------------------------------------------------------- results */

/* Makes the packet of a result. Return: its elements, 0 if there is no room for it. */
static uint32_t nnb_hidl_burst_pack(struct nnb_hidl_burst *burst, int status,
				    const struct nnb_aidl_execution_result *result)
{
	const uint32_t room = (uint32_t)(burst->results.bytes / sizeof(*burst->answer));
	nnb_hidl_result_datum *to = burst->answer;
	uint32_t at = 1;

	memset(to, 0, room * sizeof(*to));
	for (uint32_t i = 0; i < result->output_shapes.count; i++) {
		const struct nnb_ints *dims = &result->output_shapes.data[i].dimensions;

		if (dims->count + 1 > room - at)
			return 0;
		to[at].tag = NNB_HIDL_1_2_FMQ_RESULT_DATUM_OPERAND_INFORMATION;
		to[at].operand_information.is_sufficient =
			result->output_shapes.data[i].is_sufficient;
		to[at++].operand_information.number_of_dimensions = dims->count;
		for (uint32_t k = 0; k < dims->count; k++) {
			to[at].tag = NNB_HIDL_1_2_FMQ_RESULT_DATUM_OPERAND_DIMENSION_VALUE;
			to[at++].operand_dimension_value = (uint32_t)dims->data[k];
		}
	}
	if (at == room)
		return 0;
	to[at].tag = NNB_HIDL_1_2_FMQ_RESULT_DATUM_EXECUTION_TIMING;
	to[at++].execution_timing = nnb_hidl_of_timing(&result->timing);
	to[0].tag = NNB_HIDL_1_2_FMQ_RESULT_DATUM_PACKET_INFORMATION;
	to[0].packet_information.packet_size = at;
	to[0].packet_information.error_status = nnb_hidl_status(NNB_HIDL_1_2, status);
	to[0].packet_information.number_of_operands = result->output_shapes.count;
	return at;
}

/* Writes a result, or that there is none; waits for room. */
static void nnb_hidl_burst_answer(struct nnb_hidl_burst *burst, int status,
				  const struct nnb_aidl_execution_result *result)
{
	static const struct nnb_aidl_execution_result none = {.timing = {-1, -1}};
	uint32_t count = nnb_hidl_burst_pack(burst, status, status ? &none : result);
	int64_t room;

	if (!status && !result->output_sufficient_size)
		burst->answer[0].packet_information.error_status =
			NNB_AIDL_ERROR_STATUS_OUTPUT_INSUFFICIENT_SIZE;
	if (!count)
		count = nnb_hidl_burst_pack(burst, FAILURE, &none);
	while (!atomic_load(&burst->stop) && !atomic_load(&burst->model->client->dead)) {
		room = nnb_fmq_writable(&burst->results);
		if (room < 0) {
			nna_message(DRIVER, "hal: the counter of a burst's results cannot be");
			atomic_store(&burst->stop, true);
			return;
		}
		if ((size_t)room >= count * sizeof(*burst->answer)) {
			nnb_fmq_write(&burst->results, burst->answer,
				      count * sizeof(*burst->answer));
			return;
		}
		nnb_fmq_wait(&burst->results, NNB_FMQ_NOT_FULL, NNB_HIDL_BURST_MS);
	}
}

/* --------------------------------------------------------------------------------------- thread */

/* Takes the next packet out of the queue. Return: its elements, 0 for none yet, or -EPROTO. */
static int64_t nnb_hidl_burst_receive(struct nnb_hidl_burst *burst)
{
	int64_t bytes = nnb_fmq_readable(&burst->requests);
	uint32_t count;

	if (bytes <= 0)
		return bytes;
	nnb_fmq_peek(&burst->requests, burst->packet, (size_t)bytes);
	count = burst->packet[0].packet_information.packet_size;
	/* A packet that is none takes all that is there with it. */
	if (burst->packet[0].tag != NNB_HIDL_1_2_FMQ_REQUEST_DATUM_PACKET_INFORMATION || !count ||
	    count > (uint64_t)bytes / sizeof(*burst->packet))
		count = (uint32_t)((uint64_t)bytes / sizeof(*burst->packet));
	nnb_fmq_consume(&burst->requests, count * sizeof(*burst->packet));
	return count;
}

static void nnb_hidl_burst_free(struct nnb_hidl_burst *burst)
{
	nnb_fmq_close(&burst->requests);
	nnb_fmq_close(&burst->results);
	nnb_object_unref(burst->core);
	nnb_object_unref(burst->callback);
	nnb_quota_discharge(burst->model->client, &burst->charged);
	nnb_object_unref(&burst->model->object);
	pthread_cond_destroy(&burst->changed);
	pthread_mutex_destroy(&burst->lock);
	free(burst->packet);
	free(burst->answer);
	free(burst);
}

/* The thread's last word: the context, if it is still there, frees the burst. */
static void nnb_hidl_burst_end(struct nnb_hidl_burst *burst)
{
	bool left;

	pthread_mutex_lock(&burst->lock);
	left = burst->left;
	burst->ended = true;
	pthread_cond_broadcast(&burst->changed);
	pthread_mutex_unlock(&burst->lock);
	if (left)
		nnb_hidl_burst_free(burst);
}

static void *nnb_hidl_burst_run(void *arg)
{
	struct nnb_hidl_burst *burst = arg;

	while (!atomic_load(&burst->stop) && !atomic_load(&burst->model->client->dead)) {
		struct nnb_aidl_execution_result result = {0};
		struct nnb_arena arena = {0};
		struct nnb_aidl_call core = {.caller = &burst->caller, .arena = &arena};
		const int64_t count = nnb_hidl_burst_receive(burst);
		int ret;

		if (count < 0) {
			nna_message(DRIVER, "hal: the counter of a burst's requests cannot be");
			break;
		}
		if (!count) {
			nnb_fmq_wait(&burst->requests, NNB_FMQ_NOT_EMPTY, NNB_HIDL_BURST_MS);
			continue;
		}
		ret = nnb_hidl_burst_execute(burst, &core, (uint32_t)count, &result);
		if (ret)
			nna_message(DRIVER, "hal: burst of uid %u, pid %d: status %d: %s",
				    (unsigned int)burst->caller.euid, (int)burst->caller.pid, ret,
				    core.message);
		nnb_hidl_burst_answer(burst, ret, &result);
		nnb_arena_fini(&arena);
		nnb_hidl_burst_hold(burst, false);
	}
	nnb_hidl_burst_end(burst);
	return NULL;
}

/* --------------------------------------------------------------------------------------- object */

static int nnb_hidl_on_free_memory(struct nnb_object *object, struct nnb_hidl_call *call,
				   const void *in, void *out)
{
	const struct nnb_hidl_1_2_burst_context_free_memory_in *args = in;
	const struct nnb_aidl_burst_release_memory_resource_in core_in = {args->slot};
	struct nnb_aidl_call core = nnb_hidl_core_call(call);

	nnb_hidl_log(call, &core,
		     nnb_burst_handlers[NNB_AIDL_BURST_RELEASE_MEMORY_RESOURCE - 1](
			     ((struct nnb_hidl_burst *)object)->core, &core, &core_in, NULL));
	return 0;
}

static int nnb_hidl_context_answer(struct nnb_object *object, const struct nnb_caller *caller,
				   const char *descriptor, uint32_t code, struct nnb_hw *in,
				   struct nnb_arena *arena, struct nnb_hw *out)
{
	static const nnb_hidl_handler list[] = {nnb_hidl_on_free_memory};
	static const struct nnb_hidl_handlers handlers[] = {{&nnb_hidl_1_2_burst_context, list}};

	return nnb_hidl_answer(object, handlers, caller, descriptor, code, in, arena, out);
}

static void nnb_hidl_burst_release(struct nnb_object *object)
{
	struct nnb_hidl_burst *burst = (struct nnb_hidl_burst *)object;
	bool ended;

	atomic_store(&burst->stop, true);
	nnb_fmq_wake(&burst->requests, NNB_FMQ_NOT_EMPTY);
	nnb_fmq_wake(&burst->results, NNB_FMQ_NOT_FULL);
	pthread_mutex_lock(&burst->lock);
	while (!burst->held && !burst->ended)
		pthread_cond_wait(&burst->changed, &burst->lock);
	ended = burst->ended;
	burst->left = !ended;
	pthread_mutex_unlock(&burst->lock);
	if (ended)
		nnb_hidl_burst_free(burst);
}

/* Opens a queue whose file cannot shrink, or can be kept from it. Return: 0 or an ErrorStatus. */
static int nnb_hidl_burst_open(struct nnb_hidl_burst *burst, struct nnb_aidl_call *core,
			       const struct nnb_hidl_queue *from, size_t quantum, bool reads,
			       struct nnb_fmq *queue)
{
	const int fd = nnb_fmq_fd(from);
	struct nnb_quota amount = {0};
	struct stat st;
	int seals, ret;

	if (fd < 0 || nnb_file_stat(fd, &st))
		return nnb_aidl_fail(core, INVALID, "a queue has no file of its own");
	seals = fcntl(fd, F_GET_SEALS);
	if (seals >= 0 && !(seals & F_SEAL_SHRINK) && !fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK)) {
		/* It may have shrunk before. */
		if (nnb_file_stat(fd, &st))
			return nnb_aidl_fail(core, INVALID, "cannot use the file of a queue");
		seals = fcntl(fd, F_GET_SEALS);
	}
	if (!nnb_backing_is_fixed(fd, seals, &st, false))
		return nnb_aidl_fail(core, INVALID, "the file of a queue can be truncated");
	/* What is mapped, and a copy of the ring, which is no larger. */
	amount.bytes = 2 * (uint64_t)st.st_size;
	ret = nnb_quota_charge(burst->model->client, &amount);
	if (ret)
		return nnb_aidl_fail(core, nnb_status(ret),
				     "a queue of %lld bytes exceeds what the client's user may have",
				     (long long)st.st_size);
	burst->charged.bytes += amount.bytes;
	ret = nnb_fmq_open(from, (size_t)st.st_size, quantum, reads, queue);
	return ret ? nnb_aidl_fail(core, INVALID, "a queue cannot be opened: %s", strerror(-ret))
		   : 0;
}

int nnb_hidl_burst_create(struct nnb_prepared_model *model, struct nnb_hidl_call *call,
			  struct nnb_aidl_call *core,
			  const struct nnb_hidl_1_2_prepared_model_configure_execution_burst_in *in,
			  struct nnb_object **out)
{
	static const char *const chain[] = {
		"android.hardware.neuralnetworks@1.2::IBurstContext",
		NULL,
	};
	static const struct nnb_object_ops ops = {
		.descriptor = "android.hardware.neuralnetworks@1.2::IBurstContext",
		.chain = chain,
		.release = nnb_hidl_burst_release,
		.answer = nnb_hidl_context_answer,
	};
	struct nnb_hidl_burst *burst;
	int ret;

	if (!in->callback)
		return nnb_aidl_fail(core, INVALID, "the callback is null");
	burst = calloc(1, sizeof(*burst));
	if (!burst)
		return nnb_aidl_fail(core, EXHAUSTED, "out of memory");
	nnb_object_init(&burst->object, &ops);
	pthread_mutex_init(&burst->lock, NULL);
	pthread_cond_init(&burst->changed, NULL);
	burst->model = model;
	nnb_object_ref(&model->object);
	burst->callback = nnb_object_ref(in->callback);
	burst->caller = *call->caller;
	burst->charged.objects = NNB_HIDL_BURST_OBJECTS;
	ret = nnb_quota_charge(model->client, &burst->charged);
	if (ret) {
		burst->charged.objects = 0;
		ret = nnb_aidl_fail(core, nnb_status(ret), "the client's user has too many bursts");
	}
	if (!ret)
		ret = nnb_hidl_burst_open(burst, core, in->request_channel, sizeof(*burst->packet),
					  true, &burst->requests);
	if (!ret)
		ret = nnb_hidl_burst_open(burst, core, in->result_channel, sizeof(*burst->answer),
					  false, &burst->results);
	/* An answer without shapes has to fit. */
	if (!ret && burst->results.bytes < 2 * sizeof(*burst->answer))
		ret = nnb_aidl_fail(core, INVALID, "the queue of results is too short");
	if (!ret) {
		burst->packet = malloc(burst->requests.bytes);
		burst->answer = malloc(burst->results.bytes);
		ret = burst->packet && burst->answer ? nnb_burst_create(model, &burst->core)
						     : -ENOMEM;
		if (!ret)
			ret = nna_thread_start(NULL, NULL, nnb_hidl_burst_run, burst);
		if (ret)
			ret = nnb_aidl_fail(core, nnb_status(ret), "cannot start a burst: %s",
					    strerror(-ret));
	}
	if (ret) {
		nnb_hidl_burst_free(burst);
		return ret;
	}
	nnb_client_watch(model->client, in->callback);
	*out = &burst->object;
	return 0;
}
