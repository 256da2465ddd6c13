/* SPDX-License-Identifier: MIT */
/*
 * Parcels of libgbinder. Bytes are read as in flat.h. Descriptors and objects are read by
 * libgbinder, which knows the driver's list of objects.
 */
#ifndef NNB_GBINDER_PARCEL_H
#define NNB_GBINDER_PARCEL_H

#include "hal-bridge/binder/flat.h"
#include "hal-bridge/binder/gbinder/link.h"

#define NNB_GB_OBJECT 24 /* bytes of a flat_binder_object */
#define NNB_GB_STABILITY 4 /* bytes after a flat_binder_object of a binder object */

/* In the driver's numbers of types of objects the low byte is the same. */
#define NNB_GB_TYPE_MASK 0xffu
#define NNB_GB_TYPE 0x85u

/**
 * struct nnb_gb_reader - reads a parcel of libgbinder
 * @flat: the bytes; without entries of objects
 * @source: libgbinder's reader, which knows the positions of objects; it is moved before one is
 *	read
 * @link: the connection
 * @arena: owns the objects that are read
 * @user: the sender
 */
struct nnb_gb_reader {
	struct nnb_flat flat;
	GBinderReader source;
	struct nnb_link *link;
	struct nnb_arena *arena;
	uint64_t user;
};

/* Sets the functions of a link's readers, except for objects (object.h). */
void nnb_gb_reader_ops(struct nnb_reader_ops *ops);
/* Moves libgbinder's reader to our reader's position. */
void nnb_gb_reader_follow(struct nnb_gb_reader *reader);
/*
 * Moves to the next descriptor, whether it stands where a value has one or not, and behind it.
 * Return: false if there is none; *@fd is the parcel's.
 */
bool nnb_gb_reader_find_fd(struct nnb_gb_reader *reader, int *fd);
/*
 * Moves a reader from behind the header of a parcel to the parcel's beginning. libgbinder looks at
 * its list of objects from the first one on, so a reader behind an object that a sender has put
 * into the header would find no other object either. Return: false if this libgbinder's reader
 * cannot be moved; it is unchanged then.
 */
bool nnb_gb_reader_rewind(GBinderReader *source);
/* @source is after the header. The parcel that it reads must outlive the reader. */
void nnb_gb_reader_init(struct nnb_gb_reader *reader, struct nnb_link *link,
			struct nnb_arena *arena, const GBinderReader *source, uint64_t user);

#endif
