/* SPDX-License-Identifier: MIT */
/*
 * Plans: the steps in which several devices compute one model.
 *
 * A step is a program for one device that computes some of the model's operations. Steps run one
 * after the other. They read and write the plan's values:
 *
 *	0 ...			the inputs of the model
 *	@input_count ...	its outputs
 *	the rest		what flows from one step to later ones
 *
 * A plan is constant after its creation, so any number of executions may use it.
 */
#ifndef NNAPI_PLAN_H
#define NNAPI_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "hal-bridge/nnapi/device.h"
#include "nnaccel.h"

/**
 * struct nnapi_step - a program of a plan
 * @device: the device of @program
 * @program: owned
 * @inputs: for each input of @program the number of its value; owned
 * @outputs: for each output of @program the number of its value; owned
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
 * struct nnapi_plan_cache - the cache of a plan's programs, a file for each step
 * @dir: the folder, NULL for none
 * @token: the caller's identification of the model
 */
struct nnapi_plan_cache {
	const char *dir;
	const uint8_t *token;
};

/**
 * nnapi_plan_create() - divide a model among devices
 * @graph: the model; the memory of its constants must outlive the plan
 * @owners: for each operation the index of its device
 * @devices: @device_count devices, opened by this function if needed
 * @options: of all programs
 * @cache: the cache of the programs
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
/* Creates a plan with one step: the whole model on one device. */
int nnapi_plan_create_whole(struct nna_graph *graph, uint32_t input_count, uint32_t output_count,
			    struct ANeuralNetworksDevice *device,
			    const struct nna_program_options *options, struct nnapi_plan **plan);
/* Destroys a plan. NULL is allowed. */
void nnapi_plan_destroy(struct nnapi_plan *plan);

/*
 * Return: the program that writes output @index of the model; @which receives the index of the
 * output there.
 */
const struct nna_program *nnapi_plan_find_output(const struct nnapi_plan *plan, uint32_t index,
						 uint32_t *which);

/*
 * For tests of plans. Return: true if operations go to random devices, which is so if NNACCEL_DEAL
 * is set to a number. The variable is read once.
 */
bool nnapi_plan_deals(void);
/* Return: the random device of an operation; constant for one NNACCEL_DEAL and @operation. */
uint32_t nnapi_plan_deal(uint32_t operation, uint32_t device_count);

#endif
