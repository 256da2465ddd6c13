// SPDX-License-Identifier: MIT
/*
 * nna-device: the NNA as a process. It serves the device model to one virtual machine at a time
 * over vfio-user, and its control socket to tests.
 *
 * The process binds its sockets, gives up what it does not need (sandbox.h), and only then makes
 * the device and its threads. The main thread answers the door (server.h). SIGTERM and SIGINT end
 * it in order; SIGBUS is a client's file that became shorter.
 */
#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "device/transport/control.h"
#include "hw/gen/nnahw.h"
#include "device/transport/listener.h"
#include "device/transport/sandbox.h"
#include "device/transport/server.h"
#include "device/transport/vfu.h"
#include "nna_version.h"

#define PROGRAM "nna-device"

struct options {
	const char *socket;
	const char *control;
	uint32_t threads;
	enum nnadev_isa isa;
	uint32_t job_limit_ms;
	uint32_t tick_hz;
	uint32_t client_timeout_ms;
	bool once;
	bool no_sandbox;
	bool verbose;
};

static void usage(FILE *to)
{
	fputs("usage: nna-device --socket PATH [options]\n"
	      "\n"
	      "Serves an NNA accelerator as a PCI device at a unix socket (vfio-user). QEMU 10.1 "
	      "or newer attaches it:\n"
	      "  -object memory-backend-memfd,id=ram,size=1G,share=on "
	      "-machine q35,memory-backend=ram\n"
	      "  -device '{\"driver\":\"vfio-user-pci\",\"socket\":{\"type\":\"unix\",\"path\":"
	      "\"PATH\"}}'\n"
	      "\n"
	      "  -s, --socket PATH   where to listen; removed at the end if the process may\n"
	      "  -c, --control PATH  where to listen for faults to inject, to test drivers; see "
	      "below\n"
	      "  -t, --threads N     threads that compute, 1 to 64 (default: one per CPU)\n"
	      "  -i, --isa NAME      auto, scalar, avx2, avxvnni, avx512, neon, dotprod or i8mm "
	      "(default: auto)\n"
	      "  -l, --job-limit MS  run time after which any job is ended, 1 to 5000 (default: "
	      "5000)\n"
	      "  -f, --tick-hz N     frequency of the clock that the device shows, 1000000 to "
	      "4000000000 (default:\n"
	      "                      1000000000)\n"
	      "  -T, --client-timeout MS\n"
	      "                      time after which a client that stops within a message, or "
	      "does not take\n"
	      "                      an answer, is ended, 1 to 600000 (default: 10000)\n"
	      "  -S, --sandbox on|off\n"
	      "                      off: keep the user, the capabilities and all system calls, to "
	      "debug (default: on)\n"
	      "  -1, --once          end when the first client has left\n"
	      "  -v, --verbose       log connections, mappings and refused messages\n"
	      "  -h, --help          this text\n"
	      "  -V, --version       the version of the device\n"
	      "\n"
	      "The control socket takes one client at a time, and lines of text; each is answered "
	      "with \"ok\" or\n"
	      "\"error: REASON\" once it is in force:\n",
	      to);
	fprintf(to, "%s\n", nnadev_control_help);
}

static void log_line(void *user, const char *line)
{
	fprintf(stderr, PROGRAM ": %s\n", line);
}

static int parse_isa(const char *name, enum nnadev_isa *isa)
{
	static const struct {
		const char *name;
		enum nnadev_isa isa;
	} names[] = {
		{ "auto", NNADEV_ISA_AUTO },
		{ "scalar", NNADEV_ISA_SCALAR },
		{ "avx2", NNADEV_ISA_AVX2 },
		{ "avxvnni", NNADEV_ISA_AVXVNNI },
		{ "avx512", NNADEV_ISA_AVX512 },
		{ "neon", NNADEV_ISA_NEON },
		{ "dotprod", NNADEV_ISA_DOTPROD },
		{ "i8mm", NNADEV_ISA_I8MM },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (strcmp(name, names[i].name) == 0) {
			*isa = names[i].isa;
			return 0;
		}
	}
	return -EINVAL;
}

static int parse_number(const char *text, uint32_t min, uint32_t max, uint32_t *number)
{
	char *end;
	unsigned long n;

	errno = 0;
	n = strtoul(text, &end, 10);
	if (errno || end == text || *end || n < min || n > max)
		return -EINVAL;
	*number = (uint32_t)n;
	return 0;
}

/*
 * Return: 0, 1 when the program is done (--help), -1 when the command line is wrong, which has been
 * said.
 */
