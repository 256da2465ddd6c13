// SPDX-License-Identifier: MIT
/*
 * From a model's file and a device's name to a compiled program, with a line on stderr for
 * everything that can be wrong on the way.
 */
#include "tools/nnactl/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "frontend/split/program.h"
#include "frontend/tflite/label.h"
#include "frontend/tflite/signature.h"
#include "frontend/vela/arena.h"
#include "libnnaccel/support/coverage.h"
#include "tools/nnactl/kind.h"
#include "tools/nnactl/model.h"
#include "tools/nnactl/nodes.h"

/* Of messages: names that are looked through, characters of a name, and of a list of names. */
#define MAX_NAMES 64u
#define NAME_SIZE 64
#define LIST_SIZE 256
#define SHAPE_SIZE 128
#define MODEL_MAX ((size_t)4 << 30)

static void log_line(void *user, enum nna_log_level level, const char *text)
{
	struct nnactl_log *log = user;

	if (level != NNA_LOG_ERROR)
		fprintf(stderr, "nnactl: %s\n", text);
	else if (!log->error[0])
		snprintf(log->error, sizeof(log->error), "%s", text);
}

int nnactl_device_open(const char *name, uint32_t threads, struct nna_device **device,
		       struct nnactl_log *log)
{
	struct nna_device_options options = { .log = { log_line, log }, .threads = threads };
	char node[64];
	bool ours;
	int ret;

	log->error[0] = 0;
	ret = nna_device_open(name, &options, device);
	if (!ret)
		return 0;
	ours = nnactl_nodes_name(name, node, sizeof(node));
	switch (-ret) {
	case ENOENT:
		/* The library has said which backends there are. */
		if (!strncmp(node, "backend-", 8))
			return nnactl_failed(log, "there is no %s", node);
		return nnactl_error("there is no device %s: load the driver (nnactl load nna.ko), "
				    "or use --device loopback", node);
	case ENODEV:
		if (ours)
			return nnactl_error("%s is lost: bind the driver anew (nnactl unload, "
					    "nnactl load)", node);
		return nnactl_error("%s is not an NNA accelerator: use --device auto or loopback",
				    node);
	case EACCES:
		return nnactl_error("no permission for %s: "
				    "join the group that owns it (render), or be root", node);
	case EPROTO:
		return nnactl_error("%s speaks another version: "
				    "use driver and library of one release", node);
	default:
		return nnactl_failed(log, "cannot open device %s: %s", node, strerror(-ret));
	}
}

bool nnactl_fallback_read(const char *text, enum nnactl_fallback *fallback)
{
	*fallback = !strcmp(text, "loopback") ? NNACTL_FALLBACK_LOOPBACK : NNACTL_FALLBACK_NONE;
	if (*fallback || !strcmp(text, "none"))
		return true;
	nnactl_misuse("--fallback is none or loopback, not '%s'", text);
	return false;
}

/*
 * Which operators the device does. @takes: for each, true; cleared for those that it cannot run.
 * Return: 0, or 1 with the error printed.
 */
static int find_support(struct nnactl_session *s, bool *takes)
{
	const uint32_t count = nna_graph_operation_count(s->graph, 0);
	bool *supported = calloc(count ? count : 1, sizeof(*supported));
	int ret;

	if (!supported)
		return nnactl_error("out of memory");
	ret = nna_graph_get_supported(s->graph, s->device, supported);
	for (uint32_t i = 0; i < count && !ret; i++)
		if (!supported[i])
			takes[i < s->origin.count ? s->origin.operators[i] : 0] = false;
	free(supported);
	return ret ? nnactl_failed(&s->log, "%s: %s", s->path, strerror(-ret)) : 0;
}

/* Nothing goes to another device without a word. */
static void say_split(struct nnactl_session *s)
{
	char line[NNA_COVERAGE_SIZE];

	s->operators = nnactl_model_operators(s);
	s->left = split_program_left(s->split);
	fprintf(stderr, "nnactl: %s: %s\n", s->path,
		nna_coverage_describe(s->operators - s->left, s->operators, s->device_name,
				      "on the NNA's loopback", line));
}

