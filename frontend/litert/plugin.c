// SPDX-License-Identifier: MIT
/*
 * libLiteRtCompilerPlugin_NNAccel.so: the functions that LiteRT calls to choose operators and to
 * compile them, by name, and the table of the same functions for LiteRT 2.4.
 *
 *	litert_plugin	a device; one for each model that is compiled
 *	litert_result	a module (compile.h), which LiteRT copies
 *
 * LiteRT takes errors for warnings, and runs the model on the CPU if the user allows that.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/litert/choice.h"
#include "frontend/litert/compile.h"
#include "frontend/litert/device.h"
#include "frontend/litert/source.h"
#include "libnnaccel/support/coverage.h"
#include "libnnaccel/support/message.h"
#include "nna_build_id.h"

/* What --soc_manufacturer and --soc_model of LiteRT's tools name. */
#define MANUFACTURER "NNAccel"
#define MODEL "NNA1"

/**
 * struct litert_plugin - a compiler
 * @all: operators of the subgraphs that have been partitioned
 */
struct litert_plugin {
	const struct LiteRtCompilerContext *context;
	struct nna_device *device;
	uint32_t all;
};

static int get_version(struct LiteRtApiVersion *version)
{
	if (!version)
		return LITERT_INVALID_ARGUMENT;
	*version = (struct LiteRtApiVersion)LITERT_API_VERSION;
	return LITERT_OK;
}

static const char *get_manufacturer(void)
{
	return MANUFACTURER;
}

/* The functions that are called without a look at the table, which has more behind them. */
static bool is_complete(const struct LiteRtCompilerContext *c)
{
	return c->get_num_model_subgraphs && c->get_num_subgraph_ops && c->get_subgraph_op &&
	       c->get_num_subgraph_inputs && c->get_subgraph_input &&
	       c->get_num_subgraph_outputs && c->get_subgraph_output && c->get_op_code &&
	       c->get_custom_code && c->get_num_op_inputs && c->get_op_input &&
	       c->get_num_op_outputs && c->get_op_output && c->get_tensor_name &&
	       c->get_tensor_type_id && c->get_ranked_tensor_type &&
	       c->get_quantization_type_id && c->get_per_tensor_quantization &&
	       c->get_per_channel_quantization && c->get_tensor_weights &&
	       c->get_weights_bytes && c->push_op;
}

static int create(const struct LiteRtCompilerContext *context, struct litert_plugin **out,
		  struct LiteRtEnvironmentOptionsT *environment, struct LiteRtOptionsT *options)
{
	struct litert_plugin *plugin;
	int ret;

	if (!out)
		return LITERT_INVALID_ARGUMENT;
	if (!context || !litert_is_known(&context->header)) {
		nna_message_insist(NNA_MESSAGE_MANAGER,
				   "this LiteRT has another interface for compilers than 2.2 to 2.4: "
				   "its models do not run on the NNA");
		return LITERT_WRONG_VERSION;
	}
	if (!LITERT_HAS(context, serialize_model_with_signatures)) {
		nna_message_insist(NNA_MESSAGE_MANAGER,
				   "this LiteRT does not give partitions as files: its models do not "
				   "run on the NNA");
		return LITERT_WRONG_VERSION;
	}
	if (!is_complete(context)) {
		nna_message_insist(NNA_MESSAGE_MANAGER,
				   "this LiteRT does not show its models: they do not run on the "
				   "NNA");
		return LITERT_WRONG_VERSION;
	}
	plugin = calloc(1, sizeof(*plugin));
	if (!plugin)
		return LITERT_NO_MEMORY;
	plugin->context = context;
	ret = litert_device_open(&plugin->device);
	if (ret) {
		free(plugin);
		return litert_status(ret);
	}
	*out = plugin;
	return LITERT_OK;
}

static void destroy(struct litert_plugin *plugin)
{
	if (!plugin)
		return;
	nna_device_close(plugin->device);
	free(plugin);
}

static int get_hardware(struct litert_plugin *plugin, int *hardware)
{
	if (!plugin || !hardware)
		return LITERT_INVALID_ARGUMENT;
	*hardware = LITERT_HARDWARE_NPU;
	return LITERT_OK;
}

static int count_models(struct litert_plugin *plugin, size_t *count)
{
	if (!plugin || !count)
		return LITERT_INVALID_ARGUMENT;
	*count = 1;
	return LITERT_OK;
}

static int get_model(struct litert_plugin *plugin, size_t index, const char **name)
{
	if (!plugin || index || !name)
		return LITERT_INVALID_ARGUMENT;
	*name = MODEL;
	return LITERT_OK;
}

