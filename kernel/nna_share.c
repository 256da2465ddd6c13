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
	INIT_LIST_HEAD(&shares->urgent);
	shares->now = 0;
	shares->woken = 0;
	shares->spare = 0;
}

void nna_share_user_init(struct nna_share_user *user)
{
	user->runnable = RB_ROOT_CACHED;
	INIT_LIST_HEAD(&user->urgent);
}

void nna_share_init(struct nna_share *share, struct nna_share_user *user)
{
	share->user = user;
	INIT_LIST_HEAD(&share->runnable);
	share->longest = NNA_SHARE_SECOND_NS;
}

static bool nna_share_user_is_idle(const struct nna_share_user *user)
{
	return RB_EMPTY_ROOT(&user->runnable.rb_root);
}

static void nna_share_user_set_used(struct nna_shares *shares, struct nna_share_user *user,
				    u64 used)
{
	bool idle = nna_share_user_is_idle(user);

	if (!idle)
		rb_erase_cached(&user->node, &shares->active);
	user->used = used;
	if (!idle)
		rb_add_cached(&user->node, &shares->active, nna_share_user_less);
}

static void nna_share_set_used(struct nna_share *share, u64 used, bool woken)
{
	bool idle = list_empty(&share->runnable);

	if (!idle)
		rb_erase_cached(&share->node, &share->user->runnable);
	share->used = used;
	share->woken = woken;
	if (!idle)
		rb_add_cached(&share->node, &share->user->runnable, nna_share_less);
}

static void nna_share_user_set_woken(struct nna_shares *shares, struct nna_share_user *user,
				     bool woken)
{
	shares->woken += woken - user->woken;
	user->woken = woken;
	/* Rule 2: a user that is ahead waits like users that were not idle. */
	if (woken && user->used <= shares->now + NNA_SHARE_LEAD_NS)
		list_add_tail(&user->urgent, &shares->urgent);
	else
		list_del_init(&user->urgent);
}

void nna_share_add(struct nna_shares *shares, struct nna_share *share, struct list_head *queue)
{
	struct nna_share_user *user = share->user;
	bool user_wakes = nna_share_user_is_idle(user), wakes = list_empty(&share->runnable);

	list_add_tail(queue, &share->runnable);
	if (wakes) {
		share->woken = true;
		share->used = max(share->used, user->now);
		rb_add_cached(&share->node, &user->runnable, nna_share_less);
	}
	if (user_wakes) {
		nna_share_user_set_woken(shares, user, !user->entries);
		user->used = max(user->used, shares->now);
		rb_add_cached(&user->node, &shares->active, nna_share_user_less);
	}
}

void nna_share_next_turn(struct nna_share *share, struct list_head *queue)
{
	list_move_tail(queue, &share->runnable);
}

void nna_share_remove(struct nna_shares *shares, struct nna_share *share, struct list_head *queue)
{
	struct nna_share_user *user = share->user;

	list_del_init(queue);
	if (!list_empty(&share->runnable))
		return;
	rb_erase_cached(&share->node, &user->runnable);
	if (!nna_share_user_is_idle(user))
		return;
	nna_share_user_set_woken(shares, user, false);
	rb_erase_cached(&user->node, &shares->active);
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

	if (!list_empty(&shares->urgent))
		return list_first_entry(&shares->urgent, struct nna_share_user, urgent);
	/*
	 * A user without room has jobs on the ring, so the loop skips at most as many as the ring
	 * has.
	 */
	for (node = first; node; node = rb_next(node)) {
		struct nna_share_user *user = to_nna_share_user(node);

		if (user->used - to_nna_share_user(first)->used > NNA_SHARE_LEAD_NS)
			break;
		if (nna_share_user_has_room(shares, user))
			return user;
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
	if (list_empty(&user->urgent))
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
