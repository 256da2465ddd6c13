// SPDX-License-Identifier: MIT
/*
 * Runs ONNX models with known results, on the loopback or another device:
 *
 *	onnx_run [--device D] [--list] [--refused] FOLDER...
 *
 * ONNX' tests of operators have weights, axes and shapes as inputs, which models have as constants.
 * Where the translation asks for a constant, all inputs but the first become constants.
 *
 * A folder is one of ONNX' own test data: model.onnx, and test_data_set_N/ with input_K.pb and
 * output_K.pb, a TensorProto each; or it has such folders. A result may differ by 1e-5 of the range
 * of its values in float, by 2e-3 in float16, and by one step in quantised types, and elsewhere not
 * at all. In a model with quantised layers steps add up: its floats may differ by 3 % of the range.
 * A model that has no translation is skipped and its reason printed; with --refused that is a
 * failure. The last line is "N passed, N failed, N skipped".
 */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <nnaccel.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "frontend/onnx/translation.h"

#define PATH_SIZE 1024
#define MAX_ARGUMENTS 64u
/* Of so many quantised results one may differ. */
#define MOST_STEPS 4000u

static struct nna_device *device;
static bool lists, refuses;
static unsigned int passed, failed, skipped;
static unsigned long long steps, quantised;

static void log_line(void *user, enum nna_log_level level, const char *text)
{
	char *to = user;

	if (level == NNA_LOG_ERROR && !*to)
		snprintf(to, ONNX_ERROR_SIZE, "%s", text);
}

/* A whole file; NULL where there is none. */
static void *read_file(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	struct stat st;
	void *data = NULL;

	if (!file)
		return NULL;
	if (!fstat(fileno(file), &st)) {
		data = malloc((size_t)st.st_size + 1);
		*size = data ? fread(data, 1, (size_t)st.st_size, file) : 0;
	}
	fclose(file);
	return data;
}

/**
 * struct data - the tensors of one set
 * @memory: what they are read into
 * @inputs: @input_count of them
 * @outputs: @output_count of them
 */
struct data {
	struct onnx_model *memory;
	struct onnx_tensor inputs[MAX_ARGUMENTS], outputs[MAX_ARGUMENTS];
	uint32_t input_count, output_count;
	void *files[2 * MAX_ARGUMENTS];
	uint32_t file_count;
};

static uint32_t read_tensors(struct data *d, const char *folder, const char *what,
			     struct onnx_tensor *to, char *error)
{
	char path[PATH_SIZE + 64];
	uint32_t n = 0;

	for (; n < MAX_ARGUMENTS; n++) {
		size_t size = 0;
		void *data;

		snprintf(path, sizeof(path), "%s/%s_%u.pb", folder, what, n);
		data = read_file(path, &size);
		if (!data)
			break;
		d->files[d->file_count++] = data;
		if (onnx_parse_tensor(d->memory, data, size, &to[n], error))
			return MAX_ARGUMENTS + 1;
	}
	return n;
}

static bool read_data(struct data *d, const char *folder, char *error)
{
	d->memory = onnx_model_create();
	if (!d->memory)
		return false;
	d->input_count = read_tensors(d, folder, "input", d->inputs, error);
	d->output_count = read_tensors(d, folder, "output", d->outputs, error);
	return d->input_count <= MAX_ARGUMENTS && d->output_count <= MAX_ARGUMENTS &&
	       d->output_count;
}

static void free_data(struct data *d)
{
	for (uint32_t i = 0; i < d->file_count; i++)
		free(d->files[i]);
	onnx_model_free(d->memory);
}

/* Return: whether @x, the result, is close enough to @y, which is wanted. */
static bool compare(const struct onnx_tensor *x, const struct onnx_tensor *y, bool is_quantised,
		    bool steps_add_up, double *worst)
{
	const uint64_t n = onnx_elements(y);
	double low = 0, high = 0, limit, most = 0;

	for (uint64_t i = 0; i < n; i++) {
		const double v = onnx_real_at(y, i);

		if (isfinite(v)) {
			low = v < low ? v : low;
			high = v > high ? v : high;
		}
	}
	limit = y->type == ONNX_FLOAT ? (steps_add_up ? 3e-2 : 1e-5) * (high - low) :
		y->type == ONNX_FLOAT16 ? 2e-3 * (high - low) : is_quantised ? 1 : 0;
	for (uint64_t i = 0; i < n; i++) {
		const double a = onnx_real_at(x, i), b = onnx_real_at(y, i);
		const double difference = a == b || (isnan(a) && isnan(b)) ? 0 : fabs(a - b);

		if (!(difference <= limit)) {
			*worst = difference;
			return false;
		}
		most = difference > most ? difference : most;
		steps += is_quantised && difference > 0;
	}
	quantised += is_quantised ? n : 0;
	*worst = most;
	return true;
}

