// SPDX-License-Identifier: MIT
/* Processes that read and write files of clients (helper.h). */
#include "hal-bridge/service/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/sysmacros.h>
#include <sys/types.h>
#include <unistd.h>

#include "hal-bridge/common/backing.h"
#include "hal-bridge/service/process.h"
#include "hal-bridge/service/service.h"
#include "libnnaccel/support/clock.h"
#include "libnnaccel/support/message.h"

#define NNB_CHUNK 65536u

/* The descriptors of a request, in this order. */
enum { NNB_FILE, NNB_DATA, NNB_ALIVE, NNB_FDS };

/**
 * struct nnb_helper_request - a request to a helper
 * @op: enum nnb_helper_op
 * @offset: in the file
 * @size: bytes
 */
struct nnb_helper_request {
	uint32_t op;
	uint64_t offset, size;
};

/* ------------------------------------------------------------------------------------- helpers */

/* Writes all bytes. Return: 0 or a negative errno. */
static int nnb_write_all(int fd, const void *data, size_t size)
{
	const char *at = data;

	while (size) {
		ssize_t put = write(fd, at, size);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return put ? -errno : -EIO;
		at += put;
		size -= (size_t)put;
	}
	return 0;
}

/* Sends the bytes in pieces, each with its length before it. */
static int nnb_helper_read(const int fds[NNB_FDS], const struct nnb_helper_request *r)
{
	static char chunk[NNB_CHUNK];
	uint64_t done = 0;

	while (done < r->size) {
		uint64_t left = r->size - done;
		ssize_t got = pread(fds[NNB_FILE], chunk, left < NNB_CHUNK ? left : NNB_CHUNK,
				    (off_t)(r->offset + done));
		int32_t length = (int32_t)got;

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? -errno : -ENODATA;
		if (nnb_write_all(fds[NNB_DATA], &length, sizeof(length)) ||
		    nnb_write_all(fds[NNB_DATA], chunk, (size_t)got))
			return -EPIPE;
		done += (uint64_t)got;
	}
	return 0;
}

/* Checks or prepares the file. A WRITE must not extend a file that its owner has truncated. */
static int nnb_helper_begin_write(int fd, const struct nnb_helper_request *r)
{
	struct stat st;

	if (r->op == NNB_HELPER_REPLACE)
		return ftruncate(fd, 0) ? -errno : 0;
	if (r->op == NNB_HELPER_APPEND)
		return 0;
	if (fstat(fd, &st))
		return -errno;
	return (uint64_t)st.st_size < r->offset + r->size ? -ENODATA : 0;
}

/* Receives all bytes, also after an error, since the service sends them before it looks. */
static int nnb_helper_write(const int fds[NNB_FDS], const struct nnb_helper_request *r)
{
	static char chunk[NNB_CHUNK];
	int ret = nnb_helper_begin_write(fds[NNB_FILE], r);
	uint64_t done = 0;

	while (done < r->size) {
		uint64_t left = r->size - done;
		ssize_t got = read(fds[NNB_DATA], chunk, left < NNB_CHUNK ? left : NNB_CHUNK);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			ret = -EPIPE;
			break;
		}
		if (!ret)
			ret = r->op == NNB_HELPER_APPEND
				      ? nnb_write_all(fds[NNB_FILE], chunk, (size_t)got)
				      : nnb_backing_write(fds[NNB_FILE], r->offset + done,
							  chunk, (size_t)got);
		done += (uint64_t)got;
	}
	/* Leave no partial file. */
	if (ret && r->op == NNB_HELPER_REPLACE && ftruncate(fds[NNB_FILE], 0))
		ret = -errno;
	return ret;
}

/* A helper: takes the request that waits, says so by @taken, and serves it. Does not return. */
static void nnb_helper_run(int requests, int taken)
{
	struct nnb_helper_request r;
	int fds[NNB_FDS];
	int32_t status;
	int ret = nnb_process_receive(requests, &r, sizeof(r), fds, NNB_FDS, MSG_DONTWAIT);

	close(requests);
	close(taken);
	if (ret)
		_exit(1);
	status = r.op == NNB_HELPER_READ ? nnb_helper_read(fds, &r) : nnb_helper_write(fds, &r);
	nnb_write_all(fds[NNB_DATA], &status, sizeof(status));
	/* Before the pipe, which says that the helper is gone. */
	close(fds[NNB_FILE]);
	_exit(0);
}

