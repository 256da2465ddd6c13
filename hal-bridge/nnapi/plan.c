// SPDX-License-Identifier: MIT
/* Plans: creates and finds the steps in which several devices compute one model (plan.h). */
#include "hal-bridge/nnapi/plan.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "hal-bridge/nnapi/nnapi.h"
#include "libnnaccel/support/cache_file.h"
#include "libnnaccel/support/environment.h"
#include "libnnaccel/support/trace.h"

#define NNAPI_NO_VALUE UINT32_MAX

static pthread_once_t nnapi_deal_once = PTHREAD_ONCE_INIT;
static bool nnapi_deals;
static uint64_t nnapi_deal_seed;

static void nnapi_deal_read(void)
{
	const char *value = nna_environment_get("NNACCEL_DEAL");

	nnapi_deals = value;
	if (nnapi_deals)
		nnapi_deal_seed = strtoull(value, NULL, 0);
}

bool nnapi_plan_deals(void)
{
	pthread_once(&nnapi_deal_once, nnapi_deal_read);
	return nnapi_deals;
}

/*
 * The finaliser of a 64-bit hash (splitmix64), so that consecutive operations get different
 * devices.
 */
uint32_t nnapi_plan_deal(uint32_t operation, uint32_t device_count)
{
	uint64_t x = nnapi_deal_seed + (operation + 1) * 0x9e3779b97f4a7c15ull;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
	return (x ^ (x >> 31)) % device_count;
}

void nnapi_plan_destroy(struct nnapi_plan *plan)
{
	if (!plan)
		return;
	for (uint32_t i = 0; plan->steps && i < plan->step_count; i++) {
		nna_program_destroy(plan->steps[i].program);
		free(plan->steps[i].inputs);
		free(plan->steps[i].outputs);
	}
	free(plan->steps);
	free(plan);
}

static struct nnapi_plan *nnapi_plan_alloc(uint32_t step_count)
{
	struct nnapi_plan *plan = calloc(1, sizeof(*plan));

	if (!plan)
		return NULL;
	plan->step_count = step_count;
	plan->steps = calloc((size_t)step_count + 1, sizeof(*plan->steps));
	if (plan->steps)
		return plan;
	free(plan);
	return NULL;
}

/*
 * Replaces numbers of the graph's operands by numbers of the plan's values; new values get new
 * numbers.
 */
static void nnapi_plan_number(struct nnapi_plan *plan, uint32_t *operands, uint32_t count,
			      uint32_t *values)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t *value = &values[operands[i]];

		if (*value == NNAPI_NO_VALUE)
			*value = plan->value_count++;
		operands[i] = *value;
	}
}

/*
 * Return: the path of the cache file of step @number; NULL for none. The file identifies its graph.
 */
static char *nnapi_step_path(const struct nnapi_step *step, const struct nnapi_plan_cache *cache,
			     uint32_t number, uint32_t preference)
{
	char name[128];

	if (!cache || !cache->dir)
		return NULL;
	snprintf(name, sizeof(name), "%s-step%u", step->device->name, number);
	return nna_cache_file_path(cache->dir, cache->token, name, preference);
}

/* Compiles a step, or loads it from the cache file at @path; NULL for no file. */
static int nnapi_step_compile(struct nnapi_step *step, struct nna_graph *graph,
			      const struct nna_program_options *options, const char *path)
{
	NNA_TRACE(DRIVER, COMPILATION, step->device->name);
	struct nna_device *device = nnapi_device_open(step->device);
	int ret;

	if (!device)
		return -ENOENT;
	ret = nna_cache_file_make(path, device, graph, options, &step->program);
	if (ret)
		step->program = NULL;
	return ret;
}