/* LiteRT compiles a model again when this differs from that of the one in its cache. */
static int get_sdk_version(struct litert_plugin *plugin, const char **version)
{
	if (!plugin || !version)
		return LITERT_INVALID_ARGUMENT;
	*version = NNA_BUILD_ID;
	return LITERT_OK;
}

/* Names the operators that are left, and says how many are not. */
static void tell(const struct litert_plugin *plugin, const struct tflite_subgraph *sub,
		 const struct litert_choice *choice)
{
	char line[TFLITE_ERROR_SIZE], coverage[NNA_COVERAGE_SIZE];
	struct nna_device_info info;

	for (uint32_t i = 0; i < choice->count; i++)
		if (choice->reasons[i])
			nna_message_insist(NNA_MESSAGE_MODEL, "%s",
					   litert_choice_describe(choice, sub, i, line));
	nna_device_get_info(plugin->device, &info);
	nna_message(MODEL, "%s", nna_coverage_describe(choice->taken, choice->count, info.name,
						       "with LiteRT on the CPU", coverage));
}

static int partition(struct litert_plugin *plugin, const char *soc,
		     struct LiteRtSubgraphT *subgraph, struct LiteRtOpListT *list)
{
	struct litert_choice choice = { 0 };
	struct litert_source source = { 0 };
	char error[TFLITE_ERROR_SIZE];
	const struct tflite_subgraph *sub;
	int ret, status = LITERT_OK;

	if (!plugin || !subgraph || !list)
		return LITERT_INVALID_ARGUMENT;
	ret = litert_source_read(plugin->context, subgraph, &source, error);
	if (ret) {
		nna_message_insist(NNA_MESSAGE_MODEL, "LiteRT's subgraph cannot be read: %s", error);
		return litert_status(ret);
	}
	sub = &source.model->subgraphs[0];
	ret = litert_choose(plugin->device, sub, source.refusals, &choice);
	if (!ret) {
		tell(plugin, sub, &choice);
		plugin->all += choice.count;
	}
	for (uint32_t i = 0; i < choice.count && !ret && !status; i++)
		if (choice.partitions[i] != LITERT_LEFT)
			status = plugin->context->push_op(list, source.ops[i],
							  choice.partitions[i]);
	litert_choice_free(&choice);
	litert_source_free(&source);
	return ret ? litert_status(ret) : status;
}

static int compile(struct litert_plugin *plugin, const char *soc, struct LiteRtModelT *partitions,
		   struct litert_result **out)
{
	int ret;

	if (!plugin || !partitions || !out)
		return LITERT_INVALID_ARGUMENT;
	ret = litert_compile(plugin->context, plugin->device, partitions, plugin->all, out);
	return ret == -ENOMEM ? LITERT_NO_MEMORY : ret ? LITERT_COMPILATION : LITERT_OK;
}

static int get_byte_code(struct litert_result *result, size_t index, const void **bytes,
			 size_t *size)
{
	if (!result || index || !bytes || !size)
		return LITERT_INVALID_ARGUMENT;
	*bytes = result->bytes;
	*size = result->size;
	return LITERT_OK;
}

static int count_byte_codes(struct litert_result *result, size_t *count)
{
	if (!result || !count)
		return LITERT_INVALID_ARGUMENT;
	*count = 1;
	return LITERT_OK;
}

static int get_call(struct litert_result *result, size_t index, const void **name, size_t *size,
		    size_t *module)
{
	if (!result || index >= result->count || !name || !size || !module)
		return LITERT_INVALID_ARGUMENT;
	*name = result->names[index];
	*size = strlen(result->names[index]);
	*module = 0;
	return LITERT_OK;
}

static int count_calls(struct litert_result *result, size_t *count)
{
	if (!result || !count)
		return LITERT_INVALID_ARGUMENT;
	*count = result->count;
	return LITERT_OK;
}

static int get_transformations(struct litert_plugin *plugin, void **transformations, size_t *count)
{
	if (!plugin || !transformations || !count)
		return LITERT_INVALID_ARGUMENT;
	*transformations = NULL;
	*count = 0;
	return LITERT_OK;
}

static int check_compatibility(struct LiteRtApiVersion version, struct litert_plugin *plugin,
			       struct LiteRtEnvironmentOptionsT *environment,
			       struct LiteRtOptionsT *options, const char *soc)
{
	return LITERT_OK;
}

