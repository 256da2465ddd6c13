// SPDX-License-Identifier: MIT
/* IPreparedModel 1.0 to 1.3, IFencedExecutionCallback and IBuffer (face.h). */
#include "hal-bridge/service/hidl/face.h"

#include <errno.h>
#include <stdlib.h>

#include "hal-bridge/service/buffer.h"
#include "hal-bridge/service/fenced.h"
#include "hal-bridge/service/run.h"
#include "hal-bridge/service/status.h"
#include "libnnaccel/support/message.h"

#define INVALID NNB_AIDL_ERROR_STATUS_INVALID_ARGUMENT
#define INSUFFICIENT NNB_AIDL_ERROR_STATUS_OUTPUT_INSUFFICIENT_SIZE

static struct nnb_prepared_model *nnb_hidl_core_model(struct nnb_object *object)
{
	return (struct nnb_prepared_model *)nnb_hidl_face_core(object);
}

/**
 * struct nnb_hidl_request - a request of any version, and how it is to be run
 * @version: of the call
 * @request: of the version; those of 1.1 and 1.2 are of 1.0
 * @measure: MeasureTiming
 * @deadline: in ns of AIDL's clock, -1 for none
 * @loop_timeout: in ns, -1 for the default
 */
struct nnb_hidl_request {
	enum nnb_hidl_version version;
	const void *request;
	int32_t measure;
	int64_t deadline, loop_timeout;
};

/* Translates the request, and binds it. nnb_run_fini() must follow, whatever is returned. */
static int nnb_hidl_bind(struct nnb_prepared_model *model, struct nnb_aidl_call *core,
			 const struct nnb_hidl_request *from, bool brief, struct nnb_run *run)
{
	const struct nnb_run_options options = {
		.measure = from->measure == NNB_HIDL_1_2_MEASURE_TIMING_YES,
		.loop_timeout_ns = from->loop_timeout,
		.brief = brief,
	};
	struct nnb_aidl_request request;
	int ret = from->version < NNB_HIDL_1_3
			  ? nnb_hidl_to_request(core, from->request, &request)
			  : nnb_hidl_to_request_1_3(core, from->request, &request);

	if (!ret && (from->measure < 0 || from->measure > NNB_HIDL_1_2_MEASURE_TIMING_YES))
		ret = nnb_aidl_fail(core, INVALID, "there is no way %d to measure", from->measure);
	if (!ret)
		return nnb_run_init(run, model, core, &request, NULL, &options);
	*run = (struct nnb_run){.model = model};
	nnb_object_ref(&model->object);
	return ret;
}

/* Runs a bound request. Return: an ErrorStatus, OUTPUT_INSUFFICIENT_SIZE too. */
static int nnb_hidl_run(struct nnb_run *run, struct nnb_aidl_call *core, int64_t deadline,
			struct nnb_hidl_shapes *shapes, struct nnb_hidl_1_2_timing *timing)
{
	struct nnb_aidl_execution_result result = {0};
	int ret = nnb_run_execute(run, core, deadline, &result);

	if (ret)
		return ret;
	*timing = nnb_hidl_of_timing(&result.timing);
	if (nnb_hidl_of_shapes(core->arena, &result, shapes))
		return NNB_AIDL_ERROR_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
	return result.output_sufficient_size ? 0 : INSUFFICIENT;
}

/* --------------------------------------------------------------------------------- synchronous */

/* The results are alike in 1.2 and 1.3. */
static int nnb_hidl_execute_now(struct nnb_object *object, struct nnb_hidl_call *call,
				const struct nnb_hidl_request *request, void *out)
{
	struct nnb_hidl_1_3_prepared_model_execute_synchronously_1_3_out *results = out;
	struct nnb_hidl_shapes *shapes = nnb_arena_alloc(call->arena, 1, sizeof(*shapes));
	struct nnb_hidl_1_2_timing *timing = nnb_arena_alloc(call->arena, 1, sizeof(*timing));
	struct nnb_aidl_call core = nnb_hidl_core_call(call);
	struct nnb_run run;
	int ret;

	if (!shapes || !timing)
		return -ENOMEM;
	*timing = nnb_hidl_no_timing;
	ret = nnb_hidl_bind(nnb_hidl_core_model(object), &core, request, true, &run);
	if (!ret)
		ret = nnb_hidl_run(&run, &core, request->deadline, shapes, timing);
	nnb_run_fini(&run);
	if (ret != INSUFFICIENT)
		nnb_hidl_log(call, &core, ret);
	results->status = nnb_hidl_status(request->version, ret);
	results->output_shapes = (const struct nnb_hidl_vec *)shapes;
	results->timing = timing;
	return 0;
}

