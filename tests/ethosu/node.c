// SPDX-License-Identifier: MIT
#include "tests/ethosu/node.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/sync_file.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <drm.h>

#include "device/ethosu/registers.h"
#include "hw/ethosu/opcode.h"
#include "libnnaccel/winsys/ethosu/uapi.h"
#include "tests/ethosu/machine.h"
#include "tests/must.h"

#define NODES 64u
#define BUFFERS 256u
#define PAGE 4096u
#define FIRST 0x10000000ull
#define APART 0x100000000ull

/**
 * struct buffer - a buffer or a stream; its handle is its place in the node's list, from 1 on
 * @memory: its mapping here; NULL for a free place
 * @size: whole pages
 * @used: bytes of a stream, 0 for a buffer
 * @offset: in the node's file
 */
struct buffer {
	uint8_t *memory;
	uint64_t size, offset;
	uint32_t used;
};

/**
 * struct node - an open node
 * @inode: of its memfd; 0 for a free place
 * @size: of the memfd
 */
struct node {
	ino_t inode;
	uint64_t size;
	struct buffer buffers[BUFFERS];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct node nodes[NODES];
static const struct ethosu_config *config;
static struct test_ethosu npu;
static unsigned int jobs;
static int status = 1;

unsigned int ethosu_node_jobs(void)
{
	return jobs;
}

static bool has_fault(const char *name)
{
	const char *fault = getenv(ETHOSU_NODE_FAULT);

	return fault && !strcmp(fault, name);
}

static struct node *node_of(int fd)
{
	struct stat info;

