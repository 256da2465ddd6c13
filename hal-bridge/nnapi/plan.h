/* SPDX-License-Identifier: MIT */
/*
 * Plans: the steps in which several devices compute one model.
 *
 * A step is a program for one device, of some of the model's operations; steps are computed one
 * after the other. What they read and write are the plan's values:
 *
 *	0 ...			the inputs of the model
 *	@input_count ...	its outputs
 *	the rest		what flows from one step to later ones
 *
 * A plan does not change after it has been made, so that any number of executions may use it.
 */
#ifndef NNAPI_PLAN_H
#define NNAPI_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "hal-bridge/nnapi/device.h"
#include "nnaccel.h"

/**
 * struct nnapi_step - a program of a plan
 * @device: that it is for
 * @program: owned
 * @inputs: for each input of @program the value that it is; owned
 * @outputs: likewise
 * @input_count: entries of @inputs
 * @output_count: entries of @outputs
 */
struct nnapi_step {
	struct ANeuralNetworksDevice *device;
	struct nna_program *program;
	uint32_t *inputs, *outputs;
	uint32_t input_count, output_count;
};

/**
 * struct nnapi_plan - the steps
 * @steps: @step_count of them, owned
 * @input_count: of the model
 * @output_count: of the model
 * @value_count: all values
 */
struct nnapi_plan {
	struct nnapi_step *steps;
	uint32_t step_count;
	uint32_t input_count, output_count, value_count;
};

/**
 * struct nnapi_plan_cache - where the programs of a plan are kept, a file for each step
 * @dir: the folder, NULL for none
 * @token: the caller's word for what is compiled
 */
struct nnapi_plan_cache {
	const char *dir;
	const uint8_t *token;
};

/**
 * nnapi_plan_create() - divide a model among devices
 * @graph: the model; what its constants lie in has to outlive the plan
 * @owners: for each operation the number of its device
 * @devices: @device_count devices, opened by this when they are needed
 * @options: of all programs
 * @cache: where they may be found or kept
 * @plan: for nnapi_plan_destroy()
 * @failed: after an error: the device that could not compile its part, or NULL
 *
 * Return: 0 or an error of the library.
 */
int nnapi_plan_create(struct nna_graph *graph, const uint32_t *owners,
		      struct ANeuralNetworksDevice *const *devices, uint32_t device_count,
		      const struct nna_program_options *options,
		      const struct nnapi_plan_cache *cache, struct nnapi_plan **plan,
		      struct ANeuralNetworksDevice **failed);
/* The plan with one step: all of the model on one device. */
int nnapi_plan_create_whole(struct nna_graph *graph, uint32_t input_count, uint32_t output_count,
			    struct ANeuralNetworksDevice *device,
			    const struct nna_program_options *options, struct nnapi_plan **plan);
/* NULL does nothing. */
void nnapi_plan_destroy(struct nnapi_plan *plan);

/* The program that writes output @index of the model, and which of its outputs that is. */
const struct nna_program *nnapi_plan_find_output(const struct nnapi_plan *plan, uint32_t index,
						 uint32_t *which);

/*
 * For tests of plans: whether operations are dealt out to all devices at random, which is so when
 * NNACCEL_DEAL in the environment is a number. It is read once.
 */
bool nnapi_plan_deals(void);
/* Whose an operation is then: always the same for the same NNACCEL_DEAL and @operation. */
uint32_t nnapi_plan_deal(uint32_t operation, uint32_t device_count);

#endif
