/* SPDX-License-Identifier: MIT */
/*
 * Descriptors of received parcels, which libgbinder closes when it frees the parcel.
 *
 * close() asks the file system of a file (FUSE_FLUSH), and a file system of the sender's may answer
 * when it likes, or never. libgbinder closes on its main thread or on one of the few that receive
 * calls, so a file of that kind would stop the service. Of HIDL's handles the driver closes the
 * files, in the call by which libgbinder frees the parcel. Therefore such a descriptor is replaced
 * by one of our own before libgbinder gets the parcel back: the replacement closes the file, on a
 * thread that only the sender's user waits for. A process cannot be abandoned here as for reads
 * (service/helper.h), since the descriptor is this process's.
 *
 * Not replaced are files that need no file system's answer: memory, dma-bufs, pipes, sockets and
 * what has no file system at all, such as an eventfd.
 */
#ifndef NNB_GBINDER_DESCRIPTOR_H
#define NNB_GBINDER_DESCRIPTOR_H

#include <stdbool.h>

#include "hal-bridge/binder/gbinder/link.h"

struct nnb_hw;

/*
 * Return: true if closing a descriptor of the parcel may wait. @source is after the header. @hw:
 * the parcel's form in HIDL; NULL for AIDL.
 */
bool nnb_gb_closing_waits(struct nnb_link *link, const GBinderReader *source,
			  const struct nnb_hw *hw);
/* Replaces those descriptors. It may wait, for ever. */
void nnb_gb_close_waiting(struct nnb_link *link, const GBinderReader *source,
			  const struct nnb_hw *hw);

#endif
