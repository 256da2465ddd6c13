// SPDX-License-Identifier: MIT
#include "frontend/ort/saved.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "frontend/ort/ep.h"
#include "frontend/ort/graph.h"

#define DOMAIN "com.microsoft"
#define OPERATOR "EPContext"
#define MAX_ATTRIBUTES 7u
#define MAX_FILE ((size_t)1 << 31)
#define MAX_NAME 255u

static bool is_text(const struct onnx_attribute *attribute, const char *text)
{
	return attribute && attribute->kind == ONNX_KIND_STRING && !strcmp(attribute->s, text);
}

bool ort_saved_is(const struct onnx_node *node)
{
	return !strcmp(node->domain, DOMAIN) && !strcmp(node->op, OPERATOR) &&
	       is_text(onnx_node_attribute(node, "source"), ORT_EP_NAME);
}

/* ---------------------------------------------------------------------------------------- files */

/* The model's file: what a session that saves names, else where the graph is from; "" for none. */
static const char *model_path(const struct ort_api *api, const struct ort_saving *saving,
			      const void *graph)
{
	const char *own = NULL;

	if (saving && *saving->model)
		return saving->model;
	return ort_get(api, ORT_GRAPH_PATH, graph, &own) && own ? own : "";
}

/* Writes the folder of the model's file, with a "/", to @to. Return: false where it has none. */
static bool get_folder(const struct ort_api *api, const struct ort_saving *saving,
		       const void *graph, char *to)
{
	const char *path = model_path(api, saving, graph), *end = strrchr(path, '/');

	if (!*path || strlen(path) >= ORT_SAVED_PATH / 2)
		return false;
	snprintf(to, ORT_SAVED_PATH, "%.*s", end ? (int)(end - path) + 1 : 0, path);
	return true;
}

/* The model's name without its folder and ".onnx", for names of files beside it. */
static void get_stem(const struct ort_api *api, const struct ort_saving *saving, const void *graph,
		     char *to, size_t room)
{
	const char *path = model_path(api, saving, graph), *end = strrchr(path, '/');
	const char *start = end ? end + 1 : path;
	size_t length = strlen(start);

	if (length > 5 && !strcmp(start + length - 5, ".onnx"))
		length -= 5;
	snprintf(to, room, "%.*s", (int)(length < room ? length : room - 1), start);
}

static struct ort_status *write_file(const struct ort_api *api, const char *path, const void *bytes,
				     size_t size)
{
	FILE *file = fopen(path, "wb");
	bool good = file && fwrite(bytes, 1, size, file) == size;

	if (file)
		good &= !fclose(file);
	return good ? NULL : ort_fail(api, ORT_EP_FAIL, "%s cannot be written: %s", path,
				      strerror(errno));
}

/* The bytes of a regular file, which the caller frees. Return: 0 or a negative errno. */
static int read_all(const char *path, void **bytes, size_t *size)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	size_t n = 0;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || (uint64_t)st.st_size > MAX_FILE) {
		close(fd);
		return -EINVAL;
	}
	*size = (size_t)st.st_size;
	*bytes = malloc(*size + 1);
	while (*bytes && n < *size) {
		const ssize_t got = pread(fd, (char *)*bytes + n, *size - n, (off_t)n);

		if (got <= 0)
			break;
		n += (size_t)got;
	}
	close(fd);
	if (*bytes && n == *size)
		return 0;
	free(*bytes);
	*bytes = NULL;
	return n < *size ? -EIO : -ENOMEM;
}

static struct ort_status *read_file(const struct ort_api *api, const char *path, void **bytes,
				    size_t *size)
{
	const int ret = read_all(path, bytes, size);

	if (!ret)
		return NULL;
	return ort_fail(api, ORT_EP_FAIL, "%s, the file of a node EPContext, cannot be read: %s",
			path, ret == -EINVAL ? "it is no file, or beyond 2 GiB" : strerror(-ret));
}

/* ---------------------------------------------------------------------------------------- bytes */

static char *to_digits(const uint8_t *bytes, size_t size)
{
	static const char DIGITS[] = "0123456789abcdef";
	char *text = size < MAX_FILE / 2 ? malloc(2 * size + 1) : NULL;

	for (size_t i = 0; text && i < size; i++) {
		text[2 * i] = DIGITS[bytes[i] >> 4];
		text[2 * i + 1] = DIGITS[bytes[i] & 15];
	}
	if (text)
		text[2 * size] = 0;
	return text;
}

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static struct ort_status *from_digits(const struct ort_api *api, const char *text, size_t length,
				      void **bytes, size_t *size)
{
	uint8_t *to = malloc(length / 2 + 1);
	bool good = to && length % 2 == 0;

	for (size_t i = 0; good && i < length / 2; i++) {
		const int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);

		good = high >= 0 && low >= 0;
		to[i] = (uint8_t)(high << 4 | low);
	}
	if (!good) {
		free(to);
		return ort_fail(api, ORT_EP_FAIL, "the bytes of a node EPContext are damaged: make "
				"the model again");
	}
	*bytes = to;
	*size = length / 2;
	return NULL;
}

/* ---------------------------------------------------------------------------------------- nodes */

/**
 * struct maker - a node under construction
 * @attributes: the runtime's
 */
struct maker {
	const struct ort_api *api;
	struct ort_status *status;
	void *attributes[MAX_ATTRIBUTES];
	size_t count;
};