/* Starts a helper for each request, until the service is gone. */
static void nnb_helpers_run(int requests)
{
	struct pollfd poll_fd = {.fd = requests, .events = POLLIN};
	int ends[2];
	char byte;
	pid_t pid;

	/* Nobody waits for helpers. */
	signal(SIGCHLD, SIG_IGN);
	while (poll(&poll_fd, 1, -1) >= 0 || errno == EINTR) {
		if (poll_fd.revents & (POLLHUP | POLLERR) && !(poll_fd.revents & POLLIN))
			break;
		if (!(poll_fd.revents & POLLIN) || pipe2(ends, O_CLOEXEC))
			continue;
		pid = fork();
		if (!pid) {
			close(ends[0]);
			nnb_helper_run(requests, ends[1]);
		}
		close(ends[1]);
		/* Without a process the request is dropped, and its pipe hangs up. */
		if (pid < 0 && recv(requests, &byte, 1, MSG_DONTWAIT) < 0)
			pid = 0;
		/* The request that waits is the helper's: the next one may come after it. */
		while (pid > 0 && read(ends[0], &byte, 1) < 0 && errno == EINTR)
			;
		close(ends[0]);
	}
}

int nnb_helpers_start(int (*enter)(void))
{
	return nnb_process_start(nnb_helpers_run, enter);
}

/* ------------------------------------------------------------------------------------- counting */

void nnb_helpers_reap(struct nnb_service *service, struct nnb_user *user)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < user->helper_count; i++) {
		struct pollfd poll_fd = {.fd = user->helpers[i].alive, .events = POLLIN};

		/* One that is being started has no pipe yet. */
		if (poll_fd.fd >= 0 && poll(&poll_fd, 1, 0) > 0) {
			close(poll_fd.fd);
			service->helper_count--;
		} else {
			user->helpers[left++] = user->helpers[i];
		}
	}
	user->helper_count = left;
}

/* Counts a helper. Return: 0, or -EAGAIN with a line in the log. */
static int nnb_helper_count(struct nnb_service *service, struct nnb_user *user, int alive)
{
	uint32_t users;
	bool full;

	pthread_mutex_lock(&service->lock);
	nnb_helpers_reap(service, user);
	users = user->helper_count;
	if (service->helper_count >= NNB_HELPERS) {
		for (struct nnb_user *other = service->users; other; other = other->next)
			nnb_helpers_reap(service, other);
	}
	full = users >= NNB_HELPERS_PER_USER || service->helper_count >= NNB_HELPERS;
	if (!full) {
		user->helpers[user->helper_count++].alive = alive;
		service->helper_count++;
	}
	pthread_mutex_unlock(&service->lock);
	if (!full)
		return 0;
	nna_message(DRIVER, "hal: uid %u has %u accesses to files under way that are not in memory, "
		    "of %u at most: use a memfd, or a file system that answers",
		    (unsigned int)user->uid, users, NNB_HELPERS_PER_USER);
	return -EAGAIN;
}

/* ------------------------------------------------------------------------------------ transfers */

/* Waits for @events at a descriptor. Return: 0, -ECANCELED or -ETIME. */
static int nnb_transfer_wait(const struct nnb_transfer *transfer, int fd, short events,
			     uint64_t deadline)
{
	struct pollfd poll_fd = {.fd = fd, .events = events};

	for (;;) {
		uint64_t now = nna_now_ns(), left = deadline > now ? deadline - now : 0;
		uint64_t ms = left / 1000000 + 1;

		if (transfer->dead && atomic_load(transfer->dead))
			return -ECANCELED;
		if (!left)
			return -ETIME;
		/* Whether the client is dead is looked at once a second. */
		if (poll(&poll_fd, 1, ms > 1000 ? 1000 : (int)ms) > 0)
			return 0;
	}
}

