// SPDX-License-Identifier: MIT
#include "device/transport/notifier.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EVENTS 64u /* completions that accumulate before they are collected */

/* Read a byte of @file and signal @fd. Return: 0 or a negative errno. */
static int submit(struct nnadev_notifier *notifier, int file, int fd)
{
	struct iocb read = {
		.aio_lio_opcode = IOCB_CMD_PREAD,
		.aio_fildes = (uint32_t)file,
		.aio_buf = (uintptr_t)&notifier->byte,
		.aio_nbytes = 1,
		.aio_flags = IOCB_FLAG_RESFD,
		.aio_resfd = (uint32_t)fd,
	};
	struct iocb *list = &read;

	return syscall(SYS_io_submit, notifier->context, 1, &list) == 1 ? 0 : -errno;
}

int nnadev_notifier_init(struct nnadev_notifier *notifier)
{
	int pipes[2] = { -1, -1 }, ret;

	memset(notifier, 0, sizeof(*notifier));
	notifier->source = -1;
	notifier->sink = -1;
	if (syscall(SYS_io_setup, 2 * EVENTS, &notifier->context) < 0)
		return -errno;
	notifier->source = memfd_create("nna-device", MFD_CLOEXEC);
	if (notifier->source < 0 || ftruncate(notifier->source, 1) < 0 || pipe(pipes) < 0) {
		ret = -errno;
		nnadev_notifier_fini(notifier);
		return ret;
	}
	close(pipes[0]);
	notifier->sink = pipes[1];
	return 0;
}

void nnadev_notifier_fini(struct nnadev_notifier *notifier)
{
	if (notifier->source >= 0)
		close(notifier->source);
	if (notifier->sink >= 0)
		close(notifier->sink);
	if (notifier->context)
		syscall(SYS_io_destroy, notifier->context);
	memset(notifier, 0, sizeof(*notifier));
	notifier->source = -1;
	notifier->sink = -1;
}

int nnadev_notifier_check(struct nnadev_notifier *notifier, int fd)
{
	/* The kernel checks the eventfd (EINVAL) before the mode of the file to read (EBADF). */
	return submit(notifier, notifier->sink, fd) == -EBADF ? 0 : -EINVAL;
}

void nnadev_notifier_signal(struct nnadev_notifier *notifier, int fd)
{
	struct io_event events[EVENTS];

	/* The read has completed when the call returns, because the byte is in memory. */
	if (submit(notifier, notifier->source, fd) == 0)
		notifier->done++;
	if (notifier->done == EVENTS) {
		syscall(SYS_io_getevents, notifier->context, 0L, (long)EVENTS, events, NULL);
		notifier->done = 0;
	}
}
