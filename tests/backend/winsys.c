// SPDX-License-Identifier: MIT
/* The winsys of a device that calls itself a "stranger", a kind that no backend is for. */
#include "tests/backend/winsys.h"

int print_winsys_create_stranger(const char *path, const struct nna_device_options *options,
				 struct nna_winsys **out)
{
	int ret = nna_winsys_none_create("backend-print", options, out);

	if (!ret)
		(*out)->accelerator = "stranger";
	return ret;
}
