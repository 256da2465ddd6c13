// SPDX-License-Identifier: MIT
#include "tools/nnactl/nnactl.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/image/nna_image.h"
#include "tools/nnactl/labels.h"

#define TOP 5

/**
 * struct run - one `nnactl run`
 * @input: the bytes of all inputs, back to back
 * @top: classes with the highest scores, best first
 */
struct run {
	const char *model, *image_path, *labels_path, *output_path, *device;
	const char *raw_input, *raw_output;
	uint32_t threads;
	struct nnactl_session session;
	struct nna_execution *execution;
	struct nnactl_outputs outputs;
	struct nnactl_labels labels;
	struct nna_image photo;
	uint8_t *input;
	size_t input_size;
	size_t top[TOP];
	uint32_t top_count;
};

static void put_float(uint8_t *to, size_t index, float value)
{
	memcpy(to + index * sizeof(value), &value, sizeof(value));
}

/* float32 to float16, nearest even; only for values in [-1, 1]. */
static uint16_t half_of(float value)
{
	uint16_t sign = value < 0 ? 0x8000 : 0;
	float size = fabsf(value);
	int exponent;

	if (size < 0x1p-14f)
		return sign | (uint16_t)lrintf(ldexpf(size, 24));
	frexpf(size, &exponent);
	return sign | (uint16_t)(((exponent + 14) << 10) + (int)lrintf(ldexpf(size, 11 - exponent)) -
				 1024);
}

/* One byte of the picture as the model's type: floats are in [-1, 1], signed bytes around zero. */
static int put(const struct nna_io_info *info, uint8_t *to, size_t index, uint8_t value)
{
	float real = ((float)value - 127.5f) / 127.5f;
	uint16_t half;

	switch (info->type) {
	case NNA_TENSOR_QUANT8_ASYMM:
		to[index] = value;
		return 0;
	case NNA_TENSOR_QUANT8_ASYMM_SIGNED:
		to[index] = (uint8_t)(value ^ 0x80);
		return 0;
	case NNA_TENSOR_FLOAT32:
		put_float(to, index, real);
		return 0;
	case NNA_TENSOR_FLOAT16:
		half = half_of(real);
		memcpy(to + index * 2, &half, 2);
		return 0;
	default:
		return -ENOTSUP;
	}
}

static int image_input(struct run *r)
{
	char error[NNA_IMAGE_ERROR_SIZE], text[128];
	uint32_t height, width, channels;
	struct nna_image scaled;
	struct nna_io_info info;
	size_t i, pixels;

	if (nna_program_input_count(r->session.program) != 1)
		return nnactl_error("%s has %u inputs, a picture fits one: use --raw-input", r->model,
				    nna_program_input_count(r->session.program));
	nna_program_get_input(r->session.program, 0, &info);
	if (info.rank == 4 && (info.dims[3] == 3 || info.dims[3] == 1)) {
		height = info.dims[1];
		width = info.dims[2];
		channels = info.dims[3];
	} else if (info.rank == 3) {
		height = info.dims[1];
		width = info.dims[2];
		channels = 1;
	} else {
		return nnactl_error("%s takes %s, which is no picture: use --raw-input", r->model,
				    nnactl_describe(&info, text, sizeof(text)));
	}
	if (info.dims[0] != 1)
		return nnactl_error("%s takes %u pictures at once: use --raw-input", r->model,
				    info.dims[0]);
	if (nna_image_load(r->image_path, &r->photo, error))
		return nnactl_error("%s: %s", r->image_path, error);
	if (nna_image_resize(&r->photo, &scaled, width, height))
		return nnactl_error("cannot scale the picture to %ux%u", width, height);
	r->input_size = info.size;
	r->input = malloc(info.size);
	pixels = (size_t)width * height;
	for (i = 0; r->input && i < pixels; i++) {
		const uint8_t *p = scaled.pixels + 3 * i;
		int ret = 0, c;

		if (channels == 1)
			ret = put(&info, r->input, i,
				  (uint8_t)((299 * p[0] + 587 * p[1] + 114 * p[2] + 500) / 1000));
		for (c = 0; channels == 3 && c < 3; c++)
			ret = put(&info, r->input, 3 * i + (size_t)c, p[c]);
		if (ret) {
			nna_image_free(&scaled);
			return nnactl_error("%s takes %s: use --raw-input", r->model,
					    nnactl_describe(&info, text, sizeof(text)));
		}
	}
	nna_image_free(&scaled);
	return r->input ? 0 : nnactl_error("out of memory");
}

static int file_input(struct run *r)
{
	uint32_t count = nna_program_input_count(r->session.program), i;
	struct nna_io_info info;
	size_t total = 0, got;
	FILE *file;

	for (i = 0; i < count; i++) {
		nna_program_get_input(r->session.program, i, &info);
		if (!info.size || __builtin_add_overflow(total, info.size, &total))
			return nnactl_error("%s: the size of input %u is not known", r->model, i);
	}
	r->input = malloc(total + 1);
	if (!r->input)
		return nnactl_error("out of memory");
	file = fopen(r->raw_input, "re");
	if (!file)
		return nnactl_error("%s: %s", r->raw_input, strerror(errno));
	got = fread(r->input, 1, total + 1, file);
	fclose(file);
	if (got != total)
		return nnactl_error("%s has %s bytes than the %zu of the model's inputs", r->raw_input,
				    got < total ? "fewer" : "more", total);
	r->input_size = total;
	return 0;
}

