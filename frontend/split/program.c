// SPDX-License-Identifier: MIT
#include "frontend/split/program.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/split/part.h"
#include "frontend/vela/job.h"
#include "frontend/vela/offsets.h"
#include "libnnaccel/support/clock.h"

/**
 * struct step - a step
 * @vela: it is @op, with @job; else @part
 * @rest: @part is on the device for the rest
 */
struct step {
	bool vela, rest;
	struct vela_operator op;
	struct vela_job job;
	struct split_part part;
};

/**
 * struct split_program - the program
 * @model: not owned
 * @arena: owned if @own_arena; NULL without operators of Vela's
 * @offsets: of tensors
 * @last: what split_last_reads() says
 * @steps: @step_count
 * @left: operators of the rest
 * @values: for each tensor its memory, NULL for one that nobody exchanges
 */
struct split_program {
	const struct tflite_model *model;
	struct vela_arena *arena;
	bool own_arena;
	int64_t *offsets;
	uint32_t *last;
	struct step *steps;
	uint32_t step_count, left;
	uint8_t **values;
	struct split_timing timing;
};

static int no_memory(char *error)
{
	snprintf(error, TFLITE_ERROR_SIZE, "out of memory");
	return -ENOMEM;
}

static const struct tflite_subgraph *sub_of(const struct split_program *p)
{
	return tflite_main(p->model);
}

static size_t size_of(const struct tflite_tensor *tensor)
{
	return tensor->elements * tflite_type_size(tensor->type);
}

bool split_program_needs_rest(const struct tflite_model *model)
{
	const struct tflite_subgraph *sub = tflite_main(model);

	for (uint32_t i = 0; i < sub->operator_count; i++)
		if (!vela_is_operator(&sub->operators[i]))
			return true;
	return false;
}

/* ---- steps ---- */

/* The operator behind those from @i on that go to the same device. */
static uint32_t end_of(const struct tflite_subgraph *sub, const bool *takes, uint32_t i)
{
	uint32_t end = i + 1;

	while (end < sub->operator_count && !vela_is_operator(&sub->operators[end]) &&
	       takes[end] == takes[i])
		end++;
	return end;
}

/*
 * A part from operator @i on. Where it has one that the first device does not do after all, that is
 * taken out of @takes, and the part is made anew. Return: the operator behind it, or an error.
 */
static int64_t make_part(struct split_program *p, const struct split_program_options *options,
			 bool *takes, uint32_t i, struct step *step, char *error)
{
	uint32_t refused = UINT32_MAX, end;
	int ret;

	do {
		end = end_of(sub_of(p), takes, i);
		step->rest = !takes[i];
		split_part_destroy(&step->part);
		ret = split_part_create(p->model, p->last, i, end - i, options,
					step->rest ? options->rest : options->first, &step->part,
					&refused, error);
		if (ret == -ENOTSUP && refused != UINT32_MAX && !step->rest)
			takes[refused] = false;
	} while (ret == -ENOTSUP && refused != UINT32_MAX && !step->rest);
	if (!ret && step->rest)
		p->left += end - i;
	return ret ? ret : (int64_t)end;
}

static int make_steps(struct split_program *p, const struct split_program_options *options,
		      char *error)
{
	const struct tflite_subgraph *sub = sub_of(p);
	bool *takes = calloc((size_t)sub->operator_count + 1, sizeof(*takes));
	uint32_t i = 0;
	int64_t end = 0;

	if (!takes)
		return no_memory(error);
	for (uint32_t k = 0; options->first && k < sub->operator_count; k++)
		takes[k] = options->takes[k];
	while (i < sub->operator_count && end >= 0) {
		struct step *step = &p->steps[p->step_count++];

		step->vela = vela_is_operator(&sub->operators[i]);
		if (step->vela)
			end = vela_operator_read(p->model, i, &step->op, error) ?:
			      vela_job_create(p->arena, sub, &step->op, p->offsets, &step->job,
					      error) ?: (int64_t)i + 1;
		else
			end = make_part(p, options, takes, i, step, error);
		i = end < 0 ? i : (uint32_t)end;
	}
	free(takes);
	return end < 0 ? (int)end : 0;
}

