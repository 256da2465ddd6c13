// SPDX-License-Identifier: MIT
/*
 * The vfio-user socket against a hostile client: the input is a sequence of steps, most of which
 * are messages that a decent client could send, in which some bytes are then spoiled, the size
 * changed, or the end cut off; others write to the memory that the device has mapped, or make it
 * shorter. One step sets up rings and rings a doorbell, so that jobs run meanwhile.
 *
 * The server, with the real device model behind it, must neither crash nor stall (tiles.h): it ends
 * with its client in bounded work, and serves a decent one afterwards.
 *
 * With FUZZ_SANDBOX=1 in the environment the thread that serves, and those that it has started, are
 * in nna-device's sandbox; the whole process then has its user, who needs to write the corpus.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/pci_regs.h>
#include <linux/vfio.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hw/gen/nnahw.h"
#include "device/nna/model.h"
#include "device/transport/sandbox.h"
#include "device/transport/vfu.h"
#include "tests/fuzz/input.h"
#include "tests/fuzz/tiles.h"
#include "tests/must.h"
#include "tests/unit/device/transport/client.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PAGE 4096u
#define PAGES 32u
/* Bus address of the memory in what the step of set-up maps; other steps map it anywhere. */
#define BUS 0x100000000ull
/* Pages of that memory, as the step of set-up uses them. */
enum { PAGE_RING, PAGE_DONE = 8, PAGE_CONTROL = 10, PAGE_CONTROL_DONE = 18, PAGE_TABLES = 20 };

/**
 * struct client - the input's side
 * @vfu: the server
 * @fd: the client's end
 * @server: the other one; -1 when nobody is served
 * @stop: eventfd that is never raised
 * @lock: guards @server
 * @changed: signalled when @server has
 * @memory: the file that is mapped
 * @event: for interrupts
 * @bell: of ring 0, as last written
 */
struct client {
	struct nnadev_vfu *vfu;
	int fd;
	int server;
	int stop;
	int memory;
	int event;
	uint32_t bell;
	pthread_mutex_t lock;
	pthread_cond_t changed;
};

/* A bus address, or a size: of the set-up's, near the ends of all, or any. */
static uint64_t address(struct input *in)
{
	static const uint64_t near[] = { 0, PAGE, BUS, BUS + PAGE * PAGES, 1ull << 40,
					 -(1ull << 16) };
	uint64_t how = take(in, 1);

	if (how >= 0xf0)
		return take(in, 8);
	return near[how % 6] + (how >> 3) % 8 * PAGE;
}

/* ---- the connection -------------------------------------------------------------------------- */

/* The thread that serves makes the server too, so that all threads of that are like this one. */
static void *serve(void *arg)
{
	const struct nnadev_params config = { .isa = NNADEV_ISA_AUTO };
	struct nnadev_vfu_params params = {
		.model = &nnadev_nna_model,
		.config = &config,
		.threads = 2,
	};
	const char *sandbox = getenv("FUZZ_SANDBOX");
	struct client *c = arg;
	struct nnadev *dev;
	char why[256];

	if (sandbox && *sandbox == '1' && nnadev_sandbox_enter(why, sizeof(why)) < 0) {
		fprintf(stderr, "%s\n", why);
		abort();
	}
	must(!nnadev_vfu_create(&params, &c->vfu));
	dev = nnadev_vfu_device(c->vfu);
	dev->exec.job_limit = 3000000;
	tiles_watch(dev);
	pthread_mutex_lock(&c->lock);
	for (;;) {
		while (c->server < 0)
			pthread_cond_wait(&c->changed, &c->lock);
		pthread_mutex_unlock(&c->lock);
		nnadev_vfu_serve(c->vfu, c->server, c->stop);
		pthread_mutex_lock(&c->lock);
		c->server = -1;
		pthread_cond_broadcast(&c->changed);
	}
	return NULL;
}

