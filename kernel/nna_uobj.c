// SPDX-License-Identifier: GPL-2.0-only
/* Versioned structures: see nna_uobj.h. */

#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/uaccess.h>
#include <drm/nna_accel.h>

#include "nna_uobj.h"

void *nna_uobj_get_array_into(const struct drm_nna_obj_array *in, u32 min_stride, u32 size,
			      u32 max_count, void *buf, u32 buf_count)
{
	void __user *from = u64_to_user_ptr(in->array);
	size_t bytes;
	void *out;
	int ret;
	u32 i;

	if (!in->count)
		return NULL;
	if (in->stride < min_stride)
		return ERR_PTR(-EINVAL);
	if (in->count > max_count || in->stride > NNA_MAX_STRIDE)
		return ERR_PTR(-E2BIG);
	if (check_mul_overflow((size_t)in->count, (size_t)size, &bytes))
		return ERR_PTR(-E2BIG);

	out = in->count <= buf_count ? buf : kvmalloc(bytes, GFP_KERNEL_ACCOUNT);
	if (!out)
		return ERR_PTR(-ENOMEM);

	if (in->stride == size) {
		ret = copy_from_user(out, from, bytes) ? -EFAULT : 0;
	} else {
		for (i = 0, ret = 0; i < in->count && !ret; i++)
			ret = copy_struct_from_user(out + (size_t)i * size, size,
						    from + (size_t)i * in->stride, in->stride);
	}
	if (ret) {
		if (out != buf)
			kvfree(out);
		return ERR_PTR(ret);
	}
	return out;
}

int nna_uobj_set(u64 pointer, u32 *usize, const void *obj, u32 size)
{
	void __user *to = u64_to_user_ptr(pointer);
	u32 n = min(*usize, size);

	if (pointer) {
		if (copy_to_user(to, obj, n))
			return -EFAULT;
		if (*usize > n && clear_user(to + n, *usize - n))
			return -EFAULT;
	}
	*usize = size;
	return 0;
}
