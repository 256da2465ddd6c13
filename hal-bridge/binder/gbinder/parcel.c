// SPDX-License-Identifier: MIT
/* Parcels of libgbinder (parcel.h). */
#include "hal-bridge/binder/gbinder/parcel.h"

#include <errno.h>
#include <string.h>

static struct nnb_gb_reader *to_gb(struct nnb_reader *reader)
{
	return (struct nnb_gb_reader *)reader;
}

/*
 * Moves a reader forward, past objects, too, which stay in its list. libgbinder has no call for
 * this, so the position in its reader is replaced, wherever it is, and its own calls say whether
 * that has moved it. Return: false if this libgbinder's reader cannot be moved; it is unchanged
 * then.
 */
static bool nnb_gb_reader_advance(GBinderReader *source, gsize bytes)
{
	const gsize left = gbinder_reader_bytes_remaining(source);
	const gsize read = gbinder_reader_bytes_read(source);
	const unsigned char *data, *here;
	gsize size;

	data = gbinder_reader_get_data(source, &size);
	if (!data || left > size || bytes > left)
		return false;
	here = data + (size - left);
	for (size_t i = 0; i < G_N_ELEMENTS(source->d); i++) {
		if (source->d[i] != here)
			continue;
		source->d[i] = here + bytes;
		if (gbinder_reader_bytes_remaining(source) == left - bytes &&
		    gbinder_reader_bytes_read(source) == read + bytes)
			return true;
		source->d[i] = here;
	}
	return false;
}

void nnb_gb_reader_follow(struct nnb_gb_reader *self)
{
	size_t at = gbinder_reader_bytes_read(&self->source);

	if (at < self->flat.at && nnb_gb_reader_advance(&self->source, self->flat.at - at))
		return;
	while (at + 8 <= self->flat.at && gbinder_reader_read_int64(&self->source, NULL))
		at += 8;
	while (at + 4 <= self->flat.at && gbinder_reader_read_int32(&self->source, NULL))
		at += 4;
}

static int nnb_gb_read_fd(struct nnb_reader *reader, int *fd)
{
	struct nnb_gb_reader *self = to_gb(reader);
	int32_t there, channel;
	int ret = nnb_flat_reader_ops.read_int(reader, &there);

	*fd = -1;
	if (ret || !there)
		return ret;
	ret = nnb_flat_reader_ops.read_int(reader, &channel);
	if (ret)
		return ret;
	if (channel || self->flat.size - self->flat.at < NNB_GB_OBJECT)
		return -EINVAL;
	nnb_gb_reader_follow(self);
	*fd = gbinder_reader_read_fd(&self->source);
	if (*fd < 0)
		return -EINVAL;
	self->flat.at += NNB_GB_OBJECT;
	return 0;
}

/* Objects in the skipped bytes have to be removed from the list, or later ones are not found. */
static int nnb_gb_skip(struct nnb_reader *reader, size_t bytes)
{
	struct nnb_gb_reader *self = to_gb(reader);
	size_t end;

	if (bytes > self->flat.size - self->flat.at)
		return -ENODATA;
	end = self->flat.at + bytes;
	while (self->flat.at < end) {
		nnb_gb_reader_follow(self);
		if (end - self->flat.at >= NNB_GB_OBJECT &&
		    (gbinder_reader_read_fd(&self->source) >= 0 ||
		     gbinder_reader_skip_object(&self->source)))
			self->flat.at += NNB_GB_OBJECT;
		else
			self->flat.at += 4;
	}
	self->flat.at = end;
	return 0;
}

bool nnb_gb_reader_find_fd(struct nnb_gb_reader *self, int *fd)
{
	uint32_t type;

	while (self->flat.size - self->flat.at >= NNB_GB_OBJECT) {
		memcpy(&type, self->flat.data + self->flat.at, sizeof(type));
		/* Only the driver's list says what is an object: other bytes may look like one. */
		if ((type & NNB_GB_TYPE_MASK) == NNB_GB_TYPE) {
			nnb_gb_reader_follow(self);
			*fd = gbinder_reader_read_fd(&self->source);
			if (*fd >= 0 || gbinder_reader_skip_object(&self->source)) {
				self->flat.at += NNB_GB_OBJECT;
				if (*fd >= 0)
					return true;
				continue;
			}
		}
		self->flat.at += 4;
	}
	return false;
}

/*
 * libgbinder has no call for this, so the positions in its reader are replaced, wherever they are,
 * and its own calls say whether that has moved it. At the end of a parcel one more pointer is the
 * same, that to the end, and has to stay.
 */
bool nnb_gb_reader_rewind(GBinderReader *source)
{
	const gsize left = gbinder_reader_bytes_remaining(source);
	const unsigned char *data, *here;
	gsize size;

	data = gbinder_reader_get_data(source, &size);
	if (!data || left >= size)
		return true;
	here = data + (size - left);
	for (size_t kept = 0; kept <= G_N_ELEMENTS(source->d); kept++) {
		GBinderReader whole = *source;

		for (size_t i = 0; i < G_N_ELEMENTS(whole.d); i++) {
			if (whole.d[i] == here && i != kept)
				whole.d[i] = data;
		}
		if (gbinder_reader_bytes_remaining(&whole) == size &&
		    !gbinder_reader_bytes_read(&whole)) {
			*source = whole;
			return true;
		}
	}
	return false;
}

void nnb_gb_reader_ops(struct nnb_reader_ops *ops)
{
	*ops = nnb_flat_reader_ops;
	ops->read_fd = nnb_gb_read_fd;
	ops->skip = nnb_gb_skip;
}

void nnb_gb_reader_init(struct nnb_gb_reader *reader, struct nnb_link *link,
			struct nnb_arena *arena, const GBinderReader *source, uint64_t user)
{
	gsize size, left = gbinder_reader_bytes_remaining(source);
	const unsigned char *data = gbinder_reader_get_data(source, &size);

	nnb_flat_init(&reader->flat);
	reader->flat.reader.ops = &link->reader_ops;
	/* Read only: the reader does not own the bytes, and nobody writes them. */
	reader->flat.data = data ? (unsigned char *)data + (size - left) : NULL;
	reader->flat.size = data ? left & ~(gsize)3 : 0;
	reader->link = link;
	reader->arena = arena;
	reader->user = user;
	gbinder_reader_copy(&reader->source, source);
}
