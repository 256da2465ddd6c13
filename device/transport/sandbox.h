/* SPDX-License-Identifier: MIT */
/*
 * The rights that the process gives up when its sockets are bound, before it has a second thread.
 *
 * The device processes data that it does not trust, so it keeps the rights that it needs and no
 * others. Started as root, it changes to an unprivileged user. It drops all capabilities and cannot
 * gain any (no_new_privs). A seccomp filter allows only the system calls that the device makes:
 * none of them opens a file, creates a socket or starts a program, and memory cannot be made
 * executable. Any other call ends the process with SIGSYS. Threads that are started later inherit
 * all of this.
 */
#ifndef NNADEV_SANDBOX_H
#define NNADEV_SANDBOX_H

#include <stddef.h>

/**
 * nnadev_sandbox_enter() - give up rights
 * @why: on failure: written, a message of one line
 * @why_size: bytes that @why has room for
 *
 * To be called while the process has one thread. It cannot be undone. After a failure the process
 * may have given up some of its rights, and should end.
 *
 * Return: 0, or a negative errno.
 */
int nnadev_sandbox_enter(char *why, size_t why_size);

#endif
