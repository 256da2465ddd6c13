// SPDX-License-Identifier: MIT
/*
 * The model of an Ethos-U in this process, as an NPU (winsys/ethosu/npu.h).
 *
 * It is to the model what the kernel's driver is to the hardware: it gives it memory over a bus,
 * writes its registers, and takes its interrupt. One thread runs the jobs in their order: it waits
 * for in-fences, starts the NPU, waits for the interrupt, and resets it after an error. The end of
 * a job is an eventfd.
 *
 * Buffers are private memory, at bus addresses that are never used again, with a page between them
 * that reaches nothing: what leaves its buffer is a bus error. A buffer is freed when it has been
 * destroyed and no job uses it.
 *
 * @lock guards buffers and the list of jobs. No lock is held while the NPU works.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "device/ethosu/config.h"
#include "device/ethosu/models.h"
#include "device/ethosu/registers.h"
#include "device/host/bus.h"
#include "device/host/workers.h"
#include "libnnaccel/support/clock.h"
#include "libnnaccel/support/thread.h"
#include "libnnaccel/winsys/ethosu/device.h"
#include "libnnaccel/winsys/winsys.h"

#define PAGE 4096ull
#define FIRST_ADDRESS 0x10000000ull
#define LAST_ADDRESS (1ull << 40)
/* Longer than the model lets a job take. */
#define JOB_LIMIT_NS 70000000000ull
#define SPIN_NS 20000u

static const struct nnadev_model *const models[] = {
	&ethosu_u65_256_model, &ethosu_u65_512_model, &ethosu_u85_128_model,
	&ethosu_u85_256_model, &ethosu_u85_512_model, &ethosu_u85_1024_model,
	&ethosu_u85_2048_model,
};

/**
 * struct buffer - memory, or a stream
 * @handle: 0 for a free entry
 * @address: on the bus
 * @uses: its owner, and jobs
 */
struct buffer {
	uint32_t handle;
	uint64_t address, size;
	void *memory;
	uint32_t uses;
};

/**
 * struct job - a job that waits, or runs
 * @end: the job's own descriptor of its end
 * @fds: @fd_count in-fences, owned
 */
struct job {
	struct job *next;
	struct nna_ethosu_job what;
	int end;
	int *fds;
	uint32_t fd_count;
};

/**
 * struct model - the NPU
 * @buffers: @buffer_count entries; a handle is an index plus 1
 * @first, @last: jobs that have not ended
 * @interrupts: that were raised
 * @quit: the thread is to end
 */
struct model {
	struct nna_ethosu_npu base;
	const struct nnadev_model *table;
	struct nnadev_bus bus;
	bool has_bus, has_thread;
	struct nnadev_workers *workers;
	void *device;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t work, interrupt;
	struct buffer *buffers;
	uint32_t buffer_count;
	uint64_t next_address;
	struct job *first, *last;
	uint32_t interrupts;
	bool quit;
};

static struct model *to_model(struct nna_ethosu_npu *npu)
{
	return (struct model *)npu;
}

/* ---- buffers --------------------------------------------------------------------------------- */

/* Drops a use. The memory goes without the lock, since the bus waits for the NPU. */
static void put_buffer(struct model *m, uint32_t handle)
{
	struct buffer gone = { 0 };
	struct buffer *buffer;

	pthread_mutex_lock(&m->lock);
	buffer = &m->buffers[handle - 1];
	if (!--buffer->uses)
		gone = *buffer;
	pthread_mutex_unlock(&m->lock);
	if (!gone.handle)
		return;
	nnadev_bus_unmap(&m->bus, gone.address, gone.size);
	munmap(gone.memory, gone.size);
	pthread_mutex_lock(&m->lock);
	m->buffers[handle - 1].handle = 0;
	pthread_mutex_unlock(&m->lock);
}

/* Return: a free entry; NULL without memory. Under @lock. */
static struct buffer *free_entry(struct model *m)
{
	const uint32_t count = m->buffer_count, room = count ? 2 * count : 64;
	struct buffer *buffers;

	for (uint32_t i = 0; i < count; i++)
		if (!m->buffers[i].handle)
			return &m->buffers[i];
	buffers = realloc(m->buffers, room * sizeof(*buffers));
	if (!buffers)
		return NULL;
	memset(buffers + count, 0, (room - count) * sizeof(*buffers));
	m->buffers = buffers;
	m->buffer_count = room;
	return &buffers[count];
}