/* Receives or sends all bytes. Return: 0, -ECANCELED, -ETIME, or -EIO if the helper has ended. */
static int nnb_transfer_move(const struct nnb_transfer *transfer, int data, void *bytes,
			     uint64_t size, bool send, uint64_t deadline)
{
	char *at = bytes;

	while (size) {
		struct iovec part = {at, size};
		struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
		int ret = nnb_transfer_wait(transfer, data, send ? POLLOUT : POLLIN, deadline);
		ssize_t moved;

		if (ret)
			return ret;
		moved = send ? sendmsg(data, &message, MSG_DONTWAIT | MSG_NOSIGNAL)
			     : recvmsg(data, &message, MSG_DONTWAIT);
		if (moved < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (moved <= 0)
			return -EIO;
		at += moved;
		size -= (uint64_t)moved;
	}
	return 0;
}

/* Receives the pieces of a READ into @transfer->data, and the status behind them. */
static int nnb_transfer_receive(const struct nnb_transfer *transfer, int data, uint64_t deadline)
{
	uint64_t done = 0;
	int32_t length;
	int ret;

	for (;;) {
		ret = nnb_transfer_move(transfer, data, &length, sizeof(length), false, deadline);
		if (ret || length <= 0)
			return ret ? ret : !length && done < transfer->size ? -EIO : length;
		if ((uint64_t)length > transfer->size - done)
			return -EIO;
		ret = nnb_transfer_move(transfer, data, (char *)transfer->data + done,
					(uint64_t)length, false, deadline);
		if (ret)
			return ret;
		done += (uint64_t)length;
	}
}

static int nnb_transfer_send(const struct nnb_transfer *transfer, int data, uint64_t deadline)
{
	int32_t status = -EIO;
	int ret = nnb_transfer_move(transfer, data, transfer->data, transfer->size, true, deadline);

	if (!ret)
		ret = nnb_transfer_move(transfer, data, &status, sizeof(status), false, deadline);
	return ret ? ret : status;
}

/* Makes a transfer by a helper that has been asked for. */
static int nnb_transfer_run(const struct nnb_service *service, const struct nnb_user *user,
			    const struct nnb_transfer *transfer, int data, int alive)
{
	const uint64_t time = service->options.helper_ns
				      ? service->options.helper_ns
				      : NNB_HELPER_NS + transfer->size / NNB_HELPER_RATE *
								UINT64_C(1000000000);
	const uint64_t deadline = nna_now_ns() + time;
	int ret = transfer->op == NNB_HELPER_READ
			  ? nnb_transfer_receive(transfer, data, deadline)
			  : nnb_transfer_send(transfer, data, deadline);

	/* A helper that has done its work is gone at once, so that the next call may have one. */
	if (ret != -ETIME && ret != -ECANCELED &&
	    nnb_transfer_wait(transfer, alive, POLLIN, deadline) == -ETIME)
		nna_message(DRIVER, "hal: a file of uid %u cannot be closed", (unsigned int)user->uid);
	if (ret == -ETIME) {
		nna_message(DRIVER, "hal: a file of uid %u has not answered for %llu ms: its file "
			    "system may hang", (unsigned int)user->uid,
			    (unsigned long long)(time / 1000000));
		ret = -EIO;
	}
	return ret;
}

int nnb_helper_transfer(struct nnb_service *service, struct nnb_user *user,
			const struct nnb_transfer *transfer)
{
	int data[2] = {-1, -1}, alive[2] = {-1, -1}, watched, ret;

	if (pipe2(alive, O_CLOEXEC))
		return -errno;
	/* The user's list owns one end, this call the other: another call may reap the helper. */
	watched = fcntl(alive[0], F_DUPFD_CLOEXEC, 0);
	ret = watched < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, data) ? -errno : 0;
	if (!ret)
		ret = nnb_helper_count(service, user, alive[0]);
	if (ret) {
		close(alive[0]);
	} else {
		const struct nnb_helper_request r = { transfer->op, transfer->offset,
						      transfer->size };
		const int fds[NNB_FDS] = {transfer->fd, data[1], alive[1]};

		/* Without a helper the pipe hangs up below, and the count goes down again. */
		ret = nnb_process_send(service->options.helpers, &r, sizeof(r), fds, NNB_FDS);
	}
	close(alive[1]);
	if (data[1] >= 0)
		close(data[1]);
	if (!ret)
		ret = nnb_transfer_run(service, user, transfer, data[0], watched);
	if (data[0] >= 0)
		close(data[0]);
	if (watched >= 0)
		close(watched);
	return ret;
}

/* ---------------------------------------------------------------------------------------- files */

bool nnb_file_is_memory(int fd)
{
	return fcntl(fd, F_GET_SEALS) >= 0;
}

bool nnb_file_has_file_system(int fd)
{
	struct stat st = {0};

	return nnb_file_stat(fd, &st) || ((st.st_mode & S_IFMT) && !S_ISFIFO(st.st_mode) &&
					  !S_ISSOCK(st.st_mode));
}

int nnb_file_stat(int fd, struct stat *out)
{
	struct statx st;

	if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE | STATX_SIZE | STATX_INO,
		  &st))
		return -errno;
	*out = (struct stat){
		.st_dev = makedev(st.stx_dev_major, st.stx_dev_minor),
		.st_ino = st.stx_ino,
		.st_mode = st.stx_mode,
		.st_size = (off_t)st.stx_size,
		.st_blksize = st.stx_blksize,
	};
	return 0;
}