/* Inputs of the model that the data has, by their order. */
static int run(const struct onnx_model *model, struct nna_program *program, struct data *d,
	       bool is_quantised, char *why)
{
	struct nna_execution *execution;
	struct onnx_tensor results[MAX_ARGUMENTS];
	struct nna_io_info info;
	double worst = 0;
	int ret;

	ret = nna_execution_create(program, &execution);
	if (ret)
		return ret;
	for (uint32_t i = 0; i < model->input_count && !ret; i++)
		ret = nna_execution_set_input(execution, i, 0, NULL, d->inputs[i].data,
					      d->inputs[i].size);
	for (uint32_t i = 0; i < model->output_count && i < d->output_count && !ret; i++) {
		results[i] = d->outputs[i];
		results[i].data = onnx_model_allocate(d->memory, d->outputs[i].size + 1);
		ret = nna_program_get_output(program, i, &info);
		if (!ret && info.size != d->outputs[i].size) {
			snprintf(why, ONNX_ERROR_SIZE, "output %u has %zu bytes, expected %zu", i,
				 info.size, d->outputs[i].size);
			ret = -EINVAL;
		}
		if (!ret)
			ret = nna_execution_set_output(execution, i, 0, NULL,
						       (void *)results[i].data, results[i].size);
	}
	ret = ret ?: nna_execution_compute(execution);
	for (uint32_t i = 0; i < d->output_count && !ret; i++)
		if (!compare(&results[i], &d->outputs[i],
			     is_quantised && onnx_type_is_int8(d->outputs[i].type),
			     is_quantised && model->node_count > 4, &worst)) {
			snprintf(why, ONNX_ERROR_SIZE, "output %u differs by %g", i, worst);
			ret = -ERANGE;
		}
	nna_execution_destroy(execution);
	return ret;
}

static void tell(const char *name, const char *result, const char *why)
{
	printf("%s %s%s%s\n", result, name, *why ? " # " : "", why);
	failed += !strcmp(result, "not ok");
	fflush(stdout);
}

static void skip(const char *name, const char *why)
{
	if (refuses) {
		tell(name, "not ok", why);
		return;
	}
	skipped++;
	if (lists)
		printf("ok %s # SKIP %s\n", name, why);
}

/* Whether a result is rounded: a node of it is QuantizeLinear or reads quantised tensors. */
static bool has_quantised(const struct onnx_model *model)
{
	for (uint32_t i = 0; i < model->node_count; i++)
		if (strstr(model->nodes[i].op, "uantizeLinear"))
			return true;
	return false;
}

/* All inputs but the first as constants. */
static void make_constants(struct onnx_model *model, struct data *d)
{
	for (uint32_t i = 1; i < model->input_count; i++) {
		struct onnx_value *value = &model->values[model->inputs[i]];

		value->tensor = d->inputs[i];
		value->input = false;
		value->shaped = true;
	}
	model->input_count = model->input_count ? 1 : 0;
}

