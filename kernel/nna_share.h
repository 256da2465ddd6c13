/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shares: whose job goes on a ring next. The ring is shared among users (nna_user.h), and what a
 * user gets among its clients. A client is an open file; its queues are its contexts.
 *
 * A queue is runnable when its first job waits for nothing but the choice of its client. A client
 * is idle when none of its queues is runnable, a user when all its clients are idle.
 * Four rules say what is fair:
 *
 *  1. Users get equal run time. Each has an account of the run time of its jobs. The runnable user
 *     with the lowest account is next. A user that is ahead of the lowest account by more than
 *     NNA_SHARE_LEAD_NS waits even if the ring has room. An idle user saves no time up: when it
 *     wakes, its account is raised to that of the user that was last served. (This is start-time
 *     fair queueing.)
 *  2. A user that wakes goes first, unless its account is ahead of that of the user last served by
 *     more than NNA_SHARE_LEAD_NS. It is urgent: until a job of it is on the ring, no other user
 *     puts one there. Users with a lower account wait, too: they have got back what their jobs did
 *     not use, there may be many of them, and they catch up afterwards.
 *  3. The run time of a user's jobs on the ring is bounded, since a job that is there cannot be
 *     taken back and every other user waits for it. The bound is NNA_SHARE_RING_NS of expected run
 *     time, but a second job may always follow one shorter than NNA_SHARE_SECOND_NS. Beyond two
 *     jobs of each, the jobs of all users together are bounded by NNA_SHARE_SPARE_NS.
 *  4. When it is a user's turn, the runnable client with the lowest account among its clients is
 *     next; of two with the same, one that has woken. An idle client saves no time up either. So a
 *     user with 32 files gets no more than one with a single file, and the files share what it
 *     gets.
 *
 * The DRM scheduler cannot apply these rules. It ranks entities, and each context is one: a client
 * with many contexts would get many shares (rule 1). Its default policy prefers the oldest job: a
 * user that wakes would wait for all jobs that were queued before (rule 2). Its credits limit the
 * number of jobs on the ring, not their run time, and not by user (rule 3). So jobs wait outside of
 * the scheduler, and these rules decide which goes to it next (nna_gate.h).
 *
 * A job is charged to its client and its user with its expected run time when it goes on the ring;
 * when it has ended, with its real one instead. The expected run time is the longest of the
 * client's recent jobs. It rises at once and falls slowly, as a client that has sent short jobs may
 * send a long one. The first job of a client is expected to be long.
 *
 * A data structure without locks: those of a ring are protected by the lock of its gates. All times
 * are run times of the device in nanoseconds.
 */
#ifndef NNA_SHARE_H
#define NNA_SHARE_H

#include <linux/list.h>
#include <linux/rbtree.h>
#include <linux/types.h>

/** NNA_SHARE_RING_NS - Bound on the expected run time of a user's jobs on the ring. */
#define NNA_SHARE_RING_NS	1800000u
/**
 * NNA_SHARE_SPARE_NS - The same of all users together, beyond two jobs of each.
 *
 * A job shall wait no longer than two jobs of each user and 20 ms. This bound leaves 12 ms of them
 * for jobs that run longer than expected and for the way to the device and back. A lower one would
 * starve users with short jobs among many others: they need more than two jobs on the ring to get
 * their share.
 */
#define NNA_SHARE_SPARE_NS	8000000u
/** NNA_SHARE_SECOND_NS - A job with this expected run time gets no second one beside it. */
#define NNA_SHARE_SECOND_NS	20000000u
/**
 * NNA_SHARE_LEAD_NS - How far the account of a user may be ahead of the lowest one.
 *
 * With 64 users the share of each is 31 ms of two seconds. A user that is this far ahead at the end
 * of the two seconds and was this far behind at their begin is off by 1 ms, less than a fifth of
 * its share.
 */
#define NNA_SHARE_LEAD_NS	500000u

