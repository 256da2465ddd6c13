// SPDX-License-Identifier: MIT
/* Waiting for fds in a thread of the library; waiter.h has the design. */
#include "libnnaccel/runtime/waiter.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "libnnaccel/runtime/fence.h"
#include "libnnaccel/support/array.h"
#include "libnnaccel/support/clock.h"
#include "libnnaccel/support/thread.h"

/* ---------------------------------------------------------------------------------------- lists */

static void list_init(struct nna_wait_list *list)
{
	list->first = NULL;
	list->end = &list->first;
}

static void list_append(struct nna_wait_list *list, struct nna_wait *wait)
{
	wait->next = NULL;
	*list->end = wait;
	list->end = &wait->next;
}

static struct nna_wait *list_take_first(struct nna_wait_list *list)
{
	struct nna_wait *wait = list->first;

	if (wait) {
		list->first = wait->next;
		if (!list->first)
			list->end = &list->first;
	}
	return wait;
}

static bool list_remove(struct nna_wait_list *list, const struct nna_wait *wait)
{
	struct nna_wait **link = &list->first;

	while (*link && *link != wait)
		link = &(*link)->next;
	if (!*link)
		return false;
	*link = wait->next;
	if (!*link)
		list->end = link;
	return true;
}

/* --------------------------------------------------------------------------------------- runner */

static void *runner_run(void *arg)
{
	struct nna_waiter *waiter = arg;

	pthread_mutex_lock(&waiter->lock);
	while (!waiter->stop) {
		struct nna_wait *wait = list_take_first(&waiter->ready);

		if (!wait) {
			pthread_cond_wait(&waiter->ready_changed, &waiter->lock);
			continue;
		}
		pthread_mutex_unlock(&waiter->lock);
		wait->done(wait, wait->error);
		pthread_mutex_lock(&waiter->lock);
	}
	pthread_mutex_unlock(&waiter->lock);
	return NULL;
}

/* Starts the runner if there is none. Under @lock. Return: 0 or a negative errno. */
static int need_runner(struct nna_waiter *waiter)
{
	int ret = 0;

	if (!waiter->runner_runs) {
		ret = nna_thread_start(&waiter->runner, "nna-runner", runner_run, waiter);
		waiter->runner_runs = !ret;
	}
	return ret;
}

/* --------------------------------------------------------------------------------------- poller */

/**
 * struct polled - the fds that the poller polls; only the poller uses it
 * @fds: @count of them, the first is @wake
 * @owners: of each of @fds: its wait, and the index among the fds of that wait
 * @count: entries of @fds and @owners
 * @fd_room: entries of @fds that fit
 * @owner_room: entries of @owners that fit
 * @removed: @removed of the waiter when the arrays were filled
 */
struct polled {
	struct pollfd *fds;
	struct {
		struct nna_wait *wait;
		uint32_t index;
	} *owners;
	uint32_t count, fd_room, owner_room;
	uint64_t removed;
};

static bool polled_reserve(struct polled *polled, uint64_t count)
{
	void *fds = nna_array_reserve(polled->fds, count, &polled->fd_room, sizeof(*polled->fds));
	void *owners = nna_array_reserve(polled->owners, count, &polled->owner_room,
					 sizeof(*polled->owners));

	if (fds)
		polled->fds = fds;
	if (owners)
		polled->owners = owners;
	return fds && owners;
}

/* Collects the fds to poll. Under @lock. Return: false without memory. */
static bool polled_collect(struct polled *polled, const struct nna_waiter *waiter)
{
	uint64_t count = 1;

	for (struct nna_wait *wait = waiter->polled.first; wait; wait = wait->next)
		count += wait->left;
	if (!polled_reserve(polled, count))
		return false;
	polled->fds[0] = (struct pollfd){ .fd = waiter->wake, .events = POLLIN };
	polled->count = 1;
	for (struct nna_wait *wait = waiter->polled.first; wait; wait = wait->next) {
		for (uint32_t i = 0; i < wait->count; i++) {
			if (wait->fds[i] < 0)
				continue;
			polled->fds[polled->count] =
				(struct pollfd){ .fd = wait->fds[i], .events = POLLIN };
			polled->owners[polled->count].wait = wait;
			polled->owners[polled->count++].index = i;
		}
	}
	polled->removed = waiter->removed;
	return true;
}

/* Return: the time until the first deadline, for ppoll(); NULL without a deadline. Under @lock. */
static const struct timespec *time_left(const struct nna_waiter *waiter, struct timespec *left)
{
	uint64_t first = UINT64_MAX, now;

	for (const struct nna_wait *wait = waiter->polled.first; wait; wait = wait->next)
		if (wait->deadline_ns && wait->deadline_ns < first)
			first = wait->deadline_ns;
	if (first == UINT64_MAX)
		return NULL;
	now = nna_now_ns();
	first = first > now ? first - now : 0;
	*left = (struct timespec){ first / 1000000000, first % 1000000000 };
	return left;
}

/* Records the fds that have signalled, and whether one has failed. Under @lock. */
static void take_signals(struct nna_waiter *waiter, const struct polled *polled)
{
	if (polled->removed != waiter->removed)
		return; /* fds that have signalled will poll readable again */
	for (uint32_t i = 1; i < polled->count; i++) {
		struct nna_wait *wait = polled->owners[i].wait;
		uint32_t index = polled->owners[i].index;

		if (!polled->fds[i].revents || wait->error)
			continue;
		wait->error = nna_fence_fd_status(wait->fds[index], polled->fds[i].revents);
		wait->fds[index] = ~wait->fds[index];
		wait->left--;
	}
}

