/* SPDX-License-Identifier: MIT */
/*
 * Signals eventfds of strangers without ever waiting for them.
 *
 * A write to an eventfd blocks when its counter is full, and whoever shares the eventfd can fill it
 * and can clear O_NONBLOCK at any moment; to set that flag would change the eventfd under its other
 * users. So nothing is written: the kernel adds to the counter by itself, up to its limit, when an
 * asynchronous read that names the eventfd (IOCB_FLAG_RESFD) is done, and the read is one of a byte
 * that is there. That also says what is an eventfd, without a look into /proc.
 *
 * Not thread-safe: the owner's lock guards it.
 */
#ifndef NNADEV_NOTIFIER_H
#define NNADEV_NOTIFIER_H

#include <linux/aio_abi.h>
#include <stdint.h>

/**
 * struct nnadev_notifier - what it takes
 * @context: of the kernel's asynchronous I/O
 * @source: a file with a byte to read
 * @sink: a pipe's end for writing: a read of it is refused
 * @byte: what is read
 * @done: reads whose completion has not been taken
 */
struct nnadev_notifier {
	aio_context_t context;
	int source;
	int sink;
	uint8_t byte;
	uint32_t done;
};

/* Return: 0, or a negative errno (-EAGAIN: fs.aio-max-nr is exhausted, -ENOSYS: no such calls). */
int nnadev_notifier_init(struct nnadev_notifier *notifier);
void nnadev_notifier_fini(struct nnadev_notifier *notifier);

/* Whether @fd is an eventfd, which is not signalled. Return: 0 or -EINVAL. */
int nnadev_notifier_check(struct nnadev_notifier *notifier, int fd);

/* Add 1 to the counter of an eventfd, unless that is at its limit. */
void nnadev_notifier_signal(struct nnadev_notifier *notifier, int fd);

#endif
