/* SPDX-License-Identifier: MIT */
/* Names of classes, from a text file with one a line in the order of the classes. */
#ifndef NNACTL_LABELS_H
#define NNACTL_LABELS_H

#include <stddef.h>

/**
 * struct nnactl_labels - freed by nnactl_labels_free()
 * @count: names
 * @names: each points into @text
 * @text: the file
 */
struct nnactl_labels {
	size_t count;
	char **names;
	char *text;
};

/* Return: 0, or 1 with the error printed: no such file, empty, no text. Free in both cases. */
int nnactl_labels_load(struct nnactl_labels *labels, const char *path);
void nnactl_labels_free(struct nnactl_labels *labels);

#endif
