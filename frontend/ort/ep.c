// SPDX-License-Identifier: MIT
#include "frontend/ort/ep.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/ort/graph.h"
#include "frontend/ort/partition.h"
#include "frontend/ort/program.h"
#include "frontend/ort/saved.h"
#include "libnnaccel/support/coverage.h"

/* Session entries of the provider begin so. */
#define PREFIX "ep.nnaccelexecutionprovider."
#define VALUE_SIZE 128

/**
 * struct provider - see ep.h
 * @ep: what the runtime has; first
 * @log: with the session's logger
 * @priority: enum nna_priority of all programs
 * @saving: what becomes of compiled groups
 * @saved: how many there are
 */
struct provider {
	struct ort_ep ep;
	struct ort_api api;
	struct ort_log log;
	struct nna_device *device;
	int priority;
	struct ort_saving saving;
	size_t saved;
};

static const char *get_name(const struct ort_ep *self)
{
	return ORT_EP_NAME;
}

/* ----------------------------------------------------------------------------------- capability */

/* Of each node whether it has a translation and the device takes all of it. */
static int find_taken(struct provider *p, const struct onnx_model *model,
		      struct onnx_origin *origin, bool *taken, char *error)
{
	const struct nna_log log = { ort_log_line, &p->log };
	struct nna_graph *graph;
	bool *supported;
	uint32_t count;
	int ret;

	ret = onnx_to_partial_graph(model, NULL, &log, &graph, origin, error);
	if (ret)
		return ret;
	count = nna_graph_operation_count(graph, 0);
	supported = calloc((size_t)count + 1, sizeof(*supported));
	ret = supported ? nna_graph_get_supported(graph, p->device, supported) : -ENOMEM;
	for (uint32_t i = 0; i < model->node_count; i++)
		taken[i] = !ret && !origin->why[i];
	for (uint32_t i = 0; i < count && i < origin->count && !ret; i++)
		taken[origin->nodes[i]] &= supported[i];
	free(supported);
	nna_graph_unref(graph);
	if (ret)
		onnx_origin_free(origin);
	return ret;
}

/* Nodes that stand for groups that were compiled before: each is a group. */
static void find_saved(const struct onnx_model *model, bool *taken, uint32_t *groups,
		       uint32_t *count)
{
	for (uint32_t i = 0; i < model->node_count; i++)
		if (ort_saved_is(&model->nodes[i])) {
			taken[i] = true;
			groups[i] = (*count)++;
		}
}

static void log_coverage(struct provider *p, const struct onnx_model *model,
			 const struct onnx_origin *origin, const bool *taken)
{
	char label[ONNX_LABEL_SIZE], text[ONNX_LABEL_SIZE + ONNX_ERROR_SIZE + 32];
	char line[NNA_COVERAGE_SIZE];
	struct nna_device_info info;
	uint32_t count = 0;

	for (uint32_t i = 0; i < model->node_count; i++)
		count += taken[i];
	nna_device_get_info(p->device, &info);
	ort_log_line(&p->log, NNA_LOG_INFO,
		     nna_coverage_describe(count, model->node_count, info.name,
					   "with ONNX Runtime's other providers", line));
	for (uint32_t i = 0; i < model->node_count; i++) {
		if (taken[i])
			continue;
		snprintf(text, sizeof(text), "left to others: %s", origin->why[i] ?: "");
		if (!origin->why[i])
			snprintf(text, sizeof(text), "left to others: %s: the device does not "
				 "take it", onnx_node_label(model, i, label));
		ort_log_line(&p->log, NNA_LOG_INFO, text);
	}
}

static struct ort_status *fuse(struct provider *p, void *info, const struct onnx_model *model,
			       const void **nodes, const uint32_t *groups, uint32_t count)
{
	struct ort_status *(*add)(void *, const void *const *, size_t,
				  const struct ort_fusion_options *) =
		(struct ort_status *(*)(void *, const void *const *, size_t,
					const struct ort_fusion_options *))p->api.ep[ORT_EP_FUSE];
	const struct ort_fusion_options options = { ORT_VERSION, true };
	const void **list = calloc((size_t)model->node_count + 1, sizeof(*list));
	struct ort_status *status = NULL;

	if (!list)
		return ort_fail(&p->api, ORT_EP_FAIL, "no memory");
	for (uint32_t g = 0; g < count && !status; g++) {
		size_t n = 0;

		for (uint32_t i = 0; i < model->node_count; i++)
			if (groups[i] == g)
				list[n++] = nodes[i];
		status = add(info, list, n, &options);
	}
	free(list);
	return status;
}

