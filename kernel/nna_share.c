// SPDX-License-Identifier: GPL-2.0-only
/* Shares of a ring's time: see nna_share.h. */

#include <linux/container_of.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "nna_share.h"

/* A job shorter than expected lowers the expected run time by this fraction of the difference. */
#define NNA_SHARE_DECAY	8

static struct nna_share_user *to_nna_share_user(const struct rb_node *node)
{
	return container_of(node, struct nna_share_user, node);
}

static struct nna_share *to_nna_share(const struct rb_node *node)
{
	return container_of(node, struct nna_share, node);
}

static bool nna_share_user_less(struct rb_node *a, const struct rb_node *b)
{
	return to_nna_share_user(a)->used < to_nna_share_user(b)->used;
}

static bool nna_share_less(struct rb_node *a, const struct rb_node *b)
{
	const struct nna_share *first = to_nna_share(a), *second = to_nna_share(b);

	if (first->used != second->used)
		return first->used < second->used;
	return first->woken && !second->woken;
}

void nna_shares_init(struct nna_shares *shares)
{
	shares->active = RB_ROOT_CACHED;
	INIT_LIST_HEAD(&shares->urgent_runnable);
	shares->now = 0;
	shares->woken = 0;
	shares->urgent = 0;
	shares->spare = 0;
}

void nna_share_user_init(struct nna_share_user *user)
{
	user->runnable = RB_ROOT_CACHED;
	INIT_LIST_HEAD(&user->urgent_node);
}

void nna_share_init(struct nna_share *share, struct nna_share_user *user)
{
	share->user = user;
	INIT_LIST_HEAD(&share->runnable);
	share->longest = NNA_SHARE_SECOND_NS;
}

static void nna_share_user_set_used(struct nna_shares *shares, struct nna_share_user *user,
				    u64 used)
{
	if (user->queues)
		rb_erase_cached(&user->node, &shares->active);
	user->used = used;
	if (user->queues)
		rb_add_cached(&user->node, &shares->active, nna_share_user_less);
}

static void nna_share_set_used(struct nna_share *share, u64 used, bool woken)
{
	bool runnable = !list_empty(&share->runnable);

	if (runnable)
		rb_erase_cached(&share->node, &share->user->runnable);
	share->used = used;
	share->woken = woken;
	if (runnable)
		rb_add_cached(&share->node, &share->user->runnable, nna_share_less);
}

/* Called when the user has become urgent or not, or has got or lost its last runnable client. */
static void nna_share_user_update_urgent(struct nna_shares *shares, struct nna_share_user *user)
{
	bool first = user->urgent && !RB_EMPTY_ROOT(&user->runnable.rb_root);

	if (!first)
		list_del_init(&user->urgent_node);
	else if (list_empty(&user->urgent_node))
		list_add_tail(&user->urgent_node, &shares->urgent_runnable);
}

static void nna_share_user_set_woken(struct nna_shares *shares, struct nna_share_user *user,
				     bool woken)
{
	/* Rule 2: a user that is ahead waits like users that were not idle. */
	bool urgent = woken && user->used <= shares->now + NNA_SHARE_LEAD_NS;

	shares->woken += woken - user->woken;
	user->woken = woken;
	shares->urgent += urgent - user->urgent;
	user->urgent = urgent;
	nna_share_user_update_urgent(shares, user);
}

void nna_share_wake(struct nna_shares *shares, struct nna_share *share)
{
	struct nna_share_user *user = share->user;

	if (!share->queues++) {
		share->woken = true;
		share->used = max(share->used, user->now);
	}
	if (user->queues++)
		return;
	nna_share_user_set_woken(shares, user, !user->entries);
	user->used = max(user->used, shares->now);
	rb_add_cached(&user->node, &shares->active, nna_share_user_less);
}

void nna_share_sleep(struct nna_shares *shares, struct nna_share *share)
{
	struct nna_share_user *user = share->user;

	share->queues--;
	if (--user->queues)
		return;
	nna_share_user_set_woken(shares, user, false);
	rb_erase_cached(&user->node, &shares->active);
}

