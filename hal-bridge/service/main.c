// SPDX-License-Identifier: MIT
/*
 * nnaccel-hal: the process of the NN HAL. It registers IDevice, of AIDL or of HIDL, at binder's
 * service manager and serves until it is told to end. It needs no clean-up: the kernel takes back
 * its resources of binder and of the device, and clients notice that the object is dead.
 *
 * What is not there yet when it starts (the accelerator, binder's node, the service manager) it
 * waits for, and says so once: a machine brings them up in any order. systemd is told that the
 * service is ready when it begins to wait, so that nothing else waits for it, and what it waits
 * for.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "hal-bridge/aidl/gen/nn.h"
#include "hal-bridge/binder/binder.h"
#include "hal-bridge/hidl/gen/nn.h"
#include "hal-bridge/service/heap.h"
#include "hal-bridge/service/helper.h"
#include "hal-bridge/service/hidl/face.h"
#include "hal-bridge/service/namer.h"
#include "hal-bridge/service/sandbox.h"
#include "hal-bridge/service/service.h"
#include "libnnaccel/support/environment.h"
#include "libnnaccel/support/message.h"
#include "libnnaccel/support/trace.h"
#include "nna_version.h"

/**
 * struct nnb_settings - the options of the command line
 * @service: for the service
 * @binder: for the connection
 * @instance: the name under IDevice
 * @sandbox: enter the sandbox
 */
struct nnb_settings {
	struct nnb_service_options service;
	struct nnb_binder_options binder;
	const char *instance;
	bool sandbox;
};

static void nnb_usage(FILE *out)
{
	fputs("usage: nnaccel-hal [options]\n"
	      "Offers NNAs as android.hardware.neuralnetworks.IDevice/NAME on binder, a second\n"
	      "one as NAME-2, and so on.\n"
	      "  --hidl              in HIDL in place of AIDL: as IDevice of 1.0 to 1.3, with the\n"
	      "                      service manager on /dev/hwbinder\n"
	      "  --device=NAME,...   /dev/accel/accelN, loopback, or auto (default): all there are\n"
	      "  --name=NAME         of the service (default nnaccel)\n"
	      "  --aidl-version=N    of the interface, 1 to 4 (default 4)\n"
	      "  --binder=NODE       default /dev/binder, of HIDL /dev/hwbinder\n"
	      "  --api-level=N       of the clients' Android platform, 30 or later (default:\n"
	      "                      what /etc/gbinder.conf says, or 34)\n"
	      "  --models=N          prepared models that a user may have (default 256)\n"
	      "  --memory=MIB        memory that a user may have here and in the device (1024)\n"
	      "  --objects=N         objects that a user may have: bursts, executions, buffers,\n"
	      "                      and memories that bursts and executions keep (default\n"
	      "                      4096, but no more than a quarter of the descriptors that\n"
	      "                      the process may have)\n"
	      "  --executions=N      executions that a user may have under way (default 256)\n"
	      "  --sandbox=off       stay the user that it was started by, with all system calls\n"
	      "  --quiet             no messages on standard error\n"
	      "  --help, --version\n"
	      "NNACCEL_TRACE=1 in the environment writes marks of what it compiles and runs into\n"
	      "the kernel's trace; another value is the path of a file that takes them.\n"
	      "It waits for the accelerator, the node and the service manager, and says so once.\n"
	      "Ends on SIGTERM and SIGINT. Exit status: 0, or 1 when it cannot serve.\n",
	      out);
}

static bool nnb_number(const char *text, unsigned long low, unsigned long high, unsigned long *out)
{
	char *end;

	errno = 0;
	*out = strtoul(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && !errno && *out >= low && *out <= high)
		return true;
	fprintf(stderr, "nnaccel-hal: %s must be a number from %lu to %lu\n", text, low, high);
	return false;
}

enum {
	OPT_DEVICE = 256,
	OPT_NAME,
	OPT_HIDL,
	OPT_AIDL_VERSION,
	OPT_BINDER,
	OPT_API_LEVEL,
	OPT_MODELS,
	OPT_MEMORY,
	OPT_OBJECTS,
	OPT_EXECUTIONS,
	OPT_SANDBOX,
	OPT_QUIET,
	OPT_HELP,
	OPT_VERSION,
};

