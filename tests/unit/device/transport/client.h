/* SPDX-License-Identifier: MIT */
/* The client's end of a vfio-user socket, for tests: messages are made, and go with their fds. */
#ifndef TEST_TRANSPORT_CLIENT_H
#define TEST_TRANSPORT_CLIENT_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#include "device/transport/vfu_protocol.h"

#define CLIENT_MAX_FDS 64u

/* Make a message of @command in @message. Return: its size. */
static inline size_t client_build(uint8_t *message, uint16_t id, uint16_t command, uint32_t flags,
				  const void *payload, size_t size)
{
	struct nnadev_vfu_header header = {
		.id = id,
		.command = command,
		.size = (uint32_t)(sizeof(header) + size),
		.flags = flags,
	};

	memcpy(message, &header, sizeof(header));
	if (size)
		memcpy(message + sizeof(header), payload, size);
	return header.size;
}

/* Send bytes, and up to CLIENT_MAX_FDS fds with them. Return: as sendmsg(). */
static inline ssize_t client_send(int fd, const void *data, size_t size, const int *fds,
				  size_t count, int flags)
{
	union {
		char space[CMSG_SPACE(CLIENT_MAX_FDS * sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec iov = { (void *)data, size };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (count) {
		struct cmsghdr *c;

		memset(&control, 0, sizeof(control));
		msg.msg_control = control.space;
		msg.msg_controllen = CMSG_SPACE(count * sizeof(int));
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(count * sizeof(int));
		memcpy(CMSG_DATA(c), fds, count * sizeof(int));
	}
	return sendmsg(fd, &msg, MSG_NOSIGNAL | flags);
}

/* Receive that many bytes. Return: false when the server has hung up. */
static inline bool client_receive(int fd, void *to, size_t size)
{
	uint8_t *at = to;

	while (size) {
		ssize_t n = recv(fd, at, size, 0);

		if (n == 0 || (n < 0 && errno != EINTR))
			return false;
		at += n > 0 ? n : 0;
		size -= n > 0 ? (size_t)n : 0;
	}
	return true;
}

#endif
