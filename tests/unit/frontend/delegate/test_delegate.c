// SPDX-License-Identifier: MIT
/*
 * libnnaccel_delegate.so through the two functions that TFLite calls, on the loopback. The test
 * plays TFLite's part: a subgraph of a few operators on FLOAT32 tensors, partitions that are runs
 * of neighbours, and the one operator that the NNA does not have.
 */
#include "frontend/delegate/tflite_abi.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "frontend/delegate/nnaccel_delegate.h"
#include "frontend/tflite/tflite.h"

struct TfLiteDelegate *tflite_plugin_create_delegate(const char *const *keys,
						     const char *const *values, size_t count,
						     void (*report_error)(const char *message));
void tflite_plugin_destroy_delegate(struct TfLiteDelegate *base);

#define MAX_TENSORS 8
#define MAX_NODES 4
#define MAX_ELEMENTS 16
#define OPTIONAL (-1)
#define END (-2)
#define TYPE_FLOAT32 1
#define ARENA 2

struct ints {
	int size;
	int data[8];
};

/**
 * struct host - an interpreter of one subgraph; functions that LiteRT does not have are NULL
 * @preparing: nodes can be looked at, as in TFLite only then
 * @taken: nodes that the delegate took
 * @kernels: of the partitions, one for each run of nodes
 */
struct host {
	struct TfLiteContext context;
	struct TfLiteTensor tensors[MAX_TENSORS];
	struct ints dims[MAX_TENSORS];
	float data[MAX_TENSORS][MAX_ELEMENTS];
	struct TfLiteNode nodes[MAX_NODES];
	struct TfLiteRegistration registrations[MAX_NODES];
	struct ints inputs[MAX_NODES], outputs[MAX_NODES];
	int32_t options[MAX_NODES][4];
	struct ints plan;
	int node_count, result;
	bool preparing, taken[MAX_NODES];

	struct TfLiteRegistration kernel;
	struct TfLiteNode kernels[MAX_NODES];
	struct TfLiteDelegateParams partitions[MAX_NODES];
	struct ints part_nodes[MAX_NODES], part_inputs[MAX_NODES], part_outputs[MAX_NODES];
	int kernel_count, resized, errors;
};

static struct host *host_of(struct TfLiteContext *context)
{
	return context->impl_;
}

static int get_plan(struct TfLiteContext *context, struct TfLiteIntArray **plan)
{
	*plan = (void *)&host_of(context)->plan;
	return 0;
}

static int get_node(struct TfLiteContext *context, int index, struct TfLiteNode **node,
		    struct TfLiteRegistration **registration)
{
	struct host *h = host_of(context);

	if (!h->preparing || index < 0 || index >= h->node_count)
		return TFLITE_STATUS_ERROR;
	*node = &h->nodes[index];
	*registration = &h->registrations[index];
	return 0;
}

static bool holds(const struct ints *list, int number)
{
	for (int i = 0; i < list->size; i++)
		if (list->data[i] == number)
			return true;
	return false;
}

static void add(struct ints *list, int number)
{
	if (number != OPTIONAL && !holds(list, number))
		list->data[list->size++] = number;
}

/* Whether somebody outside of a partition reads a tensor. */
static bool is_read(const struct host *h, const struct ints *part, int tensor)
{
	for (int i = 0; i < h->node_count; i++)
		if (!holds(part, i) && holds(&h->inputs[i], tensor))
			return true;
	return tensor == h->result;
}

static int preview(struct TfLiteContext *context, const struct TfLiteIntArray *nodes,
		   struct TfLiteDelegateParams **partitions, int *count)
{
	struct host *h = host_of(context);
	int n = 0, before = -2;

