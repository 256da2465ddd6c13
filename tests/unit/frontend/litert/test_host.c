// SPDX-License-Identifier: MIT
/*
 * Both libraries as LiteRT loads them, of both generations, on the loopback (host.h). What they
 * compute is compared with the same model's run by libnnaccel.
 */
#include "tests/unit/frontend/litert/host.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "frontend/litert/module.h"
#include "frontend/tflite/translate.h"
#include "tests/unit/frontend/tflite/conv_model.h"

#define SHARED "../shared/models/mobilenet_v1_0.25_128_quant.tflite"
#define KIND 117
#define THREADS 4
#define RUNS 5

/* A model, its module, and what a run of it gives. */
struct fixture {
	struct LiteRtModelT model;
	uint8_t *module, *input, *output;
	size_t module_size, input_size, output_size;
	struct LiteRtRankedTensorType input_shape, output_shape;
};

static struct LiteRtCompilerContext compiler;
static struct LiteRtRuntimeContext runtime;

static void tensor_of(const struct fixture *f, const struct tflite_ints *list,
		      struct LiteRtRankedTensorType *shape, size_t *size)
{
	const struct tflite_tensor *tensor = &f->model.sub.sub->tensors[list->at[0]];

	host_shape(tensor, shape);
	*size = tensor->elements * tflite_type_size(tensor->type);
}

/* What libnnaccel itself computes. */
static void compute(struct fixture *f, const uint8_t *file, size_t size)
{
	const struct nna_device_options options = { .threads = 1 };
	struct nna_execution *execution;
	char error[TFLITE_ERROR_SIZE];
	struct nna_program *program;
	struct tflite_model *model;
	struct nna_device *device;
	struct nna_graph *graph;

	assert_int_equal(nna_device_open("loopback", &options, &device), 0);
	assert_int_equal(tflite_parse(file, size, &model, error), 0);
	assert_int_equal(tflite_to_graph(model, NULL, &graph, NULL, error), 0);
	assert_int_equal(nna_program_create(device, graph, NULL, &program), 0);
	assert_int_equal(nna_execution_create(program, &execution), 0);
	assert_int_equal(nna_execution_set_input(execution, 0, 0, NULL, f->input,
						 f->input_size), 0);
	assert_int_equal(nna_execution_set_output(execution, 0, 0, NULL, f->output,
						  f->output_size), 0);
	assert_int_equal(nna_execution_compute(execution), 0);
	nna_execution_destroy(execution);
	nna_program_destroy(program);
	nna_graph_unref(graph);
	tflite_free(model);
	nna_device_close(device);
}

/* Compiles a model by the plug-in, all in one partition. */
static void compile(const struct host_library *l, struct fixture *f)
{
	struct LiteRtOpListT list = { 0 };
	struct litert_plugin *plugin;
	struct litert_result *result;
	const void *bytes, *name;
	size_t size, module;

	assert_int_equal(l->create(&compiler, &plugin, NULL, NULL), LITERT_OK);
	assert_int_equal(l->partition(plugin, NULL, &f->model.sub, &list), LITERT_OK);
	assert_int_equal(list.count, f->model.sub.sub->operator_count);
	for (size_t i = 0; i < list.count; i++) {
		assert_ptr_equal(list.ops[i], &f->model.sub.ops[i]);
		assert_int_equal(list.partitions[i], list.partitions[0]);
	}
	assert_int_equal(l->compile(plugin, NULL, &f->model, &result), LITERT_OK);
	assert_int_equal(l->get_byte_code(result, 0, &bytes, &size), LITERT_OK);
	assert_int_equal(l->get_byte_code(result, 1, &bytes, &size), LITERT_INVALID_ARGUMENT);
	assert_int_equal(l->get_call(result, 0, &name, &size, &module), LITERT_OK);
	assert_int_equal(size, strlen("partition_0"));
	assert_memory_equal(name, "partition_0", size);
	assert_int_equal(l->get_call(result, 1, &name, &size, &module), LITERT_INVALID_ARGUMENT);
	assert_int_equal(l->get_byte_code(result, 0, &bytes, &f->module_size), LITERT_OK);
	f->module = malloc(f->module_size);
	assert_non_null(f->module);
	memcpy(f->module, bytes, f->module_size);
	l->destroy_result(result);
	l->destroy(plugin);
}

