// SPDX-License-Identifier: MIT
/*
 * Models that several devices compute, and runs that fail on the accelerator. Operations are dealt
 * to both devices (NNACCEL_DEAL); the functions of the library that compile, compute and submit are
 * this file's own, which count and fail as a test says.
 */
#include "tests/unit/hal-bridge/nnapi/fixture.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include "nnaccel.h"

#define LENGTH 12 /* operations of the chain */

int __real_nna_execution_compute(struct nna_execution *execution);
int __wrap_nna_execution_compute(struct nna_execution *execution);
int __real_nna_execution_submit(struct nna_execution *execution, const int *fds, uint32_t count,
				struct nna_fence **out);
int __wrap_nna_execution_submit(struct nna_execution *execution, const int *fds, uint32_t count,
				struct nna_fence **out);
int __real_nna_fence_wait(struct nna_fence *fence, int64_t timeout_ns);
int __wrap_nna_fence_wait(struct nna_fence *fence, int64_t timeout_ns);
int __real_nna_program_create_sized(struct nna_device *device, struct nna_graph *graph,
				    const struct nna_program_options *options, size_t size,
				    struct nna_program **out);
int __wrap_nna_program_create_sized(struct nna_device *device, struct nna_graph *graph,
				    const struct nna_program_options *options, size_t size,
				    struct nna_program **out);

/* How often each has been called, and the error with which the next call fails, or 0. */
static atomic_int computed, compiled, fail_compute, fail_submit, fail_wait, fail_compile;

int __wrap_nna_execution_compute(struct nna_execution *execution)
{
	int error = atomic_exchange(&fail_compute, 0);

	atomic_fetch_add(&computed, 1);
	return error ? error : __real_nna_execution_compute(execution);
}

int __wrap_nna_execution_submit(struct nna_execution *execution, const int *fds, uint32_t count,
				struct nna_fence **out)
{
	int error = atomic_exchange(&fail_submit, 0);

	return error ? error : __real_nna_execution_submit(execution, fds, count, out);
}

int __wrap_nna_fence_wait(struct nna_fence *fence, int64_t timeout_ns)
{
	int ret = __real_nna_fence_wait(fence, timeout_ns), error = 0;

	if (!ret)
		error = atomic_exchange(&fail_wait, 0);
	return error ? error : ret;
}

int __wrap_nna_program_create_sized(struct nna_device *device, struct nna_graph *graph,
				    const struct nna_program_options *options, size_t size,
				    struct nna_program **out)
{
	int error = atomic_exchange(&fail_compile, 0);

	atomic_fetch_add(&compiled, 1);
	return error ? error : __real_nna_program_create_sized(device, graph, options, size, out);
}

/*
 * t[0] = x + x, t[i] = t[i - 1] + x; outputs are t[3], which goes on, and the last. Tensors have
 * @n elements, 0 is unknown.
 */
static ANeuralNetworksModel *chain(uint32_t n)
{
	const int32_t none = ANEURALNETWORKS_FUSED_NONE;
	const uint32_t outputs[] = { 5, LENGTH + 1 }, input = 0;
	ANeuralNetworksModel *model = NULL;

	OK(ANeuralNetworksModel_create(&model));
	add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, &n);
	add_tensor(model, ANEURALNETWORKS_INT32, 0, NULL);
	OK(ANeuralNetworksModel_setOperandValue(model, 1, &none, sizeof(none)));
	for (uint32_t i = 0; i < LENGTH; i++) {
		const uint32_t in[] = { i ? i + 1 : 0, 0, 1 }, out = i + 2;

		add_tensor(model, ANEURALNETWORKS_TENSOR_FLOAT32, 1, &n);
		OK(ANeuralNetworksModel_addOperation(model, ANEURALNETWORKS_ADD, 3, in, 1, &out));
	}
	OK(ANeuralNetworksModel_identifyInputsAndOutputs(model, 1, &input, 2, outputs));
	OK(ANeuralNetworksModel_finish(model));
	return model;
}

/*
 * Compiles for both devices, among which operations are dealt, with a cache in @dir unless that is
 * NULL. Return: how many steps have been compiled.
 */
static int divide_cached(ANeuralNetworksModel *model, const char *dir,
			 ANeuralNetworksCompilation **compilation)
{
	static const uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN] = { 7 };
	ANeuralNetworksDevice *both[2];

	OK(ANeuralNetworks_getDevice(0, &both[0]));
	OK(ANeuralNetworks_getDevice(1, &both[1]));
	OK(ANeuralNetworksCompilation_createForDevices(
		model, (const ANeuralNetworksDevice *const *)both, 2, compilation));
	if (dir)
		OK(ANeuralNetworksCompilation_setCaching(*compilation, dir, token));
	atomic_store(&compiled, 0);
	OK(ANeuralNetworksCompilation_finish(*compilation));
	return atomic_load(&compiled);
}

