/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What /proc/PID/fdinfo says about a client, in the format of
 * Documentation/gpu/drm-usage-stats.rst:
 *
 * drm-engine-low, -medium, -high, -realtime	device time of the client's jobs that have ended, by
 *						priority; the rings share one command processor,
 *						so the sum is at most the time that has passed
 * drm-total-memory and others			as the DRM core counts the client's buffer objects
 */
#ifndef NNA_FDINFO_H
#define NNA_FDINFO_H

struct drm_file;
struct drm_printer;

/** nna_fdinfo_show() - &drm_driver.show_fdinfo. */
void nna_fdinfo_show(struct drm_printer *p, struct drm_file *file);

#endif
