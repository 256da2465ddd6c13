// SPDX-License-Identifier: MIT
/* A plug-in of another build: nobody may call it. */
#include <stdlib.h>

#include "libnnaccel/winsys/plugin.h"

static int other_open(const char *build_id, const char *path,
		      const struct nna_device_options *options, struct nna_winsys **out)
{
	abort();
}

extern NNACCEL_API const struct nna_plugin nnaccel_plugin;
const struct nna_plugin nnaccel_plugin = {
	.build_id = "0123456789abcdef0123456789abcdef01234567",
	.open = other_open,
};
