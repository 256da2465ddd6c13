// SPDX-License-Identifier: MIT
/* What the driver's tests share: see nna_test.h. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include <linux/sync_file.h>
#include <linux/dma-buf.h>
#include <linux/udmabuf.h>
#include <drm_mode.h>
#include <xf86drm.h>

#include "nna_test.h"

bool test_unbind_expected;

void die(const char *what, int ret)
{
	if (test_unbind_expected && ret == -ENODEV)
		_exit(0);
	printf("# set-up: %s: %s\n", what, strerror(-ret));
	fflush(stdout);
	_exit(1);
}

#define MUST(call) do { \
	int must_ret = (call); \
	if (must_ret < 0) \
		die(#call, must_ret); \
} while (0)

unsigned int test_slowness(void)
{
	const char *text = getenv("NNA_SLOWNESS");
	int factor = text ? atoi(text) : 1;

	return factor > 1 ? (unsigned int)factor : 1;
}

int xioctl(int fd, unsigned long request, void *arg)
{
	return drmIoctl(fd, request, arg) ? -errno : 0;
}

static void __attribute__((noreturn, format(printf, 1, 2))) skip(const char *format, ...)
{
	va_list args;

	printf("# skipped: ");
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
	_exit(4);
}

/* The node that @driver has among those that @format names from @first on, or -1. */
static int find_driver(const char *format, int first, const char *driver)
{
	char path[64];

	for (int i = first; i < first + 64; i++) {
		drmVersionPtr version;
		bool match;
		int fd;

		snprintf(path, sizeof(path), format, i);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		version = drmGetVersion(fd);
		match = version && !strcmp(version->name, driver);
		drmFreeVersion(version);
		if (match)
			return fd;
		close(fd);
	}
	return -1;
}

static _Noreturn void no_driver(const char *driver)
{
	if (test_unbind_expected)
		_exit(0);
	skip("no device of driver %s", driver);
}

int nna_open(void)
{
	int fd = find_driver("/dev/accel/accel%d", 0, "nna");

	if (fd < 0)
		fd = find_driver("/dev/dri/renderD%d", 128, "nna");
	if (fd < 0)
		no_driver("nna");
	return fd;
}

int nna_card_open(void)
{
	return find_driver("/dev/dri/card%d", 0, "nna");
}

const char *nna_node(int fd)
{
	static char path[64];
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n < 0)
		die(link, -errno);
	path[n] = 0;
	return path;
}

int vgem_open(void)
{
	int fd = find_driver("/dev/dri/card%d", 0, "vgem");

	if (fd < 0)
		no_driver("vgem");
	return fd;
}

int from_udmabuf(uint32_t size)
{
	struct udmabuf_create args = { .flags = UDMABUF_FLAGS_CLOEXEC, .size = size };
	int memfd = memfd_create("nna", MFD_CLOEXEC | MFD_ALLOW_SEALING), dmabuf, udmabuf;

	udmabuf = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
	if (udmabuf < 0)
		skip("no /dev/udmabuf");
	if (ftruncate(memfd, size) || fcntl(memfd, F_ADD_SEALS, F_SEAL_SHRINK))
		die("memfd", -errno);
	args.memfd = (uint32_t)memfd;
	dmabuf = ioctl(udmabuf, UDMABUF_CREATE, &args);
	if (dmabuf < 0)
		die("udmabuf", -errno);
	close(udmabuf);
	close(memfd);
	return dmabuf;
}

int from_vgem(uint32_t size)
{
	struct drm_mode_create_dumb dumb = { .width = 1024, .height = size / 4096, .bpp = 32 };
	int vgem = vgem_open(), dmabuf, ret;

	ret = xioctl(vgem, DRM_IOCTL_MODE_CREATE_DUMB, &dumb);
	if (!ret && drmPrimeHandleToFD(vgem, dumb.handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf))
		ret = -errno;
	if (ret || dumb.size != size)
		die("vgem", ret);
	close(vgem);
	return dmabuf;
}

uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * SECOND + (uint64_t)ts.tv_nsec;
}

