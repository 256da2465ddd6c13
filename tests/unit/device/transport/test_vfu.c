// SPDX-License-Identifier: MIT
/*
 * The vfio-user server of nna-device, spoken to over a socket pair. The model is a stand-in that
 * records what the transport asks of it, so that the protocol is tested alone.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/pci_regs.h>
#include <linux/vfio.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "device/host/bus.h"
#include "device/transport/vfu.h"
#include "tests/unit/device/transport/client.h"

#define CONFIG VFIO_PCI_CONFIG_REGION_INDEX
#define VECTORS 6u
#define REGISTERS 0u
#define REGISTERS_SIZE 0x10000u
#define MSIX 2u
#define DOORBELL 0x8000u

/* ---- the stand-in for the model -------------------------------------------------------------- */

struct device {
	struct nnadev_bus *bus;
	struct nnadev_event knock;
	uint32_t threads;
	uint32_t config;
	uint64_t regs[REGISTERS_SIZE / 8];
	/* the cases look while the server runs */
	atomic_uint resets, drops, writes;
	_Atomic bool hold_drop, interrupt_at_reset;
};

static struct device *model;

static void drop(void *device, uint64_t address, uint64_t size)
{
	struct device *dev = device;

	while (dev->hold_drop)
		sched_yield();
	dev->drops++;
}

static const struct nnadev_bus_ops bus_ops = { drop, NULL };

static int create(const struct nnadev_resources *resources, const void *config, void **device)
{
	struct device *dev = calloc(1, sizeof(*dev));

	if (!dev)
		return -ENOMEM;
	dev->bus = resources->bus;
	dev->threads = resources->threads;
	dev->config = *(const uint32_t *)config;
	nnadev_bus_attach(dev->bus, &bus_ops, dev, &dev->knock);
	*device = model = dev;
	return 0;
}

static uint64_t read_register(void *device, uint32_t bar, uint64_t offset, uint32_t width)
{
	struct device *dev = device;
	uint64_t value = 0;

	assert_int_equal(bar, REGISTERS);
	memcpy(&value, (uint8_t *)dev->regs + offset, width);
	return value;
}

static void write_register(void *device, uint32_t bar, uint64_t offset, uint32_t width,
			   uint64_t value)
{
	struct device *dev = device;

	assert_int_equal(bar, REGISTERS);
	memcpy((uint8_t *)dev->regs + offset, &value, width);
	dev->writes++;
}

static void reset(void *device)
{
	struct device *dev = device;

	dev->resets++;
	if (dev->interrupt_at_reset)
		nnadev_bus_interrupt(dev->bus, 3);
}

static const struct nnadev_model table = {
	.pci = { 0x1234, 0x5678, 0x1111, 0x2222, 0x120000, 3 },
	.bars = {
		[REGISTERS] = { NNADEV_BAR_MODEL, REGISTERS_SIZE, 4 | 8 },
		[MSIX] = { .kind = NNADEV_BAR_MSIX },
	},
	.vectors = VECTORS,
	.config_size = sizeof(uint32_t),
	.create = create,
	.destroy = free,
	.read = read_register,
	.write = write_register,
	.reset = reset,
};

/* Whether the bus reaches an address, for writing if @write, and the inode of the file. */
static bool reaches(uint64_t address, bool write, ino_t *inode, uint64_t *offset)
{
	struct nnadev_reach reach;
	struct stat st;
	bool found;

	nnadev_bus_enter(model->bus);
	found = nnadev_memory_find(&model->bus->memory, address, &reach) &&
		(!write || reach.writable);
	if (found && inode) {
		assert_int_equal(fstat(reach.file->fd, &st), 0);
		*inode = st.st_ino;
		*offset = (uint64_t)(reach.data - reach.file->data);
	}
	nnadev_bus_leave(model->bus);
	return found;
}

static bool is_master(void)
{
	return !model->bus->memory.off;
}

/* ---- a client -------------------------------------------------------------------------------- */

struct session {
	struct nnadev_vfu *vfu;
	int client; /* ours */
	int server; /* nnadev_vfu_serve()'s */
	int stop;
	int result;
	pthread_t thread;
	uint16_t id;
	uint8_t reply[80000];
	size_t reply_size; /* of the payload */
};

static void *serve(void *arg)
{
	struct session *s = arg;

	s->result = nnadev_vfu_serve(s->vfu, s->server, s->stop);
	return NULL;
}

static void start_serving(struct session *s)
{
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	s->client = pair[0];
	s->server = pair[1];
	assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
}

static int setup(void **state)
{
	struct session *s = calloc(1, sizeof(*s));
	const uint32_t config = 42;
	struct nnadev_vfu_params params = { .model = &table, .config = &config, .threads = 2 };

	assert_non_null(s);
	assert_int_equal(nnadev_vfu_create(&params, &s->vfu), 0);
	assert_ptr_equal(nnadev_vfu_device(s->vfu), model);
	assert_int_equal(model->threads, 2);
	assert_int_equal(model->config, 42);
	s->stop = eventfd(0, EFD_CLOEXEC);
	start_serving(s);
	*state = s;
	return 0;
}

