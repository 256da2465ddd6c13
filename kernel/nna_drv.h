/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The DRM driver, and what belongs to one open file.
 */
#ifndef NNA_DRV_H
#define NNA_DRV_H

#include <linux/types.h>
#include <linux/xarray.h>

struct drm_driver;
struct nna_ctx;
struct nna_device;
struct nna_usage;
struct nna_vm;

#define NNA_DRIVER_NAME		"nna"

/** NNA_MAX_VMS - Most address spaces of one file. */
#define NNA_MAX_VMS		64u
/** NNA_MAX_CTXS - Most contexts of one file. */
#define NNA_MAX_CTXS		256u

extern const struct drm_driver nna_drm_driver;

/**
 * struct nna_file - One open file. Nothing points to it; what it made may outlive it.
 * @nna: the device.
 * @vms: id -> address space; holds a user.
 * @ctxs: id -> context; holds a reference.
 * @usage: what its jobs have used; a reference.
 */
struct nna_file {
	struct nna_device *nna;
	struct xarray vms;
	struct xarray ctxs;
	struct nna_usage *usage;
};

/** nna_file_get_vm() - Look up an address space and take a user, or NULL. */
struct nna_vm *nna_file_get_vm(struct nna_file *nfile, u32 id);

/** nna_file_get_ctx() - Look up a context and take a reference, or NULL. */
struct nna_ctx *nna_file_get_ctx(struct nna_file *nfile, u32 id);

#endif
