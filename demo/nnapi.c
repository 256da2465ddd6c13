// SPDX-License-Identifier: MIT
/*
 * The demo through the NNAPI C API, like any app (demo.h).
 *
 *	network		from a TFLite file (tflite_nnapi.h)
 *	input		a dma-buf of another driver, vgem, as a camera's frame would be
 *	in-fence	one of vgem (gate.h) that signals only after the submission has returned
 *	outputs		device memory, from which face.h reads the faces
 *	out-fence	a sync_file, the only thing that is waited for
 *
 * Where the input is copied the library waits for the in-fence, and an event stands for the
 * out-fence. On the loopback, which has no kernel to wait in, an eventfd and a memfd stand for
 * vgem's fence and buffer.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "demo/demo.h"
#include "demo/tflite_nnapi.h"

/* What the demo has of NNAPI. */
static struct {
	ANeuralNetworksModel *model;
	ANeuralNetworksCompilation *compilation;
	ANeuralNetworksExecution *execution;
	ANeuralNetworksMemory *input, *boxes, *scores;
	ANeuralNetworksEvent *gate_event, *done;
} nnapi;

/* Make an NNAPI call; when it fails, say which and return from the function. */
#define NNAPI(call)								\
	do {									\
		int code_ = (call);						\
		if (code_ != ANEURALNETWORKS_NO_ERROR)				\
			return demo_fail("%.*s failed with NNAPI result %d",	\
					 (int)strcspn(#call, "("), #call, code_); \
	} while (0)

/* NNAPI writes a bool for each operation. */
static int tell_taken(const struct demo *d, const ANeuralNetworksDevice *const *devices,
		      const char *name)
{
	bool *taken = calloc(d->instead->operation_count, sizeof(*taken));
	int code = ANEURALNETWORKS_OUT_OF_MEMORY, ret;

	if (taken)
		code = ANeuralNetworksModel_getSupportedOperationsForDevices(nnapi.model, devices,
									     1, taken);
	ret = code ? demo_fail("%s does not say what it takes: NNAPI result %d", name, code)
		   : demo_tell_taken(d, name, taken);
	free(taken);
	return ret;
}

static int compile(struct demo *d)
{
	ANeuralNetworksDevice *device;
	const ANeuralNetworksDevice *devices[1];
	char error[TFLITE_ERROR_SIZE];
	const char *name, *version;
	uint32_t count = 0;

	/* The library looks here for the device to use. */
	setenv("NNACCEL_DEVICE", d->device, 1);
	NNAPI(ANeuralNetworks_getDeviceCount(&count));
	if (!count)
		return demo_fail("NNAPI has no device '%s': load the driver, or use "
				 "--device loopback", d->device);
	NNAPI(ANeuralNetworks_getDevice(0, &device));
	NNAPI(ANeuralNetworksDevice_getName(device, &name));
	NNAPI(ANeuralNetworksDevice_getVersion(device, &version));
	d->loopback = strstr(name, "loopback");
	if (tflite_to_nnapi(d->tflite, d->instead, &nnapi.model, error))
		return demo_fail("%s: %s", d->model_path, error);
	devices[0] = device;
	if (d->instead && tell_taken(d, devices, name))
		return 1;
	NNAPI(ANeuralNetworksCompilation_createForDevices(nnapi.model, devices, 1,
							  &nnapi.compilation));
	NNAPI(ANeuralNetworksCompilation_setPreference(nnapi.compilation,
						       ANEURALNETWORKS_PREFER_FAST_SINGLE_ANSWER));
	NNAPI(ANeuralNetworksCompilation_setPriority(nnapi.compilation,
						     ANEURALNETWORKS_PRIORITY_HIGH));
	NNAPI(ANeuralNetworksCompilation_finish(nnapi.compilation));
	printf("network   %s: %u operators%s, compiled for %s (%s)\n", d->model_path,
	       d->tflite->subgraphs[0].operator_count, d->instead ? " as 8 bits" : "", name,
	       version);
	return 0;
}

static int device_memory(uint32_t output, ANeuralNetworksMemory **memory)
{
	ANeuralNetworksMemoryDesc *desc;
	int code;

	NNAPI(ANeuralNetworksMemoryDesc_create(&desc));
	code = ANeuralNetworksMemoryDesc_addOutputRole(desc, nnapi.compilation, output, 1.0f);
	if (!code)
		code = ANeuralNetworksMemoryDesc_finish(desc);
	if (!code)
		code = ANeuralNetworksMemory_createFromDesc(desc, memory);
	ANeuralNetworksMemoryDesc_free(desc);
	return code ? demo_fail("no device memory for output %u: NNAPI result %d", output, code)
		    : 0;
}

static int prepare(struct demo *d)
{
	const size_t input_size = DEMO_INPUT * d->element;

	NNAPI(ANeuralNetworksMemory_createFromFd(input_size, PROT_READ | PROT_WRITE, d->input_fd, 0,
						 &nnapi.input));
	NNAPI(ANeuralNetworksExecution_create(nnapi.compilation, &nnapi.execution));
	NNAPI(ANeuralNetworksExecution_setMeasureTiming(nnapi.execution, true));
	NNAPI(ANeuralNetworksExecution_setInputFromMemory(nnapi.execution, 0, NULL, nnapi.input, 0,
							  input_size));
	if (device_memory(0, &nnapi.boxes) || device_memory(1, &nnapi.scores))
		return 1;
	/* Device memory is used whole: offset and length 0. */
	NNAPI(ANeuralNetworksExecution_setOutputFromMemory(nnapi.execution, 0, NULL, nnapi.boxes, 0,
							   0));
	NNAPI(ANeuralNetworksExecution_setOutputFromMemory(nnapi.execution, 1, NULL, nnapi.scores,
							   0, 0));
	return 0;
}

static int submit(struct demo *d)
{
	const ANeuralNetworksEvent *dependencies[1];

	NNAPI(ANeuralNetworksEvent_createFromSyncFenceFd(d->gate.fd, &nnapi.gate_event));
	dependencies[0] = nnapi.gate_event;
	NNAPI(ANeuralNetworksExecution_startComputeWithDependencies(nnapi.execution, dependencies,
								    1, 0, &nnapi.done));
	if (ANeuralNetworksEvent_getSyncFenceFd(nnapi.done, &d->out_fd) !=
	    ANEURALNETWORKS_NO_ERROR)
		d->out_fd = -1;
	return 0;
}

static int wait_for_end(struct demo *d)
{
	NNAPI(ANeuralNetworksEvent_wait(nnapi.done));
	return 0;
}

/* Device memory cannot be mapped: what is in it is copied to memory that can. */
static int read_memory(const ANeuralNetworksMemory *from, size_t size, void **out)
{
	int fd = memfd_create("nna-demo-results", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	ANeuralNetworksMemory *memory = NULL;
	int code = -1;

	*out = malloc(size);
	if (*out && fd >= 0 && !ftruncate(fd, (off_t)size)) {
		code = ANeuralNetworksMemory_createFromFd(size, PROT_READ | PROT_WRITE, fd, 0,
							  &memory);
		if (!code)
			code = ANeuralNetworksMemory_copy(from, memory);
		ANeuralNetworksMemory_free(memory);
		if (!code && pread(fd, *out, size, 0) != (ssize_t)size)
			code = -1;
	}
	if (fd >= 0)
		close(fd);
	return code ? demo_fail("cannot read the results: NNAPI result %d", code) : 0;
}

static int read_results(struct demo *d, void **boxes, void **scores)
{
	/* The fence has signalled: this returns at once, with the result code. */
	NNAPI(ANeuralNetworksEvent_wait(nnapi.done));
	return read_memory(nnapi.boxes, DEMO_BOXES * d->element, boxes) ||
	       read_memory(nnapi.scores, DEMO_SCORES * d->element, scores);
}

static int read_times(struct demo *d)
{
	NNAPI(ANeuralNetworksExecution_getDuration(nnapi.execution,
						   ANEURALNETWORKS_DURATION_ON_HARDWARE,
						   &d->hardware));
	NNAPI(ANeuralNetworksExecution_getDuration(nnapi.execution,
						   ANEURALNETWORKS_FENCED_DURATION_IN_DRIVER,
						   &d->fenced));
	return 0;
}

static void finish(struct demo *d)
{
	/* When something has failed, the run may still be waiting for its in-fence. */
	if (nnapi.done) {
		gate_open(&d->gate);
		ANeuralNetworksEvent_wait(nnapi.done);
	}
	ANeuralNetworksEvent_free(nnapi.done);
	ANeuralNetworksEvent_free(nnapi.gate_event);
	ANeuralNetworksExecution_free(nnapi.execution);
	ANeuralNetworksMemory_free(nnapi.scores);
	ANeuralNetworksMemory_free(nnapi.boxes);
	ANeuralNetworksMemory_free(nnapi.input);
	ANeuralNetworksCompilation_free(nnapi.compilation);
	ANeuralNetworksModel_free(nnapi.model);
}

const struct demo_interface demo_interface = {
	.program = "nna-demo",
	.device = "auto",
	.device_help = "auto|loopback|/dev/accel/accelN",
	.submission = "startComputeWithDependencies",
	.compile = compile,
	.prepare = prepare,
	.submit = submit,
	.wait = wait_for_end,
	.read = read_results,
	.times = read_times,
	.finish = finish,
};
