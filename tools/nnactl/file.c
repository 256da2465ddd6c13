// SPDX-License-Identifier: MIT
/* Reading whole files that do not say how large they are: pipes, and files of sysfs. */
#include "tools/nnactl/nnactl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *nnactl_file_name(const char *path)
{
	return strcmp(path, "-") ? path : "the standard input";
}

char *nnactl_file_read(const char *path, size_t limit, size_t *size)
{
	FILE *file = strcmp(path, "-") ? fopen(path, "re") : stdin;
	char *data = NULL, *more;
	size_t room = 0, n;

	*size = 0;
	if (!file) {
		nnactl_error("%s: %s", nnactl_file_name(path), strerror(errno));
		return NULL;
	}
	do {
		if (room >= limit) {
			nnactl_error("%s: too large: more than %zu KiB", nnactl_file_name(path),
				     limit >> 10);
			goto err;
		}
		room += 65536;
		more = realloc(data, room + 1);
		if (!more) {
			nnactl_error("out of memory");
			goto err;
		}
		data = more;
		n = fread(data + *size, 1, room - *size, file);
		*size += n;
	} while (*size == room);
	if (ferror(file)) {
		nnactl_error("%s: %s", nnactl_file_name(path), strerror(errno));
		goto err;
	}
	if (file != stdin)
		fclose(file);
	data[*size] = 0;
	return data;
err:
	free(data);
	if (file != stdin)
		fclose(file);
	return NULL;
}