	for (int i = 0; i < nodes->size; i++) {
		int node = nodes->data[i];

		if (node != before + 1) {
			h->part_nodes[n].size = 0;
			n++;
		}
		before = node;
		add(&h->part_nodes[n - 1], node);
	}
	for (int i = 0; i < n; i++) {
		struct ints written = { 0 };

		h->part_inputs[i].size = 0;
		h->part_outputs[i].size = 0;
		for (int k = 0; k < h->part_nodes[i].size; k++) {
			int node = h->part_nodes[i].data[k];

			for (int j = 0; j < h->inputs[node].size; j++)
				if (!holds(&written, h->inputs[node].data[j]))
					add(&h->part_inputs[i], h->inputs[node].data[j]);
			add(&written, h->outputs[node].data[0]);
		}
		for (int k = 0; k < written.size; k++)
			if (is_read(h, &h->part_nodes[i], written.data[k]))
				add(&h->part_outputs[i], written.data[k]);
		h->partitions[i].nodes_to_replace = (void *)&h->part_nodes[i];
		h->partitions[i].input_tensors = (void *)&h->part_inputs[i];
		h->partitions[i].output_tensors = (void *)&h->part_outputs[i];
	}
	*partitions = h->partitions;
	*count = n;
	return 0;
}

static int replace(struct TfLiteContext *context, struct TfLiteRegistration registration,
		   const struct TfLiteIntArray *nodes, struct TfLiteDelegate *delegate)
{
	struct host *h = host_of(context);
	struct TfLiteDelegateParams *partitions;

	h->kernel = registration;
	preview(context, nodes, &partitions, &h->kernel_count);
	for (int i = 0; i < nodes->size; i++)
		h->taken[nodes->data[i]] = true;
	for (int i = 0; i < h->kernel_count; i++) {
		partitions[i].delegate = delegate;
		h->kernels[i].user_data = registration.init(context, (void *)&partitions[i], 0);
		assert_non_null(h->kernels[i].user_data);
	}
	return 0;
}

static int resize(struct TfLiteContext *context, struct TfLiteTensor *tensor, int rank,
		  const int *dims)
{
	struct host *h = host_of(context);

	tensor->dims->size = rank;
	tensor->bytes = sizeof(float);
	for (int i = 0; i < rank; i++) {
		tensor->dims->data[i] = dims[i];
		tensor->bytes *= (size_t)dims[i];
	}
	h->resized++;
	return 0;
}

static int resize_and_free(struct TfLiteContext *context, struct TfLiteTensor *tensor,
			   struct TfLiteIntArray *dims)
{
	resize(context, tensor, dims->size, dims->data);
	free(dims);
	return 0;
}

static void report(struct TfLiteContext *context, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	host_of(context)->errors++;
}

static struct host *new_host(void)
{
	struct host *h = calloc(1, sizeof(*h));

	assert_non_null(h);
	h->context = (struct TfLiteContext){
		.tensors = h->tensors,
		.impl_ = h,
		.GetExecutionPlan = get_plan,
		.ReportError = report,
		.GetNodeAndRegistration = get_node,
		.ReplaceNodeSubsetsWithDelegateKernels = replace,
		.ResizeTensor = resize_and_free,
		.PreviewDelegatePartitioning = preview,
	};
	return h;
}

static int add_tensor(struct host *h, int rows, int columns, const float *constant)
{
	int index = (int)h->context.tensors_size++;
	struct TfLiteTensor *x = &h->tensors[index];

	h->dims[index] = (struct ints){ columns ? 2 : 1, { rows, columns } };
	*x = (struct TfLiteTensor){
		.type = TYPE_FLOAT32,
		.data = h->data[index],
		.dims = (void *)&h->dims[index],
		.allocation_type = constant ? TFLITE_ALLOCATION_MMAP_RO : ARENA,
		.bytes = (size_t)rows * (columns ? (size_t)columns : 1) * sizeof(float),
		.name = "x",
	};
	if (constant)
		memcpy(h->data[index], constant, x->bytes);
	return index;
}

/* An operator on tensors @inputs, ended by END, with its options, an activation first. */
static void add_node(struct host *h, int code, const int *inputs, int output, int activation)
{
	int index = h->node_count++;

	for (int i = 0; inputs[i] != END; i++)
		h->inputs[index].data[h->inputs[index].size++] = inputs[i];
	add(&h->outputs[index], output);
	h->options[index][0] = activation;
	h->nodes[index] = (struct TfLiteNode){
		.inputs = (void *)&h->inputs[index],
		.outputs = (void *)&h->outputs[index],
		.builtin_data = h->options[index],
	};
	h->registrations[index] = (struct TfLiteRegistration){ .builtin_code = code, .version = 1 };
	h->plan.data[h->plan.size++] = index;
	h->result = output;
}

