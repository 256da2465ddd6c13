// SPDX-License-Identifier: MIT
#include "device/ethosu/device.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "device/ethosu/job.h"
#include "device/ethosu/kernel.h"
#include "device/ethosu/pmu.h"
#include "device/ethosu/registers.h"
#include "device/host/thread.h"

#define KEPT_WORDS (ETHOSU_REG_KEPT_END / 4) /* registers that are kept as written */
#define QREAD_AHEAD 8u			     /* words that QREAD moves within an operation */

/**
 * enum stage - where a job is
 * @IDLE: there is none
 * @ASKED: a client has written RUN
 * @RUNNING: the thread runs it
 * @STUCK: it stands still until a reset
 */
enum stage {
	IDLE,
	ASKED,
	RUNNING,
	STUCK,
};

/**
 * struct ethosu_device - the device
 * @bus: borrowed
 * @machine: what jobs run on; the thread's
 * @job: the job; the thread's, but for @job.read
 * @strict: checks of the stream, if they are asked for; the thread's
 * @thread: runs jobs
 * @lock: guards the next ones
 * @kept: registers that are kept as written
 * @status: STATUS
 * @protection: PROT
 * @stage: of the job
 * @pmu: counters
 * @pmu_time: when they were advanced
 * @pmu_macs: products at that time
 * @began: when the job began
 * @macs: products of all jobs, as the thread has told
 * @knock: wakes the thread
 * @done: a reset has ended
 * @reset: one is to be done
 * @stop: a client has asked the job to stop
 * @quit: the thread is to end
 * @injected: armed faults
 */
struct ethosu_device {
	struct nnadev_bus *bus;
	struct ethosu_machine machine;
	struct ethosu_job job;
	struct ethosu_strict strict;
	pthread_t thread;
	pthread_mutex_t lock;
	uint32_t kept[KEPT_WORDS];
	uint32_t status;
	uint32_t protection;
	enum stage stage;
	struct ethosu_pmu pmu;
	uint64_t pmu_time;
	uint64_t pmu_macs;
	uint64_t began;
	uint64_t macs;
	struct nnadev_event knock;
	struct nnadev_event done;
	_Atomic bool reset;
	_Atomic bool stop;
	_Atomic bool quit;
	_Atomic uint64_t injected[ETHOSU_INJECTIONS];
};

static bool take_injection(struct ethosu_device *device, enum ethosu_inject what)
{
	uint64_t n = atomic_load(&device->injected[what]);

	while (n)
		if (atomic_compare_exchange_weak(&device->injected[what], &n, n - 1))
			return true;
	return false;
}

/* Count the time since the last call, under the lock. */
static void advance_pmu(struct ethosu_device *device)
{
	uint64_t now = nnadev_clock_now(), cycles = now - device->pmu_time;
	bool active = device->stage == RUNNING || device->stage == STUCK;

	ethosu_pmu_advance(&device->pmu, cycles, active ? cycles : 0,
			   device->macs - device->pmu_macs);
	device->pmu_time = now;
	device->pmu_macs = device->macs;
}

/* Show an overflow in STATUS, under the lock. Return: whether there is an interrupt to raise. */
static bool show_overflow(struct ethosu_device *device)
{
	bool edge;

	if (!ethosu_pmu_take_interrupt(&device->pmu))
		return false;
	edge = !(device->status & ETHOSU_STATUS_PMU_IRQ);
	device->status |= ETHOSU_STATUS_PMU_IRQ;
	return edge;
}

/* ---- the thread ------------------------------------------------------------------------------ */

