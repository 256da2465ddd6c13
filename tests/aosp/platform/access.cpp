// SPDX-License-Identifier: MIT
/* Who may do what at AOSP's service manager, which asks SELinux: without that, everybody may all. */
#include "Access.h"

#include <binder/IPCThreadState.h>

namespace android {

Access::Access() {}
Access::~Access() {}

Access::CallingContext Access::getCallingContext()
{
	const IPCThreadState *state = IPCThreadState::self();

	return { state->getCallingPid(), state->getCallingUid(), "" };
}

bool Access::canFind(const CallingContext &, const std::string &)
{
	return true;
}

bool Access::canAdd(const CallingContext &, const std::string &)
{
	return true;
}

bool Access::canList(const CallingContext &)
{
	return true;
}

} // namespace android
