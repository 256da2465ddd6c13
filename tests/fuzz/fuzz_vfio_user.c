// SPDX-License-Identifier: MIT
/*
 * The vfio-user socket against a hostile client: the input is a sequence of messages, each a
 * command, flags, fds to send along, and a payload; some are sent with a header of their own
 * making, or cut short. Expected is that the server, with the real device model behind it, neither
 * crashes nor stalls, and that it serves a decent client afterwards.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "hw/gen/nnahw.h"
#include "device/transport/vfu.h"
#include "device/transport/vfu_protocol.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct client {
	struct nnadev_vfu *vfu;
	int fd;
	int server;
	int stop;
	pthread_t thread;
};

struct input {
	const uint8_t *data;
	size_t size;
};

static uint8_t take(struct input *in)
{
	if (!in->size)
		return 0;
	in->size--;
	return *in->data++;
}

static void *serve(void *arg)
{
	struct client *c = arg;

	nnadev_vfu_serve(c->vfu, c->server, c->stop);
	return NULL;
}

static void connect_client(struct client *c)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		abort();
	c->fd = pair[0];
	c->server = pair[1];
	if (pthread_create(&c->thread, NULL, serve, c))
		abort();
}

static void leave(struct client *c)
{
	shutdown(c->fd, SHUT_RDWR);
	close(c->fd);
	pthread_join(c->thread, NULL);
}

/* Throws away what has been answered; a hung-up server is fine. */
static void drain(struct client *c)
{
	static uint8_t trash[65536];

	while (recv(c->fd, trash, sizeof(trash), MSG_DONTWAIT) > 0)
		;
}

static void transmit(struct client *c, const void *data, size_t size, const int *fds, size_t count)
{
	union {
		char space[CMSG_SPACE(32 * sizeof(int))];
		struct cmsghdr align;
	} control = { .space = { 0 } };
	struct iovec iov = { (void *)data, size };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (count) {
		struct cmsghdr *h;

		msg.msg_control = control.space;
		msg.msg_controllen = CMSG_SPACE(count * sizeof(int));
		h = CMSG_FIRSTHDR(&msg);
		h->cmsg_level = SOL_SOCKET;
		h->cmsg_type = SCM_RIGHTS;
		h->cmsg_len = CMSG_LEN(count * sizeof(int));
		memcpy(CMSG_DATA(h), fds, count * sizeof(int));
	}
	drain(c);
	if (size && sendmsg(c->fd, &msg, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		drain(c);
}

static void greet(struct client *c)
{
	struct {
		struct nnadev_vfu_header header;
		struct nnadev_vfu_version version;
	} hello = { { 1, NNADEV_VFU_VERSION, sizeof(hello), 0, 0 }, { 0, 0 } };

	transmit(c, &hello, sizeof(hello), NULL, 0);
}

static void send_message(struct client *c, struct input *in, int memory, int event)
{
	/* The length that the server wants, most of the time. */
	static const uint8_t lengths[] = {
		0, 4, 32, 24, 16, 32, 16, 16, 20, 16, 24, 0, 0, 0, 0, 0
	};
	static uint8_t message[sizeof(struct nnadev_vfu_header) + 512];
	struct nnadev_vfu_header header;
	uint8_t command = take(in), how = take(in), fd_kind = take(in);
	size_t length = lengths[command % 16], sent;
	int fds[32];

	if (how & 1)
		length = take(in) * 2u;
	for (size_t i = 0; i < length; i++) {
		uint8_t byte = take(in);

		/* Small numbers and pages are what gets past the first checks. */
		message[sizeof(header) + i] = how & 2	   ? byte
					      : i % 4 == 0 ? byte & 0x3f
					      : i % 4 == 1 ? byte & 0xf0
							   : 0;
	}
	/* argsz first, for the messages that have one */
	if (!(how & 4) && length >= 4 && command % 16 != NNADEV_VFU_REGION_READ &&
	    command % 16 != NNADEV_VFU_REGION_WRITE)
		message[sizeof(header)] = (uint8_t)length;
	header = (struct nnadev_vfu_header){
		.id = 1,
		.command = how & 8 ? command : command % 16,
		.size = (uint32_t)(sizeof(header) + length),
		.flags = how & 16 ? NNADEV_VFU_NO_REPLY : 0,
	};
	sent = header.size;
	if ((how & 0xe0) == 0xe0)
		header.size = (uint32_t)take(in) << (take(in) % 25);
	if ((how & 0xe0) == 0xc0)
		header.flags = take(in);
	if ((how & 0xe0) == 0xa0)
		sent = take(in) % (sent + 1);
	memcpy(message, &header, sizeof(header));
	for (size_t i = 0; i < 32; i++)
		fds[i] = fd_kind & 64 ? memory : event;
	transmit(c, message, sent, fds, fd_kind & 128 ? fd_kind & 31 : 0);
}

/* The payload of one reply, which must come and fit. */
static const uint8_t *receive_reply(struct client *c)
{
	static uint8_t payload[512];
	struct nnadev_vfu_header header;
	size_t size;

	if (recv(c->fd, &header, sizeof(header), MSG_WAITALL) != sizeof(header))
		abort();
	size = header.size - sizeof(header);
	if (header.flags != NNADEV_VFU_TYPE_REPLY || size > sizeof(payload) ||
	    recv(c->fd, payload, size, MSG_WAITALL) != (ssize_t)size)
		abort();
	return payload;
}

/* A decent client finds a device. */
static void check_device(struct client *c)
{
	struct {
		struct nnadev_vfu_header header;
		struct nnadev_vfu_region_access access;
	} read = { { 2, NNADEV_VFU_REGION_READ, sizeof(read), 0, 0 },
		   { NNAHW_REG_ID, NNAHW_PCI_REGISTER_BAR, 4 } };
	uint32_t value;

	transmit(c, &read, sizeof(read), NULL, 0);
	memcpy(&value, receive_reply(c) + sizeof(read.access), sizeof(value));
	if (value != NNAHW_ID_MAGIC)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct nnadev_vfu_params params = { .threads = 1, .isa = NNADEV_ISA_SCALAR };
	struct input in = { data, size };
	struct client c = { 0 };
	int memory = memfd_create("memory", MFD_CLOEXEC), event = eventfd(0, EFD_CLOEXEC);
	c.stop = eventfd(0, EFD_CLOEXEC);
	if (memory < 0 || event < 0 || c.stop < 0 || ftruncate(memory, 1 << 16) ||
	    nnadev_vfu_create(&params, &c.vfu))
		abort();
	connect_client(&c);
	if (!(take(&in) & 1))
		greet(&c);
	while (in.size)
		send_message(&c, &in, memory, event);
	leave(&c);

	connect_client(&c);
	greet(&c);
	receive_reply(&c);
	check_device(&c);
	leave(&c);
	nnadev_vfu_destroy(c.vfu);
	close(c.stop);
	close(memory);
	close(event);
	return 0;
}