/* Set bits of STATUS, and raise the interrupt on its edge. Nothing happens during a reset. */
static void end_status(struct ethosu_device *device, uint32_t set, enum stage stage)
{
	bool edge, counted;

	pthread_mutex_lock(&device->lock);
	if (atomic_load(&device->reset)) {
		pthread_mutex_unlock(&device->lock);
		return;
	}
	device->macs = device->machine.macs;
	advance_pmu(device);
	device->stage = stage;
	if (stage == IDLE)
		device->status &= ~ETHOSU_STATUS_RUNNING;
	edge = set & ~device->status & ETHOSU_STATUS_IRQ;
	device->status |= set;
	counted = show_overflow(device);
	pthread_mutex_unlock(&device->lock);
	if ((edge && !take_injection(device, ETHOSU_INJECT_DROP_IRQ)) || counted)
		nnadev_bus_interrupt(device->bus, 0);
}

/* Counters are advanced when a job ends and when a register is written. */
static void watch_counters(struct ethosu_device *device)
{
	bool counted;

	pthread_mutex_lock(&device->lock);
	advance_pmu(device);
	counted = show_overflow(device);
	pthread_mutex_unlock(&device->lock);
	if (!counted)
		return;
	nnadev_bus_enter(device->bus);
	nnadev_bus_interrupt(device->bus, 0);
	nnadev_bus_leave(device->bus);
}

static void interrupt(void *owner, uint16_t mask)
{
	end_status(owner, ETHOSU_STATUS_IRQ | (uint32_t)mask << ETHOSU_STATUS_HISTORY_SHIFT,
		   RUNNING);
}

/* Between two rounds of tiles. Return: whether the job goes on. */
static bool pause_job(void *owner)
{
	struct ethosu_device *device = owner;

	if (nnadev_bus_is_wanted(device->bus)) {
		nnadev_bus_leave(device->bus);
		nnadev_bus_enter(device->bus);
	}
	return !atomic_load(&device->machine.stop) && !atomic_load(&device->stop) &&
	       nnadev_clock_now() - device->began < ETHOSU_JOB_LIMIT_NS;
}

/* Wait with the gate open until @until, or until there is a reset. */
static void wait_outside(struct ethosu_device *device, uint64_t until)
{
	uint32_t seq = nnadev_event_read(&device->knock);

	nnadev_bus_leave(device->bus);
	while (!atomic_load(&device->machine.stop) && nnadev_clock_now() < until) {
		nnadev_event_wait(&device->knock, seq, until);
		seq = nnadev_event_read(&device->knock);
	}
	nnadev_bus_enter(device->bus);
}

static const char *const channels[16] = {
	[ETHOSU_CHANNEL_COMMAND] = "commands",	    [ETHOSU_CHANNEL_IFM] = "IFM",
	[ETHOSU_CHANNEL_WEIGHTS] = "weights",	    [ETHOSU_CHANNEL_SCALES] = "scales",
	[ETHOSU_CHANNEL_DMA_READ] = "DMA source",   [ETHOSU_CHANNEL_OFM] = "OFM",
	[ETHOSU_CHANNEL_DMA_WRITE] = "DMA target",
};

static void end_in_error(struct ethosu_device *device, uint32_t status)
{
	uint32_t read = atomic_load(&device->job.read), channel = status & 0xf;

	if ((status & 0xf00) == ETHOSU_BUS(0)) {
		nnadev_bus_log(device->bus,
			       "%s: bus error at offset %u of the stream: %s: not in memory, or a "
			       "stream of weights that ends early",
			       device->machine.config->name, read,
			       channels[channel] ? channels[channel] : "?");
		end_status(device,
			   ETHOSU_STATUS_BUS | ETHOSU_STATUS_IRQ |
				   channel << ETHOSU_STATUS_CHANNEL_SHIFT,
			   IDLE);
		return;
	}
	nnadev_bus_log(device->bus, "%s: parse error at offset %u of the stream%s",
		       device->machine.config->name, read,
		       status == ETHOSU_MEMORY ? ": no memory for the operation" : "");
	end_status(device, ETHOSU_STATUS_PARSE | ETHOSU_STATUS_IRQ, IDLE);
}