static const struct option nnb_options[] = {
	{"device", required_argument, NULL, OPT_DEVICE},
	{"name", required_argument, NULL, OPT_NAME},
	{"hidl", no_argument, NULL, OPT_HIDL},
	{"aidl-version", required_argument, NULL, OPT_AIDL_VERSION},
	{"binder", required_argument, NULL, OPT_BINDER},
	{"api-level", required_argument, NULL, OPT_API_LEVEL},
	{"models", required_argument, NULL, OPT_MODELS},
	{"memory", required_argument, NULL, OPT_MEMORY},
	{"objects", required_argument, NULL, OPT_OBJECTS},
	{"executions", required_argument, NULL, OPT_EXECUTIONS},
	{"sandbox", required_argument, NULL, OPT_SANDBOX},
	{"quiet", no_argument, NULL, OPT_QUIET},
	{"help", no_argument, NULL, OPT_HELP},
	{"version", no_argument, NULL, OPT_VERSION},
	{0},
};

/* Parses the command line. Return: 0 to go on; 1 after --help or --version; -EINVAL. */
static int nnb_parse(int argc, char **argv, struct nnb_settings *settings)
{
	const char *tags = nna_environment_get("NNACCEL_LOG");
	struct nnb_quota *quota = &settings->service.quota;
	unsigned long number = 0;
	bool ok = true;
	int option;

	while (ok && (option = getopt_long(argc, argv, "", nnb_options, NULL)) != -1) {
		switch (option) {
		case OPT_DEVICE:
			settings->service.device = optarg;
			break;
		case OPT_NAME:
			settings->instance = optarg;
			break;
		case OPT_HIDL:
			settings->binder.hidl = true;
			settings->service.hidl = true;
			break;
		case OPT_AIDL_VERSION:
			ok = nnb_number(optarg, 1, NNB_AIDL_VERSION, &number);
			settings->service.version = (int)number;
			break;
		case OPT_BINDER:
			settings->binder.device = optarg;
			break;
		case OPT_API_LEVEL:
			ok = nnb_number(optarg, 30, 99, &number);
			settings->binder.api_level = (int)number;
			break;
		case OPT_MODELS:
			ok = nnb_number(optarg, 1, UINT32_MAX, &quota->models);
			break;
		case OPT_MEMORY:
			ok = nnb_number(optarg, 1, 1 << 20, &number);
			quota->bytes = (uint64_t)number << 20;
			break;
		case OPT_OBJECTS:
			ok = nnb_number(optarg, 1, UINT32_MAX, &quota->objects);
			break;
		case OPT_EXECUTIONS:
			ok = nnb_number(optarg, 1, UINT32_MAX, &quota->jobs);
			break;
		case OPT_SANDBOX:
			settings->sandbox = strcmp(optarg, "off");
			break;
		case OPT_QUIET:
			tags = "0";
			break;
		case OPT_HELP:
			nnb_usage(stdout);
			return 1;
		case OPT_VERSION:
			puts("nnaccel-hal " NNA_VERSION);
			return 1;
		default:
			ok = false;
		}
	}
	nna_message_select(tags ? tags : "1");
	if (ok && optind == argc)
		return 0;
	fputs("nnaccel-hal --help lists the options\n", stderr);
	return -EINVAL;
}

/* Connects to systemd, if it has started the process. The sandbox forbids that later. */
static int nnb_notify_open(void)
{
	const char *path = getenv("NOTIFY_SOCKET");
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	socklen_t size;
	int fd;

	if (!path || (*path != '/' && *path != '@') || strlen(path) >= sizeof(address.sun_path))
		return -1;
	memcpy(address.sun_path, path, strlen(path));
	size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
	if (*path == '@')
		address.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&address, size)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Sends a message to systemd. @fd: -1 for none. */
