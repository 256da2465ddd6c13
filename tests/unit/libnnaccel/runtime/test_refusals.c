// SPDX-License-Identifier: MIT
/*
 * Every -EINVAL that nnaccel.h documents writes a line to the log which names the thing and says
 * what was expected. Each row of the table provokes one refusal; a function whose kernel-doc
 * mentions -EINVAL and that has no row fails the test.
 */
#include "tests/unit/libnnaccel/runtime/sum.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/**
 * struct fixture - what the rows of the table use
 * @device: the loopback
 * @open: a graph under construction with operands 0 and 1, float vectors of 4
 * @finished: a + b, finished
 * @failed: a graph whose operation has no writer for its input
 * @sum: an execution of @finished's kind that has not run, with everything bound
 * @vague: an execution of a + b on vectors of unknown length, nothing bound
 */
struct fixture {
	struct nna_device *device;
	struct nna_graph *open, *finished, *failed;
	struct sum sum;
	struct nna_program *vague_program;
	struct nna_execution *vague;
};

static const uint32_t four = 4, nine = 9;
static float floats[4];

static int split(struct fixture *f, const struct nna_graph *g, const uint32_t *owners)
{
	struct nna_graph_piece *pieces;
	uint32_t count;

	(void)f;
	return nna_graph_split(g, owners, 1, &pieces, &count);
}

static int supported(struct fixture *f, const struct nna_graph *g)
{
	bool is[4];

	return nna_graph_get_supported(g, f->device, is);
}

static int add_operand(struct fixture *f, struct nna_operand_desc desc)
{
	return nna_graph_add_operand(f->open, 0, &desc);
}

static int create(struct fixture *f, struct nna_graph *g)
{
	struct nna_program *p;

	return nna_program_create(f->device, g, NULL, &p);
}

static void give_back(void *account, uint64_t bytes)
{
}

static int half_account(void)
{
	const struct nna_device_options options = { .log = test_log, .discharge = give_back };
	struct nna_device *d;

	return nna_device_open("loopback", &options, &d);
}

static int buffer_of(struct fixture *f, size_t size)
{
	struct nna_buffer *b;

	return nna_buffer_create(f->device, size, &b);
}

/* Binds 16 bytes at @offset of a buffer of 64 to input or output 0. */
static int bind_buffer(struct fixture *f, bool output, bool null, size_t offset)
{
	struct nna_buffer *b;
	int ret;

	assert_int_equal(nna_buffer_create(f->device, 64, &b), 0);
	ret = output ? nna_execution_set_output_buffer(f->sum.execution, 0, 0, NULL,
						       null ? NULL : b, offset, 16) :
		       nna_execution_set_input_buffer(f->sum.execution, 0, 0, NULL,
						      null ? NULL : b, offset, 16);
	nna_buffer_destroy(b);
	return ret;
}

static int info_of(struct fixture *f, bool output, uint32_t index)
{
	struct nna_io_info info;

	return output ? nna_program_get_output(f->sum.program, index, &info) :
			nna_program_get_input(f->sum.program, index, &info);
}

/* A run of the execution without an input, an output, or with the wrong size of one. */
static int compute(struct fixture *f, bool bind_input, bool bind_output, size_t size)
{
	struct nna_execution *e;
	int ret;

	assert_int_equal(nna_execution_create(f->sum.program, &e), 0);
	assert_int_equal(nna_execution_set_input(e, 1, 0, NULL, floats, sizeof(floats)), 0);
	if (bind_input)
		assert_int_equal(nna_execution_set_input(e, 0, 0, NULL, floats, size), 0);
	if (bind_output)
		assert_int_equal(nna_execution_set_output(e, 0, 0, NULL, floats, sizeof(floats)),
				 0);
	ret = nna_execution_compute(e);
	nna_execution_destroy(e);
	return ret;
}

