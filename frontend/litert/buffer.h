/* SPDX-License-Identifier: MIT */
/*
 * Buffers of our kind: device memory that LiteRT allocates for a model's inputs and outputs, and
 * that runs use without a copy.
 */
#ifndef LITERT_BUFFER_H
#define LITERT_BUFFER_H

#include "frontend/litert/litert_abi.h"

/* The kind's number. LiteRT reserves 100 to 199 for vendors; Intel uses 100. */
#define LITERT_NNA_BUFFER 117

/*
 * The kind's functions. The memory_handle of a buffer is its struct nna_buffer. What a program
 * imports is a file descriptor of a dma-buf or a memfd, cast to a pointer; it stays the program's.
 */
extern const struct LiteRtBufferHandlers LITERT_BUFFER_HANDLERS;

#endif