static void nnb_notify(int fd, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void nnb_notify(int fd, const char *format, ...)
{
	char text[256];
	va_list arguments;

	if (fd < 0)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (write(fd, text, strlen(text)) < 0)
		nna_message(DRIVER, "hal: cannot notify systemd: %s", strerror(errno));
}

/**
 * struct nnb_wait - what the start of the service waits for
 * @notify: a connection to systemd, -1 for none
 * @what: what it has said that it waits for; NULL for nothing
 */
struct nnb_wait {
	int notify;
	const char *what;
};

/* Waits before another try to get @what. A signal to end ends the process. */
static void nnb_wait(struct nnb_wait *wait, const char *what, int error)
{
	static const struct timespec pause = {.tv_nsec = 200000000};
	sigset_t ends;

	if (!wait->what || strcmp(wait->what, what)) {
		fprintf(stderr, "nnaccel-hal: waits for %s: %s\n", what, strerror(-error));
		nnb_notify(wait->notify, "READY=1\nSTATUS=waits for %s: %s", what, strerror(-error));
		wait->what = what;
	}
	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	if (sigtimedwait(&ends, NULL, &pause) > 0)
		_exit(0);
}

/*
 * Raises the limit of descriptors as far as allowed, because all clients share the descriptors.
 * Each object of a user may take a descriptor. So the default quota of objects is at most a quarter
 * of the limit; --objects overrides it.
 */
static void nnb_limit_files(struct nnb_quota *quota)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		nna_message(DRIVER, "hal: cannot raise the limit of descriptors: %s",
			    strerror(errno));
	else if (!quota->objects && limit.rlim_cur / 4 < NNB_QUOTA_OBJECTS)
		quota->objects = limit.rlim_cur / 4;
}

/* Starts the processes beside this one, and gives up what they alone need. */
static int nnb_start_processes(struct nnb_settings *settings)
{
	struct nnb_service_options *service = &settings->service;
	int ret;

	service->namer = nnb_namer_start(settings->sandbox ? nnb_sandbox_enter_namer : NULL);
	service->helpers = nnb_helpers_start(settings->sandbox ? nnb_sandbox_enter_helpers : NULL);
	ret = service->namer < 0 ? service->namer : service->helpers < 0 ? service->helpers : 0;
	if (!ret)
		ret = nnb_sandbox_drop_capabilities();
	if (ret)
		fprintf(stderr, "nnaccel-hal: cannot start a process: %s\n", strerror(-ret));
	return ret;
}

/*
 * The service manager has returned, and refuses the service: it accepts other users than the one
 * that the sandbox has made of this process. What starts the service starts it again, as root.
 */
static void nnb_lost(const char *name, int error)
{
	fprintf(stderr, "nnaccel-hal: cannot register %s again: %s\n", name, strerror(-error));
	fflush(NULL);
	_exit(1);
}

/*
 * Whether the devices of the options are there. Without a name that is any accelerator of the
 * machine, but not the loopback, which computes on the CPU: somebody has to ask for it.
 */
static bool nnb_has_devices(const char *names)
{
	char name[128];

	if (!names || !strcmp(names, "auto"))
		return !nna_device_find(0, name, sizeof(name));
	for (const char *at = names; *at; at += *at == ',') {
		const size_t size = strcspn(at, ",");

		snprintf(name, sizeof(name), "%.*s", (int)size, at);
		if (*name == '/' && size < sizeof(name) && access(name, F_OK))
			return false;
		at += size;
	}
	return true;
}

/* Opens the accelerator and binder's node, and waits for both. */
static int nnb_open(struct nnb_settings *settings, struct nnb_wait *wait,
		    struct nnb_service **service, struct nnb_binder **binder)
{
	const char *device = settings->service.device ? settings->service.device :
			     "an accelerator (--device=loopback computes on the CPU)";
	const char *node = settings->binder.hidl ?
			   "/dev/hwbinder (modprobe binder_linux devices=binder,hwbinder)" :
			   "/dev/binder (modprobe binder_linux)";
	int ret;

	node = settings->binder.device ? settings->binder.device : node;
	while (!nnb_has_devices(settings->service.device))
		nnb_wait(wait, device, -ENODEV);
	ret = nnb_service_create(&settings->service, service);
	if (ret) {
		fprintf(stderr, "nnaccel-hal: %s: %s\n", device, strerror(-ret));
		return ret;
	}
	settings->binder.dmabufs = (*service)->dmabufs;
	settings->binder.lost = nnb_lost;
	while ((ret = nnb_binder_open(&settings->binder, binder)) == -ENODEV)
		nnb_wait(wait, node, ret);
	if (ret)
		fprintf(stderr, "nnaccel-hal: %s: %s\n", node, strerror(-ret));
	return ret;
}

/* The name of the interface that is registered. */
static const char *nnb_interface(const struct nnb_settings *settings)
{
	return settings->binder.hidl ? nnb_hidl_1_3_device.descriptor : nnb_aidl_device.descriptor;
}

