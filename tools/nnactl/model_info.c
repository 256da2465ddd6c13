// SPDX-License-Identifier: MIT
#include "tools/nnactl/model_info.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tflite/label.h"
#include "frontend/tflite/type.h"
#include "frontend/vela/operator.h"
#include "libnnaccel/backend/ethosu/text.h"
#include "libnnaccel/support/coverage.h"
#include "tools/nnactl/listing.h"
#include "tools/nnactl/model.h"

#define NAME_SIZE 128

/**
 * struct model_info - what is found out about a model
 * @session: with the device and the graph, as far as they could be made
 * @taken: operators that the device, or the NPU, takes, of @all
 * @coverage: the line that says so
 * @why: what is in the way of the rest; "" for nothing
 * @memory: of the compiled program; NULL where it is not compiled
 */
struct model_info {
	struct nnactl_session session;
	uint32_t taken, all;
	char coverage[NNA_COVERAGE_SIZE], why[TFLITE_ERROR_SIZE + 320];
	json_t *memory;
};

/* How often an operator is in the model. */
struct code_count {
	char name[64];
	uint32_t count;
};

/* ------------------------------------------------------------------------------------- finding */

/* Operators of which the device takes each operation, and the first that it does not. */
static int count_taken(struct model_info *m, const bool *supported, uint32_t count)
{
	struct nnactl_session *s = &m->session;
	bool *refused = calloc(m->all ? m->all : 1, sizeof(*refused));
	char label[TFLITE_LABEL_SIZE];

	if (!refused)
		return nnactl_error("out of memory");
	m->taken = m->all;
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t op = i < s->origin.count ? s->origin.operators[i] : 0;

		if (supported[i] || op >= m->all || refused[op])
			continue;
		refused[op] = true;
		if (m->taken-- == m->all)
			snprintf(m->why, sizeof(m->why), "%s cannot run there",
				 nnactl_model_label(s, op, label));
	}
	free(refused);
	return 0;
}

/* Translate the model, ask the device, and compile. Return: 0, or 1 with an error printed. */
static int find_coverage(struct model_info *m, const char *device, uint32_t threads)
{
	struct nnactl_session *s = &m->session;
	struct nna_program_options options = { .priority = NNA_PRIORITY_MEDIUM };
	struct nna_log log = nnactl_session_log(s);
	char error[TFLITE_ERROR_SIZE];
	json_t *listing = NULL;
	uint32_t count;
	bool *supported;
	int ret;

	if (nnactl_session_device(s, device, threads))
		return 1;
	ret = nnactl_model_graph(s, &log, error);
	if (ret) {
		snprintf(m->why, sizeof(m->why), "%s%s%s", error, s->log.error[0] ? ": " : "",
			 s->log.error);
		return 0;
	}
	count = nna_graph_operation_count(s->graph, 0);
	supported = calloc(count ? count : 1, sizeof(*supported));
	if (!supported)
		return nnactl_error("out of memory");
	ret = nna_graph_get_supported(s->graph, s->device, supported);
	ret = ret ? nnactl_failed(&s->log, "%s: %s", s->path, strerror(-ret)) :
	      count_taken(m, supported, count);
	free(supported);
	if (ret || m->taken < m->all)
		return ret;
	nnactl_progress("%s: compiling", s->path);
	s->log.error[0] = 0;
	ret = nna_program_create(s->device, s->graph, &options, &s->program);
	nnactl_progress_end();
	if (ret) {
		snprintf(m->why, sizeof(m->why), "it does not compile: %s",
			 s->log.error[0] ? s->log.error : strerror(-ret));
		return 0;
	}
	listing = nnactl_listing_get(s);
	if (!listing)
		return 1;
	m->memory = json_incref(json_object_get(json_array_get(listing, 0), "memory"));
	json_decref(listing);
	return 0;
}

