// SPDX-License-Identifier: MIT
/*
 * Conformance cases through the NNAPI C API, as a client of libneuralnetworks.so.
 *
 * Device memory is a memory domain for each argument, filled and read by copies from and to
 * memories over ranges of one memfd, which is also what shared memory is.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hal-bridge/include/NeuralNetworks.h"
#include "tests/conformance/case.h"

struct nnv_client_execution {
	ANeuralNetworksExecution *execution;
	ANeuralNetworksEvent *before, *event;
};

/**
 * struct nnv_client - a run's objects
 * @models: one per subgraph, main first; NULL until built
 * @building: subgraphs that are being built, against cycles
 * @copies: constants that differ from the file's
 * @fd: of run->memory, -1 when that is heap memory
 * @memory: all of @fd
 * @domains: device memory of each slot
 */
struct nnv_client {
	ANeuralNetworksModel **models;
	bool *building;
	void **copies;
	uint32_t copy_count;
	ANeuralNetworksCompilation *compilation;
	int fd;
	ANeuralNetworksMemory *memory, **domains;
	struct nnv_client_execution executions[2];
};

/* The error that stands for a result code. */
static int nnv_client_error(int result)
{
	static const struct {
		const char *name;
		int error;
	} results[] = {
		[ANEURALNETWORKS_NO_ERROR] = { NULL, 0 },
		[ANEURALNETWORKS_OUT_OF_MEMORY] = { "OUT_OF_MEMORY", ENOMEM },
		[ANEURALNETWORKS_INCOMPLETE] = { "INCOMPLETE", EIO },
		[ANEURALNETWORKS_UNEXPECTED_NULL] = { "UNEXPECTED_NULL", EFAULT },
		[ANEURALNETWORKS_BAD_DATA] = { "BAD_DATA", EINVAL },
		[ANEURALNETWORKS_OP_FAILED] = { "OP_FAILED", EIO },
		[ANEURALNETWORKS_BAD_STATE] = { "BAD_STATE", EBUSY },
		[ANEURALNETWORKS_UNMAPPABLE] = { "UNMAPPABLE", EACCES },
		[ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE] = { "OUTPUT_INSUFFICIENT_SIZE", ENOSPC },
		[ANEURALNETWORKS_UNAVAILABLE_DEVICE] = { "UNAVAILABLE_DEVICE", ENOENT },
		[ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT] = { "MISSED_DEADLINE_TRANSIENT",
								ETIMEDOUT },
		[ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT] = { "MISSED_DEADLINE_PERSISTENT",
								 ETIMEDOUT },
		[ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT] = { "RESOURCE_EXHAUSTED_TRANSIENT",
								   EAGAIN },
		[ANEURALNETWORKS_RESOURCE_EXHAUSTED_PERSISTENT] = { "RESOURCE_EXHAUSTED_PERSISTENT",
								    EAGAIN },
		[ANEURALNETWORKS_DEAD_OBJECT] = { "DEAD_OBJECT", ENODEV },
	};
	char text[96];

	if (!result)
		return 0;
	if (result < 0 || (size_t)result >= sizeof(results) / sizeof(results[0])) {
		snprintf(text, sizeof(text), "result code %d, which does not exist", result);
		nnv_runner_log(text);
		return -EPROTO;
	}
	snprintf(text, sizeof(text), "result %s; NNACCEL_LOG=1 says why", results[result].name);
	nnv_runner_log(text);
	return -results[result].error;
}

static int nnv_client_open(const char *name, uint32_t threads, struct nnv_device *device)
{
	bool reference = !strcmp(name, "nnapi-reference");
	ANeuralNetworksDevice *handle;
	const char *found = NULL;
	uint32_t count = 0;

	/* The reference is the last one, whatever the accelerator is. */
	if (!reference && setenv("NNACCEL_DEVICE", name, 1))
		return -errno;
	if (device->deal && setenv("NNACCEL_DEAL", device->deal, 1))
		return -errno;
	if (ANeuralNetworks_getDeviceCount(&count) || !count ||
	    ANeuralNetworks_getDevice(reference ? count - 1 : 0, &handle) ||
	    ANeuralNetworksDevice_getName(handle, &found) ||
	    reference != !strcmp(found, "nnapi-reference")) {
		fprintf(stderr, "nnv_run: the NNAPI has no device; NNACCEL_LOG=1 says why\n");
		return -ENODEV;
	}
	device->handle = handle;
	if (device->deal &&
	    ANeuralNetworks_getDevice(count - 1, (ANeuralNetworksDevice **)&device->reference))
		return -ENODEV;
	device->sync_files = !reference && strcmp(found, "nnaccel-loopback");
	snprintf(device->name, sizeof(device->name), "%s", found);
	return 0;
}