/* What the device cannot run goes to the loopback. Return: 0, or 1 with the error printed. */
static int compile_split(struct nnactl_session *s, const bool *takes, uint32_t threads)
{
	struct split_program_options options = {
		.first = s->device,
		.takes = takes,
		.rounding = s->rounding,
		.log = nnactl_session_log(s),
		.rest_name = "loopback",
	};
	char error[TFLITE_ERROR_SIZE];
	size_t n = strlen(s->device_name);

	if (nnactl_device_open("loopback", threads, &s->rest, &s->log))
		return 1;
	options.rest = s->rest;
	if (split_program_create(s->model, &options, &s->split, error))
		return nnactl_error("%s: %s%s%s", s->path, error, s->log.error[0] ? ": " : "",
				    s->log.error);
	nnactl_progress_end();
	say_split(s);
	snprintf(s->device_name + n, sizeof(s->device_name) - n, " and loopback");
	return 0;
}

/* Compile the graph for the device; what that cannot run is refused, or goes to the fallback. */
static int compile_graph(struct nnactl_session *s, uint32_t threads)
{
	const struct nna_program_options options = { .priority = NNA_PRIORITY_MEDIUM };
	const uint32_t count = nnactl_model_operators(s);
	bool *takes = malloc((size_t)count + 1);
	char label[TFLITE_LABEL_SIZE];
	uint32_t i;
	int ret;

	if (!takes)
		return nnactl_error("out of memory");
	memset(takes, true, (size_t)count + 1);
	ret = find_support(s, takes);
	for (i = 0; i < count && takes[i]; i++)
		;
	s->log.error[0] = 0;
	if (!ret && i < count) {
		if (s->fallback && s->model)
			ret = compile_split(s, takes, threads);
		else
			ret = nnactl_error("%s: %s cannot run on %s: use a model without it%s",
					   s->path, nnactl_model_label(s, i, label),
					   s->device_name, s->fallback ?
					   ", since only TFLite files have a fallback" : "");
	} else if (!ret) {
		ret = nna_program_create(s->device, s->graph, &options, &s->program);
		if (ret)
			ret = nnactl_failed(&s->log, "%s: cannot compile: %s", s->path,
					    strerror(-ret));
	}
	free(takes);
	return ret;
}

bool nnactl_shapes_add(struct nnactl_shapes *shapes, const char *text)
{
	const char *at = text;
	uint32_t n = 0;

	if (shapes->count == NNACTL_MAX_SHAPES) {
		nnactl_misuse("--shape: at most %u inputs are possible", NNACTL_MAX_SHAPES);
		return false;
	}
	do {
		unsigned long value;
		char *end;

		errno = 0;
		value = strtoul(at, &end, 10);
		if (end == at || *at < '0' || *at > '9' || errno || !value || value > INT32_MAX ||
		    n == TFLITE_MAX_RANK || (*end && *end != ',')) {
			nnactl_misuse("--shape %s: 1 to %u dimensions are wanted, as in "
				      "1,224,224,3", text, TFLITE_MAX_RANK);
			return false;
		}
		shapes->dims[shapes->count][n++] = (uint32_t)value;
		at = *end ? end + 1 : NULL;
	} while (at);
	shapes->rank[shapes->count++] = n;
	return true;
}

/* "tokens, pos", as far as there is room. */
static const char *list_names(const struct tflite_named *names, uint32_t count, char *to,
			      size_t size)
{
	char name[NAME_SIZE];
	size_t n = 0;

	snprintf(to, size, "none");
	for (uint32_t i = 0; i < count && n < size; i++)
		n += (size_t)snprintf(to + n, size - n, "%s%s", i ? ", " : "",
				      tflite_printable(names[i].name, name, sizeof(name)));
	if (n >= size)
		memcpy(to + size - 4, "...", 4);
	return to;
}

