// SPDX-License-Identifier: MIT
/*
 * A case, run in one of the modes and checked: the arguments are laid out in memory, with a guard
 * behind each output; the API builds, compiles and runs it; what it says and the outputs are
 * compared with what the case expects.
 */
#include "tests/conformance/case.h"
#include "tests/conformance/clock.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* Bytes behind an output, which must not change. */
#define NNV_GUARD 64
#define NNV_GUARD_BYTE 0xa5
/* Alignment of an argument in shared memory, and of one that has a memory of its own. */
#define NNV_ALIGN 64
#define NNV_PAGE 4096
#define NNV_SIGNAL_DELAY_NS (4u * 1000 * 1000)

static _Thread_local struct nnv_runner *nnv_current;

void nnv_runner_log(const char *text)
{
	if (nnv_current)
		snprintf(nnv_current->log, sizeof(nnv_current->log), "%s", text);
}

/*
 * Signals in-fences. A program that runs synchronously inside the submission needs its fence before
 * the submission returns, so the fence is signalled when that has returned or after a short time,
 * whichever is first.
 */
static void *nnv_signaller(void *arg)
{
	struct nnv_runner *runner = arg;
	const uint64_t one = 1;

	pthread_mutex_lock(&runner->lock);
	while (!runner->stop) {
		uint64_t until;

		if (runner->signal_fd < 0) {
			pthread_cond_wait(&runner->changed, &runner->lock);
			continue;
		}
		until = nnv_clock_now() + NNV_SIGNAL_DELAY_NS;
		while (!runner->submitted && !runner->stop) {
			if (nnv_clock_wait(&runner->changed, &runner->lock, until))
				break;
		}
		if (write(runner->signal_fd, &one, sizeof(one)) != sizeof(one))
			perror("eventfd");
		runner->signal_fd = -1;
		pthread_cond_broadcast(&runner->changed);
	}
	pthread_mutex_unlock(&runner->lock);
	return NULL;
}

int nnv_runner_init(struct nnv_runner *runner, struct nnv_device *device, enum nnv_mode mode,
		    uint64_t timeout_ns)
{
	memset(runner, 0, sizeof(*runner));
	runner->device = device;
	runner->mode = mode;
	runner->timeout_ns = timeout_ns;
	runner->signal_fd = -1;
	pthread_mutex_init(&runner->lock, NULL);
	nnv_clock_init_cond(&runner->changed);
	if (mode == NNV_MODE_FENCED && !device->sync_files) {
		int ret = pthread_create(&runner->signaller, NULL, nnv_signaller, runner);

		if (ret)
			return -ret;
		runner->signaller_runs = true;
	}
	return 0;
}

void nnv_runner_fini(struct nnv_runner *runner)
{
	if (runner->signaller_runs) {
		pthread_mutex_lock(&runner->lock);
		runner->stop = true;
		pthread_cond_broadcast(&runner->changed);
		pthread_mutex_unlock(&runner->lock);
		pthread_join(runner->signaller, NULL);
	}
	pthread_cond_destroy(&runner->changed);
	pthread_mutex_destroy(&runner->lock);
}

static void __attribute__((format(printf, 2, 3)))
nnv_fail(struct nnv_run *run, const char *format, ...)
{
	struct nnv_result *result = run->result;
	va_list args;
	size_t length;

	if (result->status == NNV_FAILED)
		return;
	result->status = NNV_FAILED;
	va_start(args, format);
	vsnprintf(result->message, sizeof(result->message), format, args);
	va_end(args);
	length = strlen(result->message);
	if (run->runner->log[0])
		snprintf(result->message + length, sizeof(result->message) - length, " [%s]",
			 run->runner->log);
}

uint64_t nnv_run_loop_limit_ns(const struct nnv_run *run)
{
	return run->item->flags & NNV_CASE_INFINITE_LOOP ? 50 * 1000000ull : 15000 * 1000000ull;
}

const struct nnv_subgraph *nnv_run_subgraph(const struct nnv_run *run, uint32_t number)
{
	const struct nnv_subgraph *subgraphs = nnv_file_at(run->file, run->item->subgraphs_off);

	return &subgraphs[number];
}