static void end_job(struct ethosu_device *device, uint32_t status)
{
	if (atomic_exchange(&device->bus->lost, false) && !status)
		status = ETHOSU_BUS(ETHOSU_CHANNEL_COMMAND);
	if (!status)
		end_status(device,
			   ETHOSU_STATUS_END | ETHOSU_STATUS_IRQ |
				   (uint32_t)device->job.mask << ETHOSU_STATUS_HISTORY_SHIFT,
			   IDLE);
	else if (status != ETHOSU_STOPPED)
		end_in_error(device, status);
	else if (atomic_exchange(&device->stop, false))
		end_status(device, 0, IDLE);
	else
		end_status(device, 0, STUCK); /* or there is a reset, which says otherwise */
}

static void run_job(struct ethosu_device *device)
{
	struct ethosu_job *job = &device->job;
	uint64_t slow = atomic_load(&device->injected[ETHOSU_INJECT_SLOW_NS]);
	uint32_t status;

	pthread_mutex_lock(&device->lock);
	if (atomic_load(&device->reset) || device->stage != ASKED) {
		pthread_mutex_unlock(&device->lock);
		return;
	}
	advance_pmu(device);
	/* What asked the job before to stop may have come too late for it. */
	atomic_store(&device->stop, false);
	device->stage = RUNNING;
	device->began = nnadev_clock_now();
	job->address = device->kept[ETHOSU_REG_QBASE / 4] |
		       (uint64_t)(device->kept[ETHOSU_REG_QBASE_HI / 4] & 0xff) << 32;
	job->size = device->kept[ETHOSU_REG_QSIZE / 4];
	for (uint32_t i = 0; i < ETHOSU_REGIONS; i++)
		job->regions[i] =
			device->kept[ETHOSU_REG_BASEP / 4 + 2 * i] |
			(uint64_t)(device->kept[ETHOSU_REG_BASEP / 4 + 2 * i + 1] & 0xff) << 32;
	pthread_mutex_unlock(&device->lock);
	atomic_store(&device->bus->lost, false);
	if (slow)
		wait_outside(device, device->began + slow);
	if (take_injection(device, ETHOSU_INJECT_HANG))
		status = ETHOSU_STOPPED;
	else if (take_injection(device, ETHOSU_INJECT_BUS_ERROR))
		status = ETHOSU_BUS(ETHOSU_CHANNEL_IFM);
	else if (take_injection(device, ETHOSU_INJECT_PARSE_ERROR))
		status = ETHOSU_PARSE;
	else
		status = ethosu_job_run(job);
	end_job(device, status);
}

static void do_reset(struct ethosu_device *device)
{
	ethosu_machine_reset(&device->machine);
	ethosu_kernel_cache_clear(device->machine.kernels);
	memset(&device->job.state, 0, sizeof(device->job.state));
	atomic_store(&device->job.read, 0);
	pthread_mutex_lock(&device->lock);
	device->stage = IDLE;
	atomic_store(&device->stop, false);
	atomic_store(&device->machine.stop, false);
	atomic_store(&device->reset, false);
	if (!take_injection(device, ETHOSU_INJECT_REFUSE_RESET))
		device->status &= ~ETHOSU_STATUS_RESET;
	pthread_mutex_unlock(&device->lock);
	nnadev_event_raise(&device->done);
}

static bool is_asked(struct ethosu_device *device)
{
	bool asked;

	pthread_mutex_lock(&device->lock);
	asked = device->stage == ASKED;
	pthread_mutex_unlock(&device->lock);
	return asked;
}

static void *thread_main(void *arg)
{
	struct ethosu_device *device = arg;

	nnadev_bus_enter_thread(device->bus);
	while (!atomic_load(&device->quit)) {
		uint32_t seq = nnadev_event_read(&device->knock);

		if (atomic_load(&device->reset))
			do_reset(device);
		watch_counters(device);
		if (is_asked(device)) {
			nnadev_bus_enter(device->bus);
			run_job(device);
			nnadev_bus_leave(device->bus);
			continue;
		}
		if (!atomic_load(&device->quit))
			nnadev_event_wait(&device->knock, seq, NNADEV_FOREVER);
	}
	return NULL;
}

