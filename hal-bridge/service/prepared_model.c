// SPDX-License-Identifier: MIT
/* IPreparedModel (prepared_model.h). */
#include "hal-bridge/service/prepared_model.h"

#include <errno.h>
#include <stdlib.h>

#include "hal-bridge/aidl/gen/nn.h"
#include "hal-bridge/service/burst.h"
#include "hal-bridge/service/execution.h"
#include "hal-bridge/service/fenced.h"
#include "hal-bridge/service/run.h"
#include "hal-bridge/service/status.h"

static atomic_uint_fast64_t nnb_last_model;

/* ---------------------------------------------------------------------------------------- model */

static void nnb_prepared_model_free(struct nnb_prepared_model *model)
{
	nna_program_destroy(model->program);
	nnb_quota_discharge(model->client, &model->charged);
	nnb_client_put(model->client);
	free(model->inputs);
	free(model->outputs);
	free(model);
}

static void nnb_prepared_model_release(struct nnb_object *object)
{
	nnb_prepared_model_free((struct nnb_prepared_model *)object);
}

static int nnb_prepared_model_transact(struct nnb_object *object, const struct nnb_caller *caller,
				       uint32_t code, struct nnb_reader *in,
				       struct nnb_arena *arena, struct nnb_writer *out);

static const struct nnb_object_ops nnb_prepared_model_ops = {
	.descriptor = "android.hardware.neuralnetworks.IPreparedModel",
	.release = nnb_prepared_model_release,
	.transact = nnb_prepared_model_transact,
};

/* Gets the descriptions of the program's inputs and outputs. */
static int nnb_prepared_model_describe(struct nnb_prepared_model *model)
{
	int ret = 0;

	model->input_count = nna_program_input_count(model->program);
	model->output_count = nna_program_output_count(model->program);
	model->inputs = calloc(model->input_count + 1, sizeof(*model->inputs));
	model->outputs = calloc(model->output_count + 1, sizeof(*model->outputs));
	if (!model->inputs || !model->outputs)
		return -ENOMEM;
	for (uint32_t i = 0; i < model->input_count && !ret; i++)
		ret = nna_program_get_input(model->program, i, &model->inputs[i]);
	for (uint32_t i = 0; i < model->output_count && !ret; i++)
		ret = nna_program_get_output(model->program, i, &model->outputs[i]);
	return ret;
}

int nnb_prepared_model_wrap(struct nnb_client *client, const struct nnb_quota *charged,
			    struct nna_program *program, struct nnb_prepared_model **out)
{
	struct nnb_prepared_model *model = calloc(1, sizeof(*model));
	int ret;

	*out = NULL;
	if (!model) {
		nna_program_destroy(program);
		nnb_quota_discharge(client, charged);
		return -ENOMEM;
	}
	nnb_object_init(&model->object, &nnb_prepared_model_ops);
	model->id = atomic_fetch_add(&nnb_last_model, 1) + 1;
	model->client = nnb_client_ref(client);
	model->charged = *charged;
	model->program = program;
	ret = nnb_prepared_model_describe(model);
	if (ret)
		nnb_prepared_model_free(model);
	else
		*out = model;
	return ret;
}

int nnb_prepared_model_create(struct nnb_client *client, const struct nnb_quota *charged,
			      struct nna_graph *graph, const struct nna_program_options *options,
			      struct nnb_prepared_model **out)
{
	struct nna_program *program;
	int ret;

	*out = NULL;
	ret = nna_program_create(client->device, graph, options, &program);
	if (ret) {
		nnb_quota_discharge(client, charged);
		return ret;
	}
	return nnb_prepared_model_wrap(client, charged, program, out);
}

struct nnb_prepared_model *nnb_prepared_model_of(struct nnb_object *object)
{
	return object && object->ops == &nnb_prepared_model_ops
		       ? (struct nnb_prepared_model *)object
		       : NULL;
}

/* -------------------------------------------------------------------------------------- methods */

static int nnb_prepared_model_execute(struct nnb_prepared_model *model, struct nnb_aidl_call *call,
				      const struct nnb_aidl_request *request, bool measure,
				      int64_t deadline_ns, int64_t loop_timeout_ns,
				      struct nnb_aidl_execution_result *result)
{
	const struct nnb_run_options options = {
		.measure = measure,
		.loop_timeout_ns = loop_timeout_ns,
		.brief = true,
	};
	struct nnb_run run;
	int ret = nnb_run_init(&run, model, call, request, NULL, &options);

