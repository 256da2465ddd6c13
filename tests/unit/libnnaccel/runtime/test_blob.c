// SPDX-License-Identifier: MIT
/*
 * Saved programs on the loopback: what is loaded computes the same, with its graph and without;
 * what is damaged, another's or cut short is refused; what has a right checksum all the same harms
 * nothing.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "libnnaccel/support/digest.h"
#include "libnnaccel/runtime/blob.h"
#include "tests/unit/libnnaccel/runtime/sum.h"

#define N 16u

/* A blob in memory, as a writer's and as a reader's. */
struct bytes {
	uint8_t *data;
	size_t size, at, limit;
};

static int write_bytes(void *user, const void *data, size_t size)
{
	struct bytes *b = user;

	if (b->limit && b->size + size > b->limit)
		return -EFBIG;
	b->data = realloc(b->data, b->size + size);
	assert_non_null(b->data);
	memcpy(b->data + b->size, data, size);
	b->size += size;
	return 0;
}

static int read_bytes(void *user, void *data, size_t size)
{
	struct bytes *b = user;

	/* A library that asks for more than it was told of has not checked something. */
	assert_true(size <= b->size - b->at);
	memcpy(data, b->data + b->at, size);
	b->at += size;
	return 0;
}

static int load(struct nna_device *device, struct nna_graph *graph, struct bytes *b,
		uint32_t preference, struct nna_program **out)
{
	const struct nna_program_options options = { .priority = NNA_PRIORITY_MEDIUM,
						   .preference = preference };
	const struct nna_blob_reader reader = { read_bytes, b, b->size };

	b->at = 0;
	*out = NULL;
	return nna_program_load(device, graph, &options, &reader, out);
}

static struct bytes save(struct nna_device *device, struct nna_graph *graph, uint32_t preference)
{
	const struct nna_program_options options = { .priority = NNA_PRIORITY_MEDIUM,
						   .preference = preference };
	struct bytes b = { 0 };
	const struct nna_blob_writer writer = { write_bytes, &b };
	struct nna_program *program;
	uint64_t size;

	assert_int_equal(nna_program_create(device, graph, &options, &program), 0);
	assert_int_equal(nna_program_save(program, &writer), 0);
	assert_int_equal(nna_program_saved_size(program, &size), 0);
	assert_int_equal(size, b.size);
	nna_program_destroy(program);
	return b;
}

/* out = a + constant, @n floats each, which the graph need not state of the result. */
static struct nna_graph *stated_graph(uint32_t n, float first, bool stated)
{
	const uint32_t unknown = 0;
	float values[N];
	struct nna_graph *g;
	uint32_t a, b, act, out;

	assert_true(n <= N);
	for (uint32_t i = 0; i < n; i++)
		values[i] = first + i;
	assert_int_equal(nna_graph_create(&test_log, &g), 0);
	a = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 1, &n, 0, 0);
	b = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 1, &n, 0, 0);
	assert_int_equal(nna_graph_set_constant(g, 0, b, values, n * sizeof(float), false), 0);
	act = scalar(g, 0);
	out = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 1, stated ? &n : &unknown, 0, 0);
	assert_int_equal(nna_graph_add_operation(g, 0, NNA_OPERATION_ADD, 3,
						 (uint32_t[]){ a, b, act }, 1, &out),
			 0);
	assert_int_equal(nna_graph_set_io(g, 0, 1, &a, 1, &out), 0);
	assert_int_equal(nna_graph_finish(g), 0);
	return g;
}

/* The same; the constants are @first and more. */
static struct nna_graph *constant_graph(uint32_t n, float first)
{
	return stated_graph(n, first, true);
}

/* Runs what constant_graph(N, 100) is, and looks at every result. */
static void check_run(struct nna_program *program)
{
	struct nna_execution *e;
	struct nna_io_info info;
	float in[N], out[N] = { 0 };

	assert_int_equal(nna_program_input_count(program), 1);
	assert_int_equal(nna_program_output_count(program), 1);
	assert_int_equal(nna_program_get_output(program, 0, &info), 0);
	assert_int_equal(info.type, NNA_OPERAND_TENSOR_FLOAT32);
	assert_int_equal(info.rank, 1);
	assert_int_equal(info.dims[0], N);
	assert_int_equal(info.size, sizeof(out));
	for (uint32_t i = 0; i < N; i++)
		in[i] = i * 0.5f;
	assert_int_equal(nna_execution_create(program, &e), 0);
	assert_int_equal(nna_execution_set_input(e, 0, 0, NULL, in, sizeof(in)), 0);
	assert_int_equal(nna_execution_set_output(e, 0, 0, NULL, out, sizeof(out)), 0);
	assert_int_equal(nna_execution_compute(e), 0);
	for (uint32_t i = 0; i < N; i++)
		assert_true(out[i] == in[i] + 100 + i);
	nna_execution_destroy(e);
}