/* Leaves and waits for the server to notice. */
static int leave(struct session *s)
{
	if (s->client >= 0) {
		close(s->client);
		pthread_join(s->thread, NULL);
	}
	s->client = -1;
	return s->result;
}

static int teardown(void **state)
{
	struct session *s = *state;

	leave(s);
	nnadev_vfu_destroy(s->vfu);
	close(s->stop);
	free(s);
	return 0;
}

static void send_raw(struct session *s, const void *data, size_t size, const int *fds,
		     size_t fd_count)
{
	assert_int_equal(client_send(s->client, data, size, fds, fd_count, 0), size);
}

static void post(struct session *s, uint16_t command, uint32_t flags, const void *payload,
		 size_t size, const int *fds, size_t fd_count)
{
	static uint8_t message[80000];

	size = client_build(message, ++s->id, command, flags, payload, size);
	send_raw(s, message, size, fds, fd_count);
}

/* Return: 0 or the errno of the reply, -1 when the server has hung up. */
static int get_reply(struct session *s, uint16_t command, uint16_t id)
{
	struct nnadev_vfu_header header;

	if (!client_receive(s->client, &header, sizeof(header)))
		return -1;
	assert_int_equal(header.flags & NNADEV_VFU_TYPE_MASK, NNADEV_VFU_TYPE_REPLY);
	assert_int_equal(header.command, command);
	assert_int_equal(header.id, id);
	assert_in_range(header.size, sizeof(header), sizeof(header) + sizeof(s->reply));
	s->reply_size = header.size - sizeof(header);
	assert_true(client_receive(s->client, s->reply, s->reply_size));
	if (header.flags & NNADEV_VFU_ERROR) {
		assert_int_equal(s->reply_size, 0);
		assert_int_not_equal(header.error, 0);
		return (int)header.error;
	}
	return 0;
}

static int ask_fds(struct session *s, uint16_t command, const void *payload, size_t size,
		   const int *fds, size_t fd_count)
{
	post(s, command, NNADEV_VFU_TYPE_COMMAND, payload, size, fds, fd_count);
	return get_reply(s, command, s->id);
}

static int ask(struct session *s, uint16_t command, const void *payload, size_t size)
{
	return ask_fds(s, command, payload, size, NULL, 0);
}

static int ask_version(struct session *s, uint16_t major, uint16_t minor, const char *text)
{
	uint8_t payload[512];
	struct nnadev_vfu_version version = { major, minor };
	size_t n = text ? strlen(text) + 1 : 0;

	memcpy(payload, &version, sizeof(version));
	if (n)
		memcpy(payload + sizeof(version), text, n);
	return ask(s, NNADEV_VFU_VERSION, payload, sizeof(version) + n);
}

static void greet(struct session *s)
{
	assert_int_equal(
		ask_version(s, 0, 0,
			    "{\"capabilities\":{\"max_msg_fds\":8,\"write_multiple\":true}}"),
		0);
}

static int read_region(struct session *s, uint32_t region, uint64_t offset, void *to, uint32_t size)
{
	struct nnadev_vfu_region_access access = { offset, region, size };
	int ret = ask(s, NNADEV_VFU_REGION_READ, &access, sizeof(access));

	if (ret == 0) {
		assert_int_equal(s->reply_size, sizeof(access) + size);
		assert_memory_equal(s->reply, &access, sizeof(access));
		memcpy(to, s->reply + sizeof(access), size);
	}
	return ret;
}

static int write_region(struct session *s, uint32_t flags, uint32_t region, uint64_t offset,
			const void *from, uint32_t size)
{
	struct nnadev_vfu_region_access access = { offset, region, size };
	uint8_t payload[256];

	assert_true(size <= sizeof(payload) - sizeof(access));
	memcpy(payload, &access, sizeof(access));
	memcpy(payload + sizeof(access), from, size);
	post(s, NNADEV_VFU_REGION_WRITE, flags, payload, sizeof(access) + size, NULL, 0);
	if (flags & NNADEV_VFU_NO_REPLY)
		return 0;
	return get_reply(s, NNADEV_VFU_REGION_WRITE, s->id);
}

static uint32_t config32(struct session *s, uint32_t offset)
{
	uint32_t value;

	assert_int_equal(read_region(s, CONFIG, offset, &value, 4), 0);
	return value;
}

static int map(struct session *s, uint64_t iova, uint64_t size, uint32_t flags, uint64_t offset,
	       int fd)
{
	struct nnadev_vfu_dma_map m = { sizeof(m), flags, offset, iova, size };

	return ask_fds(s, NNADEV_VFU_DMA_MAP, &m, sizeof(m), &fd, fd >= 0 ? 1 : 0);
}

static int unmap(struct session *s, uint64_t iova, uint64_t size, uint32_t flags)
{
	struct nnadev_vfu_dma_unmap m = { sizeof(m), flags, iova, size };

	return ask(s, NNADEV_VFU_DMA_UNMAP, &m, sizeof(m));
}

static void enable_master(struct session *s)
{
	uint16_t command = PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER;

	assert_int_equal(write_region(s, 0, CONFIG, PCI_COMMAND, &command, 2), 0);
}