static int nnb_hidl_on_execute_now(struct nnb_object *object, struct nnb_hidl_call *call,
				   const void *in, void *out)
{
	const struct nnb_hidl_1_2_prepared_model_execute_synchronously_in *args = in;
	const struct nnb_hidl_request request = {
		.version = NNB_HIDL_1_2,
		.request = args->request,
		.measure = args->measure,
		.deadline = -1,
		.loop_timeout = -1,
	};

	return nnb_hidl_execute_now(object, call, &request, out);
}

static int nnb_hidl_on_execute_now_1_3(struct nnb_object *object, struct nnb_hidl_call *call,
				       const void *in, void *out)
{
	const struct nnb_hidl_1_3_prepared_model_execute_synchronously_1_3_in *args = in;
	const struct nnb_hidl_request request = {
		.version = NNB_HIDL_1_3,
		.request = args->request,
		.measure = args->measure,
		.deadline = nnb_hidl_to_deadline(args->deadline),
		.loop_timeout = nnb_hidl_to_duration(args->loop_timeout_duration),
	};

	return nnb_hidl_execute_now(object, call, &request, out);
}

/* --------------------------------------------------------------------------------- asynchronous */

/**
 * struct nnb_hidl_execution - a run that a callback ends
 * @task: of the service's workers
 * @caller: of the client
 * @version: of the callback
 * @callback: of the client, a reference
 * @deadline: in ns of AIDL's clock, -1 for none
 * @charged: the charge of the client's user, while it waits and runs
 * @run: bound
 */
struct nnb_hidl_execution {
	struct nnb_task task;
	struct nnb_caller caller;
	enum nnb_hidl_version version;
	struct nnb_object *callback;
	int64_t deadline;
	struct nnb_quota charged;
	struct nnb_run run;
};

/* Tells the callback how an execution has ended. */
static void nnb_hidl_tell(struct nnb_object *callback, const struct nnb_caller *caller,
			  struct nnb_arena *arena, enum nnb_hidl_version version, int status,
			  const struct nnb_hidl_shapes *shapes,
			  const struct nnb_hidl_1_2_timing *timing)
{
	const struct nnb_hidl_1_3_execution_callback_notify_1_3_in in = {
		.status = nnb_hidl_status(version, status),
		.output_shapes = (const struct nnb_hidl_vec *)shapes,
		.timing = timing,
	};
	const struct nnb_hidl_1_0_execution_callback_notify_in first = {in.status};
	const struct nnb_hidl_method *method =
		version == NNB_HIDL_1_3 ? &nnb_hidl_1_3_execution_callback.methods[0]
					: &nnb_hidl_1_2_execution_callback.methods[0];
	int ret = version < NNB_HIDL_1_2
			  ? nnb_hidl_call(callback, caller,
					  &nnb_hidl_1_0_execution_callback.methods[0], &first,
					  arena, NULL)
			  : nnb_hidl_call(callback, caller, method, &in, arena, NULL);

	if (ret)
		nna_message(DRIVER, "hal: a callback for an execution failed with status %d", ret);
}

static void nnb_hidl_execution_free(struct nnb_hidl_execution *self)
{
	struct nnb_client *client = nnb_client_ref(self->run.model->client);

	nnb_run_fini(&self->run);
	nnb_quota_discharge(client, &self->charged);
	nnb_client_put(client);
	nnb_object_unref(self->callback);
	free(self);
}

static void nnb_hidl_execution_run(struct nnb_task *task)
{
	struct nnb_hidl_execution *self = (struct nnb_hidl_execution *)task;
	struct nnb_hidl_1_2_timing timing = nnb_hidl_no_timing;
	struct nnb_hidl_shapes shapes = {0};
	struct nnb_arena arena = {0};
	struct nnb_aidl_call core = {.caller = &self->caller, .arena = &arena};
	int ret = nnb_hidl_run(&self->run, &core, self->deadline, &shapes, &timing);

	if (ret && ret != INSUFFICIENT)
		nna_message(DRIVER, "hal: an execution of uid %u, pid %d: status %d: %s",
			    (unsigned int)self->caller.euid, (int)self->caller.pid, ret,
			    core.message);
	nnb_hidl_tell(self->callback, &self->caller, &arena, self->version, ret, &shapes, &timing);
	nnb_arena_fini(&arena);
	nnb_hidl_execution_free(self);
}

/* Binds and queues an execution. Return: 0 or an ErrorStatus. */
static int nnb_hidl_enqueue(struct nnb_prepared_model *model, struct nnb_aidl_call *core,
			    const struct nnb_hidl_request *request, uint32_t pools,
			    struct nnb_object *callback)
{
	struct nnb_hidl_execution *self = calloc(1, sizeof(*self));
	int ret;

