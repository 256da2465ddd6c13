/* SPDX-License-Identifier: MIT */
/*
 * The HIDL face of the service. There is one core: clients, quotas, the validator, graphs and runs.
 * It takes and gives the structs of AIDL, whose version 1 has all that HIDL 1.3 has. The face
 * consists of
 *
 *	translate	structs of HIDL to those of AIDL, and back; what an older version does not
 *			have is refused here
 *	face		an object of HIDL around an object of the core
 *	device		IDevice 1.0 to 1.3
 *	callback	IPreparedModelCallback 1.0 to 1.3
 *	model		IPreparedModel 1.0 to 1.3, IFencedExecutionCallback, IBuffer
 *	burst		IBurstContext: requests and results through fast message queues
 *
 * What is translated lies in the arena of the call, and points to what lies in the parcel: operands
 * and operations are copied, lists of numbers and values are not.
 */
#ifndef NNB_HIDL_TRANSLATE_H
#define NNB_HIDL_TRANSLATE_H

#include "hal-bridge/aidl/call.h"
#include "hal-bridge/aidl/gen/nn.h"
#include "hal-bridge/hidl/call.h"
#include "hal-bridge/hidl/gen/nn.h"

/* The versions of the interface. */
enum nnb_hidl_version {
	NNB_HIDL_1_0,
	NNB_HIDL_1_1,
	NNB_HIDL_1_2,
	NNB_HIDL_1_3,
};

/*
 * Makes a model of AIDL of a model of @version: a struct nnb_hidl_1_0_model to a struct
 * nnb_hidl_1_3_model. Return: 0, INVALID_ARGUMENT for what the version does not have, or
 * RESOURCE_EXHAUSTED_TRANSIENT.
 */
int nnb_hidl_to_model(struct nnb_aidl_call *call, enum nnb_hidl_version version, const void *from,
		      struct nnb_aidl_model *to);
/* The same for requests: 1.0 has the ones of 1.0 to 1.2. */
int nnb_hidl_to_request(struct nnb_aidl_call *call, const struct nnb_hidl_1_0_request *from,
			struct nnb_aidl_request *to);
int nnb_hidl_to_request_1_3(struct nnb_aidl_call *call, const struct nnb_hidl_1_3_request *from,
			    struct nnb_aidl_request *to);
/* Memory. Return: 0 or INVALID_ARGUMENT. */
int nnb_hidl_to_memory(struct nnb_aidl_call *call, const struct nnb_hidl_memory *from,
		       struct nnb_aidl_memory *to);

/*
 * Descriptors: each handle has to have one; @from is NULL for none. @what names one in a message.
 * Return: 0, INVALID_ARGUMENT or RESOURCE_EXHAUSTED_TRANSIENT.
 */
int nnb_hidl_to_fds(struct nnb_aidl_call *call, const char *what, const struct nnb_hidl_vec *from,
		    struct nnb_fds *to);
void nnb_hidl_to_location(const struct nnb_hidl_1_0_data_location *from,
			  struct nnb_aidl_data_location *to);

/* A moment of the steady clock as AIDL's deadline, of the clock that goes on in suspend. */
int64_t nnb_hidl_to_deadline(const struct nnb_hidl_1_3_optional_time_point *from);
int64_t nnb_hidl_to_duration(const struct nnb_hidl_1_3_optional_timeout_duration *from);

/* A status as @version has it: to versions before 1.3 later ones are GENERAL_FAILURE. */
int32_t nnb_hidl_status(enum nnb_hidl_version version, int status);
struct nnb_hidl_1_2_timing nnb_hidl_of_timing(const struct nnb_aidl_timing *from);
/* No durations. */
extern const struct nnb_hidl_1_2_timing nnb_hidl_no_timing;

/* The type of a vec of shapes, as methods have it. */
struct nnb_hidl_shapes {
	const struct nnb_hidl_1_2_output_shape *data;
	uint32_t count;
	uint8_t owned;
};

/* Return: 0 or -ENOMEM. */
int nnb_hidl_of_shapes(struct nnb_arena *arena, const struct nnb_aidl_execution_result *from,
		       struct nnb_hidl_shapes *to);
/* A handle with one descriptor, in the arena; NULL without memory. */
const struct nnb_hidl_fds *nnb_hidl_of_fd(struct nnb_arena *arena, int fd);

/* The call of the core that a call of HIDL makes. */
static inline struct nnb_aidl_call nnb_hidl_core_call(const struct nnb_hidl_call *call)
{
	return (struct nnb_aidl_call){.caller = call->caller, .arena = call->arena};
}

/* Logs why a call of HIDL has failed. Return: @status. */
int nnb_hidl_log(const struct nnb_hidl_call *call, const struct nnb_aidl_call *core, int status);

#endif