static void open_fixture(const struct host_library *l, struct fixture *f, const uint8_t *file,
			 size_t size)
{
	*f = (struct fixture){ 0 };
	host_open(&f->model, file, size);
	tensor_of(f, &f->model.sub.sub->inputs, &f->input_shape, &f->input_size);
	tensor_of(f, &f->model.sub.sub->outputs, &f->output_shape, &f->output_size);
	f->input = malloc(f->input_size);
	f->output = calloc(1, f->output_size);
	assert_non_null(f->input);
	assert_non_null(f->output);
	for (size_t i = 0; i < f->input_size; i++)
		f->input[i] = (uint8_t)(i * 37 + i / 64);
	compute(f, file, size);
	compile(l, f);
}

static void close_fixture(struct fixture *f)
{
	host_close(&f->model);
	free(f->module);
	free(f->input);
	free(f->output);
}

/* The small model. */
static void open_conv(const struct host_library *l, struct fixture *f, struct writer **w)
{
	*w = conv_model(0);
	open_fixture(l, f, (*w)->bytes, (*w)->size);
}

static int invocation_of(const struct host_library *l, struct litert_context *context,
			 const void *module, size_t size, const char *name,
			 struct litert_invocation **out)
{
	const struct LiteRtMemBuffer bytes = { -1, module, 0, size, 0 };

	return l->basic->invocation_context_create(&runtime, context, LITERT_EXECUTABLE_BYTES,
						   &bytes, name, 1, 1, out);
}

static void *memory_of(const struct host_library *l, struct LiteRtTensorBufferT *buffer)
{
	void *memory = buffer->host;

	if (buffer->info)
		assert_int_equal(l->buffers->lock(buffer->info, 1, &memory), LITERT_OK);
	return memory;
}

/* A buffer of the kind that the requirements name first, or of host memory. */
static void make_buffer(const struct host_library *l, struct litert_invocation *v, bool input,
			bool host, const struct LiteRtRankedTensorType *shape,
			struct LiteRtTensorBufferT *to)
{
	struct LiteRtTensorBufferRequirementsT *needs;

	assert_int_equal((input ? l->basic->get_input_requirements :
			  l->basic->get_output_requirements)(v, 0, shape, &needs), LITERT_OK);
	*to = (struct LiteRtTensorBufferT){
		.type = host ? LITERT_HOST_MEMORY : needs->types[0],
		.shape = *shape,
		.size = needs->size,
	};
	if (host) {
		to->host = aligned_alloc(64, (needs->size + 63) / 64 * 64);
		assert_non_null(to->host);
	} else {
		assert_int_equal(to->type, KIND);
		assert_int_equal(l->buffers->create(NULL, NULL, shape, to->type, to->size,
						    to->size, &to->info), LITERT_OK);
	}
	free(needs);
}

static void free_buffer(const struct host_library *l, struct LiteRtTensorBufferT *buffer)
{
	if (buffer->info)
		assert_int_equal(l->buffers->destroy(buffer->info), LITERT_OK);
	free(buffer->host);
}

/* Runs a module a few times in a context of its own. */
static void run(const struct host_library *l, const struct fixture *f, bool host, int priority)
{
	const struct LiteRtSchedulingInfo info = {
		.fields_mask = LITERT_HAS_PRIORITY, .job_priority = priority,
	};
	struct LiteRtTensorBufferT in, out;
	struct litert_invocation *v;
	struct litert_context *c;
	uint64_t given, taken;

	assert_int_equal(l->basic->device_context_create(&runtime, NULL, &c), LITERT_OK);
	assert_int_equal(invocation_of(l, c, f->module, f->module_size, "partition_0", &v),
			 LITERT_OK);
	make_buffer(l, v, true, host, &f->input_shape, &in);
	make_buffer(l, v, false, host, &f->output_shape, &out);
	assert_int_equal(l->basic->register_tensor_buffer(c, &in, &given), LITERT_OK);
	assert_int_equal(l->basic->register_tensor_buffer(c, &out, &taken), LITERT_OK);
	assert_int_equal(l->basic->attach_input(v, 0, given), LITERT_OK);
	assert_int_equal(l->basic->attach_output(v, 0, taken), LITERT_OK);
	for (int i = 0; i < RUNS; i++) {
		memcpy(memory_of(l, &in), f->input, f->input_size);
		memset(memory_of(l, &out), 0xee, f->output_size);
		assert_int_equal(l->basic->invocation_context_set_scheduling_info(
					 v, i % 2 ? &info : NULL), LITERT_OK);
		assert_int_equal(l->basic->invoke(v), LITERT_OK);
		assert_memory_equal(memory_of(l, &out), f->output, f->output_size);
	}
	assert_int_equal(l->basic->detach_input(v, 0, given), LITERT_OK);
	assert_int_equal(l->basic->detach_output(v, 0, taken), LITERT_OK);
	assert_int_equal(l->basic->unregister_tensor_buffer(c, given), LITERT_OK);
	assert_int_equal(l->basic->unregister_tensor_buffer(c, taken), LITERT_OK);
	assert_int_equal(l->basic->unregister_tensor_buffer(c, taken), LITERT_NOT_FOUND);
	assert_int_equal(l->basic->invocation_context_destroy(v), LITERT_OK);
	assert_int_equal(l->basic->device_context_destroy(c), LITERT_OK);
	free_buffer(l, &in);
	free_buffer(l, &out);
}

