/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A render node in place of the accel node, for kernels without CONFIG_DRM_ACCEL: Android's, and
 * those of some distributions for arm64. In a kernel tree the driver depends on DRM_ACCEL. Kbuild
 * includes this file before each source file.
 *
 * The driver then has the file operations and the permissions of a render driver, and the DRM core
 * gives it a card node as well. NNA_RENDER_NODE, which `make kernel-render` defines, asks for a
 * render node on any kernel.
 */
#ifndef NNA_COMPAT_RENDER_H
#define NNA_COMPAT_RENDER_H

#include <drm/drm_accel.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>
#include <drm/drm_gem.h>
#include <drm/drm_ioctl.h>

#if !IS_ENABLED(CONFIG_DRM_ACCEL) || defined(NNA_RENDER_NODE)

#define DRIVER_COMPUTE_ACCEL DRIVER_RENDER

#undef DRM_ACCEL_FOPS
#define DRM_ACCEL_FOPS \
	.open = drm_open, \
	.release = drm_release, \
	.unlocked_ioctl = drm_ioctl, \
	.compat_ioctl = drm_compat_ioctl, \
	.poll = drm_poll, \
	.read = drm_read, \
	.llseek = noop_llseek, \
	.mmap = drm_gem_mmap, \
	.fop_flags = FOP_UNSIGNED_OFFSET

#endif

#endif