static bool nnv_is_dynamic(enum nnv_mode mode)
{
	return mode == NNV_MODE_DYNAMIC_OUTPUT || mode == NNV_MODE_INSUFFICIENT;
}

static const uint32_t *nnv_dims(const struct nnv_run *run, const struct nnv_operand *operand)
{
	return nnv_file_at(run->file, operand->dims_off);
}

const uint32_t *nnv_run_dims(const struct nnv_run *run, uint32_t subgraph,
			     const struct nnv_operand *operand)
{
	static const uint32_t unknown[NNV_MAX_RANK];

	if (!subgraph && operand->lifetime == NNV_OUTPUT && nnv_is_dynamic(run->runner->mode))
		return unknown;
	return nnv_dims(run, operand);
}

bool nnv_run_coupled(const struct nnv_run *run, const struct nnv_operand *operand)
{
	return run->runner->mode == NNV_MODE_QUANT_COUPLING &&
	       operand->type == NNA_OPERAND_TENSOR_QUANT8_ASYMM;
}

uint32_t nnv_run_type(const struct nnv_run *run, const struct nnv_operand *operand)
{
	return nnv_run_coupled(run, operand) ? NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED :
					       operand->type;
}

int32_t nnv_run_zero_point(const struct nnv_run *run, const struct nnv_operand *operand)
{
	return operand->zero_point - (nnv_run_coupled(run, operand) ? 128 : 0);
}

void nnv_run_copy_data(const struct nnv_run *run, const struct nnv_operand *operand, uint8_t *to)
{
	const uint8_t *from = nnv_file_at(run->file, operand->data_off);

	if (!operand->data_size)
		return;
	memcpy(to, from, operand->data_size);
	if (nnv_run_coupled(run, operand)) {
		for (uint32_t i = 0; i < operand->data_size; i++)
			to[i] ^= 0x80;
	}
}

/* "OPERATION TYPE": the type of the first tensor among its inputs, else among its outputs. */
static void nnv_describe(const struct nnv_run *run, const struct nnv_operation *operation,
			 char *text, size_t size)
{
	const struct nnv_operand *operands = nnv_file_at(run->file, run->main->operands_off);
	const uint32_t *inputs = nnv_file_at(run->file, operation->inputs_off);
	const uint32_t *outputs = nnv_file_at(run->file, operation->outputs_off);
	const char *name = nna_operation_name(operation->type), *type = NULL;

	for (uint32_t i = 0; i < operation->input_count && !type; i++) {
		if (nnv_type_is_tensor(operands[inputs[i]].type))
			type = nna_operand_type_name(nnv_run_type(run, &operands[inputs[i]]));
	}
	for (uint32_t i = 0; i < operation->output_count && !type; i++)
		type = nna_operand_type_name(nnv_run_type(run, &operands[outputs[i]]));
	if (name)
		snprintf(text, size, "%s %s", name, type ? type : "?");
	else
		snprintf(text, size, "operation %u %s", operation->type, type ? type : "?");
}

static void nnv_name_operation(struct nnv_run *run)
{
	const struct nnv_operation *operations = nnv_file_at(run->file, run->main->operations_off);
	const struct nnv_operation *chosen = operations;

	for (uint32_t i = 0; i < run->main->operation_count; i++) {
		if (operations[i].type != NNA_OPERATION_ADD) {
			chosen = &operations[i];
			break;
		}
	}
	if (chosen)
		nnv_describe(run, chosen, run->result->operation, sizeof(run->result->operation));
}

/* Return: true when every operation can be compiled. */
static bool nnv_supported(struct nnv_run *run, int *error)
{
	const struct nnv_operation *operations = nnv_file_at(run->file, run->main->operations_off);
	struct nnv_result *result = run->result;
	bool *supported, all = true;
	char text[64];
	size_t used = 0;

	*error = 0;
	supported = calloc(run->main->operation_count + 1, sizeof(*supported));
	if (!supported) {
		*error = -ENOMEM;
		return false;
	}
	*error = run->runner->device->api->supported(run, supported);
	for (uint32_t i = 0; !*error && i < run->main->operation_count; i++) {
		if (supported[i])
			continue;
		all = false;
		nnv_describe(run, &operations[i], text, sizeof(text));
		if (!strstr(result->missing, text) &&
		    used + strlen(text) + 2 < sizeof(result->missing))
			used += sprintf(result->missing + used, "%s%s", used ? "\n" : "", text);
	}
	free(supported);
	return all && !*error;
}

