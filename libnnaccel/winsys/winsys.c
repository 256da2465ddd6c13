// SPDX-License-Identifier: MIT
/*
 * Selects the winsys of the table that opens a device, charges BOs to its account, and drops
 * references to fences.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "libnnaccel/support/log.h"
#include "libnnaccel/winsys/va.h"
#include "libnnaccel/winsys/winsys.h"

static int open_first(const struct nna_device_options *options, struct nna_winsys **out)
{
	int ret = -ENOENT;

	for (size_t i = 0; nna_winsys_backends[i].open && ret == -ENOENT; i++) {
		const char *name = nna_winsys_backends[i].name;

		if (name && options)
			nna_log_print(&options->log, NNA_LOG_INFO,
				      "no NNA device node: computing in this process (%s)", name);
		ret = nna_winsys_backends[i].open(NULL, options, out);
	}
	return ret;
}

/* Whether a row's name is that of a device; one with a dash at its end is the beginning of it. */
static bool is_name(const char *row, const char *name)
{
	const size_t length = strlen(row);

	return row[length - 1] == '-' ? !strncmp(row, name, length) : !strcmp(row, name);
}

static int open_by_name(const char *name, const struct nna_device_options *options,
			struct nna_winsys **out)
{
	int ret = -ENODEV;

	if (!name || !strcmp(name, "auto"))
		return open_first(options, out);
	for (size_t i = 0; nna_winsys_backends[i].open; i++)
		if (nna_winsys_backends[i].name && is_name(nna_winsys_backends[i].name, name))
			return nna_winsys_backends[i].open(name, options, out);
	for (size_t i = 0; nna_winsys_backends[i].open && ret == -ENODEV; i++)
		if (!nna_winsys_backends[i].name)
			ret = nna_winsys_backends[i].open(name, options, out);
	return ret;
}

int nna_winsys_find(uint32_t index, char *path, size_t size)
{
	for (size_t i = 0; nna_winsys_backends[i].open; i++) {
		uint32_t own = 0;
		int ret = -ENOENT;

		if (!nna_winsys_backends[i].find)
			continue;
		do
			ret = nna_winsys_backends[i].find(own, path, size);
		while (ret != -ENOENT && own++ < index);
		if (ret != -ENOENT)
			return ret;
		index -= own;
	}
	return -ENOENT;
}

int nna_winsys_open(const char *name, const struct nna_device_options *options,
		    struct nna_winsys **out)
{
	int ret = open_by_name(name, options, out);

	if (!ret && options)
		(*out)->account = (struct nna_account){
			.charge = options->charge,
			.discharge = options->discharge,
			.user = options->account,
		};
	return ret;
}

/* Bytes that a BO takes of @size that are asked for: whole pages. */
static uint64_t bo_bytes(uint64_t size)
{
	return size > UINT64_MAX - NNA_VA_PAGE ? UINT64_MAX :
						 (size + NNA_VA_PAGE - 1) & ~(NNA_VA_PAGE - 1);
}

/* Corrects the charge of a new BO of @ret where the backend has rounded further up. */
static int settle(struct nna_winsys *ws, int ret, uint64_t charged, struct nna_winsys_bo **bo)
{
	if (!ret && (*bo)->size > charged) {
		ret = nna_account_charge(&ws->account, (*bo)->size - charged);
		if (ret)
			ws->ops->bo_destroy(ws, *bo);
	} else if (!ret) {
		nna_account_discharge(&ws->account, charged - (*bo)->size);
	}
	if (ret) {
		nna_account_discharge(&ws->account, charged);
		*bo = NULL;
	}
	return ret;
}

int nna_winsys_bo_create(struct nna_winsys *ws, uint64_t size, uint32_t flags,
			 struct nna_winsys_bo **out)
{
	const uint64_t bytes = bo_bytes(size);
	int ret = nna_account_charge(&ws->account, bytes);

	*out = NULL;
	return ret ? ret : settle(ws, ws->ops->bo_create(ws, size, flags, out), bytes, out);
}

int nna_winsys_bo_import(struct nna_winsys *ws, int fd, uint64_t size, struct nna_winsys_bo **out)
{
	const uint64_t bytes = bo_bytes(size);
	int ret = nna_account_charge(&ws->account, bytes);

	*out = NULL;
	return ret ? ret : settle(ws, ws->ops->bo_import(ws, fd, size, out), bytes, out);
}

void nna_winsys_bo_destroy(struct nna_winsys *ws, struct nna_winsys_bo *bo)
{
	uint64_t size = bo ? bo->size : 0;

	ws->ops->bo_destroy(ws, bo);
	nna_account_discharge(&ws->account, size);
}

void nna_fence_put(struct nna_fence *fence)
{
	if (!fence ||
	    atomic_fetch_sub_explicit(&fence->references, 1, memory_order_acq_rel) != 1)
		return;
	if (fence->ws) {
		fence->ws->ops->fence_release(fence->ws, fence);
		return;
	}
	nna_fence_fini(fence);
	free(fence);
}
