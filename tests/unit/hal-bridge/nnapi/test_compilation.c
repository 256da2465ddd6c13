// SPDX-License-Identifier: MIT
/* Compilations of the NNAPI C API: states, preferences, caches, a deadline that is over. */
#include "tests/unit/hal-bridge/nnapi/fixture.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

static void test_compilation(void **state)
{
	const ANeuralNetworksDevice *device = the_device();
	const ANeuralNetworksDevice *twice[] = { device, device };
	const uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN] = { 0 };
	ANeuralNetworksCompilation *c = NULL, *plain = NULL;
	ANeuralNetworksExecution *execution = NULL;
	ANeuralNetworksBurst *burst = NULL;
	ANeuralNetworksModel *model = add_model(4);
	uint32_t value = 0;

	IS(UNEXPECTED_NULL, ANeuralNetworksCompilation_create(NULL, &c));
	IS(UNEXPECTED_NULL, ANeuralNetworksCompilation_create(model, NULL));
	IS(UNEXPECTED_NULL, ANeuralNetworksCompilation_createForDevices(model, NULL, 1, &c));
	IS(BAD_DATA, ANeuralNetworksCompilation_createForDevices(model, &device, 0, &c));
	IS(BAD_DATA, ANeuralNetworksCompilation_createForDevices(model, twice, 2, &c));
	assert_null(c);

	OK(ANeuralNetworksCompilation_create(model, &plain));
	IS(BAD_DATA, ANeuralNetworksCompilation_setTimeout(plain, 1));
	OK(ANeuralNetworksCompilation_finish(plain));
	ANeuralNetworksCompilation_free(plain);
	ANeuralNetworksCompilation_free(NULL);

	OK(ANeuralNetworksCompilation_createForDevices(model, &device, 1, &c));
	/* The model is kept by what was made from it. */
	ANeuralNetworksModel_free(model);
	OK(ANeuralNetworksCompilation_setPreference(c, ANEURALNETWORKS_PREFER_SUSTAINED_SPEED));
	IS(BAD_DATA, ANeuralNetworksCompilation_setPreference(c, 3));
	IS(BAD_DATA, ANeuralNetworksCompilation_setPreference(c, -1));
	IS(UNEXPECTED_NULL, ANeuralNetworksCompilation_setPreference(NULL, 1));
	OK(ANeuralNetworksCompilation_setPriority(c, ANEURALNETWORKS_PRIORITY_HIGH));
	IS(BAD_DATA, ANeuralNetworksCompilation_setPriority(c, 0));
	IS(UNEXPECTED_NULL, ANeuralNetworksCompilation_setPriority(NULL, 100));
	OK(ANeuralNetworksCompilation_setTimeout(c, 60000000000ull));
	OK(ANeuralNetworksCompilation_setTimeout(c, UINT64_MAX));
	IS(UNEXPECTED_NULL, ANeuralNetworksCompilation_setTimeout(NULL, 1));
	OK(ANeuralNetworksCompilation_setCaching(c, "/nowhere", token));
	IS(UNEXPECTED_NULL, ANeuralNetworksCompilation_setCaching(c, NULL, token));
	IS(UNEXPECTED_NULL, ANeuralNetworksCompilation_setCaching(c, "/tmp", NULL));
	IS(BAD_STATE, ANeuralNetworksExecution_create(c, &execution));
	assert_null(execution);
	IS(BAD_STATE, ANeuralNetworksBurst_create(c, &burst));
	IS(BAD_STATE, ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(c, 0, &value));
	IS(UNEXPECTED_NULL, ANeuralNetworksCompilation_finish(NULL));
	OK(ANeuralNetworksCompilation_finish(c));

	IS(BAD_STATE, ANeuralNetworksCompilation_finish(c));
	IS(BAD_STATE, ANeuralNetworksCompilation_setPreference(c, 1));
	IS(BAD_STATE, ANeuralNetworksCompilation_setPriority(c, 100));
	IS(BAD_STATE, ANeuralNetworksCompilation_setTimeout(c, 1));
	IS(BAD_STATE, ANeuralNetworksCompilation_setCaching(c, "/tmp", token));

	OK(ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(c, 1, &value));
	assert_true(value && !(value & (value - 1)));
	OK(ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput(c, 0, &value));
	assert_true(value && !(value & (value - 1)));
	OK(ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput(c, 0, &value));
	OK(ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput(c, 0, &value));
	IS(BAD_DATA, ANeuralNetworksCompilation_getPreferredMemoryAlignmentForInput(c, 2, &value));
	IS(BAD_DATA, ANeuralNetworksCompilation_getPreferredMemoryPaddingForInput(c, 2, &value));
	IS(BAD_DATA, ANeuralNetworksCompilation_getPreferredMemoryAlignmentForOutput(c, 1, &value));
	IS(BAD_DATA, ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput(c, 1, &value));
	IS(UNEXPECTED_NULL,
	   ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput(c, 0, NULL));
	IS(UNEXPECTED_NULL,
	   ANeuralNetworksCompilation_getPreferredMemoryPaddingForOutput(NULL, 0, &value));
	ANeuralNetworksCompilation_free(c);
}

