/* SPDX-License-Identifier: MIT */
/*
 * The capabilities that a vfio-user client proposes: JSON text from the other end, so hostile.
 */
#ifndef NNA_VFU_CAPS_H
#define NNA_VFU_CAPS_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct nna_vfu_caps - what this server wants to know of a client
 * @write_multiple: it may send several register writes in one message
 */
struct nna_vfu_caps {
	bool write_multiple;
};

/**
 * nna_vfu_caps_parse() - read the version data of a client
 * @text: JSON, @size bytes; a NUL at the end is allowed, no text at all is too
 * @caps: filled; unknown members are skipped
 *
 * Return: 0, or -EINVAL when the text is not one JSON object (or nests deeper than 16).
 */
int nna_vfu_caps_parse(const char *text, size_t size, struct nna_vfu_caps *caps);

#endif
