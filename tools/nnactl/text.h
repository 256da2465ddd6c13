/* SPDX-License-Identifier: MIT */
/* Parts of texts that have too little room. */
#ifndef NNACTL_TEXT_H
#define NNACTL_TEXT_H

#include <stddef.h>

/* The end of a text, of at most @size bytes that start with a whole character. */
const char *nnactl_tail(const char *text, size_t size);

/*
 * The name of a layer: of a tensor's name, as much as fits @to, or its first part where a converter
 * has joined those of the operations that it fused ("conv/Relu6;conv/add;conv/Conv2D"), the last
 * operation first. Return: @to.
 */
const char *nnactl_layer(const char *tensor, char *to, size_t size);

#endif
