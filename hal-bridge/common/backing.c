// SPDX-License-Identifier: MIT
/* Files behind memory (backing.h). */
#include "hal-bridge/common/backing.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/types.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifndef DMA_BUF_MAGIC
#define DMA_BUF_MAGIC 0x444d4142
#endif
#ifndef HUGETLBFS_MAGIC
#define HUGETLBFS_MAGIC 0x958458f6
#endif

/* A hole in huge pages can kill despite the seals, because there may be no free page to fill it. */
bool nnb_backing_is_fixed(int fd, int seals, const struct stat *st, bool may_be_dmabuf)
{
	struct statfs fs;

	if (seals < 0)
		return may_be_dmabuf && !fstatfs(fd, &fs) &&
		       (unsigned long)fs.f_type == DMA_BUF_MAGIC;
	if (!(seals & F_SEAL_SHRINK))
		return false;
	return st->st_blksize <= sysconf(_SC_PAGESIZE) ||
	       (!fstatfs(fd, &fs) && (unsigned long)fs.f_type != HUGETLBFS_MAGIC);
}

int nnb_backing_read(int fd, uint64_t offset, void *to, size_t size)
{
	unsigned char *at = to;

	while (size) {
		ssize_t got = pread(fd, at, size, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : -ENODATA;
		at += got;
		offset += (uint64_t)got;
		size -= (size_t)got;
	}
	return 0;
}

int nnb_backing_write(int fd, uint64_t offset, const void *from, size_t size)
{
	const unsigned char *at = from;

	while (size) {
		ssize_t put = pwrite(fd, at, size, (off_t)offset);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return put ? -errno : -EIO;
		at += put;
		offset += (uint64_t)put;
		size -= (size_t)put;
	}
	return 0;
}

int nnb_backing_replace(int fd, uint64_t offset, const void *from, size_t size)
{
	struct stat st;

	if (fstat(fd, &st))
		return -errno;
	if ((uint64_t)st.st_size < offset + size)
		return -ENODATA;
	return nnb_backing_write(fd, offset, from, size);
}