static int bind_inputs(struct run *r)
{
	uint32_t i;
	size_t at = 0;
	int ret;

	for (i = 0; i < nna_program_input_count(r->session.program); i++) {
		struct nna_io_info info;

		nna_program_get_input(r->session.program, i, &info);
		ret = nna_execution_set_input(r->execution, i, 0, NULL, r->input + at, info.size);
		if (ret)
			return nnactl_failed(&r->session.log, "input %u: %s", i, strerror(-ret));
		at += info.size;
	}
	return 0;
}

/* One score per class: everything but the last dimension is 1. */
static bool is_classifier(const struct nnactl_outputs *o)
{
	return o->count == 1 && o->info[0].rank && nnactl_elements(&o->info[0]) >= 2 &&
	       o->info[0].dims[o->info[0].rank - 1] == nnactl_elements(&o->info[0]) &&
	       o->info[0].type != NNA_TENSOR_INT64 && o->info[0].type != NNA_TENSOR_INT32;
}

static void find_top(struct run *r)
{
	const struct nna_io_info *info = &r->outputs.info[0];
	const void *data = r->outputs.data[0];
	size_t i, n = nnactl_elements(info);

	for (i = 0; i < n; i++) {
		double score = nnactl_value(info, data, i);
		uint32_t at = r->top_count;

		while (at && score > nnactl_value(info, data, r->top[at - 1]))
			at--;
		if (at == TOP)
			continue;
		if (r->top_count < TOP)
			r->top_count++;
		memmove(&r->top[at + 1], &r->top[at], (r->top_count - at - 1) * sizeof(r->top[0]));
		r->top[at] = i;
	}
}

static const char *label(const struct run *r, size_t class, char *to, size_t size)
{
	if (class < r->labels.count)
		return nna_tflite_printable(r->labels.names[class], to, size);
	snprintf(to, size, "class %zu", class);
	return to;
}

static void print_result(struct run *r)
{
	char text[160];
	uint32_t i;

	for (i = 0; i < r->top_count; i++)
		printf("%u. %7.4f  %4zu  %s\n", i + 1,
		       nnactl_value(&r->outputs.info[0], r->outputs.data[0], r->top[i]), r->top[i],
		       label(r, r->top[i], text, sizeof(text)));
	for (i = 0; !r->top_count && i < r->outputs.count; i++) {
		const struct nna_io_info *info = &r->outputs.info[i];
		double low = INFINITY, high = -INFINITY;
		size_t k;

		for (k = 0; k < nnactl_elements(info); k++) {
			low = fmin(low, nnactl_value(info, r->outputs.data[i], k));
			high = fmax(high, nnactl_value(info, r->outputs.data[i], k));
		}
		printf("output %u: %s, values %g to %g\n", i,
		       nnactl_describe(info, text, sizeof(text)), low, high);
	}
}

/* The photo with the result below it. */
static int write_picture(struct run *r)
{
	static const struct nna_color white = { 255, 255, 255 }, grey = { 24, 24, 32 },
				      green = { 96, 224, 96 };
	uint32_t scale = r->photo.width >= 480 ? 2 : 1, lines = r->top_count ? r->top_count : 1, i;
	char error[NNA_IMAGE_ERROR_SIZE], text[160], line[200];
	int line_height = (int)scale * 11;
	struct nna_image out;
	int ret;

	ret = nna_image_create(&out, r->photo.width,
			       r->photo.height + lines * (uint32_t)line_height + 4 * scale);
	if (ret)
		return nnactl_error("%s: the picture is too large", r->output_path);
	memcpy(out.pixels, r->photo.pixels, (size_t)r->photo.width * r->photo.height * 3);
	nna_image_fill(&out, 0, (int)r->photo.height, (int)out.width,
		       (int)(out.height - r->photo.height), grey);
	for (i = 0; i < lines; i++) {
		if (r->top_count)
			snprintf(line, sizeof(line), "%5.1f%% %s",
				 100 * nnactl_value(&r->outputs.info[0], r->outputs.data[0], r->top[i]),
				 label(r, r->top[i], text, sizeof(text)));
		else
			snprintf(line, sizeof(line), "%s",
				 nnactl_describe(&r->outputs.info[0], text, sizeof(text)));
		nna_image_text(&out, (int)(4 * scale),
			       (int)(r->photo.height + 3 * scale) + (int)i * line_height, (int)scale,
			       line, i ? white : green);
	}
	ret = nna_image_save_png(&out, r->output_path, error);
	nna_image_free(&out);
	return ret ? nnactl_error("%s: %s", r->output_path, error) : 0;
}