static void test_loaded(void **state)
{
	struct nna_graph *graph = constant_graph(N, 100), *same = constant_graph(N, 100);
	struct bytes b = save(*state, graph, 0), again = { 0 };
	const struct nna_blob_writer writer = { write_bytes, &again };
	struct nna_program *program;

	assert_int_equal(load(*state, same, &b, 0, &program), 0);
	assert_int_equal(b.at, b.size);
	check_run(program);
	/* What was loaded saves as what it was. */
	assert_int_equal(nna_program_save(program, &writer), 0);
	assert_int_equal(again.size, b.size);
	assert_memory_equal(again.data, b.data, b.size);
	nna_program_destroy(program);
	nna_graph_unref(graph);
	nna_graph_unref(same);

	/* The graph is not needed for what the program can do. */
	assert_int_equal(load(*state, NULL, &b, 0, &program), 0);
	check_run(program);
	free(b.data);
	free(again.data);
	nna_program_destroy(program);
}

/* A program knows, also when it is loaded, which dimensions the graph has stated. */
static void test_stated(void **state)
{
	for (int stated = 0; stated < 2; stated++) {
		struct nna_graph *g = stated_graph(N, 100, stated);
		struct bytes b = save(*state, g, 0);

		for (int loaded = 0; loaded < 2; loaded++) {
			struct nna_program *program;
			struct nna_io_info info;

			if (loaded)
				assert_int_equal(load(*state, NULL, &b, 0, &program), 0);
			else
				assert_int_equal(nna_program_create(*state, g, NULL, &program), 0);
			assert_int_equal(nna_program_get_output(program, 0, &info), 0);
			assert_int_equal(info.stated, stated);
			assert_int_equal(info.size, N * sizeof(float));
			assert_int_equal(nna_program_get_input(program, 0, &info), 0);
			assert_true(info.stated);
			nna_program_destroy(program);
		}
		free(b.data);
		nna_graph_unref(g);
	}
}

/* A program without its graph has one shape; another is an error, and not compiled of nothing. */
static void test_fixed(void **state)
{
	const uint32_t other = N / 2;
	struct nna_graph *graph = constant_graph(N, 100);
	struct bytes b = save(*state, graph, 0), again = { 0 };
	const struct nna_blob_writer writer = { write_bytes, &again };
	struct nna_program *program;
	struct nna_execution *e;
	float in[N] = { 0 }, out[N];

	assert_int_equal(load(*state, NULL, &b, 0, &program), 0);
	assert_int_equal(nna_program_save(program, &writer), -ENOTSUP);
	assert_null(again.data);
	assert_int_equal(nna_execution_create(program, &e), 0);
	if (!nna_execution_set_input(e, 0, 1, &other, in, other * sizeof(float)) &&
	    !nna_execution_set_output(e, 0, 0, NULL, out, sizeof(out)))
		assert_true(nna_execution_compute(e) < 0);
	nna_execution_destroy(e);
	assert_int_equal(nna_execution_create(program, &e), 0);
	assert_int_equal(nna_execution_set_input(e, 0, 0, NULL, NULL, 0), 0);
	assert_int_equal(nna_execution_set_output(e, 0, 0, NULL, out, sizeof(out)), 0);
	assert_int_equal(nna_execution_compute(e), -ENOTSUP);
	nna_execution_destroy(e);
	check_run(program);
	nna_program_destroy(program);
	nna_graph_unref(graph);
	free(b.data);
}

