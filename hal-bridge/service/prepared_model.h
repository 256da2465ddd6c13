/* SPDX-License-Identifier: MIT */
/*
 * IPreparedModel: a compiled model. It keeps no executions. The program keeps the memory of past
 * runs for the next run, until the library's watchdog frees it.
 */
#ifndef NNB_PREPARED_MODEL_H
#define NNB_PREPARED_MODEL_H

#include "hal-bridge/aidl/call.h"
#include "hal-bridge/service/service.h"
#include "nnaccel.h"

/**
 * struct nnb_prepared_model - a compiled model
 * @object: IPreparedModel
 * @id: unique in this process, and never reused
 * @client: its owner, a reference
 * @charged: the charge of its client's user for the model and the graph of @program
 * @program: owned
 * @inputs: @input_count of them, owned
 * @outputs: @output_count of them, owned
 * @input_count: entries of @inputs
 * @output_count: entries of @outputs
 */
struct nnb_prepared_model {
	struct nnb_object object;
	uint64_t id;
	struct nnb_client *client;
	struct nnb_quota charged;
	struct nna_program *program;
	struct nna_io_info *inputs, *outputs;
	uint32_t input_count, output_count;
};

/**
 * nnb_prepared_model_create() - compile a graph
 * @client: a reference is taken
 * @charged: the charge for one model and the graph, which the model takes over, also after an error
 * @graph: finished
 * @options: for the library
 * @out: one reference
 *
 * Return: 0 or a negative errno.
 */
int nnb_prepared_model_create(struct nnb_client *client, const struct nnb_quota *charged,
			      struct nna_graph *graph, const struct nna_program_options *options,
			      struct nnb_prepared_model **out);

/*
 * Makes a model of an existing program and takes over the program and the charge, also after an
 * error.
 */
int nnb_prepared_model_wrap(struct nnb_client *client, const struct nnb_quota *charged,
			    struct nna_program *program, struct nnb_prepared_model **out);

/* Return: the model of an object in a parcel; NULL if the object is no model of this service. */
struct nnb_prepared_model *nnb_prepared_model_of(struct nnb_object *object);

#endif
