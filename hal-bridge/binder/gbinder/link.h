/* SPDX-License-Identifier: MIT */
/*
 * The backend of binder on libgbinder: what its files share.
 *
 *	link	the connection: the thread of libgbinder's main loop, workers, the service manager
 *	node	objects that are served here: a GBinderLocalObject for each, and the calls of others
 *	proxy	objects of other processes: a GBinderRemoteObject for each, calls, deaths
 *	parcel	between our parcels and libgbinder's
 *
 * libgbinder is used as its documentation wants it: what it calls "the main thread" is the one that
 * runs the default main context, here a thread of the link's. There transactions arrive, are marked
 * as blocked and given to the workers; there they are completed. Synchronous calls of other
 * processes' objects are made from whatever thread wants to call.
 *
 * There may be one link of a device at a time in a process, since libgbinder shares a device among
 * its users.
 */
#ifndef NNB_GBINDER_LINK_H
#define NNB_GBINDER_LINK_H

#include <pthread.h>

#include <gbinder.h>
#include <glib-object.h>

#include "hal-bridge/binder/binder.h"
#include "hal-bridge/binder/flat.h"
#include "hal-bridge/common/worker.h"

#define NNB_GB_OBJECT 24 /* bytes of a flat_binder_object */
#define NNB_GB_STABILITY 4 /* bytes of what follows it when it is a binder object */

/**
 * struct nnb_link - a connection
 * @binder: what callers have of it
 * @manager: the service manager, also one that is not there yet
 * @loop: runs on @thread
 * @thread: libgbinder's main thread
 * @workers: answer calls
 * @reader_ops: of all parcels that are read; constant
 * @lock: of @nodes and of the node of each object
 * @nodes: GBinderLocalObject -> struct nnb_node, of all that are alive
 */
struct nnb_link {
	struct nnb_binder binder;
	GBinderServiceManager *manager;
	GMainLoop *loop;
	pthread_t thread;
	struct nnb_workers workers;
	struct nnb_reader_ops reader_ops;
	pthread_mutex_t lock;
	GHashTable *nodes;
};

/* Calls @function on libgbinder's main thread, and waits until it has returned. */
void nnb_link_invoke(struct nnb_link *link, void (*function)(void *data), void *data);
/* The same without waiting. */
void nnb_link_post(struct nnb_link *link, GSourceFunc function, void *data);

/* Whose work it is that no user has given us. */
#define NNB_GB_NOBODY UINT64_MAX

/*
 * The local object of one that is served here, a reference; NULL without memory. It was made for
 * @user, among whose work it is given back at the end.
 */
GBinderLocalObject *nnb_node_get(struct nnb_link *link, struct nnb_object *object, uint64_t user);
/*
 * The object whose local object this is, a reference; NULL when there is none. @local need not be
 * a valid pointer: a client may have sent it.
 */
struct nnb_object *nnb_node_find(struct nnb_link *link, const void *local);

/* An object of another process, sent by @user; takes over the reference. NULL without memory. */
struct nnb_object *nnb_proxy_create(struct nnb_link *link, GBinderRemoteObject *remote,
				    uint64_t user);
/* What binder itself asks objects: to write what they do to a descriptor. */
#define NNB_DUMP_TRANSACTION GBINDER_FOURCC('_', 'D', 'M', 'P')
int nnb_proxy_dump(struct nnb_binder *binder, struct nnb_object *object, int fd);
/* The remote object of such a one; NULL for others. */
GBinderRemoteObject *nnb_proxy_remote(struct nnb_object *object);

/**
 * struct nnb_gb_reader - reads a parcel of libgbinder's
 * @flat: where it lies; objects are not among its entries
 * @source: libgbinder's reader, which alone knows where objects are; it follows when one is read
 * @link: whose parcel it is
 * @arena: keeps what is made of objects
 * @user: who has sent it
 */
struct nnb_gb_reader {
	struct nnb_flat flat;
	GBinderReader source;
	struct nnb_link *link;
	struct nnb_arena *arena;
	uint64_t user;
};

/* What a link's readers read by. */
void nnb_gb_reader_ops(struct nnb_reader_ops *ops);
/* @source stands behind the header; what it belongs to has to stay as long as the reader. */
void nnb_gb_reader_init(struct nnb_gb_reader *reader, struct nnb_link *link,
			struct nnb_arena *arena, const GBinderReader *source, uint64_t user);
/* Appends a parcel for @user. Return: 0 or -ENOMEM. */
int nnb_gb_write(struct nnb_link *link, const struct nnb_flat *flat, GBinderWriter *writer,
		 uint64_t user);

#endif