static int divide(ANeuralNetworksModel *model, ANeuralNetworksCompilation **compilation)
{
	return divide_cached(model, NULL, compilation);
}

static void check(const float *x, const float *early, const float *last, int n)
{
	for (int i = 0; i < n; i++) {
		assert_true(early[i] == 5 * x[i]);
		assert_true(last[i] == (LENGTH + 1) * x[i]);
	}
}

/* An execution of the chain with four elements. */
struct chained {
	ANeuralNetworksExecution *execution;
	float x[4], early[4], last[4];
};

static void bind(struct chained *c, ANeuralNetworksCompilation *compilation)
{
	const uint32_t four = 4;
	const ANeuralNetworksOperandType type = {
		.type = ANEURALNETWORKS_TENSOR_FLOAT32,
		.dimensionCount = 1,
		.dimensions = &four,
	};

	*c = (struct chained){ .x = { 1, 2, 3, 4 } };
	OK(ANeuralNetworksExecution_create(compilation, &c->execution));
	OK(ANeuralNetworksExecution_setReusable(c->execution, true));
	OK(ANeuralNetworksExecution_setInput(c->execution, 0, &type, c->x, sizeof(c->x)));
	OK(ANeuralNetworksExecution_setOutput(c->execution, 0, &type, c->early, sizeof(c->early)));
	OK(ANeuralNetworksExecution_setOutput(c->execution, 1, &type, c->last, sizeof(c->last)));
}

static void check_and_clear(struct chained *c)
{
	check(c->x, c->early, c->last, 4);
	memset(c->early, 0, sizeof(c->early));
	memset(c->last, 0, sizeof(c->last));
}

/* Each way to run computes all steps, with shapes that are known and that are not. */
static void steps_are_computed(void **state)
{
	for (uint32_t n = 0; n <= 4; n += 4) {
		ANeuralNetworksModel *model = chain(n);
		ANeuralNetworksCompilation *compilation = NULL;
		ANeuralNetworksEvent *event = NULL, *second = NULL;
		ANeuralNetworksBurst *burst = NULL;
		int steps = divide(model, &compilation), fd;
		struct chained c, d;
		uint32_t rank = 0, dim = 0;

		assert_true(steps > 2);
		bind(&c, compilation);
		bind(&d, compilation);
		OK(ANeuralNetworksExecution_setLoopTimeout(d.execution, 1000000000));
		atomic_store(&computed, 0);
		OK(ANeuralNetworksExecution_compute(c.execution));
		assert_true(atomic_load(&computed) >= steps);
		check_and_clear(&c);
		OK(ANeuralNetworksExecution_getOutputOperandRank(c.execution, 0, &rank));
		OK(ANeuralNetworksExecution_getOutputOperandDimensions(c.execution, 0, &dim));
		assert_int_equal(rank, 1);
		assert_int_equal(dim, 4);
		IS(BAD_DATA, ANeuralNetworksExecution_getOutputOperandRank(c.execution, 2, &rank));

		/* Memory of the first run is used again. */
		OK(ANeuralNetworksBurst_create(compilation, &burst));
		OK(ANeuralNetworksExecution_burstCompute(c.execution, burst));
		ANeuralNetworksBurst_free(burst);
		check_and_clear(&c);
		OK(ANeuralNetworksExecution_startCompute(c.execution, &event));
		OK(ANeuralNetworksEvent_wait(event));
		check_and_clear(&c);
		ANeuralNetworksEvent_free(event);

		/* One that depends on another, and has no sync fence either. */
		OK(ANeuralNetworksExecution_startComputeWithDependencies(d.execution, NULL, 0, 0,
									 &event));
		OK(ANeuralNetworksExecution_startComputeWithDependencies(
			c.execution, (const ANeuralNetworksEvent *const *)&event, 1, 0, &second));
		IS(BAD_DATA, ANeuralNetworksEvent_getSyncFenceFd(second, &fd));
		ANeuralNetworksEvent_free(event);
		OK(ANeuralNetworksEvent_wait(second));
		check_and_clear(&c);
		check_and_clear(&d);
		ANeuralNetworksEvent_free(second);

		ANeuralNetworksExecution_free(c.execution);
		ANeuralNetworksExecution_free(d.execution);
		ANeuralNetworksCompilation_free(compilation);
		ANeuralNetworksModel_free(model);
	}
}