static void join(struct client *c)
{
	int pair[2];

	must(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair));
	c->fd = pair[0];
	pthread_mutex_lock(&c->lock);
	c->server = pair[1];
	pthread_cond_broadcast(&c->changed);
	pthread_mutex_unlock(&c->lock);
}

/* Whatever runs, the server is done with its client soon. */
static void leave(struct client *c)
{
	uint64_t before;

	shutdown(c->fd, SHUT_RDWR);
	before = work_everywhere();
	close(c->fd);
	pthread_mutex_lock(&c->lock);
	while (c->server >= 0)
		pthread_cond_wait(&c->changed, &c->lock);
	pthread_mutex_unlock(&c->lock);
	tiles_check_answer("the client's end", before, work_everywhere());
}

/* Throw away what has been answered; a hung-up server is fine. */
static void drain(struct client *c)
{
	static uint8_t trash[65536];

	while (recv(c->fd, trash, sizeof(trash), MSG_DONTWAIT) > 0)
		;
}

static void transmit(struct client *c, const void *data, size_t size, const int *fds, size_t count)
{
	drain(c);
	if (size && client_send(c->fd, data, size, fds, count, MSG_DONTWAIT) < 0)
		drain(c);
}

static void post(struct client *c, uint16_t command, const void *payload, size_t size, int file)
{
	uint8_t message[256];

	size = client_build(message, 1, command, NNADEV_VFU_NO_REPLY, payload, size);
	transmit(c, message, size, &file, file >= 0);
}

static void greet(struct client *c)
{
	struct nnadev_vfu_version version = { NNADEV_VFU_MAJOR, NNADEV_VFU_MINOR };
	uint8_t message[64];

	transmit(c, message,
		 client_build(message, 1, NNADEV_VFU_VERSION, 0, &version, sizeof(version)), NULL,
		 0);
}

static void write_region(struct client *c, uint32_t region, uint64_t offset, uint64_t value,
			 uint32_t size)
{
	struct nnadev_vfu_region_access access = { offset, region, size };
	uint8_t payload[sizeof(access) + 8];

	memcpy(payload, &access, sizeof(access));
	memcpy(payload + sizeof(access), &value, size);
	post(c, NNADEV_VFU_REGION_WRITE, payload, sizeof(access) + size, -1);
}

static void write_register(struct client *c, uint64_t offset, uint64_t value, uint32_t size)
{
	write_region(c, NNAHW_PCI_REGISTER_BAR, offset, value, size);
}

/* ---- steps ----------------------------------------------------------------------------------- */

static void set_up_ring(struct client *c, uint32_t ring, uint32_t page, uint32_t done)
{
	uint64_t at = NNAHW_RING_REGS + ring * NNAHW_RING_STRIDE;

	write_register(c, at + NNAHW_RING_REG_CONTROL, 0, 4);
	write_register(c, at + NNAHW_RING_REG_BASE, BUS + page * PAGE, 8);
	write_register(c, at + NNAHW_RING_REG_CQ_BASE, BUS + done * PAGE, 8);
	write_register(c, at + NNAHW_RING_REG_SIZE, NNAHW_RING_SIZE_MIN, 4);
	write_register(c, at + NNAHW_RING_REG_CONTROL, NNAHW_RING_REG_CONTROL_ENABLE, 4);
}

/* What a driver does until jobs can run: memory, bus mastering, a ring and the control ring. */
static void set_up(struct client *c)
{
	struct nnadev_vfu_dma_map map = {
		.argsz = sizeof(map),
		.flags = VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE,
		.iova = BUS,
		.size = PAGES * PAGE,
	};

	post(c, NNADEV_VFU_DMA_MAP, &map, sizeof(map), c->memory);
	write_region(c, VFIO_PCI_CONFIG_REGION_INDEX, PCI_COMMAND,
		     PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER, 2);
	set_up_ring(c, 0, PAGE_RING, PAGE_DONE);
	set_up_ring(c, NNAHW_CONTROL_RING, PAGE_CONTROL, PAGE_CONTROL_DONE);
	write_register(c, NNAHW_REG_CONTROL, NNAHW_REG_CONTROL_ENABLE, 4);
	c->bell = 0;
}