/* Say what signatures the file has, a line each, and which subgraph runs. */
static void print_signatures(const struct nnactl_session *s)
{
	char name[NAME_SIZE], in[LIST_SIZE], out[LIST_SIZE];

	fprintf(stderr, "nnactl: %s has %u signatures; %s%s%s runs, --signature of run, bench, "
		"profile, compare and dump chooses:\n",
		s->path, s->model->signature_count, s->signature ? "'" : "its main subgraph",
		s->signature ? tflite_printable(s->signature->key, name, sizeof(name)) : "",
		s->signature ? "'" : "");
	for (uint32_t i = 0; i < s->model->signature_count; i++) {
		const struct tflite_signature *one = &s->model->signatures[i];

		fprintf(stderr, "  %s: inputs %s; outputs %s\n",
			tflite_printable(one->key, name, sizeof(name)),
			list_names(one->inputs, one->input_count, in, sizeof(in)),
			list_names(one->outputs, one->output_count, out, sizeof(out)));
	}
}

static int no_signature(const struct nnactl_session *s, const char *wanted)
{
	const struct tflite_model *m = s->model;
	const char *keys[MAX_NAMES], *nearest;
	char name[NAME_SIZE], list[LIST_SIZE];
	uint32_t count = 0;
	size_t n = 0;

	if (!m->signature_count)
		return nnactl_error("%s has no signatures: leave --signature away", s->path);
	for (; count < m->signature_count && count < MAX_NAMES; count++) {
		keys[count] = m->signatures[count].key;
		if (n < sizeof(list))
			n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s", count ? ", " : "",
					      tflite_printable(keys[count], name, sizeof(name)));
	}
	nearest = nnactl_nearest(wanted, keys, count);
	if (nearest)
		return nnactl_error("%s has no signature '%s': did you mean %s?", s->path, wanted,
				    tflite_printable(nearest, name, sizeof(name)));
	return nnactl_error("%s has no signature '%s': it has %s", s->path, wanted, list);
}

/* Whether a file that is no TFLite model is to be read as ONNX. */
static bool is_other(const char *error)
{
	return strstr(error, "the mark TFL3");
}

/*
 * What comes from a pipe is read whole first. Return: 0 or a negative errno, 1 if it is printed;
 * the error of an ONNX file is its own.
 */
static int load_model(struct nnactl_session *s, const char *path, char *error)
{
	struct stat st;
	size_t size;
	char *data;
	int ret;

	if (strcmp(path, "-") && (stat(path, &st) || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))) {
		ret = tflite_load(path, &s->model, error);
		if (ret && is_other(error) && nnactl_kind_is_onnx(path))
			ret = onnx_load(path, &s->onnx, error);
		return ret;
	}
	data = nnactl_file_read(path, MODEL_MAX, &size);
	if (!data)
		return 1;
	ret = tflite_parse(data, size, &s->model, error);
	if (ret && is_other(error) && onnx_is_model(data, size))
		ret = onnx_parse(data, size, &s->onnx, error);
	free(data);
	return ret;
}

int nnactl_session_load(struct nnactl_session *s, const char *path, const char *signature)
{
	char error[TFLITE_ERROR_SIZE];
	const char *kind;
	int ret;

	*s = (struct nnactl_session){ .path = nnactl_file_name(path),
				      .rounding = NNA_ROUNDING_TFLITE };
	ret = load_model(s, path, error);
	if (ret > 0)
		return ret;
	if (ret) {
		kind = is_other(error) || strstr(error, "no regular file") ?
		       nnactl_kind_of(path) : NULL;
		return nnactl_error("%s: %s", s->path, kind ?: error);
	}
	if (s->onnx) {
		s->shapes = calloc((size_t)s->onnx->input_count + 1, sizeof(*s->shapes));
		if (!s->shapes)
			return nnactl_error("out of memory");
		return signature ? nnactl_error("%s is an ONNX model, which has no signatures: "
						"leave --signature away", s->path) : 0;
	}
	if (!signature) {
		s->signature = tflite_signature_of(s->model, s->model->main);
		if (s->model->signature_count > 1)
			print_signatures(s);
		return 0;
	}
	s->signature = tflite_find_signature(s->model, signature);
	if (!s->signature)
		return no_signature(s, signature);
	tflite_choose_signature(s->model, s->signature);
	return 0;
}

