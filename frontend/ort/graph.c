// SPDX-License-Identifier: MIT
#include "frontend/ort/graph.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LIST (1u << 24)
/* A program in a node EPContext is text. */
#define MAX_TEXT (1u << 31)

/**
 * struct reader - one run
 * @copy: constants are copied
 */
struct reader {
	const struct ort_api *api;
	struct onnx_model *model;
	bool copy;
	char *error;
};

static int refuse(struct reader *r, const char *what)
{
	snprintf(r->error, ONNX_ERROR_SIZE, "%s", what);
	return -EINVAL;
}

static int no_memory(struct reader *r)
{
	snprintf(r->error, ONNX_ERROR_SIZE, "no memory");
	return -ENOMEM;
}

const char *ort_graph_name(const struct ort_api *api, const void *value)
{
	const char *name = NULL;

	return value && ort_get(api, ORT_VALUE_NAME, value, &name) && name ? name : "";
}

/* Type and dims of a tensor's description. Return: false for more dimensions than there may be. */
static bool read_info(const struct ort_api *api, const void *info, struct onnx_tensor *to)
{
	struct ort_status *(*dims)(const void *, int64_t *, size_t) =
		(struct ort_status *(*)(const void *, int64_t *, size_t))api->table[ORT_INFO_DIMS];
	size_t rank = 0;
	int type = 0;

	if (!ort_get(api, ORT_INFO_TYPE, info, &type) || !ort_get(api, ORT_INFO_RANK, info, &rank))
		return false;
	to->type = (uint32_t)type;
	to->rank = (uint32_t)rank;
	return rank <= ONNX_MAX_RANK &&
	       (!rank || ort_good(api, dims(info, to->dims, rank), NULL));
}

/* The same of a tensor, without a description, which would be allocated in each run. */
static bool read_shape(const struct ort_api *api, const void *value, struct onnx_tensor *to)
{
	struct ort_status *(*shape)(const void *, int *, const int64_t **, size_t *) =
		(struct ort_status *(*)(const void *, int *, const int64_t **, size_t *))
			api->table[ORT_TENSOR_SHAPE];
	const int64_t *dims = NULL;
	size_t rank = 0;
	int type = 0;

	if (!ort_good(api, shape(value, &type, &dims, &rank), NULL) || rank > ONNX_MAX_RANK ||
	    (rank && !dims))
		return false;
	to->type = (uint32_t)type;
	to->rank = (uint32_t)rank;
	if (rank)
		memcpy(to->dims, dims, rank * sizeof(*dims));
	return true;
}

bool ort_graph_tensor(const struct ort_api *api, const void *value, struct onnx_tensor *to)
{
	void (*release)(void *) = (void (*)(void *))api->table[ORT_RELEASE_INFO];
	void *info = NULL;
	bool good;

	*to = (struct onnx_tensor){ 0 };
	if (api->shapes)
		return read_shape(api, value, to);
	if (!ort_get(api, ORT_VALUE_INFO, value, &info))
		return false;
	good = read_info(api, info, to);
	release(info);
	return good;
}

/* The bytes of a constant. */
static int read_constant(struct reader *r, const void *constant, struct onnx_tensor *to)
{
	size_t size = 0;
	void *data = NULL;
	uint64_t elements;

	if (!ort_graph_tensor(r->api, constant, to)) {
		/* None of ours, or of too many dimensions: what reads it is left to others. */
		*to = (struct onnx_tensor){ .type = ONNX_STRING, .data = "" };
		return 0;
	}
	if (to->type == ONNX_STRING || !onnx_type_bits(to->type)) {
		to->data = "";
		return 0;
	}
	if (!ort_get(r->api, ORT_TENSOR_SIZE, constant, &size) ||
	    !ort_get(r->api, ORT_TENSOR_DATA, constant, &data))
		return refuse(r, "a constant has no bytes");
	if (!onnx_count_elements(to->rank, to->dims, &elements) ||
	    size < onnx_type_bytes(to->type, elements))
		return refuse(r, "a constant has fewer bytes than its shape");
	to->size = (size_t)onnx_type_bytes(to->type, elements);
	to->data = data ? data : "";
	if (r->copy) {
		to->data = onnx_model_allocate(r->model, to->size + 1);
		if (!to->data)
			return no_memory(r);
		if (to->size)
			memcpy((void *)to->data, data, to->size);
	}
	return 0;
}

