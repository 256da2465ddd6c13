// SPDX-License-Identifier: GPL-2.0-only
/*
 * Users: who is one, how long it is kept, and what is bounded by it.
 */

#include <linux/cred.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>
#include <drm/drm_drv.h>
#include <drm/drm_file.h>

#include "nna_fake.h"
#include "../nna_ctx.h"
#include "../nna_file.h"
#include "../nna_user.h"

/* The user with a uid; @key: with a key of its own, unless it is 0. */
static struct nna_user *nna_user_test_find(struct kunit *test, u32 uid, u64 key)
{
	const struct nna_user_key user_key = { .uid = uid, .is_key = key, .key = key };
	struct nna_user *user = nna_user_find(to_nna_fake(test)->nna, &user_key);

	KUNIT_ASSERT_FALSE(test, IS_ERR(user));
	return user;
}

static void nna_user_is_the_uid(struct kunit *test)
{
	struct cred cred = { .uid = KUIDT_INIT(7), .euid = KUIDT_INIT(1000),
			     .user_ns = &init_user_ns };
	struct nna_user_key key = nna_user_key_of(&cred);

	KUNIT_EXPECT_EQ(test, 1000u, key.uid);
	KUNIT_EXPECT_FALSE(test, key.is_key);
	KUNIT_EXPECT_EQ(test, 0ull, key.key);
}

/* Whatever uid a process takes within a namespace, and however deep it nests them. */
static void nna_user_is_the_owner(struct kunit *test)
{
	struct user_namespace *outer = kunit_kzalloc(test, sizeof(*outer), GFP_KERNEL);
	struct user_namespace *inner = kunit_kzalloc(test, sizeof(*inner), GFP_KERNEL);
	struct cred cred = { .euid = KUIDT_INIT(100000) };

	KUNIT_ASSERT_NOT_NULL(test, outer);
	KUNIT_ASSERT_NOT_NULL(test, inner);
	outer->parent = &init_user_ns;
	outer->owner = KUIDT_INIT(1000);
	inner->parent = outer;
	inner->owner = KUIDT_INIT(165535);
	cred.user_ns = outer;
	KUNIT_EXPECT_EQ(test, 1000u, nna_user_key_of(&cred).uid);
	cred.user_ns = inner;
	KUNIT_EXPECT_EQ(test, 1000u, nna_user_key_of(&cred).uid);
}

static void nna_user_is_found_again(struct kunit *test)
{
	struct nna_user *user = nna_user_test_find(test, 1000, 0);
	struct nna_user *others[] = {
		nna_user_test_find(test, 1001, 0),
		nna_user_test_find(test, 1000, 1),
		nna_user_test_find(test, 1000, 2),
		nna_user_test_find(test, 1001, 1),
	};
	unsigned int i, k, count = nna_users_count(user->nna);

	KUNIT_EXPECT_PTR_EQ(test, user, nna_user_test_find(test, 1000, 0));
	KUNIT_EXPECT_EQ(test, count, nna_users_count(user->nna));
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		KUNIT_EXPECT_PTR_NE(test, user, others[i]);
		for (k = 0; k < i; k++)
			KUNIT_EXPECT_PTR_NE(test, others[i], others[k]);
		nna_user_put(others[i]);
	}
	nna_user_put(user);
	nna_user_put(user);
}

/* A user that has closed all its files is the same when it comes back, if that is soon. */
static void nna_user_is_kept(struct kunit *test)
{
	struct nna_user *user = nna_user_test_find(test, 1000, 0);
	unsigned int i, count = nna_users_count(user->nna);
	struct nna_device *nna = user->nna;

	atomic_set(&user->ctxs, 5);
	nna_user_put(user);
	for (i = 1; i < NNA_USERS_IDLE; i++)
		nna_user_put(nna_user_test_find(test, 1000, i));
	KUNIT_EXPECT_EQ(test, count + NNA_USERS_IDLE - 1, nna_users_count(nna));
	user = nna_user_test_find(test, 1000, 0);
	KUNIT_EXPECT_EQ(test, 5, atomic_read(&user->ctxs));

	/* Not while it has references, however many others come and go. */
	for (i = 1; i < 2 * NNA_USERS_IDLE; i++)
		nna_user_put(nna_user_test_find(test, 1000, i));
	KUNIT_EXPECT_PTR_EQ(test, user, nna_user_test_find(test, 1000, 0));
	KUNIT_EXPECT_EQ(test, count + NNA_USERS_IDLE, nna_users_count(nna));
	nna_user_put(user);
	nna_user_put(user);

	/* The one that has been idle for the longest time goes. */
	for (i = 1; i <= NNA_USERS_IDLE; i++)
		nna_user_put(nna_user_test_find(test, 1001, i));
	user = nna_user_test_find(test, 1000, 0);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&user->ctxs));
	nna_user_put(user);
	KUNIT_EXPECT_EQ(test, count + NNA_USERS_IDLE - 1, nna_users_count(nna));
}

