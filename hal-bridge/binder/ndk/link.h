/* SPDX-License-Identifier: MIT */
/*
 * The backend of binder on libbinder_ndk, which is for Android's vendors. Each file calls only the
 * files below it:
 *
 *	binder	the connection as in binder.h: opening it, the service manager's names
 *	object	objects in AParcels: nodes are of this process, proxies of another one
 *	parcel	our reader and writer of an AParcel, without objects
 *	link	the connection's data, and the limit of a user's calls
 *
 * libbinder has a pool of threads that grows on the driver's request. A call is answered on the
 * thread that receives it. So a call beyond a user's limit cannot wait for its turn, as with
 * libgbinder. It is refused (STATUS_WOULD_BLOCK); otherwise one user could occupy all threads.
 *
 * libbinder's own data and threads belong to the process and are never freed: a process has one
 * link, until it ends.
 */
#ifndef NNB_NDK_LINK_H
#define NNB_NDK_LINK_H

#include <pthread.h>

#include <android/binder_ibinder.h>

#include "hal-bridge/binder/binder.h"
#include "hal-bridge/binder/parcel.h"

/**
 * struct nnb_ndk - a connection
 * @binder: the callers' part
 * @recipient: of all deaths; its cookie is a struct nnb_ndk_watch
 * @reader_ops: the functions of all readers, constant
 * @writer_ops: the functions of all writers, constant
 * @threads: the number of threads that answer calls, constant
 * @per_user: the limit of a user's calls at a time, constant
 * @lost: of the options, constant
 * @lock: guards the fields below, and the node of each object
 * @classes: all that were defined, owned
 * @users: the users of the calls under way, @calls entries; room for @threads, owned
 * @calls: entries of @users
 */
struct nnb_ndk {
	struct nnb_binder binder;
	AIBinder_DeathRecipient *recipient;
	struct nnb_reader_ops reader_ops;
	struct nnb_writer_ops writer_ops;
	uint32_t threads, per_user;
	void (*lost)(const char *name, int error);
	pthread_mutex_t lock;
	struct nnb_ndk_class *classes;
	uid_t *users;
	uint32_t calls;
};

/* Begins a call of a user. Return: false if the user has reached its limit. */
bool nnb_ndk_enter(struct nnb_ndk *link, uid_t user);
void nnb_ndk_leave(struct nnb_ndk *link, uid_t user);

#endif
