// SPDX-License-Identifier: MIT
/* nnv_run over binder, by the backend that is linked. The connection stays to the process's end. */
#include <stdio.h>

#include "hal-bridge/aidl/gen/nn.h"
#include "hal-bridge/binder/binder.h"
#include "hal-bridge/hidl/gen/nn.h"
#include "tests/conformance/binder.h"

int nnv_binder_connect(const char *name, bool hidl, struct nnb_object **out)
{
	const struct nnb_binder_options options = {.hidl = hidl};
	struct nnb_binder *binder;
	char full[256];
	int ret = nnb_binder_open(&options, &binder);

	if (ret)
		return ret;
	snprintf(full, sizeof(full), "%s/%s",
		 hidl ? nnb_hidl_1_3_device.descriptor : nnb_aidl_device.descriptor, name);
	return binder->ops->get(binder, full, out);
}
