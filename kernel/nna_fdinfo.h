/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Usage of a client in /proc/PID/fdinfo, in the format of Documentation/gpu/drm-usage-stats.rst:
 *
 * drm-engine-npu		run time of the client's jobs. The device has one command processor,
 *				which the rings share, so this is at most the time that has passed
 * nna-time-low, -medium,	the same by priority; the sum is that of drm-engine-npu
 * -high, -realtime
 * drm-total-memory and others	the client's buffer objects, counted by the DRM core
 *
 * The time of a job that runs is included. It is an estimate, since reading the device's registers
 * would wake it up: the time since the job was put on its ring, or since another one ended if that
 * was later. When the job has ended the device's own count replaces it, which may be less.
 *
 * There is neither drm-cycles nor drm-maxfreq: the device counts time, and no cycles.
 */
#ifndef NNA_FDINFO_H
#define NNA_FDINFO_H

struct drm_file;
struct drm_printer;

/** nna_fdinfo_show() - &drm_driver.show_fdinfo. */
void nna_fdinfo_show(struct drm_printer *p, struct drm_file *file);

#endif
