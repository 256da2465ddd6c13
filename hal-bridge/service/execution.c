// SPDX-License-Identifier: MIT
/* IExecution (execution.h). */
#include "hal-bridge/service/execution.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "hal-bridge/service/fenced.h"
#include "hal-bridge/service/status.h"

/**
 * struct nnb_execution - a bound request
 * @object: IExecution
 * @charged: the charge of its client's user for the execution and its memories
 * @lock: of @run: a second call waits for the first
 * @run: the request
 */
struct nnb_execution {
	struct nnb_object object;
	struct nnb_quota charged;
	pthread_mutex_t lock;
	struct nnb_run run;
};

static void nnb_execution_release(struct nnb_object *object)
{
	struct nnb_execution *execution = (struct nnb_execution *)object;

	nnb_quota_discharge(execution->run.model->client, &execution->charged);
	nnb_run_fini(&execution->run);
	pthread_mutex_destroy(&execution->lock);
	free(execution);
}

static int nnb_on_execute(struct nnb_object *object, struct nnb_aidl_call *call, const void *in,
			  void *out)
{
	const struct nnb_aidl_execution_execute_synchronously_in *args = in;
	struct nnb_aidl_execution_execute_synchronously_out *results = out;
	struct nnb_execution *execution = (struct nnb_execution *)object;
	int ret;

	pthread_mutex_lock(&execution->lock);
	ret = nnb_run_execute(&execution->run, call, args->deadline_ns, &results->result);
	pthread_mutex_unlock(&execution->lock);
	return ret;
}

static int nnb_on_execute_fenced(struct nnb_object *object, struct nnb_aidl_call *call,
				 const void *in, void *out)
{
	const struct nnb_aidl_execution_execute_fenced_in *args = in;
	struct nnb_aidl_execution_execute_fenced_out *results = out;
	struct nnb_execution *execution = (struct nnb_execution *)object;
	int ret;

	pthread_mutex_lock(&execution->lock);
	ret = nnb_fenced_execute_run(&execution->run, call, &args->wait_for, args->deadline_ns,
				     args->duration_ns, &results->result);
	pthread_mutex_unlock(&execution->lock);
	return ret;
}

static int nnb_execution_transact(struct nnb_object *object, const struct nnb_caller *caller,
				  uint32_t code, struct nnb_reader *in, struct nnb_arena *arena,
				  struct nnb_writer *out)
{
	static const nnb_aidl_handler handlers[] = {nnb_on_execute, nnb_on_execute_fenced};
	struct nnb_execution *execution = (struct nnb_execution *)object;

	return nnb_aidl_answer(object, &nnb_aidl_execution,
			       execution->run.model->client->service->options.version, handlers,
			       caller, code, in, arena, out);
}

static const struct nnb_object_ops nnb_execution_ops = {
	.descriptor = "android.hardware.neuralnetworks.IExecution",
	.release = nnb_execution_release,
	.transact = nnb_execution_transact,
};

int nnb_execution_create(struct nnb_prepared_model *model, struct nnb_aidl_call *call,
			 const struct nnb_aidl_request *request,
			 const struct nnb_run_options *options, struct nnb_object **out)
{
	struct nnb_execution *execution = calloc(1, sizeof(*execution));
	int ret;

	if (!execution)
		return nnb_status(-ENOMEM);
	execution->charged.objects = 1 + (uint64_t)request->pools.count;
	ret = nnb_quota_charge(model->client, &execution->charged);
	if (ret) {
		free(execution);
		return nnb_aidl_fail(call, nnb_status(ret),
				     "the client's user has too many objects");
	}
	nnb_object_init(&execution->object, &nnb_execution_ops);
	pthread_mutex_init(&execution->lock, NULL);
	ret = nnb_run_init(&execution->run, model, call, request, NULL, options);
	if (ret)
		nnb_object_unref(&execution->object);
	else
		*out = &execution->object;
	return ret;
}