static void run_generation(const struct host_library *l)
{
	struct fixture f;
	struct writer *w;

	assert_int_equal(l->basic->initialize(&runtime, NULL, NULL), LITERT_OK);
	open_conv(l, &f, &w);
	run(l, &f, false, 0);
	run(l, &f, true, 1000);
	close_fixture(&f);
	free(w);
}

static void by_name(void **state)
{
	struct host_library l = host_by_name();

	/* Room with zeros, for members of later versions. */
	assert_null(l.basic->get_hooks);
	assert_null(l.basic->rest[0]);
	run_generation(&l);
}

static void by_table(void **state)
{
	struct host_library l = host_by_table();

	run_generation(&l);
}

static void a_network(void **state)
{
	struct host_library l = host_by_name();
	char error[TFLITE_ERROR_SIZE];
	struct tflite_model *file;
	struct fixture f;

	if (access(SHARED, R_OK))
		skip();
	assert_int_equal(tflite_load(SHARED, &file, error), 0);
	open_fixture(&l, &f, file->bytes, file->size);
	run(&l, &f, false, 500);
	close_fixture(&f);
	tflite_free(file);
}

/* Tables of LiteRT 2.1, of a later generation, and ones that end too early. */
static void other_interfaces(void **state)
{
	int (*get_api)(struct LiteRtDispatchApi *) = host_symbol(DISPATCH, "LiteRtDispatchGetApi");
	struct host_library l = host_by_name();
	struct LiteRtDispatchApi api = { 0 };
	struct LiteRtCompilerContext c = compiler;
	struct LiteRtRuntimeContext r = runtime;
	struct litert_plugin *plugin = NULL;
	struct litert_context *context = NULL;

	assert_int_equal(get_api(&api), LITERT_WRONG_VERSION);
	assert_null(api.interface);
	api.header = (struct LiteRtAbiHeader){ sizeof(api), LITERT_ABI_MAJOR + 1, 0, 0 };
	assert_int_equal(get_api(&api), LITERT_WRONG_VERSION);
	api.header = (struct LiteRtAbiHeader){ sizeof(api) - 8, LITERT_ABI_MAJOR, 0, 0 };
	assert_int_equal(get_api(&api), LITERT_WRONG_VERSION);
	assert_null(api.interface);

	memcpy(&c, &(void *){ (void *)host_push }, sizeof(void *));
	assert_int_equal(l.create(&c, &plugin, NULL, NULL), LITERT_WRONG_VERSION);
	c.header = (struct LiteRtAbiHeader){ 1048, LITERT_ABI_MAJOR + 1, 0, 0 };
	assert_int_equal(l.create(&c, &plugin, NULL, NULL), LITERT_WRONG_VERSION);
	c.header = (struct LiteRtAbiHeader){ 1040, LITERT_ABI_MAJOR, 0, 0 };
	assert_int_equal(l.create(&c, &plugin, NULL, NULL), LITERT_WRONG_VERSION);
	assert_int_equal(l.create(NULL, &plugin, NULL, NULL), LITERT_WRONG_VERSION);
	assert_int_equal(l.create(&compiler, NULL, NULL, NULL), LITERT_INVALID_ARGUMENT);
	c = compiler;
	c.push_op = NULL;
	assert_int_equal(l.create(&c, &plugin, NULL, NULL), LITERT_WRONG_VERSION);
	assert_null(plugin);

	r.header.struct_size = 384;
	assert_int_equal(l.basic->initialize(&r, NULL, NULL), LITERT_WRONG_VERSION);
	assert_int_equal(l.basic->device_context_create(&r, NULL, &context), LITERT_WRONG_VERSION);
	r.header = (struct LiteRtAbiHeader){ 0 };
	assert_int_equal(l.basic->initialize(&r, NULL, NULL), LITERT_WRONG_VERSION);
	assert_int_equal(l.basic->initialize(NULL, NULL, NULL), LITERT_WRONG_VERSION);
	r = runtime;
	r.get_tensor_buffer_type = NULL;
	assert_int_equal(l.basic->device_context_create(&r, NULL, &context), LITERT_WRONG_VERSION);
	assert_null(context);
}

