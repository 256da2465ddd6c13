/* SPDX-License-Identifier: MIT */
/*
 * Diagnostics: what a support library's client is told of each compilation and execution that has
 * ended, of those that went through its table. Nothing is collected while nobody has registered.
 */
#ifndef NNAPI_DIAGNOSTIC_H
#define NNAPI_DIAGNOSTIC_H

#include <stdbool.h>
#include <stdint.h>

#include "hal-bridge/common/model.h"
#include "hal-bridge/include/support_library.h"

/**
 * struct nnapi_diagnostic_model - what is the same for a compilation and its executions
 * @arch: digest of operations and operand types, without values
 * @devices: name=version of those that the compilation was created for, with commas
 * @input: enum of the data class
 * @output: likewise
 * @caching: a cache has been set
 * @control_flow: the model refers to other models
 * @dynamic: a dimension of an argument is unknown to the model
 */
struct nnapi_diagnostic_model {
	uint8_t arch[NNB_ARCH_SIZE];
	char devices[512];
	ANeuralNetworksDiagnosticDataClass input, output;
	bool caching, control_flow, dynamic;
};

/**
 * struct ANeuralNetworksDiagnosticCompilationInfo - a compilation that has ended
 * @error: result code
 * @time_ns: how long it took
 */
struct ANeuralNetworksDiagnosticCompilationInfo {
	struct nnapi_diagnostic_model model;
	int32_t error;
	uint64_t time_ns;
};

/**
 * struct ANeuralNetworksDiagnosticExecutionInfo - an execution that has ended
 * @mode: how it was run
 * @error: result code
 * @runtime_ns: from the call to its end; UINT64_MAX for a fenced run, whose end may be noticed long
 *	after it
 * @driver_ns: from the call to its end, and
 * @hardware_ns: on the device: what the client can ask for when it has turned timing on, else
 *	UINT64_MAX
 */
struct ANeuralNetworksDiagnosticExecutionInfo {
	struct nnapi_diagnostic_model model;
	ANeuralNetworksDiagnosticExecutionMode mode;
	uint32_t error;
	uint64_t runtime_ns, driver_ns, hardware_ns;
};

/* Whether anybody wants to be told. Thread-safe, as the rest is. */
bool nnapi_diagnostic_is_wanted(void);
/* What a model says by itself; the caller adds @devices and @caching. */
void nnapi_diagnostic_describe(const struct nnb_model *model, struct nnapi_diagnostic_model *out);
void nnapi_diagnostic_compiled(const ANeuralNetworksDiagnosticCompilationInfo *info);
void nnapi_diagnostic_executed(const ANeuralNetworksDiagnosticExecutionInfo *info);

/* The table's functions. NULL callbacks end it. */
void nnapi_diagnostic_register(ANeuralNetworksDiagnosticCompilationFinishedCallback compiled,
			       ANeuralNetworksDiagnosticExecutionFinishedCallback executed,
			       void *context);
int32_t nnapi_diagnostic_session(void);

#endif
