// SPDX-License-Identifier: MIT
#include "device/transport/vectors.h"

#include <errno.h>
#include <unistd.h>

int nnadev_vectors_init(struct nnadev_vectors *vectors, uint32_t count)
{
	int ret = nnadev_notifier_init(&vectors->notifier);

	if (ret < 0)
		return ret;
	pthread_mutex_init(&vectors->lock, NULL);
	vectors->count = count < NNADEV_VECTORS_MAX ? count : NNADEV_VECTORS_MAX;
	vectors->pending = 0;
	for (uint32_t i = 0; i < NNADEV_VECTORS_MAX; i++)
		vectors->fds[i] = -1;
	return 0;
}

void nnadev_vectors_fini(struct nnadev_vectors *vectors)
{
	nnadev_vectors_clear(vectors);
	nnadev_notifier_fini(&vectors->notifier);
	pthread_mutex_destroy(&vectors->lock);
}

int nnadev_vectors_set(struct nnadev_vectors *vectors, uint32_t vector, int fd)
{
	uint64_t bit = 1ull << (vector % NNADEV_VECTORS_MAX);
	int old = fd, ret = -EINVAL;

	pthread_mutex_lock(&vectors->lock);
	if (vector >= vectors->count ||
	    (fd >= 0 && nnadev_notifier_check(&vectors->notifier, fd) < 0))
		goto out;
	ret = 0;
	old = vectors->fds[vector];
	vectors->fds[vector] = fd;
	if (fd >= 0 && (vectors->pending & bit)) {
		vectors->pending &= ~bit;
		nnadev_notifier_signal(&vectors->notifier, fd);
	}
out:
	pthread_mutex_unlock(&vectors->lock);
	if (old >= 0)
		close(old);
	return ret;
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
		nnadev_notifier_signal(&vectors->notifier, vectors->fds[vector]);
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
