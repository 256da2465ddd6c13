// SPDX-License-Identifier: MIT
/*
 * Diagnostics (diagnostic.h). The callbacks are global, as the device list is, because the API
 * registers them without a handle. They are called without a lock.
 */
#include "hal-bridge/nnapi/diagnostic.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t nnapi_diagnostic_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool nnapi_diagnostic_wanted;

/**
 * struct nnapi_callbacks - the registered callbacks
 * @compiled: of compilations; NULL for none
 * @executed: of executions; NULL for none
 * @context: the client's, passed to both
 */
struct nnapi_callbacks {
	ANeuralNetworksDiagnosticCompilationFinishedCallback compiled;
	ANeuralNetworksDiagnosticExecutionFinishedCallback executed;
	void *context;
};

/* Guarded by the lock. */
static struct nnapi_callbacks nnapi_diagnostic_callbacks;

void nnapi_diagnostic_register(ANeuralNetworksDiagnosticCompilationFinishedCallback compiled,
			       ANeuralNetworksDiagnosticExecutionFinishedCallback executed,
			       void *context)
{
	pthread_mutex_lock(&nnapi_diagnostic_lock);
	nnapi_diagnostic_callbacks = (struct nnapi_callbacks){ compiled, executed, context };
	pthread_mutex_unlock(&nnapi_diagnostic_lock);
	atomic_store(&nnapi_diagnostic_wanted, compiled || executed);
}

/* Return: a copy of the present callbacks, to be called without the lock. */
static struct nnapi_callbacks nnapi_diagnostic_current(void)
{
	struct nnapi_callbacks current;

	pthread_mutex_lock(&nnapi_diagnostic_lock);
	current = nnapi_diagnostic_callbacks;
	pthread_mutex_unlock(&nnapi_diagnostic_lock);
	return current;
}

bool nnapi_diagnostic_is_wanted(void)
{
	return atomic_load_explicit(&nnapi_diagnostic_wanted, memory_order_relaxed);
}

int32_t nnapi_diagnostic_session(void)
{
	return getpid();
}

void nnapi_diagnostic_compiled(const ANeuralNetworksDiagnosticCompilationInfo *info)
{
	const struct nnapi_callbacks callbacks = nnapi_diagnostic_current();

	if (callbacks.compiled)
		callbacks.compiled(callbacks.context, info);
}

void nnapi_diagnostic_executed(const ANeuralNetworksDiagnosticExecutionInfo *info)
{
	const struct nnapi_callbacks callbacks = nnapi_diagnostic_current();

	if (callbacks.executed)
		callbacks.executed(callbacks.context, info);
}

static ANeuralNetworksDiagnosticDataClass nnapi_diagnostic_class(uint32_t type)
{
	switch (type) {
	case NNA_OPERAND_TENSOR_FLOAT32:
		return ANNDIAG_DATA_CLASS_FLOAT32;
	case NNA_OPERAND_TENSOR_FLOAT16:
		return ANNDIAG_DATA_CLASS_FLOAT16;
	case NNA_OPERAND_TENSOR_QUANT8_ASYMM:
	case NNA_OPERAND_TENSOR_QUANT8_ASYMM_SIGNED:
	case NNA_OPERAND_TENSOR_QUANT8_SYMM:
	case NNA_OPERAND_TENSOR_QUANT8_SYMM_PER_CHANNEL:
	case NNA_OPERAND_TENSOR_QUANT16_SYMM:
	case NNA_OPERAND_TENSOR_QUANT16_ASYMM:
		return ANNDIAG_DATA_CLASS_QUANT;
	default:
		return ANNDIAG_DATA_CLASS_OTHER;
	}
}

/*
 * Return: the data class of all arguments of a model, as in Android's runtime. Arguments of class
 * OTHER (scalars, integers) count only if there are no others. MIXED stands for two other classes.
 */
static ANeuralNetworksDiagnosticDataClass nnapi_diagnostic_classes(const struct nnb_model *model,
								   bool output, bool *dynamic)
{
	ANeuralNetworksDiagnosticDataClass all = ANNDIAG_DATA_CLASS_UNKNOWN;
	const struct nnb_operand *operand;

	for (uint32_t i = 0; (operand = nnb_model_argument(model, output, i)); i++) {
		ANeuralNetworksDiagnosticDataClass one = nnapi_diagnostic_class(operand->type);
		size_t bytes;

		if (!nnb_type_bytes(operand->type, operand->rank, operand->dims, &bytes))
			*dynamic = true;
		if (all <= ANNDIAG_DATA_CLASS_OTHER)
			all = one;
		else if (one != ANNDIAG_DATA_CLASS_OTHER && one != all)
			all = ANNDIAG_DATA_CLASS_MIXED;
	}
	return all;
}

void nnapi_diagnostic_describe(const struct nnb_model *model, struct nnapi_diagnostic_model *out)
{
	memset(out, 0, sizeof(*out));
	memcpy(out->arch, model->arch, sizeof(out->arch));
	out->input = nnapi_diagnostic_classes(model, false, &out->dynamic);
	out->output = nnapi_diagnostic_classes(model, true, &out->dynamic);
	out->control_flow = model->part_count > 1;
}
