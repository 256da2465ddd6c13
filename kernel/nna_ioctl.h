/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ioctls of include/uapi/drm/nna_accel.h. Each copies and checks its arguments, looks up ids
 * and handles, calls drm_dev_enter() if it needs the device, and calls the function that does the
 * work.
 */
#ifndef NNA_IOCTL_H
#define NNA_IOCTL_H

#include <drm/drm_ioctl.h>
#include <drm/nna_accel.h>

/** NNA_IOCTL_COUNT - Number of elements of nna_ioctls. */
#define NNA_IOCTL_COUNT		(DRM_NNA_FILE_SET_USER + 1)
/** NNA_MAX_BIND_OPS - Maximum number of operations of one VM_BIND. */
#define NNA_MAX_BIND_OPS	1024u
/** NNA_MAX_BO_SYNC_OPS - Maximum number of operations of one BO_SYNC. */
#define NNA_MAX_BO_SYNC_OPS	256u

extern const struct drm_ioctl_desc nna_ioctls[NNA_IOCTL_COUNT];

#endif
