// SPDX-License-Identifier: MIT
/*
 * The demo through the NN HAL (demo.h): a client of nnaccel-hal, in another process, over binder.
 *
 *	network		a model of the HAL (tflite_hal.h), its constants in a file
 *	input		a dma-buf of another driver, vgem, whose descriptor goes along with the call
 *	in-fence	a sync_file of vgem, likewise
 *	outputs		a memfd that nobody can shrink: the device writes into it
 *	out-fence	the sync_file that executeFenced() returns; where the input is copied it has
 *			none, and returns at the end
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "demo/demo.h"
#include "demo/tflite_hal.h"
#include "hal-bridge/aidl/call.h"
#include "hal-bridge/binder/binder.h"

#define PAGE 4096u
/* Both outputs as floats, in whole pages. Outputs of 8 bits need less. */
#define RESULT_SIZE (((DEMO_BOXES + DEMO_SCORES) * sizeof(float) + PAGE - 1) / PAGE * PAGE)

static const struct nnb_caller self; /* of a call over binder the kernel says who it is */

/**
 * struct prepared - the IPreparedModelCallback, which lives as long as the process
 * @object: the callback
 * @lock: of what follows
 * @changed: it was told
 * @told: it was told
 * @status: what
 * @model: what: a reference, NULL after an error
 */
struct prepared {
	struct nnb_object object;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool told;
	int status;
	struct nnb_object *model;
};

/* What the demo has of the HAL; @outputs is -1 for none. */
static struct {
	struct nnb_binder *binder;
	struct nnb_object *device, *times;
	struct prepared prepared;
	int outputs;
} hal = { .outputs = -1 };

/* ---------------------------------------------------------------------------------- compilation */

static int on_notify(struct nnb_object *object, struct nnb_aidl_call *call, const void *in,
		     void *out)
{
	const struct nnb_aidl_prepared_model_callback_notify_in *args = in;
	struct prepared *prepared = (struct prepared *)object;

	pthread_mutex_lock(&prepared->lock);
	prepared->told = true;
	prepared->status = args->status;
	if (args->prepared_model)
		prepared->model = nnb_object_ref(args->prepared_model);
	pthread_cond_signal(&prepared->changed);
	pthread_mutex_unlock(&prepared->lock);
	return 0;
}

static int prepared_transact(struct nnb_object *object, const struct nnb_caller *caller,
			     uint32_t code, struct nnb_reader *in, struct nnb_arena *arena,
			     struct nnb_writer *out)
{
	static const nnb_aidl_handler handlers[] = { on_notify };

	return nnb_aidl_answer(object, &nnb_aidl_prepared_model_callback, NNB_AIDL_VERSION,
			       handlers, caller, code, in, arena, out);
}

static void prepared_release(struct nnb_object *object)
{
}

/* prepareModel(), until the callback is told. */
static int prepare_model(const struct nnb_aidl_model *model)
{
	static const struct nnb_object_ops ops = {
		.descriptor = "android.hardware.neuralnetworks.IPreparedModelCallback",
		.release = prepared_release,
		.transact = prepared_transact,
	};
	struct prepared *prepared = &hal.prepared;
	const struct nnb_aidl_device_prepare_model_in in = {
		.model = *model,
		.preference = NNB_AIDL_EXECUTION_PREFERENCE_FAST_SINGLE_ANSWER,
		.priority = NNB_AIDL_PRIORITY_HIGH,
		.deadline_ns = -1,
		.callback = &prepared->object,
	};
	struct nnb_arena arena = { 0 };
	int ret;

	nnb_object_init(&prepared->object, &ops);
	pthread_mutex_init(&prepared->lock, NULL);
	pthread_cond_init(&prepared->changed, NULL);
	ret = nnb_aidl_call(hal.device, &self,
			    &nnb_aidl_device.methods[NNB_AIDL_DEVICE_PREPARE_MODEL - 1], &in,
			    &arena, NULL);
	nnb_arena_fini(&arena);
	if (ret)
		return demo_fail("prepareModel failed with status %d", ret);
	pthread_mutex_lock(&prepared->lock);
	while (!prepared->told)
		pthread_cond_wait(&prepared->changed, &prepared->lock);
	pthread_mutex_unlock(&prepared->lock);
	return prepared->model ? 0 : demo_fail("the model cannot be prepared: status %d",
					       prepared->status);
}