/* Reads one line of an answer of the device process, without its newline. */
static void control_read(int fd, char *line, size_t size)
{
	size_t n = 0;

	while (n < size - 1) {
		struct pollfd p = { .fd = fd, .events = POLLIN };

		if (poll(&p, 1, LONG_WAIT / 1000000) != 1 || read(fd, line + n, 1) != 1)
			die("the device's control socket does not answer", -EIO);
		if (line[n] == '\n')
			break;
		n++;
	}
	line[n] = 0;
}

void inject(const char *format, ...)
{
	const char *path = getenv("NNA_CONTROL");
	struct termios raw;
	char line[128];
	va_list args;
	int fd, n;

	if (!path)
		skip("NNA_CONTROL does not say how to reach the device process");
	fd = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || tcgetattr(fd, &raw))
		die(path, -errno);
	cfmakeraw(&raw);
	tcsetattr(fd, TCSANOW, &raw);
	tcflush(fd, TCIOFLUSH);
	va_start(args, format);
	n = vsnprintf(line, sizeof(line) - 1, format, args);
	va_end(args);
	line[n++] = '\n';
	if (write(fd, line, (size_t)n) != n)
		die(path, -errno);
	control_read(fd, line, sizeof(line));
	if (strcmp(line, "ok")) {
		printf("# the device process says: %s\n", line);
		die("inject", -EINVAL);
	}
	close(fd);
}

/* The name that device_name() returned last, and its bus; an unbound device has no node to ask. */
static char bus_device[64], bus_name[16];

const char *device_name(int fd)
{
	char path[64], target[256];
	struct stat st;
	ssize_t n;

	if (fd < 0)
		return bus_device;
	if (fstat(fd, &st))
		die("fstat", -errno);
	snprintf(path, sizeof(path), "/sys/dev/char/%u:%u/device", major(st.st_rdev),
		 minor(st.st_rdev));
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		die(path, -errno);
	target[n] = 0;
	snprintf(bus_device, sizeof(bus_device), "%s", strrchr(target, '/') + 1);
	strcat(path, "/subsystem");
	n = readlink(path, target, sizeof(target) - 1);
	if (n < 0)
		die(path, -errno);
	target[n] = 0;
	snprintf(bus_name, sizeof(bus_name), "%s", strrchr(target, '/') + 1);
	return bus_device;
}

bool device_is_pci(int fd)
{
	device_name(fd);
	return !strcmp(bus_name, "pci");
}

void driver_path(char *path, size_t size, const char *file)
{
	snprintf(path, size, "/sys/bus/%s/drivers/nna/%s", bus_name, file);
}

void pci_path(char *path, size_t size, int fd, const char *file)
{
	const bool pci = device_is_pci(fd);

	snprintf(path, size, "/sys/bus/%s/devices/%s/%s%s", bus_name, bus_device, pci ? "" : "../",
		 file);
}

void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		die(path, -errno);
	close(fd);
}

bool control_group_make(struct control_group *group, const char *memory)
{
	char path[64];

	snprintf(group->dir, sizeof(group->dir), "/tmp/nna_group.XXXXXX");
	if (!mkdtemp(group->dir))
		die(group->dir, -errno);
	if (mount("none", group->dir, "cgroup2", 0, NULL))
		return false;
	snprintf(path, sizeof(path), "%s/cgroup.controllers", group->dir);
	if (!strstr(read_file(path), "memory"))
		return false;
	snprintf(path, sizeof(path), "%s/cgroup.subtree_control", group->dir);
	write_file(path, "+memory");
	snprintf(path, sizeof(path), "%s/nna", group->dir);
	if (mkdir(path, 0700))
		die(path, -errno);
	snprintf(path, sizeof(path), "%s/nna/memory.max", group->dir);
	write_file(path, memory);
	return true;
}

void control_group_join(const struct control_group *group)
{
	char path[64], text[16];

	snprintf(path, sizeof(path), "%s/nna/cgroup.procs", group->dir);
	snprintf(text, sizeof(text), "%d", getpid());
	write_file(path, text);
}