static int compute_vague(struct fixture *f, const uint32_t *dims)
{
	for (uint32_t i = 0; i < 2; i++)
		assert_int_equal(nna_execution_set_input(f->vague, i, dims ? 1 : 0, dims, floats,
							 16), 0);
	assert_int_equal(nna_execution_set_output(f->vague, 0, 1, &nine, floats, 16), 0);
	return nna_execution_compute(f->vague);
}

static int profile_of(struct fixture *f)
{
	struct nna_profile_command command;
	uint32_t count, dropped;

	return nna_execution_get_profile(f->sum.execution, &command, 1, &count, &dropped);
}

static int submit(struct fixture *f)
{
	struct nna_fence *fence = NULL;
	int ret = nna_execution_submit(f->sum.execution, NULL, 1, &fence);

	nna_fence_destroy(fence);
	return ret;
}

static int submit_after(struct fixture *f, const struct nna_dependencies *what)
{
	struct nna_fence *fence = NULL;
	int ret = nna_execution_submit_after(f->sum.execution, what, &fence);

	nna_fence_destroy(fence);
	return ret;
}

static int dims_of(struct fixture *f, uint32_t index)
{
	uint32_t rank, dims[NNACCEL_MAX_RANK];

	return nna_execution_get_output_dims(f->sum.execution, index, &rank, dims);
}

static int import(struct fixture *f)
{
	int fd = memfd_create("small", MFD_CLOEXEC | MFD_ALLOW_SEALING), ret;
	struct nna_buffer *b;

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 4096), 0);
	ret = nna_buffer_import(f->device, fd, 8192, &b);
	close(fd);
	return ret;
}

#define DESC(...) add_operand(f, (struct nna_operand_desc){ __VA_ARGS__ })
#define FLOATS .type = NNA_OPERAND_TENSOR_FLOAT32
#define BYTES .type = NNA_OPERAND_TENSOR_QUANT8_ASYMM
#define CHANNELS .type = NNA_OPERAND_TENSOR_QUANT8_SYMM_PER_CHANNEL

/*
 * Function, what the line has to name, what it has to say, and the call.
 */
