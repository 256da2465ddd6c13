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
	int ret;

	log->error[0] = 0;
	ret = nna_device_open(name, &options, device);
	if (!ret)
		return 0;
	switch (-ret) {
	case ENOENT:
		return nnactl_error("there is no device %s: load the driver (nnactl load nna.ko), "
				    "or use --device loopback", name);
	case ENODEV:
		return nnactl_error("%s is not an NNA accelerator: use --device auto or loopback",
				    name);
	case EACCES:
		return nnactl_error("no permission for %s: "
				    "join the group that owns it (render), or be root", name);
	case EPROTO:
		return nnactl_error("%s speaks another version: "
				    "use driver and library of one release", name);
	default:
		return nnactl_failed(log, "cannot open device %s: %s", name, strerror(-ret));
	}
}

/* Print the first operator that the device cannot run. Return: 0 when there is none. */
static int check_support(struct nnactl_session *s)
{
	uint32_t count = nna_graph_operation_count(s->graph, 0), i, op;
	bool *supported = calloc(count ? count : 1, sizeof(*supported));
	const char *name;
	int ret;

	if (!supported)
		return nnactl_error("out of memory");
	ret = nna_graph_get_supported(s->graph, s->device, supported);
	if (ret) {
		free(supported);
		return nnactl_failed(&s->log, "%s: %s", s->path, strerror(-ret));
	}
	for (i = 0; i < count && supported[i]; i++)
		;
	free(supported);
	if (i == count)
		return 0;
	op = i < s->origin.count ? s->origin.operators[i] : 0;
	name = tflite_code_name(s->model->subgraphs[0].operators[op].code);
	return nnactl_error("%s: operator %u (%s) cannot run on %s: use a model without it",
			    s->path, op, name ? name : "?", s->device_name);
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

int nnactl_session_load(struct nnactl_session *s, const char *path)
{
	char error[TFLITE_ERROR_SIZE];

	*s = (struct nnactl_session){ .path = path, .rounding = NNA_ROUNDING_TFLITE };
	return tflite_load(path, &s->model, error) ? nnactl_error("%s: %s", path, error) : 0;
}

int nnactl_session_shape(struct nnactl_session *s, const struct nnactl_shapes *shapes)
{
	char error[TFLITE_ERROR_SIZE];

	for (uint32_t i = 0; i < shapes->count; i++)
		if (tflite_set_input_shape(s->model, i, shapes->rank[i], shapes->dims[i], error))
			return nnactl_error("%s: %s", s->path, error);
	return 0;
}

int nnactl_session_compile(struct nnactl_session *s, const char *device, uint32_t threads)
{
	struct nna_program_options options = { .priority = NNA_PRIORITY_MEDIUM };
	char error[TFLITE_ERROR_SIZE];
	struct nna_device_info info;
	struct nna_log log = { log_line, &s->log };
	int ret;

	if (nnactl_device_open(device, threads, &s->device, &s->log))
		return 1;
	nna_device_get_info(s->device, &info);
	snprintf(s->device_name, sizeof(s->device_name), "%s", info.name);
	s->loopback = info.loopback;
	nnactl_progress("%s: compiling", s->path);
	ret = tflite_to_rounded_graph(s->model, s->rounding, &log, &s->graph, &s->origin, error);
	if (ret)
		return nnactl_error("%s: %s%s%s", s->path, error, s->log.error[0] ? ": " : "",
				    s->log.error);
	if (check_support(s))
		return 1;
	s->log.error[0] = 0;
	ret = nna_program_create(s->device, s->graph, &options, &s->program);
	nnactl_progress_end();
	if (ret)
		return nnactl_failed(&s->log, "%s: cannot compile: %s", s->path, strerror(-ret));
	return 0;
}

int nnactl_session_open(struct nnactl_session *s, const char *path, const char *device,
			uint32_t threads, const struct nnactl_shapes *shapes)
{
	int ret = nnactl_session_load(s, path);

	if (!ret && shapes)
		ret = nnactl_session_shape(s, shapes);
	return ret ?: nnactl_session_compile(s, device, threads);
}

static const char *tensor_name(const struct nnactl_session *s, const struct tflite_ints *list,
			       uint32_t index, char *to, size_t size)
{
	const struct tflite_subgraph *sub = &s->model->subgraphs[0];

	return tflite_printable(index < list->count ? sub->tensors[list->at[index]].name : "?", to,
				size);
}

const char *nnactl_input_name(const struct nnactl_session *s, uint32_t index, char *to, size_t size)
{
	return tensor_name(s, &s->model->subgraphs[0].inputs, index, to, size);
}

const char *nnactl_output_name(const struct nnactl_session *s, uint32_t index, char *to,
			       size_t size)
{
	return tensor_name(s, &s->model->subgraphs[0].outputs, index, to, size);
}

void nnactl_session_close(struct nnactl_session *s)
{
	nna_program_destroy(s->program);
	nna_graph_unref(s->graph);
	nna_device_close(s->device);
	tflite_origin_free(&s->origin);
	tflite_free(s->model);
	*s = (struct nnactl_session){ 0 };
}