void control_group_remove(const struct control_group *group)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/nna", group->dir);
	for (int i = 0; i < 1000 && rmdir(path); i++)
		usleep(10000);
	umount(group->dir);
	rmdir(group->dir);
}

void device_unbind(int fd)
{
	char path[64];

	device_name(fd);
	driver_path(path, sizeof(path), "unbind");
	write_file(path, bus_device);
}

void device_bind(void)
{
	char path[64];

	driver_path(path, sizeof(path), "bind");
	write_file(path, bus_device);
}

/* Finds a device of the driver's kind that no driver is bound to, for bus_device. */
static bool find_unbound_on(const char *bus, const char *modalias)
{
	char path[300], *text;
	struct dirent *entry;
	bool found = false;
	DIR *dir;

	snprintf(path, sizeof(path), "/sys/bus/%s/devices", bus);
	dir = opendir(path);
	while (dir && !found && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/sys/bus/%s/devices/%s/modalias", bus, entry->d_name);
		if (entry->d_name[0] == '.' || access(path, R_OK))
			continue;
		text = read_file(path);
		snprintf(path, sizeof(path), "/sys/bus/%s/devices/%s/driver", bus, entry->d_name);
		if (!strncmp(text, modalias, strlen(modalias)) && access(path, F_OK)) {
			snprintf(bus_device, sizeof(bus_device), "%.63s", entry->d_name);
			snprintf(bus_name, sizeof(bus_name), "%s", bus);
			found = true;
		}
		free(text);
	}
	if (dir)
		closedir(dir);
	return found;
}

static bool find_unbound(void)
{
	return find_unbound_on("pci", "pci:v00001234d00004E41") ||
	       find_unbound_on("platform", "platform:nna\n");
}

void device_restore(void)
{
	struct drm_nna_counters c;
	bool lost;
	int fd;

	if (getenv("NNA_CONTROL"))
		inject("clear");
	if (find_unbound())
		device_bind();
	fd = nna_open();
	lost = query(fd, DRM_NNA_DEV_QUERY_COUNTERS, &c, sizeof(c)) == -ENODEV;
	if (lost)
		device_unbind(fd);
	close(fd);
	if (lost)
		device_bind();
	expect_inference();
}

void device_keep_awake(int fd, bool awake)
{
	char path[128];

	device_name(fd);
	snprintf(path, sizeof(path), "/sys/bus/%s/devices/%s/power/control", bus_name, bus_device);
	write_file(path, awake ? "on" : "auto");
}

char *read_file(const char *path)
{
	size_t size = 0, have = 0;
	char *text = NULL;
	ssize_t n;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		die(path, -errno);
	do {
		if (have + 4096 > size)
			text = realloc(text, size = 2 * size + 8192);
		if (!text)
			die(path, -ENOMEM);
		n = read(fd, text + have, size - have - 1);
		if (n < 0)
			die(path, -errno);
		have += (size_t)n;
	} while (n);
	text[have] = 0;
	close(fd);
	return text;
}

void debugfs_path(char *path, size_t size, int fd, const char *file)
{
	const bool accel = !strncmp(nna_node(fd), "/dev/accel/", strlen("/dev/accel/"));

	snprintf(path, size, "/sys/kernel/debug/%s/%s/%s", accel ? "accel" : "dri", device_name(fd),
		 file);
}

char *debugfs_read(int fd, const char *file)
{
	char path[256];

	debugfs_path(path, sizeof(path), fd, file);
	return read_file(path);
}

char *fdinfo_read(int fd)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	return read_file(path);
}

struct ring_state ring_state(int fd, unsigned int ring)
{
	char *text = debugfs_read(fd, "rings"), *line;
	unsigned int n, running, size, tail, done, seqno;

	for (line = strchr(text, '\n'); line; line = strchr(line + 1, '\n')) {
		if (sscanf(line, "%u %u %u %u %u %u", &n, &running, &size, &tail, &done,
			   &seqno) != 6 || n != ring)
			continue;
		free(text);
		return (struct ring_state){ .seqno = seqno, .pending = tail - done };
	}
	die("debugfs says nothing of the ring", -ENOENT);
}

