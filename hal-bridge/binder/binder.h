/* SPDX-License-Identifier: MIT */
/*
 * A connection to binder's driver, through the library that each world has for it. What parcels
 * are read and written by is in parcel.h; objects, calls and deaths are in object.h; here is how
 * objects get in touch with those of other processes at all: by names, at the service manager.
 *
 * A backend receives calls of other processes on threads of its own and answers them on as many as
 * are needed: those of one user at a time are limited, so that a call that takes long holds up
 * nobody else's.
 */
#ifndef NNB_BINDER_H
#define NNB_BINDER_H

#include "hal-bridge/binder/object.h"

struct nnb_binder;

/**
 * struct nnb_binder_ops - a backend; functions that return int give 0 or a negative errno
 * @add: registers @object under @name, such as "android.hardware.neuralnetworks.IDevice/nnaccel"
 * @get: the object of @name, a reference; -ENOENT when there is none
 * @dump: has an object of another process write to a descriptor what it does at the moment
 */
struct nnb_binder_ops {
	int (*add)(struct nnb_binder *binder, const char *name, struct nnb_object *object);
	int (*get)(struct nnb_binder *binder, const char *name, struct nnb_object **out);
	int (*dump)(struct nnb_binder *binder, struct nnb_object *object, int fd);
};

/* What every connection begins with. */
struct nnb_binder {
	const struct nnb_binder_ops *ops;
};

/**
 * struct nnb_binder_options - how to connect; zeros are the defaults
 * @device: binder's node; NULL is /dev/binder
 * @api_level: of the platform whose service manager and clients are there, 30 or later; 0 is what
 *	the library is configured for, or 34 where it is not
 * @threads: for calls, 0 is 256
 * @threads_per_user: of those, 0 is 32
 */
struct nnb_binder_options {
	const char *device;
	int api_level;
	uint32_t threads, threads_per_user;
};

/*
 * A connection by the backend that the program is linked with, to the process's end, since others
 * may have objects of this process until then: gbinder/, on libgbinder, or ndk/, on Android's
 * libbinder_ndk, which knows one node and one API level, so that neither may be given.
 * Return: 0, -EINVAL (no such API level), -ENODEV (no such node, or no access), -ENOMEM.
 */
int nnb_binder_open(const struct nnb_binder_options *options, struct nnb_binder **out);

#endif
