// SPDX-License-Identifier: MIT
/*
 * The loopback of the shared libraries: finds the plug-in, checks that it belongs to this library,
 * and lets it open the device. plugin.h says why there is one.
 *
 * The plug-in is looked for beside the library, or in $NNACCEL_PLUGIN_DIR. A program that runs with
 * more privileges than its user (AT_SECURE) must not load a file that the user names. Only absolute
 * paths are taken: the file that a relative one names depends on the working directory, which may
 * have changed since the library was loaded, and may be anybody's.
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

/* Makes @path of the folder that the variable names. */
static int path_in_variable(const struct nna_log *log, const char *dir, char **path)
{
	if (*dir != '/') {
		nna_log_print(log, NNA_LOG_ERROR,
			      "NNACCEL_PLUGIN_DIR is %s: it must be an absolute path", dir);
		return -ELIBACC;
	}
	return asprintf(path, "%s/" FILE_NAME, dir) < 0 ? -ENOMEM : 0;
}

/* Makes @path of the folder of this library. */
static int path_beside_library(const struct nna_log *log, char **path)
{
	char *library;
	Dl_info self;
	int ret;

	if (!dladdr((void *)path_beside_library, &self) || !self.dli_fname)
		self.dli_fname = "";
	library = *self.dli_fname == '/' ? realpath(self.dli_fname, NULL) : NULL;
	if (!library) {
		nna_log_print(log, NNA_LOG_ERROR,
			      "the loopback is looked for beside the library, whose file \"%s\" is "
			      "not there any more or was not named by an absolute path: set "
			      "NNACCEL_PLUGIN_DIR to the folder of " FILE_NAME, self.dli_fname);
		return -ELIBACC;
	}
	ret = asprintf(path, "%s/nnaccel/" FILE_NAME, dirname(library)) < 0 ? -ENOMEM : 0;
	free(library);
	return ret;
}

/* Return: 0 and in @path the path of the plug-in, which the caller frees; -ELIBACC or -ENOMEM. */
static int find_plugin(const struct nna_log *log, char **path)
{
	const char *dir = nna_environment_get("NNACCEL_PLUGIN_DIR");

	return dir ? path_in_variable(log, dir, path) : path_beside_library(log, path);
}

int nna_winsys_loopback_create(const char *node, const struct nna_device_options *options,
			       struct nna_winsys **out)
{
	const struct nna_log *log = options ? &options->log : NULL;
	const struct nna_plugin *plugin;
	void *handle;
	char *path;
	int ret;

	ret = find_plugin(log, &path);
	if (ret)
		return ret;
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

/* The plug-in has both, and tells them by the name. */
int nna_winsys_model_create(const char *name, const struct nna_device_options *options,
			    struct nna_winsys **out)
{
	return name ? nna_winsys_loopback_create(name, options, out) : -ENOENT;
}