/* A value of the graph, with what it states. *@number is ONNX_ABSENT for one that is left out. */
static int read_value(struct reader *r, const void *info, uint32_t *number)
{
	const char *name = ort_graph_name(r->api, info);
	const void *type = NULL, *tensor = NULL, *constant = NULL;
	struct onnx_value *value;
	bool is_constant = false;

	*number = ONNX_ABSENT;
	if (!*name)
		return 0;
	*number = onnx_model_value(r->model, name);
	if (*number == ONNX_ABSENT)
		return no_memory(r);
	value = &r->model->values[*number];
	if (value->shaped || value->tensor.data)
		return 0;
	if (ort_get(r->api, ORT_VALUE_TYPE, info, &type) && type &&
	    ort_get(r->api, ORT_TYPE_TENSOR, type, &tensor) && tensor) {
		struct onnx_tensor stated = { 0 };

		value->shaped = read_info(r->api, tensor, &stated);
		if (value->shaped)
			value->tensor = stated;
		for (uint32_t k = 0; k < value->tensor.rank && value->shaped; k++)
			if (value->tensor.dims[k] < 0)
				value->tensor.dims[k] = ONNX_OPEN;
	}
	if (!ort_get(r->api, ORT_IS_CONSTANT, info, &is_constant) || !is_constant ||
	    !ort_get(r->api, ORT_INITIALIZER_VALUE, info, &constant) || !constant)
		return 0;
	value->shaped = true;
	return read_constant(r, constant, &value->tensor);
}

/* ---------------------------------------------------------------------------------------- nodes */

static struct ort_status *read_attribute_data(struct reader *r, const void *attribute, int kind,
					      void *to, size_t size, size_t *needed)
{
	struct ort_status *(*read)(const void *, int, void *, size_t, size_t *) =
		(struct ort_status *(*)(const void *, int, void *, size_t, size_t *))
			r->api->table[ORT_READ_ATTRIBUTE];

	return read(attribute, kind, to, size, needed);
}

static int read_list(struct reader *r, const void *attribute, int kind, size_t element,
		     const void **to, size_t *count)
{
	size_t size = 0;
	void *list;

	/* The first call fails for want of room, and says how much is needed. */
	ort_good(r->api, read_attribute_data(r, attribute, kind, NULL, 0, &size), NULL);
	if (size > (kind == ORT_STRING ? MAX_TEXT : MAX_LIST))
		return refuse(r, "an attribute is too long");
	list = onnx_model_allocate(r->model, size + 8);
	if (!list)
		return no_memory(r);
	if (size && !ort_good(r->api, read_attribute_data(r, attribute, kind, list, size, &size),
			      NULL))
		return refuse(r, "an attribute cannot be read");
	*to = list;
	*count = size / element;
	return 0;
}

static int read_attribute(struct reader *r, const void *attribute, struct onnx_attribute *to)
{
	const char *name = NULL;
	const void *data = NULL;
	size_t count = 0;
	int kind = 0, ret = 0;

	*to = (struct onnx_attribute){ .name = "", .s = "", .kind = ONNX_KIND_OTHER };
	if (!ort_get(r->api, ORT_ATTRIBUTE_NAME, attribute, &name) ||
	    !ort_get(r->api, ORT_ATTRIBUTE_KIND, attribute, &kind))
		return refuse(r, "an attribute has no name");
	to->name = onnx_model_text(r->model, name, strlen(name));
	if (!to->name)
		return no_memory(r);
	switch (kind) {
	case ORT_INT:
		to->kind = ONNX_KIND_INT;
		ret = ort_good(r->api, read_attribute_data(r, attribute, kind, &to->i,
							   sizeof(to->i), &count), NULL);
		return ret ? 0 : refuse(r, "an attribute cannot be read");
	case ORT_FLOAT:
		to->kind = ONNX_KIND_FLOAT;
		ret = ort_good(r->api, read_attribute_data(r, attribute, kind, &to->f,
							   sizeof(to->f), &count), NULL);
		return ret ? 0 : refuse(r, "an attribute cannot be read");
	case ORT_INTS:
		ret = read_list(r, attribute, kind, sizeof(*to->ints), &data, &count);
		to->kind = ONNX_KIND_INTS;
		to->ints = data;
		break;
	case ORT_FLOATS:
		ret = read_list(r, attribute, kind, sizeof(*to->floats), &data, &count);
		to->kind = ONNX_KIND_FLOATS;
		to->floats = data;
		break;
	case ORT_STRING:
		ret = read_list(r, attribute, kind, 1, &data, &count);
		to->kind = ONNX_KIND_STRING;
		to->s = data;
		break;
	}
	to->count = (uint32_t)count;
	return ret;
}

static int read_text(struct reader *r, enum ort_slot slot, const void *node, const char **to)
{
	const char *text = NULL;

	if (!ort_get(r->api, slot, node, &text) || !text)
		text = "";
	*to = onnx_model_text(r->model, text, strlen(text));
	return *to ? 0 : no_memory(r);
}

/*
 * Values that subgraphs of a node read are inputs of it, too, behind its own. No node that has any
 * is translated; they are ways through the graph, and readers.
 */
