// SPDX-License-Identifier: MIT
/* Labels of classes: a text file, cut into its lines. */
#include "tools/nnactl/labels.h"

#include <stdlib.h>
#include <string.h>

#include "tools/nnactl/nnactl.h"

#define MAX_LABELS_SIZE ((size_t)16 << 20)

int nnactl_labels_load(struct nnactl_labels *labels, const char *path)
{
	size_t size, lines = 0, i;
	char *at, *end;

	*labels = (struct nnactl_labels){ 0 };
	labels->text = nnactl_file_read(path, MAX_LABELS_SIZE, &size);
	if (!labels->text)
		return 1;
	if (memchr(labels->text, 0, size))
		return nnactl_error("%s: not a text file: labels are one name a line", path);
	for (i = 0; i < size; i++)
		lines += labels->text[i] == '\n';
	labels->names = calloc(lines + 1, sizeof(*labels->names));
	if (!labels->names)
		return nnactl_error("out of memory");
	for (at = labels->text; *at; at = end) {
		end = at + strcspn(at, "\n");
		if (*end)
			*end++ = 0;
		at[strcspn(at, "\r")] = 0;
		labels->names[labels->count++] = at;
	}
	if (!labels->count)
		return nnactl_error("%s: no labels in it", path);
	return 0;
}

void nnactl_labels_free(struct nnactl_labels *labels)
{
	free(labels->names);
	free(labels->text);
	*labels = (struct nnactl_labels){ 0 };
}