	if (!self)
		return nnb_status(-ENOMEM);
	self->charged.objects = 1 + (uint64_t)pools;
	ret = nnb_quota_charge(model->client, &self->charged);
	if (ret) {
		free(self);
		return nnb_aidl_fail(core, nnb_status(ret),
				     "the client's user has too many objects");
	}
	nnb_client_watch(model->client, callback);
	self->task.run = nnb_hidl_execution_run;
	self->task.key = core->caller->euid;
	self->caller = *core->caller;
	self->version = request->version;
	self->callback = nnb_object_ref(callback);
	self->deadline = request->deadline;
	ret = nnb_hidl_bind(model, core, request, false, &self->run);
	if (ret)
		nnb_hidl_execution_free(self);
	else
		nnb_workers_add(&model->client->service->workers, &self->task);
	return ret;
}

/* The result of all versions is a status. */
static int nnb_hidl_execute(struct nnb_object *object, struct nnb_hidl_call *call,
			    const struct nnb_hidl_request *request, uint32_t pools,
			    struct nnb_object *callback, void *out)
{
	static const struct nnb_hidl_shapes none;
	struct nnb_hidl_1_3_prepared_model_execute_1_3_out *results = out;
	struct nnb_aidl_call core = nnb_hidl_core_call(call);
	int ret;

	if (!callback)
		ret = nnb_aidl_fail(&core, INVALID, "the callback is null");
	else
		ret = nnb_hidl_enqueue(nnb_hidl_core_model(object), &core, request, pools,
				       callback);
	nnb_hidl_log(call, &core, ret);
	if (ret && callback)
		nnb_hidl_tell(callback, call->caller, call->arena, request->version, ret, &none,
			      &nnb_hidl_no_timing);
	results->status = nnb_hidl_status(request->version, ret);
	return 0;
}

static int nnb_hidl_on_execute(struct nnb_object *object, struct nnb_hidl_call *call,
			       const void *in, void *out)
{
	const struct nnb_hidl_1_0_prepared_model_execute_in *args = in;
	const struct nnb_hidl_request request = {
		.version = NNB_HIDL_1_0,
		.request = args->request,
		.deadline = -1,
		.loop_timeout = -1,
	};

	return nnb_hidl_execute(object, call, &request, args->request->pools.count, args->callback,
				out);
}

static int nnb_hidl_on_execute_1_2(struct nnb_object *object, struct nnb_hidl_call *call,
				   const void *in, void *out)
{
	const struct nnb_hidl_1_2_prepared_model_execute_1_2_in *args = in;
	const struct nnb_hidl_request request = {
		.version = NNB_HIDL_1_2,
		.request = args->request,
		.measure = args->measure,
		.deadline = -1,
		.loop_timeout = -1,
	};

	return nnb_hidl_execute(object, call, &request, args->request->pools.count, args->callback,
				out);
}

static int nnb_hidl_on_execute_1_3(struct nnb_object *object, struct nnb_hidl_call *call,
				   const void *in, void *out)
{
	const struct nnb_hidl_1_3_prepared_model_execute_1_3_in *args = in;
	const struct nnb_hidl_request request = {
		.version = NNB_HIDL_1_3,
		.request = args->request,
		.measure = args->measure,
		.deadline = nnb_hidl_to_deadline(args->deadline),
		.loop_timeout = nnb_hidl_to_duration(args->loop_timeout_duration),
	};

	return nnb_hidl_execute(object, call, &request, args->request->pools.count, args->callback,
				out);
}

/* --------------------------------------------------------------------------------------- fenced */

static int nnb_hidl_on_info(struct nnb_object *object, struct nnb_hidl_call *call, const void *in,
			    void *out)
{
	struct nnb_hidl_1_3_fenced_execution_callback_get_execution_info_out *results = out;
	struct nnb_aidl_fenced_execution_callback_get_execution_info_out from = {0};
	struct nnb_hidl_1_2_timing *timings = nnb_arena_alloc(call->arena, 2, sizeof(*timings));
	struct nnb_aidl_call core = nnb_hidl_core_call(call);
	int ret;

	if (!timings)
		return -ENOMEM;
	timings[0] = nnb_hidl_no_timing;
	timings[1] = nnb_hidl_no_timing;
	ret = nnb_fenced_handlers[0](nnb_hidl_face_core(object), &core, NULL, &from);
	results->status = nnb_hidl_log(call, &core, ret);
	if (!ret) {
		results->status = from.result;
		timings[0] = nnb_hidl_of_timing(&from.timing_launched);
		timings[1] = nnb_hidl_of_timing(&from.timing_fenced);
	}
	results->timing_launched = &timings[0];
	results->timing_fenced = &timings[1];
	return 0;
}

