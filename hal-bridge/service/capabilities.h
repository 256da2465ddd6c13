/* SPDX-License-Identifier: MIT */
/* IDevice.getCapabilities(): how fast the device is, by operand type. */
#ifndef NNB_CAPABILITIES_H
#define NNB_CAPABILITIES_H

#include "hal-bridge/binder/arena.h"
#include "hal-bridge/aidl/gen/nn.h"

/* Return: 0 or -ENOMEM; what it points to lies in the arena. */
int nnb_capabilities_get(struct nnb_arena *arena, struct nnb_aidl_capabilities *out);

#endif
