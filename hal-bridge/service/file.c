// SPDX-License-Identifier: MIT
/* Files of clients that the service keeps beyond a call (file.h). */
#include "hal-bridge/service/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "hal-bridge/service/helper.h"
#include "hal-bridge/service/service.h"
#include "libnnaccel/support/message.h"

/**
 * struct nnb_closing - a file that is to be closed
 * @task: of the closers
 * @service: the service
 * @user: of the client, who has one client more for this
 * @fd: the descriptor
 */
struct nnb_closing {
	struct nnb_task task;
	struct nnb_service *service;
	struct nnb_user *user;
	int fd;
};

static void nnb_closing_run(struct nnb_task *task)
{
	struct nnb_closing *closing = (struct nnb_closing *)task;

	close(closing->fd);
	pthread_mutex_lock(&closing->service->lock);
	/* The service forgets a user without clients when it looks for one the next time. */
	closing->user->closing--;
	closing->user->clients--;
	pthread_mutex_unlock(&closing->service->lock);
	free(closing);
}

int nnb_file_keep(struct nnb_client *client, int fd)
{
	uint32_t closing;
	int copy;

	pthread_mutex_lock(&client->service->lock);
	closing = client->user->closing;
	pthread_mutex_unlock(&client->service->lock);
	if (closing >= NNB_CLOSING_PER_USER) {
		nna_message(DRIVER, "hal: uid %u has %u files that cannot be closed: their file "
			    "system may hang", (unsigned int)client->caller.euid, closing);
		return -EAGAIN;
	}
	copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return copy < 0 ? -errno : copy;
}

void nnb_file_close(struct nnb_client *client, int fd)
{
	struct nnb_service *service = client->service;
	struct nnb_closing *closing = NULL;

	if (fd < 0)
		return;
	if (nnb_file_has_file_system(fd) && !nnb_file_is_memory(fd))
		closing = calloc(1, sizeof(*closing));
	if (!closing) {
		close(fd);
		return;
	}
	closing->task.run = nnb_closing_run;
	closing->task.key = client->caller.euid;
	closing->service = service;
	closing->user = client->user;
	closing->fd = fd;
	pthread_mutex_lock(&service->lock);
	client->user->closing++;
	client->user->clients++;
	pthread_mutex_unlock(&service->lock);
	nnb_workers_add(&service->closers, &closing->task);
}