/* "[1, 224, 224, 3]". */
static const char *describe(const uint32_t *dims, uint32_t rank, char *to)
{
	size_t n = 1;

	strcpy(to, "[");
	for (uint32_t i = 0; i < rank && n < SHAPE_SIZE - 2; i++)
		n += (size_t)snprintf(to + n, SHAPE_SIZE - n, "%s%u", i ? ", " : "", dims[i]);
	if (n < SHAPE_SIZE - 1)
		strcpy(to + n, "]");
	return to;
}

/* Of an image that has its channels where the model has a side. */
static bool is_turned(const struct nnactl_tensor *x, const uint32_t *dims, uint32_t rank, bool onnx)
{
	const uint32_t c = onnx ? 1 : 3;

	return x->rank == 4 && rank == 4 && dims[4 - c] == x->dims[c] && dims[c] != x->dims[c];
}

/* What makes an array of this shape one of the input's; "" where that is not known. */
static const char *remedy_of(const struct nnactl_tensor *x, const uint32_t *dims, uint32_t rank,
			     bool onnx)
{
	if (is_turned(x, dims, rank, onnx))
		return onnx ? ": its channels come last, the model's first: save "
			      "a.transpose(0, 3, 1, 2)" :
			      ": its channels come first, the model's last: save "
			      "a.transpose(0, 2, 3, 1)";
	if (rank + 1 == x->rank && x->dims[0] == 1 &&
	    !memcmp(dims, x->dims + 1, rank * sizeof(*dims)))
		return ": it has no dimension for the batch: save a[None]";
	if (rank && rank == x->rank && !memcmp(dims + 1, x->dims + 1, (rank - 1) * sizeof(*dims)))
		return ": another batch is asked for with --shape";
	return "";
}

int nnactl_session_fit(struct nnactl_session *s, uint32_t index, const uint32_t *dims,
		       uint32_t rank, const char *what)
{
	char error[TFLITE_ERROR_SIZE], name[NAME_SIZE], is[SHAPE_SIZE], takes[SHAPE_SIZE];
	struct nnactl_tensor x;

	nnactl_model_tensor(s, true, index, &x);
	if (rank == x.rank && !memcmp(dims, x.dims, rank * sizeof(*dims)) && !x.open)
		return 0;
	if (rank != x.rank || !x.open || is_turned(&x, dims, rank, s->onnx))
		return nnactl_error("%s has the shape %s, input %s of %s takes %s%s", what,
				    describe(dims, rank, is),
				    nnactl_input_name(s, index, name, sizeof(name)), s->path,
				    describe(x.dims, x.rank, takes),
				    remedy_of(&x, dims, rank, s->onnx));
	if (nnactl_model_reshape(s, index, rank, dims, error))
		return nnactl_error("%s: %s", what, error);
	return 0;
}

int nnactl_session_shape(struct nnactl_session *s, const struct nnactl_shapes *shapes)
{
	char error[TFLITE_ERROR_SIZE];
	struct nnactl_tensor x;

	for (uint32_t i = 0; i < shapes->count && i < nnactl_model_count(s, true); i++) {
		nnactl_model_tensor(s, true, i, &x);
		/* A shape that is asked for may be another one; but not what is a mistake. */
		if ((shapes->rank[i] != x.rank ||
		     is_turned(&x, shapes->dims[i], shapes->rank[i], s->onnx)) &&
		    nnactl_session_fit(s, i, shapes->dims[i], shapes->rank[i], "--shape"))
			return 1;
	}
	for (uint32_t i = 0; i < shapes->count; i++)
		if (nnactl_model_reshape(s, i, shapes->rank[i], shapes->dims[i], error))
			return nnactl_error("%s: %s", s->path, error);
	return 0;
}

/*
 * The NNA for operators that Vela has left. Where none is asked for by name there may be none: the
 * operator that needs it is named then. Return: 0, or 1 with the error printed.
 */
