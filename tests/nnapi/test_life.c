// SPDX-License-Identifier: MIT
/*
 * The lives of the API's objects: every function without each of its arguments, in each state that
 * is not for it, twice, and after what an object was made from has been freed.
 *
 * A case is one row below: its name, the result code that the documentation demands, and the calls,
 * of which the last one counts. Each has objects of its own in all states (struct objects).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "hal-bridge/include/NeuralNetworks.h"

#define SIZE 16 /* bytes of an argument: four floats */

/**
 * struct objects - one of each object in each of its states; out = a + b of [4]
 * @building: a model with the operands a, b, activation and out, and no more
 * @bad: a model whose finish has failed
 * @model: a finished one
 * @open: a compilation of @model for the device that can still be changed
 * @free_choice: the same without a list of devices
 * @compiled: a finished one for the device
 * @chosen: a finished one without a list of devices
 * @fresh: an execution of @compiled with nothing set
 * @bound: an execution with all arguments set
 * @ran: an execution that has completed
 * @again: one that is reusable, and has completed
 * @unlisted: an execution of @chosen with all arguments set
 * @event: of a run of @again that has ended
 * @memory: four pages of a file
 * @desc: a descriptor that can still be changed, with input 0 of @compiled as its role
 * @no_role: a descriptor without one
 * @described: a finished one
 * @domain: device memory made from it
 * @burst: of @compiled
 */
struct objects {
	ANeuralNetworksDevice *device, *other_device;
	const ANeuralNetworksDevice *devices[2];
	ANeuralNetworksModel *building, *bad, *model;
	ANeuralNetworksCompilation *open, *free_choice, *compiled, *chosen;
	ANeuralNetworksExecution *fresh, *bound, *ran, *again, *unlisted;
	ANeuralNetworksEvent *event, *other_event;
	ANeuralNetworksMemory *memory, *domain, *made_memory;
	ANeuralNetworksMemoryDesc *desc, *no_role, *described, *made_desc;
	ANeuralNetworksBurst *burst, *made_burst;
	ANeuralNetworksModel *made_model;
	ANeuralNetworksCompilation *made_compilation;
	ANeuralNetworksExecution *made_execution;
	float a[4], b[4], out[4];
	uint32_t number, dims[4];
	uint64_t time;
	int fd, made_fd;
	int32_t type;
	int64_t level;
	const char *text;
	bool supported[4];
	uint8_t token[ANEURALNETWORKS_BYTE_SIZE_OF_CACHE_TOKEN];
};

static const uint32_t four[1] = { 4 }, in_list[3] = { 0, 1, 2 }, out_list[1] = { 3 };
static const ANeuralNetworksOperandType tensor = { ANEURALNETWORKS_TENSOR_FLOAT32, 1, four, 0, 0 };
static const ANeuralNetworksOperandType scalar = { .type = ANEURALNETWORKS_INT32 };
static const float scales[1] = { 1.0f };
static const ANeuralNetworksSymmPerChannelQuantParams params = { 0, 1, scales };
static const int32_t none = ANEURALNETWORKS_FUSED_NONE;

#define OK(call) assert_int_equal((call), ANEURALNETWORKS_NO_ERROR)

static ANeuralNetworksModel *start_model(void)
{
	ANeuralNetworksModel *model = NULL;

	OK(ANeuralNetworksModel_create(&model));
	OK(ANeuralNetworksModel_addOperand(model, &tensor));
	OK(ANeuralNetworksModel_addOperand(model, &tensor));
	OK(ANeuralNetworksModel_addOperand(model, &scalar));
	OK(ANeuralNetworksModel_addOperand(model, &tensor));
	OK(ANeuralNetworksModel_setOperandValue(model, 2, &none, sizeof(none)));
	return model;
}

static void bind_arguments(struct objects *o, ANeuralNetworksExecution *execution)
{
	OK(ANeuralNetworksExecution_setInput(execution, 0, NULL, o->a, SIZE));
	OK(ANeuralNetworksExecution_setInput(execution, 1, NULL, o->b, SIZE));
	OK(ANeuralNetworksExecution_setOutput(execution, 0, NULL, o->out, SIZE));
}

