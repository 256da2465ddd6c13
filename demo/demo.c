// SPDX-License-Identifier: MIT
/*
 * The demo: finds the face in a photo, on the NNA, the way a camera pipeline would.
 *
 *	network		from a TFLite file (tflite_nnapi.h) through the NNAPI C API
 *	input		a dma-buf of another driver, vgem, as a camera's frame would be
 *	in-fence	one of vgem (gate.h) that signals only after the submission has returned
 *	outputs		device memory, from which face.h reads the faces
 *	out-fence	a sync_file, the only thing that is waited for
 *
 * On the loopback, which has no kernel to wait in, an eventfd and a memfd stand for vgem's fence
 * and buffer. When each step happened is printed, and a picture with the face marked is written.
 * Everything belongs to one struct demo and one thread.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "demo/face.h"
#include "demo/gate.h"
#include "demo/tflite_nnapi.h"
#include "tools/image/image.h"

#define MAX_FACES 8
#define THRESHOLD 0.6f
#define INPUT_SIZE ((size_t)FACE_SIDE * FACE_SIDE * 3 * sizeof(float))
#define BOXES_SIZE ((size_t)FACE_ANCHORS * FACE_NUMBERS * sizeof(float))
#define SCORES_SIZE ((size_t)FACE_ANCHORS * sizeof(float))

/* Moments in the order in which they happen. */
enum moment {
	SUBMIT_CALLED,
	SUBMIT_RETURNED,
	GATE_OPENED,
	GATE_SIGNALLED,
	DEVICE_BEGIN,
	DEVICE_END,
	OUT_SIGNALLED,
	RESULT_READ,
	MOMENTS,
};

/**
 * struct demo - the command line, the run and its results
 * @expect_x: column of a pixel that the face must cover, if @expect
 * @expect_y: its row
 * @hold_ms: for how long the in-fence is held after the submission
 * @gate: the in-fence
 * @vgem: fd of the vgem node, -1 on the loopback
 * @input_fd: dma-buf or memfd of the input, -1 for none
 * @out_fd: the out-fence, -1 where the device has none
 * @scale: pixels of the photo per pixel of the network's picture
 * @left: columns of the network's picture left of the photo (it is padded to a square)
 * @top: likewise rows
 * @moments: when each happened, CLOCK_MONOTONIC ns; 0 is unknown
 * @hardware: time of the device, ns; UINT64_MAX is unknown
 * @fenced: from the in-fence's signal to the end, ns; UINT64_MAX is unknown
 */
struct demo {
	const char *model_path, *image_path, *output_path, *device;
	float expect_x, expect_y;
	bool expect;
	uint32_t hold_ms;

	struct tflite_model *tflite;
	ANeuralNetworksModel *model;
	ANeuralNetworksDevice *nnapi;
	ANeuralNetworksCompilation *compilation;
	ANeuralNetworksExecution *execution;
	ANeuralNetworksMemory *input, *boxes, *scores;
	ANeuralNetworksEvent *gate_event, *done;
	struct gate gate;
	int vgem, input_fd, out_fd;

	struct image photo;
	float scale, left, top;
	uint64_t moments[MOMENTS];
	uint64_t hardware, fenced;
	struct face faces[MAX_FACES];
	uint32_t face_count;
};

