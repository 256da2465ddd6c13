// SPDX-License-Identifier: MIT
/*
 * nna-device: an accelerator as a process. It serves a device model (models.h) to one virtual
 * machine at a time over vfio-user, and its control socket to tests.
 *
 * The process binds its sockets, gives up what it does not need (sandbox.h), and only then makes
 * the device and its threads. The main thread accepts clients (server.h). SIGTERM and SIGINT end it
 * in order; SIGBUS is a client's file that became shorter.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "device/host/bus.h"
#include "device/options.h"
#include "device/transport/control.h"
#include "device/transport/listener.h"
#include "device/transport/sandbox.h"
#include "device/transport/server.h"
#include "device/transport/vfu.h"

#define PROGRAM "nna-device"

static void log_line(void *user, const char *line)
{
	fprintf(stderr, PROGRAM ": %s\n", line);
}

/* A client has truncated a file that the model uses. Any other SIGBUS is a bug: it ends us. */
static void on_sigbus(int signal, siginfo_t *info, void *context)
{
	if (!nnadev_bus_sigbus(info->si_addr))
		sigaction(SIGBUS, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
}

/*
 * SIGTERM and SIGINT as an fd to poll. They are blocked before any thread is started, so that no
 * thread takes them.
 */
static int open_signals(void)
{
	struct sigaction bus = { .sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	signal(SIGPIPE, SIG_IGN);
	if (pthread_sigmask(SIG_BLOCK, &set, NULL) || sigaction(SIGBUS, &bus, NULL))
		return -1;
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void disconnect(void *user)
{
	nnadev_server_disconnect(user);
}

/**
 * struct sockets - where the process listens
 * @control: the control socket, or -1
 * @client: the socket for clients, or -1
 */
struct sockets {
	int control;
	int client;
};

static void close_sockets(const struct sockets *sockets, const struct nnadev_options *o)
{
	if (sockets->client >= 0)
		nnadev_listener_close(sockets->client, o->socket);
	if (sockets->control >= 0)
		nnadev_listener_close(sockets->control, o->control);
}

/* The control socket comes first, so that it is there when the other one's name appears. */
static int open_sockets(struct sockets *sockets, const struct nnadev_options *o)
{
	char why[256];

	sockets->control = -1;
	sockets->client = -1;
	if (o->control) {
		sockets->control = nnadev_listener_open(o->control, why, sizeof(why));
		if (sockets->control < 0)
			goto fail;
	}
	sockets->client = nnadev_listener_open(o->socket, why, sizeof(why));
	if (sockets->client >= 0)
		return 0;
fail:
	fprintf(stderr, PROGRAM ": %s\n", why);
	close_sockets(sockets, o);
	return -1;
}

/* Serve until the end. Return: the exit status. */
static int serve(struct nnadev_vfu *vfu, const struct sockets *sockets, int stop,
		 const struct nnadev_options *o)
{
	void *device = nnadev_vfu_device(vfu);
	struct nnadev_control *control = NULL;
	struct nnadev_server *server = NULL;
	int ret;

	ret = nnadev_server_create(vfu, stop, &server);
	if (ret == 0 && sockets->control >= 0)
		ret = nnadev_control_start(o->model, device, sockets->control, disconnect, server,
					   &control);
	if (ret < 0) {
		fprintf(stderr, PROGRAM ": cannot serve: %s\n", strerror(-ret));
		nnadev_server_destroy(server);
		return 1;
	}
	if (o->verbose)
		fprintf(stderr, PROGRAM ": %s (%s), listening at %s\n", o->model->name,
			o->model->describe(device), o->socket);
	ret = nnadev_server_run(server, sockets->client, o->once);
	if (ret < 0)
		fprintf(stderr, PROGRAM ": client: %s\n", strerror(-ret));
	nnadev_control_stop(control);
	nnadev_server_destroy(server);
	return ret < 0;
}

/* Make the device and serve. Return: the exit status. */
static int run(const struct sockets *sockets, int stop, const struct nnadev_options *o)
{
	struct nnadev_vfu *vfu;
	int ret;

	ret = nnadev_vfu_create(
		&(struct nnadev_vfu_params){
			.model = o->model,
			.config = o->config,
			.threads = o->threads,
			.client_timeout_ms = o->client_timeout_ms,
			.verbose = o->verbose,
			.log = log_line,
		},
		&vfu);
	if (ret < 0) {
		fprintf(stderr, PROGRAM ": cannot make the device: %s\n",
			ret == -ENOTSUP ? "this machine lacks the instructions that the options "
					  "ask for"
					: strerror(-ret));
		return 1;
	}
	ret = serve(vfu, sockets, stop, o);
	nnadev_vfu_destroy(vfu);
	return ret;
}

/* Bind, give up what is not needed, serve. Return: the exit status. */
static int start(const struct nnadev_options *o)
{
	struct sockets sockets;
	char why[256];
	int stop, ret;

	stop = open_signals();
	if (stop < 0) {
		fprintf(stderr, PROGRAM ": signals: %s\n", strerror(errno));
		return 1;
	}
	if (open_sockets(&sockets, o) < 0)
		return 1;
	/* Nothing that a client has sent was read, and no thread started. */
	if (!o->no_sandbox && nnadev_sandbox_enter(why, sizeof(why)) < 0) {
		fprintf(stderr, PROGRAM ": %s\n", why);
		ret = 1;
	} else {
		ret = run(&sockets, stop, o);
	}
	close_sockets(&sockets, o);
	close(stop);
	return ret;
}

int main(int argc, char **argv)
{
	struct nnadev_options o;
	int ret = nnadev_options_parse(argc, argv, &o);

	if (ret)
		ret = ret < 0 ? 2 : 0;
	else
		ret = start(&o);
	nnadev_options_free(&o);
	return ret;
}
