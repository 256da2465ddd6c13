/* SPDX-License-Identifier: MIT */
/* A client of nnaccel-hal, for programs with one connection to it. */
#ifndef TEST_HAL_CLIENT_H
#define TEST_HAL_CLIENT_H

#include "hal-bridge/binder/binder.h"
#include "hal-bridge/binder/exchange.h"
#include "tests/unit/hal-bridge/service/fixture.h"

#define HAL_NAME "android.hardware.neuralnetworks.IDevice/nnaccel"

static struct nnb_binder *binder; /* of this process */

static inline struct nnb_object *connect_service(void)
{
	static const struct nnb_binder_options options;
	struct nnb_object *device;

	if (nnb_binder_open(&options, &binder) || binder->ops->get(binder, HAL_NAME, &device))
		exit(10);
	return device;
}

/* What prepareModel() says, or else what it tells. *@model is a reference; NULL after an error. */
static inline int prepare_with(struct nnb_object *device,
			       const struct nnb_aidl_device_prepare_model_in *from,
			       struct nnb_object **model)
{
	struct nnb_aidl_device_prepare_model_in in = *from;
	struct hal_callback *callback = hal_callback_new();
	struct nnb_arena arena = {0};
	int ret;

	*model = NULL;
	in.callback = &callback->object;
	ret = HAL_CALL(device, &hal_me, device, NNB_AIDL_DEVICE_PREPARE_MODEL, &in, &arena, NULL);
	nnb_arena_fini(&arena);
	pthread_mutex_lock(&callback->lock);
	while (!ret && !callback->told)
		pthread_cond_wait(&callback->changed, &callback->lock);
	pthread_mutex_unlock(&callback->lock);
	if (!ret)
		ret = callback->status;
	if (!ret)
		*model = nnb_object_ref(callback->model);
	nnb_object_unref(&callback->object);
	return ret;
}

static inline int prepare_status(struct nnb_object *device, struct nnb_object **model)
{
	struct nnb_aidl_device_prepare_model_in in;
	struct hal_model m;
	int ret;

	hal_model_init(&m);
	in = hal_prepare_in(&m);
	ret = prepare_with(device, &in, model);
	hal_model_fini(&m);
	return ret;
}

static inline struct nnb_object *prepare(struct nnb_object *device)
{
	struct nnb_object *model;

	prepare_status(device, &model);
	return model;
}

#endif
