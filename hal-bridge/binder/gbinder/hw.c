// SPDX-License-Identifier: MIT
/* Parcels of HIDL in libgbinder (hw.h). */
#include "hal-bridge/binder/gbinder/hw.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/android/binder.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* -------------------------------------------------------------------------------------- reading */

/*
 * libgbinder's reader keeps its position in the driver's list of objects: a pointer into an array
 * of addresses, NULL at the end. It moves by one when an object is read, and nothing else moves by
 * as much. Return: which of the reader's values that is; -1 if this parcel does not tell.
 */
static int nnb_gb_hw_find_list(const struct nnb_gb_reader *from)
{
	struct nnb_gb_reader self = *from;

	for (; self.flat.size - self.flat.at >= NNB_GB_OBJECT; self.flat.at += 4) {
		GBinderReader moved;

		nnb_gb_reader_follow(&self);
		moved = self.source;
		if (!gbinder_reader_skip_buffer(&moved) &&
		    !gbinder_reader_skip_object(&moved) && gbinder_reader_read_fd(&moved) < 0)
			continue;
		for (size_t i = 0; i < G_N_ELEMENTS(moved.d); i++) {
			if ((uintptr_t)moved.d[i] - (uintptr_t)self.source.d[i] == sizeof(void *))
				return (int)i;
		}
	}
	return -1;
}

/* Return: the driver's list, NULL at its end; NULL for none. */
static void *const *nnb_gb_hw_list_of(struct nnb_gb_reader *self)
{
	struct nnb_link *link = self->link;
	int place = atomic_load(&link->list_place);

	if (!place) {
		place = nnb_gb_hw_find_list(self) + 1;
		atomic_store(&link->list_place, place);
	}
	return place ? (void *const *)self->source.d[place - 1] : NULL;
}

/*
 * Moves libgbinder's reader to object @at of the list, which only a binder object is worth. Return:
 * false for one in the header, where no method has any.
 */
static bool nnb_gb_hw_seek(struct nnb_gb_reader *self, const struct nnb_hw *hw, void *const *at,
			   size_t offset)
{
	if (offset < hw->at)
		return false;
	self->flat.at = offset - hw->at;
	nnb_gb_reader_follow(self);
	self->source.d[atomic_load(&self->link->list_place) - 1] = at;
	return true;
}

/* Fills in the entry of an object of which @left bytes follow. */
static void nnb_gb_hw_take(const unsigned char *at, size_t left, struct nnb_hw_entry *entry)
{
	struct binder_fd_array_object fds;
	struct binder_buffer_object buffer;
	uint32_t type;

	memcpy(&type, at, sizeof(type));
	if (type == BINDER_TYPE_PTR && left >= sizeof(buffer)) {
		memcpy(&buffer, at, sizeof(buffer));
		entry->kind = NNB_HW_BUFFER;
		entry->data = (const void *)(uintptr_t)buffer.buffer;
		entry->size = buffer.length;
		if (buffer.flags & BINDER_BUFFER_FLAG_HAS_PARENT) {
			entry->parent = (uint32_t)buffer.parent;
			entry->parent_offset = buffer.parent_offset;
		}
	} else if (type == BINDER_TYPE_FDA && left >= sizeof(fds)) {
		memcpy(&fds, at, sizeof(fds));
		entry->kind = NNB_HW_FDS;
		entry->size = fds.num_fds;
		entry->parent = (uint32_t)fds.parent;
		entry->parent_offset = fds.parent_offset;
	} else if (type == BINDER_TYPE_BINDER || type == BINDER_TYPE_HANDLE) {
		entry->kind = NNB_HW_OBJECT;
	}
}

int nnb_gb_hw_read(struct nnb_link *link, const struct nnb_gb_hw_ops *ops, struct nnb_arena *arena,
		   const GBinderReader *source, uint64_t user, struct nnb_hw *to)
{
	struct nnb_gb_reader reader;
	struct flat_binder_object flat;
	void *const *list;
	gsize size, header;

	nnb_gb_reader_init(&reader, link, arena, source, user);
	to->borrowed = true;
	to->data = (unsigned char *)gbinder_reader_get_data(source, &size);
	if (!to->data)
		return 0;
	to->size = size & ~(gsize)3;
	header = size - gbinder_reader_bytes_remaining(source);
	to->at = header < to->size ? header : to->size;
	list = nnb_gb_hw_list_of(&reader);
	for (uint32_t i = 0; list && list[i]; i++) {
		struct nnb_hw_entry entry = {
			.kind = NNB_HW_OTHER,
			.offset = (size_t)((unsigned char *)list[i] - to->data),
			.parent = NNB_HW_NO_PARENT,
		};

		if (entry.offset > to->size || to->size - entry.offset < NNB_GB_OBJECT)
			return -EINVAL;
		nnb_gb_hw_take(list[i], to->size - entry.offset, &entry);
		if (entry.kind == NNB_HW_OBJECT) {
			memcpy(&flat, list[i], sizeof(flat));
			if (nnb_gb_hw_seek(&reader, to, &list[i], entry.offset))
				entry.object = ops->read(&reader, &flat);
			if (!entry.object)
				entry.kind = NNB_HW_OTHER;
		}
		if (nnb_hw_list(to, &entry))
			return -ENOMEM;
	}
	return 0;
}