static int add_buffer(struct model *m, struct buffer *made)
{
	struct buffer *entry;
	int ret = -ENOMEM;

	pthread_mutex_lock(&m->lock);
	entry = free_entry(m);
	if (entry && made->size + PAGE <= LAST_ADDRESS - m->next_address) {
		made->address = m->next_address;
		made->handle = (uint32_t)(entry - m->buffers) + 1;
		made->uses = 1;
		m->next_address += made->size + PAGE;
		*entry = *made;
		ret = 0;
	}
	pthread_mutex_unlock(&m->lock);
	return ret;
}

static int model_buffer_create(struct nna_ethosu_npu *npu, uint64_t size,
			       struct nna_ethosu_buffer *out)
{
	struct buffer made = { .size = (size + PAGE - 1) & ~(PAGE - 1) };
	struct model *m = to_model(npu);
	int ret;

	made.memory = mmap(NULL, made.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			   0);
	if (made.memory == MAP_FAILED)
		return -ENOMEM;
	ret = add_buffer(m, &made);
	if (ret) {
		munmap(made.memory, made.size);
		return ret;
	}
	ret = nnadev_bus_map_data(&m->bus, made.address, made.size, made.memory);
	if (ret) {
		pthread_mutex_lock(&m->lock);
		m->buffers[made.handle - 1].handle = 0;
		pthread_mutex_unlock(&m->lock);
		munmap(made.memory, made.size);
		return ret;
	}
	*out = (struct nna_ethosu_buffer){ made.handle, made.size, made.memory };
	return 0;
}

static void model_buffer_destroy(struct nna_ethosu_npu *npu, struct nna_ethosu_buffer *buffer)
{
	if (buffer->handle)
		put_buffer(to_model(npu), buffer->handle);
	*buffer = (struct nna_ethosu_buffer){ 0 };
}

/* A stream is a buffer whose first word is the number of bytes, and the last page's end. */
static int model_stream_create(struct nna_ethosu_npu *npu, const uint32_t *words, uint32_t count,
			       uint32_t *handle)
{
	struct nna_ethosu_buffer buffer;
	int ret = model_buffer_create(npu, ((uint64_t)count + 4) * 4, &buffer);

	if (ret)
		return ret;
	/* The stream begins at a multiple of 16, behind its size. */
	*(uint32_t *)buffer.memory = count * 4;
	memcpy(buffer.memory + 16, words, (size_t)count * 4);
	*handle = buffer.handle;
	return 0;
}

static void model_stream_destroy(struct nna_ethosu_npu *npu, uint32_t handle)
{
	if (handle)
		put_buffer(to_model(npu), handle);
}

/* ---- jobs ------------------------------------------------------------------------------------ */

static void raise_interrupt(void *user, uint32_t vector)
{
	struct model *m = user;

	pthread_mutex_lock(&m->lock);
	m->interrupts++;
	pthread_cond_signal(&m->interrupt);
	pthread_mutex_unlock(&m->lock);
}

static void write_register(struct model *m, uint32_t offset, uint32_t value)
{
	m->table->write(m->device, ETHOSU_PCI_REGISTER_BAR, offset, 4, value);
}

static void start(struct model *m, const struct nna_ethosu_job *job)
{
	uint64_t stream, bases[NNA_ETHOSU_NODE_REGIONS] = { 0 };
	uint32_t size;

	pthread_mutex_lock(&m->lock);
	stream = m->buffers[job->stream - 1].address + 16;
	size = *(const uint32_t *)m->buffers[job->stream - 1].memory;
	for (uint32_t i = 0; i < NNA_ETHOSU_NODE_REGIONS; i++)
		if (job->regions[i])
			bases[i] = m->buffers[job->regions[i] - 1].address;
	m->interrupts = 0;
	pthread_mutex_unlock(&m->lock);
	for (uint32_t i = 0; i < NNA_ETHOSU_NODE_REGIONS; i++) {
		write_register(m, ETHOSU_REG_BASEP + 8 * i, (uint32_t)bases[i]);
		write_register(m, ETHOSU_REG_BASEP + 8 * i + 4, (uint32_t)(bases[i] >> 32));
	}
	write_register(m, ETHOSU_REG_QBASE, (uint32_t)stream);
	write_register(m, ETHOSU_REG_QBASE_HI, (uint32_t)(stream >> 32));
	write_register(m, ETHOSU_REG_QSIZE, size);
	write_register(m, ETHOSU_REG_CMD, ETHOSU_CMD_RUN);
}

/* Waits for the interrupt. Return: whether it came in time. */
static bool wait_for_interrupt(struct model *m)
{
	const uint64_t until = nna_now_ns() + JOB_LIMIT_NS;
	const struct timespec at = { .tv_sec = (time_t)(until / 1000000000),
				     .tv_nsec = (long)(until % 1000000000) };
	bool came;
	int ret = 0;

	pthread_mutex_lock(&m->lock);
	while (!m->interrupts && ret != ETIMEDOUT)
		ret = pthread_cond_timedwait(&m->interrupt, &m->lock, &at);
	came = m->interrupts;
	pthread_mutex_unlock(&m->lock);
	return came;
}