/**
 * struct nna_shares - The users of a ring.
 * @active: users that are not idle, by &nna_share_user.used.
 * @urgent: the users that have woken, have put no job on the ring since, and whose account was not
 *	ahead of @now by more than NNA_SHARE_LEAD_NS; first come, first served.
 * @now: virtual time: the account of the user that was last served, as it was then, without the
 *	expected run time of its jobs on the ring. Urgent users do not move it.
 * @woken: number of users that have woken and have put no job on the ring since.
 * @spare: expected run time of the jobs on the ring beyond two of each user.
 */
struct nna_shares {
	struct rb_root_cached active;
	struct list_head urgent;
	u64 now;
	u32 woken;
	u64 spare;
};

/**
 * struct nna_share_user - A user's share of a ring. Zeroed, but for nna_share_user_init().
 * @node: in nna_shares.active, if @runnable is not empty.
 * @runnable: its clients with a runnable queue, by &nna_share.used. Empty: the user is idle.
 * @urgent: in nna_shares.urgent.
 * @used: its account.
 * @now: virtual time of its clients, as nna_shares.now.
 * @expected: expected run time of its jobs on the ring.
 * @entries: number of its jobs on the ring.
 * @woken: it counts in nna_shares.woken.
 * @full: it has reached NNA_SHARE_RING_NS, and adds no job until half of that is left: then it adds
 *	several at once.
 */
struct nna_share_user {
	struct rb_node node;
	struct rb_root_cached runnable;
	struct list_head urgent;
	u64 used;
	u64 now;
	u64 expected;
	u32 entries;
	bool woken;
	bool full;
};

/**
 * struct nna_share - A client's share of a ring. Zeroed, but for nna_share_init().
 * @user: its user's share of the ring; it changes only before the client's first wake.
 * @node: in nna_share_user.runnable, if @runnable is not empty.
 * @runnable: its runnable queues, in the order in which they became runnable. Empty: the client is
 *	idle.
 * @used: its account.
 * @expected: expected run time of its jobs on the ring.
 * @longest: expected run time of one job.
 * @woken: it has woken and has put no job on the ring since.
 */
struct nna_share {
	struct nna_share_user *user;
	struct rb_node node;
	struct list_head runnable;
	u64 used;
	u64 expected;
	u64 longest;
	bool woken;
};

/** nna_shares_init() - Initialise the users of a ring: none. */
void nna_shares_init(struct nna_shares *shares);

/** nna_share_user_init() - Initialise the share of a user without clients. */
void nna_share_user_init(struct nna_share_user *user);

/** nna_share_init() - Initialise the share of a client of which nothing is known. */
void nna_share_init(struct nna_share *share, struct nna_share_user *user);

/** nna_share_add() - Add a queue of the client that has become runnable. */
void nna_share_add(struct nna_shares *shares, struct nna_share *share, struct list_head *queue);

/** nna_share_next_turn() - Put a queue that stays runnable behind the others of its client. */
void nna_share_next_turn(struct nna_share *share, struct list_head *queue);

/** nna_share_remove() - Remove a queue of the client that is not runnable any more. */
void nna_share_remove(struct nna_shares *shares, struct nna_share *share, struct list_head *queue);

/** nna_share_next() - The client whose job goes on the ring next, or NULL if none may. */
struct nna_share *nna_share_next(const struct nna_shares *shares);

/**
 * nna_share_enter() - A job of the client goes on the ring.
 * @shares: the users of the ring.
 * @share: the client.
 * @budget: the longest time that the job may take.
 *
 * Return: what it has been charged with, for nna_share_leave().
 */
u64 nna_share_enter(struct nna_shares *shares, struct nna_share *share, u64 budget);

/**
 * nna_share_leave() - A job of the client has left the ring.
 * @shares: the users of the ring.
 * @share: the client.
 * @charged: what nna_share_enter() has returned.
 * @ran: its run time; NULL if it was never there.
 */
void nna_share_leave(struct nna_shares *shares, struct nna_share *share, u64 charged,
		     const u64 *ran);

#endif
