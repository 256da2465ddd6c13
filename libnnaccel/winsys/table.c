// SPDX-License-Identifier: MIT
/*
 * The table of the winsyses, in the order in which "auto" tries them. The one without a name comes
 * first: it takes every name that is no other's.
 *
 * Like backend/table.c it is a file by itself: a program may have another in its place.
 */
#include "libnnaccel/winsys/winsys.h"

const struct nna_winsys_backend nna_winsys_backends[] = {
	{ NULL, nna_winsys_drm_create },
	{ "loopback", nna_winsys_loopback_create },
	{ 0 },
};
