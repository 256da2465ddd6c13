/* SPDX-License-Identifier: MIT */
/* IExecution: a request that is bound once and may run many times, one run at a time. */
#ifndef NNB_EXECUTION_H
#define NNB_EXECUTION_H

#include "hal-bridge/service/run.h"

/*
 * Implements IPreparedModel.createReusableExecution(). Return: 0, with a reference in *@out, or an
 * ErrorStatus.
 */
int nnb_execution_create(struct nnb_prepared_model *model, struct nnb_aidl_call *call,
			 const struct nnb_aidl_request *request,
			 const struct nnb_run_options *options, struct nnb_object **out);

#endif
