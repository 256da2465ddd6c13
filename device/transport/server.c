// SPDX-License-Identifier: MIT
#include "device/transport/server.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

/**
 * struct nnadev_server - the thread and its client
 * @vfu: serves a client
 * @stop: readable when serving is to end
 * @left: eventfd, raised when the client has left and its state is gone
 * @spare: a spare descriptor. It is closed for a moment to accept and refuse a connection when the
 *	process has reached its limit of open files.
 * @thread: calls nnadev_vfu_serve()
 * @lock: guards the members below
 * @changed: signalled when there is a client to serve, and to end
 * @waiting: a client that @thread is to take over, or -1
 * @client: a duplicate of the socket of the client that is served, or -1
 * @result: of the last client
 * @quit: @thread is to end
 */
struct nnadev_server {
	struct nnadev_vfu *vfu;
	int stop;
	int left;
	int spare;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int waiting;
	int client;
	int result;
	bool quit;
};

static void *serve(void *arg)
{
	struct nnadev_server *server = arg;

	pthread_mutex_lock(&server->lock);
	for (;;) {
		uint64_t one = 1;
		int client, ret;

		while (server->waiting < 0 && !server->quit)
			pthread_cond_wait(&server->changed, &server->lock);
		client = server->waiting;
		if (client < 0)
			break;
		server->waiting = -1;
		pthread_mutex_unlock(&server->lock);
		ret = nnadev_vfu_serve(server->vfu, client, server->stop);
		pthread_mutex_lock(&server->lock);
		server->result = ret;
		close(server->client);
		server->client = -1;
		while (write(server->left, &one, sizeof(one)) < 0 && errno == EINTR)
			;
	}
	pthread_mutex_unlock(&server->lock);
	return NULL;
}

/* Whether either side has closed the client's connection. */
static bool is_gone(struct nnadev_server *server)
{
	struct pollfd fds = { .events = POLLRDHUP };
	bool gone;

	pthread_mutex_lock(&server->lock);
	fds.fd = server->client;
	gone = fds.fd < 0 || (poll(&fds, 1, 0) > 0 && fds.revents);
	pthread_mutex_unlock(&server->lock);
	return gone;
}

/* Accept a connection and close it: the server is occupied. */
static void refuse(struct nnadev_server *server, int listener)
{
	int client = accept4(listener, NULL, NULL, SOCK_CLOEXEC);

	if (client < 0 && (errno == EMFILE || errno == ENFILE) && server->spare >= 0) {
		close(server->spare);
		client = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
		if (client >= 0)
			close(client);
		/* If another thread took it, there is no spare until the client leaves. */
		server->spare = fcntl(server->stop, F_DUPFD_CLOEXEC, 0);
		return;
	}
	if (client >= 0)
		close(client);
}

/* Accept a connection as the client. Return: whether there is a client now. */
static bool take(struct nnadev_server *server, int listener)
{
	int client = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK), twin;

	if (client < 0)
		return false;
	twin = fcntl(client, F_DUPFD_CLOEXEC, 0);
	if (twin < 0) {
		close(client);
		return false;
	}
	pthread_mutex_lock(&server->lock);
	server->waiting = client;
	server->client = twin;
	pthread_cond_signal(&server->changed);
	pthread_mutex_unlock(&server->lock);
	return true;
}

/* Collect the end of the client. Return: its result. */
static int part(struct nnadev_server *server)
{
	uint64_t n;
	int ret;

	while (read(server->left, &n, sizeof(n)) < 0 && errno == EINTR)
		;
	if (server->spare < 0)
		server->spare = fcntl(server->stop, F_DUPFD_CLOEXEC, 0);
	pthread_mutex_lock(&server->lock);
	ret = server->result;
	pthread_mutex_unlock(&server->lock);
	return ret;
}

int nnadev_server_run(struct nnadev_server *server, int listener, bool once)
{
	bool busy = false, gone = false;

	for (;;) {
		struct pollfd fds[3] = {
			{ .fd = server->stop, .events = POLLIN },
			{ .fd = server->left, .events = POLLIN },
			{ .fd = gone ? -1 : listener, .events = POLLIN },
		};
		int ret;

		if (poll(fds, 3, -1) < 0) {
			if (errno != EINTR)
				return -errno;
			continue;
		}
		if (fds[0].revents)
			return 0;
		if (fds[1].revents) {
			busy = gone = false;
			ret = part(server);
			if (ret == -ECANCELED)
				return 0;
			if (once)
				return ret;
			continue;
		}
		if (!fds[2].revents)
			continue;
		if (!busy)
			busy = take(server, listener);
		else if (is_gone(server))
			gone = true;
		else
			refuse(server, listener);
	}
}

void nnadev_server_disconnect(struct nnadev_server *server)
{
	pthread_mutex_lock(&server->lock);
	if (server->client >= 0)
		shutdown(server->client, SHUT_RDWR);
	pthread_mutex_unlock(&server->lock);
}

int nnadev_server_create(struct nnadev_vfu *vfu, int stop, struct nnadev_server **out)
{
	struct nnadev_server *server = calloc(1, sizeof(*server));
	int ret;

	if (!server)
		return -ENOMEM;
	server->vfu = vfu;
	server->stop = stop;
	server->waiting = -1;
	server->client = -1;
	server->left = eventfd(0, EFD_CLOEXEC);
	server->spare = fcntl(stop, F_DUPFD_CLOEXEC, 0);
	if (server->left < 0 || server->spare < 0) {
		ret = -errno;
		goto fail;
	}
	pthread_mutex_init(&server->lock, NULL);
	pthread_cond_init(&server->changed, NULL);
	ret = -pthread_create(&server->thread, NULL, serve, server);
	if (ret == 0) {
		*out = server;
		return 0;
	}
	pthread_mutex_destroy(&server->lock);
	pthread_cond_destroy(&server->changed);
fail:
	if (server->left >= 0)
		close(server->left);
	if (server->spare >= 0)
		close(server->spare);
	free(server);
	return ret;
}

void nnadev_server_destroy(struct nnadev_server *server)
{
	if (!server)
		return;
	pthread_mutex_lock(&server->lock);
	server->quit = true;
	pthread_cond_signal(&server->changed);
	pthread_mutex_unlock(&server->lock);
	pthread_join(server->thread, NULL);
	pthread_mutex_destroy(&server->lock);
	pthread_cond_destroy(&server->changed);
	close(server->left);
	if (server->spare >= 0)
		close(server->spare);
	free(server);
}
