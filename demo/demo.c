// SPDX-License-Identifier: MIT
/*
 * The demo: finds the face in a photo, on the NNA, the way a camera pipeline would: behind a fence
 * of another driver, with nothing waited for but the fence that comes out (demo.h). When each step
 * happened is printed, and a picture with the face marked is written.
 */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "demo/demo.h"
#include "demo/quantise.h"
#include "demo/range.h"
#include "frontend/tflite/translate.h"

#define THRESHOLD 0.6f

int demo_fail(const char *format, ...)
{
	va_list ap;

	fflush(stdout);
	fprintf(stderr, "%s: ", demo_interface.program);
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

/* --------------------------------------------------------------------------------------- set-up */

static bool is_float_of(const struct tflite_tensor *t, size_t elements)
{
	return t->type == TFLITE_FLOAT32 && t->elements == elements;
}

/* Checked, since the outputs of another network would be read as boxes. */
static bool is_blazeface(const struct tflite_model *model)
{
	const struct tflite_subgraph *s = &model->subgraphs[0];

	return s->inputs.count == 1 && s->outputs.count == 2 &&
	       is_float_of(&s->tensors[s->inputs.at[0]], DEMO_INPUT) &&
	       is_float_of(&s->tensors[s->outputs.at[0]], DEMO_BOXES) &&
	       is_float_of(&s->tensors[s->outputs.at[1]], DEMO_SCORES);
}

/* The photo, fitted into the network's square, from -1 to 1; black around it. */
static int load_photo(struct demo *d)
{
	char error[IMAGE_ERROR_SIZE];
	uint32_t width, height, left, top, x, y, c;
	struct image scaled;

	d->pixels = calloc(DEMO_INPUT, sizeof(*d->pixels));
	if (!d->pixels)
		return demo_fail("out of memory");
	if (image_load(d->image_path, &d->photo, error))
		return demo_fail("%s: %s", d->image_path, error);
	if (d->photo.width >= d->photo.height) {
		width = FACE_SIDE;
		height = FACE_SIDE * d->photo.height / d->photo.width;
	} else {
		height = FACE_SIDE;
		width = FACE_SIDE * d->photo.width / d->photo.height;
	}
	if (image_resize(&d->photo, &scaled, width ? width : 1, height ? height : 1))
		return demo_fail("cannot scale the photo");
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
				d->pixels[((size_t)y * FACE_SIDE + x) * 3 + c] =
					p ? (float)p[c] / 127.5f - 1.0f : -1.0f;
		}
	}
	printf("photo     %s: %ux%u\n", d->image_path, d->photo.width, d->photo.height);
	image_free(&scaled);
	return 0;
}

/* Writes a variant of the photo. Ranges are measured on several variants. */
static void vary(const float *pixels, bool mirrored, float brightness, float *to)
{
	for (size_t y = 0; y < FACE_SIDE; y++)
		for (size_t x = 0; x < FACE_SIDE; x++)
			for (size_t c = 0; c < 3; c++) {
				const size_t from = mirrored ? FACE_SIDE - 1 - x : x;
				const float light = pixels[(y * FACE_SIDE + from) * 3 + c] + 1;

				to[(y * FACE_SIDE + x) * 3 + c] =
					fminf(light * brightness, 2) - 1;
			}
}

/* Ranges of what the network computes of the photo and its variations, to a file. */
static int measure(struct demo *d, struct range *ranges)
{
	static const struct {
		bool mirrored;
		float brightness;
	} variations[] = { { false, 1 }, { true, 1 }, { false, 0.6f }, { true, 1.5f } };
	const uint32_t count = sizeof(variations) / sizeof(variations[0]);
	const float *inputs[sizeof(variations) / sizeof(variations[0])];
	float *pixels = calloc(count * DEMO_INPUT, sizeof(*pixels));
	char error[TFLITE_ERROR_SIZE];
	int ret;

	if (!pixels)
		return demo_fail("out of memory");
	for (uint32_t i = 0; i < count; i++) {
		inputs[i] = pixels + i * DEMO_INPUT;
		vary(d->pixels, variations[i].mirrored, variations[i].brightness,
		     pixels + i * DEMO_INPUT);
	}
	ret = range_measure(&d->network, inputs, count, ranges, error);
	free(pixels);
	if (ret)
		return demo_fail("%s: %s", d->model_path, error);
	ret = range_save(d->ranges_path, ranges, d->network.operand_count);
	if (ret)
		return demo_fail("%s: %s", d->ranges_path, strerror(-ret));
	printf("ranges    of the floats of this photo and %u variations, in %s\n", count - 1,
	       d->ranges_path);
	return 0;
}

