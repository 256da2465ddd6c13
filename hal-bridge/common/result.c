// SPDX-License-Identifier: MIT
/*
 * Converts errors to result codes. hw/ has a table for the errors of a run: it gives each status of
 * the device an errno and an NNAPI result. This file has the other errors.
 *
 * A lack of resources is TRANSIENT if others hold them (queues, contexts, open files): they may be
 * free the next time. It is PERSISTENT if the run alone asks for more than exists. A build call
 * that asks for more than exists has been given wrong data.
 */
#include "hal-bridge/common/result.h"

#include <errno.h>
#include <stddef.h>

#include "hal-bridge/include/NeuralNetworks.h"
#include "hw/gen/nnahw.h"

/* Errors with the same result for calls and runs. */
static int nnb_result_common(int error)
{
	switch (-error) {
	case 0:
		return ANEURALNETWORKS_NO_ERROR;
	case ENOMEM:
		return ANEURALNETWORKS_OUT_OF_MEMORY;
	case ENODEV:
		return ANEURALNETWORKS_DEAD_OBJECT;
	case ENOENT:
	case EACCES:
	case EPROTO:
		return ANEURALNETWORKS_UNAVAILABLE_DEVICE;
	case EBUSY:
		return ANEURALNETWORKS_BAD_STATE;
	case ENOSPC:
		return ANEURALNETWORKS_OUTPUT_INSUFFICIENT_SIZE;
	case ETIMEDOUT:
		return ANEURALNETWORKS_MISSED_DEADLINE_TRANSIENT;
	case EAGAIN:
	case EMFILE:
	case ENFILE:
		return ANEURALNETWORKS_RESOURCE_EXHAUSTED_TRANSIENT;
	default:
		return ANEURALNETWORKS_OP_FAILED;
	}
}

int nnb_result_of_call(int error)
{
	switch (-error) {
	case EINVAL:
	case ENOTSUP:
	case E2BIG:
	case EOVERFLOW:
		return ANEURALNETWORKS_BAD_DATA;
	default:
		return nnb_result_common(error);
	}
}

int nnb_result_of_run(int error)
{
#define NNB_STATUS(name, value, number, ban, nnapi, text) { number, ANEURALNETWORKS_##nnapi },
	static const struct {
		int error, result;
	} table[] = { NNAHW_STATUS_TABLE(NNB_STATUS) };
#undef NNB_STATUS

	for (size_t i = 0; error && i < sizeof(table) / sizeof(table[0]); i++) {
		if (table[i].error == -error)
			return table[i].result;
	}
	switch (-error) {
	case E2BIG:
	case EFBIG:
	case EOVERFLOW:
		return ANEURALNETWORKS_RESOURCE_EXHAUSTED_PERSISTENT;
	default:
		return nnb_result_common(error);
	}
}