/* Whether an operator is one of resource variables, which each part has for itself. */
static bool has_variables(const struct split_part *part)
{
	const struct tflite_subgraph *sub = tflite_main(part->model);

	for (uint32_t i = 0; i < sub->operator_count; i++)
		switch (sub->operators[i].code) {
		case TFLITE_CALL_ONCE:
		case TFLITE_VAR_HANDLE:
		case TFLITE_READ_VARIABLE:
		case TFLITE_ASSIGN_VARIABLE:
			return true;
		default:
			break;
		}
	return false;
}

static int check_variables(const struct split_program *p, char *error)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < p->step_count; i++)
		count += !p->steps[i].vela && has_variables(&p->steps[i].part);
	if (count < 2)
		return 0;
	snprintf(error, TFLITE_ERROR_SIZE, "resource variables are used in %u parts that run apart, "
		 "and each would have its own: use a model without them, or one device", count);
	return -ENOTSUP;
}

/* ---- values ---- */

static int make_value(struct split_program *p, int32_t tensor, char *error)
{
	const struct tflite_tensor *x = &sub_of(p)->tensors[tensor];

	if (p->values[tensor])
		return 0;
	p->values[tensor] = calloc(1, size_of(x) + 1);
	if (!p->values[tensor])
		return no_memory(error);
	if (x->data)
		memcpy(p->values[tensor], x->data, size_of(x));
	return 0;
}

static int make_list(struct split_program *p, const struct tflite_ints *list, char *error)
{
	int ret = 0;

	for (uint32_t i = 0; i < list->count && !ret; i++)
		if (list->at[i] >= 0)
			ret = make_value(p, list->at[i], error);
	return ret;
}

static int make_values(struct split_program *p, char *error)
{
	const struct tflite_subgraph *sub = sub_of(p);
	int ret;

	p->values = calloc((size_t)sub->tensor_count + 1, sizeof(*p->values));
	if (!p->values)
		return no_memory(error);
	ret = make_list(p, &sub->inputs, error) ?: make_list(p, &sub->outputs, error);
	for (uint32_t i = 0; i < p->step_count && !ret; i++) {
		struct step *step = &p->steps[i];
		const struct tflite_subgraph *part;

		if (step->vela) {
			ret = make_list(p, &step->op.inputs, error);
			for (uint32_t k = 0; k < step->op.outputs.count && !ret; k++)
				if (p->last[step->op.outputs.at[k]] > step->op.number)
					ret = make_value(p, step->op.outputs.at[k], error);
			continue;
		}
		part = tflite_main(step->part.model);
		ret = make_list(p, &part->inputs, error) ?:
		      make_list(p, &part->outputs, error) ?:
		      split_part_bind(&step->part, sub, p->values, error);
	}
	return ret;
}

/* ---- life ---- */

/* Streams are for the shapes that Vela has compiled them for. */
static int check_shapes(const struct tflite_subgraph *sub, char *error)
{
	for (uint32_t i = 0; i < sub->inputs.count; i++) {
		if (!sub->tensors[sub->inputs.at[i]].changed)
			continue;
		snprintf(error, TFLITE_ERROR_SIZE, "input %u has another shape than the one that "
			 "Vela has compiled the model for", i);
		return -EINVAL;
	}
	return 0;
}

