// SPDX-License-Identifier: MIT
/* A backend without a device: which there are, that programs compile, and that nothing runs. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/ethosu/config.h"
#include "libnnaccel/runtime/device.h"
#include "tests/unit/libnnaccel/loopback.h"

static const struct nna_device_options options = { .log = test_log };

static uint32_t configuration_of(const char *name)
{
	struct nna_device *device;
	uint32_t number;

	assert_int_equal(nna_device_open(name, &options, &device), 0);
	number = device->ws->configuration;
	nna_device_close(device);
	return number;
}

/* Those of the backend are those of the hardware. */
static void test_configurations(void **state)
{
	char name[64];

	for (uint32_t i = 0; i < ETHOSU_CONFIGS; i++) {
		snprintf(name, sizeof(name), "backend-%s", ethosu_configs[i].name);
		assert_int_equal(configuration_of(name), ethosu_configs[i].config);
	}
	assert_int_equal(configuration_of("backend-ethosu"), 0);
	assert_int_equal(configuration_of("backend-nna"), 0);
}

static void test_info(void **state)
{
	struct nna_device_info alone, loopback;
	struct nna_device *device;

	assert_int_equal(nna_device_open("backend-nna", &options, &device), 0);
	nna_device_get_info(device, &alone);
	assert_int_equal(nna_device_check(device), 0);
	nna_device_close(device);
	assert_int_equal(nna_device_open("loopback", &options, &device), 0);
	nna_device_get_info(device, &loopback);
	nna_device_close(device);
	assert_string_equal(alone.name, "backend-nna");
	assert_string_equal(alone.driver, "none");
	assert_int_equal(alone.abi_major, loopback.abi_major);
	assert_int_equal(alone.abi_minor, loopback.abi_minor);
	assert_int_equal(alone.max_slots, loopback.max_slots);
	assert_false(alone.loopback || alone.sync_files);
}

static void test_unknown(void **state)
{
	static const char *const names[] = { "backend-", "backend-nn", "backend-nnaa",
					     "backend-ethos-u65" };
	struct nna_device *device;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct nna_device_options quiet = { 0 };

		assert_int_equal(nna_device_open(names[i], &quiet, &device), -ENOENT);
		assert_int_equal(nna_device_open(names[i], NULL, &device), -ENOENT);
	}
}

static uint32_t vector(struct nna_graph *g, const float *data)
{
	const uint32_t dims[] = { 2 };
	const struct nna_operand_desc desc = { .type = NNA_OPERAND_TENSOR_FLOAT32, .rank = 1,
					       .dims = dims };
	int operand = nna_graph_add_operand(g, 0, &desc);

	assert_true(operand >= 0);
	if (data)
		assert_int_equal(nna_graph_set_constant(g, 0, operand, data, 2 * sizeof(*data),
							true), 0);
	return operand;
}

/* y = x * exp(c) */
static struct nna_graph *make_graph(void)
{
	static const float some[2] = { 1, 2 };
	const struct nna_operand_desc desc = { .type = NNA_OPERAND_INT32 };
	uint32_t x, power, y, inputs[3];
	const int32_t none = 0;
	struct nna_graph *g;
	int act;

	assert_int_equal(nna_graph_create(&test_log, &g), 0);
	x = vector(g, NULL);
	inputs[0] = vector(g, some);
	power = vector(g, NULL);
	assert_int_equal(nna_graph_add_operation(g, 0, NNA_OPERATION_EXP, 1, inputs, 1, &power), 0);
	act = nna_graph_add_operand(g, 0, &desc);
	assert_int_equal(nna_graph_set_constant(g, 0, act, &none, sizeof(none), false), 0);
	inputs[0] = x;
	inputs[1] = power;
	inputs[2] = act;
	y = vector(g, NULL);
	assert_int_equal(nna_graph_add_operation(g, 0, NNA_OPERATION_MUL, 3, inputs, 1, &y), 0);
	assert_int_equal(nna_graph_set_io(g, 0, 1, &x, 1, &y), 0);
	assert_int_equal(nna_graph_finish(g), 0);
	return g;
}

static char *dump(const struct nna_program *program)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	assert_int_equal(nna_program_dump(program, to), 0);
	assert_int_equal(fclose(to), 0);
	return text;
}

/* What a device folds stays in the program. */
static void test_program(void **state)
{
	float x[2] = { 1, 1 }, y[2];
	struct nna_graph *g = make_graph();
	struct nna_execution *execution = NULL;
	struct nna_program *program;
	struct nna_device *device;
	bool supported[2];
	char *text;
	int ret;

	assert_int_equal(nna_device_open("backend-nna", &options, &device), 0);
	assert_int_equal(nna_graph_get_supported(g, device, supported), 0);
	assert_true(supported[0] && supported[1]);
	assert_int_equal(nna_program_create(device, g, NULL, &program), 0);
	text = dump(program);
	assert_non_null(strstr(text, "EXP"));
	assert_non_null(strstr(text, "MUL"));
	free(text);
	last_line[0] = 0;
	ret = nna_execution_create(program, &execution);
	if (!ret) {
		assert_int_equal(nna_execution_set_input(execution, 0, 0, NULL, x, sizeof(x)), 0);
		assert_int_equal(nna_execution_set_output(execution, 0, 0, NULL, y, sizeof(y)), 0);
		ret = nna_execution_compute(execution);
	}
	assert_int_equal(ret, -ENOTSUP);
	assert_non_null(strstr(last_line, "backend-nna compiles programs and runs none"));
	nna_execution_destroy(execution);
	nna_program_destroy(program);
	nna_device_close(device);
	nna_graph_unref(g);
}

static void test_buffers(void **state)
{
	struct nna_device *device;
	struct nna_buffer *buffer;
	uint8_t *map;

	assert_int_equal(nna_device_open("backend-nna", &options, &device), 0);
	assert_int_equal(nna_buffer_create(device, 5000, &buffer), 0);
	map = nna_buffer_map(buffer);
	assert_non_null(map);
	for (uint32_t i = 0; i < 5000; i++)
		assert_int_equal(map[i], 0);
	assert_int_equal(nna_buffer_export(buffer), -ENOTSUP);
	nna_buffer_destroy(buffer);
	assert_int_equal(nna_buffer_import(device, 0, 4096, &buffer), -ENOTSUP);
	assert_int_equal(nna_buffer_create(device, SIZE_MAX, &buffer), -ENOMEM);
	nna_device_close(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_configurations),
		cmocka_unit_test(test_info),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_program),
		cmocka_unit_test(test_buffers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
