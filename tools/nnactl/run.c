// SPDX-License-Identifier: MIT
/*
 * nnactl run: a model on one picture (or on raw bytes), what its outputs mean, and a picture of
 * that. What can be wrong with pictures and labels is found before the model runs.
 */
#include "tools/nnactl/result.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/image/image.h"
#include "tools/nnactl/loop.h"
#include "tools/nnactl/model.h"
#include "tools/nnactl/npy.h"

#define MAX_ARRAYS 256u

/**
 * struct named_file - NAME=FILE of the command line, or FILE alone
 * @name: of an input or output, or its number; NULL for the only one
 * @path: of the .npy file
 */
struct named_file {
	const char *name, *path;
};

/**
 * struct run - one `nnactl run`
 * @model: path of the model; this and the other names are the command line's
 * @threads: of the loopback, 0 for one per CPU
 * @mean: of red, green and blue, with @std: what is taken off a picture's bytes, and by what the
 *	rest is divided; of use with @normalised only
 * @arrays: @array_count inputs, of files that @array_files names
 * @stacked: the array has an input for each step
 * @saves: @save_count outputs that become files
 * @photo: the picture as it was read, to draw on
 * @input: the bytes of all inputs, back to back
 * @at: of each input in @input
 * @loop: what --loop and --steps say
 * @times: of the last run
 */
struct run {
	const char *model, *image_path, *labels_path, *output_path, *device;
	const char *raw_input, *raw_output, *signature;
	uint32_t threads;
	enum nna_rounding rounding;
	enum nnactl_fallback fallback;
	bool normalised;
	float mean[3], std[3];
	struct named_file array_files[MAX_ARRAYS], saves[MAX_ARRAYS];
	struct nnactl_npy arrays[MAX_ARRAYS];
	bool stacked[MAX_ARRAYS];
	uint32_t array_count, save_count;
	struct nnactl_shapes shapes;
	struct nnactl_session session;
	struct nnactl_execution execution;
	struct nnactl_times times;
	struct nnactl_outputs outputs;
	struct nnactl_labels labels;
	struct image photo;
	uint8_t *input, **at;
	size_t input_size;
	struct nnactl_loop loop;
	struct nnactl_result result;
};

static void put_float(uint8_t *to, size_t index, float value)
{
	memcpy(to + index * sizeof(value), &value, sizeof(value));
}

/* A float that a FLOAT16 can hold as one, rounded to the nearest, halves to even. */
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

static uint8_t quantised(const struct nna_io_info *info, float real, int low)
{
	float steps = rintf(real / info->scale) + (float)info->zero_point;

	return (uint8_t)(int)fminf(fmaxf(steps, (float)low), (float)(low + 255));
}

/*
 * Store one byte of the picture, of channel @c, as the model's type. Unless the user says how it
 * becomes a real number, floats are from -1 to 1, and quantised types have the byte as it is.
 */
static int put(const struct run *r, const struct nna_io_info *info, size_t index, uint8_t value,
	       int c)
{
	float real = ((float)value - 127.5f) / 127.5f;
	uint8_t *to = r->input;
	uint16_t half;

	if (r->normalised)
		real = ((float)value - r->mean[c]) / r->std[c];
	switch (info->type) {
	case NNA_OPERAND_TENSOR_QUANT8_ASYMM:
		to[index] = r->normalised ? quantised(info, real, 0) : value;
		return 0;
	case NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED:
		to[index] = r->normalised ? quantised(info, real, -128) : (uint8_t)(value ^ 0x80);
		return 0;
	case NNA_OPERAND_TENSOR_FLOAT32:
		put_float(to, index, real);
		return 0;
	case NNA_OPERAND_TENSOR_FLOAT16:
		if (fabsf(real) > 65504)
			return -ERANGE;
		half = half_of(real);
		memcpy(to + index * 2, &half, 2);
		return 0;
	default:
		return -ENOTSUP;
	}
}

static uint8_t grey_of(const uint8_t *p)
{
	return (uint8_t)((299 * p[0] + 587 * p[1] + 114 * p[2] + 500) / 1000);
}

