/* SPDX-License-Identifier: MIT */
/*
 * A client of the NN HAL in HIDL with the arguments and results of AIDL, which api_aidl.c has: each
 * call becomes one of the version that the case asks for, or of the first that has what it needs.
 */
#ifndef NNV_HIDL_CLIENT_H
#define NNV_HIDL_CLIENT_H

#include <stdbool.h>

#include "hal-bridge/aidl/gen/nn.h"
#include "hal-bridge/hidl/call.h"
#include "hal-bridge/hidl/gen/nn.h"

/* The first version that has all of a model, from @least on: 0 to 3, for 1.0 to 1.3. */
int nnv_hidl_version_of(const struct nnb_aidl_model *model, int least);

/*
 * Calls the method of HIDL that does what method @code of @interface does. Return: 0, a positive
 * ErrorStatus, or a negative status without a reply.
 */
int nnv_hidl_call(int version, struct nnb_object *object, const struct nnb_caller *me,
		  const struct nnb_aidl_interface *interface, uint32_t code, const void *in,
		  struct nnb_arena *arena, void *out);

/* Runs a request and waits for its callback. @shapes may be empty: 1.0 has none. */
int nnv_hidl_execute_async(int version, struct nnb_object *model, const struct nnb_caller *me,
			   const struct nnb_aidl_request *request, int64_t deadline_ns,
			   int64_t loop_timeout_ns, struct nnb_arena *arena,
			   struct nnb_aidl_execution_result *result);

/*
 * Runs a request in a burst through fast message queues: the second time with the memories that the
 * burst keeps, the third time after it was told to free them. @asked: how often the service has
 * asked for memories.
 */
int nnv_hidl_execute_burst(struct nnb_object *model, const struct nnb_caller *me,
			   const struct nnb_aidl_request *request, bool event,
			   struct nnb_arena *arena, struct nnb_aidl_execution_result *result,
			   unsigned int *asked);

#endif