/* The NPU that Vela has compiled for; none is opened. Return: 0, or 1 with an error printed. */
static int find_vela_coverage(struct model_info *m)
{
	const struct tflite_subgraph *sub = tflite_main(m->session.model);
	char error[TFLITE_ERROR_SIZE], why[NNA_ETHOSU_ERROR_SIZE], name[NNA_ETHOSU_NAME_SIZE];
	struct nna_ethosu_stream stream;
	struct vela_operator op;

	snprintf(m->session.device_name, sizeof(m->session.device_name), "an Ethos-U");
	for (uint32_t i = 0; i < sub->operator_count; i++) {
		if (!vela_is_operator(&sub->operators[i]))
			continue;
		if (vela_operator_read(m->session.model, i, &op, error))
			return nnactl_error("%s: %s", m->session.path, error);
		if (nna_ethosu_payload_read(op.payload, op.payload_size, &stream, why))
			return nnactl_error("%s: operator %u (ethos-u): %s", m->session.path, i,
					    why);
		if (!m->taken++)
			snprintf(m->session.device_name, sizeof(m->session.device_name), "%s",
				 stream.targeted ? nna_ethosu_name(stream.config, name) :
						   "an Ethos-U");
		nna_ethosu_stream_free(&stream);
	}
	return 0;
}

/* Add one to the count of an operator. */
static void count_code(struct code_count *counts, uint32_t *n, const struct nnactl_session *session,
		       uint32_t number)
{
	const char *name = nnactl_model_operator(session, number);
	char text[sizeof(counts->name)];
	uint32_t i = 0;

	if (name)
		tflite_printable(name, text, sizeof(text));
	else
		snprintf(text, sizeof(text), "operator code %u",
			 tflite_main(session->model)->operators[number].code);
	while (i < *n && strcmp(counts[i].name, text))
		i++;
	if (i == *n) {
		strcpy(counts[(*n)++].name, text);
		counts[i].count = 0;
	}
	counts[i].count++;
}

static int compare_counts(const void *first, const void *second)
{
	const struct code_count *a = first, *b = second;

	return (a->count < b->count) - (a->count > b->count) ?: strcmp(a->name, b->name);
}

/* The operators of the main subgraph, the most frequent first; NULL with the error printed. */
static struct code_count *count_codes(const struct nnactl_session *session, uint32_t *n)
{
	const uint32_t all = nnactl_model_operators(session);
	struct code_count *counts = calloc((size_t)all + 1, sizeof(*counts));

	*n = 0;
	if (!counts) {
		nnactl_error("out of memory");
		return NULL;
	}
	for (uint32_t i = 0; i < all; i++)
		count_code(counts, n, session, i);
	qsort(counts, *n, sizeof(*counts), compare_counts);
	return counts;
}

/* ------------------------------------------------------------------------------------ printing */

static void print_size(const char *what, uint64_t bytes)
{
	if (bytes >= 10 << 20)
		printf("%s %.1f MiB", what, (double)bytes / 0x1p20);
	else if (bytes >= 10 << 10)
		printf("%s %.1f KiB", what, (double)bytes / 0x1p10);
	else
		printf("%s %llu bytes", what, (unsigned long long)bytes);
}

/* The tensor of a TFLite model; NULL in another one. */
static const struct tflite_tensor *tensor_of(const struct nnactl_session *s, bool input, uint32_t i)
{
	const struct tflite_subgraph *sub = s->model ? tflite_main(s->model) : NULL;

	return sub ? &sub->tensors[(input ? &sub->inputs : &sub->outputs)->at[i]] : NULL;
}

/* "  name  UINT8 [1, 224, 224, 3], real = 0.0078125 * (number - 128)" */
static void print_tensor(const struct nnactl_session *s, bool input, uint32_t i, int width)
{
	const struct tflite_tensor *x = tensor_of(s, input, i);
	struct nnactl_tensor t;
	char name[NAME_SIZE];

	nnactl_model_tensor(s, input, i, &t);
	printf("  %-*s  %s [", width,
	       input ? nnactl_input_name(s, i, name, sizeof(name)) :
		       nnactl_output_name(s, i, name, sizeof(name)), t.type);
	for (uint32_t k = 0; k < t.rank; k++)
		printf("%s%u", k ? ", " : "", t.dims[k]);
	printf("]%s", t.open ? ", for example: the model leaves the shape open" : "");
	if (x && x->scale_count == 1)
		printf(", real = %g * (number - %lld)", (double)x->scales[0],
		       x->zero_point_count ? (long long)tflite_zero_point_at(x, 0) : 0LL);
	else if (x && x->scale_count)
		printf(", quantised by %u channels", x->scale_count);
	putchar('\n');
}

