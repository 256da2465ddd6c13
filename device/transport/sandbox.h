/* SPDX-License-Identifier: MIT */
/*
 * What the process gives up once its sockets are bound, before it has a second thread.
 *
 * The device works on data of strangers, so it keeps only what that takes: where it was started as
 * root it becomes a user without rights, it gives up all capabilities and the means to get any back
 * (no_new_privs), and a seccomp filter lets only those system calls through that the device makes.
 * None of them opens a file, makes a socket or starts a program; memory cannot be made executable.
 * Another call ends the process with SIGSYS. Threads that are started later inherit all of this.
 */
#ifndef NNADEV_SANDBOX_H
#define NNADEV_SANDBOX_H

#include <stddef.h>

/**
 * nnadev_sandbox_enter() - give it up
 * @why: on failure: written, one line for people
 * @why_size: bytes that @why has room for
 *
 * To be called while the process has one thread. There is no way back, and after a failure the
 * process may have given up a part: it should end.
 *
 * Return: 0, or a negative errno.
 */
int nnadev_sandbox_enter(char *why, size_t why_size);

#endif
