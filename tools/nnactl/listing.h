/* SPDX-License-Identifier: MIT */
/*
 * What nna_program_dump() writes, as JSON, and as lines that fit a screen.
 *
 *	[ { "title": "",	"" for a whole program, else which part of one it is
 *	    "memory": { "constants": 4096, "scratch": ..., ... },
 *	    "slots": [ { "name": "scratch", "bytes": 98304 }, ... ],
 *	    "commands": [ { "at": 64, "name": "CONV", "operation": 0, "fields": { "stride_h": "2" },
 *			    "operands": [ { "name": "output", "place": "scratch", "offset": 0,
 *					    "type": "U8", "dims": [1, 64, 64, 8], "more": "" } ],
 *			    "operator": "CONV_2D", "tensor": "features/0" }, ... ] }, ... ]
 *
 * "operator" and "tensor" are the model's, where nnactl_listing_name() knows them.
 */
#ifndef NNACTL_LISTING_H
#define NNACTL_LISTING_H

#include "tools/nnactl/session.h"

/* Read @text, which is changed. Return: a list, or NULL for no memory. */
json_t *nnactl_listing_read(char *text);
/* Say of the commands of a whole program which operator and tensor of the model they are for. */
void nnactl_listing_name(json_t *listing, const struct nnactl_session *session);
void nnactl_listing_print(const json_t *listing, FILE *to);

#endif
