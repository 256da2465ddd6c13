// SPDX-License-Identifier: MIT
/*
 * A client of nnaccel-hal as Android has them: libbinder_ndk of AOSP, and what the AIDL compiler
 * has made of our printed .aidl. It calls every method of every interface and looks at what comes
 * back.
 *
 *	client all		prints "ok" or "not ok" for each, last "N passed, N failed"
 *	client old VERSION	the same for a service that claims to be of that version
 *	client death		prints "ready", then waits until the service has died
 *	client dump		what the service says about itself
 *	client ping		waits for the service manager
 *
 * The model is out = (in + {1, 2, 3, 4}) * {10, 10, 10, 10}, float32, with constants both of a pool
 * and sent along.
 */
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <mutex>

#include <android/binder_manager.h>
#include <android/binder_process.h>

#include "all.h"

#define INSTANCE "android.hardware.neuralnetworks.IDevice/nnaccel"

using aidl::android::hardware::common::MappableFile;
using ndk::ScopedAStatus;
using ndk::ScopedFileDescriptor;
using ndk::SharedRefBase;
using std::shared_ptr;
using std::vector;

static int passed, failed;

static bool check(bool ok, const char *what)
{
	printf("%s %s\n", ok ? "ok" : "not ok", what);
	ok ? passed++ : failed++;
	return ok;
}

/* What the call must have said: the service's own error, with a message. */
static bool check_error(const ScopedAStatus &status, ErrorStatus error, const char *what)
{
	bool ok = status.getExceptionCode() == EX_SERVICE_SPECIFIC &&
		  status.getServiceSpecificError() == int32_t(error) && *status.getMessage();

	if (!ok)
		printf("# %s: %s\n", what, status.getDescription().c_str());
	return check(ok, what);
}

static bool check_ok(const ScopedAStatus &status, const char *what)
{
	if (!status.isOk())
		printf("# %s: %s\n", what, status.getDescription().c_str());
	return check(status.isOk(), what);
}

/* -------------------------------------------------------------------------------------- values */

static ScopedFileDescriptor make_file(const vector<float> &values)
{
	int fd = memfd_create("client", MFD_CLOEXEC);

	if (fd < 0 || write(fd, values.data(), values.size() * 4) != ssize_t(values.size() * 4))
		abort();
	return ScopedFileDescriptor(fd);
}

static Memory share(const ScopedFileDescriptor &file, size_t bytes)
{
	MappableFile mappable;

	mappable.length = int64_t(bytes);
	mappable.prot = PROT_READ | PROT_WRITE;
	mappable.fd = file.dup();
	return Memory::make<Memory::mappableFile>(std::move(mappable));
}

static Operand make_operand(OperandType type, OperandLifeTime lifetime, int64_t offset = 0,
			    int64_t length = 0)
{
	Operand operand;

	operand.type = type;
	if (type == OperandType::TENSOR_FLOAT32)
		operand.dimensions = { 2, 2 };
	operand.lifetime = lifetime;
	operand.location.offset = offset;
	operand.location.length = length;
	return operand;
}

static Operation make_operation(OperationType type, vector<int32_t> inputs, int32_t output)
{
	Operation operation;

	operation.type = type;
	operation.inputs = std::move(inputs);
	operation.outputs = { output };
	return operation;
}

static Model make_model()
{
	const float tens[] = { 10, 10, 10, 10 };
	Model model;

	model.operandValues.resize(4 + sizeof(tens));
	memcpy(&model.operandValues[4], tens, sizeof(tens));
	model.pools.push_back(share(make_file({ 1, 2, 3, 4 }), 16));
	model.main.operands.push_back(make_operand(OperandType::TENSOR_FLOAT32,
						   OperandLifeTime::SUBGRAPH_INPUT));
	model.main.operands.push_back(make_operand(OperandType::TENSOR_FLOAT32,
						   OperandLifeTime::CONSTANT_POOL, 0, 16));
	model.main.operands.push_back(make_operand(OperandType::INT32,
						   OperandLifeTime::CONSTANT_COPY, 0, 4));
	model.main.operands.push_back(make_operand(OperandType::TENSOR_FLOAT32,
						   OperandLifeTime::TEMPORARY_VARIABLE));
	model.main.operands.push_back(make_operand(OperandType::TENSOR_FLOAT32,
						   OperandLifeTime::CONSTANT_COPY, 4, 16));
	model.main.operands.push_back(make_operand(OperandType::TENSOR_FLOAT32,
						   OperandLifeTime::SUBGRAPH_OUTPUT));
	model.main.operations.push_back(make_operation(OperationType::ADD, { 0, 1, 2 }, 3));
	model.main.operations.push_back(make_operation(OperationType::MUL, { 3, 4, 2 }, 5));
	model.main.inputIndexes = { 0 };
	model.main.outputIndexes = { 5 };
	return model;
}

