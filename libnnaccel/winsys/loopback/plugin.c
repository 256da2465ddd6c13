// SPDX-License-Identifier: MIT
/*
 * The symbol that the plug-in libnnaccel-loopback.so exports. libnnaccel.a contains the loopback
 * itself and needs no plug-in, so this file is not in it.
 */
#include <errno.h>
#include <string.h>

#include "libnnaccel/winsys/plugin.h"
#include "nna_build_id.h"

static int plugin_open(const char *build_id, const char *path,
		       const struct nna_device_options *options, struct nna_winsys **out)
{
	if (strcmp(build_id, NNA_BUILD_ID))
		return -ELIBBAD;
	if (path && strcmp(path, "loopback"))
		return nna_winsys_model_create(path, options, out);
	return nna_winsys_loopback_create(path, options, out);
}

extern NNACCEL_API const struct nna_plugin nnaccel_plugin;
const struct nna_plugin nnaccel_plugin = {
	.build_id = NNA_BUILD_ID,
	.open = plugin_open,
};
