/* SPDX-License-Identifier: MIT */
/*
 * Decoders of libraries that a machine may have: they are looked for when a picture needs them, so
 * that nobody has to install them for pictures of other kinds. Functions are those of the library's
 * soname, whose interface does not change.
 */
#ifndef IMAGE_LIBRARY_H
#define IMAGE_LIBRARY_H

#include <stdint.h>

/**
 * struct image_library - a library of decoders
 * @kind: what it decodes, for messages: "a WebP picture"
 * @sonames: files that have the interface, the newest first; NULL ends them
 * @package: of the distribution that has the first of them, for messages
 * @functions: their names; NULL ends them
 */
struct image_library {
	const char *kind;
	const char *sonames[4];
	const char *package;
	const char *const *functions;
};

/* A function of any type; it is called as what it is. */
typedef void (*image_function)(void);

/**
 * image_library_open() - load a library
 * @functions: filled in, one for each name
 * @error: IMAGE_ERROR_SIZE bytes for a line that names the package
 *
 * Return: what dlclose() takes, or NULL with @error.
 */
void *image_library_open(const struct image_library *library, image_function *functions,
			 char *error);

#endif
