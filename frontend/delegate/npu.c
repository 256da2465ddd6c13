// SPDX-License-Identifier: MIT
#include "frontend/delegate/npu.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/delegate/delegate.h"
#include "frontend/delegate/log.h"
#include "frontend/vela/arena.h"
#include "frontend/vela/offsets.h"
#include "frontend/split/program.h"

/* Inputs of the operator that are memory: 2 and 3, and 1 unless it is a constant. */
#define FIRST_MEMORY 1u
#define LAST_MEMORY 3u

/**
 * struct delegate_arena - the arena of a subgraph
 * @context: of the subgraph
 * @users: programs that have it
 */
struct delegate_arena {
	struct delegate_arena *next;
	const struct TfLiteContext *context;
	struct vela_arena *arena;
	uint32_t users;
};

static void log_line(void *user, enum nna_log_level level, const char *text)
{
	delegate_log(user, level, "%s", text);
}

void delegate_npu_init(struct delegate_npu *npu)
{
	*npu = (struct delegate_npu){ 0 };
	pthread_mutex_init(&npu->lock, NULL);
}

void delegate_npu_destroy(struct delegate_npu *npu)
{
	pthread_mutex_destroy(&npu->lock);
}

bool delegate_npu_has(struct TfLiteContext *context, int node)
{
	struct TfLiteRegistration *registration = NULL;
	struct TfLiteNode *unused = NULL;

	return !context->GetNodeAndRegistration(context, node, &unused, &registration) &&
	       registration && registration->builtin_code == TFLITE_CUSTOM &&
	       registration->custom_name && !strcmp(registration->custom_name, "ethos-u");
}

/* Marks the tensors that are memory of such operators. Return: NULL without memory. */
static bool *find_memory(const struct tflite_subgraph *sub)
{
	bool *memory = calloc((size_t)sub->tensor_count + 1, sizeof(*memory));

	for (uint32_t i = 0; memory && i < sub->operator_count; i++) {
		const struct tflite_operator *op = &sub->operators[i];

		if (!vela_is_operator(op))
			continue;
		for (uint32_t k = FIRST_MEMORY; k <= LAST_MEMORY && k < op->inputs.count; k++)
			if (op->inputs.at[k] >= 0 && !sub->tensors[op->inputs.at[k]].data)
				memory[op->inputs.at[k]] = true;
	}
	return memory;
}

int delegate_npu_strip(struct tflite_model *model)
{
	struct tflite_subgraph *sub = tflite_main(model);
	bool *memory;
	int32_t *kept;
	uint32_t count = 0;

	if (!vela_is_model(model))
		return 0;
	memory = find_memory(sub);
	kept = tflite_derive(model, ((size_t)sub->inputs.count + 1) * sizeof(*kept));
	for (uint32_t i = 0; memory && kept && i < sub->inputs.count; i++)
		if (!memory[sub->inputs.at[i]])
			kept[count++] = sub->inputs.at[i];
	if (memory && kept)
		sub->inputs = (struct tflite_ints){ kept, count };
	free(memory);
	return memory && kept ? 0 : -ENOMEM;
}

/* ---- arenas ---- */

static void put_arena(struct delegate_npu *npu, const struct TfLiteContext *context)
{
	struct delegate_arena **at, *arena;

	pthread_mutex_lock(&npu->lock);
	for (at = &npu->arenas; *at && (*at)->context != context; at = &(*at)->next)
		;
	arena = *at;
	if (arena && !--arena->users)
		*at = arena->next;
	else
		arena = NULL;
	pthread_mutex_unlock(&npu->lock);
	if (arena)
		vela_arena_destroy(arena->arena);
	free(arena);
}

/* Return: a new entry for the list; NULL with a line at @error. */
static struct delegate_arena *make_arena(const struct delegate_npu *npu,
					 const struct TfLiteContext *context, uint64_t scratch,
					 uint64_t fast, char *error)
{
	struct delegate_arena *arena = calloc(1, sizeof(*arena));

	if (!arena) {
		snprintf(error, TFLITE_ERROR_SIZE, "out of memory");
		return NULL;
	}
	if (vela_arena_create(npu->path, scratch, fast, &arena->arena, error)) {
		free(arena);
		return NULL;
	}
	arena->context = context;
	return arena;
}