/* A compilation whose deadline has passed before it begins. */
static void test_compilation_deadline(void **state)
{
	const ANeuralNetworksDevice *device = the_device();
	ANeuralNetworksCompilation *c = NULL;
	ANeuralNetworksExecution *execution = NULL;
	ANeuralNetworksModel *model = add_model(4);

	OK(ANeuralNetworksCompilation_createForDevices(model, &device, 1, &c));
	OK(ANeuralNetworksCompilation_setTimeout(c, 1));
	IS(MISSED_DEADLINE_PERSISTENT, ANeuralNetworksCompilation_finish(c));
	IS(BAD_STATE, ANeuralNetworksExecution_create(c, &execution));
	ANeuralNetworksCompilation_free(c);
	ANeuralNetworksModel_free(model);
}

/*
 * Without a list of devices a model that the device does not support can be compiled, and fails
 * when it is executed. With the list it cannot.
 */
static void test_unsupported_model(void **state)
{
	static const uint32_t four[] = { 4 }, in[] = { 0, 0, 1 }, out[] = { 2 };
	const ANeuralNetworksDevice *device = the_device();
	ANeuralNetworksCompilation *compilation = NULL;
	ANeuralNetworksModel *model = NULL;
	const int32_t activation = 999;

	OK(ANeuralNetworksModel_create(&model));
	add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, four);
	add_tensor(model, ANEURALNETWORKS_INT32, 0, NULL);
	add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, four);
	OK(ANeuralNetworksModel_setOperandValue(model, 1, &activation, sizeof(activation)));
	OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, in, 1, out));
	OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, in, 1, out));
	OK(ANeuralNetworksModel_finish(model));
	OK(ANeuralNetworksCompilation_createForDevices(model, &device, 1, &compilation));
	IS(BAD_DATA, ANeuralNetworksCompilation_finish(compilation));
	ANeuralNetworksCompilation_free(compilation);

	OK(ANeuralNetworksCompilation_create(model, &compilation));
	OK(ANeuralNetworksCompilation_finish(compilation));
	for (int way = 0; way < 4; way++) {
		ANeuralNetworksExecution *execution = NULL;
		ANeuralNetworksEvent *event = NULL;
		ANeuralNetworksBurst *burst = NULL;
		float a[4] = { 0 }, sum[4];
		int ret;

		OK(ANeuralNetworksExecution_create(compilation, &execution));
		OK(ANeuralNetworksExecution_setLoopTimeout(execution, 1000));
		OK(ANeuralNetworksExecution_setInput(execution, 0, NULL, a, sizeof(a)));
		OK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, sum, sizeof(sum)));
		OK(ANeuralNetworksBurst_create(compilation, &burst));
		if (way == 0)
			ret = ANeuralNetworksExecution_compute(execution);
		else if (way == 1)
			ret = ANeuralNetworksExecution_burstCompute(execution, burst);
		else if (way == 2)
			ret = ANeuralNetworksExecution_startCompute(execution, &event);
		else
			ret = ANeuralNetworksExecution_startComputeWithDependencies(
				execution, NULL, 0, 0, &event);
		if (!ret && event)
			ret = ANeuralNetworksEvent_wait(event);
		assert_int_equal(ret, ANEURALNETWORKS_OP_FAILED);
		ANeuralNetworksEvent_free(event);
		ANeuralNetworksBurst_free(burst);
		ANeuralNetworksExecution_free(execution);
	}
	ANeuralNetworksCompilation_free(compilation);
	ANeuralNetworksModel_free(model);
}

/* Runs the sum of add_model(4) and looks at it. */
static void check_sum(ANeuralNetworksCompilation *c)
{
	float a[4] = { 1, 2, 3, 4 }, b[4] = { 10, 20, 30, 40 }, out[4] = { 0 };
	ANeuralNetworksExecution *e = NULL;

	OK(ANeuralNetworksExecution_create(c, &e));
	OK(ANeuralNetworksExecution_setInput(e, 0, NULL, a, sizeof(a)));
	OK(ANeuralNetworksExecution_setInput(e, 1, NULL, b, sizeof(b)));
	OK(ANeuralNetworksExecution_setOutput(e, 0, NULL, out, sizeof(out)));
	OK(ANeuralNetworksExecution_compute(e));
	for (int i = 0; i < 4; i++)
		assert_true(out[i] == a[i] + b[i]);
	ANeuralNetworksExecution_free(e);
}

