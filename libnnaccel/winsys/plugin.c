// SPDX-License-Identifier: MIT
/*
 * The loopback of the shared libraries: finds the plug-in, checks that it belongs to this library,
 * and lets it open the device. plugin.h says why there is one.
 *
 * The plug-in is looked for beside the library, or in $NNACCEL_PLUGIN_DIR. A program that runs with
 * more privileges than its user (AT_SECURE) must not load a file that the user names.
 *
 * A plug-in that has opened a device stays loaded until the process ends.
 */
#include <dlfcn.h>
#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libnnaccel/support/environment.h"
#include "libnnaccel/support/log.h"
#include "libnnaccel/winsys/plugin.h"
#include "nna_build_id.h"

#define FILE_NAME "libnnaccel-loopback.so"
#define REMEDY "install the package libnnaccel-loopback of the library's version (build tree: make)"

/* Return: the path of the plug-in, which the caller frees; NULL without memory. */
static char *plugin_path(void)
{
	const char *dir = nna_environment_get("NNACCEL_PLUGIN_DIR");
	char *library = NULL, *path;
	Dl_info self;
	int ret;

	if (dir) {
		ret = asprintf(&path, "%s/" FILE_NAME, dir);
	} else {
		if (dladdr((void *)plugin_path, &self) && self.dli_fname)
			library = realpath(self.dli_fname, NULL);
		ret = asprintf(&path, "%s/nnaccel/" FILE_NAME, library ? dirname(library) : ".");
		free(library);
	}
	return ret < 0 ? NULL : path;
}

int nna_winsys_loopback_create(const char *node, const struct nna_device_options *options,
			       struct nna_winsys **out)
{
	const struct nna_log *log = options ? &options->log : NULL;
	const struct nna_plugin *plugin;
	char *path = plugin_path();
	void *handle;
	int ret;

	if (!path)
		return -ENOMEM;
	handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		const char *reason = dlerror();

		if (access(path, F_OK)) {
			nna_log_print(log, NNA_LOG_ERROR, "the loopback needs %s: " REMEDY, path);
			ret = -ELIBACC;
		} else {
			nna_log_print(log, NNA_LOG_ERROR, "%s cannot be loaded: " REMEDY " (%s)",
				      path, reason);
			ret = -ELIBBAD;
		}
		goto out;
	}
	plugin = dlsym(handle, NNA_PLUGIN_SYMBOL);
	if (!plugin) {
		nna_log_print(log, NNA_LOG_ERROR,
			      "%s is no plug-in of this library, it has no " NNA_PLUGIN_SYMBOL
			      ": " REMEDY, path);
		ret = -ELIBBAD;
		goto close;
	}
	if (strncmp(plugin->build_id, NNA_BUILD_ID, sizeof(plugin->build_id))) {
		nna_log_print(log, NNA_LOG_ERROR,
			      "%s is of build %.12s, this library of %.12s: " REMEDY, path,
			      plugin->build_id, NNA_BUILD_ID);
		ret = -ELIBBAD;
		goto close;
	}
	ret = plugin->open(NNA_BUILD_ID, node, options, out);
close:
	if (ret)
		dlclose(handle);
out:
	free(path);
	return ret;
}