unsigned int entries_begun(int fd)
{
	char *text = debugfs_read(fd, "rings"), *line = text;
	unsigned int sum = 0, head;

	for (unsigned int i = 0; i < hw_info(fd).job_rings; i++) {
		line = strchr(line, '\n');
		line = line ? strchr(line + 1, '|') : NULL;
		if (!line || sscanf(line, "| %*s %u", &head) != 1)
			die("debugfs says nothing of a ring's registers", -ENOENT);
		sum += head;
	}
	free(text);
	return sum;
}

void ring_wait(int fd, unsigned int ring, uint32_t pending)
{
	uint64_t end = now_ns() + LONG_WAIT;

	while (ring_state(fd, ring).pending != pending) {
		if (now_ns() >= end)
			die("entries of a ring", -ETIME);
		usleep(1000);
	}
}

/* Whether a BO is alive, by any client. */
static bool any_bo(int fd)
{
	char *text = debugfs_read(fd, "gems"), *line = strchr(text, '\n');
	const bool any = line && line[1];

	free(text);
	return any;
}

void device_wait_released(void)
{
	uint64_t end = now_ns() + LONG_WAIT;
	int fd = nna_open();
	char path[128];

	debugfs_path(path, sizeof(path), fd, "");
	while (!access(path, X_OK) && any_bo(fd)) {
		if (now_ns() >= end)
			die("BOs of closed files", -ETIME);
		usleep(1000);
	}
	close(fd);
}

long long text_value(const char *text, const char *key)
{
	size_t n = strlen(key);

	while (text) {
		if (!strncmp(text, key, n))
			return strtoll(text + n, NULL, 10);
		text = strchr(text, '\n');
		if (text)
			text++;
	}
	return -1;
}

struct drm_nna_counters counters(int fd)
{
	struct drm_nna_counters c;

	MUST(query(fd, DRM_NNA_DEV_QUERY_COUNTERS, &c, sizeof(c)));
	return c;
}

int query(int fd, uint32_t type, void *data, uint32_t size)
{
	struct drm_nna_dev_query q = { .type = type, .size = size, .pointer = (uintptr_t)data };

	return xioctl(fd, DRM_IOCTL_NNA_DEV_QUERY, &q);
}

struct drm_nna_hw_info hw_info(int fd)
{
	struct drm_nna_hw_info info;

	MUST(query(fd, DRM_NNA_DEV_QUERY_HW_INFO, &info, sizeof(info)));
	return info;
}

int64_t ticks_to_ns(int fd, int64_t ticks)
{
	return (int64_t)((__int128)ticks * SECOND / (__int128)hw_info(fd).tick_hz);
}

uint32_t bo_create(int fd, uint64_t size, uint32_t vm, uint32_t flags)
{
	struct drm_nna_bo_create create = { .size = size, .vm_id = vm, .flags = flags };

	MUST(xioctl(fd, DRM_IOCTL_NNA_BO_CREATE, &create));
	return create.handle;
}

void bo_close(int fd, uint32_t handle)
{
	struct drm_gem_close close = { .handle = handle };

	MUST(xioctl(fd, DRM_IOCTL_GEM_CLOSE, &close));
}

void *bo_map(int fd, uint32_t handle, uint64_t size)
{
	struct drm_nna_bo_mmap_offset offset = { .handle = handle };
	void *p;

	MUST(xioctl(fd, DRM_IOCTL_NNA_BO_MMAP_OFFSET, &offset));
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset.offset);
	if (p == MAP_FAILED)
		die("mmap", -errno);
	return p;
}

uint32_t vm_create(int fd)
{
	struct drm_nna_vm_create create = { 0 };

	MUST(xioctl(fd, DRM_IOCTL_NNA_VM_CREATE, &create));
	return create.id;
}

int vm_destroy(int fd, uint32_t vm)
{
	struct drm_nna_vm_destroy destroy = { .id = vm };

	return xioctl(fd, DRM_IOCTL_NNA_VM_DESTROY, &destroy);
}

