/* SPDX-License-Identifier: MIT */
/*
 * A connection to binder's driver through the platform's library. Parcels are in parcel.h; objects,
 * calls and deaths are in object.h. This file connects to other processes: objects are registered
 * and found by name at the service manager.
 *
 * A backend receives calls of other processes on its own threads, and adds threads as needed. The
 * calls of each user that run at a time are limited, so that a slow call delays only its own user.
 */
#ifndef NNB_BINDER_H
#define NNB_BINDER_H

#include <stdbool.h>

#include "hal-bridge/binder/object.h"

struct nnb_binder;

/**
 * struct nnb_binder_ops - a backend; functions that return int give 0 or a negative errno
 * @present: whether the service manager is there
 * @add: registers @object under @name, such as "android.hardware.neuralnetworks.IDevice/nnaccel", and
 *	again whenever the service manager has died and returned. Of HIDL the name is that of the
 *	last version; the service manager asks the object for the others
 * @get: gets the object of @name, a reference; -ENOENT if there is none
 * @dump: asks an object of another process to write its present state to a descriptor
 */
struct nnb_binder_ops {
	bool (*present)(struct nnb_binder *binder);
	int (*add)(struct nnb_binder *binder, const char *name, struct nnb_object *object);
	int (*get)(struct nnb_binder *binder, const char *name, struct nnb_object **out);
	int (*dump)(struct nnb_binder *binder, struct nnb_object *object, int fd);
};

/* The first member of every connection. */
struct nnb_binder {
	const struct nnb_binder_ops *ops;
};

/**
 * struct nnb_binder_options - options of a connection; zeros are the defaults
 * @device: binder's node; NULL is /dev/binder, of HIDL /dev/hwbinder
 * @hidl: objects, parcels and the service manager are HIDL's; @api_level does not matter
 * @api_level: of the platform of the service manager and the clients, 30 or later; 0 is the level
 *	that the library is configured for, or 34 without a configuration
 * @threads: for calls, 0 is 256
 * @threads_per_user: of those, 0 is 32
 * @dmabufs: st_dev of dma-bufs, whose close does not wait for a file system; 0 if it is not known
 * @lost: an object could not be registered again; called on a thread of the backend. NULL for none
 */
struct nnb_binder_options {
	const char *device;
	bool hidl;
	int api_level;
	uint32_t threads, threads_per_user;
	dev_t dmabufs;
	void (*lost)(const char *name, int error);
};

/*
 * Opens a connection by the backend that the program is linked with: gbinder/ on libgbinder, or
 * ndk/ on Android's libbinder_ndk. The latter has one node, one API level and no HIDL, so none of
 * these may be given. The connection stays open until the process ends, since other processes may
 * hold its objects. Return: 0, -EINVAL (no such API level), -ENODEV (no such node, or no access),
 * -ENOMEM.
 */
int nnb_binder_open(const struct nnb_binder_options *options, struct nnb_binder **out);

#endif
