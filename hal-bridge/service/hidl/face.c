// SPDX-License-Identifier: MIT
/* Objects of HIDL around objects of the core (face.h). */
#include "hal-bridge/service/hidl/face.h"

#include <stdlib.h>

struct nnb_object *nnb_hidl_face_create(const struct nnb_object_ops *ops, struct nnb_object *core)
{
	struct nnb_hidl_face *face = calloc(1, sizeof(*face));

	if (!face) {
		nnb_object_unref(core);
		return NULL;
	}
	nnb_object_init(&face->object, ops);
	face->core = core;
	return &face->object;
}

void nnb_hidl_face_release(struct nnb_object *object)
{
	struct nnb_hidl_face *face = (struct nnb_hidl_face *)object;

	nnb_object_unref(face->core);
	free(face);
}

struct nnb_object *nnb_hidl_face_core(struct nnb_object *object)
{
	return ((struct nnb_hidl_face *)object)->core;
}
