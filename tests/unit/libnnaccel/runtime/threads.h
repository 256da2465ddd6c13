/* SPDX-License-Identifier: MIT */
/* For tests: how many threads this process has. */
#ifndef TEST_THREADS_H
#define TEST_THREADS_H

#include <dirent.h>
#include <stdint.h>

static inline uint32_t thread_count(void)
{
	DIR *dir = opendir("/proc/self/task");
	uint32_t count = 0;

	for (struct dirent *entry; dir && (entry = readdir(dir));)
		count += entry->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return count;
}

#endif