static void nnv_client_close(struct nnv_device *device)
{
}

static int nnv_client_model(struct nnv_run *run, uint32_t number);

/* Constants above 128 bytes stay where they are, so a changed one lives as long as the run. */
static int nnv_client_constant(struct nnv_run *run, ANeuralNetworksModel *model, uint32_t index,
			       const struct nnv_operand *operand)
{
	struct nnv_client *self = run->state;
	void *copy, **copies;

	if (!nnv_run_coupled(run, operand))
		return ANeuralNetworksModel_setOperandValue(
			model, index, nnv_file_at(run->file, operand->data_off),
			operand->data_size);
	copies = reallocarray(self->copies, self->copy_count + 1, sizeof(*copies));
	copy = malloc(operand->data_size + 1);
	if (copies)
		self->copies = copies;
	if (!copies || !copy) {
		free(copy);
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	}
	copies[self->copy_count++] = copy;
	nnv_run_copy_data(run, operand, copy);
	return ANeuralNetworksModel_setOperandValue(model, index, copy, operand->data_size);
}

static int nnv_client_operand(struct nnv_run *run, ANeuralNetworksModel *model, uint32_t subgraph,
			      uint32_t index, const struct nnv_operand *operand)
{
	struct nnv_client *self = run->state;
	const ANeuralNetworksOperandType type = {
		.type = nnv_run_type(run, operand),
		.dimensionCount = operand->rank,
		.dimensions = nnv_run_dims(run, subgraph, operand),
		.scale = operand->scale,
		.zeroPoint = nnv_run_zero_point(run, operand),
	};
	const ANeuralNetworksSymmPerChannelQuantParams params = {
		.channelDim = operand->channel_dim,
		.scaleCount = operand->channel_scale_count,
		.scales = nnv_file_at(run->file, operand->channel_scales_off),
	};
	uint32_t which;
	int ret;

	ret = ANeuralNetworksModel_addOperand(model, &type);
	if (!ret && operand->channel_scale_count)
		ret = ANeuralNetworksModel_setOperandSymmPerChannelQuantParams(model, index,
									       &params);
	if (ret)
		return ret;
	switch (operand->lifetime) {
	case NNV_CONSTANT_COPY:
	case NNV_CONSTANT_REFERENCE:
		return nnv_client_constant(run, model, index, operand);
	case NNV_NO_VALUE:
		return ANeuralNetworksModel_setOperandValue(model, index, NULL, 0);
	case NNV_SUBGRAPH:
		memcpy(&which, nnv_file_at(run->file, operand->data_off), sizeof(which));
		ret = nnv_client_model(run, which + 1);
		if (ret)
			return ret;
		return ANeuralNetworksModel_setOperandValueFromModel(model, index,
								     self->models[which + 1]);
	default:
		return 0;
	}
}

/* Builds a subgraph, those that it refers to first. Return: a result code. */
static int nnv_client_model(struct nnv_run *run, uint32_t number)
{
	const struct nnv_subgraph *subgraph = nnv_run_subgraph(run, number);
	const struct nnv_operand *operands = nnv_file_at(run->file, subgraph->operands_off);
	const struct nnv_operation *operations = nnv_file_at(run->file, subgraph->operations_off);
	static const uint32_t none[1];
	struct nnv_client *self = run->state;
	ANeuralNetworksModel *model;
	const uint32_t *list;
	int ret;

	if (self->models[number])
		return 0;
	if (self->building[number])
		return ANEURALNETWORKS_BAD_DATA;
	self->building[number] = true;
	ret = ANeuralNetworksModel_create(&model);
	if (ret)
		return ret;
	for (uint32_t i = 0; i < subgraph->operand_count && !ret; i++)
		ret = nnv_client_operand(run, model, number, i, &operands[i]);
	for (uint32_t i = 0; i < subgraph->operation_count && !ret; i++) {
		list = nnv_file_at(run->file, operations[i].inputs_off);
		ret = ANeuralNetworksModel_addOperation(
			model, operations[i].type, operations[i].input_count, list ? list : none,
			operations[i].output_count,
			nnv_file_at(run->file, operations[i].outputs_off));
	}
	list = nnv_file_at(run->file, subgraph->inputs_off);
	if (!ret)
		ret = ANeuralNetworksModel_identifyInputsAndOutputs(
			model, subgraph->input_count, list ? list : none, subgraph->output_count,
			nnv_file_at(run->file, subgraph->outputs_off));
	if (!ret && !number)
		ret = ANeuralNetworksModel_relaxComputationFloat32toFloat16(
			model, run->item->flags & NNV_CASE_RELAXED);
	if (!ret)
		ret = ANeuralNetworksModel_finish(model);
	if (ret)
		ANeuralNetworksModel_free(model);
	else
		self->models[number] = model;
	return ret;
}