static bool is_colour(uint32_t channels)
{
	return channels == 1 || channels == 3;
}

/**
 * struct pixels - how an input has a picture
 * @step: from one pixel to the next
 * @plane: from one channel to the next
 */
struct pixels {
	uint32_t height, width, channels;
	size_t step, plane;
};

/*
 * Channels come last, as TFLite has them, or first, as ONNX has: what fits both ways is taken as
 * that kind of file has it. Return: false for what is no picture.
 */
static bool find_pixels(const struct nna_io_info *info, bool first, struct pixels *to)
{
	const uint32_t *d = info->dims;

	if (info->rank == 3) {
		*to = (struct pixels){ d[1], d[2], 1, 1, 0 };
	} else if (info->rank != 4 || (!is_colour(d[3]) && !is_colour(d[1]))) {
		return false;
	} else if (is_colour(d[3]) && !(first && is_colour(d[1]))) {
		*to = (struct pixels){ d[1], d[2], d[3], d[3], 1 };
	} else {
		*to = (struct pixels){ d[2], d[3], d[1], 1, (size_t)d[2] * d[3] };
	}
	return true;
}

static int image_input(struct run *r)
{
	char error[IMAGE_ERROR_SIZE], text[128];
	struct image scaled;
	struct nna_io_info info;
	struct pixels way;
	size_t i, pixels;

	if (nnactl_session_count(&r->session, true) != 1)
		return nnactl_error("%s has %u inputs, a picture fits one: use --input",
				    r->model, nnactl_session_count(&r->session, true));
	nnactl_session_io(&r->session, true, 0, &info);
	if (!find_pixels(&info, r->session.onnx, &way))
		return nnactl_error("%s takes %s, which is no picture: use --input", r->model,
				    nnactl_io_describe(&info, text, sizeof(text)));
	if (info.dims[0] != 1)
		return nnactl_error("%s takes %u pictures at once: use --input", r->model,
				    info.dims[0]);
	if (image_load(r->image_path, &r->photo, error))
		return nnactl_error("%s: %s", nnactl_file_name(r->image_path), error);
	if (image_resize(&r->photo, &scaled, way.width, way.height))
		return nnactl_error("cannot scale the picture to %ux%u", way.width, way.height);
	r->input_size = info.size;
	r->input = malloc(info.size);
	pixels = (size_t)way.width * way.height;
	for (i = 0; r->input && i < pixels; i++) {
		const uint8_t *p = scaled.pixels + 3 * i;
		int ret = 0, c;

		if (way.channels == 1)
			ret = put(r, &info, i, grey_of(p), 0);
		for (c = 0; way.channels == 3 && c < 3; c++)
			ret = put(r, &info, way.step * i + way.plane * (size_t)c, p[c], c);
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
	uint32_t count = nnactl_session_count(&r->session, true), i;
	struct nna_io_info info;
	size_t total = 0, got;

	for (i = 0; i < count; i++) {
		nnactl_session_io(&r->session, true, i, &info);
		if (!info.size || __builtin_add_overflow(total, info.size, &total))
			return nnactl_error("%s: the size of input %u is not known", r->model, i);
	}
	r->input = (uint8_t *)nnactl_file_read(r->raw_input, (total / 65536 + 2) * 65536, &got);
	if (!r->input)
		return 1;
	if (got != total)
		return nnactl_error("%s has %s bytes than the %zu of the model's inputs",
				    nnactl_file_name(r->raw_input), got < total ? "fewer" : "more",
				    total);
	r->input_size = total;
	return 0;
}

/*
 * Whether an array has an input for each step: a dimension more than the input @tensor, in front.
 */
static bool is_stack(const struct run *r, uint32_t array, const struct nnactl_tensor *tensor)
{
	return (r->loop.count || r->loop.steps) && r->arrays[array].rank == tensor->rank + 1;
}

/* The steps that an array of an input for each has. Return: 0, or 1 with the error printed. */
static int set_steps(struct run *r, uint32_t array)
{
	const uint32_t has = r->arrays[array].dims[0];

	if (has && r->loop.steps <= has && !r->stacked[array]) {
		r->stacked[array] = true;
		return 0;
	}
	return nnactl_error("%s has inputs for %u steps, expected %u or more",
			    r->array_files[array].path, has, r->loop.steps ? r->loop.steps : 1);
}

/* Read the arrays, and give their shapes to inputs whose shapes the model leaves open. */
static int load_arrays(struct run *r)
{
	for (uint32_t i = 0; i < r->array_count; i++) {
		struct nnactl_npy *npy = &r->arrays[i];
		struct nnactl_tensor tensor;
		uint32_t index, *dims = npy->dims, rank;

		if (!nnactl_session_find(&r->session, true, r->array_files[i].name, "--input",
					 &index))
			return 1;
		if (nnactl_npy_load(npy, r->array_files[i].path))
			return 1;
		nnactl_model_tensor(&r->session, true, index, &tensor);
		rank = npy->rank;
		if (is_stack(r, i, &tensor)) {
			if (set_steps(r, i))
				return 1;
			dims++;
			rank--;
		}
		if (nnactl_session_fit(&r->session, index, dims, rank,
				       nnactl_file_name(r->array_files[i].path)))
			return 1;
	}
	return 0;
}

/* What an input starts with that an output feeds later: zeros, as real numbers. */
static void put_zeros(const struct nna_io_info *info, uint8_t *to)
{
	memset(to, nna_operand_type_size(info->type) == 1 ? info->zero_point : 0, info->size);
}

/* The bytes of all inputs out of the arrays. */
static int array_input(struct run *r)
{
	uint32_t count = nnactl_session_count(&r->session, true);
	struct nna_io_info info;
	char name[128];
	size_t at = 0;

	for (uint32_t i = 0; i < count; i++) {
		nnactl_session_io(&r->session, true, i, &info);
		if (!info.size || __builtin_add_overflow(r->input_size, info.size, &r->input_size))
			return nnactl_error("%s: the size of input %u is not known", r->model, i);
	}
	r->input = malloc(r->input_size + 1);
	if (!r->input)
		return nnactl_error("out of memory");
	for (uint32_t i = 0; i < count; i++, at += info.size) {
		bool given = false;
		size_t size;

		nnactl_session_io(&r->session, true, i, &info);
		nnactl_input_name(&r->session, i, name, sizeof(name));
		for (uint32_t k = 0; k < r->array_count; k++) {
			uint32_t index;

			if (!nnactl_session_find(&r->session, true, r->array_files[k].name,
						 "--input", &index))
				return 1;
			if (index != i)
				continue;
			if (given)
				return nnactl_error("input %s is given twice", name);
			given = true;
			if (!nnactl_npy_fits(r->arrays[k].type, info.type))
				return nnactl_error("%s has elements of %s, input %s of %s takes "
						    "%s", r->array_files[k].path,
						    nnactl_npy_type_name(r->arrays[k].type), name,
						    r->model, nnactl_npy_type_name(info.type));
			size = r->arrays[k].size;
			if (r->stacked[k])
				size /= r->arrays[k].dims[0];
			if (size != info.size)
				return nnactl_error("%s has %zu bytes, input %s takes %zu",
						    r->array_files[k].path, size, name, info.size);
			memcpy(r->input + at, r->arrays[k].data, info.size);
		}
		if (!given && nnactl_loop_feeds(&r->loop, i))
			put_zeros(&info, r->input + at);
		else if (!given)
			return nnactl_error("input %s is not given: --input %s=FILE.npy", name,
					    name);
	}
	return 0;
}

static int bind_inputs(struct run *r)
{
	uint32_t i;
	size_t at = 0;
	int ret;

	r->at = calloc((size_t)nnactl_session_count(&r->session, true) + 1, sizeof(*r->at));
	if (!r->at)
		return nnactl_error("out of memory");
	for (i = 0; i < nnactl_session_count(&r->session, true); i++) {
		struct nna_io_info info;

		nnactl_session_io(&r->session, true, i, &info);
		r->at[i] = r->input + at;
		ret = nnactl_execution_bind(&r->execution, true, i, r->at[i], info.size, NULL);
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

static int write_arrays(struct run *r)
{
	for (uint32_t i = 0; i < r->save_count; i++) {
		uint32_t index;

		if (!nnactl_session_find(&r->session, false, r->saves[i].name, "--output-npy",
					 &index) ||
		    nnactl_npy_save(r->saves[i].path, &r->outputs.info[index],
				    r->outputs.data[index]))
			return 1;
	}
	return 0;
}

/* Whether a file can be written. What is there stays as it is. */
static int try_to_write(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	if (fd >= 0) {
		close(fd);
		unlink(path);
		return 0;
	}
	if (errno == EEXIST)
		fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return nnactl_error("%s: cannot be written: %s", path, strerror(errno));
	close(fd);
	return 0;
}

/* What would fail after the run fails before it. */
static int check_files(struct run *r)
{
	uint32_t index;

	if (r->output_path && !image_can_save(r->output_path))
		return nnactl_error("%s: pictures are written as .png, .jpg or .jpeg",
				    r->output_path);
	if ((r->output_path && try_to_write(r->output_path)) ||
	    (r->raw_output && try_to_write(r->raw_output)))
		return 1;
	for (uint32_t i = 0; i < r->save_count; i++)
		if (!nnactl_session_find(&r->session, false, r->saves[i].name, "--output-npy",
					 &index) ||
		    try_to_write(r->saves[i].path))
			return 1;
	return 0;
}

/* See that the labels fit the outputs. */
static int check_labels(struct run *r)
{
	enum nnactl_kind kind = nnactl_result_kind(&r->session, &r->outputs, &r->labels);
	const char *path = r->labels_path;
	size_t classes;

	if (!path || kind == NNACTL_MAP || kind == NNACTL_BOXES)
		return 0;
	if (kind != NNACTL_CLASSES && kind != NNACTL_VECTOR)
		return nnactl_error("%s does not classify: leave --labels away", r->model);
	classes = nnactl_io_elements(&r->outputs.info[0]);
	if (classes == r->labels.count)
		return 0;
	if (kind == NNACTL_VECTOR)
		return nnactl_error("%s does not classify, it gives a vector of %zu numbers: "
				    "leave --labels away", r->model, classes);
	return nnactl_error("%s has %zu labels, but %s has %zu classes: "
			    "use the model's own labels file",
			    path, r->labels.count, r->model, classes);
}

static int report(struct run *r)
{
	const struct nnactl_times *times = &r->times;
	const char *hint;
	json_t *all;

	if (!nnactl_json()) {
		if (r->loop.steps == 1)
			nnactl_result_print(&r->result);
		hint = nnactl_result_hint(&r->result, r->labels_path,
					  r->image_path && !r->output_path);
		if (hint)
			printf("(%s)\n", hint);
		printf("%s: ", r->session.device_name);
		if (r->session.split)
			printf("%u job%s, ", times->jobs, times->jobs == 1 ? "" : "s");
		if (!r->session.split || r->session.device)
			printf("%u commands, ", times->commands);
		printf("%.3f ms\n", (double)times->device / 1e6);
		return 0;
	}
	all = nnactl_result_json(&r->result);
	json_object_set_new(all, "model", nnactl_json_text(r->model));
	json_object_set_new(all, "device", json_string(r->session.device_name));
	if (r->loop.steps > 1)
		json_object_set_new(all, "steps", json_integer(r->loop.steps));
	json_object_set_new(all, "commands", json_integer(times->commands));
	if (r->session.operators)
		json_object_set_new(all, "operators",
				    json_pack("{s:i, s:i}", "all", (int)r->session.operators,
					      "fallback", (int)r->session.left));
	json_object_set_new(all, "milliseconds", json_real((double)times->device / 1e6));
	if (r->session.split)
		json_object_set_new(all, "jobs", json_integer(times->jobs));
	return nnactl_json_print(all);
}

/* The inputs of step @step that arrays have for each step. */
static int take_step(struct run *r, uint32_t step)
{
	for (uint32_t i = 0; i < r->array_count; i++) {
		const struct nnactl_npy *npy = &r->arrays[i];
		const size_t size = r->stacked[i] ? npy->size / npy->dims[0] : 0;
		uint32_t index;

		if (!size)
			continue;
		if (!nnactl_session_find(&r->session, true, r->array_files[i].name, "--input",
					 &index))
			return 1;
		if (nnactl_loop_feeds(&r->loop, index))
			return nnactl_error("%s has an input for each step, but --loop feeds it",
					    r->array_files[i].path);
		memcpy(r->at[index], (const uint8_t *)npy->data + step * size, size);
	}
	return 0;
}

/* Without --steps there are as many as the shortest array has inputs for. */
static void count_steps(struct run *r)
{
	if (r->loop.steps)
		return;
	for (uint32_t i = 0; i < r->array_count; i++)
		if (r->stacked[i] && (!r->loop.steps || r->arrays[i].dims[0] < r->loop.steps))
			r->loop.steps = r->arrays[i].dims[0];
	if (!r->loop.steps)
		r->loop.steps = r->loop.count ? 2 : 1;
}

/* All runs, of which each prints what its outputs mean where there are several. */
static int run_steps(struct run *r)
{
	count_steps(r);
	for (uint32_t i = 0; i < r->loop.steps; i++) {
		int ret;

		if (i)
			nnactl_loop_feed(&r->loop, &r->outputs, r->at);
		if (take_step(r, i))
			return 1;
		nnactl_progress("%s: running", r->model);
		ret = nnactl_execution_run(&r->execution, &r->times);
		nnactl_progress_end();
		if (ret)
			return ret;
		nnactl_result_find(&r->result, &r->session, &r->outputs, &r->labels);
		if (r->loop.steps > 1 && !nnactl_json()) {
			printf("step %u:\n", i + 1);
			nnactl_result_print(&r->result);
		}
	}
	return 0;
}

static int run(struct run *r)
{
	int ret;

	ret = nnactl_session_load(&r->session, r->model, r->signature) ?:
	      nnactl_loop_find(&r->loop, &r->session);
	r->session.rounding = r->rounding;
	r->session.takes_vela = true;
	r->session.fallback = r->fallback;
	ret = ret ?: nnactl_session_shape(&r->session, &r->shapes) ?: load_arrays(r) ?:
	      check_files(r) ?:
	      nnactl_session_compile(&r->session, r->device, r->threads) ?:
	      nnactl_loop_check(&r->loop, &r->session);
	if (ret)
		return ret;
	ret = r->raw_input ? file_input(r) : r->image_path ? image_input(r) : array_input(r);
	if (!ret && r->labels_path)
		ret = nnactl_labels_load(&r->labels, r->labels_path);
	if (ret)
		return ret;
	ret = nnactl_execution_create(&r->session, &r->execution) ?: bind_inputs(r) ?:
	      nnactl_outputs_bind(&r->outputs, &r->execution, false) ?:
	      check_labels(r);
	if (ret)
		return ret;
	ret = run_steps(r);
	if (ret)
		return ret;
	if ((r->raw_output && write_raw(r)) || write_arrays(r))
		return 1;
	if (r->output_path && nnactl_result_draw(&r->result, &r->photo, r->output_path))
		return 1;
	return report(r);
}

/* "127.5", or one number for each channel: "123.7,116.3,103.5". */
static bool read_channels(const char *option, const char *text, bool divisor, float values[3])
{
	const char *at = text;
	uint32_t n = 0;

	for (;; at++) {
		char *end;

		errno = 0;
		values[n] = strtof(at, &end);
		if (end == at || errno || !isfinite(values[n]) || (divisor && values[n] == 0) ||
		    (*end && *end != ',') || (*end && n == 2))
			break;
		n++;
		at = end;
		if (!*at && n != 2) {
			for (; n < 3; n++)
				values[n] = values[0];
			return true;
		}
		if (!*at)
			break;
	}
	nnactl_misuse("%s must be one number or three, as in 127.5 or 123.7,116.3,103.5, not '%s'",
		      option, text);
	return false;
}

/* NAME=FILE, or FILE. Return: false with the error printed. */
static bool add_file(struct named_file *list, uint32_t *count, const char *option, char *text)
{
	char *equals = strchr(text, '=');
	struct named_file *file = &list[*count];

	if (*count == MAX_ARRAYS) {
		nnactl_misuse("%s: at most %u are possible", option, MAX_ARRAYS);
		return false;
	}
	*file = (struct named_file){ .path = text };
	if (equals) {
		*equals = 0;
		file->name = text;
		file->path = equals + 1;
	}
	if (!*file->path) {
		nnactl_misuse("%s must be NAME=FILE.npy", option);
		return false;
	}
	++*count;
	return true;
}

/* Return: false with the error printed. */
static bool read_rounding(struct run *r)
{
	if (!strcmp(optarg, "nnapi")) {
		r->rounding = NNA_ROUNDING_NNAPI;
	} else if (strcmp(optarg, "tflite")) {
		nnactl_misuse("--rounding is tflite or nnapi");
		return false;
	}
	return true;
}

/* Return: false with the error printed. */
static bool read_option(struct run *r, int c)
{
	switch (c) {
	case 'i':
		r->image_path = optarg;
		return true;
	case 'l':
		r->labels_path = optarg;
		return true;
	case 'o':
		r->output_path = optarg;
		return true;
	case 'd':
		r->device = optarg;
		return true;
	case 'F':
		return nnactl_fallback_read(optarg, &r->fallback);
	case 't':
		return nnactl_number("--threads", optarg, 1, 1024, &r->threads);
	case 'm':
		r->normalised = true;
		return read_channels("--mean", optarg, false, r->mean);
	case 's':
		r->normalised = true;
		return read_channels("--std", optarg, true, r->std);
	case 'I':
		r->raw_input = optarg;
		return true;
	case 'O':
		r->raw_output = optarg;
		return true;
	case 'S':
		return nnactl_shapes_add(&r->shapes, optarg);
	case 'r':
		return read_rounding(r);
	case 'g':
		r->signature = optarg;
		return true;
	case 'L':
		return nnactl_loop_add(&r->loop, optarg);
	case 'n':
		return nnactl_number("--steps", optarg, 1, NNACTL_MOST_STEPS, &r->loop.steps);
	case 'A':
		return add_file(r->array_files, &r->array_count, "--input", optarg);
	default:
		return add_file(r->saves, &r->save_count, "--output-npy", optarg);
	}
}

static int run_main(int argc, char **argv)
{
	struct run r = {
		.device = "auto", .rounding = NNA_ROUNDING_TFLITE, .std = { 1, 1, 1 },
	};
	int c, status = 0;

	while ((c = nnactl_option(&NNACTL_RUN, argc, argv, &status)) > 0)
		if (!read_option(&r, c))
			return 2;
	if (!c)
		return status;
	if (optind + 1 != argc)
		return nnactl_misuse("run takes one model file");
	if (!!r.image_path + !!r.raw_input + !!r.array_count + !!r.loop.count == 0 ||
	    !!r.image_path + !!r.raw_input + !!r.array_count > 1)
		return nnactl_misuse("run needs one of --image, --input and --raw-input");
	if (r.output_path && !r.image_path)
		return nnactl_misuse("--output draws on a picture, which --image gives");
	if (r.normalised && !r.image_path)
		return nnactl_misuse("--mean and --std are for the bytes of --image");
	r.model = argv[optind];
	status = run(&r);
	nnactl_execution_destroy(&r.execution);
	nnactl_outputs_free(&r.outputs);
	nnactl_session_close(&r.session);
	nnactl_labels_free(&r.labels);
	for (uint32_t i = 0; i < r.array_count; i++)
		nnactl_npy_free(&r.arrays[i]);
	image_free(&r.photo);
	free(r.input);
	free(r.at);
	return status;
}

static const struct option OPTIONS[] = {
	{ "image", required_argument, NULL, 'i' },
	{ "labels", required_argument, NULL, 'l' },
	{ "output", required_argument, NULL, 'o' },
	{ "device", required_argument, NULL, 'd' },
	{ "fallback", required_argument, NULL, 'F' },
	{ "threads", required_argument, NULL, 't' },
	{ "mean", required_argument, NULL, 'm' },
	{ "std", required_argument, NULL, 's' },
	{ "raw-input", required_argument, NULL, 'I' },
	{ "raw-output", required_argument, NULL, 'O' },
	{ "shape", required_argument, NULL, 'S' },
	{ "rounding", required_argument, NULL, 'r' },
	{ "input", required_argument, NULL, 'A' },
	{ "signature", required_argument, NULL, 'g' },
	{ "loop", required_argument, NULL, 'L' },
	{ "steps", required_argument, NULL, 'n' },
	{ "output-npy", required_argument, NULL, 'N' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

const struct nnactl_command NNACTL_RUN = {
	.name = "run",
	.arguments = "MODEL --image F [--labels F] [--output F.png] [--device D]",
	.what = "run a network on a picture, or on arrays",
	.help = "nnactl run MODEL --image F [--mean M] [--std S] [--labels F]\n"
		"           [--output F.png|F.jpg]\n"
		"nnactl run MODEL --input [NAME=]F.npy... | --raw-input F\n"
		"       each: [--output-npy [NAME=]F.npy]... [--raw-output F] [--json]\n"
		"             [--shape 1,224,224,3]... [--rounding tflite|nnapi] [--threads N]\n"
		"             [--signature S] [--loop OUT=IN]... [--steps N]\n"
		"             [--device auto|loopback|/dev/accel/accelN]\n"
		"             [--fallback none|loopback]\n\n"
		"--image scales a picture to the model's input, whose channels are last or\n"
		"first: bytes as they are for quantised models, from -1 to 1 for floats. With\n"
		"--mean or --std it is (byte - M) / S instead (0 and 1 where one is left out), in\n"
		"the model's type; one number or one per channel. It is a BMP, PNG or JPEG file,\n"
		"or WebP, GIF, TIFF, AVIF or HEIC where the library for that is installed; Exif\n"
		"data turns it upright. A file called - is the standard input, for arrays and raw\n"
		"bytes, too.\n"
		"--input is a NumPy array for the input of that name or number, --raw-input the\n"
		"bytes of all inputs; --output-npy and --raw-output write outputs likewise.\n"
		"--shape states the shape of an input whose dimensions the model leaves open:\n"
		"once for each input, in their order; arrays have one already.\n"
		"Quantised results are rounded as by TFLite; --rounding nnapi gives what a client\n"
		"of the NNAPI gets.\n"
		"--signature runs one of the model's signatures, such as decode, whose names of\n"
		"inputs and outputs then hold. --loop runs the model several times and feeds an\n"
		"output of each run to an input of the next, such as the cache of a decoder; the\n"
		"input starts with zeros unless it is given. An array of --input with one more\n"
		"dimension, in front, has the input of each run. --steps is the number of runs:\n"
		"without it as many as the arrays have, or 2. Files get the last run's outputs.\n\n"
		"A model that Arm's Vela has compiled runs on an Ethos-U, by the kernel's driver;\n"
		"operators that Vela has left run on the NNA, and are refused by name where there\n"
		"is none. --device is the NPU's node or the NNA; the other one is the first.\n"
		"Operators that the device cannot run are refused by name. --fallback loopback\n"
		"runs them in this process, and a line says how many; of TFLite files only.\n\n"
		"Prints what the outputs mean: the best classes with their scores, the classes of\n"
		"a map with their shares, the keypoints of a body, boxes, or numbers. --output\n"
		"writes the picture with that in it.",
	.options = OPTIONS,
	.main = run_main,
};
