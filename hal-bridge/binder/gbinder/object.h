/* SPDX-License-Identifier: MIT */
/*
 * Objects of binder in libgbinder. A node is an object of this process: it has a
 * GBinderLocalObject, and answers the calls of other processes. A proxy is an object of another
 * process: it has a GBinderRemoteObject, and makes calls and reports deaths. Both are in one file,
 * because a call carries parcels and a parcel carries nodes and proxies.
 */
#ifndef NNB_GBINDER_OBJECT_H
#define NNB_GBINDER_OBJECT_H

#include "hal-bridge/binder/gbinder/link.h"

/* The user of work that no user has caused. */
#define NNB_GB_NOBODY UINT64_MAX

/*
 * Return: the local object of an object of this process, a reference; NULL without memory. The node
 * is made for @user, and its release counts as work of @user.
 */
GBinderLocalObject *nnb_node_get(struct nnb_link *link, struct nnb_object *object, uint64_t user);

/*
 * Makes a proxy for an object that @user sent; takes over the reference. Return: NULL without
 * memory.
 */
struct nnb_object *nnb_proxy_create(struct nnb_link *link, GBinderRemoteObject *remote,
				    uint64_t user);
/* binder's own transaction that asks an object to write its state to a descriptor. */
#define NNB_DUMP_TRANSACTION GBINDER_FOURCC('_', 'D', 'M', 'P')
int nnb_proxy_dump(struct nnb_binder *binder, struct nnb_object *object, int fd);

/* Sets the functions of a reader whose parcels contain nodes and proxies. */
void nnb_gb_object_reader_ops(struct nnb_reader_ops *ops);

#endif
