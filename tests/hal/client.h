/* SPDX-License-Identifier: MIT */
/*
 * A client of nnaccel-hal, for programs with one connection to it. A program that sets client_hidl
 * calls the service in HIDL 1.3 by the same arguments (tests/conformance/hidl_client.h).
 */
#ifndef TEST_HAL_CLIENT_H
#define TEST_HAL_CLIENT_H

#include <stdio.h>

#include "hal-bridge/aidl/call.h"
#include "hal-bridge/aidl/gen/nn.h"
#include "hal-bridge/binder/binder.h"
#include "hal-bridge/binder/exchange.h"
#include "tests/conformance/hidl_client.h"

static bool client_hidl;

static inline int client_call(struct nnb_object *object, const struct nnb_caller *caller,
			      const struct nnb_aidl_interface *interface, uint32_t code,
			      const void *in, struct nnb_arena *arena, void *out)
{
	if (client_hidl)
		return nnv_hidl_call(3, object, caller, interface, code, in, arena, out);
	return nnb_aidl_call(object, caller, &interface->methods[code - 1], in, arena, out);
}

#define HAL_CALL(object, caller, interface, method, in, arena, out)                                \
	client_call(object, caller, &nnb_aidl_##interface, method, in, arena, out)
#include "tests/unit/hal-bridge/service/fixture.h"

static struct nnb_binder *binder; /* of this process */

static inline struct nnb_object *connect_service(void)
{
	const struct nnb_binder_options options = {.hidl = client_hidl};
	struct nnb_object *device;
	char name[128];

	snprintf(name, sizeof(name), "%s/nnaccel",
		 client_hidl ? nnb_hidl_1_3_device.descriptor : nnb_aidl_device.descriptor);
	if (nnb_binder_open(&options, &binder) || binder->ops->get(binder, name, &device))
		exit(10);
	return device;
}

/* Asks an object to write its state to a descriptor. */
static inline int client_dump(struct nnb_object *object, int fd)
{
	struct {
		struct nnb_hidl_fds fds;
		int32_t data[1];
	} handle = {.fds = {.version = NNB_HIDL_FDS_VERSION, .fd_count = 1}, .data = {fd}};
	static const struct nnb_hidl_vec none;
	const struct nnb_hidl_base_debug_in in = {&handle.fds, &none};
	struct nnb_arena arena = {0};
	int ret;

	if (!client_hidl)
		return binder->ops->dump(binder, object, fd);
	ret = nnb_hidl_call(object, &hal_me, &nnb_hidl_base_debug, &in, &arena, NULL);
	nnb_arena_fini(&arena);
	return ret;
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
