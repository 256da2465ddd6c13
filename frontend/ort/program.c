// SPDX-License-Identifier: MIT
#include "frontend/ort/program.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/onnx/translate.h"
#include "frontend/ort/graph.h"
#include "libnnaccel/support/cursor.h"

/**
 * struct ort_run - an execution that no thread uses
 */
struct ort_run {
	struct ort_run *next;
	struct nna_execution *execution;
};

/**
 * struct ort_variant - a program
 * @shapes: of each input
 * @runs: those that no thread uses
 */
struct ort_variant {
	struct ort_variant *next;
	struct onnx_shape *shapes;
	struct nna_graph *graph;
	struct nna_program *program;
	struct ort_run *runs;
};

/**
 * struct ort_program - see above
 * @compute: what the runtime has; first
 * @model: NULL for one that was saved; constants are copied
 * @inputs: of each of the @input_count inputs its number among those of the fused node
 * @outputs: likewise, with ORT_PROGRAM_SCALAR
 * @name: of the fused node, for messages
 * @lock: held to add a variant, and to take and give back a run
 * @variants: the newest first; each is complete when it is added, and stays until the end
 */
struct ort_program {
	struct ort_compute compute;
	struct ort_log *log;
	struct nna_device *device;
	struct onnx_model *model;
	uint32_t *inputs, *outputs, input_count, output_count;
	int priority;
	char name[64];
	pthread_mutex_t lock;
	_Atomic(struct ort_variant *) variants;
};

static void free_variant(struct ort_variant *v)
{
	struct ort_run *run;

	while (v->runs) {
		run = v->runs;
		v->runs = run->next;
		nna_execution_destroy(run->execution);
		free(run);
	}
	nna_program_destroy(v->program);
	nna_graph_unref(v->graph);
	free(v->shapes);
	free(v);
}

/* Whether a run can have other dims of it than another one. */
static bool is_open_value(const struct onnx_value *value)
{
	if (!value->shaped)
		return true;
	for (uint32_t k = 0; k < value->tensor.rank; k++)
		if (value->tensor.dims[k] < 1)
			return true;
	return false;
}

/* Compiles for the shapes, NULL for those that the model states. */
static struct ort_status *compile(struct ort_program *p, const struct onnx_shape *shapes,
				  struct ort_variant **out)
{
	const struct nna_program_options options = { .priority = (enum nna_priority)p->priority };
	const struct nna_log log = { ort_log_line, p->log };
	const uint32_t inputs = p->input_count;
	struct ort_variant *v = calloc(1, sizeof(*v));
	char error[ONNX_ERROR_SIZE] = "";
	int ret = -ENOMEM;

	p->log->error[0] = 0;
	if (v)
		v->shapes = calloc((size_t)inputs + 1, sizeof(*v->shapes));
	if (v && v->shapes) {
		if (shapes)
			memcpy(v->shapes, shapes, inputs * sizeof(*shapes));
		ret = onnx_to_graph(p->model, shapes, &log, &v->graph, NULL, error);
	}
	if (!ret)
		ret = nna_program_create(p->device, v->graph, &options, &v->program);
	if (ret) {
		if (v)
			free_variant(v);
		return ort_fail(p->log->api, ret == -ENOTSUP ? ORT_NOT_IMPLEMENTED : ORT_EP_FAIL,
				"%s: %s%s%s", p->name, *error ? error : strerror(-ret),
				p->log->error[0] ? ": " : "", p->log->error);
	}
	/* An input whose dims the model states has them in each run. */
	for (uint32_t i = 0; i < inputs; i++)
		if (!is_open_value(&p->model->values[p->model->inputs[i]]))
			v->shapes[i].stated = false;
	v->next = p->variants;
	p->variants = v;
	*out = v;
	return NULL;
}

static bool has_shape(const struct onnx_shape *a, const struct onnx_shape *b)
{
	return a->rank == b->rank && !memcmp(a->dims, b->dims, a->rank * sizeof(*a->dims));
}

static bool has_shapes(const struct ort_variant *v, const struct onnx_shape *shapes, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (v->shapes[i].stated && !has_shape(&v->shapes[i], &shapes[i]))
			return false;
	return true;
}

/* An input of a run, NULL for none. */
static const void *input_of(const struct ort_program *p, void *context, uint32_t i)
{
	struct ort_status *(*get)(void *, size_t, const void **) =
		(struct ort_status *(*)(void *, size_t, const void **))
			p->log->api->table[ORT_CONTEXT_INPUT];
	const void *value = NULL;

	return ort_good(p->log->api, get(context, p->inputs[i], &value), NULL) ? value : NULL;
}

