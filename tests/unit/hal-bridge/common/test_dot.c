// SPDX-License-Identifier: MIT
/* Drawings of models: what is in them, whose each operation is, and that they are well formed. */
#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "hal-bridge/common/dot.h"
#include "hal-bridge/common/model.h"

static char folder[] = "/tmp/dot-XXXXXX";
static char text[8192];

static void add_operand(struct nnb_model *model, uint32_t type, uint32_t rank, uint32_t size)
{
	const struct nna_operand_desc desc = {
		.type = type, .rank = rank, .dims = rank ? &size : NULL,
	};

	assert_int_equal(nnb_model_add_operand(model, &desc), 0);
}

/* out = x + x, then again; @size 0 is unknown. */
static void make_sums(struct nnb_model *model, uint32_t size)
{
	const uint32_t first[] = { 0, 0, 1 }, second[] = { 2, 2, 1 }, in = 0, middle = 2, out = 3;
	const int32_t relu = 1;

	add_operand(model, NNA_OPERAND_TENSOR_FLOAT32, 1, size);
	add_operand(model, NNA_OPERAND_INT32, 0, 0);
	add_operand(model, NNA_OPERAND_TENSOR_FLOAT32, 1, size);
	add_operand(model, NNA_OPERAND_TENSOR_FLOAT32, 1, size);
	assert_int_equal(nnb_model_set_value(model, 1, &relu, sizeof(relu), false), 0);
	assert_int_equal(nnb_model_add_operation(model, NNA_OPERATION_ADD, 3, first, 1, &middle),
			 0);
	assert_int_equal(nnb_model_add_operation(model, NNA_OPERATION_ADD, 3, second, 1, &out), 0);
	assert_int_equal(nnb_model_set_io(model, 1, &in, 1, &out), 0);
	nnb_dot_draw(model);
	assert_int_equal(nnb_model_finish(model), 0);
}

/* Reads the only file of the folder into @text, and removes it. */
static void take_file(void)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;
	int count = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		ssize_t got;
		int fd;

		if (entry->d_name[0] == '.')
			continue;
		fd = openat(dirfd(dir), entry->d_name, O_RDONLY);
		got = read(fd, text, sizeof(text) - 1);
		assert_true(got > 0);
		text[got] = '\0';
		close(fd);
		assert_int_equal(unlinkat(dirfd(dir), entry->d_name, 0), 0);
		count++;
	}
	closedir(dir);
	assert_int_equal(count, 1);
}

/* Braces match outside of quotes, and quotes are closed at the end of each line. */
static void check_form(void)
{
	bool quoted = false;
	int depth = 0;

	assert_memory_equal(text, "digraph ", 8);
	for (const char *at = text; *at; at++) {
		if (*at == '\n')
			assert_false(quoted);
		if (*at == '"')
			quoted = !quoted;
		else if (!quoted)
			depth += (*at == '{') - (*at == '}');
		assert_true(depth >= 0);
	}
	assert_int_equal(depth, 0);
}

static void has(const char *format, ...)
{
	char wanted[256];
	va_list args;

	va_start(args, format);
	vsnprintf(wanted, sizeof(wanted), format, args);
	va_end(args);
	if (!strstr(text, wanted))
		fail_msg("no %s in\n%s", wanted, text);
}

static void operations_and_devices(void **state)
{
	const char *const devices[] = { "fast", "slow" };
	struct nnb_model model = { 0 };
	uint32_t n;

	make_sums(&model, 4);
	n = model.number;
	nnb_dot_write(&model, devices, 2);
	take_file();
	check_form();
	has("m%ut0 [shape=ellipse, label=\"input 0\\nTENSOR_FLOAT32 [4]\"];", n);
	has("m%ut3 [shape=ellipse, label=\"output 0\\nTENSOR_FLOAT32 [4]\"];", n);
	has("m%uo0 [label=\"0 ADD\\nin 2 INT32: 1\"];", n);
	has("m%ut0 -> m%uo0;", n, n);
	has("m%uo0 -> m%uo1 [label=\"TENSOR_FLOAT32 [4]\"];", n, n);
	has("m%uo1 -> m%ut3;", n, n);
	has("m%uo0 [style=filled, fillcolor=lightblue, tooltip=\"fast\"];", n);
	has("m%uo1 [style=filled, fillcolor=lightsalmon, tooltip=\"slow\"];", n);
	has("fillcolor=lightsalmon, label=\"slow\"];");
	nnb_model_fini(&model);
}

static void models_inside_of_models(void **state)
{
	const uint32_t in[] = { 0, 1, 2, 3 }, arguments[] = { 0, 3 }, out = 4;
	const char *const device = "fast";
	struct nnb_model branch = { 0 }, model = { 0 };

	make_sums(&branch, 0);
	add_operand(&model, NNA_OPERAND_TENSOR_BOOL8, 1, 1);
	add_operand(&model, NNA_OPERAND_SUBGRAPH, 0, 0);
	add_operand(&model, NNA_OPERAND_SUBGRAPH, 0, 0);
	add_operand(&model, NNA_OPERAND_TENSOR_FLOAT32, 1, 0);
	add_operand(&model, NNA_OPERAND_TENSOR_FLOAT32, 1, 0);
	assert_int_equal(nnb_model_set_model(&model, 1, &branch), 0);
	assert_int_equal(nnb_model_set_model(&model, 2, &branch), 0);
	assert_int_equal(nnb_model_add_operation(&model, NNA_OPERATION_IF, 4, in, 1, &out), 0);
	assert_int_equal(nnb_model_set_io(&model, 2, arguments, 1, &out), 0);
	nnb_dot_draw(&model);
	assert_int_equal(nnb_model_finish(&model), 0);
	assert_true(model.number != branch.number);
	nnb_dot_write(&model, &device, 1);
	take_file();
	check_form();
	has("subgraph cluster_m%u {", branch.number);
	has("m%uo1 [label=\"1 ADD", branch.number);
	has("m%uo0 [label=\"0 IF\\nin 1 model %u\\nin 2 model %u\"];", model.number, branch.number,
	    branch.number);
	has("input 1\\nTENSOR_FLOAT32 [?]");
	nnb_model_fini(&model);
	nnb_model_fini(&branch);
}

/* Nothing to write to is no error of the model's. */
static void a_folder_that_has_gone(void **state)
{
	const char *const devices[] = { "fast", "fast" };
	struct nnb_model model = { 0 };

	assert_int_equal(rmdir(folder), 0);
	make_sums(&model, 4);
	nnb_dot_write(&model, devices, 2);
	nnb_model_fini(&model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operations_and_devices),
		cmocka_unit_test(models_inside_of_models),
		cmocka_unit_test(a_folder_that_has_gone),
	};

	if (!mkdtemp(folder) || setenv("NNACCEL_DOT", folder, 1))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
