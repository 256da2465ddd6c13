/* SPDX-License-Identifier: MIT */
/*
 * Signals eventfds of a client without ever blocking.
 *
 * write() to an eventfd blocks when its counter is full. The client shares the eventfd, so it can
 * fill the counter and clear O_NONBLOCK at any time. This process does not set O_NONBLOCK, because
 * that would change the file description of the client. Instead it submits an asynchronous read of
 * one byte that names the eventfd (IOCB_FLAG_RESFD): when the read completes, the kernel increments
 * the counter, up to its limit. The kernel refuses a file that is no eventfd, so this is the check
 * for one, too.
 *
 * Not thread-safe: the owner's lock guards it.
 */
#ifndef NNADEV_NOTIFIER_H
#define NNADEV_NOTIFIER_H

#include <linux/aio_abi.h>
#include <stdint.h>

/**
 * struct nnadev_notifier - an asynchronous I/O context and files to read
 * @context: of io_setup()
 * @source: a file with one byte, which is read to signal
 * @sink: the write end of a pipe: a read of it fails, so it checks without signalling
 * @byte: receives the byte
 * @done: completions that have not been collected by io_getevents()
 */
struct nnadev_notifier {
	aio_context_t context;
	int source;
	int sink;
	uint8_t byte;
	uint32_t done;
};

/* Return: 0, or a negative errno (-EAGAIN: fs.aio-max-nr is exhausted, -ENOSYS: no io_setup()). */
int nnadev_notifier_init(struct nnadev_notifier *notifier);
void nnadev_notifier_fini(struct nnadev_notifier *notifier);

/* Check that @fd is an eventfd, without signalling it. Return: 0 or -EINVAL. */
int nnadev_notifier_check(struct nnadev_notifier *notifier, int fd);

/* Increment the counter of an eventfd, unless it is at its limit. */
void nnadev_notifier_signal(struct nnadev_notifier *notifier, int fd);

#endif
