/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shares: which client's job goes on a ring next. A client is a file.
 *
 * Clients of a ring share the device's time. Each has an account of what its jobs have used. A job
 * is charged with what it is expected to take when it goes on the ring, and with what it has taken
 * when it has ended. Of the clients that have jobs to run, the one whose account is lowest is next;
 * one that is ahead of the lowest by more than NNA_SHARE_LEAD_NS waits even if the ring has room,
 * until the others have caught up. A client that had nothing to run does not save time up: its
 * account is raised to that of the client that was last served. (This is start-time fair queueing.)
 *
 * Unless its account is higher by more than NNA_SHARE_LEAD_NS, the first job of such a client is
 * next. Others may be behind it, since they get back what their jobs have not taken, but many of
 * them would take long to catch up, and they do so afterwards. When it comes the scheduler may
 * still be busy with jobs of others, of whatever number, as it prefers old ones. So nobody else
 * goes on the ring until it has asked for that job: it soon has nothing else to do. For a client
 * whose account is higher only those wait that are even further ahead.
 *
 * As a ring is a queue, what is on it is what others have to wait for. So a client has jobs there
 * for about NNA_SHARE_RING_NS of expected time, and a second one if the first is expected to take
 * less than NNA_SHARE_SECOND_NS. Beyond two of each all clients together have jobs there for about
 * NNA_SHARE_SPARE_NS. Short jobs fill the ring this way. The expectation is the longest of the
 * client's recent jobs: it rises at once and falls slowly, since a client that has sent short jobs
 * may send a long one, and a job that is on the ring cannot be taken back. About a client's first
 * job nothing is known; it is taken for a long one.
 *
 * A data structure without locks: those of a ring are protected by nna_gates.lock. All times are
 * run times of the device in nanoseconds.
 */
#ifndef NNA_SHARE_H
#define NNA_SHARE_H

#include <linux/list.h>
#include <linux/rbtree.h>
#include <linux/types.h>

/** NNA_SHARE_RING_NS - Expected time of a client's jobs on the ring beyond which none is added. */
#define NNA_SHARE_RING_NS	1800000u
/**
 * NNA_SHARE_SPARE_NS - The same of all clients on the ring, but for two jobs of each.
 *
 * Nobody shall wait for longer than two jobs of each client and 20 ms. This leaves time for jobs
 * that take longer than expected, and for the way to the device and back. Less would not do for
 * many clients some of which have short jobs: these need more than two on the ring for their share.
 */
#define NNA_SHARE_SPARE_NS	8000000u
/** NNA_SHARE_SECOND_NS - Expected time of a job beside which there is no second one. */
#define NNA_SHARE_SECOND_NS	20000000u
/**
 * NNA_SHARE_LEAD_NS - How far a client may be ahead of one that has jobs to run.
 *
 * Of 64 clients each has 31 ms of two seconds, and who is this far ahead at one end of them and
 * this far behind at the other still has less than a fifth too much or too little.
 */
#define NNA_SHARE_LEAD_NS	500000u

/**
 * struct nna_shares - The clients of a ring.
 * @active: clients that have jobs to run, by &nna_share.used.
 * @comers: urgent ones with a job that waits for its turn, in the order in which they are served.
 * @now: the account of the client that was last served, when it was, without its expected time;
 *	urgent ones do not count.
 * @late: clients that had nothing to run, and whose first job since is not on the ring yet.
 * @urgent: those of them whose account was not much higher than @now: they are next.
 * @spare: expected time of the jobs on the ring, but for two of each client.
 */
struct nna_shares {
	struct rb_root_cached active;
	struct list_head comers;
	u64 now;
	u32 late;
	u32 urgent;
	u64 spare;
};

/**
 * struct nna_share - A client's share of a ring. Zeroed, but for nna_share_init().
 * @node: in nna_shares.active, if @queues is not 0.
 * @turns: its queues whose first job waits for nothing but its turn.
 * @comer: in nna_shares.comers.
 * @queues: its queues that are in @turns or about to be.
 * @used: its account.
 * @expected: expected time of its jobs on the ring.
 * @longest: expected time of one job.
 * @entries: its jobs on the ring.
 * @late: it counts in nna_shares.late.
 * @urgent: it counts in nna_shares.urgent.
 * @full: no job is added until half of what it may have is left, so that several are then.
 */
struct nna_share {
	struct rb_node node;
	struct list_head turns;
	struct list_head comer;
	u32 queues;
	u64 used;
	u64 expected;
	u64 longest;
	u32 entries;
	bool late;
	bool urgent;
	bool full;
};

/** nna_shares_init() - Initialise the clients of a ring: none. */
void nna_shares_init(struct nna_shares *shares);

/** nna_share_init() - Initialise the share of a client of which nothing is known. */
void nna_share_init(struct nna_share *share);

/** nna_share_wake() - One more of the client's queues has jobs to run. */
void nna_share_wake(struct nna_shares *shares, struct nna_share *share);

/** nna_share_sleep() - One of the client's queues has no jobs to run any more. */
void nna_share_sleep(struct nna_shares *shares, struct nna_share *share);

/** nna_share_add_turn() - The first job of the client's queue @turn waits for its turn. */
void nna_share_add_turn(struct nna_shares *shares, struct nna_share *share, struct list_head *turn);

/** nna_share_remove_turn() - It does not any more; it may not have been added. */
void nna_share_remove_turn(struct nna_shares *shares, struct nna_share *share,
			   struct list_head *turn);

/** nna_share_next() - The client whose job goes on the ring next, or NULL if nobody's may. */
struct nna_share *nna_share_next(const struct nna_shares *shares);

/**
 * nna_share_enter() - A job of the client goes on the ring.
 * @shares: the clients of the ring.
 * @share: the client.
 * @budget: the longest time that the job may take.
 *
 * Return: what it has been charged with, for nna_share_leave().
 */
u64 nna_share_enter(struct nna_shares *shares, struct nna_share *share, u64 budget);

/**
 * nna_share_leave() - A job of the client has left the ring.
 * @shares: the clients of the ring.
 * @share: the client.
 * @charged: what nna_share_enter() has returned.
 * @ran: its run time; NULL if it was never there.
 */
void nna_share_leave(struct nna_shares *shares, struct nna_share *share, u64 charged,
		     const u64 *ran);

#endif
