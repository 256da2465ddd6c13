/* SPDX-License-Identifier: MIT */
/*
 * Helpers: processes that read and write files of clients.
 *
 * A file need not be memory: a file system of the client's (FUSE) may answer when it likes, or
 * never, and a process in such a call cannot be killed. So the service itself touches only files in
 * memory: memfds, tmpfs, ashmem and dma-bufs. For any other file a process is started, which gets
 * that file's descriptor and no other client's, and shares no lock. The service waits for it until
 * the transfer's time is over or the client has died, then abandons it, and never waits for its
 * end. A user may have NNB_HELPERS_PER_USER helpers, and all users NNB_HELPERS, each counted until
 * it is gone; a call that needs one more is refused.
 *
 * The service's process may start no processes, so nnb_helpers_start() starts one that does, before
 * the service has threads. A request is a message with three descriptors:
 *
 *	file	the client's. The helper itself receives it: a process that had it would have to
 *		close it, which a file system may delay, too
 *	data	a socket for the bytes
 *	alive	the end of a pipe that hangs up when the helper is gone
 *
 * Struct nnb_user has the pipes of its helpers, under the service's lock.
 */
#ifndef NNB_HELPER_H
#define NNB_HELPER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

struct nnb_service;
struct nnb_user;

#define NNB_HELPERS_PER_USER 4u
#define NNB_HELPERS 64u
/* The time for a transfer: this long, and a second for each NNB_HELPER_RATE bytes. */
#define NNB_HELPER_NS UINT64_C(10000000000)
#define NNB_HELPER_RATE (16u << 20)

/**
 * enum nnb_helper_op - the transfers
 * @NNB_HELPER_READ: reads from @offset on; -ENODATA at the end of the file
 * @NNB_HELPER_WRITE: writes from @offset on; -ENODATA beyond the end of the file
 * @NNB_HELPER_REPLACE: truncates the file and writes it; truncates it again after an error
 * @NNB_HELPER_APPEND: writes where the descriptor stands, to a pipe for instance
 */
enum nnb_helper_op {
	NNB_HELPER_READ,
	NNB_HELPER_WRITE,
	NNB_HELPER_REPLACE,
	NNB_HELPER_APPEND,
};

/**
 * struct nnb_transfer - a transfer between a client's file and memory of the service
 * @op: the kind
 * @fd: of the file; it stays the caller's
 * @offset: in the file
 * @size: bytes
 * @data: @size bytes, to be filled by READ
 * @dead: ends the transfer when it becomes true; NULL for none
 */
struct nnb_transfer {
	enum nnb_helper_op op;
	int fd;
	uint64_t offset, size;
	void *data;
	const atomic_bool *dead;
};

/* A helper of a user: the read end of its pipe. */
struct nnb_helper {
	int alive;
};

/*
 * Starts the process that starts helpers. @enter: called in it, returns 0 or a negative errno with
 * which it ends; NULL for none. Return: the socket for requests, or a negative errno.
 */
int nnb_helpers_start(int (*enter)(void));

/*
 * Has a helper of @user make a transfer, and waits for it. Return: 0, -EAGAIN (too many helpers),
 * -ECANCELED (@dead), -EIO (no answer in time, or no helper could be started), or an error of the
 * file.
 */
int nnb_helper_transfer(struct nnb_service *service, struct nnb_user *user,
			const struct nnb_transfer *transfer);
/* Forgets helpers of @user that are gone. Called with the service's lock. */
void nnb_helpers_reap(struct nnb_service *service, struct nnb_user *user);

/*
 * Return: true if calls on the file cannot block: it is in memory. Such files are tmpfs's and
 * hugetlbfs's, which alone have seals.
 */
bool nnb_file_is_memory(int fd);
/*
 * Return: true if a file system may answer calls on the file: it is neither a pipe nor a socket nor
 * one without any, as a sync_file is.
 */
bool nnb_file_has_file_system(int fd);
/*
 * As fstat(), by what the kernel knows of the file without asking its file system. Only type, size,
 * block size, device and inode are set. Return: 0 or a negative errno.
 */
int nnb_file_stat(int fd, struct stat *out);

#endif
