// SPDX-License-Identifier: MIT
#include "tools/nnactl/memory.h"

#include <stdlib.h>
#include <string.h>

void *nnactl_memory_make(struct nnactl_session *s, size_t size, bool shared,
			 struct nna_buffer **buffer)
{
	void *data = shared ? NULL : calloc(1, size);
	int ret;

	*buffer = NULL;
	if (shared && s->split) {
		nnactl_error("--shared: a model on two devices, or of Vela's, has no memory that "
			     "runs share: leave it away");
	} else if (shared) {
		ret = nna_buffer_create(s->device, size, buffer);
		if (ret)
			nnactl_failed(&s->log, "%s: a buffer of %zu bytes: %s", s->path, size,
				      strerror(-ret));
		else
			data = nna_buffer_map(*buffer);
	} else if (!data) {
		nnactl_error("out of memory");
	}
	return data;
}

void nnactl_memory_free(void **data, struct nna_buffer **buffers, uint32_t count)
{
	for (uint32_t i = 0; data && buffers && i < count; i++) {
		if (buffers[i])
			nna_buffer_destroy(buffers[i]);
		else
			free(data[i]);
	}
	free(data);
	free(buffers);
}