static int set_irqs(struct session *s, uint32_t flags, uint32_t index, uint32_t start,
		    uint32_t count, const int *fds, size_t fd_count)
{
	struct nnadev_vfu_irq_set set = { sizeof(set), flags, index, start, count };

	return ask_fds(s, NNADEV_VFU_DEVICE_SET_IRQS, &set, sizeof(set), fds, fd_count);
}

static uint64_t drain_eventfd(int fd)
{
	uint64_t n = 0;

	return read(fd, &n, sizeof(n)) == sizeof(n) ? n : 0;
}

static unsigned int open_fds(void)
{
	unsigned int n = 0;

	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

/* ---- the cases ------------------------------------------------------------------------------- */

static void test_version(void **state)
{
	struct session *s = *state;
	struct nnadev_vfu_version version;

	assert_int_equal(ask_version(s, 0, 7,
				     "{\"capabilities\":{\"write_multiple\":true,"
				     "\"twin_socket\":{\"supported\":true}}}"),
			 0);
	memcpy(&version, s->reply, sizeof(version));
	assert_int_equal(version.major, 0);
	assert_int_equal(version.minor, NNADEV_VFU_MINOR);
	assert_int_equal(s->reply[s->reply_size - 1], 0);
	assert_non_null(strstr((char *)s->reply + 4, "\"max_msg_fds\":16"));
	assert_non_null(strstr((char *)s->reply + 4, "\"pgsizes\":4096"));
	/* Never several writes in one message, never a second socket. */
	assert_null(strstr((char *)s->reply + 4, "write_multiple"));
	assert_null(strstr((char *)s->reply + 4, "twin_socket"));
	assert_int_equal(ask_version(s, 0, 0, NULL), EINVAL);
}

static void test_version_refused(void **state)
{
	struct session *s = *state;

	assert_int_equal(ask_version(s, 1, 0, NULL), EINVAL);
	assert_int_equal(get_reply(s, 0, 0), -1);
	assert_int_equal(leave(s), -EPROTO);

	start_serving(s);
	assert_int_equal(ask(s, NNADEV_VFU_DEVICE_RESET, NULL, 0), EINVAL);
	assert_int_equal(get_reply(s, 0, 0), -1);
	assert_int_equal(leave(s), -EPROTO);

	/* The next one is served as if nothing had been. */
	start_serving(s);
	greet(s);
	assert_int_equal(leave(s), 0);
}

static void test_info(void **state)
{
	struct session *s = *state;
	struct nnadev_vfu_device_info info = { .argsz = sizeof(info) };
	struct nnadev_vfu_region_info region;
	struct nnadev_vfu_irq_info irq;
	struct nnadev_vfu_region_io_fds io;

	greet(s);
	assert_int_equal(ask(s, NNADEV_VFU_DEVICE_GET_INFO, &info, sizeof(info)), 0);
	memcpy(&info, s->reply, sizeof(info));
	assert_int_equal(info.flags, VFIO_DEVICE_FLAGS_RESET | VFIO_DEVICE_FLAGS_PCI);
	assert_int_equal(info.num_regions, VFIO_PCI_NUM_REGIONS);
	assert_int_equal(info.num_irqs, VFIO_PCI_MSIX_IRQ_INDEX + 1);

	for (uint32_t i = 0; i < VFIO_PCI_NUM_REGIONS; i++) {
		uint64_t size = i == REGISTERS ? 0x10000 : i == MSIX || i == CONFIG ? 4096 : 0;

		region = (struct nnadev_vfu_region_info){ .argsz = sizeof(region), .index = i };
		assert_int_equal(ask(s, NNADEV_VFU_DEVICE_GET_REGION_INFO, &region, sizeof(region)),
				 0);
		assert_int_equal(s->reply_size, sizeof(region));
		memcpy(&region, s->reply, sizeof(region));
		assert_int_equal(region.size, size);
		assert_int_equal(region.flags,
				 size ? VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE
				      : 0);
	}
	region = (struct nnadev_vfu_region_info){ .argsz = sizeof(region),
						 .index = VFIO_PCI_NUM_REGIONS };
	assert_int_equal(ask(s, NNADEV_VFU_DEVICE_GET_REGION_INFO, &region, sizeof(region)),
			 EINVAL);
	assert_int_equal(ask(s, NNADEV_VFU_DEVICE_GET_REGION_INFO, &region, 8), EINVAL);

	for (uint32_t i = 0; i <= VFIO_PCI_MSIX_IRQ_INDEX; i++) {
		irq = (struct nnadev_vfu_irq_info){ .argsz = sizeof(irq), .index = i };
		assert_int_equal(ask(s, NNADEV_VFU_DEVICE_GET_IRQ_INFO, &irq, sizeof(irq)), 0);
		memcpy(&irq, s->reply, sizeof(irq));
		assert_int_equal(irq.count, i == VFIO_PCI_MSIX_IRQ_INDEX ? VECTORS : 0);
	}
	irq = (struct nnadev_vfu_irq_info){ .argsz = sizeof(irq), .index = VFIO_PCI_ERR_IRQ_INDEX };
	assert_int_equal(ask(s, NNADEV_VFU_DEVICE_GET_IRQ_INFO, &irq, sizeof(irq)), EINVAL);

	io = (struct nnadev_vfu_region_io_fds){ .argsz = 64, .index = 0 };
	assert_int_equal(ask(s, NNADEV_VFU_DEVICE_GET_REGION_IO_FDS, &io, sizeof(io)), 0);
	memcpy(&io, s->reply, sizeof(io));
	assert_int_equal(io.count, 0);

	assert_int_equal(ask(s, 15, NULL, 0), ENOTSUP);
	assert_int_equal(ask(s, 16, NULL, 0), ENOTSUP);
	assert_int_equal(ask(s, 999, NULL, 0), ENOTSUP);
}

static void test_config(void **state)
{
	struct session *s = *state;
	uint32_t ones = ~0u, at, found = 0, value;
	uint16_t flr;
	unsigned int resets;

	greet(s);
	assert_int_equal(config32(s, PCI_VENDOR_ID), 0x56781234);
	assert_int_equal(config32(s, PCI_CLASS_REVISION), 0x12000003);
	assert_int_equal(config32(s, PCI_SUBSYSTEM_VENDOR_ID), 0x22221111);
	assert_int_equal(write_region(s, 0, CONFIG, PCI_BASE_ADDRESS_0, &ones, 4), 0);
	assert_int_equal(config32(s, PCI_BASE_ADDRESS_0), 0xffff0000);
	assert_int_equal(write_region(s, 0, CONFIG, PCI_BASE_ADDRESS_2, &ones, 4), 0);
	assert_int_equal(config32(s, PCI_BASE_ADDRESS_2), 0xfffff000);
	assert_int_equal(write_region(s, 0, CONFIG, PCI_BASE_ADDRESS_1, &ones, 4), 0);
	assert_int_equal(config32(s, PCI_BASE_ADDRESS_1), 0);
	assert_int_equal(write_region(s, 0, CONFIG, PCI_VENDOR_ID, &ones, 4), 0);
	assert_int_equal(config32(s, PCI_VENDOR_ID), 0x56781234);

	assert_true(config32(s, PCI_COMMAND) >> 16 & PCI_STATUS_CAP_LIST);
	for (at = config32(s, PCI_CAPABILITY_LIST) & 0xff; at; at = config32(s, at) >> 8 & 0xff) {
		uint32_t head = config32(s, at);

		assert_true(at >= 0x40 && at < 0x100 && at % 4 == 0);
		found |= 1u << (head & 0xff);
		switch (head & 0xff) {
		case PCI_CAP_ID_MSIX:
			assert_int_equal((head >> 16 & PCI_MSIX_FLAGS_QSIZE) + 1, VECTORS);
			assert_int_equal(config32(s, at + PCI_MSIX_TABLE) & PCI_MSIX_TABLE_BIR,
					 MSIX);
			break;
		case PCI_CAP_ID_EXP:
			assert_true(config32(s, at + PCI_EXP_DEVCAP) & PCI_EXP_DEVCAP_FLR);
			resets = model->resets;
			flr = PCI_EXP_DEVCTL_BCR_FLR;
			assert_int_equal(write_region(s, 0, CONFIG, at + PCI_EXP_DEVCTL, &flr, 2),
					 0);
			/* Done by the thread that also unmaps, in order. */
			assert_int_equal(unmap(s, 0, 0x1000, 0), 0);
			assert_int_equal(model->resets, resets + 1);
			value = config32(s, at + PCI_EXP_DEVCTL);
			assert_false(value & PCI_EXP_DEVCTL_BCR_FLR);
			break;
		}
	}
	assert_int_equal(found, 1u << PCI_CAP_ID_PM | 1u << PCI_CAP_ID_MSIX | 1u << PCI_CAP_ID_EXP);
	assert_int_equal(read_region(s, CONFIG, 4094, &value, 4), EINVAL);
}

/* Off until the client turns it on, and in force when the write is answered. */
static void test_bus_master(void **state)
{
	struct session *s = *state;
	uint16_t command = PCI_COMMAND_MEMORY;
	unsigned int drops;

	greet(s);
	assert_false(is_master());
	drops = model->drops;
	assert_int_equal(write_region(s, 0, CONFIG, PCI_COMMAND, &command, 2), 0);
	assert_int_equal(model->drops, drops);
	command |= PCI_COMMAND_MASTER;
	assert_int_equal(write_region(s, 0, CONFIG, PCI_COMMAND, &command, 2), 0);
	assert_true(is_master());
	assert_int_equal(write_region(s, 0, CONFIG, PCI_COMMAND, &command, 2), 0);
	assert_int_equal(model->drops, drops);
	command &= ~PCI_COMMAND_MASTER;
	assert_int_equal(write_region(s, NNADEV_VFU_NO_REPLY, CONFIG, PCI_COMMAND, &command, 2), 0);
	assert_int_equal(config32(s, PCI_COMMAND) & 0xffff, command);
	assert_false(is_master());
	assert_int_equal(model->drops, drops + 1);
	command |= PCI_COMMAND_MASTER;
	assert_int_equal(write_region(s, 0, CONFIG, PCI_COMMAND, &command, 2), 0);
	/* The next client starts without it. */
	leave(s);
	start_serving(s);
	greet(s);
	assert_false(is_master());
}

static void test_registers(void **state)
{
	struct session *s = *state;
	uint64_t value = 0x1122334455667788, got = 0;
	uint8_t byte;

	greet(s);
	assert_int_equal(write_region(s, 0, 0, 0x100, &value, 8), 0);
	assert_int_equal(read_region(s, 0, 0x100, &got, 8), 0);
	assert_int_equal(got, value);
	got = 0;
	assert_int_equal(read_region(s, 0, 0x104, &got, 4), 0);
	assert_int_equal(got, 0x11223344);

	/* Posted writes are not answered: the next reply is the read's, and it sees them all. */
	for (uint32_t i = 0; i < 1000; i++)
		write_region(s, NNADEV_VFU_NO_REPLY, 0, DOORBELL, &i, 4);
	got = 0;
	assert_int_equal(read_region(s, 0, DOORBELL, &got, 4), 0);
	assert_int_equal(got, 999);

	/* No register is a byte wide or crooked. */
	model->writes = 0;
	assert_int_equal(read_region(s, 0, 0x100, &byte, 1), 0);
	assert_int_equal(byte, 0xff);
	got = 0;
	assert_int_equal(read_region(s, 0, 0x102, &got, 4), 0);
	assert_int_equal(got, 0xffffffff);
	assert_int_equal(write_region(s, 0, 0, 0x101, &value, 4), 0);
	assert_int_equal(model->writes, 0);

	assert_int_equal(read_region(s, 0, 0xfffc, &got, 8), EINVAL);
	assert_int_equal(read_region(s, 0, UINT64_MAX - 3, &got, 8), EINVAL);
	assert_int_equal(read_region(s, 1, 0, &got, 4), EINVAL);
	assert_int_equal(read_region(s, 77, 0, &got, 4), EINVAL);
	assert_int_equal(write_region(s, 0, 0, 0x10000, &value, 4), EINVAL);
}

static void test_interrupts(void **state)
{
	const uint32_t trigger = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER;
	const uint32_t now = VFIO_IRQ_SET_DATA_NONE | VFIO_IRQ_SET_ACTION_TRIGGER;
	struct session *s = *state;
	uint64_t pba;
	int fds[3], pipes[2];

	greet(s);
	for (int i = 0; i < 3; i++)
		fds[i] = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);

	/* An interrupt is a write to memory. */
	nnadev_bus_interrupt(model->bus, 0);
	assert_int_equal(read_region(s, MSIX, 0x800, &pba, 8), 0);
	assert_int_equal(pba, 0);
	enable_master(s);

	/* Raised before there is an eventfd: pending, and told as soon as there is one. */
	nnadev_bus_interrupt(model->bus, 1);
	assert_int_equal(read_region(s, MSIX, 0x800, &pba, 8), 0);
	assert_int_equal(pba, 2);
	assert_int_equal(set_irqs(s, trigger, VFIO_PCI_MSIX_IRQ_INDEX, 0, 3, fds, 3), 0);
	assert_int_equal(drain_eventfd(fds[1]), 1);
	assert_int_equal(read_region(s, MSIX, 0x800, &pba, 8), 0);
	assert_int_equal(pba, 0);

	nnadev_bus_interrupt(model->bus, 2);
	nnadev_bus_interrupt(model->bus, 2);
	nnadev_bus_interrupt(model->bus, 5);
	nnadev_bus_interrupt(model->bus, 4000);
	assert_int_equal(drain_eventfd(fds[0]), 0);
	assert_int_equal(drain_eventfd(fds[2]), 2);

	/* The client may pull the trigger itself. */
	assert_int_equal(set_irqs(s, now, VFIO_PCI_MSIX_IRQ_INDEX, 0, 2, NULL, 0), 0);
	assert_int_equal(drain_eventfd(fds[0]), 1);
	assert_int_equal(drain_eventfd(fds[1]), 1);

	/* Without fds: disconnected. */
	assert_int_equal(set_irqs(s, trigger, VFIO_PCI_MSIX_IRQ_INDEX, 0, 1, NULL, 0), 0);
	nnadev_bus_interrupt(model->bus, 0);
	assert_int_equal(drain_eventfd(fds[0]), 0);

	assert_int_equal(set_irqs(s, trigger, VFIO_PCI_MSIX_IRQ_INDEX, 0, 2, fds, 3), EINVAL);
	assert_int_equal(set_irqs(s, trigger, VFIO_PCI_MSIX_IRQ_INDEX, VECTORS - 1, 2, fds, 2),
			 EINVAL);
	assert_int_equal(set_irqs(s, trigger, VFIO_PCI_MSIX_IRQ_INDEX, ~0u, 2, fds, 2), EINVAL);
	assert_int_equal(set_irqs(s, trigger, VFIO_PCI_INTX_IRQ_INDEX, 0, 1, fds, 1), EINVAL);
	assert_int_equal(set_irqs(s, trigger, 99, 0, 1, fds, 1), EINVAL);
	assert_int_equal(set_irqs(s, ~0u, VFIO_PCI_MSIX_IRQ_INDEX, 0, 1, fds, 1), EINVAL);
	assert_int_equal(set_irqs(s, VFIO_IRQ_SET_DATA_BOOL | VFIO_IRQ_SET_ACTION_TRIGGER,
				  VFIO_PCI_MSIX_IRQ_INDEX, 0, 2, NULL, 0),
			 EINVAL);
	/* Something that could block is no eventfd. */
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(set_irqs(s, trigger, VFIO_PCI_MSIX_IRQ_INDEX, 0, 1, &pipes[1], 1), EINVAL);
	close(pipes[0]);
	close(pipes[1]);

	/* All off, as a driver that unloads does. */
	assert_int_equal(set_irqs(s, now, VFIO_PCI_MSIX_IRQ_INDEX, 0, 0, NULL, 0), 0);
	nnadev_bus_interrupt(model->bus, 2);
	assert_int_equal(drain_eventfd(fds[2]), 0);
	for (int i = 0; i < 3; i++)
		close(fds[i]);
}