static struct nnv_slot *nnv_output(const struct nnv_run *run, uint32_t index)
{
	return &run->slots[run->main->input_count + index];
}

/* Lays out the slots and fills in the inputs. All sizes are of the file: no sum overflows. */
static int nnv_lay_out(struct nnv_run *run)
{
	const struct nnv_operand *operands = nnv_file_at(run->file, run->main->operands_off);
	const uint32_t *inputs = nnv_file_at(run->file, run->main->inputs_off);
	const uint32_t *outputs = nnv_file_at(run->file, run->main->outputs_off);
	enum nnv_mode mode = run->runner->mode;
	size_t align;
	int ret;

	if (mode == NNV_MODE_SHARED_MEMORY)
		run->kind = NNV_MEMORY_SHARED;
	/* A fence says that outputs are ready only where the device writes them itself. */
	if (mode == NNV_MODE_DEVICE_MEMORY ||
	    (mode == NNV_MODE_FENCED && run->runner->device->sync_files))
		run->kind = NNV_MEMORY_DEVICE;
	align = run->kind == NNV_MEMORY_DEVICE ? NNV_PAGE : NNV_ALIGN;
	run->slot_count = run->main->input_count + run->main->output_count;
	run->slots = calloc(run->slot_count + 1, sizeof(*run->slots));
	if (!run->slots)
		return -ENOMEM;
	for (uint32_t i = 0; i < run->slot_count; i++) {
		struct nnv_slot *slot = &run->slots[i];

		slot->output = i >= run->main->input_count;
		slot->number = slot->output ? i - run->main->input_count : i;
		slot->operand = &operands[slot->output ? outputs[slot->number] : inputs[i]];
		slot->size = slot->operand->data_size;
		slot->omitted = !slot->output && !slot->size;
		if (slot->output && !slot->size)
			slot->size = 1;
		slot->bound = slot->size - (mode == NNV_MODE_INSUFFICIENT && slot->output &&
					    slot->number == 0);
		slot->offset = run->size;
		run->size += slot->size + (slot->output ? NNV_GUARD : 0);
		run->size = (run->size + align - 1) & ~(align - 1);
	}
	run->size += align;
	ret = run->runner->device->api->allocate(run);
	if (ret)
		return ret;
	for (uint32_t i = 0; i < run->slot_count; i++) {
		struct nnv_slot *slot = &run->slots[i];

		if (slot->output)
			memset(run->memory + slot->offset, NNV_GUARD_BYTE, slot->size + NNV_GUARD);
		else
			nnv_run_copy_data(run, slot->operand, run->memory + slot->offset);
	}
	return 0;
}

/* Behind another run of the same model, whose fence is a sync_file. */
static int nnv_submit_behind_run(struct nnv_run *run)
{
	const struct nnv_api *api = run->runner->device->api;
	int ret;

	ret = api->prepare(run, 1);
	if (!ret)
		ret = api->submit(run, 1, -1);
	if (ret)
		return ret;
	/* A program that ran synchronously may have no sync_file: it has ended already. */
	run->in_fence = api->export_fence(run, 1);
	ret = run->in_fence < 0 && run->in_fence != -ENOTSUP ? run->in_fence : 0;
	if (!ret)
		ret = api->submit(run, 0, run->in_fence < 0 ? -1 : run->in_fence);
	api->wait(run, 1);
	return ret;
}

