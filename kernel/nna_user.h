/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Users: the unit among which the device is shared. Bounds hold for a user: pages, contexts, jobs
 * on a ring, and the user's share of the run time.
 *
 * A user is not a file, since a process opens as many files as it likes. It is one of:
 *
 *  - The effective uid of the process that opened the file. Only a privileged process gets another
 *    one, so an unprivileged process cannot become two users.
 *  - For a process in a user namespace other than the initial one, the owner of the outermost
 *    namespace below the initial one. An unprivileged owner maps 65,536 subordinate uids into a
 *    namespace and switches between them: as uids they would be as many users.
 *  - Whom a process with CAP_SYS_NICE names with FILE_SET_USER: a uid, or a key of its own. A
 *    service that opens files for its clients says for whom it opens each; else they all would be
 *    the service's uid. This capability also permits the priority that goes before all others, so
 *    it gives away nothing new.
 *
 * Why not the control group: where systemd delegates a subtree to a user, the user creates as many
 * groups as it likes in it, and nothing marks the group that stands for the user. Where nobody has
 * set up groups, all users are in one.
 *
 * Containers that root starts, all of whose processes are uid 0, are one user, also where root has
 * created user namespaces for them. Whoever starts them may say otherwise with FILE_SET_USER.
 *
 * Ownership: files, contexts, buffer objects and address spaces hold references. A user without
 * references is kept until NNA_USERS_IDLE others are: a process that closes all its files and opens
 * one shall not begin with a new account. Users are freed with the DRM device at the latest.
 *
 * Locking: the lock of the table protects the table and the references. It is a leaf, and may be
 * taken in any context. Each count says what protects it.
 */
#ifndef NNA_USER_H
#define NNA_USER_H

#include <linux/atomic.h>
#include <linux/kconfig.h>
#include <linux/list.h>
#include <linux/rbtree.h>
#include <linux/types.h>

#include "nna_regs.h"
#include "nna_share.h"

struct cred;
struct nna_device;

/** NNA_USERS_IDLE - Users without references that a device keeps. */
#define NNA_USERS_IDLE	64u

/**
 * struct nna_user_key - What identifies a user.
 * @uid: the uid, in the initial namespace.
 * @is_key: @key counts; else it is 0.
 * @key: a number that a process of @uid has made up: it names another user for each @uid.
 */
struct nna_user_key {
	u32 uid;
	bool is_key;
	u64 key;
};

/**
 * struct nna_user - A user of a device.
 * @nna: the device.
 * @key: what identifies it; constant.
 * @node: in the device's table.
 * @idle: in the list of users without references.
 * @refs: references; protected by the lock of the table.
 * @pages: pinned pages of its buffer objects and page tables; nna_pages.c counts them.
 * @ctxs: contexts of its files; nna_ctx.c counts them.
 * @shares: its share of each job ring; protected by the lock of the ring's gates.
 */
struct nna_user {
	struct nna_device *nna;
	struct nna_user_key key;
	struct rb_node node;
	struct list_head idle;
	u32 refs;
	atomic_long_t pages;
	atomic_t ctxs;
	struct nna_share_user shares[NNA_JOB_RINGS];
};

/** nna_users_init() - Allocate the table of users, freed with the DRM device; 0 or -ENOMEM. */
int nna_users_init(struct nna_device *nna);

/**
 * nna_user_key_of() - The user that a process is.
 * @cred: the credentials with which it has opened the file.
 *
 * Return: the key.
 */
struct nna_user_key nna_user_key_of(const struct cred *cred);

/**
 * nna_user_find() - Find or create a user; may sleep.
 * @nna: the device.
 * @key: what identifies it.
 *
 * Return: a reference, or an ERR_PTR (-ENOMEM).
 */
struct nna_user *nna_user_find(struct nna_device *nna, const struct nna_user_key *key);

/** nna_user_get() - Take one more reference; any context. */
struct nna_user *nna_user_get(struct nna_user *user);

/** nna_user_put() - Drop a reference on @user, which may be NULL; any context. */
void nna_user_put(struct nna_user *user);

#if IS_ENABLED(CONFIG_DRM_ACCEL_NNA_KUNIT_TEST)
/** nna_users_count() - Number of users in the table; for tests. */
unsigned int nna_users_count(struct nna_device *nna);
#endif

#endif
