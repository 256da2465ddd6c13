// SPDX-License-Identifier: MIT
/* Compilation caches: the files of cache.h. */
#include "hal-bridge/common/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hal-bridge/common/log.h"

char *nnb_cache_path(const char *dir, const uint8_t *token, const char *device,
		     uint32_t preference)
{
	char hex[2 * NNB_CACHE_TOKEN_SIZE + 1], *path;

	for (uint32_t i = 0; i < NNB_CACHE_TOKEN_SIZE; i++)
		snprintf(&hex[2 * i], 3, "%02x", token[i]);
	if (asprintf(&path, "%s/%s-%s-%u.nna", dir, hex, device, preference) < 0)
		return NULL;
	return path;
}

static int read_all(void *user, void *data, size_t size)
{
	const int *fd = user;

	while (size) {
		ssize_t got = read(*fd, data, size);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		/* Somebody has cut it short since its size was asked for. */
		if (!got)
			return -EBADMSG;
		data = (char *)data + got;
		size -= got;
	}
	return 0;
}

static int write_all(void *user, const void *data, size_t size)
{
	const int *fd = user;

	while (size) {
		ssize_t put = write(*fd, data, size);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return put ? -errno : -EIO;
		data = (const char *)data + put;
		size -= put;
	}
	return 0;
}

int nnb_cache_load_fd(int fd, uint64_t limit, struct nna_device *device, struct nna_graph *graph,
		      const struct nna_program_options *options, struct nna_program **out)
{
	struct nna_blob_reader reader = { .read = read_all, .user = &fd };
	struct stat stat;
	off_t at;
	int ret;

	if (fstat(fd, &stat))
		return -errno;
	at = lseek(fd, 0, SEEK_CUR);
	if (!S_ISREG(stat.st_mode) || at < 0 || at > stat.st_size) {
		nnb_log("cache: not a plain file that can be read");
		return -EINVAL;
	}
	reader.size = stat.st_size - at;
	if (reader.size > limit) {
		nnb_log("cache: a file of %llu bytes is over the limit of %llu",
			(unsigned long long)reader.size, (unsigned long long)limit);
		return -EFBIG;
	}
	ret = nna_program_load(device, graph, options, &reader, out);
	if (ret)
		nnb_log("cache: a saved program is not used: %s", strerror(-ret));
	return ret;
}

int nnb_cache_load(const char *path, uint64_t limit, struct nna_device *device,
		   struct nna_graph *graph, const struct nna_program_options *options,
		   struct nna_program **out)
{
	/* A FIFO or a terminal in the file's place must not make this wait. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY), ret;

	if (fd < 0) {
		ret = -errno;
		if (ret != -ENOENT)
			nnb_log("cache: %s: %s", path, strerror(-ret));
		return ret;
	}
	ret = nnb_cache_load_fd(fd, limit, device, graph, options, out);
	close(fd);
	return ret;
}

int nnb_cache_save_fd(int fd, uint64_t limit, const struct nna_program *program)
{
	const struct nna_blob_writer writer = { .write = write_all, .user = &fd };
	uint64_t size;
	int ret = nna_program_saved_size(program, &size);

	if (!ret && size > limit)
		ret = -EFBIG;
	if (!ret)
		ret = nna_program_save(program, &writer);
	if (ret)
		nnb_log("cache: the program is not saved: %s", strerror(-ret));
	return ret;
}

int nnb_cache_save(const char *path, uint64_t limit, const struct nna_program *program)
{
	char *name;
	uint64_t size;
	int fd, ret;

	/* Known before there is a file that would have to go again. */
	ret = nna_program_saved_size(program, &size);
	if (ret) {
		nnb_log("cache: %s: the program cannot be saved, its shapes depend on inputs",
			path);
		return ret;
	}
	if (asprintf(&name, "%s.XXXXXX", path) < 0)
		return -ENOMEM;
	fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0) {
		ret = -errno;
		nnb_log("cache: %s: %s", name, strerror(-ret));
		free(name);
		return ret;
	}
	ret = nnb_cache_save_fd(fd, limit, program);
	if (close(fd) && !ret)
		ret = -errno;
	if (!ret && rename(name, path))
		ret = -errno;
	if (ret) {
		nnb_log("cache: %s: %s", path, strerror(-ret));
		unlink(name);
	}
	free(name);
	return ret;
}

int nnb_cache_make(const char *path, struct nna_device *device, struct nna_graph *graph,
		   const struct nna_program_options *options, struct nna_program **out)
{
	int ret;

	if (path && !nnb_cache_load(path, NNB_CACHE_LIMIT, device, graph, options, out)) {
		nnb_log("cache: %s: used", path);
		return 0;
	}
	ret = nna_program_create(device, graph, options, out);
	if (!ret && path && !nnb_cache_save(path, NNB_CACHE_LIMIT, *out))
		nnb_log("cache: %s: written", path);
	return ret;
}
