// SPDX-License-Identifier: MIT
/*
 * In-fences beyond the driver's limit: several of them are merged into one sync_file.
 *
 * A merged sync_file contains no fences that had signalled before the merge, so their errors are
 * lost. So every in-fence is asked for its status after the merge: a fence that had not signalled
 * then is part of the merged sync_file, and fails it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sync_file.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "libnnaccel/winsys/drm/drm.h"

/* Merges two sync_files. Return: a new sync_file, or a negative errno. */
static int merge_two(int a, int b)
{
	struct sync_merge_data merge = { .name = "nna", .fd2 = b };

	return ioctl(a, SYNC_IOC_MERGE, &merge) ? -errno : merge.fence;
}

/*
 * Merges halves recursively, so that each fence is copied O(log n) times. Return: a new sync_file,
 * or a negative errno.
 */
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

/*
 * Return: a copy of the first of @count sync_files that has failed, or a negative errno; -ENOENT:
 * none has failed.
 */
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
