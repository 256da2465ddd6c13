/* SPDX-License-Identifier: MIT */
/* The provider of one session: what it takes of a graph, and what it compiles. */
#ifndef ORT_EP_H
#define ORT_EP_H

#include "frontend/ort/api.h"

#define ORT_EP_NAME "NNAccelExecutionProvider"

/**
 * ort_ep_create() - a provider for a session
 * @device: "auto" or "loopback", unless an option says another one
 * @options: of the session
 * @logger: of the session
 *
 * Return: NULL, or the error.
 */
struct ort_status *ort_ep_create(const struct ort_api *api, const char *device,
				 const void *options, const void *logger, struct ort_ep **out);
void ort_ep_destroy(struct ort_ep *ep);

#endif
