/* SPDX-License-Identifier: MIT */
/*
 * Digests of bytes: 128 bits that tell data that has been damaged, or is other data.
 *
 * They are made to be as fast as memory is. A change within one word of 64 bits is always found,
 * any other but for one in 2^64. They are no signature: who wants to can make data for a digest, so
 * nothing that passes is trusted for it. What is added in other pieces is other data.
 */
#ifndef NNA_DIGEST_H
#define NNA_DIGEST_H

#include <stddef.h>
#include <stdint.h>

/** struct nna_digest - what has been added so far; plain data of one thread */
struct nna_digest {
	uint64_t lanes[4];
};

void nna_digest_begin(struct nna_digest *digest);
/* Adds a piece of @size bytes, which may be none. */
void nna_digest_add(struct nna_digest *digest, const void *data, size_t size);
/* The digest of all that has been added; more may be added afterwards. */
void nna_digest_end(const struct nna_digest *digest, uint64_t out[2]);

#endif
