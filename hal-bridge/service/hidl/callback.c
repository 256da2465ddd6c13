// SPDX-License-Identifier: MIT
/*
 * IPreparedModelCallback of each version, as the core's (face.h). It dies with the client's object.
 */
#include "hal-bridge/service/hidl/face.h"

#include <errno.h>
#include <stdlib.h>

/**
 * struct nnb_hidl_callback - a client's callback
 * @object: the core's
 * @callback: the client's, a reference
 * @version: of the client's
 */
struct nnb_hidl_callback {
	struct nnb_object object;
	struct nnb_object *callback;
	enum nnb_hidl_version version;
};

/* The parameters are alike in all versions. */
static const struct nnb_hidl_method *nnb_hidl_callback_method(enum nnb_hidl_version version)
{
	switch (version) {
	case NNB_HIDL_1_3:
		return &nnb_hidl_1_3_prepared_model_callback.methods[0];
	case NNB_HIDL_1_2:
		return &nnb_hidl_1_2_prepared_model_callback.methods[0];
	default:
		return &nnb_hidl_1_0_prepared_model_callback.methods[0];
	}
}

static int nnb_hidl_on_notify(struct nnb_object *object, struct nnb_aidl_call *call, const void *in,
			      void *out)
{
	const struct nnb_aidl_prepared_model_callback_notify_in *args = in;
	struct nnb_hidl_callback *self = (struct nnb_hidl_callback *)object;
	struct nnb_prepared_model *model = nnb_prepared_model_of(args->prepared_model);
	struct nnb_hidl_1_3_prepared_model_callback_notify_1_3_in notify = {
		.status = nnb_hidl_status(self->version, args->status),
	};
	int ret;

	if (model) {
		notify.prepared_model = nnb_hidl_model_create(model);
		if (!notify.prepared_model)
			notify.status = NNB_AIDL_ERROR_STATUS_GENERAL_FAILURE;
	}
	ret = nnb_hidl_call(self->callback, call->caller, nnb_hidl_callback_method(self->version),
			    &notify, call->arena, NULL);
	nnb_object_unref(notify.prepared_model);
	return ret;
}

static int nnb_hidl_callback_transact(struct nnb_object *object, const struct nnb_caller *caller,
				      uint32_t code, struct nnb_reader *in, struct nnb_arena *arena,
				      struct nnb_writer *out)
{
	static const nnb_aidl_handler handlers[] = {nnb_hidl_on_notify};

	return nnb_aidl_answer(object, &nnb_aidl_prepared_model_callback, NNB_AIDL_VERSION,
			       handlers, caller, code, in, arena, out);
}

static void nnb_hidl_callback_release(struct nnb_object *object)
{
	struct nnb_hidl_callback *self = (struct nnb_hidl_callback *)object;

	nnb_object_unref(self->callback);
	free(self);
}

static int nnb_hidl_callback_watch(struct nnb_object *object, struct nnb_death *death)
{
	return nnb_object_watch(((struct nnb_hidl_callback *)object)->callback, death);
}

static void nnb_hidl_callback_unwatch(struct nnb_object *object, struct nnb_death *death)
{
	nnb_object_unwatch(((struct nnb_hidl_callback *)object)->callback, death);
}

struct nnb_object *nnb_hidl_callback_create(struct nnb_object *callback,
					    enum nnb_hidl_version version)
{
	static const struct nnb_object_ops ops = {
		.descriptor = "android.hardware.neuralnetworks.IPreparedModelCallback",
		.release = nnb_hidl_callback_release,
		.transact = nnb_hidl_callback_transact,
		.watch = nnb_hidl_callback_watch,
		.unwatch = nnb_hidl_callback_unwatch,
	};
	struct nnb_hidl_callback *self = calloc(1, sizeof(*self));

	if (!self)
		return NULL;
	nnb_object_init(&self->object, &ops);
	self->callback = nnb_object_ref(callback);
	self->version = version;
	return &self->object;
}