/* Numbers the inputs and outputs of the model as the plan's first values. */
static uint32_t *nnapi_plan_begin_values(struct nnapi_plan *plan, const struct nna_graph *graph)
{
	uint32_t count = nna_graph_operand_count(graph), *values;

	values = malloc(((size_t)count + 1) * sizeof(*values));
	if (!values)
		return NULL;
	for (uint32_t i = 0; i < count; i++)
		values[i] = NNAPI_NO_VALUE;
	for (uint32_t i = 0; nna_graph_argument(graph, false, i) != UINT32_MAX; i++) {
		values[nna_graph_argument(graph, false, i)] = plan->value_count++;
		plan->input_count++;
	}
	for (uint32_t i = 0; nna_graph_argument(graph, true, i) != UINT32_MAX; i++) {
		values[nna_graph_argument(graph, true, i)] = plan->value_count++;
		plan->output_count++;
	}
	return values;
}

int nnapi_plan_create(struct nna_graph *graph, const uint32_t *owners,
		      struct ANeuralNetworksDevice *const *devices, uint32_t device_count,
		      const struct nna_program_options *options,
		      const struct nnapi_plan_cache *cache, struct nnapi_plan **out,
		      struct ANeuralNetworksDevice **failed)
{
	struct nna_graph_piece *pieces = NULL;
	struct nnapi_plan *plan;
	uint32_t *values = NULL, count = 0;
	int ret;

	*failed = NULL;
	ret = nna_graph_split(graph, owners, device_count, &pieces, &count);
	if (ret)
		return ret;
	plan = nnapi_plan_alloc(count);
	if (plan)
		values = nnapi_plan_begin_values(plan, graph);
	if (!values)
		ret = -ENOMEM;
	for (uint32_t i = 0; i < count && !ret; i++) {
		struct nna_graph_piece *piece = &pieces[i];
		struct nnapi_step *step = &plan->steps[i];
		char *path;

		nnapi_plan_number(plan, piece->inputs, piece->input_count, values);
		nnapi_plan_number(plan, piece->outputs, piece->output_count, values);
		*step = (struct nnapi_step){
			.device = devices[piece->owner],
			.inputs = piece->inputs,
			.outputs = piece->outputs,
			.input_count = piece->input_count,
			.output_count = piece->output_count,
		};
		piece->inputs = NULL;
		piece->outputs = NULL;
		path = nnapi_step_path(step, cache, i, options->preference);
		ret = nnapi_step_compile(step, piece->graph, options, path);
		free(path);
		if (ret)
			*failed = step->device;
	}
	free(values);
	nna_graph_pieces_free(pieces, count);
	if (ret)
		nnapi_plan_destroy(plan);
	else
		*out = plan;
	return ret;
}

int nnapi_plan_create_whole(struct nna_graph *graph, uint32_t input_count, uint32_t output_count,
			    struct ANeuralNetworksDevice *device,
			    const struct nna_program_options *options, struct nnapi_plan **out)
{
	struct nnapi_plan *plan = nnapi_plan_alloc(1);
	struct nnapi_step *step;
	int ret = -ENOMEM;

	if (!plan)
		return -ENOMEM;
	step = plan->steps;
	step->device = device;
	step->inputs = calloc((size_t)input_count + 1, sizeof(*step->inputs));
	step->outputs = calloc((size_t)output_count + 1, sizeof(*step->outputs));
	if (step->inputs && step->outputs) {
		for (uint32_t i = 0; i < input_count; i++)
			step->inputs[i] = i;
		for (uint32_t i = 0; i < output_count; i++)
			step->outputs[i] = input_count + i;
		ret = nnapi_step_compile(step, graph, options, NULL);
	}
	step->input_count = plan->input_count = input_count;
	step->output_count = plan->output_count = output_count;
	plan->value_count = input_count + output_count;
	if (ret)
		nnapi_plan_destroy(plan);
	else
		*out = plan;
	return ret;
}

const struct nna_program *nnapi_plan_find_output(const struct nnapi_plan *plan, uint32_t index,
						 uint32_t *which)
{
	for (uint32_t i = 0; i < plan->step_count; i++) {
		const struct nnapi_step *step = &plan->steps[i];

		for (uint32_t k = 0; k < step->output_count; k++) {
			if (step->outputs[k] == plan->input_count + index) {
				*which = k;
				return step->program;
			}
		}
	}
	return NULL;
}