/* All files of a user together have no more contexts than NNA_MAX_USER_CTXS. */
static void nna_user_bounds_contexts(struct kunit *test)
{
	struct nna_fake *fake = to_nna_fake(test);
	struct nna_file *nfile = fake->file->driver_priv;
	struct nna_user *user = nna_file_user(nfile);
	struct drm_nna_ctx_create args = {};
	struct drm_nna_ctx_destroy destroy;

	nna_fake_vm(fake, &args.vm_id);
	atomic_set(&user->ctxs, NNA_MAX_USER_CTXS - 1);
	KUNIT_EXPECT_EQ(test, 0, nna_fake_ioctl(fake, DRM_IOCTL_NNA_CTX_CREATE, &args));
	KUNIT_EXPECT_EQ(test, (int)NNA_MAX_USER_CTXS, atomic_read(&user->ctxs));
	destroy.id = args.id;
	destroy.pad = 0;
	args.id = 0;
	KUNIT_EXPECT_EQ(test, -ENOSPC, nna_fake_ioctl(fake, DRM_IOCTL_NNA_CTX_CREATE, &args));
	KUNIT_EXPECT_EQ(test, (int)NNA_MAX_USER_CTXS, atomic_read(&user->ctxs));

	KUNIT_EXPECT_EQ(test, 0, nna_fake_ioctl(fake, DRM_IOCTL_NNA_CTX_DESTROY, &destroy));
	nna_device_flush_cleanup(fake->nna);
	KUNIT_EXPECT_EQ(test, (int)NNA_MAX_USER_CTXS - 1, atomic_read(&user->ctxs));
	atomic_set(&user->ctxs, 0);
}

/* A file changes its user once, and only before anything has been charged to the first one. */
static void nna_user_of_a_file(struct kunit *test)
{
	const struct nna_user_key first = { .uid = 1000 }, second = { .uid = 1001 };
	struct drm_file *files[2];
	struct nna_file *nfile;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		files[i] = kunit_kzalloc(test, sizeof(*files[i]), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, files[i]);
		KUNIT_ASSERT_EQ(test, 0, nna_file_open(&to_nna_fake(test)->nna->drm, files[i]));
	}
	nfile = files[0]->driver_priv;
	KUNIT_EXPECT_EQ(test, 0, nna_file_set_user(nfile, &first));
	KUNIT_EXPECT_EQ(test, 1000u, nna_file_user(nfile)->key.uid);
	KUNIT_EXPECT_EQ(test, -EBUSY, nna_file_set_user(nfile, &second));
	KUNIT_EXPECT_EQ(test, 1000u, nna_file_user(nfile)->key.uid);

	nfile = files[1]->driver_priv;
	KUNIT_EXPECT_EQ(test, 0u, nna_file_user(nfile)->key.uid);
	KUNIT_EXPECT_EQ(test, -EBUSY, nna_file_set_user(nfile, &first));
	KUNIT_EXPECT_EQ(test, 0u, nna_file_user(nfile)->key.uid);
	for (i = 0; i < ARRAY_SIZE(files); i++)
		nna_file_close(&to_nna_fake(test)->nna->drm, files[i]);
	flush_delayed_fput();
}

static struct kunit_case nna_user_cases[] = {
	KUNIT_CASE(nna_user_is_the_uid),
	KUNIT_CASE(nna_user_is_the_owner),
	KUNIT_CASE(nna_user_is_found_again),
	KUNIT_CASE(nna_user_is_kept),
	KUNIT_CASE(nna_user_bounds_contexts),
	KUNIT_CASE(nna_user_of_a_file),
	{}
};

static struct kunit_suite nna_user_suite = {
	.name = "nna_user",
	.init = nna_fake_init,
	.exit = nna_fake_exit,
	.test_cases = nna_user_cases,
};
kunit_test_suite(nna_user_suite);
