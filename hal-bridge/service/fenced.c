// SPDX-License-Identifier: MIT
/* Fenced executions (fenced.h). */
#include "hal-bridge/service/fenced.h"

#include <errno.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "hal-bridge/service/status.h"
#include "libnnaccel/support/clock.h"
#include "libnnaccel/support/message.h"
#include "libnnaccel/support/thread.h"
#include "libnnaccel/support/trace.h"

#define INVALID NNB_AIDL_ERROR_STATUS_INVALID_ARGUMENT

static const struct nnb_quota nnb_one_job = {.jobs = 1};
static const struct nnb_quota nnb_one_object = {.objects = 1};

/**
 * struct nnb_fenced - a fenced execution and its result: IFencedExecutionCallback
 * @object: the callback's
 * @client: its owner, a reference
 * @lock: guards the fields below
 * @run: the run, while it may be under way; its jobs are charged for that time
 * @running: @run and @fence are set
 * @fence: the end of the run
 * @status: ErrorStatus of a run that has ended
 * @launched: durations from the call, once it has ended
 * @fenced: durations from the last fence's signal, once it has ended
 * @start_ns: CLOCK_MONOTONIC at the call
 */
struct nnb_fenced {
	struct nnb_object object;
	struct nnb_client *client;
	pthread_mutex_t lock;
	struct nnb_run run;
	bool running;
	struct nna_fence *fence;
	int status;
	struct nnb_aidl_timing launched, fenced;
	uint64_t start_ns;
};

/* --------------------------------------------------------------------------------------- fences */

/* Waits for a fence. Return: 0, -ETIME (not yet), -ECANCELED (it has failed). */
static int nnb_fence_wait(int fd, int timeout_ms)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
	struct sync_file_info info = {0};
	int ret;

	do {
		ret = poll(&poll_fd, 1, timeout_ms);
	} while (ret < 0 && (errno == EINTR || errno == EAGAIN));
	if (!ret)
		return -ETIME;
	if (ret < 0 || poll_fd.revents & POLLNVAL)
		return -ECANCELED;
	/* The loopback accepts any file that polls readable, whose only error is a hang-up. */
	if (ioctl(fd, SYNC_IOC_FILE_INFO, &info))
		return poll_fd.revents & POLLIN ? 0 : -ECANCELED;
	return info.status < 0 ? -ECANCELED : 0;
}

/* Checks fences: one that has already failed, or is no sync_file, is a bad argument. */
static int nnb_fences_check(const struct nnb_client *client, struct nnb_aidl_call *call,
			    const struct nnb_fds *fds)
{
	struct sync_file_info info;
	struct nna_device_info device;

	nna_device_get_info(client->device, &device);
	for (uint32_t i = 0; i < fds->count; i++) {
		info = (struct sync_file_info){0};
		/* poll() and ioctl() would ask a file system, which may not answer. */
		if (nnb_file_has_file_system(fds->data[i]) ||
		    nnb_fence_wait(fds->data[i], 0) == -ECANCELED ||
		    (!device.loopback && ioctl(fds->data[i], SYNC_IOC_FILE_INFO, &info)))
			return nnb_aidl_fail(call, INVALID,
					     "fence %u is no sync_file, or has failed", i);
	}
	return 0;
}

/*
 * Waits for all fences until @deadline, in CLOCK_MONOTONIC ns, 0 for none, and for a bounded time
 * without one. Checks once a second whether the client is dead. Return: 0, -ETIMEDOUT at the
 * deadline, -EAGAIN at the bound, -ECANCELED if a fence has failed or the client is dead.
 */