/*
 * An entry of either ring and its doorbell. A job has a page table at PAGE_TABLES whose levels are
 * one page that maps itself, so that all of its addresses below reach that page: its stream is what
 * the input wrote there.
 */
static void submit(struct client *c, struct input *in)
{
	struct nnahw_ring_entry e = {
		.type = NNAHW_ENTRY_JOB + (take(in, 1) & 1),
		.seqno = c->bell + 1,
		.root = BUS + PAGE_TABLES * PAGE,
		.stream_size = sizeof(struct nnahw_stream_header),
	};
	uint32_t ring = take(in, 1) & 1 ? NNAHW_CONTROL_RING : 0;
	uint64_t table = (BUS + PAGE_TABLES * PAGE) | NNAHW_PTE_VALID | NNAHW_PTE_WRITE;
	uint32_t page = ring ? PAGE_CONTROL : PAGE_RING, spoil = take(in, 1) % 3;
	uint64_t at;

	if (ring) {
		e = (struct nnahw_ring_entry){ .seqno = c->bell + 1 };
		e.type = NNAHW_ENTRY_NOP + take(in, 1) % 4;
		e.address = take(in, 1);
	}
	while (spoil--) {
		uint64_t value = address(in);

		memcpy((uint8_t *)&e + take(in, 1) % (sizeof(e) - 7), &value, sizeof(value));
	}
	at = page * PAGE + c->bell % NNAHW_RING_SIZE_MIN * sizeof(e);
	if (pwrite(c->memory, &e, sizeof(e), (off_t)at) < 0 ||
	    pwrite(c->memory, &table, sizeof(table), PAGE_TABLES * PAGE) < 0)
		return;
	c->bell++;
	write_register(c, NNAHW_DOORBELLS + 4 * ring, c->bell, 4);
}

