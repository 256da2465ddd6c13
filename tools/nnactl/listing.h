/* SPDX-License-Identifier: MIT */
/*
 * What nna_program_dump() writes, as JSON, and as lines that fit a screen.
 *
 *	[ { "title": "",	"" for a whole program, else which part of one it is
 *	    "memory": { "constants": 4096, "scratch": ..., "scratch_live": ..., ... },
 *	    "slots": [ { "name": "scratch", "bytes": 98304 }, ... ],
 *	    "commands": [ { "at": 64, "name": "CONV", "operation": 0, "fields": { "stride_h": "2" },
 *			    "operands": [ { "name": "output", "place": "scratch", "offset": 0,
 *					    "type": "U8", "dims": [1, 64, 64, 8], "more": "" } ],
 *			    "number": 3, "operator": "CONV_2D",
 *			    "tensor": "features/0" }, ... ] }, ... ]
 *
 * A backend whose program has other commands has its lines in "text", and no "scratch_live".
 * "number", "operator" and "tensor" are the model's, of the commands of a whole program.
 * "scratch_live" bytes of the scratch memory hold values at the same time: it is the least that any
 * plan takes.
 */
#ifndef NNACTL_LISTING_H
#define NNACTL_LISTING_H

#include "tools/nnactl/session.h"

/* The text, which the caller frees; NULL with the error printed. */
char *nnactl_listing_get_text(struct nnactl_session *session);
/* The list; NULL with the error printed. */
json_t *nnactl_listing_get(struct nnactl_session *session);
/* Bytes of all elements of an operand, each counted once, at least 1. */
uint64_t nnactl_listing_bytes(const json_t *operand);
void nnactl_listing_print(const json_t *listing, FILE *to);

#endif