/* in + n, as n additions of 1: a large parcel. */
static Model make_chain(int32_t n)
{
	const float ones[] = { 1, 1, 1, 1 };
	Model model;

	model.operandValues.resize(4 + sizeof(ones));
	memcpy(&model.operandValues[4], ones, sizeof(ones));
	model.main.operands.push_back(make_operand(OperandType::INT32,
						   OperandLifeTime::CONSTANT_COPY, 0, 4));
	model.main.operands.push_back(make_operand(OperandType::TENSOR_FLOAT32,
						   OperandLifeTime::CONSTANT_COPY, 4, 16));
	for (int32_t i = 0; i <= n; i++) {
		auto lifetime = i == 0 ? OperandLifeTime::SUBGRAPH_INPUT
				: i == n ? OperandLifeTime::SUBGRAPH_OUTPUT
					 : OperandLifeTime::TEMPORARY_VARIABLE;

		model.main.operands.push_back(make_operand(OperandType::TENSOR_FLOAT32, lifetime));
		if (i)
			model.main.operations.push_back(
				make_operation(OperationType::ADD, { i + 1, 1, 0 }, i + 2));
	}
	model.main.inputIndexes = { 2 };
	model.main.outputIndexes = { n + 2 };
	return model;
}

/* A request, and the file that its input and output lie in. */
struct Job {
	Request request;
	ScopedFileDescriptor file;

	Job() : file(make_file({ 1, 2, 3, 4, 0, 0, 0, 0 }))
	{
		request.inputs.resize(1);
		request.inputs[0].location.length = 16;
		request.outputs.resize(1);
		request.outputs[0].location.offset = 16;
		request.outputs[0].location.length = 16;
		request.pools.push_back(
			RequestMemoryPool::make<RequestMemoryPool::pool>(share(file, 32)));
	}

	/* The output is what it must be; it is cleared for the next time. */
	bool take(const float (&wanted)[4])
	{
		static const float zeros[4] = { 0 };
		float got[4];

		return pread(file.get(), got, 16, 16) == 16 && !memcmp(got, wanted, 16) &&
		       pwrite(file.get(), zeros, 16, 16) == 16;
	}

	bool done()
	{
		return take({ 20, 40, 60, 80 });
	}
};

/* ------------------------------------------------------------------------------------ preparing */

class Callback : public BnPreparedModelCallback {
    public:
	ScopedAStatus notify(ErrorStatus status, const shared_ptr<IPreparedModel> &model) override
	{
		std::lock_guard<std::mutex> guard(lock_);

		told_++;
		status_ = status;
		model_ = model;
		changed_.notify_all();
		return ScopedAStatus::ok();
	}

	/* The model, after it was told; NULL after an error. */
	shared_ptr<IPreparedModel> wait(ErrorStatus *status)
	{
		std::unique_lock<std::mutex> guard(lock_);

		changed_.wait(guard, [this] { return told_ > 0; });
		*status = status_;
		return model_;
	}

	int told()
	{
		std::lock_guard<std::mutex> guard(lock_);

		return told_;
	}

    private:
	std::mutex lock_;
	std::condition_variable changed_;
	int told_ = 0;
	ErrorStatus status_ = ErrorStatus::NONE;
	shared_ptr<IPreparedModel> model_;
};

static const vector<ScopedFileDescriptor> no_files;
static const vector<uint8_t> no_token(32);

