// SPDX-License-Identifier: MIT
/*
 * nnv_mutate: conformance vectors with a few words changed, on the loopback, through libnnaccel or
 * the NNAPI C API.
 *
 * Every case is a sound model; with an operand's type, a dimension, a constant or an operand number
 * changed it becomes one that a careless or hostile caller could build. The library has to refuse
 * it or to run it: no crash, no stall, no byte outside its memory. Results are not looked at. Meant
 * for a build with the sanitizers; a failure is repeated with the seed and the number that were
 * printed last.
 */
#include <errno.h>
#include <fts.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/conformance/case.h"

#define CASE_SECONDS 30
#define MAX_FILE (256 * 1024)

static uint64_t random_state;

static uint32_t random_word(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state >> 32;
}

static uint32_t random_below(uint32_t limit)
{
	return limit ? random_word() % limit : 0;
}

/* What is likely to be a limit of something. */
static uint32_t random_value(uint32_t old)
{
	static const uint32_t values[] = {
		0,	    1,		2,	    3,		4,	    5,		7,
		8,	    15,		16,	    17,		64,	    127,	128,
		255,	    256,	1000,	    65535,	65536,	    1u << 20,	0x7fffffff,
		0x80000000, 0xffffffff, 0xfffffffe, 0x7f800000, 0x7fc00000, 0xff800000, 1u << 23,
	};

	switch (random_below(4)) {
	case 0:
		return old + 1;
	case 1:
		return old - 1;
	case 2:
		return old ^ 1u << random_below(32);
	default:
		return values[random_below(sizeof(values) / sizeof(values[0]))];
	}
}

static void change_word(uint8_t *bytes, uint32_t offset, uint32_t index, uint32_t limit)
{
	uint32_t *word = (uint32_t *)(bytes + offset) + index;

	*word = limit ? random_below(limit) : random_value(*word);
}

static void change_operand(uint8_t *bytes, struct nnv_operand *operand)
{
	switch (random_below(7)) {
	case 0:
		operand->type = random_below(16);
		break;
	case 1:
		operand->zero_point = random_value(operand->zero_point);
		break;
	case 2:
		memcpy(&operand->scale, &(uint32_t){ random_value(0x3f800000) }, 4);
		break;
	case 3:
		if (operand->rank)
			change_word(bytes, operand->dims_off, random_below(operand->rank), 0);
		break;
	case 4:
		if (operand->rank)
			operand->rank--;
		break;
	case 5:
		operand->lifetime = random_below(6);
		break;
	default:
		if (operand->data_size >= 4)
			change_word(bytes, operand->data_off, random_below(operand->data_size / 4),
				    0);
		break;
	}
}

/* Data of another size: whatever the file has there, so that the container stays sound. */
static void fit_data(uint8_t *bytes, size_t size, struct nnv_operand *operand)
{
	uint64_t needed = nnv_type_size(operand->type);
	const uint32_t *dims = (const uint32_t *)(bytes + operand->dims_off);

	if (!operand->data_size || operand->lifetime == NNV_SUBGRAPH)
		return;
	if (!nnv_type_is_tensor(operand->type))
		operand->rank = 0;
	for (uint32_t i = 0; i < operand->rank; i++) {
		if (__builtin_mul_overflow(needed, dims[i], &needed))
			return;
	}
	if (!operand->rank)
		operand->dims_off = 0;
	if (!needed || needed > size - 64)
		return;
	operand->data_size = needed;
	if (operand->data_off > size - needed)
		operand->data_off = (size - needed) & ~7ul;
}

static void change_subgraph(uint8_t *bytes, struct nnv_subgraph *subgraph)
{
	struct nnv_operation *operation = (void *)(bytes + subgraph->operations_off);
	struct nnv_operand *operands = (void *)(bytes + subgraph->operands_off);

	if (subgraph->operation_count)
		operation += random_below(subgraph->operation_count);
	switch (random_below(8)) {
	case 0:
		if (subgraph->operation_count)
			operation->type = random_below(108);
		break;
	case 1:
		if (subgraph->operation_count && operation->input_count)
			change_word(bytes, operation->inputs_off,
				    random_below(operation->input_count), subgraph->operand_count);
		break;
	case 2:
		if (subgraph->operation_count && operation->input_count)
			operation->input_count--;
		break;
	case 3:
		if (subgraph->operation_count && operation->output_count)
			change_word(bytes, operation->outputs_off,
				    random_below(operation->output_count), subgraph->operand_count);
		break;
	default:
		if (subgraph->operand_count)
			change_operand(bytes, &operands[random_below(subgraph->operand_count)]);
		break;
	}
}