int split_program_create(const struct tflite_model *model,
			const struct split_program_options *options, struct split_program **out,
			char *error)
{
	const struct tflite_subgraph *sub = tflite_main(model);
	const size_t tensors = sub->tensor_count;
	struct split_program *p = calloc(1, sizeof(*p));
	uint64_t scratch, fast;
	int ret = 0;

	if (!p)
		return no_memory(error);
	p->model = model;
	p->arena = options->arena;
	p->own_arena = !p->arena;
	p->steps = calloc((size_t)sub->operator_count + 1, sizeof(*p->steps));
	p->last = split_last_reads(sub);
	if (!options->offsets && vela_is_model(model))
		ret = vela_offsets_of(model, &p->offsets, error);
	else
		p->offsets = calloc(tensors + 1, sizeof(*p->offsets));
	if (!ret && (!p->steps || !p->last || !p->offsets))
		ret = no_memory(error);
	else if (!ret && options->offsets)
		memcpy(p->offsets, options->offsets, tensors * sizeof(*p->offsets));
	if (!ret && p->own_arena && vela_is_model(model))
		ret = vela_arena_sizes(model, &scratch, &fast, error) ?:
		      vela_arena_create(options->npu, scratch, fast, &p->arena, error);
	if (!ret && vela_is_model(model))
		ret = check_shapes(sub, error);
	ret = ret ?: make_steps(p, options, error) ?: check_variables(p, error) ?:
	      make_values(p, error);
	if (!ret)
		ret = split_program_reset(p);
	if (ret)
		split_program_destroy(p);
	else
		*out = p;
	return ret;
}

void split_program_destroy(struct split_program *p)
{
	if (!p)
		return;
	for (uint32_t i = 0; i < p->step_count; i++) {
		if (p->steps[i].vela)
			vela_job_destroy(&p->steps[i].job);
		else
			split_part_destroy(&p->steps[i].part);
	}
	for (uint32_t i = 0; p->values && i < sub_of(p)->tensor_count; i++)
		free(p->values[i]);
	if (p->own_arena)
		vela_arena_destroy(p->arena);
	free(p->offsets);
	free(p->last);
	free(p->values);
	free(p->steps);
	free(p);
}

uint32_t split_program_left(const struct split_program *p)
{
	return p->left;
}

void split_program_describe(const struct split_program *p, char *to, size_t size)
{
	char name[NNA_ETHOSU_NAME_SIZE];

	snprintf(to, size, "%s %s", nna_ethosu_name(p->arena->node.config, name),
		 p->arena->node.path);
}

/* ---- inputs and outputs ---- */

uint32_t split_program_count(const struct split_program *p, bool input)
{
	return input ? sub_of(p)->inputs.count : sub_of(p)->outputs.count;
}

static enum nna_operand_type type_of(const struct tflite_tensor *tensor)
{
	switch (tensor->type) {
	case TFLITE_FLOAT16:
		return NNA_OPERAND_TENSOR_FLOAT16;
	case TFLITE_INT32:
		return NNA_OPERAND_TENSOR_INT32;
	case TFLITE_INT64:
		return NNA_OPERAND_TENSOR_INT64;
	case TFLITE_BOOL:
		return NNA_OPERAND_TENSOR_BOOL8;
	case TFLITE_UINT8:
		return NNA_OPERAND_TENSOR_QUANT8_ASYMM;
	case TFLITE_INT8:
		return NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED;
	case TFLITE_INT16:
		return NNA_OPERAND_TENSOR_QUANT16_SYMM;
	default:
		return NNA_OPERAND_TENSOR_FLOAT32;
	}
}

static bool is_quantised(enum nna_operand_type type)
{
	return type == NNA_OPERAND_TENSOR_QUANT8_ASYMM || type == NNA_OPERAND_TENSOR_QUANT16_SYMM ||
	       type == NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED;
}

void split_program_io(const struct split_program *p, bool input, uint32_t index,
		     struct nna_io_info *info)
{
	const struct tflite_subgraph *sub = sub_of(p);
	const struct tflite_ints *list = input ? &sub->inputs : &sub->outputs;
	const struct tflite_tensor *tensor = &sub->tensors[list->at[index]];

	*info = (struct nna_io_info){
		.type = type_of(tensor),
		.rank = tensor->rank,
		.size = size_of(tensor),
	};
	memcpy(info->dims, tensor->dims, tensor->rank * sizeof(info->dims[0]));
	if (!is_quantised(info->type))
		return;
	info->scale = tensor->scale_count ? tensor->scales[0] : 1;
	if (tensor->zero_point_count)
		info->zero_point = (int32_t)tflite_zero_point_at(tensor, 0);
}

/* ---- runs ---- */