/* What is pending when a client leaves, or comes up while the device is reset, goes with it. */
static void test_pending_interrupts(void **state)
{
	const uint32_t trigger = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER;
	const uint32_t now = VFIO_IRQ_SET_DATA_NONE | VFIO_IRQ_SET_ACTION_TRIGGER;
	struct session *s = *state;
	uint64_t pba;
	int fds[4];

	for (int i = 0; i < 4; i++)
		fds[i] = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	greet(s);
	enable_master(s);
	nnadev_bus_interrupt(model->bus, 1);
	assert_int_equal(read_region(s, MSIX, 0x800, &pba, 8), 0);
	assert_int_equal(pba, 2);
	/* A client that turns all vectors off has no use for it either. */
	assert_int_equal(set_irqs(s, now, VFIO_PCI_MSIX_IRQ_INDEX, 0, 0, NULL, 0), 0);
	assert_int_equal(read_region(s, MSIX, 0x800, &pba, 8), 0);
	assert_int_equal(pba, 0);
	nnadev_bus_interrupt(model->bus, 1);
	model->interrupt_at_reset = true;
	assert_int_equal(leave(s), 0);
	model->interrupt_at_reset = false;

	start_serving(s);
	greet(s);
	assert_int_equal(read_region(s, MSIX, 0x800, &pba, 8), 0);
	assert_int_equal(pba, 0);
	assert_int_equal(set_irqs(s, trigger, VFIO_PCI_MSIX_IRQ_INDEX, 0, 4, fds, 4), 0);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(drain_eventfd(fds[i]), 0);
		close(fds[i]);
	}
}