void nna_share_add_runnable(struct nna_shares *shares, struct nna_share *share,
			    struct list_head *queue)
{
	if (list_empty(&share->runnable))
		rb_add_cached(&share->node, &share->user->runnable, nna_share_less);
	list_add_tail(queue, &share->runnable);
	nna_share_user_update_urgent(shares, share->user);
}

void nna_share_remove_runnable(struct nna_shares *shares, struct nna_share *share,
			       struct list_head *queue)
{
	if (list_empty(queue))
		return;
	list_del_init(queue);
	if (list_empty(&share->runnable))
		rb_erase_cached(&share->node, &share->user->runnable);
	nna_share_user_update_urgent(shares, share->user);
}

static bool nna_share_user_has_room(const struct nna_shares *shares,
				    const struct nna_share_user *user)
{
	switch (user->entries) {
	case 0:
		return true;
	case 1:
		return user->expected < NNA_SHARE_SECOND_NS;
	default:
		return !user->full && shares->spare < NNA_SHARE_SPARE_NS;
	}
}

static const struct nna_share_user *nna_share_next_user(const struct nna_shares *shares)
{
	struct rb_node *first = rb_first_cached(&shares->active), *node;

	if (!list_empty(&shares->urgent_runnable))
		return list_first_entry(&shares->urgent_runnable, struct nna_share_user,
					urgent_node);
	if (shares->urgent)
		return NULL;
	/*
	 * A user without room has jobs on the ring, so the loop skips at most as many as the ring
	 * has.
	 */
	for (node = first; node; node = rb_next(node)) {
		struct nna_share_user *user = to_nna_share_user(node);

		if (user->used - to_nna_share_user(first)->used > NNA_SHARE_LEAD_NS)
			break;
		if (!RB_EMPTY_ROOT(&user->runnable.rb_root) &&
		    nna_share_user_has_room(shares, user))
			return user;
		if (user->woken)
			break;
	}
	return NULL;
}

struct nna_share *nna_share_next(const struct nna_shares *shares)
{
	const struct nna_share_user *user = nna_share_next_user(shares);

	return user ? to_nna_share(rb_first_cached(&user->runnable)) : NULL;
}

/* Expected run time of a user's jobs on the ring beyond two. */
static u64 nna_share_user_spare(const struct nna_share_user *user)
{
	if (user->entries <= 2)
		return 0;
	return div_u64(user->expected, user->entries) * (user->entries - 2);
}

/* Counts a job that goes on the ring or leaves it; adds @entries and @expected to the counts. */
static void nna_share_count(struct nna_shares *shares, struct nna_share *share, int entries,
			    s64 expected)
{
	struct nna_share_user *user = share->user;

	share->expected += expected;
	shares->spare -= nna_share_user_spare(user);
	user->entries += entries;
	user->expected += expected;
	shares->spare += nna_share_user_spare(user);
}

u64 nna_share_enter(struct nna_shares *shares, struct nna_share *share, u64 budget)
{
	u64 charged = min(share->longest, budget);
	struct nna_share_user *user = share->user;

	/*
	 * Without the expected run time, which may be given back: else a user that wakes would wait
	 * for it. An urgent user does not move @now: else it would always be close enough to be
	 * urgent again.
	 */
	if (!user->urgent)
		shares->now = max(shares->now, user->used - user->expected);
	user->now = max(user->now, share->used - share->expected);
	nna_share_user_set_used(shares, user, user->used + charged);
	nna_share_set_used(share, share->used + charged, false);
	nna_share_user_set_woken(shares, user, false);
	nna_share_count(shares, share, 1, charged);
	if (user->expected >= NNA_SHARE_RING_NS)
		user->full = true;
	return charged;
}

void nna_share_leave(struct nna_shares *shares, struct nna_share *share, u64 charged,
		     const u64 *ran)
{
	struct nna_share_user *user = share->user;
	const u64 real = ran ? *ran : 0;

	nna_share_count(shares, share, -1, -(s64)charged);
	if (user->expected <= NNA_SHARE_RING_NS / 2)
		user->full = false;
	nna_share_user_set_used(shares, user, user->used - charged + real);
	nna_share_set_used(share, share->used - charged + real, share->woken);
	if (!ran)
		return;
	if (real < share->longest)
		share->longest -= (share->longest - real) / NNA_SHARE_DECAY;
	else
		share->longest = real;
}
