// SPDX-License-Identifier: MIT
#include "device/host/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE 4096u

static uint64_t file_size(int fd)
{
	struct stat st;

	if (fstat(fd, &st) || st.st_size < 0)
		return 0;
	return ((uint64_t)st.st_size + PAGE - 1) & ~(uint64_t)(PAGE - 1);
}

int nnadev_file_open(struct nnadev_file **list, int fd, uint64_t length, bool writable,
		     struct nnadev_file **out)
{
	struct nnadev_file *file;
	struct stat st;
	int r;

	if (fstat(fd, &st))
		return -errno;
	for (file = *list; file; file = file->next) {
		if (file->fd >= 0 && file->dev == st.st_dev && file->ino == st.st_ino &&
		    !file->broken && file->length >= length && (file->writable || !writable)) {
			file->refs++;
			*out = file;
			return 0;
		}
	}
	if (length > SIZE_MAX / 2 || length > INT64_MAX)
		return -EINVAL;
	file = calloc(1, sizeof(*file));
	if (!file)
		return -ENOMEM;
	file->dev = st.st_dev;
	file->ino = st.st_ino;
	file->writable = writable;
	file->refs = 1;
	file->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (file->fd < 0) {
		r = -errno;
		goto err_free;
	}
	file->size = file_size(file->fd);
	file->length = file->size > length ? file->size : length;
	file->data = mmap(NULL, file->length, writable ? PROT_READ | PROT_WRITE : PROT_READ,
			  MAP_SHARED | MAP_NORESERVE, file->fd, 0);
	if (file->data == MAP_FAILED) {
		r = -errno;
		goto err_close;
	}
	file->next = *list;
	*list = file;
	*out = file;
	return 0;

err_close:
	close(file->fd);
err_free:
	free(file);
	return r;
}

int nnadev_file_wrap(struct nnadev_file **list, void *data, uint64_t length,
		     struct nnadev_file **out)
{
	struct nnadev_file *file = calloc(1, sizeof(*file));

	if (!file)
		return -ENOMEM;
	file->fd = -1;
	file->data = data;
	file->length = file->size = length;
	file->writable = true;
	file->refs = 1;
	file->next = *list;
	*list = file;
	*out = file;
	return 0;
}

void nnadev_file_close(struct nnadev_file **list, struct nnadev_file *file,
		       struct nnadev_file **gone)
{
	struct nnadev_file **at;

	if (--file->refs)
		return;
	for (at = list; *at; at = &(*at)->next) {
		if (*at == file) {
			*at = file->next;
			break;
		}
	}
	file->next = *gone;
	*gone = file;
}

void nnadev_file_free(struct nnadev_file *gone)
{
	while (gone) {
		struct nnadev_file *file = gone;

		gone = file->next;
		if (file->fd >= 0) {
			munmap(file->data, file->length);
			close(file->fd);
		}
		free(file);
	}
}

bool nnadev_file_reaches(struct nnadev_file *file, uint64_t length)
{
	if (file->broken)
		return false;
	if (length <= file->size || file->fd < 0)
		return length <= file->size;
	file->size = file_size(file->fd);
	if (file->size > file->length)
		file->size = file->length;
	return length <= file->size;
}

bool nnadev_file_mend(void *address)
{
	void *start = (void *)((uintptr_t)address & ~(uintptr_t)(PAGE - 1));

	return mmap(start, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		    -1, 0) == start;
}