/*
 * Removes the waits that have ended: slow waits go to the runner, others to @done. A wait that ends
 * before all of its fds have signalled counts as slow, because its owner may hold the last
 * reference to a run, and dropping that waits for the run. Under @lock.
 */
static void take_ended(struct nna_waiter *waiter, struct nna_wait_list *done)
{
	struct nna_wait *wait = waiter->polled.first, *next;
	uint64_t now = nna_now_ns();

	list_init(&waiter->polled);
	for (; wait; wait = next) {
		next = wait->next;
		if (!wait->error && wait->left && wait->deadline_ns && wait->deadline_ns <= now)
			wait->error = -ETIMEDOUT;
		if (wait->left && !wait->error)
			list_append(&waiter->polled, wait);
		else if ((wait->slow || wait->left) && !need_runner(waiter))
			list_append(&waiter->ready, wait);
		else
			list_append(done, wait);
	}
	if (waiter->ready.first)
		pthread_cond_signal(&waiter->ready_changed);
}

static void *poller_run(void *arg)
{
	struct nna_waiter *waiter = arg;
	struct polled polled = { 0 };
	struct nna_wait_list done;
	struct nna_wait *wait;

	pthread_mutex_lock(&waiter->lock);
	while (!waiter->stop) {
		/* Without memory for the arrays: tries again every 10 ms. */
		struct pollfd wake = { .fd = waiter->wake, .events = POLLIN };
		struct timespec left = { 0, 10000000 };
		const struct timespec *timeout = &left;
		bool all = polled_collect(&polled, waiter);
		eventfd_t ignored;
		int count;

		if (all)
			timeout = time_left(waiter, &left);
		pthread_mutex_unlock(&waiter->lock);
		if (all)
			count = ppoll(polled.fds, polled.count, timeout, NULL);
		else
			count = ppoll(&wake, 1, timeout, NULL);
		if (count > 0 && (all ? polled.fds : &wake)->revents)
			eventfd_read(waiter->wake, &ignored);
		list_init(&done);
		pthread_mutex_lock(&waiter->lock);
		if (all && count > 0)
			take_signals(waiter, &polled);
		take_ended(waiter, &done);
		if (!done.first)
			continue;
		pthread_mutex_unlock(&waiter->lock);
		while ((wait = list_take_first(&done)))
			wait->done(wait, wait->error);
		pthread_mutex_lock(&waiter->lock);
	}
	pthread_mutex_unlock(&waiter->lock);
	free(polled.fds);
	free(polled.owners);
	return NULL;
}

/* ------------------------------------------------------------------------------------- the rest */

void nna_waiter_init(struct nna_waiter *waiter)
{
	*waiter = (struct nna_waiter){ .pid = getpid(), .wake = -1 };
	pthread_mutex_init(&waiter->lock, NULL);
	pthread_cond_init(&waiter->ready_changed, NULL);
	list_init(&waiter->polled);
	list_init(&waiter->ready);
}

/* Starts the threads that a wait needs. Under @lock. */
static int need_threads(struct nna_waiter *waiter, bool slow)
{
	int ret = 0;

	if (waiter->wake < 0)
		waiter->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (waiter->wake < 0)
		return -errno;
	if (!waiter->poller_runs) {
		ret = nna_thread_start(&waiter->poller, "nna-poller", poller_run, waiter);
		waiter->poller_runs = !ret;
	}
	return ret || !slow ? ret : need_runner(waiter);
}

int nna_waiter_add(struct nna_waiter *waiter, struct nna_wait *wait)
{
	int ret;

	if (getpid() != waiter->pid)
		return -ECHILD;
	wait->left = wait->count;
	wait->error = 0;
	pthread_mutex_lock(&waiter->lock);
	ret = waiter->stop ? -ECANCELED : need_threads(waiter, wait->slow);
	if (!ret) {
		list_append(&waiter->polled, wait);
		/* Under the lock, because the eventfd is closed after the last wait has ended. */
		eventfd_write(waiter->wake, 1);
	}
	pthread_mutex_unlock(&waiter->lock);
	return ret;
}

bool nna_waiter_cancel(struct nna_waiter *waiter, struct nna_wait *wait)
{
	bool found;

	if (getpid() != waiter->pid)
		return true;
	pthread_mutex_lock(&waiter->lock);
	found = list_remove(&waiter->polled, wait);
	waiter->removed += found;
	if (!found)
		found = list_remove(&waiter->ready, wait);
	pthread_mutex_unlock(&waiter->lock);
	return found;
}

void nna_waiter_fini(struct nna_waiter *waiter)
{
	struct nna_wait *wait;

	if (getpid() != waiter->pid)
		return;
	pthread_mutex_lock(&waiter->lock);
	waiter->stop = true;
	if (waiter->wake >= 0)
		eventfd_write(waiter->wake, 1);
	pthread_cond_signal(&waiter->ready_changed);
	pthread_mutex_unlock(&waiter->lock);
	if (waiter->poller_runs)
		pthread_join(waiter->poller, NULL);
	if (waiter->runner_runs)
		pthread_join(waiter->runner, NULL);
	while ((wait = list_take_first(&waiter->polled)) ||
	       (wait = list_take_first(&waiter->ready)))
		wait->done(wait, -ECANCELED);
	if (waiter->wake >= 0)
		close(waiter->wake);
	pthread_cond_destroy(&waiter->ready_changed);
	pthread_mutex_destroy(&waiter->lock);
}