static int set_up(void **state)
{
	struct objects *o = calloc(1, sizeof(*o));

	assert_non_null(o);
	OK(ANeuralNetworks_getDevice(0, &o->device));
	o->devices[0] = o->devices[1] = o->device;
	o->made_fd = -1;
	o->building = start_model();
	o->bad = start_model();
	assert_int_equal(ANeuralNetworksModel_finish(o->bad), ANEURALNETWORKS_BAD_DATA);
	o->model = start_model();
	OK(ANeuralNetworksModel_addOperation(o->model, ANEURALNETWORKS_ADD, 3, in_list, 1,
					     out_list));
	OK(ANeuralNetworksModel_identifyInputsAndOutputs(o->model, 2, in_list, 1, out_list));
	OK(ANeuralNetworksModel_finish(o->model));
	OK(ANeuralNetworksCompilation_createForDevices(o->model, o->devices, 1, &o->open));
	OK(ANeuralNetworksCompilation_create(o->model, &o->free_choice));
	OK(ANeuralNetworksCompilation_createForDevices(o->model, o->devices, 1, &o->compiled));
	OK(ANeuralNetworksCompilation_finish(o->compiled));
	OK(ANeuralNetworksCompilation_create(o->model, &o->chosen));
	OK(ANeuralNetworksCompilation_finish(o->chosen));
	OK(ANeuralNetworksExecution_create(o->compiled, &o->fresh));
	OK(ANeuralNetworksExecution_create(o->compiled, &o->bound));
	OK(ANeuralNetworksExecution_create(o->compiled, &o->ran));
	OK(ANeuralNetworksExecution_create(o->compiled, &o->again));
	OK(ANeuralNetworksExecution_create(o->chosen, &o->unlisted));
	bind_arguments(o, o->bound);
	bind_arguments(o, o->ran);
	bind_arguments(o, o->again);
	bind_arguments(o, o->unlisted);
	OK(ANeuralNetworksExecution_compute(o->ran));
	OK(ANeuralNetworksExecution_setReusable(o->again, true));
	OK(ANeuralNetworksExecution_startCompute(o->again, &o->event));
	OK(ANeuralNetworksEvent_wait(o->event));
	o->fd = memfd_create("life", MFD_CLOEXEC);
	assert_true(o->fd >= 0);
	assert_int_equal(ftruncate(o->fd, 16384), 0);
	OK(ANeuralNetworksMemory_createFromFd(16384, PROT_READ | PROT_WRITE, o->fd, 0, &o->memory));
	OK(ANeuralNetworksMemoryDesc_create(&o->no_role));
	OK(ANeuralNetworksMemoryDesc_create(&o->desc));
	OK(ANeuralNetworksMemoryDesc_addInputRole(o->desc, o->compiled, 0, 1.0f));
	OK(ANeuralNetworksMemoryDesc_create(&o->described));
	OK(ANeuralNetworksMemoryDesc_addInputRole(o->described, o->compiled, 0, 1.0f));
	OK(ANeuralNetworksMemoryDesc_finish(o->described));
	OK(ANeuralNetworksMemory_createFromDesc(o->described, &o->domain));
	OK(ANeuralNetworksBurst_create(o->compiled, &o->burst));
	*state = o;
	return 0;
}

static int tear_down(void **state)
{
	struct objects *o = *state;

	ANeuralNetworksEvent_free(o->other_event);
	ANeuralNetworksEvent_free(o->event);
	ANeuralNetworksBurst_free(o->made_burst);
	ANeuralNetworksBurst_free(o->burst);
	ANeuralNetworksExecution_free(o->made_execution);
	ANeuralNetworksExecution_free(o->fresh);
	ANeuralNetworksExecution_free(o->bound);
	ANeuralNetworksExecution_free(o->ran);
	ANeuralNetworksExecution_free(o->again);
	ANeuralNetworksExecution_free(o->unlisted);
	ANeuralNetworksMemory_free(o->made_memory);
	ANeuralNetworksMemory_free(o->domain);
	ANeuralNetworksMemory_free(o->memory);
	ANeuralNetworksMemoryDesc_free(o->made_desc);
	ANeuralNetworksMemoryDesc_free(o->described);
	ANeuralNetworksMemoryDesc_free(o->desc);
	ANeuralNetworksMemoryDesc_free(o->no_role);
	ANeuralNetworksCompilation_free(o->made_compilation);
	ANeuralNetworksCompilation_free(o->open);
	ANeuralNetworksCompilation_free(o->free_choice);
	ANeuralNetworksCompilation_free(o->compiled);
	ANeuralNetworksCompilation_free(o->chosen);
	ANeuralNetworksModel_free(o->made_model);
	ANeuralNetworksModel_free(o->building);
	ANeuralNetworksModel_free(o->bad);
	ANeuralNetworksModel_free(o->model);
	if (o->made_fd >= 0)
		close(o->made_fd);
	close(o->fd);
	free(o);
	return 0;
}

/* What is given back before the case ends. */
#define GONE(object, name) (ANeuralNetworks##object##_free(o->name), o->name = NULL)

