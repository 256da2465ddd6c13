// SPDX-License-Identifier: MIT
/* Both functions are written out from the table that hw/ generates for all layers. */
#include <errno.h>

#include "hw/gen/nnahw.h"
#include "libnnaccel/winsys/status.h"

int nna_status_error(uint32_t status)
{
	switch (status) {
#define STATUS(name, value, error, ban, nnapi, text) \
	case value: \
		return -(error);
		NNAHW_STATUS_TABLE(STATUS)
#undef STATUS
	default:
		return -EIO;
	}
}

bool nna_status_bans(uint32_t status)
{
	switch (status) {
#define STATUS(name, value, error, ban, nnapi, text) \
	case value: \
		return ban;
		NNAHW_STATUS_TABLE(STATUS)
#undef STATUS
	default:
		return false;
	}
}
