// SPDX-License-Identifier: MIT
/*
 * Compiled programs that somebody has changed where they were kept: the input says where a blob of
 * a small graph is changed and to what, and whether it gets the checksum that it then should have;
 * or it is the blob. What is loaded is run on the loopback, whose tiles are watched, and may fail
 * or compute nonsense, but not harm this process.
 */
#include <stdbool.h>
#include <string.h>

#include "libnnaccel/support/digest.h"
#include "libnnaccel/runtime/blob.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/work.h"
#include "tests/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define N 16u
#define BLOB_MOST 65536u
/* Blocks that loading and one run may take. */
#define WORK_MOST 1000000000ull

/* A blob in memory, as a writer's and as a reader's. */
struct bytes {
	uint8_t data[BLOB_MOST];
	size_t size, at;
};

static int write_bytes(void *user, const void *data, size_t size)
{
	struct bytes *b = user;

	must(size <= sizeof(b->data) - b->size);
	memcpy(b->data + b->size, data, size);
	b->size += size;
	return 0;
}

static int read_bytes(void *user, void *data, size_t size)
{
	struct bytes *b = user;

	must(size <= b->size - b->at);
	memcpy(data, b->data + b->at, size);
	b->at += size;
	return 0;
}

static uint32_t operand(struct nna_graph *g, uint32_t type, uint32_t rank, const uint32_t *dims)
{
	struct nna_operand_desc desc = { .type = type, .rank = rank, .dims = dims };
	int ret = nna_graph_add_operand(g, 0, &desc);

	must(ret >= 0);
	return (uint32_t)ret;
}

/* out = softmax(a + constant) */
static struct nna_graph *make_graph(void)
{
	const uint32_t n[] = { 1, N };
	const float one = 1;
	const int32_t none = 0;
	float values[N] = { 1, 2, 3 };
	uint32_t in[3], sum, out, beta;
	struct nna_graph *g;

	must(!nna_graph_create(NULL, &g));
	in[0] = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 2, n);
	in[1] = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 2, n);
	in[2] = operand(g, NNA_OPERAND_INT32, 0, NULL);
	sum = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 2, n);
	beta = operand(g, NNA_OPERAND_FLOAT32, 0, NULL);
	out = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 2, n);
	must(!nna_graph_set_constant(g, 0, in[1], values, sizeof(values), false));
	must(!nna_graph_set_constant(g, 0, in[2], &none, sizeof(none), false));
	must(!nna_graph_set_constant(g, 0, beta, &one, sizeof(one), false));
	must(!nna_graph_add_operation(g, 0, NNA_OPERATION_ADD, 3, in, 1, &sum));
	must(!nna_graph_add_operation(g, 0, NNA_OPERATION_SOFTMAX, 2, (uint32_t[]){ sum, beta }, 1,
				      &out));
	must(!nna_graph_set_io(g, 0, 1, in, 1, &out));
	must(!nna_graph_finish(g));
	return g;
}

/* Give a blob the checksum that it should have, if its sizes agree. */
static void seal(struct bytes *b)
{
	struct nna_blob_header h;
	uint64_t checksum[2], at = sizeof(h), ios;
	struct nna_digest d;

	if (b->size < sizeof(h))
		return;
	memcpy(&h, b->data, sizeof(h));
	ios = ((uint64_t)h.input_count + h.output_count) * sizeof(struct nna_blob_io);
	if (h.size != b->size || h.constants_size > b->size ||
	    at + ios + 4ull * h.operation_count + h.stream_size + h.constants_size + 16 != b->size)
		return;
	nna_digest_begin(&d);
	nna_digest_add(&d, b->data, sizeof(h));
	nna_digest_add(&d, b->data + at, ios);
	at += ios;
	nna_digest_add(&d, b->data + at, 4ull * h.operation_count);
	at += 4ull * h.operation_count;
	nna_digest_add(&d, b->data + at, h.stream_size);
	nna_digest_add(&d, b->data + at + h.stream_size, h.constants_size);
	nna_digest_end(&d, checksum);
	memcpy(b->data + b->size - sizeof(checksum), checksum, sizeof(checksum));
}

static void run(struct nna_program *program)
{
	static uint8_t in[4096], out[4096];
	struct nna_execution *e;
	struct nna_io_info info[2];

	if (nna_program_input_count(program) != 1 || nna_program_output_count(program) != 1 ||
	    nna_program_get_input(program, 0, &info[0]) ||
	    nna_program_get_output(program, 0, &info[1]) || info[0].size > sizeof(in) ||
	    info[1].size > sizeof(out))
		return;
	must(!nna_execution_create(program, &e));
	if (!nna_execution_set_input(e, 0, 0, NULL, in, info[0].size) &&
	    !nna_execution_set_output(e, 0, 0, NULL, out, info[1].size))
		nna_execution_compute(e);
	nna_execution_destroy(e);
}

static struct nna_device *device;
static struct nna_graph *graph;
static struct bytes saved;

static void begin(void)
{
	const struct nna_blob_writer writer = { write_bytes, &saved };
	struct nna_program *program;

	must(!nna_device_open("loopback", NULL, &device));
	graph = make_graph();
	must(!nna_program_create(device, graph, NULL, &program));
	must(!nna_program_save(program, &writer));
	nna_program_destroy(program);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct bytes b;
	const struct nna_blob_reader reader = { read_bytes, &b, 0 };
	struct nna_blob_reader r = reader;
	struct input in = { data, size };
	struct nna_program *program;
	uint32_t how;
	uint64_t before;

	if (!device)
		begin();
	before = work_everywhere();
	how = (uint32_t)take(&in, 1);
	b.at = 0;
	if (how & 1) {
		memcpy(b.data, saved.data, saved.size);
		b.size = saved.size;
		while (in.size) {
			uint32_t width = 1u << take(&in, 1) % 4;
			size_t at = take(&in, 2) % (b.size - 8);
			uint64_t value = take(&in, width);

			/* Half of them in the header and the tables. */
			if (how & 8)
				at %= sizeof(struct nna_blob_header) + 256;
			memcpy(b.data + at, &value, width);
		}
		if (how & 2)
			seal(&b);
	} else {
		b.size = in.size < sizeof(b.data) ? in.size : sizeof(b.data);
		memcpy(b.data, in.data, b.size);
	}
	r.size = b.size;
	if (!nna_program_load(device, how & 4 ? graph : NULL, NULL, &r, &program)) {
		run(program);
		nna_program_destroy(program);
	}
	must(work_everywhere() - before < WORK_MOST);
	return 0;
}
