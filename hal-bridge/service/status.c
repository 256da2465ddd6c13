// SPDX-License-Identifier: MIT
/* Conversion to ErrorStatus, and of deadlines (status.h). */
#include "hal-bridge/service/status.h"

#include <errno.h>
#include <time.h>

#include "hal-bridge/include/NeuralNetworks.h"
#include "libnnaccel/support/clock.h"

int nnb_status(int error)
{
	switch (-error) {
	case 0:
		return NNB_AIDL_ERROR_STATUS_NONE;
	case EINVAL:
		return NNB_AIDL_ERROR_STATUS_INVALID_ARGUMENT;
	case ENODEV:
	case ENXIO:
	case ENOENT:
	case EACCES:
	case EPROTO:
	case ELIBACC:
	case ELIBBAD:
		return NNB_AIDL_ERROR_STATUS_DEVICE_UNAVAILABLE;
	case ENOSPC:
		return NNB_AIDL_ERROR_STATUS_OUTPUT_INSUFFICIENT_SIZE;
	case ETIMEDOUT:
		return NNB_AIDL_ERROR_STATUS_MISSED_DEADLINE_PERSISTENT;
	case ENOMEM:
	case EAGAIN:
	case EMFILE:
	case ENFILE:
		return NNB_AIDL_ERROR_STATUS_RESOURCE_EXHAUSTED_TRANSIENT;
	default:
		return NNB_AIDL_ERROR_STATUS_GENERAL_FAILURE;
	}
}

int64_t nnb_status_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int nnb_status_deadline(int64_t deadline_ns, uint64_t *monotonic_ns)
{
	int64_t boot_ns;

	*monotonic_ns = 0;
	if (deadline_ns == -1)
		return 0;
	if (deadline_ns < 0)
		return NNB_AIDL_ERROR_STATUS_INVALID_ARGUMENT;
	boot_ns = nnb_status_now();
	if (deadline_ns <= boot_ns)
		return NNB_AIDL_ERROR_STATUS_MISSED_DEADLINE_PERSISTENT;
	*monotonic_ns = nna_now_ns() + (uint64_t)(deadline_ns - boot_ns);
	return 0;
}

int nnb_status_missed(const struct nnb_deadline *deadline, uint64_t run_ns)
{
	return nnb_deadline_result(deadline, run_ns) == ANEURALNETWORKS_MISSED_DEADLINE_PERSISTENT
		       ? NNB_AIDL_ERROR_STATUS_MISSED_DEADLINE_PERSISTENT
		       : NNB_AIDL_ERROR_STATUS_MISSED_DEADLINE_TRANSIENT;
}

int nnb_status_loop_limit(int64_t timeout_ns, uint64_t *limit_ns)
{
	if (timeout_ns < -1 || timeout_ns > NNB_LOOP_MAXIMUM_NS)
		return NNB_AIDL_ERROR_STATUS_INVALID_ARGUMENT;
	*limit_ns = timeout_ns < 0 ? NNB_LOOP_DEFAULT_NS : timeout_ns ? timeout_ns : 1;
	return 0;
}
