// SPDX-License-Identifier: MIT
/* nnv_run without binder. */
#include "tests/conformance/binder.h"

#include <errno.h>

int nnv_binder_connect(const char *name, bool hidl, struct nnb_object **out)
{
	return -ENOTSUP;
}
