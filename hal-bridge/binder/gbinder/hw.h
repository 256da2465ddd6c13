/* SPDX-License-Identifier: MIT */
/*
 * Parcels of HIDL in libgbinder, in the form of binder/hw.h, without objects: those are the
 * caller's to read and to write.
 *
 * A parcel that was received is in the form of the driver, which has put addresses of this process
 * into it. libgbinder reads buffers and objects of other processes one after the other; it does not
 * tell of parents, and knows neither descriptors nor objects that come back. So only the driver's
 * list, which its reader goes along, is taken from it, and the bytes at each place say the rest.
 */
#ifndef NNB_GBINDER_HW_H
#define NNB_GBINDER_HW_H

#include "hal-bridge/binder/gbinder/parcel.h"
#include "hal-bridge/binder/hw.h"

struct flat_binder_object;

/**
 * struct nnb_gb_hw_ops - how objects of parcels are read and written
 * @read: reads the object whose bytes are @flat, at the position of libgbinder's reader. Return: it
 *	belongs to the reader's arena; NULL for one that is not known
 * @write: appends an object for @user. Return: 0 or -ENOMEM
 */
struct nnb_gb_hw_ops {
	struct nnb_object *(*read)(struct nnb_gb_reader *reader,
				   const struct flat_binder_object *flat);
	int (*write)(struct nnb_link *link, struct nnb_object *object, GBinderWriter *writer,
		     uint64_t user);
};

/*
 * Makes @to, which is empty, of a parcel that was received: @to is borrowed, so the parcel has to
 * outlive it. @source is after the header, and so is the position of @to; what a sender has put
 * into the header is listed, since parents are numbers of the driver's list. Return: 0, -ENOMEM, or
 * -EINVAL for a list that cannot be.
 */
int nnb_gb_hw_read(struct nnb_link *link, const struct nnb_gb_hw_ops *ops, struct nnb_arena *arena,
		   const GBinderReader *source, uint64_t user, struct nnb_hw *to);
/*
 * Appends a parcel for @user. libgbinder reads its buffers and descriptors when it sends them: with
 * @lent these stay as they are until then, as in a call that waits for its reply; without it
 * copies and duplicates are sent. Return: 0, -ENOMEM, or an errno of a descriptor.
 */
int nnb_gb_hw_write(struct nnb_link *link, const struct nnb_gb_hw_ops *ops, const struct nnb_hw *hw,
		    GBinderWriter *writer, uint64_t user, bool lent);
/*
 * Finds the next descriptor of a parcel that was received, wherever it stands. @entry and @index
 * are the position, 0 at first. Return: false if there is none; *@fd is the parcel's.
 */
bool nnb_gb_hw_find_fd(const struct nnb_hw *hw, uint32_t *entry, size_t *index, int *fd);

#endif