/* The network of 8 bits. */
static int quantise(struct demo *d, struct range *ranges)
{
	int ret = range_load(d->ranges_path, ranges, d->network.operand_count);
	char error[TFLITE_ERROR_SIZE];

	if (ret)
		return demo_fail("%s: %s: --measure writes it", d->ranges_path, strerror(-ret));
	if (quantise_network(&d->network, ranges, error))
		return demo_fail("%s: %s", d->model_path, error);
	d->instead = &d->network;
	d->element = 1;
	printf("numbers   of 8 bits, over the ranges in %s\n", d->ranges_path);
	return 0;
}

/* With ranges: either they are measured, or the network is one of 8 bits. */
static int use_ranges(struct demo *d)
{
	char error[TFLITE_ERROR_SIZE];
	struct range *ranges;
	int ret;

	if (tflite_translate(d->tflite, &network_sink, &d->network, NULL, error))
		return demo_fail("%s: %s", d->model_path, error);
	ranges = calloc(d->network.operand_count, sizeof(*ranges));
	if (!ranges)
		return demo_fail("out of memory");
	ret = d->measure ? measure(d, ranges) : quantise(d, ranges);
	free(ranges);
	return ret;
}

int demo_tell_taken(const struct demo *d, const char *name, const bool *taken)
{
	const struct network *n = d->instead;

	for (uint32_t i = 0; i < n->operation_count; i++)
		if (!taken[i])
			return demo_fail("%s does not take operation %u of %u, %s", name, i,
					 n->operation_count, network_name(n, i));
	printf("taken     all %u operations, by %s\n", n->operation_count, name);
	return 0;
}

static int load(struct demo *d)
{
	char error[TFLITE_ERROR_SIZE];

	if (tflite_load(d->model_path, &d->tflite, error))
		return demo_fail("%s: %s", d->model_path, error);
	if (!is_blazeface(d->tflite))
		return demo_fail("%s is not BlazeFace's short-range model: demo/fetch gets it",
				 d->model_path);
	return load_photo(d) || (d->ranges_path && use_ranges(d));
}

static int compile(struct demo *d)
{
	if (demo_interface.compile(d))
		return 1;
	/* The loopback waits for anything that polls, so that it needs no vgem. */
	if (!d->loopback) {
		d->vgem = gate_open_vgem();
		if (d->vgem < 0)
			return demo_fail("no vgem device: load the module (modprobe vgem)");
	}
	return 0;
}

static int prepare_input(struct demo *d)
{
	const size_t size = DEMO_INPUT * d->element;
	void *map;

	if (d->vgem >= 0) {
		d->input_fd = gate_buffer(d->vgem, size);
		if (d->input_fd < 0)
			return demo_fail("no dma-buf from vgem: %s", strerror(-d->input_fd));
	} else {
		d->input_fd = memfd_create("nna-demo-input", MFD_CLOEXEC | MFD_ALLOW_SEALING);
		if (d->input_fd < 0 || ftruncate(d->input_fd, (off_t)size))
			return demo_fail("no memfd: %s", strerror(errno));
	}
	map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, d->input_fd, 0);
	if (map == MAP_FAILED)
		return demo_fail("cannot map the input: %s", strerror(errno));
	if (d->vgem >= 0)
		gate_cpu_access(d->input_fd, true);
	if (d->instead)
		quantise_floats(&d->network.operands[d->network.inputs[0]].desc, d->pixels,
				DEMO_INPUT, map);
	else
		memcpy(map, d->pixels, size);
	if (d->vgem >= 0)
		gate_cpu_access(d->input_fd, false);
	munmap(map, size);
	printf("input     %zu bytes in a %s\n", size,
	       d->vgem >= 0 ? "dma-buf of another driver (vgem)" : "memfd");
	return 0;
}

/* ------------------------------------------------------------------------------------------ run */

static void sleep_ms(uint32_t ms)
{
	struct timespec t = { ms / 1000, (long)(ms % 1000) * 1000000 };

	nanosleep(&t, NULL);
}

/* In a thread of its own, for a submission that returns at the end. */
static void *open_later(void *opaque)
{
	struct demo *d = opaque;

	sleep_ms(d->hold_ms);
	d->moments[DEMO_GATE_OPENED] = now();
	/* A gate that stays shut ends with an error, after ten seconds. */
	gate_open(&d->gate);
	return NULL;
}

/* A submission that waits for the end, and so for its in-fence. */
static int submit_and_wait(struct demo *d)
{
	pthread_t opener;
	int ret;

	d->moments[DEMO_SUBMIT_CALLED] = now();
	ret = pthread_create(&opener, NULL, open_later, d);
	if (ret)
		return demo_fail("no thread: %s", strerror(ret));
	ret = demo_interface.submit(d);
	d->moments[DEMO_SUBMIT_RETURNED] = now();
	if (!ret && !gate_is_signalled(d->gate.fd))
		ret = demo_fail("the run ended before its in-fence signalled");
	pthread_join(opener, NULL);
	if (!ret)
		printf("submitted %s has returned at the end, behind the in-fence; no out-fence where "
		       "the input is copied\n", demo_interface.submission);
	return ret;
}

