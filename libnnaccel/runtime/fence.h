/* SPDX-License-Identifier: MIT */
/*
 * Fences of the library's own, and fds of fences. struct nna_fence is in libnnaccel/winsys/fence.h;
 * the winsys makes the fences of jobs. nna_fence_wait() is in submit.c, because the first thread
 * that waits takes the end of the run.
 */
#ifndef NNA_RUNTIME_FENCE_H
#define NNA_RUNTIME_FENCE_H

#include "libnnaccel/winsys/fence.h"

/*
 * Creates the fence of a run that has no job, or whose job is not submitted yet. Return: a
 * reference, or NULL without memory.
 */
struct nna_fence *nna_fence_create(void);
/* The run of such a fence has ended with @error. */
void nna_fence_end(struct nna_fence *fence, int error);
/*
 * Waits for such a fence until @deadline_ns (absolute CLOCK_MONOTONIC, INT64_MAX is for ever).
 * Return: the run's error, or -ETIME.
 */
int nna_fence_wait_end(struct nna_fence *fence, int64_t deadline_ns);
/*
 * Gives an fd, owned by the fence, that polls readable when the run of an own fence, or the job of
 * another one, has ended. Return: the fd, or a negative errno.
 */
int nna_fence_poll(struct nna_fence *fence);
/*
 * How an in-fence has ended whose fd polls as @revents says: 0, -ECANCELED (it has failed) or
 * -EBADF (not an open fd). Does not wait.
 */
int nna_fence_fd_status(int fd, short revents);

#endif
