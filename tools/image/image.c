// SPDX-License-Identifier: MIT
/* Pictures in memory, files of any kind, and scaling. */
#include "tools/image/image.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FILE ((off_t)256 << 20)

int image_create(struct image *image, uint32_t width, uint32_t height)
{
	*image = (struct image){ 0 };
	if (!width || !height || width > IMAGE_MAX_SIDE || height > IMAGE_MAX_SIDE)
		return -EINVAL;
	image->pixels = calloc((size_t)width * height, 3);
	if (!image->pixels)
		return -ENOMEM;
	image->width = width;
	image->height = height;
	return 0;
}

void image_free(struct image *image)
{
	free(image->pixels);
	*image = (struct image){ 0 };
}

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

int image_write(const struct image *image, const char *path, char *error,
		int (*encode)(const struct image *image, FILE *file, char *error))
{
	FILE *file = fopen(path, "we");
	int ret;

	if (!file) {
		ret = -errno;
		snprintf(error, IMAGE_ERROR_SIZE, "%s", strerror(-ret));
		return ret;
	}
	ret = encode(image, file, error);
	if (fclose(file) && !ret) {
		ret = -errno;
		snprintf(error, IMAGE_ERROR_SIZE, "%s", strerror(-ret));
	}
	if (ret)
		unlink(path);
	return ret;
}

int image_resize(const struct image *from, struct image *to, uint32_t width, uint32_t height)
{
	float step_x, step_y;
	uint32_t x, y, c;
	int ret;

	ret = image_create(to, width, height);
	if (ret)
		return ret;
	step_x = (float)from->width / (float)width;
	step_y = (float)from->height / (float)height;
	for (y = 0; y < height; y++) {
		float at_y = (float)y * step_y, part_y;
		uint32_t y0 = (uint32_t)at_y, y1;

		y0 = y0 < from->height ? y0 : from->height - 1;
		y1 = y0 + 1 < from->height ? y0 + 1 : y0;
		part_y = at_y - (float)y0;
		for (x = 0; x < width; x++) {
			float at_x = (float)x * step_x, part_x;
			uint32_t x0 = (uint32_t)at_x, x1;

			x0 = x0 < from->width ? x0 : from->width - 1;
			x1 = x0 + 1 < from->width ? x0 + 1 : x0;
			part_x = at_x - (float)x0;
			for (c = 0; c < 3; c++) {
#define AT(row, column) ((float)from->pixels[((size_t)(row) * from->width + (column)) * 3 + c])
				float top = AT(y0, x0) + (AT(y0, x1) - AT(y0, x0)) * part_x;
				float bottom = AT(y1, x0) + (AT(y1, x1) - AT(y1, x0)) * part_x;
#undef AT
				to->pixels[((size_t)y * width + x) * 3 + c] =
					(uint8_t)lrintf(top + (bottom - top) * part_y);
			}
		}
	}
	return 0;
}
