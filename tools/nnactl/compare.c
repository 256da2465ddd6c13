// SPDX-License-Identifier: MIT
/*
 * nnactl compare: the same inputs through the loopback, an accelerator and, where Python has it,
 * TFLite with its reference kernels. Loopback and accelerator have to agree to the byte; from
 * TFLite the difference is told, in steps for integers and as a share of the range for floats.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tflite/signature.h"
#include "tools/nnactl/model.h"
#include "tools/nnactl/outputs.h"
#include "tools/nnactl/reference.h"

#define DEFAULT_RUNS 5
#define MOST_RUNS 1000

/**
 * struct side - one who runs the model
 * @name: "loopback", a node
 * @ms: median time of a run
 * @data: all outputs, back to back, @size bytes
 */
struct side {
	char name[64];
	double ms;
	uint8_t *data;
	size_t size;
};

/**
 * struct comparison - one model
 * @runs: of each side, for the time
 * @inputs: bytes of all inputs, back to back
 * @io: of each output, @output_count
 * @sides: the loopback, then an accelerator if @side_count is 2
 * @onnx: the model is an ONNX file
 * @signature: NULL, or that of --signature, for nnactl_reference_run(); owned
 * @reference: what TFLite gives; its name is "" where there is none, for a reason
 */
struct comparison {
	const char *path;
	uint32_t runs;
	uint8_t *inputs;
	size_t input_size;
	uint32_t input_count, output_count;
	struct nna_io_info *in, *io;
	char (*names)[80];
	struct side sides[2];
	uint32_t side_count;
	bool onnx;
	json_t *signature;
	struct nnactl_reference reference;
};

/**
 * struct difference - between two of an output
 * @same: all bytes are
 * @steps: the largest difference of integers, -1 for floats
 * @share: the largest difference of floats as a share of the output's range, -1 for integers
 */
struct difference {
	bool same;
	double steps, share;
};

/**
 * struct choice - what the command line says
 * @fallback: what runs operators that the device cannot
 * @python: NULL for none
 * @signature: of --signature, or NULL
 * @save, @saved: folders, or NULL
 */
struct choice {
	const char *device, *python, *signature, *save, *saved;
	enum nnactl_fallback fallback;
	uint32_t runs;
	struct nnactl_shapes shapes;
};

/* Floats from -1 to 1, small integers, and any byte of quantised types: the same in each run. */
static void fill(const struct nna_io_info *info, uint8_t *to, uint32_t *state)
{
	uint32_t size = nna_operand_type_size(info->type);

	for (size_t k = 0; k < nnactl_io_elements(info); k++, to += size) {
		int32_t small;
		int64_t wide;
		float real;

		*state = *state * 1664525 + 1013904223;
		small = (int32_t)(*state >> 24) % 40 - 20;
		wide = small;
		real = (float)(*state >> 8) * 0x1p-23f - 1.0f;
		switch (info->type) {
		case NNA_OPERAND_TENSOR_FLOAT32:
			memcpy(to, &real, size);
			break;
		case NNA_OPERAND_TENSOR_INT32:
			memcpy(to, &small, size);
			break;
		case NNA_OPERAND_TENSOR_INT64:
			memcpy(to, &wide, size);
			break;
		case NNA_OPERAND_TENSOR_BOOL8:
			*to = (uint8_t)(*state >> 31);
			break;
		case NNA_OPERAND_TENSOR_FLOAT16:
			/* Any FLOAT16 of a size below 1: the highest bit of the exponent is 0. */
			small = (int32_t)(*state >> 16 & 0xbbff);
			memcpy(to, &small, size);
			break;
		default:
			for (uint32_t i = 0; i < size; i++)
				to[i] = (uint8_t)(*state >> (24 - 8 * (int)i));
			break;
		}
	}
}

