// SPDX-License-Identifier: GPL-2.0-only
/* Shares of a ring's time: see nna_share.h. */

#include <linux/container_of.h>
#include <linux/math64.h>
#include <linux/minmax.h>

#include "nna_share.h"

/* A job shorter than expected lowers the expected run time by this fraction of the difference. */
#define NNA_SHARE_DECAY	8

static struct nna_share *to_nna_share(const struct rb_node *node)
{
	return container_of(node, struct nna_share, node);
}

static bool nna_share_less(struct rb_node *a, const struct rb_node *b)
{
	return to_nna_share(a)->used < to_nna_share(b)->used;
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

void nna_share_init(struct nna_share *share)
{
	INIT_LIST_HEAD(&share->runnable);
	INIT_LIST_HEAD(&share->urgent_node);
	share->longest = NNA_SHARE_SECOND_NS;
}

static void nna_share_set_used(struct nna_shares *shares, struct nna_share *share, u64 used)
{
	if (share->queues)
		rb_erase_cached(&share->node, &shares->active);
	share->used = used;
	if (share->queues)
		rb_add_cached(&share->node, &shares->active, nna_share_less);
}

/* Called when the client has become urgent or not, or has got or lost its last runnable queue. */
static void nna_share_update_urgent(struct nna_shares *shares, struct nna_share *share)
{
	bool first = share->urgent && !list_empty(&share->runnable);

	if (!first)
		list_del_init(&share->urgent_node);
	else if (list_empty(&share->urgent_node))
		list_add_tail(&share->urgent_node, &shares->urgent_runnable);
}

static void nna_share_set_woken(struct nna_shares *shares, struct nna_share *share, bool woken)
{
	/* Rule 2: a client that is ahead waits like clients that were not idle. */
	bool urgent = woken && share->used <= shares->now + NNA_SHARE_LEAD_NS;

	shares->woken += woken - share->woken;
	share->woken = woken;
	shares->urgent += urgent - share->urgent;
	share->urgent = urgent;
	nna_share_update_urgent(shares, share);
}

void nna_share_wake(struct nna_shares *shares, struct nna_share *share)
{
	if (share->queues++)
		return;
	nna_share_set_woken(shares, share, !share->entries);
	share->used = max(share->used, shares->now);
	rb_add_cached(&share->node, &shares->active, nna_share_less);
}

void nna_share_sleep(struct nna_shares *shares, struct nna_share *share)
{
	if (--share->queues)
		return;
	nna_share_set_woken(shares, share, false);
	rb_erase_cached(&share->node, &shares->active);
}

void nna_share_add_runnable(struct nna_shares *shares, struct nna_share *share,
			    struct list_head *queue)
{
	list_add_tail(queue, &share->runnable);
	nna_share_update_urgent(shares, share);
}

void nna_share_remove_runnable(struct nna_shares *shares, struct nna_share *share,
			       struct list_head *queue)
{
	list_del_init(queue);
	nna_share_update_urgent(shares, share);
}

static bool nna_share_has_room(const struct nna_shares *shares, const struct nna_share *share)
{
	switch (share->entries) {
	case 0:
		return true;
	case 1:
		return share->expected < NNA_SHARE_SECOND_NS;
	default:
		return !share->full && shares->spare < NNA_SHARE_SPARE_NS;
	}
}

struct nna_share *nna_share_next(const struct nna_shares *shares)
{
	struct rb_node *first = rb_first_cached(&shares->active), *node;

	if (!list_empty(&shares->urgent_runnable))
		return list_first_entry(&shares->urgent_runnable, struct nna_share, urgent_node);
	if (shares->urgent)
		return NULL;
	/*
	 * A client without room has jobs on the ring, so the loop skips at most as many as the ring
	 * has.
	 */
	for (node = first; node; node = rb_next(node)) {
		struct nna_share *share = to_nna_share(node);

		if (share->used - to_nna_share(first)->used > NNA_SHARE_LEAD_NS)
			break;
		if (!list_empty(&share->runnable) && nna_share_has_room(shares, share))
			return share;
		if (share->woken)
			break;
	}
	return NULL;
}

/* Expected run time of a client's jobs on the ring beyond two. */
static u64 nna_share_spare(const struct nna_share *share)
{
	if (share->entries <= 2)
		return 0;
	return div_u64(share->expected, share->entries) * (share->entries - 2);
}

/* Counts a job that goes on the ring or leaves it; adds @entries and @expected to the counts. */
static void nna_share_count(struct nna_shares *shares, struct nna_share *share, int entries,
			    s64 expected)
{
	shares->spare -= nna_share_spare(share);
	share->entries += entries;
	share->expected += expected;
	shares->spare += nna_share_spare(share);
}

u64 nna_share_enter(struct nna_shares *shares, struct nna_share *share, u64 budget)
{
	u64 charged = min(share->longest, budget);

	/*
	 * Without the expected run time, which may be given back: else a client that wakes would
	 * wait for it. An urgent client does not move @now: else it would always be close enough to
	 * be urgent again.
	 */
	if (!share->urgent)
		shares->now = max(shares->now, share->used - share->expected);
	nna_share_set_used(shares, share, share->used + charged);
	nna_share_set_woken(shares, share, false);
	nna_share_count(shares, share, 1, charged);
	if (share->expected >= NNA_SHARE_RING_NS)
		share->full = true;
	return charged;
}

void nna_share_leave(struct nna_shares *shares, struct nna_share *share, u64 charged,
		     const u64 *ran)
{
	nna_share_count(shares, share, -1, -(s64)charged);
	if (share->expected <= NNA_SHARE_RING_NS / 2)
		share->full = false;
	nna_share_set_used(shares, share, share->used - charged + (ran ? *ran : 0));
	if (!ran)
		return;
	if (*ran < share->longest)
		share->longest -= (share->longest - *ran) / NNA_SHARE_DECAY;
	else
		share->longest = *ran;
}
