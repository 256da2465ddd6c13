/* SPDX-License-Identifier: MIT */
/*
 * Diagnostics: reports to the client of the support library about each compilation and execution
 * that went through its table and has ended. Without a registered callback no data are collected.
 */
#ifndef NNAPI_DIAGNOSTIC_H
#define NNAPI_DIAGNOSTIC_H

#include <stdbool.h>
#include <stdint.h>

#include "hal-bridge/common/model.h"
#include "hal-bridge/include/support_library.h"

/**
 * struct nnapi_diagnostic_model - the common data of a compilation and its executions
 * @arch: digest of operations and operand types, without values
 * @devices: name=version of the compilation's devices, separated by commas
 * @input: data class of the inputs
 * @output: data class of the outputs
 * @caching: a cache has been set
 * @control_flow: the model refers to other models
 * @dynamic: the model has an argument with an unknown dimension
 */
struct nnapi_diagnostic_model {
	uint8_t arch[NNB_ARCH_SIZE];
	char devices[1664];
	ANeuralNetworksDiagnosticDataClass input, output;
	bool caching, control_flow, dynamic;
};

/**
 * struct ANeuralNetworksDiagnosticCompilationInfo - a compilation that has ended
 * @error: result code
 * @time_ns: its duration
 */
struct ANeuralNetworksDiagnosticCompilationInfo {
	struct nnapi_diagnostic_model model;
	int32_t error;
	uint64_t time_ns;
};

/**
 * struct ANeuralNetworksDiagnosticExecutionInfo - an execution that has ended
 * @mode: the function that ran it
 * @error: result code
 * @runtime_ns: from the call to the end; UINT64_MAX for a fenced run, because its end may be
 *	noticed much later
 * @driver_ns: from the call to the end; UINT64_MAX unless the client has turned timing on
 * @hardware_ns: on the device; UINT64_MAX likewise
 */
struct ANeuralNetworksDiagnosticExecutionInfo {
	struct nnapi_diagnostic_model model;
	ANeuralNetworksDiagnosticExecutionMode mode;
	uint32_t error;
	uint64_t runtime_ns, driver_ns, hardware_ns;
};

/* Return: true if a callback is registered. Thread-safe, as the functions below are. */
bool nnapi_diagnostic_is_wanted(void);
/* Fills in the data that follow from the model; the caller adds @devices and @caching. */
void nnapi_diagnostic_describe(const struct nnb_model *model, struct nnapi_diagnostic_model *out);
void nnapi_diagnostic_compiled(const ANeuralNetworksDiagnosticCompilationInfo *info);
void nnapi_diagnostic_executed(const ANeuralNetworksDiagnosticExecutionInfo *info);

/* Functions of the support library's table. NULL callbacks end a registration. */
void nnapi_diagnostic_register(ANeuralNetworksDiagnosticCompilationFinishedCallback compiled,
			       ANeuralNetworksDiagnosticExecutionFinishedCallback executed,
			       void *context);
int32_t nnapi_diagnostic_session(void);

#endif
