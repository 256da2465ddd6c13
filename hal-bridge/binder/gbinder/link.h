/* SPDX-License-Identifier: MIT */
/*
 * The backend of binder on libgbinder. Each file calls those below it:
 *
 *	binder	the connection as binder.h has it: opening one, the service manager's names
 *	object	objects in libgbinder's parcels: nodes are served here, proxies elsewhere
 *	parcel	between our parcels and libgbinder's, but for objects
 *	link	the thread of libgbinder's main loop, workers, the table of nodes
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
#include "hal-bridge/binder/parcel.h"
#include "hal-bridge/common/worker.h"

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

#endif