static void print_tensors(const struct nnactl_session *s, bool input)
{
	const uint32_t count = nnactl_model_count(s, input);
	char name[NAME_SIZE];
	int width = 0;

	for (uint32_t i = 0; i < count; i++) {
		const int n = (int)strlen(input ? nnactl_input_name(s, i, name, sizeof(name)) :
					  nnactl_output_name(s, i, name, sizeof(name)));

		width = n > width && n <= 40 ? n : width;
	}
	printf("%s%s\n", input ? "inputs" : "outputs", count ? "" : "          none");
	for (uint32_t i = 0; i < count; i++)
		print_tensor(s, input, i, width);
}

/* "operators        31: CONV_2D 15, DEPTHWISE_CONV_2D 13, ..." within the screen. */
static void print_codes(const struct code_count *counts, uint32_t n, uint32_t all)
{
	const uint32_t columns = nnactl_columns();
	uint32_t at = (uint32_t)printf("operators        %u", all);
	char text[96];

	for (uint32_t i = 0; i < n; i++) {
		const uint32_t size = (uint32_t)snprintf(text, sizeof(text), "%s %u",
							 counts[i].name, counts[i].count);

		if (i && at + size + 2 > columns)
			at = (uint32_t)printf(",\n%17s%s", "", text) - 2;
		else
			at += (uint32_t)printf("%s %s", i ? "," : ":", text);
	}
	putchar('\n');
}

static void print_memory(const json_t *memory)
{
	printf("memory");
	print_size("           constants", (uint64_t)json_integer_value(json_object_get(memory,
									"constants")));
	print_size(", scratch", (uint64_t)json_integer_value(json_object_get(memory, "scratch")));
	if (json_integer_value(json_object_get(memory, "variables")))
		print_size(", state", (uint64_t)json_integer_value(json_object_get(memory,
									   "variables")));
	putchar('\n');
}

/* What the file says of itself; of an ONNX model the program that made it. */
static const char *description_of(const struct nnactl_session *s)
{
	return s->onnx ? s->onnx->producer : s->model->description;
}

static size_t size_of(const struct nnactl_session *s)
{
	return s->onnx ? s->onnx->size : s->model->size;
}

static void print(const struct model_info *m, const struct code_count *counts, uint32_t n)
{
	const struct nnactl_session *s = &m->session;
	const uint32_t signatures = s->model ? s->model->signature_count : 0;
	char text[NAME_SIZE];

	printf("model            %s", s->path);
	print_size(",", size_of(s));
	putchar('\n');
	if (*description_of(s))
		printf("%s%s\n", s->onnx ? "made by          " : "description      ",
		       tflite_printable(description_of(s), text, sizeof(text)));
	if (s->onnx)
		printf("operator set     %lld\n", (long long)s->onnx->opset);
	for (uint32_t i = 0; i < signatures; i++)
		printf("%s%s%s\n", i ? "                 " : "signatures       ",
		       tflite_printable(s->model->signatures[i].key, text, sizeof(text)),
		       s->signature == &s->model->signatures[i] ? " (this one)" : "");
	print_tensors(s, true);
	print_tensors(s, false);
	print_codes(counts, n, m->all);
	printf("runs             %s\n", m->coverage);
	if (m->why[0])
		printf("                 %s\n", m->why);
	if (m->memory)
		print_memory(m->memory);
}

