/* SPDX-License-Identifier: MIT */
/*
 * MSI-X vectors: each has an eventfd of the client, or a pending bit while it has none.
 *
 * The model raises vectors from its threads while the transport thread sets eventfds, so every
 * function takes the lock for a moment. An eventfd belongs to the table from nnadev_vectors_set()
 * until it is replaced.
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
 * @count: how many there are
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
 * @fd: taken over, its flags stay as they are; -1 disconnects
 *
 * A pending vector is raised at once.
 *
 * Return: 0, or -EINVAL when @fd is not an eventfd (it is closed then too).
 */
int nnadev_vectors_set(struct nnadev_vectors *vectors, uint32_t vector, int fd);

/* Disconnect all vectors and clear what is pending. */
void nnadev_vectors_clear(struct nnadev_vectors *vectors);

/* Raise a vector. From any thread, does not block; vectors that do not exist are ignored. */
void nnadev_vectors_raise(struct nnadev_vectors *vectors, uint32_t vector);

/* A bit per vector that was raised while it had no eventfd. */
uint64_t nnadev_vectors_pending(struct nnadev_vectors *vectors);

#endif
