// SPDX-License-Identifier: MIT
/*
 * Vela's files on a node in this process: streams give TFLite's bytes, operators that Vela has left
 * run on the NNA, and what is wrong with a file or a job is said with the operator's number.
 */
#include <errno.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "frontend/vela/arena.h"
#include "frontend/vela/offsets.h"
#include "frontend/split/program.h"
#include "tests/ethosu/node.h"
#include "tests/unit/frontend/vela/vela_model.h"

#define MODEL "ethos-u65-256"
#define ADD "tests/ethosu/streams/ethos-u65-256_add_int8_0.stream"

static struct vela_file file;
static struct vela_model made;
static struct writer written;

/* Make a program of what has been written. */
static int create(struct tflite_model **model, struct nna_device *nna,
		  struct split_program **program, char *error)
{
	const struct split_program_options options = {
		.npu = ETHOSU_NODE,
		.rest = nna,
		.rest_name = "loopback",
		.rounding = NNA_ROUNDING_TFLITE,
	};

	if (tflite_parse(written.bytes, written.size, model, error))
		fail_msg("%s", error);
	assert_true(vela_is_model(*model));
	return split_program_create(*model, &options, program, error);
}

/* Run it on the file's inputs. Return: what the run returns, after outputs have been compared. */
static int run(struct split_program *program, char *error)
{
	static uint8_t got[VELA_VALUES][VELA_BYTES];
	const void *inputs[VELA_VALUES];
	void *outputs[VELA_VALUES];
	struct nna_io_info info;
	int ret;

	assert_int_equal(split_program_count(program, true), file.input_count);
	assert_int_equal(split_program_count(program, false), file.output_count);
	for (uint32_t i = 0; i < file.input_count; i++)
		inputs[i] = file.inputs[i].bytes;
	for (uint32_t i = 0; i < file.output_count; i++) {
		split_program_io(program, false, i, &info);
		assert_int_equal(info.size, file.outputs[i].size);
		memset(got[i], 0x5a, file.outputs[i].size);
		outputs[i] = got[i];
	}
	ret = split_program_run(program, inputs, outputs, error);
	for (uint32_t i = 0; i < file.output_count && !ret; i++)
		assert_memory_equal(got[i], file.outputs[i].bytes, file.outputs[i].size);
	return ret;
}

static void run_file(const char *path, struct nna_device *nna)
{
	char error[TFLITE_ERROR_SIZE] = "";
	struct split_program *program = NULL;
	struct split_timing timing;
	struct tflite_model *model;

	vela_file_read(&file, path);
	vela_model_make(&made, &file);
	vela_model_write(&written, &made, &file, nna != NULL, true);
	if (create(&model, nna, &program, error) || run(program, error) || run(program, error))
		fail_msg("%s: %s", path, error);
	split_program_timing(program, &timing);
	assert_int_equal(timing.jobs, 1);
	assert_int_equal(timing.commands > 0, nna != NULL);
	split_program_destroy(program);
	tflite_free(model);
}

/* Each runs twice, but for RESIZE, which the driver refuses. */
static void test_streams(void **state)
{
	unsigned int before = ethosu_node_jobs(), ran = 0;
	glob_t files;

	(void)state;
	assert_int_equal(glob("tests/ethosu/streams/*.stream", 0, NULL, &files), 0);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		if (strstr(files.gl_pathv[i], "_resize_"))
			continue;
		vela_file_read(&file, files.gl_pathv[i]);
		setenv(ETHOSU_NODE_MODEL, file.config->name, 1);
		run_file(files.gl_pathv[i], NULL);
		ran++;
	}
	setenv(ETHOSU_NODE_MODEL, MODEL, 1);
	assert_true(ran > 30);
	assert_int_equal(ethosu_node_jobs() - before, 2 * ran);
	globfree(&files);
}

/* Operators before and behind that Vela has left. */
static void test_rest(void **state)
{
	const struct nna_device_options options = { .threads = 1 };
	struct nna_device *nna;

	(void)state;
	assert_int_equal(nna_device_open("loopback", &options, &nna), 0);
	run_file(ADD, nna);
	nna_device_close(nna);
}

/* The file that @change has changed is refused with @code and @text. */
static void refused(void (*change)(void), bool around, bool metadata, int code, const char *text)
{
	char error[TFLITE_ERROR_SIZE] = "";
	struct split_program *program;
	struct tflite_model *model;
	int ret;

	vela_file_read(&file, ADD);
	vela_model_make(&made, &file);
	if (change)
		change();
	vela_model_write(&written, &made, &file, around, metadata);
	ret = create(&model, NULL, &program, error);
	if (ret != code)
		fail_msg("'%s': %d, not %d", error, ret, code);
	if (!strstr(error, text))
		fail_msg("'%s' does not say '%s'", error, text);
	tflite_free(model);
}

static void set_other_npu(void)
{
	memcpy(made.payload + 8, (const uint32_t[]){ 0x20000118, 0x20007000 }, 8);
}

static void cut_payload(void)
{
	made.specs[0].size -= 64;
	made.specs[0].dims[0] -= 64;
}

