// SPDX-License-Identifier: MIT
/* Devices: a node of the driver, or the loopback. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libnnaccel/runtime/device.h"
#include "libnnaccel/support/log.h"
#include "libnnaccel/support/sized.h"

/* Finds the backend for the kind of accelerator. */
static int find_backend(struct nna_device *d)
{
	const struct nna_backend *b = nna_backend_find(d->ws->accelerator);
	const struct nna_device_info *i = &d->info;

	if (!b) {
		nna_log_print(&d->log, NNA_LOG_ERROR,
			      "%s is an accelerator of the kind \"%s\": this library has no backend "
			      "for it (libnnaccel/backend/table.c lists its backends)",
			      i->name, d->ws->accelerator);
		return -ENODEV;
	}
	d->backend = b;
	if (i->abi_major == b->abi_major && i->stream_version == b->stream_version &&
	    i->layout_version == b->layout_version)
		return 0;
	nna_log_print(&d->log, NNA_LOG_ERROR,
		      "%s speaks ABI %u.%u with stream version %u and layout version %u; "
		      "this library needs %u.x, %u, %u",
		      i->name, i->abi_major, i->abi_minor, i->stream_version, i->layout_version,
		      b->abi_major, b->stream_version, b->layout_version);
	return -EPROTO;
}

int nna_device_open_sized(const char *name, const struct nna_device_options *options, size_t size,
			  struct nna_device **out)
{
	struct nna_device_options own;
	struct nna_device *d;
	int ret;

	ret = nna_sized_read(&own, sizeof(own), options, size);
	if (ret)
		return ret;
	if (!own.charge != !own.discharge) {
		nna_log_print(&own.log, NNA_LOG_ERROR,
			      "device %s cannot be opened: its options need both of charge and "
			      "discharge, or neither", name ? name : "auto");
		return -EINVAL;
	}
	d = calloc(1, sizeof(*d));
	if (!d)
		return -ENOMEM;
	d->log = own.log;
	ret = nna_winsys_open(name, options ? &own : NULL, &d->ws);
	if (ret) {
		/* The plug-in's loader has logged its error, with the remedy. */
		if (ret != -ELIBACC && ret != -ELIBBAD)
			nna_log_print(&d->log, NNA_LOG_ERROR, "device %s cannot be opened: %s",
				      name ? name : "auto", strerror(-ret));
		free(d);
		return ret;
	}
	nna_waiter_init(&d->waiter);
	nna_spares_init(&d->spares);
	d->ws->ops->get_info(d->ws, &d->info);
	ret = find_backend(d);
	if (ret) {
		nna_device_close(d);
		return ret;
	}
	*out = d;
	return 0;
}

int nna_device_find(uint32_t index, char *name, size_t size)
{
	return nna_winsys_find(index, name, size);
}

void nna_device_close(struct nna_device *device)
{
	/* The threads and the memory of the device belong to the process that opened it. */
	if (!device || getpid() != device->waiter.pid)
		return;
	nna_waiter_fini(&device->waiter);
	nna_spares_fini(&device->spares);
	device->ws->ops->destroy(device->ws);
	free(device);
}

void nna_device_get_info_sized(const struct nna_device *device, struct nna_device_info *info,
			       size_t size)
{
	nna_sized_write(info, size, &device->info, sizeof(device->info));
}

int nna_device_check(const struct nna_device *device)
{
	return device->ws->ops->check(device->ws);
}
