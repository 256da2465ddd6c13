/* SPDX-License-Identifier: MIT */
/* libbinder's threads (see binder_ibinder.h). */
#ifndef TEST_NDK_BINDER_PROCESS_H
#define TEST_NDK_BINDER_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

bool ABinderProcess_setThreadPoolMaxThreadCount(uint32_t threads);
void ABinderProcess_startThreadPool(void);

#endif