static shared_ptr<IPreparedModel> prepare(const shared_ptr<IDevice> &device, const Model &model,
					  const vector<ScopedFileDescriptor> &cache = no_files)
{
	auto callback = SharedRefBase::make<Callback>();
	ErrorStatus error;
	shared_ptr<IPreparedModel> prepared;

	if (!check_ok(device->prepareModel(model, ExecutionPreference::FAST_SINGLE_ANSWER,
					   Priority::MEDIUM, -1, cache, no_files, no_token,
					   callback), "prepareModel"))
		return nullptr;
	prepared = callback->wait(&error);
	check(prepared && error == ErrorStatus::NONE, "prepareModel tells its model");
	return prepared;
}

static void test_device(const shared_ptr<IDevice> &device, int32_t version)
{
	static const char *const hashes[] = {
		"ae57b48403df6752d8d8d56d215c3e31db74935d",
		"04c95c94c96062e5faf35c00b4ae0e50a3f11d0d",
		"8c2c4ca2327e6f779dad6119c03d832ea4e1def1",
		"53178f8de9b8861df391cf0593f6f3e08adad33d",
	};
	vector<Extension> extensions;
	NumberOfCacheFiles files;
	Capabilities capabilities;
	DeviceType type;
	bool ascending = true;
	std::string text;
	int32_t number = 0;

	check(device->getInterfaceVersion(&number).isOk() && number == version,
	      "getInterfaceVersion");
	check(device->getInterfaceHash(&text).isOk() && text == hashes[version - 1],
	      "getInterfaceHash");
	check_ok(device->getType(&type), "getType");
	check(type == DeviceType::ACCELERATOR, "getType says accelerator");
	check(device->getVersionString(&text).isOk() && !text.empty(), "getVersionString");
	check_ok(device->getSupportedExtensions(&extensions), "getSupportedExtensions");
	check(device->getNumberOfCacheFilesNeeded(&files).isOk() && files.numModelCache == 1 &&
		      files.numDataCache == 0, "getNumberOfCacheFilesNeeded");
	check_ok(device->getCapabilities(&capabilities), "getCapabilities");
	for (size_t i = 0; i < capabilities.operandPerformance.size(); i++) {
		OperandType operand = capabilities.operandPerformance[i].type;

		if (operand == OperandType::SUBGRAPH ||
		    (i && operand <= capabilities.operandPerformance[i - 1].type))
			ascending = false;
	}
	check(ascending && capabilities.operandPerformance.size() >= 15,
	      "getCapabilities: ascending, without SUBGRAPH");
}

static void test_models(const shared_ptr<IDevice> &device)
{
	auto callback = SharedRefBase::make<Callback>();
	vector<bool> supported;
	Model wrong = make_model();
	ErrorStatus error;

	check(device->getSupportedOperations(make_model(), &supported).isOk() &&
		      supported == vector<bool>({ true, true }), "getSupportedOperations");
	check(device->getSupportedOperations(make_chain(1000), &supported).isOk() &&
		      supported == vector<bool>(1000, true), "1,000 operations");
	wrong.main.operations[0].outputs[0] = 99;
	check_error(device->getSupportedOperations(wrong, &supported),
		    ErrorStatus::INVALID_ARGUMENT, "getSupportedOperations of a wrong model");
	check_error(device->prepareModel(wrong, ExecutionPreference::LOW_POWER, Priority::LOW, -1,
					 no_files, no_files, no_token, callback),
		    ErrorStatus::INVALID_ARGUMENT, "prepareModel of a wrong model");
	check(!callback->wait(&error) && error == ErrorStatus::INVALID_ARGUMENT &&
		      callback->told() == 1, "prepareModel tells the error as well, once");
	check_error(device->prepareModel(make_model(), ExecutionPreference::LOW_POWER,
					 Priority::LOW, -1, no_files, no_files, no_token, nullptr),
		    ErrorStatus::INVALID_ARGUMENT, "prepareModel without a callback");
}