int vm_bind_ops(int fd, uint32_t vm, const struct drm_nna_vm_bind_op *ops, uint32_t count)
{
	struct drm_nna_vm_bind bind = { .vm_id = vm, .ops = DRM_NNA_OBJ_ARRAY(count, ops) };

	return xioctl(fd, DRM_IOCTL_NNA_VM_BIND, &bind);
}

int vm_map(int fd, uint32_t vm, uint32_t bo, uint64_t offset, uint64_t va, uint64_t size,
	   uint32_t flags)
{
	struct drm_nna_vm_bind_op op = {
		.type = DRM_NNA_VM_BIND_OP_MAP,
		.flags = flags,
		.bo_handle = bo,
		.bo_offset = offset,
		.va = va,
		.size = size,
	};

	return vm_bind_ops(fd, vm, &op, 1);
}

int vm_unmap(int fd, uint32_t vm, uint64_t va, uint64_t size)
{
	struct drm_nna_vm_bind_op op = { .type = DRM_NNA_VM_BIND_OP_UNMAP, .va = va, .size = size };

	return vm_bind_ops(fd, vm, &op, 1);
}

int ctx_create(int fd, uint32_t vm, uint32_t priority, uint32_t *ctx)
{
	struct drm_nna_ctx_create create = { .vm_id = vm, .priority = priority };
	int ret = xioctl(fd, DRM_IOCTL_NNA_CTX_CREATE, &create);

	if (!ret)
		*ctx = create.id;
	return ret;
}

int ctx_destroy(int fd, uint32_t ctx)
{
	struct drm_nna_ctx_destroy destroy = { .id = ctx };

	return xioctl(fd, DRM_IOCTL_NNA_CTX_DESTROY, &destroy);
}

struct drm_nna_ctx_get_state ctx_state(int fd, uint32_t ctx)
{
	struct drm_nna_ctx_get_state state = { .id = ctx };

	MUST(xioctl(fd, DRM_IOCTL_NNA_CTX_GET_STATE, &state));
	return state;
}

uint32_t syncobj_create(int fd)
{
	uint32_t handle;

	if (drmSyncobjCreate(fd, 0, &handle))
		die("syncobj", -errno);
	return handle;
}

int syncobj_wait(int fd, uint32_t handle, uint64_t timeout_ns)
{
	return drmSyncobjWait(fd, &handle, 1, (int64_t)(now_ns() + timeout_ns), 0, NULL);
}

int timeline_wait(int fd, uint32_t handle, uint64_t point, uint64_t timeout_ns)
{
	return drmSyncobjTimelineWait(fd, &handle, &point, 1, (int64_t)(now_ns() + timeout_ns), 0,
				      NULL);
}

#define LOG_MARK "selftest of the accelerator driver: begins"

#define TRACING "/sys/kernel/tracing/"

static const char *const trace_events[] = {
	TRACING "events/nna/enable",
	TRACING "events/dma/dma_map_sg/enable",
	TRACING "events/dma/dma_sync_single_for_cpu/enable",
	TRACING "events/dma/dma_sync_single_for_device/enable",
};

#define TRACE_EVENTS (sizeof(trace_events) / sizeof(trace_events[0]))

void trace_begin(void)
{
	int fd;

	for (size_t i = 0; i < TRACE_EVENTS; i++)
		if (access(trace_events[i], W_OK))
			skip("no events to trace");
	/* The open empties it. */
	fd = open(TRACING "trace", O_WRONLY | O_TRUNC);
	if (fd < 0)
		die(TRACING "trace", -errno);
	close(fd);
	for (size_t i = 0; i < TRACE_EVENTS; i++)
		write_file(trace_events[i], "1");
}

char *trace_end(void)
{
	for (size_t i = 0; i < TRACE_EVENTS; i++)
		write_file(trace_events[i], "0");
	return read_file(TRACING "trace");
}

char *trace_find(char *from, const char *event)
{
	char *at = strstr(from, event);

	if (!at)
		die(event, -ENOENT);
	return at;
}

