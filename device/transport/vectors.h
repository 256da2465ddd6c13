/* SPDX-License-Identifier: MIT */
/*
 * MSI-X vectors: an eventfd of the client each, or a pending bit while there is none.
 *
 * The model raises vectors from its threads while the transport thread sets eventfds, so every
 * function takes the lock, briefly. An eventfd belongs to the vectors from nnadev_vectors_set() until
 * it is replaced.
 */
#ifndef NNADEV_VECTORS_H
#define NNADEV_VECTORS_H

#include <pthread.h>
#include <stdint.h>

#define NNADEV_VECTORS_MAX 64u

struct nnadev_vectors {
	pthread_mutex_t lock;
	uint32_t count;
	int fds[NNADEV_VECTORS_MAX]; /* -1: none */
	uint64_t pending; /* a bit per vector, as the PBA shows it */
};

void nnadev_vectors_init(struct nnadev_vectors *vectors, uint32_t count);
void nnadev_vectors_fini(struct nnadev_vectors *vectors);

/**
 * nnadev_vectors_set() - connect a vector to an eventfd
 * @vector: below the count
 * @fd: taken over, made non-blocking; -1 disconnects
 *
 * A pending vector is raised at once.
 *
 * Return: 0, or -EINVAL when @fd is not an eventfd (it is closed then too).
 */
int nnadev_vectors_set(struct nnadev_vectors *vectors, uint32_t vector, int fd);

/* Disconnect all and forget what is pending. */
void nnadev_vectors_clear(struct nnadev_vectors *vectors);

/* From any thread, does not block; vectors that do not exist are ignored. */
void nnadev_vectors_raise(struct nnadev_vectors *vectors, uint32_t vector);

uint64_t nnadev_vectors_pending(struct nnadev_vectors *vectors);

#endif
