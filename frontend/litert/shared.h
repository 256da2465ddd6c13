/* SPDX-License-Identifier: MIT */
/*
 * What the dispatch library keeps for the whole process. LiteRT has one dispatch library in a
 * process, and makes buffers of its kind by functions without an object: so their device has to be
 * known to the library, and all of its contexts use that one, as buffers are a device's. It is open
 * while something uses it.
 */
#ifndef LITERT_SHARED_H
#define LITERT_SHARED_H

#include <nnaccel.h>

/* Opens the device, or counts one more user. Return: 0, or a negative errno after a line. */
int litert_shared_get(struct nna_device **out);
/* Ends a use; closes the device after the last one. */
void litert_shared_put(void);

#endif
