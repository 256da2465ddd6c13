// SPDX-License-Identifier: MIT
/* Descriptors of received parcels (descriptor.h). */
#include "hal-bridge/binder/gbinder/descriptor.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "hal-bridge/binder/gbinder/hw.h"
#include "hal-bridge/binder/gbinder/parcel.h"
#include "libnnaccel/support/message.h"

/* Return: true if closing the descriptor may wait. Asks no file system. */
static bool nnb_gb_waits(const struct nnb_link *link, int fd)
{
	struct statx st;

	if (fcntl(fd, F_GET_SEALS) >= 0)
		return false;
	if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE, &st))
		return true;
	if (link->dmabufs && makedev(st.stx_dev_major, st.stx_dev_minor) == link->dmabufs)
		return false;
	return !S_ISFIFO(st.stx_mode) && !S_ISSOCK(st.stx_mode) && (st.stx_mode & S_IFMT);
}

/* Replaces a descriptor by one whose file is ours. */
static void nnb_gb_replace(const struct nnb_link *link, int fd)
{
	while (dup3(link->stand_in, fd, O_CLOEXEC) < 0) {
		if (errno != EINTR && errno != EBUSY) {
			nna_message(DRIVER, "binder: descriptor %d cannot be replaced, error %d",
				    fd, errno);
			return;
		}
	}
}

/**
 * struct nnb_gb_descriptors - goes along the descriptors of a parcel
 * @hw: its form in HIDL; NULL for AIDL
 * @entry: position in @hw
 * @index: position in the entry
 * @reader: of AIDL
 */
struct nnb_gb_descriptors {
	const struct nnb_hw *hw;
	uint32_t entry;
	size_t index;
	struct nnb_gb_reader reader;
};

/* Begins with the header, where only a hostile sender has objects. */
static void nnb_gb_descriptors_init(struct nnb_gb_descriptors *self, struct nnb_link *link,
				    const GBinderReader *source, const struct nnb_hw *hw)
{
	GBinderReader whole = *source;

	self->hw = hw;
	self->entry = 0;
	self->index = 0;
	if (hw)
		return;
	if (!nnb_gb_reader_rewind(&whole))
		nna_message(DRIVER, "binder: this libgbinder's readers are unknown: descriptors "
			    "may be hidden by the header of a call");
	nnb_gb_reader_init(&self->reader, link, NULL, &whole, 0);
}

static bool nnb_gb_descriptors_next(struct nnb_gb_descriptors *self, int *fd)
{
	return self->hw ? nnb_gb_hw_find_fd(self->hw, &self->entry, &self->index, fd)
			: nnb_gb_reader_find_fd(&self->reader, fd);
}

bool nnb_gb_closing_waits(struct nnb_link *link, const GBinderReader *source,
			  const struct nnb_hw *hw)
{
	struct nnb_gb_descriptors descriptors;
	bool waits = false;
	int fd;

	nnb_gb_descriptors_init(&descriptors, link, source, hw);
	while (!waits && nnb_gb_descriptors_next(&descriptors, &fd))
		waits = nnb_gb_waits(link, fd);
	return waits;
}

void nnb_gb_close_waiting(struct nnb_link *link, const GBinderReader *source,
			  const struct nnb_hw *hw)
{
	struct nnb_gb_descriptors descriptors;
	int fd;

	nnb_gb_descriptors_init(&descriptors, link, source, hw);
	while (nnb_gb_descriptors_next(&descriptors, &fd)) {
		if (nnb_gb_waits(link, fd))
			nnb_gb_replace(link, fd);
	}
}
