/* SPDX-License-Identifier: MIT */
/*
 * What hal-bridge/binder/ndk/binder.c takes from libbinder_ndk's headers, as far as test_binder.c
 * answers it.
 */
#ifndef TEST_NDK_BINDER_IBINDER_H
#define TEST_NDK_BINDER_IBINDER_H

#include <stdint.h>

typedef struct AIBinder AIBinder;
typedef struct AIBinder_DeathRecipient AIBinder_DeathRecipient;
typedef int32_t binder_exception_t;

enum {
	EX_NONE = 0,
	EX_SECURITY = -1,
	EX_ILLEGAL_STATE = -5,
};

void AIBinder_decStrong(AIBinder *binder);
AIBinder_DeathRecipient *AIBinder_DeathRecipient_new(void (*died)(void *cookie));
void AIBinder_DeathRecipient_delete(AIBinder_DeathRecipient *recipient);
void AIBinder_DeathRecipient_setOnUnlinked(AIBinder_DeathRecipient *recipient,
					   void (*unlinked)(void *cookie));

#endif