static void attach(struct host *h, struct TfLiteDelegate *delegate)
{
	h->preparing = true;
	assert_int_equal(delegate->Prepare(&h->context, delegate), TFLITE_STATUS_OK);
	h->preparing = false;
}

static void prepare(struct host *h)
{
	for (int i = 0; i < h->kernel_count; i++)
		assert_int_equal(h->kernel.prepare(&h->context, &h->kernels[i]), TFLITE_STATUS_OK);
}

static void invoke(struct host *h)
{
	for (int i = 0; i < h->kernel_count; i++)
		assert_int_equal(h->kernel.invoke(&h->context, &h->kernels[i]), TFLITE_STATUS_OK);
}

static void free_host(struct host *h)
{
	for (int i = 0; i < h->kernel_count; i++)
		h->kernel.free(&h->context, h->kernels[i].user_data);
	assert_int_equal(h->errors, 0);
	free(h);
}

static struct TfLiteDelegate *loopback(void)
{
	const char *const keys[] = { "device", "priority", "deadline_ms", "log_level", "threads" };
	const char *const values[] = { "loopback", "high", "600000", "error", "2" };
	struct TfLiteDelegate *delegate = tflite_plugin_create_delegate(keys, values, 5, NULL);

	assert_non_null(delegate);
	return delegate;
}

/* c = relu(a + b); d = c * b */
static struct host *add_and_multiply(int *a, int *b, int *d)
{
	struct host *h = new_host();
	int c;

	*a = add_tensor(h, 1, 4, NULL);
	*b = add_tensor(h, 1, 4, NULL);
	c = add_tensor(h, 1, 4, NULL);
	*d = add_tensor(h, 1, 4, NULL);
	add_node(h, TFLITE_ADD, (int[]){ *a, *b, END }, c, TFLITE_ACT_RELU);
	add_node(h, TFLITE_MUL, (int[]){ c, *b, END }, *d, TFLITE_ACT_NONE);
	return h;
}

static void a_subgraph_is_taken_whole(void **state)
{
	static const float x[] = { 1, -2, 3, -4 }, y[] = { 2, 1, -1, 5 };
	static const float expected[] = { 6, 0, -2, 5 };
	struct TfLiteDelegate *delegate = loopback();
	float elsewhere[4] = { 0, 0, 0, 0 };
	int a, b, d;
	struct host *h = add_and_multiply(&a, &b, &d);

	attach(h, delegate);
	assert_int_equal(h->kernel_count, 1);
	assert_true(h->taken[0] && h->taken[1]);
	prepare(h);
	memcpy(h->data[a], x, sizeof(x));
	memcpy(h->data[b], y, sizeof(y));
	invoke(h);
	assert_memory_equal(h->data[d], expected, sizeof(expected));
	/* Memory may move between runs. */
	h->tensors[d].data = elsewhere;
	invoke(h);
	assert_memory_equal(elsewhere, expected, sizeof(expected));
	free_host(h);
	tflite_plugin_destroy_delegate(delegate);
}

static void inputs_are_resized(void **state)
{
	struct TfLiteDelegate *delegate = loopback();
	int a, b, d;
	struct host *h = add_and_multiply(&a, &b, &d);

	/* Before the delegate is attached, when nothing that follows has another shape yet; */
	resize(&h->context, &h->tensors[a], 2, (int[]){ 2, 3 });
	resize(&h->context, &h->tensors[b], 2, (int[]){ 2, 3 });
	attach(h, delegate);
	assert_int_equal(h->kernel_count, 1);
	prepare(h);
	assert_int_equal(h->tensors[d].dims->data[0], 2);
	assert_int_equal(h->tensors[d].dims->data[1], 3);
	/* and behind it. */
	resize(&h->context, &h->tensors[a], 2, (int[]){ 3, 5 });
	resize(&h->context, &h->tensors[b], 2, (int[]){ 3, 5 });
	prepare(h);
	assert_int_equal(h->tensors[d].bytes, 15 * sizeof(float));
	for (int i = 0; i < 15; i++) {
		h->data[a][i] = (float)i;
		h->data[b][i] = 2;
	}
	invoke(h);
	for (int i = 0; i < 15; i++)
		assert_true(h->data[d][i] == 2 * (float)(i + 2));
	/* What has the same shapes is not compiled, nor resized, again. */
	h->resized = 0;
	prepare(h);
	assert_int_equal(h->resized, 0);
	free_host(h);
	tflite_plugin_destroy_delegate(delegate);
}

