/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Versioned structures and arrays between user space and the driver: what the caller passes may be
 * shorter than ours (the rest reads as zero) or longer (the rest must be zero).
 */
#ifndef NNA_UOBJ_H
#define NNA_UOBJ_H

#include <linux/types.h>

struct drm_nna_obj_array;

/** NNA_MAX_STRIDE - Most bytes of an element, so that checking all of them takes finite time. */
#define NNA_MAX_STRIDE	4096u

/**
 * nna_uobj_get_array_into() - As nna_uobj_get_array(), with the caller's room for few elements.
 * @in: the array's description.
 * @min_stride: size of an element in the first version of the interface.
 * @size: size of an element as the driver knows it.
 * @max_count: most elements allowed.
 * @buf: where the elements go if they fit.
 * @buf_count: how many fit there.
 *
 * Return: as nna_uobj_get_array(); what is not @buf is to be freed.
 */
void *nna_uobj_get_array_into(const struct drm_nna_obj_array *in, u32 min_stride, u32 size,
			      u32 max_count, void *buf, u32 buf_count);

/**
 * nna_uobj_get_array() - Copy an array of versioned elements from user space.
 * @in: the array's description.
 * @min_stride: size of an element in the first version of the interface.
 * @size: size of an element as the driver knows it.
 * @max_count: most elements allowed.
 *
 * Return: the elements, to be freed with kvfree(), NULL for none, or an ERR_PTR: -E2BIG (too many,
 * or bits set that the driver does not know), -EINVAL, -EFAULT, -ENOMEM.
 */
static inline void *nna_uobj_get_array(const struct drm_nna_obj_array *in, u32 min_stride, u32 size,
				       u32 max_count)
{
	return nna_uobj_get_array_into(in, min_stride, size, max_count, NULL, 0);
}

/**
 * nna_uobj_set() - Copy a versioned structure to user space.
 * @pointer: user pointer, or 0 to ask for the size only.
 * @usize: in: bytes at @pointer; out: bytes that the driver knows.
 * @obj: the structure.
 * @size: its size.
 *
 * Return: 0, -EFAULT.
 */
int nna_uobj_set(u64 pointer, u32 *usize, const void *obj, u32 size);

#endif
