// SPDX-License-Identifier: MIT
/* Memories of the NNAPI C API: files, device memory, copies, and executions on them. */
#include "tests/unit/hal-bridge/nnapi/fixture.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_SIZE 8192

struct fixture {
	ANeuralNetworksModel *model;
	ANeuralNetworksCompilation *compilation;
	ANeuralNetworksExecution *execution;
	ANeuralNetworksMemory *memory;
	float *map;
	int fd;
};

/* A memfd; the device can share it when it is sealed against shrinking, else it is copied. */
static int make_file(bool sealed, float **map)
{
	int fd = memfd_create("memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, FILE_SIZE), 0);
	if (sealed)
		assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	*map = mmap(NULL, FILE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(*map, MAP_FAILED);
	return fd;
}

static void start(struct fixture *f, bool sealed)
{
	memset(f, 0, sizeof(*f));
	f->fd = make_file(sealed, &f->map);
	f->model = add_model(4);
	f->compilation = compile(f->model);
	OK(ANeuralNetworksExecution_create(f->compilation, &f->execution));
	OK(ANeuralNetworksMemory_createFromFd(FILE_SIZE, PROT_READ | PROT_WRITE, f->fd, 0,
					      &f->memory));
}

static void stop(struct fixture *f)
{
	ANeuralNetworksExecution_free(f->execution);
	ANeuralNetworksCompilation_free(f->compilation);
	ANeuralNetworksModel_free(f->model);
	ANeuralNetworksMemory_free(f->memory);
	munmap(f->map, FILE_SIZE);
	close(f->fd);
}

static void test_create(void **state)
{
	ANeuralNetworksMemory *memory = NULL;
	int pipe_fds[2], read_only;
	char path[] = "/proc/self/fd/xxxxxxxxxx";
	float *map;
	int fd = make_file(false, &map);

	IS(UNEXPECTED_NULL, ANeuralNetworksMemory_createFromFd(4096, PROT_READ, fd, 0, NULL));
	IS(BAD_DATA, ANeuralNetworksMemory_createFromFd(0, PROT_READ, fd, 0, &memory));
	IS(BAD_DATA, ANeuralNetworksMemory_createFromFd(4096, PROT_READ, -1, 0, &memory));
	IS(BAD_DATA, ANeuralNetworksMemory_createFromFd(4096, PROT_EXEC, fd, 0, &memory));
	IS(BAD_DATA, ANeuralNetworksMemory_createFromFd(4096, PROT_READ, fd, 100, &memory));
	IS(BAD_DATA, ANeuralNetworksMemory_createFromFd(FILE_SIZE + 1, PROT_READ, fd, 0, &memory));
	IS(BAD_DATA, ANeuralNetworksMemory_createFromFd(FILE_SIZE, PROT_READ, fd, 4096, &memory));
	IS(BAD_DATA, ANeuralNetworksMemory_createFromFd(SIZE_MAX, PROT_READ, fd, 4096, &memory));
	assert_null(memory);
	OK(ANeuralNetworksMemory_createFromFd(4096, PROT_READ, fd, 4096, &memory));
	ANeuralNetworksMemory_free(memory);
	assert_int_equal(pipe(pipe_fds), 0);
	IS(UNMAPPABLE,
	   ANeuralNetworksMemory_createFromFd(4096, PROT_READ, pipe_fds[0], 0, &memory));
	close(pipe_fds[0]);
	close(pipe_fds[1]);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	read_only = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(read_only >= 0);
	IS(UNMAPPABLE, ANeuralNetworksMemory_createFromFd(4096, PROT_WRITE, read_only, 0, &memory));
	assert_null(memory);
	close(read_only);
	munmap(map, FILE_SIZE);
	close(fd);
	/* There are none outside Android. */
	IS(UNEXPECTED_NULL, ANeuralNetworksMemory_createFromAHardwareBuffer(NULL, &memory));
	IS(BAD_DATA, ANeuralNetworksMemory_createFromAHardwareBuffer((void *)&fd, &memory));
	assert_null(memory);
	ANeuralNetworksMemory_free(NULL);
}

static void compute_in_file(bool sealed, size_t a, size_t b, size_t out)
{
	struct fixture f;

	start(&f, sealed);
	for (int i = 0; i < 4; i++) {
		f.map[a / 4 + i] = i;
		f.map[b / 4 + i] = 100 * i;
	}
	OK(ANeuralNetworksExecution_setInputFromMemory(f.execution, 0, NULL, f.memory, a, 16));
	OK(ANeuralNetworksExecution_setInputFromMemory(f.execution, 1, NULL, f.memory, b, 16));
	OK(ANeuralNetworksExecution_setOutputFromMemory(f.execution, 0, NULL, f.memory, out, 16));
	OK(ANeuralNetworksExecution_compute(f.execution));
	for (int i = 0; i < 4; i++)
		assert_true(f.map[out / 4 + i] == 101 * i);
	assert_true(f.map[out / 4 + 4] == 0 && f.map[out / 4 - 1] == 0);
	stop(&f);
}

static void test_compute_shared(void **state)
{
	compute_in_file(true, 0, 64, 128);
	/* An offset that the device cannot use: copied. */
	compute_in_file(true, 4, 76, 252);
}

static void test_compute_copied(void **state)
{
	compute_in_file(false, 0, 64, 128);
	compute_in_file(false, 4, 76, 252);
}

static void test_arguments(void **state)
{
	ANeuralNetworksMemory *read_only = NULL, *blind = NULL;
	struct fixture f;

	start(&f, true);
	OK(ANeuralNetworksMemory_createFromFd(4096, PROT_READ, f.fd, 0, &read_only));
	OK(ANeuralNetworksMemory_createFromFd(4096, PROT_NONE, f.fd, 0, &blind));
	IS(UNEXPECTED_NULL,
	   ANeuralNetworksExecution_setInputFromMemory(f.execution, 0, NULL, NULL, 0, 16));
	IS(BAD_DATA,
	   ANeuralNetworksExecution_setInputFromMemory(f.execution, 0, NULL, f.memory, 0, 0));
	IS(BAD_DATA,
	   ANeuralNetworksExecution_setInputFromMemory(f.execution, 0, NULL, f.memory, 0, 12));
	IS(BAD_DATA,
	   ANeuralNetworksExecution_setInputFromMemory(f.execution, 2, NULL, f.memory, 0, 16));
	IS(BAD_DATA, ANeuralNetworksExecution_setInputFromMemory(f.execution, 0, NULL, f.memory,
								 FILE_SIZE - 8, 16));
	IS(BAD_DATA, ANeuralNetworksExecution_setInputFromMemory(f.execution, 0, NULL, f.memory,
								 SIZE_MAX - 8, 16));
	IS(BAD_DATA,
	   ANeuralNetworksExecution_setOutputFromMemory(f.execution, 0, NULL, read_only, 0, 16));
	IS(BAD_DATA,
	   ANeuralNetworksExecution_setInputFromMemory(f.execution, 0, NULL, blind, 0, 16));
	OK(ANeuralNetworksExecution_setInputFromMemory(f.execution, 0, NULL, read_only, 0, 16));
	ANeuralNetworksMemory_free(blind);
	ANeuralNetworksMemory_free(read_only);
	stop(&f);
}

/* Device memory as the output of one run, the input of the next, and in copies. */
static void test_device_memory(void **state)
{
	ANeuralNetworksMemory *device_memory = NULL, *small = NULL;
	ANeuralNetworksExecution *second = NULL;
	ANeuralNetworksMemoryDesc *desc = NULL;
	ANeuralNetworksModel *model = NULL;
	const float a[4] = { 1, 2, 3, 4 }, b[4] = { 10, 20, 30, 40 };
	float out[4] = { 0 };
	struct fixture f;

	start(&f, true);
	OK(ANeuralNetworksMemoryDesc_create(&desc));
	OK(ANeuralNetworksMemoryDesc_addInputRole(desc, f.compilation, 0, 1.0f));
	OK(ANeuralNetworksMemoryDesc_addOutputRole(desc, f.compilation, 0, 1.0f));
	OK(ANeuralNetworksMemoryDesc_finish(desc));
	OK(ANeuralNetworksMemory_createFromDesc(desc, &device_memory));
	ANeuralNetworksMemoryDesc_free(desc);
	OK(ANeuralNetworksMemory_createFromFd(16, PROT_READ | PROT_WRITE, f.fd, 0, &small));

	/* No constants, no ranges, no other roles, nothing to read yet. */
	OK(ANeuralNetworksModel_create(&model));
	add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, (uint32_t[]){ 4 });
	IS(BAD_DATA,
	   ANeuralNetworksModel_setOperandValueFromMemory(model, 0, device_memory, 0, 16));
	ANeuralNetworksModel_free(model);
	IS(BAD_DATA,
	   ANeuralNetworksExecution_setInputFromMemory(f.execution, 0, NULL, device_memory, 0, 16));
	IS(BAD_DATA,
	   ANeuralNetworksExecution_setInputFromMemory(f.execution, 1, NULL, device_memory, 0, 0));
	IS(BAD_DATA, ANeuralNetworksMemory_copy(device_memory, small));
	IS(UNEXPECTED_NULL, ANeuralNetworksMemory_copy(NULL, small));
	IS(UNEXPECTED_NULL, ANeuralNetworksMemory_copy(small, NULL));
	IS(BAD_DATA, ANeuralNetworksMemory_copy(f.memory, device_memory));
	OK(ANeuralNetworksExecution_create(f.compilation, &second));
	OK(ANeuralNetworksExecution_setInputFromMemory(second, 0, NULL, device_memory, 0, 0));
	OK(ANeuralNetworksExecution_setInput(second, 1, NULL, b, sizeof(b)));
	OK(ANeuralNetworksExecution_setOutput(second, 0, NULL, out, sizeof(out)));
	IS(OP_FAILED, ANeuralNetworksExecution_compute(second));
	ANeuralNetworksExecution_free(second);

	OK(ANeuralNetworksExecution_setInput(f.execution, 0, NULL, a, sizeof(a)));
	OK(ANeuralNetworksExecution_setInput(f.execution, 1, NULL, b, sizeof(b)));
	OK(ANeuralNetworksExecution_setOutputFromMemory(f.execution, 0, NULL, device_memory, 0, 0));
	OK(ANeuralNetworksExecution_compute(f.execution));
	OK(ANeuralNetworksExecution_create(f.compilation, &second));
	OK(ANeuralNetworksExecution_setInputFromMemory(second, 0, NULL, device_memory, 0, 0));
	OK(ANeuralNetworksExecution_setInput(second, 1, NULL, b, sizeof(b)));
	OK(ANeuralNetworksExecution_setOutput(second, 0, NULL, out, sizeof(out)));
	OK(ANeuralNetworksExecution_compute(second));
	for (int i = 0; i < 4; i++)
		assert_true(out[i] == a[i] + 2 * b[i]);
	ANeuralNetworksExecution_free(second);

	OK(ANeuralNetworksMemory_copy(device_memory, small));
	for (int i = 0; i < 4; i++)
		assert_true(f.map[i] == a[i] + b[i]);
	f.map[0] = -1;
	OK(ANeuralNetworksMemory_copy(small, device_memory));
	f.map[0] = 0;
	OK(ANeuralNetworksMemory_copy(device_memory, small));
	assert_true(f.map[0] == -1);
	ANeuralNetworksMemory_free(device_memory);
	ANeuralNetworksMemory_free(small);
	stop(&f);
}

static ANeuralNetworksMemory *device_memory_of(ANeuralNetworksCompilation *compilation)
{
	ANeuralNetworksMemoryDesc *desc = NULL;
	ANeuralNetworksMemory *memory = NULL;

	OK(ANeuralNetworksMemoryDesc_create(&desc));
	OK(ANeuralNetworksMemoryDesc_addInputRole(desc, compilation, 0, 1.0f));
	OK(ANeuralNetworksMemoryDesc_addOutputRole(desc, compilation, 0, 1.0f));
	OK(ANeuralNetworksMemoryDesc_finish(desc));
	OK(ANeuralNetworksMemory_createFromDesc(desc, &memory));
	ANeuralNetworksMemoryDesc_free(desc);
	return memory;
}

/* Copies between sizes and shapes; one that fails leaves its target without contents. */
static void test_copies(void **state)
{
	static const uint32_t row[] = { 1, 2 }, column[] = { 2, 1 }, flat[] = { 2 };
	ANeuralNetworksOperandType type = { ANEURALNETWORKS_TENSOR_FLOAT32, 2, row, 0, 0 };
	ANeuralNetworksMemory *file = file_memory(8), *small = file_memory(4);
	ANeuralNetworksMemory *large = file_memory(16), *a, *b, *other[2];
	ANeuralNetworksCompilation *compilations[3];
	ANeuralNetworksModel *models[3];

	compilations[0] = compile_type(&type, &models[0]);
	type.dimensions = column;
	compilations[1] = compile_type(&type, &models[1]);
	type.dimensions = flat;
	type.dimensionCount = 1;
	compilations[2] = compile_type(&type, &models[2]);
	a = device_memory_of(compilations[0]);
	b = device_memory_of(compilations[0]);
	other[0] = device_memory_of(compilations[1]);
	other[1] = device_memory_of(compilations[2]);

	IS(BAD_DATA, ANeuralNetworksMemory_copy(file, small));
	IS(BAD_DATA, ANeuralNetworksMemory_copy(large, file));
	IS(BAD_DATA, ANeuralNetworksMemory_copy(small, a));
	IS(BAD_DATA, ANeuralNetworksMemory_copy(a, file));
	IS(BAD_DATA, ANeuralNetworksMemory_copy(b, a));
	OK(ANeuralNetworksMemory_copy(file, a));
	IS(BAD_DATA, ANeuralNetworksMemory_copy(a, small));
	IS(BAD_DATA, ANeuralNetworksMemory_copy(a, large));
	OK(ANeuralNetworksMemory_copy(a, b));
	for (int i = 0; i < 2; i++) {
		OK(ANeuralNetworksMemory_copy(file, other[i]));
		IS(BAD_DATA, ANeuralNetworksMemory_copy(other[i], a));
		/* Its contents are gone. */
		IS(BAD_DATA, ANeuralNetworksMemory_copy(a, file));
		OK(ANeuralNetworksMemory_copy(b, a));
		OK(ANeuralNetworksMemory_copy(a, file));
	}
	IS(BAD_DATA, ANeuralNetworksMemory_copy(large, b));
	IS(BAD_DATA, ANeuralNetworksMemory_copy(b, a));
	ANeuralNetworksMemory_free(file);
	ANeuralNetworksMemory_free(small);
	ANeuralNetworksMemory_free(large);
	ANeuralNetworksMemory_free(a);
	ANeuralNetworksMemory_free(b);
	for (int i = 0; i < 2; i++)
		ANeuralNetworksMemory_free(other[i]);
	for (int i = 0; i < 3; i++) {
		ANeuralNetworksCompilation_free(compilations[i]);
		ANeuralNetworksModel_free(models[i]);
	}
}

/* A run that fails leaves nothing in its output. */
static void test_failed_run(void **state)
{
	ANeuralNetworksMemory *output, *file = file_memory(16);
	const float a[4] = { 1 }, b[4] = { 2 };
	struct fixture f;

	start(&f, true);
	output = device_memory_of(f.compilation);
	OK(ANeuralNetworksMemory_copy(file, output));
	OK(ANeuralNetworksExecution_setInput(f.execution, 0, NULL, a, sizeof(a)));
	OK(ANeuralNetworksExecution_setInput(f.execution, 1, NULL, b, sizeof(b)));
	OK(ANeuralNetworksExecution_setOutputFromMemory(f.execution, 0, NULL, output, 0, 0));
	OK(ANeuralNetworksExecution_setTimeout(f.execution, 1));
	IS(MISSED_DEADLINE_PERSISTENT, ANeuralNetworksExecution_compute(f.execution));
	IS(BAD_DATA, ANeuralNetworksMemory_copy(output, file));
	OK(ANeuralNetworksMemory_copy(file, output));
	OK(ANeuralNetworksMemory_copy(output, file));
	ANeuralNetworksMemory_free(output);
	ANeuralNetworksMemory_free(file);
	stop(&f);
}

/* Padding must be enabled before the first argument is set, in whichever way. */
static void test_padding(void **state)
{
	float bytes[8];

	for (int way = 0; way < 4; way++) {
		struct fixture f;

		start(&f, true);
		OK(ANeuralNetworksExecution_enableInputAndOutputPadding(f.execution, true));
		if (way == 0) {
			IS(BAD_DATA,
			   ANeuralNetworksExecution_setInput(f.execution, 0, NULL, bytes, 12));
			OK(ANeuralNetworksExecution_setInput(f.execution, 0, NULL, bytes, 20));
		} else if (way == 1) {
			IS(BAD_DATA,
			   ANeuralNetworksExecution_setOutput(f.execution, 0, NULL, bytes, 12));
			OK(ANeuralNetworksExecution_setOutput(f.execution, 0, NULL, bytes, 20));
		} else if (way == 2) {
			IS(BAD_DATA, ANeuralNetworksExecution_setInputFromMemory(
					     f.execution, 0, NULL, f.memory, 0, 12));
			OK(ANeuralNetworksExecution_setInputFromMemory(f.execution, 0, NULL,
								       f.memory, 0, 20));
		} else {
			IS(BAD_DATA, ANeuralNetworksExecution_setOutputFromMemory(
					     f.execution, 0, NULL, f.memory, 0, 12));
			OK(ANeuralNetworksExecution_setOutputFromMemory(f.execution, 0, NULL,
									f.memory, 0, 20));
		}
		IS(BAD_STATE,
		   ANeuralNetworksExecution_enableInputAndOutputPadding(f.execution, false));
		stop(&f);
	}
}

/* The event of a run that is not fenced has no fence, whatever its output is. */
static void test_start_compute_has_no_fence(void **state)
{
	ANeuralNetworksEvent *event = NULL;
	const float a[4] = { 1 }, b[4] = { 2 };
	ANeuralNetworksMemory *output;
	struct fixture f;
	int fd = -100;

	start(&f, true);
	output = device_memory_of(f.compilation);
	OK(ANeuralNetworksExecution_setInput(f.execution, 0, NULL, a, sizeof(a)));
	OK(ANeuralNetworksExecution_setInput(f.execution, 1, NULL, b, sizeof(b)));
	OK(ANeuralNetworksExecution_setOutputFromMemory(f.execution, 0, NULL, output, 0, 0));
	OK(ANeuralNetworksExecution_startCompute(f.execution, &event));
	IS(BAD_DATA, ANeuralNetworksEvent_getSyncFenceFd(event, &fd));
	assert_int_equal(fd, -1);
	fd = -100;
	IS(UNEXPECTED_NULL, ANeuralNetworksEvent_getSyncFenceFd(NULL, &fd));
	assert_int_equal(fd, -1);
	OK(ANeuralNetworksEvent_wait(event));
	ANeuralNetworksEvent_free(event);
	ANeuralNetworksMemory_free(output);
	stop(&f);
}

/* A fenced run on memory that may have to be copied: the input is read after the fence. */
static void fenced_in_file(bool sealed)
{
	ANeuralNetworksEvent *before = NULL, *event = NULL;
	const ANeuralNetworksEvent *dependency;
	int fence = eventfd(0, EFD_CLOEXEC);
	const uint64_t one = 1;
	struct fixture f;

	start(&f, sealed);
	OK(ANeuralNetworksExecution_setInputFromMemory(f.execution, 0, NULL, f.memory, 0, 16));
	OK(ANeuralNetworksExecution_setInputFromMemory(f.execution, 1, NULL, f.memory, 64, 16));
	OK(ANeuralNetworksExecution_setOutputFromMemory(f.execution, 0, NULL, f.memory, 128, 16));
	OK(ANeuralNetworksEvent_createFromSyncFenceFd(fence, &before));
	dependency = before;
	OK(ANeuralNetworksExecution_startComputeWithDependencies(f.execution, &dependency, 1, 0,
								 &event));
	/* What another device would write before it signals. */
	for (int i = 0; i < 4; i++) {
		f.map[i] = 7;
		f.map[16 + i] = i;
	}
	assert_int_equal(write(fence, &one, sizeof(one)), sizeof(one));
	OK(ANeuralNetworksEvent_wait(event));
	for (int i = 0; i < 4; i++)
		assert_true(f.map[32 + i] == 7 + i);
	ANeuralNetworksEvent_free(event);
	ANeuralNetworksEvent_free(before);
	close(fence);
	stop(&f);
}

static void test_fenced_shared(void **state)
{
	fenced_in_file(true);
}

static void test_fenced_copied(void **state)
{
	fenced_in_file(false);
}

/* ---- files that become shorter */

static void truncate_file(const struct fixture *f, size_t size)
{
	assert_int_equal(ftruncate(f->fd, size), 0);
}

/* Inputs and the output in one file that is not sealed, and can run again. */
static void start_in_file(struct fixture *f)
{
	start(f, false);
	for (int i = 0; i < 4; i++) {
		f->map[i] = i;
		f->map[1024 + i] = 10 * i;
	}
	OK(ANeuralNetworksExecution_setInputFromMemory(f->execution, 0, NULL, f->memory, 0, 16));
	OK(ANeuralNetworksExecution_setInputFromMemory(f->execution, 1, NULL, f->memory, 4096, 16));
	OK(ANeuralNetworksExecution_setOutputFromMemory(f->execution, 0, NULL, f->memory, 64, 16));
	OK(ANeuralNetworksExecution_setReusable(f->execution, true));
}

/* The owner of a file removes an input: the run fails, and a later one finds the input again. */
static void test_truncated_input(void **state)
{
	struct fixture f;

	start_in_file(&f);
	truncate_file(&f, 4096);
	IS(OP_FAILED, ANeuralNetworksExecution_compute(f.execution));
	truncate_file(&f, FILE_SIZE);
	for (int i = 0; i < 4; i++)
		f.map[1024 + i] = 10 * i;
	OK(ANeuralNetworksExecution_compute(f.execution));
	for (int i = 0; i < 4; i++)
		assert_true(f.map[16 + i] == 11 * i);
	stop(&f);
}

/* The owner removes the output: the run fails, and does not make the file longer again. */
static void test_truncated_output(void **state)
{
	ANeuralNetworksMemory *high = NULL;
	struct fixture f;
	float b[4] = { 1, 2, 3, 4 };
	struct stat st;

	start(&f, false);
	OK(ANeuralNetworksMemory_createFromFd(4096, PROT_READ | PROT_WRITE, f.fd, 4096, &high));
	OK(ANeuralNetworksExecution_setInput(f.execution, 0, NULL, b, 16));
	OK(ANeuralNetworksExecution_setInput(f.execution, 1, NULL, b, 16));
	OK(ANeuralNetworksExecution_setOutputFromMemory(f.execution, 0, NULL, high, 256, 16));
	OK(ANeuralNetworksExecution_setReusable(f.execution, true));
	truncate_file(&f, 4096 + 260);
	IS(OP_FAILED, ANeuralNetworksExecution_compute(f.execution));
	assert_int_equal(fstat(f.fd, &st), 0);
	assert_int_equal(st.st_size, 4096 + 260);
	truncate_file(&f, FILE_SIZE);
	OK(ANeuralNetworksExecution_compute(f.execution));
	for (int i = 0; i < 4; i++)
		assert_true(f.map[1024 + 64 + i] == 2 * b[i]);
	ANeuralNetworksMemory_free(high);
	stop(&f);
}

/* Truncates and grows a file until it is told to end. */
struct shrinker {
	pthread_t thread;
	atomic_bool end;
	int fd;
};

static void *shrink(void *arg)
{
	struct shrinker *shrinker = arg;

	while (!atomic_load(&shrinker->end)) {
		assert_int_equal(ftruncate(shrinker->fd, 0), 0);
		assert_int_equal(ftruncate(shrinker->fd, FILE_SIZE), 0);
	}
	return NULL;
}

/* A file that shrinks at any moment of a run or copy: an error or zeros, and nobody dies. */
static void test_shrinking_file(void **state)
{
	ANeuralNetworksMemory *other = file_memory(FILE_SIZE);
	struct shrinker shrinker = { 0 };
	struct fixture f;

	start_in_file(&f);
	shrinker.fd = f.fd;
	assert_int_equal(pthread_create(&shrinker.thread, NULL, shrink, &shrinker), 0);
	for (int i = 0; i < 2000; i++) {
		int ret = ANeuralNetworksExecution_compute(f.execution);

		assert_true(ret == ANEURALNETWORKS_NO_ERROR || ret == ANEURALNETWORKS_OP_FAILED);
		ret = ANeuralNetworksMemory_copy(f.memory, other);
		assert_true(ret == ANEURALNETWORKS_NO_ERROR || ret == ANEURALNETWORKS_OP_FAILED);
		ret = ANeuralNetworksMemory_copy(other, f.memory);
		assert_true(ret == ANEURALNETWORKS_NO_ERROR || ret == ANEURALNETWORKS_OP_FAILED);
	}
	atomic_store(&shrinker.end, true);
	pthread_join(shrinker.thread, NULL);
	ANeuralNetworksMemory_free(other);
	stop(&f);
}

/* Copies to and from device memory; one that fails leaves nothing in it. */
static void test_truncated_copy(void **state)
{
	ANeuralNetworksMemory *device_memory, *first = NULL;
	struct fixture f;

	start(&f, false);
	device_memory = device_memory_of(f.compilation);
	OK(ANeuralNetworksMemory_createFromFd(16, PROT_READ | PROT_WRITE, f.fd, 0, &first));
	OK(ANeuralNetworksMemory_copy(first, device_memory));
	truncate_file(&f, 8);
	IS(OP_FAILED, ANeuralNetworksMemory_copy(device_memory, first));
	IS(OP_FAILED, ANeuralNetworksMemory_copy(first, device_memory));
	truncate_file(&f, FILE_SIZE);
	IS(BAD_DATA, ANeuralNetworksMemory_copy(device_memory, first));
	OK(ANeuralNetworksMemory_copy(first, device_memory));
	OK(ANeuralNetworksMemory_copy(device_memory, first));
	ANeuralNetworksMemory_free(first);
	ANeuralNetworksMemory_free(device_memory);
	stop(&f);
}

/* A constant is read once, when the model is finished; without its bytes the model is refused. */
static void test_truncated_constant(void **state)
{
	static const uint32_t in[] = { 0, 1, 2 }, out[] = { 3 }, n = 256;
	const int32_t none = ANEURALNETWORKS_FUSED_NONE;
	static float x[256], y[256];

	for (int late = 0; late < 2; late++) {
		ANeuralNetworksModel *model = NULL;
		ANeuralNetworksCompilation *compilation;
		struct fixture f;

		start(&f, false);
		f.map[1024] = 7;
		OK(ANeuralNetworksModel_create(&model));
		add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, &n);
		add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, &n);
		add_tensor(model, ANEURALNETWORKS_INT32, 0, NULL);
		add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, &n);
		OK(ANeuralNetworksModel_setOperandValueFromMemory(model, 1, f.memory, 4096, 1024));
		OK(ANeuralNetworksModel_setOperandValue(model, 2, &none, sizeof(none)));
		OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, in, 1, out));
		OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, in, 1, out));
		if (late)
			OK(ANeuralNetworksModel_finish(model));
		truncate_file(&f, 4096);
		if (late) {
			compilation = compile(model);
			compute(compilation, x, sizeof(x), y, sizeof(y));
			assert_true(y[0] == 7 && y[1] == 0);
			ANeuralNetworksCompilation_free(compilation);
		} else {
			IS(BAD_DATA, ANeuralNetworksModel_finish(model));
		}
		ANeuralNetworksModel_free(model);
		stop(&f);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_create),
		cmocka_unit_test(test_compute_shared),
		cmocka_unit_test(test_compute_copied),
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_padding),
		cmocka_unit_test(test_device_memory),
		cmocka_unit_test(test_copies),
		cmocka_unit_test(test_failed_run),
		cmocka_unit_test(test_fenced_shared),
		cmocka_unit_test(test_fenced_copied),
		cmocka_unit_test(test_start_compute_has_no_fence),
		cmocka_unit_test(test_truncated_input),
		cmocka_unit_test(test_truncated_output),
		cmocka_unit_test(test_shrinking_file),
		cmocka_unit_test(test_truncated_copy),
		cmocka_unit_test(test_truncated_constant),
	};

	use_loopback();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