static int tell_taken(const struct demo *d, const char *name, const struct nnb_aidl_model *model)
{
	const uint32_t code = NNB_AIDL_DEVICE_GET_SUPPORTED_OPERATIONS;
	const struct nnb_aidl_device_get_supported_operations_in in = { .model = *model };
	struct nnb_aidl_device_get_supported_operations_out out;
	struct nnb_arena arena = { 0 };
	int ret = nnb_aidl_call(hal.device, &self, &nnb_aidl_device.methods[code - 1], &in, &arena,
				&out);

	if (ret || out.result.count != d->instead->operation_count)
		ret = demo_fail("%s does not say what it takes: status %d", name, ret);
	else
		ret = demo_tell_taken(d, name, out.result.data);
	nnb_arena_fini(&arena);
	return ret;
}

static int compile(struct demo *d)
{
	static const struct nnb_binder_options options;
	struct nnb_aidl_device_get_version_string_out version;
	struct nnb_arena arena = { 0 };
	struct nnb_aidl_model model;
	char error[TFLITE_ERROR_SIZE], name[256];
	int ret;

	if (nnb_binder_open(&options, &hal.binder))
		return demo_fail("no /dev/binder (modprobe binder_linux devices=binder)");
	snprintf(name, sizeof(name), "%s/%s", nnb_aidl_device.descriptor, d->device);
	if (hal.binder->ops->get(hal.binder, name, &hal.device))
		return demo_fail("no service %s: start nnaccel-hal", name);
	if (nnb_aidl_call(hal.device, &self,
			  &nnb_aidl_device.methods[NNB_AIDL_DEVICE_GET_VERSION_STRING - 1], NULL,
			  &arena, &version))
		ret = demo_fail("%s does not answer", name);
	else if (tflite_to_hal(d->tflite, d->instead, &arena, &model, error))
		ret = demo_fail("%s: %s", d->model_path, error);
	else
		ret = (d->instead && tell_taken(d, name, &model)) || prepare_model(&model);
	if (!ret)
		printf("network   %s: %u operations%s, compiled by %s (%s)\n", d->model_path,
		       model.main.operations.count, d->instead ? " of 8 bits" : "", name,
		       version.result);
	nnb_arena_fini(&arena);
	return ret;
}

/* ------------------------------------------------------------------------------------------ run */