/* The payload of a message as a decent client could send it. Return: its size. */
static size_t make_payload(struct input *in, uint16_t command, uint8_t *to, uint32_t *fds)
{
	static const uint32_t regions[] = { NNAHW_PCI_REGISTER_BAR, NNAHW_PCI_MSIX_BAR,
					    VFIO_PCI_CONFIG_REGION_INDEX };
	union {
		struct nnadev_vfu_version version;
		struct nnadev_vfu_dma_map map;
		struct nnadev_vfu_dma_unmap unmap;
		struct nnadev_vfu_device_info device;
		struct nnadev_vfu_region_info region;
		struct nnadev_vfu_region_io_fds io_fds;
		struct nnadev_vfu_irq_info irq;
		struct nnadev_vfu_irq_set set;
		struct nnadev_vfu_region_access access;
	} p = { .map = { 0 } };
	size_t size = 0, more = 0;

	switch (command) {
	case NNADEV_VFU_VERSION:
		size = sizeof(p.version);
		p.version.minor = (uint16_t)take(in, 1) % 3;
		more = take(in, 1) % 64;
		break;
	case NNADEV_VFU_DMA_MAP:
		size = sizeof(p.map);
		p.map = (struct nnadev_vfu_dma_map){
			.argsz = (uint32_t)size,
			.flags = (uint32_t)take(in, 1) % 5,
			.offset = take(in, 1) % 8 * PAGE,
			.iova = address(in),
			.size = (1 + take(in, 1) % (2 * PAGES)) * PAGE,
		};
		*fds = take(in, 1) % 8 ? 1 : (uint32_t)take(in, 1) % 3;
		break;
	case NNADEV_VFU_DMA_UNMAP:
		size = sizeof(p.unmap);
		p.unmap = (struct nnadev_vfu_dma_unmap){ .argsz = (uint32_t)size };
		if (take(in, 1) % 4) {
			p.unmap.iova = address(in);
			p.unmap.size = (1 + take(in, 1) % (2 * PAGES)) * PAGE;
		} else {
			p.unmap.flags = VFIO_DMA_UNMAP_FLAG_ALL;
		}
		break;
	case NNADEV_VFU_DEVICE_GET_INFO:
		size = sizeof(p.device);
		p.device.argsz = (uint32_t)size;
		break;
	case NNADEV_VFU_DEVICE_GET_REGION_INFO:
		size = sizeof(p.region);
		p.region.argsz = (uint32_t)size;
		p.region.index = (uint32_t)take(in, 1) % 12;
		break;
	case NNADEV_VFU_DEVICE_GET_REGION_IO_FDS:
		size = sizeof(p.io_fds);
		p.io_fds.argsz = (uint32_t)size;
		p.io_fds.index = (uint32_t)take(in, 1) % 12;
		break;
	case NNADEV_VFU_DEVICE_GET_IRQ_INFO:
		size = sizeof(p.irq);
		p.irq.argsz = (uint32_t)size;
		p.irq.index = (uint32_t)take(in, 1) % 6;
		break;
	case NNADEV_VFU_DEVICE_SET_IRQS:
		size = sizeof(p.set);
		p.set = (struct nnadev_vfu_irq_set){
			.argsz = (uint32_t)size,
			.flags = 1u << take(in, 1) % 3 | 8u << take(in, 1) % 3,
			.index = take(in, 1) % 8 ? VFIO_PCI_MSIX_IRQ_INDEX : 0,
			.start = (uint32_t)take(in, 1) % 8,
			.count = (uint32_t)take(in, 1) % 8,
		};
		if (p.set.flags & VFIO_IRQ_SET_DATA_EVENTFD)
			*fds = take(in, 1) % 4 ? p.set.count : (uint32_t)take(in, 1) % 20;
		else
			more = p.set.count;
		break;
	case NNADEV_VFU_REGION_READ:
	case NNADEV_VFU_REGION_WRITE:
		size = sizeof(p.access);
		p.access.region = regions[take(in, 1) % 3];
		p.access.count = 1u << take(in, 1) % 5;
		p.access.offset = take(in, 2) % 0x4000 / p.access.count * p.access.count;
		if (p.access.region != NNAHW_PCI_REGISTER_BAR)
			p.access.offset %= 0x1000;
		if (command == NNADEV_VFU_REGION_WRITE)
			more = p.access.count;
		break;
	default:
		more = take(in, 1) % 64;
		break;
	}
	memcpy(to, &p, size);
	while (more--)
		to[size++] = (uint8_t)take(in, 1);
	return size;
}

static void send_message(struct client *c, struct input *in)
{
	static uint8_t message[1024], payload[512];
	uint16_t command = (uint16_t)take(in, 1) % 15;
	uint32_t how = (uint32_t)take(in, 1), count = 0;
	size_t size = make_payload(in, command, payload, &count), sent;
	struct nnadev_vfu_header header;
	int fds[CLIENT_MAX_FDS];
	int file = command == NNADEV_VFU_DMA_MAP ? c->memory : c->event;

	for (uint32_t i = 0; i < (how & 3) && size && how & 4; i++)
		payload[take(in, 1) % size] = (uint8_t)take(in, 1);
	size = client_build(message, 1, command, how & 8 ? NNADEV_VFU_NO_REPLY : 0, payload, size);
	sent = size;
	if (how >= 0xf0) {
		memcpy(&header, message, sizeof(header));
		switch (take(in, 1) % 5) {
		case 0:
			header.size = (uint32_t)take(in, 1) << take(in, 1) % 25;
			break;
		case 1:
			header.flags = (uint32_t)take(in, 1);
			break;
		case 2:
			header.command = (uint16_t)take(in, 2);
			break;
		case 3:
			sent = take(in, 1) % (size + 1);
			break;
		default:
			count = (uint32_t)take(in, 1) % 40;
			file = take(in, 1) & 1 ? c->memory : c->event;
			break;
		}
		memcpy(message, &header, sizeof(header));
	}
	for (uint32_t i = 0; i < count; i++)
		fds[i] = file;
	transmit(c, message, sent, fds, count);
}