	if (!config || fstat(fd, &info))
		return NULL;
	for (uint32_t i = 0; i < NODES; i++)
		if (nodes[i].inode && nodes[i].inode == info.st_ino)
			return &nodes[i];
	return NULL;
}

static int open_node(void)
{
	const char *name = getenv(ETHOSU_NODE_MODEL);
	const struct ethosu_config *wanted = name ? ethosu_config_find(name) : NULL;
	struct stat info;
	uint32_t i = 0;
	int fd;

	if (!wanted) {
		errno = ENOENT;
		return -1;
	}
	pthread_mutex_lock(&lock);
	if (config != wanted) {
		if (config)
			test_ethosu_destroy(&npu);
		config = wanted;
		test_ethosu_create(&npu, config, 1);
	}
	fd = memfd_create("ethosu", MFD_CLOEXEC);
	while (i < NODES && nodes[i].inode)
		i++;
	must(fd >= 0 && i < NODES && !fstat(fd, &info));
	nodes[i].inode = info.st_ino;
	pthread_mutex_unlock(&lock);
	return fd;
}

static int create(struct node *node, int fd, uint64_t size, uint32_t *handle)
{
	struct buffer *buffer;
	uint32_t i = 0;

	while (i < BUFFERS && node->buffers[i].memory)
		i++;
	must(i < BUFFERS);
	buffer = &node->buffers[i];
	buffer->size = (size + PAGE - 1) / PAGE * PAGE;
	buffer->offset = node->size;
	buffer->used = 0;
	node->size += buffer->size;
	must(!ftruncate(fd, (off_t)node->size));
	buffer->memory = mmap(NULL, buffer->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			      (off_t)buffer->offset);
	must(buffer->memory != MAP_FAILED);
	*handle = i + 1;
	return 0;
}

static struct buffer *find(struct node *node, uint32_t handle)
{
	return handle && handle <= BUFFERS && node->buffers[handle - 1].memory ?
	       &node->buffers[handle - 1] : NULL;
}

static int close_buffer(struct node *node, uint32_t handle)
{
	struct buffer *buffer = find(node, handle);

	if (!buffer)
		return -EINVAL;
	munmap(buffer->memory, buffer->size);
	*buffer = (struct buffer){ 0 };
	return 0;
}

static void keep_stream(const uint32_t *words, uint32_t size)
{
	const char *folder = getenv(ETHOSU_NODE_STREAMS);
	static unsigned int kept;
	char path[4096];
	FILE *to;

	if (!folder)
		return;
	snprintf(path, sizeof(path), "%s/%u", folder, kept++);
	to = fopen(path, "w");
	must(to && fwrite(words, 1, size, to) == size && !fclose(to));
}

/* As the kernel's parser: STOP is last, and RESIZE is refused. */
static int create_stream(struct node *node, int fd, struct ethosu_stream_create *args)
{
	const uint32_t *words = (const uint32_t *)(uintptr_t)args->data;
	const uint32_t count = args->size / 4;
	struct buffer *buffer;

	for (uint32_t at = 0; at < count; at += words[at] >> ETHOSU_WORD_FORM_SHIFT & 1 ? 2 : 1)
		if ((words[at] & 0xffff) == ETHOSU_OP_RESIZE ||
		    ((words[at] & 0xffff) == ETHOSU_OP_STOP && at + 1 != count))
			return -EINVAL;
	if (!count || (words[count - 1] & 0xffff) != ETHOSU_OP_STOP)
		return -EINVAL;
	create(node, fd, args->size, &args->handle);
	buffer = find(node, args->handle);
	memcpy(buffer->memory, words, args->size);
	buffer->used = args->size;
	keep_stream(words, args->size);
	return 0;
}

/* Put a buffer on the bus for a job, or take it away. */
static void place(uint32_t region, const struct buffer *buffer, bool there)
{
	npu.address[region] = FIRST + region * APART;
	must(!(there ? nnadev_bus_map_data(&npu.bus, npu.address[region], buffer->size,
					   buffer->memory) :
		       nnadev_bus_unmap(&npu.bus, npu.address[region], buffer->size)));
}

static void run(const struct buffer *stream, struct buffer *const *regions)
{
	for (uint32_t i = 0; i < ETHOSU_REGIONS; i++)
		if (regions[i])
			place(i, regions[i], true);
	place(ETHOSU_REGIONS, stream, true);
	npu.size[ETHOSU_REGIONS] = stream->used;
	test_ethosu_reset(&npu);
	test_ethosu_start(&npu);
	if (test_ethosu_wait(&npu) & ETHOSU_STATUS_END)
		jobs++;
	else
		status = -ECANCELED;
	for (uint32_t i = 0; i < ETHOSU_REGIONS; i++)
		if (regions[i])
			place(i, regions[i], false);
	place(ETHOSU_REGIONS, stream, false);
}

static int submit(struct node *node, const struct ethosu_submit *args)
{
	const struct ethosu_submit_job *job = (const void *)(uintptr_t)args->jobs;
	struct buffer *regions[ETHOSU_REGIONS] = { 0 };
	const struct buffer *stream = find(node, job->stream);

	if (args->count != 1 || !stream || !stream->used || job->sram_size)
		return -EINVAL;
	for (uint32_t i = 0; i < ETHOSU_REGIONS; i++) {
		regions[i] = find(node, job->regions[i]);
		if (job->regions[i] && (!regions[i] || regions[i]->used))
			return -EINVAL;
	}
	status = has_fault("hang") || has_fault("late") ? -ECANCELED : 1;
	if (!has_fault("hang") && !has_fault("quick"))
		run(stream, regions);
	return 0;
}

static void put_text(char *to, size_t *length, const char *text)
{
	if (to && *length)
		memcpy(to, text, *length < strlen(text) ? *length : strlen(text));
	*length = strlen(text);
}

static int query(const struct ethosu_query *args)
{
	const char *other = getenv(ETHOSU_NODE_CONFIG);
	const struct ethosu_npu_info info = {
		.id = config->id,
		.config = other ? (uint32_t)strtoul(other, NULL, 0) : config->config,
		.pmu_counters = config->counters,
	};

	if (args->type || !args->pointer)
		return -EINVAL;
	memcpy((void *)(uintptr_t)args->pointer, &info,
	       args->size < sizeof(info) ? args->size : sizeof(info));
	return 0;
}

static int command(struct node *node, int fd, unsigned long request, void *data)
{
	struct drm_version *version = data;
	struct ethosu_bo_create *bo = data;
	struct ethosu_bo_offset *offset = data;
	struct drm_prime_handle *prime = data;
	struct buffer *buffer;

	switch (request) {
	case DRM_IOCTL_VERSION:
		version->version_major = 1;
		put_text(version->name, &version->name_len, "ethosu");
		put_text(version->date, &version->date_len, "0");
		put_text(version->desc, &version->desc_len, "a test's");
		return 0;
	case ETHOSU_QUERY:
		return query(data);
	case ETHOSU_BO_CREATE:
		create(node, fd, bo->size, &bo->handle);
		bo->size = find(node, bo->handle)->size;
		return 0;
	case ETHOSU_BO_OFFSET:
		buffer = find(node, offset->handle);
		if (!buffer)
			return -ENOENT;
		offset->offset = buffer->offset;
		return 0;
	case ETHOSU_STREAM_CREATE:
		return create_stream(node, fd, data);
	case ETHOSU_SUBMIT:
		return submit(node, data);
	case DRM_IOCTL_GEM_CLOSE:
		return close_buffer(node, ((struct drm_gem_close *)data)->handle);
	case DRM_IOCTL_PRIME_HANDLE_TO_FD:
		prime->fd = eventfd(0, EFD_CLOEXEC);
		return prime->fd < 0 ? -errno : 0;
	default:
		return -ENOTTY;
	}
}

/* What dma-bufs and sync_files answer. Return: false for a request that is not theirs. */
static bool fence_command(unsigned long request, void *data, int *ret)
{
	if (!config)
		return false;
	if (request == DMA_BUF_IOCTL_EXPORT_SYNC_FILE) {
		struct dma_buf_export_sync_file *args = data;

		args->fd = eventfd(1, EFD_CLOEXEC);
		*ret = args->fd < 0 ? -errno : 0;
		return true;
	}
	if (request == SYNC_IOC_FILE_INFO) {
		((struct sync_file_info *)data)->status = status;
		*ret = 0;
		return true;
	}
	return false;
}

#define EXPORT __attribute__((visibility("default")))

EXPORT int open(const char *path, int flags, ...);
EXPORT int open64(const char *path, int flags, ...);
EXPORT int ioctl(int fd, unsigned long request, ...);
EXPORT int scandir(const char *path, struct dirent ***names,
		   int (*filter)(const struct dirent *entry),
		   int (*compare)(const struct dirent **a, const struct dirent **b));

int open(const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list args;

	if (!strcmp(path, ETHOSU_NODE))
		return open_node();
	va_start(args, flags);
	if (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE)
		mode = va_arg(args, mode_t);
	va_end(args);
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));

