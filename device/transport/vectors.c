// SPDX-License-Identifier: MIT
#include "device/transport/vectors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void nnadev_vectors_init(struct nnadev_vectors *vectors, uint32_t count)
{
	pthread_mutex_init(&vectors->lock, NULL);
	vectors->count = count < NNADEV_VECTORS_MAX ? count : NNADEV_VECTORS_MAX;
	vectors->pending = 0;
	for (uint32_t i = 0; i < NNADEV_VECTORS_MAX; i++)
		vectors->fds[i] = -1;
}

void nnadev_vectors_fini(struct nnadev_vectors *vectors)
{
	nnadev_vectors_clear(vectors);
	pthread_mutex_destroy(&vectors->lock);
}

/*
 * The caller holds the lock. The write fails only when the counter is full, and then the client has
 * interrupts to take anyway.
 */
static void signal_fd(int fd)
{
	uint64_t one = 1;
	ssize_t n = write(fd, &one, sizeof(one));

	(void)n;
}

/* That the fd is an eventfd: a client could pass a pipe, and a write to it would block. */
static int check_eventfd(int fd)
{
	static const char want[] = "anon_inode:[eventfd]";
	char path[32], target[sizeof(want) + 1];
	ssize_t n;
	int flags;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	n = readlink(path, target, sizeof(target));
	if (n != (ssize_t)strlen(want) || memcmp(target, want, (size_t)n) != 0)
		return -EINVAL;
	flags = fcntl(fd, F_GETFL);
	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return -EINVAL;
	return 0;
}

int nnadev_vectors_set(struct nnadev_vectors *vectors, uint32_t vector, int fd)
{
	uint64_t bit = 1ull << (vector % NNADEV_VECTORS_MAX);
	int old;

	if (vector >= vectors->count || (fd >= 0 && check_eventfd(fd) < 0)) {
		if (fd >= 0)
			close(fd);
		return -EINVAL;
	}
	pthread_mutex_lock(&vectors->lock);
	old = vectors->fds[vector];
	vectors->fds[vector] = fd;
	if (fd >= 0 && (vectors->pending & bit)) {
		vectors->pending &= ~bit;
		signal_fd(fd);
	}
	pthread_mutex_unlock(&vectors->lock);
	if (old >= 0)
		close(old);
	return 0;
}

void nnadev_vectors_clear(struct nnadev_vectors *vectors)
{
	pthread_mutex_lock(&vectors->lock);
	for (uint32_t i = 0; i < vectors->count; i++) {
		if (vectors->fds[i] >= 0)
			close(vectors->fds[i]);
		vectors->fds[i] = -1;
	}
	vectors->pending = 0;
	pthread_mutex_unlock(&vectors->lock);
}

void nnadev_vectors_raise(struct nnadev_vectors *vectors, uint32_t vector)
{
	pthread_mutex_lock(&vectors->lock);
	if (vector < vectors->count && vectors->fds[vector] >= 0)
		signal_fd(vectors->fds[vector]);
	else if (vector < vectors->count)
		vectors->pending |= 1ull << vector;
	pthread_mutex_unlock(&vectors->lock);
}

uint64_t nnadev_vectors_pending(struct nnadev_vectors *vectors)
{
	uint64_t pending;

	pthread_mutex_lock(&vectors->lock);
	pending = vectors->pending;
	pthread_mutex_unlock(&vectors->lock);
	return pending;
}