/* A run on one device that depends on one of several. */
static void one_device_waits_for_several(void **state)
{
	ANeuralNetworksModel *model = chain(4);
	ANeuralNetworksCompilation *several = NULL, *one = compile(model);
	ANeuralNetworksEvent *event = NULL, *second = NULL;
	struct chained c, d;

	assert_true(divide(model, &several) > 2);
	bind(&c, several);
	bind(&d, one);
	OK(ANeuralNetworksExecution_startCompute(c.execution, &event));
	OK(ANeuralNetworksExecution_startComputeWithDependencies(
		d.execution, (const ANeuralNetworksEvent *const *)&event, 1, 60000000000ull,
		&second));
	OK(ANeuralNetworksEvent_wait(second));
	check_and_clear(&c);
	check_and_clear(&d);
	ANeuralNetworksEvent_free(second);
	ANeuralNetworksEvent_free(event);

	/* A dependency that fails. */
	atomic_store(&fail_compute, -EIO);
	OK(ANeuralNetworksExecution_startCompute(c.execution, &event));
	if (!ANeuralNetworksExecution_startComputeWithDependencies(
		    d.execution, (const ANeuralNetworksEvent *const *)&event, 1, 0, &second))
		assert_int_not_equal(ANeuralNetworksEvent_wait(second), 0);
	assert_int_not_equal(ANeuralNetworksEvent_wait(event), 0);
	ANeuralNetworksEvent_free(second);
	ANeuralNetworksEvent_free(event);
	ANeuralNetworksExecution_free(c.execution);
	ANeuralNetworksExecution_free(d.execution);
	ANeuralNetworksCompilation_free(several);
	ANeuralNetworksCompilation_free(one);
	ANeuralNetworksModel_free(model);
}

/* An output that is too small: the dimensions of all outputs are told, the others are written. */
static void small_outputs_are_told(void **state)
{
	float x[4] = { 1, 2, 3, 4 }, early[2] = { 0 }, last[4] = { 0 };
	const uint32_t four = 4;
	const ANeuralNetworksOperandType type = {
		.type = ANEURALNETWORKS_TENSOR_FLOAT32,
		.dimensionCount = 1,
		.dimensions = &four,
	};
	ANeuralNetworksModel *model = chain(0);
	ANeuralNetworksCompilation *compilation = NULL;
	ANeuralNetworksExecution *execution = NULL;
	uint32_t dim = 0;

	assert_true(divide(model, &compilation) > 2);
	OK(ANeuralNetworksExecution_create(compilation, &execution));
	OK(ANeuralNetworksExecution_setInput(execution, 0, &type, x, sizeof(x)));
	OK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, early, sizeof(early)));
	OK(ANeuralNetworksExecution_setOutput(execution, 1, NULL, last, sizeof(last)));
	IS(OUTPUT_INSUFFICIENT_SIZE, ANeuralNetworksExecution_compute(execution));
	IS(OUTPUT_INSUFFICIENT_SIZE,
	   ANeuralNetworksExecution_getOutputOperandDimensions(execution, 0, &dim));
	assert_int_equal(dim, 4);
	OK(ANeuralNetworksExecution_getOutputOperandDimensions(execution, 1, &dim));
	assert_int_equal(dim, 4);
	assert_true(early[0] == 0 && last[3] == 4 * (LENGTH + 1));
	ANeuralNetworksExecution_free(execution);
	ANeuralNetworksCompilation_free(compilation);
	ANeuralNetworksModel_free(model);
}

/* Only a compilation for one device has timeouts and durations. */
static void several_devices_have_no_deadlines(void **state)
{
	ANeuralNetworksModel *model = chain(4);
	ANeuralNetworksCompilation *compilation = NULL;
	ANeuralNetworksEvent *event = NULL;
	struct chained c;

	divide(model, &compilation);
	bind(&c, compilation);
	IS(BAD_DATA, ANeuralNetworksExecution_setTimeout(c.execution, 1));
	IS(BAD_DATA, ANeuralNetworksExecution_setMeasureTiming(c.execution, true));
	IS(BAD_DATA, ANeuralNetworksExecution_startComputeWithDependencies(c.execution, NULL, 0, 1,
									   &event));
	ANeuralNetworksExecution_free(c.execution);
	ANeuralNetworksCompilation_free(compilation);
	ANeuralNetworksModel_free(model);
}

