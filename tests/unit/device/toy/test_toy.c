// SPDX-License-Identifier: MIT
/*
 * A model that is not the NNA (toy.h), served by the transport and driven by a vfio-user client as
 * a virtual machine with an IOMMU drives it: pages are mapped one by one, at addresses that say
 * nothing about where they lie. The program links the transport and host/ alone. So that it links
 * shows that neither needs the NNA.
 */
#include <errno.h>
#include <linux/pci_regs.h>
#include <linux/vfio.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "device/host/bus.h"
#include "device/transport/control.h"
#include "device/transport/vfu.h"
#include "tests/unit/device/toy/toy.h"
#include "tests/unit/device/transport/client.h"

#define PAGE 4096u
#define PAGES 8u
#define BAR 1u
#define CONFIG VFIO_PCI_CONFIG_REGION_INDEX
#define SOURCE 0xdead0000ull /* bus addresses of two neighbouring pages each, which lie apart in */
#define TARGET 0x7f00beef0000ull /* the file */
#define SIZE (2 * PAGE - 100)
#define WAIT_MS 30000

struct guest {
	struct nnadev_vfu *vfu;
	pthread_t thread;
	int client, server, stop, memory, interrupt;
	uint8_t *data;
	uint8_t reply[8192];
};

static void *serve(void *arg)
{
	struct guest *g = arg;

	nnadev_vfu_serve(g->vfu, g->server, g->stop);
	return NULL;
}

/* Return: 0 or the errno of the reply, whose payload is in g->reply. */
static int ask(struct guest *g, uint16_t command, const void *payload, size_t size, int fd)
{
	struct nnadev_vfu_header header;
	uint8_t message[512];

	size = client_build(message, 7, command, NNADEV_VFU_TYPE_COMMAND, payload, size);
	assert_int_equal(client_send(g->client, message, size, &fd, fd >= 0, 0), size);
	assert_true(client_receive(g->client, &header, sizeof(header)));
	assert_in_range(header.size, sizeof(header), sizeof(header) + sizeof(g->reply));
	assert_true(client_receive(g->client, g->reply, header.size - sizeof(header)));
	return header.flags & NNADEV_VFU_ERROR ? (int)header.error : 0;
}

static uint32_t read32(struct guest *g, uint32_t region, uint64_t offset)
{
	struct nnadev_vfu_region_access access = { offset, region, 4 };
	uint32_t value;

	assert_int_equal(ask(g, NNADEV_VFU_REGION_READ, &access, sizeof(access), -1), 0);
	memcpy(&value, g->reply + sizeof(access), sizeof(value));
	return value;
}

static void write_region(struct guest *g, uint32_t region, uint64_t offset, uint64_t value,
			 uint32_t size)
{
	struct nnadev_vfu_region_access access = { offset, region, size };
	uint8_t payload[sizeof(access) + sizeof(value)];

	memcpy(payload, &access, sizeof(access));
	memcpy(payload + sizeof(access), &value, size);
	assert_int_equal(ask(g, NNADEV_VFU_REGION_WRITE, payload, sizeof(access) + size, -1), 0);
}

static void map(struct guest *g, uint64_t iova, uint32_t page, uint32_t flags)
{
	struct nnadev_vfu_dma_map m = { sizeof(m), flags, page * PAGE, iova, PAGE };

	assert_int_equal(ask(g, NNADEV_VFU_DMA_MAP, &m, sizeof(m), g->memory), 0);
}

static void unmap(struct guest *g, uint64_t iova)
{
	struct nnadev_vfu_dma_unmap m = { sizeof(m), 0, iova, PAGE };

	assert_int_equal(ask(g, NNADEV_VFU_DMA_UNMAP, &m, sizeof(m), -1), 0);
}

static void take_interrupts(struct guest *g)
{
	const uint32_t flags = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER;
	struct nnadev_vfu_irq_set set = { sizeof(set), flags, VFIO_PCI_MSIX_IRQ_INDEX, 0, 1 };

	assert_int_equal(ask(g, NNADEV_VFU_DEVICE_SET_IRQS, &set, sizeof(set), g->interrupt), 0);
}

/* The two pages of the source are 5 and 2 of the file, those of the target 1 and 6. */
static int setup(void **state)
{
	const uint32_t rw = VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE;
	struct nnadev_vfu_params params = { .model = &toy_model, .threads = 2 };
	struct nnadev_vfu_version version = { NNADEV_VFU_MAJOR, NNADEV_VFU_MINOR };
	struct guest *g = calloc(1, sizeof(*g));
	int pair[2];

	assert_non_null(g);
	assert_int_equal(nnadev_vfu_create(&params, &g->vfu), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	g->client = pair[0];
	g->server = pair[1];
	g->stop = eventfd(0, EFD_CLOEXEC);
	g->interrupt = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	g->memory = memfd_create("guest", MFD_CLOEXEC);
	assert_int_equal(ftruncate(g->memory, PAGES * PAGE), 0);
	g->data = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, g->memory, 0);
	assert_ptr_not_equal(g->data, MAP_FAILED);
	for (uint32_t i = 0; i < PAGES * PAGE; i++)
		g->data[i] = (uint8_t)(i * 31 + i / PAGE);
	assert_int_equal(pthread_create(&g->thread, NULL, serve, g), 0);
	assert_int_equal(ask(g, NNADEV_VFU_VERSION, &version, sizeof(version), -1), 0);
	write_region(g, CONFIG, PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER, 2);
	take_interrupts(g);
	map(g, SOURCE, 5, VFIO_DMA_MAP_FLAG_READ);
	map(g, SOURCE + PAGE, 2, VFIO_DMA_MAP_FLAG_READ);
	map(g, TARGET, 1, rw);
	map(g, TARGET + PAGE, 6, rw);
	*state = g;
	return 0;
}

