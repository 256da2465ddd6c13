// SPDX-License-Identifier: MIT
/* Compiles the partitions of a model to a module (compile.h). */
#include "frontend/litert/compile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/tflite/supported.h"
#include "libnnaccel/support/message.h"

/* The bytes of a module under construction. */
struct bytes {
	uint8_t *at;
	size_t size, room;
};

static int append(void *user, const void *data, size_t size)
{
	struct bytes *to = user;
	size_t wanted, room;
	uint8_t *grown;

	if (__builtin_add_overflow(to->size, size, &wanted))
		return -ENOMEM;
	if (wanted > to->room) {
		room = wanted > to->room * 2 ? wanted : to->room * 2;
		grown = realloc(to->at, room);
		if (!grown)
			return -ENOMEM;
		to->at = grown;
		to->room = room;
	}
	memcpy(to->at + to->size, data, size);
	to->size = wanted;
	return 0;
}

static int align(struct bytes *to)
{
	static const uint8_t zeros[LITERT_MODULE_ALIGNMENT];

	return append(to, zeros, -to->size % LITERT_MODULE_ALIGNMENT);
}

/* Appends the program of the model's main subgraph, unless its shapes depend on its inputs. */
static int append_program(struct nna_device *device, struct tflite_model *model, struct bytes *to,
			  struct litert_module_part *part, char *error)
{
	const struct nna_blob_writer writer = { append, to };
	struct nna_program *program = NULL;
	struct nna_graph *graph;
	int ret;

	error[0] = 0;
	ret = tflite_to_supported_graph(model, device, &nna_message_log, &graph, error);
	if (ret)
		return ret;
	ret = nna_program_create(device, graph, NULL, &program);
	if (!ret)
		ret = align(to);
	if (!ret) {
		part->offset = to->size;
		ret = nna_program_save(program, &writer);
		part->size = to->size - part->offset;
		if (ret == -ENOTSUP) {
			part->size = 0;
			ret = 0;
		}
	}
	if (ret)
		snprintf(error, TFLITE_ERROR_SIZE, "%s", strerror(-ret));
	nna_program_destroy(program);
	nna_graph_unref(graph);
	return ret;
}

/* Makes the module of a file. */
static int append_all(struct nna_device *device, struct tflite_model *model, const void *file,
		      size_t file_size, uint32_t all, struct bytes *to)
{
	struct litert_module_head head = {
		.magic = LITERT_MODULE_MAGIC,
		.count = model->subgraph_count,
		.all = all,
		.model_size = file_size,
	};
	struct litert_module_part part = { 0 };
	char error[TFLITE_ERROR_SIZE];
	int ret;

	ret = append(to, &head, sizeof(head));
	for (uint32_t i = 0; i < head.count && !ret; i++)
		ret = append(to, &part, sizeof(part));
	for (uint32_t i = 0; i < head.count && !ret; i++) {
		part = (struct litert_module_part){
			.operators = model->subgraphs[i].operator_count,
		};
		head.taken += part.operators;
		model->main = i;
		ret = append_program(device, model, to, &part, error);
		if (ret)
			nna_message_insist(NNA_MESSAGE_COMPILATION,
					   "partition %u of LiteRT's model cannot be compiled: %s",
					   i, error);
		else
			memcpy(to->at + sizeof(head) + i * sizeof(part), &part, sizeof(part));
	}
	if (ret)
		return ret;
	ret = align(to);
	head.model_offset = to->size;
	if (!ret)
		ret = append(to, file, file_size);
	if (!ret)
		memcpy(to->at, &head, sizeof(head));
	return ret;
}

/* LiteRT's partitions as a TFLite file, which the caller frees from *@buffer. */
static int serialize(const struct LiteRtCompilerContext *context, struct LiteRtModelT *partitions,
		     size_t count, uint8_t **buffer, const uint8_t **file, size_t *size)
{
	const struct LiteRtModelSerializationOptions options = { LITERT_MODULE_ALIGNMENT };
	char **signatures = calloc(count + 1, sizeof(*signatures));
	size_t end = 0, offset = 0;
	int ret;

	*buffer = NULL;
	if (!signatures)
		return -ENOMEM;
	ret = context->serialize_model_with_signatures(partitions, buffer, &end, &offset, false,
						       signatures, count, options);
	free(signatures);
	if (ret || !*buffer || offset > end) {
		nna_message_insist(NNA_MESSAGE_COMPILATION,
				   "LiteRT does not give its partitions as a file: status %d", ret);
		return -EIO;
	}
	*file = *buffer + offset;
	*size = end - offset;
	return 0;
}

static int make_result(uint32_t count, const struct bytes *bytes, struct litert_result **out)
{
	struct litert_result *result = calloc(1, sizeof(*result));

	if (result)
		result->names = calloc((size_t)count + 1, sizeof(*result->names));
	if (!result || !result->names) {
		free(result);
		return -ENOMEM;
	}
	result->count = count;
	for (uint32_t i = 0; i < count; i++)
		litert_module_name(i, result->names[i]);
	result->bytes = bytes->at;
	result->size = bytes->size;
	*out = result;
	return 0;
}

int litert_compile(const struct LiteRtCompilerContext *context, struct nna_device *device,
		   struct LiteRtModelT *partitions, uint32_t all, struct litert_result **out)
{
	struct tflite_model *model = NULL;
	char error[TFLITE_ERROR_SIZE];
	struct bytes bytes = { 0 };
	size_t count = 0, size = 0;
	const uint8_t *file = NULL;
	uint8_t *buffer = NULL;
	int ret;

	if (!LITERT_HAS(context, serialize_model_with_signatures) ||
	    context->get_num_model_subgraphs(partitions, &count))
		return -EINVAL;
	ret = serialize(context, partitions, count, &buffer, &file, &size);
	if (!ret) {
		ret = tflite_parse(file, size, &model, error);
		if (!ret && model->subgraph_count != count) {
			snprintf(error, sizeof(error), "it has %u subgraphs of %zu",
				 model->subgraph_count, count);
			ret = -EINVAL;
		}
		if (ret)
			nna_message_insist(NNA_MESSAGE_COMPILATION,
					   "the file of LiteRT's partitions is not sound: %s",
					   error);
	}
	if (!ret)
		ret = append_all(device, model, file, size, all, &bytes);
	if (!ret)
		ret = make_result((uint32_t)count, &bytes, out);
	if (ret)
		free(bytes.at);
	tflite_free(model);
	free(buffer);
	return ret;
}

void litert_result_free(struct litert_result *result)
{
	if (!result)
		return;
	free(result->names);
	free(result->bytes);
	free(result);
}
