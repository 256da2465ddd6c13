/* SPDX-License-Identifier: MIT */
/*
 * Objects of binder in libgbinder. A node is an object that is served here, with a
 * GBinderLocalObject and the calls of other processes. A proxy is an object of another process, with
 * a GBinderRemoteObject, calls and deaths. Both lie in one file: a call carries parcels, and a parcel
 * carries nodes and proxies.
 */
#ifndef NNB_GBINDER_OBJECT_H
#define NNB_GBINDER_OBJECT_H

#include "hal-bridge/binder/gbinder/link.h"

/* Whose work it is that no user has given us. */
#define NNB_GB_NOBODY UINT64_MAX

/*
 * The local object of one that is served here, a reference; NULL without memory. It was made for
 * @user, among whose work it is given back at the end.
 */
GBinderLocalObject *nnb_node_get(struct nnb_link *link, struct nnb_object *object, uint64_t user);

/* An object of another process, sent by @user; takes over the reference. NULL without memory. */
struct nnb_object *nnb_proxy_create(struct nnb_link *link, GBinderRemoteObject *remote,
				    uint64_t user);
/* What binder itself asks objects: to write what they do to a descriptor. */
#define NNB_DUMP_TRANSACTION GBINDER_FOURCC('_', 'D', 'M', 'P')
int nnb_proxy_dump(struct nnb_binder *binder, struct nnb_object *object, int fd);

/* Has parcels that are read with @ops give out nodes and proxies. */
void nnb_gb_object_reader_ops(struct nnb_reader_ops *ops);

#endif
