/* SPDX-License-Identifier: MIT */
/* IDevice: what the service is asked first, and where models are prepared. */
#ifndef NNB_DEVICE_H
#define NNB_DEVICE_H

#include "hal-bridge/binder/object.h"

/* Of nnb_service.object. */
extern const struct nnb_object_ops nnb_device_ops;

#endif