/* Each argument missing. NN(f) is ANeuralNetworksf. */
#define NN(function) ANeuralNetworks##function
#define NULLS(X) \
	X(runtime_count, ANeuralNetworks_getDeviceCount(NULL)) \
	X(runtime_device, ANeuralNetworks_getDevice(0, NULL)) \
	X(device_name_device, NN(Device_getName)(NULL, &o->text)) \
	X(device_name, NN(Device_getName)(o->device, NULL)) \
	X(device_version_device, NN(Device_getVersion)(NULL, &o->text)) \
	X(device_version, NN(Device_getVersion)(o->device, NULL)) \
	X(device_type_device, NN(Device_getType)(NULL, &o->type)) \
	X(device_type, NN(Device_getType)(o->device, NULL)) \
	X(device_level_device, NN(Device_getFeatureLevel)(NULL, &o->level)) \
	X(device_level, NN(Device_getFeatureLevel)(o->device, NULL)) \
	X(device_wait, NN(Device_wait)(NULL)) \
	X(memory_from_fd, NN(Memory_createFromFd)(64, PROT_READ, o->fd, 0, NULL)) \
	X(memory_from_desc_desc, NN(Memory_createFromDesc)(NULL, &o->made_memory)) \
	X(memory_from_desc, NN(Memory_createFromDesc)(o->described, NULL)) \
	X(memory_copy_from, NN(Memory_copy)(NULL, o->memory)) \
	X(memory_copy_to, NN(Memory_copy)(o->memory, NULL)) \
	X(desc_create, NN(MemoryDesc_create)(NULL)) \
	X(desc_input_desc, NN(MemoryDesc_addInputRole)(NULL, o->compiled, 0, 1)) \
	X(desc_input, NN(MemoryDesc_addInputRole)(o->no_role, NULL, 0, 1)) \
	X(desc_output_desc, NN(MemoryDesc_addOutputRole)(NULL, o->compiled, 0, 1)) \
	X(desc_output, NN(MemoryDesc_addOutputRole)(o->no_role, NULL, 0, 1)) \
	X(desc_dims_desc, NN(MemoryDesc_setDimensions)(NULL, 1, four)) \
	X(desc_dims, NN(MemoryDesc_setDimensions)(o->desc, 1, NULL)) \
	X(desc_finish, NN(MemoryDesc_finish)(NULL)) \
	X(model_create, NN(Model_create)(NULL)) \
	X(model_operand_model, NN(Model_addOperand)(NULL, &tensor)) \
	X(model_operand, NN(Model_addOperand)(o->building, NULL)) \
	X(model_value_model, NN(Model_setOperandValue)(NULL, 0, o->a, SIZE)) \
	X(model_value, NN(Model_setOperandValue)(o->building, 0, NULL, SIZE)) \
	X(model_memory_model, NN(Model_setOperandValueFromMemory)(NULL, 0, o->memory, 0, SIZE)) \
	X(model_memory, NN(Model_setOperandValueFromMemory)(o->building, 0, NULL, 0, SIZE)) \
	X(model_model_model, NN(Model_setOperandValueFromModel)(NULL, 0, o->model)) \
	X(model_model, NN(Model_setOperandValueFromModel)(o->building, 0, NULL)) \
	X(model_scales_model, NN(Model_setOperandSymmPerChannelQuantParams)(NULL, 0, &params)) \
	X(model_scales, NN(Model_setOperandSymmPerChannelQuantParams)(o->building, 0, NULL)) \
	X(model_operation_model, NN(Model_addOperation)(NULL, 0, 3, in_list, 1, out_list)) \
	X(model_operation_inputs, NN(Model_addOperation)(o->building, 0, 3, NULL, 1, out_list)) \
	X(model_operation_outputs, NN(Model_addOperation)(o->building, 0, 3, in_list, 1, NULL)) \
	X(model_io_model, NN(Model_identifyInputsAndOutputs)(NULL, 2, in_list, 1, out_list)) \
	X(model_io_inputs, \
	  NN(Model_identifyInputsAndOutputs)(o->building, 2, NULL, 1, out_list)) \
	X(model_io_outputs, \
	  NN(Model_identifyInputsAndOutputs)(o->building, 2, in_list, 1, NULL)) \
	X(model_relax, NN(Model_relaxComputationFloat32toFloat16)(NULL, true)) \
	X(model_finish, NN(Model_finish)(NULL)) \
	X(model_supported_model, \
	  NN(Model_getSupportedOperationsForDevices)(NULL, o->devices, 1, o->supported)) \
	X(model_supported_devices, \
	  NN(Model_getSupportedOperationsForDevices)(o->model, NULL, 1, o->supported)) \
	X(model_supported, \
	  NN(Model_getSupportedOperationsForDevices)(o->model, o->devices, 1, NULL)) \
	X(compilation_create_model, NN(Compilation_create)(NULL, &o->made_compilation)) \
	X(compilation_create, NN(Compilation_create)(o->model, NULL)) \
	X(compilation_for_model, \
	  NN(Compilation_createForDevices)(NULL, o->devices, 1, &o->made_compilation)) \
	X(compilation_for_devices, \
	  NN(Compilation_createForDevices)(o->model, NULL, 1, &o->made_compilation)) \
	X(compilation_for, NN(Compilation_createForDevices)(o->model, o->devices, 1, NULL)) \
	X(compilation_caching_compilation, NN(Compilation_setCaching)(NULL, "/tmp", o->token)) \
	X(compilation_caching_directory, NN(Compilation_setCaching)(o->open, NULL, o->token)) \
	X(compilation_caching_token, NN(Compilation_setCaching)(o->open, "/tmp", NULL)) \
	X(compilation_preference, NN(Compilation_setPreference)(NULL, 0)) \
	X(compilation_priority, NN(Compilation_setPriority)(NULL, ANEURALNETWORKS_PRIORITY_LOW)) \
	X(compilation_timeout, NN(Compilation_setTimeout)(NULL, 1)) \
	X(compilation_finish, NN(Compilation_finish)(NULL)) \
	X(alignment_in_compilation, \
	  NN(Compilation_getPreferredMemoryAlignmentForInput)(NULL, 0, &o->number)) \
	X(alignment_in, \
	  NN(Compilation_getPreferredMemoryAlignmentForInput)(o->compiled, 0, NULL)) \
	X(padding_in_compilation, \
	  NN(Compilation_getPreferredMemoryPaddingForInput)(NULL, 0, &o->number)) \
	X(padding_in, NN(Compilation_getPreferredMemoryPaddingForInput)(o->compiled, 0, NULL)) \
	X(alignment_out_compilation, \
	  NN(Compilation_getPreferredMemoryAlignmentForOutput)(NULL, 0, &o->number)) \
	X(alignment_out, \
	  NN(Compilation_getPreferredMemoryAlignmentForOutput)(o->compiled, 0, NULL)) \
	X(padding_out_compilation, \
	  NN(Compilation_getPreferredMemoryPaddingForOutput)(NULL, 0, &o->number)) \
	X(padding_out, NN(Compilation_getPreferredMemoryPaddingForOutput)(o->compiled, 0, NULL)) \
	X(execution_create_compilation, NN(Execution_create)(NULL, &o->made_execution)) \
	X(execution_create, NN(Execution_create)(o->compiled, NULL)) \
	X(execution_input_execution, NN(Execution_setInput)(NULL, 0, NULL, o->a, SIZE)) \
	X(execution_input, NN(Execution_setInput)(o->fresh, 0, NULL, NULL, SIZE)) \
	X(execution_input_memory_execution, \
	  NN(Execution_setInputFromMemory)(NULL, 0, NULL, o->memory, 0, SIZE)) \
	X(execution_input_memory, \
	  NN(Execution_setInputFromMemory)(o->fresh, 0, NULL, NULL, 0, SIZE)) \
	X(execution_output_execution, NN(Execution_setOutput)(NULL, 0, NULL, o->out, SIZE)) \
	X(execution_output, NN(Execution_setOutput)(o->fresh, 0, NULL, NULL, SIZE)) \
	X(execution_output_memory_execution, \
	  NN(Execution_setOutputFromMemory)(NULL, 0, NULL, o->memory, 0, SIZE)) \
	X(execution_output_memory, \
	  NN(Execution_setOutputFromMemory)(o->fresh, 0, NULL, NULL, 0, SIZE)) \
	X(execution_timeout, NN(Execution_setTimeout)(NULL, 1)) \
	X(execution_loop_timeout, NN(Execution_setLoopTimeout)(NULL, 1)) \
	X(execution_measure, NN(Execution_setMeasureTiming)(NULL, true)) \
	X(execution_reusable, NN(Execution_setReusable)(NULL, true)) \
	X(execution_padding, NN(Execution_enableInputAndOutputPadding)(NULL, true)) \
	X(execution_compute, NN(Execution_compute)(NULL)) \
	X(execution_start_execution, NN(Execution_startCompute)(NULL, &o->other_event)) \
	X(execution_start, NN(Execution_startCompute)(o->bound, NULL)) \
	X(execution_fenced_execution, \
	  NN(Execution_startComputeWithDependencies)(NULL, NULL, 0, 0, &o->other_event)) \
	X(execution_fenced_list, \
	  NN(Execution_startComputeWithDependencies)(o->bound, NULL, 1, 0, &o->other_event)) \
	X(execution_fenced, \
	  NN(Execution_startComputeWithDependencies)(o->bound, NULL, 0, 0, NULL)) \
	X(execution_burst_execution, NN(Execution_burstCompute)(NULL, o->burst)) \
	X(execution_burst, NN(Execution_burstCompute)(o->bound, NULL)) \
	X(execution_duration_execution, NN(Execution_getDuration)(NULL, 0, &o->time)) \
	X(execution_duration, NN(Execution_getDuration)(o->ran, 0, NULL)) \
	X(execution_rank_execution, NN(Execution_getOutputOperandRank)(NULL, 0, &o->number)) \
	X(execution_rank, NN(Execution_getOutputOperandRank)(o->ran, 0, NULL)) \
	X(execution_dims_execution, NN(Execution_getOutputOperandDimensions)(NULL, 0, o->dims)) \
	X(execution_dims, NN(Execution_getOutputOperandDimensions)(o->ran, 0, NULL)) \
	X(burst_create_compilation, NN(Burst_create)(NULL, &o->made_burst)) \
	X(burst_create, NN(Burst_create)(o->compiled, NULL)) \
	X(event_wait, NN(Event_wait)(NULL)) \
	X(event_from_fd, NN(Event_createFromSyncFenceFd)(o->fd, NULL)) \
	X(event_fd_event, NN(Event_getSyncFenceFd)(NULL, &o->made_fd)) \
	X(event_fd, NN(Event_getSyncFenceFd)(o->event, NULL))

