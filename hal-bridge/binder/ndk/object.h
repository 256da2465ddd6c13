/* SPDX-License-Identifier: MIT */
/*
 * Objects of binder in libbinder. A node is an object of this process: it has an AIBinder, and
 * answers the calls of other processes. A proxy is an object of another process: it has an
 * AIBinder, and makes calls and reports deaths. Both are in one file, because a call carries
 * parcels and a parcel carries nodes and proxies.
 */
#ifndef NNB_NDK_OBJECT_H
#define NNB_NDK_OBJECT_H

#include "hal-bridge/binder/ndk/link.h"

/* Return: the AIBinder of an object of this process, a reference; NULL without memory. */
AIBinder *nnb_ndk_node_get(struct nnb_ndk *link, struct nnb_object *object);
/*
 * Makes a proxy for an object of another process; takes over the reference. Return: NULL without
 * memory.
 */
struct nnb_object *nnb_ndk_proxy_create(struct nnb_ndk *link, AIBinder *binder);
int nnb_ndk_proxy_dump(struct nnb_binder *binder, struct nnb_object *object, int fd);
/* The callbacks of a link's recipient. */
void nnb_ndk_watch_died(void *cookie);
void nnb_ndk_watch_unlinked(void *cookie);

/* Sets the functions of readers and writers whose parcels contain nodes and proxies. */
void nnb_ndk_object_ops(struct nnb_reader_ops *reader, struct nnb_writer_ops *writer);

#endif