/* Damages the file that a folder lists first, and removes all where @end. Return: how many. */
static int visit_files(const char *path, bool damage, bool end)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	uint8_t byte;
	int count = 0;

	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		int fd;

		if (entry->d_name[0] == '.')
			continue;
		if (damage && !count) {
			fd = openat(dirfd(dir), entry->d_name, O_RDWR);
			assert_int_equal(pread(fd, &byte, 1, 200), 1);
			byte ^= 1;
			assert_int_equal(pwrite(fd, &byte, 1, 200), 1);
			close(fd);
		}
		if (end)
			assert_int_equal(unlinkat(dirfd(dir), entry->d_name, 0), 0);
		count++;
	}
	closedir(dir);
	return count;
}

/* The program of each step has a file; one that is damaged is compiled and written again. */
static void each_step_is_cached(void **state)
{
	static const int wanted[] = { -1, 0, 1, 0 };
	char dir[] = "/tmp/steps-XXXXXX";
	ANeuralNetworksModel *model = chain(4);
	struct chained c;
	int steps = 0;

	assert_non_null(mkdtemp(dir));
	for (int i = 0; i < 4; i++) {
		ANeuralNetworksCompilation *compilation = NULL;
		int made = divide_cached(model, dir, &compilation);

		if (i)
			assert_int_equal(made, wanted[i]);
		else
			steps = made;
		bind(&c, compilation);
		OK(ANeuralNetworksExecution_compute(c.execution));
		check_and_clear(&c);
		ANeuralNetworksExecution_free(c.execution);
		ANeuralNetworksCompilation_free(compilation);
		assert_int_equal(visit_files(dir, i == 1, i == 3), steps);
	}
	assert_true(steps > 1);
	assert_int_equal(rmdir(dir), 0);
	ANeuralNetworksModel_free(model);
}

/* One that fails in a step fails: with a list of devices there is no other way. */
static void a_list_has_no_fallback(void **state)
{
	ANeuralNetworksModel *model = chain(4);
	ANeuralNetworksCompilation *compilation = NULL, *one = compile(model);
	struct chained c;

	divide(model, &compilation);
	bind(&c, compilation);
	atomic_store(&fail_compute, -EIO);
	IS(OP_FAILED, ANeuralNetworksExecution_compute(c.execution));
	OK(ANeuralNetworksExecution_compute(c.execution));
	check_and_clear(&c);
	ANeuralNetworksExecution_free(c.execution);
	ANeuralNetworksCompilation_free(compilation);

	bind(&c, one);
	atomic_store(&fail_compute, -ENODEV);
	IS(DEAD_OBJECT, ANeuralNetworksExecution_compute(c.execution));
	ANeuralNetworksExecution_free(c.execution);
	ANeuralNetworksCompilation_free(one);

	atomic_store(&fail_compile, -EIO);
	{
		const ANeuralNetworksDevice *device = the_device();

		OK(ANeuralNetworksCompilation_createForDevices(model, &device, 1, &compilation));
		IS(OP_FAILED, ANeuralNetworksCompilation_finish(compilation));
		ANeuralNetworksCompilation_free(compilation);
	}
	ANeuralNetworksModel_free(model);
}

/*
 * Without a list the reference computes what fails on the accelerator, whenever that comes out:
 * when compiling, computing, submitting, or at the end.
 */
static void the_reference_computes_what_fails(void **state)
{
	ANeuralNetworksModel *model = chain(4);
	ANeuralNetworksCompilation *compilation = NULL;
	ANeuralNetworksEvent *event = NULL;
	struct chained c;
	uint32_t dim = 0;

	OK(ANeuralNetworksCompilation_create(model, &compilation));
	OK(ANeuralNetworksCompilation_finish(compilation));
	bind(&c, compilation);
	atomic_store(&fail_compute, -EIO);
	OK(ANeuralNetworksExecution_compute(c.execution));
	check_and_clear(&c);
	OK(ANeuralNetworksExecution_getOutputOperandDimensions(c.execution, 1, &dim));
	assert_int_equal(dim, 4);
	OK(ANeuralNetworksExecution_compute(c.execution));
	check_and_clear(&c);

	atomic_store(&fail_submit, -ENODEV);
	OK(ANeuralNetworksExecution_startCompute(c.execution, &event));
	OK(ANeuralNetworksEvent_wait(event));
	check_and_clear(&c);
	ANeuralNetworksEvent_free(event);

	/* Only there are fences to wait for that end with an error. */
	OK(ANeuralNetworksExecution_startCompute(c.execution, &event));
	atomic_store(&fail_wait, -ETIME);
	OK(ANeuralNetworksEvent_wait(event));
	check_and_clear(&c);
	ANeuralNetworksEvent_free(event);
	atomic_store(&fail_wait, 0);

	/* A loop that takes too long takes too long everywhere. */
	atomic_store(&fail_compute, -ETIMEDOUT);
	assert_int_not_equal(ANeuralNetworksExecution_compute(c.execution), 0);
	ANeuralNetworksExecution_free(c.execution);
	ANeuralNetworksCompilation_free(compilation);

	atomic_store(&fail_compile, -EIO);
	OK(ANeuralNetworksCompilation_create(model, &compilation));
	OK(ANeuralNetworksCompilation_finish(compilation));
	bind(&c, compilation);
	OK(ANeuralNetworksExecution_compute(c.execution));
	check_and_clear(&c);
	ANeuralNetworksExecution_free(c.execution);
	ANeuralNetworksCompilation_free(compilation);
	ANeuralNetworksModel_free(model);
}

