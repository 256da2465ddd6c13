// SPDX-License-Identifier: MIT
/*
 * A device that is not there: the backend of a kind of accelerator, alone. Programs compile, and
 * can be printed and saved; nothing runs. It has memory, which is the process's own, and no queues.
 *
 * Its name is "backend-" and the name of a backend or of one of the backend's configurations. A
 * backend without a device gets a first look at its programs so, and nnactl dump --backend is it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/backend/backend.h"
#include "libnnaccel/support/log.h"
#include "libnnaccel/winsys/va.h"
#include "libnnaccel/winsys/winsys.h"

#define PREFIX "backend-"

/**
 * struct device - an open device
 * @backend: what the device is for
 * @name: as it was opened
 */
struct device {
	struct nna_winsys base;
	const struct nna_backend *backend;
	char name[64];
};

static const struct device *to_device(const struct nna_winsys *ws)
{
	return (const struct device *)ws;
}

static void none_destroy(struct nna_winsys *ws)
{
	free(ws);
}

static void none_get_info(struct nna_winsys *ws, struct nna_device_info *info)
{
	const struct nna_backend *b = to_device(ws)->backend;

	*info = (struct nna_device_info){
		.driver = "none",
		.abi_major = b->abi_major,
		.abi_minor = b->abi_minor,
		.stream_version = b->stream_version,
		.layout_version = b->layout_version,
		.max_slots = b->max_slots ? b->max_slots : NNA_BACKEND_MAX_SLOTS,
	};
	snprintf(info->name, sizeof(info->name), "%s", to_device(ws)->name);
}

static int none_check(struct nna_winsys *ws)
{
	return 0;
}

static uint64_t none_tick_to_ns(struct nna_winsys *ws, uint64_t tick)
{
	return tick;
}

static int none_bo_create(struct nna_winsys *ws, uint64_t size, uint32_t flags,
			  struct nna_winsys_bo **out)
{
	struct nna_winsys_bo *bo;

	if (size > INT64_MAX - NNA_VA_PAGE)
		return -ENOMEM;
	bo = calloc(1, sizeof(*bo));
	if (!bo)
		return -ENOMEM;
	bo->size = (size + NNA_VA_PAGE - 1) & ~((uint64_t)NNA_VA_PAGE - 1);
	bo->map = aligned_alloc(NNA_VA_PAGE, bo->size);
	if (!bo->map) {
		free(bo);
		return -ENOMEM;
	}
	memset(bo->map, 0, bo->size);
	bo->va = (uintptr_t)bo->map;
	*out = bo;
	return 0;
}

static int none_bo_import(struct nna_winsys *ws, int fd, uint64_t size, struct nna_winsys_bo **out)
{
	return -ENOTSUP;
}

static int none_bo_export(struct nna_winsys *ws, struct nna_winsys_bo *bo)
{
	return -ENOTSUP;
}

static void none_bo_destroy(struct nna_winsys *ws, struct nna_winsys_bo *bo)
{
	if (bo)
		free(bo->map);
	free(bo);
}

/* Without a queue there is no job, and so no fence: the table has no functions for those. */
static int none_queue_create(struct nna_winsys *ws, enum nna_priority priority,
			     struct nna_winsys_queue **out)
{
	nna_log_print(&ws->log, NNA_LOG_ERROR,
		      "%s compiles programs and runs none: open a device to run them",
		      to_device(ws)->name);
	return -ENOTSUP;
}

static const struct nna_winsys_ops none_ops = {
	.destroy = none_destroy,
	.get_info = none_get_info,
	.check = none_check,
	.tick_to_ns = none_tick_to_ns,
	.bo_create = none_bo_create,
	.bo_import = none_bo_import,
	.bo_export = none_bo_export,
	.bo_destroy = none_bo_destroy,
	.queue_create = none_queue_create,
};

/* Return: whether a backend has the name, or a configuration with it. */
static bool find_configuration(const struct nna_backend *b, const char *name, uint32_t *number)
{
	const struct nna_backend_configuration *c = b->configurations;

	*number = 0;
	if (!strcmp(b->name, name))
		return true;
	for (; c && c->name; c++) {
		if (!strcmp(c->name, name)) {
			*number = c->number;
			return true;
		}
	}
	return false;
}

/* Says which names there are: "nna, ethosu, ethos-u65-256". */
static void refuse(const struct nna_log *log, const char *name)
{
	char names[512] = "";
	size_t n = 0;

	for (size_t i = 0; nna_backends[i] && n < sizeof(names); i++) {
		const struct nna_backend_configuration *c = nna_backends[i]->configurations;

		n += (size_t)snprintf(names + n, sizeof(names) - n, "%s%s", i ? ", " : "",
				      nna_backends[i]->name);
		for (; c && c->name && n < sizeof(names); c++)
			n += (size_t)snprintf(names + n, sizeof(names) - n, ", %s", c->name);
	}
	nna_log_print(log, NNA_LOG_ERROR, "there is no backend '%s': there are %s", name, names);
}

int nna_winsys_none_create(const char *path, const struct nna_device_options *options,
			   struct nna_winsys **out)
{
	const char *name = path ? path + strlen(PREFIX) : NULL;
	struct device *d;
	uint32_t number;
	size_t i = 0;

	if (!name)
		return -ENOENT;
	while (nna_backends[i] && !find_configuration(nna_backends[i], name, &number))
		i++;
	if (!nna_backends[i]) {
		refuse(options ? &options->log : NULL, name);
		return -ENOENT;
	}
	d = calloc(1, sizeof(*d));
	if (!d)
		return -ENOMEM;
	d->base.ops = &none_ops;
	d->base.accelerator = nna_backends[i]->name;
	d->base.configuration = number;
	d->base.tick_hz = 1000000000;
	d->base.compiles_only = true;
	if (options)
		d->base.log = options->log;
	d->backend = nna_backends[i];
	snprintf(d->name, sizeof(d->name), "%s", path);
	*out = &d->base;
	return 0;
}