/* Wait until the server has taken all messages, and hung up. */
static void catch_up(struct client *c)
{
	uint8_t trash[4096];

	shutdown(c->fd, SHUT_WR);
	while (recv(c->fd, trash, sizeof(trash), 0) > 0)
		;
}

static void step(struct client *c, struct input *in)
{
	uint64_t value;
	uint16_t at;

	switch (take(in, 1) % 16) {
	case 0:
		set_up(c);
		break;
	case 1:
	case 2:
		submit(c, in);
		break;
	case 3: /* anywhere in the memory */
		at = (uint16_t)take(in, 2);
		value = address(in);
		if (pwrite(c->memory, &value, sizeof(value), at * 8 % (PAGES * PAGE)) < 0)
			return;
		break;
	case 4:
		if (take(in, 1) < 32)
			must(!ftruncate(c->memory, (off_t)(take(in, 1) % PAGES * PAGE)));
		break;
	case 5:
		write_register(c, take(in, 2) % 0x3000 & ~3u, take(in, 4), 4);
		break;
	case 6:
		write_region(c, VFIO_PCI_CONFIG_REGION_INDEX, take(in, 1), take(in, 2), 2);
		break;
	default:
		send_message(c, in);
		break;
	}
}

/* ---- a decent client ------------------------------------------------------------------------- */

/* The payload of one reply, which must come and fit. */
static const uint8_t *receive_reply(struct client *c)
{
	static uint8_t payload[512];
	struct nnadev_vfu_header header;
	size_t size;

	must(client_receive(c->fd, &header, sizeof(header)));
	size = header.size - sizeof(header);
	must(header.flags == NNADEV_VFU_TYPE_REPLY && size <= sizeof(payload));
	must(client_receive(c->fd, payload, size));
	return payload;
}

/* It finds a device. */
static void check_device(struct client *c)
{
	struct nnadev_vfu_region_access access = { NNAHW_REG_ID, NNAHW_PCI_REGISTER_BAR, 4 };
	uint8_t message[64];
	uint32_t value;

	greet(c);
	receive_reply(c);
	transmit(c, message,
		 client_build(message, 2, NNADEV_VFU_REGION_READ, 0, &access, sizeof(access)), NULL,
		 0);
	memcpy(&value, receive_reply(c) + sizeof(access), sizeof(value));
	must(value == NNAHW_ID_MAGIC);
}

/* ---- the process ----------------------------------------------------------------------------- */

/* The client's memory became shorter while the device used it. */
static void on_sigbus(int signal, siginfo_t *info, void *context)
{
	must(nnadev_bus_sigbus(info->si_addr));
}

static struct client client = {
	.server = -1,
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.changed = PTHREAD_COND_INITIALIZER,
};

static void begin(void)
{
	struct sigaction bus = { .sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO };
	pthread_t thread;

	must(!sigaction(SIGBUS, &bus, NULL));
	client.stop = eventfd(0, EFD_CLOEXEC);
	client.event = eventfd(0, EFD_CLOEXEC);
	must(client.stop >= 0 && client.event >= 0);
	must(!pthread_create(&thread, NULL, serve, &client));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	bool whole;

	if (!client.stop)
		begin();
	client.bell = 0;
	client.memory = memfd_create("memory", MFD_CLOEXEC);
	must(client.memory >= 0 && !ftruncate(client.memory, PAGES * PAGE));
	join(&client);
	whole = take(&in, 1) & 1;
	if (take(&in, 1) & 7)
		greet(&client);
	while (in.size)
		step(&client, &in);
	if (whole)
		catch_up(&client);
	leave(&client);
	close(client.memory);

	join(&client);
	check_device(&client);
	leave(&client);
	return 0;
}
