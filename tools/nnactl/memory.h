/* SPDX-License-Identifier: MIT */
/* Memory of inputs and outputs: of this process alone, or buffers that the device works on. */
#ifndef NNACTL_MEMORY_H
#define NNACTL_MEMORY_H

#include "tools/nnactl/session.h"

/*
 * Make zeroed memory; @shared: in a buffer of the session's device, which *@buffer becomes, else
 * NULL. Return: where it is, or NULL with the error printed.
 */
void *nnactl_memory_make(struct nnactl_session *session, size_t size, bool shared,
			 struct nna_buffer **buffer);
/* Free @count pieces and the two arrays, each of which may be NULL. */
void nnactl_memory_free(void **data, struct nna_buffer **buffers, uint32_t count);

#endif