/* Registers device @index: the first one by the name of the settings, others with a number. */
static int nnb_register(const struct nnb_settings *settings, struct nnb_wait *wait,
			struct nnb_service *service, struct nnb_binder *binder, uint32_t index)
{
	const bool hidl = settings->binder.hidl;
	struct nnb_device *device = &service->devices[index];
	struct nnb_object *object = hidl ? nnb_hidl_device_create(device)
					 : nnb_object_ref(&device->object);
	char name[256], number[16] = "";
	int ret;

	if (!object)
		return -ENOMEM;
	if (index)
		snprintf(number, sizeof(number), "-%u", index + 1);
	snprintf(name, sizeof(name), "%s/%.100s%s", nnb_interface(settings), settings->instance,
		 number);
	do {
		while (!binder->ops->present(binder))
			nnb_wait(wait, "a service manager", -ESRCH);
		ret = binder->ops->add(binder, name, object);
	} while (ret && !binder->ops->present(binder));
	nnb_object_unref(object);
	if (ret)
		fprintf(stderr, "nnaccel-hal: cannot register %s: %s\n", name, strerror(-ret));
	else
		nna_message(DRIVER, "hal: %s is %s", name, service->devices[index].name);
	return ret;
}

/*
 * Registers the service, and then enters the sandbox. This order is needed because Android's
 * service manager refuses registrations of users whose number is an app's, such as nobody's.
 */
static int nnb_serve(const struct nnb_settings *settings, struct nnb_wait *wait,
		     struct nnb_service *service, struct nnb_binder *binder)
{
	char why[256], versions[32];
	int ret;

	ret = nnb_register(settings, wait, service, binder, 0);
	if (ret)
		return ret;
	/* The platform may not know of more than one: its manifest lists names. */
	for (uint32_t i = 1; i < service->device_count; i++)
		nnb_register(settings, wait, service, binder, i);
	ret = settings->sandbox ? nnb_sandbox_enter(service, why, sizeof(why)) : 0;
	if (ret) {
		fprintf(stderr, "nnaccel-hal: %s (--sandbox=off runs without the sandbox)\n", why);
		return ret;
	}
	nnb_service_start(service);
	nnb_service_versions(&settings->service, versions, sizeof(versions));
	nna_message(DRIVER, "hal: %s/%s serves, %s", nnb_interface(settings), settings->instance,
		    versions);
	return 0;
}

int main(int argc, char **argv)
{
	struct nnb_settings settings = {
		.service.version = NNB_AIDL_VERSION,
		.service.held = true,
		.instance = "nnaccel",
		.sandbox = true,
	};
	struct nnb_service *service;
	struct nnb_binder *binder;
	sigset_t ends;
	struct nnb_wait wait = {0};
	int ret, number;

	ret = nnb_parse(argc, argv, &settings);
	if (ret)
		return ret > 0 ? 0 : 1;
	nnb_heap_limit();
	/* Before other threads start, because they would receive these signals. */
	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGINT);
	pthread_sigmask(SIG_BLOCK, &ends, NULL);
	/* A client may pass a pipe for a dump and close its end: write() shall then fail. */
	signal(SIGPIPE, SIG_IGN);
	/* Before other threads and other descriptors, which these processes must not have. */
	if (nnb_start_processes(&settings))
		return 1;
	/* Before the process gets its own mounts, which hide files under /tmp. */
	nna_trace_prepare();
	wait.notify = nnb_notify_open();
	nnb_limit_files(&settings.service.quota);
	ret = settings.sandbox ? nnb_sandbox_prepare() : 0;
	if (ret) {
		fprintf(stderr, "nnaccel-hal: cannot make mounts: %s (--sandbox=off runs without "
			"the sandbox)\n", strerror(-ret));
		return 1;
	}
	if (nnb_open(&settings, &wait, &service, &binder) ||
	    nnb_serve(&settings, &wait, service, binder))
		return 1;
	nnb_notify(wait.notify, "READY=1\nSTATUS=serves %s/%s", nnb_interface(&settings),
		   settings.instance);
	sigwait(&ends, &number);
	nna_message(DRIVER, "hal: ending on signal %d", number);
	fflush(NULL);
	_exit(0);
}