/* Arguments in memories of both kinds, which the steps of two devices share or copy. */
static void arguments_may_be_in_memories(void **state)
{
	ANeuralNetworksModel *model = chain(4);
	ANeuralNetworksMemory *memory[3] = { file_memory(16), file_memory(16) }, *plain[3];
	ANeuralNetworksMemoryDesc *desc = NULL;
	ANeuralNetworksCompilation *compilation = NULL;
	ANeuralNetworksExecution *execution = NULL;
	int fd = memfd_create("plain", MFD_CLOEXEC);
	float *bytes;

	assert_true(divide(model, &compilation) > 2);
	assert_int_equal(ftruncate(fd, 3 * 4096), 0);
	bytes = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	for (int i = 0; i < 3; i++)
		OK(ANeuralNetworksMemory_createFromFd(16, PROT_READ | PROT_WRITE, fd, i * 4096,
						      &plain[i]));
	for (int i = 0; i < 4; i++)
		bytes[i] = i + 1;
	OK(ANeuralNetworksMemoryDesc_create(&desc));
	OK(ANeuralNetworksMemoryDesc_addOutputRole(desc, compilation, 1, 1.0f));
	OK(ANeuralNetworksMemoryDesc_finish(desc));
	OK(ANeuralNetworksMemory_createFromDesc(desc, &memory[2]));
	OK(ANeuralNetworksMemory_copy(plain[0], memory[0]));
	OK(ANeuralNetworksExecution_create(compilation, &execution));
	OK(ANeuralNetworksExecution_setInputFromMemory(execution, 0, NULL, memory[0], 0, 16));
	OK(ANeuralNetworksExecution_setOutputFromMemory(execution, 0, NULL, memory[1], 0, 16));
	OK(ANeuralNetworksExecution_setOutputFromMemory(execution, 1, NULL, memory[2], 0, 0));
	OK(ANeuralNetworksExecution_compute(execution));
	OK(ANeuralNetworksMemory_copy(memory[1], plain[1]));
	OK(ANeuralNetworksMemory_copy(memory[2], plain[2]));
	check(bytes, bytes + 1024, bytes + 2048, 4);
	ANeuralNetworksExecution_free(execution);
	ANeuralNetworksMemoryDesc_free(desc);
	for (int i = 0; i < 3; i++) {
		ANeuralNetworksMemory_free(memory[i]);
		ANeuralNetworksMemory_free(plain[i]);
	}
	munmap(bytes, 3 * 4096);
	close(fd);
	ANeuralNetworksCompilation_free(compilation);
	ANeuralNetworksModel_free(model);
}

int main(void)
{
	const struct CMUnitTest divided[] = {
		cmocka_unit_test(steps_are_computed),
		cmocka_unit_test(one_device_waits_for_several),
		cmocka_unit_test(small_outputs_are_told),
		cmocka_unit_test(several_devices_have_no_deadlines),
		cmocka_unit_test(each_step_is_cached),
		cmocka_unit_test(a_list_has_no_fallback),
		cmocka_unit_test(the_reference_computes_what_fails),
		cmocka_unit_test(arguments_may_be_in_memories),
	};
	const struct CMUnitTest whole[] = {
		cmocka_unit_test(the_reference_computes_what_fails),
	};
	int status = 1;
	pid_t pid;

	use_loopback();
	/* The library reads once whether it deals, so each half has a process of its own. */
	pid = fork();
	if (!pid) {
		setenv("NNACCEL_DEAL", "1", 1);
		exit(cmocka_run_group_tests(divided, NULL, NULL));
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 1;
	return cmocka_run_group_tests(whole, NULL, NULL) || status;
}
