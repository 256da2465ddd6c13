/* SPDX-License-Identifier: MIT */
/*
 * Objects of binder in libbinder. A node is an object that is served here, with an AIBinder and the
 * calls of other processes. A proxy is an object of another process, with an AIBinder, calls and
 * deaths. Both lie in one file: a call carries parcels, and a parcel carries nodes and proxies.
 */
#ifndef NNB_NDK_OBJECT_H
#define NNB_NDK_OBJECT_H

#include "hal-bridge/binder/ndk/link.h"

/* What stands for an object that is served here, a reference; NULL without memory. */
AIBinder *nnb_ndk_node_get(struct nnb_ndk *link, struct nnb_object *object);
/* An object of another process; takes over the reference. NULL without memory. */
struct nnb_object *nnb_ndk_proxy_create(struct nnb_ndk *link, AIBinder *binder);
int nnb_ndk_proxy_dump(struct nnb_binder *binder, struct nnb_object *object, int fd);
/* What a link's recipient calls. */
void nnb_ndk_watch_died(void *cookie);
void nnb_ndk_watch_unlinked(void *cookie);

/* Has parcels that are read with @reader, and written with @writer, carry nodes and proxies. */
void nnb_ndk_object_ops(struct nnb_reader_ops *reader, struct nnb_writer_ops *writer);

#endif