static int nnb_hidl_fenced_answer(struct nnb_object *object, const struct nnb_caller *caller,
				  const char *descriptor, uint32_t code, struct nnb_hw *in,
				  struct nnb_arena *arena, struct nnb_hw *out)
{
	static const nnb_hidl_handler list[] = {nnb_hidl_on_info};
	static const struct nnb_hidl_handlers handlers[] = {
		{&nnb_hidl_1_3_fenced_execution_callback, list},
	};

	return nnb_hidl_answer(object, handlers, caller, descriptor, code, in, arena, out);
}

/* The object of the core is the arena's, so the face takes a reference. */
static struct nnb_object *nnb_hidl_fenced_create(struct nnb_object *core)
{
	static const char *const chain[] = {
		"android.hardware.neuralnetworks@1.3::IFencedExecutionCallback",
		NULL,
	};
	static const struct nnb_object_ops ops = {
		.descriptor = "android.hardware.neuralnetworks@1.3::IFencedExecutionCallback",
		.chain = chain,
		.release = nnb_hidl_face_release,
		.answer = nnb_hidl_fenced_answer,
	};

	return nnb_hidl_face_create(&ops, nnb_object_ref(core));
}

/* Return: 0 or an ErrorStatus. */
static int nnb_hidl_fence(struct nnb_object *object, struct nnb_aidl_call *core,
			  const struct nnb_hidl_1_3_prepared_model_execute_fenced_in *args,
			  struct nnb_aidl_fenced_execution_result *result)
{
	const struct nnb_run_options options = {
		.measure = args->measure == NNB_HIDL_1_2_MEASURE_TIMING_YES,
		.loop_timeout_ns = nnb_hidl_to_duration(args->loop_timeout_duration),
	};
	struct nnb_aidl_request request;
	struct nnb_fds wait_for;
	int ret = nnb_hidl_to_fds(core, "fence", args->wait_for, &wait_for);

	if (ret)
		return ret;
	ret = nnb_hidl_to_request_1_3(core, args->request, &request);
	return ret ? ret
		   : nnb_fenced_execute(nnb_hidl_core_model(object), core, &request, &options,
					&wait_for, nnb_hidl_to_deadline(args->deadline),
					nnb_hidl_to_duration(args->duration), result);
}

static int nnb_hidl_on_execute_fenced(struct nnb_object *object, struct nnb_hidl_call *call,
				      const void *in, void *out)
{
	struct nnb_hidl_1_3_prepared_model_execute_fenced_out *results = out;
	struct nnb_aidl_fenced_execution_result result = {.sync_fence = -1};
	struct nnb_aidl_call core = nnb_hidl_core_call(call);

	results->status = nnb_hidl_log(call, &core, nnb_hidl_fence(object, &core, in, &result));
	if (results->status)
		return 0;
	results->callback = nnb_hidl_fenced_create(result.callback);
	if (!results->callback)
		return -ENOMEM;
	if (result.sync_fence >= 0) {
		results->sync_fence = nnb_hidl_of_fd(call->arena, result.sync_fence);
		if (!results->sync_fence) {
			nnb_object_unref(results->callback);
			return -ENOMEM;
		}
	}
	return nnb_arena_own_object(call->arena, results->callback);
}

/* ---------------------------------------------------------------------------------------- model */

static int nnb_hidl_on_burst(struct nnb_object *object, struct nnb_hidl_call *call, const void *in,
			     void *out)
{
	struct nnb_hidl_1_2_prepared_model_configure_execution_burst_out *results = out;
	struct nnb_aidl_call core = nnb_hidl_core_call(call);
	int ret = nnb_hidl_burst_create(nnb_hidl_core_model(object), call, &core, in,
					&results->context);

	results->status = nnb_hidl_status(NNB_HIDL_1_2, nnb_hidl_log(call, &core, ret));
	return ret ? 0 : nnb_arena_own_object(call->arena, results->context);
}

static const nnb_hidl_handler nnb_hidl_1_0_model_list[] = {nnb_hidl_on_execute};

static const nnb_hidl_handler nnb_hidl_1_2_model_list[] = {
	nnb_hidl_on_execute_1_2,
	nnb_hidl_on_execute_now,
	nnb_hidl_on_burst,
};

static const nnb_hidl_handler nnb_hidl_1_3_model_list[] = {
	nnb_hidl_on_execute_1_3,
	nnb_hidl_on_execute_now_1_3,
	nnb_hidl_on_execute_fenced,
};

