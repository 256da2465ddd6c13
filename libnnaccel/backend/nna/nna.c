// SPDX-License-Identifier: MIT
#include "libnnaccel/backend/nna/commands.h"
#include "libnnaccel/backend/nna/nna.h"

extern const struct nna_backend nna_backend_nna;
const struct nna_backend nna_backend_nna = {
	.name = "nna",
	.abi_major = NNAHW_ABI_MAJOR,
	.stream_version = NNAHW_STREAM_ABI,
	.layout_version = NNAHW_LAYOUT_ABI,
	.abi_minor = NNAHW_ABI_MINOR,
	.max_slots = NNAHW_MAX_SLOTS,
	.takes_unknown = true,
	.accepts = nna_hw_accepts,
	.can_fuse = nna_hw_can_fuse,
	.in_place = nna_hw_in_place,
	.select = nna_hw_select,
	.pack = nna_hw_pack,
	.emit = nna_hw_emit,
	.measure = nna_hw_measure,
	.print = nna_commands_print,
	.prepare_job = nna_hw_prepare_job,
	.clear_report = nna_hw_clear_report,
	.read_report = nna_hw_read_report,
	.profile_size = nna_hw_profile_size,
	.clear_profile = nna_hw_clear_profile,
	.count_profile = nna_hw_count_profile,
	.read_profile = nna_hw_read_profile,
};
