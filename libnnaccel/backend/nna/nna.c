// SPDX-License-Identifier: MIT
#include "libnnaccel/backend/nna/commands.h"
#include "libnnaccel/backend/nna/nna.h"

extern const struct nna_backend nna_backend_nna;
const struct nna_backend nna_backend_nna = {
	.name = "nna",
	.accepts = nna_hw_accepts,
	.can_fuse = nna_hw_can_fuse,
	.in_place = nna_hw_in_place,
	.select = nna_hw_select,
	.pack = nna_hw_pack,
	.emit = nna_hw_emit,
	.print = nna_commands_print,
};