/* However many interrupts a client has had, it gets the next one. */
static void test_many_interrupts(void **state)
{
	const uint32_t trigger = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER;
	struct session *s = *state;
	int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);

	greet(s);
	enable_master(s);
	assert_int_equal(set_irqs(s, trigger, VFIO_PCI_MSIX_IRQ_INDEX, 0, 1, &fd, 1), 0);
	/* More than completions that the kernel keeps until they are collected. */
	for (int i = 0; i < 20000; i++) {
		nnadev_bus_interrupt(model->bus, 0);
		assert_int_equal(drain_eventfd(fd), 1);
	}
	close(fd);
}

/* An eventfd that another one takes the place of is closed, and so is one that is refused. */
static void test_replaced_eventfds(void **state)
{
	const uint32_t trigger = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER;
	struct session *s = *state;
	int fds[2], pipes[2];
	unsigned int before;

	fds[0] = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	fds[1] = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	assert_int_equal(pipe(pipes), 0);
	greet(s);
	assert_int_equal(set_irqs(s, trigger, VFIO_PCI_MSIX_IRQ_INDEX, 0, 2, fds, 2), 0);
	before = open_fds();
	for (int i = 0; i < 3; i++)
		assert_int_equal(set_irqs(s, trigger, VFIO_PCI_MSIX_IRQ_INDEX, 0, 2, fds, 2), 0);
	assert_int_equal(open_fds(), before);
	assert_int_equal(set_irqs(s, trigger, VFIO_PCI_MSIX_IRQ_INDEX, 0, 1, &pipes[1], 1), EINVAL);
	assert_int_equal(open_fds(), before);
	/* Without a file the vector has none. */
	assert_int_equal(set_irqs(s, trigger, VFIO_PCI_MSIX_IRQ_INDEX, 0, 2, NULL, 0), 0);
	assert_int_equal(open_fds(), before - 2);
	for (int i = 0; i < 2; i++) {
		close(fds[i]);
		close(pipes[i]);
	}
}