static int open_rest(struct nnactl_session *s, const char *device, uint32_t threads, char *name,
		     size_t size)
{
	const struct nna_device_options options = { .threads = threads };
	struct nna_device_info info;

	if (strcmp(device, "auto")) {
		if (nnactl_device_open(device, threads, &s->device, &s->log))
			return 1;
	} else if (nna_device_open(device, &options, &s->device)) {
		s->device = NULL;
	}
	if (s->device)
		nna_device_get_info(s->device, &info);
	if (s->device && (!info.loopback || strcmp(device, "auto"))) {
		snprintf(name, size, "%s", info.name);
		return 0;
	}
	/* What Vela has left is run by an accelerator, or by its model where that is asked for. */
	nna_device_close(s->device);
	s->device = NULL;
	snprintf(name, size, "--fallback loopback is one in this process");
	return 0;
}

/* @device: the NPU's node, or an NNA for what Vela has left; the other one is the first. */
static int compile_vela(struct nnactl_session *s, const char *device, uint32_t threads)
{
	const bool is_npu = vela_is_npu(device);
	char error[TFLITE_ERROR_SIZE], name[64] = "none is needed";
	struct split_program_options options = {
		.npu = is_npu ? device : NULL,
		.rest_name = name,
		.rounding = s->rounding,
		.log = { log_line, &s->log },
	};
	size_t n;

	if (!s->takes_vela)
		return nnactl_error("%s has been compiled by Vela: run, bench and dump take it, "
				    "the others need the model that Vela was given", s->path);
	if (split_program_needs_rest(s->model) &&
	    open_rest(s, s->fallback ? "loopback" : is_npu ? "auto" : device, threads, name,
		      sizeof(name)))
		return 1;
	options.rest = s->device;
	nnactl_progress("%s: compiling", s->path);
	if (split_program_create(s->model, &options, &s->split, error))
		return nnactl_error("%s: %s%s%s", s->path, error, s->log.error[0] ? ": " : "",
				    s->log.error);
	nnactl_progress_end();
	split_program_describe(s->split, s->device_name, sizeof(s->device_name));
	if (s->fallback && s->device)
		say_split(s);
	n = strlen(s->device_name);
	if (s->device)
		snprintf(s->device_name + n, sizeof(s->device_name) - n, " and %s", name);
	return 0;
}

int nnactl_session_device(struct nnactl_session *s, const char *device, uint32_t threads)
{
	struct nna_device_info info;

	if (nnactl_device_open(device, threads, &s->device, &s->log))
		return 1;
	nna_device_get_info(s->device, &info);
	snprintf(s->device_name, sizeof(s->device_name), "%s", info.name);
	s->loopback = info.loopback;
	return 0;
}

struct nna_log nnactl_session_log(struct nnactl_session *s)
{
	return (struct nna_log){ log_line, &s->log };
}

int nnactl_session_compile(struct nnactl_session *s, const char *device, uint32_t threads)
{
	struct nna_log log = nnactl_session_log(s);
	char error[TFLITE_ERROR_SIZE];
	int ret;

	if (s->model && vela_is_model(s->model))
		return compile_vela(s, device, threads);
	if (nnactl_session_device(s, device, threads))
		return 1;
	nnactl_progress("%s: compiling", s->path);
	ret = nnactl_model_graph(s, &log, error);
	if (ret)
		return nnactl_error("%s: %s%s%s", s->path, error, s->log.error[0] ? ": " : "",
				    s->log.error);
	ret = compile_graph(s, threads);
	nnactl_progress_end();
	return ret;
}

int nnactl_session_open(struct nnactl_session *s, const char *path, const char *signature,
			const char *device, uint32_t threads)
{
	return nnactl_session_load(s, path, signature) ?:
	       nnactl_session_compile(s, device, threads);
}

uint32_t nnactl_session_count(const struct nnactl_session *s, bool input)
{
	if (s->split)
		return split_program_count(s->split, input);
	return input ? nna_program_input_count(s->program) : nna_program_output_count(s->program);
}

int nnactl_session_io(const struct nnactl_session *s, bool input, uint32_t index,
		      struct nna_io_info *info)
{
	if (!s->split)
		return input ? nna_program_get_input(s->program, index, info) :
			       nna_program_get_output(s->program, index, info);
	split_program_io(s->split, input, index, info);
	return 0;
}

