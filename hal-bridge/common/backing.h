/* SPDX-License-Identifier: MIT */
/*
 * Files behind memory that a client gives. The owner of a file may truncate it at any time, and an
 * access to a mapping beyond its end kills the process. So only a file that cannot shrink is used
 * through a mapping; any other one is read and written by system calls.
 */
#ifndef NNB_BACKING_H
#define NNB_BACKING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

/*
 * Return: true if nobody can remove bytes from a mapping of the file: a dma-buf, or a memfd that is
 * sealed against shrinking. @seals: of the descriptor, taken before @st; -1 for a file without. The
 * file system of a file without seals is asked only if it @may_be_dmabuf, because it may not
 * answer.
 */
bool nnb_backing_is_fixed(int fd, int seals, const struct stat *st, bool may_be_dmabuf);

/* Reads all bytes. Return: 0, -ENODATA beyond the end of the file, or the error of the file. */
int nnb_backing_read(int fd, uint64_t offset, void *to, size_t size);
/* Writes all bytes, also beyond the end of the file. Return: 0 or the error of the file. */
int nnb_backing_write(int fd, uint64_t offset, const void *from, size_t size);
/*
 * As nnb_backing_write(), but does not extend a file that its owner has truncated. Return: -ENODATA
 * then.
 */
int nnb_backing_replace(int fd, uint64_t offset, const void *from, size_t size);

#endif