static void test_dma(void **state)
{
	const uint32_t rw = VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE;
	struct session *s = *state;
	int fd = memfd_create("ram", MFD_CLOEXEC), pipes[2];
	unsigned int drops;
	uint64_t offset;
	struct stat st;
	ino_t inode;

	greet(s);
	enable_master(s);
	drops = model->drops;
	assert_int_equal(ftruncate(fd, 0x100000), 0);
	fstat(fd, &st);
	assert_int_equal(map(s, 0x100000, 0x10000, rw, 0x2000, fd), 0);
	assert_true(reaches(0x100000, true, &inode, &offset));
	assert_int_equal(inode, st.st_ino);
	assert_int_equal(offset, 0x2000);
	assert_int_equal(map(s, 0x110000, 0x1000, VFIO_DMA_MAP_FLAG_READ, 0, fd), 0);
	assert_true(reaches(0x110000, false, &inode, &offset));
	assert_int_equal(offset, 0);
	assert_false(reaches(0x110000, true, NULL, NULL));
	/* Memory that cannot be shared is known, but not to the bus. */
	assert_int_equal(map(s, 0x200000, 0x1000, VFIO_DMA_MAP_FLAG_READ, 0, -1), 0);
	assert_false(reaches(0x200000, false, NULL, NULL));

	assert_int_equal(map(s, 0x10f000, 0x1000, rw, 0, fd), EEXIST);
	assert_int_equal(map(s, 0x200000, 0x1000, rw, 0, fd), EEXIST);
	assert_int_equal(map(s, 0x300800, 0x1000, rw, 0, fd), EINVAL);
	assert_int_equal(map(s, 0x300000, 0x800, rw, 0, fd), EINVAL);
	assert_int_equal(map(s, 0x300000, 0, rw, 0, fd), EINVAL);
	assert_int_equal(map(s, 0x300000, 0x1000, rw, 1, fd), EINVAL);
	assert_int_equal(map(s, 0x300000, 0x1000, 0xff, 0, fd), EINVAL);
	assert_int_equal(map(s, ~0xfffull, 0x2000, rw, 0, fd), EINVAL);
	/* What the bus refuses is not mapped. */
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(map(s, 0x300000, 0x1000, rw, 0, pipes[0]), EACCES);
	close(pipes[0]);
	close(pipes[1]);
	assert_false(reaches(0x300000, false, NULL, NULL));
	assert_int_equal(map(s, 0x300000, 0x1000, rw, 0, fd), 0);
	assert_true(reaches(0x300000, true, NULL, NULL));

	assert_int_equal(unmap(s, 0x100000, 0x8000, 0), EINVAL);
	assert_int_equal(unmap(s, 0x108000, 0x100000, 0), EINVAL);
	assert_int_equal(model->drops, drops);
	assert_int_equal(unmap(s, 0x400000, 0x1000, 0), 0);
	assert_int_equal(unmap(s, 0x100000, 0x10000, 0), 0);
	assert_int_equal(model->drops, drops + 1);
	assert_false(reaches(0x100000, false, NULL, NULL));
	/* A wide one takes all inside, the unshareable without asking. */
	assert_int_equal(unmap(s, 0, 0x280000, 0), 0);
	assert_int_equal(model->drops, drops + 2);
	assert_false(reaches(0x110000, false, NULL, NULL));
	assert_true(reaches(0x300000, false, NULL, NULL));
	assert_int_equal(unmap(s, 0x1000, 0, 0), EINVAL);
	assert_int_equal(unmap(s, 0x1000, ~0ull, 0), EINVAL);
	assert_int_equal(unmap(s, 0, 0, VFIO_DMA_UNMAP_FLAG_ALL), 0);
	assert_int_equal(s->reply_size, sizeof(struct nnadev_vfu_dma_unmap));
	assert_int_equal(model->drops, drops + 3);
	assert_false(reaches(0x300000, false, NULL, NULL));
	assert_int_equal(map(s, 0x100000, 0x10000, rw, 0, fd), 0);
	close(fd);

	/* What is left goes with the client, and the device is reset. */
	model->resets = 0;
	assert_int_equal(leave(s), 0);
	assert_int_equal(model->drops, drops + 4);
	assert_int_equal(model->bus->memory.count, 0);
	assert_int_equal(model->resets, 1);
}