bool nnb_gb_hw_find_fd(const struct nnb_hw *hw, uint32_t *entry, size_t *index, int *fd)
{
	for (; *entry < hw->count; ++*entry, *index = 0) {
		const struct nnb_hw_entry *at = &hw->entries[*entry];
		struct flat_binder_object flat;

		if (at->kind == NNB_HW_FDS && *index < at->size &&
		    nnb_hw_fits(hw, at, (*index + 1) * sizeof(*fd))) {
			memcpy(fd, (const char *)hw->entries[at->parent].data + at->parent_offset +
			       *index * sizeof(*fd), sizeof(*fd));
			++*index;
			return true;
		}
		if (at->kind == NNB_HW_OTHER && !*index) {
			memcpy(&flat, hw->data + at->offset, sizeof(flat));
			*fd = (int)flat.handle;
			++*index;
			if (flat.hdr.type == BINDER_TYPE_FD)
				return true;
		}
	}
	return false;
}

/* -------------------------------------------------------------------------------------- writing */

static void nnb_gb_hw_close(gpointer fd)
{
	close(GPOINTER_TO_INT(fd));
}

static size_t nnb_gb_hw_align(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

/*
 * Copies the buffers of a parcel to one place that lives as long as libgbinder's parcel does.
 * Return: the copies, each at a multiple of 8 bytes; NULL without memory.
 */
static unsigned char *nnb_gb_hw_copy(const struct nnb_hw *hw, GBinderWriter *writer)
{
	unsigned char *copies, *to;
	size_t size = 0;

	for (uint32_t i = 0; i < hw->count; i++) {
		if (hw->entries[i].kind == NNB_HW_BUFFER)
			size += nnb_gb_hw_align(hw->entries[i].size);
	}
	copies = malloc(size ? size : 1);
	if (!copies)
		return NULL;
	gbinder_writer_add_cleanup(writer, free, copies);
	to = copies;
	for (uint32_t i = 0; i < hw->count; i++) {
		const struct nnb_hw_entry *entry = &hw->entries[i];

		if (entry->kind != NNB_HW_BUFFER)
			continue;
		if (entry->size)
			memcpy(to, entry->data, entry->size);
		to += nnb_gb_hw_align(entry->size);
	}
	return copies;
}

/* Replaces the descriptors of a handle by duplicates, which live as long as libgbinder's parcel. */
static int nnb_gb_hw_keep_fds(struct nnb_hidl_fds *fds, GBinderWriter *writer)
{
	for (uint32_t i = 0; i < fds->fd_count; i++) {
		int fd = fcntl(fds->data[i], F_DUPFD_CLOEXEC, 0);

		if (fd < 0)
			return -errno;
		fds->data[i] = fd;
		gbinder_writer_add_cleanup(writer, nnb_gb_hw_close, GINT_TO_POINTER(fd));
	}
	return 0;
}

int nnb_gb_hw_write(struct nnb_link *link, const struct nnb_gb_hw_ops *ops, const struct nnb_hw *hw,
		    GBinderWriter *writer, uint64_t user, bool lent)
{
	unsigned char *copy = NULL;
	size_t at = 0;
	int ret = 0;

	if (!lent && hw->count) {
		copy = nnb_gb_hw_copy(hw, writer);
		if (!copy)
			return -ENOMEM;
	}
	for (uint32_t i = 0; i < hw->count && !ret; i++) {
		const struct nnb_hw_entry *entry = &hw->entries[i];
		const GBinderParent parent = {entry->parent, (guint32)entry->parent_offset};
		const GBinderParent *has_parent =
			entry->parent == NNB_HW_NO_PARENT ? NULL : &parent;
		const void *data = copy ? copy : entry->data;
		const bool handle = i + 1 < hw->count && entry[1].kind == NNB_HW_FDS;
		/* libgbinder writes the size of a handle itself. */
		const size_t end = entry->offset - (handle ? sizeof(int64_t) : 0);

		if (end > at)
			gbinder_writer_append_bytes(writer, hw->data + at, end - at);
		at = entry->offset + sizeof(struct flat_binder_object);
		if (entry->kind == NNB_HW_OBJECT) {
			ret = ops->write(link, entry->object, writer, user);
			continue;
		}
		if (copy)
			copy += nnb_gb_hw_align(entry->size);
		if (handle) {
			if (copy)
				ret = nnb_gb_hw_keep_fds((struct nnb_hidl_fds *)(uintptr_t)data,
							 writer);
			/* The layouts of a native handle are the same. */
			if (!ret)
				gbinder_writer_append_fds(writer, data, has_parent);
			at = entry[1].offset + sizeof(struct binder_fd_array_object);
			i++;
		} else {
			gbinder_writer_append_buffer_object_with_parent(writer, data, entry->size,
									has_parent);
			at = entry->offset + sizeof(struct binder_buffer_object);
		}
	}
	if (!ret && at < hw->size)
		gbinder_writer_append_bytes(writer, hw->data + at, hw->size - at);
	return ret;
}