static void test_cache(const shared_ptr<IDevice> &device)
{
	auto callback = SharedRefBase::make<Callback>();
	vector<ScopedFileDescriptor> cache;
	shared_ptr<IPreparedModel> model;
	ExecutionResult result;
	ErrorStatus error;
	Job job;

	cache.push_back(make_file({}));
	prepare(device, make_model(), cache);
	check_ok(device->prepareModelFromCache(-1, cache, no_files, no_token, callback),
		 "prepareModelFromCache");
	model = callback->wait(&error);
	check(model && model->executeSynchronously(job.request, false, -1, -1, &result).isOk() &&
		      job.done(), "a model of the cache");
	check_error(device->prepareModelFromCache(-1, no_files, no_files, no_token,
						  SharedRefBase::make<Callback>()),
		    ErrorStatus::INVALID_ARGUMENT, "prepareModelFromCache without files");
	cache[0] = make_file({ 1, 2, 3, 4 });
	callback = SharedRefBase::make<Callback>();
	check_ok(device->prepareModelFromCache(-1, cache, no_files, no_token, callback),
		 "prepareModelFromCache of something else");
	check(!callback->wait(&error) && error == ErrorStatus::GENERAL_FAILURE,
	      "prepareModelFromCache of something else tells a failure");
}

/* ------------------------------------------------------------------------------------ executing */

static void test_sync(const shared_ptr<IPreparedModel> &model)
{
	ExecutionResult result;
	Job job;

	check_ok(model->executeSynchronously(job.request, true, -1, -1, &result),
		 "executeSynchronously");
	check(job.done(), "executeSynchronously: the output");
	check(result.outputSufficientSize && result.outputShapes.size() == 1 &&
		      result.outputShapes[0].dimensions == vector<int32_t>({ 2, 2 }),
	      "executeSynchronously: the shapes");
	check(result.timing.timeOnDeviceNs >= 0 &&
		      result.timing.timeInDriverNs >= result.timing.timeOnDeviceNs,
	      "executeSynchronously: the timing");
	job.request.outputs[0].location.length = 8;
	check(model->executeSynchronously(job.request, false, -1, -1, &result).isOk() &&
		      !result.outputSufficientSize, "an output that is too small");
	job.request.outputs[0].location.length = 16;
	job.request.inputs[0].location.poolIndex = 7;
	check_error(model->executeSynchronously(job.request, false, -1, -1, &result),
		    ErrorStatus::INVALID_ARGUMENT, "a pool that there is not");
	job.request.inputs[0].location.poolIndex = 0;
	check_error(model->executeSynchronously(job.request, false, 0, -1, &result),
		    ErrorStatus::MISSED_DEADLINE_PERSISTENT, "a deadline that has passed");
	check_error(model->executeSynchronously(job.request, false, -1, -2, &result),
		    ErrorStatus::INVALID_ARGUMENT, "a loop timeout that is none");
}

/* Waits for a sync fence, of which there may be none. */
static bool signalled(const ScopedFileDescriptor &fence)
{
	struct pollfd poll_fd = { fence.get(), POLLIN, 0 };

	if (fence.get() < 0)
		return true;
	return poll(&poll_fd, 1, -1) == 1 && poll_fd.revents == POLLIN;
}

static void check_fenced(const FencedExecutionResult &result, Job &job, bool measured,
			 const char *what)
{
	Timing launched, fenced;
	ErrorStatus error = ErrorStatus::GENERAL_FAILURE;

	check(signalled(result.syncFence) && job.done(), what);
	check(result.callback &&
		      result.callback->getExecutionInfo(&launched, &fenced, &error).isOk() &&
		      error == ErrorStatus::NONE, "getExecutionInfo");
	check((launched.timeInDriverNs >= 0) == measured &&
		      (fenced.timeInDriverNs >= 0) == measured, "getExecutionInfo: the timing");
}

