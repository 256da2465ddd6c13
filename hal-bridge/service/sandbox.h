/* SPDX-License-Identifier: MIT */
/*
 * The sandbox of the HAL's process. Once everything is open the process gives up its user, its
 * capabilities, all files but the accelerator's node, and all system calls that it does not make.
 * An attacker who takes over the process by a parcel has binder, the accelerator, and the data that
 * other clients send to the service.
 *
 * The service opens the node again for each client, so the node must stay reachable. If root starts
 * the process, it gets a root directory with only that node (or the nodes of the first
 * accelerators, if the service was not told which) and /dev/udmabuf. If another user starts it, it
 * keeps the root directory that it was given.
 *
 * CAP_SYS_NICE, with which the driver is told for whom a file is, is kept by a process of its own
 * (namer.h): the service's process has no capability.
 */
#ifndef NNB_SANDBOX_H
#define NNB_SANDBOX_H

#include <stddef.h>

#include "hal-bridge/service/service.h"

/*
 * Gives a process of root mounts of its own; does nothing for another user. Call it before a second
 * thread starts. Return: 0 or a negative errno.
 */
int nnb_sandbox_prepare(void);
/*
 * Enters the sandbox, for good and with all threads. Return: 0, or a negative errno; @why then has
 * a message.
 */
int nnb_sandbox_enter(struct nnb_service *service, char *why, size_t why_size);
/*
 * Enters the sandbox of the process that starts helpers (helper.h), and of helpers: the same user,
 * and the system calls that they make. Return: 0 or a negative errno.
 */
int nnb_sandbox_enter_helpers(void);
/*
 * Enters the sandbox of the namer (namer.h): the same user, CAP_SYS_NICE alone if the process has
 * it, and the system calls that the namer makes. Return: 0 or a negative errno.
 */
int nnb_sandbox_enter_namer(void);
/*
 * Gives up the capabilities of a process that is not root's: the namer, which was started before,
 * has the only one that is needed. Root needs them until it enters the sandbox. Call it before a
 * second thread starts. Return: 0 or a negative errno.
 */
int nnb_sandbox_drop_capabilities(void);

#endif