static void what_the_nna_has_not_is_left(void **state)
{
	struct TfLiteDelegate *delegate = loopback();
	struct host *h = new_host();
	int x[6];

	for (int i = 0; i < 5; i++)
		x[i] = add_tensor(h, 1, 4, NULL);
	add_node(h, TFLITE_ADD, (int[]){ x[0], x[1], END }, x[2], TFLITE_ACT_NONE);
	add_node(h, TFLITE_WHERE, (int[]){ x[2], x[1], END }, x[3], 0);
	add_node(h, TFLITE_MUL, (int[]){ x[3], x[1], END }, x[4], TFLITE_ACT_NONE);
	attach(h, delegate);
	assert_int_equal(h->kernel_count, 2);
	assert_true(h->taken[0] && !h->taken[1] && h->taken[2]);
	prepare(h);
	for (int i = 0; i < 4; i++) {
		h->data[x[0]][i] = (float)i;
		h->data[x[1]][i] = 3;
	}
	assert_int_equal(h->kernel.invoke(&h->context, &h->kernels[0]), TFLITE_STATUS_OK);
	for (int i = 0; i < 4; i++) {
		assert_true(h->data[x[2]][i] == (float)i + 3);
		h->data[x[3]][i] = h->data[x[2]][i] * 10;
	}
	assert_int_equal(h->kernel.invoke(&h->context, &h->kernels[1]), TFLITE_STATUS_OK);
	for (int i = 0; i < 4; i++)
		assert_true(h->data[x[4]][i] == ((float)i + 3) * 30);
	free_host(h);
	tflite_plugin_destroy_delegate(delegate);
}

/* As Interpreter::SetBufferHandle() does it. */
static void give_handle(struct host *h, int tensor, int handle, struct TfLiteDelegate *delegate)
{
	struct TfLiteTensor *x = &h->tensors[tensor];

	if (x->delegate && x->buffer_handle != -1)
		x->delegate->FreeBufferHandle(&h->context, x->delegate, &x->buffer_handle);
	x->delegate = delegate;
	x->buffer_handle = handle;
}

