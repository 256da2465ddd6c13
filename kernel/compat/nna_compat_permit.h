/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A fix of what the DRM core gets wrong on accel nodes, for kernels that are not ours to change.
 * Kbuild includes this file before each source file. A kernel tree gets the fix of the core itself,
 * ../patches/0001-drm-accel-permit.patch, and not this file.
 */
#ifndef NNA_COMPAT_PERMIT_H
#define NNA_COMPAT_PERMIT_H

#include <linux/fs.h>
#include <drm/drm_ioctl.h>

/*
 * Refuses the core's ioctls that are not for render clients. On an accel node they reach code that
 * takes it for granted that the file has a DRM master, which files of accel nodes never have: the
 * core's own check looks at render nodes only, and a NULL pointer is dereferenced.
 */
static inline bool nna_compat_ioctl_permitted(unsigned int cmd)
{
	unsigned int flags;

	return !drm_ioctl_flags(DRM_IOCTL_NR(cmd), &flags) || flags & DRM_RENDER_ALLOW;
}

static inline long nna_compat_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	return nna_compat_ioctl_permitted(cmd) ? drm_ioctl(filp, cmd, arg) : -EACCES;
}

#define drm_ioctl nna_compat_ioctl

#ifdef CONFIG_COMPAT
static inline long nna_compat_compat_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	return nna_compat_ioctl_permitted(cmd) ? drm_compat_ioctl(filp, cmd, arg) : -EACCES;
}

#define drm_compat_ioctl nna_compat_compat_ioctl
#endif

#endif