static struct ort_status *get_shape(const struct ort_program *p, void *context, uint32_t i,
				    struct onnx_shape *shape)
{
	const struct ort_api *api = p->log->api;
	const void *value = input_of(p, context, i);
	struct onnx_tensor tensor;

	if (!value || !ort_graph_tensor(api, value, &tensor))
		return ort_fail(api, ORT_INVALID_ARGUMENT, "%s: input %u is no tensor", p->name, i);
	shape->stated = true;
	shape->rank = tensor.rank;
	for (uint32_t k = 0; k < tensor.rank; k++) {
		if (tensor.dims[k] < 1 || tensor.dims[k] > UINT32_MAX)
			return ort_fail(api, ORT_INVALID_ARGUMENT,
					"%s: dimension %u of input %u is %lld", p->name, k, i,
					(long long)tensor.dims[k]);
		shape->dims[k] = (uint32_t)tensor.dims[k];
	}
	return NULL;
}

/* *@fits: whether the variant is for the shapes of a run. It reads those that can differ. */
static struct ort_status *try_variant(const struct ort_program *p, void *context,
				      const struct ort_variant *v, bool *fits)
{
	struct ort_status *status = NULL;
	struct onnx_shape shape;

	*fits = true;
	for (uint32_t i = 0; i < p->input_count && *fits && !status; i++) {
		if (!v->shapes[i].stated)
			continue;
		status = get_shape(p, context, i, &shape);
		*fits = !status && has_shape(&v->shapes[i], &shape);
	}
	return status;
}

/* A variant for the shapes of a run that none of those before was for. */
static struct ort_status *add_variant(struct ort_program *p, void *context,
				      struct ort_variant **out)
{
	struct onnx_shape *shapes = calloc((size_t)p->input_count + 1, sizeof(*shapes));
	struct ort_status *status = NULL;
	struct ort_variant *v;

	if (!shapes)
		return ort_fail(p->log->api, ORT_EP_FAIL, "%s: no memory", p->name);
	for (uint32_t i = 0; i < p->input_count && !status; i++)
		status = get_shape(p, context, i, &shapes[i]);
	if (!status) {
		/* Another thread may have compiled it meanwhile. */
		pthread_mutex_lock(&p->lock);
		for (v = p->variants; v && !has_shapes(v, shapes, p->input_count); v = v->next)
			;
		if (!v)
			status = compile(p, shapes, &v);
		pthread_mutex_unlock(&p->lock);
		*out = v;
	}
	free(shapes);
	return status;
}

static struct ort_status *find_variant(struct ort_program *p, void *context,
				       struct ort_variant **out)
{
	struct ort_status *status = NULL;
	bool fits = false;

	for (*out = p->variants; *out; *out = (*out)->next) {
		status = try_variant(p, context, *out, &fits);
		if (status || fits)
			return status;
	}
	return p->model ? add_variant(p, context, out) :
	       ort_fail(p->log->api, ORT_INVALID_ARGUMENT, "%s: the shapes of its inputs are not "
			"those that it was saved for", p->name);
}

/* A run of the variant, which the caller gives back. */
static struct ort_status *take_run(struct ort_program *p, struct ort_variant *v,
				   struct ort_run **run)
{
	pthread_mutex_lock(&p->lock);
	*run = v->runs;
	if (*run)
		v->runs = (*run)->next;
	pthread_mutex_unlock(&p->lock);
	if (*run)
		return NULL;
	*run = calloc(1, sizeof(**run));
	if (*run && !nna_execution_create(v->program, &(*run)->execution))
		return NULL;
	free(*run);
	return ort_fail(p->log->api, ORT_EP_FAIL, "%s: no memory", p->name);
}

static void give_run(struct ort_program *p, struct ort_variant *v, struct ort_run *run)
{
	pthread_mutex_lock(&p->lock);
	run->next = v->runs;
	v->runs = run;
	pthread_mutex_unlock(&p->lock);
}

/* ----------------------------------------------------------------------------------------- runs */

static struct ort_status *create_state(struct ort_compute *self, void *context, void **state)
{
	*state = self;
	return NULL;
}

static void release_state(struct ort_compute *self, void *state)
{
}

