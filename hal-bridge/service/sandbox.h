/* SPDX-License-Identifier: MIT */
/*
 * What the HAL's process gives up once everything is open: its user, its capabilities, all files but
 * the accelerator's node, and all system calls that it does not make. Whoever takes it over by a
 * parcel has binder, the accelerator, and what other clients send to the service; nothing else.
 */
#ifndef NNB_SANDBOX_H
#define NNB_SANDBOX_H

#include <stddef.h>

#include "hal-bridge/service/service.h"

/*
 * Enters it, for good. Each client has a device of its own, so the node stays within reach: as root,
 * the root directory becomes an empty one with just that. Return: 0, or a negative errno, with what
 * went wrong in @why.
 */
int nnb_sandbox_enter(const struct nnb_service *service, char *why, size_t why_size);

#endif