/* A submission that does not wait; the gate is opened when it has returned. */
static int submit_and_open(struct demo *d)
{
	int ret;

	d->moments[DEMO_SUBMIT_CALLED] = now();
	if (demo_interface.submit(d))
		return 1;
	d->moments[DEMO_SUBMIT_RETURNED] = now();
	if (gate_is_signalled(d->gate.fd))
		return demo_fail("the in-fence signalled before it was told to");
	if (d->vgem >= 0 && !d->staged && d->out_fd < 0)
		return demo_fail("the execution has no sync fence");
	/* A driver that does not wait for the in-fence ends the run meanwhile, and is caught. */
	sleep_ms(d->hold_ms);
	if (d->out_fd >= 0 && gate_is_signalled(d->out_fd))
		return demo_fail("the out-fence signalled before the in-fence");
	printf("submitted %s has returned; in-fence still not signalled, %s\n",
	       demo_interface.submission,
	       d->out_fd >= 0 ? "out-fence neither" :
	       d->staged ? "no out-fence where the input is copied (an event instead)" :
	       "no out-fence on this device (an event instead)");

	d->moments[DEMO_GATE_OPENED] = now();
	ret = gate_open(&d->gate);
	return ret ? demo_fail("cannot signal the in-fence: %s", strerror(-ret)) : 0;
}

/* As a compositor or a camera would: they know the fence and nothing of NNAPI. */
static int wait_for_fence(struct demo *d)
{
	struct pollfd p = { .fd = d->out_fd, .events = POLLIN };
	int ret;

	do
		ret = poll(&p, 1, 60000);
	while (ret < 0 && errno == EINTR);
	return ret > 0 ? 0 : demo_fail("the out-fence has not signalled within a minute");
}

static int run_behind_fence(struct demo *d)
{
	int ret;

	ret = gate_create(&d->gate, d->vgem);
	if (ret)
		return demo_fail("cannot make the in-fence: %s", strerror(-ret));
	printf("\nin-fence  %s, %s\n", d->vgem >= 0 ? "a sync_file of vgem" : "an eventfd",
	       gate_is_signalled(d->gate.fd) ? "signalled" : "not signalled");
	if (d->staged && demo_interface.waits ? submit_and_wait(d) : submit_and_open(d))
		return 1;
	if (d->out_fd >= 0 ? wait_for_fence(d) : demo_interface.wait(d))
		return 1;
	d->moments[DEMO_OUT_SIGNALLED] = now();
	d->moments[DEMO_GATE_SIGNALLED] = d->moments[DEMO_GATE_OPENED];
	if (d->vgem >= 0) {
		d->moments[DEMO_GATE_SIGNALLED] = gate_time(d->gate.fd);
		if (!d->moments[DEMO_GATE_SIGNALLED])
			return demo_fail("the in-fence carries an error");
	}
	if (d->out_fd >= 0) {
		d->moments[DEMO_OUT_SIGNALLED] = gate_time(d->out_fd);
		if (!d->moments[DEMO_OUT_SIGNALLED])
			return demo_fail("the execution failed: its fence carries an error");
	}
	return 0;
}

/* The numbers of an output as floats, in place of it. */
static int widen(const struct demo *d, uint32_t output, size_t count, void **numbers)
{
	float *floats;

	if (!d->instead)
		return 0;
	floats = calloc(count, sizeof(*floats));
	if (!floats)
		return demo_fail("out of memory");
	quantise_to_floats(&d->network.operands[d->network.outputs[output]].desc, *numbers, count,
			   floats);
	free(*numbers);
	*numbers = floats;
	return 0;
}

static int read_results(struct demo *d)
{
	void *boxes = NULL, *scores = NULL;
	int ret = demo_interface.read(d, &boxes, &scores);

	d->moments[DEMO_RESULT_READ] = now();
	if (!ret)
		ret = widen(d, 0, DEMO_BOXES, &boxes) || widen(d, 1, DEMO_SCORES, &scores);
	if (!ret)
		d->face_count = face_decode(boxes, scores, THRESHOLD, d->faces, DEMO_MAX_FACES);
	free(boxes);
	free(scores);
	return ret;
}

static int read_times(struct demo *d)
{
	if (demo_interface.times(d))
		return 1;
	/* NNAPI gives durations, of which the fenced one starts when the in-fence signals. */
	if (d->fenced != UINT64_MAX && d->hardware != UINT64_MAX) {
		d->moments[DEMO_DEVICE_END] = d->moments[DEMO_GATE_SIGNALLED] + d->fenced;
		d->moments[DEMO_DEVICE_BEGIN] = d->moments[DEMO_DEVICE_END] - d->hardware;
	}
	return 0;
}

