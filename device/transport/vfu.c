// SPDX-License-Identifier: MIT
#include "device/transport/vfu.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/vfio.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "device/host/bus.h"
#include "device/host/workers.h"
#include "device/transport/function.h"
#include "device/transport/ranges.h"
#include "device/transport/vectors.h"
#include "device/transport/vfu_protocol.h"

#define REGIONS VFIO_PCI_NUM_REGIONS
/* Without error and request interrupts: QEMU warns if they are listed with a count of 0. */
#define IRQS (VFIO_PCI_MSIX_IRQ_INDEX + 1)
#define MESSAGE_MAX                                                                                \
	(sizeof(struct nnadev_vfu_header) + sizeof(struct nnadev_vfu_region_access) +              \
	 NNADEV_VFU_MAX_XFER)
#define QUEUE_SIZE 64u
/* Default of client_timeout_ms. */
#define CLIENT_TIMEOUT_MS 10000u
/* Messages that are handled before @stop is polled again. */
#define MESSAGES_AT_ONCE 64u

static_assert(NNADEV_MODEL_BARS <= VFIO_PCI_ROM_REGION_INDEX, "BARs are the first regions");

/**
 * struct request - a message for the memory thread
 * @header: of the message; its command says which member of the union is valid
 * @map: DMA_MAP
 * @unmap: DMA_UNMAP
 * @access: REGION_WRITE that has changed bus mastering
 * @master: with @access: whether bus mastering is enabled now
 * @fd: DMA_MAP: the file, or -1; owned by the request
 */
struct request {
	struct nnadev_vfu_header header;
	union {
		struct nnadev_vfu_dma_map map;
		struct nnadev_vfu_dma_unmap unmap;
		struct nnadev_vfu_region_access access;
	};
	bool master;
	int fd;
};

/**
 * struct nnadev_vfu - the server
 * @params: as given
 * @model: what is served
 * @device: of @model
 * @bus: of @device
 * @workers: of @device
 * @vectors: MSI-X vectors; @device raises them
 * @function: configuration space and MSI-X BAR
 * @client: the client's socket; this and the next eight are the transport thread's own
 * @stop: readable when serving is to end
 * @versioned: the client has sent VERSION
 * @messages: number of whole messages received
 * @buffer: the message that is being received; MESSAGE_MAX bytes
 * @have: bytes of it that have been received
 * @fds: files that came with it
 * @fd_count: entries of @fds
 * @reply: the transport thread's reply; MESSAGE_MAX bytes
 * @send_lock: held while a reply is sent
 * @broken: sending has failed, so the connection ends
 * @thread: the memory thread
 * @lock: guards the next six
 * @work: signalled when @queue gets a request, or @quit is set
 * @idle: signalled when a request has been done
 * @queue: requests for the memory thread, a ring
 * @head: index of the oldest request
 * @queued: number of requests, including the one that is being handled
 * @quit: the memory thread is to end
 * @ranges: the client's mappings. Used by the memory thread, and by the transport thread while the
 *	queue is empty.
 */
struct nnadev_vfu {
	struct nnadev_vfu_params params;
	const struct nnadev_model *model;
	void *device;
	struct nnadev_bus bus;
	struct nnadev_workers *workers;
	struct nnadev_vectors vectors;
	struct nnadev_function function;

	int client;
	int stop;
	bool versioned;
	uint64_t messages;
	uint8_t *buffer;
	size_t have;
	int fds[NNADEV_VFU_MAX_FDS];
	size_t fd_count;
	uint8_t *reply;

	pthread_mutex_t send_lock;
	atomic_bool broken;

	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t work;
	pthread_cond_t idle;
	struct request queue[QUEUE_SIZE];
	uint32_t head;
	uint32_t queued;
	bool quit;
	struct nnadev_ranges ranges;
};

