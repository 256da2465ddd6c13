/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A workaround for a bug of the DRM core on accel nodes, for distribution kernels. Kbuild includes
 * this file before each source file. A kernel tree gets the fix of the core instead:
 * ../patches/0001-drm-accel-permit.patch.
 */
#ifndef NNA_COMPAT_PERMIT_H
#define NNA_COMPAT_PERMIT_H

#include <linux/fs.h>
#include <drm/drm_ioctl.h>

/* The core checks the ioctls of a render node's clients by itself: nna_compat_render.h. */
#if IS_ENABLED(CONFIG_DRM_ACCEL) && !defined(NNA_RENDER_NODE)

/*
 * Refuses ioctls of the core that are not for render clients. Their code expects that the file has
 * a DRM master, which files of accel nodes never have, and dereferences a NULL pointer. The core's
 * own check covers render nodes only.
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

#endif
