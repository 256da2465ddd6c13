/* SPDX-License-Identifier: MIT */
/*
 * The backend of binder on libbinder_ndk, which Android's vendors have. Each file calls those below
 * it:
 *
 *	binder	the connection as binder.h has it: opening one, the service manager's names
 *	object	objects in AParcels: nodes are served here, proxies elsewhere
 *	parcel	our reader and writer of an AParcel, but for objects
 *	link	the connection's data, and how many calls a user may have
 *
 * libbinder has a pool of threads that the driver makes grow, and a call is answered on the thread
 * that it has come to. So a call beyond what a user may have at a time cannot wait for its turn, as
 * with libgbinder: it is refused (STATUS_WOULD_BLOCK), or one user could hold all threads.
 *
 * libbinder's own data and threads are the process's and never freed: a process has one link, to
 * its end.
 */
#ifndef NNB_NDK_LINK_H
#define NNB_NDK_LINK_H

#include <pthread.h>

#include <android/binder_ibinder.h>

#include "hal-bridge/binder/binder.h"
#include "hal-bridge/binder/parcel.h"

/**
 * struct nnb_ndk - a connection
 * @binder: what callers have of it
 * @recipient: of all deaths; its cookie is a struct nnb_ndk_watch
 * @reader_ops: of all parcels that are read, constant
 * @writer_ops: of all that are written, constant
 * @threads: that answer calls, constant
 * @per_user: calls of a user at a time, constant
 * @lock: of what follows and of the node of each object
 * @classes: that were needed, owned
 * @users: whose calls are under way, @calls entries; room for @threads, owned
 * @calls: entries of @users
 */
struct nnb_ndk {
	struct nnb_binder binder;
	AIBinder_DeathRecipient *recipient;
	struct nnb_reader_ops reader_ops;
	struct nnb_writer_ops writer_ops;
	uint32_t threads, per_user;
	pthread_mutex_t lock;
	struct nnb_ndk_class *classes;
	uid_t *users;
	uint32_t calls;
};

/* Begins a call of a user. Return: false when it has too many under way. */
bool nnb_ndk_enter(struct nnb_ndk *link, uid_t user);
void nnb_ndk_leave(struct nnb_ndk *link, uid_t user);

#endif