static int nnb_fences_wait(const struct nnb_client *client, const struct nnb_fds *fds,
			   uint64_t deadline)
{
	const uint64_t most = client->service->options.fence_ns
				      ? client->service->options.fence_ns
				      : NNB_FENCE_NS;
	const uint64_t bound = nna_now_ns() + most;
	const bool early = deadline && deadline < bound;
	int ret = 0;

	for (uint32_t i = 0; i < fds->count && !ret; i++) {
		do {
			uint64_t now = nna_now_ns(), end = early ? deadline : bound;
			uint64_t left = end > now ? end - now : 0;
			int ms = left > UINT64_C(1000000000) ? 1000 : (int)(left / 1000000) + 1;

			if (atomic_load(&client->dead))
				return -ECANCELED;
			if (!left && early)
				return -ETIMEDOUT;
			if (!left) {
				nna_message(DRIVER, "hal: fence %u of an execution that is not the "
					    "device's to wait for has not signalled for %llu ms",
					    i, (unsigned long long)(most / 1000000));
				return -EAGAIN;
			}
			ret = nnb_fence_wait(fds->data[i], ms);
		} while (ret == -ETIME);
	}
	return ret;
}

/* ------------------------------------------------------------------------------------- callback */

/* Ends a run with @error and records its status and durations. */
static void nnb_fenced_finish(struct nnb_fenced *self, struct nnb_run *run, int error)
{
	struct nna_timing timing;
	int ret = nnb_run_end(run, error);

	self->status = ret ? nnb_run_status(run, ret) : 0;
	self->launched = (struct nnb_aidl_timing){-1, -1};
	self->fenced = (struct nnb_aidl_timing){-1, -1};
	if (ret || !run->options.measure || nna_execution_get_timing(run->execution, &timing))
		return;
	/* Not all devices say when a run was on them. */
	if (!timing.begin)
		return;
	self->launched.time_on_device_ns = (int64_t)timing.run;
	self->fenced.time_on_device_ns = (int64_t)timing.run;
	if (timing.end > self->start_ns)
		self->launched.time_in_driver_ns = (int64_t)(timing.end - self->start_ns);
	self->fenced.time_in_driver_ns = (int64_t)(timing.end - timing.begin);
}

/* Releases a run that has ended. Called with the lock, or by the last reference. */
static void nnb_fenced_drop_run(struct nnb_fenced *self)
{
	nna_fence_destroy(self->fence);
	self->fence = NULL;
	nnb_run_fini(&self->run);
	nnb_quota_discharge(self->client, &nnb_one_job);
	self->running = false;
}

static void nnb_fenced_free(struct nnb_fenced *self)
{
	nnb_quota_discharge(self->client, &nnb_one_object);
	nnb_client_put(self->client);
	pthread_mutex_destroy(&self->lock);
	free(self);
}

/* The result is not needed any more, but the run still uses its memory. */
static void *nnb_fenced_wait_and_free(void *arg)
{
	struct nnb_fenced *self = arg;

	nnb_run_end(&self->run, nna_fence_wait(self->fence, -1));
	nnb_fenced_drop_run(self);
	nnb_fenced_free(self);
	return NULL;
}

static void nnb_fenced_release(struct nnb_object *object)
{
	struct nnb_fenced *self = (struct nnb_fenced *)object;

	if (!self->running) {
		nnb_fenced_free(self);
		return;
	}
	/* Do not block here: the in-fences may be another process's and never signal. */
	if (nna_thread_start(NULL, NULL, nnb_fenced_wait_and_free, self))
		nnb_fenced_wait_and_free(self);
}

static int nnb_on_get_info(struct nnb_object *object, struct nnb_aidl_call *call, const void *in,
			   void *out)
{
	struct nnb_aidl_fenced_execution_callback_get_execution_info_out *results = out;
	struct nnb_fenced *self = (struct nnb_fenced *)object;
	int ret;

	results->timing_launched = (struct nnb_aidl_timing){-1, -1};
	results->timing_fenced = (struct nnb_aidl_timing){-1, -1};
	pthread_mutex_lock(&self->lock);
	if (self->running) {
		ret = nna_fence_wait(self->fence, 0);
		if (ret == -ETIME) {
			/* The HAL allows this call only after the fence has signalled. */
			pthread_mutex_unlock(&self->lock);
			results->result = NNB_AIDL_ERROR_STATUS_GENERAL_FAILURE;
			return 0;
		}
		nnb_fenced_finish(self, &self->run, ret);
		nnb_fenced_drop_run(self);
	}
	results->result = self->status;
	results->timing_launched = self->launched;
	results->timing_fenced = self->fenced;
	pthread_mutex_unlock(&self->lock);
	return 0;
}