static void buffers_are_used_in_place(void **state)
{
	static const float x[] = { 1, -2, 3, -4 }, y[] = { 2, 1, -1, 5 };
	static const float expected[] = { 6, 0, -2, 5 }, twice[] = { 8, 2, -0.0f, 30 };
	struct TfLiteDelegate *delegate = loopback();
	int a, b, d, in[2], out, wrong;
	struct host *h = add_and_multiply(&a, &b, &d);

	attach(h, delegate);
	prepare(h);
	for (int i = 0; i < 2; i++)
		in[i] = nnaccel_delegate_add_buffer(delegate, -1, 4096);
	out = nnaccel_delegate_add_buffer(delegate, -1, 64);
	assert_true(in[0] >= 0 && in[1] > in[0] && out > in[1]);
	memcpy(nnaccel_delegate_map_buffer(delegate, in[0]), x, sizeof(x));
	memcpy(h->data[b], y, sizeof(y));
	give_handle(h, a, in[0], delegate);
	give_handle(h, d, out, delegate);
	invoke(h);
	/* The result is where it belongs, and nowhere else until TFLite asks for it. */
	assert_memory_equal(nnaccel_delegate_map_buffer(delegate, out), expected, sizeof(x));
	assert_true(h->tensors[d].data_is_stale && !h->data[d][0]);
	assert_int_equal(delegate->CopyFromBufferHandle(&h->context, delegate, out,
							&h->tensors[d]), TFLITE_STATUS_OK);
	assert_memory_equal(h->data[d], expected, sizeof(expected));
	/* Another buffer for the next run, as of a camera, and one that TFLite fills. */
	memcpy(h->data[a], (float[]){ 2, 1, 1, 1 }, sizeof(x));
	assert_int_equal(delegate->CopyToBufferHandle(&h->context, delegate, in[1],
						      &h->tensors[a]), TFLITE_STATUS_OK);
	give_handle(h, a, in[1], delegate);
	invoke(h);
	assert_memory_equal(nnaccel_delegate_map_buffer(delegate, out), twice, sizeof(twice));
	/* Without handles all is as before. */
	give_handle(h, a, -1, delegate);
	give_handle(h, d, -1, delegate);
	memcpy(h->data[a], x, sizeof(x));
	invoke(h);
	assert_memory_equal(h->data[d], expected, sizeof(expected));
	assert_false(h->tensors[d].data_is_stale);
	/* What is gone, or too small, is refused. */
	assert_int_equal(nnaccel_delegate_remove_buffer(delegate, in[1]), 0);
	assert_int_equal(nnaccel_delegate_remove_buffer(delegate, in[1]), -ENOENT);
	assert_null(nnaccel_delegate_map_buffer(delegate, in[1]));
	wrong = nnaccel_delegate_add_buffer(delegate, -1, 8);
	assert_true(wrong > out);
	for (int i = 0; i < 2; i++) {
		give_handle(h, a, i ? wrong : in[1], delegate);
		assert_int_equal(h->kernel.invoke(&h->context, &h->kernels[0]),
				 TFLITE_STATUS_ERROR);
		assert_int_equal(delegate->CopyFromBufferHandle(&h->context, delegate,
								h->tensors[a].buffer_handle,
								&h->tensors[a]),
				 TFLITE_STATUS_ERROR);
	}
	assert_int_equal(h->errors, 4);
	h->errors = 0;
	free_host(h);
	tflite_plugin_destroy_delegate(delegate);
}

/* Memory of somebody else, by its descriptor: on the loopback, a memfd. */
static void buffers_are_shared(void **state)
{
	struct TfLiteDelegate *delegate = loopback();
	int fd = memfd_create("tensor", 0), a, b, d, handle;
	struct host *h = add_and_multiply(&a, &b, &d);
	static const float x[] = { 1, 2, 3, 4 };

	assert_int_equal(ftruncate(fd, 4096), 0);
	assert_int_equal(pwrite(fd, x, sizeof(x), 0), sizeof(x));
	attach(h, delegate);
	prepare(h);
	handle = nnaccel_delegate_add_buffer(delegate, fd, 4096);
	assert_true(handle >= 0);
	close(fd);
	give_handle(h, a, handle, delegate);
	for (int i = 0; i < 4; i++)
		h->data[b][i] = 1;
	invoke(h);
	assert_memory_equal(h->data[d], ((float[]){ 2, 3, 4, 5 }), sizeof(x));
	free_host(h);
	tflite_plugin_destroy_delegate(delegate);
}

/* h' = 2 x + h / 2, of one unit; where @shared, an operator that is left reads the state, too. */
static struct host *recurrent(int *x, int *state, int *y, bool shared)
{
	static const float weights = 2, recurrent = 0.5f, bias;
	struct host *h = new_host();
	int w, r, b, z;

	*x = add_tensor(h, 1, 1, NULL);
	w = add_tensor(h, 1, 1, &weights);
	r = add_tensor(h, 1, 1, &recurrent);
	b = add_tensor(h, 1, 0, &bias);
	*state = add_tensor(h, 1, 1, NULL);
	h->tensors[*state].is_variable = true;
	*y = add_tensor(h, 1, 1, NULL);
	add_node(h, TFLITE_RNN, (int[]){ *x, w, r, b, *state, END }, *y, TFLITE_ACT_NONE);
	if (shared) {
		z = add_tensor(h, 1, 1, NULL);
		add_node(h, TFLITE_WHERE, (int[]){ *y, *state, END }, z, 0);
	}
	return h;
}