/* Modules that end early, and numbers in them that lead outside. */
static void hostile_modules(void **state)
{
	struct host_library l = host_by_name();
	struct litert_invocation *v = NULL;
	struct litert_module_head head;
	struct litert_context *c;
	struct fixture f;
	struct writer *w;
	uint8_t *copy;

	open_conv(&l, &f, &w);
	assert_int_equal(l.basic->device_context_create(&runtime, NULL, &c), LITERT_OK);
	for (size_t size = 0; size < f.module_size; size += size < 256 ? 1 : 97) {
		copy = malloc(size + 1);
		assert_non_null(copy);
		memcpy(copy, f.module, size);
		assert_int_equal(invocation_of(&l, c, copy, size, "partition_0", &v),
				 LITERT_INCOMPATIBLE_BYTE_CODE);
		free(copy);
	}
	copy = malloc(f.module_size);
	assert_non_null(copy);
	for (size_t at = 0; at < sizeof(head) + sizeof(struct litert_module_part); at++) {
		memcpy(copy, f.module, f.module_size);
		copy[at] ^= 0x80;
		/* Some numbers only count operators. */
		if (!invocation_of(&l, c, copy, f.module_size, "partition_0", &v))
			l.basic->invocation_context_destroy(v);
	}
	assert_int_equal(invocation_of(&l, c, f.module, f.module_size, "partition_1", &v),
			 LITERT_NOT_FOUND);
	assert_int_equal(invocation_of(&l, c, f.module, f.module_size, "", &v), LITERT_NOT_FOUND);
	assert_int_equal(invocation_of(&l, c, f.module, f.module_size, NULL, &v),
			 LITERT_NOT_FOUND);
	assert_int_equal(invocation_of(&l, c, NULL, f.module_size, "partition_0", &v),
			 LITERT_INCOMPATIBLE_BYTE_CODE);
	assert_int_equal(l.basic->device_context_destroy(c), LITERT_OK);
	free(copy);
	close_fixture(&f);
	free(w);
}

/* A program of another build: the partition is compiled again. */
static void another_build(void **state)
{
	struct host_library l = host_by_name();
	struct litert_module_part part;
	struct litert_module module;
	struct fixture f;
	struct writer *w;

	open_conv(&l, &f, &w);
	assert_int_equal(litert_module_open(f.module, f.module_size, &module), 0);
	litert_module_get(&module, 0, &part);
	assert_true(part.size > 64);
	f.module[part.offset + part.size / 2] ^= 1;
	run(&l, &f, false, 0);
	/* None at all, as for a program whose shapes depend on its inputs. */
	part.size = 0;
	memcpy(f.module + sizeof(module.head), &part, sizeof(part));
	run(&l, &f, false, 0);
	close_fixture(&f);
	free(w);
}