/* Behind an eventfd that is not signalled when the submission starts. */
static int nnv_submit_behind_signal(struct nnv_run *run)
{
	struct nnv_runner *runner = run->runner;
	int ret;

	run->in_fence = eventfd(0, EFD_CLOEXEC);
	if (run->in_fence < 0)
		return -errno;
	pthread_mutex_lock(&runner->lock);
	runner->submitted = false;
	runner->signal_fd = run->in_fence;
	pthread_cond_broadcast(&runner->changed);
	pthread_mutex_unlock(&runner->lock);

	ret = runner->device->api->submit(run, 0, run->in_fence);

	pthread_mutex_lock(&runner->lock);
	runner->submitted = true;
	pthread_cond_broadcast(&runner->changed);
	while (runner->signal_fd >= 0)
		pthread_cond_wait(&runner->changed, &runner->lock);
	pthread_mutex_unlock(&runner->lock);
	return ret;
}

/* What the device writes itself is ready when the fence's fd is, without asking the API. */
static int nnv_wait_fd(struct nnv_run *run)
{
	struct pollfd poll_fd = { .events = POLLIN };
	int ret;

	poll_fd.fd = run->runner->device->api->export_fence(run, 0);
	if (poll_fd.fd < 0)
		return poll_fd.fd == -ENOTSUP ? 0 : poll_fd.fd;
	ret = poll(&poll_fd, 1, run->runner->timeout_ns / 1000000);
	close(poll_fd.fd);
	return ret == 1 ? 0 : -ETIME;
}

static int nnv_execute(struct nnv_run *run)
{
	const struct nnv_device *device = run->runner->device;
	int ret;

	switch (run->runner->mode) {
	case NNV_MODE_ASYNC:
		ret = device->api->submit(run, 0, -1);
		break;
	case NNV_MODE_FENCED:
		ret = device->sync_files ? nnv_submit_behind_run(run) :
					   nnv_submit_behind_signal(run);
		if (!ret && device->sync_files)
			ret = nnv_wait_fd(run);
		break;
	default:
		return device->api->compute(run);
	}
	return ret ? ret : device->api->wait(run, 0);
}

static bool nnv_check_dims(struct nnv_run *run, uint32_t index)
{
	const struct nnv_slot *slot = nnv_output(run, index);
	const uint32_t *expected = nnv_dims(run, slot->operand);
	uint32_t element = nnv_type_size(slot->operand->type);
	uint64_t bytes = element;
	uint32_t dims[NNACCEL_MAX_RANK], rank = 0;
	bool small = run->runner->mode == NNV_MODE_INSUFFICIENT && index == 0;
	bool wrong;
	int ret;

	ret = run->runner->device->api->output_dims(run, index, &rank, dims);
	if (ret != (small ? -ENOSPC : 0)) {
		nnv_fail(run, "output %u: no dimensions: %s", index,
			 ret ? strerror(-ret) : "success");
		return false;
	}
	wrong = rank > NNACCEL_MAX_RANK || (slot->operand->rank && rank != slot->operand->rank);
	for (uint32_t i = 0; i < rank && !wrong; i++) {
		bytes *= dims[i];
		wrong = slot->operand->rank && expected[i] && expected[i] != dims[i];
	}
	if (wrong || bytes != slot->operand->data_size) {
		char text[256];
		int used = 0;

		for (uint32_t i = 0; i < rank && i < NNACCEL_MAX_RANK; i++)
			used += snprintf(text + used, sizeof(text) - used, " %u", dims[i]);
		used += snprintf(text + used, sizeof(text) - used, ", expected");
		for (uint32_t i = 0; i < slot->operand->rank && used < 200; i++)
			used += snprintf(text + used, sizeof(text) - used, " %u", expected[i]);
		nnv_fail(run, "output %u: dimensions%s (%u bytes)", index, text,
			 slot->operand->data_size);
		return false;
	}
	return true;
}

