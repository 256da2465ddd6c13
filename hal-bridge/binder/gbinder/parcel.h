/* SPDX-License-Identifier: MIT */
/*
 * Parcels of libgbinder. Reading is flat.h's but for descriptors and objects, which libgbinder takes
 * out of the driver's list.
 */
#ifndef NNB_GBINDER_PARCEL_H
#define NNB_GBINDER_PARCEL_H

#include "hal-bridge/binder/flat.h"
#include "hal-bridge/binder/gbinder/link.h"

#define NNB_GB_OBJECT 24 /* bytes of a flat_binder_object */
#define NNB_GB_STABILITY 4 /* bytes of what follows it when it is a binder object */

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

/* What a link's readers read by, but for objects (object.h). */
void nnb_gb_reader_ops(struct nnb_reader_ops *ops);
/* Moves libgbinder's reader to where ours is. */
void nnb_gb_reader_follow(struct nnb_gb_reader *reader);
/* @source stands behind the header; what it belongs to has to stay as long as the reader. */
void nnb_gb_reader_init(struct nnb_gb_reader *reader, struct nnb_link *link,
			struct nnb_arena *arena, const GBinderReader *source, uint64_t user);

#endif
