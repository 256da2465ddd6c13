// SPDX-License-Identifier: MIT
/* Compilation caches: programs in files (cache_file.h). */
#include "libnnaccel/support/cache_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libnnaccel/support/message.h"

char *nna_cache_file_path(const char *dir, const uint8_t *token, const char *device,
			  uint32_t preference)
{
	char hex[2 * NNA_CACHE_FILE_TOKEN_SIZE + 1], *path;

	for (uint32_t i = 0; i < NNA_CACHE_FILE_TOKEN_SIZE; i++)
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
		/* The file has been truncated since its size was read. */
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

int nna_cache_file_load_fd(int fd, uint64_t limit, struct nna_device *device,
			   struct nna_graph *graph, const struct nna_program_options *options,
			   struct nna_program **out)
{
	struct nna_blob_reader reader = { .read = read_all, .user = &fd };
	struct stat stat;
	off_t at;
	int ret;

	if (fstat(fd, &stat))
		return -errno;
	at = lseek(fd, 0, SEEK_CUR);
	if (!S_ISREG(stat.st_mode) || at < 0 || at > stat.st_size) {
		nna_message(COMPILATION, "cache: not a plain file that can be read");
		return -EINVAL;
	}
	reader.size = stat.st_size - at;
	if (reader.size > limit) {
		nna_message(COMPILATION, "cache: a file of %llu bytes is over the limit of %llu",
			    (unsigned long long)reader.size, (unsigned long long)limit);
		return -EFBIG;
	}
	ret = nna_program_load(device, graph, options, &reader, out);
	if (ret)
		nna_message(COMPILATION, "cache: a saved program is not used: %s", strerror(-ret));
	return ret;
}

int nna_cache_file_load(const char *path, uint64_t limit, struct nna_device *device,
			struct nna_graph *graph, const struct nna_program_options *options,
			struct nna_program **out)
{
	/* Do not block on a FIFO or a terminal in the file's place. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY), ret;

	if (fd < 0) {
		ret = -errno;
		if (ret != -ENOENT)
			nna_message(COMPILATION, "cache: %s: %s", path, strerror(-ret));
		return ret;
	}
	ret = nna_cache_file_load_fd(fd, limit, device, graph, options, out);
	close(fd);
	return ret;
}

int nna_cache_file_save_fd(int fd, uint64_t limit, const struct nna_program *program)
{
	const struct nna_blob_writer writer = { .write = write_all, .user = &fd };
	uint64_t size;
	int ret = nna_program_saved_size(program, &size);

	if (!ret && size > limit)
		ret = -EFBIG;
	if (!ret)
		ret = nna_program_save(program, &writer);
	if (ret)
		nna_message(COMPILATION, "cache: the program is not saved: %s", strerror(-ret));
	return ret;
}

int nna_cache_file_save(const char *path, uint64_t limit, const struct nna_program *program)
{
	char *name;
	uint64_t size;
	int fd, ret;

	/* Checked before a file is created that would have to be deleted. */
	ret = nna_program_saved_size(program, &size);
	if (ret) {
		nna_message(COMPILATION,
			    "cache: %s: the program cannot be saved, its shapes depend on inputs",
			    path);
		return ret;
	}
	if (asprintf(&name, "%s.XXXXXX", path) < 0)
		return -ENOMEM;
	fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0) {
		ret = -errno;
		nna_message(COMPILATION, "cache: %s: %s", name, strerror(-ret));
		free(name);
		return ret;
	}
	ret = nna_cache_file_save_fd(fd, limit, program);
	if (close(fd) && !ret)
		ret = -errno;
	if (!ret && rename(name, path))
		ret = -errno;
	if (ret) {
		nna_message(COMPILATION, "cache: %s: %s", path, strerror(-ret));
		unlink(name);
	}
	free(name);
	return ret;
}

int nna_cache_file_make(const char *path, struct nna_device *device, struct nna_graph *graph,
			const struct nna_program_options *options, struct nna_program **out)
{
	int ret;

	if (path && !nna_cache_file_load(path, NNA_CACHE_FILE_LIMIT, device, graph, options, out)) {
		nna_message(COMPILATION, "cache: %s: used", path);
		return 0;
	}
	ret = nna_program_create(device, graph, options, out);
	if (!ret && path && !nna_cache_file_save(path, NNA_CACHE_FILE_LIMIT, *out))
		nna_message(COMPILATION, "cache: %s: written", path);
	return ret;
}