/* The bytes of input @i. */
static struct ort_status *bind_input(struct ort_program *p, void *context, struct ort_run *run,
				     uint32_t i)
{
	const struct ort_api *api = p->log->api;
	const void *value = input_of(p, context, i);
	void *bytes = NULL;
	size_t size = 0;
	int ret;

	if (!value || !ort_get(api, ORT_TENSOR_SIZE, value, &size) ||
	    !ort_get(api, ORT_TENSOR_DATA, value, &bytes))
		return ort_fail(api, ORT_INVALID_ARGUMENT, "%s: input %u is no tensor", p->name, i);
	ret = nna_execution_set_input(run->execution, i, 0, NULL, bytes, size);
	return ret ? ort_fail(api, ORT_INVALID_ARGUMENT, "%s: input %u of %zu bytes: %s", p->name,
			      i, size, strerror(-ret)) : NULL;
}

/* Memory of the runtime's for output @i. */
static struct ort_status *bind_output(struct ort_program *p, void *context, struct ort_variant *v,
				      struct ort_run *run, uint32_t i)
{
	const struct ort_api *api = p->log->api;
	struct ort_status *(*get)(void *, size_t, const int64_t *, size_t, void **) =
		(struct ort_status *(*)(void *, size_t, const int64_t *, size_t, void **))
			api->table[ORT_CONTEXT_OUTPUT];
	int64_t dims[NNACCEL_MAX_RANK];
	struct ort_status *status;
	struct nna_io_info info;
	void *out = NULL, *bytes = NULL;
	size_t rank, size = 0;
	int ret;

	ret = nna_program_get_output(v->program, i, &info);
	if (ret || !info.size)
		return ort_fail(api, ORT_EP_FAIL, "%s: the size of output %u is not known",
				p->name, i);
	/* A scalar is [1] in the graph. */
	rank = p->outputs[i] & ORT_PROGRAM_SCALAR ? 0 : info.rank;
	for (size_t k = 0; k < rank; k++)
		dims[k] = info.dims[k];
	status = get(context, p->outputs[i] & ~ORT_PROGRAM_SCALAR, dims, rank, &out);
	if (status)
		return status;
	if (!out || !ort_get(api, ORT_TENSOR_DATA, out, &bytes) ||
	    !ort_get(api, ORT_TENSOR_SIZE, out, &size))
		return ort_fail(api, ORT_EP_FAIL, "%s: output %u has no memory", p->name, i);
	/* The model says what type it has, and beside a saved program it may say what it likes. */
	if (size != info.size)
		return ort_fail(api, ORT_INVALID_ARGUMENT, "%s: output %u has %zu bytes in the "
				"model, and %zu in the program", p->name, i, size, info.size);
	ret = nna_execution_set_output(run->execution, i, 0, NULL, bytes, info.size);
	return ret ? ort_fail(api, ORT_EP_FAIL, "%s: output %u: %s", p->name, i, strerror(-ret)) :
		     NULL;
}

static const char *reason_of(int ret)
{
	switch (-ret) {
	case ENODEV:
		return "the NNA device is gone";
	case ETIMEDOUT:
		return "the run took too long";
	case EIO:
		return "the NNA device failed";
	case ECANCELED:
		return "the run was lost through another one's fault";
	default:
		return strerror(-ret);
	}
}

static struct ort_status *compute(struct ort_compute *self, void *state, void *context)
{
	struct ort_program *p = (struct ort_program *)self;
	struct ort_variant *v = NULL;
	struct ort_run *run = NULL;
	struct ort_status *status;
	int ret;

	status = find_variant(p, context, &v) ?: take_run(p, v, &run);
	if (status)
		return status;
	for (uint32_t i = 0; i < p->input_count && !status; i++)
		status = bind_input(p, context, run, i);
	for (uint32_t i = 0; i < p->output_count && !status; i++)
		status = bind_output(p, context, v, run, i);
	if (!status) {
		ret = nna_execution_compute(run->execution);
		if (ret)
			status = ort_fail(p->log->api, ORT_EP_FAIL, "%s: %s", p->name,
					  reason_of(ret));
	}
	give_run(p, v, run);
	return status;
}

/* ---------------------------------------------------------------------------------------- whole */

/* Of each input or output of the model its number in the list of the fused node. */
static uint32_t *order_of(const struct ort_program *p, enum ort_slot slot, const void *node,
			  const uint32_t *values, uint32_t count)
{
	const struct ort_api *api = p->log->api;
	uint32_t *order = calloc((size_t)count + 1, sizeof(*order));
	const void **list;
	size_t all, at;

	list = ort_list(api, slot, node, &all);
	for (uint32_t i = 0; i < count && order && list; i++) {
		const char *name = p->model->values[values[i]].name;

		for (at = 0; at < all && strcmp(ort_graph_name(api, list[at]), name); at++)
			;
		if (at == all) {
			free(order);
			order = NULL;
			break;
		}
		order[i] = (uint32_t)at;
	}
	if (!list) {
		free(order);
		order = NULL;
	}
	free(list);
	return order;
}

