// SPDX-License-Identifier: MIT
/* The accelerator that LiteRT's libraries use (device.h). */
#include "frontend/litert/device.h"

#include <errno.h>
#include <string.h>

#include "frontend/litert/litert_abi.h"
#include "libnnaccel/support/environment.h"
#include "libnnaccel/support/message.h"

static void log_line(void *user, enum nna_log_level level, const char *text)
{
	if (level == NNA_LOG_ERROR)
		nna_message_insist(NNA_MESSAGE_DRIVER, "%s", text);
	else
		nna_message(DRIVER, "%s", text);
}

int litert_device_open(struct nna_device **out)
{
	const struct nna_device_options options = { .log = { log_line, NULL } };
	const char *name = nna_environment_get("NNACCEL_DEVICE") ?: "auto";
	int ret;

	ret = nna_device_open(name, &options, out);
	if (ret) {
		*out = NULL;
		nna_message_insist(NNA_MESSAGE_MANAGER,
				   "device \"%.100s\" cannot be opened: %s: NNACCEL_DEVICE may be a "
				   "node, auto or loopback", name, strerror(-ret));
	}
	return ret;
}

int litert_status(int error)
{
	switch (error) {
	case 0:
		return LITERT_OK;
	case -EINVAL:
		return LITERT_INVALID_ARGUMENT;
	case -ENOMEM:
		return LITERT_NO_MEMORY;
	case -ENOTSUP:
		return LITERT_UNSUPPORTED;
	case -ENOENT:
		return LITERT_NOT_FOUND;
	case -ETIMEDOUT:
		return LITERT_TIMEOUT;
	case -ECANCELED:
		return LITERT_CANCELLED;
	case -EBADMSG:
		return LITERT_INCOMPATIBLE_BYTE_CODE;
	default:
		return LITERT_RUNTIME_FAILURE;
	}
}