	if (!ret)
		ret = nnb_run_execute(&run, call, deadline_ns, result);
	nnb_run_fini(&run);
	return ret;
}

static int nnb_on_execute(struct nnb_object *object, struct nnb_aidl_call *call, const void *in,
			  void *out)
{
	const struct nnb_aidl_prepared_model_execute_synchronously_in *args = in;
	struct nnb_aidl_prepared_model_execute_synchronously_out *results = out;

	return nnb_prepared_model_execute((struct nnb_prepared_model *)object, call, &args->request,
					  args->measure_timing, args->deadline_ns,
					  args->loop_timeout_duration_ns, &results->result);
}

static int nnb_on_execute_with_config(struct nnb_object *object, struct nnb_aidl_call *call,
				      const void *in, void *out)
{
	const struct nnb_aidl_prepared_model_execute_synchronously_with_config_in *args = in;
	struct nnb_aidl_prepared_model_execute_synchronously_with_config_out *results = out;
	int ret = nnb_run_check_config(call, &args->config);

	return ret ? ret
		   : nnb_prepared_model_execute(
			     (struct nnb_prepared_model *)object, call, &args->request,
			     args->config.measure_timing, args->deadline_ns,
			     args->config.loop_timeout_duration_ns, &results->result);
}

static int nnb_on_execute_fenced(struct nnb_object *object, struct nnb_aidl_call *call,
				 const void *in, void *out)
{
	const struct nnb_aidl_prepared_model_execute_fenced_in *args = in;
	struct nnb_aidl_prepared_model_execute_fenced_out *results = out;
	const struct nnb_run_options options = {
		.measure = args->measure_timing,
		.loop_timeout_ns = args->loop_timeout_duration_ns,
	};

	return nnb_fenced_execute((struct nnb_prepared_model *)object, call, &args->request,
				  &options, &args->wait_for, args->deadline_ns, args->duration_ns,
				  &results->result);
}

static int nnb_on_execute_fenced_with_config(struct nnb_object *object, struct nnb_aidl_call *call,
					     const void *in, void *out)
{
	const struct nnb_aidl_prepared_model_execute_fenced_with_config_in *args = in;
	struct nnb_aidl_prepared_model_execute_fenced_with_config_out *results = out;
	const struct nnb_run_options options = {
		.measure = args->config.measure_timing,
		.loop_timeout_ns = args->config.loop_timeout_duration_ns,
	};
	int ret = nnb_run_check_config(call, &args->config);

	return ret ? ret
		   : nnb_fenced_execute((struct nnb_prepared_model *)object, call, &args->request,
					&options, &args->wait_for, args->deadline_ns,
					args->duration_ns, &results->result);
}

static int nnb_on_configure_burst(struct nnb_object *object, struct nnb_aidl_call *call,
				  const void *in, void *out)
{
	struct nnb_aidl_prepared_model_configure_execution_burst_out *results = out;
	int ret = nnb_burst_create((struct nnb_prepared_model *)object, &results->result);

	return ret ? nnb_status(ret)
		   : nnb_status(nnb_arena_own_object(call->arena, results->result));
}

static int nnb_on_create_execution(struct nnb_object *object, struct nnb_aidl_call *call,
				   const void *in, void *out)
{
	const struct nnb_aidl_prepared_model_create_reusable_execution_in *args = in;
	struct nnb_aidl_prepared_model_create_reusable_execution_out *results = out;
	const struct nnb_run_options options = {
		.measure = args->config.measure_timing,
		.loop_timeout_ns = args->config.loop_timeout_duration_ns,
	};
	int ret = nnb_run_check_config(call, &args->config);

	if (!ret)
		ret = nnb_execution_create((struct nnb_prepared_model *)object, call,
					   &args->request, &options, &results->result);
	return ret ? ret : nnb_status(nnb_arena_own_object(call->arena, results->result));
}

static int nnb_prepared_model_transact(struct nnb_object *object, const struct nnb_caller *caller,
				       uint32_t code, struct nnb_reader *in,
				       struct nnb_arena *arena, struct nnb_writer *out)
{
	static const nnb_aidl_handler handlers[] = {
		nnb_on_execute,
		nnb_on_execute_fenced,
		nnb_on_configure_burst,
		nnb_on_create_execution,
		nnb_on_execute_with_config,
		nnb_on_execute_fenced_with_config,
	};
	struct nnb_prepared_model *model = (struct nnb_prepared_model *)object;

	return nnb_aidl_answer(object, &nnb_aidl_prepared_model,
			       model->client->service->options.version, handlers, caller, code, in,
			       arena, out);
}