static int write_raw(struct run *r)
{
	FILE *file = fopen(r->raw_output, "we");
	bool bad = false;
	uint32_t i;

	if (!file)
		return nnactl_error("%s: %s", r->raw_output, strerror(errno));
	for (i = 0; i < r->outputs.count; i++)
		bad |= fwrite(r->outputs.data[i], 1, r->outputs.info[i].size, file) !=
		       r->outputs.info[i].size;
	if (fclose(file) || bad)
		return nnactl_error("%s: %s", r->raw_output, strerror(errno));
	return 0;
}

/* What can be wrong with the labels is said before anything is computed. */
static int check_labels(struct run *r)
{
	size_t classes;

	if (!r->labels_path)
		return 0;
	if (nnactl_labels_load(&r->labels, r->labels_path))
		return 1;
	if (!is_classifier(&r->outputs))
		return nnactl_error("%s does not classify: leave --labels away", r->model);
	classes = nnactl_elements(&r->outputs.info[0]);
	if (classes != r->labels.count)
		return nnactl_error("%s has %zu labels, but %s has %zu classes: use the model's own labels file",
				    r->labels_path, r->labels.count, r->model, classes);
	return 0;
}

static int run(struct run *r)
{
	struct nna_timing timing;
	int ret;

	ret = nnactl_session_open(&r->session, r->model, r->device, r->threads);
	if (ret)
		return ret;
	ret = r->raw_input ? file_input(r) : image_input(r);
	if (ret)
		return ret;
	ret = nna_execution_create(r->session.program, &r->execution);
	if (ret)
		return nnactl_failed(&r->session.log, "%s: %s", r->model, strerror(-ret));
	ret = bind_inputs(r) ?: nnactl_outputs_bind(&r->outputs, &r->session, r->execution) ?:
	      check_labels(r);
	if (ret)
		return ret;
	ret = nna_execution_compute(r->execution);
	if (ret)
		return nnactl_failed(&r->session.log, "%s: the run failed: %s", r->model,
				     strerror(-ret));
	if (is_classifier(&r->outputs))
		find_top(r);
	print_result(r);
	if (!nna_execution_get_timing(r->execution, &timing))
		printf("%s: %u commands, %.3f ms\n", r->session.device_name, timing.commands,
		       (double)timing.run / 1e6);
	if (r->raw_output && write_raw(r))
		return 1;
	return r->output_path ? write_picture(r) : 0;
}

int nnactl_run(int argc, char **argv)
{
	static const struct option options[] = {
		{ "image", required_argument, NULL, 'i' },
		{ "labels", required_argument, NULL, 'l' },
		{ "output", required_argument, NULL, 'o' },
		{ "device", required_argument, NULL, 'd' },
		{ "threads", required_argument, NULL, 't' },
		{ "raw-input", required_argument, NULL, 'I' },
		{ "raw-output", required_argument, NULL, 'O' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct run r = { .device = "auto" };
	int c, ret;

	while ((c = getopt_long(argc, argv, ":i:l:o:d:t:h", options, NULL)) != -1) {
		switch (c) {
		case 'i':
			r.image_path = optarg;
			break;
		case 'l':
			r.labels_path = optarg;
			break;
		case 'o':
			r.output_path = optarg;
			break;
		case 'd':
			r.device = optarg;
			break;
		case 't':
			if (!nnactl_number("--threads", optarg, 1, 1024, &r.threads))
				return 2;
			break;
		case 'I':
			r.raw_input = optarg;
			break;
		case 'O':
			r.raw_output = optarg;
			break;
		case 'h':
			puts("nnactl run MODEL.tflite --image F [--labels F] [--output PNG]\n"
			     "           [--device auto|loopback|/dev/accel/accelN] [--threads N]\n"
			     "           [--raw-input F] [--raw-output F]\n\n"
			     "Scales a BMP, PNG or JPEG picture to the model's input (bytes as they are, floats from\n"
			     "-1 to 1), runs the model and prints the five best classes with their scores. --output\n"
			     "writes the picture with them. --raw-input gives the bytes of all inputs instead of a\n"
			     "picture, --raw-output writes those of all outputs.");
			return 0;
		case ':':
			return nnactl_misuse("%s needs a value", argv[optind - 1]);
		default:
			return nnactl_misuse("run knows no option %s", argv[optind - 1]);
		}
	}
	if (optind + 1 != argc)
		return nnactl_misuse("run takes one model file");
	if (!r.image_path == !r.raw_input)
		return nnactl_misuse("run needs either --image or --raw-input");
	if (r.output_path && !r.image_path)
		return nnactl_misuse("--output draws on a picture, which --image gives");
	r.model = argv[optind];
	ret = run(&r);
	nna_execution_destroy(r.execution);
	nnactl_outputs_free(&r.outputs);
	nnactl_session_close(&r.session);
	nnactl_labels_free(&r.labels);
	nna_image_free(&r.photo);
	free(r.input);
	return ret;
}
