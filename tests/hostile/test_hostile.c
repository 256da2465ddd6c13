// SPDX-License-Identifier: MIT
/*
 * nna-device as a process among strangers: each case starts one, does to it what no decent client
 * would, and expects that it serves a decent client afterwards and ends in order.
 *
 * usage: test_hostile NNA-DEVICE
 *
 * Nothing here measures time but the case of many mappings, which compares two amounts of the
 * process's CPU time. What never comes is ended by the time limit of the suite.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/pci_regs.h>
#include <linux/vfio.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "hw/gen/nnahw.h"
#include "tests/unit/device/transport/client.h"

#define PAGE 4096u
#define MAPS NNADEV_VFU_MAX_MAPS
#define TRIGGER (VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER)
#define NOW (VFIO_IRQ_SET_DATA_NONE | VFIO_IRQ_SET_ACTION_TRIGGER)

static const char *program;

/* ---- the process ----------------------------------------------------------------------------- */

/**
 * struct device - a running nna-device
 * @dir: temporary folder of its sockets
 * @path: of the socket
 * @control: of the control socket
 * @pid: of the process; 0 when it has ended
 */
struct device {
	char dir[64];
	char path[80];
	char control[80];
	pid_t pid;
};

/* Start one, with an option and its value or NULL, and at most @files open files unless 0. */
static void start(struct device *d, const char *option, const char *value, rlim_t files)
{
	struct timespec pause = { 0, 1000000 };
	int status;

	snprintf(d->dir, sizeof(d->dir), "/tmp/nna-hostile-XXXXXX");
	assert_non_null(mkdtemp(d->dir));
	snprintf(d->path, sizeof(d->path), "%s/s", d->dir);
	snprintf(d->control, sizeof(d->control), "%s/c", d->dir);
	d->pid = fork();
	assert_true(d->pid >= 0);
	if (d->pid == 0) {
		struct rlimit limit = { files, files };

		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (files)
			setrlimit(RLIMIT_NOFILE, &limit);
		execl(program, program, "--socket", d->path, "--control", d->control, "--threads",
		      "2", option, value, NULL);
		_exit(127);
	}
	/* The name appears when the process listens. */
	while (access(d->path, F_OK) < 0) {
		assert_int_equal(waitpid(d->pid, &status, WNOHANG), 0);
		nanosleep(&pause, NULL);
	}
}

/* Ask it to end, and expect that it does so in order. */
static void end(struct device *d)
{
	int status;

	assert_int_equal(kill(d->pid, SIGTERM), 0);
	assert_int_equal(waitpid(d->pid, &status, 0), d->pid);
	d->pid = 0;
	if (WIFSIGNALED(status))
		print_error("nna-device was ended by signal %d\n", WTERMSIG(status));
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	unlink(d->path);
	unlink(d->control);
	assert_int_equal(rmdir(d->dir), 0);
}

/* ---- a client -------------------------------------------------------------------------------- */

static int connect_to(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	assert_true(fd >= 0);
	assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	return fd;
}

static size_t build(uint8_t *message, uint16_t command, uint32_t flags, const void *payload,
		    size_t size)
{
	return client_build(message, 7, command, flags, payload, size);
}

/* Return: whether all of it went. */
static bool transmit(int fd, const void *data, size_t size, const int *fds, size_t count)
{
	return client_send(fd, data, size, fds, count, 0) == (ssize_t)size;
}

/* Take a reply. Return: 0 or the errno in it, -1 when the server has hung up. */
static int reply(int fd, void *to, size_t size)
{
	struct nnadev_vfu_header header;
	uint8_t payload[8192];

	if (!client_receive(fd, &header, sizeof(header)))
		return -1;
	assert_in_range(header.size, sizeof(header), sizeof(header) + sizeof(payload));
	if (!client_receive(fd, payload, header.size - sizeof(header)))
		return -1;
	if (header.flags & NNADEV_VFU_ERROR)
		return (int)header.error;
	if (to) {
		assert_true(header.size - sizeof(header) >= size);
		memcpy(to, payload, size);
	}
	return 0;
}