static int nnb_hidl_model_answer(struct nnb_object *object, const struct nnb_caller *caller,
				 const char *descriptor, uint32_t code, struct nnb_hw *in,
				 struct nnb_arena *arena, struct nnb_hw *out)
{
	static const struct nnb_hidl_handlers handlers[] = {
		{&nnb_hidl_1_3_prepared_model, nnb_hidl_1_3_model_list},
		{&nnb_hidl_1_2_prepared_model, nnb_hidl_1_2_model_list},
		{&nnb_hidl_1_0_prepared_model, nnb_hidl_1_0_model_list},
	};

	return nnb_hidl_answer(object, handlers, caller, descriptor, code, in, arena, out);
}

static const char *const nnb_hidl_model_chain[] = {
	"android.hardware.neuralnetworks@1.3::IPreparedModel",
	"android.hardware.neuralnetworks@1.2::IPreparedModel",
	"android.hardware.neuralnetworks@1.0::IPreparedModel",
	NULL,
};

static const struct nnb_object_ops nnb_hidl_model_ops = {
	.descriptor = "android.hardware.neuralnetworks@1.3::IPreparedModel",
	.chain = nnb_hidl_model_chain,
	.release = nnb_hidl_face_release,
	.answer = nnb_hidl_model_answer,
};

struct nnb_object *nnb_hidl_model_create(struct nnb_prepared_model *model)
{
	return nnb_hidl_face_create(&nnb_hidl_model_ops, nnb_object_ref(&model->object));
}

struct nnb_prepared_model *nnb_hidl_model_of(struct nnb_object *object)
{
	return object && object->ops == &nnb_hidl_model_ops ? nnb_hidl_core_model(object) : NULL;
}

/* --------------------------------------------------------------------------------------- buffer */

static int nnb_hidl_on_copy_to(struct nnb_object *object, struct nnb_hidl_call *call,
			       const void *in, void *out)
{
	const struct nnb_hidl_1_3_buffer_copy_to_in *args = in;
	struct nnb_hidl_1_3_buffer_copy_to_out *results = out;
	struct nnb_aidl_call core = nnb_hidl_core_call(call);
	struct nnb_aidl_buffer_copy_to_in core_in;
	int ret = nnb_hidl_to_memory(&core, args->dst, &core_in.dst);

	if (!ret)
		ret = nnb_buffer_handlers[NNB_AIDL_BUFFER_COPY_TO - 1](nnb_hidl_face_core(object),
								       &core, &core_in, NULL);
	results->status = nnb_hidl_log(call, &core, ret);
	return 0;
}

static int nnb_hidl_on_copy_from(struct nnb_object *object, struct nnb_hidl_call *call,
				 const void *in, void *out)
{
	const struct nnb_hidl_1_3_buffer_copy_from_in *args = in;
	struct nnb_hidl_1_3_buffer_copy_from_out *results = out;
	struct nnb_aidl_call core = nnb_hidl_core_call(call);
	struct nnb_aidl_buffer_copy_from_in core_in = {
		.dimensions = {args->dimensions->count, args->dimensions->data},
	};
	int ret = nnb_hidl_to_memory(&core, args->src, &core_in.src);

	if (!ret)
		ret = nnb_buffer_handlers[NNB_AIDL_BUFFER_COPY_FROM - 1](nnb_hidl_face_core(object),
									 &core, &core_in, NULL);
	results->status = nnb_hidl_log(call, &core, ret);
	return 0;
}

static int nnb_hidl_buffer_answer(struct nnb_object *object, const struct nnb_caller *caller,
				  const char *descriptor, uint32_t code, struct nnb_hw *in,
				  struct nnb_arena *arena, struct nnb_hw *out)
{
	static const nnb_hidl_handler list[] = {nnb_hidl_on_copy_to, nnb_hidl_on_copy_from};
	static const struct nnb_hidl_handlers handlers[] = {{&nnb_hidl_1_3_buffer, list}};

	return nnb_hidl_answer(object, handlers, caller, descriptor, code, in, arena, out);
}

struct nnb_object *nnb_hidl_buffer_create(struct nnb_object *core)
{
	static const char *const chain[] = {
		"android.hardware.neuralnetworks@1.3::IBuffer",
		NULL,
	};
	static const struct nnb_object_ops ops = {
		.descriptor = "android.hardware.neuralnetworks@1.3::IBuffer",
		.chain = chain,
		.release = nnb_hidl_face_release,
		.answer = nnb_hidl_buffer_answer,
	};

	return nnb_hidl_face_create(&ops, core);
}
