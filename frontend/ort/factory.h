/* SPDX-License-Identifier: MIT */
/* What ONNX Runtime looks for in a library with execution providers. */
#ifndef ORT_FACTORY_H
#define ORT_FACTORY_H

#include "frontend/ort/ort_abi.h"

struct ort_status *CreateEpFactories(const char *name, const struct ort_api_base *base,
				     const void *logger, struct ort_factory **factories,
				     size_t room, size_t *count);
struct ort_status *ReleaseEpFactory(struct ort_factory *factory);

#endif
