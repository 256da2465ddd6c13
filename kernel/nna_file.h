/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Open files of the device.
 *
 * A file owns the ids of its address spaces and contexts. No object points to the file, so jobs,
 * contexts and buffer objects may outlive it.
 */
#ifndef NNA_FILE_H
#define NNA_FILE_H

#include <linux/types.h>
#include <linux/xarray.h>

struct drm_device;
struct drm_file;
struct nna_ctx;
struct nna_device;
struct nna_usage;
struct nna_vm;

/** NNA_MAX_VMS - Maximum number of address spaces of one file. */
#define NNA_MAX_VMS		64u
/** NNA_MAX_CTXS - Maximum number of contexts of one file. */
#define NNA_MAX_CTXS		256u

/**
 * struct nna_file - One open file.
 * @nna: the device.
 * @vms: id -> address space; a reference on nna_vm.users each.
 * @ctxs: id -> context; a reference each.
 * @usage: the state that it shares with its contexts; a reference.
 */
struct nna_file {
	struct nna_device *nna;
	struct xarray vms;
	struct xarray ctxs;
	struct nna_usage *usage;
};

/** nna_file_open() - &drm_driver.open: create the file's struct; 0, -ENOMEM, -ENFILE. */
int nna_file_open(struct drm_device *drm, struct drm_file *file);

/** nna_file_close() - &drm_driver.postclose: close all contexts, drop all ids. May sleep. */
void nna_file_close(struct drm_device *drm, struct drm_file *file);

/** nna_file_get_vm() - Look up an address space. Return: a reference, or NULL. */
struct nna_vm *nna_file_get_vm(struct nna_file *nfile, u32 id);

/** nna_file_get_ctx() - Look up a context. Return: a reference, or NULL. */
struct nna_ctx *nna_file_get_ctx(struct nna_file *nfile, u32 id);

#endif
