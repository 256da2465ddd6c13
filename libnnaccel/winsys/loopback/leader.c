// SPDX-License-Identifier: MIT
/*
 * Leader and followers: the threads that may run the model (loopback.h). @led belongs to the
 * leader, which clears it or hands it to a follower under @turn; other threads only read it.
 */
#include <errno.h>
#include <linux/futex.h>
#include <sys/prctl.h>

#include "libnnaccel/support/clock.h"
#include "libnnaccel/winsys/loopback/loopback.h"

/* The time for which work that no thread waits for is left to a thread that may begin to wait. */
#define STANDBY_NS 50000
/* Slack of a sleep; the system's default would double its length. */
#define STANDBY_SLACK_NS 1000

/* Adds a follower at the end of the list. Under @turn. */
static void enlist(struct nna_loopback *lb, struct nna_loopback_follower *f)
{
	f->next = NULL;
	f->previous = lb->last_follower;
	*(f->previous ? &f->previous->next : &lb->first_follower) = f;
	lb->last_follower = f;
	/* A leader without work checks once more before it gives up. */
	atomic_fetch_add(&lb->calls, 1);
}

/* Under @turn. */
static void unlist(struct nna_loopback *lb, struct nna_loopback_follower *f)
{
	*(f->previous ? &f->previous->next : &lb->first_follower) = f->next;
	*(f->next ? &f->next->previous : &lb->last_follower) = f->previous;
}

/* Under @turn, because the follower may return as soon as @turn is free. */
static void wake(atomic_uint *word)
{
	atomic_fetch_add(word, 1);
	nna_loopback_futex(word, FUTEX_WAKE_BITSET, 1, NULL);
}

/*
 * Makes the follower that has waited longest the leader, or wakes the thread that stands by. Under
 * @turn.
 */
static void appoint(struct nna_loopback *lb)
{
	struct nna_loopback_follower *f = lb->first_follower;

	lb->led = f;
	if (f) {
		unlist(lb, f);
		f->leads = true;
		wake(&f->word);
	} else {
		wake(&lb->standby_calls);
	}
}

void nna_loopback_leader_call(struct nna_loopback *lb)
{
	pthread_mutex_lock(&lb->turn);
	atomic_fetch_add(&lb->calls, 1);
	if (!lb->led)
		appoint(lb);
	pthread_mutex_unlock(&lb->turn);
}

void nna_loopback_leader_tell(struct nna_loopback *lb)
{
	pthread_mutex_lock(&lb->turn);
	for (struct nna_loopback_follower *f = lb->first_follower; f; f = f->next)
		if (f->is_over(f->what))
			wake(&f->word);
	pthread_mutex_unlock(&lb->turn);
}

/* Return: true if a thread need not wait any longer. */
static bool has_ended(const struct nna_loopback_follower *me)
{
	return me->is_over(me->what) || (me->until != UINT64_MAX && nna_now_ns() >= me->until);
}

/*
 * Runs the model as the leader until @me has nothing to wait for or no work is left, and gives the
 * lead up. Takes @turn, which the caller releases. Return: true if @me need not wait.
 */
static bool lead(struct nna_loopback *lb, struct nna_loopback_follower *me)
{
	bool left, over;

	for (;;) {
		const uint32_t calls = atomic_load(&lb->calls);

		left = nnadev_run(lb->dev, me->is_over, me->what, me->until);
		pthread_mutex_lock(&lb->turn);
		/* Threads that have called since then rely on this leader. */
		left = left || atomic_load(&lb->calls) != calls;
		over = has_ended(me);
		if (over || !left)
			break;
		pthread_mutex_unlock(&lb->turn);
	}
	me->leads = false;
	if (left)
		appoint(lb);
	else
		lb->led = false;
	return over;
}

/* Sleeps until the follower's word differs from @seen, or until its deadline. */
static void sleep_on(struct nna_loopback_follower *me, uint32_t seen)
{
	const struct timespec until = { (time_t)(me->until / 1000000000),
					(long)(me->until % 1000000000) };

	nna_loopback_futex(&me->word, FUTEX_WAIT_BITSET, seen,
			   me->until == UINT64_MAX ? NULL : &until);
}

/* The result of the wait. A job goes on after its last waiter has left. */
static int result(struct nna_loopback *lb, const struct nna_loopback_follower *me)
{
	if (me->is_over(me->what))
		return 0;
	nna_loopback_leader_call(lb);
	return -ETIME;
}

int nna_loopback_leader_wait(struct nna_loopback *lb, bool (*is_over)(const void *what),
			     const void *what, int64_t deadline_ns)
{
	struct nna_loopback_follower me = {
		.is_over = is_over,
		.what = what,
		.until = deadline_ns == INT64_MAX ? UINT64_MAX :
			 deadline_ns > 0	  ? (uint64_t)deadline_ns :
						    0,
	};
	bool over = has_ended(&me);

	if (over)
		return result(lb, &me);
	pthread_mutex_lock(&lb->turn);
	/* Events before this point were told only to followers in the list. */
	over = has_ended(&me);
	if (!over && lb->led)
		enlist(lb, &me);
	else if (!over)
		lb->led = me.leads = true;
	while (!over) {
		const uint32_t seen = atomic_load(&me.word);
		const bool leads = me.leads;

		pthread_mutex_unlock(&lb->turn);
		if (leads) {
			over = lead(lb, &me);
			if (!over)
				enlist(lb, &me);
			continue;
		}
		sleep_on(&me, seen);
		pthread_mutex_lock(&lb->turn);
		/* It has become the leader meanwhile, and gives the lead up as a leader does. */
		over = !me.leads && has_ended(&me);
		if (over)
			unlist(lb, &me);
	}
	pthread_mutex_unlock(&lb->turn);
	return result(lb, &me);
}

static bool is_stopped(const void *what)
{
	return atomic_load(&((const struct nna_loopback *)what)->stop);
}

/* Lets the standby thread lead if it is needed. Return: true if it has led. */
static bool take_over(struct nna_loopback *lb)
{
	bool taken;

	pthread_mutex_lock(&lb->turn);
	taken = !lb->led;
	if (taken) {
		lb->led = true;
		atomic_fetch_add(&lb->standby_leads, 1);
	}
	pthread_mutex_unlock(&lb->turn);
	return taken;
}

void *nna_loopback_leader_stand_by(void *user)
{
	const struct timespec little = { 0, STANDBY_NS };
	struct nna_loopback *lb = user;
	struct nna_loopback_follower me = {
		.is_over = is_stopped, .what = lb, .until = UINT64_MAX,
	};
	uint32_t seen = 0;

	prctl(PR_SET_TIMERSLACK, STANDBY_SLACK_NS);
	while (!is_stopped(lb)) {
		const uint32_t calls = atomic_load(&lb->standby_calls);

		if (calls == seen) {
			nna_loopback_futex(&lb->standby_calls, FUTEX_WAIT_BITSET, seen, NULL);
			continue;
		}
		seen = calls;
		nanosleep(&little, NULL);
		if (take_over(lb)) {
			lead(lb, &me);
			pthread_mutex_unlock(&lb->turn);
		}
	}
	return NULL;
}
