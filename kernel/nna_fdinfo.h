/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Usage of a client in /proc/PID/fdinfo, in the format of Documentation/gpu/drm-usage-stats.rst:
 *
 * drm-engine-low, -medium, -high, -realtime	run time of the client's jobs that have ended, by
 *						priority; the rings share one command processor,
 *						so the sum is at most the time that has passed
 * drm-total-memory and others			the client's buffer objects, counted by the DRM core
 */
#ifndef NNA_FDINFO_H
#define NNA_FDINFO_H

struct drm_file;
struct drm_printer;

/** nna_fdinfo_show() - &drm_driver.show_fdinfo. */
void nna_fdinfo_show(struct drm_printer *p, struct drm_file *file);

#endif
