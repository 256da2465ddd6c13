// SPDX-License-Identifier: MIT
/* Files of any kind: their first bytes choose the decoder, the end of their name the encoder. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/image/image.h"

#define MAX_FILE ((off_t)256 << 20)

int image_decode(const uint8_t *data, size_t size, struct image *image, char *error)
{
	static const uint8_t png[] = { 0x89, 'P', 'N', 'G' };

	*image = (struct image){ 0 };
	error[0] = 0;
	if (size >= 4 && !memcmp(data, png, 4))
		return image_decode_png(data, size, image, error);
	if (size >= 3 && data[0] == 0xff && data[1] == 0xd8 && data[2] == 0xff)
		return image_decode_jpeg(data, size, image, error);
	if (size >= 2 && data[0] == 'B' && data[1] == 'M')
		return image_decode_bmp(data, size, image, error);
	snprintf(error, IMAGE_ERROR_SIZE, "not a BMP, PNG or JPEG picture");
	return -EINVAL;
}

static int (*find_saver(const char *path))(const struct image *image, const char *path, char *error)
{
	const char *end = strrchr(path, '.');

	if (end && !strcasecmp(end, ".png"))
		return image_save_png;
	if (end && (!strcasecmp(end, ".jpg") || !strcasecmp(end, ".jpeg")))
		return image_save_jpeg;
	return NULL;
}

bool image_can_save(const char *path)
{
	return find_saver(path) != NULL;
}

int image_save(const struct image *image, const char *path, char *error)
{
	int (*save)(const struct image *, const char *, char *) = find_saver(path);

	if (save)
		return save(image, path, error);
	snprintf(error, IMAGE_ERROR_SIZE, "pictures end with .png, .jpg or .jpeg");
	return -EINVAL;
}

int image_load(const char *path, struct image *image, char *error)
{
	uint8_t *data = NULL;
	size_t done = 0;
	struct stat st;
	int fd, ret;

	*image = (struct image){ 0 };
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		goto fail_errno;
	if (!S_ISREG(st.st_mode) || st.st_size > MAX_FILE) {
		snprintf(error, IMAGE_ERROR_SIZE,
			 S_ISREG(st.st_mode) ? "too large for a picture" : "not a regular file");
		ret = -EINVAL;
		goto out;
	}
	data = malloc((size_t)st.st_size + 1);
	if (!data)
		goto fail_errno;
	while (done < (size_t)st.st_size) {
		ssize_t n = read(fd, data + done, (size_t)st.st_size - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			goto fail_errno;
		if (!n)
			break;
		done += (size_t)n;
	}
	ret = image_decode(data, done, image, error);
	goto out;
fail_errno:
	ret = -errno;
	snprintf(error, IMAGE_ERROR_SIZE, "%s", strerror(errno));
out:
	free(data);
	if (fd >= 0)
		close(fd);
	return ret;
}
