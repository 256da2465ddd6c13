/* SPDX-License-Identifier: MIT */
/* The NNA as a model that nna-device serves. Its devices are struct nnadev (nnadev.h). */
#ifndef NNADEV_NNA_MODEL_H
#define NNADEV_NNA_MODEL_H

#include "device/model.h"

/* Its configuration is a struct nnadev_params. */
extern const struct nnadev_model nnadev_nna_model;

#endif