const nnb_aidl_handler nnb_fenced_handlers[] = {nnb_on_get_info};

static int nnb_fenced_transact(struct nnb_object *object, const struct nnb_caller *caller,
			       uint32_t code, struct nnb_reader *in, struct nnb_arena *arena,
			       struct nnb_writer *out)
{
	struct nnb_fenced *self = (struct nnb_fenced *)object;

	return nnb_aidl_answer(object, &nnb_aidl_fenced_execution_callback,
			       self->client->service->options.version, nnb_fenced_handlers, caller,
			       code, in, arena, out);
}

static const struct nnb_object_ops nnb_fenced_ops = {
	.descriptor = "android.hardware.neuralnetworks.IFencedExecutionCallback",
	.release = nnb_fenced_release,
	.transact = nnb_fenced_transact,
};

/* ------------------------------------------------------------------------------------ executing */

/* Return: an object that @call owns; NULL without memory or quota. */
static struct nnb_fenced *nnb_fenced_create(struct nnb_client *client, struct nnb_aidl_call *call)
{
	struct nnb_fenced *self = NULL;

	if (!nnb_quota_charge(client, &nnb_one_object)) {
		self = calloc(1, sizeof(*self));
		if (!self)
			nnb_quota_discharge(client, &nnb_one_object);
	}
	if (!self) {
		nnb_aidl_fail(call, nnb_status(-ENOMEM), "the client's user has too many objects");
		return NULL;
	}
	nnb_object_init(&self->object, &nnb_fenced_ops);
	pthread_mutex_init(&self->lock, NULL);
	self->client = nnb_client_ref(client);
	self->start_ns = nna_now_ns();
	return nnb_arena_own_object(call->arena, &self->object) ? NULL : self;
}

/*
 * Checks fences, deadline, duration (0 for none) and outputs before the run starts. Return: 0 or an
 * ErrorStatus.
 */
static int nnb_fenced_check(const struct nnb_run *run, struct nnb_aidl_call *call,
			    const struct nnb_fds *wait_for, int64_t deadline_ns,
			    int64_t duration_ns, uint64_t *deadline, uint64_t *duration)
{
	int ret = nnb_fences_check(run->model->client, call, wait_for);

	if (ret)
		return ret;
	if (!nnb_run_is_stated(run))
		return nnb_aidl_fail(call, INVALID, "a fenced execution needs outputs whose "
				     "dimensions the model or the request states");
	if (duration_ns < -1)
		return nnb_aidl_fail(call, INVALID, "the duration of %lld ns is invalid",
				     (long long)duration_ns);
	*duration = duration_ns < 0 ? 0 : duration_ns ? (uint64_t)duration_ns : 1;
	ret = nnb_status_deadline(deadline_ns, deadline);
	return ret ? nnb_aidl_fail(call, ret, "the deadline of %lld ns is invalid or past",
				   (long long)deadline_ns) : 0;
}

/* Return: true if an input has to be read before the run is submitted. */
static bool nnb_fenced_reads(const struct nnb_run *run)
{
	if (nnb_run_has_parameters(run))
		return true;
	for (uint32_t i = 0; i < run->model->input_count; i++) {
		if (run->inputs[i].copy)
			return true;
	}
	return false;
}

/*
 * Submits the run, with @wait after the service has waited for the fences. Return: 0 or a negative
 * errno.
 */
static int nnb_fenced_submit(struct nnb_run *run, const struct nnb_fds *wait_for, bool wait,
			     uint64_t deadline, uint64_t duration, struct nna_fence **fence)
{
	int ret = 0;

	NNA_TRACE(DRIVER, EXECUTION, "submit");
	*fence = NULL;
	if (wait)
		ret = nnb_fences_wait(run->model->client, wait_for, deadline);
	if (!ret)
		ret = nnb_run_begin(run, deadline, duration);
	if (!ret)
		ret = nna_execution_submit(run->execution, wait_for->data,
					   wait ? 0 : wait_for->count, fence);
	if (ret)
		*fence = NULL;
	return ret;
}