static void state_is_kept_and_reset(void **state)
{
	struct TfLiteDelegate *delegate = loopback();
	int x, variable, y;
	struct host *h = recurrent(&x, &variable, &y, false);

	attach(h, delegate);
	assert_int_equal(h->kernel_count, 1);
	prepare(h);
	for (int round = 0; round < 2; round++) {
		h->data[x][0] = 1;
		invoke(h);
		assert_true(h->data[y][0] == 2);
		invoke(h);
		assert_true(h->data[y][0] == 3);
		invoke(h);
		assert_true(h->data[y][0] == 3.5f);
		/* This is all that an interpreter does to reset its variables. */
		h->data[variable][0] = 0;
	}
	free_host(h);
	h = recurrent(&x, &variable, &y, true);
	attach(h, delegate);
	assert_int_equal(h->kernel_count, 0);
	free_host(h);
	tflite_plugin_destroy_delegate(delegate);
}

static void interpreters_share_a_delegate(void **state)
{
	struct TfLiteDelegate *delegate = loopback();
	int a[2], b[2], d[2];
	struct host *h[2];

	for (int i = 0; i < 2; i++) {
		h[i] = add_and_multiply(&a[i], &b[i], &d[i]);
		attach(h[i], delegate);
		prepare(h[i]);
		h[i]->data[a[i]][3] = (float)i;
		h[i]->data[b[i]][3] = 1;
	}
	for (int i = 0; i < 2; i++) {
		invoke(h[i]);
		assert_true(h[i]->data[d[i]][3] == (float)i + 1);
	}
	free_host(h[0]);
	invoke(h[1]);
	free_host(h[1]);
	tflite_plugin_destroy_delegate(delegate);
}

/** struct runner - a thread with an interpreter of its own; @wrong counts results */
struct runner {
	struct TfLiteDelegate *delegate;
	float value;
	int wrong;
};

/* No assertion of cmocka's may fail in a thread. */
static void *run_often(void *data)
{
	struct runner *r = data;
	int a, b, d;
	struct host *h = add_and_multiply(&a, &b, &d);

	h->preparing = true;
	r->wrong += r->delegate->Prepare(&h->context, r->delegate) != TFLITE_STATUS_OK;
	h->preparing = false;
	r->wrong += h->kernel_count != 1;
	for (int i = 0; i < h->kernel_count; i++)
		r->wrong += h->kernel.prepare(&h->context, &h->kernels[i]) != TFLITE_STATUS_OK;
	for (int i = 0; i < 50; i++) {
		h->data[a][0] = r->value + (float)i;
		h->data[b][0] = 1;
		for (int k = 0; k < h->kernel_count; k++)
			r->wrong += h->kernel.invoke(&h->context, &h->kernels[k]) !=
				    TFLITE_STATUS_OK;
		r->wrong += h->data[d][0] != r->value + (float)i + 1;
	}
	for (int i = 0; i < h->kernel_count; i++)
		h->kernel.free(&h->context, h->kernels[i].user_data);
	free(h);
	return NULL;
}

