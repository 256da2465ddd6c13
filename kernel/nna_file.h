/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Open files of the device.
 *
 * A file owns the ids of its address spaces and contexts. No object points to the file, so jobs,
 * contexts and buffer objects may outlive it.
 */
#ifndef NNA_FILE_H
#define NNA_FILE_H

#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/xarray.h>

struct drm_device;
struct drm_file;
struct nna_ctx;
struct nna_device;
struct nna_usage;
struct nna_user;
struct nna_user_key;
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
 * @lock: protects @user_used and, until that is set, nna_usage.user.
 * @user_used: something has been charged to the file's user, which stays the same from then on.
 */
struct nna_file {
	struct nna_device *nna;
	struct xarray vms;
	struct xarray ctxs;
	struct nna_usage *usage;
	spinlock_t lock;
	bool user_used;
};

/** nna_file_open() - &drm_driver.open: create the file's struct; 0, -ENOMEM, -ENFILE. */
int nna_file_open(struct drm_device *drm, struct drm_file *file);

/** nna_file_close() - &drm_driver.postclose: close all contexts, drop all ids. May sleep. */
void nna_file_close(struct drm_device *drm, struct drm_file *file);

/**
 * nna_file_user() - The user that the file belongs to, to charge something to it.
 * @nfile: the file. It belongs to this user from now on.
 *
 * Return: the user, valid as long as the file; no reference.
 */
struct nna_user *nna_file_user(struct nna_file *nfile);

/**
 * nna_file_set_user() - Make the file belong to another user; once, before anything is charged.
 * @nfile: the file.
 * @key: what identifies the user.
 *
 * Return: 0, -EBUSY (too late), -ENOMEM.
 */
int nna_file_set_user(struct nna_file *nfile, const struct nna_user_key *key);

/** nna_file_get_vm() - Look up an address space. Return: a reference, or NULL. */
struct nna_vm *nna_file_get_vm(struct nna_file *nfile, u32 id);

/** nna_file_get_ctx() - Look up a context. Return: a reference, or NULL. */
struct nna_ctx *nna_file_get_ctx(struct nna_file *nfile, u32 id);

#endif