/* The name of an input or output: the signature's, or the tensor's. */
static const char *name_of(const struct nnactl_session *s, bool input, uint32_t index)
{
	struct nnactl_tensor x;
	const char *name = NULL;

	if (s->signature && index < nnactl_model_count(s, input)) {
		const struct tflite_subgraph *sub = tflite_main(s->model);

		name = tflite_signature_name(s->signature, input, (uint32_t)
					     (input ? &sub->inputs : &sub->outputs)->at[index]);
	}
	nnactl_model_tensor(s, input, index, &x);
	return name ?: x.name;
}

/* The tensor to which the signature gives the name @name; -1 for none. */
static int64_t tensor_of(const struct tflite_signature *signature, bool input, const char *name)
{
	const struct tflite_named *names;
	uint32_t count;

	if (!signature)
		return -1;
	names = input ? signature->inputs : signature->outputs;
	count = input ? signature->input_count : signature->output_count;
	for (uint32_t i = 0; i < count; i++)
		if (!strcmp(names[i].name, name))
			return names[i].tensor;
	return -1;
}

/* The number of tensor @tensor of a TFLite model among its inputs or outputs. */
static bool find_tensor(const struct nnactl_session *s, bool input, int64_t tensor, uint32_t *index)
{
	const struct tflite_ints *list;

	if (tensor < 0)
		return false;
	list = input ? &tflite_main(s->model)->inputs : &tflite_main(s->model)->outputs;
	for (*index = 0; *index < list->count; ++*index)
		if (list->at[*index] == tensor)
			return true;
	return false;
}

bool nnactl_session_find(const struct nnactl_session *s, bool input, const char *name,
			 const char *option, uint32_t *index)
{
	const uint32_t all = nnactl_model_count(s, input);
	const char *what = input ? "input" : "output", *names[MAX_NAMES], *nearest;
	int64_t tensor = name ? tensor_of(s->signature, input, name) : -1;
	struct nnactl_tensor x;
	char text[NAME_SIZE];
	uint32_t count = 0;
	char *end;

	if (!name) {
		*index = 0;
		if (all == 1)
			return true;
		nnactl_error("%s has %u %ss: say which, as in %s %s=FILE.npy", s->path, all, what,
			     option, all ? tflite_printable(name_of(s, input, 0), text,
							    sizeof(text)) : "NAME");
		return false;
	}
	if (find_tensor(s, input, tensor, index))
		return true;
	for (*index = 0; *index < all; ++*index) {
		nnactl_model_tensor(s, input, *index, &x);
		if (!strcmp(x.name, name))
			return true;
	}
	*index = (uint32_t)strtoul(name, &end, 10);
	if (*name >= '0' && *name <= '9' && !*end && *index < all)
		return true;
	for (; count < all && count < MAX_NAMES; count++)
		names[count] = name_of(s, input, count);
	nearest = nnactl_nearest(name, names, count);
	if (!nearest && count)
		nearest = names[0];
	nnactl_error("%s has no %s '%s': did you mean %s?", s->path, what, name,
		     nearest ? tflite_printable(nearest, text, sizeof(text)) : "none");
	return false;
}

const char *nnactl_input_name(const struct nnactl_session *s, uint32_t index, char *to, size_t size)
{
	return tflite_printable(name_of(s, true, index), to, size);
}

const char *nnactl_output_name(const struct nnactl_session *s, uint32_t index, char *to,
			       size_t size)
{
	return tflite_printable(name_of(s, false, index), to, size);
}

void nnactl_session_close(struct nnactl_session *s)
{
	split_program_destroy(s->split);
	nna_device_close(s->rest);
	nna_program_destroy(s->program);
	nna_graph_unref(s->graph);
	nna_device_close(s->device);
	tflite_origin_free(&s->origin);
	tflite_free(s->model);
	onnx_model_free(s->onnx);
	free(s->shapes);
	*s = (struct nnactl_session){ 0 };
}
