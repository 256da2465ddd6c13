// SPDX-License-Identifier: MIT
/*
 * fences: fenced executions of nnaccel-hal behind fences of another driver, vgem's, which signal
 * when this program tells them to.
 *
 *	fences		prints a line for each case, last "N passed, N failed"
 */
#include "tests/hal/client.h"

#include <poll.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include "demo/gate.h"

static int vgem;
static struct nnb_object *model;
static int passed, failed;

static bool check(bool ok, const char *what)
{
	printf("%s %s\n", ok ? "ok" : "not ok", what);
	fflush(stdout);
	ok ? passed++ : failed++;
	return ok;
}

#define DEADLINE_NS 3000000000 /* vgem lets go of a fence after ten seconds */
#define OUTPUT 4096 /* its offset: in another page than the input, as dma-bufs are of pages */

/* A request whose memory the device can use as it is, if it is sealed. */
static void request_init(struct hal_request *request, bool sealed)
{
	hal_request_init(request, sealed);
	if (ftruncate(request->fd, 2 * OUTPUT))
		abort();
	request->pool.pool.mappable_file.length = 2 * OUTPUT;
	request->out.location.offset = OUTPUT;
}

/* Whether the output is there, which is cleared for the next time. */
static bool request_done(struct hal_request *request)
{
	static const float expected[] = {10, 30, 50, 70}, zeros[4];
	float out[4];

	return pread(request->fd, out, sizeof(out), OUTPUT) == sizeof(out) &&
	       !memcmp(out, expected, sizeof(out)) &&
	       pwrite(request->fd, zeros, sizeof(zeros), OUTPUT) == sizeof(zeros);
}

/* CLOCK_BOOTTIME in @ns from now. */
static int64_t boot_time_in(int64_t ns)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec + ns;
}

/**
 * struct fenced - a fenced execution
 * @arena: keeps what came back
 * @request: sent
 * @gate: what it waits for
 * @out: what came back
 */
struct fenced {
	struct nnb_arena arena;
	struct hal_request request;
	struct gate gate;
	struct nnb_aidl_prepared_model_execute_fenced_out out;
};

/* Begins one behind a gate. Return: its status. */
static int fenced_begin(struct fenced *fenced, bool sealed, int64_t deadline_ns)
{
	struct nnb_aidl_prepared_model_execute_fenced_in in = {
		.measure_timing = true,
		.deadline_ns = deadline_ns,
		.loop_timeout_duration_ns = -1,
		.duration_ns = -1,
	};

	*fenced = (struct fenced){.gate.fd = -1};
	request_init(&fenced->request, sealed);
	if (gate_create(&fenced->gate, vgem))
		return -1;
	in.request = fenced->request.request;
	in.wait_for = (struct nnb_fds){1, &fenced->gate.fd};
	return HAL_CALL(model, &hal_me, prepared_model, NNB_AIDL_PREPARED_MODEL_EXECUTE_FENCED, &in,
			&fenced->arena, &fenced->out);
}

static void fenced_end(struct fenced *fenced)
{
	nnb_arena_fini(&fenced->arena);
	hal_request_fini(&fenced->request);
	gate_destroy(&fenced->gate);
}

/* What the callback says of an execution that has ended. Return: ErrorStatus, or -1. */
static int fenced_status(struct fenced *fenced, bool *timed)
{
	struct nnb_aidl_fenced_execution_callback_get_execution_info_out info;

	if (HAL_CALL(fenced->out.result.callback, &hal_me, fenced_execution_callback,
		     NNB_AIDL_FENCED_EXECUTION_CALLBACK_GET_EXECUTION_INFO, NULL, &fenced->arena,
		     &info))
		return -1;
	*timed = info.timing_launched.time_in_driver_ns >= info.timing_fenced.time_in_driver_ns &&
		 info.timing_fenced.time_on_device_ns >= 0;
	return info.result;
}

/* Waits for a sync_file. */
static void wait_for(int fd)
{
	struct pollfd poll_fd = {.fd = fd, .events = POLLIN};

	while (poll(&poll_fd, 1, -1) < 1)
		;
}

