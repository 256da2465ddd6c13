// SPDX-License-Identifier: MIT
/*
 * Parcels of libgbinder (link.h). Reading is flat.h's but for objects, which libgbinder takes out
 * of the driver's list; writing goes through a flat parcel, of which everything but the objects is
 * copied as it is.
 */
#include <errno.h>
#include <linux/android/binder.h>
#include <string.h>

#include "hal-bridge/binder/arena.h"
#include "hal-bridge/binder/gbinder/link.h"

static struct nnb_gb_reader *to_gb(struct nnb_reader *reader)
{
	return (struct nnb_gb_reader *)reader;
}

/* Moves libgbinder's reader to where ours is. */
static void nnb_gb_follow(struct nnb_gb_reader *self)
{
	size_t at = gbinder_reader_bytes_read(&self->source);

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
	nnb_gb_follow(self);
	*fd = gbinder_reader_read_fd(&self->source);
	if (*fd < 0)
		return -EINVAL;
	self->flat.at += NNB_GB_OBJECT;
	return 0;
}

/*
 * An object of ours that comes back is not one that libgbinder reads. Its list of objects does not
 * tell whether the driver has written these bytes or the client, so whoever uses the object checks
 * that it is the client's.
 */
static int nnb_gb_read_local(struct nnb_gb_reader *self, const struct flat_binder_object *flat,
			     struct nnb_object **object)
{
	if (!flat->binder) {
		/* Some senders list a null object, some do not. */
		gbinder_reader_skip_object(&self->source);
		return 0;
	}
	*object = nnb_node_find(self->link, (const void *)(uintptr_t)flat->binder);
	return *object ? nnb_arena_own_object(self->arena, *object) : -EINVAL;
}

static int nnb_gb_read_object(struct nnb_reader *reader, struct nnb_object **object)
{
	struct nnb_gb_reader *self = to_gb(reader);
	GBinderRemoteObject *remote = NULL;
	struct flat_binder_object flat;
	int ret = 0;

	*object = NULL;
	if (self->flat.size - self->flat.at < NNB_GB_OBJECT + NNB_GB_STABILITY)
		return -ENODATA;
	memcpy(&flat, self->flat.data + self->flat.at, sizeof(flat));
	nnb_gb_follow(self);
	if (flat.hdr.type == BINDER_TYPE_BINDER) {
		ret = nnb_gb_read_local(self, &flat, object);
	} else if (gbinder_reader_read_nullable_object(&self->source, &remote) && remote) {
		*object = nnb_proxy_create(self->link, remote, self->user);
		ret = *object ? nnb_arena_own_object(self->arena, *object) : -ENOMEM;
	} else {
		ret = -EINVAL;
	}
	if (ret)
		*object = NULL;
	else
		self->flat.at += NNB_GB_OBJECT + NNB_GB_STABILITY;
	return ret;
}

/* Objects among what is passed over have to be taken off the list, or none after them is found. */
static int nnb_gb_skip(struct nnb_reader *reader, size_t bytes)
{
	struct nnb_gb_reader *self = to_gb(reader);
	size_t end;

	if (bytes > self->flat.size - self->flat.at)
		return -ENODATA;
	end = self->flat.at + bytes;
	while (self->flat.at < end) {
		nnb_gb_follow(self);
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

void nnb_gb_reader_ops(struct nnb_reader_ops *ops)
{
	*ops = nnb_flat_reader_ops;
	ops->read_fd = nnb_gb_read_fd;
	ops->read_object = nnb_gb_read_object;
	ops->skip = nnb_gb_skip;
}

void nnb_gb_reader_init(struct nnb_gb_reader *reader, struct nnb_link *link,
			struct nnb_arena *arena, const GBinderReader *source, uint64_t user)
{
	gsize size, left = gbinder_reader_bytes_remaining(source);
	const unsigned char *data = gbinder_reader_get_data(source, &size);

	nnb_flat_init(&reader->flat);
	reader->flat.reader.ops = &link->reader_ops;
	/* Read only; a flat parcel that owned its bytes could write them. */
	reader->flat.data = data ? (unsigned char *)data + (size - left) : NULL;
	reader->flat.size = data ? left & ~(gsize)3 : 0;
	reader->link = link;
	reader->arena = arena;
	reader->user = user;
	gbinder_reader_copy(&reader->source, source);
}

static void nnb_gb_drop_local(gpointer local)
{
	gbinder_local_object_unref(local);
}

/* Appends an object, and its stability as libgbinder's protocol writes it. */
static int nnb_gb_write_object(struct nnb_link *link, struct nnb_object *object,
			       GBinderWriter *writer, uint64_t user)
{
	GBinderRemoteObject *remote = nnb_proxy_remote(object);
	GBinderLocalObject *local;

	if (remote) {
		gbinder_writer_append_remote_object(writer, remote);
		return 0;
	}
	local = nnb_node_get(link, object, user);
	if (!local)
		return -ENOMEM;
	gbinder_writer_append_local_object(writer, local);
	/* The parcel keeps the object until the driver has asked for a reference of its own. */
	gbinder_writer_add_cleanup(writer, nnb_gb_drop_local, local);
	return 0;
}

int nnb_gb_write(struct nnb_link *link, const struct nnb_flat *flat, GBinderWriter *writer,
		 uint64_t user)
{
	size_t at = 0;
	int ret = 0;

	for (uint32_t i = 0; i < flat->entry_count && !ret; i++) {
		const struct nnb_flat_entry *entry = &flat->entries[i];

		gbinder_writer_append_bytes(writer, flat->data + at, entry->offset - at);
		at = entry->offset + NNB_GB_OBJECT;
		if (entry->object) {
			ret = nnb_gb_write_object(link, entry->object, writer, user);
			at += NNB_GB_STABILITY;
		} else {
			gbinder_writer_append_fd(writer, entry->fd);
		}
	}
	if (!ret && at < flat->size)
		gbinder_writer_append_bytes(writer, flat->data + at, flat->size - at);
	return ret;
}