static void add_attribute(struct maker *m, const char *name, int kind, const void *data,
			  size_t size)
{
	struct ort_status *(*create)(const char *, const void *, int, int, void **) =
		(struct ort_status *(*)(const char *, const void *, int, int, void **))
			m->api->table[ORT_CREATE_ATTRIBUTE];

	if (!m->status)
		m->status = create(name, data, (int)size, kind, &m->attributes[m->count]);
	m->count += !m->status;
}

static void add_text(struct maker *m, const char *name, const char *text)
{
	add_attribute(m, name, ORT_STRING, text, strlen(text));
}

static const char **names_of(const struct ort_api *api, enum ort_slot slot, const void *node,
			     size_t *count)
{
	const void **list = ort_list(api, slot, node, count);

	for (size_t i = 0; list && i < *count; i++)
		list[i] = ort_graph_name(api, list[i]);
	return (const char **)list;
}

static void make_node(struct maker *m, const void *node, const char *name, void **out)
{
	ort_table editor = ((ort_table (*)(void))m->api->table[ORT_EDITOR_API])();
	struct ort_status *(*create)(const char *, const char *, const char *, const char *const *,
				     size_t, const char *const *, size_t, void **, size_t,
				     void **) =
		(struct ort_status *(*)(const char *, const char *, const char *,
					const char *const *, size_t, const char *const *, size_t,
					void **, size_t, void **))editor[ORT_EDITOR_CREATE_NODE];
	size_t inputs, outputs;
	const char **in = names_of(m->api, ORT_NODE_INPUTS, node, &inputs);
	const char **to = names_of(m->api, ORT_NODE_OUTPUTS, node, &outputs);

	if (!in || !to)
		m->status = ort_fail(m->api, ORT_EP_FAIL, "no memory");
	if (!m->status)
		m->status = create(OPERATOR, DOMAIN, name, in, inputs, to, outputs, m->attributes,
				   m->count, out);
	free(in);
	free(to);
}

struct ort_status *ort_saved_create(const struct ort_api *api, const struct ort_saving *saving,
				    const void *graph, const void *node, size_t number,
				    const void *bytes, size_t size, void **out)
{
	void (*release)(void *) = (void (*)(void *))api->table[ORT_RELEASE_ATTRIBUTE];
	char path[ORT_SAVED_PATH], file[256], stem[200];
	const int64_t one = 1, embeds = saving->embeds;
	struct maker m = { .api = api };
	const char *name = NULL;
	char *text = file;

	if (!ort_get(api, ORT_NODE_NAME, node, &name) || !name)
		name = "";
	if (saving->embeds) {
		text = to_digits(bytes, size);
	} else {
		get_stem(api, saving, graph, stem, sizeof(stem));
		snprintf(file, sizeof(file), "%s_nnaccel_%zu.bin", stem, number);
		if (!get_folder(api, saving, graph, path))
			return ort_fail(api, ORT_INVALID_ARGUMENT, "there is no folder for the files "
					"of nodes EPContext: set ep.context_file_path, or "
					"ep.context_embed_mode to 1");
		strncat(path, file, sizeof(path) - strlen(path) - 1);
		m.status = write_file(api, path, bytes, size);
	}
	if (!text)
		m.status = ort_fail(api, ORT_EP_FAIL, "%s: its program is too large for a node", name);
	add_attribute(&m, "main_context", ORT_INT, &one, 1);
	add_attribute(&m, "embed_mode", ORT_INT, &embeds, 1);
	if (text)
		add_text(&m, "ep_cache_context", text);
	add_text(&m, "ep_sdk_version", nna_version());
	add_text(&m, "partition_name", name);
	add_text(&m, "source", ORT_EP_NAME);
	make_node(&m, node, name, out);
	/* Those that a node has taken over are NULL. */
	for (size_t i = 0; i < m.count; i++)
		if (m.attributes[i])
			release(m.attributes[i]);
	if (text != file)
		free(text);
	return m.status;
}

/* Whether it is a name in a folder, and not a way out of it. */
static bool is_file_name(const char *name)
{
	return *name && !strchr(name, '/') && strlen(name) <= MAX_NAME && strcmp(name, ".") &&
	       strcmp(name, "..");
}

struct ort_status *ort_saved_read(const struct ort_api *api, const void *graph,
				  const struct onnx_node *node, void **bytes, size_t *size)
{
	const struct onnx_attribute *context = onnx_node_attribute(node, "ep_cache_context");
	const struct onnx_attribute *mode = onnx_node_attribute(node, "embed_mode");
	char path[ORT_SAVED_PATH], name[64];

	*bytes = NULL;
	*size = 0;
	if (!context || context->kind != ONNX_KIND_STRING)
		return ort_fail(api, ORT_EP_FAIL, "a node EPContext has no ep_cache_context");
	if (!mode || mode->kind != ONNX_KIND_INT || mode->i)
		return from_digits(api, context->s, strlen(context->s), bytes, size);
	if (!is_file_name(context->s) || !get_folder(api, NULL, graph, path)) {
		onnx_printable(context->s, name, sizeof(name));
		return ort_fail(api, ORT_EP_FAIL, "\"%s\", the file of a node EPContext, is not one "
				"of the model's folder", name);
	}
	strncat(path, context->s, sizeof(path) - strlen(path) - 1);
	return read_file(api, path, bytes, size);
}