/* The returned fence signals when the outputs are there, and not before the other driver's does. */
static void behind_a_fence(void)
{
	struct fenced fenced;
	bool timed = false;
	int fd;

	if (check(!fenced_begin(&fenced, true, -1) && fenced.out.result.sync_fence >= 0,
		  "behind a fence: the call")) {
		fd = fenced.out.result.sync_fence;
		check(!gate_is_signalled(fd) && !request_done(&fenced.request),
		      "behind a fence: it waits");
		gate_open(&fenced.gate);
		wait_for(fd);
		check(request_done(&fenced.request) && gate_time(fd),
		      "behind a fence: the output is there when the fence has signalled");
		check(!fenced_status(&fenced, &timed) && timed, "behind a fence: the timing");
	}
	fenced_end(&fenced);
}

/* The job itself was given time enough: it waited for others. */
static void deadline(bool sealed)
{
	struct fenced fenced;
	bool timed;
	int ret = fenced_begin(&fenced, sealed, boot_time_in(DEADLINE_NS));

	/* With memory that is copied the service waits itself, and there is no fence. */
	if (!ret && fenced.out.result.sync_fence >= 0) {
		wait_for(fenced.out.result.sync_fence);
		check(!gate_time(fenced.out.result.sync_fence),
		      "a deadline behind a fence: the returned fence is in error");
		ret = fenced_status(&fenced, &timed);
	}
	check(ret == NNB_AIDL_ERROR_STATUS_MISSED_DEADLINE_TRANSIENT,
	      sealed ? "a deadline behind a fence is missed, transient"
		     : "a deadline behind a fence that the service waits for, too");
	fenced_end(&fenced);
}

/**
 * struct reusable - an IExecution that runs on a thread
 * @execution: called
 * @fd: of the fence that it waits for
 * @ended: the call has returned
 * @status: of the call
 */
struct reusable {
	struct nnb_object *execution;
	int fd;
	atomic_bool ended;
	int status;
};

static void *reusable_run(void *data)
{
	struct reusable *reusable = data;
	const struct nnb_aidl_execution_execute_fenced_in in = {
		.wait_for = {1, &reusable->fd},
		.deadline_ns = -1,
		.duration_ns = -1,
	};
	struct nnb_aidl_execution_execute_fenced_out out;
	struct nnb_arena arena = {0};

	reusable->status = HAL_CALL(reusable->execution, &hal_me, execution,
				    NNB_AIDL_EXECUTION_EXECUTE_FENCED, &in, &arena, &out);
	if (!reusable->status && out.result.sync_fence >= 0)
		wait_for(out.result.sync_fence);
	nnb_arena_fini(&arena);
	atomic_store(&reusable->ended, true);
	return NULL;
}

/* The same of a reusable execution, several times. */
static void reusable_execution(void)
{
	struct nnb_aidl_prepared_model_create_reusable_execution_in in = {
		.config.loop_timeout_duration_ns = -1,
	};
	struct nnb_aidl_prepared_model_create_reusable_execution_out made = {0};
	struct reusable reusable = {0};
	struct nnb_arena arena = {0};
	struct hal_request request;
	struct gate gate;
	pthread_t thread;

	request_init(&request, true);
	in.request = request.request;
	if (!check(!HAL_CALL(model, &hal_me, prepared_model,
			     NNB_AIDL_PREPARED_MODEL_CREATE_REUSABLE_EXECUTION, &in, &arena, &made),
		   "a reusable execution"))
		return;
	reusable.execution = made.result;
	for (int i = 0; i < 3; i++) {
		if (gate_create(&gate, vgem))
			abort();
		reusable.fd = gate.fd;
		atomic_store(&reusable.ended, false);
		if (pthread_create(&thread, NULL, reusable_run, &reusable))
			abort();
		check(!atomic_load(&reusable.ended) && !request_done(&request),
		      "a reusable execution waits for a fence");
		gate_open(&gate);
		pthread_join(thread, NULL);
		check(!reusable.status && request_done(&request),
		      "a reusable execution behind a fence: the output");
		gate_destroy(&gate);
	}
	nnb_arena_fini(&arena);
	hal_request_fini(&request);
}

