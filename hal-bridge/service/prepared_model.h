/* SPDX-License-Identifier: MIT */
/*
 * IPreparedModel: a compiled model. It keeps no executions: the memory that runs leave behind is
 * the program's, for the next run or the library's watchdog.
 */
#ifndef NNB_PREPARED_MODEL_H
#define NNB_PREPARED_MODEL_H

#include "hal-bridge/aidl/call.h"
#include "hal-bridge/service/service.h"
#include "nnaccel.h"

/**
 * struct nnb_prepared_model - a compiled model
 * @object: IPreparedModel
 * @id: no other model of this process has or had it
 * @client: whose it is, a reference; charged with one model
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
	struct nna_program *program;
	struct nna_io_info *inputs, *outputs;
	uint32_t input_count, output_count;
};

/**
 * nnb_prepared_model_create() - compile a graph
 * @client: a reference is taken; it has been charged with one model, which from now on, and after
 *	an error too, is the model's to give back
 * @graph: finished
 * @options: for the library
 * @out: one reference
 *
 * Return: 0 or a negative errno.
 */
int nnb_prepared_model_create(struct nnb_client *client, struct nna_graph *graph,
			      const struct nna_program_options *options,
			      struct nnb_prepared_model **out);

/* The same with a program that there is already, which is the model's from now on, as above. */
int nnb_prepared_model_wrap(struct nnb_client *client, struct nna_program *program,
			    struct nnb_prepared_model **out);

/* The model that an object of a parcel is; NULL when it is none of this service's. */
struct nnb_prepared_model *nnb_prepared_model_of(struct nnb_object *object);

#endif