/* Arguments that are wrong, in every call that has some. */
static void mistakes(void **state)
{
	struct host_library l = host_by_name();
	struct LiteRtTensorBufferT in, out, odd;
	struct LiteRtTensorBufferRequirementsT *needs;
	struct LiteRtMemBuffer bytes = { -1, NULL, 0, 0, 0 };
	struct litert_invocation *v;
	struct litert_context *c;
	uint64_t given, taken, handle;
	struct fixture f;
	struct writer *w;

	open_conv(&l, &f, &w);
	bytes.base_addr = f.module;
	bytes.size = f.module_size;
	assert_int_equal(l.basic->device_context_create(&runtime, NULL, &c), LITERT_OK);
	assert_int_equal(l.basic->invocation_context_create(&runtime, c, 3, &bytes, "partition_0",
							    1, 1, &v), LITERT_UNSUPPORTED);
	assert_int_equal(l.basic->invocation_context_create(&runtime, c, LITERT_EXECUTABLE_BYTES,
							    &bytes, "partition_0", 2, 1, &v),
			 LITERT_INVALID_ARGUMENT);
	assert_int_equal(l.basic->invocation_context_create(&runtime, c, LITERT_EXECUTABLE_BYTES,
							    &bytes, "partition_0", 1, -1, &v),
			 LITERT_INVALID_ARGUMENT);
	assert_int_equal(invocation_of(&l, c, f.module, f.module_size, "partition_0", &v),
			 LITERT_OK);
	assert_int_equal(l.basic->get_input_requirements(v, 1, &f.input_shape, &needs),
			 LITERT_INVALID_ARGUMENT);
	assert_int_equal(l.basic->get_output_requirements(v, -1, &f.output_shape, &needs),
			 LITERT_INVALID_ARGUMENT);
	/* LiteRT 2.2 has handlers of our kind only in its first environment. */
	runtime.header.struct_size = 400;
	assert_int_equal(l.basic->get_input_requirements(v, 0, &f.input_shape, &needs), LITERT_OK);
	runtime.header.struct_size = 416;
	assert_int_equal(needs->types[0], LITERT_HOST_MEMORY);
	assert_int_equal(needs->size, f.input_size);
	free(needs);
	/* Nothing is attached. */
	assert_int_equal(l.basic->invoke(v), LITERT_RUNTIME_FAILURE);
	make_buffer(&l, v, true, false, &f.input_shape, &in);
	make_buffer(&l, v, false, false, &f.output_shape, &out);
	odd = in;
	odd.type = 101;
	assert_int_equal(l.basic->register_tensor_buffer(c, &odd, &handle), LITERT_UNSUPPORTED);
	odd.type = LITERT_DMA_BUF;
	assert_int_equal(l.basic->register_tensor_buffer(c, &odd, &handle), LITERT_UNSUPPORTED);
	/* LiteRT lacks what its system lacks. */
	runtime.get_tensor_buffer_dma_buf_buffer = NULL;
	assert_int_equal(l.basic->register_tensor_buffer(c, &odd, &handle), LITERT_UNSUPPORTED);
	runtime.get_tensor_buffer_dma_buf_buffer = host_no_dma_buf;
	odd = in;
	odd.size += 4096;
	assert_int_equal(l.basic->register_tensor_buffer(c, &odd, &handle),
			 LITERT_INVALID_ARGUMENT);
	odd.size = SIZE_MAX;
	assert_int_equal(l.basic->register_tensor_buffer(c, &odd, &handle),
			 LITERT_INVALID_ARGUMENT);
	odd = in;
	odd.size--;
	assert_int_equal(l.basic->register_tensor_buffer(c, &odd, &handle), LITERT_OK);
	assert_int_equal(l.basic->attach_input(v, 0, handle), LITERT_INVALID_ARGUMENT);
	assert_int_equal(l.basic->register_tensor_buffer(c, &in, &given), LITERT_OK);
	assert_int_equal(l.basic->register_tensor_buffer(c, &out, &taken), LITERT_OK);
	assert_int_equal(l.basic->attach_input(v, 0, taken + 1), LITERT_NOT_FOUND);
	assert_int_equal(l.basic->attach_input(v, 1, given), LITERT_INVALID_ARGUMENT);
	assert_int_equal(l.basic->attach_output(v, -1, taken), LITERT_INVALID_ARGUMENT);
	assert_int_equal(l.basic->attach_input(v, 0, given), LITERT_OK);
	assert_int_equal(l.basic->invoke(v), LITERT_RUNTIME_FAILURE);
	assert_int_equal(l.basic->attach_output(v, 0, taken), LITERT_OK);
	assert_int_equal(l.basic->invoke(v), LITERT_OK);
	/* What is attached stays until it is detached. */
	assert_int_equal(l.basic->unregister_tensor_buffer(c, given), LITERT_OK);
	assert_int_equal(l.basic->invoke(v), LITERT_OK);
	assert_int_equal(l.basic->detach_input(v, 0, given), LITERT_OK);
	assert_int_equal(l.basic->invoke(v), LITERT_RUNTIME_FAILURE);
	assert_int_equal(l.basic->invocation_context_destroy(v), LITERT_OK);
	assert_int_equal(l.basic->device_context_destroy(c), LITERT_OK);
	free_buffer(&l, &in);
	free_buffer(&l, &out);
	close_fixture(&f);
	free(w);
}