static void nnv_check_output(struct nnv_run *run, uint32_t index)
{
	const struct nnv_slot *slot = nnv_output(run, index);
	const struct nnv_operand *operand = slot->operand;
	const uint8_t *got = run->memory + slot->offset;
	uint32_t type = nnv_run_type(run, operand);
	struct nnv_tolerance tolerance = nnv_case_tolerance(run->item, type);
	size_t count = operand->data_size / nnv_type_size(type);
	const void *expected = nnv_file_at(run->file, operand->data_off);
	uint8_t *coupled = NULL;
	char text[256] = "";
	size_t wrong;

	for (size_t i = slot->size; i < slot->size + NNV_GUARD; i++) {
		if (got[i] != NNV_GUARD_BYTE) {
			nnv_fail(run, "output %u: byte %zu written, it has %zu", index, i,
				 slot->size);
			return;
		}
	}
	if (!nnv_check_dims(run, index) || operand->flags & NNV_OPERAND_IGNORED || !count)
		return;
	if (run->item->multinomial_tolerance > 0.0f) {
		const struct nnv_operand *logits = run->slots[0].operand;
		const uint32_t *in = nnv_dims(run, logits), *out = nnv_dims(run, operand);

		if (run->main->input_count < 1 || logits->rank != 2 || operand->rank != 2 ||
		    in[0] != out[0] || type != NNA_OPERAND_TENSOR_INT32) {
			nnv_fail(run, "output %u: not the shape of a multinomial", index);
			return;
		}
		wrong = nnv_compare_multinomial(
			logits->type, nnv_file_at(run->file, logits->data_off), in[0], in[1],
			(const int32_t *)got, out[1], run->item->multinomial_tolerance, text,
			sizeof(text));
	} else {
		if (nnv_run_coupled(run, operand)) {
			coupled = malloc(operand->data_size);
			if (!coupled) {
				nnv_fail(run, "no memory");
				return;
			}
			nnv_run_copy_data(run, operand, coupled);
			expected = coupled;
		}
		wrong = nnv_compare(type, expected, got, count, &tolerance, text, sizeof(text));
		free(coupled);
	}
	if (wrong)
		nnv_fail(run, "output %u (%s): %s; %zu of %zu differ", index,
			 nna_operand_type_name(type), text, wrong, count);
}

static void nnv_run_supported(struct nnv_run *run)
{
	const struct nnv_api *api = run->runner->device->api;
	bool expect_failure = run->item->flags & NNV_CASE_EXPECT_FAILURE;
	bool endless = run->item->flags & NNV_CASE_INFINITE_LOOP;
	int ret;

	ret = api->compile(run);
	if (ret) {
		if (!expect_failure || ret == -ENOMEM || ret == -ENODEV)
			nnv_fail(run, "compile: %s", strerror(-ret));
		return;
	}
	ret = nnv_lay_out(run);
	if (ret) {
		nnv_fail(run, "memory: %s", strerror(-ret));
		return;
	}
	ret = api->prepare(run, 0);
	if (ret) {
		if (!expect_failure)
			nnv_fail(run, "bind: %s", strerror(-ret));
		return;
	}
	ret = nnv_execute(run);
	if (endless) {
		if (ret != -ETIMEDOUT)
			nnv_fail(run, "an endless loop ended with: %s",
				 ret ? strerror(-ret) : "success");
		return;
	}
	if (expect_failure) {
		if (!ret || ret == -ENODEV)
			nnv_fail(run, "expected to fail, ended with: %s",
				 ret ? strerror(-ret) : "success");
		return;
	}
	if (run->runner->mode == NNV_MODE_INSUFFICIENT) {
		if (ret != -ENOSPC)
			nnv_fail(run, "too small an output ended with: %s",
				 ret ? strerror(-ret) : "success");
		else
			nnv_check_dims(run, 0);
		return;
	}
	if (!ret)
		ret = api->fetch(run);
	if (ret) {
		nnv_fail(run, "run: %s", strerror(-ret));
		return;
	}
	for (uint32_t i = 0; i < run->main->output_count; i++)
		nnv_check_output(run, i);
}

