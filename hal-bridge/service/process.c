// SPDX-License-Identifier: MIT
/* Processes beside the service's (process.h). */
#include "hal-bridge/service/process.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

/* Room for the descriptors of a message, aligned as their header is. */
union nnb_process_room {
	struct cmsghdr header;
	char bytes[CMSG_SPACE(NNB_PROCESS_FDS * sizeof(int))];
};

/* Closes all descriptors but the standard ones and @socket. Return: 0 or a negative errno. */
static int nnb_process_close_others(int socket)
{
	const unsigned int kept = (unsigned int)socket;

	if ((kept > 3 && syscall(SYS_close_range, 3u, kept - 1, 0)) ||
	    syscall(SYS_close_range, kept + 1, ~0u, 0))
		return -errno;
	return 0;
}

int nnb_process_start(void (*run)(int socket), int (*enter)(void))
{
	int ends[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
		return -errno;
	pid = fork();
	if (pid < 0) {
		int ret = -errno;

		close(ends[0]);
		close(ends[1]);
		return ret;
	}
	if (pid) {
		close(ends[1]);
		return ends[0];
	}
	signal(SIGPIPE, SIG_IGN);
	if (nnb_process_close_others(ends[1]) || prctl(PR_SET_PDEATHSIG, SIGKILL) ||
	    (enter && enter()))
		_exit(1);
	run(ends[1]);
	_exit(0);
}

int nnb_process_send(int socket, const void *data, size_t size, const int *fds, size_t count)
{
	union nnb_process_room room = {0};
	struct iovec bytes = {(void *)data, size};
	struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1};
	struct cmsghdr *header;

	if (count > NNB_PROCESS_FDS)
		return -EINVAL;
	if (count) {
		message.msg_control = &room;
		message.msg_controllen = CMSG_SPACE(count * sizeof(*fds));
		header = CMSG_FIRSTHDR(&message);
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(count * sizeof(*fds));
		memcpy(CMSG_DATA(header), fds, count * sizeof(*fds));
	}
	while (sendmsg(socket, &message, MSG_NOSIGNAL) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	return 0;
}

int nnb_process_receive(int socket, void *data, size_t size, int *fds, size_t count, int flags)
{
	union nnb_process_room room = {0};
	struct iovec bytes = {data, size};
	struct msghdr message = {
		.msg_iov = &bytes,
		.msg_iovlen = 1,
		.msg_control = &room,
		.msg_controllen = sizeof(room),
	};
	const struct cmsghdr *header;
	ssize_t got;

	do {
		got = recvmsg(socket, &message, flags);
	} while (got < 0 && errno == EINTR);
	if (got <= 0)
		return got ? -errno : -EPIPE;
	header = CMSG_FIRSTHDR(&message);
	if ((size_t)got != size || !header != !count)
		return -EPROTO;
	if (!header)
		return 0;
	if (header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(count * sizeof(*fds)))
		return -EPROTO;
	memcpy(fds, CMSG_DATA(header), count * sizeof(*fds));
	return 0;
}