static void run(struct model *m, const struct nna_ethosu_job *job)
{
	uint32_t status, read;

	start(m, job);
	if (!wait_for_interrupt(m)) {
		nna_log_print(&m->base.log, NNA_LOG_ERROR, "%s: it hangs, and is reset",
			      m->base.name);
		m->table->reset(m->device);
		return;
	}
	status = (uint32_t)m->table->read(m->device, ETHOSU_PCI_REGISTER_BAR, ETHOSU_REG_STATUS, 4);
	write_register(m, ETHOSU_REG_CMD, ETHOSU_CMD_CLEAR_IRQ);
	if (!(status & (ETHOSU_STATUS_BUS | ETHOSU_STATUS_PARSE)))
		return;
	read = (uint32_t)m->table->read(m->device, ETHOSU_PCI_REGISTER_BAR, ETHOSU_REG_QREAD, 4);
	nna_log_print(&m->base.log, NNA_LOG_ERROR, "%s: %s error at byte 0x%x of the stream",
		      m->base.name, status & ETHOSU_STATUS_BUS ? "bus" : "parse", read);
	m->table->reset(m->device);
}

/* Waits for the in-fences, but not when the thread is to end. Return: whether none has failed. */
static bool wait_for_fences(struct model *m, const struct job *job)
{
	bool good = true;

	for (uint32_t i = 0; i < job->fd_count && good; i++) {
		struct pollfd poll_fd = { .fd = job->fds[i], .events = POLLIN };
		struct sync_file_info info = { 0 };
		bool quit = false;

		while (!quit && poll(&poll_fd, 1, 100) <= 0) {
			pthread_mutex_lock(&m->lock);
			quit = m->quit;
			pthread_mutex_unlock(&m->lock);
		}
		good = !quit &&
		       (ioctl(job->fds[i], SYNC_IOC_FILE_INFO, &info) || info.status >= 0);
	}
	return good;
}

/* Frees a job that uses no buffers. */
static void free_job(struct job *job)
{
	for (uint32_t i = 0; i < job->fd_count; i++)
		close(job->fds[i]);
	if (job->end >= 0)
		close(job->end);
	free(job->fds);
	free(job);
}

static void put_job(struct model *m, struct job *job)
{
	put_buffer(m, job->what.stream);
	for (uint32_t i = 0; i < NNA_ETHOSU_NODE_REGIONS; i++)
		if (job->what.regions[i])
			put_buffer(m, job->what.regions[i]);
	free_job(job);
}

static void *work(void *arg)
{
	struct model *m = arg;

	for (;;) {
		struct job *job;
		uint64_t one = 1;
		bool quit;

		pthread_mutex_lock(&m->lock);
		while (!m->first && !m->quit)
			pthread_cond_wait(&m->work, &m->lock);
		job = m->first;
		quit = m->quit;
		if (job) {
			m->first = job->next;
			if (!m->first)
				m->last = NULL;
		}
		pthread_mutex_unlock(&m->lock);
		if (!job)
			return NULL;
		if (!quit && wait_for_fences(m, job))
			run(m, &job->what);
		if (write(job->end, &one, sizeof(one)) < 0)
			nna_log_print(&m->base.log, NNA_LOG_ERROR, "%s: an end is lost: %s",
				      m->base.name, strerror(errno));
		put_job(m, job);
	}
}

static struct job *make_job(const struct nna_ethosu_job *what, const int *fds, uint32_t count)
{
	struct job *job = calloc(1, sizeof(*job));

	if (!job)
		return NULL;
	job->what = *what;
	job->end = eventfd(0, EFD_CLOEXEC);
	job->fds = calloc((size_t)count + 1, sizeof(*job->fds));
	while (job->fds && job->end >= 0 && job->fd_count < count) {
		const int fd = fcntl(fds[job->fd_count], F_DUPFD_CLOEXEC, 0);

		if (fd < 0)
			break;
		job->fds[job->fd_count++] = fd;
	}
	if (job->fds && job->end >= 0 && job->fd_count == count)
		return job;
	free_job(job);
	return NULL;
}