static __attribute__((format(printf, 1, 2))) int fail(const char *format, ...)
{
	va_list ap;

	fflush(stdout);
	fputs("nna-demo: ", stderr);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	return 1;
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Make an NNAPI call; when it fails, say which and return from the function. */
#define NNAPI(call)								\
	do {									\
		int code_ = (call);						\
		if (code_ != ANEURALNETWORKS_NO_ERROR)				\
			return fail("%.*s failed with NNAPI result %d",		\
				    (int)strcspn(#call, "("), #call, code_);	\
	} while (0)

/* --------------------------------------------------------------------------------------- set-up */

static bool is_float_of(const struct tflite_tensor *t, size_t size)
{
	return t->type == TFLITE_FLOAT32 && t->elements * sizeof(float) == size;
}

/* Checked, since the outputs of another network would be read as boxes. */
static bool is_blazeface(const struct tflite_model *model)
{
	const struct tflite_subgraph *s = &model->subgraphs[0];

	return s->inputs.count == 1 && s->outputs.count == 2 &&
	       is_float_of(&s->tensors[s->inputs.at[0]], INPUT_SIZE) &&
	       is_float_of(&s->tensors[s->outputs.at[0]], BOXES_SIZE) &&
	       is_float_of(&s->tensors[s->outputs.at[1]], SCORES_SIZE);
}

static int compile(struct demo *d)
{
	const ANeuralNetworksDevice *devices[1];
	char error[TFLITE_ERROR_SIZE];
	const char *name, *version;
	uint32_t count = 0;

	if (tflite_load(d->model_path, &d->tflite, error))
		return fail("%s: %s", d->model_path, error);
	if (!is_blazeface(d->tflite))
		return fail("%s is not BlazeFace's short-range model: demo/fetch gets it",
			    d->model_path);
	NNAPI(ANeuralNetworks_getDeviceCount(&count));
	if (!count)
		return fail("NNAPI has no device '%s': load the driver, or use --device loopback",
			    d->device);
	NNAPI(ANeuralNetworks_getDevice(0, &d->nnapi));
	NNAPI(ANeuralNetworksDevice_getName(d->nnapi, &name));
	NNAPI(ANeuralNetworksDevice_getVersion(d->nnapi, &version));
	/* The loopback waits for anything that polls, so that it needs no vgem. */
	if (!strstr(name, "loopback")) {
		d->vgem = gate_open_vgem();
		if (d->vgem < 0)
			return fail("no vgem device: load the module (modprobe vgem)");
	}
	if (tflite_to_nnapi(d->tflite, &d->model, error))
		return fail("%s: %s", d->model_path, error);
	devices[0] = d->nnapi;
	NNAPI(ANeuralNetworksCompilation_createForDevices(d->model, devices, 1, &d->compilation));
	NNAPI(ANeuralNetworksCompilation_setPreference(d->compilation,
						       ANEURALNETWORKS_PREFER_FAST_SINGLE_ANSWER));
	NNAPI(ANeuralNetworksCompilation_setPriority(d->compilation,
						     ANEURALNETWORKS_PRIORITY_HIGH));
	NNAPI(ANeuralNetworksCompilation_finish(d->compilation));
	printf("network   %s: %u operators, compiled for %s (%s)\n", d->model_path,
	       d->tflite->subgraphs[0].operator_count, name, version);
	return 0;
}

/* The photo, fitted into the network's square, from -1 to 1; black around it. */
static int load_photo(struct demo *d, float *to)
{
	char error[IMAGE_ERROR_SIZE];
	uint32_t width, height, left, top, x, y, c;
	struct image scaled;

	if (image_load(d->image_path, &d->photo, error))
		return fail("%s: %s", d->image_path, error);
	if (d->photo.width >= d->photo.height) {
		width = FACE_SIDE;
		height = FACE_SIDE * d->photo.height / d->photo.width;
	} else {
		height = FACE_SIDE;
		width = FACE_SIDE * d->photo.width / d->photo.height;
	}
	if (image_resize(&d->photo, &scaled, width ? width : 1, height ? height : 1))
		return fail("cannot scale the photo");
	left = (FACE_SIDE - scaled.width) / 2;
	top = (FACE_SIDE - scaled.height) / 2;
	d->left = (float)left;
	d->top = (float)top;
	d->scale = (float)d->photo.width / (float)scaled.width;
	for (y = 0; y < FACE_SIDE; y++) {
		for (x = 0; x < FACE_SIDE; x++) {
			bool inside = x >= left && x - left < scaled.width &&
				      y >= top && y - top < scaled.height;
			size_t at = (size_t)(y - top) * scaled.width + x - left;
			const uint8_t *p = inside ? scaled.pixels + at * 3 : NULL;

			for (c = 0; c < 3; c++)
				to[((size_t)y * FACE_SIDE + x) * 3 + c] =
					p ? (float)p[c] / 127.5f - 1.0f : -1.0f;
		}
	}
	printf("photo     %s: %ux%u\n", d->image_path, d->photo.width, d->photo.height);
	image_free(&scaled);
	return 0;
}

static int prepare_input(struct demo *d)
{
	float *map;
	int ret;

	if (d->vgem >= 0) {
		d->input_fd = gate_buffer(d->vgem, INPUT_SIZE);
		if (d->input_fd < 0)
			return fail("no dma-buf from vgem: %s", strerror(-d->input_fd));
	} else {
		d->input_fd = memfd_create("nna-demo-input", MFD_CLOEXEC | MFD_ALLOW_SEALING);
		if (d->input_fd < 0 || ftruncate(d->input_fd, INPUT_SIZE))
			return fail("no memfd: %s", strerror(errno));
	}
	map = mmap(NULL, INPUT_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, d->input_fd, 0);
	if (map == MAP_FAILED)
		return fail("cannot map the input: %s", strerror(errno));
	if (d->vgem >= 0)
		gate_cpu_access(d->input_fd, true);
	ret = load_photo(d, map);
	if (d->vgem >= 0)
		gate_cpu_access(d->input_fd, false);
	munmap(map, INPUT_SIZE);
	if (ret)
		return ret;
	NNAPI(ANeuralNetworksMemory_createFromFd(INPUT_SIZE, PROT_READ | PROT_WRITE, d->input_fd, 0,
						 &d->input));
	printf("input     %zu bytes in a %s\n", INPUT_SIZE,
	       d->vgem >= 0 ? "dma-buf of another driver (vgem)" : "memfd");
	return 0;
}

static int device_memory(struct demo *d, uint32_t output, ANeuralNetworksMemory **memory)
{
	ANeuralNetworksMemoryDesc *desc;
	int code;

	NNAPI(ANeuralNetworksMemoryDesc_create(&desc));
	code = ANeuralNetworksMemoryDesc_addOutputRole(desc, d->compilation, output, 1.0f);
	if (!code)
		code = ANeuralNetworksMemoryDesc_finish(desc);
	if (!code)
		code = ANeuralNetworksMemory_createFromDesc(desc, memory);
	ANeuralNetworksMemoryDesc_free(desc);
	return code ? fail("no device memory for output %u: NNAPI result %d", output, code) : 0;
}

static int prepare_run(struct demo *d)
{
	NNAPI(ANeuralNetworksExecution_create(d->compilation, &d->execution));
	NNAPI(ANeuralNetworksExecution_setMeasureTiming(d->execution, true));
	NNAPI(ANeuralNetworksExecution_setInputFromMemory(d->execution, 0, NULL, d->input, 0,
							  INPUT_SIZE));
	if (device_memory(d, 0, &d->boxes) || device_memory(d, 1, &d->scores))
		return 1;
	/* Device memory is used whole: offset and length 0. */
	NNAPI(ANeuralNetworksExecution_setOutputFromMemory(d->execution, 0, NULL, d->boxes, 0, 0));
	NNAPI(ANeuralNetworksExecution_setOutputFromMemory(d->execution, 1, NULL, d->scores, 0, 0));
	return 0;
}

/* ------------------------------------------------------------------------------------------ run */

static void sleep_ms(uint32_t ms)
{
	struct timespec t = { ms / 1000, (long)(ms % 1000) * 1000000 };

	nanosleep(&t, NULL);
}

static int run_behind_fence(struct demo *d)
{
	const ANeuralNetworksEvent *dependencies[1];
	struct pollfd p;
	int ret;

	ret = gate_create(&d->gate, d->vgem);
	if (ret)
		return fail("cannot make the in-fence: %s", strerror(-ret));
	NNAPI(ANeuralNetworksEvent_createFromSyncFenceFd(d->gate.fd, &d->gate_event));
	dependencies[0] = d->gate_event;
	printf("\nin-fence  %s, %s\n", d->vgem >= 0 ? "a sync_file of vgem" : "an eventfd",
	       gate_is_signalled(d->gate.fd) ? "signalled" : "not signalled");
	d->moments[SUBMIT_CALLED] = now();
	NNAPI(ANeuralNetworksExecution_startComputeWithDependencies(d->execution, dependencies, 1,
								    0, &d->done));
	d->moments[SUBMIT_RETURNED] = now();
	if (gate_is_signalled(d->gate.fd))
		return fail("the in-fence signalled before it was told to");
	if (ANeuralNetworksEvent_getSyncFenceFd(d->done, &d->out_fd) != ANEURALNETWORKS_NO_ERROR)
		d->out_fd = -1;
	if (d->vgem >= 0 && d->out_fd < 0)
		return fail("the execution has no sync fence");
	/* A driver that does not wait for the in-fence ends the run meanwhile, and is caught. */
	sleep_ms(d->hold_ms);
	if (d->out_fd >= 0 && gate_is_signalled(d->out_fd))
		return fail("the out-fence signalled before the in-fence");
	printf("submitted startComputeWithDependencies has returned; "
	       "in-fence still not signalled, %s\n",
	       d->out_fd >= 0 ? "out-fence neither"
			      : "no out-fence on this device (an event instead)");

	d->moments[GATE_OPENED] = now();
	ret = gate_open(&d->gate);
	if (ret)
		return fail("cannot signal the in-fence: %s", strerror(-ret));
	if (d->out_fd >= 0) {
		/* As a compositor or a camera would: they know the fence and nothing of NNAPI. */
		p = (struct pollfd){ .fd = d->out_fd, .events = POLLIN };
		do
			ret = poll(&p, 1, 60000);
		while (ret < 0 && errno == EINTR);
		if (ret <= 0)
			return fail("the out-fence has not signalled within a minute");
	} else {
		NNAPI(ANeuralNetworksEvent_wait(d->done));
	}
	d->moments[OUT_SIGNALLED] = now();
	d->moments[GATE_SIGNALLED] = d->moments[GATE_OPENED];
	if (d->vgem >= 0) {
		d->moments[GATE_SIGNALLED] = gate_time(d->gate.fd);
		d->moments[OUT_SIGNALLED] = gate_time(d->out_fd);
		if (!d->moments[OUT_SIGNALLED])
			return fail("the execution failed: its fence carries an error");
	}
	return 0;
}

/* Device memory cannot be mapped: what is in it is copied to memory that can. */
static int read_memory(const ANeuralNetworksMemory *from, size_t size, float **out)
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
	return code ? fail("cannot read the results: NNAPI result %d", code) : 0;
}

static int read_results(struct demo *d)
{
	float *boxes = NULL, *scores = NULL;
	int ret;

	/* The fence has signalled: this returns at once, with the result code. */
	NNAPI(ANeuralNetworksEvent_wait(d->done));
	ret = read_memory(d->boxes, BOXES_SIZE, &boxes);
	if (!ret)
		ret = read_memory(d->scores, SCORES_SIZE, &scores);
	d->moments[RESULT_READ] = now();
	if (!ret)
		d->face_count = face_decode(boxes, scores, THRESHOLD, d->faces, MAX_FACES);
	free(boxes);
	free(scores);
	return ret;
}

static int read_times(struct demo *d)
{
	NNAPI(ANeuralNetworksExecution_getDuration(d->execution,
						   ANEURALNETWORKS_DURATION_ON_HARDWARE,
						   &d->hardware));
	NNAPI(ANeuralNetworksExecution_getDuration(d->execution,
						   ANEURALNETWORKS_FENCED_DURATION_IN_DRIVER,
						   &d->fenced));
	/* NNAPI gives durations, of which the fenced one starts when the in-fence signals. */
	if (d->fenced != UINT64_MAX && d->hardware != UINT64_MAX) {
		d->moments[DEVICE_END] = d->moments[GATE_SIGNALLED] + d->fenced;
		d->moments[DEVICE_BEGIN] = d->moments[DEVICE_END] - d->hardware;
	}
	return 0;
}

/* --------------------------------------------------------------------------------------- result */

static void print_timeline(const struct demo *d)
{
	static const char *const names[MOMENTS] = {
		"startComputeWithDependencies called",
		"it returned (submitted)",
		"in-fence told to signal",
		"in-fence signalled",
		"device began",
		"device ended",
		"out-fence signalled",
		"results read",
	};
	uint64_t start = d->moments[SUBMIT_CALLED];
	int i;

	printf("\ntimeline  (ms)\n");
	for (i = 0; i < MOMENTS; i++) {
		if (d->moments[i])
			printf("%10.3f  %s\n", (double)(int64_t)(d->moments[i] - start) / 1e6,
			       names[i]);
		else
			printf("         -  %s (not told)\n", names[i]);
	}
	if (d->hardware != UINT64_MAX)
		printf("          device time %.3f ms\n", (double)d->hardware / 1e6);
}

/* From fractions of the network's picture to pixels of the photo. */
static float photo_x(const struct demo *d, float x)
{
	return (x * FACE_SIDE - d->left) * d->scale;
}

static float photo_y(const struct demo *d, float y)
{
	return (y * FACE_SIDE - d->top) * d->scale;
}

/*
 * Why what was found cannot be a face, NULL when it can: eyes must be above the nose, that above
 * the mouth, and all of them inside a box that has a possible size.
 */
static const char *doubt(const struct demo *d, const struct face *f)
{
	const float (*p)[2] = f->points;
	float w = photo_x(d, f->x1) - photo_x(d, f->x0);
	int i;

	for (i = FACE_EYE_A; i <= FACE_MOUTH; i++)
		if (p[i][0] < f->x0 || p[i][0] > f->x1 || p[i][1] < f->y0 || p[i][1] > f->y1)
			return "eyes, nose or mouth lie outside the face";
	if (p[FACE_EYE_A][1] >= p[FACE_NOSE][1] ||
	    p[FACE_EYE_B][1] >= p[FACE_NOSE][1] ||
	    p[FACE_NOSE][1] >= p[FACE_MOUTH][1])
		return "eyes, nose and mouth are not in their order";
	if (p[FACE_EYE_A][0] >= p[FACE_EYE_B][0])
		return "the eyes have changed places";
	if (w < 0.03f * (float)d->photo.width || w > (float)d->photo.width)
		return "its size is impossible";
	if (d->expect && (photo_x(d, f->x0) > d->expect_x || photo_x(d, f->x1) < d->expect_x ||
			  photo_y(d, f->y0) > d->expect_y || photo_y(d, f->y1) < d->expect_y))
		return "it is not where the face in this photo is";
	return NULL;
}

static int write_picture(const struct demo *d)
{
	static const struct image_color green = { 64, 240, 96 }, red = { 255, 80, 80 },
					dark = { 16, 24, 16 };
	int thickness = (int)d->photo.width / 170 + 1;
	char error[IMAGE_ERROR_SIZE], text[32];
	struct image out;
	uint32_t i;
	int k, ret;

	if (image_create(&out, d->photo.width, d->photo.height))
		return fail("out of memory");
	memcpy(out.pixels, d->photo.pixels, (size_t)out.width * out.height * 3);
	for (i = 0; i < d->face_count; i++) {
		const struct face *f = &d->faces[i];
		int x = (int)photo_x(d, f->x0), y = (int)photo_y(d, f->y0);
		int w = (int)photo_x(d, f->x1) - x, h = (int)photo_y(d, f->y1) - y;

		image_rectangle(&out, x, y, w, h, thickness, green);
		for (k = 0; k < FACE_POINTS; k++)
			image_disc(&out, (int)photo_x(d, f->points[k][0]),
				   (int)photo_y(d, f->points[k][1]), thickness, red);
		snprintf(text, sizeof(text), "face %.0f%%", 100.0 * (double)f->score);
		image_fill(&out, x, y - 20, (int)strlen(text) * 16 + 4, 20, green);
		image_text(&out, x, y - 17, 2, text, dark);
	}
	ret = image_save_png(&out, d->output_path, error);
	image_free(&out);
	if (ret)
		return fail("%s: %s", d->output_path, error);
	printf("picture   %s\n", d->output_path);
	return 0;
}

static int report(struct demo *d)
{
	const char *wrong;
	uint32_t i;

	printf("\n");
	for (i = 0; i < d->face_count; i++)
		printf("face      %.1f %% at %.0f,%.0f, %.0fx%.0f pixels\n",
		       100.0 * (double)d->faces[i].score, (double)photo_x(d, d->faces[i].x0),
		       (double)photo_y(d, d->faces[i].y0),
		       (double)(photo_x(d, d->faces[i].x1) - photo_x(d, d->faces[i].x0)),
		       (double)(photo_y(d, d->faces[i].y1) - photo_y(d, d->faces[i].y0)));
	if (d->output_path && write_picture(d))
		return 1;
	if (!d->face_count)
		return fail("no face was found in %s", d->image_path);
	wrong = doubt(d, &d->faces[0]);
	if (wrong)
		return fail("what was found is no face: %s", wrong);
	return 0;
}

static int demo(struct demo *d)
{
	return compile(d) || prepare_input(d) || prepare_run(d) || run_behind_fence(d) ||
	       read_results(d) || read_times(d) || (print_timeline(d), 0) || report(d);
}

static void finish(struct demo *d)
{
	/* When something has failed, the run may still be waiting for its in-fence. */
	if (d->done) {
		gate_open(&d->gate);
		ANeuralNetworksEvent_wait(d->done);
	}
	ANeuralNetworksEvent_free(d->done);
	ANeuralNetworksEvent_free(d->gate_event);
	ANeuralNetworksExecution_free(d->execution);
	ANeuralNetworksMemory_free(d->scores);
	ANeuralNetworksMemory_free(d->boxes);
	ANeuralNetworksMemory_free(d->input);
	ANeuralNetworksCompilation_free(d->compilation);
	ANeuralNetworksModel_free(d->model);
	tflite_free(d->tflite);
	image_free(&d->photo);
	gate_destroy(&d->gate);
	if (d->out_fd >= 0)
		close(d->out_fd);
	if (d->input_fd >= 0)
		close(d->input_fd);
	if (d->vgem >= 0)
		close(d->vgem);
}

static const char HELP[] =
	"nna-demo --model FACE.tflite --image F [--output PNG] "
	"[--device auto|loopback|/dev/accel/accelN]\n"
	"         [--expect X,Y] [--hold MS]\n\n"
	"Finds the face in a photo through the NNAPI C API, behind a fence that signals only after "
	"the\nsubmission has returned. On an accelerator the fence and the input are vgem's "
	"(modprobe vgem).\n"
	"--expect names a pixel that the face must cover, --hold how long the fence is held (20).\n"
	"Exit status 0 only when a face was found.";

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "model", required_argument, NULL, 'm' },
		{ "image", required_argument, NULL, 'i' },
		{ "output", required_argument, NULL, 'o' },
		{ "device", required_argument, NULL, 'd' },
		{ "expect", required_argument, NULL, 'e' },
		{ "hold", required_argument, NULL, 'H' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct demo d = { .device = "auto", .hold_ms = 20, .vgem = -1, .input_fd = -1, .out_fd = -1,
			  .gate = { -1, -1, 0 } };
	int c, ret;

	while ((c = getopt_long(argc, argv, "m:i:o:d:e:h", options, NULL)) != -1) {
		switch (c) {
		case 'm':
			d.model_path = optarg;
			break;
		case 'i':
			d.image_path = optarg;
			break;
		case 'o':
			d.output_path = optarg;
			break;
		case 'd':
			d.device = optarg;
			break;
		case 'e':
			if (sscanf(optarg, "%f,%f", &d.expect_x, &d.expect_y) != 2)
				return fail("--expect must be X,Y"), 2;
			d.expect = true;
			break;
		case 'H':
			d.hold_ms = (uint32_t)strtoul(optarg, NULL, 10);
			if (d.hold_ms > 5000)
				return fail("--hold must be at most 5000 "
					    "(vgem's fences end after 10 s)"), 2;
			break;
		case 'h':
			puts(HELP);
			return 0;
		default:
			return 2;
		}
	}
	if (optind != argc || !d.model_path || !d.image_path)
		return fail("--model and --image are needed (see --help)"), 2;
	/* The library looks here for the device to use. */
	setenv("NNACCEL_DEVICE", d.device, 1);
	ret = demo(&d);
	finish(&d);
	return ret;
}
