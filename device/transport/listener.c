// SPDX-License-Identifier: MIT
#include "device/transport/listener.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* Whether a process listens at an address: 0, 1 or a negative errno. */
static int in_use(const struct sockaddr_un *address)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int ret;

	if (fd < 0)
		return -errno;
	ret = connect(fd, (const struct sockaddr *)address, sizeof(*address));
	ret = ret == 0 || errno == EAGAIN ? 1 : 0;
	close(fd);
	return ret;
}

int nnadev_listener_open(const char *path, char *why, size_t why_size)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX }, temporary = address;
	struct stat st;
	int fd, ret;
	mode_t mask;
	int n;

	n = snprintf(temporary.sun_path, sizeof(temporary.sun_path), "%s.%d", path, (int)getpid());
	if (n < 0 || (size_t)n >= sizeof(temporary.sun_path)) {
		snprintf(why, why_size, "socket path is too long: %s", path);
		return -ENAMETOOLONG;
	}
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	if (lstat(path, &st) == 0) {
		if (!S_ISSOCK(st.st_mode)) {
			snprintf(why, why_size, "%s exists and is not a socket", path);
			return -EEXIST;
		}
		if (in_use(&address)) {
			snprintf(why, why_size, "%s is in use by another process", path);
			return -EADDRINUSE;
		}
	}
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0) {
		ret = -errno;
		snprintf(why, why_size, "no socket: %s", strerror(-ret));
		return ret;
	}
	unlink(temporary.sun_path);
	mask = umask(077);
	ret = bind(fd, (const struct sockaddr *)&temporary, sizeof(temporary)) < 0 ? -errno : 0;
	umask(mask);
	if (ret == 0 && listen(fd, 4) < 0)
		ret = -errno;
	if (ret == 0 && rename(temporary.sun_path, path) < 0)
		ret = -errno;
	if (ret < 0) {
		snprintf(why, why_size, "cannot listen at %s: %s", path, strerror(-ret));
		unlink(temporary.sun_path);
		close(fd);
		return ret;
	}
	return fd;
}

void nnadev_listener_close(int listener, const char *path)
{
	close(listener);
	unlink(path);
}
