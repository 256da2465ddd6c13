/* SPDX-License-Identifier: GPL-2.0-only */
/* nna_accel.h includes "drm.h", which lies beside it in a kernel tree. See ../README.md. */
#include <drm/drm.h>
