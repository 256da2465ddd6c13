// SPDX-License-Identifier: MIT
/*
 * nnv_nnapi: conformance vectors through the NNAPI C API, as a client of libneuralnetworks.so.
 *
 * nnv_run shows that the library computes what it should; this shows that the C API hands over
 * every model, memory and result as it is. One case at a time, on the device that NNACCEL_DEVICE
 * names.
 */
#include <errno.h>
#include <fnmatch.h>
#include <fts.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hal-bridge/nnapi/NeuralNetworks.h"
#include "tests/conformance/nnv_case.h"

#define GUARD 64
#define GUARD_BYTE 0xa5
#define ALIGN 64
#define LOOP_LIMIT_NS 50000000ull

enum mode { COMPUTE, START, FENCED, BURST, MEMORY, DOMAINS };

/**
 * struct run - a case under way
 * @models: one per subgraph, main first; NULL until built
 * @building: subgraphs that are being built, against cycles
 * @offsets: of the inputs, then of the outputs, in @bytes
 * @bytes: the arguments: heap, or the mapping of @fd
 * @domains: device memory of each argument
 */
struct run {
	const struct nnv_file *file;
	const struct nnv_case *item;
	const struct nnv_subgraph *main;
	enum mode mode;
	ANeuralNetworksModel **models;
	bool *building;
	ANeuralNetworksCompilation *compilation;
	ANeuralNetworksExecution *execution;
	ANeuralNetworksMemory *memory, **domains;
	size_t *offsets, size;
	uint8_t *bytes;
	int fd;
	enum nnv_status status;
	char message[512];
};

static const ANeuralNetworksDevice *device;

static int __attribute__((format(printf, 2, 3))) fail(struct run *run, const char *format, ...)
{
	va_list args;

	if (run->status != NNV_FAILED) {
		run->status = NNV_FAILED;
		va_start(args, format);
		vsnprintf(run->message, sizeof(run->message), format, args);
		va_end(args);
	}
	return -1;
}

static const struct nnv_operand *argument(const struct run *run, uint32_t index)
{
	const struct nnv_operand *operands = nnv_file_at(run->file, run->main->operands_off);
	const uint32_t *inputs = nnv_file_at(run->file, run->main->inputs_off);
	const uint32_t *outputs = nnv_file_at(run->file, run->main->outputs_off);

	return &operands[index < run->main->input_count ? inputs[index] :
							  outputs[index - run->main->input_count]];
}

static int build(struct run *run, uint32_t number);

static int build_operand(struct run *run, ANeuralNetworksModel *model, uint32_t index,
			 const struct nnv_operand *operand)
{
	const ANeuralNetworksOperandType type = {
		.type = operand->type,
		.dimensionCount = operand->rank,
		.dimensions = nnv_file_at(run->file, operand->dims_off),
		.scale = operand->scale,
		.zeroPoint = operand->zero_point,
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
		return ANeuralNetworksModel_setOperandValue(
			model, index, nnv_file_at(run->file, operand->data_off),
			operand->data_size);
	case NNV_NO_VALUE:
		return ANeuralNetworksModel_setOperandValue(model, index, NULL, 0);
	case NNV_SUBGRAPH:
		memcpy(&which, nnv_file_at(run->file, operand->data_off), sizeof(which));
		ret = build(run, which + 1);
		if (ret)
			return ret;
		return ANeuralNetworksModel_setOperandValueFromModel(model, index,
								     run->models[which + 1]);
	default:
		return 0;
	}
}

/* Return: a result code. */
static int build(struct run *run, uint32_t number)
{
	const struct nnv_subgraph *subgraph =
		(const struct nnv_subgraph *)nnv_file_at(run->file, run->item->subgraphs_off) +
		number;
	const struct nnv_operand *operands = nnv_file_at(run->file, subgraph->operands_off);
	const struct nnv_operation *operations = nnv_file_at(run->file, subgraph->operations_off);
	static const uint32_t none[1];
	const uint32_t *list;
	ANeuralNetworksModel *model;
	int ret;

	if (run->models[number])
		return 0;
	if (run->building[number])
		return ANEURALNETWORKS_BAD_DATA;
	run->building[number] = true;
	ret = ANeuralNetworksModel_create(&model);
	if (ret)
		return ret;
	for (uint32_t i = 0; i < subgraph->operand_count && !ret; i++)
		ret = build_operand(run, model, i, &operands[i]);
	for (uint32_t i = 0; i < subgraph->operation_count && !ret; i++)
		ret = ANeuralNetworksModel_addOperation(
			model, operations[i].type, operations[i].input_count,
			nnv_file_at(run->file, operations[i].inputs_off),
			operations[i].output_count,
			nnv_file_at(run->file, operations[i].outputs_off));
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
		run->models[number] = model;
	return ret;
}