static struct ort_status *get_capability(struct ort_ep *self, const void *graph, void *info)
{
	struct provider *p = (struct provider *)self;
	struct onnx_origin origin = { 0 };
	struct ort_status *status = NULL;
	struct onnx_model *model = NULL;
	char error[ONNX_ERROR_SIZE] = "no memory";
	uint32_t *groups, count = 0;
	const void **nodes = NULL;
	bool *taken;
	int ret;

	ret = ort_graph_read(&p->api, graph, false, &nodes, &model, error);
	if (ret)
		return ort_fail(&p->api, ORT_EP_FAIL, "the graph cannot be read: %s", error);
	groups = calloc((size_t)model->node_count + 1, sizeof(*groups));
	taken = calloc((size_t)model->node_count + 1, sizeof(*taken));
	ret = groups && taken ? find_taken(p, model, &origin, taken, error) : -ENOMEM;
	if (!ret) {
		ret = ort_partition(model, origin.units, taken, groups, &count);
		if (!ret)
			find_saved(model, taken, groups, &count);
		log_coverage(p, model, &origin, taken);
		onnx_origin_free(&origin);
	}
	status = ret ? ort_fail(&p->api, ORT_EP_FAIL, "%s", *error ? error : strerror(-ret)) :
		       fuse(p, info, model, nodes, groups, count);
	free(groups);
	free(taken);
	free(nodes);
	onnx_model_free(model);
	return status;
}

/* -------------------------------------------------------------------------------------- compile */

static void release_computes(struct ort_ep *self, struct ort_compute **computes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		ort_program_destroy(computes[i]);
}

/* A group of one node that stands for what was compiled before. */
static struct ort_status *load(struct provider *p, const void *graph, const void *node,
			       const struct onnx_node *saved, struct ort_compute **out)
{
	struct ort_status *status;
	size_t size = 0;
	void *bytes;

	status = ort_saved_read(&p->api, graph, saved, &bytes, &size) ?:
		 ort_program_load(&p->log, p->device, node, p->priority, bytes, size, out);
	free(bytes);
	return status;
}

static struct ort_status *make(struct provider *p, const void *graph, const void *node,
			       struct ort_compute **out)
{
	char error[ONNX_ERROR_SIZE] = "";
	struct onnx_model *model = NULL;
	struct ort_status *status;

	if (ort_graph_read(&p->api, graph, false, NULL, &model, error))
		return ort_fail(&p->api, ORT_EP_FAIL, "a group cannot be read: %s", error);
	status = model->node_count == 1 && ort_saved_is(&model->nodes[0]) ?
		 load(p, graph, node, &model->nodes[0], out) :
		 ort_program_create(&p->log, p->device, graph, node, p->priority, out);
	onnx_model_free(model);
	return status;
}

static struct ort_status *save(struct provider *p, const void *graph, const void *node,
			       struct ort_compute *compute, void **out)
{
	struct ort_status *status;
	size_t size = 0;
	void *bytes;

	status = ort_program_save(compute, &bytes, &size) ?:
		 ort_saved_create(&p->api, &p->saving, graph, node, p->saved++, bytes, size, out);
	free(bytes);
	return status;
}

static struct ort_status *compile(struct ort_ep *self, const void **graphs, const void **nodes,
				  size_t count, struct ort_compute **computes, void **context_nodes)
{
	struct provider *p = (struct provider *)self;
	struct ort_status *status = NULL;
	size_t done = 0;

	for (; done < count && !status; done += !status)
		status = make(p, graphs[done], nodes[done], &computes[done]);
	for (size_t i = 0; i < count && !status && p->saving.enabled && context_nodes; i++)
		status = save(p, graphs[i], nodes[i], computes[i], &context_nodes[i]);
	if (status) {
		release_computes(self, computes, done);
		memset(computes, 0, count * sizeof(*computes));
	}
	return status;
}

/* --------------------------------------------------------------------------------------- others */

/* The graph stays as it is: transposes cancel in the translation. */
static struct ort_status *get_layout(struct ort_ep *self, int *layout)
{
	*layout = 0;
	return NULL;
}

static struct ort_status *converts_layout(struct ort_ep *self, const char *domain, const char *op,
					  int layout, int *converts)
{
	*converts = 0;
	return NULL;
}

static struct ort_status *set_options(struct ort_ep *self, const char *const *keys,
				      const char *const *values, size_t count)
{
	struct provider *p = (struct provider *)self;

	return count ? ort_fail(&p->api, ORT_INVALID_ARGUMENT, "there is no option %s that can be "
				"set between runs", keys[0]) : NULL;
}