/* Runs one changed case of @original. */
static void mutate(struct nnv_runner *runner, const struct nnv_file *original, uint8_t *bytes,
		   struct nnv_result *result)
{
	uint32_t index = random_below(nnv_file_header(original)->case_count);
	struct nnv_subgraph *subgraphs;
	struct nnv_file changed;
	struct nnv_case *item;

	memcpy(bytes, original->base, original->size);
	item = (struct nnv_case *)(bytes + nnv_file_header(original)->cases_off) + index;
	subgraphs = (struct nnv_subgraph *)(bytes + item->subgraphs_off);
	for (uint32_t n = 1 + random_below(3); n; n--)
		change_subgraph(bytes, &subgraphs[random_below(item->subgraph_count)]);
	for (uint32_t s = 0; s < item->subgraph_count; s++) {
		struct nnv_operand *operands = (void *)(bytes + subgraphs[s].operands_off);

		for (uint32_t i = 0; i < subgraphs[s].operand_count; i++)
			fit_data(bytes, original->size, &operands[i]);
	}
	/* What the container itself does not allow cannot reach the library. */
	if (nnv_file_parse(bytes, original->size, &changed, NULL, 0))
		return;
	alarm(CASE_SECONDS);
	nnv_case_run(runner, &changed, nnv_file_case(&changed, index), result);
	alarm(0);
}

static int load(char *path, struct nnv_file **files, size_t *count)
{
	char *paths[] = { path, NULL };
	FTS *walk = fts_open(paths, FTS_LOGICAL | FTS_NOCHDIR, NULL);
	struct nnv_file file, *grown;
	FTSENT *entry;

	while (walk && (entry = fts_read(walk))) {
		size_t length = strlen(entry->fts_path);

		if (entry->fts_info != FTS_F || length < 4 ||
		    strcmp(entry->fts_path + length - 4, ".nnv") ||
		    entry->fts_statp->st_size > MAX_FILE)
			continue;
		if (nnv_file_open(entry->fts_path, &file, NULL, 0))
			continue;
		grown = reallocarray(*files, *count + 1, sizeof(file));
		if (!grown)
			return -ENOMEM;
		*files = grown;
		grown[(*count)++] = file;
	}
	if (walk)
		fts_close(walk);
	return *count ? 0 : -ENOENT;
}

int main(int argc, char **argv)
{
	struct nnv_device device = { .api = &nnv_api_nnaccel };
	struct nnv_result *result = malloc(sizeof(*result));
	unsigned long seed, count, first = 0, ran[4] = { 0 };
	struct nnv_file *files = NULL;
	struct nnv_runner runner;
	uint8_t *bytes = aligned_alloc(64, MAX_FILE);
	size_t file_count = 0;
	int ret;

	if (argc > 1 && !strcmp(argv[1], "--api=nnapi")) {
		device.api = &nnv_api_nnapi;
		argv++;
		argc--;
	}
	if (argc < 4) {
		fprintf(stderr, "usage: nnv_mutate [--api=nnapi] DIR SEED COUNT [FIRST]\n");
		return 2;
	}
	seed = strtoul(argv[2], NULL, 0);
	count = strtoul(argv[3], NULL, 0);
	if (argc > 4)
		first = strtoul(argv[4], NULL, 0);
	ret = bytes && result ? load(argv[1], &files, &file_count) : -ENOMEM;
	if (!ret)
		ret = device.api->open("loopback", 1, &device);
	if (!ret)
		ret = nnv_runner_init(&runner, &device, NNV_MODE_SYNC, 5000000000ull);
	if (ret) {
		fprintf(stderr, "nnv_mutate: %s\n", strerror(-ret));
		return 2;
	}
	for (unsigned long i = first; i < first + count; i++) {
		random_state = (seed << 32 ^ i) * 0x9e3779b97f4a7c15ull | 1;
		random_word();
		random_word();
		if (getenv("NNV_TRACE"))
			fprintf(stderr, "number %lu\n", i);
		result->status = NNV_NOT_IN_MODE;
		mutate(&runner, &files[random_below(file_count)], bytes, result);
		ran[result->status]++;
	}
	nnv_runner_fini(&runner);
	device.api->close(&device);
	for (size_t i = 0; i < file_count; i++)
		nnv_file_close(&files[i]);
	free(files);
	free(bytes);
	free(result);
	printf("%lu changed cases: %lu as before, %lu refused or different, %lu not supported, %lu "
	       "unsound files\n",
	       count, ran[NNV_PASSED], ran[NNV_FAILED], ran[NNV_SKIPPED], ran[NNV_NOT_IN_MODE]);
	return 0;
}