static bool supported(struct run *run, int *ret)
{
	bool *flags = calloc(run->main->operation_count + 1, sizeof(*flags)), all = true;

	*ret = ANeuralNetworksModel_getSupportedOperationsForDevices(run->models[0], &device, 1,
								     flags);
	for (uint32_t i = 0; i < run->main->operation_count; i++)
		all = all && flags[i];
	free(flags);
	return all && !*ret;
}

static size_t argument_size(const struct nnv_operand *operand, bool output)
{
	return output && !operand->data_size ? 1 : operand->data_size;
}

static int lay_out(struct run *run)
{
	uint32_t count = run->main->input_count + run->main->output_count;
	bool in_file = run->mode == MEMORY || run->mode == DOMAINS;

	run->offsets = calloc(count + 1, sizeof(*run->offsets));
	run->domains = calloc(count + 1, sizeof(*run->domains));
	if (!run->offsets || !run->domains)
		return fail(run, "no memory");
	for (uint32_t i = 0; i < count; i++) {
		run->offsets[i] = run->size;
		run->size += argument_size(argument(run, i), i >= run->main->input_count) + GUARD;
		/* Domains are copied to and from memories of their own, which begin at a page. */
		run->size = (run->size + (run->mode == DOMAINS ? 4095 : ALIGN - 1)) &
			    ~(size_t)(run->mode == DOMAINS ? 4095 : ALIGN - 1);
	}
	run->size += ALIGN;
	if (in_file) {
		run->fd = memfd_create("nnv", MFD_CLOEXEC);
		if (run->fd < 0 || ftruncate(run->fd, run->size))
			return fail(run, "memfd: %s", strerror(errno));
		run->bytes = mmap(NULL, run->size, PROT_READ | PROT_WRITE, MAP_SHARED, run->fd, 0);
		if (run->bytes == MAP_FAILED)
			run->bytes = NULL;
	} else {
		run->bytes = malloc(run->size);
	}
	if (!run->bytes)
		return fail(run, "no memory");
	memset(run->bytes, GUARD_BYTE, run->size);
	for (uint32_t i = 0; i < run->main->input_count; i++) {
		const struct nnv_operand *operand = argument(run, i);

		if (operand->data_size)
			memcpy(run->bytes + run->offsets[i],
			       nnv_file_at(run->file, operand->data_off), operand->data_size);
	}
	if (run->mode == MEMORY &&
	    ANeuralNetworksMemory_createFromFd(run->size, PROT_READ | PROT_WRITE, run->fd, 0,
					       &run->memory))
		return fail(run, "createFromFd");
	return 0;
}

/*
 * A memory of exactly an argument's bytes in the file, and copies between it and the argument's
 * device memory.
 */
static int copy_domain(struct run *run, uint32_t index, bool to_device)
{
	bool output = index >= run->main->input_count;
	ANeuralNetworksMemory *plain = NULL;
	int ret;

	ret = ANeuralNetworksMemory_createFromFd(argument_size(argument(run, index), output),
						 PROT_READ | PROT_WRITE, run->fd,
						 run->offsets[index], &plain);
	if (!ret && to_device)
		ret = ANeuralNetworksMemory_copy(plain, run->domains[index]);
	else if (!ret)
		ret = ANeuralNetworksMemory_copy(run->domains[index], plain);
	ANeuralNetworksMemory_free(plain);
	return ret;
}