static struct ort_status *run_starts(struct ort_ep *self, const void *options)
{
	return NULL;
}

static struct ort_status *run_ends(struct ort_ep *self, const void *options, bool syncs)
{
	return NULL;
}

/* -------------------------------------------------------------------------------------- options */

/* An entry of the session, of at most @size bytes. Return: whether there is one. */
static bool get_entry(struct provider *p, const void *options, const char *key, char *value,
		      size_t size)
{
	struct ort_status *(*has)(const void *, const char *, int *) =
		(struct ort_status *(*)(const void *, const char *, int *))
			p->api.table[ORT_HAS_CONFIG];
	struct ort_status *(*get)(const void *, const char *, char *, size_t *) =
		(struct ort_status *(*)(const void *, const char *, char *, size_t *))
			p->api.table[ORT_GET_CONFIG];
	int is_there = 0;

	value[0] = 0;
	return ort_good(&p->api, has(options, key, &is_there), NULL) && is_there &&
	       ort_good(&p->api, get(options, key, value, &size), NULL);
}

static struct ort_status *read_options(struct provider *p, const void *options, char *device,
				       uint32_t *threads)
{
	static const char *const PRIORITIES[] = { "low", "medium", "high" };
	char value[VALUE_SIZE], *end;
	unsigned long number;

	p->priority = NNA_PRIORITY_MEDIUM;
	p->saving.enabled = get_entry(p, options, "ep.context_enable", value, VALUE_SIZE) &&
			    !strcmp(value, "1");
	p->saving.embeds = get_entry(p, options, "ep.context_embed_mode", value, VALUE_SIZE) &&
			   !strcmp(value, "1");
	get_entry(p, options, "ep.context_file_path", p->saving.model, ORT_SAVED_PATH);
	if (get_entry(p, options, PREFIX "device", value, VALUE_SIZE))
		snprintf(device, VALUE_SIZE, "%s", value);
	if (get_entry(p, options, PREFIX "threads", value, VALUE_SIZE)) {
		number = strtoul(value, &end, 10);
		if (end == value || *end || number < 1 || number > 64)
			return ort_fail(&p->api, ORT_INVALID_ARGUMENT, "the option threads is "
					"'%s'; expected 1 to 64", value);
		*threads = (uint32_t)number;
	}
	if (get_entry(p, options, PREFIX "priority", value, VALUE_SIZE)) {
		for (p->priority = 0; p->priority < 3; p->priority++)
			if (!strcmp(value, PRIORITIES[p->priority]))
				return NULL;
		return ort_fail(&p->api, ORT_INVALID_ARGUMENT, "the option priority is '%s'; "
				"expected low, medium or high", value);
	}
	return NULL;
}

struct ort_status *ort_ep_create(const struct ort_api *api, const char *device,
				 const void *options, const void *logger, struct ort_ep **out)
{
	struct nna_device_options device_options = { .threads = 0 };
	struct provider *p = calloc(1, sizeof(*p));
	struct ort_status *status;
	char name[VALUE_SIZE];
	int ret;

	if (!p)
		return ort_fail(api, ORT_EP_FAIL, "no memory");
	p->api = *api;
	p->log = (struct ort_log){ .api = &p->api, .logger = logger };
	p->ep = (struct ort_ep){
		.version = ORT_VERSION,
		.get_name = get_name,
		.get_capability = get_capability,
		.compile = compile,
		.release_computes = release_computes,
		.get_layout = get_layout,
		.converts_layout = converts_layout,
		.set_options = set_options,
		.run_starts = run_starts,
		.run_ends = run_ends,
	};
	snprintf(name, sizeof(name), "%s", device);
	status = read_options(p, options, name, &device_options.threads);
	if (!status) {
		device_options.log = (struct nna_log){ ort_log_line, &p->log };
		ret = nna_device_open(name, &device_options, &p->device);
		if (ret) {
			p->device = NULL;
			status = p->log.error[0] ?
				 ort_fail(api, ORT_EP_FAIL, "%s", p->log.error) :
				 ort_fail(api, ORT_EP_FAIL, "the device %s cannot be opened: %s",
					  name, strerror(-ret));
		}
	}
	if (status) {
		free(p);
		return status;
	}
	*out = &p->ep;
	return NULL;
}

void ort_ep_destroy(struct ort_ep *ep)
{
	struct provider *p = (struct provider *)ep;

	if (!p)
		return;
	nna_device_close(p->device);
	free(p);
}
