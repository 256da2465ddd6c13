// SPDX-License-Identifier: MIT
/* Counts the calls under way of each user, and limits them (link.h). */
#include "hal-bridge/binder/ndk/link.h"

bool nnb_ndk_enter(struct nnb_ndk *link, uid_t user)
{
	uint32_t calls = 0;
	bool ok;

	pthread_mutex_lock(&link->lock);
	for (uint32_t i = 0; i < link->calls; i++)
		calls += link->users[i] == user;
	ok = calls < link->per_user && link->calls < link->threads;
	if (ok)
		link->users[link->calls++] = user;
	pthread_mutex_unlock(&link->lock);
	return ok;
}

void nnb_ndk_leave(struct nnb_ndk *link, uid_t user)
{
	uint32_t i = 0;

	pthread_mutex_lock(&link->lock);
	while (link->users[i] != user)
		i++;
	link->users[i] = link->users[--link->calls];
	pthread_mutex_unlock(&link->lock);
}