/* The folder of nodes has this one; others are empty. */
int scandir(const char *path, struct dirent ***names, int (*filter)(const struct dirent *entry),
	    int (*compare)(const struct dirent **a, const struct dirent **b))
{
	(void)filter;
	(void)compare;
	*names = calloc(1, sizeof(**names));
	must(*names);
	if (strncmp(ETHOSU_NODE, path, strlen(path)))
		return 0;
	**names = calloc(1, sizeof(***names));
	must(**names);
	snprintf((**names)->d_name, sizeof((**names)->d_name), "%s", strrchr(ETHOSU_NODE, '/') + 1);
	return 1;
}

EXPORT int uname(struct utsname *name);

int uname(struct utsname *name)
{
	const char *release = getenv(ETHOSU_NODE_KERNEL);
	const int ret = (int)syscall(SYS_uname, name);

	if (!ret && release)
		snprintf(name->release, sizeof(name->release), "%s", release);
	return ret;
}

int ioctl(int fd, unsigned long request, ...)
{
	struct node *node;
	void *data;
	va_list args;
	int ret;

	va_start(args, request);
	data = va_arg(args, void *);
	va_end(args);
	pthread_mutex_lock(&lock);
	node = node_of(fd);
	if (node)
		ret = command(node, fd, request, data);
	else if (!fence_command(request, data, &ret))
		ret = 1;
	pthread_mutex_unlock(&lock);
	if (ret > 0)
		return (int)syscall(SYS_ioctl, fd, request, data);
	errno = -ret;
	return ret ? -1 : 0;
}