static int read_node(struct reader *r, const void *node)
{
	size_t inputs, more, outputs, attributes;
	const void **in = ort_list(r->api, ORT_NODE_INPUTS, node, &inputs);
	const void **inside = ort_list(r->api, ORT_NODE_IMPLICIT_INPUTS, node, &more);
	const void **out = ort_list(r->api, ORT_NODE_OUTPUTS, node, &outputs);
	const void **list = ort_list(r->api, ORT_NODE_ATTRIBUTES, node, &attributes);
	struct onnx_node *to;
	int version = 0, ret;

	to = in && inside && out && list && inputs < MAX_LIST && more < MAX_LIST &&
			     outputs < MAX_LIST && attributes < MAX_LIST ?
		     onnx_model_add_node(r->model, (uint32_t)(inputs + more), (uint32_t)outputs,
					 (uint32_t)attributes) : NULL;
	ret = to ? 0 : no_memory(r);
	if (!ret)
		ret = read_text(r, ORT_NODE_NAME, node, &to->name) ?:
		      read_text(r, ORT_NODE_OPERATOR, node, &to->op) ?:
		      read_text(r, ORT_NODE_DOMAIN, node, &to->domain);
	if (!ret && ort_get(r->api, ORT_NODE_VERSION, node, &version))
		to->version = version;
	if (!ret && !strcmp(to->domain, "ai.onnx"))
		to->domain = "";
	for (size_t i = 0; i < inputs && !ret; i++)
		ret = read_value(r, in[i], &to->inputs[to->input_count++]);
	for (size_t i = 0; i < more && !ret; i++)
		ret = read_value(r, inside[i], &to->inputs[to->input_count++]);
	for (size_t i = 0; i < outputs && !ret; i++)
		ret = read_value(r, out[i], &to->outputs[to->output_count++]);
	for (size_t i = 0; i < attributes && !ret; i++)
		ret = read_attribute(r, list[i], &to->attributes[to->attribute_count++]);
	free(in);
	free(inside);
	free(out);
	free(list);
	return ret;
}

/* Inputs or outputs of the graph, or its constants. */
static int read_values(struct reader *r, enum ort_slot slot, const void *graph)
{
	const void **list;
	uint32_t number;
	size_t count;
	int ret = 0;

	list = ort_list(r->api, slot, graph, &count);
	if (!list)
		return no_memory(r);
	for (size_t i = 0; i < count && !ret; i++) {
		ret = read_value(r, list[i], &number);
		if (ret || number == ONNX_ABSENT)
			continue;
		if (slot == ORT_GRAPH_INPUTS && !r->model->values[number].tensor.data &&
		    !onnx_model_add_input(r->model, number))
			ret = no_memory(r);
		if (slot == ORT_GRAPH_OUTPUTS && !onnx_model_add_output(r->model, number))
			ret = no_memory(r);
	}
	free(list);
	return ret;
}

/* What nodes read and nothing in the graph writes, such as values of an outer graph. */
static int add_outer(struct reader *r)
{
	const struct onnx_model *m = r->model;
	bool *known = calloc((size_t)m->value_count + 1, sizeof(*known));
	int ret = 0;

	if (!known)
		return no_memory(r);
	for (uint32_t i = 0; i < m->input_count; i++)
		known[m->inputs[i]] = true;
	for (uint32_t i = 0; i < m->node_count; i++)
		for (uint32_t k = 0; k < m->nodes[i].output_count; k++)
			if (m->nodes[i].outputs[k] != ONNX_ABSENT)
				known[m->nodes[i].outputs[k]] = true;
	for (uint32_t i = 0; i < m->value_count && !ret; i++)
		if (!known[i] && !m->values[i].tensor.data && !onnx_model_add_input(r->model, i))
			ret = no_memory(r);
	free(known);
	return ret;
}

int ort_graph_read(const struct ort_api *api, const void *graph, bool copy, const void ***nodes,
		   struct onnx_model **out, char *error)
{
	struct reader r = { .api = api, .copy = copy, .error = error };
	const void **list = NULL;
	size_t count;
	int ret;

	error[0] = 0;
	r.model = onnx_model_create();
	if (!r.model)
		return no_memory(&r);
	list = ort_list(api, ORT_GRAPH_NODES, graph, &count);
	ret = list ? read_values(&r, ORT_GRAPH_INITIALIZERS, graph) ?:
		     read_values(&r, ORT_GRAPH_INPUTS, graph) : no_memory(&r);
	for (size_t i = 0; i < count && !ret; i++)
		ret = read_node(&r, list[i]);
	ret = ret ?: read_values(&r, ORT_GRAPH_OUTPUTS, graph) ?: add_outer(&r) ?:
	      onnx_model_complete(r.model, error);
	if (!ret && nodes) {
		*nodes = list;
		list = NULL;
	}
	free(list);
	if (ret)
		onnx_model_free(r.model);
	else
		*out = r.model;
	return ret;
}