/* ---- registers ------------------------------------------------------------------------------- */

static uint32_t pmu_base(const struct ethosu_device *device)
{
	return device->machine.config->generation == ETHOSU_U65 ? ETHOSU_REG_PMU_U65
								: ETHOSU_REG_PMU_U85;
}

/* All that a reset does at once, under the lock. */
static void begin_reset(struct ethosu_device *device, uint32_t protection)
{
	memset(device->kept, 0, sizeof(device->kept));
	ethosu_pmu_reset(&device->pmu, device->machine.config);
	device->status = ETHOSU_STATUS_RESET;
	device->protection = protection;
	atomic_store(&device->reset, true);
	atomic_store(&device->machine.stop, true);
}

static void write_command(struct ethosu_device *device, uint32_t value)
{
	if (value & ETHOSU_CMD_CLEAR_IRQ)
		device->status &= ~(ETHOSU_STATUS_IRQ | ETHOSU_STATUS_PMU_IRQ);
	device->status &= ~(value & 0xffff0000u);
	if (value & ETHOSU_CMD_STOP && device->stage == RUNNING)
		atomic_store(&device->stop, true);
	if (value & ETHOSU_CMD_RUN && device->stage == IDLE &&
	    !(device->status & ETHOSU_STATUS_RESET)) {
		device->status &= ETHOSU_STATUS_IRQ | ETHOSU_STATUS_PMU_IRQ | 0xffff0000u;
		device->status |= ETHOSU_STATUS_RUNNING;
		atomic_store(&device->job.read, 0);
		device->stage = ASKED;
	}
}

static uint32_t read_queue(struct ethosu_device *device)
{
	uint32_t read = atomic_load(&device->job.read);
	uint64_t time;

	if (device->stage != RUNNING)
		return read;
	time = nnadev_clock_now() - device->began;
	if (time > ETHOSU_JOB_LIMIT_NS)
		time = ETHOSU_JOB_LIMIT_NS;
	return read + 4 * (uint32_t)(time / ETHOSU_QREAD_STEP_NS % QREAD_AHEAD);
}

static uint32_t read_register(struct ethosu_device *device, uint32_t offset)
{
	const struct ethosu_config *config = device->machine.config;
	uint32_t pmu = pmu_base(device);

	if (offset >= pmu && offset < pmu + ETHOSU_PMU_SIZE) {
		advance_pmu(device);
		return ethosu_pmu_read(&device->pmu, offset - pmu);
	}
	if (offset >= ETHOSU_REG_STATE && offset < ETHOSU_REG_STATE_END) {
		if (atomic_load(&device->reset))
			return 0; /* the thread clears the state */
		return ethosu_state_register(&device->job.state, offset - ETHOSU_REG_STATE);
	}
	switch (offset) {
	case ETHOSU_REG_ID:
		return config->id;
	case ETHOSU_REG_STATUS:
		return device->status;
	case ETHOSU_REG_CONFIG:
		return config->config;
	case ETHOSU_REG_PROT:
		return device->protection;
	case ETHOSU_REG_QREAD:
		return read_queue(device);
	case ETHOSU_REG_CMD:
	case ETHOSU_REG_RESET:
	case ETHOSU_REG_COND_STATUS:
		return 0;
	default:
		return offset / 4 < KEPT_WORDS ? device->kept[offset / 4] : 0;
	}
}

uint32_t ethosu_device_read(struct ethosu_device *device, uint32_t offset)
{
	uint32_t value;

	pthread_mutex_lock(&device->lock);
	value = read_register(device, offset);
	pthread_mutex_unlock(&device->lock);
	return value;
}