/* A fence that has signalled lets a run begin; an event of another kind is waited for. */
static void events(void **state)
{
	struct host_library l = host_by_name();
	struct LiteRtEventT fence = { .type = LITERT_SYNC_FENCE }, other = { .type = 2 };
	struct LiteRtTensorBufferT in, out;
	struct LiteRtEventT *made[2];
	struct litert_invocation *v;
	struct litert_context *c;
	uint64_t given, taken;
	int fds[2], abilities;
	struct fixture f;
	struct writer *w;

	open_conv(&l, &f, &w);
	assert_int_equal(l.basic->get_capabilities(&abilities), LITERT_OK);
	assert_int_equal(abilities, LITERT_CAN_BASIC);
	assert_int_equal(l.basic->device_context_create(&runtime, NULL, &c), LITERT_OK);
	assert_int_equal(invocation_of(&l, c, f.module, f.module_size, "partition_0", &v),
			 LITERT_OK);
	make_buffer(&l, v, true, false, &f.input_shape, &in);
	make_buffer(&l, v, false, false, &f.output_shape, &out);
	assert_int_equal(l.basic->register_tensor_buffer(c, &in, &given), LITERT_OK);
	assert_int_equal(l.basic->register_tensor_buffer(c, &out, &taken), LITERT_OK);
	assert_int_equal(l.basic->attach_input(v, 0, given), LITERT_OK);
	assert_int_equal(l.basic->attach_output(v, 0, taken), LITERT_OK);
	memcpy(memory_of(&l, &in), f.input, f.input_size);
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], "", 1), 1);
	fence.fd = fds[0];
	assert_int_equal(l.async->attach_input_event(v, 0, &fence), LITERT_OK);
	close(fds[0]);
	assert_int_equal(l.async->attach_input_event(v, 0, &other), LITERT_OK);
	assert_int_equal(other.waits, 1);
	runtime.get_event_sync_fence_fd = NULL;
	assert_int_equal(l.async->attach_input_event(v, 0, &fence), LITERT_OK);
	assert_int_equal(fence.waits, 1);
	runtime.get_event_sync_fence_fd = host_event_fd;
	assert_int_equal(l.async->invoke_async(v, 0, made), LITERT_INVALID_ARGUMENT);
	/* The loopback has no fences to give: the outputs are complete, and have no events. */
	made[0] = made[1] = &fence;
	assert_int_equal(l.async->invoke_async(v, 2, made), LITERT_OK);
	assert_null(made[0]);
	assert_null(made[1]);
	assert_memory_equal(memory_of(&l, &out), f.output, f.output_size);
	fence.fd = -1;
	assert_int_equal(l.async->attach_input_event(v, 0, &fence), LITERT_INVALID_ARGUMENT);
	assert_int_equal(l.basic->invocation_context_destroy(v), LITERT_OK);
	assert_int_equal(l.basic->device_context_destroy(c), LITERT_OK);
	close(fds[1]);
	free_buffer(&l, &in);
	free_buffer(&l, &out);
	close_fixture(&f);
	free(w);
}

/* A run that cannot be prepared keeps no fences for the next one. */
static void events_of_no_run(void **state)
{
	const struct LiteRtSchedulingInfo info = { .fields_mask = LITERT_HAS_PRIORITY };
	struct host_library l = host_by_name();
	struct LiteRtEventT fence = { .type = LITERT_SYNC_FENCE };
	struct litert_invocation *v;
	struct litert_context *c;
	struct pollfd end = { 0 };
	struct fixture f;
	struct writer *w;
	int fds[2];

	open_conv(&l, &f, &w);
	assert_int_equal(l.basic->device_context_create(&runtime, NULL, &c), LITERT_OK);
	assert_int_equal(invocation_of(&l, c, f.module, f.module_size, "partition_0", &v),
			 LITERT_OK);
	/* Another priority needs the program again. */
	memset(f.module, 0xff, f.module_size);
	assert_int_equal(l.basic->invocation_context_set_scheduling_info(v, &info), LITERT_OK);
	assert_int_equal(pipe(fds), 0);
	fence.fd = fds[0];
	assert_int_equal(l.async->attach_input_event(v, 0, &fence), LITERT_OK);
	close(fds[0]);
	assert_int_not_equal(l.basic->invoke(v), LITERT_OK);
	end.fd = fds[1];
	assert_int_equal(poll(&end, 1, 0), 1);
	assert_true(end.revents & POLLERR);
	close(fds[1]);
	assert_int_equal(l.basic->invocation_context_destroy(v), LITERT_OK);
	assert_int_equal(l.basic->device_context_destroy(c), LITERT_OK);
	close_fixture(&f);
	free(w);
}