static void test_set(struct onnx_model *model, const char *name, const char *folder)
{
	const struct nna_log log = { log_line, (char[ONNX_ERROR_SIZE]){ 0 } };
	struct nna_program_options options = { .priority = NNA_PRIORITY_MEDIUM };
	char error[ONNX_ERROR_SIZE] = "", text[2 * ONNX_ERROR_SIZE + 8];
	struct onnx_shape shapes[MAX_ARGUMENTS] = { 0 };
	struct data d = { .memory = NULL };
	struct nna_program *program = NULL;
	struct nna_graph *graph = NULL;
	int ret;

	if (!read_data(&d, folder, error) || d.input_count < model->input_count ||
	    model->input_count > MAX_ARGUMENTS) {
		skip(name, *error ? error : "its data is of other types than tensors");
		free_data(&d);
		return;
	}
	for (uint32_t i = 0; i < model->input_count; i++) {
		shapes[i].stated = true;
		shapes[i].rank = d.inputs[i].rank;
		for (uint32_t k = 0; k < d.inputs[i].rank; k++)
			shapes[i].dims[k] = (uint32_t)d.inputs[i].dims[k];
	}
	ret = onnx_to_graph(model, shapes, &log, &graph, NULL, error);
	if (ret == -ENOTSUP && strstr(error, "constant") && model->input_count > 1) {
		make_constants(model, &d);
		error[0] = 0;
		ret = onnx_to_graph(model, shapes, &log, &graph, NULL, error);
	}
	if (!ret)
		ret = nna_program_create(device, graph, &options, &program);
	snprintf(text, sizeof(text), "%s%s%s", error, *error ? ": " : "", (char *)log.user);
	if (ret == -ENOTSUP) {
		skip(name, text);
	} else if (ret) {
		tell(name, "not ok", text);
	} else {
		ret = run(model, program, &d, has_quantised(model), error);
		if (ret && !*error)
			snprintf(error, sizeof(error), "%s %s", strerror(-ret), (char *)log.user);
		passed += !ret;
		if (ret)
			tell(name, "not ok", error);
		else if (lists)
			tell(name, "ok", "");
	}
	nna_program_destroy(program);
	nna_graph_unref(graph);
	free_data(&d);
}

static bool is_there(const char *path)
{
	struct stat st;

	return !stat(path, &st);
}

static void test_model(const char *folder)
{
	char path[PATH_SIZE + 64], error[ONNX_ERROR_SIZE] = "";
	const char *name = strrchr(folder, '/') ? strrchr(folder, '/') + 1 : folder;
	struct onnx_model *model = NULL;
	int ret;

	snprintf(path, sizeof(path), "%s/model.onnx", folder);
	ret = onnx_load(path, &model, error);
	if (ret) {
		if (ret == -ENOTSUP)
			skip(name, error);
		else
			tell(name, "not ok", error);
		return;
	}
	for (int i = 0; model; i++) {
		snprintf(path, sizeof(path), "%s/test_data_set_%d", folder, i);
		if (!is_there(path))
			break;
		test_set(model, name, path);
		/* A set may have made its inputs the model's constants. */
		onnx_model_free(model);
		snprintf(path, sizeof(path), "%s/model.onnx", folder);
		if (onnx_load(path, &model, error))
			model = NULL;
	}
	onnx_model_free(model);
}

static int is_name(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void test_folder(const char *folder)
{
	char path[PATH_SIZE];
	struct dirent **entries;
	int count;

	snprintf(path, sizeof(path), "%s/model.onnx", folder);
	if (is_there(path)) {
		test_model(folder);
		return;
	}
	count = scandir(folder, &entries, is_name, alphasort);
	for (int i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s/%s/model.onnx", folder, entries[i]->d_name);
		if (is_there(path)) {
			path[strlen(path) - strlen("/model.onnx")] = 0;
			test_model(path);
		}
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
}

int main(int argc, char **argv)
{
	const char *name = "loopback";
	int i = 1;

	for (; i < argc && !strncmp(argv[i], "--", 2); i++) {
		if (!strcmp(argv[i], "--list"))
			lists = true;
		else if (!strcmp(argv[i], "--refused"))
			refuses = true;
		else if (!strcmp(argv[i], "--device") && i + 1 < argc)
			name = argv[++i];
		else
			return 2;
	}
	if (nna_device_open(name, NULL, &device)) {
		fprintf(stderr, "cannot open %s\n", name);
		return 1;
	}
	for (; i < argc; i++)
		test_folder(argv[i]);
	nna_device_close(device);
	if (quantised)
		printf("# %llu of %llu quantised results differ by one step\n", steps, quantised);
	if (steps * MOST_STEPS > quantised)
		tell("all", "not ok", "too many quantised results differ");
	printf("%u passed, %u failed, %u skipped\n", passed, failed, skipped);
	return failed || !passed;
}
