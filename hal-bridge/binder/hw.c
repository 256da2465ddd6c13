// SPDX-License-Identifier: MIT
/* Parcels of HIDL (hw.h). */
#include "hal-bridge/binder/hw.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/android/binder.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hal-bridge/binder/object.h"
#include "libnnaccel/support/array.h"

#define NNB_HW_LIMIT (64u << 20) /* bytes of a stream, and of all buffers; binder has 1 MiB */
#define NNB_HW_ROOM 1024 /* first bytes of a stream: enough for a request */
#define NNB_HW_NULL_OFFSET 8	 /* where the address of a flat_binder_object stands */

static const size_t nnb_hw_sizes[] = {
	[NNB_HW_BUFFER] = sizeof(struct binder_buffer_object),
	[NNB_HW_FDS] = sizeof(struct binder_fd_array_object),
	[NNB_HW_OBJECT] = sizeof(struct flat_binder_object),
};

void nnb_hw_init(struct nnb_hw *hw)
{
	*hw = (struct nnb_hw){0};
}

void nnb_hw_fini(struct nnb_hw *hw)
{
	for (uint32_t i = 0; i < hw->count; i++) {
		const struct nnb_hw_entry *entry = &hw->entries[i];
		const int32_t *fds = entry->data;

		for (size_t k = 0; hw->owner && entry->kind == NNB_HW_FDS && k < entry->size; k++)
			close(fds[k]);
		if (hw->owner)
			free((void *)(uintptr_t)entry->data);
		if (!hw->borrowed)
			nnb_object_unref(entry->object);
	}
	free(hw->entries);
	if (!hw->borrowed)
		free(hw->data);
	nnb_hw_init(hw);
}

bool nnb_hw_fits(const struct nnb_hw *hw, const struct nnb_hw_entry *entry, size_t size)
{
	const struct nnb_hw_entry *parent;

	if (entry->parent >= hw->count)
		return false;
	parent = &hw->entries[entry->parent];
	return parent->kind == NNB_HW_BUFFER && parent->size >= size &&
	       entry->parent_offset <= parent->size - size;
}

/* -------------------------------------------------------------------------------------- writing */

/* Appends @size bytes, a multiple of 4, that are zero. Return: NULL without memory. */
static void *nnb_hw_grow(struct nnb_hw *hw, size_t size)
{
	size_t room = hw->room ? hw->room : NNB_HW_ROOM;
	unsigned char *grown;

	if (size > NNB_HW_LIMIT - hw->size)
		return NULL;
	while (room < hw->size + size)
		room *= 2;
	if (room > hw->room) {
		grown = realloc(hw->data, room);
		if (!grown)
			return NULL;
		hw->data = grown;
		hw->room = room;
	}
	memset(hw->data + hw->size, 0, size);
	hw->size += size;
	return hw->data + hw->size - size;
}

int nnb_hw_write_int(struct nnb_hw *hw, int32_t value)
{
	void *at = nnb_hw_grow(hw, sizeof(value));

	if (!at)
		return -ENOMEM;
	memcpy(at, &value, sizeof(value));
	return 0;
}

int nnb_hw_write_long(struct nnb_hw *hw, int64_t value)
{
	void *at = nnb_hw_grow(hw, sizeof(value));

	if (!at)
		return -ENOMEM;
	memcpy(at, &value, sizeof(value));
	return 0;
}

