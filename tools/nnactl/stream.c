// SPDX-License-Identifier: MIT
#include "tools/nnactl/stream.h"

#include <stdlib.h>
#include <string.h>

#include "frontend/vela/operator.h"
#include "libnnaccel/backend/ethosu/text.h"

#define LARGEST_FILE ((size_t)1 << 30)

/* The lines of a stream, printed or as JSON. */
static json_t *print(const struct nna_ethosu_stream *stream, enum nna_ethosu_generation generation)
{
	json_t *lines = nnactl_json() ? json_array() : NULL;
	struct nna_ethosu_text text;
	char line[NNA_ETHOSU_LINE_SIZE];

	if (stream->targeted)
		generation = nna_ethosu_generation(stream->config);
	nna_ethosu_text_begin(&text, stream, generation);
	while (nna_ethosu_text_next(&text, line)) {
		if (lines)
			json_array_append_new(lines, nnactl_json_text(line));
		else
			printf("%s\n", line);
	}
	return lines;
}

/* "ethos-u65-256", or "unknown NPU" for bare words. */
static const char *target_of(const struct nna_ethosu_stream *stream, char *to)
{
	return stream->targeted ? nna_ethosu_name(stream->config, to) : "unknown NPU";
}

/* A payload, or bare words. */
static int dump_words(const char *path, const struct nna_ethosu_stream *stream,
		      enum nna_ethosu_generation generation)
{
	char name[NNA_ETHOSU_NAME_SIZE];
	json_t *lines;

	if (!nnactl_json())
		printf("%s, %u words\n", target_of(stream, name), stream->count);
	lines = print(stream, generation);
	if (!nnactl_json())
		return 0;
	return nnactl_json_print(json_pack("{s:o?, s:s, s:i, s:o?}", "file",
					   nnactl_json_text(path), "npu", target_of(stream, name),
					   "words", stream->count, "commands", lines));
}

/* Operator @number of a model. Return: 0, or 1 with the error printed. */
static int dump_operator(const char *path, const struct tflite_model *model, uint32_t number,
			 json_t *all)
{
	char error[TFLITE_ERROR_SIZE], why[NNA_ETHOSU_ERROR_SIZE], name[NNA_ETHOSU_NAME_SIZE];
	struct nna_ethosu_stream stream;
	struct vela_operator op;
	json_t *lines;

	if (vela_operator_read(model, number, &op, error))
		return nnactl_error("%s: %s", path, error);
	if (nna_ethosu_payload_read(op.payload, op.payload_size, &stream, why))
		return nnactl_error("%s: operator %u (ethos-u): %s", path, number, why);
	if (!nnactl_json())
		printf("operator %u, ethos-u: %s, %u words, %zu bytes of constants, "
		       "%llu of scratch, %llu of fast scratch\n", number, target_of(&stream, name),
		       stream.count, op.constants_size, (unsigned long long)op.scratch_size,
		       (unsigned long long)op.fast_size);
	lines = print(&stream, NNA_ETHOSU_UNKNOWN);
	if (nnactl_json())
		json_array_append_new(all, json_pack("{s:i, s:s, s:s, s:i, s:I, s:I, s:I, s:o?}",
			"operator", number, "name", "ethos-u", "npu", target_of(&stream, name),
			"words", stream.count, "constants", (json_int_t)op.constants_size,
			"scratch", (json_int_t)op.scratch_size, "fast_scratch",
			(json_int_t)op.fast_size, "commands", lines));
	nna_ethosu_stream_free(&stream);
	return 0;
}

static int dump_model(const char *path, const struct tflite_model *model)
{
	const struct tflite_subgraph *sub = tflite_main(model);
	json_t *all = nnactl_json() ? json_array() : NULL;
	int ret = 0;

	for (uint32_t i = 0; i < sub->operator_count && !ret; i++) {
		const char *name = tflite_code_name(sub->operators[i].code);

		if (vela_is_operator(&sub->operators[i]))
			ret = dump_operator(path, model, i, all);
		else if (!nnactl_json())
			printf("operator %u, %s: not for the NPU\n", i, name ? name : "?");
		else
			json_array_append_new(all, json_pack("{s:i, s:s}", "operator", i, "name",
							     name ? name : "?"));
	}
	if (ret || !nnactl_json()) {
		json_decref(all);
		return ret;
	}
	return nnactl_json_print(json_pack("{s:o?, s:o}", "model", nnactl_json_text(path),
					   "operators", all));
}

int nnactl_stream_dump(const char *path, enum nna_ethosu_generation generation)
{
	char error[TFLITE_ERROR_SIZE], why[NNA_ETHOSU_ERROR_SIZE];
	struct nna_ethosu_stream stream = { 0 };
	struct tflite_model *model;
	int status = -1;
	size_t size;
	char *data;

	data = nnactl_file_read(path, LARGEST_FILE, &size);
	if (!data)
		return 1;
	if (size >= 4 && !memcmp(data, "COP", 3)) {
		status = nna_ethosu_payload_read(data, size, &stream, why) ?
			 nnactl_error("%s: %s", path, why) : dump_words(path, &stream, generation);
	} else if (size >= 8 && !memcmp(data + 4, "TFL3", 4)) {
		if (!tflite_parse(data, size, &model, error)) {
			if (vela_is_model(model))
				status = dump_model(path, model);
			tflite_free(model);
		}
	} else if (!nna_ethosu_words_read(data, size, &stream, why)) {
		status = dump_words(path, &stream, generation);
	}
	nna_ethosu_stream_free(&stream);
	free(data);
	return status;
}