static void threads_share_a_delegate(void **state)
{
	struct TfLiteDelegate *delegate = loopback();
	struct runner runners[3];
	pthread_t threads[3];

	for (int i = 0; i < 3; i++) {
		runners[i] = (struct runner){ .delegate = delegate, .value = (float)i * 100 };
		assert_int_equal(pthread_create(&threads[i], NULL, run_often, &runners[i]), 0);
	}
	for (int i = 0; i < 3; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(runners[i].wrong, 0);
	tflite_plugin_destroy_delegate(delegate);
}

static char reported[512];

static void keep_report(const char *message)
{
	snprintf(reported, sizeof(reported), "%s", message);
}

static void takes_nothing(struct TfLiteDelegate *delegate)
{
	int a, b, d;
	struct host *h = add_and_multiply(&a, &b, &d);

	assert_non_null(delegate);
	attach(h, delegate);
	assert_int_equal(h->kernel_count, 0);
	assert_int_equal(nnaccel_delegate_add_buffer(delegate, -1, 64), -ENODEV);
	free_host(h);
	tflite_plugin_destroy_delegate(delegate);
}

static void options_are_checked(void **state)
{
	static const struct {
		const char *key, *value, *said;
	} bad[] = {
		{ "devise", "loopback", "devise" },
		{ "device", "", "device" },
		{ "device", "/dev/accel/none", "/dev/accel/none" },
		{ "device", "loopbak", "loopbak" },
		{ "threads", "65", "65" },
		{ "threads", "-1", "-1" },
		{ "threads", "two", "two" },
		{ "priority", "urgent", "urgent" },
		{ "deadline_ms", "-1", "-1" },
		{ "deadline_ms", "5s", "5s" },
		{ "log_level", "7", "7" },
		{ "cache_dir", "", "cache_dir" },
		{ "cache_dir", "/none/cache", "/none/cache" },
		{ "cache_dir", "/dev/null", "/dev/null" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		reported[0] = 0;
		assert_null(tflite_plugin_create_delegate(&bad[i].key, &bad[i].value, 1,
							  keep_report));
		assert_non_null(strstr(reported, bad[i].said));
		takes_nothing(tflite_plugin_create_delegate(&bad[i].key, &bad[i].value, 1, NULL));
	}
}

/* Runs the two operators with a cache, which has one file then. Return: its inode. */
static ino_t run_with_cache(const char *folder, char *path, size_t size)
{
	static const float x[] = { 1, -2, 3, -4 }, y[] = { 2, 1, -1, 5 };
	static const float expected[] = { 6, 0, -2, 5 };
	const char *keys[] = { "device", "cache_dir" }, *values[] = { "loopback", folder };
	struct TfLiteDelegate *delegate;
	struct dirent *entry;
	struct stat info;
	uint32_t files = 0;
	int a, b, d;
	struct host *h = add_and_multiply(&a, &b, &d);
	DIR *dir;

	delegate = tflite_plugin_create_delegate(keys, values, 2, NULL);
	attach(h, delegate);
	assert_int_equal(h->kernel_count, 1);
	prepare(h);
	memcpy(h->data[a], x, sizeof(x));
	memcpy(h->data[b], y, sizeof(y));
	invoke(h);
	assert_memory_equal(h->data[d], expected, sizeof(expected));
	free_host(h);
	tflite_plugin_destroy_delegate(delegate);
	dir = opendir(folder);
	assert_non_null(dir);
	while ((entry = readdir(dir)))
		if (entry->d_name[0] != '.') {
			files++;
			snprintf(path, size, "%s/%s", folder, entry->d_name);
		}
	closedir(dir);
	assert_int_equal(files, 1);
	assert_int_equal(stat(path, &info), 0);
	assert_true(info.st_size > 100);
	return info.st_ino;
}

/* A file that is written anew is another one; while the old one is kept, it has its number. */
static void programs_are_cached(void **state)
{
	char folder[] = "/tmp/test_delegate.XXXXXX", path[512], old[512];
	ino_t first;

	assert_non_null(mkdtemp(folder));
	first = run_with_cache(folder, path, sizeof(path));
	/* What is there is used. */
	assert_true(run_with_cache(folder, path, sizeof(path)) == first);
	/* What is damaged is not, but replaced. */
	snprintf(old, sizeof(old), "%s/.old", folder);
	assert_int_equal(link(path, old), 0);
	assert_int_equal(truncate(path, 150), 0);
	assert_true(run_with_cache(folder, path, sizeof(path)) != first);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(unlink(old), 0);
	assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_subgraph_is_taken_whole),
		cmocka_unit_test(inputs_are_resized),
		cmocka_unit_test(what_the_nna_has_not_is_left),
		cmocka_unit_test(buffers_are_used_in_place),
		cmocka_unit_test(buffers_are_shared),
		cmocka_unit_test(state_is_kept_and_reset),
		cmocka_unit_test(interpreters_share_a_delegate),
		cmocka_unit_test(threads_share_a_delegate),
		cmocka_unit_test(options_are_checked),
		cmocka_unit_test(programs_are_cached),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
