// SPDX-License-Identifier: MIT
/* Computes a plan, step by step (steps.h). */
#include "hal-bridge/nnapi/steps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hal-bridge/common/model.h"
#include "hal-bridge/nnapi/nnapi.h"
#include "libnnaccel/support/trace.h"

/**
 * struct nnapi_value - a value of a plan during a run
 * @rank: entries of @dims
 * @dims: the dimensions that the writing step reported
 * @data: its bytes: @own, or those of an argument
 * @size: bytes
 * @own: memory for it, @room bytes; NULL for none yet
 * @room: bytes of @own
 * @too_small: an output of the model that does not fit the caller's memory
 */
struct nnapi_value {
	uint32_t rank;
	uint32_t dims[NNACCEL_MAX_RANK];
	void *data;
	size_t size;
	void *own;
	size_t room;
	bool too_small;
};

/**
 * struct nnapi_steps - a plan that is being computed
 * @plan: not owned
 * @executions: one for each step, owned
 * @values: one for each value of the plan; unused for inputs of the model
 */
struct nnapi_steps {
	const struct nnapi_plan *plan;
	struct nna_execution **executions;
	struct nnapi_value *values;
};

int nnapi_argument_hand_over(const struct nnapi_argument *argument, bool output, uint32_t index,
			     struct nna_execution *execution, struct ANeuralNetworksDevice *device)
{
	const uint32_t *dims = argument->rank ? argument->dims : NULL;
	struct nna_buffer *buffer = NULL;
	size_t base = 0;

	if (argument->memory)
		buffer = nnapi_memory_get_buffer(argument->memory, device, &base);
	if (buffer && output)
		return nna_execution_set_output_buffer(execution, index, argument->rank, dims,
						       buffer, base + argument->offset,
						       argument->length);
	if (buffer)
		return nna_execution_set_input_buffer(execution, index, argument->rank, dims,
						      buffer, base + argument->offset,
						      argument->length);
	if (output)
		return nna_execution_set_output(execution, index, argument->rank, dims,
						argument->data, argument->length);
	return nna_execution_set_input(execution, index, argument->rank, dims, argument->data,
				       argument->length);
}

void nnapi_steps_destroy(struct nnapi_steps *steps)
{
	if (!steps)
		return;
	for (uint32_t i = 0; steps->executions && i < steps->plan->step_count; i++)
		nna_execution_destroy(steps->executions[i]);
	for (uint32_t i = 0; steps->values && i < steps->plan->value_count; i++)
		free(steps->values[i].own);
	free(steps->executions);
	free(steps->values);
	free(steps);
}

int nnapi_steps_create(const struct nnapi_plan *plan, struct nnapi_steps **out)
{
	struct nnapi_steps *steps = calloc(1, sizeof(*steps));
	int ret = -ENOMEM;

	if (!steps)
		return -ENOMEM;
	steps->plan = plan;
	steps->executions = calloc((size_t)plan->step_count + 1, sizeof(struct nna_execution *));
	steps->values = calloc((size_t)plan->value_count + 1, sizeof(*steps->values));
	if (steps->executions && steps->values)
		ret = 0;
	for (uint32_t i = 0; i < plan->step_count && !ret; i++)
		ret = nna_execution_create(plan->steps[i].program, &steps->executions[i]);
	if (ret)
		nnapi_steps_destroy(steps);
	else
		*out = steps;
	return ret;
}

/* Return: true if a value is an output of the model that is written to the caller's memory. */
static bool nnapi_value_is_argument(const struct nnapi_steps *steps, uint32_t value)
{
	return value < steps->plan->input_count + steps->plan->output_count &&
	       !steps->values[value].too_small;
}

/* Makes room for a value in memory of this process. Its contents are lost. */
static int nnapi_value_reserve(struct nnapi_value *value, size_t size)
{
	void *own;

	if (value->own && value->room >= size)
		return 0;
	own = malloc(size ? size : 1);
	if (!own)
		return -ENOMEM;
	free(value->own);
	value->own = own;
	value->room = size;
	return 0;
}