/**
 * struct parameter - a fenced execution of a model with a parameter as an input, on a thread
 * @model: the model
 * @request: the request; its activation is in the first page
 * @inputs: of @request
 * @wait_for: what it waits for
 * @ended: the call has returned
 * @status: of the call
 * @fenced: it has returned a fence
 */
struct parameter {
	struct nnb_object *model;
	struct hal_request request;
	struct nnb_aidl_request_argument inputs[2];
	struct nnb_fds wait_for;
	atomic_bool ended;
	int status;
	bool fenced;
};

static void *parameter_run(void *data)
{
	struct parameter *parameter = data;
	const struct nnb_aidl_prepared_model_execute_fenced_in in = {
		.request = parameter->request.request,
		.wait_for = parameter->wait_for,
		.deadline_ns = -1,
		.loop_timeout_duration_ns = -1,
		.duration_ns = -1,
	};
	struct nnb_aidl_prepared_model_execute_fenced_out out;
	struct nnb_arena arena = {0};

	parameter->status = HAL_CALL(parameter->model, &hal_me, prepared_model,
				     NNB_AIDL_PREPARED_MODEL_EXECUTE_FENCED, &in, &arena, &out);
	parameter->fenced = !parameter->status && out.result.sync_fence >= 0;
	nnb_arena_fini(&arena);
	atomic_store(&parameter->ended, true);
	return NULL;
}

/* The service reads the parameter before each run: none returns a fence, also behind another. */
static void parameter_is_read(struct nnb_object *device)
{
	struct nnb_aidl_device_prepare_model_in in;
	struct parameter parameter = {0};
	struct hal_model m;
	struct gate gate;
	pthread_t thread;

	hal_model_init(&m);
	hal_model_open_activation(&m);
	in = hal_prepare_in(&m);
	if (!check(!prepare_with(device, &in, &parameter.model), "a model with a parameter"))
		return;
	hal_model_fini(&m);
	request_init(&parameter.request, true);
	parameter.inputs[0] = parameter.request.in;
	parameter.inputs[1].location = (struct nnb_aidl_data_location){0, OUTPUT / 2, 4, 0};
	parameter.request.request.inputs.data = parameter.inputs;
	parameter.request.request.inputs.count = 2;
	for (int i = 0; i < 4; i++) {
		const bool behind = i & 1;

		if (behind && gate_create(&gate, vgem))
			abort();
		parameter.wait_for = behind ? (struct nnb_fds){1, &gate.fd} : (struct nnb_fds){0};
		atomic_store(&parameter.ended, false);
		if (pthread_create(&thread, NULL, parameter_run, &parameter))
			abort();
		if (behind) {
			check(!atomic_load(&parameter.ended) && !request_done(&parameter.request),
			      "a run with a parameter waits for a fence");
			gate_open(&gate);
		}
		pthread_join(thread, NULL);
		check(!parameter.status && !parameter.fenced && request_done(&parameter.request),
		      behind ? "a run with a parameter behind a fence has ended, without a fence" :
			       "a run with a parameter has ended, without a fence");
		if (behind)
			gate_destroy(&gate);
	}
	hal_request_fini(&parameter.request);
	nnb_object_unref(parameter.model);
}

int main(void)
{
	struct nnb_object *device;

	vgem = gate_open_vgem();
	device = connect_service();
	model = prepare(device);
	if (vgem < 0 || !model) {
		printf("fences: no %s\n", model ? "vgem: modprobe vgem" : "model");
		return 1;
	}
	behind_a_fence();
	deadline(true);
	deadline(false);
	reusable_execution();
	parameter_is_read(device);
	printf("%d passed, %d failed\n", passed, failed);
	return failed ? 1 : 0;
}