static int bind_domain(struct run *run, uint32_t index)
{
	bool output = index >= run->main->input_count;
	uint32_t number = output ? index - run->main->input_count : index;
	ANeuralNetworksMemoryDesc *desc = NULL;
	int ret;

	ret = ANeuralNetworksMemoryDesc_create(&desc);
	if (!ret && output)
		ret = ANeuralNetworksMemoryDesc_addOutputRole(desc, run->compilation, number, 1.0f);
	else if (!ret)
		ret = ANeuralNetworksMemoryDesc_addInputRole(desc, run->compilation, number, 1.0f);
	if (!ret)
		ret = ANeuralNetworksMemoryDesc_finish(desc);
	if (!ret)
		ret = ANeuralNetworksMemory_createFromDesc(desc, &run->domains[index]);
	ANeuralNetworksMemoryDesc_free(desc);
	if (!ret && !output)
		ret = copy_domain(run, index, true);
	if (ret)
		return ret;
	if (output)
		return ANeuralNetworksExecution_setOutputFromMemory(run->execution, number, NULL,
								    run->domains[index], 0, 0);
	return ANeuralNetworksExecution_setInputFromMemory(run->execution, number, NULL,
							   run->domains[index], 0, 0);
}

static int bind(struct run *run, uint32_t index)
{
	bool output = index >= run->main->input_count;
	uint32_t number = output ? index - run->main->input_count : index;
	size_t size = argument_size(argument(run, index), output);
	uint8_t *bytes = run->bytes + run->offsets[index];

	if (!size)
		return ANeuralNetworksExecution_setInput(run->execution, number, NULL, NULL, 0);
	if (run->mode == DOMAINS)
		return bind_domain(run, index);
	if (run->mode == MEMORY && output)
		return ANeuralNetworksExecution_setOutputFromMemory(
			run->execution, number, NULL, run->memory, run->offsets[index], size);
	if (run->mode == MEMORY)
		return ANeuralNetworksExecution_setInputFromMemory(
			run->execution, number, NULL, run->memory, run->offsets[index], size);
	if (output)
		return ANeuralNetworksExecution_setOutput(run->execution, number, NULL, bytes,
							  size);
	return ANeuralNetworksExecution_setInput(run->execution, number, NULL, bytes, size);
}

static int execute(struct run *run)
{
	ANeuralNetworksEvent *before = NULL, *event = NULL;
	const ANeuralNetworksEvent *dependency;
	ANeuralNetworksBurst *burst = NULL;
	const uint64_t one = 1;
	int ret, fence;

	switch (run->mode) {
	case START:
		ret = ANeuralNetworksExecution_startCompute(run->execution, &event);
		break;
	case BURST:
		ret = ANeuralNetworksBurst_create(run->compilation, &burst);
		if (!ret)
			ret = ANeuralNetworksExecution_burstCompute(run->execution, burst);
		ANeuralNetworksBurst_free(burst);
		return ret;
	case FENCED:
		/*
		 * Signalled from the start: a program that runs synchronously would wait for it for
		 * ever.
		 */
		fence = eventfd(0, EFD_CLOEXEC);
		if (fence < 0 || write(fence, &one, sizeof(one)) != sizeof(one))
			return fail(run, "eventfd: %s", strerror(errno));
		ret = ANeuralNetworksEvent_createFromSyncFenceFd(fence, &before);
		dependency = before;
		if (!ret)
			ret = ANeuralNetworksExecution_startComputeWithDependencies(
				run->execution, &dependency, 1, 0, &event);
		close(fence);
		break;
	default:
		return ANeuralNetworksExecution_compute(run->execution);
	}
	if (!ret)
		ret = ANeuralNetworksEvent_wait(event);
	ANeuralNetworksEvent_free(event);
	ANeuralNetworksEvent_free(before);
	return ret;
}

static void check_output(struct run *run, uint32_t number)
{
	uint32_t index = run->main->input_count + number;
	const struct nnv_operand *operand = argument(run, index);
	const uint32_t *expected = nnv_file_at(run->file, operand->dims_off);
	const uint8_t *got = run->bytes + run->offsets[index];
	size_t size = argument_size(operand, true), bytes = nnv_type_size(operand->type);
	struct nnv_tolerance tolerance = nnv_case_tolerance(run->item, operand->type);
	uint32_t rank = 0, dims[NNACCEL_MAX_RANK] = { 0 };
	char text[256] = "";
	int ret;

	for (size_t i = size; i < size + GUARD; i++) {
		if (got[i] != GUARD_BYTE) {
			fail(run, "output %u: byte %zu written, it has %zu", number, i, size);
			return;
		}
	}
	ret = ANeuralNetworksExecution_getOutputOperandRank(run->execution, number, &rank);
	if (!ret && rank)
		ret = ANeuralNetworksExecution_getOutputOperandDimensions(run->execution, number,
									  dims);
	if (ret || (operand->rank && rank != operand->rank)) {
		fail(run, "output %u: no dimensions: result %d, rank %u", number, ret, rank);
		return;
	}
	for (uint32_t i = 0; i < rank; i++) {
		bytes *= dims[i];
		if (operand->rank && expected[i] && expected[i] != dims[i])
			fail(run, "output %u: dimension %u is %u", number, i, dims[i]);
	}
	if (bytes != operand->data_size)
		fail(run, "output %u: %zu bytes, expected %u", number, bytes, operand->data_size);
	/* What a random number generator gives is nnv_run's business. */
	if (run->status == NNV_FAILED || operand->flags & NNV_OPERAND_IGNORED ||
	    run->item->multinomial_tolerance > 0.0f)
		return;
	if (nnv_compare(operand->type, nnv_file_at(run->file, operand->data_off), got,
			operand->data_size / nnv_type_size(operand->type), &tolerance, text,
			sizeof(text)))
		fail(run, "output %u: %s", number, text);
}