static int nnapi_steps_bind(struct nnapi_steps *steps, uint32_t number,
			    const struct nnapi_argument *inputs,
			    const struct nnapi_argument *outputs)
{
	const struct nnapi_step *step = &steps->plan->steps[number];
	struct nna_execution *execution = steps->executions[number];
	int ret = 0;

	for (uint32_t i = 0; i < step->input_count && !ret; i++) {
		uint32_t v = step->inputs[i];
		const struct nnapi_value *value = &steps->values[v];

		if (v < steps->plan->input_count)
			ret = nnapi_argument_hand_over(&inputs[v], false, i, execution,
						       step->device);
		else
			ret = nna_execution_set_input(execution, i, value->rank,
						      value->rank ? value->dims : NULL, value->data,
						      value->size);
	}
	for (uint32_t i = 0; i < step->output_count && !ret; i++) {
		uint32_t v = step->outputs[i];
		struct nnapi_value *value = &steps->values[v];
		struct nna_io_info info;

		if (nnapi_value_is_argument(steps, v)) {
			ret = nnapi_argument_hand_over(&outputs[v - steps->plan->input_count], true,
						       i, execution, step->device);
			continue;
		}
		ret = nna_program_get_output(step->program, i, &info);
		if (!ret && !value->own)
			ret = nnapi_value_reserve(value, info.size);
		if (!ret)
			ret = nna_execution_set_output(execution, i, 0, NULL, value->own,
						       value->room);
	}
	return ret;
}

/*
 * Takes over the dimensions of a step's outputs. Return: 0, -EAGAIN if outputs did not fit and now
 * have room, or an error.
 */
static int nnapi_steps_collect(struct nnapi_steps *steps, uint32_t number,
			       const struct nnapi_argument *outputs)
{
	const struct nnapi_step *step = &steps->plan->steps[number];
	int result = 0;

	for (uint32_t i = 0; i < step->output_count; i++) {
		uint32_t v = step->outputs[i];
		struct nnapi_value *value = &steps->values[v];
		struct nna_io_info info;
		size_t size;
		int ret;

		ret = nna_execution_get_output_dims(steps->executions[number], i, &value->rank,
						    value->dims);
		if (ret && ret != -ENOSPC)
			return ret;
		if (nna_program_get_output(step->program, i, &info))
			return -EINVAL;
		if (!nnb_value_bytes(info.type, value->rank, value->dims, &size))
			return -EOVERFLOW;
		value->size = size;
		if (ret) {
			value->too_small = v < steps->plan->input_count + steps->plan->output_count;
			ret = nnapi_value_reserve(value, size);
			if (ret)
				return ret;
			result = -EAGAIN;
		}
		value->data = nnapi_value_is_argument(steps, v) ?
				      outputs[v - steps->plan->input_count].data : value->own;
	}
	return result;
}

/* Computes a step, and repeats it while outputs do not fit: at least one more fits each time. */
static int nnapi_steps_run_one(struct nnapi_steps *steps, uint32_t number,
			       const struct nnapi_argument *inputs,
			       const struct nnapi_argument *outputs, uint64_t loop_limit_ns)
{
	NNA_TRACE(DRIVER, EXECUTION, steps->plan->steps[number].device->name);
	struct nna_execution *execution = steps->executions[number];
	uint32_t tries = steps->plan->steps[number].output_count + 1;
	int ret, fits;

	do {
		ret = nnapi_steps_bind(steps, number, inputs, outputs);
		if (!ret && loop_limit_ns)
			ret = nna_execution_set_loop_limit(execution, loop_limit_ns);
		if (!ret)
			ret = nna_execution_compute(execution);
		if (ret && ret != -ENOSPC)
			return ret;
		fits = nnapi_steps_collect(steps, number, outputs);
		if (fits && fits != -EAGAIN)
			return fits;
	} while (fits && tries--);
	return ret;
}

int nnapi_steps_run(struct nnapi_steps *steps, const struct nnapi_argument *inputs,
		    const struct nnapi_argument *outputs, uint64_t loop_limit_ns)
{
	const struct nnapi_plan *plan = steps->plan;
	int ret;

	for (uint32_t i = 0; i < plan->value_count; i++)
		steps->values[i].too_small = false;
	for (uint32_t i = 0; i < plan->step_count; i++) {
		ret = nnapi_steps_run_one(steps, i, inputs, outputs, loop_limit_ns);
		if (ret) {
			nna_message(EXECUTION, "step %u of %u, on %s: %s", i + 1, plan->step_count,
				    plan->steps[i].device->name, strerror(-ret));
			return ret;
		}
	}
	for (uint32_t i = 0; i < plan->output_count; i++) {
		if (steps->values[plan->input_count + i].too_small)
			return -ENOSPC;
	}
	return 0;
}

int nnapi_steps_get_output_dims(const struct nnapi_steps *steps, uint32_t index, uint32_t *rank,
				uint32_t dims[NNACCEL_MAX_RANK])
{
	const struct nnapi_value *value = &steps->values[steps->plan->input_count + index];

	*rank = value->rank;
	memcpy(dims, value->dims, sizeof(value->dims));
	return value->too_small ? -ENOSPC : 0;
}
