/* SPDX-License-Identifier: MIT */
/*
 * Extensions in the HAL. A client's model names its extensions and gives each a prefix, which is in
 * the upper 16 bits of types. This file translates such types to codes of the registry
 * (common/extension.h). A model may name unknown extensions.
 */
#ifndef NNB_SERVICE_EXTENSION_H
#define NNB_SERVICE_EXTENSION_H

#include <stdbool.h>

#include "hal-bridge/aidl/gen/nn.h"
#include "hal-bridge/binder/arena.h"

/* The lowest type of an extension: the upper 16 bits are the prefix. */
#define NNB_EXTENSION_FIRST 0x10000

/*
 * Implements IDevice.getSupportedExtensions(); the result lies in the arena. Return: 0 or -ENOMEM.
 */
int nnb_extensions_get(struct nnb_arena *arena,
		       struct nnb_aidl_device_get_supported_extensions_out *out);

/* Return: true if one of the model's extensions has the prefix of a type. */
bool nnb_extension_is_named(const struct nnb_aidl_model *model, int32_t type);

/*
 * Return: the code of a type or operation of the model. A type of no extension is its own code; a
 * type of an unknown extension gets a code without a meaning.
 */
uint32_t nnb_extension_translate(const struct nnb_aidl_model *model, int32_t type);

#endif