static int parse_options(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{ "socket", required_argument, NULL, 's' },
		{ "control", required_argument, NULL, 'c' },
		{ "threads", required_argument, NULL, 't' },
		{ "isa", required_argument, NULL, 'i' },
		{ "job-limit", required_argument, NULL, 'l' },
		{ "tick-hz", required_argument, NULL, 'f' },
		{ "client-timeout", required_argument, NULL, 'T' },
		{ "sandbox", required_argument, NULL, 'S' },
		{ "once", no_argument, NULL, '1' },
		{ "verbose", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ NULL, 0, NULL, 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "s:c:t:i:l:f:T:S:1vhV", longs, NULL)) != -1) {
		switch (c) {
		case 's':
			o->socket = optarg;
			break;
		case 'c':
			o->control = optarg;
			break;
		case 't':
			if (parse_number(optarg, 1, 64, &o->threads) < 0) {
				fprintf(stderr,
					PROGRAM ": --threads '%s': must be a number from 1 to 64\n",
					optarg);
				return -1;
			}
			break;
		case 'i':
			if (parse_isa(optarg, &o->isa) < 0) {
				fprintf(stderr,
					PROGRAM ": --isa '%s': auto, scalar, avx2, avxvnni, "
						"avx512, neon, dotprod or i8mm\n",
					optarg);
				return -1;
			}
			break;
		case 'l':
			if (parse_number(optarg, 1, NNAHW_JOB_LIMIT_NS / 1000000,
					 &o->job_limit_ms) < 0) {
				fprintf(stderr,
					PROGRAM ": --job-limit '%s': must be a number from 1 to "
						"5000\n",
					optarg);
				return -1;
			}
			break;
		case 'f':
			if (parse_number(optarg, NNADEV_TICK_HZ_MIN, NNADEV_TICK_HZ_MAX,
					 &o->tick_hz) < 0) {
				fprintf(stderr,
					PROGRAM ": --tick-hz '%s': must be a number from 1000000 "
						"to 4000000000\n",
					optarg);
				return -1;
			}
			break;
		case 'T':
			if (parse_number(optarg, 1, 600000, &o->client_timeout_ms) < 0) {
				fprintf(stderr,
					PROGRAM ": --client-timeout '%s': must be a number from 1 "
						"to 600000\n",
					optarg);
				return -1;
			}
			break;
		case 'S':
			if (strcmp(optarg, "on") != 0 && strcmp(optarg, "off") != 0) {
				fprintf(stderr, PROGRAM ": --sandbox '%s': on or off\n", optarg);
				return -1;
			}
			o->no_sandbox = strcmp(optarg, "off") == 0;
			break;
		case '1':
			o->once = true;
			break;
		case 'v':
			o->verbose = true;
			break;
		case 'h':
			usage(stdout);
			return 1;
		case 'V':
			printf(PROGRAM " " NNA_VERSION " (PCI %04x:%04x, ABI %u.%u)\n",
			       NNAHW_PCI_VENDOR, NNAHW_PCI_DEVICE, NNAHW_ABI_MAJOR,
			       NNAHW_ABI_MINOR);
			return 1;
		default:
			return -1;
		}
	}
	if (optind < argc) {
		fprintf(stderr, PROGRAM ": unexpected argument '%s' (try --help)\n", argv[optind]);
		return -1;
	}
	if (!o->socket || !*o->socket) {
		fprintf(stderr, PROGRAM ": --socket PATH is needed (try --help)\n");
		return -1;
	}
	return 0;
}

/* A client has made a file shorter while the model was using it. Other errors are ours. */
static void on_sigbus(int signal, siginfo_t *info, void *context)
{
	if (!nnadev_sigbus(info->si_addr))
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

static void close_sockets(const struct sockets *sockets, const struct options *o)
{
	if (sockets->client >= 0)
		nnadev_listener_close(sockets->client, o->socket);
	if (sockets->control >= 0)
		nnadev_listener_close(sockets->control, o->control);
}

/* The control socket comes first, so that it is there when the other one's name appears. */
static int open_sockets(struct sockets *sockets, const struct options *o)
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
		 const struct options *o)
{
	struct nnadev *dev = nnadev_vfu_device(vfu);
	struct nnadev_control *control = NULL;
	struct nnadev_server *server = NULL;
	int ret;

	ret = nnadev_server_create(vfu, stop, &server);
	if (ret == 0 && sockets->control >= 0)
		ret = nnadev_control_start(dev, sockets->control, disconnect, server, &control);
	if (ret < 0) {
		fprintf(stderr, PROGRAM ": cannot serve: %s\n", strerror(-ret));
		nnadev_server_destroy(server);
		return 1;
	}
	if (o->verbose)
		fprintf(stderr, PROGRAM ": kernels %s, listening at %s\n", nnadev_isa_name(dev),
			o->socket);
	ret = nnadev_server_run(server, sockets->client, o->once);
	if (ret < 0)
		fprintf(stderr, PROGRAM ": client: %s\n", strerror(-ret));
	nnadev_control_stop(control);
	nnadev_server_destroy(server);
	return ret < 0;
}

/* Make the device and serve. Return: the exit status. */
static int run(const struct sockets *sockets, int stop, const struct options *o)
{
	struct nnadev_vfu *vfu;
	int ret;

	ret = nnadev_vfu_create(
		&(struct nnadev_vfu_params){
			.threads = o->threads,
			.isa = o->isa,
			.job_limit_ns = o->job_limit_ms * 1000000ull,
			.tick_hz = o->tick_hz,
			.client_timeout_ms = o->client_timeout_ms,
			.verbose = o->verbose,
			.log = log_line,
		},
		&vfu);
	if (ret < 0) {
		fprintf(stderr, PROGRAM ": cannot make the device: %s\n",
			ret == -ENOTSUP ? "this machine lacks the instructions of --isa"
					: strerror(-ret));
		return 1;
	}
	ret = serve(vfu, sockets, stop, o);
	nnadev_vfu_destroy(vfu);
	return ret;
}

int main(int argc, char **argv)
{
	struct options o = { .isa = NNADEV_ISA_AUTO };
	struct sockets sockets;
	char why[256];
	int stop, ret;

	ret = parse_options(argc, argv, &o);
	if (ret)
		return ret < 0 ? 2 : 0;
	stop = open_signals();
	if (stop < 0) {
		fprintf(stderr, PROGRAM ": signals: %s\n", strerror(errno));
		return 1;
	}
	if (open_sockets(&sockets, &o) < 0)
		return 1;
	/* Nothing that a client has sent was read, and no thread started. */
	if (!o.no_sandbox && nnadev_sandbox_enter(why, sizeof(why)) < 0) {
		fprintf(stderr, PROGRAM ": %s\n", why);
		ret = 1;
	} else {
		ret = run(&sockets, stop, &o);
	}
	close_sockets(&sockets, &o);
	close(stop);
	return ret;
}