static void test_others(void **state)
{
	struct nna_graph *graph = constant_graph(N, 100), *weights = constant_graph(N, 101);
	struct nna_graph *shape = constant_graph(N - 1, 100);
	struct bytes b = save(*state, graph, 1);
	struct nna_blob_header *h = (struct nna_blob_header *)b.data;
	struct nna_program *program;

	assert_int_equal(load(*state, weights, &b, 1, &program), -ESTALE);
	assert_int_equal(load(*state, shape, &b, 1, &program), -ESTALE);
	assert_int_equal(load(*state, graph, &b, 2, &program), -ESTALE);
	assert_null(program);
	h->build_id[0] ^= 1;
	assert_int_equal(load(*state, graph, &b, 1, &program), -ESTALE);
	h->build_id[0] ^= 1;
	h->device[1] ^= 1;
	assert_int_equal(load(*state, graph, &b, 1, &program), -ESTALE);
	h->device[1] ^= 1;
	h->layout_version++;
	assert_int_equal(load(*state, graph, &b, 1, &program), -ESTALE);
	h->layout_version--;
	setenv("NNACCEL_DEBUG", "no-fold", 1);
	assert_int_equal(load(*state, graph, &b, 1, &program), -ESTALE);
	unsetenv("NNACCEL_DEBUG");
	assert_int_equal(load(*state, graph, &b, 1, &program), 0);
	nna_program_destroy(program);
	nna_graph_unref(graph);
	nna_graph_unref(weights);
	nna_graph_unref(shape);
	free(b.data);
}

/* With one byte changed, whichever it is and to whatever, and cut short at each place. */
static void test_each_byte(void **state)
{
	struct nna_graph *graph = constant_graph(N, 100);
	struct bytes b = save(*state, graph, 0);
	struct nna_program *program;
	size_t size = b.size;

	for (size_t i = 0; i < size; i++) {
		for (uint32_t bit = 0; bit < 9; bit++) {
			uint8_t change = bit < 8 ? 1u << bit : 0xff;
			int ret;

			b.data[i] ^= change;
			ret = load(*state, i & 1 ? graph : NULL, &b, 0, &program);
			if (ret != -EBADMSG && ret != -ESTALE)
				fail_msg("byte %zu changed by %#x: %d", i, change, ret);
			b.data[i] ^= change;
		}
	}
	for (b.size = 0; b.size < size; b.size++)
		assert_int_equal(load(*state, graph, &b, 0, &program), -EBADMSG);
	b.data = realloc(b.data, size + 1);
	assert_non_null(b.data);
	b.data[size] = 0;
	b.size = size + 1;
	assert_int_equal(load(*state, graph, &b, 0, &program), -EBADMSG);
	b.size = size;
	assert_int_equal(load(*state, graph, &b, 0, &program), 0);
	check_run(program);
	nna_program_destroy(program);
	nna_graph_unref(graph);
	free(b.data);
}

/* Gives a changed blob the checksum that it should have, if its sizes agree. */
static bool seal(struct bytes *b)
{
	const struct nna_blob_header *h = (const struct nna_blob_header *)b->data;
	struct nna_digest d;
	uint64_t pieces[3] = { h->operation_count, h->stream_size, h->constants_size };
	uint64_t ios = (uint64_t)h->input_count + h->output_count, at = sizeof(*h);
	uint64_t checksum[2];

	if (h->size != b->size || pieces[2] > b->size ||
	    at + ios * sizeof(struct nna_blob_io) + 4 * pieces[0] + pieces[1] + pieces[2] + 16 !=
		    b->size)
		return false;
	nna_digest_begin(&d);
	nna_digest_add(&d, h, sizeof(*h));
	nna_digest_add(&d, b->data + at, ios * sizeof(struct nna_blob_io));
	at += ios * sizeof(struct nna_blob_io);
	nna_digest_add(&d, b->data + at, 4 * pieces[0]);
	at += 4 * pieces[0];
	nna_digest_add(&d, b->data + at, pieces[1]);
	nna_digest_add(&d, b->data + at + pieces[1], pieces[2]);
	nna_digest_end(&d, checksum);
	memcpy(b->data + b->size - sizeof(checksum), checksum, sizeof(checksum));
	return true;
}

static uint32_t seed = 1;

static uint32_t next(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (seed >> 8) % below;
}

/* Changes one to four numbers, most of them to what breaks code that does not look. */
static void mutate(struct bytes *b)
{
	static const uint64_t wild[] = { 0,	     1,		 3,	     0x7f,	 0xff,
					 0x7fffffff, 0x80000000, 0xffffffff, 0xfffffff0, 1ull << 40,
					 1ull << 62, UINT64_MAX };

	for (uint32_t k = next(4) + 1; k; k--) {
		/* Half of them in the header and the tables. */
		uint32_t end = next(2) ? b->size : sizeof(struct nna_blob_header) + 200;
		uint32_t size = 1u << next(4), at = next(end - 8) & ~(size - 1);
		uint64_t value = next(3) ? wild[next(sizeof(wild) / sizeof(wild[0]))] : next(4096);

		if (!next(3))
			b->data[at] ^= 1u << next(8);
		else
			memcpy(b->data + at, &value, size);
	}
}

