/* SPDX-License-Identifier: MIT */
/* What a model is: its inputs, outputs and operators, and what of it runs where. */
#ifndef NNACTL_MODEL_INFO_H
#define NNACTL_MODEL_INFO_H

#include <stdint.h>

/*
 * Print it. @signature names one of the model's signatures, or is NULL; @device is the one that the
 * model would run on. A model that does not run is no error: it says why. Return: the exit status.
 */
int nnactl_model_info(const char *path, const char *signature, const char *device,
		      uint32_t threads);

#endif
