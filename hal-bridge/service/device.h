/* SPDX-License-Identifier: MIT */
/* IDevice: the service's first object. It describes the device and prepares models. */
#ifndef NNB_DEVICE_H
#define NNB_DEVICE_H

#include "hal-bridge/aidl/call.h"
#include "hal-bridge/binder/object.h"

struct nnb_device;

/* The functions of nnb_service.object. */
extern const struct nnb_object_ops nnb_device_ops;

/* Return: the device whose IDevice @object is. */
struct nnb_device *nnb_device_of(struct nnb_object *object);

/* The methods of IDevice, by their code - 1, for faces that have their own parcels. */
extern const nnb_aidl_handler nnb_device_handlers[];

#endif
