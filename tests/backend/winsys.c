// SPDX-License-Identifier: MIT
/*
 * The winsys of the accelerator "print": memory for programs, which is all that compiling takes of
 * a device. Nothing can be submitted.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests/backend/winsys.h"

#define PAGE 4096u

static void print_destroy(struct nna_winsys *ws)
{
	free(ws);
}

static int print_check(struct nna_winsys *ws)
{
	return 0;
}

static void print_get_info(struct nna_winsys *ws, struct nna_device_info *info)
{
	*info = (struct nna_device_info){ .name = "print", .driver = "print", .max_slots = 64 };
}

static int print_bo_create(struct nna_winsys *ws, uint64_t size, uint32_t flags,
			   struct nna_winsys_bo **out)
{
	struct nna_winsys_bo *bo = calloc(1, sizeof(*bo));

	if (!bo)
		return -ENOMEM;
	bo->size = (size + PAGE - 1) / PAGE * PAGE;
	bo->map = aligned_alloc(PAGE, bo->size);
	if (!bo->map) {
		free(bo);
		return -ENOMEM;
	}
	memset(bo->map, 0, bo->size);
	*out = bo;
	return 0;
}

static void print_bo_destroy(struct nna_winsys *ws, struct nna_winsys_bo *bo)
{
	if (bo)
		free(bo->map);
	free(bo);
}

static const struct nna_winsys_ops print_ops = {
	.destroy = print_destroy,
	.get_info = print_get_info,
	.check = print_check,
	.bo_create = print_bo_create,
	.bo_destroy = print_bo_destroy,
};

static int create(const char *accelerator, struct nna_winsys **out)
{
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return -ENOMEM;
	(*out)->ops = &print_ops;
	(*out)->accelerator = accelerator;
	return 0;
}

int print_winsys_create(const char *path, const struct nna_device_options *options,
			struct nna_winsys **out)
{
	return create("print", out);
}

int print_winsys_create_stranger(const char *path, const struct nna_device_options *options,
				 struct nna_winsys **out)
{
	return create("stranger", out);
}
