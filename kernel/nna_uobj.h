/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Copies of versioned structures and arrays from and to user space. The structure of user space may
 * be shorter than the driver's: the rest is read as zero. It may be longer: the rest must be zero.
 */
#ifndef NNA_UOBJ_H
#define NNA_UOBJ_H

#include <linux/types.h>

struct drm_nna_obj_array;

/** NNA_MAX_STRIDE - Maximum bytes of an element; limits the time to check an array. */
#define NNA_MAX_STRIDE	4096u

/**
 * nna_uobj_get_array_into() - nna_uobj_get_array() into the caller's buffer, if the array fits.
 * @in: pointer, count and stride, as user space passed them.
 * @min_stride: size of an element in the first version of the interface.
 * @size: size of an element as the driver knows it.
 * @max_count: maximum number of elements.
 * @buf: a buffer for few elements, or NULL.
 * @buf_count: number of elements that fit into @buf.
 *
 * Return: as nna_uobj_get_array(), or @buf: the caller must not free that.
 */
void *nna_uobj_get_array_into(const struct drm_nna_obj_array *in, u32 min_stride, u32 size,
			      u32 max_count, void *buf, u32 buf_count);

/**
 * nna_uobj_get_array() - Copy an array of versioned elements from user space; may sleep.
 * @in: pointer, count and stride, as user space passed them.
 * @min_stride: size of an element in the first version of the interface.
 * @size: size of an element as the driver knows it.
 * @max_count: maximum number of elements.
 *
 * Return: the elements, which the caller frees with kvfree(); NULL if there are none; or an
 * ERR_PTR: -E2BIG (too many or too large, or bits set that the driver does not know), -EINVAL
 * (@in.stride is below @min_stride), -EFAULT, -ENOMEM.
 */
static inline void *nna_uobj_get_array(const struct drm_nna_obj_array *in, u32 min_stride, u32 size,
				       u32 max_count)
{
	return nna_uobj_get_array_into(in, min_stride, size, max_count, NULL, 0);
}

/**
 * nna_uobj_set() - Copy a versioned structure to user space; may sleep.
 * @pointer: user pointer, or 0 to ask for the size only.
 * @usize: in: bytes at @pointer; out: @size.
 * @obj: the structure.
 * @size: its size.
 *
 * Return: 0, -EFAULT.
 */
int nna_uobj_set(u64 pointer, u32 *usize, const void *obj, u32 size);

#endif