/*
 * 10,000 blobs that somebody has changed: as they are, and with a right checksum. The latter may be
 * loaded; what is loaded is run, which may fail or compute nonsense but not harm this process.
 */
static void test_mutations(void **state)
{
	struct nna_graph *graph = constant_graph(N, 100);
	struct bytes b = save(*state, graph, 0), m = b;
	struct nna_program *program;
	uint32_t sealed = 0, loaded = 0;

	m.data = malloc(b.size);
	assert_non_null(m.data);
	for (uint32_t i = 0; i < 10000; i++) {
		bool whole = i % 4 != 3;

		memcpy(m.data, b.data, b.size);
		m.size = whole ? b.size : next(b.size);
		if (whole)
			mutate(&m);
		if (whole && !memcmp(m.data, b.data, b.size))
			continue;
		assert_true(load(*state, i & 1 ? graph : NULL, &m, 0, &program) < 0);
		if (!whole || !seal(&m))
			continue;
		sealed++;
		if (load(*state, i & 4 ? graph : NULL, &m, 0, &program))
			continue;
		loaded++;
		if (nna_program_input_count(program) == 1 &&
		    nna_program_output_count(program) == 1) {
			struct nna_execution *e;
			float in[N] = { 0 }, out[N] = { 0 };

			assert_int_equal(nna_execution_create(program, &e), 0);
			if (!nna_execution_set_input(e, 0, 0, NULL, in, sizeof(in)) &&
			    !nna_execution_set_output(e, 0, 0, NULL, out, sizeof(out)))
				nna_execution_compute(e);
			nna_execution_destroy(e);
		}
		nna_program_destroy(program);
	}
	print_message("%u with a right checksum, %u of them loaded\n", sealed, loaded);
	/* Else this test has looked at nothing but the checksum. */
	assert_true(sealed > 1000 && loaded > 100 && loaded < sealed);
	nna_graph_unref(graph);
	free(m.data);
	free(b.data);
}

static uint32_t real(struct nna_graph *g, float value)
{
	uint32_t o = operand(g, NNA_OPERAND_FLOAT32, 0, NULL, 0, 0);

	assert_int_equal(nna_graph_set_constant(g, 0, o, &value, sizeof(value), false), 0);
	return o;
}

/* BOX_WITH_NMS_LIMIT of three boxes and one class: how many boxes are left only the run tells. */
static struct nna_graph *counted_graph(void)
{
	const uint32_t scores[] = { 3, 2 }, boxes[] = { 3, 8 }, batches[] = { 3 };
	const uint32_t left[] = { 0, 4 };
	uint32_t in[9], out[4];
	struct nna_graph *g;

	assert_int_equal(nna_graph_create(&test_log, &g), 0);
	in[0] = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 2, scores, 0, 0);
	in[1] = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 2, boxes, 0, 0);
	in[2] = operand(g, NNA_OPERAND_TENSOR_INT32, 1, batches, 0, 0);
	in[3] = real(g, 0.3f);
	in[4] = scalar(g, -1);
	in[5] = scalar(g, 0);
	in[6] = real(g, 0.4f);
	in[7] = real(g, 1);
	in[8] = real(g, 0.3f);
	out[0] = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 1, left, 0, 0);
	out[1] = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 2, left, 0, 0);
	out[2] = operand(g, NNA_OPERAND_TENSOR_INT32, 1, left, 0, 0);
	out[3] = operand(g, NNA_OPERAND_TENSOR_INT32, 1, left, 0, 0);
	assert_int_equal(nna_graph_add_operation(g, 0, NNA_OPERATION_BOX_WITH_NMS_LIMIT, 9, in, 4,
						 out),
			 0);
	assert_int_equal(nna_graph_set_io(g, 0, 3, in, 4, out), 0);
	assert_int_equal(nna_graph_finish(g), 0);
	return g;
}

/*
 * The library reads the number of rows where an output says that it is. A blob with a right
 * checksum and an offset that is not a number in scratch memory is refused.
 */