static int model_submit(struct nna_ethosu_npu *npu, const struct nna_ethosu_job *what,
			uint32_t written, const int *fds, uint32_t count)
{
	struct model *m = to_model(npu);
	struct job *job = make_job(what, fds, count);
	int end;

	if (!job)
		return -ENOMEM;
	pthread_mutex_lock(&m->lock);
	m->buffers[what->stream - 1].uses++;
	for (uint32_t i = 0; i < NNA_ETHOSU_NODE_REGIONS; i++)
		if (what->regions[i])
			m->buffers[what->regions[i] - 1].uses++;
	pthread_mutex_unlock(&m->lock);
	end = fcntl(job->end, F_DUPFD_CLOEXEC, 0);
	if (end < 0) {
		end = -errno;
		put_job(m, job);
		return end;
	}
	pthread_mutex_lock(&m->lock);
	if (m->last)
		m->last->next = job;
	else
		m->first = job;
	m->last = job;
	pthread_cond_signal(&m->work);
	pthread_mutex_unlock(&m->lock);
	return end;
}

/* What the driver knows of an error it has logged; the report tells that there was one. */
static int model_status(struct nna_ethosu_npu *npu, int end)
{
	return 0;
}

/* ---- life ------------------------------------------------------------------------------------ */

static void model_close(struct nna_ethosu_npu *npu)
{
	struct model *m = to_model(npu);

	if (m->has_thread) {
		pthread_mutex_lock(&m->lock);
		m->quit = true;
		pthread_cond_signal(&m->work);
		pthread_mutex_unlock(&m->lock);
		pthread_join(m->thread, NULL);
	}
	if (m->device)
		m->table->destroy(m->device);
	if (m->workers)
		nnadev_workers_destroy(m->workers);
	if (m->has_bus)
		nnadev_bus_fini(&m->bus);
	free(m->buffers);
	pthread_cond_destroy(&m->work);
	pthread_cond_destroy(&m->interrupt);
	pthread_mutex_destroy(&m->lock);
	free(m);
}

static const struct nna_ethosu_npu_ops model_ops = {
	.close = model_close,
	.buffer_create = model_buffer_create,
	.buffer_destroy = model_buffer_destroy,
	.stream_create = model_stream_create,
	.stream_destroy = model_stream_destroy,
	.submit = model_submit,
	.status = model_status,
};

static void model_log(void *user, const char *line)
{
	const struct model *m = user;

	nna_log_print(&m->base.log, NNA_LOG_WARNING, "%s: %s", m->base.name, line);
}

static const struct nnadev_model *find(const char *name)
{
	for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++)
		if (!strcmp(models[i]->name, name))
			return models[i];
	return NULL;
}

/* What a stream does that the hardware does not promise is logged. */
static void be_strict(const struct nnadev_model *table, void *config)
{
	for (const struct nnadev_option *option = table->options; option->name; option++)
		if (!strcmp(option->name, "strict"))
			option->set(config, "on");
}

int nna_winsys_model_create(const char *path, const struct nna_device_options *options,
			    struct nna_winsys **out)
{
	const struct nnadev_model *table = path ? find(path) : NULL;
	uint32_t threads = options && options->threads ? options->threads : nnadev_workers_cpus();
	struct nnadev_bus_host host = { .raise_irq = raise_interrupt, .log = model_log };
	struct nnadev_resources resources;
	struct model *m;
	void *config;
	int ret;

	if (!table)
		return -ENOENT;
	m = calloc(1, sizeof(*m));
	config = calloc(1, table->config_size);
	if (!m || !config) {
		free(m);
		free(config);
		return -ENOMEM;
	}
	m->base.ops = &model_ops;
	if (options)
		m->base.log = options->log;
	snprintf(m->base.name, sizeof(m->base.name), "%s", table->name);
	snprintf(m->base.driver, sizeof(m->base.driver), "model");
	m->table = table;
	m->next_address = FIRST_ADDRESS;
	pthread_mutex_init(&m->lock, NULL);
	nna_cond_init(&m->work);
	nna_cond_init(&m->interrupt);
	be_strict(table, config);
	host.user = m;
	ret = nnadev_bus_init(&m->bus, &host);
	m->has_bus = !ret;
	threads = threads < NNADEV_WORKERS_MAX ? threads : NNADEV_WORKERS_MAX;
	if (!ret)
		ret = nnadev_workers_create(threads, SPIN_NS, &m->workers);
	resources = (struct nnadev_resources){ &m->bus, m->workers, threads };
	if (!ret)
		ret = table->create(&resources, config, &m->device);
	if (!ret)
		ret = nna_thread_start(&m->thread, "nna-ethosu", work, m);
	m->has_thread = !ret;
	free(config);
	if (ret) {
		model_close(&m->base);
		return ret;
	}
	m->base.config = (uint32_t)table->read(m->device, ETHOSU_PCI_REGISTER_BAR,
					       ETHOSU_REG_CONFIG, 4);
	return nna_ethosu_device_create(&m->base, options, out);
}
