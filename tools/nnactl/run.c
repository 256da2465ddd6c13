// SPDX-License-Identifier: MIT
/*
 * nnactl run: a model on one picture (or on raw bytes), what its outputs mean, and a picture of
 * that. What can be wrong with pictures and labels is found before the model runs.
 */
#include "tools/nnactl/result.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/image/image.h"

/**
 * struct run - one `nnactl run`
 * @model: path of the model; this and the other names are the command line's
 * @threads: of the loopback, 0 for one per CPU
 * @photo: the picture as it was read, to draw on
 * @input: the bytes of all inputs, back to back
 */
struct run {
	const char *model, *image_path, *labels_path, *output_path, *device;
	const char *raw_input, *raw_output;
	uint32_t threads;
	struct nnactl_shapes shapes;
	struct nnactl_session session;
	struct nna_execution *execution;
	struct nnactl_outputs outputs;
	struct nnactl_labels labels;
	struct image photo;
	uint8_t *input;
	size_t input_size;
	struct nnactl_result result;
};

static void put_float(uint8_t *to, size_t index, float value)
{
	memcpy(to + index * sizeof(value), &value, sizeof(value));
}

/* A float from -1 to 1 as a FLOAT16, rounded to the nearest, halves to even. */
static uint16_t half_of(float value)
{
	uint16_t sign = value < 0 ? 0x8000 : 0;
	float size = fabsf(value);
	int exponent;

	if (size < 0x1p-14f)
		return sign | (uint16_t)lrintf(ldexpf(size, 24));
	frexpf(size, &exponent);
	return sign | (uint16_t)(((exponent + 14) << 10) +
				 (int)lrintf(ldexpf(size, 11 - exponent)) - 1024);
}

/* Store one byte of the picture as the model's type: floats from -1 to 1, INT8 around zero. */
static int put(const struct nna_io_info *info, uint8_t *to, size_t index, uint8_t value)
{
	float real = ((float)value - 127.5f) / 127.5f;
	uint16_t half;

	switch (info->type) {
	case NNA_OPERAND_TENSOR_QUANT8_ASYMM:
		to[index] = value;
		return 0;
	case NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED:
		to[index] = (uint8_t)(value ^ 0x80);
		return 0;
	case NNA_OPERAND_TENSOR_FLOAT32:
		put_float(to, index, real);
		return 0;
	case NNA_OPERAND_TENSOR_FLOAT16:
		half = half_of(real);
		memcpy(to + index * 2, &half, 2);
		return 0;
	default:
		return -ENOTSUP;
	}
}

static int image_input(struct run *r)
{
	char error[IMAGE_ERROR_SIZE], text[128];
	uint32_t height, width, channels;
	struct image scaled;
	struct nna_io_info info;
	size_t i, pixels;

	if (nna_program_input_count(r->session.program) != 1)
		return nnactl_error("%s has %u inputs, a picture fits one: use --raw-input",
				    r->model, nna_program_input_count(r->session.program));
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
				    nnactl_io_describe(&info, text, sizeof(text)));
	}
	if (info.dims[0] != 1)
		return nnactl_error("%s takes %u pictures at once: use --raw-input", r->model,
				    info.dims[0]);
	if (image_load(r->image_path, &r->photo, error))
		return nnactl_error("%s: %s", r->image_path, error);
	if (image_resize(&r->photo, &scaled, width, height))
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
			image_free(&scaled);
			return nnactl_error("%s takes %s: use --raw-input", r->model,
					    nnactl_io_describe(&info, text, sizeof(text)));
		}
	}
	image_free(&scaled);
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
		return nnactl_error("%s has %s bytes than the %zu of the model's inputs",
				    r->raw_input, got < total ? "fewer" : "more", total);
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

/* Read the labels and see that they fit the outputs. */
static int check_labels(struct run *r)
{
	enum nnactl_kind kind = nnactl_result_kind(&r->outputs);
	size_t classes;

	if (!r->labels_path)
		return 0;
	if (nnactl_labels_load(&r->labels, r->labels_path))
		return 1;
	if (kind == NNACTL_MAP)
		return 0;
	if (kind != NNACTL_CLASSES)
		return nnactl_error("%s does not classify: leave --labels away", r->model);
	classes = nnactl_io_elements(&r->outputs.info[0]);
	if (classes != r->labels.count)
		return nnactl_error("%s has %zu labels, but %s has %zu classes: "
				    "use the model's own labels file",
				    r->labels_path, r->labels.count, r->model, classes);
	return 0;
}

static int run(struct run *r)
{
	struct nna_timing timing;
	int ret;

	ret = nnactl_session_open(&r->session, r->model, r->device, r->threads, &r->shapes);
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
	nnactl_result_find(&r->result, &r->outputs, &r->labels);
	nnactl_result_print(&r->result);
	if (!nna_execution_get_timing(r->execution, &timing))
		printf("%s: %u commands, %.3f ms\n", r->session.device_name, timing.commands,
		       (double)timing.run / 1e6);
	if (r->raw_output && write_raw(r))
		return 1;
	return r->output_path ? nnactl_result_draw(&r->result, &r->photo, r->output_path) : 0;
}

static const char HELP[] =
	"nnactl run MODEL.tflite --image F [--labels F] [--output PNG]\n"
	"           [--device auto|loopback|/dev/accel/accelN] [--threads N]\n"
	"           [--raw-input F] [--raw-output F] [--shape 1,224,224,3]...\n\n"
	"Scales a BMP, PNG or JPEG picture to the model's input (bytes as they are, floats from\n"
	"-1 to 1), runs the model and prints what it says: the five best classes with their\n"
	"scores, the classes of a map with their shares, or the keypoints of a body. --output\n"
	"writes the picture with that in it. --raw-input gives the bytes of all inputs instead\n"
	"of a picture, --raw-output writes those of all outputs. --shape states the shape of an\n"
	"input whose dimensions the model leaves open: once for each input, in their order.";

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
		{ "shape", required_argument, NULL, 's' },
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
		case 's':
			if (!nnactl_shapes_add(&r.shapes, optarg))
				return 2;
			break;
		case 'h':
			puts(HELP);
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
	image_free(&r.photo);
	free(r.input);
	return ret;
}