#define ROWS(X)                                                                                    \
	X(nna_graph_add_subgraph, "subgraph", "build another",                                     \
	  nna_graph_add_subgraph(f->finished))                                                     \
	X(nna_graph_add_operand, "operand 2", "is NULL", nna_graph_add_operand(f->open, 0, NULL))  \
	X(nna_graph_add_operand, "subgraph 7", "the graph has 1",                                  \
	  nna_graph_add_operand(f->open, 7, NULL))                                                 \
	X(nna_graph_add_operand, "operand 2", "type 99", DESC(.type = 99))                         \
	X(nna_graph_add_operand, "operand 2", "at most 16", DESC(FLOATS, .rank = 17,               \
							   .dims = &four))                         \
	X(nna_graph_add_operand, "operand 2", "NULL", DESC(FLOATS, .rank = 1))                     \
	X(nna_graph_add_operand, "operand 2 (INT32)", "a scalar has none",                         \
	  DESC(.type = NNA_OPERAND_INT32, .rank = 1, .dims = &four))                               \
	X(nna_graph_add_operand, "operand 2", "2 GiB",                                             \
	  DESC(FLOATS, .rank = 2, .dims = (uint32_t[]){ 1u << 20, 1u << 20 }))                     \
	X(nna_graph_add_operand, "operand 2", "at least 0", DESC(FLOATS, .scale = -1))             \
	X(nna_graph_add_operand, "operand 2", "above 0", DESC(BYTES))                              \
	X(nna_graph_add_operand, "operand 2", "set it to 0", DESC(FLOATS, .scale = 1))             \
	X(nna_graph_add_operand, "operand 2", "0 to 255", DESC(BYTES, .scale = 1,                  \
							   .zero_point = 256))                     \
	X(nna_graph_add_operand, "operand 2", "PER_CHANNEL", DESC(FLOATS, .channel_count = 1))     \
	X(nna_graph_add_operand, "operand 2", "a scale for each channel", DESC(CHANNELS))          \
	X(nna_graph_add_operand, "operand 2", "one for each",                                      \
	  DESC(CHANNELS, .rank = 1, .dims = &four, .channel_count = 1, .channel_scales = floats))  \
	X(nna_graph_add_operand, "operand 2", "channel 0",                                         \
	  DESC(CHANNELS, .rank = 1, .dims = &four, .channel_count = 4, .channel_scales = floats))  \
	X(nna_graph_set_constant, "operand 0", "exactly those",                                    \
	  nna_graph_set_constant(f->open, 0, 0, floats, 4, false))                                 \
	X(nna_graph_set_constant, "operand 9", "subgraph 0 has 2",                                 \
	  nna_graph_set_constant(f->open, 0, 9, floats, 16, false))                                \
	X(nna_graph_set_no_value, "operand 9", "subgraph 0 has 2",                                 \
	  nna_graph_set_no_value(f->open, 0, 9))                                                   \
	X(nna_graph_set_subgraph, "operand 0 (TENSOR_FLOAT32)", "needs the type SUBGRAPH",         \
	  nna_graph_set_subgraph(f->open, 0, 0, 1))                                                \
	X(nna_graph_set_variable, "operand 9", "subgraph 0 has 2",                                 \
	  nna_graph_set_variable(f->open, 0, 9))                                                   \
	X(nna_graph_add_operation, "operation 0", "subgraph 0 has 2",                              \
	  nna_graph_add_operation(f->open, 0, NNA_OPERATION_FLOOR, 1, &nine, 1, &nine))            \
	X(nna_graph_add_operation, "operation 0", "at least one output",                           \
	  nna_graph_add_operation(f->open, 0, NNA_OPERATION_FLOOR, 0, NULL, 0, NULL))              \
	X(nna_graph_set_io, "inputs", "operand 9", nna_graph_set_io(f->open, 0, 1, &nine, 0, NULL))\
	X(nna_graph_set_io, "3 inputs", "2 operands", nna_graph_set_io(f->open, 0, 3, NULL, 0,     \
								NULL))                             \
	X(nna_graph_copy_subgraph, "subgraph 0", "finished",                                       \
	  nna_graph_copy_subgraph(f->open, 0, f->open, 0, &four))                                  \
	X(nna_graph_copy_subgraph, "subgraph 0", "NULL",                                           \
	  nna_graph_copy_subgraph(f->open, 0, NULL, 0, &four))                                     \
	X(nna_graph_copy_subgraph, "subgraph 0", "number 5 does not exist",                        \
	  nna_graph_copy_subgraph(f->open, 0, f->finished, 5, &four))                              \
	X(nna_graph_set_relaxed, "graph", "before", nna_graph_set_relaxed(f->finished, true))      \
	X(nna_graph_set_rounding, "graph", "before",                                               \
	  nna_graph_set_rounding(f->finished, NNA_ROUNDING_TFLITE))                                \
	X(nna_graph_set_rounding, "rounding 7", "enum nna_rounding",                               \
	  nna_graph_set_rounding(f->open, (enum nna_rounding)7))                                   \
	X(nna_graph_finish, "graph", "once", nna_graph_finish(f->finished))                        \
	X(nna_graph_finish_leniently, "graph", "once", nna_graph_finish_leniently(f->finished))    \
	X(nna_graph_get_supported, "graph", "nna_graph_finish()", supported(f, f->open))           \
	X(nna_graph_get_supported, "graph", "build another", supported(f, f->failed))              \
	X(nna_graph_split, "graph", "nna_graph_finish()", split(f, f->open, &four))                \
	X(nna_graph_split, "ADD (operation 0)", "0 to 0", split(f, f->finished, &four))            \
	X(nna_program_create, "graph", "nna_graph_finish()", create(f, f->open))                   \
	X(nna_program_create, "graph", "build another", create(f, f->failed))                      \
	X(nna_program_create, "graph", "NULL", create(f, NULL))                                    \
	X(nna_program_get_input, "input 2", "the program has 2", info_of(f, false, 2))             \
	X(nna_program_get_output, "output 1", "the program has 1", info_of(f, true, 1))            \
	X(nna_device_open, "device loopback", "both of charge and discharge", half_account())      \
	X(nna_buffer_create, "buffer", "at least 1", buffer_of(f, 0))                              \
	X(nna_buffer_import, "fd", "8192 bytes", import(f))                                        \
	X(nna_execution_set_input, "input 2", "the program has 2 inputs",                          \
	  nna_execution_set_input(f->sum.execution, 2, 0, NULL, floats, 16))                       \
	X(nna_execution_set_input, "input 0 (operand 0, TENSOR_FLOAT32)", "omitted with a size",   \
	  nna_execution_set_input(f->sum.execution, 0, 0, NULL, NULL, 16))                         \
	X(nna_execution_set_input, "input 0 (operand 0", "at most 16",                             \
	  nna_execution_set_input(f->sum.execution, 0, 17, &four, floats, 16))                     \
	X(nna_execution_set_input, "input 0 (operand 0", "the model states 1",                     \
	  nna_execution_set_input(f->sum.execution, 0, 2, (uint32_t[]){ 4, 1 }, floats, 16))       \
	X(nna_execution_set_input, "dimension 0", "the model states 4",                            \
	  nna_execution_set_input(f->sum.execution, 0, 1, &nine, floats, 16))                      \
	X(nna_execution_set_input_buffer, "input 0", "is NULL", bind_buffer(f, false, true, 0))    \
	X(nna_execution_set_input_buffer, "input 0 (operand 0", "64 bytes",                        \
	  bind_buffer(f, false, false, 60))                                                        \
	X(nna_execution_set_output, "output 1", "the program has 1 outputs",                       \
	  nna_execution_set_output(f->sum.execution, 1, 0, NULL, floats, 16))                      \
	X(nna_execution_set_output, "output 0 (operand 3", "is NULL",                              \
	  nna_execution_set_output(f->sum.execution, 0, 0, NULL, NULL, 16))                        \
	X(nna_execution_set_output_buffer, "output 0", "is NULL", bind_buffer(f, true, true, 0))   \
	X(nna_execution_set_output_buffer, "output 0 (operand 3", "64 bytes",                      \
	  bind_buffer(f, true, false, 60))                                                         \
	X(nna_execution_get_input_route, "input 9", "2 inputs",                                    \
	  nna_execution_get_input_route(f->sum.execution, 9))                                      \
	X(nna_execution_get_input_route, "input 0", "bind it first",                               \
	  nna_execution_get_input_route(f->vague, 0))                                              \
	X(nna_execution_compute, "input 0 (operand 0", "nna_execution_set_input()",                \
	  compute(f, false, true, 16))                                                             \
	X(nna_execution_compute, "output 0 (operand 3", "nna_execution_set_output()",              \
	  compute(f, true, false, 16))                                                             \
	X(nna_execution_compute, "input 0 (operand 0", "need 16", compute(f, true, true, 12))      \
	X(nna_execution_compute, "input 0 (operand 0", "all of them", compute_vague(f, NULL))      \
	X(nna_execution_compute, "output 0 (operand 3", "writes 4", compute_vague(f, &four))       \
	X(nna_execution_submit, "1 in-fences", "count of 0", submit(f))                            \
	X(nna_execution_submit_after, "dependencies", "nna_execution_submit()",                    \
	  submit_after(f, NULL))                                                                   \
	X(nna_execution_submit_after, "dependencies", "counts of 0",                               \
	  submit_after(f, &(struct nna_dependencies){ .fence_count = 1 }))                         \
	X(nna_execution_get_output_dims, "output 1", "1 outputs", dims_of(f, 1))                   \
	X(nna_execution_get_output_dims, "output 0", "no run has ended", dims_of(f, 0))            \
	X(nna_execution_get_timing, "times", "no run",                                             \
	  nna_execution_get_timing(f->sum.execution, &(struct nna_timing){ 0 }))                   \
	X(nna_execution_set_profile, "4294967295 commands", "fewer",                               \
	  nna_execution_set_profile(f->sum.execution, UINT32_MAX))                                 \
	X(nna_execution_get_profile, "profile", "nna_execution_set_profile()", profile_of(f))

