/* SPDX-License-Identifier: MIT */
/* IDevice.getCapabilities(): performance figures of the device, by operand type. */
#ifndef NNB_CAPABILITIES_H
#define NNB_CAPABILITIES_H

#include "hal-bridge/binder/arena.h"
#include "hal-bridge/aidl/gen/nn.h"

/* Return: 0 or -ENOMEM; the result's arrays lie in the arena. */
int nnb_capabilities_get(struct nnb_arena *arena, struct nnb_aidl_capabilities *out);

#endif