static int teardown(void **state)
{
	struct guest *g = *state;

	close(g->client);
	pthread_join(g->thread, NULL);
	nnadev_vfu_destroy(g->vfu);
	munmap(g->data, PAGES * PAGE);
	close(g->memory);
	close(g->interrupt);
	close(g->stop);
	free(g);
	return 0;
}

static void start(struct guest *g, uint64_t source, uint64_t target, uint32_t size)
{
	write_region(g, BAR, TOY_SOURCE, source, 8);
	write_region(g, BAR, TOY_TARGET, target, 8);
	write_region(g, BAR, TOY_SIZE, size, 4);
	write_region(g, BAR, TOY_GO, 1, 4);
}

/* Wait for one interrupt. Return: STATUS. */
static uint32_t finish(struct guest *g)
{
	struct pollfd p = { .fd = g->interrupt, .events = POLLIN };
	uint64_t n = 0;

	assert_int_equal(poll(&p, 1, WAIT_MS), 1);
	assert_int_equal(read(g->interrupt, &n, sizeof(n)), sizeof(n));
	assert_int_equal(n, 1);
	return read32(g, BAR, TOY_STATUS);
}

static uint32_t run(struct guest *g, uint64_t source, uint64_t target, uint32_t size)
{
	start(g, source, target, size);
	return finish(g);
}

static bool is_copied(const struct guest *g)
{
	for (uint32_t i = 0; i < SIZE; i++) {
		const uint8_t *from = g->data + (i < PAGE ? 5 : 2) * PAGE + i % PAGE;
		const uint8_t *to = g->data + (i < PAGE ? 1 : 6) * PAGE + i % PAGE;

		if ((*to ^ *from) != 0xff)
			return false;
	}
	return true;
}

static void test_function(void **state)
{
	struct guest *g = *state;
	struct nnadev_vfu_region_info info = { .argsz = sizeof(info), .index = BAR };
	struct nnadev_vfu_irq_info irq = { .argsz = sizeof(irq), .index = VFIO_PCI_MSIX_IRQ_INDEX };

	assert_int_equal(read32(g, CONFIG, PCI_VENDOR_ID), 0x70791234);
	assert_int_equal(read32(g, CONFIG, PCI_CLASS_REVISION), 0x08800001);
	assert_int_equal(ask(g, NNADEV_VFU_DEVICE_GET_REGION_INFO, &info, sizeof(info), -1), 0);
	memcpy(&info, g->reply, sizeof(info));
	assert_int_equal(info.size, 4096);
	assert_int_equal(ask(g, NNADEV_VFU_DEVICE_GET_IRQ_INFO, &irq, sizeof(irq), -1), 0);
	memcpy(&irq, g->reply, sizeof(irq));
	assert_int_equal(irq.count, 1);
	assert_int_equal(read32(g, BAR, TOY_ID), TOY_ID_MAGIC);
	assert_int_equal(read32(g, BAR, TOY_STATUS), TOY_IDLE);
}

static void test_dma(void **state)
{
	struct guest *g = *state;

	assert_int_equal(run(g, SOURCE, TARGET, SIZE), TOY_DONE);
	assert_true(is_copied(g));
	/* The last bytes of the target's second page. */
	assert_int_equal(g->data[6 * PAGE + PAGE - 1], (uint8_t)((7 * PAGE - 1) * 31 + 6));
}

/* Physical addresses are refused, and so is what is read only or not mapped any more. */
static void test_iommu(void **state)
{
	struct guest *g = *state;

	assert_int_equal(run(g, 5 * PAGE, PAGE, SIZE), TOY_FAULT);
	assert_int_equal(run(g, TARGET, SOURCE, SIZE), TOY_FAULT);
	assert_int_equal(run(g, SOURCE, TARGET, SIZE + PAGE), TOY_FAULT);
	assert_int_equal(run(g, UINT64_MAX - 10, TARGET, SIZE), TOY_FAULT);
	unmap(g, TARGET + PAGE);
	assert_int_equal(run(g, SOURCE, TARGET, SIZE), TOY_FAULT);
	assert_false(is_copied(g));
	assert_int_equal(g->data[PAGE], (uint8_t)(PAGE * 31 + 1));
	map(g, TARGET + PAGE, 6, VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE);
	assert_int_equal(run(g, SOURCE, TARGET, SIZE), TOY_DONE);
	assert_true(is_copied(g));
}