static int make_inputs(struct comparison *c, struct nnactl_session *s)
{
	uint32_t state = 1;
	uint8_t *at;

	c->input_count = nnactl_session_count(s, true);
	c->output_count = nnactl_session_count(s, false);
	c->in = calloc(c->input_count + 1, sizeof(*c->in));
	c->io = calloc(c->output_count + 1, sizeof(*c->io));
	c->names = calloc(c->output_count + 1, sizeof(*c->names));
	if (!c->in || !c->io || !c->names)
		return nnactl_error("out of memory");
	for (uint32_t i = 0; i < c->input_count; i++) {
		nnactl_session_io(s, true, i, &c->in[i]);
		if (!c->in[i].size ||
		    __builtin_add_overflow(c->input_size, c->in[i].size, &c->input_size))
			return nnactl_error("%s: the size of input %u is not known: use --shape",
					    s->path, i);
	}
	c->inputs = malloc(c->input_size + 1);
	if (!c->inputs)
		return nnactl_error("out of memory");
	at = c->inputs;
	for (uint32_t i = 0; i < c->input_count; at += c->in[i++].size)
		fill(&c->in[i], at, &state);
	return 0;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The first run's outputs count; the others, from the same state, are for the time. */
static int run_side(struct comparison *c, struct nnactl_session *s, struct side *side)
{
	struct nnactl_execution run;
	struct nnactl_outputs outputs = { 0 };
	struct nnactl_times times;
	double ms[MOST_RUNS];
	size_t at = 0;
	int ret;

	ret = nnactl_execution_create(s, &run);
	for (uint32_t i = 0; i < c->input_count && !ret; at += c->in[i++].size) {
		ret = nnactl_execution_bind(&run, true, i, c->inputs + at, c->in[i].size, NULL);
		if (ret)
			ret = nnactl_failed(&s->log, "%s: %s", s->path, strerror(-ret));
	}
	ret = ret ?: nnactl_outputs_bind(&outputs, &run, false);
	nnactl_progress("%s: running on %s", s->path, s->device_name);
	for (uint32_t i = 0; i < c->runs && !ret; i++) {
		nnactl_execution_reset(&run);
		ret = nnactl_execution_run(&run, &times);
		ms[i] = (double)times.wall / 1e6;
	}
	nnactl_progress_end();
	for (uint32_t i = 0; i < outputs.count && !ret; i++)
		side->size += outputs.info[i].size;
	side->data = ret ? NULL : malloc(side->size + 1);
	if (!ret && !side->data)
		ret = nnactl_error("out of memory");
	at = 0;
	for (uint32_t i = 0; i < outputs.count && !ret; i++) {
		c->io[i] = outputs.info[i];
		memcpy(side->data + at, outputs.data[i], outputs.info[i].size);
		at += outputs.info[i].size;
	}
	if (!ret) {
		qsort(ms, c->runs, sizeof(ms[0]), by_value);
		side->ms = ms[c->runs / 2];
		snprintf(side->name, sizeof(side->name), "%s", s->device_name);
	}
	nnactl_execution_destroy(&run);
	nnactl_outputs_free(&outputs);
	return ret;
}

/* Dimensions that the file leaves open are the example's, and those that follow become known. */
static int close_shapes(struct nnactl_session *s)
{
	char error[TFLITE_ERROR_SIZE];

	for (uint32_t i = 0; i < nnactl_model_count(s, true); i++) {
		struct nnactl_tensor x;

		nnactl_model_tensor(s, true, i, &x);
		if (x.open && nnactl_model_reshape(s, i, x.rank, x.dims, error))
			return nnactl_error("%s: %s", s->path, error);
	}
	return 0;
}

/* Names of @tensors of the signature; tensors without one get "", which TFLite does not find. */
static json_t *names_of(const struct nnactl_session *s, bool input, struct tflite_ints tensors)
{
	json_t *all = json_array();

	for (uint32_t i = 0; i < tensors.count; i++) {
		const char *name = tflite_signature_name(s->signature, input,
							 (uint32_t)tensors.at[i]);

		json_array_append_new(all, nnactl_json_text(name ? name : ""));
	}
	return all;
}

static void note_signature(struct comparison *c, const struct nnactl_session *s)
{
	const struct tflite_subgraph *sub = tflite_main(s->model);

	if (!c->signature)
		c->signature = json_pack("{s:o, s:o, s:o}", "key",
					 nnactl_json_text(s->signature->key), "inputs",
					 names_of(s, true, sub->inputs), "outputs",
					 names_of(s, false, sub->outputs));
}

static int on_device(struct comparison *c, const char *device, const struct choice *choice)
{
	struct nnactl_session s;
	int ret;

	ret = nnactl_session_load(&s, c->path, choice->signature);
	s.fallback = choice->fallback;
	ret = ret ?: close_shapes(&s) ?: nnactl_session_shape(&s, &choice->shapes) ?:
	      nnactl_session_compile(&s, device, 0);
	/* "auto" finds the loopback where there is nothing else. */
	if (!ret && !(c->side_count && s.loopback && !strcmp(device, "auto"))) {
		if (!c->inputs)
			ret = make_inputs(c, &s);
		c->onnx = s.onnx;
		if (choice->signature)
			note_signature(c, &s);
		for (uint32_t i = 0; i < c->output_count && !ret; i++)
			nnactl_output_name(&s, i, c->names[i], sizeof(c->names[i]));
		ret = ret ?: run_side(c, &s, &c->sides[c->side_count]);
		c->side_count += !ret;
	}
	nnactl_session_close(&s);
	return ret;
}

static bool is_float(const struct nna_io_info *info)
{
	return info->type == NNA_OPERAND_TENSOR_FLOAT32 || info->type == NNA_OPERAND_TENSOR_FLOAT16;
}

static struct difference differ(const struct nna_io_info *info, const void *ours,
				const void *theirs)
{
	/* Steps are what the bytes differ by, so the scale is left out. */
	struct nna_io_info plain = *info;
	struct difference d = { .same = !memcmp(ours, theirs, info->size), -1, -1 };
	double most = 0, low = INFINITY, high = -INFINITY;

	plain.scale = 1;
	for (size_t k = 0; k < nnactl_io_elements(info); k++) {
		double a = nnactl_io_value(&plain, ours, k), b = nnactl_io_value(&plain, theirs, k);

		if (isnan(a) && isnan(b))
			continue;
		if (a != b)
			most = isnan(a) || isnan(b) ? INFINITY : fmax(most, fabs(a - b));
		low = fmin(low, b);
		high = fmax(high, b);
	}
	if (!is_float(info))
		d.steps = most;
	else
		d.share = most ? most / fmax(fmax(high - low, fmax(fabs(low), fabs(high))), 1e-30) :
				 0;
	return d;
}

static struct difference find_difference(const struct comparison *c, uint32_t output, bool tflite)
{
	const uint8_t *other = tflite ? c->reference.data : c->sides[1].data;
	size_t at = 0;

	for (uint32_t i = 0; i < output; i++)
		at += c->io[i].size;
	return differ(&c->io[output], c->sides[0].data + at, other + at);
}

static const char *tell(const struct difference *d, char *to, size_t size)
{
	if (d->same)
		snprintf(to, size, "same bytes");
	else if (d->steps >= 0)
		snprintf(to, size, "%g steps", d->steps);
	else
		snprintf(to, size, "%.1e of the range", d->share);
	return to;
}

static json_t *difference_json(const struct difference *d)
{
	json_t *value = json_pack("{s:b}", "same", d->same);

	if (d->steps >= 0)
		json_object_set_new(value, "steps", nnactl_json_number(d->steps));
	else
		json_object_set_new(value, "range_share", nnactl_json_number(d->share));
	return value;
}

static json_t *comparison_json(const struct comparison *c)
{
	json_t *all = json_pack("{s:o?, s:[], s:{}}", "model", nnactl_json_text(c->path), "outputs",
				"milliseconds");
	json_t *times = json_object_get(all, "milliseconds");
	bool tflite = c->reference.name[0];

	for (uint32_t i = 0; i < c->side_count; i++)
		json_object_set_new(times, c->sides[i].name, json_real(c->sides[i].ms));
	if (tflite) {
		json_object_set_new(times, "tflite", json_real(c->reference.ms));
		json_object_set_new(all, "tflite", nnactl_json_text(c->reference.name));
	} else {
		json_object_set_new(all, "no_tflite", nnactl_json_text(c->reference.reason));
	}
	for (uint32_t i = 0; i < c->output_count; i++) {
		json_t *output = nnactl_io_json(&c->io[i], c->names[i]);
		struct difference d;

		if (c->side_count == 2) {
			d = find_difference(c, i, false);
			json_object_set_new(output, "device", difference_json(&d));
		}
		if (tflite) {
			d = find_difference(c, i, true);
			json_object_set_new(output, "tflite", difference_json(&d));
		}
		json_array_append_new(json_object_get(all, "outputs"), output);
	}
	return all;
}

static void print_text(const struct comparison *c)
{
	bool tflite = c->reference.name[0];
	char text[160], name[64];

	printf("%s%s%s\n", nnactl_style(stdout, NNACTL_BOLD), c->path,
	       nnactl_style(stdout, NNACTL_PLAIN));
	for (uint32_t i = 0; i < c->side_count; i++)
		printf("  %-28s %9.3f ms\n", c->sides[i].name, c->sides[i].ms);
	if (tflite)
		printf("  %-28s %9.3f ms, reference kernels\n", c->reference.name,
		       c->reference.ms);
	else if (c->reference.reason[0])
		printf("  no TFLite: %s\n", c->reference.reason);
	for (uint32_t i = 0; i < c->output_count; i++) {
		struct difference d;

		printf("  output %u: %s, %s\n", i, c->names[i],
		       nnactl_io_describe(&c->io[i], text, sizeof(text)));
		if (c->side_count == 2) {
			d = find_difference(c, i, false);
			printf("    loopback and device    %s%s%s\n",
			       nnactl_style(stdout, d.same ? NNACTL_GOOD : NNACTL_BAD),
			       tell(&d, name, sizeof(name)), nnactl_style(stdout, NNACTL_PLAIN));
		}
		if (tflite) {
			d = find_difference(c, i, true);
			printf("    loopback and TFLite    %s\n", tell(&d, name, sizeof(name)));
		}
	}
}

static void comparison_free(struct comparison *c)
{
	for (uint32_t i = 0; i < 2; i++)
		free(c->sides[i].data);
	nnactl_reference_free(&c->reference);
	json_decref(c->signature);
	free(c->inputs);
	free(c->in);
	free(c->io);
	free(c->names);
}

/* The file of the loopback's outputs for a model, in @folder. */
static void saved_path(const char *folder, const char *model, char *to, size_t size)
{
	const char *name = strrchr(model, '/');

	snprintf(to, size, "%s/%s.out", folder, name ? name + 1 : model);
}

static int save(const struct comparison *c, const char *folder)
{
	char path[4096];
	FILE *file;
	bool bad;

	saved_path(folder, c->path, path, sizeof(path));
	file = fopen(path, "we");
	bad = !file || fwrite(c->sides[0].data, 1, c->sides[0].size, file) != c->sides[0].size;
	if ((file && fclose(file)) || bad)
		return nnactl_error("%s: %s", path, strerror(errno));
	return 0;
}

/* What the loopback gave elsewhere stands beside what the device gave here. */
static int take_saved(struct comparison *c, const char *folder)
{
	struct side *side = &c->sides[0];
	char path[4096];

	if (c->side_count != 1 || !strcmp(side->name, "loopback"))
		return nnactl_error("--saved is for an accelerator, and there is none");
	c->sides[1] = *side;
	*side = (struct side){ .name = "loopback, saved" };
	c->side_count = 2;
	saved_path(folder, c->path, path, sizeof(path));
	side->data = (uint8_t *)nnactl_file_read(path, (size_t)4 << 30, &side->size);
	if (!side->data)
		return 1;
	if (side->size != c->sides[1].size)
		return nnactl_error("%s: %zu bytes, the outputs have %zu", path, side->size,
				    c->sides[1].size);
	return 0;
}

/* Return: 0, 1 with the error printed; @same is cleared where the device's bytes differ. */
static int compare(struct comparison *c, const struct choice *choice, bool *same)
{
	int ret = choice->saved ? 0 :
		  on_device(c, "loopback", choice);

	ret = ret ?: on_device(c, choice->device, choice);
	if (!ret && choice->saved)
		ret = take_saved(c, choice->saved);
	if (!ret && choice->save)
		ret = save(c, choice->save);
	if (c->onnx)
		strcpy(c->reference.reason, "it runs no ONNX models");
	else if (!ret && choice->python)
		ret = nnactl_reference_run(&c->reference, choice->python, c->path, c->signature,
					   c->inputs, c->input_size, c->in, c->input_count,
					   c->sides[0].size);
	if (ret)
		return ret;
	if (!choice->save && c->side_count < 2 && !c->reference.name[0])
		return nnactl_error("%s: nothing to compare the loopback with: there is no "
				    "accelerator, and no TFLite%s%s", c->path,
				    c->reference.reason[0] ? ": " : "", c->reference.reason);
	for (uint32_t i = 0; i < c->output_count && c->side_count == 2; i++)
		*same &= find_difference(c, i, false).same;
	return 0;
}

/* Return: 0, or 2 with the error printed. */
static int read_option(struct choice *choice, int c)
{
	switch (c) {
	case 'd':
		choice->device = optarg;
		return 0;
	case 'F':
		return nnactl_fallback_read(optarg, &choice->fallback) ? 0 : 2;
	case 'p':
		choice->python = strcmp(optarg, "none") ? optarg : NULL;
		return 0;
	case 'r':
		return nnactl_number("--runs", optarg, 1, MOST_RUNS, &choice->runs) ? 0 : 2;
	case 'g':
		choice->signature = optarg;
		return 0;
	case 'w':
		choice->save = optarg;
		return 0;
	case 'R':
		choice->saved = optarg;
		return 0;
	default:
		return nnactl_shapes_add(&choice->shapes, optarg) ? 0 : 2;
	}
}

static int compare_main(int argc, char **argv)
{
	struct choice choice = { .device = "auto", .python = "python3", .runs = DEFAULT_RUNS };
	int c, status = 0;
	bool same = true;
	json_t *list;

	while ((c = nnactl_option(&NNACTL_COMPARE, argc, argv, &status)) > 0)
		if (read_option(&choice, c))
			return 2;
	if (!c)
		return status;
	if (optind == argc)
		return nnactl_misuse("compare takes model files");
	list = json_array();
	for (int i = optind; i < argc && !status; i++) {
		struct comparison one = { .path = argv[i], .runs = choice.runs };

		status = compare(&one, &choice, &same);
		if (!status && nnactl_json())
			json_array_append_new(list, comparison_json(&one));
		else if (!status)
			print_text(&one);
		comparison_free(&one);
	}
	if (!status && nnactl_json())
		status = nnactl_json_print(json_incref(list));
	json_decref(list);
	return status ? status : !same;
}

static const struct option OPTIONS[] = {
	{ "device", required_argument, NULL, 'd' },
	{ "fallback", required_argument, NULL, 'F' },
	{ "python", required_argument, NULL, 'p' },
	{ "runs", required_argument, NULL, 'r' },
	{ "shape", required_argument, NULL, 'S' },
	{ "signature", required_argument, NULL, 'g' },
	{ "save", required_argument, NULL, 'w' },
	{ "saved", required_argument, NULL, 'R' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

const struct nnactl_command NNACTL_COMPARE = {
	.name = "compare",
	.arguments = "MODEL... [--device D] [--python P] [--runs N]",
	.what = "compare loopback, accelerator and TFLite",
	.help = "nnactl compare MODEL... [--device auto|/dev/accel/accelN]\n"
		"               [--fallback none|loopback]\n"
		"               [--python PROGRAM|none] [--runs N] [--shape 1,224,224,3]...\n"
		"               [--signature S] [--save FOLDER | --saved FOLDER] [--json]\n\n"
		"Runs each model on the loopback, on the accelerator if there is one, and with\n"
		"the reference kernels of TFLite if that Python (default: python3) has\n"
		"ai_edge_litert, tflite_runtime or tensorflow, and prints how far each output\n"
		"differs for the same inputs: integers in steps, floats as a share of the\n"
		"output's range. The exit status is 1 where loopback and accelerator are not\n"
		"equal to the byte. --save keeps what the loopback gives, --saved takes that\n"
		"instead of running it: for a slower machine with an accelerator, as a VM is.\n"
		"--signature names one of the models' signatures, which TFLite runs, too. With\n"
		"--fallback loopback, that runs what the accelerator cannot; a line says how many\n"
		"operators.",
	.options = OPTIONS,
	.main = compare_main,
};
