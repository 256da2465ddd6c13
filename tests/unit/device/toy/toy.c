// SPDX-License-Identifier: MIT
#include "tests/unit/device/toy/toy.h"

#include <errno.h>
#include <stdlib.h>

#include "device/host/bus.h"
#include "device/host/thread.h"
#include "device/host/workers.h"

#define TILE 4096u

struct registers {
	uint64_t source, target;
	uint32_t size;
};

/* @lock guards @registers, which do not change while @thread works; @knock wakes it. */
struct toy {
	struct nnadev_bus *bus;
	struct nnadev_workers *workers;
	uint32_t threads;
	pthread_t thread;
	pthread_mutex_t lock;
	struct registers registers;
	_Atomic uint32_t status;
	struct nnadev_event knock, done;
	_Atomic bool reset, quit;
	_Atomic uint64_t inject[2];
	uint8_t data[TOY_SIZE_MAX];
};

static bool is_injected(struct toy *toy, enum toy_inject what)
{
	uint64_t n = atomic_load(&toy->inject[what]);

	while (n)
		if (atomic_compare_exchange_weak(&toy->inject[what], &n, n - 1))
			return true;
	return false;
}

static uint32_t invert(void *context, uint32_t tile, uint32_t thread)
{
	struct toy *toy = context;

	for (uint32_t i = 0; i < TILE; i++)
		toy->data[tile * TILE + i] ^= 0xff;
	return 0;
}

/* Inside the gate. Return: whether the copy worked. */
static bool copy(struct toy *toy, const struct registers *r)
{
	const struct nnadev_round round = { .run = invert, .context = toy };
	uint64_t now = nnadev_clock_now();
	struct nnadev_shares shares;

	if (r->size > TOY_SIZE_MAX || is_injected(toy, TOY_INJECT_FAULT) ||
	    !nnadev_bus_read(toy->bus, r->source, toy->data, r->size))
		return false;
	nnadev_shares_deal(&shares, toy->threads, (r->size + TILE - 1) / TILE);
	nnadev_workers_run(toy->workers, &round, &shares, &now);
	return nnadev_bus_write(toy->bus, r->target, toy->data, r->size) &&
	       !atomic_exchange(&toy->bus->lost, false);
}

static void run(struct toy *toy)
{
	if (is_injected(toy, TOY_INJECT_HANG)) {
		toy->status = TOY_HUNG;
		return;
	}
	toy->status = copy(toy, &toy->registers) ? TOY_DONE : TOY_FAULT;
	nnadev_bus_interrupt(toy->bus, 0);
}

static void do_reset(struct toy *toy)
{
	pthread_mutex_lock(&toy->lock);
	toy->registers = (struct registers){ 0 };
	toy->status = TOY_IDLE;
	pthread_mutex_unlock(&toy->lock);
	toy->reset = false;
	nnadev_event_raise(&toy->done);
}

static void *thread_main(void *arg)
{
	struct toy *toy = arg;

	nnadev_bus_enter_thread(toy->bus);
	while (!toy->quit) {
		uint32_t seq = nnadev_event_read(&toy->knock);

		nnadev_bus_enter(toy->bus);
		if (toy->reset)
			do_reset(toy);
		if (toy->status == TOY_BUSY)
			run(toy);
		nnadev_bus_leave(toy->bus);
		if (!toy->quit)
			nnadev_event_wait(&toy->knock, seq, NNADEV_FOREVER);
	}
	return NULL;
}

static uint64_t read_register(void *device, uint32_t bar, uint64_t offset, uint32_t width)
{
	struct toy *toy = device;

	return offset == TOY_ID ? TOY_ID_MAGIC : offset == TOY_STATUS ? toy->status : 0;
}

static void write_register(void *device, uint32_t bar, uint64_t offset, uint32_t width,
			   uint64_t value)
{
	struct toy *toy = device;

	pthread_mutex_lock(&toy->lock);
	if (toy->status == TOY_BUSY || toy->status == TOY_HUNG)
		offset = UINT64_MAX; /* as where no register is */
	if (offset == TOY_SOURCE)
		toy->registers.source = value;
	else if (offset == TOY_TARGET)
		toy->registers.target = value;
	else if (offset == TOY_SIZE)
		toy->registers.size = (uint32_t)value;
	else if (offset == TOY_GO)
		toy->status = TOY_BUSY;
	nnadev_event_raise(&toy->knock);
	pthread_mutex_unlock(&toy->lock);
}

static void reset(void *device)
{
	struct toy *toy = device;
	uint32_t seq = nnadev_event_read(&toy->done);

	toy->reset = true;
	nnadev_event_raise(&toy->knock);
	for (; toy->reset; seq = nnadev_event_read(&toy->done))
		nnadev_event_wait(&toy->done, seq, NNADEV_FOREVER);
}

static void inject(void *device, uint32_t number, uint64_t value)
{
	((struct toy *)device)->inject[number] = value;
}

static void destroy(void *device)
{
	struct toy *toy = device;

	toy->quit = true;
	nnadev_event_raise(&toy->knock);
	pthread_join(toy->thread, NULL);
	pthread_mutex_destroy(&toy->lock);
	free(toy);
}

static int create(const struct nnadev_resources *resources, const void *config, void **device)
{
	static const struct nnadev_bus_ops ops = { NULL, NULL };
	struct toy *toy = calloc(1, sizeof(*toy));
	int r;

	if (!toy)
		return -ENOMEM;
	toy->bus = resources->bus;
	toy->workers = resources->workers;
	toy->threads = resources->threads;
	pthread_mutex_init(&toy->lock, NULL);
	nnadev_bus_attach(toy->bus, &ops, toy, &toy->knock);
	r = nnadev_thread_create(&toy->thread, thread_main, toy);
	if (r)
		free(toy);
	*device = toy;
	return r;
}

static const struct nnadev_injection injections[] = {
	{ TOY_INJECT_HANG, "hang", "N", "the next N copies do not end", 100, false },
	{ TOY_INJECT_FAULT, "fault", "N", "the next N copies end in a fault", 100, false },
	{ 0 },
};

const struct nnadev_model toy_model = {
	.name = "toy",
	.pci = { 0x1234, 0x7079, 0x1234, 0x0001, 0x088000, 1 },
	.bars = { { NNADEV_BAR_MSIX }, { NNADEV_BAR_MODEL, 4096, 4 | 8 } },
	.vectors = 1,
	.injections = injections,
	.create = create,
	.destroy = destroy,
	.read = read_register,
	.write = write_register,
	.reset = reset,
	.inject = inject,
};