static void run_case(struct run *run)
{
	bool expect_failure = run->item->flags & NNV_CASE_EXPECT_FAILURE;
	uint32_t count = run->main->input_count + run->main->output_count;
	int ret;

	ret = build(run, 0);
	if (ret) {
		if (!expect_failure)
			fail(run, "model: result %d", ret);
		return;
	}
	if (!supported(run, &ret)) {
		run->status = NNV_SKIPPED;
		if (ret)
			fail(run, "supported operations: result %d", ret);
		return;
	}
	ret = ANeuralNetworksCompilation_createForDevices(run->models[0], &device, 1,
							  &run->compilation);
	if (!ret)
		ret = ANeuralNetworksCompilation_finish(run->compilation);
	if (!ret)
		ret = ANeuralNetworksExecution_create(run->compilation, &run->execution);
	if (ret) {
		if (!expect_failure)
			fail(run, "compile: result %d", ret);
		return;
	}
	if (lay_out(run))
		return;
	for (uint32_t i = 0; i < count && !ret; i++) {
		ret = bind(run, i);
		if (ret && !expect_failure)
			fail(run, "bind %u: result %d", i, ret);
	}
	if (ret)
		return;
	if (run->item->flags & NNV_CASE_INFINITE_LOOP)
		ANeuralNetworksExecution_setLoopTimeout(run->execution, LOOP_LIMIT_NS);
	ret = execute(run);
	if (run->item->flags & NNV_CASE_INFINITE_LOOP) {
		if (ret != ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT &&
		    ret != ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT)
			fail(run, "an endless loop ended with result %d", ret);
		return;
	}
	if (expect_failure) {
		if (!ret)
			fail(run, "expected to fail");
		return;
	}
	for (uint32_t i = 0; i < run->main->output_count && run->mode == DOMAINS && !ret; i++)
		ret = copy_domain(run, run->main->input_count + i, false);
	if (ret)
		fail(run, "run: result %d", ret);
	for (uint32_t i = 0; i < run->main->output_count && !ret; i++)
		check_output(run, i);
}

/* Memory domains and fences need outputs whose dimensions the model states. */
static bool in_mode(const struct run *run)
{
	if (run->mode != DOMAINS && run->mode != FENCED)
		return true;
	for (uint32_t i = 0; i < run->main->input_count + run->main->output_count; i++) {
		const struct nnv_operand *operand = argument(run, i);
		const uint32_t *dims = nnv_file_at(run->file, operand->dims_off);

		if (nnv_type_is_tensor(operand->type) && !operand->rank)
			return false;
		for (uint32_t d = 0; d < operand->rank; d++) {
			if (!dims[d])
				return false;
		}
	}
	return run->item->flags & NNV_CASE_DEVICE_MEMORY_OK;
}

static bool rank_too_high(const struct run *run)
{
	const struct nnv_operand *operands = nnv_file_at(run->file, run->main->operands_off);

	for (uint32_t i = 0; i < run->main->operand_count; i++) {
		if (operands[i].rank > NNACCEL_MAX_RANK)
			return true;
	}
	return false;
}

