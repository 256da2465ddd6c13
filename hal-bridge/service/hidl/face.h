/* SPDX-License-Identifier: MIT */
/*
 * Objects of HIDL around objects of the core (translate.h). A face holds a reference to its core,
 * and has no state of its own, so several faces of one object are as good as one.
 */
#ifndef NNB_HIDL_FACE_H
#define NNB_HIDL_FACE_H

#include "hal-bridge/binder/object.h"
#include "hal-bridge/service/prepared_model.h"
#include "hal-bridge/service/service.h"
#include "hal-bridge/service/hidl/translate.h"

/**
 * struct nnb_hidl_face - an object of HIDL
 * @object: of HIDL
 * @core: a reference
 */
struct nnb_hidl_face {
	struct nnb_object object;
	struct nnb_object *core;
};

/*
 * Makes a face; takes over the reference @core, also after an error. Return: NULL without memory.
 */
struct nnb_object *nnb_hidl_face_create(const struct nnb_object_ops *ops, struct nnb_object *core);
/* For the operations of faces. */
void nnb_hidl_face_release(struct nnb_object *object);
struct nnb_object *nnb_hidl_face_core(struct nnb_object *object);

/* IDevice of a device of the service, which lives as long as the service. NULL without memory. */
struct nnb_object *nnb_hidl_device_create(struct nnb_device *device);

/* IPreparedModel of a model of the core. Return: NULL without memory. */
struct nnb_object *nnb_hidl_model_create(struct nnb_prepared_model *model);
/* Return: the model of an object in a parcel; NULL if the object is no model of this service. */
struct nnb_prepared_model *nnb_hidl_model_of(struct nnb_object *object);
/* IBuffer. Takes over the reference. Return: NULL without memory. */
struct nnb_object *nnb_hidl_buffer_create(struct nnb_object *core);

/*
 * An object of the core that passes what it is told about a prepared model to @callback, an
 * IPreparedModelCallback of @version. Return: NULL without memory.
 */
struct nnb_object *nnb_hidl_callback_create(struct nnb_object *callback,
					    enum nnb_hidl_version version);

/*
 * Implements IPreparedModel.configureExecutionBurst(): a context whose thread answers requests of
 * the queues. Return: 0 or an ErrorStatus.
 */
int nnb_hidl_burst_create(struct nnb_prepared_model *model, struct nnb_hidl_call *call,
			  struct nnb_aidl_call *core,
			  const struct nnb_hidl_1_2_prepared_model_configure_execution_burst_in *in,
			  struct nnb_object **out);

#endif