/* In LiteRT 2.4's order. */
static const struct {
	struct LiteRtAbiHeader header;
	int (*get_version)(struct LiteRtApiVersion *version);
	const char *(*get_manufacturer)(void);
	int (*create)(const struct LiteRtCompilerContext *context, struct litert_plugin **out,
		      struct LiteRtEnvironmentOptionsT *environment,
		      struct LiteRtOptionsT *options);
	void (*destroy)(struct litert_plugin *plugin);
	int (*get_hardware)(struct litert_plugin *plugin, int *hardware);
	int (*count_models)(struct litert_plugin *plugin, size_t *count);
	int (*get_model)(struct litert_plugin *plugin, size_t index, const char **name);
	int (*partition)(struct litert_plugin *plugin, const char *soc,
			 struct LiteRtSubgraphT *subgraph, struct LiteRtOpListT *list);
	int (*compile)(struct litert_plugin *plugin, const char *soc,
		       struct LiteRtModelT *partitions, struct litert_result **out);
	void (*destroy_result)(struct litert_result *result);
	int (*get_byte_code)(struct litert_result *result, size_t index, const void **bytes,
			     size_t *size);
	int (*count_byte_codes)(struct litert_result *result, size_t *count);
	int (*get_call)(struct litert_result *result, size_t index, const void **name,
			size_t *size, size_t *module);
	int (*count_calls)(struct litert_result *result, size_t *count);
	int (*get_transformations)(struct litert_plugin *plugin, void **transformations,
				   size_t *count);
	int (*get_sdk_version)(struct litert_plugin *plugin, const char **version);
	void *get_handle;
	int (*check_compatibility)(struct LiteRtApiVersion version, struct litert_plugin *plugin,
				   struct LiteRtEnvironmentOptionsT *environment,
				   struct LiteRtOptionsT *options, const char *soc);
} TABLE = {
	.header = { sizeof(TABLE), LITERT_ABI_MAJOR, 0, 0 },
	.get_version = get_version,
	.get_manufacturer = get_manufacturer,
	.create = create,
	.destroy = destroy,
	.get_hardware = get_hardware,
	.count_models = count_models,
	.get_model = get_model,
	.partition = partition,
	.compile = compile,
	.destroy_result = litert_result_free,
	.get_byte_code = get_byte_code,
	.count_byte_codes = count_byte_codes,
	.get_call = get_call,
	.count_calls = count_calls,
	.get_transformations = get_transformations,
	.get_sdk_version = get_sdk_version,
	.check_compatibility = check_compatibility,
};

/* The same by name, for LiteRT 2.2 and 2.3. */
#define EXPORT(name, function) \
	extern __typeof__(function) name __attribute__((alias(#function), visibility("default")))
EXPORT(LiteRtGetCompilerPluginVersion, get_version);
EXPORT(LiteRtGetCompilerPluginSocManufacturer, get_manufacturer);
EXPORT(LiteRtCreateCompilerPlugin, create);
EXPORT(LiteRtDestroyCompilerPlugin, destroy);
EXPORT(LiteRtGetCompilerPluginSupportedHardware, get_hardware);
EXPORT(LiteRtGetNumCompilerPluginSupportedSocModels, count_models);
EXPORT(LiteRtGetCompilerPluginSupportedSocModel, get_model);
EXPORT(LiteRtGetCompilerPluginSDKVersion, get_sdk_version);
EXPORT(LiteRtCompilerPluginPartition, partition);
EXPORT(LiteRtCompilerPluginCompile, compile);
EXPORT(LiteRtGetCompiledResultByteCode, get_byte_code);
EXPORT(LiteRtCompiledResultNumByteCodeModules, count_byte_codes);
EXPORT(LiteRtGetCompiledResultCallInfo, get_call);
EXPORT(LiteRtGetNumCompiledResultCalls, count_calls);
EXPORT(LiteRtCompilerPluginRegisterAllTransformations, get_transformations);
EXPORT(LiteRtCompilerPluginCheckCompilerCompatibility, check_compatibility);

__attribute__((visibility("default"))) void LiteRtDestroyCompiledResult(struct litert_result *result);

void LiteRtDestroyCompiledResult(struct litert_result *result)
{
	litert_result_free(result);
}

__attribute__((visibility("default")))
int LiteRtCompilerPluginQueryInterface(int id, struct LiteRtApiVersion version, const void **out);

int LiteRtCompilerPluginQueryInterface(int id, struct LiteRtApiVersion version, const void **out)
{
	if (id || !out)
		return id ? LITERT_UNSUPPORTED : LITERT_INVALID_ARGUMENT;
	*out = &TABLE;
	return LITERT_OK;
}