static int ask(int fd, uint16_t command, const void *payload, size_t size, const int *fds,
	       size_t count)
{
	uint8_t message[512];

	size = build(message, command, 0, payload, size);
	return transmit(fd, message, size, fds, count) ? reply(fd, NULL, 0) : -1;
}

static int greet(int fd)
{
	struct nnadev_vfu_version version = { NNADEV_VFU_MAJOR, NNADEV_VFU_MINOR };

	return ask(fd, NNADEV_VFU_VERSION, &version, sizeof(version), NULL, 0);
}

static int join(const struct device *d)
{
	int fd = connect_to(d->path);

	assert_int_equal(greet(fd), 0);
	return fd;
}

static uint32_t read_register(int fd, uint64_t offset)
{
	struct nnadev_vfu_region_access access = { offset, NNAHW_PCI_REGISTER_BAR, 4 };
	uint8_t message[64], answer[sizeof(access) + 4];
	uint32_t value;
	size_t size = build(message, NNADEV_VFU_REGION_READ, 0, &access, sizeof(access));

	assert_true(transmit(fd, message, size, NULL, 0));
	assert_int_equal(reply(fd, answer, sizeof(answer)), 0);
	memcpy(&value, answer + sizeof(access), sizeof(value));
	return value;
}

static void write_region(int fd, uint32_t region, uint64_t offset, uint64_t value, uint32_t size)
{
	struct nnadev_vfu_region_access access = { offset, region, size };
	uint8_t payload[sizeof(access) + 8];

	memcpy(payload, &access, sizeof(access));
	memcpy(payload + sizeof(access), &value, size);
	assert_int_equal(
		ask(fd, NNADEV_VFU_REGION_WRITE, payload, sizeof(access) + size, NULL, 0), 0);
}

static void write_register(int fd, uint64_t offset, uint64_t value, uint32_t size)
{
	write_region(fd, NNAHW_PCI_REGISTER_BAR, offset, value, size);
}

static int set_irqs(int fd, uint32_t flags, uint32_t first, uint32_t count, const int *fds)
{
	struct nnadev_vfu_irq_set set = {
		.argsz = sizeof(set),
		.flags = flags,
		.index = VFIO_PCI_MSIX_IRQ_INDEX,
		.start = first,
		.count = count,
	};

	return ask(fd, NNADEV_VFU_DEVICE_SET_IRQS, &set, sizeof(set), fds, fds ? count : 0);
}

static struct nnadev_vfu_dma_map mapping(uint64_t iova, uint64_t size)
{
	return (struct nnadev_vfu_dma_map){
		.argsz = sizeof(struct nnadev_vfu_dma_map),
		.flags = VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE,
		.iova = iova,
		.size = size,
	};
}

static int map(int fd, uint64_t iova, uint64_t size, int file)
{
	struct nnadev_vfu_dma_map map = mapping(iova, size);

	return ask(fd, NNADEV_VFU_DMA_MAP, &map, sizeof(map), &file, 1);
}

static int unmap_all(int fd)
{
	struct nnadev_vfu_dma_unmap unmap = {
		.argsz = sizeof(unmap),
		.flags = VFIO_DMA_UNMAP_FLAG_ALL,
	};

	return ask(fd, NNADEV_VFU_DMA_UNMAP, &unmap, sizeof(unmap), NULL, 0);
}