static int prepare(struct demo *d)
{
	hal.outputs = memfd_create("nna-demo-results", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (hal.outputs < 0 || ftruncate(hal.outputs, RESULT_SIZE) ||
	    fcntl(hal.outputs, F_ADD_SEALS, F_SEAL_SHRINK))
		return demo_fail("no memory for the results: %s", strerror(errno));
	return 0;
}

static void describe_pool(struct nnb_aidl_request_memory_pool *pool, int fd, size_t size)
{
	*pool = (struct nnb_aidl_request_memory_pool){ 0 };
	pool->tag = NNB_AIDL_REQUEST_MEMORY_POOL_POOL;
	pool->pool.tag = NNB_AIDL_MEMORY_MAPPABLE_FILE;
	pool->pool.mappable_file.fd = fd;
	pool->pool.mappable_file.length = (int64_t)size;
	pool->pool.mappable_file.prot = PROT_READ | PROT_WRITE;
}

static int submit(struct demo *d)
{
	struct nnb_aidl_request_memory_pool pools[2];
	const int64_t input_size = (int64_t)(DEMO_INPUT * d->element);
	const int64_t boxes_size = (int64_t)(DEMO_BOXES * d->element);
	const int64_t scores_size = (int64_t)(DEMO_SCORES * d->element);
	struct nnb_aidl_request_argument input = { .location.length = input_size };
	struct nnb_aidl_request_argument outputs[] = {
		{ .location = { .pool_index = 1, .length = boxes_size } },
		{ .location = { .pool_index = 1, .offset = boxes_size,
				.length = scores_size } },
	};
	const struct nnb_aidl_prepared_model_execute_fenced_in in = {
		.request = {
			.inputs = { 1, &input },
			.outputs = { 2, outputs },
			.pools = { 2, pools },
		},
		.wait_for = { 1, &d->gate.fd },
		.measure_timing = true,
		.deadline_ns = -1,
		.loop_timeout_duration_ns = -1,
		.duration_ns = -1,
	};
	const uint32_t code = NNB_AIDL_PREPARED_MODEL_EXECUTE_FENCED;
	struct nnb_aidl_prepared_model_execute_fenced_out out;
	struct nnb_arena arena = { 0 };
	int ret;

	describe_pool(&pools[0], d->input_fd, (size_t)input_size);
	describe_pool(&pools[1], hal.outputs, RESULT_SIZE);
	ret = nnb_aidl_call(hal.prepared.model, &self, &nnb_aidl_prepared_model.methods[code - 1],
			    &in, &arena, &out);
	if (!ret) {
		hal.times = nnb_object_ref(out.result.callback);
		/* The reply's descriptor goes with the arena. */
		d->out_fd = out.result.sync_fence < 0
				    ? -1
				    : fcntl(out.result.sync_fence, F_DUPFD_CLOEXEC, 0);
	}
	nnb_arena_fini(&arena);
	return ret ? demo_fail("executeFenced failed with status %d", ret) : 0;
}

/* Without a fence executeFenced() has returned at the end. */
static int wait_for_end(struct demo *d)
{
	return 0;
}

static int read_result(size_t offset, size_t size, void **out)
{
	*out = malloc(size);
	if (!*out || pread(hal.outputs, *out, size, (off_t)offset) != (ssize_t)size)
		return demo_fail("cannot read the results");
	return 0;
}

static int read_results(struct demo *d, void **boxes, void **scores)
{
	const size_t boxes_size = DEMO_BOXES * d->element;

	return read_result(0, boxes_size, boxes) ||
	       read_result(boxes_size, DEMO_SCORES * d->element, scores);
}

static int read_times(struct demo *d)
{
	struct nnb_aidl_fenced_execution_callback_get_execution_info_out info;
	struct nnb_arena arena = { 0 };
	int ret = nnb_aidl_call(hal.times, &self, &nnb_aidl_fenced_execution_callback.methods[0],
				NULL, &arena, &info);

	nnb_arena_fini(&arena);
	if (ret || info.result)
		return demo_fail("getExecutionInfo: status %d, result %d", ret,
				 ret ? 0 : info.result);
	/* -1 is unknown, as UINT64_MAX is. */
	d->hardware = (uint64_t)info.timing_fenced.time_on_device_ns;
	d->fenced = (uint64_t)info.timing_fenced.time_in_driver_ns;
	return 0;
}

static void finish(struct demo *d)
{
	/*
	 * The connection stays to the process's end. A run that waits for its in-fence ends then,
	 * too, and nobody waits for it.
	 */
	nnb_object_unref(hal.times);
	nnb_object_unref(hal.prepared.model);
	nnb_object_unref(hal.device);
	if (hal.outputs >= 0)
		close(hal.outputs);
}

const struct demo_interface demo_interface = {
	.program = "nna-demo-hal",
	.device = "nnaccel",
	.device_help = "SERVICE",
	.submission = "executeFenced",
	.waits = true,
	.compile = compile,
	.prepare = prepare,
	.submit = submit,
	.wait = wait_for_end,
	.read = read_results,
	.times = read_times,
	.finish = finish,
};