static void say(struct nnadev_vfu *vfu, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void say(struct nnadev_vfu *vfu, const char *format, ...)
{
	char line[256];
	va_list args;

	if (!vfu->params.verbose || !vfu->params.log)
		return;
	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	vfu->params.log(vfu->params.user, line);
}

/* ---- sending --------------------------------------------------------------------------------- */

/* Monotonic time in ms. */
static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static int64_t patience(const struct nnadev_vfu *vfu)
{
	return vfu->params.client_timeout_ms ? vfu->params.client_timeout_ms : CLIENT_TIMEOUT_MS;
}

/* The time limit is for the whole message: reading a byte now and then does not extend it. */
static int send_all(struct nnadev_vfu *vfu, const uint8_t *data, size_t size)
{
	int64_t until = 0, left;

	while (size > 0) {
		ssize_t n = send(vfu->client, data, size, MSG_DONTWAIT | MSG_NOSIGNAL);
		struct pollfd fds[2] = {
			{ .fd = vfu->client, .events = POLLOUT },
			{ .fd = vfu->stop, .events = POLLIN },
		};

		if (n > 0) {
			data += n;
			size -= (size_t)n;
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK)
			return -errno;
		if (!until)
			until = now_ms() + patience(vfu);
		left = until - now_ms();
		if (left <= 0 || poll(fds, 2, (int)left) == 0 || fds[1].revents)
			return -ETIMEDOUT;
	}
	return 0;
}

/* Called by both threads. @message begins with room for the header; @size includes it. */
static void send_reply(struct nnadev_vfu *vfu, const struct nnadev_vfu_header *to, int error,
		       uint8_t *message, size_t size)
{
	struct nnadev_vfu_header header = {
		.id = to->id,
		.command = to->command,
		.size = (uint32_t)size,
		.flags = NNADEV_VFU_TYPE_REPLY,
	};

	if (error) {
		say(vfu, "command %u refused: %s", to->command, strerror(-error));
		header.flags |= NNADEV_VFU_ERROR;
		header.error = (uint32_t)-error;
		header.size = sizeof(header);
	}
	if (to->flags & NNADEV_VFU_NO_REPLY)
		return;
	memcpy(message, &header, sizeof(header));
	pthread_mutex_lock(&vfu->send_lock);
	if (!atomic_load(&vfu->broken) && send_all(vfu, message, header.size) < 0) {
		atomic_store(&vfu->broken, true);
		/* Wakes the transport thread. */
		shutdown(vfu->client, SHUT_RDWR);
	}
	pthread_mutex_unlock(&vfu->send_lock);
}

/* ---- the memory thread ----------------------------------------------------------------------- */

static int dma_map(struct nnadev_vfu *vfu, const struct request *r)
{
	const struct nnadev_vfu_dma_map *map = &r->map;
	const uint32_t known = VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE;
	uint32_t prot = 0;
	size_t index, count, backed;
	int ret;

	if (map->flags & ~known)
		return -EINVAL;
	if ((map->iova | map->size | map->offset) % NNADEV_VFU_PAGE)
		return -EINVAL;
	ret = nnadev_ranges_add(&vfu->ranges, map->iova, map->size, r->fd >= 0);
	if (ret < 0 || r->fd < 0)
		return ret;
	if (map->flags & VFIO_DMA_MAP_FLAG_READ)
		prot |= NNADEV_PROT_READ;
	if (map->flags & VFIO_DMA_MAP_FLAG_WRITE)
		prot |= NNADEV_PROT_WRITE;
	ret = nnadev_bus_map(&vfu->bus, map->iova, map->size, r->fd, map->offset, prot);
	if (ret < 0) {
		nnadev_ranges_find(&vfu->ranges, map->iova, map->iova + map->size - 1, &index,
				   &count, &backed);
		nnadev_ranges_remove(&vfu->ranges, index, count);
	}
	return ret;
}

/*
 * Unmap @count ranges from @index on. Usually this is one call of the bus for the whole span, since
 * nothing is mapped between them. If the span is all of 2^64, its size does not fit 64 bits, and
 * the last range takes a call of its own.
 */
static int unmap_ranges(struct nnadev_vfu *vfu, size_t index, size_t count)
{
	const struct nnadev_bus_range *range, *end;
	int ret = 0;

	/* Without ranges the array may be NULL. */
	if (!count)
		return 0;
	range = &vfu->ranges.at[index];
	end = range + count;
	while (range < end && !range->backed)
		range++;
	while (range < end && !end[-1].backed)
		end--;
	if (range < end && range->first == 0 && end[-1].last == UINT64_MAX && end - range > 1) {
		end--;
		ret = nnadev_bus_unmap(&vfu->bus, end->first, end->last - end->first + 1);
		while (!end[-1].backed)
			end--;
	}
	if (ret == 0 && range < end)
		ret = nnadev_bus_unmap(&vfu->bus, range->first, end[-1].last - range->first + 1);
	return ret;
}

/*
 * As VFIO's ioctl: removes all mappings inside the range, which may be none. A mapping that is only
 * partly inside is an error.
 */
static int dma_unmap(struct nnadev_vfu *vfu, const struct nnadev_vfu_dma_unmap *unmap)
{
	uint64_t first = unmap->iova, last;
	size_t index, count, backed;
	int ret;

	if (unmap->flags & ~VFIO_DMA_UNMAP_FLAG_ALL)
		return -EINVAL;
	if (unmap->flags & VFIO_DMA_UNMAP_FLAG_ALL) {
		if (unmap->iova || unmap->size)
			return -EINVAL;
		first = 0;
		last = UINT64_MAX;
	} else if (unmap->size == 0 || __builtin_add_overflow(first, unmap->size - 1, &last)) {
		return -EINVAL;
	}
	ret = nnadev_ranges_find(&vfu->ranges, first, last, &index, &count, &backed);
	if (ret < 0)
		return ret;
	ret = unmap_ranges(vfu, index, count);
	if (ret < 0)
		return ret;
	nnadev_ranges_remove(&vfu->ranges, index, count);
	return 0;
}

static void do_request(struct nnadev_vfu *vfu, struct request *r)
{
	uint8_t message[sizeof(struct nnadev_vfu_header) + sizeof(r->unmap)];
	size_t size = sizeof(struct nnadev_vfu_header);
	int ret = 0;

	switch (r->header.command) {
	case NNADEV_VFU_DMA_MAP:
		ret = dma_map(vfu, r);
		say(vfu, "map 0x%" PRIx64 " + 0x%" PRIx64 " flags %u%s: %d", r->map.iova,
		    r->map.size, r->map.flags, r->fd >= 0 ? "" : " without a file", ret);
		if (r->fd >= 0)
			close(r->fd);
		break;
	case NNADEV_VFU_DMA_UNMAP:
		ret = dma_unmap(vfu, &r->unmap);
		say(vfu, "unmap 0x%" PRIx64 " + 0x%" PRIx64 ": %d", r->unmap.iova, r->unmap.size,
		    ret);
		memcpy(message + size, &r->unmap, sizeof(r->unmap));
		size += sizeof(r->unmap);
		break;
	case NNADEV_VFU_REGION_WRITE:
		say(vfu, "bus mastering %s", r->master ? "on" : "off");
		nnadev_bus_set_master(&vfu->bus, r->master);
		memcpy(message + size, &r->access, sizeof(r->access));
		size += sizeof(r->access);
		break;
	case NNADEV_VFU_DEVICE_RESET:
		say(vfu, "reset");
		vfu->model->reset(vfu->device);
		break;
	}
	send_reply(vfu, &r->header, ret, message, size);
}

static void *memory_thread(void *arg)
{
	struct nnadev_vfu *vfu = arg;

	pthread_mutex_lock(&vfu->lock);
	for (;;) {
		while (vfu->queued == 0 && !vfu->quit)
			pthread_cond_wait(&vfu->work, &vfu->lock);
		if (vfu->queued == 0)
			break;
		/* @queued still counts the slot, so enqueue() does not write it. */
		pthread_mutex_unlock(&vfu->lock);
		do_request(vfu, &vfu->queue[vfu->head]);
		pthread_mutex_lock(&vfu->lock);
		vfu->head = (vfu->head + 1) % QUEUE_SIZE;
		vfu->queued--;
		pthread_cond_broadcast(&vfu->idle);
	}
	pthread_mutex_unlock(&vfu->lock);
	return NULL;
}

/* Wait until at most @most requests are left. */
static void drain(struct nnadev_vfu *vfu, uint32_t most)
{
	pthread_mutex_lock(&vfu->lock);
	while (vfu->queued > most)
		pthread_cond_wait(&vfu->idle, &vfu->lock);
	pthread_mutex_unlock(&vfu->lock);
}

/*
 * Queues a request for the memory thread. A client that wants a reply waits for it before it relies
 * on the effect. After a message without a reply the caller drains the queue, so that the next
 * message finds the request done.
 */
static void enqueue(struct nnadev_vfu *vfu, const struct request *r)
{
	drain(vfu, QUEUE_SIZE - 1);
	pthread_mutex_lock(&vfu->lock);
	vfu->queue[(vfu->head + vfu->queued) % QUEUE_SIZE] = *r;
	vfu->queued++;
	pthread_cond_signal(&vfu->work);
	pthread_mutex_unlock(&vfu->lock);
}

/* ---- regions --------------------------------------------------------------------------------- */

static uint64_t region_size(const struct nnadev_vfu *vfu, uint32_t region)
{
	if (region == VFIO_PCI_CONFIG_REGION_INDEX)
		return NNADEV_CONFIG_SIZE;
	return nnadev_function_bar_size(vfu->model, region);
}

/*
 * Whether the model takes an access of @size bytes. Others read as ones, and their writes are lost,
 * as on a bus where nobody answers.
 */
static bool is_taken(const struct nnadev_bar *bar, uint64_t offset, uint32_t size)
{
	return __builtin_popcount(size) == 1 && (bar->widths & size) && offset % size == 0;
}

static int check_access(const struct nnadev_vfu *vfu, const struct nnadev_vfu_region_access *access)
{
	uint64_t size, end;

	if (access->region >= REGIONS || access->count > NNADEV_VFU_MAX_XFER)
		return -EINVAL;
	size = region_size(vfu, access->region);
	if (__builtin_add_overflow(access->offset, access->count, &end) || end > size)
		return -EINVAL;
	return 0;
}

static void bar_read(struct nnadev_vfu *vfu, const struct nnadev_vfu_region_access *access,
		     uint8_t *data)
{
	const struct nnadev_bar *bar = &vfu->model->bars[access->region];
	uint64_t value;

	if (bar->kind == NNADEV_BAR_MSIX) {
		nnadev_function_msix_read(&vfu->function, (uint32_t)access->offset, access->count,
					  data);
		return;
	}
	memset(data, 0xff, access->count);
	if (is_taken(bar, access->offset, access->count)) {
		value = vfu->model->read(vfu->device, access->region, access->offset,
					 access->count);
		memcpy(data, &value, access->count);
	}
}

static int region_read(struct nnadev_vfu *vfu, const struct nnadev_vfu_region_access *access,
		       uint8_t *data)
{
	int ret = check_access(vfu, access);

	if (ret < 0 || !region_size(vfu, access->region))
		return ret;
	if (access->region == VFIO_PCI_CONFIG_REGION_INDEX)
		nnadev_function_config_read(&vfu->function, (uint32_t)access->offset, access->count,
					    data);
	else
		bar_read(vfu, access, data);
	return 0;
}

static void bar_write(struct nnadev_vfu *vfu, const struct nnadev_vfu_region_access *access,
		      const uint8_t *data)
{
	const struct nnadev_bar *bar = &vfu->model->bars[access->region];
	uint64_t value = 0;

	if (bar->kind == NNADEV_BAR_MSIX) {
		nnadev_function_msix_write(&vfu->function, (uint32_t)access->offset, access->count,
					   data);
	} else if (is_taken(bar, access->offset, access->count)) {
		memcpy(&value, data, access->count);
		vfu->model->write(vfu->device, access->region, access->offset, access->count,
				  value);
	}
}

static int region_write(struct nnadev_vfu *vfu, const struct nnadev_vfu_region_access *access,
			const uint8_t *data)
{
	struct request reset = {
		.header = { .command = NNADEV_VFU_DEVICE_RESET, .flags = NNADEV_VFU_NO_REPLY },
		.fd = -1 };
	int ret = check_access(vfu, access);

	if (ret < 0 || !region_size(vfu, access->region))
		return ret;
	if (access->region != VFIO_PCI_CONFIG_REGION_INDEX)
		bar_write(vfu, access, data);
	else if (nnadev_function_config_write(&vfu->function, (uint32_t)access->offset,
					      access->count, data))
		/* No drain: software waits 100 ms after the reset, and polls nothing. */
		enqueue(vfu, &reset);
	return 0;
}

/* ---- commands: payload in, payload out, 0 or a negative errno -------------------------------- */

/**
 * struct message - a command and the reply to it
 * @header: of the command
 * @payload: of the command
 * @size: bytes of @payload
 * @out: the reply's payload, with room for a struct of vfu_protocol.h and NNADEV_VFU_MAX_XFER bytes
 * @out_size: bytes written to @out
 */
struct message {
	struct nnadev_vfu_header header;
	const uint8_t *payload;
	size_t size;
	uint8_t *out;
	size_t out_size;
};

/* Copy the fixed part of a payload, which is unaligned. Return: whether it is long enough. */
static bool get(const struct message *m, void *to, size_t size)
{
	if (m->size < size)
		return false;
	memcpy(to, m->payload, size);
	return true;
}

static void put(struct message *m, const void *from, size_t size)
{
	memcpy(m->out + m->out_size, from, size);
	m->out_size += size;
}

/*
 * The capabilities that the client offers are ignored: all of them are optional, and nothing here
 * depends on them. write_multiple is not offered in return. It saves messages in bursts of writes,
 * which do not occur, since a submission is one doorbell. With it QEMU 11 passes every message
 * through another thread, which makes a doorbell 5 to 15 % slower (measured).
 */
static int do_version(struct nnadev_vfu *vfu, struct message *m)
{
	struct nnadev_vfu_version version;
	char text[256];
	int n;

	if (vfu->versioned || !get(m, &version, sizeof(version)) ||
	    version.major != NNADEV_VFU_MAJOR)
		return -EINVAL;
	if (version.minor > NNADEV_VFU_MINOR)
		version.minor = NNADEV_VFU_MINOR;
	n = snprintf(text, sizeof(text),
		     "{\"capabilities\":{\"max_msg_fds\":%u,\"max_data_xfer_size\":%u,"
		     "\"max_dma_maps\":%u,\"pgsizes\":%u}}",
		     NNADEV_VFU_MAX_FDS, NNADEV_VFU_MAX_XFER, NNADEV_VFU_MAX_MAPS, NNADEV_VFU_PAGE);
	put(m, &version, sizeof(version));
	put(m, text, (size_t)n + 1);
	vfu->versioned = true;
	return 0;
}

static int do_device_info(struct nnadev_vfu *vfu, struct message *m)
{
	struct nnadev_vfu_device_info info;

	if (!get(m, &info, sizeof(info)) || info.argsz < sizeof(info))
		return -EINVAL;
	info = (struct nnadev_vfu_device_info){
		.argsz = sizeof(info),
		.flags = VFIO_DEVICE_FLAGS_RESET | VFIO_DEVICE_FLAGS_PCI,
		.num_regions = REGIONS,
		.num_irqs = IRQS,
	};
	put(m, &info, sizeof(info));
	return 0;
}

static int do_region_info(struct nnadev_vfu *vfu, struct message *m)
{
	struct nnadev_vfu_region_info info;

	if (!get(m, &info, sizeof(info)) || info.argsz < sizeof(info) || info.index >= REGIONS)
		return -EINVAL;
	info = (struct nnadev_vfu_region_info){
		.argsz = sizeof(info),
		.index = info.index,
		.size = region_size(vfu, info.index),
	};
	/* Never MMAP: QEMU turns posted writes off if a page of any BAR can be mapped. */
	if (info.size)
		info.flags = VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE;
	put(m, &info, sizeof(info));
	return 0;
}

static int do_region_io_fds(struct nnadev_vfu *vfu, struct message *m)
{
	struct nnadev_vfu_region_io_fds info;

	if (!get(m, &info, sizeof(info)) || info.argsz < sizeof(info) || info.flags ||
	    info.index >= REGIONS)
		return -EINVAL;
	info = (struct nnadev_vfu_region_io_fds){ .argsz = sizeof(info), .index = info.index };
	put(m, &info, sizeof(info));
	return 0;
}

static int do_irq_info(struct nnadev_vfu *vfu, struct message *m)
{
	struct nnadev_vfu_irq_info info;

	if (!get(m, &info, sizeof(info)) || info.argsz < sizeof(info) || info.index >= IRQS)
		return -EINVAL;
	info = (struct nnadev_vfu_irq_info){ .argsz = sizeof(info), .index = info.index };
	if (info.index == VFIO_PCI_MSIX_IRQ_INDEX) {
		info.flags = VFIO_IRQ_INFO_EVENTFD;
		info.count = vfu->vectors.count;
	}
	put(m, &info, sizeof(info));
	return 0;
}

/* Vectors take ownership of files in vfu->fds; the caller closes the others. */
static int do_set_irqs(struct nnadev_vfu *vfu, struct message *m)
{
	const uint8_t *bools = m->payload + sizeof(struct nnadev_vfu_irq_set);
	struct nnadev_vfu_irq_set set;
	uint32_t data, action, end;
	int ret = 0;

	if (!get(m, &set, sizeof(set)) || set.index >= IRQS)
		return -EINVAL;
	data = set.flags & VFIO_IRQ_SET_DATA_TYPE_MASK;
	action = set.flags & VFIO_IRQ_SET_ACTION_TYPE_MASK;
	if (set.flags != (data | action) || __builtin_popcount(data) != 1 ||
	    __builtin_popcount(action) != 1)
		return -EINVAL;
	if (__builtin_add_overflow(set.start, set.count, &end))
		return -EINVAL;
	/* The other kinds have no interrupts. A client may disable all of such a kind. */
	if (set.index != VFIO_PCI_MSIX_IRQ_INDEX)
		return set.count || vfu->fd_count ? -EINVAL : 0;
	if (end > vfu->vectors.count)
		return -EINVAL;
	/* The client masks a vector by removing its eventfd, so there is no mask action. */
	if (action != VFIO_IRQ_SET_ACTION_TRIGGER)
		return -ENOTSUP;
	if (data == VFIO_IRQ_SET_DATA_BOOL && m->size - sizeof(set) < set.count)
		return -EINVAL;
	if (data != VFIO_IRQ_SET_DATA_EVENTFD && vfu->fd_count)
		return -EINVAL;

	switch (data) {
	case VFIO_IRQ_SET_DATA_EVENTFD:
		if (vfu->fd_count && vfu->fd_count != set.count)
			return -EINVAL;
		for (uint32_t i = 0; i < set.count; i++) {
			int fd = vfu->fd_count ? vfu->fds[i] : -1;
			int r;

			if (vfu->fd_count)
				vfu->fds[i] = -1;
			r = nnadev_vectors_set(&vfu->vectors, set.start + i, fd);
			if (r < 0)
				ret = r;
		}
		return ret;
	case VFIO_IRQ_SET_DATA_NONE:
		if (set.count == 0) {
			nnadev_vectors_clear(&vfu->vectors);
			return 0;
		}
		for (uint32_t i = 0; i < set.count; i++)
			nnadev_vectors_raise(&vfu->vectors, set.start + i);
		return 0;
	default:
		for (uint32_t i = 0; i < set.count; i++)
			if (bools[i])
				nnadev_vectors_raise(&vfu->vectors, set.start + i);
		return 0;
	}
}

static int do_region_read(struct nnadev_vfu *vfu, struct message *m)
{
	struct nnadev_vfu_region_access access;
	int ret;

	if (!get(m, &access, sizeof(access)))
		return -EINVAL;
	put(m, &access, sizeof(access));
	ret = region_read(vfu, &access, m->out + m->out_size);
	if (ret == 0)
		m->out_size += access.count;
	return ret;
}

/*
 * Return: 0, a negative errno, or 1 when the memory thread will answer. It does so if bus mastering
 * has changed: disabling it waits until no tile uses memory.
 */
static int do_region_write(struct nnadev_vfu *vfu, struct message *m)
{
	bool master = nnadev_function_is_master(&vfu->function);
	struct request r = { .header = m->header, .fd = -1 };
	int ret;

	if (!get(m, &r.access, sizeof(r.access)) || m->size - sizeof(r.access) != r.access.count)
		return -EINVAL;
	put(m, &r.access, sizeof(r.access));
	ret = region_write(vfu, &r.access, m->payload + sizeof(r.access));
	r.master = nnadev_function_is_master(&vfu->function);
	if (ret || r.master == master)
		return ret;
	enqueue(vfu, &r);
	if (m->header.flags & NNADEV_VFU_NO_REPLY)
		drain(vfu, 0);
	return 1;
}

/* Pass a message to the memory thread, which replies. Return: 1, or a negative errno. */
static int do_deferred(struct nnadev_vfu *vfu, struct message *m)
{
	struct request r = { .header = m->header, .fd = -1 };

	switch (m->header.command) {
	case NNADEV_VFU_DMA_MAP:
		if (!get(m, &r.map, sizeof(r.map)) || r.map.argsz < sizeof(r.map) ||
		    vfu->fd_count > 1)
			return -EINVAL;
		if (vfu->fd_count) {
			r.fd = vfu->fds[0];
			vfu->fds[0] = -1;
		}
		break;
	case NNADEV_VFU_DMA_UNMAP:
		if (!get(m, &r.unmap, sizeof(r.unmap)))
			return -EINVAL;
		break;
	}
	enqueue(vfu, &r);
	if (m->header.flags & NNADEV_VFU_NO_REPLY)
		drain(vfu, 0);
	return 1;
}

/* Handle one whole message. Return: 0, or -EPROTO when the stream is malformed. */
static int dispatch(struct nnadev_vfu *vfu)
{
	struct message m = {
		.payload = vfu->buffer + sizeof(m.header),
		.size = vfu->have - sizeof(m.header),
		.out = vfu->reply + sizeof(m.header),
	};
	int ret;

	memcpy(&m.header, vfu->buffer, sizeof(m.header));
	if (!vfu->versioned && m.header.command != NNADEV_VFU_VERSION) {
		send_reply(vfu, &m.header, -EINVAL, vfu->reply, sizeof(m.header));
		return -EPROTO;
	}
	if (vfu->fd_count && m.header.command != NNADEV_VFU_DMA_MAP &&
	    m.header.command != NNADEV_VFU_DEVICE_SET_IRQS)
		return -EPROTO;

	switch (m.header.command) {
	case NNADEV_VFU_VERSION:
		ret = do_version(vfu, &m);
		break;
	case NNADEV_VFU_DMA_MAP:
	case NNADEV_VFU_DMA_UNMAP:
	case NNADEV_VFU_DEVICE_RESET:
		ret = do_deferred(vfu, &m);
		break;
	case NNADEV_VFU_DEVICE_GET_INFO:
		ret = do_device_info(vfu, &m);
		break;
	case NNADEV_VFU_DEVICE_GET_REGION_INFO:
		ret = do_region_info(vfu, &m);
		break;
	case NNADEV_VFU_DEVICE_GET_REGION_IO_FDS:
		ret = do_region_io_fds(vfu, &m);
		break;
	case NNADEV_VFU_DEVICE_GET_IRQ_INFO:
		ret = do_irq_info(vfu, &m);
		break;
	case NNADEV_VFU_DEVICE_SET_IRQS:
		ret = do_set_irqs(vfu, &m);
		break;
	case NNADEV_VFU_REGION_READ:
		ret = do_region_read(vfu, &m);
		break;
	case NNADEV_VFU_REGION_WRITE:
		ret = do_region_write(vfu, &m);
		break;
	default:
		ret = -ENOTSUP;
		break;
	}
	if (ret != 1)
		send_reply(vfu, &m.header, ret, vfu->reply, sizeof(m.header) + m.out_size);
	return !vfu->versioned ? -EPROTO : 0;
}

/* ---- receiving ------------------------------------------------------------------------------- */

static void close_fds(struct nnadev_vfu *vfu)
{
	for (size_t i = 0; i < vfu->fd_count; i++)
		if (vfu->fds[i] >= 0)
			close(vfu->fds[i]);
	vfu->fd_count = 0;
}

/* Take the files of one recvmsg(). Those beyond the limit are closed here. */
static int take_fds(struct nnadev_vfu *vfu, struct msghdr *msg)
{
	int ret = msg->msg_flags & MSG_CTRUNC ? -EPROTO : 0;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		size_t n;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < n; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(fd));
			if (vfu->fd_count < NNADEV_VFU_MAX_FDS) {
				vfu->fds[vfu->fd_count++] = fd;
			} else {
				close(fd);
				ret = -EPROTO;
			}
		}
	}
	return ret;
}

