// SPDX-License-Identifier: MIT
/* The library's version, which the top of the tree's VERSION says. */
#include "nna_version.h"
#include "nnaccel.h"

const char *nna_version(void)
{
	return NNA_VERSION;
}
