/* SPDX-License-Identifier: MIT */
/* The device models that nna-device has. */
#ifndef NNADEV_MODELS_H
#define NNADEV_MODELS_H

#include <stddef.h>

#include "device/model.h"

/* All of them, ended by NULL. The first is the default. */
extern const struct nnadev_model *const nnadev_models[];

/* The model of that name; NULL when there is none. */
const struct nnadev_model *nnadev_models_find(const char *name);

/* Write the names of all models to @names, of @size bytes, separated by ", ". */
void nnadev_models_list(char *names, size_t size);

#endif