int nnb_hw_list(struct nnb_hw *hw, const struct nnb_hw_entry *entry)
{
	struct nnb_hw_entry *grown = nna_array_reserve(hw->entries, (uint64_t)hw->count + 1,
						       &hw->entry_room, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	hw->entries = grown;
	grown[hw->count++] = *entry;
	return 0;
}

/* Appends an entry and its bytes in the stream. */
static int nnb_hw_add(struct nnb_hw *hw, struct nnb_hw_entry *entry)
{
	entry->offset = hw->size;
	if (!nnb_hw_grow(hw, nnb_hw_sizes[entry->kind]))
		return -ENOMEM;
	return nnb_hw_list(hw, entry);
}

int nnb_hw_write_buffer(struct nnb_hw *hw, const void *data, uint64_t size, uint32_t parent,
			size_t offset, uint32_t *index)
{
	struct nnb_hw_entry entry = {
		.kind = NNB_HW_BUFFER,
		.parent = parent,
		.parent_offset = offset,
		.data = data,
		.size = size,
	};

	*index = hw->count;
	return size > NNB_HW_LIMIT ? -ENOMEM : nnb_hw_add(hw, &entry);
}

int nnb_hw_write_fds(struct nnb_hw *hw, const struct nnb_hidl_fds *fds, uint32_t parent,
		     size_t offset)
{
	struct nnb_hw_entry entry = {
		.kind = NNB_HW_FDS,
		.parent_offset = offsetof(struct nnb_hidl_fds, data),
		.size = fds ? fds->fd_count : 0,
	};
	int ret = nnb_hw_write_long(hw, fds ? (int64_t)nnb_hidl_fds_size(fds) : 0);

	if (ret || !fds)
		return ret;
	ret = nnb_hw_write_buffer(hw, fds, nnb_hidl_fds_size(fds), parent, offset, &entry.parent);
	return ret ? ret : nnb_hw_add(hw, &entry);
}

int nnb_hw_write_object(struct nnb_hw *hw, struct nnb_object *object)
{
	struct nnb_hw_entry entry = {
		.kind = NNB_HW_OBJECT,
		.parent = NNB_HW_NO_PARENT,
		.object = object,
	};
	const struct flat_binder_object null = {.hdr.type = BINDER_TYPE_BINDER};
	void *at;
	int ret;

	if (!object) {
		at = nnb_hw_grow(hw, sizeof(null));
		if (at)
			memcpy(at, &null, sizeof(null));
		return at ? 0 : -ENOMEM;
	}
	ret = nnb_hw_add(hw, &entry);
	if (!ret)
		nnb_object_ref(object);
	return ret;
}

/* -------------------------------------------------------------------------------------- reading */

int nnb_hw_read_int(struct nnb_hw *hw, int32_t *value)
{
	if (hw->size - hw->at < sizeof(*value))
		return -ENODATA;
	memcpy(value, hw->data + hw->at, sizeof(*value));
	hw->at += sizeof(*value);
	return 0;
}

int nnb_hw_read_long(struct nnb_hw *hw, int64_t *value)
{
	if (hw->size - hw->at < sizeof(*value))
		return -ENODATA;
	memcpy(value, hw->data + hw->at, sizeof(*value));
	hw->at += sizeof(*value);
	return 0;
}

/* Return: the entry at the reader's position, which moves past it; NULL for another one or none. */
static const struct nnb_hw_entry *nnb_hw_read_entry(struct nnb_hw *hw, enum nnb_hw_kind kind)
{
	const struct nnb_hw_entry *entry;

	/* Scalars may have been read across an object that stands where none should be. */
	while (hw->next < hw->count && hw->entries[hw->next].offset < hw->at)
		hw->next++;
	if (hw->next == hw->count)
		return NULL;
	entry = &hw->entries[hw->next];
	if (entry->offset != hw->at || entry->kind != kind ||
	    hw->size - hw->at < nnb_hw_sizes[kind])
		return NULL;
	hw->next++;
	hw->at += nnb_hw_sizes[kind];
	return entry;
}

int nnb_hw_read_buffer(struct nnb_hw *hw, uint64_t size, uint32_t parent, size_t offset,
		       const void **data, uint32_t *index)
{
	const struct nnb_hw_entry *entry = nnb_hw_read_entry(hw, NNB_HW_BUFFER);
	const void *pointer;

	if (!entry)
		return hw->at == hw->size ? -ENODATA : -EINVAL;
	if (entry->size != size || entry->parent != parent ||
	    (parent != NNB_HW_NO_PARENT && entry->parent_offset != offset))
		return -EINVAL;
	if (parent != NNB_HW_NO_PARENT) {
		/* The driver has put it there; another buffer may have been put upon it. */
		memcpy(&pointer, (const char *)hw->entries[parent].data + offset, sizeof(pointer));
		if (pointer != entry->data)
			return -EINVAL;
	}
	*data = entry->data;
	*index = (uint32_t)(entry - hw->entries);
	return 0;
}

int nnb_hw_read_fds(struct nnb_hw *hw, uint32_t parent, size_t offset,
		    const struct nnb_hidl_fds **fds)
{
	const struct nnb_hidl_fds *from;
	const struct nnb_hw_entry *entry;
	const void *data;
	uint32_t index;
	int64_t size;
	int ret = nnb_hw_read_long(hw, &size);

	*fds = NULL;
	if (ret || !size)
		return ret;
	if (size < (int64_t)sizeof(*from))
		return -EINVAL;
	ret = nnb_hw_read_buffer(hw, (uint64_t)size, parent, offset, &data, &index);
	if (ret)
		return ret;
	from = data;
	if (from->version != NNB_HIDL_FDS_VERSION || from->fd_count > NNB_HIDL_FDS_LIMIT ||
	    from->int_count > NNB_HIDL_FDS_LIMIT || nnb_hidl_fds_size(from) != (uint64_t)size)
		return -EINVAL;
	entry = nnb_hw_read_entry(hw, NNB_HW_FDS);
	/*
	 * Other numbers than those of the range are the sender's, not descriptors of this process.
	 */
	if (!entry || entry->parent != index || entry->size != from->fd_count ||
	    entry->parent_offset != offsetof(struct nnb_hidl_fds, data))
		return -EINVAL;
	*fds = from;
	return 0;
}

int nnb_hw_read_object(struct nnb_hw *hw, struct nnb_object **object)
{
	static const unsigned char zeros[sizeof(struct flat_binder_object) - NNB_HW_NULL_OFFSET];
	const struct nnb_hw_entry *entry;

	*object = NULL;
	if (hw->size - hw->at < sizeof(struct flat_binder_object))
		return -ENODATA;
	entry = nnb_hw_read_entry(hw, NNB_HW_OBJECT);
	if (entry) {
		*object = entry->object;
		return 0;
	}
	if (memcmp(hw->data + hw->at + NNB_HW_NULL_OFFSET, zeros, sizeof(zeros)) ||
	    (hw->next < hw->count &&
	     hw->entries[hw->next].offset < hw->at + sizeof(struct flat_binder_object)))
		return -EINVAL;
	hw->at += sizeof(struct flat_binder_object);
	return 0;
}

/* ------------------------------------------------------------------------------------- delivery */

static int nnb_hw_deliver_buffer(struct nnb_hw *to, struct nnb_hw_entry *entry, size_t *total)
{
	void *copy;

	if (entry->size > NNB_HW_LIMIT - *total)
		return -ENOMEM;
	*total += entry->size;
	if (entry->parent != NNB_HW_NO_PARENT && !nnb_hw_fits(to, entry, sizeof(copy)))
		return -EINVAL;
	copy = malloc(entry->size ? entry->size : 1);
	if (!copy)
		return -ENOMEM;
	if (entry->size)
		memcpy(copy, entry->data, entry->size);
	entry->data = copy;
	if (entry->parent != NNB_HW_NO_PARENT)
		memcpy((char *)(uintptr_t)to->entries[entry->parent].data + entry->parent_offset,
		       &copy, sizeof(copy));
	return 0;
}

/* Replaces the descriptors of a range by duplicates, which the entry lists. */
static int nnb_hw_deliver_fds(struct nnb_hw *to, struct nnb_hw_entry *entry)
{
	const size_t count = entry->size;
	int32_t *fds, *list;

	entry->size = 0;
	if (count > NNB_HIDL_FDS_LIMIT || entry->parent_offset % sizeof(*fds) ||
	    !nnb_hw_fits(to, entry, count * sizeof(*fds)))
		return -EINVAL;
	list = malloc((count + 1) * sizeof(*list));
	if (!list)
		return -ENOMEM;
	entry->data = list;
	fds = (int32_t *)((char *)(uintptr_t)to->entries[entry->parent].data +
			  entry->parent_offset);
	for (; entry->size < count; entry->size++) {
		list[entry->size] = fcntl(fds[entry->size], F_DUPFD_CLOEXEC, 0);
		if (list[entry->size] < 0)
			return -errno;
		fds[entry->size] = list[entry->size];
	}
	return 0;
}

int nnb_hw_deliver(const struct nnb_hw *from, struct nnb_hw *to)
{
	size_t total = 0;
	int ret = 0, listed;
	void *at;

	to->owner = true;
	at = from->size ? nnb_hw_grow(to, from->size) : NULL;
	if (at)
		memcpy(at, from->data, from->size);
	else if (from->size)
		return -ENOMEM;
	for (uint32_t i = 0; i < from->count && !ret; i++) {
		struct nnb_hw_entry entry = from->entries[i];

		if (entry.kind == NNB_HW_BUFFER) {
			ret = nnb_hw_deliver_buffer(to, &entry, &total);
			if (ret)
				return ret;
		} else if (entry.kind == NNB_HW_FDS) {
			entry.data = NULL;
			ret = nnb_hw_deliver_fds(to, &entry);
		} else {
			nnb_object_ref(entry.object);
		}
		listed = nnb_hw_list(to, &entry);
		if (listed) {
			for (size_t k = 0; entry.kind == NNB_HW_FDS && k < entry.size; k++)
				close(((const int32_t *)entry.data)[k]);
			free((void *)(uintptr_t)entry.data);
			nnb_object_unref(entry.object);
			return listed;
		}
	}
	return ret;
}