static void metrics(void **state)
{
	struct host_library l = host_by_name();
	struct LiteRtTensorBufferT in, out;
	struct litert_metrics *collected;
	struct LiteRtMetric metric;
	struct litert_invocation *v;
	struct litert_context *c;
	uint64_t given, taken;
	struct fixture f;
	struct writer *w;
	int count;

	open_conv(&l, &f, &w);
	assert_int_equal(l.basic->device_context_create(&runtime, NULL, &c), LITERT_OK);
	assert_int_equal(invocation_of(&l, c, f.module, f.module_size, "partition_0", &v),
			 LITERT_OK);
	make_buffer(&l, v, true, false, &f.input_shape, &in);
	make_buffer(&l, v, false, true, &f.output_shape, &out);
	assert_int_equal(l.basic->register_tensor_buffer(c, &in, &given), LITERT_OK);
	assert_int_equal(l.basic->register_tensor_buffer(c, &out, &taken), LITERT_OK);
	assert_int_equal(l.basic->attach_input(v, 0, given), LITERT_OK);
	assert_int_equal(l.basic->attach_output(v, 0, taken), LITERT_OK);
	assert_int_equal(l.basic->invoke(v), LITERT_OK);
	assert_int_equal(l.basic->start_metrics_collection(v, -1), LITERT_INVALID_ARGUMENT);
	assert_int_equal(l.basic->start_metrics_collection(v, 0), LITERT_OK);
	assert_int_equal(l.basic->invoke(v), LITERT_OK);
	assert_int_equal(l.basic->invoke(v), LITERT_OK);
	assert_int_equal(l.basic->stop_metrics_collection(v, &collected), LITERT_OK);
	assert_int_equal(l.basic->get_num_metrics(collected, &count), LITERT_OK);
	assert_int_equal(count, 5);
	assert_int_equal(l.basic->get_metric(collected, 5, &metric), LITERT_INVALID_ARGUMENT);
	assert_int_equal(l.basic->get_metric(collected, 0, &metric), LITERT_OK);
	assert_string_equal(metric.name, "nnaccel_runs");
	assert_int_equal(metric.value.type, LITERT_ANY_INT);
	assert_int_equal(metric.value.int_value, 2);
	assert_int_equal(l.basic->get_metric(collected, 1, &metric), LITERT_OK);
	assert_true(metric.value.int_value > 0);
	for (int i = 2; i < 5; i++) {
		assert_int_equal(l.basic->get_metric(collected, i, &metric), LITERT_OK);
		assert_int_equal(metric.value.int_value, 2);
	}
	assert_int_equal(l.basic->destroy_metrics(collected), LITERT_OK);
	/* With what is attached and registered still there. */
	assert_int_equal(l.basic->invocation_context_destroy(v), LITERT_OK);
	assert_int_equal(l.basic->device_context_destroy(c), LITERT_OK);
	free_buffer(&l, &in);
	free_buffer(&l, &out);
	close_fixture(&f);
	free(w);
}

struct job {
	const struct host_library *library;
	const struct fixture *fixture;
};

static void *run_job(void *argument)
{
	const struct job *job = argument;

	run(job->library, job->fixture, false, 0);
	run(job->library, job->fixture, true, 600);
	return NULL;
}

/* Several compiled models at a time, each in a thread with a context of its own. */
static void threads(void **state)
{
	struct host_library l = host_by_table();
	pthread_t thread[THREADS];
	struct fixture f;
	struct job job = { &l, &f };
	struct writer *w;

	open_conv(&l, &f, &w);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&thread[i], NULL, run_job, &job), 0);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(thread[i], NULL), 0);
	close_fixture(&f);
	free(w);
}

/* An operator that the NNA does not have is left, with the others in runs. */
static void left_operators(void **state)
{
	struct host_library l = host_by_name();
	struct LiteRtOpListT list = { 0 };
	struct writer *w = conv_model(TFLITE_HASHTABLE);
	struct litert_plugin *plugin;
	struct LiteRtModelT model;

	host_open(&model, w->bytes, w->size);
	assert_int_equal(l.create(&compiler, &plugin, NULL, NULL), LITERT_OK);
	assert_int_equal(l.partition(plugin, "", &model.sub, &list), LITERT_OK);
	assert_int_equal(list.count, 1);
	assert_ptr_equal(list.ops[0], &model.sub.ops[1]);
	/* What LiteRT hands over has to be what it said. */
	model.count = 2;
	assert_int_equal(l.compile(plugin, NULL, &model, (struct litert_result **)&list),
			 LITERT_COMPILATION);
	model.count = 1;
	assert_int_equal(l.compile(plugin, NULL, &model, (struct litert_result **)&list),
			 LITERT_COMPILATION);
	l.destroy(plugin);
	host_close(&model);
	free(w);
}

