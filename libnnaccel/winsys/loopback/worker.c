// SPDX-License-Identifier: MIT
/*
 * The worker. It polls an eventfd, with which the other threads wake it, and the in-fences of the
 * first job of each queue.
 */
#include <errno.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "libnnaccel/support/array.h"
#include "libnnaccel/winsys/loopback/loopback.h"

/* Return: 0, or the error with which a signalled in-fence ended. Only a sync_file has an error. */
static int in_fence_error(int fd, short revents)
{
	struct sync_file_info info = { 0 };

	if (revents & POLLNVAL)
		return -EBADF;
	if (!ioctl(fd, SYNC_IOC_FILE_INFO, &info))
		return info.status < 0 ? info.status : 0;
	return revents & POLLERR ? -EIO : 0;
}

/* Whether all in-fences have signalled. */
static bool fences_done(struct nna_loopback_job *job)
{
	for (uint32_t i = 0; i < job->fd_count; i++)
		if (job->fds[i] >= 0)
			return false;
	return true;
}

/*
 * Checks the in-fences of each queue's first job, and moves jobs whose in-fences have signalled to
 * their rings. A job whose in-fence failed, or whose queue is banned, ends without having run.
 * Under @jobs. *moved: at least one job was moved. Return: the number of fds to poll; the first
 * @room of them are in @polls.
 */
static uint32_t advance(struct nna_loopback *lb, struct pollfd *polls, uint32_t room, bool *moved)
{
	struct nna_loopback_queue **link = &lb->waiting;
	uint32_t count = 0;

	while (*link) {
		struct nna_loopback_queue *q = *link;

		while (q->first) {
			struct nna_loopback_job *job = q->first;
			int error = q->banned ? -ECANCELED : 0;

			for (uint32_t i = 0; i < job->fd_count && !error; i++) {
				struct pollfd p = { .fd = job->fds[i], .events = POLLIN };

				if (job->fds[i] < 0)
					continue;
				if (poll(&p, 1, 0) <= 0) {
					if (count < room)
						polls[count] = p;
					count++;
					continue;
				}
				error = in_fence_error(p.fd, p.revents);
				close(p.fd);
				job->fds[i] = -1;
			}
			if (!error &&
			    (!fences_done(job) || nna_loopback_ring_full(&lb->rings[q->ring])))
				break;
			*moved = true;
			q->first = job->next;
			if (!q->first)
				q->last = NULL;
			job->next = NULL;
			if (error) {
				/*
				 * The job's reference to the queue may be the last one, and the
				 * loop still uses the queue.
				 */
				q->references++;
				nna_loopback_job_end(lb, job,
						     error == -ECANCELED ? error : -ECANCELED);
				q->references--;
			} else {
				nna_loopback_ring_push(lb, job);
			}
		}
		if (q->first) {
			link = &q->next;
		} else {
			*link = q->next;
			q->listed = false;
			q->next = NULL;
			if (!q->references)
				free(q);
		}
	}
	return count;
}

/*
 * Frees the BOs that no active job can use: all active jobs were submitted after the BO was
 * destroyed.
 */
static void free_zombies(struct nna_loopback *lb)
{
	struct nna_loopback_bo *ready = NULL, **link;

	pthread_mutex_lock(&lb->jobs);
	link = &lb->zombies;
	while (*link) {
		struct nna_loopback_bo *bo = *link;

		if (lb->oldest && lb->oldest->ticket < bo->ticket) {
			link = &bo->next;
			continue;
		}
		*link = bo->next;
		bo->next = ready;
		ready = bo;
	}
	pthread_mutex_unlock(&lb->jobs);
	while (ready) {
		struct nna_loopback_bo *next = ready->next;

		nna_loopback_bo_free(lb, ready);
		ready = next;
	}
}

void *nna_loopback_worker_run(void *user)
{
	struct nna_loopback *lb = user;
	struct pollfd *polls = NULL;
	uint32_t room = 0, size = 0;

	while (!atomic_load(&lb->stop)) {
		struct pollfd one = { .fd = lb->wake, .events = POLLIN };
		struct pollfd *list;
		uint32_t count;
		uint64_t ignored;
		bool moved = false;
		int timeout = -1;

		pthread_mutex_lock(&lb->jobs);
		count = advance(lb, polls ? polls + 1 : NULL, room, &moved);
		pthread_mutex_unlock(&lb->jobs);
		if (moved) {
			nnadev_knock(lb->dev);
			nna_loopback_leader_call(lb);
		}
		free_zombies(lb);
		if (count > room) {
			struct pollfd *grown = nna_array_reserve(polls, (uint64_t)count + 1, &size,
								 sizeof(*polls));

			if (grown) {
				polls = grown;
				room = size - 1;
				continue;
			}
			/* Without memory for the list: the other fds are checked every 10 ms. */
			count = room;
			timeout = 10;
		}
		list = polls ? polls : &one;
		list[0] = one;
		if (poll(list, (polls ? count : 0) + 1, timeout) > 0 && list[0].revents & POLLIN &&
		    read(lb->wake, &ignored, sizeof(ignored)) < 0)
			continue; /* the eventfd has been read already */
	}
	free(polls);
	return NULL;
}
