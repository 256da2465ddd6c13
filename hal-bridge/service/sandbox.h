/* SPDX-License-Identifier: MIT */
/*
 * What the HAL's process gives up once everything is open: its user, its capabilities, all files
 * but the accelerator's node, and all system calls that it does not make. Whoever takes it over by
 * a parcel has binder, the accelerator, and what other clients send to the service; nothing else.
 *
 * Each client has a device of its own, so the node has to stay within reach. Started by root, the
 * process gets a root directory in which there is that node (where the service was not told which
 * one, those of the first accelerators), /dev/udmabuf and nothing else. Started
 * by somebody else, it keeps the root directory that it has been given.
 */
#ifndef NNB_SANDBOX_H
#define NNB_SANDBOX_H

#include <stddef.h>

#include "hal-bridge/service/service.h"

/* Before there is a second thread: mounts of its own, as root. Return: 0 or a negative errno. */
int nnb_sandbox_prepare(void);
/*
 * Enters it, for good and with all threads. Return: 0, or a negative errno, with what went wrong in
 * @why.
 */
int nnb_sandbox_enter(struct nnb_service *service, char *why, size_t why_size);

#endif