static bool nnv_in_mode(const struct nnv_run *run)
{
	const uint32_t *outputs = nnv_file_at(run->file, run->main->outputs_off);
	const struct nnv_operand *operands = nnv_file_at(run->file, run->main->operands_off);
	uint32_t flags = run->item->flags;

	switch (run->runner->mode) {
	case NNV_MODE_FENCED:
	case NNV_MODE_DEVICE_MEMORY:
		return flags & NNV_CASE_DEVICE_MEMORY_OK;
	case NNV_MODE_DYNAMIC_OUTPUT:
		return flags & NNV_CASE_DYNAMIC_OUTPUT_OK;
	case NNV_MODE_QUANT_COUPLING:
		return flags & NNV_CASE_QUANT_COUPLING_OK;
	case NNV_MODE_INSUFFICIENT:
		return flags & NNV_CASE_DYNAMIC_OUTPUT_OK &&
		       !(flags & (NNV_CASE_EXPECT_FAILURE | NNV_CASE_INFINITE_LOOP)) &&
		       run->main->output_count && operands[outputs[0]].data_size > 1;
	default:
		return true;
	}
}

/* The library has a limit of its own, which is no fault of the case. */
static bool nnv_rank_too_high(const struct nnv_run *run)
{
	for (uint32_t s = 0; s < run->item->subgraph_count; s++) {
		const struct nnv_subgraph *subgraph = nnv_run_subgraph(run, s);
		const struct nnv_operand *operands = nnv_file_at(run->file, subgraph->operands_off);

		for (uint32_t i = 0; i < subgraph->operand_count; i++) {
			if (operands[i].rank > NNACCEL_MAX_RANK)
				return true;
		}
	}
	return false;
}

/* Whether the case has an operation that came after the version that the device claims to have. */
static bool nnv_is_newer(const struct nnv_run *run)
{
	/* The last operation of versions 1 and 2; from 3 on there are all. */
	static const uint32_t last[] = { NNA_OPERATION_RANK, NNA_OPERATION_PACK };
	uint32_t version = run->runner->device->version;

	if (version < 1 || version > 2)
		return false;
	for (uint32_t s = 0; s < run->item->subgraph_count; s++) {
		const struct nnv_subgraph *subgraph = nnv_run_subgraph(run, s);
		const struct nnv_operation *operations =
			nnv_file_at(run->file, subgraph->operations_off);

		for (uint32_t i = 0; i < subgraph->operation_count; i++) {
			if (operations[i].type > last[version - 1])
				return true;
		}
	}
	return false;
}

void nnv_case_run(struct nnv_runner *runner, const struct nnv_file *file,
		  const struct nnv_case *item, struct nnv_result *result)
{
	struct nnv_run run = {
		.runner = runner,
		.file = file,
		.item = item,
		.result = result,
		.in_fence = -1,
		.main = nnv_file_at(file, item->subgraphs_off),
	};
	int ret;

	nnv_current = runner;
	runner->log[0] = '\0';
	result->status = NNV_PASSED;
	result->message[0] = result->missing[0] = result->operation[0] = '\0';
	nnv_name_operation(&run);
	if (!nnv_in_mode(&run)) {
		result->status = NNV_NOT_IN_MODE;
		return;
	}
	if (nnv_rank_too_high(&run)) {
		result->status = NNV_SKIPPED;
		snprintf(result->missing, sizeof(result->missing), "%.48s of rank above %d",
			 result->operation, NNACCEL_MAX_RANK);
		return;
	}
	ret = runner->device->api->build(&run);
	if (ret == -EINVAL && (item->flags & NNV_CASE_EXPECT_FAILURE || nnv_is_newer(&run))) {
		/* Refused as it should be. */
	} else if (!ret && nnv_is_newer(&run)) {
		nnv_fail(&run, "an operation that this version does not have was not refused");
	} else if (ret) {
		nnv_fail(&run, "model: %s", strerror(-ret));
	} else if (nnv_supported(&run, &ret) || (!ret && item->flags & NNV_CASE_EXPECT_FAILURE)) {
		/* What is not supported for being wrong has to fail when it is compiled. */
		result->missing[0] = '\0';
		nnv_run_supported(&run);
	} else if (ret) {
		nnv_fail(&run, "supported operations: %s", strerror(-ret));
	} else {
		result->status = NNV_SKIPPED;
	}
	runner->device->api->release(&run);
	if (run.in_fence >= 0)
		close(run.in_fence);
	free(run.slots);
	nnv_current = NULL;
}