static ANeuralNetworksCompilation *compile_cached(const char *dir, uint8_t first,
						  int32_t preference, uint32_t n)
{
	const uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN] = { first };
	const ANeuralNetworksDevice *device = the_device();
	ANeuralNetworksModel *model = add_model(n);
	ANeuralNetworksCompilation *c = NULL;

	OK(ANeuralNetworksCompilation_createForDevices(model, &device, 1, &c));
	/* The last directory counts; none has to be there. */
	OK(ANeuralNetworksCompilation_setCaching(c, "/nowhere", token));
	OK(ANeuralNetworksCompilation_setCaching(c, dir, token));
	OK(ANeuralNetworksCompilation_setPreference(c, preference));
	OK(ANeuralNetworksCompilation_finish(c));
	ANeuralNetworksModel_free(model);
	return c;
}

/* The files of a directory, and the inode and the name of one of them. */
static int list_files(const char *dir, char *name, size_t size, ino_t *inode)
{
	struct dirent *entry;
	DIR *list = opendir(dir);
	struct stat st;
	int count = 0;

	assert_non_null(list);
	while ((entry = readdir(list))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(name, size, "%s/%s", dir, entry->d_name);
		assert_int_equal(stat(name, &st), 0);
		*inode = st.st_ino;
		count++;
	}
	closedir(list);
	return count;
}

/*
 * A file is written once, used then, and written anew when it does not fit; results are right
 * whatever is in it.
 */
static void test_caching(void **state)
{
	char dir[] = "/tmp/nnapi-cache-XXXXXX", name[512];
	ino_t first = 0, inode = 0;
	int fd;

	assert_non_null(mkdtemp(dir));
	ANeuralNetworksCompilation_free(compile_cached(dir, 1, 1, 4));
	assert_int_equal(list_files(dir, name, sizeof(name), &first), 1);
	for (int i = 0; i < 5; i++) {
		ANeuralNetworksCompilation *c = compile_cached(dir, 1, 1, 4);

		check_sum(c);
		ANeuralNetworksCompilation_free(c);
		assert_int_equal(list_files(dir, name, sizeof(name), &inode), 1);
		/* Used once as it was, and then after each fault replaced. */
		if (!i)
			assert_int_equal(inode, first);
		else
			assert_int_not_equal(inode, first);
		first = inode;
		switch (i) {
		case 0: /* changed */
			fd = open(name, O_RDWR);
			assert_int_equal(pwrite(fd, "x", 1, 300), 1);
			close(fd);
			break;
		case 1: /* cut short */
			assert_int_equal(truncate(name, 700), 0);
			break;
		case 2: /* far beyond the limit, and with nothing in it */
			assert_int_equal(truncate(name, 1ll << 40), 0);
			break;
		case 3: /* another model's under this token */
			c = compile_cached(dir, 1, 1, 5);
			ANeuralNetworksCompilation_free(c);
			assert_int_equal(list_files(dir, name, sizeof(name), &first), 1);
			break;
		}
	}
	/* Tokens and preferences have files of their own; a model without dimensions has none. */
	ANeuralNetworksCompilation_free(compile_cached(dir, 2, 1, 4));
	assert_int_equal(list_files(dir, name, sizeof(name), &inode), 2);
	ANeuralNetworksCompilation_free(compile_cached(dir, 2, 0, 4));
	assert_int_equal(list_files(dir, name, sizeof(name), &inode), 3);
	ANeuralNetworksCompilation_free(compile_cached(dir, 3, 1, 0));
	while (list_files(dir, name, sizeof(name), &inode))
		unlink(name);
	assert_int_equal(rmdir(dir), 0);
	/* The directory is gone: compiled all the same. */
	for (int i = 0; i < 2; i++) {
		ANeuralNetworksCompilation *c = compile_cached(dir, 1, 1, 4);

		check_sum(c);
		ANeuralNetworksCompilation_free(c);
	}
	assert_int_equal(access(dir, F_OK), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_compilation),
		cmocka_unit_test(test_caching),
		cmocka_unit_test(test_compilation_deadline),
		cmocka_unit_test(test_unsupported_model),
	};

	use_loopback();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