static int nnv_client_build(struct nnv_run *run)
{
	struct nnv_client *self = calloc(1, sizeof(*self));

	run->state = self;
	if (!self)
		return -ENOMEM;
	self->fd = -1;
	self->models = calloc(run->item->subgraph_count, sizeof(*self->models));
	self->building = calloc(run->item->subgraph_count, sizeof(*self->building));
	if (!self->models || !self->building)
		return -ENOMEM;
	return nnv_client_error(nnv_client_model(run, 0));
}

static int nnv_client_supported(struct nnv_run *run, bool *supported)
{
	const ANeuralNetworksDevice *device = run->runner->device->handle;
	const struct nnv_client *self = run->state;

	return nnv_client_error(ANeuralNetworksModel_getSupportedOperationsForDevices(
		self->models[0], &device, 1, supported));
}

static int nnv_client_compile_once(struct nnv_run *run, const char *dir, const uint8_t *token)
{
	const struct nnv_device *device = run->runner->device;
	const ANeuralNetworksDevice *devices[] = { device->handle, device->reference };
	struct nnv_client *self = run->state;
	int ret;

	ret = ANeuralNetworksCompilation_createForDevices(
		self->models[0], devices, device->deal ? 2 : 1, &self->compilation);
	if (!ret && dir)
		ret = ANeuralNetworksCompilation_setCaching(self->compilation, dir, token);
	if (!ret)
		ret = ANeuralNetworksCompilation_finish(self->compilation);
	return ret;
}

/* The only file in a directory: its number and when it was written; false when there is none. */
static bool nnv_client_find_file(const char *dir, char *path, size_t size, struct stat *found)
{
	bool any = false;
	struct dirent *entry;
	DIR *list = opendir(dir);

	while (list && !any && (entry = readdir(list))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, size, "%s/%s", dir, entry->d_name);
		any = !stat(path, found);
	}
	if (list)
		closedir(list);
	return any;
}

/*
 * Compiles for a cache of this case's own, and then once more: what was loaded is run. A second
 * compilation that writes a file again has not used it, which is an error.
 */
static int nnv_client_compile_cached(struct nnv_run *run)
{
	const uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN] = { 1 };
	struct nnv_device *device = run->runner->device;
	struct nnv_client *self = run->state;
	char dir[PATH_MAX], path[2 * PATH_MAX];
	struct stat first, second;
	int ret;

	snprintf(dir, sizeof(dir), "%s/XXXXXX", device->cache);
	if (!mkdtemp(dir))
		return -errno;
	ret = nnv_client_compile_once(run, dir, token);
	if (!ret && nnv_client_find_file(dir, path, sizeof(path), &first)) {
		ANeuralNetworksCompilation_free(self->compilation);
		self->compilation = NULL;
		ret = nnv_client_compile_once(run, dir, token);
		if (!ret && (stat(path, &second) || second.st_ino != first.st_ino)) {
			nnv_runner_log("what was cached has not been used");
			ret = ANEURALNETWORKS_BAD_STATE;
		}
		atomic_fetch_add(&device->cached, !ret);
		unlink(path);
	}
	rmdir(dir);
	return nnv_client_error(ret);
}

static int nnv_client_compile(struct nnv_run *run)
{
	if (run->runner->device->cache)
		return nnv_client_compile_cached(run);
	return nnv_client_error(nnv_client_compile_once(run, NULL, NULL));
}

/* Copies between a slot's bytes and its domain. */
static int nnv_client_copy(struct nnv_run *run, const struct nnv_slot *slot, bool to_domain)
{
	struct nnv_client *self = run->state;
	ANeuralNetworksMemory *domain = self->domains[slot - run->slots], *plain = NULL;
	int ret;

	ret = ANeuralNetworksMemory_createFromFd(slot->size, PROT_READ | PROT_WRITE, self->fd,
						 slot->offset, &plain);
	if (!ret)
		ret = to_domain ? ANeuralNetworksMemory_copy(plain, domain) :
				  ANeuralNetworksMemory_copy(domain, plain);
	ANeuralNetworksMemory_free(plain);
	return ret;
}