void ethosu_device_write(struct ethosu_device *device, uint32_t offset, uint32_t value)
{
	uint32_t pmu = pmu_base(device);

	pthread_mutex_lock(&device->lock);
	if (offset >= pmu && offset < pmu + ETHOSU_PMU_SIZE) {
		advance_pmu(device);
		ethosu_pmu_write(&device->pmu, offset - pmu, value);
	} else if (offset == ETHOSU_REG_CMD) {
		write_command(device, value);
	} else if (offset == ETHOSU_REG_RESET) {
		begin_reset(device, value & (ETHOSU_PROT_PRIVILEGED | ETHOSU_PROT_NONSECURE));
	} else if (offset / 4 < KEPT_WORDS) {
		device->kept[offset / 4] = value;
	}
	pthread_mutex_unlock(&device->lock);
	nnadev_event_raise(&device->knock);
}

void ethosu_device_reset(struct ethosu_device *device)
{
	pthread_mutex_lock(&device->lock);
	begin_reset(device, 0);
	pthread_mutex_unlock(&device->lock);
	nnadev_event_raise(&device->knock);
	for (;;) {
		uint32_t seq = nnadev_event_read(&device->done);

		if (!atomic_load(&device->reset))
			break;
		nnadev_event_wait(&device->done, seq, NNADEV_FOREVER);
	}
}

void ethosu_device_inject(struct ethosu_device *device, enum ethosu_inject what, uint64_t value)
{
	if (what < ETHOSU_INJECTIONS)
		atomic_store(&device->injected[what], value);
}

const struct ethosu_config *ethosu_device_config(const struct ethosu_device *device)
{
	return device->machine.config;
}

/* ---- life ------------------------------------------------------------------------------------ */

static void report_strict(void *owner, const char *line)
{
	struct ethosu_device *device = owner;

	nnadev_bus_log(device->bus, "%s: %s", device->machine.config->name, line);
}

/* The device keeps no host address while it is outside the gate. */
static const struct nnadev_bus_ops bus_ops = { NULL, NULL };

int ethosu_device_create(const struct ethosu_config *config,
			 const struct nnadev_resources *resources,
			 const struct ethosu_settings *settings, struct ethosu_device **out)
{
	struct ethosu_device *device = calloc(1, sizeof(*device));
	int r;

	if (!device)
		return -ENOMEM;
	device->bus = resources->bus;
	device->machine.config = config;
	device->machine.bus = resources->bus;
	device->machine.workers = resources->workers;
	device->machine.threads = resources->threads;
	device->machine.pause = pause_job;
	device->machine.owner = device;
	device->job.machine = &device->machine;
	device->job.interrupt = interrupt;
	device->job.owner = device;
	device->strict.report = report_strict;
	device->strict.owner = device;
	device->job.strict = settings->strict ? &device->strict : NULL;
	device->pmu_time = nnadev_clock_now();
	ethosu_pmu_reset(&device->pmu, config);
	device->machine.kernels = ethosu_kernel_cache_create();
	r = device->machine.kernels ? ethosu_machine_init(&device->machine) : -ENOMEM;
	if (r)
		goto fail_kernels;
	r = -pthread_mutex_init(&device->lock, NULL);
	if (r)
		goto fail_machine;
	nnadev_bus_attach(device->bus, &bus_ops, device,
			  &device->knock);
	r = nnadev_thread_create(&device->thread, thread_main, device);
	if (r)
		goto fail_lock;
	*out = device;
	return 0;
fail_lock:
	pthread_mutex_destroy(&device->lock);
fail_machine:
	ethosu_machine_fini(&device->machine);
fail_kernels:
	ethosu_kernel_cache_destroy(device->machine.kernels);
	free(device);
	return r;
}

void ethosu_device_destroy(struct ethosu_device *device)
{
	atomic_store(&device->quit, true);
	atomic_store(&device->machine.stop, true);
	nnadev_event_raise(&device->knock);
	pthread_join(device->thread, NULL);
	pthread_mutex_destroy(&device->lock);
	ethosu_machine_fini(&device->machine);
	ethosu_kernel_cache_destroy(device->machine.kernels);
	free(device);
}