/*
 * Receive the current message until @want bytes of it are there. Return: 1 when they are, 0 when
 * the socket is empty, -ECONNRESET at its end, another negative errno.
 */
static int fill(struct nnadev_vfu *vfu, size_t want)
{
	while (vfu->have < want) {
		union {
			char space[CMSG_SPACE(NNADEV_VFU_MAX_FDS * sizeof(int))];
			struct cmsghdr align;
		} control;
		struct iovec iov = { vfu->buffer + vfu->have, want - vfu->have };
		struct msghdr msg = {
			.msg_iov = &iov,
			.msg_iovlen = 1,
			.msg_control = control.space,
			.msg_controllen = sizeof(control.space),
		};
		ssize_t n = recvmsg(vfu->client, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
		int ret;

		if (n < 0) {
			if (errno == EINTR)
				continue;
			return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -errno;
		}
		if (n == 0)
			return -ECONNRESET;
		vfu->have += (size_t)n;
		ret = take_fds(vfu, &msg);
		if (ret < 0)
			return ret;
	}
	return 1;
}

/*
 * Handle the messages that have arrived, at most MESSAGES_AT_ONCE, so that a client that never
 * pauses cannot keep the server from polling @stop. Return: 0, or a negative errno that ends the
 * connection.
 */
static int receive(struct nnadev_vfu *vfu)
{
	struct nnadev_vfu_header header;
	int ret;

	for (uint32_t i = 0; i < MESSAGES_AT_ONCE; i++) {
		ret = fill(vfu, sizeof(header));
		if (ret <= 0)
			return ret;
		memcpy(&header, vfu->buffer, sizeof(header));
		if (header.size < sizeof(header) || header.size > MESSAGE_MAX)
			return -EPROTO;
		/* This server sends no commands, so a reply is malformed. */
		if ((header.flags & NNADEV_VFU_TYPE_MASK) != NNADEV_VFU_TYPE_COMMAND)
			return -EPROTO;
		ret = fill(vfu, header.size);
		if (ret <= 0)
			return ret;
		ret = dispatch(vfu);
		close_fds(vfu);
		vfu->have = 0;
		vfu->messages++;
		if (ret < 0)
			return ret;
		if (atomic_load(&vfu->broken))
			return -EPIPE;
	}
	return 0;
}

/**
 * struct debt - a message that the client owes: its first one, or the rest of one that has begun
 * @until: time in ms at which it is due, or 0 when none is owed
 * @message: the number of the message
 */
struct debt {
	int64_t until;
	uint64_t message;
};

/* Return: ms to wait for the client; -1, which is for ever, when it owes nothing. */
static int wait_for(const struct nnadev_vfu *vfu, struct debt *debt)
{
	int64_t left;

	if (vfu->versioned && vfu->have == 0) {
		debt->until = 0;
		return -1;
	}
	if (!debt->until || debt->message != vfu->messages) {
		debt->until = now_ms() + patience(vfu);
		debt->message = vfu->messages;
	}
	left = debt->until - now_ms();
	return left > 0 ? (int)left : 0;
}

int nnadev_vfu_serve(struct nnadev_vfu *vfu, int client, int stop)
{
	size_t index, count, backed;
	struct debt debt = { 0 };
	int ret = 0;

	vfu->client = client;
	vfu->stop = stop;
	vfu->versioned = false;
	vfu->have = 0;
	vfu->messages = 0;
	atomic_store(&vfu->broken, false);
	nnadev_function_init(&vfu->function, vfu->model, &vfu->vectors);
	nnadev_bus_set_master(&vfu->bus, false);
	say(vfu, "client connected");

	while (ret == 0) {
		struct pollfd fds[2] = {
			{ .fd = client, .events = POLLIN },
			{ .fd = stop, .events = POLLIN },
		};

		if (poll(fds, 2, wait_for(vfu, &debt)) < 0) {
			if (errno != EINTR)
				ret = -errno;
			continue;
		}
		if (fds[1].revents)
			ret = -ECANCELED;
		else if (fds[0].revents)
			ret = receive(vfu);
		/* Receiving a part of a message does not extend the time. */
		if (ret == 0 && wait_for(vfu, &debt) == 0)
			ret = -ETIMEDOUT;
	}
	/* Remove all state of this client. */
	shutdown(client, SHUT_RDWR);
	close_fds(vfu);
	drain(vfu, 0);
	nnadev_vectors_clear(&vfu->vectors);
	vfu->model->reset(vfu->device);
	if (nnadev_ranges_find(&vfu->ranges, 0, UINT64_MAX, &index, &count, &backed) == 0)
		unmap_ranges(vfu, index, count);
	nnadev_ranges_fini(&vfu->ranges);
	nnadev_ranges_init(&vfu->ranges, NNADEV_VFU_MAX_MAPS);
	nnadev_vectors_clear(&vfu->vectors);
	close(client);
	vfu->client = -1;
	if (ret == -EPROTO)
		say(vfu, "client thrown out: its messages make no sense");
	else if (ret == -ETIMEDOUT)
		say(vfu, "client thrown out: it has stopped within a message");
	else
		say(vfu, "client left");
	return ret == -ECONNRESET || ret == -EPIPE ? 0 : ret;
}

/* ---- life ------------------------------------------------------------------------------------ */

static void raise_irq(void *user, uint32_t vector)
{
	struct nnadev_vfu *vfu = user;

	nnadev_vectors_raise(&vfu->vectors, vector);
}

static void log_line(void *user, const char *line)
{
	struct nnadev_vfu *vfu = user;

	if (vfu->params.log)
		vfu->params.log(vfu->params.user, line);
}

/* Create the bus, the pool and the device. Return: 0 or a negative errno. */
static int create_device(struct nnadev_vfu *vfu)
{
	const struct nnadev_bus_host host = { raise_irq, log_line, vfu };
	const struct nnadev_vfu_params *params = &vfu->params;
	struct nnadev_resources resources = {
		.bus = &vfu->bus,
		.threads = params->threads ? params->threads : nnadev_workers_cpus(),
	};
	int ret;

	ret = nnadev_bus_init(&vfu->bus, &host);
	if (ret < 0)
		return ret;
	ret = nnadev_workers_create(resources.threads, 0, &vfu->workers);
	if (ret < 0)
		goto fail_bus;
	resources.workers = vfu->workers;
	ret = vfu->model->create(&resources, params->config, &vfu->device);
	if (ret < 0)
		goto fail_workers;
	return 0;

fail_workers:
	nnadev_workers_destroy(vfu->workers);
fail_bus:
	nnadev_bus_fini(&vfu->bus);
	return ret;
}

static void destroy_device(struct nnadev_vfu *vfu)
{
	vfu->model->destroy(vfu->device);
	nnadev_workers_destroy(vfu->workers);
	nnadev_bus_fini(&vfu->bus);
}

static void free_session(struct nnadev_vfu *vfu)
{
	nnadev_ranges_fini(&vfu->ranges);
	pthread_mutex_destroy(&vfu->send_lock);
	pthread_mutex_destroy(&vfu->lock);
	pthread_cond_destroy(&vfu->work);
	pthread_cond_destroy(&vfu->idle);
	free(vfu->buffer);
	free(vfu->reply);
	free(vfu);
}

static struct nnadev_vfu *allocate_session(const struct nnadev_vfu_params *params)
{
	struct nnadev_vfu *vfu = calloc(1, sizeof(*vfu));

	if (!vfu)
		return NULL;
	vfu->params = *params;
	vfu->model = params->model;
	vfu->client = -1;
	pthread_mutex_init(&vfu->send_lock, NULL);
	pthread_mutex_init(&vfu->lock, NULL);
	pthread_cond_init(&vfu->work, NULL);
	pthread_cond_init(&vfu->idle, NULL);
	nnadev_ranges_init(&vfu->ranges, NNADEV_VFU_MAX_MAPS);
	vfu->buffer = malloc(MESSAGE_MAX);
	vfu->reply = malloc(MESSAGE_MAX);
	if (vfu->buffer && vfu->reply)
		return vfu;
	free_session(vfu);
	return NULL;
}

int nnadev_vfu_create(const struct nnadev_vfu_params *params, struct nnadev_vfu **out)
{
	struct nnadev_vfu *vfu;
	int ret;

	if (!nnadev_function_fits(params->model))
		return -EINVAL;
	vfu = allocate_session(params);
	if (!vfu)
		return -ENOMEM;
	ret = nnadev_vectors_init(&vfu->vectors, vfu->model->vectors);
	if (ret < 0)
		goto fail_session;
	nnadev_function_init(&vfu->function, vfu->model, &vfu->vectors);
	ret = create_device(vfu);
	if (ret < 0)
		goto fail_vectors;
	ret = -pthread_create(&vfu->thread, NULL, memory_thread, vfu);
	if (ret < 0)
		goto fail_device;
	*out = vfu;
	return 0;

fail_device:
	destroy_device(vfu);
fail_vectors:
	nnadev_vectors_fini(&vfu->vectors);
fail_session:
	free_session(vfu);
	return ret;
}

void nnadev_vfu_destroy(struct nnadev_vfu *vfu)
{
	if (!vfu)
		return;
	pthread_mutex_lock(&vfu->lock);
	vfu->quit = true;
	pthread_cond_signal(&vfu->work);
	pthread_mutex_unlock(&vfu->lock);
	pthread_join(vfu->thread, NULL);
	destroy_device(vfu);
	nnadev_vectors_fini(&vfu->vectors);
	free_session(vfu);
}

void *nnadev_vfu_device(struct nnadev_vfu *vfu)
{
	return vfu->device;
}
