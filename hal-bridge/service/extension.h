/* SPDX-License-Identifier: MIT */
/*
 * Extensions in the HAL. A client's model names the extensions that it uses, each with a prefix of
 * its own choice, which stands in the high 16 bits of types; here that becomes a code of the
 * registry (common/extension.h). The model may name extensions that nobody knows here.
 */
#ifndef NNB_SERVICE_EXTENSION_H
#define NNB_SERVICE_EXTENSION_H

#include <stdbool.h>

#include "hal-bridge/aidl/gen/nn.h"
#include "hal-bridge/binder/arena.h"

/* Types of extensions begin here: the high 16 bits are the prefix. */
#define NNB_EXTENSION_FIRST 0x10000

/* What IDevice.getSupportedExtensions() tells, in the arena. Return: 0 or -ENOMEM. */
int nnb_extensions_get(struct nnb_arena *arena,
		       struct nnb_aidl_device_get_supported_extensions_out *out);

/* Whether one of the model's extensions has the prefix of a type. */
bool nnb_extension_is_named(const struct nnb_aidl_model *model, int32_t type);

/*
 * The code of a type or operation of the model; what is of no extension is its own code, and of an
 * extension that is not known here the code means nothing.
 */
uint32_t nnb_extension_translate(const struct nnb_aidl_model *model, int32_t type);

#endif