static struct vela_arena *get_arena(struct delegate_npu *npu, const struct TfLiteContext *context,
				    const struct tflite_model *model, char *error)
{
	struct delegate_arena *arena;
	uint64_t scratch, fast;

	if (vela_arena_sizes(model, &scratch, &fast, error))
		return NULL;
	pthread_mutex_lock(&npu->lock);
	for (arena = npu->arenas; arena && arena->context != context; arena = arena->next)
		;
	if (!arena) {
		arena = make_arena(npu, context, scratch, fast, error);
		if (arena) {
			arena->next = npu->arenas;
			npu->arenas = arena;
		}
	} else if (scratch > arena->arena->scratch_size || fast > arena->arena->fast_size) {
		snprintf(error, TFLITE_ERROR_SIZE, "operators of Vela's need memories of different "
			 "sizes");
		arena = NULL;
	}
	if (arena)
		arena->users++;
	pthread_mutex_unlock(&npu->lock);
	return arena ? arena->arena : NULL;
}

/* ---- programs ---- */

/* Offsets of the part's tensors, which have other numbers in the interpreter and so in the file. */
static int find_offsets(struct TfLiteContext *context, const struct delegate_model *model,
			int64_t **out, char *error)
{
	const struct tflite_subgraph *sub = tflite_main(model->model);
	int64_t *all, *offsets;
	const char *data = NULL;
	size_t size = 0;
	int ret;

	if (!context->GetModelMetadata ||
	    context->GetModelMetadata(context, VELA_OFFSETS_NAME, &data, &size))
		data = NULL;
	ret = vela_offsets_read(data, size, 0, (uint32_t)context->tensors_size, &all, error);
	if (ret)
		return ret;
	offsets = calloc((size_t)sub->tensor_count + 1, sizeof(*offsets));
	for (uint32_t i = 0; offsets && i < sub->tensor_count; i++)
		offsets[i] = all[model->tensors[i]];
	free(all);
	if (!offsets) {
		snprintf(error, TFLITE_ERROR_SIZE, "out of memory");
		return -ENOMEM;
	}
	*out = offsets;
	return 0;
}

int delegate_npu_create(const struct delegate *delegate, struct TfLiteContext *context,
			const struct delegate_model *model, struct split_program **out,
			char *error)
{
	struct delegate_npu *npu = delegate->npu;
	struct split_program_options options = {
		.rest = delegate->device,
		.rest_name = "TFLite has it",
		.rounding = NNA_ROUNDING_TFLITE,
		.log = { log_line, (void *)(uintptr_t)delegate },
	};
	int64_t *offsets = NULL;
	int ret;

	ret = find_offsets(context, model, &offsets, error);
	if (ret)
		return ret;
	options.offsets = offsets;
	options.arena = get_arena(npu, context, model->model, error);
	if (options.arena) {
		ret = split_program_create(model->model, &options, out, error);
		if (ret)
			put_arena(npu, context);
	} else {
		ret = -ENOTSUP;
	}
	free(offsets);
	return ret;
}

void delegate_npu_release(const struct delegate *delegate, struct TfLiteContext *context,
			  struct split_program *program)
{
	if (!program)
		return;
	split_program_destroy(program);
	put_arena(delegate->npu, context);
}

int delegate_npu_hide_memory(struct TfLiteContext *context, const struct delegate_model *model)
{
	const struct tflite_subgraph *sub = tflite_main(model->model);
	bool *memory = find_memory(sub);
	int ret = memory ? TFLITE_STATUS_OK : TFLITE_STATUS_ERROR;

	for (uint32_t i = 0; memory && i < sub->tensor_count && !ret; i++) {
		struct TfLiteTensor *tensor = &context->tensors[model->tensors[i]];
		struct TfLiteIntArray *none;

		if (!memory[i] || !tensor->bytes)
			continue;
		none = malloc(sizeof(*none) + sizeof(none->data[0]));
		if (!none) {
			ret = TFLITE_STATUS_ERROR;
			break;
		}
		none->size = 1;
		none->data[0] = 0;
		ret = context->ResizeTensor(context, tensor, none);
	}
	free(memory);
	return ret;
}

bool delegate_npu_in_order(struct TfLiteContext *context, const struct TfLiteIntArray *nodes)
{
	struct TfLiteDelegateParams *parts = NULL;
	int count = 0, last = -1;

	if (context->PreviewDelegatePartitioning(context, nodes, &parts, &count))
		return false;
	for (int i = 0; i < count; i++) {
		const struct TfLiteIntArray *part = parts[i].nodes_to_replace;

		for (int k = 0; k < part->size; k++) {
			if (!delegate_npu_has(context, part->data[k]))
				continue;
			if (part->data[k] < last)
				return false;
			last = part->data[k];
		}
	}
	return true;
}