/* A file in memory. */
static int make_file(size_t size)
{
	int fd = memfd_create("hostile", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	return fd;
}

/* That a decent client is served; it waits for the one before it to be gone. */
static void expect_served(const struct device *d)
{
	int fd = join(d);

	assert_int_equal(read_register(fd, NNAHW_REG_ID), NNAHW_ID_MAGIC);
	close(fd);
}

/* That the server hangs up. */
static void expect_end(int fd)
{
	uint8_t byte;
	ssize_t n;

	do
		n = recv(fd, &byte, 1, 0);
	while (n > 0);
	assert_true(n == 0 || errno == ECONNRESET);
	close(fd);
}

/* ---- interrupts ------------------------------------------------------------------------------ */

/* The flags of an eventfd belong to its client too: others who wait there would no longer. */
static void test_eventfd_flags(void **state)
{
	int event = eventfd(0, EFD_CLOEXEC), fd;
	struct device d;
	uint64_t n;

	start(&d, NULL, NULL, 0);
	fd = join(&d);
	assert_int_equal(set_irqs(fd, TRIGGER, 0, 1, &event), 0);
	assert_int_equal(set_irqs(fd, NOW, 0, 1, NULL), 0);
	assert_int_equal(fcntl(event, F_GETFL) & O_NONBLOCK, 0);
	assert_int_equal(read(event, &n, sizeof(n)), sizeof(n));
	assert_int_equal(n, 1);
	close(fd);
	expect_served(&d);
	end(&d);
	close(event);
}

/* A write to an eventfd that is full blocks. */
static void test_full_eventfd(void **state)
{
	uint64_t full = UINT64_MAX - 1, n;
	int events[2], fd;
	struct device d;

	start(&d, NULL, NULL, 0);
	fd = join(&d);
	for (int i = 0; i < 2; i++)
		events[i] = eventfd(0, EFD_CLOEXEC);
	assert_int_equal(write(events[0], &full, sizeof(full)), sizeof(full));
	assert_int_equal(set_irqs(fd, TRIGGER, 0, 2, events), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(set_irqs(fd, NOW, 0, 2, NULL), 0);
	assert_int_equal(read_register(fd, NNAHW_REG_ID), NNAHW_ID_MAGIC);
	/* The other vector has had its interrupts. */
	assert_int_equal(read(events[1], &n, sizeof(n)), sizeof(n));
	assert_int_equal(n, 3);
	assert_int_equal(set_irqs(fd, TRIGGER, 0, 2, NULL), 0);
	close(fd);
	expect_served(&d);
	end(&d);
	close(events[0]);
	close(events[1]);
}

/* What is no eventfd is refused: a pipe, a socket, a file. */
static void test_no_eventfd(void **state)
{
	int pipes[2], pair[2], file = make_file(PAGE), fd;
	struct device d;

	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	start(&d, NULL, NULL, 0);
	fd = join(&d);
	assert_int_equal(set_irqs(fd, TRIGGER, 0, 1, &pipes[1]), EINVAL);
	assert_int_equal(set_irqs(fd, TRIGGER, 0, 1, &pair[0]), EINVAL);
	assert_int_equal(set_irqs(fd, TRIGGER, 0, 1, &file), EINVAL);
	close(fd);
	expect_served(&d);
	end(&d);
	for (int i = 0; i < 2; i++) {
		close(pipes[i]);
		close(pair[i]);
	}
	close(file);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* The memory of a ring is cut off while the device uses it. */
static void test_truncated(void **state)
{
	const uint64_t ring = NNAHW_RING_REGS;
	int file = make_file(16 * PAGE), fd;
	struct device d;

	start(&d, NULL, NULL, 0);
	fd = join(&d);
	assert_int_equal(map(fd, 0, 16 * PAGE, file), 0);
	write_region(fd, VFIO_PCI_CONFIG_REGION_INDEX, PCI_COMMAND,
		     PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER, 2);
	write_register(fd, ring + NNAHW_RING_REG_BASE, 0, 8);
	write_register(fd, ring + NNAHW_RING_REG_CQ_BASE, 8 * PAGE, 8);
	write_register(fd, ring + NNAHW_RING_REG_SIZE, NNAHW_RING_SIZE_MIN, 4);
	write_register(fd, ring + NNAHW_RING_REG_CONTROL, NNAHW_RING_REG_CONTROL_ENABLE, 4);
	write_register(fd, NNAHW_REG_CONTROL, NNAHW_REG_CONTROL_ENABLE, 4);
	assert_int_equal(ftruncate(file, 0), 0);
	write_register(fd, NNAHW_DOORBELLS, 1, 4);
	/* The ring is given up as one whose memory nobody has mapped. */
	while (!(read_register(fd, ring + NNAHW_RING_REG_STATUS) & NNAHW_RING_REG_STATUS_ERROR))
		;
	assert_int_equal(read_register(fd, NNAHW_REG_ID), NNAHW_ID_MAGIC);
	close(fd);
	expect_served(&d);
	end(&d);
	close(file);
}

/* CPU time of the process, in ns. */
static uint64_t cpu_time(const struct device *d)
{
	struct timespec t;
	clockid_t clock;

	assert_int_equal(clock_getcpuclockid(d->pid, &clock), 0);
	assert_int_equal(clock_gettime(clock, &t), 0);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Map @count single pages apart from one another, as many messages at a time as a queue holds. */
static void map_many(int fd, uint32_t count, int file)
{
	uint8_t message[64];

	for (uint32_t i = 0, taken = 0; taken < count;) {
		for (; i < count && i < taken + 32; i++) {
			struct nnadev_vfu_dma_map map = mapping((uint64_t)i * 2 * PAGE, PAGE);
			size_t size = build(message, NNADEV_VFU_DMA_MAP, 0, &map, sizeof(map));

			assert_true(transmit(fd, message, size, &file, 1));
		}
		for (; taken < i; taken++)
			assert_int_equal(reply(fd, NULL, 0), 0);
	}
}

/*
 * All mappings that there may be go at once, and again as the client leaves: eight times as many
 * take about eight times the CPU time. Were each removed by itself it would be 64 times.
 */
static void test_map_everything(void **state)
{
	uint64_t used[2][2];
	int file = make_file(PAGE), fd;
	struct device d;

	start(&d, NULL, NULL, 0);
	for (int i = 0; i < 2; i++) {
		uint32_t count = i ? MAPS : MAPS / 8;

		fd = join(&d);
		map_many(fd, count, file);
		used[i][0] = cpu_time(&d);
		assert_int_equal(unmap_all(fd), 0);
		used[i][0] = cpu_time(&d) - used[i][0];
		map_many(fd, count, file);
		if (i)
			assert_int_equal(map(fd, (uint64_t)MAPS * 2 * PAGE, PAGE, file), ENOSPC);
		used[i][1] = cpu_time(&d);
		close(fd);
		expect_served(&d);
		used[i][1] = cpu_time(&d) - used[i][1];
	}
	for (int i = 0; i < 2; i++) {
		print_message("%s: %u mappings %.3f ms, %u mappings %.3f ms of CPU time\n",
			      i ? "client left" : "unmapped", MAPS / 8, (double)used[0][i] / 1e6,
			      MAPS, (double)used[1][i] / 1e6);
		assert_true(used[1][i] < 32 * used[0][i]);
	}
	end(&d);
	close(file);
}

/* Files until the process may open no more. Others are told that it is taken all the same. */
static void test_exhaust_files(void **state)
{
	struct device d;
	int fd, ret = 0;

	start(&d, NULL, NULL, 48);
	fd = join(&d);
	for (uint64_t i = 0; ret == 0; i++) {
		int file = make_file(PAGE);

		ret = map(fd, i * PAGE, PAGE, file);
		close(file);
		assert_true(i < 64);
	}
	/* The mapping was refused, or the fd was lost and the client with it. */
	assert_true(ret == EMFILE || ret == -1);
	if (ret == EMFILE)
		expect_end(connect_to(d.path));
	close(fd);
	expect_served(&d);
	end(&d);
}

/* ---- what the process has given up ----------------------------------------------------------- */

/* What the line @key of @path says after its colon, e.g. "0\t0\t0\t0". */
static void read_status(const char *path, const char *key, char *value, size_t size)
{
	size_t length = strlen(key);
	FILE *file = fopen(path, "r");
	char line[256];

	*value = 0;
	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		if (strncmp(line, key, length) == 0 && line[length] == ':') {
			line[strcspn(line, "\n")] = 0;
			snprintf(value, size, "%s", line + length + 1 + strspn(line + length + 1,
									      "\t "));
		}
	}
	fclose(file);
}

/* Every thread of the process: what is said of it must be as it shall be. */
static int check_threads(const struct device *d, bool sandboxed)
{
	char folder[64], path[400], value[128];
	struct dirent *entry;
	int threads = 0;
	DIR *dir;

	snprintf(folder, sizeof(folder), "/proc/%d/task", (int)d->pid);
	dir = opendir(folder);
	assert_non_null(dir);
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		threads++;
		snprintf(path, sizeof(path), "%s/%s/status", folder, entry->d_name);
		read_status(path, "Seccomp", value, sizeof(value));
		if (!sandboxed) {
			assert_string_equal(value, "0");
			continue;
		}
		assert_string_equal(value, "2");
		read_status(path, "NoNewPrivs", value, sizeof(value));
		assert_string_equal(value, "1");
		for (const char *const *set = (const char *const[]){ "CapEff", "CapPrm", "CapInh",
								     "CapAmb", NULL };
		     *set; set++) {
			read_status(path, *set, value, sizeof(value));
			assert_string_equal(value, "0000000000000000");
		}
		read_status(path, "Groups", value, sizeof(value));
		if (geteuid() == 0)
			assert_string_equal(value, "");
		read_status(path, "Uid", value, sizeof(value));
		assert_int_equal(strtoul(value, NULL, 10) == 0, false);
		read_status(path, "Gid", value, sizeof(value));
		assert_int_equal(strtoul(value, NULL, 10) == 0, false);
	}
	closedir(dir);
	return threads;
}

static void test_sandbox(void **state)
{
	char value[16];
	struct device d;

	start(&d, NULL, NULL, 0);
	expect_served(&d);
	/* The main thread, the transport, its memory, the control socket, and the model's two. */
	assert_int_equal(check_threads(&d, true), 6);
	end(&d);
	read_status("/proc/self/status", "Seccomp", value, sizeof(value));
	if (strcmp(value, "0") != 0)
		return;
	start(&d, "--sandbox", "off", 0);
	expect_served(&d);
	assert_int_equal(check_threads(&d, false), 6);
	end(&d);
}

/* ---- the connection -------------------------------------------------------------------------- */

/* A second client is told at once, and the first goes on. */
static void test_second(void **state)
{
	struct device d;
	int fd;

	start(&d, NULL, NULL, 0);
	fd = join(&d);
	for (int i = 0; i < 16; i++) {
		expect_end(connect_to(d.path));
		assert_int_equal(read_register(fd, NNAHW_REG_ID), NNAHW_ID_MAGIC);
	}
	close(fd);
	expect_served(&d);
	end(&d);
}

/* Clients that say nothing at all, or stop within a message, are ended. */
static void test_silent(void **state)
{
	uint8_t message[64];
	struct device d;
	size_t size;
	int fd;

	start(&d, "--client-timeout", "2000", 0);
	expect_end(connect_to(d.path));
	fd = join(&d);
	size = build(message, NNADEV_VFU_DEVICE_RESET, 0, NULL, 0);
	assert_true(transmit(fd, message, size - 1, NULL, 0));
	expect_end(fd);
	expect_served(&d);
	end(&d);
}

/* The client of a VM may be silent for hours: only the control socket ends it. */
static void test_disconnect(void **state)
{
	char answer[16] = "";
	struct device d;
	int fd, control;

	start(&d, NULL, NULL, 0);
	fd = join(&d);
	control = connect_to(d.control);
	assert_true(transmit(control, "disconnect\n", 11, NULL, 0));
	assert_true(client_receive(control, answer, 3));
	assert_string_equal(answer, "ok\n");
	expect_end(fd);
	expect_served(&d);
	/* With nobody there it is no error. */
	assert_true(transmit(control, "disconnect\n", 11, NULL, 0));
	assert_true(client_receive(control, answer, 3));
	assert_string_equal(answer, "ok\n");
	close(control);
	expect_served(&d);
	end(&d);
}

/* Fill the socket with questions and never take an answer. */
static void ask_only(int fd)
{
	struct nnadev_vfu_region_access access = { 0, VFIO_PCI_CONFIG_REGION_INDEX, 4096 };
	uint8_t message[64];
	size_t size = build(message, NNADEV_VFU_REGION_READ, 0, &access, sizeof(access));

	/* A socket full of questions has more answers than a socket takes. */
	while (send(fd, message, size, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)size)
		;
}

/* That the server hangs up on a client that takes nothing from its socket. */
static void expect_hangup(int fd)
{
	struct pollfd hangup = { .fd = fd };

	assert_int_equal(poll(&hangup, 1, -1), 1);
	assert_true(hangup.revents & POLLHUP);
	close(fd);
}

/* A client that takes no answers: others are told at once, it is ended, and so is the process. */
static void test_stops_reading(void **state)
{
	struct device d;
	int fd;

	start(&d, "--client-timeout", "2000", 0);
	fd = join(&d);
	ask_only(fd);
	expect_end(connect_to(d.path));
	expect_hangup(fd);
	expect_served(&d);
	fd = join(&d);
	ask_only(fd);
	end(&d);
	close(fd);
}

/* A client that never pauses does not keep the process from ending. */
static void test_flood(void **state)
{
	uint8_t message[64], many[4096];
	size_t size, used = 0;
	struct device d;
	pid_t child;
	int fd;

	start(&d, NULL, NULL, 0);
	fd = join(&d);
	size = build(message, NNADEV_VFU_DEVICE_GET_INFO, NNADEV_VFU_NO_REPLY, NULL, 0);
	for (; used + size <= sizeof(many); used += size)
		memcpy(many + used, message, size);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		while (transmit(fd, many, used, NULL, 0))
			;
		_exit(0);
	}
	assert_int_equal(read_register(fd, NNAHW_REG_ID), NNAHW_ID_MAGIC);
	expect_end(connect_to(d.path));
	end(&d);
	assert_int_equal(waitpid(child, NULL, 0), child);
	close(fd);
}

/* Disconnect after each byte of each kind of message, with the fds that belong to it. */
static void test_disconnect_at_each_byte(void **state)
{
	struct nnadev_vfu_version version = { NNADEV_VFU_MAJOR, NNADEV_VFU_MINOR };
	struct nnadev_vfu_dma_map map = mapping(0, PAGE);
	struct nnadev_vfu_dma_unmap unmap = { sizeof(unmap), VFIO_DMA_UNMAP_FLAG_ALL, 0, 0 };
	struct nnadev_vfu_irq_set set = { sizeof(set), TRIGGER, VFIO_PCI_MSIX_IRQ_INDEX, 0, 1 };
	struct nnadev_vfu_region_access access = { NNAHW_REG_ID, NNAHW_PCI_REGISTER_BAR, 4 };
	uint8_t write[sizeof(access) + 4] = { 0 };
	int file = make_file(PAGE), event = eventfd(0, EFD_CLOEXEC);
	const struct {
		uint16_t command;
		const void *payload;
		size_t size;
		int fd;
	} kinds[] = {
		{ NNADEV_VFU_VERSION, &version, sizeof(version), -1 },
		{ NNADEV_VFU_DMA_MAP, &map, sizeof(map), file },
		{ NNADEV_VFU_DMA_UNMAP, &unmap, sizeof(unmap), -1 },
		{ NNADEV_VFU_DEVICE_SET_IRQS, &set, sizeof(set), event },
		{ NNADEV_VFU_REGION_READ, &access, sizeof(access), -1 },
		{ NNADEV_VFU_REGION_WRITE, write, sizeof(write), -1 },
		{ NNADEV_VFU_DEVICE_RESET, NULL, 0, -1 },
	};
	struct device d;

	memcpy(write, &access, sizeof(access));
	start(&d, NULL, NULL, 0);
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		uint8_t message[128];
		size_t size = build(message, kinds[k].command, 0, kinds[k].payload, kinds[k].size);

		for (size_t cut = 0; cut <= size; cut++) {
			int fd = connect_to(d.path);

			if (kinds[k].command != NNADEV_VFU_VERSION)
				assert_int_equal(greet(fd), 0);
			if (cut)
				assert_true(transmit(fd, message, cut, &kinds[k].fd,
						     kinds[k].fd >= 0));
			close(fd);
		}
		expect_served(&d);
	}
	end(&d);
	close(file);
	close(event);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_eventfd_flags),
		cmocka_unit_test(test_full_eventfd),
		cmocka_unit_test(test_no_eventfd),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_map_everything),
		cmocka_unit_test(test_exhaust_files),
		cmocka_unit_test(test_sandbox),
		cmocka_unit_test(test_second),
		cmocka_unit_test(test_silent),
		cmocka_unit_test(test_disconnect),
		cmocka_unit_test(test_stops_reading),
		cmocka_unit_test(test_flood),
		cmocka_unit_test(test_disconnect_at_each_byte),
	};

	if (argc < 2) {
		fprintf(stderr, "usage: test_hostile NNA-DEVICE [CASES]\n");
		return 2;
	}
	program = argv[1];
	if (argc > 2)
		cmocka_set_test_filter(argv[2]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
