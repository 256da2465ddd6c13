/* SPDX-License-Identifier: MIT */
/*
 * The backend of binder on libgbinder. Each file calls only the files below it:
 *
 *	binder		the connection as in binder.h: opening it, the service manager's names
 *	object		objects in libgbinder's parcels: nodes are of this process, proxies of
 *			another one
 *	descriptor	files of received parcels, whose file systems may not answer
 *	hw		conversion between our parcels of HIDL and libgbinder's, without objects
 *	parcel		the same for AIDL's, and positions in libgbinder's parcels
 *	link		the thread of libgbinder's main loop, workers, the table of nodes
 *
 * libgbinder is used as its documentation requires. Its "main thread" runs the default main
 * context; here it is a thread of the link. Transactions arrive there, are marked as blocked, and
 * go to the workers; they are completed there as well. Any thread may make synchronous calls of
 * other processes' objects.
 *
 * A process may have one link per binder device, because libgbinder shares the device among its
 * users.
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
 * @binder: the callers' part
 * @manager: the service manager, which need not be running yet
 * @hidl: parcels and service manager are HIDL's
 * @loop: runs on @thread
 * @thread: libgbinder's main thread
 * @workers: answer calls
 * @closers: close files of callers: 64 at a time, of which a user has 4
 * @stand_in: a file of our own, in the place of those
 * @dmabufs: of the options
 * @reader_ops: the functions of all readers; constant
 * @lock: of @nodes and of the node of each object
 * @nodes: GBinderLocalObject -> struct nnb_node, of all nodes that are alive
 * @list_place: of HIDL: which value of a reader is its position in the list of objects, plus 1; 0
 *	as long as it is not known (hw.h)
 * @names: what has been registered; used on @thread alone
 * @lost: of the options
 */
struct nnb_link {
	struct nnb_binder binder;
	GBinderServiceManager *manager;
	bool hidl;
	GMainLoop *loop;
	pthread_t thread;
	struct nnb_workers workers, closers;
	int stand_in;
	dev_t dmabufs;
	struct nnb_reader_ops reader_ops;
	pthread_mutex_t lock;
	GHashTable *nodes;
	atomic_int list_place;
	struct nnb_link_name *names;
	void (*lost)(const char *name, int error);
};

/* Calls @function on libgbinder's main thread, and waits for its return. */
void nnb_link_invoke(struct nnb_link *link, void (*function)(void *data), void *data);
/* Calls @function on libgbinder's main thread without waiting. */
void nnb_link_post(struct nnb_link *link, GSourceFunc function, void *data);

#endif