static void test_fenced(const shared_ptr<IPreparedModel> &model)
{
	FencedExecutionResult first, second;
	vector<ScopedFileDescriptor> fences;
	Job job, next;

	check_ok(model->executeFenced(job.request, no_files, true, -1, -1, -1, &first),
		 "executeFenced");
	if (first.syncFence.get() >= 0)
		fences.push_back(first.syncFence.dup());
	check_ok(model->executeFenced(next.request, fences, false, -1, -1, 10000000000, &second),
		 "executeFenced behind a fence");
	check_fenced(second, next, false, "executeFenced behind a fence: the output");
	check_fenced(first, job, true, "executeFenced: the output");
	fences.clear();
	fences.push_back(make_file({}));
	check_error(model->executeFenced(job.request, fences, false, -1, -1, -1, &first),
		    ErrorStatus::INVALID_ARGUMENT, "a fence that is none");
}

static void test_burst(const shared_ptr<IPreparedModel> &model)
{
	shared_ptr<IBurst> burst;
	ExecutionResult result;
	Job job;

	check_ok(model->configureExecutionBurst(&burst), "configureExecutionBurst");
	for (int i = 0; i < 3; i++)
		check(burst->executeSynchronously(job.request, { 17 }, false, -1, -1, &result)
				      .isOk() && job.done(), "a burst");
	check_ok(burst->releaseMemoryResource(17), "releaseMemoryResource");
	check_error(burst->executeSynchronously(job.request, {}, false, -1, -1, &result),
		    ErrorStatus::INVALID_ARGUMENT, "a burst with too few tokens");
}

static void test_buffer(const shared_ptr<IDevice> &device, const shared_ptr<IPreparedModel> &model)
{
	vector<IPreparedModelParcel> models(1);
	ExecutionResult result;
	BufferRole role;
	DeviceBuffer buffer;
	BufferDesc desc;
	Job job, copy;

	models[0].preparedModel = model;
	role.probability = 1.0f;
	check_ok(device->allocate(desc, models, {}, { role }, &buffer), "allocate");
	if (!buffer.buffer)
		return;
	job.request.pools.push_back(
		RequestMemoryPool::make<RequestMemoryPool::token>(buffer.token));
	job.request.outputs[0].location = DataLocation();
	job.request.outputs[0].location.poolIndex = 1;
	check_ok(model->executeSynchronously(job.request, false, -1, -1, &result),
		 "an output to a device buffer");
	copy.file = make_file({ 0, 0, 0, 0 });
	check_ok(buffer.buffer->copyTo(share(copy.file, 16)), "copyTo");
	float got[4] = { 0 };
	const float wanted[4] = { 20, 40, 60, 80 };
	check(pread(copy.file.get(), got, 16, 0) == 16 && !memcmp(got, wanted, 16),
	      "copyTo: the values");
	check_ok(buffer.buffer->copyFrom(share(copy.file, 16), {}), "copyFrom");
	check_error(buffer.buffer->copyFrom(share(copy.file, 12), {}),
		    ErrorStatus::INVALID_ARGUMENT, "copyFrom of another size");
	check_error(device->allocate(desc, models, {}, {}, &buffer),
		    ErrorStatus::INVALID_ARGUMENT, "allocate without roles");
}

/* What version 4 has added. */
static void test_new(const shared_ptr<IDevice> &device, const shared_ptr<IPreparedModel> &model)
{
	auto callback = SharedRefBase::make<Callback>();
	shared_ptr<IExecution> execution;
	PrepareModelConfig prepare_config;
	FencedExecutionResult fenced;
	shared_ptr<IBurst> burst;
	ExecutionResult result;
	ExecutionConfig config;
	ErrorStatus error;
	Job job;

	config.loopTimeoutDurationNs = -1;
	prepare_config.deadlineNs = -1;
	prepare_config.priority = Priority::HIGH;
	check_ok(device->prepareModelWithConfig(make_model(), prepare_config, callback),
		 "prepareModelWithConfig");
	check(callback->wait(&error) != nullptr, "prepareModelWithConfig tells its model");
	check(model->executeSynchronouslyWithConfig(job.request, config, -1, &result).isOk() &&
		      job.done(), "executeSynchronouslyWithConfig");
	check_ok(model->executeFencedWithConfig(job.request, no_files, config, -1, -1, &fenced),
		 "executeFencedWithConfig");
	check_fenced(fenced, job, false, "executeFencedWithConfig: the output");
	check(model->configureExecutionBurst(&burst).isOk() &&
		      burst->executeSynchronouslyWithConfig(job.request, { 3 }, config, -1, &result)
			      .isOk() && job.done(), "a burst with a configuration");
	check_ok(model->createReusableExecution(job.request, config, &execution),
		 "createReusableExecution");
	for (int i = 0; i < 3; i++)
		check(execution->executeSynchronously(-1, &result).isOk() && job.done(),
		      "a reusable execution");
	check_ok(execution->executeFenced(no_files, -1, -1, &fenced), "its executeFenced");
	check_fenced(fenced, job, false, "its executeFenced: the output");
	config.loopTimeoutDurationNs = 15000000001;
	check_error(model->createReusableExecution(job.request, config, &execution),
		    ErrorStatus::INVALID_ARGUMENT, "a loop timeout that is too long");
}