/* Wrong states, wrong numbers, twice, and out of the order of creation. */
#define STATES(X) \
	/* a model that is finished */ \
	X(finished_operand, BAD_STATE, NN(Model_addOperand)(o->model, &tensor)) \
	X(finished_value, BAD_STATE, NN(Model_setOperandValue)(o->model, 0, o->a, SIZE)) \
	X(finished_no_value, BAD_STATE, NN(Model_setOperandValue)(o->model, 0, NULL, 0)) \
	X(finished_memory, BAD_STATE, \
	  NN(Model_setOperandValueFromMemory)(o->model, 0, o->memory, 0, SIZE)) \
	X(finished_model, BAD_STATE, NN(Model_setOperandValueFromModel)(o->model, 0, o->model)) \
	X(finished_scales, BAD_STATE, \
	  NN(Model_setOperandSymmPerChannelQuantParams)(o->model, 0, &params)) \
	X(finished_operation, BAD_STATE, \
	  NN(Model_addOperation)(o->model, 0, 3, in_list, 1, out_list)) \
	X(finished_io, BAD_STATE, \
	  NN(Model_identifyInputsAndOutputs)(o->model, 2, in_list, 1, out_list)) \
	X(finished_relax, BAD_STATE, NN(Model_relaxComputationFloat32toFloat16)(o->model, true)) \
	X(finish_twice, BAD_STATE, NN(Model_finish)(o->model)) \
	/* a model whose finish has failed */ \
	X(bad_operand, BAD_STATE, NN(Model_addOperand)(o->bad, &tensor)) \
	X(bad_value, BAD_STATE, NN(Model_setOperandValue)(o->bad, 0, o->a, SIZE)) \
	X(bad_memory, BAD_STATE, \
	  NN(Model_setOperandValueFromMemory)(o->bad, 0, o->memory, 0, SIZE)) \
	X(bad_model, BAD_STATE, NN(Model_setOperandValueFromModel)(o->bad, 0, o->model)) \
	X(bad_operation, BAD_STATE, NN(Model_addOperation)(o->bad, 0, 3, in_list, 1, out_list)) \
	X(bad_io, BAD_STATE, \
	  NN(Model_identifyInputsAndOutputs)(o->bad, 2, in_list, 1, out_list)) \
	X(bad_relax, BAD_STATE, NN(Model_relaxComputationFloat32toFloat16)(o->bad, true)) \
	X(bad_finish, BAD_STATE, NN(Model_finish)(o->bad)) \
	X(bad_supported, BAD_STATE, \
	  NN(Model_getSupportedOperationsForDevices)(o->bad, o->devices, 1, o->supported)) \
	X(bad_compile, BAD_STATE, NN(Compilation_create)(o->bad, &o->made_compilation)) \
	X(bad_compile_for, BAD_STATE, \
	  NN(Compilation_createForDevices)(o->bad, o->devices, 1, &o->made_compilation)) \
	X(bad_as_value, BAD_STATE, NN(Model_setOperandValueFromModel)(o->building, 0, o->bad)) \
	/* a model that is not finished */ \
	X(building_supported, BAD_STATE, \
	  NN(Model_getSupportedOperationsForDevices)(o->building, o->devices, 1, o->supported)) \
	X(building_compile, BAD_STATE, NN(Compilation_create)(o->building, &o->made_compilation)) \
	X(building_compile_for, BAD_STATE, \
	  NN(Compilation_createForDevices)(o->building, o->devices, 1, &o->made_compilation)) \
	X(building_as_value, BAD_STATE, \
	  NN(Model_setOperandValueFromModel)(o->building, 0, o->building)) \
	X(building_finish, BAD_DATA, NN(Model_finish)(o->building)) \
	X(building_no_operand, BAD_DATA, NN(Model_setOperandValue)(o->building, 4, o->a, SIZE)) \
	X(building_negative, BAD_DATA, NN(Model_setOperandValue)(o->building, -1, o->a, SIZE)) \
	X(building_too_short, BAD_DATA, \
	  NN(Model_setOperandValue)(o->building, 0, o->a, SIZE - 1)) \
	X(building_memory_end, BAD_DATA, \
	  NN(Model_setOperandValueFromMemory)(o->building, 0, o->memory, 16384 - 8, SIZE)) \
	X(building_domain, BAD_DATA, \
	  NN(Model_setOperandValueFromMemory)(o->building, 0, o->domain, 0, SIZE)) \
	X(building_model_type, BAD_DATA, \
	  NN(Model_setOperandValueFromModel)(o->building, 0, o->model)) \
	X(building_scales_type, BAD_DATA, \
	  NN(Model_setOperandSymmPerChannelQuantParams)(o->building, 0, &params)) \
	X(building_value_again, NO_ERROR, \
	  NN(Model_setOperandValue)(o->building, 2, &none, sizeof(none))) \
	X(building_no_such_operation, BAD_DATA, \
	  NN(Model_addOperation)(o->building, 106, 3, in_list, 1, out_list)) \
	X(building_io_constant, BAD_DATA, \
	  NN(Model_identifyInputsAndOutputs)(o->building, 3, in_list, 1, out_list)) \
	X(building_io_no_outputs, BAD_DATA, \
	  NN(Model_identifyInputsAndOutputs)(o->building, 2, in_list, 0, out_list)) \
	X(building_relax_twice, NO_ERROR, \
	  (NN(Model_relaxComputationFloat32toFloat16)(o->building, true), \
	   NN(Model_relaxComputationFloat32toFloat16)(o->building, false))) \
	/* devices */ \
	X(no_device, BAD_DATA, ANeuralNetworks_getDevice(1000, &o->other_device)) \
	X(supported_no_devices, BAD_DATA, \
	  NN(Model_getSupportedOperationsForDevices)(o->model, o->devices, 0, o->supported)) \
	X(supported_twice, BAD_DATA, \
	  NN(Model_getSupportedOperationsForDevices)(o->model, o->devices, 2, o->supported)) \
	X(compile_no_devices, BAD_DATA, \
	  NN(Compilation_createForDevices)(o->model, o->devices, 0, &o->made_compilation)) \
	X(compile_twice, BAD_DATA, \
	  NN(Compilation_createForDevices)(o->model, o->devices, 2, &o->made_compilation)) \
	/* a compilation that is finished */ \
	X(compiled_caching, BAD_STATE, NN(Compilation_setCaching)(o->compiled, "/tmp", o->token)) \
	X(compiled_preference, BAD_STATE, NN(Compilation_setPreference)(o->compiled, 0)) \
	X(compiled_priority, BAD_STATE, \
	  NN(Compilation_setPriority)(o->compiled, ANEURALNETWORKS_PRIORITY_LOW)) \
	X(compiled_timeout, BAD_STATE, NN(Compilation_setTimeout)(o->compiled, 1)) \
	X(compiled_finish, BAD_STATE, NN(Compilation_finish)(o->compiled)) \
	X(compile_finish_twice, BAD_STATE, \
	  (NN(Compilation_finish)(o->open), NN(Compilation_finish)(o->open))) \
	/* a compilation that is not finished */ \
	X(open_preference, BAD_DATA, NN(Compilation_setPreference)(o->open, 3)) \
	X(open_negative_preference, BAD_DATA, NN(Compilation_setPreference)(o->open, -1)) \
	X(open_priority, BAD_DATA, NN(Compilation_setPriority)(o->open, 0)) \
	X(open_timeout_no_device, BAD_DATA, NN(Compilation_setTimeout)(o->free_choice, 1)) \
	X(open_execution, BAD_STATE, NN(Execution_create)(o->open, &o->made_execution)) \
	X(open_burst, BAD_STATE, NN(Burst_create)(o->open, &o->made_burst)) \
	X(open_alignment_in, BAD_STATE, \
	  NN(Compilation_getPreferredMemoryAlignmentForInput)(o->open, 0, &o->number)) \
	X(open_padding_in, BAD_STATE, \
	  NN(Compilation_getPreferredMemoryPaddingForInput)(o->open, 0, &o->number)) \
	X(open_alignment_out, BAD_STATE, \
	  NN(Compilation_getPreferredMemoryAlignmentForOutput)(o->open, 0, &o->number)) \
	X(open_padding_out, BAD_STATE, \
	  NN(Compilation_getPreferredMemoryPaddingForOutput)(o->open, 0, &o->number)) \
	X(open_input_role, BAD_DATA, NN(MemoryDesc_addInputRole)(o->no_role, o->open, 0, 1)) \
	X(open_output_role, BAD_DATA, NN(MemoryDesc_addOutputRole)(o->no_role, o->open, 0, 1)) \
	X(compiled_alignment_none, BAD_DATA, \
	  NN(Compilation_getPreferredMemoryAlignmentForInput)(o->compiled, 2, &o->number)) \
	X(compiled_padding_none, BAD_DATA, \
	  NN(Compilation_getPreferredMemoryPaddingForOutput)(o->compiled, 1, &o->number)) \
	/* descriptors and device memory */ \
	X(no_role_finish, BAD_DATA, NN(MemoryDesc_finish)(o->no_role)) \
	X(role_twice, BAD_DATA, NN(MemoryDesc_addInputRole)(o->desc, o->compiled, 0, 1)) \
	X(role_no_input, BAD_DATA, NN(MemoryDesc_addInputRole)(o->desc, o->compiled, 2, 1)) \
	X(role_no_output, BAD_DATA, NN(MemoryDesc_addOutputRole)(o->desc, o->compiled, 1, 1)) \
	X(role_never, BAD_DATA, NN(MemoryDesc_addInputRole)(o->desc, o->compiled, 1, 0)) \
	X(role_too_often, BAD_DATA, NN(MemoryDesc_addInputRole)(o->desc, o->compiled, 1, 1.1f)) \
	X(desc_rank, BAD_DATA, NN(MemoryDesc_setDimensions)(o->desc, 2, (uint32_t[]){ 4, 4 })) \
	X(desc_size, BAD_DATA, NN(MemoryDesc_setDimensions)(o->desc, 1, (uint32_t[]){ 5 })) \
	X(desc_memory, BAD_STATE, NN(Memory_createFromDesc)(o->desc, &o->made_memory)) \
	X(described_input, BAD_STATE, \
	  NN(MemoryDesc_addInputRole)(o->described, o->compiled, 1, 1)) \
	X(described_output, BAD_STATE, \
	  NN(MemoryDesc_addOutputRole)(o->described, o->compiled, 0, 1)) \
	X(described_dims, BAD_STATE, NN(MemoryDesc_setDimensions)(o->described, 1, four)) \
	X(described_finish, BAD_STATE, NN(MemoryDesc_finish)(o->described)) \
	X(desc_finish_twice, BAD_STATE, \
	  (NN(MemoryDesc_finish)(o->desc), NN(MemoryDesc_finish)(o->desc))) \
	X(domain_other_role, BAD_DATA, \
	  NN(Execution_setInputFromMemory)(o->fresh, 1, NULL, o->domain, 0, 0)) \
	X(domain_as_output, BAD_DATA, \
	  NN(Execution_setOutputFromMemory)(o->fresh, 0, NULL, o->domain, 0, 0)) \
	X(domain_range, BAD_DATA, \
	  NN(Execution_setInputFromMemory)(o->fresh, 0, NULL, o->domain, 0, SIZE)) \
	X(domain_role, NO_ERROR, \
	  NN(Execution_setInputFromMemory)(o->fresh, 0, NULL, o->domain, 0, 0)) \
	X(memory_no_fd, BAD_DATA, \
	  NN(Memory_createFromFd)(64, PROT_READ, -1, 0, &o->made_memory)) \
	/* an execution that is not ready */ \
	X(fresh_compute, BAD_DATA, NN(Execution_compute)(o->fresh)) \
	X(fresh_start, BAD_DATA, NN(Execution_startCompute)(o->fresh, &o->other_event)) \
	X(fresh_fenced, BAD_DATA, \
	  NN(Execution_startComputeWithDependencies)(o->fresh, NULL, 0, 0, &o->other_event)) \
	X(fresh_burst, BAD_DATA, NN(Execution_burstCompute)(o->fresh, o->burst)) \
	X(fresh_duration, BAD_STATE, NN(Execution_getDuration)(o->fresh, 0, &o->time)) \
	X(fresh_rank, BAD_STATE, NN(Execution_getOutputOperandRank)(o->fresh, 0, &o->number)) \
	X(fresh_dims, BAD_STATE, NN(Execution_getOutputOperandDimensions)(o->fresh, 0, o->dims)) \
	X(fresh_no_input, BAD_DATA, NN(Execution_setInput)(o->fresh, 2, NULL, o->a, SIZE)) \
	X(fresh_negative, BAD_DATA, NN(Execution_setInput)(o->fresh, -1, NULL, o->a, SIZE)) \
	X(fresh_no_output, BAD_DATA, NN(Execution_setOutput)(o->fresh, 1, NULL, o->out, SIZE)) \
	X(fresh_short, BAD_DATA, NN(Execution_setInput)(o->fresh, 0, NULL, o->a, SIZE - 4)) \
	X(fresh_memory_end, BAD_DATA, \
	  NN(Execution_setInputFromMemory)(o->fresh, 0, NULL, o->memory, 16384, SIZE)) \
	X(fresh_input_twice, BAD_STATE, \
	  (NN(Execution_setInput)(o->fresh, 0, NULL, o->a, SIZE), \
	   NN(Execution_setInput)(o->fresh, 0, NULL, o->a, SIZE))) \
	X(fresh_input_memory_too, BAD_STATE, \
	  (NN(Execution_setInput)(o->fresh, 0, NULL, o->a, SIZE), \
	   NN(Execution_setInputFromMemory)(o->fresh, 0, NULL, o->memory, 0, SIZE))) \
	X(fresh_output_twice, BAD_STATE, \
	  (NN(Execution_setOutput)(o->fresh, 0, NULL, o->out, SIZE), \
	   NN(Execution_setOutput)(o->fresh, 0, NULL, o->out, SIZE))) \
	X(fresh_output_memory_too, BAD_STATE, \
	  (NN(Execution_setOutput)(o->fresh, 0, NULL, o->out, SIZE), \
	   NN(Execution_setOutputFromMemory)(o->fresh, 0, NULL, o->memory, 0, SIZE))) \
	X(bound_padding, BAD_STATE, NN(Execution_enableInputAndOutputPadding)(o->bound, true)) \
	X(bound_rank, BAD_STATE, NN(Execution_getOutputOperandRank)(o->bound, 0, &o->number)) \
	X(bound_duration, BAD_STATE, NN(Execution_getDuration)(o->bound, 0, &o->time)) \
	/* an execution that has run */ \
	X(ran_input, BAD_STATE, NN(Execution_setInput)(o->ran, 0, NULL, o->a, SIZE)) \
	X(ran_input_memory, BAD_STATE, \
	  NN(Execution_setInputFromMemory)(o->ran, 0, NULL, o->memory, 0, SIZE)) \
	X(ran_output, BAD_STATE, NN(Execution_setOutput)(o->ran, 0, NULL, o->out, SIZE)) \
	X(ran_output_memory, BAD_STATE, \
	  NN(Execution_setOutputFromMemory)(o->ran, 0, NULL, o->memory, 0, SIZE)) \
	X(ran_timeout, BAD_STATE, NN(Execution_setTimeout)(o->ran, 1)) \
	X(ran_loop_timeout, BAD_STATE, NN(Execution_setLoopTimeout)(o->ran, 1)) \
	X(ran_measure, BAD_STATE, NN(Execution_setMeasureTiming)(o->ran, true)) \
	X(ran_reusable, BAD_STATE, NN(Execution_setReusable)(o->ran, true)) \
	X(ran_padding, BAD_STATE, NN(Execution_enableInputAndOutputPadding)(o->ran, true)) \
	X(ran_compute, BAD_STATE, NN(Execution_compute)(o->ran)) \
	X(ran_start, BAD_STATE, NN(Execution_startCompute)(o->ran, &o->other_event)) \
	X(ran_fenced, BAD_STATE, \
	  NN(Execution_startComputeWithDependencies)(o->ran, NULL, 0, 0, &o->other_event)) \
	X(ran_burst, BAD_STATE, NN(Execution_burstCompute)(o->ran, o->burst)) \
	X(ran_rank, NO_ERROR, NN(Execution_getOutputOperandRank)(o->ran, 0, &o->number)) \
	X(ran_rank_none, BAD_DATA, NN(Execution_getOutputOperandRank)(o->ran, 1, &o->number)) \
	X(ran_dims_none, BAD_DATA, NN(Execution_getOutputOperandDimensions)(o->ran, -1, o->dims)) \
	X(ran_not_measured, BAD_STATE, NN(Execution_getDuration)(o->ran, 0, &o->time)) \
	X(ran_no_duration, BAD_DATA, NN(Execution_getDuration)(o->ran, 4, &o->time)) \
	X(again_compute, NO_ERROR, NN(Execution_compute)(o->again)) \
	X(again_burst, NO_ERROR, NN(Execution_burstCompute)(o->again, o->burst)) \
	X(again_input, BAD_STATE, NN(Execution_setInput)(o->again, 0, NULL, o->a, SIZE)) \
	X(again_once, BAD_STATE, NN(Execution_setReusable)(o->again, false)) \
	X(bound_compute_twice, BAD_STATE, \
	  (NN(Execution_compute)(o->bound), NN(Execution_compute)(o->bound))) \
	X(bound_start_twice, BAD_STATE, \
	  (NN(Execution_startCompute)(o->bound, &o->other_event), \
	   NN(Execution_compute)(o->bound))) \
	/* without a list of devices */ \
	X(unlisted_timeout, BAD_DATA, NN(Execution_setTimeout)(o->unlisted, 1)) \
	X(unlisted_measure, BAD_DATA, NN(Execution_setMeasureTiming)(o->unlisted, true)) \
	X(unlisted_duration, BAD_DATA, \
	  NN(Execution_startComputeWithDependencies)(o->unlisted, NULL, 0, 1, &o->other_event)) \
	X(unlisted_burst, BAD_DATA, NN(Execution_burstCompute)(o->unlisted, o->burst)) \
	X(unlisted_compute, NO_ERROR, NN(Execution_compute)(o->unlisted)) \
	/* events */ \
	X(event_wait_twice, NO_ERROR, NN(Event_wait)(o->event)) \
	X(event_no_fence, BAD_DATA, NN(Event_getSyncFenceFd)(o->event, &o->made_fd)) \
	X(event_negative_fd, BAD_DATA, NN(Event_createFromSyncFenceFd)(-1, &o->other_event)) \
	/* what an object was made from has been freed */ \
	X(model_gone_finish, NO_ERROR, \
	  (GONE(Model, model), NN(Compilation_finish)(o->open))) \
	X(model_gone_create, NO_ERROR, \
	  (GONE(Model, model), NN(Execution_create)(o->compiled, &o->made_execution))) \
	X(model_gone_input, NO_ERROR, \
	  (GONE(Model, model), NN(Execution_setInput)(o->fresh, 0, NULL, o->a, SIZE))) \
	X(compilation_gone_compute, NO_ERROR, \
	  (GONE(Compilation, compiled), NN(Execution_compute)(o->bound))) \
	X(compilation_gone_rank, NO_ERROR, \
	  (GONE(Compilation, compiled), \
	   NN(Execution_getOutputOperandRank)(o->ran, 0, &o->number))) \
	X(compilation_gone_burst, NO_ERROR, \
	  (GONE(Compilation, compiled), NN(Execution_burstCompute)(o->bound, o->burst))) \
	X(compilation_gone_memory, NO_ERROR, \
	  (GONE(Compilation, compiled), \
	   NN(Memory_createFromDesc)(o->described, &o->made_memory))) \
	X(all_gone_compute, NO_ERROR, \
	  (GONE(Model, model), GONE(Compilation, compiled), NN(Execution_compute)(o->bound))) \
	X(execution_gone_wait, NO_ERROR, \
	  (NN(Execution_startCompute)(o->bound, &o->other_event), GONE(Execution, bound), \
	   NN(Event_wait)(o->other_event))) \
	X(desc_gone_input, NO_ERROR, \
	  (GONE(MemoryDesc, described), \
	   NN(Execution_setInputFromMemory)(o->fresh, 0, NULL, o->domain, 0, 0))) \
	X(memory_gone_compute, NO_ERROR, \
	  (NN(Execution_setInputFromMemory)(o->fresh, 0, NULL, o->memory, 0, SIZE), \
	   NN(Execution_setInputFromMemory)(o->fresh, 1, NULL, o->memory, 64, SIZE), \
	   NN(Execution_setOutputFromMemory)(o->fresh, 0, NULL, o->memory, 128, SIZE), \
	   GONE(Memory, memory), NN(Execution_compute)(o->fresh))) \
	X(burst_gone_compute, NO_ERROR, \
	  (GONE(Burst, burst), NN(Execution_compute)(o->bound))) \
	X(event_gone_compute, NO_ERROR, \
	  (GONE(Event, event), NN(Execution_compute)(o->again)))

