// SPDX-License-Identifier: MIT
#include "tools/image/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "tools/image/image.h"

void *image_library_open(const struct image_library *library, image_function *functions,
			 char *error)
{
	const char *const *name = library->sonames;
	void *handle = NULL, *symbol;

	for (; *name && !handle; name++)
		handle = dlopen(*name, RTLD_NOW | RTLD_LOCAL);
	if (!handle) {
		snprintf(error, IMAGE_ERROR_SIZE,
			 "%s, for which %s is needed: install the package %s", library->kind,
			 library->sonames[0], library->package);
		return NULL;
	}
	for (uint32_t i = 0; library->functions[i]; i++) {
		symbol = dlsym(handle, library->functions[i]);
		if (!symbol) {
			snprintf(error, IMAGE_ERROR_SIZE,
				 "%s, for which %s has no %s: install a newer package %s",
				 library->kind, name[-1], library->functions[i], library->package);
			dlclose(handle);
			return NULL;
		}
		memcpy(&functions[i], &symbol, sizeof(symbol));
	}
	return handle;
}