static void one_case(struct run *run)
{
	uint32_t count = run->main->input_count + run->main->output_count;

	run->models = calloc(run->item->subgraph_count, sizeof(*run->models));
	run->building = calloc(run->item->subgraph_count, sizeof(*run->building));
	if (!run->models || !run->building)
		fail(run, "no memory");
	else if (!in_mode(run))
		run->status = NNV_NOT_IN_MODE;
	else if (rank_too_high(run))
		run->status = NNV_SKIPPED;
	else
		run_case(run);
	ANeuralNetworksExecution_free(run->execution);
	ANeuralNetworksMemory_free(run->memory);
	for (uint32_t i = 0; run->domains && i < count; i++)
		ANeuralNetworksMemory_free(run->domains[i]);
	ANeuralNetworksCompilation_free(run->compilation);
	for (uint32_t i = 0; run->models && i < run->item->subgraph_count; i++)
		ANeuralNetworksModel_free(run->models[i]);
	if (run->fd < 0)
		free(run->bytes);
	else if (run->bytes)
		munmap(run->bytes, run->size);
	if (run->fd >= 0)
		close(run->fd);
	free(run->models);
	free(run->building);
	free(run->offsets);
	free(run->domains);
}

static int run_file(const char *path, enum mode mode, const char *filter, size_t count[4])
{
	struct nnv_file file;
	char error[256];

	if (nnv_file_open(path, &file, error, sizeof(error))) {
		fprintf(stderr, "nnv_nnapi: %s: %s\n", path, error);
		return -1;
	}
	for (uint32_t i = 0; i < nnv_file_header(&file)->case_count; i++) {
		struct run run = {
			.file = &file, .item = nnv_file_case(&file, i), .mode = mode, .fd = -1
		};
		const char *name = nnv_file_string(&file, run.item->name);

		if (filter && fnmatch(filter, name, 0))
			continue;
		run.main = nnv_file_at(&file, run.item->subgraphs_off);
		run.status = NNV_PASSED;
		one_case(&run);
		count[run.status]++;
		if (run.status == NNV_FAILED)
			printf("FAIL %s: %s\n", name, run.message);
	}
	nnv_file_close(&file);
	return 0;
}

static int compare_names(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

int main(int argc, char **argv)
{
	static const char *const names[] = { "compute", "start",  "fenced",
					     "burst",	"memory", "domains" };
	size_t count[NNV_NOT_IN_MODE + 1] = { 0 };
	char *paths[] = { NULL, NULL };
	ANeuralNetworksDevice *found = NULL;
	const char *filter = NULL, *name;
	enum mode mode = COMPUTE;
	FTSENT *entry;
	FTS *walk;
	int i, ret = 0;

	for (i = 1; i < argc && !strncmp(argv[i], "--", 2); i++) {
		bool known = false;

		if (!strncmp(argv[i], "--filter=", 9)) {
			filter = argv[i] + 9;
			continue;
		}
		for (size_t m = 0; m < sizeof(names) / sizeof(names[0]); m++) {
			if (strcmp(argv[i] + 2, names[m]))
				continue;
			mode = m;
			known = true;
		}
		if (!known)
			break;
	}
	if (i + 1 != argc) {
		fprintf(stderr,
			"usage: nnv_nnapi [--compute|--start|--fenced|--burst|--memory|--domains] "
			"[--filter=GLOB] DIR|FILE\n");
		return 2;
	}
	paths[0] = argv[i];
	if (ANeuralNetworks_getDevice(0, &found) || ANeuralNetworksDevice_getName(found, &name)) {
		fprintf(stderr, "nnv_nnapi: no device; NNACCEL_LOG=1 says why\n");
		return 2;
	}
	device = found;
	walk = fts_open(paths, FTS_LOGICAL | FTS_NOCHDIR, compare_names);
	while (walk && !ret && (entry = fts_read(walk))) {
		size_t length = strlen(entry->fts_path);

		if (entry->fts_info == FTS_F && length > 4 &&
		    !strcmp(entry->fts_path + length - 4, ".nnv"))
			ret = run_file(entry->fts_path, mode, filter, count);
	}
	if (walk)
		fts_close(walk);
	if (ret || !(count[0] + count[1] + count[2] + count[3])) {
		fprintf(stderr, "nnv_nnapi: %s: no vectors\n", paths[0]);
		return 2;
	}
	printf("%s on %s, %zu cases have no such variation\n", names[mode], name,
	       count[NNV_NOT_IN_MODE]);
	printf("%zu passed, %zu failed, %zu skipped\n", count[NNV_PASSED], count[NNV_FAILED],
	       count[NNV_SKIPPED]);
	return count[NNV_FAILED] ? 1 : 0;
}