static bool is_open(const struct onnx_model *m)
{
	for (uint32_t i = 0; i < m->input_count; i++)
		if (is_open_value(&m->values[m->inputs[i]]))
			return true;
	return false;
}

/* What all groups have. */
static struct ort_program *make(struct ort_log *log, struct nna_device *device, const void *node,
				int priority)
{
	struct ort_program *p = calloc(1, sizeof(*p));
	const char *name = NULL;

	if (!p)
		return NULL;
	p->compute = (struct ort_compute){ ORT_VERSION, create_state, compute, release_state };
	p->log = log;
	p->device = device;
	p->priority = priority;
	pthread_mutex_init(&p->lock, NULL);
	ort_get(log->api, ORT_NODE_NAME, node, &name);
	onnx_printable(name ? name : "", p->name, sizeof(p->name));
	return p;
}

/* The lists of inputs and outputs. */
static bool find_orders(struct ort_program *p, const void *node)
{
	const struct onnx_model *m = p->model;

	p->input_count = m->input_count;
	p->output_count = m->output_count;
	p->inputs = order_of(p, ORT_NODE_INPUTS, node, m->inputs, m->input_count);
	p->outputs = order_of(p, ORT_NODE_OUTPUTS, node, m->outputs, m->output_count);
	if (!p->inputs || !p->outputs)
		return false;
	for (uint32_t i = 0; i < m->output_count; i++) {
		const struct onnx_value *value = &m->values[m->outputs[i]];

		if (value->shaped && !value->tensor.rank)
			p->outputs[i] |= ORT_PROGRAM_SCALAR;
	}
	return true;
}

struct ort_status *ort_program_create(struct ort_log *log, struct nna_device *device,
				      const void *graph, const void *node, int priority,
				      struct ort_compute **out)
{
	struct ort_program *p = make(log, device, node, priority);
	char error[ONNX_ERROR_SIZE] = "no memory";
	struct ort_status *status = NULL;
	struct ort_variant *v;
	int ret = -ENOMEM;

	if (p)
		ret = ort_graph_read(log->api, graph, true, NULL, &p->model, error);
	if (!ret && !find_orders(p, node)) {
		snprintf(error, sizeof(error), "its inputs or outputs are not the graph's");
		ret = -EINVAL;
	}
	if (ret)
		status = ort_fail(log->api, ORT_EP_FAIL, "%s", error);
	else if (!is_open(p->model))
		status = compile(p, NULL, &v);
	if (status) {
		if (p)
			ort_program_destroy(&p->compute);
		return status;
	}
	*out = &p->compute;
	return NULL;
}