static int nnv_client_domain(struct nnv_run *run, const struct nnv_slot *slot)
{
	struct nnv_client *self = run->state;
	ANeuralNetworksMemoryDesc *desc = NULL;
	int ret;

	ret = ANeuralNetworksMemoryDesc_create(&desc);
	if (!ret && slot->output)
		ret = ANeuralNetworksMemoryDesc_addOutputRole(desc, self->compilation, slot->number,
							      1.0f);
	else if (!ret)
		ret = ANeuralNetworksMemoryDesc_addInputRole(desc, self->compilation, slot->number,
							     1.0f);
	if (!ret)
		ret = ANeuralNetworksMemoryDesc_finish(desc);
	if (!ret)
		ret = ANeuralNetworksMemory_createFromDesc(desc,
							   &self->domains[slot - run->slots]);
	ANeuralNetworksMemoryDesc_free(desc);
	return ret;
}

static int nnv_client_allocate(struct nnv_run *run)
{
	struct nnv_client *self = run->state;
	int ret = 0;

	if (run->kind == NNV_MEMORY_HEAP) {
		run->memory = malloc(run->size);
		return run->memory ? 0 : -ENOMEM;
	}
	self->domains = calloc(run->slot_count + 1, sizeof(*self->domains));
	if (!self->domains)
		return -ENOMEM;
	/* Sealed, so that the device shares it. A file that can shrink is copied. */
	self->fd = memfd_create("nnv", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (self->fd < 0 || ftruncate(self->fd, run->size) ||
	    fcntl(self->fd, F_ADD_SEALS, F_SEAL_SHRINK))
		return -errno;
	run->memory = mmap(NULL, run->size, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd, 0);
	if (run->memory == MAP_FAILED) {
		run->memory = NULL;
		return -errno;
	}
	if (run->kind == NNV_MEMORY_SHARED)
		return nnv_client_error(ANeuralNetworksMemory_createFromFd(
			run->size, PROT_READ | PROT_WRITE, self->fd, 0, &self->memory));
	for (uint32_t i = 0; i < run->slot_count && !ret; i++) {
		if (!run->slots[i].omitted)
			ret = nnv_client_domain(run, &run->slots[i]);
	}
	return nnv_client_error(ret);
}

static int nnv_client_bind(struct nnv_run *run, ANeuralNetworksExecution *execution,
			   const struct nnv_slot *slot)
{
	const struct nnv_client *self = run->state;
	const ANeuralNetworksMemory *memory = self->memory;
	uint8_t *bytes = run->memory + slot->offset;
	size_t offset = slot->offset, size = slot->bound;
	int ret;

	if (slot->omitted)
		return ANeuralNetworksExecution_setInput(execution, slot->number, NULL, NULL, 0);
	if (run->kind == NNV_MEMORY_DEVICE) {
		memory = self->domains[slot - run->slots];
		offset = size = 0;
		ret = slot->output ? 0 : nnv_client_copy(run, slot, true);
		if (ret)
			return ret;
	}
	if (memory && slot->output)
		return ANeuralNetworksExecution_setOutputFromMemory(execution, slot->number, NULL,
								    memory, offset, size);
	if (memory)
		return ANeuralNetworksExecution_setInputFromMemory(execution, slot->number, NULL,
								   memory, offset, size);
	if (slot->output)
		return ANeuralNetworksExecution_setOutput(execution, slot->number, NULL, bytes,
							  size);
	return ANeuralNetworksExecution_setInput(execution, slot->number, NULL, bytes, size);
}

static int nnv_client_prepare(struct nnv_run *run, uint32_t which)
{
	struct nnv_client *self = run->state;
	ANeuralNetworksExecution *execution;
	int ret;

	ret = ANeuralNetworksExecution_create(self->compilation, &execution);
	if (ret)
		return nnv_client_error(ret);
	self->executions[which].execution = execution;
	for (uint32_t i = 0; i < run->slot_count && !ret; i++)
		ret = nnv_client_bind(run, execution, &run->slots[i]);
	/* Several devices have no deadlines. */
	if (!ret && !run->runner->device->deal)
		ret = ANeuralNetworksExecution_setTimeout(execution, run->runner->timeout_ns);
	if (!ret)
		ret = ANeuralNetworksExecution_setReusable(execution,
							   run->runner->mode == NNV_MODE_BURST);
	if (!ret)
		ret = ANeuralNetworksExecution_setLoopTimeout(execution,
							      nnv_run_loop_limit_ns(run));
	return nnv_client_error(ret);
}

static int nnv_client_compute(struct nnv_run *run)
{
	struct nnv_client *self = run->state;
	ANeuralNetworksExecution *execution = self->executions[0].execution;
	ANeuralNetworksBurst *burst = NULL;
	int ret;

	if (run->runner->mode != NNV_MODE_BURST)
		return nnv_client_error(ANeuralNetworksExecution_compute(execution));
	ret = ANeuralNetworksBurst_create(self->compilation, &burst);
	for (int i = 0; i < 2 && !ret; i++)
		ret = ANeuralNetworksExecution_burstCompute(execution, burst);
	ANeuralNetworksBurst_free(burst);
	return nnv_client_error(ret);
}

static int nnv_client_submit(struct nnv_run *run, uint32_t which, int fence)
{
	struct nnv_client *self = run->state;
	struct nnv_client_execution *e = &self->executions[which];
	const ANeuralNetworksEvent *dependency;
	int ret = 0;

	if (run->runner->mode != NNV_MODE_FENCED)
		return nnv_client_error(
			ANeuralNetworksExecution_startCompute(e->execution, &e->event));
	if (fence >= 0)
		ret = ANeuralNetworksEvent_createFromSyncFenceFd(fence, &e->before);
	dependency = e->before;
	if (!ret)
		ret = ANeuralNetworksExecution_startComputeWithDependencies(
			e->execution, &dependency, fence >= 0,
			run->runner->device->deal ? 0 : run->runner->timeout_ns, &e->event);
	return nnv_client_error(ret);
}

static int nnv_client_export_fence(struct nnv_run *run, uint32_t which)
{
	const struct nnv_client *self = run->state;
	int fd = -1, ret;

	ret = ANeuralNetworksEvent_getSyncFenceFd(self->executions[which].event, &fd);
	/* As documented for an event that has none. */
	if (ret == ANEURALNETWORKS_BAD_DATA)
		return -ENOTSUP;
	return ret ? nnv_client_error(ret) : fd;
}

static int nnv_client_wait(struct nnv_run *run, uint32_t which)
{
	const struct nnv_client *self = run->state;

	return nnv_client_error(ANeuralNetworksEvent_wait(self->executions[which].event));
}

static int nnv_client_fetch(struct nnv_run *run)
{
	int ret = 0;

	for (uint32_t i = 0; i < run->slot_count && !ret; i++) {
		if (run->kind == NNV_MEMORY_DEVICE && run->slots[i].output)
			ret = nnv_client_copy(run, &run->slots[i], false);
	}
	return nnv_client_error(ret);
}

static int nnv_client_output_dims(struct nnv_run *run, uint32_t index, uint32_t *rank,
				  uint32_t *dims)
{
	const struct nnv_client *self = run->state;
	ANeuralNetworksExecution *execution = self->executions[0].execution;
	int ret, second;

	ret = ANeuralNetworksExecution_getOutputOperandRank(execution, index, rank);
	if ((ret && ret != ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE) || !*rank)
		return nnv_client_error(ret);
	second = ANeuralNetworksExecution_getOutputOperandDimensions(execution, index, dims);
	return second == ret ? nnv_client_error(ret) : -EPROTO;
}

static void nnv_client_release(struct nnv_run *run)
{
	struct nnv_client *self = run->state;

	if (!self)
		return;
	for (uint32_t i = 0; i < 2; i++) {
		ANeuralNetworksEvent_free(self->executions[i].event);
		ANeuralNetworksEvent_free(self->executions[i].before);
		ANeuralNetworksExecution_free(self->executions[i].execution);
	}
	for (uint32_t i = 0; self->domains && i < run->slot_count; i++)
		ANeuralNetworksMemory_free(self->domains[i]);
	ANeuralNetworksMemory_free(self->memory);
	ANeuralNetworksCompilation_free(self->compilation);
	for (uint32_t i = 0; self->models && i < run->item->subgraph_count; i++)
		ANeuralNetworksModel_free(self->models[i]);
	for (uint32_t i = 0; i < self->copy_count; i++)
		free(self->copies[i]);
	if (run->kind == NNV_MEMORY_HEAP)
		free(run->memory);
	else if (run->memory)
		munmap(run->memory, run->size);
	if (self->fd >= 0)
		close(self->fd);
	free(self->domains);
	free(self->copies);
	free(self->models);
	free(self->building);
	free(self);
}

const struct nnv_api nnv_api_nnapi = {
	.name = "the NNAPI C API",
	.open = nnv_client_open,
	.close = nnv_client_close,
	.build = nnv_client_build,
	.supported = nnv_client_supported,
	.compile = nnv_client_compile,
	.allocate = nnv_client_allocate,
	.prepare = nnv_client_prepare,
	.compute = nnv_client_compute,
	.submit = nnv_client_submit,
	.export_fence = nnv_client_export_fence,
	.wait = nnv_client_wait,
	.fetch = nnv_client_fetch,
	.output_dims = nnv_client_output_dims,
	.release = nnv_client_release,
};
