// SPDX-License-Identifier: MIT
/* IBurstContext (face.h). Queues are not opened yet, so clients execute without bursts. */
#include "hal-bridge/service/hidl/face.h"

int nnb_hidl_burst_create(struct nnb_prepared_model *model, struct nnb_hidl_call *call,
			  struct nnb_aidl_call *core,
			  const struct nnb_hidl_1_2_prepared_model_configure_execution_burst_in *in,
			  struct nnb_object **out)
{
	return nnb_aidl_fail(core, NNB_AIDL_ERROR_STATUS_GENERAL_FAILURE,
			     "fast message queues are not served");
}