/* --------------------------------------------------------------------------------------- result */

/* In the order in which they happened; what is not told stays at its place. */
static void sort_moments(const struct demo *d, int order[DEMO_MOMENTS])
{
	for (int i = 0; i < DEMO_MOMENTS; i++) {
		int at = i;

		while (d->moments[i] && at && d->moments[order[at - 1]] > d->moments[i]) {
			order[at] = order[at - 1];
			at--;
		}
		order[at] = i;
	}
}

static void print_timeline(const struct demo *d)
{
	const char *const names[DEMO_MOMENTS] = {
		"submission called",
		"it returned (submitted)",
		"in-fence told to signal",
		"in-fence signalled",
		"device began",
		"device ended",
		d->out_fd >= 0 ? "out-fence signalled" : "end waited for",
		"results read",
	};
	uint64_t start = d->moments[DEMO_SUBMIT_CALLED];
	int order[DEMO_MOMENTS], i;

	printf("\ntimeline  (ms; the submission is %s)\n", demo_interface.submission);
	sort_moments(d, order);
	for (i = 0; i < DEMO_MOMENTS; i++) {
		const uint64_t moment = d->moments[order[i]];

		if (moment)
			printf("%10.3f  %s\n", (double)(int64_t)(moment - start) / 1e6,
			       names[order[i]]);
		else
			printf("         -  %s (not told)\n", names[order[i]]);
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
		return demo_fail("out of memory");
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
		return demo_fail("%s: %s", d->output_path, error);
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
		return demo_fail("no face was found in %s", d->image_path);
	wrong = doubt(d, &d->faces[0]);
	if (wrong)
		return demo_fail("what was found is no face: %s", wrong);
	return 0;
}

static int demo(struct demo *d)
{
	if (load(d))
		return 1;
	if (d->measure)
		return 0;
	return compile(d) || prepare_input(d) || demo_interface.prepare(d) ||
	       run_behind_fence(d) ||
	       read_results(d) || read_times(d) || (print_timeline(d), 0) || report(d);
}

static void finish(struct demo *d)
{
	demo_interface.finish(d);
	network_fini(&d->network);
	tflite_free(d->tflite);
	free(d->pixels);
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
	"%s --model FACE.tflite --image F [--output PNG] [--device %s]\n"
	"         [--expect X,Y] [--hold MS] [--staged] [--quantise RANGES]\n"
	"%s --model FACE.tflite --image F --measure RANGES\n\n"
	"Finds the face in a photo behind a fence that signals only after the submission has\n"
	"returned. On an accelerator the fence and the input are vgem's (modprobe vgem).\n"
	"--expect names a pixel that the face must cover, --hold how long the fence is held (20).\n"
	"--staged is for drivers that cannot import the input: it is copied, without an out-fence.\n"
	"--measure computes the network in this process, in floats, and writes the ranges of its\n"
	"numbers to a file; --quantise reads it, runs a network of 8 bits in place of the floats,\n"
	"and fails unless the accelerator takes all of its operations.\n"
	"Exit status 0 only when a face was found.\n";

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "model", required_argument, NULL, 'm' },
		{ "image", required_argument, NULL, 'i' },
		{ "output", required_argument, NULL, 'o' },
		{ "device", required_argument, NULL, 'd' },
		{ "expect", required_argument, NULL, 'e' },
		{ "hold", required_argument, NULL, 'H' },
		{ "staged", no_argument, NULL, 's' },
		{ "measure", required_argument, NULL, 'M' },
		{ "quantise", required_argument, NULL, 'q' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct demo d = {
		.device = demo_interface.device,
		.hold_ms = 20,
		.element = sizeof(float),
		.vgem = -1,
		.input_fd = -1,
		.out_fd = -1,
		.gate = { -1, -1, 0 },
	};
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
				return demo_fail("--expect must be X,Y"), 2;
			d.expect = true;
			break;
		case 'H':
			d.hold_ms = (uint32_t)strtoul(optarg, NULL, 10);
			if (d.hold_ms > 5000)
				return demo_fail("--hold must be at most 5000 "
						 "(vgem's fences end after 10 s)"), 2;
			break;
		case 's':
			d.staged = true;
			break;
		case 'M':
		case 'q':
			d.ranges_path = optarg;
			d.measure = c == 'M';
			break;
		case 'h':
			printf(HELP, demo_interface.program, demo_interface.device_help,
			       demo_interface.program);
			return 0;
		default:
			return 2;
		}
	}
	if (optind != argc || !d.model_path || !d.image_path)
		return demo_fail("--model and --image are needed (see --help)"), 2;
	ret = demo(&d);
	finish(&d);
	return ret;
}
