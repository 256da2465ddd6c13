// SPDX-License-Identifier: GPL-2.0-only
/* Users: see nna_user.h for what a user is. */

#include <linux/cred.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>
#include <drm/drm_managed.h>

#include "nna_core.h"
#include "nna_user.h"

/**
 * struct nna_users - The users of a device.
 * @lock: protects all of this, and nna_user.refs.
 * @table: all users, by nna_user.key.
 * @idle: users without references, the one that lost its last reference first at the head.
 * @idle_count: their number, at most NNA_USERS_IDLE.
 */
struct nna_users {
	spinlock_t lock;
	struct rb_root table;
	struct list_head idle;
	u32 idle_count;
};

static void nna_users_release(struct drm_device *drm, void *res)
{
	struct nna_users *users = res;
	struct nna_user *user, *next;

	/* Whoever has a reference on a user has one on the DRM device, too. */
	list_for_each_entry_safe(user, next, &users->idle, idle)
		kfree(user);
}

int nna_users_init(struct nna_device *nna)
{
	struct nna_users *users = drmm_kzalloc(&nna->drm, sizeof(*users), GFP_KERNEL);

	if (!users)
		return -ENOMEM;
	spin_lock_init(&users->lock);
	users->table = RB_ROOT;
	INIT_LIST_HEAD(&users->idle);
	nna->users = users;
	return drmm_add_action_or_reset(&nna->drm, nna_users_release, users);
}

struct nna_user_key nna_user_key_of(const struct cred *cred)
{
	struct user_namespace *ns = cred->user_ns;
	kuid_t uid = cred->euid;

	/* All namespaces but the initial one have a parent. */
	for (; ns != &init_user_ns; ns = ns->parent)
		uid = ns->owner;
	return (struct nna_user_key) { .uid = __kuid_val(uid) };
}

static int nna_user_compare(const void *key, const struct rb_node *node)
{
	const struct nna_user_key *a = key, *b = &rb_entry(node, struct nna_user, node)->key;

	if (a->uid != b->uid)
		return a->uid < b->uid ? -1 : 1;
	if (a->is_key != b->is_key)
		return a->is_key ? 1 : -1;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return 0;
}

static int nna_user_compare_nodes(struct rb_node *a, const struct rb_node *b)
{
	return nna_user_compare(&rb_entry(a, struct nna_user, node)->key, b);
}

struct nna_user *nna_user_find(struct nna_device *nna, const struct nna_user_key *key)
{
	struct nna_users *users = nna->users;
	struct nna_user *user, *found;
	struct rb_node *node;
	unsigned int i;

	user = kzalloc(sizeof(*user), GFP_KERNEL_ACCOUNT);
	if (!user)
		return ERR_PTR(-ENOMEM);
	user->nna = nna;
	user->key = *key;
	INIT_LIST_HEAD(&user->idle);
	user->refs = 1;
	for (i = 0; i < NNA_JOB_RINGS; i++)
		nna_share_user_init(&user->shares[i]);

	spin_lock_irq(&users->lock);
	node = rb_find_add(&user->node, &users->table, nna_user_compare_nodes);
	found = node ? rb_entry(node, struct nna_user, node) : user;
	if (node && !found->refs++) {
		list_del_init(&found->idle);
		users->idle_count--;
	}
	spin_unlock_irq(&users->lock);
	if (node)
		kfree(user);
	return found;
}

struct nna_user *nna_user_get(struct nna_user *user)
{
	struct nna_users *users = user->nna->users;
	unsigned long flags;

	spin_lock_irqsave(&users->lock, flags);
	user->refs++;
	spin_unlock_irqrestore(&users->lock, flags);
	return user;
}

void nna_user_put(struct nna_user *user)
{
	struct nna_user *oldest = NULL;
	struct nna_users *users;
	unsigned long flags;

	if (!user)
		return;
	users = user->nna->users;
	spin_lock_irqsave(&users->lock, flags);
	if (!--user->refs) {
		list_add_tail(&user->idle, &users->idle);
		if (users->idle_count < NNA_USERS_IDLE) {
			users->idle_count++;
		} else {
			oldest = list_first_entry(&users->idle, struct nna_user, idle);
			list_del(&oldest->idle);
			rb_erase(&oldest->node, &users->table);
		}
	}
	spin_unlock_irqrestore(&users->lock, flags);
	kfree(oldest);
}

#if IS_ENABLED(CONFIG_DRM_ACCEL_NNA_KUNIT_TEST)
unsigned int nna_users_count(struct nna_device *nna)
{
	struct rb_node *node;
	unsigned int count = 0;

	spin_lock_irq(&nna->users->lock);
	for (node = rb_first(&nna->users->table); node; node = rb_next(node))
		count++;
	spin_unlock_irq(&nna->users->lock);
	return count;
}
#endif
