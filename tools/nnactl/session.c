// SPDX-License-Identifier: MIT
#include "tools/nnactl/nnactl.h"

#include <errno.h>
#include <math.h>
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

int nnactl_open_device(const char *name, uint32_t threads, struct nna_device **device,
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
		return nnactl_error(
			"there is no device %s: load the driver (nnactl load nna.ko), or use --device loopback",
			name);
	case ENODEV:
		return nnactl_error("%s is not an NNA accelerator: use --device auto or loopback",
				    name);
	case EACCES:
		return nnactl_error(
			"no permission for %s: join the group that owns it (render), or be root",
			name);
	case EPROTO:
		return nnactl_error(
			"%s speaks another version: use driver and library of one release", name);
	default:
		return nnactl_failed(log, "cannot open device %s: %s", name, strerror(-ret));
	}
}

/* Which of the model's operators cannot be compiled. Return: 0 when all can. */
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

int nnactl_session_open(struct nnactl_session *s, const char *path, const char *device,
			uint32_t threads)
{
	struct nna_program_options options = { .priority = NNA_PRIORITY_MEDIUM };
	char error[TFLITE_ERROR_SIZE];
	struct nna_device_info info;
	struct nna_log log = { log_line, &s->log };
	int ret;

	*s = (struct nnactl_session){ .path = path };
	if (tflite_load(path, &s->model, error))
		return nnactl_error("%s: %s", path, error);
	if (nnactl_open_device(device, threads, &s->device, &s->log))
		return 1;
	nna_device_get_info(s->device, &info);
	snprintf(s->device_name, sizeof(s->device_name), "%s", info.name);
	ret = tflite_to_graph(s->model, &log, &s->graph, &s->origin, error);
	if (ret)
		return nnactl_error("%s: %s%s%s", path, error, s->log.error[0] ? ": " : "",
				    s->log.error);
	if (check_support(s))
		return 1;
	s->log.error[0] = 0;
	ret = nna_program_create(s->device, s->graph, &options, &s->program);
	if (ret)
		return nnactl_failed(&s->log, "%s: cannot compile: %s", path, strerror(-ret));
	return 0;
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

int nnactl_outputs_bind(struct nnactl_outputs *o, struct nnactl_session *s,
			struct nna_execution *execution)
{
	uint32_t i;
	int ret;

	*o = (struct nnactl_outputs){ .count = nna_program_output_count(s->program) };
	o->info = calloc(o->count ? o->count : 1, sizeof(*o->info));
	o->data = calloc(o->count ? o->count : 1, sizeof(*o->data));
	if (!o->info || !o->data)
		return nnactl_error("out of memory");
	for (i = 0; i < o->count; i++) {
		ret = nna_program_get_output(s->program, i, &o->info[i]);
		if (ret || !o->info[i].size)
			return nnactl_error("%s: the size of output %u is not known", s->path, i);
		o->data[i] = calloc(1, o->info[i].size);
		if (!o->data[i])
			return nnactl_error("out of memory");
		o->total += o->info[i].size;
		ret = nna_execution_set_output(execution, i, 0, NULL, o->data[i], o->info[i].size);
		if (ret)
			return nnactl_failed(&s->log, "output %u: %s", i, strerror(-ret));
	}
	return 0;
}

void nnactl_outputs_free(struct nnactl_outputs *o)
{
	uint32_t i;

	for (i = 0; o->data && i < o->count; i++)
		free(o->data[i]);
	free(o->data);
	free(o->info);
	*o = (struct nnactl_outputs){ 0 };
}

size_t nnactl_elements(const struct nna_io_info *info)
{
	uint32_t size = nna_operand_type_size(info->type);

	return size ? info->size / size : 0;
}

static double half_value(uint16_t half)
{
	int exponent = half >> 10 & 31;
	double value = half & 1023;

	if (exponent == 31)
		value = value != 0 ? NAN : INFINITY;
	else
		value = exponent ? ldexp(value + 1024, exponent - 25) : ldexp(value, -24);
	return half & 0x8000 ? -value : value;
}

double nnactl_value(const struct nna_io_info *info, const void *data, size_t index)
{
	switch (info->type) {
	case NNA_OPERAND_TENSOR_FLOAT32:
		return ((const float *)data)[index];
	case NNA_OPERAND_TENSOR_FLOAT16:
		return half_value(((const uint16_t *)data)[index]);
	case NNA_OPERAND_TENSOR_INT32:
		return ((const int32_t *)data)[index];
	case NNA_OPERAND_TENSOR_INT64:
		return (double)((const int64_t *)data)[index];
	case NNA_OPERAND_TENSOR_BOOL8:
		return ((const uint8_t *)data)[index] != 0;
	case NNA_OPERAND_TENSOR_QUANT8_ASYMM:
		return (((const uint8_t *)data)[index] - info->zero_point) * (double)info->scale;
	case NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED:
	case NNA_OPERAND_TENSOR_QUANT8_SYMM:
		return (((const int8_t *)data)[index] - info->zero_point) * (double)info->scale;
	case NNA_OPERAND_TENSOR_QUANT16_SYMM:
		return ((const int16_t *)data)[index] * (double)info->scale;
	case NNA_OPERAND_TENSOR_QUANT16_ASYMM:
		return (((const uint16_t *)data)[index] - info->zero_point) * (double)info->scale;
	default:
		return 0;
	}
}

const char *nnactl_describe(const struct nna_io_info *info, char *to, size_t size)
{
	const char *name = nna_operand_type_name(info->type);
	size_t n;
	uint32_t i;

	n = (size_t)snprintf(to, size, "%s [", name ? name : "?");
	for (i = 0; i < info->rank && n < size; i++)
		n += (size_t)snprintf(to + n, size - n, "%s%u", i ? ", " : "", info->dims[i]);
	if (n < size)
		snprintf(to + n, size - n, "]");
	return to;
}
