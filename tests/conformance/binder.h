/* SPDX-License-Identifier: MIT */
/* The NN HAL of another process: which nnv_run reaches if it is linked with a backend of binder. */
#ifndef NNV_BINDER_H
#define NNV_BINDER_H

#include "hal-bridge/binder/object.h"

/*
 * IDevice/@name of binder's node /dev/binder, or @hidl of /dev/hwbinder, a reference. Return: 0,
 * -ENOENT, -ENOTSUP (this program knows no binder) or another negative errno.
 */
int nnv_binder_connect(const char *name, bool hidl, struct nnb_object **out);

#endif
