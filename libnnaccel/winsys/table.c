// SPDX-License-Identifier: MIT
/*
 * The table of the winsyses, in the order in which "auto" tries them. Rows without a name come
 * first: they open every name that no other row has.
 *
 * Like backend/table.c it is a file by itself, so that a program can link another table in its
 * place.
 */
#include "libnnaccel/winsys/winsys.h"

const struct nna_winsys_backend nna_winsys_backends[] = {
	{ NULL, nna_winsys_drm_create, nna_winsys_drm_find },
	{ NULL, nna_winsys_ethosu_create, nna_winsys_ethosu_find },
	{ "loopback", nna_winsys_loopback_create, NULL },
	{ "ethos-", nna_winsys_model_create, NULL },
	{ "backend-", nna_winsys_none_create, NULL },
	{ 0 },
};