int nnb_fenced_execute_run(struct nnb_run *run, struct nnb_aidl_call *call,
			   const struct nnb_fds *wait_for, int64_t deadline_ns, int64_t duration_ns,
			   struct nnb_aidl_fenced_execution_result *result)
{
	struct nnb_client *client = run->model->client;
	struct nnb_fenced *self;
	struct nna_fence *fence;
	uint64_t deadline, duration;
	int ret;

	result->sync_fence = -1;
	ret = nnb_fenced_check(run, call, wait_for, deadline_ns, duration_ns, &deadline, &duration);
	if (ret)
		return ret;
	self = nnb_fenced_create(client, call);
	if (!self)
		return nnb_status(-ENOMEM);
	ret = nnb_quota_charge(client, &nnb_one_job);
	if (ret)
		return nnb_aidl_fail(call, nnb_status(ret),
				     "the client's user has too many executions under way");
	ret = nnb_fenced_submit(run, wait_for, true, deadline, duration, &fence);
	if (!ret)
		ret = nna_fence_wait(fence, -1);
	nna_fence_destroy(fence);
	nnb_fenced_finish(self, run, ret);
	nnb_quota_discharge(client, &nnb_one_job);
	if (self->status)
		return nnb_aidl_fail(call, self->status, "the execution failed");
	result->callback = &self->object;
	return 0;
}

/*
 * Waits for the end of a submitted run, whose job waits for the fences unless the service has. One
 * whose fences do not signal is cancelled. Return: 0 or the error of the run.
 */
static int nnb_fenced_wait(struct nnb_fenced *self, const struct nnb_fds *wait_for, bool waited,
			   uint64_t deadline)
{
	int ret;

	if (waited || nnb_fences_wait(self->client, wait_for, deadline) != -EAGAIN)
		return nna_fence_wait(self->fence, -1);
	nna_execution_cancel(self->run.execution);
	ret = nna_fence_wait(self->fence, -1);
	return ret == -ECANCELED ? -EAGAIN : ret;
}

int nnb_fenced_execute(struct nnb_prepared_model *model, struct nnb_aidl_call *call,
		       const struct nnb_aidl_request *request,
		       const struct nnb_run_options *options, const struct nnb_fds *wait_for,
		       int64_t deadline_ns, int64_t duration_ns,
		       struct nnb_aidl_fenced_execution_result *result)
{
	struct nnb_fenced *self = nnb_fenced_create(model->client, call);
	uint64_t deadline, duration;
	int fd = -ENOTSUP, ret;
	bool wait;

	result->sync_fence = -1;
	if (!self)
		return nnb_status(-ENOMEM);
	ret = nnb_run_init(&self->run, model, call, request, NULL, options);
	if (!ret)
		ret = nnb_fenced_check(&self->run, call, wait_for, deadline_ns, duration_ns,
				       &deadline, &duration);
	if (!ret && nnb_quota_charge(model->client, &nnb_one_job))
		ret = nnb_aidl_fail(call, nnb_status(-EAGAIN),
				    "the client's user has too many executions under way");
	if (ret) {
		nnb_run_fini(&self->run);
		return ret;
	}
	self->running = true;
	wait = !nnb_run_is_direct(&self->run) || nnb_fenced_reads(&self->run);
	ret = nnb_fenced_submit(&self->run, wait_for, wait, deadline, duration, &self->fence);
	/* The first run of a model may find parameters. */
	if (!ret && !wait && !nnb_run_has_parameters(&self->run))
		fd = nna_fence_export(self->fence);
	if (fd < 0) {
		if (!ret)
			ret = nnb_fenced_wait(self, wait_for, wait, deadline);
		nnb_fenced_finish(self, &self->run, ret);
		nnb_fenced_drop_run(self);
		if (self->status)
			return nnb_aidl_fail(call, self->status, "the execution failed");
	} else {
		ret = nnb_arena_own_fd(call->arena, fd);
		if (ret)
			return nnb_status(ret);
		result->sync_fence = fd;
	}
	result->callback = &self->object;
	return 0;
}