#define CHAIN 200000u

static struct LiteRtTensorT chain[CHAIN];

static int by_blocks(struct LiteRtTensorT *tensor, int *type)
{
	*type = LITERT_BLOCKWISE;
	return LITERT_OK;
}

/* Each tensor of the chain has its scales in the next one, the last one in the first. */
static int next_of_chain(struct LiteRtTensorT *tensor, struct LiteRtQuantizationBlockWise *q)
{
	const bool within = tensor >= chain && tensor < chain + CHAIN - 1;

	q->scales = within ? tensor + 1 : chain;
	q->block_size = 1;
	return LITERT_OK;
}

/* Scales of blocks that have blocks, and so on, are not followed. */
static void blocks_of_blocks(void **state)
{
	struct host_library l = host_by_name();
	struct LiteRtCompilerContext c = compiler;
	struct LiteRtOpListT list = { 0 };
	struct writer *w = conv_model(0);
	struct litert_plugin *plugin;
	struct LiteRtModelT model;

	host_open(&model, w->bytes, w->size);
	for (uint32_t i = 0; i < CHAIN; i++)
		chain[i] = model.sub.tensors[0];
	c.header.struct_size = sizeof(c);
	c.get_quantization_type_id = by_blocks;
	c.get_blockwise_quantization = next_of_chain;
	assert_int_equal(l.create(&c, &plugin, NULL, NULL), LITERT_OK);
	assert_int_equal(l.partition(plugin, NULL, &model.sub, &list), LITERT_OK);
	assert_int_equal(list.count, 0);
	l.destroy(plugin);
	host_close(&model);
	free(w);
}

static void imported_buffers(void **state)
{
	struct host_library l = host_by_name();
	struct LiteRtRankedTensorType shape = {
		.element_type = 3, .rank = 1, .dimensions = { 64 },
	};
	struct LiteRtHwMemoryInfo *info = NULL;
	int fd = memfd_create("test", MFD_ALLOW_SEALING);
	void *memory;

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 4096), 0);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW), 0);
	assert_int_equal(pwrite(fd, "nna", 4, 0), 4);
	assert_int_equal(l.buffers->import(NULL, NULL, &shape, KIND, (void *)(intptr_t)fd, 64, 64,
					   &info), LITERT_OK);
	assert_int_equal(l.buffers->lock(info, 0, &memory), LITERT_OK);
	assert_string_equal(memory, "nna");
	assert_int_equal(l.buffers->unlock(info), LITERT_OK);
	assert_int_equal(l.buffers->clear(info), LITERT_OK);
	assert_int_equal(l.buffers->destroy(info), LITERT_OK);
	info = NULL;
	assert_int_equal(l.buffers->import(NULL, NULL, &shape, KIND, (void *)(intptr_t)fd,
					   1 << 30, 1 << 30, &info), LITERT_INVALID_ARGUMENT);
	assert_int_equal(l.buffers->import(NULL, NULL, &shape, KIND, (void *)-1, 64, 64, &info),
			 LITERT_INVALID_ARGUMENT);
	assert_int_equal(l.buffers->create(NULL, NULL, &shape, KIND + 1, 64, 64, &info),
			 LITERT_INVALID_ARGUMENT);
	assert_int_not_equal(l.buffers->create(NULL, NULL, &shape, KIND, SIZE_MAX / 2, 64, &info),
			     LITERT_OK);
	assert_null(info);
	close(fd);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_name),
		cmocka_unit_test(by_table),
		cmocka_unit_test(a_network),
		cmocka_unit_test(other_interfaces),
		cmocka_unit_test(hostile_modules),
		cmocka_unit_test(another_build),
		cmocka_unit_test(mistakes),
		cmocka_unit_test(events),
		cmocka_unit_test(events_of_no_run),
		cmocka_unit_test(metrics),
		cmocka_unit_test(threads),
		cmocka_unit_test(left_operators),
		cmocka_unit_test(blocks_of_blocks),
		cmocka_unit_test(imported_buffers),
	};

	setenv("NNACCEL_DEVICE", "loopback", 1);
	compiler = host_compiler();
	runtime = host_runtime();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