static void test_counted(void **state)
{
	struct nna_graph *graph = counted_graph();
	struct bytes b = save(*state, graph, 0);
	struct nna_blob_header *h = (struct nna_blob_header *)b.data, header = *h;
	struct nna_blob_io *io = (struct nna_blob_io *)(h + 1) + h->input_count, good = *io;
	const struct {
		uint64_t count, scratch_size;
		uint32_t flags, synchronous;
		int expected;
	} cases[] = {
		{ good.count, header.scratch_size, good.flags, 1, 0 },
		/* The last number of the memory, and those that are not in it. */
		{ header.scratch_size - 4, header.scratch_size, good.flags, 1, 0 },
		{ header.scratch_size, header.scratch_size, good.flags, 1, -EBADMSG },
		{ header.scratch_size + 4, header.scratch_size, good.flags, 1, -EBADMSG },
		{ 1u << 30, header.scratch_size, good.flags, 1, -EBADMSG },
		{ UINT64_MAX - 3, header.scratch_size, good.flags, 1, -EBADMSG },
		{ UINT64_MAX - 7, 0, good.flags, 1, -EBADMSG },
		{ 0, 0, good.flags, 1, -EBADMSG },
		/* Not a whole one. */
		{ 2, header.scratch_size, good.flags, 1, -EBADMSG },
		/* Of an output whose number of rows is known, or of a run that may not be done. */
		{ 4, header.scratch_size, good.flags & ~NNA_BLOB_COUNTED, 1, -EBADMSG },
		{ good.count, header.scratch_size, good.flags, 0, -EBADMSG },
	};
	struct nna_program *program;

	assert_true(good.flags & NNA_BLOB_COUNTED);
	assert_int_equal(header.scratch_size % 4, 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int ret;

		*h = header;
		*io = good;
		io->count = cases[i].count;
		io->flags = cases[i].flags;
		h->scratch_size = cases[i].scratch_size;
		h->synchronous = cases[i].synchronous;
		/* The others have theirs in the memory that there is. */
		for (uint32_t k = 1; k < h->output_count && !cases[i].scratch_size; k++) {
			io[k].flags &= ~NNA_BLOB_COUNTED;
			io[k].count = 0;
		}
		assert_true(seal(&b));
		for (int known = 0; known < 2; known++) {
			ret = load(*state, known ? graph : NULL, &b, 0, &program);
			if (ret != cases[i].expected)
				fail_msg("case %zu: %d", i, ret);
			nna_program_destroy(program);
		}
	}
	/* An input has no number of rows. */
	*h = header;
	*io = good;
	io = (struct nna_blob_io *)(h + 1);
	io->flags |= NNA_BLOB_COUNTED;
	assert_true(seal(&b));
	assert_int_equal(load(*state, NULL, &b, 0, &program), -EBADMSG);
	nna_graph_unref(graph);
	free(b.data);
}

static void test_not_saved(void **state)
{
	struct nna_graph *unknown = add_graph(0), *known = add_graph(4);
	struct bytes b = { 0 };
	const struct nna_blob_writer writer = { write_bytes, &b };
	struct nna_program *program;
	uint64_t size;

	assert_int_equal(nna_program_create(*state, unknown, NULL, &program), 0);
	assert_int_equal(nna_program_save(program, &writer), -ENOTSUP);
	assert_int_equal(nna_program_saved_size(program, &size), -ENOTSUP);
	assert_null(b.data);
	nna_program_destroy(program);

	/* A writer that has had enough. */
	assert_int_equal(nna_program_create(*state, known, NULL, &program), 0);
	b.limit = 500;
	assert_int_equal(nna_program_save(program, &writer), -EFBIG);
	assert_true(b.size <= 500);
	assert_int_equal(nna_program_save(program, NULL), -EINVAL);
	nna_program_destroy(program);
	nna_graph_unref(unknown);
	nna_graph_unref(known);
	free(b.data);
}

/* A deadline that is over counts as it does when compiling. */
static void test_deadline(void **state)
{
	struct nna_graph *graph = constant_graph(N, 100);
	struct bytes b = save(*state, graph, 0);
	const struct nna_program_options options = { .priority = NNA_PRIORITY_MEDIUM,
						   .deadline_ns = 1 };
	const struct nna_blob_reader reader = { read_bytes, &b, b.size };
	struct nna_program *program;

	assert_int_equal(nna_program_load(*state, graph, &options, &reader, &program), -ETIMEDOUT);
	nna_graph_unref(graph);
	free(b.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loaded),
		cmocka_unit_test(test_stated),
		cmocka_unit_test(test_fixed),
		cmocka_unit_test(test_others),
		cmocka_unit_test(test_each_byte),
		cmocka_unit_test(test_mutations),
		cmocka_unit_test(test_counted),
		cmocka_unit_test(test_not_saved),
		cmocka_unit_test(test_deadline),
	};

	return cmocka_run_group_tests(tests, open_device, close_device);
}