static uint8_t *place(const struct split_program *p, int32_t tensor)
{
	return p->arena->scratch.buffer.memory + p->offsets[tensor];
}

/* State is in the arena already. */
static void copy_in(const struct split_program *p, const struct vela_operator *op)
{
	const struct tflite_subgraph *sub = sub_of(p);

	for (uint32_t i = 0; i < op->inputs.count; i++) {
		const int32_t at = op->inputs.at[i];

		if (at >= 0 && !sub->tensors[at].variable)
			memcpy(place(p, at), p->values[at], size_of(&sub->tensors[at]));
	}
}

static void copy_out(const struct split_program *p, const struct vela_operator *op)
{
	const struct tflite_subgraph *sub = sub_of(p);

	for (uint32_t i = 0; i < op->outputs.count; i++) {
		const int32_t at = op->outputs.at[i];

		if (p->values[at])
			memcpy(p->values[at], place(p, at), size_of(&sub->tensors[at]));
	}
}

static int run_job(struct split_program *p, struct step *step, char *error)
{
	uint64_t start;
	int ret;

	copy_in(p, &step->op);
	start = nna_now_ns();
	ret = vela_job_run(&step->job, error);
	p->timing.npu += nna_now_ns() - start;
	p->timing.jobs++;
	if (!ret)
		copy_out(p, &step->op);
	return ret;
}

static int run_part(struct split_program *p, struct step *step, char *error)
{
	struct nna_timing timing = { 0 };
	const uint64_t start = nna_now_ns();
	int ret;

	ret = split_part_run(&step->part, error);
	if (ret)
		return ret;
	if (!step->rest) {
		p->timing.npu += nna_now_ns() - start;
		p->timing.jobs++;
		return 0;
	}
	nna_execution_get_timing(step->part.execution, &timing);
	p->timing.rest += timing.run;
	p->timing.commands += timing.commands;
	return 0;
}

int split_program_run(struct split_program *p, const void *const *inputs, void *const *outputs,
		     char *error)
{
	const struct tflite_subgraph *sub = sub_of(p);
	int ret = 0;

	p->timing = (struct split_timing){ 0 };
	for (uint32_t i = 0; i < sub->inputs.count; i++)
		memcpy(p->values[sub->inputs.at[i]], inputs[i],
		       size_of(&sub->tensors[sub->inputs.at[i]]));
	for (uint32_t i = 0; i < p->step_count && !ret; i++)
		ret = p->steps[i].vela ? run_job(p, &p->steps[i], error) :
		      run_part(p, &p->steps[i], error);
	for (uint32_t i = 0; i < sub->outputs.count && !ret; i++)
		memcpy(outputs[i], p->values[sub->outputs.at[i]],
		       size_of(&sub->tensors[sub->outputs.at[i]]));
	return ret;
}

/* State begins as its zero point. */
static void reset_tensor(const struct split_program *p, int32_t at)
{
	const struct tflite_tensor *tensor = &sub_of(p)->tensors[at];
	const int64_t zero = tensor->zero_point_count ? tflite_zero_point_at(tensor, 0) : 0;
	const uint32_t size = tflite_type_size(tensor->type);
	const uint64_t little = htole64((uint64_t)zero);
	uint8_t *to = place(p, at);

	for (uint64_t i = 0; i < tensor->elements; i++)
		memcpy(to + i * size, &little, size < 8 ? size : 8);
}

int split_program_reset(struct split_program *p)
{
	const struct tflite_subgraph *sub = sub_of(p);
	int ret = 0;

	for (uint32_t i = 0; i < p->step_count && !ret; i++) {
		const struct tflite_ints *inputs = &p->steps[i].op.inputs;

		if (!p->steps[i].vela) {
			ret = nna_execution_reset_state(p->steps[i].part.execution);
			continue;
		}
		for (uint32_t k = 0; k < inputs->count; k++)
			if (inputs->at[k] >= 0 && sub->tensors[inputs->at[k]].variable)
				reset_tensor(p, inputs->at[k]);
	}
	return ret;
}

void split_program_timing(const struct split_program *p, struct split_timing *timing)
{
	*timing = p->timing;
}