unsigned long long trace_sum(const char *from, const char *to, const char *event)
{
	unsigned long long sum = 0, size;
	const char *at;

	for (; (from = strstr(from, event)) && from < to; from++) {
		at = strstr(from, "size=");
		if (at && sscanf(at, "size=%llu", &size) == 1)
			sum += size;
	}
	return sum;
}

uint64_t cpu_page(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

void log_begin(void)
{
	write_file("/dev/kmsg", LOG_MARK "\n");
}

#define LOG_DUMP "a core dump has been made"

/* Counts lines that tell of a core dump, or the others. */
static int log_count(bool of_dumps)
{
	FILE *log = popen("dmesg", "r");
	char line[1024];
	int lines = 0;

	if (!log)
		die("dmesg", -errno);
	while (fgets(line, sizeof(line), log)) {
		if (strstr(line, LOG_MARK))
			lines = 0;
		else if (strstr(line, "nna") && !!strstr(line, LOG_DUMP) == of_dumps)
			lines++;
	}
	pclose(log);
	return lines;
}

int log_lines(void)
{
	return log_count(false);
}

int log_dumps(void)
{
	return log_count(true);
}

void log_expect(int lines)
{
	uint64_t end = now_ns() + LONG_WAIT;
	int got;

	while ((got = log_lines()) < lines && now_ns() < end)
		usleep(10000);
	if (got == lines)
		return;
	printf("# the driver has written %d lines to the log, not %d\n", got, lines);
	die("lines of the log", -EPROTO);
}

int sync_file_status(int sync_file)
{
	struct sync_file_info info = { 0 };

	if (ioctl(sync_file, SYNC_IOC_FILE_INFO, &info))
		die("SYNC_IOC_FILE_INFO", -errno);
	return info.status;
}

/* When a sync_file of one fence signalled, CLOCK_MONOTONIC; the end of time if it has not. */
static uint64_t sync_file_time(int sync_file)
{
	struct sync_fence_info fence = { 0 };
	struct sync_file_info info = { .num_fences = 1, .sync_fence_info = (uintptr_t)&fence };

	if (ioctl(sync_file, SYNC_IOC_FILE_INFO, &info))
		die("SYNC_IOC_FILE_INFO", -errno);
	return fence.status ? fence.timestamp_ns : UINT64_MAX;
}

bool sync_file_before(int sync_file, int other)
{
	return sync_file_time(sync_file) < sync_file_time(other);
}

int syncobj_status(int fd, uint32_t handle)
{
	int sync_file, status;

	if (drmSyncobjExportSyncFile(fd, handle, &sync_file))
		die("export of a sync_file", -errno);
	status = sync_file_status(sync_file);
	close(sync_file);
	return status;
}

static void env_init_vm(struct env *env)
{
	struct nnahw_base *table = (struct nnahw_base *)(env->map + ENV_TABLE);

	env->vm = vm_create(env->fd);
	MUST(vm_map(env->fd, env->vm, env->bo, 0, ENV_VA, ENV_SIZE, 0));
	MUST(ctx_create(env->fd, env->vm, DRM_NNA_CTX_PRIORITY_MEDIUM, &env->ctx));
	table->address = ENV_VA + ENV_DATA;
	table->size = ENV_SIZE - ENV_DATA;
}

static void env_init_file(struct env *env, int fd)
{
	memset(env, 0, sizeof(*env));
	env->fd = fd;
	env->bo = bo_create(env->fd, ENV_SIZE, 0, 0);
	env->map = bo_map(env->fd, env->bo, ENV_SIZE);
	env_init_vm(env);
}

void env_init(struct env *env)
{
	env_init_file(env, nna_open());
}

void env_init_apart(struct env *env)
{
	static uint64_t key;
	struct drm_nna_file_set_user user = { .type = DRM_NNA_USER_KEY, .id = ++key };
	int fd = nna_open();

	MUST(xioctl(fd, DRM_IOCTL_NNA_FILE_SET_USER, &user));
	env_init_file(env, fd);
}

void env_init_sibling(struct env *env, const struct env *other)
{
	memset(env, 0, sizeof(*env));
	env->fd = other->fd;
	env->bo = bo_create(env->fd, ENV_SIZE, 0, 0);
	env->map = bo_map(env->fd, env->bo, ENV_SIZE);
	env_init_vm(env);
}

void env_fini(struct env *env)
{
	munmap(env->map, ENV_SIZE);
	close(env->fd);
}

void stream_begin(struct env *env)
{
	memset(env->map + ENV_STREAM, 0, ENV_TABLE - ENV_STREAM);
	env->stream_size = sizeof(struct nnahw_stream_header);
}

static void *stream_add(struct env *env, uint16_t opcode, uint32_t size, uint32_t *at)
{
	struct nnahw_command *command = (struct nnahw_command *)(env->map + ENV_STREAM +
								 env->stream_size);

	command->opcode = opcode;
	command->size = size;
	*at = env->stream_size;
	env->stream_size += size;
	return command;
}

uint32_t stream_end(struct env *env)
{
	uint32_t at;

	stream_add(env, NNAHW_OP_END, NNAHW_COMMAND_ALIGN, &at);
	return at;
}

uint32_t stream_jump(struct env *env, uint32_t target)
{
	uint32_t at;
	struct nnahw_cmd_jump *jump = stream_add(env, NNAHW_OP_JUMP, sizeof(*jump), &at);

	jump->target = target;
	jump->loop = target <= at;
	return at;
}

uint32_t stream_fill(struct env *env, uint32_t offset, uint32_t count, uint8_t value)
{
	uint32_t at;
	struct nnahw_cmd_fill *fill = stream_add(env, NNAHW_OP_FILL, sizeof(*fill), &at);

	fill->output.type = NNAHW_TYPE_U8;
	fill->output.rank = 1;
	fill->output.slot = 0;
	fill->output.offset = offset;
	fill->output.dims[0] = count;
	fill->output.strides[0] = 1;
	fill->value = value;
	return at;
}

void stream_finish(struct env *env)
{
	struct nnahw_stream_header *header = (struct nnahw_stream_header *)(env->map + ENV_STREAM);

	header->magic = NNAHW_STREAM_MAGIC;
	header->version = NNAHW_STREAM_ABI;
	header->layout = NNAHW_LAYOUT_ABI;
	header->size = env->stream_size;
	memset(env->map + ENV_REPORT, 0xff, sizeof(struct nnahw_report));
}

void stream_null(struct env *env)
{
	stream_begin(env);
	stream_end(env);
	stream_finish(env);
}

void stream_endless(struct env *env)
{
	stream_begin(env);
	stream_jump(env, sizeof(struct nnahw_stream_header));
	stream_finish(env);
}

void stream_held(struct env *env)
{
	stream_endless(env);
}

void stream_release(struct env *env)
{
	struct nnahw_cmd_jump *jump = (struct nnahw_cmd_jump *)(env->map + ENV_STREAM +
								sizeof(struct nnahw_stream_header));

	/* The end of the stream is the end of the job. */
	__atomic_store_n(&jump->target, env->stream_size, __ATOMIC_RELEASE);
}

struct drm_nna_submit env_submit(struct env *env)
{
	return (struct drm_nna_submit){
		.ctx_id = env->ctx,
		.stream_va = ENV_VA + ENV_STREAM,
		.stream_size = env->stream_size,
		.base_table_va = ENV_VA + ENV_TABLE,
		.slot_count = 1,
		.report_va = ENV_VA + ENV_REPORT,
	};
}

int submit_args(struct env *env, struct drm_nna_submit *args, uint32_t in, uint32_t out)
{
	struct drm_nna_sync syncs[2];
	uint32_t n = 0;

	if (in)
		syncs[n++] = (struct drm_nna_sync){ .handle = in };
	if (out)
		syncs[n++] = (struct drm_nna_sync){ .handle = out, .flags = DRM_NNA_SYNC_SIGNAL };
	args->syncs = (struct drm_nna_obj_array)DRM_NNA_OBJ_ARRAY(n, syncs);
	return xioctl(env->fd, DRM_IOCTL_NNA_SUBMIT, args);
}

int submit(struct env *env, uint32_t in, uint32_t out)
{
	struct drm_nna_submit args = env_submit(env);

	return submit_args(env, &args, in, out);
}

int submit_args_and_wait(struct env *env, struct drm_nna_submit *args)
{
	uint32_t out = syncobj_create(env->fd);
	int ret = submit_args(env, args, 0, out);

	if (ret)
		return ret;
	MUST(syncobj_wait(env->fd, out, LONG_WAIT));
	ret = syncobj_status(env->fd, out);
	drmSyncobjDestroy(env->fd, out);
	return ret == 1 ? 0 : ret;
}

int submit_and_wait(struct env *env)
{
	struct drm_nna_submit args = env_submit(env);

	return submit_args_and_wait(env, &args);
}

struct nnahw_report *env_report(struct env *env)
{
	return (struct nnahw_report *)(env->map + ENV_REPORT);
}

bool in_time(uint64_t begin, uint64_t ns)
{
	uint64_t took = now_ns() - begin, floor = 0, limit = PATIENCE(ns);
	struct env env;

	if (took < limit)
		return true;
	env_init(&env);
	stream_null(&env);
	for (int i = 0; i < 5; i++) {
		uint64_t start = now_ns();

		MUST(submit_and_wait(&env));
		if (now_ns() - start > floor)
			floor = now_ns() - start;
	}
	env_fini(&env);
	limit += 100 * floor;
	printf("# took %llu ms of %llu ms; a null job takes %llu us\n",
	       (unsigned long long)took / 1000000, (unsigned long long)limit / 1000000,
	       (unsigned long long)floor / 1000);
	return took < limit;
}

void expect_result(struct env *env)
{
	env->map[ENV_DATA] = 0;
	env->map[ENV_DATA + 0x3fff] = 0;
	stream_begin(env);
	stream_fill(env, 0, 0x4000, 0x6b);
	stream_end(env);
	stream_finish(env);
	MUST(submit_and_wait(env));
	if (env->map[ENV_DATA] != 0x6b || env->map[ENV_DATA + 0x3fff] != 0x6b)
		die("a job's result is wrong", -EIO);
	if (ctx_state(env->fd, env->ctx).state)
		die("a context is banned though its jobs have succeeded", -EIO);
}

void expect_inference(void)
{
	struct env env;

	env_init(&env);
	expect_result(&env);
	env_fini(&env);
}

/* The ioctls of vgem that attach a fence to a buffer and signal it. */
struct vgem_fence_attach {
	uint32_t handle, flags, out_fence, pad;
};

struct vgem_fence_signal {
	uint32_t fence, flags;
};

#define VGEM_FENCE_WRITE 1
#define VGEM_FENCE_ATTACH DRM_IOWR(DRM_COMMAND_BASE + 1, struct vgem_fence_attach)
#define VGEM_FENCE_SIGNAL DRM_IOW(DRM_COMMAND_BASE + 2, struct vgem_fence_signal)

struct foreign foreign_fence(void)
{
	struct drm_mode_create_dumb dumb = { .width = 64, .height = 16, .bpp = 32 };
	struct vgem_fence_attach attach = { .flags = VGEM_FENCE_WRITE };
	struct dma_buf_export_sync_file export = { .flags = DMA_BUF_SYNC_RW, .fd = -1 };
	struct foreign f = { .vgem = vgem_open() };
	int dmabuf;

	MUST(xioctl(f.vgem, DRM_IOCTL_MODE_CREATE_DUMB, &dumb));
	attach.handle = dumb.handle;
	MUST(xioctl(f.vgem, VGEM_FENCE_ATTACH, &attach));
	f.fence = attach.out_fence;
	MUST(drmPrimeHandleToFD(f.vgem, dumb.handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf));
	MUST(xioctl(dmabuf, DMA_BUF_IOCTL_EXPORT_SYNC_FILE, &export));
	f.sync_file = export.fd;
	close(dmabuf);
	return f;
}

void foreign_signal(struct foreign *f)
{
	struct vgem_fence_signal args = { .fence = f->fence };

	MUST(xioctl(f->vgem, VGEM_FENCE_SIGNAL, &args));
}