/*
 * A job holds the range that is unmapped: registers answer meanwhile, and the reply comes in the
 * end.
 */
static void test_unmap_waits(void **state)
{
	struct session *s = *state;
	struct nnadev_vfu_dma_unmap m = { sizeof(m), 0, 0x1000, 0x1000 };
	int fd = memfd_create("ram", MFD_CLOEXEC);
	unsigned int drops;
	uint32_t value = 42;
	uint16_t id;

	greet(s);
	assert_int_equal(map(s, 0x1000, 0x1000, VFIO_DMA_MAP_FLAG_READ, 0, fd), 0);
	drops = model->drops;
	model->hold_drop = true;
	post(s, NNADEV_VFU_DMA_UNMAP, 0, &m, sizeof(m), NULL, 0);
	id = s->id;
	assert_int_equal(write_region(s, 0, 0, 0x100, &value, 4), 0);
	value = 0;
	assert_int_equal(read_region(s, 0, 0x100, &value, 4), 0);
	assert_int_equal(value, 42);
	model->hold_drop = false;
	assert_int_equal(get_reply(s, NNADEV_VFU_DMA_UNMAP, id), 0);
	assert_int_equal(model->drops, drops + 1);
	close(fd);
}

static void test_reset(void **state)
{
	struct session *s = *state;
	unsigned int before;

	greet(s);
	before = model->resets;
	assert_int_equal(ask(s, NNADEV_VFU_DEVICE_RESET, NULL, 0), 0);
	assert_int_equal(model->resets, before + 1);
}

static void test_stop(void **state)
{
	struct session *s = *state;
	uint64_t one = 1;

	greet(s);
	assert_int_equal(write(s->stop, &one, sizeof(one)), sizeof(one));
	pthread_join(s->thread, NULL);
	assert_int_equal(s->result, -ECANCELED);
	close(s->client);
	s->client = -1;
}

/*
 * Streams that make no sense: the client is thrown out, nothing of it stays, the next one is
 * served.
 */
