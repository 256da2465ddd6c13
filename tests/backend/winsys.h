/* SPDX-License-Identifier: MIT */
#ifndef TESTS_BACKEND_WINSYS_H
#define TESTS_BACKEND_WINSYS_H

#include "libnnaccel/winsys/winsys.h"

/* An accelerator that there is no backend for. */
int print_winsys_create_stranger(const char *path, const struct nna_device_options *options,
				 struct nna_winsys **out);

#endif