static json_t *tensors_json(const struct nnactl_session *s, bool input)
{
	const uint32_t count = nnactl_model_count(s, input);
	json_t *list = json_array();
	char name[NAME_SIZE];

	for (uint32_t i = 0; i < count; i++) {
		const struct tflite_tensor *x = tensor_of(s, input, i);
		json_t *dims = json_array(), *scales = json_array(), *zeros = json_array();
		struct nnactl_tensor t;

		nnactl_model_tensor(s, input, i, &t);
		for (uint32_t k = 0; k < t.rank; k++)
			json_array_append_new(dims, json_integer(t.dims[k]));
		for (uint32_t k = 0; x && k < x->scale_count; k++)
			json_array_append_new(scales, nnactl_json_number((double)x->scales[k]));
		for (uint32_t k = 0; x && k < x->zero_point_count; k++)
			json_array_append_new(zeros, json_integer(tflite_zero_point_at(x, k)));
		json_array_append_new(list, json_pack(
			"{s:o?, s:s, s:o, s:b, s:o, s:o}", "name",
			nnactl_json_text(input ? nnactl_input_name(s, i, name, sizeof(name)) :
					 nnactl_output_name(s, i, name, sizeof(name))),
			"type", t.type, "dims", dims, "open", t.open,
			"scales", scales, "zero_points", zeros));
	}
	return list;
}

static json_t *names_json(const struct tflite_named *names, uint32_t count)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < count; i++)
		json_array_append_new(list, nnactl_json_text(names[i].name));
	return list;
}

static int print_json(const struct model_info *m, const struct code_count *counts, uint32_t n)
{
	json_t *codes = json_array(), *signatures = json_array();
	const struct nnactl_session *s = &m->session;

	for (uint32_t i = 0; i < n; i++)
		json_array_append_new(codes, json_pack("{s:o?, s:i}", "name",
						       nnactl_json_text(counts[i].name), "count",
						       (int)counts[i].count));
	for (uint32_t i = 0; s->model && i < s->model->signature_count; i++) {
		const struct tflite_signature *one = &s->model->signatures[i];

		json_array_append_new(signatures, json_pack(
			"{s:o?, s:o, s:o}", "name", nnactl_json_text(one->key), "inputs",
			names_json(one->inputs, one->input_count), "outputs",
			names_json(one->outputs, one->output_count)));
	}
	return nnactl_json_print(json_pack(
		"{s:o?, s:I, s:o?, s:o, s:o, s:o, s:i, s:o, s:s, s:i, s:s, s:o?, s:O?}",
		"model", nnactl_json_text(s->path), "bytes", (json_int_t)size_of(s),
		"description", nnactl_json_text(description_of(s)), "signatures", signatures,
		"inputs", tensors_json(s, true), "outputs", tensors_json(s, false),
		"operator_count", (int)m->all, "operators", codes, "device", s->device_name,
		"on_device", (int)m->taken, "runs", m->coverage, "why",
		m->why[0] ? nnactl_json_text(m->why) : json_null(), "memory",
		m->memory ? m->memory : json_null()));
}

int nnactl_model_info(const char *path, const char *signature, const char *device,
		      uint32_t threads)
{
	struct model_info m = { .taken = 0 };
	struct code_count *counts = NULL;
	bool is_vela = false;
	uint32_t n;
	int ret;

	ret = nnactl_session_load(&m.session, path, signature);
	if (!ret) {
		m.all = nnactl_model_operators(&m.session);
		is_vela = m.session.model && vela_is_model(m.session.model);
		counts = count_codes(&m.session, &n);
		ret = !counts ? 1 : is_vela ? find_vela_coverage(&m) :
		      find_coverage(&m, device, threads);
	}
	if (!ret) {
		nna_coverage_describe(m.taken, m.all, m.session.device_name,
				      is_vela ? "on an NNA" : NULL, m.coverage);
		if (nnactl_json())
			ret = print_json(&m, counts, n);
		else
			print(&m, counts, n);
	}
	json_decref(m.memory);
	free(counts);
	nnactl_session_close(&m.session);
	return ret;
}