/* Where the service is older than version 4, it knows no such transaction. */
static void test_unknown(const shared_ptr<IPreparedModel> &model)
{
	shared_ptr<IExecution> execution;
	ExecutionConfig config;
	Job job;

	config.loopTimeoutDurationNs = -1;
	check(model->createReusableExecution(job.request, config, &execution).getStatus() ==
		      STATUS_UNKNOWN_TRANSACTION, "createReusableExecution is unknown");
}

static int run(const shared_ptr<IDevice> &device, int32_t version)
{
	shared_ptr<IPreparedModel> model, chain;
	ExecutionResult result;
	Job job;

	test_device(device, version);
	test_models(device);
	model = prepare(device, make_model());
	chain = prepare(device, make_chain(500));
	if (!model || !chain)
		return 1;
	check(chain->executeSynchronously(job.request, false, -1, -1, &result).isOk() &&
		      job.take({ 501, 502, 503, 504 }), "a model of 500 operations");
	test_sync(model);
	test_fenced(model);
	test_burst(model);
	test_buffer(device, model);
	test_cache(device);
	if (version >= 4)
		test_new(device, model);
	else
		test_unknown(model);
	printf("%d passed, %d failed\n", passed, failed);
	return failed ? 1 : 0;
}

/* ---------------------------------------------------------------------------------------- death */

struct Grave {
	std::mutex lock;
	std::condition_variable changed;
	bool dead = false;
};

static void on_death(void *cookie)
{
	Grave *grave = static_cast<Grave *>(cookie);
	std::lock_guard<std::mutex> guard(grave->lock);

	grave->dead = true;
	grave->changed.notify_all();
}

static int wait_for_death(const shared_ptr<IDevice> &device)
{
	AIBinder_DeathRecipient *recipient = AIBinder_DeathRecipient_new(on_death);
	static Grave grave;
	DeviceType type;

	if (AIBinder_linkToDeath(device->asBinder().get(), recipient, &grave) != STATUS_OK)
		return 1;
	printf("ready\n");
	fflush(stdout);
	std::unique_lock<std::mutex> guard(grave.lock);
	grave.changed.wait(guard, [] { return grave.dead; });
	check(device->getType(&type).getStatus() == STATUS_DEAD_OBJECT, "the service is dead");
	printf("%d passed, %d failed\n", passed, failed);
	return failed ? 1 : 0;
}

int main(int argc, char **argv)
{
	const std::string what = argc > 1 ? argv[1] : "all";
	shared_ptr<IDevice> device;

	ABinderProcess_setThreadPoolMaxThreadCount(4);
	ABinderProcess_startThreadPool();
	if (what == "ping")
		return ndk::SpAIBinder(AServiceManager_checkService("manager")).get() ? 0 : 1;
	device = IDevice::fromBinder(ndk::SpAIBinder(AServiceManager_checkService(INSTANCE)));
	if (!device) {
		printf("# there is no %s\n0 passed, 1 failed\n", INSTANCE);
		return 1;
	}
	if (what == "death")
		return wait_for_death(device);
	if (what == "dump")
		return AIBinder_dump(device->asBinder().get(), STDOUT_FILENO, nullptr, 0) ==
			       STATUS_OK ? 0 : 1;
	return run(device, what == "old" && argc > 2 ? atoi(argv[2]) : 4);
}