void ort_program_destroy(struct ort_compute *compute)
{
	struct ort_program *p = (struct ort_program *)compute;
	struct ort_variant *v;

	if (!p)
		return;
	while (p->variants) {
		v = p->variants;
		p->variants = v->next;
		free_variant(v);
	}
	onnx_model_free(p->model);
	free(p->inputs);
	free(p->outputs);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

/* --------------------------------------------------------------------------------------- saving */

struct ort_status *ort_program_save(struct ort_compute *compute, void **bytes, size_t *size)
{
	struct ort_program *p = (struct ort_program *)compute;
	struct ort_program_head head = { ORT_PROGRAM_MAGIC, p->input_count, p->output_count };
	struct nna_cursor cursor;
	const struct nna_blob_writer writer = { nna_cursor_write, &cursor };
	uint64_t saved = 0;
	int ret;

	*bytes = NULL;
	ret = p->variants ? nna_program_saved_size(p->variants->program, &saved) : -ENOTSUP;
	if (ret)
		return ort_fail(p->log->api, ORT_NOT_IMPLEMENTED, "%s: shapes that the model leaves "
				"open cannot be saved in a node EPContext: state them", p->name);
	*size = sizeof(head) + sizeof(uint32_t) * ((size_t)p->input_count + p->output_count) +
		(size_t)saved;
	*bytes = malloc(*size);
	cursor = (struct nna_cursor){ *bytes, *bytes ? *size : 0 };
	ret = !*bytes ? -ENOMEM : nna_cursor_write(&cursor, &head, sizeof(head)) ?:
	      nna_cursor_write(&cursor, p->inputs, p->input_count * sizeof(*p->inputs)) ?:
	      nna_cursor_write(&cursor, p->outputs, p->output_count * sizeof(*p->outputs)) ?:
	      nna_program_save(p->variants->program, &writer);
	if (!ret)
		return NULL;
	free(*bytes);
	*bytes = NULL;
	return ort_fail(p->log->api, ORT_EP_FAIL, "%s cannot be saved: %s", p->name, strerror(-ret));
}

/* How many inputs or outputs the runtime's node has. */
static size_t count_of(const struct ort_api *api, enum ort_slot slot, const void *node)
{
	size_t count = 0;

	return ort_get(api, slot, node, &count) ? count : 0;
}

/* A list of @count different numbers below @all. */
static int read_order(struct nna_cursor *cursor, uint32_t count, size_t all, uint32_t flag,
		      uint32_t **out)
{
	bool *seen = calloc(all + 1, sizeof(*seen));
	int ret = -EBADMSG;

	if (count == all)
		*out = calloc((size_t)count + 1, sizeof(**out));
	if (*out && seen)
		ret = nna_cursor_read(cursor, *out, count * sizeof(**out));
	for (uint32_t i = 0; i < count && !ret; i++) {
		const uint32_t number = (*out)[i] & ~flag;

		if (number >= all || seen[number])
			ret = -EBADMSG;
		else
			seen[number] = true;
	}
	free(seen);
	return ret;
}

/* The shapes that the program of a group that was saved states. [1] may be that of a scalar. */
static int find_shapes(const struct ort_program *p, struct ort_variant *v)
{
	struct nna_io_info info;

	for (uint32_t i = 0; i < p->input_count; i++) {
		struct onnx_shape *shape = &v->shapes[i];

		if (nna_program_get_input(v->program, i, &info) || info.rank > ONNX_MAX_RANK)
			return -EBADMSG;
		shape->stated = info.rank != 1 || info.dims[0] != 1;
		shape->rank = info.rank;
		memcpy(shape->dims, info.dims, info.rank * sizeof(*shape->dims));
	}
	return 0;
}

/* The only program of a group that was saved, for the shapes that it has. */
static int load_variant(struct ort_program *p, struct nna_cursor *cursor)
{
	const struct nna_program_options options = { .priority = (enum nna_priority)p->priority };
	const struct nna_blob_reader reader = { nna_cursor_read, cursor, cursor->left };
	struct ort_variant *v = calloc(1, sizeof(*v));
	int ret;

	if (!v)
		return -ENOMEM;
	p->variants = v;
	v->shapes = calloc((size_t)p->input_count + 1, sizeof(*v->shapes));
	ret = v->shapes ? nna_program_load(p->device, NULL, &options, &reader, &v->program) :
	      -ENOMEM;
	if (!ret && (nna_program_input_count(v->program) != p->input_count ||
		     nna_program_output_count(v->program) != p->output_count))
		ret = -EBADMSG;
	return ret ?: find_shapes(p, v);
}

struct ort_status *ort_program_load(struct ort_log *log, struct nna_device *device,
				    const void *node, int priority, const void *bytes, size_t size,
				    struct ort_compute **out)
{
	struct ort_program *p = make(log, device, node, priority);
	struct nna_cursor cursor = { (uint8_t *)bytes, size };
	struct ort_program_head head;
	struct ort_status *status;
	int ret = -ENOMEM;

	log->error[0] = 0;
	if (p)
		ret = nna_cursor_read(&cursor, &head, sizeof(head));
	if (!ret && memcmp(head.magic, ORT_PROGRAM_MAGIC, sizeof(head.magic)))
		ret = -EBADMSG;
	if (!ret) {
		p->input_count = head.inputs;
		p->output_count = head.outputs;
		ret = read_order(&cursor, head.inputs, count_of(log->api, ORT_NODE_INPUTS, node), 0,
				 &p->inputs) ?:
		      read_order(&cursor, head.outputs, count_of(log->api, ORT_NODE_OUTPUTS, node),
				 ORT_PROGRAM_SCALAR, &p->outputs) ?: load_variant(p, &cursor);
	}
	if (!ret) {
		*out = &p->compute;
		return NULL;
	}
	status = ort_fail(log->api, ORT_EP_FAIL, "%s: its program is damaged, or of another build of "
			  "nnaccel or for another device: make the model again: %s%s%s",
			  p ? p->name : "", strerror(-ret), log->error[0] ? ": " : "", log->error);
	if (p)
		ort_program_destroy(&p->compute);
	return status;
}
