// SPDX-License-Identifier: MIT
/*
 * More in-fences than a submission takes: several of them merged into one sync_file.
 *
 * What the kernel merges forgets the fences that have signalled before, and so whether they have
 * failed. So each of them is asked once they are merged: one that fails later than that is in the
 * merged one, which fails with it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sync_file.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "libnnaccel/winsys/drm/drm.h"

/* Return: a sync_file of two, or a negative errno. */
static int merge_two(int a, int b)
{
	struct sync_merge_data merge = { .name = "nna", .fd2 = b };

	return ioctl(a, SYNC_IOC_MERGE, &merge) ? -errno : merge.fence;
}

/* Merges halves, so that none is looked at often. Return: a new sync_file, or a negative errno. */
static int merge(const int *fds, uint32_t count)
{
	uint32_t half = count / 2;
	int a, b, ret;

	if (count == 1) {
		ret = fcntl(fds[0], F_DUPFD_CLOEXEC, 0);
		return ret < 0 ? -errno : ret;
	}
	a = half == 1 ? fds[0] : merge(fds, half);
	if (a < 0)
		return a;
	b = count - half == 1 ? fds[half] : merge(fds + half, count - half);
	ret = b < 0 ? b : merge_two(a, b);
	if (half > 1)
		close(a);
	if (b >= 0 && count - half > 1)
		close(b);
	return ret;
}

/* A copy of the first of @count sync_files that has failed, or a negative errno; -ENOENT: none. */
static int find_failed(const int *fds, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct sync_file_info info = { 0 };

		if (ioctl(fds[i], SYNC_IOC_FILE_INFO, &info))
			return -errno;
		if (info.status < 0)
			return merge(&fds[i], 1);
	}
	return -ENOENT;
}

int nna_drm_sync_file_merge(const int *fds, uint32_t count, int *merged, uint32_t room)
{
	uint32_t done = 0, from = 0;
	int ret;

	while (done < room - 1) {
		uint32_t left = room - 1 - done, share = (count - from + left - 1) / left;

		ret = merge(fds + from, share);
		if (ret < 0)
			goto fail;
		merged[done++] = ret;
		from += share;
	}
	ret = find_failed(fds, count);
	if (ret == -ENOENT)
		return done;
	if (ret < 0)
		goto fail;
	merged[done++] = ret;
	return done;
fail:
	while (done)
		close(merged[--done]);
	return ret;
}