struct row {
	const char *function, *names, *says;
};

#define TEXT_ROW(function, names, says, call) { #function, names, says },
static const struct row rows[] = { ROWS(TEXT_ROW) };

static int provoke(struct fixture *f, size_t number)
{
	size_t at = 0;

#define CALL_ROW(function, names, says, call)                                                      \
	if (at++ == number)                                                                        \
		return call;
	ROWS(CALL_ROW)
	return 0;
}

static struct nna_graph *failed_graph(void)
{
	struct nna_graph *g;
	uint32_t in, out;

	assert_int_equal(nna_graph_create(&test_log, &g), 0);
	in = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 1, &four, 0, 0);
	out = operand(g, NNA_OPERAND_TENSOR_FLOAT32, 1, &four, 0, 0);
	assert_int_equal(nna_graph_add_operation(g, 0, NNA_OPERATION_FLOOR, 1, &in, 1, &out), 0);
	assert_int_equal(nna_graph_set_io(g, 0, 0, NULL, 1, &out), 0);
	assert_int_equal(nna_graph_finish(g), -EINVAL);
	return g;
}

static void every_refusal_writes_a_line(void **state)
{
	struct fixture f = { .device = *state };
	struct nna_graph *vague = add_graph(0);
	int wrong = 0;

	assert_int_equal(nna_graph_create(&test_log, &f.open), 0);
	operand(f.open, NNA_OPERAND_TENSOR_FLOAT32, 1, &four, 0, 0);
	operand(f.open, NNA_OPERAND_TENSOR_FLOAT32, 1, &four, 0, 0);
	f.finished = add_graph(4);
	f.failed = failed_graph();
	sum_begin(&f.sum, f.device, 4);
	assert_int_equal(nna_program_create(f.device, vague, NULL, &f.vague_program), 0);
	assert_int_equal(nna_execution_create(f.vague_program, &f.vague), 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int ret;

		last_line[0] = 0;
		ret = provoke(&f, i);
		if (ret == -EINVAL && strstr(last_line, rows[i].names) &&
		    strstr(last_line, rows[i].says))
			continue;
		print_error("row %zu, %s(): returned %d, said \"%s\", expected \"%s\" and \"%s\"\n",
			    i, rows[i].function, ret, last_line, rows[i].names, rows[i].says);
		wrong++;
	}
	nna_execution_destroy(f.vague);
	nna_program_destroy(f.vague_program);
	nna_graph_unref(vague);
	sum_end(&f.sum);
	nna_graph_unref(f.failed);
	nna_graph_unref(f.finished);
	nna_graph_unref(f.open);
	assert_int_equal(wrong, 0);
}

static bool has_row(const char *function)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strcmp(rows[i].function, function))
			return true;
	return false;
}

/* Reads the kernel-doc of nnaccel.h: who documents -EINVAL must have a row. */
static void every_documented_function_has_a_row(void **state)
{
	FILE *file = fopen("libnnaccel/include/nnaccel.h", "re");
	char line[256], function[128] = "";
	int documented = 0, missing = 0;

	(void)state;
	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		char name[128];
		int end = 0;

		if (sscanf(line, " * %127[a-z0-9_]() - %n", name, &end) == 1 && end)
			snprintf(function, sizeof(function), "%s", name);
		if (!strncmp(line, " */", 3))
			function[0] = 0;
		if (!function[0] || !strstr(line, "-EINVAL"))
			continue;
		documented++;
		if (has_row(function))
			continue;
		print_error("%s() documents -EINVAL and has no row\n", function);
		missing++;
	}
	fclose(file);
	assert_true(documented > 20);
	assert_int_equal(missing, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_refusal_writes_a_line, open_device,
						close_device),
		cmocka_unit_test(every_documented_function_has_a_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
