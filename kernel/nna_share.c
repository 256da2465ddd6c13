// SPDX-License-Identifier: GPL-2.0-only
/* Shares of a ring's time: see nna_share.h. */

#include <linux/container_of.h>
#include <linux/minmax.h>

#include "nna_share.h"

/* By what part of the difference the expectation falls with each job that is shorter. */
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
	shares->now = 0;
	shares->late = 0;
}

void nna_share_init(struct nna_share *share)
{
	INIT_LIST_HEAD(&share->turns);
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

static void nna_share_set_late(struct nna_shares *shares, struct nna_share *share, bool late)
{
	shares->late += late - share->late;
	share->late = late;
}

void nna_share_wake(struct nna_shares *shares, struct nna_share *share)
{
	if (share->queues++)
		return;
	nna_share_set_late(shares, share, !share->entries);
	share->used = max(share->used, shares->now);
	rb_add_cached(&share->node, &shares->active, nna_share_less);
}

void nna_share_sleep(struct nna_shares *shares, struct nna_share *share)
{
	if (--share->queues)
		return;
	nna_share_set_late(shares, share, false);
	rb_erase_cached(&share->node, &shares->active);
}

static bool nna_share_has_room(const struct nna_share *share)
{
	switch (share->entries) {
	case 0:
		return true;
	case 1:
		return share->expected < NNA_SHARE_SECOND_NS;
	default:
		return !share->full;
	}
}

struct nna_share *nna_share_next(const struct nna_shares *shares)
{
	struct rb_node *first = rb_first_cached(&shares->active), *node;

	/* Whoever has no room has entries, so no more are passed over than the ring has. */
	for (node = first; node; node = rb_next(node)) {
		struct nna_share *share = to_nna_share(node);

		if (share->used - to_nna_share(first)->used > NNA_SHARE_LEAD_NS)
			break;
		if (!list_empty(&share->turns) && nna_share_has_room(share))
			return share;
		if (share->late)
			break;
	}
	return NULL;
}

u64 nna_share_enter(struct nna_shares *shares, struct nna_share *share, u64 budget)
{
	u64 charged = min(share->longest, budget);

	/* Without what it may get back: a client that comes would have to wait for that. */
	shares->now = max(shares->now, share->used - share->expected);
	nna_share_set_used(shares, share, share->used + charged);
	nna_share_set_late(shares, share, false);
	share->entries++;
	share->expected += charged;
	if (share->expected >= NNA_SHARE_RING_NS)
		share->full = true;
	return charged;
}

void nna_share_leave(struct nna_shares *shares, struct nna_share *share, u64 charged,
		     const u64 *ran)
{
	share->entries--;
	share->expected -= charged;
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