#define NULL_FUNCTION(name, call) \
	static void null_##name(void **state) \
	{ \
		struct objects *o = *state; \
		int result = (call); \
		(void)o; \
		assert_int_equal(result, ANEURALNETWORKS_UNEXPECTED_NULL); \
	}
#define STATE_FUNCTION(name, code, call) \
	static void state_##name(void **state) \
	{ \
		struct objects *o = *state; \
		int result = (call); \
		assert_int_equal(result, ANEURALNETWORKS_##code); \
	}
NULLS(NULL_FUNCTION)
STATES(STATE_FUNCTION)

/* NULL is nothing to free. */
static void free_null(void **state)
{
	ANeuralNetworksModel_free(NULL);
	ANeuralNetworksCompilation_free(NULL);
	ANeuralNetworksExecution_free(NULL);
	ANeuralNetworksEvent_free(NULL);
	ANeuralNetworksBurst_free(NULL);
	ANeuralNetworksMemory_free(NULL);
	ANeuralNetworksMemoryDesc_free(NULL);
}

int main(void)
{
#define NULL_TEST(name, call) cmocka_unit_test_setup_teardown(null_##name, set_up, tear_down),
#define STATE_TEST(name, code, call) \
	cmocka_unit_test_setup_teardown(state_##name, set_up, tear_down),
	const struct CMUnitTest tests[] = {
		NULLS(NULL_TEST)
		STATES(STATE_TEST)
		cmocka_unit_test(free_null),
	};

	setenv("NNACCEL_DEVICE", "loopback", 1);
	return cmocka_run_group_tests_name("life", tests, NULL, NULL);
}