static void test_hostile(void **state)
{
	struct session *s = *state;
	int fds[20];
	unsigned int before;

	for (int i = 0; i < 20; i++)
		fds[i] = eventfd(0, EFD_CLOEXEC);
	leave(s);
	before = open_fds();

	struct {
		struct nnadev_vfu_header header;
		size_t fd_count;
	} cases[] = {
		{ { 1, NNADEV_VFU_DEVICE_RESET, 15, 0, 0 }, 0 },
		{ { 1, NNADEV_VFU_DEVICE_RESET, 0, 0, 0 }, 0 },
		{ { 1, NNADEV_VFU_REGION_WRITE, 0xffffffff, 0, 0 }, 0 },
		{ { 1, NNADEV_VFU_REGION_WRITE, 16 + 16 + 65536 + 1, 0, 0 }, 0 },
		{ { 1, NNADEV_VFU_DEVICE_RESET, 16, NNADEV_VFU_TYPE_REPLY, 0 }, 0 },
		{ { 1, NNADEV_VFU_DEVICE_RESET, 16, 7, 0 }, 0 },
		{ { 1, NNADEV_VFU_DEVICE_RESET, 16, 0, 0 }, 1 },	 /* fds where none belong */
		{ { 1, NNADEV_VFU_DEVICE_SET_IRQS, 16, 0, 0 }, 17 }, /* more than announced */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		start_serving(s);
		greet(s);
		send_raw(s, &cases[i].header, sizeof(cases[i].header), fds, cases[i].fd_count);
		assert_int_equal(get_reply(s, 0, 0), -1);
		assert_int_equal(leave(s), -EPROTO);
		assert_int_equal(open_fds(), before);
	}

	/* Half a message with fds, then gone. */
	start_serving(s);
	greet(s);
	send_raw(s, &(struct nnadev_vfu_header){ 1, NNADEV_VFU_DMA_MAP, 48, 0, 0 }, 16, fds, 3);
	assert_int_equal(leave(s), 0);
	assert_int_equal(open_fds(), before);

	/* Refused messages keep no fds either. */
	start_serving(s);
	greet(s);
	assert_int_equal(ask_fds(s, NNADEV_VFU_DMA_MAP, fds, 8, fds, 1), EINVAL);
	assert_int_equal(ask_fds(s, NNADEV_VFU_DMA_MAP, fds, 32, fds, 2), EINVAL);
	assert_int_equal(ask_fds(s, NNADEV_VFU_DEVICE_SET_IRQS, fds, 4, fds, 16), EINVAL);
	leave(s);
	assert_int_equal(open_fds(), before);
	for (int i = 0; i < 20; i++)
		close(fds[i]);
}

static uint32_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(*seed >> 33);
}

/* Well-framed messages of random content: each is answered, and the server is alive afterwards. */
static void test_random_messages(void **state)
{
	struct session *s = *state;
	uint64_t seed = 1;
	uint32_t payload[32], value;

	greet(s);
	for (int i = 0; i < 20000; i++) {
		uint16_t command = (uint16_t)(next_random(&seed) % 18);
		size_t size = next_random(&seed) % (sizeof(payload) + 1);
		int fd = next_random(&seed) % 4 ? -1 : eventfd(0, EFD_CLOEXEC);
		bool takes_fd =
			command == NNADEV_VFU_DMA_MAP || command == NNADEV_VFU_DEVICE_SET_IRQS;

		for (size_t k = 0; k < sizeof(payload) / 4; k++)
			payload[k] = next_random(&seed) % 3 ? next_random(&seed) & 0x27
							    : next_random(&seed) << 12;
		if (size >= 16 && next_random(&seed) % 2)
			payload[0] = sizeof(payload);
		assert_true(ask_fds(s, command, payload, size, &fd, fd >= 0 && takes_fd) >= 0);
		if (fd >= 0)
			close(fd);
	}
	assert_int_equal(read_region(s, CONFIG, 0, &value, 4), 0);
	assert_int_equal(value, 0x56781234);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_version, setup, teardown),
		cmocka_unit_test_setup_teardown(test_version_refused, setup, teardown),
		cmocka_unit_test_setup_teardown(test_info, setup, teardown),
		cmocka_unit_test_setup_teardown(test_config, setup, teardown),
		cmocka_unit_test_setup_teardown(test_bus_master, setup, teardown),
		cmocka_unit_test_setup_teardown(test_registers, setup, teardown),
		cmocka_unit_test_setup_teardown(test_interrupts, setup, teardown),
		cmocka_unit_test_setup_teardown(test_pending_interrupts, setup, teardown),
		cmocka_unit_test_setup_teardown(test_many_interrupts, setup, teardown),
		cmocka_unit_test_setup_teardown(test_replaced_eventfds, setup, teardown),
		cmocka_unit_test_setup_teardown(test_dma, setup, teardown),
		cmocka_unit_test_setup_teardown(test_unmap_waits, setup, teardown),
		cmocka_unit_test_setup_teardown(test_reset, setup, teardown),
		cmocka_unit_test_setup_teardown(test_stop, setup, teardown),
		cmocka_unit_test_setup_teardown(test_hostile, setup, teardown),
		cmocka_unit_test_setup_teardown(test_random_messages, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