static void inject(struct guest *g, const char *line)
{
	char answer[256];

	assert_int_equal(nnadev_control_line(&toy_model, nnadev_vfu_device(g->vfu), line, answer,
					     sizeof(answer)),
			 0);
	assert_string_equal(answer, "ok");
}

static void test_injection(void **state)
{
	struct guest *g = *state;
	char answer[256];

	inject(g, "fault 1");
	assert_int_equal(run(g, SOURCE, TARGET, SIZE), TOY_FAULT);
	assert_int_equal(run(g, SOURCE, TARGET, SIZE), TOY_DONE);
	inject(g, "fault 100");
	inject(g, "clear");
	assert_int_equal(run(g, SOURCE, TARGET, SIZE), TOY_DONE);
	assert_int_equal(nnadev_control_line(&toy_model, nnadev_vfu_device(g->vfu), "fault 101",
					     answer, sizeof(answer)),
			 -EINVAL);
	assert_int_equal(nnadev_control_line(&toy_model, nnadev_vfu_device(g->vfu), "corrupt 1",
					     answer, sizeof(answer)),
			 -EINVAL);
}

/* The offset of PCI Express's capability. */
static uint32_t find_express(struct guest *g)
{
	uint32_t at = read32(g, CONFIG, PCI_CAPABILITY_LIST) & 0xff;

	while (at && (read32(g, CONFIG, at) & 0xff) != PCI_CAP_ID_EXP)
		at = read32(g, CONFIG, at) >> 8 & 0xff;
	assert_int_not_equal(at, 0);
	return at;
}

/* A copy that hangs ends by a function level reset: no interrupt, no byte written. */
static void test_flr(void **state)
{
	struct guest *g = *state;
	uint64_t n;

	inject(g, "hang 1");
	start(g, SOURCE, TARGET, SIZE);
	while (read32(g, BAR, TOY_STATUS) == TOY_BUSY)
		sched_yield();
	assert_int_equal(read32(g, BAR, TOY_STATUS), TOY_HUNG);
	write_region(g, CONFIG, find_express(g) + PCI_EXP_DEVCTL, PCI_EXP_DEVCTL_BCR_FLR, 2);
	/* Done by the thread that unmaps, in order. */
	unmap(g, 0x1000);
	assert_int_equal(read32(g, BAR, TOY_STATUS), TOY_IDLE);
	assert_int_equal(read(g->interrupt, &n, sizeof(n)), -1);
	assert_false(is_copied(g));
	assert_int_equal(run(g, SOURCE, TARGET, SIZE), TOY_DONE);
	assert_true(is_copied(g));
}

static void on_sigbus(int signal, siginfo_t *info, void *context)
{
	if (!nnadev_bus_sigbus(info->si_addr))
		abort();
}

/* The guest's memory became shorter after the device had looked how long it is. */
static void test_truncated(void **state)
{
	struct sigaction action = { .sa_sigaction = on_sigbus, .sa_flags = SA_SIGINFO }, old;
	struct guest *g = *state;

	assert_int_equal(sigaction(SIGBUS, &action, &old), 0);
	assert_int_equal(run(g, SOURCE, TARGET, SIZE), TOY_DONE);
	assert_int_equal(ftruncate(g->memory, 3 * PAGE), 0);
	assert_int_equal(run(g, SOURCE, TARGET, SIZE), TOY_FAULT);
	assert_int_equal(run(g, SOURCE, TARGET, SIZE), TOY_FAULT);
	assert_int_equal(sigaction(SIGBUS, &old, NULL), 0);
}

/* A table from which no PCI function can be made is refused. */
static void test_bad_tables(void **state)
{
	struct nnadev_model model = toy_model;
	struct nnadev_vfu_params params = { .model = &model, .threads = 1 };
	struct nnadev_vfu *vfu;

	model.vectors = 0;
	assert_int_equal(nnadev_vfu_create(&params, &vfu), -EINVAL);
	model.vectors = NNADEV_MODEL_VECTORS + 1;
	assert_int_equal(nnadev_vfu_create(&params, &vfu), -EINVAL);
	model = toy_model;
	model.bars[BAR].size = 4095;
	assert_int_equal(nnadev_vfu_create(&params, &vfu), -EINVAL);
	model = toy_model;
	model.bars[BAR].widths = 16;
	assert_int_equal(nnadev_vfu_create(&params, &vfu), -EINVAL);
	model = toy_model;
	model.bars[BAR].kind = NNADEV_BAR_MSIX;
	assert_int_equal(nnadev_vfu_create(&params, &vfu), -EINVAL);
	model.bars[0].kind = NNADEV_BAR_NONE;
	assert_int_equal(nnadev_vfu_create(&params, &vfu), 0);
	nnadev_vfu_destroy(vfu);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_function, setup, teardown),
		cmocka_unit_test_setup_teardown(test_dma, setup, teardown),
		cmocka_unit_test_setup_teardown(test_iommu, setup, teardown),
		cmocka_unit_test_setup_teardown(test_injection, setup, teardown),
		cmocka_unit_test_setup_teardown(test_flr, setup, teardown),
		cmocka_unit_test_setup_teardown(test_truncated, setup, teardown),
		cmocka_unit_test(test_bad_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
