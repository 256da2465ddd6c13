// SPDX-License-Identifier: MIT
/*
 * The tables of backends and winsyses, each with one more line than libnnaccel's: a program that
 * links the archive has these in the place of those.
 */
#include "libnnaccel/backend/backend.h"
#include "libnnaccel/winsys/winsys.h"
#include "tests/backend/winsys.h"

extern const struct nna_backend nna_backend_nna, nna_backend_print;

const struct nna_backend *const nna_backends[] = {
	&nna_backend_nna,
	&nna_backend_print,
	NULL,
};

const struct nna_winsys_backend nna_winsys_backends[] = {
	{ NULL, nna_winsys_drm_create, nna_winsys_drm_find },
	{ "loopback", nna_winsys_loopback_create, NULL },
	{ "backend-", nna_winsys_none_create, NULL },
	{ "stranger", print_winsys_create_stranger, NULL },
	{ 0 },
};
