/* SPDX-License-Identifier: MIT */
/*
 * MSI-X vectors. A vector signals an eventfd of the client. While it has none, raising it sets its
 * pending bit.
 *
 * The model's threads raise vectors while the transport thread sets eventfds, so every function
 * takes the lock. The table owns an eventfd from nnadev_vectors_set() until it is replaced.
 */
#ifndef NNADEV_VECTORS_H
#define NNADEV_VECTORS_H

#include <pthread.h>
#include <stdint.h>

#include "device/transport/notifier.h"

#define NNADEV_VECTORS_MAX 64u

/**
 * struct nnadev_vectors - the vectors of a function
 * @lock: guards the other members
 * @notifier: signals @fds
 * @count: number of vectors
 * @fds: the eventfd of each, or -1
 * @pending: a bit per vector, as the PBA shows it
 */
struct nnadev_vectors {
	pthread_mutex_t lock;
	struct nnadev_notifier notifier;
	uint32_t count;
	int fds[NNADEV_VECTORS_MAX];
	uint64_t pending;
};

/* Return: 0, or a negative errno of nnadev_notifier_init(). */
int nnadev_vectors_init(struct nnadev_vectors *vectors, uint32_t count);
void nnadev_vectors_fini(struct nnadev_vectors *vectors);

/**
 * nnadev_vectors_set() - connect a vector to an eventfd
 * @vectors: the vectors
 * @vector: below the count
 * @fd: ownership passes to the table; -1 disconnects. Its flags are not changed.
 *
 * A pending vector signals @fd at once.
 *
 * Return: 0, or -EINVAL when @fd is not an eventfd (it is closed then too).
 */
int nnadev_vectors_set(struct nnadev_vectors *vectors, uint32_t vector, int fd);

/* Disconnect all vectors and clear what is pending. */
void nnadev_vectors_clear(struct nnadev_vectors *vectors);

/* Raise a vector, from any thread. Does not block. A vector that does not exist is ignored. */
void nnadev_vectors_raise(struct nnadev_vectors *vectors, uint32_t vector);

/* The pending bits: vectors that were raised while they had no eventfd. */
uint64_t nnadev_vectors_pending(struct nnadev_vectors *vectors);

#endif