static void move_outside(void)
{
	made.offsets[3 + VELA_FIRST] = (int32_t)file.scratch - 8;
}

static void take_place(void)
{
	made.offsets[3 + VELA_FIRST + 1] = -1;
}

static void drop_constant(void)
{
	made.specs[0].data = NULL;
}

static void put_resize(void)
{
	const uint32_t resize = 7;

	memcpy(made.payload + made.payload_bytes - 8, &resize, 4);
}

static void test_refused(void **state)
{
	(void)state;
	refused(set_other_npu, false, true, -EINVAL, "operator 0 (ethos-u): it is compiled for "
		"ethos-u85-256, " ETHOSU_NODE " is ethos-u65-256");
	refused(cut_payload, false, true, -EINVAL, "operator 0 (ethos-u): the payload is cut off");
	refused(move_outside, false, true, -EINVAL,
		"does not lie in the scratch memory of 640 bytes");
	refused(take_place, false, true, -EINVAL, "has no place in the scratch memory");
	refused(drop_constant, false, true, -EINVAL,
		"operator 0 (ethos-u): its command stream is no constant");
	refused(put_resize, false, true, -EINVAL,
		"operator 0 (ethos-u): the kernel's driver refuses");
	refused(NULL, false, false, -EINVAL, "no metadata OfflineMemoryAllocation");
	refused(NULL, true, true, -ENODEV, "operator 0 (MAXIMUM): Vela left it to the CPU");
}

static void test_other_shape(void **state)
{
	const struct split_program_options options = { .npu = ETHOSU_NODE };
	char error[TFLITE_ERROR_SIZE] = "";
	struct split_program *program;
	struct tflite_model *model;

	(void)state;
	vela_file_read(&file, ADD);
	vela_model_make(&made, &file);
	vela_model_write(&written, &made, &file, false, true);
	assert_int_equal(tflite_parse(written.bytes, written.size, &model, error), 0);
	assert_int_equal(tflite_set_input_shape(model, 0, 1, (const uint32_t[]){ 16 }, error), 0);
	assert_int_equal(split_program_create(model, &options, &program, error), -EINVAL);
	assert_non_null(strstr(error, "input 0 has another shape"));
	tflite_free(model);
}

static void test_metadata(void **state)
{
	const int32_t numbers[] = { 0, 1, 2, 16, -1 };
	char error[TFLITE_ERROR_SIZE];
	int64_t *offsets;

	(void)state;
	assert_int_equal(vela_offsets_read(numbers, sizeof(numbers), 0, 2, &offsets, error), 0);
	assert_int_equal(offsets[0], 16);
	assert_int_equal(offsets[1], -1);
	free(offsets);
	for (size_t size = 0; size < sizeof(numbers); size++)
		assert_int_equal(vela_offsets_read(numbers, size, 0, 2, &offsets, error), -EINVAL);
	assert_int_equal(vela_offsets_read(numbers, sizeof(numbers), 3, 1, &offsets, error),
			 -EINVAL);
	assert_int_equal(vela_offsets_read(numbers, sizeof(numbers), 0, 3, &offsets, error), 0);
	assert_int_equal(offsets[2], -1);
	free(offsets);
}

/* How jobs end that do not run, or whose interrupt was late. */
static void test_faults(void **state)
{
	char error[TFLITE_ERROR_SIZE] = "";
	struct split_program *program;
	struct tflite_model *model;

	(void)state;
	vela_file_read(&file, ADD);
	vela_model_make(&made, &file);
	vela_model_write(&written, &made, &file, false, true);
	assert_int_equal(create(&model, NULL, &program, error), 0);
	setenv(ETHOSU_NODE_FAULT, "hang", 1);
	assert_int_equal(run(program, error), -EIO);
	assert_non_null(strstr(error, "operator 0 (ethos-u): the NPU has not run it to its end"));
	setenv(ETHOSU_NODE_FAULT, "quick", 1);
	assert_int_equal(run(program, error), -EIO);
	setenv(ETHOSU_NODE_FAULT, "late", 1);
	assert_int_equal(run(program, error), 0);
	unsetenv(ETHOSU_NODE_FAULT);
	assert_int_equal(run(program, error), 0);
	split_program_destroy(program);
	tflite_free(model);
}

static void test_no_node(void **state)
{
	char error[TFLITE_ERROR_SIZE] = "";
	struct vela_arena *arena;

	(void)state;
	assert_true(vela_is_npu(ETHOSU_NODE));
	assert_false(vela_is_npu("auto"));
	assert_false(vela_is_npu("/dev/null"));
	assert_int_equal(vela_arena_create("/dev/accel/accel78", 16, 0, &arena, error), -ENOENT);
	assert_non_null(strstr(error, "no Ethos-U: "));
	assert_int_equal(vela_arena_create("/dev/null", 16, 0, &arena, error), -ENODEV);
	assert_non_null(strstr(error, "/dev/null is no Ethos-U"));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_streams),
		cmocka_unit_test(test_rest),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_other_shape),
		cmocka_unit_test(test_metadata),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_no_node),
	};

	setenv(ETHOSU_NODE_MODEL, MODEL, 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
